/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What rank 0 knows of the code, contexts and kinds of all ranks, and what rank 0 makes after blame. */
#include "details.h"
#include "grown.h"
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

/* ---- the code ---- */

static void put_rows(parcel *a, const uint32_t *rows, size_t n) {
    parcel_u64(a, n);
    parcel_put(a, rows, n * sizeof *rows);
}

static void put_code(const join *j, parcel *a) {
    parcel_u64(a, j->modules.n);
    for (size_t i = 0; i < j->modules.n; i++) {
        const jmodule *m = &j->modules.p[i];
        parcel_text(a, m->path);
        put_rows(a, (const uint32_t[]){m->is_main, m->tables.knowledge, m->pseudo_file, m->unknown_procedure}, 4);
        put_rows(a, m->procedure_scopes.p, m->tables.procedure_count);
        put_rows(a, m->loop_scopes.p, m->tables.loop_count);
        put_rows(a, m->file_rows.p, m->tables.file_count);
        put_rows(a, m->instance_rows.p, m->tables.instance_count);
        PARCEL_VEC(a, m->elements);
    }
    put_rows(a, (const uint32_t[]){j->unknown_module, j->no_path_scope}, 2);
    PARCEL_VEC(a, j->places);
    PARCEL_VEC(a, j->tails);
    PARCEL_VEC(a, j->ways);
    PARCEL_VEC(a, j->lines);
    PARCEL_VEC(a, j->instances);
    parcel_u64(a, j->frames.n);
    for (size_t i = 0; i < j->frames.n; i++)
        parcel_put(a, &j->frames.p[i].place, sizeof j->frames.p[i].place);
    parcel_u64(a, j->frames.n);
    for (size_t i = 0; i < j->frames.n; i++)
        parcel_put(a, &j->frames.p[i].way, sizeof j->frames.p[i].way);
    PARCEL_VEC(a, j->scopes);
    for (size_t i = 0; i < j->scopes.n; i++)
        parcel_text(a, j->scopes.p[i].linkage);
    for (size_t i = 0; i < j->scopes.n; i++)
        parcel_text(a, j->scopes.p[i].name);
    parcel_u64(a, j->file_names.n);
    for (size_t i = 0; i < j->file_names.n; i++)
        parcel_text(a, j->file_names.p[i]);
}

static void take_module(join *j, parcel *a) {
    jmodule m = {.path = parcel_take_text(a, &j->pool)};
    HSC_VEC(uint32_t) what = {0};
    PARCEL_TAKE_VEC(a, what);
    if (!a->failed && what.n == 4) {
        m.is_main = what.p[0];
        m.tables.knowledge = (hsc_knowledge)what.p[1];
        m.pseudo_file = what.p[2];
        m.unknown_procedure = what.p[3];
    }
    free(what.p);
    PARCEL_TAKE_VEC(a, m.procedure_scopes);
    PARCEL_TAKE_VEC(a, m.loop_scopes);
    PARCEL_TAKE_VEC(a, m.file_rows);
    PARCEL_TAKE_VEC(a, m.instance_rows);
    PARCEL_TAKE_VEC(a, m.elements);
    if (!HSC_PUSH(j->modules, m))
        a->failed = true;
}

static void take_code(join *j, parcel *a) {
    HSC_VEC(uint32_t) what = {0}, places = {0}, ways = {0};
    uint64_t n = parcel_take_u64(a);
    for (uint64_t i = 0; i < n && !a->failed; i++)
        take_module(j, a);
    PARCEL_TAKE_VEC(a, what);
    PARCEL_TAKE_VEC(a, j->places);
    PARCEL_TAKE_VEC(a, j->tails);
    PARCEL_TAKE_VEC(a, j->ways);
    PARCEL_TAKE_VEC(a, j->lines);
    PARCEL_TAKE_VEC(a, j->instances);
    PARCEL_TAKE_VEC(a, places);
    PARCEL_TAKE_VEC(a, ways);
    PARCEL_TAKE_VEC(a, j->scopes);
    if (!a->failed) {
        j->unknown_module = what.p[0];
        j->no_path_scope = what.p[1];
    }
    for (size_t i = 0; i < j->scopes.n && !a->failed; i++) {
        j->scopes.p[i].name = "";
        j->scopes.p[i].linkage = parcel_take_text(a, &j->pool);
    }
    for (size_t i = 0; i < j->scopes.n && !a->failed; i++)
        j->scopes.p[i].name = parcel_take_text(a, &j->pool);
    n = parcel_take_u64(a);
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        const char *name = parcel_take_text(a, &j->pool);
        a->failed = a->failed || !HSC_PUSH(j->file_names, name);
    }
    for (size_t i = 0; i < places.n && i < j->frames.n && !a->failed; i++)
        j->frames.p[i].place = places.p[i];
    for (size_t i = 0; i < ways.n && i < j->frames.n && !a->failed; i++)
        j->frames.p[i].way = ways.p[i];
    for (uint32_t i = 0; i < j->lines.n && !a->failed; i++) {
        uint32_t *at = hsc_table_at(&j->line_rows, (uint64_t)j->lines.p[i].file << 32 | j->lines.p[i].line, 0);
        a->failed = !at;
        if (at)
            *at = i;
    }
    free(what.p);
    free(places.p);
    free(ways.p);
}

