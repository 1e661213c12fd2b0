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

/* The user may wonder why samples are fewer than the rate said. */
static void say_lowered(const hsc_rt_notes *all) {
    char line[512];
    size_t at = 0;
    hsc_rt_append(line, sizeof line, &at, "sampled down to ");
    hsc_rt_append_u64(line, sizeof line, &at, all->lowest_hz);
    if (hsc_rt.options.budget) {
        hsc_rt_append(line, sizeof line, &at, " times a second for the budget of ");
        hsc_rt_append_u64(line, sizeof line, &at, hsc_rt.options.budget / 10);
        hsc_rt_append(line, sizeof line, &at, ".");
        hsc_rt_append_u64(line, sizeof line, &at, hsc_rt.options.budget % 10);
        hsc_rt_append(line, sizeof line, &at, " % (");
    } else
        hsc_rt_append(line, sizeof line, &at, " times a second, where samples took more than half of the time between them (");
    hsc_rt_append_u64(line, sizeof line, &at, all->lowered);
    hsc_rt_append(line, sizeof line, &at, all->lowered == 1 ? " process)" : " processes)");
    uint64_t least_hz = 1000000000 / hsc_rt_govern_longest();
    if (hsc_rt.options.budget && all->lowest_hz < 2 * least_hz) { /* what is told next may be more than the budget */
        hsc_rt_append(line, sizeof line, &at, ", never below ");
        hsc_rt_append_u64(line, sizeof line, &at, least_hz);
        hsc_rt_append(line, sizeof line, &at, " whatever measuring costs");
    }
    hsc_rt_append(line, sizeof line, &at, hsc_rt.options.budget ? "; with --budget=off the rate stays" : "");
    hsc_rt_say(line);
}

