/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: the program folded to its procedures, loops and regions, in the order of the files. */
#include "handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))

enum { KINDS = HSC_SCOPE_REGION - HSC_SCOPE_PROCEDURE + 1 };

typedef struct place {
    uint32_t row, file, first; /* file: of its procedure */
    uint8_t kind;
    double sum;
} place;

static int by_place(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The largest of each kind with `least` or more. */
static hsc_status find_largest(hsc_handle *h, hsc_db_view view, double least, hsc_hottest *kinds, hsc_err *err) {
    double chunk[1024];
    hsc_db_scope_columns sc;
    hsc_status s = hsc_db_get_scope_columns(h->db, &sc, err);
    view.table = HSC_TABLE_SCOPE_INCL;
    for (uint64_t at = 0; s == HSC_OK && at < h->info.scopes; at += 1024) {
        uint64_t n = h->info.scopes - at < 1024 ? h->info.scopes - at : 1024;
        s = hsc_db_read_sums(h->db, view, at, n, chunk, err);
        for (uint64_t i = 0; s == HSC_OK && i < n; i++) {
            uint8_t kind = sc.kind[at + i];
            if (chunk[i] > 0 && chunk[i] >= least && kind >= HSC_SCOPE_PROCEDURE && kind <= HSC_SCOPE_REGION &&
                chunk[i] > kinds[kind - HSC_SCOPE_PROCEDURE].least)
                hsc_hottest_add(&kinds[kind - HSC_SCOPE_PROCEDURE], chunk[i], (uint32_t)(at + i));
        }
    }
    return s;
}

static uint32_t file_of(hsc_handle *h, const hsc_db_scope *s) {
    hsc_db_scope p;
    return s->procedure == HSC_NONE || hsc_db_get_scope(h->db, s->procedure, &p, NULL) != HSC_OK || p.file == HSC_NONE ? s->file : p.file;
}

/* Those that have lines, by file; rows of scopes rise by line, with what is in a procedure behind it, so that instances of a template stay apart. */
static hsc_status put_in_order(hsc_handle *h, hsc_hottest *kinds, place *places, uint32_t *n, hsc_err *err) {
    hsc_db_scope scope;
    hsc_status s = HSC_OK;
    for (unsigned k = 0; k < KINDS; k++)
        for (uint32_t i = 0, found = hsc_hottest_end(&kinds[k]); s == HSC_OK && i < found; i++) {
            const hsc_hot *row = &kinds[k].rows[i];
            if ((s = hsc_db_get_scope(h->db, row->row, &scope, err)) == HSC_OK && scope.line_begin > 0 && scope.file != HSC_NONE)
                places[(*n)++] = (place){row->row, file_of(h, &scope), scope.line_begin, (uint8_t)scope.kind, row->sum};
        }
    qsort(places, *n, sizeof *places, by_place);
    return s;
}

static Tcl_Obj *number(double v) { return fabs(v) < 9e15 && v == floor(v) ? WIDE(v) : Tcl_NewDoubleObj(v); }

static hsc_status append_value(hsc_handle *h, hsc_db_view view, hsc_db_table table, uint64_t row, Tcl_Obj *list, hsc_err *err) {
    double v = 0;
    view.table = table;
    hsc_status s = hsc_db_read_sums(h->db, view, row, 1, &v, err);
    Tcl_ListObjAppendElement(NULL, list, number(v));
    return s;
}

static void append_places(const place *places, uint32_t n, Tcl_Obj *list) {
    for (uint32_t i = 0; i < n; i++) {
        Tcl_Obj *const row[] = {WIDE(places[i].row), Tcl_NewStringObj(hsc_kind_names[places[i].kind], -1), WIDE(places[i].first), number(places[i].sum)};
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewListObj(sizeof row / sizeof *row, row));
    }
}

