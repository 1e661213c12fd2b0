/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of an interval's tables from what was counted by leaf: a step at a time, also before the interval is set. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adding.h"
#include "interval.h"
#include "large.h"

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

/* n of them, all 0. */
static void *new_sums(hsc_db *db, uint64_t n, bool narrow) { return hsc_spare_take(&db->spares, n * (narrow ? sizeof(uint32_t) : sizeof(uint64_t)), true); }

static void add(hsc_interval_table *t, uint64_t row, uint64_t count) {
    if (t->narrow)
        t->narrow[row] += (uint32_t)count;
    else
        t->wide[row] += count;
}

static void hit(hsc_interval_table *t, uint64_t row, uint64_t count) {
    if (row >= t->rows || !count)
        return;
    if (t->wide || t->narrow)
        add(t, row, count);
    else
        t->touched[t->n_touched++] = (uint32_t)row;
}

static void hit_once(hsc_interval_table *t, uint64_t row, uint64_t count) {
    if (row >= t->rows || t->seen[row] == t->stamp)
        return;
    t->seen[row] = t->stamp;
    hit(t, row, count);
}

void hsc_interval_add_leaf(hsc_interval_table *t, hsc_db_table which, uint32_t leaf, uint64_t count) {
    const hsc_db *db = t->db;
    const uint32_t *parent = HSC_COL(db, context_parent, uint32_t), *scope = HSC_COL(db, context_scope, uint32_t),
                   *above = HSC_COL(db, scope_parent, uint32_t), *call = HSC_COL(db, context_call_line, uint32_t);
    uint32_t context = t->of->leaves.context[leaf], line = t->of->leaves.line[leaf];
    uint64_t categories = db->tables.rows[HSC_TAB_category], category = t->of->leaves.category[leaf];
    t->stamp++;
    switch (which) {
    case HSC_TABLE_LINE:
        hit(t, line, count);
        return;
    case HSC_TABLE_SCOPE_EXCL:
        hit(t, scope[context], count);
        return;
    case HSC_TABLE_CONTEXT_EXCL:
        hit(t, context, count);
        return;
    case HSC_TABLE_INSTANCE:
        hit(t, t->of->leaves.instance[leaf], count);
        return;
    case HSC_TABLE_INSTRUCTION:
        hit(t, leaf < t->of->leaves.sampled ? HSC_COL(db, leaf_place_instruction, uint32_t)[leaf] : HSC_NONE, count);
        return;
    case HSC_TABLE_LINE_INCL:
        hit_once(t, line, count);
        for (uint32_t c = context; c; c = parent[c])
            hit_once(t, call[c], count);
        return;
    case HSC_TABLE_SCOPE_INCL:
    case HSC_TABLE_SCOPE_CATEGORY: {
        uint64_t stride = which == HSC_TABLE_SCOPE_INCL ? 1 : categories, offset = which == HSC_TABLE_SCOPE_INCL ? 0 : category;
        for (uint32_t c = context;; c = parent[c]) {
            for (uint32_t s = scope[c]; s < db->tables.rows[HSC_TAB_scope]; s = above[s]) {
                if (t->seen[s * stride + offset] == t->stamp) /* and all above it */
                    break;
                hit_once(t, s * stride + offset, count);
                if (!s)
                    break;
            }
            if (!c)
                return;
        }
    }
    default:
        return;
    }
}

/* Tables whose rows a sample by time tells. */
static bool is_known(hsc_db_table which) {
    return which == HSC_TABLE_LINE || which == HSC_TABLE_SCOPE_EXCL || which == HSC_TABLE_CONTEXT_EXCL || which == HSC_TABLE_INSTANCE ||
           which == HSC_TABLE_LINE_INCL || which == HSC_TABLE_SCOPE_INCL || which == HSC_TABLE_SCOPE_CATEGORY || which == HSC_TABLE_INSTRUCTION;
}

/* Tables whose rows what was counted exactly has. */
static bool is_exact_known(hsc_db_table which) { return which != HSC_TABLE_INSTANCE && which != HSC_TABLE_INSTRUCTION; }

