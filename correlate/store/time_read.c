/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens /time, finds samples by time, hands them out; spans of traces. */
#include "time_read.h"
#include "within.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>
#include <heatscope/sorted.h>

enum { BUDGET = 10 << 20, BINS_AHEAD = 7 }; /* bins are looked at in their order, and several chunks are unpacked by several threads */

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

/* ---- pieces ---- */

static hsc_status pieces_open(hsc_db *db, const char *name, hsc_column_type type, uint64_t n, uint64_t chunk, hsc_pieces *c,
                              hsc_err *err) {
    hsc_status status = hsc_array_open(db, name, type, n, &c->a, err);
    if (status)
        return status;
    for (c->shift = 0; 1ull << c->shift < chunk;)
        c->shift++;
    c->p = calloc((c->a.n >> c->shift) + 1, sizeof *c->p);
    c->width = calloc((c->a.n >> c->shift) + 1, sizeof *c->width);
    return c->p && c->width ? HSC_OK : out_of_memory(db, err);
}

/* How many bytes that were. */
static uint64_t pieces_clear(hsc_pieces *c) {
    uint64_t bytes = 0;
    for (uint64_t i = 0; c->p && i <= c->a.n >> c->shift; i++) {
        uint64_t rest = c->a.n - (i << c->shift), whole = (uint64_t)1 << c->shift;
        bytes += c->p[i] ? (rest < whole ? rest : whole) * c->width[i] : 0;
        free(c->p[i]);
        c->p[i] = NULL;
    }
    return bytes;
}

static void pieces_close(hsc_db *db, hsc_pieces *c) {
    pieces_clear(c);
    free(c->p);
    free(c->width);
    c->p = NULL;
    c->width = NULL;
    hsc_array_close(db, &c->a);
}

/* m values of 4 bytes, as narrow as they allow, or of 1; *width: bytes of one. NULL: no memory. */
static void *narrow(const void *values, uint64_t m, unsigned size, uint8_t *width) {
    const uint32_t *from = values;
    uint32_t all = 0;
    for (uint64_t i = 0; size == 4 && i < m; i++)
        all |= from[i];
    *width = size == 1 || all < 1u << 8 ? 1 : all < 1u << 16 ? 2 : 4;
    void *to = malloc(m * *width);
    if (to && *width == size)
        return memcpy(to, values, m * size);
    for (uint64_t i = 0; to && i < m; i++)
        if (*width == 1)
            ((uint8_t *)to)[i] = (uint8_t)from[i];
        else
            ((uint16_t *)to)[i] = (uint16_t)from[i];
    return to;
}

/* Pieces from `first` on that are not there yet, as many as are read at once. */
static hsc_status read_pieces(hsc_db *db, hsc_pieces *c, uint64_t first, hsc_err *err) {
    unsigned size = hsc_schema_type_size(c->a.type);
    uint64_t at = first << c->shift, each = 1ull << c->shift, pieces = 1;
    const void *from = NULL;
    while (pieces <= c->ahead && (first + pieces) << c->shift < c->a.n && !c->p[first + pieces])
        pieces++;
    uint64_t n = c->a.n - at < pieces * each ? c->a.n - at : pieces * each;
    char *room = malloc(n * size);
    hsc_status status = room ? hsc_array_get(db, &c->a, at, n, room, &from, err) : out_of_memory(db, err);
    for (uint64_t i = 0; i < pieces && !status; i++) {
        uint64_t m = n - i * each < each ? n - i * each : each;
        if (!(c->p[first + i] = narrow((const char *)from + i * each * size, m, size, &c->width[first + i])))
            status = out_of_memory(db, err);
        else
            db->times->held += m * c->width[first + i];
    }
    free(room);
    return status;
}

hsc_status hsc_pieces_need(hsc_db *db, hsc_pieces *c, uint64_t first, uint64_t n, hsc_err *err) {
    hsc_status status = HSC_OK;
    if (!n)
        return HSC_OK;
    if (first > c->a.n || n > c->a.n - first)
        return hsc_err_set(err, HSC_E_FORMAT, "%s: %s: expected at least %" PRIu64 " values, got %" PRIu64, db->path, c->a.name,
                           first + n, c->a.n);
    for (uint64_t i = first >> c->shift; i <= (first + n - 1) >> c->shift && !status; i++)
        if (!c->p[i])
            status = read_pieces(db, c, i, err);
    return status;
}

/* ---- open ---- */

