// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two instances of a class template that run, and a third one that does not; their arguments are long, and differ in the middle.
#include <cstdlib>
#include <vector>
struct metres_of_a_very_long_name { double v; };
struct seconds_of_a_very_long_name { double v; };
struct kelvins_of_a_very_long_name { double v; };
template <class Allocated, class Unit> struct grid {
    std::vector<Unit> a, b;
    explicit grid(int n) : a(n), b(n) {}
    __attribute__((noinline)) void sweep(int n) {
        for (int r = 0; r < 40; r++)
            for (int i = 1; i < n - 1; i++)
                b[i].v = a[i].v * 0.5 + a[i - 1].v + a[i + 1].v;
    }
};
template <class T> struct line {
    T a[2048];
    __attribute__((noinline)) T chain(int n) {
        T sum = 0;
        for (int i = 0; i < n; i++)
            sum = sum * T(0.5) + a[i];
        return sum;
    }
};
int main(int argc, char **argv) {
    static line<double> x;
    static line<float> y;
    grid<std::vector<int>, kelvins_of_a_very_long_name> k(16);
    grid<std::vector<int>, metres_of_a_very_long_name> m(2048);
    grid<std::vector<int>, seconds_of_a_very_long_name> s(2048);
    double sum = 0;
    if (argc > 5)
        k.sweep(16);
    for (int round = 0; round < 6000; round++) {
        m.sweep(2048);
        s.sweep(2048);
        for (int i = 0; i < 10; i++)
            sum += x.chain(2048) + y.chain(2048);
    }
    return sum > 1e300;
}
