/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples in the order of time, written thread by thread: the samples themselves, slices of equally many samples with
 * what was counted in each, and bins of equal time with what was most in each. Holds one thread's samples at a time. */
#include "store_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store_bins.h"
#include "tally.h"
#include "times.h"

enum { SAMPLE_DELTA, SAMPLE_LEAF, SAMPLE_COUNT, SAMPLE_SETS };
enum { TILE = 128 }; /* values at a time, as compilers make vector code of */
enum { LOOK_AT_ALL = 16 }; /* of so many leaves one has counts: then a look at all of them is cheaper */
typedef struct slice_level {
    hid_t group;
    hsc_out_stream *indptr, *leaf, *sum;
    uint64_t values;
    hsc_tallied below; /* of the thread's slices of the level below since the last one */
    unsigned n_below;
} slice_level;

typedef struct hsc_store_times {
    hid_t group, samples_group, slices_group;
    uint32_t end;
    uint64_t threads, done, n_leaves; /* leaves: less than 2^32 */
    uint64_t *indptr, *ends;  /* by thread: where its samples begin and end; n + 1 begins */
    uint64_t *slice_indptr;   /* of slices, by thread */
    bool has_numbers;         /* some thread may have numbers of its own */
    uint64_t own_values, *own_indptr; /* rows of leaf by number, of all threads up to here; by thread */
    hsc_out_stream *own_leaf;
    uint32_t *number_of;      /* by leaf, of the thread under way; HSC_NONE: it has none */
    uint32_t *least;                 /* samples of the smallest slices, by thread */
    bool any_coarse;                 /* of some they are not the finest */
    hsc_leaf_facts *leaves;
    hsc_out_stream *samples[SAMPLE_SETS], *begin;
    hsc_store_program *program; /* NULL: one thread */
    slice_level slices[HSC_SLICE_LEVELS_MAX];
    hsc_store_bins *bins;
    hsc_tally by_leaf; /* of the slice under way */
    uint32_t *sums;    /* of a slice that is written */
    /* of the thread under way */
    bool is_begun, is_coarse, is_own;
    uint64_t n, all;    /* samples put, to be put */
    uint32_t *met, n_met, room_met; /* leaves by its numbers */
    uint32_t last_time; /* of these */
} hsc_store_times;
_Static_assert((int)HSC_TIMES_LOOK == (int)HSC_SLICE_FIRST && (int)HSC_TIMES_LOOKS == (int)HSC_SLICE_FACTOR, "looks are slices");
_Static_assert(HSC_TIMES_PIECE % (HSC_SLICE_FIRST * HSC_SLICE_FACTOR) == 0, "a piece has whole slices");

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
    hsc_out_stream_abort(t->own_leaf);
    for (int i = 0; i < HSC_SLICE_LEVELS_MAX; i++) {
        hsc_out_stream_abort(t->slices[i].indptr);
        hsc_out_stream_abort(t->slices[i].leaf);
        hsc_out_stream_abort(t->slices[i].sum);
        free(t->slices[i].below.p);
        if (t->slices[i].group > 0)
            H5Gclose(t->slices[i].group);
    }
    hsc_store_bins_free(t->bins);
    const hid_t groups[] = {t->samples_group, t->slices_group, t->group};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i] > 0)
            H5Gclose(groups[i]);
    hsc_store_program_free(t->program);
    free(t->indptr);
    free(t->ends);
    free(t->own_indptr);
    free(t->number_of);
    free(t->met);
    free(t->slice_indptr);
    free(t->least);
    free(t->leaves);
    hsc_tally_fini(&t->by_leaf);
    free(t->sums);
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
        bool number = i == SAMPLE_LEAF && t->has_numbers;
        hsc_out_notes notes = {.description = number ? "of a thread that has numbers of its own: its number; else the row of leaf" : sets[i].description,
                               .references = number ? "" : sets[i].references, .chunk_rows = hsc_sample_chunk_rows(t->threads), .effort = HSC_EFFORT_SERIES};
        status = hsc_out_stream_open(s->out, t->samples_group, number ? "number" : sets[i].name, HSC_COLTYPE_U4, &notes, &t->samples[i], err);
    }
    hsc_out_notes own = {.description = "rows by the numbers of each thread, in the order in which its samples are of them first", .references = "/time/leaf"};
    if (!status && t->has_numbers)
        status = hsc_out_stream_open(s->out, t->samples_group, "own_leaf", HSC_COLTYPE_U4, &own, &t->own_leaf, err);
    if (!status)
        status = hsc_out_told_group(s->out, t->group, "slices",
                            "slices of 1024 samples of a thread each, the last shorter: thread i has [indptr[i], indptr[i + 1]); "
                            "groups n: whole slices of n samples, thread by thread, with what was counted in each",
                            &t->slices_group, err);
    hsc_out_notes notes = {.description = "tick of the first sample"};
    return status ? status
                  : hsc_out_stream_open(s->out, t->slices_group, "begin", HSC_COLTYPE_U4, &notes, &t->begin, err);
}

static const char *const slice_names[HSC_SLICE_LEVELS_MAX] = {"1024", "16384", "262144", "4194304", "67108864", "1073741824"};

