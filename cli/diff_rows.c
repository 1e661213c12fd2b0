/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Differences as CSV and JSON: one row a pair, or a thing that only one database has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/quote.h>

#include <report_causes.h>

#include "diff_text.h"

static void put_place(hsc_table *t, const report *r, uint32_t file, uint32_t begin, uint32_t end, const char *side) {
    hsc_db_file f = {.path = ""};
    char name[32];
    if (file != HSC_NONE)
        (void)hsc_db_get_file(r->db, file, &f, NULL);
    snprintf(name, sizeof name, "file_%s", side);
    hsc_table_text(t, name, f.path);
    snprintf(name, sizeof name, "line_begin_%s", side);
    hsc_table_count(t, name, begin);
    snprintf(name, sizeof name, "line_end_%s", side);
    hsc_table_count(t, name, end);
}

static hsc_status put_side(hsc_table *t, const report *r, bool line, uint32_t row, const char *side, hsc_err *err) {
    hsc_db_scope s = {.file = HSC_NONE};
    hsc_db_line l = {.file = HSC_NONE};
    hsc_status status = HSC_OK;
    if (row != HSC_NONE)
        status = line ? hsc_db_get_line(r->db, row, &l, err) : hsc_db_get_scope(r->db, row, &s, err);
    if (status)
        return status;
    if (line)
        put_place(t, r, l.file, l.line, l.line, side);
    else
        put_place(t, r, s.file, s.line_begin, s.line_end, side);
    return HSC_OK;
}

static hsc_status procedure_of(const report *r, bool line, uint32_t row, const char **name, hsc_err *err) {
    hsc_db_scope s, p;
    hsc_db_line l;
    hsc_status status = line ? hsc_db_get_line(r->db, row, &l, err) : HSC_OK;
    if (!status)
        status = hsc_db_get_scope(r->db, line ? l.scope : row, &s, err);
    if (!status && s.procedure != HSC_NONE && !(status = hsc_db_get_scope(r->db, s.procedure, &p, err)))
        *name = p.name;
    else if (!status && s.kind == HSC_SCOPE_MODULE)
        *name = s.name;
    return status;
}

static hsc_status put_moved(diff *d, hsc_table *t, diff_by by, const diff_row *row, hsc_err *err) {
    static const char *const names[] = {"no", "within the procedure", "to or from what it calls", "to or from what its procedure calls", "to or from its caller",
                                       "within the loop"};
    diff_moved m = {.how = DIFF_NOT_MOVED};
    const char *with = "";
    hsc_status s = HSC_OK;
    if (row->a != HSC_NONE || row->b != HSC_NONE)
        s = diff_moved_of(d, by, row, &m, err);
    bool any = !s && m.how != DIFF_NOT_MOVED;
    if (any)
        s = procedure_of(&d->b, false, m.together.b, &with, err);
    hsc_table_text(t, "moved", names[m.how]);
    hsc_table_text(t, "moved_with", with);
    hsc_table_amount(t, "together_a", any ? m.together.count_a * d->a.unit.scale : NAN);
    hsc_table_amount(t, "together_b", any ? m.together.count_b * d->b.unit.scale : NAN);
    hsc_table_amount(t, "together_change_low", any ? m.together.low : NAN);
    hsc_table_amount(t, "together_change_high", any ? m.together.high : NAN);
    return s;
}

