// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time of a scope by category: it sleeps, then it computes.
#include <time.h>
#include <stdio.h>
volatile double sink;
__attribute__((noinline)) void sleeps(void) {
    struct timespec t = {0, 30000000};
    nanosleep(&t, NULL);
}
__attribute__((noinline)) void computes(void) {
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    do {
        for (int i = 0; i < 100000; i++)
            sink += i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    } while ((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec < 50000000);
}
__attribute__((noinline)) void both(void) {
    sleeps();
    computes();
}
int main(void) {
    for (int i = 0; i < 3; i++)
        both();
    puts("done");
    return 0;
}
