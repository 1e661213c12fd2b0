/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tells what differs between two matched maps. */
#include "map_diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/remarks.h>

#include "map_match.h"

typedef struct totals {
    size_t procedures, loops, calls, loops_changed;
    size_t procedures_added, procedures_removed, loops_added, loops_removed;
    size_t vector_gained, vector_lost, unroll_gained, unroll_lost, inline_gained, inline_lost, remarks_new,
        remarks_gone, other;
} totals;

typedef struct telling {
    const hsc_map_book *a, *b;
    hsc_map_match m;
    hsc_map_table table;
    totals t;
    const char *file, *symbol; /* of the last headings; NULL: none yet */
    char text[128];            /* of the last loop's or call's heading */
    bool changed;              /* the loop at hand */
} telling;

/* One change. `of`: "loop 12-20", "call of f at 7", "". */
static void tell(telling *t, const hsc_book_procedure *p, const char *change, const char *of, uint64_t line_before,
                 uint64_t line_after, const char *before, const char *after) {
    t->changed = true;
    if (t->table.format != HSC_MAP_TEXT) {
        char lines[2][24];
        snprintf(lines[0], sizeof lines[0], "%" PRIu64, line_before);
        snprintf(lines[1], sizeof lines[1], "%" PRIu64, line_after);
        const char *cells[] = {change,
                               p->file,
                               p->record->name.p,
                               p->record->linkage_name.p,
                               *of ? of : "procedure",
                               line_before ? lines[0] : NULL,
                               line_after ? lines[1] : NULL,
                               before,
                               after};
        hsc_map_table_row(&t->table, cells);
        return;
    }
    if (!t->file || strcmp(t->file, p->file))
        printf("%s%s\n", t->file ? "\n" : "", p->file[0] ? p->file : "(file not known)");
    if (!t->symbol || strcmp(t->symbol, p->record->linkage_name.p) || strcmp(t->file, p->file)) {
        printf("  %s\n", p->record->name.p);
        t->text[0] = 0;
    }
    t->file = p->file;
    t->symbol = p->record->linkage_name.p;
    if (*of && strcmp(t->text, of)) {
        printf("    %s\n", of);
        snprintf(t->text, sizeof t->text, "%s", of);
    }
    printf("      %s", change);
    if (before && after)
        printf(": %s -> %s", before, after);
    else if (before || after)
        printf(": %s", before ? before : after);
    putchar('\n');
}

/* ---- loops ---- */

static bool same_version(const hsc_book_version *x, const hsc_book_version *y) {
    return x->version == y->version && x->width == y->width && x->interleave == y->interleave && x->unroll == y->unroll;
}

/* Are all kinds of code of x among those of y? Where, and how often, is not asked. */
static bool is_covered(const hsc_map_book *a, const hsc_book_loop *x, const hsc_map_book *b, const hsc_book_loop *y) {
    for (uint32_t i = 0; i < x->versions; i++) {
        bool found = false;
        for (uint32_t k = 0; k < y->versions && !found; k++)
            found = same_version(&a->versions.p[x->first_version + i], &b->versions.p[y->first_version + k]);
        if (!found)
            return false;
    }
    return (x->versions == 0) == (y->versions == 0);
}

static const char *version_change(telling *t, const hsc_book_outcome *x, const hsc_book_outcome *y) {
    t->t.vector_gained += !x->vector && y->vector;
    t->t.vector_lost += x->vector && !y->vector;
    bool was = x->unrolled || x->fully, is = y->unrolled || y->fully;
    if (x->vector != y->vector)
        return y->vector ? "vector code gained" : "vector code lost";
    if (x->vector && x->width != y->width)
        return t->t.other++, "vector width changed";
    if (x->vector && x->interleave != y->interleave)
        return t->t.other++, "interleaving changed";
    if (x->vector && x->any_scalar != y->any_scalar)
        return t->t.other++, y->any_scalar ? "scalar fall-back gained" : "scalar fall-back lost";
    t->t.unroll_gained += !was && is;
    t->t.unroll_lost += was && !is;
    if (was != is)
        return is ? "unrolling gained" : "unrolling lost";
    t->t.other++;
    if (x->unrolled && y->unrolled && x->unroll != y->unroll)
        return "unroll factor changed";
    if (x->fully != y->fully)
        return y->fully ? "unrolled fully now" : "no longer unrolled fully";
    if (x->library != y->library)
        return y->library ? "library call gained" : "library call lost";
    if (x->gone != y->gone)
        return y->gone ? "no code left" : "has code now";
    return "versions changed";
}

static bool has_remark(const hsc_map_book *b, uint32_t first, uint32_t count, const hsc_rec_remark *r) {
    for (uint32_t i = 0; i < count; i++) {
        const hsc_rec_remark *o = b->remarks.p[first + i].record;
        char x[2000], y[2000];
        if (o->kind == r->kind && !strcmp(o->pass.p, r->pass.p) && !strcmp(o->name.p, r->name.p) &&
            (o == r || hsc_remark_same_but_places(hsc_map_remark_text(o, x, sizeof x), hsc_map_remark_text(r, y, sizeof y))))
            return true;
    }
    return false;
}

