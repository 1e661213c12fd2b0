/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* message_jumps: an error handler of the program's leaves calls of MPI that fail by longjmp, from several depths. After each series of that the rank computes for 0.2 s of CPU
 * time: right below main; deeper in the stack than the calls that were left; and there once more after CALLS calls of MPI that are in order. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <time.h>

enum { JUMPS = 50, CALLS = 20, NOBODY = 12345 };
static jmp_buf back;
static volatile int jumps;
static int rank;
volatile double sink;

static void on_error(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    (void)code;
    jumps++;
    longjmp(back, 1);
}

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void compute(void) {
    for (double end = cpu() + 0.2; cpu() < end;)
        for (int i = 0; i < 20000; i++)
            sink = sink * 1.0000001 + i;
}

__attribute__((noinline)) static void calls(void) {
    double x = 1, y = 0;
    for (int i = 0; i < CALLS; i++)
        MPI_Sendrecv(&x, 1, MPI_DOUBLE, rank, 1, &y, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sink += y;
}

__attribute__((noinline)) static void fail(void) {
    double x = 1;
    MPI_Send(&x, 1, MPI_DOUBLE, NOBODY, 1, MPI_COMM_WORLD);
    sink += x;
}

__attribute__((noinline)) static void deeper(int depth, void (*then)(void)) {
    volatile char room[400];
    for (unsigned i = 0; i < sizeof room; i += 8)
        room[i] = (char)depth;
    if (depth)
        deeper(depth - 1, then);
    else
        then();
    sink += room[8];
}

static void leave_calls(void) {
    for (volatile int i = 0; i < JUMPS; i++)
        if (!setjmp(back))
            deeper(i % 5, fail);
}

int main(int argc, char **argv) {
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    leave_calls();
    compute();
    leave_calls();
    deeper(20, compute);
    leave_calls();
    deeper(20, calls);
    deeper(20, compute);
    if (rank == 0)
        printf("%d\n", jumps);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
