/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Category of every calling context, by the rules of categories.def. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "join_internal.h"

enum what { PROCEDURE, WORKER, MODULE };
enum strength { SOFT, STRONG };

static const struct rule {
    enum what what;
    const char *pattern;
    uint8_t state;
    enum strength strength;
} rules[] = {
#define HSC_RULE(what, pattern, state, strength) {what, pattern, HSC_state_##state, strength},
#include "categories.def"
#undef HSC_RULE
};

#define RULES (sizeof rules / sizeof *rules)

typedef struct verdict {
    uint8_t state; /* 0: no rule */
    uint8_t strong;
} verdict;

/* What the C library calls `read` inside: __read, __libc_read, __GI___libc_read. */
static const char *public_name(const char *procedure) {
    if (!strncmp(procedure, "__GI_", 5))
        procedure += 5;
    if (!strncmp(procedure, "__libc_", 7))
        return procedure + 7;
    return procedure[0] == '_' && procedure[1] == '_' ? procedure + 2 : procedure;
}

static verdict find_rule(const char *procedure, const char *module, bool worker) {
    const char *other = public_name(procedure);
    for (size_t i = 0; i < RULES; i++) {
        bool hit = !fnmatch(rules[i].pattern, rules[i].what == PROCEDURE ? procedure : module, 0);
        if (rules[i].what == WORKER && !worker)
            hit = false;
        if (hit || (other != procedure && rules[i].what == PROCEDURE && !fnmatch(rules[i].pattern, other, 0)))
            return (verdict){rules[i].state, rules[i].strength == STRONG};
    }
    return (verdict){0};
}

static bool is_thread_start(const char *linkage) {
    return !strcmp(linkage, "start_thread") || !strncmp(linkage, "clone", 5) || !strncmp(linkage, "__clone", 7) ||
           !strcmp(linkage, "thread_start");
}

hsc_status hsc_join_classify(join *j, hsc_err *err) {
    size_t n = j->contexts.n;
    verdict *of_scope = calloc(j->scopes.n, sizeof *of_scope), *of_context = calloc(n, sizeof *of_context);
    uint8_t *known = calloc(j->scopes.n, 1);
    hsc_status status = of_scope && of_context && known && HSC_RESERVE(j->context_categories, n) ? HSC_OK
                                                                                                  : hsc_join_no_memory(err);
    if (status == HSC_OK && n)
        of_context[0].state = HSC_state_COMPUTATION;
    for (size_t c = 1; c < n && status == HSC_OK; c++) {
        const jcontext *at = &j->contexts.p[c];
        const jscope *s = &j->scopes.p[at->scope];
        verdict up = of_context[at->parent];
        of_context[c] = up;
        if (at->kind != HSC_CONTEXT_PROCEDURE && at->kind != HSC_CONTEXT_INLINED)
            continue;
        const char *caller_name = j->scopes.p[j->contexts.p[at->parent].scope].linkage;
        uint8_t way = is_thread_start(caller_name) ? 2 : 1; /* a scope's verdict differs by how it is entered */
        if (known[at->scope] != way) {
            const char *path = j->modules.p[s->module].path, *slash = strrchr(path, '/');
            of_scope[at->scope] = find_rule(s->linkage, slash ? slash + 1 : path, way == 2);
            known[at->scope] = way;
        }
        verdict own = of_scope[at->scope];
        uint32_t caller = j->scopes.p[j->contexts.p[at->parent].scope].module;
        const jmodule *m = &j->modules.p[s->module];
        if (own.state && (own.strong || !up.strong))
            of_context[c] = own;
        else if (!own.state && caller != s->module && (m->is_main || m->tables.knowledge == HSC_KNOWN_MAP))
            of_context[c] = (verdict){HSC_state_COMPUTATION, 0};
    }
    for (size_t c = 0; c < n && status == HSC_OK; c++)
        j->context_categories.p[c] = (uint8_t)(of_context[c].state - 1);
    j->context_categories.n = status == HSC_OK ? n : 0;
    free(of_scope);
    free(of_context);
    free(known);
    return status;
}
