/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of an interval's tables from what was counted by leaf: a step at a time, also before the interval is set. */
#include <stdlib.h>
#include <string.h>

#include "adding.h"
#include "interval_sums.h"
#include "large.h"

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

void *hsc_sums_new(hsc_db *db, uint64_t n, bool narrow) { return hsc_spare_take(&db->spares, n * (narrow ? sizeof(uint32_t) : sizeof(uint64_t)), true); }

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

const hsc_leaf_facts *hsc_sums_facts(hsc_db *db, hsc_interval *v, uint32_t metric) {
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
            hsc_leaf_sum_add(&all, hsc_sums_count(v, f->all, metric, k));
    }
    f->narrow = all.any <= UINT32_MAX && all.low <= UINT32_MAX;
    return f;
}

/* Of a table whose rows have leaves of their own: row[k]. There is a place behind the last row, for leaves of none. */
static inline void add_rows(const hsc_interval_table *t, void *sums, bool narrow, bool all, uint32_t metric, const uint32_t *row) {
    enum { AHEAD = 32 }; /* leaves: their rows are not next to each other */
    uint64_t n = t->of->leaves.n, ahead = n > AHEAD ? n - AHEAD : 0;
    for (uint64_t k = 0; k < n; k++) {
        if (k < ahead) /* of no row: any address will do, nothing is read of it */
            __builtin_prefetch((const char *)sums + (uint64_t)row[k + AHEAD] * (narrow ? sizeof(uint32_t) : sizeof(uint64_t)), 1);
        hsc_sums_bump(sums, narrow, row[k] < t->rows ? row[k] : t->rows, hsc_sums_count(t->of, all, metric, k));
    }
}

void hsc_sums_add_leaves(hsc_interval_table *t, hsc_db_table which, const hsc_leaf_facts *f) {
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

/* Those by category where they are made: then the sums of all are theirs. */
static const uint32_t *find_by_category(const hsc_interval *v, const hsc_leaf_facts *f) {
    for (const hsc_made_sums *m = v->made; m; m = m->next)
        if (m->metric == f->metric && m->table == HSC_TABLE_SCOPE_CATEGORY && m->only == v->only && m->narrow)
            return m->sums;
    return NULL;
}

/* A table's sums, of an interval that is set or not. After an error nothing is there. */
static hsc_status sum_table(hsc_db *db, hsc_interval *v, uint64_t rows, hsc_made_sums *m, hsc_err *err) {
    hsc_interval_table t = {.db = db, .of = v, .rows = rows};
    hsc_status status = hsc_db_load(db, HSC_TAB_instance, err);
    const hsc_leaf_facts *f = hsc_sums_facts(db, v, m->metric);
    if (!status) {
        db->passes++;
        m->narrow = f->narrow;
        m->sums = hsc_sums_new(db, rows + 1, m->narrow);
    }
    if (m->narrow)
        t.narrow = m->sums;
    else
        t.wide = m->sums;
    if (m->table == HSC_TABLE_LINE_INCL)
        t.seen = calloc(rows + 1, sizeof *t.seen);
    if (!status && (!m->sums || (m->table == HSC_TABLE_LINE_INCL && !t.seen)))
        status = out_of_memory(db, err);
    const uint32_t *by_category = m->table == HSC_TABLE_SCOPE_INCL && f->narrow ? find_by_category(v, f) : NULL;
    if (!status && hsc_is_of_contexts(m->table) && !by_category)
        status = hsc_contexts_begin(db, v, f, err);
    if (!status && hsc_is_of_contexts(m->table) && !hsc_contexts_add(&t, v, m->table, by_category))
        status = out_of_memory(db, err);
    else if (!status && !hsc_is_of_contexts(m->table))
        hsc_sums_add_leaves(&t, m->table, f);
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

/* Was the table asked for of what is set now, before its threads were counted? Of the whole run that is not known: what lists of all versions and contexts ask for
 * comes later there. */
static bool is_asked_first(const hsc_db *db, uint64_t number) {
    hsc_db_table which = (hsc_db_table)(number % HSC_VALUES_COUNT);
    if (db->interval)
        return db->interval->early && db->interval->early[number];
    return db->values[number].sum.name[0] && which != HSC_TABLE_INSTANCE && which != HSC_TABLE_CONTEXT_EXCL;
}

void hsc_interval_foresee(hsc_db *db) {
    uint64_t leaves = db->tables.rows[HSC_TAB_leaf], numbers = db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT;
    bool of_contexts = false;
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
        of_contexts = of_contexts || hsc_is_of_contexts(which);
    }
    if (of_contexts)
        hsc_spare_foresee(&db->spares, hsc_contexts_room(db));
}

static bool is_made(const hsc_interval *v, uint32_t metric, hsc_db_table which) {
    for (const hsc_made_sums *m = v->made; m; m = m->next)
        if (m->metric == metric && m->table == which)
            return true;
    return hsc_ahead_has(v, metric, which);
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
    /* exclusive ones first, what is asked for before anything is drawn (sums of scopes), then what is drawn; scopes by category before scopes, whose sums are
     * theirs */
    static const hsc_db_table order[] = {HSC_TABLE_SCOPE_EXCL, HSC_TABLE_CONTEXT_EXCL, HSC_TABLE_SCOPE_CATEGORY, HSC_TABLE_SCOPE_INCL,
                                         HSC_TABLE_INSTANCE,   HSC_TABLE_LINE,         HSC_TABLE_INSTRUCTION,    HSC_TABLE_LINE_INCL};
    hsc_status status = hsc_db_load(db, HSC_TAB_instance, err);
    uint64_t next = status ? UINT64_MAX : next_of(db, v, order, sizeof order / sizeof *order);
    *is_done = !status && next == UINT64_MAX;
    if (next != UINT64_MAX && hsc_ahead_give(db, v, (uint32_t)(next / HSC_VALUES_COUNT), (hsc_db_table)(next % HSC_VALUES_COUNT)))
        db->passes++; /* of a step, which does not take longer by it */
    else if (next != UINT64_MAX)
        status = make_one(db, v, next, err);
    if (*is_done) { /* the other thread has its tables until they are asked for */
        hsc_ahead_close(v);
        hsc_interval_end_sums(v);
    }
    return status;
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
    if (hsc_ahead_has(i, metric, which))
        hsc_ahead_wait(i, metric, which);
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
