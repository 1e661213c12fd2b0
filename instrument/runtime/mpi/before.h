/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One call: what is known before it. All inline: hot.h makes code of it for one operation each, call.c for all of them. */
#ifndef HSC_MPI_BEFORE_H
#define HSC_MPI_BEFORE_H

#include "call.h"

#define TOO_MANY_REQUESTS (1u << 24)

HSC_MPI_HOT uint64_t type_size(const hsc_mpi_call *c, uint64_t type) {
    hsc_mpi_block *b = c->block;
    uint32_t generation = atomic_load_explicit(&hsc_mpi_lib.types_generation, memory_order_acquire);
    if (HSC_MPI_RARELY(b->types_generation != generation)) {
        memset(b->types, 0, sizeof b->types);
        b->types_generation = generation;
    }
    uint32_t i = (uint32_t)(type * 0x9e3779b97f4a7c15u >> 58);
    if (HSC_MPI_RARELY(!type || b->types[i].handle != type)) {
        b->types[i].size = hsc_mpi_type_size(b, type);
        b->types[i].handle = type;
    }
    return b->types[i].size;
}

HSC_MPI_HOT uint64_t times(int64_t count, uint64_t size) {
    uint64_t r;
    return count <= 0 || __builtin_mul_overflow((uint64_t)count, size, &r) ? 0 : r;
}

/* Bytes of `count` elements, both arguments by role; what a count of 0 has as type is not looked at. */
HSC_MPI_HOT uint64_t bytes(const hsc_mpi_call *c, const hsc_mpi_how *h, char count, char type) {
    int64_t n = number(c, h, count);
    return n > 0 && has(h, type) ? times(n, type_size(c, handle(c, h, type))) : 0;
}

/* Of so many partners those that are somebody: ranks, negative: nobody; NULL: all are. */
static inline int64_t somebodies(const int32_t *partners, int64_t n) {
    int64_t some = 0;
    for (int64_t i = 0; partners && i < n; i++)
        some += partners[i] >= 0;
    return partners ? some : n;
}

/* Bytes of n parts, by arrays of counts and one type or an array of types. partners: as of somebodies; the parts of nobody are not moved. */
static inline uint64_t sum(const hsc_mpi_call *c, const hsc_mpi_how *h, char counts, char type, char types, int64_t n, const int32_t *partners) {
    uint64_t at = argument(c, h, counts), all = 0;
    int64_t elements = 0;
    if (!has(h, types)) {
        for (int64_t i = 0; i < n; i++)
            elements += partners && partners[i] < 0 ? 0 : element(h, at, i);
        return elements > 0 ? times(elements, type_size(c, handle(c, h, type))) : 0;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t k = partners && partners[i] < 0 ? 0 : element(h, at, i);
        all += k > 0 ? times(k, type_size(c, handle_at(h, argument(c, h, types), (uint64_t)i))) : 0;
    }
    return all;
}

HSC_MPI_HOT hsc_mpi_comm *comm_of(const hsc_mpi_call *c, uint64_t h) {
    hsc_mpi_block *b = c->block;
    uint32_t generation = atomic_load_explicit(&hsc_mpi_lib.comms_generation, memory_order_acquire);
    if (HSC_MPI_RARELY(b->comms_generation != generation)) {
        memset(b->comms, 0, sizeof b->comms);
        b->comms_generation = generation;
    }
    uint32_t i = (uint32_t)(h * 0x9e3779b97f4a7c15u >> 60);
    if (HSC_MPI_RARELY(!h || b->comms[i].handle != h)) {
        b->comms[i].comm = hsc_mpi_comm_of(b, h);
        b->comms[i].handle = h;
    }
    return b->comms[i].comm;
}

HSC_MPI_HOT bool is_one_of(uint64_t address, const void *const *list) {
    for (int i = 0; i < 4; i++)
        if (list[i] && address == (uint64_t)list[i])
            return true;
    return false;
}

HSC_MPI_HOT bool in_place(const hsc_mpi_call *c, const hsc_mpi_how *h) {
    uint64_t b = buffer(c, h, 'b');
    return h->fortran ? is_one_of(b, hsc_mpi_lib.fortran_in_place) : b == (uint64_t)hsc_mpi_lib.in_place;
}

