/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope run: becomes the program, with the runtime loaded into it. */
#include "cli.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "../instrument/runtime/events.h"
#include "../instrument/runtime/job.h"
#include "preload.h"
#include "run.h"
#include "sample_cost.h"

#define NOT_FOUND 127 /* as shells say it */
#define NOT_EXECUTABLE 126
#define LOADED_US 10000 /* of CPU time, at most, until a command like this runs its first line */

enum { OPT_OUTPUT, OPT_FREQUENCY, OPT_EVENT, OPT_BUDGET, OPT_DELAY, OPT_DURATION, OPT_STOPPED, OPT_TOGGLE, OPT_CHILDREN,
       OPT_SIZE_LIMIT, OPT_APPEND, OPT_QUIET, OPT_MECHANISM, OPT_TRACE, OPT_NO_KEEP, OPT_NO_WAITS, OPT_MPI, OPT_NO_MESSAGES, OPT_ARM, OPT_DISARM };

static const hsc_cli_option options[] = {
    {"output", 'o', "DIR", "measurement directory; without it heatscope-PROG-JOB or heatscope-PROG-DATE-PID"},
    {"frequency", 'F', "HZ", "samples for each second of CPU time of a thread, 1 to 20000 (1000)"},
    {"event", 'e', "EVENT", "sample EVENT too, see below; may be given several times, or several separated by commas"},
    {"budget", 0, "PERCENT", "of CPU time that measuring may cost before the rate is lowered, or off (see below)"},
    {"delay", 0, "SECONDS", "measure from so long after the start of each process"},
    {"duration", 0, "SECONDS", "measure for so long"},
    {"stopped", 0, NULL, "measure when the program (heatscope.h) or the signal of --toggle-signal says so"},
    {"toggle-signal", 0, "NAME", "signal that switches measuring off and on: USR2, RTMIN+3, 12, ..."},
    {"children", 0, "WHICH", "processes that the program starts: follow (preset) or ignore; ranks of MPI are followed"},
    {"size-limit", 0, "MIB", "largest size of the file of one process; what does not fit is counted as lost"},
    {"append", 0, NULL, "add to a directory that already holds a measurement"},
    {"quiet", 'q', NULL, "nothing on standard error but errors"},
    {"mechanism", 0, "NAME", "where samples come from, see below; without it the best that works"},
    {"trace", 0, NULL, "record each wait and each message by itself as well: with the samples, a time line"},
    {"no-keep", 0, NULL, "don't keep the program and its libraries in DIR (hard links, where these are on one file system), by which it can be correlated after a new build, nor what compilers at run time tell of their code (copies of /tmp/perf-PID.map and jit-PID.dump)"},
    {"no-waits", 0, NULL, "leave out what threads wait for: locks, reads, sleeps, OpenMP barriers ..."},
    {"mpi", 0, NULL, "record calls of MPI though nothing tells that PROG makes any (a script, an interpreter)"},
    {"no-messages", 0, NULL, "leave out what calls of MPI send, receive and wait for"},
    {"arm", 0, "LIST", "probes of 'heatscope cc --probe' that work from the start: as there, or all (all)"},
    {"disarm", 0, "LIST", "probes that do not work until they are armed"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    "run",
    "Run a program and measure it",
    "[OPTIONS] PROG [ARGS...]",
    "Runs PROG as it is and writes a measurement directory: for every thread of every process, where\n"
    "its CPU time went, with the call path. Nothing has to be compiled in; what was compiled by\n"
    "'heatscope cc' is known down to the loop. The program's output, exit code and signals are its own.\n\n"
    "With MPI both ways work: 'mpirun -n 4 heatscope run ./prog' and 'heatscope run mpirun -n 4 ./prog'\n"
    "(for ranks on other machines the first). All ranks of a job write to the same directory.\n"
    "Calls of MPI are recorded in ranks, below launchers, and in programs that are linked with MPI.\n\n"
    "Samples come from perf-cpu-clock-trap (delivered by SIGTRAP: cheapest) where the machine allows it, else\n"
    "perf-cpu-clock, else timer-monotonic, else timer-cpu. SIGTRAP stays the program's own. A process is not measured while a\n"
    "debugger or tracer holds it, which would be told of each sample's signal; one that attaches may stop a few times before\n"
    "that is seen: in gdb, 'handle SIGTRAP nostop noprint pass'.\n\n"
    "Where samples and context switches of a thread cost more than 1 % of its CPU time its rate is lowered, after 0.3 s\n"
    "of that and as long as it helps, to no less than 100 samples a second (10 once it has had 10 s of CPU time); with\n"
    "--budget=PERCENT until the cost is within the budget, to no less than 10. Times stay right, samples get fewer, and the\n"
    "last line says so. A thread that switches so often that no rate helps is sampled by timer-cpu meanwhile (not with\n"
    "--mechanism). With -F or --budget=off the rate stays.\n\n"
    "EVENT is NAME[:MODIFIERS][:PERIOD], as perf names it: cycles, cache-misses:10007, L1-dcache-load-misses,\n"
    "page-faults, r01c2, cpu/event=0xc2,umask=1/, a tracepoint sched:sched_switch:k; or wall: all time, also that of\n"
    "threads that wait, every 10 ms or PERIOD ns. Where the kernel's time goes into first touches of memory, page-faults:100\n"
    "tells the lines ('heatscope report --metric=page-faults'). MODIFIERS: u (user code, preset), k (kernel; such samples can\n"
    "end blocking calls early). What the machine does not have is left out, and one line says why; see 'heatscope doctor'.\n\n"
    "Options can be given by the environment too, without 'heatscope run', where only the environment of a program is\n"
    "at hand: LD_PRELOAD=$(heatscope config --preload), of programs that call MPI --preload-mpi, HEATSCOPE_OUTPUT=DIR,\n"
    "HEATSCOPE_FREQUENCY, HEATSCOPE_EVENTS, HEATSCOPE_BUDGET (thousandths), HEATSCOPE_DELAY_MS, HEATSCOPE_DURATION_MS,\n"
    "HEATSCOPE_STOPPED=1, HEATSCOPE_TOGGLE_SIGNAL (number), HEATSCOPE_CHILDREN, HEATSCOPE_SIZE_LIMIT_MB, HEATSCOPE_QUIET,\n"
    "HEATSCOPE_MECHANISM. But for ranks of MPI such a program says nothing on standard error where all is well.",
    "  heatscope run ./prog input.dat\n"
    "  heatscope run -o /scratch/m1 -F 5000 ./prog\n"
    "  heatscope run -e cycles -e cache-misses:10007 -e wall ./prog\n"
    "  heatscope run --delay 10 --duration 60 ./prog\n"
    "  mpirun -n 4 heatscope run ./prog",
    options,
    true};

typedef struct run_options {
    const char *output, *mechanism, *children, *arm, *disarm;
    unsigned long long frequency, size_limit_mb;
    long budget, delay_ms, duration_ms, toggle; /* -1: not given */
    char events[4096];
    bool append, quiet, stopped, trace, no_keep, no_waits, mpi, no_messages;
} run_options;

/* A decimal number times `scale`, rounded; false if it is none or beyond the bounds. */
static bool parse_scaled(const char *text, const char *unit, double scale, double high, long *out) {
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    if (end == text || errno || !(v >= 0) || v * scale > high || (*end && strcmp(end, unit)))
        return false;
    *out = (long)(v * scale + 0.5);
    return true;
}

static int signal_of(const char *name) {
    unsigned long long n;
    if (hsc_cli_parse_u64(name, 1, 64, &n))
        return (int)n;
    name += strncmp(name, "SIG", 3) ? 0 : 3;
    if (!strncmp(name, "RTMIN+", 6) && hsc_cli_parse_u64(name + 6, 0, 30, &n))
        return SIGRTMIN + (int)n;
    for (int i = 1; i < SIGRTMIN; i++) {
        const char *s = sigabbrev_np(i);
        if (s && !strcmp(s, name))
            return i;
    }
    return 0;
}

/* Checks the names; whether the machine has the events is seen when they are opened. */
static int add_events(run_options *o, const char *list) {
    char why[256];
    hsc_rt_event e;
    if (!*list)
        return hsc_cli_bad_value(&command, OPT_EVENT, "the name of an event", list);
    for (const char *p = list; *p;) {
        size_t n = hsc_rt_event_length(p);
        if (!hsc_rt_event_parse(p, n, &e, why, sizeof why)) {
            fprintf(stderr, "heatscope run: --event: %.*s: %s\n", (int)n, p, why);
            return HSC_EXIT_USAGE;
        }
        p += n + (p[n] == ',');
    }
    size_t used = strlen(o->events);
    if (used + strlen(list) + 2 > sizeof o->events)
        return hsc_cli_bad_value(&command, OPT_EVENT, "fewer events", list);
    snprintf(o->events + used, sizeof o->events - used, "%s%s", used ? "," : "", list);
    return -1;
}

bool hsc_run_is_probe_list(const char *list) {
    static const char *const words[] = {"procedures", "loops", "calls", "messages", "values", "all"};
    for (const char *c = list;; c++) {
        size_t n = strcspn(c, ":,"), k = 0;
        while (k < sizeof words / sizeof *words && (strlen(words[k]) != n || strncmp(words[k], c, n) != 0))
            k++;
        if (k == sizeof words / sizeof *words || (c[n] == ':' && (!c[n + 1] || c[n + 1] == ',')))
            return false;
        c += strcspn(c, ",");
        if (!*c)
            return true;
    }
}

static int set_option(void *ctx, int option, const char *value) {
    run_options *o = ctx;
    switch (option) {
    case OPT_OUTPUT:
        if (!*value)
            return hsc_cli_bad_value(&command, option, "a directory", value);
        if (!strcmp(value, "-"))
            return hsc_cli_bad_value(&command, option, "a directory", value);
        o->output = value;
        break;
    case OPT_FREQUENCY:
        if (!hsc_cli_parse_u64(value, 1, 20000, &o->frequency))
            return hsc_cli_bad_value(&command, option, "a number from 1 to 20000", value);
        break;
    case OPT_EVENT:
        return add_events(o, value);
    case OPT_BUDGET:
        if (!strcmp(value, "off"))
            o->budget = 0;
        else if (!parse_scaled(value, "%", 10, 1000, &o->budget) || !o->budget)
            return hsc_cli_bad_value(&command, option, "a share from 0.1% to 100%, or off", value);
        break;
    case OPT_DELAY:
    case OPT_DURATION:
        if (!parse_scaled(value, "s", 1000, 1e9, option == OPT_DELAY ? &o->delay_ms : &o->duration_ms))
            return hsc_cli_bad_value(&command, option, "seconds, at most 1000000", value);
        break;
    case OPT_STOPPED:
        o->stopped = true;
        break;
    case OPT_TOGGLE:
        o->toggle = signal_of(value);
        if (!o->toggle || o->toggle == SIGKILL || o->toggle == SIGSTOP)
            return hsc_cli_bad_value(&command, option, "a signal that a program can handle", value);
        break;
    case OPT_CHILDREN:
        if (strcmp(value, "follow") && strcmp(value, "ignore"))
            return hsc_cli_bad_value(&command, option, "follow or ignore", value);
        o->children = value;
        break;
    case OPT_SIZE_LIMIT:
        if (!hsc_cli_parse_u64(value, 1, 1048576, &o->size_limit_mb))
            return hsc_cli_bad_value(&command, option, "MiB from 1 to 1048576", value);
        break;
    case OPT_APPEND:
        o->append = true;
        break;
    case OPT_QUIET:
        o->quiet = true;
        break;
    case OPT_TRACE:
        o->trace = true;
        break;
    case OPT_NO_KEEP:
        o->no_keep = true;
        return -1;
    case OPT_NO_WAITS:
        o->no_waits = true;
        break;
    case OPT_MPI:
        o->mpi = true;
        break;
    case OPT_NO_MESSAGES:
        o->no_messages = true;
        break;
    case OPT_MECHANISM:
        if (strcmp(value, "perf-cpu-clock") && strcmp(value, "perf-cpu-clock-trap") && strcmp(value, "timer-monotonic") &&
            strcmp(value, "timer-cpu"))
            return hsc_cli_bad_value(&command, option,
                                     "perf-cpu-clock, perf-cpu-clock-trap, timer-monotonic or timer-cpu", value);
        o->mechanism = value;
        break;
    case OPT_ARM:
    case OPT_DISARM:
        if (!hsc_run_is_probe_list(value))
            return hsc_cli_bad_value(&command, option, "a list of procedures, loops, calls, messages, values, each with :NAME or not, or all", value);
        *(option == OPT_ARM ? &o->arm : &o->disarm) = value;
        break;
    }
    return -1;
}

/* ---- the program --------------------------------------------------------------------------------------------------------- */

/* Looks as execvp does. Returns 0, or the exit code with one line said. */
static int find_program(const char *name, char *path, size_t size) {
    struct stat st;
    int error = ENOENT;
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        if (stat(path, &st))
            error = errno;
        else if (S_ISDIR(st.st_mode))
            error = EISDIR;
        else if (access(path, X_OK))
            error = errno;
        else
            return 0;
    } else {
        const char *list = getenv("PATH");
        for (const char *p = list ? list : "/usr/local/bin:/usr/bin:/bin"; *name; p++) {
            size_t n = strcspn(p, ":");
            snprintf(path, size, "%.*s%s%s", (int)n, p, n ? "/" : "", name);
            if (!stat(path, &st) && S_ISREG(st.st_mode)) {
                if (!access(path, X_OK))
                    return 0;
                error = EACCES;
            }
            p += n;
            if (!*p)
                break;
        }
    }
    bool here = error == ENOENT && !strchr(name, '/') && !access(name, X_OK);
    fprintf(stderr, "heatscope run: %s: %s%s%s\n", name, error == ENOENT ? "no such program" : strerror(error),
            here ? " on the PATH; here there is ./" : "", here ? name : "");
    return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

/* NULL: it can be measured; else why not. */
static const char *why_not(const char *path) {
    unsigned char head[64] = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL; /* executable and not readable: let it try */
    ssize_t n = read(fd, head, sizeof head);
    const char *why = NULL;
    if (!fstat(fd, &st) && ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
                            (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid())))
        why = "runs with another user's or group's rights (set-user-id), which switches measuring off";
    else if (geteuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0)
        why = "has file capabilities, which switch measuring off";
    if (!why && n == (ssize_t)sizeof head && !memcmp(head, ELFMAG, SELFMAG)) {
        Elf64_Ehdr e;
        memcpy(&e, head, sizeof e);
        if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_machine != EM_X86_64)
            why = "is not a 64-bit x86 program";
        else {
            bool interpreter = false;
            for (unsigned i = 0; i < e.e_phnum && i < 256 && e.e_phentsize == sizeof(Elf64_Phdr); i++) {
                Elf64_Phdr ph;
                if (pread(fd, &ph, sizeof ph, (off_t)(e.e_phoff + i * sizeof ph)) != (ssize_t)sizeof ph)
                    break;
                interpreter = interpreter || ph.p_type == PT_INTERP;
            }
            if (!interpreter)
                why = "is statically linked, so that nothing can be loaded into it (link it dynamically)";
        }
    }
    close(fd);
    return why;
}

