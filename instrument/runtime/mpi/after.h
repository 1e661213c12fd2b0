/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One call: what is noted after it. All inline, as before.h. */
#ifndef HSC_MPI_AFTER_H
#define HSC_MPI_AFTER_H

#include "before.h"

HSC_MPI_HOT uint32_t id_of(hsc_mpi_op *op) {
    uint32_t id = atomic_load_explicit(&op->id, memory_order_relaxed);
    return HSC_MPI_USUALLY(id != 0) ? id : hsc_mpi_op_id_slow(op);
}

/* What one call adds to a summary beside its time: messages and bytes, and what it completed. */
typedef struct amount {
    bool sent_message, received_message;
    uint64_t sent, received, size; /* size: one of the two */
    uint32_t completions;
    int to, from; /* partners that are counted: world rank + 1; 0: none */
} amount;

/* A call at `node`. */
HSC_MPI_HOT hsc_mpi_note note_of(uint32_t node, hsc_mpi_op *op, uint32_t peer_class, uint64_t duration, const amount *x) {
    return (hsc_mpi_note){.node = node,
                          .operation_id = (uint16_t)id_of(op),
                          .peer_class = (uint8_t)peer_class,
                          .flags = (uint8_t)(HSC_MPI_NOTE_CALL | (x->sent_message ? HSC_MPI_NOTE_SENT : 0) |
                                             (x->received_message ? HSC_MPI_NOTE_RECEIVED : 0) |
                                             (x->size != x->sent ? HSC_MPI_NOTE_SIZED_BY_RECEIVED : 0)),
                          .completions = x->completions,
                          .to = x->to - 1,
                          .from = x->from - 1,
                          .duration = duration,
                          .sent = x->sent,
                          .received = x->received};
}

HSC_MPI_HOT hsc_mpi_summary *summary_of(hsc_mpi_block *b, const hsc_mpi_note *n, uint64_t size) {
    uint32_t size_class = (hsc_mpi_bits(size) + 3) / 4, i = b->hint[n->node % HSC_MPI_HINTS];
    uint64_t key = (uint64_t)n->node << 32 | (uint64_t)n->operation_id << 16 | (uint64_t)n->peer_class << 8 | size_class;
    hsc_mpi_summary *s = i ? b->summary + (i - 1) : NULL;
    if (__builtin_expect(s && s->key == key && s->thread_id == n->thread_id && s->dirty, 1))
        return s;
    return hsc_mpi_summary_slow(b, n->thread_id, key);
}

HSC_MPI_HOT hsc_mpi_peer *peer_of(hsc_mpi_block *b, int world_rank) {
    uint32_t rank_1 = (uint32_t)world_rank + 1;
    hsc_mpi_peer *p = b->peer_room ? &b->peer[hsc_mpi_peer_slot(rank_1, b->peer_room)] : NULL;
    return __builtin_expect(p && p->rank_1 == rank_1 && p->dirty, 1) ? p : hsc_mpi_peer_slow(b, world_rank);
}

HSC_MPI_HOT void add_call(hsc_mpi_summary *s, const hsc_mpi_note *n) {
    uint64_t duration = n->duration;
    if (__builtin_expect(s->same.sent != n->sent || s->same.received != n->received || s->same.completions != n->completions ||
                         s->same.flags != n->flags, 0)) {
        hsc_mpi_fold(s);
        s->same = (struct hsc_mpi_same){n->sent, n->received, n->completions, n->flags};
    }
    s->repeats++;
    s->duration += duration;
    s->duration_min = duration < s->duration_min ? duration : s->duration_min;
    s->duration_max = duration > s->duration_max ? duration : s->duration_max;
    s->duration_squares += (double)(int64_t)duration * (double)(int64_t)duration;
    unsigned d = hsc_mpi_bits(duration);
    s->durations[d < HSC_MPI_DURATIONS ? d : HSC_MPI_DURATIONS - 1]++;
}

HSC_MPI_HOT void add(hsc_mpi_block *b, const hsc_mpi_note *n) {
    if (n->flags & (HSC_MPI_NOTE_CALL | HSC_MPI_NOTE_COMPLETED)) {
        hsc_mpi_summary *s = summary_of(b, n, hsc_mpi_size(n->sent, n->received, n->flags));
        if (s && n->flags & HSC_MPI_NOTE_CALL)
            add_call(s, n);
        if (s && n->flags & HSC_MPI_NOTE_COMPLETED) {
            s->completions++;
            s->in_flight += n->in_flight;
            s->completion += n->share;
        }
    }
    hsc_mpi_peer *to = n->to >= 0 ? peer_of(b, n->to) : NULL, *from;
    if (to) {
        to->sent_messages++;
        to->sent_bytes += n->sent;
    }
    if (n->from >= 0 && (from = peer_of(b, n->from)) != NULL) {
        from->received_messages++;
        from->received_bytes += n->received;
    }
}

