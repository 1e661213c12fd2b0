/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Subprograms and inlined copies from a walk over the entries, as one sorted array of address spans. */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/linkage.h>

#include "dwarf_read.h"

#define DEPTH_MAX 256
#define HOPS_MAX 16 /* from a copy to what it is a copy of */

typedef struct scope_range {
    uint64_t lo, hi;
    uint32_t scope, depth;
} scope_range;

typedef struct origin { /* of scopes */
    uint32_t procedure;
    uint32_t unit; /* row of the code's units, or HSC_NO_INDEX: that of the scope */
} origin;

typedef struct level { /* of the tree of entries */
    uint32_t scope, depth; /* innermost around them */
    uint64_t subprogram;   /* its entry; UINT64_MAX: none */
} level;

typedef struct lambda { /* gcc's: its call operator has neither a name for the linker nor a line, its class has the line */
    uint32_t procedure, line;
    uint64_t of;       /* the entry of its class */
    hsc_dwarf_unit *u; /* the class's */
} lambda;

typedef struct local_class { /* a class without a name in a procedure */
    uint64_t subprogram;
    const hsc_dwarf_unit *u;
} local_class;

typedef struct walk {
    hsc_dwarf *d;
    hsc_code *c;
    hsc_dwarf_unit *u;
    hsc_abbreviations abbreviations, others; /* of the unit, of one that it refers to */
    hsc_table origin_of; /* (entry, its file): row of origins */
    HSC_VEC(origin) origins;
    HSC_VEC(lambda) lambdas;
    HSC_VEC(local_class) classes;
    hsc_table class_of; /* (entry, its file): row of classes */
    HSC_VEC(scope_range) ranges;
    uint32_t level; /* of the scope whose ranges come */
} walk;

/* Reads the entry at `offset`, which one of `from` refers to. *of: its unit; NULL when there is no such entry. */
static bool read_at(walk *w, const hsc_dwarf_unit *from, uint64_t offset, bool common, const hsc_dwarf_unit **of, hsc_entry *out) {
    const hsc_dwarf_unit *u = *of = hsc_dwarf_unit_at(w->d, from, offset, common);
    hsc_abbreviations *a = u == w->u ? &w->abbreviations : &w->others;
    if (!u)
        return true;
    if (!hsc_abbreviations_load(a, u))
        return false;
    hsc_cursor c = {u->in->info.p + offset, u->in->info.p + u->end};
    const hsc_abbreviation *b = offset < u->first ? NULL : hsc_abbreviation_of(a, hsc_take_uleb(&c));
    if (b)
        hsc_read_entry(a, b, u, &c, out);
    else
        *of = NULL;
    return true;
}

/* What the entries behind `e`, of unit `u`, say that it does not: it is a copy of them, or declared by them. */
static bool complete(walk *w, const hsc_dwarf_unit *u, hsc_entry *e, const hsc_dwarf_unit **file_unit) {
    hsc_entry next = *e;
    *file_unit = u;
    for (int hops = 0; hops < HOPS_MAX && (next.origin != UINT64_MAX || next.specification != UINT64_MAX); hops++) {
        bool is_origin = next.origin != UINT64_MAX;
        if (!read_at(w, u, is_origin ? next.origin : next.specification,
                     is_origin ? next.origin_common : next.specification_common, &u, &next))
            return false;
        if (!u)
            break;
        e->name = e->name ? e->name : next.name;
        e->linkage = e->linkage ? e->linkage : next.linkage;
        e->line = e->line != UINT64_MAX ? e->line : next.line;
        if (e->file == UINT64_MAX && next.file != UINT64_MAX) {
            e->file = next.file;
            *file_unit = u;
        }
    }
    return true;
}

/* The class whose call operator `e` is, by the type of its object: a pointer to it, or to a constant one. *at: the class's entry; UINT64_MAX: it is no
 * lambda of gcc's. */
static bool class_of_lambda(walk *w, const hsc_dwarf_unit *u, const hsc_entry *e, hsc_entry *class, uint64_t *at) {
    const hsc_dwarf_unit *of = u;
    uint64_t next = e->object;
    *at = UINT64_MAX;
    if (e->linkage || !e->name || strcmp(e->name, "operator()") || e->line != UINT64_MAX)
        return true;
    for (int hops = 0; hops < 6 && next != UINT64_MAX && of == u; hops++) {
        if (!read_at(w, u, next, false, &of, class))
            return false;
        if (of && hops && class->type == UINT64_MAX && class->line != UINT64_MAX && !class->name) {
            *at = next;
            return true;
        }
        next = of ? class->type : UINT64_MAX;
    }
    return true;
}

