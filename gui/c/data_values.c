/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: commands that read values of given rows. */
#include "handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))
#define CELLS_MAX 65536

/* Counts are whole: show them so. */
static Tcl_Obj *number(double v) {
    if (fabs(v) < 9e15 && v == floor(v))
        return WIDE(v);
    return Tcl_NewDoubleObj(v);
}

/* compared: columns that mean, deviation and minimum are over. */
void hsc_data_put_stats(Tcl_Obj *d, const hsc_db_stats *s, uint32_t compared) {
    PUT(d, "sum", number(s->sum));
    PUT(d, "mean", Tcl_NewDoubleObj(s->mean));
    PUT(d, "stddev", Tcl_NewDoubleObj(s->stddev));
    PUT(d, "min", number(s->min));
    PUT(d, "max", number(s->max));
    PUT(d, "min_column", hsc_tcl_index(s->min_column));
    PUT(d, "max_column", hsc_tcl_index(s->max_column));
    PUT(d, "nonzero", WIDE(s->nonzero));
    PUT(d, "compared", WIDE(compared));
}

static int total(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    double v;
    if (hsc_handle_total(h, a->view.metric, &v, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, number(v));
    return TCL_OK;
}

/* weight: what a sample counts on the average, with the spread of it: (sum of w^2) / (sum of w). 1: each counts 1. */
static int weight(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    hsc_weighted v = {0, 0};
    hsc_db_view view = {a->view.metric, HSC_TABLE_SCOPE_INCL, a->view.axis};
    if (h->info.scopes && hsc_db_read_weighted(h->db, view, 0, 1, &v, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, Tcl_NewDoubleObj(v.sum > 0 ? 1 + v.excess / v.sum : 1));
    return TCL_OK;
}

static int sums(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    if (a->n > CELLS_MAX)
        return hsc_tcl_usage(interp, "sums of %llu rows: at most %d at a time", (unsigned long long)a->n, CELLS_MAX);
    double *v = malloc((a->n + 1) * sizeof *v);
    if (!v)
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %llu sums", (unsigned long long)a->n);
    if (!v || hsc_db_read_sums(h->db, a->view, a->first, a->n, v, &err) != HSC_OK) {
        free(v);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint64_t i = 0; i < a->n; i++)
        Tcl_ListObjAppendElement(NULL, list, number(v[i]));
    free(v);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int stats(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    if (a->n > 4096)
        return hsc_tcl_usage(interp, "statistics of %llu rows: at most 4096 at a time", (unsigned long long)a->n);
    hsc_db_stats *v = calloc(a->n + 1, sizeof *v);
    uint32_t *compared = calloc(a->n + 1, sizeof *compared);
    if (!v || !compared)
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %llu statistics", (unsigned long long)a->n);
    if (!v || !compared || hsc_handle_stats(h, a->view, a->first, a->n, v, compared, &err) != HSC_OK) {
        free(v);
        free(compared);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint64_t i = 0; i < a->n; i++) {
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "row", WIDE(a->first + i));
        hsc_data_put_stats(d, &v[i], compared[i]);
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    free(v);
    free(compared);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int block(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    if (a->m && a->n > CELLS_MAX / a->m)
        return hsc_tcl_usage(interp, "block of %llu x %u values: at most %d at a time", (unsigned long long)a->n, a->m,
                             CELLS_MAX);
    float *v = calloc(a->n * a->m + 1, sizeof *v);
    if (!v)
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for a block");
    if (!v || hsc_db_read_block(h->db, a->view, a->first, a->n, a->column, a->m, v, &err) != HSC_OK) {
        free(v);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint64_t i = 0; i < a->n; i++) {
        Tcl_Obj *row = Tcl_NewListObj(0, NULL);
        for (uint32_t j = 0; j < a->m; j++)
            Tcl_ListObjAppendElement(NULL, row, number((double)v[i * a->m + j]));
        Tcl_ListObjAppendElement(NULL, list, row);
    }
    free(v);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

typedef struct ranked {
    float value;
    uint32_t column;
} ranked;

static int by_value(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static int ranking(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    uint32_t columns = hsc_db_get_columns(h->db, a->view.axis);
    float *v = calloc((size_t)columns + 1, sizeof *v);
    ranked *r = calloc((size_t)columns + 1, sizeof *r);
    if (!v || !r)
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u columns", columns);
    if (!v || !r || hsc_handle_columns(h, a->view, a->row, 1, v, &err) != HSC_OK) {
        free(v);
        free(r);
        return hsc_tcl_error(interp, &err);
    }
    for (uint32_t c = 0; c < columns; c++)
        r[c] = (ranked){v[c], c};
    qsort(r, columns, sizeof *r, by_value);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t c = 0; c < columns && c < a->limit; c++) {
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "column", WIDE(r[c].column));
        PUT(d, "value", number((double)r[c].value));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    free(v);
    free(r);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int maximum(hsc_handle *h, Tcl_Interp *interp, hsc_data_args *a) {
    hsc_err err = {0};
    uint32_t columns = hsc_db_get_columns(h->db, a->view.axis), bins = a->bins && a->bins < columns ? a->bins : columns;
    uint64_t rows = hsc_db_get_rows(h->db, a->view.table), n = a->n ? a->n : rows - a->first;
    uint32_t *bin_of = malloc(((size_t)columns + 1) * sizeof *bin_of);
    uint64_t step = a->reduce == HSC_REDUCE_MAX ? n : bins ? 4 * CELLS_MAX / bins + 1 : 1;
    if (step > n)
        step = n;
    uint64_t picture_rows = a->reduce == HSC_REDUCE_MAX ? 1 : step;
    uint32_t *lo = malloc((picture_rows + 1) * sizeof *lo), *hi = malloc((picture_rows + 1) * sizeof *hi);
    float *v = malloc((picture_rows * bins + 1) * sizeof *v), best = 0;
    hsc_status s = HSC_OK;
    if (!bin_of || !lo || !hi || !v)
        s = hsc_err_set(&err, HSC_E_MEMORY, "no memory to look for a maximum");
    uint32_t group = bins ? columns / bins + (columns % bins != 0) : 1;
    for (uint32_t c = 0; s == HSC_OK && c < columns; c++)
        bin_of[c] = c / group;
    for (uint64_t at = a->first; s == HSC_OK && at < a->first + n && bins; at += step) {
        uint64_t end = at + step < a->first + n ? at + step : a->first + n;
        uint32_t k = 0;
        if (a->reduce == HSC_REDUCE_MAX) {
            lo[k] = (uint32_t)at;
            hi[k++] = (uint32_t)end;
        } else {
            for (uint64_t r = at; r < end; r++, k++) {
                lo[k] = (uint32_t)r;
                hi[k] = (uint32_t)(r + 1);
            }
        }
        s = hsc_db_read_bins(h->db, a->view, (hsc_db_reduce)a->reduce, k, lo, hi, bins, bin_of, v, &err);
        for (uint64_t i = 0; s == HSC_OK && i < (uint64_t)k * bins; i++)
            if (v[i] > best)
                best = v[i];
    }
    free(bin_of);
    free(lo);
    free(hi);
    free(v);
    if (s != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, number((double)best));
    return TCL_OK;
}

static int categories(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    hsc_err err = {0};
    uint32_t scope, n = h->info.categories;
    if (objc < 1)
        return hsc_tcl_usage(interp, "categories SCOPE ?-metric M? ?-axis A?");
    if (hsc_tcl_get_index(interp, objv[0], "scope", h->info.scopes, &scope) != TCL_OK ||
        hsc_data_parse(h, interp, objc - 1, objv + 1, 0, 0, 1, 1, &a) != TCL_OK)
        return TCL_ERROR;
    a.view.table = HSC_TABLE_SCOPE_CATEGORY;
    hsc_db_stats *v = calloc((size_t)n + 1, sizeof *v);
    uint32_t *compared = calloc((size_t)n + 1, sizeof *compared);
    if (!v || !compared)
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u categories", n);
    if (!v || !compared || (n && hsc_handle_stats(h, a.view, (uint64_t)scope * n, n, v, compared, &err) != HSC_OK)) {
        free(v);
        free(compared);
        return hsc_tcl_error(interp, &err);
    }
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += v[i].sum;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = hsc_db_get_category(h->db, i);
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "category", WIDE(i));
        PUT(d, "name", hsc_tcl_text(name ? name : "", name ? strlen(name) : 0));
        hsc_data_put_stats(d, &v[i], compared[i]);
        PUT(d, "share", Tcl_NewDoubleObj(sum > 0 ? v[i].sum / sum : 0));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    free(v);
    free(compared);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int instances(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    hsc_err err = {0};
    uint32_t scope;
    if (objc < 1)
        return hsc_tcl_usage(interp, "instances SCOPE ?-metric M?");
    if (hsc_tcl_get_index(interp, objv[0], "scope", h->info.scopes, &scope) != TCL_OK ||
        hsc_data_parse(h, interp, objc - 1, objv + 1, 0, 0, 1, 1, &a) != TCL_OK)
        return TCL_ERROR;
    double all = 0;
    hsc_status s = HSC_OK;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    a.view.table = HSC_TABLE_SCOPE_EXCL;
    s = hsc_db_read_sums(h->db, a.view, scope, 1, &all, &err);
    a.view.table = HSC_TABLE_INSTANCE;
    const uint32_t *rows = NULL;
    uint32_t n = 0;
    if (s == HSC_OK)
        s = hsc_handle_instances(h, scope, &rows, &n, &err);
    for (uint32_t k = 0; s == HSC_OK && k < n; k++) {
        uint32_t i = rows[k];
        double sum;
        s = hsc_db_read_sums(h->db, a.view, i, 1, &sum, &err);
        bool known = s != HSC_E_MISSING; /* an interval of a metric that is not sampled is not known by version */
        if (!known) {
            sum = 0;
            s = HSC_OK;
        }
        if (s != HSC_OK)
            break;
        Tcl_Obj *d = hsc_data_instance(h, i, &err);
        if (!d) {
            s = err.status;
            break;
        }
        PUT(d, "sum", number(sum));
        PUT(d, "known", Tcl_NewBooleanObj(known));
        PUT(d, "share", Tcl_NewDoubleObj(all > 0 ? sum / all : 0));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    if (s != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

int hsc_data_values(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    static const struct {
        const char *name;
        unsigned takes, needs;
    } commands[] = {{"total", 0, 0},
                    {"sums", HSC_ARG_TABLE | HSC_ARG_ROWS, HSC_ARG_TABLE | HSC_ARG_ROWS},
                    {"stats", HSC_ARG_TABLE | HSC_ARG_ROWS, HSC_ARG_TABLE | HSC_ARG_ROWS},
                    {"block", HSC_ARG_TABLE | HSC_ARG_ROWS | HSC_ARG_COLUMNS,
                     HSC_ARG_TABLE | HSC_ARG_ROWS | HSC_ARG_COLUMNS},
                    {"ranking", HSC_ARG_TABLE | HSC_ARG_ROW | HSC_ARG_N, HSC_ARG_TABLE | HSC_ARG_ROW},
                    {"maximum", HSC_ARG_TABLE | HSC_ARG_ROWS | HSC_ARG_REDUCE | HSC_ARG_BINS, HSC_ARG_TABLE},
                    {"weight", 0, 0}};
    if (!strcmp(name, "categories"))
        return categories(h, interp, objc, objv);
    if (!strcmp(name, "instances"))
        return instances(h, interp, objc, objv);
    int k = 0, n = (int)(sizeof commands / sizeof *commands);
    while (k < n && strcmp(name, commands[k].name))
        k++;
    if (k == n)
        return TCL_CONTINUE;
    hsc_data_args a;
    if (hsc_data_parse(h, interp, objc, objv, commands[k].takes, commands[k].needs, 20, 4096, &a) != TCL_OK)
        return TCL_ERROR;
    switch (k) {
    case 0: return total(h, interp, &a);
    case 1: return sums(h, interp, &a);
    case 2: return stats(h, interp, &a);
    case 3: return block(h, interp, &a);
    case 4: return ranking(h, interp, &a);
    case 5: return maximum(h, interp, &a);
    default: return weight(h, interp, &a);
    }
}
