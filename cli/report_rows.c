/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report's tables as CSV (RFC 4180) and JSON (RFC 8259): one row a scope, exact numbers, units in the names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "report_measures.h"
#include "report_reasons.h"
#include "report_text.h"
#include "table.h"

typedef struct sink { /* one row at a time; the first row's names are the header */
    report *r;
    hsc_table t;
    char unit[32]; /* of the metric, for names */
} sink;

static void put_text(sink *s, const char *name, const char *text) { hsc_table_text(&s->t, name, text); }
static void put_number(sink *s, const char *name, double v) { hsc_table_number(&s->t, name, v); }
static void put_count(sink *s, const char *name, double v) { hsc_table_count(&s->t, name, v); }
static void put_amount(sink *s, const char *name, double samples) { hsc_table_amount(&s->t, name, samples); }

static void put_percent(sink *s, const char *name, double samples) {
    put_number(s, name, s->r->total > 0 ? 100 * samples / s->r->total : 0);
}

static void begin_row(sink *s) { hsc_table_begin_row(&s->t); }
static void end_row(sink *s) { hsc_table_end_row(&s->t); }

/* ---- rows ---- */

static void put_place(sink *s, uint32_t file, uint32_t begin, uint32_t end, bool range) {
    hsc_db_file f = {.path = ""};
    if (file != HSC_NONE)
        (void)hsc_db_get_file(s->r->db, file, &f, NULL);
    put_text(s, "file", f.path);
    put_count(s, range ? "line_begin" : "line", begin);
    if (range)
        put_count(s, "line_end", end);
}

/* NAME_s, NAME_low_s, NAME_high_s; and of all: NAME_pct, NAME_pct_low, NAME_pct_high */
static void put_sampled(sink *s, const char *name, hsc_weighted v, bool share) {
    static const char *const tails[] = {"_low", "_high", "_pct", "_pct_low", "_pct_high"};
    char names[5][64];
    double low, high;
    for (int i = 0; i < 5; i++)
        snprintf(names[i], sizeof names[i], "%s%s", name, tails[i]);
    report_interval(s->r, v, &low, &high);
    put_amount(s, name, v.sum);
    put_amount(s, names[0], low);
    put_amount(s, names[1], high);
    if (!share)
        return;
    report_share_interval(s->r, v, &low, &high);
    put_percent(s, names[2], v.sum);
    put_number(s, names[3], 100 * low);
    put_number(s, names[4], 100 * high);
}

static void put_exclusive(sink *s, hsc_weighted v) {
    put_count(s, "exclusive_samples", v.sum);
    put_sampled(s, "exclusive", v, true);
}

static void put_inclusive(sink *s, hsc_weighted v) {
    put_count(s, "inclusive_samples", v.sum);
    put_sampled(s, "inclusive", v, true);
}

static void put_extreme(sink *s, const char *name, hsc_weighted v, uint32_t column) {
    char processor[96] = "", column_name[64];
    put_sampled(s, name, v, false);
    if (column != HSC_NONE)
        report_processor(s->r, s->r->axis, column, processor, sizeof processor);
    snprintf(column_name, sizeof column_name, "%s_processor", name);
    put_text(s, column_name, processor);
}

static void put_spread_of(sink *s, const report_spread *p) {
    double n = p->columns ? p->columns : 1, low, high;
    report_interval(s->r, (hsc_weighted){p->mean * n, p->excess}, &low, &high);
    put_amount(s, "mean", p->mean);
    put_amount(s, "mean_low", low / n);
    put_amount(s, "mean_high", high / n);
    put_extreme(s, "min", (hsc_weighted){p->columns ? p->min : 0, p->min_excess}, p->min_at);
    put_extreme(s, "max", (hsc_weighted){p->columns ? p->max : 0, p->max_excess}, p->max_at);
    report_ratio_interval(s->r, p, &low, &high);
    bool any = p->mean > 0;
    put_number(s, "max_over_mean", any ? p->max / p->mean : NAN);
    put_number(s, "max_over_mean_low", any ? low : NAN);
    put_number(s, "max_over_mean_high", any ? high : NAN);
}

static hsc_status put_spread(sink *s, uint32_t scope, hsc_err *err) {
    report_spread p;
    hsc_status status = report_spread_of(s->r, scope, &p, err);
    if (!status)
        put_spread_of(s, &p);
    return status;
}

