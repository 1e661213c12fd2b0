/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP tasks that are run where they are not created. Usage: omp_tasks WHAT. In each case one thread, TAKER, runs at least one task that another one has created, which
 * waits for that, and one at least is run by its creator. Prints of each thread of the team how many tasks it ran; work() is what they do. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TASKS many
#define WORK_MS 40

static volatile double sink;
static volatile int many = 8; /* so that loops stay loops */
static _Atomic int ran[2], ran_nested[2];

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static __attribute__((noinline)) void work(double ms) {
    double end = cpu_ms() + ms;
    while (cpu_ms() < end)
        for (int i = 0; i < 10000; i++)
            sink += 1;
}

/* Tasks may be run by their creator alone while the other thread has no processor: the first waits until the other thread has had one. */
static __attribute__((noinline)) void body(_Atomic int *count) {
    double deadline = omp_get_wtime() + 20;
    int me = omp_get_thread_num();
    atomic_fetch_add(&count[me], 1);
    work(WORK_MS);
    while (!atomic_load(&count[1 - me]) && omp_get_wtime() < deadline)
        usleep(1000);
}

static __attribute__((noinline)) void creates(_Atomic int *count) {
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
        body(count);
    }
}

/* What it does itself is no task's. */
static __attribute__((noinline)) void waits_for_tasks(void) {
    creates(ran);
    work(WORK_MS);
#pragma omp taskwait
}

static __attribute__((noinline)) void nests(void) {
    creates(ran_nested);
#pragma omp taskwait
}

static __attribute__((noinline)) void creates_nested(void) {
    for (int i = 0; i < 2; i++) {
#pragma omp task
        nests();
    }
#pragma omp taskwait
}

static __attribute__((noinline)) void creates_parts(void) {
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < TASKS; i++)
        body(ran);
}

static __attribute__((noinline)) void creates_untied(void) {
    for (int i = 0; i < TASKS; i++) {
#pragma omp task untied
        {
            body(ran);
#pragma omp taskyield
            body(ran);
        }
    }
#pragma omp taskwait
    work(WORK_MS);
}

/* A task in a task in a task, created at one line. */
static __attribute__((noinline)) void recurs(int depth) {
    if (!depth) {
        body(ran);
        return;
    }
    for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(depth)
        recurs(depth - 1);
    }
#pragma omp taskwait
}

static __attribute__((noinline)) void creates_in_place(void) {
    for (int i = 0; i < TASKS; i++) {
#pragma omp task if (i % 2)
        {
            work(WORK_MS / 4.0);
#pragma omp task
            body(ran);
        }
    }
#pragma omp taskwait
}

/* A region and tasks in it, written in one procedure. */
static __attribute__((noinline)) void has_region(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
        body(ran);
    }
}

static __attribute__((noinline)) void creates_one_way(const char *what) {
    if (!strcmp(what, "wait"))
        waits_for_tasks();
    else if (!strcmp(what, "end"))
        creates(ran); /* run at the region's end */
    else if (!strcmp(what, "nested"))
        creates_nested();
    else if (!strcmp(what, "loop"))
        creates_parts();
    else if (!strcmp(what, "untied"))
        creates_untied();
    else if (!strcmp(what, "recursive"))
        recurs(4);
    else
        creates_in_place();
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "wait";
    if (!strcmp(what, "region"))
        has_region();
    else
#pragma omp parallel num_threads(2)
    {
        int creator = argc > 2; /* else the thread that forked the region; it has the region on its stack, a worker has not */
        if (omp_get_thread_num() == creator)
            creates_one_way(what);
    }
    printf("%d %d %d %d\n", ran[0], ran[1], ran_nested[0], ran_nested[1]);
    return 0;
}