/* Remarks of the first that the second has not. */
static void tell_remarks(telling *t, const hsc_book_procedure *p, const char *of, const hsc_map_book *a,
                         uint32_t first_a, uint32_t count_a, const hsc_map_book *b, uint32_t first_b, uint32_t count_b,
                         bool gone, uint64_t line_a, uint64_t line_b) {
    for (uint32_t i = 0; i < count_a; i++) {
        const hsc_rec_remark *r = a->remarks.p[first_a + i].record;
        char text[2000];
        if (!hsc_map_remark_matters(r) || has_remark(b, first_b, count_b, r) || (i && has_remark(a, first_a, i, r)))
            continue;
        hsc_map_remark_text(r, text, sizeof text);
        *(gone ? &t->t.remarks_gone : &t->t.remarks_new) += 1;
        tell(t, p, gone ? "remark gone" : "remark new", of, line_a, line_b, gone ? text : NULL, gone ? NULL : text);
    }
}

static void name_loop(const hsc_book_loop *x, const hsc_book_loop *y, char *out, size_t size) {
    const hsc_book_loop *l = y ? y : x;
    const char *kind = hsc_enum_text("loop_kind", l->record->kind);
    char was[32] = "";
    if (x && y && x->record->line_begin != y->record->line_begin)
        snprintf(was, sizeof was, " (was %" PRIu64 ")", x->record->line_begin);
    if (l->record->line_end > l->record->line_begin)
        snprintf(out, size, "%s %" PRIu64 "-%" PRIu64 "%s", kind ? kind : "loop", l->record->line_begin,
                 l->record->line_end, was);
    else
        snprintf(out, size, "%s %" PRIu64 "%s", kind ? kind : "loop", l->record->line_begin, was);
}

static void compare_loops(telling *t, const hsc_book_procedure *p, const hsc_book_loop *x, const hsc_book_loop *y) {
    char of[120], before[1000], after[1000];
    uint64_t line_a = x->record->line_begin, line_b = y->record->line_begin;
    name_loop(x, y, of, sizeof of);
    t->changed = false;
    t->t.loops++;
    if (!is_covered(t->a, x, t->b, y) || !is_covered(t->b, y, t->a, x)) {
        hsc_book_outcome ox = hsc_map_outcome(t->a, x), oy = hsc_map_outcome(t->b, y);
        tell(t, p, version_change(t, &ox, &oy), of, line_a, line_b,
             hsc_map_versions_text(t->a, x, false, before, sizeof before),
             hsc_map_versions_text(t->b, y, false, after, sizeof after));
    }
    tell_remarks(t, p, of, t->a, x->first_remark, x->remarks, t->b, y->first_remark, y->remarks, true, line_a, line_b);
    tell_remarks(t, p, of, t->b, y->first_remark, y->remarks, t->a, x->first_remark, x->remarks, false, line_a, line_b);
    t->t.loops_changed += t->changed;
}

static void compare_calls(telling *t, const hsc_book_procedure *p, const hsc_book_call *x, const hsc_book_call *y) {
    char of[120];
    const char *name = x->callee != HSC_NO_INDEX   ? t->a->procedures.p[x->callee].record->name.p
                       : y->callee != HSC_NO_INDEX ? t->b->procedures.p[y->callee].record->name.p
                                                   : y->record->callee.p;
    snprintf(of, sizeof of, "call of %.60s in line %" PRIu64, *name ? name : "a pointer", y->record->line);
    t->t.calls++;
    /* code that was inlined may have gone altogether: then there are neither calls nor copies */
    if ((x->inlined && !y->inlined && y->called) || (y->inlined && !x->inlined && x->called)) {
        *(y->inlined ? &t->t.inline_gained : &t->t.inline_lost) += 1;
        tell(t, p, y->inlined ? "inlining gained" : "inlining lost", of, x->record->line, y->record->line, NULL, NULL);
    }
    tell_remarks(t, p, of, t->a, x->first_remark, x->remarks, t->b, y->first_remark, y->remarks, true, x->record->line,
                 y->record->line);
    tell_remarks(t, p, of, t->b, y->first_remark, y->remarks, t->a, x->first_remark, x->remarks, false, x->record->line,
                 y->record->line);
}

/* ---- procedures ---- */

