/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registry of open databases, indexes by file, conversions to Tcl values. */
#include "apart.h"
#include "handle.h"

#include "busy.h"
#include "early.h"
#include "strips.h"

#include <heatscope/formats/source_path.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const hsc_table_names[] = {"line",     "scope_excl",     "scope_incl", "context_excl", "context_incl",
                                       "instance", "scope_category", "line_incl",  NULL};
const char *const hsc_axis_names[] = {"thread", "process", NULL};
const char *const hsc_reduce_names[] = {"max", "sum", NULL};
const char *const hsc_kind_names[] = {"program", "module", "file", "procedure", "loop", "region", NULL};
const char *const hsc_knowledge_names[] = {"map", "dwarf", "symbol", "module", "nothing", NULL};
const char *const hsc_context_names[] = {"root", "procedure", "inlined", "loop", "partial", NULL};

#define REGISTRY "heatscope::handles"

typedef struct registry {
    Tcl_HashTable by_name;
    unsigned next;
} registry;

static void registry_free(ClientData data, Tcl_Interp *interp) {
    (void)interp; /* the commands are deleted before, so the table is empty or holds handles of widgets only */
    registry *r = data;
    Tcl_DeleteHashTable(&r->by_name);
    free(r);
}

static registry *registry_of(Tcl_Interp *interp) {
    registry *r = Tcl_GetAssocData(interp, REGISTRY, NULL);
    if (!r && (r = calloc(1, sizeof *r)) != NULL) {
        Tcl_InitHashTable(&r->by_name, TCL_STRING_KEYS);
        Tcl_SetAssocData(interp, REGISTRY, registry_free, r);
    }
    return r;
}

static void command_gone(ClientData data) {
    hsc_handle *h = data;
    registry *r = Tcl_GetAssocData(h->interp, REGISTRY, NULL);
    Tcl_HashEntry *e = r ? Tcl_FindHashEntry(&r->by_name, h->name) : NULL;
    if (e)
        Tcl_DeleteHashEntry(e);
    h->command = NULL;
    hsc_handle_release(h);
}

hsc_status hsc_handle_open(Tcl_Interp *interp, const char *path, hsc_handle **out, hsc_err *err) {
    registry *r = registry_of(interp);
    hsc_handle *h = calloc(1, sizeof *h);
    hsc_status s = HSC_OK;
    if (!r || !h) {
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: no memory to open it", path);
        goto done;
    }
    s = hsc_early_take(interp, path, &h->db, err);
    if (s == HSC_OK && h->db)
        hsc_db_set_progress(h->db, hsc_busy_step, hsc_busy_of(interp));
    else if (s == HSC_OK)
        s = hsc_db_open_progress(path, hsc_busy_step, hsc_busy_of(interp), &h->db, err);
    if (s != HSC_OK)
        goto done;
    hsc_db_get_info(h->db, &h->info);
    if (!(h->totals = malloc((h->info.metrics + 1) * sizeof *h->totals))) {
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: no memory to open it", path);
        goto done;
    }
    for (uint32_t m = 0; m <= h->info.metrics; m++)
        h->totals[m] = -1;
    h->only = HSC_NONE;
    h->interp = interp;
    h->references = 1;
    snprintf(h->name, sizeof h->name, "::heatscope::db%u", ++r->next);
    h->values = (uint64_t)r->next << 32;
    int fresh;
    Tcl_SetHashValue(Tcl_CreateHashEntry(&r->by_name, h->name, &fresh), h);
    h->command = Tcl_CreateObjCommand(interp, h->name, hsc_data_command, h, command_gone);
done:
    if (s == HSC_OK) {
        *out = h;
    } else if (h) {
        hsc_db_close(h->db);
        free(h->totals);
        free(h);
    }
    return s;
}

hsc_handle *hsc_handle_find(Tcl_Interp *interp, const char *name) {
    registry *r = registry_of(interp);
    char full[64];
    snprintf(full, sizeof full, "%s%s", strncmp(name, "::", 2) ? "::" : "", name);
    Tcl_HashEntry *e = r ? Tcl_FindHashEntry(&r->by_name, full) : NULL;
    if (!e) {
        Tcl_SetObjResult(interp, Tcl_ObjPrintf("\"%.60s\" is not an open database", name));
        Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
        return NULL;
    }
    return Tcl_GetHashValue(e);
}

