/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as text for 80 columns and more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>

#include "report_charged.h"
#include "report_elapsed.h"
#include "report_groups.h"
#include "report_measures.h"
#include "report_paid.h"
#include "report_reasons.h"
#include "report_text.h"

void report_text_pad(FILE *out, const char *text, int width) {
    fputs(text, out);
    for (int n = report_columns_of(text); n < width; n++)
        fputc(' ', out);
}

void report_text_title(report *r, const char *text) { fprintf(r->out, "\n%s\n", text); }

/* Columns of what follows the percentages of a sampled metric: half of the share's interval. */
int report_text_interval_width(const report *r) { return r->unit.exact ? 0 : 5; }

/* "  388.20  31.4 0.21" : seconds, percent, and how far its interval goes at most */
void report_text_amount(const report *r, hsc_weighted v) {
    double low, high, share = r->total > 0 ? v.sum / r->total : 0;
    fprintf(r->out, " %9.*f %5.1f", r->decimals, v.sum * r->unit.scale, 100 * share);
    if (r->unit.exact)
        return;
    report_share_interval(r, v, &low, &high);
    double half = 100 * fmax(share - low, high - share);
    fprintf(r->out, " %4.*f", half < 9.995 ? 2 : 1, half);
}

char *report_text_share(const report *r, hsc_weighted v, char *out, size_t size) {
    double low, high, share = r->total > 0 ? v.sum / r->total : 0;
    report_share_interval(r, v, &low, &high);
    if (r->unit.exact)
        snprintf(out, size, "%.1f %%", 100 * share);
    else
        snprintf(out, size, "%.1f %% (%.1f to %.1f %%)", 100 * share, 100 * low, 100 * high);
    return out;
}

/* Heads of these columns. */
const char *report_text_measure(const report *r) {
    return !strcmp(r->unit.unit, "s") ? "time" : r->unit.name;
}

void report_text_amount_heads(const report *r) {
    fprintf(r->out, "   # %9s %5s%s", r->unit.unit[0] ? r->unit.unit : "count", "%", r->unit.exact ? "" : "   +-");
}

static double percent(const report *r, double samples) { return r->total > 0 ? 100 * samples / r->total : 0; }

/* max/mean in six columns, with a ~ where chance alone explains it; of serial code of threads "alone" */
static void put_ratio(report *r, uint32_t scope, const report_spread *p) {
    if (report_is_serial(r, scope, p)) {
        fputs(" alone", r->out);
        return;
    }
    if (p->programs > 1) { /* not alike */
        fputs("     -", r->out);
        return;
    }
    report_spread among = report_compared(r, scope, p);
    double ratio = among.mean > 0 ? among.max / among.mean : 1;
    fprintf(r->out, " %4.*f%c", ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0, ratio, report_uneven(&among) ? ' ' : '~');
}

/* "sweep.c:16" with the line always whole */
static void place(const report *r, uint32_t file, uint32_t line, int width, char *out, size_t size) {
    hsc_db_file f;
    char number[16] = "", path[512];
    if (file == HSC_NONE || hsc_db_get_file(r->db, file, &f, NULL)) {
        snprintf(out, size, "-");
        return;
    }
    if (line)
        snprintf(number, sizeof number, ":%u", line);
    report_fit_place(f.path, width - (int)strlen(number), path, sizeof path);
    snprintf(out, size, "%s%s", path, number);
}

/* Is the code the profiler's own? Its lines are none of the program's. */
static bool is_ours(const report *r, const hsc_db_scope *s) {
    hsc_db_module m;
    return s->module != HSC_NONE && !hsc_db_get_module(r->db, s->module, &m, NULL) && hsc_library_role_of(m.path) == HSC_LIBRARY_HEATSCOPE;
}

/* Where a scope is: its file and line; for code without lines, and ours, its module in brackets. */
static void place_of(const report *r, const hsc_db_scope *s, int width, char *out, size_t size) {
    hsc_db_file f;
    hsc_db_module m;
    char path[512];
    if (!is_ours(r, s) && s->file != HSC_NONE && !hsc_db_get_file(r->db, s->file, &f, NULL) && f.has_lines)
        place(r, s->file, s->line_begin, width, out, size);
    else if (s->module != HSC_NONE && !hsc_db_get_module(r->db, s->module, &m, NULL)) {
        const char *base = strrchr(m.path, '/');
        report_fit_path(base ? base + 1 : m.path, width - 2, path, sizeof path);
        snprintf(out, size, path[0] == '[' ? "%s" : "[%s]", path);
    } else
        snprintf(out, size, "-");
}