/* is_kept: its first slices are those of the database before. */
static hsc_status open_slices(hsc_store *s, slice_level *l, unsigned level, bool is_kept, hsc_err *err) {
    hsc_out_notes indptr = {.description = "slice i has the values [indptr[i], indptr[i + 1])"},
                  leaf = {.description = "rises within a slice", .references = "/time/leaf", .effort = HSC_EFFORT_SERIES}, sum = {.description = "of counts", .effort = HSC_EFFORT_SERIES};
    const uint64_t zero = 0;
    hsc_status status = hsc_out_told_group(s->out, s->times->slices_group, slice_names[level], "what was counted in each slice", &l->group, err);
    if (!status)
        status = hsc_out_stream_open(s->out, l->group, "indptr", HSC_COLTYPE_U8, &indptr, &l->indptr, err);
    if (!status)
        status = hsc_out_stream_open(s->out, l->group, "leaf", HSC_COLTYPE_U4, &leaf, &l->leaf, err);
    if (!status)
        status = hsc_out_stream_open(s->out, l->group, "sum", HSC_COLTYPE_U4, &sum, &l->sum, err);
    if (!status)
        status = is_kept ? hsc_out_stream_keep(l->indptr, 1, err) : hsc_out_stream_put(l->indptr, &zero, 1, err);
    return status;
}

static bool find_leaves(hsc_store *s, hsc_store_times *t) {
    const uint32_t *context = s->kept[HSC_COL_leaf_context], *metric = s->kept[HSC_COL_leaf_metric];
    const uint32_t *scope = s->kept[HSC_COL_context_scope], *procedure = s->kept[HSC_COL_scope_procedure];
    const uint8_t *category = s->kept[HSC_COL_leaf_category];
    uint64_t n_scopes = s->tables.rows[HSC_TAB_scope];
    for (uint64_t i = 0; i < t->n_leaves; i++) {
        if (context[i] >= s->tables.rows[HSC_TAB_context] || category[i] >= s->tables.rows[HSC_TAB_category])
            return false;
        uint32_t at = scope[context[i]], p = at < n_scopes ? procedure[at] : HSC_NONE;
        if (at >= n_scopes)
            return false;
        t->leaves[i] = (hsc_leaf_facts){at, p < n_scopes ? p : at, category[i], metric[i] == 0};
    }
    return true;
}

hsc_status hsc_store_begin_times(hsc_store *s, double tick_s, uint32_t end, uint32_t bin, uint64_t most, hsc_err *err) {
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
    t->threads = s->tables.rows[HSC_TAB_thread];
    t->n_leaves = s->tables.rows[HSC_TAB_leaf];
    t->has_numbers = most >= s->own_samples;
    t->indptr = calloc(t->threads + 1, sizeof *t->indptr);
    t->ends = calloc(t->threads + 1, sizeof *t->ends);
    t->own_indptr = calloc(t->threads + 1, sizeof *t->own_indptr);
    t->number_of = malloc((t->n_leaves + 1) * sizeof *t->number_of);
    t->slice_indptr = calloc(t->threads + 1, sizeof *t->slice_indptr);
    t->least = calloc(t->threads + 1, sizeof *t->least);
    t->leaves = calloc(t->n_leaves + 1, sizeof *t->leaves);
    t->sums = malloc((t->n_leaves + 1) * sizeof *t->sums);
    if (!t->indptr || !t->ends || !t->own_indptr || !t->number_of || !t->slice_indptr || !t->least || !t->leaves || !t->sums || !hsc_tally_init(&t->by_leaf, t->n_leaves))
        return times_memory(s, err);
    memset(t->number_of, 0xff, (t->n_leaves + 1) * sizeof *t->number_of); /* HSC_NONE */
    if (!find_leaves(s, t))
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: table leaf refers to rows that are not there", s->path);
    hid_t group = H5Gopen2(s->file, "time", H5P_DEFAULT); /* made for table leaf */
    if (group < 0)
        return hsc_out_fail(s->out, "open group", "time", err);
    t->group = group;
    hsc_status status = hsc_out_text(s->out, t->group, "description", "samples in the order of time; times are ticks since the start of the run", err);
    if (!status)
        status = hsc_out_numbers(s->out, t->group, "tick_s", HSC_NUMBER_F8, &tick_s, 1, err);
    if (!status)
        status = hsc_out_numbers(s->out, t->group, "end", HSC_NUMBER_U4, &end, 1, err);
    if (!status)
        status = hsc_out_numbers(s->out, t->group, "bin", HSC_NUMBER_U4, &bin, 1, err);
    if (!status)
        status = open_samples(s, t, err);
    if (!status)
        status = hsc_store_bins_new(s, t->group, end, bin, t->leaves, t->n_leaves, &t->bins, err);
    if (!status && t->threads > s->program_threads)
        status = hsc_store_program_new(s, end, t->n_leaves, &t->program, err);
    return status;
}

/* ---- a thread ---- */

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t clipped(uint64_t v) { return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX; }

