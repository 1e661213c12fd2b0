/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Value tables: for each thread the rows that its samples count in, a block of threads at a time.
 *
 * Inclusive values: "with the scope anywhere on the path, once". A context where a scope is entered for the first time
 * on its path counts with its whole subtree; deeper entries of the same scope (recursion) do not count again. */
#include <stdlib.h>
#include <string.h>

#include "../store/store.h"
#include "made.h"
#include "ranks.h"
#include "rowset.h"

typedef struct cell {
    uint32_t row, count;
} cell;

typedef struct cells { /* of one thread, in row order */
    HSC_VEC(cell) list;
} cells;

typedef struct scratch { /* of one worker, all zero between threads */
    uint64_t *sums; /* by context */
    rowset contexts;
    uint64_t *values; /* by row of the table */
    rowset rows;
    size_t used; /* rows of the thread */
    struct scratch *next;
} scratch;

typedef struct scratches {
    uint64_t rows;        /* of the table that has most */
    pthread_mutex_t lock; /* of free */
    scratch *free;
} scratches;

typedef struct table_job {
    join *j;
    scratches *scratches; /* of all jobs */
    uint32_t metric;
    hsc_db_table table;
    unsigned owner; /* rank that puts it together */
    uint64_t rows;
    const uint32_t *leaf_of; /* by kind: its row of /time/leaf, in place of a row of `table`; NULL */
    size_t first;     /* thread of cells[0] */
    cells *cells;     /* BLOCK_THREADS */
    /* by context: what is entered there for the first time on the path: static scopes, or the line of the call */
    uint64_t *first_begin;
    HSC_VEC(uint32_t) firsts;
} table_job;

/* ---- first entries on a path ---- */

static uint32_t parent_scope(const join *j, uint32_t s) {
    return s ? j->scopes.p[s].parent : HSC_NO_INDEX;
}

