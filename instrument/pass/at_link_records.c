/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A module of many units mentions few of their loops and calls: only these are written, with ids that are dense again.
 */
#include "at_link.h"

#include <stdlib.h>

typedef struct pruning {
    hsc_pass *p;
    uint32_t *files, *procedures, *sites; /* by id: 1 when needed, later the new id */
} pruning;

static void need_file(pruning *w, uint64_t id) {
    w->files[id] = id != 0;
}

static void need_procedure(pruning *w, uint64_t id) {
    while (id && !w->procedures[id]) {
        const hsc_rec_procedure *r = &w->p->procedures.p[id - 1];
        w->procedures[id] = 1;
        need_file(w, r->file_id);
        need_procedure(w, r->origin_id);
        id = r->parent_id;
    }
}

static void need_site(pruning *w, uint64_t id) {
    while (id && !w->sites[id]) {
        const hsc_site *s = &w->p->sites.p[id - 1];
        w->sites[id] = 1;
        if (s->is_loop) {
            const hsc_rec_loop *r = &w->p->loops.p[s->index];
            need_procedure(w, r->procedure_id);
            need_file(w, r->file_id);
            id = r->parent_id;
        } else {
            const hsc_rec_callsite *r = &w->p->callsites.p[s->index];
            need_procedure(w, r->procedure_id);
            need_file(w, r->file_id);
            id = r->loop_id;
        }
    }
}

static void number(uint32_t *ids, size_t n) {
    uint32_t next = 0;
    for (size_t i = 1; i <= n; i++)
        ids[i] = ids[i] ? ++next : 0;
}

static void find_needed(pruning *w) {
    hsc_pass *p = w->p;
    for (size_t i = 0; i < p->instances.n; i++) {
        need_procedure(w, p->instances.p[i].function_id);
        need_site(w, p->instances.p[i].loop_id);
    }
    for (size_t i = 0; i < p->inlines.n; i++) {
        need_procedure(w, p->inlines.p[i].function_id);
        need_procedure(w, p->inlines.p[i].callee_id);
        need_site(w, p->inlines.p[i].site_id);
        need_file(w, p->inlines.p[i].file_id);
    }
    for (size_t i = 0; i < p->places.n; i++) {
        need_procedure(w, p->places.p[i].function_id);
        need_site(w, p->places.p[i].site_id);
    }
    for (size_t i = 0; i < p->why.remarks.n; i++) {
        need_procedure(w, p->why.remarks.p[i].procedure_id);
        need_site(w, p->why.remarks.p[i].site_id);
        need_file(w, p->why.remarks.p[i].file_id);
    }
    for (size_t i = 0; i < p->why.dependences.n; i++) {
        const hsc_rec_dependence *r = &p->why.dependences.p[i];
        need_site(w, r->loop_id);
        need_procedure(w, r->procedure_id);
        need_file(w, r->source_file_id);
        need_file(w, r->sink_file_id);
    }
    for (size_t i = 0; i < p->why.memory_checks.n; i++) {
        need_site(w, p->why.memory_checks.p[i].loop_id);
        need_procedure(w, p->why.memory_checks.p[i].procedure_id);
        need_file(w, p->why.memory_checks.p[i].file_id);
    }
}

/* Moves the needed records of a table to its front. */
#define KEEP(table, ids, id_field)                                                                                     \
    do {                                                                                                               \
        size_t kept = 0;                                                                                               \
        for (size_t i = 0; i < p->table.n; i++)                                                                        \
            if ((ids)[p->table.p[i].id_field])                                                                         \
                p->table.p[kept++] = p->table.p[i];                                                                    \
        p->table.n = kept;                                                                                             \
    } while (0)

#define MOVE(table, field, ids)                                                                                        \
    for (size_t i = 0; i < p->table.n; i++)                                                                            \
    p->table.p[i].field = (ids)[p->table.p[i].field]

void hsc_link_prune(hsc_pass *p) {
    pruning w = {.p = p};
    w.files = hsc_pass_alloc((p->files.n + 1) * sizeof *w.files);
    w.procedures = hsc_pass_alloc((p->procedures.n + 1) * sizeof *w.procedures);
    w.sites = hsc_pass_alloc((p->sites.n + 1) * sizeof *w.sites);
    find_needed(&w);
    w.files[0] = 0;
    number(w.files, p->files.n);
    number(w.procedures, p->procedures.n);
    number(w.sites, p->sites.n);
    KEEP(files, w.files, file_id);
    KEEP(procedures, w.procedures, procedure_id);
    KEEP(loops, w.sites, loop_id);
    KEEP(callsites, w.sites, callsite_id);
    MOVE(files, file_id, w.files);
    MOVE(procedures, procedure_id, w.procedures);
    MOVE(procedures, file_id, w.files);
    MOVE(procedures, parent_id, w.procedures);
    MOVE(procedures, origin_id, w.procedures);
    MOVE(loops, loop_id, w.sites);
    MOVE(loops, procedure_id, w.procedures);
    MOVE(loops, parent_id, w.sites);
    MOVE(loops, file_id, w.files);
    MOVE(callsites, callsite_id, w.sites);
    MOVE(callsites, procedure_id, w.procedures);
    MOVE(callsites, loop_id, w.sites);
    MOVE(callsites, file_id, w.files);
    MOVE(instances, function_id, w.procedures);
    MOVE(instances, loop_id, w.sites);
    MOVE(inlines, function_id, w.procedures);
    MOVE(inlines, callee_id, w.procedures);
    MOVE(inlines, site_id, w.sites);
    MOVE(inlines, file_id, w.files);
    MOVE(places, function_id, w.procedures);
    MOVE(places, site_id, w.sites);
    MOVE(why.remarks, procedure_id, w.procedures);
    MOVE(why.remarks, site_id, w.sites);
    MOVE(why.remarks, file_id, w.files);
    MOVE(why.dependences, loop_id, w.sites);
    MOVE(why.dependences, procedure_id, w.procedures);
    MOVE(why.dependences, source_file_id, w.files);
    MOVE(why.dependences, sink_file_id, w.files);
    MOVE(why.memory_checks, loop_id, w.sites);
    MOVE(why.memory_checks, procedure_id, w.procedures);
    MOVE(why.memory_checks, file_id, w.files);
    free(w.files);
    free(w.procedures);
    free(w.sites);
}
