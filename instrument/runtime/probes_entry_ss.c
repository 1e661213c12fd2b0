/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The quick way of an armed probe, by hand: the program has values in all registers, and the call was none to its compiler, so
 * that each register that is used costs a save and a restore. What is not usual goes the slow way.
 *
 * At entry r11 is the probe's number and r10 the address of the frame's return address, or the value; only r11 and the flags may
 * change. */
#include "probes.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* Save every register, the extended ones by xsave, on a stack that is aligned. */
HIDDEN void hsc_rt_probe_enter_saving(void);
HIDDEN void hsc_rt_probe_leave_saving(void);
HIDDEN void hsc_rt_probe_value_saving(void);

#define SAVING(name, slow) \
    __asm__(".text\n\t.p2align 4\n\t.hidden " #name "\n\t.globl " #name "\n\t.type " #name ",@function\n" #name ":\n\t" \
            ".cfi_startproc\n\t" \
            "pushq %rbp\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_rel_offset %rbp, 0\n\tmovq %rsp, %rbp\n\t.cfi_def_cfa_register %rbp\n\t" \
            "pushq %rax\n\tpushq %rcx\n\tpushq %rdx\n\tpushq %rsi\n\tpushq %rdi\n\tpushq %r8\n\tpushq %r9\n\tpushq %r10\n\tpushq %r11\n\t" \
            "subq $2824, %rsp\n\tandq $-64, %rsp\n\tcld\n\t" \
            "cmpl $0, hsc_rt_probe_has_xsave(%rip)\n\tje 1f\n\t" \
            "xorl %eax, %eax\n\tmovq %rax, 512(%rsp)\n\tmovq %rax, 520(%rsp)\n\tmovq %rax, 528(%rsp)\n\tmovq %rax, 536(%rsp)\n\t" \
            "movq %rax, 544(%rsp)\n\tmovq %rax, 552(%rsp)\n\tmovq %rax, 560(%rsp)\n\tmovq %rax, 568(%rsp)\n\t" \
            "movl $0xe7, %eax\n\txorl %edx, %edx\n\txsave64 (%rsp)\n\t" \
            "movl -72(%rbp), %edi\n\tmovq -64(%rbp), %rsi\n\tcallq " #slow "\n\t" \
            "movl $0xe7, %eax\n\txorl %edx, %edx\n\txrstor64 (%rsp)\n\tjmp 2f\n" \
            "1:\tfxsave64 (%rsp)\n\tmovl -72(%rbp), %edi\n\tmovq -64(%rbp), %rsi\n\tcallq " #slow "\n\tfxrstor64 (%rsp)\n" \
            "2:\tleaq -72(%rbp), %rsp\n\t" \
            "popq %r11\n\tpopq %r10\n\tpopq %r9\n\tpopq %r8\n\tpopq %rdi\n\tpopq %rsi\n\tpopq %rdx\n\tpopq %rcx\n\tpopq %rax\n\t" \
            "popq %rbp\n\t.cfi_def_cfa %rsp, 8\n\tretq\n\t.cfi_endproc\n\t.size " #name ", .-" #name)
SAVING(hsc_rt_probe_enter_saving, hsc_rt_probe_enter_slow);
SAVING(hsc_rt_probe_leave_saving, hsc_rt_probe_leave_slow);
SAVING(hsc_rt_probe_value_saving, hsc_rt_probe_value_slow);

#define PUSH(r) "pushq %%" r "\n\t.cfi_adjust_cfa_offset 8\n\t"
#define POP(r) "popq %%" r "\n\t.cfi_adjust_cfa_offset -8\n\t"
#define OFFSETS \
    [top] "i"(offsetof(hsc_rt_scopes, top)), [end] "i"(offsetof(hsc_rt_scopes, end)), [last] "i"(offsetof(hsc_rt_scopes, last)), \
        [due] "i"(offsetof(hsc_rt_scopes, due)), [inside] "i"(offsetof(hsc_rt_scopes, inside)), \
        [visits] "i"(offsetof(hsc_rt_scopes, visits)), [state] "i"(offsetof(hsc_rt_scopes, state)), \
        [limit] "i"(offsetof(hsc_rt_scopes, limit)), [first] "i"(offsetof(hsc_rt_scopes, first)), \
        [sp] "i"(offsetof(hsc_rt_scope, sp)), [start] "i"(offsetof(hsc_rt_scope, start)), \
        [block] "i"(offsetof(hsc_rt_scope, block)), [which] "i"(offsetof(hsc_rt_scope, number)), [size] "i"(sizeof(hsc_rt_scope)), \
        [child] "i"(offsetof(hsc_rt_block, last)), [number] "i"(offsetof(hsc_rt_block, number)), \
        [exclusive] "i"(offsetof(hsc_rt_block, exclusive)), [total] "i"(offsetof(hsc_rt_block, total)), \
        [least] "i"(offsetof(hsc_rt_block, least)), [most] "i"(offsetof(hsc_rt_block, most)), \
        [squares] "i"(offsetof(hsc_rt_block, squares)), [bucket] "i"(offsetof(hsc_rt_block, bucket)), \
        [states] "i"(HSC_RT_BLOCK_STATES - 1)

/* Time since the last probe to the block in `block`, by state; now is in rax. Changes rdx and `other`. */
#define CHARGE(block, other, other32) \
    "movq %%rax, %%rdx\n\tsubq %c[last](%%rsi), %%rdx\n\tmovq %%rax, %c[last](%%rsi)\n\t" \
    "movq %c[state](%%rsi), %%" other "\n\tmovl (%%" other "), %%" other32 "\n\tandl %[states], %%" other32 "\n\t" \
    "addq %%rdx, %c[exclusive](%%" block ",%%" other ",8)\n\t"

/* rsi: the thread's scopes; rcx: the innermost, then the new one. Its block is the child that was entered last. */
__attribute__((naked)) void hsc_rt_probe_enter(void) {
    __asm__ volatile(PUSH("rax") PUSH("rcx") PUSH("rdx") PUSH("rsi") ".cfi_remember_state\n\t"
                     "movq hsc_rt_scopes_self@gottpoff(%%rip), %%rax\n\tmovq %%fs:(%%rax), %%rsi\n\t"
                     "testq %%rsi, %%rsi\n\tjz 3f\n\t"
                     "cmpl $0, %c[inside](%%rsi)\n\tjne 3f\n\t"
                     "movq %c[top](%%rsi), %%rcx\n\t"
                     "cmpq %%r10, %c[sp](%%rcx)\n\tjbe 2f\n"
                     "1:\tmovq %c[block](%%rcx), %%rdx\n\tmovq %c[child](%%rdx), %%rax\n\t"
                     "cmpl %%r11d, %c[number](%%rax)\n\tjne 3f\n\t"
                     "addq %[size], %%rcx\n\tcmpq %%rcx, %c[end](%%rsi)\n\tje 3f\n\t"
                     "movl $1, %c[inside](%%rsi)\n\t"
                     "movl %%r11d, %%r11d\n\tmovq %%r10, %c[sp](%%rcx)\n\tmovq %%rax, %c[block](%%rcx)\n\t"
                     "movq %%r11, %c[which](%%rcx)\n\tmovq %%rdx, %%r11\n\tincq %c[visits](%%rsi)\n\t"
                     "rdtsc\n\tshlq $32, %%rdx\n\torq %%rdx, %%rax\n\t"
                     "movq %%rax, %c[start](%%rcx)\n\tmovq %%rcx, %c[top](%%rsi)\n\t"
                     CHARGE("r11", "rcx", "ecx")
                     "movl $0, %c[inside](%%rsi)\n\t"
                     POP("rsi") POP("rdx") POP("rcx") POP("rax") "retq\n\t.cfi_restore_state\n"
                     /* the same frame: a scope in one of its own; but not the same again */
                     "2:\tjne 3f\n\tmovq %%rcx, %%rdx\n"
                     "4:\tcmpl %%r11d, %c[which](%%rdx)\n\tje 3f\n\t"
                     "subq %[size], %%rdx\n\tcmpq %%r10, %c[sp](%%rdx)\n\tje 4b\n\tjmp 1b\n"
                     "3:\t" POP("rsi") POP("rdx") POP("rcx") POP("rax") "jmp hsc_rt_probe_enter_saving"
                     :
                     : OFFSETS);
}

/* The same; rdi: the block, rax: now, then the duration. */
__attribute__((naked)) void hsc_rt_probe_leave(void) {
    __asm__ volatile(PUSH("rax") PUSH("rcx") PUSH("rdx") PUSH("rsi") PUSH("rdi") ".cfi_remember_state\n\t"
                     "rdtsc\n\tshlq $32, %%rdx\n\torq %%rdx, %%rax\n\t"
                     "movq hsc_rt_scopes_self@gottpoff(%%rip), %%rcx\n\tmovq %%fs:(%%rcx), %%rsi\n\t"
                     "testq %%rsi, %%rsi\n\tjz 5f\n\t"
                     "cmpl $0, %c[inside](%%rsi)\n\tjne 3f\n\t"
                     "movq %c[top](%%rsi), %%rcx\n\t"
                     "cmpq %%r10, %c[sp](%%rcx)\n\tjne 3f\n\tcmpl %%r11d, %c[which](%%rcx)\n\tjne 3f\n\t"
                     "cmpq %c[due](%%rsi), %%rax\n\tjae 3f\n\t"
                     "movl $1, %c[inside](%%rsi)\n\tmovq %c[block](%%rcx), %%rdi\n\t"
                     CHARGE("rdi", "r11", "r11d")
                     "subq %c[start](%%rcx), %%rax\n\tsubq %[size], %%rcx\n\tmovq %%rcx, %c[top](%%rsi)\n\t"
                     "addq %%rax, %c[total](%%rdi)\n\t"
                     "cmpq %c[least](%%rdi), %%rax\n\tjb 1f\n"
                     "2:\tcmpq %c[most](%%rdi), %%rax\n\tja 4f\n"
                     /* the bucket: by the octave of the cycles, which has one limit of nanoseconds in it */
                     "6:\tmovq %%rax, %%rcx\n\torq $1, %%rcx\n\tbsrq %%rcx, %%rcx\n\t"
                     "movl %c[first](%%rsi,%%rcx,4), %%r11d\n\tcmpq %c[limit](%%rsi,%%rcx,8), %%rax\n\tsbbl $-1, %%r11d\n\t"
                     "incl %c[bucket](%%rdi,%%r11,4)\n\t"
                     "mulq %%rax\n\taddq %%rax, %c[squares](%%rdi)\n\tadcq %%rdx, 8+%c[squares](%%rdi)\n\t"
                     "movl $0, %c[inside](%%rsi)\n"
                     "5:\t" POP("rdi") POP("rsi") POP("rdx") POP("rcx") POP("rax") "retq\n\t.cfi_restore_state\n\t.cfi_remember_state\n"
                     "1:\tmovq %%rax, %c[least](%%rdi)\n\tjmp 2b\n"
                     "4:\tmovq %%rax, %c[most](%%rdi)\n\tjmp 6b\n"
                     "3:\t" POP("rdi") POP("rsi") POP("rdx") POP("rcx") POP("rax") "jmp hsc_rt_probe_leave_saving\n\t.cfi_restore_state"
                     :
                     : OFFSETS);
}

/* A value that is what it was is the usual case. */
__attribute__((naked)) void hsc_rt_probe_value(void) {
    __asm__ volatile(PUSH("rax") PUSH("rcx") ".cfi_remember_state\n\t"
                     "movq hsc_rt_scopes_self@gottpoff(%%rip), %%rax\n\tmovq %%fs:(%%rax), %%rax\n\t"
                     "testq %%rax, %%rax\n\tjz 3f\n\t"
                     "cmpl %%r11d, %c[capacity](%%rax)\n\tjbe 3f\n\t"
                     "movl %%r11d, %%ecx\n\tshlq $4, %%rcx\n\taddq %c[values](%%rax), %%rcx\n\t"
                     "cmpb $0, %c[known](%%rcx)\n\tje 3f\n\t"
                     "cmpq %%r10, %c[value](%%rcx)\n\tjne 3f\n\t"
                     POP("rcx") POP("rax") "retq\n\t.cfi_restore_state\n"
                     "3:\t" POP("rcx") POP("rax") "jmp hsc_rt_probe_value_saving"
                     :
                     : [capacity] "i"(offsetof(hsc_rt_scopes, values_capacity)), [values] "i"(offsetof(hsc_rt_scopes, values)),
                       [known] "i"(offsetof(struct hsc_rt_value, known)), [value] "i"(offsetof(struct hsc_rt_value, value)));
    _Static_assert(sizeof(struct hsc_rt_value) == 16, "shifted by 4");
}
