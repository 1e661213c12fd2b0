/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings on the hottest code, with what it calls (report_paid.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "findings.h"
#include "report_charged.h"
#include "report_measures.h"
#include "report_paid.h"

const char *findings_loop_word(const char *name) {
    return strncmp(name, "loop", 4) ? " loop" : "";
}

/* A loop takes time, and has page faults. */
static const char *takes(const report *r) { return strcmp(r->unit.unit, "s") ? "has" : "takes"; }

/* By steps: see report_pay. */
hsc_status findings_pay(findings *f, hsc_err *err) {
    bool done = false;
    hsc_status status = report_pay(f->r, FINDINGS_ROWS / 4, &done, err);
    f->again = !done;
    return status;
}

/* ---- the hottest loop, and what became of it ---- */

/* "cos 1.3 s" or "cos in step 1.3 s" */
static void put_callee(const report *r, const report_callee *x, char *out, size_t size) {
    hsc_db_scope s, caller;
    char name[200], in[200] = "", amount[48];
    if (hsc_db_get_scope(r->db, x->scope, &s, NULL))
        return;
    if (x->caller != HSC_NONE && !hsc_db_get_scope(r->db, x->caller, &caller, NULL))
        report_fit(caller.name, 50, in, sizeof in);
    findings_seconds(r, x->samples.sum, amount, sizeof amount);
    snprintf(out, size, "%s%s%s %s", report_fit(s.name, 50, name, sizeof name), in[0] ? " in " : "", in, amount);
}

/* " 0.149 s of that is its own code (6.2 %), the rest what it calls: cos 1.3 s, and others."; empty where all is its own. */
static hsc_status tell_called(report *r, uint32_t loop, bool vectors, char *out, size_t size, hsc_err *err) {
    enum { MOST = 3 };
    report_callee rows[MOST];
    uint32_t n;
    hsc_weighted with = r->paid->loop[loop];
    double own = r->paid->own_code[loop];
    bool alone = r->paid->hot[loop].sum - with.sum < 0.001 * r->total;
    char amount[48], named[900] = "", lone[300] = "";
    out[0] = 0;
    hsc_status status = with.sum > own + 0.001 * r->total ? report_callees(r, loop, rows, MOST, &n, err) : HSC_OK;
    if (status || !(with.sum > own + 0.001 * r->total))
        return status;
    double rest = with.sum - own;
    for (uint32_t i = 0; i < n && (!i || rows[i].samples.sum >= 0.1 * with.sum); i++) {
        char one[500] = "";
        put_callee(r, &rows[i], one, sizeof one);
        snprintf(named + strlen(named), sizeof named - strlen(named), "%s%s", i ? ", " : ": ", one);
        rest -= rows[i].samples.sum;
    }
    findings_seconds(r, own, amount, sizeof amount);
    if (vectors)
        report_lone_calls(r, loop, rows, n, 0.1 * with.sum, lone, sizeof lone);
    snprintf(out, size, " %s of %s is its own code (%.1f %%), the %s what it calls%s%s.%s", amount, alone ? "that" : "the rest",
             100 * own / r->total, alone ? "rest" : "other", named, rest > 0.01 * with.sum ? ", and others" : "", lone);
    return HSC_OK;
}

/* " 0.643 s of that is vector code of loops inside it that were unrolled fully (23.5 %, most of line 383: 15.3 %)."; "" */
static const char *tell_vectors(const report *r, uint32_t loop, const hsc_db_scope *s, char *out, size_t size) {
    double inside = r->paid->hot[loop].sum - r->paid->loop[loop].sum;
    uint32_t best = HSC_NONE;
    hsc_db_scope inner;
    char amount[48], most[60] = "";
    out[0] = 0;
    if (inside < 0.001 * r->total)
        return out;
    for (uint32_t k = loop + 1; k < s->subtree_end; k++)
        if (r->paid->is_vectors[k] && r->paid->loop[k].sum > (best == HSC_NONE ? 0 : r->paid->loop[best].sum))
            best = k;
    if (best != HSC_NONE && r->paid->loop[best].sum > 0.5 * inside && !hsc_db_get_scope(r->db, best, &inner, NULL) && inner.file == s->file)
        snprintf(most, sizeof most, r->paid->loop[best].sum < inside ? ", most of line %u: %.1f %%" : ", of line %u", inner.line_begin, 100 * r->paid->loop[best].sum / r->total);
    findings_seconds(r, inside, amount, sizeof amount);
    snprintf(out, size, " %s of that is vector code of loops inside it that were unrolled fully (%.1f %%%s).", amount, 100 * inside / r->total, most);
    return out;
}

/* Hardly any of the loop's time is its own code's, and a procedure has more than twice that, which is told. */
static bool has_little(const report *r, uint32_t loop, uint32_t apart) {
    double sum = r->paid->hot[loop].sum, inside = sum - r->paid->loop[loop].sum;
    return apart != HSC_NONE && r->paid->own_code[loop] + inside < 0.05 * sum && r->paid->procedure[apart].sum > 2 * sum;
}

/* Instructions of a procedure of the user's that is known by the map, has no loop with samples, and is so small that a call is much of it; 0: it is none such. */
static uint32_t small_size(const report *r, uint32_t procedure) {
    enum { PARTS = 8, MOST = 128 };
    hsc_db_scope s;
    hsc_db_code_part part;
    uint32_t rows[PARTS], n = 0, size = 0;
    if (!(r->own[procedure] >= 0.01 * r->total) || r->excl[procedure] < 0.95 * r->own[procedure] || hsc_db_get_scope(r->db, procedure, &s, NULL) || s.kind != HSC_SCOPE_PROCEDURE ||
        s.knowledge != HSC_KNOWN_MAP || !report_is_users(r, &s) || hsc_db_find_code_parts(r->db, procedure, rows, PARTS, &n, NULL) || n > PARTS)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (hsc_db_get_code_part(r->db, rows[i], &part, NULL) || !part.disassembled)
            return 0;
        size += part.rows;
    }
    return size <= MOST ? size : 0;
}

