/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries of pairs of processes: messages between them, and who waits for whom. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "within.h"

hsc_status hsc_db_get_pair(const hsc_db *db, uint32_t r, hsc_db_pair *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_message_pair, r, err);
    if (!status)
        status = hsc_within_want(db, HSC_WITHIN_PAIRS, err);
    if (!status)
        *out = (hsc_db_pair){.process = HSC_COL(db, message_pair_process, uint32_t)[r],
                             .peer = HSC_COL(db, message_pair_peer, uint32_t)[r],
                             .peer_rank = HSC_COL(db, message_pair_peer_rank, uint32_t)[r],
                             .sent = HSC_WITHIN(db, message_pair_sent, uint64_t)[r],
                             .sent_bytes = HSC_WITHIN(db, message_pair_sent_bytes, uint64_t)[r],
                             .received = HSC_WITHIN(db, message_pair_received, uint64_t)[r],
                             .received_bytes = HSC_WITHIN(db, message_pair_received_bytes, uint64_t)[r]};
    return status;
}

static int by_processes(const void *a, const void *b) {
    const hsc_db_wait_pair *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->late < y->late ? -1 : x->late > y->late;
}

/* The table delayed by pair of processes, once. */
static hsc_status make_wait_pairs(hsc_db *db, hsc_err *err) {
    if (db->wait_pairs)
        return HSC_OK;
    hsc_status status = hsc_db_load(db, HSC_TAB_delay, err);
    if (!status)
        status = hsc_db_load(db, HSC_TAB_delayed, err);
    if (!status)
        status = hsc_within_want(db, HSC_WITHIN_DELAYED, err);
    if (status)
        return status;
    uint64_t n = db->tables.rows[HSC_TAB_delayed], kept = 0;
    hsc_db_wait_pair *list = malloc((n + 1) * sizeof *list);
    if (!list)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t delay = HSC_COL(db, delayed_delay, uint32_t)[i];
        list[i] = (hsc_db_wait_pair){HSC_COL(db, thread_process, uint32_t)[HSC_COL(db, delayed_thread, uint32_t)[i]],
                                     HSC_COL(db, thread_process, uint32_t)[HSC_COL(db, delay_thread, uint32_t)[delay]],
                                     HSC_WITHIN(db, delayed_waits, uint64_t)[i], HSC_WITHIN(db, delayed_wait_s, double)[i],
                                     HSC_WITHIN(db, delayed_max_s, double)[i]};
    }
    if (n > 1)
        qsort(list, n, sizeof *list, by_processes);
    for (uint64_t i = 0; i < n; i++) {
        hsc_db_wait_pair *to = kept ? &list[kept - 1] : NULL;
        if (!to || by_processes(to, &list[i])) {
            list[kept++] = list[i];
            continue;
        }
        to->waits += list[i].waits;
        to->wait_s += list[i].wait_s;
        to->max_s = list[i].max_s > to->max_s ? list[i].max_s : to->max_s;
    }
    db->wait_pairs = list;
    db->n_wait_pairs = (uint32_t)kept;
    return HSC_OK;
}

hsc_status hsc_db_count_wait_pairs(hsc_db *db, uint32_t *n, hsc_err *err) {
    hsc_status status = make_wait_pairs(db, err);
    if (!status)
        *n = db->n_wait_pairs;
    return status;
}

hsc_status hsc_db_get_wait_pair(hsc_db *db, uint32_t r, hsc_db_wait_pair *out, hsc_err *err) {
    hsc_status status = make_wait_pairs(db, err);
    if (!status && r >= db->n_wait_pairs)
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: pair of waiting processes %" PRIu32 " asked for, there are %" PRIu32, db->path, r,
                             db->n_wait_pairs);
    if (!status)
        *out = db->wait_pairs[r];
    return status;
}

static hsc_status check_bins(const hsc_db *db, uint32_t bins, const uint32_t *bin_of, hsc_err *err) {
    if (!bins || bins > HSC_MATRIX_BINS_MAX)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: matrix of %" PRIu32 " bins asked for, expected 1 to %d", db->path, bins, HSC_MATRIX_BINS_MAX);
    for (uint64_t p = 0; p < db->tables.rows[HSC_TAB_process]; p++)
        if (bin_of[p] >= bins && bin_of[p] != HSC_NONE)
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: process %" PRIu64 " in bin %" PRIu32 ", there are %" PRIu32, db->path, p, bin_of[p], bins);
    return HSC_OK;
}

static void add(double *out, double *outside, uint32_t bins, uint32_t from, uint32_t to, uint32_t inside, double value) {
    if (from != HSC_NONE && to != HSC_NONE)
        out[(size_t)from * bins + to] += value;
    else if (outside && inside != HSC_NONE)
        outside[inside] += value;
}

hsc_status hsc_db_read_matrix(hsc_db *db, hsc_db_between what, uint32_t bins, const uint32_t *bin_of, double *out, double *outside,
                              hsc_err *err) {
    hsc_status status = check_bins(db, bins, bin_of, err);
    bool waits = what == HSC_BETWEEN_WAITING || what == HSC_BETWEEN_WAITS;
    if (!status && (unsigned)what > HSC_BETWEEN_WAITS)
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: matrix of quantity %d asked for", db->path, (int)what);
    if (!status)
        status = waits ? make_wait_pairs(db, err) : hsc_db_load(db, HSC_TAB_message_pair, err);
    if (!status && !waits)
        status = hsc_within_want(db, HSC_WITHIN_PAIRS, err);
    if (status)
        return status;
    memset(out, 0, (size_t)bins * bins * sizeof *out);
    if (outside)
        memset(outside, 0, bins * sizeof *outside);
    for (uint32_t i = 0; waits && i < db->n_wait_pairs; i++) {
        const hsc_db_wait_pair *p = &db->wait_pairs[i];
        add(out, NULL, bins, bin_of[p->process], bin_of[p->late], HSC_NONE, what == HSC_BETWEEN_WAITS ? (double)p->waits : p->wait_s);
    }
    static const enum hsc_column_id columns[] = {[HSC_BETWEEN_SENT] = HSC_COL_message_pair_sent,
                                                 [HSC_BETWEEN_SENT_BYTES] = HSC_COL_message_pair_sent_bytes,
                                                 [HSC_BETWEEN_RECEIVED] = HSC_COL_message_pair_received,
                                                 [HSC_BETWEEN_RECEIVED_BYTES] = HSC_COL_message_pair_received_bytes};
    const uint64_t *values = waits ? NULL : hsc_within_column(db, columns[what]);
    bool received = what == HSC_BETWEEN_RECEIVED || what == HSC_BETWEEN_RECEIVED_BYTES;
    for (uint64_t i = 0; values && i < db->tables.rows[HSC_TAB_message_pair]; i++) {
        uint32_t peer = HSC_COL(db, message_pair_peer, uint32_t)[i], own = bin_of[HSC_COL(db, message_pair_process, uint32_t)[i]];
        uint32_t other = peer == HSC_NONE ? HSC_NONE : bin_of[peer];
        add(out, outside, bins, received ? other : own, received ? own : other, own, (double)values[i]);
    }
    return HSC_OK;
}
