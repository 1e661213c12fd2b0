/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What stands out: sentences with their figure, its interval and its place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "report_arrays.h"
#include "report_causes.h"
#include "report_elapsed.h"
#include "report_measures.h"
#include "report_reasons.h"

typedef struct findings {
    report *r;
    uint32_t n, room;
    hsc_db_finding *list;
} findings;

/* Where a finding leads to. */
typedef struct spot {
    uint32_t scope, file, line;
} spot;

static const spot nowhere = {HSC_NONE, HSC_NONE, 0};

static spot at_scope(uint32_t row, const hsc_db_scope *s) {
    return (spot){row, s->file, s->line_begin};
}

static spot at_line(const report *r, uint32_t row) {
    hsc_db_line l;
    return row == HSC_NONE || hsc_db_get_line(r->db, row, &l, NULL) ? nowhere : (spot){l.scope, l.file, l.line};
}

static const hsc_weighted no_share = {-1, 0};

/* `samples`: those of the share that the finding tells, or no_share. */
static void say(findings *f, double weight, const char *title, hsc_weighted samples, spot at, const char *text) {
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

static int heavier(const void *a, const void *b) {
    const hsc_db_finding *x = a, *y = b;
    return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : (x->order > y->order) - (x->order < y->order);
}

static void seconds(const report *r, double samples, char *out, size_t size) {
    double v = samples * r->unit.scale;
    snprintf(out, size, "%.*f %s", v >= 100 ? 1 : v >= 1 ? 2 : 3, v, r->unit.unit);
}

/* "388.2 s, 31.4 % (31.3 to 31.5 %)" */
static void amount(const report *r, hsc_weighted v, char *out, size_t size) {
    double low, high;
    char s[48];
    report_share_interval(r, v, &low, &high);
    seconds(r, v.sum, s, sizeof s);
    snprintf(out, size, "%s, %.1f %% (%.1f to %.1f %%)", s, r->total > 0 ? 100 * v.sum / r->total : 0, 100 * low, 100 * high);
}

/* "core/sweep.c:16-20" */
static void place(const report *r, const hsc_db_scope *s, char *out, size_t size) {
    hsc_db_file f;
    char path[512];
    if (s->file == HSC_NONE || hsc_db_get_file(r->db, s->file, &f, NULL)) {
        snprintf(out, size, "unknown place");
        return;
    }
    report_fit_place(f.path, 40, path, sizeof path);
    if (!s->line_begin)
        snprintf(out, size, "%s", path);
    else if (s->line_end > s->line_begin)
        snprintf(out, size, "%s:%u-%u", path, s->line_begin, s->line_end);
    else
        snprintf(out, size, "%s:%u", path, s->line_begin);
}

static void procedure_name(const report *r, const hsc_db_scope *s, char *out, size_t size) {
    hsc_db_scope p;
    if (s->procedure == HSC_NONE || hsc_db_get_scope(r->db, s->procedure, &p, NULL))
        snprintf(out, size, "unknown procedure");
    else
        report_fit(p.name, 60, out, size);
}

/* ---- the hottest loop, and what became of it ---- */

/* " loop" behind the name of a loop that does not say so itself. */
static const char *loop_word(const char *name) {
    return strncmp(name, "loop", 4) ? " loop" : "";
}

static hsc_status hottest_loop(findings *f, const uint32_t *loops, uint32_t n, hsc_err *err) {
    report *r = f->r;
    hsc_db_scope s;
    report_versions v;
    hsc_db_remark remark;
    bool remarked = false;
    char text[4096], how[400], where[600], of[300], share[120], extra[900] = "";
    uint32_t hot = 0; /* of the user's code; a library's only where it has none */
    for (uint32_t i = 0; i < n; i++)
        if (!hsc_db_get_scope(r->db, loops[i], &s, NULL) && report_is_own(r, &s)) {
            hot = i;
            break;
        }
    if (!n || r->excl[loops[hot]] <= 0)
        return HSC_OK;
    hsc_status status = hsc_db_get_scope(r->db, loops[hot], &s, err);
    if (!status)
        status = report_versions_of(r, loops[hot], &v, how, sizeof how, err);
    if (!status)
        status = report_remark_of(r, loops[hot], &remarked, &remark, err);
    if (status)
        return status;
    place(r, &s, where, sizeof where);
    procedure_name(r, &s, of, sizeof of);
    amount(r, report_excl(r, loops[hot]), share, sizeof share);
    if (how[0])
        snprintf(extra, sizeof extra, " It runs as: %s.", how);
    if (remarked && remark.kind != HSC_remark_kind_PASSED && strcmp(remark.pass, "loop-vectorize") != 0) { /* that is a finding of its own */
        char message[300];
        report_first_sentence(remark.message, message, sizeof message);
        snprintf(extra + strlen(extra), sizeof extra - strlen(extra), " The compiler: %s.", message);
    }
    snprintf(text, sizeof text, "The hottest loop takes %s: %s%s at %s, depth %u, in %s.%s", share, s.name, loop_word(s.name), where, s.depth, of, extra);
    say(f, r->excl[loops[hot]], "Hottest loop", report_excl(r, loops[hot]), at_scope(loops[hot], &s), text);
    return HSC_OK;
}

/* Where loops do not tell: too little is known of the code, or the time is outside of them. */
static hsc_status hottest_procedure(findings *f, const uint32_t *procedures, uint32_t n, const uint32_t *loops, uint32_t n_loops,
                                    hsc_err *err) {
    report *r = f->r;
    char text[4096], where[600], name[300], share[120];
    hsc_db_scope s;
    uint32_t i = 0;
    hsc_status status = HSC_OK;
    for (; i < n; i++) { /* of the program; what libraries do is told elsewhere */
        status = hsc_db_get_scope(r->db, procedures[i], &s, err);
        if (status || report_is_own(r, &s))
            break;
    }
    if (status || i == n || r->own[procedures[i]] < 0.01 * r->total || (n_loops && r->excl[loops[0]] > 0.25 * r->own[procedures[i]]))
        return status;
    place(r, &s, where, sizeof where);
    amount(r, report_own(r, procedures[i]), share, sizeof share);
    snprintf(text, sizeof text, "The hottest procedure takes %s: %s (%s).", share, report_fit(s.name, 60, name, sizeof name), where);
    say(f, r->own[procedures[i]], "Hottest procedure", report_own(r, procedures[i]), at_scope(procedures[i], &s), text);
    return HSC_OK;
}

/* Time in the user's own program that the pass did not compile. */
static hsc_status little_known(findings *f, hsc_err *err) {
    report *r = f->r;
    hsc_weighted sum = {0};
    double lines = 0;
    uint32_t worst = HSC_NONE;
    hsc_db_scope worst_scope = {0};
    char text[600], share[120];
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
    amount(r, sum, share, sizeof share);
    snprintf(text, sizeof text, "Little is known of %s of the time: that code of the program was not compiled with the pass%s. 'heatscope cc' "
             "(or c++, fc) gives its loops and what became of them.", share,
             lines > 0.5 * sum.sum ? "; lines come from its debug information" : ", and has no debug information");
    say(f, sum.sum, "Little known", sum, worst == HSC_NONE ? nowhere : at_scope(worst, &worst_scope), text);
    return HSC_OK;
}

/* ---- scalar time in vectorised loops; hot loops that were not vectorised ---- */

static hsc_status loop_versions(findings *f, const uint32_t *loops, uint32_t n, hsc_err *err) {
    report *r = f->r;
    hsc_weighted worst = {0};
    uint32_t worst_at = HSC_NONE;
    report_versions worst_v = {0};
    char text[4096], how[400], where[600], of[300], share[120];
    hsc_db_scope s;
    for (uint32_t i = 0; i < n && r->excl[loops[i]] >= 0.002 * r->total; i++) {
        report_versions v;
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
        place(r, &s, where, sizeof where);
        procedure_name(r, &s, of, sizeof of);
        amount(r, worst, share, sizeof share);
        snprintf(text, sizeof text,
                 "Scalar time in a vectorised loop: %s, which is %.0f %% of the loop's time, is spent in its scalar remainder or fall-back, "
                 "though there is a vector body of %u lanes: %s%s at %s in %s.",
                 share, 100 * worst.sum / (worst_v.vector.sum + worst_v.scalar.sum + worst_v.other.sum), worst_v.width, s.name, loop_word(s.name), where,
                 of);
        say(f, worst.sum, "Scalar remainder", worst, at_scope(worst_at, &s), text);
    }
    return HSC_OK;
}

/* ---- imbalance ---- */

/* The spread over those threads alone that have any; its least is still that of all. */
static report_spread among_running(const report_spread *all) {
    report_spread p = *all;
    double sum = all->mean * all->columns, squares = all->dispersion * (all->mean + (all->columns ? all->excess / all->columns : 0));
    squares -= (double)(all->columns - all->running) * all->mean * all->mean; /* the zeros' */
    p.columns = all->running;
    p.mean = sum / all->running;
    squares -= (double)all->running * (p.mean - all->mean) * (p.mean - all->mean); /* round their own mean */
    p.dispersion = p.mean > 0 ? fmax(0, squares) / (p.mean + all->excess / all->running) : 0;
    return p;
}

static hsc_status imbalance(findings *f, const uint32_t *procedures, uint32_t n, hsc_err *err) {
    report *r = f->r;
    struct {
        uint32_t scope;
        report_spread spread;
        double cost;
    } best[2] = {{.scope = HSC_NONE}, {.scope = HSC_NONE}};
    if (r->columns < 2)
        return HSC_OK;
    for (uint32_t i = 0; i < n && i < 20 && r->own[procedures[i]] >= 0.01 * r->total; i++) {
        report_spread p;
        hsc_db_scope s;
        hsc_status status = report_spread_of(r, procedures[i], &p, err);
        if (!status)
            status = hsc_db_get_scope(r->db, procedures[i], &s, err);
        if (status)
            return status;
        if (!status && report_is_of_few(r, procedures[i], &p))
            p = among_running(&p);
        double cost = p.max - p.mean; /* what the slowest would save */
        if (report_is_serial(r, procedures[i], &p))
            continue;
        /* libraries wait because others work: their imbalance is a consequence */
        if (!report_is_own(r, &s) || !report_uneven(&p) || p.max < 1.1 * p.mean || cost < 0.02 * r->total / r->columns)
            continue;
        int at = cost > best[0].cost ? 0 : cost > best[1].cost ? 1 : 2;
        if (at == 0)
            best[1] = best[0];
        if (at < 2) {
            best[at].scope = procedures[i];
            best[at].spread = p;
            best[at].cost = cost;
        }
    }
    for (int i = 0; i < 2 && best[i].scope != HSC_NONE; i++) {
        const report_spread *p = &best[i].spread;
        hsc_db_scope s;
        char text[4096], where[600], of[300], top[64], bottom[64], mean[48], least[48], save[48], among[200];
        double low, high;
        hsc_status status = hsc_db_get_scope(r->db, best[i].scope, &s, err);
        if (status)
            return status;
        place(r, &s, where, sizeof where);
        procedure_name(r, &s, of, sizeof of);
        report_processor(r, r->axis, p->max_at, top, sizeof top);
        report_processor(r, r->axis, p->min_at, bottom, sizeof bottom);
        report_ratio_interval(r, p, &low, &high);
        seconds(r, p->mean, mean, sizeof mean);
        seconds(r, p->min, least, sizeof least);
        seconds(r, best[i].cost, save, sizeof save);
        if (p->columns < r->columns)
            snprintf(among, sizeof among, "; the mean of the %u threads that run it is %s", p->columns, mean);
        else
            snprintf(among, sizeof among, "; the mean is %s, the least %s on %s", mean, least, bottom);
        snprintf(text, sizeof text,
                 "Imbalance: %s (%s) takes %.2f times the mean on %s (%.2f to %.2f)%s. Spread evenly, %s would have %s less.",
                 of, where, p->max / p->mean, top, low, high, among, top, save);
        say(f, best[i].cost * p->columns, "Imbalance", no_share, at_scope(best[i].scope, &s), text);
    }
    return HSC_OK;
}

/* What one thread alone runs, outside the parallel regions that the program has. */
static hsc_status serial(findings *f, const uint32_t *procedures, uint32_t n, hsc_err *err) {
    report *r = f->r;
    hsc_weighted sum = {0};
    uint32_t first = HSC_NONE, at = HSC_NONE;
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
        if (first == HSC_NONE && report_is_own(r, &s)) {
            first = procedures[i];
            at = p.max_at;
        }
    }
    if (first == HSC_NONE || !r->has_regions || sum.sum < 0.05 * r->total)
        return HSC_OK;
    hsc_db_scope s;
    char text[1600], where[600], of[300], share[120], who[64];
    hsc_status status = hsc_db_get_scope(r->db, first, &s, err);
    if (status)
        return status;
    place(r, &s, where, sizeof where);
    procedure_name(r, &s, of, sizeof of);
    amount(r, sum, share, sizeof share);
    report_processor(r, r->axis, at, who, sizeof who);
    snprintf(text, sizeof text, "Serial: %s is spent outside parallel regions, on %s alone, most in %s (%s), %.1f %%: more threads don't make that shorter.", share, who, of,
             where, 100 * r->own[first] / r->total);
    say(f, sum.sum, "Serial", sum, at_scope(first, &s), text);
    return HSC_OK;
}

