/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops, arrays, messages and directives that the database must know. The calls of MPI are our own and only compute. */
#include <stdio.h>
#include <stdlib.h>

typedef int MPI_Comm, MPI_Datatype, MPI_Request;
typedef struct MPI_Status {
    int source;
} MPI_Status;
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Wait(MPI_Request *request, MPI_Status *status);

double field[64][128], edge[128];
int index_of[128];

__attribute__((noinline)) void pack(int column) {
    MPI_Request request;
    MPI_Status status;
    for (int i = 0; i < 64; i++) /* LOOP pack */
        edge[i] = field[i][column];
    MPI_Isend(edge, 64, 7, 1, 5, 0, &request); /* SEND */
    MPI_Wait(&request, &status);               /* WAIT */
}

__attribute__((noinline)) void gather(double *restrict out, long n) {
    for (long i = 0; i < n; i += 2) /* LOOP gather */
        out[i] += edge[index_of[i & 127]];
}

__attribute__((noinline)) void scale(double *a, const double *b, const double *c, long n) {
    for (long i = 0; i < n; i++) /* LOOP checked */
        a[i] = b[i] * c[i];
}

__attribute__((noinline)) double sum(const double *a, long n) {
    double total = 0;
#pragma omp parallel for reduction(+ : total) schedule(static) /* DIRECTIVE */
    for (long i = 0; i < n; i++) /* LOOP shared */
        total += a[i];
    return total;
}

__attribute__((noinline)) int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                                        MPI_Request *request) {
    __asm__ volatile("" ::: "memory");
    *request = type + to + tag + comm;
    return count + (buffer != NULL);
}

__attribute__((noinline)) int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    __asm__ volatile("" ::: "memory");
    status->source = *request;
    return 0;
}

int main(void) {
    enum { N = 4096 };
    double *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b), *c = calloc(N, sizeof *c), all = 0;
    if (!a || !b || !c)
        return 1;
    for (int round = 0; round < 20000; round++) {
        for (int column = 0; column < 32; column++) /* so that no loop is left without samples */
            pack(column);
        gather(a, N);
        scale(b, a, c, N);
        if (round % 2 == 0)
            all += sum(a, N);
    }
    printf("%g\n", all);
    free(a);
    free(b);
    free(c);
    return 0;
}
