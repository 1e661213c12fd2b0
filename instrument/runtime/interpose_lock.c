/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks, conditions, barriers and the ends of threads: POSIX's, C11's, and through them C++'s. A lock that is free costs a
 * try instead of a lock; only one that is taken is timed. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "interpose.h"
#include "waits.h"

static const hsc_rt_holder nobody;

/* Until our constructor has looked for what comes next, the C library's own names, which the dynamic linker has bound before
 * any code runs: allocators that are loaded before us lock mutexes already. */
#define NEXT(name, type) \
    int hsc_libc_##name(type *); \
    __asm__(".symver hsc_libc_" #name ", __" #name "@GLIBC_2.2.5"); \
    static int (*next_##name)(type *) = hsc_libc_##name

NEXT(pthread_mutex_lock, pthread_mutex_t);
NEXT(pthread_mutex_trylock, pthread_mutex_t);
NEXT(pthread_mutex_unlock, pthread_mutex_t);
NEXT(pthread_rwlock_rdlock, pthread_rwlock_t);
NEXT(pthread_rwlock_tryrdlock, pthread_rwlock_t);
NEXT(pthread_rwlock_wrlock, pthread_rwlock_t);
NEXT(pthread_rwlock_trywrlock, pthread_rwlock_t);
NEXT(pthread_rwlock_unlock, pthread_rwlock_t);

#define FIND(name) \
    do { \
        __typeof__(next_##name) real = HSC_RT_REAL(#name); \
        if (real) \
            next_##name = real; \
    } while (0)

void hsc_rt_locks_init(void) {
    FIND(pthread_mutex_lock);
    FIND(pthread_mutex_trylock);
    FIND(pthread_mutex_unlock);
    FIND(pthread_rwlock_rdlock);
    FIND(pthread_rwlock_tryrdlock);
    FIND(pthread_rwlock_wrlock);
    FIND(pthread_rwlock_trywrlock);
    FIND(pthread_rwlock_unlock);
}

/* ---- mutexes and read-write locks ------------------------------------------------------------------------------------------ */

static __attribute__((noinline)) int slow_lock(uint32_t kind, void *lock, int (*real)(void *), const hsc_rt_here *at) {
    hsc_rt_thread *t = hsc_rt_wait_begin(kind, at, at->sp);
    if (!t)
        return real(lock);
    uint32_t asked = hsc_rt_lock_want(lock);
    hsc_rt_wait_in(t, real);
    int r = real(lock);
    hsc_rt_wait_end(t, 0, hsc_rt_lock_got(t, lock, asked));
    return r;
}

#define LOCK(name, type, kind, try) \
    HSC_RT_EXPORT int name(type *lock) { \
        int r = try(lock); \
        if (__builtin_expect(r != EBUSY, 1)) \
            return r; \
        hsc_rt_here at = HSC_RT_HERE(); \
        return slow_lock(kind, lock, (int (*)(void *))next_##name, &at); \
    }

#define UNLOCK(name, type, real) \
    HSC_RT_EXPORT int name(type *lock) { \
        if (hsc_rt_lock_is_wanted(lock)) { \
            hsc_rt_here at = HSC_RT_HERE(); \
            hsc_rt_lock_given(lock, &at); \
        } \
        return real(lock); \
    }

LOCK(pthread_mutex_lock, pthread_mutex_t, HSC_wait_kind_MUTEX, next_pthread_mutex_trylock)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, HSC_wait_kind_RWLOCK, next_pthread_rwlock_tryrdlock)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, HSC_wait_kind_RWLOCK, next_pthread_rwlock_trywrlock)
UNLOCK(pthread_mutex_unlock, pthread_mutex_t, next_pthread_mutex_unlock)
UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t, next_pthread_rwlock_unlock)

#define TIMED(name, type, kind, parameters, arguments, try) \
    HSC_RT_EXPORT int name parameters { \
        static int(*real) parameters; \
        int r = try(lock); \
        if (r != EBUSY) \
            return r; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        hsc_rt_here at = HSC_RT_HERE(); \
        hsc_rt_thread *t = hsc_rt_wait_begin(kind, &at, at.sp); \
        if (!t) \
            return real arguments; \
        uint32_t asked = hsc_rt_lock_want(lock); \
        hsc_rt_wait_in(t, real); \
        r = real arguments; \
        hsc_rt_wait_end(t, 0, hsc_rt_lock_got(t, lock, asked)); \
        return r; \
    }

TIMED(pthread_mutex_timedlock, pthread_mutex_t, HSC_wait_kind_MUTEX,
      (pthread_mutex_t *restrict lock, const struct timespec *restrict until), (lock, until), next_pthread_mutex_trylock)
TIMED(pthread_mutex_clocklock, pthread_mutex_t, HSC_wait_kind_MUTEX,
      (pthread_mutex_t *restrict lock, clockid_t clock, const struct timespec *restrict until), (lock, clock, until),
      next_pthread_mutex_trylock)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t, HSC_wait_kind_RWLOCK,
      (pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until), next_pthread_rwlock_tryrdlock)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t, HSC_wait_kind_RWLOCK,
      (pthread_rwlock_t *restrict lock, const struct timespec *restrict until), (lock, until), next_pthread_rwlock_trywrlock)

