/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store_bins.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tally.h"
#include "times.h"

enum { COUNT, CATEGORY, CATEGORY_COUNT, SCOPE, SCOPE_COUNT, PROCEDURE, PROCEDURE_COUNT, SETS };
enum { HELD = 256, /* rows on their way into a stream */ LIST_KEPT = 65536 /* items, from one thread to the next */ };

typedef struct bin_class { /* counts of leaves with one scope and one category go together */
    uint32_t scope, procedure;
    uint8_t category;
    bool whole_scope, whole_procedure; /* nothing else is of it */
} bin_class;

typedef struct level {
    hid_t group;
    uint64_t rows, *indptr;
    uint32_t *first;
    hsc_out_stream *sets[SETS];
    uint32_t held[SETS][HELD], n_held;
    uint8_t categories[HELD];
    bool any;            /* a bin is under way */
    uint64_t bin;        /* its number */
    hsc_tallied classes; /* of it, from bins of the level below; of one class several times */
} level;

struct hsc_store_bins {
    hsc_store *s;
    hid_t group;
    uint32_t bin;
    uint64_t threads, done, n_categories;
    const hsc_leaf_facts *leaves;
    bin_class *classes;
    hsc_tally by_class, by_scope, by_procedure;
    uint64_t by_category[256];
    level *levels;
    unsigned n_levels;
};

static hsc_status no_memory(const hsc_store *s, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for the samples by time", s->path);
}

void hsc_store_bins_free(hsc_store_bins *b) {
    if (!b)
        return;
    for (unsigned k = 0; k < b->n_levels; k++) {
        level *l = &b->levels[k];
        for (unsigned i = 0; i < SETS; i++)
            hsc_out_stream_abort(l->sets[i]);
        if (l->group > 0)
            H5Gclose(l->group);
        free(l->indptr);
        free(l->first);
        free(l->classes.p);
    }
    if (b->group > 0)
        H5Gclose(b->group);
    hsc_tally_fini(&b->by_class);
    hsc_tally_fini(&b->by_scope);
    hsc_tally_fini(&b->by_procedure);
    free(b->classes);
    free(b->levels);
    free(b);
}

/* ---- begin ---- */

static hsc_status open_level(hsc_store_bins *b, unsigned at, hsc_err *err) {
    static const struct {
        const char *name, *description, *references;
        hsc_column_type type;
    } sets[SETS] = {
        {"count", "counts of metric 0", "", HSC_COLTYPE_U4},
        {"category", "the category with most of them; the smaller row of several", "/run/category", HSC_COLTYPE_U1},
        {"category_count", "counts of that category", "", HSC_COLTYPE_U4},
        {"scope", "the innermost scope with most of them; 4294967295: no counts", "/static/scope", HSC_COLTYPE_U4},
        {"scope_count", "counts of that scope itself", "", HSC_COLTYPE_U4},
        {"procedure", "the procedure with most of them, its loops included; 4294967295: no counts", "/static/scope",
         HSC_COLTYPE_U4},
        {"procedure_count", "counts of that procedure", "", HSC_COLTYPE_U4}};
    hsc_store *s = b->s;
    level *l = &b->levels[at];
    char name[24];
    uint64_t width = hsc_bin_width(b->bin, at);
    snprintf(name, sizeof name, "%u", at);
    hsc_status status = hsc_out_told_group(s->out, b->group, name,
                                           "bins of `width` ticks from the start of the run: thread i has rows "
                                           "[indptr[i], indptr[i + 1]), which are its bins from first[i] on",
                                           &l->group, err);
    if (!status)
        status = hsc_out_numbers(s->out, l->group, "width", H5T_STD_U64LE, H5T_NATIVE_UINT64, &width, 1, err);
    for (int k = 0; k < SETS && !status; k++) {
        hsc_out_notes notes = {
            .description = sets[k].description, .references = sets[k].references, .effort = HSC_EFFORT_SERIES};
        status = hsc_out_stream_open(s->out, l->group, sets[k].name, sets[k].type, &notes, &l->sets[k], err);
    }
    l->indptr = calloc(b->threads + 1, sizeof *l->indptr);
    l->first = calloc(b->threads + 1, sizeof *l->first);
    return status || (l->indptr && l->first) ? status : no_memory(s, err);
}

static int by_class(const void *pa, const void *pb, void *ctx) {
    const hsc_leaf_facts *leaves = ctx, *a = &leaves[*(const uint32_t *)pa], *b = &leaves[*(const uint32_t *)pb];
    if (a->procedure != b->procedure)
        return a->procedure < b->procedure ? -1 : 1;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return a->category < b->category ? -1 : a->category > b->category;
}

