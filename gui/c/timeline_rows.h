/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the timeline asks the database of its rows: whose waits stand for a row, and the phases that the program told. */
#ifndef HSC_GUI_TIMELINE_ROWS_H
#define HSC_GUI_TIMELINE_ROWS_H

#include "paint_timeline.h"

/* counted[i], of `threads`: whether waits of thread i are those of its row row_of[i] (HSC_NONE: none; below `rows`). Threads that a library has made for itself are
 * not: they have hardly worked (a hundredth of the row's busiest), are not the first of their process, and no wait of theirs from
 * `begin` to `end` (seconds) is below a procedure of the program. A row of such threads alone has them all. */
hsc_status hsc_timeline_count_threads(hsc_db *db, uint32_t threads, const uint32_t *row_of, uint32_t rows, double begin, double end,
                                      bool *counted, hsc_err *err);

/* Phases of one process, by begin; at most HSC_TIMELINE_PHASES_MAX. *out: free() it; its names are the database's. */
#define HSC_TIMELINE_PHASES_MAX 20000u
hsc_status hsc_timeline_read_phases(hsc_db *db, uint32_t process, hsc_timeline_phase **out, uint32_t *n, hsc_err *err);
/* The first process that has phases, HSC_NONE if none has. */
uint32_t hsc_timeline_phases_of(hsc_db *db);

/* Samples of metric 0 in [begin, end) seconds of the threads i with a row row_of[i], one by one: all of them, and those of each key. of: n_keys; both are
 * added to. */
hsc_status hsc_timeline_sum_samples(hsc_db *db, hsc_timeline_key kind, uint32_t threads, const uint32_t *row_of, double begin, double end, const uint32_t *keys,
                                    uint32_t n_keys, double *of, double *all, hsc_err *err);

#endif
