/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as text for 80 columns and more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "report_measures.h"
#include "report_reasons.h"
#include "report_text.h"

/* Pads to `width` terminal columns; to the left for numbers is printf's own. */
static void put(FILE *out, const char *text, int width) {
    fputs(text, out);
    for (int n = report_columns_of(text); n < width; n++)
        fputc(' ', out);
}

static void title(report *r, const char *text) { fprintf(r->out, "\n%s\n", text); }

/* Columns of what follows the percentages of a sampled metric: half of the share's interval. */
static int interval_width(const report *r) { return r->unit.exact ? 0 : 5; }

/* "  388.20  31.4 0.21" : seconds, percent, and how far its interval goes at most */
static void amount(const report *r, hsc_weighted v) {
    double low, high, share = r->total > 0 ? v.sum / r->total : 0;
    fprintf(r->out, " %9.*f %5.1f", r->decimals, v.sum * r->unit.scale, 100 * share);
    if (r->unit.exact)
        return;
    report_share_interval(r, v, &low, &high);
    double half = 100 * fmax(share - low, high - share);
    fprintf(r->out, " %4.*f", half < 9.995 ? 2 : 1, half);
}

/* Heads of these columns. */
static void amount_heads(const report *r) {
    fprintf(r->out, "   # %9s %5s%s", r->unit.unit, "%", r->unit.exact ? "" : "   +-");
}

static double percent(const report *r, double samples) { return r->total > 0 ? 100 * samples / r->total : 0; }

