/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of an armed probe, by hand: the program has values in all registers, and the call was none to its compiler, so that
 * each register that is used costs a save and a restore. It takes memory for a mark and notes what and when. Where there is none
 * (all are used, or something is due) hsc_rt_probe_room makes it, before the clock of an entry and after that of an exit is read.
 *
 * At entry r11 is the probe's number and r10 the address of the frame's return address, or the value; only r11 and the flags may
 * change. */
#include "probes.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* Save every register, the extended ones by xsave, on a stack that is aligned. */
HIDDEN void hsc_rt_probe_room_saving(void); /* ZF: false */
HIDDEN void hsc_rt_probe_value_saving(void);

#define SAVING(name, first, slow) \
    __asm__(".pushsection hsc_probe_code,\"ax\",@progbits\n\t.p2align 4\n\t.hidden " #name "\n\t.globl " #name "\n\t.type " #name ",@function\n" #name ":\n\t" \
            ".cfi_startproc\n\t" \
            "pushq %rbp\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_rel_offset %rbp, 0\n\tmovq %rsp, %rbp\n\t.cfi_def_cfa_register %rbp\n\t" \
            "pushq %rax\n\tpushq %rcx\n\tpushq %rdx\n\tpushq %rsi\n\tpushq %rdi\n\tpushq %r8\n\tpushq %r9\n\tpushq %r10\n\tpushq %r11\n\t" \
            "andq $-64, %rsp\n\tcld\n\t" first \
            "subq $2816, %rsp\n\t" \
            "cmpl $0, hsc_rt_probe_has_xsave(%rip)\n\tje 1f\n\t" \
            "xorl %eax, %eax\n\tmovq %rax, 512(%rsp)\n\tmovq %rax, 520(%rsp)\n\tmovq %rax, 528(%rsp)\n\tmovq %rax, 536(%rsp)\n\t" \
            "movq %rax, 544(%rsp)\n\tmovq %rax, 552(%rsp)\n\tmovq %rax, 560(%rsp)\n\tmovq %rax, 568(%rsp)\n\t" \
            "movl $0xe7, %eax\n\txorl %edx, %edx\n\txsave64 (%rsp)\n\t" \
            "movq -72(%rbp), %rdi\n\tmovq -64(%rbp), %rsi\n\tmovq -24(%rbp), %rdx\n\tcallq " #slow "\n\t" \
            "testb %al, %al\n\tmovl $0xe7, %eax\n\tmovl $0, %edx\n\txrstor64 (%rsp)\n\tjmp 2f\n" \
            "1:\tfxsave64 (%rsp)\n\tmovq -72(%rbp), %rdi\n\tmovq -64(%rbp), %rsi\n\tmovq -24(%rbp), %rdx\n\tcallq " #slow "\n\ttestb %al, %al\n\tfxrstor64 (%rsp)\n" \
            "2:\tleaq -72(%rbp), %rsp\n\t" \
            "popq %r11\n\tpopq %r10\n\tpopq %r9\n\tpopq %r8\n\tpopq %rdi\n\tpopq %rsi\n\tpopq %rdx\n\tpopq %rcx\n\tpopq %rax\n\t" \
            "popq %rbp\n\t.cfi_def_cfa %rsp, 8\n\tretq\n\t.cfi_endproc\n\t.size " #name ", .-" #name "\n\t.popsection")
/* mostly nothing else is to be done than what needs general registers alone */
#define FIRST "movq -24(%rbp), %rdi\n\tmovq -72(%rbp), %rsi\n\tcallq hsc_rt_probe_room_usual\n\ttestb %al, %al\n\tjnz 2f\n\t"
SAVING(hsc_rt_probe_room_saving, FIRST, hsc_rt_probe_room);
SAVING(hsc_rt_probe_value_saving, "", hsc_rt_probe_value_slow);

#define PUSH(r) "pushq %%" r "\n\t.cfi_adjust_cfa_offset 8\n\t"
#define POP(r) "popq %%" r "\n\t.cfi_adjust_cfa_offset -8\n\t"
/* The next mark's address comes to rdx, or a jump to 4. Changes rcx. Signals may come anywhere. */
#define TAKE \
    "movq hsc_rt_noting_self@gottpoff(%%rip), %%rcx\n" \
    "1:\tmovl %[size], %%edx\n\txaddq %%rdx, %%fs:%c[next](%%rcx)\n\tcmpq %%fs:%c[limit](%%rcx), %%rdx\n\tjae 4f\n\t"
/* No room, not measured, or the thread's first. */
#define MAKE_ROOM "4:\tcallq hsc_rt_probe_room_saving\n\tjnz 1b\n\t" POP("rcx") POP("rdx") POP("rax") "retq\n\t"
#define OFFSETS \
    [next] "i"(offsetof(hsc_rt_noting, next)), [limit] "i"(offsetof(hsc_rt_noting, limit)), [size] "i"(sizeof(hsc_rt_mark)), \
        [shift] "i"(HSC_RT_MARK_SHIFT - 3), [leave] "i"(HSC_RT_MARK_LEAVE), [what] "i"(HSC_RT_MARK_WHAT * sizeof(hsc_rt_mark))
#define PROBE_CODE HSC_RT_PROBE_CODE __attribute__((naked, aligned(64)))

/* The frame's address is one of a return address, so a multiple of 8, and below 2^49 (r10 gets it back in any case). r11: what the mark notes;
 * then its address. */
PROBE_CODE void hsc_rt_probe_enter(void) {
    __asm__ volatile(PUSH("rax") PUSH("rdx") "rolq %[shift], %%r10\n\torq %%r10, %%r11\n\trorq %[shift], %%r10\n\t"
                     "movq hsc_rt_noting_self@gottpoff(%%rip), %%rax\n"
                     "1:\tmovl %[size], %%edx\n\txaddq %%rdx, %%fs:%c[next](%%rax)\n\tcmpq %%fs:%c[limit](%%rax), %%rdx\n\tjae 4f\n\t"
                     "movq %%r11, %c[what](%%rdx)\n\tmovq %%rdx, %%r11\n\t"
                     "rdtsc\n\tshlq $32, %%rdx\n\torq %%rdx, %%rax\n\tmovq %%rax, (%%r11)\n\t"
                     ".cfi_remember_state\n\t" POP("rdx") POP("rax") "retq\n\t.cfi_restore_state\n\t"
                     "4:\tpushq %%rcx\n\t.cfi_adjust_cfa_offset 8\n\tcallq hsc_rt_probe_room_saving\n\tpopq %%rcx\n\t.cfi_adjust_cfa_offset -8\n\tjnz 1b\n\t"
                     POP("rdx") POP("rax") "retq"
                     :
                     : OFFSETS);
}

/* rax: the time. */
PROBE_CODE void hsc_rt_probe_leave(void) {
    __asm__ volatile(PUSH("rax") PUSH("rdx") PUSH("rcx") ".cfi_remember_state\n\t"
                     "rdtsc\n\tshlq $32, %%rdx\n\torq %%rdx, %%rax\n\t" TAKE
                     "movq %%r10, %%rcx\n\tshlq %[shift], %%rcx\n\tleaq %c[leave](%%rcx,%%r11), %%rcx\n\tmovq %%rcx, %c[what](%%rdx)\n\t"
                     "movq %%rax, (%%rdx)\n\t"
                     POP("rcx") POP("rdx") POP("rax") "retq\n\t.cfi_restore_state\n\t.cfi_remember_state\n" MAKE_ROOM ".cfi_restore_state\n"
                     ".globl hsc_rt_probe_leave_end\n\t.hidden hsc_rt_probe_leave_end\nhsc_rt_probe_leave_end:"
                     :
                     : OFFSETS);
}

/* A value that is what it was is the usual case. */
PROBE_CODE void hsc_rt_probe_value(void) {
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
