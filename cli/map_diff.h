/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What differs between two maps: loops that gained or lost vector code, unrolling, inlining, remarks. */
#ifndef HEATSCOPE_CLI_MAP_DIFF_H
#define HEATSCOPE_CLI_MAP_DIFF_H

#include "map_rows.h"

/* Prints the changes from a to b. Procedures are matched by symbol (numbered ones of the compiler by name and order), loops and
 * calls of a procedure by tag, else in the best order-keeping assignment by shape. Lines and copies by inlining that only
 * moved are no change. */
hsc_status hsc_map_diff(const hsc_map_book *a, const hsc_map_book *b, const char *a_name, const char *b_name,
                        hsc_map_format format, hsc_err *err);

#endif
