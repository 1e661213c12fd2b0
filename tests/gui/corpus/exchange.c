/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two ranks that give each other an array, round by round; the first comes late to each, so that the other waits for it. */
#include <mpi.h>
#include <time.h>

enum { N = 1 << 16, ROUNDS = 20, TIMES = 40 };
static double field[N], halo[N];

__attribute__((noinline)) static void smooth(void) {
    for (int t = 0; t < TIMES; t++)
        for (int i = 1; i < N; i++)
            field[i] = 0.5 * field[i - 1] + halo[i]; /* SMOOTH */
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        if (!rank) {
            smooth();
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
            MPI_Send(field, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* SEND */
        } else {
            MPI_Recv(halo, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* RECEIVE */
            smooth();
        }
    }
    MPI_Finalize();
    return 0;
}
