/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cost_bench empty | compute MILLISECONDS | switches TIMES [CLOCK]: programs whose CPU time is compared with and without Heatscope (cost_bench.py).
 * switches: two threads on one processor hand a word to and fro. CLOCK: what each thread opens for itself before: none, perf:NS (its
 * cpu-clock with a sample every so many ns of CPU time, to nobody), timer:NS (a timer of the thread's CPU time): the bare mechanisms.
 * Prints the CPU time of the process in ns, and its context switches. */
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *clock_name = "none";
static long times;
static _Atomic uint32_t word;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void ignore(int number) {
    (void)number;
}

static void open_perf(uint64_t period_ns) {
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_CPU_CLOCK;
    a.sample_period = period_ns;
    a.exclude_kernel = a.exclude_hv = 1;
    if (syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0)
        fail("perf_event_open");
}

static void open_timer(uint64_t period_ns) {
    struct sigevent e;
    struct itimerspec s = {{(time_t)(period_ns / 1000000000u), (long)(period_ns % 1000000000u)}, {0, 1}}; /* at once, then so often */
    timer_t id;
    memset(&e, 0, sizeof e);
    e.sigev_notify = SIGEV_THREAD_ID;
    e.sigev_signo = SIGRTMIN;
    e._sigev_un._tid = (int)syscall(SYS_gettid);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &e, &id) || timer_settime(id, 0, &s, NULL))
        fail("timer");
}

static void *hand_over(void *parity_is_odd) {
    uint32_t parity = parity_is_odd != NULL, seen;
    if (!strncmp(clock_name, "perf:", 5))
        open_perf(strtoull(clock_name + 5, NULL, 10));
    else if (!strncmp(clock_name, "timer:", 6))
        open_timer(strtoull(clock_name + 6, NULL, 10));
    for (long i = 0; i < times; i++) {
        while (((seen = atomic_load(&word)) & 1) != parity)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        atomic_fetch_add(&word, 1);
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    return NULL;
}

static void switches(void) {
    cpu_set_t one;
    pthread_t other;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one)) /* the other thread inherits it */
        fail("sched_setaffinity");
    if (pthread_create(&other, NULL, hand_over, &word))
        fail("pthread_create");
    hand_over(NULL);
    pthread_join(other, NULL);
}

static uint64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void compute(uint64_t ns) {
    volatile unsigned sum = 0;
    for (uint64_t steps = ns / 2; steps; steps--) /* the same work whatever is measured: some 2 ns a step */
        sum += (unsigned)steps;
}

int main(int argc, char **argv) {
    signal(SIGRTMIN, ignore);
    if (argc >= 3 && !strcmp(argv[1], "compute"))
        compute(strtoull(argv[2], NULL, 10) * 1000000u);
    else if (argc >= 3 && !strcmp(argv[1], "switches")) {
        times = atol(argv[2]);
        clock_name = argc > 3 ? argv[3] : clock_name;
        switches();
    } else if (argc != 2 || strcmp(argv[1], "empty")) {
        fputs("usage: cost_bench empty | compute MILLISECONDS | switches TIMES [none|perf:NS|timer:NS]\n", stderr);
        return 2;
    }
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("%llu %ld\n", (unsigned long long)cpu_ns(), u.ru_nvcsw + u.ru_nivcsw);
    return 0;
}
