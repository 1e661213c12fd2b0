// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients on the five-point Laplacian of a square, with OpenMP.
//
//     OMP_NUM_THREADS=2 ./spmv [POINTS] [SOLVES]
//
// The right-hand side is A * (1, 1, ..., 1), so the solution is known and the program verifies itself. Nearly all of
// the time is in csr_matrix<double>::multiply; the rest is in dot and in the lambdas given to for_each_index.
#include "csr_matrix.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

csr_matrix<double> laplacian(std::size_t points) {
    return csr_matrix<double>(points * points, [points](std::size_t row, auto add) {
        const std::size_t x = row % points, y = row / points;
        if (y > 0)
            add(row - points, -1);
        if (x > 0)
            add(row - 1, -1);
        add(row, 4);
        if (x + 1 < points)
            add(row + 1, -1);
        if (y + 1 < points)
            add(row + points, -1);
    });
}

// Solves A x = b from x = 0 until the residual has fallen by 12 orders of magnitude. Returns the number of iterations.
long solve(const csr_matrix<double> &matrix, const vector_of<double> &b, vector_of<double> &x) {
    const std::size_t n = matrix.rows();
    vector_of<double> r = b, p = b, ap(n);
    for_each_index(n, [&](std::size_t i) { x[i] = 0; });
    double rr = dot(r, r);
    const double enough = 1e-24 * rr;
    long iterations = 0;
    for (; rr > enough; ++iterations) {
        matrix.multiply(p, ap);
        const double alpha = rr / dot(p, ap);
        for_each_index(n, [&](std::size_t i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        });
        const double before = rr;
        rr = dot(r, r);
        const double beta = rr / before;
        for_each_index(n, [&](std::size_t i) { p[i] = r[i] + beta * p[i]; });
    }
    return iterations;
}

} // namespace

int main(int argc, char **argv) {
    const long points = argc > 1 ? std::atol(argv[1]) : 300;
    const long solves = argc > 2 ? std::atol(argv[2]) : 10;
    if (points < 1 || points > 5000 || solves < 1 || argc > 3) {
        std::fprintf(stderr, "usage: spmv [POINTS] [SOLVES]   with 1 <= POINTS <= 5000, SOLVES > 0\n");
        return 2;
    }
    const auto matrix = laplacian(static_cast<std::size_t>(points));
    vector_of<double> x(matrix.rows()), b(matrix.rows());
    matrix.multiply(vector_of<double>(matrix.rows(), 1), b);

    long iterations = 0;
    for (long s = 0; s < solves; ++s)
        iterations += solve(matrix, b, x);

    for_each_index(x.size(), [&](std::size_t i) { x[i] -= 1; });
    const auto [where, deviation] = largest(x);
    const bool good = deviation < 1e-8;
    std::printf("spmv: %zu rows, %zu entries, %ld solves, %ld iterations\n", matrix.rows(), matrix.entries(), solves,
                iterations);
    std::printf("%s: largest deviation from the exact solution %s 1e-8\n", good ? "verified" : "FAILED",
                good ? "below" : "above");
    if (!good)
        std::printf("%.1e in row %zu\n", deviation, where);
    return good ? 0 : 1;
}
