/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of an interval's tables from what was counted by leaf: a step at a time, also before the interval is set. */
#include <stdlib.h>
#include <string.h>

#include "interval.h"

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

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
           which == HSC_TABLE_LINE_INCL || which == HSC_TABLE_SCOPE_INCL || which == HSC_TABLE_SCOPE_CATEGORY;
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

/* What leaves of a metric and category have, looked at once for all tables. */
static const hsc_leaf_facts *facts_of(hsc_interval *v, uint32_t metric) {
    hsc_leaf_facts *f = &v->facts;
    if (f->leaves == v->leaves.n && f->metric == metric && f->only == v->only)
        return f;
    *f = (hsc_leaf_facts){.leaves = v->leaves.n, .metric = metric, .only = v->only, .all = true};
    uint64_t sum = 0;
    for (uint64_t k = 0; k < v->leaves.n; k++) {
        bool wanted = hsc_interval_is_wanted(v, (uint32_t)k, metric);
        f->all &= wanted;
        f->there[v->leaves.category[k]] |= wanted && v->total[k];
        if (wanted && sum <= UINT32_MAX)
            sum = v->total[k] > UINT32_MAX ? v->total[k] : sum + v->total[k];
    }
    f->narrow = sum <= UINT32_MAX;
    return f;
}

/* What a leaf has for the metric: without a branch, as whether it has anything is as good as random. */
static inline uint64_t count_of(const hsc_interval *v, bool all, uint32_t metric, uint64_t leaf) {
    return all || hsc_interval_is_wanted(v, (uint32_t)leaf, metric) ? v->total[leaf] : 0;
}

static inline void bump(void *sums, bool narrow, uint64_t at, uint64_t count) {
    if (narrow)
        ((uint32_t *)sums)[at] += (uint32_t)count;
    else
        ((uint64_t *)sums)[at] += count;
}

static inline uint64_t sum_at(const void *sums, bool narrow, uint64_t at) { return narrow ? ((const uint32_t *)sums)[at] : ((const uint64_t *)sums)[at]; }

enum { TOGETHER = 4, NO_PLACE = TOGETHER }; /* categories at a time */

/* What each context has with all below it, of n categories, into sum[context * (n + 1) + place]; the last place is for what is of none of them. */
static inline void sum_contexts(const hsc_interval_table *t, void *sum, bool narrow, bool all, uint32_t metric, const uint8_t *place, uint32_t n) {
    const hsc_interval *v = t->of;
    const uint32_t *parent = HSC_COL(t->db, context_parent, uint32_t);
    uint64_t step = n + 1;
    for (uint64_t k = 0; k < v->leaves.n; k++) {
        uint8_t at = place[v->leaves.category[k]];
        bump(sum, narrow, v->leaves.context[k] * step + (at < n ? at : n), count_of(v, all, metric, k));
    }
    for (uint64_t c = t->db->tables.rows[HSC_TAB_context]; c-- > 1;)
        for (uint32_t i = 0; i < n; i++)
            bump(sum, narrow, parent[c] * step + i, sum_at(sum, narrow, c * step + i));
}

/* Those of each context to the scopes that it introduces. */
static inline void add_introduced(const hsc_interval_table *t, void *sums, const void *sum, bool narrow, const uint32_t *of, uint32_t n, uint32_t categories) {
    const hsc_db *db = t->db;
    const uint32_t *scope = HSC_COL(db, context_scope, uint32_t), *above = HSC_COL(db, scope_parent, uint32_t);
    uint64_t contexts = db->tables.rows[HSC_TAB_context], step = n + 1;
    for (uint64_t c = 0; c < contexts; c++) {
        uint32_t s = scope[c];
        for (uint32_t k = 0; k < db->introduced[c]; k++, s = above[s])
            for (uint32_t i = 0; i < n; i++)
                bump(sums, narrow, (uint64_t)s * categories + of[i], sum_at(sum, narrow, c * step + i));
    }
}

