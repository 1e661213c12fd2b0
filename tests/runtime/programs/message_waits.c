/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two ranks wait for each other, K times for D seconds each: late sender, late receiver, completion of a receive that was begun
 * before, barrier, and a broadcast whose root is late. Every wait has a message of its own kind and tag. Prints when each call was
 * begun and had ended, by CLOCK_MONOTONIC: "RANK KIND ROUND FROM TO", the kind the tag, 4 at the barrier, 5 at the broadcast. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { K = 6, LARGE = 1 << 20 };
static const double d = 0.05;
static char *data;
static int rank, round_now;
static long long read_at[6][K][2]; /* ns */

static void note(int kind, int end) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    read_at[kind][round_now][end] = t.tv_sec * 1000000000LL + t.tv_nsec;
}

static __attribute__((noinline)) void late(void) {
    struct timespec t = {0, (long)(d * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static __attribute__((noinline)) void late_sender(void) {
    if (rank == 0) {
        late();
        note(1, 0);
        MPI_Send(data, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    } else {
        note(1, 0);
        MPI_Recv(data, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    note(1, 1);
}

static __attribute__((noinline)) void late_receiver(void) {
    if (rank == 0) {
        note(2, 0);
        MPI_Ssend(data, LARGE, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    } else {
        late();
        note(2, 0);
        MPI_Recv(data, LARGE, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    note(2, 1);
}

static __attribute__((noinline)) void late_begun(void) {
    MPI_Request r;
    if (rank == 0) {
        late();
        note(3, 0);
        MPI_Send(data, 8, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    } else {
        note(3, 0);
        MPI_Irecv(data, 8, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    note(3, 1);
}

static __attribute__((noinline)) void late_at_barrier(void) {
    if (rank == 0)
        late();
    note(4, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    note(4, 1);
}

static __attribute__((noinline)) void late_root(void) {
    if (rank == 0)
        late();
    note(5, 0);
    MPI_Bcast(data, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    note(5, 1);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    data = calloc(LARGE, 1);
    for (round_now = 0; round_now < K; round_now++) {
        MPI_Barrier(MPI_COMM_WORLD);
        late_sender();
        MPI_Barrier(MPI_COMM_WORLD);
        late_receiver();
        MPI_Barrier(MPI_COMM_WORLD);
        late_begun();
        MPI_Barrier(MPI_COMM_WORLD);
        late_at_barrier();
        late_root();
    }
    for (int kind = 1; kind < 6; kind++)
        for (int i = 0; i < K; i++)
            printf("%d %d %d %lld %lld\n", rank, kind, i, read_at[kind][i][0], read_at[kind][i][1]);
    MPI_Finalize();
    free(data);
    return 0;
}