HSC_MPI_HOT void note(hsc_mpi_block *b, uint32_t node, hsc_mpi_op *op, uint32_t peer_class, uint64_t duration, const amount *x) {
    hsc_mpi_note n = note_of(node, op, peer_class, duration, x);
    add(b, &n);
}

/* By the channel, where there is one, without looking at communicators. */
HSC_MPI_HOT uint32_t peer_class_of(const hsc_mpi_comm *m, const hsc_mpi_channel *x, int64_t rank) {
    return x ? x->peer_class : rank == hsc_mpi_lib.proc_null ? HSC_peer_class_NOBODY : hsc_mpi_peer_class(m, rank);
}

HSC_MPI_HOT int world_of(const hsc_mpi_comm *m, const hsc_mpi_channel *x, int64_t rank) {
    return HSC_MPI_USUALLY(x != NULL) ? x->world : hsc_mpi_world_rank(m, rank);
}

/* ---- events ------------------------------------------------------------ */

/* Whether it is a call that only looks; or may be one, MPI_Waitsome, which is never in vain. */
HSC_MPI_HOT bool looks(const hsc_mpi_how *h) {
    return has(h, 'f') || has(h, 'o');
}

/* Of such a call: what its event has of those in vain that it follows. */
HSC_MPI_HOT uint64_t looked(const hsc_mpi_call *c, const hsc_mpi_how *h) {
    return looks(h) && c->since != c->enter ? HSC_message_event_flag_LOOKED : 0;
}

HSC_MPI_HOT uint64_t between_looks(const hsc_mpi_call *c, const hsc_mpi_how *h) {
    return looks(h) && c->since != c->enter ? c->block->looks_between : 0;
}

HSC_MPI_HOT hsc_rec_message_event event_of(const hsc_mpi_call *c, uint64_t duration, uint64_t flags, const hsc_mpi_comm *m, int64_t peer,
                                           int64_t tag, uint64_t sequence, uint64_t size) {
    return (hsc_rec_message_event){.time = c->since,
                                   .duration_ns = duration,
                                   .node_id = c->node,
                                   .operation_id = id_of(c->op),
                                   .flags = flags,
                                   .communicator_id = m->id,
                                   .peer = peer,
                                   .tag = tag,
                                   .sequence = sequence,
                                   .bytes = size};
}

/* Whether an event of the call is worth a record: it was long, or came long after the one before in its sequence; the other side, which
 * may have waited for it, then finds it. The other way round nothing follows: of a short one that comes long after, the other side may be missing. */
enum { SHORT, FOLLOWS, LONG };
HSC_MPI_HOT unsigned length_of(const hsc_mpi_call *c, uint64_t duration, uint64_t *last_enter) {
    uint64_t before = *last_enter;
    *last_enter = c->enter;
    return HSC_MPI_RARELY(duration >= c->block->threshold_ns) ? LONG : HSC_MPI_RARELY(c->enter - before >= c->block->threshold_ns) ? FOLLOWS : SHORT;
}

/* Of the others some have one, drawn by the number of the message, which both sides know, so that what short calls waited is known of these: for how
 * many this one stands; 0: it is not drawn. Multiples of the golden ratio are in step with no period of a program's; of tags that are used once the tag is
 * the number. Messages of one number with several partners are drawn together: one call may complete them all. */
HSC_MPI_HOT uint64_t drawn(uint64_t sequence, int64_t tag) {
    uint64_t number = sequence ? sequence : (uint64_t)tag + 1, every = sequence < 1024 ? 16 : sequence < 16384 ? 64 : 256;
    return HSC_MPI_USUALLY(number * 0x9e3779b97f4a7c15u >= UINT64_MAX / every) ? 0 : every;
}

/* Calls that complete several messages whose numbers are not in step, or such as no number was known of before, are drawn by time: in some slices of it, which all processes
 * of a machine have alike, all that begin messages have an event, so of short ones that began to wait 0.1 ms before the end of one it is known what they waited for. */
#define SLICE_BITS 19u /* of ns: 0.5 ms */
#define SLICES_SELDOM 256u
/* In one of how many slices: the seldom ones are among the others, so a call that completes messages of both kinds has all of them in these. */
HSC_MPI_HOT uint64_t slices_of(uint64_t sequence) {
    return sequence < 16384 ? 64 : SLICES_SELDOM;
}

HSC_MPI_HOT bool in_slice(uint64_t ns, uint64_t slices) {
    return HSC_MPI_RARELY((ns >> SLICE_BITS) * 0x9e3779b97f4a7c15u < UINT64_MAX / slices);
}

