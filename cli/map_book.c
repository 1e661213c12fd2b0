/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Puts the records of all modules of a map together. */
#include "map_book.h"
#include "map_words.h"

#include <heatscope/formats/remarks.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct making {
    hsc_map_book b;
    hsc_table file_by_path, procedure_by_tag, loop_by_tag, call_by_tag; /* (tag, linkage or procedure): row */
    HSC_VEC(uint32_t) copy_of;                                          /* by instance */
    HSC_VEC(uint32_t)
    procedure_of, site_of; /* of the module at hand: local id to row; loops as they are, calls | CALL */
} making;

#define CALL 0x80000000u
#define TRY(what)                                                                                                      \
    do {                                                                                                               \
        if (!(what))                                                                                                   \
            return false;                                                                                              \
    } while (0)

static const char *file_of(making *w, const hsc_map_module *m, uint64_t id) {
    if (!id || id > m->n_files)
        return "";
    const hsc_rec_file *f = &m->files[id - 1];
    char text[8192];
    if (f->path.p[0] == '/' || !f->directory.p[0])
        return f->path.p;
    snprintf(text, sizeof text, "%s/%s", f->directory.p,
             f->path.p[0] == '.' && f->path.p[1] == '/' ? f->path.p + 2 : f->path.p);
    return hsc_pool_intern(&w->b.pool, text, strlen(text));
}

static bool add_files(making *w, const hsc_map_module *m) {
    for (size_t i = 0; i < m->n_files; i++) {
        const char *path = file_of(w, m, i + 1);
        path = path ? hsc_pool_intern(&w->b.pool, path, strlen(path)) : NULL;
        uint32_t *at = path ? hsc_table_at(&w->file_by_path, (uintptr_t)path, 0) : NULL;
        hsc_book_file f = {.path = path};
        TRY(at);
        for (size_t k = 0; m->files[i].checksum.n == 16 && k < 16; k++)
            snprintf(f.checksum + 2 * k, 3, "%02x", m->files[i].checksum.p[k]);
        if (*at == HSC_NO_INDEX) {
            *at = (uint32_t)w->b.files.n;
            TRY(HSC_PUSH(w->b.files, f));
        } else if (strcmp(w->b.files.p[*at].checksum, f.checksum)) {
            w->b.files.p[*at].checksum[0] = 0;
        }
    }
    return true;
}

static bool add_procedures(making *w, const hsc_map_module *m) {
    TRY(HSC_RESERVE(w->procedure_of, m->n_procedures + 1));
    for (size_t i = 0; i < m->n_procedures; i++) {
        const hsc_rec_procedure *p = &m->procedures[i];
        const char *linkage = hsc_pool_intern(&w->b.pool, p->linkage_name.p, p->linkage_name.n);
        uint32_t *at = linkage ? hsc_table_at(&w->procedure_by_tag, p->tag, (uintptr_t)linkage) : NULL;
        const char *file = file_of(w, m, p->file_id);
        TRY(at && file);
        if (*at == HSC_NO_INDEX) {
            *at = (uint32_t)w->b.procedures.n;
            TRY(HSC_PUSH(w->b.procedures, (hsc_book_procedure){.record = p, .module = m, .file = file}));
        } else if (w->b.procedures.p[*at].record->flags & HSC_procedure_flag_DECLARED &&
                   !(p->flags & HSC_procedure_flag_DECLARED)) {
            w->b.procedures.p[*at].record = p;
            w->b.procedures.p[*at].module = m;
        }
        w->procedure_of.p[i + 1] = *at;
    }
    return true;
}

