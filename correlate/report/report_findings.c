/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What stands out: sentences with their figure, its interval and its place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "findings.h"
#include "report_elapsed.h"
#include "report_paid.h"
#include "report_reasons.h"

const spot spot_nowhere = {HSC_NONE, HSC_NONE, 0};

spot spot_of_scope(uint32_t row, const hsc_db_scope *s) {
    return (spot){row, s->file, s->line_begin};
}

spot spot_of_line(const report *r, uint32_t row) {
    hsc_db_line l;
    return row == HSC_NONE || hsc_db_get_line(r->db, row, &l, NULL) ? spot_nowhere : (spot){l.scope, l.file, l.line};
}

const hsc_weighted findings_no_share = {-1, 0};

/* `samples`: those of the share that the finding tells, or findings_no_share. */
void findings_say(findings *f, double weight, const char *title, hsc_weighted samples, spot at, const char *text) {
    if (f->n == f->room) {
        hsc_db_finding *more = realloc(f->list, (f->room + 16) * sizeof *more);
        if (!more)
            return;
        f->list = more;
        f->room += 16;
    }
    char *copy = strdup(text);
    if (!copy)
        return;
    if (*copy >= 'a' && *copy <= 'z')
        *copy -= 'a' - 'A';
    hsc_db_finding *x = &f->list[f->n];
    *x = (hsc_db_finding){.title = title, .text = copy, .weight = weight, .order = f->n, .share = NAN, .share_low = NAN,
                          .share_high = NAN, .scope = at.scope, .file = at.file, .line = at.line};
    if (samples.sum >= 0 && f->r->total > 0) {
        x->share = samples.sum / f->r->total;
        report_share_interval(f->r, samples, &x->share_low, &x->share_high);
    }
    f->n++;
}

/* Findings of a kind stand together, as the heaviest of them is heavy; the first two kinds come before all others, No processor (KIND_LINE, where that is
 * much) before those of elapsed time. */
typedef enum kind { KIND_SHARES, KIND_CARE, KIND_CODE, KIND_LINE, KIND_MESSAGES, KIND_THREADS, KIND_FILES, KIND_KERNEL, KIND_MACHINE, KIND_PRECISION, KINDS } kind;

static kind kind_of(const report *r, const hsc_db_finding *x) {
    static const struct {
        const char *title;
        kind kind;
    } kinds[] = {{"Where time goes", KIND_SHARES}, {"Call tree", KIND_SHARES},   {"Hottest loop", KIND_CODE},     {"Hottest procedure", KIND_CODE},       {"Little known", KIND_CODE},
                 {"Scalar remainder", KIND_CODE},      {"Short vectors", KIND_CODE}, {"Not optimised", KIND_CODE},    {"Loop order", KIND_CODE}, {"Layout", KIND_CODE},    {"Memory management", KIND_CODE}, {"Array assignments", KIND_CODE}, {"Copied arguments", KIND_CODE}, {"Intrinsic procedures", KIND_CODE}, {"Library", KIND_CODE}, {"Generated code", KIND_CODE}, {"One thread", KIND_THREADS},    {"Not vectorised", KIND_CODE},   {"Vectorisation not tried", KIND_CODE}, {"Spin waits", KIND_CODE}, {"Calls of MPI", KIND_MESSAGES},
                 {"MPI", KIND_MESSAGES},               {"Array", KIND_MESSAGES},        {"Imbalance", KIND_THREADS},            {"Serial", KIND_THREADS},
                 {"OpenMP runtime", KIND_THREADS},     {"Blocked", KIND_THREADS},       {"Input and output", KIND_FILES},       {"In the kernel", KIND_KERNEL},
                 {"Hardly any CPU time", KIND_SHARES}};
    if (!strcmp(x->title, "Care"))
        return x->weight >= r->total ? KIND_CARE : KIND_PRECISION;
    if (!strcmp(x->title, "No processor"))
        return x->weight >= r->total ? KIND_LINE : KIND_MACHINE;
    if (!strcmp(x->title, "Waiting caused"))
        return r->info.messages ? KIND_MESSAGES : KIND_THREADS;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(x->title, kinds[i].title))
            return kinds[i].kind;
    return KIND_MACHINE;
}

/* Those that are told in elapsed time, in which standing in line for a processor is. */
static bool is_elapsed(const char *title) {
    static const char *const elapsed[] = {"Calls of MPI", "Array", "Blocked", "Waiting caused", "Input and output"};
    for (size_t i = 0; i < sizeof elapsed / sizeof *elapsed; i++)
        if (!strcmp(title, elapsed[i]))
            return true;
    return false;
}

enum { MINOR = 5 }; /* a finding with less than a fifth of the weight of the heaviest stands behind those with more, of whatever kind */

