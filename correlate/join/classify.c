/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Category of every calling context, by the rules of categories.def. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "join_internal.h"

typedef struct verdict {
    uint8_t state; /* category + 1; 0: no rule */
    uint8_t strong;
    uint8_t what; /* kind of the rule */
} verdict;

/* What the C library calls `read` inside: __read, __libc_read, __GI___libc_read. */
static const char *public_name(const char *procedure) {
    if (!strncmp(procedure, "__GI_", 5))
        procedure += 5;
    if (!strncmp(procedure, "__libc_", 7))
        return procedure + 7;
    return procedure[0] == '_' && procedure[1] == '_' ? procedure + 2 : procedure;
}

static verdict find_rule(const join *j, const char *procedure, const char *module, bool worker) {
    const char *other = public_name(procedure);
    for (size_t i = 0; i < j->rules.n; i++) {
        const jrule *r = &j->rules.p[i];
        bool hit = !fnmatch(r->pattern, r->what == HSC_JOIN_PROCEDURE ? procedure : module, 0);
        if (r->what == HSC_JOIN_WORKER && !worker)
            hit = false;
        if (hit || (other != procedure && r->what == HSC_JOIN_PROCEDURE && !fnmatch(r->pattern, other, 0)))
            return (verdict){(uint8_t)(r->category + 1), r->strong, r->what};
    }
    return (verdict){0};
}

static bool is_thread_start(const char *linkage) {
    return !strcmp(linkage, "start_thread") || !strncmp(linkage, "clone", 5) || !strncmp(linkage, "__clone", 7) ||
           !strcmp(linkage, "thread_start");
}

/* Loops that only look, again and again, at what others write. */
static void mark_waits(const join *j, uint8_t *is_wait) {
    for (size_t i = 0; i < j->remarks.n; i++)
        if (j->remarks.p[i].reason == HSC_reason_WAITS && j->remarks.p[i].scope < j->scopes.n && j->scopes.p[j->remarks.p[i].scope].kind == HSC_SCOPE_LOOP)
            is_wait[j->remarks.p[i].scope] = 1;
}

/* What a runtime of OpenMP, MPI or the dynamic linker reads, writes and allocates is what it takes, and no input, output or memory of the program. Of libraries with a category
 * of the user's it is told as of the program. */
static bool is_libraries_own(const verdict *own, const verdict *up) {
    bool in_library = up->what == HSC_JOIN_WORKER || (up->what == HSC_JOIN_MODULE && (up->state == HSC_state_RUNTIME || up->state == HSC_state_COMMUNICATION));
    return in_library && !own->strong && own->what == HSC_JOIN_PROCEDURE && (own->state == HSC_state_IO || own->state == HSC_state_MEMORY);
}

hsc_status hsc_join_classify(join *j, hsc_err *err) {
    size_t n = j->contexts.n;
    verdict *of_scope = calloc(j->scopes.n, sizeof *of_scope), *of_context = calloc(n, sizeof *of_context);
    uint8_t *known = calloc(j->scopes.n, 1), *is_wait = calloc(j->scopes.n, 1);
    hsc_status status = of_scope && of_context && known && is_wait && HSC_RESERVE(j->context_categories, n) ? HSC_OK
                                                                                                  : hsc_join_no_memory(err);
    if (status == HSC_OK)
        mark_waits(j, is_wait);
    if (status == HSC_OK && n)
        of_context[0].state = HSC_state_COMPUTATION;
    for (size_t c = 1; c < n && status == HSC_OK; c++) {
        const jcontext *at = &j->contexts.p[c];
        const jscope *s = &j->scopes.p[at->scope];
        verdict up = of_context[at->parent];
        of_context[c] = up;
        if (at->kind == HSC_CONTEXT_LOOP && is_wait[at->scope] && up.state == HSC_state_COMPUTATION)
            of_context[c].state = HSC_state_WAITING;
        if (at->kind != HSC_CONTEXT_PROCEDURE && at->kind != HSC_CONTEXT_INLINED)
            continue;
        const char *caller_name = j->scopes.p[j->contexts.p[at->parent].scope].linkage;
        uint8_t way = is_thread_start(caller_name) ? 2 : 1; /* a scope's verdict differs by how it is entered */
        if (known[at->scope] != way) {
            const char *path = j->modules.p[s->module].path, *slash = strrchr(path, '/');
            of_scope[at->scope] = find_rule(j, s->linkage, slash ? slash + 1 : path, way == 2);
            known[at->scope] = way;
        }
        verdict own = of_scope[at->scope];
        uint32_t caller = j->scopes.p[j->contexts.p[at->parent].scope].module;
        const jmodule *m = &j->modules.p[s->module];
        if (own.state && own.what == HSC_JOIN_MODULE && caller == s->module && at->parent)
            continue; /* inside of the library */
        if (is_libraries_own(&own, &up))
            continue;
        if (own.state && (own.strong || !up.strong))
            of_context[c] = own.strong == HSC_JOIN_BODY ? (verdict){own.state, 0, own.what} : own;
        else if (!own.state && caller != s->module && (m->is_main || m->tables.knowledge == HSC_KNOWN_MAP))
            of_context[c] = (verdict){.state = HSC_state_COMPUTATION};
    }
    for (size_t c = 0; c < n && status == HSC_OK; c++)
        j->context_categories.p[c] = (uint8_t)(of_context[c].state - 1);
    j->context_categories.n = status == HSC_OK ? n : 0;
    free(of_scope);
    free(of_context);
    free(known);
    free(is_wait);
    return status;
}
