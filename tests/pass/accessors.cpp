// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What C++ reaches through an accessor that cannot be looked through: by its object and arguments. A variable that got its value by a call: by its own name.
// RUN: for g in -g ""; do %cxx $g -O2 -c %s -o %t.o; %map --arrays %t.o | %check; done
#include <cstdlib>
#include <vector>
namespace view_library {
struct layout {
    long stride;
    int kind;
    long offset(long i, long j) const {
        long sum = 0;
        for (int k = 0; k < kind; k++)
            sum += i * stride + j;
        return sum;
    }
};
template <class T> struct reach {
    T *operator()(T *p, long at) const { return p + at; }
};
template <class T> struct view {
    T *kept;
    layout map;
    reach<T> to;
    template <class I, class J> T &operator()(const I &i, J j) const { return *to(kept, map.offset(i, j)); }
    T &operator()(long i) const { return *to(kept, map.offset(i, 0)); }
    T &operator[](long i) const { return *to(kept, map.offset(i, 1)); }
    const T &cell(long i) const { return *to(kept, map.offset(i, 2)); }
    static T &found(long i);
};
} // namespace view_library
using doubles = view_library::view<double>;
using ints = view_library::view<int>;
doubles &chosen(int);
// CHECK-DAG: array p->cell(...): {{.*}}, 8 bytes, through a pointer, in objects
// CHECK-DAG: array this->x(...): {{.*}}, 8 bytes, through a pointer, in kernel::operator()
// CHECK: in {{.*}}accessors.cpp
// CHECK: objects
double objects(doubles &a, doubles *p, doubles b, long n) {
    double s = 0;
    for (long i = 0; i < n; i++) {
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads p->cell(i): not known
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes a(i, 1): not known
        a(i, 1) = p->cell(i);
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads b(2*i): not known
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes a[i + 1]: not known
        a[i + 1] = b(2 * i);
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads view_library::view<double>::found(): irregular
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads chosen()(i): not known
        s += doubles::found(i) + chosen(3)(i);
    }
    return s;
}
// CHECK: values
void values(double *x, double *y, char **argv, std::vector<int> &v) {
    int order = std::atoi(argv[1]);
    int half = v.size() / 2, more = std::atoi(argv[2]) + 4;
    for (int i = 0; i < order; i++)
        for (int j = 0; j < order; j++)
            // CHECK: [[#@LINE+5]]:{{[0-9]+}} reads x[j*order + i]: {{.*}}, 8*order bytes
            // CHECK: [[#@LINE+4]]:{{[0-9]+}} reads x[j*half]: {{.*}}, 8*half bytes
            // CHECK: [[#@LINE+3]]:{{[0-9]+}} reads y[j*more + 1]: {{.*}}, 8*more bytes
            // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads y[i*order + j]: contiguous
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes y[i*order + j]: contiguous
            y[i * order + j] += x[j * order + i] + x[j * half] + y[j * more + 1];
    for (int j = 0; j < order; j++) {
        int k = std::atoi(argv[j]);
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads y[atoi()]: irregular
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes x[k]: irregular
        x[k] = y[std::atoi(argv[j + 1])];
    }
}
struct kernel {
    doubles x;
    ints type;
    double f[8];
    // CHECK: kernel::operator()
    double operator()(long n, ints near) const {
        double s = 0;
        for (long j = 0; j < n; j++)
            // CHECK: [[#@LINE+5]]:{{[0-9]+}} reads this->x(j, 0): not known
            // CHECK: [[#@LINE+4]]:{{[0-9]+}} reads this->type(j): not known
            // CHECK: [[#@LINE+3]]:{{[0-9]+}} reads this->f[this->type(j)]: through an index array this->type
            // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads near[j]: not known
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads this->x(near[j] + 1, 1): not known
            s += x(j, 0) * f[type(j)] + x(near[j] + 1, 1);
        return s;
    }
};
double call_kernel(const kernel &k, long n, ints near) { return k(n, near); }
