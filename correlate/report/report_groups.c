/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <heatscope/formats/records.h>
#include <heatscope/sorted.h>

#include "report_charged.h"
#include "report_groups.h"
#include "report_paid.h"
#include "report_versions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static hsc_status no_memory(hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "out of memory"); }

static hsc_status add_group(report_groups *g, report_group x, hsc_err *err) {
    if (g->n == g->room) {
        uint32_t room = g->room ? 2 * g->room : 64;
        report_group *list = realloc(g->list, room * sizeof *list);
        if (!list)
            return no_memory(err);
        g->list = list;
        g->room = room;
    }
    x.first = g->n_ranges;
    g->list[g->n++] = x;
    return HSC_OK;
}

/* To the last group; ranges that touch become one. */
static hsc_status add_range(report_groups *g, uint64_t first, uint64_t n, hsc_err *err) {
    report_group *x = &g->list[g->n - 1];
    report_range *last = x->n ? &g->ranges[g->n_ranges - 1] : NULL;
    if (last && last->first + last->n == first) {
        last->n += n;
        return HSC_OK;
    }
    if (g->n_ranges == g->ranges_room) {
        uint32_t room = g->ranges_room ? 2 * g->ranges_room : 64;
        report_range *ranges = realloc(g->ranges, room * sizeof *ranges);
        if (!ranges)
            return no_memory(err);
        g->ranges = ranges;
        g->ranges_room = room;
    }
    g->ranges[g->n_ranges++] = (report_range){first, n};
    x->n++;
    return HSC_OK;
}

/* Values of rows [first, first + n). Lines of one file lie beside those of the next: they are read some at a time, and kept. */
static hsc_status read_rows(report *r, report_groups *g, uint64_t first, uint64_t n, hsc_weighted *out, hsc_err *err) {
    enum { BLOCK = 512 };
    const hsc_db_view view = {r->metric, g->table, HSC_AXIS_THREAD};
    uint64_t begin = first / BLOCK * BLOCK, end = begin + BLOCK < r->info.lines ? begin + BLOCK : r->info.lines;
    if (g->table != HSC_TABLE_LINE || first + n > end)
        return hsc_db_read_weighted(r->db, view, first, n, out, err);
    if (!g->block && !(g->block = malloc(BLOCK * sizeof *g->block)))
        return no_memory(err);
    if (!g->block_n || g->block_first != begin) {
        g->block_n = 0;
        hsc_status s = hsc_db_read_weighted(r->db, view, begin, end - begin, g->block, err);
        if (s)
            return s;
        g->block_first = begin;
        g->block_n = end - begin;
    }
    memcpy(out, g->block + (first - begin), n * sizeof *out);
    return HSC_OK;
}

/* Sums of the ranges of the last group; takes it back when there is nothing. */
static hsc_status settle(report *r, report_groups *g, hsc_err *err) {
    enum { ROWS = 512 };
    hsc_weighted sums[ROWS];
    report_group *x = &g->list[g->n - 1];
    hsc_status s = HSC_OK;
    for (uint32_t i = x->first; i < x->first + x->n && !s; i++)
        for (uint64_t row = 0; row < g->ranges[i].n && !s; row += ROWS) {
            uint64_t some = g->ranges[i].n - row < ROWS ? g->ranges[i].n - row : ROWS;
            s = read_rows(r, g, g->ranges[i].first + row, some, sums, err);
            for (uint64_t k = 0; k < some && !s; k++) {
                x->value.sum += sums[k].sum;
                x->value.excess += sums[k].excess;
            }
        }
    if (!s && !(x->value.sum > 0) && !(x->inclusive.sum > 0)) {
        g->n_ranges = x->first;
        g->n--;
    }
    return s;
}

static const hsc_weighted none = {NAN, 0};

/* ---- files, modules, loops ---- */

