/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The series of samples of each thread, from the spill file into the store: of threads with many samples a piece at a time, of others several threads at
 * once, read by all workers. */
#include <stdlib.h>
#include <string.h>

#include "../store/large.h"
#include "../store/store.h"
#include "cache.h"
#include "grown.h"
#include "ranks.h"
#include "series.h"

#define GROUP_BYTES ((uint64_t)3 << 20) /* held by a worker; a thread with more is a group by itself */
#define GROUP_BYTES_LEAST ((uint64_t)1 << 18)
#define SAMPLE_BYTES 12u
#define RANK_GROUP_BYTES ((uint64_t)12 << 20) /* the same on all ranks */
#define RANK_GROUPS 4u           /* at a time, where there are several ranks: the same on all */

typedef jseries_leaves times;

/* ---- a few threads at a time ---- */

typedef struct series { /* samples of threads [first, first + n) */
    times *x;
    size_t first, n;
    uint64_t room;   /* of the samples' arrays */
    uint64_t *begin; /* n + 1: of each thread */
    uint32_t *time, *leaf, *count;
    uint32_t same;    /* `count` is that up to same_to */
    uint64_t same_to;
} series;

static void free_series(series *s) {
    free(s->begin);
    free(s->time);
    free(s->leaf);
    free(s->count);
    *s = (series){0};
}

/* n rows of table leaf by the keys of a thread's instants; NULL: its instants have kinds. Owned by the caller. */
static hsc_status read_keys(const times *x, const jthread *t, uint32_t **leaf_of, uint64_t *n, hsc_err *err) {
    const join *j = x->j;
    hsc_status status = hsc_join_load_keys(j, t, leaf_of, n, err);
    for (uint64_t i = 0; status == HSC_OK && i < *n; i++)
        if ((*leaf_of)[i] != HSC_NO_INDEX)
            (*leaf_of)[i] = x->row_of[(*leaf_of)[i]];
    return status;
}

/* The count of m samples from `at` on. */
static void put_count(series *s, uint64_t at, size_t m, uint32_t count) {
    if (s->same != count) {
        s->same = count;
        s->same_to = 0;
    }
    for (uint64_t i = s->same_to > at ? s->same_to : at; i < at + m; i++)
        s->count[i] = count;
    if (s->same_to >= at && s->same_to < at + m)
        s->same_to = at + m;
}

/* Rows of table leaf; false: some have none. */
static bool find_leaves(const uint32_t *leaf_of, uint64_t plain, const uint32_t *kinds, size_t n, uint32_t *leaves) {
    uint32_t none = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t kind = kinds[i];
        uint64_t special = -(uint64_t)(kind >> 31);
        none |= (leaves[i] = leaf_of[(kind & ~JINSTANT_SPECIAL) + (plain & special)]) == HSC_NO_INDEX;
    }
    return !none;
}

static bool find_leaves_of_kinds(const times *x, const uint32_t *kinds, size_t n, uint32_t *leaves) {
    uint32_t none = 0;
    for (size_t i = 0; i < n; i++)
        none |= (leaves[i] = kinds[i] == HSC_NO_INDEX ? HSC_NO_INDEX : x->row_of[kinds[i]]) == HSC_NO_INDEX;
    return !none;
}