static hsc_status outline(hsc_handle *h, const hsc_data_args *a, Tcl_Obj *list, hsc_err *err) {
    hsc_hottest kinds[KINDS] = {{0}};
    double total = 0;
    uint32_t n = 0;
    place *places = malloc((KINDS * (size_t)a->limit + 1) * sizeof *places);
    bool fits = places != NULL;
    for (unsigned k = 0; k < KINDS; k++) {
        kinds[k] = (hsc_hottest){.rows = malloc(hsc_hottest_room(a->limit) * sizeof *kinds[k].rows), .limit = a->limit};
        fits = fits && kinds[k].rows;
    }
    hsc_status s = fits ? hsc_handle_total(h, a->view.metric, &total, err) : hsc_err_set(err, HSC_E_MEMORY, "no memory for an outline of %u rows", a->limit);
    if (s == HSC_OK)
        s = find_largest(h, a->view, a->least * total, kinds, err);
    if (s == HSC_OK)
        s = put_in_order(h, kinds, places, &n, err);
    if (s == HSC_OK)
        append_places(places, n, list);
    for (unsigned k = 0; k < KINDS; k++)
        free(kinds[k].rows);
    free(places);
    return s;
}

/* Of each scope what it has itself, and of each category with all that it calls. */
static hsc_status append_scopes(hsc_handle *h, hsc_db_view view, Tcl_Obj *const *scopes, Tcl_Size n, const uint32_t *categories, Tcl_Size n_categories,
                                Tcl_Interp *interp, Tcl_Obj *list, hsc_err *err) {
    hsc_status s = HSC_OK;
    uint32_t scope;
    for (Tcl_Size i = 0; s == HSC_OK && i < n; i++) {
        if (hsc_tcl_get_index(interp, scopes[i], "scope", h->info.scopes, &scope) != TCL_OK)
            return HSC_E_ARGUMENT;
        Tcl_Obj *row = Tcl_NewListObj(0, NULL);
        Tcl_ListObjAppendElement(NULL, list, row);
        s = append_value(h, view, HSC_TABLE_SCOPE_EXCL, scope, row, err);
        for (Tcl_Size k = 0; s == HSC_OK && k < n_categories; k++)
            if (categories[k] == HSC_NONE)
                Tcl_ListObjAppendElement(NULL, row, WIDE(0));
            else
                s = append_value(h, view, HSC_TABLE_SCOPE_CATEGORY, (uint64_t)scope * h->info.categories + categories[k], row, err);
    }
    return s;
}

/* scopevalues SCOPES CATEGORIES ?-metric M? */
static int scope_values(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    enum { MOST = 16 };
    uint32_t categories[MOST];
    Tcl_Obj **items, **scopes;
    Tcl_Size n, n_scopes;
    hsc_data_args a;
    hsc_err err = {0};
    if (objc < 2 || Tcl_ListObjGetElements(NULL, objv[0], &n_scopes, &scopes) != TCL_OK || Tcl_ListObjGetElements(NULL, objv[1], &n, &items) != TCL_OK ||
        n > MOST)
        return hsc_tcl_usage(interp, "scopevalues SCOPES CATEGORIES ?-metric M?: at most %d categories", MOST);
    for (Tcl_Size i = 0; i < n; i++) {
        int none = 0;
        categories[i] = HSC_NONE;
        if ((Tcl_GetIntFromObj(NULL, items[i], &none) != TCL_OK || none != -1) &&
            hsc_tcl_get_index(interp, items[i], "category", h->info.categories, &categories[i]) != TCL_OK)
            return TCL_ERROR;
    }
    if (hsc_data_parse(h, interp, objc - 2, objv + 2, 0, 0, 1, 1, &a) != TCL_OK)
        return TCL_ERROR;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    if (append_scopes(h, a.view, scopes, n_scopes, categories, n, interp, list, &err) != HSC_OK) {
        Tcl_DecrRefCount(list);
        return err.status ? hsc_tcl_error(interp, &err) : TCL_ERROR;
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* outline ?-n N? ?-least SHARE? ?-metric M? */
int hsc_data_outline(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    hsc_err err = {0};
    if (!strcmp(name, "scopevalues"))
        return scope_values(h, interp, objc, objv);
    if (strcmp(name, "outline") != 0)
        return TCL_CONTINUE;
    if (hsc_data_parse(h, interp, objc, objv, HSC_ARG_N | HSC_ARG_LEAST, 0, 600, 4096, &a) != TCL_OK)
        return TCL_ERROR;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    if (outline(h, &a, list, &err) != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}
