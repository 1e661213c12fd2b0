/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One call: its begin, its end, and what is noted then. */
#include "../state.h"
#include "call.h"

static void write_due(const hsc_mpi_call *c) {
    if (!heatscope_rt_services.own(c->thread))
        return;
    hsc_mpi_flush(c->thread, hsc_rt_thread_now(c->thread), false);
    heatscope_rt_services.disown(c->thread, c->node);
}

static ptrdiff_t self_at; /* where the thread's data are, from the thread pointer */

static __attribute__((constructor(104))) void find_self(void) {
    self_at = heatscope_rt_services.self_at();
}

/* hsc_rt_measured of here.h, without a call. */
static inline hsc_rt_thread *measured(const hsc_rt_state *rt) {
    hsc_rt_thread *t = *(hsc_rt_thread *const *)((const char *)__builtin_thread_pointer() + self_at); /* NOLINT */
    if (!t || !atomic_load_explicit(&rt->on, memory_order_relaxed))
        return NULL;
    bool same = __builtin_expect(rt->same_process != NULL, 1) ? atomic_load_explicit(rt->same_process, memory_order_relaxed) != 0
                                                             : heatscope_rt_services.active();
    return same ? t : NULL;
}

bool hsc_mpi_begin(hsc_mpi_call *c, hsc_mpi_op *op, uint64_t *a, bool fortran, const hsc_rt_here *here) {
    const hsc_rt_services *rt = &heatscope_rt_services;
    hsc_rt_thread *t = self_at ? measured(rt->state) : NULL;
    hsc_mpi_block *b = t ? hsc_mpi_block_of(t) : NULL;
    if (!b || !rt->state->options.messages)
        return false;
    if (b->frame && here->sp < b->frame && b->frame <= t->stack_high)
        return false; /* a call by the library itself; a frame that lies higher was left by a jump */
    if (__builtin_expect(!hsc_mpi_lib.ready, 0)) {
        if (!hsc_mpi_lib.bound)
            hsc_mpi_bind();
        if (op->kind != HSC_MPI_INIT)
            hsc_mpi_ready();
    }
    if (fortran && hsc_mpi_lib.kind == HSC_MPI_MPICH)
        return false; /* it calls the C function, which is seen */
    b->frame = here->sp;
    c->thread = t;
    c->block = b;
    c->op = op;
    c->a = a;
    c->fortran = fortran;
    c->any = false;
    c->peer_class = HSC_peer_class_NONE;
    c->comm = NULL;
    c->to = c->from = NULL;
    c->request = NULL;
    c->status = NULL;
    c->sent = c->room = c->received = c->to_sequence = c->from_sequence = c->n = c->handle = 0;
    c->dest = c->source = c->tag = c->receive_tag = c->root = -1;
    c->old_state = atomic_load_explicit(&t->state, memory_order_relaxed);
    if (c->old_state == HSC_state_UNKNOWN)
        t->state_frame = here->sp;
    hsc_rt_state_set(t, op->state);
    /* it may wait for long and be killed; after its end another rank may leave, and the launcher kill this one */
    if (b->last_ns >= t->messages_due || op->kind == HSC_MPI_FINALIZE)
        write_due(c);
    c->node = hsc_mpi_node(b, here, atomic_load_explicit(&rt->state->generation, memory_order_relaxed));
    if (hsc_mpi_lib.ready && hsc_mpi_lib.kind)
        hsc_mpi_before(c);
    c->enter = hsc_mpi_clock(b);
    return true;
}

/* ---- after
 * ------------------------------------------------------------------------------------------------------------------------
 */

static uint32_t id_of(hsc_mpi_op *op) {
    uint32_t id = atomic_load_explicit(&op->id, memory_order_relaxed);
    return __builtin_expect(id != 0, 1) ? id : hsc_mpi_op_id_slow(op);
}

/* What one call adds to a summary. */
typedef struct amount {
    uint64_t sent_messages, sent, received_messages, received, size, completions;
} amount;

