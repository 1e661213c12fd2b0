/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What programs do with SIGTRAP, one way a mode: the output and the end must not depend on whether they are measured. */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* older calls for masks of signals */

extern char **environ;
volatile double sink;
static const char *self;
static volatile sig_atomic_t came, code_of_last, on_alternate;
static char alternate[16384];
static sigjmp_buf back;

static void work(double seconds) {
    struct timespec t, begin;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        double x = 1;
        for (int i = 0; i < 20000; i++)
            x = x * 1.0000001 + i;
        sink = x;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while ((double)(t.tv_sec - begin.tv_sec) + 1e-9 * (double)(t.tv_nsec - begin.tv_nsec) < seconds);
}

static void breakpoint(void) {
    __asm__ volatile("int3");
}

static void on_trap(int number, siginfo_t *info, void *context) {
    const char *here = (const char *)&here;
    (void)number;
    (void)context;
    came++;
    code_of_last = info->si_code;
    on_alternate = here >= alternate && here < alternate + sizeof alternate;
    work(0.002);
}

static void on_plain(int number) {
    (void)number;
    came++;
}

static void jumps_out(int number) {
    came++;
    siglongjmp(back, number);
}

static void handle(void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction a, before;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = handler;
    a.sa_flags = SA_SIGINFO | flags;
    int r = sigaction(SIGTRAP, &a, &before);
    printf("handler %d, before %s\n", r, before.sa_handler == SIG_DFL ? "default" : before.sa_handler == SIG_IGN ? "ignored" : "other");
}

static bool is_blocked(void) {
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    return sigismember(&now, SIGTRAP);
}

static void block(int how, int number) {
    sigset_t set;
    sigfillset(&set);
    if (number) {
        sigemptyset(&set);
        sigaddset(&set, number);
    }
    pthread_sigmask(how, &set, NULL);
}

static void is_default(void) {
    work(0.1);
    fflush(stdout);
    breakpoint();
}

static void is_raised(void) {
    work(0.1);
    raise(SIGTRAP);
}

static void is_handled(void) {
    handle(on_trap, 0);
    for (int i = 0; i < 20; i++) {
        work(0.003);
        breakpoint();
    }
    printf("breakpoints %d, code %d\n", (int)came, (int)code_of_last);
    for (int i = 0; i < 20; i++) {
        work(0.003);
        raise(SIGTRAP);
    }
    printf("raised %d, code %d\n", (int)came, (int)code_of_last);
    printf("plain %d\n", signal(SIGTRAP, on_plain) != SIG_DFL);
    breakpoint();
    printf("plain %d\n", (int)came);
    printf("default %d\n", signal(SIGTRAP, SIG_DFL) == on_plain);
    work(0.05);
    fflush(stdout);
    breakpoint();
}

static void is_jumped(void) {
    signal(SIGTRAP, jumps_out);
    for (volatile int i = 0; i < 30; i++)
        if (!sigsetjmp(back, 1)) {
            work(0.003);
            breakpoint();
        }
    printf("jumped %d\n", (int)came);
    for (volatile int i = 0; i < 3; i++)
        if (!sigsetjmp(back, 0)) { /* it stays blocked then */
            work(0.01);
            block(SIG_UNBLOCK, SIGTRAP);
            breakpoint();
        }
    printf("jumped %d\n", (int)came);
    work(0.2);
}

static void is_reset(void) {
    handle(on_trap, SA_RESETHAND | SA_NODEFER);
    work(0.05);
    breakpoint();
    printf("once %d\n", (int)came);
    struct sigaction now;
    sigaction(SIGTRAP, NULL, &now);
    printf("default %d\n", now.sa_handler == SIG_DFL);
    fflush(stdout);
    work(0.05);
    breakpoint();
}

static void is_ignored(void) {
    work(0.05);
    printf("before %d\n", signal(SIGTRAP, SIG_IGN) == SIG_DFL);
    work(0.05);
    raise(SIGTRAP);
    kill(getpid(), SIGTRAP);
    work(0.1);
    printf("ignored\n");
    fflush(stdout);
    if (!fork())
        execl(self, self, "tells", NULL);
    wait(NULL);
    breakpoint(); /* ends it all the same */
}

static void tells(void) {
    struct sigaction now;
    sigaction(SIGTRAP, NULL, &now);
    printf("SIGTRAP is %s and %s\n", now.sa_handler == SIG_IGN ? "ignored" : now.sa_handler == SIG_DFL ? "default" : "handled",
           is_blocked() ? "blocked" : "open");
    work(0.05);
}

static void *waits(void *p) {
    sigset_t all;
    int number = 0;
    sigfillset(&all);
    do {
        work(0.02); /* whatever is taken for a signal of the program's meanwhile is told */
        int r = sigwait(&all, &number);
        printf("waited %d: %d\n", r, number);
        __atomic_add_fetch((int *)p, 1, __ATOMIC_RELEASE);
    } while (number != SIGUSR1);
    return NULL;
}

static void *works(void *p) {
    printf("thread: %s\n", is_blocked() ? "blocked" : "open");
    work(0.2);
    return p;
}