/* Classes of leaves: those of a procedure follow each other, and in it those of a scope. Number of them. */
static uint32_t find_classes(hsc_store_bins *b, hsc_leaf_facts *leaves, uint64_t n_leaves, uint32_t *order) {
    uint32_t n = 0, m = 0;
    for (uint32_t i = 0; i < n_leaves; i++)
        if (leaves[i].binned)
            order[m++] = i;
    if (m > 1)
        qsort_r(order, m, sizeof *order, by_class, leaves);
    for (uint32_t i = 0; i < m; i++) {
        hsc_leaf_facts *f = &leaves[order[i]];
        if (!i || by_class(&order[i - 1], &order[i], leaves))
            b->classes[n++] = (bin_class){f->scope, f->procedure, f->category, true, true};
        f->class = n - 1;
    }
    for (uint32_t i = 1; i < n; i++) {
        bin_class *before = &b->classes[i - 1], *c = &b->classes[i];
        if (c->scope == before->scope)
            c->whole_scope = before->whole_scope = false;
        if (c->procedure == before->procedure)
            c->whole_procedure = before->whole_procedure = false;
    }
    return n;
}

hsc_status hsc_store_bins_new(hsc_store *s, hid_t time, uint32_t end, uint32_t bin, hsc_leaf_facts *leaves,
                              uint64_t n_leaves, hsc_store_bins **out, hsc_err *err) {
    hsc_store_bins *b = *out = calloc(1, sizeof *b);
    uint64_t n_scopes = s->tables.rows[HSC_TAB_scope];
    if (!b)
        return no_memory(s, err);
    b->s = s;
    b->bin = bin;
    b->threads = s->tables.rows[HSC_TAB_thread];
    b->n_categories = s->tables.rows[HSC_TAB_category];
    b->leaves = leaves;
    uint32_t *order = malloc((n_leaves + 1) * sizeof *order);
    b->classes = malloc((n_leaves + 1) * sizeof *b->classes);
    b->levels = calloc(HSC_BIN_LEVELS_MAX, sizeof *b->levels);
    bool good = order && b->classes && b->levels && hsc_tally_init(&b->by_scope, n_scopes) &&
                hsc_tally_init(&b->by_procedure, n_scopes) &&
                hsc_tally_init(&b->by_class, find_classes(b, leaves, n_leaves, order));
    free(order);
    if (!good)
        return no_memory(s, err);
    hsc_status status = hsc_out_told_group(
        s->out, time, "bins", "bins of equal time, each level's four times as wide as those of the one before",
        &b->group, err);
    for (unsigned levels = hsc_bin_levels(end, bin); b->n_levels < levels && !status;)
        status = open_level(b, b->n_levels++, err);
    return status;
}

/* ---- bins ---- */

typedef struct most { /* the row with most, the smaller of several */
    uint64_t count;
    uint32_t row;
} most;

static inline void take(most *m, uint32_t row, uint64_t count) {
    if (count < m->count) /* mostly */
        return;
    bool better = (count > m->count) | (row < m->row);
    m->count = better ? count : m->count;
    m->row = better ? row : m->row;
}

static most take_tally(most m, hsc_tally *t) {
    for (uint32_t i = 0; i < t->n; i++) {
        take(&m, t->touched[i], t->by[t->touched[i]]);
        t->by[t->touched[i]] = 0;
    }
    t->n = 0;
    return m;
}

static uint32_t clipped(uint64_t v) {
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

static hsc_status flush(level *l, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (unsigned i = 0; i < SETS && !status; i++)
        status = i == CATEGORY ? hsc_out_stream_put(l->sets[i], l->categories, l->n_held, err)
                               : hsc_out_stream_put(l->sets[i], l->held[i], l->n_held, err);
    l->n_held = 0;
    return status;
}

/* Rows that nothing was counted in, or one of the sums in by_class, which go to the level above as well, where `up` is
 * not NULL; clears them. */
static hsc_status put_row(hsc_store_bins *b, level *l, level *up, hsc_err *err) {
    most scope = {0, HSC_NONE}, procedure = {0, HSC_NONE}, category = {0, 0};
    uint64_t all = 0;
    uint32_t n = b->by_class.n;
    if (up && !hsc_tallied_reserve(&up->classes, n))
        return no_memory(b->s, err);
    struct hsc_tallied_item *to = up ? up->classes.p + up->classes.n : NULL;
    uint64_t *by_category = b->by_category;
    const bin_class *classes = b->classes;
    hsc_tally by = b->by_class, by_scope = b->by_scope, by_procedure = b->by_procedure;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = by.touched[i];
        uint64_t count = by.by[row];
        const bin_class c = classes[row];
        by.by[row] = 0;
        if (to)
            to[i] = (struct hsc_tallied_item){count, row};
        all += count;
        by_category[c.category] += count;
        if (c.whole_scope)
            take(&scope, c.scope, count);
        else
            hsc_tally_add(&by_scope, c.scope, count);
        if (c.whole_procedure)
            take(&procedure, c.procedure, count);
        else
            hsc_tally_add(&by_procedure, c.procedure, count);
    }
    b->by_class.n = 0;
    b->by_scope.n = by_scope.n;
    b->by_procedure.n = by_procedure.n;
    if (up)
        up->classes.n += n;
    scope = take_tally(scope, &b->by_scope);
    procedure = take_tally(procedure, &b->by_procedure);
    category.count = b->by_category[0];
    for (uint32_t k = 0; k < b->n_categories && k < 256 && n; k++) {
        if (b->by_category[k] > category.count)
            category = (most){b->by_category[k], k};
        b->by_category[k] = 0;
    }
    uint32_t at = l->n_held++;
    l->held[COUNT][at] = clipped(all);
    l->categories[at] = (uint8_t)category.row;
    l->held[CATEGORY_COUNT][at] = clipped(category.count);
    l->held[SCOPE][at] = scope.row;
    l->held[SCOPE_COUNT][at] = clipped(scope.count);
    l->held[PROCEDURE][at] = procedure.row;
    l->held[PROCEDURE_COUNT][at] = clipped(procedure.count);
    l->rows++;
    return l->n_held == HELD ? flush(l, err) : HSC_OK;
}