/* What is in by_leaf becomes a slice, and a part of one of the next level. */
static hsc_status end_slice(hsc_store *s, unsigned at, hsc_err *err) {
    hsc_store_times *t = s->times;
    slice_level *l = &t->slices[at], *up = at + 1 < HSC_SLICE_LEVELS_MAX ? l + 1 : NULL;
    hsc_tally *by = &t->by_leaf;
    hsc_status status = l->group > 0 ? HSC_OK : open_slices(s, l, at, false, err);
    if (by->n > t->n_leaves / LOOK_AT_ALL) { /* that is cheaper than sorting */
        by->n = 0;
        for (uint32_t k = 0; k < t->n_leaves; k++) {
            by->touched[by->n] = k;
            by->n += by->by[k] != 0;
        }
    } else if (by->n > 1) {
        qsort(by->touched, by->n, sizeof *by->touched, compare_u32);
    }
    const uint32_t n = by->n, *rows = by->touched;
    if (up && !hsc_tallied_reserve(&up->below, n))
        return times_memory(s, err);
    for (uint32_t i = 0; i < n; i++)
        t->sums[i] = clipped(by->by[rows[i]]);
    for (uint32_t i = 0; i < n && up; i++)
        up->below.p[up->below.n++] = (struct hsc_tallied_item){by->by[rows[i]], rows[i]};
    for (uint32_t i = 0; i < n; i++)
        by->by[rows[i]] = 0;
    by->n = 0;
    l->values += n;
    if (!status)
        status = hsc_out_stream_put(l->leaf, rows, n, err);
    if (!status)
        status = hsc_out_stream_put(l->sum, t->sums, n, err);
    if (!status)
        status = hsc_out_stream_put(l->indptr, &l->values, 1, err);
    if (!status && up && ++up->n_below == HSC_SLICE_FACTOR) {
        hsc_tally_add_list(by, &up->below);
        up->below.n = 0;
        up->n_below = 0;
        status = end_slice(s, at + 1, err);
    }
    return status;
}

static void add_samples(hsc_store_times *t, uint64_t n, const uint32_t *leaf, const uint32_t *count) {
    hsc_tally by = t->by_leaf;
    for (uint64_t i = 0; i < n; i++)
        hsc_tally_add(&by, leaf[i], count[i]);
    t->by_leaf = by;
}

/* Have the thread's finest slices nearly as many values as it has samples? Then to read them is no quicker. */
static bool is_varied(const hsc_store *s, const hsc_times_looks *look) {
    hsc_store_times *t = s->times;
    uint64_t values = 0;
    for (unsigned k = 0; k < HSC_TIMES_LOOKS; k++) {
        add_samples(t, HSC_TIMES_LOOK, look->leaf + k * HSC_TIMES_LOOK, look->count + k * HSC_TIMES_LOOK);
        values += t->by_leaf.n;
        for (uint32_t i = 0; i < t->by_leaf.n; i++)
            t->by_leaf.by[t->by_leaf.touched[i]] = 0;
        t->by_leaf.n = 0;
    }
    return values * s->slices_worth > HSC_TIMES_LOOK_LEAST;
}

/* Those of a slice of so many that end_slice looks at all leaves: which have some is not noted. */
static void add_all_samples(hsc_store_times *t, uint64_t n, const uint32_t *leaf, const uint32_t *count) {
    uint64_t *by = t->by_leaf.by;
    for (uint64_t i = 0; i < n; i++)
        by[leaf[i]] += count[i];
    t->by_leaf.n = (uint32_t)t->n_leaves;
}

static hsc_status put_slices(hsc_store *s, uint64_t n, const uint32_t *leaf, const uint32_t *count, hsc_err *err) {
    hsc_store_times *t = s->times;
    uint64_t size = hsc_slice_size(HSC_SLICE_FIRST, t->is_coarse);
    hsc_status status = HSC_OK;
    for (uint64_t first = 0; first + size <= n && !status; first += size) {
        (size / 2 > t->n_leaves ? add_all_samples : add_samples)(t, size, leaf + first, count + first);
        status = end_slice(s, t->is_coarse, err);
    }
    return status;
}

/* ---- numbers of a thread's own ---- */

static bool meet(hsc_store_times *t, uint32_t leaf) {
    if (t->n_met == t->room_met) {
        uint32_t room = t->room_met ? 2 * t->room_met : 256, *more = realloc(t->met, room * sizeof *more);
        if (!more)
            return false;
        t->met = more;
        t->room_met = room;
    }
    t->number_of[leaf] = t->n_met;
    t->met[t->n_met++] = leaf;
    return true;
}

/* false: no memory. */
static bool number_leaves(hsc_store_times *t, const uint32_t *leaf, uint64_t n, uint32_t *restrict number) {
    const uint32_t *restrict of = t->number_of;
    uint32_t any = 0;
    for (uint64_t i = 0; i < n; i++)
        any |= number[i] = of[leaf[i]];
    for (uint64_t i = 0; i < n && any == HSC_NONE; i++) { /* one is, or all together look like it */
        if (t->number_of[leaf[i]] == HSC_NONE && !meet(t, leaf[i]))
            return false;
        number[i] = t->number_of[leaf[i]];
    }
    return true;
}

