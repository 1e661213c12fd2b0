/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several runs side by side: what is the same in all of them, and what it loses from scale to scale, or from build to build. */
#include "several.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <report_paid.h>

#include "several_stats.h"

const report *diff_series_run(const diff_series *s, uint32_t run) { return run ? &s->pair[run].b : &s->pair[1].a; }

static report *loaded(diff_series *s, uint32_t run) { return run ? &s->pair[run].b : &s->pair[1].a; }

uint32_t diff_series_first(const diff_series *s, uint32_t group) {
    uint32_t run = 0;
    while (s->group_of[run] != group)
        run++;
    return run;
}

uint32_t diff_series_working(const diff_series *s, uint32_t group) { return diff_series_run(s, diff_series_first(s, group))->working; }

double diff_series_ideal(const diff_series *s, uint32_t group) {
    uint32_t first = diff_series_working(s, 0), working = diff_series_working(s, group);
    return s->weak || !working ? 1 : (double)first / working;
}

/* All runs of as many threads have one size; in each pair what it has in all. */
static hsc_status agree(diff_series *s, hsc_err *err) {
    report **runs = malloc(s->runs * sizeof(report *));
    if (!runs)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u runs", s->runs);
    for (uint32_t k = 0; k < s->runs; k++)
        runs[k] = loaded(s, k);
    diff_agree(runs, s->runs);
    for (uint32_t k = 1; k < s->runs; k++) {
        s->pair[k].a.working = runs[0]->working;
        s->pair[k].scaling = s->pair[k].a.working != s->pair[k].b.working;
    }
    free(runs);
    return HSC_OK;
}

hsc_status diff_series_load(diff_series *s, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t k = 1; k < s->runs && !status; k++) {
        s->pair[k].weak = s->weak;
        status = diff_load(&s->pair[k], err);
    }
    if (!status && (status = agree(s, err)))
        return status;
    for (uint32_t k = 1; k < s->runs && !status; k++) {
        uint32_t before = diff_series_run(s, k - 1)->working, working = diff_series_run(s, k)->working;
        bool same_group = s->group_of[k] == s->group_of[k - 1];
        s->repeated |= same_group;
        s->scaling |= before != working;
        if (same_group && before != working)
            status = hsc_err_set(err, HSC_E_MISMATCH, "%s: expected as many processors as in the runs that it repeats, %u, got %u", diff_series_run(s, k)->info.path, before, working);
    }
    for (uint32_t k = 1; k < s->runs; k++)
        s->pair[k].repeated = s->repeated;
    return status;
}

void diff_series_clear(diff_series *s) {
    for (uint32_t k = 1; k < s->runs && s->pair; k++)
        diff_clear(&s->pair[k]);
}

void diff_series_free(diff_series_rows *rows) {
    for (uint32_t i = 0; i < rows->n && rows->list; i++)
        free(rows->list[i].cause);
    free(rows->list);
    free(rows->values);
    *rows = (diff_series_rows){0};
}

/* ---- rows of all pairs put together ---- */

typedef struct made {
    diff_series_row *list;
    diff_series_measure *of; /* [n][runs] */
    uint32_t n, room, runs;
} made;

static hsc_status no_memory(hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "no memory for what several runs have"); }

static uint32_t add(made *m) {
    if (m->n == m->room) {
        uint32_t room = 2 * m->room + 256;
        diff_series_row *list = realloc(m->list, room * sizeof *list);
        if (list)
            m->list = list;
        diff_series_measure *of = realloc(m->of, (size_t)room * m->runs * sizeof *of);
        if (of)
            m->of = of;
        if (!list || !of)
            return HSC_NONE;
        m->room = room;
    }
    m->list[m->n] = (diff_series_row){.row = HSC_NONE, .context = HSC_NONE};
    memset(&m->of[(size_t)m->n * m->runs], 0, m->runs * sizeof *m->of);
    return m->n++;
}

/* "file:line procedure": what stands for a thing that the first run does not have. false: nothing tells. */
static bool key_of(const report *r, bool line, uint32_t row, char *out, size_t size) {
    hsc_db_line l = {.line = 0};
    hsc_db_scope s, p = {.name = ""};
    hsc_db_file f = {.path = ""};
    if (row == HSC_NONE || (line && hsc_db_get_line(r->db, row, &l, NULL)) || hsc_db_get_scope(r->db, line ? l.scope : row, &s, NULL))
        return false;
    uint32_t file = line ? l.file : s.file;
    if (s.procedure != HSC_NONE)
        (void)hsc_db_get_scope(r->db, s.procedure, &p, NULL);
    if (file != HSC_NONE)
        (void)hsc_db_get_file(r->db, file, &f, NULL);
    snprintf(out, size, "%s:%u %s %d", f.path, line ? l.line : s.line_begin, *p.name ? p.name : s.name, line ? -1 : (int)s.kind);
    return true;
}

