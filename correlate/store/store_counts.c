/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each thread has of each leaf, of a database without samples by time: written thread by thread, without more in memory than a number for each. */
#include "store_internal.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct hsc_store_counts {
    hid_t group;
    uint64_t threads, done, *indptr;
    hsc_out_stream *leaf, *count;
} hsc_store_counts;

void hsc_store_counts_clear(hsc_store *s) {
    hsc_store_counts *c = s->counts;
    if (!c)
        return;
    hsc_out_stream_abort(c->leaf);
    hsc_out_stream_abort(c->count);
    if (c->group > 0)
        H5Gclose(c->group);
    free(c->indptr);
    free(c);
    s->counts = NULL;
}

hsc_status hsc_store_begin_counts(hsc_store *s, hsc_err *err) {
    hsc_out_notes leaf = {.description = "rises within a thread", .references = "/time/leaf", .effort = HSC_EFFORT_SERIES},
                  count = {.description = "counts of the leaf's metric", .effort = HSC_EFFORT_SERIES};
    if (s->counts || s->times || !s->have[HSC_COL_leaf_metric] || !s->have[HSC_COL_thread_process])
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: counts by thread: expected tables leaf and thread before, no samples by time, and to begin once", s->path);
    hsc_store_counts *c = s->counts = calloc(1, sizeof *c);
    if (c)
        c->threads = s->tables.rows[HSC_TAB_thread];
    if (!c || !(c->indptr = calloc(c->threads + 1, sizeof *c->indptr)))
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for the counts by thread", s->path);
    hid_t time = H5Gopen2(s->file, "time", H5P_DEFAULT); /* made for table leaf */
    if (time < 0)
        return hsc_out_fail(s->out, "open group", "time", err);
    hsc_status status = hsc_out_told_group(s->out, time, "counts", "what each thread has of each leaf: thread i has [indptr[i], indptr[i + 1])", &c->group, err);
    H5Gclose(time);
    if (!status)
        status = hsc_out_stream_open(s->out, c->group, "leaf", HSC_COLTYPE_U4, &leaf, &c->leaf, err);
    return status ? status : hsc_out_stream_open(s->out, c->group, "count", HSC_COLTYPE_U4, &count, &c->count, err);
}

hsc_status hsc_store_put_counts(hsc_store *s, uint64_t n, const uint64_t *indptr, const uint32_t *leaf, const uint32_t *count, hsc_err *err) {
    hsc_store_counts *c = s->counts;
    bool good = c && n <= c->threads - c->done;
    for (uint64_t t = 0; good && t < n; t++)
        for (uint64_t i = indptr[t]; good && i < indptr[t + 1]; i++)
            good = leaf[i] < s->tables.rows[HSC_TAB_leaf] && count[i] && (i == indptr[t] || leaf[i] > leaf[i - 1]);
    if (!good)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: counts by thread: not begun, of more threads than there are, or leaves that do not rise or are not there", s->path);
    uint64_t before = c->indptr[c->done];
    for (uint64_t t = 0; t < n; t++)
        c->indptr[++c->done] = before + indptr[t + 1];
    hsc_status status = hsc_out_stream_put(c->leaf, leaf, indptr[n], err);
    return status ? status : hsc_out_stream_put(c->count, count, indptr[n], err);
}

hsc_status hsc_store_end_counts(hsc_store *s, hsc_err *err) {
    hsc_store_counts *c = s->counts;
    hsc_out_notes by_thread = {.description = "where each thread's begin, and the end"};
    if (!c || c->done != c->threads)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: counts by thread: of %" PRIu64 " threads, there are %" PRIu64, s->path, c ? c->done : 0,
                           s->tables.rows[HSC_TAB_thread]);
    hsc_out_stream *leaf = c->leaf, *count = c->count;
    c->leaf = c->count = NULL;
    hsc_status status = hsc_out_stream_close(leaf, err), other = hsc_out_stream_close(count, status ? NULL : err);
    status = status ? status : other;
    if (!status)
        status = hsc_out_set(s->out, c->group, "indptr", HSC_COLTYPE_U8, 0, c->indptr, c->threads + 1, &by_thread, NULL, err);
    hsc_store_counts_clear(s);
    return status;
}
