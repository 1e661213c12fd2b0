/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: findings, refusals, dependences, what the map says of loops. */
#include "handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))
#define TEXT(s) hsc_tcl_text(s, strlen(s))

/* NaN: the empty string */
static Tcl_Obj *share(double v) {
    return isnan(v) ? Tcl_NewObj() : Tcl_NewDoubleObj(v);
}

void hsc_handle_look_no_more(hsc_handle *h) {
    hsc_db_end_findings(h->looked.under_way);
    hsc_db_free_findings(h->looked.findings, h->looked.n_findings);
    free(h->looked.refusals);
    memset(&h->looked, 0, sizeof h->looked);
}

/* Looks for what stands out for so many seconds. */
static hsc_status look_on(hsc_handle *h, uint32_t metric, double seconds, hsc_err *err) {
    hsc_status s = HSC_OK;
    double begin_s, end_s;
    bool in_part = hsc_db_get_interval(h->db, &begin_s, &end_s); /* which has much in memory already */
    if (h->looked.metric != metric)
        hsc_handle_look_no_more(h);
    if (h->looked.done >= 1)
        return HSC_OK;
    if (!h->looked.under_way && in_part)
        hsc_db_give_back(h->db, true);
    if (!h->looked.under_way)
        s = hsc_db_begin_findings(h->db, h->looked.metric = metric, &h->looked.under_way, err);
    if (s == HSC_OK)
        s = hsc_db_look_on(h->looked.under_way, seconds, &h->looked.done, err);
    if (s == HSC_OK && h->looked.done >= 1) {
        hsc_db_take_findings(h->looked.under_way, &h->looked.findings, &h->looked.n_findings);
        s = hsc_db_take_refusals(h->looked.under_way, &h->looked.refusals, &h->looked.n_refusals, err);
        hsc_db_end_findings(h->looked.under_way);
        h->looked.under_way = NULL;
        if (in_part)
            hsc_db_give_back(h->db, false);
    }
    if (s != HSC_OK)
        hsc_handle_look_no_more(h);
    return s;
}

static hsc_status look(hsc_handle *h, uint32_t metric, hsc_err *err) {
    hsc_status s;
    do
        s = look_on(h, metric, 1, err);
    while (s == HSC_OK && h->looked.done < 1);
    return s;
}