/* The row from `first` on, that the first run does not have, of the same key; a new one. HSC_NONE: no memory. */
static uint32_t find_other(const diff_series *s, made *m, uint32_t first, bool line, uint32_t run, uint32_t row) {
    char key[1200], other[1200];
    bool known = key_of(diff_series_run(s, run), line, row, key, sizeof key);
    for (uint32_t i = first; known && i < m->n; i++)
        if (m->list[i].run && m->list[i].run < run && key_of(diff_series_run(s, m->list[i].run), line, m->list[i].row, other, sizeof other) && !strcmp(key, other))
            return i;
    uint32_t at = add(m);
    if (at != HSC_NONE) {
        m->list[at].run = run;
        m->list[at].row = row;
    }
    return at;
}

static void set_mean(diff_series_measure *x, const report *r, hsc_weighted sum) {
    x->sum = sum;
    x->each = sum;
    x->scale = r->unit.scale;
    x->each_scale = r->working ? r->unit.scale / r->working : 0;
    x->known = true;
}

/* The processor with most, where chance alone does not explain it. */
static hsc_status set_longest(diff_series_measure *x, report *r, diff_by by, uint32_t scope, hsc_err *err) {
    report_spread p;
    hsc_status s = by == DIFF_LOOP ? report_paid_spread(r, REPORT_PAID_LOOP, scope, &p, err) : report_spread_of(r, scope, &p, err);
    if (!s && p.max > 0 && report_uneven(&p)) {
        x->each = (hsc_weighted){p.max, p.max_excess};
        x->each_scale = r->unit.scale;
    }
    return s;
}

enum { SPREADS = 4096 }; /* so many rows have their processors looked at, those with most: each reads a row of values */

typedef struct ranked { /* row `at` of a list, by a figure of it */
    double by;
    uint32_t at;
} ranked;

