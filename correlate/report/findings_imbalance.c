/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Procedures whose work is uneven over processors, and what the slowest would save if it were not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "findings.h"
#include "report_measures.h"
#include "report_paid.h"
#include "report_put_in.h"

/* Whom samples count for here: a small procedure without loops that was put in line can't be spread, what it was put into can. */
typedef struct carriers {
    uint32_t *of;     /* by context: the user's procedure; HSC_NONE */
    double *sum;      /* by scope of a procedure: its samples */
    double *put_in;   /* of these, what was put in line */
    uint32_t *ranked; /* procedures with any, the largest first */
    uint32_t n;
} carriers;

typedef struct uneven { /* a procedure whose work is */
    uint32_t scope, region; /* region: of several with teams of their own the one that it is told of; HSC_NONE: all */
    report_spread spread;
    double cost;   /* what the slowest processor would save */
    bool of_tasks; /* by spreading evenly all that the threads compute, as tasks run on any */
} uneven;

static void clear_carriers(carriers *c) {
    free(c->of);
    free(c->sum);
    free(c->put_in);
    free(c->ranked);
}

typedef struct carried {
    carriers *c;
    const report *r;
    const uint8_t *small;
    uint32_t *frame; /* by context: whom code of the program at it counts for */
} carried;

static void visit_carried(void *ctx, uint32_t c, const hsc_db_context *context, const hsc_db_scope *scope, report_library library) {
    carried *x = ctx;
    (void)library;
    uint32_t pays = c ? x->r->paid->procedure_of[c] : HSC_NONE, above = c ? x->frame[context->parent] : HSC_NONE;
    bool is_own = pays != HSC_NONE && pays == scope->procedure, stays = context->kind == HSC_CONTEXT_LOOP || (context->kind == HSC_CONTEXT_INLINED && is_own && x->small[pays]);
    x->frame[c] = is_own && (!stays || above == HSC_NONE) ? pays : above; /* libraries stay with who calls them */
    x->c->of[c] = pays != HSC_NONE && x->frame[c] != HSC_NONE ? x->frame[c] : pays;
}

static hsc_status find_carriers(report *r, carriers *out, hsc_err *err) {
    enum { ROWS = 512 };
    double sums[ROWS];
    hsc_status s = report_pay_all(r, err);
    *out = (carriers){0};
    if (s)
        return s;
    uint32_t n = r->paid->missing ? 0 : r->info.contexts;
    uint8_t *small = report_without_loops(r, err);
    uint32_t *frame = malloc(((size_t)n + 1) * sizeof *frame);
    report_ranked *list = malloc(((size_t)r->info.scopes + 1) * sizeof *list);
    *out = (carriers){malloc(((size_t)n + 1) * sizeof *out->of), calloc((size_t)r->info.scopes + 1, sizeof *out->sum), calloc((size_t)r->info.scopes + 1, sizeof *out->put_in),
                      malloc(((size_t)r->info.scopes + 1) * sizeof *out->ranked), 0};
    if (!small || !frame || !list || !out->of || !out->sum || !out->put_in || !out->ranked)
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    if (!s)
        s = report_walk_contexts(r, 0, n, visit_carried, &(carried){out, r, small, frame}, err);
    for (uint32_t i = 0; !s && i < n; i += ROWS) {
        uint32_t some = n - i < ROWS ? n - i : ROWS;
        s = hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD}, i, some, sums, err);
        for (uint32_t k = 0; !s && k < some; k++)
            if (out->of[i + k] != HSC_NONE) {
                out->sum[out->of[i + k]] += sums[k];
                out->put_in[out->of[i + k]] += r->paid->procedure_of[i + k] == out->of[i + k] ? 0 : sums[k];
            }
    }
    for (uint32_t i = 0, k = 0; !s && i < r->info.scopes; i++) {
        hsc_db_scope scope;
        double sum = r->paid->missing ? r->paid->procedure[i].sum : out->sum[i];
        out->sum[i] = sum;
        if (sum > 0 && !hsc_db_get_scope(r->db, i, &scope, NULL) && scope.kind == HSC_SCOPE_PROCEDURE && report_wanted(r, i)) {
            list[k++] = (report_ranked){i, sum, r->own[i]};
            out->n = k;
        }
    }
    if (!s)
        report_sort_falling(list, out->n);
    for (uint32_t i = 0; !s && i < out->n; i++)
        out->ranked[i] = list[i].row;
    free(small);
    free(frame);
    free(list);
    return s;
}

