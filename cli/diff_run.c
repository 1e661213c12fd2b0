/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of two whole runs without sampling: CPU time, elapsed time, what their threads waited for; and how even their computation was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_text.h"

/* " (-98.5 %)"; of a hundred times as much nobody reads the digits. */
static int put_share(char *out, size_t size, double a, double b) {
    if (!(a > 0))
        return 0;
    return b / a - 1 < 99.99 ? snprintf(out, size, " (%+.1f %%)", 100 * (b / a - 1)) : snprintf(out, size, " (>9999 %%)");
}

/* "2.264 s -> 0.034 s, -2.230 s (-98.5 %)" */
static int put_seconds(char *out, size_t size, double a, double b) {
    int n = snprintf(out, size, "%.3f s -> %.3f s, %+.3f s", a, b, b - a);
    return n + put_share(out + n, size - (size_t)n, a, b);
}

static void put_total(diff *d) {
    diff_row total = diff_total(d);
    double a = total.count_a * d->a.unit.scale;
    char text[500];
    int n = snprintf(text, sizeof text, "%.3f %s -> %.3f %s, %+.3f %s", a, d->a.unit.unit, total.count_b * d->b.unit.scale, d->b.unit.unit, total.change,
                     d->a.unit.unit);
    if (a > 0 && total.low < total.high)
        n += snprintf(text + n, sizeof text - (size_t)n, " (%+.1f %%, 95 %%: %+.1f to %+.1f)", 100 * total.change / a, diff_percent(total.low, a), diff_percent(total.high, a));
    else
        n += put_share(text + n, sizeof text - (size_t)n, a, a + total.change);
    snprintf(text + n, sizeof text - (size_t)n, "%s", total.beyond || !(total.low < total.high) ? "" : " ~");
    report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "\n%s%s:", d->a.unit.name, d->a.unit.exact ? "" : " by samples") - 1);
}

/* The kernel's clocks tell the CPU time of a whole run; samples only where it was spent. itself: NULL, nothing to say. */
static void put_cpu_time(diff *d, const hsc_db_run_figure *cpu, const hsc_db_run_figure *itself) {
    char text[600];
    int n = put_seconds(text, sizeof text, cpu->a, cpu->b);
    n += snprintf(text + n, sizeof text - (size_t)n, ", by the kernel's clocks");
    if (itself) {
        n += snprintf(text + n, sizeof text - (size_t)n, "; the program itself, by what measuring took (an estimate): ");
        put_seconds(text + n, sizeof text - (size_t)n, itself->a, itself->b);
    }
    report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "\nCPU time:") - 1);
}

typedef struct figures {
    hsc_db_run_figure *list;
    uint32_t n;
} figures;

/* The first of them; NULL: there is none. */
static const hsc_db_run_figure *find(const figures *f, const char *of) {
    for (uint32_t i = 0; i < f->n; i++)
        if (!strcmp(f->list[i].of, of))
            return &f->list[i];
    return NULL;
}

/* All waits, and the kinds that changed most. */
static void put_waits(diff *d, const figures *f, const char *of, const char *title) {
    uint32_t shown = 0;
    char text[900];
    const hsc_db_run_figure *all = find(f, of);
    if (!all)
        return;
    int at = put_seconds(text, sizeof text, all->a, all->b);
    at += snprintf(text + at, sizeof text - (size_t)at, ", all threads added up");
    for (const hsc_db_run_figure *x = all + 1; x < f->list + f->n && !strcmp(x->of, of) && shown < 3; x++)
        if (fabs(x->b - x->a) >= 0.01 * fmax(all->a, all->b))
            at += snprintf(text + at, sizeof text - (size_t)at, "%s %.60s %.3f -> %.3f s", shown++ ? "," : ":", x->name, x->a, x->b);
    report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "%s:", title));
}

/* What threads did with the CPU time, by samples. */
static void put_categories(diff *d, const figures *f) {
    char text[900];
    int at = 0, alone = 0; /* two runs may differ by more, and the first to be told says so */
    for (const hsc_db_run_figure *x = find(f, "category"); x && x < f->list + f->n && !strcmp(x->of, "category"); x++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%.60s %.3f -> %.3f s", at ? "; " : "", x->name, x->a, x->b);
        if (x->a > 0 && x->b / x->a - 1 < 99.99) {
            at += snprintf(text + at, sizeof text - (size_t)at, " (%+.1f %%", 100 * (x->b / x->a - 1));
            at += x->low > 0 || x->high < 0 ? snprintf(text + at, sizeof text - (size_t)at, ", 95 %%%s: %+.1f to %+.1f)", d->repeated || alone++ ? "" : " of sampling alone", diff_percent(x->low, x->a), diff_percent(x->high, x->a))
                                            : snprintf(text + at, sizeof text - (size_t)at, ", within noise)");
        }
    }
    if (at)
        report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "   of it:"));
}

/* Of two runs of equal size; the factors of two scales have it. */
static void put_balance(diff *d, const hsc_db_run_figure *x) {
    char text[300];
    snprintf(text, sizeof text, "%.2f%s -> %.2f%s: computation of the thread with most over the mean", x->a, x->chance_a ? "~" : "", x->b, x->chance_b ? "~" : "");
    report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "Imbalance:"));
}

hsc_status diff_text_run(diff *d, hsc_err *err) {
    figures f;
    hsc_status s = diff_figures_of(d, &f.list, &f.n, err);
    if (s)
        return s;
    const hsc_db_run_figure *cpu = find(&f, "cpu"), *imbalance = find(&f, "imbalance");
    if (cpu)
        put_cpu_time(d, cpu, find(&f, "itself"));
    else
        put_total(d);
    put_categories(d, &f);
    if (d->a.info.wall_s > 0 && d->b.info.wall_s > 0)
        fprintf(d->out, "Elapsed: %.3f s -> %.3f s (%+.1f %%)\n", d->a.info.wall_s, d->b.info.wall_s, 100 * (d->b.info.wall_s / d->a.info.wall_s - 1));
    put_waits(d, &f, "waiting", "Waiting");
    put_waits(d, &f, "messages", "Message passing");
    if (imbalance)
        put_balance(d, imbalance);
    free(f.list);
    return HSC_OK;
}
