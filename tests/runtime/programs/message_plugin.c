/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loaded by dlopen, with MPI below it, as an interpreter loads its MPI module. */
#include <mpi.h>

int plugin_run(int *argc, char ***argv);

int plugin_run(int *argc, char ***argv) {
    int rank, ranks, n[100] = {0};
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 9; i++)
        MPI_Sendrecv_replace(n, 100, MPI_INT, (rank + 1) % ranks, 1, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    MPI_Finalize();
    return rank;
}