/* ---- the directory --------------------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The program's name for the directory: for a launcher that of what it launches. */
static const char *name_for(char **argv, const char *path) {
    if (hsc_rt_job_is_launcher(path))
        for (char **a = argv + 1; *a; a++) {
            struct stat st;
            if (**a != '-' && !access(*a, X_OK) && !stat(*a, &st) && S_ISREG(st.st_mode))
                return base_name(*a);
        }
    return base_name(path);
}

static void default_directory(char **argv, const char *path, const hsc_rt_job *job, char *buffer, size_t size) {
    char tail[256];
    if (job->id[0]) {
        snprintf(tail, sizeof tail, "%s", job->id);
        for (char *p = tail; *p; p++)
            if (*p == '/' || *p == ' ')
                *p = '_';
    } else if (job->rank >= 0) /* no identifier: the ranks of one machine have the launcher's process in common */
        snprintf(tail, sizeof tail, "job-%ld", (long)getppid());
    else {
        time_t now = time(NULL);
        struct tm tm;
        size_t n = strftime(tail, sizeof tail, "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
        snprintf(tail + n, sizeof tail - n, "-%ld", (long)getpid());
    }
    snprintf(buffer, size, "heatscope-%.200s-%s", name_for(argv, path), tail);
}

static int make_directories(const char *path) {
    char buffer[PATH_MAX];
    snprintf(buffer, sizeof buffer, "%s", path);
    for (char *p = buffer + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(buffer, 0777);
            *p = '/';
        }
    return mkdir(buffer, 0777) && errno != EEXIST ? errno : 0;
}

static bool holds_measurement(const char *directory) {
    DIR *d = opendir(directory);
    bool found = false;
    for (struct dirent *e; d && (e = readdir(d)) && !found;) {
        size_t n = strlen(e->d_name);
        found = n > 4 && !strcmp(e->d_name + n - 4, ".hsr");
    }
    if (d)
        closedir(d);
    return found;
}

/* Makes the directory ours, or finds that it already is our job's. Returns an exit code, -1: go on. */
static int claim(const char *directory, const char *token, bool append) {
    char mine[PATH_MAX], run[PATH_MAX], room[PATH_MAX], found[256] = "";
    int error = make_directories(directory);
    struct stat st;
    if (!error && !stat(directory, &st) && !S_ISDIR(st.st_mode))
        error = ENOTDIR;
    if (!error && access(directory, W_OK | X_OK))
        error = errno;
    if (error) {
        fprintf(stderr, "heatscope run: can't write to the directory %s: %s\n", directory, strerror(error));
        return HSC_EXIT_FAILED;
    }
    snprintf(run, sizeof run, "%.4000s/" HSC_RT_RUN_FILE, directory);
    snprintf(room, sizeof room, "%.4000s/" HSC_RT_ROOM_FILE, directory);
    if (append) {
        (void)!link(run, room);
        return -1;
    }
    snprintf(mine, sizeof mine, "%.4000s/" HSC_RT_RUN_FILE ".%ld", directory, (long)getpid());
    bool held = holds_measurement(directory);
    FILE *f = fopen(mine, "w");
    if (!f) {
        fprintf(stderr, "heatscope run: can't write to the directory %s: %s\n", directory, strerror(errno));
        return HSC_EXIT_FAILED;
    }
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN); /* a limit on files is no reason to end */
    fprintf(f, "%s\n", token);
    bool ok = fclose(f) == 0;
    error = errno;
    signal(SIGXFSZ, old);
    if (!ok) {
        fprintf(stderr, "heatscope run: can't write to the directory %s: %s\n", directory, strerror(error));
        unlink(mine);
        return HSC_EXIT_FAILED;
    }
    if (access(run, F_OK) && held) /* measured without `heatscope run` */
        ok = false;
    else if (ok && !link(mine, run))
        (void)!link(mine, room);
    else if (ok) { /* only one can be first */
        f = fopen(run, "r");
        ok = f && fgets(found, sizeof found, f);
        if (f)
            fclose(f);
        found[strcspn(found, "\n")] = 0;
        ok = ok && (!strcmp(found, token) || !held);
        if (ok && strcmp(found, token) && !rename(mine, run)) /* nothing was ever measured there */
            (void)!link(run, room);
    }
    unlink(mine);
    if (ok)
        return -1;
    fprintf(stderr, "heatscope run: %s holds another measurement; give another directory with -o, or --append\n", directory);
    return HSC_EXIT_FAILED;
}

