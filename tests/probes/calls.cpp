// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls: an exit where it returns, another where it throws; a procedure's exit also where an exception passes through it.
// RUN: HEATSCOPE_PROBE='calls:may_*,procedures:passes*' %cxx -g -O1 -S -emit-llvm %s -o - | %check
// RUN: %cxx --probe='calls:may_*,-calls:*not' -g -O1 -c %s -o %t.o; %dump %t.o | grep -q 'probe_id=1 .*kind=2(call).*site_id=[1-9].*name="may_throw"'
void may_throw(int), may_not();
struct guard {
    ~guard();
};
// CHECK-LABEL: define {{.*}} @_Z7catchesi(
// CHECK: i64 24), i64
// CHECK: invoke void @_Z9may_throwi
// CHECK-DAG: i64 32), i64
// CHECK-DAG: landingpad
// CHECK-DAG: i64 32), i64
// CHECK: ret i32
int catches(int a) {
    try {
        may_throw(a);
    } catch (int) {
        return 1;
    }
    return 0;
}
// CHECK-LABEL: define {{.*}} @_Z14passes_throughi(
// CHECK: i64 24), i64
// CHECK: invoke void @_Z9may_throwi
// CHECK: landingpad
// CHECK-NEXT: cleanup
// CHECK: i64 32), i64
// CHECK: resume
int passes_through(int a) {
    may_throw(a);
    return a;
}
