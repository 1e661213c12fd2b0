/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which procedure, loop and call of one map is which of another. */
#ifndef HEATSCOPE_CLI_MAP_MATCH_H
#define HEATSCOPE_CLI_MAP_MATCH_H

#include "map_book.h"

/* For each row of a the row of b, HSC_NO_INDEX where it has none; and the other way round. */
typedef struct hsc_map_match {
    uint32_t *procedure_of_a, *procedure_of_b, *loop_of_a, *loop_of_b, *call_of_a, *call_of_b;
} hsc_map_match;

/* Procedures by symbol, in their file first; those that the compiler numbers (OpenMP regions, clones) by the name
 * before the number, in order. Loops and calls of matched procedures in order where their numbers and nests agree; else
 * in the assignment that keeps the order and gives the most of: same text (of files that are as compiled), callees,
 * depth, kind, length, place, what became of it. HSC_E_MEMORY. */
hsc_status hsc_map_match_make(const hsc_map_book *a, const hsc_map_book *b, hsc_map_match *out, hsc_err *err);
void hsc_map_match_fini(hsc_map_match *m);

#endif
