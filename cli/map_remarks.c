/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints what the optimiser said: below the loop, call or procedure that it said it of. */
#include "map_remarks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "map_words.h"

#define MARGIN 12
#define COPIES_MAX 16u /* of copies in copies, in a map that may be damaged */

/* "inlined at 12:3 into main": where the copy is. */
static void print_copy(const hsc_map_module *m, uint64_t inline_id, uint64_t count, const char *what) {
    if (count > 1)
        printf(" (%" PRIu64 " %s)", count, what);
    const char *word = " (copy inlined at";
    for (unsigned n = 0; inline_id && n < COPIES_MAX; n++) {
        const hsc_rec_inline *c = &m->inlines[inline_id - 1];
        printf("%s %" PRIu64 ":%" PRIu64, word, c->line, c->column);
        word = ", at";
        inline_id = c->parent_id;
        if (!inline_id && c->function_id)
            printf(" into %s)", m->procedures[c->function_id - 1].name.p);
        else if (!inline_id || n + 1 == COPIES_MAX)
            printf(")");
    }
}

static const char *of_enum(const char *name, uint64_t value) {
    const char *text = hsc_enum_text(name, value);
    return text ? text : "?";
}

/* `file_id`: the one that is named above. */
static void print_remark(const hsc_map_module *m, const hsc_rec_remark *r, uint64_t file_id, const char *before) {
    printf("%*s  %s", MARGIN, "", before);
    if (r->line && r->file_id && r->file_id != file_id)
        printf("%s:", hsc_map_file_name(m->files[r->file_id - 1].path.p));
    if (r->line)
        printf("%" PRIu64 ":%" PRIu64 ": ", r->line, r->column);
    printf("%.*s [%s%s%s]", (int)strcspn(r->message.p, "\n"), r->message.p, r->pass.p, r->reason ? ": " : "",
           r->reason ? of_enum("reason", r->reason) : "");
    print_copy(m, r->inline_id, r->count, "times");
    printf("\n");
}

static void print_dependence(const hsc_map_module *m, const hsc_rec_dependence *d) {
    static const char *const first[] = {"written", "read", "written", "read"};
    static const char *const then[] = {"read", "written", "written", "read"};
    const char *kind = of_enum("dependence_kind", d->kind);
    printf("%*s  %" PRIu64 ":%" PRIu64 ": %.*s dependence", MARGIN, "", d->source_line, d->source_column,
           (int)strcspn(kind, ":"), kind);
    if (d->kind < 4)
        printf(", %s here, %s at %" PRIu64 ":%" PRIu64, first[d->kind], then[d->kind], d->sink_line, d->sink_column);
    if (!d->has_distance)
        printf(" at an unknown distance");
    else if (d->distance)
        printf(" %" PRIu64 " iteration%s later", d->distance, d->distance == 1 ? "" : "s");
    else
        printf(" in the same iteration");
    printf("; %s", of_enum("dependence_verdict", d->verdict));
    print_copy(m, d->inline_id, d->count, "copies");
    printf("\n");
}

static void print_check(const hsc_map_module *m, const hsc_rec_memory_check *c) {
    printf("%*s  %" PRIu64 " comparison%s of addresses at run time, of the accesses at", MARGIN, "", c->comparisons,
           c->comparisons == 1 ? "" : "s");
    for (size_t i = 0; i < c->lines.n; i++)
        printf("%s %" PRIu64 ":%" PRIu64, i ? "," : "", c->lines.p[i], i < c->columns.n ? c->columns.p[i] : 0);
    print_copy(m, c->inline_id, c->count, "copies");
    printf("\n");
}

void hsc_map_print_loop_remarks(const hsc_map_module *m, uint64_t loop_id, uint64_t file_id) {
    for (size_t i = 0; i < m->n_remarks; i++)
        if (m->remarks[i].site_id == loop_id)
            print_remark(m, &m->remarks[i], file_id, "");
    for (size_t i = 0; i < m->n_dependences; i++)
        if (m->dependences[i].loop_id == loop_id)
            print_dependence(m, &m->dependences[i]);
    for (size_t i = 0; i < m->n_memory_checks; i++)
        if (m->memory_checks[i].loop_id == loop_id)
            print_check(m, &m->memory_checks[i]);
}

void hsc_map_print_procedure_remarks(const hsc_map_module *m, uint64_t procedure_id) {
    char before[256];
    for (size_t i = 0; i < m->n_callsites; i++) {
        const hsc_rec_callsite *c = &m->callsites[i];
        if (c->procedure_id != procedure_id)
            continue;
        snprintf(before, sizeof before, "call of %s: ", c->callee.n ? c->callee.p : "what a pointer points to");
        for (size_t k = 0; k < m->n_remarks; k++)
            if (m->remarks[k].site_id == c->callsite_id)
                print_remark(m, &m->remarks[k], c->file_id, before);
    }
    for (size_t k = 0; k < m->n_remarks; k++)
        if (!m->remarks[k].site_id && m->remarks[k].attachment == HSC_remark_attachment_PROCEDURE &&
            m->remarks[k].procedure_id == procedure_id)
            print_remark(m, &m->remarks[k], procedure_id ? m->procedures[procedure_id - 1].file_id : 0, "");
}

void hsc_map_print_other_remarks(const hsc_map_module *m) {
    char before[512];
    bool any = false;
    for (size_t k = 0; k < m->n_remarks; k++) {
        const hsc_rec_remark *r = &m->remarks[k];
        if (r->site_id || r->attachment == HSC_remark_attachment_PROCEDURE)
            continue;
        if (!any)
            printf("  of no loop, call or procedure of the source:\n");
        any = true;
        snprintf(before, sizeof before, "%s, in %s: ", of_enum("remark_attachment", r->attachment),
                 r->procedure_id ? m->procedures[r->procedure_id - 1].name.p : "an unknown procedure");
        print_remark(m, r, 0, before);
    }
}
