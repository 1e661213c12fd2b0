// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads of the C++ library with a routine each, for CPU time of their own; main waits for both, and the second for a lock that the first one holds
// from before the second is there.
#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>

static volatile double sink;
static std::mutex grid;
static std::atomic<bool> held;

__attribute__((noinline)) static void halve() {
    for (int i = 0; i < 50000; i++)
        sink = sink * 0.5;
}

static void compute(double seconds) {
    timespec now;
    do {
        for (int i = 0; i < 50000; i++)
            sink = sink * 0.5 + i;
        halve();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec + now.tv_nsec / 1e9 < seconds);
}

__attribute__((noinline)) static void refine() {
    grid.lock();
    held = true;
    compute(0.1);
    grid.unlock();
    compute(0.4); // in all
    sink = sink + 1;
}

__attribute__((noinline)) static void coarsen(double seconds) {
    grid.lock();
    grid.unlock();
    compute(seconds);
    sink = sink - 1;
}

int main() {
    std::thread first(refine);
    while (!held)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::thread second(coarsen, 0.8);
    first.join();
    second.join();
    compute(0.012); // next to nothing: the others are compared all the same
}
