// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of C and their lines, at every level.
// RUN: for o in 0 1 2 3; do %cc -g -O$o -c %s -o %t.$o.o; %map %t.$o.o | %check; done
// RUN: %cc -gline-tables-only -O2 -c %s -o %t.lines.o; %map %t.lines.o | %check
// CHECK: loops.c: C, -O{{[0-3]}}, 3 procedures, 11 loops
#define REPEAT(n, body) for (int q = 0; q < (n); q++) { body; }

// CHECK: [[#@LINE+1]]-[[#@LINE+41]] loops
void loops(int n, double *a, int *stop) {
    // CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+5]] for:
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            continue;
        a[i] *= 2;
    }

    // CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+5]] while:
    while (*stop) {
        if (*stop == 7)
            continue;
        a[n++] = *stop;
    }

    // CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+3]] do-while:
    do {
        a[n] += n;
    } while (n-- > 0);

    // CHECK-NEXT: [[#@LINE+3]]-[[#@LINE+5]] for:
    // CHECK-NEXT: [[#@LINE+3]]-[[#@LINE+4]] for:
    // CHECK-NEXT: [[#@LINE+3]] for:
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) a[i] += a[j] * a[k];

    // CHECK-NEXT: [[#@LINE+1]] {{(for|loop)}}:
    REPEAT(n, a[q] += a[q + n])

    // CHECK-NEXT: [[#@LINE+2]]-[[#@LINE+5]] goto:
again:
    a[n] -= *stop;
    n--;
    if (*stop)
        goto again;

    // CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+2]] for:
    for (;;)
        if (a[n++] > 1e9) return;
}

// A switch that jumps into a loop, as Duff's device and loops that go on where they were, leaves it what it is written as.
// CHECK: [[#@LINE+1]]-[[#@LINE+14]] copies
void copies(int n, volatile int *to, const int *from) {
    switch (n % 4) {
        // CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+9]] for:
        for (;;) {
        case 0: *to = *from++;
        case 3: *to = *from++;
        case 2: *to = *from++;
        case 1:
            *to = *from++;
            if ((n -= 4) <= 0)
                return;
        }
    }
}
// CHECK: [[#@LINE+1]]-[[#@LINE+11]] sends
void sends(int n, volatile int *to, const int *from) {
    int i = (n + 3) / 4;
    switch (n % 4) {
        // CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+5]] do-while:
    case 0: do { *to = *from++;
    case 3: *to = *from++;
    case 2: *to = *from++;
    case 1: *to = *from++;
        } while (--i > 0);
    }
}