/* What lies before a thread that begins with a chunk. */
static uint64_t gap_before(const hsc_store_times *t, uint64_t at) {
    uint64_t rows = hsc_sample_chunk_rows(t->threads);
    return (rows - at % rows) % rows;
}

static hsc_status begin_own(hsc_store_times *t, hsc_err *err) {
    static const uint32_t zeros[HSC_SLICE_FIRST];
    uint64_t gap = gap_before(t, t->indptr[t->done]);
    hsc_status status = HSC_OK;
    for (int i = 0; i < SAMPLE_SETS && !status; i++)
        for (uint64_t at = 0, m; at < gap && !status; at += m) {
            m = gap - at < HSC_SLICE_FIRST ? gap - at : HSC_SLICE_FIRST;
            status = hsc_out_stream_put(t->samples[i], zeros, m, err);
        }
    t->indptr[t->done] += gap;
    return status;
}

static hsc_status end_own(hsc_store_times *t, hsc_err *err) {
    hsc_status status = t->n_met ? hsc_out_stream_put(t->own_leaf, t->met, t->n_met, err) : HSC_OK;
    for (uint32_t i = 0; i < t->n_met; i++)
        t->number_of[t->met[i]] = HSC_NONE;
    t->own_values += t->n_met;
    t->n_met = 0;
    return status;
}

/* Rows of leaf, or its numbers. */
static hsc_status put_leaves(hsc_store *s, uint64_t n, const uint32_t *leaf, hsc_err *err) {
    hsc_store_times *t = s->times;
    uint32_t number[HSC_SLICE_FIRST];
    hsc_status status = HSC_OK;
    if (!t->is_own)
        return hsc_out_stream_put(t->samples[SAMPLE_LEAF], leaf, n, err);
    for (uint64_t at = 0, m; at < n && !status; at += m) {
        m = n - at < HSC_SLICE_FIRST ? n - at : HSC_SLICE_FIRST;
        status = number_leaves(t, leaf + at, m, number) ? hsc_out_stream_put(t->samples[SAMPLE_LEAF], number, m, err) : times_memory(s, err);
    }
    return status;
}

static hsc_status put_samples(hsc_store *s, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                              hsc_err *err) {
    hsc_store_times *t = s->times;
    uint32_t delta[HSC_SLICE_FIRST];
    hsc_status status = HSC_OK;
    for (uint64_t first = 0; first < n && !status; first += HSC_SLICE_FIRST) {
        uint64_t m = n - first < HSC_SLICE_FIRST ? n - first : HSC_SLICE_FIRST, i = 1;
        delta[0] = 0;
        for (; i + TILE <= m; i += TILE)
            for (unsigned k = 0; k < TILE; k++)
                delta[i + k] = time[first + i + k] - time[first + i + k - 1];
        for (; i < m; i++)
            delta[i] = time[first + i] - time[first + i - 1];
        status = hsc_out_stream_put(t->begin, &time[first], 1, err);
        if (!status)
            status = hsc_out_stream_put(t->samples[SAMPLE_DELTA], delta, m, err);
    }
    if (!status)
        status = put_leaves(s, n, leaf, err);
    return status ? status : hsc_out_stream_put(t->samples[SAMPLE_COUNT], count, n, err);
}

/* The first sample whose time falls, below `last` at first, or is beyond the end, or whose leaf is not there; n: none. */
static uint64_t first_bad(const hsc_store_times *t, uint32_t last, uint64_t n, const uint32_t *time, const uint32_t *leaf) {
    const uint32_t end = t->end, leaves = (uint32_t)t->n_leaves;
    uint64_t i = n > 0;
    if (n && (time[0] < last || time[0] > end || leaf[0] >= leaves))
        return 0;
    for (; i + TILE <= n; i += TILE) {
        uint32_t bad = time[i + TILE - 1] > end; /* as it never falls */
        for (unsigned k = 0; k < TILE; k++)
            bad |= (uint32_t)(leaf[i + k] >= leaves) | (uint32_t)(time[i + k] < time[i + k - 1]);
        if (bad)
            break;
    }
    while (i < n && time[i] <= end && time[i] >= time[i - 1] && leaf[i] < leaves)
        i++;
    return i;
}

hsc_status hsc_store_begin_thread_times(hsc_store *s, uint64_t n, const hsc_times_looks *look, hsc_err *err) {
    hsc_store_times *t = s->times;
    if (!t || t->done >= t->threads || t->is_begun)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time of more threads than there are", s->path);
    for (uint64_t i = 0; look && i < HSC_TIMES_LOOK_LEAST; i++)
        if (look->leaf[i] >= t->n_leaves)
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time of thread %" PRIu64 ": leaf %" PRIu32 " is not there", s->path, t->done, look->leaf[i]);
    if (n >= s->own_samples && !t->has_numbers)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time of thread %" PRIu64 ": more than was told of any", s->path, t->done);
    t->is_begun = true;
    t->is_own = n >= s->own_samples;
    t->all = n;
    t->is_coarse = look && is_varied(s, look);
    t->any_coarse = t->any_coarse || t->is_coarse;
    t->least[t->done] = (uint32_t)hsc_slice_size(HSC_SLICE_FIRST, t->is_coarse);
    t->n = t->last_time = 0;
    hsc_store_bins_begin_thread(t->bins);
    return t->is_own ? begin_own(t, err) : HSC_OK;
}

