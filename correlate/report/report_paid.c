/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_paid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>

/* A path up to a context. */
struct paid_path {
    uint32_t users_loop, own_loop, any_loop; /* innermost of the user's, of his program with headers, of all */
    uint32_t hot;                            /* the one that has the time in `hot` */
    uint32_t procedure;                      /* innermost of the user's */
    uint32_t own_code_of;                    /* the loop whose own code it is; HSC_NONE: none's */
    bool foreign;                            /* in code that is not the user's own */
    bool apart;                              /* below a call of message passing, of OpenMP or of ours: findings of their own tell of these */
    bool can_be_vectors;
    uint32_t context;
    bool in_users_call;                      /* since the loop that pays: of one of the user's procedures, not inlined */
};
typedef struct paid_path path;

enum { CAN_BE_VECTORS = 1, IN_USERS_CALL = 2 }; /* marks */

typedef struct pay_walk {
    report *r;
    report_paid *p;
    const hsc_weighted *sums; /* of contexts from `first` on */
    uint32_t first;
    uint32_t module; /* the last one looked at */
    bool is_apart, is_mathematical;
} pay_walk;

bool hsc_db_is_heatscope(const hsc_db *db, uint32_t scope) {
    hsc_db_scope s;
    hsc_db_module m;
    return !hsc_db_get_scope(db, scope, &s, NULL) && s.module != HSC_NONE && !hsc_db_get_module(db, s.module, &m, NULL) && hsc_library_role_of(m.path) == HSC_LIBRARY_HEATSCOPE;
}

hsc_weighted report_take_ours(const report *r, uint32_t *rows, uint32_t *n) {
    hsc_weighted sum = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (hsc_db_is_heatscope(r->db, rows[i])) {
            hsc_weighted own = report_own(r, rows[i]);
            sum.sum += own.sum;
            sum.excess += own.excess;
        } else
            rows[kept++] = rows[i];
    }
    *n = kept;
    return sum;
}

static void look_at_module(pay_walk *w, uint32_t module, report_library library) {
    hsc_db_module m;
    w->module = module;
    w->is_apart = library == REPORT_OPENMP;
    w->is_mathematical = false;
    if (module == HSC_NONE || hsc_db_get_module(w->r->db, module, &m, NULL))
        return;
    hsc_library_role role = hsc_library_role_of(m.path);
    w->is_apart = w->is_apart || role == HSC_LIBRARY_MESSAGES || role == HSC_LIBRARY_HEATSCOPE;
    w->is_mathematical = hsc_library_is_mathematical(m.path);
}

static void add(hsc_weighted *to, hsc_weighted v) {
    to->sum += v.sum;
    to->excess += v.excess;
}

/* A loop that is no more is code of the one round it, as far as that counts as much. */
static bool is_part(const uint8_t *is_no_more, const path *at, uint32_t scope, bool users, bool own) {
    return is_no_more[scope] && (users ? at->users_loop : own ? at->own_loop : at->any_loop) != HSC_NONE;
}

/* Of the path, who pays. */
static uint32_t payer(const path *at) {
    return at->users_loop != HSC_NONE ? at->users_loop : at->own_loop != HSC_NONE ? at->own_loop : at->any_loop;
}

static void enter_loop(pay_walk *w, path *at, uint32_t c, uint32_t scope, bool users, bool own) {
    if (is_part(w->p->is_no_more, at, scope, users, own))
        return;
    bool part = !at->in_users_call && is_part(w->p->is_vectors, at, scope, users, own);
    at->any_loop = at->own_code_of = scope;
    if (users || at->users_loop == HSC_NONE)
        at->in_users_call = false;
    if (own) {
        at->own_loop = scope;
        at->can_be_vectors = users || at->users_loop == HSC_NONE; /* else it has a price of its own */
    }
    if (users)
        at->users_loop = scope;
    if (!part && payer(at) == scope)
        at->hot = scope;
    if (users || at->users_loop == HSC_NONE)
        w->p->callee[c] = w->p->caller[c] = HSC_NONE;
}

