/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings, when measuring was off, messages, waits and refusals as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "report_causes.h"
#include "report_measures.h"
#include "report_reasons.h"
#include "report_text.h"
#include "wait_calls.h"

hsc_status report_wanted_findings(report *r, hsc_db_finding **list, uint32_t *n, hsc_err *err) {
    hsc_status status = report_findings(r, list, n, err);
    uint32_t kept = 0;
    for (uint32_t i = 0; !status && i < *n; i++) {
        if (report_wanted_finding(r, &(*list)[i]))
            (*list)[kept++] = (*list)[i];
        else
            free((*list)[i].text);
    }
    *n = status ? 0 : kept;
    return status;
}

/* A paragraph with a number, broken at blanks to the width; what follows the first line is indented. */
hsc_status report_text_findings(report *r, hsc_err *err) {
    hsc_db_finding *list;
    uint32_t n;
    hsc_status status = report_wanted_findings(r, &list, &n, err);
    if (status)
        return status;
    fprintf(r->out, r->where ? "What stands out there (in brackets: 95 %% intervals; shares are of all)\n" : "What stands out (in brackets: 95 %% intervals)\n");
    uint32_t most = r->only_findings && !r->top_given ? 5 : (r->only_findings || !r->brief) && r->top_given && r->top ? r->top : n; /* a whole report has all */
    for (uint32_t i = 0; i < n && i < most; i++)
        report_text_wrap(r->out, r->width, list[i].text, 3, fprintf(r->out, "%2u.", i + 1));
    if (!n)
        fprintf(r->out, "    nothing\n");
    if (n > most)
        fprintf(r->out, r->only_findings ? "    %u more, and tables: without --brief\n" : "    %u more: --top=0\n", n - most);
    hsc_db_free_findings(list, n);
    return HSC_OK;
}

void report_text_sources(const report *r) {
    uint32_t n = r->metric ? 0 : hsc_db_count_told(r->db, HSC_TOLD_NOTES), changes = 0;
    hsc_db_note note, first = {.text = ""};
    for (uint32_t i = 0; i < n; i++)
        if (!hsc_db_get_note(r->db, i, &note, NULL) && note.kind == HSC_NOTE_SOURCE && !changes++)
            first = note;
    if (!changes)
        return;
    char text[500];
    snprintf(text, sizeof text, "%u change%s of where a thread's samples come from, %safter %.2f s: %.300s", changes, changes == 1 ? "" : "s",
             changes == 1 ? "" : "the first ", first.time_s, first.text);
    report_text_wrap(r->out, r->width, text, 10, fprintf(r->out, "source    "));
}

/* When nothing was measured: each time by its order in its process, over the processes. */
void report_text_off(const report *r) {
    enum { MOST = 3 };
    struct {
        double from[2], to[2];
        uint32_t processes, open;
        const char *why;
    } off[MOST];
    uint32_t n = hsc_db_count_told(r->db, HSC_TOLD_NOTES), last = HSC_NONE, k = 0, more = 0;
    hsc_db_note note;
    hsc_db_process p;
    bool is_off = false;
    memset(off, 0, sizeof off);
    for (uint32_t i = 0; i <= n; i++) { /* sorted by process and time; the last round closes what is open */
        bool end = i == n || hsc_db_get_note(r->db, i, &note, NULL), is = !end && note.kind == HSC_NOTE_MEASURING;
        if ((end || note.process != last) && is_off && k <= MOST && !hsc_db_get_process(r->db, last, &p, NULL)) {
            is_off = false;
            off[k - 1].open++;
            off[k - 1].to[0] = fmin(off[k - 1].to[0], p.end_s);
            off[k - 1].to[1] = fmax(off[k - 1].to[1], p.end_s);
        }
        if (end)
            break;
        if (note.process != last) {
            last = note.process;
            k = 0;
            is_off = false;
        }
        if (!is)
            continue;
        if (!note.value && !is_off) {
            is_off = true;
            if (++k > MOST)
                more++;
            else {
                const char *colon = strstr(note.text, ": ");
                if (!off[k - 1].processes++) {
                    off[k - 1].from[0] = off[k - 1].to[0] = INFINITY;
                    off[k - 1].why = colon ? colon + 2 : note.text;
                }
                off[k - 1].from[0] = fmin(off[k - 1].from[0], note.time_s);
                off[k - 1].from[1] = fmax(off[k - 1].from[1], note.time_s);
            }
        } else if (note.value && is_off) {
            is_off = false;
            if (k <= MOST) {
                off[k - 1].to[0] = fmin(off[k - 1].to[0], note.time_s);
                off[k - 1].to[1] = fmax(off[k - 1].to[1], note.time_s);
            }
        }
    }
    for (uint32_t i = 0; i < MOST && off[i].processes; i++) {
        char from[64], to[64], in[64] = "";
        for (int side = 0; side < 2; side++) {
            const double *at = side ? off[i].to : off[i].from;
            if (at[1] - at[0] < 0.01)
                snprintf(side ? to : from, sizeof to, "%.2f s", at[0]);
            else
                snprintf(side ? to : from, sizeof to, "%.2f..%.2f s", at[0], at[1]);
        }
        if (r->info.processes > 1)
            snprintf(in, sizeof in, ", in %u of %u processes", off[i].processes, r->info.processes);
        char text[500];
        snprintf(text, sizeof text, "from %s to %s%s%s (%.200s)", from, off[i].open == off[i].processes ? "the end, " : "", to, in, off[i].why);
        report_text_wrap(r->out, r->width, text, 10, fprintf(r->out, "%s", i ? "          " : "off       "));
    }
    if (more)
        fprintf(r->out, "           and %u more times\n", more);
    if (off[0].processes)
        fprintf(r->out, "           nothing was measured then: no figure has that time in it\n");
}

