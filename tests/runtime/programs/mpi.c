/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranks that work 1:2:3:4 and meet in a barrier. */
#include <mpi.h>
#include <stdio.h>

volatile double sink;

__attribute__((noinline)) void work(long n) {
    double x = 1;
    for (long i = 0; i < n; i++)
        x = x * 1.0000001 + i;
    sink = x;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        work((rank + 1) * 4000000L);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
