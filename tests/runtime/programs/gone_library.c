/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A procedure of which no unwind rule is known, at the beginning of a page, and code behind it. */
#include <stdint.h>

uint64_t gone_spin(uint64_t n);

__asm__(".text\n.balign 4096\n.globl gone_spin\n.type gone_spin, @function\ngone_spin:\n"
        "1: dec %rdi\n jnz 1b\n mov %rdi, %rax\n ret\n.size gone_spin, .-gone_spin\n"
        ".globl gone_rest\n.type gone_rest, @function\n.balign 4096\ngone_rest:\n.skip 65536, 0x90\n ret\n.size gone_rest, .-gone_rest\n");