HSC_RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock) {
    static int (*real)(pthread_spinlock_t *);
    int r = pthread_spin_trylock(lock);
    if (__builtin_expect(r != EBUSY, 1))
        return r;
    if (!real)
        real = HSC_RT_REAL("pthread_spin_lock");
    hsc_rt_thread *t = hsc_rt_measured();
    uint64_t begin = t ? hsc_rt_time_near(t, hsc_cycles()) : 0;
    r = real(lock);
    if (t && hsc_rt.options.waits && hsc_rt_time_near(t, hsc_cycles()) > begin + 2000) { /* others are not worth a walk of the stack */
        hsc_rt_here at = HSC_RT_HERE();
        hsc_rt_wait_add(t, HSC_wait_kind_SPIN, &at, begin, nobody);
    }
    return r;
}

/* C11's do not come by the above */
HSC_RT_EXPORT int mtx_lock(mtx_t *lock) {
    static int (*real)(mtx_t *);
    int r = mtx_trylock(lock);
    if (__builtin_expect(r != thrd_busy, 1))
        return r;
    if (!real)
        real = HSC_RT_REAL("mtx_lock");
    hsc_rt_here at = HSC_RT_HERE();
    return slow_lock(HSC_wait_kind_MUTEX, lock, (int (*)(void *))real, &at);
}

HSC_RT_EXPORT int mtx_unlock(mtx_t *lock) {
    static int (*real)(mtx_t *);
    if (!real)
        real = HSC_RT_REAL("mtx_unlock");
    if (hsc_rt_lock_is_wanted(lock)) {
        hsc_rt_here at = HSC_RT_HERE();
        hsc_rt_lock_given(lock, &at);
    }
    return real(lock);
}

/* ---- what always waits ------------------------------------------------------------------------------------------------------ */

/* The oldest version of these is for programs of before 2003; the one that programs mean has its own version. */
static void *condition(const char *name) {
    void *p = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return p ? p : dlsym(RTLD_NEXT, name);
}

/* `what`: is signalled */
#define AWAITS(name, parameters, arguments, find, success, what, lock) \
    HSC_RT_EXPORT int name parameters { \
        static int(*real) parameters; \
        hsc_rt_here at = HSC_RT_HERE(); \
        if (!real) \
            real = (__typeof__(real))find; \
        if (hsc_rt_lock_is_wanted(lock)) \
            hsc_rt_lock_given(lock, &at); \
        hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_CONDITION, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        hsc_rt_await_begin(t, what); \
        int result = real arguments; \
        hsc_rt_wait_end(t, 0, hsc_rt_await_end(t, what, result == (success))); \
        return result; \
    }

AWAITS(pthread_cond_wait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m), (c, m), condition("pthread_cond_wait"), 0, c, m)
AWAITS(pthread_cond_timedwait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, const struct timespec *restrict until), (c, m, until),
       condition("pthread_cond_timedwait"), 0, c, m)
AWAITS(pthread_cond_clockwait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t clock, const struct timespec *restrict until),
       (c, m, clock, until), HSC_RT_REAL("pthread_cond_clockwait"), 0, c, m)
