/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples in the order of time, written thread by thread: the samples themselves, slices of equally many samples with
 * what was counted in each, and bins of equal time with what was most in each. Holds one thread's samples at a time. */
#include "store_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"

enum { SAMPLE_DELTA, SAMPLE_LEAF, SAMPLE_COUNT, SAMPLE_SETS };
enum { BIN_COUNT, BIN_CATEGORY, BIN_CATEGORY_COUNT, BIN_SCOPE, BIN_SCOPE_COUNT, BIN_PROCEDURE, BIN_PROCEDURE_COUNT, BIN_SETS };

typedef struct leaf_facts {
    uint32_t scope, procedure;
    uint8_t category;
    bool binned;
} leaf_facts;

typedef struct slice_level {
    hid_t group;
    hsc_out_stream *indptr, *leaf, *sum;
    uint64_t values;
} slice_level;

typedef struct bin_level {
    hid_t group;
    uint64_t rows, *indptr;
    uint32_t *first;
    hsc_out_stream *sets[BIN_SETS];
} bin_level;

typedef struct hsc_store_times {
    hid_t group, samples_group, slices_group, bins_group;
    uint32_t end, bin;
    uint64_t threads, done, n_leaves, n_scopes, n_categories;
    uint64_t *indptr, *slice_indptr; /* of samples and of slices, by thread */
    leaf_facts *leaves;
    hsc_out_stream *samples[SAMPLE_SETS], *begin;
    hsc_store_program *program; /* NULL: one thread */
    slice_level slices[HSC_SLICE_LEVELS_MAX];
    bin_level bins[HSC_BIN_LEVELS_MAX];
    unsigned n_bins;
    uint64_t *by_leaf, *by_scope, *by_procedure; /* of the slice or bin under way */
    uint32_t *touched, *touched_scopes, *touched_procedures, n_touched, n_touched_scopes, n_touched_procedures;
} hsc_store_times;

static hsc_status times_memory(hsc_store *s, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for the samples by time", s->path);
}

void hsc_store_times_clear(hsc_store *s) {
    hsc_store_times *t = s->times;
    if (!t)
        return;
    for (int i = 0; i < SAMPLE_SETS; i++)
        hsc_out_stream_abort(t->samples[i]);
    hsc_out_stream_abort(t->begin);
    for (int i = 0; i < HSC_SLICE_LEVELS_MAX; i++) {
        hsc_out_stream_abort(t->slices[i].indptr);
        hsc_out_stream_abort(t->slices[i].leaf);
        hsc_out_stream_abort(t->slices[i].sum);
        if (t->slices[i].group > 0)
            H5Gclose(t->slices[i].group);
    }
    for (int i = 0; i < HSC_BIN_LEVELS_MAX; i++) {
        for (int k = 0; k < BIN_SETS; k++)
            hsc_out_stream_abort(t->bins[i].sets[k]);
        if (t->bins[i].group > 0)
            H5Gclose(t->bins[i].group);
        free(t->bins[i].indptr);
        free(t->bins[i].first);
    }
    const hid_t groups[] = {t->samples_group, t->slices_group, t->bins_group, t->group};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i] > 0)
            H5Gclose(groups[i]);
    hsc_store_program_free(t->program);
    free(t->indptr);
    free(t->slice_indptr);
    free(t->leaves);
    free(t->by_leaf);
    free(t->by_scope);
    free(t->by_procedure);
    free(t->touched);
    free(t->touched_scopes);
    free(t->touched_procedures);
    free(t);
    s->times = NULL;
}

/* ---- begin ---- */

static hsc_status open_samples(hsc_store *s, hsc_store_times *t, hsc_err *err) {
    static const struct {
        const char *name, *description, *references;
    } sets[SAMPLE_SETS] = {{"delta", "ticks since the sample before; the first of each slice: 0", ""},
                           {"leaf", "what it was", "/time/leaf"},
                           {"count", "counts of the leaf's metric that it stands for", ""}};
    hsc_status status = hsc_out_told_group(s->out, t->group, "samples", "samples in the order of time: thread i has [indptr[i], indptr[i + 1])",
                                   &t->samples_group, err);
    for (int i = 0; i < SAMPLE_SETS && !status; i++) {
        hsc_out_notes notes = {.description = sets[i].description, .references = sets[i].references,
                               .chunk_rows = HSC_SAMPLE_CHUNK_ROWS, .effort = HSC_EFFORT_SERIES};
        status = hsc_out_stream_open(s->out, t->samples_group, sets[i].name, HSC_COLTYPE_U4, &notes, &t->samples[i], err);
    }
    if (!status)
        status = hsc_out_told_group(s->out, t->group, "slices",
                            "slices of 1024 samples of a thread each, the last shorter: thread i has [indptr[i], indptr[i + 1]); "
                            "groups n: whole slices of n samples, thread by thread, with what was counted in each",
                            &t->slices_group, err);
    hsc_out_notes notes = {.description = "tick of the first sample"};
    return status ? status
                  : hsc_out_stream_open(s->out, t->slices_group, "begin", HSC_COLTYPE_U4, &notes, &t->begin, err);
}

