// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions thrown through probed procedures and loops.
#include <cstdio>
volatile int sink, three = 3;
__attribute__((noinline)) void thrower(int i) {
    if (i % 2)
        throw i;
    sink = i;
}
__attribute__((noinline)) void through(int i) {
    for (int k = 0; k < three; k++) {
        thrower(i);
        sink = k;
    }
}
__attribute__((noinline)) int catcher(int i) {
    try {
        through(i);
    } catch (int e) {
        return e;
    }
    return 0;
}
int main() {
    int s = 0;
    for (int i = 0; i < 100; i++)
        s += catcher(i);
    std::printf("%d\n", s);
}
