/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a wrapped call of MPI costs: run it bare and with `heatscope run`, see mpi_bench.py. One process. Prints
 * nanoseconds of one call: medians of ROUNDS rounds of CALLS calls, short enough to fit between two interruptions. With
 * `multiple` as argument it asks for MPI_THREAD_MULTIPLE. With `cold` each call comes after the program has read SWEPT
 * bytes of its own, as in real programs, where neither code nor tables of ours are in a near cache. The entries of Fortran and mpi_f08 are called by their names,
 * where they are there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

enum { ROUNDS = 501, CALLS = 100 };
enum { SWEPT = 4 << 20 };
static char data[64], *swept; /* swept: NULL, or to be read before each call */
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

/* ---- of C: to nobody and to oneself, where MPI itself has next to nothing to do
 * -------------------------------------- */

static void send(void) {
    MPI_Send(data, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void recv(void) {
    MPI_Recv(data, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sendrecv(void) {
    MPI_Sendrecv(data, 8, MPI_BYTE, MPI_PROC_NULL, 1, data + 32, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void isend_wait(void) {
    MPI_Request r;
    MPI_Isend(data, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void irecv_test(void) {
    MPI_Request r;
    int flag;
    MPI_Irecv(data, 8, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r);
    MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
}

static void to_self(void) { /* three calls */
    MPI_Request r;
    MPI_Irecv(data, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &r);
    MPI_Send(data + 32, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void to_self_waitall(void) { /* five calls */
    MPI_Request r[4];
    for (int i = 0; i < 4; i++)
        if (i < 2)
            MPI_Irecv(data + 8 * i, 8, MPI_BYTE, 0, i, MPI_COMM_SELF, &r[i]);
        else
            MPI_Isend(data + 8 * i, 8, MPI_BYTE, 0, i - 2, MPI_COMM_SELF, &r[i]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static void iprobe(void) {
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void barrier(void) {
    MPI_Barrier(MPI_COMM_SELF);
}

static void bcast(void) {
    MPI_Bcast(data, 8, MPI_BYTE, 0, MPI_COMM_SELF);
}

static void allreduce(void) {
    MPI_Allreduce(data, data + 32, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

/* ---- of Fortran
 * ------------------------------------------------------------------------------------------------------- */

static MPI_Fint world, self, byte, number, sum, nobody = MPI_PROC_NULL, one = 1, eight = 8, error;
static MPI_Fint status[16], request[4];
static void (*f_send)(), (*f_recv)(), (*f_isend)(), (*f_wait)(), (*f_allreduce)(), (*f_barrier)();

static void fortran_send(void) {
    f_send(data, &eight, &byte, &nobody, &one, &world, &error);
}

static void fortran_recv(void) {
    f_recv(data, &eight, &byte, &nobody, &one, &world, status, &error);
}

static void fortran_isend_wait(void) {
    f_isend(data, &eight, &byte, &nobody, &one, &world, request, &error);
    f_wait(request, status, &error);
}

static void fortran_allreduce(void) {
    f_allreduce(data, data + 32, &one, &number, &sum, &self, &error);
}

static void fortran_barrier(void) {
    f_barrier(&self, &error);
}

static void *entry(const char *name, const char *tail) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "mpi_%s%s", name, tail);
    /* as the dynamic linker resolves a call: what is loaded before the library comes first, in whatever version */
    void *p = dlvsym(RTLD_DEFAULT, symbol, "HEATSCOPE");
    return p ? p : dlsym(RTLD_DEFAULT, symbol);
}

static int find(const char *tail) {
    *(void **)&f_send = entry("send", tail);
    *(void **)&f_recv = entry("recv", tail);
    *(void **)&f_isend = entry("isend", tail);
    *(void **)&f_wait = entry("wait", tail);
    *(void **)&f_allreduce = entry("allreduce", tail);
    *(void **)&f_barrier = entry("barrier", tail);
    return f_send && f_recv && f_isend && f_wait && f_allreduce && f_barrier;
}

/* ---- measuring
 * -------------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static __attribute__((noinline)) void deeper(int depth, void (*f)(void), int calls) {
    if (depth)
        deeper(depth - 1, f, calls);
    else
        for (int i = 0; i < calls; i++)
            f();
    __asm__ volatile("");
}

static void sweep(void) {
    uint64_t n = 0;
    for (int i = 0; i < SWEPT; i += 64)
        n += (uint64_t)swept[i];
    sink += n;
}

static void measure(const char *name, const char *tail, void (*f)(void), int calls, int depth) {
    double t[ROUNDS];
    int times = swept ? 1 : CALLS;
    for (int r = -1; r < ROUNDS; r++) {
        if (swept)
            sweep();
        double start = now_ns();
        deeper(depth, f, times);
        if (r >= 0)
            t[r] = (now_ns() - start) / times / calls;
    }
    qsort(t, ROUNDS, sizeof *t, by_value);
    printf("%s%s %.2f\n", name, tail, t[ROUNDS / 2]);
}

int main(int argc, char **argv) {
    static const char *const tails[] = {"_", "_f08_"};
    int level;
    if (argc > 1 && !strcmp(argv[1], "multiple"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(&argc, &argv);
    if (argc > 1 && !strcmp(argv[1], "cold")) {
        swept = malloc(SWEPT);
        memset(swept, 1, SWEPT);
    }
    measure("rdtsc", "", cycle_read, 1, 0);
    measure("clock_gettime", "", clock_read, 1, 0);
    measure("send", "", send, 1, 0);
    measure("send-depth-50", "", send, 1, 50);
    measure("recv", "", recv, 1, 0);
    measure("sendrecv", "", sendrecv, 1, 0);
    measure("isend-wait", "", isend_wait, 2, 0);
    measure("irecv-test", "", irecv_test, 2, 0);
    measure("irecv-send-wait-to-self", "", to_self, 3, 0);
    measure("isend-irecv-waitall-to-self", "", to_self_waitall, 5, 0);
    measure("iprobe", "", iprobe, 1, 0);
    measure("barrier", "", barrier, 1, 0);
    measure("bcast", "", bcast, 1, 0);
    measure("allreduce", "", allreduce, 1, 0);
    dlopen("libmpi_mpifh.so.40", RTLD_NOW | RTLD_GLOBAL);
    dlopen("libmpi_usempif08.so.40", RTLD_NOW | RTLD_GLOBAL);
    world = MPI_Comm_c2f(MPI_COMM_WORLD);
    self = MPI_Comm_c2f(MPI_COMM_SELF);
    byte = MPI_Type_c2f(MPI_BYTE);
    number = MPI_Type_c2f(MPI_DOUBLE);
    sum = MPI_Op_c2f(MPI_SUM);
    for (int i = 0; i < 2; i++) {
        if (!find(tails[i]))
            continue;
        measure("send", tails[i], fortran_send, 1, 0);
        measure("recv", tails[i], fortran_recv, 1, 0);
        measure("isend-wait", tails[i], fortran_isend_wait, 2, 0);
        measure("barrier", tails[i], fortran_barrier, 1, 0);
        measure("allreduce", tails[i], fortran_allreduce, 1, 0);
    }
    MPI_Finalize();
    return 0;
}
