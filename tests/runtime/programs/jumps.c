/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* jumps N: a signal comes all the time, and its handler leaves whatever it has interrupted by siglongjmp, N times: reads, sleeps, locks, waits.
 * Then the thread computes for 0.3 s of CPU time in `after`, at some depth, and reads 1,000 times in `reads_after`. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t armed;
static volatile int jumps;
static int zero;
volatile double sink;

static void handler(int n) {
    (void)n;
    if (armed) {
        armed = 0;
        jumps++;
        siglongjmp(back, 1);
    }
}

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void calls(int i) {
    char c[16];
    struct timespec none = {0, 0};
    for (;;) {
        for (int k = 0; k < 50; k++)
            if (read(zero, c, sizeof c) < 0)
                exit(1);
        if (i % 16 == 0)
            nanosleep(&none, NULL);
    }
}

__attribute__((noinline)) static void deeper(int i, int depth) {
    volatile char room[200];
    room[0] = (char)depth;
    if (depth)
        deeper(i, depth - 1);
    else
        calls(i);
    sink += room[0];
}

__attribute__((noinline)) void after(double seconds) {
    for (double end = cpu() + seconds; cpu() < end;)
        for (int i = 0; i < 20000; i++)
            sink = sink * 1.0000001 + i;
}

__attribute__((noinline)) void reads_after(void) {
    char c[16];
    for (int i = 0; i < 1000; i++)
        if (read(zero, c, sizeof c) < 0)
            exit(1);
    sink++;
}

int main(int argc, char **argv) {
    int wanted = argc > 1 ? atoi(argv[1]) : 1000;
    struct sigaction a = {.sa_handler = handler};
    struct itimerval every = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    zero = open("/dev/zero", O_RDONLY);
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (volatile int i = 0; jumps < wanted; i++)
        if (!sigsetjmp(back, 1)) {
            armed = 1;
            deeper(i, i % 5);
        }
    setitimer(ITIMER_REAL, &never, NULL);
    after(0.3);
    reads_after();
    printf("%d\n", jumps);
    return 0;
}
