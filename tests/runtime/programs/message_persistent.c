/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What MPI 4 makes once and starts often: rank 0 is late by a loop of its own, K times each, and rank 1 waits. Rank 1 prints how long, by the clock that both read:
 *
 *   WAY 1 SECONDS
 *
 * partitions  0 starts a message of partitions, and works in loop A before each of them is ready; 1 waits in MPI_Wait
 * looks       the same with loop B; 1 looks for each partition by MPI_Parrived until it is there
 * root        0 works in loop C before it starts a broadcast of its own
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { K = 10, PARTITIONS = 4, SIZE = 1000, WAYS = 3 };
static const char *const names[WAYS] = {"partitions", "looks", "root"};
static double came[WAYS][K], entered[WAYS][K]; /* of who is late: when it came at last */
static char data[PARTITIONS * SIZE];
static int rank;
static volatile uint64_t unit = 1000000, result;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `odd`: so that no two are the same to the compiler */
#define WORK(name, odd)                                      \
    static __attribute__((noinline)) void name(int n) {      \
        uint64_t x = result, end = unit * (uint64_t)n;       \
        for (uint64_t i = 0; i < end; i++)                   \
            x = (x ^ x >> 29) * 6364136223846793005u + (odd); \
        result = x;                                          \
    }
WORK(loop_a, 1)
WORK(loop_b, 3)
WORK(loop_c, 5)

static void look(MPI_Request r) {
    for (int i = 0, there = 0; i < PARTITIONS; i++, there = 0)
        while (!there)
            MPI_Parrived(r, i, &there);
}

static void run(int k, MPI_Request message, MPI_Request broadcast) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&message);
    entered[0][k] = now();
    for (int i = 0; rank == 0 && i < PARTITIONS; i++) {
        loop_a(4);
        came[0][k] = now();
        MPI_Pready(i, message); /* partitions */
    }
    MPI_Wait(&message, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&message);
    entered[1][k] = now();
    for (int i = 0; rank == 0 && i < PARTITIONS; i++) {
        loop_b(4);
        came[1][k] = now();
        MPI_Pready(i, message); /* looks */
    }
    if (rank == 1)
        look(message);
    MPI_Wait(&message, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        loop_c(16);
    entered[2][k] = came[2][k] = now();
    MPI_Start(&broadcast); /* root */
    MPI_Wait(&broadcast, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        unit = strtoull(argv[1], NULL, 10);
    MPI_Request message, broadcast;
    if (rank == 0)
        MPI_Psend_init(data, PARTITIONS, SIZE, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &message);
    else
        MPI_Precv_init(data, PARTITIONS, SIZE, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &message);
    MPI_Bcast_init(data, SIZE, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &broadcast);
    for (int k = 0; k < K; k++)
        run(k, message, broadcast);
    MPI_Request_free(&message);
    MPI_Request_free(&broadcast);
    MPI_Bcast(came, WAYS * K, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int way = 0; rank == 1 && way < WAYS; way++) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += came[way][k] > entered[way][k] ? came[way][k] - entered[way][k] : 0;
        printf("%s 1 %.6f\n", names[way], sum);
    }
    MPI_Finalize();
    return 0;
}
