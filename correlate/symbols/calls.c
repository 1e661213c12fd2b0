/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that have lost their line. A compiler that makes one call of several (tail merging, sinking) gives it line 0, since no
 * line of them is right. The map knows which calls of the procedure call the same thing; those that have machine code of their
 * own are not meant. x86-64. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/linkage.h>
#include <heatscope/formats/records.h>

#include "machine_loops.h"

/* The name of what a direct call leads to; NULL: something without a name. */
static const char *callee_of(hsc_code *c, const hsc_machine_call *call) {
    const hsc_symbol *s = hsc_code_symbol_at(c, call->target);
    if (!s || s->lo != call->target)
        return NULL;
    size_t stub = hsc_linkage_of_stub(s->name);
    return stub ? hsc_pool_intern(&c->pool, s->name, stub) : s->name;
}

/* The function whose code decodes; NULL. */
static const hsc_machine_function *decoded(hsc_code *c, const hsc_symbol *symbol) {
    const hsc_machine_function *m = hsc_code_machine_function(c, symbol);
    return m && m->leaders ? m : NULL;
}

/* The first call at or behind the address. */
static size_t call_from(const hsc_machine_function *m, uint64_t address) {
    size_t lo = 0, hi = m->calls.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->calls.p[mid].begin < address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The call in the line row at `address` at or behind it, else the last one before it; NULL: none. *at: where it begins. [*lo, *hi),
 * which holds the address, is narrowed to the code for which that is so. */
static const char *call_in_row(hsc_code *c, const hsc_symbol *symbol, uint32_t row, uint64_t address, uint64_t *at, uint64_t *lo,
                               uint64_t *hi) {
    uint64_t begin = c->lines.p[row].lo, end = row + 1 < c->lines.n ? c->lines.p[row + 1].lo : symbol->hi;
    const hsc_machine_function *m = decoded(c, symbol);
    const char *found = NULL;
    begin = begin < symbol->lo ? symbol->lo : begin;
    end = end > symbol->hi ? symbol->hi : end;
    for (size_t i = m ? call_from(m, begin) : 0; m && i < m->calls.n && m->calls.p[i].begin < end; i++) {
        const hsc_machine_call *call = &m->calls.p[i];
        const char *callee = callee_of(c, call);
        if (!callee)
            continue;
        if (found && *at + HSC_CALL_BYTES <= address && *at + HSC_CALL_BYTES > *lo)
            *lo = *at + HSC_CALL_BYTES;
        found = callee;
        *at = call->begin;
        if (call->begin + HSC_CALL_BYTES > address) {
            *hi = call->begin + HSC_CALL_BYTES < *hi ? call->begin + HSC_CALL_BYTES : *hi;
            return found;
        }
    }
    if (found && *at > *lo) /* behind the last one: from its begin, since that is asked for in the same way */
        *lo = *at;
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
    const hsc_machine_function *m = decoded(c, symbol);
    for (size_t i = 0; m && i < m->calls.n; i++) {
        uint64_t address = m->calls.p[i].begin;
        uint32_t row;
        if (callee_of(c, &m->calls.p[i]) != callee || hsc_code_scope_at(c, address) != scope)
            continue;
        HSC_FIND_SPAN_BY(c->lines, &c->line_index, address, row);
        if (row != HSC_NO_INDEX && c->lines.p[row].unit != HSC_NO_INDEX && c->lines.p[row].line)
            strike(c, row, candidates, n);
    }
}

/* The message that the call itself is: a macro may have other calls at the same place, as of what ends the program after an error. */
static uint32_t message_of(const hsc_code *c, const hsc_site *s) {
    uint64_t operation = hsc_code_operation_key(s->callee, strlen(s->callee));
    for (size_t i = 0; operation && i < c->data.messages.n; i++) {
        const hsc_code_message *m = &c->data.messages.p[i];
        if (m->procedure == s->procedure && m->file == s->call_file && m->line == s->call_line && m->column == s->call_column &&
            hsc_code_operation_key(m->operation, strlen(m->operation)) == operation)
            return (uint32_t)i;
    }
    return HSC_NO_INDEX;
}

/* Messages that share one call of the machine code are linked with each other. */
static bool link_messages(hsc_code *c, const uint32_t *sites, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t from = message_of(c, &c->sites.p[sites[i]]);
        for (size_t k = 0; k < n && from != HSC_NO_INDEX; k++) {
            const hsc_site *s = &c->sites.p[sites[k]];
            uint32_t to = k == i ? HSC_NO_INDEX : message_of(c, s);
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

void hsc_code_narrow_to_call(hsc_code *c, const hsc_symbol *symbol, uint32_t row, uint64_t address, uint64_t *lo, uint64_t *hi) {
    uint64_t at;
    if (c->is_x86_64)
        (void)call_in_row(c, symbol, row, address, &at, lo, hi);
}

bool hsc_code_lost_call(hsc_code *c, uint64_t address, uint32_t row, uint32_t scope, uint32_t *out) {
    *out = HSC_NO_INDEX;
    if (!c->is_x86_64 || row == HSC_NO_INDEX || scope == HSC_NO_INDEX || c->lines.p[row].unit == HSC_NO_INDEX || c->lines.p[row].line)
        return true;
    const hsc_symbol *symbol = hsc_code_symbol_at(c, address);
    uint64_t at = 0, lo = 0, hi = UINT64_MAX;
    const char *callee = symbol ? call_in_row(c, symbol, row, address, &at, &lo, &hi) : NULL;
    scope = callee ? hsc_code_scope_at(c, at) : HSC_NO_INDEX; /* of the call, whoever asks for it first */
    if (scope == HSC_NO_INDEX)
        return true;
    uint32_t procedure = c->scopes.p[scope].procedure;
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
        if (candidates.p[i] != HSC_NO_INDEX && (c->sites.p[candidates.p[i]].call_line || c->sites.p[candidates.p[i]].directive != HSC_NO_INDEX))
            candidates.p[n++] = candidates.p[i];
    if (ok && n) {
        *out = *known = candidates.p[0];
        ok = n < 2 || link_messages(c, candidates.p, n);
    }
    free(candidates.p);
    return ok;
}