/* ---- communication and runtime libraries ---- */

/* The call of `scope` that has most of its time: who calls it, and from which line. */
static hsc_status main_caller(report *r, uint32_t scope, char *out, size_t size, uint32_t *line, hsc_err *err) {
    hsc_db_context c, up;
    double best = 0;
    uint32_t best_line = HSC_NONE, best_scope = HSC_NONE, best_context = 0;
    out[0] = 0;
    *line = HSC_NONE;
    if (r->info.contexts > 5000000)
        return HSC_OK;
    double *sums = calloc((uint64_t)r->info.contexts + 1, sizeof *sums);
    hsc_status status = sums ? hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, 0,
                                                r->info.contexts, sums, NULL)
                             : HSC_E_MEMORY;
    for (uint32_t i = 1; i < r->info.contexts && !status; i++) {
        status = hsc_db_get_context(r->db, i, &c, err);
        if (status || c.scope != scope || sums[i] <= best)
            continue;
        status = hsc_db_get_context(r->db, c.parent, &up, err);
        best = sums[i];
        best_line = c.call_line;
        best_scope = up.scope;
        best_context = i;
    }
    free(sums);
    if (status == HSC_E_MISSING)
        return HSC_OK;
    if (status || best_scope == HSC_NONE)
        return status;
    hsc_db_scope s;
    hsc_db_line l;
    hsc_db_file file;
    char name[300], path[300], merged[100];
    for (uint32_t at = best_context; at; at = c.parent) { /* the call in the user's code, if there is one */
        hsc_db_scope above;
        if (hsc_db_get_context(r->db, at, &c, NULL) || hsc_db_get_context(r->db, c.parent, &up, NULL) || c.parent >= at)
            break;
        if (!hsc_db_get_scope(r->db, up.scope, &above, NULL) && above.kind >= HSC_SCOPE_PROCEDURE && report_is_own(r, &above)) {
            best_line = c.call_line;
            best_scope = up.scope;
            break;
        }
    }
    report_merged_text(r, best_line, merged, sizeof merged);
    status = hsc_db_get_scope(r->db, best_scope, &s, err);
    if (status || s.procedure == HSC_NONE)
        return status;
    procedure_name(r, &s, name, sizeof name);
    *line = best_line;
    if (best_line != HSC_NONE && !hsc_db_get_line(r->db, best_line, &l, NULL) && l.line && !hsc_db_get_file(r->db, l.file, &file, NULL))
        snprintf(out, size, ", mostly called by %s at %s:%u%s", name, report_fit_place(file.path, 40, path, sizeof path), l.line, merged);
    else
        snprintf(out, size, ", mostly called by %s", name);
    return HSC_OK;
}