/* max/mean in six columns, with a ~ where chance alone explains it */
static void put_ratio(const report *r, const report_spread *p) {
    double ratio = p->mean > 0 ? p->max / p->mean : 1;
    fprintf(r->out, " %4.*f%c", ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0, ratio, report_uneven(p) ? ' ' : '~');
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

/* Where a scope is: its file and line; for code without lines its module in brackets. */
static void place_of(const report *r, const hsc_db_scope *s, int width, char *out, size_t size) {
    hsc_db_file f;
    hsc_db_module m;
    char path[512];
    if (s->file != HSC_NONE && !hsc_db_get_file(r->db, s->file, &f, NULL) && f.has_lines)
        place(r, s->file, s->line_begin, width, out, size);
    else if (s->module != HSC_NONE && !hsc_db_get_module(r->db, s->module, &m, NULL)) {
        const char *base = strrchr(m.path, '/');
        report_fit_path(base ? base + 1 : m.path, width - 2, path, sizeof path);
        snprintf(out, size, "[%s]", path);
    } else
        snprintf(out, size, "-");
}

void report_text_head(report *r) {
    const hsc_db_info *i = &r->info;
    char line[700], name[512];
    hsc_db_process p;
    double wall = i->wall_s;
    fprintf(r->out, "%s\n", report_fit_prose(i->title, r->width, name, sizeof name));
    if (i->simulated)
        fprintf(r->out, "SIMULATED  made up, not measured\n");
    if (i->command[0] && strcmp(i->command, i->title))
        fprintf(r->out, "command    %s\n", report_fit_prose(i->command, r->width - 11, name, sizeof name));
    if (i->created[0])
        fprintf(r->out, "started    %s\n", report_fit_prose(i->created, r->width - 11, name, sizeof name));
    snprintf(line, sizeof line, "%u thread%s of %u process%s; %.*f s CPU time in %.*f s", i->threads, i->threads == 1 ? "" : "s", i->processes,
             i->processes == 1 ? "" : "es", i->cpu_s >= 100 ? 1 : 3, i->cpu_s, wall >= 100 ? 1 : 3, wall);
    fprintf(r->out, "run        %s\n", line);
    fprintf(r->out, "measured   %.0f samples, each %g %s of %s", r->total, r->unit.scale, r->unit.unit, r->unit.name);
    if (i->processes && !hsc_db_get_process(r->db, 0, &p, NULL) && p.mechanism[0])
        fprintf(r->out, " (%s)", report_fit(p.mechanism, 30, name, sizeof name));
    fputc('\n', r->out);
    if (i->processes && !hsc_db_get_process(r->db, 0, &p, NULL) && p.mechanism_note[0] && !i->simulated)
        fprintf(r->out, "           %s\n", report_fit_prose(p.mechanism_note, r->width - 11, name, sizeof name));
    uint32_t unfinished = 0;
    const char *host = NULL;
    bool machines = false;
    for (uint32_t k = 0; k < i->processes; k++) {
        if (hsc_db_get_process(r->db, k, &p, NULL))
            continue;
        machines = machines || (host && strcmp(host, p.host));
        host = p.host;
    }
    if (machines && !i->simulated)
        fprintf(r->out, "           several machines: times are compared by their own real-time clocks\n");
    for (uint32_t k = 0; k < i->processes; k++)
        unfinished += !hsc_db_get_process(r->db, k, &p, NULL) && !strcmp(p.end, "no end seen");
    if (unfinished)
        fprintf(r->out, "           %u process%s did not end by %s: what was there is shown\n", unfinished, unfinished == 1 ? "" : "es",
                unfinished == 1 ? "itself" : "themselves");
    if (r->net)
        fprintf(r->out, "net        the cost of sampling, %.2f %% of CPU time, is taken out of each sample\n", 100 * r->net_share);
    double begin_s, end_s;
    if (hsc_db_get_interval(r->db, &begin_s, &end_s))
        fprintf(r->out, "interval   %.6g s to %.6g s of the run; what was timed or lost is known of the whole run only\n", begin_s, end_s);
    if (r->where)
        fprintf(r->out, "only       files and procedures with '%s'\n", report_fit(r->where, r->width - 40, name, sizeof name));
}

void report_text_wrap(FILE *out, int width, const char *prose, int indent, int at) {
    char *text = strdup(prose), *end = text ? text + strlen(text) : NULL;
    for (char *p = text; p && *p;) {
        size_t n = strcspn(p, " ");
        while (p[n] == ' ' && (p[n + 1] == '%' || (p[n + 1] == 's' && strspn(p + n + 2, ",.") == strcspn(p + n + 2, " "))))
            n += 1 + strcspn(p + n + 1, " "); /* a number stays with its unit */
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

static const char *axis_name(const report *r) { return r->axis == HSC_AXIS_PROCESS ? "processes" : "threads"; }

static hsc_status procedures(report *r, hsc_err *err) {
    uint32_t *rows, n, shown;
    char name[600], where[600], text[200];
    hsc_status status = report_rank(r, HSC_SCOPE_PROCEDURE, &rows, &n, err);
    if (status)
        return status;
    bool spread = r->columns > 1;
    shown = r->top && r->top < n ? r->top : n;
    while (r->brief && shown > 1 && r->own[rows[shown - 1]] < 0.0005 * r->total)
        shown--;
    int left = (spread ? 34 : 28) + interval_width(r), name_width = (r->width - left) * 11 / 20, place_width = r->width - left - name_width - 1;
    snprintf(text, sizeof text, "Procedures with their loops%s%s", spread ? "; max/mean over " : "", spread ? axis_name(r) : "");
    title(r, text);
    amount_heads(r);
    fprintf(r->out, " %6s%s ", "incl%", spread ? "   m/m" : "");
    put(r->out, "procedure", name_width + 1);
    fprintf(r->out, "where\n");
    for (uint32_t i = 0; i < shown && !status; i++) {
        hsc_db_scope s;
        report_spread p;
        status = hsc_db_get_scope(r->db, rows[i], &s, err);
        if (!status && spread && r->own[rows[i]] > 0)
            status = report_spread_of(r, rows[i], &p, err);
        if (status)
            break;
        fprintf(r->out, "%4u", i + 1);
        amount(r, report_own(r, rows[i]));
        fprintf(r->out, " %6.1f", percent(r, r->incl[rows[i]]));
        if (spread && r->own[rows[i]] > 0)
            put_ratio(r, &p);
        else if (spread)
            fprintf(r->out, "   -  ");
        fputc(' ', r->out);
        put(r->out, report_fit(s.name, name_width, name, sizeof name), name_width + 1);
        place_of(r, &s, place_width, where, sizeof where);
        fprintf(r->out, "%s\n", where);
    }
    if (!status && n > shown) {
        hsc_weighted rest = {0};
        for (uint32_t i = shown; i < n; i++) {
            rest.sum += r->own[rows[i]];
            rest.excess += r->own_excess[rows[i]];
        }
        fprintf(r->out, "    ");
        amount(r, rest);
        fprintf(r->out, "        %s%u more\n", spread ? "      " : "", n - shown);
    }
    free(rows);
    return status;
}

/* "for 16-20 in for 15 in for 14": the loop and those around it */
static void nest_of(const report *r, uint32_t loop, char *out, size_t size) {
    hsc_db_scope s;
    size_t at = 0;
    out[0] = 0;
    for (uint32_t up = loop; !hsc_db_get_scope(r->db, up, &s, NULL) && s.kind == HSC_SCOPE_LOOP && at + 32 < size; up = s.parent) {
        int n = !s.line_begin ? snprintf(out + at, size - at, "%s%s", at ? " in " : "", s.name)
                : up == loop && s.line_end > s.line_begin
                    ? snprintf(out + at, size - at, "%s %u-%u", s.name, s.line_begin, s.line_end)
                    : snprintf(out + at, size - at, "%s%s %u", at ? " in " : "", s.name, s.line_begin);
        at += n > 0 && (size_t)n < size - at ? (size_t)n : 0;
    }
}

static hsc_status loops(report *r, hsc_err *err) {
    uint32_t *rows, n, shown;
    char name[1000], where[600], text[800], nest[300], how[400];
    hsc_status status = report_rank(r, HSC_SCOPE_LOOP, &rows, &n, err);
    if (status || !n) {
        if (!status)
            free(rows);
        return status;
    }
    bool spread = r->columns > 1;
    shown = r->top && r->top < n ? r->top : n;
    int left = (spread ? 34 : 28) + interval_width(r), name_width = (r->width - left) * 11 / 20, place_width = r->width - left - name_width - 1;
    snprintf(text, sizeof text, "Loops without their inner loops%s%s", spread ? "; max/mean over " : "", spread ? axis_name(r) : "");
    title(r, text);
    amount_heads(r);
    fprintf(r->out, " %6s%s ", "incl%", spread ? "   m/m" : "");
    put(r->out, "procedure", name_width + 1);
    fprintf(r->out, "where\n");
    for (uint32_t i = 0; i < shown && !status && r->excl[rows[i]] > (r->brief ? 0.0005 * r->total : 0); i++) {
        hsc_db_scope s, p = {0};
        report_spread sp;
        report_versions v;
        hsc_db_remark remark;
        bool remarked = false;
        status = hsc_db_get_scope(r->db, rows[i], &s, err);
        if (!status && s.procedure != HSC_NONE)
            status = hsc_db_get_scope(r->db, s.procedure, &p, err);
        if (!status && spread)
            status = report_spread_of(r, rows[i], &sp, err);
        if (!status)
            status = report_versions_of(r, rows[i], &v, how, sizeof how, err);
        if (!status)
            status = report_remark_of(r, rows[i], &remarked, &remark, err);
        if (status)
            break;
        fprintf(r->out, "%4u", i + 1);
        amount(r, report_excl(r, rows[i]));
        fprintf(r->out, " %6.1f", percent(r, r->incl[rows[i]]));
        if (spread)
            put_ratio(r, &sp);
        fputc(' ', r->out);
        put(r->out, report_fit(p.name ? p.name : "-", name_width, name, sizeof name), name_width + 1);
        place(r, s.file, s.line_begin, place_width, where, sizeof where);
        fprintf(r->out, "%s\n", where);
        const int indent = 11;
        nest_of(r, rows[i], nest, sizeof nest);
        if (nest[0] || how[0])
            snprintf(text, sizeof text, "%s%s%s", nest, nest[0] && how[0] ? ": " : "", how);
        fprintf(r->out, "%*s", indent - 1, "");
        report_text_wrap(r->out, r->width, text, indent + 2, indent - 1);
        if (remarked && (remark.kind != HSC_remark_kind_PASSED || !how[0]))
            fprintf(r->out, "%*s%s\n", indent, "", report_fit_prose(remark.message, r->width - indent, name, sizeof name));
    }
    free(rows);
    return status;
}

static bool accept_line(void *ctx, uint64_t row) { return report_wanted_line(ctx, (uint32_t)row); }

static hsc_status lines(report *r, hsc_err *err) {
    uint32_t capacity = r->top ? r->top : r->info.lines, n = 0;
    uint64_t *rows = calloc((uint64_t)capacity + 1, sizeof *rows);
    double *sums = calloc((uint64_t)capacity + 1, sizeof *sums);
    bool changed = false, missing = false;
    int room = r->width - 47 - interval_width(r); /* for source */
    hsc_status status = rows && sums ? hsc_db_read_top(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, accept_line, r,
                                                       capacity, rows, sums, &n, err)
                                     : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status && n && sums[0] > 0) {
        title(r, "Lines");
        amount_heads(r);
        fprintf(r->out, "  %-24s source\n", "where");
    }
    for (uint32_t i = 0; i < n && !status && sums[i] > 0; i++) {
        hsc_db_line l;
        hsc_db_file f;
        char where[600], raw[1200], text[1200] = "";
        size_t size = 0;
        status = hsc_db_get_line(r->db, (uint32_t)rows[i], &l, err);
        if (!status)
            status = hsc_db_get_file(r->db, l.file, &f, err);
        if (status)
            break;
        if (f.has_lines) {
            const char *source = report_source_line(r, l.file, l.line, &size);
            const report_source *file = r->sources ? &r->sources[l.file] : NULL;
            hsc_db_scope of;
            missing = missing || (!(file && file->text) && l.line && l.scope != HSC_NONE && !hsc_db_get_scope(r->db, l.scope, &of, NULL) &&
                                  report_is_own(r, &of));
            changed = changed || (file && file->changed);
            snprintf(raw, sizeof raw, "%.*s", (int)(size < 1000 ? size : 1000), source ? source : "");
            /* code is cut at its end, not in its middle */
            report_fit(raw, 1000, text, sizeof text);
            if (report_columns_of(text) > room) {
                char *p = text;
                for (int c = 0; *p && c < room - 2; c++)
                    for (p++; ((unsigned char)*p & 0xC0) == 0x80; p++)
                        ;
                strcpy(p, "..");
            }
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
        hsc_weighted v = {.sum = sums[i]};
        status = hsc_db_read_excess(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, rows[i], 1, &v.excess, err);
        fprintf(r->out, "%4u", i + 1);
        amount(r, v);
        fprintf(r->out, "  ");
        put(r->out, where, text[0] ? 25 : 0);
        fprintf(r->out, "%s\n", text);
    }
    if (missing)
        fprintf(r->out, "     source not found: HEATSCOPE_SOURCE_PATH=FOLDER:... tells where to look\n");
    if (changed)
        fprintf(r->out, "     some sources are not as they were when compiled\n");
    free(rows);
    free(sums);
    return status;
}

static bool accept_context(void *ctx, uint64_t row) {
    report *r = ctx;
    hsc_db_context c;
    return !hsc_db_get_context(r->db, (uint32_t)row, &c, NULL) && c.kind != HSC_CONTEXT_ROOT && report_wanted(r, c.scope);
}

/* The program as written begins here: C and C++, flang, gfortran. */
static bool is_start(const char *name) {
    return !strcmp(name, "main") || !strcmp(name, "_QQmain") || !strcmp(name, "MAIN__") || !strcmp(name, "main program");
}

static hsc_status contexts(report *r, hsc_err *err) {
    enum { STEPS = 200 };
    uint32_t capacity = r->top ? r->top : r->info.contexts, n = 0;
    uint64_t *rows = calloc((uint64_t)capacity + 1, sizeof *rows);
    double *sums = calloc((uint64_t)capacity + 1, sizeof *sums);
    hsc_status status = rows && sums ? hsc_db_read_top(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD},
                                                       accept_context, r, capacity, rows, sums, &n, err)
                                     : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status && n && sums[0] > 0) {
        title(r, "Call paths, by the time at their end");
        amount_heads(r);
        fprintf(r->out, "  path, with the line of each call before its procedure\n");
    }
    for (uint32_t i = 0; i < n && !status && sums[i] > 0; i++) {
        uint32_t path[STEPS], depth = 0;
        hsc_db_context c;
        status = hsc_db_get_context(r->db, (uint32_t)rows[i], &c, err);
        path[0] = (uint32_t)rows[i];
        for (depth = 1; !status && depth < STEPS && path[depth - 1] != 0; depth++) {
            path[depth] = c.parent;
            status = hsc_db_get_context(r->db, c.parent, &c, err);
        }
        for (uint32_t k = 0; k < depth && !status; k++) { /* what leads to main is the same for all */
            hsc_db_scope s;
            status = hsc_db_get_context(r->db, path[k], &c, err);
            if (!status)
                status = hsc_db_get_scope(r->db, c.scope, &s, err);
            if (!status && c.kind == HSC_CONTEXT_PROCEDURE && is_start(s.name))
                depth = k + 1;
        }
        hsc_weighted v = {.sum = sums[i]};
        if (!status)
            status = hsc_db_read_excess(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD}, rows[i], 1, &v.excess, err);
        fprintf(r->out, "%4u", i + 1);
        amount(r, v);
        fprintf(r->out, "  ");
        const int indent = 22 + interval_width(r);
        int at = indent;
        bool first = true;
        for (uint32_t k = depth; k-- > 0 && !status;) {
            hsc_db_scope s;
            hsc_db_line l;
            char step[400], name[300], call[200] = "";
            status = hsc_db_get_context(r->db, path[k], &c, err);
            if (status || c.kind == HSC_CONTEXT_ROOT)
                continue;
            if (!status)
                status = hsc_db_get_scope(r->db, c.scope, &s, err);
            if (status)
                break;
            if (c.kind == HSC_CONTEXT_LOOP && !s.line_begin)
                snprintf(step, sizeof step, "%.300s", s.name);
            else if (c.kind == HSC_CONTEXT_LOOP)
                snprintf(step, sizeof step, "%s %u", s.name, s.line_begin);
            else {
                if (!first && c.call_line != HSC_NONE && !hsc_db_get_line(r->db, c.call_line, &l, NULL) && l.line)
                    snprintf(call, sizeof call, "%u: ", l.line);
                snprintf(step, sizeof step, "%s%s%s", call, c.kind == HSC_CONTEXT_PARTIAL ? "(start not known)" : report_fit(s.name, r->width - (c.kind == HSC_CONTEXT_INLINED ? 45 : 35), name, sizeof name),
                         c.kind == HSC_CONTEXT_INLINED ? " [inlined]" : "");
            }
            int columns = report_columns_of(step) + (first ? 0 : 3);
            if (!first && at + columns > r->width) {
                fprintf(r->out, "\n%*s", indent, "");
                at = indent;
            }
            at += fprintf(r->out, "%s", first ? "" : " > ") + report_columns_of(step);
            fputs(step, r->out);
            first = false;
        }
        fputc('\n', r->out);
    }
    free(rows);
    free(sums);
    return status;
}

