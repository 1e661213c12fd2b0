/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kinds of samples: numbered as they are met, then sorted by what they are, when contexts have their rows; threads' profiles
 * are then rewritten by these rows. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>
#include "ranks.h"

static uint64_t key_a(const jkind *k) { return (uint64_t)k->context << 32 | k->line; }
static uint64_t key_b(const jkind *k) {
    return (uint64_t)k->instance << 32 | (uint32_t)k->metric << 16 | (uint32_t)k->state << 8 | k->level;
}

/* The same of kinds as they are met: instance and level follow from the place, where there is one. */
#define MET_PLACE 0x8000u
static uint64_t met_b(const jkind *k) {
    return k->place == HSC_NO_INDEX ? key_b(k) : (uint64_t)k->place << 32 | (uint32_t)k->metric << 16 | MET_PLACE | (uint32_t)k->state << 8 | k->level;
}
_Static_assert(STATES <= MET_PLACE >> 8, "states leave a bit");

uint32_t hsc_join_known_kind(const join *j, const jkind *k) { return hsc_table_get(&j->kind_rows, key_a(k), met_b(k)); }

uint32_t hsc_join_kind_row(join *j, const jkind *k) {
    uint32_t *at = hsc_table_at(&j->kind_rows, key_a(k), met_b(k));
    if (!at)
        return HSC_NO_INDEX;
    if (*at == HSC_NO_INDEX && j->kinds.n < HSC_NO_INDEX && HSC_PUSH(j->kinds, *k))
        *at = (uint32_t)(j->kinds.n - 1);
    return *at;
}

