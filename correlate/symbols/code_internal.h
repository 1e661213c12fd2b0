/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of an hsc_code and the steps that fill it; only for files of this folder. */
#ifndef HEATSCOPE_CORRELATE_CODE_INTERNAL_H
#define HEATSCOPE_CORRELATE_CODE_INTERNAL_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "address_index.h"
#include "code.h"
#include "id_rows.h"

struct hsc_reader;
struct parcel;

/* A run of addresses with one line-table row; the next one's `lo` ends it. */
typedef struct hsc_line_span {
    uint64_t lo;
    uint32_t file;
    uint32_t line : 31, is_statement : 1; /* code that its statement begins with; code that was moved to other statements' is not */
    uint32_t discriminator;
    uint32_t unit; /* HSC_NO_INDEX: a gap */
    uint32_t column, unused; /* column: from 1; 0: not known */
} hsc_line_span;

/* A subprogram with code or an inlined copy. */
typedef struct hsc_code_scope {
    uint32_t parent; /* HSC_NO_INDEX: subprogram */
    uint32_t procedure;
    uint32_t unit, depth; /* unit that the procedure comes from: with link-time optimisation not always that of the code */
    uint32_t call_file, call_line, call_column, call_discriminator;
    uint32_t function;    /* subprogram as the map names it: before OpenMP's pairs of outlined procedures, and copies and what they are of, are joined */
    bool transparent;     /* inlined copy that is shown as its parent */
} hsc_code_scope;

typedef struct hsc_scope_span {
    uint64_t lo;
    uint32_t scope; /* HSC_NO_INDEX: a gap */
} hsc_scope_span;

typedef struct hsc_unit { /* compile unit of the DWARF */
    const char *name, *directory; /* interned */
    uint32_t group;               /* of the map, which has the places of the unit's code; HSC_NO_INDEX */
    uint32_t source;              /* group that was written when it was compiled: another one after a look at link time */
} hsc_unit;

typedef struct hsc_symbol {
    uint64_t lo, hi;
    const char *name;
    uint32_t rank; /* which of several at one address is shown: smaller first */
    bool unnamed;  /* no symbol: a function of the unwind tables */
} hsc_symbol;

typedef struct hsc_range { /* an executable section */
    uint64_t lo, hi;
    const char *name;
    const uint8_t *bytes; /* in the mapped file; NULL: not there */
    uint64_t byte_count;
} hsc_range;

/* A site of the map: a source loop or a call. */
typedef struct hsc_site {
    uint32_t loop; /* the loop, or the loop around the call; HSC_NO_INDEX */
    uint32_t procedure;
    uint32_t call_file, call_line, call_column;
    bool is_call;
    const char *callee; /* of a call: interned linkage name; NULL: not known */
    uint32_t next_call; /* of the same procedure and callee, once calls_of is filled; HSC_NO_INDEX */
    uint32_t directive; /* of a call of OpenMP's run time: the one whose line is its line, since its own is not true; HSC_NO_INDEX */
} hsc_site;
#define HSC_NO_SITE 0xFFFFFFFEu

typedef struct hsc_place {
    uint32_t function; /* procedure */
    uint32_t instance, site, inlined;
} hsc_place;

typedef struct hsc_inlined {
    uint32_t parent, callee, site;
    uint32_t call_file, call_line, call_column;
} hsc_inlined;

typedef struct hsc_group { /* one translation unit of the map */
    const char *name, *directory;
    uint64_t module_tag;
    uint64_t keying;
    uint32_t units; /* DWARF units that answer to it */
    uint32_t place_base;  /* of its record */
    uint32_t first_link;  /* of link_units: the groups written at link time that have its code; HSC_NO_INDEX: none */
} hsc_group;

typedef struct hsc_link_unit { /* a group written at link time has code of a unit */
    uint32_t group;
    uint64_t unit_tag;
    uint32_t next; /* of the same unit; HSC_NO_INDEX */
} hsc_link_unit;

typedef struct hsc_foreign_loop { /* of the machine code, where there is no map */
    uint32_t loop;   /* row of loops */
    uint32_t scope;  /* copy of the procedure that it is a loop of; HSC_NO_INDEX: code without DWARF */
    uint32_t parent; /* around it in the machine code; HSC_NO_INDEX */
} hsc_foreign_loop;