/* Inclusive sums of scopes, of each category where there are several: a context's with all below it count for the scopes that it introduces, so that
 * nothing counts twice where a scope calls itself. Of some categories from *next on, which is then where to go on, at last `categories`. Cost:
 * leaves and contexts, however deep the paths are. */
static hsc_status add_scopes(hsc_interval_table *t, const hsc_leaf_facts *f, uint32_t categories, uint32_t *next, hsc_err *err) {
    hsc_db *db = t->db;
    uint64_t contexts = db->tables.rows[HSC_TAB_context];
    uint32_t of[TOGETHER] = {0}, n = 0, at = *next;
    uint8_t place[UINT8_MAX + 1];
    hsc_status status = find_introduced(db, err);
    memset(place, categories == 1 ? 0 : NO_PLACE, sizeof place);
    if (categories == 1)
        n = at = 1;
    for (; at < categories && at < UINT8_MAX && n < TOGETHER; at++)
        if (f->there[at]) {
            place[at] = (uint8_t)n;
            of[n++] = at;
        }
    *next = n < TOGETHER ? categories : at;
    uint64_t step = n + 1;
    void *sum = !status && n ? calloc((contexts + 1) * step, f->narrow ? sizeof(uint32_t) : sizeof(uint64_t)) : NULL;
    if (status || !n || !sum)
        return status || !n ? status : out_of_memory(db, err);
    if (!f->narrow)
        sum_contexts(t, sum, false, f->all, f->metric, place, n);
    else if (f->all)
        sum_contexts(t, sum, true, true, f->metric, place, n);
    else
        sum_contexts(t, sum, true, false, f->metric, place, n);
    if (!f->narrow)
        add_introduced(t, t->wide, sum, false, of, n, categories);
    else if (categories == 1)
        add_introduced(t, t->narrow, sum, true, of, 1, 1);
    else
        add_introduced(t, t->narrow, sum, true, of, n, categories);
    free(sum);
    return HSC_OK;
}

/* Of a table whose rows have leaves of their own: row[k], or scope[row[k]]. There is a place behind the last row, for leaves of none. */
static inline void add_rows(const hsc_interval_table *t, void *sums, bool narrow, bool all, uint32_t metric, const uint32_t *row, const uint32_t *scope) {
    for (uint64_t k = 0; k < t->of->leaves.n; k++) {
        uint32_t r = scope ? scope[row[k]] : row[k];
        bump(sums, narrow, r < t->rows ? r : t->rows, count_of(t->of, all, metric, k));
    }
}

/* Some of them; *done: all. *next: where to go on, 0 at first. */
static hsc_status add_leaves(hsc_interval_table *t, hsc_db_table which, const hsc_leaf_facts *f, uint32_t *next, bool *done, hsc_err *err) {
    const hsc_interval *v = t->of;
    *done = true;
    if (which == HSC_TABLE_SCOPE_INCL || which == HSC_TABLE_SCOPE_CATEGORY) {
        uint32_t categories = which == HSC_TABLE_SCOPE_INCL ? 1 : (uint32_t)t->db->tables.rows[HSC_TAB_category];
        hsc_status status = add_scopes(t, f, categories, next, err);
        *done = *next >= categories;
        return status;
    }
    if (which == HSC_TABLE_LINE_INCL) {
        for (uint64_t k = 0; k < v->leaves.n; k++)
            if (v->total[k] && hsc_interval_is_wanted(v, (uint32_t)k, f->metric))
                hsc_interval_add_leaf(t, which, (uint32_t)k, v->total[k]);
        return HSC_OK;
    }
    const uint32_t *row = which == HSC_TABLE_LINE ? v->leaves.line : which == HSC_TABLE_INSTANCE ? v->leaves.instance : v->leaves.context;
    const uint32_t *scope = which == HSC_TABLE_SCOPE_EXCL ? HSC_COL(t->db, context_scope, uint32_t) : NULL;
    if (!t->narrow)
        add_rows(t, t->wide, false, f->all, f->metric, row, scope);
    else if (f->all)
        add_rows(t, t->narrow, true, true, f->metric, row, scope);
    else
        add_rows(t, t->narrow, true, false, f->metric, row, scope);
    return HSC_OK;
}

