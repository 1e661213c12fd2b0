/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes, calls, time, waiting and packing by array. */
#include "report_arrays.h"
#include "report_causes.h"
#include "report_groups.h"
#include "report_measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/causes.h>
#include <heatscope/formats/linkage.h>

#define BUFFERS 8 /* of a call */

typedef struct buffer {
    uint32_t array, role;
} buffer;

typedef struct sums { /* of all arrays */
    report *r;
    report_array *list;
    uint32_t n, room;
    uint32_t *row_of;          /* by array: row of list + 1 */
    report_handed *calls;
    uint32_t *handed;          /* by dummy argument: whose array it was in the calls that were counted; itself: in some not known, or not the same one; HSC_NONE: none yet */
    uint64_t *packed;          /* array row << 32 | loop, counted already */
    uint32_t packed_n, packed_room;
    struct by_thread *by_thread;
    size_t by_thread_n, by_thread_room;
} sums;

typedef struct by_thread { /* of an array's mpi_s */
    uint32_t row, thread;
    double seconds;
} by_thread;

static hsc_status no_memory(const report *r, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
}

static report_array *row_of(sums *s, uint32_t array) {
    uint32_t *at = &s->row_of[array == HSC_NONE ? s->r->info.arrays : array];
    if (!*at) {
        if (s->n == s->room) {
            uint32_t room = s->room ? 2 * s->room : 16;
            report_array *list = realloc(s->list, room * sizeof *list);
            if (!list)
                return NULL;
            s->list = list;
            s->room = room;
        }
        s->list[s->n] = (report_array){.array = array, .named = array, .named_s = -1, .caller = HSC_NONE};
        *at = ++s->n;
    }
    return &s->list[*at - 1];
}

/* Adds seconds in a thread's calls. */
static bool add_seconds(sums *s, report_array *a, uint32_t thread, double seconds) {
    if (s->by_thread_n == s->by_thread_room) {
        size_t room = 2 * s->by_thread_room + 64;
        by_thread *more = realloc(s->by_thread, room * sizeof *more);
        if (!more)
            return false;
        s->by_thread = more;
        s->by_thread_room = room;
    }
    a->mpi_s += seconds;
    s->by_thread[s->by_thread_n++] = (by_thread){(uint32_t)(a - s->list), thread, seconds};
    return true;
}

