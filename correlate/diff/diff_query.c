/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of query.h that compares two databases. */
#include <stdlib.h>

#include "diff.h"

hsc_status hsc_db_read_changes(hsc_db *a, uint32_t metric_a, hsc_db *b, uint32_t metric_b, hsc_change_by by, hsc_db_change **out,
                               uint32_t *n, hsc_err *err) {
    static const diff_by kinds[] = {DIFF_PROCEDURE, DIFF_LOOP, DIFF_LINE, DIFF_MODULE};
    diff d = {.a = {.db = a, .metric = metric_a, .width = 120}, .b = {.db = b, .metric = metric_b, .width = 120}};
    bool processes = hsc_db_get_columns(a, HSC_AXIS_PROCESS) > 1 || hsc_db_get_columns(b, HSC_AXIS_PROCESS) > 1;
    diff_row *rows = NULL;
    uint32_t count = 0;
    hsc_db_change *list = NULL;
    d.a.axis = d.b.axis = processes ? HSC_AXIS_PROCESS : HSC_AXIS_THREAD;
    hsc_status s = diff_load(&d, err);
    if (!s)
        s = diff_rows_by(&d, kinds[by], &rows, &count, err);
    if (!s && !(list = malloc(((size_t)count + 1) * sizeof *list)))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u differences", count);
    for (uint32_t i = 0; !s && i < count; i++)
        list[i] = (hsc_db_change){rows[i].a,      rows[i].b,   rows[i].count_a * d.a.unit.scale, rows[i].count_b * d.b.unit.scale,
                                  rows[i].change, rows[i].low, rows[i].high,                     rows[i].beyond,
                                  diff_how_text(rows[i].how)};
    if (!s) {
        *out = list;
        *n = count;
    }
    free(rows);
    diff_clear(&d);
    return s;
}
