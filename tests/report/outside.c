/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A worker waits for a job that the first thread gives it late: after it waited for descriptors itself (`poll`), or after it computed (`compute`). */
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static int jobs;

static double for_cpu_ms(int ms) {
    struct timespec begin, now;
    volatile double x = 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        for (int i = 0; i < 10000; i++)
            x = x / 3 + 1;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
    return x;
}

static void *worker(void *unused) {
    struct pollfd job = {.fd = jobs, .events = POLLIN};
    poll(&job, 1, -1);
    for_cpu_ms(400);
    return unused;
}

int main(int argc, char **argv) {
    int clients[2];
    pthread_t t;
    jobs = eventfd(0, 0);
    if (pipe(clients) || pthread_create(&t, NULL, worker, NULL))
        return 1;
    struct pollfd client = {.fd = clients[0], .events = POLLIN};
    if (argc > 1 && !strcmp(argv[1], "poll"))
        poll(&client, 1, 700); /* nobody comes */
    else
        for_cpu_ms(300);
    if (eventfd_write(jobs, 1))
        return 1;
    return pthread_join(t, NULL);
}
