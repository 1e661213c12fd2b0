/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Message queues (System V's and POSIX') and System V's semaphores: waits for what another thread of the process sends, takes or gives back are its; what
 * other processes do is not seen. */
#include <errno.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>

#include "interpose.h"
#include "pipes.h"

/* What waits and signals know them by: addresses of nothing, all different from those of pipes.h. */
enum { OF_SEMAPHORE = 1, OF_TYPE, OF_QUEUE };
static const void *thing(uint64_t what, int id, uint64_t which, bool other) {
    uint64_t of = ((uint64_t)(uint32_t)id << 32 ^ which * 0x9e3779b97f4a7c15u) & ((1ull << 62) - 4);
    return (const void *)(what << 62 | of | (other ? 3 : 1)); /* NOLINT */
}

static void gives(const void *on, uint32_t waiters, const hsc_rt_here *at) {
    if (hsc_rt_is_awaited(on))
        hsc_rt_signalled(on, waiters, at);
}

enum { LOOKED_AT = 500 /* operations of a call, as the kernel takes by itself; a program may hand over a length without an array */ };

/* ---- semaphores ---------------------------------------------------------------------------------------------------------- */

static const void *of_semaphore(int id, const struct sembuf *o, bool zero) {
    return thing(OF_SEMAPHORE, id, (uint64_t)o->sem_num + 1, zero);
}

static bool is_semaphore_wait(const struct sembuf *o, size_t n) {
    bool waits = false;
    for (size_t i = 0; o && i < n; i++) {
        if (o[i].sem_flg & IPC_NOWAIT)
            return false;
        waits = waits || o[i].sem_op <= 0;
    }
    return waits;
}

/* Who may change a semaphore may not be allowed to read it. */
static int value_of(int id, int which) {
    int was = errno, value = semctl(id, which, GETVAL);
    errno = was;
    return value;
}

/* Before the call: who takes enough of it for others to go on, and who takes the rest of it. */
static void gives_semaphores(int id, const struct sembuf *o, size_t n, const hsc_rt_here *at) {
    for (size_t i = 0; o && i < n; i++)
        if (o[i].sem_op > 0)
            gives(of_semaphore(id, &o[i], false), (uint32_t)o[i].sem_op, at);
        else if (o[i].sem_op < 0 && hsc_rt_is_awaited(of_semaphore(id, &o[i], true)) && value_of(id, o[i].sem_num) + o[i].sem_op == 0)
            hsc_rt_signalled(of_semaphore(id, &o[i], true), UINT32_MAX, at);
}

enum { OPERATIONS = 16 /* of a call; of further ones nobody is asked */ };

static void semaphores_begin(const hsc_rt_thread *t, int id, const struct sembuf *o, size_t n) {
    for (size_t i = 0; t && i < n && i < OPERATIONS; i++)
        if (o[i].sem_op <= 0)
            hsc_rt_await_begin(t, of_semaphore(id, &o[i], !o[i].sem_op));
}

/* All operations are done at once, so the last one that came ended it. Who takes several at a time waited for the last of those that gave. */
static hsc_rt_holder semaphores_end(hsc_rt_thread *t, int id, const struct sembuf *o, size_t n, bool done) {
    hsc_rt_holder by = {0};
    uint64_t last_ns = 0;
    for (size_t i = 0; t && i < n && i < OPERATIONS; i++) {
        if (o[i].sem_op > 0)
            continue;
        const void *on = of_semaphore(id, &o[i], !o[i].sem_op);
        hsc_rt_holder h = done && o[i].sem_op < -1 ? hsc_rt_await_end_last(t, on) : hsc_rt_await_end(t, on, done);
        if (h.thread_id && t->open.ended_ns >= last_ns) {
            last_ns = t->open.ended_ns;
            by = h;
        }
    }
    if (by.thread_id)
        t->open.ended_ns = last_ns;
    return by;
}

#define SEMAPHORES(name, parameters, arguments) \
    int name parameters; /* not all are in headers */ \
    HSC_RT_EXPORT int name parameters { \
        static int(*real) parameters; \
        if (!real) \
            real = HSC_RT_REAL(#name); \
        if (n > LOOKED_AT) \
            return real arguments; \
        hsc_rt_here at = HSC_RT_HERE(); \
        gives_semaphores(id, o, n, &at); \
        if (!is_semaphore_wait(o, n)) \
            return real arguments; \
        bool begun = hsc_rt_quiet_begin(); \
        hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_IPC, &at, at.sp); \
        hsc_rt_wait_in(t, real); \
        semaphores_begin(t, id, o, n); \
        int result = real arguments; \
        hsc_rt_wait_end(t, 0, semaphores_end(t, id, o, n, !result)); \
        hsc_rt_quiet_end(begun); \
        return result; \
    }

SEMAPHORES(semop, (int id, struct sembuf *o, size_t n), (id, o, n))
SEMAPHORES(semtimedop, (int id, struct sembuf *o, size_t n, const struct timespec *t_), (id, o, n, t_))

/* ---- System V's message queues ------------------------------------------------------------------------------------------- */

/* Who receives waits for messages of one type, or for any; who sends, for room. */
static const void *of_messages(int id, long type, int flags) {
    return type > 0 && !(flags & MSG_EXCEPT) ? thing(OF_TYPE, id, (uint64_t)type, false) : thing(OF_QUEUE, id, 0, false);
}

