/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The samples of all threads in two layers, each in one order of time, with what was counted in slices of equally many: what an interval of the whole
 * run adds up without asking each thread. They come thread by thread, go by ranges of time into lists outside memory, and are sorted and
 * written a range at a time. */
#include "store_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tally.h"
#include "times.h"

enum { DELTA, LEAF, COUNT, SETS };
enum { PARTS = 256, SPLIT_BITS = 4 };

typedef struct sample {
    uint32_t time, leaf, count;
} sample;

typedef struct level { /* slices of `size` samples */
    uint64_t size, values;
    hsc_tally by_leaf; /* of the slice under way */
    hid_t group;
    hsc_out_stream *indptr, *leaf, *sum;
    char name[24];
} level;

typedef struct layer {
    uint64_t begin, end; /* threads */
    uint64_t n;          /* samples */
    hsc_spill_list parts[PARTS];
    bool is_kept;        /* it is that of the database before */
    uint64_t earlier;    /* samples of that one, whose threads are the first of this layer: they are in order already; 0: none */
    uint64_t *ends[HSC_SLICE_LEVELS_MAX]; /* of that: of slices' values; NULL: it has none */
} layer;

struct hsc_store_program {
    hsc_store *s;
    uint64_t n_leaves, threads; /* threads: put */
    layer layers[HSC_LAYERS_MAX];
    unsigned n_layers, at; /* at: the layer of the next thread, then that which is written */
    unsigned shift; /* time >> shift: part */
    hsc_spill spill;
    hid_t layers_group;
    /* of the layer that is written */
    uint64_t done;
    hid_t group, samples_group, slices_group;
    hsc_out_stream *sets[SETS], *begin;
    uint32_t block[SETS][HSC_SLICE_FIRST], last_time;
    level levels[HSC_SLICE_LEVELS_MAX];
    unsigned n_levels;
    struct earlier *earlier; /* NULL: it has none */
};

/* Of a layer of the database before. */
enum { EARLIER_ROWS = 1 << 16, MERGED = 4096 };
typedef struct earlier {
    uint64_t next;   /* row that is read next */
    uint32_t at, n;  /* of those at hand: the next one, and how many */
    uint32_t time[EARLIER_ROWS], leaf[EARLIER_ROWS], count[EARLIER_ROWS], begin[EARLIER_ROWS / HSC_SLICE_FIRST];
    sample merged[MERGED];
} earlier;

static hsc_status no_memory(const hsc_store *s, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for the samples by time", s->path);
}

hsc_status hsc_store_program_new(hsc_store *s, uint32_t end, uint64_t n_leaves, hsc_store_program **out, hsc_err *err) {
    hsc_store_program *p = *out = calloc(1, sizeof *p);
    if (!p)
        return no_memory(s, err);
    p->s = s;
    p->n_leaves = n_leaves;
    hsc_spill_init(&p->spill, s->path);
    uint64_t threads = s->tables.rows[HSC_TAB_thread], first = hsc_layer_threads(threads);
    p->layers[0].end = p->layers[1].begin = first;
    p->layers[1].end = threads;
    p->n_layers = 1 + (first < threads);
    while (end >> p->shift >= PARTS)
        p->shift++;
    return HSC_OK;
}

/* Of a layer whose streams are closed, or to be given up. */
static void end_layer(hsc_store_program *p) {
    for (unsigned i = 0; i < SETS; i++) {
        hsc_out_stream_abort(p->sets[i]);
        p->sets[i] = NULL;
    }
    hsc_out_stream_abort(p->begin);
    p->begin = NULL;
    for (unsigned i = 0; i < p->n_levels; i++) {
        level *l = &p->levels[i];
        hsc_out_stream_abort(l->indptr);
        hsc_out_stream_abort(l->leaf);
        hsc_out_stream_abort(l->sum);
        if (l->group > 0)
            H5Gclose(l->group);
        hsc_tally_fini(&l->by_leaf);
        *l = (level){0};
    }
    hid_t *groups[] = {&p->samples_group, &p->slices_group, &p->group};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (*groups[i] > 0)
            H5Gclose(*groups[i]);
        *groups[i] = 0;
    }
    p->n_levels = 0;
    p->done = 0;
    free(p->earlier);
    p->earlier = NULL;
}