/* Their samples are fewer, too, and not of the clock that the first line names. */
static void say_moved(const hsc_rt_notes *all) {
    char line[512];
    size_t at = 0;
    if (!all->moved)
        return;
    hsc_rt_append_u64(line, sizeof line, &at, all->moved);
    hsc_rt_append(line, sizeof line, &at, all->moved == 1 ? " thread switched" : " threads switched");
    hsc_rt_append(line, sizeof line, &at, " so often that perf's clock would have slowed ");
    hsc_rt_append(line, sizeof line, &at, all->moved == 1 ? "it" : "them");
    hsc_rt_append(line, sizeof line, &at, " down: sampled by timer-cpu meanwhile, at the kernel's ticks; with --budget=off perf's clock stays");
    hsc_rt_say(line);
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

/* "; measuring added 3.4 % (~2.9 to 4.0 %, 110 ms): start 1.1, handler 0.4, signals 1.5, helper 0.4": of what the program took by itself. */
static void append_cost(char *line, size_t size, size_t *at, const hsc_rt_notes *all) {
    static const char *const names[HSC_RT_TOOK] = {"handler ", "signals ", "wrappers ", "probes ~", "switches ~", "helper ", "start ", "end "}; /* ~: estimates */
    static const int order[HSC_RT_TOOK] = {HSC_RT_TOOK_START, HSC_RT_TOOK_HANDLER, HSC_RT_TOOK_SIGNALS, HSC_RT_TOOK_SWITCHES, HSC_RT_TOOK_WRAPPERS, HSC_RT_TOOK_PROBES, HSC_RT_TOOK_HELPER, HSC_RT_TOOK_END};
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
    for (int i = 0, told = 0; i < HSC_RT_TOOK; i++) {
        uint64_t tenths = tenths_of(all->took_us[order[i]], t.base_us);
        if (!tenths)
            continue;
        hsc_rt_append(line, size, at, told++ ? ", " : ": ");
        hsc_rt_append(line, size, at, names[order[i]]);
        append_tenths(line, size, at, tenths);
    }
}

/* Samples a second that would keep to the budget, if nothing else cost anything: 1, 2 or 5 times a power of ten; 0: as many as were asked for. */
static uint64_t frugal_hz(const hsc_rt_notes *all) {
    static const uint64_t steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
    uint64_t cost_us = all->took_us[HSC_RT_TOOK_HANDLER] + all->took_us[HSC_RT_TOOK_SIGNALS], best = 1;
    uint64_t hz = cost_us ? hsc_rt.options.budget * all->samples * 1000 / cost_us : 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        best = steps[i] <= hz ? steps[i] : best;
    return !cost_us || best >= hsc_rt.options.frequency ? 0 : best;
}

/* Whoever names a budget, or takes the preset one, is told where it was not kept, by what most, and what would help. Probes were asked for by name. */
static void say_missed(const hsc_rt_notes *all) {
    static const int of[HSC_RT_TOOK] = {0, 0, 1, 5, 2, 3, 4, 4}; /* samples, wrappers, switches, helper, start and end; probes */
    static const char *const what[] = {"samples", "wrappers of waits and calls of MPI", "perf's clock at context switches", "the helper thread", "start and end"};
    uint64_t part_us[6] = {0}, least_hz = 1000000000 / hsc_rt_govern_longest(), budget = hsc_rt.options.budget;
    took t = took_of(all);
    t.sum_us -= all->took_us[HSC_RT_TOOK_PROBES];
    if (!budget || t.most || !t.base_us || tenths_of(t.sum_us, t.base_us) <= budget)
        return;
    int most = 0;
    for (int k = 0; k < HSC_RT_TOOK; k++)
        part_us[of[k]] += all->took_us[k];
    for (int k = 1; k < 5; k++)
        most = part_us[k] > part_us[most] ? k : most;
    char line[512];
    size_t at = 0;
    hsc_rt_append(line, sizeof line, &at, "above the budget of ");
    append_tenths(line, sizeof line, &at, budget);
    hsc_rt_append(line, sizeof line, &at, " %: measuring added ");
    append_tenths(line, sizeof line, &at, tenths_of(t.sum_us, t.base_us));
    hsc_rt_append(line, sizeof line, &at, all->took_us[HSC_RT_TOOK_PROBES] ? " % without probes, " : " %, ");
    append_tenths(line, sizeof line, &at, tenths_of(part_us[most], t.base_us));
    hsc_rt_append(line, sizeof line, &at, " by ");
    hsc_rt_append(line, sizeof line, &at, what[most]);
    bool lowest = all->lowered && all->lowest_hz < 2 * least_hz;
    uint64_t hz = frugal_hz(all);
    if (most == 0 && lowest && !hsc_rt.budget_named)
        hsc_rt_append(line, sizeof line, &at, ", whose rate is lowered no further unless --budget names a budget");
    else if (most == 0)
        hsc_rt_append(line, sizeof line, &at, lowest         ? ", whose rate can't be lowered further"
                                              : all->lowered ? ", most of it before their rate was lowered"
                                                             : ", whose rate is looked at each 0.05 s of a thread's CPU time, twice before it is lowered");
    else if (most == 1)
        hsc_rt_append(line, sizeof line, &at, ", which no rate saves; --no-waits and --no-messages leave them out");
    else if (most == 2)
        hsc_rt_append(line, sizeof line, &at, hsc_rt.budget_named ? ", which no rate saves; --mechanism=timer-cpu does"
                                                                  : ", which no rate saves; a budget that --budget names moves such threads to a timer earlier");
    else
        hsc_rt_append(line, sizeof line, &at, ", whatever the rate: less of a longer run");
    if (most == 0 && hz) {
        hsc_rt_append(line, sizeof line, &at, "; -F ");
        hsc_rt_append_u64(line, sizeof line, &at, hz);
        hsc_rt_append(line, sizeof line, &at, " samples so seldom from the start");
    }
    hsc_rt_say(line);
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
    char line[512];
    size_t at = 0;
    if (all->lowered)
        say_lowered(all);
    say_moved(all);
    say_missed(all);
    hsc_rt_probes_say_unnamed(all->has_probes, all->named);
    hsc_rt_append_u64(line, sizeof line, &at, hsc_rt.job.ranks);
    hsc_rt_append(line, sizeof line, &at, " ranks: ");
    append_amount(line, sizeof line, &at, all->samples, all->time_us);
    append_cost(line, sizeof line, &at, all);
    hsc_rt_say(line);
}

/* Is there a file of a process in the directory? */
static bool has_files(void) {
    char path[HSC_RT_PATH];
    uint64_t buffer[512];
    hsc_rt_append_output(path, sizeof path, "");
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
    bool found = fd < 0; /* it can't be told */
    while (!found && (n = hsc_sys3(SYS_getdents64, fd, (long)buffer, sizeof buffer)) > 0)
        for (const uint8_t *p = (const uint8_t *)buffer, *end = p + n; p < end && !found;) {
            uint16_t length;
            memcpy(&length, p + 16, sizeof length);
            const char *name = (const char *)p + 19;
            size_t size = strlen(name);
            found = size > 4 && !strcmp(name + size - 4, ".hsr");
            p += length;
        }
    if (fd >= 0)
        hsc_sys3(SYS_close, fd, 0, 0);
    return found;
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
    if (!hsc_rt_is_rank() && (all = hsc_rt_notes_read()).lowered)
        say_lowered(&all);
    if (!hsc_rt_is_rank()) {
        say_moved(&all);
        say_missed(&all);
        hsc_rt_probes_say_unnamed(all.has_probes, all.named);
    }
    if (!samples && !all.samples && hsc_rt.job.launcher && !has_files()) {
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
        hsc_rt_append(line, sizeof line, &at, " other ranks");
    } else {
        append_amount(line, sizeof line, &at, all.samples, all.time_us);
        if (all.processes > 1) {
            hsc_rt_append(line, sizeof line, &at, " in ");
            hsc_rt_append_u64(line, sizeof line, &at, all.processes);
            hsc_rt_append(line, sizeof line, &at, " processes");
        }
        if (all.brief_us * 100 >= all.time_us && all.brief_us >= 10000) {
            hsc_rt_append(line, sizeof line, &at, "; ");
            hsc_rt_append_u64(line, sizeof line, &at, all.brief);
            hsc_rt_append(line, sizeof line, &at, " too short for one: ");
            append_seconds(line, sizeof line, &at, all.brief_us);
        }
    }
    hsc_rt_append(line, sizeof line, &at, ")");
    if (!(first_rank && hsc_rt.job.ranks > 1))
        append_cost(line, sizeof line, &at, &all);
    hsc_rt_append(line, sizeof line, &at, "; next: heatscope report ");
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_append(line, sizeof line, &at, " | heatscope view ");
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_say(line);
}
