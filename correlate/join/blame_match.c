/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All ranks' events in the order of time. A call that waits does so until another rank's call begins, and that call's event
 * is met while the first one is open: so what is held at a time is what is open at that time, however long the run was.
 *
 * A wait is laid to what its cause did since the two were last in step (Boehme, Geimer, Wolf, "Identifying the root causes of
 * wait states in large-scale parallel applications", ICPP 2010): time that the late one had itself waited is handed on to
 * those that it had waited for, the rest is its own. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>
#include "blame_lane.h"
#include "slots.h"

/* Of a thread: windows that are longer are looked at from their end. Where very many threads pass messages, each has a part of these
 * for all; that depends on the input only. */
#define MOMENTS_MAX 4096u
#define MOMENTS_LEAST 256u
#define MOMENTS_ALL (1u << 23)
#define WAITS_MAX 1024u
#define WAITS_LEAST 64u
#define WAITS_ALL (1u << 21)
#define TOLD_MAX 512u
#define TOLD_LEAST 16u
#define TOLD_ALL (1u << 21)
#define BUFFERED 4096u /* bytes: up to there messages are supposed to be sent without their receiver, until larger ones were seen to be */
#define SENT_KEPT 8u

enum { POST, COMPLETE, LOCK, SHARED_LOCK, FLUSH }; /* tags of events with flag ONE_SIDED */
#define EVERYONE UINT32_MAX /* target of such: all at once */
#define TARGETS_MAX 256u    /* of one call; of more nobody is told */

typedef struct sent { /* a message whose sending has ended */
    uint64_t begin, leave, bytes;
    uint32_t sender; /* row of members */
    bool unlocked;   /* no message, but all accesses to it since a lock */
} sent;

typedef struct member { /* a process that passes messages */
    uint64_t clock;
    uint64_t buffered;     /* bytes of the largest message that it is known to send without the receiver; BUFFERED at least */
    uint32_t expecting;    /* entries of messages that others still send it */
    uint32_t lanes;
    bool direct;           /* its library is known to access windows without the target */
    sent sent[SENT_KEPT];            /* to it, the last ones */
    unsigned sent_at;
} member;

typedef struct call { /* that may wait */
    uint64_t enter, leave, best;
    uint32_t lane, row, best_lane, best_row, best_kind, best_begun;
    uint32_t begun; /* frame of the call that began the collective operation */
    uint32_t group, rank, next; /* next: of its group, or of the free ones */
    bool is_root, has_root, unclear, sets_up;
    uint32_t keys; /* entries of the messages that it waits for */
    uint32_t stands_for; /* as of its event */
    bool looks, follows;
    uint64_t between;
} call;

typedef struct locker { /* a call that may wait for the lock of a part of a window */
    uint64_t window;
    uint32_t call, target;
    bool shared, gives_back;
} locker;

typedef struct entry { /* a message that a call waits for */
    uint64_t a, b;
    uint32_t call, next;
    uint64_t begin, bytes;             /* of one that is sent */
    uint32_t begun;                    /* frame of the call that began it */
    bool accesses, unlocks;            /* no message: one-sided, the receiver is the target */
    uint32_t receiver, before, behind; /* member, and in its list; HSC_NO_INDEX */
} entry;

typedef struct group { /* one collective operation in which somebody may wait */
    uint64_t a, b, communicator, last, root;
    uint32_t last_lane, last_row, root_lane, root_row, calls, open, next;
    uint8_t kind, cause;
} group;

typedef struct step { /* when all members were */
    uint64_t last, before;
} step;

typedef struct match {
    jlanes of;
    HSC_VEC(jlane) lanes;
    HSC_VEC(member) members;
    slots member_rows; /* by key of a communicator and rank there */
    HSC_VEC(uint32_t) order; /* heap of lanes by their next event */
    HSC_VEC(call) calls;
    HSC_VEC(uint32_t) leaving; /* heap of calls by their end */
    HSC_VEC(entry) entries;
    HSC_VEC(group) groups;
    HSC_VEC(locker) lockers; /* those that are open */
    uint32_t free_call, free_entry, free_group;
    slots expected, open_groups;
    hsc_table pair_rows, communicator_rows;
    HSC_VEC(uint64_t) pairs; /* when both were in step */
    HSC_VEC(step) steps; /* of communicators */
} match;

/* ---- heaps ---- */

static bool sooner(const match *m, bool lanes, uint32_t x, uint32_t y) {
    uint64_t a = lanes ? m->lanes.p[x].next.time : m->calls.p[x].leave, b = lanes ? m->lanes.p[y].next.time : m->calls.p[y].leave;
    return a != b ? a < b : x < y;
}

static void sink(const match *m, bool lanes, uint32_t *heap, size_t n, size_t i) {
    for (size_t k; (k = 2 * i + 1) < n; i = k) {
        k += k + 1 < n && sooner(m, lanes, heap[k + 1], heap[k]);
        if (!sooner(m, lanes, heap[k], heap[i]))
            return;
        uint32_t x = heap[i];
        heap[i] = heap[k];
        heap[k] = x;
    }
}

static void rise(const match *m, bool lanes, uint32_t *heap, size_t i) {
    for (size_t up; i && sooner(m, lanes, heap[i], heap[up = (i - 1) / 2]); i = up) {
        uint32_t x = heap[i];
        heap[i] = heap[up];
        heap[up] = x;
    }
}

/* ---- in step ---- */

static uint64_t *pair_of(match *m, uint32_t x, uint32_t y) {
    uint32_t *at = hsc_table_at(&m->pair_rows, (uint64_t)(x < y ? x : y) << 32 | (x < y ? y : x), 0);
    if (!at)
        return NULL;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)m->pairs.n;
        if (!HSC_PUSH(m->pairs, 0))
            return NULL;
    }
    return &m->pairs.p[*at];
}

