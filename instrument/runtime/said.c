/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a run says on stderr: where it measures, and at its end what was measured, what that took, and where it fell short of what was asked for. */
#include <fcntl.h>
#include <string.h>

#include "notes.h"
#include "probes.h"

/* As short as the user would type it. */
static const char *output_name(void) {
    size_t n = strlen(hsc_rt_me.directory);
    return n > 1 && !strncmp(hsc_rt_me.output, hsc_rt_me.directory, n) && hsc_rt_me.output[n] == '/' ? hsc_rt_me.output + n + 1 : hsc_rt_me.output;
}

void hsc_rt_say_start(void) {
    if (hsc_rt.options.quiet || !(hsc_rt.job.rank == 0 || (hsc_rt.job.rank < 0 && hsc_rt_me.root)) || hsc_rt_me.forked)
        return;
    hsc_rt.talks = true;
    if (hsc_rt_notes_read().said) /* before this process became another program */
        return;
    hsc_rt_note("said ", hsc_rt.options.root_pid);
    char line[2 * HSC_RT_PATH + 1024];
    size_t at = 0;
    hsc_rt_append(line, sizeof line, &at, "sampling ");
    hsc_rt_append_u64(line, sizeof line, &at, hsc_rt.options.frequency);
    hsc_rt_append(line, sizeof line, &at, " times a second of CPU time (");
    hsc_rt_append(line, sizeof line, &at, hsc_rt_mechanism_name(hsc_rt.mechanism));
    if (hsc_rt_me.note[0] && !*hsc_rt.options.mechanism) {
        hsc_rt_append(line, sizeof line, &at, "; ");
        hsc_rt_append(line, sizeof line, &at, hsc_rt_me.note);
    }
    hsc_rt_append(line, sizeof line, &at, ") into "); /* told now: a program that closes stderr, or a signal ends, leaves no room for a last line */
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_append(line, sizeof line, &at, "; at any time, also after Ctrl-C: heatscope report ");
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_say(line);
}

void hsc_rt_say_not_measured(const char *why) {
    char line[512];
    size_t at = 0;
    if (hsc_rt_notes_read().unmeasured)
        return;
    hsc_rt_note("unmeasured ", hsc_rt.options.root_pid);
    hsc_rt_append(line, sizeof line, &at, "not measured: ");
    hsc_rt_append(line, sizeof line, &at, why);
    hsc_rt_say(line);
}

void hsc_rt_say_quit(uint64_t quit, const char *why) {
    bool failure = quit == HSC_RT_QUIT_FILE; /* said of a quiet run, too */
    if ((hsc_rt.options.quiet && !failure) || (hsc_rt_notes_read().quits & quit))
        return;
    hsc_rt_note("quits ", quit);
    hsc_rt_say(why);
}

/* ", down to 125 a second, 2 threads by timer-cpu": why samples are fewer than the rate said, and not all of the clock that the first line names. */
static void append_rate(char *line, size_t size, size_t *at, const hsc_rt_notes *all) {
    if (all->lowered) {
        hsc_rt_append(line, size, at, ", down to ");
        hsc_rt_append_u64(line, size, at, all->lowest_hz);
        hsc_rt_append(line, size, at, hsc_rt.options.budget ? " a second" : " a second, where samples took more than half of the time between them");
    }
    if (!all->moved)
        return;
    hsc_rt_append(line, size, at, ", ");
    hsc_rt_append_u64(line, size, at, all->moved);
    hsc_rt_append(line, size, at, all->moved == 1 ? " thread" : " threads");
    hsc_rt_append(line, size, at, " by timer-cpu for so many switches");
}

/* "3.24 s" */
static void append_seconds(char *line, size_t size, size_t *at, uint64_t time_us) {
    uint64_t hundredths = time_us / 10000;
    hsc_rt_append_u64(line, size, at, hundredths / 100);
    hsc_rt_append(line, size, at, hundredths % 100 < 10 ? ".0" : ".");
    hsc_rt_append_u64(line, size, at, hundredths % 100);
    hsc_rt_append(line, size, at, " s");
}

/* What measuring took, and what the program took by itself, of which that is told. */
typedef struct took {
    uint64_t sum_us, time_us, base_us; /* all parts; CPU time; less what measuring had of it */
    bool most;                         /* measuring took nearly all of the time */
} took;

