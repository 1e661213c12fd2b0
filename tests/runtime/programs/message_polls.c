/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* message_polls CALL CALLS WORK: one rank asks CALLS times in vain for a message of its own, by MPI_Test, MPI_Testsome or MPI_Iprobe, with WORK rounds
 * of arithmetic between two calls, and then receives it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

volatile double sink;

int main(int argc, char **argv) {
    int there = 0, here = 0, some = 0, which = 0;
    long calls = argc > 3 ? atol(argv[2]) : 0, work = argc > 3 ? atol(argv[3]) : 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Irecv(&there, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    for (long i = 0; i < calls; i++) {
        if (!strcmp(argv[1], "MPI_Test"))
            MPI_Test(&request, &some, MPI_STATUS_IGNORE);
        else if (!strcmp(argv[1], "MPI_Testsome"))
            MPI_Testsome(1, &request, &some, &which, MPI_STATUSES_IGNORE);
        else
            MPI_Iprobe(0, 2, MPI_COMM_SELF, &some, MPI_STATUS_IGNORE);
        for (long k = 0; k < work; k++)
            sink = sink * 0.5 + 1;
    }
    MPI_Send(&here, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
