/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the threads of two runs waited for, by kind: counted by clocks, not sampled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <report_measures.h>

#include "diff.h"

typedef struct growing {
    diff_wait *list;
    uint32_t n, room;
} growing;

static bool add(growing *g, const char *kind, bool messages, int side, double seconds) {
    uint32_t k = 0;
    while (k < g->n && (g->list[k].messages != messages || strcmp(g->list[k].kind, kind)))
        k++;
    if (k == g->n) {
        if (g->n == g->room) {
            diff_wait *more = realloc(g->list, (g->room = 2 * g->room + 16) * sizeof *more);
            if (!more)
                return false;
            g->list = more;
        }
        g->list[g->n++] = (diff_wait){.kind = kind, .messages = messages};
    }
    *(side ? &g->list[k].b_s : &g->list[k].a_s) += seconds;
    return true;
}

static hsc_status add_run(report *r, int side, growing *g, hsc_err *err) {
    report_wait *waits = NULL;
    report_message *messages = NULL;
    uint32_t n = 0, k = 0;
    bool ok = true;
    hsc_status s = report_waits(r, false, &waits, &n, err);
    if (!s)
        s = report_messages(r, false, &messages, &k, err);
    for (uint32_t i = 0; !s && ok && i < n; i++)
        ok = !waits[i].own || add(g, waits[i].kind_text, false, side, waits[i].total_s);
    for (uint32_t i = 0; !s && ok && i < k; i++)
        ok = add(g, messages[i].operation, true, side, messages[i].duration_s);
    free(waits);
    free(messages);
    return s ? s : ok ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
}

static int larger(const void *p, const void *q) {
    const diff_wait *x = p, *y = q;
    double a = fabs(x->b_s - x->a_s), b = fabs(y->b_s - y->a_s);
    return a != b ? (a > b ? -1 : 1) : strcmp(x->kind, y->kind);
}

hsc_status diff_waits(diff *d, diff_wait **list, uint32_t *n, hsc_err *err) {
    growing g = {0};
    *list = NULL;
    *n = 0;
    hsc_status s = diff_is_whole(&d->a) && diff_is_whole(&d->b) ? add_run(&d->a, 0, &g, err) : HSC_OK;
    if (!s && diff_is_whole(&d->a) && diff_is_whole(&d->b))
        s = add_run(&d->b, 1, &g, err);
    if (s) {
        free(g.list);
        return s;
    }
    if (g.n)
        qsort(g.list, g.n, sizeof *g.list, larger);
    *list = g.list;
    *n = g.n;
    return HSC_OK;
}
