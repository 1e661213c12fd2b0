/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The samples of all threads in one order of time, with what was counted in slices of equally many: what an interval of the whole
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

struct hsc_store_program {
    hsc_store *s;
    uint64_t n_leaves, n, done;
    unsigned shift; /* time >> shift: part */
    hsc_spill spill;
    hsc_spill_list parts[PARTS];
    hid_t group, samples_group, slices_group;
    hsc_out_stream *sets[SETS], *begin;
    uint32_t block[SETS][HSC_SLICE_FIRST], last_time;
    level levels[HSC_SLICE_LEVELS_MAX];
    unsigned n_levels;
};

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
    while (end >> p->shift >= PARTS)
        p->shift++;
    return HSC_OK;
}

void hsc_store_program_free(hsc_store_program *p) {
    if (!p)
        return;
    for (unsigned i = 0; i < PARTS; i++)
        hsc_spill_list_fini(&p->parts[i]);
    hsc_spill_fini(&p->spill);
    for (unsigned i = 0; i < SETS; i++)
        hsc_out_stream_abort(p->sets[i]);
    hsc_out_stream_abort(p->begin);
    for (unsigned i = 0; i < p->n_levels; i++) {
        level *l = &p->levels[i];
        hsc_out_stream_abort(l->indptr);
        hsc_out_stream_abort(l->leaf);
        hsc_out_stream_abort(l->sum);
        if (l->group > 0)
            H5Gclose(l->group);
        hsc_tally_fini(&l->by_leaf);
    }
    const hid_t groups[] = {p->samples_group, p->slices_group, p->group};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i] > 0)
            H5Gclose(groups[i]);
    free(p);
}

hsc_status hsc_store_program_put(hsc_store_program *p, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                                 hsc_err *err) {
    enum { SOME = 512 };
    sample list[SOME];
    for (uint64_t i = 0; i < n;) { /* samples of one part, which follow one another */
        uint32_t part = time[i] >> p->shift;
        unsigned m = 0;
        for (; m < SOME && i < n && time[i] >> p->shift == part; i++)
            list[m++] = (sample){time[i], leaf[i], count[i]};
        if (!hsc_spill_put_some(&p->spill, &p->parts[part], list, m, sizeof *list))
            return no_memory(p->s, err);
    }
    p->n += n;
    return HSC_OK;
}

/* ---- slices ---- */

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static hsc_status open_level(hsc_store_program *p, level *l, hsc_err *err) {
    hsc_out_notes indptr = {.description = "slice i has the values [indptr[i], indptr[i + 1])"},
                  leaf = {.description = "rises within a slice", .references = "/time/leaf", .effort = HSC_EFFORT_SERIES},
                  sum = {.description = "of counts", .effort = HSC_EFFORT_SERIES};
    const uint64_t zero = 0;
    snprintf(l->name, sizeof l->name, "%" PRIu64, l->size);
    hsc_status status = hsc_out_told_group(p->s->out, p->slices_group, l->name, "what was counted in each slice", &l->group, err);
    if (!status)
        status = hsc_out_stream_open(p->s->out, l->group, "indptr", HSC_COLTYPE_U8, &indptr, &l->indptr, err);
    if (!status)
        status = hsc_out_stream_open(p->s->out, l->group, "leaf", HSC_COLTYPE_U4, &leaf, &l->leaf, err);
    if (!status)
        status = hsc_out_stream_open(p->s->out, l->group, "sum", HSC_COLTYPE_U4, &sum, &l->sum, err);
    return status ? status : hsc_out_stream_put(l->indptr, &zero, 1, err);
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
            status = emit(p, list, got, err);
        for (uint64_t i = 0; bits && !is_held && i < got && !status; i++)
            if (!hsc_spill_put(&p->spill, &parts[list[i].time >> below & ((1u << SPLIT_BITS) - 1)], &list[i], sizeof *list))
                status = no_memory(p->s, err);
    }
    if (!status && is_held) {
        sort(&list, &other, n, bits);
        status = emit(p, list, n, err);
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

static hsc_status open_all(hsc_store_program *p, hid_t time, hsc_err *err) {
    static const hsc_out_notes sets[SETS] = {{.description = "ticks since the sample before; the first of 1024: 0", .effort = HSC_EFFORT_SERIES},
                                             {.description = "what it was", .references = "/time/leaf", .effort = HSC_EFFORT_SERIES},
                                             {.description = "counts of the leaf's metric that it stands for", .effort = HSC_EFFORT_SERIES}},
                               begin = {.description = "tick of the first of 1024 samples"};
    static const char *const names[SETS] = {"delta", "leaf", "count"};
    hsc_store *s = p->s;
    hsc_status status = hsc_out_told_group(s->out, time, "program", "samples of all threads as if they were of one", &p->group, err);
    if (!status)
        status = hsc_out_told_group(s->out, p->group, "samples", "in the order of time", &p->samples_group, err);
    for (unsigned i = 0; i < SETS && !status; i++)
        status = hsc_out_stream_open_sized(s->out, p->samples_group, names[i], HSC_COLTYPE_U4, &sets[i], p->n, &p->sets[i], err);
    if (!status)
        status = hsc_out_told_group(s->out, p->group, "slices", "groups n: whole slices of n samples, with what was counted in each", &p->slices_group, err);
    if (!status)
        status = hsc_out_stream_open(s->out, p->slices_group, "begin", HSC_COLTYPE_U4, &begin, &p->begin, err);
    for (; p->n_levels < hsc_slice_levels(HSC_PROGRAM_SLICE_FIRST, p->n) && !status; p->n_levels++) {
        level *l = &p->levels[p->n_levels];
        l->size = hsc_slice_size(HSC_PROGRAM_SLICE_FIRST, p->n_levels);
        if (!hsc_tally_init(&l->by_leaf, p->n_leaves)) {
            p->n_levels++;
            return no_memory(s, err);
        }
    }
    return status;
}

hsc_status hsc_store_program_write(hsc_store_program *p, hid_t time, hsc_err *err) {
    if (p->n < p->s->program_min)
        return HSC_OK;
    hsc_status status = open_all(p, time, err);
    for (unsigned i = 0; i < PARTS && !status; i++)
        if (p->parts[i].count)
            status = put_part(p, &p->parts[i], p->shift, err);
    if (!status && p->done % HSC_SLICE_FIRST)
        status = put_block(p, p->done % HSC_SLICE_FIRST, err);
    for (unsigned i = 0; i < SETS; i++)
        status = close_stream(&p->sets[i], status, err);
    status = close_stream(&p->begin, status, err);
    for (unsigned i = 0; i < p->n_levels; i++) {
        status = close_stream(&p->levels[i].indptr, status, err);
        status = close_stream(&p->levels[i].leaf, status, err);
        status = close_stream(&p->levels[i].sum, status, err);
    }
    return status;
}