static took took_of(const hsc_rt_notes *all) {
    took t = {.time_us = all->time_us + all->brief_us};
    uint64_t own = 0;
    for (int k = 0; k < HSC_RT_TOOK; k++) {
        t.sum_us += all->took_us[k];
        own += k < HSC_RT_TOOK_IN_THREADS ? all->took_us[k] : 0;
    }
    t.base_us = t.time_us > own ? t.time_us - own : 0;
    t.most = t.time_us && t.base_us * 20 < t.time_us; /* what switches took is an estimate, and what is left of the time may be nothing */
    return t;
}

static uint64_t tenths_of(uint64_t us, uint64_t base_us) { return base_us ? (us * 1000 + base_us / 2) / base_us : 0; }

/* "3.4" */
static void append_tenths(char *line, size_t size, size_t *at, uint64_t tenths) {
    hsc_rt_append_u64(line, size, at, tenths / 10);
    hsc_rt_append(line, size, at, ".");
    hsc_rt_append_u64(line, size, at, tenths % 10);
}

#define DEAR 50u /* tenths of a percent: then the user is told what took most and what leaves it out, whatever the preset budget */

/* ", 4.6 by samples (-F 20)": what most of it went to, where that is above the budget, and what would help. Probes were asked for by name. */
static void append_dear(char *line, size_t size, size_t *at, const hsc_rt_notes *all) {
    static const int of[HSC_RT_TOOK] = {0, 0, 1, 5, 2, 3, 4, 4}; /* samples, wrappers, switches, helper, start and end; probes */
    static const char *const what[] = {"samples", "wrappers of waits and calls of MPI", "perf's clock at context switches", "the helper thread", "start and end"};
    static const char *const helps[] = {"", "--no-waits and --no-messages leave them out", "--mechanism=timer-cpu saves it", "less of a longer run", "less of a longer run"};
    uint64_t part_us[6] = {0}, budget = hsc_rt.options.budget;
    took t = took_of(all);
    t.sum_us -= all->took_us[HSC_RT_TOOK_PROBES];
    uint64_t added = tenths_of(t.sum_us, t.base_us);
    if (!budget || added <= budget || (!hsc_rt.budget_named && added < DEAR))
        return;
    int most = 0;
    for (int k = 0; k < HSC_RT_TOOK; k++)
        part_us[of[k]] += all->took_us[k];
    for (int k = 1; k < 5; k++)
        most = part_us[k] > part_us[most] ? k : most;
    if (hsc_rt.budget_named) {
        hsc_rt_append(line, size, at, ", above the budget of ");
        append_tenths(line, size, at, budget);
        hsc_rt_append(line, size, at, " %: ");
    } else
        hsc_rt_append(line, size, at, ", ");
    append_tenths(line, size, at, tenths_of(part_us[most], t.base_us));
    hsc_rt_append(line, size, at, " by ");
    hsc_rt_append(line, size, at, what[most]);
    uint64_t hz = most ? 0 : hsc_rt_frugal_hz(all, budget, hsc_rt.options.frequency);
    if (most || hz)
        hsc_rt_append(line, size, at, " (");
    if (hz) {
        hsc_rt_append(line, size, at, "-F ");
        hsc_rt_append_u64(line, size, at, hz);
        hsc_rt_append(line, size, at, " takes fewer");
    } else
        hsc_rt_append(line, size, at, helps[most]);
    hsc_rt_append(line, size, at, most || hz ? ")" : "");
}

#define LOOKS_TOLD 10u /* tenths of a percent */

/* ", and 190 ms more if ...": a thread that waits by looking waits as long without us; one that looks a set number of times does not, and nothing tells which it does. */
static void append_looks(char *line, size_t size, size_t *at, const hsc_rt_notes *all, uint64_t base_us) {
    if (all->looks_us < 1000 || tenths_of(all->looks_us, base_us) < LOOKS_TOLD)
        return;
    hsc_rt_append(line, size, at, ", and some ");
    hsc_rt_append_u64(line, size, at, (all->looks_us + 500) / 1000);
    hsc_rt_append(line, size, at, " ms more where calls of MPI that look in vain (MPI_Test and the like) are a set number, and no wait");
}

