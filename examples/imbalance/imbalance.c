/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Deliberate load imbalance with known truth: of P ranks, rank r works r + 1 units a round, then all meet.
 *
 *     mpirun -n 4 ./imbalance [-r ROUNDS] [-u UNIT] [-s]
 *
 * A unit is UNIT million steps of arithmetic in `work` in which each step waits for the one before, so that it costs
 * the same on each rank and no compiler can shorten it. Of all CPU time in `work`, rank r has the share
 * 2 (r + 1) / (P (P + 1)): on 4 ranks 10, 20, 30 and 40 %, and the largest is 2P / (P + 1) times the mean (1.6).
 * Rank r waits P - 1 - r units a round at the barrier.
 *
 * With -s a unit is a sleep of UNIT milliseconds instead: no CPU time, and waits that hold for more ranks than
 * processors. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static uint64_t work(uint64_t x, long steps) {
    for (long i = 0; i < steps; i++)
        x = (x ^ x >> 29) * 6364136223846793005u;
    return x;
}

static void rest(long unit_ms) {
    struct timespec left = {.tv_sec = unit_ms / 1000, .tv_nsec = unit_ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0)
        ;
}

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    int rank, ranks, option;
    long rounds = 20, unit = 10;
    bool asleep = false;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while ((option = getopt(argc, argv, "r:u:s")) != -1)
        switch (option) {
        case 'r': rounds = atol(optarg); break;
        case 'u': unit = atol(optarg); break;
        case 's': asleep = true; break;
        default: rounds = 0;
        }
    if (rounds < 1 || unit < 1 || unit > 1000000) {
        if (rank == 0)
            fprintf(stderr, "usage: imbalance [-r ROUNDS] [-u UNIT] [-s]   with ROUNDS, UNIT > 0\n");
        MPI_Finalize();
        return rank == 0 ? 2 : 0;
    }

    uint64_t x = (uint64_t)rank;
    double worked = 0, waited = 0;
    for (long round = 0; round < rounds; round++) {
        const double begin = cpu_s();
        for (int i = 0; i <= rank; i++) {
            if (asleep)
                rest(unit);
            else
                x = work(x, unit * 1000000);
        }
        worked += cpu_s() - begin;
        const double arrived = MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
        waited += MPI_Wtime() - arrived;
    }

    double mine[2] = {worked, waited}, *all = malloc(2 * sizeof *all * (size_t)ranks), sum = 0;
    uint64_t check = 0;
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Reduce(&x, &check, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int r = 0; r < ranks; r++)
            sum += all[2 * r];
        printf("rank  work CPU s  share %%  expected %%  waited s  expected units\n");
        for (int r = 0; r < ranks; r++)
            printf("%4d  %10.3f  %7.2f  %10.2f  %8.3f  %14ld\n", r, all[2 * r], asleep ? 0 : 100 * all[2 * r] / sum,
                   asleep ? 0 : 200.0 * (r + 1) / ((double)ranks * (ranks + 1)), all[2 * r + 1],
                   rounds * (ranks - 1 - r));
        printf("check %016llx\n", (unsigned long long)check);
    }
    free(all);
    MPI_Finalize();
    return 0;
}
