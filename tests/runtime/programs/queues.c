/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ways to wait for what another thread does with a message queue or a semaphore of System V, or a message queue of POSIX, ROUNDS times each; the first thread
 * does it HELD_MS after it saw the waiter asleep, and before that what nobody waits for, or what ends no wait. Prints for each "procedure seconds",
 * measured round the calls. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>

#include "asleep.h"

#define KEEP __attribute__((noinline))
enum { ROUNDS = 5, HELD_MS = 10, ANY = 0, TYPED, ROOM, UP, PAIR, ZERO, POSTED, POLLED, POSIX_ROOM, KINDS };

typedef struct message {
    long type;
    char text[8];
} message;

static int queue, full, set;
static mqd_t posted, posted_again, polled, crowded;
static atomic_int tid, turn, about;
static double spent[KINDS];
static volatile long sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* in whoever calls them */
#define send_to(id, kind) \
    do { \
        message m = {kind, "x"}; \
        sink += msgsnd(id, &m, sizeof m.text, 0); \
    } while (0)
#define take_from(id, kind) \
    do { \
        message m; \
        sink += msgrcv(id, &m, sizeof m.text, kind, 0); \
    } while (0)
#define change(which, by) \
    do { \
        struct sembuf o = {which, by, 0}; \
        sink += semop(set, &o, 1); \
    } while (0)

KEEP static void waits_any(void) {
    take_from(queue, 0);
    sink += 1;
}
KEEP static void gives_any(void) {
    send_to(queue, 3);
    sink += 1;
}

KEEP static void waits_typed(void) {
    take_from(queue, 7);
    sink += 1;
}
KEEP static void gives_typed(void) {
    send_to(queue, 7);
    sink += 1;
}

KEEP static void waits_room(void) {
    send_to(full, 1);
    sink += 1;
}
KEEP static void gives_room(void) {
    take_from(full, 0);
    sink += 1;
}

KEEP static void waits_up(void) {
    change(0, -1);
    sink += 1;
}
KEEP static void gives_up(void) {
    change(0, 1);
    sink += 1;
}

KEEP static void waits_pair(void) {
    struct sembuf o[] = {{1, -1, 0}, {2, -2, 0}};
    sink += semop(set, o, 2);
}
KEEP static void gives_pair(void) {
    change(2, 1);
    sink += 1;
}

KEEP static void waits_zero(void) {
    change(3, 0);
    sink += 1;
}
KEEP static void gives_zero(void) {
    change(3, -1);
    sink += 1;
}

KEEP static void waits_posted(void) {
    char text[8];
    sink += mq_receive(posted, text, sizeof text, NULL);
}
KEEP static void gives_posted(void) {
    sink += mq_send(posted_again, "x", 1, 0);
}

KEEP static void waits_polled(void) {
    struct pollfd f = {.fd = polled, .events = POLLIN};
    sink += poll(&f, 1, -1);
}
KEEP static void gives_polled(void) {
    sink += mq_send(polled, "x", 1, 0);
}

KEEP static void waits_posix_room(void) {
    sink += mq_send(crowded, "x", 1, 0);
}
KEEP static void gives_posix_room(void) {
    char text[8];
    sink += mq_receive(crowded, text, sizeof text, NULL);
}

static void (*const waits[KINDS])(void) = {waits_any, waits_typed, waits_room, waits_up, waits_pair, waits_zero, waits_posted, waits_polled, waits_posix_room};
static void (*const gives[KINDS])(void) = {gives_any, gives_typed, gives_room, gives_up, gives_pair, gives_zero, gives_posted, gives_polled, gives_posix_room};
static const char *const names[KINDS] = {"any", "typed", "room", "up", "pair", "zero", "posted", "polled", "posix_room"};

/* By the first thread, before the other one waits: what makes it wait. */
static void prepares(int kind) {
    if (kind == ZERO)
        change(3, 1);
}

/* While it waits: what ends no wait of it. */
KEEP static void others(int kind) {
    if (kind == TYPED) {
        send_to(queue, 2);
        take_from(queue, 2);
    } else if (kind == PAIR) {
        change(1, 1);
        change(2, 1);
    } else if (kind == UP)
        change(4, 1);
}

/* What is only looked at is there still, and what was sent, too. */
static void drains(int kind) {
    char text[8];
    if (kind == POLLED)
        sink += mq_receive(polled, text, sizeof text, NULL);
}

static void *waiter(void *unused) {
    tid = gettid();
    for (int i = 0; i < KINDS * ROUNDS; i++) {
        int kind = i / ROUNDS;
        while (turn != i + 1)
            sched_yield();
        if (kind == ANY || kind == TYPED || kind == UP || kind == POSTED || kind == POLLED) { /* what the other one has given before */
            waits[kind]();
            drains(kind);
        }
        double begin = now();
        about = 1;
        waits[kind]();
        spent[kind] += now() - begin;
        drains(kind);
        turn = -1;
    }
    return unused;
}

static void sleeps(int kind) {
    while (!about)
        sched_yield();
    while (!asleep(tid))
        sched_yield();
    about = 0;
    others(kind);
    while (!asleep(tid)) /* its system call may have begun again */
        sched_yield();
    nanosleep(&(struct timespec){.tv_nsec = HELD_MS * 1000000L}, NULL);
}

static mqd_t open_queue(const char *what, long room) {
    char name[64];
    struct mq_attr a = {.mq_maxmsg = room, .mq_msgsize = 8};
    snprintf(name, sizeof name, "/heatscope-%d-%s", (int)getpid(), what);
    mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &a);
    if (!strcmp(what, "posted"))
        posted_again = mq_open(name, O_WRONLY);
    mq_unlink(name);
    return q;
}

int main(void) {
    pthread_t thread;
    struct msqid_ds room;
    union {
        int val;
        struct semid_ds *buf;
        unsigned short *array;
    } values = {.array = (unsigned short[5]){0}};
    queue = msgget(IPC_PRIVATE, 0600);
    full = msgget(IPC_PRIVATE, 0600);
    set = semget(IPC_PRIVATE, 5, 0600);
    posted = open_queue("posted", 4);
    polled = open_queue("polled", 4);
    crowded = open_queue("crowded", 1);
    if (queue < 0 || full < 0 || set < 0 || posted < 0 || polled < 0 || crowded < 0 || semctl(set, 0, SETALL, values) || msgctl(full, IPC_STAT, &room)) {
        puts("no queues here");
        return 77;
    }
    struct sembuf one = {0, 1, 0};
    if (semop(set, &one, SIZE_MAX) != -1 || errno != E2BIG) { /* the kernel looks at none of them */
        puts("more operations than there may be");
        return 1;
    }
    room.msg_qbytes = sizeof((message *)0)->text; /* for one */
    msgctl(full, IPC_SET, &room);
    send_to(full, 1);
    sink += mq_send(crowded, "x", 1, 0);
    pthread_create(&thread, NULL, waiter, NULL);
    for (int i = 0; i < KINDS * ROUNDS; i++) {
        int kind = i / ROUNDS;
        if (kind == ANY || kind == TYPED || kind == UP || kind == POSTED || kind == POLLED)
            gives[kind]();
        prepares(kind);
        turn = i + 1;
        sleeps(kind);
        gives[kind]();
        while (turn != -1)
            sched_yield();
    }
    pthread_join(thread, NULL);
    msgctl(queue, IPC_RMID, NULL);
    msgctl(full, IPC_RMID, NULL);
    semctl(set, 0, IPC_RMID);
    for (int k = 0; k < KINDS; k++)
        printf("%s %.6f\n", names[k], spent[k]);
    return 0;
}
