/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of procedures, loops, lines, contexts, processors and the ledger, and where all tables' rows begin. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/quote.h>

#include "report_paid.h"
#include "report_rows.h"

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

/* Of a procedure with its loops, of a loop without its inner loops. */
static hsc_status put_own_categories(sink *s, uint32_t row, bool loop, hsc_err *err) {
    hsc_db_scope scope, inner;
    uint32_t n = 0;
    hsc_status status = hsc_db_get_scope(s->r->db, row, &scope, err);
    uint32_t end = status || loop ? row + 1 : scope.subtree_end;
    report_range *ranges = status ? NULL : malloc(((size_t)end - row) * sizeof *ranges);
    if (!status && !ranges)
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = row; i < end && !status; i++)
        if (!(status = hsc_db_get_scope(s->r->db, i, &inner, err)) && (loop || inner.procedure == row))
            ranges[n++] = (report_range){i, 1};
    if (!status)
        status = report_put_categories_of(s, "exclusive", HSC_TABLE_SCOPE_EXCL, ranges, n, err);
    free(ranges);
    return status;
}

/* What the row pays for: loops with what they call, procedures with the libraries that they call. */
static hsc_status put_paid(sink *s, uint32_t row, bool loop, hsc_err *err) {
    report_spread p;
    char most[128] = "";
    hsc_status status = report_paid_spread(s->r, loop ? REPORT_PAID_LOOP : REPORT_PAID_PROCEDURE, row, &p, err);
    if (status)
        return status;
    bool any = p.columns && p.mean > 0;
    if (any)
        report_processor(s->r, s->r->axis, p.max_at, most, sizeof most);
    report_put_sampled(s, "with_calls", loop ? s->r->paid->loop[row] : s->r->paid->procedure[row], true);
    put_amount(s, "with_calls_mean", p.columns ? p.mean : 0);
    put_amount(s, "with_calls_max", any ? p.max : 0);
    put_text(s, "with_calls_max_processor", most);
    put_number(s, "with_calls_max_over_mean", any && p.programs < 2 ? p.max / p.mean : NAN);
    if (loop) { /* unrolled fully: which loop has its time */
        report_counted x;
        hsc_db_scope at;
        char place[400] = "";
        if ((status = report_counted_of(s->r, row, &x, err)))
            return status;
        if (x.at != HSC_NONE && !hsc_db_get_scope(s->r->db, x.at, &at, NULL))
            report_scope_at(s->r, &at, place, sizeof place);
        put_text(s, "counted_at", place);
        put_amount(s, "counted_there", x.at != HSC_NONE ? x.samples_at : 0);
    }
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
    put_count(s, "position", rank);
    put_text(s, "procedure", p.name);
    if (loop) {
        char *nest = NULL;
        size_t size;
        FILE *out = open_memstream(&nest, &size);
        hsc_db_scope up = scope;
        for (uint32_t k = row; out && !hsc_db_get_scope(r->db, k, &up, NULL) && up.kind == HSC_SCOPE_LOOP; k = up.parent) {
            const char *address = strrchr(up.name, ' '); /* "loop at 0x4a10" */
            fputs(k == row ? "" : "<", out);
            if (!up.line_begin && address)
                fputs(address + 1, out);
            else
                fprintf(out, "%u", up.line_begin);
        }
        if (!out || fclose(out)) {
            free(nest);
            return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
        }
        put_text(s, "loop", scope.name);
        put_count(s, "depth", scope.depth);
        put_text(s, "nest", nest);
        free(nest);
    }
    report_put_place(s, scope.file, scope.line_begin, scope.line_end, true);
    put_text(s, "module", m.path);
    put_text(s, "known_by", report_known_by(scope.knowledge));
    /* procedures with their loops; loops without their inner loops, and with them */
    report_put_exclusive(s, loop ? report_excl(r, row) : report_own(r, row));
    if (loop)
        report_put_sampled(s, "with_inner", report_own(r, row), true);
    report_put_inclusive(s, report_incl(r, row));
    report_spread spread;
    status = report_spread_of(r, row, &spread, err); /* of a procedure with its loops, of a loop without inner loops */
    if (!status)
        report_put_spread(s, row, &spread);
    if (!status)
        status = put_paid(s, row, loop, err);
    if (!status)
        status = report_put_categories(s, row, err);
    if (!status)
        status = put_own_categories(s, row, loop, err);
    if (!status && loop) {
        report_versions v;
        hsc_db_remark remark = {.message = ""};
        bool found;
        char how[400], said[2000];
        status = report_versions_of(r, row, &v, how, sizeof how, err);
        if (!status)
            status = report_remark_of(r, row, &found, &remark, err);
        if (status)
            return status;
        put_count(s, "vector_lanes", v.width);
        report_put_sampled(s, "vector", v.vector, false);
        report_put_sampled(s, "scalar_remainder", v.scalar, false);
        put_text(s, "versions", how);
        const char *copy = found ? report_remark_of_copy(&remark, &v) : NULL;
        snprintf(said, sizeof said, "%s%s", copy ? copy : "", copy ? remark.message : "");
        put_text(s, "remark", said);
        status = put_control(s, row, err);
    }
    return status;
}

