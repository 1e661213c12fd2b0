// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads of the C++ library with a routine each, for CPU time of their own; main waits for both.
#include <ctime>
#include <thread>

static volatile double sink;

static void compute(double seconds) {
    timespec now;
    do {
        for (int i = 0; i < 100000; i++)
            sink = sink * 0.5 + i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec + now.tv_nsec / 1e9 < seconds);
}

__attribute__((noinline)) static void refine() {
    compute(0.4);
    sink = sink + 1;
}

__attribute__((noinline)) static void coarsen(double seconds) {
    compute(seconds);
    sink = sink - 1;
}

int main() {
    std::thread first(refine), second(coarsen, 0.8);
    first.join();
    second.join();
}