void hsc_join_meet_kind(join *j, uint32_t kind, uint32_t thread) {
    uint32_t *first = &j->met_threads.p[kind], was = __atomic_load_n(first, __ATOMIC_RELAXED);
    while (thread < was && !__atomic_compare_exchange_n(first, &was, thread, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

unsigned hsc_join_category_of(const join *j, const jkind *k) {
    return k->state ? k->state - 1u : j->context_categories.p[k->context];
}

static int by_kind(const void *pa, const void *pb, void *ctx) {
    const jkind *kinds = ctx, *a = &kinds[*(const uint32_t *)pa], *b = &kinds[*(const uint32_t *)pb];
    if (key_a(a) != key_a(b))
        return key_a(a) < key_a(b) ? -1 : 1;
    return key_b(a) < key_b(b) ? -1 : key_b(a) > key_b(b);
}

/* Where kinds were met, for samples by time, and their twins, which twin_of has of the first `met`; NULL: none has one. */
static bool keep_places(join *j, const uint32_t *twin_of, size_t met) {
    size_t n = j->met_kinds = j->kinds.n;
    if (j->options->no_times)
        return true;
    j->met_places = malloc((n + 1) * sizeof *j->met_places);
    j->met_twins = malloc((n + 1) * sizeof *j->met_twins);
    for (size_t i = 0; j->met_places && j->met_twins && i < n; i++) {
        j->met_places[i] = j->kinds.p[i].place;
        j->met_twins[i] = twin_of && i < met ? twin_of[i] : HSC_NO_INDEX;
    }
    return j->met_places && j->met_twins;
}

/* Those of all places are one, and contexts may have become one. */
static bool sort_kinds(join *j) {
    size_t met = j->kinds.n, rows = 0;
    uint32_t *twin_of;
    if (!hsc_waited_add_twins(j, &twin_of) || !keep_places(j, twin_of, met)) {
        free(twin_of);
        return false;
    }
    size_t n = j->kinds.n;
    uint32_t *order = malloc((n + 1) * sizeof *order);
    jkind *sorted = malloc((n + 1) * sizeof *sorted);
    bool ok = order && sorted && (j->kind_order = malloc((n + 1) * sizeof *j->kind_order));
    hsc_table_fini(&j->kind_rows);
    j->kind_rows = (hsc_table){0};
    for (uint32_t i = 0; ok && i < n; i++) {
        j->kinds.p[i].context = j->context_map.p[j->kinds.p[i].context];
        order[i] = i;
    }
    if (ok && n > 1)
        qsort_r(order, n, sizeof *order, by_kind, j->kinds.p);
    for (size_t i = 0; ok && i < n; i++) {
        if (!i || by_kind(&order[i - 1], &order[i], j->kinds.p)) {
            sorted[rows] = j->kinds.p[order[i]];
            sorted[rows++].place = HSC_NO_INDEX;
        }
        j->kind_order[order[i]] = (uint32_t)rows - 1;
    }
    free(order);
    if (!ok) {
        free(sorted);
        free(twin_of);
        return false;
    }
    free(j->kinds.p);
    j->kinds.p = sorted;
    j->kinds.n = rows;
    j->kinds.cap = n + 1;
    j->own_kinds = met;
    ok = hsc_waited_end_twins(j, twin_of, met);
    free(twin_of);
    return ok;
}

uint32_t hsc_join_sorted_kind(const join *j, const jkind *k) {
    size_t at;
    HSC_SEARCH(at, j->kinds.n, key_a(&j->kinds.p[at]) < key_a(k) || (key_a(&j->kinds.p[at]) == key_a(k) && key_b(&j->kinds.p[at]) < key_b(k)));
    return at < j->kinds.n && key_a(&j->kinds.p[at]) == key_a(k) && key_b(&j->kinds.p[at]) == key_b(k) ? (uint32_t)at : HSC_NO_INDEX;
}

hsc_status hsc_join_load_profile(join *j, const jthread *t, jcount **list, size_t *n, hsc_err *err) {
    uint64_t got;
    hsc_spill_cursor c = {.list = &t->profile};
    *n = 0;
    if (!(*list = malloc((t->profile.count + 1) * sizeof **list)))
        return hsc_join_no_memory(err);
    hsc_status status = hsc_spill_read(j->spill, &c, *list, t->profile.count, &got, err);
    *n = status == HSC_OK ? (size_t)got : 0;
    return status;
}

/* By rows of the kinds as this rank met them, then as all did. */
static bool map_order(join *j) {
    size_t n = j->team ? j->kind_map.n : j->own_kinds;
    uint32_t *order = malloc((n + j->met_kinds + 1) * sizeof *order);
    for (size_t i = 0; order && i < n; i++)
        order[i] = j->kind_order[hsc_join_met_row(j, i)];
    for (size_t i = 0; order && i < j->met_kinds; i++)
        order[n + i] = j->kind_order[i];
    bool ok = order && HSC_RESERVE(j->met_threads, n + j->met_kinds + 1);
    while (ok && j->met_threads.n < n + j->met_kinds)
        j->met_threads.p[j->met_threads.n++] = HSC_NO_INDEX;
    if (!ok) {
        free(order);
        return false;
    }
    j->own_kinds = n;
    free(j->kind_order);
    j->kind_order = order;
    return true;
}

/* A thread's profile by rows of the sorted kinds; its totals. */
static hsc_status settle_thread(void *ctx, size_t i, hsc_err *err) {
    join *j = ctx;
    jthread *t = j->threads.p[i];
    jcount *list = NULL;
    size_t n;
    uint64_t total[CATEGORIES_MAX] = {0}, attributed[LEVELS] = {0};
    if (!hsc_ranks_has(j, t->process))
        return HSC_OK;
    hsc_status status = hsc_join_load_profile(j, t, &list, &n, err);
    for (size_t k = 0; status == HSC_OK && k < n; k++) {
        const jkind *kind = &j->kinds.p[list[k].kind = j->kind_order[list[k].kind]];
        if (kind->metric)
            continue;
        total[hsc_join_category_of(j, kind)] += list[k].count;
        attributed[kind->level] += list[k].count;
    }
    if (status == HSC_OK) {
        hsc_join_add_up(list, &n);
        hsc_spill_list_fini(&t->profile);
        if (!hsc_spill_put_all(j->spill, &t->profile, list, n, sizeof *list))
            status = hsc_join_no_memory(err);
    }
    free(list);
    for (size_t k = 0; k < CATEGORIES_MAX; k++)
        if (total[k])
            __atomic_fetch_add(&j->total[k], total[k], __ATOMIC_RELAXED);
    for (size_t k = 0; k < LEVELS; k++)
        if (attributed[k])
            __atomic_fetch_add(&j->attributed[k], attributed[k], __ATOMIC_RELAXED);
    return status;
}

hsc_status hsc_join_settle(join *j, hsc_err *err) {
    if (!sort_kinds(j) || !map_order(j))
        return hsc_join_no_memory(err);
    return hsc_join_each(j, j->threads.n, settle_thread, j, "call paths", err);
}