HSC_MPI_HOT void note(hsc_mpi_block *b, uint32_t thread_id, uint32_t node, hsc_mpi_op *op, uint32_t peer_class,
                      uint64_t duration, const amount *x) {
    hsc_mpi_summary *s = hsc_mpi_summary_of(b, thread_id, node, id_of(op), peer_class, x->size);
    if (!s)
        return;
    unsigned size_class = (hsc_mpi_bits(x->size) + 3) / 4, d = hsc_mpi_bits(duration);
    s->size_min = x->size < s->size_min ? x->size : s->size_min;
    s->duration_min = duration < s->duration_min ? duration : s->duration_min;
    s->sent_messages += x->sent_messages;
    s->sent_bytes += x->sent;
    s->received_messages += x->received_messages;
    s->received_bytes += x->received;
    s->completions += x->completions;
    s->size_max = x->size > s->size_max ? x->size : s->size_max;
    s->size_squares += (double)(int64_t)x->size * (double)(int64_t)x->size;
    s->sizes[size_class ? hsc_mpi_bits(x->size) - (4 * size_class - 3) : 0]++;
    s->duration += duration;
    s->duration_max = duration > s->duration_max ? duration : s->duration_max;
    s->duration_squares += (double)(int64_t)duration * (double)(int64_t)duration;
    s->durations[d < HSC_MPI_DURATIONS ? d : HSC_MPI_DURATIONS - 1]++;
}

static void note_peer(hsc_mpi_block *b, const hsc_mpi_comm *m, int64_t rank, bool received, uint64_t size) {
    hsc_mpi_peer *p = hsc_mpi_peer_of(b, hsc_mpi_world_rank(m, rank));
    if (p && received) {
        p->received_messages++;
        p->received_bytes += size;
    } else if (p) {
        p->sent_messages++;
        p->sent_bytes += size;
    }
}

/* ---- events
 * -----------------------------------------------------------------------------------------------------------------------
 */

void hsc_mpi_put_event(hsc_mpi_call *c, const hsc_rec_message_event *e) {
    const hsc_rt_services *rt = &heatscope_rt_services;
    if (!rt->own(c->thread)) {
        c->block->not_recorded++;
        return;
    }
    hsc_mpi_event(c->block, e);
    rt->disown(c->thread, c->node);
}

