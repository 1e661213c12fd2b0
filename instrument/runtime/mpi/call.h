/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a call's arguments and statuses say; for before.h, after.h and one_sided.c. */
#ifndef HSC_MPI_CALL_H
#define HSC_MPI_CALL_H

#include <string.h>

#include "mpi.h"

#define IS(h, k) ((h)->kind == HSC_MPI_##k)

/* ---- arguments
 * --------------------------------------------------------------------------------------------------------------- */

/* Argument of a role; -1: none. Known when a wrapper is compiled that is made for its operation. */
HSC_MPI_HOT int at_of(const hsc_mpi_how *h, char role) {
    if (h->at)
        return h->at[role - 'A'];
    const char *p = __builtin_strchr(h->roles, role);
    return p ? (int)(p - h->roles) : -1;
}

HSC_MPI_HOT bool has(const hsc_mpi_how *h, char role) {
    return at_of(h, role) >= 0;
}

HSC_MPI_HOT uint64_t argument(const hsc_mpi_call *c, const hsc_mpi_how *h, char role) {
    int i = at_of(h, role);
    return i < 0 ? 0 : c->a[i];
}

/* A number; 0 when the function has no such argument. */
HSC_MPI_HOT int64_t number(const hsc_mpi_call *c, const hsc_mpi_how *h, char role) {
    int i = at_of(h, role);
    if (i < 0)
        return 0;
    bool wide = h->large && strchr("cvl", role);
    if (h->fortran)
        return wide ? *(const int64_t *)c->a[i] : *(const int32_t *)c->a[i]; /* NOLINT */
    return wide ? (int64_t)c->a[i] : (int32_t)c->a[i];
}

/* The address of a buffer. */
HSC_MPI_HOT uint64_t buffer(const hsc_mpi_call *c, const hsc_mpi_how *h, char role) {
    uint64_t p = argument(c, h, role);
    return h->descriptors && p ? *(const uint64_t *)p : p; /* NOLINT */
}

HSC_MPI_HOT uint64_t widen(const hsc_mpi_how *h, uint64_t raw) {
    if (h->fortran)
        return hsc_mpi_lib.handle_bytes == 8 ? (uint32_t)raw | HSC_MPI_FORTRAN_KEY : (uint32_t)raw;
    return hsc_mpi_lib.handle_bytes == 8 ? raw : (uint32_t)raw;
}

/* A handle at an address: C's arrays and results, all of Fortran's. */
HSC_MPI_HOT uint64_t handle_at(const hsc_mpi_how *h, uint64_t address, uint64_t i) {
    if (!address)
        return 0;
    if (!h->fortran && hsc_mpi_lib.handle_bytes == 8)
        return ((const uint64_t *)address)[i];       /* NOLINT */
    return widen(h, ((const uint32_t *)address)[i]); /* NOLINT */
}

/* A handle that is passed (by value in C). */
HSC_MPI_HOT uint64_t handle(const hsc_mpi_call *c, const hsc_mpi_how *h, char role) {
    uint64_t v = argument(c, h, role);
    return h->fortran ? handle_at(h, v, 0) : widen(h, v);
}

/* A handle that C passes by its address too: requests, results. */
HSC_MPI_HOT uint64_t handle_by_address(const hsc_mpi_call *c, const hsc_mpi_how *h, char role) {
    return handle_at(h, argument(c, h, role), 0);
}

/* Are requests of this call known by C's handles, which are others? */
HSC_MPI_HOT bool has_fortran_requests(const hsc_mpi_how *h) {
    return h->fortran && hsc_mpi_lib.handle_bytes == 8 && hsc_mpi_lib.Request_f2c;
}

/* What requests are known by, at an address: C's handles, whatever the language, as another may complete them. 0: there is none. */
HSC_MPI_HOT void requests_at(const hsc_mpi_how *h, uint64_t address, uint64_t n, uint64_t *keys) {
    if (has_fortran_requests(h) && address)
        hsc_mpi_request_keys((const int32_t *)address, n, keys); /* NOLINT */
    else
        for (uint64_t i = 0; i < n; i++)
            keys[i] = handle_at(h, address, i);
}

/* The same of one that C passes by value. */
static inline uint64_t request_of(const hsc_mpi_how *h, uint64_t argument) {
    uint64_t key;
    if (!h->fortran)
        return widen(h, argument);
    requests_at(h, argument, 1, &key);
    return key;
}

/* One that has just begun: its key, and Fortran's handle where that is another. */
HSC_MPI_HOT uint64_t new_request_at(const hsc_mpi_how *h, uint64_t address, int32_t *fortran) {
    uint64_t v = handle_at(h, address, 0);
    *fortran = has_fortran_requests(h) ? (int32_t)(uint32_t)v : 0;
    return *fortran ? hsc_mpi_lib.Request_f2c(*fortran) : v;
}

/* The same of a message that a matched probe takes. */
HSC_MPI_HOT uint64_t message_of(const hsc_mpi_call *c, const hsc_mpi_how *h) {
    uint64_t v = handle_by_address(c, h, 'e');
    return (v & HSC_MPI_FORTRAN_KEY && hsc_mpi_lib.Message_f2c ? hsc_mpi_lib.Message_f2c((int32_t)(uint32_t)v) : v) | HSC_MPI_MESSAGE_KEY;
}

HSC_MPI_HOT int64_t element(const hsc_mpi_how *h, uint64_t address, int64_t i) {
    return h->large ? ((const int64_t *)address)[i] : ((const int32_t *)address)[i]; /* NOLINT */
}

/* ---- statuses
 * ---------------------------------------------------------------------------------------------------------------------
 */

typedef struct status {
    int64_t source, tag;
    uint64_t bytes;
    bool cancelled;
} status;

HSC_MPI_HOT status read_status(const uint8_t *p) {
    int32_t v[4];
    status s;
    memcpy(v, p, sizeof v);
    if (hsc_mpi_lib.kind == HSC_MPI_OPEN_MPI) {
        uint64_t n;
        memcpy(&n, p + 16, sizeof n);
        s = (status){v[0], v[1], n, v[3] != 0};
    } else
        s = (status){v[2], v[3], (uint32_t)v[0] | (uint64_t)((uint32_t)v[1] >> 1) << 32, v[1] & 1};
    return s;
}

/* one_sided.c: fences, epochs, locks */
void hsc_mpi_before_synchronisation(hsc_mpi_call *c, const hsc_mpi_how *h);
void hsc_mpi_after_synchronisation(hsc_mpi_call *c, const hsc_mpi_how *h, uint64_t duration);
/* An access, or the end of several, that took long. */
void hsc_mpi_after_access(hsc_mpi_call *c, uint64_t duration);
enum { HSC_MPI_ACCESSED = 4 }; /* tag of such an event */

/* call.c: notes an event of a call at `node`; written with others, or when the next are due. The first one of a call has its block's outside_ns. */
void hsc_mpi_put_event(hsc_mpi_block *b, uint32_t node, const hsc_rec_message_event *e);

#endif
