/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probes, blocks and their visits, phases, counters and the cost of measuring, into the store. */
#include <stdio.h>
#include <string.h>

#include "emit.h"
#include "told.h"

#define USER_SCOPE 254u

typedef struct probe_row {
    uint32_t kind, scope, line, flags;
    const char *name, *file;
} probe_row;

typedef struct block_row {
    uint32_t parent, probe, depth;
} block_row;

typedef struct visit_row {
    uint32_t block, thread;
    const jblock *of;
    double pair_s, inside_s; /* cost of a visit; 0: none */
    uint64_t children;       /* visits of blocks right inside */
} visit_row;

typedef struct category_row {
    uint32_t visit;
    uint8_t category;
    uint64_t ns;
} category_row;

typedef struct bucket_row {
    uint32_t visit;
    uint8_t bucket;
    uint64_t count;
} bucket_row;

typedef struct phase_row {
    uint32_t process;
    const char *name;
    double begin_s, end_s;
} phase_row;

typedef struct note_row {
    uint32_t process, thread;
    double time_s;
    const jnote *of;
} note_row;

typedef struct value_row {
    uint32_t thread, counter;
    const char *name;
    double time_s, value;
} value_row;

typedef struct counter_row {
    size_t first, n; /* rows of values */
} counter_row;

typedef struct told {
    join *j;
    HSC_VEC(probe_row) probes;
    HSC_VEC(block_row) blocks;
    HSC_VEC(visit_row) visits;
    HSC_VEC(category_row) categories;
    HSC_VEC(bucket_row) buckets;
    HSC_VEC(phase_row) phases;
    HSC_VEC(note_row) notes;
    HSC_VEC(value_row) values;
    HSC_VEC(counter_row) counters;
    hsc_table probe_rows, block_rows, scope_rows; /* by interned text; (parent + 1, probe); (file and line as text) */
    uint32_t *next_scope;                         /* of the same file and line */
} told;

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

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

/* Procedures and loops by the name of their file and their first line. */
static bool index_scopes(told *x) {
    join *j = x->j;
    x->next_scope = malloc((j->scopes.n + 1) * sizeof *x->next_scope);
    for (uint32_t s = 0; x->next_scope && s < j->scopes.n; s++) {
        const jscope *at = &j->scopes.p[s];
        x->next_scope[s] = HSC_NO_INDEX;
        if ((at->kind != HSC_SCOPE_PROCEDURE && at->kind != HSC_SCOPE_LOOP && at->kind != HSC_SCOPE_REGION) || at->file >= j->files.n)
            continue;
        const char *key = key_of(j, base_name(j->files.p[at->file].path), at->line_begin, at->kind == HSC_SCOPE_LOOP, "");
        uint32_t *row = key ? hsc_table_at(&x->scope_rows, (uintptr_t)key, 0) : NULL;
        if (!row)
            return false;
        x->next_scope[s] = *row;
        *row = s;
    }
    return x->next_scope != NULL;
}

/* The scope of a probe: by file and line, and by the procedure's name where several stand there. */
static bool find_scope(told *x, const jprobe_place *p, uint32_t *scope) {
    const join *j = x->j;
    *scope = HSC_NO_INDEX;
    if (p->kind != HSC_probe_kind_PROCEDURE && p->kind != HSC_probe_kind_LOOP)
        return true;
    const char *key = key_of(x->j, base_name(p->file), p->line, p->kind == HSC_probe_kind_LOOP, "");
    if (!key)
        return false;
    for (uint32_t s = hsc_table_get(&x->scope_rows, (uintptr_t)key, 0); s != HSC_NO_INDEX; s = x->next_scope[s]) {
        uint32_t of = j->scopes.p[s].procedure;
        const jscope *procedure = &j->scopes.p[of < j->scopes.n ? of : s];
        bool same = !strcmp(procedure->name, p->name) || !strcmp(procedure->linkage, p->name);
        if (*scope == HSC_NO_INDEX || same)
            *scope = s;
        if (same)
            break;
    }
    return true;
}

