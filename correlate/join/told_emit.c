/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probes, blocks and their visits, phases, counters and the cost of measuring, into the store. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/cost.h>

#include "emit.h"
#include "emit_details.h"
#include "probed.h"

#define USER_SCOPE 254u

typedef struct probe_row {
    uint32_t kind, scope, line, flags;
    const char *name, *file;
    uint32_t disarmed; /* processes */
    double disarmed_s; /* first of them */
} probe_row;

typedef struct block_row {
    uint32_t parent, probe, depth;
} block_row;

typedef struct visit_row { /* of a block in a thread; an item of a list */
    uint32_t block, thread, context, line;
    uint64_t visits, left, duration_ns, duration_min, duration_max;
    double squares;
    jcost cost, exclusive_cost;
    uint64_t exclusive[STATES], durations[JOIN_BUCKETS];
} visit_row;

typedef struct value_row {
    uint32_t thread;
    const char *name;
    double time_s, value;
} value_row;

#define SORTED_BYTES ((uint64_t)4 << 20) /* of visits that are sorted at a time, and more only with more memory */

struct hsc_told_rows {
    join *j;
    HSC_VEC(probe_row) probes;
    HSC_VEC(block_row) blocks;
    HSC_VEC(uint64_t) block_visits; /* by row of blocks: rows of `visits` */
    HSC_VEC(visit_row) own;         /* of the process that is listed */
    HSC_VEC(value_row) values;      /* the same */
    hsc_spill_list visits;          /* visit_row, by process, block, thread */
    hsc_table probe_rows, block_rows; /* by interned text; (parent + 1, probe) */
};
typedef struct hsc_told_rows told;

/* Address of the one copy of a text made of these. */
static const char *key_of(join *j, const char *file, uint32_t line, uint32_t kind, const char *name) {
    size_t n = strlen(file) + strlen(name) + 32;
    char *line_of = malloc(n);
    const char *kept = NULL;
    if (line_of) {
        int length = snprintf(line_of, n, "%s\n%u\n%u\n%s", file, line, kind, name);
        kept = hsc_pool_intern(&j->pool, line_of, (size_t)length);
    }
    free(line_of);
    return kept;
}

/* In memory that lasts. */
static const char *lasting(join *j, const char *s) { return hsc_pool_intern(&j->pool, s, strlen(s)); }

static uint32_t probe_of(told *x, uint32_t kind, const char *name, const char *file, uint32_t line, uint32_t flags,
                         const jprobe_place *place) {
    const char *key = key_of(x->j, file, line, kind, name);
    uint32_t *row = key ? hsc_table_at(&x->probe_rows, (uintptr_t)key, 0) : NULL, scope = HSC_NO_INDEX;
    if (!row || (*row == HSC_NO_INDEX && place && !hsc_join_probed_scope(x->j, place, &scope)))
        return HSC_NO_INDEX;
    if (*row == HSC_NO_INDEX) {
        *row = (uint32_t)x->probes.n;
        const char *kept_name = lasting(x->j, name), *kept_file = lasting(x->j, file);
        if (!kept_name || !kept_file || !HSC_PUSH(x->probes, (probe_row){kind, scope, line, flags, kept_name, kept_file, 0, 0}))
            return HSC_NO_INDEX;
    }
    return *row;
}

static void take_disarmed(told *x, const jprocess *p, const jprobe_place *place) {
    probe_row *r = &x->probes.p[place->row];
    double at = place->disarmed ? fmax(hsc_join_run_time(x->j, p, place->disarmed), 0) : 0;
    if (!place->disarmed)
        return;
    r->disarmed_s = r->disarmed ? fmin(r->disarmed_s, at) : at;
    r->disarmed++;
}

static const char *user_name(const jtold *t, uint64_t id) {
    for (size_t i = 0; i < t->names.n; i++)
        if (t->names.p[(id + i - 1) % t->names.n].id == id) /* dense: the first look hits */
            return t->names.p[(id + i - 1) % t->names.n].name;
    return "?";
}

