/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compile units and their line tables, as one sorted array of address spans. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "code_internal.h"

#define UNIT_RANGES_MAX 1000000

static const char *text_of(hsc_code *c, Dwarf_Die *die, unsigned attribute) {
    Dwarf_Attribute a;
    const char *s = dwarf_attr(die, attribute, &a) ? dwarf_formstring(&a) : NULL;
    return hsc_pool_intern(&c->pool, s ? s : "", s ? strlen(s) : 0);
}

/* How many of the unit's procedures the group has. */
static uint32_t score(hsc_code *c, Dwarf_Die *unit, uint32_t group) {
    Dwarf_Die die;
    uint32_t n = 0, seen = 0;
    if (dwarf_child(unit, &die))
        return 0;
    do {
        Dwarf_Attribute a;
        if (dwarf_tag(&die) != DW_TAG_subprogram || seen++ > 1000)
            continue;
        const char *name = dwarf_attr(&die, DW_AT_linkage_name, &a) ? dwarf_formstring(&a) : dwarf_diename(&die);
        name = name ? hsc_pool_intern(&c->pool, name, strlen(name)) : NULL;
        n += name && hsc_table_get(&c->procedure_by_group, group, (uintptr_t)name) != HSC_NO_INDEX;
    } while (dwarf_siblingof(&die, &die) == 0);
    return n;
}

/* The group that was written at link time for the code of a unit of group `source`; `source` where there is none. Several
 * have code of one unit where ThinLTO made clones of what it imported: that with most of the procedures, and each once. */
static uint32_t linked_group(hsc_code *c, Dwarf_Die *unit, uint32_t source) {
    uint32_t first = c->groups.p[source].first_link, best = source, best_score = 0;
    for (uint32_t i = first; i != HSC_NO_INDEX; i = c->link_units.p[i].next) {
        uint32_t g = c->link_units.p[i].group, n = c->link_units.p[first].next == HSC_NO_INDEX ? 1 : score(c, unit, g);
        if (best == source || n > best_score || (n == best_score && c->groups.p[g].units < c->groups.p[best].units)) {
            best = g;
            best_score = n;
        }
    }
    return best;
}

/* The map's group of each unit: same name and directory. Of several (a source compiled twice with different options) the
 * one that has most of the unit's procedures; of equal ones the next in order, since the linker puts .debug_info and the
 * map's section together in the same order. (ThinLTO makes further units of one name, for what it imports.) */
static bool match_units(hsc_code *c, Dwarf *dwarf) {
    hsc_table first = {0}; /* (name, directory): first group */
    HSC_VEC(uint32_t) next = {0}, used = {0};
    bool ok = HSC_RESERVE(next, c->groups.n + 1) && HSC_RESERVE(used, c->groups.n + 1);
    for (size_t g = c->groups.n; ok && g-- > 0;) {
        uint32_t *at = hsc_table_at(&first, (uintptr_t)c->groups.p[g].name, (uintptr_t)c->groups.p[g].directory);
        ok = at != NULL;
        if (ok) {
            next.p[g] = *at;
            used.p[g] = 0;
            *at = (uint32_t)g;
        }
    }
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split;
    for (size_t u = 0; ok && u < c->units.n && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, &split) == 0; u++) {
        if (split.addr)
            die = split;
        hsc_unit *unit = &c->units.p[u];
        uint32_t g = hsc_table_get(&first, (uintptr_t)unit->name, (uintptr_t)unit->directory), best = g;
        if (g == HSC_NO_INDEX)
            continue;
        if (next.p[g] != HSC_NO_INDEX) {
            uint32_t best_score = score(c, &die, g);
            int candidates = 64; /* of a name that many units share only the first are compared */
            for (g = next.p[g]; g != HSC_NO_INDEX && candidates-- > 0; g = next.p[g]) {
                uint32_t n = score(c, &die, g);
                if (n > best_score || (n == best_score && used.p[best] > used.p[g])) {
                    best = g;
                    best_score = n;
                }
            }
        }
        used.p[best]++;
        unit->source = best;
        unit->group = best = linked_group(c, &die, best);
        c->groups.p[unit->source].units++;
        c->groups.p[best].units += best != unit->source;
    }
    hsc_table_fini(&first);
    free(next.p);
    free(used.p);
    return ok;
}

