/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits of every kind, ROUNDS times at least HELD_MS each, by a procedure for each kind. Prints for each "kind procedure
 * count seconds bytes", the seconds measured around the calls. A partner ends each wait, HELD_MS after it saw the waiter
 * asleep: a wait can't be shorter. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

#define ROUNDS 5
#define HELD_MS 10

static atomic_int about, tid, turn; /* the waiter: about to wait */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
static mtx_t mtx;
static cnd_t cnd;
static int pipes[2], sockets[2], pipes_full[2], flag;
static _Atomic uint32_t word;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static __attribute__((noinline)) void held(void) {
    struct timespec t = {0, HELD_MS * 1000000};
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

static void until_it_waits(void) {
    while (!atomic_load(&about))
        sched_yield();
    while (!asleep(atomic_load(&tid)))
        sched_yield();
    atomic_store(&about, 0);
    held();
}

static void until_it_spins(void) {
    while (!atomic_load(&about))
        sched_yield();
    atomic_store(&about, 0);
    held();
}

#define ABOUT atomic_store(&about, 1)

/* ---- each kind: what the waiter does (once), what its partner does before the waiter is let go, and then --------------- */

static void waits_mutex(void) { ABOUT; pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); }
static void holds_mutex(void) { pthread_mutex_lock(&mutex); }
static void gives_mutex(void) { until_it_waits(); pthread_mutex_unlock(&mutex); }

static void waits_rwlock(void) { ABOUT; pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock); }
static void holds_rwlock(void) { pthread_rwlock_wrlock(&rwlock); }
static void gives_rwlock(void) { until_it_waits(); pthread_rwlock_unlock(&rwlock); }

static void waits_spin(void) { ABOUT; pthread_spin_lock(&spin); pthread_spin_unlock(&spin); }
static void holds_spin(void) { pthread_spin_lock(&spin); }
static void gives_spin(void) { until_it_spins(); pthread_spin_unlock(&spin); }

static void waits_condition(void) {
    pthread_mutex_lock(&mutex);
    ABOUT;
    while (!flag)
        pthread_cond_wait(&cond, &mutex);
    flag = 0;
    pthread_mutex_unlock(&mutex);
}
static void gives_condition(void) {
    until_it_waits();
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&cond);
}

static void waits_barrier(void) { ABOUT; pthread_barrier_wait(&barrier); }
static void gives_barrier(void) { until_it_waits(); pthread_barrier_wait(&barrier); }

static void waits_semaphore(void) { ABOUT; sem_wait(&semaphore); }
static void gives_semaphore(void) { until_it_waits(); sem_post(&semaphore); }

static void waits_mtx(void) { ABOUT; mtx_lock(&mtx); mtx_unlock(&mtx); }
static void holds_mtx(void) { mtx_lock(&mtx); }
static void gives_mtx(void) { until_it_waits(); mtx_unlock(&mtx); }

static void waits_cnd(void) {
    mtx_lock(&mtx);
    ABOUT;
    while (!flag)
        cnd_wait(&cnd, &mtx);
    flag = 0;
    mtx_unlock(&mtx);
}
static void gives_cnd(void) {
    until_it_waits();
    mtx_lock(&mtx);
    flag = 1;
    mtx_unlock(&mtx);
    cnd_signal(&cnd);
}

