/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* While files are read: events of messages, and where each thread that may be waited for was at which time. */
#include <stdlib.h>
#include <string.h>

#include "blame.h"

static jblame *blame_of(jprocess *p) {
    if (!p->blame)
        p->blame = calloc(1, sizeof *p->blame);
    return p->blame;
}

/* NULL: not there or, where it was to be made, out of memory. */
static jtrack *track_of(jblame *b, uint64_t thread, bool make) {
    uint32_t known = hsc_table_get(&b->track_rows, thread, 0), *at;
    if (known != HSC_NO_INDEX)
        return &b->tracks.p[known];
    if (!make || !HSC_PUSH(b->tracks, (jtrack){.thread = thread}) || !(at = hsc_table_at(&b->track_rows, thread, 0)))
        return NULL;
    *at = (uint32_t)(b->tracks.n - 1);
    return &b->tracks.p[*at];
}

static uint32_t row_of(const jprocess *p, uint64_t thread, uint64_t node) {
    const jthread *t = hsc_join_known_thread(p, thread);
    return t ? hsc_join_node_row(t, node) : HSC_NO_INDEX;
}

static bool take_communicator(jblame *b, const hsc_rec_communicator *r) {
    uint32_t *at = r->communicator_id <= UINT32_MAX ? hsc_table_at(&b->communicator_rows, r->communicator_id, 0) : NULL;
    if (!at || *at != HSC_NO_INDEX)
        return at || r->communicator_id > UINT32_MAX; /* more of its members */
    *at = (uint32_t)b->communicators.n;
    return HSC_PUSH(b->communicators, (jcommunicator){r->communicator_id, r->key, (uint32_t)r->kind,
                                                      r->rank < UINT32_MAX ? (uint32_t)r->rank : 0,
                                                      r->size < UINT32_MAX ? (uint32_t)r->size : 0});
}

const jcommunicator *hsc_blame_communicator(const jprocess *p, uint32_t id) {
    uint32_t row = hsc_table_get(&p->blame->communicator_rows, id, 0);
    return row != HSC_NO_INDEX ? &p->blame->communicators.p[row] : NULL;
}

static bool take_event(join *j, jprocess *p, uint64_t stream, const hsc_rec_message_event *r) {
    jblame *b = blame_of(p);
    jtrack *t = b ? track_of(b, stream, true) : NULL;
    if (!t)
        return false;
    if (r->communicator_id > UINT32_MAX || r->operation_id > UINT32_MAX || r->time > INT64_MAX || r->duration_ns > INT64_MAX / 2)
        return true;
    jmessage_event e = {.time = r->time,
                .duration = r->duration_ns,
                .begin = r->begin_ns,
                .outside = r->outside_ns < r->time ? r->outside_ns : r->time,
                .between = r->between_ns < r->duration_ns ? r->between_ns : r->duration_ns,
                .sequence = r->sequence,
                .bytes = r->bytes,
                .peer = r->peer < -1 || r->peer > INT32_MAX ? -1 : (int32_t)r->peer,
                .tag = r->tag < -1 || r->tag > INT32_MAX ? -1 : (int32_t)r->tag,
                .communicator = (uint32_t)r->communicator_id,
                .operation = (uint32_t)r->operation_id,
                .flags = (uint32_t)r->flags,
                .frame = row_of(p, stream, r->node_id),
                 .stands_for = r->stands_for < UINT32_MAX ? (uint32_t)r->stands_for : UINT32_MAX,
                 .begun = r->begin_node_id && r->begin_thread_id == stream ? row_of(p, stream, r->begin_node_id) : HSC_NO_INDEX};
    return hsc_spill_put(j->spill, &t->events, &e, sizeof e);
}

bool hsc_join_blame_begin(jprocess *p) {
    bool ok = true;
    for (size_t i = 0; ok && i < p->known->threads.n; i++)
        if (p->known->threads.p[i].holds)
            ok = blame_of(p) && track_of(p->blame, p->known->threads.p[i].id, true);
    return ok;
}