/* " It has 12 instructions and is in another file than who calls it most: ...", of a small procedure; file: of that call; all: what all small ones take, too. "": it is not small, or in that file. */
static void tell_small(const report *r, uint32_t procedure, uint32_t file, const char *subject, const char *caller, bool all, char *out, size_t size) {
    hsc_db_scope s;
    hsc_db_file f;
    uint32_t instructions = small_size(r, procedure), small = 0;
    double sum = 0;
    char together[120] = "";
    out[0] = 0;
    if (!instructions || hsc_db_get_scope(r->db, procedure, &s, NULL) || s.file == HSC_NONE || file == HSC_NONE || s.file == file || hsc_db_get_file(r->db, s.file, &f, NULL) ||
        report_is_header(f.path))
        return;
    for (uint32_t i = 0; all && i < r->info.scopes; i++)
        if (r->own[i] >= 0.01 * r->total && small_size(r, i)) {
            small++;
            sum += r->own[i];
        }
    if (small > 1)
        snprintf(together, sizeof together, " Small procedures without loops, %u of at most 128 instructions, take %.1f %% together.", small, 100 * sum / r->total);
    snprintf(out, size, " %s has %u instructions and is %s another file: " REPORT_LTO_FOR_BOTH ", or its definition in a header, may let the compiler put it in line%s.%s", subject, instructions, caller,
             strstr(s.name, "assert") ? "; where it only asserts, -DNDEBUG mostly leaves it out" : "", together);
}

