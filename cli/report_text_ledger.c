/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs and libraries, and the ledger, as text: tables of their own, and paragraphs among all others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_text.h"

static double percent(const report *r, double samples) { return r->total > 0 ? 100 * samples / r->total : 0; }

/* ---- paragraphs of short pieces, broken between and inside them ---------------------------------------------------------- */

typedef struct paragraph {
    report *r;
    const char *head;
    int indent;
    uint32_t pieces;
    char *text;
    size_t size;
    FILE *to;
} paragraph;

/* `head` (its last line) and the pieces; lines after the first are indented. head is borrowed until the end. */
static paragraph paragraph_begin(report *r, const char *head, int indent) {
    return (paragraph){.r = r, .head = head, .indent = indent};
}

static void paragraph_put(paragraph *p, const char *separator, const char *piece) {
    if (!p->to && !(p->to = open_memstream(&p->text, &p->size)))
        return;
    fprintf(p->to, "%s%s%s", separator, p->pieces ? " " : "", piece);
    p->pieces++;
}

static void paragraph_end(paragraph *p) {
    if (p->to && !fclose(p->to)) {
        const char *line = strrchr(p->head, '\n');
        fputs(p->head, p->r->out);
        report_text_wrap(p->r->out, p->r->width, p->text, p->indent, report_columns_of(line ? line + 1 : p->head));
    }
    free(p->text);
    p->text = NULL;
    p->to = NULL;
}

typedef struct module_row {
    uint32_t module;
    hsc_weighted own;
    double incl;
} module_row;

static int heavier_module(const void *a, const void *b) {
    const module_row *x = a, *y = b;
    if (x->own.sum != y->own.sum)
        return x->own.sum > y->own.sum ? -1 : 1;
    return x->incl != y->incl ? (x->incl > y->incl ? -1 : 1) : x->module < y->module ? -1 : 1;
}

/* One paragraph: what each file has, and how far its code is known. */
static hsc_status brief_modules(report *r, const module_row *rows, uint32_t n, hsc_err *err) {
    hsc_db_module m;
    hsc_weighted rest = {0, 0};
    char name[600], piece[900], more[80], share[80];
    uint32_t shown = 0, few = report_text_rows(r, 5);
    paragraph p = paragraph_begin(r, "\nPrograms and libraries:", 3);
    while (shown < n && (!few || shown < few) && (!shown || rows[shown].own.sum >= 0.01 * r->total)) {
        hsc_status status = hsc_db_get_module(r->db, rows[shown].module, &m, err);
        if (status)
            return status;
        const char *base = strrchr(m.path, '/');
        bool odd = m.note[0] && strncmp(m.note, "no ", 3); /* "no map" says what `known by` does */
        snprintf(piece, sizeof piece, "%s %s, %s%s%.300s", report_fit_path(base ? base + 1 : m.path, 60, name, sizeof name), report_text_share(r, rows[shown].own, share, sizeof share),
                 report_known_by(m.knowledge), odd ? "; " : "", odd ? m.note : "");
        paragraph_put(&p, shown ? ";" : "", piece);
        shown++;
    }
    for (uint32_t i = shown; i < n; i++)
        rest.sum += rows[i].own.sum, rest.excess += rows[i].own.excess;
    if (shown < n) {
        snprintf(piece, sizeof piece, "%s in %s", report_text_share(r, rest, share, sizeof share), report_text_more(r, n - shown, REPORT_MODULE, more, sizeof more));
        paragraph_put(&p, ";", piece);
    }
    paragraph_end(&p);
    return HSC_OK;
}