static void tell_lone_loops(telling *t, const hsc_map_book *book, const hsc_book_procedure *p,
                            const hsc_book_procedure *shown, const uint32_t *other, bool added) {
    for (uint32_t i = 0; i < p->loops; i++) {
        const hsc_book_loop *l = &book->loops.p[p->first_loop + i];
        char of[120], how[1000];
        if (other[p->first_loop + i] != HSC_NO_INDEX)
            continue;
        name_loop(added ? NULL : l, added ? l : NULL, of, sizeof of);
        hsc_map_versions_text(book, l, false, how, sizeof how);
        *(added ? &t->t.loops_added : &t->t.loops_removed) += 1;
        tell(t, shown, added ? "loop added" : "loop removed", of, added ? 0 : l->record->line_begin,
             added ? l->record->line_begin : 0, added ? NULL : how, added ? how : NULL);
    }
}

static void compare_procedures(telling *t, const hsc_book_procedure *x, const hsc_book_procedure *y) {
    t->t.procedures++;
    for (uint32_t i = 0; i < y->loops; i++) {
        uint32_t at = t->m.loop_of_b[y->first_loop + i];
        if (at != HSC_NO_INDEX)
            compare_loops(t, y, &t->a->loops.p[at], &t->b->loops.p[y->first_loop + i]);
    }
    tell_lone_loops(t, t->a, x, y, t->m.loop_of_a, false);
    tell_lone_loops(t, t->b, y, y, t->m.loop_of_b, true);
    for (uint32_t i = 0; i < y->calls; i++) {
        uint32_t at = t->m.call_of_b[y->first_call + i];
        if (at != HSC_NO_INDEX)
            compare_calls(t, y, &t->a->calls.p[at], &t->b->calls.p[y->first_call + i]);
    }
}

static void tell_lone_procedure(telling *t, const hsc_map_book *book, const hsc_book_procedure *p,
                                const uint32_t *loops, bool added) {
    if (p->record->flags & HSC_procedure_flag_DECLARED && !p->loops)
        return;
    *(added ? &t->t.procedures_added : &t->t.procedures_removed) += 1;
    tell(t, p, added ? "procedure added" : "procedure removed", "", added ? 0 : p->record->line_begin,
         added ? p->record->line_begin : 0, NULL, NULL);
    if (added)
        tell_lone_loops(t, book, p, p, loops, added);
    else
        t->t.loops_removed += p->loops;
}

static void put_count(size_t n, const char *text, const char **sep) {
    if (!n)
        return;
    printf("%s%zu %s", *sep, n, text);
    *sep = ", ";
}

static void tell_totals(const telling *t, const char *a_name, const char *b_name) {
    const totals *s = &t->t;
    const char *sep = "";
    printf("%s%s -> %s: %zu procedures, %zu loops and %zu calls compared\n", t->file ? "\n" : "", a_name, b_name,
           s->procedures, s->loops, s->calls);
    put_count(s->vector_gained, "vector code gained", &sep);
    put_count(s->vector_lost, "vector code lost", &sep);
    put_count(s->unroll_gained, "unrolling gained", &sep);
    put_count(s->unroll_lost, "unrolling lost", &sep);
    put_count(s->other, "otherwise changed", &sep);
    put_count(s->inline_gained, "inlining gained", &sep);
    put_count(s->inline_lost, "inlining lost", &sep);
    put_count(s->remarks_new, "remarks new", &sep);
    put_count(s->remarks_gone, "remarks gone", &sep);
    put_count(s->loops_added, "loops added", &sep);
    put_count(s->loops_removed, "loops removed", &sep);
    put_count(s->procedures_added, "procedures added", &sep);
    put_count(s->procedures_removed, "procedures removed", &sep);
    printf("%s\n", *sep ? "" : "no difference");
}

hsc_status hsc_map_diff(const hsc_map_book *a, const hsc_map_book *b, const char *a_name, const char *b_name,
                        hsc_map_format format, hsc_err *err) {
    static const char *const names[] = {"change",       "file",        "procedure", "symbol", "of",
                                        "#line_before", "#line_after", "before",    "after"};
    telling t = {.a = a, .b = b, .table = {format, names, sizeof names / sizeof *names, 0}};
    hsc_status status = hsc_map_match_make(a, b, &t.m, err);
    if (status != HSC_OK)
        return status;
    if (format != HSC_MAP_TEXT)
        hsc_map_table_begin(&t.table);
    for (size_t i = 0; i < b->procedures.n; i++) {
        uint32_t at = t.m.procedure_of_b[i];
        if (at != HSC_NO_INDEX)
            compare_procedures(&t, &a->procedures.p[at], &b->procedures.p[i]);
        else
            tell_lone_procedure(&t, b, &b->procedures.p[i], t.m.loop_of_b, true);
    }
    for (size_t i = 0; i < a->procedures.n; i++)
        if (t.m.procedure_of_a[i] == HSC_NO_INDEX)
            tell_lone_procedure(&t, a, &a->procedures.p[i], t.m.loop_of_a, false);
    if (format != HSC_MAP_TEXT)
        hsc_map_table_end(&t.table);
    else
        tell_totals(&t, a_name, b_name);
    hsc_map_match_fini(&t.m);
    return HSC_OK;
}
