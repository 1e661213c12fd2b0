/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What wrappers counted and timed: messages and waits. They keep their own rows (with histograms), and their sums
 * become metrics beside the sampled ones, so that every view by line, loop, context and processor has them too. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>
#include "blame.h"
#include "slices.h"

#define MICROSECOND 1000u

static uint64_t plus(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint32_t hsc_join_site_of(jprocess *p, uint64_t thread, uint64_t node, uint32_t region) {
    uint32_t *at = hsc_table_at(&p->site_rows, thread, hsc_join_site_key(node, region));
    if (!at)
        return HSC_NO_INDEX;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)p->sites.n;
        if (!HSC_PUSH(p->sites, (jsite){thread, node, 0, HSC_NO_INDEX, node <= UINT32_MAX ? region : 0, 0}))
            return HSC_NO_INDEX;
    }
    return *at;
}

/* Adds a record's histogram: bucket number of the first count, then counts. `shift`: of its buckets against ours. */
bool hsc_join_add_buckets(jprocess *p, uint64_t **to, uint64_t first, const uint64_t *counts, size_t n) {
    if (!n)
        return true;
    if (!*to && !(*to = hsc_pool_take(&p->pool, JOIN_BUCKETS * sizeof **to)))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t bucket = first < JOIN_BUCKETS && i < JOIN_BUCKETS - first ? first + i : JOIN_BUCKETS - 1;
        (*to)[bucket] = plus((*to)[bucket], counts[i]);
    }
    return true;
}

static bool take_operation(jprocess *p, const hsc_rec_operation *r) {
    const char *name = hsc_pool_intern(&p->pool, r->name.p, r->name.n);
    return name && HSC_PUSH(p->operations, (joperation){r->operation_id, name, r->kind < 256 ? (uint32_t)r->kind : 0,
                                                        r->state < STATES ? (uint32_t)r->state : HSC_state_UNKNOWN});
}

static uint32_t operation_row(const jprocess *p, uint64_t id) {
    if (id && id <= p->operations.n && p->operations.p[id - 1].id == id)
        return (uint32_t)(id - 1);
    for (size_t i = 0; i < p->operations.n; i++)
        if (p->operations.p[i].id == id)
            return (uint32_t)i;
    return HSC_NO_INDEX;
}

static bool slice_message(jprocess *p, uint32_t row, const hsc_rec_message_summary *r) {
    jslice s = {.kind = JSLICE_MESSAGE,
                .row = row,
                .time = r->time,
                .v = {r->calls, r->sent_messages, r->sent_bytes, r->received_messages, r->received_bytes, r->size_min, r->size_max, r->duration_ns,
                      r->duration_min, r->duration_max, r->completions, r->in_flight_ns, r->completion_ns},
                .squares = {r->size_squares, r->duration_squares}};
    if (!r->calls)
        s.v[JM_SIZE_MIN] = s.v[JM_SIZE_MAX] = s.v[JM_DURATION_MIN] = s.v[JM_DURATION_MAX] = 0;
    if (r->size_histogram.n)
        hsc_slice_buckets(s.counts[0], r->size_histogram.p[0], r->size_histogram.p + 1, r->size_histogram.n - 1);
    if (r->duration_histogram.n)
        hsc_slice_buckets(s.counts[1], r->duration_histogram.p[0], r->duration_histogram.p + 1, r->duration_histogram.n - 1);
    return hsc_slices_put(p, &s);
}