/* ---- messages and waits ---- */

/* "12.3M": at most five columns */
static const char *bytes(double n, char *out, size_t size) {
    static const char units[] = " kMGTP";
    int k = 0;
    for (; n >= 999.5 && k < 5; k++)
        n /= 1000;
    snprintf(out, size, n >= 99.95 || !k ? "%.0f%c" : "%.1f%c", n, units[k]);
    if (!k)
        out[strlen(out) - 1] = 0;
    return out;
}

/* Returns false where there is no room but for the place. */
static bool fit_text_place(const report *r, uint32_t line, uint32_t context, int width, char *out, size_t size) {
    hsc_db_context c;
    hsc_db_scope s, p = {.name = "?"};
    char where[400] = " ", name[500], apart[1000];
    if (!hsc_db_get_context(r->db, context, &c, NULL) && !hsc_db_get_scope(r->db, c.scope, &s, NULL))
        p = s;
    if (p.procedure != HSC_NONE && p.kind != HSC_SCOPE_PROGRAM)
        (void)hsc_db_get_scope(r->db, p.procedure, &p, NULL);
    if (!*report_call_text(r, line, where + 1, sizeof where - 1))
        where[0] = 0;
    int room = width - report_columns_of(where);
    if (room < 8)
        snprintf(out, size, "%s", report_fit_place(where + 1, width, name, sizeof name));
    else
        snprintf(out, size, "%s%s", report_fit(report_procedure_name(r, &p, apart, sizeof apart), room, name, sizeof name), where);
    return room >= 8;
}

void report_text_place(const report *r, uint32_t line, uint32_t context, int width, char *out, size_t size) {
    (void)fit_text_place(r, line, context, width, out, size);
}

/* A row's place, to be told apart from those of other rows (report_cut_apart). */
static hsc_status name_place(const report *r, uint32_t line, uint32_t context, int width, report_named *out, hsc_err *err) {
    char where[1000], whole[1000];
    if (fit_text_place(r, line, context, width, where, sizeof where))
        (void)fit_text_place(r, line, context, sizeof whole, whole, sizeof whole);
    else
        report_call_text(r, line, whole, sizeof whole);
    return report_set_named(out, where, whole, err);
}

/* Columns for the longest of some names, so many at least and at most. */
static int widened(int columns, const char *name, int most) {
    int needed = report_columns_of(name);
    needed = needed < most ? needed : most;
    return needed > columns ? needed : columns;
}

static const char *without_mpi(const char *operation) { return strncmp(operation, "MPI_", 4) ? operation : operation + 4; }