typedef struct placed { /* a finding on its way to its place */
    hsc_db_finding finding;
    kind kind;
    int rank;       /* 0: with much at stake; 1: of elapsed time, where that is mostly standing in line; 2: with little at stake */
    double of_kind; /* weight of the heaviest of kind and rank */
} placed;

static int before(const void *a, const void *b) {
    const placed *p = a, *q = b;
    const hsc_db_finding *x = &p->finding, *y = &q->finding;
    kind first = p->kind < q->kind ? p->kind : q->kind;
    if (p->kind != q->kind && first <= KIND_CARE)
        return p->kind < q->kind ? -1 : 1;
    if (p->rank != q->rank)
        return p->rank < q->rank ? -1 : 1;
    if (p->kind != q->kind && first == KIND_LINE)
        return p->kind < q->kind ? -1 : 1;
    if (p->of_kind != q->of_kind)
        return p->of_kind > q->of_kind ? -1 : 1;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : (x->order > y->order) - (x->order < y->order);
}

static void put_in_order(findings *f) {
    placed *list = f->n ? malloc(f->n * sizeof *list) : NULL;
    double heaviest[3][KINDS] = {{0}}, most[2] = {0}, ran = report_part_ran(f->r); /* most: of CPU time, of elapsed time */
    bool in_line = false;
    for (uint32_t i = 0; list && i < f->n; i++) {
        hsc_db_finding *x = &f->list[i];
        kind k = kind_of(f->r, x);
        x->weight *= is_elapsed(x->title) ? ran : 1;
        list[i] = (placed){*x, k, 0, 0};
        in_line = in_line || k == KIND_LINE;
        if (k == KIND_CODE || (k > KIND_LINE && k < KIND_PRECISION))
            most[is_elapsed(x->title)] = fmax(most[is_elapsed(x->title)], x->weight);
    }
    for (uint32_t i = 0; list && i < f->n; i++) {
        placed *p = &list[i];
        bool elapsed = is_elapsed(p->finding.title);
        double than = in_line && !elapsed ? most[0] : fmax(most[0], most[1]); /* elapsed times that are mostly standing in line make no CPU time little */
        bool minor = p->kind > KIND_CARE && p->kind != KIND_LINE && MINOR * p->finding.weight < than;
        p->rank = minor ? 2 : p->kind == KIND_LINE || (in_line && elapsed);
        heaviest[p->rank][p->kind] = fmax(heaviest[p->rank][p->kind], p->finding.weight);
    }
    for (uint32_t i = 0; list && i < f->n; i++)
        list[i].of_kind = heaviest[list[i].rank][list[i].kind];
    if (list)
        qsort(list, f->n, sizeof *list, before);
    for (uint32_t i = 0; list && i < f->n; i++)
        f->list[i] = list[i].finding;
    free(list);
}

void findings_seconds(const report *r, double samples, char *out, size_t size) {
    double v = samples * r->unit.scale;
    if (!r->unit.unit[0]) /* events that are counted */
        snprintf(out, size, v < 1e7 ? "%.0f %s" : "%.3g %s", v, r->unit.name);
    else
        snprintf(out, size, "%.*f %s", v >= 100 ? 1 : v >= 1 ? 2 : 3, v, r->unit.unit);
}

/* "388.2 s, 31.4 % (31.3 to 31.5 %)" */
void findings_amount(const report *r, hsc_weighted v, char *out, size_t size) {
    double low, high;
    char s[48];
    report_share_interval(r, v, &low, &high);
    findings_seconds(r, v.sum, s, sizeof s);
    snprintf(out, size, "%s, %.1f %% (%.1f to %.1f %%)", s, r->total > 0 ? 100 * v.sum / r->total : 0, 100 * low, 100 * high);
}

/* "core/sweep.c:16-20" */
void findings_place(const report *r, const hsc_db_scope *s, char *out, size_t size) {
    hsc_db_file f;
    char path[512], called[400];
    if (s->file == HSC_NONE || hsc_db_get_file(r->db, s->file, &f, NULL)) {
        snprintf(out, size, "unknown place");
        return;
    }
    report_fit_place(f.path, 40, path, sizeof path);
    if (report_called_at(r, s, called, sizeof called))
        snprintf(out, size, "%s", called);
    else if (!s->line_begin)
        snprintf(out, size, "%s", path);
    else if (s->line_end > s->line_begin)
        snprintf(out, size, "%s:%u-%u", path, s->line_begin, s->line_end);
    else
        snprintf(out, size, "%s:%u", path, s->line_begin);
}

