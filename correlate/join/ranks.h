/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A join on several ranks. Each reads its files, twice. Between the two and after them, tables of what is distinct are merged, so
 * that all ranks have the same; each settles the profiles of its own threads. Rank 0 looks up the code, makes what is small and
 * writes; samples by time come from the rank that has the thread's lists, a block of threads at a time, and so do the cells of value tables to the rank that puts
 * the table together, which rank 0 then writes (values.c). What every rank can make from what all of them have, every rank makes.
 *
 *   parcel.c         bytes on their way
 *   ranks.c          between ranks; files and what is kept of processes; tables after the first reading
 *   ranks_code.c     what rank 0 knows of the code; contexts and kinds after the second reading; metrics after blame
 *   ranks_lists.c    what a rank has of its processes, to rank 0 (told_send.c, blame_send.c: its parts)
 *   team_mpi.c       the module that does it with MPI (team.h)
 */
#ifndef HEATSCOPE_JOIN_RANKS_H
#define HEATSCOPE_JOIN_RANKS_H

#include "join_internal.h"
#include "parcel.h"
#include "team.h"

static inline bool hsc_ranks_has(const join *j, const jprocess *p) { return !j->team || p->owner == j->team->rank; }
static inline bool hsc_ranks_is_first(const join *j) { return !j->team || !j->team->rank; }
static inline unsigned hsc_ranks_count(const join *j) { return j->team ? j->team->size : 1; }

/* ---- all do nothing where the join is alone ---- */

/* read.c: the files, and who reads which. After the first reading: headers of processes, modules, addresses, frames. */
hsc_status hsc_ranks_share_files(join *j, hsc_err *err);
hsc_status hsc_ranks_share_processes(join *j, hsc_err *err);
hsc_status hsc_ranks_merge_tables(join *j, hsc_err *err);
/* What rank 0 looked up. */
hsc_status hsc_ranks_share_code(join *j, hsc_err *err);
/* After the second reading: contexts as they were met, kinds; which contexts are used by anybody. */
hsc_status hsc_ranks_merge_kinds(join *j, hsc_err *err);
hsc_status hsc_ranks_merge_used(join *j, uint8_t *used, size_t n, hsc_err *err);
/* To rank 0: totals, what was counted at places, what was read of processes. */
hsc_status hsc_ranks_collect(join *j, hsc_err *err);
/* After blame: metrics, kinds, instructions, what it adds to profiles. Sets `counts` and `samples_by_time` of threads, also alone. */
hsc_status hsc_ranks_share_rest(join *j, hsc_err *err);

/* ---- between ranks ---- */

hsc_status hsc_ranks_send(const join *j, unsigned to, parcel *a, hsc_err *err); /* HSC_E_MEMORY where it has failed */
hsc_status hsc_ranks_receive(const join *j, unsigned from, parcel *a, hsc_err *err); /* into an empty one */
/* From one to all: *a of the others is what `from` has. */
hsc_status hsc_ranks_share(const join *j, unsigned from, parcel *a, hsc_err *err);
/* What all ranks have becomes one, the same for all: put and take on the way to rank 0, then clear and take on the way back. */
typedef struct hsc_ranks_merge {
    void (*put)(void *ctx, parcel *a);
    void (*take)(void *ctx, parcel *a); /* adds it to what is there; out of memory: a->failed */
    void (*clear)(void *ctx);
} hsc_ranks_merge;
hsc_status hsc_ranks_merge_all(const join *j, const hsc_ranks_merge *how, void *ctx, hsc_err *err);
/* Sums over all ranks, for all. */
hsc_status hsc_ranks_add_up(const join *j, uint64_t *values, size_t n, hsc_err *err);
hsc_status hsc_ranks_taken(const parcel *a, hsc_err *err); /* HSC_E_MEMORY where it has failed */

/* ---- parts of a process; into rank 0's, which has none of it yet ---- */

void hsc_ranks_put_told(const jprocess *p, parcel *a);
void hsc_ranks_take_told(jprocess *p, parcel *a);
void hsc_ranks_put_blame(const jprocess *p, parcel *a);
void hsc_ranks_take_blame(jprocess *p, parcel *a);
/* Lists of a process that rank 0 needs, by number; NULL: no further one. *item: bytes of an item. */
hsc_spill_list *hsc_ranks_blame_list(jprocess *p, size_t n, uint32_t *item);
void hsc_ranks_put_histogram(const uint64_t *counts, parcel *a); /* JOIN_BUCKETS, or NULL */
uint64_t *hsc_ranks_take_histogram(jprocess *p, parcel *a);

#endif
