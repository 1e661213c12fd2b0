/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Synchronisation of one-sided operations: who waits for whom. A fence is a collective operation of the window's group. A post is
 * a message to each origin, which the start or completion of their epoch waits for; a completion is one to each target, which
 * its wait waits for: both sides number them alike, as other messages. Locks are told by both ends of each, with how long they
 * were held: who waited for whom is found afterwards, and so is whether a long lock, access or flush waited for its target to let the library go on. */
#include "after.h"

enum { POST, COMPLETE, LOCK, SHARED_LOCK, FLUSH = HSC_MPI_ACCESSED }; /* tags of the events */
#define EVERYONE (-1) /* target: all at once */
#define FIRST_UNLOCKS 32u /* of a window, that are told however short: whether they need their target */
#define LOCK_SLICE_BITS 18u /* of ns: 0.26 ms */
#define LOCK_SLICES_OF 64u

/* The epochs of a window; ranks are those of its group. */
struct hsc_mpi_window {
    uint32_t exposed, accessed; /* members of the last post and start */
    int32_t *exposed_to, *accessed_at;
    int32_t *counted;    /* 0, 1, 2, ... */
    uint64_t *posts, *completions; /* of accessed_at and exposed_to: number of what is waited for */
    uint64_t *locked_ns; /* by target: begin of the lock that is held; 0: none */
    uint64_t all_locked_ns;
    uint32_t unlocks;
    uint8_t *shared;
};

static size_t bytes_of(const hsc_mpi_comm *m) {
    return sizeof(hsc_mpi_window) + (size_t)m->size * (3 * sizeof(uint64_t) + 3 * sizeof(int32_t) + 1);
}

static hsc_mpi_window *window_of(hsc_mpi_comm *m) {
    if (!m || m->window || m->size <= 0)
        return m ? m->window : NULL;
    size_t n = (size_t)m->size;
    hsc_mpi_window *w = hsc_rt_map(bytes_of(m));
    if (!w)
        return NULL;
    w->posts = (uint64_t *)(w + 1);
    w->completions = w->posts + n;
    w->locked_ns = w->completions + n;
    w->exposed_to = (int32_t *)(w->locked_ns + n);
    w->accessed_at = w->exposed_to + n;
    w->counted = w->accessed_at + n;
    w->shared = (uint8_t *)(w->counted + n);
    for (int32_t i = 0; i < m->size; i++)
        w->counted[i] = i;
    return m->window = w;
}

void hsc_mpi_window_end(hsc_mpi_comm *m) {
    if (m->window)
        hsc_rt_unmap(m->window, bytes_of(m));
    m->window = NULL;
}

/* Ranks in the window's group of the members of a group; returns how many, 0 where that can't be had. */
static uint32_t members(const hsc_mpi_call *c, const hsc_mpi_how *h, int32_t *to) {
    const hsc_mpi_library *l = &hsc_mpi_lib;
    uint64_t group = handle(c, h, 'G'), window = handle(c, h, 'w'), all = 0;
    int32_t n = 0;
    if (group & HSC_MPI_FORTRAN_KEY)
        group = l->Group_f2c ? l->Group_f2c((int32_t)(uint32_t)group) : 0;
    if (window & HSC_MPI_FORTRAN_KEY)
        window = l->Win_f2c ? l->Win_f2c((int32_t)(uint32_t)window) : 0;
    if (!group || !window || !l->Win_get_group || !l->Group_size || !l->Group_translate_ranks || (int)l->Group_size(group, &n) || n <= 0 ||
        n > c->comm->size || (int)l->Win_get_group(window, &all))
        return 0;
    bool ok = !(int)l->Group_translate_ranks(group, n, c->comm->window->counted, all, to);
    l->Group_free(&all);
    for (int32_t i = 0; ok && i < n; i++)
        ok = to[i] >= 0 && to[i] < c->comm->size;
    return ok ? (uint32_t)n : 0;
}

static void put(hsc_mpi_call *c, uint64_t duration, uint64_t flags, int64_t peer, int64_t tag, uint64_t sequence, uint64_t stands_for) {
    hsc_rec_message_event e =
        event_of(c, duration, flags | HSC_message_event_flag_ONE_SIDED, c->comm, peer, tag, sequence, 0);
    e.stands_for = stands_for;
    if (c->since != c->enter) {
        e.flags |= HSC_message_event_flag_LOOKED;
        e.between_ns = c->block->looks_between;
    }
    hsc_mpi_put_event(c->block, c->node, &e);
}

