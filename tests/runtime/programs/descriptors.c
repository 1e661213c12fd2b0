/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* descriptors SECONDS [THREADS]: opens and closes in a tight loop, in all its threads; each gets the lowest number that is free, so none is ever higher than the
 * threads explain. Prints how many were, after "looked N" where enough were looked at; and of the other tasks of the process (ours) how many were seen
 * with a descriptor of the program's. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int first, n_threads = 1;
static double seconds;
static atomic_long looked, wrong;
static pthread_barrier_t barrier;
static _Atomic int tids[64];

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *loop(void *number) {
    tids[(long)number] = (int)syscall(SYS_gettid);
    volatile double x = 1;
    while (now(CLOCK_THREAD_CPUTIME_ID) < 0.05) /* what a thread needs to begin, until its first sample, is over then: samples are of time in user code */
        for (int i = 0; i < 1000000; i++)
            x = x * 1.0000001;
    if (n_threads > 1)
        pthread_barrier_wait(&barrier);
    for (double end = now(CLOCK_MONOTONIC) + seconds; now(CLOCK_MONOTONIC) < end;)
        for (int i = 0; i < 100; i++) {
            int fd = open("/dev/null", O_RDONLY);
            wrong += fd >= first + n_threads;
            looked++;
            close(fd);
        }
    if (n_threads > 1) /* nor does any end while another one looks */
        pthread_barrier_wait(&barrier);
    return NULL;
}

static int is_ours(int tid) {
    for (int i = 0; i < n_threads; i++)
        if (tids[i] == tid)
            return 0;
    return 1;
}

/* Of tasks that are none of the program's threads: how many have that pipe. */
static int kept(const char *pipe) {
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *t; (t = readdir(tasks));) {
        char path[600], text[64];
        if (t->d_name[0] == '.' || !is_ours(atoi(t->d_name)))
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/fd", t->d_name);
        DIR *fds = opendir(path);
        for (struct dirent *f; fds && (f = readdir(fds));) {
            char link[900];
            snprintf(link, sizeof link, "%s/%s", path, f->d_name);
            ssize_t size = readlink(link, text, sizeof text - 1);
            text[size > 0 ? size : 0] = 0;
            n += !strcmp(text, pipe);
        }
        if (fds)
            closedir(fds);
    }
    closedir(tasks);
    return n;
}

int main(int argc, char **argv) {
    pthread_t t[64];
    int ends[2];
    char path[64], name[64];
    seconds = argc > 1 ? atof(argv[1]) : 1;
    n_threads = argc > 2 ? atoi(argv[2]) : 1;
    pthread_barrier_init(&barrier, NULL, (unsigned)n_threads);
    if (pipe(ends))
        return 1;
    first = dup(0);
    close(first);
    for (long i = 1; i < n_threads; i++)
        pthread_create(&t[i], NULL, loop, (void *)i); /* NOLINT: a number */
    loop(NULL);
    for (int i = 1; i < n_threads; i++)
        pthread_join(t[i], NULL);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    ssize_t size = readlink(path, name, sizeof name - 1);
    name[size > 0 ? size : 0] = 0;
    printf("looked %d wrong %ld kept %d\n", looked > 1000, wrong, kept(name));
    return 42;
}
