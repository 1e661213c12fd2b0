// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of unions in C++: of elements of containers, behind base classes and after casts to derived ones.
// RUN: for o in 0 2; do %cxx -g -O$o -c %s -o %t.$o.o; %map --arrays %t.$o.o | %check; done
#include <vector>

template <class T> struct vec {
    union {
        struct {
            T x, y, z;
        };
        T v[3];
        struct {
            T r, g, b;
        } c;
    };
    T &operator[](int i) { return v[i]; }
};
namespace ns {
struct part {
    vec<float> p;
    union {
        vec<double> q;
        long raw[3];
    };
};
} // namespace ns
struct base {
    int k;
    union {
        double d;
        long l;
    };
};
struct derived : base {
    double e;
};

double elements(std::vector<ns::part> &a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a[].p.y[i]:
        s += a[i].p.y;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a[].q.z[i]:
        s += a[i].q.z;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a[].p.c.g[i]:
        s += a[i].p.c.g;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a[].raw[i][1]:
        s += a[i].raw[1];
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a[].p.v[i][2]:
        s += a[i].p[2];
    }
    return s;
}

double bases(derived *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        base *b = &a[i];
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a[].d[i]:
        s += b->d;
        derived *back = static_cast<derived *>(b);
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads a[].e[i]:
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads a[].l[i]:
        s += back->e + back->l;
    }
    return s;
}

double pointers(base **a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        derived *d = static_cast<derived *>(a[i]);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads d[]->e[i]:
        s += d->e;
    }
    return s;
}
