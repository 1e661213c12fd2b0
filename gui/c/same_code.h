/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which instructions of two pieces of machine code are the same ones. */
#ifndef HSC_GUI_SAME_CODE_H
#define HSC_GUI_SAME_CODE_H

#include <stdbool.h>
#include <stdint.h>

#define HSC_SAME_LEAST 8 /* instructions in a row: fewer are alike by chance */

/* a[n], b[m]: a number for what each instruction is, equal where they are alike. to[n]: which of b it is, UINT32_MAX: none. Those in the same order in both are
 * found, HSC_SAME_LEAST or more in a row, from rows that both pieces have once (as a patience diff does with lines). False: no memory, to is
 * as it was. Cost: that of sorting n and m. */
bool hsc_same_code(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m, uint32_t *to);

#endif
