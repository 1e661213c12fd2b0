/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Differences as text for 80 columns and more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_text.h"

/* What runs are compared by: of several processes these, else threads. */
const char *diff_processors(const diff *d, bool several) {
    hsc_db_process a, b;
    if (d->a.axis != HSC_AXIS_PROCESS)
        return several ? "threads" : "thread";
    if (!hsc_db_get_process(d->a.db, 0, &a, NULL) && !hsc_db_get_process(d->b.db, 0, &b, NULL) && a.rank >= 0 && b.rank >= 0)
        return several ? "ranks" : "rank";
    return several ? "processes" : "process";
}

/* "2 threads", "2 threads at a time (of 5)" */
const char *diff_size(const diff *d, const report *r, char *out, size_t size) {
    int n = snprintf(out, size, "%u %s", r->working, diff_processors(d, r->working != 1));
    if (r->size_given)
        snprintf(out + n, size - (size_t)n, " (as given)");
    else if (r->stands_for)
        snprintf(out + n, size - (size_t)n, " at a time (of %u)", r->columns);
    return out;
}

void diff_put_size_words(FILE *out, int width) {
    report_text_wrap(out, width, "counted are as many as computed at the same time. One that only waits (less than 2 % of the CPU time of the busiest, the first one less than 5 %) is none of its own, nor is one "
                                 "that computes when another does not; --size=N,... says how many there are.",
                     3, fprintf(out, "   Threads:"));
}

static void head(diff *d, char which, const report *r) {
    char text[600];
    char size[100];
    int n = snprintf(text, sizeof text, "%c  %s, %.*f s elapsed  ", which, diff_size(d, r, size, sizeof size), r->info.wall_s >= 100 ? 1 : 3, r->info.wall_s);
    char path[600];
    fprintf(d->out, "%s%s\n", text, report_fit_path(r->info.path, d->a.width - n, path, sizeof path));
    fprintf(d->out, "   %s%s\n", r->info.simulated ? "SIMULATED " : "",
            report_fit_prose(r->info.command[0] ? r->info.command : r->info.title, d->a.width - 14, path, sizeof path));
}

/* Columns of an interval's ends, "-0.153..+0.278". */
enum { ENDS = 15 };

void diff_put_numbers(FILE *out, int width, int decimals, const char *format, double first, double second) {
    char text[160];
    for (int n = decimals; snprintf(text, sizeof text, format, n, first, n, second) > width && n > 0; n--)
        ;
    fprintf(out, " %*s", width, text);
}

double diff_percent(double change, double of) { return fmax(-100, 100 * change / of); }

void diff_put_percent(FILE *out, double a, double b, bool in_both) {
    if (a > 0 && b > 0 && fabs(b / a - 1) < 99.99)
        diff_put_numbers(out, 6, 1, "%+.*f", 100 * (b / a - 1), 0);
    else
        fprintf(out, " %6s", a > 0 && b > 0 ? ">9999" : a > 0 ? (in_both ? "to 0" : "gone") : b > 0 ? (in_both ? "from 0" : "new") : "");
}

static void put_change(const diff *d, const diff_row *row) {
    double a = row->count_a * d->a.unit.scale, b = row->count_b * d->b.unit.scale;
    int n = d->a.decimals < d->b.decimals ? d->a.decimals : d->b.decimals;
    diff_put_numbers(d->out, 7, n, "%.*f", a, 0);
    diff_put_numbers(d->out, 8, n, "%.*f", b, 0);
    diff_put_numbers(d->out, 8, n, "%+.*f", row->change, 0);
    if (!d->a.unit.exact || !d->b.unit.exact)
        diff_put_numbers(d->out, ENDS, n, "%+.*f..%+.*f", row->low, row->high);
    diff_put_percent(d->out, a, b, row->in_both);
    fputc(row->beyond ? ' ' : '~', d->out);
}

static void column_heads(const diff *d, const char *what, bool scaling) {
    fprintf(d->out, "%6s A %6s B %8s", d->a.unit.unit[0] ? d->a.unit.unit : "no.", d->b.unit.unit[0] ? d->b.unit.unit : "no.", "change");
    if (!d->a.unit.exact || !d->b.unit.exact)
        fprintf(d->out, " %*s", ENDS, "95 %");
    fprintf(d->out, " %6s ", "%");
    if (scaling)
        fprintf(d->out, "%6s %5s ", "speed", "eff%");
    fprintf(d->out, " %s\n", what);
}