hsc_rec_message_event hsc_mpi_event_of(const hsc_mpi_call *c, uint64_t duration, uint64_t flags, const hsc_mpi_comm *m, int64_t peer,
                                       int64_t tag, uint64_t sequence, uint64_t size) {
    return (hsc_rec_message_event){.time = c->enter,
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

static void send_event(hsc_mpi_call *c, uint64_t duration) {
    if (!c->to || !hsc_mpi_is_long(c, duration, &c->to->last_enter))
        return;
    uint64_t flags = HSC_message_event_flag_SENT | (has(c, 'r') ? HSC_message_event_flag_BEGUN : 0);
    hsc_rec_message_event e = hsc_mpi_event_of(c, duration, flags, c->comm, c->dest, c->tag, c->to_sequence, c->sent);
    hsc_mpi_put_event(c, &e);
}

static void receive_event(hsc_mpi_call *c, uint64_t duration, uint64_t size) {
    if (!c->from || !hsc_mpi_is_long(c, duration, &c->from->last_enter))
        return;
    uint64_t flags = HSC_message_event_flag_RECEIVED | (has(c, 'r') ? HSC_message_event_flag_BEGUN : 0) |
                     (c->any ? HSC_message_event_flag_ANY_SOURCE : 0);
    hsc_rec_message_event e = hsc_mpi_event_of(c, duration, flags, c->comm, c->source, c->receive_tag, c->from_sequence, size);
    hsc_mpi_put_event(c, &e);
}

static void collective_event(hsc_mpi_call *c, uint64_t duration) {
    if (!hsc_mpi_is_long(c, duration, &c->comm->last_enter))
        return;
    uint64_t flags = HSC_message_event_flag_COLLECTIVE | (has(c, 'r') ? HSC_message_event_flag_BEGUN : 0);
    hsc_rec_message_event e = hsc_mpi_event_of(c, duration, flags, c->comm, c->root, -1, c->to_sequence, c->sent);
    hsc_mpi_put_event(c, &e);
}

/* ---- requests
 * -----------------------------------------------------------------------------------------------------------------------
 */

void hsc_mpi_begin_request(hsc_mpi_request *r, hsc_mpi_call *c) {
    r->op = c->op;
    r->comm = c->comm;
    r->to = c->to;
    r->from = c->from;
    r->dest = c->dest;
    r->source = c->source;
    r->tag = c->tag;
    r->receive_tag = c->receive_tag;
    r->root = c->root;
    r->sent = c->sent;
    r->room = c->room;
    r->received = c->received;
    r->to_sequence = c->to_sequence;
    r->from_sequence = c->from_sequence;
    r->begun_ns = c->enter;
    r->thread_id = c->block->thread_id;
    r->node = c->node;
    r->peer_class = c->peer_class;
    r->any = c->any;
    r->persistent = c->op->flags & HSC_MPI_PERSISTENT;
    r->active = !r->persistent;
    r->begin_duration = 0;
    r->deferred = false;
}

/* A persistent operation starts: it counts like one that is begun here. */
static void start_request(hsc_mpi_call *c, uint64_t key) {
    hsc_mpi_request *r = hsc_mpi_request_get(key);
    if (!r || !r->persistent)
        return;
    r->active = true;
    r->begun_ns = c->enter;
    r->thread_id = c->block->thread_id;
    r->node = c->node;
    if (r->op->kind >= HSC_MPI_BARRIER && r->op->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL)
        r->to_sequence = hsc_mpi_next(&r->comm->collectives);
    if (r->dest >= 0 && (r->to = hsc_mpi_channel_of(r->comm, r->dest, r->tag, false)) != NULL)
        r->to_sequence = hsc_mpi_next(&r->to->messages);
    if (r->source >= 0 && !r->any && (r->from = hsc_mpi_channel_of(r->comm, r->source, r->receive_tag, true)) != NULL)
        r->from_sequence = hsc_mpi_next(&r->from->messages);
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
    if (r->op->kind >= HSC_MPI_BARRIER && r->op->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL)
        collective_event(&as, 0);
    send_event(&as, 0);
    receive_event(&as, 0, r->room);
}

/* Adds to the place where it was begun; for receives of unknown size that is where they are counted. */
static void note_completion(hsc_mpi_call *c, hsc_mpi_request *r, uint64_t leave, uint64_t share, const status *s) {
    hsc_mpi_block *b = c->block;
    uint32_t thread_id = r->thread_id == b->thread_id ? 0 : r->thread_id;
    bool came = r->source != hsc_mpi_lib.proc_null && s && !s->cancelled;
    uint64_t received = r->from || r->any ? (came ? s->bytes : 0) : r->received, size = r->sent;
    uint64_t received_messages = (r->from || r->any) && came, sent_messages = 0;
    if (received_messages)
        note_peer(b, r->comm, s->source, true, received);
    if (r->persistent && r->to) {
        note_peer(b, r->comm, r->dest, false, r->sent);
        sent_messages = 1;
    }
    hsc_mpi_op *op = r->op;
    if (r->deferred || r->persistent) {
        amount x = {sent_messages, r->sent, received_messages, received, r->sent ? r->sent : received, 0};
        if (!r->persistent)
            x.sent_messages = r->to != NULL;
        note(b, thread_id, r->node, op, r->peer_class, r->persistent ? 0 : r->begin_duration, &x);
        size = x.size;
    }
    hsc_mpi_summary *at = hsc_mpi_summary_of(b, thread_id, r->node, id_of(op), r->peer_class, size);
    if (at) {
        at->completions++;
        at->in_flight += leave - r->begun_ns;
        at->completion += share;
    }
}

static void completion_event(hsc_mpi_call *c, hsc_mpi_request *r, uint64_t duration, const status *s) {
    bool collective = r->op->kind >= HSC_MPI_BARRIER && r->op->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL;
    uint64_t flags = HSC_message_event_flag_COMPLETED | (r->any ? HSC_message_event_flag_ANY_SOURCE : 0);
    if (duration < c->block->threshold_ns || !r->comm)
        return;
    hsc_rec_message_event e;
    if (r->from)
        e = hsc_mpi_event_of(c, duration, flags | HSC_message_event_flag_RECEIVED, r->comm, s ? s->source : r->source,
                     s ? s->tag : r->receive_tag, r->from_sequence, s ? s->bytes : r->room);
    else if (r->to)
        e = hsc_mpi_event_of(c, duration, flags | HSC_message_event_flag_SENT, r->comm, r->dest, r->tag, r->to_sequence,
                     r->sent);
    else if (collective)
        e = hsc_mpi_event_of(c, duration, flags | HSC_message_event_flag_COLLECTIVE, r->comm, r->root, -1, r->to_sequence,
                     r->sent);
    else
        return;
    e.begin_thread_id = r->thread_id;
    e.begin_node_id = r->node;
    e.begin_ns = c->enter > r->begun_ns ? c->enter - r->begun_ns : 0;
    hsc_mpi_put_event(c, &e);
}

static bool complete(hsc_mpi_call *c, uint64_t key, const uint8_t *at, uint64_t leave, uint64_t share) {
    hsc_mpi_request *r = hsc_mpi_request_get(key);
    if (!r || !r->active)
        return false;
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
    completion_event(c, r, leave - c->enter, at && receives ? &s : NULL);
    if (r->persistent)
        r->active = false;
    else
        hsc_mpi_request_end(r);
    return true;
}

/* Requests that the call has completed, by the results that it gave. Returns how many. */
static uint64_t completions(hsc_mpi_call *c, uint64_t leave) {
    const hsc_mpi_block *b = c->block;
    uint64_t duration = leave - c->enter, n = 0, done = 0;
    int base = c->fortran ? 1 : 0;
    if (has(c, 'f') && !*(const int32_t *)argument(c, 'f')) /* NOLINT */
        return 0;
    switch (c->op->kind) {
    case HSC_MPI_WAIT:
        return complete(c, c->handle, c->status, leave, duration);
    case HSC_MPI_WAITALL:
        for (uint64_t i = 0; i < c->n; i++)
            n += hsc_mpi_request_get(b->keys[i]) != NULL;
        for (uint64_t i = 0; i < c->n && n; i++)
            done += complete(c, b->keys[i], c->status ? c->status + i * hsc_mpi_lib.status_bytes : NULL, leave,
                             duration / n);
        return done;
    case HSC_MPI_WAITANY: {
        int64_t i = *(const int32_t *)argument(c, 'i') - base; /* NOLINT */
        return i >= 0 && (uint64_t)i < c->n ? complete(c, b->keys[i], c->status, leave, duration) : 0;
    }
    default: {
        int64_t found = *(const int32_t *)argument(c, 'o'); /* NOLINT */
        for (int64_t k = 0; k < found; k++) {
            int64_t i = ((const int32_t *)argument(c, 'I'))[k] - base; /* NOLINT */
            if (i >= 0 && (uint64_t)i < c->n)
                done += complete(c, b->keys[i], c->status ? c->status + (uint64_t)k * hsc_mpi_lib.status_bytes : NULL,
                                 leave, duration / (uint64_t)found);
        }
        return done;
    }
    }
}

static void post(hsc_mpi_call *c, uint64_t duration, bool deferred) {
    hsc_mpi_request *r = hsc_mpi_request_new(handle_by_address(c, 'r'), c->from || c->any);
    if (!r)
        return;
    hsc_mpi_begin_request(r, c);
    r->begin_duration = duration;
    r->deferred = deferred;
}

/* ---- the end of each kind
 * ----------------------------------------------------------------------------------------------------------- */

/* Made for each kind: what it has not, costs nothing. */
HSC_MPI_HOT void after_point_to_point(hsc_mpi_call *c, uint64_t duration, bool sends, bool receives, bool posts) {
    hsc_mpi_block *b = c->block;
    bool persistent = posts && c->op->flags & HSC_MPI_PERSISTENT;
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
        note(b, 0, c->node, c->op, HSC_peer_class_NONE, duration, &x);
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
            x.received_messages = s.source >= 0;
            if (x.received_messages)
                note_peer(b, c->comm, c->source, true, s.bytes);
        }
    }
    c->peer_class = (uint8_t)(sends                              ? hsc_mpi_peer_class(c->comm, c->dest)
                              : source == hsc_mpi_lib.any_source ? HSC_peer_class_ANY
                                                                 : hsc_mpi_peer_class(c->comm, source));
    if (c->to && !persistent) {
        x.sent_messages = 1;
        note_peer(b, c->comm, c->dest, false, c->sent);
    }
    x.size = sends ? x.sent : x.received;
    if (posts) {
        post(c, duration, receives && !persistent);
        if (receives && !persistent) { /* counted when its size is known */
            receive_event(c, duration, c->room);
            send_event(c, duration);
            return;
        }
        if (persistent)
            x = (amount){0};
    }
    note(b, 0, c->node, c->op, c->peer_class, duration, &x);
    if (sends)
        send_event(c, duration);
    if (receives)
        receive_event(c, duration, x.received);
}