/* A thread's samples, behind the *n that there are. */
static hsc_status read_thread(series *s, const jthread *t, uint64_t *n, hsc_err *err) {
    const join *j = s->x->j;
    jinstants_reader *r = malloc(sizeof *r);
    uint32_t *leaf_of = NULL;
    size_t got = 1;
    uint64_t at = *n, keys = 0;
    hsc_status status = r ? read_keys(s->x, t, &leaf_of, &keys, err) : hsc_join_no_memory(err);
    if (r)
        *r = (jinstants_reader){.list = &t->instants};
    while (status == HSC_OK && got) {
        status = hsc_instants_read(j->spill, r, &got, err);
        if (status != HSC_OK || !got)
            break;
        uint64_t from = at;
        if (leaf_of ? find_leaves(leaf_of, t->plain_count, r->kind, got, s->leaf + at) : find_leaves_of_kinds(s->x, r->kind, got, s->leaf + at)) {
            memcpy(s->time + at, r->tick, got * sizeof *s->time);
            if (!r->same)
                memcpy(s->count + at, r->count, got * sizeof *s->count);
            at += got;
        } else {
            for (size_t i = 0; i < got; i++) { /* events that nobody announced are left out */
                s->time[at] = r->tick[i];
                s->leaf[at] = s->leaf[from + i];
                if (!r->same)
                    s->count[at] = r->count[i];
                at += s->leaf[from + i] != HSC_NO_INDEX;
            }
        }
        if (r->same)
            put_count(s, from, (size_t)(at - from), r->same);
        else
            s->same_to = s->same_to < from ? s->same_to : from;
    }
    if (r)
        hsc_instants_reader_fini(r);
    free(r);
    free(leaf_of);
    *n = at;
    return status;
}

/* Arrays for so many samples: those that are there where they are large enough, whose pages the kernel need not clear again. */
static bool reserve_series(series *s, uint64_t most) {
    free(s->begin);
    s->begin = malloc((s->n + 1) * sizeof *s->begin);
    if (!s->time || most > s->room) {
        free(s->time);
        free(s->leaf);
        free(s->count);
        s->time = hsc_large_malloc((most + 1) * sizeof *s->time);
        s->leaf = hsc_large_malloc((most + 1) * sizeof *s->leaf);
        s->count = hsc_large_malloc((most + 1) * sizeof *s->count);
        s->room = most;
        s->same_to = 0;
    }
    return s->begin && s->time && s->leaf && s->count;
}

static void free_instants(jthread *t) {
    hsc_instants_fini(&t->instants);
    hsc_spill_list_fini(&t->instant_kinds);
    hsc_spill_list_fini(&t->kind_pairs);
}

static hsc_status read_series(void *ctx, size_t i, hsc_err *err) {
    series *s = &((series *)ctx)[i];
    join *j = s->x->j;
    uint64_t most = 0, n = 0;
    for (size_t k = 0; k < s->n; k++)
        most += j->threads.p[s->first + k]->instants.count;
    if (!reserve_series(s, most))
        return hsc_join_no_memory(err);
    for (size_t k = 0; k < s->n; k++) {
        jthread *t = j->threads.p[s->first + k];
        s->begin[k] = n;
        hsc_status status = hsc_cache_need_instants(j, t, err);
        if (status == HSC_OK && t->instants.count) /* another rank's: none */
            status = read_thread(s, t, &n, err);
        if (status != HSC_OK)
            return status;
        free_instants(t);
    }
    s->begin[s->n] = n;
    return HSC_OK;
}

/* What another rank has of the group's threads. */
static hsc_status send_series(const join *j, const series *s, hsc_err *err) {
    parcel a = {0};
    uint64_t n = s->begin[s->n];
    parcel_put(&a, s->begin, (s->n + 1) * sizeof *s->begin);
    parcel_put(&a, s->time, n * sizeof *s->time);
    parcel_put(&a, s->leaf, n * sizeof *s->leaf);
    parcel_put(&a, s->count, n * sizeof *s->count);
    hsc_status status = hsc_ranks_send(j, 0, &a, err);
    parcel_fini(&a);
    return status;
}