void findings_procedure(const report *r, const hsc_db_scope *s, char *out, size_t size) {
    hsc_db_scope p;
    char name[1000];
    if (s->procedure == HSC_NONE || hsc_db_get_scope(r->db, s->procedure, &p, NULL))
        snprintf(out, size, "unknown procedure");
    else
        report_fit(report_procedure_name(r, &p, name, sizeof name), 60, out, size);
}

/* Time in the user's own program that the pass did not compile. */
static hsc_status little_known(findings *f, hsc_err *err) {
    report *r = f->r;
    hsc_weighted sum = {0};
    double lines = 0;
    uint32_t worst = HSC_NONE;
    hsc_db_scope worst_scope = {0};
    char text[1200], share[120], name[80];
    hsc_db_module m;
    for (uint32_t k = 0; k < r->info.scopes; k++) {
        hsc_db_scope s;
        hsc_status status = r->excl[k] > 0 ? hsc_db_get_scope(r->db, k, &s, err) : HSC_OK;
        if (status)
            return status;
        if (r->excl[k] <= 0 || s.knowledge == HSC_KNOWN_MAP || !report_is_own(r, &s))
            continue;
        sum.sum += r->excl[k];
        sum.excess += r->excl_excess[k];
        if (worst == HSC_NONE || r->excl[k] > r->excl[worst]) {
            worst = k;
            worst_scope = s;
        }
        lines += s.knowledge == HSC_KNOWN_DWARF ? r->excl[k] : 0;
    }
    if (sum.sum < 0.2 * r->total)
        return HSC_OK;
    findings_amount(r, sum, share, sizeof share);
    bool known = worst_scope.module != HSC_NONE && !hsc_db_get_module(r->db, worst_scope.module, &m, NULL);
    if (known && strstr(m.note, "the map is of no use without it"))
        snprintf(text, sizeof text, "Little is known of %s of the time: %s has its map, but no line tables, by which it is read: it was linked with -s, stripped, or compiled with -g0. "
                 "Link it without -s (as 'heatscope cc' does), or 'strip' it after 'heatscope map --save' has kept what it then lacks.", share, report_fit_path(m.path, 60, name, sizeof name));
    else if (known && m.knowledge == HSC_KNOWN_MODULE && m.note[0] && strcmp(m.note, "no map"))
        snprintf(text, sizeof text, "Little is known of %s of the time: the code of %s cannot be looked at (%.600s). 'heatscope run' keeps a program by a hard link where the measurement is on its file "
                 "system, 'heatscope map --save' anywhere; else correlate before it is built anew, moved or removed.", share, report_fit_path(m.path, 60, name, sizeof name), m.note);
    else
        snprintf(text, sizeof text, "Little is known of %s of the time: that code of the program was not compiled with the pass%s. 'heatscope cc' "
                 "(or c++, fc) gives its loops and what became of them.", share,
                 lines > 0.5 * sum.sum ? "; lines come from its debug information" : ", and has no debug information");
    findings_say(f, sum.sum, "Little known", sum, worst == HSC_NONE ? spot_nowhere : spot_of_scope(worst, &worst_scope), text);
    return HSC_OK;
}

/* ---- scalar time in vectorised loops; hot loops that were not vectorised ---- */

static hsc_status loop_versions(findings *f, hsc_err *err) {
    report *r = f->r;
    const uint32_t *loops = f->loops, n = f->n_loops;
    hsc_weighted worst = {0};
    uint32_t worst_at = HSC_NONE;
    report_versions worst_v = {0};
    char text[4096], how[400], where[600], of[300], share[120], why[600];
    hsc_db_scope s;
    for (uint32_t i = 0; i < n; i++) {
        report_versions v;
        if (r->excl[loops[i]] + report_unrolled(r, loops[i]) < 0.01 * r->total)
            continue;
        hsc_status status = report_versions_of(r, loops[i], &v, how, sizeof how, err);
        if (status)
            return status;
        if (v.scalar.sum > worst.sum && v.width) {
            worst = v.scalar;
            worst_at = loops[i];
            worst_v = v;
        }
    }
    if (worst_at != HSC_NONE && worst.sum >= 0.01 * r->total) {
        hsc_status status = hsc_db_get_scope(r->db, worst_at, &s, err);
        if (status)
            return status;
        findings_place(r, &s, where, sizeof where);
        findings_procedure(r, &s, of, sizeof of);
        findings_amount(r, worst, share, sizeof share);
        /* all of it: some samples at the loop's lines may be in no version of it */
        double all = fmax(worst_v.vector.sum + worst_v.scalar.sum + worst_v.other.sum, r->excl[worst_at] + report_unrolled(r, worst_at));
        snprintf(text, sizeof text,
                 "Scalar time in a vectorised loop: %s, which is %.0f %% of the loop's time, is spent in its scalar remainder or fall-back, "
                 "though there is a vector body of %u lanes: %s%s at %s in %s.%s",
                 share, 100 * worst.sum / all, worst_v.width, s.name, findings_loop_word(s.name), where,
                 of, report_why_scalar(r, worst_at, &worst_v, why, sizeof why));
        findings_say(f, worst.sum, "Scalar remainder", worst, spot_of_scope(worst_at, &s), text);
    }
    return HSC_OK;
}

