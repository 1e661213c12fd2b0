/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a rank counted and read of its processes, to rank 0. */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

#include "blame.h"
#include "details.h"

#define PART_BYTES ((size_t)1 << 20) /* of what goes in parts */

enum { END, PROCESS, SPANS, SLICES, PROFILE, BLAME, MORE }; /* what an entry of a part is; MORE: another part follows */

/* ---- totals ---- */

static hsc_status collect_totals(join *j, hsc_err *err) {
    size_t n = CATEGORIES_MAX + LEVELS + 2 * j->places.n;
    uint64_t *v = calloc(n, sizeof *v), *at = v;
    if (!v)
        return hsc_join_no_memory(err);
    for (size_t i = 0; i < CATEGORIES_MAX; i++)
        *at++ = j->total[i];
    for (size_t i = 0; i < LEVELS; i++)
        *at++ = j->attributed[i];
    for (size_t i = 0; i < j->places.n; i++) {
        *at++ = j->places.p[i].weight;
        *at++ = j->places.p[i].has_values;
    }
    hsc_status status = hsc_ranks_add_up(j, v, n, err);
    at = v;
    for (size_t i = 0; i < CATEGORIES_MAX; i++)
        j->total[i] = *at++;
    for (size_t i = 0; i < LEVELS; i++)
        j->attributed[i] = *at++;
    for (size_t i = 0; i < j->places.n; i++) {
        j->places.p[i].weight = *at++;
        j->places.p[i].has_values = *at++ != 0;
    }
    free(v);
    return status;
}

/* ---- what is in memory of a process ---- */

/* Numbers of the buckets with something in them, a bit each, and that. */
void hsc_ranks_put_histogram(const uint64_t *counts, parcel *a) {
    uint64_t used[2] = {0, 0};
    parcel_u64(a, counts != NULL);
    for (unsigned i = 0; counts && i < JOIN_BUCKETS; i++)
        used[i / 64] |= (uint64_t)(counts[i] != 0) << i % 64;
    parcel_put(a, used, counts ? sizeof used : 0);
    for (unsigned i = 0; counts && i < JOIN_BUCKETS; i++)
        if (counts[i])
            parcel_u64(a, counts[i]);
}

uint64_t *hsc_ranks_take_histogram(jprocess *p, parcel *a) {
    uint64_t used[2] = {0, 0};
    if (!parcel_take_u64(a) || a->failed)
        return NULL;
    uint64_t *counts = hsc_pool_take(&p->pool, JOIN_BUCKETS * sizeof *counts);
    parcel_take(a, used, sizeof used);
    a->failed = a->failed || !counts;
    for (unsigned i = 0; counts && i < JOIN_BUCKETS; i++)
        if (used[i / 64] >> i % 64 & 1)
            counts[i] = parcel_take_u64(a);
    return counts;
}

static void put_process(const jprocess *p, parcel *a) {
    for (size_t k = 0; k < p->threads.n; k++)
        parcel_u64(a, p->threads.p[k].truncated);
    PARCEL_VEC(a, p->sites);
    PARCEL_VEC(a, p->operations);
    for (size_t i = 0; i < p->operations.n; i++)
        parcel_text(a, p->operations.p[i].name);
    hsc_join_put_details(p, a);
    hsc_ranks_put_blame(p, a);
}

static void take_process(join *j, jprocess *p, parcel *a) {
    for (size_t k = 0; k < p->threads.n; k++)
        p->threads.p[k].truncated = parcel_take_u64(a);
    PARCEL_TAKE_VEC(a, p->sites);
    PARCEL_TAKE_VEC(a, p->operations);
    for (size_t i = 0; i < p->operations.n; i++)
        p->operations.p[i].name = parcel_take_text(a, &j->pool);
    hsc_join_take_details(p, a);
    hsc_ranks_take_blame(p, a);
}

/* ---- parts on their way ---- */

static hsc_status send_full(const join *j, parcel *a, hsc_err *err) {
    if (a->n < PART_BYTES && !a->failed)
        return HSC_OK;
    parcel_u64(a, MORE);
    hsc_status status = hsc_ranks_send(j, 0, a, err);
    a->n = 0;
    return status;
}

static void map_spans(const join *j, jspan *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        s[i].context = j->growing_map.p[s[i].context];
}

/* A list of process `row` in pieces; number: of the thread, or of blame's list. */
static hsc_status send_list(join *j, parcel *a, unsigned what, size_t row, size_t number, const hsc_spill_list *l, uint32_t item, hsc_err *err) {
    hsc_spill_cursor c = {.list = l};
    uint64_t most = PART_BYTES / 4 / item, got = l->count;
    uint8_t *items = got ? malloc(most * item) : NULL;
    hsc_status status = got && !items ? hsc_join_no_memory(err) : HSC_OK;
    while (status == HSC_OK && got) {
        status = hsc_spill_read(j->spill, &c, items, most, &got, err);
        if (status != HSC_OK || !got)
            break;
        if (what == SPANS)
            map_spans(j, (jspan *)(void *)items, got);
        const uint64_t head[] = {what, row, number, got, item};
        parcel_put(a, head, sizeof head);
        parcel_put(a, items, got * item);
        status = send_full(j, a, err);
    }
    free(items);
    return status;
}