static hsc_status by_program(report *r, report_groups *g, hsc_err *err) {
    report_range all = {0, 1};
    hsc_status s = HSC_OK;
    g->table = HSC_TABLE_SCOPE_INCL;
    for (uint32_t k = 0; k < r->programs && !s; k++) {
        report_spread p;
        uint32_t processes = 0;
        for (uint32_t i = 0; i < r->info.processes; i++)
            processes += !strcmp(report_program_path(r, i), report_program_path(r, r->program_first[k])) &&
                         report_was_replaced(r->db, i) == report_was_replaced(r->db, r->program_first[k]);
        s = report_spread_of_program(r, g->table, &all, 1, k, &p, err);
        if (s || (r->programs == 1 && !(p.mean > 0)))
            continue;
        s = add_group(g, (report_group){.row = k, .members = processes, .value = {p.mean * p.columns, p.excess}, .inclusive = none}, err);
        if (!s)
            s = add_range(g, all.first, all.n, err);
    }
    return s;
}

/* Files that a context brings to the path: that of its scope, and that of the call's line. HSC_NONE: none, or both are one. */
static hsc_status files_of(const report *r, const hsc_db_context *c, uint32_t of[2], hsc_err *err) {
    hsc_db_scope scope;
    hsc_db_line line = {.file = HSC_NONE};
    of[0] = of[1] = HSC_NONE;
    if (c->kind == HSC_CONTEXT_ROOT)
        return HSC_OK;
    hsc_status s = hsc_db_get_scope(r->db, c->scope, &scope, err);
    if (!s && c->call_line != HSC_NONE)
        s = hsc_db_get_line(r->db, c->call_line, &line, err);
    if (!s) {
        of[0] = scope.file;
        of[1] = line.file != scope.file ? line.file : HSC_NONE;
    }
    return s;
}

/* By file: samples with one of its procedures, inlined copies, loops or calls anywhere on the path. */
static hsc_status load_inclusive(const report *r, hsc_weighted *of_file, hsc_err *err) {
    enum { ROWS = 512 };
    hsc_weighted sums[ROWS];
    hsc_status s = HSC_OK;
    for (uint32_t first = 0; first < r->info.contexts && !s; first += ROWS) {
        uint32_t n = r->info.contexts - first < ROWS ? r->info.contexts - first : ROWS;
        s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, first, n, sums, err);
        for (uint32_t i = 0; i < n && !s; i++) {
            hsc_db_context c;
            uint32_t of[2], above[2], row = first + i;
            if (!(sums[i].sum > 0) || (s = hsc_db_get_context(r->db, first + i, &c, err)) || (s = files_of(r, &c, of, err)))
                continue;
            while (c.parent < row && (of[0] != HSC_NONE || of[1] != HSC_NONE) && !s) { /* files met above are counted with the outer one */
                row = c.parent;
                if (!(s = hsc_db_get_context(r->db, row, &c, err)) && !(s = files_of(r, &c, above, err)))
                    for (int k = 0; k < 2; k++)
                        of[k] = of[k] == above[0] || of[k] == above[1] ? HSC_NONE : of[k];
            }
            for (int k = 0; k < 2 && !s; k++)
                if (of[k] != HSC_NONE) {
                    of_file[of[k]].sum += sums[i].sum;
                    of_file[of[k]].excess += sums[i].excess;
                }
        }
    }
    if (s == HSC_E_MISSING) { /* a database may have no contexts' values */
        hsc_err_clear(err);
        for (uint32_t f = 0; f < r->info.files; f++)
            of_file[f] = none;
        s = HSC_OK;
    }
    return s;
}

/* Samples of the lines of a file in code of procedures of others (macros, included text): whether the file is on their path besides is not known. */
static hsc_status add_outside(const report *r, const hsc_db_file *file, uint32_t f, hsc_weighted *outside, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t l = file->first_line_row; l < file->first_line_row + file->line_rows && !s; l++) {
        hsc_db_line line;
        hsc_db_scope scope = {.file = HSC_NONE};
        hsc_weighted v;
        if ((s = hsc_db_get_line(r->db, l, &line, err)) || (line.scope != HSC_NONE && (s = hsc_db_get_scope(r->db, line.scope, &scope, err))) || scope.file == f ||
            (s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, l, 1, &v, err)))
            continue;
        outside->sum += v.sum;
        outside->excess += v.excess;
    }
    return s;
}

