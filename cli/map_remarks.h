/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints what the optimiser said: below the loop, call or procedure that it said it of. */
#ifndef HEATSCOPE_CLI_MAP_REMARKS_H
#define HEATSCOPE_CLI_MAP_REMARKS_H

#include "map_check.h"

/* Of a loop, which is in that file: remarks, dependences, checks at run time. */
void hsc_map_print_loop_remarks(const hsc_map_module *m, uint64_t loop_id, uint64_t file_id);
/* Of a procedure: remarks of its calls and of code outside of loops and calls. */
void hsc_map_print_procedure_remarks(const hsc_map_module *m, uint64_t procedure_id);
/* Of the module: those that could be attached to nothing, each with the reason. */
void hsc_map_print_other_remarks(const hsc_map_module *m);

#endif
