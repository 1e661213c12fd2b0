/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partitioned messages of MPI 4: rank 0 sends STARTS times PARTS x COUNT numbers to rank 1; the same by a persistent reduction. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STARTS = 3, PARTS = 4, COUNT = 10 };

int main(int argc, char **argv) {
    double data[PARTS * COUNT] = {0}, sum[2] = {0}, part[2] = {1, 2};
    int rank, flag = 0;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, PARTS, COUNT, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    else if (rank == 1)
        MPI_Precv_init(data, PARTS, COUNT, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    for (int i = 0; rank < 2 && i < STARTS; i++) {
        MPI_Start(&r);
        if (rank == 0) {
            for (int k = 0; k < PARTS * COUNT; k++)
                data[k] = 100 * i + k;
            MPI_Pready(0, r);
            MPI_Pready_range(1, PARTS - 2, r);
            MPI_Pready_list(1, (int[]){PARTS - 1}, r);
        } else {
            MPI_Parrived(r, 0, &flag);
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        if (rank == 1 && data[PARTS * COUNT - 1] != 100 * i + PARTS * COUNT - 1)
            printf("start %d: %g\n", i, data[PARTS * COUNT - 1]);
    }
    if (rank < 2)
        MPI_Request_free(&r);
    MPI_Allreduce_init(part, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    for (int i = 0; i < STARTS; i++) {
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
    if (rank == 0)
        printf("sum %g %g\n", sum[0], sum[1]);
    MPI_Finalize();
    return 0;
}
