/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source loops of code that was compiled without the pass: the loops of its machine code, by the lines and inlined copies
 * that the debug information gives them. Copies of one loop (inlined, vectorised, unrolled) are one row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "machine_loops.h"

/* Innermost scope that holds both; HSC_NO_INDEX where one is unknown or they share none. */
static uint32_t common_scope(const hsc_code *c, uint32_t a, uint32_t b) {
    if (a == HSC_NO_INDEX || b == HSC_NO_INDEX)
        return a == HSC_NO_INDEX ? b : a;
    while (a != b && a != HSC_NO_INDEX && b != HSC_NO_INDEX)
        if (c->scopes.p[a].depth >= c->scopes.p[b].depth)
            a = c->scopes.p[a].parent;
        else
            b = c->scopes.p[b].parent;
    return a == b ? a : HSC_NO_INDEX;
}

/* The element of a sorted array that reaches to `address`, the first one before all. */
#define FIRST_PIECE(v, index, address, out)                 \
    do {                                                    \
        uint32_t at_;                                       \
        HSC_FIND_SPAN_BY(v, index, address, at_);           \
        (out) = at_ == HSC_NO_INDEX ? 0 : at_;              \
    } while (0)

typedef struct lines_of { /* of one machine loop */
    uint32_t scope, file, begin, end;
    uint32_t declared; /* line of the procedure itself: compilers give it, and lines before it, to shared code */
    uint32_t other_file, other_begin, other_end; /* of lines in another file than the procedure's: macros, includes */
    uint32_t moved_begin, moved_end;             /* of statements of other loops, or of none, that code was moved from */
} lines_of;

static void stretch(uint32_t line, uint32_t *begin, uint32_t *end) {
    if (!*begin || line < *begin)
        *begin = line;
    if (line > *end)
        *end = line;
}

/* Where statements begin: the rows of the function, each with the innermost machine loop that it is in. */
typedef struct statement {
    uint32_t scope, file, line, loop;
} statement;

typedef HSC_VEC(statement) statements;

static int by_place(const void *pa, const void *pb) {
    const statement *a = pa, *b = pb;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->loop < b->loop ? -1 : a->loop > b->loop;
}

/* Is it code of a statement that begins outside of the loop, and nowhere in it? Compilers move such code to where its value is used, and
 * keep its line. */
static bool is_moved(const hsc_machine_function *m, const statements *all, statement of, uint32_t loop) {
    size_t low = 0, high = all->n;
    of.loop = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_place(&all->p[middle], &of) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool begins = false;
    for (; low < all->n && all->p[low].line == of.line && all->p[low].scope == of.scope && all->p[low].file == of.file; low++) {
        uint32_t in = all->p[low].loop;
        while (in != HSC_NO_INDEX && in != loop)
            in = m->loops.p[in].parent;
        if (in == loop)
            return false;
        begins = true;
    }
    return begins;
}

/* The line of the loop's own copy of its procedure: that of the row, or of the call that leads to it. */
static void add_line(const hsc_code *c, lines_of *l, uint32_t scope, uint32_t file, uint32_t line, bool moved) {
    while (scope != l->scope && scope != HSC_NO_INDEX) {
        file = c->scopes.p[scope].call_file;
        line = c->scopes.p[scope].call_line;
        scope = c->scopes.p[scope].parent;
    }
    if (scope != l->scope || !line || file == HSC_NO_INDEX)
        return;
    if (l->file == HSC_NO_INDEX)
        l->file = file;
    if (moved) {
        if (l->file == file && line > l->declared)
            stretch(line, &l->moved_begin, &l->moved_end);
    } else if (l->file == file && line > l->declared) {
        stretch(line, &l->begin, &l->end);
    } else {
        if (l->other_file == HSC_NO_INDEX)
            l->other_file = file;
        if (l->other_file == file)
            stretch(line, &l->other_begin, &l->other_end);
    }
}

