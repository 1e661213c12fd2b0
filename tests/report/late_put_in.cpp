/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads hold a lock that others wait for while they compute in small procedures that are put in line. */
#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <thread>

static double seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

struct cell {
    double kept;
    double next(double x) const { return 1 / (1 / (1 / (x + 3) + 2) + kept); } // accessor
};

template <class Body> void for_each_index(long n, const Body &body) {
    for (long i = 0; i < n; i++) // library
        body(i);
}

double of[2];
std::mutex first, second;
std::atomic<int> held[2];

__attribute__((noinline)) static double chain(const cell &c, double x, long n) {
    for (long i = 0; i < n; i++) { // loop
        x = c.next(x);
        if (x > 1e9)
            x = c.kept;
    }
    return x;
}

__attribute__((noinline)) static double bodies(const cell &c, long n) {
    double sum = 0;
    for_each_index(n, [&](long i) { // body
        double x = sum;
        x = c.next(x + static_cast<double>(i & 1));
        x = 2 / (3 / (x + 5) + 1);
        sum = c.next(x);
    });
    return sum;
}

template <class Work> static void hold(std::mutex &lock, std::atomic<int> &is_held, double &out, Work work) {
    std::lock_guard<std::mutex> mine(lock);
    is_held = 1;
    do
        out += work();
    while (seconds() < 0.3);
}

static void wait_for(std::mutex &lock, std::atomic<int> &is_held) {
    while (!is_held)
        ;
    lock.lock();
    lock.unlock();
}

int main() {
    cell c{1};
    std::thread a([&] { hold(first, held[0], of[0], [&] { return chain(c, 1, 10000); }); });
    wait_for(first, held[0]);
    a.join();
    std::thread b([&] { hold(second, held[1], of[1], [&] { return bodies(c, 10000); }); });
    wait_for(second, held[1]);
    b.join();
    std::printf("%g %g\n", of[0], of[1]);
}
