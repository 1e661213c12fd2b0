/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pipes, pairs of sockets and eventfds that the process has made itself, by descriptor: who reads from one waits for who writes to it. */
#ifndef HSC_RT_PIPES_H
#define HSC_RT_PIPES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt.h"

#define HSC_RT_PIPE_ENDS 4096u /* higher descriptors are not known */

/* What is read from the descriptor << 32 | what is written to it; 0: not known. */
extern _Atomic uint64_t hsc_rt_pipe_ends[HSC_RT_PIPE_ENDS] __attribute__((visibility("hidden")));

static inline uint64_t hsc_rt_pipe_end(int fd) {
    return (unsigned)fd < HSC_RT_PIPE_ENDS ? atomic_load_explicit(&hsc_rt_pipe_ends[fd], memory_order_relaxed) : 0;
}

/* What hsc_rt_await_begin and hsc_rt_signalled know it by (the address of nothing); NULL: not known. */
static inline const void *hsc_rt_pipe_thing(uint32_t number) {
    return number ? (const void *)(uintptr_t)((uint64_t)number << 1 | 1) : NULL; /* NOLINT */
}

static inline const void *hsc_rt_pipe_read_from(int fd) {
    return hsc_rt_pipe_thing((uint32_t)(hsc_rt_pipe_end(fd) >> 32));
}

static inline const void *hsc_rt_pipe_written_to(int fd) {
    return hsc_rt_pipe_thing((uint32_t)hsc_rt_pipe_end(fd));
}

/* What is about to be written there ends the wait of a reader that waits for it: told of the caller `at`. Returns true. */
bool hsc_rt_pipe_write(int fd, const hsc_rt_here *at);

void hsc_rt_pipe_set(int fd, uint64_t end); /* but for a child of vfork, which has this memory and other descriptors */

/* The descriptor is about to be closed, or is that of something else. */
static inline void hsc_rt_pipe_gone(int fd) {
    if (hsc_rt_pipe_end(fd))
        hsc_rt_pipe_set(fd, 0);
}

#endif
