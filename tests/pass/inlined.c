// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inlined copies: one record each, with the call that it stands for, and who contains whom.
// RUN: %cc -g -O2 -c %s -o %t.o; %dump %t.o | %check
// CHECK-DAG: procedure_id=[[INNER:[0-9]+]] {{.*}} name="inner"
// CHECK-DAG: procedure_id=[[MIDDLE:[0-9]+]] {{.*}} name="middle"
// CHECK-DAG: procedure_id=[[OUTER:[0-9]+]] {{.*}} name="outer"
static double inner(int n, const double *a) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
static double middle(int n, const double *a) {
    return inner(n, a) / n;
}
double outer(int n, const double *a, const double *b) {
    double s = middle(n, a);
    s += inner(n, b);
    return s;
}
// CHECK-DAG: callsite_id=[[IN_MIDDLE:[0-9]+]] {{.*}} line=14 column=12 callee="inner"
// CHECK-DAG: callsite_id=[[FIRST:[0-9]+]] {{.*}} line=17 column=16 callee="middle"
// CHECK-DAG: callsite_id=[[SECOND:[0-9]+]] {{.*}} line=18 column=10 callee="inner"
// CHECK-DAG: inline_id=[[COPY:[0-9]+]] function_id=[[OUTER]] parent_id=0 callee_id=[[MIDDLE]] site_id=[[FIRST]] file_id=1 line=17 column=16
// CHECK-DAG: inline_id={{[0-9]+}} function_id=[[OUTER]] parent_id=[[COPY]] callee_id=[[INNER]] site_id=[[IN_MIDDLE]] file_id=1 line=14 column=12
// CHECK-DAG: inline_id={{[0-9]+}} function_id=[[OUTER]] parent_id=0 callee_id=[[INNER]] site_id=[[SECOND]] file_id=1 line=18 column=10
// a copy without loops in it belongs to the loop that its call is in, also where no loop of the generated code is left of that one
static inline double step(double x, double y) {
    return x * 0.5 + y * y;
}
double steps(const double *a, int n) {
    double x = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            x = step(x, a[3 * i + k]) / (x + 2);
    return x;
}
// CHECK-DAG: procedure_id=[[STEP:[0-9]+]] {{.*}} name="step"
// CHECK-DAG: loop_id=[[THREE:[0-9]+]] {{.*}} line_begin=[[@LINE-5]] {{.*}} trips=3
// CHECK-DAG: instance_id=[[UNROLLED:[0-9]+]] {{.*}} loop_id=[[THREE]] version=5(unrolled_fully)
// CHECK-DAG: inline_id=[[STEPPED:[0-9]+]] {{.*}} callee_id=[[STEP]]
// CHECK-DAG: place_id={{[0-9]+}} {{.*}} instance_id=[[UNROLLED]] site_id=0 block={{[0-9]+}} inline_id=[[STEPPED]]