/* `n` numbers that must be an indptr ending at *total (HSC_NNZ_MAX + 1: any). */
static hsc_status read_indptr(hsc_db *db, const char *name, uint64_t rows, uint64_t total, uint64_t **out, hsc_err *err) {
    hsc_array a = {.set = -1};
    const void *from = NULL;
    hsc_status status = hsc_array_open(db, name, HSC_COLTYPE_U8, rows + 1, &a, err);
    uint64_t *p = status ? NULL : malloc((rows + 1) * sizeof *p);
    if (!status)
        status = p ? hsc_array_get(db, &a, 0, rows + 1, p, &from, err) : out_of_memory(db, err);
    if (!status && from != p)
        memcpy(p, from, (rows + 1) * sizeof *p);
    if (!status)
        status = hsc_check_indptr(db->path, name, (hsc_ends){.wide = p}, rows, total <= HSC_NNZ_MAX ? total : p[rows], err);
    hsc_array_close(db, &a);
    if (status)
        free(p);
    else
        *out = p;
    return status;
}

/* indptr of all samples, or slices, as of one thread */
static hsc_status of_one(const hsc_db *db, uint64_t n, uint64_t **out, hsc_err *err) {
    *out = calloc(2, sizeof **out);
    if (!*out)
        return out_of_memory(db, err);
    (*out)[1] = n;
    return HSC_OK;
}

uint64_t hsc_times_slice_size(const hsc_times *t, unsigned level) {
    return hsc_slice_size(t->first_slice, level);
}

/* n numbers of a data set of so many. */
static hsc_status read_numbers(hsc_db *db, const char *name, hsc_column_type type, uint64_t n, void *to, hsc_err *err) {
    hsc_array a = {.set = -1};
    const void *from = NULL;
    hsc_status status = hsc_array_open(db, name, type, n, &a, err);
    if (!status)
        status = hsc_array_get(db, &a, 0, n, to, &from, err);
    if (!status && from != to)
        memcpy(to, from, n * hsc_schema_type_size(type));
    hsc_array_close(db, &a);
    return status;
}

/* Rows of leaf by the numbers that threads have of their own, where some have. */
static hsc_status read_own(hsc_db *db, hsc_times *t, hsc_err *err) {
    static const char name[] = "/time/samples/own_leaf";
    uint64_t leaves = db->tables.rows[HSC_TAB_leaf];
    if (t->is_program || !hsc_db_has(db, "/time/samples/number"))
        return HSC_OK;
    hsc_status status = read_indptr(db, "/time/samples/own_indptr", t->threads, HSC_NNZ_MAX + 1, &t->own_indptr, err);
    uint64_t n = status ? 0 : t->own_indptr[t->threads];
    if (!status && n > HSC_COLUMN_BYTES_MAX / sizeof *t->own_leaf)
        status = hsc_err_set(err, HSC_E_LIMIT, "%s: %s: more than the reader takes", db->path, name);
    if (!status && !(t->own_leaf = malloc((n + 1) * sizeof *t->own_leaf)))
        status = out_of_memory(db, err);
    if (!status)
        status = read_numbers(db, name, HSC_COLTYPE_U4, n, t->own_leaf, err);
    for (uint64_t i = 0; i < n && !status; i++)
        if (t->own_leaf[i] >= leaves)
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s row %" PRIu64 ": expected a row below %" PRIu64 ", got %" PRIu32, db->path, name, i, leaves, t->own_leaf[i]);
    return status;
}

static hsc_status read_ends(hsc_db *db, hsc_times *t, hsc_err *err) {
    static const char name[] = "/time/samples/end";
    if (!(t->ends = malloc((t->threads + 1) * sizeof *t->ends)))
        return out_of_memory(db, err);
    hsc_status status = read_numbers(db, name, HSC_COLTYPE_U8, t->threads, t->ends, err);
    for (uint64_t i = 0; i < t->threads && !status; i++)
        if (t->ends[i] < t->indptr[i] || t->ends[i] > t->indptr[i + 1])
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s row %" PRIu64 ": expected %" PRIu64 " to %" PRIu64 ", got %" PRIu64, db->path, name, i, t->indptr[i],
                                 t->indptr[i + 1], t->ends[i]);
    return status;
}