static const void *of_room(int id) {
    return thing(OF_QUEUE, id, 0, true);
}

static _Atomic uint32_t typed; /* threads that wait, or waited, for one type */

static void messages_begin(const hsc_rt_thread *t, int id, long type, int flags) {
    if (t && type > 0)
        atomic_store_explicit(&typed, 1, memory_order_relaxed);
    hsc_rt_await_begin(t, of_messages(id, type, flags));
}

/* A message begins with its type; it is not there to be received before it is sent. */
static void gives_message(int id, const void *m, const hsc_rt_here *at) {
    long type = 0;
    gives(of_messages(id, 0, 0), 1, at);
    if (!m || !atomic_load_explicit(&typed, memory_order_relaxed))
        return;
    __builtin_memcpy(&type, m, sizeof type);
    if (type > 0)
        gives(of_messages(id, type, 0), 1, at);
}

HSC_RT_EXPORT int msgsnd(int id, const void *m, size_t n, int flags) {
    static int (*real)(int, const void *, size_t, int);
    if (!real)
        real = HSC_RT_REAL("msgsnd");
    hsc_rt_here at = HSC_RT_HERE();
    gives_message(id, m, &at);
    if (flags & IPC_NOWAIT)
        return real(id, m, n, flags);
    bool begun = hsc_rt_quiet_begin();
    hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_IPC, &at, at.sp);
    hsc_rt_wait_in(t, real);
    hsc_rt_await_begin(t, of_room(id));
    int result = real(id, m, n, flags);
    hsc_rt_wait_end(t, result ? 0 : n, result ? hsc_rt_await_end(t, of_room(id), false) : hsc_rt_await_end_last(t, of_room(id)));
    hsc_rt_quiet_end(begun);
    return result;
}

HSC_RT_EXPORT ssize_t msgrcv(int id, void *m, size_t n, long type, int flags) {
    static ssize_t (*real)(int, void *, size_t, long, int);
    if (!real)
        real = HSC_RT_REAL("msgrcv");
    hsc_rt_here at = HSC_RT_HERE();
    gives(of_room(id), 1, &at);
    if (flags & IPC_NOWAIT)
        return real(id, m, n, type, flags);
    bool begun = hsc_rt_quiet_begin();
    hsc_rt_thread *t = hsc_rt_wait_begin(HSC_wait_kind_IPC, &at, at.sp);
    hsc_rt_wait_in(t, real);
    messages_begin(t, id, type, flags);
    ssize_t result = real(id, m, n, type, flags);
    hsc_rt_wait_end(t, result > 0 ? (uint64_t)result : 0, hsc_rt_await_end(t, of_messages(id, type, flags), result >= 0));
    hsc_rt_quiet_end(begun);
    return result;
}

/* ---- POSIX' message queues: descriptors ------------------------------------------------------------------------------------ */

/* All that are open of one queue are of one file. */
static void made_queue(mqd_t queue) {
    struct stat st;
    int was = errno;
    if (!fstat(queue, &st)) {
        uint32_t number = 0x80000000u | (uint32_t)st.st_ino; /* those of pipes are counted from 1 */
        hsc_rt_pipe_set(queue, (uint64_t)number << 32 | number);
    }
    errno = was;
}

HSC_RT_EXPORT mqd_t mq_open(const char *name, int flags, ...) {
    static mqd_t (*real)(const char *, int, ...);
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t); /* the two that there may be */
    struct mq_attr *attributes = va_arg(list, struct mq_attr *);
    va_end(list);
    if (!real)
        real = HSC_RT_REAL("mq_open");
    mqd_t result = real(name, flags, mode, attributes);
    if (result >= 0)
        made_queue(result);
    return result;
}

mqd_t __mq_open_2(const char *name, int flags); /* in no header */
HSC_RT_EXPORT mqd_t __mq_open_2(const char *name, int flags) {
    static mqd_t (*real)(const char *, int);
    if (!real)
        real = HSC_RT_REAL("__mq_open_2");
    mqd_t result = real(name, flags);
    if (result >= 0)
        made_queue(result);
    return result;
}

HSC_RT_EXPORT int mq_close(mqd_t queue) {
    static int (*real)(mqd_t);
    if (!real)
        real = HSC_RT_REAL("mq_close");
    hsc_rt_pipe_gone(queue); /* before another thread can have the number */
    return real(queue);
}

#define RECEIVES(name, parameters, arguments) \
    HSC_RT_MOVES(true, true, ssize_t, name, HSC_wait_kind_IPC, parameters, arguments, from, read, queue, result > 0 ? (uint64_t)result : 0)
#define SENDS(name, parameters, arguments) HSC_RT_MOVES(true, true, int, name, HSC_wait_kind_IPC, parameters, arguments, to, write, queue, result ? 0 : n)

RECEIVES(mq_receive, (mqd_t queue, char *m, size_t n, unsigned *priority), (queue, m, n, priority))
RECEIVES(mq_timedreceive, (mqd_t queue, char *restrict m, size_t n, unsigned *restrict priority, const struct timespec *restrict t_), (queue, m, n, priority, t_))
SENDS(mq_send, (mqd_t queue, const char *m, size_t n, unsigned priority), (queue, m, n, priority))
SENDS(mq_timedsend, (mqd_t queue, const char *m, size_t n, unsigned priority, const struct timespec *t_), (queue, m, n, priority, t_))