/* As servers do: all signals blocked in all threads, and one that waits for them. */
static void is_waited(void) {
    pthread_t waiter, worker;
    int seen = 0;
    block(SIG_BLOCK, 0);
    pthread_create(&waiter, NULL, waits, &seen);
    pthread_create(&worker, NULL, works, NULL);
    work(0.2);
    pthread_join(worker, NULL);
    for (int i = 0; i < 3; i++) {
        kill(getpid(), i < 2 ? SIGTRAP : SIGUSR1);
        while (__atomic_load_n(&seen, __ATOMIC_ACQUIRE) == i)
            work(0.001);
        work(0.03);
    }
    pthread_join(waiter, NULL);
    work(0.1);
    printf("still %s\n", is_blocked() ? "blocked" : "open");
}

static void is_read(void) {
    sigset_t set;
    struct signalfd_siginfo info;
    sigemptyset(&set);
    sigaddset(&set, SIGTRAP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_NONBLOCK);
    work(0.1);
    printf("nothing %d\n", read(fd, &info, sizeof info) == -1 && errno == EAGAIN);
    raise(SIGTRAP);
    work(0.02);
    printf("something %d\n", read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGTRAP && info.ssi_pid == (uint32_t)getpid());
    work(0.1);
    printf("nothing %d\n", read(fd, &info, sizeof info) == -1 && errno == EAGAIN);
}

static void is_pending(void) {
    sigset_t set, old;
    struct timespec brief = {0, 20000000};
    signal(SIGTRAP, on_plain);
    block(SIG_BLOCK, SIGTRAP);
    work(0.05);
    sigpending(&set);
    printf("pending %d, %s\n", sigismember(&set, SIGTRAP), is_blocked() ? "blocked" : "open");
    sigemptyset(&set);
    sigaddset(&set, SIGTRAP);
    printf("none %d\n", sigtimedwait(&set, NULL, &brief) == -1 && errno == EAGAIN);
    raise(SIGTRAP);
    work(0.05);
    sigpending(&set);
    printf("pending %d, came %d\n", sigismember(&set, SIGTRAP), (int)came);
    sigemptyset(&set);
    sigprocmask(SIG_SETMASK, &set, &old);
    printf("came %d, old %d, %s\n", (int)came, sigismember(&old, SIGTRAP), is_blocked() ? "blocked" : "open");
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigprocmask(SIG_SETMASK, &set, &old);
    printf("old %d\n", sigismember(&old, SIGTRAP));
    work(0.1);
}

static void is_on_alternate_stack(void) {
    stack_t s = {alternate, 0, sizeof alternate};
    sigaltstack(&s, NULL);
    work(0.05);
    handle(on_trap, SA_ONSTACK);
    for (int i = 0; i < 10; i++) {
        work(0.01);
        breakpoint();
    }
    printf("came %d, alternate %d\n", (int)came, (int)on_alternate);
    handle(on_trap, 0);
    breakpoint();
    printf("came %d, alternate %d\n", (int)came, (int)on_alternate);
    signal(SIGTRAP, SIG_IGN);
    raise(SIGTRAP);
    signal(SIGTRAP, SIG_DFL);
    work(0.1);
    fflush(stdout);
    raise(SIGTRAP);
}

static void is_inherited(void) {
    pthread_t t;
    block(SIG_BLOCK, 0);
    pthread_create(&t, NULL, works, NULL);
    pthread_join(t, NULL);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        tells();
        fflush(stdout);
        execl(self, self, "tells", NULL);
    }
    waitpid(child, NULL, 0);
    if (!(child = vfork())) {
        execl(self, self, "tells", NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    printf("failed %d\n", execl("/", "/", NULL) == -1 && is_blocked());
    block(SIG_UNBLOCK, SIGTRAP);
    printf("%s\n", is_blocked() ? "blocked" : "open");
    work(0.1);
}

static void tell_of_child(void (*open_again)(void)) {
    fflush(stdout);
    pid_t child = vfork();
    if (!child) {
        if (open_again)
            open_again();
        execl(self, self, "tells", NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    printf("%s\n", is_blocked() ? "blocked" : "open");
}

static void set_none(void) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void set_none_as_of_old(void) {
    sigsetmask(0);
}

static void release(void) {
    sigrelse(SIGTRAP);
}

static void hold_and_release(void) {
    sighold(SIGTRAP);
    sigrelse(SIGTRAP);
    sigblock(1 << (SIGTRAP - 1));
}

/* Shells block all signals round vfork, and the child opens them again. Its variables are its parent's. */
static void is_released(void) {
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    tell_of_child(NULL);
    tell_of_child(set_none);
    tell_of_child(set_none_as_of_old);
    tell_of_child(release);
    tell_of_child(hold_and_release);
    sigprocmask(SIG_SETMASK, &old, NULL);
    tell_of_child(NULL);
    sigsetmask(1 << (SIGTRAP - 1));
    printf("before %x\n", (unsigned)sigblock(1 << (SIGUSR1 - 1)));
    tell_of_child(release);
    printf("before %x\n", (unsigned)siggetmask());
    sigsetmask(0);
    tell_of_child(NULL);
    printf("wrong %d %d\n", sighold(0), sigrelse(100));
    work(0.1);
}

/* By system calls that no library sees, for long, and for short, many times. */
static void is_blocked_unseen(void) {
    uint64_t trap = 1ull << (SIGTRAP - 1);
    for (int i = 0; i < 2000; i++) {
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, &trap, NULL, 8);
        work(i ? 0.0001 : 0.3);
        syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &trap, NULL, 8);
    }
    printf("alive\n");
}

static volatile sig_atomic_t raised, of_events;

static void on_any(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)context;
    if (info->si_code == SI_TKILL)
        raised++;
    else
        of_events++;
}