static bool take_held(join *j, jprocess *p, uint64_t stream, const hsc_rec_wait_interval *r) {
    bool barrier = hsc_blame_is_barrier((uint32_t)r->kind) && !r->holder_thread_id;
    uint32_t region = hsc_join_region_at(p, r->fork_thread_id, r->fork_node_id);
    if (region == HSC_NO_INDEX)
        return false;
    if (!(r->holder_thread_id || barrier) || !p->blame || r->time > INT64_MAX || r->duration_ns > r->time)
        return true;
    jheld h = {r->time, r->duration_ns, r->stands_for_ns < INT64_MAX ? r->stands_for_ns : r->duration_ns,
               hsc_join_site_of(p, stream, r->node_id, region),
               barrier ? HSC_NO_INDEX : hsc_join_site_of(p, r->holder_thread_id, r->holder_node_id, 0), (uint32_t)r->kind,
               r->team_threads <= UINT32_MAX ? (uint32_t)r->team_threads : 0, r->region_id, r->team_thread_id,
               r->ended_before_ns < r->duration_ns ? r->ended_before_ns : 0,
               hsc_blame_is_barrier((uint32_t)r->kind) && r->in_step_before_ns >= r->duration_ns && r->in_step_before_ns <= r->time ? r->in_step_before_ns : 0};
    return h.site != HSC_NO_INDEX && (barrier || h.holder != HSC_NO_INDEX) && hsc_spill_put(j->spill, &p->blame->held, &h, sizeof h);
}

/* Only of threads that hold locks, pass messages, and of the first one, which may come to that later. */
static bool take_moment(join *j, jprocess *p, uint64_t stream, uint64_t time, uint64_t length, uint64_t node, bool is_interval, uint64_t kind, double stands_for) {
    jblame *b = p->blame;
    bool is_first = b && b->begin_ns && stream == 1;
    jtrack *t = b && time < INT64_MAX && length < INT64_MAX ? track_of(b, stream, is_first) : NULL;
    if (!b || (!t && !is_first) || time >= INT64_MAX || length >= INT64_MAX)
        return true;
    jmoment m = {.time = time, .length = length, .frame = row_of(p, stream, node), .is_interval = is_interval, .stands_for = (float)stands_for,
                 .kind = kind < JMOMENT_IN_CALL ? (uint8_t)kind : JMOMENT_IN_CALL};
    return t && hsc_spill_put(j->spill, &t->moments, &m, sizeof m);
}

bool hsc_join_blame_wants(const jprocess *p, uint64_t thread) {
    const jblame *b = p->blame;
    return b && (hsc_table_get(&b->track_rows, thread, 0) != HSC_NO_INDEX || (b->begin_ns && thread == 1));
}

/* What the wait stands for, against what it took: locks, whose waits are known by who held them, for themselves. */
static double times_of(const hsc_rec_wait_interval *r) {
    return !r->holder_thread_id && r->duration_ns && r->stands_for_ns > r->duration_ns ? (double)r->stands_for_ns / (double)r->duration_ns : 1;
}

/* Of a sample: wrappers have set the state of the thread, whatever the code is that it was met in. */
static uint64_t kind_of(uint64_t state) {
    return state == HSC_state_IO || state == HSC_state_WAITING || state == HSC_state_COMMUNICATION || state == HSC_state_SYNCHRONISATION ? JMOMENT_IN_CALL : 0;
}

static uint64_t period_of(const jprocess *p, uint64_t event) {
    if (!event && p->period_ns)
        return p->period_ns;
    for (size_t i = 0; i < p->events.n; i++)
        if (p->events.p[i].id == event && p->events.p[i].period >= 1 && p->events.p[i].period < 1e15)
            return (uint64_t)p->events.p[i].period;
    return 0;
}