static void enter_procedure(pay_walk *w, path *at, uint32_t c, const hsc_db_context *context, const hsc_db_scope *s, bool users, bool own) {
    report_paid *p = w->p;
    bool called = context->kind == HSC_CONTEXT_PROCEDURE;
    at->own_code_of = HSC_NONE;
    at->in_users_call = at->in_users_call || (users && called);
    if (own && called)
        at->apart = false;
    else if (w->is_apart)
        at->apart = true;
    at->can_be_vectors = at->can_be_vectors && (own || w->is_mathematical || hsc_is_complex_division(s->name) || hsc_is_complex_product(s->name));
    if (users || !at->foreign) { /* a library's own procedures go by the name of that which the user calls */
        p->callee[c] = s->procedure;
        p->caller[c] = users ? HSC_NONE : at->procedure;
    }
    if (users)
        at->procedure = s->procedure;
    at->foreign = !users;
}

/* Where the path of a context goes: with that of its parent, by now; context HSC_NONE: none is known. */
static path *next_on_way(report_paid *p, uint32_t parent) {
    while (p->on_way && (parent == HSC_NONE || p->way[p->on_way - 1].context != parent))
        p->on_way--;
    path *at = &p->way[p->on_way];
    *at = p->on_way ? at[-1] : (path){.context = HSC_NONE};
    p->on_way++;
    return at;
}

static void visit(void *ctx, uint32_t c, const hsc_db_context *context, const hsc_db_scope *s, report_library library) {
    pay_walk *w = ctx;
    report_paid *p = w->p;
    path *at = next_on_way(p, c ? context->parent : HSC_NONE);
    bool own = c && s->kind >= HSC_SCOPE_PROCEDURE && report_is_own(w->r, s), users = own && report_is_users(w->r, s);
    if (s->module != w->module)
        look_at_module(w, s->module, library);
    if (at->context != HSC_NONE) {
        p->callee[c] = p->callee[context->parent];
        p->caller[c] = p->caller[context->parent];
    } else {
        *at = (path){.users_loop = HSC_NONE, .own_loop = HSC_NONE, .any_loop = HSC_NONE, .hot = HSC_NONE, .procedure = HSC_NONE, .own_code_of = HSC_NONE};
        p->callee[c] = p->caller[c] = HSC_NONE;
    }
    at->context = c;
    if (c && context->kind == HSC_CONTEXT_LOOP)
        enter_loop(w, at, c, context->scope, users, own);
    else if (c && (context->kind == HSC_CONTEXT_PROCEDURE || context->kind == HSC_CONTEXT_INLINED))
        enter_procedure(w, at, c, context, s, users, own);
    uint32_t loop = payer(at);
    p->loop_of[c] = at->apart ? HSC_NONE : loop;
    p->procedure_of[c] = at->apart ? HSC_NONE : at->procedure;
    p->marks[c] = (uint8_t)(p->loop_of[c] == HSC_NONE ? 0 : (at->can_be_vectors ? CAN_BE_VECTORS : 0) | (at->in_users_call ? IN_USERS_CALL : 0));
    hsc_weighted v = w->sums[c - w->first];
    if (p->loop_of[c] != HSC_NONE)
        add(&p->loop[loop], v);
    if (p->loop_of[c] != HSC_NONE)
        add(&p->hot[at->hot], v);
    if (p->loop_of[c] != HSC_NONE && at->own_code_of == loop)
        p->own_code[loop] += v.sum;
    if (p->marks[c] & CAN_BE_VECTORS)
        add(&p->vectors[loop], v);
    if (p->procedure_of[c] != HSC_NONE)
        add(&p->procedure[p->procedure_of[c]], v);
}

static hsc_status out_of_memory(const report *r, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path); }

