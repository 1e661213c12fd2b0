/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "adding.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "interval.h"

enum { BATCH_BYTES = 1 << 20, /* of each of both data sets */
       ASKED_MAX = 6 };      /* batches that the reader has: most are small, and each answer that is waited for is two turns of the processor */
_Static_assert(2 * ASKED_MAX <= HSC_PIECES_ASKED_MAX, "both data sets of each");
_Static_assert(HSC_CHUNK_ROWS * sizeof(uint32_t) <= BATCH_BYTES, "a batch is whole pieces");

typedef struct range { /* elements [at, end) of samples, or of slices */
    hsc_pieces *leaf, *count;
    uint64_t at, end;
    bool less;
} range;

typedef struct batch { /* a part of a range: whole pieces of both data sets have it */
    const range *of;
    uint64_t at, n;
} batch;

struct hsc_adding {
    range *ranges;
    size_t n, room, next; /* next: whose part the next batch is */
    uint64_t all, done;   /* elements */
    batch asked[ASKED_MAX]; /* that the reader has */
    unsigned n_asked;
    uint64_t turn;        /* db->ahead when they were asked for */
    char *data;           /* of the batch before */
};

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path); }

hsc_adding *hsc_adding_new(void) { return calloc(1, sizeof(hsc_adding)); }

void hsc_adding_free(hsc_db *db, hsc_adding *a) {
    if (!a)
        return;
    if (a->n_asked && a->turn == db->ahead)
        hsc_dbfile_drop_pieces(db->file);
    free(a->ranges);
    hsc_spare_put(&db->spares, a->data);
    free(a);
}

static bool note(hsc_adding *a, hsc_pieces *leaf, hsc_pieces *count, uint64_t at, uint64_t end, bool less) {
    if (a->n == a->room) {
        size_t room = a->room ? 2 * a->room : 16;
        range *more = realloc(a->ranges, room * sizeof *more);
        if (!more)
            return false;
        a->ranges = more;
        a->room = room;
    }
    if (at < end) {
        a->ranges[a->n++] = (range){leaf, count, at, end, less};
        a->all += end - at;
    }
    return true;
}

/* What reading elements [at, end) costs: whole pieces are unpacked, elements are added. */
static uint64_t cost_of(const hsc_pieces *p, uint64_t at, uint64_t end) {
    return at < end ? ((((end - 1) >> p->shift) - (at >> p->shift) + 1) << p->shift) + (end - at) : 0;
}

typedef struct way { /* samples [first, last) of a series, by slices below a level and single samples */
    hsc_adding *to;   /* NULL: what it costs is asked for only */
    hsc_times *t;
    bool ok;
} way;

static uint64_t go(way *w, unsigned level, uint64_t first, uint64_t last, bool less);

/* Slices [low, high) of a level. */
static uint64_t take_slices(way *w, unsigned level, uint64_t low, uint64_t high, bool less) {
    hsc_slice_level *l = &w->t->slices[level];
    uint64_t at = l->begin[l->rows[0] + low], end = l->begin[l->rows[0] + high];
    if (w->to && w->ok)
        w->ok = note(w->to, &l->leaf, &l->sum, at, end, less);
    return cost_of(&l->leaf, at, end);
}

/* A part [first, last) of slice `at` of a level, at its begin or its end: by itself, or the slice without the rest. */
static uint64_t go_part(way *w, unsigned level, uint64_t at, uint64_t first, uint64_t last, bool less) {
    uint64_t size = hsc_times_slice_size(w->t, level), begin = at * size, end = begin + size;
    if (first >= last)
        return 0;
    way asked = {.t = w->t, .ok = true};
    bool is_head = first == begin, is_whole = end <= w->t->indptr[1] - w->t->indptr[0];
    uint64_t itself = go(&asked, level, first, last, less);
    uint64_t without = is_whole ? take_slices(&asked, level, at, at + 1, less) + (is_head ? go(&asked, level, last, end, !less) : go(&asked, level, begin, first, !less))
                                : UINT64_MAX;
    if (w->to && itself <= without)
        go(w, level, first, last, less);
    else if (w->to) {
        take_slices(w, level, at, at + 1, less);
        go(w, level, is_head ? last : begin, is_head ? end : first, !less);
    }
    return itself <= without ? itself : without;
}

static uint64_t go(way *w, unsigned level, uint64_t first, uint64_t last, bool less) {
    hsc_times *t = w->t;
    while (level > 0 && first < last) {
        uint64_t size = hsc_times_slice_size(t, --level), low = (first + size - 1) / size, high = last / size;
        if (low > high) /* within a slice */
            continue;
        uint64_t cost = low < high ? take_slices(w, level, low, high, less) : 0;
        if (low) /* the end of the slice before */
            cost += go_part(w, level, low - 1, first, low * size, less);
        return cost + go_part(w, level, high, high * size, last, less);
    }
    if (w->to && w->ok)
        w->ok = note(w->to, &t->leaf, &t->count, t->indptr[0] + first, t->indptr[0] + last, less);
    return cost_of(&t->leaf, t->indptr[0] + first, t->indptr[0] + last);
}

bool hsc_adding_note(hsc_adding *a, hsc_times *t, uint64_t first, uint64_t last, bool less) {
    way w = {.to = a, .t = t, .ok = true};
    go(&w, t->n_slices, first, last, less);
    return w.ok;
}

