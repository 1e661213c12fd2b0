/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One behaviour a mode: what it prints, and how it ends, must be the same whether it is measured or not. */
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;
static volatile double sink;

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static __attribute__((noinline)) void work(double seconds) {
    double end = cpu() + seconds;
    while (cpu() < end)
        for (int i = 0; i < 20000; i++)
            sink = sink * 1.0000001 + i;
}

static void *waits_for_none(void *set) {
    struct sembuf o[] = {{0, 0, 0}, {1, 1, 0}}; /* of which one changes it: that asks for no right to read */
    return (void *)(intptr_t)semop(*(int *)set, o, 2);
}

/* Who may change a semaphore, and not read it, takes the last one of those that another thread waits for to be none. */
static void semaphores(void) {
    bool root = !geteuid();
    int set = semget(IPC_PRIVATE, 2, root ? 0222 : 0200);
    struct sembuf o = {0, 1, 0};
    pthread_t other;
    void *result;
    semop(set, &o, 1);
    pthread_create(&other, NULL, waits_for_none, &set);
    for (int i = 0; i < 100 && semctl(set, 0, GETZCNT) < 1; i++)
        usleep(1000);
    if (root)
        syscall(SYS_setresuid, -1, 65534, -1); /* of this thread alone */
    o.sem_op = -1;
    errno = 55;
    int taken = semop(set, &o, 1), after = errno;
    if (root)
        syscall(SYS_setresuid, -1, 0, -1);
    pthread_join(other, &result);
    printf("semop %d %d %d\n", taken, after, (int)(intptr_t)result);
    semctl(set, 0, IPC_RMID);
}

static void errnos(void) {
    char c[8];
    sem_t s;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, checked;
    pthread_mutexattr_t a;
    sem_init(&s, 0, 0);
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &a);
    errno = 0;
    printf("read %zd %d\n", read(-1, c, 1), errno);
    printf("write %zd %d\n", write(-1, c, 1), errno);
    printf("close %d %d\n", close(-1), errno);
    printf("open %d %d\n", open("/no/such/file", O_RDONLY), errno);
    printf("fopen %d %d\n", fopen("/no/such/file", "r") != NULL, errno);
    printf("trywait %d %d\n", sem_trywait(&s), errno);
    printf("waitpid %d %d\n", (int)waitpid(-1, NULL, 0), errno);
    struct timespec past = {0, 0};
    printf("timedwait %d %d\n", sem_timedwait(&s, &past), errno);
    errno = 99;
    pthread_mutex_lock(&m);
    printf("timedlock %d %d\n", pthread_mutex_timedlock(&m, &past), errno);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&checked);
    printf("relock %d %d\n", pthread_mutex_lock(&checked) == EDEADLK, errno);
    printf("unlock %d %d\n", pthread_mutex_unlock(&checked), pthread_mutex_unlock(&checked) == EPERM);
    int fd = open("/dev/null", O_RDWR);
    errno = 88;
    printf("kept %zd %d\n", write(fd, c, 8), errno);
    usleep(1000);
    printf("kept %d\n", errno);
    semaphores();
}

static sigjmp_buf out;

static void jump(int n) {
    (void)n;
    siglongjmp(out, 1);
}

