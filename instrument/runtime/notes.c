/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the processes of a measurement tell each other, by lines in one file of the output directory:
 *
 * N           samples of a process that has ended
 * time N      microseconds of CPU time of its threads, by the clock
 * said P      by a process started by root process P: the line of the start
 * unmeasured P  the same: why it is not measured
 * quits N     bits (HSC_RT_QUIT_...): the line of why a process measured only up to there, or is not measured, has been said
 * lowered N   by a process in which threads were sampled only N times a second, to keep to the budget
 * kernel N    by one in which N threads were sampled at the kernel's tick, since they switched so often
 * brief N     microseconds of CPU time, less what beginning to measure took, of a process that ended before its first sample and has no file (the correlator reads these)
 * named N     what of --arm and --disarm a process has probes for
 * took_names  microseconds that measuring took
 * down N, more N  microseconds by which that may be too much and too little
 * ended N     by a rank: its job and its number
 * rank N      by a rank that a launcher has started which is measured, too: its number and who it is (hsc_rt_who)
 * gone N      by who has waited for a process of the measurement: how it ended, and who it was (the correlator reads these)
 *
 * They are told apart by the first letter. */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heatscope/formats/cost.h>

#include "interpose.h"
#include "notes.h"
#include "probes.h"

void hsc_rt_append_output(char *path, size_t size, const char *name) {
    size_t at = 0;
    hsc_rt_append(path, size, &at, hsc_rt_me.output);
    hsc_rt_append(path, size, &at, "/");
    hsc_rt_append(path, size, &at, name);
}

void hsc_rt_lines_add(hsc_rt_lines *l, const char *word, uint64_t value) {
    hsc_rt_append(l->text, sizeof l->text, &l->n, word);
    hsc_rt_append_u64(l->text, sizeof l->text, &l->n, value);
    hsc_rt_append(l->text, sizeof l->text, &l->n, "\n");
}

void hsc_rt_lines_put(const hsc_rt_lines *l) {
    char path[HSC_RT_PATH];
    hsc_rt_append_output(path, sizeof path, ".processes");
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) {
        hsc_rt_write_quietly(fd, l->text, l->n);
        hsc_sys3(SYS_close, fd, 0, 0);
    }
}

void hsc_rt_note(const char *word, uint64_t value) {
    hsc_rt_lines l = {.n = 0};
    hsc_rt_lines_add(&l, word, value);
    hsc_rt_lines_put(&l);
}

void hsc_rt_note_named(void) {
    uint64_t named;
    if (!hsc_rt_is_filtered() && hsc_rt_probes_take_named(&named))
        hsc_rt_note("named ", named);
}

#define RANK_BITS 24u

static uint64_t rank_of_job(void) {
    return hsc_rt_me.job << RANK_BITS | ((uint64_t)hsc_rt.job.rank & ((1u << RANK_BITS) - 1));
}

bool hsc_rt_is_rank(void) {
    return hsc_rt_me.root && !hsc_rt_me.forked && hsc_rt.job.rank >= 0 && hsc_rt.job.ranks > 1;
}

/* The process of this machine: 18 bits of the name of its host, 22 of its number. The correlator makes the same (correlate/join/gone.c). */
static uint64_t who(uint64_t pid) {
    return (hsc_hash64(0, hsc_rt_me.host, strlen(hsc_rt_me.host)) & ((1u << HSC_RT_HOST_BITS) - 1)) << HSC_RT_PID_BITS | (pid & ((1u << HSC_RT_PID_BITS) - 1));
}

void hsc_rt_note_rank(void) {
    if (hsc_rt.job.rank >= 0 && hsc_rt.job.ranks > 1 && !hsc_rt_me.root && !hsc_rt_me.forked)
        hsc_rt_note("rank ", (uint64_t)hsc_rt.job.rank << HSC_RT_WHO_BITS | who((uint64_t)hsc_rt.pid));
}