/* Of many samples each takes a while: the reading process looks how much is stored of all their chunks. */
enum { SAMPLE_SETS = 3 };
static hsc_status open_sample_set(hsc_db *db, hsc_times *t, unsigned which, hsc_err *err) {
    const char *const names[SAMPLE_SETS] = {"delta", t->own_indptr ? "number" : "leaf", "count"};
    hsc_pieces *const sets[SAMPLE_SETS] = {&t->delta, &t->leaf, &t->count};
    char name[96];
    snprintf(name, sizeof name, "%s/samples/%s", t->root, names[which]);
    return pieces_open(db, name, HSC_COLTYPE_U4, which ? t->delta.a.n : HSC_NNZ_MAX + 1,
                       t->is_program ? t->chunk_rows : hsc_sample_chunk_rows(t->threads), sets[which], err);
}

/* Whose samples are which, and where slices of time begin. */
static hsc_status open_threads(hsc_db *db, hsc_times *t, hsc_err *err) {
    uint64_t threads = t->threads, slices, n = t->delta.a.n;
    hsc_status status = HSC_OK;
    if (t->is_program) {
        char begin[64];
        snprintf(begin, sizeof begin, "%s/slices/begin", t->root);
        status = of_one(db, n, &t->indptr, err);
        t->samples = n;
        if (!status)
            status = of_one(db, (n + HSC_SLICE_FIRST - 1) / HSC_SLICE_FIRST, &t->slice_indptr, err);
        return status ? status : pieces_open(db, begin, HSC_COLTYPE_U4, t->slice_indptr[1], t->chunk_rows, &t->begin, err);
    }
    status = read_indptr(db, "/time/samples/indptr", threads, n, &t->indptr, err);
    if (!status && t->own_indptr)
        status = read_ends(db, t, err);
    if (!status)
        status = read_indptr(db, "/time/slices/indptr", threads, HSC_NNZ_MAX + 1, &t->slice_indptr, err);
    for (uint64_t i = 0; i < threads && !status; i++) {
        t->samples += hsc_times_samples(t, i);
        slices = (hsc_times_samples(t, i) + HSC_SLICE_FIRST - 1) / HSC_SLICE_FIRST;
        if (t->slice_indptr[i + 1] - t->slice_indptr[i] != slices)
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: /time/slices/indptr row %" PRIu64 ": expected %" PRIu64 " slices, got %" PRIu64,
                                 db->path, i, slices, t->slice_indptr[i + 1] - t->slice_indptr[i]);
    }
    if (!status)
        status = pieces_open(db, "/time/slices/begin", HSC_COLTYPE_U4, t->slice_indptr[threads], HSC_CHUNK_ROWS, &t->begin, err);
    return status;
}

static hsc_status open_slice_level(hsc_db *db, hsc_times *t, unsigned level, hsc_err *err) {
    hsc_slice_level *l = &t->slices[level];
    uint64_t threads = t->threads, size = hsc_times_slice_size(t, level);
    char name[96];
    const void *p = NULL;
    l->rows = calloc(threads + 1, sizeof *l->rows);
    if (!l->rows)
        return out_of_memory(db, err);
    for (uint64_t i = 0; i < threads; i++)
        l->rows[i + 1] = l->rows[i] + (hsc_times_has_slices(t, (uint32_t)i, size) ? hsc_times_samples(t, i) / size : 0);
    if (!l->rows[threads]) /* no thread has any */
        return HSC_OK;
    snprintf(name, sizeof name, "%s/slices/%" PRIu64 "/indptr", t->root, size);
    l->indptr.set = -1;
    hsc_status status = hsc_array_open(db, name, HSC_COLTYPE_U8, l->rows[threads] + 1, &l->indptr, err);
    if (status)
        return status;
    l->indptr.pinned = true;
    status = hsc_array_get(db, &l->indptr, 0, l->rows[threads] + 1, NULL, &p, err);
    if (status)
        return status;
    l->begin = p;
    status = hsc_check_indptr(db->path, name, (hsc_ends){.wide = l->begin}, l->rows[threads], l->begin[l->rows[threads]], err);
    snprintf(name, sizeof name, "%s/slices/%" PRIu64 "/leaf", t->root, size);
    if (!status)
        status = pieces_open(db, name, HSC_COLTYPE_U4, l->begin[l->rows[threads]], t->chunk_rows, &l->leaf, err);
    snprintf(name, sizeof name, "%s/slices/%" PRIu64 "/sum", t->root, size);
    return status ? status : pieces_open(db, name, HSC_COLTYPE_U4, l->begin[l->rows[threads]], t->chunk_rows, &l->sum, err);
}