/* A step of a table's sums, of an interval that is set or not; m->is_done: it was the last. After an error nothing is there. */
static hsc_status sum_some(hsc_db *db, hsc_interval *v, uint64_t rows, hsc_made_sums *m, hsc_err *err) {
    hsc_interval_table t = {.db = db, .of = v, .rows = rows};
    hsc_status status = hsc_db_load(db, HSC_TAB_instance, err);
    const hsc_leaf_facts *f = facts_of(v, m->metric);
    if (!status && !m->sums) {
        db->passes++;
        m->narrow = f->narrow;
        m->sums = calloc(rows + 1, m->narrow ? sizeof *t.narrow : sizeof *t.wide);
    }
    if (m->narrow)
        t.narrow = m->sums;
    else
        t.wide = m->sums;
    if (m->table == HSC_TABLE_LINE_INCL)
        t.seen = calloc(rows + 1, sizeof *t.seen);
    if (!status && (!m->sums || (m->table == HSC_TABLE_LINE_INCL && !t.seen)))
        status = out_of_memory(db, err);
    if (!status)
        status = add_leaves(&t, m->table, f, &m->next_category, &m->is_done, err);
    free(t.seen);
    if (status) {
        free(m->sums);
        m->sums = NULL;
    } else if (m->is_done && !m->narrow) {
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

hsc_status hsc_interval_make_next(hsc_db *db, hsc_interval *v, bool *is_done, hsc_err *err) {
    hsc_made_sums *m = v->made;
    *is_done = false;
    if (m && !m->is_done) {
        hsc_status status = sum_some(db, v, hsc_db_get_rows(db, m->table), m, err);
        if (status) {
            v->made = m->next;
            free(m);
        }
        return status;
    }
    for (uint64_t i = 0; i < db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT; i++) {
        uint32_t metric = (uint32_t)(i / HSC_VALUES_COUNT);
        hsc_db_table which = (hsc_db_table)(i % HSC_VALUES_COUNT);
        bool is_there = !db->values[i].sum.name[0] || !is_known(which) || hsc_interval_is_exact(db, metric);
        for (m = v->made; m && !is_there; m = m->next)
            is_there = m->metric == metric && m->table == which;
        if (is_there)
            continue;
        if (!(m = calloc(1, sizeof *m)))
            return out_of_memory(db, err);
        *m = (hsc_made_sums){.metric = metric, .only = v->only, .table = which, .next = v->made};
        hsc_status status = sum_some(db, v, db->values[i].rows, m, err);
        if (status)
            free(m);
        else
            v->made = m;
        return status;
    }
    *is_done = true;
    return HSC_OK;
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
    if (!known || !is_known(which) || (which == HSC_TABLE_INSTANCE && hsc_interval_is_exact(db, metric)))
        return hsc_err_set(err, HSC_E_MISSING, "%s: metric '%s', table %s: not known by time, so it has no values in an interval", db->path,
                           hsc_db_text(db, HSC_COL_metric_name, metric), hsc_schema_values[which].name);
    hsc_made_sums made = take_made(i, metric, which);
    while (!status && !made.is_done)
        status = sum_some(db, i, v->rows, &made, err);
    if (status)
        return status;
    hsc_interval_resident(db, &v->sum, HSC_COLTYPE_U8, v->rows, made.sums, made.narrow);
    v->present = true;
    for (int k = 0; k < HSC_LEVEL_KINDS; k++)
        v->levels_looked[k] = true;
    return HSC_OK;
}
