/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Subprograms and inlined copies from a walk of the DIE tree, as one sorted array of address spans. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "code_internal.h"

#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator 0x2136
#endif
#define DIE_DEPTH_MAX 256
#define RANGES_MAX 65536

typedef struct scope_range {
    uint64_t lo, hi;
    uint32_t scope, depth;
} scope_range;

typedef struct walk {
    hsc_code *c;
    uint32_t unit;
    Dwarf *dwarf;
    hsc_table procedure_of; /* offset of a DIE (abstract origin or itself), dwarf: procedure */
    HSC_VEC(scope_range) ranges;
} walk;

static const char *name_of(Dwarf_Die *die) {
    Dwarf_Attribute a;
    const char *s = NULL;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) || dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
        s = dwarf_formstring(&a);
    return s ? s : dwarf_diename(die);
}

/* The file that an attribute of the die names; NULL: none. libdw's own look-up takes number 0 for none, which is the
 * unit's primary file since DWARF 5. */
static const char *source_file_of(Dwarf_Die *die, unsigned attribute) {
    Dwarf_Attribute a;
    Dwarf_Files *files;
    Dwarf_Die cu;
    Dwarf_Word number;
    Dwarf_Half version = 0;
    size_t count;
    if (!dwarf_attr_integrate(die, attribute, &a) || dwarf_formudata(&a, &number) || !dwarf_diecu(die, &cu, NULL, NULL) ||
        dwarf_cu_info(cu.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) || (!number && version < 5) ||
        dwarf_getsrcfiles(&cu, &files, &count) || number >= count)
        return NULL;
    return dwarf_filesrc(files, number, NULL, NULL);
}

/* The DIE that describes the procedure itself: abstract origin of inlined and concrete out-of-line copies. */
static void origin_of(Dwarf_Die *die, Dwarf_Die *origin) {
    *origin = *die;
    for (int hops = 0; hops < 16; hops++) {
        Dwarf_Attribute a;
        Dwarf_Die next;
        if (!dwarf_attr(origin, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &next))
            return;
        *origin = next;
    }
}

/* Procedure that a DIE is of or is a copy of, and the unit it comes from. */
static bool procedure_of(walk *w, Dwarf_Die *die, uint32_t *out, uint32_t *unit) {
    hsc_code *c = w->c;
    Dwarf_Die origin, cu;
    origin_of(die, &origin);
    *unit = w->unit;
    if (origin.cu != die->cu && dwarf_cu_getdwarf(origin.cu) == w->dwarf && dwarf_diecu(&origin, &cu, NULL, NULL)) {
        uint32_t other = hsc_table_get(&c->unit_by_offset, dwarf_dieoffset(&cu), 0);
        *unit = other == HSC_NO_INDEX ? *unit : other;
    }
    uint32_t *known = hsc_table_at(&w->procedure_of, dwarf_dieoffset(&origin), (uintptr_t)dwarf_cu_getdwarf(origin.cu));
    if (!known)
        return false;
    if (*known != HSC_NO_INDEX) {
        *out = *known;
        return true;
    }
    const char *text = name_of(&origin), *plain = dwarf_diename(&origin), *path = source_file_of(&origin, DW_AT_decl_file);
    const char *linkage = hsc_pool_intern(&c->pool, text ? text : "[no name]", text ? strlen(text) : 9);
    if (!linkage)
        return false;
    int line = 0;
    dwarf_decl_line(&origin, &line);
    uint32_t group = c->units.p[*unit].source, file = HSC_NO_INDEX;
    uint32_t p = group != HSC_NO_INDEX ? hsc_table_get(&c->procedure_by_group, group, (uintptr_t)linkage) : HSC_NO_INDEX;
    if (p == HSC_NO_INDEX) {
        bool is_new;
        if (path && !hsc_code_add_unit_file(c, *unit, path, &file))
            return false;
        if (!hsc_code_add_procedure(c, linkage, plain ? plain : linkage, file, &p, &is_new))
            return false;
        if (is_new) {
            c->procedures.p[p].knowledge = HSC_KNOWN_DWARF;
            c->procedures.p[p].line_begin = line > 0 ? (uint32_t)line : 0;
        }
    }
    *known = p;
    *out = p;
    return true;
}