AWAITS(cnd_wait, (cnd_t *c, mtx_t *m), (c, m), HSC_RT_REAL("cnd_wait"), thrd_success, c, m)
AWAITS(cnd_timedwait, (cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until), (c, m, until), HSC_RT_REAL("cnd_timedwait"),
       thrd_success, c, m)

#define SIGNALS(name, type, find, waiters) \
    HSC_RT_EXPORT int name(type *of) { \
        static int (*real)(type *); \
        if (!real) \
            real = (__typeof__(real))find; \
        if (hsc_rt_is_awaited(of)) { \
            hsc_rt_here at = HSC_RT_HERE(); \
            hsc_rt_signalled(of, waiters, &at); \
        } \
        return real(of); \
    }

SIGNALS(pthread_cond_signal, pthread_cond_t, condition("pthread_cond_signal"), 1)
SIGNALS(pthread_cond_broadcast, pthread_cond_t, condition("pthread_cond_broadcast"), UINT32_MAX)
SIGNALS(cnd_signal, cnd_t, HSC_RT_REAL("cnd_signal"), 1)
SIGNALS(cnd_broadcast, cnd_t, HSC_RT_REAL("cnd_broadcast"), UINT32_MAX)

#define PLAIN(type, name, kind, parameters, arguments, giver) \
    HSC_RT_EXPORT type name parameters { \
        static type(*real) parameters; \
        hsc_rt_here at = HSC_RT_HERE(); \
        if (!real) \
            real = (__typeof__(real))HSC_RT_REAL(#name); \
        hsc_rt_thread *t = hsc_rt_wait_begin(kind, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        type result = real arguments; \
        hsc_rt_wait_end(t, 0, giver); \
        return result; \
    }
#define JOIN(name, parameters, arguments) \
    PLAIN(int, name, HSC_wait_kind_JOIN, parameters, arguments, \
          t && !result ? hsc_rt_ended_by(t, (uint64_t)thread, t->open.begin_ns) : nobody)

HSC_RT_EXPORT int pthread_barrier_init(pthread_barrier_t *restrict b, const pthread_barrierattr_t *restrict attributes, unsigned threads) {
    static int (*real)(pthread_barrier_t *restrict, const pthread_barrierattr_t *restrict, unsigned);
    if (!real)
        real = (__typeof__(real))HSC_RT_REAL("pthread_barrier_init");
    int result = real(b, attributes, threads);
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes)
        pthread_barrierattr_getpshared(attributes, &shared);
    if (!result)
        hsc_rt_barrier_begin(b, shared == PTHREAD_PROCESS_PRIVATE ? threads : 0); /* 0: others come too, who are not counted here */
    return result;
}

HSC_RT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b) {
    static int (*real)(pthread_barrier_t *);
    if (!real)
        real = (__typeof__(real))HSC_RT_REAL("pthread_barrier_destroy");
    hsc_rt_barrier_end(b);
    return real(b);
}

/* Who comes last wakes all others. */
HSC_RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *b) {
    static int (*real)(pthread_barrier_t *);
    hsc_rt_here at = HSC_RT_HERE();
    if (!real)
        real = (__typeof__(real))HSC_RT_REAL("pthread_barrier_wait");
    uint64_t in_step_ns;
    bool last = hsc_rt_barrier_come(b, &in_step_ns);
    if (last && hsc_rt_is_awaited(b))
        hsc_rt_signalled(b, UINT32_MAX, &at);
    hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_BARRIER, &at, at.sp);
    hsc_rt_wait_in(t, real);
    if (t)
        t->open.in_step_ns = in_step_ns;
    if (!last)
        hsc_rt_await_begin(t, b);
    int result = real(b);
    hsc_rt_wait_end(t, 0, last ? nobody : hsc_rt_await_end(t, b, true));
    return result;
}

JOIN(pthread_join, (pthread_t thread, void **result_of), (thread, result_of))
JOIN(pthread_timedjoin_np, (pthread_t thread, void **result_of, const struct timespec *until), (thread, result_of, until))
JOIN(pthread_clockjoin_np, (pthread_t thread, void **result_of, clockid_t clock, const struct timespec *until), (thread, result_of, clock, until))
JOIN(thrd_join, (thrd_t thread, int *result_of), (thread, result_of))
