// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop order where elements are reached by small procedures that only read.
// RUN: for o in 1 2; do %cxx -O$o -g -c %s -o %t.$o.o || exit 1; %map --remarks %t.$o.o | %check; done
struct matrix {
    double *d;
    long rows;
    long at(long i, long j) const { return i + j * rows; }
    double get(long i, long j) const { return d[at(i, j)]; }
    double &operator()(long i, long j) { return d[at(i, j)]; }
    void set(long i, long j, double x) const { d[at(i, j)] = x; }
};
// CHECK: sums
// CHECK: m->d[{{.*}}] goes on by 8*m->rows bytes from one iteration to the next; with the loops over i (line [[#@LINE+4]]) and j (line [[#@LINE+5]]) exchanged, by 8 bytes
// CHECK-NOT: exchanged
double sums(const matrix &m, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            sum += m.get(i, j);
    return sum;
}
// CHECK: scales
// CHECK: b->d[{{.*}}] and others go on by 8*b->rows bytes from one iteration to the next; with the loops over i (line [[#@LINE+3]]) and j (line [[#@LINE+4]]) exchanged, by 8 bytes
// CHECK-NOT: exchanged
void scales(matrix &a, const matrix &b, long n) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            a(i, j) = 2 * b.get(i, j);
}
// what is written inside a call is not compared with what is read
// CHECK: shifts
// CHECK-NOT: exchanged
void shifts(const matrix &m, long n) {
    for (long i = 1; i < n; i++)
        for (long j = 1; j < n; j++)
            m.set(i, j, m.get(i - 1, j + 1));
}
double (*volatile hook)(long);
struct hooked {
    double *d;
    long rows;
    double get(long i, long j) const { return d[i + j * rows] + hook(i); }
};
// CHECK: hooks
// CHECK-NOT: exchanged
double hooks(const hooked &m, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            sum += m.get(i, j);
    return sum;
}
