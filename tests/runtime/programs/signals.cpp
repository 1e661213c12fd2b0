/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C++'s ways to wait for another thread, ROUNDS times each; the first thread ends each wait, HELD_MS after it saw the waiter asleep. Prints for each
 * "procedure seconds", measured round the calls. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <mutex>
#include <sched.h>
#include <semaphore>
#include <thread>
#include <unistd.h>

#include "asleep.h"

static const int rounds = 5;
static const auto held = std::chrono::milliseconds(10);

static std::atomic<int> about, tid, turn;
static std::mutex mutex;
static std::condition_variable condition;
static bool flag;
static std::promise<int> promised;
static std::atomic<int> word;
static std::counting_semaphore<1> semaphore(0);

static __attribute__((noinline)) void holds(void) {
    while (!about)
        sched_yield();
    while (!asleep(tid))
        sched_yield();
    about = 0;
    std::this_thread::sleep_for(held);
}

static __attribute__((noinline)) void waits_condition(void) {
    std::unique_lock<std::mutex> lock(mutex);
    about = 1;
    condition.wait(lock, [] { return flag; });
    flag = false;
}
static __attribute__((noinline)) void gives_condition(void) {
    holds();
    std::lock_guard<std::mutex> lock(mutex);
    flag = true;
    condition.notify_one();
}

static __attribute__((noinline)) void waits_future(void) {
    auto f = promised.get_future();
    about = 1;
    f.get();
}
static __attribute__((noinline)) void gives_future(void) {
    holds();
    promised.set_value(1);
}

static __attribute__((noinline)) void waits_word(void) {
    about = 1;
    word.wait(0);
    word = 0;
}
static __attribute__((noinline)) void gives_word(void) {
    holds();
    word = 1;
    word.notify_one();
}

static __attribute__((noinline)) void waits_semaphore(void) {
    about = 1;
    semaphore.acquire();
}
static __attribute__((noinline)) void gives_semaphore(void) {
    holds();
    semaphore.release();
}

static const struct {
    const char *name;
    void (*waits)(void), (*gives)(void);
} kinds[] = {{"condition", waits_condition, gives_condition},
             {"future", waits_future, gives_future},
             {"word", waits_word, gives_word},
             {"semaphore", waits_semaphore, gives_semaphore}};
static const int n = sizeof kinds / sizeof *kinds;
static double spent[n];

static void wait_for_all(void) {
    tid = gettid();
    for (int i = 0; i < n * rounds; i++) {
        while (turn != i + 1)
            sched_yield();
        auto begin = std::chrono::steady_clock::now();
        kinds[i / rounds].waits();
        spent[i / rounds] += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        turn = -1;
    }
}

int main() {
    std::thread waiter(wait_for_all);
    for (int i = 0; i < n * rounds; i++) {
        promised = std::promise<int>();
        turn = i + 1;
        kinds[i / rounds].gives();
        while (turn != -1)
            sched_yield();
    }
    waiter.join();
    for (int k = 0; k < n; k++)
        printf("%s %.6f\n", kinds[k].name, spent[k]);
    return 0;
}