static hsc_status put_scaling(diff *d, diff_by by, const diff_row *row, hsc_err *err) {
    double speedup = NAN, efficiency = NAN;
    if (!d->scaling)
        return HSC_OK;
    hsc_status s = by == DIFF_MODULE || diff_is_users(d, row) ? diff_scaling_of(d, row, &speedup, &efficiency, err) : HSC_OK; /* how long libraries ask again is no work */
    if (s)
        return s;
    if (isfinite(speedup))
        fprintf(d->out, "%6.2f ", speedup);
    else
        fprintf(d->out, "%6s ", "-");
    if (isfinite(efficiency))
        fprintf(d->out, "%5.0f ", 100 * efficiency);
    else
        fprintf(d->out, "%5s ", "-");
    return HSC_OK;
}

void diff_scope_name(const report *r, uint32_t scope, int width, char *out, size_t size) {
    hsc_db_scope s, p;
    hsc_db_file f;
    char procedure[400] = "", place[300] = "";
    out[0] = 0;
    if (hsc_db_get_scope(r->db, scope, &s, NULL))
        return;
    if (s.kind == HSC_SCOPE_MODULE) {
        report_fit_path(s.name, width, out, size);
        return;
    }
    if (s.file != HSC_NONE && !hsc_db_get_file(r->db, s.file, &f, NULL) && f.has_lines) {
        place[0] = ' ';
        report_scope_at(r, &s, place + 1, sizeof place - 1);
    }
    if (s.procedure != HSC_NONE && !hsc_db_get_scope(r->db, s.procedure, &p, NULL)) {
        int room = width - report_columns_of(place) - (s.kind == HSC_SCOPE_LOOP ? 1 : 0);
        if (room < 12 && s.kind == HSC_SCOPE_LOOP && place[0]) { /* which loop it is says more than in which procedure */
            report_fit_place(place + 1, width, out, size);
            return;
        }
        if (room < 12) {
            place[0] = 0;
            room = width;
        }
        report_fit(p.name, room, procedure, sizeof procedure);
    }
    snprintf(out, size, "%s%s", procedure, place);
}

/* The whole name of a row's procedure, "" where it has none. */
static const char *whole_name(const report *r, uint32_t scope) {
    hsc_db_scope s, p;
    bool known = !hsc_db_get_scope(r->db, scope, &s, NULL) && s.procedure != HSC_NONE && !hsc_db_get_scope(r->db, s.procedure, &p, NULL);
    return known ? p.name : "";
}

/* Below a row that reads as another one: its procedure in one line as the report shortens it, whole where that would read as the other's as well. */
static void put_twin(const diff *d, const report_named *named, uint32_t n, const report_named *x) {
    char name[400], other[400];
    const int width = d->a.width - 9;
    bool apart = true;
    report_fit(x->name, width, name, sizeof name);
    for (uint32_t i = 0; i < n && apart; i++)
        apart = strcmp(named[i].text, x->text) || !strcmp(named[i].name, x->name) || strcmp(report_fit(named[i].name, width, other, sizeof other), name);
    if (apart)
        fprintf(d->out, "      in %s\n", name);
    else
        report_text_wrap(d->out, d->a.width, x->name, 9, fprintf(d->out, "      in"));
}

void diff_line_name(report *r, uint32_t row, int width, char *out, size_t size) {
    hsc_db_line l;
    char at[300], text[400];
    size_t n;
    out[0] = 0;
    if (hsc_db_get_line(r->db, row, &l, NULL))
        return;
    if (!l.line) { /* code without debug information, or that the compiler gave no line */
        hsc_db_file f = {.path = "?"};
        (void)hsc_db_get_file(r->db, l.file, &f, NULL);
        report_fit_place(f.path, width - 21 > 8 ? width - 21 : 8, at, sizeof at);
        snprintf(out, size, "[%s] no line known", report_fit_path(at, 200, text, sizeof text));
        return;
    }
    const char *source = report_source_line(r, l.file, l.line, &n);
    int k = snprintf(out, size, "%s", report_fit_place(report_at(r, l.file, l.line, at, sizeof at), width, text, sizeof text));
    if (source && k > 0 && k < width - 17) {
        out[k++] = ' ';
        char whole[300]; /* more than a terminal shows */
        snprintf(whole, sizeof whole, "%.*s", (int)(n < 290 ? n : 290), source);
        snprintf(out + k, size - (size_t)k, "%s", report_fit_prose(whole, width - k, text, sizeof text));
    }
}

