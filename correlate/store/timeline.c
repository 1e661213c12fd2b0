/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The timeline: rows of threads by slots of time, from bins that fit the screen, or from single samples when zoomed in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "time_read.h"

enum { KEYS = 4, CROWDED = 4 }; /* keys remembered by slot; threads of a row from which on wider bins do */
#define SINGLE_MAX 4e6 /* samples that are drawn one by one at most: some 0.1 us each */

typedef struct slot {
    double all;
    uint32_t key[KEYS];
    float time[KEYS];
} slot;

typedef struct canvas {
    double begin, width; /* ticks: of the first slot, of each */
    uint32_t pixels;
    slot *slots;         /* of the row under way */
    bool bins;           /* slots are the bins of a level */
} canvas;

/* `most` ticks of `key` in a slot. */
static inline void add_key(slot *s, uint32_t key, double most) {
    int at = 0;
    if (s->key[0] != key)
        for (int k = 1; k < KEYS; k++) {
            if (s->key[k] == key) {
                at = k;
                break;
            }
            at = s->time[k] < s->time[at] ? k : at;
        }
    if (s->key[at] != key) { /* the least known makes room */
        s->key[at] = key;
        s->time[at] = 0;
    }
    s->time[at] += (float)most;
}

/* What a time [from, to), in slots, has, to the slots that it is in: the keys of `of`, and of->all ticks of CPU time. */
static inline void paint(canvas *c, double from, double to, const slot *of, int keys) {
    double length = to - from;
    if (to <= 0 || from >= c->pixels || !(of->all > 0))
        return;
    uint32_t i = from > 0 ? (uint32_t)from : 0, end = to < c->pixels ? (uint32_t)to : c->pixels - 1;
    for (; i <= end; i++) {
        double low = from > i ? from : i, high = to < i + 1 ? to : i + 1;
        double part = length > 0 ? (high - low) / length : 1;
        slot *s = &c->slots[i];
        if (!(part > 0))
            continue;
        s->all += part * of->all;
        for (int k = 0; k < keys; k++)
            if (of->time[k] > 0)
                add_key(s, of->key[k], part * (double)of->time[k]);
    }
}

static void clear(canvas *c) {
    for (uint32_t i = 0; i < c->pixels; i++) {
        c->slots[i].all = 0;
        for (int k = 0; k < KEYS; k++) {
            c->slots[i].key[k] = HSC_NONE;
            c->slots[i].time[k] = 0;
        }
    }
}

static hsc_status paint_bins(hsc_db *db, canvas *c, unsigned level, hsc_timeline_key key, uint32_t thread, double period, hsc_err *err) {
    hsc_bin_level *l = &db->times->bins[level];
    hsc_pieces *keys = key == HSC_TIMELINE_CATEGORY ? &l->category : key == HSC_TIMELINE_SCOPE ? &l->scope : &l->procedure;
    hsc_pieces *most = key == HSC_TIMELINE_CATEGORY ? &l->category_count : key == HSC_TIMELINE_SCOPE ? &l->scope_count : &l->procedure_count;
    uint64_t rows = l->indptr[thread + 1] - l->indptr[thread], first = l->first[thread];
    double width = (double)l->width, low = c->begin / width, high = (c->begin + c->width * c->pixels) / width;
    uint64_t from = low > (double)first ? (uint64_t)low - first : 0;
    uint64_t to = high <= (double)first ? 0 : high >= (double)(first + rows) ? rows : (uint64_t)ceil(high) - first;
    if (from >= to)
        return HSC_OK;
    uint64_t at = l->indptr[thread];
    hsc_status status = hsc_pieces_need(db, &l->count, at + from, to - from, err);
    if (!status)
        status = hsc_pieces_need(db, keys, at + from, to - from, err);
    if (!status)
        status = hsc_pieces_need(db, most, at + from, to - from, err);
    double each = width / c->width, base = ((double)first * width - c->begin) / c->width; /* in slots */
    uint64_t skip = c->bins ? (uint64_t)(c->begin / width + 0.5) : 0;
    for (uint64_t i = from; i < to && !status; i++) {
        uint32_t all = hsc_pieces_u4(&l->count, at + i), what;
        if (!all)
            continue;
        what = key == HSC_TIMELINE_CATEGORY ? hsc_pieces_u1(keys, at + i) : hsc_pieces_u4(keys, at + i);
        if (c->bins) { /* a slot is a bin */
            slot *s = &c->slots[first + i - skip];
            s->all += period * all;
            add_key(s, what, period * hsc_pieces_u4(most, at + i));
        } else {
            paint(c, base + (double)i * each, base + (double)(i + 1) * each,
                  &(slot){.all = period * all, .key = {what}, .time = {(float)(period * hsc_pieces_u4(most, at + i))}}, 1);
        }
    }
    return status;
}

