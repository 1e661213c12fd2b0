/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages, waits and what is told of processes, into the store: a process at a time, so that no more than one's
 * details need be held. */
#include "emit_details.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>
#include "details.h"
#include "emit.h"
#include "slices.h"
#include "told.h"

static unsigned category_of(uint32_t state, uint32_t context, const join *j) {
    return state ? state - 1 : context < j->context_categories.n ? j->context_categories.p[context] : 0;
}

static void list_messages(columns *c, const join *j, const jprocess *p) {
    for (size_t i = 0; i < p->messages.n; i++) {
        jmessage *m = &p->messages.p[i];
        const jsite *site = &p->sites.p[m->site];
        const joperation *operation = &p->operations.p[m->operation];
        uint32_t thread = hsc_join_thread_row(p, site->thread), row = (uint32_t)columns_rows(c, HSC_COL_message_thread);
        m->row = thread == HSC_NO_INDEX ? HSC_NO_INDEX : row;
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
        CELL(c, message_category, uint8_t, category_of(operation->state, site->context, j));
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
        jwait *w = &p->waits.p[i];
        const jsite *site = &p->sites.p[w->site], *holder = w->holder != HSC_NO_INDEX ? &p->sites.p[w->holder] : NULL;
        uint32_t thread = hsc_join_thread_row(p, site->thread), row = (uint32_t)columns_rows(c, HSC_COL_wait_thread);
        bool nothing = !(w->count || w->total_ns || w->bytes); /* all of it belongs to a holder's row */
        w->row = thread == HSC_NO_INDEX || nothing ? HSC_NO_INDEX : row;
        if (w->row == HSC_NO_INDEX)
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
        CELL(c, wait_column, uint32_t, site->column);
        CELL(c, wait_category, uint8_t, hsc_join_state_of_wait(w->kind) - 1);
        for (unsigned b = 0; w->durations && b < JOIN_BUCKETS; b++)
            if (w->durations[b]) {
                CELL(c, wait_bucket_wait, uint32_t, row);
                CELL(c, wait_bucket_bucket, uint8_t, b);
                CELL(c, wait_bucket_count, uint64_t, w->durations[b]);
            }
    }
}

/* ---- the same in slices of time ---- */

static void list_buckets(columns *c, const uint64_t *counts, uint32_t row, enum hsc_column_id slice, enum hsc_column_id bucket, enum hsc_column_id count) {
    for (unsigned b = 0; b < JOIN_BUCKETS; b++)
        if (counts[b]) {
            uint8_t number = (uint8_t)b;
            columns_add(c, slice, &row, sizeof row);
            columns_add(c, bucket, &number, sizeof number);
            columns_add(c, count, &counts[b], sizeof counts[b]);
        }
}

static void list_message_slice(columns *c, const jslice *s, uint32_t of, uint32_t tick) {
    uint32_t row = (uint32_t)columns_rows(c, HSC_COL_message_slice_message);
    CELL(c, message_slice_message, uint32_t, of);
    CELL(c, message_slice_tick, uint32_t, tick);
    CELL(c, message_slice_calls, uint64_t, s->v[JM_CALLS]);
    CELL(c, message_slice_sent, uint64_t, s->v[JM_SENT]);
    CELL(c, message_slice_sent_bytes, uint64_t, s->v[JM_SENT_BYTES]);
    CELL(c, message_slice_received, uint64_t, s->v[JM_RECEIVED]);
    CELL(c, message_slice_received_bytes, uint64_t, s->v[JM_RECEIVED_BYTES]);
    CELL(c, message_slice_size_min, uint64_t, s->v[JM_SIZE_MIN]);
    CELL(c, message_slice_size_max, uint64_t, s->v[JM_SIZE_MAX]);
    CELL(c, message_slice_size_squares, double, s->squares[0]);
    CELL(c, message_slice_duration_ns, uint64_t, s->v[JM_DURATION]);
    CELL(c, message_slice_duration_min_ns, uint64_t, s->v[JM_DURATION_MIN]);
    CELL(c, message_slice_duration_max_ns, uint64_t, s->v[JM_DURATION_MAX]);
    CELL(c, message_slice_duration_squares, double, s->squares[1] * 1e-18);
    CELL(c, message_slice_completions, uint64_t, s->v[JM_COMPLETIONS]);
    CELL(c, message_slice_in_flight_ns, uint64_t, s->v[JM_IN_FLIGHT]);
    CELL(c, message_slice_completion_ns, uint64_t, s->v[JM_COMPLETION]);
    for (unsigned l = 0; l < 2; l++)
        for (unsigned b = 0; b < JOIN_BUCKETS; b++)
            if (s->counts[l][b]) {
                CELL(c, message_slice_bucket_slice, uint32_t, row);
                CELL(c, message_slice_bucket_quantity, uint8_t, l);
                CELL(c, message_slice_bucket_bucket, uint8_t, b);
                CELL(c, message_slice_bucket_count, uint64_t, s->counts[l][b]);
            }
}