static bool is_mpi_call(const char *name) {
    return !strncmp(name, "MPI_", 4) || !strncmp(name, "PMPI_", 5) || !strncmp(name, "mpi_", 4) || !strncmp(name, "pmpi_", 5);
}

/* MPI's share: samples with one of its libraries anywhere on the path; and the call with the most of it. */
static hsc_status mpi(findings *f, hsc_err *err) {
    static const char *const files[] = {"libmpi", "libmpich", "libopen-rte", "libopen-pal", NULL};
    report *r = f->r;
    hsc_weighted sum = {0};
    double best = 0;
    uint32_t best_at = HSC_NONE, caller_line = HSC_NONE;
    char text[4096], share[120], detail[1200] = "";
    hsc_status status = HSC_OK;
    for (uint32_t s = 0; s < r->info.scopes && !status; s++) {
        hsc_db_scope scope;
        hsc_db_module m;
        status = hsc_db_get_scope(r->db, s, &scope, err);
        if (status || scope.module == HSC_NONE || hsc_db_get_module(r->db, scope.module, &m, NULL) || !report_names_library(m.path, files))
            continue;
        if (scope.kind == HSC_SCOPE_MODULE) /* they lie on each other's paths: the largest is all of them */
            sum = r->incl[s] > sum.sum ? report_incl(r, s) : sum;
        if (scope.kind == HSC_SCOPE_PROCEDURE && r->incl[s] > best && is_mpi_call(scope.name)) {
            best = r->incl[s];
            best_at = s;
        }
    }
    if (status || sum.sum < 0.01 * r->total)
        return status;
    if (best_at != HSC_NONE) {
        hsc_db_scope s;
        char name[200], caller[700];
        status = hsc_db_get_scope(r->db, best_at, &s, err);
        if (!status)
            status = main_caller(r, best_at, caller, sizeof caller, &caller_line, err);
        if (status)
            return status;
        snprintf(detail, sizeof detail, "; most in %s (%.1f %%%s)", report_fit(s.name, 50, name, sizeof name), 100 * best / r->total, caller);
    }
    amount(r, sum, share, sizeof share);
    snprintf(text, sizeof text, "MPI takes %s%s.", share, detail);
    say(f, sum.sum, "MPI", sum, caller_line == HSC_NONE ? nowhere : at_line(r, caller_line), text);
    return HSC_OK;
}