/* The scope below `outer` on the way to `scope`; HSC_NO_INDEX: it is `outer` itself, or not below it. */
static uint32_t child_of(const hsc_code *c, uint32_t scope, uint32_t outer) {
    while (scope != HSC_NO_INDEX && scope != outer && c->scopes.p[scope].parent != outer)
        scope = c->scopes.p[scope].parent;
    return scope == outer ? HSC_NO_INDEX : scope;
}

/* A loop's scope is the innermost that holds all of its code, but for pieces that the compiler shared with code elsewhere
 * or gave a line from there: it is a copy inside that one when this holds all branches that close or leave the loop and
 * 85 % of its bytes. */
static uint32_t narrow(const hsc_code *c, const hsc_machine_function *m, uint64_t hi, uint32_t loop, uint32_t scope) {
    for (;;) {
        uint32_t inner = HSC_NO_INDEX;
        uint64_t bytes = 0, inside = 0;
        bool any = false;
        for (size_t i = 0; i < m->branches.n; i++) {
            if (m->branches.p[i].loop != loop)
                continue;
            uint32_t child = child_of(c, hsc_code_scope_at(c, m->branches.p[i].address), scope);
            if (child == HSC_NO_INDEX || (any && child != inner))
                return scope;
            inner = child;
            any = true;
        }
        if (!any)
            return scope;
        for (size_t i = 0; i < m->pieces.n; i++) {
            uint64_t lo = m->pieces.p[i].lo, end = i + 1 < m->pieces.n ? m->pieces.p[i + 1].lo : hi;
            uint32_t l = m->pieces.p[i].loop;
            while (l != HSC_NO_INDEX && l != loop)
                l = m->loops.p[l].parent;
            if (l == HSC_NO_INDEX)
                continue;
            size_t k;
            FIRST_PIECE(c->scope_spans, &c->scope_index, lo, k);
            for (; k < c->scope_spans.n && c->scope_spans.p[k].lo < end; k++) {
                uint64_t from = c->scope_spans.p[k].lo > lo ? c->scope_spans.p[k].lo : lo;
                uint64_t to = k + 1 < c->scope_spans.n && c->scope_spans.p[k + 1].lo < end ? c->scope_spans.p[k + 1].lo : end;
                if (to <= from)
                    continue;
                bytes += to - from;
                inside += child_of(c, c->scope_spans.p[k].scope, scope) == inner ? to - from : 0;
            }
        }
        if (inside * 100 < bytes * 85)
            return scope;
        scope = inner;
    }
}

static void find_scopes(const hsc_code *c, const hsc_machine_function *m, uint64_t hi, lines_of *loops) {
    for (size_t i = 0; i < m->loops.n; i++)
        loops[i] = (lines_of){.scope = HSC_NO_INDEX, .file = HSC_NO_INDEX, .other_file = HSC_NO_INDEX};
    for (size_t i = 0; i < m->pieces.n && c->scope_spans.n; i++) {
        uint32_t loop = m->pieces.p[i].loop;
        uint64_t lo = m->pieces.p[i].lo, end = i + 1 < m->pieces.n ? m->pieces.p[i + 1].lo : hi;
        size_t k;
        if (loop == HSC_NO_INDEX)
            continue;
        FIRST_PIECE(c->scope_spans, &c->scope_index, lo, k);
        for (; k < c->scope_spans.n && c->scope_spans.p[k].lo < end; k++)
            if (c->scope_spans.p[k].lo >= lo || k + 1 == c->scope_spans.n || c->scope_spans.p[k + 1].lo > lo)
                loops[loop].scope = common_scope(c, loops[loop].scope, c->scope_spans.p[k].scope);
    }
    for (size_t i = m->loops.n; i-- > 0;)
        if (m->loops.p[i].parent != HSC_NO_INDEX)
            loops[m->loops.p[i].parent].scope = common_scope(c, loops[m->loops.p[i].parent].scope, loops[i].scope);
    for (size_t i = 0; i < m->loops.n; i++)
        if (loops[i].scope != HSC_NO_INDEX)
            loops[i].scope = narrow(c, m, hi, (uint32_t)i, loops[i].scope);
}

/* Rows of the line table in the function's code, by its pieces. */
typedef void visit_row(void *ctx, uint32_t loop, uint32_t scope, const hsc_line_span *row);

