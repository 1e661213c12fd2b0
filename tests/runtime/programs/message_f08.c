/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of C for message_f08.f90; what both ranks count behind each, as there. */
#include <mpi.h>
#include <time.h>

void c_isend(double *buffer, int partner, MPI_Fint *request);
void c_wait(MPI_Fint *request);
void c_turn(MPI_Fint *requests);
MPI_Fint c_probe(int partner);
void c_put(double *buffer, int partner, MPI_Fint window);
void c_pause(void);

void c_isend(double *buffer, int partner, MPI_Fint *request) {
    MPI_Request r;
    MPI_Isend(buffer, 7, MPI_DOUBLE, partner, 12, MPI_COMM_WORLD, &r); //# MPI_Isend 2 s112 c2
    *request = MPI_Request_c2f(r);
}

void c_wait(MPI_Fint *request) {
    MPI_Request r = MPI_Request_f2c(*request);
    MPI_Wait(&r, MPI_STATUS_IGNORE); //# MPI_Wait 2 c2
    *request = MPI_Request_c2f(r);
}

void c_turn(MPI_Fint *requests) {
    MPI_Request r[2] = {MPI_Request_f2c(requests[0]), MPI_Request_f2c(requests[1])};
    MPI_Start(&r[0]); //# MPI_Start 2 # MPI_Send_init 2 s128 c2
    MPI_Start(&r[1]); //# MPI_Start 2 # MPI_Recv_init 2 r128 c2
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE); //# MPI_Waitall 2 c4
}

MPI_Fint c_probe(int partner) {
    MPI_Message m;
    MPI_Mprobe(partner, 15, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE); //# MPI_Mprobe 2 c2
    return MPI_Message_c2f(m);
}

void c_put(double *buffer, int partner, MPI_Fint window) {
    MPI_Put(buffer, 4, MPI_DOUBLE, partner, 8, 4, MPI_DOUBLE, MPI_Win_f2c(window)); //# MPI_Put 2 s64
}

void c_pause(void) {
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL); /* by far longer than a busy machine keeps a rank from its turn */
}