/* A handler jumps out of a call that waits, as old programs do for time limits. */
static void jumps(void) {
    int pipes[2], jumped = 0;
    char c;
    if (pipe(pipes))
        exit(1);
    signal(SIGALRM, jump);
    for (volatile int i = 0; i < 20; i++) {
        struct itimerval v = {{0, 0}, {0, 3000}};
        if (sigsetjmp(out, 1)) {
            jumped++;
            work(0.003);
            continue;
        }
        setitimer(ITIMER_REAL, &v, NULL);
        if (i % 2)
            printf("read %zd\n", read(pipes[0], &c, 1));
        else
            sleep(1000);
    }
    printf("jumped %d\n", jumped);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int cleaned, pipes[2];

static void cleans(void *p) {
    cleaned += *(int *)p;
    pthread_mutex_trylock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void *cancelled(void *p) {
    int kind = *(int *)p, one = 1;
    char c;
    sem_t s;
    sem_init(&s, 0, 1000000);
    pthread_cleanup_push(cleans, &one);
    if (kind == 0) {
        pthread_mutex_lock(&mutex);
        for (;;)
            pthread_cond_wait(&cond, &mutex);
    } else if (kind == 1) {
        for (;;)
            if (read(pipes[0], &c, 1) < 0)
                break;
    } else if (kind == 2)
        for (;;)
            sleep(1000);
    else if (kind == 3)
        for (;;) { /* always free, and a point of cancellation all the same */
            sem_wait(&s);
            sem_post(&s);
        }
    else
        for (;;) {
            work(0.001);
            pthread_testcancel();
        }
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancels(void) {
    if (pipe(pipes))
        exit(1);
    for (int kind = 0; kind < 5; kind++)
        for (int i = 0; i < 4; i++) {
            pthread_t t;
            void *r;
            pthread_create(&t, NULL, cancelled, &kind);
            usleep(5000);
            pthread_cancel(t);
            pthread_join(t, &r);
            if (r != PTHREAD_CANCELED)
                printf("kind %d not cancelled\n", kind);
        }
    printf("cleaned %d\n", cleaned);
}

/* Vector registers, control words and flags hold what they held, at any instruction. */
__attribute__((target("avx"))) static long vectors(double seconds) {
    long wrong = 0;
    double end = cpu() + seconds;
    while (cpu() < end) {
        for (int i = 0; i < 20000; i++) {
            __m256d a = _mm256_set_pd(i, i + 1, i + 2, i + 3), b = a;
            __asm__ volatile("vaddpd %1, %0, %0\n\tvsubpd %1, %0, %0" : "+x"(b) : "x"(a));
            wrong += _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_NEQ_UQ)) != 0;
        }
    }
    return wrong;
}

static void floats(void) {
    unsigned short control = 0x0f7f, now; /* round towards zero, 80 bits */
    unsigned csr = 0x5f80;                /* round up, all masked */
    long wrong = 0;
    __asm__ volatile("fldcw %0" : : "m"(control));
    _mm_setcsr(csr);
    double end = cpu() + 0.2;
    while (cpu() < end)
        for (int i = 0; i < 10000; i++) {
            __asm__ volatile("fnstcw %0" : "=m"(now));
            wrong += now != control || (_mm_getcsr() & 0xffc0) != (csr & 0xffc0);
        }
    _mm_setcsr(0x1f80);
    printf("control words %ld\n", wrong);
    if (__builtin_cpu_supports("avx"))
        printf("vectors %ld\n", vectors(0.2));
    else
        printf("vectors 0\n");
}

static ucontext_t home, away;
static int rounds;

static void coroutine(void) {
    for (;;) {
        work(0.0005);
        rounds++;
        usleep(100);
        swapcontext(&away, &home);
    }
}

static void switches(void) {
    size_t size = 256 << 10;
    getcontext(&away);
    away.uc_stack.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    away.uc_stack.ss_size = size;
    away.uc_link = NULL;
    makecontext(&away, coroutine, 0);
    for (int i = 0; i < 200; i++) {
        swapcontext(&home, &away);
        work(0.0002);
    }
    printf("rounds %d\n", rounds);
}

static void signals(void) {
    /* own timers by signal, a descriptor of signals, an alternate stack, a thread that takes all */
    sigset_t s;
    struct signalfd_siginfo info;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    sigaddset(&s, SIGPROF);
    sigprocmask(SIG_BLOCK, &s, NULL);
    int fd = signalfd(-1, &s, 0);
    kill(getpid(), SIGUSR1);
    work(0.05);
    int whole = read(fd, &info, sizeof info) == sizeof info;
    printf("signalfd %d %d\n", whole, (int)info.ssi_signo);
    struct sigevent e;
    memset(&e, 0, sizeof e);
    e.sigev_notify = SIGEV_SIGNAL;
    e.sigev_signo = SIGPROF;
    timer_t t;
    timer_create(CLOCK_PROCESS_CPUTIME_ID, &e, &t);
    struct itimerspec i = {{0, 0}, {0, 20000000}};
    timer_settime(t, 0, &i, NULL);
    struct pollfd has = {fd, POLLIN, 0};
    for (int i = 0; i < 50 && poll(&has, 1, 0) == 0; i++)
        work(0.1);
    printf("timer %d %d\n", has.revents == POLLIN && read(fd, &info, sizeof info) == sizeof info, (int)info.ssi_signo);
    sigpending(&s);
    printf("pending %d\n", sigismember(&s, SIGUSR1) + sigismember(&s, SIGPROF));
}

static void descriptors(void) {
    fflush(stdout);
    int kept = dup(1);
    close(0);
    close(1);
    close(2);
    int a = open("/dev/null", O_RDWR), b = open("/dev/null", O_RDWR), c = open("/dev/null", O_RDWR);
    work(0.05);
    dprintf(kept, "first %d %d %d\n", a, b, c);
    syscall(SYS_close_range, 4, ~0u, 0);
    work(0.05);
    int d = open("/dev/null", O_RDWR);
    dprintf(kept, "next %d\n", d);
}

static void *little(void *p) {
    work(0.002);
    return p;
}

static void threads(int n) {
    for (int i = 0; i < n; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, little, NULL) || pthread_join(t, NULL))
            printf("no thread\n");
    }
}