bool hsc_join_blame_take(join *j, jprocess *p, const hsc_record *rec) {
    jblame *b;
    switch (rec->record_id) {
    case HSC_REC_message_system: {
        const hsc_rec_message_system *r = rec->value;
        if (!(b = blame_of(p)))
            return false;
        b->clock = r->clock;
        b->begin_ns = r->time;
        return true;
    }
    case HSC_REC_communicator:
        return (b = blame_of(p)) && take_communicator(b, rec->value);
    case HSC_REC_neighbours:
        return (b = blame_of(p)) && hsc_blame_take_neighbours(b, rec->value);
    case HSC_REC_message_event:
        return take_event(j, p, rec->stream, rec->value);
    case HSC_REC_message_threshold: {
        const hsc_rec_message_threshold *r = rec->value;
        if ((b = p->blame) && r->not_recorded > b->not_recorded)
            b->not_recorded = r->not_recorded;
        return true;
    }
    case HSC_REC_team_member: {
        const hsc_rec_team_member *r = rec->value;
        return !p->blame || HSC_PUSH(p->blame->team, (jmember){r->region_id, UINT64_MAX, r->team_thread_id, rec->stream, r->number});
    }
    case HSC_REC_event: {
        const hsc_rec_event *r = rec->value;
        if (r->name.n != 4 || memcmp(r->name.p, "wall", 4))
            return true;
        if (!(b = blame_of(p)))
            return false;
        b->wall_event = r->event_id;
        return true;
    }
    case HSC_REC_sample: {
        const hsc_rec_sample *r = rec->value;
        return !p->blame || p->blame->wall_event || take_moment(j, p, rec->stream, r->time, period_of(p, 0), r->node_id, false, kind_of(r->state), 1);
    }
    case HSC_REC_sample_weighted: {
        const hsc_rec_sample_weighted *r = rec->value;
        uint64_t wanted = p->blame ? p->blame->wall_event : 0, length;
        return !p->blame || r->event_id != wanted || __builtin_mul_overflow(r->weight, period_of(p, wanted), &length) ||
               take_moment(j, p, rec->stream, r->time, length, r->node_id, wanted != 0, kind_of(r->state), 1);
    }
    case HSC_REC_wait_interval: {
        const hsc_rec_wait_interval *r = rec->value;
        return !p->blame || (take_held(j, p, rec->stream, r) &&
                             (p->blame->wall_event || take_moment(j, p, rec->stream, r->time, r->duration_ns, r->node_id, true, r->kind, times_of(r))));
    }
    default:
        return true;
    }
}

static uint32_t frame_of(const jthread *t, uint32_t row) {
    return row < t->work->nodes.n ? t->work->nodes.p[row].frame : HSC_NO_INDEX;
}

static void change_event(void *thread, void *item) {
    jmessage_event *e = item;
    e->frame = frame_of(thread, e->frame);
    e->begun = frame_of(thread, e->begun);
}

typedef struct calls { /* where the threads of a process wait */
    const jthread *thread;
    hsc_table kinds; /* by thread's id and row of the node */
    hsc_table whole; /* of `thread`, by row of the node: from here on its moments stand for all of its waits there */
    bool failed;
} calls;

/* A sample in a call that is timed: the call is it, not what the library does for it. */
static void change_call(void *ctx, void *item) {
    calls *c = ctx;
    const jthread *t = c->thread;
    jmoment *m = item;
    uint32_t row = m->frame, kind = HSC_NO_INDEX;
    if (m->kind == JMOMENT_IN_CALL) {
        while (row < t->work->nodes.n && (kind = hsc_table_get(&c->kinds, t->id, row)) == HSC_NO_INDEX)
            row = t->work->nodes.p[row].parent;
        m->kind = kind == HSC_NO_INDEX ? 0 : (uint8_t)kind;
    }
    if (m->is_interval && m->stands_for > 1) {
        uint32_t *at = hsc_table_at(&c->whole, m->frame, 0);
        c->failed = c->failed || !at;
        if (at)
            *at = 0;
    } else if (!m->is_interval && kind != HSC_NO_INDEX && hsc_table_get(&c->whole, row, 0) != HSC_NO_INDEX) {
        m->length = 0; /* that is in what these stand for */
    }
    m->frame = kind == HSC_NO_INDEX ? m->frame : row;
}

