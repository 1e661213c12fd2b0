/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which instructions read memory, by the text of the disassembler: the samples behind these count for them. */
#include <stdio.h>

#include "report_charged.h"

static int failed;

static void is(bool loads, const char *text) {
    if (report_loads(text) != loads) {
        printf("'%s': %s memory\n", text, loads ? "reads no" : "reads");
        failed = 1;
    }
}

int main(void) {
    is(true, "movq\t(%rax), %rbx");
    is(true, "movss\t0x10(%rdi,%rcx,4), %xmm0");
    is(true, "addsd\t(%rdi,%r11,8), %xmm0");
    is(true, "vfmadd231pd\t0x20(%rsi,%rax,8), %ymm1, %ymm0");
    is(true, "cmpq\t$0x7, 0x8(%rdx)");
    is(true, "addl\t%eax, (%rcx)"); /* reads and writes */
    is(true, "lock\txaddl\t%eax, (%rcx)");
    is(true, "lock xaddl\t%eax, (%rcx)");
    is(true, "incq\t(%rbx)");
    is(true, "divsd\t(%rax), %xmm1");
    is(true, "rep\tmovsb\t(%rsi), %es:(%rdi)");
    is(true, "vgatherqpd\t%ymm2, (%rdi,%ymm1,8), %ymm0");
    is(true, "movslq\t(%r9), %r11\t# comment (%rsp)");
    is(false, "movq\t%rbx, (%rax)");
    is(false, "vmovupd\t%ymm0, 0x20(%rsi,%rax,8)");
    is(false, "setb\t(%rax)");
    is(false, "vpextrq\t$0x1, %xmm0, (%rax)");
    is(false, "vscatterqpd\t%zmm0, (%rdi,%zmm1,8)");
    is(false, "leaq\t0x8(%rax,%rbx,4), %rcx");
    is(false, "nopw\t(%rax,%rax)");
    is(false, "prefetcht0\t0x40(%rax)");
    is(false, "callq\t*0x10(%rax)");
    is(false, "addq\t$0x8, %rax");
    is(false, "movq\t0x18(%rsp), %rax"); /* its own stack */
    is(false, "mulsd\t0xe78(%rip), %xmm0\t# 0x2010 = 0.5"); /* a constant */
    is(false, "retq");
    is(false, "");
    return failed;
}
