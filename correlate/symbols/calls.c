/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that have lost their line. A compiler that makes one call of several (tail merging, sinking) gives it line 0, since no
 * line of them is right. The map knows which calls of the procedure call the same thing; those that have machine code of their
 * own are not meant. x86-64. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "code_internal.h"
#include "x86_64.h"

/* The callee of the `call` at p, which is an instruction's start; NULL: no direct call, or of something without a name. */
static const char *callee_of(hsc_code *c, const uint8_t *p, uint64_t address, size_t length) {
    int32_t relative;
    if (length != 5 || *p != 0xE8)
        return NULL;
    memcpy(&relative, p + 1, 4);
    const hsc_symbol *s = hsc_code_symbol_at(c, address + 5 + (uint64_t)(int64_t)relative);
    if (!s || s->lo != address + 5 + (uint64_t)(int64_t)relative)
        return NULL;
    size_t stub = hsc_code_stub_length(s->name);
    return hsc_pool_intern(&c->pool, s->name, stub ? stub : strlen(s->name));
}

/* The call in the line row at `address` at or behind it, else the last one before it; NULL: none. *at: where it begins. */
static const char *call_in_row(hsc_code *c, const hsc_symbol *symbol, uint32_t row, uint64_t address, uint64_t *at) {
    uint64_t lo = c->lines.p[row].lo, hi = row + 1 < c->lines.n ? c->lines.p[row + 1].lo : symbol->hi;
    const char *found = NULL;
    lo = lo < symbol->lo ? symbol->lo : lo;
    hi = hi > symbol->hi ? symbol->hi : hi;
    const uint8_t *p = lo < hi ? hsc_code_bytes_at(c, lo, hi) : NULL;
    for (uint64_t i = 0, n = hi - lo; p && i < n;) {
        hsc_x86_flow flow;
        int64_t relative;
        size_t length = hsc_x86_decode(p + i, n - i, &flow, &relative);
        if (!length)
            break;
        const char *callee = callee_of(c, p + i, lo + i, length);
        if (callee) {
            found = callee;
            *at = lo + i;
            if (lo + i + length > address)
                break;
        }
        i += length;
    }
    return found;
}

/* The sites of calls by procedure and callee: lists through next_call. */
static bool index_calls(hsc_code *c) {
    if (c->has_call_lists)
        return true;
    for (size_t i = c->sites.n; i-- > 0;) {
        hsc_site *s = &c->sites.p[i];
        if (!s->is_call || !s->callee)
            continue;
        uint32_t *at = hsc_table_at(&c->calls_of, s->procedure, (uintptr_t)s->callee);
        if (!at)
            return false;
        s->next_call = *at;
        *at = (uint32_t)i;
    }
    c->has_call_lists = true;
    return true;
}

/* Takes the site of a call with a line out of the candidates. */
static void strike(const hsc_code *c, uint32_t row, uint32_t *candidates, size_t n) {
    const hsc_line_span *line = &c->lines.p[row];
    uint32_t place = hsc_code_place_row(c, row);
    uint32_t site = place == HSC_NO_INDEX ? HSC_NO_INDEX : c->places.p[place].site;
    size_t found = n;
    for (size_t i = n; i-- > 0;)
        if (candidates[i] != HSC_NO_INDEX && c->sites.p[candidates[i]].call_file == line->file &&
            c->sites.p[candidates[i]].call_line == line->line)
            found = i;
    for (size_t i = 0; i < n && site != HSC_NO_INDEX; i++)
        if (candidates[i] == site)
            found = i;
    if (found < n)
        candidates[found] = HSC_NO_INDEX;
}