static uint32_t number_of(Dwarf_Die *die, unsigned attribute) {
    Dwarf_Attribute a;
    Dwarf_Word v;
    if (!dwarf_attr(die, attribute, &a) || dwarf_formudata(&a, &v) || v > 0xFFFFFFFEu)
        return 0;
    return (uint32_t)v;
}

/* The C library's own names (__GI_sched_yield, __libc_malloc) give way to the one that programs call, when the symbol
 * table has it for the same address. */
static void take_public_name(hsc_code *c, hsc_code_procedure *p, uint64_t entry) {
    size_t from = 0, to = c->symbols.n;
    if (p->knowledge != HSC_KNOWN_DWARF || strncmp(p->linkage, "__", 2))
        return;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (c->symbols.p[mid].lo < entry)
            from = mid + 1;
        else
            to = mid;
    }
    if (from < c->symbols.n && c->symbols.p[from].lo == entry && strncmp(c->symbols.p[from].name, "__", 2))
        p->name = p->linkage = c->symbols.p[from].name;
}

/* Adds the scope of a subprogram or inlined copy when it has code; *scope is set to it then. */
static bool add_scope(walk *w, Dwarf_Die *die, bool inlined, uint32_t *scope, uint32_t *depth) {
    hsc_code *c = w->c;
    Dwarf_Addr base, lo, hi;
    ptrdiff_t at = 0;
    size_t before = w->ranges.n, n = 0;
    uint32_t parent = inlined ? *scope : HSC_NO_INDEX, level = inlined ? *depth + 1 : 0;
    while (n++ < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
        if (lo < hi && hsc_code_is_code(c, lo) &&
            !HSC_PUSH(w->ranges, (scope_range){lo, hi, (uint32_t)c->scopes.n, level}))
            return false;
    if (w->ranges.n == before)
        return true;
    hsc_code_scope s = {.parent = parent, .unit = w->unit, .depth = level, .call_file = HSC_NO_INDEX};
    if (!procedure_of(w, die, &s.procedure, &s.unit))
        return false;
    if (inlined) {
        const char *path = source_file_of(die, DW_AT_call_file);
        if (path && !hsc_code_add_unit_file(c, w->unit, path, &s.call_file))
            return false;
        s.call_line = number_of(die, DW_AT_call_line);
        s.call_column = number_of(die, DW_AT_call_column);
        s.call_discriminator = number_of(die, DW_AT_GNU_discriminator);
    } else {
        c->procedures.p[s.procedure].has_code = true;
        take_public_name(c, &c->procedures.p[s.procedure], w->ranges.p[before].lo);
    }
    *scope = (uint32_t)c->scopes.n;
    *depth = level;
    return HSC_PUSH(c->scopes, s);
}

static bool may_hold_code(int tag) {
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

static bool walk_die(walk *w, Dwarf_Die *parent, uint32_t scope, uint32_t depth, int level) {
    Dwarf_Die die;
    if (level > DIE_DEPTH_MAX || dwarf_child(parent, &die))
        return true;
    do {
        int tag = dwarf_tag(&die);
        if (!may_hold_code(tag))
            continue;
        uint32_t inner = scope, inner_depth = depth;
        if (tag == DW_TAG_subprogram && !add_scope(w, &die, false, &inner, &inner_depth))
            return false;
        if (tag == DW_TAG_inlined_subroutine && scope != HSC_NO_INDEX && !add_scope(w, &die, true, &inner, &inner_depth))
            return false;
        if (dwarf_haschildren(&die) == 1 && !walk_die(w, &die, inner, inner_depth, level + 1))
            return false;
    } while (dwarf_siblingof(&die, &die) == 0);
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
    bool ok = true;
    if (w->ranges.n > 1)
        qsort(w->ranges.p, w->ranges.n, sizeof *w->ranges.p, by_address);
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

bool hsc_code_load_scopes(hsc_code *c, Dwarf *dwarf) {
    walk w = {.c = c, .dwarf = dwarf};
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    bool ok = true;
    while (ok && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0 && w.unit < c->units.n) {
        if (type == DW_UT_compile || type == DW_UT_partial || type == DW_UT_skeleton)
            ok = walk_die(&w, type == DW_UT_skeleton && split.addr ? &split : &die, HSC_NO_INDEX, 0, 0);
        w.unit++;
    }
    ok = ok && flatten(&w);
    hsc_table_fini(&w.procedure_of);
    free(w.ranges.p);
    return ok;
}
