/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples by time that the database before has: of all its threads as they are, and the first ones of a thread that grew. */
#include "store_times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct hsc_store_keeping { /* what the database before has */
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
        return hsc_store_times_memory(s, err);
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
        return hsc_store_times_memory(s, err);
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
        return hsc_store_times_memory(s, err);
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
        snprintf(path, sizeof path, "/time/slices/%s", hsc_store_slice_names[level]);
        if (!slices)
            continue;
        if (!(ends = k->ends[level] = malloc((slices + 1) * sizeof *ends)))
            return hsc_store_times_memory(s, err);
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
    hsc_store_slices *l = &s->times->slices[at], *up = at + 1 < levels ? l + 1 : NULL;
    hsc_status status = l->group > 0 ? HSC_OK : hsc_store_open_slices(s, l, at, true, err);
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
    for (unsigned i = 0; i < HSC_SAMPLE_SETS && !status; i++)
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
                status = hsc_out_stream_keep(t->samples[HSC_SAMPLE_DELTA], m, err);
        }
        if (!status)
            status = hsc_out_stream_keep(t->samples[HSC_SAMPLE_LEAF], piece, err);
        if (!status)
            status = hsc_out_stream_keep(t->samples[HSC_SAMPLE_COUNT], piece, err);
        for (uint64_t first = 0; first + size <= piece && !status; first += size)
            status = keep_slice(s, k, is_coarse, levels, err);
    }
    t->least[t->done] = (uint32_t)size;
    t->any_coarse = t->any_coarse || is_coarse;
    if (!status)
        status = hsc_store_bins_keep(t->bins, err);
    hsc_store_next_thread(t, n);
    return status;
}

/* Of the samples [at, at + n). */
static bool read_columns(const hsc_store *s, uint64_t at, uint64_t n, uint32_t *delta, uint32_t *leaf, uint32_t *count) {
    return hsc_before_read(s->before, "/time/samples/delta", HSC_COLTYPE_U4, at, n, delta) &&
           hsc_before_read(s->before, s->times->has_numbers ? "/time/samples/number" : "/time/samples/leaf", HSC_COLTYPE_U4, at, n, leaf) &&
           hsc_before_read(s->before, "/time/samples/count", HSC_COLTYPE_U4, at, n, count);
}

/* Deltas of a thread become times. */
static void add_deltas(uint32_t *time, uint64_t n, const uint32_t *begin) {
    for (uint64_t i = 0; i < n; i++)
        time[i] = i % HSC_SLICE_FIRST ? time[i] + time[i - 1] : begin[i / HSC_SLICE_FIRST];
}

/* A thread's own numbers become rows of leaf; false: it has other numbers. */
static bool find_rows_of(uint32_t *leaf, uint64_t n, const uint32_t *rows, uint64_t numbers) {
    bool good = true;
    for (uint64_t i = 0; good && i < n; i++) {
        good = leaf[i] < numbers;
        leaf[i] = good ? rows[leaf[i]] : 0;
    }
    return good;
}

