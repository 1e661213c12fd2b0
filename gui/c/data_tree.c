/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: rankings, children of scopes and contexts, callers. */
#include "handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))

static Tcl_Obj *number(double v) {
    if (fabs(v) < 9e15 && v == floor(v))
        return WIDE(v);
    return Tcl_NewDoubleObj(v);
}

static Tcl_Obj *procedure_name(hsc_handle *h, uint32_t scope) {
    hsc_db_scope s;
    if (scope == HSC_NONE || hsc_db_get_scope(h->db, scope, &s, NULL) != HSC_OK)
        return Tcl_NewObj();
    if (s.kind != HSC_SCOPE_PROCEDURE && s.procedure != HSC_NONE &&
        hsc_db_get_scope(h->db, s.procedure, &s, NULL) != HSC_OK)
        return Tcl_NewObj();
    return s.kind == HSC_SCOPE_PROCEDURE ? hsc_tcl_text(s.name, strlen(s.name)) : Tcl_NewObj();
}

/* ---- top and rank ---- */

typedef struct filter {
    hsc_handle *h;
    const hsc_data_args *a;
    uint32_t under_end;
} filter;

static bool is_context(hsc_db_table t) { return t == HSC_TABLE_CONTEXT_EXCL || t == HSC_TABLE_CONTEXT_INCL; }
static bool is_scope(hsc_db_table t) { return t == HSC_TABLE_SCOPE_EXCL || t == HSC_TABLE_SCOPE_INCL; }

static bool accept(void *ctx, uint64_t row) {
    const filter *f = ctx;
    const hsc_data_args *a = f->a;
    uint32_t scope = (uint32_t)row, file = HSC_NONE;
    hsc_db_scope s;
    if (a->view.table == HSC_TABLE_LINE || a->view.table == HSC_TABLE_LINE_INCL) {
        hsc_db_line l;
        if (hsc_db_get_line(f->h->db, (uint32_t)row, &l, NULL) != HSC_OK)
            return false;
        scope = l.scope;
        file = l.file;
    } else if (is_context(a->view.table)) {
        hsc_db_context c;
        if (hsc_db_get_context(f->h->db, (uint32_t)row, &c, NULL) != HSC_OK)
            return false;
        scope = c.scope;
    } else if (a->view.table == HSC_TABLE_INSTANCE) {
        hsc_db_instance v;
        if (hsc_db_get_instance(f->h->db, (uint32_t)row, &v, NULL) != HSC_OK)
            return false;
        scope = v.scope;
    } else if (a->view.table == HSC_TABLE_SCOPE_CATEGORY) {
        scope = (uint32_t)(row / (f->h->info.categories ? f->h->info.categories : 1));
    }
    if (a->reported && scope != HSC_NONE && hsc_db_is_heatscope(f->h->db, scope))
        return false;
    if (a->under != HSC_NONE && (scope < a->under || scope >= f->under_end))
        return false;
    if (a->kind < 0 && a->file == HSC_NONE)
        return true;
    if (scope == HSC_NONE || hsc_db_get_scope(f->h->db, scope, &s, NULL) != HSC_OK)
        return false;
    if (a->kind >= 0 && (int)s.kind != a->kind)
        return false;
    return a->file == HSC_NONE || (file != HSC_NONE ? file : s.file) == a->file;
}

static void stats_of_columns(const float *v, uint32_t n, hsc_db_stats *out) {
    *out = (hsc_db_stats){0};
    double squares = 0;
    for (uint32_t c = 0; c < n; c++) {
        double x = (double)v[c];
        out->sum += x;
        if (!c || x < out->min) {
            out->min = x;
            out->min_column = c;
        }
        if (!c || x > out->max) {
            out->max = x;
            out->max_column = c;
        }
        out->nonzero += x > 0;
    }
    out->mean = n ? out->sum / n : 0;
    for (uint32_t c = 0; c < n; c++)
        squares += ((double)v[c] - out->mean) * ((double)v[c] - out->mean);
    out->stddev = n ? sqrt(squares / n) : 0;
}