static hsc_status open_slices(hsc_store *s, slice_level *l, unsigned level, hsc_err *err) {
    static const char *const names[HSC_SLICE_LEVELS_MAX] = {"1024", "16384", "262144", "4194304", "67108864", "1073741824"};
    hsc_out_notes indptr = {.description = "slice i has the values [indptr[i], indptr[i + 1])"},
                  leaf = {.description = "rises within a slice", .references = "/time/leaf", .effort = HSC_EFFORT_SERIES}, sum = {.description = "of counts", .effort = HSC_EFFORT_SERIES};
    const uint64_t zero = 0;
    hsc_status status = hsc_out_told_group(s->out, s->times->slices_group, names[level], "what was counted in each slice", &l->group, err);
    if (!status)
        status = hsc_out_stream_open(s->out, l->group, "indptr", HSC_COLTYPE_U8, &indptr, &l->indptr, err);
    if (!status)
        status = hsc_out_stream_open(s->out, l->group, "leaf", HSC_COLTYPE_U4, &leaf, &l->leaf, err);
    if (!status)
        status = hsc_out_stream_open(s->out, l->group, "sum", HSC_COLTYPE_U4, &sum, &l->sum, err);
    return status ? status : hsc_out_stream_put(l->indptr, &zero, 1, err);
}

static hsc_status open_bins(hsc_store *s, bin_level *l, unsigned level, hsc_err *err) {
    static const struct {
        const char *name, *description, *references;
        hsc_column_type type;
    } sets[BIN_SETS] = {
        {"count", "counts of metric 0", "", HSC_COLTYPE_U4},
        {"category", "the category with most of them; the smaller row of several", "/run/category", HSC_COLTYPE_U1},
        {"category_count", "counts of that category", "", HSC_COLTYPE_U4},
        {"scope", "the innermost scope with most of them; 4294967295: no counts", "/static/scope", HSC_COLTYPE_U4},
        {"scope_count", "counts of that scope itself", "", HSC_COLTYPE_U4},
        {"procedure", "the procedure with most of them, its loops included; 4294967295: no counts", "/static/scope", HSC_COLTYPE_U4},
        {"procedure_count", "counts of that procedure", "", HSC_COLTYPE_U4}};
    hsc_store_times *t = s->times;
    char name[24];
    uint64_t width = hsc_bin_width(t->bin, level);
    snprintf(name, sizeof name, "%u", level);
    hsc_status status = hsc_out_told_group(s->out, t->bins_group, name, "bins of `width` ticks from the start of the run: thread i has rows "
                                   "[indptr[i], indptr[i + 1]), which are its bins from first[i] on", &l->group, err);
    if (!status)
        status = hsc_out_numbers(s->out, l->group, "width", H5T_STD_U64LE, H5T_NATIVE_UINT64, &width, 1, err);
    for (int k = 0; k < BIN_SETS && !status; k++) {
        hsc_out_notes notes = {.description = sets[k].description, .references = sets[k].references, .effort = HSC_EFFORT_SERIES};
        status = hsc_out_stream_open(s->out, l->group, sets[k].name, sets[k].type, &notes, &l->sets[k], err);
    }
    l->indptr = calloc(t->threads + 1, sizeof *l->indptr);
    l->first = calloc(t->threads + 1, sizeof *l->first);
    if (!status && (!l->indptr || !l->first))
        status = times_memory(s, err);
    return status;
}

static bool find_leaves(hsc_store *s, hsc_store_times *t) {
    const uint32_t *context = s->kept[HSC_COL_leaf_context], *metric = s->kept[HSC_COL_leaf_metric];
    const uint32_t *scope = s->kept[HSC_COL_context_scope], *procedure = s->kept[HSC_COL_scope_procedure];
    const uint8_t *category = s->kept[HSC_COL_leaf_category];
    for (uint64_t i = 0; i < t->n_leaves; i++) {
        if (context[i] >= s->tables.rows[HSC_TAB_context] || category[i] >= t->n_categories)
            return false;
        uint32_t at = scope[context[i]], p = at < t->n_scopes ? procedure[at] : HSC_NONE;
        if (at >= t->n_scopes)
            return false;
        t->leaves[i] = (leaf_facts){at, p < t->n_scopes ? p : at, category[i], metric[i] == 0};
    }
    return true;
}