static bool add_sites(making *w, const hsc_map_module *m) {
    TRY(HSC_RESERVE(w->site_of, m->n_loops + m->n_callsites + 1));
    for (size_t i = 0; i <= m->n_loops + m->n_callsites; i++)
        w->site_of.p[i] = HSC_NO_INDEX;
    for (size_t i = 0; i < m->n_loops; i++) {
        const hsc_rec_loop *l = &m->loops[i];
        if (!l->procedure_id)
            continue;
        uint32_t p = w->procedure_of.p[l->procedure_id];
        uint32_t *at = hsc_table_at(&w->loop_by_tag, l->tag, p);
        const char *file = file_of(w, m, l->file_id);
        TRY(at && file);
        if (*at == HSC_NO_INDEX) {
            *at = (uint32_t)w->b.loops.n;
            TRY(HSC_PUSH(w->b.loops,
                         (hsc_book_loop){.record = l, .procedure = p, .parent = HSC_NO_INDEX, .file = file}));
        }
        w->site_of.p[l->loop_id] = *at;
    }
    for (size_t i = 0; i < m->n_loops; i++) {
        uint32_t row = w->site_of.p[m->loops[i].loop_id];
        uint32_t up = m->loops[i].parent_id ? w->site_of.p[m->loops[i].parent_id] : HSC_NO_INDEX;
        if (row != HSC_NO_INDEX && up != HSC_NO_INDEX && up != row && w->b.loops.p[row].parent == HSC_NO_INDEX &&
            w->b.loops.p[up].record->depth < w->b.loops.p[row].record->depth)
            w->b.loops.p[row].parent = up;
    }
    for (size_t i = 0; i < m->n_callsites; i++) {
        const hsc_rec_callsite *c = &m->callsites[i];
        if (!c->procedure_id)
            continue;
        uint32_t p = w->procedure_of.p[c->procedure_id];
        uint32_t *at = hsc_table_at(&w->call_by_tag, c->tag, p);
        const char *file = file_of(w, m, c->file_id);
        TRY(at && file);
        if (*at == HSC_NO_INDEX) {
            *at = (uint32_t)w->b.calls.n;
            uint32_t around = c->loop_id ? w->site_of.p[c->loop_id] : HSC_NO_INDEX;
            if (around != HSC_NO_INDEX && around & CALL)
                around = HSC_NO_INDEX;
            TRY(HSC_PUSH(
                w->b.calls,
                (hsc_book_call){.record = c, .procedure = p, .loop = around, .file = file, .callee = HSC_NO_INDEX}));
        }
        w->site_of.p[c->callsite_id] = *at | CALL;
    }
    return true;
}

/* clang -g makes two procedures of an OpenMP region, f.omp_outlined and f.omp_outlined_debug__, and inlines the second
 * into the first: that is where its code belongs. */
static bool is_region_of(const char *outer, const char *inner) {
    const char *a = strstr(outer, ".omp_outlined"), *b = strstr(inner, ".omp_outlined_debug__");
    return a && b && !strstr(a, "_debug__") && a - outer == b - inner && !strncmp(outer, inner, (size_t)(a - outer));
}

/* The inlined copy that each instance is in: the innermost of its code's that is of its loop's procedure; 0: none. */
static bool find_copies(making *w, const hsc_map_module *m) {
    TRY(HSC_RESERVE(w->copy_of, m->n_instances + 1));
    memset(w->copy_of.p, 0, (m->n_instances + 1) * sizeof *w->copy_of.p);
    for (size_t i = 0; i < m->n_places; i++) {
        const hsc_rec_place *p = &m->places[i];
        uint64_t loop = p->instance_id ? m->instances[p->instance_id - 1].loop_id : 0;
        uint32_t row = loop ? w->site_of.p[loop] : HSC_NO_INDEX;
        if (row == HSC_NO_INDEX || row & CALL || w->copy_of.p[p->instance_id])
            continue;
        int hops = 0;
        for (uint64_t k = p->inline_id; k && hops++ < 256; k = m->inlines[k - 1].parent_id)
            if (m->inlines[k - 1].callee_id &&
                w->procedure_of.p[m->inlines[k - 1].callee_id] == w->b.loops.p[row].procedure) {
                w->copy_of.p[p->instance_id] = (uint32_t)k;
                break;
            }
    }
    return true;
}