/* Samples of a procedure of the user's: its own code, and libraries that it calls. */
static double with_libraries(const report *r, uint32_t procedure) {
    return r->paid && !r->paid->missing ? fmax(r->paid->procedure[procedure].sum, r->own[procedure]) : r->own[procedure];
}

/* What one thread alone runs, outside the parallel regions that the program has. */
static hsc_status serial(findings *f, hsc_err *err) {
    report *r = f->r;
    const uint32_t *procedures = f->procedures, n = f->n_procedures;
    hsc_weighted sum = {0};
    uint32_t most = HSC_NONE, at = HSC_NONE;
    for (uint32_t i = 0; i < n && r->columns > 1 && r->own[procedures[i]] > 0; i++) {
        report_spread p;
        hsc_db_scope s;
        hsc_db_thread t;
        if (!report_may_be_serial(r, procedures[i])) /* the spread of a procedure is a row to read */
            continue;
        hsc_status status = report_spread_of(r, procedures[i], &p, err);
        if (!status)
            status = hsc_db_get_scope(r->db, procedures[i], &s, err);
        if (status)
            return status;
        if (!report_is_serial(r, procedures[i], &p) || hsc_db_get_thread(r->db, p.max_at, &t, NULL) || t.index != 0)
            continue;
        sum.sum += r->own[procedures[i]];
        sum.excess += r->own_excess[procedures[i]];
        if (report_is_own(r, &s) && (most == HSC_NONE || with_libraries(r, procedures[i]) > with_libraries(r, most))) {
            most = procedures[i];
            at = p.max_at;
        }
    }
    if (most == HSC_NONE || !r->has_regions || sum.sum < 0.05 * r->total)
        return HSC_OK;
    hsc_db_scope s;
    char text[1600], where[600], of[300], share[120], who[64];
    hsc_status status = hsc_db_get_scope(r->db, most, &s, err);
    if (status)
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_procedure(r, &s, of, sizeof of);
    findings_amount(r, sum, share, sizeof share);
    report_processor(r, r->axis, at, who, sizeof who);
    double with = with_libraries(r, most);
    snprintf(text, sizeof text, "Serial: %s is spent outside parallel regions, on %s alone, most in %s (%s), %.1f %%%s: more threads don't make that shorter.", share, who, of,
             where, 100 * with / r->total, with > r->own[most] + 0.001 * r->total ? " with the libraries that it calls" : "");
    findings_say(f, sum.sum, "Serial", sum, spot_of_scope(most, &s), text);
    return HSC_OK;
}

/* Loops that the vectoriser refused, or was not let to look at. */
static hsc_status look_for_refused(findings *f, hsc_err *err) {
    hsc_status status = report_look_for_refused(f->r, &f->refused, FINDINGS_ROWS / 2, err);
    f->again = f->refused.next < f->r->info.scopes;
    return status;
}

/* Samples of the loop's own code; of one in a header, for which the user's round it pays, those that it has. */
static double own_code(const report *r, uint32_t loop) { return fmax(r->paid ? r->paid->own_code[loop] : 0, r->excl[loop]); }

/* " (with what it calls; 3.1 % its own code)"; empty where that is the same, or where the hottest loop has said so. */
static void tell_more(const findings *f, const report_refusal *x, char *out, size_t size) {
    const report *r = f->r;
    double own = own_code(r, x->scope);
    bool calls = x->called.sum > 0.001 * r->total;
    out[0] = 0;
    if (x->scope != f->hottest && x->scalar.sum > own + 0.001 * r->total)
        snprintf(out, size, " (with %s; %.1f %% its own code)", calls ? "what it calls" : "procedures inlined into it", 100 * own / r->total);
}

/* "CG/cg.f:851-853: loop not vectorized: ... (hint)" */
static hsc_status refused_at(findings *f, const report_refusal *x, char *out, size_t size, hsc_err *err) {
    hsc_db_scope s;
    report *r = f->r;
    char where[600], why[800], hint[REPORT_HINT_BYTES], inlined[120], strides[400] = "";
    hsc_status status = hsc_db_get_scope(r->db, x->scope, &s, err);
    if (status)
        return status;
    findings_place(r, &s, where, sizeof where);
    report_refusal_text(r, x, why, sizeof why);
    if (x->scope != f->hottest)
        report_strides(r, x->scope, strides, sizeof strides);
    report_hint(r, x, hint, sizeof hint);
    tell_more(f, x, inlined, sizeof inlined);
    snprintf(out, size, "%s%s: %s%s%s%s%s%s", where, inlined, why, strides[0] ? "; " : "", strides, hint[0] ? " (" : "", hint, hint[0] ? ")" : "");
    return HSC_OK;
}

