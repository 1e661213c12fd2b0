/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: its command and its entry point. */
#include "init.h"

#include <dlfcn.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "early.h"
#include "handle.h"
#include "names.h"

static int data_command(ClientData unused, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    (void)unused;
    const char *name = objc > 1 ? Tcl_GetString(objv[1]) : "";
    if (!strcmp(name, "open") && objc == 3) {
        hsc_handle *h;
        hsc_err err = {0};
        Tcl_DString native;
        const char *path = Tcl_GetString(objv[2]);
        Tcl_UtfToExternalDString(NULL, path, -1, &native);
        hsc_status s = hsc_handle_open(interp, Tcl_DStringValue(&native), &h, &err);
        Tcl_DStringFree(&native);
        if (s != HSC_OK)
            return hsc_tcl_error(interp, &err);
        Tcl_SetObjResult(interp, Tcl_NewStringObj(h->name, -1));
        return TCL_OK;
    }
    if (!strcmp(name, "begin") && objc == 3) {
        hsc_err err = {0};
        Tcl_DString native;
        Tcl_UtfToExternalDString(NULL, Tcl_GetString(objv[2]), -1, &native);
        hsc_status s = hsc_early_begin(interp, Tcl_DStringValue(&native), &err);
        Tcl_DStringFree(&native);
        return s == HSC_OK ? TCL_OK : hsc_tcl_error(interp, &err);
    }
    if (!strcmp(name, "far") && objc == 3) {
        Tcl_DString native;
        bool good = dlopen(Tcl_UtfToExternalDString(NULL, Tcl_GetString(objv[2]), -1, &native), RTLD_NOW | RTLD_GLOBAL) != NULL;
        Tcl_DStringFree(&native);
        Tcl_SetObjResult(interp, Tcl_NewBooleanObj(good));
        return TCL_OK;
    }
    if (!strcmp(name, "handles") && objc == 2) {
        Tcl_SetObjResult(interp, hsc_handle_list(interp));
        return TCL_OK;
    }
    if (!strcmp(name, "version") && objc == 2) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj(HEATSCOPE_VERSION, -1));
        return TCL_OK;
    }
    if (!strcmp(name, "shorten") && objc == 3) {
        char out[256];
        hsc_name_short(Tcl_GetString(objv[2]), out, sizeof out);
        Tcl_SetObjResult(interp, hsc_tcl_text(out, strlen(out)));
        return TCL_OK;
    }
    return hsc_tcl_usage(interp, "heatscope::data begin PATH | open PATH | far LIBRARY | handles | version | shorten NAME");
}

/* One file is one package to `load`: the second one is started by a command of the first, which then is gone. */
static int load_draw(ClientData unused, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    (void)unused;
    (void)objc;
    int r = hsc_draw_init(interp);
    if (r == TCL_OK)
        Tcl_DeleteCommand(interp, Tcl_GetString(objv[0]));
    return r;
}

int Heatscopedata_Init(Tcl_Interp *interp) {
    if (!Tcl_InitStubs(interp, HSC_TCL_VERSION, 0))
        return TCL_ERROR;
#ifdef M_MMAP_THRESHOLD
    /* Arrays are in the one heap, whose pages are large (the command asks malloc for that) and are used again: to get small ones for each array took
     * longer than to fill it. Only what is larger, and what is free at the heap's end, goes back when it is freed. */
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
    if (!Tcl_CreateNamespace(interp, "::heatscope", NULL, NULL))
        Tcl_ResetResult(interp); /* it is there already */
    Tcl_CreateObjCommand(interp, "::heatscope::data", data_command, NULL, NULL);
    Tcl_CreateObjCommand(interp, "::heatscope::load_draw", load_draw, NULL, NULL);
    return Tcl_PkgProvide(interp, "heatscope::data", HEATSCOPE_VERSION);
}