static bool step_together(match *m, uint64_t communicator, uint64_t time) {
    uint32_t *at = hsc_table_at(&m->communicator_rows, communicator, 0);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)m->steps.n;
        if (!HSC_PUSH(m->steps, (step){0, 0}))
            return false;
    }
    if (time > m->steps.p[*at].last) {
        m->steps.p[*at].before = m->steps.p[*at].last;
        m->steps.p[*at].last = time;
    }
    return true;
}

static bool has_recent(const jlane *l, uint64_t key) {
    for (unsigned i = 0; i < JLANE_RECENT; i++)
        if (l->recent[i] == key)
            return true;
    return false;
}

/* When the two were last known to be in step, up to `time`. */
static uint64_t last_in_step(const match *m, const jlane *x, const jlane *y, uint64_t pair, uint64_t time) {
    uint64_t t = x->begin > y->begin ? x->begin : y->begin;
    t = pair > t && pair <= time ? pair : t;
    for (unsigned i = 0; i < JLANE_RECENT; i++) {
        uint32_t at = x->recent[i] && has_recent(y, x->recent[i]) ? hsc_table_get(&m->communicator_rows, x->recent[i], 0) : HSC_NO_INDEX;
        uint64_t both = at == HSC_NO_INDEX ? 0 : m->steps.p[at].last <= time ? m->steps.p[at].last : m->steps.p[at].before;
        t = both > t && both <= time ? both : t;
    }
    return t < time ? t : time;
}

/* ---- a wait ---- */

static hsc_status charge(match *m, const call *c, hsc_err *err) {
    jdelays *d = m->of.d;
    jlane *victim = &m->lanes.p[c->lane], *late = &m->lanes.p[c->best_lane];
    uint64_t wait = c->best - c->enter, *pair = pair_of(m, c->lane, c->best_lane);
    jspot here = hsc_blame_spot(m->of.j, c->row), there = hsc_blame_spot(m->of.j, c->best_row);
    uint32_t delay = pair ? hsc_delay_of(d, (jdelay_key){c->best_kind, late->row, there.context, there.line, false, false}) : HSC_NO_INDEX;
    uint32_t begun = c->best_begun < m->of.j->frames.n ? hsc_blame_spot(m->of.j, c->best_begun).line : HSC_NO_INDEX;
    if (delay == HSC_NO_INDEX || !hsc_delay_add_victim(d, delay, victim->row, here.context, here.line, begun, 1, (double)wait, (double)wait) ||
        !hsc_delay_victim_at(d, d->victim, hsc_lane_tick(&m->of, victim, c->best), 1, (double)wait, (double)wait))
        return hsc_join_no_memory(err);
    hsc_status status = hsc_lane_look_at_threads(&m->of, late, c->best, err);
    if (status == HSC_OK)
        status = hsc_lane_look_at_threads(&m->of, victim, c->enter, err);
    if (status != HSC_OK)
        return status;
    uint64_t from = last_in_step(m, victim, late, *pair, c->enter);
    uint64_t late_waited = hsc_lane_waited(late, from, c->best), victim_waited = hsc_lane_waited(victim, from, c->enter);
    double more = late_waited > victim_waited ? (double)(late_waited - victim_waited) : 0;
    double own = (double)(c->best - from) - (double)late_waited - ((double)(c->enter - from) - (double)victim_waited);
    own = own > 0 ? own : 0;
    double indirect = more > 0 ? more / (more + own) : 0;
    for (size_t i = late->waits.n; indirect > 0 && i-- > 0 && late->waits.p[i].end > from;) {
        const jstood *w = &late->waits.p[i];
        double share = (double)hsc_blame_overlap(w->begin, w->end, from, c->best) / w->among / (double)late_waited;
        if (share > 0 && !hsc_delay_add_flow(d, delay, w->delay, indirect * share * (double)wait))
            return hsc_join_no_memory(err);
    }
    jdelay_sum *s = &d->sums.p[delay];
    if (indirect < 0.99) {
        if (s->last_window != c->best) {
            s->last_window = c->best;
            s->windows += 1 - indirect;
            status = hsc_lane_look_into(&m->of, delay, late, from, c->best, true, 1 - indirect, err);
        }
        s->victims += 1 - indirect;
        s->late_ns += own * (1 - indirect);
        if (status == HSC_OK)
            status = hsc_lane_look_into(&m->of, delay, victim, from, c->enter, false, 1 - indirect, err);
    }
    if (status == HSC_OK && !hsc_lane_add_wait(&m->of, victim, &(jstood){c->enter, c->best, delay, 1}))
        return hsc_join_no_memory(err);
    *pair = c->best > *pair ? c->best : *pair;
    return status;
}

static void offer(call *c, uint64_t time, uint32_t late, uint32_t row, uint32_t kind, uint32_t begun) {
    bool better = time > c->best || (time == c->best && c->best_kind == HSC_wait_cause_LATE_TARGET && late == c->best_lane); /* the same call */
    if (late == c->lane || time <= c->enter || time > c->leave || !better)
        return;
    c->best = time;
    c->best_lane = late;
    c->best_row = row;
    c->best_kind = kind;
    c->best_begun = begun;
}

