/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pairs of processes: messages between them and who waited for whom, as text and as rows for programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "report_causes.h"
#include "report_measures.h"
#include "report_rows.h"
#include "report_text.h"

typedef struct pair { /* what `process` counted of the other, and its waiting for it; of itself: its threads for each other */
    uint32_t process, peer, peer_rank; /* peer HSC_NONE: was not measured */
    uint64_t sent, sent_bytes, received, received_bytes, waits;
    double wait_s, collective_s, max_s; /* collective: of wait_s, in operations of all or many */
    uint32_t thread;                    /* while rows are added up: who waited; HSC_NONE */
    report_over over;                   /* what each of its threads waited for the other */
} pair;

static bool is_collective(uint32_t cause) {
    return cause == HSC_wait_cause_BARRIER || cause == HSC_wait_cause_COLLECTIVE || cause == HSC_wait_cause_LATE_ROOT ||
           cause == HSC_wait_cause_LATE_MEMBER || cause == HSC_wait_cause_FENCE;
}

static int by_processes(const void *a, const void *b) {
    const pair *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    return x->peer != HSC_NONE ? 0 : x->peer_rank < y->peer_rank ? -1 : x->peer_rank > y->peer_rank;
}

static int by_threads(const void *a, const void *b) {
    const pair *x = a, *y = b;
    int c = by_processes(a, b);
    return c ? c : (x->thread > y->thread) - (x->thread < y->thread);
}

/* Of rows by_threads: to the first of each pair. */
static void set_spreads(report *r, pair *list, uint32_t n) {
    for (uint32_t i = 0, next, first = 0; i < n; i = next) {
        double wait_s = 0;
        first = by_processes(&list[first], &list[i]) ? i : first;
        for (next = i; next < n && !by_threads(&list[i], &list[next]); next++)
            wait_s += list[next].wait_s;
        if (list[i].thread != HSC_NONE)
            report_over_add(r->db, &r->pool, &list[first].over, list[i].thread, wait_s);
    }
}

static int most(const void *a, const void *b) {
    const pair *x = a, *y = b;
    uint64_t of_x = x->sent_bytes + x->received_bytes, of_y = y->sent_bytes + y->received_bytes;
    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    if (x->wait_s != y->wait_s)
        return x->wait_s > y->wait_s ? -1 : 1;
    return by_processes(a, b);
}

/* Messages and waiting of each pair in one row, those with most bytes first. Not in them: seconds that libraries' own threads wait for each other,
 * and of these for a signal. */
static hsc_status load(report *r, pair **out, uint32_t *n, double *libraries, double *idle, hsc_err *err) {
    uint32_t count = 0, kept = 0;
    *libraries = *idle = 0;
    hsc_status s = HSC_OK;
    pair *list = calloc((size_t)r->info.pairs + r->info.delayed + 1, sizeof *list);
    if (!list)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; !s && i < r->info.pairs; i++) {
        hsc_db_pair p;
        if (!(s = hsc_db_get_pair(r->db, i, &p, err)) && (p.sent || p.received))
            list[count++] = (pair){.process = p.process, .peer = p.peer, .peer_rank = p.peer_rank, .sent = p.sent, .sent_bytes = p.sent_bytes,
                                   .received = p.received, .received_bytes = p.received_bytes, .thread = HSC_NONE};
    }
    for (uint32_t i = 0; !s && i < r->info.delayed; i++) {
        hsc_db_delayed v;
        hsc_db_delay d;
        hsc_db_thread who, late;
        hsc_db_process of;
        if ((s = hsc_db_get_delayed(r->db, i, &v, err)) || (s = hsc_db_get_delay(r->db, v.delay, &d, err)))
            break;
        if (!report_is_own_delayed(r, &v, &d)) {
            *libraries += v.wait_s;
            *idle += d.kind == HSC_wait_cause_SIGNAL ? v.wait_s : 0;
        } else if (!(s = hsc_db_get_thread(r->db, v.thread, &who, err)) && !(s = hsc_db_get_thread(r->db, d.thread, &late, err)) &&
                   !(s = hsc_db_get_process(r->db, late.process, &of, err)) && (v.waits || v.wait_s > 0)) {
            list[count++] = (pair){.process = who.process, .peer = late.process, .peer_rank = of.rank < 0 ? HSC_NONE : (uint32_t)of.rank,
                                   .waits = v.waits, .wait_s = v.wait_s, .collective_s = is_collective(d.kind) ? v.wait_s : 0, .max_s = v.max_s,
                                   .thread = v.thread};
        }
    }
    if (s) {
        free(list);
        return s;
    }
    qsort(list, count, sizeof *list, by_threads);
    set_spreads(r, list, count);
    for (uint32_t i = 0; i < count; i++) { /* at most one row of messages */
        if (!kept || by_processes(&list[kept - 1], &list[i])) {
            list[kept++] = list[i];
            continue;
        }
        pair *to = &list[kept - 1];
        to->sent += list[i].sent;
        to->sent_bytes += list[i].sent_bytes;
        to->received += list[i].received;
        to->received_bytes += list[i].received_bytes;
        to->waits += list[i].waits;
        to->wait_s += list[i].wait_s;
        to->collective_s += list[i].collective_s;
        to->max_s = fmax(to->max_s, list[i].max_s);
    }
    qsort(list, kept, sizeof *list, most);
    *out = list;
    *n = kept;
    return HSC_OK;
}