static hsc_status carried_spread(report *r, const carriers *c, uint32_t scope, report_spread *out, hsc_err *err) {
    if (r->paid->missing || !(c->put_in[scope] > 0))
        return report_paid_spread(r, REPORT_PAID_PROCEDURE, scope, out, err);
    report_range *ranges = malloc(((size_t)r->info.contexts + 1) * sizeof *ranges);
    uint32_t n = 0;
    if (!ranges)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; i < r->info.contexts; i++)
        if (c->of[i] == scope && n && ranges[n - 1].first + ranges[n - 1].n == i)
            ranges[n - 1].n++;
        else if (c->of[i] == scope)
            ranges[n++] = (report_range){i, 1};
    hsc_status s = report_spread_of_ranges(r, HSC_TABLE_CONTEXT_EXCL, ranges, n, out, err);
    free(ranges);
    return s;
}

/* What is worth a sentence, in samples. */
static double worth_telling(const report *r) {
    double begin_s, end_s, worth = 0.03 * r->total / r->columns;
    if (!strcmp(r->unit.unit, "s") && r->unit.scale > 0 && !hsc_db_get_interval(r->db, &begin_s, &end_s))
        worth = fmax(worth, 0.01 * r->info.wall_s / r->unit.scale);
    return worth;
}

/* Were all processes of the program there at one time, and did several of them run the code? Those that come when others have gone, as the compilers that make
 * starts, share no work, nor does a child that its parent waits for. Ranks do, whatever their times; what lasts for next to nothing does not count. */
static bool were_together(const report *r, uint32_t column, uint32_t running) {
    hsc_db_process p;
    double longest_s = 0, begin_s = 0, end_s = HUGE_VAL;
    if (r->axis != HSC_AXIS_PROCESS)
        return true;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t c = 0; c < r->columns; c++) {
            if ((r->program_of && r->program_of[c] != r->program_of[column]) || report_was_replaced(r->db, c) || hsc_db_get_process(r->db, c, &p, NULL))
                continue;
            if (p.rank >= 0)
                return true;
            if (!pass) {
                longest_s = fmax(longest_s, p.end_s - p.begin_s);
            } else if (p.end_s - p.begin_s >= 0.01 * longest_s) {
                begin_s = fmax(begin_s, p.begin_s);
                end_s = fmin(end_s, p.end_s);
            }
        }
    return running > 1 && begin_s < end_s;
}

/* Of a procedure in regions whose teams are not the same there is no mean: the spread in the region whose slowest thread would save most. */
static hsc_status look_at_regions(report *r, uneven *x, hsc_err *err) {
    hsc_status status = HSC_OK;
    report_spread worst = {0};
    uint32_t region = HSC_NONE;
    while (!status && !r->paid->missing && report_next_team(r, x->scope, &region)) {
        report_spread p;
        status = report_spread_in_region(r, x->scope, region, &p, err);
        if (status || !p.running)
            continue;
        p = report_compared(r, region, &p);
        if (x->region == HSC_NONE || p.max - p.mean > worst.max - worst.mean)
            x->region = region, worst = p;
    }
    if (!status && x->region != HSC_NONE)
        x->spread = worst;
    return status;
}

/* x->cost 0: not uneven, or no matter. */
static hsc_status look_at_spread(report *r, const carriers *c, double worth, uneven *x, hsc_err *err) {
    hsc_db_scope s;
    report_spread *p = &x->spread;
    hsc_status status = carried_spread(r, c, x->scope, p, err);
    if (!status)
        status = hsc_db_get_scope(r->db, x->scope, &s, err);
    if (status)
        return status;
    bool serial = report_is_serial(r, x->scope, p);
    *p = report_compared(r, x->scope, p);
    if ((status = look_at_regions(r, x, err)))
        return status;
    x->cost = p->max - p->mean;
    /* libraries that nobody of the user's calls wait because others work: their imbalance is a consequence */
    if (serial || p->programs > 1 || !report_is_own(r, &s) || !report_uneven(p) || p->max < 1.1 * p->mean || x->cost < worth || !were_together(r, p->max_at, p->running)) {
        x->cost = 0;
        return HSC_OK;
    }
    double gain = report_task_gain(r, x->scope, p->max_at);
    x->of_tasks = gain < HUGE_VAL;
    x->cost = fmin(x->cost, gain);
    if (x->cost < worth)
        x->cost = 0;
    return HSC_OK;
}