static hsc_status receive_series(const join *j, unsigned from, series *s, hsc_err *err) {
    parcel a = {0};
    hsc_status status = hsc_ranks_receive(j, from, &a, err);
    if (status == HSC_OK && (s->begin = malloc((s->n + 1) * sizeof *s->begin)))
        parcel_take(&a, s->begin, (s->n + 1) * sizeof *s->begin);
    uint64_t n = status == HSC_OK && s->begin && !a.failed ? s->begin[s->n] : 0;
    s->time = malloc((n + 1) * sizeof *s->time);
    s->leaf = malloc((n + 1) * sizeof *s->leaf);
    s->count = malloc((n + 1) * sizeof *s->count);
    if (status == HSC_OK && s->begin && s->time && s->leaf && s->count) {
        parcel_take(&a, s->time, n * sizeof *s->time);
        parcel_take(&a, s->leaf, n * sizeof *s->leaf);
        parcel_take(&a, s->count, n * sizeof *s->count);
        status = hsc_ranks_taken(&a, err);
    } else if (status == HSC_OK) {
        status = hsc_join_no_memory(err);
    }
    parcel_fini(&a);
    return status;
}

static bool has_any(const join *j, unsigned rank, const series *s) {
    bool any = false;
    for (size_t k = 0; !any && k < s->n; k++)
        any = j->threads.p[s->first + k]->process->owner == rank;
    return any;
}

/* A group into the store, each thread's samples from the rank that has them. */
static hsc_status put_series(const join *j, hsc_store *store, series *own, hsc_err *err) {
    unsigned ranks = hsc_ranks_count(j);
    if (!store)
        return has_any(j, j->team->rank, own) ? send_series(j, own, err) : HSC_OK;
    series *of = calloc(ranks, sizeof *of);
    hsc_status status = of ? HSC_OK : hsc_join_no_memory(err);
    for (unsigned r = 1; r < ranks && status == HSC_OK; r++) {
        of[r] = (series){.first = own->first, .n = own->n};
        if (has_any(j, r, own))
            status = receive_series(j, r, &of[r], err);
    }
    for (size_t k = 0; k < own->n && status == HSC_OK; k++) {
        unsigned owner = j->threads.p[own->first + k]->process->owner;
        const series *s = owner ? &of[owner] : own;
        status = hsc_store_put_times(store, s->begin[k + 1] - s->begin[k], s->time + s->begin[k], s->leaf + s->begin[k], s->count + s->begin[k],
                                     err);
    }
    for (unsigned r = 1; of && r < ranks; r++)
        free_series(&of[r]);
    free(of);
    return status;
}

/* ---- a thread in pieces ---- */

static bool may_be_long(const join *j, const jthread *t) { return !j->team && t->samples_by_time > 2 * HSC_TIMES_PIECE; }

/* Where an event that nobody announced is among its samples, their number is not known before they are read. */
static bool is_counted(const jthread *t, const uint32_t *leaf_of, uint64_t keys) {
    bool all = t->process->weight != 0;
    for (uint64_t i = t->plain_count; all && i < keys; i++)
        all = leaf_of[i] != HSC_NO_INDEX;
    return all;
}

typedef struct pieces {
    jinstants_reader r;
    hsc_times_looks look;
    uint32_t same; /* the first `filled` counts are that */
    size_t filled;
    uint32_t time[HSC_TIMES_PIECE + JINSTANTS_BLOCK], leaf[HSC_TIMES_PIECE + JINSTANTS_BLOCK], count[HSC_TIMES_PIECE + JINSTANTS_BLOCK];
} pieces;

/* The samples of r's block; false: some have no leaf. */
static bool take_block(const jthread *t, const jinstants_reader *r, size_t n, const uint32_t *leaf_of, uint32_t *leaf, uint32_t *count) {
    for (size_t i = 0; i < n && r->same; i++)
        count[i] = r->same;
    if (!r->same)
        memcpy(count, r->count, n * sizeof *count);
    return find_leaves(leaf_of, t->plain_count, r->kind, n, leaf);
}