/* The program's status, or one of ours where it wants none. */
HSC_MPI_HOT void want_status(hsc_mpi_call *c, const hsc_mpi_how *h) {
    int i = at_of(h, 'S');
    if (i < 0)
        return;
    bool ignored = h->fortran ? is_one_of(c->a[i], hsc_mpi_lib.fortran_status_ignore)
                              : c->a[i] == (uint64_t)hsc_mpi_lib.status_ignore;
    if (ignored)
        c->a[i] = (uint64_t)c->own_status;
    c->status = (const uint8_t *)c->a[i]; /* NOLINT */
}

HSC_MPI_HOT void want_statuses(hsc_mpi_call *c, const hsc_mpi_how *h) {
    int i = at_of(h, 'A');
    bool ignored = h->fortran ? is_one_of(c->a[i], hsc_mpi_lib.fortran_statuses_ignore)
                              : c->a[i] == (uint64_t)hsc_mpi_lib.statuses_ignore;
    if (ignored) {
        hsc_mpi_block *b = c->block;
        if (!hsc_mpi_scratch(b, (void **)&b->statuses, &b->statuses_room, c->n * hsc_mpi_lib.status_bytes))
            return;
        c->a[i] = (uint64_t)b->statuses;
    }
    c->status = (const uint8_t *)c->a[i]; /* NOLINT */
}

/* ---- before
 * -----------------------------------------------------------------------------------------------------------------------
 */

HSC_MPI_HOT void look_at_send(hsc_mpi_call *c, const hsc_mpi_how *h) {
    c->dest = number(c, h, 'd');
    c->tag = number(c, h, 'g');
    c->sent = bytes(c, h, 'c', 't');
    if (has(h, 'p'))
        c->sent = times(number(c, h, 'p'), c->sent);
    if (c->dest == hsc_mpi_lib.proc_null || h->flags & HSC_MPI_PERSISTENT || c->dest < 0)
        return;
    if ((c->to = hsc_mpi_channel_of(c->comm, c->dest, c->tag, false)) != NULL)
        c->to_sequence = hsc_mpi_next(&c->to->messages);
}

HSC_MPI_HOT void look_at_receive(hsc_mpi_call *c, const hsc_mpi_how *h) {
    c->source = number(c, h, 's');
    c->receive_tag = number(c, h, 'h');
    c->room = has(h, 'v') ? bytes(c, h, 'v', 'y') : c->sent;
    if (has(h, 'p'))
        c->room = times(number(c, h, 'p'), c->room);
    c->any = c->source == hsc_mpi_lib.any_source || c->receive_tag == hsc_mpi_lib.any_tag;
    if (c->any || c->source < 0 || h->flags & HSC_MPI_PERSISTENT)
        return;
    if ((c->from = hsc_mpi_channel_of(c->comm, c->source, c->receive_tag, true)) != NULL)
        c->from_sequence = hsc_mpi_next(&c->from->messages);
}