static int by_row_and_thread(const void *a, const void *b) {
    const by_thread *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

static void settle_threads(sums *s) {
    if (s->by_thread_n)
        qsort(s->by_thread, s->by_thread_n, sizeof *s->by_thread, by_row_and_thread);
    for (size_t i = 0, next; i < s->by_thread_n; i = next) {
        double seconds = 0;
        for (next = i; next < s->by_thread_n && !by_row_and_thread(&s->by_thread[i], &s->by_thread[next]); next++)
            seconds += s->by_thread[next].seconds;
        report_over_add(s->r->db, &s->r->pool, &s->list[s->by_thread[i].row].over, s->by_thread[i].thread, seconds);
    }
}

static bool is_buffer(uint32_t role) {
    return role == HSC_mpi_role_SEND_BUFFER || role == HSC_mpi_role_RECEIVE_BUFFER || role == HSC_mpi_role_BUFFER;
}

static unsigned buffers_of(const report *r, uint32_t site, buffer *out) {
    uint32_t first, n;
    unsigned count = 0;
    if (hsc_db_find(r->db, HSC_LIST_MPI_ARGUMENTS, site, &first, &n, NULL))
        return 0;
    for (uint32_t i = first; i < first + n && count < BUFFERS; i++) {
        hsc_db_mpi_argument a;
        if (!hsc_db_get_mpi_argument(r->db, i, &a, NULL) && is_buffer(a.role) && a.array != HSC_NONE)
            out[count++] = (buffer){a.array, a.role};
    }
    return count;
}

/* The call of this operation on the line, in the instance that the context is of; of several the first. HSC_NONE: not in the map. */
static uint32_t site_of(const report *r, uint32_t line, uint32_t context, const char *operation) {
    report_calls_at at;
    if (!report_find_calls(r, line, context, &at))
        return HSC_NONE;
    for (uint32_t i = at.first; i < at.first + at.n; i++) {
        hsc_db_mpi_site s;
        if (report_is_call_of(r, &at, i) && !hsc_db_get_mpi_site(r->db, i, &s, NULL) && (!operation || !strcmp(s.operation, operation)))
            return i;
    }
    return HSC_NONE;
}

/* Buffers of the persistent operations of that name (NULL: of any) that a call on the line starts, as far as that is known best. */
static unsigned started(const report *r, uint32_t line, uint32_t context, const char *operation, buffer *out) {
    uint32_t links = hsc_db_count(r->db, HSC_LIST_MPI_LINKS), best = 0;
    unsigned count = 0;
    report_calls_at at;
    if (!report_find_calls(r, line, context, &at))
        return 0;
    for (uint32_t i = 0; i < 2 * links; i++) { /* twice: how well it is known; which */
        hsc_db_mpi_link l;
        hsc_db_mpi_site s;
        buffer b[BUFFERS];
        if (hsc_db_get_mpi_link(r->db, i % links, &l, NULL) || l.kind != HSC_link_kind_STARTS || !report_is_call_of(r, &at, l.other) ||
            hsc_db_get_mpi_site(r->db, l.site, &s, NULL) || (operation && strcmp(s.operation, operation)))
            continue;
        if (i < links)
            best = l.confidence > best ? l.confidence : best;
        for (unsigned k = 0, of = i >= links && l.confidence == best ? buffers_of(r, l.site, b) : 0; k < of && count < BUFFERS; k++)
            out[count++] = b[k];
    }
    return count;
}

/* Of one call's buffers, which share is this one's: by what is sent from and received into it. */
static void shares(const buffer *b, unsigned n, double sent, double received, double *out) {
    double all = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned senders = 0, receivers = 0;
        for (unsigned k = 0; k < n; k++) {
            senders += b[k].role != HSC_mpi_role_RECEIVE_BUFFER;
            receivers += b[k].role != HSC_mpi_role_SEND_BUFFER;
        }
        out[i] = (b[i].role != HSC_mpi_role_RECEIVE_BUFFER ? sent / senders : 0) +
                 (b[i].role != HSC_mpi_role_SEND_BUFFER ? received / receivers : 0);
        all += out[i];
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = all > 0 ? out[i] / all : 1.0 / n;
}

static uint64_t part(uint64_t bytes, unsigned index, unsigned of) { /* all parts add up */
    return bytes / of + (index < bytes % of);
}

/* Is an earlier buffer of the call of the same array? */
static bool is_repeated(const buffer *b, unsigned i, const uint32_t *first_of) {
    for (unsigned k = 0; k < i; k++)
        if (first_of[b[k].array] == first_of[b[i].array])
            return true;
    return false;
}

/* The caller's arrays in place of dummy arguments, as far as the path of calls tells. */
static void follow(sums *s, buffer *b, unsigned n, uint32_t context) {
    for (unsigned i = 0; i < n; i++) {
        uint32_t of = report_handed_array(s->calls, b[i].array, context), *known = &s->handed[b[i].array];
        *known = *known == HSC_NONE || *known == of ? of : b[i].array;
        b[i].array = of;
    }
}

/* The same where the path is not that of the call that has the buffers: what it was in all calls. */
static void follow_all(const sums *s, buffer *b, unsigned n, uint32_t context) {
    for (unsigned i = 0; i < n; i++) {
        uint32_t of = report_handed_array(s->calls, b[i].array, context), known = s->handed[b[i].array];
        b[i].array = of == b[i].array && known != HSC_NONE ? known : of;
    }
}

/* m: of the interval; w: of the whole run, which says which arrays they are and how they are shared, so that intervals add up. */
static bool add_message(sums *s, const uint32_t *first_of, const hsc_db_message *m, const hsc_db_message *w, bool is_new_place) {
    buffer b[BUFFERS];
    double share[BUFFERS];
    uint32_t site = site_of(s->r, m->line, m->context, m->operation);
    bool starts = m->kind == HSC_operation_class_START; /* what it starts is counted on its line, under the name of the call that made it */
    unsigned n = site == HSC_NONE || starts ? 0 : buffers_of(s->r, site, b), senders = 0, receivers = 0, sender = 0, receiver = 0;
    n = n ? n : started(s->r, m->line, m->context, starts ? NULL : m->operation, b);
    double seconds = m->duration_s + m->completion_s, whole_s = w->duration_s + w->completion_s;
    follow(s, b, n, m->context);
    if (!n) {
        report_array *a = w->sent_bytes + w->received_bytes ? row_of(s, HSC_NONE) : NULL;
        if (a) {
            a->run_calls += w->calls;
            a->run_mpi_s += whole_s;
            a->calls += m->calls;
            a->sent_bytes += m->sent_bytes;
            a->received_bytes += m->received_bytes;
            a->places += is_new_place;
            a->share_s += seconds;
            return add_seconds(s, a, m->thread, seconds);
        }
        return !(w->sent_bytes + w->received_bytes);
    }
    for (unsigned i = 0; i < n; i++) {
        senders += b[i].role != HSC_mpi_role_RECEIVE_BUFFER;
        receivers += b[i].role != HSC_mpi_role_SEND_BUFFER;
    }
    shares(b, n, (double)w->sent_bytes, (double)w->received_bytes, share);
    for (unsigned i = 0; i < n; i++) {
        report_array *a = row_of(s, first_of[b[i].array]);
        if (!a)
            return false;
        if (!is_repeated(b, i, first_of)) { /* a call is one call of an array, whatever its buffers are */
            a->calls += starts ? 0 : m->calls;
            a->run_calls += starts ? 0 : w->calls;
            a->run_mpi_s += whole_s;
            a->places += is_new_place && !starts;
            if (!add_seconds(s, a, m->thread, seconds))
                return false;
        }
        a->share_s += share[i] * seconds;
        if (whole_s > a->named_s) {
            a->named = b[i].array;
            a->named_s = whole_s;
            a->caller = report_context_procedure(s->r, w->context);
        }
        /* a receive's part of what nobody receives into (in place), and the other way round, goes to the first */
        if (senders ? b[i].role != HSC_mpi_role_RECEIVE_BUFFER : !i)
            a->sent_bytes += part(m->sent_bytes, sender++, senders ? senders : 1);
        if (receivers ? b[i].role != HSC_mpi_role_SEND_BUFFER : !i)
            a->received_bytes += part(m->received_bytes, receiver++, receivers ? receivers : 1);
    }
    return true;
}

static bool waits_for(uint32_t kind, uint32_t role) {
    return kind == HSC_wait_cause_LATE_SENDER     ? role != HSC_mpi_role_SEND_BUFFER
           : kind == HSC_wait_cause_LATE_RECEIVER ? role != HSC_mpi_role_RECEIVE_BUFFER
                                                  : true;
}

/* Buffers that a call on this line waits for: its own, else those of the calls that it completes. */
static unsigned awaited(const report *r, uint32_t line, uint32_t context, uint32_t kind, buffer *out) {
    buffer b[BUFFERS];
    uint32_t links = hsc_db_count(r->db, HSC_LIST_MPI_LINKS);
    unsigned count = 0;
    report_calls_at at;
    if (!report_find_calls(r, line, context, &at))
        return 0;
    for (uint32_t i = at.first; i < at.first + at.n; i++)
        for (unsigned k = 0, of = report_is_call_of(r, &at, i) ? buffers_of(r, i, b) : 0; k < of && count < BUFFERS; k++)
            if (waits_for(kind, b[k].role))
                out[count++] = b[k];
    if (!count) { /* of what it starts; else of what it completes */
        for (unsigned k = 0, of = started(r, line, context, NULL, b); k < of; k++)
            if (waits_for(kind, b[k].role))
                out[count++] = b[k];
    }
    for (uint32_t i = 0, own = count; !own && i < links; i++) {
        hsc_db_mpi_link l;
        if (hsc_db_get_mpi_link(r->db, i, &l, NULL) || l.kind != HSC_link_kind_WAIT || !report_is_call_of(r, &at, l.other))
            continue;
        for (unsigned k = 0, of = buffers_of(r, l.site, b); k < of && count < BUFFERS; k++)
            if (waits_for(kind, b[k].role))
                out[count++] = b[k];
    }
    return count;
}

/* Has a call on this line a buffer, though it is not known which? */
static bool has_unknown_buffer(const report *r, uint32_t line, uint32_t context) {
    uint32_t first_argument, arguments;
    hsc_db_mpi_argument a;
    report_calls_at at;
    if (!report_find_calls(r, line, context, &at))
        return false;
    for (uint32_t i = at.first; i < at.first + at.n; i++)
        for (uint32_t k = !report_is_call_of(r, &at, i) || hsc_db_find(r->db, HSC_LIST_MPI_ARGUMENTS, i, &first_argument, &arguments, NULL) ? arguments = 0 : 0; k < arguments; k++)
            if (!hsc_db_get_mpi_argument(r->db, first_argument + k, &a, NULL) && is_buffer(a.role) && a.array == HSC_NONE)
                return true;
    return false;
}

/* Of v the waiting in the interval; run_s: in the whole run. */
static bool add_waiting(sums *s, const uint32_t *first_of, const hsc_db_delayed *v, uint32_t kind, double run_s) {
    buffer b[BUFFERS];
    uint32_t first, sites, line = v->line, begun = v->begun;
    double seconds = v->wait_s;
    if (begun != HSC_NONE && !hsc_db_find(s->r->db, HSC_LIST_MPI_SITES, begun, &first, &sites, NULL) && sites)
        line = begun;
    bool of_message = kind == HSC_wait_cause_LATE_SENDER || kind == HSC_wait_cause_LATE_RECEIVER;
    unsigned n = hsc_cause_is_of_threads(kind) || kind == HSC_wait_cause_BARRIER
                     ? 0
                     : awaited(s->r, line, v->context, kind, b);
    follow_all(s, b, n, v->context);
    unsigned called = 0; /* what no call was measured of is waited for by none: a completion may be of calls that this run did not make */
    for (unsigned i = 0; i < n; i++) {
        uint32_t row = s->row_of[first_of[b[i].array]];
        if (row && s->list[row - 1].run_calls)
            b[called++] = b[i];
    }
    n = called ? called : n;
    bool of_data = of_message || kind == HSC_wait_cause_COLLECTIVE || kind == HSC_wait_cause_LATE_ROOT || kind == HSC_wait_cause_LATE_MEMBER;
    if (!n && of_data && (of_message || has_unknown_buffer(s->r, line, v->context))) {
        report_array *a = row_of(s, HSC_NONE);
        if (!a)
            return false;
        a->waiting_share_s += seconds;
        a->waiting_s += seconds;
        a->run_waiting_s += run_s;
    }
    for (unsigned i = 0; i < n; i++) {
        report_array *a = row_of(s, first_of[b[i].array]);
        if (!a)
            return false;
        a->waiting_share_s += seconds / n;
        if (!is_repeated(b, i, first_of)) {
            a->waiting_s += seconds;
            a->run_waiting_s += run_s;
        }
    }
    return true;
}

/* Loops that fill or read a buffer; a loop counts once for an array. */
static bool add_packing(sums *s, const uint32_t *first_of) {
    uint32_t links = hsc_db_count(s->r->db, HSC_LIST_MPI_LINKS);
    for (uint32_t i = 0; i < links; i++) {
        hsc_db_mpi_link l;
        buffer b[BUFFERS];
        if (hsc_db_get_mpi_link(s->r->db, i, &l, NULL) || l.scope >= s->r->info.scopes ||
            (l.kind != HSC_link_kind_PACK_LOOP && l.kind != HSC_link_kind_UNPACK_LOOP))
            continue;
        bool packs = l.kind == HSC_link_kind_PACK_LOOP, known = false;
        unsigned n = buffers_of(s->r, l.site, b);
        follow_all(s, b, n, HSC_NONE);
        for (unsigned k = 0; k < n; k++) {
            if (b[k].role == (packs ? HSC_mpi_role_RECEIVE_BUFFER : HSC_mpi_role_SEND_BUFFER))
                continue;
            uint64_t key = ((uint64_t)first_of[b[k].array] << 1 | packs) << 31 | l.scope;
            uint32_t row = s->row_of[first_of[b[k].array]];
            if (row)
                *(packs ? &s->list[row - 1].packs : &s->list[row - 1].unpacks) = true;
            for (uint32_t at = 0; at < s->packed_n; at++)
                known = known || s->packed[at] == key;
            if (known || s->r->own[l.scope] <= 0)
                break;
            if (s->packed_n == s->packed_room) {
                uint32_t room = s->packed_room ? 2 * s->packed_room : 64;
                uint64_t *more = realloc(s->packed, room * sizeof *more);
                if (!more)
                    return false;
                s->packed = more;
                s->packed_room = room;
            }
            s->packed[s->packed_n++] = key;
            report_array *a = row_of(s, first_of[b[k].array]);
            if (!a)
                return false;
            *(packs ? &a->packing : &a->unpacking) += s->r->own[l.scope];
            *(packs ? &a->packs : &a->unpacks) = true;
            break; /* a loop fills one buffer */
        }
    }
    return true;
}

static int most_bytes(const void *a, const void *b) {
    const report_array *x = a, *y = b;
    uint64_t of_x = x->sent_bytes + x->received_bytes, of_y = y->sent_bytes + y->received_bytes;
    if ((x->array == HSC_NONE) != (y->array == HSC_NONE))
        return x->array == HSC_NONE ? 1 : -1;
    return of_x != of_y ? (of_x > of_y ? -1 : 1) : (x->array > y->array) - (x->array < y->array);
}

typedef struct place {
    uint32_t line, message;
    const char *operation;
} place;

static int by_place(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    int c = strcmp(x->operation, y->operation);
    return c ? c : (x->message > y->message) - (x->message < y->message);
}

static hsc_status add_all(sums *s, const uint32_t *first_of, place *places, hsc_err *err) {
    report *r = s->r;
    uint32_t n = 0;
    hsc_db_message m, whole;
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; !status && i < r->info.messages; i++) {
        status = hsc_db_get_message_whole(r->db, i, &m, err);
        if (!status && m.kind != HSC_operation_class_COMPLETION && (m.calls || m.completions)) /* their time is with those that they complete */
            places[n++] = (place){m.line, i, m.operation};
    }
    if (!status)
        qsort(places, n, sizeof *places, by_place);
    for (uint32_t i = 0, is_new = true; !status && i < n; i++) {
        is_new = is_new || places[i].line != places[i - 1].line || strcmp(places[i].operation, places[i - 1].operation);
        if (!(status = hsc_db_get_message(r->db, places[i].message, &m, err)))
            status = hsc_db_get_message_whole(r->db, places[i].message, &whole, err);
        bool is_there = !status && (m.calls || m.completions); /* in the interval */
        if (!status && !add_message(s, first_of, &m, &whole, is_new && is_there))
            status = no_memory(r, err);
        is_new = is_new && !is_there;
    }
    for (uint32_t i = 0; !status && i < r->info.delayed; i++) {
        hsc_db_delayed v, run;
        hsc_db_delay d;
        if (!(status = hsc_db_get_delayed(r->db, i, &v, err)) && !(status = hsc_db_get_delayed_whole(r->db, i, &run, err)) &&
            !(status = hsc_db_get_delay(r->db, v.delay, &d, err)) && !add_waiting(s, first_of, &v, d.kind, run.wait_s))
            status = no_memory(r, err);
    }
    if (!status && !add_packing(s, first_of))
        status = no_memory(r, err);
    return status;
}

