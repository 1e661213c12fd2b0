// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of a loop's body that reads elements of containers.
// RUN: %cxx -O2 -c %s -o %t.o; %map %t.o | grep -E '^ +[0-9-]+ +(range-)?for|indexed|counted|pairs' | %check
#include <utility>
#include <vector>
std::vector<double> g;
// CHECK: unrolled x2
double indexed() {
    double s = 0;
    for (int i = 0; i < 21998; i++)
        s += g[i];
    return s;
}
// CHECK: {{epilogue, unrolled x4|unrolled x4, epilogue}}
double counted(const std::vector<double> &v) {
    double s = 0;
    for (std::size_t i = 0; i < v.size(); i++)
        s += v[i] * g[i];
    return s;
}
// all that it reads and writes is in procedures inlined into it: the compiler says how many copies there are
// CHECK: remainder or fall-back x4, epilogue, vector 2 lanes x2
void pairs(std::vector<std::pair<int, int>> &to, const int *from, int n) {
    for (int i = 0; i < n; i++)
        to[i] = std::make_pair(from[i], i);
}