/* The same behind the `held` ones that the piece has; counts that are there already are not written again. */
static bool take_more(const jthread *t, pieces *p, size_t held, size_t n, const uint32_t *leaf_of) {
    const jinstants_reader *r = &p->r;
    if (!r->same || r->same != p->same || held > p->filled) {
        p->filled = p->filled < held ? p->filled : held;
        if (r->same && !held) {
            p->same = r->same;
            p->filled = 0;
        }
    }
    memcpy(p->time + held, r->tick, n * sizeof *p->time);
    if (!r->same || r->same != p->same || held > p->filled)
        return take_block(t, r, n, leaf_of, p->leaf + held, p->count + held);
    for (size_t i = p->filled; i < held + n; i++)
        p->count[i] = r->same;
    p->filled = p->filled < held + n ? held + n : p->filled;
    return find_leaves(leaf_of, t->plain_count, r->kind, n, p->leaf + held);
}

static hsc_status lost(const jthread *t, hsc_err *err) {
    return hsc_err_set(err, HSC_E_IO, "%s: a sample by time is of nothing that was counted", t->process->path);
}

/* What the store looks at before it has the first piece. */
static hsc_status look_at(const join *j, const jthread *t, const uint32_t *leaf_of, pieces *p, hsc_err *err) {
    uint64_t at = 0;
    size_t got = 1;
    uint32_t leaf[JINSTANTS_BLOCK], count[JINSTANTS_BLOCK];
    hsc_status status = HSC_OK;
    p->r = (jinstants_reader){.list = &t->instants};
    for (unsigned k = 0; k < HSC_TIMES_LOOKS && status == HSC_OK && got; at += got) {
        status = hsc_instants_pass(j->spill, &p->r, hsc_times_look(t->instants.count, k), &at, &got, err);
        if (status == HSC_OK && !take_block(t, &p->r, got, leaf_of, leaf, count))
            status = lost(t, err);
        for (size_t i = 0; i < got && k < HSC_TIMES_LOOKS && status == HSC_OK;) { /* looks follow one another */
            uint64_t first = hsc_times_look(t->instants.count, k), begin = at + i < first ? first : at + i, to = k * HSC_TIMES_LOOK + (begin - first);
            uint64_t end = at + got < first + HSC_TIMES_LOOK ? at + got : first + HSC_TIMES_LOOK;
            for (i = (size_t)(begin - at); at + i < end; i++, to++) {
                p->look.leaf[to] = leaf[i];
                p->look.count[to] = count[i];
            }
            k += at + i == first + HSC_TIMES_LOOK;
            if (at + i < first)
                break;
        }
    }
    hsc_instants_reader_fini(&p->r);
    return status;
}

/* ---- threads that grew ---- */

static jgrown_thread *noted_of(const jthread *t) {
    jgrown *g = t->process->grows;
    for (size_t i = 0; g && i < g->threads.n; i++)
        if (g->threads.p[i].id == t->id)
            return &g->threads.p[i];
    return NULL;
}

