/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several runs side by side as CSV and JSON: one row a thing, columns of each group of runs with its letter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/quote.h>

#include "diff_series.h"

static void put_place(const diff_series *s, hsc_table *t, diff_by by, const diff_series_row *row) {
    const report *r = diff_series_run(s, row->run);
    bool line = by == DIFF_LINE || by >= DIFF_WAIT, any = row->row != HSC_NONE;
    hsc_db_line l = {.file = HSC_NONE, .scope = HSC_NONE};
    hsc_db_scope scope = {.name = "", .file = HSC_NONE, .procedure = HSC_NONE}, p = {.name = ""};
    hsc_db_file f = {.path = ""};
    if (any && line && !hsc_db_get_line(r->db, row->row, &l, NULL) && l.scope != HSC_NONE)
        any = !hsc_db_get_scope(r->db, l.scope, &scope, NULL);
    else if (any && !line)
        any = !hsc_db_get_scope(r->db, row->row, &scope, NULL);
    uint32_t file = line ? l.file : scope.file;
    if (any && scope.procedure != HSC_NONE)
        (void)hsc_db_get_scope(r->db, scope.procedure, &p, NULL);
    if (file != HSC_NONE)
        (void)hsc_db_get_file(r->db, file, &f, NULL);
    hsc_table_text(t, by == DIFF_MODULE ? "module" : "procedure", by == DIFF_MODULE ? scope.name : p.name);
    hsc_table_text(t, "file", f.path);
    hsc_table_count(t, "line_begin", line ? l.line : scope.line_begin);
    hsc_table_count(t, "line_end", line ? l.line : scope.line_end);
}

static void name_column(char *out, size_t size, const char *what, uint32_t group, const char *unit) {
    snprintf(out, size, "%s%s%c%s%s", what, *what ? "_" : "", (char)('a' + group), *unit ? "_" : "", unit);
}

static void put_row(const diff_series *s, hsc_table *t, diff_by by, uint32_t rank, const diff_series_row *row) {
    char name[160], first[16] = "";
    bool timed = by >= DIFF_WAIT && by <= DIFF_CAUSE;
    const char *unit = timed ? "s" : t->unit;
    hsc_table_begin_row(t);
    hsc_table_count(t, "position", rank);
    if (by == DIFF_CATEGORY)
        hsc_table_text(t, "category", row->kind ? row->kind : "");
    else {
        if (timed)
            hsc_table_text(t, by == DIFF_MESSAGE ? "operation" : "kind", row->kind ? row->kind : "");
        put_place(s, t, by, row);
        if (by == DIFF_CAUSE)
            hsc_table_text(t, "cause", row->cause ? row->cause : "");
        snprintf(first, sizeof first, "%c", (char)('a' + s->group_of[row->run]));
        hsc_table_text(t, "first_in", first); /* whose place it is */
    }
    for (uint32_t g = 0; g < s->groups; g++) {
        const diff_series_value *v = &row->of[g];
        name_column(name, sizeof name, "", g, unit);
        hsc_table_number(t, name, v->sum);
        if (s->scaling) {
            name_column(name, sizeof name, "each", g, unit);
            hsc_table_number(t, name, v->each);
        }
        if (!g)
            continue;
        if (s->scaling) {
            name_column(name, sizeof name, "speedup", g, "");
            hsc_table_number(t, name, v->speedup);
            name_column(name, sizeof name, "efficiency", g, "");
            hsc_table_number(t, name, v->efficiency);
            name_column(name, sizeof name, "work_efficiency", g, "");
            hsc_table_number(t, name, v->work_efficiency);
        }
        const char *what = s->scaling ? "loss" : "change";
        char bound[64];
        name_column(name, sizeof name, what, g, unit);
        hsc_table_number(t, name, v->loss);
        snprintf(bound, sizeof bound, "%s_low", what);
        name_column(name, sizeof name, bound, g, unit);
        hsc_table_number(t, name, v->low);
        snprintf(bound, sizeof bound, "%s_high", what);
        name_column(name, sizeof name, bound, g, unit);
        hsc_table_number(t, name, v->high);
        name_column(name, sizeof name, "beyond_noise", g, "");
        hsc_table_text(t, name, v->beyond ? "yes" : "no");
    }
    hsc_table_end_row(t);
}

static void put_number(FILE *out, const char *name, double value, const char *after) {
    fprintf(out, "\"%s\": ", name);
    if (isfinite(value))
        fprintf(out, "%.10g%s", value, after);
    else
        fprintf(out, "null%s", after);
}