static void after_probe(hsc_mpi_call *c, uint64_t duration) {
    bool found = !has(c, 'f') || *(const int32_t *)argument(c, 'f'); /* NOLINT */
    amount x = {.completions = found};
    uint32_t peer_class = !c->comm                              ? HSC_peer_class_NONE
                          : c->source == hsc_mpi_lib.any_source ? HSC_peer_class_ANY
                                                                : hsc_mpi_peer_class(c->comm, c->source);
    note(c->block, 0, c->node, c->op, peer_class, duration, &x);
    if (!found || !c->comm || !c->status || c->source == hsc_mpi_lib.proc_null)
        return;
    status s = read_status(c->status);
    hsc_mpi_channel *from = s.source >= 0 ? hsc_mpi_channel_of(c->comm, s.source, s.tag, true) : NULL;
    hsc_mpi_request *m =
        has(c, 'e') ? hsc_mpi_request_new(handle_by_address(c, 'e') | HSC_MPI_MESSAGE_KEY, true) : NULL;
    uint64_t sequence = from ? atomic_load_explicit(&from->messages, memory_order_relaxed) : 0;
    if (m) {
        sequence = from ? hsc_mpi_next(&from->messages) : 0;
        hsc_mpi_begin_request(m, c);
        m->from = from;
        m->source = s.source;
        m->receive_tag = s.tag;
        m->from_sequence = sequence;
    }
    if (!from || duration < c->block->threshold_ns)
        return;
    hsc_rec_message_event e = hsc_mpi_event_of(c, duration, HSC_message_event_flag_RECEIVED | HSC_message_event_flag_BEGUN,
                                       c->comm, s.source, s.tag, sequence, s.bytes);
    hsc_mpi_put_event(c, &e);
}

