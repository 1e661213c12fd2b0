/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Four ranks that exchange with their neighbours of a topology, K times each; one is late by a loop of its own. Rank 0 prints how long others
 * waited for it, by the clock that the programs read themselves right before and after the calls:
 *
 *   WAY VICTIM SECONDS
 *
 * line     0 - 1 - 2 - 3, a grid without a period: 1 works in loop A; 0 and 2 wait for it, 3 does not
 * begun    a graph that is a ring: 2 works in loop B before it begins the exchange; 1 and 3 wait in MPI_Wait, 0 does not
 * from     0 -> 1 -> 2 -> 3, a graph of directions: 1 works in loop C; 2 waits for what it sends, 0 and 3 do not
 * to       the same, so large that it can't be sent without the receiver: 0 waits, too
 * several  line and graph at once: 2 works in loop D before it begins both; 1 and 3 wait in MPI_Waitall
 * started  persistent, on the line: 3 works in loop E before it starts; 2 waits (where the library has it)
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { K = 10, RANKS = 4, SMALL = 8, LARGE = 1 << 20, LINE = 0, BEGUN, FROM, TO, SEVERAL, STARTED, WAYS };
static const struct {
    const char *name;
    int late, victims[RANKS];
} ways[WAYS] = {{"line", 1, {1, 0, 1, 0}}, {"begun", 2, {0, 1, 0, 1}},   {"from", 1, {0, 0, 1, 0}},
                {"to", 1, {1, 0, 1, 0}},   {"several", 2, {0, 1, 0, 1}}, {"started", 3, {0, 0, 1, 0}}};
static double entered[WAYS][K], left[WAYS][K];
static char *out, *in;
static int rank;
static volatile uint64_t unit = 1000000, result;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `odd`: so that no two are the same to the compiler */
#define WORK(name, odd)                                      \
    static __attribute__((noinline)) void name(int n) {      \
        uint64_t x = result, end = unit * (uint64_t)n;       \
        for (uint64_t i = 0; i < end; i++)                   \
            x = (x ^ x >> 29) * 6364136223846793005u + (odd); \
        result = x;                                          \
    }
WORK(loop_a, 1)
WORK(loop_b, 3)
WORK(loop_c, 5)
WORK(loop_d, 7)
WORK(loop_e, 9)

#define WORKED(way, k, loop)           \
    do {                               \
        MPI_Barrier(MPI_COMM_WORLD);   \
        if (rank == ways[way].late)    \
            loop(10);                  \
        entered[way][k] = now();       \
    } while (0)

#define WAITED(way, k, call)             \
    do {                                 \
        if (rank != ways[way].late)      \
            entered[way][k] = now();     \
        call;                            \
        left[way][k] = now();            \
    } while (0)

static void run(int k, MPI_Comm line, MPI_Comm ring, MPI_Comm directed) {
    static const int two[] = {SMALL, SMALL}, at[] = {0, SMALL};
    MPI_Request r[2];
    WORKED(LINE, k, loop_a);
    WAITED(LINE, k, MPI_Neighbor_alltoall(out, SMALL, MPI_BYTE, in, SMALL, MPI_BYTE, line)); /* line */
    WORKED(BEGUN, k, loop_b);
    MPI_Ineighbor_allgatherv(out, SMALL, MPI_BYTE, in, two, at, MPI_BYTE, ring, r); /* begun */
    WAITED(BEGUN, k, MPI_Wait(r, MPI_STATUS_IGNORE));
    WORKED(FROM, k, loop_c);
    WAITED(FROM, k, MPI_Neighbor_allgather(out, SMALL, MPI_BYTE, in, SMALL, MPI_BYTE, directed)); /* from */
    WORKED(TO, k, loop_c);
    WAITED(TO, k, MPI_Neighbor_allgather(out, LARGE, MPI_BYTE, in, LARGE, MPI_BYTE, directed)); /* to */
    WORKED(SEVERAL, k, loop_d);
    MPI_Ineighbor_alltoall(out, SMALL, MPI_BYTE, in, SMALL, MPI_BYTE, line, r); MPI_Ineighbor_alltoall(out, SMALL, MPI_BYTE, in + LARGE, SMALL, MPI_BYTE, ring, r + 1); /* several */
    WAITED(SEVERAL, k, MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
}

#ifdef MPICH
static void run_persistent(MPI_Comm line) {
    MPI_Request r;
    MPI_Neighbor_alltoall_init(out, SMALL, MPI_BYTE, in, SMALL, MPI_BYTE, line, MPI_INFO_NULL, &r);
    for (int k = 0; k < K; k++) {
        WORKED(STARTED, k, loop_e);
        MPI_Start(&r); /* started */
        WAITED(STARTED, k, MPI_Wait(&r, MPI_STATUS_IGNORE));
    }
    MPI_Request_free(&r);
}
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        unit = strtoull(argv[1], NULL, 10);
    out = calloc(2, LARGE);
    in = calloc(2, LARGE);
    int n = RANKS, open = 0, before = rank - 1, behind = rank + 1, weight = 1;
    int ends[RANKS] = {2, 4, 6, 8}, edges[2 * RANKS] = {3, 1, 0, 2, 1, 3, 2, 0};
    MPI_Comm line, ring, directed;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &open, 0, &line);
    MPI_Graph_create(MPI_COMM_WORLD, RANKS, ends, edges, 0, &ring);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, &before, &weight, rank < RANKS - 1, &behind, &weight, MPI_INFO_NULL, 0, &directed);
    for (int k = 0; k < K; k++)
        run(k, line, ring, directed);
#ifdef MPICH
    run_persistent(line);
#endif
    double other[RANKS][WAYS][K], sum[WAYS] = {0}, sums[RANKS][WAYS];
    MPI_Allgather(entered, WAYS * K, MPI_DOUBLE, other, WAYS * K, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int way = 0; way < WAYS; way++)
        for (int k = 0; k < K && ways[way].victims[rank]; k++) {
            double late = other[ways[way].late][way][k], end = late < left[way][k] ? late : left[way][k];
            sum[way] += end > entered[way][k] ? end - entered[way][k] : 0;
        }
    MPI_Gather(sum, WAYS, MPI_DOUBLE, sums, WAYS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int way = 0; rank == 0 && way < WAYS; way++)
        for (int r = 0; r < RANKS; r++)
            if (sums[r][way] > 0)
                printf("%s %d %.6f\n", ways[way].name, r, sums[r][way]);
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