static hsc_status line_row(sink *s, uint32_t rank, uint32_t row, hsc_weighted samples, hsc_err *err) {
    report *r = s->r;
    hsc_db_line l;
    hsc_db_scope scope, p = {.name = ""};
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
    char *text = strndup(source ? source : "", n);
    if (!text)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    put_count(s, "position", rank);
    report_put_place(s, l.file, l.line, l.line, false);
    put_text(s, "procedure", p.name);
    report_put_exclusive(s, samples);
    report_put_inclusive(s, report_line_inclusive(r, row));
    put_text(s, "source", text);
    free(text);
    status = report_put_spread_of(s, l.scope, HSC_TABLE_LINE, &(report_range){row, 1}, 1, err);
    return status ? status : report_put_categories_of(s, "exclusive", HSC_TABLE_LINE, &(report_range){row, 1}, 1, err);
}

/* "main;solve;loop at sweeps.c:120"; malloc'ed, NULL with err set. */
static char *path_of(const report *r, uint32_t row, hsc_err *err) {
    hsc_db_context c;
    hsc_db_scope scope;
    uint32_t *rows = NULL, n = 0, room = 0;
    char *text = NULL, at[300];
    size_t size;
    hsc_status status = HSC_OK;
    for (uint32_t k = row; !status; k = c.parent) {
        if (n == room) {
            uint32_t *more = realloc(rows, (room = 2 * room + 64) * sizeof *rows);
            if (!more) {
                status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
                break;
            }
            rows = more;
        }
        status = hsc_db_get_context(r->db, k, &c, err);
        rows[n++] = k;
        if (!k) /* a parent's row is less than its own */
            break;
    }
    FILE *out = status ? NULL : open_memstream(&text, &size);
    for (uint32_t k = n, shown = 0; out && !status && k-- > 0;) {
        status = hsc_db_get_context(r->db, rows[k], &c, err);
        if (!status)
            status = hsc_db_get_scope(r->db, c.scope, &scope, err);
        if (status || c.kind == HSC_CONTEXT_ROOT)
            continue;
        fprintf(out, "%s%s", shown++ ? ";" : "", scope.name);
        if (c.kind != HSC_CONTEXT_LOOP || !scope.line_begin)
            continue;
        report_text_line_in(r, scope.procedure, scope.file, scope.line_begin, sizeof at, at, sizeof at);
        fprintf(out, ":%s", at);
    }
    free(rows);
    if (out && !fclose(out) && !status)
        return text;
    free(text);
    if (!status)
        hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    return NULL;
}

