/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers by keys of 128 bits, like hsc_table, but keys may go again. Not for threads. */
#ifndef HEATSCOPE_JOIN_SLOTS_H
#define HEATSCOPE_JOIN_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct slots_entry {
    uint64_t a, b;
    uint32_t value; /* number + 1; 0: free */
} slots_entry;

typedef struct slots { /* all zero: empty; free(slots) */
    slots_entry *slots;
    size_t capacity, count;
} slots;

/* NULL: not there. Good until the next call. */
slots_entry *slots_find(const slots *m, uint64_t a, uint64_t b);
/* Instead of the number that the key had. False: out of memory. */
bool slots_put(slots *m, uint64_t a, uint64_t b, uint32_t value);
/* An entry that slots_find gave. */
void slots_drop(slots *m, slots_entry *s);

#endif
