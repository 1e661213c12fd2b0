/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Length and control flow of x86-64 instructions: just enough to find where blocks begin. */
#ifndef HEATSCOPE_CORRELATE_X86_64_H
#define HEATSCOPE_CORRELATE_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum hsc_x86_flow {
    HSC_X86_NEXT,        /* goes on (calls too) */
    HSC_X86_BRANCH,      /* to target, or on */
    HSC_X86_JUMP,        /* to target */
    HSC_X86_INDIRECT,    /* somewhere */
    HSC_X86_RETURN,
    HSC_X86_STOP         /* ud2, hlt */
} hsc_x86_flow;

/* Decodes one instruction of at most n bytes at p. Returns its length, 0 when it is none that we know. *relative is the
 * distance from its end to the target of a branch or jump. (Intel, Software Developer's Manual, volume 2, chapter 2 and
 * appendix A.) */
size_t hsc_x86_decode(const uint8_t *p, size_t n, hsc_x86_flow *flow, int64_t *relative);

/* Does the instruction of n bytes do nothing? Compilers fill spaces with them; int3 too. */
bool hsc_x86_is_nop(const uint8_t *p, size_t n);

#endif
