// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An entry after the allocas, an exit before each return: a comparison and a branch that is not expected; the code of the
// call is outside of the way. Without probes nothing of it is there.
// RUN: HEATSCOPE_PROBE=procedures:two* %cc -g -O1 -S -emit-llvm %s -o - | %check
// RUN: %cc --probe=procedures:two* -g -O2 -c %s -o %t.o; %dump %t.o | grep -q 'probe probe_id=1 .*kind=0(procedure).*name="two_ways"'
// RUN: %cc --probe=procedures:nobody -g -O2 -c %s -o %t.none.o; %cc -g -O2 -c %s -o %t.plain.o
// RUN: objcopy -O binary -j .text %t.none.o %t.none.text; objcopy -O binary -j .text %t.plain.o %t.plain.text; cmp %t.none.text %t.plain.text
extern int outer(int), last(int);
// CHECK: @heatscope.probes = internal global {{.*}} section "heatscope_probes", align 8
// CHECK-LABEL: define {{.*}} @two_ways(
// CHECK-SAME: [[ATTRIBUTES:#[0-9]+]]
// CHECK: [[WORD:%.*]] = load i32, ptr getelementptr{{.*}} @heatscope.probes, i64 88), align 4
// CHECK-NEXT: [[ARMED:%.*]] = icmp ne i32 [[WORD]], 0
// CHECK-NEXT: br i1 [[ARMED]], label %{{.*}}, label %{{.*}}, !dbg {{.*}}, !prof
// CHECK: call ptr @llvm.addressofreturnaddress
// CHECK: call void asm sideeffect "movl $0, %r11d\0A\09callq *$1", {{.*}} i64 24), i64
// CHECK: call void asm sideeffect "movl $0, %r11d\0A\09callq *$1", {{.*}} i64 32), i64
// CHECK: ret i32
int two_ways(int a) {
    if (a > 3)
        return outer(a) + 1;
    return a;
}
// CHECK-LABEL: define {{.*}} @another(
// CHECK-NOT: asm
// CHECK: ret
int another(int a) {
    return outer(a) + 2;
}
// A jump to a procedure that is not known stays one: the visit ends before it.
// CHECK-LABEL: define {{.*}} @two_jumps(
// CHECK: i64 32), i64
// CHECK: tail call
// CHECK-NEXT: ret
int two_jumps(int (*f)(int), int a) {
    return f(a);
}
// CHECK: attributes [[ATTRIBUTES]] = {{.*}} noredzone