static uint32_t probe_of_block(told *x, const jtold *t, const jblock *b) {
    if (b->user)
        return probe_of(x, USER_SCOPE, user_name(t, b->number), "", 0, 0, NULL);
    for (size_t i = 0; i < t->places.n; i++) {
        const jprobe_place *p = &t->places.p[(b->number + i - 1) % t->places.n];
        if (p->number == b->number)
            return p->row;
    }
    return probe_of(x, HSC_probe_kind_PROCEDURE, "?", "", 0, 0, NULL); /* its place is in a damaged chunk */
}

static bool take_visit(told *x, const jprocess *p, const jblock *b, uint32_t thread) {
    const jsite *site = b->site == HSC_NO_INDEX ? NULL : &p->sites.p[b->site];
    visit_row v = {.block = b->row, .thread = thread, .context = site ? site->context : HSC_NO_INDEX, .line = site ? site->line : HSC_NO_INDEX, .visits = b->visits, .left = b->left, .duration_ns = b->duration_ns,
                   .duration_min = b->duration_min, .duration_max = b->duration_max, .squares = b->squares, .cost = b->cost, .exclusive_cost = b->exclusive_cost};
    memcpy(v.exclusive, b->exclusive, sizeof v.exclusive);
    if (b->durations)
        memcpy(v.durations, b->durations, sizeof v.durations);
    x->block_visits.p[b->row]++;
    return HSC_PUSH(x->own, v);
}

static bool take_thread(told *x, const jprocess *p, jtold_thread *t, uint32_t thread) {
    bool ok = true;
    for (size_t i = 0; ok && i < t->blocks.n; i++) {
        jblock *b = &t->blocks.p[i];
        uint32_t parent = b->parent == HSC_NO_INDEX ? HSC_NO_INDEX : t->blocks.p[b->parent].row;
        uint32_t probe = probe_of_block(x, p->told, b);
        uint32_t *row = probe == HSC_NO_INDEX ? NULL : hsc_table_at(&x->block_rows, parent == HSC_NO_INDEX ? 0 : parent + 1ull, probe);
        if (!row) {
            ok = false;
            break;
        }
        if (*row == HSC_NO_INDEX) {
            *row = (uint32_t)x->blocks.n;
            uint32_t depth = parent == HSC_NO_INDEX ? 0 : x->blocks.p[parent].depth + 1;
            ok = HSC_PUSH(x->blocks, (block_row){parent, probe, depth}) && HSC_PUSH(x->block_visits, 0);
        }
        b->row = *row;
        ok = ok && take_visit(x, p, b, thread);
    }
    return ok;
}

static int by_counter(const void *pa, const void *pb) {
    const value_row *a = pa, *b = pb;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    int c = strcmp(a->name, b->name);
    if (c)
        return c;
    return a->time_s < b->time_s ? -1 : a->time_s > b->time_s;
}

