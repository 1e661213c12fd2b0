/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Life of the process: start, fork, exec, end. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "gomp.h"
#include "interpose.h"
#include "probes.h"
#include "rt.h"

#define BUSY_LAST_NS 1000000000u /* that the end waits for threads in our handler, which have been preempted there */
#define SAID_WHY "HEATSCOPE_SAID_WHY" /* in the environment: a parent has said why it can't write its file */
#define TRIAL_NAP_NS 1000000u /* of cli/sample_cost.c */
#define INTERRUPT_NS 5000u /* where nobody has measured it: as seen on virtual machines */

extern void *__libc_stack_end; /* of the dynamic linker */

static struct {
    hsc_str arguments[512]; /* copied: programs change theirs, and a child of fork tells them again */
    size_t n_arguments;
    char library[HSC_RT_PATH]; /* this one */
    char texts[8192]; /* the record has to fit in its slot */
    char executable[HSC_RT_PATH], directory[HSC_RT_PATH], output[HSC_RT_PATH], host[65], note[512], event_note[1024];
    bool root, forked, removed, ended;
    uint64_t begin_us; /* CPU time that beginning to measure took */
    uint64_t start_ns; /* the same with `heatscope run` */
    uint64_t end_from_ns; /* the ending thread's clock when it began to end measuring; 0: it has not */
    uint64_t job;      /* tells the job of a rank from others of the directory: 32 bits */
} me;

const char *hsc_rt_library(void) {
    return me.library;
}

bool hsc_rt_active(void) {
    return atomic_load_explicit(&hsc_rt.on, memory_order_relaxed) && (int)hsc_sys3(SYS_getpid, 0, 0, 0) == hsc_rt.pid;
}

/* ---- start ---------------------------------------------------------------------------------------------------------------- */

static void add_note(const char *name, int error, const char *why) {
    size_t at = strlen(me.note);
    if (at)
        hsc_rt_append(me.note, sizeof me.note, &at, "; ");
    hsc_rt_append(me.note, sizeof me.note, &at, name);
    hsc_rt_append(me.note, sizeof me.note, &at, ": ");
    hsc_rt_append(me.note, sizeof me.note, &at, why ? why : error ? strerror(error) : "not asked for");
    if (!strcmp(name, "perf-cpu-clock") && (error == EACCES || error == EPERM))
        hsc_rt_append(me.note, sizeof me.note, &at, " (kernel.perf_event_paranoid above 2, or a container that forbids it)");
}

/* `ns` is what samples that follow each other cost by the trial: of the mechanism that it tried. Those that come as seldom as its first ones, each after a nap,
 * cost what these did; between, in proportion to their distance. */
static void set_interrupt(uint64_t ns) {
    const hsc_rt_options *o = &hsc_rt.options;
    uint64_t tried = o->trap_ns ? o->trap_ns : o->interrupt_ns, cold = o->sample_cold_ns, apart = hsc_rt.period_ns < TRIAL_NAP_NS ? hsc_rt.period_ns : TRIAL_NAP_NS;
    bool has_range = tried && o->sample_least_ns && o->sample_least_ns <= tried && o->sample_most_ns >= tried && o->sample_most_ns >= cold;
    hsc_rt.interrupt_ns = tried && cold > tried ? ns + ns * (cold - tried) / tried * apart / TRIAL_NAP_NS : ns;
    hsc_rt.interrupt_least_ns = has_range ? ns * o->sample_least_ns / tried : 0;
    hsc_rt.interrupt_most_ns = has_range ? ns * o->sample_most_ns / tried : 0;
}

static void set_mechanism(enum hsc_rt_mechanism m) {
    uint64_t trap = hsc_rt.options.trap_ns, measured = m == HSC_RT_PERF_TRAP && trap ? trap : hsc_rt.options.interrupt_ns;
    hsc_rt.mechanism = m;
    set_interrupt(measured ? measured : trap ? trap * 8 / 5 /* docs/costs.md, section 1 */ : INTERRUPT_NS);
    hsc_rt.interrupt_measured = measured != 0;
}

static bool choose_mechanism(void) {
    const char *forced = hsc_rt.options.mechanism;
    bool known = !*forced;
    me.note[0] = 0;
    for (int m = HSC_RT_PERF_TRAP; m <= HSC_RT_CPU; m++) {
        const char *name = hsc_rt_mechanism_name((enum hsc_rt_mechanism)m);
        int error = 0;
        if (*forced && strcmp(forced, name) != 0) {
            if (!known)
                add_note(name, 0, NULL);
            continue;
        }
        known = true;
        const char *why = m == HSC_RT_PERF_TRAP ? hsc_rt_trap_taken() : NULL;
        if (!why && hsc_rt_source_is_deadly((enum hsc_rt_mechanism)m))
            error = ENOSYS;
        else if (!why && hsc_rt_source_probe((enum hsc_rt_mechanism)m, &error)) {
            set_mechanism((enum hsc_rt_mechanism)m);
            return true;
        }
        add_note(name, error, why);
    }
    char line[768];
    size_t at = 0;
    hsc_rt_append(line, sizeof line, &at, "not measured: ");
    if (known)
        hsc_rt_append(line, sizeof line, &at, me.note);
    else {
        hsc_rt_append(line, sizeof line, &at, "HEATSCOPE_MECHANISM: no such mechanism: ");
        hsc_rt_append(line, sizeof line, &at, forced);
    }
    hsc_rt_say(line);
    return false;
}

/* What measuring took beside the threads' samples, waits and probes. */
static uint64_t start_ns(void) { return me.start_ns + atomic_load(&hsc_rt.threads_ns); }