static hsc_status send_process(join *j, parcel *a, size_t row, hsc_err *err) {
    jprocess *p = j->run.p[row];
    uint32_t item;
    hsc_status status = hsc_join_open_details(j, p, err);
    bool wants_profiles = status == HSC_OK && hsc_blame_wants_profiles(p);
    parcel_u64(a, PROCESS);
    parcel_u64(a, row);
    if (status == HSC_OK)
        put_process(p, a);
    hsc_join_close_details(p);
    if (status == HSC_OK)
        status = send_full(j, a, err);
    if (status == HSC_OK)
        status = send_list(j, a, SPANS, row, 0, &p->spans, sizeof(jspan), err);
    hsc_spill_list_fini(&p->spans);
    if (status == HSC_OK)
        status = send_list(j, a, SLICES, row, 0, &p->slices, 1, err);
    hsc_spill_list_fini(&p->slices);
    for (size_t k = 0; status == HSC_OK && wants_profiles && k < p->threads.n; k++)
        if (p->threads.p[k].row != HSC_NO_INDEX)
            status = send_list(j, a, PROFILE, row, k, &p->threads.p[k].profile, sizeof(jcount), err);
    hsc_spill_list *l;
    for (size_t k = 0; status == HSC_OK && (l = hsc_ranks_blame_list(p, k, &item)); k++) {
        status = send_list(j, a, BLAME, row, k, l, item, err);
        hsc_spill_list_fini(l);
    }
    return status;
}

static hsc_status send_all(join *j, hsc_err *err) {
    parcel a = {0};
    hsc_status status = HSC_OK;
    for (size_t i = 0; status == HSC_OK && i < j->run.n; i++)
        if (hsc_ranks_has(j, j->run.p[i]))
            status = send_process(j, &a, i, err);
    parcel_u64(&a, END);
    if (status == HSC_OK)
        status = hsc_ranks_send(j, 0, &a, err);
    parcel_fini(&a);
    return status;
}

/* ---- at rank 0 ---- */

static void take_list(join *j, parcel *a, uint64_t what) {
    uint64_t row = parcel_take_u64(a), number = parcel_take_u64(a), n = parcel_take_u64(a);
    uint32_t item = (uint32_t)parcel_take_u64(a), size;
    a->failed = a->failed || row >= j->run.n || !item || n > (a->n - a->at) / item;
    if (a->failed)
        return;
    jprocess *p = j->run.p[row];
    hsc_spill_list *l = what == SPANS     ? &p->spans
                        : what == SLICES  ? &p->slices
                        : what == BLAME   ? hsc_ranks_blame_list(p, number, &size)
                        : number < p->threads.n ? &p->threads.p[number].profile
                                          : NULL;
    a->failed = !l || !hsc_spill_put_all(j->spill, l, a->p + a->at, n, item);
    a->at += n * item;
    if (what == PROFILE && l)
        p->threads.p[number].copied = l->count;
}

static hsc_status take_all(join *j, unsigned from, hsc_err *err) {
    uint64_t what = MORE;
    hsc_status status = HSC_OK;
    while (status == HSC_OK && what == MORE) {
        parcel a = {0};
        status = hsc_ranks_receive(j, from, &a, err);
        while (status == HSC_OK && !a.failed && (what = parcel_take_u64(&a)) != MORE && what != END) {
            uint64_t row = what == PROCESS ? parcel_take_u64(&a) : 0;
            if (what != PROCESS || row >= j->run.n) {
                take_list(j, &a, what);
                continue;
            }
            take_process(j, j->run.p[row], &a);
            status = a.failed ? HSC_OK : hsc_join_park_details(j, j->run.p[row], err);
        }
        status = status == HSC_OK ? hsc_ranks_taken(&a, err) : status;
        parcel_fini(&a);
    }
    return status;
}

hsc_status hsc_ranks_collect(join *j, hsc_err *err) {
    if (!j->team)
        return HSC_OK;
    hsc_status status = collect_totals(j, err);
    if (status == HSC_OK && j->team->rank)
        return send_all(j, err);
    for (unsigned from = 1; status == HSC_OK && from < j->team->size; from++) {
        status = take_all(j, from, err);
        if (j->options->progress)
            j->options->progress(j->options->progress_ctx, "gathering", from, j->team->size - 1);
    }
    return status;
}