hsc_status hsc_interval_load_places(hsc_db *db, hsc_err *err) {
    hsc_status status = hsc_db_load(db, HSC_TAB_leaf_place, err);
    if (!status && db->tables.rows[HSC_TAB_leaf_place] != db->tables.rows[HSC_TAB_leaf])
        status = hsc_err_set(err, HSC_E_MISSING, "%s: which instruction ran when is not known: correlated by a heatscope before format 1.7, or without times", db->path);
    return status;
}

void hsc_interval_resident(hsc_db *db, hsc_array *a, hsc_column_type type, uint64_t n, void *whole, bool narrow) {
    *a = (hsc_array){.set = -1, .type = type, .n = n, .whole = whole, .pinned = true, .narrow = narrow, .next = db->wholes};
    snprintf(a->name, sizeof a->name, "interval");
    db->wholes = a;
    db->whole_bytes += n * (narrow ? sizeof(uint32_t) : hsc_schema_type_size(type));
}

bool hsc_interval_make_narrow(uint64_t **numbers, uint64_t n, uint64_t most) {
    char *to = (char *)*numbers;
    if (most > UINT32_MAX)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t v = (uint32_t)(*numbers)[i];
        memcpy(to + i * sizeof v, &v, sizeof v);
    }
    void *less = realloc(to, (n + !n) * sizeof(uint32_t));
    *numbers = less ? less : *numbers;
    return true;
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

/* What a leaf has for the metric: without a branch, as whether it has anything is as good as random. */
static inline uint64_t count_of(const hsc_interval *v, bool all, uint32_t metric, uint64_t leaf) {
    return all || hsc_interval_is_wanted(v, (uint32_t)leaf, metric) ? v->total[leaf] : 0;
}

/* What leaves of a metric and category have, looked at once for all tables. */
static const hsc_leaf_facts *facts_of(hsc_db *db, hsc_interval *v, uint32_t metric) {
    hsc_leaf_facts *f = &v->facts;
    if (f->leaves == v->leaves.n && f->metric == metric && f->only == v->only)
        return f;
    *f = (hsc_leaf_facts){.leaves = v->leaves.n, .metric = metric, .only = v->only, .all = v->only == HSC_NONE};
    uint32_t others = 0;
    if (!v->leaves.own && db->leaf_metric != HSC_NONE) /* all leaves of the database are of that one */
        others = db->leaf_metric ^ metric;
    else
        for (uint64_t k = 0; k < v->leaves.n; k++)
            others |= v->leaves.metric[k] ^ metric;
    f->all &= !others;
    if (!v->leaves.own && !others)
        db->leaf_metric = metric;
    hsc_leaf_sum all = v->all;
    if (!f->all || v->leaves.n != all.leaves) {
        all = (hsc_leaf_sum){0};
        for (uint64_t k = 0; k < v->leaves.n; k++)
            hsc_leaf_sum_add(&all, count_of(v, f->all, metric, k));
    }
    f->narrow = all.any <= UINT32_MAX && all.low <= UINT32_MAX;
    return f;
}

static inline void bump(void *sums, bool narrow, uint64_t at, uint64_t count) {
    if (narrow)
        ((uint32_t *)sums)[at] += (uint32_t)count;
    else
        ((uint64_t *)sums)[at] += count;
}

static inline uint64_t sum_at(const void *sums, bool narrow, uint64_t at) { return narrow ? ((const uint32_t *)sums)[at] : ((const uint64_t *)sums)[at]; }

static inline void sum_contexts(const hsc_interval *v, void *sums, bool narrow, bool all, uint32_t metric, const uint8_t *place, uint32_t n) {
    for (uint64_t k = 0; k < v->leaves.n; k++)
        bump(sums, narrow, (uint64_t)v->leaves.context[k] * n + place[v->leaves.category[k]], count_of(v, all, metric, k));
}

void hsc_interval_end_sums(hsc_interval *v) {
    free(v->contexts.sums);
    v->contexts = (hsc_context_sums){0};
}

