// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays and references of C: names, subscripts and strides as written, at every level.
// RUN: for o in 0 1 2 3; do %cc -fopenmp -g -O$o -c %s -o %t.$o.o; %map --arrays %t.$o.o | %check; done
// RUN: %cc -fopenmp -O2 -c %s -o %t.lines.o; %map --arrays %t.lines.o | FileCheck-19 --check-prefix=LINES %s
#include <stddef.h>
#include <stdlib.h>
double grid[64][100];
static int table[10];
struct particle {
    double x[3];
    int cell;
};
struct field {
    double *u;
    int n;
    double fixed[8];
};

// CHECK-DAG: [[#@LINE-12]] array grid[64][100]: double, 8 bytes, global, symbol grid
// CHECK-DAG: [[#@LINE+3]] array a[?]: double, 8 bytes, argument, in affine
// CHECK-DAG: [[#@LINE-13]] array table[10]: int, 4 bytes, static, symbol table
// CHECK: affine
void affine(double *a, int n, int m) {
    for (int i = 1; i < n; i++)
        for (int j = 0; j < 100; j += 2) {
            // CHECK: [[#@LINE+4]]:{{[0-9]+}} reads a[i*m + j - 1]: constant, 16 bytes
            // CHECK: [[#@LINE+3]]:{{[0-9]+}} reads grid[i][j]: constant, 16 bytes
            // CHECK: [[#@LINE+2]]:{{[0-9]+}} writes grid[i][j]: constant, 16 bytes
            // LINES: [[#@LINE+1]]:{{[0-9]+}} reads a[i*m + j - 1]: constant, 16 bytes
            grid[i][j] += a[i * m + j - 1];
        }
    for (int j = 0; j < 100; j++)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes grid[j][3]: constant, 800 bytes
        grid[j][3] = 0;
    for (int i = n - 1; i >= 0; i--)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes a[i]: contiguous, backwards
        a[i] = 1;
    for (int i = 0; i < n; i++)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes a[i*m]: the same in each iteration, known to the run, 8*m bytes
        a[i * m] = 1;
}

// CHECK: order
void order(double *J, const double *x, const int *iN, int rows, int cols, long a, long b) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes J[iN[i]*cols + j]
            J[ iN[i]* cols +j ] = 0;
            // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads x[j*b - a + i]
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes J[j + i*cols]
            J[j+i * cols] = x[j * b - a + i];
        }
}

// CHECK: pointers
void pointers(struct field *f, const int *index, double *p, double *end) {
    while (p < end)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes p[p]: contiguous
        *p++ = 0;
    double *row = &f->u[f->n * 3];
    for (int i = 0; i < f->n; i++) {
        // CHECK: [[#@LINE+5]]:{{[0-9]+}} reads index[i]: contiguous
        // CHECK: [[#@LINE+4]]:{{[0-9]+}} reads f->u[index[i]]: through an index array index
        // CHECK: [[#@LINE+3]]:{{[0-9]+}} reads f->fixed[2]: the same address
        // CHECK: [[#@LINE+2]]:{{[0-9]+}} writes f->u[{{3[*]f->n [+] i|i [+] 3[*]f->n}}]: contiguous
        // LINES: [[#@LINE+1]]:{{[0-9]+}} reads f->u[index[i]]: through an index array index
        row[i] = f->u[index[i]] + f->fixed[2];
    }
}

int structures(struct particle *list, int n, int start) {
    int sum = 0, k = start;
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes list[].x[i][1]: constant, 32 bytes
        list[i].x[1] = 0;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads list[].cell[i]: constant, 32 bytes
        if (list[i].cell)
            k++;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads table[k]: irregular
        sum += table[k];
    }
    // an index with several values after a branch, and one that a call may change
    return sum;
}

void made(int n) {
    double *heap = malloc(n * sizeof *heap);
    for (int i = 0; i < n; i++)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes heap[i]: contiguous
        heap[i] = i;
    free(heap);
}

void region(double *a, double (*b)[100], int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        for (int j = 0; j < 100; j++)
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} reads b[i][j]: contiguous
            a[i] += b[i][j];
}

typedef int local_index;
struct matrix {
    double **value, **diagonal;
    int **column;
};

// rows of their own, read through an array of pointers: subscripts of the one are none of the other's
void rows(const struct matrix *m, const double *x, double *y, int n) {
#pragma omp parallel for
    for (local_index i = 0; i < n; i++) {
        // CHECK: [[#@LINE+3]]:{{[0-9]+}} reads m->diagonal[i][0]: through an array of pointers m->diagonal
        // LINES: [[#@LINE+2]]:{{[0-9]+}} reads m->diagonal[i][0]: through an array of pointers m->diagonal
        // LINES: [[#@LINE+1]]:{{[0-9]+}} writes y[i]: contiguous
        y[i] = m->diagonal[i][0];
        for (int j = 0; j < 8; j++)
            // CHECK: [[#@LINE+2]]:{{[0-9]+}} reads m->value[i][j]: contiguous
            // LINES: [[#@LINE+1]]:{{[0-9]+}} reads m->value[i][j]: contiguous
            y[i] += m->value[i][j] * x[j];
    }
}

void records(struct particle **held, int n) {
    for (int i = 0; i < n; i++)
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes held[]->cell[i]: through an array of pointers held
        held[i]->cell = 0;
}

#define MORE(c) ((c) > 0)
// a macro is no variable, nor is a type; of a variable that is met first in a macro later reads tell the name
int named(const int *list, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        // LINES: [[#@LINE+2]]:{{[0-9]+}} reads list[{{[i?]}}]: contiguous
        // LINES-NOT: MORE[
        sum += MORE(list[i]);
    for (local_index k = 0; k < n; k++)
        // LINES: [[#@LINE+2]]:{{[0-9]+}} reads list[k]: contiguous
        // LINES-NOT: local_index]
        sum += list[k];
    return sum;
}