static void waits_futex(void) {
    ABOUT;
    while (!atomic_load(&word))
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    atomic_store(&word, 0);
}
static void gives_futex(void) {
    until_it_waits();
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void waits_read(void) {
    char c[10];
    ABOUT;
    if (read(pipes[0], c, 10) != 10)
        abort();
}
static void gives_read(void) {
    until_it_waits();
    if (write(pipes[1], "0123456789", 10) != 10)
        abort();
}

static void waits_write(void) {
    static char c[65536];
    ABOUT;
    if (write(pipes_full[1], c, sizeof c) != sizeof c)
        abort();
}
static void gives_write(void) {
    static char c[65536];
    until_it_waits();
    for (size_t n = 0; n < sizeof c;)
        n += (size_t)read(pipes_full[0], c, sizeof c - n);
}

static void waits_stream(void) {
    char c[16];
    FILE *f = fdopen(dup(pipes[0]), "r");
    ABOUT;
    if (!fgets(c, sizeof c, f))
        abort();
    fclose(f);
}
static void gives_stream(void) {
    until_it_waits();
    if (write(pipes[1], "012345678\n", 10) != 10)
        abort();
}

static void waits_receive(void) {
    char c[7];
    ABOUT;
    if (recv(sockets[0], c, 7, 0) != 7)
        abort();
}
static void gives_receive(void) {
    until_it_waits();
    if (send(sockets[1], "0123456", 7, 0) != 7)
        abort();
}

static void waits_poll(void) {
    char c[10];
    struct pollfd p = {pipes[0], POLLIN, 0};
    ABOUT;
    poll(&p, 1, -1);
    if (read(pipes[0], c, 10) != 10)
        abort();
}

static void waits_epoll(void) {
    char c[10];
    struct epoll_event e = {.events = EPOLLIN};
    int fd = epoll_create1(0);
    epoll_ctl(fd, EPOLL_CTL_ADD, pipes[0], &e);
    ABOUT;
    epoll_wait(fd, &e, 1, -1);
    if (read(pipes[0], c, 10) != 10)
        abort();
    close(fd);
}

static void waits_sleep(void) { held(); }
static void gives_nothing(void) {}

static void *short_thread(void *p) {
    held();
    return p;
}
static void waits_join(void) {
    pthread_t t;
    pthread_create(&t, NULL, short_thread, NULL);
    pthread_join(t, NULL);
}

static void waits_child(void) {
    pid_t pid = fork();
    if (!pid) {
        held();
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static void waits_signal(void) {
    sigset_t s;
    int n;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    ABOUT;
    sigwait(&s, &n);
}
static void gives_signal(void) {
    until_it_waits();
    kill(getpid(), SIGUSR1);
}

static const struct kind {
    const char *name, *procedure;
    void (*waits)(void), (*holds)(void), (*gives)(void);
    unsigned long bytes;
} kinds[] = {{"MUTEX", "waits_mutex", waits_mutex, holds_mutex, gives_mutex, 0},
             {"RWLOCK", "waits_rwlock", waits_rwlock, holds_rwlock, gives_rwlock, 0},
             {"SPIN", "waits_spin", waits_spin, holds_spin, gives_spin, 0},
             {"CONDITION", "waits_condition", waits_condition, gives_nothing, gives_condition, 0},
             {"BARRIER", "waits_barrier", waits_barrier, gives_nothing, gives_barrier, 0},
             {"SEMAPHORE", "waits_semaphore", waits_semaphore, gives_nothing, gives_semaphore, 0},
             {"MUTEX", "waits_mtx", waits_mtx, holds_mtx, gives_mtx, 0},
             {"CONDITION", "waits_cnd", waits_cnd, gives_nothing, gives_cnd, 0},
             {"FUTEX", "waits_futex", waits_futex, gives_nothing, gives_futex, 0},
             {"PIPE", "waits_read", waits_read, gives_nothing, gives_read, 10},
             {"WRITE", "waits_write", waits_write, gives_nothing, gives_write, 65536},
             {"PIPE", "waits_stream", waits_stream, gives_nothing, gives_stream, 0},
             {"PIPE", "waits_receive", waits_receive, gives_nothing, gives_receive, 7},
             {"POLL", "waits_poll", waits_poll, gives_nothing, gives_read, 0},
             {"POLL", "waits_epoll", waits_epoll, gives_nothing, gives_read, 0},
             {"SLEEP", "held", waits_sleep, gives_nothing, gives_nothing, 0},
             {"JOIN", "waits_join", waits_join, gives_nothing, gives_nothing, 0},
             {"CHILD", "waits_child", waits_child, gives_nothing, gives_nothing, 0},
             {"SIGNAL", "waits_signal", waits_signal, gives_nothing, gives_signal, 0}};

#define KINDS (sizeof kinds / sizeof *kinds)

static double spent[KINDS];

static void *waiter(void *unused) {
    atomic_store(&tid, (int)syscall(SYS_gettid));
    for (size_t k = 0; k < KINDS; k++)
        for (int i = 0; i < ROUNDS; i++) {
            while (atomic_load(&turn) != (int)(k * ROUNDS) + i + 1)
                sched_yield();
            double begin = now();
            kinds[k].waits();
            spent[k] += now() - begin;
            atomic_store(&turn, -1);
        }
    return unused;
}

int main(void) {
    pthread_t t;
    sigset_t s;
    volatile double x = 1;
    for (long i = 0; i < 30000000; i++) /* some CPU time: samples */
        x = x * 1.0000001;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    sigprocmask(SIG_BLOCK, &s, NULL);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spin, 0);
    sem_init(&semaphore, 0, 0);
    mtx_init(&mtx, mtx_plain);
    cnd_init(&cnd);
    static char fill[4096];
    if (pipe(pipes) || pipe(pipes_full) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
        return 1;
    fcntl(pipes_full[1], F_SETFL, O_NONBLOCK);
    while (write(pipes_full[1], fill, sizeof fill) > 0)
        ;
    fcntl(pipes_full[1], F_SETFL, 0);
    pthread_create(&t, NULL, waiter, NULL);
    for (size_t k = 0; k < KINDS; k++)
        for (int i = 0; i < ROUNDS; i++) {
            kinds[k].holds();
            atomic_store(&turn, (int)(k * ROUNDS) + i + 1);
            kinds[k].gives();
            while (atomic_load(&turn) != -1)
                sched_yield();
        }
    pthread_join(t, NULL);
    for (size_t k = 0; k < KINDS; k++)
        printf("%s %s %d %.9f %lu\n", kinds[k].name, kinds[k].procedure, ROUNDS, spent[k], kinds[k].bytes * ROUNDS);
    return 0;
}
