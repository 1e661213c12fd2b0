/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Eight contexts that hand over to each other, each on a stack of its own; then a recursion deeper than any limit. */
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
    too_deep(50000);
    printf("done\n");
    return 0;
}