static bool take_message(jprocess *p, uint64_t stream, const hsc_rec_message_summary *r) {
    uint32_t site = hsc_join_site_of(p, r->thread_id ? r->thread_id : stream, r->node_id, 0);
    uint64_t peer = r->peer_class < 256 ? r->peer_class : 255, size = r->size_class < 256 ? r->size_class : 255;
    if (site == HSC_NO_INDEX)
        return false;
    uint32_t *at = hsc_table_at(&p->message_rows, site, r->operation_id << 16 | peer << 8 | size);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)p->messages.n;
        /* the operation's record may stand in a chunk that comes later: its id until the end of the file */
        if (!HSC_PUSH(p->messages, (jmessage){.site = site,
                                              .operation = (uint32_t)r->operation_id,
                                              .peer = (uint32_t)peer,
                                              .size = (uint32_t)size,
                                              .size_min = UINT64_MAX,
                                              .duration_min = UINT64_MAX}))
            return false;
    }
    jmessage *m = &p->messages.p[*at];
    if (r->calls) {
        m->size_min = r->size_min < m->size_min ? r->size_min : m->size_min;
        m->size_max = r->size_max > m->size_max ? r->size_max : m->size_max;
        m->duration_min = r->duration_min < m->duration_min ? r->duration_min : m->duration_min;
        m->duration_max = r->duration_max > m->duration_max ? r->duration_max : m->duration_max;
    }
    m->calls = plus(m->calls, r->calls);
    m->sent = plus(m->sent, r->sent_messages);
    m->sent_bytes = plus(m->sent_bytes, r->sent_bytes);
    m->received = plus(m->received, r->received_messages);
    m->received_bytes = plus(m->received_bytes, r->received_bytes);
    m->size_squares += r->size_squares;
    m->duration_ns = plus(m->duration_ns, r->duration_ns);
    m->duration_squares += r->duration_squares;
    m->completions = plus(m->completions, r->completions);
    m->in_flight_ns = plus(m->in_flight_ns, r->in_flight_ns);
    m->completion_ns = plus(m->completion_ns, r->completion_ns);
    if (r->time > p->last_ns)
        p->last_ns = r->time;
    if (hsc_slices_wanted(p) && !slice_message(p, *at, r))
        return false;
    return (!r->size_histogram.n ||
            hsc_join_add_buckets(p, &m->sizes, r->size_histogram.p[0], r->size_histogram.p + 1, r->size_histogram.n - 1)) &&
           (!r->duration_histogram.n || hsc_join_add_buckets(p, &m->durations, r->duration_histogram.p[0],
                                                    r->duration_histogram.p + 1, r->duration_histogram.n - 1));
}

/* Row of waits; HSC_NO_INDEX: out of memory. */
static uint32_t wait_of(jprocess *p, uint32_t site, uint64_t kind, uint32_t holder) {
    uint32_t *at = hsc_table_at(&p->wait_rows, (uint64_t)site << 8 | kind, holder);
    if (at && *at == HSC_NO_INDEX && HSC_PUSH(p->waits, (jwait){.site = site, .holder = holder, .kind = (uint32_t)kind}))
        *at = (uint32_t)p->waits.n - 1;
    return at ? *at : HSC_NO_INDEX;
}

/* ---- slices of waits ---- */

#define OPEN_WAITS_MAX 65536u

/* A long time that a thread waited before `time`, in pieces, the last of which also holds what else `s` has: so an interval of time gets
 * its part. */
#define PIECE_NS 100000000u
#define PIECES_MAX 16u
static bool slice_long(jprocess *p, jslice *s) {
    uint64_t total = s->v[JW_TOTAL], n = total / PIECE_NS, end = s->time;
    n = n < 1 ? 1 : n < PIECES_MAX ? n : PIECES_MAX;
    for (uint64_t i = n; i-- > 1;) {
        uint64_t before = i * (total / n);
        jslice piece = {.kind = JSLICE_WAIT, .row = s->row, .time = end > before ? end - before : 0, .v = {[JW_TOTAL] = total / n}};
        if (!hsc_slices_put(p, &piece))
            return false;
    }
    s->v[JW_TOTAL] = total - (n - 1) * (total / n);
    return hsc_slices_put(p, s);
}

static bool slice_open(jprocess *p, uint32_t row, uint64_t time, uint64_t ns) {
    return slice_long(p, &(jslice){.kind = JSLICE_WAIT, .row = row, .time = time, .v = {[JW_TOTAL] = ns}});
}

static void drop_empty(jprocess *p) {
    size_t kept = 0;
    for (size_t i = 0; i < p->open_waits.n; i++)
        if (p->open_waits.p[i].ns)
            p->open_waits.p[kept++] = p->open_waits.p[i];
    p->open_waits.n = kept;
}

/* The oldest n of them: nobody will say any more whose they are. */
static bool give_up_open(jprocess *p, size_t n) {
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        jopen_wait *o = &p->open_waits.p[i];
        ok = slice_open(p, o->to == HSC_NO_INDEX ? o->row : o->to, o->time, o->ns);
        o->ns = 0;
    }
    drop_empty(p);
    return ok;
}

static bool hold_open(jprocess *p, jopen_wait o) {
    return !o.ns || ((p->open_waits.n < OPEN_WAITS_MAX || give_up_open(p, OPEN_WAITS_MAX / 2)) && HSC_PUSH(p->open_waits, o));
}