static bool ask_group(match *m, call *c) {
    group *g = &m->groups.p[c->group];
    unsigned kind = g->kind == UNKNOWN && !c->has_root ? ALL : g->kind;
    if (kind == ALL || (kind == TO_ROOT && c->is_root))
        offer(c, g->last, g->last_lane, g->last_row,
              kind == TO_ROOT ? HSC_wait_cause_LATE_MEMBER : g->cause, c->begun);
    if (kind == FROM_ROOT && !c->is_root && g->root_lane != HSC_NO_INDEX)
        offer(c, g->root, g->root_lane, g->root_row, HSC_wait_cause_LATE_ROOT, c->begun);
    c->unclear = c->unclear || kind == UNKNOWN;
    for (uint32_t *at = &g->calls; *at != HSC_NO_INDEX; at = &m->calls.p[*at].next)
        if (&m->calls.p[*at] == c) {
            *at = c->next;
            break;
        }
    if (--g->open == 0) {
        slots_entry *s = slots_find(&m->open_groups, g->a, g->b);
        if (s && s->value == c->group + 1)
            slots_drop(&m->open_groups, s);
        g->next = m->free_group;
        m->free_group = c->group;
    }
    return kind != ALL || step_together(m, g->communicator, g->last);
}

/* ---- what is sent to a process that does not let its library go on ---- */

/* From now on nobody waits there for the receiver to come. */
static void expect_no_more(match *m, entry *e) {
    if (e->receiver == HSC_NO_INDEX)
        return;
    if (e->before == HSC_NO_INDEX)
        m->members.p[e->receiver].expecting = e->behind;
    else
        m->entries.p[e->before].behind = e->behind;
    if (e->behind != HSC_NO_INDEX)
        m->entries.p[e->behind].before = e->before;
    e->receiver = HSC_NO_INDEX;
}

/* A call that sends begins to wait: maybe until the receiver comes back to the library. */
static void expect(match *m, uint32_t at, uint32_t receiver) {
    entry *e = &m->entries.p[at];
    member *to = &m->members.p[receiver];
    e->receiver = receiver;
    e->behind = to->expecting;
    if (e->behind != HSC_NO_INDEX)
        m->entries.p[e->behind].before = at;
    to->expecting = at;
}

/* The call that sent has ended. */
static void has_left(match *m, const call *c, entry *e) {
    if (e->receiver != HSC_NO_INDEX) {
        member *to = &m->members.p[e->receiver];
        if (!e->accesses || e->unlocks)
            to->sent[to->sent_at++ % SENT_KEPT] = (sent){e->begin, c->leave, e->bytes, m->lanes.p[c->lane].member, e->unlocks};
    }
    expect_no_more(m, e);
}

/* The thread calls the library for the first time for long. Messages that others send its process may go on: so long had their calls to wait for
 * it, whether it had begun to receive or not, if they began while it was outside, or in the call before: that did not end them. And such as had
 * been sent while it was outside need no receiver, nor do smaller ones. */
static void comes_back(match *m, uint32_t lane_row, const jmessage_event *e) {
    member *to = &m->members.p[m->lanes.p[lane_row].member];
    const jlane *l = &m->lanes.p[lane_row];
    uint64_t since = e->time - e->outside, from = since;
    if (l->spent.n && l->spent.p[l->spent.n - 1].leave >= since)
        from = l->spent.p[l->spent.n - 1].enter;
    for (unsigned i = 0; i < SENT_KEPT && to->lanes == 1; i++) {
        const sent *x = &to->sent[i];
        member *sender = &m->members.p[x->sender];
        if (!x->leave || x->begin < since || x->leave > e->time)
            continue;
        sender->direct = sender->direct || x->unlocked;
        sender->buffered = x->bytes > sender->buffered ? x->bytes : sender->buffered;
    }
    for (uint32_t i = to->expecting, next; i != HSC_NO_INDEX; i = next) {
        entry *x = &m->entries.p[i];
        call *w = &m->calls.p[x->call];
        next = x->behind;
        if (w->enter < from)
            continue;
        if (!x->accesses)
            offer(w, e->time, lane_row, e->frame, HSC_wait_cause_LATE_RECEIVER, x->begun);
        else if (!m->members.p[m->lanes.p[w->lane].member].direct)
            offer(w, e->time, lane_row, e->frame, HSC_wait_cause_LATE_TARGET, HSC_NO_INDEX);
        expect_no_more(m, x);
    }
}

static bool put_told(const match *m, jlane *l) {
    bool ok = !l->told.n || hsc_spill_put_all(m->of.j->spill, &l->track->waited, l->told.p, l->told.n, sizeof *l->told.p);
    l->told.n = 0;
    return ok;
}

/* Up to when the call waited is known. */
static bool tell(const match *m, const call *c, uint64_t until) {
    jlane *l = &m->lanes.p[c->lane];
    const join *j = m->of.j;
    uint32_t frame = hsc_join_caller_of_tail(j, c->row); /* samples in the call are below that */
    bool placed = frame < j->frames.n && j->frames.p[frame].context < j->contexts.n;
    jwaited w = {c->enter - l->offset, until - l->offset, c->leave - l->offset, HSC_NO_INDEX, HSC_NO_INDEX, c->stands_for, c->looks};
    if (placed) {
        w.context = j->frames.p[frame].context;
        w.line = hsc_join_place_of(j, frame)->line_row;
    }
    return !m->of.d->spill || (HSC_PUSH(l->told, w) &&
                               (l->told.n < m->of.told_max || put_told(m, l)));
}