static uint64_t end_ns(void) {
    uint64_t now = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    return me.end_from_ns && now > me.end_from_ns ? now - me.end_from_ns : 0;
}

/* Thousandths of what is told of switches that they may have taken: with yields that are not told. */
static uint64_t switches_most(const hsc_rt_cost *c) {
    enum { MOST = 999999 }; /* what a reader believes */
    uint64_t more = c->switches_ns ? c->untold_ns / (c->switches_ns / HSC_RT_SWITCHES_MOST + 1) : 0;
    return more < MOST - HSC_RT_SWITCHES_MOST ? HSC_RT_SWITCHES_MOST + more : MOST;
}

/* rt.lock is held */
static void put_cost(uint64_t now, const hsc_rt_cost *so_far) {
    hsc_rec_cost c = {.time = now, .handler_ns = so_far->handler_ns, .signals_ns = so_far->signals_ns, .wrappers_ns = so_far->wrappers_ns,
                      .probes_ns = so_far->probes_ns, .switches_ns = so_far->switches_ns, .interrupt_ns = hsc_rt.interrupt_ns, .interrupt_measured = hsc_rt.interrupt_measured,
                      .switch_ns = hsc_rt.switch_cost_ns, .switch_far_ns = hsc_rt.switch_far_ns,
                      .helper_ns = hsc_rt.helper_ns, .budget = hsc_rt.options.budget,
                      .longest_ns = hsc_rt_govern_longest(), .start_ns = start_ns(), .end_ns = end_ns(),
                      .interrupt_least_ns = hsc_rt.interrupt_least_ns, .interrupt_most_ns = hsc_rt.interrupt_most_ns,
                      .switches_least = HSC_RT_SWITCHES_LEAST, .switches_most = switches_most(so_far)};
    hsc_rt_file_put(HSC_REC_cost, &c, now);
}

/* The events asked for, as far as they are to be had: CPU time first. Of others one line says why not. */
static void choose_events(void) {
    hsc_rt.events[0] = (hsc_rt_event){.name = "cpu-clock", .type = 1 /* PERF_TYPE_SOFTWARE */, .period = hsc_rt.period_ns,
                                      .user = true, .is_clock = true};
    hsc_rt.n_events = 1;
    for (const char *list = hsc_rt.options.events; *list;) {
        size_t n = hsc_rt_event_length(list);
        char why[256], line[512];
        hsc_rt_event e;
        int error;
        size_t at = 0;
        why[0] = 0;
        if (n && hsc_rt_event_parse(list, n, &e, why, sizeof why)) {
            if (hsc_rt.n_events == HSC_RT_EVENTS)
                hsc_rt_append(why, sizeof why, &at, "too many events");
            else if ((error = hsc_rt_event_try(&e)))
                hsc_rt_append(why, sizeof why, &at, hsc_rt_event_why(&e, error));
            else
                hsc_rt.events[hsc_rt.n_events++] = e;
        }
        if (why[0]) {
            at = 0;
            hsc_rt_append(line, sizeof line, &at, "event ");
            hsc_rt_append(line, at + n + 1 < sizeof line ? at + n + 1 : sizeof line, &at, list);
            hsc_rt_append(line, sizeof line, &at, " is left out: ");
            hsc_rt_append(line, sizeof line, &at, why);
            if (!hsc_rt.options.root_pid || me.root)
                hsc_rt_say(line);
            at = strlen(me.event_note);
            hsc_rt_append(me.event_note, sizeof me.event_note, &at, at ? "; " : "");
            hsc_rt_append(me.event_note, sizeof me.event_note, &at, line);
        }
        list += n + (list[n] == ',');
    }
}

static void put_process(uint64_t now) {
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    const char *mechanism = hsc_rt_mechanism_name(hsc_rt.mechanism);
    hsc_rec_process p = {.pid = (uint64_t)hsc_rt.pid, .parent_pid = (uint64_t)getppid(), .rank = hsc_rt.job.rank,
                         .ranks = hsc_rt.job.ranks, .host = {me.host, strlen(me.host)},
                         .executable = {me.executable, strlen(me.executable)}, .arguments = {me.arguments, me.n_arguments},
                         .directory = {me.directory, strlen(me.directory)},
                         .start_unix_ns = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec, .start_ns = now,
                         .mechanism = {mechanism, strlen(mechanism)}, .mechanism_note = {me.note, strlen(me.note)},
                         .period_ns = hsc_rt.period_ns, .runtime_version = {HEATSCOPE_VERSION, sizeof HEATSCOPE_VERSION - 1},
                         .job = {hsc_rt.job.id, strlen(hsc_rt.job.id)}};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    p.processors = processors > 0 ? (uint64_t)processors : 0;
    uint64_t mask;
    if (!hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS))
        return;
    hsc_rt_file_put(HSC_REC_process, &p, now);
    for (uint32_t i = 0; i < hsc_rt.n_events; i++) {
        const hsc_rt_event *x = &hsc_rt.events[i];
        const char *name = !i ? "cpu-time" : x->kind == HSC_RT_EVENT_WALL ? "wall time" : x->name;
        const char *unit = !i ? "ns" : x->is_clock ? "s" : "";
        double period = !i ? (double)hsc_rt.period_ns : x->is_clock ? (double)x->period * 1e-9 : (double)x->period;
        hsc_rec_event e = {i, {name, strlen(name)}, {unit, strlen(unit)}, period};
        hsc_rt_file_put(HSC_REC_event, &e, now);
    }
    if (me.event_note[0]) {
        hsc_rec_note r = {now, {me.event_note, strlen(me.event_note)}};
        hsc_rt_file_put(HSC_REC_note, &r, now);
    }
    put_cost(now, &(hsc_rt_cost){0});
    if (!hsc_rt_wanted()) {
        hsc_rec_measuring m = {now, 0, atomic_load(&hsc_rt.traced)  ? HSC_measuring_reason_TRACER /* the parent of a child of fork */
                                       : hsc_rt.options.delay_ms ? HSC_measuring_reason_DELAY
                                       : hsc_rt.options.stopped  ? HSC_measuring_reason_STOPPED
                                                                 : HSC_measuring_reason_PROGRAM};
        hsc_rt_file_put(HSC_REC_measuring, &m, now);
    }
    hsc_rt_names_tell(now);
    hsc_rt_lock_release(&hsc_rt.lock, mask);
}