/* Which threads have no fine slices, where some have none. */
static hsc_status read_least(hsc_db *db, hsc_times *t, hsc_err *err) {
    static const char name[] = "/time/slices/least";
    hsc_array a = {.set = -1};
    const void *p = NULL;
    if (t->is_program || !hsc_db_has(db, name))
        return HSC_OK;
    hsc_status status = hsc_array_open(db, name, HSC_COLTYPE_U4, t->threads, &a, err);
    if (!status && !(t->least = malloc((t->threads + 1) * sizeof *t->least)))
        status = out_of_memory(db, err);
    if (!status)
        status = hsc_array_get(db, &a, 0, t->threads, t->least, &p, err);
    if (!status && p != t->least)
        memcpy(t->least, p, t->threads * sizeof *t->least);
    hsc_array_close(db, &a);
    return status;
}

/* One step of opening samples and slices, whose number follows from the thread that has most; t->opened: it was the last. */
static hsc_status open_series_step(hsc_db *db, hsc_times *t, hsc_err *err) {
    uint64_t most = 0;
    unsigned step = t->step++, level = step - SAMPLE_SETS - 1;
    hsc_status status = HSC_OK;
    if (!step)
        status = read_own(db, t, err);
    if (step < SAMPLE_SETS)
        return status ? status : open_sample_set(db, t, step, err);
    if (step > SAMPLE_SETS) {
        if (level < t->n_slices)
            status = open_slice_level(db, t, level, err);
        t->opened = !status && level + 1 >= t->n_slices;
        return status;
    }
    status = open_threads(db, t, err);
    if (!status)
        status = read_least(db, t, err);
    if (status)
        return status;
    for (uint64_t i = 0; i < t->threads; i++)
        if (hsc_times_samples(t, i) > most)
            most = hsc_times_samples(t, i);
    t->n_slices = hsc_slice_levels(hsc_times_slice_size(t, 0), most);
    return HSC_OK;
}

static hsc_status open_series(hsc_db *db, hsc_times *t, hsc_err *err) {
    hsc_status status = HSC_OK;
    while (!status && !t->opened)
        status = open_series_step(db, t, err);
    return status;
}

/* What is said of all times; t->opened: there are none. */
static hsc_status open_facts(hsc_db *db, hsc_times *t, hsc_err *err) {
    double end = 0, bin = 0;
    t->opened = !hsc_db_has(db, "/time/samples");
    if (t->opened)
        return HSC_OK;
    hsc_status status = hsc_db_number(db, "/time", "tick_s", &t->tick_s, err);
    if (!status)
        status = hsc_db_number(db, "/time", "end", &end, err);
    if (!status)
        status = hsc_db_number(db, "/time", "bin", &bin, err);
    if (!status && (!(t->tick_s > 0) || !isfinite(t->tick_s) || !(end >= 0 && end <= 4294967295.0) || !(bin >= 1 && bin <= 4294967295.0)))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: /time: attributes tick_s, end and bin are no times", db->path);
    if (status)
        return status;
    t->end = (uint64_t)end;
    t->bin = (uint64_t)bin;
    t->threads = db->tables.rows[HSC_TAB_thread];
    t->n_bins = hsc_bin_levels(t->end, t->bin);
    return HSC_OK;
}

static hsc_pieces *bin_sets(hsc_bin_level *l, unsigned i) {
    hsc_pieces *sets[] = {&l->count, &l->category, &l->category_count, &l->scope, &l->scope_count, &l->procedure, &l->procedure_count};
    return sets[i];
}

static void times_free(hsc_db *db, hsc_times *t) {
    if (!t)
        return;
    times_free(db, t->program);
    times_free(db, t->next);
    pieces_close(db, &t->delta);
    pieces_close(db, &t->leaf);
    pieces_close(db, &t->count);
    pieces_close(db, &t->begin);
    for (unsigned k = 0; k < HSC_SLICE_LEVELS_MAX; k++) {
        pieces_close(db, &t->slices[k].leaf);
        pieces_close(db, &t->slices[k].sum);
        hsc_array_close(db, &t->slices[k].indptr);
        free(t->slices[k].rows);
    }
    for (unsigned k = 0; k < HSC_BIN_LEVELS_MAX; k++) {
        for (unsigned i = 0; i < 7; i++)
            pieces_close(db, bin_sets(&t->bins[k], i));
        free(t->bins[k].indptr);
        free(t->bins[k].first);
    }
    free(t->indptr);
    free(t->ends);
    free(t->own_indptr);
    free(t->own_leaf);
    free(t->slice_indptr);
    free(t->least);
    free(t);
}