/* "with what it calls: 0.466 s -> 0.461 s, -0.005 (-0.020..+0.011)~: it only moved" */
static hsc_status put_moved(diff *d, diff_by by, const diff_row *row, hsc_err *err) {
    static const char *const with[] = {[DIFF_MOVED_WITHIN] = "all of", [DIFF_MOVED_BELOW] = "with what it calls:", [DIFF_MOVED_AROUND] = "with all of",
                                       [DIFF_MOVED_CALLER] = "with its caller", [DIFF_MOVED_IN_LOOP] = "all of the loop at"};
    diff_moved m;
    char name[300] = "", text[600];
    hsc_status s = diff_moved_of(d, by, row, &m, err);
    if (s || m.how == DIFF_NOT_MOVED)
        return s;
    hsc_db_scope loop;
    if (m.how == DIFF_MOVED_IN_LOOP && !hsc_db_get_scope(d->b.db, m.together.b, &loop, NULL)) {
        char at[300];
        snprintf(name, sizeof name, "%s: ", report_fit_place(report_scope_at(&d->b, &loop, at, sizeof at), 40, text, sizeof text));
    } else if (m.how != DIFF_MOVED_BELOW)
        snprintf(name, sizeof name, "%s%s: ", report_fit(whole_name(&d->b, m.together.b), 40, text, sizeof text),
                 m.how == DIFF_MOVED_AROUND ? " and what it calls" : "");
    double a = m.together.count_a * d->a.unit.scale, b = m.together.count_b * d->b.unit.scale;
    int n = d->a.decimals < d->b.decimals ? d->a.decimals : d->b.decimals;
    snprintf(text, sizeof text, "%s%.*f -> %.*f, %+.*f (%+.*f..%+.*f)%s: it only moved", name, n, a, n, b, n, m.together.change, n,
             m.together.low, n, m.together.high, m.together.beyond ? "" : "~");
    report_text_wrap(d->out, d->a.width, text, 9, fprintf(d->out, "      %s", with[m.how]));
    return HSC_OK;
}

/* The first line of a row's loop in one of the databases, without blanks at its ends; NULL: not known. */
static const char *header_of(report *r, uint32_t loop, size_t *n) {
    hsc_db_scope s;
    return loop == HSC_NONE || hsc_db_get_scope(r->db, loop, &s, NULL) || s.file == HSC_NONE ? NULL : report_source_line(r, s.file, s.line_begin, n);
}

/* "was mm.c:38 for (j = 0; ..." and "now mm.c:38 for (k = 0; ...": loops that stand in the same place, and are others. *differ: are they? */
static void put_headers(diff *d, const diff_row *row, bool *differ) {
    char name[400], text[400];
    size_t n = 0, k = 0;
    const char *a = header_of(&d->a, row->a, &n), *b = header_of(&d->b, row->b, &k);
    *differ = a && b && (n != k || memcmp(a, b, n));
    for (int now = 0; now < 2 && *differ; now++) {
        const report *r = now ? &d->b : &d->a;
        hsc_db_scope s;
        if (hsc_db_get_scope(r->db, now ? row->b : row->a, &s, NULL))
            continue;
        int at = fprintf(d->out, "      %s %s ", now ? "now" : "was", report_scope_at(r, &s, name, sizeof name));
        snprintf(text, sizeof text, "%.*s", (int)(now ? k : n), now ? b : a);
        fprintf(d->out, "%s\n", report_fit_prose(text, d->a.width - at > 12 ? d->a.width - at : 12, name, sizeof name));
    }
}

/* "its nest mm.c:37: 0.879 -> 0.156, -0.723 (-0.768..-0.686)": where loops of it are others; once of each. */
static void put_nest(diff *d, const diff_row *row, bool *told) {
    diff_row nest;
    char at[300], text[700];
    hsc_db_scope s;
    if (!diff_nest_of(d, row, &nest) || told[nest.b] || hsc_db_get_scope(d->b.db, nest.b, &s, NULL))
        return;
    told[nest.b] = true;
    int n = d->a.decimals < d->b.decimals ? d->a.decimals : d->b.decimals;
    double a = nest.count_a * d->a.unit.scale, b = nest.count_b * d->b.unit.scale;
    snprintf(text, sizeof text, "%s: %.*f -> %.*f, %+.*f (%+.*f..%+.*f)%s", report_scope_at(&d->b, &s, at, sizeof at), n, a, n, b, n, nest.change, n, nest.low, n,
             nest.high, nest.beyond ? "" : "~");
    report_text_wrap(d->out, d->a.width, text, 9, fprintf(d->out, "      its nest"));
}