static bool add_outcomes(making *w, const hsc_map_module *m) {
    TRY(find_copies(w, m));
    for (size_t i = 0; i < m->n_instances; i++) {
        const hsc_rec_loop_instance *v = &m->instances[i];
        uint32_t loop = v->loop_id ? w->site_of.p[v->loop_id] : HSC_NO_INDEX;
        if (loop == HSC_NO_INDEX || loop & CALL)
            continue;
        const char *function = v->function_id ? m->procedures[v->function_id - 1].name.p : "?";
        uint32_t home = w->b.loops.p[loop].procedure;
        bool own = v->function_id && (w->procedure_of.p[v->function_id] == home ||
                                      is_region_of(m->procedures[v->function_id - 1].linkage_name.p,
                                                   w->b.procedures.p[home].record->linkage_name.p));
        uint32_t copy = own ? 0 : w->copy_of.p[i + 1];
        uint32_t call =
            copy && m->inlines[copy - 1].site_id ? w->site_of.p[m->inlines[copy - 1].site_id] : HSC_NO_INDEX;
        call = call != HSC_NO_INDEX && call & CALL ? call & ~CALL : HSC_NO_INDEX;
        TRY(HSC_PUSH(w->b.versions,
                     (hsc_book_version){loop, function, own, call, (uint32_t)v->version, (uint32_t)v->vector_width,
                                        (uint32_t)v->interleave, (uint32_t)v->unroll, 1}));
    }
    for (size_t i = 0; i < m->n_inlines && !m->is_replaced; i++) {
        uint32_t site = m->inlines[i].site_id ? w->site_of.p[m->inlines[i].site_id] : HSC_NO_INDEX;
        const hsc_rec_inline *n = &m->inlines[i];
        if (site == HSC_NO_INDEX || !(site & CALL) ||
            (n->callee_id && n->function_id &&
             is_region_of(m->procedures[n->function_id - 1].linkage_name.p,
                          m->procedures[n->callee_id - 1].linkage_name.p)))
            continue;
        w->b.calls.p[site & ~CALL].inlined++;
        if (m->inlines[i].callee_id)
            w->b.calls.p[site & ~CALL].callee = w->procedure_of.p[m->inlines[i].callee_id];
    }
    for (size_t i = 0; i < m->n_places; i++) {
        uint32_t site = m->places[i].site_id ? w->site_of.p[m->places[i].site_id] : HSC_NO_INDEX;
        if (site != HSC_NO_INDEX && site & CALL)
            w->b.calls.p[site & ~CALL].called++;
    }
    for (size_t i = 0; i < m->n_dependences; i++) {
        const hsc_rec_dependence *d = &m->dependences[i];
        uint32_t loop = d->loop_id ? w->site_of.p[d->loop_id] : HSC_NO_INDEX;
        if (loop != HSC_NO_INDEX && !(loop & CALL) && d->verdict != HSC_dependence_verdict_SAFE)
            TRY(HSC_PUSH(w->b.dependences, (hsc_book_dependence){loop, d}));
    }
    for (size_t i = 0; i < m->n_remarks; i++) {
        const hsc_rec_remark *r = &m->remarks[i];
        uint32_t site = r->site_id ? w->site_of.p[r->site_id] : HSC_NO_INDEX;
        const char *file = file_of(w, m, r->file_id);
        hsc_book_remark row = {.procedure = r->procedure_id ? w->procedure_of.p[r->procedure_id] : HSC_NO_INDEX,
                               .loop = HSC_NO_INDEX,
                               .call = HSC_NO_INDEX,
                               .record = r,
                               .file = file,
                               .function = r->procedure_id ? m->procedures[r->procedure_id - 1].name.p : ""};
        if (site != HSC_NO_INDEX && site & CALL)
            row.call = site & ~CALL;
        else
            row.loop = site;
        TRY(file && HSC_PUSH(w->b.remarks, row));
    }
    return true;
}

/* ---- putting in order ---- */

#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y))                                                                                                    \
    return (x) < (y) ? -1 : 1