/* A call that completes several has its time divided among them, though it waited for one: in the run its array has the waits at least. Of what is
 * missing an interval has its part, that of the waits: so intervals add up. A wait and its call may be in two of them. */
static void raise_to_waits(report_array *a) {
    if (a->run_waiting_s > a->run_mpi_s)
        a->mpi_s += (a->run_waiting_s - a->run_mpi_s) * (a->waiting_s / a->run_waiting_s);
}

static bool has_any(const report_array *a) {
    return a->calls || a->sent_bytes || a->received_bytes || a->mpi_s > 0 || a->waiting_s > 0 || a->packing > 0 || a->unpacking > 0;
}

hsc_status report_arrays(report *r, report_array **rows, uint32_t *n, hsc_err *err) {
    sums s = {.r = r, .row_of = calloc((size_t)r->info.arrays + 1, sizeof *s.row_of)};
    uint32_t *first_of = malloc(((size_t)r->info.arrays + 1) * sizeof *first_of);
    s.handed = malloc(((size_t)r->info.arrays + 1) * sizeof *s.handed);
    for (uint32_t i = 0; s.handed && i < r->info.arrays; i++)
        s.handed[i] = HSC_NONE;
    place *places = malloc(((size_t)r->info.messages + 1) * sizeof *places);
    hsc_status status = s.row_of && s.handed && first_of && places ? report_first_arrays(r, first_of, err) : no_memory(r, err);
    if (!status)
        status = report_handed_open(r, &s.calls, err);
    if (!status && r->info.mpi_sites)
        status = add_all(&s, first_of, places, err);
    settle_threads(&s);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s.n; i++) {
        raise_to_waits(&s.list[i]);
        if (has_any(&s.list[i])) /* in the interval */
            s.list[kept++] = s.list[i];
    }
    s.n = kept;
    free(s.by_thread);
    free(s.row_of);
    free(s.handed);
    report_handed_close(s.calls);
    free(s.packed);
    free(first_of);
    free(places);
    if (status) {
        free(s.list);
        return status;
    }
    if (s.n)
        qsort(s.list, s.n, sizeof *s.list, most_bytes);
    *rows = s.list;
    *n = s.n;
    return HSC_OK;
}