/* A lambda's procedure, one for each line that has one; the procedure that it is written in is put before its name when all units are known. */
static bool add_lambda(walk *w, hsc_dwarf_unit *u, const hsc_entry *class, uint64_t at, uint32_t *out) {
    hsc_code *c = w->c;
    char text[64];
    uint32_t file = HSC_NO_INDEX;
    bool is_new;
    snprintf(text, sizeof text, "lambda:%llu", (unsigned long long)class->line);
    const char *name = hsc_pool_intern(&c->pool, text, strlen(text));
    if (!name || !hsc_dwarf_file(w->d, u, class->file, &file) || !hsc_code_add_procedure(c, name, name, file, out, &is_new))
        return false;
    if (!is_new)
        return true;
    uint32_t line = class->line < HSC_NO_INDEX ? (uint32_t)class->line : 0;
    c->procedures.p[*out].knowledge = HSC_KNOWN_DWARF;
    c->procedures.p[*out].line_begin = line;
    return HSC_PUSH(w->lambdas, (lambda){*out, line, at, u});
}

/* The procedure that the entry `e` at `offset` is of or is a copy of, and the unit it comes from. */
static bool add_origin(walk *w, const hsc_dwarf_unit *u, hsc_entry e, origin *out) {
    hsc_code *c = w->c;
    const hsc_dwarf_unit *file_unit;
    for (int hops = 0; hops < HOPS_MAX && e.origin != UINT64_MAX; hops++) { /* what describes the procedure itself */
        const hsc_dwarf_unit *next_unit;
        hsc_entry next;
        if (!read_at(w, u, e.origin, e.origin_common, &next_unit, &next))
            return false;
        if (!next_unit)
            break;
        u = next_unit;
        e = next;
    }
    out->unit = u->in == w->u->in ? u->row : HSC_NO_INDEX;
    if (!complete(w, u, &e, &file_unit))
        return false;
    hsc_entry class;
    uint64_t class_at;
    if (!class_of_lambda(w, u, &e, &class, &class_at))
        return false;
    if (class_at != UINT64_MAX)
        return add_lambda(w, &w->d->units.p[u - w->d->units.p], &class, class_at, &out->procedure);
    const char *text = e.linkage ? e.linkage : e.name ? e.name : "[no name]";
    const char *linkage = hsc_pool_intern(&c->pool, text, strlen(text));
    if (!linkage)
        return false;
    uint32_t unit = out->unit == HSC_NO_INDEX ? w->u->row : out->unit, group = c->units.p[unit].source, file = HSC_NO_INDEX;
    out->procedure = group != HSC_NO_INDEX ? hsc_table_get(&c->procedure_by_group, group, (uintptr_t)linkage) : HSC_NO_INDEX;
    /* line tables alone (-gline-tables-only) name procedures as the source does, not as the linker */
    for (int any = 0; any < 2 && out->procedure == HSC_NO_INDEX && !e.linkage && group != HSC_NO_INDEX; any++) {
        const char *key = hsc_name_key(&c->pool, linkage, any);
        if (!key)
            return false;
        out->procedure = hsc_table_get(&c->procedure_by_name, group, (uintptr_t)key);
    }
    if (out->procedure < HSC_NO_INDEX - 1)
        return true;
    bool is_new;
    if (!hsc_dwarf_file(w->d, &w->d->units.p[file_unit - w->d->units.p], e.file, &file) ||
        !hsc_code_add_procedure(c, linkage, e.name ? e.name : linkage, file, &out->procedure, &is_new))
        return false;
    if (is_new) {
        c->procedures.p[out->procedure].knowledge = HSC_KNOWN_DWARF;
        c->procedures.p[out->procedure].line_begin = e.line < HSC_NO_INDEX ? (uint32_t)e.line : 0;
    }
    return true;
}

/* The same, found once for all copies. */
static bool origin_of(walk *w, const hsc_entry *e, uint64_t offset, origin *out) {
    const hsc_dwarf_unit *u = w->u;
    bool is_copy = e->origin != UINT64_MAX;
    uint64_t key = is_copy ? e->origin : offset;
    uintptr_t in = (uintptr_t)(is_copy && e->origin_common ? &w->d->common : u->in);
    uint32_t *at = hsc_table_at(&w->origin_of, key, in);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)w->origins.n;
        if (!add_origin(w, u, *e, out) || !HSC_PUSH(w->origins, *out))
            return false;
    } else {
        *out = w->origins.p[*at];
    }
    return true;
}

