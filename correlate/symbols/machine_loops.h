/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of a machine function, found in its instructions. x86-64 only. */
#ifndef HEATSCOPE_CORRELATE_MACHINE_LOOPS_H
#define HEATSCOPE_CORRELATE_MACHINE_LOOPS_H

#include "code_internal.h"

/* Piece of the function, from `lo` to the next one's. Pieces are sorted, cover the function and do not overlap. */
typedef struct hsc_machine_piece {
    uint64_t lo;
    uint32_t loop; /* innermost; HSC_NO_INDEX */
} hsc_machine_piece;

typedef struct hsc_machine_loop {
    uint64_t header;  /* address of the block that is entered first; of several entries the lowest */
    uint32_t parent;  /* a smaller index; HSC_NO_INDEX */
    bool irreducible; /* more than one entry */
} hsc_machine_loop;

/* A branch that closes a loop or leaves it. */
typedef struct hsc_machine_branch {
    uint64_t address;
    uint32_t loop;
} hsc_machine_branch;

typedef struct hsc_machine_loops {
    HSC_VEC(hsc_machine_piece) pieces;
    HSC_VEC(hsc_machine_loop) loops;
    HSC_VEC(hsc_machine_branch) branches; /* in rising order of their addresses */
} hsc_machine_loops;

/* Finds the loops of [lo, hi): strongly connected parts of the graph of its blocks, outer ones first (Steensgaard,
 * Sequentializing Program Dependence Graphs, 1993: all entries of a part are taken out before it is looked into).
 * Jump tables are read from the module; jumps whose targets cannot be told lead to all blocks that nothing else leads to.
 * *out is empty when the code does not decode, is no x86-64 code or has no loop. False: out of memory. */
bool hsc_code_find_machine_loops(hsc_code *c, uint64_t lo, uint64_t hi, hsc_machine_loops *out);
void hsc_machine_loops_fini(hsc_machine_loops *m);

#endif