/* Variable and number of iterations as far as the compiler knows them, and the OpenMP directive. */
static hsc_status put_control(sink *s, uint32_t scope, hsc_err *err) {
    uint32_t first = 0, n = 0, directive = 0, directives = 0;
    hsc_db_loop loop = {.variable = "", .bound = ""};
    hsc_db_directive d = {.text = ""};
    hsc_status status = hsc_db_find(s->r->db, HSC_LIST_LOOPS, scope, &first, &n, err);
    if (!status && n)
        status = hsc_db_get_loop(s->r->db, first, &loop, err);
    if (!status)
        status = hsc_db_find(s->r->db, HSC_LIST_DIRECTIVES, scope, &directive, &directives, err);
    if (!status && directives)
        status = hsc_db_get_directive(s->r->db, directive, &d, err);
    if (status)
        return status;
    put_text(s, "variable", loop.variable);
    put_text(s, "bound", loop.bound);
    put_number(s, "iterations", loop.trips ? (double)loop.trips : NAN);
    put_number(s, "iterations_max", loop.trips_max ? (double)loop.trips_max : NAN);
    put_text(s, "directive", d.text);
    return HSC_OK;
}

static hsc_status scope_row(sink *s, uint32_t rank, uint32_t row, bool loop, hsc_err *err) {
    report *r = s->r;
    hsc_db_scope scope, p = {.name = ""};
    hsc_db_module m = {.path = ""};
    hsc_status status = hsc_db_get_scope(r->db, row, &scope, err);
    if (!status && scope.procedure != HSC_NONE)
        status = hsc_db_get_scope(r->db, scope.procedure, &p, err);
    if (!status && scope.module != HSC_NONE)
        status = hsc_db_get_module(r->db, scope.module, &m, err);
    if (status)
        return status;
    put_count(s, "rank", rank);
    put_text(s, "procedure", p.name);
    if (loop) {
        char nest[256] = "";
        hsc_db_scope up = scope;
        for (uint32_t k = row; up.kind == HSC_SCOPE_LOOP; k = up.parent) {
            size_t at = strlen(nest);
            if (hsc_db_get_scope(r->db, k, &up, NULL) || up.kind != HSC_SCOPE_LOOP || at + 32 > sizeof nest)
                break;
            const char *address = strrchr(up.name, ' '); /* "loop at 0x4a10" */
            if (!up.line_begin && address)
                snprintf(nest + at, sizeof nest - at, "%s%s", at ? "<" : "", address + 1);
            else
                snprintf(nest + at, sizeof nest - at, "%s%u", at ? "<" : "", up.line_begin);
        }
        put_text(s, "loop", scope.name);
        put_count(s, "depth", scope.depth);
        put_text(s, "nest", nest);
    }
    put_place(s, scope.file, scope.line_begin, scope.line_end, true);
    put_text(s, "module", m.path);
    put_text(s, "known_by", report_known_by(scope.knowledge));
    /* procedures with their loops; loops without their inner loops, and with them */
    put_exclusive(s, loop ? report_excl(r, row) : report_own(r, row));
    if (loop)
        put_sampled(s, "with_inner", report_own(r, row), true);
    put_inclusive(s, report_incl(r, row));
    status = put_spread(s, row, err);
    if (!status && loop) {
        report_versions v;
        hsc_db_remark remark = {.message = ""};
        bool found;
        char how[400];
        status = report_versions_of(r, row, &v, how, sizeof how, err);
        if (!status)
            status = report_remark_of(r, row, &found, &remark, err);
        if (status)
            return status;
        put_count(s, "vector_lanes", v.width);
        put_sampled(s, "vector", v.vector, false);
        put_sampled(s, "scalar_remainder", v.scalar, false);
        put_text(s, "versions", how);
        put_text(s, "remark", found ? remark.message : "");
        status = put_control(s, row, err);
    }
    return status;
}

