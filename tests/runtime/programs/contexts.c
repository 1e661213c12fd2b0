/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Eight contexts that hand over to each other, each on a stack of its own; a fiber as Boost makes them, in code without unwind rules; then a recursion deeper than any limit. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { CONTEXTS = 8, STACK = 65536 };
static ucontext_t whole, context[CONTEXTS];
volatile double sink;

__attribute__((noinline)) void cowork(int k) {
    double x = 1;
    for (int i = 0; i < 100000; i++)
        x = x * 1.0000001 + i;
    sink = x + k;
}

void fiber_enter(void *top, void (*run)(void)), fiber_leave(void);
__asm__(".text\n"
        "fiber_enter: push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "mov %rsp, fiber_caller(%rip); mov %rdi, %rsp; mov %rsi, %rbx; lea 1f(%rip), %rbp; jmp 2f\n"
        "2: push %rbp; jmp *%rbx\n"
        "1: xor %rdi, %rdi; call _exit@PLT; hlt\n"
        "fiber_leave: mov fiber_caller(%rip), %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n"
        ".local fiber_caller; .comm fiber_caller, 8, 8\n");

static void fiber_body(void) {
    for (int i = 0; i < 1000; i++)
        cowork(i);
    fiber_leave();
}

static void body(int k) {
    for (int i = 0; i < 300; i++) {
        cowork(k);
        swapcontext(&context[k], &context[(k + 1) % CONTEXTS]);
    }
    swapcontext(&context[k], &whole);
}

__attribute__((noinline)) void too_deep(int depth) {
    if (depth == 0)
        for (int i = 0; i < 1000; i++)
            cowork(i);
    else
        too_deep(depth - 1);
    sink += 1;
}

int main(void) {
    for (int k = 0; k < CONTEXTS; k++) {
        getcontext(&context[k]);
        context[k].uc_stack.ss_sp = k & 1 ? malloc(STACK) : mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                                                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        context[k].uc_stack.ss_size = STACK;
        context[k].uc_link = &whole;
        makecontext(&context[k], (void (*)(void))body, 1, k);
    }
    swapcontext(&whole, &context[0]);
    char *stack = malloc(STACK);
    fiber_enter(stack + STACK - 64, fiber_body);
    too_deep(50000);
    printf("done\n");
    return 0;
}