static report_paid *paid_new(const report *r) {
    size_t scopes = (size_t)r->info.scopes + 1, contexts = (size_t)r->info.contexts + 1, instances = (size_t)r->info.instances + 1;
    report_paid *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    *p = (report_paid){.loop = calloc(scopes, sizeof *p->loop), .hot = calloc(scopes, sizeof *p->hot), .is_vectors = calloc(scopes, 1), .vectors = calloc(scopes, sizeof *p->vectors),
                       .own_code = calloc(scopes, sizeof *p->own_code), .is_no_more = calloc(scopes, 1), .unrolled_at = malloc(instances * sizeof *p->unrolled_at),
                       .first_unrolled = malloc(scopes * sizeof *p->first_unrolled), .next_unrolled = malloc(instances * sizeof *p->next_unrolled),
                       .loop_of = malloc(contexts * sizeof *p->loop_of), .procedure_of = malloc(contexts * sizeof *p->procedure_of),
                       .callee = malloc(contexts * sizeof *p->callee), .caller = malloc(contexts * sizeof *p->caller),
                       .marks = malloc(contexts)};
    if (p->loop && p->hot && p->is_vectors && p->vectors && p->own_code && p->is_no_more && p->unrolled_at && p->first_unrolled && p->next_unrolled &&
        p->loop_of && p->procedure_of && p->callee && p->caller && p->marks) {
        memset(p->first_unrolled, 0xff, scopes * sizeof *p->first_unrolled); /* HSC_NONE */
        p->procedure = p->loop;
        return p;
    }
    report_paid_free(p);
    return NULL;
}

void report_paid_free(report_paid *p) {
    if (!p)
        return;
    void *all[] = {p->loop, p->hot, p->vectors, p->own_code, p->is_no_more, p->is_vectors, p->unrolled_at, p->first_unrolled, p->next_unrolled, p->loop_of,
                   p->procedure_of, p->callee, p->caller, p->marks, p->way, p->counted_at, p->begin[0], p->begin[1], p->contexts[0], p->contexts[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(p);
}

/* Without values of contexts nothing is known of what is called. */
static void take_own(report *r, report_paid *p) {
    p->missing = true;
    p->next = r->info.contexts;
    for (uint32_t s = 0; s < r->info.scopes; s++) {
        hsc_db_scope scope;
        if (hsc_db_get_scope(r->db, s, &scope, NULL))
            continue;
        if (scope.kind == HSC_SCOPE_LOOP)
            p->own_code[s] = (p->loop[s] = p->hot[s] = p->vectors[s] = report_excl(r, s)).sum;
        else if (scope.kind == HSC_SCOPE_PROCEDURE && r->own)
            p->procedure[s] = report_own(r, s);
    }
}

/* Contexts by who pays for them. */
static hsc_status list_contexts(const report *r, report_paid *p, int by, hsc_err *err) {
    const uint32_t *of = by ? p->procedure_of : p->loop_of, n = p->missing ? 0 : r->info.contexts;
    uint32_t *begin = p->begin[by] = calloc((size_t)r->info.scopes + 2, sizeof *begin), *list = p->contexts[by] = malloc(((size_t)n + 1) * sizeof *list);
    if (!begin || !list)
        return out_of_memory(r, err);
    for (uint32_t c = 0; c < n; c++)
        if (of[c] != HSC_NONE)
            begin[of[c] + 2]++;
    for (uint32_t s = 0; s < r->info.scopes; s++)
        begin[s + 2] += begin[s + 1];
    for (uint32_t c = 0; c < n; c++)
        if (of[c] != HSC_NONE)
            list[begin[of[c] + 1]++] = c;
    return HSC_OK;
}

/* Their versions belong to that of the loop round them. Of instances [first, last). */
static hsc_status place_unrolled(const report *r, report_paid *p, uint32_t first, uint32_t last, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t i = first; i < last && !status; i++) {
        hsc_db_instance at = {.parent = i};
        p->unrolled_at[i] = HSC_NONE;
        if (!(r->instance_sums[i] > 0))
            continue;
        for (uint32_t steps = 0, row = i; at.parent < r->info.instances && steps <= r->info.instances && !status; steps++) { /* a damaged file may go round */
            row = at.parent;
            status = hsc_db_get_instance(r->db, row, &at, err);
            if (!status && (at.scope >= r->info.scopes || !p->is_no_more[at.scope])) {
                p->unrolled_at[i] = steps && at.scope < r->info.scopes ? row : HSC_NONE;
                break;
            }
        }
        if (p->unrolled_at[i] == HSC_NONE)
            continue;
        p->next_unrolled[i] = p->first_unrolled[at.scope];
        p->first_unrolled[at.scope] = i;
    }
    return status;
}

double report_unrolled(const report *r, uint32_t scope) {
    double sum = 0;
    for (uint32_t i = r->paid->first_unrolled[scope]; i != HSC_NONE; i = r->paid->next_unrolled[i])
        sum += r->instance_sums[i];
    return sum;
}

enum { UNROLLED = 1, OTHER = 2, VECTORS = 4 };

/* is_no_more[scopes]: what instances [first, last) are of those that ran. */
static hsc_status look_for_unrolled(const hsc_db *db, const hsc_db_info *info, const double *sums, uint32_t first, uint32_t last, uint8_t *is_no_more,
                                    hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t i = first; i < last && !status; i++) {
        hsc_db_instance instance;
        if ((sums && !(sums[i] > 0)) || (status = hsc_db_get_instance(db, i, &instance, err)))
            continue;
        if (instance.scope < info->scopes)
            is_no_more[instance.scope] |= instance.version == HSC_loop_version_UNROLLED_FULLY ? UNROLLED : instance.version == HSC_loop_version_VECTOR_UNROLLED_FULLY ? VECTORS : OTHER;
    }
    return status;
}