/* "Waitall"; "start Send_init": what a persistent request moved, at the place where it was started. */
static const char *operation_text(const report_message *m, char *out, size_t size) {
    static const char end[] = "_init";
    const char *name = without_mpi(m->operation);
    size_t length = strlen(name), n = sizeof end - 1;
    bool persistent = length > n && !strcmp(name + length - n, end);
    snprintf(out, size, "%s%s", persistent && m->sent + m->received ? "start " : "", name);
    return out;
}

hsc_status report_text_messages(report *r, hsc_err *err) {
    report_message *rows;
    uint32_t n, shown = 0, most = report_text_rows(r, 4);
    double total = 0, rest = 0;
    char sent[16], received[16], mean[16], where[700], callers[1600], operation[100];
    report_named *places = NULL;
    hsc_status s = report_messages(r, false, &rows, &n, err);
    if (s)
        return s;
    int op_columns = 14;
    for (uint32_t i = 0; i < n; i++) {
        total += rows[i].duration_s;
        if (!most || i < most)
            op_columns = widened(op_columns, operation_text(&rows[i], operation, sizeof operation), 24);
    }
    uint32_t named = most && most < n ? most : n;
    const int columns = r->width - 51 - op_columns;
    if (!(places = calloc((size_t)named + 1, sizeof *places)))
        s = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < named && !s; i++)
        s = name_place(r, rows[i].line, rows[i].context, columns, &places[i], err);
    if (!s)
        s = report_cut_apart(places, named, columns, err);
    if (s) {
        report_free_named(places, named);
        free(rows);
        return s;
    }
    fprintf(r->out, "\nMessages: time in calls, by place and operation, all processors\n"
                    "  time s    %%   calls  sent  recv  size  max ms  %-*s place\n", op_columns, "operation");
    for (uint32_t i = 0; i < n; i++) {
        const report_message *m = &rows[i];
        if ((most && shown >= most) || (r->brief && m->duration_s < 0.01 * total)) {
            rest += m->duration_s;
            continue;
        }
        const char *place = places[shown++].text; /* the largest stand first: the first that are shown are the first rows */
        char op[64];
        report_fit_prose(operation_text(m, operation, sizeof operation), op_columns, op, sizeof op);
        fprintf(r->out, "%8.3f %4.0f %7llu %5s %5s %5s %7.*f  %-*s %s\n", m->duration_s,
                total > 0 ? 100 * m->duration_s / total : 0, (unsigned long long)m->calls,
                bytes((double)m->sent_bytes, sent, sizeof sent),
                bytes((double)m->received_bytes, received, sizeof received),
                bytes(report_message_size(m), mean, sizeof mean), m->duration_max_s < 9.9995 ? 2 : 0,
                1e3 * m->duration_max_s, op_columns, op, place);
        if (!r->brief && m->line != HSC_NONE && m->duration_s >= 0.005 * total && report_callers(r, m->line, m->operation, 4, callers, sizeof callers)[0])
            report_text_wrap(r->out, r->width, callers, 22, fprintf(r->out, "%15sby way of", "") + 1);
    }
    if (shown < n)
        fprintf(r->out, "%8.3f %4.0f  %s\n", rest, total > 0 ? 100 * rest / total : 0, report_text_more(r, n - shown, REPORT_MESSAGE, where, sizeof where));
    if (!n)
        fputs("  none\n", r->out);
    report_free_named(places, named);
    free(rows);
    return HSC_OK;
}

/* CPU time of threads that wait without sleeping, where none of libgomp's waits was timed. */
static void put_sampled_waiting(const report *r, hsc_weighted sum, int at) {
    char text[400], share[64];
    snprintf(text, sizeof text, "sampled only: %.3f s of CPU time, %s, of threads that wait in libgomp without sleeping (none of its waits was timed; those asleep are in no figure): --by=context --category=waiting",
             sum.sum * r->unit.scale, report_text_share(r, sum, share, sizeof share));
    report_text_wrap(r->out, r->width, text, 3, at);
}

static bool is_loop(const report *r, uint32_t context) {
    hsc_db_scope s;
    uint32_t scope = report_scope_of(r, context);
    return scope != HSC_NONE && !hsc_db_get_scope(r->db, scope, &s, NULL) && s.kind == HSC_SCOPE_LOOP;
}