static void after_collective(hsc_mpi_call *c, uint64_t duration) {
    amount x = {.sent = c->sent, .received = c->received, .size = c->sent ? c->sent : c->received};
    if (!c->comm) {
        note(c->block, 0, c->node, c->op, HSC_peer_class_ALL, duration, &x);
        return;
    }
    bool persistent = c->op->flags & HSC_MPI_PERSISTENT;
    if (has(c, 'r'))
        post(c, duration, false);
    if (persistent)
        x = (amount){0};
    note(c->block, 0, c->node, c->op, c->peer_class, duration, &x);
    if (!persistent)
        collective_event(c, duration);
}

static void after_one_sided(hsc_mpi_call *c, uint64_t duration) {
    bool gets = !IS(c, PUT), puts = !IS(c, GET), somebody = c->comm && c->dest != hsc_mpi_lib.proc_null;
    amount x = {puts && somebody, somebody ? c->sent : 0, gets && somebody, somebody ? c->received : 0, 0, 0};
    x.size = x.sent ? x.sent : x.received;
    c->peer_class = (uint8_t)(c->comm ? hsc_mpi_peer_class(c->comm, c->dest) : HSC_peer_class_NONE);
    note(c->block, 0, c->node, c->op, c->peer_class, duration, &x);
    if (has(c, 'r') && c->comm) {
        c->dest = -1;
        post(c, duration, false);
    }
}