static hsc_status paint_samples(hsc_db *db, canvas *c, hsc_timeline_key key, uint32_t thread, double period, hsc_err *err) {
    enum { BLOCK = 1024 };
    hsc_db_sample samples[BLOCK];
    hsc_db_samples *cursor = NULL;
    const uint32_t *scope_of = NULL, *procedure_of = NULL;
    double tick = db->times->tick_s, end = c->begin + c->width * c->pixels;
    uint32_t n = 0;
    /* a sample stands for time before it, so some later ones matter too */
    hsc_status status = hsc_db_samples_open(db, thread, c->begin * tick, (end + 64 * period) * tick, &cursor, err);
    if (!status)
        status = hsc_db_load(db, HSC_TAB_context, err);
    if (!status)
        status = hsc_db_load(db, HSC_TAB_scope, err);
    if (!status) {
        scope_of = HSC_COL(db, context_scope, uint32_t);
        procedure_of = HSC_COL(db, scope_procedure, uint32_t);
    }
    do {
        if (!status)
            status = hsc_db_samples_next(cursor, BLOCK, samples, &n, err);
        for (uint32_t i = 0; i < n && !status; i++) {
            uint32_t scope = scope_of[samples[i].context], procedure = scope < db->tables.rows[HSC_TAB_scope] ? procedure_of[scope] : HSC_NONE;
            double to = samples[i].time_s / tick, length = period * samples[i].count;
            if (samples[i].metric)
                continue;
            uint32_t what = key == HSC_TIMELINE_CATEGORY ? samples[i].category : key == HSC_TIMELINE_SCOPE || procedure == HSC_NONE ? scope : procedure;
            paint(c, (to - length - c->begin) / c->width, (to - c->begin) / c->width, &(slot){.all = length, .key = {what}, .time = {(float)length}}, 1);
        }
    } while (!status && n);
    hsc_db_samples_close(cursor);
    return status;
}

/* Slots that are the bins of a level, of which each has several pixels: added up as such, they are spread once for all threads of a row. */
static bool use_bins(canvas *b, const canvas *c, double width) {
    uint64_t from = (uint64_t)(c->begin / width), to = (uint64_t)ceil((c->begin + c->width * c->pixels) / width);
    *b = (canvas){.begin = (double)from * width, .width = width, .pixels = (uint32_t)(to - from), .bins = true};
    return (b->slots = malloc(((size_t)b->pixels + 1) * sizeof *b->slots)) != NULL;
}

static void spread(canvas *c, const canvas *b) {
    double each = b->width / c->width, base = (b->begin - c->begin) / c->width;
    for (uint32_t i = 0; i < b->pixels; i++)
        paint(c, base + i * each, base + (i + 1) * each, &b->slots[i], KEYS);
}

static void take_row(const canvas *c, uint32_t threads, hsc_db_slot *out) {
    for (uint32_t i = 0; i < c->pixels; i++) {
        const slot *s = &c->slots[i];
        int best = 0;
        out[i] = (hsc_db_slot){.key = HSC_NONE};
        if (!(s->all > 0) || !threads)
            continue;
        for (int k = 1; k < KEYS; k++)
            if (s->time[k] > s->time[best] || (s->time[k] == s->time[best] && s->key[k] < s->key[best]))
                best = k;
        double share = s->time[best] / s->all, busy = s->all / (c->width * threads);
        out[i] = (hsc_db_slot){s->key[best], share < 1 ? (float)share : 1, busy < 1 ? (float)busy : 1};
    }
}

hsc_status hsc_db_read_timeline(hsc_db *db, hsc_timeline_key key, uint32_t rows, const uint32_t *row_of, double begin_s, double end_s,
                                uint32_t pixels, hsc_db_slot *out, hsc_err *err) {
    return hsc_db_read_timeline_rows(db, key, rows, row_of, 0, rows, begin_s, end_s, pixels, out, err);
}

