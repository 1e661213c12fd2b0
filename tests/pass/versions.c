// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of loops at -O3.
// RUN: %cc -g -O3 -c %s -o %t.o; %map %t.o | %check
// CHECK: doubled
// CHECK-NEXT: for: remainder, vector 4 lanes x2
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
