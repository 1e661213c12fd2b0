/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: opening, and what is static in a database. */
#include "apart.h"
#include "handle.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>
#include <heatscope/formats/remarks.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))
#define TEXT(s) text_of(s)

static Tcl_Obj *text_of(const char *s) { return s ? hsc_tcl_text(s, strlen(s)) : Tcl_NewObj(); }

int hsc_data_parse(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[], unsigned takes, unsigned needs,
                   uint32_t default_n, uint32_t max_n, hsc_data_args *out) {
    static const char *const names[] = {"-table", "-rows", "-columns", "-row",   "-n",     "-kind",  "-under", "-file",
                                        "-stats", "-reduce", "-bins",  "-kinds", "-first", "-reported", "-least", "-metric", "-axis", NULL};
    static const char *const kinds[] = {"program", "module", "file", "procedure", "loop", "region", "all", NULL};
    *out = (hsc_data_args){.view = {0, HSC_TABLE_LINE, HSC_AXIS_PROCESS}, .kind = -1, .under = HSC_NONE,
                           .file = HSC_NONE, .limit = default_n};
    int rows_at = -1, columns_at = -1, row_at = -1, v;
    for (int i = 0; i < objc; i += 2) {
        int o;
        if (Tcl_GetIndexFromObj(interp, objv[i], names, "option", 0, &o) != TCL_OK) {
            Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
            return TCL_ERROR;
        }
        if (o < 15 && !(takes & 1u << o))
            return hsc_tcl_usage(interp, "option %s means nothing to this command", names[o]);
        if (i + 1 >= objc)
            return hsc_tcl_usage(interp, "option %s lacks its value", names[o]);
        if (o < 15)
            out->given |= 1u << o;
        Tcl_Obj *value = objv[i + 1];
        int r = TCL_OK;
        switch (o) {
        case 0:
            if ((r = Tcl_GetIndexFromObj(interp, value, hsc_table_names, "table", TCL_EXACT, &v)) == TCL_OK)
                out->view.table = (hsc_db_table)v;
            break;
        case 1: rows_at = i + 1; break;
        case 2: columns_at = i + 1; break;
        case 3: row_at = i + 1; break;
        case 4:
        case 10:
        case 12: {
            Tcl_WideInt w;
            if ((r = Tcl_GetWideIntFromObj(interp, value, &w)) == TCL_OK) {
                if (w < (o == 12 ? 0 : 1) || w > (o == 4 ? (Tcl_WideInt)max_n : UINT32_MAX - 1))
                    return hsc_tcl_usage(interp, "%s %lld: expected %d to %lld", names[o], (long long)w, o != 12,
                                         o == 4 ? (long long)max_n : (long long)UINT32_MAX - 1);
                *(o == 4 ? &out->limit : o == 10 ? &out->bins : &out->from) = (uint32_t)w;
            }
            break;
        }
        case 5:
            if ((r = Tcl_GetIndexFromObj(interp, value, kinds, "kind", TCL_EXACT, &v)) == TCL_OK)
                out->kind = v == 6 ? -1 : v;
            break;
        case 6: r = hsc_tcl_get_index(interp, value, "scope", h->info.scopes, &out->under); break;
        case 7: r = hsc_tcl_get_index(interp, value, "file", h->info.files, &out->file); break;
        case 8: r = Tcl_GetBooleanFromObj(interp, value, &out->stats); break;
        case 9: r = Tcl_GetIndexFromObj(interp, value, hsc_reduce_names, "reduction", TCL_EXACT, &out->reduce); break;
        case 11: out->kinds = value; break;
        case 13: r = Tcl_GetBooleanFromObj(interp, value, &out->reported); break;
        case 14: r = Tcl_GetDoubleFromObj(interp, value, &out->least); break;
        case 15: r = hsc_tcl_get_index(interp, value, "metric", h->info.metrics, &out->view.metric); break;
        case 16:
            if ((r = Tcl_GetIndexFromObj(interp, value, hsc_axis_names, "axis", TCL_EXACT, &v)) == TCL_OK)
                out->view.axis = (hsc_db_axis)v;
            break;
        }
        if (r != TCL_OK) {
            if (o != 6 && o != 7 && o != 15) /* those say what is wrong themselves */
                Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
            return TCL_ERROR;
        }
    }
    unsigned missing = needs & ~out->given;
    for (int o = 0; o < 15; o++)
        if (missing & 1u << o)
            return hsc_tcl_usage(interp, "option %s is needed", names[o]);
    uint64_t rows = hsc_db_get_rows(h->db, out->view.table);
    uint32_t columns = hsc_db_get_columns(h->db, out->view.axis);
    for (int k = 0; k < 2; k++) {
        int at = k ? columns_at : rows_at;
        uint64_t limit = k ? columns : rows;
        if (at < 0)
            continue;
        Tcl_Obj **pair;
        Tcl_Size len;
        Tcl_WideInt a, n;
        if (Tcl_ListObjGetElements(interp, objv[at], &len, &pair) != TCL_OK || len != 2 ||
            Tcl_GetWideIntFromObj(interp, pair[0], &a) != TCL_OK || Tcl_GetWideIntFromObj(interp, pair[1], &n) != TCL_OK)
            return hsc_tcl_usage(interp, "%s: expected {FIRST NUMBER}, got \"%.60s\"", k ? "-columns" : "-rows",
                                 Tcl_GetString(objv[at]));
        if (a < 0 || n < 0 || (uint64_t)a > limit || (uint64_t)n > limit - (uint64_t)a) {
            hsc_err err = {0};
            hsc_err_set(&err, HSC_E_ARGUMENT, "%s %lld to %lld: there are %llu", k ? "columns" : "rows", (long long)a,
                        (long long)(a + n - 1), (unsigned long long)limit);
            return hsc_tcl_error(interp, &err);
        }
        if (k) {
            out->column = (uint32_t)a;
            out->m = (uint32_t)n;
        } else {
            out->first = (uint64_t)a;
            out->n = (uint64_t)n;
        }
    }
    if (row_at >= 0) {
        uint32_t row;
        if (hsc_tcl_get_index(interp, objv[row_at], "row", rows, &row) != TCL_OK)
            return TCL_ERROR;
        out->row = row;
    }
    return TCL_OK;
}

