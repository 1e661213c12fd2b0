/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tails: of two ranks; calls of MPI at the ends of procedures, which compilers make jumps. */
#include <mpi.h>
#include <time.h>

#define APART __attribute__((noinline))
enum { N = 512, ROUNDS = 10, OTHERS = 50 };

static double given[N], shared[N], summed[N], sums[N], begun[N], taken[N];
static MPI_Request requests[2];
static volatile int sink;

static void late(int is) {
    if (is)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
}

static APART int gives(int to) {
    given[to] += 1;
    return MPI_Send(given, N, MPI_DOUBLE, to, 1, MPI_COMM_WORLD); /* gives */
}

static APART int finishes(void) {
    sink++;
    return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* finishes */
}

static APART int either(int of_all) {
    sink++; /* either */
    return of_all ? MPI_Bcast(shared, N, MPI_DOUBLE, 0, MPI_COMM_WORLD) /* shares */
                  : MPI_Barrier(MPI_COMM_WORLD); /* meets */
}

static APART int inner(int n) {
    sink += n;
    return MPI_Allreduce(summed, sums, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* inner */
}

static APART int outer(int n) {
    sink += n;
    return inner(n / 2 + N / 2);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ROUNDS; i++) {
        late(!rank);
        if (!rank)
            sink += gives(1);
        else
            MPI_Recv(given, N, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(taken, N, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, &requests[0]);
        late(rank);
        MPI_Isend(begun, N, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, &requests[1]);
        sink += finishes();
        late(!rank);
        sink += either(0);
        sink += either(1);
        late(rank);
        sink += outer(N);
    }
    for (int i = 0; i < OTHERS; i++)
        sink += either(i % 2); /* two operations by one call */
    MPI_Finalize();
    return 0;
}
