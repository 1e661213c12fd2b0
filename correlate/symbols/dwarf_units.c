/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compile units, and the groups of the map that they are. */
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_read.h"

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

/* ---- where things are ---- */

static void find_section(Elf *elf, const char *name, bool split, hsc_section *out) {
    char text[40];
    for (int old = 0; old < 2 && !out->p; old++) {
        snprintf(text, sizeof text, "%s_%s%s", old ? ".zdebug" : ".debug", name, split ? ".dwo" : "");
        Elf_Scn *s = hsc_elf_find_section(elf, text);
        GElf_Shdr h;
        if (!s || !gelf_getshdr(s, &h) || (h.sh_flags & SHF_COMPRESSED && elf_compress(s, 0, 0) < 0))
            continue; /* libdw has unpacked those that it read */
        Elf_Data *d = elf_rawdata(s, NULL);
        if (d && d->d_buf)
            *out = (hsc_section){d->d_buf, d->d_size};
    }
}

static void find_sections(Elf *elf, bool split, hsc_dwarf_sections *out) {
    find_section(elf, "info", split, &out->info);
    find_section(elf, "abbrev", split, &out->abbrev);
    find_section(elf, "line", split, &out->line);
    find_section(elf, "str", split, &out->str);
    find_section(elf, "line_str", split, &out->line_str);
    find_section(elf, "str_offsets", split, &out->str_offsets);
    find_section(elf, "addr", split, &out->addr);
    find_section(elf, "ranges", split, &out->ranges);
    find_section(elf, "rnglists", split, &out->rnglists);
}

static uint64_t number_of(Dwarf_Die *die, unsigned attribute, uint64_t otherwise) {
    Dwarf_Attribute a;
    Dwarf_Word v;
    return dwarf_attr(die, attribute, &a) && !dwarf_formudata(&a, &v) ? v : otherwise;
}

/* `entries`: the DIE with the unit's entries; `skeleton`: the one in the file of the code, the same but for split units. */
static bool add_unit(hsc_dwarf *d, Dwarf_Die *entries, Dwarf_Die *skeleton, uint8_t type, const hsc_dwarf_sections *in,
                     hsc_dwarf_unit u) {
    Dwarf_Die die;
    Dwarf_Half version = 0;
    Dwarf_Off abbreviations = 0;
    bool split = in != &d->main && in != &d->common;
    u.in = in;
    u.addresses = in == &d->common ? in : &d->main;
    u.common = in == &d->main ? &d->common : NULL;
    u.has_code = type == DW_UT_compile || type == DW_UT_skeleton || type == DW_UT_partial;
    u.has_rows = type == DW_UT_compile || type == DW_UT_skeleton;
    u.line = number_of(skeleton, DW_AT_stmt_list, UINT64_MAX);
    if (!dwarf_cu_die(entries->cu, &die, &version, &abbreviations, &u.address_size, &u.offset_size, NULL, NULL))
        u.has_code = false;
    u.version = (uint8_t)version;
    u.abbreviations = abbreviations;
    u.first = dwarf_dieoffset(entries);
    Dwarf_Addr low = 0;
    if (!dwarf_lowpc(skeleton, &low))
        u.low_pc = low;
    /* before the first entry: length, version, kind, sizes, where the abbreviations are; an id of 8 bytes for split ones */
    bool wide = u.offset_size == 8;
    uint64_t header = version < 5 ? (wide ? 23 : 11) : (wide ? 24 : 12) + (split || type == DW_UT_skeleton ? 8 : 0);
    hsc_cursor c = {in->info.p, in->info.p + in->info.n};
    u.begin = u.first - header;
    hsc_skip(&c, u.begin + (wide ? 4 : 0));
    uint64_t size = hsc_take(&c, wide ? 8 : 4);
    u.end = u.begin + (wide ? 12 : 4) + size;
    if (!u.has_code || u.first < header || u.end > in->info.n || u.end < u.first || size > in->info.n ||
        (u.address_size != 8 && u.address_size != 4) || (u.offset_size != 8 && u.offset_size != 4))
        u.begin = u.first = u.end = UINT64_MAX; /* no entries that are of use */
    uint64_t of_table = version >= 5 ? (wide ? 16 : 8) : 0;
    u.addr_base = number_of(skeleton, version >= 5 ? DW_AT_addr_base : DW_AT_GNU_addr_base, of_table);
    u.str_base = number_of(entries, DW_AT_str_offsets_base, of_table);
    u.rnglists_base = number_of(entries, DW_AT_rnglists_base, wide ? 20 : 12);
    u.ranges_base = split ? number_of(skeleton, DW_AT_GNU_ranges_base, 0) : 0;
    if (!split && !HSC_PUSH(*(in == &d->main ? &d->main_units : &d->common_units), (uint32_t)d->units.n))
        return false;
    return HSC_PUSH(d->units, u);
}

