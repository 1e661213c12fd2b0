/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages in procedures that others call with their arrays: halo exchanges as programs have them. Each array has 200 messages of its own size. */
#include <mpi.h>
#include <stdlib.h>

static double temperature[20000], pressure[10000], ghost[6000], known[7000];

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

/* Bytes of a structure's member, by way of a pointer to nothing in particular; sums in arrays of two, without a loop. */
struct halo {
    char *bytes;
};

__attribute__((noinline)) static void move(void *data, int n, int rank) {
    if (rank)
        MPI_Recv(data, n, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(data, n, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void move_halo(struct halo *h, int n, int rank) { move(h->bytes, n, rank); }

__attribute__((noinline)) static void add_up(double *from, double *to, int n) { MPI_Allreduce(from, to, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

__attribute__((noinline)) static void add_two(double *a, double *b) {
    double here[2], all[2];
    here[0] = *a;
    here[1] = *b;
    add_up(here, all, 2);
    *a = all[0];
    *b = all[1];
}

__attribute__((noinline)) static void begin(double *into, int n, int rank, MPI_Request *request) {
    if (rank)
        MPI_Irecv(into, n, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, request);
    else
        MPI_Isend(into, n, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, request);
}

__attribute__((noinline)) static void finish(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

/* Ends in a jump: its call has no line of its own, so all calls in the caller decide, those with what is not known among them. */
__attribute__((noinline)) static void relay(double *field, int n, int rank) { exchange(field, n, rank); }

int main(int argc, char **argv) {
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *heap = calloc(5000, sizeof *heap), *left = calloc(3000, sizeof *left), *right = calloc(3000, sizeof *right), one = 1, two = 2;
    struct halo halo = {calloc(1000, 1)};
    for (int i = 0; i < 200; i++) {
        exchange(temperature, 20000, rank);
        exchange(pressure, 10000, rank);
        exchange(heap, 5000, rank);
        begin(ghost, 6000, rank, &request);
        finish(&request);
        move_halo(&halo, 1000, rank);
        add_two(&one, &two);
        exchange(i & 1 ? left : right, 3000, rank); /* which of both it is nothing tells */
        relay(known, 7000, rank);
        relay(i & 1 ? left : right, 3000, rank);
    }
    MPI_Finalize();
    return 0;
}
