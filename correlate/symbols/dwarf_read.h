/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a reading of the debug information shares, and the steps of it. libdw finds the units, the files that belong to them
 * (split units, dwz's common file) and what a unit says of itself; line tables and entries are read here from their bytes,
 * since they are most of it. */
#ifndef HEATSCOPE_CORRELATE_DWARF_READ_H
#define HEATSCOPE_CORRELATE_DWARF_READ_H

#include "code_internal.h"
#include "cursor.h"

typedef struct hsc_section {
    const uint8_t *p; /* NULL: not there */
    size_t n;
} hsc_section;

typedef struct hsc_dwarf_sections { /* of one file */
    hsc_section info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists;
} hsc_dwarf_sections;

typedef struct hsc_source_file { /* of a line table */
    const char *name, *directory; /* in the sections; NULL */
    uint32_t row;                 /* of the code's files, when it is known */
    bool known;
} hsc_source_file;

/* A unit: where its entries are, and what its numbers are relative to. */
typedef struct hsc_dwarf_unit {
    const hsc_dwarf_sections *in; /* of the file that has the entries: that of a .dwo for a split unit */
    const hsc_dwarf_sections *addresses; /* of the file that has .debug_addr, .debug_ranges before DWARF 5 */
    const hsc_dwarf_sections *common;    /* of the file that dwz made for several; NULL */
    uint64_t begin, first, end;   /* in .debug_info: the unit, its first entry, behind its last */
    uint64_t abbreviations;       /* in .debug_abbrev */
    uint64_t line;                /* in .debug_line; UINT64_MAX: none */
    uint64_t low_pc, addr_base, str_base, rnglists_base, ranges_base;
    uint32_t row;                 /* of the code's units; HSC_NO_INDEX: of dwz's common file */
    uint32_t first_file, file_count; /* of the reading's files */
    const char *directory;
    uint8_t version, address_size, offset_size;
    bool has_code; /* not one of types */
    bool has_rows; /* its line table is its own: a unit that others include has theirs */
    bool files_read;
} hsc_dwarf_unit;

typedef struct hsc_dwarf {
    hsc_code *code;
    hsc_dwarf_sections main, common;
    HSC_VEC(hsc_dwarf_unit) units; /* those of the code first, row after row, then those of dwz's common file */
    HSC_VEC(uint32_t) main_units, common_units; /* units with entries in these two files, by `begin` */
    HSC_VEC(hsc_source_file) files;
} hsc_dwarf;

/* All return false when out of memory. */

bool hsc_dwarf_open_units(hsc_dwarf *d, Dwarf *dwarf);
bool hsc_dwarf_load_lines(hsc_dwarf *d);
bool hsc_dwarf_load_scopes(hsc_dwarf *d);
/* The unit that the entry at `offset` is in, which one of `from` refers to, in dwz's common file or its own; NULL: none. */
const hsc_dwarf_unit *hsc_dwarf_unit_at(const hsc_dwarf *d, const hsc_dwarf_unit *from, uint64_t offset, bool common);
/* Reads the names of the unit's files; those of a unit without a line table are none. */
bool hsc_dwarf_read_files(hsc_dwarf *d, hsc_dwarf_unit *u);
/* The code's row of file `number` of the unit; HSC_NO_INDEX: there is none. */
bool hsc_dwarf_file(hsc_dwarf *d, hsc_dwarf_unit *u, uint64_t number, uint32_t *out);

/* ---- entries ---- */

typedef struct hsc_skip_step { /* a way over values that nobody asks for */
    uint32_t what; /* an enumerator of dwarf_entries.c */
    uint32_t bytes;
} hsc_skip_step;

typedef struct hsc_attribute {
    uint32_t name, form;
    hsc_skip_step step; /* over its value */
    bool is_asked;      /* by hsc_read_entry */
    int64_t constant;   /* of DW_FORM_implicit_const */
} hsc_attribute;

typedef struct hsc_abbreviation {
    uint32_t tag, first, count, first_step, step_count; /* tag 0: not there */
    bool has_children, has_sibling;
} hsc_abbreviation;

/* The abbreviations of one unit; kept while the next units have the same. */
typedef struct hsc_abbreviations {
    const hsc_dwarf_sections *in;
    uint64_t offset;
    unsigned address_size, offset_size, version;
    HSC_VEC(hsc_abbreviation) list; /* in the order of the section */
    HSC_VEC(hsc_attribute) attributes;
    HSC_VEC(hsc_skip_step) steps;
    HSC_VEC(uint32_t) by_code; /* of small codes: + 1; 0 none */
    hsc_table others;          /* of large ones */
} hsc_abbreviations;

bool hsc_abbreviations_load(hsc_abbreviations *a, const hsc_dwarf_unit *u);
void hsc_abbreviations_fini(hsc_abbreviations *a);

static inline const hsc_abbreviation *hsc_abbreviation_of(const hsc_abbreviations *a, uint64_t code) {
    uint32_t k = code < a->by_code.n ? a->by_code.p[code] - 1 : hsc_table_get(&a->others, code, 0);
    return k == HSC_NO_INDEX ? NULL : &a->list.p[k];
}

/* Goes over the values of an entry. */
void hsc_skip_values(const hsc_abbreviations *a, const hsc_abbreviation *b, const hsc_dwarf_unit *u, hsc_cursor *c);

/* What is asked of procedures and inlined copies. */
typedef struct hsc_entry {
    uint64_t lo, hi;         /* lo < hi: one range */
    uint64_t ranges;         /* in .debug_ranges or .debug_rnglists; UINT64_MAX: none */
    uint64_t origin, specification; /* entries of the section `in`; UINT64_MAX: none */
    bool origin_common, specification_common; /* of dwz's common file */
    uint64_t sibling;        /* UINT64_MAX: not told */
    uint64_t type, object;   /* entries of the section: of what it is one; the parameter that is the object of a method; UINT64_MAX: none */
    uint64_t call_file, call_line, call_column, call_discriminator, file, line; /* UINT64_MAX: not told */
    const char *name, *linkage; /* in the sections; NULL */
    bool does_not_return;
} hsc_entry;

/* Reads an entry's values; the cursor, behind its code, goes behind it. */
void hsc_read_entry(const hsc_abbreviations *a, const hsc_abbreviation *b, const hsc_dwarf_unit *u, hsc_cursor *c, hsc_entry *out);

/* Calls `visit` for each range with code of the entry. */
bool hsc_each_range(const hsc_dwarf_unit *u, const hsc_entry *e, bool (*visit)(void *ctx, uint64_t lo, uint64_t hi), void *ctx);

#endif
