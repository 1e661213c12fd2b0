/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Room of large arrays for the next ones of their size: to get pages from the system costs more than what is made of them. */
#ifndef HEATSCOPE_STORE_SPARE_H
#define HEATSCOPE_STORE_SPARE_H

#include <stdbool.h>
#include <stddef.h>

enum { HSC_SPARES_MAX = 16, HSC_SPARE_LEAST = 256 << 10 /* bytes: smaller ones are malloc's */, HSC_SPARE_PIECE = 4 << 20 /* bytes that hsc_spare_again clears at a time */ };

typedef struct hsc_spares { /* all 0: empty */
    struct {
        void *p;
        size_t bytes;
        size_t clear; /* bytes at its begin that are 0 */
    } of[HSC_SPARES_MAX];
    unsigned n;
    struct {
        size_t bytes;
        bool comes;
    } again[HSC_SPARES_MAX]; /* what was taken since hsc_spare_begin, but while all was dropped; comes: hsc_spare_comes */
    unsigned n_again;
    bool is_dropped;
} hsc_spares;

/* As calloc (cleared) or malloc, for free or hsc_spare_put: one that is there and not much larger, else new. NULL: no memory. */
void *hsc_spare_take(hsc_spares *s, size_t bytes, bool is_cleared);
/* In place of free, of what malloc, hsc_large_* or hsc_spare_take gave; NULL: nothing. */
void hsc_spare_put(hsc_spares *s, void *p);
/* What is taken from here on is what the next one will take. */
void hsc_spare_begin(hsc_spares *s);
/* Where nothing was taken yet: room of that size will be, so hsc_spare_again gets it. */
void hsc_spare_foresee(hsc_spares *s, size_t bytes);
/* Gives all back to the system; hsc_spare_again, when there is time for it, gets anew what the next one will take, cleared, a piece at a time. true: all is there. */
void hsc_spare_drop(hsc_spares *s);
bool hsc_spare_again(hsc_spares *s);
/* What has so many bytes can be put before the next ones are taken. true: it is of use, and hsc_spare_again gets none that it can be, until
 * hsc_spare_none_comes. */
bool hsc_spare_comes(hsc_spares *s, size_t bytes);
void hsc_spare_none_comes(hsc_spares *s);
void hsc_spare_end(hsc_spares *s); /* gives all back, for good */

#endif
