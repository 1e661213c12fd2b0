/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two ranks exchange two arrays a step; the second one comes late, so that one call completes both and waits for one. The first is filled beside its
 * call, the second by another procedure; a third in a loop
 * that is too short for a sample. */
#include <mpi.h>
#include <time.h>

#define N 40000

static double early[N], late[N], few[8];

#define ONCE(x) (1 / (1.1 + (x)))
#define LONG(x) ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(ONCE(x))))))))))))))))

static void rest(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

__attribute__((noinline)) static void fill(double *out, int step) {
    for (int i = 0; i < N; i++)
        out[i] = LONG(LONG(i + step));
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 30; step++) {
        if (rank) {
            for (int i = 0; i < N; i++)
                early[i] = LONG(LONG(i - step));
            MPI_Send(early, N, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
            fill(late, step);
            rest(30 + step % 3 * 20);
            MPI_Send(late, N, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
            for (int i = 0; i < 8; i++)
                few[i] = step * i;
            MPI_Send(few, 8, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
        } else {
            MPI_Request request[2];
            MPI_Irecv(early, N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request[0]);
            MPI_Irecv(late, N, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &request[1]);
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
            MPI_Recv(few, 8, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    return MPI_Finalize();
}