/* "; measuring added 3.4 % (~2.9 to 4.0 %, 110 ms)": of what the program took by itself. The parts are in the file; the report tells them. */
static void append_cost(char *line, size_t size, size_t *at, const hsc_rt_notes *all) {
    took t = took_of(all);
    if (t.most) {
        hsc_rt_append(line, size, at, "; measuring took most of that");
        return;
    }
    if (!t.base_us)
        return;
    hsc_rt_append(line, size, at, "; measuring added ");
    append_tenths(line, size, at, tenths_of(t.sum_us, t.base_us));
    hsc_rt_append(line, size, at, " % (");
    uint64_t least = tenths_of(t.sum_us - (all->down_us < t.sum_us ? all->down_us : t.sum_us), t.base_us), most = tenths_of(t.sum_us + all->more_us, t.base_us);
    if (most > least) {
        hsc_rt_append(line, size, at, "~");
        append_tenths(line, size, at, least);
        hsc_rt_append(line, size, at, " to ");
        append_tenths(line, size, at, most);
        hsc_rt_append(line, size, at, " %, ");
    }
    if (t.sum_us >= 10000000)
        append_seconds(line, size, at, t.sum_us);
    else
        hsc_rt_append_u64(line, size, at, (t.sum_us + 500) / 1000);
    hsc_rt_append(line, size, at, t.sum_us >= 10000000 ? ")" : " ms)");
    append_dear(line, size, at, all);
    append_looks(line, size, at, all, t.base_us);
}

/* "201 samples of 3.24 s of CPU time": by the clock, whatever samples were lost. */
static void append_amount(char *line, size_t size, size_t *at, uint64_t samples, uint64_t time_us) {
    hsc_rt_append_u64(line, size, at, samples);
    hsc_rt_append(line, size, at, samples == 1 ? " sample of " : " samples of ");
    append_seconds(line, size, at, time_us);
    hsc_rt_append(line, size, at, " of CPU time");
}

/* The last of all ranks knows what they have in common: "4 ranks: 201 samples of 3.24 s of CPU time; measuring added ..." */
static void say_ranks(const hsc_rt_notes *all) {
    char line[768];
    size_t at = 0;
    hsc_rt_probes_say_unnamed(all->has_probes, all->named);
    hsc_rt_append_u64(line, sizeof line, &at, hsc_rt.job.ranks);
    hsc_rt_append(line, sizeof line, &at, " ranks: ");
    append_amount(line, sizeof line, &at, all->samples, all->time_us);
    append_rate(line, sizeof line, &at, all);
    append_cost(line, sizeof line, &at, all);
    hsc_rt_say(line);
}

/* Files of processes in the directory; UINT64_MAX: it can't be told. */
static uint64_t count_files(void) {
    char path[HSC_RT_PATH];
    uint64_t buffer[512];
    hsc_rt_append_output(path, sizeof path, "");
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
    uint64_t found = 0;
    while (fd >= 0 && (n = hsc_sys3(SYS_getdents64, fd, (long)buffer, sizeof buffer)) > 0)
        for (const uint8_t *p = (const uint8_t *)buffer, *end = p + n; p < end;) {
            uint16_t length;
            memcpy(&length, p + 16, sizeof length);
            const char *name = (const char *)p + 19;
            size_t size = strlen(name);
            found += size > 4 && !strcmp(name + size - 4, ".hsr");
            p += length;
        }
    if (fd >= 0)
        hsc_sys3(SYS_close, fd, 0, 0);
    return fd >= 0 ? found : UINT64_MAX;
}

/* ": rank 2 was ended by SIGSEGV, rank 0 by SIGTERM": as who waited for them was told. */
static void append_gone(char *line, size_t size, size_t *at, const hsc_rt_notes *all) {
    for (uint64_t i = 0; i < all->gone && i < HSC_RT_GONE_NAMED; i++) {
        uint64_t v = all->gone_first[i], signal = v >> HSC_RT_WHO_BITS;
        const char *name = sigabbrev_np((int)signal);
        hsc_rt_append(line, size, at, i ? ", " : ": ");
        hsc_rt_append(line, size, at, all->gone_rank[i] ? "rank " : "process ");
        hsc_rt_append_u64(line, size, at, all->gone_rank[i] ? all->gone_rank[i] - 1 : v & ((1u << HSC_RT_PID_BITS) - 1));
        hsc_rt_append(line, size, at, i ? " by " : " was ended by ");
        hsc_rt_append(line, size, at, name ? "SIG" : "signal ");
        if (name)
            hsc_rt_append(line, size, at, name);
        else
            hsc_rt_append_u64(line, size, at, signal);
    }
    if (all->gone > HSC_RT_GONE_NAMED) {
        hsc_rt_append(line, size, at, ", ");
        hsc_rt_append_u64(line, size, at, all->gone - HSC_RT_GONE_NAMED);
        hsc_rt_append(line, size, at, " more by signals");
    }
}

