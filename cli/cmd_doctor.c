/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope doctor: tries what measuring needs on this machine, and says what to do about what is lacking. */
#include "cli.h"
#include "preload.h"
#include "sample_cost.h"

#include "../instrument/runtime/events.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIAL_SIGNAL SIGSTKFLT /* the one that the runtime uses */
#define TRIAL_HZ 1000
#define TRIAL_CPU_S 0.15

static const hsc_cli_option options[] = {{NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    "doctor",
    "Tell what this machine allows and what to do about it",
    "",
    "Tries each thing that Heatscope needs, measures what the timers of this machine really deliver,\n"
    "and tells for each lack what to do. Exit code 0: programs can be measured; 1: they can't.",
    "",
    options,
    false};

static bool fatal;

static void line(const char *mark, const char *what, const char *text, const char *advice) {
    printf("%-5s %-22s %s\n", mark, what, text);
    if (advice)
        printf("%28s -> %s\n", "", advice);
}

/* ---- sources of samples ---------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;

static void on_signal(int number) {
    (void)number;
    caught++;
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Signals for each second of CPU time while computing for a while. */
static double rate_now(void) {
    double start = cpu_seconds(), now = start;
    volatile double x = 1;
    caught = 0;
    while (now - start < TRIAL_CPU_S) {
        for (int i = 0; i < 20000; i++)
            x = x * 1.0000001;
        now = cpu_seconds();
    }
    return caught / (now - start);
}

static int open_event(uint32_t type, uint64_t config, uint64_t period) {
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = type;
    a.size = sizeof a;
    a.config = config;
    a.sample_period = period;
    a.wakeup_events = 1;
    a.disabled = 1;
    a.exclude_kernel = a.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static double try_perf(int *error) {
    struct f_owner_ex owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
    int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000000 / TRIAL_HZ);
    *error = errno;
    if (fd < 0)
        return -1;
    fcntl(fd, F_SETOWN_EX, &owner);
    fcntl(fd, F_SETSIG, TRIAL_SIGNAL);
    fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    double rate = rate_now();
    close(fd);
    return rate;
}

static double try_timer(clockid_t clock, int *error) {
    struct sigevent e;
    memset(&e, 0, sizeof e);
    e.sigev_notify = SIGEV_THREAD_ID;
    e.sigev_signo = TRIAL_SIGNAL;
    e._sigev_un._tid = (int)syscall(SYS_gettid);
    timer_t timer;
    if (timer_create(clock, &e, &timer)) {
        *error = errno;
        return -1;
    }
    struct itimerspec s = {{0, 1000000000 / TRIAL_HZ}, {0, 1000000000 / TRIAL_HZ}};
    timer_settime(timer, 0, &s, NULL);
    double rate = rate_now();
    timer_delete(timer);
    return rate;
}

static void show_rate(const char *what, double rate, int error, const char *use, const char *advice) {
    char text[256];
    if (rate < 0)
        snprintf(text, sizeof text, "%s", strerror(error));
    else
        snprintf(text, sizeof text, "asked for %d, got %.0f a second of CPU time%s%s", TRIAL_HZ, rate, *use ? ": " : "", use);
    line(rate > 0 ? "ok" : "no", what, text, rate > 0 ? NULL : advice);
}

/* What `run -e` can have here. */
static void check_events(void) {
    static const char *const names[] = {"cycles",     "instructions",     "cache-misses",    "branch-misses", "L1-dcache-load-misses",
                                        "page-faults", "context-switches:k", "sched:sched_switch:k"};
    char there[512] = "", text[512], why[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hsc_rt_event e;
        int error;
        why[0] = 0;
        if (hsc_rt_event_parse(names[i], strlen(names[i]), &e, why, sizeof why) && (error = hsc_rt_event_try(&e)))
            snprintf(why, sizeof why, "%s", hsc_rt_event_why(&e, error));
        size_t n = strlen(there);
        if (!why[0])
            snprintf(there + n, sizeof there - n, "%s%s", n ? ", " : "", names[i]);
        else {
            snprintf(text, sizeof text, "%s: %.200s", names[i], why);
            line("--", "event", text, NULL);
        }
    }
    snprintf(text, sizeof text, "%.400s%swall (see 'heatscope run --help')", there, *there ? ", " : "");
    line("ok", "events", text, NULL);
}

static bool check_sources(void) {
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_signal;
    a.sa_flags = SA_RESTART;
    sigaction(TRIAL_SIGNAL, &a, NULL);
    int error = 0, level = -99;
    FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    if (f && fscanf(f, "%d", &level) != 1)
        level = -99;
    if (f)
        fclose(f);
    double perf = try_perf(&error);
    char advice[256];
    if (level > 2 && geteuid())
        snprintf(advice, sizeof advice, "sysctl kernel.perf_event_paranoid=2 (it is %d); until then timers are used", level);
    else
        snprintf(advice, sizeof advice, "a container's seccomp profile may forbid it; until then timers are used");
    show_rate("perf cpu-clock", perf, error, "first choice", advice);
    double monotonic = try_timer(CLOCK_MONOTONIC, &error);
    show_rate("monotonic timer", monotonic, error, perf > 0 ? "second choice" : "used, corrected by CPU time",
              "raise the limit of pending signals (ulimit -i)");
    double cpu = try_timer(CLOCK_THREAD_CPUTIME_ID, &error);
    show_rate("CPU-time timer", cpu, error,
              cpu < 0.9 * TRIAL_HZ ? "follows the kernel's tick; samples are weighted" : "third choice",
              "time in the kernel can't be seen");
    if (perf > 0 && perf < 0.9 * TRIAL_HZ)
        line("note", "", "fewer samples than asked for: other work takes processor time from this machine", NULL);
    signal(TRIAL_SIGNAL, SIG_DFL);
    hsc_cli_sample_cost cost = hsc_cli_sample_cost_measure(false);
    if (!cost.signal.warm_ns)
        cost.signal = hsc_cli_sample_cost_measure(true).signal;
    const hsc_cli_gaps *trap = &cost.trap, *other = &cost.signal;
    char text[240];
    if (trap->warm_ns) {
        snprintf(text, sizeof text, "perf-cpu-clock-trap: a sample costs %.1f us beside our own code, %.1f after a while (%.1f to %.1f; first choice)", (double)trap->warm_ns / 1e3,
                 (double)trap->cold_ns / 1e3, (double)trap->least_ns / 1e3, (double)trap->most_ns / 1e3);
        line("ok", "cost", text, NULL);
    }
    if (other->warm_ns) {
        snprintf(text, sizeof text, "perf-cpu-clock: a sample costs %.1f us beside our own code, %.1f after a while (%.1f to %.1f)%s", (double)other->warm_ns / 1e3,
                 (double)other->cold_ns / 1e3, (double)other->least_ns / 1e3, (double)other->most_ns / 1e3,
                 trap->warm_ns ? " (where a process wants SIGTRAP for itself)" : "; SIGTRAP, which costs less, needs Linux 5.19");
        line("ok", "cost", text, NULL);
    }
    check_events();
    return perf > 0 || monotonic > 0 || cpu > 0;
}

/* ---- loading -------------------------------------------------------------------------------------------------------------------- */

static void remove_directory(const char *path) {
    DIR *d = opendir(path);
    char file[PATH_MAX];
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
            snprintf(file, sizeof file, "%.2000s/%.255s", path, e->d_name);
            unlink(file);
        }
    if (d)
        closedir(d);
    rmdir(path);
}