/* What was told of waits of row `from` while they went on, the last `most` ns of it: it belongs to row `to`. */
static bool end_open(jprocess *p, uint32_t from, uint32_t to, uint64_t time, uint64_t most) {
    bool ok = true;
    for (size_t i = p->open_waits.n; ok && most && i-- > 0;) {
        jopen_wait *o = &p->open_waits.p[i];
        uint64_t ns = o->row != from || o->to != HSC_NO_INDEX ? 0 : o->ns < most ? o->ns : most;
        ok = !ns || slice_open(p, to, o->time, ns);
        o->ns -= ns;
        most -= ns;
    }
    drop_empty(p);
    return ok && hold_open(p, (jopen_wait){from, to, time, most});
}

/* A part of a wait of row `row` that goes on. */
static bool begin_open(jprocess *p, uint32_t row, uint64_t time, uint64_t part) {
    bool ok = true;
    for (size_t i = 0; ok && part && i < p->open_waits.n; i++) {
        jopen_wait *o = &p->open_waits.p[i];
        uint64_t ns = o->row != row || o->to == HSC_NO_INDEX ? 0 : o->ns < part ? o->ns : part;
        ok = !ns || slice_open(p, o->to, time, ns);
        o->ns -= ns;
        part -= ns;
    }
    drop_empty(p);
    return ok && hold_open(p, (jopen_wait){row, HSC_NO_INDEX, time, part});
}

static bool slice_wait(jprocess *p, uint32_t row, const hsc_rec_wait *r) {
    jslice s = {.kind = JSLICE_WAIT, .row = row, .time = r->time, .v = {r->count, r->total_ns, r->max_ns, r->bytes}};
    hsc_slice_buckets(s.counts[0], plus(r->bucket, 1), r->buckets.p, r->buckets.n);
    if (r->open) { /* whose it is, is known when it ends */
        s.v[JW_TOTAL] = 0;
        if (!begin_open(p, row, r->time, r->total_ns))
            return false;
    }
    return slice_long(p, &s);
}

static bool take_wait(jprocess *p, uint64_t stream, const hsc_rec_wait *r) {
    uint32_t region = hsc_join_region_at(p, r->fork_thread_id, r->fork_node_id), holder = HSC_NO_INDEX;
    uint32_t site = region == HSC_NO_INDEX ? HSC_NO_INDEX : hsc_join_site_of(p, stream, r->node_id, region);
    if (site == HSC_NO_INDEX)
        return false;
    if (r->holder_thread_id && (holder = hsc_join_site_of(p, r->holder_thread_id, r->holder_node_id, 0)) == HSC_NO_INDEX)
        return false;
    uint64_t kind = r->kind < 256 ? r->kind : 0;
    uint32_t row = wait_of(p, site, kind, holder);
    if (row == HSC_NO_INDEX)
        return false;
    if (holder != HSC_NO_INDEX && r->told_ns) { /* while it went on, its holder was not known */
        uint32_t before = wait_of(p, site, kind, HSC_NO_INDEX);
        if (before == HSC_NO_INDEX)
            return false;
        p->waits.p[before].moved_ns = plus(p->waits.p[before].moved_ns, r->told_ns);
        p->waits.p[row].total_ns = plus(p->waits.p[row].total_ns, r->told_ns);
        if (hsc_slices_wanted(p) && !end_open(p, before, row, r->time, r->told_ns))
            return false;
    }
    jwait *w = &p->waits.p[row];
    w->count = plus(w->count, r->count);
    w->total_ns = plus(w->total_ns, r->total_ns);
    w->max_ns = r->max_ns > w->max_ns ? r->max_ns : w->max_ns;
    w->bytes = plus(w->bytes, r->bytes);
    if (r->time > p->last_ns)
        p->last_ns = r->time;
    if (hsc_slices_wanted(p) && !slice_wait(p, row, r))
        return false;
    /* its bucket b holds 2^b to 2^(b+1) - 1: one more than ours */
    return hsc_join_add_buckets(p, &w->durations, plus(r->bucket, 1), r->buckets.p, r->buckets.n);
}

bool hsc_join_take_measure(jprocess *p, const hsc_record *rec) {
    switch (rec->record_id) {
    case HSC_REC_operation:
        return take_operation(p, rec->value);
    case HSC_REC_message_summary:
        return take_message(p, rec->stream, rec->value);
    case HSC_REC_message_peer:
        return hsc_join_take_peer(p, rec->value);
    case HSC_REC_wait:
        return take_wait(p, rec->stream, rec->value);
    case HSC_REC_wait_interval: {
        const hsc_rec_wait_interval *r = rec->value;
        if (hsc_join_region_at(p, r->fork_thread_id, r->fork_node_id) == HSC_NO_INDEX) /* its thread is known from the first reading on */
            return false;
        bool barrier = hsc_blame_is_barrier((uint32_t)r->kind); /* any may be the last one, and is compared with the others */
        uint64_t of = barrier ? 0 : r->holder_thread_id;
        if (!of && !barrier)
            return true;
        uint32_t *at = hsc_table_at(&p->holder_rows, of, 0);
        if (at)
            *at = 0;
        return at != NULL;
    }
    default:
        return true;
    }
}

