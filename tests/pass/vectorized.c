// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the vectoriser made is called vector code, whatever unrolling made of it. The compiler's own remarks say first that it is so here.
// RUN: %cc -O2 -mno-avx -Rpass=loop-vectorize -w -c %s -o %t.o 2> %t.said; FileCheck-19 --input-file %t.said --check-prefix SAID %s; %map %t.o | %check
// RUN: %cc -O3 -mavx2 -w -c %s -o %t.wide.o; %map %t.wide.o > %t.wide; FileCheck-19 --input-file %t.wide --check-prefix WIDE %s
double from[4096], to[4096];

// Unrolled so that only another copy's test ends it: the way back is no branch, and has no note.
// SAID: vectorized.c:[[#@LINE+4]]:{{.*}}vectorized loop (vectorization width: 2, interleaved count: 2)
// CHECK: rest_of_two
// CHECK-NEXT: for: vector 2 lanes x4 [
void rest_of_two(void) {
    for (int i = 0; i < 4094; i++)
        to[i] = 0.5 * from[i];
}
// SAID: vectorized.c:[[#@LINE+4]]:{{.*}}vectorized loop (vectorization width: 2, interleaved count: 2)
// CHECK: rest_of_none
// CHECK-NEXT: for: vector 2 lanes x4 [
void rest_of_none(void) {
    for (int i = 0; i < 4092; i++)
        to[i] = 0.5 * from[i];
}
// SAID: vectorized.c:[[#@LINE+4]]:{{.*}}vectorized loop (vectorization width: 2, interleaved count: 2)
// CHECK: rest_of_three
// CHECK-NEXT: for: vector 2 lanes x4 [
void rest_of_three(void) {
    for (int i = 0; i < 4095; i++)
        to[i] = 0.5 * from[i];
}
// The test that is left has no place.
// SAID: vectorized.c:[[#@LINE+5]]:{{.*}}vectorized loop (vectorization width: 2, interleaved count: 2)
// CHECK: downwards
// CHECK-NEXT: do-while: vector 2 lanes x4
void downwards(double *restrict x, const double *restrict y) {
    int i = 100;
    do
        x[i] = y[i] * 2 + 1;
    while (--i);
}
// Pragmas: the loop after it has a note of its own, and the vectoriser's is in a note within.
// SAID: vectorized.c:[[#@LINE+5]]:{{.*}}vectorized loop (vectorization width: 2, interleaved count: 2)
// CHECK: wanted_count
// CHECK-NEXT: for: vector 2 lanes x8
void wanted_count(void) {
#pragma clang loop unroll_count(4)
    for (int i = 0; i < 1003; i++)
        to[i] = 0.5 * from[i];
}
// SAID: vectorized.c:[[#@LINE+5]]:{{.*}}vectorized loop (vectorization width: 4, interleaved count: 2)
// CHECK: wanted_both
// CHECK-NEXT: for: remainder x2, vector 4 lanes x2
void wanted_both(int n) {
#pragma clang loop vectorize_width(4) unroll_count(2)
    for (int i = 0; i < n; i++)
        to[i] = 0.5 * from[i];
}
// Not the vectoriser's: the loop is scalar, its operations in a row are packed.
// SAID-NOT: vectorized.c:[[#@LINE+4]]:
// CHECK: in_a_row
// CHECK-NEXT: for: unrolled (parts packed by 2) x2
void in_a_row(void) {
    for (int i = 0; i < 1000; i++) {
        to[i * 2] = to[i * 2] * from[i] + 1;
        to[i * 2 + 1] = to[i * 2 + 1] * from[i] + 2;
        from[i + 1] = to[i * 2];
    }
}
// The body is unrolled fully, and a scalar loop stays: whether for its rest or for arrays that overlap isn't known.
// SAID: vectorized.c:[[#@LINE+4]]:{{.*}}vectorized loop
// WIDE: body_in_a_row
// WIDE-NEXT: for: remainder or fall-back x4, vector unrolled fully 4 lanes
void body_in_a_row(double *x, double *y) {
    for (int i = 0; i < 100; i++)
        x[i] = y[i] * 2 + 1;
}
// Of two loops the outer one was vectorised, after the inner one had been unrolled; then it was, too.
// SAID: vectorized.c:[[#@LINE+5]]:{{.*}}vectorized loop
// CHECK: both_gone
// CHECK-NEXT: for: vector unrolled fully 2 lanes
// CHECK-NEXT: for: vector unrolled fully 2 lanes
void both_gone(void) {
    for (int j = 0; j < 10; j++)
        for (int i = 0; i < 4; i++)
            to[i + j * 4] = 0.5 * from[i + j * 4];
}
// The vectoriser's scalar rest is none of its vector code, though its operations in a row are packed.
// WIDE: packed_rest
// WIDE-NEXT: for: remainder, vector 8 lanes
// WIDE-NEXT: for: vector unrolled fully 8 lanes, unrolled fully (parts packed by 4)
int numbers[4096];
int packed_rest(int n) {
    int sum = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 7; i++)
            sum += numbers[i + j * 4];
    return sum;
}
// What is left of a vector loop inside, as the sum of its vector and copies of a number in one, is none of the loop's own.
// SAID: vectorized.c:[[#@LINE+8]]:{{.*}}vectorized loop
// CHECK: sum_inside
// CHECK-NEXT: for: as written [
// CHECK-NEXT: for: remainder
int sum_inside(int rows, int n) {
    int most = 1;
    for (int j = 0; j < rows; j++) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += numbers[i + j * n] * (j ^ rows);
        most = most / (1 + (sum & 7)) + j;
    }
    return most;
}