/* Categories that any leaf is of; of the database's leaves they are looked for once. */
static const bool *find_categories(hsc_db *db, const hsc_interval *v, bool room[UINT8_MAX + 1]) {
    bool *there = v->leaves.own ? room : db->leaf_category;
    if (!v->leaves.own && db->leaf_categories_known)
        return there;
    for (uint64_t k = 0; k < v->leaves.n; k++)
        there[v->leaves.category[k]] = true;
    db->leaf_categories_known |= !v->leaves.own;
    return there;
}

/* v->contexts, where it is not there. One look at all leaves for the tables of scopes and contexts, which are fewer. */
static hsc_status want_contexts(hsc_db *db, hsc_interval *v, const hsc_leaf_facts *f, hsc_err *err) {
    hsc_context_sums *c = &v->contexts;
    uint8_t place[UINT8_MAX + 1] = {0};
    bool room[UINT8_MAX + 1] = {0};
    uint64_t contexts = db->tables.rows[HSC_TAB_context];
    if (c->sums && c->of.leaves == f->leaves && c->of.metric == f->metric && c->of.only == f->only)
        return HSC_OK;
    hsc_interval_end_sums(v);
    c->of = *f;
    const bool *there = find_categories(db, v, room);
    for (unsigned i = 0; i <= UINT8_MAX; i++)
        if (there[i] && i < db->tables.rows[HSC_TAB_category]) {
            place[i] = (uint8_t)c->n;
            c->category[c->n++] = (uint8_t)i;
        }
    if (!(c->sums = new_sums(db, contexts * c->n + 1, f->narrow)))
        return out_of_memory(db, err);
    if (!f->narrow)
        sum_contexts(v, c->sums, false, f->all, f->metric, place, c->n);
    else if (f->all)
        sum_contexts(v, c->sums, true, true, f->metric, place, c->n);
    else
        sum_contexts(v, c->sums, true, false, f->metric, place, c->n);
    return HSC_OK;
}

/* Adds n numbers to n others. */
static inline void add_few(uint32_t *to, const uint32_t *from, uint64_t n) {
    typedef uint32_t four __attribute__((vector_size(4 * sizeof(uint32_t)), aligned(sizeof(uint32_t)), may_alias));
    uint64_t k = 0;
    for (; k + 4 <= n; k += 4)
        *(four *)(void *)(to + k) += *(const four *)(const void *)(from + k);
    for (; k < n; k++)
        to[k] += from[k];
}

/* Adds to each context what is below it, or takes it away again: parents come first in the table. */
static void turn_contexts(const hsc_db *db, hsc_context_sums *c, bool with_below) {
    const uint32_t *parent = HSC_COL(db, context_parent, uint32_t);
    uint64_t contexts = db->tables.rows[HSC_TAB_context], n = c->n;
    uint32_t *narrow = c->of.narrow ? c->sums : NULL;
    uint64_t *wide = c->of.narrow ? NULL : c->sums;
    if (with_below == c->with_below)
        return;
    for (uint64_t i = 1; i < contexts; i++) {
        uint64_t from = (with_below ? contexts - i : i) * n, to = parent[from / n] * n;
        if (narrow && with_below)
            add_few(narrow + to, narrow + from, n);
        for (uint64_t k = 0; k < n && narrow && !with_below; k++)
            narrow[to + k] -= narrow[from + k];
        for (uint64_t k = 0; k < n && wide; k++)
            wide[to + k] += with_below ? wide[from + k] : -wide[from + k];
    }
    c->with_below = with_below;
}

/* What a context has of all categories. */
static inline uint64_t all_of(const hsc_context_sums *c, bool narrow, uint64_t context) {
    uint64_t sum = 0;
    const uint32_t *of = narrow ? (const uint32_t *)c->sums + context * c->n : NULL;
    switch (narrow ? c->n : 0) { /* mostly few */
    case 4: sum += of[3]; /* fall through */
    case 3: sum += of[2]; /* fall through */
    case 2: sum += of[1]; /* fall through */
    case 1: return sum + of[0];
    default: break;
    }
    for (uint32_t i = 0; i < c->n; i++)
        sum += sum_at(c->sums, narrow, context * c->n + i);
    return sum;
}