/* " at sweeps.c:85", or "" */
static void place_of_line(const report *r, uint32_t line, char *out, size_t size) {
    memcpy(out, " at ", 5);
    if (!*report_call_text(r, line, out + 4, size - 4))
        out[0] = 0;
}

/* Elapsed time in calls of the message-passing library, as its wrappers timed them. */
static hsc_status messages(findings *f, hsc_err *err) {
    report *r = f->r;
    report_message *rows;
    uint32_t n, best = HSC_NONE;
    double all = 0, sent = 0, elapsed = 0, setup = 0; /* what begins and ends MPI is told apart */
    const char *setup_name = NULL;
    char text[1200], where[300], apart[200] = "";
    hsc_status status = report_messages(r, false, &rows, &n, err);
    if (status)
        return status;
    for (uint32_t p = 0; p < r->info.processes; p++) {
        hsc_db_process process;
        if (!hsc_db_get_process(r->db, p, &process, NULL))
            elapsed += process.end_s - process.begin_s;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (rows[i].kind == HSC_operation_class_SETUP) {
            setup += rows[i].duration_s;
            setup_name = setup_name ? setup_name : rows[i].operation; /* the longest comes first */
            continue;
        }
        all += rows[i].duration_s;
        sent += (double)rows[i].sent_bytes;
        if (best == HSC_NONE)
            best = i;
    }
    if (setup_name && elapsed > 0 && setup >= 0.01 * elapsed)
        snprintf(apart, sizeof apart, " Another %.3g s pass in start, end and set-up, mostly %s.", setup, setup_name);
    if (best != HSC_NONE && elapsed > 0 && all >= 0.01 * elapsed) {
        place_of_line(r, rows[best].line, where, sizeof where);
        snprintf(text, sizeof text,
                 "Calls of MPI last %.3g s, %.1f %% of the elapsed time of all ranks (timed, not sampled), and send %.3g MB; "
                 "longest: %s%s, %.3g s in %llu calls.%s",
                 all, 100 * all / elapsed, sent * 1e-6, rows[best].operation, where, rows[best].duration_s,
                 (unsigned long long)rows[best].calls, apart);
        say(f, all / (r->unit.scale > 0 ? r->unit.scale : 1), "Calls of MPI", no_share, at_line(r, rows[best].line), text);
    }
    free(rows);
    return HSC_OK;
}