HSC_MPI_HOT uint64_t drawn_in_slice(const hsc_mpi_call *c, uint64_t leave, uint64_t slices) {
    const uint64_t length = 1u << SLICE_BITS, least = length - HSC_MPI_THRESHOLD_NS;
    return in_slice(c->since, slices) && leave - c->since < HSC_MPI_THRESHOLD_NS && (c->since & (length - 1)) < least ? (slices * length + least / 2) / least : 0;
}

HSC_MPI_HOT uint64_t follows(unsigned length) {
    return length == FOLLOWS ? HSC_message_event_flag_FOLLOWS : 0;
}

HSC_MPI_HOT void send_event(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration) {
    unsigned length = c->to ? length_of(c, duration, &c->to->last_enter) : SHORT;
    uint64_t stands_for = !c->to || length == LONG ? 0 : drawn(c->to_sequence, c->tag);
    if (length == SHORT && !stands_for) {
        if (!c->to || !in_slice(c->enter, slices_of(c->to_sequence)))
            return;
        stands_for = 1; /* for who waits for it, and of its own waiting nothing */
        duration = 0;
    }
    uint64_t flags = HSC_message_event_flag_SENT | (has(h, 'r') ? HSC_message_event_flag_BEGUN : 0) | follows(length);
    hsc_rec_message_event e = event_of(c, duration, flags, c->comm, c->dest, c->tag, c->to_sequence, c->sent);
    e.stands_for = stands_for;
    hsc_mpi_put_event(c->block, c->node, &e);
}

HSC_MPI_HOT void receive_event(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration, uint64_t size) {
    unsigned length = c->from ? length_of(c, duration, &c->from->last_enter) : SHORT;
    uint64_t stands_for = !c->from || length == LONG ? 0 : drawn(c->from_sequence, c->receive_tag);
    if (length == SHORT && !stands_for) {
        if (!c->from || !in_slice(c->enter, slices_of(c->from_sequence)))
            return;
        stands_for = 1;
        duration = 0;
    }
    uint64_t flags = HSC_message_event_flag_RECEIVED | (has(h, 'r') ? HSC_message_event_flag_BEGUN : 0) |
                     (c->any ? HSC_message_event_flag_ANY_SOURCE : 0) | follows(length);
    hsc_rec_message_event e = event_of(c, duration, flags, c->comm, c->source, c->receive_tag, c->from_sequence, size);
    e.stands_for = stands_for;
    hsc_mpi_put_event(c->block, c->node, &e);
}

HSC_MPI_HOT void collective_event(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration) {
    unsigned length = length_of(c, duration, &c->comm->last_enter);
    uint64_t stands_for = length == LONG ? 0 : drawn(c->to_sequence, -1);
    if (length == SHORT && !stands_for)
        return;
    uint64_t flags = HSC_message_event_flag_COLLECTIVE | (has(h, 'r') ? HSC_message_event_flag_BEGUN : 0) | follows(length);
    hsc_rec_message_event e = event_of(c, duration, flags, c->comm, c->root, -1, c->to_sequence, c->sent);
    e.stands_for = stands_for;
    hsc_mpi_put_event(c->block, c->node, &e);
}

/* ---- requests ------------------------------------------------------------ */

HSC_MPI_HOT bool is_point_to_point(unsigned kind) {
    return kind >= HSC_MPI_SEND && kind <= HSC_MPI_PROBE;
}

HSC_MPI_HOT bool to_nobody(const hsc_mpi_call *c, const hsc_mpi_how *h) {
    return (IS(h, SEND) || IS(h, SENDRECEIVE)) && c->dest == hsc_mpi_lib.proc_null;
}

/* A request takes what is known of the call that makes it. */
/* All but that it is active. */
HSC_MPI_HOT void begin_request(hsc_mpi_request *r, hsc_mpi_call *c, const hsc_mpi_how *h) {
    r->op = c->op;
    r->comm = c->comm;
    r->to = c->to;
    r->from = c->from;
    r->dest = (int32_t)c->dest;
    r->source = (int32_t)c->source;
    r->tag = (int32_t)c->tag;
    r->receive_tag = (int32_t)c->receive_tag;
    r->root = (int32_t)c->root;
    r->sent = to_nobody(c, h) ? 0 : c->sent;
    r->room = is_point_to_point(h->kind) ? c->room : c->received;
    r->to_sequence = c->to_sequence;
    r->from_sequence = c->from_sequence;
    r->begun_ns = c->enter;
    r->thread_id = c->block->thread_id;
    r->node = c->node;
    r->peer_class = c->peer_class;
    r->any = c->any;
    r->persistent = h->flags & HSC_MPI_PERSISTENT;
    r->begin_duration = 0;
    r->deferred = false;
}