static int by_block(const void *pa, const void *pb, void *ctx) {
    uint32_t x = *(const uint32_t *)pa, y = *(const uint32_t *)pb;
    const visit_row *a = &((const visit_row *)ctx)[x], *b = &((const visit_row *)ctx)[y];
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Rows of `v` by block and thread; NULL: out of memory. */
static uint32_t *order_of(visit_row *v, size_t n) {
    uint32_t *order = malloc((n + 1) * sizeof *order);
    for (uint32_t i = 0; order && i < n; i++)
        order[i] = i;
    if (order && n > 1)
        qsort_r(order, n, sizeof *order, by_block, v);
    return order;
}

static bool list_visits(told *x) {
    uint32_t *order = x->own.n ? order_of(x->own.p, x->own.n) : NULL;
    bool ok = order || !x->own.n;
    for (size_t i = 0; ok && i < x->own.n; i++)
        ok = hsc_spill_put(x->j->spill, &x->visits, &x->own.p[order[i]], sizeof *x->own.p);
    free(order);
    return ok;
}

/* ---- phases, notes, counters ---- */

static bool list_moments(told *x, columns *c, const jprocess *p, uint32_t process) {
    const jtold *t = p->told;
    const char *kept;
    bool ok = true;
    for (size_t i = 0; ok && i < t->phases.n; i++) {
        const jtold_mark *m = &t->phases.p[i];
        double end = i + 1 < t->phases.n ? hsc_join_run_time(x->j, p, m[1].time) : hsc_join_end_of(x->j, p);
        double begin = hsc_join_run_time(x->j, p, m->time);
        if (!m->name)
            continue;
        ok = (kept = lasting(x->j, user_name(t, m->name))) != NULL;
        CELL(c, phase_process, uint32_t, process);
        CELL(c, phase_name, column_text, kept);
        CELL(c, phase_begin_s, double, begin);
        CELL(c, phase_end_s, double, end > begin ? end : begin);
    }
    for (size_t i = 0; ok && i < t->notes.n; i++) {
        const jnote *m = &t->notes.p[i];
        ok = (kept = lasting(x->j, m->text)) != NULL;
        CELL(c, note_process, uint32_t, process);
        CELL(c, note_thread, uint32_t, m->thread ? hsc_join_thread_row(p, m->thread) : HSC_NO_INDEX);
        CELL(c, note_time_s, double, hsc_join_run_time(x->j, p, m->time));
        CELL(c, note_kind, uint8_t, m->kind);
        CELL(c, note_value, uint64_t, m->value);
        CELL(c, note_text, column_text, kept);
    }
    x->values.n = 0;
    for (size_t i = 0; ok && i < t->values.n; i++) {
        const jtold_mark *m = &t->values.p[i];
        uint32_t thread = hsc_join_thread_row(p, m->thread);
        if (thread != HSC_NO_INDEX)
            ok = HSC_PUSH(x->values, (value_row){thread, user_name(t, m->name), hsc_join_run_time(x->j, p, m->time), m->value});
    }
    if (ok && x->values.n > 1)
        qsort(x->values.p, x->values.n, sizeof *x->values.p, by_counter);
    return ok;
}

/* A counter: values of one name in one thread. */
static bool list_counter(told *x, columns *c, const value_row *v, size_t n) {
    double min = v->value, max = v->value, sum = 0, squares = 0;
    uint32_t row = (uint32_t)columns_rows(c, HSC_COL_counter_thread);
    const char *name = lasting(x->j, v->name);
    for (size_t i = 0; i < n; i++) {
        min = v[i].value < min ? v[i].value : min;
        max = v[i].value > max ? v[i].value : max;
        sum += v[i].value;
        squares += v[i].value * v[i].value;
        CELL(c, counter_value_counter, uint32_t, row);
        CELL(c, counter_value_time_s, double, v[i].time_s);
        CELL(c, counter_value_value, double, v[i].value);
    }
    CELL(c, counter_thread, uint32_t, v->thread);
    CELL(c, counter_name, column_text, name);
    CELL(c, counter_values, uint64_t, n);
    CELL(c, counter_first, double, v->value);
    CELL(c, counter_last, double, v[n - 1].value);
    CELL(c, counter_min, double, min);
    CELL(c, counter_max, double, max);
    CELL(c, counter_sum, double, sum);
    CELL(c, counter_squares, double, squares);
    return name != NULL;
}

static bool list_counters(told *x, columns *c) {
    bool ok = true;
    for (size_t i = 0, end; ok && i < x->values.n; i = end) {
        const value_row *v = &x->values.p[i];
        for (end = i + 1; end < x->values.n && x->values.p[end].thread == v->thread && !strcmp(x->values.p[end].name, v->name);)
            end++;
        ok = list_counter(x, c, v, end - i);
    }
    return ok;
}

/* ---- cost ---- */

hsc_join_cost hsc_join_cost_of(const jprocess *p, const jthread *t) {
    const jtold_thread *of = hsc_join_told_thread(p, t->id);
    hsc_join_cost c = {0};
    if (of) {
        c.handler_s = (double)of->handler_ns * 1e-9;
        c.signals_s = (double)of->runs * (double)p->told->interrupt_ns * 1e-9;
        c.probes_s = (double)of->probe_ns * 1e-9;
    }
    double own = (double)t->own_ns * 1e-9;
    if (c.handler_s + c.probes_s > own) /* the handler's sum has what probes added to the thread's */
        c.handler_s = own > c.probes_s ? own - c.probes_s : 0;
    double rest = own - c.handler_s - c.probes_s;
    bool apart = of && (of->runs || of->wrappers_ns);
    c.wrappers_s = apart && rest > 0 ? rest : 0;
    if (!apart) /* an old or damaged file: not told apart */
        c.handler_s = (double)t->own_ns * 1e-9 > c.probes_s ? (double)t->own_ns * 1e-9 - c.probes_s : 0;
    double most = (double)t->cpu_ns * 1e-9 - c.handler_s - c.signals_s; /* visits times the price of one when it was calibrated: an estimate */
    if (t->cpu_ns && c.probes_s > most)
        c.probes_s = most > 0 ? most : 0;
    double left = (double)t->cpu_ns * 1e-9 - c.handler_s - c.signals_s - c.probes_s - c.wrappers_s; /* an estimate too */
    c.switches_s = of ? (double)of->switches_ns * 1e-9 : 0;
    if (t->cpu_ns && c.switches_s > left)
        c.switches_s = left > 0 ? left : 0;
    if (of && p->told->interrupt_least_ns) {
        const jtold *by = p->told;
        double fixed = c.handler_s + c.probes_s + c.wrappers_s, runs = (double)of->runs * 1e-9;
        c.least_s = fixed + runs * (double)by->interrupt_least_ns + c.switches_s * (double)by->switches_least / 1000 - HSC_COST_WRAPPERS_LEAST * c.wrappers_s;
        c.most_s = fixed + runs * (double)by->interrupt_most_ns + c.switches_s * (double)by->switches_most / 1000 + HSC_COST_WRAPPERS_MOST * c.wrappers_s;
    }
    if (p->told && p->threads.n && t == &p->threads.p[0]) {
        c.helper_s = (double)p->told->helper_ns * 1e-9;
        c.start_s = (double)p->told->start_ns * 1e-9;
        c.end_s = (double)p->told->end_ns * 1e-9;
    }
    return c;
}

static void list_cost(columns *c, const jprocess *p) {
    static const jtold_thread none;
    for (size_t k = 0; k < p->threads.n; k++) {
        const jthread *t = &p->threads.p[k];
        if (t->row == HSC_NO_INDEX)
            continue;
        const jtold_thread *told_of = hsc_join_told_thread(p, t->id), *of = told_of ? told_of : &none;
        hsc_join_cost cost = hsc_join_cost_of(p, t);
        CELL(c, cost_thread, uint32_t, t->row);
        CELL(c, cost_handler_s, double, cost.handler_s);
        CELL(c, cost_handler_runs, uint64_t, of->runs);
        CELL(c, cost_handler_median_s, double, (double)of->median_ns * 1e-9);
        CELL(c, cost_handler_p90_s, double, (double)of->p90_ns * 1e-9);
        CELL(c, cost_handler_p99_s, double, (double)of->p99_ns * 1e-9);
        CELL(c, cost_signals_s, double, cost.signals_s);
        CELL(c, cost_probes_s, double, cost.probes_s);
        CELL(c, cost_wrappers_s, double, cost.wrappers_s);
        CELL(c, cost_switches_s, double, cost.switches_s);
        CELL(c, cost_own_least_s, double, cost.least_s);
        CELL(c, cost_own_most_s, double, cost.most_s);
        CELL(c, cost_helper_s, double, cost.helper_s);
        CELL(c, cost_start_s, double, cost.start_s);
        CELL(c, cost_end_s, double, cost.end_s);
        CELL(c, cost_rate_changes, uint32_t, of->rate_changes < UINT32_MAX ? of->rate_changes : UINT32_MAX);
        CELL(c, cost_periods_max, uint32_t, of->periods_max < UINT32_MAX ? of->periods_max : UINT32_MAX);
        CELL(c, cost_probes_missed, uint64_t, of->missed);
    }
}

/* ---- all processes ---- */

hsc_status hsc_join_begin_told(join *j, hsc_told_rows **out, hsc_err *err) {
    told *x = *out = calloc(1, sizeof *x);
    if (!x)
        return hsc_join_no_memory(err);
    x->j = j;
    return HSC_OK;
}

hsc_status hsc_join_list_told(hsc_told_rows *x, columns *c, uint32_t row, hsc_err *err) {
    const jprocess *p = x->j->run.p[row];
    jtold *t = p->told;
    bool ok = true;
    x->own.n = 0;
    list_cost(c, p);
    if (!t)
        return HSC_OK;
    for (size_t k = 0; ok && k < t->places.n; k++) {
        jprobe_place *place = &t->places.p[k];
        place->row = probe_of(x, place->kind, place->name, place->file, place->line, place->flags, place);
        ok = place->row != HSC_NO_INDEX;
        if (ok)
            take_disarmed(x, p, place);
    }
    for (size_t k = 0; ok && k < t->threads.n; k++) {
        uint32_t thread = hsc_join_thread_row(p, t->threads.p[k].id);
        ok = thread == HSC_NO_INDEX || take_thread(x, p, &t->threads.p[k], thread);
    }
    ok = ok && list_visits(x) && list_moments(x, c, p, row) && list_counters(x, c);
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

static double at_most(double v, double most) { return v < most ? v : most; }

static void put_visit(columns *c, const visit_row *v) {
    uint32_t row = (uint32_t)columns_rows(c, HSC_COL_visit_block);
    uint64_t of_category[STATES] = {0};
    double exclusive_ns = 0;
    for (unsigned s = 0; s < STATES; s++) {
        of_category[s ? s - 1 : 0] += v->exclusive[s]; /* not known: no wrapper was active */
        exclusive_ns += (double)v->exclusive[s];
    }
    CELL(c, visit_block, uint32_t, v->block);
    CELL(c, visit_thread, uint32_t, v->thread);
    CELL(c, visit_visits, uint64_t, v->visits);
    CELL(c, visit_left, uint64_t, v->left);
    CELL(c, visit_duration_s, double, (double)v->duration_ns * 1e-9);
    CELL(c, visit_duration_min_s, double, v->duration_min == UINT64_MAX ? 0 : (double)v->duration_min * 1e-9);
    CELL(c, visit_duration_max_s, double, (double)v->duration_max * 1e-9);
    CELL(c, visit_duration_squares, double, v->squares * 1e-18);
    CELL(c, visit_exclusive_s, double, exclusive_ns * 1e-9);
    CELL(c, visit_cost_s, double, 1e-9 * at_most(v->cost.ns, (double)v->duration_ns));
    CELL(c, visit_exclusive_cost_s, double, 1e-9 * at_most(v->exclusive_cost.ns, exclusive_ns));
    CELL(c, visit_exclusive_cost_least_s, double, 1e-9 * at_most(v->exclusive_cost.least_ns, exclusive_ns));
    CELL(c, visit_exclusive_cost_most_s, double, 1e-9 * at_most(v->exclusive_cost.most_ns, exclusive_ns));
    CELL(c, visit_context, uint32_t, v->context);
    CELL(c, visit_line, uint32_t, v->line);
    for (unsigned k = 0; k < CATEGORIES; k++)
        if (of_category[k]) {
            CELL(c, visit_category_visit, uint32_t, row);
            CELL(c, visit_category_category, uint8_t, k);
            CELL(c, visit_category_exclusive_s, double, (double)of_category[k] * 1e-9);
        }
    for (unsigned k = 0; k < JOIN_BUCKETS; k++)
        if (v->durations[k]) {
            CELL(c, visit_bucket_visit, uint32_t, row);
            CELL(c, visit_bucket_bucket, uint8_t, k);
            CELL(c, visit_bucket_count, uint64_t, v->durations[k]);
        }
}

/* A list of visits, of which either all are of one block, and in order then, or all fit memory. */
static hsc_status put_part(told *x, columns *c, hsc_spill_list *l, bool one_block, hsc_err *err) {
    uint64_t most = one_block && l->count > 16 ? 16 : l->count, got = most;
    hsc_spill_cursor at = {.list = l};
    visit_row *v = malloc((most + 1) * sizeof *v);
    hsc_status status = v ? HSC_OK : hsc_join_no_memory(err);
    while (status == HSC_OK && got) {
        status = hsc_spill_read(x->j->spill, &at, v, most, &got, err);
        uint32_t *order = status == HSC_OK ? order_of(v, got) : NULL;
        if (status == HSC_OK && !order)
            status = hsc_join_no_memory(err);
        for (uint64_t i = 0; status == HSC_OK && i < got; i++)
            put_visit(c, &v[order[i]]);
        free(order);
    }
    free(v);
    hsc_spill_list_fini(l);
    return status;
}

/* By ranges of blocks, each as large as can be sorted, or of one block. */
static hsc_status put_visits(told *x, columns *c, hsc_err *err) {
    join *j = x->j;
    uint64_t most = j->details_max / 4 > SORTED_BYTES ? j->details_max / 4 : SORTED_BYTES, held = 0;
    size_t n = x->blocks.n, parts = 0;
    uint32_t *part_of = malloc((n + 1) * sizeof *part_of), *sizes = calloc(n + 1, sizeof *sizes);
    hsc_spill_list *lists = calloc(n + 1, sizeof *lists);
    hsc_spill_cursor at = {.list = &x->visits};
    hsc_status status = part_of && sizes && lists ? HSC_OK : hsc_join_no_memory(err);
    visit_row v;
    for (size_t b = 0; status == HSC_OK && b < n; b++) {
        uint64_t bytes = x->block_visits.p[b] * sizeof v;
        if (b && held + bytes > most) {
            parts++;
            held = 0;
        }
        held += bytes;
        part_of[b] = (uint32_t)parts;
        sizes[parts]++;
    }
    for (bool any = true; status == HSC_OK && any;) {
        status = hsc_spill_next(j->spill, &at, &v, &any, err);
        if (status == HSC_OK && any && !hsc_spill_put(j->spill, &lists[part_of[v.block]], &v, sizeof v))
            status = hsc_join_no_memory(err);
    }
    hsc_spill_cursor_fini(&at);
    hsc_spill_list_fini(&x->visits);
    for (size_t k = 0; lists && k <= parts; k++)
        if (status == HSC_OK)
            status = put_part(x, c, &lists[k], sizes[k] == 1, err);
        else
            hsc_spill_list_fini(&lists[k]);
    free(part_of);
    free(sizes);
    free(lists);
    return status;
}

static void list_probes(columns *c, const told *x) {
    for (size_t i = 0; i < x->probes.n; i++) {
        const probe_row *p = &x->probes.p[i];
        CELL(c, probe_kind, uint8_t, p->kind);
        CELL(c, probe_scope, uint32_t, p->scope);
        CELL(c, probe_name, column_text, p->name);
        CELL(c, probe_file, column_text, p->file);
        CELL(c, probe_line, uint32_t, p->line);
        CELL(c, probe_flags, uint32_t, p->flags);
        CELL(c, probe_disarmed, uint32_t, p->disarmed);
        CELL(c, probe_disarmed_s, double, p->disarmed_s);
    }
    for (size_t i = 0; i < x->blocks.n; i++) {
        CELL(c, block_parent, uint32_t, x->blocks.p[i].parent);
        CELL(c, block_probe, uint32_t, x->blocks.p[i].probe);
        CELL(c, block_depth, uint32_t, x->blocks.p[i].depth);
    }
}

hsc_status hsc_join_put_told(hsc_told_rows *x, columns *c, hsc_store *store, hsc_err *err) {
    static const enum hsc_table_id tables[] = {HSC_TAB_probe, HSC_TAB_block, HSC_TAB_visit, HSC_TAB_visit_category, HSC_TAB_visit_bucket,
                                               HSC_TAB_phase, HSC_TAB_note, HSC_TAB_counter, HSC_TAB_counter_value, HSC_TAB_cost};
    list_probes(c, x);
    hsc_status status = put_visits(x, c, err);
    for (size_t t = 0; t < sizeof tables / sizeof *tables && status == HSC_OK; t++)
        status = columns_put(c, store, tables[t], err);
    return status;
}

void hsc_join_free_told_rows(hsc_told_rows *x) {
    if (!x)
        return;
    hsc_spill_list_fini(&x->visits);
    void *arrays[] = {x->probes.p, x->blocks.p, x->block_visits.p, x->own.p, x->values.p, x};
    hsc_table_fini(&x->probe_rows);
    hsc_table_fini(&x->block_rows);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}