static bool is_scope_excl(const hsc_data_args *a) { return a->view.table == HSC_TABLE_SCOPE_EXCL && a->kind >= 0; }
static bool of_reported_loops(const hsc_data_args *a) { return a->reported && is_scope_excl(a) && a->kind == HSC_SCOPE_LOOP; }

/* Is it ranked by what its code took itself, with parts of it that are rows of their own? */
static bool of_holders(const hsc_data_args *a) { return is_scope_excl(a) && (a->kind <= HSC_SCOPE_PROCEDURE || of_reported_loops(a)); }

static hsc_status read_holders(hsc_handle *h, const hsc_data_args *a, const double **own, hsc_err *err) {
    const uint32_t *loop_of;
    return of_reported_loops(a) ? hsc_handle_loops(h, a->view.metric, own, &loop_of, err) : hsc_handle_own(h, a->view.metric, own, err);
}

/* Procedures, modules and files, and loops as the report has them, ranked by what their code took itself. */
static hsc_status top_of_holders(filter *f, hsc_hot *out, uint32_t *found, hsc_err *err) {
    hsc_handle *h = f->h;
    const double *own;
    hsc_status s = read_holders(h, f->a, &own, err);
    hsc_hottest best = {.rows = malloc(hsc_hottest_room(f->a->limit) * sizeof *best.rows), .limit = f->a->limit};
    if (s == HSC_OK && !best.rows)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for a ranking of %u scopes", f->a->limit);
    for (uint32_t i = 0; s == HSC_OK && i < h->info.scopes; i++)
        if (own[i] > best.least && accept(f, i))
            hsc_hottest_add(&best, own[i], i);
    if (s == HSC_OK) {
        *found = hsc_hottest_end(&best);
        memcpy(out, best.rows, *found * sizeof *out);
    }
    free(best.rows);
    return s;
}

/* Rows with `least` or more, which are few: only they are looked at. */
static hsc_status top_of_largest(filter *f, double least, hsc_hot *out, uint32_t *found, hsc_err *err) {
    double chunk[1024];
    uint64_t rows = hsc_db_get_rows(f->h->db, f->a->view.table);
    hsc_status s = HSC_OK;
    hsc_hottest best = {.rows = malloc(hsc_hottest_room(f->a->limit) * sizeof *best.rows), .limit = f->a->limit};
    if (!best.rows)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for a ranking of %u rows", f->a->limit);
    for (uint64_t at = 0; s == HSC_OK && at < rows; at += 1024) {
        uint64_t n = rows - at < 1024 ? rows - at : 1024;
        s = hsc_db_read_sums(f->h->db, f->a->view, at, n, chunk, err);
        for (uint64_t i = 0; s == HSC_OK && i < n; i++)
            if (chunk[i] >= least && chunk[i] > best.least && accept(f, at + i))
                hsc_hottest_add(&best, chunk[i], (uint32_t)(at + i));
    }
    if (s == HSC_OK) {
        *found = hsc_hottest_end(&best);
        memcpy(out, best.rows, *found * sizeof *out);
    }
    free(best.rows);
    return s;
}

/* The ranking: up to a->limit rows in out, of those with a->least of the total. */
static hsc_status top_rows(hsc_handle *h, const hsc_data_args *a, double total, hsc_hot *out, uint32_t *found, hsc_err *err) {
    filter f = {h, a, 0};
    if (a->under != HSC_NONE) {
        hsc_db_scope s;
        hsc_status r = hsc_db_get_scope(h->db, a->under, &s, err);
        if (r != HSC_OK)
            return r;
        f.under_end = s.subtree_end;
    }
    if (of_holders(a))
        return top_of_holders(&f, out, found, err);
    if (a->least > 0 && total > 0)
        return top_of_largest(&f, a->least * total, out, found, err);
    uint64_t *rows = malloc(a->limit * sizeof *rows);
    double *sums = malloc(a->limit * sizeof *sums);
    hsc_status s = HSC_OK;
    bool all = a->kind < 0 && a->file == HSC_NONE && a->under == HSC_NONE && !a->reported;
    if (!rows || !sums)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for a ranking of %u rows", a->limit);
    else
        s = hsc_db_read_top(h->db, a->view, all ? NULL : accept, &f, a->limit, rows, sums, found, err);
    for (uint32_t i = 0; s == HSC_OK && i < *found; i++)
        out[i] = (hsc_hot){sums[i], (uint32_t)rows[i]};
    free(rows);
    free(sums);
    return s;
}

