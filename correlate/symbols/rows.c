/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of the line table for addresses, and what to take where a row says little: compilers give line 0 to code that belongs
 * to no line, and code that the back end made or merged has no place in the map. Its block, or its loop of the machine code,
 * has other rows that say more. */
#include <string.h>

#include <heatscope/formats/records.h>

#include "machine_loops.h"

#define ROWS_MAX 4096 /* looked at in each direction */

/* Is scope `inner` the scope `outer`, or inlined somewhere in it? */
static bool is_in_scope(const hsc_code *c, uint32_t inner, uint32_t outer) {
    while (inner != outer && inner != HSC_NO_INDEX)
        inner = c->scopes.p[inner].parent;
    return inner == outer && inner != HSC_NO_INDEX;
}

/* The scope at an address near the last one. *span: the first one that begins behind that; SIZE_MAX: there is no last one. */
static uint32_t scope_near(const hsc_code *c, uint64_t address, size_t *span) {
    if (*span == SIZE_MAX) {
        uint32_t i;
        HSC_FIND_SPAN_BY(c->scope_spans, &c->scope_index, address, i);
        *span = i == HSC_NO_INDEX ? 0 : (size_t)i + 1;
    }
    while (*span < c->scope_spans.n && c->scope_spans.p[*span].lo <= address)
        ++*span;
    while (*span && c->scope_spans.p[*span - 1].lo > address)
        --*span;
    return *span ? c->scope_spans.p[*span - 1].scope : HSC_NO_INDEX;
}

/* May row k stand in for row i of the same block or loop? */
static bool may_stand_in(const hsc_code *c, size_t k, uint32_t i, uint32_t scope, bool with_place, uint64_t touch, size_t *span,
                         uint32_t *its_scope) {
    const hsc_line_span *at = &c->lines.p[k];
    if (at->unit != c->lines.p[i].unit || !at->line || (with_place && !at->discriminator))
        return false;
    *its_scope = scope_near(c, touch, span);
    return *its_scope == scope || is_in_scope(c, *its_scope, scope);
}

/* A row with a line in the block [begin, end) around row i, in the same copy of the same procedure or in one inlined into
 * it: the next one, else the one before. The register allocator puts its reloads at a block's head, with line 0 and outside
 * of the ranges of inlined copies. *scope becomes that of the row. */
static uint32_t row_in_block(const hsc_code *c, uint32_t i, uint32_t *scope, bool with_place, uint64_t begin, uint64_t end) {
    size_t span = SIZE_MAX;
    uint32_t its;
    for (size_t k = (size_t)i + 1; k < c->lines.n && c->lines.p[k].lo < end; k++)
        if (may_stand_in(c, k, i, *scope, with_place, c->lines.p[k].lo, &span, &its)) {
            *scope = its;
            return (uint32_t)k;
        }
    for (size_t k = i; k > 0 && c->lines.p[k].lo > begin; k--)
        if (may_stand_in(c, k - 1, i, *scope, with_place, c->lines.p[k].lo - 1, &span, &its)) {
            *scope = its;
            return (uint32_t)(k - 1);
        }
    return HSC_NO_INDEX;
}

/* ---- loops of the machine code ---- */

/* The function when it has loops; else NULL. */
static const hsc_machine_function *loops_of(hsc_code *c, const hsc_symbol *symbol) {
    const hsc_machine_function *m = hsc_code_machine_function(c, symbol);
    return m && m->pieces.n ? m : NULL;
}

static uint32_t loop_at(const hsc_machine_function *m, uint64_t address) {
    return m->pieces.p[hsc_machine_piece_at(m, address)].loop;
}

/* The nearest row, those after it first, whose code is directly in the same loop of the machine code as the address. */
static uint32_t row_in_machine_loop(const hsc_code *c, const hsc_machine_function *m, const hsc_symbol *symbol, uint32_t i,
                                    uint64_t address, uint32_t *scope, bool with_place) {
    size_t here = hsc_machine_piece_at(m, address), at = here;
    size_t span = SIZE_MAX;
    uint32_t loop = m->pieces.p[here].loop, its;
    for (size_t k = (size_t)i + 1; k < c->lines.n && k - i < ROWS_MAX && c->lines.p[k].lo < symbol->hi; k++) {
        while (at + 1 < m->pieces.n && m->pieces.p[at + 1].lo <= c->lines.p[k].lo)
            at++;
        if (m->pieces.p[at].loop == loop && may_stand_in(c, k, i, *scope, with_place, c->lines.p[k].lo, &span, &its)) {
            *scope = its;
            return (uint32_t)k;
        }
    }
    at = here;
    for (size_t k = i; k > 0 && i - k < ROWS_MAX && c->lines.p[k].lo > symbol->lo; k--) {
        while (at && m->pieces.p[at].lo > c->lines.p[k].lo - 1)
            at--;
        if (m->pieces.p[at].loop == loop && may_stand_in(c, k - 1, i, *scope, with_place, c->lines.p[k].lo - 1, &span, &its)) {
            *scope = its;
            return (uint32_t)(k - 1);
        }
    }
    return HSC_NO_INDEX;
}

