/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several runs side by side as text for 80 columns and more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_series.h"

enum { BRIEF = 5, SPEEDS = 4, SECONDS = 4, ENDS = 17 }; /* rows of what is timed in the brief report; groups whose speed-up, whose time is shown; columns of an interval */

static char letter(uint32_t group) { return (char)('A' + group); }

hsc_status diff_series_heads(const diff_series *s, diff_series_head *of, hsc_err *err) {
    uint32_t runs[DIFF_GROUPS] = {0};
    for (uint32_t g = 0; g < s->groups; g++)
        of[g] = (diff_series_head){.least_s = INFINITY};
    for (uint32_t k = 0; k < s->runs; k++) {
        const report *r = diff_series_run(s, k);
        diff_series_head *x = &of[s->group_of[k]];
        diff_factors f;
        hsc_status status = diff_factors_of(r, &f, err);
        if (status)
            return status;
        x->elapsed_s += r->info.wall_s;
        x->least_s = fmin(x->least_s, r->info.wall_s);
        x->most_s = fmax(x->most_s, r->info.wall_s);
        x->cpu_s += r->info.cpu_s;
        x->longest_s += f.longest_s;
        x->factors.threads = f.threads;
        x->factors.uneven |= f.uneven;
        x->factors.crowded |= f.crowded;
        x->factors.in_line = fmax(x->factors.in_line, f.in_line);
        x->factors.computation_s += f.computation_s;
        x->factors.load_balance += f.load_balance;
        x->factors.communication += f.communication;
        x->factors.parallel += f.parallel;
        runs[s->group_of[k]]++;
    }
    for (uint32_t g = 0; g < s->groups; g++) {
        double *means[] = {&of[g].elapsed_s, &of[g].cpu_s, &of[g].longest_s, &of[g].factors.computation_s, &of[g].factors.load_balance, &of[g].factors.communication, &of[g].factors.parallel};
        for (size_t i = 0; i < sizeof means / sizeof *means; i++)
            *means[i] /= runs[g];
    }
    return HSC_OK;
}

static void put_runs(const diff_series *s, FILE *out, int width) {
    for (uint32_t g = 0; g < s->groups; g++) {
        uint32_t first = diff_series_first(s, g), runs = 0;
        const report *r = diff_series_run(s, first);
        char path[600];
        for (uint32_t k = 0; k < s->runs; k++)
            runs += s->group_of[k] == g;
        char size[100];
        int at = fprintf(out, "%c  %s", letter(g), diff_size(&s->pair[1], r, size, sizeof size));
        if (runs > 1)
            at += fprintf(out, ", %u runs", runs);
        fprintf(out, "  %s\n", report_fit_path(r->info.path, width - at - 2, path, sizeof path));
        if (!g || strcmp(r->info.command, diff_series_run(s, diff_series_first(s, g - 1))->info.command))
            fprintf(out, "   %s%s\n", r->info.simulated ? "SIMULATED " : "", report_fit_prose(r->info.command[0] ? r->info.command : r->info.title, width - 14, path, sizeof path));
    }
}

/* A space and the number, `-` where it is not told. */
static void put_told(FILE *out, bool crowded, int width, const char *format, double value) {
    fputc(' ', out);
    if (crowded)
        fprintf(out, "%*s", width, "-");
    else
        fprintf(out, format, width, value);
}

