// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A coroutine's parts, and contexts that switch stacks inside scopes.
#include <coroutine>
#include <cstdio>
#include <ucontext.h>
volatile int sink;
struct task {
    struct promise_type {
        int value = 0;
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) {
            value = v;
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
__attribute__((noinline)) void step(int i) {
    sink = i;
}
task counts(int n) {
    for (int i = 0; i < n; i++) {
        step(i);
        co_yield i;
    }
}
static ucontext_t outside, inside;
static char stack[65536];
__attribute__((noinline)) void switched() {
    for (int i = 0; i < 10; i++) {
        step(i);
        swapcontext(&inside, &outside);
    }
}
int main() {
    task t = counts(20);
    while (!t.handle.done())
        t.handle.resume();
    t.handle.destroy();
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, switched, 0);
    for (int i = 0; i < 11; i++)
        swapcontext(&outside, &inside);
    std::puts("done");
}