/* Last element of p[0..n) whose lo is <= address; HSC_NO_INDEX before the first. `index`: of that array, or NULL. */
#define HSC_FIND_SPAN_BY(v, index, address, out)                            \
    do {                                                                    \
        const hsc_address_index *index_ = (index);                          \
        size_t lo_ = 0, hi_ = (v).n;                                        \
        if (index_)                                                         \
            hsc_address_index_narrow(index_, (address), &lo_, &hi_);        \
        while (lo_ < hi_) {                                                 \
            size_t mid_ = lo_ + (hi_ - lo_) / 2;                            \
            if ((v).p[mid_].lo <= (address))                                \
                lo_ = mid_ + 1;                                             \
            else                                                            \
                hi_ = mid_;                                                 \
        }                                                                   \
        (out) = lo_ ? (uint32_t)(lo_ - 1) : HSC_NO_INDEX;                   \
    } while (0)
#define HSC_FIND_SPAN(v, address, out) HSC_FIND_SPAN_BY(v, NULL, address, out)

typedef struct hsc_code_known { /* an answer that was given */
    uint32_t first; /* of answer_elements */
    uint16_t count;
    uint8_t knowledge;
    bool repaired;
    uint32_t file, line, instance;
} hsc_code_known;
struct hsc_code_answers;

typedef struct hsc_symbol_facts { /* found when first asked for */
    uint32_t procedure; /* of code without a line; HSC_NO_INDEX: not asked yet */
    uint32_t foreign;   /* row of foreign_loops of the function's first; HSC_NO_INDEX: not asked yet; HSC_NO_LOOPS */
    uint32_t function;  /* row of functions; HSC_NO_INDEX: not asked yet */
    uint32_t no_return; /* 1: it does not return; HSC_NO_INDEX: not asked yet */
    uint32_t left;      /* questions till answers to all of it are found; HSC_NO_INDEX: not asked yet */
} hsc_symbol_facts;
#define HSC_NO_LOOPS 0xFFFFFFFEu

struct hsc_code {
    hsc_pool pool;
    const char *path, *note;
    hsc_looks looks;
    hsc_knowledge knowledge;
    HSC_VEC(hsc_code_file) files;
    HSC_VEC(hsc_code_procedure) procedures;
    HSC_VEC(hsc_code_loop) loops;
    HSC_VEC(hsc_code_instance) instances;
    HSC_VEC(hsc_code_remark) remarks;
    HSC_VEC(hsc_code_dependence) dependences;
    bool with_data;
    hsc_code_data data;
    hsc_table data_owner; /* procedure: the group whose data of it are taken */
    hsc_table data_rows;  /* (group << 32 | id, kind): row of an array, a message, a directive; taken references and checks */
    hsc_table array_by_tag; /* (tag, procedure): array */
    hsc_table file_by_path;         /* interned path */
    hsc_table procedure_by_key;     /* interned linkage, file */
    hsc_table loop_by_key;          /* tag or position */
    HSC_VEC(hsc_line_span) lines;
    HSC_VEC(hsc_code_scope) scopes;
    HSC_VEC(hsc_scope_span) scope_spans;
    HSC_VEC(hsc_unit) units;
    HSC_VEC(hsc_symbol) symbols;
    HSC_VEC(hsc_symbol_facts) symbol_facts; /* by symbol */
    hsc_address_index symbol_index, line_index, scope_index;
    HSC_VEC(const char *) plt_names;
    HSC_VEC(hsc_range) code_ranges; /* executable sections, sorted */
    HSC_VEC(hsc_range) data_ranges; /* other loaded sections with contents */
    HSC_VEC(hsc_group) groups;
    HSC_VEC(hsc_link_unit) link_units;
    HSC_VEC(hsc_site) sites;
    HSC_VEC(hsc_place) places;
    HSC_VEC(hsc_inlined) inlineds;
    HSC_VEC(uint32_t) instance_parents; /* by instance */
    HSC_VEC(uint32_t) loop_of_procedure, next_loop; /* lists of the loops of each procedure: head by procedure, next by loop */
    hsc_table group_by_tag; /* module tag: group */
    hsc_table row_by_tag;   /* tag, 0 procedure 1 loop: row */
    hsc_id_rows site_by_id, place_by_id, inlined_by_id;
    hsc_table no_return; /* interned linkage: of procedures that the debug information says do not return */
    hsc_table procedure_by_group;                     /* group, interned linkage */
    hsc_table procedure_by_name;                      /* group, hsc_name_key of the name without what is round it; HSC_NO_INDEX - 1: several have it */
    hsc_table call_by_position; /* procedure << 32 | file, line << 32 | column: site */
    hsc_table calls_of;         /* procedure, callee: first site, filled when first needed */
    bool has_call_lists;
    hsc_table lost_calls;       /* address of a call without line: its first site, or HSC_NO_SITE */
    hsc_table symbol_procedures; /* interned name of a symbol without DWARF */
    Elf *elf; /* kept open for the bytes of the code */
    int fd;
    bool is_x86_64;
    HSC_VEC(struct hsc_machine_function *) functions;
    HSC_VEC(hsc_foreign_loop) foreign_loops;
    hsc_table foreign_siblings; /* procedure << 32 | parent loop: last loop there, chained by next_loop */
    size_t tag_collisions;
    bool own_debug, split_missing;
    hsc_table made_scopes; /* (function, 0) or (inlined copy, 1 + scope around it): scope made from the map */
    hsc_code_element elements[HSC_ELEMENTS_MAX];
    HSC_VEC(hsc_code_known) answers;
    HSC_VEC(hsc_code_element) answer_elements;
    hsc_table answer_by_content;
    struct hsc_code_answers *given; /* which address has which answer; NULL: not made yet */
};