/* Elapsed time, and the factors of its efficiency, all of the first group's. */
static void put_scaling(const diff_series *s, const diff_series_head *of, FILE *out, int width) {
    bool known = true;
    for (uint32_t g = 0; g < s->groups; g++)
        known &= of[g].factors.threads > 0;
    fprintf(out, "\nScaling, %s: eff%% of elapsed time%s\n", s->weak ? "weak" : "strong", known ? " = balance x communication x computation" : "");
    fprintf(out, "  %6s %8s %5s %5s", "size", "elapsed", "speed", "eff%");
    fputs(known ? " balance communic. comput. | loss s comput. others\n" : "   loss s\n", out);
    for (uint32_t g = 0; g < s->groups; g++) {
        double ideal = diff_series_ideal(s, g), speed = of[0].elapsed_s / of[g].elapsed_s;
        fprintf(out, "%c %6u %8.3f", letter(g), diff_series_working(s, g), of[g].elapsed_s);
        bool crowded = of[0].factors.crowded || of[g].factors.crowded;
        fprintf(out, " %5.2f", speed);
        put_told(out, crowded, 5, "%*.1f", 100 * speed * ideal);
        double loss = of[g].elapsed_s - ideal * of[0].elapsed_s, computation = of[g].longest_s - ideal * of[0].longest_s;
        if (known) {
            fprintf(out, " %7.1f%c", 100 * of[g].factors.load_balance / of[0].factors.load_balance, of[g].factors.uneven || !g ? ' ' : '~');
            put_told(out, crowded, 8, "%*.1f", 100 * of[g].factors.communication / of[0].factors.communication);
            fprintf(out, " %7.1f |", 100 * of[0].factors.computation_s / of[g].factors.computation_s * (s->weak ? (double)of[g].factors.threads / of[0].factors.threads : 1));
            put_told(out, crowded, 6, "%+*.2f", loss);
            fprintf(out, " %+7.2f", computation);
            put_told(out, crowded, 6, "%+*.2f", loss - computation);
            fputc('\n', out);
        } else
            fprintf(out, " %+8.3f\n", loss);
    }
    diff_factors factors[DIFF_GROUPS];
    char text[160 + 12 * DIFF_GROUPS];
    for (uint32_t g = 0; g < s->groups; g++)
        factors[g] = of[g].factors;
    if (known && diff_crowded_text(factors, s->groups, 'A', text, sizeof text))
        report_text_wrap(out, width, text, 3, fprintf(out, "  -"));
}

static void put_figure(const diff_series *s, FILE *out, const char *what, const double *from) {
    diff_series_value of[DIFF_GROUPS];
    diff_series same = *s; /* all of it, and no share of a processor */
    same.scaling = false;
    diff_series_exact(&same, from, of);
    fprintf(out, "%-10s", what);
    for (uint32_t g = 0; g < s->groups; g++) {
        fprintf(out, "%s %c %.3f s", g ? "," : "", letter(g), of[g].sum);
        if (g && of[0].sum > 0)
            fprintf(out, " (%+.1f %%", 100 * of[g].loss / of[0].sum);
        if (g && of[0].sum > 0 && isfinite(of[g].low))
            fprintf(out, ", 95 %%: %+.1f to %+.1f)%s", diff_percent(of[g].low, of[0].sum), diff_percent(of[g].high, of[0].sum), of[g].beyond ? "" : "~");
        else if (g && of[0].sum > 0)
            fputs(")", out);
    }
    fputc('\n', out);
}

/* Of runs of one size. */
static void put_times(const diff_series *s, FILE *out) {
    double elapsed[DIFF_RUNS], cpu[DIFF_RUNS];
    bool known = true;
    for (uint32_t k = 0; k < s->runs; k++) {
        const report *r = diff_series_run(s, k);
        elapsed[k] = r->info.wall_s;
        cpu[k] = r->info.cpu_s;
        known &= cpu[k] > 0 && diff_is_whole(r);
    }
    fputc('\n', out);
    if (known)
        put_figure(s, out, "CPU time:", cpu);
    put_figure(s, out, "Elapsed:", elapsed);
}

/* A sentence that calls the two runs A and B, for runs of other groups. */
static void rename_b(const char *text, char b, char *out, size_t size) {
    size_t n = 0;
    for (size_t i = 0; text[i] && n + 1 < size; i++) {
        bool word = text[i] == 'B' && i && text[i - 1] == ' ' && (!text[i + 1] || strchr(" ,:;.)", text[i + 1]));
        out[n++] = word ? b : text[i];
    }
    out[n] = 0;
}

/* "the share is 1 in A and 2 in B, on average": what is told of all groups, and the end. */
typedef struct care {
    char told[DIFF_CARE_SIZE + 40 * DIFF_GROUPS], tail[DIFF_CARE_SIZE];
    size_t begin; /* of what is told, of A alone */
} care;