hsc_status hsc_ranks_share_code(join *j, hsc_err *err) {
    parcel a = {0};
    if (!j->team)
        return HSC_OK;
    if (!j->team->rank)
        put_code(j, &a);
    hsc_status status = hsc_ranks_share(j, 0, &a, err);
    if (status == HSC_OK && j->team->rank)
        take_code(j, &a);
    status = status == HSC_OK ? hsc_ranks_taken(&a, err) : status;
    parcel_fini(&a);
    return status;
}

/* ---- contexts as they were met ---- */

static void put_growing(void *ctx, parcel *a) {
    const join *j = ctx;
    parcel_u64(a, j->growing.n);
    parcel_put(a, j->growing.nodes, j->growing.n * sizeof *j->growing.nodes);
}

static bool add_nodes(join *j, const jcontext *nodes, size_t n, uint32_t *rows) {
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) { /* a parent stands before its children */
        rows[i] = hsc_join_grow(j, i ? rows[nodes[i].parent] : 0, nodes[i].kind, nodes[i].scope, nodes[i].call_line);
        ok = rows[i] != HSC_NO_INDEX;
    }
    return ok;
}

static void take_growing(void *ctx, parcel *a) {
    join *j = ctx;
    HSC_VEC(jcontext) nodes = {0};
    PARCEL_TAKE_VEC(a, nodes);
    uint32_t *rows = malloc((nodes.n + 1) * sizeof *rows);
    a->failed = a->failed || !rows || !add_nodes(j, nodes.p, nodes.n, rows);
    free(rows);
    free(nodes.p);
}

static void clear_growing(void *ctx) {
    join *j = ctx;
    hsc_table_fini(&j->growing.rows);
    j->growing.n = 0;
}

static hsc_status merge_growing(join *j, hsc_err *err) {
    static const hsc_ranks_merge how = {put_growing, take_growing, clear_growing};
    size_t n = j->growing.n; /* as this rank made them: merging adds more behind */
    jcontext *own = malloc((n + 1) * sizeof *own);
    if (!own || !HSC_RESERVE(j->growing_map, n + 1)) {
        free(own);
        return hsc_join_no_memory(err);
    }
    memcpy(own, j->growing.nodes, n * sizeof *own);
    hsc_status status = hsc_ranks_merge_all(j, &how, j, err);
    if (status == HSC_OK && !add_nodes(j, own, n, j->growing_map.p))
        status = hsc_join_no_memory(err);
    j->growing_map.n = status == HSC_OK ? n : 0;
    free(own);
    return status;
}

/* ---- kinds ---- */

static void put_kinds(void *ctx, parcel *a) {
    const join *j = ctx;
    PARCEL_VEC(a, j->kinds);
}

static void take_kinds(void *ctx, parcel *a) {
    join *j = ctx;
    HSC_VEC(jkind) kinds = {0};
    PARCEL_TAKE_VEC(a, kinds);
    for (size_t i = 0; i < kinds.n && !a->failed; i++)
        a->failed = hsc_join_kind_row(j, &kinds.p[i]) == HSC_NO_INDEX;
    free(kinds.p);
}

static void clear_kinds(void *ctx) {
    join *j = ctx;
    hsc_table_fini(&j->kind_rows);
    j->kinds.n = 0;
}

/* Contexts of all ranks into this rank's kinds, then kinds of all ranks. */
static hsc_status merge_kinds(join *j, hsc_err *err) {
    static const hsc_ranks_merge how = {put_kinds, take_kinds, clear_kinds};
    size_t n = j->kinds.n;
    jkind *own = malloc((n + 1) * sizeof *own);
    if (!own || !HSC_RESERVE(j->kind_map, n + 1)) {
        free(own);
        return hsc_join_no_memory(err);
    }
    bool ok = true;
    memcpy(own, j->kinds.p, n * sizeof *own);
    clear_kinds(j);
    for (size_t i = 0; ok && i < n; i++) {
        own[i].context = j->growing_map.p[own[i].context];
        ok = hsc_join_kind_row(j, &own[i]) != HSC_NO_INDEX;
    }
    hsc_status status = ok ? hsc_ranks_merge_all(j, &how, j, err) : hsc_join_no_memory(err);
    for (size_t i = 0; status == HSC_OK && i < n; i++)
        j->kind_map.p[j->kind_map.n++] = hsc_join_known_kind(j, &own[i]);
    free(own);
    return status;
}

static void map_site(void *ctx, void *site) {
    const join *j = ctx;
    jsite *s = site;
    s->context = j->growing_map.p[s->context];
}

hsc_status hsc_ranks_merge_kinds(join *j, hsc_err *err) {
    if (!j->team)
        return HSC_OK;
    hsc_status status = merge_growing(j, err);
    for (size_t i = 0; status == HSC_OK && i < j->run.n; i++)
        status = hsc_join_each_site(j, j->run.p[i], true, map_site, j, err);
    return status == HSC_OK ? merge_kinds(j, err) : status;
}