/* From what is on paths to what the file has at least, and, in `own`, at most. */
static hsc_status settle_inclusive(const report *r, report_group *x, const hsc_db_file *file, hsc_err *err) {
    hsc_weighted outside = {0}, on_paths = x->inclusive;
    hsc_status s = add_outside(r, file, x->row, &outside, err);
    if (s || isnan(on_paths.sum))
        return s;
    if (on_paths.sum < x->value.sum) /* each of the file's own samples has it on the path */
        x->inclusive = x->value;
    x->own = (hsc_weighted){on_paths.sum + outside.sum, on_paths.excess + outside.excess};
    if (x->own.sum > r->total)
        x->own = r->all;
    if (x->own.sum < x->inclusive.sum)
        x->own = x->inclusive;
    return HSC_OK;
}

static hsc_status by_file(report *r, report_groups *g, hsc_err *err) {
    hsc_weighted *inclusive = calloc((size_t)r->info.files + 1, sizeof *inclusive);
    hsc_status s = inclusive ? load_inclusive(r, inclusive, err) : no_memory(err);
    g->table = HSC_TABLE_LINE;
    for (uint32_t f = 0; f < r->info.files && !s; f++) {
        hsc_db_file file;
        if ((s = hsc_db_get_file(r->db, f, &file, err)) ||
            (s = add_group(g, (report_group){.row = f, .inclusive = r->where ? none : inclusive[f], .own = none}, err)))
            break;
        for (uint32_t l = file.first_line_row; l < file.first_line_row + file.line_rows && !s; l++)
            if (report_wanted_line(r, l)) {
                g->list[g->n - 1].members++;
                s = add_range(g, l, 1, err);
            }
        uint32_t before = g->n;
        if (!s)
            s = settle(r, g, err);
        if (!s && g->n == before) /* not taken back */
            s = settle_inclusive(r, &g->list[g->n - 1], &file, err);
    }
    free(inclusive);
    return s;
}

static hsc_status by_nest(report *r, report_groups *g, hsc_err *err) {
    hsc_status s = HSC_OK;
    g->table = HSC_TABLE_SCOPE_EXCL;
    for (uint32_t k = 0; k < r->info.scopes && !s; k++) {
        hsc_db_scope scope, up, inner;
        if ((s = hsc_db_get_scope(r->db, k, &scope, err)) || scope.kind != HSC_SCOPE_LOOP || (s = hsc_db_get_scope(r->db, scope.parent, &up, err)))
            continue;
        while (!s && up.kind == HSC_SCOPE_REGION) /* a region is no loop */
            s = hsc_db_get_scope(r->db, up.parent, &up, err);
        if (s || up.kind == HSC_SCOPE_LOOP || !report_wanted(r, k))
            continue;
        s = add_group(g, (report_group){.row = k, .inclusive = report_incl(r, k)}, err);
        for (uint32_t i = k; i < scope.subtree_end && !s; i++)
            if (!(s = hsc_db_get_scope(r->db, i, &inner, err)) && inner.procedure == scope.procedure) {
                g->list[g->n - 1].members += inner.kind == HSC_SCOPE_LOOP;
                s = add_range(g, i, 1, err);
            }
        report_group *x = &g->list[g->n - 1];
        if (!s && !(s = report_paid_nest(r, k, &x->own, NULL, err)))
            s = settle(r, g, err);
    }
    return s;
}