static bool is_io(uint32_t kind) {
    return kind == HSC_wait_kind_READ || kind == HSC_wait_kind_WRITE || kind == HSC_wait_kind_RECEIVE || kind == HSC_wait_kind_SEND ||
           kind == HSC_wait_kind_CONNECT || kind == HSC_wait_kind_OPEN || kind == HSC_wait_kind_SYNC;
}

/* Elapsed time of the user's threads in calls that read and write. */
static hsc_status input_output(findings *f, const report_wait *rows, uint32_t n, hsc_err *err) {
    report *r = f->r;
    uint32_t best = HSC_NONE;
    uint64_t calls = 0, bytes = 0;
    double all = 0;
    report_elapsed of = {0};
    char text[1200], where[300], size[80] = "";
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].own && is_io(rows[i].kind)) {
            all += rows[i].total_s;
            calls += rows[i].waits;
            bytes += rows[i].bytes;
            best = best == HSC_NONE ? i : best;
        }
    hsc_status status = best == HSC_NONE ? HSC_OK : report_elapsed_of(r, &of, err);
    if (status || best == HSC_NONE || !(of.seconds > 0) || all < 0.01 * of.seconds)
        return status;
    const report_wait *w = &rows[best];
    if (w->bytes)
        snprintf(size, sizeof size, ", %.0f bytes each on average", (double)w->bytes / (double)w->waits);
    place_of_line(r, w->line, where, sizeof where);
    snprintf(text, sizeof text,
             "Input and output take %.3g s, %.1f %% of the elapsed time of the threads that run the program's code (timed, not sampled), in "
             "%llu calls that move %.3g MB; longest: %s%s, %.3g s in %llu calls%s.",
             all, 100 * all / of.seconds, (unsigned long long)calls, 1e-6 * (double)bytes, w->kind_text, where, w->total_s,
             (unsigned long long)w->waits, size);
    say(f, all / (r->unit.scale > 0 ? r->unit.scale : 1), "Input and output", no_share, at_line(r, w->line), text);
    return HSC_OK;
}

/* Elapsed time in which the user's threads were blocked outside message passing, and what of it is input and output. */
static hsc_status blocked(findings *f, hsc_err *err) {
    report *r = f->r;
    report_wait *rows;
    uint32_t n, best = HSC_NONE;
    double all = 0;
    char text[1200], where[300], holder[400] = "";
    hsc_status status = report_waits(r, &rows, &n, err);
    if (status)
        return status;
    status = input_output(f, rows, n, err);
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].own && !is_io(rows[i].kind)) {
            all += rows[i].total_s;
            best = best == HSC_NONE ? i : best;
        }
    if (best != HSC_NONE && all >= 0.01 * r->info.cpu_s) {
        hsc_db_context c;
        hsc_db_scope s;
        char name[300];
        if (rows[best].holder_context != HSC_NONE && !hsc_db_get_context(r->db, rows[best].holder_context, &c, NULL) &&
            !hsc_db_get_scope(r->db, c.scope, &s, NULL))
            snprintf(holder, sizeof holder, ", mostly while %s held it", report_fit(s.name, 60, name, sizeof name));
        place_of_line(r, rows[best].line, where, sizeof where);
        snprintf(text, sizeof text,
                 "Threads of the program are blocked for %.3g s of elapsed time outside message passing and input and output; longest: %s%s, %.3g s in %llu "
                 "wait%s%s.",
                 all, rows[best].kind_text, where, rows[best].total_s, (unsigned long long)rows[best].waits, rows[best].waits == 1 ? "" : "s", holder);
        say(f, all / (r->unit.scale > 0 ? r->unit.scale : 1), "Blocked", no_share, at_line(r, rows[best].line), text);
    }
    free(rows);
    return status;
}

