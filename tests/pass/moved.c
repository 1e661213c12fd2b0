// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that are moved: by one step each time, now and then, by steps of any length; those with one of several values. What they
// point to is of the array in which they began, and is not the same address each time.
// RUN: %cc -O1 -g -fopenmp $(mpicc -showme:compile) -c %s -o %t.o; %map --arrays %t.o | %check; %map --messages %t.o | %check --check-prefix=MPI
#include <mpi.h>

struct part {
    double *buffer, *held;
    int *length, *list;
    int parts, moved;
};

void now_and_then(double *restrict to, const double *restrict from, int n) {
    double *next = to;
    for (int i = 0; i < n; i++)
        if (from[i] > 0)
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes to[?]: irregular
            *next++ = from[i];
}

void rows(double **row, const double *from, int m, int n) {
    for (int i = 0; i < m; i++) {
        double *at = row[i];
        for (int j = 0; j < n; j++)
            if (from[j] > 0)
                // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes row[i][?]: irregular
                *at++ = from[j];
            else
                // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes row[i][?]: irregular
                *at++ = 1;
    }
}

void steadily(double **row, int m, int n) {
    for (int i = 0; i < m; i++) {
        double *at = row[i];
        for (int j = 0; j < n; j++)
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes row[i][at]: contiguous
            *at++ = j;
    }
}

void pieces(struct part *p) {
    double *piece = p->buffer;
    for (int i = 0; i < p->parts; i++) {
        for (int j = 0; j < p->length[i]; j++)
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes p->buffer[? + j]: contiguous
            piece[j] = 1;
        piece += p->length[i];
    }
}

void one_of_several(double *a, double *b, const int *which, int n) {
    for (int i = 0; i < n; i++) {
        double *one = which[i] ? a : b, *two;
        if (which[i] > 3)
            two = a + i;
        else
            two = b;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes one: irregular
        *one = 1;
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes two: irregular
        *two = 1;
        for (int j = 0; j < n; j++)
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes two[j]: contiguous
            two[j] = 1;
    }
}

double *found(int i);
void returned(int n) {
    for (int i = 0; i < n; i++) {
        double *x = found(i);
        // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes x: irregular
        *x = 1;
        for (int j = 0; j < n; j++)
            // CHECK: [[#@LINE+1]]:{{[0-9]+}} writes x[j]: contiguous
            x[j] = 1;
    }
}

// the front end's own variables are no data of the program
double shared;
void region(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        // CHECK-NOT: .global_tid.
#pragma omp critical
        shared += i;
    }
}

// what a moved pointer sends is filled by the loop that fills its array; what is being received is read by nobody before the wait
void exchange(struct part *p, double *x, MPI_Request *request) {
    double *from = p->buffer, *into = x + p->moved;
    for (int i = 0; i < p->parts; i++) {
        // MPI: MPI_Irecv in exchange
        // MPI-NEXT: into x[? + p->moved : {{.*}}]
        // MPI-NOT: unpacked by loop at lines [[#@LINE+6]]
        // MPI: unpacked by loop at lines [[#@LINE+15]]-[[#@LINE+16]]
        MPI_Irecv(into, p->length[i], MPI_DOUBLE, i, 0, MPI_COMM_WORLD, request + i);
        into += p->length[i];
    }
    // filled here
    for (int i = 0; i < p->moved; i++)
        p->buffer[i] = x[p->list[i]];
    for (int i = 0; i < p->parts; i++) {
        // MPI: MPI_Send in exchange
        // MPI-NEXT: from p->buffer[? : {{.*}}]
        // MPI: packed by loop at lines [[#@LINE-5]]-[[#@LINE-4]]
        MPI_Send(from, p->length[i], MPI_DOUBLE, i, 0, MPI_COMM_WORLD);
        from += p->length[i];
    }
    MPI_Waitall(p->parts, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < p->moved; i++)
        p->held[i] = x[i];
}
