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

#include <heatscope/formats/cost.h>

#include "gomp.h"
#include "interpose.h"
#include "environment.h"
#include "notes.h"
#include "probes.h"
#include "rt.h"

#define BUSY_LAST_NS 1000000000u /* that the end waits for threads in our handler, which have been preempted there */
#define SAID_WHY "HEATSCOPE_SAID_WHY" /* in the environment: a parent has said why it can't write its file */
#define TRIAL_NAP_NS 1000000u /* of cli/sample_cost.c */
#define INTERRUPT_NS 5000u /* where nobody has measured it: as seen on virtual machines */

extern void *__libc_stack_end; /* of the dynamic linker */

hsc_rt_itself hsc_rt_me;

const char *hsc_rt_library(void) {
    return hsc_rt_me.library;
}

bool hsc_rt_active(void) {
    return atomic_load_explicit(&hsc_rt.on, memory_order_relaxed) && (int)hsc_sys3(SYS_getpid, 0, 0, 0) == hsc_rt.pid;
}

/* ---- start ---------------------------------------------------------------------------------------------------------------- */

static void add_note(const char *name, int error, const char *why) {
    size_t at = strlen(hsc_rt_me.note);
    if (at)
        hsc_rt_append(hsc_rt_me.note, sizeof hsc_rt_me.note, &at, "; ");
    hsc_rt_append(hsc_rt_me.note, sizeof hsc_rt_me.note, &at, name);
    hsc_rt_append(hsc_rt_me.note, sizeof hsc_rt_me.note, &at, ": ");
    hsc_rt_append(hsc_rt_me.note, sizeof hsc_rt_me.note, &at, why ? why : error ? strerror(error) : "not asked for");
    if (!strcmp(name, "perf-cpu-clock") && (error == EACCES || error == EPERM))
        hsc_rt_append(hsc_rt_me.note, sizeof hsc_rt_me.note, &at, " (kernel.perf_event_paranoid above 2, or a container that forbids it)");
}

/* `ns` is what samples that follow each other cost by the trial: of the mechanism that it tried. Those that come as seldom as its first ones, each after a nap,
 * cost what these did; between, in proportion to their distance. */
static void set_interrupt(uint64_t ns) {
    const hsc_rt_options *o = &hsc_rt.options;
    uint64_t tried = o->trap_ns ? o->trap_ns : o->interrupt_ns, cold = o->sample_cold_ns, apart = hsc_rt.period_ns < TRIAL_NAP_NS ? hsc_rt.period_ns : TRIAL_NAP_NS;
    bool has_range = tried && o->sample_least_ns && o->sample_least_ns <= tried && o->sample_most_ns >= tried && o->sample_most_ns >= cold;
    hsc_rt.interrupt_ns = tried && cold > tried ? ns + ns * (cold - tried) / tried * apart / TRIAL_NAP_NS : ns;
    hsc_rt.interrupt_least_ns = has_range ? ns * o->sample_least_ns / tried : 0;
    uint64_t most = ns * o->sample_most_ns / (tried ? tried : 1), displaced = hsc_rt.interrupt_ns * 5 / 3; /* of programs that miss their caches all the time: docs/sampling.md */
    hsc_rt.interrupt_most_ns = !has_range ? 0 : most > displaced ? most : displaced;
}

/* A program with more memory than a processor's own caches hold may find less of it there after each sample. */
static void widen_range(void) {
    enum { LARGE_KB = 8192 };
    uint64_t most = hsc_rt.interrupt_ns * 8 / 3; /* ru_maxrss would have what the process was before exec */
    if (hsc_rt.interrupt_most_ns && most > hsc_rt.interrupt_most_ns && !hsc_rt_is_filtered() && hsc_rt_status_of("\nVmHWM:") > LARGE_KB)
        hsc_rt.interrupt_most_ns = most;
}