static int by_source(const void *pa, const void *pb, void *ctx) {
    const hsc_map_book *b = ctx;
    const hsc_book_procedure *x = &b->procedures.p[*(const uint32_t *)pa], *y = &b->procedures.p[*(const uint32_t *)pb];
    int c = strcmp(x->file, y->file);
    if (c)
        return c;
    COMPARE(x->record->line_begin, y->record->line_begin);
    c = strcmp(x->record->linkage_name.p, y->record->linkage_name.p);
    if (c)
        return c;
    COMPARE(x->record->tag, y->record->tag);
    return 0;
}

static int loop_order(const void *pa, const void *pb, void *ctx) {
    const hsc_map_book *b = ctx;
    const hsc_book_loop *x = &b->loops.p[*(const uint32_t *)pa], *y = &b->loops.p[*(const uint32_t *)pb];
    COMPARE(b->procedures.p[x->procedure].order, b->procedures.p[y->procedure].order);
    COMPARE(x->record->line_begin, y->record->line_begin);
    COMPARE(x->record->depth, y->record->depth);
    COMPARE(x->record->column_begin, y->record->column_begin);
    COMPARE(x->record->loop_id, y->record->loop_id);
    return 0;
}

static int call_order(const void *pa, const void *pb, void *ctx) {
    const hsc_map_book *b = ctx;
    const hsc_book_call *x = &b->calls.p[*(const uint32_t *)pa], *y = &b->calls.p[*(const uint32_t *)pb];
    COMPARE(b->procedures.p[x->procedure].order, b->procedures.p[y->procedure].order);
    COMPARE(x->record->line, y->record->line);
    COMPARE(x->record->column, y->record->column);
    COMPARE(x->record->callsite_id, y->record->callsite_id);
    return 0;
}

static uint32_t weight(uint32_t version) { /* what is said first */
    static const uint8_t weights[] = {4, 0, 3, 1, 3, 2, 5, 2};
    return version < sizeof weights ? weights[version] : 9;
}

static int version_order(const void *pa, const void *pb) {
    const hsc_book_version *x = pa, *y = pb;
    COMPARE(x->loop, y->loop);
    COMPARE(y->is_own, x->is_own);
    int c = strcmp(x->function, y->function);
    if (c)
        return c;
    COMPARE(weight(x->version), weight(y->version));
    COMPARE(x->version, y->version);
    COMPARE(y->width, x->width);
    COMPARE(y->interleave, x->interleave);
    COMPARE(y->unroll, x->unroll);
    COMPARE(x->call, y->call);
    return 0;
}

static int by_call(const void *pa, const void *pb, void *ctx) {
    const hsc_map_book *b = ctx;
    uint32_t x = *(const uint32_t *)pa, y = *(const uint32_t *)pb;
    COMPARE(b->versions.p[x].call, b->versions.p[y].call);
    return x < y ? -1 : x > y;
}

static int remark_order(const void *pa, const void *pb) {
    const hsc_book_remark *x = pa, *y = pb;
    COMPARE(x->loop, y->loop);
    COMPARE(x->call, y->call);
    COMPARE(x->procedure, y->procedure);
    COMPARE(hsc_map_remark_is_missed(y->record), hsc_map_remark_is_missed(x->record));
    COMPARE(x->record->line, y->record->line);
    COMPARE(x->record->column, y->record->column);
    int c = strcmp(x->record->pass.p, y->record->pass.p);
    if (!c)
        c = strcmp(x->record->name.p, y->record->name.p);
    return c ? c : strcmp(x->record->message.p, y->record->message.p);
}

static int dependence_order(const void *pa, const void *pb) {
    const hsc_book_dependence *x = pa, *y = pb;
    COMPARE(x->loop, y->loop);
    COMPARE(x->record->source_line, y->record->source_line);
    COMPARE(x->record->source_column, y->record->source_column);
    COMPARE(x->record->sink_line, y->record->sink_line);
    COMPARE(x->record->sink_column, y->record->sink_column);
    COMPARE(x->record->kind, y->record->kind);
    COMPARE(x->record->verdict, y->record->verdict);
    COMPARE(x->record->distance, y->record->distance);
    return 0;
}

