/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads share a processor, touch new memory and sleep; each prints what the kernel had counted of it just before it ended:
 * thread, user and system microseconds, minor faults, voluntary and involuntary switches, nanoseconds in line. "endless": they never end.
 * "crowd": THREADS of them that only compute for some milliseconds, so that nothing but the kernel stops them; all print at the end. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PAGES 5000
#define THREADS 60

static pthread_barrier_t both;
static int endless;
volatile double sink;

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct counts {
    int tid;
    struct rusage r;
    unsigned long long waited;
} counts;

static counts count(void) {
    counts c = {.tid = (int)gettid()};
    char text[96] = "";
    unsigned long long ran;
    getrusage(RUSAGE_THREAD, &c.r);
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0 || sscanf(text, "%llu %llu", &ran, &c.waited) != 2)
        c.waited = 0;
    if (fd >= 0)
        close(fd);
    return c;
}

static void print(const counts *c) {
    printf("%d %lld %lld %ld %ld %ld %llu\n", c->tid, c->r.ru_utime.tv_sec * 1000000ll + c->r.ru_utime.tv_usec,
           c->r.ru_stime.tv_sec * 1000000ll + c->r.ru_stime.tv_usec, c->r.ru_minflt, c->r.ru_nvcsw, c->r.ru_nivcsw, c->waited);
}

static void *computes(void *to) {
    for (double end = cpu() + 0.006; cpu() < end;)
        for (int i = 0; i < 20000; i++)
            sink = sink * 1.0000001 + i;
    *(counts *)to = count();
    return NULL;
}

static int crowd(void) {
    pthread_t thread[THREADS];
    counts c[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, computes, &c[i]))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        print(&c[i]);
    return 0;
}

static void *works(void *unused) {
    pthread_barrier_wait(&both);
    for (double end = cpu() + 0.3; endless || cpu() < end;)
        for (int i = 0; i < 20000; i++)
            sink = sink * 1.0000001 + i;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(p, PAGES * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        p[i * page] = 1;
    for (int i = 0; i < 20; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    counts c = count();
    print(&c);
    return unused;
}

int main(int argc, char **argv) {
    cpu_set_t set;
    pthread_t thread[2];
    endless = argc > 1 && !strcmp(argv[1], "endless");
    sched_getaffinity(0, sizeof set, &set);
    for (int c = 0, first = 1; c < CPU_SETSIZE; c++)
        if (CPU_ISSET(c, &set)) {
            if (!first)
                CPU_CLR(c, &set);
            first = 0;
        }
    sched_setaffinity(0, sizeof set, &set);
    if (argc > 1 && !strcmp(argv[1], "crowd"))
        return crowd();
    pthread_barrier_init(&both, NULL, 2);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, works, NULL))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
