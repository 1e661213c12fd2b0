/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranks that wait for each other at one-sided operations in known ways, K times each; three ranks. Who is late sleeps. Printed is how
 * long each waited, by the clock that the programs read themselves right before and after the calls:
 *
 *   WAY VICTIM SECONDS
 *
 * fence      1 sleeps, 0 and 2 are at the fence before it; but who comes last keeps all others, also where that is one that had no processor
 * post       0 sleeps, then posts; 1 starts, puts and completes
 * complete   0 posts and waits; 1 sleeps between its start and its completion
 * lock       1 holds the lock of 0's part while it sleeps; 2 locks it meanwhile
 * whole      the same, but 2 locks all parts
 * part       1 holds the lock of all parts while it sleeps; 2 locks 0's meanwhile
 * target     0 sleeps and then goes to a barrier, 1 locks its part meanwhile: that needs its target in MPICH, not in Open MPI, where it waits for nobody
 * flush      the same, 1 has the lock before, gets and flushes
 * request    the same, but it gets by a request and waits for that
 * requests   the same, with several kinds of accesses, all awaited together
 * looks      the same, but it looks for the end of a request again and again
 *
 * Of a post it is known only that the wait is in the start, the put or the completion: that of all three is printed. So is that of
 * the lock, a put (a get and a flush) and the unlock.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { K = 10, RANKS = 3 };
