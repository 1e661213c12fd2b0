/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that a signal ends early even with SA_RESTART. Only timers of wall-clock time send signals to a waiting thread:
 * while such a mechanism is used, the thread's timer is off during these calls. */
#include <poll.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "interpose.h"

static bool quiet_begin(void) {
    if (hsc_rt.mechanism != HSC_RT_MONOTONIC || !hsc_rt_self || !hsc_rt_active())
        return false;
    hsc_rt_source_pause(hsc_rt_self, HSC_RT_PAUSE_WAIT);
    return true;
}

static void quiet_end(bool begun) {
    if (begun && hsc_rt_self)
        hsc_rt_source_resume(hsc_rt_self, HSC_RT_PAUSE_WAIT);
}

#define WAITING(type, name, parameters, arguments) \
    HSC_RT_EXPORT type name parameters { \
        static type(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        bool begun = quiet_begin(); \
        type result = real arguments; \
        quiet_end(begun); \
        return result; \
    }

WAITING(int, poll, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout))
WAITING(int, ppoll, (struct pollfd * fds, nfds_t n, const struct timespec *t, const sigset_t *s), (fds, n, t, s))
WAITING(int, select, (int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t), (n, r, w, e, t))
WAITING(int, pselect, (int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t, const sigset_t *s),
        (n, r, w, e, t, s))
WAITING(int, epoll_wait, (int fd, struct epoll_event *e, int n, int timeout), (fd, e, n, timeout))
WAITING(int, epoll_pwait, (int fd, struct epoll_event *e, int n, int timeout, const sigset_t *s), (fd, e, n, timeout, s))
WAITING(int, nanosleep, (const struct timespec *t, struct timespec *left), (t, left))
WAITING(int, clock_nanosleep, (clockid_t c, int flags, const struct timespec *t, struct timespec *left), (c, flags, t, left))
WAITING(unsigned, sleep, (unsigned seconds), (seconds))
WAITING(int, usleep, (useconds_t us), (us))
WAITING(int, pause, (void), ())
WAITING(int, sigsuspend, (const sigset_t *s), (s))
WAITING(int, sigwaitinfo, (const sigset_t *s, siginfo_t *i), (s, i))
WAITING(int, sigtimedwait, (const sigset_t *s, siginfo_t *i, const struct timespec *t), (s, i, t))
WAITING(int, sem_wait, (sem_t * s), (s))
WAITING(int, sem_timedwait, (sem_t * s, const struct timespec *t), (s, t))
WAITING(int, sem_clockwait, (sem_t * s, clockid_t c, const struct timespec *t), (s, c, t))
WAITING(int, semop, (int id, struct sembuf *o, size_t n), (id, o, n))
WAITING(int, semtimedop, (int id, struct sembuf *o, size_t n, const struct timespec *t), (id, o, n, t))
WAITING(int, msgsnd, (int id, const void *m, size_t n, int flags), (id, m, n, flags))
WAITING(ssize_t, msgrcv, (int id, void *m, size_t n, long type, int flags), (id, m, n, type, flags))
WAITING(int, connect, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
WAITING(int, accept, (int fd, struct sockaddr *restrict a, socklen_t *restrict n), (fd, a, n))
WAITING(ssize_t, recv, (int fd, void *b, size_t n, int flags), (fd, b, n, flags))
WAITING(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags))
WAITING(ssize_t, send, (int fd, const void *b, size_t n, int flags), (fd, b, n, flags))
WAITING(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags))
