/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: the program's own lines by what they took themselves and what the libraries took that they call. */
#include "handle.h"

#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)

typedef struct hot {
    double sum;
    uint32_t row;
} hot;

static int hottest_first(const void *a, const void *b) {
    const hot *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum < y->sum ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Code that the pass compiled, and in no header of the system. */
static hsc_status is_own(hsc_handle *h, uint32_t module, uint32_t file, bool *own, hsc_err *err) {
    hsc_db_module m;
    hsc_db_file f = {.path = ""};
    *own = false;
    if (module == HSC_NONE)
        return HSC_OK;
    hsc_status s = hsc_db_get_module(h->db, module, &m, err);
    if (s == HSC_OK && file != HSC_NONE)
        s = hsc_db_get_file(h->db, file, &f, err);
    *own = s == HSC_OK && m.knowledge == HSC_KNOWN_MAP && strncmp(f.path, "/usr/", 5) != 0;
    return s;
}

/* own[scopes]: procedures and loops of the program's own. */
static hsc_status mark_scopes(hsc_handle *h, bool *own, hsc_err *err) {
    hsc_db_scope sc;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < h->info.scopes; i++)
        if ((s = hsc_db_get_scope(h->db, i, &sc, err)) == HSC_OK && sc.kind >= HSC_SCOPE_PROCEDURE)
            s = is_own(h, sc.module, sc.file, &own[i], err);
    return s;
}

/* own[files]: those with lines of the program. */
static hsc_status mark_files(hsc_handle *h, bool *own, hsc_err *err) {
    hsc_db_file f;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < h->info.files; i++)
        if ((s = hsc_db_get_file(h->db, i, &f, err)) == HSC_OK && f.has_lines)
            s = is_own(h, f.module, i, &own[i], err);
    return s;
}

/* Adds to sums[lines] what contexts of libraries took, at the line of the nearest call from the program's own code. Parents come
 * first in the table, so one pass finds that line: pays[i], HSC_NONE where there is none. */
static hsc_status add_libraries(hsc_handle *h, const bool *own, const double *values, uint32_t *pays, double *sums, hsc_err *err) {
    hsc_db_context c, above;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < h->info.contexts; i++) {
        pays[i] = HSC_NONE;
        if ((s = hsc_db_get_context(h->db, i, &c, err)) != HSC_OK || c.scope >= h->info.scopes || own[c.scope] || c.parent >= i)
            continue;
        s = hsc_db_get_context(h->db, c.parent, &above, err);
        pays[i] = s == HSC_OK && above.scope < h->info.scopes && own[above.scope] ? c.call_line : pays[c.parent];
        if (pays[i] < h->info.lines)
            sums[pays[i]] += values[i];
    }
    return s;
}

/* sums[lines]; 0 of lines of libraries. */
static hsc_status sum_lines(hsc_handle *h, const hsc_data_args *a, double *sums, hsc_err *err) {
    uint32_t contexts = h->info.contexts, lines = h->info.lines;
    bool *scopes = calloc((size_t)h->info.scopes + 1, sizeof *scopes), *files = calloc((size_t)h->info.files + 1, sizeof *files);
    double *values = malloc(((size_t)contexts + 1) * sizeof *values);
    uint32_t *pays = malloc(((size_t)contexts + 1) * sizeof *pays);
    hsc_db_view view = a->view;
    hsc_db_line l;
    hsc_status s = scopes && files && values && pays ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u contexts", contexts);
    if (s == HSC_OK)
        s = mark_scopes(h, scopes, err);
    if (s == HSC_OK)
        s = mark_files(h, files, err);
    view.table = HSC_TABLE_LINE;
    if (s == HSC_OK && lines)
        s = hsc_db_read_sums(h->db, view, 0, lines, sums, err);
    view.table = HSC_TABLE_CONTEXT_EXCL;
    if (s == HSC_OK && contexts)
        s = hsc_db_read_sums(h->db, view, 0, contexts, values, err);
    if (s == HSC_OK)
        s = add_libraries(h, scopes, values, pays, sums, err);
    for (uint32_t i = 0; s == HSC_OK && i < lines; i++)
        if ((s = hsc_db_get_line(h->db, i, &l, err)) == HSC_OK && (l.file >= h->info.files || !files[l.file] || !l.line))
            sums[i] = 0;
    free(scopes);
    free(files);
    free(values);
    free(pays);
    return s;
}

/* hotlines ?-metric M? ?-n N?: {row file line sum share}, the hottest first; none of libraries. */
static int hot_lines(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    uint32_t lines = h->info.lines, n = 0;
    double total = 0, *sums = calloc((size_t)lines + 1, sizeof *sums);
    hot *rows = malloc(((size_t)lines + 1) * sizeof *rows);
    Tcl_Obj *list = NULL;
    hsc_db_line l;
    hsc_status s = sums && rows ? HSC_OK : hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u lines", lines);
    if (s == HSC_OK && (s = hsc_handle_total(h, a->view.metric, &total, &err)) == HSC_OK)
        s = sum_lines(h, a, sums, &err);
    if (s != HSC_OK)
        goto done;
    for (uint32_t i = 0; i < lines; i++)
        if (sums[i] > 0)
            rows[n++] = (hot){sums[i], i};
    qsort(rows, n, sizeof *rows, hottest_first);
    list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; s == HSC_OK && i < n && i < a->limit; i++) {
        if ((s = hsc_db_get_line(h->db, rows[i].row, &l, &err)) != HSC_OK)
            break;
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "row", hsc_tcl_index(rows[i].row));
        PUT(d, "file", hsc_tcl_index(l.file));
        PUT(d, "line", Tcl_NewWideIntObj(l.line));
        PUT(d, "sum", Tcl_NewDoubleObj(rows[i].sum));
        PUT(d, "share", Tcl_NewDoubleObj(total > 0 ? rows[i].sum / total : 0));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
done:
    free(sums);
    free(rows);
    if (s != HSC_OK) {
        if (list)
            Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

int hsc_data_hot(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    if (strcmp(name, "hotlines"))
        return TCL_CONTINUE;
    return hsc_data_parse(h, interp, objc, objv, HSC_ARG_N, 0, 100, 4096, &a) == TCL_OK ? hot_lines(h, interp, &a) : TCL_ERROR;
}