static uint32_t number_of(uint64_t v) { return v < HSC_NO_INDEX ? (uint32_t)v : 0; }

/* Name of the symbol that begins at the address; NULL. */
static const char *symbol_of(const hsc_code *c, uint64_t entry) {
    const hsc_symbol *s = hsc_code_symbol_at(c, entry);
    return s && s->lo == entry ? s->name : NULL;
}

/* The C library's own names (__GI_sched_yield, __libc_malloc) give way to the one that programs call, when the symbol
 * table has it for the same address. */
static void take_public_name(hsc_code *c, hsc_code_procedure *p, uint64_t entry) {
    const char *name = p->knowledge != HSC_KNOWN_DWARF || strncmp(p->linkage, "__", 2) ? NULL : symbol_of(c, entry);
    if (name && strncmp(name, "__", 2))
        p->name = p->linkage = name;
}

/* Is one name that of a copy or piece of what has the other? */
static bool is_copy_of(const char *name, const char *whole) {
    size_t n = hsc_linkage_whole(name, strlen(name));
    return name[n] && n == strlen(whole) && !strncmp(name, whole, n);
}

/* By the map's procedure of the symbol at the address: what the debug information has no name for by which the map knows it (overloaded
 * procedures with line tables alone), and which copy it is, of which the debug information has the original's name (parts of coroutines). */
static void look_at_symbol(const walk *w, hsc_code_scope *s, uint64_t entry) {
    const hsc_code *c = w->c;
    uint32_t group = c->units.p[w->u->row].source;
    const char *name = group == HSC_NO_INDEX ? NULL : symbol_of(c, entry);
    uint32_t found = name ? hsc_table_get(&c->procedure_by_group, group, (uintptr_t)name) : HSC_NO_INDEX;
    if (found == HSC_NO_INDEX)
        return;
    if (c->procedures.p[s->procedure].knowledge != HSC_KNOWN_MAP)
        s->procedure = s->function = found;
    else if (is_copy_of(name, c->procedures.p[s->procedure].linkage))
        s->function = found;
}

static bool add_range(void *ctx, uint64_t lo, uint64_t hi) {
    walk *w = ctx;
    return !hsc_code_is_code(w->c, lo) || HSC_PUSH(w->ranges, (scope_range){lo, hi, (uint32_t)w->c->scopes.n, w->level});
}

/* Adds the scope of a subprogram or inlined copy when it has code; *at is set to it then. */
static bool add_scope(walk *w, const hsc_entry *e, uint64_t offset, bool inlined, level *at) {
    hsc_code *c = w->c;
    size_t before = w->ranges.n;
    uint32_t parent = inlined ? at->scope : HSC_NO_INDEX;
    w->level = inlined ? at->depth + 1 : 0;
    if (!hsc_each_range(w->u, e, add_range, w))
        return false;
    if (w->ranges.n == before)
        return true;
    hsc_code_scope s = {.parent = parent, .unit = w->u->row, .depth = w->level, .call_file = HSC_NO_INDEX};
    origin o;
    if (!origin_of(w, e, offset, &o))
        return false;
    s.procedure = s.function = o.procedure;
    if (o.unit != HSC_NO_INDEX)
        s.unit = o.unit;
    if (inlined) {
        if (!hsc_dwarf_file(w->d, w->u, e->call_file, &s.call_file))
            return false;
        s.call_line = number_of(e->call_line);
        s.call_column = number_of(e->call_column);
        s.call_discriminator = number_of(e->call_discriminator);
    } else {
        look_at_symbol(w, &s, w->ranges.p[before].lo);
        c->procedures.p[s.procedure].has_code = true;
        take_public_name(c, &c->procedures.p[s.procedure], w->ranges.p[before].lo);
    }
    at->scope = (uint32_t)c->scopes.n;
    at->depth = w->level;
    return HSC_PUSH(c->scopes, s);
}

/* Procedures that are only declared here, and do not return, where they are called. */
static bool add_no_return(hsc_code *c, const hsc_entry *e) {
    const char *text = e->linkage ? e->linkage : e->name;
    const char *name = text ? hsc_pool_intern(&c->pool, text, strlen(text)) : NULL;
    uint32_t *at = name ? hsc_table_at(&c->no_return, (uintptr_t)name, 0) : NULL;
    if (at)
        *at = 1;
    return !text || at;
}

