// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that come and go, one ended by pthread_exit inside scopes, one cancelled.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
volatile int sink;
__attribute__((noinline)) void work(int i) {
    sink = i;
}
__attribute__((noinline)) void leaves(void) {
    work(0);
    pthread_exit(NULL);
}
static void *run(void *p) {
    for (int i = 0; i < 1000; i++)
        work(i);
    if (p)
        leaves();
    return NULL;
}
__attribute__((noinline)) void waits(void) {
    work(0);
    for (;;)
        pause();
}
static void *cancelled(void *p) {
    (void)p;
    waits();
    return NULL;
}
int main(void) {
    for (int round = 0; round < 5; round++) {
        pthread_t t[4], c;
        for (int i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, run, i ? NULL : &t);
        pthread_create(&c, NULL, cancelled, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
        pthread_cancel(c);
        pthread_join(c, NULL);
    }
    puts("done");
    return 0;
}