static hsc_status by_version(report *r, report_groups *g, hsc_err *err) {
    hsc_status s = HSC_OK;
    report_version *all = NULL;
    g->table = HSC_TABLE_INSTANCE;
    if (!r->info.instances)
        return HSC_OK;
    s = report_all_versions(r, &all, err);
    if (s == HSC_E_MISSING) { /* a database may have no values of contexts, or none of versions */
        hsc_err_clear(err);
        s = HSC_OK;
    }
    for (uint32_t i = 0; i < r->info.instances && !s; i++) {
        hsc_db_instance v;
        if ((s = hsc_db_get_instance(r->db, i, &v, err)) || !report_wanted(r, v.scope))
            continue;
        report_group x = {.row = i, .members = 1, .inclusive = none};
        if (all && !all[i].recursive && !all[i].damaged) {
            x.inclusive = (hsc_weighted){all[i].value.sum + all[i].calls.sum, all[i].value.excess + all[i].calls.excess};
            x.own = all[i].open;
        } else if (all && all[i].recursive && all[i].only) {
            x.inclusive = all[i].once;
            x.own = (hsc_weighted){0, 0};
        } else if (all && all[i].is_once && !all[i].damaged) {
            x.inclusive = all[i].once;
            x.own = all[i].once_open;
        }
        if (!(s = add_group(g, x, err)) && !(s = add_range(g, i, 1, err)))
            s = settle(r, g, err);
    }
    free(all);
    if (s == HSC_E_MISSING) {
        hsc_err_clear(err);
        g->n = g->n_ranges = 0;
        s = HSC_OK;
    }
    return s;
}

/* Of the last group: what its instructions have that were inlined from elsewhere. */
static hsc_status add_inlined(report *r, report_groups *g, uint64_t first, uint64_t n, hsc_err *err) {
    enum { ROWS = 512 };
    hsc_weighted sums[ROWS];
    hsc_status s = HSC_OK;
    report_group *x = &g->list[g->n - 1];
    for (uint64_t row = 0; row < n && !s; row += ROWS) {
        uint64_t some = n - row < ROWS ? n - row : ROWS;
        s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, g->table, HSC_AXIS_THREAD}, first + row, some, sums, err);
        for (uint64_t k = 0; k < some && !s; k++) {
            hsc_db_instruction at;
            if (sums[k].sum > 0 && !(s = hsc_db_get_instruction(r->db, (uint32_t)(first + row + k), &at, err)) && at.inlined != HSC_NONE) {
                x->own.sum += sums[k].sum;
                x->own.excess += sums[k].excess;
            }
        }
    }
    return s;
}

static hsc_status by_function(report *r, report_groups *g, hsc_err *err) {
    hsc_status s = HSC_OK;
    g->table = HSC_TABLE_INSTRUCTION;
    for (uint32_t i = 0; i < r->info.code_parts && !s; i++) {
        hsc_db_code_part part;
        if ((s = hsc_db_get_code_part(r->db, i, &part, err)) || !part.rows || (part.procedure != HSC_NONE && !report_wanted(r, part.procedure)))
            continue;
        uint32_t before = g->n;
        if (!(s = add_group(g, (report_group){.row = i, .members = part.rows, .inclusive = none}, err)) && !(s = add_range(g, part.first, part.rows, err)) &&
            !(s = settle(r, g, err)) && g->n > before)
            s = add_inlined(r, g, part.first, part.rows, err);
    }
    double begin_s, end_s;
    if (s == HSC_E_MISSING && !hsc_db_get_interval(r->db, &begin_s, &end_s)) { /* not known by instruction: an older database */
        hsc_err_clear(err);
        g->n = g->n_ranges = 0;
        s = HSC_OK;
    }
    return s;
}

static hsc_status by_category(report *r, report_groups *g, hsc_err *err) {
    hsc_status s = HSC_OK;
    g->table = HSC_TABLE_SCOPE_CATEGORY;
    for (uint32_t c = 0; c < r->info.categories && !s; c++)
        if (!(s = add_group(g, (report_group){.row = c, .members = 1, .inclusive = none}, err)) && !(s = add_range(g, c, 1, err)))
            s = settle(r, g, err);
    return s;
}