static hsc_status context_row(sink *s, uint32_t rank, uint32_t row, hsc_weighted samples, hsc_err *err) {
    report *r = s->r;
    static const char *const kinds[] = {"root", "procedure", "inlined", "loop", "partial"};
    hsc_db_context c;
    hsc_db_scope scope;
    hsc_weighted incl = {0};
    char *text = path_of(r, row, err);
    if (!text)
        return err->status;
    hsc_status status = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, row, 1, &incl, err);
    if (!status)
        status = hsc_db_get_context(r->db, row, &c, err);
    if (!status)
        status = hsc_db_get_scope(r->db, c.scope, &scope, err);
    if (!status) {
        hsc_db_line call = {.line = 0};
        if (c.call_line != HSC_NONE)
            (void)hsc_db_get_line(r->db, c.call_line, &call, NULL);
        put_count(s, "position", rank);
        put_text(s, "kind", (unsigned)c.kind < 5 ? kinds[c.kind] : "unknown");
        put_text(s, "name", scope.name);
        report_put_place(s, scope.file, scope.line_begin, scope.line_end, true);
        put_count(s, "call_line", call.line);
        put_count(s, "depth", c.depth);
        report_put_exclusive(s, samples);
        report_put_inclusive(s, incl);
        put_text(s, "path", text);
        status = report_put_spread_of(s, c.scope, HSC_TABLE_CONTEXT_EXCL, &(report_range){row, 1}, 1, err);
        if (!status)
            status = report_put_categories_of(s, "exclusive", HSC_TABLE_CONTEXT_EXCL, &(report_range){row, 1}, 1, err);
        if (!status)
            status = report_put_categories_of(s, "inclusive", HSC_TABLE_CONTEXT_INCL, &(report_range){row, 1}, 1, err);
    }
    free(text);
    return status;
}

typedef struct clocked { /* of a processor's threads */
    double begin_s, end_s, periods, samples, lost, truncated, cpu_s, own_s;
} clocked;

static hsc_status add_threads(const report *r, uint32_t first, uint32_t n, clocked *sum, hsc_err *err) {
    hsc_db_thread t;
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < n && !(status = hsc_db_get_thread(r->db, first + i, &t, err)); i++) {
        sum->periods += (double)t.samples;
        sum->samples += (double)t.records;
        sum->lost += (double)t.lost;
        sum->truncated += (double)t.truncated;
        sum->cpu_s += t.cpu_s;
        sum->own_s += t.own_s;
    }
    return status;
}

/* Puts who it is; sums its threads. */
static hsc_status put_node(sink *s, uint32_t column, clocked *sum, hsc_err *err) {
    hsc_db_node node;
    hsc_db_process p;
    hsc_status status = hsc_db_get_node(s->r->db, column, &node, err);
    *sum = (clocked){.begin_s = HUGE_VAL, .end_s = -HUGE_VAL};
    for (uint32_t i = 0; i < s->r->info.processes && !status && !(status = hsc_db_get_process(s->r->db, i, &p, err)); i++)
        if (p.node == column) {
            sum->begin_s = fmin(sum->begin_s, p.begin_s);
            sum->end_s = fmax(sum->end_s, p.end_s);
            status = add_threads(s->r, p.first_thread, p.threads, sum, err);
        }
    if (status)
        return status;
    put_count(s, "row", column);
    put_text(s, "host", node.host);
    put_count(s, "processes", node.processes);
    put_count(s, "threads", node.threads);
    return HSC_OK;
}