static void change_moment(void *thread, void *item) {
    jmoment *m = item;
    m->frame = frame_of(thread, m->frame);
}

static bool add_call(const jprocess *p, hsc_table *kinds, uint32_t site, uint32_t kind) {
    const jsite *s = &p->sites.p[site];
    uint32_t row = row_of(p, s->thread, s->node), *at = NULL;
    if (row == HSC_NO_INDEX || kind >= JMOMENT_IN_CALL)
        return true;
    if ((at = hsc_table_at(kinds, s->thread, row)))
        *at = kind;
    return at != NULL;
}

static bool find_calls(const jprocess *p, hsc_table *kinds) {
    bool ok = true;
    for (size_t i = 0; ok && p->blame && i < p->messages.n; i++)
        ok = add_call(p, kinds, p->messages.p[i].site, HSC_wait_kind_MESSAGE);
    for (size_t i = 0; ok && p->blame && i < p->waits.n; i++)
        ok = add_call(p, kinds, p->waits.p[i].site, p->waits.p[i].kind);
    return ok;
}

static jthread *thread_of(jprocess *p, const jtrack *track) {
    const jthread *known = hsc_join_known_thread(p, track->thread);
    return known ? &p->threads.p[known - p->threads.p] : NULL;
}

hsc_status hsc_join_blame_calls(join *j, jprocess *p, hsc_err *err) {
    calls c = {.thread = NULL};
    hsc_status status = find_calls(p, &c.kinds) ? HSC_OK : hsc_join_no_memory(err);
    for (size_t i = 0; p->blame && status == HSC_OK && i < p->blame->tracks.n; i++) {
        jtrack *track = &p->blame->tracks.p[i];
        if (!(c.thread = thread_of(p, track)))
            continue;
        hsc_table_fini(&c.whole);
        c.whole = (hsc_table){0};
        status = hsc_spill_change(j->spill, &track->moments, change_call, &c, err);
        if (status == HSC_OK && c.failed)
            status = hsc_join_no_memory(err);
    }
    hsc_table_fini(&c.kinds);
    hsc_table_fini(&c.whole);
    return status;
}

hsc_status hsc_join_blame_frames(join *j, jprocess *p, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t i = 0; p->blame && status == HSC_OK && i < p->blame->tracks.n; i++) {
        jtrack *track = &p->blame->tracks.p[i];
        jthread *t = thread_of(p, track);
        if (!t || t->row == HSC_NO_INDEX || !(track->events.count || t->holds)) { /* nobody asks for it */
            hsc_spill_list_fini(&track->events);
            hsc_spill_list_fini(&track->moments);
            continue;
        }
        status = hsc_spill_change(j->spill, &track->events, change_event, t, err);
        if (status == HSC_OK)
            status = hsc_spill_change(j->spill, &track->moments, change_moment, t, err);
        if (status == HSC_OK && !(hsc_spill_flush(j->spill, &track->events) && hsc_spill_flush(j->spill, &track->moments)))
            status = hsc_join_no_memory(err);
    }
    if (p->blame && status == HSC_OK && !hsc_spill_flush(j->spill, &p->blame->held))
        status = hsc_join_no_memory(err);
    return status;
}

void hsc_join_blame_free(jprocess *p) {
    for (size_t i = 0; p->blame && i < p->blame->tracks.n; i++) {
        hsc_spill_list_fini(&p->blame->tracks.p[i].events);
        hsc_spill_list_fini(&p->blame->tracks.p[i].moments);
        hsc_spill_list_fini(&p->blame->tracks.p[i].stood);
        hsc_spill_list_fini(&p->blame->tracks.p[i].waited);
    }
    if (p->blame) {
        hsc_spill_list_fini(&p->blame->held);
        free(p->blame->communicators.p);
        free(p->blame->neighbours.p);
        free(p->blame->team.p);
        free(p->blame->tracks.p);
        hsc_table_fini(&p->blame->communicator_rows);
        hsc_table_fini(&p->blame->track_rows);
        hsc_table_fini(&p->blame->operation_rows);
    }
    free(p->blame);
    p->blame = NULL;
}