static uint32_t probe_of(told *x, uint32_t kind, const char *name, const char *file, uint32_t line, uint32_t flags,
                         const jprobe_place *place) {
    const char *key = key_of(x->j, file, line, kind, name);
    uint32_t *row = key ? hsc_table_at(&x->probe_rows, (uintptr_t)key, 0) : NULL, scope = HSC_NO_INDEX;
    if (!row || (*row == HSC_NO_INDEX && place && !find_scope(x, place, &scope)))
        return HSC_NO_INDEX;
    if (*row == HSC_NO_INDEX) {
        *row = (uint32_t)x->probes.n;
        if (!HSC_PUSH(x->probes, (probe_row){kind, scope, line, flags, name, file}))
            return HSC_NO_INDEX;
    }
    return *row;
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

static bool take_thread(told *x, const jprocess *p, jtold_thread *t, uint32_t thread) {
    uint64_t *children = calloc(t->blocks.n + 1, sizeof *children);
    bool ok = children != NULL;
    for (size_t i = t->blocks.n; ok && i-- > 0;) { /* parents stand before */
        jblock *b = &t->blocks.p[i];
        if (b->parent == HSC_NO_INDEX)
            continue;
        t->blocks.p[b->parent].inner_visits += b->visits + b->inner_visits;
        children[b->parent] += b->visits;
    }
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
            ok = HSC_PUSH(x->blocks, (block_row){parent, probe, depth});
        }
        b->row = *row;
        ok = ok && HSC_PUSH(x->visits, (visit_row){b->row, thread, b, b->user ? 0 : p->told->pair_ns * 1e-9,
                                                   b->user ? 0 : p->told->inside_ns * 1e-9, children[i]});
    }
    free(children);
    return ok;
}

static bool take_moments(told *x, const jprocess *p, uint32_t process) {
    const jtold *t = p->told;
    bool ok = true;
    for (size_t i = 0; ok && i < t->phases.n; i++) {
        const jmoment *m = &t->phases.p[i];
        double end = i + 1 < t->phases.n ? hsc_join_run_time(x->j, p, m[1].time) : hsc_join_end_of(x->j, p);
        double begin = hsc_join_run_time(x->j, p, m->time);
        if (m->name)
            ok = HSC_PUSH(x->phases, (phase_row){process, user_name(t, m->name), begin, end > begin ? end : begin});
    }
    for (size_t i = 0; ok && i < t->notes.n; i++) {
        const jnote *m = &t->notes.p[i];
        uint32_t thread = m->thread ? hsc_join_thread_row(p, m->thread) : HSC_NO_INDEX;
        ok = HSC_PUSH(x->notes, (note_row){process, thread, hsc_join_run_time(x->j, p, m->time), m});
    }
    for (size_t i = 0; ok && i < t->values.n; i++) {
        const jmoment *m = &t->values.p[i];
        uint32_t thread = hsc_join_thread_row(p, m->thread);
        if (thread != HSC_NO_INDEX)
            ok = HSC_PUSH(x->values, (value_row){thread, 0, user_name(t, m->name), hsc_join_run_time(x->j, p, m->time), m->value});
    }
    return ok;
}

