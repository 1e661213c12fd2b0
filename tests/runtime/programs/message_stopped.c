/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two ranks exchange words while measuring is on, more of them while it is off, and again. */
#include <heatscope.h>
#include <mpi.h>

enum { ON = 50, OFF = 500 };

static void exchange(int rank, int n) {
    int sent = rank, received;
    for (int i = 0; i < n; i++)
        MPI_Sendrecv(&sent, 1, MPI_INT, !rank, 0, &received, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(rank, ON);
    heatscope_stop();
    exchange(rank, OFF);
    heatscope_start();
    exchange(rank, ON);
    MPI_Finalize();
    return 0;
}
