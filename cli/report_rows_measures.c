/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of messages, waits, and loops that were not vectorised. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "report_measures.h"
#include "report_reasons.h"
#include "report_rows.h"

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
    report_put_place(s, l.file, l.line, l.line, false);
    bool loop = scope.kind == HSC_SCOPE_LOOP && context != HSC_NONE;
    put_count(s, "loop_line", loop ? scope.line_begin : 0);
}

static void message_row(sink *s, uint32_t rank, const report_message *m) {
    double calls = (double)m->calls, mean = calls > 0 ? m->duration_s / calls : NAN;
    char thread[128] = "";
    begin_row(s);
    put_count(s, "position", rank);
    put_text(s, "operation", m->operation);
    put_call(s, m->line, m->context);
    bool half = !strcmp(m->peer, "MPI_PROC_NULL") && m->received && !m->sent; /* of a call that sends and receives the peer is who it sends to */
    put_text(s, "peer", half ? "MPI_PROC_NULL for what is sent" : m->peer);
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
    report_put_quantile(&s->t, "duration_median", &m->median);
    report_put_quantile(&s->t, "duration_p95", &m->p95);
    report_put_over(s->r, &s->t, &m->over);
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

hsc_status report_message_rows(sink *s, hsc_err *err) {
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
    put_count(s, "position", rank);
    put_text(s, "kind", w->kind_text);
    put_call(s, w->line, w->context);
    put_count(s, "threads", w->processors);
    put_count(s, "waits", (double)w->waits);
    put_number(s, "total_s", w->total_s);
    put_number(s, "mean_s", w->waits ? w->total_s / (double)w->waits : NAN);
    put_number(s, "max_s", w->max_s);
    report_put_quantile(&s->t, "median", &w->median);
    report_put_quantile(&s->t, "p95", &w->p95);
    put_count(s, "bytes", (double)w->bytes);
    if (w->holder_context != HSC_NONE && !hsc_db_get_context(s->r->db, w->holder_context, &c, NULL) &&
        !hsc_db_get_scope(s->r->db, c.scope, &scope, NULL) && scope.procedure != HSC_NONE)
        (void)hsc_db_get_scope(s->r->db, scope.procedure, &p, NULL);
    report_put_over(s->r, &s->t, &w->over);
    put_text(s, "own_code", w->own ? "yes" : "no");
    put_text(s, "held_in", p.name);
    if (w->holder_thread != HSC_NONE)
        report_processor(s->r, HSC_AXIS_THREAD, w->holder_thread, thread, sizeof thread);
    put_text(s, "held_by", thread);
    put_count(s, "column", w->column);
    put_number(s, "idle_s", w->idle_s);
    end_row(s);
    s->t.naming = false;
}

hsc_status report_wait_rows(sink *s, hsc_err *err) {
    report_wait *rows, none = {.line = HSC_NONE, .context = HSC_NONE, .kind_text = "", .holder_thread = HSC_NONE, .holder_context = HSC_NONE};
    uint32_t n;
    hsc_status status = report_waits(s->r, true, &rows, &n, err);
    if (status)
        return status;
    if (s->t.naming)
        wait_row(s, 0, &none);
    for (uint32_t i = 0; i < n && (!s->r->top || i < s->r->top); i++)
        wait_row(s, i + 1, &rows[i]);
    free(rows);
    return HSC_OK;
}

/* Over processors, and by category. */
static hsc_status put_refusal_spread(sink *s, const report_refusal *x, hsc_err *err) {
    report_range *ranges = NULL;
    hsc_db_table table = HSC_TABLE_INSTANCE;
    report_spread p = {0};
    uint32_t n = 0;
    hsc_status status = x->scope != HSC_NONE ? report_refusal_ranges(s->r, x, &table, &ranges, &n, err) : HSC_OK;
    if (!status && n)
        status = report_spread_of_ranges(s->r, table, ranges, n, &p, err);
    if (!status && !n)
        p = (report_spread){.columns = 1, .mean = NAN, .min = NAN, .max = NAN, .stddev = NAN, .min_at = HSC_NONE, .max_at = HSC_NONE,
                            .quantiles = {NAN, NAN, NAN, NAN, NAN}};
    if (!status)
        report_put_spread(s, x->scope, &p);
    if (!status)
        status = report_put_categories_of(s, "exclusive", table, ranges, n, err);
    free(ranges);
    return status;
}

static hsc_status refusal_row(sink *s, uint32_t rank, const report_refusal *x, hsc_err *err) {
    hsc_db_scope scope = {.file = HSC_NONE, .procedure = HSC_NONE}, p = {.name = ""};
    char dependence[600] = "", hint[REPORT_HINT_BYTES] = "";
    hsc_status status = x->scope != HSC_NONE ? hsc_db_get_scope(s->r->db, x->scope, &scope, err) : HSC_OK;
    if (!status && scope.procedure != HSC_NONE)
        status = hsc_db_get_scope(s->r->db, scope.procedure, &p, err);
    if (status)
        return status;
    const char *reason = hsc_enum_text("reason", x->reason);
    begin_row(s);
    put_count(s, "position", rank);
    put_text(s, "reason", reason ? reason : "unknown reason");
    put_text(s, "procedure", p.name);
    report_put_place(s, scope.file, scope.line_begin, scope.line_end, true);
    report_put_exclusive(s, x->scalar);
    report_put_sampled(s, "called", x->called, false);
    put_text(s, "remark", x->remark.message);
    put_text(s, "advice", x->scope != HSC_NONE ? report_hint(s->r, x, hint, sizeof hint) : "");
    if (x->has_dependence && (x->dependence.source_line || x->dependence.sink_line))
        report_dependence(s->r, &x->dependence, dependence, sizeof dependence);
    put_text(s, "dependence", dependence);
    put_number(s, "distance", x->has_dependence && x->dependence.has_distance ? (double)x->dependence.distance : NAN);
    status = put_refusal_spread(s, x, err);
    end_row(s);
    s->t.naming = false;
    return status;
}

hsc_status report_reason_rows(sink *s, hsc_err *err) {
    report_refusal *rows, none = {.scope = HSC_NONE, .remark.message = ""};
    uint32_t n;
    hsc_status status = report_refusals(s->r, true, &rows, &n, err);
    if (status)
        return status;
    if (s->t.naming)
        status = refusal_row(s, 0, &none, err);
    for (uint32_t i = 0; !status && i < n && (!s->r->top || i < s->r->top); i++)
        status = refusal_row(s, i + 1, &rows[i], err);
    free(rows);
    return status;
}

