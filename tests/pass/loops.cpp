// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and procedures of C++: range-for, lambda, template instances, methods, names without parameters.
// RUN: for o in 0 1 2 3; do %cxx -g -O$o -c %s -o %t.$o.o; %map %t.$o.o | %check; done
// CHECK: loops.cpp: C++,

namespace shapes {
// CHECK-DAG: [[#@LINE+2]]-[[#@LINE+8]] shapes::sum<int>
// CHECK-DAG: [[#@LINE+1]]-[[#@LINE+7]] shapes::sum<double>
template <class T> T sum(const T *from, const T *to) {
    T s{};
    // CHECK-DAG: [[#@LINE+1]]-[[#@LINE+2]] while:
    while (from != to)
        s += *from++;
    return s;
}

struct box {
    int length;
    int cells[8];
    const int *begin() const { return cells; }
    const int *end() const { return cells + length; }
    // CHECK-DAG: [[#@LINE+1]]-[[#@LINE+7]] shapes::box::total
    int total() const {
        int t = 0;
        // CHECK-DAG: [[#@LINE+1]]-[[#@LINE+2]] range-for:
        for (int c : *this)
            t += c;
        return t;
    }
};
} // namespace shapes

template <class F> static int apply(int n, F f) {
    int t = 0;
    for (int i = 0; i < n; ++i)
        t += f(i);
    return t;
}

// CHECK-DAG: [[#@LINE+1]]-[[#@LINE+15]] use
int use(const shapes::box &b, const double *from, const double *to) {
    double d = shapes::sum(from, to);
    int i = shapes::sum(b.begin(), b.end());
    // CHECK-DAG: [[#@LINE+1]]-[[#@LINE+7]] use(shapes::box const&, double const*, double const*)::$_0::operator()
    int n = apply(b.length, [&](int k) {
        int product = 1;
        // CHECK-DAG: [[#@LINE+1]]-[[#@LINE+2]] for:
        for (int j = 1; j <= k; ++j)
            product *= b.cells[j & 7];
        return product;
    });
    for (auto &c : b.cells)
        n += c;
    return n + i + static_cast<int>(d) + b.total();
}