void hsc_store_program_free(hsc_store_program *p) {
    if (!p)
        return;
    for (unsigned i = 0; i < p->n_layers; i++) {
        for (unsigned k = 0; k < PARTS; k++)
            hsc_spill_list_fini(&p->layers[i].parts[k]);
        for (unsigned k = 0; k < HSC_SLICE_LEVELS_MAX; k++)
            free(p->layers[i].ends[k]);
    }
    hsc_spill_fini(&p->spill);
    end_layer(p);
    if (p->layers_group > 0)
        H5Gclose(p->layers_group);
    free(p);
}

hsc_status hsc_store_program_put(hsc_store_program *p, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                                 hsc_err *err) {
    enum { SOME = 512 };
    sample list[SOME];
    layer *l = &p->layers[p->at];
    for (uint64_t i = 0; i < n;) { /* samples of one part, which follow one another */
        uint32_t part = time[i] >> p->shift;
        unsigned m = 0;
        for (; m < SOME && i < n && time[i] >> p->shift == part; i++)
            list[m++] = (sample){time[i], leaf[i], count[i]};
        if (!hsc_spill_put_some(&p->spill, &l->parts[part], list, m, sizeof *list))
            return no_memory(p->s, err);
    }
    l->n += n;
    return HSC_OK;
}

hsc_status hsc_store_program_end_thread(hsc_store_program *p, hsc_err *err) {
    layer *l = &p->layers[p->at];
    if (++p->threads == l->end) { /* nothing more of this layer */
        for (unsigned k = 0; k < PARTS; k++)
            if (!hsc_spill_flush(&p->spill, &l->parts[k]))
                return no_memory(p->s, err);
        p->at++;
    }
    return HSC_OK;
}

/* ---- slices ---- */

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static hsc_out_notes noted(const hsc_store_program *p, const char *description, const char *references, hsc_effort effort) {
    return (hsc_out_notes){.description = description, .references = references, .effort = effort, .chunk_rows = hsc_layer_chunk_rows(p->at)};
}

static hsc_status open_level(hsc_store_program *p, level *l, hsc_err *err) {
    hsc_out_notes indptr = noted(p, "slice i has the values [indptr[i], indptr[i + 1])", "", HSC_EFFORT_USUAL),
                  leaf = noted(p, "rises within a slice", "/time/leaf", HSC_EFFORT_SERIES), sum = noted(p, "of counts", "", HSC_EFFORT_SERIES);
    const uint64_t zero = 0;
    snprintf(l->name, sizeof l->name, "%" PRIu64, l->size);
    hsc_status status = hsc_out_told_group(p->s->out, p->slices_group, l->name, "what was counted in each slice", &l->group, err);
    if (!status)
        status = hsc_out_stream_open(p->s->out, l->group, "indptr", HSC_COLTYPE_U8, &indptr, &l->indptr, err);
    if (!status)
        status = hsc_out_stream_open(p->s->out, l->group, "leaf", HSC_COLTYPE_U4, &leaf, &l->leaf, err);
    if (!status)
        status = hsc_out_stream_open(p->s->out, l->group, "sum", HSC_COLTYPE_U4, &sum, &l->sum, err);
    if (!status)
        status = p->layers[p->at].is_kept ? hsc_out_stream_keep(l->indptr, 1, err) : hsc_out_stream_put(l->indptr, &zero, 1, err);
    return status;
}

/* A slice of level `at` is complete: it is written, and a part of the next one. */
static hsc_status end_slice(hsc_store_program *p, unsigned at, hsc_err *err) {
    level *l = &p->levels[at];
    hsc_tally *by = &l->by_leaf, *up = at + 1 < p->n_levels ? &p->levels[at + 1].by_leaf : NULL;
    hsc_status status = l->group > 0 ? HSC_OK : open_level(p, l, err);
    if (by->n > p->n_leaves / 16) { /* a look at all is cheaper than sorting */
        by->n = 0;
        for (uint32_t k = 0; k < p->n_leaves; k++)
            if (by->by[k])
                by->touched[by->n++] = k;
    } else if (by->n > 1)
        qsort(by->touched, by->n, sizeof *by->touched, compare_u32);
    if (!status)
        status = hsc_out_stream_put(l->leaf, by->touched, by->n, err);
    for (uint32_t i = 0; i < by->n; i++) {
        uint32_t leaf = by->touched[i];
        uint64_t sum = by->by[leaf];
        by->by[leaf] = 0;
        if (up)
            hsc_tally_add(up, leaf, sum);
        by->touched[i] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    }
    if (!status)
        status = hsc_out_stream_put(l->sum, by->touched, by->n, err);
    l->values += by->n;
    by->n = 0;
    return status ? status : hsc_out_stream_put(l->indptr, &l->values, 1, err);
}