hsc_status findings_hottest_loop(findings *f, hsc_err *err) {
    report *r = f->r;
    uint32_t hot = HSC_NONE, apart = HSC_NONE;
    hsc_db_scope s, small_one;
    report_versions v;
    hsc_db_remark remark;
    bool remarked = false;
    char name[300], small[1600] = "", text[6000], how[400], where[600], of[300], share[120], whole[120], called[1200], strides[400], vectors[300], extra[1600] = "";
    hsc_status status = report_hottest_loop(r, &hot, err);
    if (!status)
        status = report_hottest_apart(r, hot, &apart, err);
    if (status || hot == HSC_NONE || r->paid->hot[hot].sum < 0.01 * r->total || has_little(r, hot, apart))
        return status;
    hsc_weighted with = r->paid->hot[hot];
    status = hsc_db_get_scope(r->db, hot, &s, err);
    if (!status)
        status = report_versions_of(r, hot, &v, how, sizeof how, err);
    if (!status)
        status = report_remark_of(r, hot, &remarked, &remark, err);
    if (!status)
        status = tell_called(r, hot, v.vector.sum > v.scalar.sum + v.other.sum, called, sizeof called, err);
    if (status)
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_procedure(r, &s, of, sizeof of);
    findings_amount(r, with, share, sizeof share);
    if (r->incl[hot] > 1.1 * with.sum + 0.005 * r->total) {
        findings_amount(r, report_incl(r, hot), whole, sizeof whole);
        snprintf(extra, sizeof extra, " With loops inside it and in what it calls: %s.", whole);
    }
    if (how[0])
        snprintf(extra + strlen(extra), sizeof extra - strlen(extra), " It runs as: %s.", how);
    if (remarked && remark.kind != HSC_remark_kind_PASSED && strcmp(remark.pass, "loop-vectorize") != 0) { /* that is a finding of its own */
        char message[300];
        report_first_sentence(remark.message, message, sizeof message);
        snprintf(extra + strlen(extra), sizeof extra - strlen(extra), " The compiler: %s.", message);
    }
    if (*report_strides(r, hot, strides, sizeof strides))
        snprintf(extra + strlen(extra), sizeof extra - strlen(extra), " There %s.", strides);
    if (v.vector.sum > 0.5 * with.sum && *report_gathered(r, hot, strides, sizeof strides))
        snprintf(extra + strlen(extra), sizeof extra - strlen(extra), " Its vectors of %s are put together element by element (gathered), as the addresses come from memory.", strides);
    hsc_db_reference read;
    double waiting;
    if (report_waited_read(r, hot, &read, &waiting) && waiting >= 0.5) {
        char element[200];
        const char *way = hsc_enum_text("stride", read.stride);
        snprintf(extra + strlen(extra), sizeof extra - strlen(extra), " It mostly waits for memory: %.0f %% of its own samples stand right behind the read of %s, line %u (%s).", 100 * waiting,
                 report_fit(read.text, 60, element, sizeof element), read.line, way ? way : "irregular");
    }
    report_callee callee;
    uint32_t callees = 0;
    if (!report_callees(r, hot, &callee, 1, &callees, NULL) && callees && callee.caller == HSC_NONE && r->own[callee.scope] >= 0.25 * with.sum && !hsc_db_get_scope(r->db, callee.scope, &small_one, NULL)) {
        report_fit(small_one.name, 60, name, sizeof name);
        tell_small(r, callee.scope, s.file, name, "in", false, small, sizeof small);
    }
    snprintf(text, sizeof text, "The hottest loop %s %s: %s%s at %s, depth %u, in %s.%s%s%s%s", takes(r), share, s.name, findings_loop_word(s.name), where, report_depth(r, &s), of,
             tell_vectors(r, hot, &s, vectors, sizeof vectors), called, extra, small);
    uint32_t calling;
    hsc_db_scope more;
    if ((status = report_calling_loop(r, hot, &calling, err)) || (calling != HSC_NONE && (status = hsc_db_get_scope(r->db, calling, &more, err))))
        return status;
    if (calling != HSC_NONE) { /* the table of loops begins with it */
        findings_place(r, &more, where, sizeof where);
        size_t k = strlen(text);
        snprintf(text + k, sizeof text - k, " The loop at %s has more, %.1f %%, nearly all in procedures that it calls.", where, 100 * r->paid->hot[calling].sum / r->total);
    }
    f->hottest = hot;
    findings_say(f, with.sum, "Hottest loop", with, spot_of_scope(hot, &s), text);
    return HSC_OK;
}

/* " Its loop at aabb.h:57-70, 28.7 %, was unrolled fully.", of the one of those with most time that has half of the procedure's; "" */
static void tell_unrolled(const report *r, uint32_t procedure, char *out, size_t size) {
    uint32_t best = HSC_NONE;
    hsc_db_scope s, loop;
    char where[600];
    out[0] = 0;
    if (hsc_db_get_scope(r->db, procedure, &s, NULL))
        return;
    for (uint32_t k = procedure + 1; k < s.subtree_end; k++)
        if (r->paid->is_no_more[k] && !hsc_db_get_scope(r->db, k, &loop, NULL) && loop.procedure == procedure && (best == HSC_NONE || r->excl[k] > r->excl[best]))
            best = k;
    if (best == HSC_NONE || r->excl[best] < 0.5 * r->paid->procedure[procedure].sum || hsc_db_get_scope(r->db, best, &loop, NULL))
        return;
    findings_place(r, &loop, where, sizeof where);
    snprintf(out, size, " Its loop at %s, %.1f %%, was unrolled fully.", where, 100 * r->excl[best] / r->total);
}

