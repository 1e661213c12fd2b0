/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that wait for one of several descriptors. Those that are known (pipes.h) tell who ended the wait. */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "interpose.h"
#include "pipes.h"

enum { KNOWN = 128 /* of a call; further ones are not asked */ };

typedef struct among {
    uint32_t count;
    struct {
        const void *from;
        uint32_t which;
    } of[KNOWN];
} among;

static void add(among *a, const hsc_rt_thread *t, int fd, uint32_t which) {
    const void *from = hsc_rt_pipe_read_from(fd);
    if (!from || a->count == KNOWN)
        return;
    a->of[a->count].from = from;
    a->of[a->count++].which = which;
    hsc_rt_await_begin(t, from);
}

/* What is ready of the i-th ends the wait; of several the one that was first. */
#define END(a, t, ready) \
    do { \
        uint64_t first_ns = UINT64_MAX; \
        for (uint32_t i = 0; i < (a)->count; i++) { \
            const uint32_t which = (a)->of[i].which; \
            (void)which; \
            hsc_rt_holder h = hsc_rt_await_end(t, (a)->of[i].from, ready); \
            if (h.thread_id && (t)->open.ended_ns < first_ns) { \
                first_ns = (t)->open.ended_ns; \
                by = h; \
            } \
        } \
        if (by.thread_id) \
            (t)->open.ended_ns = first_ns; \
    } while (0)

/* `waits`: a look without waiting is none. `begin` adds to `a`; `ready`: is `which` of them? */
#define POLLS(name, parameters, arguments, waits, begin, ready) \
    int name parameters; \
    HSC_RT_EXPORT int name parameters { \
        static int(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        hsc_rt_here at = HSC_RT_HERE(); \
        if (!(waits)) \
            return real arguments; \
        bool begun = hsc_rt_quiet_begin(); \
        hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_POLL, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        among a; \
        a.count = 0; \
        if (t) \
            begin; \
        int result = real arguments; \
        hsc_rt_holder by = {0}; \
        END(&a, t, result > 0 && (ready)); \
        hsc_rt_wait_end(t, 0, by); \
        hsc_rt_quiet_end(begun); \
        return result; \
    }

static void add_polled(among *a, const hsc_rt_thread *t, const struct pollfd *fds, nfds_t n) {
    for (nfds_t i = 0; i < n; i++)
        if (fds[i].fd >= 0 && fds[i].events & (POLLIN | POLLRDNORM))
            add(a, t, fds[i].fd, (uint32_t)i);
}

/* A set is as long as the program says, which may be more than the type has. */
static bool is_in(int fd, const fd_set *set) {
    enum { BITS = 8 * sizeof(unsigned long) };
    return ((const unsigned long *)(const void *)set)[fd / BITS] >> fd % BITS & 1;
}

static void add_selected(among *a, const hsc_rt_thread *t, int n, const fd_set *set) {
    for (int fd = 0; set && fd < n; fd++)
        if (is_in(fd, set))
            add(a, t, fd, (uint32_t)fd);
}

#define POLLED_READY ((fds[which].revents & (POLLIN | POLLRDNORM | POLLHUP)) != 0)
POLLS(poll, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout), timeout != 0, add_polled(&a, t, fds, n), POLLED_READY)
POLLS(__poll_chk, (struct pollfd * fds, nfds_t n, int timeout, size_t room), (fds, n, timeout, room), timeout != 0, add_polled(&a, t, fds, n), POLLED_READY)
POLLS(ppoll, (struct pollfd * fds, nfds_t n, const struct timespec *t_, const sigset_t *s), (fds, n, t_, s), !t_ || t_->tv_sec || t_->tv_nsec,
      add_polled(&a, t, fds, n), POLLED_READY)
POLLS(__ppoll_chk, (struct pollfd * fds, nfds_t n, const struct timespec *t_, const sigset_t *s, size_t room), (fds, n, t_, s, room),
      !t_ || t_->tv_sec || t_->tv_nsec, add_polled(&a, t, fds, n), POLLED_READY)
POLLS(select, (int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e, struct timeval *restrict t_), (n, r, w, e, t_),
      !t_ || t_->tv_sec || t_->tv_usec, add_selected(&a, t, n, r), is_in((int)which, r))
POLLS(pselect, (int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e, const struct timespec *restrict t_, const sigset_t *restrict s),
      (n, r, w, e, t_, s), !t_ || t_->tv_sec || t_->tv_nsec, add_selected(&a, t, n, r), is_in((int)which, r))
POLLS(epoll_wait, (int fd, struct epoll_event *e, int n, int timeout), (fd, e, n, timeout), timeout != 0, add(&a, t, fd, 0), true)
POLLS(epoll_pwait, (int fd, struct epoll_event *e, int n, int timeout, const sigset_t *s), (fd, e, n, timeout, s), timeout != 0, add(&a, t, fd, 0), true)
POLLS(epoll_pwait2, (int fd, struct epoll_event *e, int n, const struct timespec *t_, const sigset_t *s), (fd, e, n, t_, s),
      !t_ || t_->tv_sec || t_->tv_nsec, add(&a, t, fd, 0), true)