static hsc_status put_decisions(diff *d, const diff_row *row, hsc_err *err) {
    diff_decisions x;
    hsc_status s = diff_decisions_of(d, row, &x, err);
    if (s || !x.changed)
        return s;
    for (int side = 0; side < 2; side++) {
        const char *versions = side ? x.versions_b : x.versions_a, *remark = side ? x.remark_b : x.remark_a;
        int at = fprintf(d->out, "      compiler %c: %s%s", side ? 'B' : 'A', *versions ? versions : "no samples in its generated loop", *remark ? ":" : "");
        report_text_wrap(d->out, d->a.width, remark, 18, at);
    }
    return HSC_OK;
}

/* By the periods in the run that has more of them. */
static int longest(const void *p, const void *q) {
    const diff_row *x = p, *y = q;
    double a = fmax(x->count_a, x->count_b), b = fmax(y->count_a, y->count_b);
    if (a != b)
        return a > b ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static bool is_users_line(const diff *d, const diff_row *row) {
    const report *r = row->b != HSC_NONE ? &d->b : &d->a;
    hsc_db_line l;
    hsc_db_file f;
    hsc_db_scope s;
    return !hsc_db_get_line(r->db, row->b != HSC_NONE ? row->b : row->a, &l, NULL) && l.scope != HSC_NONE && !hsc_db_get_scope(r->db, l.scope, &s, NULL) &&
           report_is_users(r, &s) && !hsc_db_get_file(r->db, l.file, &f, NULL) && !report_system_header(f.path, NULL, 0);
}

/* Of two scales the user's own code comes first, the longest first; how many rows that are. */
static uint32_t put_users_first(const diff *d, diff_by by, diff_row *rows, uint32_t n) {
    diff_row *others = malloc(((size_t)n + 1) * sizeof *others);
    uint32_t own = 0, other = 0;
    for (uint32_t i = 0; others && i < n; i++)
        if (by == DIFF_LINE ? is_users_line(d, &rows[i]) : diff_is_users(d, &rows[i]))
            rows[own++] = rows[i];
        else
            others[other++] = rows[i];
    if (others)
        memcpy(rows + own, others, other * sizeof *others);
    if (own > 1)
        qsort(rows, own, sizeof *rows, longest);
    free(others);
    return own;
}

/* In the brief report: what changed; of the user's own code at two scales also what did not, which is what is hoped for. */
static bool is_told(const diff *d, const diff_row *row, bool own) {
    return row->beyond || (own && (row->count_a >= 0.01 * d->a.total || row->count_b >= 0.01 * d->b.total));
}

enum { LARGEST = 3 };

/* Where no row of a brief table is told though a category surely changed: the largest changes that have their part in it, in `told`. */
static hsc_status choose_largest(diff *d, const diff_row *rows, uint32_t n, bool *told, hsc_err *err) {
    diff_category *list;
    uint32_t categories, chosen = 0;
    for (uint32_t i = 0; i < n; i++)
        if (told[i])
            return HSC_OK;
    hsc_status s = diff_categories(d, &list, &categories, err);
    if (s)
        return s;
    const double whole = categories && list[0].row.beyond ? list[0].row.change : 0;
    for (uint32_t i = 0; whole != 0 && i < n && chosen < LARGEST; i++) /* the largest change first */
        if (rows[i].change / whole >= 0.1) {
            told[i] = true;
            chosen++;
        }
    free(list);
    return HSC_OK;
}

static hsc_status table(diff *d, diff_by by, const char *title, const char *what, bool brief, hsc_err *err) {
    diff_row *rows, rest = {0};
    uint32_t n, shown = 0, noise = 0, top = d->a.top;
    char name[700];
    bool scaling = d->scaling && by != DIFF_LINE && by != DIFF_NEST, libraries = false; /* of these it is not known */
    int used = 34 + (d->a.unit.exact && d->b.unit.exact ? 0 : ENDS + 1) + (scaling ? 13 : 0);
    hsc_status s = diff_rows_by(d, by, &rows, &n, err);
    if (s)
        return s;
    bool *told = calloc((size_t)d->b.info.scopes + 1, sizeof *told); /* nests */
    bool *shows = calloc((size_t)n + 1, sizeof *shows);              /* rows */
    uint32_t own = d->scaling && by != DIFF_MODULE ? put_users_first(d, by, rows, n) : 0;
    fprintf(d->out, "\n%s%s\n", title, own ? "; the program's own first" : "");
    column_heads(d, what, scaling);
    report_named *named = calloc((size_t)n + 1, sizeof *named);
    if (!named || !told || !shows)
        s = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; !s && i < n; i++)
        shows[i] = !brief || is_told(d, &rows[i], i < own);
    if (!s && by == DIFF_PROCEDURE)
        s = choose_largest(d, rows, n, shows, err);
    for (uint32_t i = 0; !s && i < n && !(top && shown >= top); i++) {
        bool in_b = rows[i].b != HSC_NONE;
        report *r = in_b ? &d->b : &d->a;
        if (!shows[i])
            continue;
        if (by == DIFF_LINE)
            diff_line_name(r, in_b ? rows[i].b : rows[i].a, d->a.width - used - 1, name, sizeof name);
        else
            diff_scope_name(r, in_b ? rows[i].b : rows[i].a, d->a.width - used - 1, name, sizeof name);
        named[shown] = (report_named){.text = strdup(name), .name = by == DIFF_LINE ? "" : whole_name(r, in_b ? rows[i].b : rows[i].a)};
        if (!named[shown++].text)
            s = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    }
    uint32_t n_named = shown;
    if (!s)
        s = report_mark_twins(named, shown, err);
    shown = 0;
    for (uint32_t i = 0; !s && i < n; i++) {
        if ((top && shown >= top) || !shows[i]) {
            noise += !rows[i].beyond;
            rest.count_a += rows[i].count_a;
            rest.count_b += rows[i].count_b;
            continue;
        }
        if (own && i >= own && !libraries) {
            fputs(scaling ? "   libraries: no speed, time that they poll and wait in is no work\n" : "   libraries\n", d->out);
            libraries = true;
        }
        const report_named *x = &named[shown++];
        put_change(d, &rows[i]);
        if (scaling)
            s = put_scaling(d, by, &rows[i], err);
        fprintf(d->out, " %s\n", x->text);
        if (x->twin)
            put_twin(d, named, n_named, x);
        else if (strstr(x->text, "<>") && !strstr(x->name, "<>")) /* of which instance? */
            fprintf(d->out, "      in %s\n", report_fit(x->name, d->a.width - 9, name, sizeof name));
        if (rows[i].how == HSC_COMPARE_RENAMED || rows[i].how == HSC_COMPARE_INSTANCE) {
            const char *is = rows[i].how == HSC_COMPARE_RENAMED ? "was" : "another instance than";
            diff_scope_name(&d->a, rows[i].a, d->a.width - 7 - (int)strlen(is), name, sizeof name);
            fprintf(d->out, "      %s %s\n", is, name);
        }
        for (int now = 0; now < 2 && rows[i].how == HSC_COMPARE_CHANGED; now++) {
            diff_line_name(now ? &d->b : &d->a, now ? rows[i].b : rows[i].a, d->a.width - 10, name, sizeof name);
            fprintf(d->out, "      %s %s\n", now ? "now" : "was", name);
        }
        bool differ = false;
        if (by == DIFF_LOOP && rows[i].how == HSC_COMPARE_POSITION)
            put_headers(d, &rows[i], &differ);
        if (rows[i].how == HSC_COMPARE_NEST)
            fputs("      with the loops in it, which are others now\n", d->out);
        if (by == DIFF_LOOP && (differ || rows[i].how == HSC_COMPARE_MOVED || rows[i].how == HSC_COMPARE_NONE))
            put_nest(d, &rows[i], told);
        if (!s)
            s = put_moved(d, by, &rows[i], err);
        if (!s && by == DIFF_LOOP)
            s = put_decisions(d, &rows[i], err);
    }
    if (!s && n > shown)
        fprintf(d->out, "%8.2f %8.2f %+8.2f   %u more, %u of them within noise\n", rest.count_a * d->a.unit.scale,
                rest.count_b * d->b.unit.scale, rest.count_b * d->b.unit.scale - rest.count_a * d->a.unit.scale,
                n - shown, noise);
    if (!n)
        fputs("  none\n", d->out);
    report_free_named(named, n_named);
    free(told);
    free(shows);
    free(rows);
    return s;
}