/* ---- samples ---- */

static hsc_status put_block(hsc_store_program *p, uint64_t n, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (unsigned i = 0; i < SETS && !status; i++)
        status = hsc_out_stream_put(p->sets[i], p->block[i], n, err);
    return status;
}

/* n samples behind the `at` that the block has. */
static void fill_block(hsc_store_program *p, unsigned at, const sample *list, unsigned n) {
    uint32_t *delta = p->block[DELTA] + at, *leaf = p->block[LEAF] + at, *count = p->block[COUNT] + at;
    delta[0] = at ? list[0].time - p->last_time : 0;
    for (unsigned i = 1; i < n; i++)
        delta[i] = list[i].time - list[i - 1].time;
    for (unsigned i = 0; i < n; i++) {
        leaf[i] = list[i].leaf;
        count[i] = list[i].count;
    }
    hsc_tally by = p->levels[0].by_leaf;
    for (unsigned i = 0; i < n && p->n_levels; i++)
        hsc_tally_add(&by, list[i].leaf, list[i].count);
    p->levels[0].by_leaf = by;
    p->last_time = list[n - 1].time;
}

static hsc_status emit(hsc_store_program *p, const sample *list, uint64_t n, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint64_t i = 0; i < n && !status;) {
        unsigned at = p->done % HSC_SLICE_FIRST, room = HSC_SLICE_FIRST - at, m = n - i < room ? (unsigned)(n - i) : room;
        if (!at)
            status = hsc_out_stream_put(p->begin, &list[i].time, 1, err);
        fill_block(p, at, list + i, m);
        p->done += m;
        i += m;
        if (!status && m == room)
            status = put_block(p, HSC_SLICE_FIRST, err);
        for (unsigned k = 0; m == room && k < p->n_levels && !status && !(p->done % p->levels[k].size); k++)
            status = end_slice(p, k, err);
    }
    return status;
}

/* ---- with those of the database before ---- */

static hsc_status read_earlier(hsc_store_program *p, hsc_err *err) {
    earlier *e = p->earlier;
    const hid_t before = p->s->before;
    const uint64_t left = p->layers[p->at].earlier - e->next, n = left < EARLIER_ROWS ? left : EARLIER_ROWS;
    uint32_t *const sets[SETS] = {e->time, e->leaf, e->count};
    static const char *const names[SETS] = {"delta", "leaf", "count"};
    char path[96];
    uint32_t last = e->next ? e->time[EARLIER_ROWS - 1] : 0;
    snprintf(path, sizeof path, "/time/layers/%u/slices/begin", p->at);
    bool good = hsc_before_read(before, path, HSC_COLTYPE_U4, e->next / HSC_SLICE_FIRST, (n + HSC_SLICE_FIRST - 1) / HSC_SLICE_FIRST, e->begin);
    for (unsigned i = 0; i < SETS && good; i++) {
        snprintf(path, sizeof path, "/time/layers/%u/samples/%s", p->at, names[i]);
        good = hsc_before_read(before, path, HSC_COLTYPE_U4, e->next, n, sets[i]);
    }
    for (uint64_t i = 0; i < n && good; i++) { /* it is what was written, which is looked at all the same */
        e->time[i] = i % HSC_SLICE_FIRST ? e->time[i] + e->time[i - 1] : e->begin[i / HSC_SLICE_FIRST];
        good = e->time[i] >= last && e->time[i] >> p->shift < PARTS && e->leaf[i] < p->n_leaves;
        last = e->time[i];
    }
    e->at = 0;
    e->n = (uint32_t)n;
    e->next += n;
    return good ? HSC_OK : hsc_out_fail_before(p->s->out, "/time/layers", err);
}
_Static_assert(EARLIER_ROWS % HSC_SLICE_FIRST == 0, "each begins with a begin");

/* n samples in the order of time, and of the earlier ones those up to them; to_end: all that are left. Where times are equal the earlier ones come first, as their
 * threads do. */
