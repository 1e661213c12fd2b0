/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The whole run as an interval, of a database without samples by time: from what each thread has of each leaf (/time/counts). */
#include "interval.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "entries.h"
#include "values.h"

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path); }

bool hsc_counts_are_there(const hsc_db *db) { return hsc_db_has(db, "/time/counts/indptr"); }

typedef void visit(void *ctx, uint32_t thread, uint32_t leaf, uint32_t count);

typedef struct reading {
    hsc_array indptr, leaf, count;
    const uint64_t *begin; /* by thread; of indptr, which is pinned */
    uint32_t *room[2];
} reading;

static void end_reading(hsc_db *db, reading *r) {
    hsc_array_close(db, &r->indptr);
    hsc_array_close(db, &r->leaf);
    hsc_array_close(db, &r->count);
    free(r->room[0]);
    free(r->room[1]);
}

static hsc_status begin_reading(hsc_db *db, reading *r, hsc_err *err) {
    uint64_t threads = db->tables.rows[HSC_TAB_thread];
    const void *p = NULL;
    *r = (reading){.indptr.set = -1, .leaf.set = -1, .count.set = -1};
    hsc_status s = hsc_array_open(db, "/time/counts/indptr", HSC_COLTYPE_U8, threads + 1, &r->indptr, err);
    r->indptr.pinned = true;
    if (!s)
        s = hsc_array_get(db, &r->indptr, 0, threads + 1, NULL, &p, err);
    if (!s)
        s = hsc_array_open(db, "/time/counts/leaf", HSC_COLTYPE_U4, HSC_NNZ_MAX + 1, &r->leaf, err);
    if (!s)
        s = hsc_array_open(db, "/time/counts/count", HSC_COLTYPE_U4, r->leaf.n, &r->count, err);
    if (!s && !((r->room[0] = malloc(HSC_CHUNK_ROWS * sizeof *r->room[0])) && (r->room[1] = malloc(HSC_CHUNK_ROWS * sizeof *r->room[1]))))
        s = out_of_memory(db, err);
    r->begin = p;
    return s ? s : hsc_check_indptr(db->path, "/time/counts/indptr", (hsc_ends){.wide = r->begin}, threads, r->leaf.n, err);
}

/* Calls f for every value, thread by thread. */
static hsc_status each(hsc_db *db, reading *r, visit *f, void *ctx, hsc_err *err) {
    uint64_t n = r->leaf.n, leaves = db->tables.rows[HSC_TAB_leaf];
    uint32_t thread = 0, before = 0;
    hsc_status s = HSC_OK;
    for (uint64_t at = 0; at < n && !s; at += HSC_CHUNK_ROWS) {
        uint64_t some = n - at < HSC_CHUNK_ROWS ? n - at : HSC_CHUNK_ROWS;
        const void *p = NULL;
        if (!(s = hsc_array_pass(db, &r->leaf, at, some, r->room[0], &p, err)) && p != r->room[0])
            memcpy(r->room[0], p, some * sizeof *r->room[0]);
        if (!s && !(s = hsc_array_pass(db, &r->count, at, some, r->room[1], &p, err)) && p != r->room[1])
            memcpy(r->room[1], p, some * sizeof *r->room[1]);
        for (uint64_t i = 0; i < some && !s; i++) {
            bool first = at + i == r->begin[thread];
            for (; r->begin[thread + 1] <= at + i; thread++)
                first = true;
            if (r->room[0][i] >= leaves || (!first && r->room[0][i] <= before))
                s = hsc_err_set(err, HSC_E_FORMAT, "%s: /time/counts/leaf row %" PRIu64 ": expected a row of /time/leaf that rises within its thread, got %" PRIu32,
                                db->path, at + i, r->room[0][i]);
            else
                f(ctx, thread, before = r->room[0][i], r->room[1][i]);
        }
    }
    return s;
}

static void add_total(void *ctx, uint32_t thread, uint32_t leaf, uint32_t count) {
    uint64_t *total = ctx;
    (void)thread;
    total[leaf] += count;
}

typedef struct placing {
    uint64_t *next;   /* by leaf */
    uint32_t *before; /* by leaf: the last thread */
    uint8_t *entry;   /* NULL: room for entries is counted */
} placing;

static void place(void *ctx, uint32_t thread, uint32_t leaf, uint32_t count) {
    placing *p = ctx;
    uint32_t way = thread - p->before[leaf];
    if (!count)
        return;
    if (p->entry)
        p->next[leaf] = (uint64_t)(hsc_entry_put(p->entry + p->next[leaf], way, count) - p->entry);
    else
        p->next[leaf] += hsc_entry_bytes(way, count);
    p->before[leaf] = thread;
}

hsc_status hsc_counts_take(hsc_db *db, hsc_interval *v, hsc_err *err) {
    reading r;
    hsc_status s = begin_reading(db, &r, err);
    if (!s)
        s = each(db, &r, add_total, v->total, err);
    end_reading(db, &r);
    return s;
}

hsc_status hsc_counts_take_threads(hsc_db *db, hsc_interval *v, hsc_err *err) {
    uint64_t leaves = db->tables.rows[HSC_TAB_leaf], sum = 0;
    reading r;
    placing p = {.next = calloc(leaves + 1, sizeof *p.next), .before = calloc(leaves + 1, sizeof *p.before)};
    uint32_t *indptr = malloc((leaves + 1) * sizeof *indptr);
    hsc_status s = begin_reading(db, &r, err);
    if (!s && (!p.next || !p.before || !indptr))
        s = out_of_memory(db, err);
    if (!s)
        s = each(db, &r, place, &p, err);
    for (uint64_t k = 0; k <= leaves && !s; k++) {
        uint64_t n = p.next[k];
        indptr[k] = (uint32_t)sum;
        p.next[k] = sum;
        sum += n;
    }
    if (!s && sum > UINT32_MAX)
        s = hsc_err_set(err, HSC_E_LIMIT, "%s: values of leaves and threads take %" PRIu64 " bytes, at most %" PRIu32, db->path, sum, UINT32_MAX);
    if (!s && !(p.entry = malloc(sum + 1)))
        s = out_of_memory(db, err);
    if (!s) {
        memset(p.before, 0, leaves * sizeof *p.before);
        s = each(db, &r, place, &p, err);
    }
    end_reading(db, &r);
    free(p.next);
    free(p.before);
    if (s) {
        free(indptr);
        free(p.entry);
        return s;
    }
    v->indptr = indptr;
    v->entry = p.entry;
    return HSC_OK;
}