hsc_status hsc_ranks_merge_used(join *j, uint8_t *used, size_t n, hsc_err *err) {
    uint64_t *counts = j->team ? malloc((n + 1) * sizeof *counts) : NULL;
    if (!j->team)
        return HSC_OK;
    if (!counts)
        return hsc_join_no_memory(err);
    for (size_t i = 0; i < n; i++)
        counts[i] = used[i];
    hsc_status status = hsc_ranks_add_up(j, counts, n, err);
    for (size_t i = 0; i < n; i++)
        used[i] = counts[i] != 0;
    free(counts);
    return status;
}

/* ---- after blame ---- */

static void put_rest(const join *j, parcel *a) {
    parcel_u64(a, j->metrics.n);
    for (size_t i = 0; i < j->metrics.n; i++) {
        parcel_put(a, &j->metrics.p[i], sizeof *j->metrics.p);
        parcel_text(a, j->metrics.p[i].name);
        parcel_text(a, j->metrics.p[i].unit);
    }
    parcel_put(a, j->metric_rows, sizeof j->metric_rows);
    PARCEL_VEC(a, j->kinds);
    parcel_u64(a, hsc_join_instruction_rows(j));
    for (size_t i = 0; i < j->places.n; i++)
        parcel_put(a, &j->places.p[i].instruction, sizeof j->places.p[i].instruction);
}

static void take_rest(join *j, parcel *a) {
    uint64_t n = parcel_take_u64(a);
    j->metrics.n = 0;
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        jmetric m;
        parcel_take(a, &m, sizeof m);
        m.name = parcel_take_text(a, &j->pool);
        m.unit = parcel_take_text(a, &j->pool);
        a->failed = a->failed || !HSC_PUSH(j->metrics, m);
    }
    parcel_take(a, j->metric_rows, sizeof j->metric_rows);
    j->kinds.n = 0;
    PARCEL_TAKE_VEC(a, j->kinds);
    j->instruction_rows = parcel_take_u64(a);
    for (size_t i = 0; i < j->places.n; i++)
        parcel_take(a, &j->places.p[i].instruction, sizeof j->places.p[i].instruction);
}

/* What blame added to profiles of other ranks' threads, behind what rank 0 has of them. */
static hsc_status put_profiles(join *j, parcel *a, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t i = 0; status == HSC_OK && i < j->threads.n; i++) {
        jthread *t = j->threads.p[i];
        jcount *list = NULL;
        size_t n = 0;
        if (hsc_ranks_has(j, t->process) || !t->profile.count)
            continue;
        status = hsc_join_load_profile(j, t, &list, &n, err);
        if (status == HSC_OK && n > t->copied) {
            parcel_u64(a, i);
            parcel_u64(a, n - t->copied);
            parcel_put(a, list + t->copied, (n - t->copied) * sizeof *list);
        }
        free(list);
        hsc_spill_list_fini(&t->profile);
    }
    parcel_u64(a, UINT64_MAX);
    return status;
}

static void take_profiles(join *j, parcel *a) {
    for (uint64_t row; !a->failed && (row = parcel_take_u64(a)) < j->threads.n;) {
        jthread *t = j->threads.p[row];
        HSC_VEC(jcount) list = {0};
        PARCEL_TAKE_VEC(a, list);
        if (!a->failed && hsc_ranks_has(j, t->process))
            a->failed = !hsc_spill_put_all(j->spill, &t->profile, list.p, list.n, sizeof *list.p);
        free(list.p);
    }
}

/* How long the lists of all threads are. */
static hsc_status share_counts(join *j, hsc_err *err) {
    size_t n = j->threads.n;
    uint64_t *counts = calloc(2 * n + 1, sizeof *counts);
    if (!counts)
        return hsc_join_no_memory(err);
    for (size_t i = 0; i < n; i++)
        if (hsc_ranks_has(j, j->threads.p[i]->process)) {
            counts[2 * i] = j->threads.p[i]->profile.count;
            counts[2 * i + 1] = j->threads.p[i]->instants.count + hsc_grown_samples(j->threads.p[i]);
        }
    hsc_status status = hsc_ranks_add_up(j, counts, 2 * n, err);
    for (size_t i = 0; i < n; i++) {
        j->threads.p[i]->counts = counts[2 * i];
        j->threads.p[i]->samples_by_time = counts[2 * i + 1];
    }
    free(counts);
    return status;
}

hsc_status hsc_ranks_share_rest(join *j, hsc_err *err) {
    parcel a = {0};
    hsc_status status = HSC_OK;
    if (j->team) {
        if (!j->team->rank) {
            put_rest(j, &a);
            status = put_profiles(j, &a, err);
        }
        if (status == HSC_OK)
            status = hsc_ranks_share(j, 0, &a, err);
        if (status == HSC_OK && j->team->rank) {
            take_rest(j, &a);
            take_profiles(j, &a);
        }
        status = status == HSC_OK ? hsc_ranks_taken(&a, err) : status;
        parcel_fini(&a);
    }
    return status == HSC_OK ? share_counts(j, err) : status;
}
