/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* System calls without libc, so that neither errno nor any lock of the program is touched (x86-64 Linux). */
#ifndef HSC_RT_SYS_X86_64_H
#define HSC_RT_SYS_X86_64_H

#include <stdint.h>
#include <sys/syscall.h>
#include <x86intrin.h>

/* All return the kernel's value: -errno on failure. */
static inline long hsc_sys6(long n, long a, long b, long c, long d, long e, long f) {
    long r;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}

static inline long hsc_sys3(long n, long a, long b, long c) {
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}

static inline long hsc_sys4(long n, long a, long b, long c, long d) {
    long r;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return r;
}

static inline uint64_t hsc_cycles(void) {
    return __rdtsc();
}

/* The same once all that stands before it is done: else it is read while that still waits for memory. */
static inline uint64_t hsc_cycles_then(void) {
    _mm_lfence();
    return __rdtsc();
}

static inline void hsc_relax(void) {
    _mm_pause();
}

#endif
