/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP waits whose cause is known: one thread is late, since it works in the loop of work() on behalf of a procedure of its own, and the others wait for
 * it. Usage: omp_causes CASE. Prints what the clocks of the program say: "thread N was late by S to T seconds" for each thread that was: S until it
 * came, T until those that waited had a processor again and went on. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 10
#define LATE 0.03
#define THREADS_MAX 64

typedef struct range {
    double low, high; /* seconds */
} range;

static range waited[THREADS_MAX]; /* by the thread that was late: how long others waited for it */
static double came[THREADS_MAX], left[THREADS_MAX];
static volatile double sink[THREADS_MAX][8];

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static __attribute__((noinline)) void work(double s) {
    int me = omp_get_thread_num() + 8 * omp_get_ancestor_thread_num(1);
    double end = seconds() + s;
    while (seconds() < end)
        for (int i = 0; i < 20000; i++) /* the loop */
            sink[me % THREADS_MAX][0] += 1;
}

/* Each thread says when it came, and when it went on; once all did, the last one is known, and how long the others waited. */
static void come(void) {
    came[omp_get_thread_num()] = seconds();
}

static void leave(void) {
    left[omp_get_thread_num()] = seconds();
}

static range add_up(int threads) {
    range sum = {0, 0};
    int last = 0;
    for (int i = 1; i < threads; i++)
        last = came[i] > came[last] ? i : last;
    for (int i = 0; i < threads; i++) {
        sum.low += came[last] - came[i];
        sum.high += i == last ? 0 : left[i] - came[i];
    }
    waited[last].low += sum.low;
    waited[last].high += sum.high;
    return sum;
}

/* At the end of a region all go on when the one that forked it does. */
static range add_up_region(int threads) {
    double now = seconds();
    for (int i = 0; i < threads; i++)
        left[i] = now;
    return add_up(threads);
}

static __attribute__((noinline)) range region_end(int late, double s) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == late)
            work(s);
        come();
    }
    return add_up_region(2);
}

static __attribute__((noinline)) void explicit_barrier(int late) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == late)
            work(LATE);
        come();
#pragma omp barrier
        leave();
    }
    add_up(2);
}

static __attribute__((noinline)) void loop_end(int late) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 2; i++) {
            if (i == late)
                work(LATE);
            come();
        }
        leave();
    }
    add_up(2);
}

static __attribute__((noinline)) void loop_nowait(int late) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 2; i++)
            if (i == late)
                work(LATE);
        come();
    }
    add_up_region(2);
}

static __attribute__((noinline)) void loop_dynamic(void) { /* one part is longer than the others together */
#pragma omp parallel num_threads(2)
    {
        come(); /* who gets no part has come */
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 4; i++) {
            work(i ? 0.001 : LATE);
            come();
        }
        leave();
    }
    add_up(2);
}

static __attribute__((noinline)) void reduction(int late) {
    double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        if (omp_get_thread_num() == late)
            work(LATE);
        come();
        sum += came[omp_get_thread_num()];
    }
    add_up_region(2);
    sink[0][1] = sum;
}

static __attribute__((noinline)) void sections(void) {
#pragma omp parallel num_threads(2)
    {
        come(); /* who gets no part has come */
#pragma omp sections
        {
#pragma omp section
            {
                work(LATE);
                come();
            }
#pragma omp section
            {
                work(0.001);
                come();
            }
        }
        leave();
    }
    add_up(2);
}

static __attribute__((noinline)) void single(void) {
#pragma omp parallel num_threads(2)
    {
        came[omp_get_thread_num()] = seconds();
#pragma omp single
        {
            work(LATE);
            come();
        }
        leave();
    }
    add_up(2);
}

/* A procedure of its own that is called in the region: nothing of the region's body is in it. */
static __attribute__((noinline)) void orphan(int late) {
    if (omp_get_thread_num() == late)
        work(LATE);
    come();
#pragma omp barrier
    leave();
}

static __attribute__((noinline)) void orphaned(int late) {
#pragma omp parallel num_threads(2)
    orphan(late);
    add_up(2);
}

/* One region, two callers. */
static range of_caller[2];

static void add_to(int caller, range r) {
    of_caller[caller].low += r.low;
    of_caller[caller].high += r.high;
}

static __attribute__((noinline)) void calls_long(int late) {
    add_to(0, region_end(late, 1.5 * LATE));
}

static __attribute__((noinline)) void calls_short(int late) {
    add_to(1, region_end(late, 0.5 * LATE));
}

/* More threads than processors: the late one has most of one. */
static __attribute__((noinline)) void crowded(int late, int threads) {
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == late)
            work(LATE);
        come();
    }
    add_up_region(threads);
}

static __attribute__((noinline)) void nested(int late) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
            {
                if (omp_get_thread_num() == late)
                    work(LATE);
                come();
            }
            add_up_region(2);
        }
    }
}

/* Two threads, or three: the barrier is the same one. */
static __attribute__((noinline)) void varying(int late) {
    for (int threads = 2; threads <= 3; threads++) {
#pragma omp parallel num_threads(threads)
        {
            if (omp_get_thread_num() == late)
                work(LATE);
            come();
#pragma omp barrier
            leave();
        }
        add_up(threads);
    }
}

