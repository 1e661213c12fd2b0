/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The threads of the parallel regions that code stands in: those that its work could be spread over. Who has a sample in a region is of its team,
 * and who waits in it, at its end, or for the next one: with nothing to do in it a thread still waits there. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>
#include <heatscope/sorted.h>

#include "report_paid.h"

typedef struct pair {
    uint32_t of, is;
} pair;

typedef struct pairs {
    pair *list;
    size_t n, room;
    bool failed;
} pairs;

typedef struct fork { /* sorted by procedure */
    uint32_t procedure, line, region;
    bool mapped;
} fork;

struct report_teams {
    uint32_t *region;  /* by context: the innermost region at it or round it, as a scope; HSC_NONE */
    pairs regions;     /* scope, region that it is met in; sorted */
    pairs waiting;     /* region, thread; sorted */
    uint8_t **members; /* by scope of a region, by thread; NULL until asked for */
    uint8_t *any;      /* by thread: met in OpenMP; NULL until asked for */
};

typedef struct walk {
    report *r;
    report_teams *t;
    uint32_t *region;    /* by context: the innermost region at it or round it; HSC_NONE */
    uint32_t *procedure; /* by context: of it, or where it is OpenMP's, of what is round that */
    uint32_t *parent;    /* by context */
    fork *forks;
    size_t n_forks, room;
    bool failed;
} walk;

static void add_pair(pairs *p, uint32_t of, uint32_t is) {
    if (p->failed || (p->n && p->list[p->n - 1].of == of && p->list[p->n - 1].is == is))
        return;
    if (p->n == p->room) {
        pair *more = realloc(p->list, (p->room = 2 * p->room + 64) * sizeof *more);
        if (!more) {
            p->failed = true;
            return;
        }
        p->list = more;
    }
    p->list[p->n++] = (pair){of, is};
}

static int by_pair(const void *a, const void *b) {
    const pair *x = a, *y = b;
    return x->of != y->of ? (x->of > y->of) - (x->of < y->of) : (x->is > y->is) - (x->is < y->is);
}

static void sort_pairs(pairs *p) {
    size_t kept = 0;
    if (p->n)
        qsort(p->list, p->n, sizeof *p->list, by_pair);
    for (size_t i = 0; i < p->n; i++)
        if (!kept || by_pair(&p->list[kept - 1], &p->list[i]))
            p->list[kept++] = p->list[i];
    p->n = kept;
}

static size_t first_of(const pairs *p, uint32_t of) {
    size_t at;
    HSC_SEARCH(at, p->n, p->list[at].of < of);
    return at;
}

static void add_fork(walk *w, uint32_t procedure, uint32_t line, uint32_t region, bool mapped) {
    if (procedure == HSC_NONE || (w->n_forks && w->forks[w->n_forks - 1].procedure == procedure && w->forks[w->n_forks - 1].region == region))
        return;
    if (w->n_forks == w->room) {
        fork *more = realloc(w->forks, (w->room = 2 * w->room + 16) * sizeof *more);
        if (!more) {
            w->failed = true;
            return;
        }
        w->forks = more;
    }
    w->forks[w->n_forks++] = (fork){procedure, line, region, mapped};
}

static int by_procedure(const void *a, const void *b) {
    const fork *x = a, *y = b;
    return (x->procedure > y->procedure) - (x->procedure < y->procedure);
}

static bool is_parallel(const hsc_db_scope *s) { return s->kind == HSC_SCOPE_REGION && !strstr(s->name, "task"); }

/* Visits the regions round a context: up to the innermost that is known to be no task. */
static uint32_t next_region(const walk *w, uint32_t region_context) {
    hsc_db_context c;
    hsc_db_scope s;
    if (hsc_db_get_context(w->r->db, region_context, &c, NULL) || hsc_db_get_scope(w->r->db, c.scope, &s, NULL) || is_parallel(&s))
        return HSC_NONE;
    return region_context ? w->region[w->parent[region_context]] : HSC_NONE;
}

static uint32_t scope_of(const walk *w, uint32_t context) {
    hsc_db_context c;
    return hsc_db_get_context(w->r->db, context, &c, NULL) ? HSC_NONE : c.scope;
}

static void visit(void *ctx, uint32_t c, const hsc_db_context *context, const hsc_db_scope *s, report_library library) {
    walk *w = ctx;
    uint32_t round = c ? context->parent : HSC_NONE;
    bool parallel = c && is_parallel(s), body = c && report_is_region_body(s);
    w->parent[c] = round;
    w->region[c] = parallel || body ? c : c ? w->region[round] : HSC_NONE;
    w->procedure[c] = c && library == REPORT_OPENMP ? w->procedure[round] : s->procedure;
    if (parallel || body)
        add_fork(w, w->procedure[round], s->line_begin, context->scope, parallel);
    if (parallel)
        add_fork(w, s->procedure, s->line_begin, context->scope, parallel);
    for (uint32_t g = w->region[c]; g != HSC_NONE; g = next_region(w, g)) {
        uint32_t region = scope_of(w, g);
        add_pair(&w->t->regions, context->scope, region);
        if (s->procedure != HSC_NONE && s->procedure != context->scope)
            add_pair(&w->t->regions, s->procedure, region);
    }
}

