// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines that several procedures have: instances of a template, and small procedures that are put in line.
#include <cstdio>
#include <cstdlib>
#include <vector>
struct matrix {
    std::vector<double> elements;
    long outer;
    explicit matrix(long n) : elements(static_cast<size_t>(n * n), 1.0), outer(n) {}
    void set(long i, long j, double x) {
        elements[static_cast<size_t>(i + j * outer)] = x; // body
    }
};
__attribute__((noinline)) static void fill(matrix &m, long n, double x) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            m.set(i, j, x); // call
}
template <class T> __attribute__((noinline)) double sum(const std::vector<T> &numbers, const std::vector<int> &at) {
    double all = 0;
    for (size_t i = 0; i < at.size(); i++)
        all += numbers[static_cast<size_t>(at[i])]; // shared
    return all;
}
int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 30;
    const long n = 1000;
    matrix m(n);
    std::vector<int> at(1 << 20);
    std::vector<double> wide(at.size(), 1.0);
    std::vector<float> narrow(at.size(), 1.0F);
    double all = 0;
    for (size_t i = 0; i < at.size(); i++)
        at[i] = static_cast<int>(i * 7919 % at.size());
    for (int k = 0; k < rounds; k++) {
        fill(m, n, all);
        all += sum(wide, at) + sum(narrow, at) + sum(narrow, at);
    }
    printf("%g\n", all);
}
