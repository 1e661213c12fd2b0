/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which loops of two versions of a procedure are the same ones. Asks no database: maps are compared by it, too. */
#ifndef HSC_COMPARE_LOOPS_H
#define HSC_COMPARE_LOOPS_H

#include "compare.h"

typedef struct compare_loop { /* or a region, which is no loop and has loops inside */
    uint32_t end;          /* one past what is inside it */
    bool region;
    uint64_t kind;         /* hash of what it is: for, while, ... */
    uint64_t text, header; /* hashes of all of its lines, and of the first; 0: not known */
    uint32_t place;        /* its first line, from its procedure's */
    uint32_t before_end;   /* and before its procedure's last */
    uint32_t lines;
    uint64_t calls;        /* hash of what it calls; 0: nothing, or not known */
} compare_loop;

#define COMPARE_NO_LOOP UINT32_MAX

/* Both lists in the order of the source, what is round others before them. b_of_a[n]: COMPARE_NO_LOOP: none; how[n]: hsc_compare_how. Loops below
 * matched ones by all of their text, by their first line, then by position, where the source is not known by what is like it; but for those of the same text an innermost loop is never
 * matched with one that has loops inside. HSC_E_MEMORY. */
hsc_status compare_loops(const compare_loop *a, uint32_t n, const compare_loop *b, uint32_t k, uint32_t *b_of_a, unsigned char *how, hsc_err *err);

#endif
