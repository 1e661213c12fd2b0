/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two scales: which factor of the efficiency the loss comes from. */
#include <math.h>
#include <string.h>

#include "diff_text.h"

/* What the threads of a run did with their time, in words. */
static void say_time(const diff_factors *f, char *text, size_t size) {
    double rest = f->all_s - f->cpu_s, line = isfinite(f->line_s) ? fmax(0, fmin(f->line_s, rest)) : 0;
    int n = snprintf(text, size, "computation %.1f %%, other CPU time (communication, waiting, runtimes) %.1f %%", 100 * f->parallel,
                     100 * fmax(0, f->cpu_s - f->computation_s) / f->all_s);
    if (isfinite(f->line_s))
        n += snprintf(text + n, size - (size_t)n, ", in line for a processor %.1f %%", 100 * line / f->all_s);
    snprintf(text + n, size - (size_t)n, ", %s %.1f %%", isfinite(f->line_s) ? "blocked" : "not running (blocked, or in line for a processor)", 100 * fmax(0, rest - line) / f->all_s);
}

/* "87.5"; "-": not told */
static const char *put_percent(double part, char out[16]) {
    if (isfinite(part))
        snprintf(out, 16, "%.1f", 100 * part);
    return isfinite(part) ? out : "-";
}

static void say_loss(diff *d, const diff_factors *b, double balance, double communication, double computation) {
    const double factor[] = {balance, communication, computation};
    static const char *const of[] = {"imbalance of the computation", "time outside of computation", "computation that did not scale: the same work took more CPU time, or there is more of it"};
    char text[600], time[300];
    int least = 0;
    bool chance = !b->uneven;
    for (int i = 1; i < 3; i++)
        least = factor[i] < factor[least] ? i : least;
    if (!(factor[least] < 0.98)) {
        report_text_wrap(d->out, d->a.width, "none of these factors lost more than 2 %", 3, fprintf(d->out, "   Loss:"));
        return;
    }
    say_time(b, time, sizeof time);
    snprintf(text, sizeof text, "most is %s%s (to %.1f %%). Of the threads' time in B: %s", of[least], !least && chance ? ", which chance alone explains: too few samples to tell" : "", 100 * factor[least], time);
    report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "   Loss:"));
}

hsc_status diff_text_speedup(diff *d, hsc_err *err) {
    double speedup = d->a.info.wall_s / d->b.info.wall_s, ideal = d->weak ? 1.0 : (double)d->b.working / (double)d->a.working;
    diff_factors f[2];
    hsc_status s = diff_factors_of(&d->a, &f[0], err);
    if (!s)
        s = diff_factors_of(&d->b, &f[1], err);
    if (s)
        return s;
    fprintf(d->out, "Scaling, %s: %u -> %u %s, elapsed speed-up %.2f of %.4g", d->weak ? "weak" : "strong", d->a.working, d->b.working, diff_processors(d, true), speedup, ideal);
    if (!f[0].crowded && !f[1].crowded)
        fprintf(d->out, " (%.0f %%)", 100 * speedup / ideal);
    fputc('\n', d->out);
    return HSC_OK;
}

hsc_status diff_text_scaling(diff *d, hsc_err *err) {
    diff_factors f[2];
    hsc_status s = diff_factors_of(&d->a, &f[0], err);
    if (!s)
        s = diff_factors_of(&d->b, &f[1], err);
    if (s || !f[0].threads || !f[1].threads)
        return s;
    fputs("   efficiency %   parallel = load balance x communication   threads\n", d->out);
    char shown[2][16];
    for (int i = 0; i < 2; i++)
        fprintf(d->out, "   %-12c %10s %14.1f%c %14s %9u\n", "AB"[i], put_percent(f[i].parallel, shown[0]), 100 * f[i].load_balance, f[i].uneven ? ' ' : '~',
                put_percent(f[i].communication, shown[1]), f[i].threads);
    double parallel = f[1].parallel / f[0].parallel, balance = f[1].load_balance / f[0].load_balance, communication = f[1].communication / f[0].communication;
    double computation = diff_computation_scaling(d, &f[0], &f[1]);
    fprintf(d->out, "   %-12s %10s %14.1f %15s\n", "B of A", put_percent(parallel, shown[0]), 100 * balance, put_percent(communication, shown[1]));
    char text[400];
    int at = snprintf(text, sizeof text, "computation's scaling %.1f %% (%.3f s -> %.3f s)", 100 * computation, f[0].computation_s, f[1].computation_s);
    bool known = isfinite(parallel);
    if (known)
        snprintf(text + at, sizeof text - (size_t)at, " = %.1f %% of A's efficiency", 100 * parallel * computation);
    report_text_wrap(d->out, d->a.width, text, 5, fprintf(d->out, "   %s", known ? "x" : "") - !known);
    if (!known && diff_crowded_text(f, 2, 'A', text, sizeof text))
        report_text_wrap(d->out, d->a.width, text, 3, fprintf(d->out, "   -"));
    else
        say_loss(d, &f[1], balance, communication, computation);
    return HSC_OK;
}