static void set_mechanism(enum hsc_rt_mechanism m) {
    uint64_t trap = hsc_rt.options.trap_ns, measured = m == HSC_RT_PERF_TRAP && trap ? trap : hsc_rt.options.interrupt_ns;
    hsc_rt.mechanism = m;
    set_interrupt(measured ? measured : trap ? trap * 8 / 5 /* docs/costs.md, section 2 */ : INTERRUPT_NS);
    hsc_rt.interrupt_measured = measured != 0;
}

static bool choose_mechanism(void) {
    const char *forced = hsc_rt.options.mechanism;
    bool known = !*forced;
    hsc_rt_me.note[0] = 0;
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
        hsc_rt_append(line, sizeof line, &at, hsc_rt_me.note);
    else {
        hsc_rt_append(line, sizeof line, &at, "HEATSCOPE_MECHANISM: no such mechanism: ");
        hsc_rt_append(line, sizeof line, &at, forced);
    }
    hsc_rt_say(line);
    return false;
}

/* What measuring took beside the threads' samples, waits and probes. */
static uint64_t start_ns(void) { return hsc_rt_me.start_ns + atomic_load(&hsc_rt.threads_ns); }

static uint64_t end_ns(void) {
    uint64_t now = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    return hsc_rt_me.end_from_ns && now > hsc_rt_me.end_from_ns ? now - hsc_rt_me.end_from_ns : 0;
}

/* rt.lock is held */
static void put_cost(uint64_t now, const hsc_rt_cost *so_far) {
    hsc_rec_cost c = {.time = now, .handler_ns = so_far->handler_ns, .signals_ns = so_far->signals_ns, .wrappers_ns = so_far->wrappers_ns,
                      .probes_ns = so_far->probes_ns, .switches_ns = so_far->switches_ns, .interrupt_ns = hsc_rt.interrupt_ns, .interrupt_measured = hsc_rt.interrupt_measured,
                      .switch_ns = hsc_rt.switch_cost_ns, .switch_far_ns = hsc_rt.switch_far_ns,
                      .helper_ns = hsc_rt.helper_ns, .budget = hsc_rt.options.budget,
                      .longest_ns = hsc_rt_govern_longest(UINT64_MAX), .start_ns = start_ns(), .end_ns = end_ns(),
                      .interrupt_least_ns = hsc_rt.interrupt_least_ns, .interrupt_most_ns = hsc_rt.interrupt_most_ns,
                      .switches_least = HSC_RT_SWITCHES_LEAST, .switches_most = hsc_rt_switches_most(so_far)};
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
            if (!hsc_rt.options.root_pid || hsc_rt_me.root)
                hsc_rt_say(line);
            at = strlen(hsc_rt_me.event_note);
            hsc_rt_append(hsc_rt_me.event_note, sizeof hsc_rt_me.event_note, &at, at ? "; " : "");
            hsc_rt_append(hsc_rt_me.event_note, sizeof hsc_rt_me.event_note, &at, line);
        }
        list += n + (list[n] == ',');
    }
}

/* Bytes of the longest vectors that the processor has, and the kernel keeps; 0: not known. */
static uint64_t vector_bytes(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
#else
    return 0;
#endif
}

static int64_t since_s; /* the process's start, CLOCK_REALTIME */

static struct {
    hsc_rt_environment of; /* as it was at the start: programs change theirs, and a child of fork tells it again */
    bool read;
} at_start;

