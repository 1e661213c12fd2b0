/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints what the optimiser said: below the loop, call or procedure that it said it of. */
#include "map_remarks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_words.h"

#define MARGIN 12
#define COPIES_MAX 16u /* of copies in copies, in a map that may be damaged */
#define PLACES 3u      /* of equal lines whose copies are told */

/* ---- lines that are one but for the copy that they were said of ---- */

typedef struct said {
    char *text;
    uint64_t inline_id, count; /* 0: the function's own code, or several copies */
    const char *what;          /* that `count` counts */
    size_t alike, at;          /* how many are, with it as the first, and where these are sorted; 0: it is told with another one */
} said;

typedef struct lines {
    said *p;
    size_t n, room;
    FILE *f; /* the one under way; NULL: no memory, it goes out by itself */
    char *text;
    size_t size;
} lines;

static FILE *begin_line(lines *l) {
    l->f = NULL;
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 16;
        said *p = realloc(l->p, room * sizeof *p);
        l->p = p ? p : l->p;
        l->room = p ? room : l->room;
    }
    l->text = NULL;
    if (l->n < l->room)
        l->f = open_memstream(&l->text, &l->size);
    return l->f ? l->f : stdout;
}

/* "at 12:3 into main": where the copy is. */
static void print_place(const hsc_map_module *m, uint64_t inline_id) {
    const char *word = "at";
    for (unsigned n = 0; inline_id && n < COPIES_MAX; n++) {
        const hsc_rec_inline *c = &m->inlines[inline_id - 1];
        printf("%s %" PRIu64 ":%" PRIu64, word, c->line, c->column);
        word = ", at";
        inline_id = c->parent_id;
        if (!inline_id && c->function_id)
            printf(" into %s", m->procedures[c->function_id - 1].name.p);
    }
}

static void print_one(const hsc_map_module *m, const said *s) {
    if (s->text)
        fputs(s->text, stdout);
    if (s->count > 1)
        printf(" (%" PRIu64 " %s)", s->count, s->what);
    if (s->inline_id) {
        fputs(" (copy inlined ", stdout);
        print_place(m, s->inline_id);
        fputs(")", stdout);
    }
    fputs("\n", stdout);
}

static void end_line(const hsc_map_module *m, lines *l, uint64_t inline_id, uint64_t count, const char *what) {
    said s = {.inline_id = inline_id, .count = count, .what = what};
    if (l->f && !fclose(l->f)) {
        s.text = l->text;
        l->p[l->n++] = s;
    } else {
        free(l->f ? l->text : NULL);
        print_one(m, &s);
    }
}

static int by_text(const void *a, const void *b) {
    const said *x = *(const said *const *)a, *y = *(const said *const *)b;
    if (!x->inline_id != !y->inline_id)
        return x->inline_id ? -1 : 1;
    int order = x->inline_id ? strcmp(x->text, y->text) : 0;
    return order ? order : (x > y) - (x < y);
}

/* n that are alike, in the order in which they were said. */
static void print_all(const hsc_map_module *m, said *const *alike, size_t n) {
    uint64_t times = 0;
    size_t told = n < PLACES ? n : PLACES;
    for (size_t i = 0; i < n; i++)
        times += alike[i]->count > 1 ? alike[i]->count : 1;
    printf("%s (%zu copies", alike[0]->text, n);
    if (times > n)
        printf(", %" PRIu64 " times", times);
    for (size_t i = 0; i < told; i++) {
        fputs(i ? "; " : ", inlined ", stdout);
        print_place(m, alike[i]->inline_id);
    }
    if (told < n)
        printf("; %zu more", n - told);
    fputs(")\n", stdout);
}

/* Each where it, or the first that is alike, was said; without memory for that each by itself. */
static void print_lines(const hsc_map_module *m, lines *l) {
    said **sorted = malloc((l->n + 1) * sizeof *sorted);
    for (size_t i = 0; i < l->n; i++) {
        l->p[i].alike = 1;
        if (sorted)
            sorted[i] = &l->p[i];
    }
    if (sorted)
        qsort(sorted, l->n, sizeof *sorted, by_text);
    for (size_t i = 0, k; sorted && i < l->n && sorted[i]->inline_id; i = k) {
        for (k = i + 1; k < l->n && sorted[k]->inline_id && !strcmp(sorted[i]->text, sorted[k]->text); k++)
            sorted[k]->alike = 0;
        sorted[i]->alike = k - i;
        sorted[i]->at = i;
    }
    for (size_t i = 0; i < l->n; i++) {
        if (l->p[i].alike == 1)
            print_one(m, &l->p[i]);
        else if (l->p[i].alike)
            print_all(m, sorted + l->p[i].at, l->p[i].alike);
    }
    for (size_t i = 0; i < l->n; i++)
        free(l->p[i].text);
    free(sorted);
    free(l->p);
    *l = (lines){0};
}

/* ---- what they say ---- */

static const char *of_enum(const char *name, uint64_t value) {
    const char *text = hsc_enum_text(name, value);
    return text ? text : "?";
}

