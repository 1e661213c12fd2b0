/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP waits of a known length in procedures of their own. Prints "kind procedure seconds" where the seconds are measured
 * around the construct by the waiting thread. */
#include <errno.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 5
#define HELD_MS 20
#define PAUSE_MS 200

static double waited;
static _Atomic double sink;

static double seconds(void) { /* omp_get_wtime is of a clock that may be set */
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All of it, also where a signal ends the call early: one of the sampler's may, if the process is stopped and goes on meanwhile. */
static void sleep_ms(long ms) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

static void held(void) {
    sleep_ms(HELD_MS);
}

static __attribute__((noinline)) void work(long n) {
    double x = 1;
    for (long i = 0; i < n; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

static __attribute__((noinline)) void explicit_barrier(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            held();
        double begin = seconds();
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            waited += seconds() - begin;
    }
}

static __attribute__((noinline)) void loop_end(void) {
#pragma omp parallel num_threads(2)
    {
        double begin = seconds();
#pragma omp for schedule(static)
        for (int i = 0; i < 2; i++) {
            if (i == 0)
                held();
        }
        if (omp_get_thread_num() == 1)
            waited += seconds() - begin;
    }
}

/* In both, who waits reads the clock when it comes to the end: a worker may be late at the beginning. */
static _Atomic double at_end;

static __attribute__((noinline)) void region_end(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        held();
    else
        at_end = seconds();
    waited += seconds() - at_end;
}

static __attribute__((noinline)) void worker_at_region_end(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        held();
    else
        at_end = seconds();
    waited += seconds() - at_end;
}

/* The worker is asleep when the region ends, and nobody wakes it before the next one. */
static __attribute__((noinline)) void pauses(void) {
    worker_at_region_end();
    sleep_ms(PAUSE_MS);
}

static atomic_int inside;

static __attribute__((noinline)) void critical(void) {
    atomic_store(&inside, 0);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            while (!atomic_load(&inside))
                usleep(100);
        double begin = seconds();
#pragma omp critical(one)
        {
            if (omp_get_thread_num() == 1)
                waited += seconds() - begin;
            else {
                atomic_store(&inside, 1);
                held();
            }
        }
    }
}

static omp_lock_t lock;

static __attribute__((noinline)) void locks(void) {
    atomic_store(&inside, 0);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            while (!atomic_load(&inside))
                usleep(100);
        double begin = seconds();
        omp_set_lock(&lock);
        if (omp_get_thread_num() == 1)
            waited += seconds() - begin;
        else {
            atomic_store(&inside, 1);
            held();
        }
        omp_unset_lock(&lock);
    }
}

static __attribute__((noinline)) void taskwait(void) {
    atomic_store(&inside, 0);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task
            {
                atomic_store(&inside, 1);
                held();
            }
            while (!atomic_load(&inside)) /* the other thread has it */
                usleep(100);
            double begin = seconds();
#pragma omp taskwait
            waited += seconds() - begin;
        }
    }
}

/* Two callers of one region, three times the work in one of them: its worker's time belongs to them 3:1. */
static __attribute__((noinline)) void region(long n) {
#pragma omp parallel num_threads(2)
    work(n);
}

static __attribute__((noinline)) void calls_three(long n) {
    region(3 * n);
    sink = sink + 1;
}

static __attribute__((noinline)) void calls_one(long n) {
    region(n);
    sink = sink + 1;
}

/* A worker that works on tasks while it stands at a barrier does not wait. */
static __attribute__((noinline)) void tasks_at_barrier(long n) {
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        for (int i = 0; i < 40; i++) {
#pragma omp task
            work(n);
        }
#pragma omp barrier
    }
}

/* Nobody is waited for in a team of one. */
static __attribute__((noinline)) void alone(void) {
    double sum = 0;
    for (int i = 0; i < 1000; i++) {
#pragma omp parallel num_threads(1)
        {
            work(100);
#pragma omp barrier
#pragma omp for reduction(+ : sum)
            for (int k = 0; k < 10; k++)
                sum += k;
        }
    }
    sink = sum;
}

static void report(const char *kind, const char *name, void (*run)(void)) {
    waited = 0;
    for (int i = 0; i < ROUNDS; i++)
        run();
    printf("%s %s %.9f\n", kind, name, waited);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "callers")) {
        for (int i = 0; i < 40; i++) {
            calls_three(2000000);
            calls_one(2000000);
        }
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "tasks")) {
        for (int i = 0; i < 10; i++)
            tasks_at_barrier(600000);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "alone")) {
        alone();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "pauses")) {
        report("OMP_REGION_END", "pauses", pauses);
        return 0;
    }
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    work(1000000);
    report("OMP_BARRIER", "explicit_barrier", explicit_barrier);
    report("OMP_REGION_END", "loop_end", loop_end);
    report("OMP_REGION_END", "region_end", region_end);
    report("OMP_REGION_END", "worker_at_region_end", worker_at_region_end);
    report("OMP_CRITICAL", "critical", critical);
    report("OMP_LOCK", "locks", locks);
    report("OMP_TASKWAIT", "taskwait", taskwait);
    sleep_ms(PAUSE_MS);
#pragma omp parallel num_threads(2)
    work(1000000);
    return 0;
}
