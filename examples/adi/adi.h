/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Alternating-direction solver for the heat equation: what adi.c and sweeps.c share. */
#ifndef ADI_H
#define ADI_H

#include <mpi.h>
#include <stddef.h>

/* The grid has n x n x n inner points. It is cut into slabs of whole xy planes, one slab a rank: this rank owns the
 * planes [first, first + planes) of the global grid.
 *
 * u     temperature, with a frame of one point on all six sides: walls (always 0) in x and y, walls or the
 *       neighbour's plane (the halo) in z. u[AT_U(g, i, j, k)], i, j, k from -1.
 * d     right-hand side, then the change of u in one step; without a frame. d[AT_D(g, i, j, k)], from 0.
 * edge  one xy plane that the pipelined sweeps receive from a neighbour.
 * inv, fac  the factors of the tridiagonal matrix, the same in the three directions (n of each). */
typedef struct grid {
    ptrdiff_t n, first, planes;
    double *u, *d, *edge, *inv, *fac;
    double ratio; /* time step / (mesh width)^2 */
    int below, above; /* ranks with the slabs before and after; MPI_PROC_NULL at the walls */
    MPI_Comm comm;
} grid;

#define AT_U(g, i, j, k) ((((k) + 1) * ((g)->n + 2) + (j) + 1) * ((g)->n + 2) + (i) + 1)
#define AT_D(g, i, j, k) (((k) * (g)->n + (j)) * (g)->n + (i))

/* One step is these seven, in this order. */
void exchange_halo(grid *g);
void explicit_part(grid *g);
void solve_x(grid *g);
void solve_y(grid *g);
void solve_z_forward(grid *g, ptrdiff_t block);
void solve_z_backward(grid *g, ptrdiff_t block);
double update(grid *g); /* returns the largest change on this rank */

#endif
