// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three instances of a template, of which one runs.
#include <cstdlib>
double x[4000];
template <int K> __attribute__((noinline)) double stepped(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 0.5 + x[i] * K;
    return sum;
}
int main(int argc, char **argv) {
    double sum = 0;
    for (int k = 0; k < 40000; k++)
        sum += stepped<1>(4000 - (k & 1));
    if (argc > 5)
        sum += stepped<2>(argc) + stepped<3>(argc);
    return sum > 1e300;
}