hsc_status hsc_store_put_part_times(hsc_store *s, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count, hsc_err *err) {
    hsc_store_times *t = s->times;
    if (!t || !t->is_begun || n > HSC_TIMES_PIECE || t->n % HSC_TIMES_PIECE)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time: no thread is begun, or no piece of it", s->path);
    uint64_t bad = first_bad(t, t->last_time, n, time, leaf);
    if (bad < n)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: sample %" PRIu64 " of thread %" PRIu64 ": its time falls or is beyond the end, or its leaf is not there",
                           s->path, t->n + bad, t->done);
    hsc_status status = put_samples(s, n, time, leaf, count, err);
    if (!status)
        status = put_slices(s, n, leaf, count, err);
    if (!status)
        status = hsc_store_bins_put(t->bins, n, time, leaf, count, err);
    if (!status && t->program)
        status = hsc_store_program_put(t->program, n, time, leaf, count, err);
    t->n += n;
    t->last_time = n ? time[n - 1] : t->last_time;
    return status;
}

/* It has its samples: the next one follows. */
static void end_thread(hsc_store_times *t, uint64_t n) {
    t->indptr[t->done + 1] = t->ends[t->done] = t->indptr[t->done] + n;
    t->own_indptr[t->done + 1] = t->own_values;
    t->slice_indptr[t->done + 1] = t->slice_indptr[t->done] + (n + HSC_SLICE_FIRST - 1) / HSC_SLICE_FIRST;
    for (unsigned k = 0; k < HSC_SLICE_LEVELS_MAX; k++) { /* what is left over is less than a slice */
        t->slices[k].below.n = 0;
        t->slices[k].n_below = 0;
    }
    t->is_begun = t->is_own = false;
    t->done++;
}

hsc_status hsc_store_end_thread_times(hsc_store *s, hsc_err *err) {
    hsc_store_times *t = s->times;
    if (!t || !t->is_begun || t->n != t->all)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time: no thread is begun, or not all of it was put", s->path);
    hsc_status status = hsc_store_bins_end_thread(t->bins, err);
    if (!status && t->program)
        status = hsc_store_program_end_thread(t->program, err);
    if (!status && t->is_own)
        status = end_own(t, err);
    end_thread(t, t->n);
    return status;
}

hsc_status hsc_store_put_times(hsc_store *s, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                               hsc_err *err) {
    hsc_times_looks *look = n >= HSC_TIMES_LOOK_LEAST ? malloc(sizeof *look) : NULL;
    if (!look && n >= HSC_TIMES_LOOK_LEAST)
        return times_memory(s, err);
    for (unsigned k = 0; look && k < HSC_TIMES_LOOKS; k++) {
        memcpy(look->leaf + k * HSC_TIMES_LOOK, leaf + hsc_times_look(n, k), HSC_TIMES_LOOK * sizeof *leaf);
        memcpy(look->count + k * HSC_TIMES_LOOK, count + hsc_times_look(n, k), HSC_TIMES_LOOK * sizeof *count);
    }
    hsc_status status = hsc_store_begin_thread_times(s, n, look, err);
    free(look);
    for (uint64_t at = 0, m; at < n && !status; at += m) {
        m = n - at < HSC_TIMES_PIECE ? n - at : HSC_TIMES_PIECE;
        status = hsc_store_put_part_times(s, m, time + at, leaf + at, count + at, err);
    }
    return status ? status : hsc_store_end_thread_times(s, err);
}

/* ---- threads that are kept ---- */

typedef struct keeping { /* what the database before has */
    uint64_t threads;
    uint64_t *indptr, *until;              /* of samples */
    uint64_t *own_indptr;                  /* by thread: of rows of leaf by its numbers */
    uint32_t *own_leaf;
    uint32_t *least;
    uint64_t *ends[HSC_SLICE_LEVELS_MAX];  /* of slices' values, NULL: it has none */
    uint64_t next[HSC_SLICE_LEVELS_MAX];   /* slice that comes next */
} keeping;

static void free_keeping(keeping *k) {
    free(k->indptr);
    free(k->until);
    free(k->own_indptr);
    free(k->own_leaf);
    free(k->least);
    for (unsigned i = 0; i < HSC_SLICE_LEVELS_MAX; i++)
        free(k->ends[i]);
}

static uint64_t slices_of(const keeping *k, unsigned level) {
    uint64_t n = 0, size = hsc_slice_size(HSC_SLICE_FIRST, level);
    for (uint64_t i = 0; i < k->threads; i++)
        n += k->least[i] <= size ? (k->until[i] - k->indptr[i]) / size : 0;
    return n;
}

static bool has_values(hsc_store *s, const char *group, const char *const *names, unsigned n_names, uint64_t n) {
    char path[96];
    bool good = true;
    for (unsigned i = 0; good && i < n_names; i++) {
        snprintf(path, sizeof path, "%s/%s", group, names[i]);
        good = hsc_before_count(s->before, path) == n;
    }
    return good;
}

