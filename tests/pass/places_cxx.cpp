// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For places.c: templates, lambdas, iterators, exceptions.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <class T> struct grid {
    std::vector<T> cells;
    explicit grid(std::size_t n) : cells(n * n) {}
    T sum() const {
        T s{};
        for (const T &c : cells)
            s += c;
        return s;
    }
    template <class F> void each(F f) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            f(cells[i], i);
    }
};

int parse(const std::string &text) {
    int n = 0;
    for (char c : text) {
        if (c < '0' || c > '9')
            throw std::invalid_argument("digit");
        n = n * 10 + (c - '0');
    }
    return n;
}

} // namespace

int main(int argc, char **argv) {
    grid<double> g(50);
    grid<int> h(20);
    g.each([&](double &c, std::size_t i) { c = static_cast<double>(i % 7) * argc; });
    h.each([](int &c, std::size_t i) { c = static_cast<int>(i); });
    std::sort(g.cells.begin(), g.cells.end(), [](double a, double b) { return a > b; });
    int n = 0;
    try {
        for (int i = 1; i < argc; i++)
            n += parse(argv[i]);
    } catch (const std::exception &e) {
        std::printf("%s\n", e.what());
    }
    std::partial_sum(h.cells.begin(), h.cells.end(), h.cells.begin());
    return std::printf("%g %d %d\n", g.sum(), h.sum(), n) < 0;
}
