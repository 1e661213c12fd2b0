/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One call: what is known before it. */
#include "call.h"

#define TOO_MANY_REQUESTS (1u << 24)

HSC_MPI_HOT uint64_t type_size(const hsc_mpi_call *c, uint64_t h) {
    hsc_mpi_block *b = c->block;
    uint32_t generation = atomic_load_explicit(&hsc_mpi_types_generation, memory_order_acquire);
    if (b->types_generation != generation) {
        memset(b->types, 0, sizeof b->types);
        b->types_generation = generation;
    }
    uint32_t i = (uint32_t)(h * 0x9e3779b97f4a7c15u >> 58);
    if (!h || b->types[i].handle != h) {
        b->types[i].size = hsc_mpi_type_size(h);
        b->types[i].handle = h;
    }
    return b->types[i].size;
}

static uint64_t times(int64_t count, uint64_t size) {
    uint64_t r;
    return count <= 0 || __builtin_mul_overflow((uint64_t)count, size, &r) ? 0 : r;
}

/* Bytes of `count` elements, both arguments by role; what a count of 0 has as type is not looked at. */
HSC_MPI_HOT uint64_t bytes(const hsc_mpi_call *c, char count, char type) {
    int64_t n = number(c, count);
    return n > 0 && has(c, type) ? times(n, type_size(c, handle(c, type))) : 0;
}

/* Bytes of n parts, by arrays of counts and one type or an array of types. */
static uint64_t sum(const hsc_mpi_call *c, char counts, char type, char types, int64_t n) {
    uint64_t at = argument(c, counts), all = 0;
    int64_t elements = 0;
    if (!has(c, types)) {
        for (int64_t i = 0; i < n; i++)
            elements += element(c, at, i);
        return elements > 0 ? times(elements, type_size(c, handle(c, type))) : 0;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t k = element(c, at, i);
        all += k > 0 ? times(k, type_size(c, handle_at(c, argument(c, types), (uint64_t)i))) : 0;
    }
    return all;
}

HSC_MPI_HOT hsc_mpi_comm *comm_of(const hsc_mpi_call *c, uint64_t h) {
    hsc_mpi_block *b = c->block;
    uint32_t generation = atomic_load_explicit(&hsc_mpi_comms_generation, memory_order_acquire);
    if (b->comms_generation != generation) {
        memset(b->comms, 0, sizeof b->comms);
        b->comms_generation = generation;
    }
    uint32_t i = (uint32_t)(h * 0x9e3779b97f4a7c15u >> 60);
    if (!h || b->comms[i].handle != h) {
        b->comms[i].comm = hsc_mpi_comm_of(h);
        b->comms[i].handle = h;
    }
    return b->comms[i].comm;
}

hsc_mpi_comm *hsc_mpi_comm_cached(const hsc_mpi_call *c, uint64_t h) {
    return comm_of(c, h);
}

static bool is_one_of(uint64_t address, const void *const *list) {
    for (int i = 0; i < 4; i++)
        if (list[i] && address == (uint64_t)list[i])
            return true;
    return false;
}

static bool in_place(const hsc_mpi_call *c) {
    uint64_t b = argument(c, 'b');
    return c->fortran ? is_one_of(b, hsc_mpi_lib.fortran_in_place) : b == (uint64_t)hsc_mpi_lib.in_place;
}

/* The program's status, or one of ours where it wants none. */
static void want_status(hsc_mpi_call *c) {
    int i = hsc_mpi_at(c->op, 'S');
    if (i < 0)
        return;
    bool ignored = c->fortran ? is_one_of(c->a[i], hsc_mpi_lib.fortran_status_ignore)
                              : c->a[i] == (uint64_t)hsc_mpi_lib.status_ignore;
    if (ignored)
        c->a[i] = (uint64_t)c->own_status;
    c->status = (const uint8_t *)c->a[i]; /* NOLINT */
}

static void want_statuses(hsc_mpi_call *c) {
    int i = hsc_mpi_at(c->op, 'A');
    bool ignored = c->fortran ? is_one_of(c->a[i], hsc_mpi_lib.fortran_statuses_ignore)
                              : c->a[i] == (uint64_t)hsc_mpi_lib.statuses_ignore;
    if (ignored) {
        hsc_mpi_block *b = c->block;
        if (!hsc_mpi_scratch((void **)&b->statuses, &b->statuses_room, c->n * hsc_mpi_lib.status_bytes))
            return;
        c->a[i] = (uint64_t)b->statuses;
    }
    c->status = (const uint8_t *)c->a[i]; /* NOLINT */
}