static bool rises(const uint64_t *ends, uint64_t n) {
    bool good = !ends[0];
    for (uint64_t i = 0; good && i < n; i++)
        good = ends[i] <= ends[i + 1];
    return good;
}

static bool reads(hsc_store *s, const char *path, hsc_column_type type, uint64_t n, void *to) {
    return hsc_before_count(s->before, path) == n && hsc_before_read(s->before, path, type, 0, n, to);
}

/* Where samples of threads begin and end, and what their numbers are. */
static hsc_status read_threads(hsc_store *s, keeping *k, bool *there, hsc_err *err) {
    const hsc_store_times *t = s->times;
    const char *const samples[] = {"delta", t->has_numbers ? "number" : "leaf", "count"};
    uint64_t n = k->threads, own = 0;
    k->indptr = malloc((n + 1) * sizeof *k->indptr);
    k->until = malloc((n + 1) * sizeof *k->until);
    k->own_indptr = calloc(n + 1, sizeof *k->own_indptr);
    if (!k->indptr || !k->until || !k->own_indptr)
        return times_memory(s, err);
    *there = (H5Lexists(s->before, "/time/samples/number", H5P_DEFAULT) > 0) == t->has_numbers && reads(s, "/time/samples/indptr", HSC_COLTYPE_U8, n + 1, k->indptr) &&
             rises(k->indptr, n) && has_values(s, "/time/samples", samples, 3, k->indptr[n]);
    for (uint64_t i = 0; *there && i < n; i++)
        k->until[i] = k->indptr[i + 1];
    if (!*there || !t->has_numbers)
        return HSC_OK;
    *there = reads(s, "/time/samples/end", HSC_COLTYPE_U8, n, k->until) && reads(s, "/time/samples/own_indptr", HSC_COLTYPE_U8, n + 1, k->own_indptr) &&
             rises(k->own_indptr, n);
    for (uint64_t i = 0; *there && i < n; i++)
        *there = k->indptr[i] <= k->until[i] && k->until[i] <= k->indptr[i + 1];
    own = *there ? k->own_indptr[n] : 0;
    if (*there && !(k->own_leaf = malloc((own + 1) * sizeof *k->own_leaf)))
        return times_memory(s, err);
    *there = *there && reads(s, "/time/samples/own_leaf", HSC_COLTYPE_U4, own, k->own_leaf);
    for (uint64_t i = 0; *there && i < own; i++)
        *there = k->own_leaf[i] < t->n_leaves;
    return HSC_OK;
}

/* Samples and slices of all threads of the database before; *there false: it has others, or what is none. */
static hsc_status read_kept(hsc_store *s, keeping *k, bool *there, hsc_err *err) {
    static const char *const values[] = {"leaf", "sum"};
    uint64_t n = k->threads, begins = 0;
    char path[64];
    hsc_status status = read_threads(s, k, there, err);
    if (status)
        return status;
    if (!(k->least = malloc((n + 1) * sizeof *k->least)))
        return times_memory(s, err);
    bool has_least = *there && H5Lexists(s->before, "/time/slices/least", H5P_DEFAULT) > 0;
    if (has_least)
        *there = hsc_before_count(s->before, "/time/slices/least") == n && hsc_before_read(s->before, "/time/slices/least", HSC_COLTYPE_U4, 0, n, k->least);
    for (uint64_t i = 0; *there && i < n; i++) {
        k->least[i] = has_least ? k->least[i] : HSC_SLICE_FIRST;
        begins += (k->until[i] - k->indptr[i] + HSC_SLICE_FIRST - 1) / HSC_SLICE_FIRST;
        *there = k->least[i] == HSC_SLICE_FIRST || k->least[i] == hsc_slice_size(HSC_SLICE_FIRST, 1);
    }
    *there = *there && hsc_before_count(s->before, "/time/slices/begin") == begins;
    for (unsigned level = 0; *there && level < HSC_SLICE_LEVELS_MAX; level++) {
        uint64_t slices = slices_of(k, level), *ends;
        snprintf(path, sizeof path, "/time/slices/%s", slice_names[level]);
        if (!slices)
            continue;
        if (!(ends = k->ends[level] = malloc((slices + 1) * sizeof *ends)))
            return times_memory(s, err);
        *there = H5Lexists(s->before, path, H5P_DEFAULT) > 0 && has_values(s, path, (const char *const[]){"indptr"}, 1, slices + 1);
        if (*there) {
            char indptr[96];
            snprintf(indptr, sizeof indptr, "%s/indptr", path);
            *there = hsc_before_read(s->before, indptr, HSC_COLTYPE_U8, 0, slices + 1, ends) && rises(ends, slices) && has_values(s, path, values, 2, ends[slices]);
        }
    }
    return HSC_OK;
}

