/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What two runs waited for, called of message passing, and who made others wait, place by place, as text. */
#include <math.h>
#include <string.h>

#include "diff_text.h"

enum { BRIEF = 5, BEFORE = 51 }; /* rows of the brief report; columns before a row's words */

static void put_count(FILE *out, uint64_t n) {
    char text[32];
    if (n < 10000000)
        fprintf(out, " %7llu", (unsigned long long)n);
    else
        fprintf(out, " %7s", report_bytes((double)n, text, sizeof text));
}

static void put_bytes(diff *d, const diff_timed *x, bool messages) {
    char from[16], to[16], text[200];
    int at = 0;
    if (x->a.sent != x->b.sent)
        at = snprintf(text, sizeof text, "sent %s -> %s bytes", report_bytes((double)x->a.sent, from, sizeof from), report_bytes((double)x->b.sent, to, sizeof to));
    if (x->a.received != x->b.received)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s%s -> %s bytes", at ? ", " : "", messages ? "received " : "", report_bytes((double)x->a.received, from, sizeof from),
                       report_bytes((double)x->b.received, to, sizeof to));
    if (at)
        fprintf(d->out, "      %s\n", text);
}

static void put_row(diff *d, diff_by by, const diff_timed *x) {
    const report *r = x->in_b ? &d->b : &d->a;
    const diff_timed_side *side = x->in_b ? &x->b : &x->a;
    const char *kind = strncmp(x->kind, "MPI_", 4) ? x->kind : x->kind + 4;
    int room = d->a.width - BEFORE;
    char fitted[200], where[700];
    diff_put_numbers(d->out, 7, 3, "%.*f", x->a.seconds, 0);
    diff_put_numbers(d->out, 8, 3, "%.*f", x->b.seconds, 0);
    diff_put_numbers(d->out, 8, 3, "%+.*f", x->b.seconds - x->a.seconds, 0);
    diff_put_percent(d->out, x->a.seconds, x->b.seconds);
    put_count(d->out, x->a.calls);
    put_count(d->out, x->b.calls);
    if (by == DIFF_CAUSE) {
        fprintf(d->out, "  %s\n", report_fit_prose(kind, room, fitted, sizeof fitted));
        bool place = strncmp(x->cause[x->in_b], "not ", 4); /* "not running" */
        report_text_wrap(d->out, d->a.width, x->cause[x->in_b], 9, fprintf(d->out, place ? "      by" : "     "));
        return;
    }
    report_fit_prose(kind, room > 29 ? room - 20 : 13, fitted, sizeof fitted);
    report_text_place(r, side->line, side->context, room - report_columns_of(fitted) - 1, where, sizeof where);
    fprintf(d->out, "  %s %s\n", fitted, where);
    put_bytes(d, x, by == DIFF_MESSAGE);
}

static bool is_told(const diff *d, const diff_timed *x, bool brief) {
    double change = fabs(x->b.seconds - x->a.seconds);
    return !brief || (change > 0 && change >= 0.01 * fmin(d->a.info.wall_s, d->b.info.wall_s));
}

hsc_status diff_text_timed(diff *d, diff_by by, bool brief, hsc_err *err) {
    static const struct {
        const char *title, *count, *what;
    } heads[] = {[DIFF_WAIT] = {"Waits outside message passing", "waits", "for, at"},
                 [DIFF_MESSAGE] = {"Calls of message passing", "calls", "operation, at"},
                 [DIFF_CAUSE] = {"What made others wait", "waits", "kind"}};
    diff_timed *list;
    uint32_t n, shown = 0, top = brief && (!d->a.top || d->a.top > BRIEF) ? BRIEF : d->a.top;
    double rest[2] = {0, 0};
    hsc_status s = diff_timed_by(d, by, &list, &n, err);
    if (s)
        return s;
    if (brief && !(n && is_told(d, &list[0], true))) { /* the largest change stands first */
        diff_free_timed(list, n);
        return HSC_OK;
    }
    fprintf(d->out, "\n%s: seconds of all threads%s\n     s A      s B   change      %% %5s A %5s B  %s\n", heads[by].title, by == DIFF_CAUSE ? ", divided by samples" : ", by the clock", heads[by].count,
            heads[by].count, heads[by].what);
    for (uint32_t i = 0; i < n; i++) {
        if ((top && shown >= top) || !is_told(d, &list[i], brief)) {
            rest[0] += list[i].a.seconds;
            rest[1] += list[i].b.seconds;
            continue;
        }
        shown++;
        put_row(d, by, &list[i]);
    }
    if (shown < n) {
        diff_put_numbers(d->out, 7, 3, "%.*f", rest[0], 0);
        diff_put_numbers(d->out, 8, 3, "%.*f", rest[1], 0);
        diff_put_numbers(d->out, 8, 3, "%+.*f", rest[1] - rest[0], 0);
        fprintf(d->out, "   %u more: --by=%s%s\n", n - shown, diff_names[by], brief ? "" : " --top=0");
    }
    if (!n)
        fputs("  none\n", d->out);
    diff_free_timed(list, n);
    return HSC_OK;
}
