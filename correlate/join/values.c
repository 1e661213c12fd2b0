/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Value tables: for each thread the rows that its samples count in, then all threads' rows in row order.
 *
 * Inclusive values: "with the scope anywhere on the path, once". A context where a scope is entered for the first time
 * on its path counts with its whole subtree; deeper entries of the same scope (recursion) do not count again. */
#include <stdlib.h>
#include <string.h>

#include "../store/store.h"
#include "join_internal.h"

typedef struct pair {
    uint64_t row, count;
} pair;

typedef HSC_VEC(pair) pairs;

typedef struct table_job {
    join *j;
    uint32_t metric;
    hsc_db_table table;
    pairs *of_thread; /* by row of the thread table */
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

static int by_row(const void *pa, const void *pb) {
    const pair *a = pa, *b = pb;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int falling(const void *pa, const void *pb) {
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return a > b ? -1 : a < b;
}

static void add_up(pairs *v) {
    if (v->n > 1)
        qsort(v->p, v->n, sizeof *v->p, by_row);
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (n && v->p[n - 1].row == v->p[i].row)
            v->p[n - 1].count += v->p[i].count;
        else
            v->p[n++] = v->p[i];
    }
    v->n = n;
}

static unsigned category_of(const join *j, const jleaf *leaf) {
    return leaf->state ? leaf->state - 1u : j->context_categories.p[leaf->context];
}

/* Sums over subtrees of the leaves of one category (the number of them: all), as (first entry's row * stride + offset). */
static bool sum_subtrees(const table_job *job, const jthread *t, unsigned category, uint64_t stride, uint64_t offset,
                         uint64_t *sums, pairs *out) {
    const join *j = job->j;
    HSC_VEC(uint32_t) touched = {0};
    bool ok = true;
    for (size_t i = 0; i < t->leaves.n && ok; i++) {
        const jleaf *leaf = &t->leaves.p[i];
        if (leaf->metric != job->metric || (category < j->categories.n && category_of(j, leaf) != category))
            continue;
        for (uint32_t c = leaf->context; ok && !sums[c]; c = j->contexts.p[c].parent) {
            sums[c] = 1; /* one too many until the end: marks it as touched */
            ok = HSC_PUSH(touched, c);
            if (!c)
                break;
        }
        sums[leaf->context] += leaf->count;
    }
    if (touched.n > 1)
        qsort(touched.p, touched.n, sizeof *touched.p, falling);
    for (size_t i = 0; i < touched.n; i++) { /* children have larger rows than their parents */
        uint32_t c = touched.p[i];
        uint64_t sum = sums[c] - 1;
        for (uint64_t k = job->first_begin[c]; ok && k < job->first_begin[c + 1]; k++)
            ok = HSC_PUSH(*out, (pair){job->firsts.p[k] * stride + offset, sum});
        if (c)
            sums[j->contexts.p[c].parent] += sum;
    }
    for (size_t i = 0; i < touched.n; i++)
        sums[touched.p[i]] = 0;
    free(touched.p);
    return ok;
}

static bool exclusive(const table_job *job, const jthread *t, pairs *out) {
    const join *j = job->j;
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
        if (row != HSC_NO_INDEX && leaf->count && !HSC_PUSH(*out, (pair){row, leaf->count}))
            return false;
    }
    return true;
}

static bool inclusive(const table_job *job, const jthread *t, pairs *out) {
    const join *j = job->j;
    uint64_t *sums = calloc(j->contexts.n, sizeof *sums);
    bool ok = sums != NULL;
    if (job->table == HSC_TABLE_SCOPE_CATEGORY) {
        for (unsigned k = 0; ok && k < j->categories.n; k++)
            if (t->total[k] || job->metric)
                ok = sum_subtrees(job, t, k, j->categories.n, k, sums, out);
    } else {
        ok = ok && sum_subtrees(job, t, (unsigned)j->categories.n, 1, 0, sums, out);
    }
    if (job->table == HSC_TABLE_LINE_INCL)
        for (size_t i = 0; ok && i < t->leaves.n; i++) {
            const jleaf *leaf = &t->leaves.p[i];
            if (leaf->metric == job->metric && leaf->line != HSC_NO_INDEX && leaf->count &&
                !is_line_on_path(j, leaf->context, leaf->line))
                ok = HSC_PUSH(*out, (pair){leaf->line, leaf->count});
        }
    free(sums);
    return ok;
}

static hsc_status fill_thread(void *ctx, size_t i, hsc_err *err) {
    table_job *job = ctx;
    pairs *out = &job->of_thread[i];
    const jthread *t = job->j->threads.p[i];
    bool ok = job->first_begin ? inclusive(job, t, out) : exclusive(job, t, out);
    add_up(out);
    return ok ? HSC_OK : hsc_join_no_memory(err);
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
                const pair *p = &job->of_thread[t].p[next[t]];
                uint64_t at = fill[p->row - from]++;
                indices.p[at] = (uint32_t)t;
                counts.p[at] = p->count < UINT32_MAX ? (uint32_t)p->count : UINT32_MAX;
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
    table_job job = {.j = j, .metric = metric, .table = table};
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
    default:
        return hsc_err_set(err, HSC_E_ARGUMENT, "table %d is not made by the join", (int)table);
    }
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
    free(job.first_begin);
    free(job.firsts.p);
    return status;
}
