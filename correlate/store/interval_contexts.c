/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of scopes and contexts of an interval, from what contexts have themselves: one look at all leaves for all of these tables, which are fewer. Most
 * programs have nearly all leaves in few categories, so each of these has an array by context, and leaves of the others are added one by one. */
#include <stdlib.h>
#include <string.h>

#include "interval_sums.h"

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

bool hsc_is_of_contexts(hsc_db_table which) {
    return which == HSC_TABLE_SCOPE_EXCL || which == HSC_TABLE_CONTEXT_EXCL || which == HSC_TABLE_SCOPE_INCL || which == HSC_TABLE_SCOPE_CATEGORY;
}

/* db->introduced, where it is not made yet. Contexts stand in the order of their tree (check.c), so those that have not ended are the path. */
static hsc_status find_introduced(hsc_db *db, hsc_err *err) {
    const uint32_t *parent = HSC_COL(db, context_parent, uint32_t), *scope = HSC_COL(db, context_scope, uint32_t),
                   *above = HSC_COL(db, scope_parent, uint32_t);
    uint64_t contexts = db->tables.rows[HSC_TAB_context], scopes = db->tables.rows[HSC_TAB_scope];
    if (db->introduced)
        return HSC_OK;
    uint32_t *introduced = malloc((contexts + 1) * sizeof *introduced);
    bool *open = calloc(scopes + 1, sizeof *open); /* in a context of the path */
    if (!introduced || !open) {
        free(introduced);
        free(open);
        return out_of_memory(db, err);
    }
    for (uint32_t c = 0; c < contexts; c++) {
        for (uint32_t gone = c ? c - 1 : 0; c && gone != parent[c]; gone = parent[gone]) {
            uint32_t s = scope[gone];
            for (uint32_t k = 0; k < introduced[gone]; k++, s = above[s])
                open[s] = false;
        }
        uint32_t n = 0;
        for (uint32_t s = scope[c]; s < scopes && !open[s]; s = above[s]) {
            open[s] = true;
            n++;
        }
        introduced[c] = n;
    }
    free(open);
    db->introduced = introduced;
    return HSC_OK;
}

/* ---- kinds of leaves ---- */

/* Categories of few leaves, whose paths are short together; those leaves, in their order. */
typedef struct few {
    bool is[UINT8_MAX + 1];
    uint64_t steps[UINT8_MAX + 1], most;
    uint32_t *leaf;
    uint64_t n;
} few;

static bool find_few(const hsc_db *db, const hsc_leaves *l, uint64_t *count, few *f) {
    const uint32_t *parent = HSC_COL(db, context_parent, uint32_t);
    uint64_t contexts = db->tables.rows[HSC_TAB_context], room = 0, n = 0;
    f->most = db->few_contexts ? 8 * contexts / db->few_contexts : UINT64_MAX;
    for (uint64_t k = 0; k < l->n; k++)
        count[l->category[k]]++;
    for (unsigned i = 0; i <= UINT8_MAX; i++) {
        f->is[i] = count[i] * db->few_contexts <= contexts;
        room += f->is[i] ? count[i] : 0;
    }
    if (!(f->leaf = malloc((room + 1) * sizeof *f->leaf)))
        return false;
    for (uint64_t k = 0; k < l->n; k++)
        if (f->is[l->category[k]]) {
            uint64_t *steps = &f->steps[l->category[k]];
            f->leaf[n++] = (uint32_t)k;
            for (uint32_t c = l->context[k]; (*steps)++ < f->most && c;)
                c = parent[c];
        }
    for (unsigned i = 0; i <= UINT8_MAX; i++)
        f->is[i] = f->is[i] && f->steps[i] <= f->most;
    for (uint64_t i = 0; i < n; i++)
        if (f->is[l->category[f->leaf[i]]])
            f->leaf[f->n++] = f->leaf[i];
    return true;
}

