/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks, edges and loops of a machine function. */
#include "machine_loops.h"

#include <stdlib.h>
#include <string.h>

#include "x86_64.h"

#define FUNCTION_MAX (16u << 20)
#define LOOP_DEPTH_MAX 64
#define TABLE_MAX 65536

typedef struct jump { /* an instruction that ends a block */
    uint32_t begin, end; /* offsets in the function */
    uint32_t target;     /* HSC_NO_INDEX: none in the function */
    bool falls;          /* may go on to the next instruction */
    bool indirect;       /* a switch, not a tail call */
} jump;

typedef struct edge {
    uint32_t from, to;
} edge;

typedef struct graph {
    hsc_code *c;
    const uint8_t *p;
    uint64_t lo;
    uint32_t size;
    uint64_t *starts, *leaders, *targets; /* a bit for each byte: an instruction, a block begins, a jump leads there */
    uint64_t *more;                       /* blocks begin there too: behind padding and calls that do not return, in tables */
    HSC_VEC(jump) jumps;
    HSC_VEC(hsc_machine_call) calls;
    HSC_VEC(uint64_t) tables;   /* addresses that RIP-relative lea takes, outside of code */
    HSC_VEC(uint32_t) paddings; /* offsets where it begins, rising */
    HSC_VEC(uint32_t) table_at; /* offset of the end of that lea */
    HSC_VEC(uint32_t) branch_of; /* by block: offset of the direct jump or branch at its end; HSC_NO_INDEX */
    HSC_VEC(uint32_t) blocks;   /* offsets, rising; the last is followed by one that stands for unknown jumps */
    HSC_VEC(edge) edges;
    uint32_t *first, *to;       /* successors of block b: to[first[b] .. first[b + 1]) */
    bool no_memory;
} graph;

static void set_bit(uint64_t *bits, uint32_t i) {
    bits[i / 64] |= 1ull << (i % 64);
}

static bool has_bit(const uint64_t *bits, uint32_t i) {
    return bits[i / 64] >> (i % 64) & 1;
}

/* ---- instructions ---- */

/* Is the indirect jump at `at` a tail call? `before`: where the instruction before it begins. A call leaves through memory
 * without an index, or after the stack was put back. */
static bool is_tail_call(const uint8_t *p, uint32_t at, uint32_t end, uint32_t before) {
    while (at < end && p[at] != 0xFF)
        at++;
    if (at + 1 >= end)
        return true;
    if (p[at + 1] >> 6 != 3)
        return (p[at + 1] & 7) != 4 || (p[at + 2] >> 3 & 7) == 4; /* no SIB byte, or one without an index */
    uint32_t b = before;
    if (p[b] == 0xC9 || (p[b] >= 0x58 && p[b] <= 0x5F) || (p[b] == 0x41 && p[b + 1] >= 0x58 && p[b + 1] <= 0x5F))
        return true; /* leave, pop */
    return p[b] == 0x48 && (p[b + 1] == 0x81 || p[b + 1] == 0x83) && p[b + 2] == 0xC4; /* add rsp */
}

