/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads: MODE work (4 of them, work 1:2:3:4), storm (N short ones; then, with M, works M steps), brief (N of STEPS each; tells the least CPU time in ns that
 * the same work took the first thread, beforehand and between them), reads (N at once, each reads from READS frames and ends), exits (by return,
 * pthread_exit, cancel, C11). */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

volatile double sink[8];

__attribute__((noinline)) void work(int k, long n) {
    double x = 1;
    for (long i = 0; i < n; i++)
        x = x * 1.0000001 + i;
    sink[k & 7] = x;
}

static void *worker(void *p) {
    int k = (int)(long)p;
    for (int r = 0; r < 20; r++)
        work(k, (k + 1) * 2000000L);
    return p;
}

static long brief_steps = 1000;

static long thread_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void *brief(void *p) {
    work((int)(long)p, brief_steps);
    return p;
}

static long least_ns = LONG_MAX;

static void time_work(void) {
    long begun = thread_ns();
    work(0, brief_steps);
    long ns = thread_ns() - begun;
    least_ns = ns < least_ns ? ns : least_ns;
}

#define READS 150

static int zeros;
static pthread_barrier_t all;

/* Reads once at each depth: as many calling contexts, of all of which the thread's last records tell. */
static __attribute__((noinline)) int reads(int depth) {
    char c;
    int n = (int)read(zeros, &c, 1);
    if (depth > 1)
        n += reads(depth - 1);
    sink[0] = n;
    return n;
}

static void *reader(void *p) {
    pthread_barrier_wait(&all);
    return reads(READS) == READS ? p : NULL;
}

static int readers(long n) {
    pthread_t *t = calloc((size_t)n, sizeof *t);
    void *r;
    zeros = open("/dev/zero", O_RDONLY);
    if (!t || zeros < 0 || pthread_barrier_init(&all, NULL, (unsigned)n))
        return 1;
    for (long i = 0; i < n; i++)
        if (pthread_create(&t[i], NULL, reader, t))
            return 2;
    for (long i = 0; i < n; i++)
        if (pthread_join(t[i], &r) || r != t)
            return 3;
    printf("%ld\n", n * READS);
    free(t);
    return 0;
}

static void *leaver(void *p) {
    work(0, 60000000);
    pthread_exit(p);
}

static void *sleeper(void *p) {
    work(0, 20000000);
    for (;;)
        sleep(60);
    return p;
}

static void *endless(void *p) {
    (void)p;
    for (;;) {
        work(1, 100000);
        pthread_testcancel();
    }
    return NULL;
}

static int c11(void *p) {
    work(2, 60000000);
    return (int)(long)p;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "work";
    pthread_t t[8];
    void *r;
    if (!strcmp(mode, "work")) {
        for (long i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, worker, (void *)i);
        for (long i = 0; i < 4; i++)
            if (pthread_join(t[i], &r) || r != (void *)i)
                return 1;
    } else if (!strcmp(mode, "sleeps")) {
        printf("ready\n");
        fflush(stdout);
        pthread_create(&t[0], NULL, sleeper, NULL);
        pthread_join(t[0], NULL);
    } else if (!strcmp(mode, "storm") || !strcmp(mode, "brief")) {
        int n = argc > 2 ? atoi(argv[2]) : 1000;
        if (mode[0] == 'b' && argc > 3)
            brief_steps = atol(argv[3]);
        for (int i = 0; mode[0] == 'b' && i < 20; i++)
            time_work();
        for (int i = 0; i < n; i += 8) {
            if (mode[0] == 'b')
                time_work();
            for (long k = 0; k < 8; k++)
                if (pthread_create(&t[k], NULL, brief, (void *)k))
                    return 1;
            for (long k = 0; k < 8; k++)
                if (pthread_join(t[k], &r) || r != (void *)k)
                    return 2;
        }
        if (mode[0] == 'b')
            printf("%ld\n", least_ns);
        work(0, mode[0] == 's' && argc > 3 ? atol(argv[3]) : 0);
    } else if (!strcmp(mode, "reads")) {
        return readers(argc > 2 ? atol(argv[2]) : 100);
    } else {
        thrd_t c;
        int code;
        pthread_create(&t[0], NULL, leaver, (void *)5);
        if (pthread_join(t[0], &r) || r != (void *)5)
            return 1;
        pthread_create(&t[0], NULL, endless, NULL);
        usleep(100000);
        pthread_cancel(t[0]);
        if (pthread_join(t[0], &r) || r != PTHREAD_CANCELED)
            return 2;
        if (thrd_create(&c, c11, (void *)9) != thrd_success || thrd_join(c, &code) != thrd_success || code != 9)
            return 3;
    }
    printf("done\n");
    return 0;
}