HSC_MPI_HOT void look_at_collective(hsc_mpi_call *c, const hsc_mpi_how *h) {
    hsc_mpi_comm *m = c->comm;
    int64_t n = m->size;
    c->root = has(h, 'k') ? number(c, h, 'k') : -1;
    bool root = c->root == m->rank;
    c->peer_class = c->root < 0 ? HSC_peer_class_ALL : root ? HSC_peer_class_ROOT : HSC_peer_class_FROM_ROOT;
    if (!(h->flags & HSC_MPI_PERSISTENT))
        c->to_sequence = hsc_mpi_next(&m->collectives);
    if (m->remote_size) /* what which argument means depends on the side: not gone into */
        return;
    bool placed = has(h, 'b') && (root || c->root < 0) && in_place(c, h);
    switch (h->kind) {
    case HSC_MPI_BROADCAST:
        c->sent = bytes(c, h, 'c', 't');
        c->received = root ? 0 : c->sent; /* by value: a pointer to one of the two would have all of the call in memory */
        c->sent -= c->received;
        break;
    case HSC_MPI_GATHER:
        c->sent = placed ? 0 : bytes(c, h, 'c', 't');
        if (root)
            c->received = has(h, 'V') ? sum(c, h, 'V', 'y', 'Y', n, NULL) : times(n, bytes(c, h, 'v', 'y'));
        break;
    case HSC_MPI_SCATTER:
        if (root)
            c->sent = has(h, 'N') ? sum(c, h, 'N', 't', 'T', n, NULL) : times(n, bytes(c, h, 'c', 't'));
        if (!root || argument(c, h, 'B') != (uint64_t)hsc_mpi_lib.in_place || h->fortran)
            c->received =
                h->fortran && is_one_of(buffer(c, h, 'B'), hsc_mpi_lib.fortran_in_place) ? 0 : bytes(c, h, 'v', 'y');
        break;
    case HSC_MPI_ALLGATHER:
    case HSC_MPI_NEIGHBOUR_ALLGATHER: {
        const int32_t *sources = NULL;
        if (IS(h, NEIGHBOUR_ALLGATHER)) {
            hsc_mpi_comm_neighbours(c->block, m);
            n = m->in_degree;
            sources = m->sources;
        }
        c->received = has(h, 'V') ? sum(c, h, 'V', 'y', 'Y', n, sources) : times(somebodies(sources, n), bytes(c, h, 'v', 'y'));
        if (!placed)
            c->sent = bytes(c, h, 'c', 't');
        else if (!has(h, 'V'))
            c->sent = bytes(c, h, 'v', 'y');
        else
            c->sent = times(element(h, argument(c, h, 'V'), m->rank), type_size(c, handle(c, h, 'y')));
        break;
    }
    case HSC_MPI_ALLTOALL:
    case HSC_MPI_NEIGHBOUR_ALLTOALL: {
        int64_t to = n, from = n;
        const int32_t *sources = NULL, *destinations = NULL;
        if (IS(h, NEIGHBOUR_ALLTOALL)) {
            hsc_mpi_comm_neighbours(c->block, m);
            to = m->out_degree;
            from = m->in_degree;
            sources = m->sources;
            destinations = m->destinations;
        }
        c->received = has(h, 'V') ? sum(c, h, 'V', 'y', 'Y', from, sources) : times(somebodies(sources, from), bytes(c, h, 'v', 'y'));
        c->sent = placed ? c->received
                  : has(h, 'N') ? sum(c, h, 'N', 't', 'T', to, destinations)
                               : times(somebodies(destinations, to), bytes(c, h, 'c', 't'));
        break;
    }
    case HSC_MPI_REDUCE:
        c->sent = bytes(c, h, 'c', 't');
        c->received = root ? c->sent : 0;
        break;
    case HSC_MPI_ALLREDUCE:
        c->sent = c->received = bytes(c, h, 'c', 't');
        break;
    case HSC_MPI_REDUCE_SCATTER:
        if (has(h, 'V')) {
            c->sent = sum(c, h, 'V', 'y', 'Y', n, NULL);
            c->received = times(element(h, argument(c, h, 'V'), m->rank), type_size(c, handle(c, h, 'y')));
        } else {
            c->received = bytes(c, h, 'v', 'y');
            c->sent = times(n, c->received);
        }
        break;
    default:
        break;
    }
}

HSC_MPI_HOT void look_at_requests(hsc_mpi_call *c, const hsc_mpi_how *h) {
    hsc_mpi_block *b = c->block;
    if (has(h, 'Q')) {
        int64_t n = number(c, h, 'n');
        c->n = n > 0 && n < TOO_MANY_REQUESTS ? (uint64_t)n : 0;
        if (!hsc_mpi_scratch(b, (void **)&b->keys, &b->keys_room, c->n * sizeof *b->keys))
            c->n = 0;
        requests_at(h, argument(c, h, 'Q'), c->n, b->keys);
        if (has(h, 'A'))
            want_statuses(c, h);
        else
            want_status(c, h);
        return;
    }
    uint64_t key; /* by itself, so that *c stays in registers */
    requests_at(h, argument(c, h, 'q'), 1, &key);
    c->handle = key;
    want_status(c, h);
}