static hsc_status leave(match *m, uint32_t i, hsc_status status) {
    call *c = &m->calls.p[i];
    if (m->lanes.p[c->lane].open == i)
        m->lanes.p[c->lane].open = HSC_NO_INDEX;
    c->next = m->free_call;
    m->free_call = i;
    return status;
}

/* The call has ended: what it waited for has come, if anything. */
static hsc_status finish(match *m, uint32_t i, hsc_err *err) {
    jdelays *d = m->of.d;
    call *c = &m->calls.p[i];
    bool ok = true;
    for (uint32_t k = c->keys, next; k != HSC_NO_INDEX; k = next) {
        slots_entry *s = slots_find(&m->expected, m->entries.p[k].a, m->entries.p[k].b);
        if (s && s->value == k + 1)
            slots_drop(&m->expected, s);
        has_left(m, c, &m->entries.p[k]);
        next = m->entries.p[k].next;
        m->entries.p[k].next = m->free_entry;
        m->free_entry = k;
    }
    if (c->group != HSC_NO_INDEX)
        ok = ask_group(m, c);
    for (size_t k = m->lockers.n; k-- > 0;)
        if (m->lockers.p[k].call == i)
            m->lockers.p[k] = m->lockers.p[--m->lockers.n];
    double ns = (double)(c->leave - c->enter), wait = 0;
    hsc_status status = ok ? HSC_OK : hsc_join_no_memory(err);
    bool tells = !c->follows || c->stands_for; /* else who came late may have no event */
    if (c->stands_for && !c->follows) { /* of short ones that have no cause: these are known by samples alone */
        bool known = !c->unclear && (!c->best || m->lanes.p[c->lane].p->blame->clock == m->lanes.p[c->best_lane].p->blame->clock);
        if (status == HSC_OK && known && !tell(m, c, c->best ? c->best : c->enter))
            status = hsc_join_no_memory(err);
        return leave(m, i, status);
    }
    d->calls++;
    d->calls_ns += ns;
    d->between_ns += (double)c->between;
    d->setup_ns += c->sets_up ? ns : 0;
    if (c->best && m->lanes.p[c->lane].p->blame->clock != m->lanes.p[c->best_lane].p->blame->clock) {
        d->elsewhere++;
        d->elsewhere_ns += ns;
    } else if (c->best) {
        wait = (double)(c->best - c->enter);
        d->of_kind[c->best_kind]++;
        d->kind_ns[c->best_kind] += wait;
        d->waited_ns += ns - wait;
        status = status == HSC_OK && tells && !tell(m, c, c->best) ? hsc_join_no_memory(err) : status;
        status = status == HSC_OK ? charge(m, c, err) : status;
    } else if (c->unclear) {
        d->unclear++;
        d->unclear_ns += ns;
    } else {
        d->ended++;
        d->waited_ns += ns;
        status = status == HSC_OK && tells && !tell(m, c, c->enter) ? hsc_join_no_memory(err) : status;
    }
    return leave(m, i, status);
}

/* ---- an event ---- */

#define TAKE(list, free_row)                                                                             \
    ((free_row) != HSC_NO_INDEX ? (free_row)                                                             \
     : HSC_RESERVE(list, (list).n + 1) ? (memset(&(list).p[(list).n], 0, sizeof *(list).p), (uint32_t)(list).n++) \
                                       : HSC_NO_INDEX)

static uint32_t call_of(match *m, uint32_t lane_row, const jmessage_event *e) {
    jlane *l = &m->lanes.p[lane_row];
    if (l->open != HSC_NO_INDEX && m->calls.p[l->open].enter == e->time && m->calls.p[l->open].leave == e->time + e->duration) {
        /* another message of the same call */
        call *c = &m->calls.p[l->open];
        c->follows = c->follows || e->flags & HSC_message_event_flag_FOLLOWS;
        c->stands_for = e->stands_for ? c->stands_for : 0;
        return l->open;
    }
    uint32_t i = m->free_call, made = TAKE(m->calls, m->free_call);
    if (made == HSC_NO_INDEX || !HSC_RESERVE(m->leaving, m->leaving.n + 1))
        return HSC_NO_INDEX;
    if (i != HSC_NO_INDEX)
        m->free_call = m->calls.p[i].next;
    m->calls.p[made] = (call){.enter = e->time, .leave = e->time + e->duration, .lane = lane_row, .row = e->frame,
                              .group = HSC_NO_INDEX, .next = HSC_NO_INDEX, .keys = HSC_NO_INDEX, .stands_for = e->stands_for,
                              .looks = e->flags & HSC_message_event_flag_LOOKED,
                              .follows = e->flags & HSC_message_event_flag_FOLLOWS, .between = e->between};
    m->leaving.p[m->leaving.n++] = made;
    rise(m, false, m->leaving.p, m->leaving.n - 1);
    return l->open = made;
}

/* Something more that the call waits for; HSC_NO_INDEX: out of memory. */
static uint32_t add_entry(match *m, uint32_t call_row, entry x) {
    uint32_t k = m->free_entry, made = TAKE(m->entries, m->free_entry);
    if (made == HSC_NO_INDEX)
        return made;
    if (k != HSC_NO_INDEX)
        m->free_entry = m->entries.p[k].next;
    x.call = call_row;
    x.next = m->calls.p[call_row].keys;
    x.receiver = x.before = x.behind = HSC_NO_INDEX;
    m->entries.p[made] = x;
    return m->calls.p[call_row].keys = made;
}

