// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two mutexes of the standard library, each held for 0.2 s by one thread while another wants it: the code that locks stands in the library's headers.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

static std::mutex first, second;
static std::atomic<int> held;

static void sleep_ms(int ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

__attribute__((noinline)) static void holds_first() {
    {
        std::lock_guard<std::mutex> guard(first);
        held++;
        sleep_ms(200);
    }
    held++;
}

__attribute__((noinline)) static void holds_second() {
    {
        std::lock_guard<std::mutex> guard(second);
        held++;
        sleep_ms(200);
    }
    held++;
}

__attribute__((noinline)) static void wants_first() {
    std::lock_guard<std::mutex> guard(first); /* first */
    held++;
}

__attribute__((noinline)) static void wants_second() {
    std::lock_guard<std::mutex> guard(second); /* second */
    held++;
}

int main() {
    std::thread a(holds_first), b(holds_second);
    while (held < 2)
        sleep_ms(1);
    std::thread c(wants_first), d(wants_second);
    for (auto *t : {&a, &b, &c, &d})
        t->join();
}