static hsc_status put_row(diff *d, hsc_table *t, diff_by by, uint32_t rank, const diff_row *row, hsc_err *err) {
    bool line = by == DIFF_LINE;
    const char *name = "", *name_a = "";
    double a = row->count_a * d->a.unit.scale, speedup = NAN, efficiency = NAN;
    hsc_status s = HSC_OK;
    if (row->a != HSC_NONE || row->b != HSC_NONE)
        s = procedure_of(row->b != HSC_NONE ? &d->b : &d->a, line, row->b != HSC_NONE ? row->b : row->a, &name, err);
    if (!s && row->a != HSC_NONE)
        s = procedure_of(&d->a, line, row->a, &name_a, err);
    if (s)
        return s;
    hsc_table_begin_row(t);
    hsc_table_count(t, "position", rank);
    hsc_table_text(t, by == DIFF_MODULE ? "module" : "procedure", name);
    if (by != DIFF_MODULE)
        hsc_table_text(t, "procedure_a", name_a); /* the name in A, that may have been another */
    s = put_side(t, &d->a, line, row->a, "a", err);
    if (!s)
        s = put_side(t, &d->b, line, row->b, "b", err);
    hsc_table_text(t, "matched", diff_how_text(row->how));
    hsc_table_count(t, "periods_a", row->count_a);
    hsc_table_count(t, "periods_b", row->count_b);
    char unit[64];
    snprintf(unit, sizeof unit, "a_%s", t->unit);
    hsc_table_number(t, unit, a);
    snprintf(unit, sizeof unit, "b_%s", t->unit);
    hsc_table_number(t, unit, row->count_b * d->b.unit.scale);
    hsc_table_amount(t, "change", row->change);
    hsc_table_amount(t, "change_low", row->low);
    hsc_table_amount(t, "change_high", row->high);
    hsc_table_number(t, "change_pct", a > 0 ? 100 * row->change / a : NAN);
    hsc_table_text(t, "beyond_noise", row->beyond ? "yes" : "no");
    if (!s && (by == DIFF_PROCEDURE || by == DIFF_LOOP) && (row->a != HSC_NONE || row->b != HSC_NONE))
        s = diff_scaling_of(d, row, &speedup, &efficiency, err);
    hsc_table_number(t, "speedup", speedup);
    hsc_table_number(t, "efficiency", efficiency);
    if (!s && by != DIFF_MODULE)
        s = put_moved(d, t, by, row, err);
    if (!s && by == DIFF_LOOP) {
        diff_decisions x = {0};
        if (row->a != HSC_NONE || row->b != HSC_NONE)
            s = diff_decisions_of(d, row, &x, err);
        hsc_table_text(t, "compiler_changed", x.changed ? "yes" : "no");
        hsc_table_text(t, "versions_a", x.versions_a);
        hsc_table_text(t, "versions_b", x.versions_b);
        hsc_table_text(t, "remark_a", x.remark_a);
        hsc_table_text(t, "remark_b", x.remark_b);
    }
    hsc_table_end_row(t);
    return s;
}

const char *const diff_names[DIFF_TABLES] = {"all", "procedure", "loop", "line", "module", "nest", "wait", "message", "cause", "category"};

static void put_factor(FILE *out, const char *name, double value) {
    fprintf(out, "  \"%s\": ", name);
    if (isfinite(value))
        fprintf(out, "%.10g,\n", value);
    else
        fputs("null,\n", out);
}

static void put_factors(FILE *out, const diff *d, const diff_factors *a, const diff_factors *b) {
    put_factor(out, "load_balance_a", a->load_balance);
    put_factor(out, "load_balance_b", b->load_balance);
    put_factor(out, "communication_efficiency_a", a->communication);
    put_factor(out, "communication_efficiency_b", b->communication);
    put_factor(out, "parallel_efficiency_a", a->parallel);
    put_factor(out, "parallel_efficiency_b", b->parallel);
    put_factor(out, "computation_scaling", diff_computation_scaling(d, a, b));
}

/* CPU time by what threads did, of whole runs. */
static hsc_status put_categories(FILE *out, diff *d, hsc_err *err) {
    diff_category *list;
    uint32_t n;
    hsc_status s = diff_categories(d, &list, &n, err);
    if (s)
        return s;
    fputs("  \"categories\": [", out);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "%s\n    {\"category\": ", i ? "," : "");
        hsc_quote_json(out, list[i].name);
        fprintf(out, ", \"a_s\": %.10g, \"b_s\": %.10g, \"change_low_s\": %.10g, \"change_high_s\": %.10g, \"beyond_noise\": \"%s\"}",
                list[i].row.count_a * d->a.unit.scale, list[i].row.count_b * d->b.unit.scale, list[i].row.low, list[i].row.high, list[i].row.beyond ? "yes" : "no");
    }
    fputs(n ? "\n  ],\n" : "],\n", out);
    free(list);
    return HSC_OK;
}

/* CPU time by the kernel's clocks, and waits: of whole runs, and not sampled. */
static hsc_status put_exact(FILE *out, diff *d, const diff_measured m[2], hsc_err *err) {
    diff_wait *list;
    uint32_t n;
    bool whole = diff_is_whole(&d->a) && diff_is_whole(&d->b);
    put_factor(out, "cpu_a_s", whole ? d->a.info.cpu_s : NAN);
    put_factor(out, "cpu_b_s", whole ? d->b.info.cpu_s : NAN);
    put_factor(out, "cpu_itself_a_s", whole && m[0].itself_s > 0 ? m[0].itself_s : NAN);
    put_factor(out, "cpu_itself_b_s", whole && m[1].itself_s > 0 ? m[1].itself_s : NAN);
    hsc_status s = diff_waits(d, &list, &n, err);
    if (s)
        return s;
    fputs("  \"waits\": [", out);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "%s\n    {\"kind\": ", i ? "," : "");
        hsc_quote_json(out, list[i].kind);
        fprintf(out, ", \"of\": \"%s\", \"a_s\": %.10g, \"b_s\": %.10g}", list[i].messages ? "messages" : "waits", list[i].a_s, list[i].b_s);
    }
    fputs(n ? "\n  ],\n" : "],\n", out);
    free(list);
    return HSC_OK;
}