hsc_status hsc_store_begin_times(hsc_store *s, double tick_s, uint32_t end, uint32_t bin, hsc_err *err) {
    static const enum hsc_column_id needed[] = {HSC_COL_leaf_context,  HSC_COL_leaf_metric,     HSC_COL_leaf_category,
                                                HSC_COL_context_scope, HSC_COL_scope_procedure, HSC_COL_thread_process,
                                                HSC_COL_category_name};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!s->have[needed[i]])
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: column %s/%s must be put before the samples by time", s->path,
                               hsc_schema_tables[hsc_schema_columns[needed[i]].table].name, hsc_schema_columns[needed[i]].name);
    if (s->times || !(tick_s > 0) || !bin)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time: begun twice, or no unit of time", s->path);
    hsc_store_times *t = s->times = calloc(1, sizeof *t);
    if (!t)
        return times_memory(s, err);
    t->end = end;
    t->bin = bin;
    t->threads = s->tables.rows[HSC_TAB_thread];
    t->n_leaves = s->tables.rows[HSC_TAB_leaf];
    t->n_scopes = s->tables.rows[HSC_TAB_scope];
    t->n_categories = s->tables.rows[HSC_TAB_category];
    t->n_bins = hsc_bin_levels(end, bin);
    t->indptr = calloc(t->threads + 1, sizeof *t->indptr);
    t->slice_indptr = calloc(t->threads + 1, sizeof *t->slice_indptr);
    t->leaves = calloc(t->n_leaves + 1, sizeof *t->leaves);
    t->by_leaf = calloc(t->n_leaves + 1, sizeof *t->by_leaf);
    t->by_scope = calloc(t->n_scopes + 1, sizeof *t->by_scope);
    t->by_procedure = calloc(t->n_scopes + 1, sizeof *t->by_procedure);
    t->touched = malloc((t->n_leaves + 1) * sizeof *t->touched);
    t->touched_scopes = malloc((t->n_scopes + 1) * sizeof *t->touched_scopes);
    t->touched_procedures = malloc((t->n_scopes + 1) * sizeof *t->touched_procedures);
    if (!t->indptr || !t->slice_indptr || !t->leaves || !t->by_leaf || !t->by_scope || !t->by_procedure || !t->touched ||
        !t->touched_scopes || !t->touched_procedures)
        return times_memory(s, err);
    if (!find_leaves(s, t))
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: table leaf refers to rows that are not there", s->path);
    hid_t group = H5Gopen2(s->file, "time", H5P_DEFAULT); /* made for table leaf */
    if (group < 0)
        return hsc_out_fail(s->out, "open group", "time", err);
    t->group = group;
    hsc_status status = hsc_out_text(s->out, t->group, "description", "samples in the order of time; times are ticks since the start of the run", err);
    if (!status)
        status = hsc_out_numbers(s->out, t->group, "tick_s", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &tick_s, 1, err);
    if (!status)
        status = hsc_out_numbers(s->out, t->group, "end", H5T_STD_U32LE, H5T_NATIVE_UINT32, &end, 1, err);
    if (!status)
        status = hsc_out_numbers(s->out, t->group, "bin", H5T_STD_U32LE, H5T_NATIVE_UINT32, &bin, 1, err);
    if (!status)
        status = open_samples(s, t, err);
    if (!status)
        status = hsc_out_told_group(s->out, t->group, "bins", "bins of equal time, each level's four times as wide as those of the one before", &t->bins_group, err);
    for (unsigned k = 0; k < t->n_bins && !status; k++)
        status = open_bins(s, &t->bins[k], k, err);
    if (!status && t->threads > 1)
        status = hsc_store_program_new(s, end, t->n_leaves, &t->program, err);
    return status;
}

/* ---- a thread ---- */