/* " Its hottest line is 68, 13.4 %.", of the lines of its file between its first and last the hottest, where there is more than one; "" */
static hsc_status tell_line(const report *r, const hsc_db_scope *s, char *out, size_t size, hsc_err *err) {
    const uint32_t *file, *line;
    uint32_t first, end, best = HSC_NONE;
    hsc_db_file f;
    double sums[512], most = 0, all = 0;
    out[0] = 0;
    if (s->file == HSC_NONE || !s->line_begin)
        return HSC_OK;
    hsc_status status = hsc_db_get_file(r->db, s->file, &f, err);
    if (!status)
        status = hsc_db_get_line_columns(r->db, &file, &line, err);
    if (status)
        return status;
    for (first = f.first_line_row, end = first + f.line_rows; first < end && line[first] < s->line_begin;)
        first++;
    for (uint32_t at = first, n; !status && at < end && line[at] <= s->line_end; at += n) {
        for (n = 1; n < sizeof sums / sizeof *sums && at + n < end && line[at + n] <= s->line_end;)
            n++;
        status = hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, at, n, sums, err);
        for (uint32_t i = 0; !status && i < n; i++) {
            all += sums[i];
            if (sums[i] > most) {
                most = sums[i];
                best = at + i;
            }
        }
    }
    if (!status && best != HSC_NONE && most < all)
        snprintf(out, size, " Its hottest line is %u, %.1f %%.", line[best], 100 * most / r->total);
    return status;
}

enum { LITTLE_PERCENT = 5 }; /* a hottest procedure with less says that the program's own code is not where the time goes, or that it is spread over many */

/* Where loops do not tell: too little is known of the code, or the time is outside of them. */
hsc_status findings_hottest_procedure(findings *f, hsc_err *err) {
    report *r = f->r;
    uint32_t *rows = NULL, n = 0, loop = HSC_NONE, outside = HSC_NONE;
    char text[4096], where[600], name[300], share[120], own[48], apart[200] = "", unrolled[700], hottest[80] = "", small[1600] = "", caller[800] = "";
    uint32_t line = HSC_NONE;
    hsc_db_line l;
    hsc_db_scope s;
    hsc_status status = report_rank_paid(r, HSC_SCOPE_PROCEDURE, &rows, &n, err);
    if (!status)
        status = report_hottest_loop(r, &loop, err);
    if (!status)
        status = report_hottest_apart(r, loop, &outside, err);
    uint32_t hot = status || !n ? HSC_NONE : outside != HSC_NONE ? outside : rows[0];
    bool little = hot != HSC_NONE && 100 * r->paid->procedure[hot].sum < LITTLE_PERCENT * r->total;
    if (hot == HSC_NONE || r->paid->procedure[hot].sum < 0.01 * r->total || (little && r->own[hot] < 0.5 * r->paid->procedure[hot].sum) ||
        (outside == HSC_NONE && loop != HSC_NONE && r->paid->hot[loop].sum > 0.25 * r->paid->procedure[hot].sum)) {
        free(rows);
        return status;
    }
    hsc_weighted with = r->paid->procedure[hot];
    status = hsc_db_get_scope(r->db, hot, &s, err);
    if (!status && r->own[hot] >= 0.5 * with.sum)
        status = tell_line(r, &s, hottest, sizeof hottest, err);
    free(rows);
    if (!status && small_size(r, hot))
        status = findings_main_caller(r, hot, caller, sizeof caller, &line, err);
    if (!status && *caller && line != HSC_NONE && !hsc_db_get_line(r->db, line, &l, NULL)) {
        strncat(caller, ", in", sizeof caller - strlen(caller) - 1);
        tell_small(r, hot, l.file, "It", caller + 2, true, small, sizeof small);
    }
    if (status)
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_amount(r, with, share, sizeof share);
    findings_seconds(r, r->own[hot], own, sizeof own);
    if (with.sum > r->own[hot] + 0.001 * r->total)
        snprintf(apart, sizeof apart, " %s of that is its own code, the rest what it calls in libraries.", own);
    tell_unrolled(r, hot, unrolled, sizeof unrolled);
    snprintf(text, sizeof text, "%s procedure %s %s%s: %s (%s).%s%s%s%s", little ? "No" : "The hottest", takes(r), little ? "more than " : "", share, report_fit(s.name, 60, name, sizeof name), where, apart, unrolled, hottest, small);
    findings_say(f, with.sum, "Hottest procedure", with, spot_of_scope(hot, &s), text);
    return HSC_OK;
}