static bool has_stream(const char *path) {
    DIR *d = opendir(path);
    bool found = false;
    for (struct dirent *e; d && (e = readdir(d));)
        found = found || strstr(e->d_name, ".hsr");
    if (d)
        closedir(d);
    return found;
}

/* Measures a small program as `heatscope run` does. */
static void check_loading(void) {
    char library[PATH_MAX], directory[] = "/tmp/heatscope-doctor-XXXXXX";
    if (!hsc_cli_lib_file("libheatscope-rt.so", library, sizeof library)) {
        line("no", "runtime", library, "not installed completely: install Heatscope again");
        fatal = true;
        return;
    }
    if (!mkdtemp(directory)) {
        line("no", "LD_PRELOAD", "can't make a directory in /tmp", "free some room in /tmp");
        return;
    }
    hsc_cli_preloadable(directory, library, sizeof library);
    pid_t child = fork();
    if (!child) {
        setenv("LD_PRELOAD", library, 1);
        setenv("HEATSCOPE_OUTPUT", directory, 1);
        setenv("HEATSCOPE_QUIET", "1", 1);
        char number[32];
        snprintf(number, sizeof number, "%ld", (long)getpid());
        setenv("HEATSCOPE_ROOT_PID", number, 1); /* keeps its file even without a sample */
        execlp("true", "true", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    bool ok = WIFEXITED(status) && !WEXITSTATUS(status) && has_stream(directory);
    line(ok ? "ok" : "no", "LD_PRELOAD", ok ? "the runtime can be loaded into programs" : "the runtime was not loaded into 'true'",
         ok ? NULL : "is the C library not glibc, or is loading forbidden by a security module?");
    fatal = fatal || !ok;
    remove_directory(directory);
    uint64_t word = 42, copy = 0;
    struct iovec to = {&copy, sizeof copy}, from = {&word, sizeof word};
    ok = process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof copy;
    line(ok ? "ok" : "note", "process_vm_readv", ok ? "works" : "forbidden: /proc/self/mem is used instead", NULL);
}

/* ---- compilers, MPI, room ------------------------------------------------------------------------------------------------------- */

static bool on_path(const char *name, char *path, size_t size) {
    const char *list = getenv("PATH");
    for (const char *p = list ? list : "/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        snprintf(path, size, "%.*s/%s", (int)n, p, name);
        if (n && !access(path, X_OK))
            return true;
        p += n + (p[n] == ':');
    }
    return false;
}

static void check_program(const char *what, const char *const *names, const char *advice) {
    char path[PATH_MAX];
    for (; *names; names++)
        if (on_path(*names, path, sizeof path)) {
            line("ok", what, path, NULL);
            return;
        }
    line("--", what, "not found", advice);
}

static void check_tools(void) {
    char path[PATH_MAX];
    bool pass = hsc_cli_lib_file("heatscope-pass-" HEATSCOPE_VERSION ".so", path, sizeof path);
    line(pass ? "ok" : "--", "compiler pass", path, pass ? NULL : "not built: programs are shown by DWARF and symbols only");
    check_program("C compiler", (const char *const[]){"clang-19", NULL}, "apt-get install clang-19");
    check_program("Fortran compiler", (const char *const[]){"flang-new-19", NULL}, "apt-get install flang-19");
    check_program("MPI", (const char *const[]){"mpirun", "mpiexec", "srun", NULL},
                  "apt-get install openmpi-bin libopenmpi-dev, if you need it");
}

static void check_room(void) {
    struct statvfs s;
    char text[256];
    if (!statvfs(".", &s)) {
        double free_gb = (double)s.f_bavail * (double)s.f_frsize / 1e9;
        snprintf(text, sizeof text, "%.1f GB free here; a thread writes some 12 kB for each second of CPU time", free_gb);
        line(free_gb > 0.1 ? "ok" : "note", "room", text, free_gb > 0.1 ? NULL : "give another directory with 'run -o'");
    }
    if (access(".", W_OK))
        line("note", "room", "the current directory can't be written to", "give another directory with 'run -o'");
    struct rlimit r;
    if (!getrlimit(RLIMIT_FSIZE, &r) && r.rlim_cur != RLIM_INFINITY) {
        snprintf(text, sizeof text, "files may have %.1f MB at most", (double)r.rlim_cur / 1e6);
        line("note", "file size limit", text, "ulimit -f unlimited; what does not fit is counted as lost");
    }
    if (!getrlimit(RLIMIT_SIGPENDING, &r) && r.rlim_cur < 1024) {
        snprintf(text, sizeof text, "%llu pending signals: as many threads can have timers", (unsigned long long)r.rlim_cur);
        line("note", "signal limit", text, "ulimit -i 4096");
    }
}

int hsc_cmd_doctor(int argc, char **argv) {
    int first;
    int code = hsc_cli_parse(&command, argc, argv, NULL, NULL, &first);
    if (code >= 0)
        return code;
    if (first < argc) {
        fprintf(stderr, "heatscope doctor: expected no arguments, got '%s'\n", argv[first]);
        return HSC_EXIT_USAGE;
    }
    struct utsname u;
    char text[256];
    if (!uname(&u)) {
        snprintf(text, sizeof text, "%.60s %.60s, %s, %ld processors", u.sysname, u.release, u.machine,
                 sysconf(_SC_NPROCESSORS_ONLN));
        line("", "machine", text, NULL);
    }
    if (!check_sources()) {
        fatal = true;
        line("no", "sampling", "there is no source of samples", "see above; at least one must work");
    }
    check_loading();
    check_tools();
    check_room();
    printf("%s\n", fatal ? "Programs can't be measured here." : "Programs can be measured here.");
    return fatal ? HSC_EXIT_FAILED : HSC_EXIT_OK;
}