static void daemons(void) {
    int p[2];
    char text[64] = "";
    fflush(stdout);
    if (pipe(p))
        exit(1);
    pid_t first = fork();
    if (!first) {
        setsid();
        if (fork())
            _exit(0);
        close(0);
        close(1);
        close(2);
        chdir("/");
        work(0.05);
        threads(2);
        dprintf(p[1], "daemon %d\n", getppid() != getpid());
        _exit(0);
    }
    close(p[1]);
    waitpid(first, NULL, 0);
    size_t n = 0;
    for (ssize_t r; n < sizeof text - 1 && (r = read(p[0], text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)r;
    printf("%s", text);
}

static void children(void) {
    char *sh[] = {"sh", "-c", "exit 7", NULL};
    pid_t pid;
    int status = 0;
    printf("system %d\n", WEXITSTATUS(system("exit 5")));
    printf("spawn %d", posix_spawnp(&pid, "sh", NULL, NULL, sh, environ));
    waitpid(pid, &status, 0);
    printf(" %d\n", WEXITSTATUS(status));
    pid = vfork();
    if (!pid) {
        close(0);
        if (write(1, "", 0) == 0)
            execvp("sh", sh);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    printf("vfork %d\n", WEXITSTATUS(status));
    FILE *f = popen("echo from below", "r");
    char text[64] = "";
    if (!fgets(text, sizeof text, f))
        text[0] = 0;
    printf("popen %d %s", pclose(f), text);
    fflush(stdout);
    pid = fork();
    if (!pid)
        for (;;)
            pause();
    printf("undo %ld\n", syscall(SYS_kcmp, getpid(), pid, KCMP_SYSVSEM, 0, 0)); /* neither has semaphores to undo */
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    fflush(stdout);
    pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* a fork that no library sees */
    if (!pid) {
        work(0.05);
        if (write(1, "bare child\n", 11) != 11)
            _exit(1);
        _exit(9);
    }
    waitpid(pid, &status, 0);
    printf("bare %d\n", WEXITSTATUS(status));
}

/* Ends the process for what a profiler does and the program does not. */
static int forbid(void) {
    static const int deadly[] = {SYS_perf_event_open, SYS_timer_create, SYS_timer_settime, SYS_timer_delete, SYS_openat,
                                 SYS_process_vm_readv, SYS_fcntl, SYS_ioctl, SYS_getrusage,
                                 SYS_ftruncate};
    struct sock_filter code[64];
    unsigned short n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)deadly[i], 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {n, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* A hole that a program makes stays one: nothing of others is mapped there while it computes, on many call paths. */
static __attribute__((noinline)) void branch(int depth, unsigned path) {
    if (depth) {
        branch(depth - 1, path >> 1);
        if (path & 1)
            sink += 1;
        else
            branch(0, 0);
    } else
        work(0.0005);
}

static void holes(void) {
    enum { SIZE = 1 << 20 };
    unsigned char there;
    int taken = 0;
    char *hole = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(hole, SIZE);
    for (int i = 0; i < 400; i++) {
        branch(i % 100, (unsigned)i);
        for (int k = 0; k < SIZE; k += 4096)
            taken += !mincore(hole + k, 4096, &there);
    }
    printf("holes %d\n", taken);
}

static void *long_thread(void *p) {
    while (!__atomic_load_n((int *)p, __ATOMIC_RELAXED))
        work(0.01);
    return NULL;
}

static void filtered(void) {
    int stop = 0;
    pthread_t t;
    pthread_create(&t, NULL, long_thread, &stop);
    work(0.1);
    printf("filter %d\n", forbid());
    work(0.2);
    threads(4);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(t, NULL);
    printf("alive\n");
}

static void strict(void) {
    printf("strict %d\n", 0);
    fflush(stdout);
    work(0.1);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
        _exit(1);
    for (long i = 0; i < 100000000; i++)
        sink = sink * 1.0000001 + (double)i;
    if (write(1, "alive\n", 6) == 6)
        syscall(SYS_exit, 0);
}

/* The arguments are changed in place, as programs with options and titles of their own do, before a child is born. */
static char **own_arguments;
static void rearranges(void) {
    int status = 0;
    memset(own_arguments[1], 'x', strlen(own_arguments[1]));
    own_arguments[1] = NULL;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        work(0.03);
        _exit(own_arguments[1] ? 1 : 7);
    }
    waitpid(child, &status, 0);
    printf("child %d\n", status);
}

static void *alike(void *p) {
    for (int i = 0; i < 300; i++)
        if (setns(-1, 0) != -1 || errno != EBADF)
            printf("no error\n");
    return p;
}

/* Many threads at once make calls for which the runtime's own thread has to go. */
static void alone(void) {
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, alike, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL);
    work(0.05);
    printf("all\n");
}

/* Who reads the cycle counter is sent SIGSEGV. */
static void no_counter(void) {
    work(0.05);
    int r = prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    for (long i = 0; i < 100000000; i++)
        sink = sink * 1.0000001 + (double)i;
    int back = prctl(PR_SET_TSC, PR_TSC_ENABLE);
    printf("counter %d %d\n", r, back);
}

static volatile char dispatched;
static volatile sig_atomic_t own_calls, other_calls;

static void on_dispatch(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    dispatched = 0; /* SYSCALL_DISPATCH_FILTER_ALLOW, so that this handler may return */
    if (info->si_syscall == SYS_getppid)
        own_calls = own_calls + 1;
    else
        other_calls = other_calls + 1;
}

/* Who has system calls sent to itself, as Wine does, gets its own and no others. */
static void dispatches(void) {
    struct sigaction a = {.sa_sigaction = on_dispatch, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &a, NULL);
    work(0.05);
    int r = prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, 0, 0, &dispatched);
    for (int round = 0; round < 100 && !r; round++) {
        dispatched = 1;
        for (long i = 0; i < 1000000; i++)
            sink = sink * 1.0000001 + (double)i;
        syscall(SYS_getppid);
        dispatched = 0;
    }
    prctl(59, 0, 0, 0, 0);
    printf("calls %d %d %d\n", r, (int)own_calls, (int)other_calls);
}

/* A debugger: runs the command and counts the signals that it is told of, but for that of exec. */
static void traces(char **argv) {
    int status = 0, told = 0;
    pid_t child = fork();
    if (!child) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execvp(argv[0], argv);
        exit(3);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        int with = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        told += with != 0;
        ptrace(PTRACE_CONT, child, NULL, (void *)(long)with); /* NOLINT */
    }
    printf("told %d, status %d\n", told, status);
    exit(0);
}