/* Rows in the order of `compare`; row_of[old] is the new row. */
static bool sorted_rows(hsc_map_book *b, size_t n, int (*compare)(const void *, const void *, void *), uint32_t **order,
                        uint32_t **row_of) {
    *order = malloc((n + 1) * sizeof **order);
    *row_of = malloc((n + 1) * sizeof **row_of);
    if (!*order || !*row_of)
        return false;
    for (uint32_t i = 0; i < n; i++)
        (*order)[i] = i;
    qsort_r(*order, n, sizeof **order, compare, b);
    for (uint32_t i = 0; i < n; i++)
        (*row_of)[(*order)[i]] = i;
    return true;
}

static uint32_t moved(const uint32_t *row_of, uint32_t row) {
    return row == HSC_NO_INDEX ? row : row_of[row];
}

static bool arrange(hsc_map_book *b) {
    uint32_t *order = NULL, *procedures = NULL, *loops = NULL, *calls = NULL;
    size_t n;
    bool ok = sorted_rows(b, b->procedures.n, by_source, &order, &procedures);
    HSC_VEC(hsc_book_procedure) p = {0};
    HSC_VEC(hsc_book_loop) l = {0};
    HSC_VEC(hsc_book_call) c = {0};
    for (uint32_t i = 0; ok && i < b->procedures.n; i++)
        b->procedures.p[i].order = procedures[i];
    for (uint32_t i = 0; ok && i < b->procedures.n; i++)
        ok = HSC_PUSH(p, b->procedures.p[order[i]]);
    free(order);
    order = NULL;
    ok = ok && sorted_rows(b, b->loops.n, loop_order, &order, &loops);
    for (uint32_t i = 0; ok && i < b->loops.n; i++)
        ok = HSC_PUSH(l, b->loops.p[order[i]]);
    free(order);
    order = NULL;
    ok = ok && sorted_rows(b, b->calls.n, call_order, &order, &calls);
    for (uint32_t i = 0; ok && i < b->calls.n; i++)
        ok = HSC_PUSH(c, b->calls.p[order[i]]);
    free(order);
    if (ok) {
        for (size_t i = 0; i < p.n; i++)
            p.p[i].first_loop = p.p[i].first_call = p.p[i].loops = p.p[i].calls = 0;
        for (uint32_t i = 0; i < l.n; i++) {
            l.p[i].procedure = procedures[l.p[i].procedure];
            l.p[i].parent = moved(loops, l.p[i].parent);
            hsc_book_procedure *of = &p.p[l.p[i].procedure];
            if (!of->loops++)
                of->first_loop = i;
            l.p[i].order = i - of->first_loop;
        }
        for (uint32_t i = 0; i < c.n; i++) {
            c.p[i].procedure = procedures[c.p[i].procedure];
            c.p[i].loop = moved(loops, c.p[i].loop);
            c.p[i].callee = moved(procedures, c.p[i].callee);
            hsc_book_procedure *of = &p.p[c.p[i].procedure];
            if (!of->calls++)
                of->first_call = i;
        }
        memcpy(b->procedures.p, p.p, p.n * sizeof *p.p);
        if (l.n)
            memcpy(b->loops.p, l.p, l.n * sizeof *l.p);
        if (c.n)
            memcpy(b->calls.p, c.p, c.n * sizeof *c.p);
        for (size_t i = 0; i < b->versions.n; i++) {
            b->versions.p[i].loop = loops[b->versions.p[i].loop];
            b->versions.p[i].call = moved(calls, b->versions.p[i].call);
        }
        for (size_t i = 0; i < b->remarks.n; i++) {
            hsc_book_remark *r = &b->remarks.p[i];
            r->loop = moved(loops, r->loop);
            r->call = moved(calls, r->call);
            r->procedure = moved(procedures, r->procedure);
        }
        for (size_t i = 0; i < b->dependences.n; i++)
            b->dependences.p[i].loop = loops[b->dependences.p[i].loop];
        if (b->dependences.n)
            qsort(b->dependences.p, b->dependences.n, sizeof *b->dependences.p, dependence_order);
        for (uint32_t i = 0; i < b->dependences.n; i++)
            if (!b->loops.p[b->dependences.p[i].loop].dependences++)
                b->loops.p[b->dependences.p[i].loop].first_dependence = i;
        if (b->versions.n)
            qsort(b->versions.p, b->versions.n, sizeof *b->versions.p, version_order);
        if (b->remarks.n)
            qsort(b->remarks.p, b->remarks.n, sizeof *b->remarks.p, remark_order);
        n = 0; /* equal versions of one function are counted, the same remark of several modules is one */
        for (size_t i = 0; i < b->versions.n; i++)
            if (n && !version_order(&b->versions.p[n - 1], &b->versions.p[i]))
                b->versions.p[n - 1].copies += b->versions.p[i].copies;
            else
                b->versions.p[n++] = b->versions.p[i];
        b->versions.n = n;
        n = 0;
        for (size_t i = 0; i < b->remarks.n; i++)
            if (!n || remark_order(&b->remarks.p[n - 1], &b->remarks.p[i]))
                b->remarks.p[n++] = b->remarks.p[i];
        b->remarks.n = n;
        for (uint32_t i = 0; i < b->versions.n; i++)
            if (!b->loops.p[b->versions.p[i].loop].versions++)
                b->loops.p[b->versions.p[i].loop].first_version = i;
        for (uint32_t i = 0; ok && i < b->versions.n; i++)
            if (b->versions.p[i].call != HSC_NO_INDEX)
                ok = HSC_PUSH(b->call_versions, i);
        if (ok && b->call_versions.n)
            qsort_r(b->call_versions.p, b->call_versions.n, sizeof *b->call_versions.p, by_call, b);
        for (uint32_t i = 0; ok && i < b->call_versions.n; i++) {
            hsc_book_call *at = &b->calls.p[b->versions.p[b->call_versions.p[i]].call];
            if (!at->versions++)
                at->first_version = i;
        }
        for (uint32_t i = 0; ok && i < b->remarks.n; i++) {
            const hsc_book_remark *r = &b->remarks.p[i];
            if (r->loop != HSC_NO_INDEX) {
                if (!b->loops.p[r->loop].remarks++)
                    b->loops.p[r->loop].first_remark = i;
            } else if (r->call != HSC_NO_INDEX) {
                if (!b->calls.p[r->call].remarks++)
                    b->calls.p[r->call].first_remark = i;
            } else {
                ok = HSC_PUSH(b->loose_remarks, i);
            }
        }
    }
    free(procedures);
    free(loops);
    free(calls);
    free(p.p);
    free(l.p);
    free(c.p);
    return ok;
}