static bool look(const hsc_db *db, const hsc_leaves *l, hsc_leaf_kinds *out) {
    uint64_t count[UINT8_MAX + 1] = {0};
    few f = {0};
    if (!find_few(db, l, count, &f))
        return false;
    *out = (hsc_leaf_kinds){.is_known = true, .is_in_order = true, .few = f.leaf, .n_few = f.n};
    for (unsigned i = 0; i <= UINT8_MAX; i++)
        if (count[i] && !f.is[i]) {
            out->place[i] = (uint8_t)out->n;
            out->category[out->n++] = (uint8_t)i;
        }
    for (uint64_t k = 1; k < l->n && out->is_in_order; k++)
        out->is_in_order = l->context[k - 1] <= l->context[k];
    return true;
}

/* Those of the database's leaves are looked for once. */
static hsc_leaf_kinds *kinds_of(hsc_db *db, hsc_interval *v) { return v->leaves.own ? &v->contexts.own : &db->leaf_kinds; }

uint64_t hsc_contexts_room(hsc_db *db) {
    hsc_leaves l = {.n = db->tables.rows[HSC_TAB_leaf]}; /* which look reads only */
    l.context = (uint32_t *)db->tables.columns[HSC_COL_leaf_context];
    l.category = (uint8_t *)db->tables.columns[HSC_COL_leaf_category];
    if (!db->leaf_kinds.is_known && !look(db, &l, &db->leaf_kinds))
        return 0;
    return (db->tables.rows[HSC_TAB_context] * db->leaf_kinds.n + 1) * sizeof(uint32_t);
}

void hsc_interval_end_sums(hsc_interval *v) {
    free(v->contexts.sums);
    free(v->contexts.own.few);
    v->contexts = (hsc_context_sums){0};
}

hsc_status hsc_contexts_begin(hsc_db *db, hsc_interval *v, const hsc_leaf_facts *f, hsc_err *err) {
    hsc_context_sums *c = &v->contexts;
    if (c->sums && c->of.leaves == f->leaves && c->of.metric == f->metric && c->of.only == f->only)
        return HSC_OK;
    hsc_interval_end_sums(v);
    hsc_leaf_kinds *kinds = kinds_of(db, v);
    hsc_status status = find_introduced(db, err);
    if (!status && !kinds->is_known && !look(db, &v->leaves, kinds))
        status = out_of_memory(db, err);
    if (!status && !(c->sums = hsc_sums_new(db, db->tables.rows[HSC_TAB_context] * kinds->n + 1, f->narrow)))
        status = out_of_memory(db, err);
    c->of = *f;
    return status;
}

/* ---- adding up ---- */

/* What does not change in a loop is a constant in it: of the functions below, each call is one. */
#define BY_WIDTH(narrow, call) \
    do {                       \
        if (narrow) {          \
            enum { N = 1 };    \
            call;              \
        } else {               \
            enum { N = 0 };    \
            call;              \
        }                      \
    } while (0)

/* One category, and leaves in the order of their contexts. */
static inline void sum_in_order(const hsc_interval *v, void *sums, bool narrow, bool all, uint32_t metric) {
    uint32_t before = HSC_NONE;
    uint64_t sum = 0;
    for (uint64_t k = 0; k < v->leaves.n; k++) {
        uint32_t context = v->leaves.context[k];
        sum = (sum & -(uint64_t)(context == before)) + hsc_sums_count(v, all, metric, k); /* without a branch: where a context ends is as good as random */
        if (narrow)
            ((uint32_t *)sums)[context] = (uint32_t)sum;
        else
            ((uint64_t *)sums)[context] = sum;
        before = context;
    }
}

static inline void sum_places(const hsc_interval *v, void *sums, bool narrow, bool all, uint32_t metric, const uint8_t *place, uint64_t contexts) {
    for (uint64_t k = 0; k < v->leaves.n; k++)
        hsc_sums_bump(sums, narrow, place[v->leaves.category[k]] * contexts + v->leaves.context[k], hsc_sums_count(v, all, metric, k));
}