/* How long " s", " kB" or the like is, with what follows it up to the next blank; 0: no unit stands there. */
static size_t unit_after(const char *p) {
    static const char *const units[] = {"%", "s", "ms", "us", "ns", "B", "kB", "MB", "GB", "TB"};
    size_t n = *p == ' ' ? strcspn(p + 1, " ") : 0;
    for (size_t i = 0; n && i < sizeof units / sizeof *units; i++) {
        size_t u = strlen(units[i]);
        if (!strncmp(p + 1, units[i], u) && (u == n || !strcmp(units[i], "%") || strspn(p + 1 + u, ",.:;)") == n - u))
            return n + 1;
    }
    return 0;
}

void report_text_wrap(FILE *out, int width, const char *prose, int indent, int at) {
    char *text = strdup(prose), *end = text ? text + strlen(text) : NULL;
    for (char *p = text; p && *p;) {
        size_t n = strcspn(p, " ");
        for (size_t unit; (unit = unit_after(p + n)); n += unit) /* a number stays with its unit */
            ;
        char *next = p + n + strspn(p + n, " ");
        if (p + n < end)
            p[n] = 0;
        for (char *c = p; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7F)
                *c = ' ';
        if (at + 1 + report_columns_of(p) > width && at > indent)
            at = fprintf(out, "\n%*s", indent, "") - 1;
        at += 1 + report_columns_of(p);
        fprintf(out, " %s", p);
        p = next;
    }
    free(text);
    fputc('\n', out);
}

uint32_t report_text_rows(const report *r, uint32_t few) { return r->brief && !r->top_given ? few : r->top; }

const char *report_text_more(const report *r, uint32_t n, report_by by, char *out, size_t size) {
    if (r->brief)
        snprintf(out, size, "%u more: --by=%s", n, report_tables[by].name);
    else
        snprintf(out, size, "%u more: --top=0", n);
    return out;
}

/* Rows of a brief table that are left out, with the row that says so: shares below this; none of what was asked for. */
double report_text_least(const report *r) {
    double share = r->where || !r->brief ? 0 : r->top_given ? 0.0005 : 0.005;
    return share * r->total;
}

/* The same in a table whose largest row is `most`: where all are small, the largest of them are shown all the same, as far as they can matter. */
static double least_of(const report *r, double most) { return most >= report_text_least(r) ? report_text_least(r) : report_text_least(r) / 10; }
static bool any_matters(const report *r, double most) { return most > 0 && most >= least_of(r, most); }

/* Instead of heads above nothing: "none with 0.5 %; all: --by=loop". */
static void put_none(const report *r, const char *what, report_by by) {
    fprintf(r->out, "\n%snone with %g %%; all: --by=%s\n", what, r->total > 0 ? 100 * report_text_least(r) / r->total : 0, report_tables[by].name);
}

static void put_none_of(const report *r, const char *what, uint32_t n, hsc_weighted all, report_by by) {
    char text[120];
    snprintf(text, sizeof text, "%s: %.*f%s%s, %.1f %% in %u, ", what, r->decimals, all.sum * r->unit.scale, r->unit.unit[0] ? " " : "", r->unit.unit, percent(r, all.sum), n);
    put_none(r, text, by);
}

void report_put_none_there(const report *r, FILE *out, const char *before, report_by by) {
    fprintf(out, "%s--by=%s has nothing at '%s'\n", before, report_tables[by].name, r->where);
}

/* Which of the rows a table shows, at most `few`: marks them. What is not the user's own has a third of the places, and those
 * that the user's own leaves free. Returns how many. */
static uint32_t choose(report *r, const double *by, const uint32_t *rows, uint32_t n, uint32_t few, bool *shown) {
    uint32_t most = report_text_rows(r, few), count = 0, foreign = 0;
    bool places = r->brief && !r->top_given;
    double largest = 0;
    for (uint32_t i = 0; i < n; i++)
        largest = fmax(largest, by[rows[i]]);
    for (uint32_t pass = 0; pass < (places ? 2 : 1); pass++) {
        for (uint32_t i = 0; i < n && (!most || count < most); i++) {
            hsc_db_scope s;
            if (shown[i] || by[rows[i]] < least_of(r, largest) || (r->brief && by[rows[i]] <= 0))
                continue;
            bool own = hsc_db_get_scope(r->db, rows[i], &s, NULL) || report_is_users(r, &s);
            if (places && pass == 0 && !own && foreign >= (few + 2) / 3)
                continue;
            foreign += !own;
            shown[i] = true;
            count++;
        }
    }
    return count;
}

