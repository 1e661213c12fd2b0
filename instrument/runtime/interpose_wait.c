/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that wait for others: timed, by calling context. A signal ends some of them early even with SA_RESTART. Only timers
 * of wall-clock time send signals to a waiting thread: while such a mechanism is used, the thread's timer is off meanwhile. */
#include <errno.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "interpose.h"
#include "notes.h"
#include "pipes.h"
#include "waits.h"

static const hsc_rt_holder nobody;

#define WAITING(type, name, kind, parameters, arguments) \
    type name parameters; /* not all are in headers */ \
    HSC_RT_EXPORT type name parameters { \
        static type(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        hsc_rt_here at = HSC_RT_HERE(); \
        bool begun = hsc_rt_quiet_begin(); \
        hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_##kind, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        type result = real arguments; \
        hsc_rt_wait_end(t, 0, nobody); \
        hsc_rt_quiet_end(begun); \
        return result; \
    }

/* of and to sockets; of those that the process has made as pairs it may be another thread that sends */
#define RECEIVING(type, name, parameters, arguments) HSC_RT_READS(true, true, type, name, RECEIVE, parameters, arguments, fd, result > 0 ? (uint64_t)result : 0)
#define SENDING(type, name, parameters, arguments) HSC_RT_WRITES(true, true, type, name, SEND, parameters, arguments, fd, result > 0 ? (uint64_t)result : 0)

WAITING(int, nanosleep, SLEEP, (const struct timespec *t_, struct timespec *left), (t_, left))
WAITING(int, clock_nanosleep, SLEEP, (clockid_t c, int flags, const struct timespec *t_, struct timespec *left), (c, flags, t_, left))
WAITING(int, thrd_sleep, SLEEP, (const struct timespec *t_, struct timespec *left), (t_, left))
WAITING(unsigned, sleep, SLEEP, (unsigned seconds), (seconds))
WAITING(int, usleep, SLEEP, (useconds_t us), (us))
WAITING(int, pause, SIGNAL, (void), ())
WAITING(int, sigsuspend, SIGNAL, (const sigset_t *s), (s))
WAITING(int, sigwait, SIGNAL, (const sigset_t *restrict s, int *restrict n), (s, n))
WAITING(int, sigwaitinfo, SIGNAL, (const sigset_t *restrict s, siginfo_t *restrict i), (s, i))
WAITING(int, sigtimedwait, SIGNAL, (const sigset_t *restrict s, siginfo_t *restrict i, const struct timespec *restrict t_), (s, i, t_))

/* Waits for a child: how one ended that is measured and had no time to tell, its parent is told. */
#define REAPING(waits, type, name, parameters, arguments, own, ended) \
    type name parameters; \
    HSC_RT_EXPORT type name parameters { \
        static type(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        hsc_rt_here at = HSC_RT_HERE(); \
        own; \
        bool waiting = (waits), begun = waiting && hsc_rt_quiet_begin(); \
        hsc_rt_thread *t = waiting ? hsc_rt_wait_begin(HSC_wait_kind_CHILD, &at, at.sp) : NULL; \
        if (waiting) \
            hsc_rt_wait_in(t, real); \
        type result = real arguments; \
        if (waiting) \
            hsc_rt_wait_end(t, 0, nobody); \
        hsc_rt_quiet_end(begun); \
        ended; \
        return result; \
    }

static void gone(pid_t pid, int status) {
    if (pid <= 0 || !status)
        return;
    int saved_errno = errno;
    hsc_rt_note_gone(pid, status);
    errno = saved_errno;
}

/* As the other calls would have told it. */
static void gone_by(const siginfo_t *i) {
    bool exited = i->si_code == CLD_EXITED, ended = exited || i->si_code == CLD_KILLED || i->si_code == CLD_DUMPED;
    gone(ended ? i->si_pid : 0, exited ? (i->si_status & 0xff) << 8 : i->si_status & 0x7f);
}

#define STATUS int own_status = 0, *told = status ? status : &own_status
REAPING(true, pid_t, wait, (int *status), (told), STATUS, gone(result, result > 0 ? *told : 0))
REAPING(!(options & WNOHANG), pid_t, waitpid, (pid_t pid, int *status, int options), (pid, told, options), STATUS, gone(result, result > 0 ? *told : 0))
REAPING(!(options & WNOHANG), pid_t, wait3, (int *status, int options, struct rusage *u), (told, options, u), STATUS, gone(result, result > 0 ? *told : 0))
REAPING(!(options & WNOHANG), pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *u), (pid, told, options, u), STATUS,
        gone(result, result > 0 ? *told : 0))
REAPING(!(options & WNOHANG), int, waitid, (idtype_t type, id_t id, siginfo_t *i, int options), (type, id, told, options),
        siginfo_t own_info = {0}; siginfo_t *told = i ? i : &own_info, if (!result && !(options & WNOWAIT)) gone_by(told))

/* Who yields is switched because he asks for it: counted, so that the cost of other switches can be told. */
static void count_yield(void) {
    hsc_rt_thread *t = hsc_rt_self;
    if (!t)
        return;
    atomic_store_explicit(&t->yields, atomic_load_explicit(&t->yields, memory_order_relaxed) + 1, memory_order_relaxed);
    if (atomic_load_explicit(&t->state, memory_order_relaxed) <= HSC_state_COMPUTATION && !t->open.kind)
        atomic_store_explicit(&t->free_yields, atomic_load_explicit(&t->free_yields, memory_order_relaxed) + 1, memory_order_relaxed);
}

HSC_RT_EXPORT int sched_yield(void) {
    static int (*real)(void);
    if (!real)
        real = HSC_RT_REAL("sched_yield");
    count_yield();
    return real();
}

HSC_RT_EXPORT void thrd_yield(void) {
    static void (*real)(void);
    if (!real)
        real = HSC_RT_REAL("thrd_yield");
    count_yield();
    real();
}

/* a free semaphore is no wait; the call itself stays what it is, a point of cancellation */
static bool taken(sem_t *s) {
    int value = 0;
    return sem_getvalue(s, &value) || value <= 0;
}

#define SEMAPHORE(name, parameters, arguments) \
    int name parameters; \
    HSC_RT_EXPORT int name parameters { \
        static int(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        if (!taken(s)) \
            return real arguments; \
        hsc_rt_here at = HSC_RT_HERE(); \
        bool begun = hsc_rt_quiet_begin(); \
        hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_SEMAPHORE, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        hsc_rt_await_begin(t, s); \
        int result = real arguments; \
        hsc_rt_wait_end(t, 0, hsc_rt_await_end(t, s, !result)); \
        hsc_rt_quiet_end(begun); \
        return result; \
    }

SEMAPHORE(sem_wait, (sem_t * s), (s))
SEMAPHORE(sem_timedwait, (sem_t *restrict s, const struct timespec *restrict t_), (s, t_))
SEMAPHORE(sem_clockwait, (sem_t *restrict s, clockid_t c, const struct timespec *restrict t_), (s, c, t_))

static int (*next_sem_post)(sem_t *);

void hsc_rt_waits_init(void) {
    next_sem_post = (int (*)(sem_t *))dlsym(RTLD_NEXT, "sem_post");
}

/* also in signal handlers */
HSC_RT_EXPORT int sem_post(sem_t *s) {
    if (!next_sem_post)
        hsc_rt_waits_init();
    if (hsc_rt_is_awaited(s)) {
        hsc_rt_here at = HSC_RT_HERE();
        hsc_rt_signalled(s, 1, &at);
    }
    return next_sem_post(s);
}

WAITING(int, connect, CONNECT, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
WAITING(int, accept, CONNECT, (int fd, struct sockaddr *restrict a, socklen_t *restrict n), (fd, a, n))
WAITING(int, accept4, CONNECT, (int fd, struct sockaddr *restrict a, socklen_t *restrict n, int flags), (fd, a, n, flags))
RECEIVING(ssize_t, recv, (int fd, void *b, size_t n, int flags), (fd, b, n, flags))
RECEIVING(ssize_t, __recv_chk, (int fd, void *b, size_t n, size_t room, int flags), (fd, b, n, room, flags))
RECEIVING(ssize_t, recvfrom,
          (int fd, void *restrict b, size_t n, int flags, struct sockaddr *restrict a, socklen_t *restrict an), (fd, b, n, flags, a, an))
RECEIVING(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags))
SENDING(ssize_t, send, (int fd, const void *b, size_t n, int flags), (fd, b, n, flags))
SENDING(ssize_t, sendto, (int fd, const void *b, size_t n, int flags, const struct sockaddr *a, socklen_t an), (fd, b, n, flags, a, an))
SENDING(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags))

/* Rust and C++20 call futex this way, and libraries with locks of their own. */
HSC_RT_EXPORT long syscall(long number, ...) {
    static long (*real)(long, ...);
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!real)
        real = HSC_RT_REAL("syscall");
    if (number == SYS_seccomp ? a[0] <= SECCOMP_SET_MODE_FILTER : number == SYS_prctl && a[0] == PR_SET_SECCOMP)
        hsc_rt_sandbox();
    if (number == SYS_sched_yield)
        count_yield();
    int operation = (int)a[1] & FUTEX_CMD_MASK;
    const void *word = (const void *)a[0]; /* NOLINT: only its address counts */
    if (number != SYS_futex)
        return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if ((operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) && hsc_rt_is_awaited(word)) {
        hsc_rt_here at = HSC_RT_HERE();
        hsc_rt_signalled(word, (uint32_t)a[2] < INT32_MAX ? (uint32_t)a[2] : UINT32_MAX, &at);
    }
    if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET && operation != FUTEX_LOCK_PI)
        return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    hsc_rt_here at = HSC_RT_HERE();
    hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_FUTEX, &at, at.sp);
    hsc_rt_wait_in(t, real);
    hsc_rt_await_begin(t, word);
    long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    hsc_rt_wait_end(t, 0, hsc_rt_await_end(t, word, !result));
    return result;
}
