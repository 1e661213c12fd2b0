/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded beside the runtime: ends the program when memory is asked for, or a lock taken, inside the sampling handler.
 * It knows the handler by the mask: the program never blocks the sampling signal, the kernel does while it is handled. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void check(const char *what, size_t n) {
    unsigned long mask = 0;
    register long r10 __asm__("r10") = 8;
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"((long)SYS_rt_sigprocmask), "D"(0L), "S"(0L), "d"(&mask), "r"(r10)
                     : "rcx", "r11", "memory");
    if (mask >> (SIGSTKFLT - 1) & 1 && !(mask >> (SIGUSR2 - 1) & 1)) { /* not: all signals blocked by our lock */
        if (write(2, what, n) < 0)
            _exit(113);
        _exit(113);
    }
}

#define CHECK(what) check(what " in the handler\n", sizeof what " in the handler\n" - 1)

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

void *malloc(size_t n) {
    CHECK("malloc");
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t m) {
    CHECK("calloc");
    return __libc_calloc(n, m);
}

void *realloc(void *p, size_t n) {
    CHECK("realloc");
    return __libc_realloc(p, n);
}

void free(void *p) {
    CHECK("free");
    __libc_free(p);
}

int pthread_mutex_lock(pthread_mutex_t *m) {
    static int (*real)(pthread_mutex_t *);
    CHECK("pthread_mutex_lock");
    if (!real)
        real = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    return real(m);
}

/* The trap works: called from a handler of the sampling signal it ends the program. */
void heatscope_trap_self_test(void) {
    CHECK("self-test");
}
