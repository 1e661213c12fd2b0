/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* message_short ROUNDS: rank 1 comes late to each of many short calls, by some 20 us: to a receive of BYTES, to the completion of one that was begun before, to that of two
 * whose numbers are not in step, and to a sum. Where the machine is so busy that it takes more than LONGEST_S it ends after fewer rounds.
 * Of each kind rank 0 prints "procedure least most all", in seconds of CPU time: in all the calls, and between what it is of that before the other one came to its
 * call, by the clock, which is the other one's too (where rank 0 had no processor for a while it is not known when). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clocks.h"

#define KEEP __attribute__((noinline))
enum { BYTES = 1 << 16, KINDS = 4, LONGEST_S = 100 };

static char bytes[BYTES];
static double least[KINDS], most[KINDS], all[KINDS];

static volatile int sink;

KEEP static void receives(void) {
    sink += MPI_Recv(bytes, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

KEEP static void completes(MPI_Request *r) {
    sink += MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
}

KEEP static void exchanges(MPI_Request *r) {
    sink += MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

KEEP static void sums(void) {
    double here = 1, there;
    sink += MPI_Allreduce(&here, &there, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank;
    long rounds = argc > 1 ? atol(argv[1]) : 1000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) /* from now on messages with tag 4 are one ahead of those with 3 */
        MPI_Send(bytes, 1, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
    else
        MPI_Recv(bytes, 1, MPI_CHAR, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double until_s = now() + LONGEST_S;
    for (long i = 0; i < rounds; i++) {
        int ends = now() > until_s;
        MPI_Bcast(&ends, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (ends)
            break;
        double begin[KINDS], end[KINDS], came[KINDS] = {0}, cpu[KINDS];
        for (int k = 0; k < KINDS; k++) {
            MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
            if (!rank && k == 1)
                MPI_Irecv(bytes, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, r);
            for (int x = 0; !rank && k == 2 && x < 2; x++)
                MPI_Irecv(bytes + x * BYTES / 2, BYTES / 2, MPI_CHAR, 1, 3 + x, MPI_COMM_WORLD, r + x);
            MPI_Barrier(MPI_COMM_WORLD);
            work(rank ? 15 + (double)(i % 13) : 1);
            cpu[k] = read_clock(CLOCK_THREAD_CPUTIME_ID);
            begin[k] = now();
            if (rank && k < 2)
                MPI_Send(bytes, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
            else if (rank && k == 2)
                for (int x = 0; x < 2; x++) { /* waited for until the second one */
                    begin[k] = now();
                    MPI_Send(bytes, BYTES / 2, MPI_CHAR, 0, 3 + x, MPI_COMM_WORLD);
                }
            else if (!k)
                receives();
            else if (k == 1)
                completes(r);
            else if (k == 2)
                exchanges(r);
            else
                sums();
            end[k] = now();
            cpu[k] = read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu[k];
        }
        if (rank)
            MPI_Send(begin, KINDS, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        else
            MPI_Recv(came, KINDS, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < KINDS && !rank; k++) {
            double until = came[k] < end[k] ? came[k] : end[k];
            until = until > begin[k] ? until : begin[k];
            least[k] += cpu[k] > end[k] - until ? cpu[k] - (end[k] - until) : 0;
            most[k] += cpu[k] < until - begin[k] ? cpu[k] : until - begin[k];
            all[k] += cpu[k];
        }
    }
    static const char *const names[KINDS] = {"receives", "completes", "exchanges", "sums"};
    for (int k = 0; k < KINDS && !rank; k++)
        printf("%s %.6f %.6f %.6f\n", names[k], least[k], most[k], all[k]);
    return MPI_Finalize();
}
