/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Alternating-direction implicit solver for the heat equation on the unit cube, in the manner of the Erlebacher
 * benchmark: three tridiagonal solves a step, of which the third is pipelined over the ranks.
 *
 *     mpirun -n 4 ./adi [-n POINTS] [-s STEPS] [-b BLOCK]
 *
 * Scheme of Douglas and Gunn, with D the second difference in one direction and r = time step / (mesh width)^2:
 *
 *     (1 - r/2 Dx) (1 - r/2 Dy) (1 - r/2 Dz) d = r (Dx + Dy + Dz) u,    u := u + d
 *
 * A product of sines is an eigenvector of Dx, Dy and Dz, so a start value made of two such products has an exact
 * solution of the *discrete* equations, and the program can verify itself to rounding error on any number of ranks. */
#include "adi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

/* The modes of the start value: half waves along x, y and z. */
static const int modes[2][3] = {{1, 1, 1}, {1, 2, 3}};

static double *zeros(ptrdiff_t count) {
    double *p = calloc((size_t)count, sizeof *p);
    if (!p) {
        fprintf(stderr, "adi: no memory for %td numbers\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

/* Factors the tridiagonal matrix (-half, 1 + 2 half, -half) once and for all. */
static void factor(grid *g) {
    const double half = 0.5 * g->ratio;
    double before = 0;
    for (ptrdiff_t i = 0; i < g->n; i++) {
        g->inv[i] = 1 / (1 + 2 * half - half * before);
        before = g->fac[i] = half * g->inv[i];
    }
}

/* What one step makes of a mode: it is multiplied by this. */
static double gain(const grid *g, const int mode[3]) {
    double sum = 0, product = 1;
    for (int axis = 0; axis < 3; axis++) {
        const double s = sin(0.5 * pi * mode[axis] / (double)(g->n + 1)), lambda = 4 * s * s;
        sum += lambda;
        product *= 1 + 0.5 * g->ratio * lambda;
    }
    return 1 - g->ratio * sum / product;
}

/* u := the exact solution after `steps` steps, or if `worst` is given, only the largest deviation of u from it. */
static void exact(grid *g, int steps, double *worst) {
    const ptrdiff_t n = g->n;
    double *wave = zeros(4 * (n + 1)), deviation = 0; /* wave[m * (n + 1) + i]: m half waves at point i */
    for (int m = 1; m <= 3; m++)
        for (ptrdiff_t i = 0; i < n; i++)
            wave[m * (n + 1) + i] = sin(pi * m * (double)(i + 1) / (double)(n + 1));
    for (int which = 0; which < 2 && !worst; which++)
        for (ptrdiff_t k = 0; k < g->planes; k++)
            for (ptrdiff_t j = 0; j < n; j++)
                for (ptrdiff_t i = 0; i < n; i++)
                    g->u[AT_U(g, i, j, k)] += wave[modes[which][0] * (n + 1) + i] * wave[modes[which][1] * (n + 1) + j] *
                                              wave[modes[which][2] * (n + 1) + g->first + k];
    const double scale[2] = {pow(gain(g, modes[0]), steps), pow(gain(g, modes[1]), steps)};
    for (ptrdiff_t k = 0; k < g->planes && worst; k++)
        for (ptrdiff_t j = 0; j < n; j++)
            for (ptrdiff_t i = 0; i < n; i++) {
                double truth = 0;
                for (int which = 0; which < 2; which++)
                    truth += scale[which] * wave[modes[which][0] * (n + 1) + i] * wave[modes[which][1] * (n + 1) + j] *
                             wave[modes[which][2] * (n + 1) + g->first + k];
                deviation = fmax(deviation, fabs(g->u[AT_U(g, i, j, k)] - truth));
            }
    if (worst)
        *worst = deviation;
    free(wave);
}

static double sum_of_squares(const grid *g) {
    double sum = 0;
    for (ptrdiff_t k = 0; k < g->planes; k++)
        for (ptrdiff_t j = 0; j < g->n; j++)
            for (ptrdiff_t i = 0; i < g->n; i++)
                sum += g->u[AT_U(g, i, j, k)] * g->u[AT_U(g, i, j, k)];
    return sum;
}

int main(int argc, char **argv) {
    int rank, ranks, steps = 1000, option;
    ptrdiff_t n = 96, block = 8;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while ((option = getopt(argc, argv, "n:s:b:")) != -1)
        switch (option) {
        case 'n': n = atol(optarg); break;
        case 's': steps = atoi(optarg); break;
        case 'b': block = atol(optarg); break;
        default: n = 0;
        }
    if (n < ranks || n > 2000 || steps < 0 || block < 1) {
        if (rank == 0)
            fprintf(stderr, "usage: adi [-n POINTS] [-s STEPS] [-b BLOCK]   with ranks <= POINTS <= 2000, BLOCK > 0\n");
        MPI_Finalize();
        return rank == 0 ? 2 : 0;
    }

    grid g = {.n = n, .first = n * rank / ranks, .ratio = 1, .comm = MPI_COMM_WORLD};
    g.planes = n * (rank + 1) / ranks - g.first;
    g.below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    g.above = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    g.u = zeros((n + 2) * (n + 2) * (g.planes + 2));
    g.d = zeros(n * n * g.planes);
    g.edge = zeros(n * n);
    g.inv = zeros(n);
    g.fac = zeros(n);
    factor(&g);
    exact(&g, 0, NULL);

    double change = 0;
    for (int step = 0; step < steps; step++) {
        exchange_halo(&g);
        explicit_part(&g);
        solve_x(&g);
        solve_y(&g);
        solve_z_forward(&g, block);
        solve_z_backward(&g, block);
        const double mine = update(&g);
        MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_MAX, g.comm);
    }

    double local[2], norm, worst;
    exact(&g, steps, &local[0]);
    local[1] = sum_of_squares(&g);
    MPI_Reduce(&local[0], &worst, 1, MPI_DOUBLE, MPI_MAX, 0, g.comm);
    MPI_Reduce(&local[1], &norm, 1, MPI_DOUBLE, MPI_SUM, 0, g.comm);
    int failed = 0;
    if (rank == 0) {
        failed = !(worst < 1e-10);
        printf("adi: %td^3 points, %d steps, %d ranks, blocks of %td rows\n", n, steps, ranks, block);
        printf("norm %.10E, last change %.10E\n", sqrt(norm / (double)(n * n * n)), change);
        printf("%s: largest deviation from the exact solution %s 1e-10\n", failed ? "FAILED" : "verified",
               failed ? "above" : "below");
    }
    free(g.u);
    free(g.d);
    free(g.edge);
    free(g.inv);
    free(g.fac);
    MPI_Finalize();
    return failed;
}
