/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What marks keep of the counts of all leaves (interval_marks.c): few that came between two places, or all that there were until one. Leaves are taken in two
 * halves, so that two threads can add them. */
#ifndef HEATSCOPE_STORE_MARK_COUNTS_H
#define HEATSCOPE_STORE_MARK_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hsc_some_counts { /* of leaves that have any, rising: as entries.h has those of threads, 1.2 bytes each or so */
    uint8_t *entry;
    size_t half, end; /* bytes until leaf leaves / 2, from which the second half counts; all bytes */
} hsc_some_counts;

typedef struct hsc_all_counts {
    uint8_t *low;         /* by leaf: the low 8 bits; NULL: all counts are 0 */
    hsc_some_counts high; /* what is above them: of a few hundred leaves among a million */
} hsc_all_counts;

typedef struct hsc_leaf_half { /* what is added to: leaves [first, last), which are one of the halves */
    uint64_t first, last, *total;
    bool second;
} hsc_leaf_half;
hsc_leaf_half hsc_leaf_half_of(uint64_t leaves, bool second, uint64_t *total);

/* Counts are below 2^32. Those that are not 0, which are 0 then; all, which stay. false: no memory, nothing is made. */
bool hsc_some_counts_take(uint64_t *count, uint64_t leaves, hsc_some_counts *out);
bool hsc_all_counts_make(uint64_t *count, uint64_t leaves, hsc_all_counts *out);
size_t hsc_all_counts_bytes(const hsc_all_counts *c, uint64_t leaves);
void hsc_some_counts_free(hsc_some_counts *c);
void hsc_all_counts_free(hsc_all_counts *c);

/* Adds so many times what there is (UINT64_MAX: takes it away once). */
void hsc_some_counts_add(const hsc_some_counts *c, hsc_leaf_half half, uint64_t times);
/* `to` less `from` is added, or (fresh) stands in place of what is there. */
void hsc_all_counts_take(const hsc_all_counts *from, const hsc_all_counts *to, hsc_leaf_half half, bool fresh);

#endif
