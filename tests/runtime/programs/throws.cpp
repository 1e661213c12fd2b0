// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions thrown through many frames while samples are taken.
#include <cstdio>
#include <cstdlib>

#define KEEP extern "C" __attribute__((noinline))
volatile double sink;

struct guard {
    ~guard() { sink = sink + 1; }
};

KEEP void thrower(int depth) {
    guard g;
    if (depth == 0)
        throw 7;
    thrower(depth - 1);
    sink = sink + 1;
}

KEEP int catcher(int n) {
    int caught = 0;
    for (int i = 0; i < n; i++) {
        try {
            thrower(20);
        } catch (int v) {
            caught += v;
        }
    }
    sink = sink + 1;
    return caught;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    int c = catcher(n);
    std::printf("%d\n", c);
    return c == 7 * n ? 0 : 1;
}