/* Makes something of a communicator's, with all of its members; what only begins to, or is of some, has no number in it. */
HSC_MPI_HOT bool is_made_by_all(const hsc_mpi_call *c, const hsc_mpi_how *h) {
    bool makes = IS(h, COMMUNICATOR) ? !has(h, 'r') && !has(h, 'g') : IS(h, WINDOW) || (IS(h, FILE) && has(h, 'm'));
    return makes && c->comm && !c->comm->remote_size;
}

/* Sets its communicator, channels, sizes and requests. */
HSC_MPI_HOT void before(hsc_mpi_call *c, const hsc_mpi_how *h) {
    if (has(h, 'm') && !IS(h, COMMUNICATOR_FREE)) {
        c->comm = comm_of(c, handle(c, h, 'm'));
        if (!c->comm)
            return;
    }
    switch (h->kind) {
    case HSC_MPI_SEND:
        look_at_send(c, h);
        break;
    case HSC_MPI_RECEIVE:
        if (has(h, 'e')) {
            c->request = hsc_mpi_request_get(message_of(c, h));
            c->room = bytes(c, h, 'v', 'y');
        } else
            look_at_receive(c, h);
        want_status(c, h);
        break;
    case HSC_MPI_SENDRECEIVE:
        look_at_send(c, h);
        look_at_receive(c, h);
        want_status(c, h);
        break;
    case HSC_MPI_PROBE:
        c->source = number(c, h, 's');
        c->receive_tag = number(c, h, 'h');
        c->any = c->source == hsc_mpi_lib.any_source || c->receive_tag == hsc_mpi_lib.any_tag;
        want_status(c, h);
        break;
    case HSC_MPI_START:
    case HSC_MPI_STARTALL:
    case HSC_MPI_WAIT:
    case HSC_MPI_WAITALL:
    case HSC_MPI_WAITANY:
    case HSC_MPI_WAITSOME:
    case HSC_MPI_REQUEST_FREE:
        look_at_requests(c, h);
        break;
    case HSC_MPI_PARTITION:
        c->handle = request_of(h, argument(c, h, 'q'));
        break;
    case HSC_MPI_COMMUNICATOR_FREE:
        c->handle = hsc_mpi_in_c(handle_by_address(c, h, 'm'));
        break;
    case HSC_MPI_WINDOW_FREE:
        c->handle = hsc_mpi_in_c(handle_by_address(c, h, 'w') | HSC_MPI_WINDOW_KEY);
        break;
    case HSC_MPI_FENCE:
    case HSC_MPI_EXPOSE:
    case HSC_MPI_EXPOSE_END:
    case HSC_MPI_ACCESS:
    case HSC_MPI_ACCESS_END:
    case HSC_MPI_LOCK:
    case HSC_MPI_UNLOCK:
    case HSC_MPI_FLUSH:
        hsc_mpi_before_synchronisation(c, h);
        break;
    case HSC_MPI_PUT:
    case HSC_MPI_GET:
    case HSC_MPI_PUTGET:
        c->comm = comm_of(c, handle(c, h, 'w') | HSC_MPI_WINDOW_KEY);
        c->dest = number(c, h, 'd');
        c->sent = has(h, 'c') ? bytes(c, h, 'c', 't') : has(h, 't') ? type_size(c, handle(c, h, 't')) : 0;
        c->received = has(h, 'v') ? bytes(c, h, 'v', 'y') : IS(h, PUTGET) ? c->sent : 0;
        break;
    case HSC_MPI_FILE_READ:
        c->room = bytes(c, h, 'v', 'y');
        want_status(c, h);
        break;
    case HSC_MPI_FILE_WRITE:
        c->sent = bytes(c, h, 'c', 't');
        break;
    default:
        if (h->kind >= HSC_MPI_BARRIER && h->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL)
            look_at_collective(c, h);
    }
    if (is_made_by_all(c, h)) {
        c->root = -1;
        c->to_sequence = hsc_mpi_next(&c->comm->collectives);
    }
}

#endif