hsc_status hsc_map_book_make(const hsc_map_model *model, hsc_map_book *out, hsc_err *err) {
    making w = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < model->n_modules; i++)
        ok = add_files(&w, &model->modules[i]) && add_procedures(&w, &model->modules[i]) &&
             add_sites(&w, &model->modules[i]) && add_outcomes(&w, &model->modules[i]);
    ok = ok && arrange(&w.b);
    free(w.procedure_of.p);
    free(w.site_of.p);
    free(w.copy_of.p);
    hsc_table_fini(&w.file_by_path);
    hsc_table_fini(&w.procedure_by_tag);
    hsc_table_fini(&w.loop_by_tag);
    hsc_table_fini(&w.call_by_tag);
    if (!ok) {
        hsc_map_book_fini(&w.b);
        return hsc_err_set(err, HSC_E_MEMORY, "map: out of memory");
    }
    *out = w.b;
    return HSC_OK;
}

void hsc_map_book_fini(hsc_map_book *b) {
    free(b->files.p);
    free(b->procedures.p);
    free(b->loops.p);
    free(b->calls.p);
    free(b->versions.p);
    free(b->call_versions.p);
    free(b->remarks.p);
    free(b->loose_remarks.p);
    free(b->dependences.p);
    hsc_pool_fini(&b->pool);
    *b = (hsc_map_book){0};
}

