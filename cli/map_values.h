/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The numbers that a map speaks of, from the compiler or from a run. */
#ifndef HEATSCOPE_CLI_MAP_VALUES_H
#define HEATSCOPE_CLI_MAP_VALUES_H

#include <heatscope/formats/err.h>

/* Prints the extents of arrays, strides of references, arguments of messages and parameters of procedures of the program's map with
 * their numbers as `run` (a measurement directory, or one of its files) recorded them last: of several processes the least and the
 * greatest. HSC_E_MISSING: `run` has no record stream. Other errors are those of reading the map and the streams. */
hsc_status hsc_map_print_values(const char *program, const char *run, hsc_err *err);

#endif
