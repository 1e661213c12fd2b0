/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers given once and given again. Equal answers are kept once, so that what is kept is bounded by what the module has,
 * not by how much is asked. A line row that says all by itself has its answer beside it; for addresses in other rows there is
 * a cache of fixed size, in which two addresses share each set. Both get an answer when it is asked for again, so that what is
 * asked once costs nothing. */
#include <stdlib.h>
#include <string.h>

#include "machine_loops.h"

/* Rows without a kept answer; a row that nobody asked for has HSC_NO_INDEX. */
#define ASKED 0xFFFFFFFEu   /* it has one answer */
#define SEVERAL 0xFFFFFFFDu /* it has several, or may have */

#define SETS ((size_t)1 << 15)

typedef struct slot {
    uint64_t address;
    uint32_t answer; /* + 1; 0: asked once */
    uint32_t unused;
} slot;

struct hsc_code_cache {
    slot slots[SETS][2]; /* the one used last first */
};

static slot *set_of(const hsc_code *c, uint64_t address) {
    return c->cache->slots[(address * 0x9E3779B97F4A7C15u) >> 49];
}

static void give(hsc_code *c, uint32_t k, hsc_code_answer *out) {
    const hsc_code_known *a = &c->answers.p[k];
    *out = (hsc_code_answer){.elements = c->answer_elements.p + a->first,
                             .element_count = a->count,
                             .file = a->file,
                             .line = a->line,
                             .instance = a->instance,
                             .knowledge = (hsc_knowledge)a->knowledge,
                             .repaired = a->repaired};
}

bool hsc_code_recall(hsc_code *c, uint64_t address, uint32_t row, hsc_code_answer *out) {
    uint32_t kept = row < c->row_answers.n ? c->row_answers.p[row] : SEVERAL;
    if (kept < SEVERAL) {
        give(c, kept, out);
        return true;
    }
    if (!c->cache || kept != SEVERAL)
        return false;
    slot *s = set_of(c, address);
    if (!s[0].answer || s[0].address != address) {
        if (!s[1].answer || s[1].address != address)
            return false;
        slot first = s[0];
        s[0] = s[1];
        s[1] = first;
    }
    give(c, s[0].answer - 1, out);
    return true;
}

static uint64_t hash(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0xFF51AFD7ED558CCDu;
    return h ^ h >> 32;
}

static bool is_same(const hsc_code *c, const hsc_code_known *k, const hsc_code_answer *a) {
    if (k->count != a->element_count || k->file != a->file || k->line != a->line || k->instance != a->instance ||
        k->knowledge != (uint8_t)a->knowledge || k->repaired != a->repaired)
        return false;
    for (size_t i = 0; i < k->count; i++) {
        const hsc_code_element *x = &c->answer_elements.p[k->first + i], *y = &a->elements[i];
        if (x->kind != y->kind || x->index != y->index || x->call_file != y->call_file || x->call_line != y->call_line)
            return false;
    }
    return true;
}

/* Its number; HSC_NO_INDEX: not kept. */
static uint32_t number_of(hsc_code *c, const hsc_code_answer *a) {
    uint64_t h = hash(hash(a->file, a->line), (uint64_t)a->instance << 8 | (uint64_t)a->knowledge << 1 | a->repaired);
    uint64_t g = a->element_count;
    for (size_t i = 0; i < a->element_count; i++) {
        h = hash(h, (uint64_t)a->elements[i].kind << 32 | a->elements[i].index);
        g = hash(g, (uint64_t)a->elements[i].call_file << 32 | a->elements[i].call_line);
    }
    uint32_t *at = hsc_table_at(&c->answer_by_content, h, g);
    if (!at)
        return HSC_NO_INDEX;
    if (*at != HSC_NO_INDEX)
        return is_same(c, &c->answers.p[*at], a) ? *at : HSC_NO_INDEX;
    size_t first = c->answer_elements.n;
    if (first + a->element_count >= HSC_NO_INDEX || !HSC_RESERVE(c->answer_elements, first + a->element_count) ||
        !HSC_PUSH(c->answers, (hsc_code_known){(uint32_t)first, (uint16_t)a->element_count, (uint8_t)a->knowledge,
                                               a->repaired, a->file, a->line, a->instance}))
        return HSC_NO_INDEX;
    if (a->element_count)
        memcpy(c->answer_elements.p + first, a->elements, a->element_count * sizeof *a->elements);
    c->answer_elements.n += a->element_count;
    return *at = (uint32_t)c->answers.n - 1;
}

/* Is the row, of code without a map, in one loop of the machine code, if any? */
static bool is_in_one_loop(const hsc_code *c, uint32_t row) {
    const hsc_line_span *at = &c->lines.p[row];
    const hsc_symbol *s = hsc_code_symbol_at(c, at->lo);
    if (!s || at[1].lo > s->hi || (!at->discriminator && at->lo <= s->lo))
        return false;
    uint32_t k = c->symbol_facts.p[s - c->symbols.p].function;
    const hsc_machine_function *m = k == HSC_NO_INDEX ? NULL : c->functions.p[k];
    return m && (!m->pieces.n || hsc_machine_piece_at(m, at->lo) == hsc_machine_piece_at(m, at[1].lo - 1));
}

/* Does everything in the row have one answer? `scope` is the index of the scope's span. */
static bool says_all(const hsc_code *c, uint32_t row, uint32_t scope) {
    if (scope == HSC_NO_INDEX || c->scope_spans.p[scope].scope == HSC_NO_INDEX || row + 1 >= c->lines.n)
        return false;
    const hsc_line_span *at = &c->lines.p[row];
    const hsc_unit *unit = &c->units.p[c->scopes.p[c->scope_spans.p[scope].scope].unit];
    if (at->unit == HSC_NO_INDEX || !at->line || c->scope_spans.p[scope].lo > at->lo ||
        (scope + 1 < c->scope_spans.n && c->scope_spans.p[scope + 1].lo < at[1].lo))
        return false;
    if (unit->source == HSC_NO_INDEX && c->units.p[at->unit].group == HSC_NO_INDEX)
        return is_in_one_loop(c, row);
    return unit->group != HSC_NO_INDEX && at->discriminator;
}

bool hsc_code_keep(hsc_code *c, uint64_t address, uint32_t row, uint32_t scope_span, const hsc_code_answer *answer) {
    uint32_t k, *kept = row < c->row_answers.n ? &c->row_answers.p[row] : NULL;
    if (kept && *kept == HSC_NO_INDEX) {
        *kept = says_all(c, row, scope_span) ? ASKED : SEVERAL;
        return false;
    }
    if (kept && *kept == ASKED) {
        k = number_of(c, answer);
        *kept = k < SEVERAL ? k : ASKED;
        return k < SEVERAL;
    }
    if (!c->cache && !(c->cache = calloc(1, sizeof *c->cache)))
        return false;
    slot *s = set_of(c, address);
    for (int i = 0; i < 2; i++)
        if (s[i].address == address) {
            if ((k = number_of(c, answer)) != HSC_NO_INDEX)
                s[i].answer = k + 1;
            return false;
        }
    s[1] = s[0];
    s[0] = (slot){address, 0, 0};
    return false;
}