/* A wait that another slice counted has 0.000 s; libraries' own are not shown. */
static bool is_hidden(const report_wait *w) { return !w->own || (!w->waits && w->total_s < 0.0005); }

/* Of `most` rows (0: all), of which `shown` are there. */
static bool is_in_rest(const report *r, const report_wait *w, uint32_t most, uint32_t shown, double total) {
    return (most && shown >= most) || (r->brief && w->total_s < 0.01 * total);
}

/* Places of the waits that are shown. */
static hsc_status name_waits(const report *r, const report_wait *rows, uint32_t n, uint32_t most, double total, int width, report_named **places, uint32_t *named, hsc_err *err) {
    hsc_status s = HSC_OK;
    *named = 0;
    if (!(*places = calloc((size_t)n + 1, sizeof **places)))
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n && !s; i++)
        if (!is_hidden(&rows[i]) && !is_in_rest(r, &rows[i], most, *named, total) && !(s = name_place(r, rows[i].line, rows[i].context, width, &(*places)[*named], err)))
            ++*named;
    return s ? s : report_cut_apart(*places, *named, width, err);
}

hsc_status report_text_waits(report *r, hsc_err *err) {
    report_named *places = NULL;
    report_wait *rows;
    uint32_t n, named = 0, shown = 0, hidden = 0, own = 0, most = report_text_rows(r, 4);
    double total = 0, rest = 0, libraries = 0;
    char amount[16], where[700], kind[64], call[64], times[32];
    hsc_status s = report_waits(r, false, &rows, &n, err);
    if (s)
        return s;
    hsc_weighted sampled;
    bool silent = report_is_openmp_silent(r, rows, n, &sampled) && sampled.sum >= 0.001 * r->total;
    int kind_columns = 18;
    for (uint32_t i = 0; i < n; i++) {
        *(rows[i].own ? &total : &libraries) += rows[i].total_s;
        if (rows[i].own && (!most || own < most))
            kind_columns = widened(kind_columns, report_wait_call_text(rows[i].kind_text, rows[i].column, kind, sizeof kind), 18 + r->width - 80);
        own += rows[i].own;
    }
    if (r->brief && (!own || total < 0.01 * r->info.wall_s)) { /* only what libraries' own threads sleep in, or next to nothing */
        if (own)
            fprintf(r->out, "\nWaiting outside message passing: %.3f s of elapsed time; %s\n", total, report_text_more(r, n, REPORT_WAIT, where, sizeof where));
        if (silent)
            put_sampled_waiting(r, sampled, fprintf(r->out, "\nWaiting,") - 1);
        free(rows);
        return HSC_OK;
    }
    if ((s = name_waits(r, rows, n, most, total, r->width - 48 - kind_columns, &places, &named, err))) {
        report_free_named(places, named);
        free(rows);
        return s;
    }
    fprintf(r->out, "\nWaiting: elapsed time blocked outside message passing, all processors\n"
                    "  time s    %%   waits mean ms  max ms bytes  %-*s place\n", kind_columns, "for");
    for (uint32_t i = 0; i < n; i++) {
        const report_wait *w = &rows[i];
        if (is_hidden(w)) {
            hidden++;
            continue;
        }
        if (is_in_rest(r, w, most, shown, total)) {
            rest += w->total_s;
            continue;
        }
        const char *place = places[shown++].text;
        report_fit_prose(report_wait_call_text(w->kind_text, w->column, call, sizeof call), kind_columns, kind, sizeof kind);
        double mean_s = w->waits ? w->total_s / (double)w->waits : 0;
        if (w->waits)
            snprintf(times, sizeof times, "%7.*f %7.*f", mean_s < 9.9995 ? 2 : 0, 1e3 * mean_s, w->max_s < 9.9995 ? 2 : 0, 1e3 * w->max_s);
        else
            snprintf(times, sizeof times, "%15s", "did not end");
        fprintf(r->out, "%8.3f %4.0f %7llu %s %5s  %-*s %s\n", w->total_s, total > 0 ? 100 * w->total_s / total : 0, (unsigned long long)w->waits, times,
                w->bytes ? bytes((double)w->bytes, amount, sizeof amount) : "", kind_columns, kind, place);
        if (w->holder_context != HSC_NONE && w->total_s >= 0.01 * total) {
            if (is_loop(r, w->holder_context))
                report_scope_text(r, report_scope_of(r, w->holder_context), HSC_NONE, r->width - 30, where, sizeof where);
            else
                report_text_place(r, HSC_NONE, w->holder_context, r->width - 30, where, sizeof where);
            fprintf(r->out, "%*s %s %s\n", 20, "", report_ended_by(w->kind), where);
        }
    }
    if (shown + hidden < n)
        fprintf(r->out, "%8.3f %4.0f  %s\n", rest, total > 0 ? 100 * rest / total : 0, report_text_more(r, n - hidden - shown, REPORT_WAIT, where, sizeof where));
    uint32_t threads;
    double idle_s = report_idle_waits(r, rows, n, &threads);
    if (idle_s >= 0.0005 && idle_s >= 0.01 * total)
        fprintf(r->out, "   Idle: %.3f s of it, in which %u thread%s for work that others do meanwhile\n", idle_s, threads, threads == 1 ? " waits" : "s wait");
    if (hidden && libraries >= 0.0005)
        fprintf(r->out, "   Not counted: %.3f s in which libraries' own threads wait (%u rows of CSV)\n", libraries, hidden);
    if (!n)
        fputs("  none timed\n", r->out);
    if (silent)
        put_sampled_waiting(r, sampled, fprintf(r->out, "  "));
    report_free_named(places, named);
    free(rows);
    return HSC_OK;
}