/* ---- tasks: the late thread has begun the task before the other one waits for it ---------------------------------------------- */

static _Atomic int started, waiting;

static __attribute__((noinline)) void late_task(void) {
    started = 1;
    while (!waiting)
        sched_yield();
    work(LATE);
    came[0] = seconds();
}

static void until_it_is_begun(void) {
    while (!started)
        sched_yield();
    came[1] = seconds();
    waiting = 1;
}

static void add_up_task(int late) {
    waited[late].low += came[0] - came[1];
    waited[late].high += seconds() - came[1];
    started = waiting = 0;
}

static __attribute__((noinline)) void taskwait(int late) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() != late) {
#pragma omp task /* of taskwait */
        late_task();
        until_it_is_begun();
#pragma omp taskwait
        add_up_task(late);
    }
}

/* The group's own task has ended long before the one that this has created. */
static __attribute__((noinline)) void taskgroup(int late) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() != late) {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task /* of taskgroup */
                late_task();
            }
            until_it_is_begun();
        }
        add_up_task(late);
    }
}

/* One part each: who waits for the loop has done its own. */
static __attribute__((noinline)) void taskloop(int late) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() != late) {
#pragma omp taskloop num_tasks(2) /* of taskloop */
        for (int i = 0; i < 2; i++) {
            if (omp_get_thread_num() == late)
                late_task();
            else
                until_it_is_begun();
        }
        add_up_task(late);
    }
}

static __attribute__((noinline)) void taskloop_reduction(int late) {
    int sum = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() != late) {
        int parts = 0;
#pragma omp taskloop num_tasks(2) reduction(+ : parts) /* of taskloop_reduction */
        for (unsigned long long i = 0; i < 2; i++) {
            if (omp_get_thread_num() == late)
                late_task();
            else
                until_it_is_begun();
            parts++;
        }
        add_up_task(late);
        sum += parts;
    }
    if (sum != 2)
        abort();
}

/* ---- locks: the holder keeps it while the other one waits for it ---- */

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The lock is had from here on; who comes `begin` had waited for the other thread, if for anybody. */
static __attribute__((noinline)) void hold(int late, double begin) {
    int me = omp_get_thread_num();
    double waits = seconds() - begin;
    waited[!me].low += waits;
    waited[!me].high += waits;
    work(me == late ? LATE : 0.0005);
}

static void with_lock(int late) {
    double begin = seconds();
    omp_set_lock(&lock);
    hold(late, begin);
    omp_unset_lock(&lock);
}

static void with_nest_lock(int late) {
    double begin = seconds();
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
    hold(late, begin);
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
}

static void with_critical(int late) {
    double begin = seconds();
#pragma omp critical(one)
    hold(late, begin);
}

static void with_mutex(int late) {
    double begin = seconds();
    pthread_mutex_lock(&mutex);
    hold(late, begin);
    pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) void contend(int late, void (*hold_lock)(int)) {
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 2 * ROUNDS; i++) {
        hold_lock(late);
        work(omp_get_thread_num() == late ? 0.002 : 0.004);
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int late = argc > 2 ? atoi(argv[2]) : 0, threads = argc > 3 ? atoi(argv[3]) : 2;
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    static const struct {
        const char *name;
        void (*run)(int);
    } locks[] = {{"lock", with_lock}, {"nest_lock", with_nest_lock}, {"critical", with_critical}, {"mutex", with_mutex}};
    for (size_t k = 0; k < sizeof locks / sizeof *locks; k++)
        if (!strcmp(what, locks[k].name))
            contend(late, locks[k].run);
    static const struct {
        const char *name;
        void (*run)(int);
    } late_ones[] = {{"explicit_barrier", explicit_barrier}, {"loop_end", loop_end}, {"loop_nowait", loop_nowait}, {"reduction", reduction},
                     {"orphaned", orphaned}, {"nested", nested}, {"varying", varying}, {"taskwait", taskwait},
                     {"taskgroup", taskgroup}, {"taskloop", taskloop}, {"taskloop_reduction", taskloop_reduction}};
    static const struct {
        const char *name;
        void (*run)(void);
    } others[] = {{"loop_dynamic", loop_dynamic}, {"sections", sections}, {"single", single}};
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < sizeof late_ones / sizeof *late_ones; k++)
            if (!strcmp(what, late_ones[k].name))
                late_ones[k].run(late);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (!strcmp(what, others[k].name))
                others[k].run();
        if (!strcmp(what, "region_end"))
            region_end(late, LATE);
        if (!strcmp(what, "callers")) {
            calls_long(late);
            calls_short(late);
        }
        if (!strcmp(what, "crowded"))
            crowded(late, threads);
    }
    for (int i = 0; i < 2; i++)
        if (of_caller[i].high > 0)
            printf("caller %d was late by %.6f to %.6f seconds\n", i, of_caller[i].low, of_caller[i].high);
    for (int i = 0; i < THREADS_MAX; i++)
        if (waited[i].high > 0)
            printf("thread %d was late by %.6f to %.6f seconds\n", i, waited[i].low, waited[i].high);
    return 0;
}