static hsc_status processors(report *r, hsc_err *err) {
    char name[64], text[160];
    hsc_db_stats st;
    if (!r->columns || (r->brief && r->columns == 1))
        return HSC_OK;
    hsc_status status = hsc_db_read_stats(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_INCL, r->axis}, 0, 1, &st, err);
    float *all = calloc((uint64_t)r->columns + 1, sizeof *all), *work = calloc((uint64_t)r->columns + 1, sizeof *work);
    float *excess = calloc((uint64_t)r->columns + 1, sizeof *excess);
    if (!status && (!all || !work || !excess))
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status)
        status = hsc_db_read_block(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_INCL, r->axis}, 0, 1, 0, r->columns, all, err);
    if (!status && r->unit.weights != HSC_NONE)
        status = hsc_db_read_block(r->db, (hsc_db_view){r->unit.weights, HSC_TABLE_SCOPE_INCL, r->axis}, 0, 1, 0, r->columns, excess, err);
    uint32_t computation = HSC_NONE;
    for (uint32_t c = 0; hsc_db_get_category(r->db, c); c++)
        if (!strcmp(hsc_db_get_category(r->db, c), "computation"))
            computation = c;
    bool split = false;
    if (!status && computation != HSC_NONE)
        split = !hsc_db_read_block(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, r->axis}, computation, 1, 0, r->columns, work, NULL);
    double work_sum = 0;
    for (uint32_t c = 0; split && c < r->columns; c++)
        work_sum += work[c];
    split = split && work_sum > 0 && work_sum < 0.999 * r->total;
    if (!status) {
        snprintf(text, sizeof text, "Processors: %u %s", r->columns,
                 r->columns > 1 ? axis_name(r) : r->axis == HSC_AXIS_PROCESS ? "process" : "thread");
        title(r, text);
        double scale = r->unit.scale;
        char low[64], high[64];
        report_processor(r, r->axis, st.min_column, low, sizeof low);
        report_processor(r, r->axis, st.max_column, high, sizeof high);
        if (r->columns > 1)
            fprintf(r->out, "     least %.*f %s on %s, most %.*f on %s;\n     mean %.*f, standard deviation %.*f\n", r->decimals, st.min * scale,
                    r->unit.unit, low, r->decimals, st.max * scale, high, r->decimals, st.mean * scale, r->decimals, st.stddev * scale);
        uint32_t shown = r->columns <= 16 || !r->top ? r->columns : r->top;
        int bar = r->width - 54 > 40 ? 40 : r->width - 54 - interval_width(r);
        amount_heads(r);
        fprintf(r->out, "%s  ", split ? "  comp%" : "");
        put(r->out, r->axis == HSC_AXIS_PROCESS ? "process" : "thread", split ? 16 : 0);
        fprintf(r->out, "%s\n", split ? "# computation . other" : "");
        /* all in order where they are few, else the longest first */
        bool *done = calloc((uint64_t)r->columns + 1, sizeof *done);
        for (uint32_t i = 0; done && i < shown; i++) {
            uint32_t c = i;
            if (shown < r->columns) {
                c = HSC_NONE;
                for (uint32_t k = 0; k < r->columns; k++)
                    if (!done[k] && (c == HSC_NONE || all[k] > all[c]))
                        c = k;
            }
            done[c] = true;
            report_processor(r, r->axis, c, name, sizeof name);
            fprintf(r->out, "%4u", i + 1);
            amount(r, (hsc_weighted){all[c], excess[c] * r->unit.weights_scale});
            if (split)
                fprintf(r->out, "  %5.1f", all[c] > 0 ? 100 * work[c] / all[c] : 0);
            fprintf(r->out, "  ");
            put(r->out, name, 16);
            int marks = st.max > 0 ? (int)lround(bar * all[c] / st.max) : 0, full = split && st.max > 0 ? (int)lround(bar * work[c] / st.max) : marks;
            for (int k = 0; k < marks; k++)
                fputc(k < full ? '#' : '.', r->out);
            fputc('\n', r->out);
        }
        if (shown < r->columns)
            fprintf(r->out, "     %u more\n", r->columns - shown);
        free(done);
    }
    free(all);
    free(work);
    free(excess);
    return status;
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

