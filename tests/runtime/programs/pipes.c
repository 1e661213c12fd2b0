/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ways to wait for what another thread writes (or for room: reads), ROUNDS times each; the first thread does it HELD_MS after it saw the waiter asleep, and before
 * that what nobody waits for. Prints for each "procedure seconds", measured round the calls. Reads of a file from the same procedure follow. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>

#include "asleep.h"

#define KEEP __attribute__((noinline))
enum { ROUNDS = 5, HELD_MS = 10, HIGH = 5000, POLL = 4, SELECT, EPOLL, ROOM = 8, KINDS };

static int plain[2], copied[2], pair[2], event, file, polled[2], selected[2], watched[2], watch, streamed[2], full[2], other[2];
static FILE *from, *to;
static atomic_int tid, turn, about;
static double spent[KINDS];
static volatile long sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

KEEP static void reads(int fd) {
    char bytes[8];
    sink += read(fd, bytes, sizeof bytes);
}

KEEP static void waits_plain(void) {
    reads(plain[0]);
    sink += 1;
}
KEEP static void gives_plain(void) {
    sink += write(plain[1], "x", 1);
}

KEEP static void waits_copied(void) {
    reads(copied[0]);
    sink += 1;
}
KEEP static void gives_copied(void) {
    sink += write(copied[1], "x", 1);
}

KEEP static void waits_pair(void) {
    char byte;
    sink += recv(pair[0], &byte, 1, 0);
}
KEEP static void gives_pair(void) {
    sink += send(pair[1], "x", 1, 0);
}

KEEP static void waits_event(void) {
    eventfd_t value;
    sink += eventfd_read(event, &value);
}
KEEP static void gives_event(void) {
    sink += eventfd_write(event, 1);
}

KEEP static void waits_poll(void) {
    struct pollfd fds[] = {{.fd = other[0], .events = POLLIN}, {.fd = polled[0], .events = POLLIN}};
    sink += poll(fds, 2, -1);
}
KEEP static void gives_poll(void) {
    sink += write(polled[1], "x", 1);
}

KEEP static void waits_select(void) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(other[0], &set);
    FD_SET(selected[0], &set);
    sink += select((other[0] > selected[0] ? other[0] : selected[0]) + 1, &set, NULL, NULL, NULL);
}
KEEP static void gives_select(void) {
    sink += write(selected[1], "x", 1);
}

KEEP static void waits_epoll(void) {
    struct epoll_event ready;
    sink += epoll_wait(watch, &ready, 1, -1);
}
KEEP static void gives_epoll(void) {
    sink += write(watched[1], "x", 1);
}

KEEP static void waits_stream(void) {
    char line[8];
    sink += fgets(line, sizeof line, from) != NULL;
}
KEEP static void gives_stream(void) {
    fputs("x\n", to);
    fflush(to);
}

KEEP static void waits_room(void) {
    static char bytes[1 << 18]; /* four times what there is room for */
    sink += write(full[1], bytes, sizeof bytes);
}
KEEP static void gives_room(void) {
    static char bytes[1 << 18];
    for (ssize_t n = 0, more; n < (ssize_t)sizeof bytes && (more = read(full[0], bytes, sizeof bytes)) > 0; n += more)
        ;
}

KEEP static void reads_file(void) {
    lseek(file, 0, SEEK_SET);
    reads(file);
    sink += 1;
}

static void (*const waits[KINDS])(void) = {waits_plain, waits_copied, waits_pair, waits_event, waits_poll, waits_select, waits_epoll, waits_stream, waits_room};
static void (*const gives[KINDS])(void) = {gives_plain, gives_copied, gives_pair, gives_event, gives_poll, gives_select, gives_epoll, gives_stream, gives_room};

/* What is only looked at is there still. */
static void drains(int kind) {
    char byte;
    const int *ends = kind == POLL ? polled : kind == SELECT ? selected : kind == EPOLL ? watched : NULL;
    if (ends)
        sink += read(ends[0], &byte, 1);
}

static void *waiter(void *unused) {
    tid = gettid();
    for (int i = 0; i < KINDS * ROUNDS; i++) {
        int kind = i / ROUNDS;
        while (turn != i + 1)
            sched_yield();
        if (kind != ROOM) { /* what the other one has written before */
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
    for (int i = 0; i < 20; i++)
        reads_file();
    return unused;
}

static void sleeps(void) {
    while (!about)
        sched_yield();
    while (!asleep(tid))
        sched_yield();
    about = 0;
    nanosleep(&(struct timespec){.tv_nsec = HELD_MS * 1000000L}, NULL);
}

int main(int argc, char **argv) {
    static const char *const names[KINDS] = {"plain", "copied", "pair", "event", "poll", "select", "epoll", "stream", "room"};
    int ends[2];
    pthread_t thread;
    if (pipe(plain) || pipe2(ends, 0) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || (event = eventfd(0, 0)) < 0 || (file = open(argv[argc - 1], O_RDONLY)) < 0)
        return 1;
    if (pipe(polled) || pipe(selected) || pipe(watched) || pipe(streamed) || pipe(full) || pipe(other))
        return 1;
    struct epoll_event event_of = {.events = EPOLLIN};
    if ((watch = epoll_create1(0)) < 0 || epoll_ctl(watch, EPOLL_CTL_ADD, watched[0], &event_of) || !(from = fdopen(streamed[0], "r")) ||
        !(to = fdopen(streamed[1], "w")))
        return 1;
    struct rlimit descriptors;
    getrlimit(RLIMIT_NOFILE, &descriptors);
    descriptors.rlim_cur = descriptors.rlim_max;
    setrlimit(RLIMIT_NOFILE, &descriptors);
    copied[0] = descriptors.rlim_cur > HIGH ? fcntl(ends[0], F_DUPFD, HIGH) : dup(ends[0]);
    copied[1] = dup2(ends[1], 100);
    close(ends[0]);
    close(ends[1]);
    pthread_create(&thread, NULL, waiter, NULL);
    for (int i = 0; i < KINDS * ROUNDS; i++) {
        if (i / ROUNDS != ROOM)
            gives[i / ROUNDS]();
        turn = i + 1;
        sleeps();
        gives[i / ROUNDS]();
        while (turn != -1)
            sched_yield();
    }
    pthread_join(thread, NULL);
    for (int k = 0; k < KINDS; k++)
        printf("%s %.6f\n", names[k], spent[k]);
    return 0;
}
