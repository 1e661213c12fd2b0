/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests that are under way, and messages that a matched probe has taken, by handle. */
#include "mpi.h"

#define BUCKETS 16384u
#define PIECE 256u

static hsc_mpi_request **buckets, *free_list;
static _Atomic uint32_t lock;

static hsc_mpi_request **bucket_of(uint64_t key) {
    return &buckets[key * 0x9e3779b97f4a7c15u >> 50];
}

hsc_mpi_request *hsc_mpi_request_new(uint64_t key, bool receives) {
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
        hsc_mpi_request **at = bucket_of(key);
        /* In place of one whose end nobody saw; but behind one that another thread is just about to note, and behind
         * those that were complete at once, as many may be with one handle. */
        while (*at && ((*at)->key != key || hsc_mpi_lib.multiple || !(receives || (*at)->from || (*at)->any)))
            at = &(*at)->next;
        if (*at) {
            hsc_mpi_request *old = *at;
            r->next = old->next;
            old->next = free_list;
            free_list = old;
        }
        *at = r;
    }
    hsc_mpi_unlock(&lock);
    return r;
}

hsc_mpi_request *hsc_mpi_request_get(uint64_t key) {
    hsc_mpi_lock(&lock);
    hsc_mpi_request *r = buckets ? *bucket_of(key) : NULL;
    while (r && r->key != key)
        r = r->next;
    hsc_mpi_unlock(&lock);
    return r;
}

void hsc_mpi_request_end(hsc_mpi_request *r) {
    hsc_mpi_lock(&lock);
    hsc_mpi_request **at = bucket_of(r->key);
    while (*at && *at != r)
        at = &(*at)->next;
    if (*at) {
        *at = r->next;
        r->next = free_list;
        free_list = r;
    }
    hsc_mpi_unlock(&lock);
}

void hsc_mpi_request_each(void (*visit)(hsc_mpi_request *r, void *context), void *context) {
    hsc_mpi_lock(&lock);
    for (uint32_t i = 0; buckets && i < BUCKETS; i++)
        for (hsc_mpi_request *r = buckets[i]; r; r = r->next)
            visit(r, context);
    hsc_mpi_unlock(&lock);
}