/* ---- refusals ---- */

static const char *reason_text(uint32_t reason) {
    const char *t = hsc_enum_text("reason", reason);
    return t ? t : "unknown reason";
}

static void put_loop(report *r, const report_refusal *x) {
    hsc_db_scope s, p = {.name = "?"};
    char name[500], apart[1000], where[200], line[900];
    if (hsc_db_get_scope(r->db, x->scope, &s, NULL))
        return;
    if (s.procedure != HSC_NONE)
        (void)hsc_db_get_scope(r->db, s.procedure, &p, NULL);
    report_scope_at(r, &s, where, sizeof where);
    fprintf(r->out, "   %9.*f %5.1f   %s  %s\n", r->decimals, x->scalar.sum * r->unit.scale,
            r->total > 0 ? 100 * x->scalar.sum / r->total : 0,
            report_fit(report_procedure_name(r, &p, apart, sizeof apart), r->width - 24 - report_columns_of(where), name, sizeof name), where);
    report_refusal_text(r, x, line, sizeof line);
    if (strcmp(line, reason_text(x->reason)) != 0) /* else the group's head says it all */
        report_text_wrap(r->out, r->width, line, 24, fprintf(r->out, "%21s", ""));
    char hint[REPORT_HINT_BYTES];
    if (*report_hint(r, x, hint, sizeof hint))
        report_text_wrap(r->out, r->width, hint, 24, fprintf(r->out, "%22s->", ""));
}

/* One paragraph: the reasons with what their loops take; the loops themselves stand in the table of loops. */
static void brief_reasons(report *r, const report_reason *reasons, uint32_t n) {
    char text[1600], more[80], share[80];
    size_t at = 0;
    uint32_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i >= 4 || (i && reasons[i].scalar.sum < 0.005 * r->total)) {
            left += reasons[i].loops;
            continue;
        }
        int k = snprintf(text + at, sizeof text - at, "%s%s %s%s, %u loop%s", at ? "; " : "", reason_text(reasons[i].reason), reasons[i].called.sum > 0 ? "up to " : "",
                         report_text_share(r, reasons[i].scalar, share, sizeof share), reasons[i].loops, reasons[i].loops == 1 ? "" : "s");
        at += k > 0 && (size_t)k < sizeof text - at ? (size_t)k : 0;
    }
    snprintf(text + at, sizeof text - at, "%s%s", left ? "; " : ": --by=reason", left ? report_text_more(r, left, REPORT_REASON, more, sizeof more) : "");
    report_text_wrap(r->out, r->width, text, 3, fprintf(r->out, "\nVectorisation refused, of all %s:", report_text_measure(r)) - 1);
}

