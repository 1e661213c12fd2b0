/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A part of the wrappers that is slow: the library tells the size of a type only after so much CPU time. message_slow_sizes TYPES US: sends one message of
 * each of TYPES types to itself; prints the CPU time that was taken so, in seconds. As a library (SLOW): what takes it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef SLOW
#include <dlfcn.h>

double slow_s, slow_us;

static double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int PMPI_Type_size(MPI_Datatype type, int *size) {
    static int (*real)(MPI_Datatype, int *);
    double begin = cpu_s(), now = begin;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Type_size");
    while (now < begin + 1e-6 * slow_us)
        now = cpu_s();
    slow_s += now - begin;
    return real(type, size);
}
#else
extern double slow_s, slow_us;

int main(int argc, char **argv) {
    long types = argc > 2 ? atol(argv[1]) : 0;
    static char from[4096], to[4096];
    MPI_Init(&argc, &argv);
    slow_us = argc > 2 ? atof(argv[2]) : 0;
    for (long i = 0; i < types; i++) {
        MPI_Datatype t;
        MPI_Type_contiguous((int)(1 + i % 4096), MPI_CHAR, &t);
        MPI_Type_commit(&t);
        MPI_Sendrecv(from, 1, t, 0, 1, to, 1, t, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Type_free(&t);
    }
    printf("%.6f\n", slow_s);
    return MPI_Finalize();
}
#endif
