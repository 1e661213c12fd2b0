/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums that wrappers and probes write now and then (some 100 ms apart), as slices of time: of a process in one list of the spill file, in the
 * order of its file, each some 40 bytes. What a slice has came after the sums before of its thread, up to its time. All slices of a row add up
 * to the row. */
#ifndef HEATSCOPE_JOIN_SLICES_H
#define HEATSCOPE_JOIN_SLICES_H

#include "../store/spill.h"
#include "join_internal.h"

enum { JSLICE_MESSAGE, JSLICE_PAIR, JSLICE_WAIT, JSLICE_VISIT, JSLICE_KINDS };
enum { JSLICE_NUMBERS = 13, JSLICE_LISTS = 2 };

typedef struct jslice {
    uint32_t kind;
    uint64_t row;    /* of messages, waits, blocks; of a pair: rank of the other */
    uint64_t thread; /* of visits: id; else 0 */
    uint64_t time;   /* ns, as in the file */
    uint64_t v[JSLICE_NUMBERS]; /* by kind: the enums below */
    double squares[2];
    uint64_t counts[JSLICE_LISTS][JOIN_BUCKETS]; /* message: sizes, durations; wait: durations; visit: durations, time by state */
} jslice;

enum { JM_CALLS, JM_SENT, JM_SENT_BYTES, JM_RECEIVED, JM_RECEIVED_BYTES, JM_SIZE_MIN, JM_SIZE_MAX, JM_DURATION, JM_DURATION_MIN, JM_DURATION_MAX,
       JM_COMPLETIONS, JM_IN_FLIGHT, JM_COMPLETION };
enum { JP_SENT, JP_SENT_BYTES, JP_RECEIVED, JP_RECEIVED_BYTES };
enum { JW_WAITS, JW_TOTAL, JW_MAX, JW_BYTES };
enum { JV_VISITS, JV_LEFT, JV_DURATION, JV_DURATION_MIN, JV_DURATION_MAX };

/* Of a process that is read for the second time, with times; else nothing is done. False: no memory. */
bool hsc_slices_wanted(const jprocess *p);
bool hsc_slices_put(jprocess *p, const jslice *s);
/* Counts of a record's histogram whose first is bucket `first`, added to `to`. */
void hsc_slice_buckets(uint64_t *to, uint64_t first, const uint64_t *counts, size_t n);

typedef struct jslice_cursor {
    join *j;
    hsc_spill_cursor at;
    uint32_t have, used;
    uint8_t bytes[4096];
} jslice_cursor;
void hsc_slices_begin(join *j, const jprocess *p, jslice_cursor *c);
/* false in *any at the end, also that of a damaged list. HSC_E_IO, HSC_E_MEMORY. */
hsc_status hsc_slices_next(jslice_cursor *c, jslice *s, bool *any, hsc_err *err);
void hsc_slices_end(jslice_cursor *c);

#endif