/* ---- before
 * -----------------------------------------------------------------------------------------------------------------------
 */

HSC_MPI_HOT void look_at_send(hsc_mpi_call *c) {
    c->dest = number(c, 'd');
    c->tag = number(c, 'g');
    c->sent = bytes(c, 'c', 't');
    if (has(c, 'p'))
        c->sent = times(number(c, 'p'), c->sent);
    if (c->dest == hsc_mpi_lib.proc_null || c->op->flags & HSC_MPI_PERSISTENT || c->dest < 0)
        return;
    if ((c->to = hsc_mpi_channel_of(c->comm, c->dest, c->tag, false)) != NULL)
        c->to_sequence = hsc_mpi_next(&c->to->messages);
}

static void look_at_receive(hsc_mpi_call *c) {
    c->source = number(c, 's');
    c->receive_tag = number(c, 'h');
    c->room = has(c, 'v') ? bytes(c, 'v', 'y') : c->sent;
    if (has(c, 'p'))
        c->room = times(number(c, 'p'), c->room);
    c->any = c->source == hsc_mpi_lib.any_source || c->receive_tag == hsc_mpi_lib.any_tag;
    if (c->any || c->source < 0 || c->op->flags & HSC_MPI_PERSISTENT)
        return;
    if ((c->from = hsc_mpi_channel_of(c->comm, c->source, c->receive_tag, true)) != NULL)
        c->from_sequence = hsc_mpi_next(&c->from->messages);
}

static void look_at_collective(hsc_mpi_call *c) {
    hsc_mpi_comm *m = c->comm;
    int64_t n = m->size;
    c->root = has(c, 'k') ? number(c, 'k') : -1;
    bool root = c->root == m->rank;
    c->peer_class = c->root < 0 ? HSC_peer_class_ALL : root ? HSC_peer_class_ROOT : HSC_peer_class_FROM_ROOT;
    if (!(c->op->flags & HSC_MPI_PERSISTENT))
        c->to_sequence = hsc_mpi_next(&m->collectives);
    if (m->remote_size) /* what which argument means depends on the side: not gone into */
        return;
    bool placed = has(c, 'b') && (root || c->root < 0) && in_place(c);
    switch (c->op->kind) {
    case HSC_MPI_BROADCAST:
        *(root ? &c->sent : &c->received) = bytes(c, 'c', 't');
        break;
    case HSC_MPI_GATHER:
        c->sent = placed ? 0 : bytes(c, 'c', 't');
        if (root)
            c->received = has(c, 'V') ? sum(c, 'V', 'y', 'Y', n) : times(n, bytes(c, 'v', 'y'));
        break;
    case HSC_MPI_SCATTER:
        if (root)
            c->sent = has(c, 'N') ? sum(c, 'N', 't', 'T', n) : times(n, bytes(c, 'c', 't'));
        if (!root || argument(c, 'B') != (uint64_t)hsc_mpi_lib.in_place || c->fortran)
            c->received =
                c->fortran && is_one_of(argument(c, 'B'), hsc_mpi_lib.fortran_in_place) ? 0 : bytes(c, 'v', 'y');
        break;
    case HSC_MPI_ALLGATHER:
    case HSC_MPI_NEIGHBOUR_ALLGATHER:
        if (IS(c, NEIGHBOUR_ALLGATHER)) {
            hsc_mpi_comm_degrees(m);
            n = m->in_degree;
        }
        c->received = has(c, 'V') ? sum(c, 'V', 'y', 'Y', n) : times(n, bytes(c, 'v', 'y'));
        if (!placed)
            c->sent = bytes(c, 'c', 't');
        else if (!has(c, 'V'))
            c->sent = bytes(c, 'v', 'y');
        else
            c->sent = times(element(c, argument(c, 'V'), m->rank), type_size(c, handle(c, 'y')));
        break;
    case HSC_MPI_ALLTOALL:
    case HSC_MPI_NEIGHBOUR_ALLTOALL: {
        int64_t to = n, from = n;
        if (IS(c, NEIGHBOUR_ALLTOALL)) {
            hsc_mpi_comm_degrees(m);
            to = m->out_degree;
            from = m->in_degree;
        }
        c->received = has(c, 'V') ? sum(c, 'V', 'y', 'Y', from) : times(from, bytes(c, 'v', 'y'));
        c->sent = placed ? c->received : has(c, 'N') ? sum(c, 'N', 't', 'T', to) : times(to, bytes(c, 'c', 't'));
        break;
    }
    case HSC_MPI_REDUCE:
        c->sent = bytes(c, 'c', 't');
        c->received = root ? c->sent : 0;
        break;
    case HSC_MPI_ALLREDUCE:
        c->sent = c->received = bytes(c, 'c', 't');
        break;
    case HSC_MPI_REDUCE_SCATTER:
        if (has(c, 'V')) {
            c->sent = sum(c, 'V', 'y', 'Y', n);
            c->received = times(element(c, argument(c, 'V'), m->rank), type_size(c, handle(c, 'y')));
        } else {
            c->received = bytes(c, 'v', 'y');
            c->sent = times(n, c->received);
        }
        break;
    default:
        break;
    }
}