static void sum_contexts(hsc_db *db, hsc_interval *v, const hsc_leaf_kinds *kinds) {
    hsc_context_sums *c = &v->contexts;
    uint64_t contexts = db->tables.rows[HSC_TAB_context];
    uint32_t metric = c->of.metric;
    if (kinds->n == 1 && kinds->is_in_order && c->of.all)
        BY_WIDTH(c->of.narrow, sum_in_order(v, c->sums, N, true, metric));
    else if (kinds->n && c->of.all)
        BY_WIDTH(c->of.narrow, sum_places(v, c->sums, N, true, metric, kinds->place, contexts));
    else if (kinds->n)
        BY_WIDTH(c->of.narrow, sum_places(v, c->sums, N, false, metric, kinds->place, contexts));
    for (uint64_t i = 0; kinds->n && i < kinds->n_few; i++) /* they were added in the first place */
        hsc_sums_bump(c->sums, c->of.narrow, v->leaves.context[kinds->few[i]], -hsc_sums_count(v, c->of.all, metric, kinds->few[i]));
    c->is_summed = true;
}

static inline void turn(void *sums, bool narrow, const uint32_t *parent, uint64_t contexts, bool with_below) {
    for (uint64_t i = 1; i < contexts; i++) {
        uint64_t from = with_below ? contexts - i : i, count = hsc_sums_at(sums, narrow, from);
        hsc_sums_bump(sums, narrow, parent[from], with_below ? count : -count);
    }
}

/* The n numbers of a category. */
static void *plane(const hsc_context_sums *c, uint64_t contexts, uint32_t place) {
    return (char *)c->sums + place * contexts * (c->of.narrow ? sizeof(uint32_t) : sizeof(uint64_t));
}

/* Adds to each context what is below it, or takes it away again: parents come first in the table. */
static void turn_contexts(const hsc_db *db, hsc_context_sums *c, uint32_t n, bool with_below) {
    const uint32_t *parent = HSC_COL(db, context_parent, uint32_t);
    uint64_t contexts = db->tables.rows[HSC_TAB_context];
    for (uint32_t i = 0; i < n && c->with_below != with_below; i++)
        BY_WIDTH(c->of.narrow, turn(plane(c, contexts, i), N, parent, contexts, with_below));
    c->with_below = with_below;
}

/* What contexts have themselves into their table (scope NULL), or into that of scopes. A context without a scope has the place behind the last row. */
static inline void add_own(void *to, const void *from, bool narrow, const uint32_t *scope, uint64_t contexts, uint64_t rows) {
    for (uint64_t c = 0; c < contexts; c++) {
        uint64_t row = scope ? scope[c] : c;
        hsc_sums_bump(to, narrow, row < rows ? row : rows, hsc_sums_at(from, narrow, c));
    }
}

static void add_exclusive(const hsc_interval_table *t, const hsc_interval *v, void *to, const hsc_leaf_kinds *kinds, const uint32_t *scope) {
    const hsc_context_sums *c = &v->contexts;
    uint64_t contexts = t->db->tables.rows[HSC_TAB_context];
    for (uint32_t i = 0; i < kinds->n; i++)
        BY_WIDTH(c->of.narrow, add_own(to, plane(c, contexts, i), N, scope, contexts, t->rows));
    for (uint64_t i = 0; i < kinds->n_few; i++) {
        uint32_t context = v->leaves.context[kinds->few[i]], row = scope ? scope[context] : context;
        hsc_sums_bump(to, c->of.narrow, row < t->rows ? row : t->rows, hsc_sums_count(v, c->of.all, c->of.metric, kinds->few[i]));
    }
}

/* What contexts have with all below them counts for the scopes that they introduce, so that nothing counts twice where a scope calls itself. Cost:
 * contexts, however deep the paths are. */
static inline void add_scopes(const hsc_db *db, void *to, const void *from, bool narrow) {
    const uint32_t *scope = HSC_COL(db, context_scope, uint32_t), *above = HSC_COL(db, scope_parent, uint32_t), *introduced = db->introduced;
    uint64_t contexts = db->tables.rows[HSC_TAB_context];
    for (uint64_t c = 0; c < contexts; c++) {
        uint32_t s = scope[c];
        uint64_t count = hsc_sums_at(from, narrow, c);
        for (uint32_t k = introduced[c]; k; k--, s = above[s])
            hsc_sums_bump(to, narrow, s, count);
    }
}

