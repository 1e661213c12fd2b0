/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* /time/bins: bins of equal time of each thread, with what was most in each; each level's are made of those of the
 * level below. */
#ifndef HEATSCOPE_STORE_STORE_BINS_H
#define HEATSCOPE_STORE_STORE_BINS_H

#include "store_internal.h"

typedef struct hsc_store_bins hsc_store_bins;

typedef struct hsc_leaf_facts { /* of a row of /time/leaf */
    uint32_t scope, procedure;
    uint8_t category;
    bool binned; /* its metric is 0 */
} hsc_leaf_facts;

/* Makes the group in `time`. Leaves of one scope are of one procedure. On failure too *out is to be freed. */
hsc_status hsc_store_bins_new(hsc_store *s, hid_t time, uint32_t end, uint32_t bin, const hsc_leaf_facts *leaves,
                              uint64_t n_leaves, hsc_store_bins **out, hsc_err *err);
/* The next thread: begun, put in the order of time, in any pieces, and ended. */
void hsc_store_bins_begin_thread(hsc_store_bins *b);
hsc_status hsc_store_bins_put(hsc_store_bins *b, uint64_t n, const uint32_t *time, const uint32_t *leaf,
                              const uint32_t *count, hsc_err *err);
hsc_status hsc_store_bins_end_thread(hsc_store_bins *b, hsc_err *err);
/* Instead, of threads of the database before: of all n that it has; *there false: it has other levels, or what is no bins. Then the next one of them, whose bins
 * are copied as they are packed. */
hsc_status hsc_store_bins_begin_keep(hsc_store_bins *b, uint64_t n, bool *there, hsc_err *err);
hsc_status hsc_store_bins_keep(hsc_store_bins *b, hsc_err *err);
/* After the last thread. */
hsc_status hsc_store_bins_end(hsc_store_bins *b, hsc_err *err);
void hsc_store_bins_free(hsc_store_bins *b); /* NULL: nothing */

/* Numbers, as they come, and as they are taken again. */
typedef struct hsc_words {
    uint64_t *p;
    size_t n, room, at;
    bool failed; /* no memory, or taken past the end */
} hsc_words;
void hsc_words_put(hsc_words *w, uint64_t v);
uint64_t hsc_words_take(hsc_words *w);

/* What more samples of the thread that is begun need, as it is now. */
void hsc_store_bins_mark(const hsc_store_bins *b, hsc_words *to);
/* Begins a thread as the mark says, whose rows are those of `thread` in the database before; *there false: it has others. Rows of scopes: then, rising, and now, rising too. */
typedef struct hsc_scope_rows {
    const uint32_t *then, *now;
    uint64_t n;
} hsc_scope_rows;
hsc_status hsc_store_bins_go_on(hsc_store_bins *b, hsc_words *mark, uint32_t thread, const hsc_scope_rows *scopes, bool *there, hsc_err *err);

#endif