/* One dimension of the bounds, from..end: what is its own lower bound or size, or is not known, is left out: ":", "0:", "2 : n". */
static size_t put_dimension(const char *from, const char *end, char *out, size_t size) {
    const char *colon = NULL;
    int depth = 0;
    for (const char *p = from; p < end; p++) {
        depth += (*p == '(') - (*p == ')');
        colon = *p == ':' && !depth && !colon ? p : colon;
    }
    size_t n = (size_t)(end - from), lower = colon ? (size_t)(colon - from) : 0;
    bool own = n > 7 && !strncmp(from, "lbound(", 7), no_lower = !colon || own || memchr(from, '?', lower), no_upper = own || memchr(from + lower, '?', n - lower);
    while (lower && from[lower - 1] == ' ')
        lower--;
    int k = !no_upper && no_lower && colon ? snprintf(out, size, "%.*s", (int)(end - colon), colon)
            : !no_upper                    ? snprintf(out, size, "%.*s", (int)n, from)
                                           : snprintf(out, size, "%.*s:", no_lower ? 0 : (int)lower, from);
    return k > 0 && (size_t)k < size ? (size_t)k : 0;
}

/* "(lbound(a, 1) : lbound(a, 1) + size(a, 1) - 1, 5)", as of an assumed-shape array, or "(?, 5)", of which nothing is known: "(:, 5)". */
static const char *plain_bounds(const char *bounds, char *out, size_t size) {
    size_t to = 1;
    int depth = 0;
    if (bounds[0] != '(' || !strpbrk(bounds, "?l") || size < 8)
        return bounds;
    out[0] = '(';
    for (const char *p = bounds + 1, *from = p; *p && to + 4 < size; p++) {
        if (!depth && (*p == ',' || *p == ')')) {
            to += put_dimension(from, p, out + to, size - to - 3);
            out[to++] = *p;
            if (*p == ')')
                break;
            out[to++] = ' ';
            for (from = p + 1; *from == ' ';)
                from++;
        }
        depth += (*p == '(') - (*p == ')');
    }
    out[to] = 0;
    return out;
}