/* lookfor MS ?-metric M?: for so long; which part is done. At 1 `findings` and `refusals` have nothing to do. */
static int look_for(hsc_handle *h, Tcl_Interp *interp, int ms, const hsc_data_args *a) {
    hsc_err err = {0};
    if (look_on(h, a->view.metric, ms * 1e-3, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, Tcl_NewDoubleObj(h->looked.done));
    return TCL_OK;
}

/* hottest ?-metric M?: scope of the hottest loop with what it calls, or of the hottest procedure; -1: none */
static int hottest(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    uint32_t scope = HSC_NONE;
    if (hsc_db_find_hottest_code(h->db, a->view.metric, &scope, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, hsc_tcl_index(scope));
    return TCL_OK;
}

/* silentopenmp: the name of a runtime with threads of whose waits none was timed; "" */
static int silent_openmp(hsc_handle *h, Tcl_Interp *interp) {
    hsc_err err = {0};
    const char *name = NULL;
    if (hsc_db_find_silent_openmp(h->db, &name, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, name ? TEXT(name) : Tcl_NewObj());
    return TCL_OK;
}

/* environment: NAME VALUES of each variable that changes how programs run, by all processes */
static int environment(hsc_handle *h, Tcl_Interp *interp) {
    hsc_err err = {0};
    hsc_db_variable *list;
    uint32_t n;
    if (hsc_db_read_environment(h->db, &list, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n; i++) {
        Tcl_ListObjAppendElement(NULL, out, TEXT(list[i].name));
        Tcl_ListObjAppendElement(NULL, out, TEXT(list[i].values));
    }
    free(list);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

static int findings(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    if (look(h, a->view.metric, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < h->looked.n_findings; i++) {
        const hsc_db_finding *x = &h->looked.findings[i];
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "title", TEXT(x->title));
        PUT(d, "text", TEXT(x->text));
        PUT(d, "weight", Tcl_NewDoubleObj(x->weight));
        PUT(d, "share", share(x->share));
        PUT(d, "low", share(x->share_low));
        PUT(d, "high", share(x->share_high));
        PUT(d, "scope", hsc_tcl_index(x->scope));
        PUT(d, "file", hsc_tcl_index(x->file));
        PUT(d, "line", WIDE(x->line));
        Tcl_ListObjAppendElement(NULL, out, d);
    }
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

static int refusals(hsc_handle *h, Tcl_Interp *interp, const hsc_data_args *a) {
    hsc_err err = {0};
    double total = 0;
    if (hsc_handle_total(h, a->view.metric, &total, &err) != HSC_OK || look(h, a->view.metric, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = a->from; i < h->looked.n_refusals && i - a->from < a->limit; i++) {
        const hsc_db_refusal *x = &h->looked.refusals[i];
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "scope", hsc_tcl_index(x->scope));
        PUT(d, "reason", WIDE(x->reason));
        PUT(d, "reason_text", TEXT(x->reason_text));
        PUT(d, "message", TEXT(x->message));
        PUT(d, "sum", Tcl_NewDoubleObj(x->samples));
        PUT(d, "share", Tcl_NewDoubleObj(total > 0 ? x->samples / total : 0));
        Tcl_ListObjAppendElement(NULL, out, d);
    }
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

/* The words before the colon of an enumeration's text. */
static Tcl_Obj *word(const char *list, uint32_t value) {
    const char *t = hsc_enum_text(list, value);
    return t ? hsc_tcl_text(t, strcspn(t, ":")) : Tcl_NewStringObj("?", 1);
}

static int dependences(hsc_handle *h, Tcl_Interp *interp, uint32_t scope, const hsc_data_args *a) {
    hsc_err err = {0};
    uint32_t n = 0;
    hsc_db_dependence *list = calloc(a->limit, sizeof *list);
    if (!list)
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u dependences", a->limit);
    if (!list || hsc_db_get_dependences(h->db, scope, list, a->limit, &n, &err) != HSC_OK) {
        free(list);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n && i < a->limit; i++) {
        const hsc_db_dependence *x = &list[i];
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "scope", hsc_tcl_index(x->scope));
        PUT(d, "kind", word("dependence_kind", x->kind));
        PUT(d, "verdict", word("dependence_verdict", x->verdict));
        PUT(d, "prevents", WIDE(x->verdict == HSC_dependence_verdict_UNSAFE || x->verdict == HSC_dependence_verdict_FORWARDING ||
                                x->verdict == HSC_dependence_verdict_UNKNOWN || x->verdict == HSC_dependence_verdict_INDIRECT));
        PUT(d, "distance", x->has_distance ? WIDE(x->distance) : Tcl_NewObj());
        PUT(d, "source_file", hsc_tcl_index(x->source_file));
        PUT(d, "source_line", WIDE(x->source_line));
        PUT(d, "source_column", WIDE(x->source_column));
        PUT(d, "sink_file", hsc_tcl_index(x->sink_file));
        PUT(d, "sink_line", WIDE(x->sink_line));
        PUT(d, "sink_column", WIDE(x->sink_column));
        Tcl_ListObjAppendElement(NULL, out, d);
    }
    free(list);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

/* ---- what the map says of a loop ---- */

static hsc_status put_control(hsc_handle *h, uint32_t scope, Tcl_Obj *d, hsc_err *err) {
    uint32_t first, n;
    hsc_db_loop l;
    hsc_status s = hsc_db_find(h->db, HSC_LIST_LOOPS, scope, &first, &n, err);
    if (s != HSC_OK || !n)
        return s;
    if ((s = hsc_db_get_loop(h->db, first, &l, err)) != HSC_OK)
        return s;
    PUT(d, "variable", TEXT(l.variable));
    PUT(d, "first", TEXT(l.first));
    PUT(d, "bound", TEXT(l.bound));
    PUT(d, "step", WIDE(l.step));
    PUT(d, "trips", WIDE(l.trips));
    PUT(d, "trips_max", WIDE(l.trips_max));
    PUT(d, "collapsed", WIDE(l.collapsed));
    return HSC_OK;
}

static hsc_status put_directives(hsc_handle *h, uint32_t scope, uint32_t limit, Tcl_Obj *d, hsc_err *err) {
    uint32_t first, n;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    PUT(d, "directives", list);
    hsc_status s = hsc_db_find(h->db, HSC_LIST_DIRECTIVES, scope, &first, &n, err);
    for (uint32_t i = 0; s == HSC_OK && i < n && i < limit; i++) {
        hsc_db_directive x;
        if ((s = hsc_db_get_directive(h->db, first + i, &x, err)) != HSC_OK)
            break;
        Tcl_Obj *one = Tcl_NewDictObj();
        PUT(one, "text", TEXT(x.text));
        PUT(one, "file", hsc_tcl_index(x.file));
        PUT(one, "line", WIDE(x.line));
        Tcl_ListObjAppendElement(NULL, list, one);
    }
    return s;
}

static hsc_status put_checks(hsc_handle *h, uint32_t scope, uint32_t limit, Tcl_Obj *d, hsc_err *err) {
    uint32_t first, n;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    PUT(d, "checks", list);
    hsc_status s = hsc_db_find(h->db, HSC_LIST_MEMORY_CHECKS, scope, &first, &n, err);
    for (uint32_t i = 0; s == HSC_OK && i < n && i < limit; i++) {
        hsc_db_memory_check x;
        if ((s = hsc_db_get_memory_check(h->db, first + i, &x, err)) != HSC_OK)
            break;
        Tcl_Obj *one = Tcl_NewDictObj();
        PUT(one, "check", WIDE(x.check));
        PUT(one, "comparisons", WIDE(x.comparisons));
        PUT(one, "file", hsc_tcl_index(x.file));
        PUT(one, "line", WIDE(x.line));
        PUT(one, "column", WIDE(x.column));
        Tcl_ListObjAppendElement(NULL, list, one);
    }
    return s;
}

static hsc_status put_references(hsc_handle *h, uint32_t scope, uint32_t limit, Tcl_Obj *d, hsc_err *err) {
    uint32_t first, n;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    PUT(d, "references", list);
    hsc_status s = hsc_db_find(h->db, HSC_LIST_REFERENCES, scope, &first, &n, err);
    for (uint32_t i = 0; s == HSC_OK && i < n && i < limit; i++) {
        hsc_db_reference x;
        hsc_db_array a;
        if ((s = hsc_db_get_reference(h->db, first + i, &x, err)) != HSC_OK)
            break;
        Tcl_Obj *one = Tcl_NewDictObj();
        PUT(one, "text", TEXT(x.text));
        PUT(one, "access", word("access", x.access));
        PUT(one, "stride", word("stride", x.stride));
        PUT(one, "stride_bytes", TEXT(x.stride_bytes));
        PUT(one, "size_bytes", WIDE(x.size_bytes));
        bool known = x.array != HSC_NONE && hsc_db_get_array(h->db, x.array, &a, NULL) == HSC_OK;
        PUT(one, "array", known ? TEXT(a.name) : Tcl_NewObj());
        PUT(one, "element", known ? TEXT(a.element) : Tcl_NewObj());
        PUT(one, "bounds", known ? TEXT(a.bounds) : Tcl_NewObj());
        PUT(one, "declared_file", hsc_tcl_index(known ? a.file : HSC_NONE));
        PUT(one, "declared_line", WIDE(known ? a.line : 0));
        PUT(one, "file", hsc_tcl_index(x.file));
        PUT(one, "line", WIDE(x.line));
        PUT(one, "column", WIDE(x.column));
        Tcl_ListObjAppendElement(NULL, list, one);
    }
    return s;
}

static int loop_facts(hsc_handle *h, Tcl_Interp *interp, uint32_t scope, const hsc_data_args *a) {
    hsc_err err = {0};
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_status s = put_control(h, scope, d, &err);
    if (s == HSC_OK)
        s = put_directives(h, scope, a->limit, d, &err);
    if (s == HSC_OK)
        s = put_checks(h, scope, a->limit, d, &err);
    if (s == HSC_OK)
        s = put_references(h, scope, a->limit, d, &err);
    if (s != HSC_OK) {
        Tcl_DecrRefCount(d);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

/* ---- another database ---- */

/* The metric of `other` with the name and unit of ours. */
static hsc_status same_metric(hsc_handle *h, uint32_t metric, hsc_handle *other, uint32_t *out, hsc_err *err) {
    hsc_db_metric a, b;
    hsc_status s = hsc_db_get_metric(h->db, metric, &a, err);
    for (uint32_t i = 0; s == HSC_OK && i < other->info.metrics; i++) {
        s = hsc_db_get_metric(other->db, i, &b, err);
        if (s == HSC_OK && !strcmp(a.name, b.name) && !strcmp(a.unit, b.unit)) {
            *out = i;
            return HSC_OK;
        }
    }
    return s != HSC_OK ? s : hsc_err_set(err, HSC_E_MISSING, "%s has no metric '%s'", other->info.path, a.name);
}

static int changes(hsc_handle *h, Tcl_Interp *interp, hsc_handle *other, hsc_change_by by, const hsc_data_args *a) {
    hsc_err err = {0};
    hsc_db_change *list;
    uint32_t metric = 0, n = 0;
    if (same_metric(h, a->view.metric, other, &metric, &err) != HSC_OK ||
        hsc_db_read_changes(h->db, a->view.metric, other->db, metric, by, &list, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n && i < a->limit; i++) {
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "a", hsc_tcl_index(list[i].a));
        PUT(d, "b", hsc_tcl_index(list[i].b));
        PUT(d, "value_a", Tcl_NewDoubleObj(list[i].value_a));
        PUT(d, "value_b", Tcl_NewDoubleObj(list[i].value_b));
        PUT(d, "change", Tcl_NewDoubleObj(list[i].change));
        PUT(d, "low", Tcl_NewDoubleObj(list[i].low));
        PUT(d, "high", Tcl_NewDoubleObj(list[i].high));
        PUT(d, "beyond", WIDE(list[i].beyond));
        PUT(d, "how", TEXT(list[i].how));
        PUT(d, "in_both", WIDE(list[i].in_both));
        PUT(d, "speedup", share(list[i].speedup));
        PUT(d, "efficiency", share(list[i].efficiency));
        PUT(d, "moved", WIDE(list[i].moved));
        PUT(d, "together_a", share(list[i].together_a));
        PUT(d, "together_b", share(list[i].together_b));
        Tcl_ListObjAppendElement(NULL, out, d);
    }
    free(list);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

/* Of what is timed: exact, so the interval is the change itself. */
static int timed_changes(hsc_handle *h, Tcl_Interp *interp, hsc_handle *other, hsc_timed_by by, uint32_t limit) {
    static const char *const names[][2] = {{"a", "b"}, {"scope_a", "scope_b"}, {"value_a", "value_b"}, {"calls_a", "calls_b"}, {"sent_a", "sent_b"}, {"received_a", "received_b"}, {"in_a", "in_b"}, {"cause_a", "cause_b"}};
    hsc_err err = {0};
    hsc_db_timed_change *list;
    uint32_t n = 0;
    if (hsc_db_read_timed_changes(h->db, other->db, by, &list, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n && i < limit; i++) {
        const hsc_db_timed_change *x = &list[i];
        Tcl_Obj *d = Tcl_NewDictObj();
        double change = x->seconds[1] - x->seconds[0];
        for (int k = 0; k < 2; k++) {
            PUT(d, names[0][k], hsc_tcl_index(x->line[k]));
            PUT(d, names[1][k], hsc_tcl_index(x->scope[k]));
            PUT(d, names[2][k], Tcl_NewDoubleObj(x->seconds[k]));
            PUT(d, names[3][k], WIDE(x->calls[k]));
            PUT(d, names[4][k], WIDE(x->sent[k]));
            PUT(d, names[5][k], WIDE(x->received[k]));
            PUT(d, names[6][k], WIDE(x->in[k]));
            PUT(d, names[7][k], TEXT(x->cause[k] ? x->cause[k] : ""));
        }
        PUT(d, "kind", TEXT(x->kind));
        PUT(d, "change", Tcl_NewDoubleObj(change));
        PUT(d, "low", Tcl_NewDoubleObj(change));
        PUT(d, "high", Tcl_NewDoubleObj(change));
        PUT(d, "beyond", WIDE(change != 0));
        PUT(d, "how", TEXT(x->in[0] && x->in[1] ? "same" : "unmatched"));
        Tcl_ListObjAppendElement(NULL, out, d);
    }
    hsc_db_free_timed_changes(list, n);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

/* runs HANDLE: what is known of both runs as a whole. */
static int runs_of(hsc_handle *h, Tcl_Interp *interp, hsc_handle *other, const hsc_data_args *a) {
    hsc_err err = {0};
    hsc_db_run_figure *list;
    uint32_t metric = 0, n = 0;
    if (same_metric(h, a->view.metric, other, &metric, &err) != HSC_OK ||
        hsc_db_read_run_figures(h->db, a->view.metric, other->db, metric, &list, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n && i < a->limit; i++) {
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "of", TEXT(list[i].of));
        PUT(d, "name", TEXT(list[i].name));
        PUT(d, "a", Tcl_NewDoubleObj(list[i].a));
        PUT(d, "b", Tcl_NewDoubleObj(list[i].b));
        PUT(d, "low", Tcl_NewDoubleObj(list[i].low));
        PUT(d, "high", Tcl_NewDoubleObj(list[i].high));
        PUT(d, "chance_a", WIDE(list[i].chance_a));
        PUT(d, "chance_b", WIDE(list[i].chance_b));
        Tcl_ListObjAppendElement(NULL, out, d);
    }
    free(list);
    char *cares = NULL;
    if (n && hsc_db_read_run_cares(h->db, a->view.metric, other->db, metric, &cares, &err) != HSC_OK) {
        Tcl_DecrRefCount(out);
        return hsc_tcl_error(interp, &err);
    }
    for (const char *at = cares; at && *at; at += *at == '\n') {
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "of", TEXT("care"));
        PUT(d, "name", hsc_tcl_text(at, strcspn(at, "\n")));
        PUT(d, "a", Tcl_NewDoubleObj(0));
        PUT(d, "b", Tcl_NewDoubleObj(0));
        PUT(d, "chance_a", WIDE(0));
        PUT(d, "chance_b", WIDE(0));
        Tcl_ListObjAppendElement(NULL, out, d);
        at += strcspn(at, "\n");
    }
    free(cares);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

/* Calling contexts of two databases. */
typedef struct contexts_pair {
    hsc_handle *here, *other;
    const uint32_t *map; /* of here's contexts: the same ones of the other */
    hsc_db_view at, there;
    hsc_sampled runs[2];
    bool exact;
} contexts_pair;

static hsc_status pair_contexts(hsc_handle *h, hsc_handle *other, const hsc_data_args *a, contexts_pair *out, hsc_err *err) {
    hsc_db_metric m, m_there;
    uint32_t metric = 0;
    hsc_db_table table = a->given & HSC_ARG_TABLE ? a->view.table : HSC_TABLE_CONTEXT_INCL;
    *out = (contexts_pair){.here = h, .other = other};
    if (table != HSC_TABLE_CONTEXT_INCL && table != HSC_TABLE_CONTEXT_EXCL)
        return hsc_err_set(err, HSC_E_ARGUMENT, "-table: expected context_incl or context_excl");
    hsc_status s = same_metric(h, a->view.metric, other, &metric, err);
    if (s || (s = hsc_handle_match(h, other, HSC_MATCH_CONTEXTS, &out->map, err)) || (s = hsc_db_get_metric(h->db, a->view.metric, &m, err)) ||
        (s = hsc_db_get_metric(other->db, metric, &m_there, err)) || (s = hsc_handle_sampled(h, a->view.metric, &out->runs[0], err)) ||
        (s = hsc_handle_sampled(other, metric, &out->runs[1], err)))
        return s;
    out->at = (hsc_db_view){a->view.metric, table, a->view.axis};
    out->there = (hsc_db_view){metric, table, a->view.axis};
    out->runs[0].scale = m.scale;
    out->runs[1].scale = m_there.scale;
    out->exact = m.exact && m_there.exact;
    return HSC_OK;
}

/* A context of here, one of the other, HSC_NONE: none; with `alone` only where here has no value. */
static hsc_status put_contrast(const contexts_pair *p, uint32_t row, uint32_t there, bool alone, Tcl_Obj *out, hsc_err *err) {
    hsc_sampled a = p->runs[0], b = p->runs[1];
    double low = 0, high = 0;
    hsc_status s = HSC_OK;
    a.v = b.v = (hsc_weighted){0, 0};
    if (row != HSC_NONE)
        s = hsc_db_read_weighted(p->here->db, p->at, row, 1, &a.v, err);
    if (s == HSC_OK && there != HSC_NONE)
        s = hsc_db_read_weighted(p->other->db, p->there, there, 1, &b.v, err);
    if (s != HSC_OK || (alone && (a.v.sum > 0 || b.v.sum <= 0)))
        return s;
    double change = b.v.sum * b.scale - a.v.sum * a.scale;
    low = high = change;
    if (!p->exact)
        hsc_interval_change(a, b, &low, &high);
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "a", hsc_tcl_index(row));
    PUT(d, "b", hsc_tcl_index(there));
    PUT(d, "value_a", Tcl_NewDoubleObj(a.v.sum * a.scale));
    PUT(d, "value_b", Tcl_NewDoubleObj(b.v.sum * b.scale));
    PUT(d, "change", Tcl_NewDoubleObj(change));
    PUT(d, "low", Tcl_NewDoubleObj(low));
    PUT(d, "high", Tcl_NewDoubleObj(high));
    PUT(d, "beyond", WIDE(low > 0 || high < 0));
    Tcl_ListObjAppendElement(NULL, out, d);
    return HSC_OK;
}

/* The contexts of here that contexts of the other are the same as; free(). NULL: no memory. */
static uint32_t *turned(const contexts_pair *p) {
    uint32_t n = p->other->info.contexts, *back = malloc(((size_t)n + 1) * sizeof *back);
    for (uint32_t i = 0; back && i < n; i++)
        back[i] = HSC_NONE;
    for (uint32_t i = 0; back && i < p->here->info.contexts; i++)
        if (p->map[i] < n)
            back[p->map[i]] = i;
    return back;
}

/* contrast HANDLE ROWS: contexts with the same ones of another database; dicts as of `changes`, in the order of ROWS. With alone, ROWS are
 * contexts of the other database: those without a value here. */
static int contrast(hsc_handle *h, Tcl_Interp *interp, hsc_handle *other, Tcl_Obj *rows, bool alone, const hsc_data_args *a) {
    hsc_err err = {0};
    Tcl_Obj **items;
    Tcl_Size n;
    contexts_pair p;
    uint32_t *back = NULL;
    if (Tcl_ListObjGetElements(interp, rows, &n, &items) != TCL_OK)
        return TCL_ERROR;
    if (pair_contexts(h, other, a, &p, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    if (alone && !(back = turned(&p))) {
        (void)hsc_err_set(&err, HSC_E_MEMORY, "no memory to match %u contexts", other->info.contexts);
        return hsc_tcl_error(interp, &err);
    }
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    int r = TCL_OK;
    for (Tcl_Size i = 0; r == TCL_OK && i < n; i++) {
        uint32_t row;
        if ((r = hsc_tcl_get_index(interp, items[i], "context", alone ? other->info.contexts : h->info.contexts, &row)) != TCL_OK)
            continue;
        uint32_t there = alone ? row : p.map[row] < other->info.contexts ? p.map[row] : HSC_NONE;
        if (put_contrast(&p, alone ? back[row] : row, there, alone, out, &err) != HSC_OK)
            r = hsc_tcl_error(interp, &err);
    }
    free(back);
    if (r == TCL_OK)
        Tcl_SetObjResult(interp, out);
    else
        Tcl_DecrRefCount(out);
    return r;
}

/* match HANDLE line|scope|context ROWS: the rows of another database that are the same things, in the order of ROWS; -1: it has none. */
static int match(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    static const char *const kinds[] = {"line", "scope", "context", NULL}; /* as hsc_match_of */
    static const hsc_match_of what[] = {HSC_MATCH_LINES, HSC_MATCH_SCOPES, HSC_MATCH_CONTEXTS};
    const uint32_t rows_of[] = {h->info.lines, h->info.scopes, h->info.contexts};
    hsc_err err = {0};
    Tcl_Obj **items;
    Tcl_Size n;
    int kind;
    const uint32_t *map;
    if (objc != 3)
        return hsc_tcl_usage(interp, "match HANDLE line|scope|context ROWS");
    hsc_handle *other = hsc_handle_find(interp, Tcl_GetString(objv[0]));
    if (!other)
        return TCL_ERROR;
    if (Tcl_GetIndexFromObj(interp, objv[1], kinds, "kind", TCL_EXACT, &kind) != TCL_OK) {
        Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
        return TCL_ERROR;
    }
    if (Tcl_ListObjGetElements(interp, objv[2], &n, &items) != TCL_OK)
        return TCL_ERROR;
    if (hsc_handle_match(h, other, what[kind], &map, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (Tcl_Size i = 0; i < n; i++) {
        uint32_t row;
        if (hsc_tcl_get_index(interp, items[i], kinds[kind], rows_of[kind], &row) != TCL_OK) {
            Tcl_DecrRefCount(out);
            return TCL_ERROR;
        }
        Tcl_ListObjAppendElement(NULL, out, hsc_tcl_index(map[row]));
    }
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

int hsc_data_report(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    uint32_t scope;
    if (!strcmp(name, "findings"))
        return hsc_data_parse(h, interp, objc, objv, 0, 0, 1, 1, &a) == TCL_OK ? findings(h, interp, &a) : TCL_ERROR;
    if (!strcmp(name, "lookfor")) {
        int ms;
        if (objc < 1)
            return hsc_tcl_usage(interp, "lookfor MILLISECONDS ?-metric M?");
        return Tcl_GetIntFromObj(interp, objv[0], &ms) == TCL_OK && hsc_data_parse(h, interp, objc - 1, objv + 1, 0, 0, 1, 1, &a) == TCL_OK
                   ? look_for(h, interp, ms, &a)
                   : TCL_ERROR;
    }
    if (!strcmp(name, "hottest"))
        return hsc_data_parse(h, interp, objc, objv, 0, 0, 1, 1, &a) == TCL_OK ? hottest(h, interp, &a) : TCL_ERROR;
    if (!strcmp(name, "silentopenmp"))
        return objc ? hsc_tcl_usage(interp, "silentopenmp") : silent_openmp(h, interp);
    if (!strcmp(name, "environment"))
        return objc ? hsc_tcl_usage(interp, "environment") : environment(h, interp);
    if (!strcmp(name, "refusals"))
        return hsc_data_parse(h, interp, objc, objv, HSC_ARG_FIRST | HSC_ARG_N, 0, 200, 4096, &a) == TCL_OK ? refusals(h, interp, &a)
                                                                                                            : TCL_ERROR;
    if (!strcmp(name, "dependences") || !strcmp(name, "loopfacts")) {
        if (objc < 1)
            return hsc_tcl_usage(interp, "%s SCOPE ?-n N?", name);
        if (hsc_tcl_get_index(interp, objv[0], "scope", h->info.scopes, &scope) != TCL_OK ||
            hsc_data_parse(h, interp, objc - 1, objv + 1, HSC_ARG_N, 0, 200, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return name[0] == 'd' ? dependences(h, interp, scope, &a) : loop_facts(h, interp, scope, &a);
    }
    if (!strcmp(name, "changes")) {
        static const char *const kinds[] = {"procedure", "loop", "line", "module", "nest", "wait", "message", "cause", NULL};
        enum { TIMED = 5 }; /* from here on */
        int by;
        if (objc < 2)
            return hsc_tcl_usage(interp, "changes HANDLE procedure|loop|line|module|nest|wait|message|cause ?-metric M? ?-n N?");
        hsc_handle *other = hsc_handle_find(interp, Tcl_GetString(objv[0]));
        if (!other)
            return TCL_ERROR;
        if (Tcl_GetIndexFromObj(interp, objv[1], kinds, "kind", TCL_EXACT, &by) != TCL_OK) {
            Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
            return TCL_ERROR;
        }
        if (hsc_data_parse(h, interp, objc - 2, objv + 2, HSC_ARG_N, 0, 1000, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return by < TIMED ? changes(h, interp, other, (hsc_change_by)by, &a) : timed_changes(h, interp, other, (hsc_timed_by)(by - TIMED), a.limit);
    }
    if (!strcmp(name, "runs")) {
        if (objc < 1)
            return hsc_tcl_usage(interp, "runs HANDLE ?-metric M? ?-n N?");
        hsc_handle *other = hsc_handle_find(interp, Tcl_GetString(objv[0]));
        if (!other || hsc_data_parse(h, interp, objc - 1, objv + 1, HSC_ARG_N, 0, 100, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return runs_of(h, interp, other, &a);
    }
    if (!strcmp(name, "contrast") || !strcmp(name, "alone")) {
        if (objc < 2)
            return hsc_tcl_usage(interp, "%s HANDLE CONTEXTS ?-table T? ?-metric M?", name);
        hsc_handle *other = hsc_handle_find(interp, Tcl_GetString(objv[0]));
        if (!other || hsc_data_parse(h, interp, objc - 2, objv + 2, HSC_ARG_TABLE, 0, 1, 1, &a) != TCL_OK)
            return TCL_ERROR;
        return contrast(h, interp, other, objv[1], name[0] == 'a', &a);
    }
    if (!strcmp(name, "match"))
        return match(h, interp, objc, objv);
    int r = hsc_data_links(h, interp, name, objc, objv);
    return r == TCL_CONTINUE ? hsc_data_messages(h, interp, name, objc, objv) : r;
}
