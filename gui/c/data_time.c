/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: the run's time, and the interval that all values are of. */
#include "handle.h"
#include "strips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)

void hsc_handle_forget(hsc_handle *h) {
    h->values++;
    for (uint32_t m = 0; m <= h->info.metrics; m++)
        h->totals[m] = -1;
    h->own_metric = HSC_NONE; /* its room stays */
    free(h->by_file);
    h->by_file = NULL;
    free(h->loops);
    free(h->loop_of);
    h->loops = NULL;
    h->loop_of = NULL;
    memset(h->maxima, 0, sizeof h->maxima);
    memset(h->looking_for, 0, sizeof h->looking_for);
    h->maxima_asked = 0;
    hsc_places_release(h->places);
    h->places = NULL;
}

/* times: what is known of the run's time. */
static int times_command(hsc_handle *h, Tcl_Interp *interp) {
    hsc_err err = {0};
    hsc_db_times t;
    if (hsc_db_get_times(h->db, &t, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "present", Tcl_NewBooleanObj(t.present));
    PUT(d, "end", Tcl_NewDoubleObj(t.end_s));
    PUT(d, "tick", Tcl_NewDoubleObj(t.tick_s));
    PUT(d, "bin", Tcl_NewDoubleObj(t.bin_s));
    PUT(d, "samples", Tcl_NewWideIntObj((Tcl_WideInt)t.samples));
    PUT(d, "slices", Tcl_NewBooleanObj(t.slices));
    PUT(d, "spans", Tcl_NewWideIntObj((Tcl_WideInt)t.spans));
    PUT(d, "guesses", Tcl_NewBooleanObj(hsc_db_guesses_waiting(h->db)));
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

/* opentimes: a part of what `times` opens; 1: all is open. */
static int open_times_command(hsc_handle *h, Tcl_Interp *interp) {
    hsc_err err = {0};
    bool ready;
    if (hsc_db_open_times(h->db, &ready, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, Tcl_NewBooleanObj(ready));
    return TCL_OK;
}

/* The interval to set for one that is shown: of one category the whole run has one, too. */
static hsc_status span_of(hsc_handle *h, double *from, double *to, uint32_t only, hsc_err *err) {
    hsc_db_times t = {.end_s = 0};
    if (only == HSC_NONE || *from < *to)
        return HSC_OK;
    hsc_status s = hsc_db_get_times(h->db, &t, err);
    *from = 0;
    *to = t.end_s + 1;
    return s;
}

/* Values are of the interval and category of the handle from now on. */
static hsc_status choose(hsc_handle *h, double from, double to, uint32_t only, hsc_err *err) {
    double a = from, b = to;
    hsc_handle_look_no_more(h);
    hsc_status s = span_of(h, &a, &b, only, err);
    if (s == HSC_OK && (s = hsc_db_set_interval(h->db, a, b, err)) == HSC_OK && only != HSC_NONE)
        s = hsc_db_set_only(h->db, only, err);
    hsc_handle_forget(h);
    if (s == HSC_OK) {
        h->from_s = from;
        h->to_s = to;
        h->only = only;
    }
    return s;
}

/* only ?CATEGORY?: all values are of its samples alone; -1: of all. */
static int only_command(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_err err = {0};
    uint32_t k = HSC_NONE;
    int none;
    if (objc > 1)
        return hsc_tcl_usage(interp, "only ?CATEGORY?");
    if (objc && (Tcl_GetIntFromObj(NULL, objv[0], &none) != TCL_OK || none != -1) &&
        hsc_tcl_get_index(interp, objv[0], "category", h->info.categories, &k) != TCL_OK)
        return TCL_ERROR;
    if (objc && k != h->only && choose(h, h->from_s, h->to_s, k, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, hsc_tcl_index(h->only));
    return TCL_OK;
}

static int get_span(Tcl_Interp *interp, Tcl_Obj *obj, double *a, double *b) {
    Tcl_Obj **pair;
    Tcl_Size n;
    *a = *b = 0;
    if (Tcl_ListObjGetElements(interp, obj, &n, &pair) != TCL_OK || (n && n != 2) ||
        (n && (Tcl_GetDoubleFromObj(interp, pair[0], a) != TCL_OK || Tcl_GetDoubleFromObj(interp, pair[1], b) != TCL_OK || !(*a < *b))))
        return hsc_tcl_usage(interp, "interval: expected {FROM TO} in seconds or {}, got \"%.60s\"", Tcl_GetString(obj));
    return TCL_OK;
}

/* interval ?{FROM TO}?: seconds; {} the whole run. */
static int interval_command(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_err err = {0};
    double a = 0, b = 0;
    if (objc == 1) {
        if (get_span(interp, objv[0], &a, &b) != TCL_OK)
            return TCL_ERROR;
        if (choose(h, a, b, h->only, &err) != HSC_OK)
            return hsc_tcl_error(interp, &err);
    } else if (objc)
        return hsc_tcl_usage(interp, "interval ?{FROM TO}?");
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    if (h->from_s < h->to_s) {
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(h->from_s));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(h->to_s));
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* choose {FROM TO} CATEGORY MS: for so long what it takes to set that interval and category; which part of it has been done. */
static int choose_command(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_err err = {0};
    double a, b, part = 1;
    int only, ms;
    if (objc != 3)
        return hsc_tcl_usage(interp, "choose {FROM TO} CATEGORY MILLISECONDS");
    if (get_span(interp, objv[0], &a, &b) != TCL_OK || Tcl_GetIntFromObj(interp, objv[1], &only) != TCL_OK ||
        Tcl_GetIntFromObj(interp, objv[2], &ms) != TCL_OK)
        return TCL_ERROR;
    uint32_t category = only < 0 ? HSC_NONE : (uint32_t)only;
    if (span_of(h, &a, &b, category, &err) != HSC_OK || hsc_db_choose_interval(h->db, a, b, category, ms * 1e-3, &part, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, Tcl_NewDoubleObj(part));
    return TCL_OK;
}

/* prepare: reads a part of what the first interval needs; 1 when all is there, or when there is no room for it now. */
static int prepare_command(hsc_handle *h, Tcl_Interp *interp) {
    hsc_err err = {0};
    bool ready = h->looked.under_way; /* that needs the room itself */
    if (!ready && hsc_db_prepare_intervals(h->db, &ready, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, Tcl_NewBooleanObj(ready));
    return TCL_OK;
}

/* later ?BOOL?: values by processor of an interval are not counted when they are asked for, but by `count`. */
static int later_command(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    int later;
    if (objc != 1)
        return hsc_tcl_usage(interp, "later BOOLEAN");
    if (Tcl_GetBooleanFromObj(interp, objv[0], &later) != TCL_OK)
        return TCL_ERROR;
    hsc_db_set_later(h->db, later);
    return TCL_OK;
}

/* count MS: for so long; which part of them has been counted. */
static int count_command(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_err err = {0};
    int ms;
    double part;
    if (objc != 1)
        return hsc_tcl_usage(interp, "count MILLISECONDS");
    if (Tcl_GetIntFromObj(interp, objv[0], &ms) != TCL_OK)
        return TCL_ERROR;
    if (hsc_db_count_threads(h->db, ms * 1e-3, &part, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, Tcl_NewDoubleObj(part));
    return TCL_OK;
}

int hsc_data_time(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    if (!strcmp(name, "times") && objc == 0)
        return times_command(h, interp);
    if (!strcmp(name, "opentimes") && objc == 0)
        return open_times_command(h, interp);
    if (!strcmp(name, "interval"))
        return interval_command(h, interp, objc, objv);
    if (!strcmp(name, "choose"))
        return choose_command(h, interp, objc, objv);
    if (!strcmp(name, "later"))
        return later_command(h, interp, objc, objv);
    if (!strcmp(name, "pending") && objc == 0) {
        Tcl_SetObjResult(interp, Tcl_NewBooleanObj(hsc_db_is_pending(h->db)));
        return TCL_OK;
    }
    if (!strcmp(name, "count"))
        return count_command(h, interp, objc, objv);
    if (!strcmp(name, "prepare") && objc == 0)
        return prepare_command(h, interp);
    if (!strcmp(name, "only"))
        return only_command(h, interp, objc, objv);
    return TCL_CONTINUE;
}