/* The source of a unit that does not tell its name: the first file of its line table. */
static const char *primary_file(hsc_code *c, Dwarf_Die *die, const char *directory) {
    Dwarf_Files *files;
    Dwarf_Half version = 0;
    size_t count = 0, n = strlen(directory);
    const char *path = NULL;
    if (dwarf_getsrcfiles(die, &files, &count) == 0 && dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) == 0)
        path = version >= 5 || count < 2 ? dwarf_filesrc(files, 0, NULL, NULL) : dwarf_filesrc(files, 1, NULL, NULL);
    if (path && n && !strncmp(path, directory, n) && path[n] == '/')
        path += n + 1;
    return hsc_pool_intern(&c->pool, path ? path : "", path ? strlen(path) : 0);
}

bool hsc_code_load_units(hsc_code *c, Dwarf *dwarf) {
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    size_t missing = 0;
    const char *missing_name = "";
    while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
        Dwarf_Attribute a;
        Dwarf_Word language = 0;
        Dwarf_Die *source = split.addr ? &split : &die; /* what a unit is stands in the .dwo file */
        if (dwarf_attr(source, DW_AT_language, &a))
            dwarf_formudata(&a, &language);
        hsc_unit u = {text_of(c, source, DW_AT_name), text_of(c, &die, DW_AT_comp_dir), HSC_NO_INDEX, HSC_NO_INDEX, language};
        if (u.directory && !u.directory[0])
            u.directory = text_of(c, source, DW_AT_comp_dir);
        if (!split.addr && (dwarf_hasattr(&die, DW_AT_dwo_name) || dwarf_hasattr(&die, DW_AT_GNU_dwo_name))) {
            if (!missing++)
                missing_name = text_of(c, &die, dwarf_hasattr(&die, DW_AT_dwo_name) ? DW_AT_dwo_name : DW_AT_GNU_dwo_name);
            if (u.name && u.directory && !u.name[0])
                u.name = primary_file(c, &die, u.directory);
        }
        uint32_t *at = hsc_table_at(&c->unit_by_offset, dwarf_dieoffset(&die), 0);
        if (!at || !u.name || !u.directory || !HSC_PUSH(c->units, u))
            return false;
        *at = (uint32_t)(c->units.n - 1);
    }
    c->split_missing = missing > 0;
    if (missing)
        hsc_code_add_note(c, "split debug information of %zu of %zu units not found: %s", missing, c->units.n,
                          missing_name ? missing_name : "");
    return match_units(c, dwarf);
}

typedef struct span {
    hsc_line_span s;
    uint64_t hi;
    uint32_t order;
} span;

