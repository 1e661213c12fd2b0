// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists: wrong ones end the compilation with one line, from the command, the environment, a file, and plain clang.
// RUN: ! %cc --probe=loop -c %s -o %t.o 2> %t.e1; grep -q "heatscope: probe 'loop': expected procedures, loops" %t.e1
// RUN: ! %cc --probe=loops:a.c:x -c %s -o %t.o 2> %t.e2; grep -q "expected loops:FILE:LINE" %t.e2
// RUN: ! %cc --probe=auto:200 -c %s -o %t.o 2> %t.e3; grep -q "expected a percentage" %t.e3
// RUN: ! %cc --probe-file=%t.not-there -c %s -o %t.o 2> %t.e4; grep -q "not-there: No such file" %t.e4
// RUN: ! %cc --probe -c %s -o %t.o 2> %t.e5; grep -q -e "--probe needs a value" %t.e5
// RUN: printf '# all but one\nprocedures:on*   # with a comment\n-procedures:one_less\n' > %t.list
// RUN: %cc --probe-file=%t.list --probe=procedures:main -O1 -g -c %s -o %t.o; %dump %t.o | %check
// RUN: printf 'procedures\nwrong\n' > %t.bad; ! %cc --probe-file=%t.bad -c %s -o %t.o 2> %t.e6; grep -q "bad line 2: probe 'wrong'" %t.e6
// RUN: clang-19 -fpass-plugin=$(%heatscope config --pass) -Xclang -load -Xclang $(%heatscope config --pass) -mllvm -heatscope-probe=procedures:one -O1 -g -c %s -o %t.plain.o; %dump %t.plain.o | grep -q 'probe_id=1 .*name="one"'
// RUN: %cc --probe=auto:1 -O1 -g -c %s -o %t.auto.o; %dump %t.auto.o | %check --check-prefix=AUTO
// RUN: %cc --probe=auto:1,-procedures:main -O1 -g -c %s -o %t.out.o; %dump %t.out.o | %check --check-prefix=OUT
// CHECK-DAG: probe {{.*}} name="one"
// CHECK-DAG: probe {{.*}} name="main"
// CHECK-NOT: name="one_less"{{$}}
// AUTO-DAG: probe {{.*}} kind=0(procedure) {{.*}} name="main"
// AUTO-DAG: probe {{.*}} kind=1(loop) {{.*}} name="main"
// AUTO-NOT: kind=0(procedure) {{.*}} name="one"
// OUT-NOT: kind=0(procedure) {{.*}} name="main"
// OUT: probe {{.*}} kind=1(loop) {{.*}} flags=16(automatic) name="main"
// OUT-NOT: kind=0(procedure) {{.*}} name="main"
int one(int a) {
    return a + 1;
}
int one_less(int a) {
    return a - 1;
}
double table[1000];
int main(int n, char **v) {
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                for (int m = 0; m < n; m++)
                    table[i] = table[i] / (table[j] + k + m) + *v[0];
    return 0;
}
