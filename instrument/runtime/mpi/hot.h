/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Begin and end of a call, inline: a wrapper made for one operation gives its roles, kind, state and flags as literals,
 * so that only what that operation has is left. call.c makes the same for all others. */
#ifndef HSC_MPI_HOT_H
#define HSC_MPI_HOT_H

#include "../state.h"
#include "after.h"

/* call.c: writes what is due. */
HSC_MPI_COLD void hsc_mpi_write_due(hsc_mpi_block *b, uint32_t node);
/* call.c: a call whose cost is measured begins (cycles); our own part before it was long; it took `before` cycles before it, and since `begin`; `polled`: it is
 * one of a loop that waits. */
HSC_MPI_COLD uint64_t hsc_mpi_measure(hsc_mpi_block *b);
HSC_MPI_COLD void hsc_mpi_note_before(hsc_mpi_block *b, uint64_t begin, uint64_t end);
HSC_MPI_COLD void hsc_mpi_note_cost(hsc_mpi_block *b, uint64_t before, uint64_t begin, bool polled);
#define HSC_MPI_PLAIN_MAX 30000u /* cycles: the thread was interrupted, or is slow */

/* call.c: the library could not go on for so long before the call under way. Returns whether that is worth an event. */
HSC_MPI_COLD bool hsc_mpi_note_outside(hsc_mpi_block *b, uint64_t outside);
/* call.c: and the call has no event so far: one that is of no message. */
HSC_MPI_COLD void hsc_mpi_tell_outside(hsc_mpi_block *b, uint32_t node, hsc_mpi_op *op, const hsc_mpi_comm *m, uint64_t enter, uint64_t duration);

/* Whether the library goes on with messages that are under way: not where one is only begun. */
HSC_MPI_HOT bool goes_on(const hsc_mpi_how *h) {
    return !has(h, 'r') && !IS(h, START) && !IS(h, STARTALL) && !IS(h, REQUEST_FREE) && !IS(h, TYPE_FREE) && !IS(h, COMMUNICATOR_FREE) &&
           !IS(h, PUT) && !IS(h, GET);
}

/* Of a call that ends: whether the library could not go on for long before it. */
HSC_MPI_HOT bool was_outside(const hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t leave) {
    hsc_mpi_block *b = c->block;
    if (!goes_on(h))
        return false;
    uint64_t outside = looks(h) && c->since != c->enter ? 0 : c->enter - b->left_ns;
    b->left_ns = leave;
    if (HSC_MPI_USUALLY(outside < b->threshold_ns))
        return false;
    return hsc_mpi_note_outside(b, outside);
}

/* hsc_rt_measured of here.h, without a call. */
HSC_MPI_HOT hsc_rt_thread *measured(const hsc_rt_state *rt) {
    hsc_rt_thread *t =
        *(hsc_rt_thread *const *)((const char *)__builtin_thread_pointer() + hsc_mpi_lib.self_at); /* NOLINT */
    if (!t || !atomic_load_explicit(&rt->on, memory_order_relaxed))
        return NULL;
    bool same = HSC_MPI_USUALLY(rt->same_process != NULL)
                    ? atomic_load_explicit(rt->same_process, memory_order_relaxed) != 0
                    : heatscope_rt_services.active();
    return same ? t : NULL;
}

/* The thread's block where the call is one like any other: measured, from the program, of a library that is known and
 * set up. NULL: ask hsc_mpi_begin. */
HSC_MPI_HOT hsc_mpi_block *usual(hsc_mpi_language l) {
    if (HSC_MPI_RARELY(!hsc_mpi_lib.usual[l]))
        return NULL;
    hsc_rt_thread *t = measured(hsc_mpi_lib.rt);
    hsc_mpi_block *b = t ? t->messages : NULL;
    return b && !b->frame ? b : NULL;
}

#define LOOKS_WITHIN_NS 200u /* after another such call, our own part between them with it: as in a loop that does nothing else */

/* looks.c: a call that only looks began so long after one in vain. Whether it goes on with that all the same. */
HSC_MPI_COLD bool hsc_mpi_looks_on(hsc_mpi_block *b, uint64_t enter, uint32_t node);
#define LOOKS_MANY 16u
HSC_MPI_COLD void hsc_mpi_looks_many(hsc_mpi_block *b); /* looks.c: so many are in vain */

/* Since when calls like this one, which only looks, have found nothing. */
HSC_MPI_HOT uint64_t looks_since(hsc_mpi_block *b, uint64_t enter, uint32_t node) {
    if (!b->looks_since)
        return enter;
    uint64_t between = enter - b->looked_ns;
    if (HSC_MPI_RARELY(between >= LOOKS_WITHIN_NS) && !hsc_mpi_looks_on(b, enter, node))
        return enter;
    b->looks_between += between;
    return b->looks_since;
}

/* Whether a call that only looks has found nothing; of requests less than 0 where there is none to be waited for. */
HSC_MPI_HOT bool in_vain(const hsc_mpi_call *c, const hsc_mpi_how *h) {
    return (has(h, 'f') && !*(const int32_t *)argument(c, h, 'f')) || (has(h, 'o') && !*(const int32_t *)argument(c, h, 'o')); /* NOLINT */
}