/* What the thread does meanwhile. */
uint64_t hsc_join_state_of_wait(uint32_t kind) {
    switch (kind) {
    case HSC_wait_kind_MUTEX:
    case HSC_wait_kind_RWLOCK:
    case HSC_wait_kind_SPIN:
    case HSC_wait_kind_BARRIER:
    case HSC_wait_kind_SEMAPHORE:
    case HSC_wait_kind_FUTEX:
    case HSC_wait_kind_PIPE:
    case HSC_wait_kind_OMP_BARRIER:
    case HSC_wait_kind_OMP_REGION_END:
    case HSC_wait_kind_OMP_CRITICAL:
    case HSC_wait_kind_OMP_LOCK:
    case HSC_wait_kind_OMP_ORDERED:
    case HSC_wait_kind_OMP_ATOMIC:
    case HSC_wait_kind_OMP_TASKWAIT:
    case HSC_wait_kind_OMP_TASKGROUP:
    case HSC_wait_kind_OMP_REDUCTION:
        return HSC_state_SYNCHRONISATION;
    case HSC_wait_kind_READ:
    case HSC_wait_kind_WRITE:
    case HSC_wait_kind_RECEIVE:
    case HSC_wait_kind_SEND:
    case HSC_wait_kind_CONNECT:
    case HSC_wait_kind_OPEN:
    case HSC_wait_kind_SYNC:
    case HSC_wait_kind_NAME:
        return HSC_state_IO;
    default:
        return HSC_state_WAITING;
    }
}

static const struct {
    const char *name, *unit;
    double scale;
    uint64_t divisor, step; /* the least; what it grows by */
} measures[JOIN_MEASURE_END - JOIN_MEASURE_WAITING] = {
    {"waiting", "s", 1e-9, MICROSECOND, 10}, {"MPI time", "s", 1e-9, MICROSECOND, 10}, {"MPI calls", "", 1, 1, 1000},
    {"bytes sent", "B", 1, 1, 1024},         {"bytes received", "B", 1, 1, 1024},      {"I/O bytes", "B", 1, 1, 1024},
};

static bool add(jprocess *p, const jsite *site, uint64_t event, uint64_t state, uint64_t value) {
    jthread *t = value ? hsc_join_thread(p, site->thread) : NULL;
    if (!value)
        return true;
    if (!t || !hsc_join_add_other(t, hsc_join_node_row(t, site->node), site->region, state, value, event))
        return false;
    for (size_t i = 0; i < p->events.n; i++)
        if (p->events.p[i].id == event)
            return true;
    unsigned k = (unsigned)(event - JOIN_MEASURE_WAITING);
    return HSC_PUSH(p->events,
                    (jevent){.id = event, .name = measures[k].name, .unit = measures[k].unit, .period = measures[k].scale,
                             .divisor = measures[k].divisor});
}

static int by_thread(const void *pa, const void *pb, void *ctx) {
    const jsite *sites = ctx;
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    if (sites[a].thread != sites[b].thread)
        return sites[a].thread < sites[b].thread ? -1 : 1;
    return a < b ? -1 : a > b;
}

uint64_t hsc_join_waited_ns(const jprocess *p) {
    uint64_t sum = 0;
    for (size_t i = 0; i < p->waits.n; i++)
        sum = p->waits.p[i].total_ns > UINT64_MAX - sum ? UINT64_MAX : sum + p->waits.p[i].total_ns;
    return sum;
}

