// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that are written in vectors are refused nothing, whatever keeps the vectoriser from them.
// RUN: %cc -O2 -w -c %s -o %t.o; %map --remarks %t.o | %check
// RUN: %map --format=csv %t.o > %t.csv; FileCheck-19 --input-file %t.csv --check-prefix CSV %s
// RUN: %cc -O2 -w -fPIC -shared -flto -fuse-ld=lld %s -o %t.lto.so; %map --remarks %t.lto.so > %t.lto.map; FileCheck-19 --input-file %t.lto.map %s; FileCheck-19 --input-file %t.lto.map --check-prefix LTO %s
typedef float four __attribute__((vector_size(16)));
typedef int ints __attribute__((vector_size(16)));

// CHECK: scales
// CHECK-NEXT: for:
// CHECK-NOT: not vectorized
// CHECK: written in vectors
// CHECK-NOT: not vectorized
// CSV: vectors.c,scales,scales,{{.*}}"none needed: it is written in vectors, by vector types or intrinsics"
void scales(four *restrict a, const four *restrict b, long n) {
    for (long i = 0; i < n; i++)
        a[i] = a[i] * b[i] + b[i];
}
// LTO: (written at link time)
// LTO: finds
// LTO-NOT: not vectorized
// LTO: mixed
// CHECK: finds
// CHECK-NOT: not vectorized
// CHECK: written in vectors
// CHECK-NOT: not vectorized
long finds(const ints *a, ints what, long n) {
    for (long i = 0; i < n; i++) {
        ints same = a[i] == what;
        if (same[0] | same[1] | same[2] | same[3])
            return i;
    }
    return -1;
}

// One inlined into another procedure is told by the copy: this one is scalars, and refused.
static inline __attribute__((always_inline)) int mixes(const void *from, int *out, long n, int vectors) {
    int sum = 0;
    for (long i = 0; i < n; i++)
        if (vectors) {
            ints x = ((const ints *)from)[i];
            x = x * x + x;
            ((ints *)out)[i] = x;
        } else {
            sum = sum * 31 + ((const int *)from)[i];
            out[sum & 7] = sum;
        }
    return sum;
}
// CHECK: mixes
// CHECK-DAG: written in vectors
// CHECK-DAG: not vectorized
int mixed(const void *from, int *out, long n) { return mixes(from, out, n, 1); }
int scalar(const void *from, int *out, long n) { return mixes(from, out, n, 0); }

// Few vectors in much else are no vector code.
// CHECK: few
// CHECK-NOT: written in vectors
// CHECK: not vectorized
// CHECK-NOT: written in vectors
int few(const int *a, four *b, long n) {
    int s = 0;
    for (long i = 0; i < n; i++) {
        s = (s ^ a[i]) * 17 + a[s & 3];
        s = (s ^ a[i + 1]) * 19 + (s >> 2);
        b[0] += b[1];
    }
    return s;
}