/* ---- dicts ---- */

static const char *tail(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

Tcl_Obj *hsc_data_filename(hsc_handle *h, uint32_t file) {
    hsc_db_file f;
    if (file == HSC_NONE || hsc_db_get_file(h->db, file, &f, NULL) != HSC_OK)
        return Tcl_NewObj();
    return TEXT(tail(f.path));
}

static Tcl_Obj *file_dict(hsc_handle *h, uint32_t i, hsc_err *err) {
    hsc_db_file f;
    hsc_db_line first = {0}, last = {0};
    if (hsc_db_get_file(h->db, i, &f, err) != HSC_OK ||
        (f.line_rows && (hsc_db_get_line(h->db, f.first_line_row, &first, err) != HSC_OK ||
                         hsc_db_get_line(h->db, f.first_line_row + f.line_rows - 1, &last, err) != HSC_OK)))
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "index", WIDE(i));
    PUT(d, "path", TEXT(f.path));
    PUT(d, "name", TEXT(tail(f.path)));
    PUT(d, "module", hsc_tcl_index(f.module));
    PUT(d, "first_line_row", WIDE(f.first_line_row));
    PUT(d, "line_rows", WIDE(f.line_rows));
    PUT(d, "has_lines", WIDE(f.has_lines));
    PUT(d, "first_line", WIDE(first.line));
    PUT(d, "last_line", WIDE(last.line));
    return d;
}

static Tcl_Obj *module_dict(hsc_handle *h, uint32_t i, hsc_err *err) {
    hsc_db_module m;
    const bool *own;
    if (hsc_db_get_module(h->db, i, &m, err) != HSC_OK || hsc_handle_own_modules(h, &own, err) != HSC_OK)
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "index", WIDE(i));
    PUT(d, "path", TEXT(m.path));
    PUT(d, "build_id", TEXT(m.build_id));
    PUT(d, "knowledge", TEXT(m.knowledge <= HSC_KNOWN_NOTHING ? hsc_knowledge_names[m.knowledge] : "nothing"));
    PUT(d, "note", TEXT(m.note));
    PUT(d, "own", WIDE(own[i]));
    PUT(d, "heatscope", WIDE(hsc_library_role_of(m.path) == HSC_LIBRARY_HEATSCOPE));
    return d;
}

static Tcl_Obj *line_dict(hsc_handle *h, uint32_t i, hsc_err *err) {
    hsc_db_line l;
    if (hsc_db_get_line(h->db, i, &l, err) != HSC_OK)
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "row", WIDE(i));
    PUT(d, "file", hsc_tcl_index(l.file));
    PUT(d, "line", WIDE(l.line));
    PUT(d, "scope", hsc_tcl_index(l.scope));
    return d;
}

Tcl_Obj *hsc_data_scope(hsc_handle *h, uint32_t i, hsc_err *err) {
    hsc_db_scope s;
    if (hsc_db_get_scope(h->db, i, &s, err) != HSC_OK)
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "row", WIDE(i));
    PUT(d, "parent", hsc_tcl_index(s.parent));
    PUT(d, "subtree_end", WIDE(s.subtree_end));
    PUT(d, "kind", TEXT(s.kind <= HSC_SCOPE_REGION ? hsc_kind_names[s.kind] : "?"));
    PUT(d, "knowledge", TEXT(s.knowledge <= HSC_KNOWN_NOTHING ? hsc_knowledge_names[s.knowledge] : "nothing"));
    PUT(d, "name", TEXT(s.name));
    PUT(d, "procedure", hsc_tcl_index(s.procedure));
    PUT(d, "module", hsc_tcl_index(s.module));
    PUT(d, "file", hsc_tcl_index(s.file));
    PUT(d, "line_begin", WIDE(s.line_begin));
    PUT(d, "line_end", WIDE(s.line_end));
    PUT(d, "depth", WIDE(s.depth));
    return d;
}

