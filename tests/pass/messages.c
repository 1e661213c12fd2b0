// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of C: roles, constants, sections, requests and waits, packing, derived types, partners.
// RUN: for o in 0 2; do %cc -g -O$o $(mpicc -showme:compile) -c %s -o %t.$o.o; %map --messages %t.$o.o | %check; done
// RUN: %map -o %t.hsm %t.2.o; %dump %t.hsm | FileCheck-19 --check-prefix=DUMP %s
// DUMP: symbolic {{.*}} name="left" where=1(call) {{.*}} argument=4
// DUMP: message_match {{.*}} confidence=2(likely)
#include <mpi.h>
double plane[8][100], line[100];
struct part {
    double *u;
    int n, left;
    MPI_Comm comm;
};

// CHECK: calls of MPI
void halo(struct part *p, int left, int right, int k) {
    MPI_Request request[2];
    // CHECK: [[#@LINE+9]] MPI_Irecv in halo
    // CHECK-NEXT: into p->u[0 : p->n - 1]
    // CHECK-NEXT: count p->n
    // CHECK-NEXT: type MPI_DOUBLE
    // CHECK-NEXT: from rank right
    // CHECK-NEXT: tag 7
    // CHECK-NEXT: in p->comm
    // CHECK-NEXT: request request[0]
    // CHECK-NEXT: waited for by MPI_Waitall at line [[#@LINE+16]] (certain)
    MPI_Irecv(p->u, p->n, MPI_DOUBLE, right, 7, p->comm, &request[0]);
    for (int i = 0; i < 100; i++)
        line[i] = plane[i % 8][i];
    // CHECK: [[#@LINE+10]] MPI_Isend in halo
    // CHECK-NEXT: from line[0 : 99]
    // CHECK-NEXT: count 100
    // CHECK-NEXT: type MPI_DOUBLE
    // CHECK-NEXT: to rank left
    // CHECK-NEXT: tag 7
    // CHECK-NEXT: in p->comm
    // CHECK-NEXT: request request[1]
    // CHECK-NEXT: packed by loop at lines [[#@LINE-10]]-[[#@LINE-9]] (likely)
    // CHECK-NEXT: waited for by MPI_Waitall at line [[#@LINE+3]] (certain)
    MPI_Isend(line, 100, MPI_DOUBLE, left, 7, p->comm, &request[1]);
    // CHECK: received by MPI_Irecv at {{.*}}messages.c:[[#@LINE-14]] (likely)
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    // CHECK: [[#@LINE+6]] MPI_Send in halo
    // CHECK-NEXT: from plane[k][0 : 99]
    // CHECK-NEXT: count 100
    // CHECK-NEXT: type MPI_DOUBLE
    // CHECK-NEXT: to rank MPI_PROC_NULL
    // CHECK-NEXT: tag {{.*}}
    MPI_Send(plane[k], 100, MPI_DOUBLE, MPI_PROC_NULL, 2 * k + 1, MPI_COMM_WORLD);
    // CHECK: [[#@LINE+3]] MPI_Recv in halo
    // CHECK-NEXT: into plane[2 : 3][0 : 99]
    // CHECK: from rank MPI_ANY_SOURCE
    MPI_Recv(plane[2], 200, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; i++)
        p->u[i] = plane[2][i];
    // CHECK: unpacked by loop at lines [[#@LINE-2]]-[[#@LINE-1]] (likely)
}

double collective(double mine, int root) {
    double sum;
    // CHECK: [[#@LINE+7]] MPI_Reduce in collective
    // CHECK-NEXT: from mine
    // CHECK-NEXT: into sum
    // CHECK-NEXT: count 1
    // CHECK-NEXT: type MPI_DOUBLE
    // CHECK-NEXT: operation MPI_SUM
    // CHECK-NEXT: root root
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    // CHECK: [[#@LINE+2]] MPI_Allreduce in collective
    // CHECK-NEXT: from MPI_IN_PLACE
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return sum;
}

void types(void) {
    MPI_Datatype column, record;
    // CHECK: [[#@LINE+6]] MPI_Type_vector in types
    // CHECK-NEXT: count 8
    // CHECK-NEXT: block length 2
    // CHECK-NEXT: stride 100
    // CHECK-NEXT: type MPI_DOUBLE
    // CHECK-NEXT: makes type {{.*}}column
    MPI_Type_vector(8, 2, 100, MPI_DOUBLE, &column);
    // CHECK-NEXT: 128 bytes of data in 5616
    MPI_Type_commit(&column);
    // CHECK: [[#@LINE+2]] MPI_Send in types
    // CHECK-NEXT: from plane[0 : ][5 : ], 1 of type column
    MPI_Send(&plane[0][5], 1, column, 3, 9, MPI_COMM_WORLD);
    int lengths[2] = {3, 1};
    MPI_Aint where[2] = {0, 24};
    MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT};
    // CHECK: [[#@LINE+1]] MPI_Type_create_struct in types
    MPI_Type_create_struct(2, lengths, where, parts, &record);
    // CHECK: 28 bytes of data in 32
}

void packed(const double *a, int n, char *buffer, int size) {
    int position = 0;
    MPI_Pack(a, n, MPI_DOUBLE, buffer, size, &position, MPI_COMM_WORLD);
    // CHECK: [[#@LINE+2]] MPI_Send in packed
    // CHECK: packed by call MPI_Pack at line [[#@LINE-2]] (certain)
    MPI_Send(buffer, position, MPI_PACKED, 1, 5, MPI_COMM_WORLD);
}

/* What is read beside a message is what that message brought; what is read in the next loop is what the one there brought. */
void twice(double *got, double *sum, int n, int from) {
    MPI_Request request;
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]] MPI_Irecv in twice
        MPI_Irecv(got, 2, MPI_DOUBLE, from, i, MPI_COMM_WORLD, &request);
        // CHECK-NOT: unpacked
        // CHECK: read as got[1] at line [[#@LINE+5]] (likely)
        // CHECK-NOT: read as
        // CHECK-NOT: unpacked
        // CHECK: [[#@LINE+1]] MPI_Wait in twice
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum[0] += got[1];
    }
    for (int i = 0; i < n; i++) {
        // CHECK: [[#@LINE+1]] MPI_Irecv in twice
        MPI_Irecv(got, 2, MPI_DOUBLE, from, i, MPI_COMM_WORLD, &request);
        // CHECK: read as got[1] at line [[#@LINE+2]] (likely)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum[1] += got[1];
    }
}

/* What was written before the loop round a message is overwritten in it. */
void again(double *out, const double *a, int n, int steps) {
    for (int i = 0; i < n; i++)
        out[i] = 0;
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++)
            out[i] += a[i] * s;
        // CHECK: [[#@LINE+4]] MPI_Send in again
        // CHECK-NOT: packed
        // CHECK: packed by loop at lines [[#@LINE-4]]-[[#@LINE-3]] (likely)
        // CHECK-NOT: packed
        MPI_Send(out, n, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
    }
    // CHECK: [[#@LINE+1]] MPI_Barrier in again
    MPI_Barrier(MPI_COMM_WORLD);
}