/* By the system call itself: samples come to this handler, until that is noticed at the next tick (at most 64 ms). */
static void is_handled_unseen(void) {
    struct sigaction a = {.sa_sigaction = on_any, .sa_flags = SA_SIGINFO | SA_RESTART};
    uint64_t kernels[4];
    sigaction(SIGUSR1, &a, NULL);
    syscall(SYS_rt_sigaction, SIGUSR1, NULL, kernels, 8);
    syscall(SYS_rt_sigaction, SIGTRAP, kernels, NULL, 8);
    work(0.6);
    raise(SIGTRAP);
    printf("%d raised, %s others\n", (int)raised, of_events > 150 ? "many" : "few");
}

static void *nothing(void *p) {
    return p;
}

/* libc blocks all signals for a moment in each of these. */
static void starts(void) {
    char *arguments[] = {(char *)"true", NULL};
    pid_t child;
    pthread_t t;
    for (int i = 0; i < 40; i++) {
        work(0.002);
        if (posix_spawnp(&child, "true", NULL, NULL, arguments, environ))
            printf("not started\n");
        for (int k = 0; k < 20; k++) {
            pthread_create(&t, NULL, nothing, NULL);
            pthread_join(t, NULL);
        }
        waitpid(child, NULL, 0);
    }
    printf("system %d\n", system("exit 3"));
}

static void on_event(int number, siginfo_t *info, void *context) {
    uint64_t data;
    memcpy(&data, (char *)info + 24, sizeof data);
    (void)number;
    (void)context;
    if (info->si_code == 6 && data == 4711)
        came++;
    else
        code_of_last++;
}

/* An event of the program's own. */
static void has_event(void) {
    struct perf_event_attr a;
    handle(on_event, 0);
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_CPU_CLOCK;
    a.sample_period = 1000000;
    a.exclude_kernel = a.exclude_hv = a.sigtrap = a.remove_on_exec = 1;
    a.sig_data = 4711;
    int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    work(0.2);
    close(fd);
    printf("own events %d, others %d\n", fd < 0 || came > 20, (int)code_of_last);
}

/* A child that lets itself be traced, and goes on: its tracer hears of no signal. */
static void is_traced(void) {
    int status = 0, told = 0;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        work(0.1);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        work(0.3);
        _exit(5);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        told++;
        ptrace(PTRACE_CONT, child, NULL, (void *)(long)WSTOPSIG(status)); /* NOLINT */
    }
    printf("told %d, status %d\n", told, status);
    work(0.1);
}

static void computes(void) {
    printf("computes\n");
    fflush(stdout);
    work(60);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Another process, as a debugger that one attaches: holds it for four seconds, and counts the signals in the first three and in the last one. */
static int holds(int pid) {
    char path[64];
    int status, early = 0, late = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return 1;
    for (struct dirent *e; (e = readdir(tasks));)
        if (e->d_name[0] != '.' && ptrace(PTRACE_SEIZE, atoi(e->d_name), NULL, NULL))
            return 1;
    closedir(tasks);
    double begin = seconds();
    while (seconds() < begin + 4) {
        pid_t task = waitpid(-1, &status, __WALL | WNOHANG);
        if (task <= 0) {
            usleep(100);
            continue;
        }
        if (!WIFSTOPPED(status))
            return 1;
        *(seconds() < begin + 3 ? &early : &late) += 1;
        ptrace(PTRACE_CONT, task, NULL, NULL); /* and does not hand it on */
    }
    printf("%d in the first three seconds, %d in the last\n", early, late);
    return 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"default", is_default}, {"raised", is_raised},       {"handled", is_handled},   {"jumped", is_jumped},
                 {"reset", is_reset},     {"ignored", is_ignored},     {"tells", tells},          {"waited", is_waited},
                 {"read", is_read},       {"pending", is_pending},     {"inherited", is_inherited}, {"alternate", is_on_alternate_stack},
                 {"unseen", is_blocked_unseen}, {"handled_unseen", is_handled_unseen}, {"starts", starts},    {"event", has_event},
                 {"traced", is_traced},   {"computes", computes},     {"released", is_released}};
    if (argc > 2 && !strcmp(argv[1], "holds"))
        return holds(atoi(argv[2]));
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    self = argv[0];
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(argv[1], modes[i].name)) {
            modes[i].run();
            return 42;
        }
    return 2;
}