/* False: the code does not decode, or out of memory. */
static bool decode(graph *g) {
    uint32_t before = 0;
    bool padding = false; /* fills the space between two blocks */
    g->no_memory = true;
    set_bit(g->leaders, 0);
    for (uint32_t at = 0; at < g->size;) {
        hsc_x86_flow flow;
        int64_t relative;
        const uint8_t *p = g->p + at;
        uint32_t length = (uint32_t)hsc_x86_decode(p, g->size - at, &flow, &relative), end = at + length;
        if (!length) {
            g->no_memory = false;
            return false;
        }
        set_bit(g->starts, at);
        if (padding && !hsc_x86_is_nop(p, length)) {
            padding = false;
            set_bit(g->more, at);
        }
        int64_t target = (int64_t)end + relative;
        bool inside = target >= 0 && target < (int64_t)g->size;
        jump j = {at, end, HSC_NO_INDEX, false, false};
        switch (flow) {
        case HSC_X86_NEXT:
            if (length == 7 && (p[0] == 0x48 || p[0] == 0x4C) && p[1] == 0x8D && (p[2] & 0xC7) == 5) {
                int32_t d;
                memcpy(&d, p + 3, 4);
                uint64_t address = g->lo + end + (uint64_t)(int64_t)d;
                if (!hsc_code_is_code(g->c, address) && (!HSC_PUSH(g->tables, address) || !HSC_PUSH(g->table_at, end)))
                    return false;
            }
            if (length == 5 && p[0] == 0xE8) {
                int32_t d;
                memcpy(&d, p + 1, 4);
                if (!HSC_PUSH(g->calls, (hsc_machine_call){g->lo + at, g->lo + end + (uint64_t)(int64_t)d}))
                    return false;
            }
            break;
        default:
            j.falls = flow == HSC_X86_BRANCH;
            if ((flow == HSC_X86_BRANCH || flow == HSC_X86_JUMP) && inside) {
                j.target = (uint32_t)target;
                set_bit(g->leaders, j.target);
                set_bit(g->targets, j.target);
            }
            j.indirect = flow == HSC_X86_INDIRECT && !is_tail_call(g->p, at, end, before);
            if (!HSC_PUSH(g->jumps, j))
                return false;
            if (end < g->size)
                set_bit(g->leaders, end);
        }
        if (g->jumps.n && g->jumps.p[g->jumps.n - 1].end == end && !g->jumps.p[g->jumps.n - 1].falls && end < g->size) {
            size_t next = hsc_x86_decode(g->p + end, g->size - end, &flow, &relative);
            padding = next && hsc_x86_is_nop(g->p + end, next);
            if (padding && !HSC_PUSH(g->paddings, end))
                return false;
        }
        before = at;
        at = end;
    }
    g->no_memory = false;
    return true;
}

/* ---- calls that do not return ---- */

static int by_end(const void *pa, const void *pb) {
    const jump *a = pa, *b = pb;
    return a->end < b->end ? -1 : a->end > b->end;
}

static int by_offset(const void *pa, const void *pb) {
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return a < b ? -1 : a > b;
}

/* Blocks end at calls of functions that do not return: those between a jump back and where it leads, all others are in no loop. */
static bool end_at_calls(graph *g) {
    size_t before = g->jumps.n;
    uint32_t lowest = HSC_NO_INDEX, highest = 0;
    for (size_t i = 0; i < before; i++) {
        const jump *j = &g->jumps.p[i];
        bool back = j->target != HSC_NO_INDEX && j->target <= j->begin;
        if (j->indirect)
            lowest = 0, highest = g->size;
        else if (back)
            lowest = j->target < lowest ? j->target : lowest, highest = j->end > highest ? j->end : highest;
    }
    for (size_t i = 0; i < g->calls.n; i++) {
        uint32_t begin = (uint32_t)(g->calls.p[i].begin - g->lo), end = begin + HSC_CALL_BYTES;
        if (begin < lowest || end > highest || end >= g->size || !hsc_code_is_no_return(g->c, g->calls.p[i].target))
            continue;
        if (!HSC_PUSH(g->jumps, (jump){begin, end, HSC_NO_INDEX, false, false}))
            return false;
        set_bit(g->more, end);
        uint32_t at = end;
        hsc_x86_flow flow;
        int64_t relative;
        for (size_t n; at < g->size && (n = hsc_x86_decode(g->p + at, g->size - at, &flow, &relative)) &&
                       hsc_x86_is_nop(g->p + at, n);)
            at += (uint32_t)n;
        if (at > end && !HSC_PUSH(g->paddings, end))
            return false;
        if (at > end && at < g->size)
            set_bit(g->more, at);
    }
    if (g->jumps.n == before)
        return true;
    qsort(g->jumps.p, g->jumps.n, sizeof *g->jumps.p, by_end);
    if (g->paddings.n > 1)
        qsort(g->paddings.p, g->paddings.n, sizeof *g->paddings.p, by_offset);
    return true;
}

/* ---- jump tables ---- */