void hsc_times_close(hsc_db *db) {
    times_free(db, db->times);
    db->times = NULL;
}

hsc_status hsc_times_open_some(hsc_db *db, bool *ready, hsc_err *err) {
    hsc_status status = HSC_OK;
    *ready = db->times && db->times->opened;
    if (*ready)
        return HSC_OK;
    if (!db->times) {
        db->times = calloc(1, sizeof *db->times);
        if (!db->times)
            return out_of_memory(db, err);
        db->times->budget = BUDGET;
        db->times->root = "/time";
        db->times->first_slice = HSC_SLICE_FIRST;
        db->times->chunk_rows = HSC_CHUNK_ROWS;
        status = open_facts(db, db->times, err);
    } else {
        status = open_series_step(db, db->times, err);
        db->times->present = !status && db->times->opened;
    }
    *ready = !status && db->times->opened;
    if (status)
        hsc_times_close(db);
    return status;
}

hsc_status hsc_times_open(hsc_db *db, hsc_times **out, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (bool ready = false; !ready && !status;)
        status = hsc_times_open_some(db, &ready, err);
    if (!status)
        *out = db->times;
    return status;
}

hsc_status hsc_db_open_times(hsc_db *db, bool *ready, hsc_err *err) { return hsc_times_open_some(db, ready, err); }

/* but for where slices begin, which takes 4 bytes for 1024 samples */
static uint64_t clear_samples(hsc_times *t) {
    uint64_t bytes = pieces_clear(&t->delta) + pieces_clear(&t->leaf) + pieces_clear(&t->count);
    for (unsigned k = 0; k < t->n_slices; k++)
        bytes += pieces_clear(&t->slices[k].leaf) + pieces_clear(&t->slices[k].sum);
    for (unsigned k = 0; k < t->n_bins; k++)
        for (unsigned i = 0; i < 7; i++)
            bytes += pieces_clear(bin_sets(&t->bins[k], i));
    return bytes;
}

static uint64_t clear_pieces(hsc_times *t) { return clear_samples(t) + pieces_clear(&t->begin); }

void hsc_times_give_back_program(hsc_times *t) {
    for (hsc_times *p = t->program; p; p = p->next)
        t->held -= clear_samples(p);
}

void hsc_times_give_back(hsc_times *t) {
    for (hsc_times *p = t->program; p; p = p->next)
        t->held -= clear_pieces(p);
    t->held -= clear_pieces(t);
}

hsc_status hsc_times_begin(hsc_db *db, hsc_times **out, hsc_err *err) {
    hsc_times *t = NULL;
    hsc_status status = hsc_times_open(db, &t, err);
    if (status)
        return status;
    if (!t->present)
        return hsc_err_set(err, HSC_E_MISSING, "%s: has no samples by time; heatscope correlate makes them", db->path);
    if (t->held > t->budget)
        hsc_times_give_back(t);
    *out = t;
    return HSC_OK;
}

hsc_status hsc_times_program(hsc_db *db, hsc_times **out, hsc_err *err) {
    static const char *const layers[HSC_LAYERS_MAX] = {"/time/layers/0", "/time/layers/1"};
    hsc_times *t = db->times, *first = NULL, **to = &first;
    bool is_one = !t->program_looked && hsc_db_has(db, "/time/program"); /* until version 1.5 */
    uint64_t samples = 0;
    hsc_status status = HSC_OK;
    *out = NULL;
    for (unsigned i = 0; i < HSC_LAYERS_MAX && !status && !t->program_looked; i++) {
        if (is_one ? i > 0 : !hsc_db_has(db, layers[i]))
            break;
        hsc_times *p = *to = calloc(1, sizeof *p);
        if (!p) {
            status = out_of_memory(db, err);
            break;
        }
        *p = (hsc_times){.present = true, .is_program = true, .threads = 1, .tick_s = t->tick_s, .end = t->end, .root = is_one ? "/time/program" : layers[i],
                         .first_slice = is_one ? HSC_PROGRAM_SLICE_FIRST : hsc_layer_slice_first(i), .chunk_rows = is_one ? HSC_CHUNK_ROWS : hsc_layer_chunk_rows(i)};
        status = open_series(db, p, err);
        samples += p->delta.a.n;
        to = &p->next;
    }
    if (!status && first && samples != t->samples)
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s: expected %" PRIu64 " samples, got %" PRIu64, db->path, is_one ? "/time/program" : "/time/layers",
                             t->samples, samples);
    if (status) {
        times_free(db, first);
        return status;
    }
    if (!t->program_looked)
        t->program = first;
    t->program_looked = true;
    *out = t->program;
    return HSC_OK;
}