/* Puts who it is; sums its threads. */
static hsc_status put_processor(sink *s, uint32_t column, clocked *sum, hsc_db_process *p, hsc_err *err) {
    hsc_db_thread t;
    const bool thread = s->r->axis == HSC_AXIS_THREAD;
    hsc_status status = thread ? hsc_db_get_thread(s->r->db, column, &t, err) : HSC_OK;
    if (!status)
        status = hsc_db_get_process(s->r->db, thread ? t.process : column, p, err);
    if (status)
        return status;
    *sum = thread ? (clocked){.begin_s = t.begin_s, .end_s = t.end_s} : (clocked){.begin_s = p->begin_s, .end_s = p->end_s};
    put_count(s, "row", column);
    put_number(s, "rank", p->rank);
    put_text(s, "host", p->host);
    put_count(s, "pid", p->pid);
    put_text(s, "program", p->executable);
    if (thread) {
        put_count(s, "thread", t.index);
        put_count(s, "tid", t.tid);
        put_text(s, "name", t.name);
    } else
        put_count(s, "threads", p->threads);
    return add_threads(s->r, thread ? column : p->first_thread, thread ? 1 : p->threads, sum, err);
}

/* by_category: [categories][columns]; NULL: not known */
static hsc_status processor_row(sink *s, uint32_t column, const float *all, const float *excess, const float *by_category, hsc_err *err) {
    report *r = s->r;
    hsc_db_process p;
    clocked sum;
    report_usage usage;
    const bool node = r->axis == HSC_AXIS_NODE;
    hsc_status status = node ? put_node(s, column, &sum, err) : put_processor(s, column, &sum, &p, err);
    if (status)
        return status;
    report_usage_of_processor(r, column, &usage);
    put_number(s, "begin_s", sum.begin_s);
    put_number(s, "end_s", sum.end_s);
    put_number(s, "cpu_s", sum.cpu_s);
    put_number(s, "profiler_s", sum.own_s);
    put_number(s, "user_s", usage.known ? usage.user_s : NAN);
    put_number(s, "system_s", usage.known ? usage.system_s : NAN);
    put_number(s, "page_faults", usage.known ? (double)usage.minor_faults + (double)usage.major_faults : NAN);
    put_number(s, "page_faults_from_disk", usage.known ? (double)usage.major_faults : NAN);
    put_number(s, "switches_voluntary", usage.known ? (double)usage.voluntary : NAN);
    put_number(s, "switches_involuntary", usage.known ? (double)usage.involuntary : NAN);
    put_number(s, "in_line_s", usage.line_known ? usage.line_s : NAN);
    put_count(s, "periods", all[column]);
    report_put_sampled(s, "inclusive", (hsc_weighted){all[column], excess[column] * r->unit.weights_scale}, true);
    put_count(s, "samples", sum.samples);
    put_count(s, "recorded_periods", sum.periods);
    put_count(s, "lost_periods", sum.lost);
    put_count(s, "truncated_periods", sum.truncated);
    if (!node) {
        put_text(s, "end", p.end);
        put_text(s, "mechanism", p.mechanism);
    }
    for (uint32_t c = 0; c < r->info.categories; c++)
        report_put_category(s, "inclusive", c, by_category ? by_category[(size_t)c * r->columns + column] : NAN);
    return HSC_OK;
}

/* ---- tables ---- */

/* Loops in the order of the text, by what they pay for; behind them those that only have samples on paths through them. */
static hsc_status rank_loops(report *r, uint32_t **rows, uint32_t *n, hsc_err *err) {
    uint32_t *all = NULL, n_all = 0;
    *rows = NULL;
    hsc_status status = report_rank(r, HSC_SCOPE_LOOP, &all, &n_all, err);
    if (!status)
        status = report_rank_paid(r, HSC_SCOPE_LOOP, rows, n, err);
    uint8_t *taken = status ? NULL : calloc((size_t)r->info.scopes + 1, 1);
    uint32_t *more = taken ? realloc(*rows, ((size_t)*n + n_all + 1) * sizeof *more) : NULL;
    if (!status && !more)
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status)
        *rows = more;
    for (uint32_t i = 0; !status && i < *n; i++)
        taken[more[i]] = 1;
    for (uint32_t i = 0; !status && i < n_all; i++)
        if (!taken[all[i]])
            more[(*n)++] = all[i];
    free(all);
    free(taken);
    if (status) {
        free(*rows);
        *rows = NULL;
    }
    return status;
}

