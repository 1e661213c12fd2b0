/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two ranks exchange two arrays a step; the second one comes late, so that one call completes both and waits for one. */
#include <mpi.h>
#include <time.h>

#define N 2000

static double early[N], late[N];

static void rest(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 30; step++) {
        if (rank) {
            MPI_Send(early, N, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
            rest(30 + step % 3 * 20);
            MPI_Send(late, N, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        } else {
            MPI_Request request[2];
            MPI_Irecv(early, N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request[0]);
            MPI_Irecv(late, N, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &request[1]);
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        }
    }
    return MPI_Finalize();
}