/* What contexts have themselves into their table (scope NULL), or into that of scopes. A context without a scope has the place behind the last row. */
static inline void add_own(const hsc_interval_table *t, void *sums, bool narrow, const uint32_t *scope) {
    uint64_t contexts = t->db->tables.rows[HSC_TAB_context];
    for (uint64_t c = 0; c < contexts; c++) {
        uint64_t row = scope ? scope[c] : c;
        bump(sums, narrow, row < t->rows ? row : t->rows, all_of(&t->of->contexts, narrow, c));
    }
}

/* What contexts have with all below them counts for the scopes that they introduce, so that nothing counts twice where a scope calls itself. Cost:
 * contexts, however deep the paths are. */
static void add_scopes_by_category(const hsc_interval_table *t) {
    enum { AHEAD = 16 }; /* contexts: their scopes are not next to each other */
    const hsc_db *db = t->db;
    const hsc_context_sums *own = &t->of->contexts;
    const uint32_t *scope = HSC_COL(db, context_scope, uint32_t), *above = HSC_COL(db, scope_parent, uint32_t), *introduced = db->introduced, *from = own->sums;
    uint64_t contexts = db->tables.rows[HSC_TAB_context], categories = db->tables.rows[HSC_TAB_category];
    uint32_t place[UINT8_MAX + 1], n = own->n, *restrict to = t->narrow; /* nothing that is read here is written to */
    bool in_order = n > 0; /* categories that follow one another */
    for (uint32_t i = 0; i < n; i++) {
        place[i] = own->category[i];
        in_order = in_order && place[i] == place[0] + i;
    }
    for (uint64_t c = 0; c < contexts; c++, from += n) {
        uint32_t s = scope[c];
        if (c + AHEAD < contexts)
            __builtin_prefetch(&to[(uint64_t)scope[c + AHEAD] * categories], 1);
        for (uint32_t k = introduced[c]; k; k--, s = above[s])
            if (in_order)
                add_few(to + (uint64_t)s * categories + place[0], from, n);
            else
                for (uint32_t i = 0; i < n; i++)
                    to[s * categories + place[i]] += from[i];
    }
}

static inline void add_scopes(const hsc_interval_table *t, void *sums, bool narrow, bool by_category) {
    const hsc_db *db = t->db;
    const hsc_context_sums *own = &t->of->contexts;
    const uint32_t *scope = HSC_COL(db, context_scope, uint32_t), *above = HSC_COL(db, scope_parent, uint32_t);
    uint64_t contexts = db->tables.rows[HSC_TAB_context], categories = db->tables.rows[HSC_TAB_category];
    for (uint64_t c = 0; c < contexts; c++) {
        uint32_t s = scope[c];
        for (uint32_t k = 0; k < db->introduced[c]; k++, s = above[s]) {
            if (!by_category)
                bump(sums, narrow, s, all_of(own, narrow, c));
            for (uint32_t i = 0; i < own->n && by_category; i++)
                bump(sums, narrow, s * categories + own->category[i], sum_at(own->sums, narrow, c * own->n + i));
        }
    }
}

/* Of a table whose rows have leaves of their own: row[k]. There is a place behind the last row, for leaves of none. */
static inline void add_rows(const hsc_interval_table *t, void *sums, bool narrow, bool all, uint32_t metric, const uint32_t *row) {
    enum { AHEAD = 32 }; /* leaves: their rows are not next to each other */
    uint64_t n = t->of->leaves.n, ahead = n > AHEAD ? n - AHEAD : 0;
    for (uint64_t k = 0; k < n; k++) {
        if (k < ahead) /* of no row: any address will do, nothing is read of it */
            __builtin_prefetch((const char *)sums + (uint64_t)row[k + AHEAD] * (narrow ? sizeof(uint32_t) : sizeof(uint64_t)), 1);
        bump(sums, narrow, row[k] < t->rows ? row[k] : t->rows, count_of(t->of, all, metric, k));
    }
}