/* The call as one of the request's. */
static inline hsc_mpi_call call_of(const hsc_mpi_call *c, const hsc_mpi_request *r) {
    hsc_mpi_call as = *c;
    as.comm = r->comm;
    as.to = r->to;
    as.from = r->from;
    as.dest = r->dest;
    as.tag = r->tag;
    as.source = r->source;
    as.receive_tag = r->receive_tag;
    as.to_sequence = r->to_sequence;
    as.from_sequence = r->from_sequence;
    as.sent = r->sent;
    as.root = r->root;
    return as;
}

/* A persistent operation starts: it counts like one that is begun here. */
static inline void start_request(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t key) {
    hsc_mpi_request *r = hsc_mpi_request_get(key);
    if (!r || !r->persistent)
        return;
    atomic_store_explicit(&r->active, true, memory_order_relaxed); /* nobody else may use its handle meanwhile */
    if (r->any) /* what it took the last time */
        r->from = NULL;
    r->begun_ns = c->enter;
    r->thread_id = c->block->thread_id;
    r->node = c->node;
    if (r->op->kind >= HSC_MPI_BARRIER && r->op->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL)
        r->to_sequence = hsc_mpi_next(&r->comm->collectives);
    if (r->dest >= 0 && (r->to = hsc_mpi_channel_of(r->comm, r->dest, r->tag, false)) != NULL)
        r->to_sequence = hsc_mpi_next(&r->to->messages);
    if (r->source >= 0 && !r->any && (r->from = hsc_mpi_channel_of(r->comm, r->source, r->receive_tag, true)) != NULL)
        r->from_sequence = hsc_mpi_next(&r->from->messages);
    hsc_mpi_call as = call_of(c, r);
    if (r->op->kind >= HSC_MPI_BARRIER && r->op->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL) {
        as.op = r->op;
        collective_event(&as, h, 0);
        as.op = c->op;
    }
    send_event(&as, h, 0);
    receive_event(&as, h, 0, r->room);
}

/* Adds to the place where it was begun; for receives of unknown size that is where they are counted. */
HSC_MPI_HOT void note_completion(hsc_mpi_call *c, const hsc_mpi_request *r, uint64_t leave, uint64_t share, const status *s) {
    hsc_mpi_block *b = c->block;
    bool came = r->source != hsc_mpi_lib.proc_null && s && !s->cancelled, point_to_point = r->from || r->any;
    amount x = {.sent = r->sent, .received = point_to_point ? (came ? s->bytes : 0) : is_point_to_point(r->op->kind) ? 0 : r->room};
    x.size = x.sent ? x.sent : x.received;
    x.received_message = point_to_point && came;
    x.from = x.received_message ? world_of(r->comm, r->from, s->source) + 1 : 0;
    x.to = r->persistent && r->to ? world_of(r->comm, r->to, r->dest) + 1 : 0;
    x.sent_message = r->to != NULL;
    hsc_mpi_note n = note_of(r->node, r->op, r->peer_class, r->persistent ? 0 : r->begin_duration, &x);
    n.thread_id = r->thread_id == b->thread_id ? 0 : r->thread_id;
    n.flags |= HSC_MPI_NOTE_COMPLETED;
    if (!r->deferred && !r->persistent) /* the call is counted already */
        n.flags &= (uint8_t)~HSC_MPI_NOTE_CALL;
    n.in_flight = leave - r->begun_ns;
    n.share = share;
    add(b, &n);
}

/* Of a call that completes this one, and no other whose number is another one. */
HSC_MPI_HOT uint64_t drawn_by(const hsc_mpi_call *c, const hsc_mpi_request *r, uint64_t leave) {
    return r->from ? drawn(r->from_sequence, r->receive_tag) : r->any ? drawn_in_slice(c, leave, SLICES_SELDOM) : drawn(r->to_sequence, r->to ? r->tag : -1);
}

/* Whether messages of the two are drawn together. */
HSC_MPI_HOT bool in_step(const hsc_mpi_request *x, const hsc_mpi_request *y) {
    uint64_t a = x->from ? x->from_sequence : x->to_sequence, b = y->from ? y->from_sequence : y->to_sequence;
    int32_t s = x->from ? x->receive_tag : x->to ? x->tag : -1, t = y->from ? y->receive_tag : y->to ? y->tag : -1;
    return a == b && (a || s == t) && (x->from || !x->any) && (y->from || !y->any);
}

