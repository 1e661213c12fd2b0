/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages, waits and what is told of processes, into the store: a process at a time, so that no more than one's
 * details need be held. */
#include "emit_details.h"

#include <stdlib.h>
#include <string.h>

#include "details.h"
#include "emit.h"

static void list_messages(columns *c, const jprocess *p) {
    for (size_t i = 0; i < p->messages.n; i++) {
        const jmessage *m = &p->messages.p[i];
        const jsite *site = &p->sites.p[m->site];
        const joperation *operation = &p->operations.p[m->operation];
        uint32_t thread = hsc_join_thread_row(p, site->thread), row = (uint32_t)columns_rows(c, HSC_COL_message_thread);
        if (thread == HSC_NO_INDEX)
            continue;
        CELL(c, message_thread, uint32_t, thread);
        CELL(c, message_context, uint32_t, site->context);
        CELL(c, message_line, uint32_t, site->line);
        CELL(c, message_operation, column_text, operation->name);
        CELL(c, message_class, uint8_t, operation->kind);
        CELL(c, message_peer, uint8_t, m->peer);
        CELL(c, message_size_class, uint8_t, m->size);
        CELL(c, message_calls, uint64_t, m->calls);
        CELL(c, message_sent, uint64_t, m->sent);
        CELL(c, message_sent_bytes, uint64_t, m->sent_bytes);
        CELL(c, message_received, uint64_t, m->received);
        CELL(c, message_received_bytes, uint64_t, m->received_bytes);
        CELL(c, message_size_min, uint64_t, m->size_min);
        CELL(c, message_size_max, uint64_t, m->size_max);
        CELL(c, message_size_squares, double, m->size_squares);
        CELL(c, message_duration_s, double, (double)m->duration_ns * 1e-9);
        CELL(c, message_duration_min_s, double, (double)m->duration_min * 1e-9);
        CELL(c, message_duration_max_s, double, (double)m->duration_max * 1e-9);
        CELL(c, message_duration_squares, double, m->duration_squares * 1e-18);
        CELL(c, message_completions, uint64_t, m->completions);
        CELL(c, message_in_flight_s, double, (double)m->in_flight_ns * 1e-9);
        CELL(c, message_completion_s, double, (double)m->completion_ns * 1e-9);
        for (unsigned quantity = 0; quantity < 2; quantity++) {
            const uint64_t *counts = quantity ? m->durations : m->sizes;
            for (unsigned b = 0; counts && b < JOIN_BUCKETS; b++)
                if (counts[b]) {
                    CELL(c, message_bucket_message, uint32_t, row);
                    CELL(c, message_bucket_quantity, uint8_t, quantity);
                    CELL(c, message_bucket_bucket, uint8_t, b);
                    CELL(c, message_bucket_count, uint64_t, counts[b]);
                }
        }
    }
}

static void list_waits(columns *c, const jprocess *p) {
    for (size_t i = 0; i < p->waits.n; i++) {
        const jwait *w = &p->waits.p[i];
        const jsite *site = &p->sites.p[w->site], *holder = w->holder != HSC_NO_INDEX ? &p->sites.p[w->holder] : NULL;
        uint32_t thread = hsc_join_thread_row(p, site->thread), row = (uint32_t)columns_rows(c, HSC_COL_wait_thread);
        if (thread == HSC_NO_INDEX || !(w->count || w->total_ns || w->bytes)) /* nothing: all of it belongs to a holder's row */
            continue;
        CELL(c, wait_thread, uint32_t, thread);
        CELL(c, wait_context, uint32_t, site->context);
        CELL(c, wait_line, uint32_t, site->line);
        CELL(c, wait_kind, uint8_t, w->kind);
        CELL(c, wait_waits, uint64_t, w->count);
        CELL(c, wait_total_s, double, (double)w->total_ns * 1e-9);
        CELL(c, wait_max_s, double, (double)w->max_ns * 1e-9);
        CELL(c, wait_bytes, uint64_t, w->bytes);
        CELL(c, wait_holder_thread, uint32_t, holder ? hsc_join_thread_row(p, holder->thread) : HSC_NO_INDEX);
        CELL(c, wait_holder_context, uint32_t, holder ? holder->context : HSC_NO_INDEX);
        for (unsigned b = 0; w->durations && b < JOIN_BUCKETS; b++)
            if (w->durations[b]) {
                CELL(c, wait_bucket_wait, uint32_t, row);
                CELL(c, wait_bucket_bucket, uint8_t, b);
                CELL(c, wait_bucket_count, uint64_t, w->durations[b]);
            }
    }
}

hsc_status hsc_join_put_details_of_all(join *j, hsc_store *store, hsc_err *err) {
    static const enum hsc_table_id tables[] = {HSC_TAB_message, HSC_TAB_message_bucket, HSC_TAB_wait,
                                               HSC_TAB_wait_bucket, HSC_TAB_message_pair};
    columns *c = calloc(1, sizeof *c);
    hsc_told_rows *told = NULL;
    hsc_status status = c ? hsc_join_begin_told(j, &told, err) : hsc_join_no_memory(err);
    if (c)
        c->spill = j->spill;
    for (uint32_t i = 0; i < j->run.n && status == HSC_OK; i++) {
        jprocess *p = j->run.p[i];
        status = hsc_join_open_details(j, p, err);
        if (status == HSC_OK) {
            list_messages(c, p);
            list_waits(c, p);
            hsc_join_list_peers(c, j, i);
            status = hsc_join_list_told(told, c, i, err);
        }
        hsc_join_close_details(p);
        if (status == HSC_OK)
            status = c->failed ? hsc_join_no_memory(err) : hsc_join_check(j, err);
    }
    for (size_t t = 0; t < sizeof tables / sizeof *tables && status == HSC_OK; t++)
        status = columns_put(c, store, tables[t], err);
    if (status == HSC_OK)
        status = hsc_join_put_told(told, c, store, err);
    hsc_join_free_told_rows(told);
    if (c)
        columns_free(c);
    free(c);
    return status;
}