static Tcl_Obj *top_dict(hsc_handle *h, const hsc_data_args *a, uint32_t row, hsc_err *err) {
    if (is_scope(a->view.table)) {
        Tcl_Obj *d = hsc_data_scope(h, row, err);
        hsc_db_scope s;
        if (d && hsc_db_get_scope(h->db, row, &s, NULL) == HSC_OK)
            PUT(d, "filename", hsc_data_filename(h, s.file));
        return d;
    }
    if (is_context(a->view.table))
        return hsc_data_context(h, row, err);
    if (a->view.table == HSC_TABLE_INSTANCE)
        return hsc_data_instance(h, row, err);
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "row", WIDE(row));
    if (a->view.table == HSC_TABLE_LINE || a->view.table == HSC_TABLE_LINE_INCL) {
        hsc_db_line l;
        if (hsc_db_get_line(h->db, row, &l, err) != HSC_OK) {
            Tcl_DecrRefCount(d);
            return NULL;
        }
        PUT(d, "file", hsc_tcl_index(l.file));
        PUT(d, "line", WIDE(l.line));
        PUT(d, "scope", hsc_tcl_index(l.scope));
        PUT(d, "filename", hsc_data_filename(h, l.file));
        PUT(d, "procedure", procedure_name(h, l.scope));
    }
    return d;
}

/* Whose columns a row's statistics are of. */
typedef enum row_of { ROW_OF_TABLE, ROW_OF_HOLDER, ROW_OF_LOOP, ROW_OF_HEATSCOPE } row_of;

static row_of row_of_args(const hsc_data_args *a) { return of_reported_loops(a) ? ROW_OF_LOOP : of_holders(a) ? ROW_OF_HOLDER : ROW_OF_TABLE; }

static hsc_status read_columns(hsc_handle *h, hsc_db_view view, row_of of, uint32_t row, float *out, hsc_err *err) {
    switch (of) {
    case ROW_OF_LOOP: return hsc_handle_loop_columns(h, view, row, out, err);
    case ROW_OF_HEATSCOPE: return hsc_handle_heatscope_columns(h, view, out, err);
    default: return hsc_handle_own_columns(h, view, row, out, err);
    }
}

static hsc_status put_top_stats(hsc_handle *h, hsc_db_view view, row_of of, uint32_t row, Tcl_Obj *d, hsc_err *err) {
    hsc_db_stats st = {0};
    hsc_status s;
    uint32_t columns = hsc_db_get_columns(h->db, view.axis), compared = columns;
    if (of != ROW_OF_TABLE) {
        float *v = calloc((size_t)columns + 1, sizeof *v);
        if (!v)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u columns", columns);
        if ((s = read_columns(h, view, of, row, v, err)) == HSC_OK) {
            stats_of_columns(v, columns, &st);
            compared = hsc_handle_compared(h, view.axis, v, &st);
        }
        free(v);
    } else {
        s = hsc_handle_stats(h, view, row, 1, &st, &compared, err);
    }
    if (s == HSC_OK) {
        hsc_data_put_stats(d, &st, compared);
        PUT(d, "imbalance", Tcl_NewDoubleObj(st.mean > 0 ? st.max / st.mean : 1));
    }
    return s;
}