static void main_stack(uint64_t *low, uint64_t *high) {
    /* the kernel's strings lie above __libc_stack_end in the same mapping */
    struct rlimit limit;
    uint64_t size = 1ull << 30;
    *high = ((uint64_t)__libc_stack_end | (HSC_RT_PAGE - 1)) + 1;
    if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur != RLIM_INFINITY)
        size = limit.rlim_cur;
    *low = *high > size ? *high - size : HSC_RT_PAGE;
}

/* ---- what the processes of a measurement tell each other ----------------------------------------------------------------- */

static void append_path(char *path, size_t size, const char *name) {
    size_t at = 0;
    hsc_rt_append(path, size, &at, me.output);
    hsc_rt_append(path, size, &at, "/");
    hsc_rt_append(path, size, &at, name);
}

/* A line in the file of all: "N" samples of a process that has ended, "time N" microseconds of CPU time of its threads, by the clock, "said P" by a process started by root process P, "unmeasured P" by one that said why it is not,
 * "lowered N" by a process in which threads were sampled only N times a second, to keep to the budget, "brief N" microseconds
 * of CPU time, less what beginning to measure took, of a process that ended before its first sample and has no file (the
 * correlator reads these), "named N" what of --arm and --disarm a process has probes for, by one of took_names microseconds that measuring took, "down N" and "more N" microseconds by which that may be too much and too little, and "ended N" by a rank: its job and its number. */
typedef struct lines {
    char text[512];
    size_t n;
} lines;

static void add_line(lines *l, const char *word, uint64_t value) {
    hsc_rt_append(l->text, sizeof l->text, &l->n, word);
    hsc_rt_append_u64(l->text, sizeof l->text, &l->n, value);
    hsc_rt_append(l->text, sizeof l->text, &l->n, "\n");
}

/* All at once: other processes add theirs. */
static void put_lines(const lines *l) {
    char path[HSC_RT_PATH];
    append_path(path, sizeof path, ".processes");
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0) {
        hsc_rt_write_quietly(fd, l->text, l->n);
        hsc_sys3(SYS_close, fd, 0, 0);
    }
}

static void note(const char *word, uint64_t value) {
    lines l = {.n = 0};
    add_line(&l, word, value);
    put_lines(&l);
}

void hsc_rt_note_named(void) {
    uint64_t named;
    if (!hsc_rt_is_filtered() && hsc_rt_probes_take_named(&named))
        note("named ", named);
}

enum { TOOK_HANDLER, TOOK_SIGNALS, TOOK_WRAPPERS, TOOK_PROBES, TOOK_SWITCHES, TOOK_IN_THREADS, TOOK_HELPER = TOOK_IN_THREADS, TOOK_START, TOOK_END, TOOK };

typedef struct notes {
    uint64_t samples, time_us, processes; /* processes with samples */
    bool said, unmeasured;       /* lines for this root process: of the start, of a process that is not measured */
    uint64_t lowered, lowest_hz; /* processes; 0: none */
    uint64_t moved;              /* threads that were sampled at the kernel's tick for their switches */
    uint64_t brief, brief_us;    /* processes without a file, their CPU time */
    uint64_t took_us[TOOK];      /* of measuring: took_names */
    uint64_t down_us, more_us;   /* what all that may be too much, and too little; both 0: not known */
    bool has_probes;             /* a process */
    uint64_t named;              /* hsc_rt_probes_take_named, of all */
    uint64_t ended, place;       /* ranks of this job; the how many-th this one was, 0: it has not said so */
} notes;

#define RANK_BITS 24u

static uint64_t rank_of_job(void) {
    return me.job << RANK_BITS | ((uint64_t)hsc_rt.job.rank & ((1u << RANK_BITS) - 1));
}

/* What `heatscope run` became, of the ranks that it was started for. */
static bool is_rank(void) {
    return me.root && !me.forked && hsc_rt.job.rank >= 0 && hsc_rt.job.ranks > 1;
}

/* Told apart by the first letter; the first five are in the threads' CPU time. */
static const char *const took_names[TOOK] = {"handler ", "interrupts ", "wrappers ", "probes ", "context ", "assistant ", "opening ", "finish "};

