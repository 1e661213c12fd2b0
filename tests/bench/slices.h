/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls in turns by the C library's functions, which wrappers see, and past them, in slices of one process: neither another process nor another hour is between what is compared. */
#ifndef HSC_SLICES_H
#define HSC_SLICES_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLICES_LINE = 64 };

typedef struct slices_kind {
    const char *name;
    int calls; /* in one turn of `make` */
    void (*make)(bool plain, long n);
} slices_kind;

static _Thread_local unsigned char *slices_memory;
static size_t slices_bytes;
static _Thread_local volatile long slices_sum;

/* What the program does between two calls. */
static inline void slices_work(void) {
    long s = 0;
    if (!slices_memory)
        slices_memory = calloc(slices_bytes + 1, 1);
    for (size_t i = 0; i < slices_bytes; i += SLICES_LINE)
        s += slices_memory[i]++;
    slices_sum += s;
}

static inline double slices_cpu_ns(clockid_t clock) {
    struct timespec t;
    syscall(SYS_clock_gettime, clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int slices_by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints what one past the wrappers took, what one by the function took more, how uncertain that is, and how many of the latter there were. */
static void slices_compare(const slices_kind *kind, clockid_t clock, long n_pairs, long turns) {
    double *more = malloc(sizeof *more * (size_t)n_pairs), plain = 0;
    for (long k = 0; k < n_pairs; k++) {
        double took[2];
        for (int i = 0; i < 2; i++) {
            int way = i ^ (int)(k & 1);
            double begin = slices_cpu_ns(clock);
            kind->make(way, turns);
            took[way] = (slices_cpu_ns(clock) - begin) / (double)(turns * kind->calls);
        }
        more[k] = took[0] - took[1];
        plain += took[1];
    }
    qsort(more, (size_t)n_pairs, sizeof *more, slices_by_size);
    long low = n_pairs / 5, high = n_pairs - low;
    double mean = 0, winsorised = 0, squares = 0;
    for (long k = low; k < high; k++)
        mean += more[k] / (double)(high - low);
    for (long k = 0; k < n_pairs; k++) {
        double v = k < low ? more[low] : k >= high ? more[high - 1] : more[k];
        winsorised += v / (double)n_pairs;
        squares += v * v / (double)n_pairs;
    }
    double error = sqrt((squares - winsorised * winsorised) / (double)n_pairs) / 0.6; /* of a trimmed mean: Tukey and McLaughlin 1963 */
    printf("%.1f %.1f %.1f %ld\n", plain / (double)n_pairs, mean, 1.96 * error, n_pairs * turns * kind->calls);
    free(more);
}

/* PROGRAM WHAT PAIRS CALLS KB: so many of each way for each of PAIRS slices, after each of them work on KB of memory. PROGRAM alone: the names of what there is. */
static int slices_main(int argc, char **argv, const slices_kind *kinds, size_t n_kinds, clockid_t clock, bool (*prepare)(void)) {
    size_t kind = 0;
    if (argc == 1) {
        for (; kind < n_kinds; kind++)
            puts(kinds[kind].name);
        return 0;
    }
    while (argc == 5 && kind < n_kinds && strcmp(kinds[kind].name, argv[1]))
        kind++;
    if (argc != 5 || kind == n_kinds || !prepare()) {
        fprintf(stderr, "usage: %s WHAT PAIRS CALLS KB; without: what there is\n", argv[0]);
        return 2;
    }
    slices_bytes = (size_t)atol(argv[4]) * 1024;
    slices_compare(&kinds[kind], clock, atol(argv[2]), atol(argv[3]));
    return 0;
}

#endif
