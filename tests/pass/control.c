// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control of loops, fall-backs and remainders told apart, peeling, and the directives that calls of the OpenMP run time come
// from.
// RUN: %cc -g -O3 -fopenmp -c %s -o %t.o; %map %t.o | %check; %dump %t.o | %check --check-prefix=DUMP
// CHECK: aliased
// CHECK-NEXT: for: {{.*}}remainder or fall-back{{.*}} [i = 0; i < n]
void aliased(int n, float *a, const float *b) {
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2;
}
// CHECK: cleared
// CHECK-NEXT: for: memcpy or memset [i = 0; i < n]{{$}}
void cleared(int n, double *a) {
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
// CHECK: fixed
// CHECK-NEXT: for: fall-back{{.*}} [i = 0; i < 1024; 1024 iterations]
void fixed(float *a, const float *b) {
    for (int i = 0; i < 1024; i++)
        a[i] = b[i] * 2;
}
// CHECK: bytes
// CHECK-NEXT: for: {{.*}}vector remainder 4 lanes
void bytes(int n, unsigned char *restrict a) {
    for (int i = n; i-- > 0;)
        a[i] += 3;
}
// CHECK: peel
// CHECK-NEXT: for: {{.*}}peeled
void peel(int n, double *a) {
    double first = 1;
    for (int i = 0; i < n; i++) {
        a[i] += first;
        if (i == 0)
            first = a[0] / 3;
    }
}
// CHECK: {{  }}omp
// DUMP: directive {{.*}}constructs=3(parallel|loop) text="parallel for collapse(2) schedule(static)"
// DUMP-DAG: role=1(fork)
// DUMP-DAG: role=2(static_init)
// DUMP-DAG: role=7(implicit_barrier)
// DUMP-DAG: role=8(reduction)
double omp(int n, double *a, double (*m)[64]) {
    double s = 0;
// CHECK-DAG: [[#@LINE+1]]    omp parallel for collapse(2) schedule(static): fork of the threads, own share
#pragma omp parallel for collapse(2) \
    schedule(static)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 64; j++)
            m[i][j] += 1;
// CHECK-DAG: [[#@LINE+1]]    omp parallel reduction(+ : s): fork of the threads, reduction
#pragma omp parallel reduction(+ : s)
    {
// CHECK-DAG: [[#@LINE+1]]    omp for schedule(dynamic, 4): {{.*}}barrier at the end of a construct
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < n; i += 2)
            s += a[i];
// CHECK-DAG: [[#@LINE+1]]    omp critical(x): begin or end of a critical section
#pragma omp critical(x)
        a[1] += 2;
    }
    return s;
}
// CHECK: OpenMP worksharing: {{.*}}[i = 0; i < n; 2 loops made one]
// CHECK-NEXT: OpenMP worksharing: one with the loop round it [j = 0; j < 64]
// CHECK: OpenMP worksharing: {{.*}}(not in the source)
// CHECK-NEXT: OpenMP worksharing: {{.*}}[i = 0; i < n; step 2]