hsc_status report_text_modules(report *r, hsc_err *err) {
    char name[600];
    hsc_status status = HSC_OK;
    uint32_t n = r->info.modules, shown = r->top && r->top < n ? r->top : n;
    module_row *rows = calloc((uint64_t)n + 1, sizeof *rows);
    if (!rows)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t m = 0; m < n; m++)
        rows[m].module = m;
    for (uint32_t s = 0; s < r->info.scopes && !status; s++) {
        hsc_db_scope scope;
        status = hsc_db_get_scope(r->db, s, &scope, err);
        if (status || scope.module == HSC_NONE)
            continue;
        rows[scope.module].own.sum += r->excl[s];
        rows[scope.module].own.excess += r->excl_excess[s];
        if (scope.kind == HSC_SCOPE_MODULE)
            rows[scope.module].incl = r->incl[s];
    }
    qsort(rows, n, sizeof *rows, heavier_module);
    if (r->brief) {
        status = status ? status : brief_modules(r, rows, n, err);
        free(rows);
        return status;
    }
    fputs("\nPrograms and libraries\n", r->out);
    report_text_amount_heads(r);
    fprintf(r->out, " %6s  %-18s file\n", "incl%", "known by");
    hsc_weighted rest = {0};
    for (uint32_t i = 0; i < n && !status; i++) {
        hsc_db_module m;
        if (i >= shown) {
            rest.sum += rows[i].own.sum;
            rest.excess += rows[i].own.excess;
            continue;
        }
        status = hsc_db_get_module(r->db, rows[i].module, &m, err);
        if (status)
            break;
        fprintf(r->out, "%4u", i + 1);
        report_text_amount(r, rows[i].own);
        fprintf(r->out, " %6.1f  %-18s %s\n", percent(r, rows[i].incl), report_known_by(m.knowledge),
                report_fit_path(m.path, r->width - 48 - report_text_interval_width(r), name, sizeof name));
        if (m.note[0])
            fprintf(r->out, "%28s(%s)\n", "", report_fit_prose(m.note, r->width - 30, name, sizeof name));
    }
    if (shown < n && !status) {
        fprintf(r->out, "    ");
        report_text_amount(r, rest);
        fprintf(r->out, "         %s\n", report_text_more(r, n - shown, REPORT_MODULE, name, sizeof name));
    }
    free(rows);
    return status;
}

typedef struct ledger_total { /* a row of totals, or what the rows of a group are shares of */
    double samples, seconds;
} ledger_total;

/* The total of group 0 that the meaning names in brackets; else what was taken, of CPU time. */
static ledger_total total_of(const report *r, const hsc_db_ledger *row, const ledger_total *taken) {
    hsc_db_ledger l;
    const char *end = row->meaning[0] == '[' ? strchr(row->meaning, ']') : NULL;
    size_t n = end ? (size_t)(end - row->meaning - 1) : 0;
    for (uint32_t i = 0; end && i < r->info.ledger_rows && !hsc_db_get_ledger(r->db, i, &l, NULL); i++)
        if (!l.group && strlen(l.name) == n && !memcmp(l.name, row->meaning + 1, n))
            return (ledger_total){(double)l.samples, l.seconds};
    bool other = !strncmp(row->meaning, "elapsed time", 12) || strstr(row->meaning, "(not samples)");
    return other ? (ledger_total){0, 0} : *taken;
}

/* Are the group's rows shares of elapsed time, not of CPU time? */
static bool is_of_elapsed(const report *r, const hsc_db_ledger *row) {
    hsc_db_ledger l;
    const char *end = row->meaning[0] == '[' ? strchr(row->meaning, ']') : NULL;
    size_t n = end ? (size_t)(end - row->meaning - 1) : 0;
    for (uint32_t i = 0; end && i < r->info.ledger_rows && !hsc_db_get_ledger(r->db, i, &l, NULL); i++)
        if (!l.group && strlen(l.name) == n && !memcmp(l.name, row->meaning + 1, n))
            return !strncmp(l.meaning, "elapsed time", 12);
    return false;
}

/* Totals that are counts of deeds, not of time: "rate lowered: 2 threads that ...", "said: ...". */
static const char not_samples[] = " (not samples)";

static bool is_deed(const hsc_db_ledger *l) {
    return strstr(l->meaning, not_samples) != NULL;
}

/* "2 threads that ...": returns out */
static const char *deed_text(const hsc_db_ledger *l, char *out, size_t size) {
    const char *at = strstr(l->meaning, not_samples);
    int before = at ? (int)(at - l->meaning) : (int)strlen(l->meaning);
    if (l->samples == 1 && before > 2 && !strncmp(l->meaning + before - 3, "ses", 3)) /* processes */
        before -= 2;
    else if (l->samples == 1 && before && l->meaning[before - 1] == 's')
        before--;
    snprintf(out, size, "%llu %.*s%s", (unsigned long long)l->samples, before, l->meaning, at ? at + sizeof not_samples - 1 : "");
    return out;
}