static hsc_status line_row(sink *s, uint32_t rank, uint32_t row, hsc_weighted samples, hsc_err *err) {
    report *r = s->r;
    hsc_db_line l;
    hsc_db_scope scope, p = {.name = ""};
    hsc_weighted incl = {0};
    char text[1000] = "";
    size_t n = 0;
    hsc_status status = hsc_db_get_line(r->db, row, &l, err);
    if (!status && l.scope != HSC_NONE) {
        status = hsc_db_get_scope(r->db, l.scope, &scope, err);
        if (!status && scope.procedure != HSC_NONE)
            status = hsc_db_get_scope(r->db, scope.procedure, &p, err);
    }
    if (status)
        return status;
    const char *source = report_source_line(r, l.file, l.line, &n);
    if (source)
        snprintf(text, sizeof text, "%.*s", (int)(n < 900 ? n : 900), source);
    put_count(s, "rank", rank);
    put_place(s, l.file, l.line, l.line, false);
    put_text(s, "procedure", p.name);
    put_exclusive(s, samples);
    if (hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE_INCL, HSC_AXIS_THREAD}, row, 1, &incl, NULL))
        incl = (hsc_weighted){NAN, 0};
    put_inclusive(s, incl);
    put_text(s, "source", text);
    return HSC_OK;
}

static hsc_status context_row(sink *s, uint32_t rank, uint32_t row, hsc_weighted samples, hsc_err *err) {
    report *r = s->r;
    enum { STEPS = 512 };
    static const char *const kinds[] = {"root", "procedure", "inlined", "loop", "partial"};
    uint32_t path[STEPS], n = 0;
    hsc_db_context c;
    hsc_db_scope scope;
    hsc_weighted incl = {0};
    char *text = malloc(65536);
    size_t at = 0;
    if (!text)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    hsc_status status = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, row, 1, &incl, err);
    for (uint32_t k = row; !status && n < STEPS; k = c.parent) {
        status = hsc_db_get_context(r->db, k, &c, err);
        path[n++] = k;
        if (!k)
            break;
    }
    text[0] = 0;
    for (uint32_t k = n; k-- > 0 && !status && at + 600 < 65536;) {
        status = hsc_db_get_context(r->db, path[k], &c, err);
        if (!status)
            status = hsc_db_get_scope(r->db, c.scope, &scope, err);
        if (status || c.kind == HSC_CONTEXT_ROOT)
            continue;
        bool line = c.kind == HSC_CONTEXT_LOOP && scope.line_begin;
        int m = snprintf(text + at, 600, line ? "%s%s:%u" : "%s%s", at ? ";" : "", scope.name, scope.line_begin);
        at += m < 600 ? (size_t)m : 599;
    }
    if (!status)
        status = hsc_db_get_context(r->db, row, &c, err);
    if (!status)
        status = hsc_db_get_scope(r->db, c.scope, &scope, err);
    if (!status) {
        hsc_db_line call = {.line = 0};
        if (c.call_line != HSC_NONE)
            (void)hsc_db_get_line(r->db, c.call_line, &call, NULL);
        put_count(s, "rank", rank);
        put_text(s, "kind", (unsigned)c.kind < 5 ? kinds[c.kind] : "unknown");
        put_text(s, "name", scope.name);
        put_place(s, scope.file, scope.line_begin, scope.line_end, true);
        put_count(s, "call_line", call.line);
        put_count(s, "depth", c.depth);
        put_exclusive(s, samples);
        put_inclusive(s, incl);
        put_text(s, "path", text);
    }
    free(text);
    return status;
}

static hsc_status processor_row(sink *s, uint32_t column, const float *all, const float *excess, hsc_err *err) {
    report *r = s->r;
    hsc_db_process p;
    hsc_db_thread t = {0};
    uint32_t process = column;
    double samples = 0, lost = 0, truncated = 0, cpu_s = 0, own_s = 0;
    hsc_status status = HSC_OK;
    if (r->axis == HSC_AXIS_THREAD) {
        status = hsc_db_get_thread(r->db, column, &t, err);
        process = t.process;
    }
    if (!status)
        status = hsc_db_get_process(r->db, process, &p, err);
    uint32_t first = r->axis == HSC_AXIS_THREAD ? column : p.first_thread, n = r->axis == HSC_AXIS_THREAD ? 1 : p.threads;
    for (uint32_t i = 0; i < n && !status; i++) {
        status = hsc_db_get_thread(r->db, first + i, &t, err);
        samples += (double)t.samples;
        lost += (double)t.lost;
        truncated += (double)t.truncated;
        cpu_s += t.cpu_s;
        own_s += t.own_s;
    }
    if (status)
        return status;
    put_count(s, "row", column);
    put_number(s, "rank", p.rank);
    put_text(s, "host", p.host);
    put_count(s, "pid", p.pid);
    if (r->axis == HSC_AXIS_THREAD) {
        put_count(s, "thread", t.index);
        put_count(s, "tid", t.tid);
        put_text(s, "name", t.name);
    } else
        put_count(s, "threads", p.threads);
    put_number(s, "begin_s", r->axis == HSC_AXIS_THREAD ? t.begin_s : p.begin_s);
    put_number(s, "end_s", r->axis == HSC_AXIS_THREAD ? t.end_s : p.end_s);
    put_number(s, "cpu_s", cpu_s);
    put_number(s, "profiler_s", own_s);
    put_count(s, "samples", all[column]);
    put_sampled(s, "inclusive", (hsc_weighted){all[column], excess[column] * r->unit.weights_scale}, true);
    put_count(s, "recorded_samples", samples);
    put_count(s, "lost_samples", lost);
    put_count(s, "truncated_samples", truncated);
    put_text(s, "end", p.end);
    put_text(s, "mechanism", p.mechanism);
    return HSC_OK;
}