/* When all were looked at: loops whose code was all unrolled fully, as far as it ran; is_vectors (NULL: not asked): where some of that is vector code. */
static void mark_unrolled(const hsc_db_info *info, uint8_t *is_no_more, uint8_t *is_vectors) {
    for (uint32_t s = 0; s < info->scopes; s++) {
        if (is_vectors)
            is_vectors[s] = (is_no_more[s] & (VECTORS | OTHER)) == VECTORS;
        is_no_more[s] = is_no_more[s] == UNROLLED;
    }
}

hsc_status hsc_db_place_unrolled(const hsc_db *db, const double *sums, uint32_t *loop_of, hsc_err *err) {
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    uint8_t *is_no_more = malloc((size_t)info.scopes + 1);
    hsc_status status = is_no_more ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", info.path);
    if (!status) {
        memset(is_no_more, 0, info.scopes);
        status = look_for_unrolled(db, &info, sums, 0, info.instances, is_no_more, err);
    }
    if (!status)
        mark_unrolled(&info, is_no_more, NULL);
    for (uint32_t i = 0; !status && i < info.scopes; i++) {
        hsc_db_scope s;
        uint32_t round = loop_of[i] = i;
        while (is_no_more[round]) { /* parents come before their children: what does not go up ends here */
            if ((status = hsc_db_get_scope(db, round, &s, err)) || s.parent >= round)
                break;
            round = s.parent;
            if ((status = hsc_db_get_scope(db, round, &s, err)) || s.kind != HSC_SCOPE_LOOP)
                break;
            if (!is_no_more[round])
                loop_of[i] = round;
        }
    }
    free(is_no_more);
    return status;
}

/* Where a step of n from `at` ends. */
static uint32_t end_of(uint32_t at, uint32_t n, uint32_t all) { return n < all - at ? at + n : all; }

/* Vector code of a loop that is no more stays its own, as it is no price of the loop round it, but in `hot`. */
static hsc_status find_no_more(const report *r, report_paid *p, uint32_t n, hsc_err *err) {
    const uint32_t all = r->info.instances;
    if (p->marked == all) {
        uint32_t end = end_of(p->placed, n, all);
        hsc_status status = place_unrolled(r, p, p->placed, end, err);
        p->placed = status ? p->placed : end;
        return status;
    }
    uint32_t end = end_of(p->marked, n, all);
    hsc_status status = look_for_unrolled(r->db, &r->info, r->instance_sums, p->marked, end, p->is_no_more, err);
    if (!status && (p->marked = end) == all)
        mark_unrolled(&r->info, p->is_no_more, p->is_vectors);
    return status;
}

