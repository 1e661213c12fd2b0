/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether threads have the values that they had when the database that is there was made. What they count in follows from their
 * files, which have seals, and from what each frame (a call path of addresses) became: its path of contexts, its line,
 * its instance, its instruction. Contexts are compared by their paths, so new ones between them change no other table. */
#include <stdlib.h>
#include <string.h>

#include "made.h"

static uint64_t mix(uint64_t hash, uint64_t v) {
    hash = (hash ^ v) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* Of each context: a hash of what it and those above it are; from malloc, NULL: no memory. */
static uint64_t *hash_contexts(const join *j) {
    uint64_t *of = malloc((j->contexts.n + 1) * sizeof *of);
    for (size_t c = 0; of && c < j->contexts.n; c++) { /* a parent stands before its children */
        const jcontext *x = &j->contexts.p[c];
        uint64_t above = c && x->parent < c ? of[x->parent] : 1;
        of[c] = mix(mix(above, (uint64_t)x->scope << 32 | x->call_line), (uint64_t)x->kind << 8 | j->context_categories.p[c]);
    }
    return of;
}

static void add_words(hsc_sealer *s, const uint64_t *words, size_t n) { hsc_seal_add(s, words, n * sizeof *words); }

static void add_metrics(const join *j, hsc_sealer *s) {
    for (size_t i = 0; i < j->metrics.n; i++) {
        const jmetric *m = &j->metrics.p[i];
        uint64_t words[] = {0, m->exact, m->is_added, m->weights, m->weights_of, strlen(m->name)};
        memcpy(&words[0], &m->scale, sizeof m->scale);
        add_words(s, words, sizeof words / sizeof *words);
        hsc_seal_add(s, m->name, strlen(m->name));
    }
}

/* What each frame became, by what it is: its rows are others where files are read in another order. */
static bool list_frames(const join *j, const uint64_t *paths, jsame *to) {
    if (!HSC_RESERVE(to->frames, j->frames.n + 1))
        return false;
    for (size_t i = 0; i < j->frames.n; i++) { /* a caller stands before what it calls */
        const jframe *f = &j->frames.p[i];
        const jplace *p = f->place < j->places.n ? &j->places.p[f->place] : NULL;
        jsame_frame *x = &to->frames.p[to->frames.n++];
        uint64_t instance = p && p->module < j->modules.n && p->instance < j->modules.p[p->module].instance_rows.n
                                ? j->modules.p[p->module].instance_rows.p[p->instance]
                                : HSC_NO_INDEX;
        *x = (jsame_frame){.key = f->parent < i ? to->frames.p[f->parent].key : 1, .instruction = p ? p->instruction : HSC_NO_INDEX,
                            .has_context = f->context < j->contexts.n};
        x->key = mix(mix(x->key, p ? (uint64_t)p->module << 2 | (uint64_t)p->exact << 1 | f->truncated : UINT64_MAX - f->truncated), p ? p->address : 0);
        x->became = mix(mix(f->context < j->contexts.n ? paths[f->context] : f->context, p ? (uint64_t)p->line_row << 32 | instance : 0), p ? p->level : 0);
    }
    return true;
}

/* What the tables are, and what frames became. */
static bool describe(const join *j, jsame *to) {
    uint64_t *paths = hash_contexts(j);
    hsc_sealer general, contexts, instructions;
    bool ok = paths && list_frames(j, paths, to);
    if (ok) {
        hsc_made_begin_seal(j, &general, HSC_SEAL_ROWS, (const uint64_t[]){0, 0});
        hsc_made_begin_seal(j, &contexts, HSC_SEAL_ROWS, (const uint64_t[]){1, j->contexts.n});
        hsc_made_begin_seal(j, &instructions, HSC_SEAL_ROWS, (const uint64_t[]){2, hsc_join_instruction_rows(j)});
        const uint64_t sizes[] = {j->lines.n, j->scopes.n, j->instances.n, j->categories.n, j->metrics.n, j->modules.n, j->period_ns, j->no_path_scope};
        add_words(&general, sizes, sizeof sizes / sizeof *sizes);
        add_metrics(j, &general);
        for (size_t i = 0; i < j->modules.n; i++)
            hsc_seal_add(&general, j->modules.p[i].build_id, j->modules.p[i].build_id_size);
        for (size_t i = 0; i < j->scopes.n; i++)
            hsc_seal_add(&general, &j->scopes.p[i].parent, sizeof j->scopes.p[i].parent);
        hsc_seal_add(&contexts, paths, j->contexts.n * sizeof *paths);
        to->general = hsc_seal_end(&general);
        to->contexts = hsc_seal_end(&contexts);
        to->instructions = hsc_seal_end(&instructions);
    }
    free(paths);
    return ok;
}

bool hsc_same_seal_times(const join *j, const jsame_leaf *leaves, size_t n, uint32_t bin, hsc_seal *seal) {
    uint64_t *paths = hash_contexts(j);
    if (!paths)
        return false;
    hsc_sealer s;
    hsc_made_begin_seal(j, &s, HSC_SEAL_ROWS, (const uint64_t[]){3, n});
    add_words(&s, (const uint64_t[]){j->origin_ns, j->tick_ns, bin}, 3);
    for (size_t i = 0; i < n; i++) {
        const jsame_leaf *l = &leaves[i];
        uint32_t scope = j->contexts.p[l->context].scope;
        uint64_t address = 0; /* rows of instructions change with procedures that become hot */
        uint32_t module = hsc_join_find_instruction(j, l->instruction, &address);
        const uint64_t words[] = {paths[l->context], (uint64_t)l->line << 32 | l->instance, (uint64_t)l->metric << 8 | l->category, module, address,
                                  (uint64_t)scope << 32 | (scope < j->scopes.n ? j->scopes.p[scope].procedure : HSC_NO_INDEX)};
        add_words(&s, words, sizeof words / sizeof *words);
    }
    *seal = hsc_seal_end(&s);
    free(paths);
    return true;
}

/* Whether all frames that were became the same; *instructions: also the same instructions. */
static bool compare_frames(const join *j, const jsame *now, const jsame *then, bool *instructions) {
    /* of threads of a region, samples count where it was forked, so their frames may have none of their own */
    bool all = j->threads.n != j->run.n && !hsc_seal_equal(now->contexts, then->contexts);
    hsc_table rows = {0};
    bool same = true;
    *instructions = true;
    for (size_t i = 0; same && i < now->frames.n; i++) {
        uint32_t *at = hsc_table_at(&rows, now->frames.p[i].key, 0);
        same = at && *at == HSC_NO_INDEX; /* two of one key can't be told apart */
        if (same)
            *at = (uint32_t)i;
    }
    for (size_t i = 0; same && i < then->frames.n; i++) {
        const jsame_frame *old = &then->frames.p[i];
        if (!old->has_context && !all)
            continue;
        uint32_t row = hsc_table_get(&rows, old->key, 0);
        same = row != HSC_NO_INDEX && now->frames.p[row].became == old->became;
        *instructions = *instructions && same && now->frames.p[row].instruction == old->instruction;
    }
    hsc_table_fini(&rows);
    return same;
}

/* Seals of the run's files, in its order; false: not all have one, or no memory. */
static bool list_files(const join *j, jsame *to) {
    hsc_table rows = {0}; /* of seals, by path: files were put in another order since */
    bool ok = j->sealed != NULL;
    for (size_t i = 0; ok && i < j->processes.n; i++) {
        uint32_t *at = hsc_table_at(&rows, (uintptr_t)j->sealed[i].path, 0);
        ok = at != NULL;
        if (ok)
            *at = (uint32_t)i;
    }
    for (size_t i = 0; ok && i < j->run.n; i++) {
        uint32_t row = hsc_table_get(&rows, (uintptr_t)j->run.p[i]->path, 0);
        ok = row != HSC_NO_INDEX && j->sealed[row].is_good && HSC_PUSH(to->processes, j->sealed[row].seal);
        if (ok)
            to->processes.p[i].s[0] ^= j->run.p[i]->waited; /* what its samples in calls are follows from others' files too */
    }
    hsc_table_fini(&rows);
    return ok;
}

bool hsc_same_make(const join *j, jsame *now) {
    now->threads = j->threads.n;
    return !j->team && j->key && list_files(j, now) && describe(j, now);
}

uint32_t hsc_same_threads(const join *j, jsame *then) {
    jsame now = {0};
    bool same = then->threads && then->threads <= j->threads.n && then->processes.n && then->processes.n <= j->run.n && list_files(j, &now);
    same = same && !memcmp(now.processes.p, then->processes.p, then->processes.n * sizeof *then->processes.p);
    size_t processes = then->processes.n;
    bool instructions = false;
    same = same && j->threads.p[then->threads - 1]->process == j->run.p[processes - 1] &&
           (then->threads == j->threads.n || j->threads.p[then->threads]->process != j->run.p[processes - 1]) && describe(j, &now) &&
           hsc_seal_equal(now.general, then->general) && compare_frames(j, &now, then, &instructions);
    then->has_contexts = same && hsc_seal_equal(now.contexts, then->contexts);
    then->has_instructions = same && instructions && hsc_seal_equal(now.instructions, then->instructions);
    hsc_same_fini(&now);
    return same ? (uint32_t)then->threads : 0;
}

bool hsc_same_table(const join *j, const jsame *then, uint32_t metric, hsc_db_table table) {
    return !j->metrics.p[metric].is_added && (table != HSC_TABLE_CONTEXT_EXCL || then->has_contexts) &&
           (table != HSC_TABLE_INSTRUCTION || then->has_instructions);
}

void hsc_same_fini(jsame *s) {
    free(s->processes.p);
    free(s->frames.p);
    *s = (jsame){0};
}