void hsc_code_narrow(hsc_code *c, const hsc_symbol *symbol, uint64_t address, bool by_block, uint64_t *lo, uint64_t *hi) {
    uint64_t begin = *lo, end = *hi;
    if (by_block && !hsc_code_find_block(c, symbol, address, &begin, &end))
        begin = address, end = address + 1;
    *lo = begin > *lo ? begin : *lo;
    *hi = end < *hi ? end : *hi;
    const hsc_machine_function *m = loops_of(c, symbol);
    if (!m)
        return;
    size_t at = hsc_machine_piece_at(m, address);
    *lo = m->pieces.p[at].lo > *lo ? m->pieces.p[at].lo : *lo;
    *hi = at + 1 < m->pieces.n && m->pieces.p[at + 1].lo < *hi ? m->pieces.p[at + 1].lo : *hi;
}

/* ---- lookup ---- */

static bool is_keyed(const hsc_code *c, uint32_t row) {
    uint32_t group = c->units.p[c->lines.p[row].unit].group;
    return group != HSC_NO_INDEX && c->groups.p[group].keying == HSC_keying_DISCRIMINATOR;
}

/* The row before or after row i with a line, in the same copy of the same procedure. */
static uint32_t row_beside(const hsc_code *c, uint32_t i, const hsc_symbol *symbol, uint32_t scope) {
    size_t span = SIZE_MAX;
    for (int way = -1; way <= 1; way += 2)
        for (uint32_t k = i, hops = 0; hops < ROWS_MAX; hops++) {
            if ((way < 0 && !k) || (way > 0 && k + 1 >= c->lines.n))
                break;
            k = way < 0 ? k - 1 : k + 1;
            const hsc_line_span *at = &c->lines.p[k];
            /* the end of the earlier row, the begin of the later one, is what touches the hole */
            uint64_t touch = way < 0 ? c->lines.p[k + 1].lo - 1 : at->lo;
            if (at->unit != c->lines.p[i].unit || (scope == HSC_NO_INDEX && hsc_code_symbol_at(c, touch) != symbol))
                break;
            if (at->line && scope_near(c, touch, &span) == scope)
                return k;
        }
    return HSC_NO_INDEX;
}

uint32_t hsc_code_line_row(hsc_code *c, uint64_t address, uint32_t i, uint32_t *scope, bool *repaired) {
    *repaired = false;
    if (i == HSC_NO_INDEX || c->lines.p[i].unit == HSC_NO_INDEX)
        return HSC_NO_INDEX;
    const hsc_line_span *row = &c->lines.p[i];
    if (row->line && row->discriminator)
        return i;
    const hsc_symbol *symbol = hsc_code_symbol_at(c, address);
    if (row->line && (!symbol || row->lo > symbol->lo))
        return i;
    uint64_t begin, end;
    uint32_t k = HSC_NO_INDEX;
    if (symbol && hsc_code_find_block(c, symbol, address, &begin, &end)) {
        if (row->line && row->lo >= begin)
            return i;
        k = row_in_block(c, i, scope, false, begin, end);
        const hsc_machine_function *m = k == HSC_NO_INDEX && !row->line ? loops_of(c, symbol) : NULL;
        if (m)
            k = row_in_machine_loop(c, m, symbol, i, address, scope, false);
    }
    if (k == HSC_NO_INDEX && !row->line)
        k = row_beside(c, i, symbol, *scope);
    *repaired = k != HSC_NO_INDEX;
    return *repaired ? k : i;
}

uint32_t hsc_code_row_in_loop(hsc_code *c, uint32_t row, uint64_t address, uint32_t scope) {
    const hsc_symbol *symbol = is_keyed(c, row) ? hsc_code_symbol_at(c, address) : NULL;
    const hsc_machine_function *m = symbol ? loops_of(c, symbol) : NULL;
    uint64_t begin, end;
    if (!m || loop_at(m, address) == HSC_NO_INDEX)
        return row;
    uint32_t i, k = HSC_NO_INDEX;
    HSC_FIND_SPAN_BY(c->lines, &c->line_index, address, i);
    if (hsc_code_find_block(c, symbol, address, &begin, &end))
        k = row_in_block(c, i, &scope, true, begin, end);
    /* the loop is that of the code around it, be it of the same inlined copy or not */
    while (scope != HSC_NO_INDEX && c->scopes.p[scope].parent != HSC_NO_INDEX)
        scope = c->scopes.p[scope].parent;
    if (k == HSC_NO_INDEX)
        k = row_in_machine_loop(c, m, symbol, i, address, &scope, true);
    return k == HSC_NO_INDEX ? row : k;
}
