/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* GCC's OpenMP runtime as programs use it: what they compute and how they end is the same when measured. Usage: gomp WHAT [LIBRARY].
 * Built with GOMP_LIBRARY: a library with an OpenMP procedure; with GOMP_LOADER: a program without OpenMP that loads it. Usage: gomp_loader LIBRARY
 * [WHATEVER]: with WHATEVER nothing else keeps GCC's runtime. */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef GOMP_LIBRARY
#include <omp.h>
long in_library(int n);

long in_library(int n) {
    static omp_lock_t lock;
    long sum = 0;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < n; i++) {
#pragma omp critical
            sum += i;
        }
        omp_set_lock(&lock);
        sum++;
        omp_unset_lock(&lock);
    }
    return sum;
}
#elif defined GOMP_LOADER
int main(int argc, char **argv) {
    if (argc < 3)
        dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL); /* its threads would not survive that it goes */
    for (int i = 0; i < 3 && argc > 1; i++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        long (*call)(int) = library ? (long (*)(int))dlsym(library, "in_library") : NULL;
        if (!call) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        printf("%ld", call(1000));
        dlclose(library);
        printf(" %s\n", dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) ? "stays" : "gone");
    }
    fflush(stdout);
    for (time_t end = time(NULL) + 2; argc > 2 && time(NULL) < end;) /* samples */
        ;
    return 0;
}
#else
#include <omp.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile double sink;

static __attribute__((noinline)) void work(double s) {
    double end = seconds() + s;
    while (seconds() < end)
        for (int i = 0; i < 20000; i++)
            sink += 1;
}

static long fibonacci(int n) {
    long a = 0, b = 0;
    if (n < 2)
        return n;
#pragma omp task shared(a) firstprivate(n) if (n > 10)
    a = fibonacci(n - 1);
#pragma omp task shared(b) firstprivate(n)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void tasks(void) {
    long f = 0, sum = 0, loops = 0, reduced = 0, order = 0;
    int n = 33, detached = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        f = fibonacci(16);
        int row[n]; /* is copied by a procedure of the program */
        for (int i = 0; i < n; i++)
            row[i] = i;
#pragma omp taskgroup
        for (int k = 0; k < 20; k++) {
#pragma omp task firstprivate(row, k) shared(sum)
            {
                long part = 0;
                for (int i = 0; i < n; i++)
                    part += row[i] * k;
#pragma omp atomic
                sum += part;
            }
        }
#pragma omp taskloop shared(loops) grainsize(7)
        for (int i = 0; i < 1000; i++) {
#pragma omp atomic
            loops += i;
        }
        unsigned long long high = 0xffffffffffffff00ull;
#pragma omp taskloop reduction(+ : reduced) num_tasks(5)
        for (unsigned long long i = high; i < high + 200; i++)
            reduced += (long)(i - high);
        for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : order) shared(order) firstprivate(i)
            order = 3 * order + i;
        }
#pragma omp taskwait
        omp_event_handle_t event;
#pragma omp task detach(event) shared(detached)
        {
            detached = 1;
            omp_fulfill_event(event);
        }
    }
    printf("%ld %ld %ld %ld %ld %d\n", f, sum, loops, reduced, order, detached);
}

static void constructs(void) {
    long sum = 0, more = 0, given = 0, ordered = 0, nested = 0, tried = 0;
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    omp_set_max_active_levels(2);
#pragma omp parallel for schedule(guided) reduction(+ : sum) num_threads(3)
    for (int i = 0; i < 1000; i++)
        sum += i;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(3)
    for (int i = 0; i < 1000; i++)
        sum += i;
#pragma omp parallel reduction(task, + : more) num_threads(3)
    {
#pragma omp task in_reduction(+ : more)
        more += 5;
    }
#pragma omp parallel num_threads(3)
    {
        long here = 0, inner = 0;
#pragma omp single copyprivate(here)
        here = 7;
#pragma omp atomic
        given += here;
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 20; i++) {
#pragma omp ordered
            ordered = 3 * ordered + i;
        }
        omp_set_nest_lock(&lock);
        tried += omp_test_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
#pragma omp parallel num_threads(2) reduction(+ : inner)
        {
            inner += omp_get_thread_num() + 10 * omp_get_ancestor_thread_num(1);
#pragma omp barrier
        }
#pragma omp atomic
        nested += inner;
    }
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        sum++;
#pragma omp section
        given++;
    }
    printf("%ld %ld %ld %ld %ld %ld\n", sum, more, given, ordered, tried, nested);
}

static void cancelled(void) {
    int done = 0;
    for (int k = 0; k < 100; k++) {
#pragma omp parallel num_threads(3)
        {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 1000; i++) {
                if (i == 3) {
#pragma omp cancel for
                }
#pragma omp cancellation point for
            }
            if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
            }
#pragma omp barrier
            done += omp_get_cancellation() != 0;
        }
    }
    printf("%d\n", done);
}

/* More pieces than may be on a stack at once. */
static void pieces(void) {
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop shared(sum) grainsize(1)
    for (int i = 0; i < 200000; i++) {
#pragma omp atomic
        sum += i;
    }
    printf("%ld\n", sum);
}

/* The first task cancels the others, which wait behind it. */
static void discarded(void) {
    int ran = 0;
#pragma omp parallel num_threads(1)
#pragma omp taskgroup
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(ran)
        {
            ran++;
#pragma omp cancel taskgroup
        }
    }
    printf("%d\n", ran);
}

static sigjmp_buf out;

static void leave(int signal_number) {
    siglongjmp(out, signal_number);
}

/* A handler leaves a lock that would be waited for forever: what is done afterwards is no wait. */
static void jumps(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    signal(SIGALRM, leave);
    if (!sigsetjmp(out, 1)) {
        ualarm(50000, 0);
        omp_set_lock(&lock); /* which it has: forever */
    }
    for (double end = seconds() + 0.3; seconds() < end;)
        for (int i = 0; i < 20000; i++)
            sink += 1;
    long sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("%ld\n", sum);
}

/* Thread 0 waits at the barrier, and works on the tasks that the other one makes, one after the other: 0.2 s of the 0.3 are no wait. */
static void busy_wait(void) {
    double at_barrier = 0, in_tasks = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            double begin = seconds();
#pragma omp barrier
            at_barrier = seconds() - begin;
        } else {
            for (int i = 0; i < 2; i++) {
                double begin = seconds();
                volatile int done = 0;
#pragma omp task shared(in_tasks, done)
                {
                    double from = seconds();
                    work(0.1);
                    if (omp_get_thread_num() == 0)
                        in_tasks += seconds() - from;
                    done = 1;
                }
                while (!done || seconds() < begin + 0.15)
                    usleep(1000);
            }
#pragma omp barrier
        }
    }
    printf("%.6f %.6f\n", at_barrier, in_tasks);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "tasks"))
        tasks();
    else if (!strcmp(what, "constructs"))
        constructs();
    else if (!strcmp(what, "cancelled"))
        cancelled();
    else if (!strcmp(what, "pieces"))
        pieces();
    else if (!strcmp(what, "discarded"))
        discarded();
    else if (!strcmp(what, "jumps"))
        jumps();
    else if (!strcmp(what, "busy_wait"))
        busy_wait();
    else if (!strcmp(what, "exits")) {
#pragma omp parallel num_threads(3)
        {
#pragma omp barrier
            if (omp_get_thread_num() == 2)
                exit(7);
#pragma omp barrier
        }
    } else if (!strcmp(what, "crashes")) {
#pragma omp parallel num_threads(3)
        if (omp_get_thread_num() == 1)
            abort();
    }
    return 0;
}
#endif
