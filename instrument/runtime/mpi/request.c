/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests that are under way, and messages that a matched probe has taken, by handle. */
#include "mpi.h"

#define BUCKETS 16384u
#define PIECE 256u
#define NAMES 4096u

typedef struct fortran_name { /* of a request that is under way; `request` NULL: none */
    int32_t handle;
    uint8_t uses;
    hsc_mpi_request *request;
} fortran_name;

static hsc_mpi_request **buckets, *free_list;
static fortran_name *names; /* by the last bits of the handle: the library gives small numbers, one after the other */
static _Atomic uint32_t lock;

static hsc_mpi_request **bucket_of(uint64_t key) {
    return &buckets[key * 0x9e3779b97f4a7c15u >> 50];
}

/* With the lock: it is no request any more. */
static void give_back(hsc_mpi_request *r) {
    r->uses++;
    r->next = free_list;
    free_list = r;
}

static void remember(hsc_mpi_request *r, int32_t fortran) {
    if (!names)
        names = hsc_rt_map(NAMES * sizeof *names);
    if (names)
        names[(uint32_t)fortran % NAMES] = (fortran_name){fortran, r->uses, r};
}

hsc_mpi_request *hsc_mpi_request_new(uint64_t key, bool receives, int32_t fortran) {
    hsc_mpi_lock(&lock);
    if (!buckets)
        buckets = hsc_rt_map(BUCKETS * sizeof(hsc_mpi_request *));
    if (!free_list) {
        hsc_mpi_request *p = hsc_rt_map(PIECE * sizeof *p);
        for (uint32_t i = 0; p && i < PIECE; i++) {
            p[i].next = free_list;
            free_list = &p[i];
        }
    }
    hsc_mpi_request *r = buckets ? free_list : NULL;
    if (r) {
        free_list = r->next;
        r->key = key;
        r->next = NULL;
        atomic_store_explicit(&r->active, false, memory_order_relaxed);
        hsc_mpi_request **at = bucket_of(key);
        /* In place of one whose end nobody saw; but behind one that another thread is just about to note, and behind
         * those that were complete at once, as many may be with one handle. */
        while (*at && ((*at)->key != key || hsc_mpi_lib.multiple || !(receives || (*at)->from || (*at)->any)))
            at = &(*at)->next;
        if (*at) {
            hsc_mpi_request *old = *at;
            r->next = old->next;
            give_back(old);
        }
        *at = r;
        if (fortran)
            remember(r, fortran);
    }
    hsc_mpi_unlock(&lock);
    return r;
}

static bool is_active(const hsc_mpi_request *r) {
    return atomic_load_explicit(&r->active, memory_order_acquire);
}

/* Where the first active one of a handle hangs, else the first, else NULL: another thread may be about to fill one of the same handle. */
static hsc_mpi_request **find(uint64_t key) {
    hsc_mpi_request **first = NULL;
    for (hsc_mpi_request **at = bucket_of(key); *at; at = &(*at)->next) {
        if ((*at)->key != key)
            continue;
        if (is_active(*at))
            return at;
        first = first ? first : at;
    }
    return first;
}

hsc_mpi_request *hsc_mpi_request_get(uint64_t key) {
    hsc_mpi_lock(&lock);
    hsc_mpi_request **at = buckets ? find(key) : NULL, *r = at ? *at : NULL;
    hsc_mpi_unlock(&lock);
    return r;
}

static void unlink_at(hsc_mpi_request **at) {
    hsc_mpi_request *r = *at;
    *at = r->next;
    give_back(r);
}

void hsc_mpi_request_keys(const int32_t *fortran, uint64_t n, uint64_t *keys) {
    bool all = true;
    hsc_mpi_lock(&lock);
    for (uint64_t i = 0; i < n; i++) {
        const fortran_name *f = names ? &names[(uint32_t)fortran[i] % NAMES] : NULL;
        bool known = f && f->request && f->handle == fortran[i] && f->uses == f->request->uses;
        keys[i] = known ? f->request->key : 0;
        all = all && (known || !fortran[i]); /* Open MPI's 0 is MPI_REQUEST_NULL */
    }
    hsc_mpi_unlock(&lock);
    for (uint64_t i = 0; i < n && !all; i++)
        if (!keys[i] && fortran[i])
            keys[i] = hsc_mpi_lib.Request_f2c(fortran[i]);
}

void hsc_mpi_request_end(hsc_mpi_request *r) {
    hsc_mpi_lock(&lock);
    hsc_mpi_request **at = bucket_of(r->key);
    while (*at && *at != r)
        at = &(*at)->next;
    if (*at)
        unlink_at(at);
    hsc_mpi_unlock(&lock);
}

uint32_t hsc_mpi_request_take(const uint64_t *keys, uint32_t n, hsc_mpi_request **out, uint32_t *which) {
    uint32_t taken = 0;
    hsc_mpi_lock(&lock);
    for (uint32_t i = 0; buckets && i < n; i++) {
        hsc_mpi_request **at = find(keys[i]), *r = at ? *at : NULL;
        if (!r || !is_active(r))
            continue;
        atomic_store_explicit(&r->active, false, memory_order_relaxed);
        out[taken] = r;
        which[taken++] = i;
        if (!r->persistent)
            *at = r->next;
    }
    hsc_mpi_unlock(&lock);
    return taken;
}

void hsc_mpi_request_give(hsc_mpi_request *const *taken, uint32_t n) {
    hsc_mpi_lock(&lock);
    for (uint32_t i = 0; i < n; i++)
        if (!taken[i]->persistent)
            give_back(taken[i]);
    hsc_mpi_unlock(&lock);
}

uint64_t hsc_mpi_request_count(const uint64_t *keys, uint64_t n) {
    uint64_t active = 0;
    hsc_mpi_lock(&lock);
    for (uint64_t i = 0; buckets && i < n; i++) {
        hsc_mpi_request **at = find(keys[i]);
        active += at && is_active(*at);
    }
    hsc_mpi_unlock(&lock);
    return active;
}

void hsc_mpi_request_each(void (*visit)(hsc_mpi_request *r, void *context), void *context) {
    hsc_mpi_lock(&lock);
    for (uint32_t i = 0; buckets && i < BUCKETS; i++)
        for (hsc_mpi_request *r = buckets[i]; r; r = r->next)
            visit(r, context);
    hsc_mpi_unlock(&lock);
}