static void after(hsc_mpi_call *c, uint64_t leave) {
    uint64_t duration = leave - c->enter;
    amount x = {0};
    switch (c->op->kind) {
    case HSC_MPI_SEND:
        if (has(c, 'r'))
            after_point_to_point(c, duration, true, false, true);
        else
            after_point_to_point(c, duration, true, false, false);
        return;
    case HSC_MPI_RECEIVE:
        if (has(c, 'r'))
            after_point_to_point(c, duration, false, true, true);
        else
            after_point_to_point(c, duration, false, true, false);
        return;
    case HSC_MPI_SENDRECEIVE:
        after_point_to_point(c, duration, true, true, has(c, 'r'));
        return;
    case HSC_MPI_PROBE:
        after_probe(c, duration);
        return;
    case HSC_MPI_WAIT:
    case HSC_MPI_WAITALL:
    case HSC_MPI_WAITANY:
    case HSC_MPI_WAITSOME:
        x.completions = completions(c, leave);
        break;
    case HSC_MPI_START:
        start_request(c, c->handle);
        break;
    case HSC_MPI_STARTALL:
        for (uint64_t i = 0; i < c->n; i++)
            start_request(c, c->block->keys[i]);
        break;
    case HSC_MPI_REQUEST_FREE: {
        hsc_mpi_request *r = hsc_mpi_request_get(c->handle);
        if (r && r->active)
            complete(c, c->handle, NULL, leave, 0);
        else if (r)
            hsc_mpi_request_end(r);
        if ((r = hsc_mpi_request_get(c->handle)) != NULL && r->persistent)
            hsc_mpi_request_end(r);
        break;
    }
    case HSC_MPI_PUT:
    case HSC_MPI_GET:
    case HSC_MPI_PUTGET:
        after_one_sided(c, duration);
        return;
    case HSC_MPI_FENCE:
    case HSC_MPI_EXPOSE:
    case HSC_MPI_EXPOSE_END:
    case HSC_MPI_ACCESS:
    case HSC_MPI_ACCESS_END:
    case HSC_MPI_LOCK:
    case HSC_MPI_UNLOCK:
        hsc_mpi_after_synchronisation(c, duration);
        break;
    case HSC_MPI_WINDOW:
        if (c->comm && handle_by_address(c, 'W'))
            hsc_mpi_comm_new(c->comm, handle_by_address(c, 'W') | HSC_MPI_WINDOW_KEY, 0, true);
        break;
    case HSC_MPI_COMMUNICATOR: {
        uint64_t made = handle_by_address(c, 'M'), salt = has(c, 'g') ? (uint64_t)number(c, 'g') : 0;
        if (c->comm && !has(c, 'r') && made)
            hsc_mpi_comm_new(c->comm, made, salt, !has(c, 'g'));
        else if (c->comm)
            hsc_mpi_next(&c->comm->children);
        break;
    }
    case HSC_MPI_COMMUNICATOR_FREE:
    case HSC_MPI_WINDOW_FREE:
        hsc_mpi_comm_forget(c->handle);
        break;
    case HSC_MPI_TYPE_FREE:
        hsc_mpi_type_forget(0);
        break;
    case HSC_MPI_FILE_READ:
        x.received = !has(c, 'r') && c->status ? read_status(c->status).bytes : c->room;
        x.size = x.received;
        break;
    case HSC_MPI_FILE_WRITE:
        x.sent = x.size = c->sent;
        break;
    default:
        if (c->op->kind >= HSC_MPI_BARRIER && c->op->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL) {
            after_collective(c, duration);
            return;
        }
    }
    note(c->block, 0, c->node, c->op, HSC_peer_class_NONE, duration, &x);
}

void hsc_mpi_end(hsc_mpi_call *c, int error) {
    hsc_mpi_block *b = c->block;
    hsc_rt_thread *t = c->thread;
    uint64_t leave = hsc_mpi_clock(b);
    if (t->messages == b) {
        atomic_store_explicit(&b->updating, 1, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        if (c->op->kind == HSC_MPI_INIT)
            hsc_mpi_ready();
        if (!error && hsc_mpi_lib.ready && hsc_mpi_lib.kind)
            after(c, leave);
        else {
            amount none = {0};
            note(b, 0, c->node, c->op, HSC_peer_class_NONE, leave - c->enter, &none);
        }
        atomic_signal_fence(memory_order_seq_cst);
        atomic_store_explicit(&b->updating, 0, memory_order_relaxed);
        if (leave >= t->messages_due || c->op->kind == HSC_MPI_FINALIZE)
            write_due(c);
    }
    b->frame = 0;
    hsc_rt_state_set(t, c->old_state);
}
