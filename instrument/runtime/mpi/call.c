/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One call of any operation; and the slow parts of all. */
#include "hot.h"

static __attribute__((constructor(104))) void find_self(void) {
    hsc_mpi_lib.rt = heatscope_rt_services.state;
    hsc_mpi_lib.self_at = heatscope_rt_services.self_at();
}

void hsc_mpi_write_due(hsc_mpi_block *b, uint32_t node) {
    hsc_rt_thread *t = b->thread;
    const hsc_rt_state *rt = hsc_mpi_lib.rt;
    /* its own time is CPU time: it is rare, and long enough to be interrupted on a busy machine, which is not ours */
    b->thread->watched += !b->thread->watched && !rt->sandboxed;
    uint64_t begin = hsc_mpi_own_begin(b->thread);
    if (!heatscope_rt_services.own(t))
        return;
    hsc_mpi_flush(t, hsc_rt_thread_now(t), false);
    heatscope_rt_services.disown(t, node);
    hsc_mpi_was_slow(b, begin);
}

uint64_t hsc_mpi_measure(hsc_mpi_block *b) {
    b->until_cost = HSC_MPI_COST_EVERY;
    b->cost_slow_at = b->cost_slow;
    b->cost_passed_at = b->cost_passed;
    b->cost_before = 0;
    return hsc_mpi_own_begin(b->thread);
}

#define UNTOLD UINT64_MAX

/* Of a long part of a call, what is not in its slow parts. It stands for many others: no more of it than of those where it can't be told. */
static uint64_t plain_of(hsc_mpi_block *b, uint64_t begin, uint64_t end) {
    bool known;
    uint64_t slow = b->cost_slow - b->cost_slow_at, own = hsc_rt_own_long(b->thread, hsc_mpi_lib.rt, begin, end, &known);
    own = own > slow ? own - slow : 0;
    return !known ? UNTOLD : own < HSC_RT_OWN_CYCLES_MAX ? own : HSC_RT_OWN_CYCLES_MAX;
}

void hsc_mpi_note_before(hsc_mpi_block *b, uint64_t begin, uint64_t end) {
    if (end - begin < b->cost_passed - b->cost_passed_at + HSC_MPI_PLAIN_MAX)
        return;
    b->cost_before = plain_of(b, begin, end);
    b->cost_slow_at = b->cost_slow;
    b->cost_passed_at = b->cost_passed;
}

void hsc_mpi_note_cost(hsc_mpi_block *b, uint64_t before, uint64_t begin, bool polled) {
    uint64_t end = hsc_cycles(), passed = b->cost_passed - b->cost_passed_at, after = end - begin, own;
    before = b->cost_before ? 0 : before; /* it was long */
    if (before + after < passed + HSC_MPI_PLAIN_MAX)
        own = before + after > passed ? before + after - passed : 0;
    else
        own = plain_of(b, begin, end);
    b->cost_calls++;
    if (polled && own != UNTOLD && b->cost_before != UNTOLD)
        b->thread->vain_cycles += (own + b->cost_before) * HSC_MPI_COST_EVERY;
    if (polled || (own != UNTOLD && b->cost_before != UNTOLD)) {
        b->cost_plain_calls++;
        b->cost_plain += polled ? 0 : own + b->cost_before;
    }
}

static __attribute__((noinline)) bool write_events(hsc_mpi_block *b, uint32_t node) {
    uint64_t begin = hsc_mpi_own_begin(b->thread);
    if (!heatscope_rt_services.own(b->thread))
        return false;
    hsc_mpi_events_write(b);
    heatscope_rt_services.disown(b->thread, node);
    hsc_mpi_was_slow(b, begin);
    return true;
}

/* A handler that writes what is due finds `updating`. */
void hsc_mpi_put_event(hsc_mpi_block *b, uint32_t node, const hsc_rec_message_event *e) {
    if (hsc_mpi_is_unwanted(b)) {
        b->outside_ns = b->looks_since = 0;
        return;
    }
    uint32_t updating = atomic_load_explicit(&b->updating, memory_order_relaxed);
    atomic_store_explicit(&b->updating, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (b->waiting >= HSC_MPI_EVENTS && !write_events(b, node))
        b->not_recorded++;
    else {
        b->event[b->waiting] = *e;
        b->event[b->waiting++].outside_ns = b->outside_ns;
    }
    b->outside_ns = 0;
    b->looks_since = 0; /* events come in the order of time: what looks find from now on they did not look for before */
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&b->updating, updating, memory_order_relaxed);
}