/* Time at stake in loops that the vectoriser refused. */
static hsc_status refused(findings *f, hsc_err *err) {
    report *r = f->r;
    report_refusal *rows;
    uint32_t n;
    hsc_weighted all = {0};
    double by_reason[256] = {0};
    char text[2400], share[120];
    hsc_status status = report_refusals(r, &rows, &n, err);
    if (status)
        return status;
    unsigned best = 0;
    for (uint32_t i = 0; i < n; i++) {
        all.sum += rows[i].scalar.sum;
        all.excess += rows[i].scalar.excess;
        by_reason[rows[i].reason & 255] += rows[i].scalar.sum;
    }
    for (unsigned k = 1; k < 256; k++)
        best = by_reason[k] > by_reason[best] ? k : best;
    if (all.sum >= 0.01 * r->total && n) {
        hsc_db_scope s;
        char where[600], why[400], hint[200];
        const char *reason = hsc_enum_text("reason", best);
        status = hsc_db_get_scope(r->db, rows[0].scope, &s, err);
        if (!status) {
            place(r, &s, where, sizeof where);
            amount(r, all, share, sizeof share);
            if (rows[0].has_dependence)
                report_dependence(r, &rows[0].dependence, why, sizeof why);
            else
                report_first_sentence(rows[0].remark.message, why, sizeof why);
            report_hint(r, &rows[0], hint, sizeof hint);
            const char *with = hint[0] ? " (" : "", *end = hint[0] ? ")" : "";
            if (n == 1)
                snprintf(text, sizeof text, "Not vectorised: %s in the loop at %s; the compiler: %s%s%s%s.", share, where, why, with, hint, end);
            else
                snprintf(text, sizeof text,
                         "Not vectorised: %s in %u loops that the compiler gave up on, %.1f %% for the reason '%s'; the hottest, %.1f %%, is at "
                         "%s: %s%s%s%s.",
                         share, n, 100 * by_reason[best] / r->total, reason ? reason : "unknown", 100 * rows[0].scalar.sum / r->total, where, why, with, hint, end);
            say(f, all.sum, "Not vectorised", all, at_scope(rows[0].scope, &s), text);
        }
    }
    free(rows);
    return status;
}

/* Time in loops that the vectoriser was not let to look at. */
static hsc_status not_tried(findings *f, hsc_err *err) {
    report *r = f->r;
    report_refusal *rows;
    uint32_t n;
    hsc_weighted all = {0};
    char text[1200], share[120];
    hsc_db_scope s;
    char where[600];
    hsc_status status = report_not_tried(r, &rows, &n, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < n; i++) {
        all.sum += rows[i].scalar.sum;
        all.excess += rows[i].scalar.excess;
    }
    if (n && all.sum >= 0.01 * r->total && !(status = hsc_db_get_scope(r->db, rows[0].scope, &s, err))) {
        place(r, &s, where, sizeof where);
        amount(r, all, share, sizeof share);
        snprintf(text, sizeof text,
                 "Vectorisation not tried: %s in %u loop%s that the compiler did not look at, as they were compiled below -O2 or with "
                 "-fno-vectorize; the hottest, %.1f %%, is at %s.",
                 share, n, n == 1 ? "" : "s", 100 * rows[0].scalar.sum / r->total, where);
        say(f, all.sum, "Vectorisation not tried", all, at_scope(rows[0].scope, &s), text);
    }
    free(rows);
    return status;
}

/* The OpenMP runtime's share: samples in its library, or in system libraries that it called; not the user's code, which it
 * calls too. Named is the entry, the outermost of its procedures on the path, with the most of it. */
static hsc_status openmp(findings *f, hsc_err *err) {
    static const char *const system[] = {"libc.", "libc-", "libpthread", "ld-linux", "[vdso]", NULL};
    report *r = f->r;
    uint32_t n = r->info.contexts, best_at = HSC_NONE;
    hsc_weighted sum = {0};
    double best = 0;
    uint32_t *entry = malloc(((uint64_t)n + 1) * sizeof *entry); /* context of the entry, none outside the runtime */
    double *sums = calloc((uint64_t)n + 1, sizeof *sums), *below = calloc((uint64_t)n + 1, sizeof *below);
    double *excess = calloc((uint64_t)n + 1, sizeof *excess);
    hsc_db_view view = {r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD};
    hsc_status status = entry && sums && below && excess ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    bool known = !status && !hsc_db_read_sums(r->db, view, 0, n, sums, NULL) && !hsc_db_read_excess(r->db, view, 0, n, excess, NULL);
    for (uint32_t c = 0; c < n && known && !status; c++) { /* parents come first */
        hsc_db_context context;
        hsc_db_scope scope;
        hsc_db_module m;
        status = hsc_db_get_context(r->db, c, &context, err);
        if (!status)
            status = hsc_db_get_scope(r->db, context.scope, &scope, err);
        if (status)
            break;
        entry[c] = HSC_NONE;
        if (!c || scope.module == HSC_NONE || hsc_db_get_module(r->db, scope.module, &m, NULL))
            continue;
        if (report_names_library(m.path, report_openmp_libraries))
            entry[c] = entry[context.parent] != HSC_NONE ? entry[context.parent] : c;
        else if (report_names_library(m.path, system))
            entry[c] = entry[context.parent];
        if (entry[c] == HSC_NONE)
            continue;
        sum.sum += sums[c];
        sum.excess += excess[c];
        below[entry[c]] += sums[c];
    }
    for (uint32_t c = 0; c < n && known && !status; c++)
        if (below[c] > best) {
            best = below[c];
            best_at = c;
        }
    free(entry);
    free(sums);
    free(excess);
    free(below);
    if (status || best_at == HSC_NONE || sum.sum < 0.01 * r->total)
        return status;
    hsc_db_context context, up;
    hsc_db_scope s, caller = {.name = ""};
    hsc_db_line l;
    hsc_db_file file;
    char text[4096], share[120], name[200], caller_name[300], path[300], at[400] = "";
    status = hsc_db_get_context(r->db, best_at, &context, err);
    if (!status)
        status = hsc_db_get_scope(r->db, context.scope, &s, err);
    if (!status)
        status = hsc_db_get_context(r->db, context.parent, &up, err);
    if (!status)
        status = hsc_db_get_scope(r->db, up.scope, &caller, err);
    if (status)
        return status;
    procedure_name(r, &caller, caller_name, sizeof caller_name);
    if (context.call_line != HSC_NONE && !hsc_db_get_line(r->db, context.call_line, &l, NULL) && l.line &&
        !hsc_db_get_file(r->db, l.file, &file, NULL))
        snprintf(at, sizeof at, " at %s:%u", report_fit_place(file.path, 40, path, sizeof path), l.line);
    amount(r, sum, share, sizeof share);
    bool idle = !strcmp(caller_name, "start_thread");
    snprintf(text, sizeof text, "The OpenMP runtime, with what it calls of the system, takes %s; most below %s (%.1f %%), called by %s%s%s.", share,
             report_fit(s.name, 50, name, sizeof name), 100 * best / r->total, caller_name, at,
             idle ? ": worker threads that wait for work or for each other" : "");
    say(f, sum.sum, "OpenMP runtime", sum, at_line(r, context.call_line), text);
    return HSC_OK;
}