static notes read_notes(void) {
    char path[HSC_RT_PATH], buffer[4096];
    notes all = {0};
    uint64_t v = 0;
    char word = 0;
    long n;
    append_path(path, sizeof path, ".processes");
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
    while (fd >= 0 && (n = hsc_sys3(SYS_read, fd, (long)buffer, sizeof buffer)) > 0)
        for (long i = 0; i < n; i++) {
            if (buffer[i] >= '0' && buffer[i] <= '9')
                v = v * 10 + (uint64_t)(buffer[i] - '0');
            else if (buffer[i] != '\n')
                word = word ? word : buffer[i];
            else {
                all.unmeasured = all.unmeasured || (word == 'u' && v == hsc_rt.options.root_pid);
                all.said = all.said || (word == 's' && v == hsc_rt.options.root_pid);
                if (word == 'l') {
                    all.lowest_hz = !all.lowered || v < all.lowest_hz ? v : all.lowest_hz;
                    all.lowered++;
                }
                all.moved += word == 'k' ? v : 0;
                all.has_probes = all.has_probes || word == 'n';
                all.named |= word == 'n' ? v : 0;
                for (int k = 0; k < TOOK; k++)
                    all.took_us[k] += word == took_names[k][0] ? v : 0;
                if (word == 'e' && v >> RANK_BITS == me.job) {
                    all.ended++;
                    all.place = v == rank_of_job() ? all.ended : all.place;
                }
                all.down_us += word == 'd' ? v : 0;
                all.more_us += word == 'm' ? v : 0;
                all.samples += word ? 0 : v;
                all.time_us += word == 't' ? v : 0;
                all.brief += word == 'b';
                all.brief_us += word == 'b' ? v : 0;
                all.processes += !word && v;
                v = 0;
                word = 0;
            }
        }
    if (fd >= 0)
        hsc_sys3(SYS_close, fd, 0, 0);
    return all;
}

/* As short as the user would type it. */
static const char *output_name(void) {
    size_t n = strlen(me.directory);
    return n > 1 && !strncmp(me.output, me.directory, n) && me.output[n] == '/' ? me.output + n + 1 : me.output;
}

static uint64_t cpu_us(void) { return hsc_rt_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000; }

static void say_start(void) {
    if (hsc_rt.options.quiet || !(hsc_rt.job.rank == 0 || (hsc_rt.job.rank < 0 && me.root)) || me.forked)
        return;
    hsc_rt.talks = true;
    if (read_notes().said) /* before this process became another program */
        return;
    note("said ", hsc_rt.options.root_pid);
    char line[2 * HSC_RT_PATH + 1024];
    size_t at = 0;
    hsc_rt_append(line, sizeof line, &at, "sampling ");
    hsc_rt_append_u64(line, sizeof line, &at, hsc_rt.options.frequency);
    hsc_rt_append(line, sizeof line, &at, " times a second of CPU time (");
    hsc_rt_append(line, sizeof line, &at, hsc_rt_mechanism_name(hsc_rt.mechanism));
    if (me.note[0] && !*hsc_rt.options.mechanism) {
        hsc_rt_append(line, sizeof line, &at, "; ");
        hsc_rt_append(line, sizeof line, &at, me.note);
    }
    hsc_rt_append(line, sizeof line, &at, ") into "); /* told now: a program that closes stderr, or a signal ends, leaves no room for a last line */
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_append(line, sizeof line, &at, "; at any time, also after Ctrl-C: heatscope report ");
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_say(line);
}

/* Once in a measurement, however many such processes there are. */
static void say_not_measured(const char *why) {
    char line[512];
    size_t at = 0;
    if (read_notes().unmeasured)
        return;
    note("unmeasured ", hsc_rt.options.root_pid);
    hsc_rt_append(line, sizeof line, &at, "not measured: ");
    hsc_rt_append(line, sizeof line, &at, why);
    hsc_rt_say(line);
}

/* Opens the file and starts to measure the calling thread. `first`: a delay and a duration begin, at what is told as the process's start. */
static bool begin(uint64_t stack_low, uint64_t stack_high, bool first) {
    const char *why;
    int error;
    bool filtered = hsc_rt_is_filtered();
    if (!me.forked)
        hsc_rt.may_part = hsc_rt_may_part(filtered);
    if (!hsc_rt_file_create(me.output, me.host, hsc_rt.pid, !filtered, &why, &error)) {
        char line[HSC_RT_PATH + 256];
        size_t at = 0;
        hsc_rt_append(line, sizeof line, &at, "not measured: ");
        hsc_rt_append(line, sizeof line, &at, why);
        hsc_rt_append(line, sizeof line, &at, " ");
        hsc_rt_append(line, sizeof line, &at, me.output);
        hsc_rt_append(line, sizeof line, &at, ": ");
        hsc_rt_append(line, sizeof line, &at, strerror(error));
        if (!getenv(SAID_WHY)) { /* nor will its children be, most likely */
            hsc_rt_say(line);
            setenv(SAID_WHY, "1", 1);
        }
        return false;
    }
    if (me.root)
        hsc_rt_spare_allow(me.host);
    uint64_t now = hsc_rt_now_ns();
    if (first)
        hsc_rt_measure_begin(now);
    put_process(now);
    if (atomic_load(&hsc_rt.modules))
        hsc_rt_modules_reset();
    else
        hsc_rt_modules_scan();
    hsc_rt_file_tend(1);
    atomic_store(&hsc_rt.finished, 0);
    atomic_store(&hsc_rt.on, 1);
    hsc_rt_thread_begin(stack_low, stack_high);
    hsc_rt_probes_begin();
    hsc_rt_helper_start();
    return true;
}

/* ---- end ------------------------------------------------------------------------------------------------------------------ */

typedef struct totals {
    uint64_t samples, time_us, lost, waited_ns;
    bool has_messages;
    hsc_rt_cost cost;
} totals;

static totals total(void) {
    totals n = {hsc_rt.ended_records, 0, hsc_rt.ended_lost, hsc_rt.ended_waited_ns, hsc_rt.ended_messages, hsc_rt.ended_cost};
    for (const hsc_rt_thread *t = hsc_rt.threads; t; t = t->next) {
        n.samples += t->records;
        n.lost += t->lost;
        n.waited_ns += t->waits.all_ns;
        n.has_messages |= t->messages != NULL;
        hsc_rt_cost_add(&n.cost, t);
    }
    n.time_us = n.cost.cpu_ns / 1000;
    return n;
}