/* Where it is told, in so many columns, and from what that was cut: the whole path. */
static hsc_status name_place(const report *r, const hsc_db_scope *s, int width, report_named *out, hsc_err *err) {
    hsc_db_file f;
    char where[600], whole[1200];
    if (s->kind == HSC_SCOPE_LOOP && !is_ours(r, s))
        place(r, s->file, s->line_begin, width, where, sizeof where);
    else
        place_of(r, s, width, where, sizeof where);
    snprintf(whole, sizeof whole, "%s", where);
    if (!is_ours(r, s) && s->line_begin && s->file != HSC_NONE && !hsc_db_get_file(r->db, s->file, &f, NULL) && f.has_lines && !report_system_header(f.path, NULL, 0))
        snprintf(whole, sizeof whole, "%s:%u", f.path, s->line_begin);
    return report_set_named(out, where, whole, err);
}

enum { ROW_INDENT = 11 }; /* of what stands below a row */

/* Of the shown rows of a table: procedure and place, and which of them are twins. */
static hsc_status name_rows(const report *r, const uint32_t *rows, uint32_t n, const bool *shown, int name_width, int place_width,
                            report_named **named, uint32_t *n_named, hsc_err *err) {
    uint32_t n_places = 0;
    report_named *places = calloc((size_t)n + 1, sizeof *places);
    hsc_status status = places ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    hsc_db_scope s, p;
    *n_named = 0;
    if (!status && !(*named = calloc((size_t)n + 1, sizeof **named)))
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n && !status; i++)
        if (shown[i] && !(status = hsc_db_get_scope(r->db, rows[i], &s, err)) && !(status = name_place(r, &s, place_width, &places[n_places], err)))
            n_places++;
    if (!status)
        status = report_cut_apart(places, n_places, place_width, err);
    for (uint32_t i = 0; i < n && !status; i++) {
        char name[600], text[1300], apart[1000];
        const char *whole = "-";
        if (!shown[i])
            continue;
        p = (hsc_db_scope){.name = NULL};
        status = hsc_db_get_scope(r->db, rows[i], &s, err);
        if (!status && s.procedure != HSC_NONE)
            status = hsc_db_get_scope(r->db, s.procedure, &p, err);
        if (status)
            break;
        if (p.name)
            whole = report_procedure_name(r, &p, apart, sizeof apart);
        report_fit(whole, name_width, name, sizeof name);
        int left = name_width + 1 - report_columns_of(name);
        snprintf(text, sizeof text, "%s%*s%s", name, left > 0 ? left : 0, "", places[*n_named].text);
        if (!(status = report_set_named(&(*named)[*n_named], text, whole, err)))
            ++*n_named;
    }
    report_free_named(places, n_places);
    return status ? status : report_tell_twins(*named, *n_named, r->width - ROW_INDENT, err);
}

static void put_ours(report *r, hsc_weighted ours) {
    fprintf(r->out, "    ");
    report_text_amount(r, ours);
    fprintf(r->out, "        %sHeatscope's probes and wrappers\n", r->columns > 1 ? "      " : "");
}

/* Title and heads of a table of procedures or loops; spread: over several columns. */
static void scope_heads(report *r, const char *text, bool spread, int name_width) {
    report_text_title(r, text);
    report_text_amount_heads(r);
    fprintf(r->out, " %6s%s ", "incl%", spread ? "   m/m" : "");
    report_text_pad(r->out, "procedure", name_width + 1);
    fprintf(r->out, "where\n");
}

/* Of procedures that are called after their first address, as their file was stripped of names: how much that is, where most, and who has the names. */
static void put_nameless(report *r, const uint32_t *rows, uint32_t n) {
    enum { MODULE_TEXT = 40 };
    double sum = 0, most = 0;
    hsc_db_module m, hottest = {.path = ""};
    hsc_db_scope s;
    char line[400], name[200];
    for (uint32_t i = 0; i < n; i++) {
        if (r->own[rows[i]] <= 0 || hsc_db_get_scope(r->db, rows[i], &s, NULL) || s.knowledge != HSC_KNOWN_MODULE || s.module == HSC_NONE || hsc_db_get_module(r->db, s.module, &m, NULL) ||
            m.path[0] != '/' || !strstr(s.name, "+0x")) /* the whole of a file that is gone, or that nobody can tell from others */
            continue;
        sum += r->own[rows[i]];
        if (r->own[rows[i]] > most) {
            most = r->own[rows[i]];
            hottest = m;
        }
    }
    if (sum < 0.05 * r->total || sum <= 0)
        return;
    snprintf(line, sizeof line, "%.1f %% in code stripped of its names, most in %s; a debug package has them (find-dbgsym-packages FILE)", percent(r, sum),
             report_fit_path(hottest.path, MODULE_TEXT, name, sizeof name));
    report_text_wrap(r->out, r->width, line, 9, fprintf(r->out, "         "));
}