static void visit_rows(const hsc_code *c, const hsc_machine_function *m, uint64_t hi, visit_row *visit, void *ctx) {
    for (size_t i = 0; i < m->pieces.n && c->lines.n; i++) {
        uint64_t lo = m->pieces.p[i].lo, end = i + 1 < m->pieces.n ? m->pieces.p[i + 1].lo : hi;
        size_t k;
        FIRST_PIECE(c->lines, &c->line_index, lo, k);
        for (; k < c->lines.n && c->lines.p[k].lo < end; k++) {
            const hsc_line_span *row = &c->lines.p[k];
            if (row->unit == HSC_NO_INDEX || !row->line || (k + 1 < c->lines.n && c->lines.p[k + 1].lo <= lo))
                continue;
            visit(ctx, m->pieces.p[i].loop, hsc_code_scope_at(c, row->lo > lo ? row->lo : lo), row);
        }
    }
}

typedef struct line_walk {
    const hsc_code *c;
    const hsc_machine_function *m;
    lines_of *loops;
    statements all;
    bool failed;
} line_walk;

static void keep_statement(void *ctx, uint32_t loop, uint32_t scope, const hsc_line_span *row) {
    line_walk *w = ctx;
    statement s = {scope, row->file, row->line, loop};
    if (row->is_statement && !w->failed && (!w->all.n || by_place(&w->all.p[w->all.n - 1], &s)))
        w->failed = !HSC_PUSH(w->all, s);
}

static void visit_line(void *ctx, uint32_t loop, uint32_t scope, const hsc_line_span *row) {
    line_walk *w = ctx;
    for (uint32_t l = loop; l != HSC_NO_INDEX; l = w->m->loops.p[l].parent) {
        bool moved = !row->is_statement && scope == w->loops[l].scope && is_moved(w->m, &w->all, (statement){scope, row->file, row->line, 0}, l);
        add_line(w->c, &w->loops[l], scope, row->file, row->line, moved);
    }
}

static bool find_lines(const hsc_code *c, const hsc_machine_function *m, uint64_t hi, lines_of *loops) {
    line_walk w = {.c = c, .m = m, .loops = loops};
    for (size_t i = 0; i < m->loops.n; i++)
        if (loops[i].scope != HSC_NO_INDEX) {
            const hsc_code_procedure *p = &c->procedures.p[c->scopes.p[loops[i].scope].procedure];
            loops[i].file = p->file;
            loops[i].declared = p->line_begin;
        }
    visit_rows(c, m, hi, keep_statement, &w);
    if (w.all.n)
        qsort(w.all.p, w.all.n, sizeof *w.all.p, by_place);
    if (!w.failed)
        visit_rows(c, m, hi, visit_line, &w);
    free(w.all.p);
    for (size_t i = 0; i < m->loops.n; i++)
        if (!loops[i].begin && loops[i].moved_begin) { /* all that is known */
            loops[i].begin = loops[i].moved_begin;
            loops[i].end = loops[i].moved_end;
        } else if (!loops[i].begin && loops[i].other_begin) {
            loops[i].file = loops[i].other_file;
            loops[i].begin = loops[i].other_begin;
            loops[i].end = loops[i].other_end;
        }
    return !w.failed;
}

