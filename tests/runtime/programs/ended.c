/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ended MODE N: N threads, eight at a time, compute, read and sleep, until each is ended from outside at a random moment.
 * handler: by pthread_exit in a handler; deferred, asynchronous: by pthread_cancel; computing: asynchronously, and they only compute;
 * late: by themselves, 0.9 to 1.3 s old, all at a time.
 * Then the first thread computes for 0.1 s of CPU time in `after`. Prints how many ended so, and how many clean-up handlers ran. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int zero;
static const char *mode;
static atomic_int cleaned;
volatile double sink;

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_us(long us) {
    struct timespec t = {0, us * 1000};
    nanosleep(&t, NULL);
}

__attribute__((noinline)) static void compute(int n) {
    double x = 1;
    for (int i = 0; i < n; i++)
        x = x * 1.0000001 + i;
    sink = x;
}

__attribute__((noinline)) static void calls(int n) {
    char c[16];
    for (int i = 0; i < n; i++)
        if (read(zero, c, sizeof c) < 0)
            exit(1);
    pause_us(0);
}

static void clean(void *p) {
    (void)p;
    cleaned++;
}

static void leave(int number) {
    (void)number;
    pthread_exit((void *)1);
}

static void *run(void *p) {
    atomic_int *ready = p;
    int old;
    pthread_cleanup_push(clean, NULL);
    if (!strcmp(mode, "asynchronous") || !strcmp(mode, "computing"))
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    *ready = 1;
    for (;;) {
        compute(2000);
        if (strcmp(mode, "computing"))
            calls(20);
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void *ends_late(void *p) {
    double end = seconds(CLOCK_MONOTONIC) + 0.9 + *(double *)p;
    while (seconds(CLOCK_MONOTONIC) < end) {
        compute(20000);
        pause_us(1000);
    }
    cleaned++;
    return (void *)1;
}

__attribute__((noinline)) void after(double s) {
    for (double end = seconds(CLOCK_THREAD_CPUTIME_ID) + s; seconds(CLOCK_THREAD_CPUTIME_ID) < end;)
        compute(20000);
}

int main(int argc, char **argv) {
    enum { AT_A_TIME = 64 };
    mode = argc > 1 ? argv[1] : "handler";
    int n = argc > 2 ? atoi(argv[2]) : 8, n_ended = 0, late = !strcmp(mode, "late"), each = late ? AT_A_TIME : 8;
    struct sigaction a = {.sa_handler = leave};
    sigaction(SIGUSR1, &a, NULL);
    zero = open("/dev/zero", O_RDONLY);
    srandom(1);
    for (int done = 0; done < n; done += each) {
        pthread_t t[AT_A_TIME];
        double age[AT_A_TIME];
        atomic_int ready[AT_A_TIME] = {0};
        int k = n - done < each ? n - done : each;
        for (int i = 0; i < k; i++) {
            age[i] = 0.4 * (double)(random() % 1000) / 1000;
            if (pthread_create(&t[i], NULL, late ? ends_late : run, late ? (void *)&age[i] : (void *)&ready[i]))
                return 1;
        }
        for (int i = 0; i < k && !late; i++) {
            while (!ready[i])
                pause_us(50);
            pause_us(random() % 500);
            if (!strcmp(mode, "handler"))
                pthread_kill(t[i], SIGUSR1);
            else
                pthread_cancel(t[i]);
        }
        for (int i = 0; i < k; i++) {
            void *r = NULL;
            pthread_join(t[i], &r);
            n_ended += r == (!strcmp(mode, "handler") || late ? (void *)1 : PTHREAD_CANCELED);
        }
    }
    after(0.1);
    printf("%d %d\n", n_ended, (int)cleaned);
    return 0;
}
