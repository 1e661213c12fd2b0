/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers given once and given again, by address. Code is cut into pieces with one answer each, which are noted as they are asked
 * for: for each 64 bytes of code a word tells by its bits where pieces begin, so a look-up is a count of bits and no search.
 * Equal answers are kept once. What is kept is bounded by what the module has, not by how much is asked. */
#include <stdlib.h>
#include <string.h>

#include "machine_loops.h"

#define UNKNOWN HSC_NO_INDEX /* a piece that nobody asked for */

typedef struct word { /* 64 bytes of code */
    uint64_t begins;  /* a bit for each byte: a piece begins there; the first one too. 0: nothing is known */
    uint32_t first;   /* of `ids`: the answers of the pieces, in their order; room for the next power of two, 8 at least */
    uint32_t unused;
} word;

typedef struct range { /* an executable section */
    uint64_t lo, bytes; /* lo: a multiple of 64 */
    word *words;
} range;

struct hsc_code_answers {
    range *ranges;
    size_t range_count, last; /* last: the one asked for last */
    HSC_VEC(uint32_t) ids;
    uint32_t free_ids[7]; /* lists of room for 1 << i answers, linked by their first; UNKNOWN: the end */
};

static uint64_t up_to(unsigned bit) { /* bits 0 to `bit` */
    return ~0ull >> (63 - bit);
}

