/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two ranks wait for each other, K times for D seconds each: late sender, late receiver, completion of a receive that was begun
 * before, barrier, and a broadcast whose root is late. Every wait has a message of its own kind and tag. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { K = 6, LARGE = 1 << 20 };
static const double d = 0.05;
static char *data;
static int rank;

static __attribute__((noinline)) void late(void) {
    struct timespec t = {0, (long)(d * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static __attribute__((noinline)) void late_sender(void) {
    if (rank == 0) {
        late();
        MPI_Send(data, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    } else
        MPI_Recv(data, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void late_receiver(void) {
    if (rank == 0)
        MPI_Ssend(data, LARGE, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    else {
        late();
        MPI_Recv(data, LARGE, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static __attribute__((noinline)) void late_begun(void) {
    MPI_Request r;
    if (rank == 0) {
        late();
        MPI_Send(data, 8, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(data, 8, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

static __attribute__((noinline)) void late_at_barrier(void) {
    if (rank == 0)
        late();
    MPI_Barrier(MPI_COMM_WORLD);
}

static __attribute__((noinline)) void late_root(void) {
    if (rank == 0)
        late();
    MPI_Bcast(data, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    data = calloc(LARGE, 1);
    for (int i = 0; i < K; i++) {
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
    MPI_Finalize();
    free(data);
    return 0;
}