/* Loops whose versions or remarks changed, whatever their time did. */
static hsc_status decision_table(diff *d, hsc_err *err) {
    diff_row *rows;
    uint32_t n, shown = 0, more = 0;
    char name[700];
    hsc_status s = diff_rows_by(d, DIFF_LOOP, &rows, &n, err);
    if (s)
        return s;
    for (uint32_t i = 0; !s && i < n; i++) {
        diff_decisions x;
        if (rows[i].beyond || (s = diff_decisions_of(d, &rows[i], &x, err)) || !x.changed)
            continue; /* the others stand with their time above */
        bool small = rows[i].count_a < 0.001 * d->a.total && rows[i].count_b < 0.001 * d->b.total;
        if (small || (shown == d->a.top && d->a.top)) {
            more++;
            continue;
        }
        if (!shown++)
            fputs("\nOther loops that the compiler treated differently\n", d->out);
        diff_scope_name(&d->b, rows[i].b, d->a.width - 30, name, sizeof name);
        fprintf(d->out, "%8.2f %8.2f   %s\n", rows[i].count_a * d->a.unit.scale, rows[i].count_b * d->b.unit.scale,
                name);
        s = put_decisions(d, &rows[i], err);
    }
    if (more)
        fprintf(d->out, "%s%u more%s\n", shown ? "  " : "\nOther loops that the compiler treated differently: ", more,
                shown ? "" : ", each below 0.1 %");
    free(rows);
    return s;
}

