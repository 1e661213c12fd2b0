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