hsc_status report_text_reasons(report *r, hsc_err *err) {
    report_refusal *rows;
    report_reason reasons[REPORT_REASONS];
    uint32_t n;
    char text[128];
    hsc_status s = report_refusals(r, true, &rows, &n, err);
    if (s)
        return s;
    uint32_t count = report_sum_reasons(rows, n, reasons);
    if (r->brief && (!n || !r->top_given)) {
        if (n)
            brief_reasons(r, reasons, count);
        free(rows);
        return HSC_OK;
    }
    fprintf(r->out,
            "\nVectorisation refused or not tried: time in the loops, vector bodies left out;\nof calls at most that, with what is called\n   %9s %5s  %-19s reason, loops\n",
            r->unit.unit[0] ? r->unit.unit : "count", "%", "95 % interval");
    if (!n)
        fputs("   none\n", r->out);
    for (uint32_t k = 0; k < count; k++) {
        const report_reason *x = &reasons[k];
        double low, high;
        report_interval(r, x->scalar, &low, &high);
        fprintf(r->out, "   %9.*f %5.1f  %7.*f to %8.*f  %s, %u\n", r->decimals, x->scalar.sum * r->unit.scale,
                r->total > 0 ? 100 * x->scalar.sum / r->total : 0, r->decimals, low * r->unit.scale, r->decimals, high * r->unit.scale,
                report_fit_prose(reason_text(x->reason), r->width - 47 - snprintf(NULL, 0, ", %u", x->loops), text, sizeof text), x->loops);
        uint32_t of_reason = 0, most = r->top ? r->top : n;
        for (uint32_t i = 0; i < n && of_reason < most; i++)
            if (rows[i].reason % REPORT_REASONS == x->reason) {
                put_loop(r, &rows[i]);
                of_reason++;
            }
    }
    free(rows);
    return HSC_OK;
}

/* Whether rows that were counted have anything in the interval that is set. */
static bool has_rows(const report *r, report_by by) {
    hsc_db_message m;
    hsc_db_wait w;
    hsc_db_delay d;
    hsc_db_visit v;
    bool any = false;
    for (uint32_t i = 0; by == REPORT_MESSAGE && i < r->info.messages && !any; i++)
        any = !hsc_db_get_message(r->db, i, &m, NULL) && m.calls;
    for (uint32_t i = 0; by == REPORT_WAIT && i < r->info.waits && !any; i++)
        any = !hsc_db_get_wait(r->db, i, &w, NULL) && (w.waits || w.total_s > 0);
    for (uint32_t i = 0; by == REPORT_CAUSE && i < r->info.delays && !any; i++)
        any = !hsc_db_get_delay(r->db, i, &d, NULL) && d.wait_s > 0;
    for (uint32_t i = 0; by == REPORT_PROBE && i < hsc_db_count_told(r->db, HSC_TOLD_VISITS) && !any; i++)
        any = !hsc_db_get_visit(r->db, i, &v, NULL) && (v.visits || v.exclusive_s > 0);
    return any;
}

hsc_status report_text_exact(report *r, hsc_status (*const *tables)(report *, hsc_err *), hsc_err *err) {
    static const report_by order[] = {REPORT_MESSAGE, REPORT_CAUSE, REPORT_WAIT, REPORT_PROBE};
    hsc_status status = HSC_OK;
    r->brief = true;
    for (size_t i = 0; i < sizeof order / sizeof *order && !status; i++)
        if (has_rows(r, order[i]))
            status = tables[order[i]](r, err);
    return status;
}

static int by_begin(const void *a, const void *b) {
    double x = ((const hsc_db_process *)a)->begin_s, y = ((const hsc_db_process *)b)->begin_s;
    return (x > y) - (x < y);
}

double report_text_idle(const report *r) {
    uint32_t n = 0;
    double idle = 0, until = 0;
    hsc_db_process *list = malloc((r->info.processes + 1) * sizeof *list);
    for (uint32_t k = 0; list && k < r->info.processes; k++)
        n += !hsc_db_get_process(r->db, k, &list[n], NULL);
    if (n)
        qsort(list, n, sizeof *list, by_begin);
    for (uint32_t k = 0; k < n; k++) {
        if (k && list[k].begin_s > until)
            idle += list[k].begin_s - until;
        until = k && list[k].end_s < until ? until : list[k].end_s;
    }
    free(list);
    return idle;
}