/* Is it the end of a copy, while others of the loop have code? */
static bool is_of_one_copy(const hsc_map_module *m, const hsc_rec_remark *r) {
    bool any = false;
    for (size_t i = 0; i < m->n_instances && r->site_id && !strcmp(r->pass.p, "loop-delete") && !any; i++)
        any = m->instances[i].loop_id == r->site_id && m->instances[i].version != HSC_loop_version_LIBRARY_CALL;
    return any;
}

/* `file_id`: the one that is named above. */
static void say_remark(const hsc_map_module *m, lines *l, const hsc_rec_remark *r, uint64_t file_id, const char *before) {
    FILE *f = begin_line(l);
    fprintf(f, "%*s  %s", MARGIN, "", before);
    if (r->line && r->file_id && r->file_id != file_id)
        fprintf(f, "%s:", hsc_map_file_name(m->files[r->file_id - 1].path.p));
    if (r->line)
        fprintf(f, "%" PRIu64 ":%" PRIu64 ": ", r->line, r->column);
    fprintf(f, "%s%.*s [%s%s%s]", is_of_one_copy(m, r) ? "of one copy: " : "", (int)strcspn(r->message.p, "\n"), r->message.p, r->pass.p, r->reason ? ": " : "",
            r->reason ? of_enum("reason", r->reason) : "");
    end_line(m, l, r->inline_id, r->count, "times");
}

static void say_dependence(const hsc_map_module *m, lines *l, const hsc_rec_dependence *d) {
    static const char *const first[] = {"written", "read", "written", "read"};
    static const char *const then[] = {"read", "written", "written", "read"};
    const char *kind = of_enum("dependence_kind", d->kind);
    FILE *f = begin_line(l);
    fprintf(f, "%*s  %" PRIu64 ":%" PRIu64 ": %.*s dependence", MARGIN, "", d->source_line, d->source_column, (int)strcspn(kind, ":"), kind);
    if (d->kind < 4)
        fprintf(f, ", %s here, %s at %" PRIu64 ":%" PRIu64, first[d->kind], then[d->kind], d->sink_line, d->sink_column);
    if (!d->has_distance)
        fprintf(f, " at an unknown distance");
    else if (d->distance)
        fprintf(f, " %" PRIu64 " iteration%s later", d->distance, d->distance == 1 ? "" : "s");
    else
        fprintf(f, " in the same iteration");
    fprintf(f, "; %s", of_enum("dependence_verdict", d->verdict));
    end_line(m, l, d->inline_id, d->count, "copies");
}

static void say_check(const hsc_map_module *m, lines *l, const hsc_rec_memory_check *c) {
    FILE *f = begin_line(l);
    fprintf(f, "%*s  %" PRIu64 " comparison%s of addresses at run time, of the accesses at", MARGIN, "", c->comparisons,
            c->comparisons == 1 ? "" : "s");
    for (size_t i = 0; i < c->lines.n; i++)
        fprintf(f, "%s %" PRIu64 ":%" PRIu64, i ? "," : "", c->lines.p[i], i < c->columns.n ? c->columns.p[i] : 0);
    end_line(m, l, c->inline_id, c->count, "copies");
}

void hsc_map_print_loop_remarks(const hsc_map_module *m, uint64_t loop_id, uint64_t file_id) {
    lines l = {0};
    for (size_t i = 0; i < m->n_remarks; i++)
        if (m->remarks[i].site_id == loop_id)
            say_remark(m, &l, &m->remarks[i], file_id, "");
    for (size_t i = 0; i < m->n_dependences; i++)
        if (m->dependences[i].loop_id == loop_id)
            say_dependence(m, &l, &m->dependences[i]);
    for (size_t i = 0; i < m->n_memory_checks; i++)
        if (m->memory_checks[i].loop_id == loop_id)
            say_check(m, &l, &m->memory_checks[i]);
    print_lines(m, &l);
}

void hsc_map_print_procedure_remarks(const hsc_map_module *m, uint64_t procedure_id) {
    char before[256];
    lines l = {0};
    for (size_t i = 0; i < m->n_callsites; i++) {
        const hsc_rec_callsite *c = &m->callsites[i];
        if (c->procedure_id != procedure_id)
            continue;
        snprintf(before, sizeof before, "call of %s: ", c->callee.n ? c->callee.p : "what a pointer points to");
        for (size_t k = 0; k < m->n_remarks; k++)
            if (m->remarks[k].site_id == c->callsite_id)
                say_remark(m, &l, &m->remarks[k], c->file_id, before);
    }
    for (size_t k = 0; k < m->n_remarks; k++)
        if (!m->remarks[k].site_id && m->remarks[k].attachment == HSC_remark_attachment_PROCEDURE &&
            m->remarks[k].procedure_id == procedure_id)
            say_remark(m, &l, &m->remarks[k], procedure_id ? m->procedures[procedure_id - 1].file_id : 0, "");
    print_lines(m, &l);
}

void hsc_map_print_other_remarks(const hsc_map_module *m) {
    char before[512];
    lines l = {0};
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
        say_remark(m, &l, r, 0, before);
    }
    print_lines(m, &l);
}
