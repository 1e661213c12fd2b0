// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without line tables, or where something else owns the discriminators: still a map, keyed by line, and nothing touched.
// RUN: %cc -g0 -O2 -c %s -o %t.g0.o; %dump %t.g0.o | %check --check-prefixes=ALL,G0
// RUN: %cc -g -fdebug-info-for-profiling -O2 -c %s -o %t.prof.o; %dump %t.prof.o | %check --check-prefixes=ALL,PROF
// RUN: %cc -g -fpseudo-probe-for-profiling -O2 -c %s -o %t.probe.o; %dump %t.probe.o | %check --check-prefixes=ALL,PROF
// RUN: %cc -gdwarf-3 -O2 -c %s -o %t.old.o; %dump %t.old.o | %check --check-prefixes=ALL,OLD
// RUN: clang-19 -g -fdebug-info-for-profiling -O2 -c %s -o %t.plain.o
// RUN: %dwarfdump --debug-line %t.plain.o | grep -v file.format > %t.1; %dwarfdump --debug-line %t.prof.o | grep -v file.format > %t.2; cmp %t.1 %t.2
// RUN: clang-19 -g -fpseudo-probe-for-profiling -O2 -c %s -o %t.plainprobe.o
// RUN: %dwarfdump --debug-line %t.plainprobe.o | grep -v file.format > %t.3; %dwarfdump --debug-line %t.probe.o | grep -v file.format > %t.4; cmp %t.3 %t.4
// G0: module {{.*}} name="{{.*}}nodebug.c" {{.*}} keying=1(line) flags=2(no_debug_info)
// PROF: module {{.*}} keying=1(line) flags=1(profile_discriminators)
// OLD: module {{.*}} keying=1(line) flags=0
// ALL: procedure {{.*}} name="scale"
// ALL: loop {{.*}} depth=1
// ALL: callsite {{.*}} callee="hidden"
// ALL: loop_instance
// ALL-NOT: {{^}}place
// ALL: module_end
extern void hidden(float *);
void scale(int n, float *a) {
    for (int i = 0; i < n; i++)
        a[i] *= 3;
    hidden(a);
}
