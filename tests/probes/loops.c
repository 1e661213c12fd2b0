// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One entry and one exit round all versions of a loop (vector body, remainder); it is vectorised as without.
// RUN: %cc --probe='loops:loops.c:17' -g -O2 -c %s -o %t.o; %dump %t.o | %check
// RUN: HEATSCOPE_PROBE='loops:loops.c:17' %cc -g -O2 -S -emit-llvm %s -o - | %check --check-prefix=CODE
// RUN: %cc --probe='loops,-loops:l*.c:17' -g -O2 -c %s -o %t.x.o; %dump %t.x.o | %check --check-prefix=EXCEPT
// CHECK: loop_instance {{.*}} version=1(vector)
// CHECK: probe probe_id=1 {{.*}} kind=1(loop) {{.*}} line=17 flags=0 name="sum"
// CHECK-NOT: probe probe_id=2
// EXCEPT: probe probe_id=1 {{.*}} kind=1(loop) {{.*}} line=28 {{.*}} name="nest"
// EXCEPT-NOT: probe probe_id=2
// CODE-LABEL: define {{.*}} @sum(
// CODE: i64 24), i64
// CODE: <{{[0-9]+}} x i32>
// CODE: i64 32), i64
int sum(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
// CODE-LABEL: define {{.*}} @nest(
// CODE-NOT: asm
// CODE: ret void
void nest(double *a, int n);
double sink(double);
void nest(double *a, int n) {
    sink(1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i] += sink(a[j]);
}