static hsc_status emit_among(hsc_store_program *p, const sample *list, uint64_t n, bool to_end, hsc_err *err) {
    earlier *e = p->earlier;
    hsc_status status = HSC_OK;
    if (!e)
        return emit(p, list, n, err);
    for (uint64_t i = 0; !status;) {
        const bool more = e->next < p->layers[p->at].earlier;
        uint32_t m = 0;
        for (; m < MERGED && e->at < e->n && (i < n ? e->time[e->at] <= list[i].time : to_end); e->at++)
            e->merged[m++] = (sample){e->time[e->at], e->leaf[e->at], e->count[e->at]};
        for (; m < MERGED && i < n && (e->at < e->n ? e->time[e->at] > list[i].time : !more); i++)
            e->merged[m++] = list[i];
        if (m)
            status = emit(p, e->merged, m, err);
        else if (e->at == e->n && more && (i < n || to_end))
            status = read_earlier(p, err);
        else
            break;
    }
    return status;
}

/* By time, samples of one time as they are; `bits` of it differ. The result is in *list. */
static void sort(sample **list, sample **other, uint64_t n, unsigned bits) {
    enum { DIGIT_MOST = 12 };
    unsigned digits = (bits + DIGIT_MOST - 1) / DIGIT_MOST, digit = (bits + digits - 1) / digits;
    uint64_t sorted = 1;
    while (sorted < n && (*list)[sorted - 1].time <= (*list)[sorted].time)
        sorted++;
    for (unsigned at = 0; at < bits && sorted < n; at += digit) {
        uint32_t mask = (1u << digit) - 1;
        uint64_t begin[(1u << DIGIT_MOST) + 1] = {0};
        for (uint64_t i = 0; i < n; i++)
            begin[((*list)[i].time >> at & mask) + 1]++;
        for (unsigned k = 0; k <= mask; k++)
            begin[k + 1] += begin[k];
        for (uint64_t i = 0; i < n; i++)
            (*other)[begin[(*list)[i].time >> at & mask]++] = (*list)[i];
        sample *swap = *list;
        *list = *other;
        *other = swap;
    }
}

/* The samples of a list, whose times differ in the lowest `bits` only. */
static hsc_status put_part(hsc_store_program *p, hsc_spill_list *l, unsigned bits, hsc_err *err) {
    enum { BLOCK = 2048 };
    bool is_held = bits && l->count <= p->s->part_max;
    uint64_t got = 1, most = is_held ? l->count : BLOCK, n = 0;
    hsc_spill_list parts[1u << SPLIT_BITS] = {{0}};
    unsigned below = bits > SPLIT_BITS ? bits - SPLIT_BITS : 0;
    hsc_spill_cursor c = {.list = l};
    sample *list = malloc((most + 1) * sizeof *list), *other = malloc((is_held ? most + 1 : 1) * sizeof *other);
    hsc_status status = list && other ? HSC_OK : no_memory(p->s, err);
    while (!status && n < l->count && got) {
        status = hsc_spill_read(&p->spill, &c, list + (is_held ? n : 0), is_held ? most - n : most, &got, err);
        n += got;
        if (!status && !bits)
            status = emit_among(p, list, got, false, err);
        for (uint64_t i = 0; bits && !is_held && i < got && !status; i++)
            if (!hsc_spill_put(&p->spill, &parts[list[i].time >> below & ((1u << SPLIT_BITS) - 1)], &list[i], sizeof *list))
                status = no_memory(p->s, err);
    }
    if (!status && is_held) {
        sort(&list, &other, n, bits);
        status = emit_among(p, list, n, false, err);
    }
    free(list);
    free(other);
    hsc_spill_list_fini(l);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!status && parts[i].count)
            status = put_part(p, &parts[i], below, err);
        hsc_spill_list_fini(&parts[i]);
    }
    return status;
}

static hsc_status close_stream(hsc_out_stream **stream, hsc_status status, hsc_err *err) {
    hsc_out_stream *s = *stream;
    *stream = NULL;
    if (s && !status)
        return hsc_out_stream_close(s, err);
    hsc_out_stream_abort(s);
    return status;
}