/* What others may wait for. */
static void tell(hsc_mpi_call *c, uint64_t duration, const int32_t *to, uint32_t n, int64_t tag) {
    for (uint32_t i = 0; i < n; i++) {
        hsc_mpi_channel *x = hsc_mpi_channel_of(c->comm, to[i], tag, false);
        uint64_t sequence = x ? hsc_mpi_next(&x->messages) : 0;
        unsigned length = x ? length_of(c, duration, &x->last_enter) : SHORT;
        uint64_t stands_for = !x || length == LONG ? 0 : drawn(sequence, tag);
        if (length != SHORT || stands_for)
            put(c, duration, HSC_message_event_flag_SENT | follows(length), to[i], tag, sequence, stands_for);
        else if (x && in_slice(c->enter, slices_of(sequence))) /* for who waits for it */
            put(c, 0, HSC_message_event_flag_SENT, to[i], tag, sequence, 1);
    }
}

/* What the call itself may have waited for: messages of these numbers (UINT64_MAX: not known which). Of short ones those where all are drawn by number, or by time. */
static void ask(hsc_mpi_call *c, uint64_t duration, const int32_t *from, uint32_t n, int64_t tag, const uint64_t *sequences) {
    uint64_t stands_for = 0, slices = 0;
    bool by_number = true;
    for (uint32_t i = 0; i < n && duration < c->block->threshold_ns; i++) {
        if (sequences[i] == UINT64_MAX)
            return;
        stands_for = by_number ? drawn(sequences[i], tag) : 0;
        by_number = stands_for != 0;
        slices = slices_of(sequences[i]) > slices ? slices_of(sequences[i]) : slices;
    }
    if (!by_number && !(stands_for = n > 1 ? drawn_in_slice(c, c->since + duration, slices) : 0))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (sequences[i] != UINT64_MAX)
            put(c, duration, HSC_message_event_flag_RECEIVED, from[i], tag, sequences[i], stands_for);
}

static void number_next(const hsc_mpi_call *c, const int32_t *from, uint32_t n, int64_t tag, uint64_t *sequences) {
    for (uint32_t i = 0; i < n; i++) {
        hsc_mpi_channel *x = hsc_mpi_channel_of(c->comm, from[i], tag, true);
        sequences[i] = x ? hsc_mpi_next(&x->messages) : UINT64_MAX;
    }
}

/* Of short waits for a lock those are told that begin in some slices of time, which all processes of a machine have alike: who gave it back is
 * then known, too. For how many one stands; 0: for none. */
static uint64_t drawn_at(uint64_t ns) {
    return (ns >> LOCK_SLICE_BITS) * 0x9e3779b97f4a7c15u < UINT64_MAX / LOCK_SLICES_OF ? LOCK_SLICES_OF : 0;
}

/* A process of the window's group, or all. */
static bool has_target(const hsc_mpi_call *c, const hsc_mpi_how *h) {
    return !has(h, 'd') || (c->dest >= 0 && c->dest < c->comm->size);
}

static void lock(hsc_mpi_call *c, const hsc_mpi_how *h, hsc_mpi_window *w, uint64_t duration) {
    /* the values of MPI_LOCK_SHARED: 2 in Open MPI, 235 in MPICH and its relatives */
    bool shared = !has(h, 'L') || number(c, h, 'L') == (hsc_mpi_lib.kind == HSC_MPI_OPEN_MPI ? 2 : 235);
    if (has(h, 'd')) {
        w->shared[c->dest] = shared;
        w->locked_ns[c->dest] = c->enter;
    } else {
        w->all_locked_ns = c->enter;
    }
    uint64_t stands_for = duration < HSC_MPI_THRESHOLD_NS ? drawn_at(c->enter) : 0;
    if (duration >= c->block->threshold_ns || stands_for)
        put(c, duration, HSC_message_event_flag_RECEIVED, c->dest, shared ? SHARED_LOCK : LOCK, 0,
            duration >= c->block->threshold_ns ? 0 : stands_for);
}