/* The same of a leaf: row s * stride + offset of scope s. */
static void add_path(const hsc_db *db, void *to, bool narrow, uint64_t stride, uint64_t offset, uint32_t context, uint64_t count) {
    const uint32_t *parent = HSC_COL(db, context_parent, uint32_t), *scope = HSC_COL(db, context_scope, uint32_t), *above = HSC_COL(db, scope_parent, uint32_t);
    for (uint32_t c = context;; c = parent[c]) {
        uint32_t s = scope[c];
        for (uint32_t k = db->introduced[c]; k; k--, s = above[s])
            hsc_sums_bump(to, narrow, s * stride + offset, count);
        if (!c)
            return;
    }
}

/* Scopes by category: each category by itself, as the scopes of one are next to each other then. */
static bool add_by_category(const hsc_db *db, const hsc_context_sums *c, void *to, const hsc_leaf_kinds *kinds) {
    uint64_t contexts = db->tables.rows[HSC_TAB_context], scopes = db->tables.rows[HSC_TAB_scope], categories = db->tables.rows[HSC_TAB_category];
    size_t size = c->of.narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    void *one = malloc((scopes + 1) * size);
    for (uint32_t i = 0; one && i < kinds->n; i++) {
        memset(one, 0, scopes * size);
        BY_WIDTH(c->of.narrow, add_scopes(db, one, plane(c, contexts, i), N));
        for (uint64_t s = 0; s < scopes; s++)
            hsc_sums_bump(to, c->of.narrow, s * categories + kinds->category[i], hsc_sums_at(one, c->of.narrow, s));
    }
    free(one);
    return one != NULL;
}

static bool add_inclusive(const hsc_interval_table *t, const hsc_interval *v, void *to, const hsc_leaf_kinds *kinds, bool by_category) {
    const hsc_context_sums *c = &v->contexts;
    uint64_t contexts = t->db->tables.rows[HSC_TAB_context], stride = by_category ? t->db->tables.rows[HSC_TAB_category] : 1;
    if (by_category && !add_by_category(t->db, c, to, kinds))
        return false;
    for (uint32_t i = 0; i < kinds->n && !by_category; i++)
        BY_WIDTH(c->of.narrow, add_scopes(t->db, to, plane(c, contexts, i), N));
    for (uint64_t i = 0; i < kinds->n_few; i++) {
        uint32_t leaf = kinds->few[i];
        add_path(t->db, to, c->of.narrow, stride, by_category ? v->leaves.category[leaf] : 0, v->leaves.context[leaf], hsc_sums_count(v, c->of.all, c->of.metric, leaf));
    }
    return true;
}

static void add_categories(hsc_interval_table *t, const uint32_t *by_category) {
    uint64_t categories = t->db->tables.rows[HSC_TAB_category];
    for (uint64_t s = 0; s < t->rows; s++)
        for (uint64_t k = 0; k < categories; k++)
            t->narrow[s] += by_category[s * categories + k];
}

bool hsc_contexts_add(hsc_interval_table *t, hsc_interval *v, hsc_db_table which, const uint32_t *by_category) {
    bool inclusive = which == HSC_TABLE_SCOPE_INCL || which == HSC_TABLE_SCOPE_CATEGORY;
    void *to = t->narrow ? (void *)t->narrow : t->wide;
    if (which == HSC_TABLE_SCOPE_INCL && by_category && t->narrow) {
        add_categories(t, by_category);
        return true;
    }
    const hsc_leaf_kinds *kinds = kinds_of(t->db, v);
    if (!v->contexts.is_summed)
        sum_contexts(t->db, v, kinds);
    turn_contexts(t->db, &v->contexts, kinds->n, inclusive);
    if (inclusive)
        return add_inclusive(t, v, to, kinds, which == HSC_TABLE_SCOPE_CATEGORY);
    add_exclusive(t, v, to, kinds, which == HSC_TABLE_SCOPE_EXCL ? HSC_COL(t->db, context_scope, uint32_t) : NULL);
    return true;
}
