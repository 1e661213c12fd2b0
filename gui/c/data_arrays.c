/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: arrays, with the time of the lines that refer to them and the messages that carry them. */
#include "handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/linkage.h>
#include <heatscope/formats/records.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))
#define REAL(v) Tcl_NewDoubleObj(v)
#define TEXT(s) hsc_tcl_text(s, strlen(s))

typedef struct known {
    uint64_t identity;
    uint32_t row;
} known;

typedef struct array {
    uint32_t row, references, generated, last_scope; /* row: the first with its identity; generated: references that are in the code */
    double cost, inside;                  /* lines that refer to it, as in report --by=data; whole loops that touch it */
    uint32_t busiest;                     /* procedure that has most of the cost; HSC_NONE none */
    hsc_db_array_use use;                 /* messages; all 0 without */
    bool used;
} array;

static int by_identity(const void *a, const void *b) {
    const known *x = a, *y = b;
    if (x->identity != y->identity)
        return x->identity < y->identity ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static hsc_status no_memory(hsc_handle *h, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u arrays", h->info.arrays);
}

/* same[row]: the first row with the same identity: one global variable, one member of one type. */
static hsc_status read_same(hsc_handle *h, uint32_t **out, hsc_err *err) {
    uint32_t n = h->info.arrays;
    uint32_t *same = malloc(((size_t)n + 1) * sizeof *same);
    known *list = malloc(((size_t)n + 1) * sizeof *list);
    hsc_status s = same && list ? HSC_OK : no_memory(h, err);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_array a;
        if ((s = hsc_db_get_array(h->db, i, &a, err)) == HSC_OK)
            list[i] = (known){a.identity, i};
        same[i] = i;
    }
    if (s == HSC_OK) {
        qsort(list, n, sizeof *list, by_identity);
        for (uint32_t i = 1, first = 0; i < n; i++) {
            first = list[i].identity && list[i].identity == list[first].identity ? first : i;
            same[list[i].row] = list[first].row;
        }
    }
    free(list);
    if (s != HSC_OK)
        free(same);
    else
        *out = same;
    return s;
}

/* Exclusive values of all scopes. */
static hsc_status read_own(hsc_handle *h, hsc_db_view view, double **out, hsc_err *err) {
    double *sums = malloc(((size_t)h->info.scopes + 1) * sizeof *sums);
    view.table = HSC_TABLE_SCOPE_EXCL;
    hsc_status s = sums ? hsc_db_read_sums(h->db, view, 0, h->info.scopes, sums, err) : no_memory(h, err);
    if (s != HSC_OK)
        free(sums);
    else
        *out = sums;
    return s;
}

/* Has the code accesses of the array? One that the compiler keeps in registers costs its loops none. */
static bool is_generated(hsc_handle *h, uint32_t row) {
    hsc_db_array a;
    return hsc_db_get_array(h->db, row, &a, NULL) != HSC_OK || !(a.flags & HSC_array_flag_NOT_GENERATED);
}

/* References stand by scope: those of one scope follow each other. */
static hsc_status add_references(hsc_handle *h, const uint32_t *same, const uint8_t *counts, const double *own, array *list, hsc_err *err) {
    uint32_t n = hsc_db_count(h->db, HSC_LIST_REFERENCES);
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_reference r;
        if ((s = hsc_db_get_reference(h->db, i, &r, err)) != HSC_OK || r.array >= h->info.arrays)
            continue;
        array *a = &list[same[r.array]];
        a->references += counts[i];
        if (!is_generated(h, r.array))
            continue;
        a->generated += counts[i];
        if (a->last_scope != r.scope)
            a->inside += r.scope < h->info.scopes ? own[r.scope] : 0;
        a->last_scope = r.scope;
    }
    return s;
}

static int dearest(const void *a, const void *b) {
    const array *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    uint64_t p = x->use.sent_bytes + x->use.received_bytes, q = y->use.sent_bytes + y->use.received_bytes;
    return p != q && !(x->cost > 0) ? (p > q ? -1 : 1) : x->row < y->row ? -1 : x->row > y->row;
}

/* NaN: the empty string */
static Tcl_Obj *real_or_nothing(double v) { return isnan(v) ? Tcl_NewObj() : REAL(v); }

