/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints arrays, references and messages of a map. */
#ifndef HEATSCOPE_CLI_MAP_DATA_H
#define HEATSCOPE_CLI_MAP_DATA_H

#include "map_check.h"
#include "map_partners.h"

void hsc_map_print_arrays(const hsc_map_module *m);
/* false: it has arrays, and none with a type, as where the compiler was asked for line tables alone. */
bool hsc_map_has_types(const hsc_map_module *m);
/* What the loop itself reads and writes, not the loops in it. */
void hsc_map_print_references(const hsc_map_module *m, uint64_t loop_id);
/* The calls of MPI of one module; partners may be in others. */
void hsc_map_print_messages(const hsc_map_model *model, size_t module, const hsc_map_partners *partners);

#endif