hsc_status hsc_db_read_timeline_rows(hsc_db *db, hsc_timeline_key key, uint32_t rows, const uint32_t *row_of, uint32_t first_row, uint32_t n_rows,
                                     double begin_s, double end_s, uint32_t pixels, hsc_db_slot *out, hsc_err *err) {
    hsc_times *t = NULL;
    uint64_t threads = db->tables.rows[HSC_TAB_thread];
    hsc_status status = hsc_times_begin(db, &t, err);
    if (!status && (!(begin_s < end_s) || !isfinite(begin_s) || !isfinite(end_s) || !pixels || (unsigned)key > HSC_TIMELINE_SCOPE ||
                    first_row > rows || n_rows > rows - first_row))
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: no interval, no slots, or no such key or rows of a timeline", db->path);
    if (status)
        return status;
    double period = HSC_COL(db, metric_scale, double)[0] / t->tick_s;
    canvas c = {.begin = begin_s / t->tick_s, .width = (end_s - begin_s) / t->tick_s / pixels, .pixels = pixels};
    c.slots = malloc(pixels * sizeof *c.slots);
    uint64_t *first = calloc((uint64_t)rows + 2, sizeof *first);
    uint32_t *of_row = malloc((threads + 1) * sizeof *of_row), drawn = 0;
    if (!c.slots || !first || !of_row)
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    for (uint64_t i = 0; i < threads && !status; i++) { /* threads by row */
        if (row_of[i] != HSC_NONE && row_of[i] >= rows)
            status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: a thread is in row %u, there are %u", db->path, row_of[i], rows);
        else if (row_of[i] != HSC_NONE) {
            first[row_of[i] + 1]++;
            drawn++;
        }
    }
    for (uint32_t r = 0; r < rows && !status; r++)
        first[r + 1] += first[r];
    for (uint64_t i = threads; i-- > 0 && !status;)
        if (row_of[i] != HSC_NONE)
            of_row[--first[row_of[i] + 1]] = (uint32_t)i; /* first[r + 1] is now where row r begins */
    unsigned level = 0;
    double widest = c.width * (drawn > (uint64_t)CROWDED * rows ? CROWDED : 1);
    double samples = (double)t->samples * (end_s - begin_s) / (t->end > 0 ? (double)t->end * t->tick_s : 1); /* in view, about */
    bool single = widest < (double)t->bin && samples < SINGLE_MAX;
    while (!single && level + 1 < t->n_bins && (double)hsc_bin_width(t->bin, level + 1) <= widest)
        level++;
    canvas bins = {0};
    if (!status && !single)
        status = hsc_times_level(db, level, err);
    if (!status && !single && (double)hsc_bin_width(t->bin, level) > c.width && !use_bins(&bins, &c, (double)hsc_bin_width(t->bin, level)))
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    for (uint32_t r = first_row; r < first_row + n_rows && !status; r++) {
        uint64_t from = first[r + 1], to = r + 1 < rows ? first[r + 2] : drawn;
        clear(&c);
        if (bins.slots)
            clear(&bins);
        for (uint64_t k = from; k < to && !status; k++)
            status = single ? paint_samples(db, &c, key, of_row[k], period, err) : paint_bins(db, bins.slots ? &bins : &c, level, key, of_row[k], period, err);
        if (bins.slots && !status)
            spread(&c, &bins);
        uint64_t most = 0;
        uint32_t busy = 0; /* threads that work: not helpers with less than a hundredth of the row's busiest */
        for (uint64_t k = from; k < to; k++)
            most = hsc_times_samples(t, of_row[k]) > most ? hsc_times_samples(t, of_row[k]) : most;
        for (uint64_t k = from; k < to; k++)
            busy += hsc_times_samples(t, of_row[k]) >= most / 100 + 1;
        if (!status)
            take_row(&c, busy, out + (uint64_t)(r - first_row) * pixels);
    }
    free(c.slots);
    free(bins.slots);
    free(first);
    free(of_row);
    return status;
}

/* ---- spans ---- */

hsc_status hsc_db_add_spans(hsc_db *db, uint32_t thread, double begin_s, double end_s, uint32_t pixels, double *slots, hsc_err *err) {
    uint64_t first = 0, n = 0;
    if (!(begin_s < end_s) || !pixels || thread >= db->tables.rows[HSC_TAB_thread])
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: no such thread, no interval or no slots", db->path);
    hsc_status status = hsc_db_find_spans(db, thread, begin_s, end_s, &first, &n, err);
    const uint64_t *begin = status ? NULL : HSC_COL(db, span_begin_ns, uint64_t), *length = status ? NULL : HSC_COL(db, span_length_ns, uint64_t);
    const uint8_t *category = status ? NULL : HSC_COL(db, span_category, uint8_t);
    double width = (end_s - begin_s) / pixels;
    for (uint64_t k = first; k < first + n && !status; k++) {
        double from = ((double)begin[k] * 1e-9 - begin_s) / width, to = ((double)(begin[k] + length[k]) * 1e-9 - begin_s) / width;
        double *of = slots + (uint64_t)category[k] * pixels;
        from = from > 0 ? from : 0;
        to = to < pixels ? to : pixels;
        for (uint32_t i = (uint32_t)from; i < to; i++) /* most are in one */
            of[i] += (to < i + 1 ? to : i + 1) - (from > i ? from : i);
    }
    return status;
}
