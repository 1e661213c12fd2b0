/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MPI and OpenMP: thread 1 of rank 0 works in a loop, thread 0 waits for it at a barrier of the team, and rank 1 waits for rank 0 at one of
 * the ranks. The late thread begins its work when the other one sleeps (OMP_WAIT_POLICY=passive). Rank 0 prints what the programs' clocks say of both waits,
 * of the threads' from when it sleeps, until the late one came and until the other one went on:
 *
 *   threads SECONDS SECONDS
 *   ranks SECONDS SECONDS
 */
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>

#include "asleep.h"

enum { ROUNDS = 10 };
static const double late_s = 0.1; /* long against what the runtimes do at a barrier, also where many want the processor */
static _Atomic int sleeper; /* the thread 0 of a team, about to wait; 0: not yet */
static double came[2], asleep_at, left, entered[ROUNDS], went[ROUNDS], others[ROUNDS], others_went[ROUNDS];
static volatile double sink;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static __attribute__((noinline)) void work(double s) {
    double end = seconds() + s;
    while (seconds() < end)
        for (int i = 0; i < 20000; i++)
            sink += 1;
}

static __attribute__((noinline)) void team(int rank) {
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        if (!rank && me) {
            while (!sleeper || !asleep(sleeper))
                sched_yield();
            asleep_at = seconds();
            work(late_s);
        }
        came[me] = seconds();
        if (!me)
            sleeper = (int)syscall(SYS_gettid);
#pragma omp barrier
        if (!me)
            left = seconds();
    }
    sleeper = 0;
}

int main(int argc, char **argv) {
    int rank, level;
    double threads[2] = {0, 0}, ranks[2] = {0, 0};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < ROUNDS; k++) {
        team(rank);
        threads[0] += rank ? 0 : came[1] - asleep_at;
        threads[1] += left - came[0];
        entered[k] = seconds();
        MPI_Barrier(MPI_COMM_WORLD); /* of the ranks */
        went[k] = seconds();
    }
    if (rank) {
        MPI_Send(entered, ROUNDS, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        MPI_Send(went, ROUNDS, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(others, ROUNDS, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(others_went, ROUNDS, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < ROUNDS; k++) {
            ranks[0] += entered[k] > others[k] ? entered[k] - others[k] : 0;
            ranks[1] += others_went[k] - others[k];
        }
        printf("threads %.6f %.6f\nranks %.6f %.6f\n", threads[0], threads[1], ranks[0], ranks[1]);
    }
    MPI_Finalize();
    return 0;
}