/* ---- go ------------------------------------------------------------------------------------------------------------------------ */

/* The address sanitizer's library refuses to run behind another one, although that does no harm here. */
static void permit_sanitizer(void) {
    static const char permission[] = "verify_asan_link_order=0";
    const char *old = getenv("ASAN_OPTIONS");
    if (!old || !*old) {
        setenv("ASAN_OPTIONS", permission, 1);
        return;
    }
    size_t n = strlen(old) + sizeof permission + 1;
    char *both = strstr(old, "verify_asan_link_order") ? NULL : malloc(n);
    if (both) {
        snprintf(both, n, "%s:%s", old, permission);
        setenv("ASAN_OPTIONS", both, 1);
        free(both);
    }
}

static void preload(const char *library) {
    permit_sanitizer();
    const char *old = getenv("LD_PRELOAD");
    if (!old || !*old) {
        setenv("LD_PRELOAD", library, 1);
        return;
    }
    if (strstr(old, library))
        return;
    size_t n = strlen(old) + strlen(library) + 2;
    char *both = malloc(n);
    if (both) {
        snprintf(both, n, "%s:%s", old, library);
        setenv("LD_PRELOAD", both, 1);
        free(both);
    }
}

/* Of this process and of children that it has waited for, so far. */
static uint64_t cpu_us(int who) {
    struct rusage u;
    return getrusage(who, &u) ? 0 : (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* The CPU time that was ours when the process is about to become the program. A shell that has become us may have used much before. */
static uint64_t launch_ns(uint64_t self_us, uint64_t children_us) {
    uint64_t before_us = self_us < LOADED_US ? 0 : self_us;
    return (cpu_us(RUSAGE_SELF) - before_us + cpu_us(RUSAGE_CHILDREN) - children_us) * 1000;
}

static void set_number(const char *variable, long value) {
    char number[32];
    snprintf(number, sizeof number, "%ld", value);
    setenv(variable, number, 1);
}

int hsc_cmd_run(int argc, char **argv) {
    run_options o = {.budget = -1, .delay_ms = -1, .duration_ms = -1, .toggle = -1};
    int first;
    uint64_t self_us = cpu_us(RUSAGE_SELF), children_us = cpu_us(RUSAGE_CHILDREN);
    int code = hsc_cli_parse(&command, argc, argv, set_option, &o, &first);
    if (code >= 0)
        return code;
    if (first == argc) {
        fprintf(stderr, "heatscope run: expected a program; 'heatscope run --help' tells more\n");
        return HSC_EXIT_USAGE;
    }
    char path[PATH_MAX], library[PATH_MAX], directory[PATH_MAX], token[256], number[32];
    argv += first;
    if ((code = find_program(argv[0], path, sizeof path)))
        return code;
    const char *why = why_not(path);
    if (why) {
        fprintf(stderr, "heatscope run: %s %s; it runs unmeasured\n", argv[0], why);
        goto exec;
    }
    if (!o.quiet && hsc_run_tool_note(base_name(path)))
        fprintf(stderr, "heatscope run: %s %s\n", base_name(path), hsc_run_tool_note(base_name(path)));
    if (!hsc_cli_lib_file("libheatscope-rt.so", library, sizeof library)) {
        fprintf(stderr, "heatscope run: the runtime is missing: %s\n", library);
        return HSC_EXIT_FAILED;
    }
    hsc_rt_job job;
    hsc_rt_job_read(&job, path);
    const char *inherited = getenv("HEATSCOPE_OUTPUT");
    if (!o.output && inherited && *inherited)
        snprintf(directory, sizeof directory, "%s", inherited); /* below another `heatscope run`, or set by the user */
    else if (o.output)
        snprintf(directory, sizeof directory, "%s", o.output);
    else
        default_directory(argv, path, &job, directory, sizeof directory);
    if (job.id[0])
        snprintf(token, sizeof token, "job %s", job.id);
    else if (job.rank >= 0)
        snprintf(token, sizeof token, "ranks below %ld", (long)getppid());
    else if (getenv("HEATSCOPE_RUN"))
        snprintf(token, sizeof token, "%s", getenv("HEATSCOPE_RUN"));
    else
        snprintf(token, sizeof token, "run %ld %lld", (long)getpid(), (long long)time(NULL));
    bool below = inherited && *inherited && getenv("HEATSCOPE_ROOT_PID");
    if ((code = claim(directory, token, o.append || (below && !o.output))) >= 0)
        return code;
    char *absolute = realpath(directory, NULL);
    if (!absolute) {
        fprintf(stderr, "heatscope run: %s: %s\n", directory, strerror(errno));
        return HSC_EXIT_FAILED;
    }
    setenv("HEATSCOPE_OUTPUT", absolute, 1);
    setenv("HEATSCOPE_RUN", token, 1);
    snprintf(directory, sizeof directory, "%s", absolute);
    free(absolute);
    if (!hsc_cli_preloadable(directory, library, sizeof library)) {
        fprintf(stderr, "heatscope run: the dynamic linker loads nothing from a path with blanks or colons: %s; give an output directory without them with -o\n",
                library);
        return HSC_EXIT_FAILED;
    }
    if (o.frequency)
        set_number("HEATSCOPE_FREQUENCY", (long)o.frequency);
    if (o.events[0])
        setenv("HEATSCOPE_EVENTS", o.events, 1);
    if (o.budget >= 0 || o.frequency)
        set_number("HEATSCOPE_BUDGET", o.budget >= 0 ? o.budget : 0); /* who asks for a rate gets it */
    if (o.delay_ms >= 0)
        set_number("HEATSCOPE_DELAY_MS", o.delay_ms);
    if (o.duration_ms >= 0)
        set_number("HEATSCOPE_DURATION_MS", o.duration_ms);
    if (o.toggle >= 0)
        set_number("HEATSCOPE_TOGGLE_SIGNAL", o.toggle);
    if (o.size_limit_mb)
        set_number("HEATSCOPE_SIZE_LIMIT_MB", (long)o.size_limit_mb);
    if (o.stopped)
        setenv("HEATSCOPE_STOPPED", "1", 1);
    if (o.children)
        setenv("HEATSCOPE_CHILDREN", o.children, 1);
    if (!below)
        unsetenv("HEATSCOPE_FIRST");
    hsc_cli_sample_cost cost = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    if (!getenv("HEATSCOPE_INTERRUPT_NS") && !getenv("HEATSCOPE_TRAP_NS"))
        cost = hsc_cli_sample_cost_measure(o.mechanism && strcmp(o.mechanism, "perf-cpu-clock-trap"));
    hsc_cli_gaps gaps = cost.trap.warm_ns ? cost.trap : cost.signal;
    if (gaps.warm_ns) {
        set_number(cost.trap.warm_ns ? "HEATSCOPE_TRAP_NS" : "HEATSCOPE_INTERRUPT_NS", (long)gaps.warm_ns);
        set_number("HEATSCOPE_SAMPLE_COLD_NS", (long)gaps.cold_ns);
        set_number("HEATSCOPE_SAMPLE_LEAST_NS", (long)gaps.least_ns);
        set_number("HEATSCOPE_SAMPLE_MOST_NS", (long)gaps.most_ns);
    }
    if (o.quiet)
        setenv("HEATSCOPE_QUIET", "1", 1);
    if (o.trace)
        setenv("HEATSCOPE_TRACE", "1", 1);
    if (o.no_keep)
        setenv("HEATSCOPE_KEEP", "0", 1);
    if (o.no_waits)
        setenv("HEATSCOPE_WAITS", "0", 1);
    if (o.no_messages)
        setenv("HEATSCOPE_MESSAGES", "0", 1);
    if (o.mechanism)
        setenv("HEATSCOPE_MECHANISM", o.mechanism, 1);
    if (o.arm)
        setenv("HEATSCOPE_ARM", o.arm, 1);
    if (o.disarm)
        setenv("HEATSCOPE_DISARM", o.disarm, 1);
    if (!below) {
        snprintf(number, sizeof number, "%ld", (long)getpid());
        setenv("HEATSCOPE_ROOT_PID", number, 1);
    }
    preload(library);
    /* after the runtime, which it needs */
    if ((o.mpi || job.rank >= 0 || job.launcher || hsc_run_needs_mpi(path)) && !o.no_messages) {
        if (hsc_cli_lib_file("libheatscope-mpi.so", library, sizeof library) && hsc_cli_preloadable(directory, library, sizeof library))
            preload(library);
        else
            fprintf(stderr, "heatscope run: calls of MPI are not recorded: %s is missing\n", library);
    }
    set_number("HEATSCOPE_LAUNCH_NS", (long)launch_ns(self_us, children_us));
exec:
    execv(path, argv);
    int error = errno;
    if (error == ENOEXEC) { /* a script without #!, as execvp does it */
        char **sh = calloc((size_t)(argc - first) + 2, sizeof *sh);
        if (sh) {
            sh[0] = (char *)"sh";
            sh[1] = path;
            memcpy(sh + 2, argv + 1, (size_t)(argc - first) * sizeof *sh);
            execv("/bin/sh", sh);
        }
    }
    fprintf(stderr, "heatscope run: %s: %s\n", argv[0], strerror(error));
    return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}
