/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a wrapped call of MPI costs: run it bare and with `heatscope run`, see mpi_bench.py. One process. Prints nanoseconds of
 * one call: medians of ROUNDS rounds
 * of CALLS calls, short enough to fit between two interruptions. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

enum { ROUNDS = 1501, CALLS = 100 };
static char data[64];
static volatile uint64_t sink;

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void clock_read(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    sink += (uint64_t)t.tv_nsec;
}

static void cycle_read(void) {
    sink += __rdtsc();
}

static void send_to_nobody(void) {
    MPI_Send(data, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void send_to_self(void) { /* three calls */
    MPI_Request r;
    MPI_Irecv(data, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &r);
    MPI_Send(data + 32, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void look(void) {
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void barrier_alone(void) {
    MPI_Barrier(MPI_COMM_SELF);
}

static int by_value(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static __attribute__((noinline)) void deeper(int depth, void (*f)(void)) {
    if (depth)
        deeper(depth - 1, f);
    else
        for (int i = 0; i < CALLS; i++)
            f();
    __asm__ volatile("");
}

static void measure(const char *name, void (*f)(void), int calls, int depth) {
    double t[ROUNDS];
    for (int r = -1; r < ROUNDS; r++) {
        double start = now_ns();
        deeper(depth, f);
        if (r >= 0)
            t[r] = (now_ns() - start) / CALLS / calls;
    }
    qsort(t, ROUNDS, sizeof *t, by_value);
    printf("%s %.2f\n", name, t[ROUNDS / 2]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    measure("rdtsc", cycle_read, 1, 0);
    measure("clock_gettime", clock_read, 1, 0);
    measure("send-to-nobody", send_to_nobody, 1, 0);
    measure("send-to-nobody-depth-50", send_to_nobody, 1, 50);
    measure("irecv-send-wait-to-self", send_to_self, 3, 0);
    measure("iprobe", look, 1, 0);
    measure("barrier-alone", barrier_alone, 1, 0);
    MPI_Finalize();
    return 0;
}
