/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What makes and copies the descriptors of pipes.h. */
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "interpose.h"
#include "pipes.h"
#include "waits.h"

_Atomic uint64_t hsc_rt_pipe_ends[HSC_RT_PIPE_ENDS];

void hsc_rt_pipe_set(int fd, uint64_t end) {
    if ((unsigned)fd < HSC_RT_PIPE_ENDS && hsc_rt.pid == (int)getpid())
        atomic_store_explicit(&hsc_rt_pipe_ends[fd], end, memory_order_relaxed);
}

bool hsc_rt_pipe_write(int fd, const hsc_rt_here *at) {
    const void *to = hsc_rt_pipe_written_to(fd);
    if (to && hsc_rt_is_awaited(to))
        hsc_rt_signalled(to, 1, at);
    return true;
}

static uint32_t new_number(void) {
    static _Atomic uint32_t last;
    uint32_t n = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return n ? n : new_number();
}

static void made_pipe(const int *ends) {
    uint32_t n = new_number();
    hsc_rt_pipe_set(ends[0], (uint64_t)n << 32);
    hsc_rt_pipe_set(ends[1], n);
}

static void made_pair(const int *ends) {
    uint32_t there = new_number(), back = new_number();
    hsc_rt_pipe_set(ends[0], (uint64_t)back << 32 | there);
    hsc_rt_pipe_set(ends[1], (uint64_t)there << 32 | back);
}

static void made_eventfd(int fd) {
    uint32_t n = new_number();
    hsc_rt_pipe_set(fd, (uint64_t)n << 32 | n);
}

#define MAKES(name, parameters, arguments, made) \
    HSC_RT_EXPORT int name parameters { \
        static int(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        int result = real arguments; \
        if (result >= 0) \
            made; \
        return result; \
    }

MAKES(pipe, (int ends[2]), (ends), made_pipe(ends))
MAKES(pipe2, (int ends[2], int flags), (ends, flags), made_pipe(ends))
MAKES(socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends), made_pair(ends))
MAKES(eventfd, (unsigned value, int flags), (value, flags), made_eventfd(result))
MAKES(dup, (int fd), (fd), hsc_rt_pipe_set(result, hsc_rt_pipe_end(fd)))
MAKES(dup2, (int fd, int as), (fd, as), hsc_rt_pipe_set(result, hsc_rt_pipe_end(fd)))
MAKES(dup3, (int fd, int as, int flags), (fd, as, flags), hsc_rt_pipe_set(result, hsc_rt_pipe_end(fd)))