hsc_status hsc_times_level(hsc_db *db, unsigned level, hsc_err *err) {
    static const char *const names[] = {"count", "category", "category_count", "scope", "scope_count", "procedure", "procedure_count"};
    hsc_times *t = db->times;
    hsc_bin_level *l = &t->bins[level];
    uint64_t threads = db->tables.rows[HSC_TAB_thread];
    hsc_array first = {.set = -1};
    const void *p = NULL;
    char name[96];
    if (l->open)
        return HSC_OK;
    l->width = hsc_bin_width(t->bin, level);
    snprintf(name, sizeof name, "/time/bins/%u/count", level);
    hsc_status status = HSC_OK;
    for (unsigned i = 0; i < 7 && !status; i++) {
        hsc_pieces *c = bin_sets(l, i);
        snprintf(name, sizeof name, "/time/bins/%u/%s", level, names[i]);
        pieces_close(db, c); /* of an attempt that failed */
        status = pieces_open(db, name, i == 1 ? HSC_COLTYPE_U1 : HSC_COLTYPE_U4, i ? l->count.a.n : HSC_NNZ_MAX + 1,
                             HSC_CHUNK_ROWS, c, err);
        c->ahead = BINS_AHEAD;
    }
    snprintf(name, sizeof name, "/time/bins/%u/indptr", level);
    free(l->indptr);
    free(l->first);
    l->indptr = NULL;
    l->first = NULL;
    if (!status)
        status = read_indptr(db, name, threads, l->count.a.n, &l->indptr, err);
    snprintf(name, sizeof name, "/time/bins/%u/first", level);
    if (!status)
        status = hsc_array_open(db, name, HSC_COLTYPE_U4, threads, &first, err);
    if (!status && !(l->first = malloc((threads + 1) * sizeof *l->first)))
        status = out_of_memory(db, err);
    if (!status)
        status = hsc_array_get(db, &first, 0, threads, l->first, &p, err);
    if (!status && p != l->first)
        memcpy(l->first, p, threads * sizeof *l->first);
    hsc_array_close(db, &first);
    l->open = !status;
    return status;
}

hsc_status hsc_times_load_leaves(hsc_db *db, hsc_err *err) {
    hsc_status status = hsc_db_load(db, HSC_TAB_leaf, err);
    return status ? status : hsc_db_load(db, HSC_TAB_context, err);
}

hsc_status hsc_times_load_some_leaves(hsc_db *db, bool *ready, hsc_err *err) {
    static const enum hsc_table_id needed[] = {HSC_TAB_context, HSC_TAB_leaf};
    *ready = true;
    if (!hsc_db_has(db, "/time/samples"))
        return HSC_OK;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!db->loaded[needed[i]]) {
            hsc_status status = hsc_db_load_some(db, needed[i], err);
            *ready = !status && db->loaded[HSC_TAB_leaf] && db->loaded[HSC_TAB_context];
            return status;
        }
    return HSC_OK;
}

hsc_status hsc_db_get_times(hsc_db *db, hsc_db_times *out, hsc_err *err) {
    hsc_times *t = NULL;
    hsc_status status = hsc_times_open(db, &t, err);
    if (status)
        return status;
    *out = (hsc_db_times){.present = t->present, .spans = db->tables.rows[HSC_TAB_span], .slices = hsc_within_known(db)};
    if (t->present) {
        out->tick_s = t->tick_s;
        out->end_s = (double)(t->end + 1) * t->tick_s; /* the last sample is before it */
        out->bin_s = (double)t->bin * t->tick_s;
        out->samples = t->samples;
    }
    return HSC_OK;
}

/* ---- samples ---- */

uint64_t hsc_times_tick(const hsc_times *t, double seconds) {
    double tick = ceil(seconds / t->tick_s - 1e-6);
    return !(tick > 0) ? 0 : tick > (double)t->end + 1 ? t->end + 1 : (uint64_t)tick;
}