/* A filter that is there before the program is: as in a container. */
static void inherits(char **argv) {
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        exit(2);
    execvp(argv[0], argv);
    exit(3);
}

static void close_errors(void) { fclose(stderr); }

/* As GNU's ls and sort end. */
static void closes_out(void) { atexit(close_errors); }

static void closes_out_at_once(void) {
    atexit(close_errors);
    exit(42);
}

/* Goes on, until somebody has written to it, without what has the number meanwhile. */
static void closes_early(void) {
    char byte;
    close_errors();
    while (read(0, &byte, 1) < 0) {
    }
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "inherits") && argc > 2)
        inherits(argv + 2);
    if (!strcmp(mode, "traces") && argc > 2)
        traces(argv + 2);
    own_arguments = argv;
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"errnos", errnos},   {"jumps", jumps},     {"cancels", cancels},         {"floats", floats},
                 {"switches", switches}, {"signals", signals}, {"descriptors", descriptors}, {"daemons", daemons},
                 {"children", children}, {"holes", holes}, {"filtered", filtered}, {"strict", strict},
                 {"rearranges", rearranges}, {"alone", alone}, {"no_counter", no_counter},
                 {"dispatches", dispatches}, {"closes_out", closes_out}, {"closes_out_at_once", closes_out_at_once},
                 {"closes_early", closes_early}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(mode, modes[i].name)) {
            modes[i].run();
            return 42; /* the mode's name may be gone */
        }
    work(0.1);
    threads(2);
    printf("worked\n");
    return 42;
}