/* One more run of a sentence that is there; false: it is another one. */
static bool add_to(care *c, const char *text, const char *value, const char *end, char of) {
    size_t n = strlen(c->told);
    if (strcmp(c->tail, end) || strncmp(c->told, text, c->begin) || (value ? (size_t)(value - text) != c->begin : 0))
        return false;
    if (value)
        snprintf(c->told + n, sizeof c->told - n, ", %.*s in %c", (int)(end - 5 - value - 5), value + 5, of);
    return true;
}

/* Of the first run of each group: a line for each kind. */
static void put_cares(const diff_series *s, FILE *out, int width) {
    care *list = calloc((size_t)s->groups * DIFF_CARES, sizeof *list);
    uint32_t n = 0;
    char text[DIFF_CARE_SIZE], whole[sizeof list->told + DIFF_CARE_SIZE];
    for (uint32_t g = 1; g < s->groups && list; g++) {
        diff_cares cares;
        diff_cares_of(&s->pair[diff_series_first(s, g)], &cares);
        for (uint32_t i = 0; i < cares.n; i++) {
            const char *at = strstr(cares.text[i], " in B"), *value = NULL, *end = "";
            for (const char *p = cares.text[i]; at && (p = strstr(p, " and ")) && p < at; p++)
                value = p;
            if (value)
                end = at + 5;
            uint32_t k = 0;
            rename_b(cares.text[i], letter(g), text, sizeof text);
            while (k < n && !add_to(&list[k], value ? cares.text[i] : text, value, end, letter(g)))
                k++;
            if (k < n)
                continue;
            list[n].begin = value ? (size_t)(value - cares.text[i]) : strlen(text);
            snprintf(list[n].told, sizeof list[n].told, "%.*s", value ? (int)(end - cares.text[i]) : DIFF_CARE_SIZE, text);
            snprintf(list[n++].tail, DIFF_CARE_SIZE, "%s", end);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        snprintf(whole, sizeof whole, "%s%s", list[k].told, list[k].tail);
        report_text_wrap(out, width, whole, 3, fprintf(out, "Care:"));
    }
    free(list);
}

/* Which groups' columns there is room for: the first one (times) and the last. */
static uint32_t from_group(const diff_series *s, uint32_t most) { return s->groups - 1 > most ? s->groups - most : 1; }

static void put_heads(const diff_series *s, FILE *out, const char *unit, const char *what, bool interval) {
    if (s->scaling) {
        fprintf(out, "%5s A %6s %c %6s %s", unit, unit, letter(s->groups - 1), "loss", unit);
        if (interval)
            fprintf(out, " %*s", ENDS, "95 %");
        fputc(' ', out);
        for (uint32_t g = from_group(s, SPEEDS); g < s->groups; g++)
            fprintf(out, " speed%c", letter(g));
        fprintf(out, "  eff%%  %s\n", what);
        return;
    }
    fprintf(out, "%5s A", unit);
    for (uint32_t g = from_group(s, SECONDS); g < s->groups; g++)
        fprintf(out, " %6s %c", unit, letter(g));
    fprintf(out, " %8s", "change");
    if (interval)
        fprintf(out, " %*s", ENDS, "95 %");
    fprintf(out, " %6s   %s\n", "%", what);
}

static int columns_of(const diff_series *s, bool interval) {
    uint32_t shown = s->groups - from_group(s, s->scaling ? SPEEDS : SECONDS);
    return (s->scaling ? 7 + 9 + 9 + 1 + 7 * (int)shown + 6 : 7 + 9 * (int)shown + 9 + 8) + (interval ? ENDS + 1 : 0) + 2;
}

static void put_if_known(FILE *out, int width, int decimals, double value) {
    if (isfinite(value))
        diff_put_numbers(out, width, decimals, "%.*f", value, 0);
    else
        fprintf(out, " %*s", width, "-");
}

static void put_values(const diff_series *s, FILE *out, int decimals, const diff_series_row *row, bool interval) {
    const diff_series_value *last = &row->of[s->groups - 1];
    bool any = row->of[0].each >= 0.5 * pow(10, -decimals); /* of what is shown as 0 nothing is divided */
    diff_put_numbers(out, 6, decimals, "%.*f", row->of[0].each, 0);
    for (uint32_t g = s->scaling ? s->groups - 1 : from_group(s, SECONDS); g < s->groups; g++)
        diff_put_numbers(out, 8, decimals, "%.*f", row->of[g].each, 0);
    diff_put_numbers(out, 8, decimals, "%+.*f", last->loss, 0);
    if (interval && isfinite(last->low))
        diff_put_numbers(out, ENDS, decimals, "%+.*f..%+.*f", last->low, last->high);
    else if (interval)
        fprintf(out, " %*s", ENDS, "");
    fputc(last->beyond ? ' ' : '~', out);
    if (!s->scaling) {
        diff_put_percent(out, row->of[0].each, last->each, true);
        fputs(" ", out);
        return;
    }
    for (uint32_t g = from_group(s, SPEEDS); g < s->groups; g++)
        put_if_known(out, 6, 2, any ? row->of[g].speedup : NAN);
    put_if_known(out, 5, 0, any ? 100 * last->efficiency : NAN);
}

/* Is there something to say of the row in the brief report: a hundredth of the time that a processor has, elapsed or of the CPU. */
static bool is_told(const diff_series *s, const diff_series_row *row, double all) {
    const diff_series_value *last = &row->of[s->groups - 1];
    return fabs(last->loss) >= 0.01 * all && (s->scaling || last->beyond);
}

static void row_name(const diff_series *s, diff_by by, const diff_series_row *row, int width, char *out, size_t size) {
    report *r = row->run ? &s->pair[row->run].b : &s->pair[1].a;
    char fitted[200], where[700];
    if (by == DIFF_CATEGORY) {
        snprintf(out, size, "%s", row->kind);
    } else if (by == DIFF_CAUSE) {
        snprintf(out, size, "%s: %s", row->kind, row->cause ? row->cause : "");
        report_fit_prose(out, width, where, sizeof where);
        snprintf(out, size, "%s", where);
    } else if (by >= DIFF_WAIT) {
        const char *kind = strncmp(row->kind, "MPI_", 4) ? row->kind : row->kind + 4;
        report_fit_prose(kind, width > 29 ? width - 20 : 13, fitted, sizeof fitted);
        report_text_place(r, row->row, row->context, width - report_columns_of(fitted) - 1, where, sizeof where);
        snprintf(out, size, "%s %s", fitted, where);
    } else if (by == DIFF_LINE) {
        diff_line_name(r, row->row, width, out, size);
    } else {
        diff_scope_name(r, row->row, width, out, size);
    }
}

static hsc_status put_table(diff_series *s, diff_by by, const char *title, const char *what, bool brief, hsc_err *err) {
    diff_series_rows rows;
    const report *first = diff_series_run(s, 0);
    FILE *out = s->pair[1].out;
    bool timed = by >= DIFF_WAIT && by <= DIFF_CAUSE, interval = !timed || s->repeated, libraries = false;
    uint32_t top = brief && timed && (!first->top || first->top > BRIEF) ? BRIEF : first->top, shown = 0, noise = 0;
    double all = 0, rest = 0;
    char name[1000];
    hsc_status status = diff_series_by(s, by, &rows, err);
    if (status)
        return status;
    const report *last = diff_series_run(s, diff_series_first(s, s->groups - 1));
    double each_first = first->working ? first->total * first->unit.scale / first->working : 0, each_last = last->working ? last->total * last->unit.scale / last->working : 0;
    all = timed ? fmin(first->info.wall_s, last->info.wall_s) : s->scaling ? fmin(each_first, each_last) : first->total * first->unit.scale;
    int width = first->width - columns_of(s, interval) - 1, decimals = timed ? 3 : first->decimals < last->decimals ? first->decimals : last->decimals;
    if (brief && timed && !rows.n)
        return HSC_OK;
    fprintf(out, "\n%s\n", title);
    put_heads(s, out, timed ? "s" : first->unit.unit[0] ? first->unit.unit : "no.", what, interval);
    bool sorted = by != DIFF_MODULE && by < DIFF_WAIT && s->scaling; /* the user's own first */
    for (int pass = 0; pass < (sorted ? 2 : 1); pass++)
        for (uint32_t i = 0; i < rows.n; i++) {
            const diff_series_row *row = &rows.list[i];
            if (sorted && row->users == (pass == 1))
                continue;
            if ((top && shown >= top) || (brief && !is_told(s, row, all))) {
                rest += row->of[s->groups - 1].loss;
                noise += !row->of[s->groups - 1].beyond;
                continue;
            }
            if (pass && !libraries) {
                fputs("   libraries\n", out);
                libraries = true;
            }
            shown++;
            row_name(s, by, row, width > 13 ? width : 13, name, sizeof name);
            put_values(s, out, decimals, row, interval);
            fprintf(out, "  %s\n", name);
        }
    if (rows.n > shown) {
        fprintf(out, "   %u more with %+.3f %s", rows.n - shown, rest, timed ? "s" : first->unit.unit);
        if (interval)
            fprintf(out, ", %u of them within noise", noise);
        fprintf(out, "%s%s\n", brief ? ": --by=" : "", brief ? diff_names[by] : "");
    }
    if (!rows.n)
        fputs("  none\n", out);
    diff_series_free(&rows);
    return HSC_OK;
}

hsc_status diff_series_text(diff_series *all, diff_series *some, diff_by by, hsc_err *err) {
    static const struct {
        diff_by by;
        const char *title, *what;
    } tables[] = {{DIFF_LOOP, "Loops with what they call, without inner loops", "loop"}, {DIFF_PROCEDURE, "Procedures, with their loops", "procedure"},
                  {DIFF_LINE, "Lines", "line"}, {DIFF_NEST, "Outermost loops with all inside, without what they call", "outermost loop"}, {DIFF_MODULE, "Programs and libraries", "file"},
                  {DIFF_CATEGORY, "CPU time by what threads did", "category"}, {DIFF_WAIT, "Waits outside message passing, by the clock", "for, at"},
                  {DIFF_MESSAGE, "Calls of message passing, by the clock", "operation, at"}, {DIFF_CAUSE, "What made others wait, divided by samples", "kind, by"}};
    diff_series_head heads[DIFF_GROUPS];
    FILE *out = all->pair[1].out;
    const report *first = diff_series_run(all, 0);
    char text[700], title[200];
    int width = first->width;
    hsc_status s = diff_series_heads(all, heads, err);
    if (s)
        return s;
    put_runs(all, out, width);
    for (uint32_t k = 1; k < all->runs; k++)
        if (diff_programs_of(&all->pair[k]) == DIFF_PROGRAMS_OTHER) {
            fputs("There are different programs: what has the same name is compared.\n", out);
            break;
        }
    for (uint32_t k = 0; k < all->runs; k++) {
        const report *r = diff_series_run(all, k);
        if (r->stands_for && !r->size_given) {
            diff_put_size_words(out, width);
            break;
        }
    }
    if (all->scaling)
        put_scaling(all, heads, out, width);
    else
        put_times(all, out);
    put_cares(all, out, width);
    int n = 0;
    if (all->scaling)
        n = snprintf(text, sizeof text,
                     "loss: seconds of the processor that has most (where that is beyond chance; else, of what is timed and of categories of one on average) in %c beyond the ideal, %s; eff%%: speed-up in %c over the ideal. ",
                     letter(all->groups - 1), all->weak ? "its time in A" : "its time in A by the growth of processors", letter(all->groups - 1));
    else
        n = snprintf(text, sizeof text, "change: from A to %c, all processors added up. ", letter(all->groups - 1));
    snprintf(text + n, sizeof text - (size_t)n, "~ within noise: the 95 %% interval%s holds 0.", all->repeated ? ", by the differences between repeated runs," : " of sampling");
    fputc('\n', out);
    report_text_wrap(out, width, text, 1, 0);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !s; i++) {
        bool scope = tables[i].by < DIFF_WAIT, in_all = tables[i].by != DIFF_NEST && tables[i].by != DIFF_MODULE && (!scope || tables[i].by != DIFF_LINE || !all->scaling);
        if (by != tables[i].by && !(by == DIFF_ALL && in_all && (scope || diff_is_whole(first))))
            continue;
        diff_series *of = scope && some ? some : all;
        const char *category = scope ? diff_series_run(of, 0)->category : NULL;
        snprintf(title, sizeof title, "%s%s%s%s", tables[i].title, category ? ": " : "", category ? category : "", category ? " alone" : "");
        s = put_table(of, tables[i].by, title, tables[i].what, by == DIFF_ALL, err);
    }
    return s;
}