static hsc_status categories(findings *f, bool *told, hsc_err *err) {
    report *r = f->r;
    hsc_weighted sums[64], rest = {0};
    double others = 0;
    uint32_t n = r->info.categories < 64 ? r->info.categories : 64;
    char text[4096] = "Time by what the threads were doing:";
    *told = false;
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
        double low, high;
        if (!name || sums[c].sum <= 0)
            continue;
        if (sums[c].sum < 0.005 * r->total) {
            rest.sum += sums[c].sum;
            rest.excess += sums[c].excess;
            continue;
        }
        report_share_interval(r, sums[c], &low, &high);
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s %s %.1f %% (%.1f to %.1f %%)", k++ ? "," : "", name, 100 * sums[c].sum / r->total, 100 * low,
                 100 * high);
    }
    if (rest.sum > 0) {
        double low, high;
        size_t at = strlen(text);
        report_share_interval(r, rest, &low, &high);
        snprintf(text + at, sizeof text - at, ", other %.1f %% (%.1f to %.1f %%)", 100 * rest.sum / r->total, 100 * low, 100 * high);
    }
    strncat(text, ".", sizeof text - strlen(text) - 1);
    say(f, r->total, "Where time goes", no_share, nowhere, text);
    *told = true;
    return HSC_OK;
}

/* ---- how good the measurement is ---- */

static void quality(findings *f) {
    report *r = f->r;
    double lost = 0, truncated = 0, samples = 0, own_s = 0, cpu_s = 0;
    char text[600];
    for (uint32_t t = 0; t < r->info.threads; t++) {
        hsc_db_thread thread;
        if (hsc_db_get_thread(r->db, t, &thread, NULL))
            continue;
        lost += (double)thread.lost;
        truncated += (double)thread.truncated;
        samples += (double)thread.samples;
        own_s += thread.own_s;
        cpu_s += thread.cpu_s;
    }
    hsc_db_metric time;
    if (cpu_s > 0 && !hsc_db_get_metric(r->db, 0, &time, NULL) && !strcmp(time.unit, "s") && time.scale > 0) /* the clock is right for all threads together */
        lost = fmax(0, fmin(lost, cpu_s / time.scale - samples));
    if (lost > 0.005 * (lost + samples)) {
        snprintf(text, sizeof text, "Care: %.1f %% of the CPU time is in no sample (see the ledger); shares hold only if it is like the rest.",
                 100 * lost / (lost + samples));
        say(f, 2 * r->total, "Care", no_share, nowhere, text); /* before all that depends on it */
    }
    if (truncated > 0.02 * samples && samples > 0) {
        snprintf(text, sizeof text, "Care: %.1f %% of the call paths do not reach the thread's start; inclusive times of outer procedures are "
                 "too small by up to that.", 100 * truncated / samples);
        say(f, 2 * r->total, "Care", no_share, nowhere, text); /* before all that depends on it */
    }
    if (r->all.excess > 3 * r->total) { /* as few as a quarter would tell as much */
        snprintf(text, sizeof text, "Care: intervals are wide, because the rate was lowered and samples stand for several periods each: all tell as much as %.0f of "
                 "one period would, for %.0f periods ('heatscope run --budget=off' keeps the rate that was asked for).", hsc_interval_effective(r->all), r->total);
        say(f, 0.0005 * r->total, "Care", no_share, nowhere, text); /* last: nothing is wrong */
    }
    double low, high;
    if (r->total > 0 && !r->unit.exact && r->all.excess <= 3 * r->total && hsc_interval_effective(r->all) < 400) {
        report_share_interval(r, (hsc_weighted){0.1 * r->total, 0.1 * r->all.excess}, &low, &high);
        snprintf(text, sizeof text, "Care: intervals are wide, because there are few samples: with %.0f a share of 10 %% is known to %.1f to %.1f %%. "
                 "Let the program run for longer, or sample it more often (-F).", hsc_interval_effective(r->all), 100 * low, 100 * high);
        say(f, 0.0005 * r->total, "Care", no_share, nowhere, text); /* last: nothing is wrong */
    }
    if (own_s > 0.02 * cpu_s && cpu_s > 0) {
        snprintf(text, sizeof text, "Care: the profiler itself took %.1f %% of the CPU time.", 100 * own_s / cpu_s);
        say(f, 2 * r->total, "Care", no_share, nowhere, text); /* before all that depends on it */
    }
    double begin_s, end_s;
    if (r->metric == 0 && !hsc_db_get_interval(r->db, &begin_s, &end_s) && cpu_s > 0.1 && r->total > 0 && !strcmp(r->unit.unit, "s")) {
        double ratio = r->total * r->unit.scale / cpu_s;
        if (ratio < 0.9 || ratio > 1.1) {
            snprintf(text, sizeof text, "Care: the samples stand for %.1f %s, the clock says %.1f s: shares hold, times are off by that ratio.",
                     r->total * r->unit.scale, r->unit.unit, cpu_s);
            say(f, 2 * r->total, "Care", no_share, nowhere, text); /* before all that depends on it */
        }
    }
}