/* Targets of a table of `width` bytes an entry, until one does not fit. 4: relative to the table; 8: absolute. */
static bool read_table(graph *g, uint64_t table, unsigned width, uint32_t from, bool *found) {
    for (uint32_t i = 0; i < TABLE_MAX; i++) {
        uint64_t at = table + (uint64_t)i * width, target;
        for (size_t k = 0; k < g->tables.n; k++)
            if (i && g->tables.p[k] == at)
                return true; /* the next table of the function */
        const uint8_t *p = hsc_code_bytes_at(g->c, at, at + width);
        if (!p)
            return true;
        if (width == 4) {
            int32_t d;
            memcpy(&d, p, 4);
            target = table + (uint64_t)(int64_t)d;
        } else {
            memcpy(&target, p, 8);
        }
        target -= g->lo;
        if (target >= g->size || !has_bit(g->starts, (uint32_t)target))
            return true;
        set_bit(g->more, (uint32_t)target);
        set_bit(g->targets, (uint32_t)target);
        if (!HSC_PUSH(g->edges, (edge){from, (uint32_t)target})) /* offsets for now */
            return false;
        *found = true;
    }
    return true;
}

/* Resolved ones become edges and lose their `indirect`. */
static bool resolve_tables(graph *g) {
    for (size_t i = 0; i < g->jumps.n; i++) {
        jump *j = &g->jumps.p[i];
        if (!j->indirect)
            continue;
        bool found = false;
        const uint8_t *p = g->p + j->begin;
        while (*p != 0xFF)
            p++;
        if (p[1] == 0x24 && p[2] >> 6 == 3 && (p[2] & 7) == 5) { /* jmp *table(,%reg,8) */
            int32_t d;
            memcpy(&d, p + 3, 4);
            if (!read_table(g, (uint64_t)(int64_t)d, 8, j->begin, &found))
                return false;
        } else if (p[1] >> 6 == 3) { /* lea table(%rip),%a; movslq (%a,%b,4),%b; add %a,%b; jmp *%b */
            for (size_t k = g->tables.n; k-- > 0 && !found;)
                if (g->table_at.p[k] <= j->begin && j->begin - g->table_at.p[k] < 64 &&
                    !read_table(g, g->tables.p[k], 4, j->begin, &found))
                    return false;
        }
        j->indirect = !found;
    }
    return true;
}

/* ---- blocks and edges ---- */

static uint32_t block_of(const graph *g, uint32_t offset) {
    size_t from = 0, to = g->blocks.n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (g->blocks.p[mid] <= offset)
            from = mid + 1;
        else
            to = mid;
    }
    return (uint32_t)(from - 1);
}

static bool connect(graph *g) {
    for (uint32_t word = 0; word <= g->size / 64; word++)
        for (uint64_t bits = g->leaders[word] | g->more[word]; bits; bits &= bits - 1)
            if (!HSC_PUSH(g->blocks, word * 64 + (uint32_t)__builtin_ctzll(bits)))
                return false;
    for (size_t i = 0; i < g->edges.n; i++)
        g->edges.p[i] = (edge){block_of(g, g->edges.p[i].from), block_of(g, g->edges.p[i].to)};
    uint32_t n = (uint32_t)g->blocks.n, unknown = n;
    size_t j = 0, pad = 0;
    bool any = false;
    for (uint32_t b = 0; b < n; b++) {
        uint32_t end = b + 1 < n ? g->blocks.p[b + 1] : g->size;
        while (j < g->jumps.n && g->jumps.p[j].end < end)
            j++; /* into the middle of an instruction: a block without a jump of its own */
        const jump *at = j < g->jumps.n && g->jumps.p[j].end == end ? &g->jumps.p[j] : NULL;
        if (!HSC_PUSH(g->branch_of, at && at->target != HSC_NO_INDEX ? at->begin : HSC_NO_INDEX))
            return false;
        while (pad < g->paddings.n && g->paddings.p[pad] < g->blocks.p[b])
            pad++;
        bool is_padding = pad < g->paddings.n && g->paddings.p[pad] == g->blocks.p[b] && !has_bit(g->targets, g->blocks.p[b]);
        if ((!at || at->falls) && !is_padding && b + 1 < n && !HSC_PUSH(g->edges, (edge){b, b + 1}))
            return false;
        if (at && at->target != HSC_NO_INDEX && !HSC_PUSH(g->edges, (edge){b, block_of(g, at->target)}))
            return false;
        if (at && at->indirect) {
            any = true;
            if (!HSC_PUSH(g->edges, (edge){b, unknown}))
                return false;
        }
    }
    g->first = calloc(n + 3, sizeof *g->first);
    if (!g->first)
        return false;
    if (any) {
        for (size_t i = 0; i < g->edges.n; i++)
            if (g->edges.p[i].to < n)
                g->first[g->edges.p[i].to] = 1; /* something leads there */
        for (size_t i = 0; i < g->paddings.n; i++)
            g->first[block_of(g, g->paddings.p[i])] = 1;
        for (uint32_t b = 1; b < n; b++)
            if (!g->first[b] && !HSC_PUSH(g->edges, (edge){unknown, b}))
                return false;
        memset(g->first, 0, (n + 3) * sizeof *g->first);
    }
    g->to = malloc((g->edges.n + 1) * sizeof *g->to);
    if (!g->to)
        return false;
    for (size_t i = 0; i < g->edges.n; i++)
        g->first[g->edges.p[i].from + 2]++;
    for (uint32_t b = 0; b <= n; b++)
        g->first[b + 2] += g->first[b + 1];
    for (size_t i = 0; i < g->edges.n; i++)
        g->to[g->first[g->edges.p[i].from + 1]++] = g->edges.p[i].to;
    return true;
}