/* ---- tables ---- */

static hsc_status scopes(sink *s, bool loop, hsc_err *err) {
    uint32_t *rows, n;
    hsc_status status = report_rank(s->r, loop ? HSC_SCOPE_LOOP : HSC_SCOPE_PROCEDURE, &rows, &n, err);
    if (status)
        return status;
    if (s->t.naming) { /* names come from a row; with none the program's own row serves */
        status = scope_row(s, 0, n ? rows[0] : 0, loop, err);
        end_row(s);
    }
    s->t.naming = false;
    for (uint32_t i = 0; i < n && !status && (!s->r->top || i < s->r->top); i++) {
        begin_row(s);
        status = scope_row(s, i + 1, rows[i], loop, err);
        end_row(s);
    }
    free(rows);
    return status;
}

static bool accept_line(void *ctx, uint64_t row) { return report_wanted_line(ctx, (uint32_t)row); }

static bool accept_context(void *ctx, uint64_t row) {
    report *r = ctx;
    hsc_db_context c;
    return !r->where || (!hsc_db_get_context(r->db, (uint32_t)row, &c, NULL) && report_wanted(r, c.scope));
}

static hsc_status top_rows(sink *s, bool contexts, hsc_err *err) {
    report *r = s->r;
    uint32_t all = contexts ? r->info.contexts : r->info.lines, capacity = r->top && r->top < all ? r->top : all, n = 0;
    uint64_t *rows = calloc((uint64_t)capacity + 1, sizeof *rows);
    double *sums = calloc((uint64_t)capacity + 1, sizeof *sums);
    hsc_db_view view = {r->metric, contexts ? HSC_TABLE_CONTEXT_EXCL : HSC_TABLE_LINE, HSC_AXIS_THREAD};
    hsc_status (*row)(sink *, uint32_t, uint32_t, hsc_weighted, hsc_err *) = contexts ? context_row : line_row;
    hsc_status status = rows && sums ? hsc_db_read_top(r->db, view, contexts ? accept_context : accept_line, r, capacity, rows, sums, &n, err)
                                     : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status && s->t.naming && all) {
        status = row(s, 0, n ? (uint32_t)rows[0] : 0, (hsc_weighted){0}, err);
        end_row(s);
    }
    s->t.naming = false;
    for (uint32_t i = 0; i < n && !status && (sums[i] > 0 || contexts); i++) {
        hsc_weighted v = {.sum = sums[i]};
        status = hsc_db_read_excess(r->db, view, rows[i], 1, &v.excess, err);
        if (status)
            break;
        begin_row(s);
        status = row(s, i + 1, (uint32_t)rows[i], v, err);
        end_row(s);
    }
    free(rows);
    free(sums);
    return status;
}

static hsc_status processors(sink *s, hsc_err *err) {
    report *r = s->r;
    hsc_status status = HSC_OK;
    float *all = calloc(2 * ((uint64_t)r->columns + 1), sizeof *all), *excess = all ? all + r->columns + 1 : NULL;
    if (!all)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (r->columns)
        status = hsc_db_read_block(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_INCL, r->axis}, 0, 1, 0, r->columns, all, err);
    if (!status && r->columns && r->unit.weights != HSC_NONE)
        status = hsc_db_read_block(r->db, (hsc_db_view){r->unit.weights, HSC_TABLE_SCOPE_INCL, r->axis}, 0, 1, 0, r->columns, excess, err);
    if (!status && s->t.naming && r->columns) {
        status = processor_row(s, 0, all, excess, err);
        end_row(s);
    }
    s->t.naming = false;
    for (uint32_t c = 0; c < r->columns && !status && (!r->top || c < r->top); c++) {
        begin_row(s);
        status = processor_row(s, c, all, excess, err);
        end_row(s);
    }
    free(all);
    return status;
}