static void unlock(hsc_mpi_call *c, const hsc_mpi_how *h, hsc_mpi_window *w, uint64_t duration) {
    uint64_t *locked_ns = has(h, 'd') ? &w->locked_ns[c->dest] : &w->all_locked_ns;
    if (!*locked_ns)
        return;
    uint64_t held = c->enter - *locked_ns, stands_for = 0;
    bool shared = !has(h, 'd') || w->shared[c->dest], first = has(h, 'd') && c->dest != c->comm->rank && w->unlocks < FIRST_UNLOCKS;
    *locked_ns = 0;
    w->unlocks += first;
    if (held + duration < c->block->threshold_ns) {
        stands_for = duration < HSC_MPI_THRESHOLD_NS ? drawn_at(c->enter) : 0;
        /* one that began to wait there may have waited for this */
        stands_for = stands_for || !(first || drawn_at(c->enter - HSC_MPI_THRESHOLD_NS)) ? stands_for : 1;
        if (!stands_for)
            return;
    }
    hsc_rec_message_event e = event_of(c, duration, HSC_message_event_flag_SENT | HSC_message_event_flag_ONE_SIDED, c->comm,
                                               c->dest, shared ? SHARED_LOCK : LOCK, 0, 0);
    e.begin_ns = held;
    e.stands_for = stands_for;
    hsc_mpi_put_event(c->block, c->node, &e);
}

void hsc_mpi_after_access(hsc_mpi_call *c, uint64_t duration) {
    put(c, duration, HSC_message_event_flag_RECEIVED, c->dest, FLUSH, 0, 0);
}

void hsc_mpi_before_synchronisation(hsc_mpi_call *c, const hsc_mpi_how *h) {
    c->comm = comm_of(c, handle(c, h, 'w') | HSC_MPI_WINDOW_KEY);
    c->dest = has(h, 'd') ? number(c, h, 'd') : EVERYONE;
    if (c->comm && IS(h, FENCE))
        c->to_sequence = hsc_mpi_next(&c->comm->collectives);
}

void hsc_mpi_after_synchronisation(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration) {
    hsc_mpi_window *w = window_of(c->comm);
    if (!w)
        return;
    switch (h->kind) {
    case HSC_MPI_FENCE: {
        unsigned length = length_of(c, duration, &c->comm->last_enter);
        uint64_t stands_for = length == LONG ? 0 : drawn(c->to_sequence, -1);
        if (length != SHORT || stands_for)
            put(c, duration, HSC_message_event_flag_COLLECTIVE | follows(length), -1, -1, c->to_sequence, stands_for);
        break;
    }
    case HSC_MPI_EXPOSE:
        w->exposed = members(c, h, w->exposed_to);
        tell(c, duration, w->exposed_to, w->exposed, POST);
        break;
    case HSC_MPI_ACCESS: {
        w->accessed = members(c, h, w->accessed_at);
        number_next(c, w->accessed_at, w->accessed, POST, w->posts);
        ask(c, duration, w->accessed_at, w->accessed, POST, w->posts);
        break;
    }
    case HSC_MPI_ACCESS_END: /* some libraries wait for the post only here */
        ask(c, duration, w->accessed_at, w->accessed, POST, w->posts);
        tell(c, duration, w->accessed_at, w->accessed, COMPLETE);
        w->accessed = 0;
        break;
    case HSC_MPI_EXPOSE_END:
        if (has(h, 'f') && !*(const int32_t *)argument(c, h, 'f')) /* NOLINT */
            break;
        number_next(c, w->exposed_to, w->exposed, COMPLETE, w->completions);
        if (!looks(h) || c->since != c->enter || duration >= c->block->threshold_ns) /* as of other calls that only look */
            ask(c, duration + (c->enter - c->since), w->exposed_to, w->exposed, COMPLETE, w->completions);
        w->exposed = 0;
        break;
    case HSC_MPI_LOCK:
        if (has_target(c, h))
            lock(c, h, w, duration);
        break;
    case HSC_MPI_UNLOCK:
        if (has_target(c, h))
            unlock(c, h, w, duration);
        break;
    case HSC_MPI_FLUSH:
        if (has_target(c, h) && duration >= c->block->threshold_ns)
            hsc_mpi_after_access(c, duration);
        break;
    default:
        break;
    }
}
