/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ways to wait for what another thread writes, ROUNDS times each; the first thread writes HELD_MS after it saw the waiter asleep, and before that what nobody waits
 * for. Prints for each "procedure seconds", measured round the calls. Reads of a file from the same procedure follow. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

#include "asleep.h"

#define KEEP __attribute__((noinline))
enum { ROUNDS = 5, HELD_MS = 10, KINDS = 4 };

static int plain[2], copied[2], pair[2], event, file;
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

KEEP static void reads_file(void) {
    lseek(file, 0, SEEK_SET);
    reads(file);
    sink += 1;
}

static void (*const waits[KINDS])(void) = {waits_plain, waits_copied, waits_pair, waits_event};
static void (*const gives[KINDS])(void) = {gives_plain, gives_copied, gives_pair, gives_event};

static void *waiter(void *unused) {
    tid = gettid();
    for (int i = 0; i < KINDS * ROUNDS; i++) {
        while (turn != i + 1)
            sched_yield();
        waits[i / ROUNDS](); /* what the other one has written before */
        double begin = now();
        about = 1;
        waits[i / ROUNDS]();
        spent[i / ROUNDS] += now() - begin;
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
    static const char *const names[KINDS] = {"plain", "copied", "pair", "event"};
    int ends[2];
    pthread_t thread;
    if (pipe(plain) || pipe2(ends, 0) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || (event = eventfd(0, 0)) < 0 || (file = open(argv[argc - 1], O_RDONLY)) < 0)
        return 1;
    copied[0] = dup(ends[0]);
    copied[1] = dup2(ends[1], 100);
    close(ends[0]);
    close(ends[1]);
    pthread_create(&thread, NULL, waiter, NULL);
    for (int i = 0; i < KINDS * ROUNDS; i++) {
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