/* Of a call whose event stands for others: where that process has another clock nobody tells when it came. */
static void look_at_clock(match *m, uint32_t call_row, const jmessage_event *e, const jcommunicator *c, uint32_t rank) {
    call *w = &m->calls.p[call_row];
    const slots_entry *other = e->stands_for ? slots_find(&m->member_rows, c->key, rank) : NULL;
    if (!e->stands_for || (other && m->members.p[other->value - 1].clock == m->members.p[m->lanes.p[w->lane].member].clock))
        return;
    w->unclear = w->unclear || !hsc_blame_is_counted(e);
    w->stands_for = w->follows ? 0 : w->stands_for;
}

/* One key for both sides of a message; side: 1 of its sender. */
static void message_key(const jcommunicator *c, uint32_t sender, uint32_t receiver, const jmessage_event *e, uint32_t side, uint64_t *a,
                        uint64_t *b) {
    uint64_t v[4] = {c->key, (uint64_t)sender << 32 | receiver, (uint64_t)(uint32_t)e->tag << 32 | side, e->sequence};
    *a = hsc_hash64(0, v, sizeof v);
    *b = hsc_hash64(~*a, v, sizeof v);
}

static const char *name_of(const jprocess *p, uint32_t id, uint32_t *kind) {
    uint32_t row = hsc_table_get(&p->blame->operation_rows, id, 0);
    const joperation *o = row != HSC_NO_INDEX ? &p->operations.p[row] : NULL;
    *kind = o ? o->kind : 0;
    return o ? o->name : "";
}

static bool take_message(match *m, uint32_t lane_row, const jmessage_event *e, const jcommunicator *c, bool posts, bool waits) {
    bool sends = e->flags & HSC_message_event_flag_SENT;
    uint32_t operation;
    const char *name = name_of(m->lanes.p[lane_row].p, e->operation, &operation);
    waits = waits && (!sends || e->bytes > m->members.p[m->lanes.p[lane_row].member].buffered || strcasestr(name, "ssend")) && !strcasestr(name, "bsend");
    uint32_t peer = (uint32_t)e->peer, sender = sends ? c->rank : peer, receiver = sends ? peer : c->rank;
    uint64_t a, b;
    if (e->peer < 0)
        return true;
    if (posts) {
        message_key(c, sender, receiver, e, sends, &a, &b);
        const slots_entry *s = slots_find(&m->expected, a, b);
        const entry *x = s ? &m->entries.p[s->value - 1] : NULL;
        if (x)
            offer(&m->calls.p[x->call], e->time, lane_row, e->frame,
                  !sends                                             ? HSC_wait_cause_LATE_RECEIVER
                  : !(e->flags & HSC_message_event_flag_ONE_SIDED) ? HSC_wait_cause_LATE_SENDER
                  : e->tag == POST                                   ? HSC_wait_cause_LATE_POST
                                                                     : HSC_wait_cause_LATE_COMPLETE,
                  x->begun);
    }
    if (!waits)
        return true;
    uint32_t i = call_of(m, lane_row, e);
    if (i == HSC_NO_INDEX)
        return false;
    look_at_clock(m, i, e, c, peer);
    message_key(c, sender, receiver, e, !sends, &a, &b); /* of the other side */
    uint32_t made = add_entry(m, i, (entry){.a = a, .b = b, .begin = e->time - e->begin, .bytes = e->bytes, .begun = e->begun});
    if (made == HSC_NO_INDEX)
        return false;
    const slots_entry *to = sends && !(e->flags & HSC_message_event_flag_ONE_SIDED) ? slots_find(&m->member_rows, c->key, receiver) : NULL;
    if (to)
        expect(m, made, to->value - 1);
    return slots_put(&m->expected, a, b, made);
}

/* A call that waits for its neighbours: for what they send, and for those to whom it sends so much that they have to take it. */
static bool expect_neighbours(match *m, uint32_t call_row, const jmessage_event *e, const jcommunicator *c, uint8_t kind) {
    const jlane *l = &m->lanes.p[m->calls.p[call_row].lane];
    for (uint32_t side = SOURCE; side <= DESTINATION; side++) {
        size_t n;
        const jneighbour *of = hsc_blame_neighbours(l->p, e->communicator, side, &n);
        if (side == DESTINATION && n && (kind == NEIGHBOURS_ALIKE ? e->bytes : e->bytes / n) <= m->members.p[l->member].buffered)
            n = 0;
        for (size_t i = 0; i < n; i++) {
            uint64_t a, b;
            message_key(c, side == SOURCE ? of[i].rank : c->rank, side == SOURCE ? c->rank : of[i].rank, e, side == SOURCE, &a, &b);
            look_at_clock(m, call_row, e, c, of[i].rank);
            uint32_t made = add_entry(m, call_row, (entry){.a = a, .b = b, .begun = e->begun});
            if (made == HSC_NO_INDEX || !slots_put(&m->expected, a, b, made))
                return false;
        }
    }
    return true;
}

