/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: the program's own lines by what they took themselves and what the libraries took that they call. */
#include "handle.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/source_path.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)

/* Which code is the program's own: in its modules, and in no header of the system. */
typedef struct owner {
    const bool *modules;            /* by row; borrowed */
    bool *headers, *scopes, *files; /* by row; scopes: procedures and loops */
} owner;

static bool is_own(const owner *o, uint32_t module, uint32_t file) {
    return module != HSC_NONE && o->modules[module] && (file == HSC_NONE || !o->headers[file]);
}

static hsc_status mark_files(hsc_handle *h, owner *o, hsc_err *err) {
    hsc_db_file f;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < h->info.files; i++)
        if ((s = hsc_db_get_file(h->db, i, &f, err)) == HSC_OK) {
            o->headers[i] = hsc_system_header(f.path);
            o->files[i] = f.has_lines && is_own(o, f.module, i);
        }
    return s;
}

static hsc_status mark_scopes(hsc_handle *h, owner *o, hsc_err *err) {
    hsc_db_scope_columns sc;
    hsc_status s = hsc_db_get_scope_columns(h->db, &sc, err);
    for (uint32_t i = 0; s == HSC_OK && i < h->info.scopes; i++)
        o->scopes[i] = sc.kind[i] >= HSC_SCOPE_PROCEDURE && is_own(o, sc.module[i], sc.file[i]);
    return s;
}

static void owner_free(owner *o) {
    free(o->headers);
    free(o->scopes);
    free(o->files);
}

static hsc_status owner_init(hsc_handle *h, owner *o, hsc_err *err) {
    *o = (owner){NULL, calloc((size_t)h->info.files + 1, sizeof *o->headers),
                 calloc((size_t)h->info.scopes + 1, sizeof *o->scopes), calloc((size_t)h->info.files + 1, sizeof *o->files)};
    bool fits = o->headers && o->scopes && o->files;
    hsc_status s = fits ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u scopes", h->info.scopes);
    if (s == HSC_OK)
        s = hsc_handle_own_modules(h, &o->modules, err);
    if (s == HSC_OK)
        s = mark_files(h, o, err);
    return s == HSC_OK ? mark_scopes(h, o, err) : s;
}

/* Adds to sums[lines] what contexts of libraries took, at the line of the nearest call from the program's own code. Parents come
 * first in the table, so one pass finds that line: pays[i], HSC_NONE where there is none. */
static hsc_status add_libraries(hsc_handle *h, const bool *own, const double *values, uint32_t *pays, double *sums, hsc_err *err) {
    hsc_db_context_columns c;
    hsc_status s = hsc_db_get_context_columns(h->db, &c, err);
    for (uint32_t i = 0; s == HSC_OK && i < h->info.contexts; i++) {
        uint32_t above = c.parent[i];
        pays[i] = HSC_NONE;
        if (c.scope[i] >= h->info.scopes || own[c.scope[i]] || above >= i)
            continue;
        pays[i] = c.scope[above] < h->info.scopes && own[c.scope[above]] ? c.call_line[i] : pays[above];
        if (pays[i] < h->info.lines)
            sums[pays[i]] += values[i];
    }
    return s;
}

/* sums[lines], with what libraries took that they call. */
static hsc_status sum_lines(hsc_handle *h, const hsc_data_args *a, const owner *o, double *sums, hsc_err *err) {
    uint32_t contexts = h->info.contexts, lines = h->info.lines;
    double *values = malloc(((size_t)contexts + 1) * sizeof *values);
    uint32_t *pays = malloc(((size_t)contexts + 1) * sizeof *pays);
    hsc_db_view view = a->view;
    hsc_status s = values && pays ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u contexts", contexts);
    view.table = HSC_TABLE_LINE;
    if (s == HSC_OK && lines)
        s = hsc_db_read_sums(h->db, view, 0, lines, sums, err);
    view.table = HSC_TABLE_CONTEXT_EXCL;
    if (s == HSC_OK && contexts)
        s = hsc_db_read_sums(h->db, view, 0, contexts, values, err);
    if (s == HSC_OK)
        s = add_libraries(h, o->scopes, values, pays, sums, err);
    free(values);
    free(pays);
    return s;
}

/* The hottest rows, at most `limit`, of the program's own lines. rows: room for hsc_hottest_room(limit). */
static hsc_status rank_lines(hsc_handle *h, const owner *o, const double *sums, uint32_t limit, hsc_hot *rows, uint32_t *n, hsc_err *err) {
    const uint32_t *file, *line;
    hsc_hottest best = {.rows = rows, .limit = limit};
    hsc_status s = hsc_db_get_line_columns(h->db, &file, &line, err);
    for (uint32_t i = 0; s == HSC_OK && i < h->info.lines; i++)
        if (sums[i] > best.least && line[i] && file[i] < h->info.files && o->files[file[i]])
            hsc_hottest_add(&best, sums[i], i);
    *n = hsc_hottest_end(&best);
    return s;
}