static int by_block(const void *pa, const void *pb) {
    const visit_row *a = pa, *b = pb;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
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

static bool gather(told *x) {
    join *j = x->j;
    bool ok = index_scopes(x);
    for (uint32_t i = 0; ok && i < j->run.n; i++) {
        const jprocess *p = j->run.p[i];
        jtold *t = p->told;
        if (!t)
            continue;
        for (size_t k = 0; ok && k < t->places.n; k++) {
            jprobe_place *place = &t->places.p[k];
            place->row = probe_of(x, place->kind, place->name, place->file, place->line, place->flags, place);
            ok = place->row != HSC_NO_INDEX;
        }
        for (size_t k = 0; ok && k < t->threads.n; k++) {
            uint32_t thread = hsc_join_thread_row(p, t->threads.p[k].id);
            ok = thread == HSC_NO_INDEX || take_thread(x, p, &t->threads.p[k], thread);
        }
        ok = ok && take_moments(x, p, i);
    }
    if (ok && x->visits.n > 1)
        qsort(x->visits.p, x->visits.n, sizeof *x->visits.p, by_block);
    for (uint32_t i = 0; ok && i < x->visits.n; i++) {
        const jblock *b = x->visits.p[i].of;
        uint64_t of_category[STATES] = {0};
        for (unsigned s = 0; s < STATES; s++) /* not known: no wrapper was active */
            of_category[s ? s - 1 : 0] += b->exclusive[s];
        for (unsigned c = 0; ok && c < CATEGORIES; c++)
            ok = !of_category[c] || HSC_PUSH(x->categories, (category_row){i, (uint8_t)c, of_category[c]});
        for (unsigned k = 0; ok && b->durations && k < JOIN_BUCKETS; k++)
            ok = !b->durations[k] || HSC_PUSH(x->buckets, (bucket_row){i, (uint8_t)k, b->durations[k]});
    }
    if (ok && x->values.n > 1)
        qsort(x->values.p, x->values.n, sizeof *x->values.p, by_counter);
    for (size_t i = 0; ok && i < x->values.n; i++) {
        const value_row *v = &x->values.p[i];
        bool same = i && v[-1].thread == v->thread && !strcmp(v[-1].name, v->name);
        ok = same || HSC_PUSH(x->counters, (counter_row){i, 0});
        if (ok) {
            x->counters.p[x->counters.n - 1].n++;
            x->values.p[i].counter = (uint32_t)x->counters.n - 1;
        }
    }
    return ok;
}

static double exclusive_ns(const jblock *b) {
    double sum = 0;
    for (unsigned s = 0; s < STATES; s++)
        sum += (double)b->exclusive[s];
    return sum;
}

static double at_most(double v, double most) { return v < most ? v : most; }

static void put_probes(emit *e, const told *x) {
    const probe_row *p = x->probes.p;
    size_t n = x->probes.n;
    COLUMN(e, probe_kind, uint8_t, n, p[i].kind);
    COLUMN(e, probe_scope, uint32_t, n, p[i].scope);
    COLUMN(e, probe_name, text, n, p[i].name);
    COLUMN(e, probe_file, text, n, p[i].file);
    COLUMN(e, probe_line, uint32_t, n, p[i].line);
    COLUMN(e, probe_flags, uint32_t, n, p[i].flags);
    n = x->blocks.n;
    COLUMN(e, block_parent, uint32_t, n, x->blocks.p[i].parent);
    COLUMN(e, block_probe, uint32_t, n, x->blocks.p[i].probe);
    COLUMN(e, block_depth, uint32_t, n, x->blocks.p[i].depth);
    const visit_row *v = x->visits.p;
    n = x->visits.n;
    COLUMN(e, visit_block, uint32_t, n, v[i].block);
    COLUMN(e, visit_thread, uint32_t, n, v[i].thread);
    COLUMN(e, visit_visits, uint64_t, n, v[i].of->visits);
    COLUMN(e, visit_left, uint64_t, n, v[i].of->left);
    COLUMN(e, visit_duration_s, double, n, (double)v[i].of->duration_ns * 1e-9);
    COLUMN(e, visit_duration_min_s, double, n, v[i].of->duration_min == UINT64_MAX ? 0 : (double)v[i].of->duration_min * 1e-9);
    COLUMN(e, visit_duration_max_s, double, n, (double)v[i].of->duration_max * 1e-9);
    COLUMN(e, visit_duration_squares, double, n, v[i].of->squares * 1e-18);
    COLUMN(e, visit_exclusive_s, double, n, exclusive_ns(v[i].of) * 1e-9);
    COLUMN(e, visit_cost_s, double, n,
           at_most((double)v[i].of->visits * v[i].inside_s + (double)v[i].of->inner_visits * v[i].pair_s,
                   (double)v[i].of->duration_ns * 1e-9));
    COLUMN(e, visit_exclusive_cost_s, double, n,
           at_most((double)v[i].of->visits * v[i].inside_s + (double)v[i].children * (v[i].pair_s - v[i].inside_s),
                   exclusive_ns(v[i].of) * 1e-9));
    n = x->categories.n;
    COLUMN(e, visit_category_visit, uint32_t, n, x->categories.p[i].visit);
    COLUMN(e, visit_category_category, uint8_t, n, x->categories.p[i].category);
    COLUMN(e, visit_category_exclusive_s, double, n, (double)x->categories.p[i].ns * 1e-9);
    n = x->buckets.n;
    COLUMN(e, visit_bucket_visit, uint32_t, n, x->buckets.p[i].visit);
    COLUMN(e, visit_bucket_bucket, uint8_t, n, x->buckets.p[i].bucket);
    COLUMN(e, visit_bucket_count, uint64_t, n, x->buckets.p[i].count);
}

typedef enum over { SUM, SQUARES, LEAST, MOST } over;

static double counted(const told *x, size_t counter, over how) {
    const counter_row *c = &x->counters.p[counter];
    double sum = how == LEAST || how == MOST ? x->values.p[c->first].value : 0;
    for (size_t i = c->first; i < c->first + c->n; i++) {
        double v = x->values.p[i].value;
        if (how == LEAST || how == MOST)
            sum = how == LEAST ? (v < sum ? v : sum) : v > sum ? v : sum;
        else
            sum += how == SUM ? v : v * v;
    }
    return sum;
}

static void put_moments(emit *e, const told *x) {
    const phase_row *p = x->phases.p;
    size_t n = x->phases.n;
    COLUMN(e, phase_process, uint32_t, n, p[i].process);
    COLUMN(e, phase_name, text, n, p[i].name);
    COLUMN(e, phase_begin_s, double, n, p[i].begin_s);
    COLUMN(e, phase_end_s, double, n, p[i].end_s);
    const note_row *k = x->notes.p;
    n = x->notes.n;
    COLUMN(e, note_process, uint32_t, n, k[i].process);
    COLUMN(e, note_thread, uint32_t, n, k[i].thread);
    COLUMN(e, note_time_s, double, n, k[i].time_s);
    COLUMN(e, note_kind, uint8_t, n, (uint8_t)k[i].of->kind);
    COLUMN(e, note_value, uint64_t, n, k[i].of->value);
    COLUMN(e, note_text, text, n, k[i].of->text);
    const counter_row *c = x->counters.p;
    const value_row *v = x->values.p;
    n = x->counters.n;
    COLUMN(e, counter_thread, uint32_t, n, v[c[i].first].thread);
    COLUMN(e, counter_name, text, n, v[c[i].first].name);
    COLUMN(e, counter_values, uint64_t, n, c[i].n);
    COLUMN(e, counter_first, double, n, v[c[i].first].value);
    COLUMN(e, counter_last, double, n, v[c[i].first + c[i].n - 1].value);
    COLUMN(e, counter_min, double, n, counted(x, i, LEAST));
    COLUMN(e, counter_max, double, n, counted(x, i, MOST));
    COLUMN(e, counter_sum, double, n, counted(x, i, SUM));
    COLUMN(e, counter_squares, double, n, counted(x, i, SQUARES));
    n = x->values.n;
    COLUMN(e, counter_value_counter, uint32_t, n, v[i].counter);
    COLUMN(e, counter_value_time_s, double, n, v[i].time_s);
    COLUMN(e, counter_value_value, double, n, v[i].value);
}

hsc_join_cost hsc_join_cost_of(const jprocess *p, const jthread *t) {
    const jtold_thread *of = hsc_join_told_thread(p, t->id);
    hsc_join_cost c = {0};
    if (of) {
        c.handler_s = (double)of->handler_ns * 1e-9;
        c.signals_s = (double)of->runs * (double)p->told->interrupt_ns * 1e-9;
        c.probes_s = (double)of->probe_ns * 1e-9;
    }
    double rest = (double)t->own_ns * 1e-9 - c.handler_s - c.probes_s;
    c.wrappers_s = of && of->runs && rest > 0 ? rest : 0;
    if (!of || !of->runs) /* an old or damaged file: not told apart */
        c.handler_s = (double)t->own_ns * 1e-9 > c.probes_s ? (double)t->own_ns * 1e-9 - c.probes_s : 0;
    c.helper_s = p->told && p->threads.n && t == &p->threads.p[0] ? (double)p->told->helper_ns * 1e-9 : 0;
    return c;
}

static void put_cost(emit *e) {
    static const jtold_thread none;
    jthread **t = e->j->threads.p;
    size_t n = e->j->threads.n;
#define OF(i) (hsc_join_told_thread(t[i]->process, t[i]->id) ? hsc_join_told_thread(t[i]->process, t[i]->id) : &none)
    COLUMN(e, cost_thread, uint32_t, n, i);
    COLUMN(e, cost_handler_s, double, n, hsc_join_cost_of(t[i]->process, t[i]).handler_s);
    COLUMN(e, cost_handler_runs, uint64_t, n, OF(i)->runs);
    COLUMN(e, cost_handler_median_s, double, n, (double)OF(i)->median_ns * 1e-9);
    COLUMN(e, cost_handler_p90_s, double, n, (double)OF(i)->p90_ns * 1e-9);
    COLUMN(e, cost_handler_p99_s, double, n, (double)OF(i)->p99_ns * 1e-9);
    COLUMN(e, cost_signals_s, double, n, hsc_join_cost_of(t[i]->process, t[i]).signals_s);
    COLUMN(e, cost_probes_s, double, n, hsc_join_cost_of(t[i]->process, t[i]).probes_s);
    COLUMN(e, cost_wrappers_s, double, n, hsc_join_cost_of(t[i]->process, t[i]).wrappers_s);
    COLUMN(e, cost_helper_s, double, n, hsc_join_cost_of(t[i]->process, t[i]).helper_s);
    COLUMN(e, cost_rate_changes, uint32_t, n, OF(i)->rate_changes < UINT32_MAX ? OF(i)->rate_changes : UINT32_MAX);
    COLUMN(e, cost_periods_max, uint32_t, n, OF(i)->periods_max < UINT32_MAX ? OF(i)->periods_max : UINT32_MAX);
    COLUMN(e, cost_probes_missed, uint64_t, n, OF(i)->missed);
#undef OF
}

hsc_status hsc_join_put_told(join *j, struct hsc_store *store, hsc_err *err) {
    emit e = {.j = j, .s = store, .err = err, .status = HSC_OK};
    told x = {.j = j};
    if (!gather(&x))
        e.status = hsc_join_no_memory(err);
    put_probes(&e, &x);
    put_moments(&e, &x);
    put_cost(&e);
    void *arrays[] = {x.probes.p, x.blocks.p, x.visits.p, x.categories.p, x.buckets.p, x.phases.p, x.notes.p, x.values.p, x.counters.p, x.next_scope};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    hsc_table_fini(&x.probe_rows);
    hsc_table_fini(&x.block_rows);
    hsc_table_fini(&x.scope_rows);
    return e.status;
}
