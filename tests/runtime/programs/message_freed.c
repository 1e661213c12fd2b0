/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* message_freed WINDOWS: makes so many windows, one after the other, with fences, and frees them; prints by how many KiB the memory of all ranks grew from the
 * hundredth of that on, when the library has what it keeps. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long mapped_kib(void) {
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * 4;
}

int main(int argc, char **argv) {
    long windows = argc > 1 ? atol(argv[1]) : 100, before = 0;
    static int memory[16];
    MPI_Init(&argc, &argv);
    for (long i = 0; i < windows; i++) {
        MPI_Win w;
        if (i == windows / 100)
            before = mapped_kib();
        MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
        MPI_Win_fence(0, w);
        MPI_Win_fence(0, w);
        MPI_Win_free(&w);
    }
    long grown = mapped_kib() - before, all;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&grown, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("%ld\n", all);
    return MPI_Finalize();
}