static hsc_status open_layer(hsc_store_program *p, hsc_err *err) {
    static const struct {
        const char *name, *description, *references, *units;
    } sets[SETS] = {{"delta", "ticks since the sample before; the first of 1024: 0", "", "tick"},
                    {"leaf", "what it was", "/time/leaf", ""},
                    {"count", "counts of the leaf's metric that it stands for, times its scale: in its unit", "", ""}};
    hsc_store *s = p->s;
    const layer *l = &p->layers[p->at];
    const uint32_t threads[] = {(uint32_t)l->begin, (uint32_t)l->end}, first = hsc_layer_slice_first(p->at);
    hsc_status status = hsc_out_told_group(s->out, p->layers_group, p->at ? "1" : "0", "samples of `threads`, from the first on and before the second, as if they were of one",
                                           &p->group, err);
    if (!status)
        status = hsc_out_numbers(s->out, p->group, "threads", HSC_NUMBER_U4, threads, 2, err);
    if (!status)
        status = hsc_out_told_group(s->out, p->group, "samples", "in the order of time", &p->samples_group, err);
    for (unsigned i = 0; i < SETS && !status; i++) {
        hsc_out_notes notes = noted(p, sets[i].description, sets[i].references, HSC_EFFORT_SERIES);
        notes.units = sets[i].units;
        status = hsc_out_stream_open_sized(s->out, p->samples_group, sets[i].name, HSC_COLTYPE_U4, &notes, l->n, &p->sets[i], err);
    }
    if (!status)
        status = hsc_out_told_group(s->out, p->group, "slices", "groups n: whole slices of n samples, with what was counted in each", &p->slices_group, err);
    hsc_out_notes begin = noted(p, "of the first of 1024 samples, since the start of the run", "", HSC_EFFORT_USUAL);
    begin.units = "tick";
    if (!status)
        status = hsc_out_stream_open(s->out, p->slices_group, "begin", HSC_COLTYPE_U4, &begin, &p->begin, err);
    for (; p->n_levels < hsc_slice_levels(first, l->n) && !status; p->n_levels++) {
        level *to = &p->levels[p->n_levels];
        to->size = hsc_slice_size(first, p->n_levels);
        if (!hsc_tally_init(&to->by_leaf, p->n_leaves)) {
            p->n_levels++;
            return no_memory(s, err);
        }
    }
    return status;
}

/* A layer of the database before, in the order in which emit writes it. */
static hsc_status keep_layer(hsc_store_program *p, hsc_err *err) {
    const layer *of = &p->layers[p->at];
    uint64_t next[HSC_SLICE_LEVELS_MAX] = {0};
    hsc_status status = HSC_OK;
    for (uint64_t m; p->done < of->n && !status;) {
        m = of->n - p->done < HSC_SLICE_FIRST ? of->n - p->done : HSC_SLICE_FIRST;
        status = hsc_out_stream_keep(p->begin, 1, err);
        for (unsigned i = 0; i < SETS && !status; i++)
            status = hsc_out_stream_keep(p->sets[i], m, err);
        p->done += m;
        for (unsigned k = 0; m == HSC_SLICE_FIRST && k < p->n_levels && !status && !(p->done % p->levels[k].size); k++) {
            level *l = &p->levels[k];
            uint64_t i = next[k]++, values = of->ends[k][i + 1] - of->ends[k][i];
            status = l->group > 0 ? HSC_OK : open_level(p, l, err);
            if (!status)
                status = hsc_out_stream_keep(l->leaf, values, err);
            if (!status)
                status = hsc_out_stream_keep(l->sum, values, err);
            if (!status)
                status = hsc_out_stream_keep(l->indptr, 1, err);
        }
    }
    return status;
}

/* The threads of a layer of the database before, and whether it has as many samples as these have. */
static bool find_samples(const hsc_store_program *p, unsigned at, const uint64_t *indptr, uint64_t n, uint64_t threads[2]) {
    static const char *const sets[] = {"samples/delta", "samples/leaf", "samples/count"};
    const hid_t before = p->s->before;
    char path[96];
    snprintf(path, sizeof path, "/time/layers/%u", at);
    bool there = H5Lexists(before, "/time/layers", H5P_DEFAULT) > 0 && H5Lexists(before, path, H5P_DEFAULT) > 0 && hsc_before_attribute(before, path, "threads", 2, threads) == 2 &&
                 threads[0] <= threads[1] && threads[1] <= n;
    uint64_t samples = there ? indptr[threads[1]] - indptr[threads[0]] : 0;
    snprintf(path, sizeof path, "/time/layers/%u/slices/begin", at);
    there = there && samples && hsc_before_count(before, path) == (samples + HSC_SLICE_FIRST - 1) / HSC_SLICE_FIRST;
    for (unsigned i = 0; i < SETS && there; i++) {
        snprintf(path, sizeof path, "/time/layers/%u/%s", at, sets[i]);
        there = hsc_before_count(before, path) == samples;
    }
    return there;
}