static bool take_neighbours(match *m, uint32_t lane_row, const jmessage_event *e, const jcommunicator *c, uint8_t kind, bool posts, bool waits) {
    const jprocess *p = m->lanes.p[lane_row].p;
    size_t told;
    for (uint32_t side = SOURCE; posts && side <= DESTINATION; side++) {
        size_t n;
        const jneighbour *of = hsc_blame_neighbours(p, e->communicator, side, &n);
        for (size_t i = 0; i < n; i++) {
            uint64_t a, b;
            message_key(c, side == SOURCE ? of[i].rank : c->rank, side == SOURCE ? c->rank : of[i].rank, e, side == DESTINATION, &a, &b);
            const slots_entry *s = slots_find(&m->expected, a, b);
            const entry *x = s ? &m->entries.p[s->value - 1] : NULL;
            if (x)
                offer(&m->calls.p[x->call], e->time, lane_row, e->frame, HSC_wait_cause_LATE_NEIGHBOUR, x->begun);
        }
    }
    uint32_t i = waits ? call_of(m, lane_row, e) : HSC_NO_INDEX;
    if (!waits || i == HSC_NO_INDEX)
        return !waits;
    (void)hsc_blame_neighbours(p, e->communicator, ALL_TOLD, &told);
    m->calls.p[i].unclear = m->calls.p[i].unclear || !told;
    return expect_neighbours(m, i, e, c, kind);
}

static bool take_collective(match *m, uint32_t lane_row, const jmessage_event *e, const jcommunicator *c, bool posts, bool waits) {
    jlane *l = &m->lanes.p[lane_row];
    uint64_t v[2] = {c->key, e->sequence}, a = hsc_hash64(1, v, sizeof v), b = hsc_hash64(~a, v, sizeof v);
    uint32_t operation;
    const char *name = name_of(l->p, e->operation, &operation);
    uint8_t kind = posts ? hsc_blame_group_of(name, operation) : UNKNOWN;
    for (unsigned i = 0; !posts && i < JLANE_RECENT; i++)
        if (l->begun[i].a == a && l->begun[i].b == b)
            kind = l->begun[i].kind;
    if (posts && !waits) {
        l->begun[l->begun_at].a = a;
        l->begun[l->begun_at].b = b;
        l->begun[l->begun_at++ % JLANE_RECENT].kind = kind;
        l->begun_at %= JLANE_RECENT;
    }
    if (kind == NEIGHBOURS || kind == NEIGHBOURS_ALIKE)
        return take_neighbours(m, lane_row, e, c, kind, posts, waits);
    if (!has_recent(l, c->key))
        l->recent[l->recent_at++ % JLANE_RECENT] = c->key;
    const slots_entry *s = slots_find(&m->open_groups, a, b);
    uint32_t at = s ? s->value - 1 : HSC_NO_INDEX;
    if (at == HSC_NO_INDEX && !waits)
        return true;
    if (at == HSC_NO_INDEX) {
        at = m->free_group;
        uint32_t made = TAKE(m->groups, m->free_group);
        if (made == HSC_NO_INDEX || !slots_put(&m->open_groups, a, b, made))
            return false;
        if (at != HSC_NO_INDEX)
            m->free_group = m->groups.p[at].next;
        at = made;
        m->groups.p[at] = (group){.a = a, .b = b, .communicator = c->key, .last_lane = lane_row, .root_lane = HSC_NO_INDEX,
                                  .calls = HSC_NO_INDEX};
    }
    group *g = &m->groups.p[at];
    bool is_root = e->peer >= 0 && (uint32_t)e->peer == c->rank;
    g->kind = g->kind == UNKNOWN ? kind : g->kind;
    if (posts) {
        g->cause = operation == HSC_operation_class_BARRIER                          ? HSC_wait_cause_BARRIER
                   : operation == HSC_operation_class_ONE_SIDED_SYNCHRONISATION ? HSC_wait_cause_FENCE
                                                                                 : HSC_wait_cause_COLLECTIVE;
        for (uint32_t i = g->kind == PREFIX ? g->calls : HSC_NO_INDEX; i != HSC_NO_INDEX; i = m->calls.p[i].next)
            if (m->calls.p[i].rank > c->rank)
                offer(&m->calls.p[i], e->time, lane_row, e->frame, HSC_wait_cause_COLLECTIVE, m->calls.p[i].begun);
        g->last = e->time;
        g->last_lane = lane_row;
        g->last_row = e->frame;
        if (is_root) {
            g->root = e->time;
            g->root_lane = lane_row;
            g->root_row = e->frame;
        }
    }
    if (!waits)
        return true;
    uint32_t i = call_of(m, lane_row, e);
    if (i == HSC_NO_INDEX)
        return false;
    if (kind == UNKNOWN && !expect_neighbours(m, i, e, c, kind)) /* it may be one of them */
        return false;
    call *w = &m->calls.p[i];
    if (w->group != HSC_NO_INDEX)
        return true; /* one call that completes several collective operations: the first is looked at */
    w->group = at;
    w->sets_up = operation == HSC_operation_class_SETUP;
    w->rank = c->rank;
    w->begun = e->begun;
    w->is_root = is_root;
    w->has_root = e->peer >= 0;
    g->open++;
    if (g->kind == PREFIX) {
        w->next = g->calls;
        g->calls = i;
    }
    return true;
}

/* A call with which the library may not go on without the target, of that rank. */
static bool expect_target(match *m, uint32_t call_row, const jcommunicator *c, uint32_t rank, bool unlocks) {
    const slots_entry *to = rank != c->rank ? slots_find(&m->member_rows, c->key, rank) : NULL;
    if (!to)
        return true;
    uint32_t made = add_entry(m, call_row, (entry){.begin = m->calls.p[call_row].enter, .begun = HSC_NO_INDEX, .accesses = true, .unlocks = unlocks});
    if (made == HSC_NO_INDEX)
        return false;
    expect(m, made, to->value - 1);
    return true;
}

