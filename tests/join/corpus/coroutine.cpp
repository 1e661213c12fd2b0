// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A coroutine, of which LLVM makes sums, sums.resume and sums.destroy; of another one, products, the part is inlined into main.
#include <coroutine>
#include <cstdio>
#include <vector>

struct numbers {
    struct promise_type {
        double value;
        numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(double x) {
            value = x;
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

static numbers products(const double *x, int n) { /* BEGIN products */
    for (;;) {
        double s = 1;
        for (int i = 0; i < n; i++) /* LOOP products */
            s *= x[i] / (1 + s);
        co_yield s;
    }
} /* END products */

numbers sums(const double *x, int n) __asm__("sums");

__attribute__((noinline)) numbers sums(const double *x, int n) { /* BEGIN sums */
    for (;;) {
        double s = 0;
        for (int i = 0; i < n; i++) /* LOOP sums */
            s += x[i] * x[(i * 7) & (n - 1)];
        co_yield s;
    }
} /* END sums */

__attribute__((noinline)) static void go_on(std::coroutine_handle<> h) { h.resume(); }

int main() {
    std::vector<double> x(1 << 10, 1.5);
    double s = 0;
    numbers all = sums(x.data(), static_cast<int>(x.size()));
    for (int t = 0; t < 10; t++) {
        go_on(all.handle);
        s += all.handle.promise().value;
    }
    all.handle.destroy();
    numbers others = products(x.data(), static_cast<int>(x.size()));
    for (int t = 0; t < 10; t++) {
        others.handle.resume();
        s += others.handle.promise().value;
    }
    others.handle.destroy();
    std::printf("%g\n", s);
}
