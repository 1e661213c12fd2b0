/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Details of processes: in memory, or parked in the spill file. */
#include "details.h"

#include <stdlib.h>
#include <string.h>

#include "ranks.h"
#include "told.h"

#define SITES 256u /* read at a time */

static uint64_t bytes_of(const jprocess *p) {
    const jtold *t = p->told;
    uint64_t n = p->pool.bytes + p->sites.cap * sizeof *p->sites.p + p->messages.cap * sizeof *p->messages.p +
                 p->waits.cap * sizeof *p->waits.p + p->peers.cap * sizeof *p->peers.p;
    if (!t)
        return n;
    n += sizeof *t + t->threads.cap * sizeof *t->threads.p + t->places.cap * sizeof *t->places.p +
         t->names.cap * sizeof *t->names.p + t->phases.cap * sizeof *t->phases.p + t->values.cap * sizeof *t->values.p +
         t->notes.cap * sizeof *t->notes.p;
    for (size_t i = 0; i < t->threads.n; i++)
        n += t->threads.p[i].blocks.cap * sizeof *t->threads.p[i].blocks.p +
             t->threads.p[i].open.cap * sizeof *t->threads.p[i].open.p +
             t->threads.p[i].rows.capacity * sizeof *t->threads.p[i].rows.slots;
    return n;
}

void hsc_join_put_details(const jprocess *p, parcel *a) {
    PARCEL_VEC(a, p->messages);
    for (size_t i = 0; i < p->messages.n; i++) {
        hsc_ranks_put_histogram(p->messages.p[i].sizes, a);
        hsc_ranks_put_histogram(p->messages.p[i].durations, a);
    }
    PARCEL_VEC(a, p->waits);
    for (size_t i = 0; i < p->waits.n; i++)
        hsc_ranks_put_histogram(p->waits.p[i].durations, a);
    PARCEL_VEC(a, p->peers);
    hsc_ranks_put_told(p, a);
}

void hsc_join_take_details(jprocess *p, parcel *a) {
    PARCEL_TAKE_VEC(a, p->messages);
    for (size_t i = 0; i < p->messages.n; i++) {
        p->messages.p[i].sizes = hsc_ranks_take_histogram(p, a);
        p->messages.p[i].durations = hsc_ranks_take_histogram(p, a);
    }
    PARCEL_TAKE_VEC(a, p->waits);
    for (size_t i = 0; i < p->waits.n; i++)
        p->waits.p[i].durations = hsc_ranks_take_histogram(p, a);
    PARCEL_TAKE_VEC(a, p->peers);
    hsc_ranks_take_told(p, a);
}

static void forget(jprocess *p) {
    free(p->sites.p);
    free(p->messages.p);
    free(p->waits.p);
    free(p->peers.p);
    memset(&p->sites, 0, sizeof p->sites);
    memset(&p->messages, 0, sizeof p->messages);
    memset(&p->waits, 0, sizeof p->waits);
    memset(&p->peers, 0, sizeof p->peers);
    hsc_join_free_told(p);
    hsc_pool_fini(&p->pool);
}

hsc_status hsc_join_park_details(join *j, jprocess *p, hsc_err *err) {
    uint64_t bytes = bytes_of(p);
    if (!bytes || __atomic_add_fetch(&j->details_bytes, bytes, __ATOMIC_RELAXED) <= j->details_max)
        return HSC_OK;
    __atomic_sub_fetch(&j->details_bytes, bytes, __ATOMIC_RELAXED);
    parcel a = {0};
    hsc_join_put_details(p, &a);
    bool ok = !a.failed && hsc_spill_put_all(j->spill, &p->parked_sites, p->sites.p, p->sites.n, sizeof *p->sites.p) &&
              hsc_spill_put_all(j->spill, &p->parked, a.p, a.n, 1);
    parcel_fini(&a);
    p->is_parked = ok;
    if (ok)
        forget(p);
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

hsc_status hsc_join_open_details(join *j, jprocess *p, hsc_err *err) {
    parcel a = {0};
    uint64_t got;
    hsc_spill_cursor sites = {.list = &p->parked_sites}, rest = {.list = &p->parked};
    if (!p->is_parked)
        return HSC_OK;
    if (!HSC_RESERVE(p->sites, p->parked_sites.count + 1) ||
        !hsc_vec_reserve((void **)&a.p, &a.cap, p->parked.count + 1, 1))
        return hsc_join_no_memory(err);
    hsc_status status = hsc_spill_read(j->spill, &sites, p->sites.p, p->parked_sites.count, &got, err);
    p->sites.n = status == HSC_OK ? got : 0;
    if (status == HSC_OK)
        status = hsc_spill_read(j->spill, &rest, a.p, p->parked.count, &got, err);
    if (status == HSC_OK) {
        a.n = got;
        hsc_join_take_details(p, &a);
        status = hsc_ranks_taken(&a, err);
    }
    parcel_fini(&a);
    return status;
}

void hsc_join_close_details(jprocess *p) {
    if (p->is_parked)
        forget(p);
}

hsc_status hsc_join_each_site(join *j, jprocess *p, bool changes, void (*visit)(void *ctx, void *site), void *ctx,
                              hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t i = 0; !p->is_parked && i < p->sites.n; i++)
        visit(ctx, &p->sites.p[i]);
    if (!p->is_parked)
        return HSC_OK;
    if (changes)
        return hsc_spill_change(j->spill, &p->parked_sites, visit, ctx, err);
    hsc_spill_cursor c = {.list = &p->parked_sites};
    jsite sites[SITES];
    uint64_t got = p->parked_sites.count;
    while (status == HSC_OK && got) {
        status = hsc_spill_read(j->spill, &c, sites, SITES, &got, err);
        for (uint64_t i = 0; status == HSC_OK && i < got; i++)
            visit(ctx, &sites[i]);
    }
    return status;
}