static void add_leaves(hsc_interval_table *t, hsc_db_table which, const hsc_leaf_facts *f) {
    const hsc_interval *v = t->of;
    const uint32_t *row = which == HSC_TABLE_LINE ? v->leaves.line : v->leaves.instance;
    if (which == HSC_TABLE_INSTRUCTION) { /* leaves of what was counted exactly have none */
        for (uint64_t k = 0; k < v->leaves.sampled; k++)
            if (hsc_interval_is_wanted(v, (uint32_t)k, f->metric))
                hsc_interval_add_leaf(t, which, (uint32_t)k, v->total[k]);
        return;
    }
    if (which == HSC_TABLE_LINE_INCL) {
        for (uint64_t k = 0; k < v->leaves.n; k++)
            if (v->total[k] && hsc_interval_is_wanted(v, (uint32_t)k, f->metric))
                hsc_interval_add_leaf(t, which, (uint32_t)k, v->total[k]);
    } else if (!t->narrow)
        add_rows(t, t->wide, false, f->all, f->metric, row);
    else if (f->all)
        add_rows(t, t->narrow, true, true, f->metric, row);
    else
        add_rows(t, t->narrow, true, false, f->metric, row);
}

static bool is_of_contexts(hsc_db_table which) {
    return which == HSC_TABLE_SCOPE_EXCL || which == HSC_TABLE_CONTEXT_EXCL || which == HSC_TABLE_SCOPE_INCL || which == HSC_TABLE_SCOPE_CATEGORY;
}

/* Those by category where they are made: then the sums of all are theirs. */
static const uint32_t *find_by_category(const hsc_interval *v, const hsc_leaf_facts *f) {
    for (const hsc_made_sums *m = v->made; m; m = m->next)
        if (m->metric == f->metric && m->table == HSC_TABLE_SCOPE_CATEGORY && m->only == v->only && m->narrow)
            return m->sums;
    return NULL;
}

static void add_categories(hsc_interval_table *t, const uint32_t *by_category) {
    uint64_t categories = t->db->tables.rows[HSC_TAB_category];
    for (uint64_t s = 0; s < t->rows; s++)
        for (uint64_t k = 0; k < categories; k++)
            t->narrow[s] += by_category[s * categories + k];
}

static hsc_status add_contexts(hsc_interval_table *t, hsc_interval *v, hsc_db_table which, const hsc_leaf_facts *f, hsc_err *err) {
    bool inclusive = which == HSC_TABLE_SCOPE_INCL || which == HSC_TABLE_SCOPE_CATEGORY, by_category = which == HSC_TABLE_SCOPE_CATEGORY;
    const uint32_t *scope = which == HSC_TABLE_SCOPE_EXCL ? HSC_COL(t->db, context_scope, uint32_t) : NULL;
    const uint32_t *made = which == HSC_TABLE_SCOPE_INCL && f->narrow ? find_by_category(v, f) : NULL;
    if (made) {
        add_categories(t, made);
        return HSC_OK;
    }
    hsc_status status = want_contexts(t->db, v, f, err);
    if (!status && inclusive)
        status = find_introduced(t->db, err);
    if (status)
        return status;
    turn_contexts(t->db, &v->contexts, inclusive);
    if (inclusive && !f->narrow)
        add_scopes(t, t->wide, false, by_category);
    else if (by_category)
        add_scopes_by_category(t);
    else if (inclusive)
        add_scopes(t, t->narrow, true, false);
    else if (f->narrow)
        add_own(t, t->narrow, true, scope);
    else
        add_own(t, t->wide, false, scope);
    return HSC_OK;
}