void hsc_handle_take(hsc_handle *h) { h->references++; }

static void forget_other(hsc_handle *h) {
    for (int k = 0; k <= HSC_MATCH_CONTEXTS; k++) {
        free(h->of_other[k]);
        h->of_other[k] = NULL;
    }
    if (h->other != h)
        hsc_handle_release(h->other);
    h->other = NULL;
}

hsc_status hsc_handle_match(hsc_handle *h, hsc_handle *other, hsc_match_of what, const uint32_t **b_of_a, hsc_err *err) {
    if (h->other != other) {
        forget_other(h);
        h->other = other;
        if (other != h)
            hsc_handle_take(other);
    }
    hsc_status s = h->of_other[what] ? HSC_OK : hsc_db_match(h->db, other->db, what, &h->of_other[what], err);
    if (s == HSC_OK)
        *b_of_a = h->of_other[what];
    return s;
}

/* Marks modules that are the executable of a process: round 0 those that the user built, 1 all. */
static hsc_status mark_executables(hsc_handle *h, int round, bool *own, bool *any, hsc_err *err) {
    const char *last = "";
    hsc_status s = HSC_OK;
    for (uint32_t k = 0; s == HSC_OK && k < h->info.processes; k++) {
        hsc_db_process p;
        if ((s = hsc_db_get_process(h->db, k, &p, err)) != HSC_OK || !strcmp(p.executable, last) || (!round && hsc_is_system_program(p.executable)))
            continue;
        last = p.executable;
        for (uint32_t i = 0; s == HSC_OK && i < h->info.modules; i++) {
            hsc_db_module m;
            if ((s = hsc_db_get_module(h->db, i, &m, err)) == HSC_OK && !strcmp(m.path, last))
                *any = own[i] = true;
        }
    }
    return s;
}

hsc_status hsc_handle_own_modules(hsc_handle *h, const bool **own, hsc_err *err) {
    bool any = false, *list = h->own_modules ? h->own_modules : calloc((size_t)h->info.modules + 1, sizeof *list);
    hsc_status s = list ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u modules", h->info.modules);
    for (uint32_t i = 0; s == HSC_OK && !h->own_modules && i < h->info.modules; i++) {
        hsc_db_module m;
        if ((s = hsc_db_get_module(h->db, i, &m, err)) == HSC_OK)
            any = (list[i] = m.knowledge == HSC_KNOWN_MAP) || any;
    }
    for (int round = 0; s == HSC_OK && !h->own_modules && round < 2 && !any; round++)
        s = mark_executables(h, round, list, &any, err);
    if (s != HSC_OK) {
        free(list);
        h->own_modules = NULL;
        return s;
    }
    *own = h->own_modules = list;
    return HSC_OK;
}

void hsc_handle_release(hsc_handle *h) {
    if (!h || --h->references > 0)
        return;
    forget_other(h);
    hsc_handle_look_no_more(h);
    hsc_db_close(h->db);
    free(h->scope_start);
    free(h->scopes);
    free(h->scopes_sorted);
    free(h->instances.start);
    free(h->instances.rows);
    free(h->contexts.start);
    free(h->contexts.rows);
    hsc_apart_free(h->apart);
    free(h->own_modules);
    free(h->helpers);
    free(h->totals);
    free(h->own);
    free(h->by_file);
    free(h->loops);
    free(h->loop_of);
    hsc_places_release(h->places);
    for (size_t i = 0; i < sizeof h->message_order / sizeof *h->message_order; i++) {
        free(h->message_order[i]);
        free(h->message_group[i]);
    }
    free(h);
}

Tcl_Obj *hsc_handle_list(Tcl_Interp *interp) {
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    registry *r = registry_of(interp);
    Tcl_HashSearch search;
    for (Tcl_HashEntry *e = r ? Tcl_FirstHashEntry(&r->by_name, &search) : NULL; e; e = Tcl_NextHashEntry(&search))
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(Tcl_GetHashKey(&r->by_name, e), -1));
    return list;
}