const hsc_book_file *hsc_map_book_file(const hsc_map_book *b, const char *path) {
    for (size_t i = 0; i < b->files.n; i++)
        if (!strcmp(b->files.p[i].path, path))
            return &b->files.p[i];
    return NULL;
}

/* ---- in words ---- */

char *hsc_map_versions_text(const hsc_map_book *b, const hsc_book_loop *l, bool own, char *out, size_t size) {
    size_t at = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < l->versions && at + 1 < size; i++) {
        const hsc_book_version *v = &b->versions.p[l->first_version + i];
        uint32_t copies = 0;
        bool seen = false;
        if (own && !v->is_own)
            continue;
        for (uint32_t k = 0; k < l->versions; k++) {
            const hsc_book_version *o = &b->versions.p[l->first_version + k];
            bool same = (!own || o->is_own) && o->version == v->version && o->width == v->width &&
                        o->interleave == v->interleave && o->unroll == v->unroll;
            seen = seen || (same && k < i);
            copies += same ? o->copies : 0;
        }
        if (seen)
            continue;
        char part[180], lanes[48], by[32] = "", times[32] = "";
        (void)hsc_map_lanes_words(v->version, v->width, lanes, sizeof lanes);
        if (v->interleave > 1)
            snprintf(by, sizeof by, " x%" PRIu32, v->interleave);
        else if (v->unroll > 1)
            snprintf(by, sizeof by, " x%" PRIu32, v->unroll);
        if (copies > 1)
            snprintf(times, sizeof times, " (%" PRIu32 " times)", copies);
        int n = snprintf(part, sizeof part, "%s%s%s%s%s", at ? ", " : "",
                         hsc_map_version_word(v->version), lanes, by, times);
        if (n < 0 || at + (size_t)n >= size)
            break;
        memcpy(out + at, part, (size_t)n + 1);
        at += (size_t)n;
    }
    if (!at)
        snprintf(out, size, own && l->versions ? "" : "no code left");
    return out;
}

char *hsc_map_short_name(const char *name, char *out, size_t size) {
    size_t at = 0;
    int depth = 0;
    for (const char *p = name; *p && at + 1 < size; p++) {
        if (!strncmp(p, "operator", 8) && !depth) { /* operator<, operator() */
            size_t n = 8 + strspn(p + 8, "<>=!+-*/%&|^~,[]");
            n += !strncmp(p + n, "()", 2) ? 2 : 0;
            for (size_t i = 0; i < n && at + 1 < size; i++)
                out[at++] = p[i];
            p += n - 1;
            continue;
        }
        if (!depth && !strncmp(p, "(anonymous namespace)::", 23)) {
            p += 22;
            continue;
        }
        depth += *p == '<' || *p == '(';
        if (!depth)
            out[at++] = *p;
        depth -= (*p == '>' || *p == ')') && depth;
    }
    out[at] = 0;
    return out;
}

hsc_book_outcome hsc_map_outcome(const hsc_map_book *b, const hsc_book_loop *l) {
    hsc_book_outcome o = {.gone = !l->versions};
    const char *function = NULL;
    for (uint32_t i = 0; i < l->versions; i++) {
        const hsc_book_version *v = &b->versions.p[l->first_version + i];
        o.functions += !function || strcmp(function, v->function);
        function = v->function;
        bool vector = hsc_version_is_vector(v->version);
        o.vector = o.vector || vector;
        o.unrolled = o.unrolled || v->version == HSC_loop_version_UNROLLED;
        o.fully = o.fully || v->version == HSC_loop_version_UNROLLED_FULLY;
        o.library = o.library || v->version == HSC_loop_version_LIBRARY_CALL;
        o.any_scalar = o.any_scalar || v->version == HSC_loop_version_PLAIN ||
                       v->version == HSC_loop_version_ALTERNATIVE || v->version == HSC_loop_version_FALLBACK ||
                       v->version == HSC_loop_version_REMAINDER_OR_FALLBACK;
        o.width = vector && v->width > o.width ? v->width : o.width;
        o.interleave =
            v->version == HSC_loop_version_VECTOR && v->interleave > o.interleave ? v->interleave : o.interleave;
        o.unroll = v->unroll > o.unroll ? v->unroll : o.unroll;
    }
    return o;
}

