/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds up samples and slices of the series of all threads by leaf, a batch of chunks at a time; while one is added the reader unpacks the next. */
#ifndef HEATSCOPE_STORE_ADDING_H
#define HEATSCOPE_STORE_ADDING_H

#include "time_read.h"

typedef struct hsc_adding hsc_adding;
hsc_adding *hsc_adding_new(void); /* of nothing; NULL: no memory */
void hsc_adding_free(hsc_db *db, hsc_adding *a); /* NULL: nothing */

/* Samples [first, last) of the series are to be added, or (less) taken away: whole slices, and at the ends smaller ones and single samples, or a whole one of which
 * the rest is taken away again, whichever reads less. false: no memory. */
bool hsc_adding_note(hsc_adding *a, hsc_times *t, uint64_t first, uint64_t last, bool less);
/* What it costs to read them: elements that are unpacked, and those that are added. */
uint64_t hsc_adding_cost(hsc_times *t, uint64_t first, uint64_t last);
/* Has the reader begin with the first of it, so that it unpacks while something else is done. */
hsc_status hsc_adding_ask(hsc_db *db, hsc_adding *a, hsc_err *err);
/* Goes on for so many seconds (< 0: to the end), by leaf to total[]. What is taken away may come before what it is taken from: sums are right when all
 * is added. */
hsc_status hsc_adding_go_on(hsc_db *db, hsc_adding *a, uint64_t *total, double seconds, hsc_err *err);
bool hsc_adding_is_done(const hsc_adding *a);
double hsc_adding_part(const hsc_adding *a); /* how much is added; 1: all */
uint64_t hsc_adding_room(void); /* bytes that it takes of the database's spares while it adds */
uint64_t hsc_adding_values(const hsc_adding *a); /* that it reads, all in all */

#endif