/* ---- indexes ---- */

typedef struct scope_key {
    uint32_t line_begin, line_end, row;
} scope_key;

static int by_place(const void *a, const void *b) {
    const scope_key *x = a, *y = b;
    if (x->line_begin != y->line_begin)
        return x->line_begin < y->line_begin ? -1 : 1;
    if (x->line_end != y->line_end)
        return x->line_end > y->line_end ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Rows by file, in the order of the table. */
static hsc_status index_scopes(hsc_handle *h, hsc_err *err) {
    hsc_status s = HSC_OK;
    uint32_t files = h->info.files;
    uint32_t *start = calloc((size_t)files + 2, sizeof *start);
    uint32_t *rows = malloc(((size_t)h->info.scopes + 1) * sizeof *rows);
    bool *sorted = calloc((size_t)files + 1, sizeof *sorted);
    if (!start || !rows || !sorted)
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for an index of %u scopes", h->info.path, h->info.scopes);
    hsc_db_scope_columns sc = {0};
    s = s == HSC_OK ? hsc_db_get_scope_columns(h->db, &sc, err) : s;
    for (int pass = 0; s == HSC_OK && pass < 2; pass++) { /* how many a file has, then which */
        for (uint32_t i = 0; i < h->info.scopes; i++) {
            if (sc.kind[i] < HSC_SCOPE_PROCEDURE || sc.file[i] >= files)
                continue;
            if (pass)
                rows[start[sc.file[i] + 1]++] = i;
            else
                start[sc.file[i] + 2]++;
        }
        for (uint32_t f = 0; !pass && f < files; f++)
            start[f + 2] += start[f + 1];
    }
    if (s != HSC_OK) {
        free(start);
        free(rows);
        free(sorted);
        return s;
    }
    h->scope_start = start;
    h->scopes = rows;
    h->scopes_sorted = sorted;
    return HSC_OK;
}

static hsc_status sort_scopes(hsc_handle *h, uint32_t *rows, uint32_t n, hsc_err *err) {
    scope_key *keys = malloc(((size_t)n + 1) * sizeof *keys);
    hsc_status s = keys ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: no memory to sort %u scopes", h->info.path, n);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_scope sc;
        if ((s = hsc_db_get_scope(h->db, rows[i], &sc, err)) == HSC_OK)
            keys[i] = (scope_key){sc.line_begin, sc.line_end, rows[i]};
    }
    if (s == HSC_OK)
        qsort(keys, n, sizeof *keys, by_place);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++)
        rows[i] = keys[i].row;
    free(keys);
    return s;
}

hsc_status hsc_handle_scopes(hsc_handle *h, uint32_t file, const uint32_t **scopes, uint32_t *n, hsc_err *err) {
    hsc_status s = h->scopes ? HSC_OK : index_scopes(h, err);
    if (s != HSC_OK)
        return s;
    if (file >= h->info.files)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: no file %u, there are %u", h->info.path, file, h->info.files);
    uint32_t *rows = h->scopes + h->scope_start[file], count = h->scope_start[file + 1] - h->scope_start[file];
    if (!h->scopes_sorted[file] && (s = sort_scopes(h, rows, count, err)) != HSC_OK)
        return s;
    h->scopes_sorted[file] = true;
    *scopes = rows;
    *n = count;
    return HSC_OK;
}

typedef hsc_status scope_of(const hsc_db *db, const uint32_t **scope, hsc_err *err);

static hsc_status sort_by_scope(hsc_handle *h, uint32_t n, scope_of *of, const char *what, hsc_by_scope *out, hsc_err *err) {
    uint32_t scopes = h->info.scopes;
    const uint32_t *scope = NULL;
    uint32_t *start = calloc((size_t)scopes + 2, sizeof *start), *rows = malloc(((size_t)n + 1) * sizeof *rows);
    hsc_status s = start && rows ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u %s by scope", n, what);
    s = s == HSC_OK ? of(h->db, &scope, err) : s;
    for (uint32_t i = 0; s == HSC_OK && i < n; i++)
        if (scope[i] < scopes)
            start[scope[i] + 2]++;
    for (uint32_t i = 0; s == HSC_OK && i < scopes; i++)
        start[i + 2] += start[i + 1];
    for (uint32_t i = 0; s == HSC_OK && i < n; i++)
        if (scope[i] < scopes)
            rows[start[scope[i] + 1]++] = i;
    if (s != HSC_OK) {
        free(start);
        free(rows);
        return s;
    }
    *out = (hsc_by_scope){start, rows};
    return HSC_OK;
}