static hsc_status pay_contexts(report *r, report_paid *p, uint32_t n, hsc_err *err) {
    enum { ROWS = 4096 };
    hsc_weighted *sums = malloc(ROWS * sizeof *sums);
    hsc_status s = sums ? HSC_OK : out_of_memory(r, err);
    uint32_t end = end_of(p->next, p->next || n == UINT32_MAX ? n : 1, r->info.contexts); /* the first waits for the table and its sums */
    while (p->next < end && !s) {
        uint32_t some = end - p->next < ROWS ? end - p->next : ROWS;
        if (p->way_room <= p->on_way + some) { /* each context may be inside the one before it */
            path *way = realloc(p->way, (p->on_way + some + 1) * sizeof *way);
            if (!way) {
                s = out_of_memory(r, err);
                break;
            }
            p->way = way;
            p->way_room = p->on_way + some + 1;
        }
        pay_walk w = {.r = r, .p = p, .sums = sums, .first = p->next, .module = HSC_NONE};
        s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD}, p->next, some, sums, err);
        if (s == HSC_E_MISSING && !p->next) {
            hsc_err_clear(err);
            take_own(r, p);
            s = HSC_OK;
            break;
        }
        if (!s)
            s = report_walk_contexts(r, p->next, p->next + some, visit, &w, err);
        if (!s)
            p->next += some;
    }
    free(sums);
    return s;
}

hsc_status report_pay(report *r, uint32_t n, bool *done, hsc_err *err) {
    *done = false;
    if (!r->paid && !(r->paid = paid_new(r)))
        return out_of_memory(r, err);
    report_paid *p = r->paid;
    if (p->placed < r->info.instances)
        return find_no_more(r, p, n, err);
    if (p->next < r->info.contexts)
        return pay_contexts(r, p, n, err);
    free(p->way);
    p->way = NULL;
    p->way_room = 0;
    for (int by = 0; by < 2; by++)
        if (!p->begin[by]) {
            *done = by == 1;
            return list_contexts(r, p, by, err);
        }
    *done = true;
    return HSC_OK;
}

hsc_status report_find_no_more(report *r, uint8_t **is_no_more, hsc_err *err) {
    hsc_status status = HSC_OK;
    *is_no_more = NULL;
    if (!r->paid && !(r->paid = paid_new(r)))
        return out_of_memory(r, err);
    report_paid *p = r->paid;
    if (p->placed || p->next)
        return HSC_OK;
    while (p->marked < r->info.instances && !status)
        status = find_no_more(r, p, UINT32_MAX, err);
    if (!status)
        *is_no_more = p->is_no_more;
    return status;
}

hsc_status report_pay_all(report *r, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (bool done = r->paid && r->paid->begin[1]; !done && !status;)
        status = report_pay(r, UINT32_MAX, &done, err);
    return status;
}

hsc_status report_rank_paid(report *r, hsc_scope_kind kind, uint32_t **rows, uint32_t *n, hsc_err *err) {
    hsc_status s = report_pay_all(r, err);
    if (s)
        return s;
    const hsc_weighted *of = kind == HSC_SCOPE_LOOP ? r->paid->loop : r->paid->procedure;
    const double *own = kind == HSC_SCOPE_LOOP ? r->excl : r->own;
    hsc_db_scope_columns scopes;
    uint32_t kept = 0;
    if ((s = hsc_db_get_scope_columns(r->db, &scopes, err)))
        return s;
    report_ranked *list = malloc(((size_t)r->info.scopes + 1) * sizeof *list);
    *rows = malloc(((size_t)r->info.scopes + 1) * sizeof **rows);
    if (!list || !*rows) {
        free(list);
        free(*rows);
        return out_of_memory(r, err);
    }
    for (uint32_t i = 0; i < r->info.scopes; i++)
        if (scopes.kind[i] == (uint8_t)kind && (of[i].sum > 0 || own[i] > 0) && report_wanted(r, i))
            list[kept++] = (report_ranked){i, of[i].sum, own[i]};
    report_sort_falling(list, kept);
    for (uint32_t i = 0; i < kept; i++)
        (*rows)[i] = list[i].row;
    free(list);
    *n = kept;
    return HSC_OK;
}

