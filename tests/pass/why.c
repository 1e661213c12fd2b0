// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a loop is vector code or is not: outcome, reason, and the dependences with their distance. The truth is in the code
// of each procedure.
// RUN: %cc -g -O2 -c %s -o %t.o; %map --remarks %t.o > %t.map; %check < %t.map; test $(grep -c dependence, %t.map) = 11
// RUN: %cc -g -O2 -flto=thin -c %s -o %t.lto.o; %cc -g -O0 -c %s -o %t.0.o; %map --remarks %t.0.o > %t.0.map; ! grep -q loop-vectorize %t.0.map
// CHECK: copy
// CHECK-NEXT: for: memcpy or memset
// CHECK-NEXT: Formed a call to llvm.memcpy{{.*}} [loop-idiom]
void copy(int n, double *restrict a, const double *restrict b) {
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}
// CHECK: anti
// CHECK-NEXT: for: remainder, vector 2 lanes
// CHECK: [[#@LINE+3]]:16: anti dependence, read here, written at [[#@LINE+3]]:14 1 iteration later; does not hinder
void anti(int n, double *a) {
    for (int i = 0; i < n; i++)
        a[i] = a[i + 1] + 1;
}
// CHECK: flow4
// CHECK-NEXT: for: remainder, vector 2 lanes
// CHECK: [[#@LINE+3]]:14: flow dependence, written here, read at [[#@LINE+3]]:16 4 iterations later; bounds the vector width
void flow4(int n, double *a) {
    for (int i = 4; i < n; i++)
        a[i] = a[i - 4] + 1;
}
// CHECK: may
// CHECK-NEXT: for: {{.*}}vector 2 lanes
// CHECK: 1 comparison of addresses at run time, of the accesses at [[#@LINE+3]]:16, [[#@LINE+3]]:14
void may(int n, double *a, double *b) {
    for (int i = 0; i < n; i++)
        a[i] = b[i] + 1;
}
// CHECK: flow1
// CHECK-NEXT: for:
// CHECK: [[#@LINE+4]]:14: loop not vectorized: unsafe dependent memory{{.*}} [loop-vectorize: dependence between iterations]
// CHECK: [[#@LINE+3]]:14: flow dependence, written here, read at [[#@LINE+3]]:16 1 iteration later; prevents vector code
void flow1(int n, double *a) {
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * 0.5 + a[i];
}
// CHECK: flow3
// CHECK: [loop-vectorize: dependence between iterations]
// CHECK: [[#@LINE+3]]:14: flow dependence, written here, read at [[#@LINE+3]]:16 3 iterations later; vector code would wait
void flow3(int n, double *a) {
    for (int i = 3; i < n; i++)
        a[i] = a[i - 3] * 0.5 + a[i];
}
// CHECK: fpsum
// CHECK: [loop-vectorize: order of floating-point operations]
double fpsum(int n, const double *a) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
// CHECK: indirect
// CHECK: [loop-vectorize: address read from memory in the loop]
void indirect(int n, int *a, const int *ix) {
    for (int i = 0; i < n; i++)
        a[ix[i]] += 1;
}
// CHECK: early
// CHECK: [loop-vectorize: leaves before its count is reached]
int early(int n, const int *a, int k) {
    for (int i = 0; i < n; i++)
        if (a[i] == k)
            return i;
    return -1;
}
int opaque(int);
// CHECK: call
// CHECK-NEXT: for: as written
// CHECK: [loop-vectorize: call that has no vector form]
void call(int n, int *a) {
    for (int i = 0; i < n; i++)
        a[i] = opaque(a[i]);
}
struct node {
    struct node *next;
    int v;
};
// CHECK: chase
// CHECK: [loop-vectorize: value carried from one iteration to the next]
// CHECK: [loop-vectorize: number of iterations not known on entry]
int chase(const struct node *p) {
    int s = 0;
    while (p) {
        s += p->v;
        p = p->next;
    }
    return s;
}
// CHECK: selects
// CHECK: [loop-vectorize: control flow]
void selects(int n, const int *a, int *b) {
    for (int i = 0; i < n; i++)
        switch (a[i]) {
        case 1: b[i] = 2; break;
        case 2: b[i] += 3; break;
        default: b[i] = 7;
        }
}
// CHECK: disabled
// CHECK: [heatscope: switched off by the programmer]
void disabled(int n, int *a) {
#pragma clang loop vectorize(disable)
    for (int i = 0; i < n; i++)
        a[i] += 3;
}
// CHECK: may_change
// CHECK: [loop-vectorize: volatile or atomic access]
void may_change(int n, volatile int *a) {
    for (int i = 0; i < n; i++)
        a[i] += 3;
}
// CHECK: strided
// CHECK: [loop-vectorize: would not pay, says the cost model]
void strided(int n, long *a, const long *b) {
    for (int i = 0; i < n; i++)
        a[17 * i] = b[33 * i] / 7;
}
// CHECK: wraps
// CHECK: [loop-vectorize: more would have to be checked at run time than the compiler allows]
void wraps(unsigned n, unsigned s, unsigned t, double *y, const double *x, const double *z) {
    for (unsigned i = 0; i < n; i++) {
        unsigned p = i + s * t;
        y[p] = x[p - 1] + x[p + 1] + x[p - s] + x[p + s] + x[p - t] + x[p + t] + z[p - s - t] + z[p + s + t] + z[p - s + t] + z[p + s - t] + z[p - s - 1] + z[p - s + 1] +
               z[p + s - 1] + z[p + s + 1] + z[p - t - 1] + z[p - t + 1] + z[p + t - 1] + z[p + t + 1];
    }
}
// CHECK: largest
// CHECK: [loop-vectorize: largest or smallest of floating-point numbers, of which NaN and the sign of zero count]
double largest(int n, double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        a[i] += b[i];
        most = b[i] > most ? b[i] : most;
    }
    return most;
}
// CHECK: carried
// CHECK: [loop-vectorize: value carried from one iteration to the next]
double carried(int n, const double *b) {
    double was = 0, sum = 1;
    for (int i = 0; i < n; i++) {
        sum = b[i] > 2 ? sum * was : sum + 1;
        was = b[i] / (sum + 3);
    }
    return was;
}
// one loop, vector code in one copy and refused in the other: each remark names its copy
// CHECK: scale
// CHECK-NEXT: for:
// CHECK-DAG: vectorized loop (vectorization width: 2{{.*}}(copy inlined at [[#@LINE+8]]:5 into apart)
// CHECK-DAG: prevents vector code (copy inlined at [[#@LINE+10]]:5 into shifted)
static inline __attribute__((always_inline)) void scale(int n, double *a, const double *b) {
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 3;
}
double x[1000], y[1000];
void apart(void) {
    scale(1000, x, y);
}
void shifted(void) {
    scale(999, x + 1, x);
}
// what is said of many copies alike is said once, with the first of them
// CHECK: sum_of
// CHECK: [[#@LINE+5]]:11: loop not vectorized: {{.*}}order of floating-point operations] (5 copies, inlined at [[#@LINE+9]]:12 into sum1; at [[#@LINE+11]]:46 into sum2; at [[#@LINE+12]]:46 into sum3; 2 more)
// CHECK-NOT: order of floating-point operations] (
static inline __attribute__((always_inline)) double sum_of(int n, const double *a) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
double sum1(int n, const double *a) {
    return sum_of(n, a) + 1;
}
double sum2(int n, const double *a) { return sum_of(n, a) + 2; }
double sum3(int n, const double *a) { return sum_of(n, a) + 3; }
double sum4(int n, const double *a) { return sum_of(n, a) + 4; }
double sum5(int n, const double *a) { return sum_of(n, a) + 5; }
// a call that is not inlined says why
// CHECK: calls_it
// CHECK: call of never: {{.*}}inline: attributes or properties forbid it]
__attribute__((noinline)) int never(int n) {
    return n * opaque(n);
}
int calls_it(int n) {
    return never(n) + never(n + 1);
}
// two loops one after the other, entered by a test: looked at in the form in which the vectoriser sees them
// CHECK: sweeps
// CHECK: for: unrolled x2
// CHECK: [[#@LINE+7]]:18: flow dependence, written here, read at [[#@LINE+7]]:34 1 iteration later; prevents vector code
// CHECK: for: unrolled x2
// CHECK: [[#@LINE+7]]:18: flow dependence, written here, read at [[#@LINE+7]]:28 1 iteration later; prevents vector code
void sweeps(long n, long rows, double *d0, const double *restrict b, const double *restrict c) {
    for (long j = 0; j < rows; j++) {
        double *restrict d = &d0[j * n];
        for (long i = 1; i < n; i++)
            d[i] = (d[i] + 0.5 * d[i - 1]) * b[i];
        for (long i = n - 2; i >= 0; i--)
            d[i] += c[i] * d[i + 1];
    }
}
// what is said of a block inside the loop, and of a procedure inlined into it, is the loop's; an index that is made of what is read is an address from memory
// CHECK: lookups
// CHECK: for: as written
// CHECK-NOT: no reason of the compiler is known
// CHECK: [[#@LINE+5]]:20: loop not vectorized: cannot identify array bounds [loop-vectorize: address read from memory in the loop] (copy inlined at [[#@LINE+9]]:16 into lookups)
static inline __attribute__((always_inline)) float look_up(const float *t, double x) {
    if (x > 9)
        return 1;
    int k = (int)(x * 400);
    return (float)(t[k] * x + t[k + 1]);
}
void lookups(int n, float *a, const double *b, const float *t) {
    for (int i = 0; i < n; i++)
        a[i] = look_up(t, b[i]);
}
// steps that only the run knows: what vector code asks of them
// CHECK: any_step
// CHECK: [[#@LINE+3]]:16: vector code is for a step of one element only, and a check before the loop finds out whether this access has it [heatscope]
void any_step(long n, long s, double *restrict a, const double *restrict b) {
    for (long i = 0; i < n; i++)
        a[i] = b[i * s] * 2 + 1;
}
// Where it is, too: no option makes vectors of that.
// CHECK: largest_at
// CHECK: [loop-vectorize: value carried from one iteration to the next]
int largest_at(int n, const float *a) {
    int at = 0;
    float most = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] > most) {
            at = i;
            most = a[i];
        }
    return at;
}