static hsc_status rows_of_scope(hsc_handle *h, uint32_t scope, hsc_by_scope *index, uint32_t all, scope_of *of, const char *what,
                                const uint32_t **rows, uint32_t *n, hsc_err *err) {
    if (scope >= h->info.scopes)
        return hsc_err_set(err, HSC_E_ARGUMENT, "scope %u: there are %u", scope, h->info.scopes);
    hsc_status s = index->rows ? HSC_OK : sort_by_scope(h, all, of, what, index, err);
    if (s != HSC_OK)
        return s;
    *rows = index->rows + index->start[scope];
    *n = index->start[scope + 1] - index->start[scope];
    return HSC_OK;
}

hsc_status hsc_handle_instances(hsc_handle *h, uint32_t scope, const uint32_t **instances, uint32_t *n, hsc_err *err) {
    return rows_of_scope(h, scope, &h->instances, h->info.instances, hsc_db_get_scope_of_instances, "loop versions", instances, n, err);
}

hsc_status hsc_handle_contexts(hsc_handle *h, uint32_t scope, const uint32_t **contexts, uint32_t *n, hsc_err *err) {
    return rows_of_scope(h, scope, &h->contexts, h->info.contexts, hsc_db_get_scope_of_contexts, "calling contexts", contexts, n, err);
}

int hsc_hottest_first(const void *a, const void *b) {
    const hsc_hot *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum < y->sum ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

size_t hsc_hottest_room(uint32_t limit) { return 2 * ((size_t)limit + 1); }

void hsc_hottest_add(hsc_hottest *t, double sum, uint32_t row) {
    if (!t->limit || !(sum > t->least)) /* rows rise: a tie is worse */
        return;
    t->rows[t->n++] = (hsc_hot){sum, row};
    if (t->n < 2 * (size_t)t->limit)
        return;
    qsort(t->rows, t->n, sizeof *t->rows, hsc_hottest_first);
    t->n = t->limit;
    t->least = t->rows[t->n - 1].sum;
}

uint32_t hsc_hottest_end(hsc_hottest *t) {
    qsort(t->rows, t->n, sizeof *t->rows, hsc_hottest_first);
    return t->n < t->limit ? t->n : t->limit;
}

hsc_status hsc_handle_sampled(hsc_handle *h, uint32_t metric, hsc_sampled *out, hsc_err *err) {
    hsc_db_view view = {metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_PROCESS};
    double begin_s, end_s;
    out->all = (hsc_weighted){0, 0};
    hsc_status s = h->info.scopes ? hsc_db_read_weighted(h->db, view, 0, 1, &out->all, err) : HSC_OK;
    out->known = !metric && !hsc_db_get_interval(h->db, &begin_s, &end_s);
    out->lost = out->known ? hsc_db_count_lost(h->db) : 0;
    return s;
}

hsc_status hsc_handle_total(hsc_handle *h, uint32_t metric, double *out, hsc_err *err) {
    if (metric >= h->info.metrics)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: no metric %u, there are %u", h->info.path, metric, h->info.metrics);
    if (h->totals[metric] < 0) {
        double v = 0;
        hsc_db_view view = {metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_PROCESS};
        hsc_status s = h->info.scopes ? hsc_db_read_sums(h->db, view, 0, 1, &v, err) : HSC_OK;
        if (s != HSC_OK)
            return s;
        h->totals[metric] = v;
    }
    *out = h->totals[metric];
    return HSC_OK;
}

hsc_status hsc_handle_scope_at(hsc_handle *h, uint32_t file, uint32_t line, uint32_t *out, hsc_err *err) {
    const uint32_t *scopes;
    uint32_t n, best = HSC_NONE, span = UINT32_MAX;
    hsc_status s = hsc_handle_scopes(h, file, &scopes, &n, err);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_scope sc;
        if ((s = hsc_db_get_scope(h->db, scopes[i], &sc, err)) != HSC_OK)
            return s;
        if (sc.line_begin > line)
            break;
        if (sc.line_begin && sc.line_end >= line && sc.line_end - sc.line_begin <= span) {
            best = scopes[i];
            span = sc.line_end - sc.line_begin;
        }
    }
    if (s == HSC_OK)
        *out = best;
    return s;
}