/* Samples a second that a run had, by what they weigh: intervals are as wide as with so many of one weight. 0: not known. */
static double rate_of(const report *r) {
    double seconds = r->total * r->unit.scale;
    return seconds > 0 ? hsc_interval_effective(r->all) / seconds : 0;
}

/* 1, 2 or 5 times a power of ten, and not below. */
static double round_up(double x) {
    double ten = pow(10, floor(log10(x)));
    return x <= ten ? ten : x <= 2 * ten ? 2 * ten : x <= 5 * ten ? 5 * ten : 10 * ten;
}

enum { FASTEST = 10000 }; /* samples a second that are advised at most: beyond, they cost more than they tell */

/* Of the largest change within noise: which rate would show it. Half the interval's width goes down with the square root of the samples, so it
 * leaves out 0 with (half / change)^2 times as many; twice as many for that chance of nearly all. */
static hsc_status advise(diff *d, diff_by by, hsc_err *err) {
    diff_row *rows;
    uint32_t n, best = HSC_NONE;
    char name[300], text[700];
    hsc_status s = diff_rows_by(d, by, &rows, &n, err);
    for (uint32_t i = 0; !s && i < n; i++) /* the largest change first */
        if (best == HSC_NONE && !rows[i].beyond && rows[i].a != HSC_NONE && rows[i].b != HSC_NONE && rows[i].change != 0 && rows[i].high > rows[i].low &&
            rows[i].count_a >= 0.01 * d->a.total)
            best = i;
    double rate = fmax(rate_of(&d->a), rate_of(&d->b));
    if (!s && best != HSC_NONE && rate > 0) {
        const diff_row *x = &rows[best];
        double more = 2 * pow((x->high - x->low) / 2 / x->change, 2), wanted = more * rate;
        diff_scope_name(&d->b, x->b, sizeof name - 1, name, sizeof name);
        int at = snprintf(text, sizeof text, "The largest of them, %+.1f %% of %s, would show ", 100 * x->change / (x->count_a * d->a.unit.scale), name);
        if (more <= 1)
            snprintf(text + at, sizeof text - (size_t)at, "in runs a little longer.");
        else if (wanted <= FASTEST)
            snprintf(text + at, sizeof text - (size_t)at, "at %.0f samples a second (heatscope run --budget=off -F %.0f; there were %.0f), if it is one.", round_up(wanted),
                     round_up(wanted), rate);
        else
            snprintf(text + at, sizeof text - (size_t)at, "in runs %.0f times as long at %d samples a second (there were %.0f), if it is one.", ceil(wanted / FASTEST), FASTEST,
                     rate);
        report_text_wrap(d->out, d->a.width, text, 1, fprintf(d->out, " "));
    }
    if (!s)
        free(rows);
    return s;
}

