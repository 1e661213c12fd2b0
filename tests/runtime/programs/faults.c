// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight threads, two at a time, that touch new memory page by page, with some work on each: a tenth of their CPU time is in page faults, which
// samples of user code don't meet and few ticks do.
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGES = 64, PAGE = 4096, ROUNDS = 4 };

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *touches(void *p) {
    volatile double s = 1;
    while (cpu() < 0.25) {
        char *m = mmap(0, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (m == MAP_FAILED)
            return p;
        for (int i = 0; i < PAGES; i++) {
            m[i * PAGE] = 1;
            for (int k = 0; k < 1500; k++)
                s = s * 1.0000001 + 1e-9;
        }
        munmap(m, PAGES * PAGE);
    }
    return p;
}

int main(void) {
    pthread_t t[2];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++)
            pthread_create(&t[i], 0, touches, 0);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], 0);
    }
    return 0;
}