/* What slices of a layer the database before has, of so many samples. */
static hsc_status find_slices(const hsc_store_program *p, unsigned at, layer *l, uint64_t samples, bool *there, hsc_err *err) {
    static const char *const values[] = {"leaf", "sum"};
    const hid_t before = p->s->before;
    char path[96];
    for (unsigned k = 0; *there && k < hsc_slice_levels(hsc_layer_slice_first(at), samples); k++) {
        uint64_t size = hsc_slice_size(hsc_layer_slice_first(at), k), n = samples / size, *ends = l->ends[k] = malloc((n + 1) * sizeof *ends);
        if (!ends)
            return no_memory(p->s, err);
        snprintf(path, sizeof path, "/time/layers/%u/slices/%" PRIu64, at, size);
        *there = H5Lexists(before, path, H5P_DEFAULT) > 0;
        snprintf(path, sizeof path, "/time/layers/%u/slices/%" PRIu64 "/indptr", at, size);
        *there = *there && hsc_before_count(before, path) == n + 1 && hsc_before_read(before, path, HSC_COLTYPE_U8, 0, n + 1, ends) && !ends[0];
        for (uint64_t i = 0; *there && i < n; i++)
            *there = ends[i] <= ends[i + 1];
        for (unsigned i = 0; i < 2 && *there; i++) {
            snprintf(path, sizeof path, "/time/layers/%u/slices/%" PRIu64 "/%s", at, size, values[i]);
            *there = hsc_before_count(before, path) == ends[n];
        }
    }
    return HSC_OK;
}

hsc_status hsc_store_program_keep(hsc_store_program *p, uint64_t n, const uint64_t *indptr, uint64_t *first, hsc_err *err) {
    hsc_status status = HSC_OK;
    bool goes_on = true;
    *first = 0;
    for (unsigned at = 0; at < p->n_layers && goes_on && !status; at++) { /* one after the other: threads come in their order */
        layer *l = &p->layers[at];
        uint64_t threads[2];
        bool there = find_samples(p, at, indptr, n, threads) && threads[0] == l->begin && threads[1] <= l->end, whole = there && threads[1] == l->end;
        if (whole)
            status = find_slices(p, at, l, indptr[l->end] - indptr[l->begin], &whole, err);
        if (status || !there)
            break;
        goes_on = threads[1] == l->end; /* the next layer's threads follow then */
        l->is_kept = whole;
        l->n = indptr[threads[1]] - indptr[threads[0]];
        l->earlier = whole ? 0 : l->n;
        p->at = at + goes_on;
        p->threads = *first = threads[1];
    }
    return status;
}

static hsc_status put_layer(hsc_store_program *p, hsc_err *err) {
    layer *l = &p->layers[p->at];
    hsc_status status = open_layer(p, err);
    if (!status && l->is_kept)
        status = keep_layer(p, err);
    if (!status && l->earlier && !(p->earlier = calloc(1, sizeof *p->earlier)))
        status = no_memory(p->s, err);
    for (unsigned i = 0; i < PARTS && !status; i++)
        if (l->parts[i].count)
            status = put_part(p, &l->parts[i], p->shift, err);
    if (!status && l->earlier)
        status = emit_among(p, NULL, 0, true, err);
    if (!status && !l->is_kept && p->done % HSC_SLICE_FIRST)
        status = put_block(p, p->done % HSC_SLICE_FIRST, err);
    for (unsigned i = 0; i < SETS; i++)
        status = close_stream(&p->sets[i], status, err);
    status = close_stream(&p->begin, status, err);
    for (unsigned i = 0; i < p->n_levels; i++) {
        status = close_stream(&p->levels[i].indptr, status, err);
        status = close_stream(&p->levels[i].leaf, status, err);
        status = close_stream(&p->levels[i].sum, status, err);
    }
    end_layer(p);
    return status;
}

hsc_status hsc_store_program_write(hsc_store_program *p, hid_t time, hsc_err *err) {
    uint64_t n = 0;
    for (unsigned i = 0; i < p->n_layers; i++)
        n += p->layers[i].n;
    if (n < p->s->program_min)
        return HSC_OK;
    hsc_status status = hsc_out_told_group(p->s->out, time, "layers", "samples of all threads, in layers of threads", &p->layers_group, err);
    for (p->at = 0; p->at < p->n_layers && !status; p->at++)
        status = put_layer(p, err);
    return status;
}
