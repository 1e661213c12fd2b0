/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that makes a thread when it is initialised, before the program begins (EARLY_LIBRARY), and the program that has it. Both compute for as long. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

void early_join(void);
void early_computes(double seconds);

#ifdef EARLY_LIBRARY
static pthread_t thread;
static volatile double sink;

__attribute__((noinline)) void early_computes(double seconds) {
    struct timespec t;
    do {
        for (int i = 0; i < 10000; i++)
            sink += 1;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < seconds);
}

static void *early_thread(void *p) {
    early_computes(0.3);
    return p;
}

__attribute__((constructor)) static void makes_thread(void) {
    pthread_create(&thread, NULL, early_thread, NULL);
}

void early_join(void) {
    pthread_join(thread, NULL);
}
#else
int main(int argc, char **argv) {
    early_computes(0.3);
    early_join();
    printf("%d %s\n", argc, argv[argc - 1]);
    return 0;
}
#endif
