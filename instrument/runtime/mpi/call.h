/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a call's arguments and statuses say; only for call.c and call_before.c. */
#ifndef HSC_MPI_CALL_H
#define HSC_MPI_CALL_H

#include <string.h>

#include "mpi.h"

#define IS(c, k) ((c)->op->kind == HSC_MPI_##k)

/* ---- arguments
 * --------------------------------------------------------------------------------------------------------------- */

static inline bool has(const hsc_mpi_call *c, char role) {
    return hsc_mpi_at(c->op, role) >= 0;
}

static inline uint64_t argument(const hsc_mpi_call *c, char role) {
    int i = hsc_mpi_at(c->op, role);
    return i < 0 ? 0 : c->a[i];
}

/* A number; 0 when the function has no such argument. */
static inline int64_t number(const hsc_mpi_call *c, char role) {
    int i = hsc_mpi_at(c->op, role);
    if (i < 0)
        return 0;
    if (c->fortran)
        return *(const int32_t *)c->a[i]; /* NOLINT */
    return c->op->large && strchr("cvl", role) ? (int64_t)c->a[i] : (int32_t)c->a[i];
}

static inline uint64_t widen(const hsc_mpi_call *c, uint64_t raw) {
    if (c->fortran)
        return hsc_mpi_lib.handle_bytes == 8 ? (uint32_t)raw | HSC_MPI_FORTRAN_KEY : (uint32_t)raw;
    return hsc_mpi_lib.handle_bytes == 8 ? raw : (uint32_t)raw;
}

/* A handle at an address: C's arrays and results, all of Fortran's. */
static inline uint64_t handle_at(const hsc_mpi_call *c, uint64_t address, uint64_t i) {
    if (!address)
        return 0;
    if (!c->fortran && hsc_mpi_lib.handle_bytes == 8)
        return ((const uint64_t *)address)[i];       /* NOLINT */
    return widen(c, ((const uint32_t *)address)[i]); /* NOLINT */
}

/* A handle that is passed (by value in C). */
static inline uint64_t handle(const hsc_mpi_call *c, char role) {
    uint64_t v = argument(c, role);
    return c->fortran ? handle_at(c, v, 0) : widen(c, v);
}

/* A handle that C passes by its address too: requests, results. */
static inline uint64_t handle_by_address(const hsc_mpi_call *c, char role) {
    return handle_at(c, argument(c, role), 0);
}

static inline int64_t element(const hsc_mpi_call *c, uint64_t address, int64_t i) {
    return c->op->large && !c->fortran ? ((const int64_t *)address)[i] : ((const int32_t *)address)[i]; /* NOLINT */
}

/* ---- statuses
 * ---------------------------------------------------------------------------------------------------------------------
 */

typedef struct status {
    int64_t source, tag;
    uint64_t bytes;
    bool cancelled;
} status;

static inline status read_status(const uint8_t *p) {
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

/* call_before.c: what is known before the call; sets its communicator, channels, sizes and requests. */
void hsc_mpi_before(hsc_mpi_call *c);

/* call.c: a request takes what is known of the call that makes it. */
void hsc_mpi_begin_request(hsc_mpi_request *r, hsc_mpi_call *c);

#endif