/* ---- call sites ---- */

typedef struct site {
    uint32_t line, scope, context, end;
} site;

static int by_site(const void *a, const void *b) {
    const site *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

/* To `own` what is in the context itself and in its loops, without what these call. */
static hsc_status add_own(const report *r, uint32_t context, uint32_t end, hsc_weighted *own, hsc_err *err) {
    hsc_db_context x;
    hsc_status s = HSC_OK;
    for (uint32_t c = context; c < end && !s; c = s || c == context || x.kind == HSC_CONTEXT_LOOP ? c + 1 : x.subtree_end) {
        hsc_weighted v;
        if ((s = hsc_db_get_context(r->db, c, &x, err)) || (c != context && x.kind != HSC_CONTEXT_LOOP))
            continue;
        if (!(s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD}, c, 1, &v, err))) {
            own->sum += v.sum;
            own->excess += v.excess;
        }
    }
    return s;
}

static hsc_status by_call(report *r, bool inlined, report_groups *g, hsc_err *err) {
    site *sites = malloc(((size_t)r->info.contexts + 1) * sizeof *sites);
    uint32_t n = 0, end = 0;
    hsc_status s = sites ? HSC_OK : no_memory(err);
    g->table = HSC_TABLE_CONTEXT_INCL;
    for (uint32_t c = 0; c < r->info.contexts && !s; c++) {
        hsc_db_context x;
        if ((s = hsc_db_get_context(r->db, c, &x, err)) || !(x.kind == HSC_CONTEXT_INLINED || (!inlined && x.kind == HSC_CONTEXT_PROCEDURE)) ||
            x.call_line == HSC_NONE || !(report_wanted(r, x.scope) || report_wanted_line(r, x.call_line)))
            continue;
        sites[n++] = (site){x.call_line, x.scope, c, x.subtree_end};
    }
    if (n > 1)
        qsort(sites, n, sizeof *sites, by_site);
    for (uint32_t i = 0; i < n && !s; i++) { /* contexts rise: those below the last one taken are calls of itself */
        if (!i || sites[i].line != sites[i - 1].line || sites[i].scope != sites[i - 1].scope) {
            s = g->n && i ? settle(r, g, err) : HSC_OK;
            if (!s)
                s = add_group(g, (report_group){.row = sites[i].context, .inclusive = none}, err);
            end = 0;
        }
        if (s)
            break;
        g->list[g->n - 1].members++;
        s = add_own(r, sites[i].context, sites[i].end, &g->list[g->n - 1].own, err);
        if (!s && sites[i].context >= end) {
            s = add_range(g, sites[i].context, 1, err);
            end = sites[i].end;
        }
    }
    if (!s && n)
        s = settle(r, g, err);
    free(sites);
    return s;
}

/* ---- modules, data ---- */

typedef struct member { /* a row that counts for a group: a scope for a module */
    uint32_t group, row;
} member;

