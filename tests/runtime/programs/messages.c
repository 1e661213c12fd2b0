/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages of every kind, each a known number of times and of known size: tests/runtime/messages.py has the numbers. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define W MPI_COMM_WORLD

static int rank, ranks, next, prev;
static double a[4096], b[4096];
static int n[1000];

static __attribute__((noinline)) void pass_on(int tag) {
    MPI_Send(n, 10, MPI_INT, next, tag, W);
    MPI_Recv(n, 10, MPI_INT, prev, tag, W, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void from_here(void) {
    pass_on(30);
}

static __attribute__((noinline)) void from_there(void) {
    pass_on(31);
    pass_on(31);
}

static void blocking(void) {
    for (int i = 0; i < 100; i++)
        MPI_Sendrecv(a, 1024, MPI_DOUBLE, next, 1, b, 1024, MPI_DOUBLE, prev, 1, W, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; i++) {
        if (rank == 0)
            MPI_Ssend(n, 1000, MPI_INT, 1, 2, W);
        if (rank == 1)
            MPI_Recv(n, 1000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 5; i++) {
        MPI_Send(a, 100, MPI_DOUBLE, MPI_PROC_NULL, 3, W);
        MPI_Recv(b, 100, MPI_DOUBLE, MPI_PROC_NULL, 3, W, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv_replace(a, 64, MPI_DOUBLE, next, 4, prev, 4, W, MPI_STATUS_IGNORE);
    from_here();
    from_there();
    MPI_Status s;
    MPI_Message m;
    int room;
    MPI_Request r;
    MPI_Isend(n, 33, MPI_INT, next, 5, W, &r);
    MPI_Mprobe(MPI_ANY_SOURCE, 5, W, &m, &s);
    MPI_Get_count(&s, MPI_INT, &room);
    MPI_Mrecv(n, room + 50, MPI_INT, &m, MPI_STATUS_IGNORE); /* more room than comes */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Isend(n, 3, MPI_INT, next, 6, W, &r);
    MPI_Probe(prev, 6, W, MPI_STATUS_IGNORE);
    MPI_Recv(n, 100, MPI_INT, prev, 6, W, &s);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void not_blocking(void) {
    MPI_Request r[8];
    int i, done, flag, at[8];
    for (int k = 0; k < 7; k++) {
        MPI_Isend(a, 0, MPI_DOUBLE, next, 7, W, &r[0]);
        MPI_Irecv(b, 100, MPI_DOUBLE, prev, 7, W, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < 3; k++) {
        MPI_Isend(n, 16, MPI_INT, 0, 8, MPI_COMM_SELF, &r[0]);
        MPI_Recv(n + 100, 16, MPI_INT, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        for (flag = 0; !flag;)
            MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    }
    for (int k = 0; k < 4; k++) {
        MPI_Irecv(b + 10 * k, 10, MPI_DOUBLE, MPI_ANY_SOURCE, 9 + k, W, &r[k]);
        MPI_Isend(a, k + 1, MPI_DOUBLE, next, 9 + k, W, &r[4 + k]);
    }
    MPI_Waitany(8, r, &i, MPI_STATUS_IGNORE);
    for (done = 1; done < 8; done += i > 0 ? i : 0)
        MPI_Waitsome(8, r, &i, at, MPI_STATUSES_IGNORE);
    MPI_Irecv(b, 10, MPI_DOUBLE, prev, 20, W, &r[0]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

static void persistent(void) {
    MPI_Request r[2];
    MPI_Send_init(a, 128, MPI_DOUBLE, next, 21, W, &r[0]);
    MPI_Recv_init(b, 128, MPI_DOUBLE, prev, 21, W, &r[1]);
    for (int k = 0; k < 6; k++) {
        if (k % 2)
            MPI_Startall(2, r);
        else {
            MPI_Start(&r[1]);
            MPI_Start(&r[0]);
        }
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void types(void) {
    MPI_Datatype vector;
    MPI_Type_vector(10, 2, 5, MPI_DOUBLE, &vector); /* 160 bytes in a room of 376 */
    MPI_Type_commit(&vector);
    for (int k = 0; k < 4; k++)
        MPI_Sendrecv(a, 3, vector, next, 22, b, 3, vector, prev, 22, W, MPI_STATUS_IGNORE);
    MPI_Type_free(&vector);
    MPI_Type_contiguous(3, MPI_INT, &vector); /* perhaps the same handle again */
    MPI_Type_commit(&vector);
    MPI_Bsend(n, 0, vector, MPI_PROC_NULL, 1, W);
    MPI_Sendrecv(n, 5, vector, next, 23, n + 100, 5, vector, prev, 23, W, MPI_STATUS_IGNORE);
    MPI_Type_free(&vector);
}

static void collective(void) {
    int counts[64], places[64];
    MPI_Request r;
    MPI_Comm half;
    for (int i = 0; i < ranks; i++) {
        counts[i] = i + 1;
        places[i] = 10 * i;
    }
    MPI_Barrier(W);
    MPI_Bcast(a, 50, MPI_DOUBLE, 1, W);
    MPI_Reduce(a, b, 20, MPI_DOUBLE, MPI_SUM, 0, W);
    MPI_Allreduce(MPI_IN_PLACE, a, 30, MPI_DOUBLE, MPI_MAX, W);
    MPI_Gather(n, 4, MPI_INT, n + 100, 4, MPI_INT, 0, W);
    MPI_Gatherv(n, rank + 1, MPI_INT, n + 100, counts, places, MPI_INT, 0, W);
    MPI_Scatter(n, 4, MPI_INT, n + 100, 4, MPI_INT, 0, W);
    MPI_Scatterv(n, counts, places, MPI_INT, n + 100, rank + 1, MPI_INT, 0, W);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, n, 6, MPI_INT, W);
    MPI_Allgatherv(n, rank + 1, MPI_INT, n + 100, counts, places, MPI_INT, W);
    MPI_Alltoall(n, 2, MPI_INT, n + 100, 2, MPI_INT, W);
    for (int i = 0; i < ranks; i++)
        counts[i] = 3;
    MPI_Alltoallv(n, counts, places, MPI_INT, n + 100, counts, places, MPI_INT, W);
    MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, W);
    MPI_Reduce_scatter_block(a, b, 2, MPI_DOUBLE, MPI_SUM, W);
    MPI_Scan(a, b, 5, MPI_DOUBLE, MPI_SUM, W);
    MPI_Exscan(a, b, 5, MPI_DOUBLE, MPI_SUM, W);
    MPI_Iallreduce(a, b, 8, MPI_DOUBLE, MPI_SUM, W, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Ibarrier(W, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Comm_split(W, rank % 2, rank, &half);
    MPI_Bcast(a, 7, MPI_DOUBLE, 0, half);
    MPI_Sendrecv(n, 9, MPI_INT, rank / 2 ? 0 : 1, 24, n + 100, 9, MPI_INT, MPI_ANY_SOURCE, 24, half, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    int one = 1;
    MPI_Comm ring;
    MPI_Cart_create(W, 1, &ranks, &one, 0, &ring);
    MPI_Neighbor_alltoall(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, ring);
    MPI_Neighbor_allgather(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, ring);
    MPI_Comm_free(&ring);
}

static void one_sided(void) {
    MPI_Win w;
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, W, &w);
    MPI_Win_fence(0, w);
    MPI_Put(b, 10, MPI_DOUBLE, next, 0, 10, MPI_DOUBLE, w);
    MPI_Put(b, 10, MPI_DOUBLE, next, 20, 10, MPI_DOUBLE, w);
    MPI_Win_fence(0, w);
    MPI_Get(b, 15, MPI_DOUBLE, prev, 0, 15, MPI_DOUBLE, w);
    MPI_Win_fence(0, w);
    MPI_Accumulate(b, 5, MPI_DOUBLE, next, 0, 5, MPI_DOUBLE, MPI_SUM, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &ranks);
    next = (rank + 1) % ranks;
    prev = (rank + ranks - 1) % ranks;
    blocking();
    not_blocking();
    types();
    if (argc < 2 || strcmp(argv[1], "point-to-point")) {
        persistent();
        collective();
        one_sided();
    }
    MPI_Finalize();
    if (rank == 0)
        puts("done");
    return 0;
}
