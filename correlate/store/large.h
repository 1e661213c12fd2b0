/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory for arrays that are filled from end to end. */
#ifndef HEATSCOPE_STORE_LARGE_H
#define HEATSCOPE_STORE_LARGE_H

#include <stddef.h>

/* As malloc (also of 0 bytes), for free. Where it fills pages of 2 MB the system is asked for such: to get them costs a sixth of what the
 * same memory costs in small ones. At most half a megabyte more than asked for. */
void *hsc_large_malloc(size_t bytes);
/* The same, all 0: what comes new from the system is not cleared once more. */
void *hsc_large_calloc(size_t bytes);
/* Arrays that stay until all of them go. Those too small for a large page of their own share one. NULL: no memory. */
typedef struct hsc_large_room {
    struct hsc_large_block *blocks;
    char *next; /* rest of pages that are shared */
    size_t rest;
} hsc_large_room;
void *hsc_large_take(hsc_large_room *r, size_t bytes);
void hsc_large_free(hsc_large_room *r); /* it is empty then */
/* Gives the system what was freed between memory that is still used: after much of it. A few milliseconds. */
void hsc_large_give_back(void);

/* Gives back the pages of n bytes if all of them are 0: they read as before, and take memory again when they are written. */
void hsc_large_blank(void *p, size_t n);

#endif