static bool has_file(uint64_t pid) {
    char path[HSC_RT_PATH];
    size_t at = 0;
    hsc_rt_append(path, sizeof path, &at, hsc_rt_me.output);
    hsc_rt_append(path, sizeof path, &at, "/");
    hsc_rt_append(path, sizeof path, &at, hsc_rt_me.host);
    hsc_rt_append(path, sizeof path, &at, ".");
    hsc_rt_append_u64(path, sizeof path, &at, pid);
    hsc_rt_append(path, sizeof path, &at, ".hsr");
    return !hsc_sys4(SYS_faccessat, AT_FDCWD, (long)path, F_OK, 0);
}

void hsc_rt_note_gone(long pid, int status) {
    bool told = hsc_rt.job.launcher ? (int)hsc_sys3(SYS_getpid, 0, 0, 0) == hsc_rt.pid : hsc_rt_active();
    if (!status || WIFSTOPPED(status) || WIFCONTINUED(status) || !told || hsc_rt.sandboxed || hsc_rt_is_filtered() || !has_file((uint64_t)pid))
        return;
    uint64_t how = WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : HSC_RT_GONE_STATUS | (uint64_t)WEXITSTATUS(status);
    hsc_rt_note("gone ", how << HSC_RT_WHO_BITS | who((uint64_t)pid));
}

/* The first five are in the threads' CPU time. */
static const char *const took_names[HSC_RT_TOOK] = {"handler ", "interrupts ", "wrappers ", "probes ", "context ", "assistant ", "opening ", "finish "};

static void take(hsc_rt_notes *all, char word, uint64_t v) {
    all->unmeasured = all->unmeasured || (word == 'u' && v == hsc_rt.options.root_pid);
    all->said = all->said || (word == 's' && v == hsc_rt.options.root_pid);
    all->quits |= word == 'q' ? v : 0;
    if (word == 'l') {
        all->lowest_hz = !all->lowered || v < all->lowest_hz ? v : all->lowest_hz;
        all->lowered++;
    }
    all->moved += word == 'k' ? v : 0;
    all->has_probes = all->has_probes || word == 'n';
    all->named |= word == 'n' ? v : 0;
    for (int k = 0; k < HSC_RT_TOOK; k++)
        all->took_us[k] += word == took_names[k][0] ? v : 0;
    if (word == 'e' && v >> RANK_BITS == hsc_rt_me.job) {
        all->ended++;
        all->place = v == rank_of_job() ? all->ended : all->place;
    }
    all->down_us += word == 'd' ? v : 0;
    all->more_us += word == 'm' ? v : 0;
    all->looks_us += word == 'v' ? v : 0;
    all->samples += word ? 0 : v;
    all->time_us += word == 't' ? v : 0;
    all->brief += word == 'b';
    all->brief_us += word == 'b' ? v : 0;
    all->processes += !word && v;
    all->files += !word;
    if (word == 'g' && !(v >> HSC_RT_WHO_BITS & HSC_RT_GONE_STATUS)) {
        if (all->gone < HSC_RT_GONE_NAMED)
            all->gone_first[all->gone] = v;
        all->gone++;
    }
}

static void take_rank(hsc_rt_notes *all, char word, uint64_t v) {
    uint64_t named = (1ull << HSC_RT_WHO_BITS) - 1;
    for (uint64_t i = 0; word == 'r' && i < HSC_RT_GONE_NAMED && i < all->gone; i++)
        if ((all->gone_first[i] & named) == (v & named)) /* a process may have the number of an earlier one: the last line counts */
            all->gone_rank[i] = 1 + (v >> HSC_RT_WHO_BITS);
}

static void read_lines(hsc_rt_notes *all, void (*taken)(hsc_rt_notes *all, char word, uint64_t v)) {
    char path[HSC_RT_PATH], buffer[4096];
    uint64_t v = 0;
    char word = 0;
    long n;
    hsc_rt_append_output(path, sizeof path, ".processes");
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
    while (fd >= 0 && (n = hsc_sys3(SYS_read, fd, (long)buffer, sizeof buffer)) > 0)
        for (long i = 0; i < n; i++) {
            if (buffer[i] >= '0' && buffer[i] <= '9')
                v = v * 10 + (uint64_t)(buffer[i] - '0');
            else if (buffer[i] != '\n')
                word = word ? word : buffer[i];
            else {
                taken(all, word, v);
                v = 0;
                word = 0;
            }
        }
    if (fd >= 0)
        hsc_sys3(SYS_close, fd, 0, 0);
}

