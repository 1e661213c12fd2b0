// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References of loops inside small procedures that they call, which return a value or store one.
// RUN: for g in -gline-tables-only -g; do for o in 1 2; do %cxx $g -O$o -c %s -o %t.$o.o; %map --arrays %t.$o.o | %check; done; done
// CHECK-NOT: not in the generated code
inline double get(const double *d, long i) { return d[i]; }
inline void set(double *d, long i, double x) { d[i] = x; }
// CHECK: {{[0-9]+}}-{{[0-9]+}} plain
double plain(double *x, double *y, long n, long s) {
    double sum = 0;
    for (long i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads x[i*s]: {{.*}}8*s bytes
        sum += get(x, i * s);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads x[i + 3]: contiguous
        sum += get(x + 3, i);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes y[i]: contiguous
        set(y, i, sum);
    }
    return sum;
}
struct matrix {
    double *d;
    long rows;
    long ld() const { return rows; }
    double coeff(long i, long j) const { return d[i + j * ld()]; }
};
struct row {
    const matrix &m;
    long i;
    double coeff(long j) const { return m.coeff(i, j); }
};
// CHECK: classes
double classes(const matrix &m, const row &r, const row *other, long n) {
    double sum = 0;
    for (long j = 0; j < n; j++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads m->d[2*m->rows + j]: contiguous
        sum += m.coeff(j, 2);
        // CHECK-DAG: [[#@LINE+2]]:{{[0-9]+}} reads r->m->d[{{.*}}]: {{.*}}8*r->m->rows bytes
        // CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}} reads other->m->d[{{.*}}]: {{.*}}8*other->m->rows bytes
        sum += r.coeff(j) * other->coeff(j);
    }
    return sum;
}
struct sparse {
    const int *column;
    const double *value;
    int index(long k) const { return column[k]; }
    double take(const double *x, long k) const { return value[k] * x[index(k)]; }
};
// CHECK: through
double through(const sparse &a, const double *x, long n) {
    double sum = 0;
    for (long k = 0; k < n; k++)
        // CHECK-DAG: [[#@LINE+3]]:{{[0-9]+}} reads a->column[k]: contiguous
        // CHECK-DAG: [[#@LINE+2]]:{{[0-9]+}} reads a->value[k]: contiguous
        // CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}} reads x[a->column[k]]: through an index array
        sum += a.take(x, k);
    return sum;
}
// what an iterator reads moves as ++ says: no step is told of it
struct walker {
    const double *at, *data;
    long k;
    double value() const { return *at; }
    double element() const { return data[k]; }
    void next() { ++at, ++k; }
};
// CHECK: walks
double walks(walker &w, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++, w.next()) {
        // CHECK-NOT: [[#@LINE+1]]:{{[0-9]+}} reads {{.*}}: the same
        sum += w.value();
        // CHECK-NOT: [[#@LINE+1]]:{{[0-9]+}} reads {{.*}}: the same
        sum += w.element();
    }
    return sum;
}
// what is not put in line reads in its own place
__attribute__((noinline)) double apart(const double *d, long i) { return d[i]; }
// CHECK: calls
double calls(const double *z, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        // CHECK-NOT: reads z
        sum += apart(z, i);
    return sum;
}
struct point {
    double x, y, z;
};
struct points {
    point *p;
    point get(long i) const { return p[i]; }
    double y(long i) const { return p[i].y; }
};
// CHECK: structures
double structures(const points &all, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads all->p[i]: contiguous
        sum += all.get(i).x;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads all->p[].y[i]: constant, 24 bytes
        sum += all.y(i);
    }
    return sum;
}