/* Samples of contexts that are asked for in rising order. */
typedef struct window {
    hsc_weighted sums[512];
    uint32_t first, end;
} window;

static hsc_status look_in(const report *r, window *w, uint32_t c, hsc_weighted *out, hsc_err *err) {
    const uint32_t rows = sizeof w->sums / sizeof *w->sums;
    if (c >= w->end) {
        w->first = c;
        w->end = r->info.contexts - c < rows ? r->info.contexts : c + rows;
        hsc_status s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD}, c, w->end - c, w->sums, err);
        if (s)
            return s;
    }
    *out = w->sums[c - w->first];
    return HSC_OK;
}

/* Of what the loop pays for, what the program's own procedures take that it calls. */
static hsc_status in_users_calls(report *r, uint32_t loop, double *samples, hsc_err *err) {
    window w = {.end = 0};
    hsc_weighted v;
    hsc_status s = HSC_OK;
    *samples = 0;
    for (uint32_t k = r->paid->begin[0][loop]; k < r->paid->begin[0][loop + 1] && !s; k++) {
        uint32_t c = r->paid->contexts[0][k];
        if (r->paid->marks[c] & IN_USERS_CALL && !(s = look_in(r, &w, c, &v, err)))
            *samples += v.sum;
    }
    return s;
}

/* A loop that does next to nothing itself: one that is known by its instructions alone, as that of an interpreter, or one whose time is that of the program's own
 * procedures that it calls, inlined copies apart, which tell more. */
static hsc_status only_calls(report *r, uint32_t i, const hsc_db_scope *s, bool *only, hsc_err *err) {
    double called;
    const double all = r->paid->hot[i].sum, inside = fmax(all - r->paid->loop[i].sum, 0);
    *only = r->paid->own_code[i] + inside < 0.05 * all;
    if (!*only || !s->line_begin)
        return HSC_OK;
    hsc_status status = in_users_calls(r, i, &called, err);
    *only = !status && called > 0.95 * all;
    return status;
}

/* A loop that only looks at what others write: a finding of its own tells of these. */
static hsc_status only_waits(report *r, uint32_t i, bool *only, hsc_err *err) {
    hsc_db_remark *list = NULL;
    uint32_t n = 0;
    hsc_status s = report_remarks(r, i, &list, &n, err);
    for (uint32_t k = 0; k < n && !s; k++)
        *only = *only || list[k].reason == HSC_reason_WAITS;
    free(list);
    return s;
}

hsc_status report_hottest_loop(report *r, uint32_t *loop, hsc_err *err) {
    uint32_t best[2] = {HSC_NONE, HSC_NONE}; /* of all, of the user's own */
    hsc_status s = report_pay_all(r, err);
    for (uint32_t i = 0; i < r->info.scopes && !s; i++) {
        hsc_db_scope scope;
        bool more[2], only = false;
        for (int k = 0; k < 2; k++)
            more[k] = r->paid->hot[i].sum > (best[k] == HSC_NONE ? 0 : r->paid->hot[best[k]].sum);
        if ((!more[0] && !more[1]) || !report_wanted(r, i) || (s = hsc_db_get_scope(r->db, i, &scope, err)) || scope.kind != HSC_SCOPE_LOOP || (s = only_calls(r, i, &scope, &only, err)) || only || (s = only_waits(r, i, &only, err)) || only)
            continue;
        best[0] = more[0] ? i : best[0];
        best[1] = more[1] && report_is_own(r, &scope) ? i : best[1];
    }
    if (!s)
        *loop = best[1] != HSC_NONE ? best[1] : best[0];
    return s;
}

hsc_status report_calling_loop(report *r, uint32_t loop, uint32_t *calling, hsc_err *err) {
    hsc_status s = HSC_OK;
    double most = 1.05 * r->paid->hot[loop].sum;
    *calling = HSC_NONE;
    for (uint32_t i = 0; i < r->info.scopes && !s; i++) {
        hsc_db_scope scope;
        bool only = false;
        if (!(r->paid->hot[i].sum > most) || !report_wanted(r, i) || (s = hsc_db_get_scope(r->db, i, &scope, err)) || scope.kind != HSC_SCOPE_LOOP || !report_is_own(r, &scope) ||
            (s = only_calls(r, i, &scope, &only, err)) || !only)
            continue;
        *calling = i;
        most = r->paid->hot[i].sum;
    }
    return s;
}