hsc_status hsc_handle_rows(hsc_handle *h, uint32_t file, uint32_t first, uint32_t last, uint32_t *lo, uint32_t *hi,
                           hsc_err *err) {
    hsc_db_file f;
    hsc_status s = hsc_db_get_file(h->db, file, &f, err);
    if (s != HSC_OK)
        return s;
    uint32_t ends[2];
    for (int k = 0; k < 2; k++) {
        uint64_t limit = k ? (uint64_t)last + 1 : first;
        uint32_t a = f.first_line_row, b = a + f.line_rows;
        while (a < b) {
            uint32_t mid = a + (b - a) / 2;
            hsc_db_line l;
            if ((s = hsc_db_get_line(h->db, mid, &l, err)) != HSC_OK)
                return s;
            if (l.line < limit)
                a = mid + 1;
            else
                b = mid;
        }
        ends[k] = a;
    }
    *lo = ends[0];
    *hi = ends[1] > ends[0] ? ends[1] : ends[0];
    return HSC_OK;
}

hsc_status hsc_handle_columns(hsc_handle *h, hsc_db_view view, uint64_t first, uint64_t n, float *out, hsc_err *err) {
    uint32_t columns = hsc_db_get_columns(h->db, view.axis);
    if (n == 1)
        return hsc_db_read_block(h->db, view, first, 1, 0, columns, out, err);
    uint32_t lo = (uint32_t)first, hi = (uint32_t)(first + n), *identity = malloc(((size_t)columns + 1) * sizeof *identity);
    if (!identity)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u columns", h->info.path, columns);
    for (uint32_t c = 0; c < columns; c++)
        identity[c] = c;
    hsc_status s = hsc_db_read_bins(h->db, view, HSC_REDUCE_SUM, 1, &lo, &hi, columns, identity, out, err);
    free(identity);
    return s;
}

/* Whether a scope's exclusive value is part of what `holder` took itself; both in the holder's subtree. */
static bool belongs(uint32_t holder, hsc_scope_kind kind, uint32_t row, const hsc_db_scope *sc) {
    return kind < HSC_SCOPE_PROCEDURE || row == holder || (kind == HSC_SCOPE_PROCEDURE && sc->procedure == holder);
}

hsc_status hsc_handle_own(hsc_handle *h, uint32_t metric, const double **out, hsc_err *err) {
    enum { INSIDE = 8 }; /* modules and files within each other */
    uint32_t n = h->info.scopes, n_open = 0, size = n / 8 + 1; /* of a piece: who asks for an eighth of all sums gets them from memory from then on */
    hsc_db_view view = {metric, HSC_TABLE_SCOPE_EXCL, HSC_AXIS_PROCESS};
    if (h->own && h->own_metric == metric) {
        *out = h->own;
        return HSC_OK;
    }
    double so_far = 0; /* of all scopes before */
    struct {
        uint32_t scope, end;
        double before;
    } open[INSIDE];
    double *own = h->own ? h->own : malloc(((size_t)n + 1) * sizeof *own);
    h->own = own;
    h->own_metric = HSC_NONE;
    hsc_db_scope_columns sc = {0};
    hsc_status s = own ? hsc_db_get_scope_columns(h->db, &sc, err) : hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for sums of %u scopes", h->info.path, n);
    /* each scope has its value, which goes for loops and regions to its procedure, too, which comes before, and to the modules and files that it is in */
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        if (i % size == 0)
            s = hsc_db_read_sums(h->db, view, i, n - i < size ? n - i : size, own + i, err);
        for (; s == HSC_OK && n_open && open[n_open - 1].end <= i; n_open--)
            own[open[n_open - 1].scope] = so_far - open[n_open - 1].before;
        if (s != HSC_OK)
            break;
        double value = own[i];
        if (sc.kind[i] >= HSC_SCOPE_PROCEDURE) {
            if (sc.kind[i] > HSC_SCOPE_PROCEDURE && sc.procedure[i] < i)
                own[sc.procedure[i]] += value;
        } else if (n_open == INSIDE) {
            s = hsc_err_set(err, HSC_E_FORMAT, "%s: scope %u: expected modules and files at most %d deep", h->info.path, i, INSIDE);
        } else {
            open[n_open].scope = i;
            open[n_open].end = sc.subtree_end[i] > i && sc.subtree_end[i] <= n ? sc.subtree_end[i] : i + 1;
            open[n_open++].before = so_far;
        }
        so_far += value;
    }
    for (; s == HSC_OK && n_open; n_open--)
        own[open[n_open - 1].scope] = so_far - open[n_open - 1].before;
    if (s != HSC_OK)
        return s;
    h->own_metric = metric;
    *out = own;
    return HSC_OK;
}

