/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples in the order of time, written thread by thread: the samples themselves, slices of equally many samples with
 * what was counted in each, and bins of equal time with what was most in each. Holds one thread's samples at a time. */
#include "store_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store_times.h"

enum { TILE = 128 }; /* values at a time, as compilers make vector code of */
enum { LOOK_AT_ALL = 16 }; /* of so many leaves one has counts: then a look at all of them is cheaper */
_Static_assert((int)HSC_TIMES_LOOK == (int)HSC_SLICE_FIRST && (int)HSC_TIMES_LOOKS == (int)HSC_SLICE_FACTOR, "looks are slices");
_Static_assert(HSC_TIMES_PIECE % (HSC_SLICE_FIRST * HSC_SLICE_FACTOR) == 0, "a piece has whole slices");

hsc_status hsc_store_times_memory(hsc_store *s, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for the samples by time", s->path);
}

void hsc_store_times_clear(hsc_store *s) {
    hsc_store_times *t = s->times;
    if (!t)
        return;
    for (int i = 0; i < HSC_SAMPLE_SETS; i++)
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
    free(t->mark.p);
    hsc_store_free_keeping(t->before);
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
        const char *name, *description, *references, *units;
    } sets[HSC_SAMPLE_SETS] = {{"delta", "ticks since the sample before; the first of each slice: 0", "", "tick"},
                           {"leaf", "what it was", "/time/leaf", ""},
                           {"count", "counts of the leaf's metric that it stands for, times its scale: in its unit", "", ""}};
    hsc_status status = hsc_out_told_group(s->out, t->group, "samples", "samples in the order of time: thread i has [indptr[i], indptr[i + 1])",
                                   &t->samples_group, err);
    for (int i = 0; i < HSC_SAMPLE_SETS && !status; i++) {
        bool number = i == HSC_SAMPLE_LEAF && t->has_numbers;
        hsc_out_notes notes = {.description = number ? "of a thread that has numbers of its own: its number; else the row of leaf" : sets[i].description,
                               .references = number ? "" : sets[i].references, .units = sets[i].units, .chunk_rows = hsc_sample_chunk_rows(t->threads), .effort = HSC_EFFORT_SERIES};
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
    hsc_out_notes notes = {.description = "of the first sample, since the start of the run", .units = "tick"};
    return status ? status
                  : hsc_out_stream_open(s->out, t->slices_group, "begin", HSC_COLTYPE_U4, &notes, &t->begin, err);
}

const char *const hsc_store_slice_names[HSC_SLICE_LEVELS_MAX] = {"1024", "16384", "262144", "4194304", "67108864", "1073741824"};

/* is_kept: its first slices are those of the database before. */
hsc_status hsc_store_open_slices(hsc_store *s, hsc_store_slices *l, unsigned level, bool is_kept, hsc_err *err) {
    hsc_out_notes indptr = {.description = "slice i has the values [indptr[i], indptr[i + 1])"},
                  leaf = {.description = "rises within a slice", .references = "/time/leaf", .effort = HSC_EFFORT_SERIES}, sum = {.description = "of counts of the leaf's metric, times its scale: in its unit", .effort = HSC_EFFORT_SERIES};
    const uint64_t zero = 0;
    hsc_status status = hsc_out_told_group(s->out, s->times->slices_group, hsc_store_slice_names[level], "what was counted in each slice", &l->group, err);
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
        return hsc_store_times_memory(s, err);
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
        return hsc_store_times_memory(s, err);
    memset(t->number_of, 0xff, (t->n_leaves + 1) * sizeof *t->number_of); /* HSC_NONE */
    if (!find_leaves(s, t))
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: table leaf refers to rows that are not there", s->path);
    hid_t group = H5Gopen2(s->file, "time", H5P_DEFAULT); /* made for table leaf */
    if (group < 0)
        return hsc_out_fail(s->out, "open group", "time", err);
    t->group = group;
    hsc_status status = hsc_out_text(s->out, t->group, "description", "samples in the order of time; times are ticks since the start of the run; a tick is tick_s seconds", err);
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
hsc_status hsc_store_end_slice(hsc_store *s, unsigned at, hsc_err *err) {
    hsc_store_times *t = s->times;
    hsc_store_slices *l = &t->slices[at], *up = at + 1 < HSC_SLICE_LEVELS_MAX ? l + 1 : NULL;
    hsc_tally *by = &t->by_leaf;
    hsc_status status = l->group > 0 ? HSC_OK : hsc_store_open_slices(s, l, at, false, err);
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
        return hsc_store_times_memory(s, err);
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
        status = hsc_store_end_slice(s, at + 1, err);
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
        status = hsc_store_end_slice(s, t->is_coarse, err);
    }
    return status;
}

