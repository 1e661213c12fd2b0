// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers of a fast timer that leave what they have interrupted, mostly a probe, by siglongjmp: on the stack and on an alternate one.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
static sigjmp_buf back;
static volatile sig_atomic_t jumped;
volatile int sink;
__attribute__((noinline)) void small(int i) {
    sink = i;
}
__attribute__((noinline)) void deeper(int i) {
    small(i);
    small(i);
    sink = i;
}
__attribute__((noinline)) void in_handler(int i) {
    sink = i;
}
__attribute__((noinline)) void after(int i) {
    sink = i;
}
static void handler(int s) {
    in_handler(s);
    if (jumped >= 0) {
        jumped = jumped + 1;
        siglongjmp(back, 1);
    }
}
__attribute__((noinline)) void leaves(int times, int flags) {
    struct sigaction a;
    struct itimerval t = {{0, 200}, {0, 200}}, none = {{0, 0}, {0, 0}};
    memset(&a, 0, sizeof a);
    a.sa_handler = handler;
    a.sa_flags = flags;
    jumped = 0;
    sigsetjmp(back, 1);
    if (jumped == 0) {
        sigaction(SIGALRM, &a, NULL);
        setitimer(ITIMER_REAL, &t, NULL);
    }
    while (jumped < times)
        deeper(1);
    jumped = -1;
    setitimer(ITIMER_REAL, &none, NULL);
}
int main(int argc, char **argv) {
    stack_t alternate = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    int times = argc > 1 ? atoi(argv[1]) : 1000;
    sigaltstack(&alternate, NULL);
    for (int round = 0; round < 2; round++) {
        leaves(times, round ? SA_ONSTACK : 0);
        for (int i = 0; i < 10000; i++)
            after(i);
    }
    puts("done");
    return 0;
}