void report_array_text(const report *r, uint32_t array, char *out, size_t size) {
    hsc_db_array a, up;
    snprintf(out, size, "what is not known");
    if (array == HSC_NONE || hsc_db_get_array(r->db, array, &a, NULL))
        return;
    char bounds[400];
    a.bounds = plain_bounds(a.bounds, bounds, sizeof bounds);
    if (!a.bounds[strspn(a.bounds, "(:, )")])
        a.bounds = ""; /* they are those of its descriptor */
    if (!strcmp(a.bounds, "[?]"))
        a.bounds = "[]"; /* what a pointer points to */
    if (a.parent != HSC_NONE && !hsc_db_get_array(r->db, a.parent, &up, NULL) && up.name[0] && !strstr(a.name, up.name))
        snprintf(out, size, "%s.%s%s", up.name, a.name, a.bounds);
    else
        snprintf(out, size, "%s%s", a.name[0] ? a.name : "(no name)", a.bounds);
}

#define SCALAR_BYTES 16.0 /* of a complex number */

/* No bounds and no more bytes a call than a number has for each rank: without debug information arrays have no bounds either. */
static bool is_scalar(const report *r, const report_array *x) {
    hsc_db_array a;
    double most = SCALAR_BYTES * (double)x->calls * (r->info.processes ? r->info.processes : 1);
    return x->array != HSC_NONE && !hsc_db_get_array(r->db, x->named, &a, NULL) && !a.bounds[0] && !strchr(a.type, '*') && !strchr(a.type, '[') &&
           (double)(x->sent_bytes + x->received_bytes) <= most;
}