/* Of what the procedure pays for, what loops of its own do. */
static hsc_status in_own_loops(report *r, uint32_t procedure, double *samples, hsc_err *err) {
    const report_paid *p = r->paid;
    window w = {.end = 0};
    hsc_weighted v;
    hsc_db_scope loop;
    hsc_status s = HSC_OK;
    *samples = 0;
    for (uint32_t k = p->begin[1][procedure]; k < p->begin[1][procedure + 1] && !s; k++) {
        uint32_t c = p->contexts[1][k], of = p->loop_of[c];
        if (of != HSC_NONE && !(s = hsc_db_get_scope(r->db, of, &loop, err)) && loop.procedure == procedure && !(s = look_in(r, &w, c, &v, err)))
            *samples += v.sum;
    }
    return s;
}

hsc_status report_hottest_apart(report *r, uint32_t loop, uint32_t *procedure, hsc_err *err) {
    uint32_t best = HSC_NONE;
    double looped = 0;
    hsc_db_scope scope;
    *procedure = HSC_NONE;
    hsc_status s = report_pay_all(r, err);
    const hsc_weighted *of = s ? NULL : r->paid->procedure;
    for (uint32_t i = 0; i < r->info.scopes && !s; i++) {
        if (of[i].sum <= (best == HSC_NONE ? 0 : of[best].sum) || !report_wanted(r, i) || (s = hsc_db_get_scope(r->db, i, &scope, err)))
            continue;
        if (scope.kind == HSC_SCOPE_PROCEDURE && scope.line_begin && report_is_users(r, &scope))
            best = i;
    }
    if (s || best == HSC_NONE || r->paid->missing || (loop != HSC_NONE && of[best].sum < 1.25 * r->paid->hot[loop].sum))
        return s;
    if (!(s = in_own_loops(r, best, &looped, err)) && looped < 0.5 * of[best].sum)
        *procedure = best;
    return s;
}

hsc_status report_paid_ranges(report *r, report_paid_by by, uint32_t scope, report_range **ranges, uint32_t *n, hsc_err *err) {
    hsc_status s = report_pay_all(r, err);
    uint32_t room = 16;
    *n = 0;
    *ranges = NULL;
    if (s)
        return s;
    if (!(*ranges = malloc(room * sizeof **ranges)))
        return out_of_memory(r, err);
    const report_paid *p = r->paid;
    const int of = by == REPORT_PAID_PROCEDURE;
    for (uint32_t k = p->begin[of][scope]; k < p->begin[of][scope + 1]; k++) {
        uint32_t c = p->contexts[of][k];
        report_range *last = *n ? &(*ranges)[*n - 1] : NULL;
        if (by == REPORT_PAID_VECTORS && !(p->marks[c] & CAN_BE_VECTORS))
            continue;
        if (last && last->first + last->n == c) {
            last->n++;
            continue;
        }
        if (*n == room) {
            report_range *more = realloc(*ranges, (room *= 2) * sizeof *more);
            if (!more) {
                free(*ranges);
                *ranges = NULL;
                return out_of_memory(r, err);
            }
            *ranges = more;
        }
        (*ranges)[(*n)++] = (report_range){c, 1};
    }
    return HSC_OK;
}

hsc_status report_paid_spread(report *r, report_paid_by by, uint32_t scope, report_spread *out, hsc_err *err) {
    report_range *ranges = NULL;
    uint32_t n;
    hsc_status s = report_paid_ranges(r, by, scope, &ranges, &n, err);
    if (!s)
        s = r->paid->missing ? report_spread_of(r, scope, out, err) : report_spread_of_ranges(r, HSC_TABLE_CONTEXT_EXCL, ranges, n, out, err);
    free(ranges);
    return s;
}

