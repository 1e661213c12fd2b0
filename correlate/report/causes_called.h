/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Causes that are calls of libraries: what a loop round them is, and what the compiler made of it, says nothing of these. */
#ifndef HEATSCOPE_CAUSES_CALLED_H
#define HEATSCOPE_CAUSES_CALLED_H

#include "report_causes.h"

/* Where one call in a line has nearly all of what is laid to a loop or procedure, that call is the cause. list: with all but file and file_line. */
hsc_status causes_name_calls(const report *r, hsc_db_cause *list, uint32_t n, hsc_err *err);

#endif