static hsc_status procedures(report *r, hsc_err *err) {
    uint32_t *rows, n;
    char name[600], text[200];
    hsc_status status = report_rank(r, HSC_SCOPE_PROCEDURE, &rows, &n, err);
    if (status)
        return status;
    hsc_weighted ours = r->brief ? report_take_ours(r, rows, &n) : (hsc_weighted){0}, libraries;
    const double all = r->total;
    const int decimals = r->decimals;
    if ((status = report_take_libraries(r, rows, &n, &libraries, err))) {
        free(rows);
        return status;
    }
    if (libraries.sum > 0) { /* shares are of what the program's threads wait */
        r->total = fmax(r->total - libraries.sum, 0);
        r->decimals = report_decimals(r->total * r->unit.scale);
    }
    bool spread = r->columns > 1, *shown = calloc((size_t)n + 1, sizeof *shown);
    uint32_t count = shown ? choose(r, r->own, rows, n, 8, shown) : 0;
    bool none = shown && r->brief && n && !count;
    if (!shown)
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    int left = (spread ? 34 : 28) + report_text_interval_width(r), name_width = (r->width - left) * 11 / 20, place_width = r->width - left - name_width - 1;
    bool skips = false; /* what was left out for less hot ones of the program's own */
    for (uint32_t i = 1; shown && i < n; i++)
        skips = skips || (shown[i] && !shown[i - 1]);
    snprintf(text, sizeof text, "Procedures with their loops%s%s%s", skips ? ", some of libraries left out" : "", spread ? "; max/mean over " : "", spread ? report_axis_name(r, true) : "");
    if (!none)
        scope_heads(r, text, spread, name_width);
    hsc_weighted rest = {0};
    report_named *named = NULL, *x;
    uint32_t n_named = 0;
    if (!status)
        status = name_rows(r, rows, n, shown, name_width, place_width, &named, &n_named, err);
    x = named;
    for (uint32_t i = 0; i < n && !status; i++) {
        hsc_db_scope s;
        report_spread p;
        if (!shown[i]) {
            rest.sum += r->own[rows[i]];
            rest.excess += r->own_excess[rows[i]];
            continue;
        }
        status = hsc_db_get_scope(r->db, rows[i], &s, err);
        if (!status && spread && r->own[rows[i]] > 0)
            status = report_spread_of(r, rows[i], &p, err);
        if (status)
            break;
        fprintf(r->out, "%4u", i + 1);
        report_text_amount(r, report_own(r, rows[i]));
        fprintf(r->out, " %6.1f", percent(r, r->incl[rows[i]]));
        if (spread && r->own[rows[i]] > 0)
            put_ratio(r, rows[i], &p);
        else if (spread)
            fprintf(r->out, "   -  ");
        fputc(' ', r->out);
        fprintf(r->out, "%s\n", x->text);
        if (x->twin)
            report_text_wrap(r->out, r->width, x->name, ROW_INDENT + 2, fprintf(r->out, "%*s", ROW_INDENT - 1, ""));
        x++;
    }
    report_free_named(named, n_named);
    if (!status && !none && ours.sum > 0 && ours.sum >= report_text_least(r))
        put_ours(r, ours);
    if (!status && none)
        put_none_of(r, "Procedures", n, rest, REPORT_PROCEDURE);
    else if (!status && n > count) {
        fprintf(r->out, "    ");
        report_text_amount(r, rest);
        fprintf(r->out, "        %s%s\n", spread ? "      " : "", report_text_more(r, n - count, REPORT_PROCEDURE, name, sizeof name));
    }
    if (!status && libraries.sum > 0)
        fprintf(r->out, "    %10.*f              %sthreads that libraries keep for themselves, not counted\n", r->decimals, libraries.sum * r->unit.scale, spread ? "      " : "");
    if (!status && !none)
        put_nameless(r, rows, n);
    r->total = all;
    r->decimals = decimals;
    free(shown);
    free(rows);
    return status;
}

/* "for 16-20 in for 15 in for 14": the loop and those around it; the one that fetches chunks of another is named where it is the loop itself */
static void nest_of(const report *r, uint32_t loop, char *out, size_t size) {
    hsc_db_scope s;
    char called[400];
    size_t at = 0;
    out[0] = 0;
    for (uint32_t up = loop; !hsc_db_get_scope(r->db, up, &s, NULL) && s.kind == HSC_SCOPE_LOOP && at + 32 < size; up = s.parent) {
        if (up != loop && report_fetches_chunks(r, up))
            continue;
        int n = up == loop && report_fetches_chunks(r, up) ? snprintf(out + at, size - at, "fetching chunks of %s %u", s.name, s.line_begin)
                : !s.line_begin ? snprintf(out + at, size - at, "%s%s", at ? " in " : "", s.name)
                : up == loop && s.line_end > s.line_begin
                    ? snprintf(out + at, size - at, "%s %u-%u", s.name, s.line_begin, s.line_end)
                    : snprintf(out + at, size - at, "%s%s %u", at ? " in " : "", s.name, s.line_begin);
        at += n > 0 && (size_t)n < size - at ? (size_t)n : 0;
    }
    if (!hsc_db_get_scope(r->db, loop, &s, NULL) && report_called_at(r, &s, called, sizeof called))
        snprintf(out + at, size - at, ", at %s", called);
}