static int by_group(const void *a, const void *b) {
    const member *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* A group of each run of members. */
static hsc_status add_members(report *r, report_groups *g, member *list, uint32_t n, const hsc_weighted *inclusive, hsc_err *err) {
    hsc_status s = HSC_OK;
    if (n > 1)
        qsort(list, n, sizeof *list, by_group);
    for (uint32_t i = 0; i < n && !s; i++) {
        bool first = !i || list[i].group != list[i - 1].group;
        if (first && i)
            s = settle(r, g, err);
        if (first && !s)
            s = add_group(g, (report_group){.row = list[i].group, .inclusive = inclusive[list[i].group]}, err);
        if (!s) {
            g->list[g->n - 1].members++;
            s = add_range(g, list[i].row, 1, err);
        }
    }
    return !s && n ? settle(r, g, err) : s;
}

static hsc_status by_module(report *r, report_groups *g, hsc_err *err) {
    uint32_t n = 0;
    member *list = malloc(((size_t)r->info.scopes + 1) * sizeof *list);
    hsc_weighted *inclusive = calloc((size_t)r->info.modules + 1, sizeof *inclusive);
    hsc_status s = list && inclusive ? HSC_OK : no_memory(err);
    g->table = HSC_TABLE_SCOPE_EXCL;
    for (uint32_t k = 0; k < r->info.scopes && !s; k++) {
        hsc_db_scope scope;
        if ((s = hsc_db_get_scope(r->db, k, &scope, err)) || scope.module == HSC_NONE || !report_wanted(r, k))
            continue;
        if (scope.kind == HSC_SCOPE_MODULE && !r->where)
            inclusive[scope.module] = report_incl(r, k);
        list[n++] = (member){scope.module, k};
    }
    if (!s)
        s = add_members(r, g, list, n, inclusive, err);
    free(list);
    free(inclusive);
    return s;
}

typedef struct same { /* arrays of one identity */
    uint64_t identity;
    uint32_t array;
} same;

static int by_identity(const void *a, const void *b) {
    const same *x = a, *y = b;
    if (x->identity != y->identity)
        return x->identity < y->identity ? -1 : 1;
    return x->array < y->array ? -1 : x->array > y->array;
}

hsc_status report_first_arrays(const report *r, uint32_t *first_of, hsc_err *err) {
    uint32_t n = r->info.arrays;
    same *list = malloc(((size_t)n + 1) * sizeof *list);
    hsc_status s = list ? HSC_OK : no_memory(err);
    for (uint32_t i = 0; i < n && !s; i++) {
        hsc_db_array a;
        if (!(s = hsc_db_get_array(r->db, i, &a, err)))
            list[i] = (same){a.identity, i};
    }
    if (!s && n > 1)
        qsort(list, n, sizeof *list, by_identity);
    for (uint32_t i = 0, first = 0; i < n && !s; i++) {
        if (!i || !list[i].identity || list[i].identity != list[first].identity)
            first = i;
        first_of[list[i].array] = list[first].array;
    }
    free(list);
    return s;
}

typedef struct touch { /* lines of an array in a procedure */
    uint32_t array, line, procedure;
    double value;
} touch;

static int by_touch(const void *a, const void *b) {
    const touch *x = a, *y = b;
    const uint32_t p[] = {x->array, x->line, x->procedure}, q[] = {y->array, y->line, y->procedure};
    return hsc_compare_keys(p, q, 3);
}

static int by_array_and_procedure(const void *a, const void *b) {
    const touch *x = a, *y = b;
    const uint32_t p[] = {x->array, x->procedure, x->line}, q[] = {y->array, y->procedure, y->line};
    return hsc_compare_keys(p, q, 3);
}

/* Of each array the procedure with most of the time of its lines. */
static hsc_status find_busiest(const report *r, report_groups *g, touch *list, uint32_t n, hsc_err *err) {
    if (!(g->busiest = malloc(((size_t)r->info.arrays + 1) * sizeof *g->busiest)))
        return no_memory(err);
    for (uint32_t i = 0; i < r->info.arrays; i++)
        g->busiest[i] = HSC_NONE;
    if (n > 1)
        qsort(list, n, sizeof *list, by_array_and_procedure);
    double most = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const touch *x = &list[i];
        bool same_array = i && x[-1].array == x->array, same_procedure = same_array && x[-1].procedure == x->procedure;
        most = same_array ? most : 0;
        sum = (same_procedure ? sum : 0) + x->value;
        if (sum > most) {
            most = sum;
            g->busiest[x->array] = x->procedure;
        }
    }
    return HSC_OK;
}