/* The next slice of a level, and of those above, as end_slice makes them. */
static hsc_status keep_slice(hsc_store *s, keeping *k, unsigned at, unsigned levels, hsc_err *err) {
    slice_level *l = &s->times->slices[at], *up = at + 1 < levels ? l + 1 : NULL;
    hsc_status status = l->group > 0 ? HSC_OK : open_slices(s, l, at, true, err);
    uint64_t i = k->next[at]++, n = k->ends[at][i + 1] - k->ends[at][i];
    l->values += n;
    if (!status)
        status = hsc_out_stream_keep(l->leaf, n, err);
    if (!status)
        status = hsc_out_stream_keep(l->sum, n, err);
    if (!status)
        status = hsc_out_stream_keep(l->indptr, 1, err);
    if (!status && up && ++up->n_below == HSC_SLICE_FACTOR) {
        up->n_below = 0;
        status = keep_slice(s, k, at + 1, levels, err);
    }
    return status;
}

/* The next thread, in the order in which its pieces are written. */
static hsc_status keep_thread(hsc_store *s, keeping *k, hsc_err *err) {
    hsc_store_times *t = s->times;
    uint64_t n = k->until[t->done] - k->indptr[t->done], gap = k->indptr[t->done] - t->indptr[t->done], own = k->own_indptr[t->done + 1] - k->own_indptr[t->done];
    unsigned levels = hsc_slice_levels(HSC_SLICE_FIRST, n);
    bool is_coarse = k->least[t->done] != HSC_SLICE_FIRST;
    uint64_t size = hsc_slice_size(HSC_SLICE_FIRST, is_coarse);
    hsc_status status = HSC_OK;
    for (unsigned i = 0; i < SAMPLE_SETS && !status; i++)
        status = hsc_out_stream_keep(t->samples[i], gap, err);
    t->indptr[t->done] += gap;
    if (!status && own)
        status = hsc_out_stream_keep(t->own_leaf, own, err);
    t->own_values += own;
    for (uint64_t at = 0, piece; at < n && !status; at += piece) {
        piece = n - at < HSC_TIMES_PIECE ? n - at : HSC_TIMES_PIECE;
        for (uint64_t first = 0, m; first < piece && !status; first += m) {
            m = piece - first < HSC_SLICE_FIRST ? piece - first : HSC_SLICE_FIRST;
            status = hsc_out_stream_keep(t->begin, 1, err);
            if (!status)
                status = hsc_out_stream_keep(t->samples[SAMPLE_DELTA], m, err);
        }
        if (!status)
            status = hsc_out_stream_keep(t->samples[SAMPLE_LEAF], piece, err);
        if (!status)
            status = hsc_out_stream_keep(t->samples[SAMPLE_COUNT], piece, err);
        for (uint64_t first = 0; first + size <= piece && !status; first += size)
            status = keep_slice(s, k, is_coarse, levels, err);
    }
    t->least[t->done] = (uint32_t)size;
    t->any_coarse = t->any_coarse || is_coarse;
    if (!status)
        status = hsc_store_bins_keep(t->bins, err);
    end_thread(t, n);
    return status;
}

/* Samples of threads [first, end), which have some, into time, leaf and count; slice: the first one's first. */
static hsc_status read_samples(hsc_store *s, const keeping *k, uint64_t first, uint64_t end, uint64_t slice, uint32_t *time, uint32_t *leaf, uint32_t *count,
                               hsc_err *err) {
    hsc_store_times *t = s->times;
    uint64_t at = k->indptr[first], n = k->until[end - 1] - at, slices = t->slice_indptr[end] - slice;
    uint32_t *begin = malloc((slices + 1) * sizeof *begin);
    if (!begin)
        return times_memory(s, err);
    bool good = hsc_before_read(s->before, "/time/samples/delta", HSC_COLTYPE_U4, at, n, time) && hsc_before_read(s->before, t->has_numbers ? "/time/samples/number" : "/time/samples/leaf", HSC_COLTYPE_U4, at, n, leaf) &&
                hsc_before_read(s->before, "/time/samples/count", HSC_COLTYPE_U4, at, n, count) &&
                hsc_before_read(s->before, "/time/slices/begin", HSC_COLTYPE_U4, slice, slices, begin);
    for (uint64_t i = first; good && i < end; i++) {
        uint32_t *own = time + (k->indptr[i] - at), *rows = leaf + (k->indptr[i] - at);
        uint64_t m = k->until[i] - k->indptr[i], numbers = k->own_indptr[i + 1] - k->own_indptr[i];
        for (uint64_t b = 0; good && numbers && b < m; b++) {
            good = rows[b] < numbers;
            rows[b] = good ? k->own_leaf[k->own_indptr[i] + rows[b]] : 0;
        }
        for (uint64_t b = 0; b < m; b++)
            own[b] = b % HSC_SLICE_FIRST ? own[b] + own[b - 1] : begin[t->slice_indptr[i] - slice + b / HSC_SLICE_FIRST];
        good = good && first_bad(t, 0, m, own, rows) == m;
    }
    free(begin);
    return good ? HSC_OK : hsc_out_fail_before(s->out, "/time/samples", err);
}

