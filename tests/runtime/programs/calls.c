/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a while at first; then threads that hardly do anything but sleep and read a few bytes. Prints the CPU seconds of each by the threads' clocks:
 * first reads, naps, short reads. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
enum { THREADS = 40, NAPS = 100, READS = 20 };

static int zeros;
static double cpu_of[THREADS][2];
volatile long sink;

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

KEEP void first_reads(double seconds) {
    static char block[1 << 20];
    for (double end = cpu() + seconds; cpu() < end;)
        sink += read(zeros, block, sizeof block);
}

KEEP void naps(void) {
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    sink += 1;
}

KEEP void short_reads(void) {
    char bytes[64];
    for (int i = 0; i < READS; i++)
        sink += read(zeros, bytes, sizeof bytes);
}

static void *runs(void *which) {
    double *of = which, a = cpu();
    for (int i = 0; i < NAPS; i++) {
        naps();
        double b = cpu();
        short_reads();
        double c = cpu();
        of[0] += b - a;
        of[1] += c - b;
        a = c;
    }
    return NULL;
}

int main(void) {
    zeros = open("/dev/zero", O_RDONLY);
    double before = cpu(), all[2] = {0};
    first_reads(0.05);
    double first = cpu() - before;
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, runs, cpu_of[i]))
            return 1;
        pthread_join(thread, NULL);
        for (int k = 0; k < 2; k++)
            all[k] += cpu_of[i][k];
    }
    printf("%.6f %.6f %.6f\n", first, all[0], all[1]);
    return 0;
}
