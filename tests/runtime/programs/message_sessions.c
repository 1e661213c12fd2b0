/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages without MPI_Init: two sessions, one after the other and both at once, communicators under one name, and one with its ranks turned round. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int code, const char *what) {
    if (code == MPI_SUCCESS)
        return;
    fprintf(stderr, "%s failed\n", what);
    exit(3);
}

static MPI_Comm all_of(MPI_Session session) {
    MPI_Group group;
    MPI_Comm made;
    check(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), "MPI_Group_from_session_pset");
    check(MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made), "MPI_Comm_create_from_group");
    MPI_Group_free(&group);
    return made;
}

/* Each rank sends `count` numbers to the next one. */
static void round_of(MPI_Comm comm, int count, double *x) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(x, count, MPI_DOUBLE, (rank + 1) % size, 7, x + count, count, MPI_DOUBLE, (rank + size - 1) % size, 7, comm, MPI_STATUS_IGNORE);
}

int main(void) {
    static double x[400];
    MPI_Session first, second;
    int rank;
    check(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first), "MPI_Session_init");
    MPI_Comm all = all_of(first);
    MPI_Comm_rank(all, &rank);
    round_of(all, 10, x);
    MPI_Comm_free(&all);
    check(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second), "MPI_Session_init again");
    all = all_of(second);
    round_of(all, 20, x);
    MPI_Session_finalize(&first);
    MPI_Comm turned;
    check(MPI_Comm_split(all, 0, -rank, &turned), "MPI_Comm_split");
    if (rank == 0)
        MPI_Send(x, 30, MPI_DOUBLE, 0, 8, turned); /* the last rank */
    int turned_rank;
    MPI_Comm_rank(turned, &turned_rank);
    if (turned_rank == 0)
        MPI_Recv(x, 30, MPI_DOUBLE, MPI_ANY_SOURCE, 8, turned, MPI_STATUS_IGNORE);
    MPI_Comm_free(&turned);
    MPI_Comm_free(&all);
    MPI_Session_finalize(&second);
    return 0;
}