static Tcl_Obj *array_dict(hsc_handle *h, const array *a, double total) {
    hsc_db_array facts = {.scope = HSC_NONE, .file = HSC_NONE, .name = "", .type = "", .bounds = "", .symbol = ""};
    hsc_db_scope s = {.name = ""};
    Tcl_Obj *d = Tcl_NewDictObj();
    if (a->row != HSC_NONE)
        (void)hsc_db_get_array(h->db, a->row, &facts, NULL);
    /* one that several procedures may refer to is told with that which has most of its cost */
    uint32_t scope = facts.identity && a->busiest != HSC_NONE ? a->busiest : a->used ? a->use.procedure : facts.scope;
    if (scope != HSC_NONE)
        (void)hsc_db_get_scope(h->db, scope, &s, NULL);
    PUT(d, "array", hsc_tcl_index(a->row));
    PUT(d, "name", TEXT(a->row == HSC_NONE ? "" : facts.name));
    PUT(d, "bounds", TEXT(facts.bounds));
    PUT(d, "type", TEXT(facts.type));
    char text[400] = "";
    if (a->row != HSC_NONE)
        hsc_db_get_array_text(h->db, a->row, text, sizeof text);
    PUT(d, "text", TEXT(text));
    PUT(d, "element_bytes", WIDE(facts.element_bytes));
    PUT(d, "scope", hsc_tcl_index(scope));
    PUT(d, "procedure", TEXT(s.name));
    PUT(d, "shared", Tcl_NewBooleanObj(facts.identity != 0));
    size_t module = facts.line ? 0 : hsc_linkage_fortran_module(facts.symbol);
    PUT(d, "module", Tcl_NewStringObj(module ? facts.symbol + 3 : "", (int)module));
    PUT(d, "file", hsc_tcl_index(facts.file));
    PUT(d, "line", WIDE(facts.line));
    PUT(d, "filename", hsc_data_filename(h, facts.file));
    PUT(d, "references", WIDE(a->references));
    PUT(d, "generated", WIDE(a->generated));
    PUT(d, "cost", REAL(a->cost));
    PUT(d, "inside", REAL(a->inside));
    PUT(d, "share", REAL(total > 0 ? a->cost / total : 0));
    PUT(d, "places", WIDE(a->use.places));
    PUT(d, "calls", WIDE(a->use.calls));
    PUT(d, "sent_bytes", WIDE(a->use.sent_bytes));
    PUT(d, "received_bytes", WIDE(a->use.received_bytes));
    PUT(d, "mpi_s", REAL(a->use.mpi_s));
    PUT(d, "waiting_s", REAL(a->use.waiting_s));
    PUT(d, "packing", real_or_nothing(a->use.packing));
    PUT(d, "unpacking", real_or_nothing(a->use.unpacking));
    return d;
}

static int arrays(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    hsc_db_array_use *uses = NULL;
    hsc_db_array_time *times = NULL;
    uint32_t n_uses = 0, n_times = 0, *same = NULL, n = h->info.arrays;
    uint8_t *counts = NULL; /* by reference */
    double *own = NULL, total = 0;
    array *list = calloc((size_t)n + 1, sizeof *list); /* the last: calls whose buffers are not known */
    hsc_status s = list ? HSC_OK : no_memory(h, &err);
    if (s == HSC_OK && (s = hsc_handle_total(h, a->view.metric, &total, &err)) == HSC_OK && (s = read_same(h, &same, &err)) == HSC_OK &&
        (s = read_own(h, a->view, &own, &err)) == HSC_OK)
        s = hsc_db_read_arrays(h->db, a->view.metric, &uses, &n_uses, &err);
    if (s == HSC_OK)
        s = hsc_db_choose_references(h->db, a->view.metric, &counts, &err);
    if (s == HSC_OK && n)
        s = hsc_db_read_array_times(h->db, a->view.metric, &times, &n_times, &err);
    for (uint32_t i = 0; s == HSC_OK && i <= n; i++)
        list[i] = (array){.row = i < n ? i : HSC_NONE, .last_scope = HSC_NONE, .busiest = HSC_NONE};
    if (s == HSC_OK)
        s = add_references(h, same, counts, own, list, &err);
    for (uint32_t i = 0; s == HSC_OK && i < n_times; i++) {
        array *to = &list[same[times[i].array]];
        to->cost = times[i].value;
        to->busiest = times[i].procedure;
    }
    for (uint32_t i = 0; s == HSC_OK && i < n_uses; i++) {
        array *to = &list[uses[i].array < n ? same[uses[i].array] : n];
        to->use = uses[i];
        to->used = true;
    }
    Tcl_Obj *out = NULL;
    if (s == HSC_OK) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i <= n; i++)
            if (list[i].references || list[i].used)
                list[kept++] = list[i];
        qsort(list, kept, sizeof *list, dearest);
        out = Tcl_NewListObj(0, NULL);
        for (uint32_t i = 0; i < kept && i < a->limit; i++)
            Tcl_ListObjAppendElement(NULL, out, array_dict(h, &list[i], total));
    }
    if (uses)
        hsc_db_free_arrays(uses, n_uses);
    free(times);
    free(counts);
    free(own);
    free(same);
    free(list);
    if (!out)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

/* ---- one array ---- */