/* What stands before a JSON document's rows. */
static char *json_head(const diff_series *s, const diff_series *of, diff_by by, const char *unit, hsc_err *err) {
    char *text = NULL;
    size_t size = 0;
    diff_series_head heads[DIFF_GROUPS];
    if (diff_series_heads(s, heads, err))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        hsc_err_set(err, HSC_E_MEMORY, "out of memory");
        return NULL;
    }
    const report *first = diff_series_run(of, 0);
    fputs("{\n  \"groups\": [", out);
    for (uint32_t g = 0; g < s->groups; g++) {
        bool any = false;
        fprintf(out, "%s\n    {\"name\": \"%c\", \"runs\": [", g ? "," : "", (char)('a' + g));
        for (uint32_t k = 0; k < s->runs; k++) {
            if (s->group_of[k] != g)
                continue;
            fputs(any ? ", " : "", out);
            hsc_quote_json(out, diff_series_run(s, k)->info.path);
            any = true;
        }
        const diff_series_head *h = &heads[g];
        bool known = h->factors.threads > 0, crowded = h->factors.crowded || heads[0].factors.crowded;
        fprintf(out, "], \"processors\": %u, ", diff_series_working(s, g));
        put_number(out, "elapsed_s", h->elapsed_s, ", ");
        put_number(out, "elapsed_least_s", h->least_s, ", ");
        put_number(out, "elapsed_most_s", h->most_s, ", ");
        put_number(out, "cpu_s", h->cpu_s, ", ");
        put_number(out, "speedup", heads[0].elapsed_s / h->elapsed_s, ", ");
        put_number(out, "efficiency", crowded ? NAN : heads[0].elapsed_s / h->elapsed_s * diff_series_ideal(s, g), ", ");
        put_number(out, "loss_s", crowded ? NAN : h->elapsed_s - diff_series_ideal(s, g) * heads[0].elapsed_s, ", ");
        put_number(out, "loss_of_computation_s", known && heads[0].factors.threads ? h->longest_s - diff_series_ideal(s, g) * heads[0].longest_s : NAN, ", ");
        put_number(out, "load_balance", known ? h->factors.load_balance : NAN, ", ");
        put_number(out, "communication_efficiency", known ? h->factors.communication : NAN, ", ");
        put_number(out, "parallel_efficiency", known ? h->factors.parallel : NAN, ", ");
        put_number(out, "computation_s", known ? h->factors.computation_s : NAN, "}");
    }
    fputs("\n  ],\n  \"metric\": ", out);
    hsc_quote_json(out, first->unit.name);
    fputs(",\n  \"category\": ", out);
    if (first->category && by < DIFF_WAIT)
        hsc_quote_json(out, first->category);
    else
        fputs("null", out);
    fprintf(out, ",\n  \"unit\": \"%s\",\n  \"scaling\": %s,\n  \"by\": \"%s\",\n  \"rows\": [\n", unit, !s->scaling ? "null" : s->weak ? "\"weak\"" : "\"strong\"", diff_names[by]);
    if (!fclose(out))
        return text;
    free(text);
    hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    return NULL;
}

hsc_status diff_series_put_rows(diff_series *all, diff_series *some, diff_by by, hsc_table_format format, const char *columns, hsc_err *err) {
    by = by == DIFF_ALL ? DIFF_LOOP : by;
    diff_series *s = by < DIFF_WAIT && some ? some : all;
    const report *first = diff_series_run(s, 0);
    diff_series_rows rows;
    diff_series_value nothing[DIFF_GROUPS] = {0};
    const diff_series_row none = {.row = HSC_NONE, .context = HSC_NONE, .of = nothing};
    char unit[32];
    snprintf(unit, sizeof unit, "%s", first->unit.unit[0] ? first->unit.unit : "count");
    hsc_table t = {.out = s->pair[1].out, .format = format, .naming = true, .unit = unit, .scale = 1, .columns = columns, .width = first->width};
    hsc_status status = HSC_OK;
    if (format == HSC_TABLE_JSON && (!(t.before = json_head(all, s, by, unit, err)) || !(t.after = strdup("\n  ]\n}\n"))))
        status = err->status ? err->status : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status)
        status = diff_series_by(s, by, &rows, err);
    if (!status) {
        put_row(s, &t, by, 0, &none);
        t.naming = false;
        for (uint32_t i = 0; i < rows.n && (!first->top || i < first->top); i++)
            put_row(s, &t, by, i + 1, &rows.list[i]);
        diff_series_free(&rows);
        status = hsc_table_finish(&t, err);
    }
    hsc_table_clear(&t);
    return status;
}