/* "; more in 4 processes that were killed or still run": these have not told what they have. */
static void append_others(char *line, size_t size, size_t *at, const hsc_rt_notes *all) {
    uint64_t files = count_files();
    if (files == UINT64_MAX || files <= all->files)
        return;
    hsc_rt_append(line, size, at, "; more in ");
    hsc_rt_append_u64(line, size, at, files - all->files);
    hsc_rt_append(line, size, at, files - all->files == 1 ? " process that was killed or still runs" : " processes that were killed or still run");
    append_gone(line, size, at, all);
}

/* There is no sample, as measuring was never on. */
static const char *why_nothing(const hsc_rt_notes *all) {
    if (all->samples || atomic_load(&hsc_rt.measuring))
        return "";
    return hsc_rt.start_at_ns ? "; the program ended before the delay was over" : hsc_rt.options.stopped ? "; nothing has switched measuring on" : "";
}

void hsc_rt_say_end(uint64_t samples, uint64_t time_us) {
    bool first_rank = hsc_rt.job.rank == 0 && !hsc_rt_me.forked;
    if (hsc_rt.options.quiet)
        return;
    hsc_rt_notes all = {0};
    if (hsc_rt_is_rank() && (all = hsc_rt_notes_read()).place == hsc_rt.job.ranks)
        say_ranks(&all);
    if (hsc_rt.job.rank > 0 || !(hsc_rt_me.root || (first_rank && !hsc_rt.options.root_pid)))
        return; /* around mpirun it is mpirun that tells */
    char line[3 * HSC_RT_PATH + 256];
    size_t at = 0;
    if (!hsc_rt_is_rank()) {
        all = hsc_rt_notes_read();
        hsc_rt_probes_say_unnamed(all.has_probes, all.named);
    }
    if (!samples && !all.samples && hsc_rt.job.launcher && !count_files()) {
        hsc_rt_append(line, sizeof line, &at, "nothing was measured: the launcher started no process on this machine that could be; no file is in ");
        hsc_rt_append(line, sizeof line, &at, output_name());
        hsc_rt_say(line);
        return;
    }
    hsc_rt_append(line, sizeof line, &at, "wrote ");
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_append(line, sizeof line, &at, " (");
    if (first_rank && hsc_rt.job.ranks > 1) {
        append_amount(line, sizeof line, &at, samples, time_us);
        hsc_rt_append(line, sizeof line, &at, " in rank 0, more in ");
        hsc_rt_append_u64(line, sizeof line, &at, hsc_rt.job.ranks - 1);
        hsc_rt_append(line, sizeof line, &at, hsc_rt.job.ranks == 2 ? " other rank" : " other ranks");
    } else if (!all.processes && samples) { /* shut off from its files */
        append_amount(line, sizeof line, &at, samples, time_us);
        hsc_rt_append(line, sizeof line, &at, " in this process, which can't read its files any more: the report has all, and what measuring added");
    } else {
        append_amount(line, sizeof line, &at, all.samples, all.time_us);
        if (all.processes > 1) {
            hsc_rt_append(line, sizeof line, &at, " in ");
            hsc_rt_append_u64(line, sizeof line, &at, all.processes);
            hsc_rt_append(line, sizeof line, &at, " processes");
        }
        append_others(line, sizeof line, &at, &all);
        if (all.brief_us * 100 >= all.time_us && all.brief_us >= 10000) {
            hsc_rt_append(line, sizeof line, &at, "; ");
            hsc_rt_append_u64(line, sizeof line, &at, all.brief);
            hsc_rt_append(line, sizeof line, &at, " too short for one: ");
            append_seconds(line, sizeof line, &at, all.brief_us);
        }
    }
    hsc_rt_append(line, sizeof line, &at, ")");
    if (!(first_rank && hsc_rt.job.ranks > 1)) {
        append_rate(line, sizeof line, &at, &all);
        append_cost(line, sizeof line, &at, &all);
    }
    hsc_rt_append(line, sizeof line, &at, why_nothing(&all));
    hsc_rt_append(line, sizeof line, &at, "; next: heatscope report ");
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_append(line, sizeof line, &at, " | heatscope view ");
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_say(line);
}
