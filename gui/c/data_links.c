/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: calls of MPI as written, and the code that they have to do with. */
#include "handle.h"

#include <string.h>

#include <heatscope/formats/records.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))
#define TEXT(s) hsc_tcl_text(s, strlen(s))
enum { SITES_MAX = 64, LINKS_MAX = 256 };

/* An enumeration's text up to its explanation. */
static Tcl_Obj *word(const char *list, uint32_t value) {
    const char *t = hsc_enum_text(list, value);
    if (!t)
        return Tcl_NewStringObj("?", 1);
    size_t n = strcspn(t, ":");
    const char *paren = strstr(t, " (");
    return hsc_tcl_text(t, paren && (size_t)(paren - t) < n ? (size_t)(paren - t) : n);
}

static Tcl_Obj *array_name(hsc_handle *h, uint32_t array) {
    hsc_db_array a;
    return array != HSC_NONE && hsc_db_get_array(h->db, array, &a, NULL) == HSC_OK ? TEXT(a.name) : Tcl_NewObj();
}

/* {operation kind scope file line column arguments {{number role text array shape} ...} links {{kind sure operation scope file line
 * column array text} ...}} */
static hsc_status put_site(hsc_handle *h, uint32_t row, Tcl_Obj *list, hsc_err *err) {
    hsc_db_mpi_site site;
    uint32_t first, n;
    hsc_status s = hsc_db_get_mpi_site(h->db, row, &site, err);
    if (s != HSC_OK)
        return s;
    Tcl_Obj *d = Tcl_NewDictObj(), *arguments = Tcl_NewListObj(0, NULL), *links = Tcl_NewListObj(0, NULL);
    PUT(d, "operation", TEXT(site.operation));
    PUT(d, "kind", word("message_kind", site.kind));
    PUT(d, "scope", hsc_tcl_index(site.scope));
    PUT(d, "file", hsc_tcl_index(site.file));
    PUT(d, "line", WIDE(site.line));
    PUT(d, "column", WIDE(site.column));
    PUT(d, "arguments", arguments);
    PUT(d, "links", links);
    Tcl_ListObjAppendElement(NULL, list, d);
    s = hsc_db_find(h->db, HSC_LIST_MPI_ARGUMENTS, row, &first, &n, err);
    for (uint32_t i = 0; s == HSC_OK && i < n && i < LINKS_MAX; i++) {
        hsc_db_mpi_argument a;
        if ((s = hsc_db_get_mpi_argument(h->db, first + i, &a, err)) != HSC_OK)
            break;
        Tcl_Obj *one = Tcl_NewDictObj();
        PUT(one, "number", WIDE(a.number));
        PUT(one, "role", word("mpi_role", a.role));
        PUT(one, "text", TEXT(a.text));
        PUT(one, "array", array_name(h, a.array));
        PUT(one, "shape", word("section_shape", a.shape));
        Tcl_ListObjAppendElement(NULL, arguments, one);
    }
    if (s == HSC_OK)
        s = hsc_db_find(h->db, HSC_LIST_MPI_LINKS, row, &first, &n, err);
    for (uint32_t i = 0; s == HSC_OK && i < n && i < LINKS_MAX; i++) {
        hsc_db_mpi_link l;
        hsc_db_mpi_site other;
        if ((s = hsc_db_get_mpi_link(h->db, first + i, &l, err)) != HSC_OK)
            break;
        Tcl_Obj *one = Tcl_NewDictObj();
        PUT(one, "kind", word("link_kind", l.kind));
        PUT(one, "sure", word("confidence", l.confidence));
        PUT(one, "operation", l.other != HSC_NONE && hsc_db_get_mpi_site(h->db, l.other, &other, NULL) == HSC_OK ? TEXT(other.operation)
                                                                                                                 : Tcl_NewObj());
        PUT(one, "scope", hsc_tcl_index(l.scope));
        PUT(one, "file", hsc_tcl_index(l.file));
        PUT(one, "line", WIDE(l.line));
        PUT(one, "column", WIDE(l.column));
        PUT(one, "array", array_name(h, l.array));
        PUT(one, "text", TEXT(l.text));
        Tcl_ListObjAppendElement(NULL, links, one);
    }
    return s;
}

static uint32_t procedure_of(hsc_handle *h, uint32_t scope) {
    hsc_db_scope s;
    return scope == HSC_NONE || hsc_db_get_scope(h->db, scope, &s, NULL) != HSC_OK ? HSC_NONE : s.procedure;
}

/* Of a call in several instances of a template that of the instance which its line is told with, or else the first. */
static uint32_t without_instances(hsc_handle *h, uint32_t *rows, uint32_t n) {
    hsc_db_mpi_site sites[SITES_MAX];
    uint32_t procedure[SITES_MAX], kept = 0;
    bool told[SITES_MAX], spare[SITES_MAX] = {false};
    for (uint32_t i = 0; i < n; i++) {
        hsc_db_line l = {.scope = HSC_NONE};
        if (hsc_db_get_mpi_site(h->db, rows[i], &sites[i], NULL) != HSC_OK)
            return n;
        uint32_t line = sites[i].file == HSC_NONE ? HSC_NONE : hsc_db_find_line(h->db, sites[i].file, sites[i].line);
        if (line != HSC_NONE)
            (void)hsc_db_get_line(h->db, line, &l, NULL);
        procedure[i] = procedure_of(h, sites[i].scope);
        told[i] = procedure[i] == procedure_of(h, l.scope);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            if (procedure[i] != procedure[k] && sites[i].file == sites[k].file && sites[i].line == sites[k].line && sites[i].column == sites[k].column &&
                !strcmp(sites[i].operation, sites[k].operation))
                spare[i] = spare[i] || (told[k] ? !told[i] : !told[i] && k < i);
    for (uint32_t i = 0; i < n; i++)
        if (!spare[i])
            rows[kept++] = rows[i];
    return kept;
}

/* messagesites FILE LINE: calls of MPI that stand on the line or are linked with it, of several instances of a template one. */
int hsc_data_links(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    hsc_err err = {0};
    uint32_t file, line, sites = hsc_db_count(h->db, HSC_LIST_MPI_SITES), links = hsc_db_count(h->db, HSC_LIST_MPI_LINKS), found[SITES_MAX],
                         n = 0;
    if (strcmp(name, "messagesites"))
        return TCL_CONTINUE;
    if (objc != 2)
        return hsc_tcl_usage(interp, "messagesites FILE LINE");
    if (hsc_tcl_get_index(interp, objv[0], "file", h->info.files, &file) != TCL_OK ||
        hsc_tcl_get_index(interp, objv[1], "line", UINT32_MAX, &line) != TCL_OK)
        return TCL_ERROR;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < sites && n < SITES_MAX; i++) {
        hsc_db_mpi_site site;
        if ((s = hsc_db_get_mpi_site(h->db, i, &site, &err)) == HSC_OK && site.file == file && site.line == line)
            found[n++] = i;
    }
    for (uint32_t i = 0; s == HSC_OK && i < links && n < SITES_MAX; i++) {
        hsc_db_mpi_link l;
        bool known = false;
        if ((s = hsc_db_get_mpi_link(h->db, i, &l, &err)) != HSC_OK || l.file != file || l.line != line)
            continue;
        for (uint32_t k = 0; k < n; k++)
            known = known || found[k] == l.site;
        if (!known)
            found[n++] = l.site;
    }
    n = without_instances(h, found, n);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t k = 0; s == HSC_OK && k < n; k++)
        s = put_site(h, found[k], out, &err);
    if (s != HSC_OK) {
        Tcl_DecrRefCount(out);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}
