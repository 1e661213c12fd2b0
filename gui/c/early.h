/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A database that is opened while the program does something else: a thread of its own reads what is needed first. One at a time. */
#ifndef HEATSCOPE_GUI_EARLY_H
#define HEATSCOPE_GUI_EARLY_H

#include "tclcompat.h"

#include <heatscope/query.h>

/* Begins; what was begun before and not taken is closed. Errors as of hsc_db_open_begin. The interpreter's thread must live as long as
 * the database is open. */
hsc_status hsc_early_begin(Tcl_Interp *interp, const char *path, hsc_err *err);
/* Waits for the database of that path, and hands it over; *out is NULL where that was not begun. Errors as of hsc_db_open. */
hsc_status hsc_early_take(Tcl_Interp *interp, const char *path, hsc_db **out, hsc_err *err);

#endif