hsc_status hsc_times_slice(hsc_db *db, hsc_times *t, uint32_t thread, uint64_t tick, uint64_t *slice, hsc_err *err) {
    uint64_t base = t->slice_indptr[thread], low = 0, high = t->slice_indptr[thread + 1] - base;
    hsc_status status = hsc_pieces_need(db, &t->begin, base, high, err);
    if (status)
        return status;
    HSC_SEARCH(low, high, hsc_pieces_u4(&t->begin, base + low) < tick);
    *slice = low;
    return HSC_OK;
}

hsc_status hsc_times_find(hsc_db *db, hsc_times *t, uint32_t thread, uint64_t tick, uint64_t *sample, hsc_err *err) {
    uint64_t n = hsc_times_samples(t, thread), base = t->slice_indptr[thread], low = 0;
    hsc_status status = hsc_times_slice(db, t, thread, tick, &low, err);
    if (status)
        return status;
    *sample = low * HSC_SLICE_FIRST < n ? low * HSC_SLICE_FIRST : n;
    if (!low)
        return HSC_OK;
    uint64_t first = (low - 1) * HSC_SLICE_FIRST, last = *sample, at = hsc_pieces_u4(&t->begin, base + low - 1);
    status = hsc_pieces_need(db, &t->delta, t->indptr[thread] + first, last - first, err);
    for (uint64_t i = first; i < last && !status; i++) {
        at += i > first ? hsc_pieces_u4(&t->delta, t->indptr[thread] + i) : 0;
        if (at >= tick) {
            *sample = i;
            break;
        }
    }
    return status;
}

struct hsc_db_samples {
    hsc_db *db;
    uint32_t thread;
    uint64_t next, last, tick; /* tick: of the sample before next, where next is not the first of its slice */
};

hsc_status hsc_db_samples_open(hsc_db *db, uint32_t thread, double begin_s, double end_s, hsc_db_samples **out, hsc_err *err) {
    hsc_times *t = NULL;
    uint64_t first = 0, last = 0;
    if (thread >= db->tables.rows[HSC_TAB_thread])
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: thread %" PRIu32 " asked for, there are %" PRIu64, db->path, thread,
                           db->tables.rows[HSC_TAB_thread]);
    hsc_status status = hsc_times_begin(db, &t, err);
    if (!status)
        status = hsc_times_load_leaves(db, err);
    if (!status)
        status = hsc_times_find(db, t, thread, hsc_times_tick(t, begin_s), &first, err);
    if (!status)
        status = hsc_times_find(db, t, thread, hsc_times_tick(t, end_s), &last, err);
    if (status)
        return status;
    hsc_db_samples *c = calloc(1, sizeof *c);
    if (!c)
        return out_of_memory(db, err);
    *c = (hsc_db_samples){.db = db, .thread = thread, .next = first, .last = last > first ? last : first};
    uint64_t slice = first / HSC_SLICE_FIRST, at = slice * HSC_SLICE_FIRST;
    if (first < last && at < first) {
        c->tick = hsc_pieces_u4(&t->begin, t->slice_indptr[thread] + slice);
        status = hsc_pieces_need(db, &t->delta, t->indptr[thread] + at, first - at, err);
        for (uint64_t i = at + 1; i < first && !status; i++)
            c->tick += hsc_pieces_u4(&t->delta, t->indptr[thread] + i);
    }
    if (status)
        free(c);
    else
        *out = c;
    return status;
}

void hsc_db_samples_close(hsc_db_samples *c) {
    free(c);
}