Tcl_Obj *hsc_data_instance(hsc_handle *h, uint32_t i, hsc_err *err) {
    hsc_db_instance v;
    if (hsc_db_get_instance(h->db, i, &v, err) != HSC_OK)
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "index", WIDE(i));
    PUT(d, "scope", hsc_tcl_index(v.scope));
    PUT(d, "function", hsc_tcl_index(v.function));
    PUT(d, "version", WIDE(v.version));
    PUT(d, "version_text", TEXT(v.version_text));
    PUT(d, "is_vector", WIDE(hsc_version_is_vector(v.version)));
    PUT(d, "vector_width", WIDE(v.vector_width));
    PUT(d, "vector_bytes", WIDE(v.vector_bytes));
    PUT(d, "interleave", WIDE(v.interleave));
    PUT(d, "unroll", WIDE(v.unroll));
    return d;
}

Tcl_Obj *hsc_data_context(hsc_handle *h, uint32_t i, hsc_err *err) {
    hsc_db_context c;
    hsc_db_scope s = {.name = "", .file = HSC_NONE};
    hsc_db_line call = {.file = HSC_NONE};
    if (hsc_db_get_context(h->db, i, &c, err) != HSC_OK ||
        (c.scope != HSC_NONE && hsc_db_get_scope(h->db, c.scope, &s, err) != HSC_OK) ||
        (c.call_line != HSC_NONE && hsc_db_get_line(h->db, c.call_line, &call, err) != HSC_OK))
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "row", WIDE(i));
    PUT(d, "parent", hsc_tcl_index(c.parent));
    PUT(d, "subtree_end", WIDE(c.subtree_end));
    PUT(d, "kind", TEXT(c.kind <= HSC_CONTEXT_PARTIAL ? hsc_context_names[c.kind] : "?"));
    PUT(d, "scope", hsc_tcl_index(c.scope));
    PUT(d, "name", TEXT(s.name));
    PUT(d, "file", hsc_tcl_index(s.file));
    PUT(d, "line", WIDE(s.line_begin));
    PUT(d, "call_file", hsc_tcl_index(call.file));
    PUT(d, "call_line", WIDE(call.line));
    PUT(d, "depth", WIDE(c.depth));
    PUT(d, "leaf", WIDE(c.subtree_end <= i + 1));
    return d;
}

static Tcl_Obj *process_dict(hsc_handle *h, uint32_t i, hsc_err *err) {
    hsc_db_process p;
    if (hsc_db_get_process(h->db, i, &p, err) != HSC_OK)
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "index", WIDE(i));
    PUT(d, "rank", WIDE(p.rank));
    PUT(d, "pid", WIDE(p.pid));
    PUT(d, "host", TEXT(p.host));
    PUT(d, "executable", TEXT(p.executable));
    PUT(d, "arguments", TEXT(p.arguments));
    PUT(d, "environment", TEXT(p.environment));
    PUT(d, "mechanism", TEXT(p.mechanism));
    PUT(d, "mechanism_note", TEXT(p.mechanism_note));
    PUT(d, "end", TEXT(p.end));
    PUT(d, "unfinished", WIDE(p.unfinished));
    PUT(d, "first_thread", WIDE(p.first_thread));
    PUT(d, "threads", WIDE(p.threads));
    PUT(d, "begin_s", Tcl_NewDoubleObj(p.begin_s));
    PUT(d, "end_s", Tcl_NewDoubleObj(p.end_s));
    return d;
}

/* What the kernel counted: user_s below 0 where it is not known, runnable_s too. */
static void put_usage(Tcl_Obj *d, const hsc_db_thread *t) {
    PUT(d, "user_s", Tcl_NewDoubleObj(t->user_s));
    PUT(d, "system_s", Tcl_NewDoubleObj(t->system_s));
    PUT(d, "minor_faults", WIDE(t->minor_faults));
    PUT(d, "major_faults", WIDE(t->major_faults));
    PUT(d, "voluntary_switches", WIDE(t->voluntary_switches));
    PUT(d, "involuntary_switches", WIDE(t->involuntary_switches));
    PUT(d, "runnable_s", Tcl_NewDoubleObj(t->runnable_s));
}

static Tcl_Obj *thread_dict(hsc_handle *h, uint32_t i, hsc_err *err) {
    hsc_db_thread t;
    if (hsc_db_get_thread(h->db, i, &t, err) != HSC_OK)
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "row", WIDE(i));
    PUT(d, "process", hsc_tcl_index(t.process));
    PUT(d, "index", WIDE(t.index));
    PUT(d, "tid", WIDE(t.tid));
    PUT(d, "name", TEXT(t.name));
    PUT(d, "begin_s", Tcl_NewDoubleObj(t.begin_s));
    PUT(d, "end_s", Tcl_NewDoubleObj(t.end_s));
    PUT(d, "cpu_s", Tcl_NewDoubleObj(t.cpu_s));
    PUT(d, "own_s", Tcl_NewDoubleObj(t.own_s));
    PUT(d, "samples", WIDE(t.samples));
    PUT(d, "lost", WIDE(t.lost));
    PUT(d, "truncated", WIDE(t.truncated));
    PUT(d, "records", WIDE(t.records));
    put_usage(d, &t);
    return d;
}