static hsc_status scopes(sink *s, bool loop, hsc_err *err) {
    uint32_t *rows, n;
    hsc_status status = loop ? rank_loops(s->r, &rows, &n, err) : report_rank(s->r, HSC_SCOPE_PROCEDURE, &rows, &n, err);
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

static hsc_status lines(sink *s, hsc_err *err) {
    report *r = s->r;
    report_lines of;
    hsc_status status = report_rank_lines(r, report_accept_line, true, r->top, &of, err);
    if (status)
        return status;
    if (s->t.naming && r->info.lines) {
        status = line_row(s, 0, of.n ? (uint32_t)of.rows[0] : 0, (hsc_weighted){0}, err);
        end_row(s);
    }
    s->t.naming = false;
    for (uint32_t i = 0; i < of.n && !status; i++) {
        hsc_weighted v = {.sum = of.own[i]};
        if (v.sum > 0 && (status = hsc_db_read_excess(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, of.rows[i], 1, &v.excess, err)))
            break;
        begin_row(s);
        status = line_row(s, i + 1, (uint32_t)of.rows[i], v, err);
        end_row(s);
    }
    report_free_lines(&of);
    return status;
}

static bool accept_context(void *through, uint64_t row) { return !through || ((const uint8_t *)through)[row]; }

static hsc_status contexts(sink *s, hsc_err *err) {
    report *r = s->r;
    uint32_t all = r->info.contexts, capacity = r->top && r->top < all ? r->top : all, n = 0;
    uint64_t *rows = calloc((uint64_t)capacity + 1, sizeof *rows);
    double *sums = calloc((uint64_t)capacity + 1, sizeof *sums);
    hsc_db_view view = {r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD};
    uint8_t *through = NULL;
    hsc_status status = rows && sums ? report_paths_through(r, &through, err) : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status)
        status = hsc_db_read_top(r->db, view, accept_context, through, capacity, rows, sums, &n, err);
    free(through);
    if (!status && s->t.naming && all) {
        status = context_row(s, 0, n ? (uint32_t)rows[0] : 0, (hsc_weighted){0}, err);
        end_row(s);
    }
    s->t.naming = false;
    for (uint32_t i = 0; i < n && !status; i++) {
        hsc_weighted v = {.sum = sums[i]};
        status = hsc_db_read_excess(r->db, view, rows[i], 1, &v.excess, err);
        if (status)
            break;
        begin_row(s);
        status = context_row(s, i + 1, (uint32_t)rows[i], v, err);
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
    float *by_category = calloc((uint64_t)r->columns * r->info.categories + 1, sizeof *by_category);
    if (!all || !by_category) {
        free(all);
        free(by_category);
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    }
    status = report_read_processors(r, all, excess, err);
    bool has_categories = false;
    if (!status && r->columns && !r->where) { /* of chosen code they are not known by processor */
        hsc_status of = hsc_db_read_block(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, r->axis}, 0, r->info.categories, 0, r->columns, by_category, err);
        has_categories = !of;
        status = of == HSC_E_MISSING ? HSC_OK : of;
    }
    if (!status && s->t.naming && r->columns) {
        status = processor_row(s, 0, all, excess, has_categories ? by_category : NULL, err);
        end_row(s);
    }
    s->t.naming = false;
    for (uint32_t c = 0; c < r->columns && !status && (!r->top || c < r->top); c++) {
        begin_row(s);
        status = processor_row(s, c, all, excess, has_categories ? by_category : NULL, err);
        end_row(s);
    }
    free(all);
    free(by_category);
    return status;
}