/* ", 56.8 % counted in the loop round it, unr.c:24" of one that was unrolled fully; ", 56.8 % by the loop inside at unr.c:15, unrolled fully" of that one. */
static hsc_status put_counted(report *r, uint32_t loop, char *out, size_t size, hsc_err *err) {
    report_counted x;
    hsc_db_scope s;
    char at[300], fitted[300];
    hsc_status status = report_counted_of(r, loop, &x, err);
    size_t n = strlen(out);
    if (status)
        return status;
    if (r->paid->is_no_more[loop] && r->paid->loop[loop].sum < r->excl[loop]) {
        n += (size_t)snprintf(out + n, size - n, ", %.1f %% counted in the loop round it", percent(r, r->excl[loop] - r->paid->own_code[loop]));
        if (n < size && x.at != HSC_NONE && !hsc_db_get_scope(r->db, x.at, &s, NULL))
            snprintf(out + n, size - n, ", %s", report_fit_place(report_scope_at(r, &s, at, sizeof at), 60, fitted, sizeof fitted));
    } else if (x.of != HSC_NONE && x.samples_of >= 0.0005 * r->total && !hsc_db_get_scope(r->db, x.of, &s, NULL)) {
        snprintf(out + n, size - n, ", %.1f %% by the loop inside at %s, unrolled fully", percent(r, x.samples_of), report_fit_place(report_scope_at(r, &s, at, sizeof at), 60, fitted, sizeof fitted));
    }
    return HSC_OK;
}

static hsc_status loops(report *r, hsc_err *err) {
    uint32_t *rows, n;
    char name[1000], text[1600], nest[600], how[900];
    hsc_status status = report_rank_paid(r, HSC_SCOPE_LOOP, &rows, &n, err);
    if (status || !n) {
        if (!status)
            free(rows);
        return status;
    }
    double *paid = malloc(((size_t)r->info.scopes + 1) * sizeof *paid);
    bool spread = r->columns > 1, *shown = calloc((size_t)n + 1, sizeof *shown);
    for (uint32_t k = 0; paid && k < r->info.scopes; k++)
        paid[k] = r->paid->loop[k].sum;
    uint32_t count = shown && paid ? choose(r, paid, rows, n, 4, shown) : 0;
    bool none = shown && r->brief && !count;
    if (!shown || !paid)
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    int left = (spread ? 34 : 28) + report_text_interval_width(r), name_width = (r->width - left) * 11 / 20, place_width = r->width - left - name_width - 1;
    snprintf(text, sizeof text, "Loops with what they call, without inner loops%s%s", spread ? "; max/mean over " : "", spread ? report_axis_name(r, true) : "");
    if (!none)
        scope_heads(r, text, spread, name_width);
    hsc_weighted rest = {0};
    report_named *named = NULL, *x;
    uint32_t n_named = 0;
    if (!status)
        status = name_rows(r, rows, n, shown, name_width, place_width, &named, &n_named, err);
    x = named;
    for (uint32_t i = 0; i < n && !status; i++) {
        hsc_db_scope s, p = {0};
        report_spread sp;
        if (!shown[i]) {
            rest.sum += r->paid->loop[rows[i]].sum;
            rest.excess += r->paid->loop[rows[i]].excess;
            continue;
        }
        status = hsc_db_get_scope(r->db, rows[i], &s, err);
        if (!status && s.procedure != HSC_NONE)
            status = hsc_db_get_scope(r->db, s.procedure, &p, err);
        if (!status && spread)
            status = report_paid_spread(r, REPORT_PAID_LOOP, rows[i], &sp, err);
        if (!status)
            status = report_compiled_text(r, rows[i], how, sizeof how, err);
        if (status)
            break;
        fprintf(r->out, "%4u", i + 1);
        report_text_amount(r, r->paid->loop[rows[i]]);
        fprintf(r->out, " %6.1f", percent(r, r->incl[rows[i]]));
        if (spread)
            put_ratio(r, rows[i], &sp);
        fputc(' ', r->out);
        fprintf(r->out, "%s\n", x->text);
        if (x->twin)
            report_text_wrap(r->out, r->width, x->name, ROW_INDENT + 2, fprintf(r->out, "%*s", ROW_INDENT - 1, ""));
        x++;
        nest_of(r, rows[i], nest, sizeof nest);
        double own = r->paid->own_code[rows[i]];
        if (r->paid->loop[rows[i]].sum > own + 0.0005 * r->total)
            snprintf(nest + strlen(nest), sizeof nest - strlen(nest), ", %.1f %% its own code", percent(r, own));
        status = put_counted(r, rows[i], nest, sizeof nest, err);
        if (status)
            break;
        snprintf(text, sizeof text, "%s%s%s", nest, nest[0] && how[0] ? ": " : "", how);
        fprintf(r->out, "%*s", ROW_INDENT - 1, "");
        report_text_wrap(r->out, r->width, text, ROW_INDENT + 2, ROW_INDENT - 1);
    }
    if (!status && none)
        put_none_of(r, "Loops", n, rest, REPORT_LOOP);
    else if (!status && n > count) {
        fprintf(r->out, "    ");
        report_text_amount(r, rest);
        fprintf(r->out, "        %s%s\n", spread ? "      " : "", report_text_more(r, n - count, REPORT_LOOP, name, sizeof name));
    }
    report_free_named(named, n_named);
    free(shown);
    free(paid);
    free(rows);
    return status;
}

