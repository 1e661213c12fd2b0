// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What keeps a loop scalar where it has ways out that are no exit of the source: calls that may throw, and a switch without a default.
// RUN: %cxx -g -O2 -c %s -o %t.o; %map --remarks %t.o > %t.map; %check < %t.map
struct held {
    held();
    ~held();
};
double far(double);
// CHECK: may_throw
// CHECK-NEXT: for: as written
// CHECK-NOT: leaves before
// CHECK-NOT: [loop-vectorize: control flow]
// CHECK-DAG: could not determine number of loop iterations [loop-vectorize: call that has no vector form]
// CHECK-DAG: loop contains a switch statement [loop-vectorize: call that has no vector form]
double may_throw(const double *a, int n) {
    held h;
    double s = 0;
    for (int i = 0; i < n; i++)
        s += far(a[i]);
    return s;
}
// CHECK: caught
// CHECK-NOT: [loop-vectorize: control flow]
// CHECK: [loop-vectorize: call that has no vector form]
int caught(const double *a, int n) {
    int bad = 0;
    for (int i = 0; i < n; i++)
        try {
            far(a[i]);
        } catch (...) {
            bad++;
        }
    return bad;
}
// CHECK: stops
// CHECK-NOT: [loop-vectorize: call
// CHECK: leaves before its count is reached]
double stops(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            throw i;
        s += a[i];
    }
    return s;
}
// CHECK: all_cases
// CHECK-NOT: leaves before
// CHECK: [loop-vectorize: control flow]
void all_cases(int *a, int n) {
    for (int i = 0; i < n; i++)
        switch (a[i] & 3) {
        case 0: a[i] += 4; break;
        case 1: a[i] ^= 12; break;
        case 2: a[i] -= 4; break;
        default: a[i] = a[i] * 5 + 3;
        }
}
// CHECK: last
void last() {}
// Names are those of the source, not symbols.
struct kept {
    double *v;
    __attribute__((noinline)) double value(int k) const { return v[k] * 2; }
    double all(int n) const;
};
// CHECK: kept::all
// CHECK: 'kept::value' not inlined into 'kept::all' because it should never be inlined
double kept::all(int n) const {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += value(i);
    return s;
}
