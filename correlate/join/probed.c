/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where probes are: their scopes, the lines and calling contexts of blocks, and what they counted as metrics.
 *
 * A block knows the probed scopes round it and no more of its path. While a process is read for the second time its blocks become contexts of
 * KIND_PROBED below one another; contexts.c then finds which of the sampled contexts they are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "added.h"
#include "contexts.h"
#include "details.h"
#include "emit.h"
#include "probed.h"
#include "told.h"

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- scopes by file and line ---- */

struct hsc_probed {
    hsc_table scopes, files; /* (text, 0): the first of them */
    uint32_t *next_scope, *next_file;
};

/* Address of the one copy of a text made of these. */
static const char *key_of(join *j, const char *file, uint32_t line, unsigned what) {
    size_t n = strlen(file) + 32;
    char *words = malloc(n);
    const char *kept = NULL;
    if (words) {
        int length = snprintf(words, n, "%s\n%u\n%u", file, line, what);
        kept = hsc_pool_intern(&j->pool, words, (size_t)length);
    }
    free(words);
    return kept;
}

static uint32_t *first_of(join *j, hsc_table *t, const char *file, uint32_t line, unsigned what) {
    const char *key = key_of(j, file, line, what);
    return key ? hsc_table_at(t, (uintptr_t)key, 0) : NULL;
}

/* Procedures and loops by the name of their file and their first line; files by their names. */
static bool make_index(join *j) {
    hsc_probed *x = j->probed = calloc(1, sizeof *x);
    bool ok = x && (x->next_scope = malloc((j->scopes.n + 1) * sizeof *x->next_scope)) && (x->next_file = malloc((j->file_names.n + 1) * sizeof *x->next_file));
    for (uint32_t s = 0; ok && s < j->scopes.n; s++) {
        const jscope *at = &j->scopes.p[s];
        x->next_scope[s] = HSC_NO_INDEX;
        if ((at->kind != HSC_SCOPE_PROCEDURE && at->kind != HSC_SCOPE_LOOP && at->kind != HSC_SCOPE_REGION) || at->file >= j->file_names.n)
            continue;
        uint32_t *row = first_of(j, &x->scopes, j->file_names.p[at->file], at->line_begin, at->kind == HSC_SCOPE_LOOP);
        if ((ok = row != NULL)) {
            x->next_scope[s] = *row;
            *row = s;
        }
    }
    for (uint32_t f = (uint32_t)j->file_names.n; ok && f-- > 0;) {
        uint32_t *row = first_of(j, &x->files, j->file_names.p[f], 0, 2);
        if ((ok = row != NULL)) {
            x->next_file[f] = *row;
            *row = f;
        }
    }
    return ok;
}

bool hsc_join_name_files(join *j) {
    bool ok = true;
    for (size_t f = j->file_names.n; ok && f < j->files.n; f++)
        ok = HSC_PUSH(j->file_names, base_name(j->files.p[f].path));
    return ok;
}

bool hsc_join_probed_scope(join *j, const jprobe_place *p, uint32_t *scope) {
    *scope = HSC_NO_INDEX;
    if (p->kind != HSC_probe_kind_PROCEDURE && p->kind != HSC_probe_kind_LOOP)
        return true;
    if (!j->probed && !make_index(j))
        return false;
    const uint32_t *row = first_of(j, &j->probed->scopes, base_name(p->file), p->line, p->kind == HSC_probe_kind_LOOP);
    for (uint32_t s = row ? *row : HSC_NO_INDEX; s != HSC_NO_INDEX; s = j->probed->next_scope[s]) {
        uint32_t of = j->scopes.p[s].procedure;
        const jscope *procedure = &j->scopes.p[of < j->scopes.n ? of : s];
        bool same = !strcmp(procedure->name, p->name) || !strcmp(procedure->linkage, p->name); /* several may stand there */
        if (*scope == HSC_NO_INDEX || same)
            *scope = s;
        if (same)
            break;
    }
    return row != NULL;
}

/* Row of a line of a file of that name, at `line` or the next one to `last` that has code. */
static bool find_line(join *j, const char *file, uint32_t line, uint32_t last, uint32_t *out) {
    *out = HSC_NO_INDEX;
    if (!j->probed && !make_index(j))
        return false;
    const uint32_t *row = first_of(j, &j->probed->files, base_name(file), 0, 2);
    for (uint32_t at = line; row && line && at <= last && *out == HSC_NO_INDEX; at++)
        for (uint32_t f = *row; f != HSC_NO_INDEX && *out == HSC_NO_INDEX; f = j->probed->next_file[f])
            *out = hsc_table_get(&j->line_rows, (uint64_t)f << 32 | at, 0);
    return row != NULL;
}

void hsc_join_free_probed(join *j) {
    hsc_probed *x = j->probed;
    if (x) {
        hsc_table_fini(&x->scopes);
        hsc_table_fini(&x->files);
        free(x->next_scope);
        free(x->next_file);
    }
    free(x);
    j->probed = NULL;
    free(j->file_names.p);
}

/* ---- blocks of a process ---- */

static const jprobe_place *place_of(const jtold *t, uint64_t number) {
    for (size_t i = 0; i < t->places.n; i++) /* dense: the first look hits */
        if (t->places.p[(number + i - 1) % t->places.n].number == number)
            return &t->places.p[(number + i - 1) % t->places.n];
    return NULL;
}

