/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages in procedures that others call with their arrays: halo exchanges as programs have them. Each array has 200 messages of its own size. */
#include <mpi.h>
#include <stdlib.h>

static double temperature[20000], pressure[10000], ghost[6000];

__attribute__((noinline)) static void send_halo(const double *buf, int n, int to, int tag) {
    MPI_Send(buf, n, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void receive_halo(double *buf, int n, int from, int tag) {
    MPI_Recv(buf, n, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Hands on what it was handed, and does nothing else. */
__attribute__((noinline)) static void exchange(double *field, int n, int rank) {
    if (rank)
        receive_halo(field, n, 0, 1);
    else
        send_halo(field, n, 1, 1);
}

__attribute__((noinline)) static void begin(double *into, int n, int rank, MPI_Request *request) {
    if (rank)
        MPI_Irecv(into, n, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, request);
    else
        MPI_Isend(into, n, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, request);
}

__attribute__((noinline)) static void finish(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

int main(int argc, char **argv) {
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *heap = calloc(5000, sizeof *heap), *left = calloc(3000, sizeof *left), *right = calloc(3000, sizeof *right);
    for (int i = 0; i < 200; i++) {
        exchange(temperature, 20000, rank);
        exchange(pressure, 10000, rank);
        exchange(heap, 5000, rank);
        begin(ghost, 6000, rank, &request);
        finish(&request);
        exchange(i & 1 ? left : right, 3000, rank); /* which of both it is nothing tells */
    }
    MPI_Finalize();
    return 0;
}