static void list_pair_slice(columns *c, const jprocess *p, const jslice *s, uint32_t tick) {
    size_t at;
    HSC_SEARCH(at, p->peers.n, p->peers.p[at].rank < s->row);
    if (at == p->peers.n || p->peers.p[at].rank != s->row)
        return;
    CELL(c, pair_slice_pair, uint32_t, p->peers.p[at].row);
    CELL(c, pair_slice_tick, uint32_t, tick);
    CELL(c, pair_slice_sent, uint64_t, s->v[JP_SENT]);
    CELL(c, pair_slice_sent_bytes, uint64_t, s->v[JP_SENT_BYTES]);
    CELL(c, pair_slice_received, uint64_t, s->v[JP_RECEIVED]);
    CELL(c, pair_slice_received_bytes, uint64_t, s->v[JP_RECEIVED_BYTES]);
}

static void list_wait_slice(columns *c, const jslice *s, uint32_t of, uint32_t tick) {
    uint32_t row = (uint32_t)columns_rows(c, HSC_COL_wait_slice_wait);
    CELL(c, wait_slice_wait, uint32_t, of);
    CELL(c, wait_slice_tick, uint32_t, tick);
    CELL(c, wait_slice_waits, uint64_t, s->v[JW_WAITS]);
    CELL(c, wait_slice_total_ns, uint64_t, s->v[JW_TOTAL]);
    CELL(c, wait_slice_max_ns, uint64_t, s->v[JW_MAX]);
    CELL(c, wait_slice_bytes, uint64_t, s->v[JW_BYTES]);
    list_buckets(c, s->counts[0], row, HSC_COL_wait_slice_bucket_slice, HSC_COL_wait_slice_bucket_bucket, HSC_COL_wait_slice_bucket_count);
}

static void list_visit_slice(columns *c, const jprocess *p, const jslice *s, uint32_t tick) {
    const jtold_thread *t = hsc_join_told_thread(p, s->thread);
    uint32_t thread = hsc_join_thread_row(p, s->thread), row = (uint32_t)columns_rows(c, HSC_COL_visit_slice_block);
    uint64_t of_category[STATES] = {0}, exclusive = 0;
    if (!t || thread == HSC_NO_INDEX || s->row >= t->blocks.n)
        return;
    for (unsigned k = 0; k < STATES; k++) {
        of_category[k ? k - 1 : 0] += s->counts[1][k]; /* as in told_emit.c */
        exclusive += s->counts[1][k];
    }
    CELL(c, visit_slice_block, uint32_t, t->blocks.p[s->row].row);
    CELL(c, visit_slice_thread, uint32_t, thread);
    CELL(c, visit_slice_tick, uint32_t, tick);
    CELL(c, visit_slice_visits, uint64_t, s->v[JV_VISITS]);
    CELL(c, visit_slice_left, uint64_t, s->v[JV_LEFT]);
    CELL(c, visit_slice_duration_ns, uint64_t, s->v[JV_DURATION]);
    CELL(c, visit_slice_duration_min_ns, uint64_t, s->v[JV_DURATION_MIN]);
    CELL(c, visit_slice_duration_max_ns, uint64_t, s->v[JV_DURATION_MAX]);
    CELL(c, visit_slice_duration_squares, double, s->squares[0] * 1e-18);
    CELL(c, visit_slice_exclusive_ns, uint64_t, exclusive);
    for (unsigned k = 0; k < CATEGORIES; k++)
        if (of_category[k]) {
            CELL(c, visit_slice_category_slice, uint32_t, row);
            CELL(c, visit_slice_category_category, uint8_t, k);
            CELL(c, visit_slice_category_exclusive_ns, uint64_t, of_category[k]);
        }
    list_buckets(c, s->counts[0], row, HSC_COL_visit_slice_bucket_slice, HSC_COL_visit_slice_bucket_bucket, HSC_COL_visit_slice_bucket_count);
}