/* Share: of all CPU time, or what the metric is; empty where a finding is about none. */
static void finding_row(sink *s, uint32_t position, const hsc_db_finding *f) {
    hsc_db_scope x = {.procedure = HSC_NONE, .name = ""}, of = {.name = ""};
    if (f->scope != HSC_NONE && !hsc_db_get_scope(s->r->db, f->scope, &x, NULL) && x.procedure != HSC_NONE)
        (void)hsc_db_get_scope(s->r->db, x.procedure, &of, NULL);
    put_count(s, "position", position);
    put_text(s, "title", f->title);
    put_number(s, "share_pct", 100 * f->share);
    put_number(s, "share_pct_low", 100 * f->share_low);
    put_number(s, "share_pct_high", 100 * f->share_high);
    put_text(s, "scope", x.name);
    put_text(s, "procedure", of.name);
    report_put_place(s, f->file, f->line, 0, false);
    put_text(s, "text", f->text);
}

static hsc_status findings(sink *s, hsc_err *err) {
    hsc_db_finding *list, none = {.title = "", .text = (char[]){""}, .scope = HSC_NONE, .file = HSC_NONE};
    uint32_t n;
    hsc_status status = report_wanted_findings(s->r, &list, &n, err);
    if (status)
        return status;
    if (s->t.naming) {
        finding_row(s, 0, n ? &list[0] : &none);
        end_row(s);
    }
    s->t.naming = false;
    for (uint32_t i = 0; i < n && (!s->r->top || i < s->r->top); i++) {
        begin_row(s);
        finding_row(s, i + 1, &list[i]);
        end_row(s);
    }
    hsc_db_free_findings(list, n);
    return HSC_OK;
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
        put_count(s, "periods", (double)l.samples);
        put_number(s, "time_s", l.seconds);
        put_count(s, "group", l.group);
        put_text(s, "meaning", l.meaning);
        end_row(s);
        s->t.naming = false;
    }
    return status;
}

/* What stands before a JSON document's rows. */
static char *json_head(const report *r, report_by by, hsc_err *err) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        hsc_err_set(err, HSC_E_MEMORY, "out of memory");
        return NULL;
    }
    fputs("{\n  \"database\": ", out);
    hsc_quote_json(out, r->info.path);
    fputs(",\n  \"title\": ", out);
    hsc_quote_json(out, r->info.title);
    fputs(",\n  \"metric\": ", out);
    hsc_quote_json(out, r->unit.name);
    fputs(",\n  \"unit\": ", out);
    hsc_quote_json(out, r->unit.unit);
    fprintf(out, ",\n  \"unit_per_period\": %.10g,\n  \"periods\": %.0f,\n  \"samples\": ", r->unit.scale, r->total);
    if (r->records)
        fprintf(out, "%llu", (unsigned long long)r->records);
    else
        fputs("null", out); /* not known of an interval or another metric */
    if (r->category) {
        fputs(",\n  \"category\": ", out);
        hsc_quote_json(out, r->category);
    }
    fprintf(out, ",\n  \"simulated\": %s,\n  \"by\": \"%s\",\n  \"rows\": [\n", r->info.simulated ? "true" : "false", report_tables[by].name);
    if (fclose(out)) {
        free(text);
        hsc_err_set(err, HSC_E_MEMORY, "out of memory");
        return NULL;
    }
    return text;
}

static char *text_head(report *r, report_by by, hsc_err *err) {
    char *text = NULL, title[200];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size), *real = r->out;
    if (out) {
        r->out = out;
        report_text_head(r, false);
        r->out = real;
        snprintf(title, sizeof title, "%.180s", report_tables[by].meaning);
        title[0] = (char)toupper((unsigned char)title[0]);
        fprintf(out, "\n%s\n", title);
        if (by == REPORT_CATEGORY && !r->unit.exact && hsc_db_guesses_waiting(r->db))
            fputs("Calls of MPI by what they are, not by how long they waited: --time=none\n", out);
    }
    if (out && !fclose(out))
        return text;
    free(text);
    hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    return NULL;
}