/* A table's sums, of an interval that is set or not. After an error nothing is there. */
static hsc_status sum_table(hsc_db *db, hsc_interval *v, uint64_t rows, hsc_made_sums *m, hsc_err *err) {
    hsc_interval_table t = {.db = db, .of = v, .rows = rows};
    hsc_status status = hsc_db_load(db, HSC_TAB_instance, err);
    const hsc_leaf_facts *f = facts_of(db, v, m->metric);
    if (!status) {
        db->passes++;
        m->narrow = f->narrow;
        m->sums = new_sums(db, rows + 1, m->narrow);
    }
    if (m->narrow)
        t.narrow = m->sums;
    else
        t.wide = m->sums;
    if (m->table == HSC_TABLE_LINE_INCL)
        t.seen = calloc(rows + 1, sizeof *t.seen);
    if (!status && (!m->sums || (m->table == HSC_TABLE_LINE_INCL && !t.seen)))
        status = out_of_memory(db, err);
    if (!status && is_of_contexts(m->table))
        status = add_contexts(&t, v, m->table, f, err);
    else if (!status)
        add_leaves(&t, m->table, f);
    free(t.seen);
    if (status) {
        free(m->sums);
        m->sums = NULL;
    } else if (!m->narrow) {
        uint64_t most = 0;
        for (uint64_t r = 0; r < rows; r++)
            most = t.wide[r] > most ? t.wide[r] : most;
        m->narrow = hsc_interval_make_narrow(&t.wide, rows, most);
        m->sums = t.wide;
    }
    return status;
}

/* Those that were made before it was set, or begun; else none of them. They are the caller's. */
static hsc_made_sums take_made(hsc_interval *v, uint32_t metric, hsc_db_table which) {
    hsc_made_sums out = {.metric = metric, .only = v->only, .table = which};
    for (hsc_made_sums **p = &v->made; *p; p = &(*p)->next)
        if ((*p)->metric == metric && (*p)->table == which && (*p)->only == v->only) {
            hsc_made_sums *found = *p;
            out = *found;
            *p = found->next;
            free(found);
            break;
        }
    return out;
}

/* ---- ahead of the interval ---- */

enum { AHEAD_MAX = 4 };

typedef struct hsc_ahead { /* tables of rows that have leaves of their own, made by another thread, one after the other; all room for them is there before */
    pthread_t thread;
    hsc_interval of; /* as it was then: of its arrays, which stay */
    hsc_leaf_facts facts;
    hsc_interval_table tables[AHEAD_MAX];
    hsc_made_sums *made[AHEAD_MAX];
    unsigned n;
} hsc_ahead;

static void *add_ahead(void *ctx) {
    hsc_ahead *a = ctx;
    for (unsigned i = 0; i < a->n; i++)
        add_leaves(&a->tables[i], a->made[i]->table, &a->facts);
    return NULL;
}

void hsc_interval_end_ahead(hsc_interval *v) {
    hsc_ahead *a = v->ahead;
    if (!a)
        return;
    pthread_join(a->thread, NULL);
    for (unsigned i = 0; i < a->n; i++) {
        a->made[i]->next = v->made;
        v->made = a->made[i];
    }
    free(a);
    v->ahead = NULL;
}

static bool is_ahead(const hsc_interval *v, uint32_t metric, hsc_db_table which) {
    for (unsigned i = 0; v->ahead && i < v->ahead->n; i++)
        if (v->ahead->made[i]->metric == metric && v->ahead->made[i]->table == which)
            return true;
    return false;
}

/* One table more. false: no memory. */
static bool note_ahead(hsc_db *db, hsc_ahead *a, uint32_t metric, hsc_db_table which) {
    uint64_t rows = db->values[(uint64_t)metric * HSC_VALUES_COUNT + which].rows;
    hsc_made_sums *m = calloc(1, sizeof *m);
    void *sums = m ? new_sums(db, rows + 1, true) : NULL;
    if (!sums) {
        free(m);
        return false;
    }
    *m = (hsc_made_sums){.metric = metric, .only = a->of.only, .table = which, .narrow = true, .sums = sums};
    a->tables[a->n] = (hsc_interval_table){.db = db, .of = &a->of, .rows = rows, .narrow = sums};
    a->made[a->n++] = m;
    return true;
}

/* Was the table asked for of what is set now, before its threads were counted? Of the whole run that is not known: what lists of all versions and contexts ask for
 * comes later there. */