HSC_MPI_HOT void completion_event(hsc_mpi_call *c, const hsc_mpi_how *h, const hsc_mpi_request *r, uint64_t leave, const status *s) {
    bool collective = r->op->kind >= HSC_MPI_BARRIER && r->op->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL;
    uint64_t duration = leave - c->since, between = between_looks(c, h);
    uint64_t flags = HSC_message_event_flag_COMPLETED | (r->any ? HSC_message_event_flag_ANY_SOURCE : 0) | looked(c, h);
    uint64_t stands_for = 0;
    if (!r->comm || (HSC_MPI_USUALLY(duration < c->block->threshold_ns) && !(stands_for = c->stands_for)))
        return;
    hsc_rec_message_event e;
    if (r->from)
        e = event_of(c, duration, flags | HSC_message_event_flag_RECEIVED, r->comm, s ? s->source : r->source,
                     s ? s->tag : r->receive_tag, r->from_sequence, s ? s->bytes : r->room);
    else if (r->to)
        e = event_of(c, duration, flags | HSC_message_event_flag_SENT, r->comm, r->dest, r->tag, r->to_sequence,
                     r->sent);
    else if (collective)
        e = event_of(c, duration, flags | HSC_message_event_flag_COLLECTIVE, r->comm, r->root, -1, r->to_sequence,
                     r->sent);
    else if (r->op->kind >= HSC_MPI_PUT && r->op->kind <= HSC_MPI_PUTGET && r->dest >= 0 && !stands_for) /* what has no number is not drawn */
        e = event_of(c, duration, flags | HSC_message_event_flag_RECEIVED | HSC_message_event_flag_ONE_SIDED, r->comm, r->dest, HSC_MPI_ACCESSED, 0,
                     r->sent ? r->sent : r->room);
    else
        return;
    e.begin_thread_id = r->thread_id;
    e.begin_node_id = r->node;
    e.begin_ns = c->since > r->begun_ns ? c->since - r->begun_ns : 0;
    e.stands_for = stands_for;
    e.between_ns = between;
    hsc_mpi_put_event(c->block, c->node, &e);
}

/* Partitions of a message are ready, which the other side may have waited for: the last event tells when that was, to the threshold. */
static inline void partition_ready(hsc_mpi_call *c, const hsc_mpi_how *h) {
    hsc_mpi_request *r = hsc_mpi_request_get(c->handle);
    if (!r || !r->to || !atomic_load_explicit(&r->active, memory_order_acquire))
        return;
    hsc_mpi_call as = call_of(c, r);
    uint64_t before = r->to->last_enter;
    send_event(&as, h, 0);
    if (c->enter - before < c->block->threshold_ns)
        r->to->last_enter = before;
}

/* A partition is looked for, and is there; the message may be under way still. */
static inline void partition_came(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t leave) {
    const hsc_mpi_request *r = *(const int32_t *)argument(c, h, 'f') ? hsc_mpi_request_get(c->handle) : NULL; /* NOLINT */
    if (!r || !r->from || !atomic_load_explicit(&r->active, memory_order_acquire))
        return;
    c->found = true;
    c->stands_for = c->since != c->enter ? drawn_by(c, r, leave) : 0;
    completion_event(c, h, r, leave, NULL);
}

/* `r`: as hsc_mpi_request_take gave it. */
HSC_MPI_HOT void completed(hsc_mpi_call *c, const hsc_mpi_how *h, hsc_mpi_request *r, const uint8_t *at, uint64_t leave, uint64_t share) {
    status s = {0};
    bool receives = r->from || r->any;
    if (at)
        s = read_status(at);
    if (r->any && at && !s.cancelled && s.source >= 0) {
        r->from = hsc_mpi_channel_of(r->comm, s.source, s.tag, true);
        if (r->from)
            r->from_sequence = hsc_mpi_next(&r->from->messages);
    }
    if (s.cancelled && r->from) { /* took no message */
        uint64_t next = r->from_sequence + 1;
        atomic_compare_exchange_strong(&r->from->messages, &next, r->from_sequence);
    }
    note_completion(c, r, leave, share, at && receives ? &s : NULL);
    completion_event(c, h, r, leave, at && receives ? &s : NULL);
}

/* `draws`: the call waits; `alone`: and completes no other. */
HSC_MPI_HOT bool complete(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t key, const uint8_t *at, uint64_t leave, uint64_t share, bool draws, bool alone) {
    uint32_t which;
    hsc_mpi_request *r;
    if (!hsc_mpi_request_take(&key, 1, &r, &which))
        return false;
    c->stands_for = !draws ? 0 : alone ? drawn_by(c, r, leave) : drawn_in_slice(c, leave, SLICES_SELDOM);
    completed(c, h, r, at, leave, share);
    hsc_mpi_request_give(&r, 1);
    return true;
}

