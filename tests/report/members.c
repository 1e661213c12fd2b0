/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages of members of a structure, that procedures have by several names: the first that is met sends nothing. */
#include <mpi.h>
#include <stdlib.h>

struct field {
    int n;
    double *boundary_values_that_are_sent, *boundary_values_that_are_received;
};

__attribute__((noinline)) static void fill(struct field *first, int step) {
    for (int i = 0; i < first->n; i++)
        first->boundary_values_that_are_sent[i] = first->boundary_values_that_are_received[i] + step;
}

__attribute__((noinline)) static void exchange(struct field *with_neighbours, int rank) {
    MPI_Sendrecv(with_neighbours->boundary_values_that_are_sent, with_neighbours->n, MPI_DOUBLE, !rank, 0, with_neighbours->boundary_values_that_are_received,
                 with_neighbours->n, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct field f = {5000, calloc(5000, sizeof(double)), calloc(5000, sizeof(double))};
    for (int i = 0; i < 200; i++) {
        fill(&f, i);
        exchange(&f, rank);
    }
    MPI_Finalize();
    return f.boundary_values_that_are_received[0] < 0;
}