/* What stands before a JSON document's rows. */
static char *json_head(diff *d, diff_by by, const char *unit, hsc_err *err) {
    char *text = NULL;
    size_t size = 0;
    bool failed = false;
    diff_row total = diff_total(d);
    diff_measured m[2];
    diff_measured_of(&d->a, &m[0]);
    diff_measured_of(&d->b, &m[1]);
    diff_factors f[2];
    if (diff_factors_of(&d->a, &f[0], err) || diff_factors_of(&d->b, &f[1], err))
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        fputs("{\n  \"a\": ", out);
        hsc_quote_json(out, d->a.info.path);
        fputs(",\n  \"b\": ", out);
        hsc_quote_json(out, d->b.info.path);
        fputs(",\n  \"metric\": ", out);
        hsc_quote_json(out, d->a.unit.name);
        fprintf(out,
                ",\n  \"samples_a\": %.0f,\n  \"samples_b\": %.0f,\n  \"lost_pct_a\": %.6g,\n  \"lost_pct_b\": %.6g,\n"
                "  \"unit\": \"%s\",\n  \"total_a\": %.10g,\n  \"total_b\": %.10g,\n  \"total_change_low\": %.10g,\n"
                "  \"total_change_high\": %.10g,\n  \"elapsed_a_s\": %.10g,\n  \"elapsed_b_s\": %.10g,\n  \"processors_a\": %u,\n"
                "  \"processors_b\": %u,\n  \"size_a\": %u,\n  \"size_b\": %u,\n",
                m[0].samples, m[1].samples, m[0].due > 0 ? 100 * m[0].lost / m[0].due : 0, m[1].due > 0 ? 100 * m[1].lost / m[1].due : 0,
                unit, total.count_a * d->a.unit.scale, total.count_b * d->b.unit.scale, total.low, total.high, d->a.info.wall_s,
                d->b.info.wall_s, d->a.columns, d->b.columns, d->a.working, d->b.working);
        put_factors(out, d, &f[0], &f[1]);
        failed = put_exact(out, d, m, err) != HSC_OK || put_categories(out, d, err) != HSC_OK;
        fprintf(out, "  \"by\": \"%s\",\n  \"rows\": [\n", diff_names[by]);
    }
    if (out && !fclose(out) && !failed)
        return text;
    free(text);
    if (!failed)
        hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    return NULL;
}

static hsc_status put_timed_side(hsc_table *t, const report *r, const diff_timed_side *x, const char *side, diff_by by, hsc_err *err) {
    char name[32];
    hsc_status s = put_side(t, r, true, x->line, side, err);
    snprintf(name, sizeof name, "%s_%s", by == DIFF_MESSAGE ? "calls" : "waits", side);
    hsc_table_count(t, name, (double)x->calls);
    snprintf(name, sizeof name, "%s_s", side);
    hsc_table_number(t, name, x->seconds);
    if (by == DIFF_MESSAGE) {
        snprintf(name, sizeof name, "sent_bytes_%s", side);
        hsc_table_count(t, name, (double)x->sent);
        snprintf(name, sizeof name, "received_bytes_%s", side);
        hsc_table_count(t, name, (double)x->received);
    } else if (by == DIFF_WAIT) {
        snprintf(name, sizeof name, "bytes_%s", side);
        hsc_table_count(t, name, (double)x->received);
    }
    return s;
}

static void put_who(hsc_table *t, const report *r, uint32_t thread, const char *column) {
    char who[100] = "";
    if (thread != HSC_NONE)
        report_who(r, thread, who, sizeof who);
    hsc_table_text(t, column, who);
}

static hsc_status put_timed(diff *d, hsc_table *t, diff_by by, uint32_t rank, const diff_timed *x, hsc_err *err) {
    const report *r = x->in_b ? &d->b : &d->a;
    uint32_t scope = report_scope_of(r, x->in_b ? x->b.context : x->a.context);
    const char *name = "";
    hsc_status s = scope != HSC_NONE ? procedure_of(r, false, scope, &name, err) : HSC_OK;
    if (s)
        return s;
    hsc_table_begin_row(t);
    hsc_table_count(t, "position", rank);
    hsc_table_text(t, by == DIFF_MESSAGE ? "operation" : "kind", x->kind);
    hsc_table_text(t, "procedure", name);
    s = put_timed_side(t, &d->a, &x->a, "a", by, err);
    if (!s)
        s = put_timed_side(t, &d->b, &x->b, "b", by, err);
    hsc_table_text(t, "matched", x->in_a && x->in_b ? "same" : "unmatched");
    hsc_table_number(t, "change_s", x->b.seconds - x->a.seconds);
    hsc_table_number(t, "change_pct", x->a.seconds > 0 ? 100 * (x->b.seconds / x->a.seconds - 1) : NAN);
    if (by == DIFF_CAUSE) {
        hsc_table_text(t, "cause_a", x->cause[0] ? x->cause[0] : "");
        hsc_table_text(t, "cause_b", x->cause[1] ? x->cause[1] : "");
        put_who(t, &d->a, x->a.most_thread, "most_by_a");
        put_who(t, &d->b, x->b.most_thread, "most_by_b");
        hsc_table_text(t, "machine", x->machine ? "yes" : "no");
    }
    hsc_table_end_row(t);
    return s;
}