/* " Of 3.1 s in all, 0.32 s is its own code, the rest small procedures that were put in line and libraries that it calls. Its loop at late.c:12 has most.", or parts of it. */
static void tell_parts(report *r, const carriers *c, uint32_t procedure, char *out, size_t size) {
    double with = c->sum[procedure], put_in = c->put_in[procedure], libraries = with - put_in - r->own[procedure];
    const char *rest = put_in <= 0.001 * r->total ? "libraries that it calls" : libraries <= 0.001 * r->total ? "small procedures that were put in line" : "small procedures that were put in line and libraries that it calls";
    uint32_t best = HSC_NONE;
    size_t at = 0;
    hsc_db_scope s, loop;
    char own[48], all[48], where[600];
    out[0] = 0;
    if (with > r->own[procedure] + 0.001 * r->total) {
        findings_seconds(r, r->own[procedure], own, sizeof own);
        findings_seconds(r, with, all, sizeof all);
        at = (size_t)snprintf(out, size, " Of %s in all, %s is its own code, the rest %s.", all, own, rest);
    }
    if (hsc_db_get_scope(r->db, procedure, &s, NULL))
        return;
    for (uint32_t k = procedure + 1; k < s.subtree_end; k++)
        if (!hsc_db_get_scope(r->db, k, &loop, NULL) && loop.kind == HSC_SCOPE_LOOP && loop.procedure == procedure &&
            (best == HSC_NONE || r->paid->loop[k].sum > r->paid->loop[best].sum))
            best = k;
    if (best == HSC_NONE || r->paid->loop[best].sum < 0.5 * with || hsc_db_get_scope(r->db, best, &loop, NULL) || at >= size)
        return;
    findings_place(r, &loop, where, sizeof where);
    snprintf(out + at, size - at, " Its loop at %s has most.", where);
}

/* Over processors: what the procedure pays for and all other procedures of the program below it, with their libraries; no message passing and no runtime of
 * OpenMP's, which mostly wait. */
static hsc_status spread_with_callees(report *r, uint32_t procedure, report_spread *out, hsc_err *err) {
    hsc_db_context_columns c;
    uint32_t n = 0, contexts = r->info.contexts;
    uint8_t *below = calloc((size_t)contexts + 1, 1);
    report_range *ranges = malloc(((size_t)contexts + 1) * sizeof *ranges);
    hsc_status status = below && ranges ? hsc_db_get_context_columns(r->db, &c, err) : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 1; !status && i < contexts; i++) { /* parents come first */
        below[i] = c.scope[i] == procedure || below[c.parent[i]];
        if (!below[i] || r->paid->procedure_of[i] == HSC_NONE)
            continue;
        if (n && ranges[n - 1].first + ranges[n - 1].n == i)
            ranges[n - 1].n++;
        else
            ranges[n++] = (report_range){i, 1};
    }
    if (!status)
        status = report_spread_of_ranges(r, HSC_TABLE_CONTEXT_EXCL, ranges, n, out, err);
    free(below);
    free(ranges);
    return status;
}

/* " Procedures ... are not in that: with them ...", where the procedure calls others of the program's. */
static hsc_status tell_callees(report *r, const carriers *c, const uneven *x, char *out, size_t size, hsc_err *err) {
    report_spread p;
    double own = c->sum[x->scope];
    char more[48], save[48], top[64], ratio[64] = "";
    out[0] = 0;
    if (r->paid->missing || x->region != HSC_NONE || r->incl[x->scope] - own < 0.02 * own)
        return HSC_OK;
    hsc_status status = spread_with_callees(r, x->scope, &p, err);
    double others = status ? 0 : p.mean * p.columns - own;
    if (status || !p.columns || p.mean <= 0 || others < 0.02 * own || others < 0.001 * r->total)
        return status;
    p = report_compared(r, x->scope, &p);
    findings_seconds(r, others, more, sizeof more);
    findings_seconds(r, p.max - p.mean, save, sizeof save);
    report_processor(r, r->axis, p.max_at, top, sizeof top);
    snprintf(ratio, sizeof ratio, "%.2f times the mean", p.max / p.mean);
    snprintf(out, size, " Procedures of the program that it calls are not in that: with them (%s in all) %s has %s, and would have %s less.", more, top, ratio, save);
    return HSC_OK;
}

/* "worker" of "worker-3": what threads of one kind have in common. */
static void kind_of_thread(const report *r, uint32_t thread, char *out, size_t size) {
    report_thread_name(r, thread, out, size);
    size_t n = strlen(out);
    while (n && strchr("0123456789-_# :.", out[n - 1]))
        out[--n] = 0;
}