/* To the last group what counts for a line in a procedure. */
static hsc_status add_charges(report_groups *g, const report_charged *c, uint32_t line, uint32_t procedure, double *value, hsc_err *err) {
    uint32_t n, first = report_charged_find(c, line, procedure, &n);
    hsc_status s = HSC_OK;
    for (uint32_t i = first; i < first + n && !s; i++) {
        *value += c->list[i].value.sum;
        g->list[g->n - 1].value.sum += c->list[i].value.sum;
        g->list[g->n - 1].value.excess += c->list[i].value.excess;
        s = add_range(g, c->list[i].row, 1, err);
    }
    return s;
}

/* A group of each array; its lines once each, and of each line what counts for its procedures. Sets the touches' values. */
static hsc_status add_arrays(report_groups *g, const report_charged *c, touch *list, uint32_t n, hsc_err *err) {
    hsc_status s = HSC_OK;
    if (n > 1)
        qsort(list, n, sizeof *list, by_touch);
    for (uint32_t i = 0, end = 0; i < n && !s; i = end) {
        s = add_group(g, (report_group){.row = list[i].array, .inclusive = none}, err);
        for (end = i; end < n && list[end].array == list[i].array && !s; end++) {
            touch *x = &list[end];
            bool same_line = end > i && x[-1].line == x->line;
            double shared = 0;
            if (same_line && x[-1].procedure == x->procedure)
                continue;
            g->list[g->n - 1].members += !same_line;
            s = add_charges(g, c, x->line, x->procedure, &x->value, err);
            if (!s && !same_line)
                s = add_charges(g, c, x->line, HSC_NONE, &shared, err);
            x->value += shared;
        }
        if (!(g->list[g->n - 1].value.sum > 0))
            g->n_ranges = g->list[--g->n].first;
    }
    return s;
}

static hsc_status by_data(report *r, report_groups *g, hsc_err *err) {
    uint32_t n = 0, kept = 0;
    touch *touches = calloc((size_t)r->info.references + 1, sizeof *touches);
    uint32_t *first_of = malloc(((size_t)r->info.arrays + 1) * sizeof *first_of);
    uint8_t *moves = calloc((size_t)r->info.lines + 1, 1);
    uint8_t *stays = malloc((size_t)r->info.references + 1); /* by touch */
    report_charged charged = {0};
    hsc_status s = touches && first_of && moves && stays ? report_first_arrays(r, first_of, err) : no_memory(err);
    if (!s)
        s = report_uses_load(r, &g->uses, err);
    if (!s)
        s = report_charged_load(r, &g->uses, &charged, err);
    g->table = charged.table;
    for (uint32_t i = 0; i < r->info.references && !s; i++) {
        hsc_db_reference x;
        hsc_db_array a;
        uint32_t line = HSC_NONE;
        if (!(s = hsc_db_get_reference(r->db, i, &x, err)) && g->uses.runs[i] && x.array != HSC_NONE && x.file != HSC_NONE &&
            !(s = hsc_db_get_array(r->db, x.array, &a, err)) && !(a.flags & HSC_array_flag_NOT_GENERATED))
            line = hsc_db_find_line(r->db, x.file, x.line);
        if (line == HSC_NONE || !report_wanted_line(r, line))
            continue;
        stays[n] = x.stride == HSC_stride_ZERO && x.access == HSC_access_READ;
        moves[line] |= !stays[n];
        touches[n++] = (touch){first_of[x.array], line, report_procedure(r, x.scope), 0};
    }
    /* what is read at the same address each time is mostly in a register: it has the line only where nothing else does */
    for (uint32_t i = 0; i < n && !s; i++)
        if (!stays[i] || !moves[touches[i].line])
            touches[kept++] = touches[i];
    if (!s)
        s = add_arrays(g, &charged, touches, kept, err);
    if (!s)
        s = find_busiest(r, g, touches, kept, err);
    report_charged_clear(&charged);
    free(touches);
    free(moves);
    free(stays);
    free(first_of);
    return s;
}