/* ---- ELF files ---- */

typedef struct hsc_elf_file {
    int fd;
    Elf *elf;
} hsc_elf_file;

bool hsc_elf_open(const char *path, hsc_elf_file *f); /* false: not a readable ELF file */
bool hsc_elf_open_vdso(hsc_elf_file *f); /* the code that the running kernel lends to processes, this one too; false: none */
void hsc_elf_close(hsc_elf_file *f);
Elf_Scn *hsc_elf_find_section(Elf *elf, const char *wanted); /* one with contents; NULL */
bool hsc_elf_has_debug_info(Elf *elf);
size_t hsc_elf_build_id(Elf *elf, const uint8_t **id); /* its size; 0: none */
void hsc_hex(const uint8_t *p, size_t n, char *out, size_t size);

/* Opens the file that holds the debug information of a module that has none in itself: by its build id in the folders of
 * the spec (*kept is set then), below /usr/lib/debug, by .gnu_debuglink. One that is of another build is left, with a
 * note. f->elf is NULL when there is none. */
void hsc_code_find_debug_file(hsc_code *c, const hsc_code_spec *spec, Elf *elf, hsc_elf_file *f, bool *kept);

/* All return false when out of memory. */

/* Index of the file `path`, relative to `directory` unless absolute. */
bool hsc_code_add_file(hsc_code *c, const char *path, size_t path_size, const char *directory, size_t directory_size,
                       uint32_t *out);
/* Index of the procedure with this linkage name (interned) in this file; new ones get name and linkage. */
/* Length of "poly" in "poly<int *>"; of all where no arguments of a template end the name. */
size_t hsc_name_before_arguments(const char *name);
/* Interned text by which names are compared that the compiler and the demangler write, with blanks of their own in the arguments of
 * templates; `any_arguments`: whatever these are, since names of lambdas and the like differ altogether. NULL: no memory. */
const char *hsc_name_key(hsc_pool *pool, const char *name, bool any_arguments);
bool hsc_code_add_procedure(hsc_code *c, const char *linkage, const char *plain_name, uint32_t file, uint32_t *out,
                            bool *is_new);
/* Adds to the note. */
void hsc_code_add_note(hsc_code *c, const char *fmt, ...) HSC_PRINTF(2, 3);

bool hsc_code_load_symbols(hsc_code *c, Elf *elf);
/* Adds a symbol NAME@plt for each stub of the procedure linkage tables. */
bool hsc_code_load_plt(hsc_code *c, Elf *elf);
/* Adds a symbol FILE+0xADDRESS for each function of the unwind tables that no symbol stands in. */
bool hsc_code_load_frames(hsc_code *c, Elf *elf);
/* Names those of them that named functions end in a jump to: "NAME at FILE+0xADDRESS"; of GCC's OpenMP runtime only. */
bool hsc_code_name_tails(hsc_code *c);
/* Sorts the symbols and leaves one for each address; after each of the loads. */
void hsc_code_sort_symbols(hsc_code *c);
/* Reads all groups of the reader. `wanted`: build id that a `binary` record must have (size 0: any); *refused tells that
 * one had another (nothing is loaded then). */
