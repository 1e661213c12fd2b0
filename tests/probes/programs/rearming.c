// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads visit probes that the first one arms and disarms meanwhile. Each knows of its visits whether they lay wholly between an arming and the next
// disarming (to be counted), met one of them (may be counted), or neither. Prints lines: NAME COUNTED MAYBE SECONDS, the last of both kinds.
//   once   48 procedures, one after the other, are armed and disarmed once; one thread visits without a pause
//   all    a procedure, a recursion in it, and what that calls, 150 times; three threads
//   middle of these the recursion alone; three threads
#include <heatscope.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
enum { THREADS = 3, TINIES = 48, ROUNDS = 150, LEAST_NS = 5000 };
enum state { OFF, ARMING, ON, DISARMING };
static atomic_int epoch, ended; /* epoch: 4 for each round and the state */
static atomic_long visited;
static long counted[THREADS][TINIES], maybe[THREADS][TINIES];
static double seconds[THREADS];
static __thread volatile int sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#define TINY(a, b) \
    __attribute__((noinline)) void tiny_##a##b(void) { sink = a; }
#define ROW(a) TINY(a, 0) TINY(a, 1) TINY(a, 2) TINY(a, 3) TINY(a, 4) TINY(a, 5) TINY(a, 6) TINY(a, 7)
ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5)
#define NAMES(a) tiny_##a##0, tiny_##a##1, tiny_##a##2, tiny_##a##3, tiny_##a##4, tiny_##a##5, tiny_##a##6, tiny_##a##7
static void (*const tinies[TINIES])(void) = {NAMES(0), NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5)};

__attribute__((noinline)) void inner(void) {
    sink = 1;
}
__attribute__((noinline)) void down(int n) {
    if (n > 0)
        down(n - 1);
    else
        for (int i = 0; i < 3; i++)
            inner();
    sink = n;
}
__attribute__((noinline)) void outer(void) {
    double end = now() + LEAST_NS * 1e-9;
    down(4);
    while (now() < end)
        sink = 2;
}

static void note(long thread, int k, int before, int after) {
    if (before == after && after % 4 == ON)
        counted[thread][k]++;
    else if (before != after || after % 4 != OFF)
        maybe[thread][k]++;
}

static void *visit_tinies(void *argument) {
    long thread = (long)argument, n = 0;
    while (!atomic_load(&ended)) {
        int before = atomic_load(&epoch), k = before / 4; /* one look: of a round that is over nothing is counted in the next */
        tinies[k]();
        note(thread, k, before, atomic_load(&epoch));
        if (++n % 64 == 0)
            atomic_fetch_add(&visited, 64);
    }
    return NULL;
}

static void *visit_outer(void *argument) {
    long thread = (long)argument;
    while (!atomic_load(&ended)) {
        int before = atomic_load(&epoch);
        double begin = now();
        outer();
        double end = now();
        int after = atomic_load(&epoch);
        note(thread, 0, before, after);
        if (before != after || after % 4 != OFF)
            seconds[thread] += end - begin;
        atomic_fetch_add(&visited, 1);
    }
    return NULL;
}

static void wait_for(long visits) {
    long begin = atomic_load(&visited);
    while (atomic_load(&visited) - begin < visits)
        nanosleep(&(struct timespec){0, 10000}, NULL);
}

static void arm(const char *list, int round, long visits) {
    atomic_store(&epoch, 4 * round + ARMING);
    heatscope_arm(list, 1);
    atomic_store(&epoch, 4 * round + ON);
    wait_for(visits);
    atomic_store(&epoch, 4 * round + DISARMING);
    heatscope_arm(list, 0);
    atomic_store(&epoch, 4 * round + OFF);
    wait_for(visits);
}

static void print(const char *name, int k) {
    long c = 0, m = 0;
    double s = 0;
    for (int i = 0; i < THREADS; i++) {
        c += counted[i][k];
        m += maybe[i][k];
        s += seconds[i];
    }
    printf("%s %ld %ld %.9f\n", name, c, m, s);
}

int main(int argc, char **argv) {
    int once = argc > 1 && !strcmp(argv[1], "once"), middle = argc > 1 && !strcmp(argv[1], "middle");
    int threads = once ? 1 : THREADS;
    char name[32];
    pthread_t t[THREADS];
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, once ? visit_tinies : visit_outer, (void *)i);
    wait_for(1000);
    for (int k = 0; k < TINIES && once; k++) {
        snprintf(name, sizeof name, "procedures:tiny_%d%d", k / 8, k % 8);
        arm(name, k, 20000);
    }
    for (int i = 0; i < ROUNDS && !once; i++)
        arm(middle ? "procedures:down" : "procedures:outer,procedures:down,procedures:inner", i, 20);
    atomic_store(&ended, 1);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    for (int k = 0; k < TINIES && once; k++) {
        snprintf(name, sizeof name, "tiny_%d%d", k / 8, k % 8);
        print(name, k);
    }
    if (!once)
        print("outer", 0);
    printf("visits %ld\n", atomic_load(&visited));
    return 0;
}