static void count_up(uint64_t *by, uint32_t row, uint32_t count, uint32_t *touched, uint32_t *n) {
    if (!by[row])
        touched[(*n)++] = row;
    by[row] += count;
}

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static hsc_status put_slice(hsc_store_times *t, slice_level *l, uint64_t n, const uint32_t *leaf, const uint32_t *count,
                            hsc_err *err) {
    hsc_status status = HSC_OK;
    t->n_touched = 0;
    for (uint64_t i = 0; i < n; i++)
        if (count[i])
            count_up(t->by_leaf, leaf[i], count[i], t->touched, &t->n_touched);
    if (t->n_touched > t->n_leaves / 16) { /* a look at all is cheaper than sorting */
        t->n_touched = 0;
        for (uint32_t k = 0; k < t->n_leaves; k++)
            if (t->by_leaf[k])
                t->touched[t->n_touched++] = k;
    } else if (t->n_touched > 1)
        qsort(t->touched, t->n_touched, sizeof *t->touched, compare_u32);
    status = hsc_out_stream_put(l->leaf, t->touched, t->n_touched, err);
    for (uint32_t i = 0; i < t->n_touched; i++) {
        uint64_t sum = t->by_leaf[t->touched[i]];
        uint32_t v = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
        t->by_leaf[t->touched[i]] = 0;
        if (!status)
            status = hsc_out_stream_put(l->sum, &v, 1, err);
    }
    l->values += t->n_touched;
    return status ? status : hsc_out_stream_put(l->indptr, &l->values, 1, err);
}

/* The row with most, the smaller of several; clears. */
static uint32_t take_most(uint64_t *by, const uint32_t *touched, uint32_t *n, uint32_t *count) {
    uint32_t best = HSC_NONE;
    uint64_t most = 0;
    for (uint32_t i = 0; i < *n; i++) {
        uint64_t v = by[touched[i]];
        if (v > most || (v == most && touched[i] < best)) {
            most = v;
            best = touched[i];
        }
        by[touched[i]] = 0;
    }
    *n = 0;
    *count = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    return best;
}

typedef struct bin_row {
    uint64_t all, categories[256];
    bool any;
} bin_row;

static hsc_status put_bin(hsc_store_times *t, bin_level *l, bin_row *b, hsc_err *err) {
    uint32_t values[BIN_SETS] = {0};
    uint8_t category = 0;
    values[BIN_COUNT] = b->all < UINT32_MAX ? (uint32_t)b->all : UINT32_MAX;
    for (unsigned k = 0; k < t->n_categories && k < 256; k++)
        if (b->categories[k] > b->categories[category])
            category = (uint8_t)k;
    uint64_t most = b->categories[category];
    values[BIN_CATEGORY_COUNT] = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    values[BIN_SCOPE] = take_most(t->by_scope, t->touched_scopes, &t->n_touched_scopes, &values[BIN_SCOPE_COUNT]);
    values[BIN_PROCEDURE] = take_most(t->by_procedure, t->touched_procedures, &t->n_touched_procedures, &values[BIN_PROCEDURE_COUNT]);
    b->all = 0;
    memset(b->categories, 0, (t->n_categories < 256 ? t->n_categories : 256) * sizeof *b->categories);
    hsc_status status = HSC_OK;
    for (int k = 0; k < BIN_SETS && !status; k++)
        status = k == BIN_CATEGORY ? hsc_out_stream_put(l->sets[k], &category, 1, err) : hsc_out_stream_put(l->sets[k], &values[k], 1, err);
    l->rows++;
    return status;
}

static hsc_status put_bins(hsc_store *s, unsigned level, uint64_t n, const uint32_t *time, const uint32_t *leaf,
                           const uint32_t *count, hsc_err *err) {
    hsc_store_times *t = s->times;
    bin_level *l = &t->bins[level];
    uint64_t width = hsc_bin_width(t->bin, level), end = 0; /* of the bin under way */
    bin_row b = {0};
    hsc_status status = HSC_OK;
    l->indptr[t->done] = l->rows;
    for (uint64_t i = 0; i < n && !status; i++) {
        const leaf_facts *f = &t->leaves[leaf[i]];
        if (!f->binned || !count[i])
            continue;
        if (!b.any) {
            b.any = true;
            l->first[t->done] = (uint32_t)(time[i] / width);
            end = (time[i] / width + 1) * width;
        }
        for (; end <= time[i] && !status; end += width)
            status = put_bin(t, l, &b, err);
        b.all += count[i];
        b.categories[f->category] += count[i];
        count_up(t->by_scope, f->scope, count[i], t->touched_scopes, &t->n_touched_scopes);
        count_up(t->by_procedure, f->procedure, count[i], t->touched_procedures, &t->n_touched_procedures);
    }
    if (!status && b.any)
        status = put_bin(t, l, &b, err);
    l->indptr[t->done + 1] = l->rows;
    return status;
}

