/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pipes, pairs of sockets and eventfds that the process has made itself, by descriptor: who reads from one waits for who writes to it, and who writes
 * to a full one for who reads from it. */
#ifndef HSC_RT_PIPES_H
#define HSC_RT_PIPES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpose.h"
#include "waits.h"

#define HSC_RT_PIPE_BITS 12u
#define HSC_RT_PIPE_CHUNKS 1024u /* descriptors from 4,194,304 on are not known */

/* Of 4,096 descriptors each: what is read from one << 32 | what is written to it; 0: not known. NULL: of none of them. */
extern _Atomic(_Atomic uint64_t *) hsc_rt_pipe_chunks[HSC_RT_PIPE_CHUNKS] __attribute__((visibility("hidden")));

static inline uint64_t hsc_rt_pipe_end(int fd) {
    unsigned chunk = (unsigned)fd >> HSC_RT_PIPE_BITS;
    _Atomic uint64_t *ends = chunk < HSC_RT_PIPE_CHUNKS ? atomic_load_explicit(&hsc_rt_pipe_chunks[chunk], memory_order_acquire) : NULL;
    return ends ? atomic_load_explicit(&ends[(unsigned)fd & ((1u << HSC_RT_PIPE_BITS) - 1)], memory_order_relaxed) : 0;
}

/* What hsc_rt_await_begin and hsc_rt_signalled know it by (the address of nothing); NULL: not known. */
static inline const void *hsc_rt_pipe_thing(uint32_t number) {
    return number ? (const void *)(uintptr_t)((uint64_t)number << 2 | 1) : NULL; /* NOLINT */
}

/* The same of the room in it. */
static inline const void *hsc_rt_pipe_room(const void *thing) {
    return (const char *)thing + 2;
}

static inline const void *hsc_rt_pipe_read_from(int fd) {
    return hsc_rt_pipe_thing((uint32_t)(hsc_rt_pipe_end(fd) >> 32));
}

static inline const void *hsc_rt_pipe_written_to(int fd) {
    return hsc_rt_pipe_thing((uint32_t)hsc_rt_pipe_end(fd));
}

/* A read of `from` (hsc_rt_pipe_read_from, NULL: of something else), whose wait of `t` has begun: it makes room for who waits for that. What ended it. */
void hsc_rt_pipe_read_begin(hsc_rt_thread *t, const void *from, const hsc_rt_here *at);
hsc_rt_holder hsc_rt_pipe_read_end(hsc_rt_thread *t, const void *from);
/* The same of a write: what is about to be written ends the waits of readers, and of who waits for one of several (poll.c). */
void hsc_rt_pipe_write_begin(hsc_rt_thread *t, const void *to, const hsc_rt_here *at);
hsc_rt_holder hsc_rt_pipe_write_end(hsc_rt_thread *t, const void *to);

void hsc_rt_pipe_set(int fd, uint64_t end); /* but for a child of vfork, which has this memory and other descriptors */

/* What is read from `fd` is (or is no more) among what is read from the epoll instance `of`. */
void hsc_rt_pipe_watched(int fd, int of, bool is);

/* It is about to be closed: who reads from it may wait for nothing more. */
void hsc_rt_pipe_closes(int fd, const hsc_rt_here *at);

/* The descriptor is about to be closed, or is that of something else. */
static inline void hsc_rt_pipe_gone(int fd) {
    if (hsc_rt_pipe_end(fd))
        hsc_rt_pipe_set(fd, 0);
}

/* A wrapper of what reads from (writes to) the descriptor `of`, HSC_wait_kind_`kind` where that is not known. `quiet`: it may wait for long, see
 * hsc_rt_quiet_begin; `waits`: false where it surely doesn't. */
#define HSC_RT_READS(quiet, waits, type, name, kind, parameters, arguments, of, bytes) \
    HSC_RT_MOVES(quiet, waits, type, name, from ? HSC_wait_kind_PIPE : HSC_wait_kind_##kind, parameters, arguments, from, read, of, bytes)
#define HSC_RT_WRITES(quiet, waits, type, name, kind, parameters, arguments, of, bytes) \
    HSC_RT_MOVES(quiet, waits, type, name, HSC_wait_kind_##kind, parameters, arguments, to, write, of, bytes)

#define hsc_rt_pipe_read_of hsc_rt_pipe_read_from
#define hsc_rt_pipe_write_of hsc_rt_pipe_written_to
#define HSC_RT_MOVES(quiet, waits, type, name, kind, parameters, arguments, with, verb, of, bytes) \
    type name parameters; /* not all are in headers */ \
    HSC_RT_EXPORT type name parameters { \
        static type(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        hsc_rt_here at = HSC_RT_HERE(); \
        if (!(waits)) \
            return real arguments; \
        const void *with = hsc_rt_pipe_##verb##_of(of); \
        bool begun = (quiet) && hsc_rt_quiet_begin(); \
        hsc_rt_thread *t = hsc_rt_wait_begin(kind, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        if (with) \
            hsc_rt_pipe_##verb##_begin(t, with, &at); \
        type result = real arguments; \
        hsc_rt_wait_end(t, bytes, with ? hsc_rt_pipe_##verb##_end(t, with) : (hsc_rt_holder){0, 0}); \
        hsc_rt_quiet_end(begun); \
        return result; \
    }

#endif