/* Scope and line of a block's probe; none of either. */
static bool locate(join *j, const jprobe_place *p, uint32_t *scope, uint32_t *line) {
    uint32_t end = p->line, in;
    if (!hsc_join_probed_scope(j, p, scope))
        return false;
    if (*scope != HSC_NO_INDEX) {
        const jscope *s = &j->scopes.p[*scope];
        end = s->line_end > end ? s->line_end : end;
        for (uint32_t at = p->line; at && at <= end; at++)
            if ((*line = hsc_table_get(&j->line_rows, (uint64_t)s->file << 32 | at, 0)) != HSC_NO_INDEX)
                return true;
        *line = HSC_NO_INDEX;
        return true;
    }
    if (!find_line(j, p->file, p->line, end, line))
        return false;
    in = *line == HSC_NO_INDEX ? HSC_NO_INDEX : j->lines.p[*line].scope;
    if (in < j->scopes.n && (j->scopes.p[in].kind == HSC_SCOPE_PROCEDURE || j->scopes.p[in].kind == HSC_SCOPE_LOOP || j->scopes.p[in].kind == HSC_SCOPE_REGION))
        *scope = in;
    return true;
}

static bool place_block(join *j, jprocess *p, jtold_thread *t, size_t number) {
    jblock *b = &t->blocks.p[number];
    const jblock *up = b->parent == HSC_NO_INDEX ? NULL : &t->blocks.p[b->parent];
    const jprobe_place *place = b->user ? NULL : place_of(p->told, b->number);
    uint32_t scope = HSC_NO_INDEX, line = HSC_NO_INDEX, context = up && up->site != HSC_NO_INDEX ? p->sites.p[up->site].context : 0;
    if (place && !locate(j, place, &scope, &line))
        return false;
    if (b->user) { /* no place in the code: a stack of its own, beside that of the probes */
        b->site = HSC_NO_INDEX;
        return true;
    }
    bool call = place && place->kind != HSC_probe_kind_PROCEDURE && place->kind != HSC_probe_kind_LOOP;
    if (scope != HSC_NO_INDEX && !(call && j->growing.nodes[context].kind == KIND_PROBED && j->growing.nodes[context].scope == scope))
        context = hsc_join_grow(j, context, KIND_PROBED, scope, HSC_NO_INDEX);
    b->site = (uint32_t)p->sites.n;
    return context != HSC_NO_INDEX && HSC_PUSH(p->sites, (jsite){t->id, 0, context, line, 0, 0});
}

bool hsc_join_place_blocks(join *j, jprocess *p) {
    bool ok = true;
    if (!p->told)
        return true;
    pthread_mutex_lock(&j->lock);
    for (size_t i = 0; ok && i < p->told->threads.n; i++)
        for (size_t k = 0; ok && k < p->told->threads.p[i].blocks.n; k++) /* parents stand before */
            ok = place_block(j, p, &p->told->threads.p[i], k);
    pthread_mutex_unlock(&j->lock);
    return ok;
}

/* ---- metrics ---- */

/* Exclusive time of the blocks of a thread, without what probes cost, by category; their visits in that with most time. */
static bool take_thread(const jprocess *p, const jtold_thread *t, uint32_t thread, jamounts *time, jamounts *visits) {
    bool ok = true;
    for (size_t i = 0; ok && i < t->blocks.n; i++) {
        const jblock *b = &t->blocks.p[i];
        const jsite *site = b->site == HSC_NO_INDEX ? NULL : &p->sites.p[b->site];
        double all = 0;
        unsigned most = 0;
        if (!site)
            continue;
        for (unsigned s = 0; s < STATES; s++) {
            all += (double)b->exclusive[s];
            most = b->exclusive[s] > b->exclusive[most] ? s : most;
        }
        double rest = all > 0 ? 1 - fmin(b->exclusive_cost.ns / all, 1) : 0;
        jspot spot = {site->context, site->line, HSC_NO_INDEX};
        for (unsigned s = 0; ok && s < STATES; s++) /* not known: no wrapper was active */
            ok = !b->exclusive[s] || HSC_PUSH(*time, (jamount){thread, s ? s : HSC_state_COMPUTATION, spot, (double)b->exclusive[s] * rest});
        ok = ok && (!b->visits || HSC_PUSH(*visits, (jamount){thread, most ? most : HSC_state_COMPUTATION, spot, (double)b->visits}));
    }
    return ok;
}

hsc_status hsc_join_add_probes(join *j, hsc_err *err) {
    jamounts time = {0}, visits = {0};
    hsc_status status = HSC_OK;
    for (size_t i = 0; status == HSC_OK && i < j->run.n; i++) {
        jprocess *p = j->run.p[i];
        bool ok = true;
        status = hsc_join_open_details(j, p, err);
        for (size_t k = 0; status == HSC_OK && ok && p->told && k < p->told->threads.n; k++) {
            uint32_t thread = hsc_join_thread_row(p, p->told->threads.p[k].id);
            ok = thread == HSC_NO_INDEX || take_thread(p, &p->told->threads.p[k], thread, &time, &visits);
        }
        if (status == HSC_OK)
            hsc_join_close_details(p);
        status = ok ? status : hsc_join_no_memory(err);
    }
    if (status == HSC_OK && !(hsc_join_add_metric(j, &(jadded){"probe time", "s", 1e-9, 1, 10}, &time) &&
                              hsc_join_add_metric(j, &(jadded){"probe visits", "", 1, 1, 10}, &visits)))
        status = hsc_join_no_memory(err);
    free(time.p);
    free(visits.p);
    return status;
}
