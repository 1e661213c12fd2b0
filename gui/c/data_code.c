/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: machine code. */
#include "handle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define TEXT(s) hsc_tcl_text(s, strlen(s))

static Tcl_Obj *address_text(uint64_t v) {
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, v);
    return Tcl_NewStringObj(text, -1);
}

static int code(hsc_handle *h, Tcl_Interp *interp, uint32_t procedure) {
    hsc_err err = {0};
    uint32_t n = 0, *rows = malloc(((size_t)h->info.code_parts + 1) * sizeof *rows);
    hsc_status s = rows ? hsc_db_find_code_parts(h->db, procedure, rows, h->info.code_parts, &n, &err)
                        : hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u pieces of code", h->info.code_parts);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_code_part p;
        if ((s = hsc_db_get_code_part(h->db, rows[i], &p, &err)) != HSC_OK)
            break;
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "module", hsc_tcl_index(p.module));
        PUT(d, "begin", address_text(p.begin));
        PUT(d, "end", address_text(p.end));
        PUT(d, "first", hsc_tcl_index(p.first));
        PUT(d, "rows", Tcl_NewWideIntObj(p.rows));
        PUT(d, "symbol", TEXT(p.symbol));
        PUT(d, "note", TEXT(p.note));
        PUT(d, "disassembled", Tcl_NewWideIntObj(p.disassembled));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    free(rows);
    if (s != HSC_OK) {
        Tcl_DecrRefCount(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int instruction(hsc_handle *h, Tcl_Interp *interp, uint32_t row) {
    static const char *const flows[] = {"next", "call", "branch", "jump", "indirect", "return", "stop"};
    hsc_err err = {0};
    hsc_db_instruction x;
    hsc_db_code_part part;
    uint32_t at = hsc_db_find_part_of(h->db, row);
    if (hsc_db_get_instruction(h->db, row, &x, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *d = Tcl_NewDictObj(), *chain = Tcl_NewListObj(0, NULL);
    PUT(d, "row", Tcl_NewWideIntObj(row));
    PUT(d, "module", hsc_tcl_index(x.module));
    PUT(d, "address", address_text(x.address));
    PUT(d, "size", Tcl_NewWideIntObj(x.size));
    PUT(d, "flow", Tcl_NewStringObj(flows[x.flow], -1));
    PUT(d, "text", TEXT(x.text));
    PUT(d, "line", hsc_tcl_index(x.line));
    PUT(d, "scope", hsc_tcl_index(x.scope));
    PUT(d, "instance", hsc_tcl_index(x.instance));
    PUT(d, "target", hsc_tcl_index(x.target));
    PUT(d, "procedure", hsc_tcl_index(at != HSC_NONE && hsc_db_get_code_part(h->db, at, &part, NULL) == HSC_OK ? part.procedure : HSC_NONE));
    for (uint32_t i = x.inlined; i != HSC_NONE;) {
        hsc_db_inlining call;
        if (hsc_db_get_inlining(h->db, i, &call, NULL) != HSC_OK)
            break;
        Tcl_Obj *pair[] = {hsc_tcl_index(call.scope), hsc_tcl_index(call.line)};
        Tcl_ListObjAppendElement(NULL, chain, Tcl_NewListObj(2, pair));
        i = call.parent;
    }
    PUT(d, "inlined", chain);
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

/* Where the instructions of a line, scope or instance are: {PROCEDURE INSTRUCTIONS} pairs, the most first. */
static int places(hsc_handle *h, Tcl_Interp *interp, hsc_instructions_of what, uint32_t key) {
    hsc_err err = {0};
    uint32_t *rows = NULL, n = 0, count = 0;
    if (hsc_db_find_instructions(h->db, what, key, &rows, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    struct { uint32_t procedure, n; } *found = calloc((size_t)h->info.code_parts + 1, sizeof *found), swap;
    for (uint32_t i = 0, last = HSC_NONE, at = 0; found && i < n; i++) {
        hsc_db_code_part p;
        uint32_t part = hsc_db_find_part_of(h->db, rows[i]);
        if (part == HSC_NONE)
            continue;
        if (part != last) {
            if (hsc_db_get_code_part(h->db, part, &p, NULL) != HSC_OK)
                continue;
            for (at = 0; at < count && found[at].procedure != p.procedure; at++)
                ;
            if (at == count)
                found[count++].procedure = p.procedure;
            last = part;
        }
        found[at].n++;
    }
    free(rows);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; found && i < count && i < 4096; i++) {
        uint32_t best = i;
        for (uint32_t k = i + 1; k < count; k++)
            best = found[k].n > found[best].n ? k : best;
        swap = found[i];
        found[i] = found[best];
        found[best] = swap;
        Tcl_Obj *pair[] = {hsc_tcl_index(found[i].procedure), Tcl_NewWideIntObj(found[i].n)};
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewListObj(2, pair));
    }
    free(found);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

typedef struct function { /* of the machine code */
    double sum, inlined;
    uint32_t part;
} function;

static int largest_function(const void *a, const void *b) {
    const function *x = a, *y = b;
    return x->sum != y->sum ? (x->sum > y->sum ? -1 : 1) : (x->part > y->part) - (x->part < y->part);
}

/* What the instructions of a piece have, and of it those that were inlined from elsewhere. */
static hsc_status sum_function(hsc_handle *h, hsc_db_view view, const hsc_db_code_part *p, function *out, hsc_err *err) {
    enum { ROWS = 512 };
    double sums[ROWS];
    hsc_status s = HSC_OK;
    for (uint32_t row = 0; s == HSC_OK && row < p->rows; row += ROWS) {
        uint32_t n = p->rows - row < ROWS ? p->rows - row : ROWS;
        s = hsc_db_read_sums(h->db, view, p->first + row, n, sums, err);
        for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
            hsc_db_instruction x;
            out->sum += sums[i];
            if (sums[i] > 0 && (s = hsc_db_get_instruction(h->db, p->first + row + i, &x, err)) == HSC_OK && x.inlined != HSC_NONE)
                out->inlined += sums[i];
        }
    }
    return s;
}

/* symbols METRIC N: {part procedure symbol module sum inlined bytes}, the largest first, at most N: functions as linkers and perf know them. */
static int symbols(hsc_handle *h, Tcl_Interp *interp, uint32_t metric, uint32_t most) {
    hsc_err err = {0};
    hsc_status s = HSC_OK;
    uint32_t n = 0;
    function *list = malloc(((size_t)h->info.code_parts + 1) * sizeof *list);
    if (!list)
        s = hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u functions", h->info.code_parts);
    for (uint32_t i = 0; s == HSC_OK && i < h->info.code_parts; i++) {
        hsc_db_code_part p;
        function f = {.part = i};
        if ((s = hsc_db_get_code_part(h->db, i, &p, &err)) == HSC_OK && p.rows &&
            (s = sum_function(h, (hsc_db_view){metric, HSC_TABLE_INSTRUCTION, HSC_AXIS_PROCESS}, &p, &f, &err)) == HSC_OK && f.sum > 0)
            list[n++] = f;
    }
    if (s == HSC_OK)
        qsort(list, n, sizeof *list, largest_function);
    Tcl_Obj *rows = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; s == HSC_OK && i < n && i < most; i++) {
        hsc_db_code_part p;
        if ((s = hsc_db_get_code_part(h->db, list[i].part, &p, &err)) != HSC_OK)
            break;
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "part", hsc_tcl_index(list[i].part));
        PUT(d, "procedure", hsc_tcl_index(p.procedure));
        PUT(d, "symbol", TEXT(p.symbol));
        PUT(d, "module", hsc_tcl_index(p.module));
        PUT(d, "sum", Tcl_NewDoubleObj(list[i].sum));
        PUT(d, "inlined", Tcl_NewDoubleObj(list[i].inlined / list[i].sum));
        PUT(d, "bytes", Tcl_NewWideIntObj((Tcl_WideInt)(p.end - p.begin)));
        Tcl_ListObjAppendElement(NULL, rows, d);
    }
    free(list);
    if (s != HSC_OK) {
        Tcl_DecrRefCount(rows);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, rows);
    return TCL_OK;
}

/* So many samples of a run, of its mean weight. */
static hsc_sampled with_counts(hsc_sampled of, double counts) {
    of.v = (hsc_weighted){counts, of.all.sum > 0 ? counts * of.all.excess / of.all.sum : 0};
    return of;
}

/* beyond HANDLE METRIC THERE PAIRS: of counts of a metric here and of one there, whether they differ beyond noise. */
static int beyond(hsc_handle *h, Tcl_Interp *interp, Tcl_Obj *const objv[]) {
    hsc_err err = {0};
    hsc_handle *other = hsc_handle_find(interp, Tcl_GetString(objv[0]));
    hsc_sampled a, b;
    hsc_db_metric m, n;
    uint32_t here, there;
    Tcl_Size pairs, two;
    Tcl_Obj **pair, **of;
    if (!other || hsc_tcl_get_index(interp, objv[1], "metric", h->info.metrics, &here) != TCL_OK ||
        hsc_tcl_get_index(interp, objv[2], "metric", other->info.metrics, &there) != TCL_OK || Tcl_ListObjGetElements(interp, objv[3], &pairs, &pair) != TCL_OK)
        return TCL_ERROR;
    hsc_status s = hsc_db_get_metric(h->db, here, &m, &err);
    if (s == HSC_OK)
        s = hsc_db_get_metric(other->db, there, &n, &err);
    if (s == HSC_OK && !m.exact)
        s = hsc_handle_sampled(h, here, &a, &err);
    if (s == HSC_OK && !m.exact)
        s = hsc_handle_sampled(other, there, &b, &err);
    if (s != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (Tcl_Size i = 0; i < pairs; i++) {
        double x, y, low, high;
        if (Tcl_ListObjGetElements(interp, pair[i], &two, &of) != TCL_OK || two != 2 || Tcl_GetDoubleFromObj(interp, of[0], &x) != TCL_OK ||
            Tcl_GetDoubleFromObj(interp, of[1], &y) != TCL_OK) {
            Tcl_DecrRefCount(out);
            return hsc_tcl_usage(interp, "beyond HANDLE METRIC THERE {{HERE THERE} ...}");
        }
        low = high = y * n.scale - x * m.scale;
        if (!m.exact) {
            hsc_sampled c = with_counts(a, x), d = with_counts(b, y);
            c.scale = m.scale;
            d.scale = n.scale;
            hsc_interval_change(c, d, &low, &high);
        }
        Tcl_ListObjAppendElement(NULL, out, Tcl_NewBooleanObj(low > 0 || high < 0));
    }
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

int hsc_data_code(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    static const char *const kinds[] = {"line", "scope", "instance", NULL};
    uint32_t row;
    int kind;
    if (!strcmp(name, "code") && objc == 1)
        return hsc_tcl_get_index(interp, objv[0], "scope", h->info.scopes, &row) == TCL_OK ? code(h, interp, row) : TCL_ERROR;
    if (!strcmp(name, "instruction") && objc == 1)
        return hsc_tcl_get_index(interp, objv[0], "instruction", h->info.instructions, &row) == TCL_OK ? instruction(h, interp, row)
                                                                                                         : TCL_ERROR;
    if (!strcmp(name, "beyond") && objc == 4)
        return beyond(h, interp, objv);
    if (!strcmp(name, "symbols") && objc == 2) {
        uint32_t most;
        return hsc_tcl_get_index(interp, objv[0], "metric", h->info.metrics, &row) == TCL_OK && hsc_tcl_get_index(interp, objv[1], "number", UINT32_MAX, &most) == TCL_OK
                   ? symbols(h, interp, row, most)
                   : TCL_ERROR;
    }
    if (!strcmp(name, "codeof") && objc == 2) {
        if (Tcl_GetIndexFromObj(interp, objv[0], kinds, "kind", TCL_EXACT, &kind) != TCL_OK)
            return TCL_ERROR;
        uint64_t limit = kind == 0 ? h->info.lines : kind == 1 ? h->info.scopes : h->info.instances;
        return hsc_tcl_get_index(interp, objv[1], kinds[kind], limit, &row) == TCL_OK ? places(h, interp, (hsc_instructions_of)kind, row)
                                                                                      : TCL_ERROR;
    }
    return TCL_CONTINUE;
}