static unsigned count_bits(uint64_t v) {
    v -= v >> 1 & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
    return (unsigned)(((v + (v >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

static const range *range_of(struct hsc_code_answers *s, uint64_t address) {
    if (s->range_count && address - s->ranges[s->last].lo < s->ranges[s->last].bytes)
        return &s->ranges[s->last];
    for (size_t i = 0; i < s->range_count; i++)
        if (address - s->ranges[i].lo < s->ranges[i].bytes) {
            s->last = i;
            return &s->ranges[i];
        }
    return NULL;
}

bool hsc_code_recall(hsc_code *c, uint64_t address, hsc_code_answer *out) {
    const range *r = c->given ? range_of(c->given, address) : NULL;
    const word *w = r ? &r->words[(address - r->lo) / 64] : NULL;
    if (!w || !w->begins)
        return false;
    uint32_t k = c->given->ids.p[w->first + count_bits(w->begins & up_to(address % 64)) - 1];
    if (k == UNKNOWN)
        return false;
    const hsc_code_known *a = &c->answers.p[k];
    *out = (hsc_code_answer){.elements = c->answer_elements.p + a->first,
                             .element_count = a->count,
                             .file = a->file,
                             .line = a->line,
                             .instance = a->instance,
                             .knowledge = (hsc_knowledge)a->knowledge,
                             .repaired = a->repaired};
    return true;
}

uint64_t hsc_code_first_unknown(const hsc_code *c, uint64_t at, uint64_t hi) {
    const range *r = c->given ? range_of(c->given, at) : NULL;
    if (!r)
        return c->given ? hi : at;
    for (uint64_t offset = at - r->lo; offset < r->bytes && r->lo + offset < hi;) {
        const word *w = &r->words[offset / 64];
        if (!w->begins)
            return r->lo + offset;
        unsigned byte = offset % 64;
        uint32_t i = w->first + count_bits(w->begins & up_to(byte)) - 1;
        if (c->given->ids.p[i] == UNKNOWN)
            return r->lo + offset;
        uint64_t behind = byte < 63 ? w->begins & ~up_to(byte) : 0;
        offset = behind ? offset - byte + (unsigned)__builtin_ctzll(behind) : offset - byte + 64;
    }
    return hi;
}

/* ---- keeping ---- */

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

/* Its number; UNKNOWN: not kept. */
static uint32_t number_of(hsc_code *c, const hsc_code_answer *a) {
    uint64_t h = hash(hash(a->file, a->line), (uint64_t)a->instance << 8 | (uint64_t)a->knowledge << 1 | a->repaired);
    uint64_t g = a->element_count;
    for (size_t i = 0; i < a->element_count; i++) {
        h = hash(h, (uint64_t)a->elements[i].kind << 32 | a->elements[i].index);
        g = hash(g, (uint64_t)a->elements[i].call_file << 32 | a->elements[i].call_line);
    }
    uint32_t *at = hsc_table_at(&c->answer_by_content, h, g);
    if (!at)
        return UNKNOWN;
    if (*at != HSC_NO_INDEX)
        return is_same(c, &c->answers.p[*at], a) ? *at : UNKNOWN;
    size_t first = c->answer_elements.n;
    if (first + a->element_count >= HSC_NO_INDEX || !HSC_RESERVE(c->answer_elements, first + a->element_count) ||
        !HSC_PUSH(c->answers, (hsc_code_known){(uint32_t)first, (uint16_t)a->element_count, (uint8_t)a->knowledge,
                                               a->repaired, a->file, a->line, a->instance}))
        return UNKNOWN;
    if (a->element_count)
        memcpy(c->answer_elements.p + first, a->elements, a->element_count * sizeof *a->elements);
    c->answer_elements.n += a->element_count;
    return *at = (uint32_t)c->answers.n - 1;
}

static bool make(hsc_code *c) {
    struct hsc_code_answers *s = hsc_pool_take(&c->pool, sizeof *s);
    if (s && !(s->ranges = hsc_pool_take(&c->pool, c->code_ranges.n * sizeof *s->ranges)))
        s = NULL;
    c->given = s;
    for (size_t i = 0; s && i < c->code_ranges.n; i++) {
        const hsc_range *from = &c->code_ranges.p[i];
        uint64_t skipped = from->lo % 64, bytes = from->bytes ? from->byte_count : 0;
        bytes = bytes < from->hi - from->lo ? bytes : from->hi - from->lo;
        /* no more than the file holds, so that a false size takes no memory */
        range r = {from->lo - skipped, bytes + skipped, bytes ? calloc((bytes + skipped) / 64 + 1, sizeof *r.words) : NULL};
        if (r.words)
            s->ranges[s->range_count++] = r;
    }
    for (size_t i = 0; s && i < 7; i++)
        s->free_ids[i] = UNKNOWN;
    return s != NULL;
}

static unsigned room_of(unsigned count) { /* logarithm; of 8 at least, since most words get more */
    return count <= 8 ? 3 : 32 - (unsigned)__builtin_clz(count - 1);
}

/* Room for `count` answers; UNKNOWN: none. */
static uint32_t take_ids(struct hsc_code_answers *s, unsigned count) {
    unsigned room = room_of(count);
    uint32_t at = s->free_ids[room];
    if (at != UNKNOWN) {
        s->free_ids[room] = s->ids.p[at];
        return at;
    }
    if (s->ids.n + (1u << room) >= UNKNOWN || !HSC_RESERVE(s->ids, s->ids.n + (1u << room)))
        return UNKNOWN;
    at = (uint32_t)s->ids.n;
    s->ids.n += 1u << room;
    return at;
}

/* Gives the bytes [from, to] of the word the answer k; they are of one piece that is not known. */
static bool fill(struct hsc_code_answers *s, word *w, unsigned from, unsigned to, uint32_t k) {
    unsigned count = w->begins ? count_bits(w->begins) : 0, at = w->begins ? count_bits(w->begins & up_to(from)) - 1 : 0;
    uint64_t begins = w->begins | 1 | 1ull << from;
    if (to < 63)
        begins |= 1ull << (to + 1);
    unsigned more = count_bits(begins), first = w->first;
    if (count && at + 1 == count && w->begins >> from & 1 && room_of(more) == room_of(count)) { /* as they come in order */
        s->ids.p[first + at] = k;
        if (more > count)
            s->ids.p[first + at + 1] = UNKNOWN;
        w->begins = begins;
        return true;
    }
    if (!count || room_of(more) > room_of(count)) {
        first = take_ids(s, more);
        if (first == UNKNOWN)
            return false;
    }
    uint32_t *old = s->ids.p + w->first, *ids = s->ids.p + first;
    unsigned before = count ? !(w->begins >> from & 1) : from > 0; /* 1: what is before stays not known */
    unsigned rest = count ? count - at - 1 : 0;                     /* pieces behind it */
    memmove(ids + more - rest, old + at + 1, rest * sizeof *ids);
    if (ids != old)
        memcpy(ids, old, at * sizeof *ids);
    for (unsigned i = at; i < more - rest; i++)
        ids[i] = i == at + before ? k : UNKNOWN;
    if (count && first != w->first) {
        *old = s->free_ids[room_of(count)];
        s->free_ids[room_of(count)] = w->first;
    }
    w->first = first;
    w->begins = begins;
    return true;
}

/* First and last byte of the piece of the word that the byte is in, when it is not known. */
static bool find_gap(const struct hsc_code_answers *s, const word *w, unsigned at, unsigned *from, unsigned *to) {
    *from = 0;
    *to = 63;
    if (!w->begins)
        return true;
    uint64_t upper = w->begins & ~up_to(at), lower = w->begins & up_to(at);
    *from = 63 - (unsigned)__builtin_clzll(lower);
    *to = upper ? (unsigned)__builtin_ctzll(upper) - 1 : 63;
    return s->ids.p[w->first + count_bits(lower) - 1] == UNKNOWN;
}

/* Gives [lo, hi) the answer k as far as it lies in word i, round byte `at` of it, and is not known. *from, *to: the first and
 * last byte that got it. False: none. */
static bool fill_word(struct hsc_code_answers *s, const range *r, uint64_t i, unsigned at, uint64_t lo, uint64_t hi, uint32_t k,
                      unsigned *from, unsigned *to) {
    if (!find_gap(s, &r->words[i], at, from, to))
        return false;
    if (lo > i * 64 + *from)
        *from = (unsigned)(lo - i * 64);
    if (hi <= i * 64 + *to)
        *to = (unsigned)(hi - 1 - i * 64);
    return fill(s, &r->words[i], *from, *to, k);
}

void hsc_code_keep(hsc_code *c, uint64_t address, uint64_t lo, uint64_t hi, const hsc_code_answer *answer) {
    struct hsc_code_answers *s = c->given || make(c) ? c->given : NULL;
    const range *r = s ? range_of(s, address) : NULL;
    uint32_t k = r && lo <= address && address < hi ? number_of(c, answer) : UNKNOWN;
    if (k == UNKNOWN)
        return;
    lo = lo < r->lo ? 0 : lo - r->lo; /* offsets from here on */
    hi = hi - r->lo > r->bytes ? r->bytes : hi - r->lo;
    address -= r->lo;
    unsigned from, to, first;
    if (!fill_word(s, r, address / 64, address % 64, lo, hi, k, &first, &to))
        return;
    for (uint64_t i = address / 64 + 1; to == 63 && i * 64 < hi; i++)
        if (!fill_word(s, r, i, 0, lo, hi, k, &from, &to))
            break;
    for (uint64_t i = address / 64; first == 0 && i * 64 > lo; i--)
        if (!fill_word(s, r, i - 1, 63, lo, hi, k, &first, &to))
            break;
}

void hsc_code_answers_free(hsc_code *c) {
    struct hsc_code_answers *s = c->given;
    for (size_t i = 0; s && i < s->range_count; i++)
        free(s->ranges[i].words);
    if (s)
        free(s->ids.p);
}