/* The source of a unit that does not tell its name: the first file of its line table. */
static bool take_primary_file(hsc_dwarf *d, hsc_dwarf_unit *u, const char **name) {
    hsc_code *c = d->code;
    if (!hsc_dwarf_read_files(d, u))
        return false;
    uint32_t k = u->version >= 5 || u->file_count < 2 ? 0 : 1;
    const hsc_source_file *f = k < u->file_count ? &d->files.p[u->first_file + k] : NULL;
    if (!f || !f->name)
        return true;
    bool here = f->name[0] == '/' || !f->directory || !strcmp(f->directory, u->directory);
    char *path = here ? NULL : malloc(strlen(f->directory) + strlen(f->name) + 2);
    if (!here && !path)
        return false;
    if (path)
        sprintf(path, "%s/%s", f->directory, f->name);
    *name = hsc_pool_intern(&c->pool, here ? f->name : path, strlen(here ? f->name : path));
    free(path);
    return *name != NULL;
}

bool hsc_dwarf_open_units(hsc_dwarf *d, Dwarf *dwarf) {
    hsc_code *c = d->code;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    size_t missing = 0;
    const char *missing_name = "";
    Dwarf *common = dwarf_getalt(dwarf);
    const char *common_name;
    const void *common_id;
    c->looks.has_more = c->looks.has_more || dwelf_dwarf_gnu_debugaltlink(dwarf, &common_name, &common_id) != 0;
    find_sections(dwarf_getelf(dwarf), false, &d->main);
    if (common)
        find_sections(dwarf_getelf(common), false, &d->common);
    while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
        Dwarf_Die *source = split.addr ? &split : &die; /* what a unit is stands in the .dwo file */
        hsc_unit u = {text_of(c, source, DW_AT_name), text_of(c, &die, DW_AT_comp_dir), HSC_NO_INDEX, HSC_NO_INDEX};
        hsc_dwarf_sections *in = &d->main;
        if (u.directory && !u.directory[0])
            u.directory = text_of(c, source, DW_AT_comp_dir);
        if (split.addr) {
            c->looks.has_more = true;
            in = hsc_pool_take(&c->pool, sizeof *in);
            if (!in)
                return false;
            find_sections(dwarf_getelf(dwarf_cu_getdwarf(split.cu)), true, in);
        }
        if (!u.name || !u.directory ||
            !add_unit(d, source, &die, type, in, (hsc_dwarf_unit){.row = (uint32_t)c->units.n, .directory = u.directory}))
            return false;
        if (!split.addr && (dwarf_hasattr(&die, DW_AT_dwo_name) || dwarf_hasattr(&die, DW_AT_GNU_dwo_name))) {
            if (!missing++)
                missing_name = text_of(c, &die, dwarf_hasattr(&die, DW_AT_dwo_name) ? DW_AT_dwo_name : DW_AT_GNU_dwo_name);
            if (!u.name[0] && !take_primary_file(d, &d->units.p[d->units.n - 1], &u.name))
                return false;
        }
        if (!HSC_PUSH(c->units, u))
            return false;
    }
    for (cu = NULL; common && dwarf_get_units(common, cu, &cu, NULL, &type, &die, NULL) == 0;) {
        const char *directory = text_of(c, &die, DW_AT_comp_dir);
        if (!directory || !add_unit(d, &die, &die, type, &d->common, (hsc_dwarf_unit){.row = HSC_NO_INDEX, .directory = directory}))
            return false;
    }
    c->looks.has_more = c->looks.has_more || missing;
    c->split_missing = missing > 0;
    if (missing)
        hsc_code_add_note(c, "split debug information of %zu of %zu units not found: %s", missing, c->units.n,
                          missing_name ? missing_name : "");
    return match_units(c, dwarf);
}

const hsc_dwarf_unit *hsc_dwarf_unit_at(const hsc_dwarf *d, const hsc_dwarf_unit *from, uint64_t offset, bool common) {
    if (!common && offset >= from->begin && offset < from->end)
        return from;
    bool in_common = common || from->in == &d->common;
    if (from->in != &d->main && from->in != &d->common)
        return NULL;
    const uint32_t *p = in_common ? d->common_units.p : d->main_units.p;
    size_t lo = 0, hi = in_common ? d->common_units.n : d->main_units.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (d->units.p[p[mid]].begin <= offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && offset < d->units.p[p[lo - 1]].end ? &d->units.p[p[lo - 1]] : NULL;
}

bool hsc_code_load_dwarf(hsc_code *c, Dwarf *dwarf) {
    hsc_dwarf d = {.code = c};
    bool ok = hsc_dwarf_open_units(&d, dwarf) && hsc_dwarf_load_lines(&d) && hsc_dwarf_load_scopes(&d);
    free(d.units.p);
    free(d.main_units.p);
    free(d.common_units.p);
    free(d.files.p);
    return ok;
}
