/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* stress SEED CPU_SECONDS: threads do at random what is hard for a sampler: recursion, exceptions, longjmp (also out of a
 * signal handler), dlopen and dlclose, threads that return, exit and are cancelled, fork, signals from each other and from a
 * timer, on other stacks, contexts of their own, all signals blocked. Each action has a known result; a wrong one, or a
 * changed errno or floating-point mode, ends the program with code 3. */
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define ACTORS 3
#define STACK_BYTES 65536

static double cpu_seconds;
static unsigned seed;
static pthread_t actors[ACTORS];
static std::atomic<int> running{ACTORS}, created{1};
static std::atomic<long> done[16];
static volatile uint64_t sink;

static void wrong(const char *what) {
    fprintf(stderr, "wrong: %s\n", what);
    _exit(3);
}

static double cpu() {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

KEEP uint64_t steps(uint64_t x, long n) {
    for (long i = 0; i < n; i++)
        x = (x ^ x >> 29) * 6364136223846793005u + 1;
    return x;
}

/* A leaf below `depth` frames; odd levels have a frame of a size that is known at run time only. */
KEEP uint64_t descend(int depth, long n, int how);
KEEP uint64_t descend_wide(int depth, long n, int how) {
    volatile char *room = (volatile char *)__builtin_alloca((size_t)(depth % 7 + 1) * 40);
    room[0] = 1;
    uint64_t x = descend(depth - 1, n, how);
    return x + (uint64_t)room[0] - 1;
}

enum { RETURN, THROW, JUMP };
static thread_local sigjmp_buf target;

struct guard {
    uint64_t *unwound;
    ~guard() { ++*unwound; }
};
static thread_local uint64_t unwound;

KEEP uint64_t descend(int depth, long n, int how) {
    guard g{&unwound};
    if (depth <= 0) {
        uint64_t x = steps(1, n);
        if (how == THROW)
            throw x;
        if (how == JUMP)
            siglongjmp(target, 1);
        return x;
    }
    uint64_t x = depth & 1 ? descend_wide(depth, n, how) : descend(depth - 1, n, how);
    sink = sink + 1;
    return x;
}

/* ---- signals -------------------------------------------------------------------------------------------------------- */

static void on_usr1(int) { /* from other threads and the timer, at any moment */
    int saved = errno;
    sink = sink + steps(1, 200);
    errno = saved;
}

static void on_usr2(int) { siglongjmp(target, 2); } /* sent by a thread to itself */

/* ---- actions: each ends with true, or tells what was wrong ------------------------------------------------------------- */

struct job {
    long n;
    int how;
};

static void *short_thread(void *p) {
    const job *j = (const job *)p;
    uint64_t x = descend(5, j->n, RETURN);
    if (j->how == 1)
        pthread_exit((void *)x);
    while (j->how == 2) {
        sink = sink + steps(1, 100);
        pthread_testcancel();
    }
    return (void *)x;
}

static void threads(long n, int how) {
    pthread_t t;
    job j = {n, how};
    void *result = nullptr;
    if (pthread_create(&t, nullptr, short_thread, &j))
        wrong("pthread_create");
    if (how == 2)
        pthread_cancel(t);
    pthread_join(t, &result);
    if (result != (how == 2 ? PTHREAD_CANCELED : (void *)steps(1, n)))
        wrong("result of a thread");
}

static void libraries(long n) {
    void *h = dlopen(n & 1 ? "libplugin_one.so" : "libplugin_two.so", RTLD_NOW);
    if (!h)
        wrong(dlerror());
    auto f = (uint64_t(*)(uint64_t, long))dlsym(h, "plugin_steps");
    if (f(1, n) != steps(1, n))
        wrong("result of a library");
    dlclose(h);
}

static void forks(long n) {
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(descend(10, n * 20, RETURN) == steps(1, n * 20) ? 7 : 8);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
        wrong("child");
}

static thread_local ucontext_t outside, inside;
static thread_local uint64_t coroutine_result;
static thread_local long coroutine_n;

static void coroutine() {
    coroutine_result = steps(1, coroutine_n);
    swapcontext(&inside, &outside);
    coroutine_result = steps(coroutine_result, coroutine_n);
}

static void contexts(long n, char *stack) {
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = STACK_BYTES;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    coroutine_n = n;
    swapcontext(&outside, &inside);
    swapcontext(&outside, &inside);
    if (coroutine_result != steps(1, 2 * n))
        wrong("result of a context");
}

static void blocked(long n) {
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    uint64_t x = descend(3, n, RETURN);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    if (x != steps(1, n))
        wrong("result with signals blocked");
}

KEEP static void jumps(int depth, long n) {
    if (!sigsetjmp(target, 1)) {
        descend(depth, n, JUMP);
        wrong("longjmp");
    }
}

KEEP static void jumps_out_of_handler(int depth) {
    if (!sigsetjmp(target, 1)) {
        sink = sink + descend(depth, 10, RETURN);
        pthread_kill(pthread_self(), SIGUSR2);
        wrong("signal to itself");
    }
}

KEEP static void throws(int depth, long n) {
    uint64_t before = unwound;
    try {
        descend(depth, n, THROW);
        wrong("throw");
    } catch (uint64_t x) {
        if (x != steps(1, n) || unwound - before < (uint64_t)depth / 2)
            wrong("exception");
    }
}

static void *act(void *number) {
    unsigned r = seed * 7919u + (unsigned)(uintptr_t)number + 1;
    char *other = (char *)malloc(STACK_BYTES), *mine = (char *)malloc(STACK_BYTES);
    stack_t alternate = {};
    alternate.ss_sp = mine;
    alternate.ss_size = STACK_BYTES;
    sigaltstack(&alternate, nullptr);
    fesetround(number ? FE_UPWARD : FE_TONEAREST);
    while (created < ACTORS)
        usleep(1000);
    for (long i = 0; cpu() < cpu_seconds; i++) {
        r ^= r << 13;
        r ^= r >> 17;
        r ^= r << 5;
        int depth = (int)(r >> 8 & 127), kind = (int)(r >> 16 & 15);
        long n = 2000 + (long)(r >> 20);
        if ((kind == 9 || kind == 10) && r % 8) /* dear ones are rarer */
            kind = 0;
        if (kind == 11 && r % 64)
            kind = 1;
        if (kind == 12)
            errno = 4711;
        switch (kind) {
        case 2:
        case 3:
            throws(depth, n);
            break;
        case 4:
        case 5:
            jumps(depth, n);
            break;
        case 6:
            jumps_out_of_handler(depth);
            fesetround(number ? FE_UPWARD : FE_TONEAREST); /* a handler has a mode of its own, which it was left with */
            break;
        case 7:
            contexts(n, other);
            break;
        case 8:
            blocked(n);
            break;
        case 9:
            threads(n, (int)(r % 3));
            break;
        case 10:
            libraries(n);
            break;
        case 11:
            forks(n);
            break;
        case 13:
            pthread_kill(actors[r % ACTORS], SIGUSR1);
            break;
        default:
            if (descend(depth, n, RETURN) != steps(1, n))
                wrong("result of a recursion");
        }
        if (kind == 12 && errno != 4711)
            wrong("errno");
        if (fegetround() != (number ? FE_UPWARD : FE_TONEAREST))
            wrong("rounding mode");
        done[kind]++;
    }
    running--;
    while (running) /* signals to it are still under way */
        usleep(1000);
    alternate.ss_flags = SS_DISABLE;
    sigaltstack(&alternate, nullptr);
    free(other);
    free(mine);
    return nullptr;
}

int main(int argc, char **argv) {
    seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    cpu_seconds = argc > 2 ? atof(argv[2]) : 2;
    struct sigaction a = {};
    a.sa_handler = on_usr1;
    a.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGUSR1, &a, nullptr);
    sigaction(SIGALRM, &a, nullptr);
    sigaction(SIGPROF, &a, nullptr);
    a.sa_handler = on_usr2;
    sigaction(SIGUSR2, &a, nullptr);
    struct itimerval real = {{0, 1700}, {0, 1700}}, prof = {{0, 5000}, {0, 5000}};
    actors[0] = pthread_self();
    for (long i = 1; i < ACTORS; i++, created++)
        if (pthread_create(&actors[i], nullptr, act, (void *)i))
            wrong("pthread_create");
    setitimer(ITIMER_REAL, &real, nullptr);
    setitimer(ITIMER_PROF, &prof, nullptr);
    act(nullptr);
    for (long i = 1; i < ACTORS; i++)
        pthread_join(actors[i], nullptr);
    for (int i = 0; i < 14; i++)
        printf("%ld ", (long)done[i]);
    printf("\nall right\n");
    return 0;
}
