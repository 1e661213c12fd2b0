/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads share a processor, touch new memory and sleep; each prints what the kernel had counted of it just before it ended:
 * thread, user and system microseconds, minor faults, voluntary and involuntary switches, nanoseconds in line. "endless": they never end. */
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

static pthread_barrier_t both;
static int endless;
volatile double sink;

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print(void) {
    struct rusage r;
    unsigned long long ran = 0, waited = 0;
    getrusage(RUSAGE_THREAD, &r);
    FILE *f = fopen("/proc/thread-self/schedstat", "r");
    if (!f || fscanf(f, "%llu %llu", &ran, &waited) != 2)
        waited = 0;
    if (f)
        fclose(f);
    printf("%d %lld %lld %ld %ld %ld %llu\n", (int)gettid(), r.ru_utime.tv_sec * 1000000ll + r.ru_utime.tv_usec,
           r.ru_stime.tv_sec * 1000000ll + r.ru_stime.tv_usec, r.ru_minflt, r.ru_nvcsw, r.ru_nivcsw, waited);
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
    print();
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
    pthread_barrier_init(&both, NULL, 2);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, works, NULL))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
