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

/* call_before.c: a communicator or, with its key, a window. NULL: not to be had. */
hsc_mpi_comm *hsc_mpi_comm_cached(const hsc_mpi_call *c, uint64_t handle);

/* one_sided.c: fences, epochs, locks */
void hsc_mpi_before_synchronisation(hsc_mpi_call *c);
void hsc_mpi_after_synchronisation(hsc_mpi_call *c, uint64_t duration);

/* call.c: an event of the call; whether it is worth a record: it was long, or came long after the one before in its sequence; the
 * other side, which may have waited for it, then finds it. */
hsc_rec_message_event hsc_mpi_event_of(const hsc_mpi_call *c, uint64_t duration, uint64_t flags, const hsc_mpi_comm *m, int64_t peer,
                                       int64_t tag, uint64_t sequence, uint64_t size);
void hsc_mpi_put_event(hsc_mpi_call *c, const hsc_rec_message_event *e);
static inline bool hsc_mpi_is_long(const hsc_mpi_call *c, uint64_t duration, uint64_t *last_enter) {
    uint64_t before = *last_enter;
    *last_enter = c->enter;
    return duration >= c->block->threshold_ns || c->enter - before >= c->block->threshold_ns;
}

/* call.c: a request takes what is known of the call that makes it. */
void hsc_mpi_begin_request(hsc_mpi_request *r, hsc_mpi_call *c);

#endif