/* " Its threads are of several kinds (...): ...", where not all threads that run it were begun for the same; "". Of the main thread no kind is known: it may work with any. */
static hsc_status tell_kinds(report *r, const uneven *x, char *out, size_t size, hsc_err *err) {
    enum { KINDS = 3 /* two are named */, NAME = 512, THREADS = 256 /* looked at: each costs some reading, and those of many are alike */ };
    char kinds[KINDS][NAME], name[NAME], fitted[KINDS][170];
    unsigned n = 0;
    report_spread p;
    out[0] = 0;
    if (r->axis != HSC_AXIS_THREAD || x->region != HSC_NONE)
        return HSC_OK;
    hsc_status status = report_paid_spread(r, REPORT_PAID_PROCEDURE, x->scope, &p, err);
    for (uint32_t i = 0; !status && i < p.running && i < THREADS && n < KINDS; i++) {
        bool known = false;
        kind_of_thread(r, r->touched[i], name, sizeof name);
        for (unsigned k = 0; k < n; k++)
            known = known || !strcmp(kinds[k], name);
        if (*name && !known)
            snprintf(kinds[n++], NAME, "%s", name);
    }
    if (status || n < 2)
        return status;
    for (unsigned k = 0; k < n; k++)
        report_fit(kinds[k], 40, fitted[k], sizeof fitted[k]);
    snprintf(out, size, " The threads that run it were begun for different work (%s, %s%s): what one does may not be another's to do.", fitted[0], fitted[1], n > 2 ? " and others" : "");
    return HSC_OK;
}

static hsc_status tell_uneven(findings *f, const carriers *c, const uneven *x, hsc_err *err) {
    report *r = f->r;
    const report_spread *p = &x->spread;
    hsc_db_scope s;
    char text[4096], crowded[260] = "", where[600], of[300], top[64], bottom[64], mean[48], least[48], save[48], whole[48], among[300], evenly[120], parts[900], callees[400], kinds[600];
    double low, high;
    hsc_status status = hsc_db_get_scope(r->db, x->scope, &s, err);
    if (status)
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_procedure(r, &s, of, sizeof of);
    if (x->region != HSC_NONE) {
        hsc_db_scope region;
        if ((status = hsc_db_get_scope(r->db, x->region, &region, err)))
            return status;
        size_t n = strlen(where);
        snprintf(where + n, sizeof where - n, "; in the parallel region at ");
        n = strlen(where);
        findings_place(r, &region, where + n, sizeof where - n);
    }
    report_processor(r, r->axis, p->max_at, top, sizeof top);
    report_processor(r, r->axis, p->min_at, bottom, sizeof bottom);
    report_ratio_interval(r, p, &low, &high);
    findings_seconds(r, p->mean, mean, sizeof mean);
    findings_seconds(r, p->min, least, sizeof least);
    findings_seconds(r, p->max, whole, sizeof whole);
    findings_seconds(r, x->cost, save, sizeof save);
    tell_parts(r, c, x->scope, parts, sizeof parts);
    if ((status = tell_callees(r, c, x, callees, sizeof callees, err)) || (status = tell_kinds(r, x, kinds, sizeof kinds, err)))
        return status;
    if (p->columns < r->columns && r->programs > 1)
        snprintf(among, sizeof among, "; the mean of the %u %s of its program is %s, the least %s on %s", p->columns,
                 report_axis_name(r, true), mean, least, bottom);
    else if (p->columns < r->columns && p->columns > p->running) /* who has none of it was seen there by other code or waits */
        snprintf(among, sizeof among, "; the mean of the %u threads in its parallel regions is %s, the least %s%s%s", p->columns, mean, least, p->min_at == HSC_NONE ? "" : " on ", bottom);
    else if (p->columns < r->columns)
        snprintf(among, sizeof among, "; the mean of the %u threads that run it is %s", p->columns, mean);
    else
        snprintf(among, sizeof among, "; the mean is %s, the least %s on %s", mean, least, bottom);
    if (x->of_tasks)
        snprintf(evenly, sizeof evenly, "Its tasks could run on other threads: if all that the threads compute were spread evenly");
    else if (p->running == 1)
        snprintf(evenly, sizeof evenly, "Spread evenly over all %u%s", p->columns, p->columns < r->columns && r->axis == HSC_AXIS_THREAD ? " in its parallel regions" : "");
    else
        snprintf(evenly, sizeof evenly, "Spread evenly");
    double ran = report_part_ran(r);
    if (r->axis == HSC_AXIS_THREAD && ran < 0.6)
        snprintf(crowded, sizeof crowded, " Where threads take their work as they come, this is the machine's: threads stood in line for a processor for %.0f %% of the time that they could have run.",
                 100 * (1 - ran));
    if (p->running == 1) /* a ratio would only tell how many threads there are */
        snprintf(text, sizeof text, "Imbalance: %s (%s) runs on %s alone, for %s. %s, %s would have %s less.%s%s%s%s", of, where, top, whole, evenly, top, save, kinds,
                 callees, parts, crowded);
    else
        snprintf(text, sizeof text, "Imbalance: %s (%s) takes %.2f times the mean on %s (%.2f to %.2f)%s. %s, %s would have %s less.%s%s%s%s", of, where,
                 p->max / p->mean, top, low, high, among, evenly, top, save, kinds, callees, parts, crowded);
    findings_say(f, x->cost * p->columns * (kinds[0] ? 0.25 : 1), "Imbalance", findings_no_share, spot_of_scope(x->scope, &s), text);
    return HSC_OK;
}

