/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What two runs waited for, called of message passing, and who made others wait, place by place, as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <report_causes.h>

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

typedef struct sums { /* of all rows */
    double a_s, b_s;
    double bytes; /* of the run with more of them */
} sums;

/* "27.4 -> 51.2 % of all waiting, most by rank 1" */
static void put_share(diff *d, const diff_timed *x, const sums *all) {
    char who[2][100] = {"", ""}, text[300];
    int at = snprintf(text, sizeof text, "%.1f -> %.1f %% of all waiting", all->a_s > 0 ? 100 * x->a.seconds / all->a_s : 0, all->b_s > 0 ? 100 * x->b.seconds / all->b_s : 0);
    if (x->in_a && x->a.most_thread != HSC_NONE)
        report_who(&d->a, x->a.most_thread, who[0], sizeof who[0]);
    if (x->in_b && x->b.most_thread != HSC_NONE)
        report_who(&d->b, x->b.most_thread, who[1], sizeof who[1]);
    if (x->in_a && x->in_b && who[0][0] && who[1][0] && strcmp(who[0], who[1]))
        snprintf(text + at, sizeof text - (size_t)at, ", most by %s -> %s", who[0], who[1]);
    else if ((who[0][0] || !x->in_a) && (who[1][0] || !x->in_b))
        snprintf(text + at, sizeof text - (size_t)at, ", most by %s", who[x->in_b]);
    fprintf(d->out, "      %s\n", text);
}

static void put_row(diff *d, diff_by by, const diff_timed *x, const sums *all, bool brief) {
    const report *r = x->in_b ? &d->b : &d->a;
    const diff_timed_side *side = x->in_b ? &x->b : &x->a;
    const char *kind = strncmp(x->kind, "MPI_", 4) ? x->kind : x->kind + 4;
    int room = d->a.width - BEFORE;
    char fitted[200], where[700];
    diff_put_numbers(d->out, 7, 3, "%.*f", x->a.seconds, 0);
    diff_put_numbers(d->out, 8, 3, "%.*f", x->b.seconds, 0);
    diff_put_numbers(d->out, 8, 3, "%+.*f", x->b.seconds - x->a.seconds, 0);
    diff_put_percent(d->out, x->a.seconds, x->b.seconds, x->in_a && x->in_b);
    put_count(d->out, x->a.calls);
    put_count(d->out, x->b.calls);
    if (by == DIFF_CAUSE) {
        fprintf(d->out, "  %s\n", report_fit_prose(kind, room, fitted, sizeof fitted));
        bool place = strncmp(x->cause[x->in_b], "not ", 4); /* "not running" */
        report_text_wrap(d->out, d->a.width, x->cause[x->in_b], 9, fprintf(d->out, place ? "      by" : "     "));
        if (!brief)
            put_share(d, x, all);
        return;
    }
    report_fit_prose(kind, room > 29 ? room - 20 : 13, fitted, sizeof fitted);
    report_text_place(r, side->line, side->context, room - report_columns_of(fitted) - 1, where, sizeof where);
    fprintf(d->out, "  %s %s\n", fitted, where);
    put_bytes(d, x, by == DIFF_MESSAGE);
}

typedef struct callers {
    diff_timed *list;
    uint32_t n;
} callers;

/* The same operation at the same line? */
static bool is_of(const diff_timed *caller, const diff_timed *x) {
    if (strcmp(caller->kind, x->kind))
        return false;
    return caller->in_a ? x->in_a && x->a.line != HSC_NONE && caller->a.line == x->a.line : x->in_b && x->b.line != HSC_NONE && caller->b.line == x->b.line;
}

/* What is called from several lines (a helper round MPI_Send): from each of them, the largest changes first. */
static void put_callers(diff *d, const diff_timed *x, const callers *all) {
    enum { SHOWN = 6 };
    uint32_t lines = 0, shown = 0;
    for (uint32_t i = 0; i < all->n; i++)
        lines += is_of(&all->list[i], x);
    for (uint32_t i = 0; lines > 1 && i < all->n && shown < SHOWN; i++) {
        const diff_timed *c = &all->list[i];
        if (!is_of(c, x))
            continue;
        shown++;
        const diff_timed_side *side = c->in_b ? &c->b : &c->a;
        char where[300] = "where it is not known", text[700], from[16], to[16];
        if (side->from != HSC_NONE)
            report_text_place(c->in_b ? &d->b : &d->a, side->from, side->from_context, 48, where, sizeof where);
        int at = snprintf(text, sizeof text, "%s%s: %.3f -> %.3f s", where, c->in_a && c->in_b ? "" : c->in_a ? " (only in A)" : " (only in B)", c->a.seconds, c->b.seconds);
        if (c->a.calls != c->b.calls)
            at += snprintf(text + at, sizeof text - (size_t)at, ", %llu -> %llu calls", (unsigned long long)c->a.calls, (unsigned long long)c->b.calls);
        if (c->a.sent != c->b.sent)
            at += snprintf(text + at, sizeof text - (size_t)at, ", sent %s -> %s bytes", report_bytes((double)c->a.sent, from, sizeof from), report_bytes((double)c->b.sent, to, sizeof to));
        if (c->a.received != c->b.received)
            snprintf(text + at, sizeof text - (size_t)at, ", received %s -> %s bytes", report_bytes((double)c->a.received, from, sizeof from), report_bytes((double)c->b.received, to, sizeof to));
        report_text_wrap(d->out, d->a.width, text, 11, fprintf(d->out, "        called from"));
    }
    if (shown && shown < lines)
        fprintf(d->out, "        and from %u more lines\n", lines - shown);
}