/* ---- loops ---- */

typedef struct region { /* blocks [begin, end) of the list, to be looked into */
    uint32_t begin, end, loop, depth;
} region;

typedef struct search {
    const graph *g;
    hsc_machine_function *out;
    uint32_t n;
    uint32_t *loop_of;  /* by block: innermost loop so far; HSC_NO_INDEX */
    uint8_t *is_entry;  /* by block: edges to it are taken out */
    uint32_t *list;     /* blocks, those of a region side by side */
    uint32_t *order, *low, *stack, *walk, *next; /* Tarjan's */
    uint8_t *on_stack;
    uint32_t *mark; /* 1: entries of the parts at hand */
    HSC_VEC(region) regions;
} search;

static bool is_self_loop(const search *s, uint32_t b) {
    for (uint32_t i = s->g->first[b]; i < s->g->first[b + 1]; i++)
        if (s->g->to[i] == b && !s->is_entry[b])
            return true;
    return false;
}

/* The blocks of the n parts are of loops `first` and up from here on, the last part's of the first; of each part those are marked that edges
 * lead to from outside, within the region around them. One look at the region, however many loops it has. */
static void mark_entries(search *s, const region *r, const region *parts, size_t n, uint32_t first) {
    const graph *g = s->g;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = parts[i].begin; k < parts[i].end; k++)
            s->loop_of[s->list[k]] = first + (uint32_t)(n - 1 - i);
    for (uint32_t k = r->begin; n && k < r->end; k++) {
        uint32_t from = s->list[k];
        for (uint32_t i = g->first[from]; i < g->first[from + 1]; i++) {
            uint32_t to = g->to[i], loop = s->loop_of[to];
            if (loop != HSC_NO_INDEX && loop >= first && loop != s->loop_of[from] && !s->is_entry[to])
                s->mark[to] = 1;
        }
    }
}

/* A strongly connected part, its blocks in list[begin, end), whose entries are marked: becomes a loop inside `r`. */
static bool add_loop(search *s, const region *r, uint32_t begin, uint32_t end) {
    const graph *g = s->g;
    uint32_t loop = (uint32_t)s->out->loops.n, entries = 0, header = HSC_NO_INDEX, lowest = HSC_NO_INDEX;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t b = s->list[i];
        lowest = b < lowest ? b : lowest;
        entries += s->mark[b];
        header = s->mark[b] && b < header ? b : header;
    }
    if (lowest == 0 && !s->mark[0]) { /* the function's own entry */
        s->mark[0] = 1;
        entries++;
        header = 0;
    }
    if (header == HSC_NO_INDEX) {
        header = lowest;
        s->mark[header] = 1;
    }
    for (uint32_t i = begin; i < end; i++)
        if (s->mark[s->list[i]]) {
            s->is_entry[s->list[i]] = 1;
            s->mark[s->list[i]] = 0;
        }
    uint32_t shown = header < g->blocks.n ? header : lowest; /* the unknown jump has no address */
    hsc_machine_loop row = {g->lo + g->blocks.p[shown < g->blocks.n ? shown : 0], r->loop, entries > 1};
    if (!HSC_PUSH(s->out->loops, row))
        return false;
    if (end - begin > 1 && r->depth < LOOP_DEPTH_MAX)
        return HSC_PUSH(s->regions, (region){begin, end, loop, r->depth + 1});
    return true;
}