/* Samples of threads [first, end), which have some, into time, leaf and count; slice: the first one's first. */
static hsc_status read_samples(hsc_store *s, const keeping *k, uint64_t first, uint64_t end, uint64_t slice, uint32_t *time, uint32_t *leaf, uint32_t *count,
                               hsc_err *err) {
    hsc_store_times *t = s->times;
    uint64_t at = k->indptr[first], n = k->until[end - 1] - at, slices = t->slice_indptr[end] - slice;
    uint32_t *begin = malloc((slices + 1) * sizeof *begin);
    if (!begin)
        return hsc_store_times_memory(s, err);
    bool good = read_columns(s, at, n, time, leaf, count) && hsc_before_read(s->before, "/time/slices/begin", HSC_COLTYPE_U4, slice, slices, begin);
    for (uint64_t i = first; good && i < end; i++) {
        uint32_t *own = time + (k->indptr[i] - at), *rows = leaf + (k->indptr[i] - at);
        uint64_t m = k->until[i] - k->indptr[i], numbers = k->own_indptr[i + 1] - k->own_indptr[i];
        add_deltas(own, m, begin + (t->slice_indptr[i] - slice));
        good = (!numbers || find_rows_of(rows, m, k->own_leaf + k->own_indptr[i], numbers)) && hsc_store_first_bad(t, 0, m, own, rows) == m;
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
        status = time ? read_samples(s, k, first, end, t->slice_indptr[first], time, leaf, count, err) : hsc_store_times_memory(s, err);
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
        return hsc_store_times_memory(s, err);
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


/* ---- a thread that grew ---- */

void hsc_words_put(hsc_words *w, uint64_t v) {
    if (w->n == w->room && !w->failed) {
        size_t room = w->room ? 2 * w->room : 256;
        uint64_t *more = realloc(w->p, room * sizeof *more);
        w->failed = !more;
        w->p = more ? more : w->p;
        w->room = more ? room : w->room;
    }
    if (!w->failed)
        w->p[w->n++] = v;
}

uint64_t hsc_words_take(hsc_words *w) {
    w->failed = w->failed || w->at == w->n;
    return w->failed ? 0 : w->p[w->at++];
}

enum { MARK_HEAD = 4 };

bool hsc_store_mark(hsc_store *s) {
    hsc_store_times *t = s->times;
    hsc_words *m = &t->mark;
    *m = (hsc_words){.p = m->p, .room = m->room};
    const uint64_t head[MARK_HEAD] = {t->n, t->n_met, t->last_time, t->is_coarse};
    for (unsigned i = 0; i < MARK_HEAD; i++)
        hsc_words_put(m, head[i]);
    hsc_store_bins_mark(t->bins, m);
    for (uint32_t i = 0; i < t->n_met; i++)
        hsc_words_put(m, t->met[i]);
    return !m->failed;
}

bool hsc_store_read_mark(const uint64_t *words, size_t n, uint64_t *samples, uint64_t *numbers, bool *is_coarse) {
    bool good = n > MARK_HEAD && words[0] && words[0] % HSC_TIMES_PIECE == 0 && words[1] <= UINT32_MAX && words[2] <= UINT32_MAX && words[3] <= 1;
    *samples = good ? words[0] : 0;
    *numbers = good ? words[1] : 0;
    *is_coarse = good && words[3];
    return good;
}

void hsc_store_take_mark(hsc_store *s, uint64_t **words, size_t *n) {
    hsc_words *m = &s->times->mark;
    *words = m->n && !m->failed ? m->p : NULL;
    *n = *words ? m->n : 0;
    if (!*words)
        free(m->p);
    *m = (hsc_words){0};
}

static hsc_status other_before(hsc_store *s, hsc_err *err) { return hsc_out_fail_before(s->out, "/time/samples", err); }

/* What the database before has, looked at once. */
static hsc_status look_before(hsc_store *s, hsc_err *err) {
    hsc_store_times *t = s->times;
    bool there = false;
    if (t->before)
        return HSC_OK;
    uint64_t n = s->before < 0 ? UINT64_MAX : hsc_before_count(s->before, "/time/samples/indptr");
    if (n == UINT64_MAX || n < 2)
        return other_before(s, err);
    if (!(t->before = calloc(1, sizeof *t->before)))
        return hsc_store_times_memory(s, err);
    t->before->threads = n - 1;
    hsc_status status = read_kept(s, t->before, &there, err);
    if (!status && there)
        status = hsc_store_bins_begin_keep(t->bins, n - 1, &there, err);
    return status || there ? status : other_before(s, err);
}

/* Samples of the thread in the database before. */
typedef struct former {
    const hsc_times_grown *g;
    keeping *k;
    uint64_t samples;
    uint32_t *now_of; /* rows of leaf by what they were then, below `rows`; HSC_NONE: the thread had none of it */
    uint64_t rows;
} former;

/* *there false: the thread has other numbers. */
static hsc_status find_leaves_now(hsc_store *s, former *f, bool *there, hsc_err *err) {
    const hsc_times_grown *g = f->g;
    const uint32_t *then = f->k->own_leaf + f->k->own_indptr[g->thread];
    *there = g->numbers <= f->k->own_indptr[g->thread + 1] - f->k->own_indptr[g->thread];
    for (uint64_t i = 0; i < g->numbers && *there; i++)
        f->rows = then[i] >= f->rows ? (uint64_t)then[i] + 1 : f->rows;
    f->now_of = malloc((f->rows + 1) * sizeof *f->now_of);
    if (!f->now_of)
        return hsc_store_times_memory(s, err);
    memset(f->now_of, 0xff, (f->rows + 1) * sizeof *f->now_of); /* HSC_NONE */
    for (uint64_t i = 0; i < g->numbers && *there; i++) {
        *there = f->now_of[then[i]] == HSC_NONE;
        f->now_of[then[i]] = g->leaf_of[i];
    }
    return HSC_OK;
}

/* Values of slices of the smallest level, many at a time. */
typedef struct former_slices {
    const former *f;
    const uint64_t *ends; /* of the thread's */
    uint64_t next, read, n, room; /* slices put, read, all; values in the arrays */
    uint32_t *leaf, *sum;
    uint64_t base;        /* value that the arrays begin with */
} former_slices;

static hsc_status read_slices(hsc_store *s, former_slices *l, hsc_err *err) {
    enum { SOME = 1 << 16 };
    char leaf[64], sum[64];
    unsigned level = s->times->is_coarse;
    snprintf(leaf, sizeof leaf, "/time/slices/%s/leaf", hsc_store_slice_names[level]);
    snprintf(sum, sizeof sum, "/time/slices/%s/sum", hsc_store_slice_names[level]);
    for (l->read = l->next + 1; l->read < l->n && l->ends[l->read + 1] - l->ends[l->next] <= SOME;)
        l->read++;
    uint64_t m = l->ends[l->read] - l->ends[l->next];
    if (m > l->room || !l->leaf) {
        free(l->leaf);
        free(l->sum);
        l->room = m;
        l->leaf = malloc((m + 1) * sizeof *l->leaf);
        l->sum = malloc((m + 1) * sizeof *l->sum);
    }
    if (!l->leaf || !l->sum)
        return hsc_store_times_memory(s, err);
    l->base = l->ends[l->next];
    bool good = hsc_before_read(s->before, leaf, HSC_COLTYPE_U4, l->base, m, l->leaf) && hsc_before_read(s->before, sum, HSC_COLTYPE_U4, l->base, m, l->sum);
    return good ? HSC_OK : hsc_out_fail_before(s->out, leaf, err);
}

/* The next slice goes through the tally once more, and so into those above. */
static hsc_status put_former_slice(hsc_store *s, former_slices *l, hsc_err *err) {
    hsc_store_times *t = s->times;
    const former *f = l->f;
    hsc_status status = l->next < l->read ? HSC_OK : read_slices(s, l, err);
    if (status)
        return status;
    hsc_tally by = t->by_leaf;
    for (uint64_t v = l->ends[l->next] - l->base; v < l->ends[l->next + 1] - l->base; v++) {
        uint32_t row = l->leaf[v] < f->rows ? f->now_of[l->leaf[v]] : HSC_NONE;
        if (row == HSC_NONE || l->sum[v] == UINT32_MAX) { /* that may have been more */
            t->by_leaf = by;
            return other_before(s, err);
        }
        hsc_tally_add(&by, row, l->sum[v]);
    }
    t->by_leaf = by;
    l->next++;
    return hsc_store_end_slice(s, t->is_coarse, err);
}

/* In the order in which pieces are put. */
static hsc_status put_former_pieces(hsc_store *s, const former *f, former_slices *l, const uint32_t *begin, hsc_err *err) {
    hsc_store_times *t = s->times;
    uint64_t from = f->k->indptr[f->g->thread], size = hsc_slice_size(HSC_SLICE_FIRST, t->is_coarse);
    hsc_status status = HSC_OK;
    for (uint64_t at = 0; at < f->samples && !status; at += HSC_TIMES_PIECE) {
        for (uint64_t i = at; i < at + HSC_TIMES_PIECE && !status; i += HSC_SLICE_FIRST) {
            status = hsc_out_stream_put(t->begin, &begin[i / HSC_SLICE_FIRST], 1, err);
            if (!status)
                status = hsc_out_stream_keep_from(t->samples[HSC_SAMPLE_DELTA], from + i, HSC_SLICE_FIRST, err);
        }
        if (!status)
            status = hsc_out_stream_keep_from(t->samples[HSC_SAMPLE_LEAF], from + at, HSC_TIMES_PIECE, err);
        if (!status)
            status = hsc_out_stream_keep_from(t->samples[HSC_SAMPLE_COUNT], from + at, HSC_TIMES_PIECE, err);
        for (uint64_t i = 0; i < HSC_TIMES_PIECE / size && !status; i++)
            status = put_former_slice(s, l, err);
    }
    return status;
}

/* To the samples of all threads; begin: of each of its slices. */
static hsc_status put_former_program(hsc_store *s, const former *f, const uint32_t *begin, hsc_err *err) {
    hsc_store_times *t = s->times;
    const hsc_times_grown *g = f->g;
    uint32_t *time = malloc((size_t)3 * HSC_TIMES_PIECE * sizeof *time), *leaf = time + HSC_TIMES_PIECE, *count = leaf + HSC_TIMES_PIECE, last = 0;
    hsc_status status = time ? HSC_OK : hsc_store_times_memory(s, err);
    for (uint64_t at = 0; at < f->samples && !status; at += HSC_TIMES_PIECE) {
        bool good = read_columns(s, f->k->indptr[g->thread] + at, HSC_TIMES_PIECE, time, leaf, count) && find_rows_of(leaf, HSC_TIMES_PIECE, g->leaf_of, g->numbers);
        if (good)
            add_deltas(time, HSC_TIMES_PIECE, begin + at / HSC_SLICE_FIRST);
        good = good && hsc_store_first_bad(t, last, HSC_TIMES_PIECE, time, leaf) == HSC_TIMES_PIECE;
        last = time[HSC_TIMES_PIECE - 1];
        status = good ? hsc_store_program_put(t->program, HSC_TIMES_PIECE, time, leaf, count, err) : other_before(s, err);
    }
    free(time);
    return status;
}

static hsc_status put_former(hsc_store *s, const former *f, hsc_words *mark, hsc_err *err) {
    hsc_store_times *t = s->times;
    const hsc_times_grown *g = f->g;
    const keeping *k = f->k;
    uint64_t size = hsc_slice_size(HSC_SLICE_FIRST, t->is_coarse), slices = 0, begins = 0, n = f->samples / HSC_SLICE_FIRST;
    hsc_status status = HSC_OK;
    bool there = true;
    for (uint64_t i = 0; i < g->numbers && !status; i++)
        if (g->leaf_of[i] >= t->n_leaves || t->number_of[g->leaf_of[i]] != HSC_NONE)
            status = other_before(s, err);
        else if (!hsc_store_meet_leaf(t, g->leaf_of[i]))
            status = hsc_store_times_memory(s, err);
    for (uint64_t i = 0; i < g->thread; i++) {
        slices += k->least[i] <= size ? (k->until[i] - k->indptr[i]) / size : 0;
        begins += (k->until[i] - k->indptr[i] + HSC_SLICE_FIRST - 1) / HSC_SLICE_FIRST;
    }
    former_slices l = {.f = f, .ends = k->ends[t->is_coarse] + slices, .n = f->samples / size};
    uint32_t *begin = malloc((n + 1) * sizeof *begin);
    if (!status && !begin)
        status = hsc_store_times_memory(s, err);
    if (!status && !hsc_before_read(s->before, "/time/slices/begin", HSC_COLTYPE_U4, begins, n, begin))
        status = other_before(s, err);
    if (!status)
        status = put_former_pieces(s, f, &l, begin, err);
    if (!status && t->program)
        status = put_former_program(s, f, begin, err);
    free(begin);
    free(l.leaf);
    free(l.sum);
    if (!status)
        status = hsc_store_bins_go_on(t->bins, mark, g->thread, &(hsc_scope_rows){g->scope_then, g->scope_now, g->scopes}, &there, err);
    return status || there ? status : other_before(s, err);
}

hsc_status hsc_store_go_on_thread_times(hsc_store *s, uint64_t n, const hsc_times_grown *g, hsc_err *err) {
    hsc_store_times *t = s->times;
    hsc_words mark = {.p = (uint64_t *)(uintptr_t)g->mark, .n = g->mark_words, .at = MARK_HEAD};
    former f = {.g = g};
    uint64_t numbers;
    bool is_coarse;
    if (!t || t->done >= t->threads || t->is_begun || n < s->own_samples || !t->has_numbers ||
        !hsc_store_read_mark(g->mark, g->mark_words, &f.samples, &numbers, &is_coarse) || f.samples > n || numbers != g->numbers)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: samples by time: no thread that can go on", s->path);
    hsc_status status = look_before(s, err);
    f.k = t->before;
    if (!status && (g->thread >= f.k->threads || f.k->until[g->thread] - f.k->indptr[g->thread] < f.samples ||
                    f.k->indptr[g->thread] % hsc_sample_chunk_rows(t->threads) || f.k->least[g->thread] != hsc_slice_size(HSC_SLICE_FIRST, is_coarse)))
        status = other_before(s, err);
    bool there = true;
    if (!status)
        status = find_leaves_now(s, &f, &there, err);
    if (!status && !there)
        status = other_before(s, err);
    t->is_begun = t->is_own = true;
    t->mark.n = 0;
    t->all = n;
    t->is_coarse = is_coarse;
    t->any_coarse = t->any_coarse || is_coarse;
    t->least[t->done] = (uint32_t)hsc_slice_size(HSC_SLICE_FIRST, is_coarse);
    if (!status)
        status = hsc_store_begin_own(t, err);
    if (!status)
        status = put_former(s, &f, &mark, err);
    t->n = f.samples;
    t->last_time = (uint32_t)g->mark[2];
    free(f.now_of);
    if (!status && t->n == t->all / HSC_TIMES_PIECE * HSC_TIMES_PIECE && !hsc_store_mark(s))
        status = hsc_store_times_memory(s, err);
    return status;
}

void hsc_store_free_keeping(keeping *k) {
    if (k)
        free_keeping(k);
    free(k);
}