hsc_status hsc_db_samples_next(hsc_db_samples *c, uint32_t capacity, hsc_db_sample *out, uint32_t *n, hsc_err *err) {
    hsc_db *db = c->db;
    hsc_times *t = NULL;
    hsc_status status = hsc_times_begin(db, &t, err);
    uint64_t m = c->last - c->next < capacity ? c->last - c->next : capacity, base = status ? 0 : t->indptr[c->thread];
    if (!status)
        status = hsc_pieces_need(db, &t->delta, base + c->next, m, err);
    if (!status)
        status = hsc_pieces_need(db, &t->leaf, base + c->next, m, err);
    if (!status)
        status = hsc_pieces_need(db, &t->count, base + c->next, m, err);
    if (!status)
        status = hsc_pieces_need(db, &t->begin, t->slice_indptr[c->thread], t->slice_indptr[c->thread + 1] - t->slice_indptr[c->thread], err);
    if (status)
        return status;
    const uint32_t *context = HSC_COL(db, leaf_context, uint32_t), *line = HSC_COL(db, leaf_line, uint32_t),
                   *instance = HSC_COL(db, leaf_instance, uint32_t), *metric = HSC_COL(db, leaf_metric, uint32_t);
    const uint8_t *category = HSC_COL(db, leaf_category, uint8_t);
    for (uint64_t i = 0; i < m; i++, c->next++) {
        uint32_t number = hsc_pieces_u4(&t->leaf, base + c->next), leaf = hsc_times_leaf(t, c->thread, number);
        if (leaf >= db->tables.rows[HSC_TAB_leaf])
            return hsc_err_set(err, HSC_E_FORMAT, "%s: %s row %" PRIu64 ": expected a row below %" PRIu64 " or a number that its thread has, got %" PRIu32,
                               db->path, t->leaf.a.name, base + c->next, db->tables.rows[HSC_TAB_leaf], number);
        if (c->next % HSC_SLICE_FIRST == 0)
            c->tick = hsc_pieces_u4(&t->begin, t->slice_indptr[c->thread] + c->next / HSC_SLICE_FIRST);
        else
            c->tick += hsc_pieces_u4(&t->delta, base + c->next);
        out[i] = (hsc_db_sample){(double)c->tick * t->tick_s, context[leaf], line[leaf], instance[leaf], category[leaf], metric[leaf],
                                 hsc_pieces_u4(&t->count, base + c->next)};
    }
    *n = (uint32_t)m;
    return HSC_OK;
}

/* ---- spans ---- */

hsc_status hsc_db_prepare_spans(hsc_db *db, bool *ready, hsc_err *err) {
    hsc_status status = db->loaded[HSC_TAB_span] ? HSC_OK : hsc_db_load_some(db, HSC_TAB_span, err);
    *ready = !status && db->loaded[HSC_TAB_span];
    return status;
}

hsc_status hsc_db_get_span(hsc_db *db, uint64_t row, hsc_db_span *out, hsc_err *err) {
    hsc_status status = hsc_db_load(db, HSC_TAB_span, err);
    if (!status && row >= db->tables.rows[HSC_TAB_span])
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: span %" PRIu64 " asked for, there are %" PRIu64, db->path, row,
                             db->tables.rows[HSC_TAB_span]);
    if (status)
        return status;
    *out = (hsc_db_span){.thread = HSC_COL(db, span_thread, uint32_t)[row],
                         .begin_s = (double)HSC_COL(db, span_begin_ns, uint64_t)[row] * 1e-9,
                         .end_s = (double)(HSC_COL(db, span_begin_ns, uint64_t)[row] + HSC_COL(db, span_length_ns, uint64_t)[row]) * 1e-9,
                         .is_message = HSC_COL(db, span_what, uint8_t)[row] == 1,
                         .kind = HSC_COL(db, span_kind, uint8_t)[row],
                         .category = HSC_COL(db, span_category, uint8_t)[row],
                         .context = HSC_COL(db, span_context, uint32_t)[row],
                         .line = HSC_COL(db, span_line, uint32_t)[row],
                         .bytes = HSC_COL(db, span_bytes, uint64_t)[row]};
    const char *text = hsc_enum_text(out->is_message ? "operation_class" : "wait_kind", out->kind);
    out->kind_text = text ? text : "";
    return HSC_OK;
}

hsc_status hsc_db_find_spans(hsc_db *db, uint32_t thread, double begin_s, double end_s, uint64_t *first, uint64_t *n, hsc_err *err) {
    hsc_status status = hsc_db_load(db, HSC_TAB_span, err);
    if (status)
        return status;
    uint64_t rows = db->tables.rows[HSC_TAB_span], bounds[3];
    const uint32_t *of = HSC_COL(db, span_thread, uint32_t);
    const uint64_t *begin = HSC_COL(db, span_begin_ns, uint64_t), *length = HSC_COL(db, span_length_ns, uint64_t);
    for (int k = 0; k < 3; k++) { /* first of the thread; first that begins at or after begin_s; at or after end_s */
        uint64_t low = 0, high = rows;
        HSC_SEARCH(low, high, of[low] < thread || (k && of[low] == thread && (double)begin[low] * 1e-9 < (k == 1 ? begin_s : end_s)));
        bounds[k] = low;
    }
    while (bounds[1] > bounds[0] && (double)(begin[bounds[1] - 1] + length[bounds[1] - 1]) * 1e-9 > begin_s) /* spans of a thread follow one another */
        bounds[1]--;
    *first = bounds[1];
    *n = bounds[2] > bounds[1] ? bounds[2] - bounds[1] : 0;
    return HSC_OK;
}