static bool is_asked_first(const hsc_db *db, uint64_t number) {
    hsc_db_table which = (hsc_db_table)(number % HSC_VALUES_COUNT);
    if (db->interval)
        return db->interval->early && db->interval->early[number];
    return db->values[number].sum.name[0] && which != HSC_TABLE_INSTANCE && which != HSC_TABLE_CONTEXT_EXCL;
}

void hsc_interval_foresee(hsc_db *db) {
    uint64_t leaves = db->tables.rows[HSC_TAB_leaf], numbers = db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT, categories = 0;
    bool of_contexts = false, there[UINT8_MAX + 1] = {0};
    if (db->is_foreseen)
        return;
    db->is_foreseen = true;
    hsc_spare_begin(&db->spares); /* marks were made with room of their own */
    hsc_spare_foresee(&db->spares, (leaves + 1) * sizeof(uint64_t)); /* totals */
    hsc_spare_foresee(&db->spares, hsc_adding_room());
    for (uint64_t i = 0; i < numbers; i++) {
        hsc_db_table which = (hsc_db_table)(i % HSC_VALUES_COUNT);
        if (!is_known(which) || hsc_interval_is_exact(db, (uint32_t)(i / HSC_VALUES_COUNT)) || !is_asked_first(db, i))
            continue;
        hsc_spare_foresee(&db->spares, (db->values[i].rows + 1) * sizeof(uint32_t));
        of_contexts = of_contexts || is_of_contexts(which);
    }
    const uint8_t *category = HSC_COL(db, leaf_category, uint8_t);
    for (uint64_t k = 0; of_contexts && k < leaves; k++) {
        categories += !there[category[k]];
        there[category[k]] = true;
    }
    hsc_spare_foresee(&db->spares, (db->tables.rows[HSC_TAB_context] * categories + 1) * sizeof(uint32_t));
}

static bool is_made(const hsc_interval *v, uint32_t metric, hsc_db_table which) {
    for (const hsc_made_sums *m = v->made; m; m = m->next)
        if (m->metric == metric && m->table == which)
            return true;
    return is_ahead(v, metric, which);
}

/* Place of the next one in `order` (n tables) among the tables of values; UINT64_MAX: there is none. */
static uint64_t next_of(const hsc_db *db, const hsc_interval *v, const hsc_db_table *order, unsigned n) {
    for (uint32_t metric = 0; metric < db->tables.rows[HSC_TAB_metric]; metric++)
        for (unsigned k = 0; k < n && !hsc_interval_is_exact(db, metric); k++) {
            uint64_t number = (uint64_t)metric * HSC_VALUES_COUNT + order[k];
            if (is_known(order[k]) && is_asked_first(db, number) && !is_made(v, metric, order[k]))
                return number;
        }
    return UINT64_MAX;
}

