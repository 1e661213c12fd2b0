/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MPI_THREAD_MULTIPLE: three threads of each of two processes exchange messages at the same time, each on a communicator of its own, by blocking calls
 * and by requests. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 3
#define TIMES 100 /* each exchange is a turn of both processes, whose waits poll: minutes on a busy machine */

static MPI_Comm comms[THREADS];
static int rank;

static void *exchange(void *argument) {
    int i = (int)(long)argument, count = 10 * (i + 1), peer = 1 - rank; /* NOLINT */
    double out[40] = {0}, in[40];
    for (int k = 0; k < TIMES; k++) {
        MPI_Request requests[2];
        MPI_Sendrecv(out, count, MPI_DOUBLE, peer, 1, in, count, MPI_DOUBLE, peer, 1, comms[i], MPI_STATUS_IGNORE);
        MPI_Irecv(in, count, MPI_DOUBLE, peer, 2, comms[i], &requests[0]);
        MPI_Isend(out, count, MPI_DOUBLE, peer, 2, comms[i], &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int level;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    if (level == MPI_THREAD_MULTIPLE) {
        for (long i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, exchange, (void *)i); /* NOLINT */
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return level == MPI_THREAD_MULTIPLE ? 0 : 4;
}