static void put_process(uint64_t now) {
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    since_s = real.tv_sec;
    const char *mechanism = hsc_rt_mechanism_name(hsc_rt.mechanism);
    hsc_rec_process p = {.pid = (uint64_t)hsc_rt.pid, .parent_pid = (uint64_t)getppid(), .rank = hsc_rt.job.rank,
                         .ranks = hsc_rt.job.ranks, .host = {hsc_rt_me.host, strlen(hsc_rt_me.host)},
                         .executable = {hsc_rt_me.executable, strlen(hsc_rt_me.executable)}, .arguments = {hsc_rt_me.arguments, hsc_rt_me.n_arguments},
                         .directory = {hsc_rt_me.directory, strlen(hsc_rt_me.directory)},
                         .start_unix_ns = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec, .start_ns = now,
                         .mechanism = {mechanism, strlen(mechanism)}, .mechanism_note = {hsc_rt_me.note, strlen(hsc_rt_me.note)},
                         .period_ns = hsc_rt.period_ns, .runtime_version = {HEATSCOPE_VERSION, sizeof HEATSCOPE_VERSION - 1},
                         .job = {hsc_rt.job.id, strlen(hsc_rt.job.id)}, .vector_bytes = vector_bytes(),
                         .environment_read = at_start.read, .environment = {at_start.of.list, at_start.of.n}};
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
    if (hsc_rt_me.event_note[0]) {
        hsc_rec_note r = {now, {hsc_rt_me.event_note, strlen(hsc_rt_me.event_note)}};
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

static uint64_t cpu_us(void) { return hsc_rt_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000; }

/* Opens the file and starts to measure the calling thread. `first`: a delay and a duration begin, at what is told as the process's start. */
static bool begin(uint64_t stack_low, uint64_t stack_high, bool first) {
    const char *why;
    int error;
    bool filtered = hsc_rt_is_filtered();
    if (!hsc_rt_me.forked)
        hsc_rt.may_part = hsc_rt_may_part(filtered);
    if (!hsc_rt_file_create(hsc_rt_me.output, hsc_rt_me.host, hsc_rt.pid, !filtered, &why, &error)) {
        char line[HSC_RT_PATH + 256];
        size_t at = 0;
        hsc_rt_append(line, sizeof line, &at, "not measured: ");
        hsc_rt_append(line, sizeof line, &at, why);
        hsc_rt_append(line, sizeof line, &at, " ");
        hsc_rt_append(line, sizeof line, &at, hsc_rt_me.output);
        hsc_rt_append(line, sizeof line, &at, ": ");
        hsc_rt_append(line, sizeof line, &at, strerror(error));
        if (!getenv(SAID_WHY)) { /* nor will its children be, most likely */
            hsc_rt_say_quit(HSC_RT_QUIT_FILE, line);
            setenv(SAID_WHY, "1", 1);
        }
        return false;
    }
    hsc_rt.keeps = hsc_rt.options.keep && !filtered; /* a filter may end who makes an unusual call */
    if (hsc_rt_me.root)
        hsc_rt_spare_allow(hsc_rt_me.host);
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

void hsc_rt_finish(uint64_t how) {
    if (!hsc_rt_active() || atomic_exchange(&hsc_rt.finished, 1))
        return;
    int saved_errno = errno;
    hsc_rt_me.end_from_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
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
        widen_range();
        put_cost(now, &n.cost);
        hsc_rec_process_end e = {now, hsc_rt_clock_ns(CLOCK_PROCESS_CPUTIME_ID), how};
        hsc_rt_file_put_end(HSC_REC_process_end, &e, now, true);
        /* what only became another program, or was too short for a sample and for a wait of that length, is not worth a file; the correlator
         * asks the same (correlate/join/read.c) */
        bool counts = n.samples || n.lost || n.waited_ns >= hsc_rt.period_ns || n.has_messages || atomic_load(&hsc_rt_probe_state.used);
        remove = !counts && hsc_rt.job.rank < 0 && (how == HSC_end_kind_EXEC || !hsc_rt_me.root);
        if (!remove)
            hsc_rt_file_finish();
        hsc_rt_lock_release(&hsc_rt.lock, mask);
    }
    hsc_rt_me.removed = remove;
    if (remove)
        hsc_rt_file_remove(hsc_rt_is_filtered() ? NULL : hsc_rt_me.host); /* a filter may end who makes an unusual call */
    else
        hsc_rt_keep_generated(since_s);
    if (remove) {
        uint64_t us = cpu_us();
        hsc_rt_lines l = {.n = 0};
        if (how != HSC_end_kind_EXEC) /* the clock of one that becomes another program goes on */
            hsc_rt_lines_add(&l, "brief ", us > hsc_rt_me.begin_us ? us - hsc_rt_me.begin_us : 0);
        hsc_rt_lines_add(&l, "opening ", (start_ns() + end_ns()) / 1000);
        hsc_rt_lines_add(&l, "more ", (uint64_t)(HSC_COST_UNSEEN_MOST * (double)(start_ns() + end_ns())) / 1000);
        hsc_rt_lines_put(&l);
    }
    if (!remove)
        hsc_rt_note_end(&(hsc_rt_told){n.samples, n.time_us, &n.cost, start_ns(), end_ns()}, how == HSC_end_kind_EXIT);
    if (hsc_rt_me.root && how != HSC_end_kind_EXEC)
        hsc_rt_spare_end(hsc_rt_me.host);
    if (how == HSC_end_kind_EXIT)
        hsc_rt_say_end(n.samples, n.time_us);
    errno = saved_errno;
}

static void at_exit(void) {
    if (hsc_rt.sandboxed)
        return;
    if (hsc_rt.job.launcher && (int)hsc_sys3(SYS_getpid, 0, 0, 0) == hsc_rt.pid && !hsc_rt_me.ended) {
        hsc_rt_me.ended = true;
        hsc_rt_say_end(0, 0);
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
    hsc_rt_me.end_from_ns = 0;
    if (hsc_rt_me.removed) {
        hsc_rt_me.start_ns = 0; /* has been told */
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
    hsc_rt_me.end_from_ns = hsc_rt_me.start_ns = 0;
    atomic_store(&hsc_rt.helper_share_q32, 0);
    hsc_rt.forked_from = hsc_rt.pid;
    hsc_rt.forked_since_s = since_s;
    hsc_rt.pid = (int)hsc_sys3(SYS_getpid, 0, 0, 0);
    hsc_rt_me.root = false;
    hsc_rt_me.forked = true;
    hsc_rt_file_forget();
    hsc_rt_threads_forget();
    hsc_rt_origins_forget();
    if (hsc_rt.mechanism == HSC_RT_PERF_TRAP && atomic_exchange(&hsc_rt.trap_off, 0)) {
        set_mechanism(HSC_RT_PERF);
        hsc_rt_me.note[0] = 0;
        add_note("perf-cpu-clock-trap", 0, "the program wants SIGTRAP for itself");
    }
    hsc_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask_modules, 0, 8);
    uint64_t before_us = cpu_us();
    if (!strcmp(hsc_rt.options.children, "ignore") || !begin(low, high, false)) {
        atomic_store(&hsc_rt.on, 0);
        hsc_rt_signal_restore();
    } else if (hsc_rt.same_process)
        atomic_store(hsc_rt.same_process, 1);
    hsc_rt_me.begin_us = cpu_us() - before_us;
    hsc_rt_me.start_ns = hsc_rt_me.begin_us * 1000;
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
    for (int i = 0; i < argc && argv[i] && hsc_rt_me.n_arguments < sizeof hsc_rt_me.arguments / sizeof *hsc_rt_me.arguments; i++) {
        size_t length = strnlen(argv[i], 1024);
        if (length > sizeof hsc_rt_me.texts - used)
            break;
        memcpy(hsc_rt_me.texts + used, argv[i], length);
        hsc_rt_me.arguments[hsc_rt_me.n_arguments++] = (hsc_str){hsc_rt_me.texts + used, length};
        used += length;
    }
}

/* The process's arguments, where nobody has handed them over. */
static void read_arguments(void) {
    enum { ARGUMENTS = 64 };
    static char text[HSC_RT_PAGE];
    char *argv[ARGUMENTS + 1] = {0};
    int argc = 0, fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    for (char *p = text; p < text + n && argc < ARGUMENTS; p += strlen(p) + 1)
        argv[argc++] = p;
    keep_arguments(argc, argv);
}

static bool begun; /* by the first thread, before there is another one */

/* argv: NULL: not known. */
static void start(int argc, char **argv) {
    if (begun)
        return;
    begun = true;
    int saved_errno = errno;
    uint64_t before_us = cpu_us();
    hsc_rt_locks_init();
    hsc_rt_waits_init();
    hsc_rt_gomp_init();
    hsc_rt_options_read(&hsc_rt.options);
    if (!*hsc_rt.options.output)
        return;
    ssize_t n = readlink("/proc/self/exe", hsc_rt_me.executable, sizeof hsc_rt_me.executable - 1);
    hsc_rt_me.executable[n > 0 ? n : 0] = 0;
    hsc_rt.pid = (int)getpid();
    hsc_rt_me.root = hsc_rt.options.root_pid == (uint64_t)hsc_rt.pid;
    hsc_rt_last_words_begin();
    const char *run = getenv("HEATSCOPE_RUN");
    hsc_rt_me.job = hsc_hash64(0, run, run ? strlen(run) : 0) >> 32;
    if (argv)
        keep_arguments(argc, argv);
    else
        read_arguments();
    hsc_rt_environment_read(&at_start.of);
    at_start.read = true;
    Dl_info library;
    size_t at = 0;
    if (dladdr(&hsc_rt_me, &library) && library.dli_fname && library.dli_fname[0] == '/')
        hsc_rt_append(hsc_rt_me.library, sizeof hsc_rt_me.library, &at, library.dli_fname);
    if (!getcwd(hsc_rt_me.directory, sizeof hsc_rt_me.directory))
        hsc_rt_me.directory[0] = 0;
    at = 0;
    if (hsc_rt.options.output[0] != '/') {
        hsc_rt_append(hsc_rt_me.output, sizeof hsc_rt_me.output, &at, hsc_rt_me.directory);
        hsc_rt_append(hsc_rt_me.output, sizeof hsc_rt_me.output, &at, "/");
    }
    hsc_rt_append(hsc_rt_me.output, sizeof hsc_rt_me.output, &at, hsc_rt.options.output);
    struct utsname u;
    at = 0;
    hsc_rt_append(hsc_rt_me.host, sizeof hsc_rt_me.host, &at, uname(&u) ? "localhost" : u.nodename);
    hsc_rt_job_read(&hsc_rt.job, hsc_rt_me.executable);
    uint64_t launch_ns = hsc_rt_me.root ? hsc_rt.options.launch_ns : 0;
    if (launch_ns) /* told once: this process may become another program */
        unsetenv("HEATSCOPE_LAUNCH_NS");
    if (hsc_rt.job.launcher) {
        if (launch_ns)
            hsc_rt_note("opening ", launch_ns / 1000);
        errno = saved_errno;
        return;
    }
    if (ignored()) {
        errno = saved_errno;
        return;
    }
    if (hsc_rt_is_go_program()) {
        hsc_rt_say_not_measured("a Go program, whose runtime tolerates no signals but its own");
        errno = saved_errno;
        return;
    }
    if (hsc_rt_is_traced()) {
        hsc_rt_say_not_measured("a debugger or tracer holds the process, and would be told of each sample's signal");
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
        hsc_rt_commands_begin(hsc_rt_me.output, hsc_rt_me.host);
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
            hsc_rt_say_start();
        hsc_rt_note_rank();
        hsc_rt_me.begin_us = cpu_us() - before_us + launch_ns / 1000;
        hsc_rt_me.start_ns = hsc_rt_me.begin_us * 1000;
    }
    errno = saved_errno;
}

static __attribute__((constructor(101))) void start_with_arguments(int argc, char **argv, char **environment) {
    (void)environment;
    start(argc, argv);
}

void hsc_rt_start_early(void) {
    if (!begun && hsc_sys3(SYS_gettid, 0, 0, 0) == hsc_sys3(SYS_getpid, 0, 0, 0))
        start(0, NULL);
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