static hsc_status list_slices(join *j, columns *c, jprocess *p, hsc_err *err) {
    jslice_cursor *at = malloc(sizeof *at);
    jslice s;
    bool any = true;
    hsc_status status = at ? HSC_OK : hsc_join_no_memory(err);
    if (at)
        hsc_slices_begin(j, p, at);
    while (status == HSC_OK && any) {
        status = hsc_slices_next(at, &s, &any, err);
        if (status != HSC_OK || !any)
            break;
        uint64_t since = hsc_join_since_start(j, p, s.time) / j->tick_ns;
        uint32_t tick = (uint32_t)(since < j->end_tick ? since : j->end_tick);
        uint32_t of = s.kind == JSLICE_MESSAGE && s.row < p->messages.n ? p->messages.p[s.row].row
                      : s.kind == JSLICE_WAIT && s.row < p->waits.n     ? p->waits.p[s.row].row
                                                                        : HSC_NO_INDEX;
        if (s.kind == JSLICE_MESSAGE && of != HSC_NO_INDEX)
            list_message_slice(c, &s, of, tick);
        else if (s.kind == JSLICE_WAIT && of != HSC_NO_INDEX)
            list_wait_slice(c, &s, of, tick);
        else if (s.kind == JSLICE_PAIR)
            list_pair_slice(c, p, &s, tick);
        else if (s.kind == JSLICE_VISIT)
            list_visit_slice(c, p, &s, tick);
    }
    if (at)
        hsc_slices_end(at);
    free(at);
    hsc_spill_list_fini(&p->slices);
    return status;
}

hsc_status hsc_join_put_details_of_all(join *j, hsc_store *store, hsc_err *err) {
    static const enum hsc_table_id tables[] = {HSC_TAB_message, HSC_TAB_message_bucket, HSC_TAB_wait,
                                               HSC_TAB_wait_bucket, HSC_TAB_message_pair};
    static const enum hsc_table_id slices[] = {HSC_TAB_message_slice, HSC_TAB_message_slice_bucket, HSC_TAB_pair_slice,
                                               HSC_TAB_wait_slice,    HSC_TAB_wait_slice_bucket,    HSC_TAB_visit_slice,
                                               HSC_TAB_visit_slice_category, HSC_TAB_visit_slice_bucket};
    columns *c = calloc(1, sizeof *c);
    hsc_told_rows *told = NULL;
    hsc_status status = c ? hsc_join_begin_told(j, &told, err) : hsc_join_no_memory(err);
    if (c)
        c->spill = j->spill;
    for (uint32_t i = 0; i < j->run.n && status == HSC_OK; i++) {
        jprocess *p = j->run.p[i];
        status = hsc_join_open_details(j, p, err);
        if (status == HSC_OK) {
            list_messages(c, j, p);
            list_waits(c, p);
            hsc_join_list_peers(c, j, i);
            status = hsc_join_list_told(told, c, i, err);
        }
        if (status == HSC_OK)
            status = list_slices(j, c, p, err);
        hsc_join_close_details(p);
        if (status == HSC_OK)
            status = c->failed ? hsc_join_no_memory(err) : hsc_join_check(j, err);
    }
    for (size_t t = 0; t < sizeof tables / sizeof *tables && status == HSC_OK; t++)
        status = columns_put(c, store, tables[t], err);
    if (status == HSC_OK)
        status = hsc_join_put_told(told, c, store, err);
    for (size_t t = 0; t < sizeof slices / sizeof *slices && status == HSC_OK; t++)
        status = columns_put(c, store, slices[t], err);
    hsc_join_free_told_rows(told);
    if (c)
        columns_free(c);
    free(c);
    return status;
}