hsc_status report_paid_nest(report *r, uint32_t loop, hsc_weighted *sum, report_spread *out, hsc_err *err) {
    report_range *all = NULL;
    uint32_t n = 0;
    hsc_db_scope outer, inner;
    hsc_status s = report_pay_all(r, err);
    *sum = (hsc_weighted){0};
    if (!s)
        s = hsc_db_get_scope(r->db, loop, &outer, err);
    for (uint32_t i = loop; !s && i < outer.subtree_end; i++) {
        report_range *some = NULL, *more;
        uint32_t few = 0;
        if ((s = hsc_db_get_scope(r->db, i, &inner, err)) || inner.kind != HSC_SCOPE_LOOP || inner.procedure != outer.procedure)
            continue;
        sum->sum += r->paid->loop[i].sum;
        sum->excess += r->paid->loop[i].excess;
        if (!out)
            continue;
        if (r->paid->missing) {
            if ((some = malloc(sizeof *some)))
                some[few++] = (report_range){i, 1};
        } else {
            s = report_paid_ranges(r, REPORT_PAID_LOOP, i, &some, &few, err);
        }
        more = s ? NULL : realloc(all, ((size_t)n + few + 1) * sizeof *all);
        if (!s && (!some || !more))
            s = out_of_memory(r, err);
        if (more)
            all = more;
        if (!s)
            memcpy(all + n, some, few * sizeof *all);
        n += s ? 0 : few;
        free(some);
    }
    if (!s && out)
        s = report_spread_of_ranges(r, r->paid->missing ? HSC_TABLE_SCOPE_EXCL : HSC_TABLE_CONTEXT_EXCL, all, n, out, err);
    free(all);
    return s;
}

static int larger_callee(const void *a, const void *b) {
    const report_callee *x = a, *y = b;
    if (x->samples.sum != y->samples.sum)
        return x->samples.sum > y->samples.sum ? -1 : 1;
    return x->scope != y->scope ? (x->scope > y->scope) - (x->scope < y->scope) : (x->caller > y->caller) - (x->caller < y->caller);
}

/* The row of the callee; a new one where there is none. NULL: no memory. */
static report_callee *callee_row(report_callee **list, uint32_t *n, uint32_t *room, uint32_t scope, uint32_t caller) {
    for (uint32_t i = 0; i < *n; i++)
        if ((*list)[i].scope == scope && (*list)[i].caller == caller)
            return &(*list)[i];
    if (*n == *room) {
        report_callee *more = realloc(*list, (*room = 2 * *room + 16) * sizeof *more);
        if (!more)
            return NULL;
        *list = more;
    }
    (*list)[*n] = (report_callee){.scope = scope, .caller = caller};
    return &(*list)[(*n)++];
}

hsc_status report_callees(report *r, uint32_t loop, report_callee *out, uint32_t most, uint32_t *n, hsc_err *err) {
    window w = {.end = 0};
    hsc_weighted v;
    hsc_db_scope of;
    report_callee *list = NULL;
    uint32_t count = 0, room = 0;
    *n = 0;
    hsc_status s = report_pay_all(r, err);
    if (!s)
        s = hsc_db_get_scope(r->db, loop, &of, err);
    for (uint32_t k = s ? 0 : r->paid->begin[0][loop]; !s && k < r->paid->begin[0][loop + 1]; k++) {
        uint32_t c = r->paid->contexts[0][k];
        if (r->paid->callee[c] == HSC_NONE)
            continue;
        if ((s = look_in(r, &w, c, &v, err)))
            break;
        uint32_t caller = r->paid->caller[c] == of.procedure ? HSC_NONE : r->paid->caller[c];
        report_callee *row = v.sum > 0 ? callee_row(&list, &count, &room, r->paid->callee[c], caller) : NULL;
        if (v.sum > 0 && !row)
            s = out_of_memory(r, err);
        if (row)
            add(&row->samples, v);
    }
    if (!s && count)
        qsort(list, count, sizeof *list, larger_callee);
    for (; *n < count && *n < most && !s; ++*n)
        out[*n] = list[*n];
    free(list);
    return s;
}