hsc_status hsc_handle_files(hsc_handle *h, uint32_t metric, const double **out, hsc_err *err) {
    enum { PIECE = 4096 };
    hsc_db_view view = {metric, HSC_TABLE_LINE, HSC_AXIS_PROCESS};
    const uint32_t *file, *line;
    if (h->by_file && h->by_file_metric == metric) {
        *out = h->by_file;
        return HSC_OK;
    }
    hsc_status s = hsc_db_get_line_columns(h->db, &file, &line, err);
    double *sums = calloc((size_t)h->info.files + 1, sizeof *sums), *piece = malloc(PIECE * sizeof *piece);
    if (s == HSC_OK && (!sums || !piece))
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for sums of %u files", h->info.path, h->info.files);
    for (uint32_t at = 0; s == HSC_OK && at < h->info.lines; at += PIECE) {
        uint32_t n = h->info.lines - at < PIECE ? h->info.lines - at : PIECE;
        s = hsc_db_read_sums(h->db, view, at, n, piece, err);
        for (uint32_t i = 0; s == HSC_OK && i < n; i++)
            if (file[at + i] < h->info.files)
                sums[file[at + i]] += piece[i];
    }
    free(piece);
    if (s != HSC_OK) {
        free(sums);
        return s;
    }
    free(h->by_file);
    h->by_file = sums;
    h->by_file_metric = metric;
    *out = sums;
    return HSC_OK;
}

hsc_status hsc_handle_own_columns(hsc_handle *h, hsc_db_view view, uint32_t scope, float *out, hsc_err *err) {
    uint32_t columns = hsc_db_get_columns(h->db, view.axis);
    hsc_db_scope holder;
    hsc_status s = hsc_db_get_scope(h->db, scope, &holder, err);
    float *part = malloc(((size_t)columns + 1) * sizeof *part);
    if (s == HSC_OK && !part)
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u columns", h->info.path, columns);
    for (uint32_t c = 0; s == HSC_OK && c < columns; c++)
        out[c] = 0;
    view.table = HSC_TABLE_SCOPE_EXCL;
    uint32_t end = holder.subtree_end > scope && holder.subtree_end <= h->info.scopes ? holder.subtree_end : scope + 1;
    if (s == HSC_OK && holder.kind > HSC_SCOPE_PROCEDURE)
        end = scope + 1;
    for (uint32_t i = scope, from = scope; s == HSC_OK && i <= end; i++) { /* runs of rows that belong to it */
        hsc_db_scope sc;
        if (i < end && (s = hsc_db_get_scope(h->db, i, &sc, err)) != HSC_OK)
            break;
        if (i < end && belongs(scope, holder.kind, i, &sc))
            continue;
        if (i > from && (s = hsc_handle_columns(h, view, from, i - from, part, err)) == HSC_OK)
            for (uint32_t c = 0; c < columns; c++)
                out[c] += part[c];
        from = i + 1;
    }
    free(part);
    return s;
}