/* Does the compiler know of a name? */
static bool is_named(const report *r, uint32_t array) {
    char name[300];
    report_array_text(r, array, name, sizeof name);
    return array != HSC_NONE && name[strspn(name, "?[]()")] && strncmp(name, "(no name)", 9);
}

/* Does another procedure have an array of that name? */
static bool has_namesake(const report *r, const hsc_db_array *a) {
    hsc_db_array other;
    for (uint32_t i = 0; i < r->info.arrays && !hsc_db_get_array(r->db, i, &other, NULL); i++)
        if (other.scope != a->scope && other.scope != HSC_NONE && !strcmp(other.name, a->name))
            return true;
    return false;
}

bool report_is_member(const hsc_db_array *a) { return strstr(a->name, "->") || (a->name[0] && strchr(a->name + 1, '.')); }

uint32_t report_array_procedure(const report *r, const report_array *x) {
    hsc_db_array a;
    if (x->named == HSC_NONE || hsc_db_get_array(r->db, x->named, &a, NULL))
        return HSC_NONE;
    return a.identity && x->caller != HSC_NONE && a.scope != HSC_NONE && !report_has_run(r, a.scope) ? x->caller : a.scope;
}

/* " of sweep" behind an array of which no line is known, as other procedures may have one of the same name, or of which others have one. */
static void owner_text(const report *r, const report_array *x, char *out, size_t size) {
    char fitted[200];
    uint32_t array = x->named;
    hsc_db_array a;
    hsc_db_scope s;
    out[0] = 0;
    if (!hsc_db_get_array(r->db, array, &a, NULL) && a.scope != HSC_NONE && (a.file == HSC_NONE || !a.line || has_namesake(r, &a)) &&
        !hsc_db_get_scope(r->db, report_array_procedure(r, x), &s, NULL))
        snprintf(out, size, report_is_member(&a) ? ", in %s," : " of %s", report_fit(s.name, 60, fitted, sizeof fitted)); /* without a list of parameters */
    else if (array != HSC_NONE && a.scope == HSC_NONE && !a.line && a.symbol && hsc_linkage_fortran_module(a.symbol))
        snprintf(out, size, " of module %.*s", (int)hsc_linkage_fortran_module(a.symbol), a.symbol + 3);
}