/* The user may wonder why samples are fewer than the rate said. */
static void say_lowered(const notes *all) {
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
static void say_moved(const notes *all) {
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

static took took_of(const notes *all) {
    took t = {.time_us = all->time_us + all->brief_us};
    uint64_t own = 0;
    for (int k = 0; k < TOOK; k++) {
        t.sum_us += all->took_us[k];
        own += k < TOOK_IN_THREADS ? all->took_us[k] : 0;
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
static void append_cost(char *line, size_t size, size_t *at, const notes *all) {
    static const char *const names[TOOK] = {"handler ", "signals ", "wrappers ", "probes ~", "switches ~", "helper ", "start ", "end "}; /* ~: estimates */
    static const int order[TOOK] = {TOOK_START, TOOK_HANDLER, TOOK_SIGNALS, TOOK_SWITCHES, TOOK_WRAPPERS, TOOK_PROBES, TOOK_HELPER, TOOK_END};
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
    for (int i = 0, told = 0; i < TOOK; i++) {
        uint64_t tenths = tenths_of(all->took_us[order[i]], t.base_us);
        if (!tenths)
            continue;
        hsc_rt_append(line, size, at, told++ ? ", " : ": ");
        hsc_rt_append(line, size, at, names[order[i]]);
        append_tenths(line, size, at, tenths);
    }
}

/* Samples a second that would keep to the budget, if nothing else cost anything: 1, 2 or 5 times a power of ten; 0: as many as were asked for. */
static uint64_t frugal_hz(const notes *all) {
    static const uint64_t steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
    uint64_t cost_us = all->took_us[TOOK_HANDLER] + all->took_us[TOOK_SIGNALS], best = 1;
    uint64_t hz = cost_us ? hsc_rt.options.budget * all->samples * 1000 / cost_us : 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        best = steps[i] <= hz ? steps[i] : best;
    return !cost_us || best >= hsc_rt.options.frequency ? 0 : best;
}

/* Whoever names a budget, or takes the preset one, is told where it was not kept, by what most, and what would help. Probes were asked for by name. */
static void say_missed(const notes *all) {
    static const int of[TOOK] = {0, 0, 1, 5, 2, 3, 4, 4}; /* samples, wrappers, switches, helper, start and end; probes */
    static const char *const what[] = {"samples", "wrappers of waits and calls of MPI", "perf's clock at context switches", "the helper thread", "start and end"};
    uint64_t part_us[6] = {0}, least_hz = 1000000000 / hsc_rt_govern_longest(), budget = hsc_rt.options.budget;
    took t = took_of(all);
    t.sum_us -= all->took_us[TOOK_PROBES];
    if (!budget || t.most || !t.base_us || tenths_of(t.sum_us, t.base_us) <= budget)
        return;
    int most = 0;
    for (int k = 0; k < TOOK; k++)
        part_us[of[k]] += all->took_us[k];
    for (int k = 1; k < 5; k++)
        most = part_us[k] > part_us[most] ? k : most;
    char line[512];
    size_t at = 0;
    hsc_rt_append(line, sizeof line, &at, "above the budget of ");
    append_tenths(line, sizeof line, &at, budget);
    hsc_rt_append(line, sizeof line, &at, " %: measuring added ");
    append_tenths(line, sizeof line, &at, tenths_of(t.sum_us, t.base_us));
    hsc_rt_append(line, sizeof line, &at, all->took_us[TOOK_PROBES] ? " % without probes, " : " %, ");
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
static void say_ranks(const notes *all) {
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
    append_path(path, sizeof path, "");
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

static void say_end(const totals *own) {
    bool first_rank = hsc_rt.job.rank == 0 && !me.forked;
    if (hsc_rt.options.quiet)
        return;
    notes all = {0};
    if (is_rank() && (all = read_notes()).place == hsc_rt.job.ranks)
        say_ranks(&all);
    if (hsc_rt.job.rank > 0 || !(me.root || (first_rank && !hsc_rt.options.root_pid)))
        return; /* around mpirun it is mpirun that tells */
    char line[3 * HSC_RT_PATH + 256];
    size_t at = 0;
    if (!is_rank() && (all = read_notes()).lowered)
        say_lowered(&all);
    if (!is_rank()) {
        say_moved(&all);
        say_missed(&all);
        hsc_rt_probes_say_unnamed(all.has_probes, all.named);
    }
    if (!own->samples && !all.samples && hsc_rt.job.launcher && !has_files()) {
        hsc_rt_append(line, sizeof line, &at, "nothing was measured: the launcher started no process on this machine that could be; no file is in ");
        hsc_rt_append(line, sizeof line, &at, output_name());
        hsc_rt_say(line);
        return;
    }
    hsc_rt_append(line, sizeof line, &at, "wrote ");
    hsc_rt_append(line, sizeof line, &at, output_name());
    hsc_rt_append(line, sizeof line, &at, " (");
    if (first_rank && hsc_rt.job.ranks > 1) {
        append_amount(line, sizeof line, &at, own->samples, own->time_us);
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

/* Until the thread is out of its handler, where it may have been preempted. False: it stays there (or is the one that called
 * us, out of a handler of the program that interrupted ours): its writer is not to be touched. */
static bool wait_for(const hsc_rt_thread *t, uint64_t end_ns) {
    struct timespec nap = {0, 100000};
    for (int i = 0; atomic_load(&t->busy); i++) {
        if (t == hsc_rt_self || hsc_rt_now_ns() >= end_ns)
            return false;
        if (i < 1000)
            hsc_relax();
        else
            hsc_sys4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&nap, 0);
    }
    return true;
}

/* By how much signals and switches, which are estimates, may be too much and too little. */
static void add_doubt(lines *l, const hsc_rt_cost *c) {
    if (!hsc_rt.interrupt_least_ns || !hsc_rt.interrupt_ns)
        return;
    uint64_t runs = c->signals_ns / hsc_rt.interrupt_ns, least = runs * hsc_rt.interrupt_least_ns, most = runs * hsc_rt.interrupt_most_ns;
    uint64_t down_ns = (c->signals_ns > least ? c->signals_ns - least : 0) + c->switches_ns * (1000 - HSC_RT_SWITCHES_LEAST) / 1000;
    uint64_t more_ns = (most > c->signals_ns ? most - c->signals_ns : 0) + c->switches_ns * (switches_most(c) - 1000) / 1000;
    if (down_ns >= 1000)
        add_line(l, "down ", down_ns / 1000);
    if (more_ns >= 1000)
        add_line(l, "more ", more_ns / 1000);
}

void hsc_rt_finish(uint64_t how) {
    if (!hsc_rt_active() || atomic_exchange(&hsc_rt.finished, 1))
        return;
    int saved_errno = errno;
    me.end_from_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    atomic_store(&hsc_rt.on, 0);
    if (hsc_rt_self)
        hsc_rt_source_stop(hsc_rt_self);
    if (how == HSC_end_kind_EXEC)
        hsc_rt_source_drain();
    atomic_store(&hsc_rt.helper_quit, 1); /* not waited for: it finds `finished` under the locks */
    uint64_t mask;
    totals n = {0};
    bool remove = false;
    if (hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS)) {
        uint64_t end = hsc_rt_now_ns() + BUSY_LAST_NS;
        for (hsc_rt_thread *t = hsc_rt.threads; t; t = t->next)
            hsc_rt_thread_close(t, hsc_rt_thread_cpu_ns(t->tid), false, wait_for(t, end));
        n = total();
        uint64_t now = hsc_rt_now_ns();
        hsc_rt.untold[HSC_loss_reason_UNREGISTERED] += atomic_exchange(&hsc_rt.unregistered, 0);
        for (uint64_t i = 0; i < sizeof hsc_rt.untold / sizeof hsc_rt.untold[0]; i++) {
            hsc_rec_loss r = {0, now, hsc_rt.untold[i], i};
            if (r.count && hsc_rt_file_put_end(HSC_REC_loss, &r, now, true))
                hsc_rt.untold[i] = 0;
        }
        hsc_rt.helper_ns = hsc_rt_helper_cpu_ns();
        put_cost(now, &n.cost);
        hsc_rec_process_end e = {now, hsc_rt_clock_ns(CLOCK_PROCESS_CPUTIME_ID), how};
        hsc_rt_file_put_end(HSC_REC_process_end, &e, now, true);
        /* what only became another program, or was too short for a sample and for a wait of that length, is not worth a file; the correlator
         * asks the same (correlate/join/read.c) */
        bool counts = n.samples || n.lost || n.waited_ns >= hsc_rt.period_ns || n.has_messages || atomic_load(&hsc_rt_probe_state.used);
        remove = !counts && hsc_rt.job.rank < 0 && (how == HSC_end_kind_EXEC || !me.root);
        if (!remove)
            hsc_rt_file_finish();
        hsc_rt_lock_release(&hsc_rt.lock, mask);
    }
    me.removed = remove;
    if (remove)
        hsc_rt_file_remove(hsc_rt_is_filtered() ? NULL : me.host); /* a filter may end who makes an unusual call */
    if (remove) {
        uint64_t us = cpu_us();
        lines l = {.n = 0};
        if (how != HSC_end_kind_EXEC) /* the clock of one that becomes another program goes on */
            add_line(&l, "brief ", us > me.begin_us ? us - me.begin_us : 0);
        add_line(&l, "opening ", (start_ns() + end_ns()) / 1000);
        put_lines(&l);
    }
    if (!remove) {
        lines l = {.n = 0};
        uint32_t periods = atomic_load(&hsc_rt.governed);
        if (periods > 1)
            add_line(&l, "lowered ", 1000000000u / (hsc_rt.period_ns * periods));
        if (atomic_load(&hsc_rt.moved))
            add_line(&l, "kernel ", atomic_load(&hsc_rt.moved));
        const uint64_t took_ns[TOOK] = {n.cost.handler_ns, n.cost.signals_ns, n.cost.wrappers_ns, n.cost.probes_ns, n.cost.switches_ns, hsc_rt.helper_ns, start_ns(), end_ns()};
        for (int k = 0; k < TOOK; k++)
            if (took_ns[k] >= 1000)
                add_line(&l, took_names[k], took_ns[k] / 1000);
        add_doubt(&l, &n.cost);
        if (is_rank() && how == HSC_end_kind_EXIT)
            add_line(&l, "ended ", rank_of_job());
        add_line(&l, "time ", n.time_us);
        add_line(&l, "", n.samples);
        put_lines(&l);
    }
    if (me.root && how != HSC_end_kind_EXEC)
        hsc_rt_spare_end(me.host);
    if (how == HSC_end_kind_EXIT)
        say_end(&n);
    errno = saved_errno;
}

static void at_exit(void) {
    if (hsc_rt.sandboxed)
        return;
    if (hsc_rt.job.launcher && (int)hsc_sys3(SYS_getpid, 0, 0, 0) == hsc_rt.pid && !me.ended) {
        me.ended = true;
        say_end(&(totals){0});
    }
    hsc_rt_finish(HSC_end_kind_EXIT);
}

/* exec did not happen: go on, in the same file unless it was removed */
void hsc_rt_unfinish(void) {
    if ((int)hsc_sys3(SYS_getpid, 0, 0, 0) != hsc_rt.pid || !atomic_load(&hsc_rt.finished))
        return;
    int saved_errno = errno;
    uint64_t mask;
    hsc_rt_helper_stop();
    me.end_from_ns = 0;
    if (me.removed) {
        me.start_ns = 0; /* has been told */
        atomic_store(&hsc_rt.threads_ns, 0);
        if (hsc_rt.live_threads <= 1) {
            uint64_t low = hsc_rt_self ? hsc_rt_self->stack_low : 0, high = hsc_rt_self ? hsc_rt_self->stack_high : 0;
            hsc_rt_file_unmap();
            hsc_rt_file_forget();
            hsc_rt_threads_forget();
            begin(low, high, false);
        }
    } else if (hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS)) {
        bool ok = hsc_rt_file_go_on();
        hsc_rt_lock_release(&hsc_rt.lock, mask);
        if (ok) {
            atomic_store(&hsc_rt.finished, 0);
            atomic_store(&hsc_rt.on, 1);
            hsc_rt_helper_start();
            if (hsc_rt_self)
                hsc_rt_source_start(hsc_rt_self);
        }
    }
    errno = saved_errno;
}

/* ---- fork ------------------------------------------------------------------------------------------------------------------ */

/* Several threads may fork at a time: the masks belong to who holds the locks. */
static uint64_t mask_modules, mask_threads, mask_file;
static __thread bool locked __attribute__((tls_model("initial-exec")));

static void before_fork(void) {
    uint64_t mask;
    locked = false;
    if (!hsc_rt_active())
        return;
    if (!hsc_rt_lock_take(&hsc_rt.modules_lock, &mask, -1))
        return;
    mask_modules = mask;
    hsc_rt_lock_take(&hsc_rt.lock, &mask_threads, -1);
    hsc_rt_lock_take(&hsc_rt.file.lock, &mask_file, -1);
    locked = true;
}

static void after_fork_parent(void) {
    if (!locked)
        return;
    locked = false;
    hsc_rt_lock_release(&hsc_rt.file.lock, mask_file);
    hsc_rt_lock_release(&hsc_rt.lock, mask_threads);
    hsc_rt_lock_release(&hsc_rt.modules_lock, mask_modules);
}

static void after_fork_child(void) {
    bool was_on = locked;
    int saved_errno = errno;
    if (!was_on) {
        if (!hsc_rt.sandboxed && hsc_rt.pid != (int)hsc_sys3(SYS_getpid, 0, 0, 0))
            atomic_store(&hsc_rt.on, 0);
        return;
    }
    uint64_t low = hsc_rt_self ? hsc_rt_self->stack_low : 0, high = hsc_rt_self ? hsc_rt_self->stack_high : 0;
    atomic_store(&hsc_rt.lock.word, 0);
    atomic_store(&hsc_rt.modules_lock.word, 0);
    atomic_store(&hsc_rt_probe_state.lock.word, 0);
    hsc_rt_helper_forget();
    atomic_store(&hsc_rt.unregistered, 0);
    hsc_rt.ended_lost = hsc_rt.ended_records = hsc_rt.ended_waited_ns = 0;
    hsc_rt.ended_messages = false;
    memset(hsc_rt.untold, 0, sizeof hsc_rt.untold);
    atomic_store(&hsc_rt_probe_state.used, 0);
    atomic_store(&hsc_rt.governed, 0);
    atomic_store(&hsc_rt.moved, 0);
    hsc_rt.ended_cost = (hsc_rt_cost){0};
    hsc_rt.helper_ns = hsc_rt.helper_gone_ns = 0;
    atomic_store(&hsc_rt.threads_ns, 0);
    me.end_from_ns = me.start_ns = 0;
    atomic_store(&hsc_rt.helper_share_q32, 0);
    hsc_rt.pid = (int)hsc_sys3(SYS_getpid, 0, 0, 0);
    me.root = false;
    me.forked = true;
    hsc_rt_file_forget();
    hsc_rt_threads_forget();
    if (hsc_rt.mechanism == HSC_RT_PERF_TRAP && atomic_exchange(&hsc_rt.trap_off, 0)) {
        set_mechanism(HSC_RT_PERF);
        me.note[0] = 0;
        add_note("perf-cpu-clock-trap", 0, "the program wants SIGTRAP for itself");
    }
    hsc_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask_modules, 0, 8);
    uint64_t before_us = cpu_us();
    if (!strcmp(hsc_rt.options.children, "ignore") || !begin(low, high, false)) {
        atomic_store(&hsc_rt.on, 0);
        hsc_rt_signal_restore();
    } else if (hsc_rt.same_process)
        atomic_store(hsc_rt.same_process, 1);
    me.begin_us = cpu_us() - before_us;
    me.start_ns = me.begin_us * 1000;
    errno = saved_errno;
}

/* ---- constructor, destructor ------------------------------------------------------------------------------------------------ */

/* So that wrappers know a child that nobody told us of without asking the kernel each time. */
static void mark_process(void) {
    uint8_t *page = hsc_rt_map(HSC_RT_PAGE);
    if (!page || hsc_sys3(SYS_madvise, (long)page, HSC_RT_PAGE, MADV_WIPEONFORK)) {
        hsc_rt_unmap(page, HSC_RT_PAGE);
        return;
    }
    hsc_rt.same_process = (_Atomic uint32_t *)page;
    atomic_store(hsc_rt.same_process, 1);
}

/* With HEATSCOPE_CHILDREN=ignore: is this a process that a measured one has started? */
static bool ignored(void) {
    if (strcmp(hsc_rt.options.children, "ignore"))
        return false;
    const char *first = getenv("HEATSCOPE_FIRST");
    char number[24];
    size_t at = 0;
    hsc_rt_append_u64(number, sizeof number, &at, (uint64_t)hsc_rt.pid);
    if (first && *first)
        return strcmp(first, number) != 0;
    setenv("HEATSCOPE_FIRST", number, 1);
    return false;
}

static void keep_arguments(int argc, char **argv) {
    size_t used = 0;
    for (int i = 0; i < argc && argv[i] && me.n_arguments < sizeof me.arguments / sizeof *me.arguments; i++) {
        size_t length = strnlen(argv[i], 1024);
        if (length > sizeof me.texts - used)
            break;
        memcpy(me.texts + used, argv[i], length);
        me.arguments[me.n_arguments++] = (hsc_str){me.texts + used, length};
        used += length;
    }
}

static __attribute__((constructor(101))) void start(int argc, char **argv, char **environment) {
    (void)environment;
    if (hsc_rt.pid)
        return;
    int saved_errno = errno;
    uint64_t before_us = cpu_us();
    hsc_rt_locks_init();
    hsc_rt_waits_init();
    hsc_rt_gomp_init();
    hsc_rt_options_read(&hsc_rt.options);
    if (!*hsc_rt.options.output)
        return;
    ssize_t n = readlink("/proc/self/exe", me.executable, sizeof me.executable - 1);
    me.executable[n > 0 ? n : 0] = 0;
    hsc_rt.pid = (int)getpid();
    me.root = hsc_rt.options.root_pid == (uint64_t)hsc_rt.pid;
    const char *run = getenv("HEATSCOPE_RUN");
    me.job = hsc_hash64(0, run, run ? strlen(run) : 0) >> 32;
    keep_arguments(argc, argv);
    Dl_info library;
    size_t at = 0;
    if (dladdr(&me, &library) && library.dli_fname && library.dli_fname[0] == '/')
        hsc_rt_append(me.library, sizeof me.library, &at, library.dli_fname);
    if (!getcwd(me.directory, sizeof me.directory))
        me.directory[0] = 0;
    at = 0;
    if (hsc_rt.options.output[0] != '/') {
        hsc_rt_append(me.output, sizeof me.output, &at, me.directory);
        hsc_rt_append(me.output, sizeof me.output, &at, "/");
    }
    hsc_rt_append(me.output, sizeof me.output, &at, hsc_rt.options.output);
    struct utsname u;
    at = 0;
    hsc_rt_append(me.host, sizeof me.host, &at, uname(&u) ? "localhost" : u.nodename);
    hsc_rt_job_read(&hsc_rt.job, me.executable);
    uint64_t launch_ns = me.root ? hsc_rt.options.launch_ns : 0;
    if (launch_ns) /* told once: this process may become another program */
        unsetenv("HEATSCOPE_LAUNCH_NS");
    if (hsc_rt.job.launcher) {
        if (launch_ns)
            note("opening ", launch_ns / 1000);
        errno = saved_errno;
        return;
    }
    if (ignored()) {
        errno = saved_errno;
        return;
    }
    if (hsc_rt_is_go_program()) {
        say_not_measured("a Go program, whose runtime tolerates no signals but its own");
        errno = saved_errno;
        return;
    }
    if (hsc_rt_is_traced()) {
        say_not_measured("a debugger or tracer holds the process, and would be told of each sample's signal");
        errno = saved_errno;
        return;
    }
    hsc_rt.signal = (int)hsc_rt.options.signal;
    hsc_rt.period_ns = 1000000000u / hsc_rt.options.frequency;
    hsc_rt.tick_ns = 4 * hsc_rt.period_ns > HSC_RT_TICK_NS ? 4 * hsc_rt.period_ns : HSC_RT_TICK_NS;
    const char *frequency = getenv("HEATSCOPE_FREQUENCY"), *budget = getenv("HEATSCOPE_BUDGET");
    hsc_rt.budget_named = budget && *budget;
    if (frequency && *frequency && !hsc_rt.budget_named)
        hsc_rt.options.budget = 0; /* who asks for a rate gets it */
    uint64_t cycles, t0 = hsc_rt_now_both(&cycles);
    choose_events();
    if (choose_mechanism()) {
        uint64_t low, high;
        hsc_rt_commands_begin(me.output, me.host);
        hsc_rt_watch_begin(&_r_debug);
        hsc_rt_signal_install();
        hsc_rt_threads_init();
        mark_process();
        pthread_atfork(before_fork, after_fork_parent, after_fork_child);
        at_quick_exit(at_exit);
        main_stack(&low, &high);
        while (hsc_rt_now_ns() - t0 < 20000) /* a first estimate; the helper's is better */
            hsc_relax();
        uint64_t cycles_then, t1 = hsc_rt_now_both(&cycles_then);
        hsc_rt.ns_per_cycle_q32 = hsc_rt_cycle_rate(t1 - t0, cycles_then - cycles);
        if (begin(low, high, true))
            say_start();
        me.begin_us = cpu_us() - before_us + launch_ns / 1000;
        me.start_ns = me.begin_us * 1000;
    }
    errno = saved_errno;
}

static __attribute__((destructor(101))) void stop(void) {
    at_exit();
}

HSC_RT_EXPORT _Noreturn void _exit(int code) {
    at_exit();
    hsc_sys3(SYS_exit_group, code, 0, 0);
    __builtin_unreachable();
}

HSC_RT_EXPORT _Noreturn void _Exit(int code) {
    _exit(code);
}