bool findings_vectors_help(const report *r) {
    hsc_db_metric m;
    return !strcmp(r->unit.unit, "s") || (!hsc_db_get_metric(r->db, r->metric, &m, NULL) && (strstr(m.name, "cycles") || strstr(m.name, "instructions")));
}

/* Where vectors would save less than 2 % of all time, at best, they are nothing to tell of, but why the hottest loop has none, or another one whose own code has a
 * tenth of the time, where LLVM makes none of it as it is written: *rows and *n become that one, or none. */
static void leave_little(const findings *f, const report_refusal **rows, uint32_t *n) {
    report *r = f->r;
    double price = 0;
    uint32_t keep = *n;
    for (uint32_t i = 0; i < *n; i++) {
        const report_refusal *x = &(*rows)[i];
        double gain = x->gain, own = x->scope == f->hottest ? x->scalar.sum : own_code(r, x->scope);
        price += gain * x->apart.sum;
        keep = keep == *n && !(gain > 0) && fmin(own, x->scalar.sum) >= 0.1 * r->total ? i : keep;
    }
    if (price >= 0.02 * r->total)
        return;
    *rows += keep < *n ? keep : 0;
    *n = keep < *n;
}

/* Loops that the same change helps. */
typedef struct advised {
    char hint[REPORT_HINT_BYTES];
    uint32_t first, loops; /* the hottest of them */
    double gain, sum;
} advised;

/* Of the loops with that reason those whose advice has most to win together; loops 0: none has any. */
static void find_advised(report *r, const report_refusal *rows, uint32_t n, uint32_t reason, advised *best) {
    enum { ROWS = 256 /* looked at, the hottest */, ADVICES = 32 };
    advised *kinds = malloc(ADVICES * sizeof *kinds);
    uint32_t known = 0;
    *best = (advised){.loops = 0};
    for (uint32_t i = 0; kinds && i < n && i < ROWS; i++) {
        char hint[REPORT_HINT_BYTES];
        uint32_t k = 0;
        if (rows[i].reason != reason || !(rows[i].gain > 0) || !*report_hint(r, &rows[i], hint, sizeof hint))
            continue;
        while (k < known && strcmp(kinds[k].hint, hint))
            k++;
        if (k == ADVICES)
            continue;
        if (k == known) {
            kinds[known++] = (advised){.first = i};
            memcpy(kinds[k].hint, hint, sizeof hint);
        }
        kinds[k].loops++;
        kinds[k].gain += rows[i].gain * rows[i].apart.sum;
        kinds[k].sum += rows[i].apart.sum;
    }
    for (uint32_t k = 0; k < known; k++)
        if (kinds[k].gain > best->gain)
            *best = kinds[k];
    free(kinds);
}