static bool may_hold_code(uint32_t tag) {
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_entry_point:
        return true;
    default:
        return false;
    }
}

static bool add_class(walk *w, uint64_t offset, uint64_t subprogram) {
    uint32_t *at = hsc_table_at(&w->class_of, offset, (uintptr_t)w->u->in);
    if (at)
        *at = (uint32_t)w->classes.n;
    return at && HSC_PUSH(w->classes, (local_class){subprogram, w->u});
}

/* "main::lambda:29": by the procedure that it is written in, as the source names it. */
static bool name_lambda(walk *w, const lambda *l) {
    uint32_t row = hsc_table_get(&w->class_of, l->of, (uintptr_t)l->u->in);
    const hsc_dwarf_unit *u, *file_unit;
    hsc_entry e;
    if (row == HSC_NO_INDEX)
        return true;
    w->u = &w->d->units.p[w->classes.p[row].u - w->d->units.p];
    if (!hsc_abbreviations_load(&w->abbreviations, w->u) || !read_at(w, w->u, w->classes.p[row].subprogram, false, &u, &e) ||
        (u && !complete(w, u, &e, &file_unit)))
        return false;
    char *whole = u && e.linkage ? hsc_demangle(e.linkage) : NULL;
    const char *in = !u ? NULL : whole ? whole : e.name;
    size_t size = in ? strlen(in) + 32 : 0;
    char *text = in ? malloc(size) : NULL;
    if (text) {
        snprintf(text, size, "%s::lambda:%u", in, l->line);
        w->c->procedures.p[l->procedure].name = hsc_pool_intern(&w->c->pool, text, strlen(text));
    }
    bool ok = !in || (text && w->c->procedures.p[l->procedure].name);
    free(text);
    free(whole);
    return ok;
}

static bool walk_unit(walk *w) {
    hsc_dwarf_unit *u = w->u;
    const uint8_t *base = u->in->info.p;
    hsc_cursor c = {base + u->first, base + u->end};
    level levels[DEPTH_MAX];
    uint32_t depth = 0, passed = UINT32_MAX; /* nothing below an entry at this depth is of interest */
    if (!hsc_abbreviations_load(&w->abbreviations, u))
        return false;
    while (hsc_left(&c)) {
        uint64_t offset = (uint64_t)(c.p - base), code = hsc_take_uleb(&c);
        if (!code) {
            if (depth)
                depth--;
            if (!depth)
                break;
            if (depth <= passed)
                passed = UINT32_MAX;
            continue;
        }
        const hsc_abbreviation *b = hsc_abbreviation_of(&w->abbreviations, code);
        if (!b)
            break;
        level at = depth && depth <= DEPTH_MAX ? levels[depth - 1] : (level){HSC_NO_INDEX, 0, UINT64_MAX};
        bool wanted = passed == UINT32_MAX && depth < DEPTH_MAX && (!depth || may_hold_code(b->tag));
        if (!wanted && !(b->has_children && b->has_sibling)) {
            hsc_skip_values(&w->abbreviations, b, u, &c);
        } else if (!wanted || b->tag == DW_TAG_subprogram || b->tag == DW_TAG_inlined_subroutine) {
            hsc_entry e;
            hsc_read_entry(&w->abbreviations, b, u, &c, &e);
            uint64_t behind = (uint64_t)(c.p - base);
            if (!wanted && e.sibling >= behind && e.sibling < u->end) {
                c.p = base + e.sibling;
                continue;
            }
            if (wanted && b->tag == DW_TAG_subprogram &&
                (!add_scope(w, &e, offset, false, &at) || (e.does_not_return && !add_no_return(w->c, &e))))
                return false;
            if (wanted && b->tag == DW_TAG_subprogram)
                at.subprogram = offset;
            if (wanted && b->tag == DW_TAG_inlined_subroutine && at.scope != HSC_NO_INDEX && !add_scope(w, &e, offset, true, &at))
                return false;
        } else {
            hsc_skip_values(&w->abbreviations, b, u, &c);
            if (at.subprogram != UINT64_MAX && (b->tag == DW_TAG_class_type || b->tag == DW_TAG_structure_type) && !add_class(w, offset, at.subprogram))
                return false;
        }
        if (!b->has_children) {
            if (!depth)
                break;
            continue;
        }
        if (wanted)
            levels[depth] = at;
        else if (passed == UINT32_MAX)
            passed = depth;
        depth++;
    }
    return true;
}