/* One of the team that begins in a procedure on a line: of a region that there is a map of, where it has that line; without a map a body is behind it, the next
 * one, or where no lines are known, any. `inside`: waits of the region round it may be meant. */
static void add_forked(walk *w, uint32_t procedure, uint32_t line, bool inside, uint32_t thread) {
    size_t first, end;
    uint32_t next = HSC_NONE;
    HSC_SEARCH(first, w->n_forks, w->forks[first].procedure < procedure);
    for (end = first; end < w->n_forks && w->forks[end].procedure == procedure; end++)
        if (!w->forks[end].mapped && line && w->forks[end].line >= line && w->forks[end].line < next)
            next = w->forks[end].line;
    for (size_t i = first; i < end; i++) {
        const fork *f = &w->forks[i];
        if (line && f->mapped ? f->line == line : next != HSC_NONE ? f->line == next && (!inside || next == line) : !inside)
            add_pair(&w->t->waiting, f->region, thread);
    }
}

static hsc_status look_at_waits(walk *w, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < w->r->info.waits && !status; i++) {
        hsc_db_wait wait;
        hsc_db_line line = {.line = 0};
        status = hsc_db_get_wait(w->r->db, i, &wait, err);
        if (status || wait.kind < HSC_wait_kind_OMP_BARRIER || wait.kind > HSC_wait_kind_OMP_IDLE || wait.context >= w->r->info.contexts) /* in an interval, too: it may only cut the wait off */
            continue;
        for (uint32_t g = w->region[wait.context]; g != HSC_NONE; g = next_region(w, g))
            add_pair(&w->t->waiting, scope_of(w, g), wait.thread);
        if (wait.line != HSC_NONE)
            status = hsc_db_get_line(w->r->db, wait.line, &line, err);
        if (!status && w->procedure[wait.context] != HSC_NONE)
            add_forked(w, w->procedure[wait.context], line.line, w->region[wait.context] != HSC_NONE, wait.thread);
    }
    return status;
}

static report_teams *teams_new(report *r) {
    size_t n = (size_t)r->info.contexts + 1;
    report_teams *t = calloc(1, sizeof *t);
    walk w = {.r = r, .t = t, .region = malloc(n * sizeof *w.region), .procedure = malloc(n * sizeof *w.procedure), .parent = malloc(n * sizeof *w.parent)};
    bool good = t && w.region && w.procedure && w.parent && (t->region = malloc(n * sizeof *t->region)) && (t->members = calloc((size_t)r->info.scopes + 1, sizeof *t->members)) &&
                !report_walk_contexts(r, 0, r->info.contexts, visit, &w, NULL) && !w.failed;
    if (good && w.n_forks)
        qsort(w.forks, w.n_forks, sizeof *w.forks, by_procedure);
    good = good && !look_at_waits(&w, NULL) && !t->regions.failed && !t->waiting.failed;
    for (uint32_t c = 0; good && c < r->info.contexts; c++)
        t->region[c] = w.region[c] == HSC_NONE ? HSC_NONE : scope_of(&w, w.region[c]);
    free(w.region);
    free(w.procedure);
    free(w.parent);
    free(w.forks);
    if (!good) {
        report_teams_free(t, r->info.scopes);
        return NULL;
    }
    sort_pairs(&t->regions);
    sort_pairs(&t->waiting);
    return t;
}

void report_teams_free(report_teams *t, uint32_t scopes) {
    if (!t)
        return;
    for (uint32_t i = 0; i < scopes && t->members; i++)
        free(t->members[i]);
    free(t->members);
    free(t->region);
    free(t->any);
    free(t->regions.list);
    free(t->waiting.list);
    free(t);
}

/* Threads with samples of the scope, or of what it called. */
static bool mark_running(const report *r, uint32_t scope, uint8_t *marks) {
    uint64_t indptr[2];
    uint32_t *indices = NULL;
    float *values = NULL;
    hsc_status s = hsc_db_read_sparse(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, scope, 1, indptr, &indices, &values, NULL);
    for (uint64_t i = 0; !s && i < indptr[1]; i++)
        marks[indices[i]] = marks[indices[i]] || values[i] > 0;
    free(indices);
    free(values);
    return !s;
}

