// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls for ever, and says how often; ends itself as kill -9 does.
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
volatile int sink;
__attribute__((noinline)) void often(int i) {
    sink = i;
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
int main(void) {
    double end = now() + 1.0;
    long n = 0;
    for (; now() < end; n++)
        often(1);
    printf("%ld\n", n);
    fflush(stdout);
    double last = now() + 0.5; /* what is counted is written in the meantime */
    while (now() < last)
        often(1);
    kill(getpid(), SIGKILL);
    return 0;
}