/* Whether most of what is known of a module without lines is code of the user: flang's runtime is in the program, too. */
static bool is_mostly_users(const report *r, uint32_t file) {
    double users = 0, others = 0;
    hsc_db_scope s;
    for (uint32_t k = 0; k < r->info.scopes; k++)
        if (r->excl[k] > 0 && !hsc_db_get_scope(r->db, k, &s, NULL) && s.file == file)
            *(report_is_users(r, &s) ? &users : &others) += r->excl[k];
    return users >= others;
}

/* The user's own lines lead where all tables come together. */
static bool accept_users_line(void *ctx, uint64_t row) {
    const report *r = ctx;
    hsc_db_line l;
    hsc_db_file f;
    hsc_db_scope s;
    return report_wanted_line(r, (uint32_t)row) && !hsc_db_get_line(r->db, (uint32_t)row, &l, NULL) && l.scope != HSC_NONE &&
           !hsc_db_get_scope(r->db, l.scope, &s, NULL) && report_is_users(r, &s) && !hsc_db_get_file(r->db, l.file, &f, NULL) &&
           !report_system_header(f.path, NULL, 0) && (f.has_lines || is_mostly_users(r, l.file));
}

/* Percent in seven columns. */
static void put_inclusive(const report *r, double sum) {
    if (isnan(sum))
        fputs("      -", r->out);
    else
        fprintf(r->out, " %6.1f", percent(r, sum));
}

/* Below a line: "right behind reads of line 49", where most of its samples are. */
static void put_behind(const report *r, const hsc_db_line *l, double sum, double part, uint32_t to) {
    hsc_db_line of;
    char where[300];
    if (!(sum > 0) || part < 0.5 * sum || hsc_db_get_line(r->db, to, &of, NULL))
        return;
    if (of.file == l->file)
        fprintf(r->out, "          right behind reads of line %u, which it waits for\n", of.line);
    else
        fprintf(r->out, "          right behind reads of %s, which it waits for\n", report_line_text(r, to, where, sizeof where));
}

