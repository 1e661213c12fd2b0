/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Value tables: for each thread the rows that its samples count in, then all threads' rows in row order.
 *
 * Inclusive values: "with the scope anywhere on the path, once". A context where a scope is entered for the first time
 * on its path counts with its whole subtree; deeper entries of the same scope (recursion) do not count again. */
#include <stdlib.h>
#include <string.h>

#include "../store/store.h"
#include "join_internal.h"
#include "rowset.h"

typedef struct cell {
    uint32_t row, count;
} cell;

typedef struct cells { /* of one thread, in row order */
    cell *p;
    size_t n;
} cells;

typedef struct scratch { /* of one worker, all zero between threads */
    uint64_t *sums; /* by context */
    rowset contexts;
    uint64_t *values; /* by row of the table */
    rowset rows;
    size_t used; /* rows of the thread */
    struct scratch *next;
} scratch;

typedef struct table_job {
    join *j;
    uint32_t metric;
    hsc_db_table table;
    uint64_t rows;
    cells *of_thread; /* by row of the thread table */
    /* by context: what is entered there for the first time on the path: static scopes, or the line of the call */
    uint64_t *first_begin;
    HSC_VEC(uint32_t) firsts;
    pthread_mutex_t lock; /* of free */
    scratch *free;
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

static scratch *take_scratch(table_job *job) {
    pthread_mutex_lock(&job->lock);
    scratch *w = job->free;
    if (w)
        job->free = w->next;
    pthread_mutex_unlock(&job->lock);
    if (w)
        return w;
    w = calloc(1, sizeof *w);
    if (w) {
        w->sums = calloc(job->j->contexts.n + 1, sizeof *w->sums);
        w->values = calloc(job->rows + 1, sizeof *w->values);
    }
    if (w && w->sums && w->values && rowset_init(&w->contexts, job->j->contexts.n) && rowset_init(&w->rows, job->rows))
        return w;
    free_scratch(w);
    return NULL;
}

static void give_scratch(table_job *job, scratch *w) {
    pthread_mutex_lock(&job->lock);
    w->next = job->free;
    job->free = w;
    pthread_mutex_unlock(&job->lock);
}

static void count(scratch *w, uint64_t row, uint64_t n) {
    w->used += rowset_add(&w->rows, row);
    w->values[row] += n;
}

static unsigned category_of(const join *j, const jleaf *leaf) {
    return leaf->state ? leaf->state - 1u : j->context_categories.p[leaf->context];
}

/* Sums over subtrees of the leaves of one category (the number of them: all), as (first entry's row * stride + offset). */
static void sum_subtrees(const table_job *job, const jthread *t, unsigned category, uint64_t stride, uint64_t offset,
                         scratch *w) {
    const join *j = job->j;
    for (size_t i = 0; i < t->leaves.n; i++) {
        const jleaf *leaf = &t->leaves.p[i];
        if (leaf->metric != job->metric || (category < j->categories.n && category_of(j, leaf) != category))
            continue;
        for (uint32_t c = leaf->context; rowset_add(&w->contexts, c) && c;)
            c = j->contexts.p[c].parent;
        w->sums[leaf->context] += leaf->count;
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

static void exclusive(const table_job *job, const jthread *t, scratch *w) {
    const join *j = job->j;
    if (job->table == HSC_TABLE_INSTRUCTION) {
        for (size_t i = 0; i < t->addresses.n; i++)
            if (t->addresses.p[i].metric == job->metric && j->places.p[t->addresses.p[i].place].instruction != HSC_NO_INDEX)
                count(w, j->places.p[t->addresses.p[i].place].instruction, t->addresses.p[i].count);
        return;
    }
    for (size_t i = 0; i < t->leaves.n; i++) {
        const jleaf *leaf = &t->leaves.p[i];
        uint32_t row = HSC_NO_INDEX;
        if (leaf->metric != job->metric)
            continue;
        switch (job->table) {
        case HSC_TABLE_LINE:
            row = leaf->line;
            break;
        case HSC_TABLE_SCOPE_EXCL:
            row = j->contexts.p[leaf->context].scope;
            break;
        case HSC_TABLE_CONTEXT_EXCL:
            row = leaf->context;
            break;
        case HSC_TABLE_INSTANCE:
            row = leaf->instance;
            break;
        default:
            break;
        }
        if (row != HSC_NO_INDEX && leaf->count)
            count(w, row, leaf->count);
    }
}

static void inclusive(const table_job *job, const jthread *t, scratch *w) {
    const join *j = job->j;
    if (job->table == HSC_TABLE_SCOPE_CATEGORY) {
        for (unsigned k = 0; k < j->categories.n; k++)
            if (t->total[k] || job->metric)
                sum_subtrees(job, t, k, j->categories.n, k, w);
    } else {
        sum_subtrees(job, t, (unsigned)j->categories.n, 1, 0, w);
    }
    if (job->table == HSC_TABLE_LINE_INCL)
        for (size_t i = 0; i < t->leaves.n; i++) {
            const jleaf *leaf = &t->leaves.p[i];
            if (leaf->metric == job->metric && leaf->line != HSC_NO_INDEX && leaf->count &&
                !is_line_on_path(j, leaf->context, leaf->line))
                count(w, leaf->line, leaf->count);
        }
}

static hsc_status fill_thread(void *ctx, size_t i, hsc_err *err) {
    table_job *job = ctx;
    cells *out = &job->of_thread[i];
    const jthread *t = job->j->threads.p[i];
    scratch *w = take_scratch(job);
    if (!w)
        return hsc_join_no_memory(err);
    if (job->first_begin)
        inclusive(job, t, w);
    else
        exclusive(job, t, w);
    out->p = malloc((w->used + 1) * sizeof *out->p);
    for (size_t row = 0; rowset_take_first(&w->rows, &row); w->values[row] = 0)
        if (out->p)
            out->p[out->n++] = (cell){(uint32_t)row, w->values[row] < UINT32_MAX ? (uint32_t)w->values[row] : UINT32_MAX};
    w->used = 0;
    give_scratch(job, w);
    return out->p ? HSC_OK : hsc_join_no_memory(err);
}

/* ---- all threads, by row ---- */

#define BLOCK_ROWS 65536u

static hsc_status put(table_job *job, hsc_store *store, uint64_t rows, hsc_err *err) {
    join *j = job->j;
    size_t threads = j->threads.n;
    uint64_t *indptr = malloc((BLOCK_ROWS + 1) * sizeof *indptr), *fill = malloc((BLOCK_ROWS + 1) * sizeof *fill);
    size_t *next = calloc(threads + 1, sizeof *next);
    HSC_VEC(uint32_t) indices = {0}, counts = {0};
    hsc_status status = indptr && fill && next ? HSC_OK : hsc_join_no_memory(err);
    if (status == HSC_OK)
        status = hsc_store_begin_values(store, job->metric, job->table, rows, (uint32_t)threads, err);
    for (uint64_t from = 0; from < rows && status == HSC_OK; from += BLOCK_ROWS) {
        uint64_t n = rows - from < BLOCK_ROWS ? rows - from : BLOCK_ROWS;
        memset(indptr, 0, (n + 1) * sizeof *indptr);
        for (size_t t = 0; t < threads; t++)
            for (size_t k = next[t]; k < job->of_thread[t].n && job->of_thread[t].p[k].row < from + n; k++)
                indptr[job->of_thread[t].p[k].row - from + 1]++;
        for (uint64_t r = 0; r < n; r++)
            indptr[r + 1] += indptr[r];
        if (!HSC_RESERVE(indices, indptr[n] + 1) || !HSC_RESERVE(counts, indptr[n] + 1)) {
            status = hsc_join_no_memory(err);
            break;
        }
        memcpy(fill, indptr, n * sizeof *fill);
        for (size_t t = 0; t < threads; t++)
            for (; next[t] < job->of_thread[t].n && job->of_thread[t].p[next[t]].row < from + n; next[t]++) {
                const cell *c = &job->of_thread[t].p[next[t]];
                uint64_t at = fill[c->row - from]++;
                indices.p[at] = (uint32_t)t;
                counts.p[at] = c->count;
            }
        status = hsc_store_put_rows(store, n, indptr, indices.p, counts.p, err);
        if (status == HSC_OK)
            status = hsc_join_check(j, err);
    }
    if (status == HSC_OK)
        status = hsc_store_end_values(store, err);
    free(indptr);
    free(fill);
    free(next);
    free(indices.p);
    free(counts.p);
    return status;
}

hsc_status hsc_join_put_values(join *j, hsc_store *store, uint32_t metric, hsc_db_table table, hsc_err *err) {
    table_job job = {.j = j, .metric = metric, .table = table, .lock = PTHREAD_MUTEX_INITIALIZER};
    uint64_t rows = 0;
    hsc_status status = HSC_OK;
    switch (table) {
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
        return hsc_err_set(err, HSC_E_ARGUMENT, "table %d is not made by the join", (int)table);
    }
    job.rows = rows;
    if (rows >= HSC_NO_INDEX)
        return hsc_err_set(err, HSC_E_LIMIT, "table %d would have %llu rows, more than 32 bits can number", (int)table,
                           (unsigned long long)rows);
    bool by_scope = table == HSC_TABLE_SCOPE_INCL || table == HSC_TABLE_SCOPE_CATEGORY;
    if (by_scope || table == HSC_TABLE_LINE_INCL) {
        job.first_begin = malloc((j->contexts.n + 1) * sizeof *job.first_begin);
        status = !job.first_begin ? hsc_join_no_memory(err)
                 : by_scope       ? find_first_scopes(&job, err)
                                  : find_first_lines(&job, err);
    }
    job.of_thread = calloc(j->threads.n + 1, sizeof *job.of_thread);
    if (status == HSC_OK && !job.of_thread)
        status = hsc_join_no_memory(err);
    if (status == HSC_OK)
        status = hsc_join_each(j, j->threads.n, fill_thread, &job, "adding up", err);
    if (status == HSC_OK)
        status = put(&job, store, rows, err);
    for (size_t i = 0; job.of_thread && i < j->threads.n; i++)
        free(job.of_thread[i].p);
    free(job.of_thread);
    for (scratch *w; (w = job.free); free_scratch(w))
        job.free = w->next;
    pthread_mutex_destroy(&job.lock);
    free(job.first_begin);
    free(job.firsts.p);
    return status;
}