static hsc_status modules(sink *s, hsc_err *err) {
    report *r = s->r;
    hsc_status status = HSC_OK;
    hsc_weighted *own = calloc(2 * ((uint64_t)r->info.modules + 1), sizeof *own), *incl = own ? own + r->info.modules + 1 : NULL;
    if (!own)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t k = 0; k < r->info.scopes && !status; k++) {
        hsc_db_scope scope;
        status = hsc_db_get_scope(r->db, k, &scope, err);
        if (status || scope.module == HSC_NONE)
            continue;
        own[scope.module].sum += r->excl[k];
        own[scope.module].excess += r->excl_excess[k];
        if (scope.kind == HSC_SCOPE_MODULE)
            incl[scope.module] = report_incl(r, k);
    }
    for (uint32_t i = s->t.naming ? HSC_NONE : 0; !status && (i == HSC_NONE || i < r->info.modules); i++) {
        uint32_t m = i == HSC_NONE ? 0 : i;
        hsc_db_module module = {.path = "", .build_id = "", .note = ""};
        if (r->info.modules)
            status = hsc_db_get_module(r->db, m, &module, err);
        if (status)
            break;
        begin_row(s);
        put_text(s, "module", module.path);
        put_text(s, "build_id", module.build_id);
        put_text(s, "known_by", report_known_by(module.knowledge));
        put_text(s, "note", module.note);
        put_exclusive(s, own[m]);
        put_inclusive(s, incl[m]);
        end_row(s);
        s->t.naming = false;
    }
    free(own);
    return status;
}

static hsc_status ledger(sink *s, hsc_err *err) {
    report *r = s->r;
    hsc_status status = HSC_OK;
    for (uint32_t i = s->t.naming ? HSC_NONE : 0; !status && (i == HSC_NONE || i < r->info.ledger_rows); i++) {
        hsc_db_ledger l = {.name = "", .meaning = ""};
        if (i != HSC_NONE)
            status = hsc_db_get_ledger(r->db, i, &l, err);
        if (status)
            break;
        begin_row(s);
        put_text(s, "name", l.name);
        put_count(s, "samples", (double)l.samples);
        put_number(s, "time_s", l.seconds);
        put_count(s, "group", l.group);
        put_text(s, "meaning", l.meaning);
        end_row(s);
        s->t.naming = false;
    }
    return status;
}

static void put_call(sink *s, uint32_t line, uint32_t context) {
    hsc_db_line l = {.file = HSC_NONE};
    hsc_db_context c;
    hsc_db_scope scope = {.procedure = HSC_NONE}, p = {.name = ""};
    if (line != HSC_NONE)
        (void)hsc_db_get_line(s->r->db, line, &l, NULL);
    if (context != HSC_NONE && !hsc_db_get_context(s->r->db, context, &c, NULL) && !hsc_db_get_scope(s->r->db, c.scope, &scope, NULL) &&
        scope.procedure != HSC_NONE)
        (void)hsc_db_get_scope(s->r->db, scope.procedure, &p, NULL);
    put_text(s, "procedure", p.name);
    put_place(s, l.file, l.line, l.line, false);
    bool loop = scope.kind == HSC_SCOPE_LOOP && context != HSC_NONE;
    put_count(s, "loop_line", loop ? scope.line_begin : 0);
}

