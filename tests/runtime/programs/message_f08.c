/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of C for message_f08.f90; what both ranks count behind each, as there. */
#include <mpi.h>
#include <time.h>

void c_isend(double *buffer, int partner, MPI_Fint *request);
void c_wait(MPI_Fint *request);
void c_pause(void);

void c_isend(double *buffer, int partner, MPI_Fint *request) {
    MPI_Request r;
    MPI_Isend(buffer, 7, MPI_DOUBLE, partner, 12, MPI_COMM_WORLD, &r); //#? MPI_Isend 2 s112 c2
    *request = MPI_Request_c2f(r);
}

void c_wait(MPI_Fint *request) {
    MPI_Request r = MPI_Request_f2c(*request);
    MPI_Wait(&r, MPI_STATUS_IGNORE); //#? MPI_Wait 2 c2
    *request = MPI_Request_c2f(r);
}

void c_pause(void) {
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}