/* The team of a region. NULL: not known. */
static const uint8_t *members_of(report *r, report_teams *t, uint32_t region) {
    if (t->members[region])
        return t->members[region];
    uint8_t *marks = calloc((size_t)r->info.threads + 1, 1);
    if (!marks || !mark_running(r, region, marks)) {
        free(marks);
        return NULL;
    }
    for (size_t i = first_of(&t->waiting, region); i < t->waiting.n && t->waiting.list[i].of == region; i++)
        if (t->waiting.list[i].is < r->info.threads)
            marks[t->waiting.list[i].is] = 1;
    return t->members[region] = marks;
}

/* Threads that were in any region, or in OpenMP's runtime, for regions that nobody was seen to wait in. NULL: not known. */
static const uint8_t *all_members(report *r, report_teams *t) {
    if (t->any)
        return t->any;
    uint8_t *marks = calloc((size_t)r->info.threads + 1, 1);
    bool good = marks;
    for (uint32_t i = 0; i < r->info.scopes && good; i++) {
        hsc_db_scope s;
        hsc_db_module m;
        if (!(r->incl[i] > 0) || hsc_db_get_scope(r->db, i, &s, NULL))
            continue;
        bool runtime = s.kind == HSC_SCOPE_MODULE && s.module < r->info.modules && !hsc_db_get_module(r->db, s.module, &m, NULL) &&
                       hsc_library_is_openmp(hsc_library_role_of(m.path));
        if (runtime || is_parallel(&s) || report_is_region_body(&s))
            good = mark_running(r, i, marks);
    }
    for (size_t i = 0; i < t->waiting.n && good; i++)
        if (t->waiting.list[i].is < r->info.threads)
            marks[t->waiting.list[i].is] = 1;
    if (!good) {
        free(marks);
        return NULL;
    }
    return t->any = marks;
}

bool report_take_part(report *r, uint32_t scope, uint32_t *threads, uint32_t *without) {
    if (r->axis != HSC_AXIS_THREAD || !r->incl || (!r->teams && !(r->teams = teams_new(r))))
        return false;
    report_teams *t = r->teams;
    uint8_t *runs = calloc((size_t)r->info.threads + 1, 1), *in = calloc((size_t)r->info.threads + 1, 1);
    bool good = runs && in && mark_running(r, scope, runs), told = false;
    for (size_t i = first_of(&t->regions, scope); good && i < t->regions.n && t->regions.list[i].of == scope; i++) {
        uint32_t region = t->regions.list[i].is;
        size_t waits = first_of(&t->waiting, region);
        const uint8_t *members = members_of(r, t, region);
        told = told || (waits < t->waiting.n && t->waiting.list[waits].of == region);
        for (uint32_t k = 0; (good = good && members) && k < r->info.threads; k++)
            in[k] |= members[k];
    }
    const uint8_t *all = good && !told ? all_members(r, t) : in;
    *threads = 0;
    *without = HSC_NONE;
    for (uint32_t k = 0; (good = good && all) && k < r->info.threads; k++) {
        *threads += runs[k] || all[k];
        if (*without == HSC_NONE && all[k] && !runs[k])
            *without = k;
    }
    free(runs);
    free(in);
    return good;
}

bool report_next_team(report *r, uint32_t scope, uint32_t *region) {
    if (r->axis != HSC_AXIS_THREAD || !r->incl || (!r->teams && !(r->teams = teams_new(r))))
        return false;
    const report_teams *t = r->teams;
    const uint8_t *first = NULL;
    bool differ = false;
    uint32_t next = HSC_NONE;
    for (size_t i = first_of(&t->regions, scope); i < t->regions.n && t->regions.list[i].of == scope; i++) {
        uint32_t g = t->regions.list[i].is;
        const uint8_t *members = members_of(r, r->teams, g);
        size_t waits = first_of(&t->waiting, g);
        if (!members || waits == t->waiting.n || t->waiting.list[waits].of != g)
            return false;
        differ = differ || (first && memcmp(first, members, r->info.threads));
        first = members;
        if (next == HSC_NONE && (*region == HSC_NONE || g > *region))
            next = g;
    }
    *region = next;
    return differ && next != HSC_NONE;
}

hsc_status report_spread_in_region(report *r, uint32_t procedure, uint32_t region, report_spread *out, hsc_err *err) {
    const uint32_t *contexts = r->paid->contexts[1], *begin = &r->paid->begin[1][procedure];
    report_range *ranges = malloc((begin[1] - begin[0] + (size_t)1) * sizeof *ranges);
    uint32_t n = 0;
    if (!ranges)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t k = begin[0]; k < begin[1]; k++)
        if (r->teams->region[contexts[k]] == region)
            ranges[n++] = (report_range){contexts[k], 1};
    hsc_status status = report_spread_of_ranges(r, HSC_TABLE_CONTEXT_EXCL, ranges, n, out, err);
    free(ranges);
    return status;
}