static void message_row(sink *s, uint32_t rank, const report_message *m) {
    double calls = (double)m->calls, mean = calls > 0 ? m->duration_s / calls : NAN;
    char thread[128] = "";
    begin_row(s);
    put_count(s, "rank", rank);
    put_text(s, "operation", m->operation);
    put_call(s, m->line, m->context);
    put_text(s, "peer", m->peer);
    put_count(s, "size_class", m->size_class);
    put_count(s, "threads", m->processors);
    put_count(s, "calls", calls);
    put_count(s, "sent_messages", (double)m->sent);
    put_count(s, "sent_bytes", (double)m->sent_bytes);
    put_count(s, "received_messages", (double)m->received);
    put_count(s, "received_bytes", (double)m->received_bytes);
    put_count(s, "size_min_bytes", (double)m->size_min);
    put_number(s, "size_mean_bytes", report_message_size(m));
    put_count(s, "size_max_bytes", (double)m->size_max);
    put_number(s, "size_stddev_bytes", report_message_size_stddev(m));
    put_number(s, "duration_s", m->duration_s);
    put_number(s, "duration_min_s", m->duration_min_s);
    put_number(s, "duration_mean_s", mean);
    put_number(s, "duration_max_s", m->duration_max_s);
    put_number(s, "duration_stddev_s", calls > 0 ? sqrt(fmax(0, m->duration_squares / calls - mean * mean)) : NAN);
    put_number(s, "longest_s", m->longest_s);
    if (m->longest_thread != HSC_NONE)
        report_processor(s->r, HSC_AXIS_THREAD, m->longest_thread, thread, sizeof thread);
    put_text(s, "longest_thread", thread);
    put_count(s, "completions", (double)m->completions);
    put_number(s, "in_flight_s", m->in_flight_s);
    put_number(s, "completion_s", m->completion_s);
    end_row(s);
    s->t.naming = false;
}

static hsc_status messages(sink *s, hsc_err *err) {
    report_message *rows, none = {.line = HSC_NONE, .context = HSC_NONE, .operation = "", .peer = "", .longest_thread = HSC_NONE};
    uint32_t n;
    hsc_status status = report_messages(s->r, true, &rows, &n, err);
    if (status)
        return status;
    if (s->t.naming)
        message_row(s, 0, &none);
    for (uint32_t i = 0; i < n && (!s->r->top || i < s->r->top); i++)
        message_row(s, i + 1, &rows[i]);
    free(rows);
    return HSC_OK;
}

static void wait_row(sink *s, uint32_t rank, const report_wait *w) {
    hsc_db_context c;
    hsc_db_scope scope, p = {.name = ""};
    char thread[128] = "";
    begin_row(s);
    put_count(s, "rank", rank);
    put_text(s, "kind", w->kind_text);
    put_call(s, w->line, w->context);
    put_count(s, "threads", w->processors);
    put_count(s, "waits", (double)w->waits);
    put_number(s, "total_s", w->total_s);
    put_number(s, "mean_s", w->waits ? w->total_s / (double)w->waits : NAN);
    put_number(s, "max_s", w->max_s);
    put_count(s, "bytes", (double)w->bytes);
    if (w->holder_context != HSC_NONE && !hsc_db_get_context(s->r->db, w->holder_context, &c, NULL) &&
        !hsc_db_get_scope(s->r->db, c.scope, &scope, NULL) && scope.procedure != HSC_NONE)
        (void)hsc_db_get_scope(s->r->db, scope.procedure, &p, NULL);
    put_text(s, "own_code", w->own ? "yes" : "no");
    put_text(s, "held_in", p.name);
    if (w->holder_thread != HSC_NONE)
        report_processor(s->r, HSC_AXIS_THREAD, w->holder_thread, thread, sizeof thread);
    put_text(s, "held_by", thread);
    end_row(s);
    s->t.naming = false;
}

static hsc_status waits(sink *s, hsc_err *err) {
    report_wait *rows, none = {.line = HSC_NONE, .context = HSC_NONE, .kind_text = "", .holder_thread = HSC_NONE, .holder_context = HSC_NONE};
    uint32_t n;
    hsc_status status = report_waits(s->r, &rows, &n, err);
    if (status)
        return status;
    if (s->t.naming)
        wait_row(s, 0, &none);
    for (uint32_t i = 0; i < n && (!s->r->top || i < s->r->top); i++)
        wait_row(s, i + 1, &rows[i]);
    free(rows);
    return HSC_OK;
}

