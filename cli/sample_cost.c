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

#define SAMPLES 7
/* Several times what a sample costs: where the next one is due while the kernel still works on this one, a gap has both (with 40 us up to
 * half of the runs on a busy machine told 110 us, with 100 us 29 to 66). */
#define PERIOD_NS 100000
#define GIVE_UP_NS 20000000u

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

unsigned long hsc_cli_sample_cost_of(uint64_t *gap_ns, size_t n) {
    qsort(gap_ns, n, sizeof *gap_ns, compare);
    return n && gap_ns[n / 2] <= HSC_CLI_SAMPLE_COST_MAX ? (unsigned long)gap_ns[n / 2] : 0;
}

static unsigned long measure(bool trap) {
    struct perf_event_attr a;
    struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
    struct sigaction mine, before;
    uint64_t gap[SAMPLES], end, last, now;
    int number = trap ? SIGTRAP : SIGSTKFLT;
    size_t n = 0;
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
        return 0;
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
    last = now_ns();
    end = last + GIVE_UP_NS;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    uint64_t before_ns = 0, this_ns;
    bool came = false; /* while the clock was read for the last time, or after that */
    for (int seen = 0; n < SAMPLES && last < end; last = now, before_ns = this_ns) {
        now = now_ns();
        this_ns = now - last;
        if (came)
            gap[n++] = this_ns > before_ns ? this_ns : before_ns;
        came = taken != seen;
        seen = taken;
    }
    close(fd);
    sigaction(number, &before, NULL);
    return n < SAMPLES / 2 ? 0 : hsc_cli_sample_cost_of(gap, n);
}

/* In a child: a filter of system calls may kill who opens an event, and a kernel that knows no better who blocks its SIGTRAP. */
hsc_cli_sample_cost hsc_cli_sample_cost_measure(bool by_signal) {
    hsc_cli_sample_cost cost = {0, 0};
    sigset_t trap;
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC))
        return cost;
    pid_t child = fork();
    if (child == 0) {
        sigemptyset(&trap);
        sigaddset(&trap, SIGTRAP);
        sigprocmask(SIG_UNBLOCK, &trap, NULL);
        cost.trap_ns = by_signal ? 0 : measure(true);
        cost.signal_ns = cost.trap_ns ? 0 : measure(false);
        _exit(write(ends[1], &cost, sizeof cost) == (ssize_t)sizeof cost ? 0 : 1);
    }
    close(ends[1]);
    if (child > 0) {
        if (read(ends[0], &cost, sizeof cost) != (ssize_t)sizeof cost)
            cost = (hsc_cli_sample_cost){0, 0};
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    return cost;
}