/* Threads whose samples of all threads are made anew. */
static hsc_status put_program(hsc_store *s, const keeping *k, uint64_t first, hsc_err *err) {
    enum { SOME = 1 << 18 }; /* samples, or those of one thread */
    hsc_store_times *t = s->times;
    hsc_status status = HSC_OK;
    for (uint64_t end; first < k->threads && !status; first = end) {
        for (end = first + 1; end < k->threads && k->until[end] - k->indptr[first] <= SOME;)
            end++;
        uint64_t at = k->indptr[first], n = k->until[end - 1] - at;
        uint32_t *time = malloc((3 * n + 1) * sizeof *time), *leaf = time + n, *count = leaf + n;
        status = time ? read_samples(s, k, first, end, t->slice_indptr[first], time, leaf, count, err) : times_memory(s, err);
        for (uint64_t i = first; i < end && !status; i++) {
            uint64_t own = k->indptr[i] - at;
            status = hsc_store_program_put(t->program, k->until[i] - k->indptr[i], time + own, leaf + own, count + own, err);
            if (!status)
                status = hsc_store_program_end_thread(t->program, err);
        }
        free(time);
    }
    return status;
}

/* What the layers have of all threads: where each one's samples begin without gaps. */
static hsc_status keep_program(hsc_store *s, const keeping *k, uint64_t *first, hsc_err *err) {
    uint64_t *indptr = calloc(k->threads + 1, sizeof *indptr);
    if (!indptr)
        return times_memory(s, err);
    for (uint64_t i = 0; i < k->threads; i++)
        indptr[i + 1] = indptr[i] + (k->until[i] - k->indptr[i]);
    hsc_status status = hsc_store_program_keep(s->times->program, k->threads, indptr, first, err);
    free(indptr);
    return status;
}

hsc_status hsc_store_keep_times(hsc_store *s, uint32_t n, bool *kept, hsc_err *err) {
    hsc_store_times *t = s->times;
    keeping k = {.threads = n};
    uint64_t first = 0;
    *kept = false;
    if (!t || t->done)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time are kept before they are begun, or after others were put", s->path);
    if (s->before < 0 || !n || n > t->threads || hsc_sample_chunk_rows(n) != hsc_sample_chunk_rows(t->threads) || H5Lexists(s->before, "/time", H5P_DEFAULT) <= 0 ||
        H5Lexists(s->before, "/time/samples", H5P_DEFAULT) <= 0)
        return HSC_OK;
    hsc_status status = read_kept(s, &k, kept, err);
    if (!status && *kept)
        status = hsc_store_bins_begin_keep(t->bins, n, kept, err);
    while (!status && *kept && t->done < n)
        status = keep_thread(s, &k, err);
    if (!status && *kept && t->program)
        status = keep_program(s, &k, &first, err);
    if (!status && *kept && t->program)
        status = put_program(s, &k, first, err);
    free_keeping(&k);
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

static hsc_status close_numbers(hsc_store *s, hsc_status status, hsc_err *err) {
    hsc_store_times *t = s->times;
    hsc_out_notes ends = {.description = "where each thread's end; what lies between that and the next one's begin is 0 and nobody's"},
                  by_thread = {.description = "where each thread's numbers begin, and the end; who has none has rows of leaf in place of numbers"};
    if (!t->has_numbers)
        return status;
    status = close_stream(&t->own_leaf, status, err);
    if (!status)
        status = hsc_out_set(s->out, t->samples_group, "end", HSC_COLTYPE_U8, 0, t->ends, t->threads, &ends, NULL, err);
    return status ? status : hsc_out_set(s->out, t->samples_group, "own_indptr", HSC_COLTYPE_U8, 0, t->own_indptr, t->threads + 1, &by_thread, NULL, err);
}

hsc_status hsc_store_end_times(hsc_store *s, hsc_err *err) {
    hsc_store_times *t = s->times;
    hsc_status status = HSC_OK;
    if (!t || t->done != t->threads)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time of %" PRIu64 " threads, there are %" PRIu64, s->path,
                           t ? t->done : 0, s->tables.rows[HSC_TAB_thread]);
    hsc_out_notes by_thread = {.description = "where each thread's begin, and the end"};
    for (int i = 0; i < SAMPLE_SETS; i++)
        status = close_stream(&t->samples[i], status, err);
    if (!status)
        status = hsc_out_set(s->out, t->samples_group, "indptr", HSC_COLTYPE_U8, 0, t->indptr, t->threads + 1, &by_thread, NULL, err);
    status = close_numbers(s, status, err);
    status = close_stream(&t->begin, status, err);
    if (!status)
        status = hsc_out_set(s->out, t->slices_group, "indptr", HSC_COLTYPE_U8, 0, t->slice_indptr, t->threads + 1, &by_thread, NULL, err);
    hsc_out_notes least = {.description = "samples of the thread's smallest slices"};
    if (!status && t->any_coarse)
        status = hsc_out_set(s->out, t->slices_group, "least", HSC_COLTYPE_U4, 0, t->least, t->threads, &least, NULL, err);
    for (unsigned k = 0; k < HSC_SLICE_LEVELS_MAX; k++) {
        status = close_stream(&t->slices[k].indptr, status, err);
        status = close_stream(&t->slices[k].leaf, status, err);
        status = close_stream(&t->slices[k].sum, status, err);
    }
    if (!status)
        status = hsc_store_bins_end(t->bins, err);
    if (!status && t->program)
        status = hsc_store_program_write(t->program, t->group, err);
    hsc_store_times_clear(s);
    return status;
}
