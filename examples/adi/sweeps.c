/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The seven phases of one step. All of the time should be here. */
#include "adi.h"

#include <math.h>

enum { TAG_UP = 1, TAG_DOWN = 2, TAG_FORWARD = 3, TAG_BACKWARD = 4 };

/* Each rank gives its outermost planes to its neighbours. */
void exchange_halo(grid *g) {
    const int count = (int)((g->n + 2) * (g->n + 2));
    double *first = &g->u[AT_U(g, -1, -1, 0)], *last = &g->u[AT_U(g, -1, -1, g->planes - 1)];
    double *halo_below = &g->u[AT_U(g, -1, -1, -1)], *halo_above = &g->u[AT_U(g, -1, -1, g->planes)];
    MPI_Sendrecv(last, count, MPI_DOUBLE, g->above, TAG_UP, halo_below, count, MPI_DOUBLE, g->below, TAG_UP, g->comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(first, count, MPI_DOUBLE, g->below, TAG_DOWN, halo_above, count, MPI_DOUBLE, g->above, TAG_DOWN,
                 g->comm, MPI_STATUS_IGNORE);
}

/* Right-hand side: second differences of u in the three directions. No dependence between points: it vectorises. */
void explicit_part(grid *g) {
    const ptrdiff_t n = g->n, row = n + 2, plane = row * row;
    for (ptrdiff_t k = 0; k < g->planes; k++)
        for (ptrdiff_t j = 0; j < n; j++) {
            const double *restrict u = &g->u[AT_U(g, 0, j, k)];
            double *restrict d = &g->d[AT_D(g, 0, j, k)];
            for (ptrdiff_t i = 0; i < n; i++)
                d[i] = g->ratio * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] + u[i + plane] - 6 * u[i]);
        }
}

/* The recurrence runs along i, the innermost loop: each point waits for the one before. This is the slowest sweep
 * per point, although its memory access is the best of the three. */
void solve_x(grid *g) {
    const ptrdiff_t n = g->n;
    const double half = 0.5 * g->ratio, *restrict inv = g->inv, *restrict fac = g->fac;
    for (ptrdiff_t k = 0; k < g->planes; k++)
        for (ptrdiff_t j = 0; j < n; j++) {
            double *restrict d = &g->d[AT_D(g, 0, j, k)];
            d[0] *= inv[0];
            for (ptrdiff_t i = 1; i < n; i++)
                d[i] = (d[i] + half * d[i - 1]) * inv[i];
            for (ptrdiff_t i = n - 2; i >= 0; i--)
                d[i] += fac[i] * d[i + 1];
        }
}

/* The recurrence runs along j; all i of a row are independent, so the inner loops vectorise. */
void solve_y(grid *g) {
    const ptrdiff_t n = g->n;
    const double half = 0.5 * g->ratio, *restrict inv = g->inv, *restrict fac = g->fac;
    for (ptrdiff_t k = 0; k < g->planes; k++) {
        double *restrict first = &g->d[AT_D(g, 0, 0, k)];
        for (ptrdiff_t i = 0; i < n; i++)
            first[i] *= inv[0];
        for (ptrdiff_t j = 1; j < n; j++) {
            double *restrict d = &g->d[AT_D(g, 0, j, k)];
            const double *restrict before = d - n;
            for (ptrdiff_t i = 0; i < n; i++)
                d[i] = (d[i] + half * before[i]) * inv[j];
        }
        for (ptrdiff_t j = n - 2; j >= 0; j--) {
            double *restrict d = &g->d[AT_D(g, 0, j, k)];
            const double *restrict after = d + n;
            for (ptrdiff_t i = 0; i < n; i++)
                d[i] += fac[j] * after[i];
        }
    }
}

/* The recurrence runs along k, across the ranks: a rank cannot start a column before the rank below has finished it.
 * Done for the whole plane at once the ranks would work one after the other. So the plane is cut into blocks of
 * `block` rows: as soon as a block is through, it is sent on and the next rank starts on it. Small blocks fill the
 * pipeline sooner, large ones need fewer messages: ceil(n / block) messages per sweep and pair of neighbours, and
 * with N blocks and P ranks an efficiency of at most N / (N + P - 1). */
void solve_z_forward(grid *g, ptrdiff_t block) {
    const ptrdiff_t n = g->n, plane = n * n;
    const double half = 0.5 * g->ratio;
    for (ptrdiff_t row = 0; row < n; row += block) {
        const ptrdiff_t count = n * (row + block < n ? block : n - row);
        double *edge = &g->edge[n * row];
        if (g->below == MPI_PROC_NULL)
            for (ptrdiff_t i = 0; i < count; i++)
                edge[i] = 0; /* the wall */
        MPI_Recv(edge, (int)count, MPI_DOUBLE, g->below, TAG_FORWARD, g->comm, MPI_STATUS_IGNORE);
        for (ptrdiff_t k = 0; k < g->planes; k++) {
            double *restrict d = &g->d[AT_D(g, 0, row, k)];
            const double *restrict before = k ? d - plane : edge;
            const double inv = g->inv[g->first + k];
            for (ptrdiff_t i = 0; i < count; i++)
                d[i] = (d[i] + half * before[i]) * inv;
        }
        MPI_Send(&g->d[AT_D(g, 0, row, g->planes - 1)], (int)count, MPI_DOUBLE, g->above, TAG_FORWARD, g->comm);
    }
}

/* The same from the last rank to the first. */
void solve_z_backward(grid *g, ptrdiff_t block) {
    const ptrdiff_t n = g->n, plane = n * n;
    for (ptrdiff_t row = 0; row < n; row += block) {
        const ptrdiff_t count = n * (row + block < n ? block : n - row);
        double *edge = &g->edge[n * row];
        if (g->above == MPI_PROC_NULL)
            for (ptrdiff_t i = 0; i < count; i++)
                edge[i] = 0; /* the wall */
        MPI_Recv(edge, (int)count, MPI_DOUBLE, g->above, TAG_BACKWARD, g->comm, MPI_STATUS_IGNORE);
        for (ptrdiff_t k = g->planes - 1; k >= 0; k--) {
            double *restrict d = &g->d[AT_D(g, 0, row, k)];
            const double *restrict after = k < g->planes - 1 ? d + plane : edge;
            const double fac = g->fac[g->first + k];
            for (ptrdiff_t i = 0; i < count; i++)
                d[i] += fac * after[i];
        }
        MPI_Send(&g->d[AT_D(g, 0, row, 0)], (int)count, MPI_DOUBLE, g->below, TAG_BACKWARD, g->comm);
    }
}

double update(grid *g) {
    double largest = 0;
    for (ptrdiff_t k = 0; k < g->planes; k++)
        for (ptrdiff_t j = 0; j < g->n; j++) {
            double *restrict u = &g->u[AT_U(g, 0, j, k)];
            const double *restrict d = &g->d[AT_D(g, 0, j, k)];
            for (ptrdiff_t i = 0; i < g->n; i++) {
                const double change = fabs(d[i]);
                u[i] += d[i];
                largest = change > largest ? change : largest;
            }
        }
    return largest;
}
