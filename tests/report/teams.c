// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four threads of the program's own that end, then teams of OpenMP of different sizes; a unit of work is some 0.06 s.
#include <omp.h>
#include <pthread.h>

static double x[8][512];

#define HERE(t, units)                            \
    for (long r = 0; r < (units) * 1000000L; r++) \
        for (int i = 0; i < 512; i++)             \
            x[t][i] = x[t][i] * 0.5 + 1

#ifdef SHARED // by all
static __attribute__((noinline)) void work(long t, int units) {
    HERE(t, units);
}
#define WORK(t, units) (work(t, units), x[t][0] += 1) // no tail call, which leaves no frame of the region
#else
#define WORK HERE
#endif

static void *before(void *t) {
    WORK((long)t, 1);
    return NULL;
}

static __attribute__((noinline)) void even(void) {
#pragma omp parallel num_threads(6)
    {
        int t = omp_get_thread_num();
        WORK(t, 1);
    }
}

static __attribute__((noinline)) void uneven(void) { // 3 and 9: the largest is 1.5 times the mean of the two
#pragma omp parallel num_threads(2)
    {
        int t = omp_get_thread_num();
        WORK(t, t ? 9 : 3);
    }
}

static __attribute__((noinline)) void lazy(void) { // 3, 9 and 0: 2.25 times the mean of the three, of which one has nothing to do
#pragma omp parallel num_threads(3)
    {
        int t = omp_get_thread_num();
        WORK(t, t == 2 ? 0 : t ? 9 : 3);
    }
}

int main(void) {
    pthread_t thread[4];
    for (long t = 0; t < 4; t++)
        pthread_create(&thread[t], NULL, before, (void *)t);
    for (int t = 0; t < 4; t++)
        pthread_join(thread[t], NULL);
    even();
    uneven();
    lazy();
    return x[1][5] < 0;
}