static bool expect_targets(match *m, uint32_t call_row, const jmessage_event *e, const jcommunicator *c) {
    bool all = (uint32_t)e->peer == EVERYONE, ok = true;
    uint32_t n = !all ? 1 : c->size <= TARGETS_MAX ? c->size : 0;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = expect_target(m, call_row, c, all ? i : (uint32_t)e->peer, !all && e->flags & HSC_message_event_flag_SENT);
    return ok;
}

/* The lock of a part of a window is given back: calls that try to lock it waited until then, the last such of another one counts.
 * Some libraries ask for a lock only at its end, so a call that gives one back may have waited too, but not for one that is given
 * back after its own. */
static bool take_lock(match *m, uint32_t lane_row, const jmessage_event *e, const jcommunicator *c) {
    bool gives_back = e->flags & HSC_message_event_flag_SENT, shared = e->tag == SHARED_LOCK;
    uint64_t leave = e->time + e->duration;
    uint32_t target = (uint32_t)e->peer;
    for (size_t k = 0; gives_back && k < m->lockers.n; k++) {
        const locker *x = &m->lockers.p[k];
        call *w = &m->calls.p[x->call];
        if (x->window == c->key && (x->target == target || x->target == EVERYONE || target == EVERYONE) && !(shared && x->shared) && (!x->gives_back || leave <= w->leave))
            offer(w, e->time, lane_row, e->frame, HSC_wait_cause_WINDOW_LOCK, HSC_NO_INDEX);
    }
    uint32_t i = e->duration ? call_of(m, lane_row, e) : HSC_NO_INDEX;
    return !e->duration || (i != HSC_NO_INDEX && HSC_PUSH(m->lockers, (locker){c->key, i, target, shared, gives_back}) && expect_targets(m, i, e, c));
}

static bool take_event(match *m, uint32_t lane_row) {
    jlane *l = &m->lanes.p[lane_row];
    jmessage_event e = l->next;
    if (e.outside)
        comes_back(m, lane_row, &e);
    if (hsc_blame_is_counted(&e) && !hsc_lane_add_spent(&m->of, l, &e))
        return false;
    if (hsc_blame_is_of_none(&e))
        return true;
    const jcommunicator *c = hsc_blame_communicator(l->p, e.communicator);
    uint32_t operation;
    (void)name_of(l->p, e.operation, &operation);
    bool probes = operation == HSC_operation_class_PROBE;
    bool posts = !(e.flags & HSC_message_event_flag_COMPLETED) && !probes;
    bool waits = e.duration && (!(e.flags & HSC_message_event_flag_BEGUN) || probes);
    if (!c || c->kind == HSC_communicator_kind_INTER || e.flags & HSC_message_event_flag_INEXACT) {
        waits = waits && hsc_blame_is_counted(&e);
        m->of.d->unclear += waits;
        m->of.d->calls += waits;
        m->of.d->unclear_ns += waits ? (double)e.duration : 0;
        m->of.d->calls_ns += waits ? (double)e.duration : 0;
        m->of.d->between_ns += waits ? (double)e.between : 0;
        return true;
    }
    if (e.flags & HSC_message_event_flag_ONE_SIDED && e.tag == FLUSH) {
        uint32_t i = call_of(m, lane_row, &e);
        return i != HSC_NO_INDEX && expect_targets(m, i, &e, c);
    }
    if (e.flags & HSC_message_event_flag_ONE_SIDED && e.tag >= LOCK)
        return take_lock(m, lane_row, &e, c);
    return e.flags & HSC_message_event_flag_COLLECTIVE ? take_collective(m, lane_row, &e, c, posts, waits)
                                                       : take_message(m, lane_row, &e, c, posts, waits);
}

/* ---- all of them ---- */

static bool add_member(match *m, const jprocess *p) {
    bool ok = HSC_PUSH(m->members, (member){.clock = p->blame->clock, .buffered = BUFFERED, .expecting = HSC_NO_INDEX});
    for (size_t i = 0; ok && i < p->blame->communicators.n; i++) {
        const jcommunicator *c = &p->blame->communicators.p[i];
        ok = c->kind == HSC_communicator_kind_INTER || slots_put(&m->member_rows, c->key, c->rank, (uint32_t)(m->members.n - 1));
    }
    return ok;
}

