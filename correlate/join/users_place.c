/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the user's own code does what is counted and timed in headers of the system (std::mutex) and in libraries of a language, and what the compiler
 * wrote without lines. */
#include <stdlib.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/source_path.h>

#include "join_internal.h"

/* The runtime of OpenMP or the library of a language: the program calls it by words of the language. */
static bool is_of_language(const char *path) {
    hsc_library_role role = hsc_library_role_of(path);
    return role == HSC_LIBRARY_LANGUAGE || hsc_library_is_openmp(role);
}

static bool is_in_header(const join *j, uint32_t file) { return file < j->files.n && hsc_system_header(j->files.p[file].path); }

/* The runtime of a compiler in the program's own file. */
static bool is_linked_runtime(const join *j, uint32_t procedure) {
    return procedure < j->scopes.n && j->scopes.p[procedure].knowledge != HSC_KNOWN_MAP && hsc_is_linked_runtime(j->scopes.p[procedure].name);
}

static bool is_in_runtime(const join *j, const jmodule *m, const jplace *p) {
    const hsc_code_element *e = p->element_count ? m->elements.p + p->element_begin : NULL;
    return e && e->kind == HSC_ELEMENT_PROCEDURE && is_linked_runtime(j, m->procedure_scopes.p[e->index]);
}

void hsc_join_mark_users(join *j) {
    for (size_t i = 0; i < j->scopes.n; i++) {
        jscope *s = &j->scopes.p[i];
        bool own = s->knowledge == HSC_KNOWN_MAP || (s->module < j->modules.n && j->modules.p[s->module].is_main);
        s->is_own = s->kind >= HSC_SCOPE_PROCEDURE && own && !is_linked_runtime(j, s->kind == HSC_SCOPE_PROCEDURE ? (uint32_t)i : s->procedure);
        s->is_users = s->is_own && !is_in_header(j, s->file);
    }
    for (size_t i = 0; i < j->places.n; i++) {
        jplace *p = &j->places.p[i];
        const jmodule *m = &j->modules.p[p->module];
        p->is_inner = is_of_language(m->path) || is_in_runtime(j, m, p) || (p->line_row != HSC_NO_INDEX && is_in_header(j, j->lines.p[p->line_row].file));
    }
}

void hsc_join_users_place(const join *j, const jcontext *contexts, const jplace *place, uint32_t *context, uint32_t *line) {
    uint32_t of = *line;
    for (uint32_t at = place->is_inner ? *context : 0; at; at = contexts[at].parent) {
        const jscope *s = &j->scopes.p[contexts[at].scope];
        /* of a procedure that is known by line tables alone no declaration is: then the line tells whose it is */
        if (s->is_users && (s->line_begin || of >= j->lines.n || !is_in_header(j, j->lines.p[of].file))) {
            *context = at;
            *line = of;
            return;
        }
        of = contexts[at].call_line;
    }
}

static bool is_without_line(const jscope *s) { return s->kind == HSC_SCOPE_LOOP && s->knowledge == HSC_KNOWN_MAP && !s->line_begin; }

/* The line of the call of what the context's loop is in, inlined or not; HSC_NO_INDEX: none is known. */
static uint32_t line_of_call(const join *j, uint32_t at) {
    while (at && j->contexts.p[at].kind == HSC_CONTEXT_LOOP)
        at = j->contexts.p[at].parent;
    return at ? j->contexts.p[at].call_line : HSC_NO_INDEX;
}

bool hsc_join_place_loops(join *j) {
    const uint32_t none_yet = HSC_NO_INDEX - 1;
    uint32_t *found = malloc((j->scopes.n + 1) * sizeof *found), *in = malloc((j->scopes.n + 1) * sizeof *in);
    if (!found || !in) {
        free(found);
        free(in);
        return false;
    }
    for (size_t i = 0; i < j->scopes.n; i++)
        found[i] = in[i] = none_yet;
    for (uint32_t c = 0; c < j->contexts.n; c++) {
        uint32_t scope = j->contexts.p[c].scope;
        if (scope >= j->scopes.n || !is_without_line(&j->scopes.p[scope]))
            continue;
        uint32_t line = line_of_call(j, c), file = line < j->lines.n && j->lines.p[line].line ? j->lines.p[line].file : HSC_NO_INDEX;
        in[scope] = in[scope] == none_yet || in[scope] == file ? file : HSC_NO_INDEX;
        found[scope] = found[scope] == none_yet || found[scope] == line ? line : HSC_NO_INDEX;
    }
    for (size_t i = 0; i < j->scopes.n; i++) {
        if (in[i] >= j->files.n)
            continue;
        j->scopes.p[i].file = in[i];
        if (found[i] < j->lines.n)
            j->scopes.p[i].line_begin = j->scopes.p[i].line_end = j->lines.p[found[i]].line;
    }
    free(found);
    free(in);
    return true;
}