enum { FENCE, POST, COMPLETE, LOCK, WHOLE, PART, TARGET, FLUSH, REQUEST, REQUESTS, LOOKS, WAYS };
static const char *const names[WAYS] = {"fence", "post", "complete", "lock", "whole", "part", "target", "flush", "request", "requests", "looks"};
static double waited[WAYS], part[8];
static double late[WAYS][K], entered[WAYS][K], left[WAYS][K];
static int rank;
static MPI_Win window;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static __attribute__((noinline)) void sleep_long(void) {
    struct timespec t = {0, 40000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static void sleep_some(void) {
    struct timespec t = {0, 5000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static void all_together(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 1 holds a lock of 0's part, or of all parts (way PART), while 2 asks for one, or for all (way WHOLE). */
static void hold(int k, int way) {
    double x = rank;
    if (rank == 1) {
        if (way == PART)
            MPI_Win_lock_all(0, window);
        else
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&x, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
        MPI_Win_flush(0, window); /* it has the lock now */
        MPI_Send(&x, 1, MPI_DOUBLE, 2, 1, MPI_COMM_WORLD);
        sleep_long();
        late[way][k] = now();
        if (way == PART)
            MPI_Win_unlock_all(window); /* held all */
        else if (way == LOCK) {
            MPI_Win_unlock(0, window); /* held */
            __asm__ volatile("# lock"); /* else the compiler makes one call of the two */
        } else
            MPI_Win_unlock(0, window); /* held from all */
    } else if (rank == 2) {
        MPI_Recv(&x, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        entered[way][k] = now();
        if (way == WHOLE)
            MPI_Win_lock_all(0, window);
        else
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&x, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, window);
        if (way == WHOLE)
            MPI_Win_unlock_all(window);
        else
            MPI_Win_unlock(0, window);
        left[way][k] = now();
    }
    all_together();
}

static void go_outside(int k) {
    double x = rank;
    if (rank == 0) {
        sleep_long();
        late[TARGET][k] = now();
        MPI_Barrier(MPI_COMM_WORLD); /* back */
    } else {
        if (rank == 1) {
            sleep_some();
            entered[TARGET][k] = now();
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
            MPI_Put(&x, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
            MPI_Win_unlock(0, window);
            left[TARGET][k] = now();
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    all_together();
}

static void go_outside_of_lock(int k) {
    double x = rank;
    if (rank == 0) {
        MPI_Recv(&x, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sleep_long();
        late[FLUSH][k] = now();
        MPI_Barrier(MPI_COMM_WORLD); /* back to a flush */
    } else {
        if (rank == 1) {
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
            MPI_Get(&x, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
            MPI_Win_flush(0, window); /* it has the lock now */
            MPI_Send(&x, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
            sleep_some();
            entered[FLUSH][k] = now();
            MPI_Get(&x, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
            MPI_Win_flush(0, window);
            MPI_Win_unlock(0, window);
            left[FLUSH][k] = now();
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    all_together();
}

/* 1 has the lock of 0's part. */
static void go_outside_of_requests(int k, int way, void (*access)(void)) {
    double x = rank;
    if (rank == 0) {
        MPI_Recv(&x, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sleep_long();
        late[way][k] = now();
        if (way == REQUEST) {
            MPI_Barrier(MPI_COMM_WORLD); /* back to a request */
            __asm__ volatile("# request"); /* else the compiler makes one call of the three */
        } else if (way == REQUESTS) {
            MPI_Barrier(MPI_COMM_WORLD); /* back to several */
            __asm__ volatile("# requests");
        } else {
            MPI_Barrier(MPI_COMM_WORLD); /* back to one who looks */
            __asm__ volatile("# looks");
        }
    } else {
        if (rank == 1) {
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
            MPI_Get(&x, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
            MPI_Win_flush(0, window); /* it has the lock now */
            MPI_Send(&x, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
            sleep_some();
            entered[way][k] = now();
            access();
            left[way][k] = now();
            MPI_Win_unlock(0, window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    all_together();
}

static void get_and_wait(void) {
    double x;
    MPI_Request r;
    MPI_Rget(&x, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void several(void) {
    double from[4] = {1, 2, 3, 4}, to[2];
    MPI_Request r[4];
    MPI_Rput(from, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window, &r[0]);
    MPI_Raccumulate(from + 1, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, MPI_SUM, window, &r[1]);
    MPI_Rget_accumulate(from + 2, 1, MPI_DOUBLE, to, 1, MPI_DOUBLE, 0, 3, 1, MPI_DOUBLE, MPI_SUM, window, &r[2]);
    MPI_Rget(to + 1, 1, MPI_DOUBLE, 0, 4, 1, MPI_DOUBLE, window, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static void get_and_look(void) {
    double x;
    int done = 0;
    MPI_Request r;
    MPI_Rget(&x, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window, &r);
    while (!done)
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
}

static void run(int k, MPI_Group zero, MPI_Group one) {
    double x = rank;
    all_together();
    if (rank == 1)
        sleep_long();
    entered[FENCE][k] = now();
    MPI_Win_fence(0, window); /* fence */
    left[FENCE][k] = now();
    all_together();
    if (rank == 0) {
        sleep_long();
        late[POST][k] = now();
        MPI_Win_post(one, 0, window); /* late post */
        MPI_Win_wait(window);
    } else if (rank == 1) {
        entered[POST][k] = now();
        MPI_Win_start(zero, 0, window);
        MPI_Put(&x, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
        MPI_Win_complete(window);
        left[POST][k] = now();
    }
    all_together();
    if (rank == 0) {
        MPI_Win_post(one, 0, window);
        entered[COMPLETE][k] = now();
        MPI_Win_wait(window); /* for a completion */
        left[COMPLETE][k] = now();
    } else if (rank == 1) {
        MPI_Win_start(zero, 0, window);
        MPI_Put(&x, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
        sleep_long();
        late[COMPLETE][k] = now();
        MPI_Win_complete(window); /* late */
    }
    all_together();
    for (int way = LOCK; way <= PART; way++)
        hold(k, way);
    go_outside(k);
    go_outside_of_lock(k);
    go_outside_of_requests(k, REQUEST, get_and_wait);
    go_outside_of_requests(k, REQUESTS, several);
    go_outside_of_requests(k, LOOKS, get_and_look);
}

int main(int argc, char **argv) {
    static const int who[WAYS] = {-1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0}; /* that is late; -1: who came last */
    MPI_Group all, zero, one;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){0}, &zero);
    MPI_Group_incl(all, 1, (int[]){1}, &one);
    MPI_Win_create(part, sizeof part, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int k = 0; k < K; k++)
        run(k, zero, one);
    MPI_Allreduce(entered[FENCE], late[FENCE], K, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int w = POST; w < WAYS; w++)
        MPI_Bcast(late[w], K, MPI_DOUBLE, who[w], MPI_COMM_WORLD);
    for (int w = 0; w < WAYS; w++)
        for (int k = 0; k < K; k++) {
            double end = late[w][k] < left[w][k] ? late[w][k] : left[w][k];
            waited[w] += rank != who[w] && left[w][k] > 0 && end > entered[w][k] ? end - entered[w][k] : 0;
        }
    double *sums = malloc(sizeof waited * RANKS);
    MPI_Gather(waited, WAYS, MPI_DOUBLE, sums, WAYS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int w = 0; rank == 0 && w < WAYS; w++)
        for (int r = 0; r < RANKS; r++)
            if (sums[r * WAYS + w] > 0)
                printf("%s %d %.6f\n", names[w], r, sums[r * WAYS + w]);
    free(sums);
    MPI_Win_free(&window);
    MPI_Group_free(&all);
    MPI_Group_free(&zero);
    MPI_Group_free(&one);
    MPI_Finalize();
    return 0;
}