static hsc_status lines(report *r, hsc_err *err) {
    bool users = r->brief && !r->top_given, through = !r->brief || r->where;
    bool changed = false, missing = false;
    int room = r->width - (through ? 54 : 47) - report_text_interval_width(r); /* for source */
    report_lines of;
    hsc_status status = report_rank_lines(r, users ? accept_users_line : report_accept_line, through, report_text_rows(r, 5), &of, err);
    if (status)
        return status;
    double most = of.n ? of.own[0] : 0;
    uint32_t n = through || any_matters(r, most) ? of.n : 0;
    if (n) {
        report_text_title(r, users ? "Lines of the program's own code" : "Lines");
        report_text_amount_heads(r);
        fprintf(r->out, "%s  %-24s source\n", through ? "  incl%" : "", "where");
    } else if (most > 0)
        put_none(r, users ? "Lines of the program's own code: " : "Lines: ", REPORT_LINE);
    hsc_weighted rest = r->all;
    double *part = NULL;
    uint32_t *to = NULL;
    if (n)
        status = report_behind_reads(r, &part, &to, err);
    for (uint32_t i = 0; i < n && !status && (through || of.own[i] >= least_of(r, most)); i++) {
        hsc_db_line l;
        hsc_db_file f;
        char where[600], raw[1200], text[1200] = "";
        size_t size = 0;
        status = hsc_db_get_line(r->db, (uint32_t)of.rows[i], &l, err);
        if (!status)
            status = hsc_db_get_file(r->db, l.file, &f, err);
        if (status)
            break;
        if (f.has_lines) {
            const char *source = report_source_line(r, l.file, l.line, &size);
            const report_source *file = r->sources ? &r->sources[l.file] : NULL;
            hsc_db_scope by;
            missing = missing || (!(file && file->text) && l.line && l.scope != HSC_NONE && !hsc_db_get_scope(r->db, l.scope, &by, NULL) &&
                                  report_is_own(r, &by));
            changed = changed || (file && file->changed);
            snprintf(raw, sizeof raw, "%.*s", (int)(size < 1000 ? size : 1000), source ? source : "");
            report_fit_prose(raw, room, text, sizeof text);
            place(r, l.file, l.line, 24, where, sizeof where);
            hsc_db_scope in;
            if (!source && l.scope != HSC_NONE && !hsc_db_get_scope(r->db, l.scope, &in, NULL) && in.procedure != HSC_NONE &&
                !hsc_db_get_scope(r->db, in.procedure, &in, NULL))
                snprintf(text, sizeof text, "(in %s)", report_fit(in.name, room - 5, raw, sizeof raw));
        } else {
            hsc_db_scope s = {.file = l.file, .module = f.module};
            place_of(r, &s, 24, where, sizeof where);
            snprintf(text, sizeof text, "(no line information)");
        }
        hsc_weighted v = {.sum = of.own[i]};
        if (v.sum > 0)
            status = hsc_db_read_excess(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, of.rows[i], 1, &v.excess, err);
        fprintf(r->out, "%4u", i + 1);
        report_text_amount(r, v);
        if (through)
            put_inclusive(r, report_line_inclusive(r, of.rows[i]).sum);
        fprintf(r->out, "  ");
        report_text_pad(r->out, where, text[0] ? 25 : 0);
        fprintf(r->out, "%s\n", text);
        put_behind(r, &l, v.sum, part[of.rows[i]], to[of.rows[i]]);
        rest.sum -= v.sum;
        rest.excess -= v.excess;
    }
    free(part);
    free(to);
    if (!status && r->brief && !r->where && n && rest.sum > 0) {
        fprintf(r->out, "    ");
        report_text_amount(r, rest);
        fprintf(r->out, "  other lines, and libraries: --by=line\n");
    }
    if (missing)
        fprintf(r->out, "     source not found: HEATSCOPE_SOURCE_PATH=FOLDER:... tells where to look\n");
    if (changed)
        fprintf(r->out, "     no text of sources that were edited since they were compiled\n");
    report_free_lines(&of);
    return status;
}

/* What a run without a sample was: waits and messages are exact all the same. */
static void put_unsampled(const report *r) {
    static const char exact[] = "waits, messages and probes are counted, not sampled.";
    double cpu_s = r->info.cpu_s, each_s = r->unit.scale;
    uint32_t n = r->info.threads;
    char text[400];
    if (r->metric)
        snprintf(text, sizeof text, "none of %.100s; %s", r->unit.name, exact);
    else if (cpu_s < each_s * n)
        snprintf(text, sizeof text, "none was due: %s of CPU time in %u thread%s, and a thread is sampled once in %g s of its own. The run waited, or was short; %s", REPORT_SECONDS(cpu_s),
                 n, n == 1 ? "" : "s", each_s, exact);
    else
        snprintf(text, sizeof text, "none in %s of CPU time of %u thread%s: --by=ledger tells what became of it; %s", REPORT_SECONDS(cpu_s), n, n == 1 ? "" : "s", exact);
    report_text_wrap(r->out, r->width, text, 10, fprintf(r->out, "samples   "));
}

/* Of many bytes the text has MB and the like. */
static void scale_bytes(report *r) {
    static const char *const names[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double all = r->total * r->unit.scale;
    if (strcmp(r->unit.unit, names[0]))
        return;
    for (size_t k = 0; k + 1 < sizeof names / sizeof *names && all >= 10000; k++) {
        all /= 1000;
        r->unit.scale /= 1000;
        r->unit.unit = names[k + 1];
    }
    r->decimals = r->unit.unit == names[0] ? 0 : report_decimals(all);
}

/* A table of what --where chose, or that there is nothing of it there. */
static hsc_status put_chosen(report *r, report_by by, hsc_status (*table)(report *, hsc_err *), hsc_err *err) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = r->out;
    if (!(r->out = open_memstream(&text, &size))) {
        r->out = out;
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    }
    hsc_status status = table(r, err);
    bool written = !fclose(r->out);
    r->out = out;
    if (written && size)
        fwrite(text, 1, size, out);
    else if (written && !status)
        report_put_none_there(r, out, "\n", by);
    free(text);
    return status || written ? status : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
}