/* All of c->n requests; those that are not known share nothing. */
HSC_MPI_HOT uint64_t complete_all(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t leave, bool draws) {
    hsc_mpi_block *b = c->block;
    uint64_t duration = leave - c->enter, done = 0, n = 0;
    if (c->n > HSC_MPI_TAKEN && !(n = hsc_mpi_request_count(b->keys, c->n)))
        return 0;
    for (uint64_t first = 0; first < c->n; first += HSC_MPI_TAKEN) {
        uint32_t which[HSC_MPI_TAKEN], some = (uint32_t)(c->n - first < HSC_MPI_TAKEN ? c->n - first : HSC_MPI_TAKEN);
        hsc_mpi_request *r[HSC_MPI_TAKEN];
        uint32_t taken = hsc_mpi_request_take(b->keys + first, some, r, which);
        uint64_t share = taken ? duration / (n ? n : taken) : 0;
        if (!first) { /* it waited for the last one of all: so all of them have an event, or none */
            bool same = true, messages = taken; /* begins of collective operations are not told in slices */
            uint64_t slices = c->n > HSC_MPI_TAKEN ? SLICES_SELDOM : 0;
            for (uint32_t i = 0; i < taken && draws; i++) {
                uint64_t of = r[i]->from ? slices_of(r[i]->from_sequence) : r[i]->to && !r[i]->any ? slices_of(r[i]->to_sequence) : SLICES_SELDOM;
                same = same && in_step(r[0], r[i]);
                messages = messages && (r[i]->from || r[i]->to || r[i]->any);
                slices = slices > of ? slices : of;
            }
            c->stands_for = !draws || !taken ? 0 : same ? drawn_by(c, r[0], leave) : messages ? drawn_in_slice(c, leave, slices) : 0;
        }
        for (uint32_t i = 0; i < taken; i++)
            completed(c, h, r[i], c->status ? c->status + (first + which[i]) * hsc_mpi_lib.status_bytes : NULL, leave, share);
        hsc_mpi_request_give(r, taken);
        done += taken;
    }
    return done;
}

/* Requests that the call has completed, by the results that it gave. Returns how many. */
HSC_MPI_HOT uint64_t completions(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t leave) {
    const hsc_mpi_block *b = c->block;
    uint64_t duration = leave - c->enter, done = 0;
    int base = h->f08 ? hsc_mpi_lib.f08_base : h->fortran ? 1 : 0;
    bool draws = !looks(h) || c->since != c->enter; /* of calls that only look, those in vain that nothing follows stand for themselves */
    if (has(h, 'f') && !*(const int32_t *)argument(c, h, 'f')) /* NOLINT */
        return 0;
    switch (h->kind) {
    case HSC_MPI_WAIT:
        return complete(c, h, c->handle, c->status, leave, duration, draws, true);
    case HSC_MPI_WAITALL:
        return complete_all(c, h, leave, draws);
    case HSC_MPI_WAITANY: {
        int64_t i = *(const int32_t *)argument(c, h, 'i') - base; /* NOLINT */
        return i >= 0 && (uint64_t)i < c->n ? complete(c, h, b->keys[i], c->status, leave, duration, draws, true) : 0;
    }
    default: {
        int64_t found = *(const int32_t *)argument(c, h, 'o'); /* NOLINT */
        for (int64_t k = 0; k < found; k++) {
            int64_t i = ((const int32_t *)argument(c, h, 'I'))[k] - base; /* NOLINT */
            if (i >= 0 && (uint64_t)i < c->n)
                done += complete(c, h, b->keys[i], c->status ? c->status + (uint64_t)k * hsc_mpi_lib.status_bytes : NULL,
                                 leave, duration / (uint64_t)found, draws, found == 1);
        }
        return done;
    }
    }
}

HSC_MPI_HOT void post(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration, bool deferred) {
    int32_t fortran;
    uint64_t key = new_request_at(h, argument(c, h, 'r'), &fortran);
    hsc_mpi_request *r = hsc_mpi_request_new(key, c->from || c->any, fortran);
    if (!r)
        return;
    begin_request(r, c, h);
    r->begin_duration = duration;
    r->deferred = deferred;
    hsc_mpi_request_begun(r);
}

/* ---- the end of each kind ------------------------------------------------------------ */

