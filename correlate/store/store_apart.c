/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Value tables that another process makes than the one that writes the database. */
#include "out_internal.h"
#include "store_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

hsc_status hsc_store_create_apart(const char *path, unsigned workers, const uint32_t *process_of, uint32_t threads, uint64_t processes, hsc_store **out,
                                  hsc_err *err) {
    hsc_store *s = NULL;
    hsc_status status = hsc_store_new(path, &s, err);
    if (status)
        return status;
    status = hsc_out_new_apart(s->path, workers, &s->out, err);
    uint32_t *kept = status ? NULL : malloc(((size_t)threads + 1) * sizeof *kept);
    if (!status && !kept)
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    if (status) {
        hsc_store_abort(s);
        return status;
    }
    memcpy(kept, process_of, threads * sizeof *kept);
    s->kept[HSC_COL_thread_process] = kept;
    s->have[HSC_COL_thread_process] = true;
    s->tables.rows[HSC_TAB_thread] = threads;
    s->tables.rows[HSC_TAB_process] = processes;
    *out = s;
    return HSC_OK;
}

hsc_status hsc_store_tell_metrics(hsc_store *s, const char *const *units, const double *scales, uint64_t n, hsc_err *err) {
    double *kept = malloc((n + 1) * sizeof *kept);
    if (!kept)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", s->path);
    if (n)
        memcpy(kept, scales, n * sizeof *kept);
    s->kept[HSC_COL_metric_scale] = kept;
    s->have[HSC_COL_metric_scale] = true;
    s->tables.rows[HSC_TAB_metric] = n;
    return hsc_store_keep_units(s, units, n, err);
}

hsc_status hsc_store_send_values(hsc_store *s, hsc_store_give *give, void *ctx, hsc_err *err) {
    hsc_status status = hsc_out_drain(s->out, err);
    return status ? status : hsc_out_log_send(s->out->log, give, ctx, err);
}

hsc_status hsc_store_take_values(hsc_store *s, uint32_t metric, hsc_db_table table, uint64_t rows, uint32_t columns, hsc_store_take *take, void *ctx,
                                 hsc_err *err) {
    hsc_status status = hsc_store_begin_values(s, metric, table, rows, columns, err); /* the same checks */
    hid_t group = -1;
    if (!status) {
        hsc_store_values_clear(s);
        status = hsc_store_metric_group(s, metric, &group, err);
    }
    if (!status)
        status = hsc_out_write_log(s->out, group, take, ctx, err);
    return status ? status : hsc_store_note_written(s, &(hsc_store_written){.metric = metric, .table = table, .rows = rows, .columns = columns}, err);
}