/* Of a call that is measured; op, a, own_status are set. `known`: the library is, and it is initialised. */
HSC_MPI_HOT void begin(hsc_mpi_call *c, const hsc_mpi_how *h, hsc_mpi_block *b, uint32_t state, const hsc_rt_here *here,
                       bool known) {
    hsc_rt_thread *t = b->thread;
    c->cost_begin = 0;
    if (HSC_MPI_RARELY(!--b->until_cost))
        c->cost_begin = hsc_mpi_measure(b);
    c->thread = t;
    c->block = b;
    b->unwanted = false;
    b->unwanted = hsc_mpi_is_unwanted(b);
    b->frame = here->sp;
    b->frame_pc = here->pc;
    c->any = false;
    c->peer_class = HSC_peer_class_NONE;
    c->comm = NULL;
    c->to = c->from = NULL;
    c->request = NULL;
    c->status = NULL;
    c->found = false;
    c->sent = c->room = c->received = c->to_sequence = c->from_sequence = c->n = c->handle = 0;
    c->dest = c->source = c->tag = c->receive_tag = c->root = -1;
    c->old_state = atomic_load_explicit(&t->state, memory_order_relaxed);
    if (c->old_state == HSC_state_UNKNOWN) { /* hsc_rt_state_of_frame */
        t->state_frame = here->sp - 8;
        t->state_return = here->pc;
    }
    hsc_rt_state_set(t, looks(h) && b->polls ? HSC_state_WAITING : state);
    /* it may wait for long and be killed; after its end another rank may leave, and the launcher kill this one */
    if (HSC_MPI_RARELY(b->last_ns >= t->messages_due) || IS(h, FINALIZE) || IS(h, SESSION_END))
        hsc_mpi_write_due(b, 0);
    c->node =
        hsc_mpi_node(b, here, atomic_load_explicit(&hsc_mpi_lib.rt->generation, memory_order_relaxed));
    if (known)
        before(c, h);
    c->enter = hsc_mpi_clock(b, &c->enter_cycles);
    if (HSC_MPI_RARELY(c->cost_begin && c->enter_cycles - c->cost_begin >= HSC_MPI_PLAIN_MAX)) {
        hsc_mpi_note_before(b, c->cost_begin, c->enter_cycles);
        c->enter = hsc_mpi_clock(b, &c->enter_cycles);
    }
    c->since = looks(h) ? looks_since(b, c->enter, c->node) : c->enter;
}

/* Of a call that only looks, which has ended. */
HSC_MPI_HOT void note_look(hsc_mpi_call *c, const hsc_mpi_how *h, bool vain, uint64_t leave) {
    hsc_mpi_block *b = c->block;
    bool goes_on = c->since != c->enter;
    b->polls = vain && goes_on;
    if (!vain && !b->looks_since)
        return;
    /* what is complete or none at all is looked at by the way */
    bool none = !vain && goes_on && !c->found && (IS(h, WAIT) || IS(h, WAITALL) || IS(h, WAITANY) || IS(h, WAITSOME));
    if (vain && !goes_on)
        b->looks_between = b->pauses_ns = b->rests_ns = b->longest_look_ns = b->looks = 0;
    if (HSC_MPI_RARELY(leave - c->enter > b->longest_look_ns))
        b->longest_look_ns = leave - c->enter;
    b->looks_since = vain || none ? c->since : 0;
    b->looked_ns = leave;
    if (HSC_MPI_RARELY(++b->looks == LOOKS_MANY) && (vain || none))
        hsc_mpi_looks_many(b);
    b->looked_beats = (uint32_t)atomic_load_explicit(&c->thread->beats, memory_order_relaxed);
}

HSC_MPI_HOT void end(hsc_mpi_call *c, const hsc_mpi_how *h, int error, bool known) {
    hsc_mpi_block *b = c->block;
    bool vain = looks(h) && known && !error && in_vain(c, h);
    bool polled = vain && c->since != c->enter; /* what we take of such a loop's time it would have polled in: of the program's work that takes nothing */
    hsc_rt_thread *t = c->thread;
    uint64_t leave_cycles, leave = hsc_mpi_clock(b, &leave_cycles);
    if (HSC_MPI_USUALLY(t->messages == b)) {
        atomic_store_explicit(&b->updating, 1, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        if (HSC_MPI_USUALLY(!error) && known) {
            bool outside = was_outside(c, h, leave);
            after(c, h, leave);
            if (HSC_MPI_RARELY(outside) && b->outside_ns)
                hsc_mpi_tell_outside(b, c->node, c->op, c->comm, c->enter, leave - c->enter);
        } else {
            amount none = {0};
            note(b, c->node, c->op, HSC_peer_class_NONE, leave - c->enter, &none);
        }
        atomic_signal_fence(memory_order_seq_cst);
        atomic_store_explicit(&b->updating, 0, memory_order_relaxed);
        if (HSC_MPI_RARELY(leave >= t->messages_due) || IS(h, FINALIZE) || IS(h, SESSION_END))
            hsc_mpi_write_due(b, c->node);
    }
    if (looks(h))
        note_look(c, h, vain, leave);
    b->frame = 0;
    hsc_rt_state_set(t, c->old_state);
    if (HSC_MPI_RARELY(c->cost_begin != 0))
        hsc_mpi_note_cost(b, c->enter_cycles - c->cost_begin, leave_cycles, polled);
}

#endif