static int falling(const void *p, const void *q) {
    const ranked *x = p, *y = q;
    return x->by != y->by ? (x->by > y->by ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static hsc_status look_at_processors(diff_series *s, diff_by by, made *m, const uint32_t *row_in, hsc_err *err) {
    hsc_status status = HSC_OK;
    ranked *order = malloc(((size_t)m->n + 1) * sizeof *order);
    if (!order)
        return no_memory(err);
    for (uint32_t i = 0; i < m->n; i++) {
        order[i] = (ranked){0, i};
        for (uint32_t k = 0; k < s->runs; k++)
            order[i].by = fmax(order[i].by, m->of[(size_t)i * s->runs + k].sum.sum);
    }
    qsort(order, m->n, sizeof *order, falling);
    for (uint32_t i = 0; i < m->n && i < SPREADS && !status; i++)
        for (uint32_t k = 0; k < s->runs && !status; k++) {
            size_t at = (size_t)order[i].at * s->runs + k;
            if (row_in[at] != HSC_NONE && m->of[at].sum.sum > 0)
                status = set_longest(&m->of[at], loaded(s, k), by, row_in[at], err);
        }
    free(order);
    return status;
}

static bool is_users(const diff_series *s, bool line, const diff_series_row *row) {
    const report *r = diff_series_run(s, row->run);
    hsc_db_line l = {.scope = row->row};
    hsc_db_scope scope;
    if (line && hsc_db_get_line(r->db, row->row, &l, NULL))
        return false;
    return !hsc_db_get_scope(r->db, l.scope, &scope, NULL) && (scope.kind < HSC_SCOPE_PROCEDURE || report_is_users(r, &scope));
}

/* Scopes and lines. A nest told with its loops (HSC_COMPARE_NEST) is what the last pair that tells it so says. */
static hsc_status sampled_rows(diff_series *s, diff_by by, made *m, hsc_err *err) {
    bool line = by == DIFF_LINE;
    const hsc_db_info *info = &diff_series_run(s, 0)->info;
    uint32_t n_a = line ? info->lines : info->scopes;
    uint32_t *at_a = malloc(((size_t)n_a + 1) * sizeof *at_a), *row_in = NULL, in_a = 0;
    hsc_status status = at_a ? HSC_OK : no_memory(err);
    for (uint32_t i = 0; at_a && i < n_a; i++)
        at_a[i] = HSC_NONE;
    struct pair_rows {
        diff_row *list;
        uint32_t n;
        uint32_t *at;
    } *pairs = calloc(s->runs, sizeof *pairs);
    if (!status && !pairs)
        status = no_memory(err);
    for (uint32_t k = 1; k < s->runs && !status; k++) { /* first those of the first run, of all pairs */
        status = diff_rows_by(&s->pair[k], by, &pairs[k].list, &pairs[k].n, err);
        for (uint32_t i = 0; !status && i < pairs[k].n; i++) {
            uint32_t a = pairs[k].list[i].a;
            if (a == HSC_NONE || at_a[a] != HSC_NONE)
                continue;
            if ((at_a[a] = add(m)) == HSC_NONE)
                status = no_memory(err);
            else
                m->list[at_a[a]].row = a;
        }
    }
    in_a = m->n;
    for (uint32_t k = 1; k < s->runs && !status; k++) {
        if (!(pairs[k].at = malloc(((size_t)pairs[k].n + 1) * sizeof *pairs[k].at)))
            status = no_memory(err);
        for (uint32_t i = 0; !status && i < pairs[k].n; i++) {
            const diff_row *x = &pairs[k].list[i];
            if ((pairs[k].at[i] = x->a != HSC_NONE ? at_a[x->a] : find_other(s, m, in_a, line, k, x->b)) == HSC_NONE)
                status = no_memory(err);
        }
    }
    if (!status && !(row_in = malloc(((size_t)m->n * s->runs + 1) * sizeof *row_in)))
        status = no_memory(err);
    for (size_t i = 0; row_in && i < (size_t)m->n * s->runs; i++)
        row_in[i] = HSC_NONE;
    for (uint32_t k = 1; k < s->runs && !status; k++)
        for (uint32_t i = 0; i < pairs[k].n; i++) {
            const diff_row *x = &pairs[k].list[i];
            size_t at = (size_t)pairs[k].at[i] * s->runs;
            bool whole = x->how != HSC_COMPARE_NEST;
            if (x->a != HSC_NONE) {
                set_mean(&m->of[at], diff_series_run(s, 0), (hsc_weighted){x->count_a, x->excess_a});
                row_in[at] = whole ? x->a : HSC_NONE;
            }
            set_mean(&m->of[at + k], diff_series_run(s, k), (hsc_weighted){x->count_b, x->excess_b});
            row_in[at + k] = whole ? x->b : HSC_NONE;
        }
    for (uint32_t i = 0; i < m->n && !status; i++)
        m->list[i].users = is_users(s, line, &m->list[i]);
    if (!status && s->scaling && (by == DIFF_LOOP || by == DIFF_PROCEDURE))
        status = look_at_processors(s, by, m, row_in, err);
    for (uint32_t k = 1; pairs && k < s->runs; k++) {
        free(pairs[k].list);
        free(pairs[k].at);
    }
    free(pairs);
    free(row_in);
    free(at_a);
    return status;
}

static void set_timed(const diff_series *s, diff_series_measure *x, uint32_t run, double seconds) {
    *x = (diff_series_measure){.sum = {seconds, 0}, .each = {seconds, 0}, .scale = 1, .each_scale = 1.0 / fmax(1, diff_series_run(s, run)->working), .known = true, .exact = true};
}

/* Of a pair k; of rows that the first run has it is known by its place there. */
static uint32_t find_timed(const diff_series *s, made *m, uint32_t k, diff_timed *x) {
    const diff_timed_side *side = x->in_a ? &x->a : &x->b;
    char *cause = x->cause[!x->in_a], key[1200], other[1200];
    bool known = !x->in_a && key_of(&s->pair[k].b, true, side->line, key, sizeof key);
    for (uint32_t i = 0; i < m->n; i++) {
        const diff_series_row *row = &m->list[i];
        bool same = x->in_a ? !row->run && row->row == side->line && row->context == side->context
                            : known && row->run && row->run < k && key_of(diff_series_run(s, row->run), true, row->row, other, sizeof other) && !strcmp(key, other);
        if (same && !strcmp(row->kind, x->kind) && !strcmp(row->cause ? row->cause : "", cause ? cause : ""))
            return i;
    }
    uint32_t at = add(m);
    if (at == HSC_NONE)
        return at;
    m->list[at] = (diff_series_row){.run = x->in_a ? 0 : k, .row = side->line, .context = side->context, .kind = x->kind, .cause = cause};
    x->cause[!x->in_a] = NULL;
    return at;
}

static hsc_status timed_rows(diff_series *s, diff_by by, made *m, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t k = 1; k < s->runs && !status; k++) {
        diff_timed *list = NULL;
        uint32_t n = 0;
        status = diff_timed_by(&s->pair[k], by, &list, &n, err);
        for (uint32_t i = 0; i < n && !status; i++) {
            uint32_t at = find_timed(s, m, k, &list[i]);
            if (at == HSC_NONE) {
                status = no_memory(err);
                break;
            }
            if (list[i].in_a)
                set_timed(s, &m->of[(size_t)at * s->runs], 0, list[i].a.seconds);
            set_timed(s, &m->of[(size_t)at * s->runs + k], k, list[i].b.seconds);
        }
        diff_free_timed(list, n);
    }
    return status;
}

static hsc_status category_rows(diff_series *s, made *m, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t k = 1; k < s->runs && !status; k++) {
        diff_category *list = NULL;
        uint32_t n = 0;
        status = diff_categories(&s->pair[k], &list, &n, err);
        for (uint32_t i = 0; i < n && !status; i++) {
            uint32_t at = 0;
            while (at < m->n && strcmp(m->list[at].kind, list[i].name))
                at++;
            if (at == m->n && (at = add(m)) == HSC_NONE) {
                status = no_memory(err);
                break;
            }
            m->list[at].kind = list[i].name;
            set_mean(&m->of[(size_t)at * s->runs], diff_series_run(s, 0), (hsc_weighted){list[i].row.count_a, list[i].row.excess_a});
            set_mean(&m->of[(size_t)at * s->runs + k], diff_series_run(s, k), (hsc_weighted){list[i].row.count_b, list[i].row.excess_b});
        }
        free(list);
    }
    return status;
}