static hsc_status refusal_row(sink *s, uint32_t rank, const report_refusal *x, hsc_err *err) {
    hsc_db_scope scope = {.file = HSC_NONE, .procedure = HSC_NONE}, p = {.name = ""};
    char dependence[600] = "";
    hsc_status status = x->scope != HSC_NONE ? hsc_db_get_scope(s->r->db, x->scope, &scope, err) : HSC_OK;
    if (!status && scope.procedure != HSC_NONE)
        status = hsc_db_get_scope(s->r->db, scope.procedure, &p, err);
    if (status)
        return status;
    const char *reason = hsc_enum_text("reason", x->reason);
    begin_row(s);
    put_count(s, "rank", rank);
    put_text(s, "reason", reason ? reason : "unknown reason");
    put_text(s, "procedure", p.name);
    put_place(s, scope.file, scope.line_begin, scope.line_end, true);
    put_exclusive(s, x->scalar);
    put_text(s, "remark", x->remark.message);
    if (x->has_dependence)
        report_dependence(s->r, &x->dependence, dependence, sizeof dependence);
    put_text(s, "dependence", dependence);
    put_number(s, "distance", x->has_dependence && x->dependence.has_distance ? (double)x->dependence.distance : NAN);
    end_row(s);
    s->t.naming = false;
    return HSC_OK;
}

static hsc_status refusals(sink *s, hsc_err *err) {
    report_refusal *rows, none = {.scope = HSC_NONE, .remark.message = ""};
    uint32_t n;
    hsc_status status = report_refusals(s->r, &rows, &n, err);
    if (status)
        return status;
    if (s->t.naming)
        status = refusal_row(s, 0, &none, err);
    for (uint32_t i = 0; !status && i < n && (!s->r->top || i < s->r->top); i++)
        status = refusal_row(s, i + 1, &rows[i], err);
    free(rows);
    return status;
}

hsc_status report_rows(report *r, report_by by, report_format format, hsc_err *err) {
    static const char *const names[] = {"all", "procedure", "loop", "line", "context", "processor", "module", "ledger", "message", "wait", "reason", "cause", "delayed", "probe", "block", "phase", "counter", "cost", "array", "pair"};
    sink s = {.r = r, .t = {.out = r->out, .json = format == REPORT_JSON, .naming = format == REPORT_CSV, .scale = r->unit.scale}};
    hsc_status status = HSC_OK;
    /* "s" stays "s"; other units become part of a name */
    snprintf(s.unit, sizeof s.unit, "%s", r->unit.unit[0] ? r->unit.unit : "count");
    for (char *p = s.unit; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
            *p = '_';
    s.t.unit = s.unit;
    if (format == REPORT_JSON) {
        fputs("{\n  \"database\": ", r->out);
        hsc_table_quoted(&s.t, r->info.path);
        fputs(",\n  \"title\": ", r->out);
        hsc_table_quoted(&s.t, r->info.title);
        fputs(",\n  \"metric\": ", r->out);
        hsc_table_quoted(&s.t, r->unit.name);
        fputs(",\n  \"unit\": ", r->out);
        hsc_table_quoted(&s.t, r->unit.unit);
        fprintf(r->out, ",\n  \"unit_per_sample\": %.10g,\n  \"samples\": %.0f,\n  \"simulated\": %s,\n  \"by\": \"%s\",\n  \"rows\": [\n",
                r->unit.scale, r->total, r->info.simulated ? "true" : "false", names[by]);
    }
    switch (by) {
    case REPORT_LOOP:
        status = scopes(&s, true, err);
        break;
    case REPORT_LINE:
        status = top_rows(&s, false, err);
        break;
    case REPORT_CONTEXT:
        status = top_rows(&s, true, err);
        break;
    case REPORT_PROCESSOR:
        status = processors(&s, err);
        break;
    case REPORT_MODULE:
        status = modules(&s, err);
        break;
    case REPORT_LEDGER:
        status = ledger(&s, err);
        break;
    case REPORT_MESSAGE:
        status = messages(&s, err);
        break;
    case REPORT_WAIT:
        status = waits(&s, err);
        break;
    case REPORT_REASON:
        status = refusals(&s, err);
        break;
    case REPORT_CAUSE:
        status = report_cause_rows(r, &s.t, err);
        break;
    case REPORT_DELAYED:
        status = report_delayed_rows(r, &s.t, err);
        break;
    case REPORT_PROBE:
    case REPORT_BLOCK:
    case REPORT_PHASE:
    case REPORT_COUNTER:
    case REPORT_COST:
        status = report_told_rows(r, by, &s.t, err);
        break;
    case REPORT_ARRAY:
        status = report_array_rows(r, &s.t, err);
        break;
    case REPORT_PAIR:
        status = report_pair_rows(r, &s.t, err);
        break;
    default:
        status = scopes(&s, false, err);
    }
    if (format == REPORT_JSON)
        fputs("\n  ]\n}\n", r->out);
    return status;
}