bool hsc_mpi_note_outside(hsc_mpi_block *b, uint64_t outside) {
    if (outside < HSC_MPI_THRESHOLD_NS)
        return false;
    b->outside_ns = outside;
    return true;
}

void hsc_mpi_tell_outside(hsc_mpi_block *b, uint32_t node, hsc_mpi_op *op, const hsc_mpi_comm *m, uint64_t enter, uint64_t duration) {
    static const hsc_mpi_comm none;
    hsc_mpi_call c = {.op = op, .node = node, .enter = enter, .since = enter};
    hsc_rec_message_event e = event_of(&c, duration, 0, m ? m : &none, -1, -1, 0, 0);
    hsc_mpi_put_event(b, node, &e);
}

/* What the library does with this call in our place, through its function of C, which is seen. */
static bool is_left_to_c(const hsc_mpi_op *op, hsc_mpi_language l) {
    if (l != HSC_MPI_BY_FORTRAN || hsc_mpi_lib.kind != HSC_MPI_MPICH)
        return false;
    bool special = op->at['S' - 'A'] >= 0 || op->at['A' - 'A'] >= 0 || op->at['b' - 'A'] >= 0 || op->at['B' - 'A'] >= 0;
    return op->kind == HSC_MPI_GROUP_COMMUNICATOR || (special && !hsc_mpi_knows_addresses(l));
}

/* A jump has left the wrapper: a frame lies higher, or another address stands where its return address was. */
static bool is_left(const hsc_rt_thread *t, const hsc_mpi_block *b, uint64_t sp) {
    uint64_t at = b->frame - 8;
    return sp >= b->frame || (at >= t->stack_low && *(const volatile uint64_t *)at != b->frame_pc); /* NOLINT */
}

/* What a call that was left by a jump has left behind: it never ends. */
static void forget_left(hsc_rt_thread *t, hsc_mpi_block *b) {
    if (t->state_frame == b->frame - 8)
        hsc_rt_state_set(t, HSC_state_UNKNOWN);
    b->frame = 0;
    b->looks_since = 0;
    b->polls = false;
}

bool hsc_mpi_begin(hsc_mpi_call *c, hsc_mpi_op *op, uint64_t *a, uint8_t *own_status, hsc_mpi_language l,
                   const hsc_rt_here *here) {
    const hsc_rt_services *rt = &heatscope_rt_services;
    if (op->kind == HSC_MPI_SESSION_END)
        hsc_mpi_session_ends(a[0], l != HSC_MPI_BY_C);
    if (!rt->state->options.messages)
        return false;
    hsc_rt_thread *t = hsc_mpi_lib.self_at ? measured(rt->state) : NULL;
    hsc_mpi_block *b = t ? hsc_mpi_block_of(t) : NULL;
    if (!b)
        return false;
    if (b->frame && b->frame <= t->stack_high) {
        if (!is_left(t, b, here->sp))
            return false; /* a call by the library itself */
        forget_left(t, b);
    }
    if (__builtin_expect(!hsc_mpi_lib.ready, 0)) {
        uint64_t cost_begin = hsc_mpi_own_begin(t);
        if (!hsc_mpi_lib.bound)
            hsc_mpi_bind();
        if (op->kind != HSC_MPI_INIT && op->kind != HSC_MPI_SESSION)
            hsc_mpi_ready();
        hsc_mpi_was_slow(b, cost_begin);
    }
    if (is_left_to_c(op, l))
        return false;
    c->op = op;
    c->a = a;
    c->language = (uint8_t)l;
    c->own_status = own_status;
    begin(c, &op->how[l], b, op->state, here, hsc_mpi_lib.ready && hsc_mpi_lib.kind);
    return true;
}

void hsc_mpi_end(hsc_mpi_call *c, int error) {
    if ((c->op->kind == HSC_MPI_INIT || c->op->kind == HSC_MPI_SESSION) && c->thread->messages == c->block) {
        uint64_t cost_begin = hsc_mpi_own_begin(c->thread);
        hsc_mpi_ready();
        hsc_mpi_was_slow(c->block, cost_begin);
    }
    end(c, &c->op->how[c->language], error, hsc_mpi_lib.ready && hsc_mpi_lib.kind);
}
