/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* message_short_windows ROUNDS: as message_short.c, of one-sided operations: rank 1 comes some 20 us late to a fence, to the post that an access
 * waits for and to the end of its own access, and holds a lock for as long; and to the end of one beside that of rank 0 itself, whose numbers are one ahead. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clocks.h"

#define KEEP __attribute__((noinline))
enum { KINDS = 5 };

static double least[KINDS], most[KINDS], all[KINDS];
static int word[4];
static MPI_Win window;
static MPI_Group other, self, both;
static volatile int sink;

KEEP static void fences(void) {
    sink += MPI_Win_fence(0, window);
}

KEEP static void accesses(void) {
    sink += MPI_Win_start(other, 0, window); sink += MPI_Win_complete(window);
}

KEEP static void exposed(void) {
    sink += MPI_Win_wait(window);
}

KEEP static void exposed_to_both(void) {
    sink -= MPI_Win_wait(window); /* not the same code as above */
}

KEEP static void locks(void) {
    sink += MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
}

int main(int argc, char **argv) {
    int rank;
    long rounds = argc > 1 ? atol(argv[1]) : 1000;
    MPI_Group everyone;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &everyone);
    MPI_Group_incl(everyone, 1, (int[]){!rank}, &other);
    MPI_Win_create(word, sizeof word, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Group_incl(everyone, 1, (int[]){0}, &self);
    MPI_Group_incl(everyone, 2, (int[]){0, 1}, &both);
    if (!rank) {
        MPI_Win_post(self, 0, window);
        MPI_Win_start(self, 0, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    }
    for (long i = 0; i < rounds; i++) {
        double begin[KINDS], end[KINDS], came[KINDS] = {0}, cpu[KINDS];
        for (int k = 0; k < KINDS; k++) {
            if (k == 2 && !rank)
                MPI_Win_post(other, 0, window);
            if (k == 2 && rank)
                MPI_Win_start(other, 0, window);
            if (k == 3 && rank)
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
            if (k == 4 && !rank)
                MPI_Win_post(both, 0, window);
            if (k == 4)
                MPI_Win_start(self, 0, window);
            if (k == 4 && !rank)
                MPI_Win_complete(window);
            MPI_Barrier(MPI_COMM_WORLD);
            work(rank ? 15 + (double)(i % 13) : 1);
            cpu[k] = read_clock(CLOCK_THREAD_CPUTIME_ID);
            begin[k] = now();
            if (!k)
                fences();
            else if (k == 1 && rank)
                MPI_Win_post(other, 0, window);
            else if (k == 1)
                accesses();
            else if ((k == 2 || k == 4) && rank)
                MPI_Win_complete(window);
            else if (k == 4)
                exposed_to_both();
            else if (k == 2)
                exposed();
            else if (rank)
                MPI_Win_unlock(0, window);
            else
                locks();
            end[k] = now();
            cpu[k] = read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu[k];
            if (k == 1 && rank)
                MPI_Win_wait(window);
            if (k == 3 && !rank)
                MPI_Win_unlock(0, window);
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
    static const char *const names[KINDS] = {"fences", "accesses", "exposed", "locks", "exposed_to_both"};
    for (int k = 0; k < KINDS && !rank; k++)
        printf("%s %.6f %.6f %.6f\n", names[k], least[k], most[k], all[k]);
    MPI_Win_free(&window);
    return MPI_Finalize();
}