static int by_address(const void *pa, const void *pb) {
    const span *a = pa, *b = pb;
    if (a->s.lo != b->s.lo)
        return a->s.lo < b->s.lo ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

typedef HSC_VEC(span) spans;

typedef struct address_range {
    uint64_t lo, hi;
} address_range;

typedef HSC_VEC(address_range) address_ranges;

static int by_lo(const void *pa, const void *pb) {
    const address_range *a = pa, *b = pb;
    return a->lo < b->lo ? -1 : a->lo > b->lo;
}

static bool get_unit_ranges(Dwarf_Die *die, address_ranges *out) {
    Dwarf_Addr base, lo, hi;
    ptrdiff_t at = 0;
    out->n = 0;
    while (out->n < UNIT_RANGES_MAX && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
        if (lo < hi && !HSC_PUSH(*out, (address_range){lo, hi}))
            return false;
    if (out->n > 1)
        qsort(out->p, out->n, sizeof *out->p, by_lo);
    return true;
}

/* Cuts [lo, *hi) at the end of the unit's range around lo; false when lo is in none. libdw sorts rows by address with
 * the end of a sequence first, so a row of no length at the end of one sequence would reach to the next. */
static bool cut_to_unit(const address_ranges *ranges, uint64_t lo, uint64_t *hi) {
    size_t from = 0, to = ranges->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (ranges->p[mid].lo <= lo)
            from = mid + 1;
        else
            to = mid;
    }
    if (!ranges->n)
        return true; /* a unit that does not tell its ranges */
    if (!from || ranges->p[from - 1].hi <= lo)
        return false;
    if (*hi > ranges->p[from - 1].hi && (from == ranges->n || ranges->p[from].lo != ranges->p[from - 1].hi))
        *hi = ranges->p[from - 1].hi;
    return true;
}

static bool add_unit(hsc_code *c, Dwarf_Die *die, uint32_t unit, hsc_table *file_of, address_ranges *ranges, spans *all) {
    Dwarf_Lines *lines;
    size_t n;
    if (dwarf_getsrclines(die, &lines, &n) || !n)
        return true;
    if (!get_unit_ranges(die, ranges))
        return false;
    for (size_t i = 0; i + 1 < n; i++) {
        Dwarf_Line *at = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
        Dwarf_Addr lo, hi;
        bool end = true;
        if (!at || !next || dwarf_lineendsequence(at, &end) || end || dwarf_lineaddr(at, &lo) ||
            dwarf_lineaddr(next, &hi) || hi <= lo || !cut_to_unit(ranges, lo, &hi) || !hsc_code_is_code(c, lo))
            continue;
        int line = 0;
        unsigned discriminator = 0;
        const char *source = dwarf_linesrc(at, NULL, NULL);
        dwarf_lineno(at, &line);
        dwarf_linediscriminator(at, &discriminator);
        uint32_t *file = source ? hsc_table_at(file_of, (uintptr_t)source, unit) : NULL;
        if (source && (!file || (*file == HSC_NO_INDEX && !hsc_code_add_unit_file(c, unit, source, file))))
            return false;
        if (!HSC_PUSH(*all, (span){{lo, file ? *file : HSC_NO_INDEX, line > 0 ? (uint32_t)line : 0, discriminator, unit},
                                   hi, (uint32_t)all->n}))
            return false;
    }
    return true;
}

bool hsc_code_load_lines(hsc_code *c, Dwarf *dwarf) {
    spans all = {0};
    address_ranges ranges = {0};
    hsc_table file_of = {0};
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    bool ok = true;
    for (uint32_t unit = 0; ok && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0 && unit < c->units.n; unit++)
        ok = add_unit(c, &die, unit, &file_of, &ranges, &all);
    free(ranges.p);
    hsc_table_fini(&file_of);
    bool sorted = true; /* as linkers leave it, mostly */
    for (size_t i = 1; i < all.n && sorted; i++)
        sorted = by_address(&all.p[i - 1], &all.p[i]) <= 0;
    if (ok && !sorted)
        qsort(all.p, all.n, sizeof *all.p, by_address);
    uint64_t end = 0;
    for (size_t i = 0; ok && i < all.n; i++) {
        span *s = &all.p[i];
        if (s->hi <= end)
            continue; /* covered by another sequence */
        if (s->s.lo < end)
            s->s.lo = end;
        if (c->lines.n && s->s.lo > end)
            ok = HSC_PUSH(c->lines, (hsc_line_span){.lo = end, .file = HSC_NO_INDEX, .unit = HSC_NO_INDEX});
        ok = ok && HSC_PUSH(c->lines, s->s);
        end = s->hi;
    }
    if (ok && all.n)
        ok = HSC_PUSH(c->lines, (hsc_line_span){.lo = end, .file = HSC_NO_INDEX, .unit = HSC_NO_INDEX});
    free(all.p);
    return ok;
}
