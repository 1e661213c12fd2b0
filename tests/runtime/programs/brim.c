/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* brim SECONDS: each sample finds a call path that none had before, so that a small file is full soon; and pages are touched for the first time:
 * it prints how many. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { DEPTH = 48, PAGES = 64, PAGE = 4096 };
volatile double sink;

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void left(unsigned long long turns, int depth);

static void go(unsigned long long turns, int depth) {
    double x = 1;
    for (int i = 0; i < 10000 && !depth; i++)
        x = x * 1.0000001 + i;
    sink = x;
}

__attribute__((noinline)) static void right(unsigned long long turns, int depth) {
    if (!depth)
        go(turns, depth);
    else if (turns & 1)
        right(turns >> 1, depth - 1);
    else
        left(turns >> 1, depth - 1);
    sink += 1;
}

static void left(unsigned long long turns, int depth) {
    if (!depth)
        go(turns, depth);
    else if (turns & 1)
        right(turns >> 1, depth - 1);
    else
        left(turns >> 1, depth - 1);
    sink += 2;
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    unsigned long long turns = 1;
    long pages = 0;
    while (cpu() < seconds) {
        for (int i = 0; i < 64; i++) {
            turns = turns * 6364136223846793005u + 1442695040888963407u;
            left(turns >> 8, DEPTH);
        }
        char *m = mmap(0, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (m == MAP_FAILED)
            return 1;
        madvise(m, PAGES * PAGE, MADV_NOHUGEPAGE);
        for (int i = 0; i < PAGES; i++, pages++)
            m[i * PAGE] = 1;
        munmap(m, PAGES * PAGE);
    }
    printf("%ld\n", pages);
    return 0;
}