/* Has it begun with those of `order` (n of them) that are of the same metric? Where not, they are made when their turn comes. */
static bool begin_ahead(hsc_db *db, hsc_interval *v, const hsc_db_table *order, unsigned n) {
    uint64_t first = next_of(db, v, order, n);
    uint32_t metric = (uint32_t)(first / HSC_VALUES_COUNT);
    if (first == UINT64_MAX || v->ahead || sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return false;
    const hsc_leaf_facts *f = facts_of(db, v, metric);
    hsc_ahead *a = f->narrow ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return false;
    a->of = *v;
    a->facts = *f;
    bool room = true;
    for (unsigned k = 0; k < n && a->n < AHEAD_MAX && room; k++)
        if (is_asked_first(db, (uint64_t)metric * HSC_VALUES_COUNT + order[k]) && !is_made(v, metric, order[k]))
            room = note_ahead(db, a, metric, order[k]);
    if (a->n && !pthread_create(&a->thread, NULL, add_ahead, a)) {
        db->passes++; /* one step, which does not take longer by it */
        v->ahead = a;
        return true;
    }
    for (unsigned i = 0; i < a->n; i++) {
        free(a->made[i]->sums);
        free(a->made[i]);
    }
    free(a);
    return false;
}

static hsc_status make_one(hsc_db *db, hsc_interval *v, uint64_t number, hsc_err *err) {
    hsc_made_sums *m = calloc(1, sizeof *m);
    if (!m)
        return out_of_memory(db, err);
    *m = (hsc_made_sums){.metric = (uint32_t)(number / HSC_VALUES_COUNT), .only = v->only, .table = (hsc_db_table)(number % HSC_VALUES_COUNT), .next = v->made};
    hsc_status status = sum_table(db, v, db->values[number].rows, m, err);
    if (status)
        free(m);
    else
        v->made = m;
    return status;
}

hsc_status hsc_interval_make_next(hsc_db *db, hsc_interval *v, bool *is_done, hsc_err *err) {
    /* those of contexts, exclusive ones first, scopes by category before scopes (find_by_category), and those of leaves, which can be made at the same time */
    static const hsc_db_table of_contexts[] = {HSC_TABLE_SCOPE_EXCL, HSC_TABLE_CONTEXT_EXCL, HSC_TABLE_SCOPE_CATEGORY, HSC_TABLE_SCOPE_INCL, HSC_TABLE_LINE_INCL},
                              of_leaves[] = {HSC_TABLE_LINE, HSC_TABLE_INSTANCE, HSC_TABLE_INSTRUCTION};
    hsc_status status = hsc_db_load(db, HSC_TAB_instance, err);
    *is_done = false;
    if (status || begin_ahead(db, v, of_leaves, sizeof of_leaves / sizeof *of_leaves))
        return status;
    uint64_t next = next_of(db, v, of_contexts, sizeof of_contexts / sizeof *of_contexts);
    if (next == UINT64_MAX)
        next = next_of(db, v, of_leaves, sizeof of_leaves / sizeof *of_leaves);
    if (next != UINT64_MAX)
        return make_one(db, v, next, err);
    *is_done = true; /* the other thread has its tables until they are asked for */
    hsc_interval_end_sums(v);
    return HSC_OK;
}

/* What is asked for while threads are not counted yet is what is drawn first. */
static void note_early(hsc_db *db, uint32_t metric, hsc_db_table which) {
    hsc_interval *v = db->interval;
    if (db->later && !hsc_db_is_pending(db))
        return;
    if (!v->early)
        v->early = calloc(db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT + 1, sizeof *v->early);
    if (v->early) /* else they are made when they are asked for */
        v->early[(uint64_t)metric * HSC_VALUES_COUNT + which] = true;
}

hsc_status hsc_interval_sums(hsc_db *db, uint32_t metric, hsc_db_table which, hsc_values *v, hsc_err *err) {
    hsc_interval *i = db->interval;
    bool known = metric == 0 || hsc_interval_is_exact(db, metric);
    hsc_status status = hsc_interval_want_exact(db, metric, err);
    const uint32_t *of = i->leaves.metric;
    uint64_t leaves = i->leaves.n;
    if (status)
        return status;
    for (uint64_t k = 0; k < leaves && !known; k++)
        known = of[k] == metric;
    if (!known || !is_known(which) || (!is_exact_known(which) && hsc_interval_is_exact(db, metric)))
        return hsc_err_set(err, HSC_E_MISSING, "%s: metric '%s', table %s: not known by time, so it has no values in an interval", db->path,
                           hsc_db_text(db, HSC_COL_metric_name, metric), hsc_schema_values[which].name);
    if (which == HSC_TABLE_INSTRUCTION && (status = hsc_interval_load_places(db, err)))
        return status;
    note_early(db, metric, which);
    if (is_ahead(i, metric, which))
        hsc_interval_end_ahead(i);
    hsc_made_sums made = take_made(i, metric, which);
    if (!made.sums)
        status = sum_table(db, i, v->rows, &made, err);
    hsc_interval_end_sums(i);
    if (status)
        return status;
    hsc_interval_resident(db, &v->sum, HSC_COLTYPE_U8, v->rows, made.sums, made.narrow);
    v->present = true;
    for (int k = 0; k < HSC_LEVEL_KINDS; k++)
        v->levels_looked[k] = true;
    return HSC_OK;
}
