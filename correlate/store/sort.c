/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sort.h"

#include <string.h>

enum { FEW = 24 };

static void insert(uint64_t *list, size_t n, unsigned from) {
    for (size_t i = 1; i < n; i++) {
        uint64_t v = list[i];
        size_t k = i;
        for (; k && list[k - 1] >> from > v >> from; k--)
            list[k] = list[k - 1];
        list[k] = v;
    }
}

void hsc_sort_words(uint64_t *list, uint64_t *scratch, size_t n, unsigned first) {
    uint64_t differ = 0, falls = 0, *from = list, *to = scratch;
    for (size_t i = 1; i < n; i++) {
        differ |= list[i] ^ list[0];
        falls |= list[i] >> first < list[i - 1] >> first;
    }
    if (!falls)
        return;
    if (n <= FEW) {
        insert(list, n, first);
        return;
    }
    for (unsigned shift = first; shift < 64; shift += 8) {
        size_t at[256] = {0};
        if (!(differ >> shift & 0xff))
            continue;
        for (size_t i = 0; i < n; i++)
            at[from[i] >> shift & 0xff]++;
        for (size_t b = 0, before = 0; b < 256; b++) {
            size_t of = at[b];
            at[b] = before;
            before += of;
        }
        for (size_t i = 0; i < n; i++)
            to[at[from[i] >> shift & 0xff]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != list)
        memcpy(list, from, n * sizeof *list);
}