static Tcl_Obj *metric_dict(hsc_handle *h, uint32_t i, hsc_err *err) {
    hsc_db_metric m;
    if (hsc_db_get_metric(h->db, i, &m, err) != HSC_OK)
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "index", WIDE(i));
    PUT(d, "name", TEXT(m.name));
    PUT(d, "unit", TEXT(m.unit));
    PUT(d, "scale", Tcl_NewDoubleObj(m.scale));
    PUT(d, "exact", Tcl_NewBooleanObj(m.exact));
    return d;
}

static Tcl_Obj *category_name(hsc_handle *h, uint32_t i, hsc_err *err) {
    (void)err;
    return TEXT(hsc_db_get_category(h->db, i));
}

/* Of a process: the sums of its threads that are known. */
static void add_usage(hsc_db_thread *sum, const hsc_db_thread *one, bool first) {
    if (first) {
        sum->user_s = sum->runnable_s = -1;
        sum->system_s = 0;
    }
    if (one->user_s >= 0) {
        sum->user_s = (sum->user_s < 0 ? 0 : sum->user_s) + one->user_s;
        sum->system_s += one->system_s;
        sum->minor_faults += one->minor_faults;
        sum->major_faults += one->major_faults;
        sum->voluntary_switches += one->voluntary_switches;
        sum->involuntary_switches += one->involuntary_switches;
    }
    if (one->runnable_s >= 0)
        sum->runnable_s = (sum->runnable_s < 0 ? 0 : sum->runnable_s) + one->runnable_s;
}

/* labels AXIS: of all columns. */
static int labels(hsc_handle *h, Tcl_Interp *interp, Tcl_Obj *name) {
    int axis;
    if (Tcl_GetIndexFromObj(interp, name, hsc_axis_names, "axis", TCL_EXACT, &axis) != TCL_OK) {
        Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
        return TCL_ERROR;
    }
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < hsc_db_get_columns(h->db, (hsc_db_axis)axis); i++) {
        char label[64];
        hsc_handle_label(h, (hsc_db_axis)axis, i, label, sizeof label);
        Tcl_ListObjAppendElement(NULL, list, hsc_tcl_text(label, strlen(label)));
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static Tcl_Obj *column_dict(hsc_handle *h, hsc_db_axis axis, uint32_t i, hsc_err *err) {
    hsc_db_thread t = {.process = i};
    hsc_db_process p;
    char label[32];
    if ((axis == HSC_AXIS_THREAD && hsc_db_get_thread(h->db, i, &t, err) != HSC_OK) ||
        hsc_db_get_process(h->db, t.process, &p, err) != HSC_OK)
        return NULL;
    if (axis == HSC_AXIS_PROCESS) {
        t.name = "";
        t.begin_s = p.begin_s;
        t.end_s = p.end_s;
        for (uint32_t k = 0; k < p.threads; k++) {
            hsc_db_thread one;
            if (hsc_db_get_thread(h->db, p.first_thread + k, &one, err) != HSC_OK)
                return NULL;
            t.samples += one.samples;
            t.lost += one.lost;
            t.cpu_s += one.cpu_s;
            add_usage(&t, &one, !k);
        }
    }
    hsc_handle_label(h, axis, i, label, sizeof label);
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "index", WIDE(i));
    PUT(d, "label", TEXT(label));
    PUT(d, "rank", WIDE(p.rank));
    PUT(d, "thread", WIDE(axis == HSC_AXIS_THREAD ? (Tcl_WideInt)t.index : -1));
    PUT(d, "helper", WIDE(hsc_handle_is_helper(h, axis, i)));
    PUT(d, "host", TEXT(p.host));
    PUT(d, "pid", WIDE(p.pid));
    PUT(d, "tid", WIDE(axis == HSC_AXIS_THREAD ? (Tcl_WideInt)t.tid : -1));
    PUT(d, "name", TEXT(t.name));
    PUT(d, "process", WIDE(t.process));
    PUT(d, "samples", WIDE(t.samples));
    PUT(d, "lost", WIDE(t.lost));
    PUT(d, "begin_s", Tcl_NewDoubleObj(t.begin_s));
    PUT(d, "end_s", Tcl_NewDoubleObj(t.end_s));
    PUT(d, "cpu_s", Tcl_NewDoubleObj(t.cpu_s));
    put_usage(d, &t);
    return d;
}

static Tcl_Obj *info_dict(hsc_handle *h) {
    const hsc_db_info *i = &h->info;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "path", TEXT(i->path));
    PUT(d, "title", TEXT(i->title));
    PUT(d, "command", TEXT(i->command));
    PUT(d, "created", TEXT(i->created));