static hsc_status by_reference(report *r, report_groups *g, hsc_err *err) {
    report_charged charged = {0};
    hsc_status s = report_uses_load(r, &g->uses, err);
    if (!s)
        s = report_charged_load(r, &g->uses, &charged, err);
    g->table = charged.table;
    for (uint32_t i = 0; i < r->info.references && !s; i++) {
        hsc_db_reference x;
        uint32_t line = HSC_NONE;
        double value = 0;
        if (!(s = hsc_db_get_reference(r->db, i, &x, err)) && g->uses.runs[i] && x.file != HSC_NONE)
            line = hsc_db_find_line(r->db, x.file, x.line);
        if (s || line == HSC_NONE || !report_wanted_line(r, line))
            continue;
        if (!(s = add_group(g, (report_group){.row = i, .members = g->uses.procedures[line], .inclusive = none}, err)) &&
            !(s = add_charges(g, &charged, line, report_procedure(r, x.scope), &value, err)))
            s = add_charges(g, &charged, line, HSC_NONE, &value, err);
        if (!s && !(value > 0))
            g->n_ranges = g->list[--g->n].first;
    }
    report_charged_clear(&charged);
    return s;
}

/* ---- all ---- */

static int largest(const void *a, const void *b) {
    const report_group *x = a, *y = b;
    if (x->value.sum != y->value.sum)
        return x->value.sum > y->value.sum ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int largest_own(const void *a, const void *b) {
    const report_group *x = a, *y = b;
    if (x->own.sum != y->own.sum)
        return x->own.sum > y->own.sum ? -1 : 1;
    return largest(a, b);
}

hsc_status report_groups_by(report *r, report_grouping by, report_groups *out, hsc_err *err) {
    hsc_status s;
    *out = (report_groups){.by = by};
    switch (by) {
    case REPORT_BY_PROGRAM:
        s = by_program(r, out, err);
        break;
    case REPORT_BY_FILE:
        s = by_file(r, out, err);
        break;
    case REPORT_BY_MODULE:
        s = by_module(r, out, err);
        break;
    case REPORT_BY_NEST:
        s = by_nest(r, out, err);
        break;
    case REPORT_BY_CALL:
    case REPORT_BY_INLINED:
        s = by_call(r, by == REPORT_BY_INLINED, out, err);
        break;
    case REPORT_BY_FUNCTION:
        s = by_function(r, out, err);
        break;
    case REPORT_BY_VERSION:
        s = by_version(r, out, err);
        break;
    case REPORT_BY_CATEGORY:
        s = by_category(r, out, err);
        break;
    case REPORT_BY_DATA:
        s = by_data(r, out, err);
        break;
    default:
        s = by_reference(r, out, err);
    }
    if (!s && out->n > 1)
        qsort(out->list, out->n, sizeof *out->list, by == REPORT_BY_NEST ? largest_own : largest);
    return s;
}

void report_groups_clear(report_groups *g) {
    free(g->list);
    free(g->ranges);
    free(g->block);
    free(g->busiest);
    report_uses_clear(&g->uses);
}

uint32_t report_group_scope(const report *r, const report_groups *g, const report_group *x) {
    hsc_db_instance v;
    hsc_db_context c;
    hsc_db_code_part part;
    switch (g->by) {
    case REPORT_BY_NEST:
        return x->row;
    case REPORT_BY_FUNCTION:
        return hsc_db_get_code_part(r->db, x->row, &part, NULL) ? HSC_NONE : part.procedure;
    case REPORT_BY_VERSION:
        return hsc_db_get_instance(r->db, x->row, &v, NULL) ? HSC_NONE : v.scope;
    case REPORT_BY_CALL:
    case REPORT_BY_INLINED:
        return hsc_db_get_context(r->db, x->row, &c, NULL) ? HSC_NONE : c.scope;
    default:
        return HSC_NONE;
    }
}

hsc_status report_group_spread(report *r, const report_groups *g, const report_group *x, report_spread *out, hsc_err *err) {
    return report_spread_of_program(r, g->table, g->ranges + x->first, x->n, g->by == REPORT_BY_PROGRAM ? x->row : HSC_NONE, out, err);
}
