/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: the run's time, and the interval that all values are of. */
#include "handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)

void hsc_handle_forget(hsc_handle *h) {
    for (uint32_t m = 0; m <= h->info.metrics; m++)
        h->totals[m] = -1;
    free(h->own);
    h->own = NULL;
    memset(h->maxima, 0, sizeof h->maxima);
    h->next_maximum = 0;
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
    PUT(d, "spans", Tcl_NewWideIntObj((Tcl_WideInt)t.spans));
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

/* interval ?{FROM TO}?: seconds; {} the whole run. */
static int interval_command(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsc_err err = {0};
    double a = 0, b = 0;
    if (objc == 1) {
        Tcl_Obj **pair;
        Tcl_Size n;
        if (Tcl_ListObjGetElements(interp, objv[0], &n, &pair) != TCL_OK || (n && n != 2) ||
            (n && (Tcl_GetDoubleFromObj(interp, pair[0], &a) != TCL_OK || Tcl_GetDoubleFromObj(interp, pair[1], &b) != TCL_OK || !(a < b))))
            return hsc_tcl_usage(interp, "interval: expected {FROM TO} in seconds or {}, got \"%.60s\"", Tcl_GetString(objv[0]));
        hsc_status s = hsc_db_set_interval(h->db, n ? a : 0, n ? b : 0, &err);
        hsc_handle_forget(h);
        if (s != HSC_OK)
            return hsc_tcl_error(interp, &err);
    } else if (objc)
        return hsc_tcl_usage(interp, "interval ?{FROM TO}?");
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    if (hsc_db_get_interval(h->db, &a, &b)) {
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(a));
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewDoubleObj(b));
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

int hsc_data_time(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    if (!strcmp(name, "times") && objc == 0)
        return times_command(h, interp);
    if (!strcmp(name, "interval"))
        return interval_command(h, interp, objc, objv);
    return TCL_CONTINUE;
}
