// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References that have no access in the generated code: what they read was never written. Others stay as they are.
// RUN: %cc -g -O2 -c %s -o %t.o; %map --arrays %t.o | %check
// RUN: %cc -g -O0 -c %s -o %t.0.o; %map --arrays %t.0.o | FileCheck-19 --check-prefix=WRITTEN %s
// WRITTEN-NOT: not in the generated code
enum { N = 600 };
static double grid[N], field[N];
struct part {
    double x, y;
};

// CHECK: walk
void walk(double *restrict out, const double *restrict in) {
    for (int i = 0; i < N; i++) {
        // CHECK: [[#@LINE+4]]:{{[0-9]+}} reads grid[i]: contiguous, not in the generated code{{$}}
        // CHECK: [[#@LINE+3]]:{{[0-9]+}} reads in[i]: contiguous{{$}}
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads out[i]: contiguous{{$}}
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes out[i]: contiguous{{$}}
        out[i] += grid[i] + in[i];
    }
}

static double sum_of(const double *g, const double *x) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads g[i]: contiguous, not in the generated code{{$}}
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads x[i]: contiguous{{$}}
        sum += g[i] + x[i];
    return sum;
}

double inlined(const double *x) {
    return sum_of(grid, x);
}

// What is carried in a register, read as a pair, read before the loop, or copied by a call is accessed all the same.
// CHECK: others
double others(double *restrict a, const struct part *restrict p, const double *restrict c, const double *restrict from, int n) {
    double sum = 0;
    // CHECK-NOT: not in the generated code
    for (int i = 1; i < n; i++)
        a[i] = a[i] * 0.5 + a[i - 1];
    for (int i = 0; i < n; i++)
        a[i] = p[i].x * p[i].y + c[0];
    for (int i = 0; i < n; i++) {
        double t = from[i];
        field[i] = t;
    }
    for (int i = 0; i < n; i++)
        sum += field[i] * c[3];
    return sum;
}

// Vectors that are put together of what is read one by one: their store has the place of what stands before the loop.
double plane[N][N], edge[N];

static inline void pack(void) {
    for (int i = 0; i < N; i++)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes edge[i]: contiguous{{$}}
        edge[i] = plane[i][1];
}

void packs(int *times, int n) {
    for (int k = 0; k < n; k++) {
        times[k]++;
        pack();
    }
}

void pack_after(const int *where) {
    int i = 0;
    while (where[i])
        i++;
    i = 0;
    do
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes edge[i]: contiguous{{$}}
        edge[i] = plane[i][1];
    while (++i < N);
}