/* By a tenth of its own, and a hundredth of all bytes. */
static bool other_bytes(const diff_timed *x, const sums *all) {
    const double a[] = {(double)x->a.sent, (double)x->a.received}, b[] = {(double)x->b.sent, (double)x->b.received};
    for (int i = 0; i < 2; i++)
        if (fabs(b[i] - a[i]) >= 0.1 * fmax(a[i], b[i]) && fabs(b[i] - a[i]) >= 0.01 * all->bytes && a[i] != b[i])
            return true;
    return false;
}

/* Which rows are shown: of the first `top` (0: all) those that changed enough, and so many more whose bytes did, which are exact. */
static uint32_t choose(const diff *d, const diff_timed *list, uint32_t n, uint32_t top, bool brief, const sums *all, bool *shown) {
    uint32_t count = 0, by_bytes = 0;
    double least = brief ? 0.01 * fmin(d->a.info.wall_s, d->b.info.wall_s) : 0;
    for (uint32_t i = 0; i < n; i++) {
        double change = fabs(list[i].b.seconds - list[i].a.seconds);
        shown[i] = (!top || count - by_bytes < top) && (!brief || (change > 0 && change >= least));
        if (!shown[i] && by_bytes < BRIEF && other_bytes(&list[i], all)) {
            shown[i] = true;
            by_bytes++;
        }
        count += shown[i];
    }
    return count;
}

static hsc_status put_table(diff *d, diff_by by, const diff_timed *list, uint32_t n, bool brief, hsc_err *err) {
    static const struct {
        const char *title, *count, *what;
    } heads[] = {[DIFF_WAIT] = {"Waits outside message passing", "waits", "for, at"},
                 [DIFF_MESSAGE] = {"Calls of message passing", "calls", "operation, at"},
                 [DIFF_CAUSE] = {"What made others wait", "waits", "kind"}};
    uint32_t top = brief && (!d->a.top || d->a.top > BRIEF) ? BRIEF : d->a.top;
    double rest[2] = {0, 0}, bytes[2] = {0, 0};
    sums all = {0};
    bool *shown = calloc((size_t)n + 1, sizeof *shown);
    if (!shown)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u differences", n);
    for (uint32_t i = 0; i < n; i++) {
        all.a_s += list[i].a.seconds;
        all.b_s += list[i].b.seconds;
        bytes[0] += (double)(list[i].a.sent + list[i].a.received);
        bytes[1] += (double)(list[i].b.sent + list[i].b.received);
    }
    all.bytes = fmax(bytes[0], bytes[1]);
    callers from = {0};
    hsc_status s = by == DIFF_MESSAGE && !brief && !d->a.where && !d->b.where ? diff_message_callers(d, &from.list, &from.n, err) : HSC_OK;
    if (s) {
        free(shown);
        return s;
    }
    uint32_t count = choose(d, list, n, top, brief, &all, shown);
    if (brief && !count) {
        free(shown);
        return HSC_OK;
    }
    fprintf(d->out, "\n%s: seconds of all threads%s\n     s A      s B   change      %% %5s A %5s B  %s\n", heads[by].title, by == DIFF_CAUSE ? ", divided by samples" : ", by the clock", heads[by].count,
            heads[by].count, heads[by].what);
    for (int machine = 0; machine < 2; machine++)
        for (uint32_t i = 0, before = 0; i < n; i++)
            if (shown[i] && list[i].machine == machine) {
                if (machine && !before++)
                    fputs("   The machine's: the late ones were ready to run, but had no processor\n", d->out);
                put_row(d, by, &list[i], &all, brief);
                put_callers(d, &list[i], &from);
            } else if (!shown[i] && !machine) {
                rest[0] += list[i].a.seconds;
                rest[1] += list[i].b.seconds;
            }
    if (count < n) {
        diff_put_numbers(d->out, 7, 3, "%.*f", rest[0], 0);
        diff_put_numbers(d->out, 8, 3, "%.*f", rest[1], 0);
        diff_put_numbers(d->out, 8, 3, "%+.*f", rest[1] - rest[0], 0);
        fprintf(d->out, "   %u more: --by=%s%s\n", n - count, diff_names[by], brief ? "" : " --top=0");
    }
    if (!n)
        fputs("  none\n", d->out);
    diff_free_timed(from.list, from.n);
    free(shown);
    return HSC_OK;
}

hsc_status diff_text_timed(diff *d, diff_by by, bool brief, hsc_err *err) {
    diff_timed *list;
    uint32_t n;
    hsc_status s = diff_timed_by(d, by, &list, &n, err);
    if (s)
        return s;
    s = put_table(d, by, list, n, brief, err);
    diff_free_timed(list, n);
    return s;
}