static hsc_status list_lines(hsc_handle *h, const hsc_hot *rows, uint32_t n, double total, Tcl_Obj *list, hsc_err *err) {
    hsc_db_line l;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; i < n && (s = hsc_db_get_line(h->db, rows[i].row, &l, err)) == HSC_OK; i++) {
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "row", hsc_tcl_index(rows[i].row));
        PUT(d, "file", hsc_tcl_index(l.file));
        PUT(d, "line", Tcl_NewWideIntObj(l.line));
        PUT(d, "sum", Tcl_NewDoubleObj(rows[i].sum));
        PUT(d, "share", Tcl_NewDoubleObj(total > 0 ? rows[i].sum / total : 0));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    return s;
}

/* hotlines ?-metric M? ?-n N?: {row file line sum share}, the hottest first; none of libraries. */
static int hot_lines(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    owner own = {0};
    uint32_t lines = h->info.lines, n = 0;
    double total = 0, *sums = calloc((size_t)lines + 1, sizeof *sums);
    hsc_hot *rows = malloc(hsc_hottest_room(a->limit) * sizeof *rows);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    hsc_status s = sums && rows ? HSC_OK : hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u lines", lines);
    if (s == HSC_OK)
        s = hsc_handle_total(h, a->view.metric, &total, &err);
    if (s == HSC_OK)
        s = owner_init(h, &own, &err);
    if (s == HSC_OK)
        s = sum_lines(h, a, &own, sums, &err);
    if (s == HSC_OK)
        s = rank_lines(h, &own, sums, a->limit, rows, &n, &err);
    if (s == HSC_OK)
        s = list_lines(h, rows, n, total, list, &err);
    free(sums);
    free(rows);
    owner_free(&own);
    if (s != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* unrolled S ?-metric M?: {round inside}, of a loop whose samples count in another one, as it was unrolled fully, that loop (else -1), and {scope sum}
 * of the loops inside S that count in it, the hottest first. */
static int unrolled(hsc_handle *h, Tcl_Interp *interp, uint32_t scope, const hsc_data_args *a) {
    hsc_err err = {0};
    hsc_db_scope sc;
    const double *loops;
    const uint32_t *of;
    double *own = NULL;
    hsc_hot *rows = NULL;
    uint32_t n = 0, found = 0;
    hsc_status s = hsc_db_get_scope(h->db, scope, &sc, &err);
    if (s == HSC_OK)
        s = hsc_handle_loops(h, a->view.metric, &loops, &of, &err);
    if (s == HSC_OK) {
        n = sc.subtree_end - scope;
        own = malloc(((size_t)n + 1) * sizeof *own);
        rows = malloc(((size_t)n + 1) * sizeof *rows);
        s = own && rows ? hsc_db_read_sums(h->db, (hsc_db_view){a->view.metric, HSC_TABLE_SCOPE_EXCL, HSC_AXIS_PROCESS}, scope, n, own, &err)
                        : hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u scopes", n);
    }
    for (uint32_t i = 1; s == HSC_OK && i < n; i++)
        if (of[scope + i] == scope && own[i] > 0)
            rows[found++] = (hsc_hot){own[i], scope + i};
    if (s == HSC_OK) {
        Tcl_Obj *d = Tcl_NewDictObj(), *list = Tcl_NewListObj(0, NULL);
        qsort(rows, found, sizeof *rows, hsc_hottest_first);
        for (uint32_t i = 0; i < found; i++) {
            Tcl_Obj *one = Tcl_NewDictObj();
            hsc_tcl_put(one, "scope", Tcl_NewWideIntObj(rows[i].row));
            hsc_tcl_put(one, "sum", Tcl_NewDoubleObj(rows[i].sum));
            Tcl_ListObjAppendElement(NULL, list, one);
        }
        hsc_tcl_put(d, "round", hsc_tcl_index(of[scope] == scope ? HSC_NONE : of[scope]));
        hsc_tcl_put(d, "inside", list);
        Tcl_SetObjResult(interp, d);
    }
    free(own);
    free(rows);
    return s == HSC_OK ? TCL_OK : hsc_tcl_error(interp, &err);
}

int hsc_data_hot(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    uint32_t scope;
    if (!strcmp(name, "unrolled")) {
        if (objc < 1)
            return hsc_tcl_usage(interp, "unrolled SCOPE ?-metric M?");
        if (hsc_tcl_get_index(interp, objv[0], "scope", h->info.scopes, &scope) != TCL_OK || hsc_data_parse(h, interp, objc - 1, objv + 1, 0, 0, 1, 1, &a) != TCL_OK)
            return TCL_ERROR;
        return unrolled(h, interp, scope, &a);
    }
    if (strcmp(name, "hotlines"))
        return TCL_CONTINUE;
    return hsc_data_parse(h, interp, objc, objv, HSC_ARG_N, 0, 100, 4096, &a) == TCL_OK ? hot_lines(h, interp, &a) : TCL_ERROR;
}
