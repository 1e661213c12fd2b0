/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the time of loops is counted that are no more: unrolled fully, all their code is that of a loop round them. */
#include <stdlib.h>

#include "report_paid.h"

typedef struct counted {
    uint32_t loop, payer;
    double samples;
} counted;

static int by_both(const void *p, const void *q) {
    const counted *x = p, *y = q;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    return (x->payer > y->payer) - (x->payer < y->payer);
}

/* Contexts of such loops that others pay for; with list NULL only how many. */
static hsc_status collect(const report *r, counted *list, uint32_t *n, hsc_err *err) {
    enum { ROWS = 4096 };
    double sums[ROWS];
    hsc_status status = HSC_OK;
    const report_paid *p = r->paid;
    *n = 0;
    for (uint32_t first = 0; first < r->info.contexts && !status; first += ROWS) {
        uint32_t some = r->info.contexts - first < ROWS ? r->info.contexts - first : ROWS, before = *n;
        for (uint32_t c = first; c < first + some && !status; c++) {
            hsc_db_context context;
            uint32_t payer = p->loop_of[c];
            if (payer == HSC_NONE || (status = hsc_db_get_context(r->db, c, &context, err)) || context.scope == HSC_NONE || !p->is_no_more[context.scope] || payer == context.scope)
                continue;
            if (list)
                list[*n] = (counted){context.scope, payer, (double)(c - first)};
            ++*n;
        }
        if (!status && list && *n > before)
            status = hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD}, first, some, sums, err);
        for (uint32_t i = before; i < *n && !status && list; i++)
            list[i].samples = sums[(uint32_t)list[i].samples];
    }
    return status;
}

static hsc_status look(report *r, hsc_err *err) {
    report_paid *p = r->paid;
    uint32_t n = 0;
    counted *list = NULL;
    hsc_status status = p->missing ? HSC_OK : collect(r, NULL, &n, err);
    p->counted_at = calloc((size_t)r->info.scopes + 1, sizeof *p->counted_at);
    if (!status && n)
        list = malloc(n * sizeof *list);
    if (!status && (!p->counted_at || (n && !list)))
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    if (!status && n)
        status = collect(r, list, &n, err);
    for (uint32_t s = 0; p->counted_at && s < r->info.scopes; s++)
        p->counted_at[s] = (report_counted){HSC_NONE, HSC_NONE, 0, 0};
    if (!status && n)
        qsort(list, n, sizeof *list, by_both);
    for (uint32_t i = 0; i < n && !status;) {
        double samples = 0;
        uint32_t loop = list[i].loop, payer = list[i].payer;
        for (; i < n && list[i].loop == loop && list[i].payer == payer; i++)
            samples += list[i].samples;
        report_counted *at = &p->counted_at[loop], *in = &p->counted_at[payer];
        if (samples > at->samples_at) {
            at->at = payer;
            at->samples_at = samples;
        }
        if (samples > in->samples_of) {
            in->of = loop;
            in->samples_of = samples;
        }
    }
    free(list);
    if (status) {
        free(p->counted_at);
        p->counted_at = NULL;
    }
    return status;
}

hsc_status report_counted_of(report *r, uint32_t loop, report_counted *out, hsc_err *err) {
    hsc_status s = report_pay_all(r, err);
    if (!s && !r->paid->counted_at)
        s = look(r, err);
    if (!s)
        *out = r->paid->counted_at[loop];
    return s;
}
