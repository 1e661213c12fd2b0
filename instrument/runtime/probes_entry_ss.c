/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The quick way of an armed probe. Compiled for general registers only: the program has values in all others, and the call
 * was none to its compiler. What is not usual goes the slow way. */
#include "probes.h"

#define QUICK __attribute__((no_caller_saved_registers, noinline, visibility("hidden")))

/* Save every register, the extended ones by xsave, on a stack that is aligned. */
QUICK void hsc_rt_probe_enter_saving(uint64_t number, uint64_t sp);
QUICK void hsc_rt_probe_leave_saving(uint64_t number, uint64_t sp);
QUICK void hsc_rt_probe_value_saving(uint64_t number, uint64_t value);

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
            "movq -40(%rbp), %rdi\n\tmovq -32(%rbp), %rsi\n\tcallq " #slow "\n\t" \
            "movl $0xe7, %eax\n\txorl %edx, %edx\n\txrstor64 (%rsp)\n\tjmp 2f\n" \
            "1:\tfxsave64 (%rsp)\n\tmovq -40(%rbp), %rdi\n\tmovq -32(%rbp), %rsi\n\tcallq " #slow "\n\tfxrstor64 (%rsp)\n" \
            "2:\tleaq -72(%rbp), %rsp\n\t" \
            "popq %r11\n\tpopq %r10\n\tpopq %r9\n\tpopq %r8\n\tpopq %rdi\n\tpopq %rsi\n\tpopq %rdx\n\tpopq %rcx\n\tpopq %rax\n\t" \
            "popq %rbp\n\t.cfi_def_cfa %rsp, 8\n\tretq\n\t.cfi_endproc\n\t.size " #name ", .-" #name)
SAVING(hsc_rt_probe_enter_saving, hsc_rt_probe_enter_slow);
SAVING(hsc_rt_probe_leave_saving, hsc_rt_probe_leave_slow);
SAVING(hsc_rt_probe_value_saving, hsc_rt_probe_value_slow);

static inline __attribute__((always_inline)) uint64_t cycles(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Before anything else in the function. */
#define ARGUMENTS(number, with) \
    register uint64_t in_r11 __asm__("r11"); \
    register uint64_t in_r10 __asm__("r10"); \
    __asm__ volatile("" : "=r"(in_r11), "=r"(in_r10)); \
    uint64_t number = (uint32_t)in_r11, with = in_r10

static inline __attribute__((always_inline)) void quick_enter(uint64_t number, uint64_t sp) {
    hsc_rt_thread *t = hsc_rt_self;
    hsc_rt_scopes *s;
    if (__builtin_expect(!t || !(s = t->scopes) || atomic_load_explicit(&s->inside, memory_order_relaxed), 0)) {
        hsc_rt_probe_enter_saving(number, sp);
        return;
    }
    hsc_rt_scope *top = s->top;
    hsc_rt_block *around = top->block, *b = around->last;
    if (__builtin_expect(top->sp < sp || b->number != number || !s->due || top + 1 == s->end || !b->dirty, 0)) {
        hsc_rt_probe_enter_saving(number, sp);
        return;
    }
    for (const hsc_rt_scope *q = top; __builtin_expect(q->sp == sp, 0); q--) /* a scope in one of the same frame */
        if (q->number == number) {
            hsc_rt_probe_enter_saving(number, sp);
            return;
        }
    atomic_store_explicit(&s->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    top[1].sp = sp;
    top[1].block = b;
    top[1].number = number;
    s->visits++;
    uint64_t now = cycles();
    around->exclusive[atomic_load_explicit(s->state, memory_order_relaxed) & (HSC_RT_BLOCK_STATES - 1)] += now - s->last;
    s->last = now;
    top[1].start = now;
    s->top = top + 1;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&s->inside, 0, memory_order_relaxed);
}

static inline __attribute__((always_inline)) void quick_leave(uint64_t number, uint64_t sp) {
    uint64_t now = cycles();
    hsc_rt_thread *t = hsc_rt_self;
    hsc_rt_scopes *s;
    if (__builtin_expect(!t || !(s = t->scopes), 0))
        return;
    hsc_rt_scope *top = s->top;
    hsc_rt_block *b = top->block;
    if (__builtin_expect(atomic_load_explicit(&s->inside, memory_order_relaxed) || top->sp != sp || top->number != number || now >= s->due, 0)) {
        hsc_rt_probe_leave_saving(number, sp);
        return;
    }
    atomic_store_explicit(&s->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    uint64_t d = now - top->start;
    b->exclusive[atomic_load_explicit(s->state, memory_order_relaxed) & (HSC_RT_BLOCK_STATES - 1)] += now - s->last;
    s->last = now;
    b->count++;
    b->total += d;
    b->least = d < b->least ? d : b->least;
    b->most = d > b->most ? d : b->most;
    b->squares += (unsigned __int128)d * d;
    uint64_t ns = (uint64_t)((unsigned __int128)d * s->ns_per_cycle_q32 >> 32);
    uint32_t k = 64 - (uint32_t)__builtin_clzll(ns | 1); /* bucket of ns; 0 and 1 are told apart below */
    k -= ns == 0;
    b->bucket[k < HSC_RT_BLOCK_BUCKETS ? k : HSC_RT_BLOCK_BUCKETS - 1]++;
    s->top = top - 1;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&s->inside, 0, memory_order_relaxed);
}

QUICK void hsc_rt_probe_enter(void) {
    ARGUMENTS(number, frame);
    quick_enter(number, frame);
}

QUICK void hsc_rt_probe_leave(void) {
    ARGUMENTS(number, frame);
    quick_leave(number, frame);
}

QUICK void hsc_rt_probe_value(void) {
    ARGUMENTS(number, value);
    hsc_rt_thread *t = hsc_rt_self;
    if (!t)
        return;
    hsc_rt_scopes *s = t->scopes;
    if (__builtin_expect(s && number < s->values_capacity && s->values[number].known && s->values[number].value == value, 1))
        return;
    hsc_rt_probe_value_saving(number, value);
}
