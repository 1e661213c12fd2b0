/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a sample costs the program that is sampled: a thread at a given call depth reads the cycle counter in a loop and adds
 * up the gaps that interrupts and handlers leave. Used by sample_bench.py; alone: sample_bench CPU_MS DEPTH [SOURCE HZ].
 * SOURCE: `ring` (perf's cpu-clock into a ring that nobody reads), a number (the same with registers and so many bytes of the stack), `signal` (the same with a signal to an empty handler),
 * `trap` (by SIGTRAP), `timer` (CLOCK_MONOTONIC timer with an empty handler).
 * Prints: CPU nanoseconds, samples that SOURCE took, gaps, nanoseconds in gaps, median gap, and that of as many of the longest gaps as samples were asked for
 * (HEATSCOPE_BENCH_HZ, else HZ): a machine may have many short ones of its own. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define GAPS_MAX (1u << 20)
#define RING_BYTES (1u << 20)
#define AWAY_NS 100000.0 /* a longer gap: the processor was given to somebody else */

static uint64_t gaps[GAPS_MAX];
static size_t n_gaps;
static uint64_t threshold_cycles, budget_ns;
static double ns_per_cycle;
static volatile sig_atomic_t taken;
static volatile uint64_t sink;

static uint64_t clock_ns(clockid_t c) {
    struct timespec t;
    clock_gettime(c, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void on_signal(int number) {
    (void)number;
    taken++;
}

/* A procedure that is called all the time, so that the path's innermost part changes. */
static __attribute__((noinline)) uint64_t look(uint64_t last) {
    uint64_t now = __rdtsc();
    if (now - last > threshold_cycles && n_gaps < GAPS_MAX)
        gaps[n_gaps++] = now - last;
    return now;
}

static __attribute__((noinline)) void spin(void) {
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < budget_ns) {
        uint64_t last = __rdtsc();
        for (int i = 0; i < 200000; i++)
            last = look(last);
    }
}

static __attribute__((noinline)) void descend(int depth) {
    if (depth <= 1)
        spin();
    else
        descend(depth - 1);
    sink++; /* no tail call */
}

static void *ring;

static void source(const char *name, unsigned hz) {
    int tid = (int)syscall(SYS_gettid);
    uint32_t stack_bytes = (uint32_t)atoi(name);
    int rings = stack_bytes || !strcmp(name, "ring");
    signal(SIGUSR1, on_signal);
    signal(SIGTRAP, on_signal);
    if (!strcmp(name, "timer")) {
        struct sigevent e;
        timer_t timer;
        memset(&e, 0, sizeof e);
        e.sigev_notify = SIGEV_THREAD_ID;
        e.sigev_signo = SIGUSR1;
        e._sigev_un._tid = tid;
        struct itimerspec s = {{0, 1000000000 / hz}, {0, 1000000000 / hz}};
        if (timer_create(CLOCK_MONOTONIC, &e, &timer) || timer_settime(timer, 0, &s, NULL))
            exit(2);
        return;
    }
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_CPU_CLOCK;
    a.sample_period = 1000000000u / hz;
    a.exclude_kernel = a.exclude_hv = 1;
    a.disabled = 1;
    if (rings) {
        a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
        a.watermark = 1;
        a.wakeup_watermark = RING_BYTES / 2;
        if (stack_bytes) {
            a.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
            a.sample_regs_user = 0xff01ff; /* 16 registers and the program counter */
            a.sample_stack_user = stack_bytes;
        }
    } else
        a.wakeup_events = 1;
    if (!strcmp(name, "trap")) {
        a.sigtrap = 1;
        a.remove_on_exec = 1;
    }
    int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) {
        perror("perf_event_open");
        exit(2);
    }
    if (!strcmp(name, "signal")) {
        struct f_owner_ex owner = {F_OWNER_TID, tid};
        fcntl(fd, F_SETOWN_EX, &owner);
        fcntl(fd, F_SETSIG, SIGUSR1);
        fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
    } else if (rings) /* read-only: the kernel writes over what is old */
        ring = mmap(NULL, RING_BYTES + 4096, PROT_READ, MAP_SHARED, fd, 0);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 5) {
        fprintf(stderr, "usage: sample_bench CPU_MS DEPTH [ring|BYTES|signal|trap|timer HZ]\n");
        return 2;
    }
    uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), begin = __rdtsc();
    while (clock_ns(CLOCK_MONOTONIC) - begin_ns < 5000000)
        ;
    ns_per_cycle = (double)(clock_ns(CLOCK_MONOTONIC) - begin_ns) / (double)(__rdtsc() - begin);
    threshold_cycles = (uint64_t)(400 / ns_per_cycle);
    memset(gaps, 1, sizeof gaps);
    if (argc == 5)
        source(argv[3], (unsigned)atoi(argv[4]));
    uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    budget_ns = start + (uint64_t)atoi(argv[1]) * 1000000u;
    descend(atoi(argv[2]));
    uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
    double sum = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n_gaps; i++) {
        double ns = (double)gaps[i] * ns_per_cycle;
        if (ns < AWAY_NS) {
            sum += ns;
            gaps[kept++] = gaps[i];
        }
    }
    qsort(gaps, kept, sizeof *gaps, compare);
    const char *asked = getenv("HEATSCOPE_BENCH_HZ");
    double hz = asked ? atof(asked) : argc == 5 ? atof(argv[4]) : 0;
    size_t longest = (size_t)((double)cpu * hz / 1e9);
    longest = longest < kept ? longest : kept;
    long samples = taken;
    if (ring && ring != MAP_FAILED && !atoi(argv[3])) {
        const struct perf_event_mmap_page *page = ring;
        samples = (long)(page->data_head / 32);
    }
    printf("%llu %ld %zu %.0f %.0f %.0f\n", (unsigned long long)cpu, samples, kept, sum, kept ? (double)gaps[kept / 2] * ns_per_cycle : 0.0,
           longest ? (double)gaps[kept - longest + longest / 2] * ns_per_cycle : 0.0);
    return 0;
}
