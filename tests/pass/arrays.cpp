// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References of C++ that go through calls before inlining: containers, members, classes with operators.
// RUN: for o in 0 2; do %cxx -g -O$o -c %s -o %t.$o.o; %map --arrays %t.$o.o | %check; done
// what a container holds is the element, not the container, also of one in another
// CHECK-DAG: array rows[?][?]: double, 8 bytes, heap, in nested
// CHECK-DAG: array rows[?]: {{.*}}vector<double{{.*}}, 24 bytes, heap, in nested
// CHECK-DAG: array kept[?]: float, 4 bytes, heap, in nested
// CHECK: in {{.*}}arrays.cpp
#include <array>
#include <vector>
struct matrix {
    int columns;
    std::vector<double> data;
    double &operator()(int i, int j) { return data[i * columns + j]; }
};
struct domain {
    std::vector<double> m_x;
    double *m_y;
    double &x(int i) { return m_x[i]; }
    double &y(int i) { return m_y[i]; }
};
// CHECK: containers
void containers(std::vector<double> &v, const std::vector<int> &index, std::array<double, 8> &a, int n) {
    for (int i = 1; i < n; i++) {
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads v[i - 1]: contiguous
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes v[i]: contiguous
        v[i] = v[i - 1];
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads index[i]: contiguous
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes v[index[i]]: through an index array index
        v[index[i]] = 1;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes a[2]: the same address
        a[2] = 3;
    }
}
// CHECK: classes
void classes(matrix &m, domain &d, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            // CHECK: [[#@LINE+3]]:{{[0-9]+}} reads d->m_x[i]: the same address
            // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads d->m_y[j]: contiguous
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes m->data[i*m->columns + j]: contiguous
            m(i, j) = d.x(i) + d.y(j);
        }
}
// CHECK: nested
void nested(std::vector<std::vector<double>> &rows, const std::vector<float> &kept, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads kept[j]: contiguous
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes rows[i][j]: contiguous
            rows[i][j] = kept[j];
}
void change(int &value);
// a reference to a constant changes nothing; one that may is not known after the call
// CHECK: handed
void handed(std::vector<int> &found, const double *x, double *y, double *z, int n) {
    for (int i = 0; i < n; i++) {
        if (x[i] > 0)
            found.push_back(i);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes y[i]: contiguous
        y[i] = 1;
    }
    for (int k = 0; k < n; k++) {
        change(k);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes z[k]: irregular
        z[k] = 1;
    }
}
struct point {
    double x, y, z;
};
// CHECK: ranges
double ranges(const std::vector<point> &p, std::vector<double> &v, std::vector<std::vector<float>> &rows) {
    double s = 0;
    for (const auto &q : p)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads p[].y[q]: constant, 24 bytes
        s += q.y;
    // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v[each]: contiguous
    for (double each : v)
        s += each;
    for (auto &row : rows)
        for (auto &x : row)
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes rows[row][x]: contiguous
            x = 0;
    for (std::vector<point>::iterator i = const_cast<std::vector<point> &>(p).begin(), end = const_cast<std::vector<point> &>(p).end(); i != end; ++i)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes p[].z[i]: constant, 24 bytes
        i->z = s;
    return s;
}
// iterators that go on by other steps, or stand still now and then, tell no step
// CHECK: no_ranges
double no_ranges(std::vector<point> &p) {
    double s = 0;
    for (auto i = p.begin(); i != p.end(); ++i) {
        // CHECK-NOT: p[].y[i]
        s += i->y;
        if (s > 3)
            ++i;
    }
    for (auto i = p.begin(); i != p.end();)
        // CHECK-NOT: p[].x[i]
        if (i->x > 0)
            i = p.erase(i);
        else
            ++i;
    return s;
}
// a structure that each iteration copies from an array: what is in it goes with that
struct particle {
    float x, y, z;
    int type;
};
// CHECK: copied
float copied(const particle *p, const float *force, int n, const particle me) {
    float s = 0;
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads p[i]: contiguous
        const particle here = p[i];
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads force[here.type]: through an index array
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads force[me.type]: the same address
        s += force[here.type] * here.x + force[me.type];
    }
    return s;
}