static int procedure_stats(hsc_handle *h, Tcl_Interp *interp, uint32_t scope, const hsc_data_args *a) {
    hsc_err err = {0};
    Tcl_Obj *d = hsc_data_scope(h, scope, &err);
    if (!d)
        return hsc_tcl_error(interp, &err);
    if (put_top_stats(h, a->view, ROW_OF_HOLDER, scope, d, &err) != HSC_OK) {
        Tcl_DecrRefCount(d);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

/* What -stats 1 gives of one row of a ranking. */
static int row_stats(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a, row_of of) {
    hsc_err err = {0};
    Tcl_Obj *d = Tcl_NewDictObj();
    if (put_top_stats(h, a->view, of, (uint32_t)a->row, d, &err) != HSC_OK) {
        Tcl_DecrRefCount(d);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

static int top(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    uint32_t found = 0;
    double total = 0;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    hsc_hot *rows = malloc(a->limit * sizeof *rows);
    hsc_status s = rows ? HSC_OK : hsc_err_set(&err, HSC_E_MEMORY, "no memory for a ranking of %u rows", a->limit);
    if (s == HSC_OK && (s = hsc_handle_total(h, a->view.metric, &total, &err)) == HSC_OK)
        s = top_rows(h, a, total, rows, &found, &err);
    for (uint32_t i = 0; s == HSC_OK && i < found && !(a->least > 0 && rows[i].sum < a->least * total); i++) {
        Tcl_Obj *d = top_dict(h, a, rows[i].row, &err);
        if (!d) {
            s = err.status;
            break;
        }
        PUT(d, "rank", WIDE(i + 1));
        PUT(d, "sum", number(rows[i].sum));
        PUT(d, "share", Tcl_NewDoubleObj(total > 0 ? rows[i].sum / total : 0));
        Tcl_ListObjAppendElement(NULL, list, d);
        if (a->stats)
            s = put_top_stats(h, a->view, row_of_args(a), rows[i].row, d, &err);
    }
    free(rows);
    if (s != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* How many rows are hotter, plus one. */
static int rank(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    uint64_t rows = hsc_db_get_rows(h->db, a->view.table), place = 1;
    filter f = {h, a, 0};
    double mine, chunk[1024];
    hsc_status s = hsc_db_read_sums(h->db, a->view, a->row, 1, &mine, &err);
    bool all = a->kind < 0 && !a->reported;
    if (s == HSC_OK && of_holders(a)) {
        const double *own;
        if ((s = read_holders(h, a, &own, &err)) == HSC_OK) {
            mine = own[a->row];
            for (uint64_t i = 0; i < rows && mine > 0; i++)
                if ((own[i] > mine || (own[i] >= mine && i < a->row)) && accept(&f, i))
                    place++;
        }
        rows = 0; /* done */
    }
    for (uint64_t at = 0; s == HSC_OK && mine > 0 && at < rows; at += 1024) {
        uint64_t n = rows - at < 1024 ? rows - at : 1024;
        if ((s = hsc_db_read_sums(h->db, a->view, at, n, chunk, &err)) != HSC_OK)
            break;
        for (uint64_t i = 0; i < n; i++)
            if ((chunk[i] > mine || (chunk[i] >= mine && at + i < a->row)) && (all || accept(&f, at + i)))
                place++;
    }
    if (s != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, WIDE(mine > 0 ? place : 0));
    return TCL_OK;
}

/* ---- children ---- */

/* Children of a row in pre-order tables, hottest first. *out is malloc'ed. */
static hsc_status children_of(hsc_handle *h, bool contexts, hsc_db_view view, uint32_t parent, hsc_hot **out, uint32_t *n,
                              hsc_err *err) {
    uint32_t count = 0, capacity = 0, end, limit = contexts ? h->info.contexts : h->info.scopes;
    hsc_hot *list = NULL;
    hsc_status s = HSC_OK;
    hsc_db_context c;
    hsc_db_scope sc;
    s = contexts ? hsc_db_get_context(h->db, parent, &c, err) : hsc_db_get_scope(h->db, parent, &sc, err);
    if (s != HSC_OK)
        return s;
    end = contexts ? c.subtree_end : sc.subtree_end;
    if (end > limit)
        end = limit;
    for (uint32_t i = parent + 1; i < end;) {
        double sum;
        if ((s = hsc_db_read_sums(h->db, view, i, 1, &sum, err)) != HSC_OK)
            goto done;
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            hsc_hot *bigger = realloc(list, capacity * sizeof *bigger);
            if (!bigger) {
                s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u children", capacity);
                goto done;
            }
            list = bigger;
        }
        list[count++] = (hsc_hot){sum, i};
        s = contexts ? hsc_db_get_context(h->db, i, &c, err) : hsc_db_get_scope(h->db, i, &sc, err);
        if (s != HSC_OK)
            goto done;
        uint32_t next = contexts ? c.subtree_end : sc.subtree_end;
        i = next > i ? next : i + 1;
    }
    if (count)
        qsort(list, count, sizeof *list, hsc_hottest_first);
done:
    if (s != HSC_OK) {
        free(list);
    } else {
        *out = list;
        *n = count;
    }
    return s;
}

/* Dicts of scopes or contexts with inclusive, exclusive and share. */
static int value_list(hsc_handle *h, Tcl_Interp *interp, bool contexts, hsc_db_view view, const hsc_hot *rows, uint32_t n) {
    hsc_err err = {0};
    double total = 0;
    hsc_status s = hsc_handle_total(h, view.metric, &total, &err);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    view.table = contexts ? HSC_TABLE_CONTEXT_EXCL : HSC_TABLE_SCOPE_EXCL;
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        double exclusive;
        if ((s = hsc_db_read_sums(h->db, view, rows[i].row, 1, &exclusive, &err)) != HSC_OK)
            break;
        Tcl_Obj *d = contexts ? hsc_data_context(h, rows[i].row, &err) : hsc_data_scope(h, rows[i].row, &err);
        if (!d) {
            s = err.status;
            break;
        }
        PUT(d, "inclusive", number(rows[i].sum));
        PUT(d, "exclusive", number(exclusive));
        PUT(d, "share", Tcl_NewDoubleObj(total > 0 ? rows[i].sum / total : 0));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    if (s != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int children(hsc_handle *h, Tcl_Interp *interp, bool contexts, uint32_t parent, hsc_data_args *a) {
    hsc_err err = {0};
    hsc_hot *rows = NULL;
    uint32_t n = 0;
    a->view.table = contexts ? HSC_TABLE_CONTEXT_INCL : HSC_TABLE_SCOPE_INCL;
    if (children_of(h, contexts, a->view, parent, &rows, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    int r = value_list(h, interp, contexts, a->view, rows, n < a->limit ? n : a->limit);
    free(rows);
    return r;
}

/* Of the children of a context, the hottest first: row, inclusive and exclusive value, 1 if it has none itself. */
static int context_values(hsc_handle *h, Tcl_Interp *interp, uint32_t parent, hsc_data_args *a) {
    hsc_err err = {0};
    hsc_hot *rows = NULL;
    uint32_t n = 0;
    hsc_db_view exclusive = {a->view.metric, HSC_TABLE_CONTEXT_EXCL, a->view.axis};
    a->view.table = HSC_TABLE_CONTEXT_INCL;
    if (children_of(h, true, a->view, parent, &rows, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < n && i < a->limit; i++) {
        hsc_db_context c;
        double own;
        if ((s = hsc_db_read_sums(h->db, exclusive, rows[i].row, 1, &own, &err)) != HSC_OK ||
            (s = hsc_db_get_context(h->db, rows[i].row, &c, &err)) != HSC_OK)
            break;
        Tcl_Obj *const words[] = {WIDE(rows[i].row), number(rows[i].sum), number(own), WIDE(c.subtree_end <= rows[i].row + 1)};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            Tcl_ListObjAppendElement(NULL, list, words[k]);
    }
    free(rows);
    if (s != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int hot_path(hsc_handle *h, Tcl_Interp *interp, uint32_t context, hsc_data_args *a) {
    hsc_err err = {0};
    double mine = 0;
    a->view.table = HSC_TABLE_CONTEXT_INCL;
    hsc_status s = h->info.contexts ? hsc_db_read_sums(h->db, a->view, context, 1, &mine, &err) : HSC_OK;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    while (s == HSC_OK && h->info.contexts) {
        hsc_hot *rows = NULL;
        uint32_t n = 0;
        Tcl_ListObjAppendElement(NULL, list, WIDE(context));
        if ((s = children_of(h, true, a->view, context, &rows, &n, &err)) != HSC_OK)
            break;
        hsc_hot best = n ? rows[0] : (hsc_hot){0, 0};
        free(rows);
        if (!n || best.sum < mine / 2 || best.sum <= 0)
            break;
        context = best.row;
        mine = best.sum;
    }
    if (s != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* The procedure a context is in: the scope of the nearest procedure context at or above it. */
static hsc_status caller_of(hsc_handle *h, uint32_t context, uint32_t *procedure, hsc_err *err) {
    for (;;) {
        hsc_db_context c;
        hsc_status s = hsc_db_get_context(h->db, context, &c, err);
        if (s != HSC_OK)
            return s;
        if (c.kind == HSC_CONTEXT_PROCEDURE || c.kind == HSC_CONTEXT_INLINED || c.parent >= context) {
            *procedure = c.scope;
            return HSC_OK;
        }
        context = c.parent;
    }
}

static int by_row(const void *a, const void *b) {
    const hsc_hot *x = a, *y = b;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* callers: values of the contexts of S by the procedure above; contextsof: those contexts. A context below another one of
 * the same scope (recursion) counts for contextsof only. */
static int uses_of(hsc_handle *h, Tcl_Interp *interp, bool callers, uint32_t scope, hsc_data_args *a) {
    hsc_err err = {0};
    hsc_status s = HSC_OK;
    hsc_hot *rows = NULL;
    uint32_t n = 0, capacity = 0, inside_until = 0, all = 0;
    const uint32_t *contexts = NULL;
    a->view.table = HSC_TABLE_CONTEXT_INCL;
    s = hsc_handle_contexts(h, scope, &contexts, &all, &err);
    for (uint32_t at = 0; s == HSC_OK && at < all; at++) {
        hsc_db_context c;
        uint32_t i = contexts[at];
        hsc_hot one = {0, i};
        if ((s = hsc_db_get_context(h->db, i, &c, &err)) != HSC_OK)
            break;
        if (callers && i < inside_until)
            continue;
        inside_until = c.subtree_end;
        if ((s = hsc_db_read_sums(h->db, a->view, i, 1, &one.sum, &err)) != HSC_OK ||
            (callers && i > 0 && (s = caller_of(h, c.parent, &one.row, &err)) != HSC_OK))
            break;
        if (n == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            hsc_hot *bigger = realloc(rows, capacity * sizeof *bigger);
            if (!bigger) {
                s = hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u contexts", capacity);
                break;
            }
            rows = bigger;
        }
        rows[n++] = one;
    }
    int r = TCL_OK;
    if (s != HSC_OK) {
        r = hsc_tcl_error(interp, &err);
        goto done;
    }
    if (callers && n) { /* add up equal callers */
        uint32_t k = 0;
        qsort(rows, n, sizeof *rows, by_row);
        for (uint32_t i = 1; i < n; i++) {
            if (rows[i].row == rows[k].row)
                rows[k].sum += rows[i].sum;
            else
                rows[++k] = rows[i];
        }
        n = k + 1;
    }
    if (n)
        qsort(rows, n, sizeof *rows, hsc_hottest_first);
    if (n > a->limit)
        n = a->limit;
    if (!callers) {
        r = value_list(h, interp, true, a->view, rows, n);
        goto done;
    }
    double total = 0;
    if (hsc_handle_total(h, a->view.metric, &total, &err) != HSC_OK) {
        r = hsc_tcl_error(interp, &err);
        goto done;
    }
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n; i++) {
        hsc_db_scope sc = {.name = "", .file = HSC_NONE};
        if (rows[i].row != HSC_NONE)
            (void)hsc_db_get_scope(h->db, rows[i].row, &sc, NULL);
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "scope", hsc_tcl_index(rows[i].row));
        PUT(d, "name", hsc_tcl_text(sc.name, strlen(sc.name)));
        PUT(d, "file", hsc_tcl_index(sc.file));
        PUT(d, "line", WIDE(sc.line_begin));
        PUT(d, "inclusive", number(rows[i].sum));
        PUT(d, "share", Tcl_NewDoubleObj(total > 0 ? rows[i].sum / total : 0));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    Tcl_SetObjResult(interp, list);
done:
    free(rows);
    return r;
}

int hsc_data_tree(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    static const char *const names[] = {"top", "rank", "children", "contexts", "hotpath", "callers", "contextsof", "find",
                                       "procstats", "contextvalues", "rowstats", "heatscope", NULL};
    int k = 0;
    uint32_t row = 0;
    hsc_data_args a;
    while (names[k] && strcmp(name, names[k]))
        k++;
    switch (k) {
    case 0:
        if (hsc_data_parse(h, interp, objc, objv,
                           HSC_ARG_TABLE | HSC_ARG_KIND | HSC_ARG_UNDER | HSC_ARG_FILE | HSC_ARG_N | HSC_ARG_STATS | HSC_ARG_REPORTED | HSC_ARG_LEAST,
                           HSC_ARG_TABLE, 200, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return top(h, interp, &a);
    case 1:
        if (hsc_data_parse(h, interp, objc, objv, HSC_ARG_TABLE | HSC_ARG_ROW | HSC_ARG_KIND | HSC_ARG_REPORTED,
                           HSC_ARG_TABLE | HSC_ARG_ROW, 1, 1, &a) != TCL_OK)
            return TCL_ERROR;
        return rank(h, interp, &a);
    case 7: return hsc_data_find(h, interp, objc, objv);
    case 10:
        if (hsc_data_parse(h, interp, objc, objv, HSC_ARG_TABLE | HSC_ARG_ROW | HSC_ARG_KIND | HSC_ARG_REPORTED,
                           HSC_ARG_TABLE | HSC_ARG_ROW, 1, 1, &a) != TCL_OK)
            return TCL_ERROR;
        return row_stats(h, interp, &a, row_of_args(&a));
    case 11: return hsc_data_parse(h, interp, objc, objv, 0, 0, 1, 1, &a) == TCL_OK ? row_stats(h, interp, &a, ROW_OF_HEATSCOPE) : TCL_ERROR;
    case 12: return TCL_CONTINUE;
    default: break;
    }
    bool contexts = k == 3 || k == 4 || k == 9, optional = k == 4 && (objc == 0 || Tcl_GetString(objv[0])[0] == '-');
    if (!optional) {
        if (objc < 1)
            return hsc_tcl_usage(interp, "%s %s ?-metric M? ?-n N?", name, contexts ? "CONTEXT" : "SCOPE");
        if (hsc_tcl_get_index(interp, objv[0], contexts ? "context" : "scope",
                              contexts ? h->info.contexts : h->info.scopes, &row) != TCL_OK)
            return TCL_ERROR;
        objc--;
        objv++;
    }
    if (hsc_data_parse(h, interp, objc, objv, HSC_ARG_N, 0, 1000, 4096, &a) != TCL_OK)
        return TCL_ERROR;
    switch (k) {
    case 2: return children(h, interp, false, row, &a);
    case 3: return children(h, interp, true, row, &a);
    case 4: return hot_path(h, interp, row, &a);
    case 8: return procedure_stats(h, interp, row, &a);
    case 9: return context_values(h, interp, row, &a);
    default: return uses_of(h, interp, k == 5, row, &a);
    }
}