static hsc_status open_lanes(match *m, hsc_err *err) {
    join *j = m->of.j;
    uint64_t clock = 0;
    bool several = false, first = true;
    for (size_t i = 0; i < j->run.n; i++) {
        const jblame *b = j->run.p[i]->blame;
        if (!b || !b->begin_ns)
            continue;
        several = several || (!first && b->clock != clock);
        clock = b->clock;
        first = false;
    }
    for (size_t i = 0; i < j->run.n; i++) {
        jprocess *p = j->run.p[i];
        m->of.d->not_recorded += p->blame ? p->blame->not_recorded : 0;
        m->of.d->period_ns = (double)p->period_ns > m->of.d->period_ns ? (double)p->period_ns : m->of.d->period_ns;
        if (p->blame)
            hsc_blame_sort_neighbours(p->blame);
        for (uint32_t k = 0; p->blame && k < p->operations.n; k++) {
            uint32_t *at = hsc_table_at(&p->blame->operation_rows, p->operations.p[k].id, 0);
            if (!at)
                return hsc_join_no_memory(err);
            *at = k;
        }
        for (size_t k = 0; p->blame && k < p->blame->tracks.n; k++) {
            jtrack *t = &p->blame->tracks.p[k];
            const jthread *thread = hsc_join_known_thread(p, t->thread);
            if (!t->events.count || !thread || thread->row == HSC_NO_INDEX)
                continue;
            if ((!m->lanes.n || m->lanes.p[m->lanes.n - 1].p != p) && !add_member(m, p))
                return hsc_join_no_memory(err);
            m->members.p[m->members.n - 1].lanes++;
            jlane l = {.p = p, .track = t, .row = thread->row, .open = HSC_NO_INDEX, .member = (uint32_t)(m->members.n - 1)};
            /* clocks that differ: by the time of day, so that what belongs together is met at about one time, and told apart */
            l.offset = several && p->start_unix_ns > p->start_ns ? p->start_unix_ns - p->start_ns : 0;
            l.begin = p->blame->begin_ns + l.offset;
            l.events.list = &t->events;
            l.moments.list = &t->moments;
            l.stood.list = &t->stood;
            if (!HSC_PUSH(m->lanes, l))
                return hsc_join_no_memory(err);
        }
    }
    size_t n = m->lanes.n ? m->lanes.n : 1, buffer = hsc_join_part_of_memory(j, 16 * n, HSC_SPILL_BUFFER_BYTES / 32, HSC_SPILL_BUFFER_BYTES);
    m->of.moments_max = MOMENTS_ALL / n < MOMENTS_LEAST ? MOMENTS_LEAST : MOMENTS_ALL / n > MOMENTS_MAX ? MOMENTS_MAX : MOMENTS_ALL / n;
    m->of.waits_max = WAITS_ALL / n < WAITS_LEAST ? WAITS_LEAST : WAITS_ALL / n > WAITS_MAX ? WAITS_MAX : WAITS_ALL / n;
    m->of.told_max = TOLD_ALL / n < TOLD_LEAST ? TOLD_LEAST : TOLD_ALL / n > TOLD_MAX ? TOLD_MAX : TOLD_ALL / n;
    for (uint32_t i = 0; i < m->lanes.n; i++) {
        m->lanes.p[i].events.buffer_bytes = m->lanes.p[i].moments.buffer_bytes = m->lanes.p[i].stood.buffer_bytes = buffer;
        hsc_status status = hsc_lane_next(&m->of, &m->lanes.p[i], err);
        if (status != HSC_OK)
            return status;
        if (m->lanes.p[i].has_next && !HSC_PUSH(m->order, i))
            return hsc_join_no_memory(err);
    }
    for (size_t i = m->order.n; i-- > 0;)
        sink(m, true, m->order.p, m->order.n, i);
    return HSC_OK;
}

static hsc_status run(match *m, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint64_t n = 0; status == HSC_OK && (m->order.n || m->leaving.n); n++) {
        uint64_t now = m->order.n ? m->lanes.p[m->order.p[0]].next.time : UINT64_MAX;
        if (m->leaving.n && (m->calls.p[m->leaving.p[0]].leave < now || now == UINT64_MAX)) {
            uint32_t i = m->leaving.p[0];
            m->leaving.p[0] = m->leaving.p[--m->leaving.n];
            sink(m, false, m->leaving.p, m->leaving.n, 0);
            status = finish(m, i, err);
            continue;
        }
        uint32_t i = m->order.p[0];
        if (!take_event(m, i))
            return hsc_join_no_memory(err);
        status = hsc_lane_next(&m->of, &m->lanes.p[i], err);
        if (!m->lanes.p[i].has_next)
            m->order.p[0] = m->order.p[--m->order.n];
        sink(m, true, m->order.p, m->order.n, 0);
        if (status == HSC_OK && !(n & 0xFFFF))
            status = hsc_join_check(m->of.j, err);
    }
    return status;
}

hsc_status hsc_blame_match(join *j, jdelays *d, hsc_err *err) {
    match m = {.of = {.j = j, .d = d}, .free_call = HSC_NO_INDEX, .free_entry = HSC_NO_INDEX, .free_group = HSC_NO_INDEX};
    hsc_status status = open_lanes(&m, err);
    if (status == HSC_OK)
        status = run(&m, err);
    for (size_t i = 0; i < m.lanes.n; i++) {
        if (status == HSC_OK && !put_told(&m, &m.lanes.p[i]))
            status = hsc_join_no_memory(err);
        free(m.lanes.p[i].told.p);
        hsc_spill_cursor_fini(&m.lanes.p[i].events);
        hsc_spill_cursor_fini(&m.lanes.p[i].moments);
        hsc_spill_cursor_fini(&m.lanes.p[i].stood);
        free(m.lanes.p[i].seen.p);
        free(m.lanes.p[i].waits.p);
        free(m.lanes.p[i].spent.p);
    }
    free(m.lanes.p);
    free(m.members.p);
    free(m.member_rows.slots);
    free(m.order.p);
    free(m.calls.p);
    free(m.leaving.p);
    free(m.entries.p);
    free(m.groups.p);
    free(m.lockers.p);
    free(m.expected.slots);
    free(m.open_groups.slots);
    free(m.pairs.p);
    free(m.steps.p);
    hsc_table_fini(&m.pair_rows);
    hsc_table_fini(&m.communicator_rows);
    return status;
}