static hsc_status timed_rows(diff *d, hsc_table *t, diff_by by, hsc_err *err) {
    const diff_timed_side nowhere = {.line = HSC_NONE, .context = HSC_NONE, .most_thread = HSC_NONE, .from = HSC_NONE, .from_context = HSC_NONE};
    const diff_timed none = {.kind = "", .a = nowhere, .b = nowhere};
    diff_timed *list;
    uint32_t n;
    hsc_status s = diff_timed_by(d, by, &list, &n, err);
    if (!s)
        s = put_timed(d, t, by, 0, &none, err);
    t->naming = false;
    for (uint32_t i = 0; !s && i < n && (!d->a.top || i < d->a.top); i++)
        s = put_timed(d, t, by, i + 1, &list[i], err);
    diff_free_timed(list, n);
    return s;
}

static void put_category(diff *d, hsc_table *t, uint32_t rank, const char *name, const diff_row *row) {
    double a = row->count_a * d->a.unit.scale, b = row->count_b * d->b.unit.scale;
    hsc_table_begin_row(t);
    hsc_table_count(t, "position", rank);
    hsc_table_text(t, "category", name);
    hsc_table_count(t, "periods_a", row->count_a);
    hsc_table_count(t, "periods_b", row->count_b);
    hsc_table_number(t, "a_s", a);
    hsc_table_number(t, "b_s", b);
    hsc_table_amount(t, "change", row->change);
    hsc_table_amount(t, "change_low", row->low);
    hsc_table_amount(t, "change_high", row->high);
    hsc_table_number(t, "change_pct", a > 0 ? 100 * row->change / a : NAN);
    hsc_table_text(t, "beyond_noise", row->beyond ? "yes" : "no");
    hsc_table_end_row(t);
}

static hsc_status category_rows(diff *d, hsc_table *t, hsc_err *err) {
    diff_category *list;
    diff_row none = {.a = HSC_NONE, .b = HSC_NONE};
    uint32_t n;
    hsc_status s = diff_categories(d, &list, &n, err);
    if (s)
        return s;
    put_category(d, t, 0, "", &none);
    t->naming = false;
    for (uint32_t i = 0; i < n && (!d->a.top || i < d->a.top); i++)
        put_category(d, t, i + 1, list[i].name, &list[i].row);
    free(list);
    return HSC_OK;
}

static hsc_status sampled_rows(diff *d, hsc_table *t, diff_by by, hsc_err *err) {
    diff_row *rows, none = {.a = HSC_NONE, .b = HSC_NONE};
    uint32_t n;
    hsc_status s = diff_rows_by(d, by, &rows, &n, err);
    if (s)
        return s;
    s = put_row(d, t, by, 0, &none, err);
    t->naming = false;
    for (uint32_t i = 0; !s && i < n && (!d->a.top || i < d->a.top); i++)
        s = put_row(d, t, by, i + 1, &rows[i], err);
    free(rows);
    return s;
}

hsc_status diff_rows(diff *d, diff_by by, hsc_table_format format, const char *columns, hsc_err *err) {
    char unit[32];
    by = by == DIFF_ALL ? DIFF_PROCEDURE : by;
    snprintf(unit, sizeof unit, "%s", d->a.unit.unit[0] ? d->a.unit.unit : "count");
    hsc_table t = {.out = d->out, .format = format, .naming = true, .unit = unit, .scale = 1, .columns = columns, .width = d->a.width};
    hsc_status s = HSC_OK;
    if (format == HSC_TABLE_JSON && (!(t.before = json_head(d, by, unit, err)) || !(t.after = strdup("\n  ]\n}\n"))))
        s = err->status ? err->status : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!s)
        s = by == DIFF_CATEGORY ? category_rows(d, &t, err) : by >= DIFF_WAIT ? timed_rows(d, &t, by, err) : sampled_rows(d, &t, by, err);
    if (!s)
        s = hsc_table_finish(&t, err);
    hsc_table_clear(&t);
    return s;
}