hsc_rt_notes hsc_rt_notes_read(void) {
    hsc_rt_notes all = {0};
    read_lines(&all, take);
    if (all.gone)
        read_lines(&all, take_rank);
    return all;
}

uint64_t hsc_rt_switches_most(const hsc_rt_cost *c) {
    enum { MOST = 999999 }; /* what a reader believes */
    uint64_t more = c->switches_ns ? c->untold_ns / (c->switches_ns / HSC_RT_SWITCHES_MOST + 1) : 0;
    return more < MOST - HSC_RT_SWITCHES_MOST ? HSC_RT_SWITCHES_MOST + more : MOST;
}

/* By how much signals, switches and wrappers, which are estimates, may be too much and too little, and the rest too little. */
static void add_doubt(hsc_rt_lines *l, const hsc_rt_told *told) {
    const hsc_rt_cost *c = told->cost;
    if (!hsc_rt.interrupt_least_ns || !hsc_rt.interrupt_ns)
        return;
    uint64_t runs = c->signals_ns / hsc_rt.interrupt_ns, least = runs * hsc_rt.interrupt_least_ns, most = runs * hsc_rt.interrupt_most_ns;
    uint64_t down_ns = (c->signals_ns > least ? c->signals_ns - least : 0) + c->switches_ns * (1000 - HSC_RT_SWITCHES_LEAST) / 1000;
    uint64_t more_ns = (most > c->signals_ns ? most - c->signals_ns : 0) + c->switches_ns * (hsc_rt_switches_most(c) - 1000) / 1000;
    more_ns += (uint64_t)(HSC_COST_WRAPPERS_MOST * (double)c->wrappers_ns + HSC_COST_UNSEEN_MOST * (double)(told->start_ns + told->end_ns));
    down_ns += (uint64_t)(HSC_COST_WRAPPERS_LEAST * (double)c->wrappers_ns);
    if (down_ns >= 1000)
        hsc_rt_lines_add(l, "down ", down_ns / 1000);
    if (more_ns >= 1000)
        hsc_rt_lines_add(l, "more ", more_ns / 1000);
}

void hsc_rt_note_end(const hsc_rt_told *told, bool exits) {
    const hsc_rt_cost *c = told->cost;
    hsc_rt_lines l = {.n = 0};
    uint32_t periods = atomic_load(&hsc_rt.governed);
    if (periods > 1)
        hsc_rt_lines_add(&l, "lowered ", 1000000000u / (hsc_rt.period_ns * periods));
    if (atomic_load(&hsc_rt.moved))
        hsc_rt_lines_add(&l, "kernel ", atomic_load(&hsc_rt.moved));
    const uint64_t took_ns[HSC_RT_TOOK] = {c->handler_ns, c->signals_ns, c->wrappers_ns, c->probes_ns, c->switches_ns, hsc_rt.helper_ns, told->start_ns, told->end_ns};
    for (int k = 0; k < HSC_RT_TOOK; k++)
        if (took_ns[k] >= 1000)
            hsc_rt_lines_add(&l, took_names[k], took_ns[k] / 1000);
    add_doubt(&l, told);
    if (c->looks_ns >= 1000)
        hsc_rt_lines_add(&l, "vain ", c->looks_ns / 1000);
    if (hsc_rt_is_rank() && exits)
        hsc_rt_lines_add(&l, "ended ", rank_of_job());
    hsc_rt_lines_add(&l, "time ", told->time_us);
    hsc_rt_lines_add(&l, "", told->samples);
    hsc_rt_lines_put(&l);
}
