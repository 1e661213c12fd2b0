/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What differs between Tcl 8.6 and 9. */
#ifndef HSC_GUI_TCLCOMPAT_H
#define HSC_GUI_TCLCOMPAT_H

#include <tcl.h>

#if TCL_MAJOR_VERSION < 9
#ifndef TCL_SIZE_MAX
typedef int Tcl_Size;
#define TCL_SIZE_MAX INT_MAX
#endif
#define HSC_TCL_VERSION "8.6"
typedef char *hsc_tcl_memory;
#else
#define HSC_TCL_VERSION "9.0"
typedef void *hsc_tcl_memory;
#endif

#endif
