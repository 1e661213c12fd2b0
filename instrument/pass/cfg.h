/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of a control-flow graph given as numbers. Knows nothing of LLVM. */
#ifndef HEATSCOPE_PASS_CFG_H
#define HEATSCOPE_PASS_CFG_H

#include <stdbool.h>

#define HSC_CFG_NONE 0xFFFFFFFFu

/* Blocks are 0..blocks-1, 0 is the entry; the successors of b are successor[first[b]] .. successor[first[b+1]-1]. */
typedef struct hsc_cfg {
    unsigned blocks;
    const unsigned *first;
    const unsigned *successor;
} hsc_cfg;

typedef struct hsc_cfg_loop {
    unsigned header;
    unsigned parent; /* loop index, below this loop's own; HSC_CFG_NONE: outermost */
    unsigned depth;  /* 1: outermost */
    bool irreducible; /* can be entered past its header */
} hsc_cfg_loop;

/* Work space of hsc_cfg_find_loops: this many unsigned for a graph of n blocks. */
#define HSC_CFG_WORK(n) (6u * (n) + 1u)

/* Fills loop_of[b] with the innermost loop of each block (HSC_CFG_NONE: none, or not reached) and loops[] (room for one
 * a block); returns the number of loops. Loops that share a header are one. For graphs without irreducible parts these
 * are the natural loops. One depth-first walk, linear but for nesting (T. Wei, J. Mao, W. Zou, Y. Chen: A New Algorithm
 * for Identifying Loops in Decompilation, SAS 2007, figure 2). */
unsigned hsc_cfg_find_loops(const hsc_cfg *g, unsigned *loop_of, hsc_cfg_loop *loops, unsigned *work);

/* Fills idom[b] with the immediate dominator of each block; HSC_CFG_NONE for the entry and what is not reached (K. Cooper,
 * T. Harvey, K. Kennedy: A Simple, Fast Dominance Algorithm, 2001). The same work space. */
void hsc_cfg_find_dominators(const hsc_cfg *g, unsigned *idom, unsigned *work);

#endif