static hsc_status category_table(diff *d, hsc_err *err) {
    diff_category *list;
    uint32_t n;
    hsc_status s = diff_categories(d, &list, &n, err);
    if (s)
        return s;
    fputs("\nCategories: CPU time by what threads did\n", d->out);
    column_heads(d, "category", false);
    for (uint32_t i = 0; i < n; i++) {
        put_change(d, &list[i].row);
        fprintf(d->out, " %s\n", list[i].name);
    }
    if (!n)
        fputs("  not known: of an interval of time, of another metric than CPU time, or the databases have none\n", d->out);
    free(list);
    return HSC_OK;
}

hsc_status diff_text(diff *d, diff_by by, hsc_err *err) {
    hsc_status s = HSC_OK;
    head(d, 'A', &d->a);
    head(d, 'B', &d->b);
    diff_programs programs = diff_programs_of(d);
    if (programs == DIFF_PROGRAMS_OTHER)
        fprintf(d->out, "These are different programs: what has the same name in both is compared.\n");
    else if (programs == DIFF_PROGRAMS_RENAMED)
        fprintf(d->out, "This is the same build under two names.\n");
    if ((s = diff_text_run(d, err)))
        return s;
    if (d->scaling && (s = diff_text_speedup(d, err)))
        return s;
    if ((d->a.stands_for && !d->a.size_given) || (d->b.stands_for && !d->b.size_given))
        diff_put_size_words(d->out, d->a.width);
    if (d->scaling && (s = diff_text_scaling(d, err)))
        return s;
    diff_text_measured(d);
    fputs(by < DIFF_WAIT || by == DIFF_CATEGORY ? "~ within noise: the 95 % interval of sampling holds 0. Of rows in which nothing\n"
                           "  changed chance alone puts 1 in 20 beyond it, and runs differ by more than\n"
                           "  sampling does: repeat them to see by how much.\n"
          : by == DIFF_CAUSE ? "Waiting is timed; how it is divided among what the late ones did goes by samples\n"
                               "  and has no interval. Runs differ: repeat them to see by how much.\n"
                             : "Timed, not sampled: exact for these two runs. Others will differ: repeat them to\n"
                               "  see by how much.\n",
          d->out);
    if (!d->a.unit.exact && !d->b.unit.exact && !strcmp(d->a.unit.unit, "s") && (by == DIFF_ALL || by == DIFF_LOOP || by == DIFF_PROCEDURE))
        s = advise(d, by == DIFF_PROCEDURE ? DIFF_PROCEDURE : DIFF_LOOP, err);
    if (!s && by == DIFF_ALL && d->scaling)
        s = table(d, DIFF_LOOP, "Loops with what they call, without inner loops", "loop", true, err);
    if (!s && (by == DIFF_ALL || by == DIFF_PROCEDURE))
        s = table(d, DIFF_PROCEDURE, "Procedures, with their loops", "procedure", by == DIFF_ALL, err);
    if (!s && ((by == DIFF_ALL && !d->scaling) || by == DIFF_LOOP))
        s = table(d, DIFF_LOOP, "Loops with what they call, without inner loops", "loop", by == DIFF_ALL, err);
    if (!s && by == DIFF_ALL)
        s = decision_table(d, err);
    if (!s && (by == DIFF_ALL || by == DIFF_LINE))
        s = table(d, DIFF_LINE, "Lines", "line", by == DIFF_ALL, err);
    if (!s && by == DIFF_NEST)
        s = table(d, DIFF_NEST, "Outermost loops with all inside, without what they call", "outermost loop", false, err);
    if (!s && by == DIFF_MODULE)
        s = table(d, DIFF_MODULE, "Programs and libraries", "file", false, err);
    if (!s && by == DIFF_CATEGORY)
        s = category_table(d, err);
    for (diff_by timed = DIFF_WAIT; !s && timed <= DIFF_CAUSE; timed++)
        if (by == timed || (by == DIFF_ALL && diff_is_whole(&d->a) && diff_is_whole(&d->b)))
            s = diff_text_timed(d, timed, by == DIFF_ALL, err);
    return s;
}