/* Communication by array. */
static hsc_status arrays(findings *f, hsc_err *err) {
    report *r = f->r;
    char text[1600] = "";
    double in_calls = 0;
    uint32_t scope = HSC_NONE;
    hsc_db_scope s;
    hsc_status status = report_main_array(r, text, sizeof text, &scope, &in_calls, err);
    if (!status && text[0])
        say(f, in_calls / (r->unit.scale > 0 ? r->unit.scale : 1), "Array", no_share,
            scope == HSC_NONE || hsc_db_get_scope(r->db, scope, &s, NULL) ? nowhere : at_scope(scope, &s), text);
    return status;
}

/* Who makes others wait, and with what. */
static hsc_status causes(findings *f, hsc_err *err) {
    report *r = f->r;
    char text[2400] = "";
    double total = 0;
    uint32_t scope = HSC_NONE, line = HSC_NONE;
    hsc_db_scope s;
    hsc_status status = report_main_cause(r, text, sizeof text, &scope, &line, &total, err);
    if (!status && text[0])
        say(f, total / (r->unit.scale > 0 ? r->unit.scale : 1), "Waiting caused", no_share,
            scope == HSC_NONE || hsc_db_get_scope(r->db, scope, &s, NULL) ? at_line(r, line) : at_scope(scope, &s), text);
    return status;
}

hsc_status report_findings(report *r, hsc_db_finding **out, uint32_t *n, hsc_err *err) {
    findings f = {.r = r};
    uint32_t *loops = NULL, *procedures = NULL, n_loops = 0, n_procedures = 0;
    bool told;
    hsc_status status = report_rank(r, HSC_SCOPE_LOOP, &loops, &n_loops, err);
    if (status)
        return status;
    status = report_rank(r, HSC_SCOPE_PROCEDURE, &procedures, &n_procedures, err);
    if (status) {
        free(loops);
        return status;
    }
    status = hottest_loop(&f, loops, n_loops, err);
    if (!status)
        status = hottest_procedure(&f, procedures, n_procedures, loops, n_loops, err);
    if (!status)
        status = little_known(&f, err);
    if (!status)
        status = loop_versions(&f, loops, n_loops, err);
    if (!status)
        status = imbalance(&f, procedures, n_procedures, err);
    if (!status)
        status = serial(&f, procedures, n_procedures, err);
    if (!status)
        status = categories(&f, &told, err);
    if (!status)
        status = mpi(&f, err);
    if (!status)
        status = openmp(&f, err);
    double begin_s, end_s;
    bool whole = !hsc_db_get_interval(r->db, &begin_s, &end_s); /* what is not sampled is known of the whole run only */
    if (!status && r->info.messages && whole)
        status = messages(&f, err);
    if (!status && r->info.waits && whole)
        status = blocked(&f, err);
    if (!status && r->info.delays)
        status = causes(&f, err);
    if (!status && r->info.messages && r->info.mpi_sites)
        status = arrays(&f, err);
    if (!status)
        status = refused(&f, err);
    if (!status)
        status = not_tried(&f, err);
    if (!status)
        quality(&f);
    free(loops);
    free(procedures);
    if (status) {
        hsc_db_free_findings(f.list, f.n);
        return status;
    }
    if (f.n)
        qsort(f.list, f.n, sizeof *f.list, heavier);
    *out = f.list;
    *n = f.n;
    return HSC_OK;
}
