/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Half of the CPU time in system calls, half outside, page faults between. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

volatile double sink;
static char buffer[1 << 20];

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((noinline)) void computes(double seconds) {
    for (double end = cpu() + seconds; cpu() < end;) {
        double x = 1;
        for (int i = 0; i < 200000; i++)
            x = x * 1.0000001 + i;
        sink = x;
    }
}

__attribute__((noinline)) void reads(int fd, double seconds) {
    for (double end = cpu() + seconds; cpu() < end;)
        if (read(fd, buffer, sizeof buffer) < 0)
            exit(1);
    sink += 1;
}

__attribute__((noinline)) void faults(double seconds) {
    for (double end = cpu() + seconds; cpu() < end;) {
        char *p = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int i = 0; i < 4 << 20; i += 4096)
            p[i] = 1;
        munmap(p, 4 << 20);
    }
    sink += 1;
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    int fd = open("/dev/zero", O_RDONLY);
    for (int i = 0; i < 20; i++) {
        computes(seconds / 60);
        reads(fd, seconds / 60);
        faults(seconds / 60);
    }
    printf("%.6f\n", cpu());
    return 0;
}