uint64_t hsc_adding_cost(hsc_times *t, uint64_t first, uint64_t last) {
    way w = {.t = t, .ok = true};
    return go(&w, t->n_slices, first, last, false);
}

uint64_t hsc_adding_room(void) { return 2 * BATCH_BYTES; }

bool hsc_adding_is_done(const hsc_adding *a) { return a->done == a->all; }

double hsc_adding_part(const hsc_adding *a) { return a->all ? (double)a->done / (double)a->all : 1; }

uint64_t hsc_adding_values(const hsc_adding *a) { return a->all; }

static hsc_status ask_for(hsc_db *db, const hsc_pieces *set, const batch *b, hsc_err *err) {
    uint64_t first = b->at >> set->shift, n = ((b->at + b->n - 1) >> set->shift) - first + 1, numbers[HSC_PIECES_MAX];
    for (uint64_t i = 0; i < n; i++)
        numbers[i] = first + i;
    return hsc_dbfile_ask_pieces(db->file, set->a.set, 1ull << set->shift, numbers, (uint32_t)n, err);
}

static hsc_status ask(hsc_db *db, const batch *b, hsc_err *err) {
    hsc_status status = ask_for(db, b->of->leaf, b, err);
    return status ? status : ask_for(db, b->of->count, b, err);
}

/* The next batch, n 0: there is none. */
static batch next_batch(hsc_adding *a) {
    while (a->next < a->n && a->ranges[a->next].at == a->ranges[a->next].end)
        a->next++;
    if (a->next == a->n)
        return (batch){0};
    range *r = &a->ranges[a->next];
    uint64_t most = BATCH_BYTES / sizeof(uint32_t), end;
    most = most >> r->leaf->shift < HSC_PIECES_MAX ? most : (uint64_t)HSC_PIECES_MAX << r->leaf->shift;
    end = ((r->at >> r->leaf->shift) << r->leaf->shift) + most; /* whole pieces */
    batch b = {r, r->at, (end < r->end ? end : r->end) - r->at};
    r->at += b.n;
    return b;
}

/* Has the reader begin with the batches that come next; what somebody else asked for ahead is asked for once more when it is needed. */
static hsc_status ask_ahead(hsc_db *db, hsc_adding *a, hsc_err *err) {
    hsc_status status = HSC_OK;
    if (a->turn != db->ahead) {
        hsc_dbfile_drop_pieces(db->file);
        a->turn = ++db->ahead;
        for (unsigned i = 0; i < a->n_asked && !status; i++)
            status = ask(db, &a->asked[i], err);
    }
    while (a->n_asked < ASKED_MAX && !status) {
        batch b = next_batch(a);
        if (!b.n)
            break;
        a->asked[a->n_asked++] = b;
        status = ask(db, &b, err);
    }
    return status;
}

hsc_status hsc_adding_ask(hsc_db *db, hsc_adding *a, hsc_err *err) {
    return hsc_adding_is_done(a) ? HSC_OK : ask_ahead(db, a, err);
}

static hsc_status add(hsc_db *db, const batch *b, const char *data, uint64_t *total, hsc_err *err) {
    uint64_t mask = (1ull << b->of->leaf->shift) - 1, leaves = db->tables.rows[HSC_TAB_leaf];
    const uint32_t *leaf = (const uint32_t *)(const void *)data + (b->at & mask);
    const uint32_t *count = (const uint32_t *)(const void *)(data + BATCH_BYTES) + (b->at & mask);
    uint64_t sign = b->of->less ? UINT64_MAX : 1;
    for (uint64_t i = 0; i < b->n; i++) {
        if (leaf[i] >= leaves)
            return hsc_err_set(err, HSC_E_FORMAT, "%s: %s row %" PRIu64 ": expected a row of /time/leaf", db->path, b->of->leaf->a.name, b->at + i);
        total[leaf[i]] += sign * count[i];
    }
    return HSC_OK;
}

/* One batch: takes it, has the reader go on, adds it. */
static hsc_status work(hsc_db *db, hsc_adding *a, uint64_t *total, hsc_err *err) {
    if (!a->data && !(a->data = hsc_spare_take(&db->spares, hsc_adding_room(), false)))
        return out_of_memory(db, err);
    hsc_status status = ask_ahead(db, a, err);
    batch b = a->asked[0];
    if (!status)
        status = hsc_dbfile_take_pieces(db->file, a->data, err);
    if (!status)
        status = hsc_dbfile_take_pieces(db->file, a->data + BATCH_BYTES, err);
    if (status)
        return status;
    a->n_asked--;
    for (unsigned i = 0; i < a->n_asked; i++)
        a->asked[i] = a->asked[i + 1];
    status = ask_ahead(db, a, err);
    a->done += b.n;
    return status ? status : add(db, &b, a->data, total, err);
}

hsc_status hsc_adding_go_on(hsc_db *db, hsc_adding *a, uint64_t *total, double seconds, hsc_err *err) {
    double until = seconds < 0 ? INFINITY : hsc_interval_now_s() + seconds;
    hsc_status status = HSC_OK;
    while (!status && !hsc_adding_is_done(a)) {
        status = work(db, a, total, err);
        if (hsc_interval_now_s() >= until)
            break;
    }
    return status;
}