/* ---- figures of groups ---- */

static double rank_of(const diff_series *s, const diff_series_row *row) {
    double loss = row->of[s->groups - 1].loss;
    return s->scaling ? loss : fabs(loss);
}

static hsc_status finish(diff_series *s, made *m, diff_series_rows *out, hsc_err *err) {
    out->n = m->n;
    out->values = calloc((size_t)m->n * s->groups + 1, sizeof *out->values);
    out->list = malloc(((size_t)m->n + 1) * sizeof *out->list);
    ranked *order = malloc(((size_t)m->n + 1) * sizeof *order);
    if (!out->values || !out->list || !order) {
        free(order);
        out->n = 0;
        return no_memory(err);
    }
    for (uint32_t i = 0; i < m->n; i++) {
        m->list[i].of = &out->values[(size_t)i * s->groups];
        diff_series_judge(s, &m->of[(size_t)i * s->runs], m->list[i].of);
        order[i] = (ranked){rank_of(s, &m->list[i]), i};
    }
    qsort(order, m->n, sizeof *order, falling);
    for (uint32_t i = 0; i < m->n; i++)
        out->list[i] = m->list[order[i].at];
    free(order);
    m->n = 0; /* their causes are in the list now */
    return HSC_OK;
}

hsc_status diff_series_by(diff_series *s, diff_by by, diff_series_rows *out, hsc_err *err) {
    made m = {.runs = s->runs};
    *out = (diff_series_rows){0};
    hsc_status status = by == DIFF_CATEGORY ? category_rows(s, &m, err) : by >= DIFF_WAIT ? timed_rows(s, by, &m, err) : sampled_rows(s, by, &m, err);
    if (!status)
        status = finish(s, &m, out, err);
    for (uint32_t i = 0; i < m.n; i++)
        free(m.list[i].cause);
    free(m.list);
    free(m.of);
    if (status)
        diff_series_free(out);
    return status;
}

void diff_series_exact(const diff_series *s, const double *from, diff_series_value *of) {
    diff_series_measure m[DIFF_RUNS];
    for (uint32_t k = 0; k < s->runs; k++)
        m[k] = (diff_series_measure){.sum = {from[k], 0}, .each = {from[k], 0}, .scale = 1, .each_scale = 1, .known = true, .exact = true};
    diff_series_judge(s, m, of);
}
