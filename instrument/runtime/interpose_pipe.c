/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The descriptors of pipes.h: what makes and copies them, and who ends the waits of whom. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "interpose.h"
#include "pipes.h"

static _Atomic uint64_t first_chunk[1u << HSC_RT_PIPE_BITS];
_Atomic(_Atomic uint64_t *) hsc_rt_pipe_chunks[HSC_RT_PIPE_CHUNKS] = {first_chunk};

static _Atomic uint64_t *chunk_of(int fd) {
    unsigned i = (unsigned)fd >> HSC_RT_PIPE_BITS;
    _Atomic uint64_t *chunk = i < HSC_RT_PIPE_CHUNKS ? atomic_load_explicit(&hsc_rt_pipe_chunks[i], memory_order_acquire) : NULL;
    if (chunk || i >= HSC_RT_PIPE_CHUNKS)
        return chunk;
    size_t size = sizeof *chunk << HSC_RT_PIPE_BITS;
    int was = errno;
    void *got = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = was;
    if (got == MAP_FAILED)
        return NULL;
    if (atomic_compare_exchange_strong(&hsc_rt_pipe_chunks[i], &chunk, got))
        return got;
    munmap(got, size);
    return chunk;
}

void hsc_rt_pipe_set(int fd, uint64_t end) {
    if (fd < 0 || hsc_rt.pid != (int)getpid() || (!end && !hsc_rt_pipe_end(fd)))
        return;
    _Atomic uint64_t *chunk = chunk_of(fd);
    if (chunk)
        atomic_store_explicit(&chunk[(unsigned)fd & ((1u << HSC_RT_PIPE_BITS) - 1)], end, memory_order_relaxed);
}

/* ---- who waits for whom ----------------------------------------------------------------------------------------------------- */

/* By the number of what is read: that << 32 | the number of the epoll instance that it was added to last. */
static _Atomic uint64_t watched[4096];

static uint32_t number_of(const void *thing) {
    return (uint32_t)((uint64_t)(uintptr_t)thing >> 2);
}

static _Atomic uint64_t *watch_of(uint32_t number) {
    return &watched[number % (sizeof watched / sizeof watched[0])];
}

void hsc_rt_pipe_watched(int fd, int of, bool is) {
    uint32_t number = (uint32_t)(hsc_rt_pipe_end(fd) >> 32), by = (uint32_t)(hsc_rt_pipe_end(of) >> 32);
    uint64_t this = (uint64_t)number << 32 | by;
    if (number && by && is)
        atomic_store_explicit(watch_of(number), this, memory_order_relaxed);
    else if (number && by)
        atomic_compare_exchange_strong(watch_of(number), &this, 0);
}

/* Reads are noted for who waits for room only now and then: he waits until enough was read, and the last one that was noted tells who did. */
enum { ROOM_EVERY_NS = 50000 };
static _Atomic uint64_t room_ns[HSC_RT_AWAITED];

void hsc_rt_pipe_read_begin(hsc_rt_thread *t, const void *from, const hsc_rt_here *at) {
    if (!from)
        return;
    const void *room = hsc_rt_pipe_room(from);
    if (hsc_rt_is_awaited(room)) {
        _Atomic uint64_t *last = &room_ns[hsc_rt_await_slot(room)];
        uint64_t now = hsc_rt_now_ns(), before = atomic_load_explicit(last, memory_order_relaxed);
        if (now > before + ROOM_EVERY_NS && atomic_compare_exchange_strong(last, &before, now))
            hsc_rt_signalled(room, 1, at);
    }
    hsc_rt_await_begin(t, from);
}

hsc_rt_holder hsc_rt_pipe_read_end(hsc_rt_thread *t, const void *from) {
    return from ? hsc_rt_await_end(t, from, true) : (hsc_rt_holder){0};
}

void hsc_rt_pipe_write_begin(hsc_rt_thread *t, const void *to, const hsc_rt_here *at) {
    if (!to)
        return;
    uint64_t watch = atomic_load_explicit(watch_of(number_of(to)), memory_order_relaxed);
    const void *by = watch >> 32 == number_of(to) ? hsc_rt_pipe_thing((uint32_t)watch) : NULL, *room = hsc_rt_pipe_room(to);
    if (hsc_rt_is_awaited(to))
        hsc_rt_signalled(to, 1, at);
    if (by && hsc_rt_is_awaited(by))
        hsc_rt_signalled(by, 1, at);
    if (t && !hsc_rt_is_awaited(room))
        atomic_store_explicit(&room_ns[hsc_rt_await_slot(room)], t->open.begin_ns, memory_order_relaxed);
    hsc_rt_await_begin(t, room);
}

hsc_rt_holder hsc_rt_pipe_write_end(hsc_rt_thread *t, const void *to) {
    return to ? hsc_rt_await_end_last(t, hsc_rt_pipe_room(to)) : (hsc_rt_holder){0};
}

void hsc_rt_pipe_closes(int fd, const hsc_rt_here *at) {
    const void *to = hsc_rt_pipe_written_to(fd);
    hsc_rt_pipe_write_begin(NULL, to, at);
    hsc_rt_pipe_gone(fd);
}

/* ---- what makes them ---------------------------------------------------------------------------------------------------------- */

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

static void made_epoll(int fd) {
    hsc_rt_pipe_set(fd, (uint64_t)new_number() << 32);
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
MAKES(epoll_create, (int size), (size), made_epoll(result))
MAKES(epoll_create1, (int flags), (flags), made_epoll(result))
MAKES(epoll_ctl, (int epoll, int operation, int fd, struct epoll_event *e), (epoll, operation, fd, e),
      hsc_rt_pipe_watched(fd, epoll, operation != EPOLL_CTL_DEL && e->events & EPOLLIN))

/* All commands take at most one argument, an int or a pointer. */
#define COPIES(name) \
    HSC_RT_EXPORT int name(int fd, int command, ...) { \
        static int (*real)(int, int, ...); \
        va_list list; \
        va_start(list, command); \
        void *argument = va_arg(list, void *); \
        va_end(list); \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        int result = real(fd, command, argument); \
        if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) \
            hsc_rt_pipe_set(result, hsc_rt_pipe_end(fd)); \
        return result; \
    }
COPIES(fcntl)
COPIES(fcntl64)
