// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A procedure that runs itself again at its end is a loop once it is optimised.
// RUN: %cxx -O2 -c %s -o %t.o; %map %t.o | %check
// CHECK: sum
// CHECK-NEXT: [[#@LINE+2]]-[[#@LINE+7]] tail recursion: {{.*}}(not in the source)
__attribute__((noinline)) long
sum(const long *a, long n, long s)
{
    if (n == 0)
        return s;
    return sum(a + 1, n - 1, s ^ *a);
}
// CHECK: fib
// CHECK-NEXT: tail recursion: as written (not in the source)
__attribute__((noinline)) long fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
int main(int argc, char **argv) {
    return (int)(fib(argc) + sum((const long *)argv, argc, 0));
}