static int by_first(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Rows of leaf by the thread's numbers as they are now, and of scopes then and now, `scopes` of them; false: some are gone, or stand in another order. */
static bool find_rows(const times *x, const jgrown_thread *t, uint32_t *leaf_of, uint32_t (*pairs)[2], uint32_t *then, uint32_t *now, uint64_t *scopes) {
    size_t n = 0, m = 0;
    bool good = true;
    for (size_t i = 0; good && i < t->leaves.n; i++) {
        const jgrown_leaf *l = &t->leaves.p[i];
        leaf_of[i] = hsc_table_get(&x->named, l->what, 0);
        good = leaf_of[i] < x->n;
        if (good) {
            pairs[n][0] = l->scope, pairs[n++][1] = x->scopes[leaf_of[i]];
            pairs[n][0] = l->procedure, pairs[n++][1] = x->procedures[leaf_of[i]];
        }
    }
    if (n > 1)
        qsort(pairs, n, sizeof *pairs, by_first);
    for (size_t i = 0; good && i < n; i++) {
        if (m && then[m - 1] == pairs[i][0] && now[m - 1] == pairs[i][1])
            continue;
        good = !m || (then[m - 1] < pairs[i][0] && now[m - 1] < pairs[i][1]);
        then[m] = pairs[i][0];
        now[m++] = pairs[i][1];
    }
    *scopes = m;
    return good;
}

/* HSC_E_IO and j->bad_grown: it is not what it was. */
static hsc_status go_on(times *x, const jthread *t, hsc_store *store, hsc_err *err) {
    const jgrown_thread *g = t->gone_on;
    size_t n = g->leaves.n;
    uint32_t *leaf_of = malloc((n + 1) * sizeof *leaf_of), *then = malloc((2 * n + 1) * sizeof *then), *now = malloc((2 * n + 1) * sizeof *now);
    uint32_t(*pairs)[2] = malloc((2 * n + 1) * sizeof *pairs);
    hsc_times_grown as = {.thread = (uint32_t)g->row, .mark = g->mark.p, .mark_words = g->mark.n, .leaf_of = leaf_of, .numbers = n, .scope_then = then, .scope_now = now};
    hsc_status status = leaf_of && then && now && pairs ? HSC_OK : hsc_join_no_memory(err);
    if (status == HSC_OK && !(x->names && find_rows(x, g, leaf_of, pairs, then, now, &as.scopes)))
        status = hsc_err_set(err, HSC_E_IO, "%s: what its first samples are of is not what it was", t->process->path);
    if (status == HSC_OK)
        status = hsc_store_go_on_thread_times(store, g->samples + t->instants.count, &as, err);
    if (status == HSC_E_IO)
        x->j->bad_grown = true;
    x->j->summary->times_grown++;
    free(leaf_of);
    free(then);
    free(now);
    free(pairs);
    return status;
}

/* What the store left for the next join, with what the leaves are. */
static bool note_mark(const times *x, const jthread *t, uint64_t all, hsc_store *store) {
    jgrown_thread *g = x->names ? noted_of(t) : NULL;
    uint64_t *words = NULL, numbers = 0;
    size_t n = 0;
    bool is_coarse, ok = true;
    hsc_store_take_mark(store, &words, &n);
    if (!g || !n || !hsc_store_read_mark(words, n, &g->packed, &numbers, &is_coarse) || numbers > n) {
        free(words);
        return true;
    }
    g->row = t->row;
    g->all = all;
    g->mark.p = words;
    g->mark.n = g->mark.cap = n;
    for (uint64_t i = 0; ok && i < numbers; i++) {
        uint64_t row = words[n - numbers + i];
        ok = row < x->n && HSC_PUSH(g->leaves, (jgrown_leaf){x->names[row], x->scopes[row], x->procedures[row]});
    }
    return ok;
}

static hsc_status put_pieces(times *x, const jthread *t, const uint32_t *leaf_of, pieces *p, hsc_store *store, hsc_err *err) {
    const join *j = x->j;
    size_t held = 0, got = 1;
    uint64_t all = t->instants.count + hsc_grown_samples(t), known = t->gone_on ? t->gone_on->packed - t->gone_on->samples : 0; /* known: samples that the store has */
    hsc_status status = t->gone_on ? go_on(x, t, store, err) : look_at(j, t, leaf_of, p, err);
    if (status == HSC_OK && !t->gone_on)
        status = hsc_store_begin_thread_times(store, all, &p->look, err);
    p->r = (jinstants_reader){.list = &t->instants};
    while (status == HSC_OK && got) {
        status = hsc_instants_read(j->spill, &p->r, &got, err);
        if (status == HSC_OK && !take_more(t, p, held, got, leaf_of))
            status = lost(t, err);
        if (known) { /* nothing is held */
            size_t passed = known < got ? (size_t)known : got;
            known -= passed;
            memmove(p->time, p->time + passed, (got - passed) * sizeof *p->time);
            memmove(p->leaf, p->leaf + passed, (got - passed) * sizeof *p->leaf);
            memmove(p->count, p->count + passed, (got - passed) * sizeof *p->count);
            held -= passed;
        }
        held += got;
        if (status == HSC_OK && (held >= HSC_TIMES_PIECE || !got)) {
            size_t n = held < HSC_TIMES_PIECE ? held : HSC_TIMES_PIECE;
            status = hsc_store_put_part_times(store, n, p->time, p->leaf, p->count, err);
            held -= n;
            memmove(p->time, p->time + n, held * sizeof *p->time);
            memmove(p->leaf, p->leaf + n, held * sizeof *p->leaf);
            memmove(p->count, p->count + n, held * sizeof *p->count);
            if (p->filled < n + held)
                p->filled = p->filled > n ? p->filled - n : 0;
        }
    }
    hsc_instants_reader_fini(&p->r);
    if (status == HSC_OK)
        status = hsc_store_end_thread_times(store, err);
    if (t->gone_on && status == HSC_E_ARGUMENT) /* what it had before does not go before it */
        x->j->bad_grown = true;
    return status != HSC_OK || note_mark(x, t, all, store) ? status : hsc_join_no_memory(err);
}

/* *done false: it is not put that way. *p is made where there is none. */
static hsc_status put_long(times *x, jthread *t, pieces **p, hsc_store *store, bool *done, hsc_err *err) {
    join *j = x->j;
    uint32_t *leaf_of = NULL;
    uint64_t keys = 0;
    *done = false;
    if (!may_be_long(j, t))
        return HSC_OK;
    hsc_status status = hsc_cache_need_instants(x->j, t, err);
    if (status == HSC_OK)
        status = read_keys(x, t, &leaf_of, &keys, err);
    if (status == HSC_OK && (leaf_of ? is_counted(t, leaf_of, keys) : t->has_kinds)) {
        *p = *p ? *p : calloc(1, sizeof **p);
        status = *p ? put_pieces(x, t, leaf_of ? leaf_of : x->row_of, *p, store, err) : hsc_join_no_memory(err);
        *done = true;
        free_instants(t);
    }
    if (status == HSC_OK && t->gone_on && !*done) { /* it has become another kind of thread */
        j->bad_grown = true;
        status = lost(t, err);
    }
    free(leaf_of);
    return status;
}

/* All threads in their order, as many groups at a time as there are workers. */
hsc_status hsc_join_put_series(times *x, hsc_store *store, hsc_err *err) {
    join *j = x->j;
    size_t most = j->team ? RANK_GROUPS : j->workers;
    series *groups = calloc(most, sizeof *groups);
    pieces *in_pieces = NULL;
    uint64_t room = (j->team ? RANK_GROUP_BYTES : hsc_join_part_of_memory(j, 16 * most, GROUP_BYTES_LEAST, GROUP_BYTES)) / SAMPLE_BYTES;
    hsc_status status = groups ? HSC_OK : hsc_join_no_memory(err);
    for (size_t i = 0; i < x->first && status == HSC_OK; i++)
        if (!hsc_grown_carry(j->threads.p[i]->process, j->threads.p[i]))
            status = hsc_join_no_memory(err);
    for (size_t at = x->first; at < j->threads.n && status == HSC_OK;) {
        size_t n = 0;
        bool done = false;
        status = put_long(x, j->threads.p[at], &in_pieces, store, &done, err);
        at += done;
        for (; n < most && at < j->threads.n && !done; n++) {
            groups[n].x = x;
            groups[n].first = at;
            uint64_t samples = 0;
            do
                samples += j->threads.p[at++]->samples_by_time;
            while (at < j->threads.n && samples + j->threads.p[at]->samples_by_time <= room && at - groups[n].first < 4096 && !may_be_long(j, j->threads.p[at]));
            groups[n].n = at - groups[n].first;
            done = at < j->threads.n && may_be_long(j, j->threads.p[at]);
        }
        if (status == HSC_OK && n)
            status = hsc_join_each(j, n, read_series, groups, "times", err);
        for (size_t k = 0; k < n && status == HSC_OK; k++)
            status = put_series(j, store, &groups[k], err);
    }
    for (size_t k = 0; groups && k < most; k++)
        free_series(&groups[k]);
    free(groups);
    free(in_pieces);
    return status;
}