/* Of procedures with the libraries that they call, the two that cost most. */
hsc_status findings_imbalance(findings *f, hsc_err *err) {
    enum { LOOKED_AT = 20, TOLD = 2 };
    report *r = f->r;
    carriers c;
    uneven best[TOLD] = {{.scope = HSC_NONE}, {.scope = HSC_NONE}};
    if (r->columns < 2)
        return HSC_OK;
    hsc_status status = find_carriers(r, &c, err);
    for (uint32_t i = 0; !status && i < c.n && i < LOOKED_AT && c.sum[c.ranked[i]] >= 0.01 * r->total; i++) {
        uneven x = {.scope = c.ranked[i], .region = HSC_NONE};
        status = look_at_spread(r, &c, worth_telling(r), &x, err);
        if (status || !(x.cost > 0))
            continue;
        if (x.cost > best[0].cost) {
            best[1] = best[0];
            best[0] = x;
        } else if (x.cost > best[1].cost) {
            best[1] = x;
        }
    }
    for (int i = 0; i < TOLD && !status && best[i].scope != HSC_NONE; i++)
        status = tell_uneven(f, &c, &best[i], err);
    clear_carriers(&c);
    return status;
}

/* Of several threads of the one process one has nearly all, nearly all of the time: who divides its work has that to win, whatever the compiler makes of it. */
hsc_status findings_one_thread(findings *f, hsc_err *err) {
    enum { HAS_PCT = 90, BUSY_PCT = 70 };
    report *r = f->r;
    report_spread p;
    report_usage u;
    char text[1200], who[100], in[800] = "";
    if (r->axis != HSC_AXIS_THREAD || r->info.processes != 1 || r->columns < 2 || r->where || strcmp(r->unit.unit, "s"))
        return HSC_OK;
    hsc_status status = report_spread_of_ranges(r, HSC_TABLE_SCOPE_INCL, &(report_range){0, 1}, 1, &p, err);
    uint32_t threads = p.columns - p.idle_helpers;
    if (status || threads < 2 || 100 * p.max < HAS_PCT * p.mean * p.columns || report_may_be_serial(r, 0) || r->has_regions)
        return status;
    report_usage_of_processor(r, p.max_at, &u); /* others may have had its processor meanwhile */
    if (100 * (p.max * r->unit.scale + (u.line_known ? u.line_s : 0)) < BUSY_PCT * r->info.wall_s)
        return HSC_OK;
    report_processor(r, r->axis, p.max_at, who, sizeof who);
    spot at = spot_nowhere;
    if (f->n_procedures && r->own[f->procedures[0]] > 0) {
        hsc_db_scope s;
        char of[300], where[400];
        if ((status = hsc_db_get_scope(r->db, f->procedures[0], &s, err)))
            return status;
        findings_procedure(r, &s, of, sizeof of);
        findings_place(r, &s, where, sizeof where);
        snprintf(in, sizeof in, ", most of it in %s (%s)", of, where);
        at = spot_of_scope(f->procedures[0], &s);
    }
    hsc_weighted most = {p.max, p.max_excess};
    char share[140];
    findings_amount(r, most, share, sizeof share);
    snprintf(text, sizeof text, "One thread: %s has %s of CPU time of %u threads, in %.*f s of elapsed time%s. The run had the use of one processor; another would help only if this work were divided.", who, share,
             threads, r->info.wall_s < 10 ? 2 : 1, r->info.wall_s, in);
    findings_say(f, 0.5 * p.max, "One thread", most, at, text);
    return HSC_OK;
}