/* Strongly connected parts of the region (Tarjan 1972, without recursion). Its part of the list is put in their order. */
static bool split(search *s, region r) {
    const graph *g = s->g;
    uint32_t count = 0, depth, tops = 0, filled = r.begin;
    uint32_t *copy = malloc((r.end - r.begin) * sizeof *copy);
    HSC_VEC(region) parts = {0};
    bool ok = copy != NULL;
    for (uint32_t i = r.begin; ok && i < r.end; i++) {
        copy[i - r.begin] = s->list[i];
        s->order[s->list[i]] = HSC_NO_INDEX;
    }
    for (uint32_t i = 0; ok && i < r.end - r.begin; i++) {
        if (s->order[copy[i]] != HSC_NO_INDEX)
            continue;
        depth = 0;
        s->walk[depth++] = copy[i];
        s->order[copy[i]] = s->low[copy[i]] = count++;
        s->next[copy[i]] = g->first[copy[i]];
        s->stack[tops++] = copy[i];
        s->on_stack[copy[i]] = 1;
        while (ok && depth) {
            uint32_t b = s->walk[depth - 1];
            if (s->next[b] < g->first[b + 1]) {
                uint32_t to = g->to[s->next[b]++];
                if (s->loop_of[to] != r.loop || s->is_entry[to])
                    continue;
                if (s->order[to] == HSC_NO_INDEX) {
                    s->order[to] = s->low[to] = count++;
                    s->next[to] = g->first[to];
                    s->stack[tops++] = to;
                    s->on_stack[to] = 1;
                    s->walk[depth++] = to;
                } else if (s->on_stack[to] && s->order[to] < s->low[b]) {
                    s->low[b] = s->order[to];
                }
                continue;
            }
            depth--;
            if (depth && s->low[b] < s->low[s->walk[depth - 1]])
                s->low[s->walk[depth - 1]] = s->low[b];
            if (s->low[b] != s->order[b])
                continue;
            uint32_t begin = filled, top;
            do {
                top = s->stack[--tops];
                s->on_stack[top] = 0;
                s->list[filled++] = top;
            } while (top != b);
            if (filled - begin > 1 || is_self_loop(s, b))
                ok = HSC_PUSH(parts, (region){begin, filled, 0, 0});
        }
    }
    if (ok)
        mark_entries(s, &r, parts.p, parts.n, (uint32_t)s->out->loops.n);
    for (size_t i = parts.n; ok && i-- > 0;) /* the last found is the first in the flow */
        ok = add_loop(s, &r, parts.p[i].begin, parts.p[i].end);
    free(parts.p);
    free(copy);
    return ok;
}

static bool is_in(const hsc_machine_function *m, uint32_t loop, uint32_t outer) {
    while (loop != HSC_NO_INDEX && loop != outer)
        loop = m->loops.p[loop].parent;
    return loop == outer;
}

/* What the branch at the end of block b closes or leaves. */
static bool add_branches(search *s, uint32_t b) {
    const graph *g = s->g;
    for (uint32_t l = s->loop_of[b]; l != HSC_NO_INDEX && g->branch_of.p[b] != HSC_NO_INDEX; l = s->out->loops.p[l].parent) {
        bool controls = false;
        for (uint32_t i = g->first[b]; i < g->first[b + 1] && !controls; i++) {
            uint32_t to = g->to[i];
            controls = !is_in(s->out, s->loop_of[to], l) ||
                       (to + 1 < s->n && g->lo + g->blocks.p[to] == s->out->loops.p[l].header);
        }
        if (controls && !HSC_PUSH(s->out->branches, (hsc_machine_branch){g->lo + g->branch_of.p[b], l}))
            return false;
    }
    return true;
}

