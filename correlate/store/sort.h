/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorts numbers by their bytes: for lists too short for threads and too many for qsort. */
#ifndef HEATSCOPE_STORE_SORT_H
#define HEATSCOPE_STORE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Rising by the bytes from that of bit `first` (0, 8 ...) on, what is alike in these as it was; scratch: room for n too. Bytes that all have alike cost nothing. */
void hsc_sort_words(uint64_t *list, uint64_t *scratch, size_t n, unsigned first);

#endif