/* ---- numbers of a thread's own ---- */

bool hsc_store_meet_leaf(hsc_store_times *t, uint32_t leaf) {
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
        if (t->number_of[leaf[i]] == HSC_NONE && !hsc_store_meet_leaf(t, leaf[i]))
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

hsc_status hsc_store_begin_own(hsc_store_times *t, hsc_err *err) {
    static const uint32_t zeros[HSC_SLICE_FIRST];
    uint64_t gap = gap_before(t, t->indptr[t->done]);
    hsc_status status = HSC_OK;
    for (int i = 0; i < HSC_SAMPLE_SETS && !status; i++)
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
    hsc_status status = HSC_OK;
    if (!t->is_own)
        return hsc_out_stream_put(t->samples[HSC_SAMPLE_LEAF], leaf, n, err);
    for (uint64_t at = 0, m = 0; at < n && !status; at += m) {
        void *number = NULL;
        status = hsc_out_stream_room(t->samples[HSC_SAMPLE_LEAF], n - at, &number, &m, err);
        if (!status && !number_leaves(t, leaf + at, m, number))
            status = hsc_store_times_memory(s, err);
    }
    return status;
}

/* Of a slice. */
static void make_deltas(const uint32_t *restrict time, uint64_t n, uint32_t *restrict delta) {
    uint64_t i = 1;
    delta[0] = 0;
    for (; i + TILE <= n; i += TILE)
        for (unsigned k = 0; k < TILE; k++)
            delta[i + k] = time[i + k] - time[i + k - 1];
    for (; i < n; i++)
        delta[i] = time[i] - time[i - 1];
}

static hsc_status put_samples(hsc_store *s, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                              hsc_err *err) {
    hsc_store_times *t = s->times;
    uint32_t some[HSC_SLICE_FIRST];
    hsc_status status = HSC_OK;
    for (uint64_t first = 0; first < n && !status; first += HSC_SLICE_FIRST) {
        uint64_t m = n - first < HSC_SLICE_FIRST ? n - first : HSC_SLICE_FIRST, room = 0;
        void *to = some;
        status = hsc_out_stream_put(t->begin, &time[first], 1, err);
        if (!status && t->is_own) /* a slice lies in one chunk */
            status = hsc_out_stream_room(t->samples[HSC_SAMPLE_DELTA], m, &to, &room, err);
        if (!status)
            make_deltas(time + first, m, to);
        if (!status && !t->is_own)
            status = hsc_out_stream_put(t->samples[HSC_SAMPLE_DELTA], some, m, err);
    }
    if (!status)
        status = put_leaves(s, n, leaf, err);
    return status ? status : hsc_out_stream_put(t->samples[HSC_SAMPLE_COUNT], count, n, err);
}

/* The first sample whose time falls, below `last` at first, or is beyond the end, or whose leaf is not there; n: none. */
uint64_t hsc_store_first_bad(const hsc_store_times *t, uint32_t last, uint64_t n, const uint32_t *time, const uint32_t *leaf) {
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
    t->mark.n = 0;
    t->is_own = n >= s->own_samples;
    t->all = n;
    t->is_coarse = look && is_varied(s, look);
    t->any_coarse = t->any_coarse || t->is_coarse;
    t->least[t->done] = (uint32_t)hsc_slice_size(HSC_SLICE_FIRST, t->is_coarse);
    t->n = t->last_time = 0;
    hsc_store_bins_begin_thread(t->bins);
    return t->is_own ? hsc_store_begin_own(t, err) : HSC_OK;
}

hsc_status hsc_store_put_part_times(hsc_store *s, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count, hsc_err *err) {
    hsc_store_times *t = s->times;
    if (!t || !t->is_begun || n > HSC_TIMES_PIECE || t->n % HSC_TIMES_PIECE)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time: no thread is begun, or no piece of it", s->path);
    uint64_t bad = hsc_store_first_bad(t, t->last_time, n, time, leaf);
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
    if (!status && t->is_own && t->n == t->all / HSC_TIMES_PIECE * HSC_TIMES_PIECE && !hsc_store_mark(s))
        status = hsc_store_times_memory(s, err);
    return status;
}

/* It has its samples: the next one follows. */
void hsc_store_next_thread(hsc_store_times *t, uint64_t n) {
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
    hsc_store_next_thread(t, t->n);
    return status;
}

hsc_status hsc_store_put_times(hsc_store *s, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                               hsc_err *err) {
    hsc_times_looks *look = n >= HSC_TIMES_LOOK_LEAST ? malloc(sizeof *look) : NULL;
    if (!look && n >= HSC_TIMES_LOOK_LEAST)
        return hsc_store_times_memory(s, err);
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
    for (int i = 0; i < HSC_SAMPLE_SETS; i++)
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