const report_table report_tables[REPORT_TABLES] = {
    {"procedure", "", NULL, false, false},
#define REPORT_TABLE(constant, name, meaning, text, whole, anywhere) {name, meaning, text, whole, anywhere},
#include "report_tables.def"
};

/* The usual columns, written for seconds, of a metric in its own unit; malloc'd. NULL: no memory. */
static char *columns_in(const char *columns, const char *unit) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (const char *p = columns; out && *p; p++)
        if (!strncmp(p, "_s:", 3) || !strncmp(p, ":s,", 3)) {
            fprintf(out, "%c%s", *p, unit);
            p++;
        } else {
            fputc(*p, out);
        }
    if (out && !fclose(out))
        return text;
    free(text);
    return NULL;
}

static hsc_status put_rows(report *r, report_by by, hsc_table_format format, const char *unit, const char *columns, bool usual, hsc_err *err) {
    sink s = {.r = r, .usual = usual, .t = {.out = r->out, .format = format, .naming = true, .scale = r->unit.scale, .width = r->width, .columns = columns}};
    hsc_status status = HSC_OK;
    snprintf(s.unit, sizeof s.unit, "%s", unit);
    s.t.unit = s.unit;
    if (format == HSC_TABLE_JSON && (!(s.t.before = json_head(r, by, err)) || !(s.t.after = strdup("\n  ]\n}\n")))) {
        hsc_table_clear(&s.t);
        return err->status ? err->status : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    }
    if (format == HSC_TABLE_TEXT && !(s.t.before = text_head(r, by, err)))
        return err->status;
    switch (by) {
    case REPORT_FINDING:
        status = findings(&s, err);
        break;
    case REPORT_LOOP:
        status = scopes(&s, true, err);
        break;
    case REPORT_LINE:
        status = lines(&s, err);
        break;
    case REPORT_CONTEXT:
        status = contexts(&s, err);
        break;
    case REPORT_PROCESSOR:
        status = processors(&s, err);
        break;
    case REPORT_PROGRAM:
    case REPORT_FILE:
    case REPORT_MODULE:
    case REPORT_NEST:
    case REPORT_CALL:
    case REPORT_INLINED:
    case REPORT_SYMBOL:
    case REPORT_VERSION:
    case REPORT_CATEGORY:
    case REPORT_DATA:
    case REPORT_REFERENCE:
        status = report_group_rows(&s, by, err);
        break;
    case REPORT_LEDGER:
        status = ledger(&s, err);
        break;
    case REPORT_MESSAGE:
        status = report_message_rows(&s, err);
        break;
    case REPORT_WAIT:
        status = report_wait_rows(&s, err);
        break;
    case REPORT_REASON:
        status = report_reason_rows(&s, err);
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
    if (!status)
        status = hsc_table_finish(&s.t, err);
    if (!status && r->where && !s.t.rows && format != HSC_TABLE_TEXT) /* these say none themselves */
        report_put_none_there(r, stderr, "heatscope report: ", by);
    hsc_table_clear(&s.t);
    report_categories_clear(&s.categories[0]);
    report_categories_clear(&s.categories[1]);
    return status;
}

hsc_status report_rows(report *r, report_by by, hsc_table_format format, const char *columns, hsc_err *err) {
    char unit[32], *usual = NULL;
    by = by == REPORT_ALL ? REPORT_PROCEDURE : by;
    /* "s" stays "s"; other units become part of a name */
    snprintf(unit, sizeof unit, "%s", r->unit.unit[0] ? r->unit.unit : "count");
    for (char *p = unit; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
            *p = '_';
    if (!columns && format == HSC_TABLE_TEXT && report_tables[by].text && !(columns = usual = columns_in(report_tables[by].text, unit)))
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    hsc_status status = put_rows(r, by, format, unit, columns, usual != NULL, err);
    free(usual);
    return status;
}
