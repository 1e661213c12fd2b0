/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: the tree of callers, bottom-up, of what procedures took themselves. */
#include "handle.h"

#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)

/* The context of the procedure that `context` is in, itself if it is one; HSC_NONE: the root, or a path without start. */
static hsc_status procedure_of(hsc_handle *h, uint32_t context, uint32_t *out, hsc_db_context *c, hsc_err *err) {
    for (;;) {
        hsc_status s = hsc_db_get_context(h->db, context, c, err);
        if (s != HSC_OK)
            return s;
        if (c->kind == HSC_CONTEXT_PROCEDURE || c->kind == HSC_CONTEXT_INLINED) {
            *out = context;
            return HSC_OK;
        }
        if (c->kind != HSC_CONTEXT_LOOP || c->parent >= context) {
            *out = HSC_NONE;
            return HSC_OK;
        }
        context = c->parent;
    }
}

/* Climbs from `context` along `path`, the scopes from the innermost outwards; *found: it is the way. *caller: scope of the
 * next procedure outwards, HSC_NONE at the end; *more: that one has a caller. */
static hsc_status climb(hsc_handle *h, uint32_t context, const uint32_t *path, uint32_t n, bool *found, uint32_t *caller,
                        bool *more, hsc_err *err) {
    hsc_db_context c;
    uint32_t at = HSC_NONE;
    hsc_status s = procedure_of(h, context, &at, &c, err);
    for (uint32_t k = 0; s == HSC_OK && k < n; k++) {
        if (at == HSC_NONE || c.scope != path[k]) {
            *found = false;
            return HSC_OK;
        }
        if (c.parent >= at)
            at = HSC_NONE;
        else
            s = procedure_of(h, c.parent, &at, &c, err);
    }
    if (s != HSC_OK)
        return s;
    *found = true;
    *more = false;
    *caller = at == HSC_NONE ? HSC_NONE : c.scope;
    if (at != HSC_NONE && c.parent < at) {
        s = procedure_of(h, c.parent, &at, &c, err);
        *more = at != HSC_NONE;
    }
    return s;
}

static int caller_tree(hsc_handle *h, Tcl_Interp *interp, const uint32_t *path, uint32_t n_path, const hsc_data_args *a) {
    hsc_err err = {0};
    uint32_t n = h->info.contexts, scopes = h->info.scopes, found = 0;
    double total = 0, *values = calloc((size_t)n + 1, sizeof *values), *sums = calloc((size_t)scopes + 1, sizeof *sums);
    unsigned char *deeper = calloc((size_t)scopes + 1, 1);
    hsc_hot *rows = malloc(((size_t)scopes + 1) * sizeof *rows);
    hsc_status s = values && sums && deeper && rows ? HSC_OK : hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u contexts", n);
    hsc_db_view view = {a->view.metric, HSC_TABLE_CONTEXT_EXCL, a->view.axis};
    Tcl_Obj *list = NULL;
    if (s == HSC_OK)
        s = hsc_handle_total(h, a->view.metric, &total, &err);
    if (s == HSC_OK && n)
        s = hsc_db_read_sums(h->db, view, 0, n, values, &err);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        bool mine = false, more = false;
        uint32_t caller = HSC_NONE;
        if (values[i] <= 0 || (s = climb(h, i, path, n_path, &mine, &caller, &more, &err)) != HSC_OK || !mine)
            continue;
        caller = caller < scopes ? caller : scopes; /* the last: outside of all procedures */
        sums[caller] += values[i];
        deeper[caller] |= more;
    }
    for (uint32_t i = 0; s == HSC_OK && i <= scopes; i++)
        if (sums[i] > 0)
            rows[found++] = (hsc_hot){sums[i], i};
    if (s != HSC_OK)
        goto done;
    qsort(rows, found, sizeof *rows, hsc_hottest_first);
    list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < found && i < a->limit; i++) {
        hsc_db_scope sc = {.name = "", .file = HSC_NONE};
        bool known = rows[i].row < scopes && hsc_db_get_scope(h->db, rows[i].row, &sc, NULL) == HSC_OK;
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "scope", hsc_tcl_index(known ? rows[i].row : HSC_NONE));
        PUT(d, "name", hsc_tcl_text(sc.name, strlen(sc.name)));
        PUT(d, "file", hsc_tcl_index(sc.file));
        PUT(d, "line", Tcl_NewWideIntObj(sc.line_begin));
        PUT(d, "exclusive", Tcl_NewDoubleObj(rows[i].sum));
        PUT(d, "share", Tcl_NewDoubleObj(total > 0 ? rows[i].sum / total : 0));
        PUT(d, "leaf", Tcl_NewWideIntObj(!known || (n_path && !deeper[rows[i].row])));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
done:
    free(values);
    free(sums);
    free(deeper);
    free(rows);
    if (s != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

int hsc_data_callers(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    Tcl_Obj **items;
    Tcl_Size n;
    uint32_t path[256];
    if (strcmp(name, "callertree"))
        return TCL_CONTINUE;
    if (objc < 1)
        return hsc_tcl_usage(interp, "callertree PATH ?-metric M? ?-n N?");
    if (Tcl_ListObjGetElements(interp, objv[0], &n, &items) != TCL_OK)
        return TCL_ERROR;
    if (n > 256)
        return hsc_tcl_usage(interp, "callertree: expected at most 256 scopes, got %d", (int)n);
    for (Tcl_Size i = 0; i < n; i++)
        if (hsc_tcl_get_index(interp, items[i], "scope", h->info.scopes, &path[i]) != TCL_OK)
            return TCL_ERROR;
    if (hsc_data_parse(h, interp, objc - 1, objv + 1, HSC_ARG_N, 0, 200, 4096, &a) != TCL_OK)
        return TCL_ERROR;
    return caller_tree(h, interp, path, (uint32_t)n, &a);
}
