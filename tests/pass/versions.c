// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of loops at -O3.
// RUN: %cc -g -O3 -c %s -o %t.o; %map %t.o | %check
// RUN: %cc -O3 -mavx2 -c %s -o %t.wide.o; %map %t.wide.o > %t.wide; FileCheck-19 --input-file %t.wide --check-prefix WIDE %s
// RUN: %cc -O3 -mavx2 -mllvm -epilogue-vectorization-force-VF=4 -c %s -o %t.two.o; %map %t.two.o > %t.two; FileCheck-19 --input-file %t.two --check-prefix TWO %s
// CHECK: doubled
// CHECK-NEXT: for: remainder, vector 4 lanes x2
// TWO: doubled
// TWO-NEXT: for: remainder, vector remainder 4 lanes, vector 8 lanes x4
void doubled(int n, float *restrict a, const float *restrict b) {
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2;
}
// CHECK: eight
// CHECK-NEXT: for: unrolled fully
int eight(const int *a) {
    int s = 0;
    for (int i = 0; i < 8; i++)
        s += a[i] * i;
    return s;
}
// CHECK: dot
// CHECK-NEXT: for: {{epilogue, unrolled x4|unrolled x4, epilogue}}
double dot(int n, const double *x, const double *y) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}
// CHECK: chase
// CHECK-NEXT: while: as written
struct node {
    struct node *next;
    int value;
};
int chase(const struct node *p) {
    int s = 0;
    while (p) {
        s ^= p->value;
        p = p->next;
    }
    return s;
}
// CHECK: cleared
// CHECK-NEXT: for: memcpy or memset
void cleared(int n, long *a) {
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
// CHECK: nest
// CHECK-NEXT: for: unrolled fully
// CHECK-NEXT: for: {{.*}}vector
void nest(int n, float a[restrict 2][1000], const float *restrict b) {
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            a[k][i] += b[i];
}
// CHECK: dead
// CHECK-NEXT: for: no code left
int dead(int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    return n;
}
// The outer loop is unrolled fully: each copy of the inner one is vectorised by itself, the first with more elements at once (as the remarks
// say), and has a remainder in vectors of its own, where it has one at all.
// WIDE: copies
// WIDE-NEXT: for: unrolled fully
// WIDE-NEXT: for: remainder (4 times), vector 4 lanes (3 times), vector 4 lanes x4 [
// TWO: copies
// TWO-NEXT: for: unrolled fully
// TWO-NEXT: for: remainder (4 times), vector 4 lanes (3 times), vector remainder 4 lanes, vector 4 lanes x4 [
void copies(int n, double (*restrict h)[1024], double (*restrict f)[1024], double *restrict t, double *restrict u) {
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < n; i++)
            h[d][i] = d == 0 ? f[d][i] * 2 : f[d][i] * t[i] / u[i] + h[d][i] * t[i] * u[i] + (t[i] - u[i]) / f[d][i];
}
// WIDE: copies_without_rest
// WIDE-NEXT: for: unrolled fully
// WIDE-NEXT: for: vector 4 lanes x4, vector 4 lanes (3 times) [
void copies_without_rest(double (*restrict h)[1024], double (*restrict f)[1024], double *restrict t, double *restrict u) {
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 1024; i++)
            h[d][i] = d == 0 ? f[d][i] * 2 : f[d][i] * t[i] / u[i] + h[d][i] * t[i] * u[i] + (t[i] - u[i]) / f[d][i];
}