static hsc_status modules(report *r, hsc_err *err) {
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
    title(r, "Programs and libraries");
    amount_heads(r);
    fprintf(r->out, " %6s  %-18s file\n", "incl%", "known by");
    hsc_weighted rest = {0};
    for (uint32_t i = 0; i < n && !status; i++) {
        hsc_db_module m;
        if (i >= shown || (r->brief && rows[i].own.sum < 0.0005 * r->total)) {
            shown = i < shown ? i : shown;
            rest.sum += rows[i].own.sum;
            rest.excess += rows[i].own.excess;
            continue;
        }
        status = hsc_db_get_module(r->db, rows[i].module, &m, err);
        if (status)
            break;
        fprintf(r->out, "%4u", i + 1);
        amount(r, rows[i].own);
        fprintf(r->out, " %6.1f  %-18s %s\n", percent(r, rows[i].incl), report_known_by(m.knowledge),
                report_fit_path(m.path, r->width - 48 - interval_width(r), name, sizeof name));
        if (m.note[0] && (!r->brief || rows[i].own.sum >= 0.01 * r->total))
            fprintf(r->out, "%28s(%s)\n", "", report_fit_prose(m.note, r->width - 30, name, sizeof name));
    }
    if (shown < n && !status) {
        fprintf(r->out, "    ");
        amount(r, rest);
        fprintf(r->out, "         %u more\n", n - shown);
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

/* Rows of a group begin "[what they add up to] meaning". Brief: names alone, and only rows that are not 0. */
static hsc_status ledger(report *r, hsc_err *err) {
    char name[300];
    hsc_status status = HSC_OK;
    uint32_t group = HSC_NONE;
    ledger_total taken = {0, 0};
    title(r, "Ledger: where all samples went; shares are of what a group is of");
    fprintf(r->out, "      samples  %12s       %%\n", "s");
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
        if (l.group != group && group != HSC_NONE)
            fprintf(r->out, end ? "   of %.*s\n" : "\n", end ? (int)(end - l.meaning - 1) : 0, l.meaning + 1);
        group = l.group;
        if (r->brief && !l.samples && fabs(l.seconds) < 1e-9)
            continue;
        ledger_total of = total_of(r, &l, &taken);
        fprintf(r->out, "%13llu %13.*f  ", (unsigned long long)l.samples, r->decimals, l.seconds);
        if (of.samples > 0 && (l.samples || fabs(l.seconds) < 1e-9))
            fprintf(r->out, "%6.2f  ", 100 * (double)l.samples / of.samples);
        else if (of.seconds > 0)
            fprintf(r->out, "%6.2f  ", 100 * l.seconds / of.seconds);
        else
            fputs("     -  ", r->out);
        int at = 38 + report_columns_of(report_fit_prose(l.name, r->width - 39, name, sizeof name));
        fprintf(r->out, "%s%s", name, meaning[0] && !r->brief ? ":" : "");
        report_text_wrap(r->out, r->width, r->brief ? "" : meaning, 40, at + 1);
    }
    if (!r->info.ledger_rows)
        fprintf(r->out, "     this database has none\n");
    return status;
}

hsc_status report_text(report *r, report_by by, hsc_err *err) {
    static hsc_status (*const tables[])(report *, hsc_err *) = {
        [REPORT_PROCEDURE] = procedures, [REPORT_LOOP] = loops,     [REPORT_LINE] = lines,    [REPORT_CONTEXT] = contexts,
        [REPORT_PROCESSOR] = processors, [REPORT_MODULE] = modules, [REPORT_LEDGER] = ledger,
        [REPORT_MESSAGE] = report_text_messages, [REPORT_WAIT] = report_text_waits, [REPORT_REASON] = report_text_reasons,
        [REPORT_CAUSE] = report_text_causes, [REPORT_DELAYED] = report_text_delayed,
        [REPORT_PROBE] = report_text_probes, [REPORT_BLOCK] = report_text_blocks, [REPORT_PHASE] = report_text_phases,
        [REPORT_COUNTER] = report_text_counters, [REPORT_COST] = report_text_cost, [REPORT_ARRAY] = report_text_arrays, [REPORT_PAIR] = report_text_pairs};
    static const report_by order[] = {REPORT_PROCEDURE, REPORT_LOOP, REPORT_REASON, REPORT_LINE, REPORT_CONTEXT, REPORT_MESSAGE,
                                      REPORT_CAUSE, REPORT_ARRAY, REPORT_WAIT, REPORT_PROCESSOR, REPORT_MODULE, REPORT_LEDGER};
    hsc_status status = HSC_OK;
    double begin_s, end_s;
    bool whole = !hsc_db_get_interval(r->db, &begin_s, &end_s);
    report_text_head(r);
    if (r->total <= 0 && !whole) {
        fprintf(r->out, "\nNo samples in the interval: nothing used the processor then.\n");
        return HSC_OK;
    }
    if (r->total <= 0) {
        fprintf(r->out, "\nNo samples: the run was too short, or nothing of it used the processor.\n");
        return r->info.ledger_rows ? ledger(r, err) : HSC_OK;
    }
    if (by != REPORT_ALL)
        return tables[by](r, err);
    const struct {
        report_by by;
        hsc_db_told what;
    } told[] = {{REPORT_PROBE, HSC_TOLD_PROBES}, {REPORT_PHASE, HSC_TOLD_PHASES}, {REPORT_COUNTER, HSC_TOLD_COUNTERS}};
    r->brief = true;
    fputc('\n', r->out);
    status = report_text_findings(r, err);
    for (size_t i = 0; i < sizeof order / sizeof *order && !status; i++)
        if ((order[i] != REPORT_MESSAGE || (r->info.messages && whole)) && (order[i] != REPORT_WAIT || (r->info.waits && whole)) &&
            (order[i] != REPORT_CAUSE || (r->info.delays && whole)) &&
            (order[i] != REPORT_ARRAY || (r->info.mpi_sites && r->info.messages && whole)) && (order[i] != REPORT_LEDGER || whole))
            status = tables[order[i]](r, err);
    for (size_t i = 0; i < sizeof told / sizeof *told && !status && whole; i++)
        if (hsc_db_count_told(r->db, told[i].what))
            status = tables[told[i].by](r, err);
    if (status)
        return status;
    fprintf(r->out, "\nIntervals (95 %%): each sample counts as an independent draw, with its weight. +-\n"
                    "after %%: how far the share's (Wilson's) goes at most. A ~ after m/m (max/mean):\n"
                    "chance alone explains the spread. Near-equal rows may change places from run\n"
                    "to run.\n");
    return HSC_OK;
}
