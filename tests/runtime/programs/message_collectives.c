/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collective operations with different counts for each partner, some in place: `message_collectives NAME` does that one R times, R being
 * the number below, so that what Open MPI's monitoring has counted at the end is of that operation alone. Prints nothing. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { R = 3, MOST = 64 };
static int rank, ranks, out[MOST], in[MOST], out_at[MOST], in_at[MOST], bytes_at[MOST];
static double *a, *b;
static MPI_Datatype types[MOST];

/* from i to k: so many elements */
static int amount(int i, int k) {
    return 1 + (3 * i + 5 * k + i * k) % 11;
}

static void fill(int symmetric) {
    for (int i = 0, x = 0, y = 0; i < ranks; i++) {
        out[i] = symmetric ? amount(i < rank ? i : rank, i < rank ? rank : i) : amount(rank, i);
        in[i] = symmetric ? out[i] : amount(i, rank);
        out_at[i] = x;
        in_at[i] = y;
        bytes_at[i] = 8 * x;
        x += out[i];
        y += in[i];
        types[i] = MPI_DOUBLE;
    }
}

static int runs(const char *wanted, const char *name) {
    return !strcmp(wanted, name) ? R : 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MOST)
        MPI_Abort(MPI_COMM_WORLD, 1);
    a = calloc(12 * MOST, 8);
    b = calloc(12 * MOST, 8);
    fill(0);
    for (int r = runs(what, "alltoallv"); r; r--)
        MPI_Alltoallv(a, out, out_at, MPI_DOUBLE, b, in, in_at, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = runs(what, "gatherv"); r; r--) { /* to 1, from i its amount(i, 1) */
        fill(0);
        MPI_Gatherv(a, out[1], MPI_DOUBLE, b, in, in_at, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    }
    for (int r = runs(what, "scatterv"); r; r--)
        MPI_Scatterv(a, out, out_at, MPI_DOUBLE, b, amount(1, rank), MPI_DOUBLE, 1, MPI_COMM_WORLD);
    for (int i = 0, x = 0; i < ranks; i++) { /* what everybody gives everybody */
        in[i] = amount(i, i);
        in_at[i] = x;
        x += in[i];
    }
    for (int r = runs(what, "allgatherv"); r; r--)
        MPI_Allgatherv(a, in[rank], MPI_DOUBLE, b, in, in_at, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = runs(what, "allgatherv-in-place"); r; r--)
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, in, in_at, MPI_DOUBLE, MPI_COMM_WORLD);
    fill(1);
    for (int r = runs(what, "alltoallv-in-place"); r; r--)
        MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, b, in, in_at, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = runs(what, "alltoallw"); r; r--)
        MPI_Alltoallw(a, out, bytes_at, types, b, in, bytes_at, types, MPI_COMM_WORLD);
    MPI_Comm ring;
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, one = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &one, 1, &right, &one, MPI_INFO_NULL, 0, &ring);
    fill(0);
    for (int r = runs(what, "neighbor_alltoallv"); r; r--)
        MPI_Neighbor_alltoallv(a, &out[right], out_at, MPI_DOUBLE, b, &in[left], in_at, MPI_DOUBLE, ring);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    free(a);
    free(b);
    return 0;
}