/* "Array u(:, 5)", "The single value 'x'" of what has no bounds; of memory that has no name the compiler knows of: "A buffer without a name". */
static void main_text(const report *r, const report_array *x, char *out, size_t size) {
    char name[300], owner[120];
    report_array_text(r, x->named, name, sizeof name);
    owner_text(r, x, owner, sizeof owner);
    if (is_named(r, x->named))
        snprintf(out, size, is_scalar(r, x) ? "The single value '%s'%s" : "Array %s%s", name, owner);
    else
        snprintf(out, size, "A buffer without a name%s", owner);
}

/* Is the array still the dummy argument in a call of this context? */
static bool is_handed_on(const report *r, const report_handed *calls, const report_array *x, const hsc_db_message *m) {
    buffer b[BUFFERS];
    uint32_t site = site_of(r, m->line, m->context, m->operation);
    unsigned n = site == HSC_NONE ? 0 : buffers_of(r, site, b);
    for (unsigned i = 0; i < n; i++)
        if ((b[i].array == x->named || b[i].array == x->array) && report_handed_array(calls, b[i].array, m->context) == b[i].array)
            return true;
    return false;
}

hsc_status report_array_ways(const report *r, const report_array *x, unsigned most, char *out, size_t size, hsc_err *err) {
    report_handed *calls = NULL;
    hsc_db_array a;
    size_t n = 0;
    out[0] = 0;
    if (x->named == HSC_NONE || hsc_db_get_array(r->db, x->named, &a, NULL) || !a.argument)
        return HSC_OK;
    report_way *ways = malloc(((size_t)r->info.messages + 1) * sizeof *ways);
    hsc_status status = ways ? report_handed_open(r, &calls, err) : no_memory(r, err);
    for (uint32_t i = 0; !status && i < r->info.messages; i++) {
        hsc_db_message m;
        if (!(status = hsc_db_get_message(r->db, i, &m, err)) && is_handed_on(r, calls, x, &m))
            ways[n++] = (report_way){m.context, m.duration_s + m.completion_s};
    }
    if (!status)
        report_ways_text(r, ways, n, most, out, size);
    report_handed_close(calls);
    free(ways);
    return status;
}

/* Seconds that the program's own calls of message passing waited for late ones, of arrays and of none (fences, barriers). */
static hsc_status waited_in_all(report *r, double *seconds, hsc_err *err) {
    report_delayed *rows;
    uint32_t n;
    hsc_status status = report_delayed_list(r, &rows, &n, err);
    *seconds = 0;
    for (uint32_t i = 0; !status && i < n; i++)
        *seconds += rows[i].own && !hsc_cause_is_of_threads(rows[i].d.kind) ? rows[i].v.wait_s : 0;
    if (!status)
        free(rows);
    return status;
}

