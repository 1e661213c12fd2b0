/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks, semaphores, conditions and waits for descriptors by the C library's functions, and past the wrappers of them: slices.h, run by io_bench.py. CPU time is that of all threads. */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "slices.h"

#define CALLS(X) \
    X(int, pthread_mutex_lock, "GLIBC_2.2.5", (pthread_mutex_t *)) \
    X(int, pthread_mutex_unlock, "GLIBC_2.2.5", (pthread_mutex_t *)) \
    X(int, pthread_rwlock_rdlock, "GLIBC_2.34", (pthread_rwlock_t *)) \
    X(int, pthread_rwlock_wrlock, "GLIBC_2.34", (pthread_rwlock_t *)) \
    X(int, pthread_rwlock_unlock, "GLIBC_2.34", (pthread_rwlock_t *)) \
    X(int, pthread_spin_lock, "GLIBC_2.34", (pthread_spinlock_t *)) \
    X(int, pthread_cond_wait, "GLIBC_2.3.2", (pthread_cond_t *restrict, pthread_mutex_t *restrict)) \
    X(int, pthread_cond_signal, "GLIBC_2.3.2", (pthread_cond_t *)) \
    X(int, pthread_barrier_wait, "GLIBC_2.34", (pthread_barrier_t *)) \
    X(int, sem_wait, "GLIBC_2.34", (sem_t *)) \
    X(int, sem_post, "GLIBC_2.34", (sem_t *)) \
    X(int, poll, "GLIBC_2.2.5", (struct pollfd *, nfds_t, int)) \
    X(int, epoll_wait, "GLIBC_2.3.2", (int, struct epoll_event *, int, int)) \
    X(ssize_t, read, "GLIBC_2.2.5", (int, void *, size_t)) \
    X(ssize_t, write, "GLIBC_2.2.5", (int, const void *, size_t))

struct calls {
#define X(type, name, version, parameters) type(*name) parameters;
    CALLS(X)
#undef X
};

static struct calls seen = {
#define X(type, name, version, parameters) name,
    CALLS(X)
#undef X
};
static struct calls past;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t turned[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static sem_t post[2];
static int turn, ready, ready_set, to[2], from[2], to_set;
static volatile long shared;

/* The bench's own, past the wrappers: both threads begin and end a slice together. */
static pthread_barrier_t together;
static struct {
    const struct calls *c;
    void (*make)(const struct calls *c, long n, int who);
    long n;
} slice;

static void *partner(void *unused) {
    for (;;) {
        past.pthread_barrier_wait(&together);
        slice.make(slice.c, slice.n, 1);
        past.pthread_barrier_wait(&together);
    }
    return unused;
}

static void by_two(void (*make)(const struct calls *c, long n, int who), bool plain, long n) {
    slice.c = plain ? &past : &seen;
    slice.make = make;
    slice.n = n;
    past.pthread_barrier_wait(&together);
    make(slice.c, n, 0);
    past.pthread_barrier_wait(&together);
}

#define ALONE(name, body) \
    static void name(bool plain, long n) { \
        const struct calls *c = plain ? &past : &seen; \
        for (long i = 0; i < n; i++) { \
            body; \
            slices_work(); \
        } \
    }

#define BY_TWO(name, body) \
    static void name##_of(const struct calls *c, long n, int who) { \
        (void)who; \
        for (long i = 0; i < n; i++) { \
            body; \
            slices_work(); \
        } \
    } \
    static void name(bool plain, long n) { \
        by_two(name##_of, plain, n); \
    }

static void in_lock(int rounds) {
    for (int i = 0; i < rounds; i++)
        shared++;
}

static void hand_over(const struct calls *c, int who) {
    c->pthread_mutex_lock(&mutex);
    while (turn != who)
        c->pthread_cond_wait(&turned[who], &mutex);
    turn = !who;
    c->pthread_cond_signal(&turned[!who]);
    c->pthread_mutex_unlock(&mutex);
}

/* A word there and back by eventfds; thread 1 serves. */
static void echo_one(const struct calls *c, int who) {
    uint64_t word = 1;
    struct epoll_event e;
    if (who)
        slices_sum += c->epoll_wait(to_set, &e, 1, -1) + c->read(to[0], &word, 1) + c->write(from[1], &word, 1);
    else
        slices_sum += c->write(to[1], &word, 1) + c->read(from[0], &word, 1);
}

static struct pollfd polled;
static struct epoll_event event;
ALONE(mutexes, c->pthread_mutex_lock(&mutex); shared++; c->pthread_mutex_unlock(&mutex))
ALONE(rwlocks, c->pthread_rwlock_rdlock(&rwlock); shared++; c->pthread_rwlock_unlock(&rwlock))
ALONE(spins, c->pthread_spin_lock(&spin); shared++; pthread_spin_unlock(&spin))
ALONE(posts, c->sem_post(&post[0]); c->sem_wait(&post[0]))
ALONE(polls, slices_sum += c->poll(&polled, 1, -1))
ALONE(epolls, slices_sum += c->epoll_wait(ready_set, &event, 1, -1))
BY_TWO(contended, c->pthread_mutex_lock(&mutex); in_lock(20); c->pthread_mutex_unlock(&mutex))
BY_TWO(crowded, c->pthread_mutex_lock(&mutex); in_lock(2000); c->pthread_mutex_unlock(&mutex))
BY_TWO(written, c->pthread_rwlock_wrlock(&rwlock); in_lock(20); c->pthread_rwlock_unlock(&rwlock))
BY_TWO(spun, c->pthread_spin_lock(&spin); in_lock(20); pthread_spin_unlock(&spin))
BY_TWO(conditions, hand_over(c, who))
BY_TWO(semaphores, c->sem_wait(&post[who]); c->sem_post(&post[!who]))
BY_TWO(echoes, echo_one(c, who))

static const slices_kind kinds[] = {{"mutex", 1, mutexes}, {"rwlock", 1, rwlocks}, {"spin", 1, spins}, {"post", 1, posts}, {"poll", 1, polls}, {"epoll", 1, epolls},
                                    {"contended", 2, contended}, {"crowded", 2, crowded}, {"written", 2, written}, {"spun", 2, spun}, {"condition", 2, conditions}, {"semaphore", 2, semaphores}, {"echo", 2, echoes}};

static int set_of(int fd) {
    struct epoll_event e = {.events = EPOLLIN};
    int set = epoll_create1(0);
    return set >= 0 && !epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) ? set : -1;
}

static bool prepare(void) {
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    pthread_t thread;
#define X(type, name, version, parameters) \
    if (!libc || !(past.name = (type(*) parameters)dlvsym(libc, #name, version))) \
        return false;
    CALLS(X)
#undef X
    ready = eventfd(1, 0);
    polled = (struct pollfd){.fd = ready, .events = POLLIN};
    ready_set = set_of(ready);
    return ready_set >= 0 && !pipe(to) && !pipe(from) && (to_set = set_of(to[0])) >= 0 && !pthread_spin_init(&spin, 0) && !sem_init(&post[0], 0, 1) && !sem_init(&post[1], 0, 0) &&
           !pthread_barrier_init(&together, NULL, 2) && !pthread_create(&thread, NULL, partner, NULL);
}

int main(int argc, char **argv) {
    return slices_main(argc, argv, kinds, sizeof kinds / sizeof kinds[0], CLOCK_PROCESS_CPUTIME_ID, prepare);
}
