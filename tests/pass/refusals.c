// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was refused vectors, what was not, and what was not tried.
// RUN: %cc -g -O2 -w -c %s -o %t.2.o; %map --remarks %t.2.o > %t.2; FileCheck-19 --input-file %t.2 %s
// RUN: %cc -g -O1 -w -c %s -o %t.1.o; %map --remarks %t.1.o > %t.1; FileCheck-19 --input-file %t.1 --check-prefix LOW %s
// RUN: %cc -g -O3 -fno-vectorize -w -c %s -o %t.3.o; %map --remarks %t.3.o > %t.3; FileCheck-19 --input-file %t.3 --check-prefix LOW %s
// RUN: %cc -g -O3 -w -c %s -o %t.4.o; %map --remarks %t.4.o > %t.4; FileCheck-19 --input-file %t.4 --check-prefix HIGH %s
// RUN: %map --format=csv %t.2.o > %t.csv; FileCheck-19 --input-file %t.csv --check-prefix CSV %s
// RUN: %map --listing %t.2.o > %t.list; ! grep -q "interleaving" %t.list

// Vectorised by 4, twice in a row: eight iterations are left, and unrolled.
float to[64], from[64];
// CHECK: for: vector unrolled fully 4 lanes
// CSV: refusals.c,fixed,fixed,[[#@LINE+3]],{{.*}},vector,4,
// LOW: [loop-vectorize: not tried: no vectoriser at this level or with these options]
void fixed(float a, float b) {
    for (int i = 0; i < 64; i++)
        to[i] = from[i] * a + b;
}

// Interleaved by the programmer's wish, with no vectors: no remainder of vector code.
// CHECK: for:
// CHECK-NOT: remainder
// CHECK-NOT: vector
// CHECK-SAME: unrolled
long interleaved(const long *a, int n) {
    long sum = 0;
#pragma clang loop vectorize_width(1) interleave_count(4)
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

// The loop stays as it is; operations in a row become vector code.
int more(const double *p);
// CHECK: while: as written (parts packed by 2)
// CSV: refusals.c,pairs,pairs,[[#@LINE+2]],{{.*}},scalar,0,
void pairs(double *p) {
    while (more(p)) {
        p[0] = p[0] * 3 + 1;
        p[1] = p[1] * 3 + 1;
        p += 2;
    }
}

// That interleaving would not pay is said of loops with vector code, too, and is no reason of theirs.
// CHECK: for: vector 2 lanes
// CHECK-NEXT: interleaving is not beneficial
// CSV: refusals.c,strided,strided,[[#@LINE+2]],{{.*}},vector,2,{{.*}},vector 2 lanes,,,,
void strided(double *restrict a, const double *restrict b) {
    for (int j = 0; j < 1000; j++)
        for (int i = 0; i < 4; i++)
            a[j * 4 + i] = b[j * 4 + i] * 3 + 1;
}

// The reasons for loops that a pragma wants vectorised come without the name of a pass.
// CHECK: prevents vector code
// CSV: refusals.c,wanted,wanted,[[#@LINE+3]],{{.*}},dependence between iterations,
void wanted(double *a, int n) {
#pragma clang loop vectorize(enable)
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * 2 + 1;
}

// Atomic accesses are in the way by themselves, whatever name the vectoriser has for it.
// CHECK: scatter
// CHECK-NEXT: for:
// CHECK: [loop-vectorize: volatile or atomic access]
void scatter(int *restrict to, const int *restrict at, int n) {
    for (int i = 0; i < n; i++)
        __atomic_fetch_add(&to[at[i]], 1, __ATOMIC_RELAXED);
}

// The vectoriser looks at innermost loops only: one inside that few iterations come by keeps the loop round it from being looked at.
void grow(double **list, long *room);
static inline void add(double **list, long *n, long *room, double x) {
    if (*n == *room) {
        grow(list, room);
        for (long i = 0; i < *n; i++)
            (*list)[i] *= 0.5;
    }
    (*list)[(*n)++] = x;
}
// CHECK: for: as written [j = 0
// CHECK: [[#@LINE+5]]:5: loop not vectorized: not looked at, for the loop inside at refusals.c:[[#@LINE-6]], inlined with add, that only some iterations come to [heatscope: not the innermost loop]
// CSV: refusals.c,near,near,[[#@LINE+4]],{{.*}}not the innermost loop
// LOW: near
// LOW: [[#@LINE+2]]:5: loop not vectorized [heatscope: not tried: no vectoriser at this level or with these options]
long near(long n, const double *restrict x, double r, double **restrict list, long *restrict found, long *restrict room) {
    for (long j = 0; j < n; j++)
        if (x[j] * x[j] < r)
            add(list, found, room, x[j]);
    return *found;
}

// Here it is one of the procedure's own, and the count is not known; where all iterations come by, the loops are a nest like any.
// CHECK: for: as written
// CHECK: loop not vectorized: not looked at, for the loop inside at refusals.c:[[#@LINE+6]], that only some iterations come to; how often it goes round is not known on entry either [heatscope: number of iterations not known on entry]
long walk(const long *next, long *a, long *k) {
    long sum = 0;
    for (long j = 0; j >= 0; j = next[j]) {
        sum += a[j];
        if (a[j] > 100)
            for (long i = 0; k[i]; i++)
                k[i] += j;
    }
    return sum;
}
// What else is in the way of what each iteration does is told, and is the reason: a call, or the address of the next of a list.
// CHECK: calls
// CHECK: not looked at, for the loop inside at refusals.c:[[#@LINE+5]], that only some iterations come to; each iteration makes a call that has no vector form as well (call of grow) [heatscope: call that has no vector form]
long calls(long n, double *restrict x, double **restrict list, long *restrict room) {
    for (long j = 0; j < n; j++) {
        grow(list, room);
        if (x[j] > 1)
            for (long i = 0; i < *room; i++)
                x[i + n] += x[j];
    }
    return *room;
}
struct cell {
    struct cell *next;
    double x;
};
// CHECK: listed
// CHECK: not looked at, for the loop inside at refusals.c:[[#@LINE+4]], that only some iterations come to; each iteration reads where the next one goes on as well [heatscope: value carried from one iteration to the next]
void listed(long n, long *restrict k, struct cell *restrict c) {
    for (long j = 0; j < n; j++) {
        if (c->x > 1)
            for (long i = 0; k[i]; i++)
                k[i] += j;
        c = c->next;
    }
}
// CHECK: nest
// CHECK-NOT: not looked at
void nest(long n, const double *restrict x, double *restrict y) {
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++)
            y[i] += x[j * n + i];
}

// A search has no vectors, at whatever level.
// CHECK: search
// CHECK: [loop-vectorize: leaves before its count is reached]
// LOW: search
// LOW: loop not vectorized: not tried at this level or with these options, and it leaves before its count is reached [loop-vectorize: leaves before its count is reached]
long search(long n, const double *x, double y) {
    for (long j = 0; j < n; j++)
        if (x[j] > y)
            return j;
    return n;
}

// A nest whose inner loop has two copies, for what does not change in it: all iterations come to one of them.
// HIGH: copies
// HIGH: alternative
// HIGH-NOT: not looked at
void copies(long n, const double *x, double *y, int twice, volatile long *count) {
    for (long j = 0; j < n; j++)
        for (long i = j + 1; i < n; i++) {
            if (twice)
                *count += i;
            y[i] += x[j] * x[i];
        }
}
// HIGH: after
void after(void) {}
