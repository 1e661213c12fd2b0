/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranks that wait for each other in known ways, K times each; the first three ranks take part. Rank 0 prints for each way how long
 * it was waited, by the clock that the programs read themselves right before and after the calls:
 *
 *   WAY VICTIM SECONDS
 *
 * late-sender     0 works in loop A, then sends to 1
 * sleeping        0 sleeps, then sends to 1, both in one line
 * late-receiver   1 works in loop B, then receives what 0 sends synchronously
 * barrier         rank r works r + 1 units in loop C: 2 is the last
 * root            0 works in loop D, then broadcasts
 * members         1 works in loop E before a gather to 0
 * chain           0 works in loop F; 1 waits for 0, then 2 waits for 1: all of it is 0's doing
 * chain-indirect  how long 1 and 2 waited both
 * stopped         a child stops 0 (SIGSTOP) for 40 ms, then it sends to 1
 * progress        1 begins to receive, works in loop G and then tests; 0 began to send and waits for that: the message is so large that it can't end
 *                 before 1 lets the library go on
 * made            2 works in loop H before a communicator is made with all
 */
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { K = 10, LARGE = 1 << 20, WAYS = 10, SUMS = 11, RANKS = 3 };
static const char *const names[SUMS] = {"late-sender", "sleeping", "late-receiver", "barrier",
                                          "root",        "members",  "chain",         "chain-indirect", "stopped", "progress", "made"};
static double entered[WAYS][K], left[WAYS][K];
static char *data, *all;
static int rank;
static volatile uint64_t unit = 1000000, result;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `odd`: so that no two are the same to the compiler */
#define WORK(name, odd)                                                                  \
    static __attribute__((noinline)) void name(int n) {                                  \
        uint64_t x = result, end = unit * (uint64_t)n;                                   \
        for (uint64_t i = 0; i < end; i++)                                               \
            x = (x ^ x >> 29) * 6364136223846793005u + (odd);                             \
        result = x;                                                                      \
    }
WORK(loop_a, 1)
WORK(loop_b, 3)
WORK(loop_c, 5)
WORK(loop_d, 7)
WORK(loop_e, 9)
WORK(loop_f, 11)
WORK(loop_g, 13)
WORK(loop_h, 15)

#define TIMED(way, k, call)       \
    do {                          \
        entered[way][k] = now();  \
        call;                     \
        left[way][k] = now();     \
    } while (0)

/* ---- a child that stops its parent when asked to ---- */

enum { RUN, STOP, QUIT };
static _Atomic int *wish;
static pid_t child;