static hsc_status end_bin(hsc_store_bins *b, unsigned at, hsc_err *err);

/* Bin `number` of a level is begun: the one before is ended, and those between have nothing. */
static hsc_status begin_bin(hsc_store_bins *b, unsigned at, uint64_t number, hsc_err *err) {
    level *l = &b->levels[at];
    hsc_status status = l->any ? end_bin(b, at, err) : HSC_OK;
    if (!l->any)
        l->first[b->done] = (uint32_t)number;
    else
        while (!status && ++l->bin < number)
            status = put_row(b, l, NULL, err);
    l->any = true;
    l->bin = number;
    return status;
}

/* The bin under way of a level is ended, with what is in by_class (level 0) or in its list. */
static hsc_status end_bin(hsc_store_bins *b, unsigned at, hsc_err *err) {
    level *l = &b->levels[at], *up = at + 1 < b->n_levels ? l + 1 : NULL;
    hsc_status status = HSC_OK;
    if (up && (!up->any || up->bin != l->bin / HSC_BIN_FACTOR)) {
        hsc_tally own = b->by_class; /* the level above needs it for the bin that it ends */
        if (!at && own.n && up->any) {
            hsc_tallied *list = &l->classes;
            list->n = 0;
            if (!hsc_tallied_reserve(list, own.n))
                return no_memory(b->s, err);
            for (uint32_t i = 0; i < own.n; i++) {
                list->p[list->n++] = (struct hsc_tallied_item){own.by[own.touched[i]], own.touched[i]};
                own.by[own.touched[i]] = 0;
            }
            b->by_class.n = 0;
        }
        status = begin_bin(b, at + 1, l->bin / HSC_BIN_FACTOR, err);
    }
    hsc_tally_add_list(&b->by_class, &l->classes);
    l->classes.n = 0;
    return status ? status : put_row(b, l, up, err);
}

hsc_status hsc_store_bins_put(hsc_store_bins *b, uint64_t n, const uint32_t *time, const uint32_t *leaf,
                              const uint32_t *count, hsc_err *err) {
    const hsc_leaf_facts *leaves = b->leaves;
    hsc_status status = HSC_OK;
    uint64_t end = 0; /* of the bin under way */
    hsc_tally by = b->by_class;
    for (unsigned k = 0; k < b->n_levels; k++)
        b->levels[k].indptr[b->done] = b->levels[k].rows;
    for (uint64_t i = 0; i < n && !status; i++) {
        const hsc_leaf_facts *f = &leaves[leaf[i]];
        if (!f->binned || !count[i])
            continue;
        if (time[i] >= end) {
            b->by_class = by;
            status = begin_bin(b, 0, time[i] / b->bin, err);
            by = b->by_class;
            end = ((uint64_t)time[i] / b->bin + 1) * b->bin;
        }
        hsc_tally_add(&by, f->class, count[i]);
    }
    b->by_class = by;
    for (unsigned k = 0; k < b->n_levels && !status; k++) {
        level *l = &b->levels[k];
        if (l->any)
            status = end_bin(b, k, err);
        l->any = false;
        l->indptr[b->done + 1] = l->rows;
        if (l->classes.cap > LIST_KEPT) {
            free(l->classes.p);
            l->classes = (hsc_tallied){0};
        }
    }
    b->done++;
    return status;
}

/* ---- end ---- */

hsc_status hsc_store_bins_end(hsc_store_bins *b, hsc_err *err) {
    static const hsc_out_notes by_thread = {.description = "where each thread's begin, and the end"},
                               first = {.description = "number of the thread's first bin"};
    hsc_status status = HSC_OK;
    for (unsigned k = 0; k < b->n_levels && !status; k++) {
        level *l = &b->levels[k];
        status = flush(l, err);
        for (unsigned i = 0; i < SETS && !status; i++) {
            hsc_out_stream *set = l->sets[i];
            l->sets[i] = NULL;
            status = hsc_out_stream_close(set, err);
        }
        if (!status)
            status = hsc_out_set(b->s->out, l->group, "indptr", HSC_COLTYPE_U8, 0, l->indptr, b->threads + 1,
                                 &by_thread, NULL, err);
        if (!status)
            status =
                hsc_out_set(b->s->out, l->group, "first", HSC_COLTYPE_U4, 0, l->first, b->threads, &first, NULL, err);
    }
    return status;
}