static Tcl_Obj *place(hsc_handle *h, const char *part, uint32_t scope, uint32_t file, uint32_t line, uint32_t column) {
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "part", TEXT(part));
    PUT(d, "scope", hsc_tcl_index(scope));
    PUT(d, "file", hsc_tcl_index(file));
    PUT(d, "line", WIDE(line));
    PUT(d, "column", WIDE(column));
    PUT(d, "filename", hsc_data_filename(h, file));
    return d;
}

/* Samples of the line that it stands on. */
static hsc_status value_of(hsc_handle *h, const hsc_db_reference *r, hsc_db_view view, double *out, hsc_err *err) {
    uint32_t line = is_generated(h, r->array) && r->file != HSC_NONE ? hsc_db_find_line(h->db, r->file, r->line) : HSC_NONE;
    view.table = HSC_TABLE_LINE;
    *out = 0;
    return line == HSC_NONE ? HSC_OK : hsc_db_read_sums(h->db, view, line, 1, out, err);
}

static hsc_status put_references(hsc_handle *h, const uint32_t *same, const uint8_t *counts, hsc_db_view view, uint32_t of, uint32_t limit, Tcl_Obj *out, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0, n = hsc_db_count(h->db, HSC_LIST_REFERENCES); s == HSC_OK && i < n && limit; i++) {
        hsc_db_reference r;
        double value = 0;
        if ((s = hsc_db_get_reference(h->db, i, &r, err)) != HSC_OK || r.array >= h->info.arrays || same[r.array] != of || !counts[i] ||
            (s = value_of(h, &r, view, &value, err)) != HSC_OK)
            continue;
        const char *access = hsc_enum_text("access", r.access), *stride = hsc_enum_text("stride", r.stride);
        Tcl_Obj *d = place(h, "reference", r.scope, r.file, r.line, r.column);
        PUT(d, "text", TEXT(r.text));
        PUT(d, "access", TEXT(access ? access : ""));
        PUT(d, "stride", TEXT(stride ? stride : ""));
        PUT(d, "stride_bytes", TEXT(r.stride_bytes));
        PUT(d, "generated", Tcl_NewBooleanObj(is_generated(h, r.array)));
        PUT(d, "value", REAL(value));
        Tcl_ListObjAppendElement(NULL, out, d);
        limit--;
    }
    return s;
}

static hsc_status put_messages(hsc_handle *h, const uint32_t *same, uint32_t of, uint32_t limit, Tcl_Obj *out, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0, n = hsc_db_count(h->db, HSC_LIST_MPI_ARGUMENTS); s == HSC_OK && i < n && limit; i++) {
        hsc_db_mpi_argument x;
        hsc_db_mpi_site m;
        if ((s = hsc_db_get_mpi_argument(h->db, i, &x, err)) != HSC_OK || x.array >= h->info.arrays || same[x.array] != of ||
            (s = hsc_db_get_mpi_site(h->db, x.site, &m, err)) != HSC_OK)
            continue;
        const char *role = hsc_enum_text("mpi_role", x.role);
        Tcl_Obj *d = place(h, "message", m.scope, m.file, m.line, m.column);
        PUT(d, "text", TEXT(x.text));
        PUT(d, "access", TEXT(role ? role : ""));
        PUT(d, "stride", TEXT(m.operation));
        PUT(d, "stride_bytes", Tcl_NewObj());
        PUT(d, "value", REAL(0));
        Tcl_ListObjAppendElement(NULL, out, d);
        limit--;
    }
    return s;
}

static int array_uses(hsc_handle *h, Tcl_Interp *interp, uint32_t of, const hsc_data_args *a) {
    hsc_err err = {0};
    uint32_t *same = NULL;
    uint8_t *counts = NULL;
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    hsc_status s = read_same(h, &same, &err);
    if (s == HSC_OK)
        s = hsc_db_choose_references(h->db, a->view.metric, &counts, &err);
    if (s == HSC_OK && (s = put_messages(h, same, same[of], a->limit, out, &err)) == HSC_OK)
        s = put_references(h, same, counts, a->view, same[of], a->limit, out, &err);
    free(same);
    free(counts);
    if (s != HSC_OK) {
        Tcl_DecrRefCount(out);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

int hsc_data_arrays(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    uint32_t row;
    if (!strcmp(name, "arrays"))
        return hsc_data_parse(h, interp, objc, objv, HSC_ARG_N, 0, 1000, 4096, &a) == TCL_OK ? arrays(h, interp, &a) : TCL_ERROR;
    if (!strcmp(name, "arrayuses")) {
        if (objc < 1)
            return hsc_tcl_usage(interp, "arrayuses ARRAY ?-metric M? ?-n N?");
        if (hsc_tcl_get_index(interp, objv[0], "array", h->info.arrays, &row) != TCL_OK ||
            hsc_data_parse(h, interp, objc - 1, objv + 1, HSC_ARG_N, 0, 200, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return array_uses(h, interp, row, &a);
    }
    return TCL_CONTINUE;
}