static void look_at_requests(hsc_mpi_call *c) {
    hsc_mpi_block *b = c->block;
    if (has(c, 'Q')) {
        int64_t n = number(c, 'n');
        c->n = n > 0 && n < TOO_MANY_REQUESTS ? (uint64_t)n : 0;
        if (!hsc_mpi_scratch((void **)&b->keys, &b->keys_room, c->n * sizeof *b->keys))
            c->n = 0;
        for (uint64_t i = 0; i < c->n; i++)
            b->keys[i] = handle_at(c, argument(c, 'Q'), i);
        if (has(c, 'A'))
            want_statuses(c);
        else
            want_status(c);
        return;
    }
    c->handle = handle_by_address(c, 'q');
    want_status(c);
}

void hsc_mpi_before(hsc_mpi_call *c) {
    if (has(c, 'm') && !IS(c, COMMUNICATOR_FREE)) {
        c->comm = comm_of(c, handle(c, 'm'));
        if (!c->comm)
            return;
    }
    switch (c->op->kind) {
    case HSC_MPI_SEND:
        look_at_send(c);
        break;
    case HSC_MPI_RECEIVE:
        if (has(c, 'e')) {
            c->request = hsc_mpi_request_get(handle_by_address(c, 'e') | HSC_MPI_MESSAGE_KEY);
            c->room = bytes(c, 'v', 'y');
        } else
            look_at_receive(c);
        want_status(c);
        break;
    case HSC_MPI_SENDRECEIVE:
        look_at_send(c);
        look_at_receive(c);
        want_status(c);
        break;
    case HSC_MPI_PROBE:
        c->source = number(c, 's');
        c->receive_tag = number(c, 'h');
        c->any = c->source == hsc_mpi_lib.any_source || c->receive_tag == hsc_mpi_lib.any_tag;
        want_status(c);
        break;
    case HSC_MPI_START:
    case HSC_MPI_STARTALL:
    case HSC_MPI_WAIT:
    case HSC_MPI_WAITALL:
    case HSC_MPI_WAITANY:
    case HSC_MPI_WAITSOME:
    case HSC_MPI_REQUEST_FREE:
        look_at_requests(c);
        break;
    case HSC_MPI_COMMUNICATOR_FREE:
        c->handle = handle_by_address(c, 'm');
        break;
    case HSC_MPI_WINDOW_FREE:
        c->handle = handle_by_address(c, 'w') | HSC_MPI_WINDOW_KEY;
        break;
    case HSC_MPI_FENCE:
    case HSC_MPI_EXPOSE:
    case HSC_MPI_EXPOSE_END:
    case HSC_MPI_ACCESS:
    case HSC_MPI_ACCESS_END:
    case HSC_MPI_LOCK:
    case HSC_MPI_UNLOCK:
        hsc_mpi_before_synchronisation(c);
        break;
    case HSC_MPI_PUT:
    case HSC_MPI_GET:
    case HSC_MPI_PUTGET:
        c->comm = comm_of(c, handle(c, 'w') | HSC_MPI_WINDOW_KEY);
        c->dest = number(c, 'd');
        c->sent = has(c, 'c') ? bytes(c, 'c', 't') : has(c, 't') ? type_size(c, handle(c, 't')) : 0;
        c->received = has(c, 'v') ? bytes(c, 'v', 'y') : IS(c, PUTGET) ? c->sent : 0;
        break;
    case HSC_MPI_FILE_READ:
        c->room = bytes(c, 'v', 'y');
        want_status(c);
        break;
    case HSC_MPI_FILE_WRITE:
        c->sent = bytes(c, 'c', 't');
        break;
    default:
        if (c->op->kind >= HSC_MPI_BARRIER && c->op->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL)
            look_at_collective(c);
    }
}