#define N(field) PUT(d, #field, WIDE(i->field));
    N(modules) N(files) N(lines) N(scopes) N(contexts) N(instances) N(instructions) N(threads) N(processes) N(metrics) N(categories)
    N(ledger_rows) N(samples)
#undef N
    PUT(d, "cpu_s", Tcl_NewDoubleObj(i->cpu_s));
    PUT(d, "wall_s", Tcl_NewDoubleObj(i->wall_s));
    PUT(d, "simulated", WIDE(i->simulated));
    PUT(d, "messages", WIDE(i->messages));
    PUT(d, "waits", WIDE(i->waits));
    PUT(d, "pairs", WIDE(i->pairs));
    PUT(d, "delays", WIDE(i->delays));
    PUT(d, "arrays", WIDE(i->arrays));
    PUT(d, "probes", WIDE(hsc_db_count_told(h->db, HSC_TOLD_PROBES)));
    PUT(d, "blocks", WIDE(hsc_db_count_told(h->db, HSC_TOLD_BLOCKS)));
    PUT(d, "phases", WIDE(hsc_db_count_told(h->db, HSC_TOLD_PHASES)));
    PUT(d, "counters", WIDE(hsc_db_count_told(h->db, HSC_TOLD_COUNTERS)));
    return d;
}

/* ---- commands ---- */

