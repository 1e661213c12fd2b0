/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Says what it sees of signals, clocks, descriptors, floating point and errno: the output must not depend on whether it
 * is measured. Each line must be the same in every run. */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The clock of ITIMER_PROF: user and system time of the process as the kernel's ticks find them, which is all of a tick (4 ms) or
 * nothing. On a crowded processor ticks meet a process by luck: of 300 ms of CPU time they found 20 to 300. */
#define CLOCK_OF_PROFILING_TIMER ((clockid_t)((~0u << 3) | 0))
#define PROFILING_PERIOD_S 0.01

volatile double sink;
static volatile sig_atomic_t profs, alarms, own;

static void on_prof(int n) {
    (void)n;
    profs++;
}

static void on_alarm(int n) {
    (void)n;
    alarms++;
}

static void on_own(int n) {
    (void)n;
    own++;
}

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work_by(clockid_t clock, double seconds) {
    double begin = seconds_of(clock);
    do {
        double x = 1;
        for (int i = 0; i < 20000; i++)
            x = x * 1.0000001 + i;
        sink = x;
    } while (seconds_of(clock) - begin < seconds);
}

static void work(double seconds) {
    work_by(CLOCK_THREAD_CPUTIME_ID, seconds);
}

/* The kernel adds a tick (1 to 10 ms) to the first period. A signal is lost where the one before was not yet taken: when ticks met
 * another thread of the process, and this one had no processor for a whole period. */
static void profiling_timer(void) {
    signal(SIGPROF, on_prof);
    struct itimerval v = {{0, (long)(1e6 * PROFILING_PERIOD_S)}, {0, (long)(1e6 * PROFILING_PERIOD_S)}};
    double begin = seconds_of(CLOCK_OF_PROFILING_TIMER);
    setitimer(ITIMER_PROF, &v, NULL);
    work_by(CLOCK_OF_PROFILING_TIMER, 30 * PROFILING_PERIOD_S);
    memset(&v, 0, sizeof v);
    setitimer(ITIMER_PROF, &v, NULL);
    double periods = (seconds_of(CLOCK_OF_PROFILING_TIMER) - begin) / PROFILING_PERIOD_S;
    bool usual = profs >= periods - 4 && profs <= periods;
    printf("profiling timer %s\n", usual ? "as usual" : "odd");
    if (!usual)
        printf("profiling timer %d times in %.1f periods\n", (int)profs, periods);
}

static int sleeps(void) {
    struct timespec t = {0, 30000000}, left = {0, 0};
    int bad = 0;
    struct pollfd p = {-1, 0, 0};
    for (int i = 0; i < 3; i++) {
        work(0.0103);
        bad += nanosleep(&t, &left) != 0;
        work(0.0011);
        bad += clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) != 0;
        bad += poll(&p, 1, 30) != 0;
        struct timeval v = {0, 30000};
        bad += select(0, NULL, NULL, NULL, &v) != 0;
        bad += usleep(20000) != 0;
        int e = epoll_create1(0);
        struct epoll_event ev;
        bad += epoll_wait(e, &ev, 1, 30) != 0;
        close(e);
        sem_t s;
        struct timespec until;
        sem_init(&s, 0, 0);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 30000000;
        if (until.tv_nsec >= 1000000000)
            until.tv_sec++, until.tv_nsec -= 1000000000;
        bad += sem_timedwait(&s, &until) != -1 || errno != ETIMEDOUT;
    }
    bad += sleep(1) != 0;
    return bad;
}

static void *thread_sleeps(void *p) {
    *(int *)p = sleeps();
    return NULL;
}

int main(void) {
    /* every signal blocked and unblocked, every handler set and read back, as programs that daemonise do */
    sigset_t all, old, now;
    sigfillset(&all);
    printf("block %d\n", sigprocmask(SIG_BLOCK, &all, &old));
    work(0.02);
    printf("unblock %d\n", pthread_sigmask(SIG_SETMASK, &old, &now));
    int defaults = 0;
    for (int s = 1; s < 65; s++) {
        struct sigaction a;
        if (s != SIGKILL && s != SIGSTOP && s != 32 && s != 33 && !sigaction(s, NULL, &a))
            defaults += a.sa_handler == SIG_DFL;
        if (s != SIGKILL && s != SIGSTOP)
            signal(s, SIG_DFL);
    }
    printf("default handlers %d\n", defaults);
    work(0.05);
    printf("previous %d\n", signal(SIGSTKFLT, on_own) == SIG_DFL);
    work(0.02);
    raise(SIGSTKFLT);
    printf("own %d\n", (int)own);
    signal(SIGALRM, on_alarm);
    profiling_timer();
    alarm(1);
    pause();
    printf("alarms %d\n", (int)alarms);
    printf("interrupted %d\n", sleeps());
    pthread_t t;
    int bad = -1;
    pthread_create(&t, NULL, thread_sleeps, &bad);
    work(0.3);
    pthread_join(t, NULL);
    printf("interrupted in a thread %d\n", bad);
    int fd = open("/dev/null", O_RDONLY);
    printf("descriptor %d\n", fd);
    for (int i = 3; i < 256; i++)
        close(i);
    work(0.05);
    fesetround(FE_UPWARD);
    feraiseexcept(FE_INEXACT);
    errno = 77;
    volatile double third = 1;
    int rounds = 0, wrong = 0;
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    do {
        for (int i = 0; i < 10000; i++) {
            third = 1.0 / 3.0 * (1 + third * 0);
            wrong += fegetround() != FE_UPWARD;
        }
        rounds++;
        clock_gettime(CLOCK_MONOTONIC, &b);
    } while (b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec) < 0.2);
    printf("rounding %d errno %d\n", wrong, errno);
    struct rlimit r;
    getrlimit(RLIMIT_NOFILE, &r);
    printf("end\n");
    return 42;
}