static void peer_text(const report *r, const pair *p, char *out, size_t size) {
    if (p->peer != HSC_NONE)
        report_processor(r, HSC_AXIS_PROCESS, p->peer, out, size);
    else
        snprintf(out, size, "rank %u, unmeasured", p->peer_rank);
}

hsc_status report_text_pairs(report *r, hsc_err *err) {
    pair *list;
    uint32_t n, shown = 0;
    char who[128], other[160], pair_text[300], fitted[300], sent[16], received[16];
    double libraries, idle;
    hsc_status s = load(r, &list, &n, &libraries, &idle, err);
    if (s)
        return s;
    fprintf(r->out, "\nPairs of processes: point-to-point messages that the first counted; its\n"
                    "waiting for the second, of it in collective operations\n"
                    "     sent  bytes received  bytes   waits  wait s  coll s  who with whom\n");
    for (; shown < n && (!r->top || shown < r->top); shown++) {
        const pair *p = &list[shown];
        report_processor(r, HSC_AXIS_PROCESS, p->process, who, sizeof who);
        peer_text(r, p, other, sizeof other);
        if (p->peer == p->process && !p->sent && !p->received)
            snprintf(pair_text, sizeof pair_text, "%s, its threads", who);
        else
            snprintf(pair_text, sizeof pair_text, "%s with %s", who, p->peer == p->process ? "itself" : other);
        fprintf(r->out, "%9llu %6s %8llu %6s %7llu %7.3f %7.3f  %s\n", (unsigned long long)p->sent,
                report_bytes((double)p->sent_bytes, sent, sizeof sent), (unsigned long long)p->received,
                report_bytes((double)p->received_bytes, received, sizeof received), (unsigned long long)p->waits, p->wait_s,
                p->collective_s, report_fit_prose(pair_text, r->width - 58, fitted, sizeof fitted));
    }
    if (shown < n)
        fprintf(r->out, "          %s\n", report_text_more(r, n - shown, REPORT_PAIR, pair_text, sizeof pair_text));
    if (!n)
        fputs("  none\n", r->out);
    report_text_libraries(r, libraries, idle);
    free(list);
    return HSC_OK;
}

static void pair_row(const report *r, hsc_table *t, uint32_t rank, const pair *p) {
    char who[160] = "";
    hsc_table_begin_row(t);
    hsc_table_count(t, "position", rank);
    if (p->process != HSC_NONE)
        report_processor(r, HSC_AXIS_PROCESS, p->process, who, sizeof who);
    hsc_table_text(t, "processor", who);
    who[0] = 0;
    if (p->peer != HSC_NONE)
        report_processor(r, HSC_AXIS_PROCESS, p->peer, who, sizeof who);
    hsc_table_text(t, "peer", who);
    hsc_table_number(t, "peer_rank", p->peer_rank == HSC_NONE ? NAN : p->peer_rank);
    hsc_table_count(t, "sent_messages", (double)p->sent);
    hsc_table_count(t, "sent_bytes", (double)p->sent_bytes);
    hsc_table_count(t, "received_messages", (double)p->received);
    hsc_table_count(t, "received_bytes", (double)p->received_bytes);
    hsc_table_count(t, "waits", (double)p->waits);
    hsc_table_number(t, "wait_s", p->wait_s);
    hsc_table_number(t, "wait_max_s", p->max_s);
    hsc_table_number(t, "wait_collective_s", p->collective_s);
    report_put_over(r, t, &p->over);
    hsc_table_end_row(t);
    t->naming = false;
}

hsc_status report_pair_rows(report *r, hsc_table *t, hsc_err *err) {
    pair *list, none = {.process = HSC_NONE, .peer = HSC_NONE};
    uint32_t n;
    double libraries, idle;
    hsc_status s = load(r, &list, &n, &libraries, &idle, err);
    if (s)
        return s;
    if (t->naming)
        pair_row(r, t, 0, &none);
    for (uint32_t i = 0; i < n && (!r->top || i < r->top); i++)
        pair_row(r, t, i + 1, &list[i]);
    free(list);
    return HSC_OK;
}