hsc_status report_main_array(report *r, char *out, size_t size, uint32_t *scope, uint32_t *file, uint32_t *line, double *seconds, hsc_err *err) {
    report_array *rows;
    uint32_t n;
    double bytes = 0, known = 0, waited = 0;
    char name[460];
    hsc_db_array a;
    out[0] = 0;
    hsc_status status = waited_in_all(r, &waited, err);
    if (!status)
        status = report_arrays(r, &rows, &n, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < n; i++) {
        bytes += (double)(rows[i].sent_bytes + rows[i].received_bytes);
        known += rows[i].array != HSC_NONE ? (double)(rows[i].sent_bytes + rows[i].received_bytes) : 0;
    }
    bool any_named = false;
    double unnamed_bytes = 0; /* of the row that has most of them */
    for (uint32_t i = 0; i < n; i++)
        if (is_named(r, rows[i].named))
            any_named = true;
        else
            unnamed_bytes = fmax(unnamed_bytes, (double)(rows[i].sent_bytes + rows[i].received_bytes));
    const report_array *x = NULL, *most = NULL; /* with most waiting, then time, then bytes; with most bytes */
    double waiting = 0, nameless = 0; /* in all; of what has no name at most */
    for (uint32_t i = 0; i < n; i++) {
        waiting += rows[i].waiting_share_s;
        if (!is_named(r, rows[i].named) && rows[i].waiting_s > nameless)
            nameless = rows[i].waiting_s;
        if (rows[i].array == HSC_NONE || (any_named && !is_named(r, rows[i].named))) /* of what has no name nobody learns where it is */
            continue;
        most = most ? most : &rows[i];
        if (!x || rows[i].waiting_s > x->waiting_s || (rows[i].waiting_s == x->waiting_s && rows[i].mpi_s > x->mpi_s))
            x = &rows[i];
    }
    waited = fmax(waited, waiting);
    bool is_waited = x && x->waiting_s > 0 && (x->waiting_s >= 0.1 * waited || nameless > x->waiting_s), is_most = is_waited && x->waiting_s >= 0.5 * waited;
    if (x && !is_waited) /* what is waited for is no array's: fences, barriers */
        x = most;
    if (x && known > 0 && !hsc_db_get_array(r->db, x->named, &a, err)) {
        char also[600] = "", other[400], plain[400], ways[400], sent[32], received[32];
        main_text(r, x, plain, sizeof plain);
        if ((status = report_array_ways(r, x, 1, ways, sizeof ways, err))) {
            free(rows);
            return status;
        }
        if (ways[0])
            snprintf(also, sizeof also, " Most of that time by way of %.200s.", ways);
        /* what one call completes it waits for together */
        uint64_t sent_bytes = x->sent_bytes, received_bytes = x->received_bytes;
        unsigned others = 0;
        for (uint32_t i = 0; i < n && is_waited && !is_scalar(r, x); i++)
            if (&rows[i] != x && is_named(r, rows[i].named) && fabs(rows[i].waiting_s - x->waiting_s) < 1e-9 * x->waiting_s) {
                others++;
                sent_bytes += rows[i].sent_bytes;
                received_bytes += rows[i].received_bytes;
            }
        if (others) {
            size_t end = strlen(plain);
            snprintf(plain + end, sizeof plain - end, " and %u other%s that the same calls wait for", others, others > 1 ? "s" : "");
        }
        snprintf(name, sizeof name, "%s", plain);
        if (nameless > x->waiting_s) /* it is the most of those that can be named */
            snprintf(name, sizeof name, "Of the buffers that have a name, %c%s", plain[0] - 'A' + 'a', plain + 1);
        if (most != x && !others && (double)(most->sent_bytes + most->received_bytes) >= unnamed_bytes &&
            most->sent_bytes + most->received_bytes >= x->sent_bytes + x->received_bytes) {
            size_t before = strlen(also);
            main_text(r, most, other, sizeof other);
            snprintf(also + before, sizeof also - before, " %.200s moves %s: %s sent, %s received, %s in calls.", other,
                     most->sent_bytes + most->received_bytes > x->sent_bytes + x->received_bytes ? "most" : "as much",
                     report_volume((double)most->sent_bytes, sent, sizeof sent), report_volume((double)most->received_bytes, received, sizeof received),
                     REPORT_SECONDS(most->mpi_s));
        }
        size_t said = strlen(also);
        if (nameless > x->waiting_s)
            snprintf(also + said, sizeof also - said, " In calls of those without one the wait is up to %s: --by=array, --by=message.", REPORT_SECONDS(nameless));
        if (is_scalar(r, x) && is_waited) /* no volume to speak of */
            snprintf(out, size,
                     "%.200s is what %s: its calls last %s, %s %swaiting for late partners (of %s). They move %s in "
                     "all: the cost is to be in step, not the volume.%s",
                     name, is_most ? "most of the waiting in message passing is for" : "is waited for most of all that messages move", REPORT_SECONDS(x->mpi_s), REPORT_SECONDS(x->waiting_s), x->waiting_s > x->mpi_s + 1e-9 ? "" : "of it ", REPORT_SECONDS(waited), report_volume((double)(x->sent_bytes + x->received_bytes), sent, sizeof sent), also);
        else
            snprintf(out, size,
                 "%.260s %s %s: %s sent, %s received, %.0f %% of the bytes whose calls are "
                 "measured; %s in calls of MPI, %s %swaiting for late partners (of %s).%s",
                 name, others ? "have" : "has", is_most ? "most of the waiting in message passing" : is_waited ? "most waiting of all arrays" : "most of the communication",
                 report_volume((double)sent_bytes, sent, sizeof sent), report_volume((double)received_bytes, received, sizeof received), 100 * (double)(sent_bytes + received_bytes) / bytes, REPORT_SECONDS(x->mpi_s),
                 REPORT_SECONDS(x->waiting_s), x->waiting_s > x->mpi_s + 1e-9 ? "" : "of it ", REPORT_SECONDS(waited), also);
        *scope = report_array_procedure(r, x);
        *file = a.file;
        *line = a.line;
        *seconds = fmax(x->mpi_s, nameless);
    }
    free(rows);
    return HSC_OK;
}
