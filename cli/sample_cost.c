/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Measures what a sample costs: a loop that reads the clock while samples come, and the gaps that they leave. */
#include "sample_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Each round: after a nap, during which others have the processor or nobody, samples follow each other. The first finds the kernel's code and ours
 * in no cache, as samples of programs do that come seldom; the second is neither; the others are warm. */
#define ROUNDS 5
#define NAP_NS 1000000
#define IN_ROUND 4
#define WARM_FROM 2
/* Several times what a sample costs: where the next one is due while the kernel still works on this one, a gap has both (with 40 us up to
 * half of the runs on a busy machine told 110 us, with 100 us 29 to 66). */
#define PERIOD_NS 100000
#define GIVE_UP_NS 30000000u

static volatile sig_atomic_t taken;

static void on_signal(int number) {
    (void)number;
    taken++;
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

#define OTHERS 4 /* times the middle one, or one of the shortest: a gap in which somebody else had the processor */

/* The largest of gaps in order that is no one else's. */
static unsigned long largest(const uint64_t *gap_ns, size_t n, unsigned long middle) {
    while (n > 1 && gap_ns[n - 1] > OTHERS * middle)
        n--;
    return n && gap_ns[n - 1] <= HSC_CLI_SAMPLE_COST_MAX ? (unsigned long)gap_ns[n - 1] : middle;
}

static unsigned long middle_of(uint64_t *gap_ns, size_t n) {
    qsort(gap_ns, n, sizeof *gap_ns, compare);
    size_t all = n;
    while (n && gap_ns[n - 1] > OTHERS * gap_ns[all / 8]) /* where others had it in most of them, the middle one of all would be theirs */
        n--;
    if (4 * n < all)
        return 0;
    return n && gap_ns[n / 2] <= HSC_CLI_SAMPLE_COST_MAX ? (unsigned long)gap_ns[n / 2] : 0;
}

hsc_cli_gaps hsc_cli_gaps_of(uint64_t *warm_ns, size_t n_warm, uint64_t *cold_ns, size_t n_cold) {
    unsigned long warm = middle_of(warm_ns, n_warm), cold = middle_of(cold_ns, n_cold);
    if (!warm)
        return (hsc_cli_gaps){0, 0, 0, 0};
    if (cold <= warm || cold > OTHERS * warm) /* a processor that runs faster after a nap, or that others have then */
        return (hsc_cli_gaps){.warm_ns = warm, .cold_ns = warm, .least_ns = (unsigned long)warm_ns[0], .most_ns = largest(warm_ns, n_warm, warm)};
    unsigned long most = largest(cold_ns, n_cold, cold), most_warm = largest(warm_ns, n_warm, warm);
    return (hsc_cli_gaps){.warm_ns = warm, .cold_ns = cold, .least_ns = (unsigned long)warm_ns[0], .most_ns = most > most_warm ? most : most_warm};
}

/* The gaps that up to n samples in a row leave, until a time: how many there were. */
static size_t take_gaps(uint64_t *gap_ns, size_t n, uint64_t end) {
    uint64_t last = now_ns(), now, this_ns, before_ns = 0;
    bool came = false; /* while the clock was read for the last time, or after that */
    size_t k = 0;
    for (int seen = taken; k < n && last < end; last = now, before_ns = this_ns) {
        now = now_ns();
        this_ns = now - last;
        if (came)
            gap_ns[k++] = this_ns > before_ns ? this_ns : before_ns;
        came = taken != seen;
        seen = taken;
    }
    return k;
}

static hsc_cli_gaps measure(bool trap) {
    struct perf_event_attr a;
    struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
    struct sigaction mine, before;
    uint64_t gap[IN_ROUND], warm[ROUNDS * IN_ROUND], cold[ROUNDS];
    struct timespec nap = {0, NAP_NS};
    int number = trap ? SIGTRAP : SIGSTKFLT;
    size_t n_warm = 0, n_cold = 0;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_CPU_CLOCK;
    a.sample_period = PERIOD_NS;
    a.wakeup_events = 1;
    a.disabled = 1;
    a.exclude_kernel = a.exclude_hv = 1;
    a.sigtrap = a.remove_on_exec = trap;
    int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return (hsc_cli_gaps){0, 0, 0, 0};
    memset(&mine, 0, sizeof mine);
    mine.sa_handler = on_signal;
    mine.sa_flags = SA_RESTART;
    sigaction(number, &mine, &before);
    if (!trap) {
        fcntl(fd, F_SETOWN_EX, &owner);
        fcntl(fd, F_SETSIG, number);
        fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
    }
    taken = 0;
    uint64_t end = now_ns() + GIVE_UP_NS;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    for (int round = 0; round < ROUNDS && now_ns() < end; round++) {
        nanosleep(&nap, NULL);
        size_t n = take_gaps(gap, IN_ROUND, end);
        if (n)
            cold[n_cold++] = gap[0];
        for (size_t k = WARM_FROM; k < n; k++)
            warm[n_warm++] = gap[k];
    }
    close(fd);
    sigaction(number, &before, NULL);
    return hsc_cli_gaps_of(warm, n_warm < IN_ROUND ? 0 : n_warm, cold, n_cold);
}

/* In a child: a filter of system calls may kill who opens an event, and a kernel that knows no better who blocks its SIGTRAP. */
hsc_cli_sample_cost hsc_cli_sample_cost_measure(bool by_signal) {
    hsc_cli_sample_cost cost = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    sigset_t trap;
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC))
        return cost;
    pid_t child = fork();
    if (child == 0) {
        sigemptyset(&trap);
        sigaddset(&trap, SIGTRAP);
        sigprocmask(SIG_UNBLOCK, &trap, NULL);
        if (!by_signal)
            cost.trap = measure(true);
        if (!cost.trap.warm_ns)
            cost.signal = measure(false);
        _exit(write(ends[1], &cost, sizeof cost) == (ssize_t)sizeof cost ? 0 : 1);
    }
    close(ends[1]);
    if (child > 0) {
        if (read(ends[0], &cost, sizeof cost) != (ssize_t)sizeof cost)
            cost = (hsc_cli_sample_cost){{0, 0, 0, 0}, {0, 0, 0, 0}};
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    return cost;
}
