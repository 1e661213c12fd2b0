/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Entry points of the two packages. */
#ifndef HSC_GUI_INIT_H
#define HSC_GUI_INIT_H

#include "tclcompat.h"

DLLEXPORT int Heatscopedata_Init(Tcl_Interp *interp);
int hsc_draw_init(Tcl_Interp *interp);

#endif