void hsc_handle_label(hsc_handle *h, hsc_db_axis axis, uint32_t column, char *out, size_t capacity) {
    hsc_db_process p;
    hsc_db_thread t = {.process = column};
    out[0] = 0;
    if (axis == HSC_AXIS_THREAD && hsc_db_get_thread(h->db, column, &t, NULL) != HSC_OK)
        return;
    if (hsc_db_get_process(h->db, t.process, &p, NULL) != HSC_OK)
        return;
    if (p.rank < 0)
        snprintf(out, capacity, "%c%u", axis == HSC_AXIS_THREAD ? 't' : 'p', column);
    else if (axis == HSC_AXIS_PROCESS || p.threads <= 1)
        snprintf(out, capacity, "r%d", p.rank);
    else
        snprintf(out, capacity, "r%d.%u", p.rank, t.index);
}

/* ---- Tcl values ---- */

int hsc_tcl_error(Tcl_Interp *interp, const hsc_err *err) {
#define HSC_STATUS_SHORT(name, value, text) [value] = #name,
    static const char *const names[] = {HSC_STATUS_TABLE(HSC_STATUS_SHORT)};
#undef HSC_STATUS_SHORT
    size_t n = sizeof names / sizeof *names;
    const char *name = (size_t)err->status < n && names[err->status] ? names[err->status] : "E_UNKNOWN";
    Tcl_SetObjResult(interp, hsc_tcl_text(err->text[0] ? err->text : hsc_status_text(err->status),
                                          strlen(err->text[0] ? err->text : hsc_status_text(err->status))));
    Tcl_SetErrorCode(interp, "HEATSCOPE", "DB", strncmp(name, "E_", 2) ? name : name + 2, NULL);
    return TCL_ERROR;
}

int hsc_tcl_usage(Tcl_Interp *interp, const char *format, ...) {
    char text[400];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    Tcl_SetObjResult(interp, hsc_tcl_text(text, strlen(text)));
    Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
    return TCL_ERROR;
}

static int valid_utf8(const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n;) {
        int len = p[i] < 0x80 ? 1 : p[i] >= 0xc2 && p[i] < 0xe0 ? 2 : p[i] >= 0xe0 && p[i] < 0xf0 ? 3
                  : p[i] >= 0xf0 && p[i] < 0xf5 ? 4 : 0;
        if (!len || i + (size_t)len > n)
            return 0;
        for (int k = 1; k < len; k++)
            if ((p[i + (size_t)k] & 0xc0) != 0x80)
                return 0;
        i += (size_t)len;
    }
    return 1;
}

Tcl_Obj *hsc_tcl_text(const char *text, size_t size) {
    Tcl_DString ds;
    if (size > INT_MAX)
        size = INT_MAX;
    Tcl_Encoding e = Tcl_GetEncoding(NULL, valid_utf8((const unsigned char *)text, size) ? "utf-8" : "iso8859-1");
    Tcl_ExternalToUtfDString(e, text, (Tcl_Size)size, &ds);
    Tcl_Obj *obj = Tcl_NewStringObj(Tcl_DStringValue(&ds), Tcl_DStringLength(&ds));
    Tcl_DStringFree(&ds);
    if (e)
        Tcl_FreeEncoding(e);
    return obj;
}

Tcl_Obj *hsc_tcl_index(uint32_t index) { return Tcl_NewWideIntObj(index == HSC_NONE ? -1 : (Tcl_WideInt)index); }

void hsc_tcl_put(Tcl_Obj *dict, const char *key, Tcl_Obj *value) {
    Tcl_DictObjPut(NULL, dict, Tcl_NewStringObj(key, -1), value);
}

int hsc_tcl_get_index(Tcl_Interp *interp, Tcl_Obj *obj, const char *what, uint64_t limit, uint32_t *out) {
    Tcl_WideInt v;
    if (Tcl_GetWideIntFromObj(interp, obj, &v) != TCL_OK) {
        Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
        return TCL_ERROR;
    }
    if (v < 0 || (uint64_t)v >= limit) {
        hsc_err err = {0};
        hsc_err_set(&err, HSC_E_ARGUMENT, "no %s %lld, there are %llu", what, (long long)v, (unsigned long long)limit);
        return hsc_tcl_error(interp, &err);
    }
    *out = (uint32_t)v;
    return TCL_OK;
}