char *hsc_map_outcome_code(const hsc_book_outcome *o, char *out, size_t size) {
    if (o->vector)
        o->width ? snprintf(out, size, "V%" PRIu32, o->width) : snprintf(out, size, "V");
    else if (o->unrolled)
        o->unroll > 1 ? snprintf(out, size, "u%" PRIu32, o->unroll) : snprintf(out, size, "u");
    else
        snprintf(out, size, "%s", o->fully ? "F" : o->library ? "M" : o->gone ? "x" : "s");
    return out;
}

bool hsc_map_remark_is_missed(const hsc_rec_remark *r) {
    return r->kind != HSC_remark_kind_PASSED;
}

bool hsc_map_remark_matters(const hsc_rec_remark *r) {
    static const char *const passes[] = {"loop-vectorize",   "licm",       "loop-unroll", "loop-distribute",
                                         "loop-interchange", "loop-fusion"};
    uint64_t reason;
    if (!hsc_map_remark_is_missed(r))
        return !strcmp(r->pass.p, "slp-vectorizer");
    if (r->reason == HSC_reason_WAITS || r->reason == HSC_reason_VECTORS || hsc_remark_refuses_vectors(r->pass.p, r->name.p, r->kind, r->reason))
        return true;
    if (hsc_remark_tell(r->pass.p, r->pass.n, r->name.p, r->name.n, &reason) == HSC_ABOUT_INTERLEAVING)
        return false; /* of loops with vector code, too */
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (!strcmp(r->pass.p, passes[i]))
            return true;
    return false;
}

char *hsc_map_dependence_text(const hsc_rec_dependence *d, char *out, size_t size) {
    static const char *const first[] = {"written", "read", "written", "read"}, *const then[] = {"read", "written",
                                                                                                "written", "read"};
    const char *kind = hsc_enum_text("dependence_kind", d->kind),
               *verdict = hsc_enum_text("dependence_verdict", d->verdict);
    char when[80];
    if (!d->has_distance)
        snprintf(when, sizeof when, "at an unknown distance");
    else if (!d->distance)
        snprintf(when, sizeof when, "in the same iteration");
    else
        snprintf(when, sizeof when, "%" PRIu64 " iteration%s later", d->distance, d->distance == 1 ? "" : "s");
    if (d->kind < 4)
        snprintf(out, size, "%.*s dependence: %s in %" PRIu64 ":%" PRIu64 ", %s in %" PRIu64 ":%" PRIu64 ", %s; %s",
                 kind ? (int)strcspn(kind, ":") : 0, kind ? kind : "", first[d->kind], d->source_line, d->source_column,
                 then[d->kind], d->sink_line, d->sink_column, when, verdict ? verdict : "?");
    else
        snprintf(out, size, "dependence of %" PRIu64 ":%" PRIu64 " on %" PRIu64 ":%" PRIu64 ", %s; %s", d->sink_line,
                 d->sink_column, d->source_line, d->source_column, when, verdict ? verdict : "?");
    return out;
}

char *hsc_map_remark_text(const hsc_rec_remark *r, char *out, size_t size) {
    if (r->reason == HSC_reason_NOT_TRIED) { /* the compiler says "loop not vectorized" */
        snprintf(out, size, "%s", hsc_enum_text("reason", r->reason));
        return out;
    }
    return hsc_remark_plain(r->message.p, out, size);
}