/* Time at stake in loops that the vectoriser refused. */
static hsc_status refused(findings *f, hsc_err *err) {
    report *r = f->r;
    const report_refusal *rows = f->refused.refused.rows;
    uint32_t n = f->refused.refused.n, example = 0;
    hsc_weighted all = {0};
    report_reason reasons[REPORT_REASONS];
    char text[7200], share[140], at[2800], hottest[2800], also[2900] = "";
    double called = 0, price = 0, beyond = 0, gains[REPORT_REASONS] = {0}, reach[REPORT_REASONS] = {0};
    uint32_t hot, told = 0; /* the hottest that vectors may help; the reason that is named */
    hsc_db_scope s;
    leave_little(f, &rows, &n);
    uint32_t kinds = report_sum_reasons(rows, n, reasons);
    hot = n;
    for (uint32_t i = 0; i < n; i++) {
        double gain = rows[i].gain * rows[i].apart.sum;
        all.sum += rows[i].apart.sum;
        all.excess += rows[i].apart.excess;
        called += rows[i].called.sum;
        price += gain;
        beyond += gain > 0 ? 0 : rows[i].apart.sum;
        gains[rows[i].reason % REPORT_REASONS] += gain;
        reach[rows[i].reason % REPORT_REASONS] += gain > 0 ? rows[i].apart.sum : 0;
        hot = gain > 0 && hot == n ? i : hot;
    }
    if (!n || all.sum < 0.01 * r->total || !findings_vectors_help(r))
        return HSC_OK;
    hot = hot == n ? 0 : hot;
    for (uint32_t k = 0; k < kinds; k++)
        if (gains[reasons[k].reason] > gains[reasons[told].reason])
            told = k;
    while (example + 1 < n && (rows[example].reason != reasons[told].reason || (price > 0 && !(rows[example].gain > 0)))) /* the hottest of the reason that is named */
        example++;
    advised same;
    find_advised(r, rows, n, reasons[told].reason, &same);
    bool together = same.loops && same.first != example && same.gain > rows[example].gain * rows[example].apart.sum;
    example = together ? same.first : example;
    hsc_status status = hsc_db_get_scope(r->db, rows[hot].scope, &s, err);
    if (!status)
        status = refused_at(f, &rows[example], at, sizeof at, err);
    if (!status && same.loops > 1 && example == same.first) {
        size_t k = strlen(at);
        snprintf(at + k, sizeof at - k, "; the same is so of %u more loop%s, %.1f %% together", same.loops - 1, same.loops == 2 ? "" : "s", 100 * same.sum / r->total);
    }
    if (!status && example != hot)
        status = refused_at(f, &rows[hot], hottest, sizeof hottest, err);
    if (status)
        return status;
    bool at_most = called > 0.001 * r->total;
    memcpy(share, "up to ", 6);
    findings_amount(r, all, share + (at_most ? 6 : 0), sizeof share - 6);
    const char *reason = hsc_enum_text("reason", reasons[told].reason);
    if (example != hot)
        snprintf(also, sizeof also, ". The hottest%s, %.1f %%, is at %s", hot ? " that may become vectors" : " of all", 100 * rows[hot].scalar.sum / r->total, hottest);
    if (n == 1)
        snprintf(text, sizeof text, "Not vectorised: %s in the loop at %s.", share, at);
    else if (kinds == 1)
        snprintf(text, sizeof text, "Not vectorised: %s in %u loops that the compiler gave up on, all for the reason '%s'; %s, %.1f %%, is at %s.", share, n,
                 reason ? reason : "unknown", together ? "the hottest of those that one change helps most" : "the hottest", 100 * rows[example].scalar.sum / r->total, at);
    else
        snprintf(text, sizeof text,
                 "Not vectorised: %s in %u loops that the compiler gave up on, %.1f %% for the reason '%s'; %s, %.1f %%, is at %s%s.",
                 share, n, 100 * (price > 0 ? reach[reasons[told].reason % REPORT_REASONS] : reasons[told].scalar.sum) / r->total, reason ? reason : "unknown", together ? "the hottest of those that one change helps most" : "the hottest of these", 100 * rows[example].scalar.sum / r->total, at, also);
    if (beyond > 0.005 * r->total && n > 1 && price > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), " Of all, %.1f %% is in loops of which LLVM makes no vectors as they are written.", 100 * beyond / r->total);
    else if (!(price > 0))
        snprintf(text + strlen(text), sizeof text - strlen(text), " LLVM makes no vectors of it as it is written.");
    findings_say(f, price, "Not vectorised", all, spot_of_scope(rows[hot].scope, &s), text);
    return HSC_OK;
}

/* Time in loops that the vectoriser was not let to look at. */
static hsc_status not_tried(findings *f, hsc_err *err) {
    report *r = f->r;
    const report_refusal *rows = f->refused.not_tried.rows;
    uint32_t n = f->refused.not_tried.n;
    hsc_weighted all = {0};
    char text[1200], share[120];
    hsc_db_scope s;
    char where[600];
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < n; i++) {
        all.sum += rows[i].apart.sum;
        all.excess += rows[i].apart.excess;
    }
    if (n && all.sum >= 0.01 * r->total && !(status = hsc_db_get_scope(r->db, rows[0].scope, &s, err))) {
        findings_place(r, &s, where, sizeof where);
        findings_amount(r, all, share, sizeof share);
        snprintf(text, sizeof text,
                 "Vectorisation not tried: %s in %u loop%s that the compiler did not look at, as they were compiled below -O2 or with "
                 "-fno-vectorize; the hottest, %.1f %%, is at %s. What it makes of them shows with -O2 or -O3 only.",
                 share, n, n == 1 ? "" : "s", 100 * rows[0].scalar.sum / r->total, where);
        findings_say(f, all.sum / 4, "Vectorisation not tried", all, spot_of_scope(rows[0].scope, &s), text);
    }
    return status;
}