/* The row of a loop: that of a loop beside it whose lines overlap (a copy), or a new one. */
static bool add_row(hsc_code *c, const hsc_machine_loop *m, const lines_of *l, uint32_t procedure, uint32_t parent,
                    uint32_t *out) {
    if (parent != HSC_NO_INDEX && l->end > l->begin && c->loops.p[parent].file == l->file &&
        c->loops.p[parent].line_begin == l->begin && c->loops.p[parent].line_end == l->end) {
        *out = parent; /* an interpreter's dispatch by several indirect jumps: loops in loops for one of the source */
        return true;
    }
    uint32_t *first = hsc_table_at(&c->foreign_siblings, (uint64_t)procedure << 32 | parent, 0);
    if (!first)
        return false;
    for (uint32_t k = *first; k != HSC_NO_INDEX && l->begin; k = c->next_loop.p[k]) {
        hsc_code_loop *at = &c->loops.p[k];
        if (at->file != l->file || !at->line_begin || l->begin > at->line_end || at->line_begin > l->end)
            continue;
        stretch(l->begin, &at->line_begin, &at->line_end);
        stretch(l->end, &at->line_begin, &at->line_end);
        *out = k;
        return true;
    }
    char text[40];
    snprintf(text, sizeof text, "loop at 0x%llx", (unsigned long long)m->header);
    hsc_code_loop row = {.procedure = procedure, .parent = parent, .file = l->begin ? l->file : HSC_NO_INDEX,
                         .line_begin = l->begin, .line_end = l->end, .kind = HSC_loop_kind_UNKNOWN,
                         .depth = parent == HSC_NO_INDEX ? 1 : c->loops.p[parent].depth + 1,
                         .flags = m->irreducible ? HSC_loop_flag_IRREDUCIBLE : 0,
                         .name = l->begin ? NULL : hsc_pool_intern(&c->pool, text, strlen(text)),
                         .knowledge = l->begin ? HSC_KNOWN_DWARF : c->procedures.p[procedure].knowledge};
    if ((!l->begin && !row.name) || !HSC_RESERVE(c->next_loop, c->loops.n + 1) || !HSC_PUSH(c->loops, row))
        return false;
    *out = (uint32_t)(c->loops.n - 1);
    c->next_loop.n = c->loops.n;
    c->next_loop.p[*out] = *first;
    *first = *out;
    return true;
}

/* Finds and keeps the loops of the function, whose own procedure is `procedure`. *out: the row of foreign_loops
 * of the first, or HSC_NO_LOOPS. */
static bool load(hsc_code *c, const hsc_symbol *symbol, uint32_t procedure, uint32_t *out) {
    const hsc_machine_function *m = hsc_code_machine_function(c, symbol);
    uint64_t hi = symbol->hi;
    *out = HSC_NO_LOOPS;
    if (!m || !m->loops.n)
        return m != NULL;
    HSC_VEC(lines_of) lines = {0};
    uint32_t base = (uint32_t)c->foreign_loops.n;
    bool ok = HSC_RESERVE(lines, m->loops.n);
    if (ok) {
        find_scopes(c, m, hi, lines.p);
        ok = find_lines(c, m, hi, lines.p);
    }
    for (size_t i = 0; ok && i < m->loops.n; i++) {
        uint32_t scope = lines.p[i].scope, up = m->loops.p[i].parent, row;
        while (up != HSC_NO_INDEX && lines.p[up].scope != scope)
            up = m->loops.p[up].parent;
        ok = add_row(c, &m->loops.p[i], &lines.p[i], scope == HSC_NO_INDEX ? procedure : c->scopes.p[scope].procedure,
                     up == HSC_NO_INDEX ? up : c->foreign_loops.p[base + up].loop, &row) &&
             HSC_PUSH(c->foreign_loops, (hsc_foreign_loop){row, scope, m->loops.p[i].parent == HSC_NO_INDEX
                                                                           ? HSC_NO_INDEX : base + m->loops.p[i].parent});
    }
    if (ok)
        *out = base;
    free(lines.p);
    return ok;
}

bool hsc_code_find_foreign_loop(hsc_code *c, uint64_t address, uint32_t procedure, uint32_t *out) {
    const hsc_symbol *s = hsc_code_symbol_at(c, address);
    *out = HSC_NO_INDEX;
    if (!s)
        return true;
    hsc_symbol_facts *facts = &c->symbol_facts.p[s - c->symbols.p];
    if (facts->foreign == HSC_NO_INDEX && !load(c, s, procedure, &facts->foreign)) {
        facts->foreign = HSC_NO_LOOPS;
        return false;
    }
    if (facts->foreign == HSC_NO_LOOPS)
        return true;
    const hsc_machine_function *m = c->functions.p[facts->function];
    uint32_t loop = m->pieces.p[hsc_machine_piece_at(m, address)].loop;
    if (loop != HSC_NO_INDEX)
        *out = facts->foreign + loop;
    return true;
}