static int ledger(hsc_handle *h, Tcl_Interp *interp) {
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < h->info.ledger_rows; i++) {
        hsc_db_ledger l;
        hsc_err err = {0};
        if (hsc_db_get_ledger(h->db, i, &l, &err) != HSC_OK) {
            Tcl_DecrRefCount(list);
            return hsc_tcl_error(interp, &err);
        }
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "name", TEXT(l.name));
        PUT(d, "meaning", TEXT(l.meaning));
        PUT(d, "samples", WIDE(l.samples));
        PUT(d, "seconds", Tcl_NewDoubleObj(l.seconds));
        PUT(d, "group", WIDE(l.group));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int files(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    if (hsc_data_parse(h, interp, objc, objv, HSC_ARG_FIRST | HSC_ARG_N, 0, 1000, 4096, &a) != TCL_OK)
        return TCL_ERROR;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = a.from; i < h->info.files && i - a.from < a.limit; i++) {
        hsc_err err = {0};
        Tcl_Obj *d = file_dict(h, i, &err);
        if (!d) {
            Tcl_DecrRefCount(list);
            return hsc_tcl_error(interp, &err);
        }
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int find_file(hsc_handle *h, Tcl_Interp *interp, const char *path) {
    size_t n = strlen(path);
    for (uint32_t i = 0; i < h->info.files; i++) {
        hsc_db_file f;
        hsc_err err = {0};
        if (hsc_db_get_file(h->db, i, &f, &err) != HSC_OK)
            return hsc_tcl_error(interp, &err);
        size_t m = strlen(f.path);
        if (m >= n && !strcmp(f.path + m - n, path) && (m == n || (n && f.path[m - n - 1] == '/'))) {
            Tcl_SetObjResult(interp, WIDE(i));
            return TCL_OK;
        }
    }
    Tcl_SetObjResult(interp, WIDE(-1));
    return TCL_OK;
}

static int get_line_number(Tcl_Interp *interp, Tcl_Obj *obj, uint32_t *out) {
    Tcl_WideInt v;
    if (Tcl_GetWideIntFromObj(interp, obj, &v) != TCL_OK) {
        Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
        return TCL_ERROR;
    }
    *out = v < 0 ? 0 : v > UINT32_MAX - 1 ? UINT32_MAX - 1 : (uint32_t)v;
    return TCL_OK;
}

/* findline, lines, nextline, scopeat */
static int by_line(hsc_handle *h, Tcl_Interp *interp, int what, int objc, Tcl_Obj *const objv[]) {
    uint32_t file, line, last, lo, hi;
    hsc_err err = {0};
    if (hsc_tcl_get_index(interp, objv[2], "file", h->info.files, &file) != TCL_OK ||
        get_line_number(interp, objv[3], &line) != TCL_OK)
        return TCL_ERROR;
    switch (what) {
    case 0: Tcl_SetObjResult(interp, hsc_tcl_index(hsc_db_find_line(h->db, file, line))); return TCL_OK;
    case 1: {
        if (get_line_number(interp, objv[4], &last) != TCL_OK)
            return TCL_ERROR;
        if (last >= line && last - line >= 65536)
            return hsc_tcl_usage(interp, "lines %u to %u: at most 65536 at a time", line, last);
        Tcl_Obj *list = Tcl_NewListObj(0, NULL);
        hsc_status s = HSC_OK;
        lo = hi = 0;
        if (last >= line)
            s = hsc_handle_rows(h, file, line, last, &lo, &hi, &err);
        for (uint32_t r = lo; s == HSC_OK && r < hi; r++) {
            hsc_db_line l;
            if ((s = hsc_db_get_line(h->db, r, &l, &err)) == HSC_OK)
                Tcl_ListObjAppendElement(NULL, list, WIDE(l.line));
        }
        if (s != HSC_OK) {
            Tcl_DecrRefCount(list);
            return hsc_tcl_error(interp, &err);
        }
        Tcl_SetObjResult(interp, list);
        return TCL_OK;
    }
    case 2: {
        int back = objc == 5;
        if (back && strcmp(Tcl_GetString(objv[4]), "back"))
            return hsc_tcl_usage(interp, "nextline FILE LINE ?back?: got \"%.40s\"", Tcl_GetString(objv[4]));
        hsc_db_file f;
        hsc_db_line l;
        if (hsc_handle_rows(h, file, line, line, &lo, &hi, &err) != HSC_OK ||
            hsc_db_get_file(h->db, file, &f, &err) != HSC_OK)
            return hsc_tcl_error(interp, &err);
        if (back ? lo == f.first_line_row : hi == f.first_line_row + f.line_rows) {
            Tcl_SetObjResult(interp, WIDE(-1));
            return TCL_OK;
        }
        if (hsc_db_get_line(h->db, back ? lo - 1 : hi, &l, &err) != HSC_OK)
            return hsc_tcl_error(interp, &err);
        Tcl_SetObjResult(interp, WIDE(l.line));
        return TCL_OK;
    }
    default: {
        uint32_t scope;
        if (hsc_handle_scope_at(h, file, line, &scope, &err) != HSC_OK)
            return hsc_tcl_error(interp, &err);
        Tcl_SetObjResult(interp, hsc_tcl_index(scope));
        return TCL_OK;
    }
    }
}

static int scopes_of(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    uint32_t file, n;
    const uint32_t *scopes;
    hsc_data_args a;
    hsc_err err = {0};
    if (hsc_tcl_get_index(interp, objv[2], "file", h->info.files, &file) != TCL_OK ||
        hsc_data_parse(h, interp, objc - 3, objv + 3, HSC_ARG_KIND, 0, 1, 1, &a) != TCL_OK)
        return TCL_ERROR;
    if (hsc_handle_scopes(h, file, &scopes, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0, given = 0; i < n && given < 65536; i++) {
        hsc_db_scope s;
        if (a.kind >= 0 && (hsc_db_get_scope(h->db, scopes[i], &s, NULL) != HSC_OK || (int)s.kind != a.kind))
            continue;
        Tcl_ListObjAppendElement(NULL, list, WIDE(scopes[i]));
        given++;
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static void put_begin(Tcl_Obj *list, uint32_t line, uint32_t scope, Tcl_Obj *kind) {
    Tcl_ListObjAppendElement(NULL, list, WIDE(line));
    Tcl_ListObjAppendElement(NULL, list, WIDE(scope));
    Tcl_ListObjAppendElement(NULL, list, kind);
}

static bool is_of_compiler(const hsc_db_scope *s) { return s->kind == HSC_SCOPE_LOOP && !s->line_begin && s->knowledge == HSC_KNOWN_MAP; }

static int by_number(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Loops below `top` that the compiler wrote itself stand at no line; their code, with that of loops inside, has the lines of the file that it was inlined at. */
static hsc_status put_inlined(const hsc_handle *h, Tcl_Obj *list, uint32_t file, uint32_t top, Tcl_Obj *kind, hsc_err *err) {
    uint32_t *rows = NULL, n = 0;
    struct { uint64_t *p; size_t n, room; } at = {0}; /* scope and line */
    hsc_status status = hsc_db_find_instructions(h->db, HSC_OF_SCOPE, top, &rows, &n, err);
    for (uint32_t i = 0; !status && i < n; i++) {
        hsc_db_instruction x;
        hsc_db_line l;
        hsc_db_scope s;
        if (hsc_db_get_instruction(h->db, rows[i], &x, NULL) != HSC_OK || x.line == HSC_NONE)
            continue;
        for (uint32_t loop = x.scope; !status && loop != HSC_NONE && hsc_db_get_scope(h->db, loop, &s, NULL) == HSC_OK && is_of_compiler(&s); loop = s.parent) {
            if (hsc_db_get_line(h->db, x.line, &l, NULL) != HSC_OK || l.file != file || !l.line)
                break;
            uint64_t key = (uint64_t)loop << 32 | l.line, *grown = at.p;
            if (at.n && at.p[at.n - 1] == key)
                continue;
            if (at.n == at.room && (grown = realloc(at.p, (at.room = at.room ? 2 * at.room : 64) * sizeof *grown)) == NULL)
                status = hsc_err_set(err, HSC_E_MEMORY, "no memory for the lines of loops");
            else
                (at.p = grown)[at.n++] = key;
        }
    }
    if (at.n > 1)
        qsort(at.p, at.n, sizeof *at.p, by_number);
    for (size_t i = 0; !status && i < at.n; i++)
        if (!i || at.p[i] != at.p[i - 1])
            put_begin(list, (uint32_t)at.p[i], (uint32_t)(at.p[i] >> 32), kind);
    free(at.p);
    free(rows);
    return status;
}

/* The file's scope of the module that it is in. */
static uint32_t file_scope(const hsc_handle *h, uint32_t scope) {
    hsc_db_scope s;
    for (; scope != HSC_NONE && hsc_db_get_scope(h->db, scope, &s, NULL) == HSC_OK && s.kind > HSC_SCOPE_FILE; scope = s.parent)
        ;
    return scope;
}

/* Where they begin, in one answer for a whole file. */
static int scopes_begin(hsc_handle *h, Tcl_Interp *interp, Tcl_Obj *number) {
    uint32_t file, n, top = HSC_NONE;
    const uint32_t *scopes;
    hsc_err err = {0};
    if (hsc_tcl_get_index(interp, number, "file", h->info.files, &file) != TCL_OK)
        return TCL_ERROR;
    if (hsc_handle_scopes(h, file, &scopes, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL), *kinds[HSC_SCOPE_REGION + 1] = {NULL}, *inlined = Tcl_NewStringObj("inlined", -1);
    Tcl_IncrRefCount(inlined);
    for (uint32_t i = 0; i < n && i < 65536; i++) {
        hsc_db_scope s;
        if (hsc_db_get_scope(h->db, scopes[i], &s, NULL) != HSC_OK || (int)s.kind > HSC_SCOPE_REGION)
            continue;
        if (!kinds[s.kind])
            kinds[s.kind] = TEXT(hsc_kind_names[s.kind]);
        put_begin(list, s.line_begin, scopes[i], kinds[s.kind]);
        uint32_t of = is_of_compiler(&s) ? file_scope(h, scopes[i]) : HSC_NONE; /* those of one module follow each other */
        if (of == HSC_NONE || of == top)
            continue;
        top = of;
        (void)put_inlined(h, list, file, top, inlined, &err); /* without instructions there is nothing more to say */
    }
    Tcl_DecrRefCount(inlined);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int remarks(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    uint32_t scope, n = 0;
    hsc_data_args a;
    hsc_err err = {0};
    if (hsc_tcl_get_index(interp, objv[2], "scope", h->info.scopes, &scope) != TCL_OK ||
        hsc_data_parse(h, interp, objc - 3, objv + 3, HSC_ARG_N, 0, 200, 4096, &a) != TCL_OK)
        return TCL_ERROR;
    hsc_db_remark *r = calloc(a.limit, sizeof *r);
    if (!r)
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u remarks", a.limit);
    if (!r || hsc_db_get_remarks(h->db, scope, r, a.limit, &n, &err) != HSC_OK) {
        free(r);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n && i < a.limit; i++) {
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "scope", hsc_tcl_index(r[i].scope));
        PUT(d, "file", hsc_tcl_index(r[i].file));
        PUT(d, "line", WIDE(r[i].line));
        PUT(d, "kind", WIDE(r[i].kind));
        PUT(d, "pass", TEXT(r[i].pass));
        PUT(d, "name", TEXT(r[i].name));
        PUT(d, "message", TEXT(r[i].message));
        PUT(d, "reason_code", WIDE(r[i].reason));
        const char *reason = r[i].reason ? hsc_enum_text("reason", r[i].reason) : "";
        PUT(d, "reason_text", TEXT(reason ? reason : ""));
        PUT(d, "count", WIDE(r[i].count));
        PUT(d, "refuses", WIDE(r[i].refuses_vectors));
        uint64_t plain;
        hsc_remark_tell(r[i].pass, strlen(r[i].pass), r[i].name, strlen(r[i].name), &plain);
        PUT(d, "plain", WIDE(plain == r[i].reason));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    free(r);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int source(hsc_handle *h, Tcl_Interp *interp, Tcl_Obj *obj) {
    uint32_t file;
    hsc_err err = {0};
    hsc_db_file f;
    char *text = NULL;
    size_t size = 0;
    bool changed = false;
    if (hsc_tcl_get_index(interp, obj, "file", h->info.files, &file) != TCL_OK)
        return TCL_ERROR;
    if (hsc_db_get_file(h->db, file, &f, &err) != HSC_OK ||
        hsc_db_read_source(h->db, file, &text, &size, &changed, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "text", hsc_tcl_text(text, size));
    PUT(d, "changed", WIDE(changed));
    PUT(d, "path", TEXT(f.path));
    free(text);
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

static Tcl_Obj *apart_text(hsc_handle *h, uint32_t i, hsc_err *err) {
    (void)err;
    return TEXT(hsc_handle_apart(h, i));
}

typedef Tcl_Obj *row_dict(hsc_handle *h, uint32_t i, hsc_err *err);

int hsc_data_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_handle *h = data;
    const hsc_db_info *in = &h->info;
    const struct {
        const char *name;
        row_dict *make;
        uint32_t limit;
    } rows[] = {{"file", file_dict, in->files},         {"module", module_dict, in->modules},
                {"line", line_dict, in->lines},         {"scope", hsc_data_scope, in->scopes},
                {"instance", hsc_data_instance, in->instances}, {"process", process_dict, in->processes},
                {"thread", thread_dict, in->threads},   {"metric", metric_dict, in->metrics},
                {"context", hsc_data_context, in->contexts}, {"category", category_name, in->categories},
                {"apart", apart_text, in->scopes}};
    static const struct {
        const char *name, *usage;
        int least, most; /* words after the name; most -1: any */
    } others[] = {{"close", "", 0, 0},
                  {"info", "", 0, 0},
                  {"columns", "AXIS ?working?", 1, 2},
                  {"column", "AXIS I", 2, 2},
                  {"files", "?-first I? ?-n N?", 0, -1},
                  {"findfile", "PATH", 1, 1},
                  {"findline", "FILE LINE", 2, 2},
                  {"lines", "FILE FIRST LAST", 3, 3},
                  {"nextline", "FILE LINE ?back?", 2, 3},
                  {"scopeat", "FILE LINE", 2, 2},
                  {"scopesof", "FILE ?-kind K?", 1, -1},
                  {"remarks", "SCOPE ?-n N?", 1, -1},
                  {"source", "FILE", 1, 1},
                  {"ledger", "", 0, 0},
                  {"labels", "AXIS", 1, 1},
                  {"scopesbegin", "FILE", 1, 1}};
    if (objc < 2)
        return hsc_tcl_usage(interp, "%s COMMAND ?ARG ...?", Tcl_GetString(objv[0]));
    const char *name = Tcl_GetString(objv[1]);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        uint32_t i;
        hsc_err err = {0};
        if (strcmp(name, rows[k].name))
            continue;
        if (objc != 3)
            return hsc_tcl_usage(interp, "%s %s INDEX", Tcl_GetString(objv[0]), name);
        if (hsc_tcl_get_index(interp, objv[2], name, rows[k].limit, &i) != TCL_OK)
            return TCL_ERROR;
        Tcl_Obj *d = rows[k].make(h, i, &err);
        if (!d)
            return hsc_tcl_error(interp, &err);
        Tcl_SetObjResult(interp, d);
        return TCL_OK;
    }
    size_t k = 0, n = sizeof others / sizeof *others;
    while (k < n && strcmp(name, others[k].name))
        k++;
    if (k < n && (objc - 2 < others[k].least || (others[k].most >= 0 && objc - 2 > others[k].most)))
        return hsc_tcl_usage(interp, "%s %s %s", Tcl_GetString(objv[0]), name, others[k].usage);
    int axis;
    uint32_t i;
    switch (k) {
    case 0: Tcl_DeleteCommandFromToken(interp, h->command); return TCL_OK;
    case 1: Tcl_SetObjResult(interp, info_dict(h)); return TCL_OK;
    case 2:
    case 3:
        if (Tcl_GetIndexFromObj(interp, objv[2], hsc_axis_names, "axis", TCL_EXACT, &axis) != TCL_OK) {
            Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
            return TCL_ERROR;
        }
        if (k == 2) {
            if (objc == 4 && strcmp(Tcl_GetString(objv[3]), "working"))
                return hsc_tcl_usage(interp, "columns AXIS ?working?: got \"%.40s\"", Tcl_GetString(objv[3]));
            Tcl_SetObjResult(interp, WIDE(objc == 4 ? hsc_handle_working(h, (hsc_db_axis)axis) : hsc_db_get_columns(h->db, (hsc_db_axis)axis)));
        } else {
            hsc_err err = {0};
            if (hsc_tcl_get_index(interp, objv[3], "column", hsc_db_get_columns(h->db, (hsc_db_axis)axis), &i) != TCL_OK)
                return TCL_ERROR;
            Tcl_Obj *d = column_dict(h, (hsc_db_axis)axis, i, &err);
            if (!d)
                return hsc_tcl_error(interp, &err);
            Tcl_SetObjResult(interp, d);
        }
        return TCL_OK;
    case 4: return files(h, interp, objc - 2, objv + 2);
    case 5: return find_file(h, interp, Tcl_GetString(objv[2]));
    case 6: return by_line(h, interp, 0, objc, objv);
    case 7: return by_line(h, interp, 1, objc, objv);
    case 8: return by_line(h, interp, 2, objc, objv);
    case 9: return by_line(h, interp, 3, objc, objv);
    case 10: return scopes_of(h, interp, objc, objv);
    case 11: return remarks(h, interp, objc, objv);
    case 12: return source(h, interp, objv[2]);
    case 13: return ledger(h, interp);
    case 14: return labels(h, interp, objv[2]);
    case 15: return scopes_begin(h, interp, objv[2]);
    default: break;
    }
    int r = hsc_data_values(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_tree(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_callers(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_hot(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_outline(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_report(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_time(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_causes(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_pairs(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_arrays(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_told(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        r = hsc_data_code(h, interp, name, objc - 2, objv + 2);
    if (r == TCL_CONTINUE)
        return hsc_tcl_usage(interp, "unknown command \"%.40s\" of a database; gui/c/README.md lists them", name);
    return r;
}
