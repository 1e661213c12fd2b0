// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of buffers that only the call mentions, with line tables alone; where it is a macro's, those that are known from elsewhere (`macro` is set).
// RUN: %cc -O2 $(mpicc -showme:compile) -c %s -o %t.o; %map --messages %t.o | %check
#include <mpi.h>
double work(void);
#define REDUCE(a, b) MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)
// CHECK: calls of MPI
void sums(void) {
    double mine = work(), all, parts[4], macro = work(), other;
    // CHECK: MPI_Allreduce in sums
    // CHECK-NEXT: from mine
    // CHECK: into all
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    // CHECK: MPI_Allgather in sums
    // CHECK-NEXT: from mine
    // CHECK: into parts[0]
    MPI_Allgather(
        &mine, 1, MPI_DOUBLE, &parts[0],
        1, MPI_DOUBLE, MPI_COMM_WORLD);
    // CHECK: MPI_Allreduce in sums
    // CHECK-NEXT: from macro
    // CHECK: into ?
    REDUCE(&macro, &other);
}