/* Time in loops that only wait for what another thread writes. */
static hsc_status spin_waits(findings *f, hsc_err *err) {
    report *r = f->r;
    const report_refusal *rows = f->refused.waits.rows;
    uint32_t n = f->refused.waits.n;
    hsc_weighted all = {0};
    char text[1200], share[120], where[600], loops[60] = "the loop";
    hsc_db_scope s;
    for (uint32_t i = 0; i < n; i++) {
        all.sum += rows[i].apart.sum;
        all.excess += rows[i].apart.excess;
    }
    if (!n || all.sum < 0.01 * r->total)
        return HSC_OK;
    hsc_status status = hsc_db_get_scope(r->db, rows[0].scope, &s, err);
    if (status)
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_amount(r, all, share, sizeof share);
    if (n > 1)
        snprintf(loops, sizeof loops, "%u loops; the hottest, %.1f %%, is", n, 100 * rows[0].scalar.sum / r->total);
    snprintf(text, sizeof text, "Spin waits: %s in %s at %s: it only looks, again and again, at what another thread writes, or pauses, and uses a processor meanwhile.", share, loops, where);
    findings_say(f, all.sum, "Spin waits", all, spot_of_scope(rows[0].scope, &s), text);
    return HSC_OK;
}

/* ", waiting 59.5 % (55.5 to 63.5 %)"; what was timed has no interval. */
static void say_share(const report *r, hsc_weighted sum, const char *before, const char *name, char *text, size_t size) {
    size_t at = strlen(text);
    double low, high;
    int n = snprintf(text + at, size - at, "%s %s %.1f %%", before, name, 100 * sum.sum / r->total);
    if (r->unit.exact || n < 0 || (at += (size_t)n) >= size)
        return;
    report_share_interval(r, sum, &low, &high);
    snprintf(text + at, size - at, " (%.1f to %.1f %%)", 100 * low, 100 * high);
}

static hsc_status categories(findings *f, hsc_err *err) {
    report *r = f->r;
    hsc_weighted sums[64], rest = {0};
    double others = 0;
    uint32_t n = r->info.categories < 64 ? r->info.categories : 64;
    char text[4096];
    hsc_db_metric metric;
    if (!r->metric || hsc_db_get_metric(r->db, r->metric, &metric, NULL))
        snprintf(text, sizeof text, "CPU time by what the threads were doing:");
    else
        snprintf(text, sizeof text, "%.200s by what the threads were doing:", metric.name);
    hsc_status status = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_THREAD}, 0, n, sums, err);
    if (status) {
        hsc_err_clear(err);
        return HSC_OK; /* not in this database */
    }
    for (uint32_t c = 0; c < n; c++) {
        const char *name = hsc_db_get_category(r->db, c);
        if (name && strcmp(name, "computation") && strcmp(name, "not known"))
            others += sums[c].sum;
    }
    if (!(others > 0) || others < 0.005 * r->total)
        return HSC_OK;
    for (uint32_t c = 0, k = 0; c < n; c++) {
        const char *name = hsc_db_get_category(r->db, c);
        if (!name || sums[c].sum <= 0)
            continue;
        if (sums[c].sum < 0.005 * r->total) {
            rest.sum += sums[c].sum;
            rest.excess += sums[c].excess;
            continue;
        }
        say_share(r, sums[c], k++ ? "," : "", name, text, sizeof text);
    }
    if (rest.sum >= 0.005 * r->total) {
        say_share(r, rest, ",", "other", text, sizeof text);
    }
    strncat(text, ".", sizeof text - strlen(text) - 1);
    if (!r->unit.exact && hsc_db_guesses_waiting(r->db))
        strncat(text, " Calls of MPI are communication or waiting by what they are, not by how long they waited (correlated with --time=none).", sizeof text - strlen(text) - 1);
    findings_say(f, r->total, "Where time goes", findings_no_share, spot_nowhere, text);
    return HSC_OK;
}

/* ---- all of them, in steps ---- */

bool findings_has_few(const report *r) {
    return r->total > 0 && !r->unit.exact && hsc_interval_effective(r->all) < FINDINGS_FEW;
}

/* In place of those of samples, where these are so few that any share would mislead. */
static hsc_status hardly_any(findings *f, hsc_err *err) {
    const report *r = f->r;
    char text[400], cpu[64];
    (void)err;
    if (!findings_has_few(r))
        return HSC_OK;
    findings_seconds(r, r->total, cpu, sizeof cpu);
    snprintf(text, sizeof text, "Hardly any %s: %s in samples, too few to tell shares by. Waits and calls of MPI are timed, each of them, and hold all the same.",
             r->unit.name, cpu);
    findings_say(f, r->total, "Hardly any CPU time", findings_no_share, spot_nowhere, text);
    return HSC_OK;
}

static hsc_status rank_loops(findings *f, hsc_err *err) {
    return report_rank(f->r, HSC_SCOPE_LOOP, &f->loops, &f->n_loops, err);
}

