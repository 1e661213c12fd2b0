// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same in C++: `this`, also where it is not written, references, containers, lambdas, range-based loops.
// RUN: %cxx -gline-tables-only -O2 -fopenmp -c %s -o %t.lines.o; %map --arrays %t.lines.o | grep -E '(reads|writes) ' > %t.2; %check < %t.2
// RUN: %cxx -g -O2 -fopenmp -c %s -o %t.g.o; %map --arrays %t.g.o | grep -E '(reads|writes) ' > %t.1; diff %t.1 %t.2
#include <vector>
struct mesh {
    std::vector<int> first;
    double *x;
    int n;
    double sum(const std::vector<int> &index, double &rest);
    void scale(double by);
};
double mesh::sum(const std::vector<int> &index, double &rest) {
    std::vector<double> part(n);
    double s = 0;
    for (int i = 0; i < n; i++) {
        // CHECK-DAG: [[#@LINE+2]]:{{[0-9]+}} reads index[i]
        // CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}} writes part[i]
        part[i] = x[index[i]];
        // CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}} reads this->first[i]
        s += part[i] * first[i];
    }
    for (auto &each : part)
        s += each;
    rest = s;
    return part.size() > 3 ? part[3] : s;
}
void mesh::scale(double by) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        // CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}} writes this->x[i]
        x[i] *= by;
    auto half = [&](int i) { return x[i] * by / 2; };
    for (int i = 0; i < n; i++)
        this->x[i] += half(i);
}
double outside(mesh &m, const std::vector<int> &index) {
    double rest = 0;
    int at[8];
    for (int i = 0; i < 8; i++)
        at[i] = m.first[i];
    for (int i = 0; i < m.n; i++)
        m.x[i] = at[i & 7];
    return m.sum(index, rest) + rest;
}