static hsc_status find_first_scopes(table_job *job, hsc_err *err) {
    const join *j = job->j;
    uint32_t *open = calloc(j->scopes.n + 1, sizeof *open), *stack = malloc((j->contexts.n + 1) * sizeof *stack);
    size_t depth = 0;
    bool ok = open && stack;
    for (size_t c = 0; ok && c < j->contexts.n; c++) {
        while (depth && j->subtree_ends.p[stack[depth - 1]] <= c) {
            uint32_t left = stack[--depth];
            for (uint32_t s = j->contexts.p[left].scope; s != HSC_NO_INDEX; s = parent_scope(j, s))
                open[s]--;
        }
        stack[depth++] = (uint32_t)c;
        job->first_begin[c] = job->firsts.n;
        for (uint32_t s = j->contexts.p[c].scope; s != HSC_NO_INDEX; s = parent_scope(j, s))
            if (!open[s]++)
                ok = ok && HSC_PUSH(job->firsts, s);
    }
    job->first_begin[j->contexts.n] = job->firsts.n;
    free(open);
    free(stack);
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

static hsc_status find_first_lines(table_job *job, hsc_err *err) {
    const join *j = job->j;
    uint32_t *open = calloc(j->lines.n + 1, sizeof *open), *stack = malloc((j->contexts.n + 1) * sizeof *stack);
    size_t depth = 0;
    bool ok = open && stack;
    for (size_t c = 0; ok && c < j->contexts.n; c++) {
        while (depth && j->subtree_ends.p[stack[depth - 1]] <= c) {
            uint32_t line = j->contexts.p[stack[--depth]].call_line;
            if (line != HSC_NO_INDEX)
                open[line]--;
        }
        stack[depth++] = (uint32_t)c;
        job->first_begin[c] = job->firsts.n;
        uint32_t line = j->contexts.p[c].call_line;
        if (line != HSC_NO_INDEX && !open[line]++)
            ok = HSC_PUSH(job->firsts, line);
    }
    job->first_begin[j->contexts.n] = job->firsts.n;
    free(open);
    free(stack);
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

static bool is_line_on_path(const join *j, uint32_t context, uint32_t line) {
    for (uint32_t c = context; c; c = j->contexts.p[c].parent)
        if (j->contexts.p[c].call_line == line)
            return true;
    return false;
}

/* ---- one thread ---- */

static void free_scratch(scratch *w) {
    if (!w)
        return;
    free(w->sums);
    free(w->values);
    rowset_fini(&w->contexts);
    rowset_fini(&w->rows);
    free(w);
}

static scratch *take_scratch(const table_job *job) {
    scratches *all = job->scratches;
    pthread_mutex_lock(&all->lock);
    scratch *w = all->free;
    if (w)
        all->free = w->next;
    pthread_mutex_unlock(&all->lock);
    if (w)
        return w;
    w = calloc(1, sizeof *w);
    if (w) {
        w->sums = calloc(job->j->contexts.n + 1, sizeof *w->sums);
        w->values = calloc(all->rows + 1, sizeof *w->values);
    }
    if (w && w->sums && w->values && rowset_init(&w->contexts, job->j->contexts.n) && rowset_init(&w->rows, all->rows))
        return w;
    free_scratch(w);
    return NULL;
}

static void give_scratch(const table_job *job, scratch *w) {
    scratches *all = job->scratches;
    pthread_mutex_lock(&all->lock);
    w->next = all->free;
    all->free = w;
    pthread_mutex_unlock(&all->lock);
}

static void count(scratch *w, uint64_t row, uint64_t n) {
    w->used += rowset_add(&w->rows, row);
    w->values[row] += n;
}

typedef struct profile { /* of a thread */
    const jcount *p;
    size_t n;
} profile;

/* Sums over subtrees of the leaves of one category (the number of them: all), as (first entry's row * stride + offset). */
static void sum_subtrees(const table_job *job, const profile *t, unsigned category, uint64_t stride, uint64_t offset,
                         scratch *w) {
    const join *j = job->j;
    for (size_t i = 0; i < t->n; i++) {
        const jkind *k = &j->kinds.p[t->p[i].kind];
        if (k->metric != job->metric || (category < j->categories.n && hsc_join_category_of(j, k) != category))
            continue;
        for (uint32_t c = k->context; rowset_add(&w->contexts, c) && c;)
            c = j->contexts.p[c].parent;
        w->sums[k->context] += t->p[i].count;
    }
    for (size_t c = j->contexts.n; rowset_take_last(&w->contexts, &c);) { /* children have larger rows than their parents */
        uint64_t sum = w->sums[c];
        w->sums[c] = 0;
        for (uint64_t k = job->first_begin[c]; sum && k < job->first_begin[c + 1]; k++)
            count(w, job->firsts.p[k] * stride + offset, sum);
        if (c)
            w->sums[j->contexts.p[c].parent] += sum;
    }
}

static void exclusive(const table_job *job, const profile *t, scratch *w) {
    const join *j = job->j;
    for (size_t i = 0; i < t->n; i++) {
        const jkind *k = &j->kinds.p[t->p[i].kind];
        uint32_t row = HSC_NO_INDEX;
        if (k->metric != job->metric)
            continue;
        switch (job->table) {
        case HSC_TABLE_LINE:
            row = k->line;
            break;
        case HSC_TABLE_SCOPE_EXCL:
            row = j->contexts.p[k->context].scope;
            break;
        case HSC_TABLE_CONTEXT_EXCL:
            row = k->context;
            break;
        case HSC_TABLE_INSTANCE:
            row = k->instance;
            break;
        default:
            break;
        }
        if (row != HSC_NO_INDEX && t->p[i].count)
            count(w, row, t->p[i].count);
    }
}

static void by_leaf(const table_job *job, const profile *t, scratch *w) {
    for (size_t i = 0; i < t->n; i++) {
        uint32_t row = job->leaf_of[t->p[i].kind];
        if (row != HSC_NO_INDEX && t->p[i].count)
            count(w, row, t->p[i].count);
    }
}

static void inclusive(const table_job *job, const profile *t, scratch *w) {
    const join *j = job->j;
    if (job->table == HSC_TABLE_SCOPE_CATEGORY) {
        uint32_t met = 0; /* categories, a bit each */
        for (size_t i = 0; i < t->n; i++)
            if (j->kinds.p[t->p[i].kind].metric == job->metric)
                met |= 1u << hsc_join_category_of(j, &j->kinds.p[t->p[i].kind]);
        for (unsigned k = 0; k < j->categories.n; k++)
            if (met >> k & 1)
                sum_subtrees(job, t, k, j->categories.n, k, w);
    } else {
        sum_subtrees(job, t, (unsigned)j->categories.n, 1, 0, w);
    }
    if (job->table == HSC_TABLE_LINE_INCL)
        for (size_t i = 0; i < t->n; i++) {
            const jkind *k = &j->kinds.p[t->p[i].kind];
            if (k->metric == job->metric && k->line != HSC_NO_INDEX && t->p[i].count && !is_line_on_path(j, k->context, k->line))
                count(w, k->line, t->p[i].count);
        }
}

static hsc_status by_instruction(const table_job *job, const jthread *t, scratch *w, hsc_err *err) {
    const join *j = job->j;
    hsc_spill_cursor c = {.list = &t->places};
    jplace_count list[1024];
    uint64_t got = 1;
    hsc_status status = HSC_OK;
    while (status == HSC_OK && t->places.count && got) {
        status = hsc_spill_read(j->spill, &c, list, sizeof list / sizeof *list, &got, err);
        for (uint64_t i = 0; status == HSC_OK && i < got; i++) {
            uint32_t row = j->places.p[list[i].place].instruction;
            if (j->metric_rows[list[i].metric & 255] == job->metric && row != HSC_NO_INDEX)
                count(w, row, list[i].count);
        }
    }
    return status;
}

static hsc_status fill_thread(void *ctx, size_t i, hsc_err *err) {
    table_job *job = ctx;
    cells *out = &job->cells[i];
    const jthread *of = job->j->threads.p[job->first + i];
    jcount *list = NULL;
    profile t = {0};
    hsc_status status = HSC_OK;
    out->list.n = 0;
    if (!hsc_ranks_has(job->j, of->process))
        return HSC_OK;
    if (job->table != HSC_TABLE_INSTRUCTION)
        status = hsc_join_load_profile(job->j, of, &list, &t.n, err);
    scratch *w = status == HSC_OK ? take_scratch(job) : NULL;
    if (status != HSC_OK || !w) {
        free(list);
        return status != HSC_OK ? status : hsc_join_no_memory(err);
    }
    t.p = list;
    if (job->leaf_of)
        by_leaf(job, &t, w);
    else if (job->table == HSC_TABLE_INSTRUCTION)
        status = by_instruction(job, of, w, err);
    else if (job->first_begin)
        inclusive(job, &t, w);
    else
        exclusive(job, &t, w);
    free(list);
    bool ok = HSC_RESERVE(out->list, w->used + 1);
    for (size_t row = 0; rowset_take_first(&w->rows, &row); w->values[row] = 0)
        if (ok)
            out->list.p[out->list.n++] = (cell){(uint32_t)row, w->values[row] < UINT32_MAX ? (uint32_t)w->values[row] : UINT32_MAX};
    w->used = 0;
    give_scratch(job, w);
    return status != HSC_OK ? status : ok ? HSC_OK : hsc_join_no_memory(err);
}

/* ---- all threads ---- */

#define BLOCK_THREADS 256u
#define BLOCK_BYTES ((uint64_t)8 << 20)      /* of the profiles of a block; some four times as much is held */
#define BLOCK_BYTES_LEAST ((uint64_t)1 << 18)
#define CELLS_KEPT 65536u /* of a thread, from one block to the next */

static hsc_status put_block(table_job *job, hsc_store *store, size_t n, hsc_err *err) {
    uint64_t indptr[BLOCK_THREADS + 1] = {0};
    for (size_t t = 0; t < n; t++)
        indptr[t + 1] = indptr[t] + job->cells[t].list.n;
    uint32_t *indices = malloc((indptr[n] + 1) * sizeof *indices), *counts = malloc((indptr[n] + 1) * sizeof *counts);
    hsc_status status = indices && counts ? HSC_OK : hsc_join_no_memory(err);
    for (size_t t = 0; status == HSC_OK && t < n; t++)
        for (size_t k = 0; k < job->cells[t].list.n; k++) {
            indices[indptr[t] + k] = job->cells[t].list.p[k].row;
            counts[indptr[t] + k] = job->cells[t].list.p[k].count;
        }
    if (status == HSC_OK)
        status = job->leaf_of ? hsc_store_put_counts(store, n, indptr, indices, counts, err) : hsc_store_put_threads(store, n, indptr, indices, counts, err);
    free(indices);
    free(counts);
    return status;
}

/* The cells of a block's n threads, from the ranks that have made them to the one that puts the table together. */
static hsc_status gather(table_job *job, size_t n, hsc_err *err) {
    join *j = job->j;
    hsc_status status = HSC_OK;
    unsigned me = j->team ? j->team->rank : 0;
    bool owns = me == job->owner;
    for (unsigned from = 0; status == HSC_OK && from < hsc_ranks_count(j); from++) {
        parcel a = {0};
        bool any = false;
        for (size_t t = 0; from != job->owner && (owns || from == me) && t < n; t++)
            any = any || j->threads.p[job->first + t]->process->owner == from;
        if (any && owns)
            status = hsc_ranks_receive(j, from, &a, err);
        for (size_t t = 0; any && status == HSC_OK && t < n; t++)
            if (j->threads.p[job->first + t]->process->owner != from)
                continue;
            else if (owns)
                PARCEL_TAKE_VEC(&a, job->cells[t].list);
            else
                PARCEL_VEC(&a, job->cells[t].list);
        if (any && !owns)
            status = hsc_ranks_send(j, job->owner, &a, err);
        status = status == HSC_OK ? hsc_ranks_taken(&a, err) : status;
        parcel_fini(&a);
    }
    return status;
}

/* Of all threads, each by itself: about as many values a table has. */
static uint64_t count_kinds(const join *j) {
    uint64_t n = 0;
    for (size_t i = 0; i < j->threads.n; i++)
        n += j->threads.p[i]->counts;
    return n;
}

static cells *new_cells(void) { return calloc(BLOCK_THREADS, sizeof(cells)); }

static void free_cells(cells *all) {
    for (size_t t = 0; all && t < BLOCK_THREADS; t++)
        free(all[t].list.p);
    free(all);
}

static void forget_large(cells *all) {
    for (size_t t = 0; t < BLOCK_THREADS; t++)
        if (all[t].list.cap > CELLS_KEPT) {
            free(all[t].list.p);
            all[t] = (cells){0};
        }
}

/* Blocks of threads from `first` on of all jobs; own: the one that this rank puts together in the store, NULL: none. So the ranks put at the same time. */
static hsc_status put_blocks(join *j, table_job *jobs, size_t n_jobs, table_job *own, size_t first, hsc_store *store, hsc_err *err) {
    uint64_t most = j->team ? BLOCK_BYTES : hsc_join_part_of_memory(j, 32, BLOCK_BYTES_LEAST, BLOCK_BYTES); /* the same on all ranks */
    cells *owned = new_cells(), *others = new_cells();
    hsc_status status = owned && others ? HSC_OK : hsc_join_no_memory(err);
    for (size_t n; first < j->threads.n && status == HSC_OK; first += n) {
        uint64_t held = 0;
        for (n = 0; n < BLOCK_THREADS && first + n < j->threads.n && (!n || held * sizeof(jcount) < most); n++)
            held += j->threads.p[first + n]->counts;
        for (table_job *job = jobs; status == HSC_OK && job < jobs + n_jobs; job++) {
            job->first = first;
            job->cells = job == own ? owned : others;
            status = hsc_join_each(j, n, fill_thread, job, "adding up", err);
            if (status == HSC_OK)
                status = gather(job, n, err);
        }
        if (status == HSC_OK && own)
            status = put_block(own, store, n, err);
        forget_large(owned);
        forget_large(others);
    }
    free_cells(owned);
    free_cells(others);
    return status;
}

static void end_scratches(scratches *all) {
    for (scratch *w; (w = all->free); free_scratch(w))
        all->free = w->next;
    pthread_mutex_destroy(&all->lock);
}

static hsc_status put(join *j, table_job *jobs, size_t n, table_job *own, hsc_store *store, hsc_err *err) {
    hsc_status status = HSC_OK;
    uint32_t kept = own && !j->team ? hsc_made_kept_threads(j, own->metric, own->table) : 0;
    bool is_kept = false;
    if (own) {
        hsc_store_expect_values(store, count_kinds(j));
        status = hsc_store_begin_values(store, own->metric, own->table, own->rows, (uint32_t)j->threads.n, err);
    }
    if (status == HSC_OK && kept)
        status = hsc_store_keep_threads(store, kept, &is_kept, err);
    if (is_kept) {
        j->summary->threads_kept = kept;
        j->summary->tables_kept++;
    }
    if (status == HSC_OK)
        status = put_blocks(j, jobs, n, own, is_kept ? kept : 0, store, err);
    return status == HSC_OK && own ? hsc_store_end_values(store, err) : status;
}

hsc_status hsc_join_put_counts(join *j, hsc_store *store, const uint32_t *leaf_of, uint64_t leaves, hsc_err *err) {
    scratches all = {.rows = leaves, .lock = PTHREAD_MUTEX_INITIALIZER};
    table_job job = {.j = j, .scratches = &all, .table = HSC_TABLE_LINE, .leaf_of = leaf_of, .rows = leaves};
    hsc_status status = store ? hsc_store_begin_counts(store, err) : HSC_OK;
    if (status == HSC_OK)
        status = put_blocks(j, &job, 1, store ? &job : NULL, 0, store, err);
    if (status == HSC_OK && store)
        status = hsc_store_end_counts(store, err);
    end_scratches(&all);
    return status;
}

/* ---- tables that other ranks put together ---- */

typedef struct peer {
    join *j;
    unsigned rank;
} peer;

static hsc_status give_piece(void *ctx, const void *bytes, size_t n, hsc_err *err) {
    const peer *to = ctx;
    return to->j->team->send(to->j->team->ctx, to->rank, bytes, n, err);
}

static hsc_status take_piece(void *ctx, void **bytes, size_t *n, hsc_err *err) {
    const peer *from = ctx;
    return from->j->team->receive(from->j->team->ctx, from->rank, bytes, n, err);
}

/* From their owners into rank 0's file, in their order. */
static hsc_status pass_on(join *j, const table_job *jobs, size_t n, hsc_store *store, hsc_err *err) {
    hsc_status status = HSC_OK;
    unsigned me = j->team ? j->team->rank : 0;
    for (const table_job *job = jobs; status == HSC_OK && job < jobs + n; job++) {
        peer other = {j, me ? 0 : job->owner};
        if (me && job->owner == me)
            status = hsc_store_send_values(store, give_piece, &other, err);
        else if (!me && job->owner)
            status = hsc_store_take_values(store, job->metric, job->table, job->rows, (uint32_t)j->threads.n, take_piece, &other, err);
    }
    return status;
}

static hsc_status begin_job(table_job *job, const hsc_join_table *of, hsc_err *err) {
    const join *j = job->j;
    uint64_t rows = 0;
    hsc_status status = HSC_OK;
    job->metric = of->metric;
    job->table = of->table;
    switch (of->table) {
    case HSC_TABLE_LINE:
    case HSC_TABLE_LINE_INCL:
        rows = j->lines.n;
        break;
    case HSC_TABLE_SCOPE_EXCL:
    case HSC_TABLE_SCOPE_INCL:
        rows = j->scopes.n;
        break;
    case HSC_TABLE_SCOPE_CATEGORY:
        rows = j->scopes.n * (uint64_t)j->categories.n;
        break;
    case HSC_TABLE_CONTEXT_EXCL:
        rows = j->contexts.n;
        break;
    case HSC_TABLE_INSTANCE:
        rows = j->instances.n;
        break;
    case HSC_TABLE_INSTRUCTION:
        rows = hsc_join_instruction_rows(j);
        break;
    default:
        return hsc_err_set(err, HSC_E_ARGUMENT, "table %d is not made by the join", (int)of->table);
    }
    job->rows = rows;
    if (rows >= HSC_NO_INDEX)
        return hsc_err_set(err, HSC_E_LIMIT, "table %d would have %llu rows, more than 32 bits can number", (int)of->table,
                           (unsigned long long)rows);
    bool by_scope = of->table == HSC_TABLE_SCOPE_INCL || of->table == HSC_TABLE_SCOPE_CATEGORY;
    if (by_scope || of->table == HSC_TABLE_LINE_INCL) {
        job->first_begin = malloc((j->contexts.n + 1) * sizeof *job->first_begin);
        status = !job->first_begin ? hsc_join_no_memory(err)
                 : by_scope        ? find_first_scopes(job, err)
                                   : find_first_lines(job, err);
    }
    return status;
}

hsc_status hsc_join_put_tables(join *j, hsc_store *store, const hsc_join_table *tables, size_t n, hsc_err *err) {
    scratches all = {.lock = PTHREAD_MUTEX_INITIALIZER};
    table_job *jobs = calloc(n, sizeof *jobs), *own = NULL;
    hsc_status status = jobs ? HSC_OK : hsc_join_no_memory(err);
    unsigned me = j->team ? j->team->rank : 0, first = hsc_ranks_count(j) > n; /* rank 0 has enough to do where the others are as many as tables */
    for (size_t i = 0; status == HSC_OK && i < n; i++) {
        jobs[i] = (table_job){.j = j, .scratches = &all, .owner = first + (unsigned)i};
        own = jobs[i].owner == me ? &jobs[i] : own;
        status = begin_job(&jobs[i], &tables[i], err);
        all.rows = all.rows < jobs[i].rows ? jobs[i].rows : all.rows;
    }
    if (status == HSC_OK)
        status = put(j, jobs, n, own, store, err);
    if (status == HSC_OK)
        status = pass_on(j, jobs, n, store, err);
    for (size_t i = 0; jobs && i < n; i++) {
        free(jobs[i].first_begin);
        free(jobs[i].firsts.p);
    }
    free(jobs);
    end_scratches(&all);
    return status;
}
