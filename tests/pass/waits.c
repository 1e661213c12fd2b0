// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that only look at what others write are waits, and are refused nothing.
// RUN: %cc -O2 -w -c %s -o %t.o; %map --remarks %t.o | %check
// RUN: %map --format=csv %t.o > %t.csv; FileCheck-19 --input-file %t.csv --check-prefix CSV %s
// RUN: %cc -O0 -w -c %s -o %t.0.o; %map --remarks %t.0.o > %t.0; FileCheck-19 --input-file %t.0 --check-prefix ZERO %s
#include <stdatomic.h>
atomic_int turn, lock;
volatile int flag, ring[64];
int plain;

// CHECK: until
// CHECK-NEXT: while:
// CHECK: spin wait
// CHECK-NOT: not vectorized
// CSV: waits.c,until,until,{{.*}},"it waits: reads again and again what others write, and does no work"
void until(int v) {
    while (atomic_load_explicit(&turn, memory_order_acquire) < v)
        __builtin_ia32_pause();
}
// CHECK: while_flag
// CHECK-NEXT: while:
// CHECK: spin wait
// CHECK-NOT: not vectorized
int while_flag(void) {
    int looks = 0;
    while (!flag)
        looks++;
    return looks;
}
// CHECK: take_lock
// CHECK-NEXT: while:
// CHECK: spin wait
// CHECK-NOT: not vectorized
void take_lock(void) {
    while (atomic_exchange(&lock, 1))
        ;
}
// CHECK: pause_only
// CHECK-NEXT: while:
// CHECK: spin wait
void pause_only(void) {
    while (!plain)
        __asm__ volatile("pause" ::: "memory");
}
// A bound on the looks, counted in a variable that nobody else sees, is no work.
// CHECK: bounded
// CHECK-NEXT: while:
// CHECK: spin wait
// CHECK-NOT: not vectorized
void bounded(void) {
    volatile unsigned long looks = 0;
    while (!flag && looks < 1000000)
        looks++;
}
// One sweep over what all others write, again and again, is a look.
// CHECK: until_none
// CHECK-NEXT: while:
// CHECK-NEXT: for:
// CHECK: spin wait
// CHECK-NOT: not vectorized
// CHECK: sweeps
void until_none(int n) {
    while (1) {
        int there = 0;
        for (int i = 1; i < n; i++)
            there += ring[i];
        if (!there)
            break;
    }
}
// CHECK-NOT: spin wait
// CHECK: not vectorized
int sweeps(int n) {
    int sum = 0;
    while (1) {
        int there = 0;
        for (int i = 1; i < n; i++)
            there += ring[i];
        sum += there;
        if (!there)
            break;
    }
    return sum;
}

// What reads much, adds up, stores or calls works: the compiler's reasons stay.
// CHECK: adds_up
// CHECK-NOT: spin wait
// CHECK: not vectorized
int adds_up(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += flag;
    return sum;
}
// CHECK: looks_for
// CHECK-NOT: spin wait
int looks_for(void) {
    int i = 0;
    while (i < 64 && !ring[i])
        i++;
    return i;
}
// CHECK: pushes
// CHECK-NOT: spin wait
void pushes(int add) {
    int old = atomic_load(&turn);
    while (!atomic_compare_exchange_weak(&turn, &old, old + add))
        ;
}
// CHECK: stores
// CHECK-NOT: spin wait
void stores(int *a) {
    while (!flag)
        a[flag]++;
}
// CHECK: delays
// CHECK-NOT: spin wait
void delays(void) {
    for (volatile int i = 0; i < 1000000; i++)
        ;
}
// CHECK: shows
// CHECK-NOT: spin wait
void take(volatile int *count);
void shows(void) {
    volatile int count = 0;
    take(&count);
    while (!flag && count < 1000000)
        count++;
}
// CHECK: adds_looks
// CHECK-NOT: spin wait
int adds_looks(void) {
    volatile int sum = 0;
    while (sum < 1000000)
        sum += flag;
    return sum;
}
// CHECK: works
// CHECK-NOT: spin wait
double works(int n) {
    double x = 1;
    for (int i = 0; i < n; i++)
        x = x * 0.9999 + 1;
    return x;
}

// A look of many rounds whose code became part of the loop round it: no million iterations are unrolled.
// CHECK: merges
// CHECK-NEXT: while: as written
// CHECK: for: as written {{.*}}at most 1000000 iterations
void wait_long(void);
void merges(void) {
    while (1) {
        for (int k = 0; k < 1000000; k++)
            if (atomic_load(&turn) != 0)
                break;
        if (atomic_load(&turn) == 0) {
            wait_long();
            continue;
        }
        plain++;
        atomic_store(&turn, 0);
    }
}

// Without optimisation the variables are in memory: what waits does so all the same, as where a file is compiled so for its waiting loops.
// ZERO: await
// ZERO-NEXT: while:
// ZERO: spin wait
void await(volatile int *status) {
    while (*status)
        ;
}
// CHECK: not_await
// CHECK-NOT: spin wait
// ZERO: not_await
// ZERO-NOT: spin wait
int not_await(const volatile int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
