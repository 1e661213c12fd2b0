/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of MPI from the same instruction with the same stack pointer by different call paths, and by one path with
 * different stack pointers. Each path has a number of calls of its own; what was called in between is another path each
 * time. */
#include <mpi.h>
#include <alloca.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
enum { BITS = 6, PATTERNS = 1 << BITS };
static char data[8];

/* Tail calls: the frame of the one before is gone. */
static NOINLINE int leaf(int tag) {
    return MPI_Send(data, 1, MPI_BYTE, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
}
static NOINLINE int jumps(int tag) {
    return leaf(tag + 1);
}

/* Left and right have frames of one size: all patterns of them end at one instruction with one stack pointer. */
static NOINLINE void left(unsigned pattern, int depth);
static NOINLINE void right(unsigned pattern, int depth);
static NOINLINE void step(unsigned pattern, int depth) {
    if (!depth)
        MPI_Ssend(data, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    else if (pattern & 1)
        left(pattern >> 1, depth - 1);
    else
        right(pattern >> 1, depth - 1);
    __asm__ volatile("");
}
static NOINLINE void left(unsigned pattern, int depth) {
    step(pattern, depth);
    __asm__ volatile("# left");
}
static NOINLINE void right(unsigned pattern, int depth) {
    step(pattern, depth);
    __asm__ volatile("# right");
}

static NOINLINE void deep(int depth) {
    if (depth)
        deep(depth - 1);
    else
        MPI_Barrier(MPI_COMM_SELF);
    __asm__ volatile("");
}

static NOINLINE void wide(unsigned bytes) {
    char *p = alloca(bytes);
    memset(p, 1, bytes);
    __asm__ volatile("" : : "r"(p) : "memory");
    MPI_Bcast(data, 1, MPI_BYTE, 0, MPI_COMM_SELF);
    __asm__ volatile("" : : "r"(p) : "memory");
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (unsigned n = 0; n < PATTERNS; n++) /* pattern p is called p + 1 times */
        for (unsigned p = n; p < PATTERNS; p++)
            step(p * 37 % PATTERNS, BITS);
    for (int n = 0; n < 20; n++)
        for (int depth = n; depth < 20; depth++)
            deep(depth);
    for (unsigned n = 0; n < 300; n++)
        wide(16 + n * 48 % 4096);
    for (int n = 0; n < 40; n++) {
        leaf(1);
        if (n % 2)
            jumps(2);
        if (n % 4)
            leaf(3);
    }
    MPI_Finalize();
    return 0;
}