static void put_deed(paragraph *p, const hsc_db_ledger *l) {
    char text[1400], meaning[700];
    if (!strncmp(l->name, "said: ", 6))
        snprintf(text, sizeof text, "%.600s (%llu process%s)", l->name, (unsigned long long)l->samples, l->samples == 1 ? "" : "es");
    else
        snprintf(text, sizeof text, "%.600s: %s", l->name, deed_text(l, meaning, sizeof meaning));
    paragraph_put(p, p->pieces ? ";" : "", text);
}

/* " (added 3.4 %, ~2.9 to 4.0 %)": what measuring, a total, added to the program itself, as the last line of a run tells it; "": of others, or not known. */
static const char *added_text(const report *r, const char *name, size_t length, double seconds, char *out, size_t size) {
    hsc_db_ledger l;
    double itself = 0, least = 0, most = 0;
    out[0] = 0;
    for (uint32_t i = 0; length == 9 && !memcmp(name, "measuring", 9) && i < r->info.ledger_rows; i++) {
        if (hsc_db_get_ledger(r->db, i, &l, NULL) || l.group)
            continue;
        itself = strcmp(l.name, HSC_LEDGER_ITSELF) ? itself : l.seconds;
        least = strcmp(l.name, HSC_LEDGER_LEAST) ? least : l.seconds;
        most = strcmp(l.name, HSC_LEDGER_MOST) ? most : l.seconds;
    }
    if (itself > 0 && 1000 * (most - least) > itself)
        snprintf(out, size, " (added %.1f %%, ~%.1f to %.1f %%)", 100 * seconds / itself, 100 * least / itself, 100 * most / itself);
    else if (itself > 0)
        snprintf(out, size, " (added %.1f %%)", 100 * seconds / itself);
    return out;
}

/* A group a line: what its rows are of, and the share of each that is not 0. Then what the tool did. */
static hsc_status brief_ledger(report *r, hsc_err *err) {
    hsc_db_ledger l;
    ledger_total taken = {0, 0};
    uint32_t group = 0;
    double lost_s = 0;
    paragraph p = {.r = r};
    char text[700], heading[200] = "", prefix[200] = "", added[80];
    fputs("\nLedger: where all CPU time went (all of it, with meanings: --by=ledger)\n", r->out);
    for (uint32_t i = 0; i < r->info.ledger_rows; i++) {
        hsc_status status = hsc_db_get_ledger(r->db, i, &l, err);
        if (status)
            return status;
        if (!i)
            taken = (ledger_total){(double)l.samples, l.seconds};
        const char *end = l.meaning[0] == '[' ? strchr(l.meaning, ']') : NULL, *name = l.name;
        if (!l.group || is_of_elapsed(r, &l) || (r->info.categories > 1 && strstr(l.meaning, "by category")) || (!l.samples && fabs(l.seconds) < 1e-9))
            continue;
        if (!strcmp(name, "periods lost")) { /* counted with those that were due, above; of the clock it is in what no sample has */
            lost_s = l.seconds;
            continue;
        }
        if (!strcmp(name, "not explained")) {
            l.seconds += lost_s;
            name = l.seconds < 0 ? "more than the clock tells" : "in no sample";
        }
        ledger_total of = total_of(r, &l, &taken);
        if (l.group != group) {
            if (group)
                paragraph_end(&p);
            group = l.group;
            prefix[0] = 0;
            size_t n = end ? (size_t)(end - l.meaning - 1) : 0;
            if (of.samples > 0)
                snprintf(heading, sizeof heading, "   %.0f %.*s:", of.samples, n < 100 ? (int)n : 100, l.meaning + 1);
            else
                snprintf(heading, sizeof heading, "   %.*f s %.*s%s:", report_decimals(r->info.cpu_s), of.seconds, n < 100 ? (int)n : 100, l.meaning + 1,
                         added_text(r, l.meaning + 1, n, of.seconds, added, sizeof added));
            p = paragraph_begin(r, heading, 6);
        }
        size_t same = strlen(prefix); /* "lost: blocked, throttled" */
        if (same && !strncmp(name, prefix, same))
            name += same;
        const char *colon = strstr(l.name, ": ");
        snprintf(prefix, sizeof prefix, "%.*s", colon ? (int)(colon + 2 - l.name) : 0, l.name);
        double share = of.samples > 0 && (l.samples || fabs(l.seconds) < 1e-9) ? (double)l.samples / of.samples : of.seconds > 0 ? l.seconds / of.seconds : 0;
        snprintf(text, sizeof text, "%.300s %.2f %%", name, 100 * (l.seconds < 0 ? -share : share));
        paragraph_put(&p, p.pieces ? "," : "", text);
    }
    if (group)
        paragraph_end(&p);
    p = paragraph_begin(r, "   also:", 6);
    for (uint32_t i = 0; i < r->info.ledger_rows; i++)
        if (!hsc_db_get_ledger(r->db, i, &l, NULL) && !l.group && is_deed(&l) && strcmp(l.name, "measuring off"))
            put_deed(&p, &l); /* the report's head has when measuring was off */
    if (p.pieces)
        paragraph_end(&p);
    return HSC_OK;
}