static void start_stopper(void) {
    wish = mmap(NULL, sizeof *wish, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t parent = getpid();
    if (wish == MAP_FAILED || (child = fork()) != 0)
        return;
    struct timespec look = {0, 1000000}, stopped = {0, 40000000};
    while (atomic_load(wish) != QUIT && getppid() == parent) {
        if (atomic_load(wish) == STOP) {
            kill(parent, SIGSTOP);
            clock_nanosleep(CLOCK_MONOTONIC, 0, &stopped, NULL);
            atomic_store(wish, RUN);
            kill(parent, SIGCONT);
        }
        clock_nanosleep(CLOCK_MONOTONIC, 0, &look, NULL);
    }
    _exit(0);
}

static __attribute__((noinline)) void be_stopped(void) {
    atomic_store(wish, STOP);
    while (atomic_load(wish) == STOP)
        result = result * 3 + 1;
}

static void all_together(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run(int k) {
    MPI_Status s;
    all_together();
    if (rank == 0) {
        loop_a(4);
        TIMED(0, k, MPI_Send(data, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
    } else if (rank == 1) {
        TIMED(0, k, MPI_Recv(data, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &s));
    }
    all_together();
    if (rank == 0) {
        struct timespec t = {0, 40000000};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL); TIMED(1, k, MPI_Send(data, 8, MPI_BYTE, 1, 2, MPI_COMM_WORLD));
    } else if (rank == 1) {
        MPI_Request r;
        MPI_Irecv(data, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &r);
        TIMED(1, k, MPI_Wait(&r, &s));
    }
    all_together();
    if (rank == 1) {
        loop_b(4);
        TIMED(2, k, MPI_Recv(data, LARGE, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &s));
    } else if (rank == 0) {
        TIMED(2, k, MPI_Ssend(data, LARGE, MPI_BYTE, 1, 3, MPI_COMM_WORLD));
    }
    all_together();
    loop_c(rank < RANKS ? 2 * rank + 2 : 1);
    TIMED(3, k, MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        loop_d(4);
    TIMED(4, k, MPI_Bcast(data, 8, MPI_BYTE, 0, MPI_COMM_WORLD));
    all_together();
    if (rank == 1)
        loop_e(4);
    TIMED(5, k, MPI_Gather(data, 8, MPI_BYTE, all, 8, MPI_BYTE, 0, MPI_COMM_WORLD));
    all_together();
    if (rank == 0) {
        loop_f(4);
        TIMED(6, k, MPI_Send(data, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD));
    } else if (rank == 1) {
        TIMED(6, k, MPI_Recv(data, 8, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &s));
        MPI_Send(data, 8, MPI_BYTE, 2, 6, MPI_COMM_WORLD); /* passed on */
    } else if (rank == 2) {
        TIMED(6, k, MPI_Recv(data, 8, MPI_BYTE, 1, 6, MPI_COMM_WORLD, &s));
    }
    all_together();
    if (rank == 0) {
        be_stopped();
        TIMED(7, k, MPI_Send(data, 8, MPI_BYTE, 1, 7, MPI_COMM_WORLD));
    } else if (rank == 1) {
        TIMED(7, k, MPI_Recv(data, 8, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &s));
    }
    all_together();
    MPI_Request r = MPI_REQUEST_NULL;
    if (rank == 1)
        MPI_Irecv(data, LARGE, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &r);
    all_together();
    if (rank == 0) {
        MPI_Isend(data, LARGE, MPI_BYTE, 1, 8, MPI_COMM_WORLD, &r);
        TIMED(8, k, MPI_Wait(&r, &s));
    } else if (rank == 1) {
        int come;
        loop_g(4);
        TIMED(8, k, MPI_Test(&r, &come, &s));
        MPI_Wait(&r, &s);
    }
    all_together();
    MPI_Comm made;
    if (rank == 2)
        loop_h(4);
    TIMED(9, k, MPI_Comm_dup(MPI_COMM_WORLD, &made));
    MPI_Comm_free(&made);
    all_together();
}

/* Until `late` (a call's begin on another rank) came, or the call was over. */
static double waited(int way, int k, double late) {
    double end = late < left[way][k] ? late : left[way][k];
    return end > entered[way][k] ? end - entered[way][k] : 0;
}

int main(int argc, char **argv) {
    start_stopper();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        unit = strtoull(argv[1], NULL, 10);
    data = calloc(LARGE, 1);
    all = calloc((size_t)ranks, 8);
    for (int k = 0; k < K; k++)
        run(k);
    double *other = malloc(sizeof entered * (size_t)ranks), sum[SUMS] = {0}, *sums = malloc(sizeof sum * (size_t)ranks);
    MPI_Allgather(entered, WAYS * K, MPI_DOUBLE, other, WAYS * K, MPI_DOUBLE, MPI_COMM_WORLD);
#define ENTERED(r, way, k) other[((r) * WAYS + (way)) * K + (k)]
    for (int k = 0; k < K; k++) {
        double last = 0;
        for (int r = 0; r < ranks; r++)
            last = ENTERED(r, 3, k) > last ? ENTERED(r, 3, k) : last;
        sum[0] += rank == 1 ? waited(0, k, ENTERED(0, 0, k)) : 0;
        sum[1] += rank == 1 ? waited(1, k, ENTERED(0, 1, k)) : 0;
        sum[2] += rank == 0 ? waited(2, k, ENTERED(1, 2, k)) : 0;
        sum[3] += waited(3, k, last);
        sum[4] += rank ? waited(4, k, ENTERED(0, 4, k)) : 0;
        last = 0;
        for (int r = 1; r < ranks; r++)
            last = ENTERED(r, 5, k) > last ? ENTERED(r, 5, k) : last;
        sum[5] += rank == 0 ? waited(5, k, last) : 0;
        double both = ENTERED(1, 6, k) > ENTERED(2, 6, k) ? ENTERED(1, 6, k) : ENTERED(2, 6, k);
        sum[7] += rank == 2 && ENTERED(0, 6, k) > both ? ENTERED(0, 6, k) - both : 0;
        sum[6] += rank == 1 ? waited(6, k, ENTERED(0, 6, k)) : rank == 2 ? left[6][k] - entered[6][k] : 0;
        sum[8] += rank == 1 ? waited(7, k, ENTERED(0, 7, k)) : 0;
        sum[9] += rank == 0 ? waited(8, k, ENTERED(1, 8, k)) : 0;
        last = 0;
        for (int r = 0; r < ranks; r++)
            last = ENTERED(r, 9, k) > last ? ENTERED(r, 9, k) : last;
        sum[10] += waited(9, k, last);
    }
    MPI_Gather(sum, SUMS, MPI_DOUBLE, sums, SUMS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int way = 0; rank == 0 && way < SUMS; way++)
        for (int r = 0; r < ranks; r++)
            if (sums[r * SUMS + way] > 0)
                printf("%s %d %.6f\n", names[way], r, sums[r * SUMS + way]);
    atomic_store(wish, QUIT);
    waitpid(child, NULL, 0);
    MPI_Finalize();
    free(data);
    free(all);
    free(other);
    free(sums);
    return 0;
}