hsc_status report_text(report *r, report_by by, hsc_err *err) {
    static hsc_status (*const tables[])(report *, hsc_err *) = {
        [REPORT_FINDING] = report_text_findings, [REPORT_PROCEDURE] = procedures, [REPORT_LOOP] = loops,     [REPORT_LINE] = lines,    [REPORT_CONTEXT] = report_text_contexts,
        [REPORT_PROCESSOR] = report_text_processors, [REPORT_MODULE] = report_text_modules, [REPORT_LEDGER] = report_text_ledger,
        [REPORT_MESSAGE] = report_text_messages, [REPORT_WAIT] = report_text_waits, [REPORT_REASON] = report_text_reasons,
        [REPORT_CAUSE] = report_text_causes, [REPORT_DELAYED] = report_text_delayed,
        [REPORT_PROBE] = report_text_probes, [REPORT_BLOCK] = report_text_blocks, [REPORT_PHASE] = report_text_phases,
        [REPORT_COUNTER] = report_text_counters, [REPORT_COST] = report_text_cost, [REPORT_ARRAY] = report_text_arrays, [REPORT_REFERENCE] = report_text_references,
        [REPORT_PAIR] = report_text_pairs};
    static const report_by order[] = {REPORT_PROCEDURE, REPORT_LOOP, REPORT_REASON, REPORT_LINE, REPORT_CONTEXT, REPORT_MESSAGE,
                                      REPORT_CAUSE, REPORT_ARRAY, REPORT_WAIT, REPORT_PROCESSOR, REPORT_MODULE, REPORT_LEDGER};
    hsc_status status = HSC_OK;
    double begin_s, end_s;
    scale_bytes(r);
    bool whole = !hsc_db_get_interval(r->db, &begin_s, &end_s), known = report_exact_known(r);
    report_text_head(r, by == REPORT_ALL);
    bool exact = by == REPORT_MESSAGE || by == REPORT_PAIR || by == REPORT_WAIT || by == REPORT_CAUSE || by == REPORT_DELAYED || by == REPORT_PROBE ||
                 by == REPORT_BLOCK || by == REPORT_ARRAY;
    if (r->total <= 0 && !whole && !exact) {
        if (r->category)
            fprintf(r->out, "\nNo samples of category %s.\n", r->category);
        else if (r->unit.exact)
            fprintf(r->out, "\nNothing of %s in the interval.\n", r->unit.name);
        else
            fprintf(r->out, "\nNo samples in the interval: nothing used the processor then.\n");
        return by == REPORT_ALL && known && !r->category ? report_text_exact(r, tables, err) : HSC_OK;
    }
    bool unsampled = r->total <= 0 && whole;
    if (unsampled) {
        put_unsampled(r);
        if (by != REPORT_ALL && by != REPORT_FINDING && by != REPORT_LEDGER && by != REPORT_COST && by != REPORT_PHASE && by != REPORT_COUNTER && !exact)
            return HSC_OK;
    }
    if (by == REPORT_FINDING)
        fputc('\n', r->out);
    if (by != REPORT_ALL)
        return r->where ? put_chosen(r, by, tables[by], err) : tables[by](r, err);
    const struct {
        report_by by;
        hsc_db_told what;
    } told[] = {{REPORT_PROBE, HSC_TOLD_PROBES}, {REPORT_PHASE, HSC_TOLD_PHASES}, {REPORT_COUNTER, HSC_TOLD_COUNTERS}};
    r->brief = true;
    fputc('\n', r->out);
    status = report_text_findings(r, err);
    if (r->only_findings)
        return status;
    for (size_t i = 0; i < sizeof order / sizeof *order && !status; i++)
        if ((!unsampled || order[i] == REPORT_MESSAGE || order[i] == REPORT_CAUSE || order[i] == REPORT_ARRAY || order[i] == REPORT_WAIT) && (order[i] != REPORT_MESSAGE || (r->info.messages && known)) && (order[i] != REPORT_WAIT || ((r->info.waits || (r->has_gomp && !unsampled)) && known)) &&
            (order[i] != REPORT_CAUSE || (r->info.delays && known)) && (order[i] != REPORT_ARRAY || (r->info.mpi_sites && r->info.messages && known)) &&
            (order[i] != REPORT_LEDGER || whole))
            status = tables[order[i]](r, err);
    for (size_t i = 0; i < sizeof told / sizeof *told && !status; i++)
        if ((whole || (known && told[i].by == REPORT_PROBE)) && hsc_db_count_told(r->db, told[i].what))
            status = tables[told[i].by](r, err);
    if (status || unsampled)
        return status;
    fputs("\nIntervals (95 %): each sample counts as an independent draw, with its weight;\n"
          "+-: how far the share's (Wilson's) goes at most. m/m: max/mean, with ~ where\n"
          "chance alone explains it; outside parallel regions of those threads that ran it\n"
          "('alone': one did).\n", r->out);
    if (r->programs > 1)
        fputs("Compared are processes of the same program; -: code that several programs ran.\n", r->out);
    return HSC_OK;
}
