/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of two whole runs without sampling: CPU time, elapsed time, what their threads waited for; and how even their computation was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_text.h"

/* "2.264 s -> 0.034 s, -2.230 s (-98.5 %)" */
static int put_seconds(char *out, size_t size, double a, double b) {
    int n = snprintf(out, size, "%.3f s -> %.3f s, %+.3f s", a, b, b - a);
    if (a > 0)
        n += snprintf(out + n, size - (size_t)n, " (%+.1f %%)", 100 * (b / a - 1));
    return n;
}

static void put_total(diff *d) {
    diff_row total = diff_total(d);
    double a = total.count_a * d->a.unit.scale;
    char text[500];
    int n = snprintf(text, sizeof text, "%.3f %s -> %.3f %s, %+.3f %s", a, d->a.unit.unit, total.count_b * d->b.unit.scale, d->b.unit.unit, total.change,
                     d->a.unit.unit);
    if (a > 0 && total.low < total.high)
        n += snprintf(text + n, sizeof text - (size_t)n, " (%+.1f %%, 95 %%: %+.1f to %+.1f)", 100 * total.change / a, 100 * total.low / a, 100 * total.high / a);
    else if (a > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, " (%+.1f %%)", 100 * total.change / a);
    snprintf(text + n, sizeof text - (size_t)n, "%s", total.beyond || !(total.low < total.high) ? "" : " ~");
    report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "\n%s%s:", d->a.unit.name, d->a.unit.exact ? "" : " by samples") - 1);
}

/* The kernel's clocks tell the CPU time of a whole run; samples only where it was spent. */
static void put_cpu_time(diff *d) {
    char text[600];
    diff_measured m[2];
    diff_measured_of(&d->a, &m[0]);
    diff_measured_of(&d->b, &m[1]);
    int n = put_seconds(text, sizeof text, d->a.info.cpu_s, d->b.info.cpu_s);
    n += snprintf(text + n, sizeof text - (size_t)n, ", by the kernel's clocks");
    if (m[0].itself_s > 0 && m[1].itself_s > 0 && (m[0].itself_s < 0.995 * d->a.info.cpu_s || m[1].itself_s < 0.995 * d->b.info.cpu_s)) {
        n += snprintf(text + n, sizeof text - (size_t)n, "; the program itself, by what measuring took (an estimate): ");
        put_seconds(text + n, sizeof text - (size_t)n, m[0].itself_s, m[1].itself_s);
    }
    report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "\nCPU time:") - 1);
}

static void put_waits(diff *d, const diff_wait *list, uint32_t n, bool messages) {
    double a = 0, b = 0;
    uint32_t shown = 0;
    char text[900];
    for (uint32_t i = 0; i < n; i++)
        if (list[i].messages == messages) {
            a += list[i].a_s;
            b += list[i].b_s;
        }
    if (fmax(a, b) < 0.01 * fmin(d->a.info.wall_s, d->b.info.wall_s))
        return;
    int at = put_seconds(text, sizeof text, a, b);
    at += snprintf(text + at, sizeof text - (size_t)at, ", all threads added up");
    for (uint32_t i = 0; i < n && shown < 3; i++)
        if (list[i].messages == messages && fabs(list[i].b_s - list[i].a_s) >= 0.01 * fmax(a, b))
            at += snprintf(text + at, sizeof text - (size_t)at, "%s %.60s %.3f -> %.3f s", shown++ ? "," : ":", list[i].kind, list[i].a_s, list[i].b_s);
    report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, messages ? "Message passing:" : "Waiting:"));
}

/* Of two runs of equal size; the factors of two scales have it. */
static hsc_status put_balance(diff *d, hsc_err *err) {
    diff_factors a, b;
    hsc_status s = d->scaling ? HSC_OK : diff_factors_of(&d->a, &a, err);
    if (!s && !d->scaling)
        s = diff_factors_of(&d->b, &b, err);
    if (s || d->scaling || a.threads < 2 || b.threads < 2 || !(a.load_balance > 0) || !(b.load_balance > 0) || (!a.uneven && !b.uneven))
        return s;
    char text[300];
    snprintf(text, sizeof text, "%.2f%s -> %.2f%s: computation of the thread with most over the mean", 1 / a.load_balance, a.uneven ? "" : "~", 1 / b.load_balance,
             b.uneven ? "" : "~");
    report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "Imbalance:"));
    return s;
}

hsc_status diff_text_run(diff *d, hsc_err *err) {
    diff_wait *list;
    uint32_t n;
    if (diff_is_whole(&d->a) && diff_is_whole(&d->b) && !d->a.metric && !d->b.metric && !d->a.category && d->a.info.cpu_s > 0 && d->b.info.cpu_s > 0)
        put_cpu_time(d);
    else
        put_total(d);
    if (d->a.info.wall_s > 0 && d->b.info.wall_s > 0)
        fprintf(d->out, "Elapsed: %.3f s -> %.3f s (%+.1f %%)\n", d->a.info.wall_s, d->b.info.wall_s, 100 * (d->b.info.wall_s / d->a.info.wall_s - 1));
    hsc_status s = diff_waits(d, &list, &n, err);
    if (s)
        return s;
    put_waits(d, list, n, false);
    put_waits(d, list, n, true);
    free(list);
    return put_balance(d, err);
}
