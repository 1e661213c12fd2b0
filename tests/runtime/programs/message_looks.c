/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* message_looks ROUNDS: rank 1 comes 20 ms late to what rank 0 looks for again and again. Rank 0 prints for each way, by both clocks (they are
 * one), how long it looked before the other one had come, and how long in all:
 *
 *   WAY WAITED ALL CPU
 *
 * and how much CPU time of its own each sleep took on average (0: none slept).
 *
 * test, testall, testany, testsome, probe, matched, window   it does nothing else
 * turns      for two messages in turns
 * done       its other request is complete already, and looked at all the same
 * resting    it sleeps between two looks
 * working    it works for 0.2 ms between two looks: it does not wait
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WAYS = 11 };
static const char *const names[WAYS] = {"test", "testall", "testany", "testsome", "probe", "matched", "window", "turns", "done", "resting", "working"};
static double waited[WAYS], all[WAYS];
static double cpu_of_rests;
static long n_rests;
static int rank, word[2];
static MPI_Win window;
static MPI_Group other;
static volatile double sink;

static double by(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) {
    return by(CLOCK_MONOTONIC);
}

static __attribute__((noinline)) void late_by(double s) {
    for (double end = now() + s; now() < end;)
        for (int i = 0; i < 1000; i++)
            sink = sink * 0.5 + 1;
}

static __attribute__((noinline)) void works(void) {
    late_by(2e-4);
}

static void rests(void) {
    struct timespec t = {0, 300000};
    double before = by(CLOCK_THREAD_CPUTIME_ID);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
    cpu_of_rests += by(CLOCK_THREAD_CPUTIME_ID) - before;
    n_rests++;
}

/* ---- rank 0, each with one receive of tag 1 under way or more ---- */

#define LOOK(name) static __attribute__((noinline)) void name(MPI_Request *r)

LOOK(test) {
    for (int done = 0; !done;)
        MPI_Test(r, &done, MPI_STATUS_IGNORE);
}

LOOK(testall) {
    for (int done = 0; !done;)
        MPI_Testall(2, r, &done, MPI_STATUSES_IGNORE);
}

LOOK(testany) {
    for (int done = 0, which; !done;)
        MPI_Testany(2, r, &which, &done, MPI_STATUS_IGNORE);
}

LOOK(testsome) {
    for (int n = 0, which[2]; !n;)
        MPI_Testsome(2, r, &n, which, MPI_STATUSES_IGNORE);
}

LOOK(probe) {
    (void)r;
    for (int there = 0; !there;)
        MPI_Iprobe(1, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    MPI_Recv(word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

LOOK(matched) {
    MPI_Message m;
    (void)r;
    for (int there = 0; !there;)
        MPI_Improbe(1, 1, MPI_COMM_WORLD, &there, &m, MPI_STATUS_IGNORE);
    MPI_Mrecv(word, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
}

LOOK(win_test) {
    (void)r;
    for (int done = 0; !done;)
        MPI_Win_test(window, &done);
}

LOOK(turns) {
    for (int a = 0, b = 0; !(a && b);) {
        MPI_Test(&r[0], &a, MPI_STATUS_IGNORE);
        MPI_Test(&r[1], &b, MPI_STATUS_IGNORE);
    }
}

LOOK(rests_between) {
    for (int done = 0; !done;) {
        MPI_Test(r, &done, MPI_STATUS_IGNORE);
        if (!done)
            rests();
    }
}

LOOK(works_between) {
    for (int done = 0; !done;) {
        MPI_Test(r, &done, MPI_STATUS_IGNORE);
        if (!done)
            works();
    }
}

static void (*const looks[WAYS])(MPI_Request *) = {test, testall, testany, testsome, probe, matched, win_test, turns, turns, rests_between, works_between};

static double first_rank(int way) {
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    double begin, came;
    if (way < 4 || way > 6)
        MPI_Irecv(&word[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[0]);
    if (way == 1 || way == 7)
        MPI_Irecv(&word[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &r[1]);
    if (way == 6)
        MPI_Win_post(other, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    looks[way](r);
    all[way] += now() - begin;
    MPI_Recv(&came, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    waited[way] += came > begin ? came - begin : 0;
    return 0;
}

static double second_rank(int way) {
    double came;
    int value = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    late_by(0.02);
    came = now();
    switch (way) {
    case 0: MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); break; /* test */
    case 1: MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD); came = now(); MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); break; /* testall */
    case 2: MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); break; /* testany */
    case 3: MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); break; /* testsome */
    case 4: MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); break; /* probe */
    case 5: MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); break; /* matched */
    case 6:
        MPI_Win_start(other, 0, window);
        came = now();
        MPI_Win_complete(window); /* window */
        break;
    case 7: MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD); late_by(0.02); came = now(); MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); break; /* turns */
    case 8: MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); break; /* done */
    case 9: MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); break; /* resting */
    default: MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); /* working */
    }
    MPI_Send(&came, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
    return came;
}

int main(int argc, char **argv) {
    MPI_Group everyone;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &everyone);
    MPI_Group_incl(everyone, 1, (int[]){!rank}, &other);
    MPI_Win_create(word, sizeof word, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (long i = 0, n = argc > 1 ? atol(argv[1]) : 5; i < n; i++)
        for (int way = 0; way < WAYS; way++)
            rank ? second_rank(way) : first_rank(way);
    for (int way = 0; way < WAYS && !rank; way++)
        printf("%s %.6f %.6f %.6f\n", names[way], waited[way], all[way], way == 9 && n_rests ? cpu_of_rests / (double)n_rests : 0);
    MPI_Win_free(&window);
    return MPI_Finalize();
}