static int by_address(const void *pa, const void *pb) {
    const scope_range *a = pa, *b = pb;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return a->scope < b->scope ? -1 : a->scope > b->scope;
}

/* Sorts by address: by 11 bits a pass, from the lowest, then what begins at one address. They come in the order of their scopes. */
static bool sort_ranges(scope_range *list, size_t n) {
    enum { BITS = 11, DIGITS = 1 << BITS };
    uint64_t lowest = UINT64_MAX, highest = 0;
    for (size_t i = 0; i < n; i++) {
        lowest = list[i].lo < lowest ? list[i].lo : lowest;
        highest = list[i].lo > highest ? list[i].lo : highest;
    }
    scope_range *other = n > 1 ? malloc(n * sizeof *other) : NULL, *from = list, *to = other;
    if (n > 1 && !other)
        return false;
    for (unsigned shift = 0; n > 1 && shift < 64 && (highest - lowest) >> shift; shift += BITS) {
        size_t begin[DIGITS + 1] = {0};
        for (size_t i = 0; i < n; i++)
            begin[((from[i].lo - lowest) >> shift & (DIGITS - 1)) + 1]++;
        for (size_t d = 1; d < DIGITS; d++)
            begin[d] += begin[d - 1];
        for (size_t i = 0; i < n; i++)
            to[begin[(from[i].lo - lowest) >> shift & (DIGITS - 1)]++] = from[i];
        scope_range *swap = from;
        from = to;
        to = swap;
    }
    if (from != list && n > 1)
        memcpy(list, from, n * sizeof *list);
    free(other);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && list[end].lo == list[i].lo; end++)
            ;
        if (end - i > 1)
            qsort(list + i, end - i, sizeof *list, by_address);
    }
    return true;
}

static bool push_span(hsc_code *c, uint64_t lo, uint32_t scope) {
    size_t n = c->scope_spans.n;
    if (n && c->scope_spans.p[n - 1].lo == lo) {
        c->scope_spans.p[n - 1].scope = scope;
        return true;
    }
    if (n && c->scope_spans.p[n - 1].scope == scope)
        return true;
    return HSC_PUSH(c->scope_spans, (hsc_scope_span){lo, scope});
}

/* Nested ranges to a flat list: the innermost range wins; a range that sticks out of its parent is cut. */
static bool flatten(walk *w) {
    hsc_code *c = w->c;
    HSC_VEC(scope_range) open = {0};
    bool ok = sort_ranges(w->ranges.p, w->ranges.n);
    for (size_t i = 0; ok && i <= w->ranges.n; i++) {
        scope_range r = i < w->ranges.n ? w->ranges.p[i] : (scope_range){UINT64_MAX, UINT64_MAX, 0, 0};
        while (ok && open.n && (open.p[open.n - 1].hi <= r.lo || open.p[open.n - 1].depth >= r.depth)) {
            scope_range top = open.p[--open.n];
            uint64_t end = top.hi < r.lo ? top.hi : r.lo; /* an equal or shallower range begins: ends this one */
            ok = push_span(c, end, open.n ? open.p[open.n - 1].scope : HSC_NO_INDEX);
        }
        if (!ok || i == w->ranges.n)
            break;
        if (open.n && r.hi > open.p[open.n - 1].hi)
            r.hi = open.p[open.n - 1].hi;
        ok = HSC_PUSH(open, r) && push_span(c, r.lo, r.scope);
    }
    free(open.p);
    return ok;
}

bool hsc_dwarf_load_scopes(hsc_dwarf *d) {
    walk w = {.d = d, .c = d->code};
    bool ok = true;
    for (size_t i = 0; ok && i < w.c->units.n; i++) {
        w.u = &d->units.p[i];
        ok = w.u->first >= w.u->end || walk_unit(&w);
    }
    for (size_t i = 0; ok && i < w.lambdas.n; i++)
        ok = name_lambda(&w, &w.lambdas.p[i]);
    ok = ok && flatten(&w);
    hsc_abbreviations_fini(&w.abbreviations);
    hsc_abbreviations_fini(&w.others);
    hsc_table_fini(&w.origin_of);
    hsc_table_fini(&w.class_of);
    free(w.origins.p);
    free(w.lambdas.p);
    free(w.classes.p);
    free(w.ranges.p);
    return ok;
}