static hsc_status put_samples(hsc_store_times *t, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                              hsc_err *err) {
    uint32_t delta[HSC_SLICE_FIRST];
    hsc_status status = HSC_OK;
    for (uint64_t first = 0; first < n && !status; first += HSC_SLICE_FIRST) {
        uint64_t m = n - first < HSC_SLICE_FIRST ? n - first : HSC_SLICE_FIRST;
        delta[0] = 0;
        for (uint64_t i = 1; i < m; i++)
            delta[i] = time[first + i] - time[first + i - 1];
        status = hsc_out_stream_put(t->begin, &time[first], 1, err);
        if (!status)
            status = hsc_out_stream_put(t->samples[SAMPLE_DELTA], delta, m, err);
    }
    if (!status)
        status = hsc_out_stream_put(t->samples[SAMPLE_LEAF], leaf, n, err);
    return status ? status : hsc_out_stream_put(t->samples[SAMPLE_COUNT], count, n, err);
}

hsc_status hsc_store_put_times(hsc_store *s, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                               hsc_err *err) {
    hsc_store_times *t = s->times;
    if (!t || t->done >= t->threads)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time of more threads than there are", s->path);
    for (uint64_t i = 0; i < n; i++)
        if (time[i] > t->end || (i && time[i] < time[i - 1]) || leaf[i] >= t->n_leaves)
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: sample %" PRIu64 " of thread %" PRIu64 ": its time falls or is beyond the end, or its leaf is not there",
                               s->path, i, t->done);
    hsc_status status = put_samples(t, n, time, leaf, count, err);
    for (unsigned k = 0; k < hsc_slice_levels(HSC_SLICE_FIRST, n) && !status; k++) {
        slice_level *l = &t->slices[k];
        uint64_t size = hsc_slice_size(HSC_SLICE_FIRST, k);
        if (!l->group)
            status = open_slices(s, l, k, err);
        for (uint64_t i = 0; i + size <= n && !status; i += size)
            status = put_slice(t, l, size, leaf + i, count + i, err);
    }
    for (unsigned k = 0; k < t->n_bins && !status; k++)
        status = put_bins(s, k, n, time, leaf, count, err);
    if (!status && t->program)
        status = hsc_store_program_put(t->program, n, time, leaf, count, err);
    t->indptr[t->done + 1] = t->indptr[t->done] + n;
    t->slice_indptr[t->done + 1] = t->slice_indptr[t->done] + (n + HSC_SLICE_FIRST - 1) / HSC_SLICE_FIRST;
    t->done++;
    return status;
}

/* ---- end ---- */

static hsc_status close_stream(hsc_out_stream **stream, hsc_status status, hsc_err *err) {
    hsc_out_stream *s = *stream;
    *stream = NULL;
    if (!s || status) {
        hsc_out_stream_abort(s);
        return status;
    }
    return hsc_out_stream_close(s, err);
}

hsc_status hsc_store_end_times(hsc_store *s, hsc_err *err) {
    hsc_store_times *t = s->times;
    hsc_status status = HSC_OK;
    if (!t || t->done != t->threads)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time of %" PRIu64 " threads, there are %" PRIu64, s->path,
                           t ? t->done : 0, s->tables.rows[HSC_TAB_thread]);
    hsc_out_notes by_thread = {.description = "where each thread's begin, and the end"},
                  first = {.description = "number of the thread's first bin"};
    for (int i = 0; i < SAMPLE_SETS; i++)
        status = close_stream(&t->samples[i], status, err);
    if (!status)
        status = hsc_out_set(s->out, t->samples_group, "indptr", HSC_COLTYPE_U8, 0, t->indptr, t->threads + 1, &by_thread, NULL, err);
    status = close_stream(&t->begin, status, err);
    if (!status)
        status = hsc_out_set(s->out, t->slices_group, "indptr", HSC_COLTYPE_U8, 0, t->slice_indptr, t->threads + 1, &by_thread, NULL, err);
    for (unsigned k = 0; k < HSC_SLICE_LEVELS_MAX; k++) {
        status = close_stream(&t->slices[k].indptr, status, err);
        status = close_stream(&t->slices[k].leaf, status, err);
        status = close_stream(&t->slices[k].sum, status, err);
    }
    for (unsigned k = 0; k < t->n_bins; k++) {
        for (int i = 0; i < BIN_SETS; i++)
            status = close_stream(&t->bins[k].sets[i], status, err);
        if (!status)
            status = hsc_out_set(s->out, t->bins[k].group, "indptr", HSC_COLTYPE_U8, 0, t->bins[k].indptr, t->threads + 1, &by_thread, NULL, err);
        if (!status)
            status = hsc_out_set(s->out, t->bins[k].group, "first", HSC_COLTYPE_U4, 0, t->bins[k].first, t->threads, &first, NULL, err);
    }
    if (!status && t->program)
        status = hsc_store_program_write(t->program, t->group, err);
    hsc_store_times_clear(s);
    return status;
}