static hsc_status rank_procedures(findings *f, hsc_err *err) {
    return report_rank(f->r, HSC_SCOPE_PROCEDURE, &f->procedures, &f->n_procedures, err);
}

/* What the kernel counted is known of the whole run only. */
static bool is_whole(const findings *f) {
    double begin_s, end_s;
    return !hsc_db_get_interval(f->r->db, &begin_s, &end_s);
}

/* In an interval: what the database has of the whole run only makes no finding. */
static bool is_known(const findings *f) { return report_exact_known(f->r); }

static hsc_status messages(findings *f, hsc_err *err) {
    return f->r->info.messages && is_known(f) ? findings_messages(f, err) : HSC_OK;
}

static hsc_status blocked(findings *f, hsc_err *err) {
    return f->r->info.waits && is_known(f) ? findings_blocked(f, err) : HSC_OK;
}

static hsc_status causes(findings *f, hsc_err *err) {
    return f->r->info.delays && is_known(f) ? findings_causes(f, err) : HSC_OK;
}

static hsc_status arrays(findings *f, hsc_err *err) {
    return f->r->info.messages && f->r->info.mpi_sites && is_known(f) ? findings_arrays(f, err) : HSC_OK;
}

static hsc_status of_the_run(findings *f, hsc_err *err) {
    hsc_status status = is_whole(f) ? findings_kernel(f, err) : HSC_OK;
    if (!status && is_whole(f))
        findings_waiting_in_line(f);
    return status;
}

static hsc_status quality(findings *f, hsc_err *err) {
    (void)err;
    findings_quality(f);
    return HSC_OK;
}

typedef struct step {
    hsc_status (*look)(findings *f, hsc_err *err);
    bool of_samples; /* nothing to be said where there are none */
} step;
static const step steps[] = {{rank_loops, false},   {rank_procedures, false}, {findings_pay, true}, {findings_hottest_loop, true}, {findings_hottest_procedure, true},
                             {little_known, true},  {loop_versions, true},    {findings_imbalance, true}, {serial, true},         {findings_one_thread, true},
                             {categories, true},    {findings_call_tree, true}, {hardly_any, false},     {findings_mpi, true},     {findings_openmp, true}, {messages, false},
                             {blocked, false},      {causes, false},          {arrays, false},         {look_for_refused, true},
                             {refused, true},       {findings_loop_order, true}, {findings_layout, true}, {findings_memory, true}, {findings_assignments, true}, {findings_libraries, true}, {findings_generated, true}, {findings_short_vectors, true}, {findings_written_vectors, true}, {findings_unoptimised, true}, {spin_waits, true},       {of_the_run, false},      {not_tried, true},       {quality, false}};
enum { STEPS = sizeof steps / sizeof *steps };

struct report_looking {
    findings f;
    unsigned next;
};

report_looking *report_looking_new(report *r) {
    report_looking *l = calloc(1, sizeof *l);
    if (l) {
        l->f.r = r;
        l->f.hottest = HSC_NONE;
    }
    return l;
}

hsc_status report_looking_step(report_looking *l, bool *done, hsc_err *err) {
    l->f.again = false;
    bool due = l->next < STEPS && ((l->f.r->total > 0 && !findings_has_few(l->f.r)) || !steps[l->next].of_samples);
    hsc_status status = due ? steps[l->next].look(&l->f, err) : HSC_OK;
    l->next += !status && !l->f.again && l->next < STEPS;
    *done = l->next == STEPS;
    return status;
}

double report_looking_part(const report_looking *l) { return (double)l->next / STEPS; }

void report_looking_take(report_looking *l, hsc_db_finding **out, uint32_t *n) {
    put_in_order(&l->f);
    *out = l->f.list;
    *n = l->f.n;
    l->f.list = NULL;
    l->f.n = l->f.room = 0;
}

const report_refusal *report_looking_refusals(const report_looking *l, uint32_t *n) {
    *n = l->f.refused.refused.n;
    return l->f.refused.refused.rows;
}

void report_looking_free(report_looking *l) {
    if (!l)
        return;
    hsc_db_free_findings(l->f.list, l->f.n);
    findings_walk_free(l->f.walk);
    free(l->f.loops);
    free(l->f.procedures);
    free(l->f.refused.refused.rows);
    free(l->f.refused.not_tried.rows);
    free(l->f.refused.waits.rows);
    free(l->f.refused.order.rows);
    free(l);
}

hsc_status report_findings(report *r, hsc_db_finding **out, uint32_t *n, hsc_err *err) {
    report_looking *l = report_looking_new(r);
    bool done = false;
    hsc_status status = l ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    while (!status && !done)
        status = report_looking_step(l, &done, err);
    if (!status)
        report_looking_take(l, out, n);
    report_looking_free(l);
    return status;
}