/* Strikes out the calls of `callee` in the same copy of the procedure that have kept their lines. */
static void strike_own(hsc_code *c, const hsc_symbol *symbol, uint32_t scope, const char *callee, uint32_t *candidates, size_t n) {
    const uint8_t *p = hsc_code_bytes_at(c, symbol->lo, symbol->hi);
    for (uint64_t i = 0, size = symbol->hi - symbol->lo; p && i < size;) {
        hsc_x86_flow flow;
        int64_t relative;
        size_t length = hsc_x86_decode(p + i, size - i, &flow, &relative);
        uint64_t address = symbol->lo + i;
        if (!length)
            return;
        if (*(p + i) == 0xE8 && callee_of(c, p + i, address, length) == callee && hsc_code_scope_at(c, address) == scope) {
            uint32_t row;
            HSC_FIND_SPAN_BY(c->lines, &c->line_index, address, row);
            if (row != HSC_NO_INDEX && c->lines.p[row].unit != HSC_NO_INDEX && c->lines.p[row].line)
                strike(c, row, candidates, n);
        }
        i += length;
    }
}

static uint32_t message_at(const hsc_code *c, const hsc_site *s) {
    for (size_t i = 0; i < c->data.messages.n; i++) {
        const hsc_code_message *m = &c->data.messages.p[i];
        if (m->procedure == s->procedure && m->file == s->call_file && m->line == s->call_line && m->column == s->call_column)
            return (uint32_t)i;
    }
    return HSC_NO_INDEX;
}

/* Messages that share one call of the machine code are linked with each other. */
static bool link_messages(hsc_code *c, const uint32_t *sites, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t from = message_at(c, &c->sites.p[sites[i]]);
        for (size_t k = 0; k < n && from != HSC_NO_INDEX; k++) {
            const hsc_site *s = &c->sites.p[sites[k]];
            uint32_t to = k == i ? HSC_NO_INDEX : message_at(c, s);
            if (to != HSC_NO_INDEX &&
                !HSC_PUSH(c->data.links, (hsc_code_link){.message = from,
                                                         .kind = HSC_link_kind_MERGED,
                                                         .confidence = HSC_confidence_LIKELY,
                                                         .target_message = to,
                                                         .target_loop = HSC_NO_INDEX,
                                                         .array = HSC_NO_INDEX,
                                                         .file = s->call_file,
                                                         .line = s->call_line,
                                                         .column = s->call_column,
                                                         .text = c->data.messages.p[to].operation}))
                return false;
        }
    }
    return true;
}

bool hsc_code_has_call(hsc_code *c, const hsc_symbol *symbol, uint32_t row, uint64_t address) {
    uint64_t at;
    return c->is_x86_64 && call_in_row(c, symbol, row, address, &at);
}

bool hsc_code_lost_call(hsc_code *c, uint64_t address, uint32_t row, uint32_t scope, uint32_t *out) {
    *out = HSC_NO_INDEX;
    if (!c->is_x86_64 || row == HSC_NO_INDEX || scope == HSC_NO_INDEX || c->lines.p[row].unit == HSC_NO_INDEX || c->lines.p[row].line)
        return true;
    const hsc_symbol *symbol = hsc_code_symbol_at(c, address);
    uint64_t at = 0;
    const char *callee = symbol ? call_in_row(c, symbol, row, address, &at) : NULL;
    uint32_t procedure = c->scopes.p[scope].procedure;
    if (!callee)
        return true;
    uint32_t *known = hsc_table_at(&c->lost_calls, at, 0);
    if (!known || !index_calls(c))
        return false;
    if (*known != HSC_NO_INDEX) {
        *out = *known == HSC_NO_SITE ? HSC_NO_INDEX : *known;
        return true;
    }
    *known = HSC_NO_SITE;
    HSC_VEC(uint32_t) candidates = {0};
    bool ok = true;
    size_t n = 0;
    for (uint32_t i = hsc_table_get(&c->calls_of, procedure, (uintptr_t)callee); ok && i != HSC_NO_INDEX; i = c->sites.p[i].next_call)
        ok = HSC_PUSH(candidates, i);
    if (ok && candidates.n > 1)
        strike_own(c, symbol, scope, callee, candidates.p, candidates.n);
    for (size_t i = 0; i < candidates.n; i++)
        if (candidates.p[i] != HSC_NO_INDEX && c->sites.p[candidates.p[i]].call_line)
            candidates.p[n++] = candidates.p[i];
    if (ok && n) {
        *out = *known = candidates.p[0];
        ok = n < 2 || link_messages(c, candidates.p, n);
    }
    free(candidates.p);
    return ok;
}
