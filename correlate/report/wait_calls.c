/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls on one line, kept apart by their columns. */
#include "wait_calls.h"

#include <stdio.h>
#include <stdlib.h>

#include <heatscope/formats/records.h>

static int by_place(const report_wait_call *a, const report_wait_call *b) {
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static int by_call(const void *pa, const void *pb) {
    const report_wait_call *a = pa, *b = pb;
    int c = by_place(a, b);
    return c ? c : (a->column > b->column) - (a->column < b->column);
}

hsc_status report_load_wait_calls(const report *r, report_wait_calls *out, hsc_err *err) {
    report_wait_call *list = malloc(((size_t)r->info.waits + 1) * sizeof *list);
    hsc_status s = list ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path ? r->info.path : "");
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; !s && i < r->info.waits; i++) {
        hsc_db_wait w;
        if (!(s = hsc_db_get_wait(r->db, i, &w, err)) && w.column)
            list[count++] = (report_wait_call){w.context, w.line, w.kind, w.column};
    }
    if (s) {
        free(list);
        return s;
    }
    qsort(list, count, sizeof *list, by_call);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || by_call(&list[kept - 1], &list[i]))
            list[kept++] = list[i];
    *out = (report_wait_calls){list, kept};
    return HSC_OK;
}

uint32_t report_wait_call_column(const report_wait_calls *calls, const report_wait_call *call) {
    uint32_t first = 0, high = calls->n;
    if (!call->column || (call->kind >= HSC_wait_kind_OMP_BARRIER && call->kind <= HSC_wait_kind_OMP_IDLE))
        return 0;
    while (first < high) {
        uint32_t middle = first + (high - first) / 2;
        if (by_place(&calls->list[middle], call) < 0)
            first = middle + 1;
        else
            high = middle;
    }
    bool several = first + 1 < calls->n && !by_place(&calls->list[first], call) && !by_place(&calls->list[first + 1], call);
    return several ? call->column : 0;
}

const char *report_wait_call_text(const char *kind, uint32_t column, char *out, size_t size) {
    if (!column)
        return kind;
    snprintf(out, size, "%s (column %u)", kind, column);
    return out;
}