/* Above its first row; end: of what it is of, NULL: totals. */
static void put_group(const report *r, const hsc_db_ledger *l, const char *end) {
    char added[40];
    size_t n = end ? (size_t)(end - l->meaning - 1) : 0;
    if (end)
        fprintf(r->out, "   of %.*s%s\n", (int)n, l->meaning + 1, added_text(r, l->meaning + 1, n, total_of(r, l, &(ledger_total){0, 0}).seconds, added, sizeof added));
    else
        fputs("   totals\n", r->out);
}

/* Rows of a group begin "[what they add up to] meaning". */
hsc_status report_text_ledger(report *r, hsc_err *err) {
    char name[300];
    hsc_status status = HSC_OK;
    uint32_t group = HSC_NONE;
    ledger_total taken = {0, 0};
    if (r->brief && r->info.ledger_rows)
        return brief_ledger(r, err);
    fprintf(r->out, "\nLedger: where all CPU time went; shares are of what a group is of\n      periods  %12s       %%\n", "s");
    for (uint32_t i = 0; i < r->info.ledger_rows && !status; i++) {
        hsc_db_ledger l;
        status = hsc_db_get_ledger(r->db, i, &l, err);
        if (status)
            break;
        if (!i)
            taken = (ledger_total){(double)l.samples, l.seconds};
        const char *meaning = l.meaning, *end = l.meaning[0] == '[' ? strchr(l.meaning, ']') : NULL;
        if (end)
            meaning = end + 1 + strspn(end + 1, " ");
        if (l.group != group)
            put_group(r, &l, end);
        group = l.group;
        ledger_total of = total_of(r, &l, &taken);
        char deeds[700];
        bool deed = !end && is_deed(&l);
        if (deed) /* so many threads, or times: no periods */
            meaning = deed_text(&l, deeds, sizeof deeds);
        if ((l.samples || fabs(l.seconds) < 1e-9) && !deed)
            fprintf(r->out, "%13llu ", (unsigned long long)l.samples);
        else
            fprintf(r->out, "%13s ", "");
        if (deed && fabs(l.seconds) < 1e-9)
            fprintf(r->out, "%13s  ", "");
        else
            fprintf(r->out, "%13.*f  ", report_decimals(r->info.cpu_s), l.seconds);
        if (!end) /* a total is a share of nothing */
            fputs("        ", r->out);
        else if (of.samples > 0 && (l.samples || fabs(l.seconds) < 1e-9))
            fprintf(r->out, "%6.2f  ", 100 * (double)l.samples / of.samples);
        else if (of.seconds > 0)
            fprintf(r->out, "%6.2f  ", 100 * l.seconds / of.seconds);
        else
            fputs("     -  ", r->out);
        int at = 38 + report_columns_of(report_fit_prose(l.name, r->width - 39, name, sizeof name));
        fprintf(r->out, "%s%s", name, meaning[0] ? ":" : "");
        report_text_wrap(r->out, r->width, meaning, 40, at + 1);
    }
    if (!r->info.ledger_rows)
        fprintf(r->out, "     this database has none\n");
    return status;
}