bool hsc_code_load_map(hsc_code *c, struct hsc_reader *r, const uint8_t *wanted, size_t wanted_size, bool *refused);
/* Reads units, line tables, procedures and inlined copies. */
bool hsc_code_load_dwarf(hsc_code *c, Dwarf *dwarf);
/* After all is loaded: OpenMP pairs, loops by procedure, last lines of procedures. */
bool hsc_code_finish(hsc_code *c);
/* What finds rows by addresses, and that nothing was asked yet. */
bool hsc_code_index(hsc_code *c);
/* code_image.c. All that was loaded, but for what the ELF file has as it is (code_ranges, data_ranges); about how many bytes that is. */
bool hsc_code_put_image(const hsc_code *c, struct parcel *a);
size_t hsc_code_image_bytes(const hsc_code *c);
/* Into a new one that has neither. false: it is no image, or no memory; to be closed then. */
bool hsc_code_take_image(hsc_code *c, const uint8_t *bytes, size_t n);
/* Block around the address in the machine function [lo, hi); false when it cannot be told. */
bool hsc_code_find_block(hsc_code *c, const hsc_symbol *symbol, uint64_t address, uint64_t *begin, uint64_t *end);
/* The code round the address that has one answer, as far as its loop of the machine code and, if wanted, its block say: narrows
 * [*lo, *hi), which lies in the symbol. */
void hsc_code_narrow(hsc_code *c, const hsc_symbol *symbol, uint64_t address, bool by_block, uint64_t *lo, uint64_t *hi);
/* The bytes [lo, hi) of code or data as they are in the file; NULL: not there. */
const uint8_t *hsc_code_bytes_at(const hsc_code *c, uint64_t lo, uint64_t hi);
/* Innermost loop (of foreign_loops) of the machine code at the address, found when its function is first asked for;
 * `procedure` is that of the function. *out is HSC_NO_INDEX outside of loops. */
bool hsc_code_find_foreign_loop(hsc_code *c, uint64_t address, uint32_t procedure, uint32_t *out);
/* The line row for an address in row i of the table (HSC_NO_INDEX: in none). A row with line 0, or the procedure's first one running on
 * into another block (the compiler gives no line to code without one there), takes a neighbour's in the same
 * copy of the same procedure or in one inlined there (*scope is then that one): in the same block if there is one, else in
 * the same loop of the machine code, else the one before or after. HSC_NO_INDEX: none. */
uint32_t hsc_code_line_row(hsc_code *c, uint64_t address, uint32_t i, uint32_t *scope, bool *repaired);
/* For a row without place in a unit that has places: a row with one in the same block, or the same loop of the machine code,
 * around the address; `row` itself outside of loops. */
uint32_t hsc_code_row_in_loop(hsc_code *c, uint32_t row, uint64_t address, uint32_t scope);
/* calls.c. For an address in a line row with line 0 that makes a call: the first of the call sites, as written, that it may be;
 * HSC_NO_INDEX: none can be told, or the row is no such row. Messages among them are linked with each other. */
bool hsc_code_lost_call(hsc_code *c, uint64_t address, uint32_t row, uint32_t scope, uint32_t *site);
/* Narrows [*lo, *hi) round the address in the row to the code for which hsc_code_lost_call looks at the same call. */
void hsc_code_narrow_to_call(hsc_code *c, const hsc_symbol *symbol, uint32_t row, uint64_t address, uint64_t *lo, uint64_t *hi);
/* find.c. Row of the place that a line row names; HSC_NO_INDEX: none. */
uint32_t hsc_code_place_row(const hsc_code *c, uint32_t row);
/* answers.c. The answer kept for the address; false: has to be found. */
bool hsc_code_recall(hsc_code *c, uint64_t address, hsc_code_answer *out);
/* The first address of [at, hi) without a kept answer; hi: none, or the code is not there. */
uint64_t hsc_code_first_unknown(const hsc_code *c, uint64_t at, uint64_t hi);
/* Keeps one for the code [lo, hi) round the address, if there is memory. */
void hsc_code_keep(hsc_code *c, uint64_t address, uint64_t lo, uint64_t hi, const hsc_code_answer *answer);
void hsc_code_answers_free(hsc_code *c);
/* Scope (HSC_NO_INDEX) and symbol (NULL) at the address. */
uint32_t hsc_code_scope_at(const hsc_code *c, uint64_t address);
const hsc_symbol *hsc_code_symbol_at(const hsc_code *c, uint64_t address);
/* True when the address lies in an executable section. */
bool hsc_code_is_code(const hsc_code *c, uint64_t address);

#endif