bool hsc_join_end_measures(jprocess *p) {
    static const joperation unknown = {0, "unknown operation", 0, HSC_state_COMMUNICATION};
    bool ok = true;
    uint32_t none = HSC_NO_INDEX;
    for (size_t i = 0; ok && i < p->messages.n; i++) {
        jmessage *m = &p->messages.p[i];
        const jsite *site = &p->sites.p[m->site];
        m->operation = operation_row(p, m->operation);
        if (m->operation == HSC_NO_INDEX) { /* its record is lost */
            if (none == HSC_NO_INDEX) {
                none = (uint32_t)p->operations.n;
                ok = HSC_PUSH(p->operations, unknown);
            }
            m->operation = none;
        }
        uint64_t state = ok ? p->operations.p[m->operation].state : 0;
        m->size_min = m->size_min == UINT64_MAX ? 0 : m->size_min;
        m->duration_min = m->duration_min == UINT64_MAX ? 0 : m->duration_min;
        ok = ok && add(p, site, JOIN_MEASURE_MPI_TIME, state, m->duration_ns) &&
             add(p, site, JOIN_MEASURE_MPI_CALLS, state, m->calls) &&
             add(p, site, JOIN_MEASURE_SENT, state, m->sent_bytes) &&
             add(p, site, JOIN_MEASURE_RECEIVED, state, m->received_bytes);
    }
    ok = ok && give_up_open(p, p->open_waits.n);
    for (size_t i = 0; ok && i < p->waits.n; i++) {
        jwait *w = &p->waits.p[i];
        w->total_ns -= w->moved_ns < w->total_ns ? w->moved_ns : w->total_ns; /* chunks stand in any order: not earlier */
        w->moved_ns = 0;
        uint64_t state = hsc_join_state_of_wait(w->kind);
        ok = add(p, &p->sites.p[w->site], JOIN_MEASURE_WAITING, state, w->total_ns) &&
             add(p, &p->sites.p[w->site], JOIN_MEASURE_IO, state, w->bytes);
    }
    ok = ok && HSC_RESERVE(p->site_order, p->sites.n);
    if (!ok)
        return false;
    for (uint32_t i = 0; i < p->sites.n; i++)
        p->site_order.p[p->site_order.n++] = i;
    if (p->sites.n > 1)
        qsort_r(p->site_order.p, p->sites.n, sizeof *p->site_order.p, by_thread, p->sites.p);
    return true;
}

void hsc_join_sum_measures(jprocess *p) {
    for (size_t e = 0; e < p->events.n; e++) {
        jevent *event = &p->events.p[e];
        for (size_t n = 0; event->id >= JOIN_MEASURE_WAITING && n < p->threads.n; n++) {
            const jwork *w = p->threads.p[n].work;
            uint64_t sum = 0;
            for (size_t s = 0; s < w->other_counts.capacity; s++)
                if (w->other_counts.slots[s].used && w->other_counts.slots[s].b >> 8 == event->id)
                    sum = plus(sum, w->other_values.p[w->other_counts.slots[s].value]);
            event->most = sum > event->most ? sum : event->most;
        }
    }
}

void hsc_join_choose_divisors(join *j) {
    for (unsigned k = 0; k < JOIN_MEASURE_END - JOIN_MEASURE_WAITING; k++) {
        uint64_t most = 0, divisor = measures[k].divisor;
        for (size_t i = 0; i < j->run.n; i++)
            for (size_t e = 0; e < j->run.p[i]->events.n; e++)
                if (j->run.p[i]->events.p[e].id == JOIN_MEASURE_WAITING + k && j->run.p[i]->events.p[e].most > most)
                    most = j->run.p[i]->events.p[e].most;
        while (most / divisor > THREAD_SAMPLES_MAX / 2) /* half: each value is rounded */
            divisor *= measures[k].step;
        for (size_t i = 0; i < j->run.n; i++)
            for (size_t e = 0; e < j->run.p[i]->events.n; e++) {
                jevent *event = &j->run.p[i]->events.p[e];
                if (event->id == JOIN_MEASURE_WAITING + k) {
                    event->divisor = divisor;
                    event->period = measures[k].scale * (double)divisor;
                }
            }
    }
}

void hsc_join_free_measures(jprocess *p) {
    free(p->sites.p);
    free(p->site_order.p);
    free(p->operations.p);
    free(p->messages.p);
    free(p->waits.p);
    free(p->peers.p);
    hsc_table_fini(&p->peer_rows);
    hsc_table_fini(&p->site_rows);
    hsc_table_fini(&p->message_rows);
    hsc_table_fini(&p->wait_rows);
}

void hsc_join_forget_measures(jprocess *p) {
    memset(&p->sites, 0, sizeof p->sites);
    memset(&p->site_order, 0, sizeof p->site_order);
    memset(&p->operations, 0, sizeof p->operations);
    memset(&p->messages, 0, sizeof p->messages);
    memset(&p->waits, 0, sizeof p->waits);
    memset(&p->peers, 0, sizeof p->peers);
    p->peer_rows = p->site_rows = p->message_rows = p->wait_rows = (hsc_table){0};
}
