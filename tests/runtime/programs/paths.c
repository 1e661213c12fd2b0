/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call paths whose edges are known: each procedure does something after its calls, so that none is a tail call. */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline))
volatile double sink;
volatile int one = 1;
static jmp_buf back;

KEEP void spin(int n) {
    double x = 1;
    for (int i = 0; i < n; i++)
        x = x * 1.0000001 + i;
    sink = x;
}

/* Does next to nothing, so that most samples in it hit its first and last instructions. */
KEEP int tiny(int a, int b, int c, int d, int e, int f, int g, int h) {
    volatile int saved[6] = {a, b, c, d, e, f};
    return saved[one] + saved[2] * g + h;
}

KEEP void many_tiny(int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += tiny(i, s, i, s, i, s, i, s);
    sink += s;
}

KEEP void deep(int depth) {
    if (depth == 0)
        spin(200000);
    else
        deep(depth - 1);
    sink += 1;
}

KEEP void odd(int n);
KEEP void even(int n) {
    if (n > 0)
        odd(n - 1);
    else
        spin(150000);
    sink += 1;
}

KEEP void odd(int n) {
    if (n > 0)
        even(n - 1);
    else
        spin(150000);
    sink += 2;
}

KEEP void dynamic_frame(int n) {
    char *p = alloca((size_t)n);
    memset(p, n, (size_t)n);
    spin(100000);
    sink += p[n / 2];
}

KEEP void large_frame(void) {
    volatile char room[100000];
    room[one] = 1;
    spin(100000);
    sink += room[one];
}

KEEP void realigned_frame(void) {
    _Alignas(128) volatile double v[32];
    v[one] = 3;
    spin(100000);
    sink += v[one];
}

KEEP void jumps(int depth) {
    if (depth == 0)
        longjmp(back, 1);
    many_tiny(50);
    jumps(depth - 1);
    sink += 1;
}

KEEP void over_jumps(int n) {
    for (volatile int i = 0; i < n; i++)
        if (!setjmp(back))
            jumps(10);
    sink += 1;
}

KEEP void in_handler(void) {
    spin(150000);
    sink += 1;
}

static void on_signal(int number) {
    in_handler();
    sink += number;
}

KEEP void raises(void) {
    raise(SIGUSR1);
    sink += 1;
}

static int compare(const void *a, const void *b) {
    sink += 1;
    return *(const int *)a - *(const int *)b;
}

KEEP void sorts(void) {
    static int v[3000];
    for (int i = 0; i < 3000; i++)
        v[i] = (int)((i * 7919u) % 3001u);
    qsort(v, 3000, sizeof v[0], compare);
    sink += v[1];
}

KEEP void by_pointer(void (*f)(int), int n) {
    f(n);
    sink += 1;
}

KEEP void parent_three(void) {
    for (int i = 0; i < 3; i++)
        spin(200000);
    sink += 1;
}

KEEP void parent_one(void) {
    spin(200000);
    sink += 1;
}

KEEP void everything(int n) {
    for (int i = 0; i < n; i++) {
        parent_three();
        parent_one();
        deep(50);
        even(20);
        by_pointer(spin, 100000);
        dynamic_frame(1000 + i);
        large_frame();
        realigned_frame();
        many_tiny(20000);
        over_jumps(20);
        raises();
        sorts();
    }
    sink += 1;
}

static void *thread(void *n) {
    everything(*(int *)n);
    sink += 1;
    return NULL;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    struct sigaction a = {.sa_handler = on_signal};
    static char alternate[65536];
    stack_t s = {.ss_sp = alternate, .ss_size = sizeof alternate};
    pthread_t t;
    if (argc > 2 && !strcmp(argv[2], "alternate")) {
        a.sa_flags = SA_ONSTACK;
        sigaltstack(&s, NULL);
    }
    sigaction(SIGUSR1, &a, NULL);
    if (argc > 2 && !strcmp(argv[2], "thread")) {
        pthread_create(&t, NULL, thread, &n);
        pthread_join(t, NULL);
    } else
        everything(n);
    printf("done\n");
    return 0;
}
