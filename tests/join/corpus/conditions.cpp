// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread waits for a condition variable of the standard library, with a condition of its own: the code that waits stands in a template of a header.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex guard;
static std::condition_variable changed;
static int ready;

int main() {
    std::thread waiter([] {
        std::unique_lock<std::mutex> lock(guard);
        changed.wait(lock, [] { return ready == 3; }); /* waits */
    });
    for (int i = 0; i < 3; i++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        std::lock_guard<std::mutex> lock(guard);
        ready++;
        changed.notify_one();
    }
    waiter.join();
}
