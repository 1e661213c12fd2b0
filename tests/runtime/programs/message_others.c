/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages of which some go to nobody; windows by request and atomic operations; files. Usage: message_others nobody|windows|faults|timed|files FILE */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { TIMES = 10, COUNT = 1000 };

static double data[COUNT], other[COUNT];
static int rank, ranks;

/* Along a line of ranks: the last has nobody above it, the first nobody below. */
static void nobody(void) {
    int above = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, below = rank ? rank - 1 : MPI_PROC_NULL;
    MPI_Request r;
    for (int i = 0; i < TIMES; i++) {
        MPI_Sendrecv(data, COUNT, MPI_DOUBLE, above, 1, other, COUNT, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(other, COUNT, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, COUNT, MPI_DOUBLE, above, 2, MPI_COMM_WORLD);
        MPI_Isend(data, COUNT, MPI_DOUBLE, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Send_init(data, COUNT, MPI_DOUBLE, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &r);
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
#if MPI_VERSION >= 4
    MPI_Isendrecv(data, COUNT, MPI_DOUBLE, above, 5, other, COUNT, MPI_DOUBLE, below, 5, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
#endif
}

static void windows(void) {
    int to = (rank + 1) % ranks;
    double one = 1, result = 0;
    MPI_Win w;
    MPI_Request r;
    MPI_Win_create(other, sizeof other, sizeof *other, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_lock_all(0, w);
    MPI_Rput(data, 3, MPI_DOUBLE, to, 0, 3, MPI_DOUBLE, w, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Rget(data, 2, MPI_DOUBLE, to, 10, 2, MPI_DOUBLE, w, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Fetch_and_op(&one, &result, MPI_DOUBLE, to, 20, MPI_SUM, w);
    long swap = 1, compare = 0, was = 0;
    MPI_Compare_and_swap(&swap, &compare, &was, MPI_LONG, to, 30, w);
    MPI_Get_accumulate(data, 4, MPI_DOUBLE, data + 100, 4, MPI_DOUBLE, to, 40, 4, MPI_DOUBLE, MPI_SUM, w);
    MPI_Win_flush_all(w);
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
}

/* Page faults of what is done again and again, after the first times; two ranks and more. */
static void faults(void) {
    enum { WARM = 100, MANY = 1000 };
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Win w;
    MPI_Group all, origin, target;
    struct rusage before, after;
    MPI_Win_create(other, sizeof other, sizeof *other, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &from, &origin);
    MPI_Group_incl(all, 1, &to, &target);
    for (int i = 0; i < WARM + MANY; i++) {
        if (i == WARM)
            getrusage(RUSAGE_SELF, &before);
        MPI_Win_post(origin, 0, w);
        MPI_Win_start(target, 0, w);
        MPI_Put(data, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, w);
        MPI_Win_complete(w);
        MPI_Win_wait(w);
    }
    getrusage(RUSAGE_SELF, &after);
    printf("epochs %d faults %ld\n", MANY, after.ru_minflt - before.ru_minflt);
    MPI_Win_free(&w);
    for (int i = 0; i < WARM + MANY; i++) {
        MPI_Comm made;
        if (i == WARM)
            getrusage(RUSAGE_SELF, &before);
        MPI_Comm_dup(MPI_COMM_SELF, &made);
        MPI_Comm_free(&made);
    }
    getrusage(RUSAGE_SELF, &after);
    printf("communicators %d faults %ld\n", MANY, after.ru_minflt - before.ru_minflt);
}

static void files(char *path) {
    int numbers[100] = {0};
    MPI_File f;
    MPI_Request r;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
    MPI_Offset at = (MPI_Offset)rank * (MPI_Offset)sizeof numbers;
    MPI_File_write_at(f, at, numbers, 100, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(f, at, numbers, 50, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(f);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(f, at, numbers, 20, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iread_at(f, at, numbers, 30, MPI_INT, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Offset size;
    MPI_File_get_size(f, &size);
    MPI_File_set_atomicity(f, 1);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_File_set_info(f, info);
    MPI_Info_free(&info);
    MPI_File_seek(f, at, MPI_SEEK_SET);
    MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
    MPI_File_get_position_shared(f, &size);
    MPI_File_close(&f);
    char own[4096];
    snprintf(own, sizeof own, "%s.%d", path, rank);
    MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
    MPI_File_close(&f);
    MPI_File_delete(own, MPI_INFO_NULL);
}

/* Calls that are timed, and no more is known of. Each rank sends the other what the other takes late. */
static void timed(void) {
    void *memory, *buffer = malloc(100000 + MPI_BSEND_OVERHEAD);
    int flag, bytes, partner = rank ^ 1;
    char name[MPI_MAX_PORT_NAME];
    MPI_Request r;
    MPI_Win w;
    MPI_Comm one;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Alloc_mem(100000, MPI_INFO_NULL, &memory);
    MPI_Buffer_attach(buffer, 100000 + MPI_BSEND_OVERHEAD);
    MPI_Irecv(memory, 50000, MPI_BYTE, partner, 3, MPI_COMM_WORLD, &r);
    MPI_Bsend((char *)memory + 50000, 50000, MPI_BYTE, partner, 3, MPI_COMM_WORLD);
    MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &bytes);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_attach(w, memory, 100000);
    MPI_Win_detach(w, memory);
    MPI_Win_set_info(w, info);
    MPI_Win_free(&w);
    MPI_Free_mem(memory);
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_set_info(one, info);
    MPI_Comm_free(&one);
    if (!rank) {
        MPI_Open_port(MPI_INFO_NULL, name);
        MPI_Close_port(name);
    }
    MPI_Info_free(&info);
    free(buffer);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && !strcmp(argv[1], "nobody"))
        nobody();
    else if (argc > 1 && !strcmp(argv[1], "windows"))
        windows();
    else if (argc > 1 && !strcmp(argv[1], "timed"))
        timed();
    else if (argc > 1 && !strcmp(argv[1], "faults"))
        faults();
    else if (argc > 2)
        files(argv[2]);
    MPI_Finalize();
    return 0;
}
