// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of a loop's body, where several reads stand at one place of the source, or loops have no code of their own.
// RUN: %cc -O2 -c %s -o %t.o; %map %t.o | %check
double *w, **rows;
struct box {
    double *x, *y;
} *box;
// CHECK: global_pointer
// CHECK-NEXT: for: as written
// CHECK-NEXT: for: unrolled x2
double global_pointer(int n) {
    double s = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 21998; i++)
            s += w[i] * w[i] + k / (w[i] + 1);
    return s;
}
// CHECK: outer
// CHECK-NEXT: for: unrolled x2
// CHECK-NEXT: for: unrolled x2 (3 times)
double outer(int n) {
    double s = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 21998; i++)
            s += w[i] * k;
    return s;
}
// CHECK: member
// CHECK-NEXT: for: unrolled x5
double member(void) {
    double s = 0;
    for (int i = 0; i < 20000; i++)
        s += box->x[i] * box->y[i];
    return s;
}
// CHECK: row
// CHECK-NEXT: for: {{epilogue, unrolled x8|unrolled x8, epilogue}}
double row(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += rows[3][i];
    return s;
}
// CHECK: addresses
// CHECK-NEXT: for: {{epilogue, unrolled x8|unrolled x8, epilogue}}
long addresses(int n) {
    long s = 0;
#pragma clang loop vectorize(disable)
    for (int i = 0; i < n; i++)
        s += (long)rows[i];
    return s;
}
// CHECK: interleaved
// CHECK-NEXT: for: unrolled x4
int interleaved(const int *a, int n) {
    int s = 0;
#pragma clang loop vectorize_width(1) interleave_count(4)
    for (int i = 0; i < n; i++)
        s += a[i] * a[i];
    return s;
}
// CHECK: peeled
// CHECK-NEXT: for: {{.*}}unrolled x8, peeled
int peeled(int *a, int n) {
    int x = 7;
#pragma clang loop vectorize(disable)
    for (int i = 0; i < n; i++) {
        a[i] = x;
        x = i * a[i];
        if (i == 0)
            a[0] = 3;
    }
    return x;
}
// What one macro reads and writes twice at one place is twice there, and no loop of these is unrolled.
struct value {
    union {
        long i;
        double d;
    } u;
    unsigned char tag;
};
#define SET(a, b)                 \
    {                             \
        struct value *x = (a);    \
        const struct value *y = (b); \
        x->u = y->u;              \
        x->tag = y->tag;          \
    }
// CHECK: reverse
// CHECK-NEXT: for: as written
void reverse(struct value *from, struct value *to) {
    for (; from < to; from++, to--) {
        struct value t;
        SET(&t, from);
        SET(from, to);
        SET(to, &t);
    }
}
// CHECK: down
// CHECK-NEXT: for: as written
void down(struct value *top, struct value *at) {
    struct value *p;
    for (p = top; p > at; p--)
        SET(p, p - 1);
}