static bool find_loops(const graph *g, hsc_machine_function *out) {
    uint32_t n = (uint32_t)g->blocks.n + 1;
    search s = {.g = g, .out = out, .n = n};
    uint32_t *all = malloc((size_t)n * 8 * sizeof *all);
    uint8_t *flags = calloc(n, 2);
    bool ok = all && flags;
    if (ok) {
        s.loop_of = all;
        s.list = all + n;
        s.order = all + (size_t)2 * n;
        s.low = all + (size_t)3 * n;
        s.stack = all + (size_t)4 * n;
        s.walk = all + (size_t)5 * n;
        s.next = all + (size_t)6 * n;
        s.mark = all + (size_t)7 * n;
        s.is_entry = flags;
        s.on_stack = flags + n;
        for (uint32_t b = 0; b < n; b++) {
            s.loop_of[b] = HSC_NO_INDEX;
            s.list[b] = b;
            s.mark[b] = 0;
        }
        ok = HSC_PUSH(s.regions, (region){0, n, HSC_NO_INDEX, 0});
    }
    for (size_t i = 0; ok && i < s.regions.n; i++)
        ok = split(&s, s.regions.p[i]);
    for (uint32_t b = 0; ok && b + 1 < n && out->loops.n; b++)
        if (!out->pieces.n || out->pieces.p[out->pieces.n - 1].loop != s.loop_of[b])
            ok = HSC_PUSH(out->pieces, (hsc_machine_piece){g->lo + g->blocks.p[b], s.loop_of[b]});
    for (uint32_t b = 0; ok && b + 1 < n && out->loops.n; b++)
        ok = add_branches(&s, b);
    free(s.regions.p);
    free(flags);
    free(all);
    return ok;
}

/* A jump back: without one there is no loop. */
static bool has_way_back(const graph *g) {
    for (size_t i = 0; i < g->jumps.n; i++)
        if (g->jumps.p[i].indirect || (g->jumps.p[i].target != HSC_NO_INDEX && g->jumps.p[i].target <= g->jumps.p[i].begin))
            return true;
    return false;
}

/* Fills *out; false: out of memory. */
static bool look_into(hsc_code *c, const hsc_symbol *symbol, hsc_machine_function *out) {
    uint64_t lo = symbol->lo, hi = symbol->hi;
    const uint8_t *p = c->is_x86_64 && hi > lo && hi - lo <= FUNCTION_MAX ? hsc_code_bytes_at(c, lo, hi) : NULL;
    if (!p)
        return true;
    graph g = {.c = c, .p = p, .lo = lo, .size = (uint32_t)(hi - lo)};
    size_t words = (size_t)g.size / 64 + 1;
    uint64_t *bits = calloc(words, 3 * 8);
    g.leaders = hsc_pool_take(&c->pool, words * 8);
    bool ok = bits && g.leaders;
    if (ok) {
        g.starts = bits;
        g.more = bits + words;
        g.targets = bits + 2 * words;
    }
    bool decoded = ok && decode(&g);
    ok = ok && !g.no_memory;
    if (decoded) {
        out->leaders = g.leaders;
        out->calls.p = g.calls.p;
        out->calls.n = g.calls.n;
        out->calls.cap = g.calls.cap;
    }
    if (decoded && has_way_back(&g))
        ok = end_at_calls(&g) && resolve_tables(&g) && connect(&g) && find_loops(&g, out);
    free(bits);
    free(g.jumps.p);
    if (!decoded)
        free(g.calls.p);
    free(g.tables.p);
    free(g.paddings.p);
    free(g.table_at.p);
    free(g.blocks.p);
    free(g.branch_of.p);
    free(g.edges.p);
    free(g.first);
    free(g.to);
    return ok;
}

const hsc_machine_function *hsc_code_machine_function(hsc_code *c, const hsc_symbol *symbol) {
    uint32_t *known = &c->symbol_facts.p[symbol - c->symbols.p].function;
    if (*known != HSC_NO_INDEX)
        return c->functions.p[*known];
    hsc_machine_function *m = hsc_pool_take(&c->pool, sizeof *m);
    if (!m || !HSC_PUSH(c->functions, m))
        return NULL;
    if (!look_into(c, symbol, m)) {
        hsc_machine_function_fini(m);
        c->functions.n--;
        return NULL;
    }
    *known = (uint32_t)c->functions.n - 1;
    return m;
}

void hsc_machine_function_fini(hsc_machine_function *m) {
    free(m->pieces.p);
    free(m->loops.p);
    free(m->branches.p);
    free(m->calls.p);
    *m = (hsc_machine_function){0};
}
