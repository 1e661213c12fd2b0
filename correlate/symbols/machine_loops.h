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

typedef struct hsc_machine_call { /* a direct one, of HSC_CALL_BYTES */
    uint64_t begin, target;
} hsc_machine_call;
#define HSC_CALL_BYTES 5u

/* What is known of a machine function. */
typedef struct hsc_machine_function {
    HSC_VEC(hsc_machine_piece) pieces; /* none: it has no loop */
    HSC_VEC(hsc_machine_loop) loops;
    HSC_VEC(hsc_machine_branch) branches; /* in rising order of their addresses */
    HSC_VEC(hsc_machine_call) calls;      /* so are they */
    uint64_t *leaders; /* a bit for each byte: a block begins there; NULL: the code does not decode, or is no x86-64 code */
} hsc_machine_function;

/* The function of a symbol, decoded when it is first asked for. Its loops are the strongly connected parts of the graph of its
 * blocks, outer ones first (Steensgaard, Sequentializing Program Dependence Graphs, 1993: all entries of a part are taken out
 * before it is looked into). Jump tables are read from the module; jumps whose targets cannot be told lead to all blocks that
 * nothing else leads to; calls of functions that do not return lead nowhere. NULL: out of memory. */
const hsc_machine_function *hsc_code_machine_function(hsc_code *c, const hsc_symbol *symbol);
void hsc_machine_function_fini(hsc_machine_function *m);

/* Piece of a function with loops that the address is in. */
static inline size_t hsc_machine_piece_at(const hsc_machine_function *m, uint64_t address) {
    uint32_t i;
    HSC_FIND_SPAN(m->pieces, address, i);
    return i == HSC_NO_INDEX ? 0 : i;
}

/* no_return.c. Does the function at `target` never return? By its name, by the debug information, or since there is no way out
 * of its code. */
bool hsc_code_is_no_return(hsc_code *c, uint64_t target);

#endif
