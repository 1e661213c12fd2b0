// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three instances of a template that passes messages: the first one never runs, the others take turns.
#include <mpi.h>
#include <vector>
struct cell {
    int mask;
    double weight;
};
template <int D> __attribute__((noinline)) double work(const cell *cells, const int *at, int n) {
    double mine = 0;
    double all;
    for (int i = 0; i < n; i++)
        mine += cells[at[i]].mask * (D + 0.5);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
int main(int argc, char **argv) {
    enum { SIZE = 1 << 18 };
    MPI_Init(&argc, &argv);
    std::vector<cell> cells(SIZE);
    std::vector<int> at(SIZE);
    double sum = 0;
    if (argc > 5)
        sum += work<1>(cells.data(), at.data(), argc);
    for (int i = 0; i < SIZE; i++)
        at[i] = static_cast<int>((i * 7919L) % SIZE);
    for (int round = 0; round < 60; round++)
        sum += round % 3 ? work<2>(cells.data(), at.data(), SIZE) : work<3>(cells.data(), at.data(), SIZE);
    MPI_Finalize();
    return sum > 1e300;
}