/* Made for each kind: what it has not, costs nothing. */
HSC_MPI_HOT void after_point_to_point(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration, bool sends, bool receives, bool posts) {
    hsc_mpi_block *b = c->block;
    bool persistent = posts && h->flags & HSC_MPI_PERSISTENT;
    amount x = {.sent = sends && c->dest != hsc_mpi_lib.proc_null ? c->sent : 0};
    if (receives && c->request) { /* taken by a matched probe before */
        hsc_mpi_request *m = c->request;
        c->comm = m->comm;
        c->from = m->from;
        c->source = m->source;
        c->receive_tag = m->receive_tag;
        c->from_sequence = m->from_sequence;
        c->any = m->any;
        hsc_mpi_request_end(m);
    }
    if (!c->comm) {
        note(b, c->node, c->op, HSC_peer_class_NONE, duration, &x);
        return;
    }
    int64_t source = c->source;
    if (receives && !posts && c->status) {
        status s = read_status(c->status);
        if (c->any && s.source >= 0 && !c->from) {
            c->source = s.source;
            c->receive_tag = s.tag;
            if ((c->from = hsc_mpi_channel_of(c->comm, s.source, s.tag, true)) != NULL)
                c->from_sequence = hsc_mpi_next(&c->from->messages);
        }
        if (c->from || c->any) {
            x.received = s.bytes;
            x.received_message = s.source >= 0;
            if (x.received_message)
                x.from = world_of(c->comm, c->from, c->source) + 1;
        }
    }
    c->peer_class = (uint8_t)(sends                              ? peer_class_of(c->comm, c->to, c->dest)
                              : source == hsc_mpi_lib.any_source ? HSC_peer_class_ANY
                                                                 : peer_class_of(c->comm, c->from, source));
    if (c->to && !persistent) {
        x.sent_message = true;
        x.to = c->to->world + 1;
    }
    x.size = sends && !to_nobody(c, h) ? x.sent : x.received;
    if (posts) {
        post(c, h, duration, receives && !persistent);
        if (receives && !persistent) { /* counted when its size is known, but for the partner that it sends to */
            if (sends && x.to) {
                hsc_mpi_note n = note_of(c->node, c->op, c->peer_class, duration, &x);
                n.flags = 0;
                add(b, &n);
            }
            receive_event(c, h, duration, c->room);
            send_event(c, h, duration);
            return;
        }
        if (persistent)
            x = (amount){0};
    }
    note(b, c->node, c->op, c->peer_class, duration, &x);
    if (sends)
        send_event(c, h, duration);
    if (receives)
        receive_event(c, h, duration, x.received);
}

HSC_MPI_HOT void after_probe(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration) {
    bool found = !has(h, 'f') || *(const int32_t *)argument(c, h, 'f'); /* NOLINT */
    amount x = {.completions = found};
    uint32_t peer_class = !c->comm                              ? HSC_peer_class_NONE
                          : c->source == hsc_mpi_lib.any_source ? HSC_peer_class_ANY
                                                                : hsc_mpi_peer_class(c->comm, c->source);
    note(c->block, c->node, c->op, peer_class, duration, &x);
    if (!found || !c->comm || !c->status || c->source == hsc_mpi_lib.proc_null)
        return;
    status s = read_status(c->status);
    hsc_mpi_channel *from = s.source >= 0 ? hsc_mpi_channel_of(c->comm, s.source, s.tag, true) : NULL;
    hsc_mpi_request *m = has(h, 'e') ? hsc_mpi_request_new(message_of(c, h), true, 0) : NULL;
    uint64_t sequence = from ? atomic_load_explicit(&from->messages, memory_order_relaxed) : 0;
    if (m) {
        sequence = from ? hsc_mpi_next(&from->messages) : 0;
        begin_request(m, c, h);
        m->from = from;
        m->source = s.source;
        m->receive_tag = s.tag;
        m->from_sequence = sequence;
        hsc_mpi_request_begun(m);
    }
    uint64_t stands_for = 0;
    duration += c->enter - c->since;
    if (!from || (duration < c->block->threshold_ns && !(stands_for = looks(h) && c->since == c->enter ? 0 : drawn(sequence, s.tag))))
        return;
    hsc_rec_message_event e = event_of(c, duration, HSC_message_event_flag_RECEIVED | HSC_message_event_flag_BEGUN | looked(c, h),
                                       c->comm, s.source, s.tag, sequence, s.bytes);
    e.between_ns = between_looks(c, h);
    e.stands_for = stands_for;
    hsc_mpi_put_event(c->block, c->node, &e);
}

HSC_MPI_HOT void after_collective(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration) {
    amount x = {.sent = c->sent, .received = c->received, .size = c->sent ? c->sent : c->received};
    if (!c->comm) {
        note(c->block, c->node, c->op, HSC_peer_class_ALL, duration, &x);
        return;
    }
    bool persistent = h->flags & HSC_MPI_PERSISTENT;
    if (has(h, 'r'))
        post(c, h, duration, false);
    if (persistent)
        x = (amount){0};
    note(c->block, c->node, c->op, c->peer_class, duration, &x);
    if (!persistent)
        collective_event(c, h, duration);
}

static inline void after_one_sided(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration) {
    bool gets = !IS(h, PUT), puts = !IS(h, GET), somebody = c->comm && c->dest != hsc_mpi_lib.proc_null;
    amount x = {.sent_message = puts && somebody,
                .received_message = gets && somebody,
                .sent = somebody ? c->sent : 0,
                .received = somebody ? c->received : 0};
    x.size = x.sent ? x.sent : x.received;
    c->peer_class = (uint8_t)(c->comm ? hsc_mpi_peer_class(c->comm, c->dest) : HSC_peer_class_NONE);
    note(c->block, c->node, c->op, c->peer_class, duration, &x);
    if (HSC_MPI_RARELY(duration >= c->block->threshold_ns) && somebody)
        hsc_mpi_after_access(c, duration);
    if (has(h, 'r') && c->comm) {
        c->dest = c->dest < c->comm->size ? c->dest : -1;
        post(c, h, duration, false);
    }
}

HSC_MPI_HOT void after(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t leave) {
    uint64_t duration = leave - c->enter;
    amount x = {0};
    switch (h->kind) {
    case HSC_MPI_SEND:
        if (has(h, 'r'))
            after_point_to_point(c, h, duration, true, false, true);
        else
            after_point_to_point(c, h, duration, true, false, false);
        return;
    case HSC_MPI_RECEIVE:
        if (has(h, 'r'))
            after_point_to_point(c, h, duration, false, true, true);
        else
            after_point_to_point(c, h, duration, false, true, false);
        return;
    case HSC_MPI_SENDRECEIVE:
        after_point_to_point(c, h, duration, true, true, has(h, 'r'));
        return;
    case HSC_MPI_PROBE:
        after_probe(c, h, duration);
        return;
    case HSC_MPI_WAIT:
    case HSC_MPI_WAITALL:
    case HSC_MPI_WAITANY:
    case HSC_MPI_WAITSOME:
        x.completions = (uint32_t)completions(c, h, leave);
        c->found = x.completions != 0;
        break;
    case HSC_MPI_START:
        start_request(c, h, c->handle);
        break;
    case HSC_MPI_STARTALL:
        for (uint64_t i = 0; i < c->n; i++)
            start_request(c, h, c->block->keys[i]);
        break;
    case HSC_MPI_PARTITION:
        if (has(h, 'f'))
            partition_came(c, h, leave);
        else
            partition_ready(c, h);
        break;
    case HSC_MPI_REQUEST_FREE: {
        hsc_mpi_request *r = hsc_mpi_request_get(c->handle);
        if (r && r->active)
            complete(c, h, c->handle, NULL, leave, 0, false, false);
        else if (r)
            hsc_mpi_request_end(r);
        if ((r = hsc_mpi_request_get(c->handle)) != NULL && r->persistent)
            hsc_mpi_request_end(r);
        break;
    }
    case HSC_MPI_PUT:
    case HSC_MPI_GET:
    case HSC_MPI_PUTGET:
        after_one_sided(c, h, duration);
        return;
    case HSC_MPI_FENCE:
    case HSC_MPI_EXPOSE:
    case HSC_MPI_EXPOSE_END:
    case HSC_MPI_ACCESS:
    case HSC_MPI_ACCESS_END:
    case HSC_MPI_LOCK:
    case HSC_MPI_UNLOCK:
    case HSC_MPI_FLUSH:
        hsc_mpi_after_synchronisation(c, h, duration);
        break;
    case HSC_MPI_WINDOW:
        if (c->comm && handle_by_address(c, h, 'W'))
            hsc_mpi_comm_new(c->block, c->comm, handle_by_address(c, h, 'W') | HSC_MPI_WINDOW_KEY, 0, true);
        break;
    case HSC_MPI_COMMUNICATOR: {
        uint64_t made = handle_by_address(c, h, 'M'), salt = has(h, 'g') ? (uint64_t)number(c, h, 'g') : 0;
        if (c->comm && !has(h, 'r') && made)
            hsc_mpi_comm_new(c->block, c->comm, made, salt, !has(h, 'g'));
        else if (c->comm)
            hsc_mpi_next(&c->comm->children);
        break;
    }
    case HSC_MPI_GROUP_COMMUNICATOR: /* Fortran's text has no end: its members and their order have to do */
        if (handle_by_address(c, h, 'M'))
            hsc_mpi_comm_of_groups(c->block, handle_by_address(c, h, 'M'), h->fortran ? NULL : (const char *)argument(c, h, 'j')); /* NOLINT */
        break;
    case HSC_MPI_COMMUNICATOR_FREE:
    case HSC_MPI_WINDOW_FREE:
        hsc_mpi_comm_forget(c->handle);
        break;
    case HSC_MPI_TYPE_FREE:
        hsc_mpi_type_forget(0);
        break;
    case HSC_MPI_FILE_READ:
        x.received = !has(h, 'r') && c->status ? read_status(c->status).bytes : c->room;
        x.size = x.received;
        break;
    case HSC_MPI_FILE_WRITE:
        x.sent = x.size = c->sent;
        break;
    default:
        if (h->kind >= HSC_MPI_BARRIER && h->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL) {
            after_collective(c, h, duration);
            return;
        }
    }
    note(c->block, c->node, c->op, HSC_peer_class_NONE, duration, &x);
    if (is_made_by_all(c, h))
        collective_event(c, h, duration);
}

#endif
