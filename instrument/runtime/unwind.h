/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What calls are walked by: unwind rules of the modules that are mapped, in memory and in their files. */
#ifndef HSC_RT_UNWIND_H
#define HSC_RT_UNWIND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basics.h"

/* Rules looked up in a module before its table is built: so many, and one for so many of its entries more, as all of these are read then (of clang
 * with its libraries some 0.1 s), and one where a rule is looked up without a table. */
#define HSC_RT_TABLE_WORTH 200u
#define HSC_RT_TABLE_ENTRIES 4u
#define HSC_RT_ENTRIES_WORTH 3u /* frames without a rule before procedures' beginnings are looked for */

/* ---- unwind rules (cfi_ss.c) -------------------------------------------------------------------------------------------- */

enum { HSC_CFA_NONE, HSC_CFA_REGISTER, HSC_CFA_DEREF, HSC_CFA_PLT, HSC_CFA_SIGNAL, HSC_CFA_END };
enum { HSC_BP_SAME, HSC_BP_AT_CFA, HSC_BP_AT_BP };

typedef struct hsc_rt_rule {
    uint8_t cfa, cfa_register, bp;
    uint8_t called; /* of one kept for a return address: a call does end there; for an interrupted instruction: what it is (walk) */
    int32_t cfa_offset, bp_offset, ra_offset; /* return address at CFA + ra_offset */
} hsc_rt_rule;

typedef struct hsc_rt_table {
    uint64_t base; /* memory address that offsets count from */
    uint32_t rows, capacity;
    uint32_t *offset; /* sorted */
    uint16_t *rule;
} hsc_rt_table;

extern hsc_rt_rule hsc_rt_rules[65536];

/* Reads .eh_frame_hdr at `header` (memory addresses, bounds given) and makes the table. NULL: no memory or nothing usable.
 * Under the modules lock. */
hsc_rt_table *hsc_rt_table_build(uint64_t base, uint64_t header, uint64_t header_size, uint64_t low, uint64_t high);
/* The same from a copy of .eh_frame (which lies at `address`) or .debug_frame (`debug`; its addresses are `bias` lower). */
hsc_rt_table *hsc_rt_table_build_section(uint64_t base, uint64_t bias, const uint8_t *copy, uint64_t size, uint64_t address,
                                         bool debug);
void hsc_rt_table_free(hsc_rt_table *t);
void hsc_rt_sort(uint64_t *p, size_t n);
/* Index of the rule for an address; 0 (HSC_CFA_NONE) when there is none. */
uint32_t hsc_rt_table_find(const hsc_rt_table *t, uint64_t pc);
/* Narrows [*low, *high) to the addresses around pc that have the same rule as it (none, that is). */
void hsc_rt_table_gap(const hsc_rt_table *t, uint64_t pc, uint64_t *low, uint64_t *high);

/* The sorted index of .eh_frame_hdr, copied: for modules whose table is not (yet) worth its time. */
typedef struct hsc_rt_index {
    size_t size;
    uint64_t header; /* what the entries' offsets count from */
    uint32_t count;
    struct {
        int32_t pc, fde;
    } entry[];
} hsc_rt_index;

hsc_rt_index *hsc_rt_index_build(uint64_t header, uint64_t header_size);
void hsc_rt_index_free(hsc_rt_index *x);
uint32_t hsc_rt_table_worth(const hsc_rt_index *x); /* NULL: of a module without an index */
#define HSC_RT_SCRATCH_PAGES 8u

/* A thread's, for reading rules one by one: pages of .eh_frame that were read last, an entry and the one that it refers to. All 0 at first. */
typedef struct hsc_rt_scratch {
    struct {
        uint64_t address; /* 0: none */
        uint32_t generation, used;
    } kept[HSC_RT_SCRATCH_PAGES];
    uint32_t uses;
    uint8_t cie[256], fde[3072];
    uint8_t page[HSC_RT_SCRATCH_PAGES][HSC_RT_PAGE];
} hsc_rt_scratch;

/* The rule for one address, from .eh_frame in memory (read so that it may vanish). Handlers. False: nothing is said of this
 * address, and of none from *gap to it. */
bool hsc_rt_index_find(const hsc_rt_index *x, uint64_t pc, hsc_rt_scratch *scratch, hsc_rt_rule *out, uint64_t *gap);
uint64_t hsc_rt_index_procedure(const hsc_rt_index *x, uint64_t pc); /* where the procedure begins that pc is in; pc itself: not known. Handlers */

/* ---- modules (modules_ss.c) ---------------------------------------------------------------------------------------------- */

typedef struct hsc_rt_module {
    uint64_t low, high, bias;
    uint64_t text_low, text_high; /* first executable segment */
    uint64_t header, header_size; /* .eh_frame_hdr in memory; 0: none */
    uint64_t device, inode;
    uint32_t mapping_id;
    _Atomic uint32_t asked; /* rules looked up without a table */
    _Atomic uint32_t asked_of_file; /* times that no rule was known */
    _Atomic uint32_t asked_of_entries; /* times that the file had none either */
    bool table_tried, file_tried, entries_tried;
    hsc_rt_table *table, *more; /* of .eh_frame; of what only the file holds */
    struct hsc_rt_entries *entries;
    hsc_rt_index *index;
} hsc_rt_module;

typedef struct hsc_rt_modules {
    size_t bytes;
    uint32_t count, capacity;
    hsc_rt_module module[];
} hsc_rt_modules;

/* Looks at what is mapped now, writes mapping and unmapping records, publishes the new set. Normal code or helper. Returns
 * true when the set changed. */
bool hsc_rt_modules_scan(void);
/* watch_ss.c: the helper; returns when to look again, 0: when want_scan says so. */
void hsc_rt_watch_begin(const void *linkers_state); /* its struct r_debug */
uint64_t hsc_rt_watch_tend(uint64_t now_ns);
void hsc_rt_watch_poke(void); /* want_scan has been set: wakes the helper, unless it looks soon. Handlers too */
/* Helper: the table of a module that was asked for often enough; false: there is none such. */
bool hsc_rt_modules_build_one(void);
void hsc_rt_modules_reset(void);     /* child of fork: the same modules have to be told again */
const hsc_rt_module *hsc_rt_module_at(const hsc_rt_modules *set, uint64_t pc);
/* Copies from an address that may not be mapped. Returns false when it is not (nothing is said of `to` then). */
bool hsc_rt_read(void *to, uint64_t from, size_t size);

/* ---- what only the file of a module holds (elf_file_ss.c); outside handlers ------------------------------------------------ */

typedef struct hsc_rt_elf_file {
    int fd; /* -1: none */
    uint32_t sections;
    uint64_t table, names, names_size;
} hsc_rt_elf_file;

typedef struct hsc_rt_section {
    uint8_t *copy;
    uint64_t size, address; /* as linked */
} hsc_rt_section;

enum hsc_rt_section_state { HSC_RT_SECTION_NONE, HSC_RT_SECTION_READ, HSC_RT_SECTION_COMPRESSED };

/* fd -1: there is no file, or it is not the one that `m` was loaded from. `build_id`: the module has one. */
hsc_rt_elf_file hsc_rt_elf_open(const char *path, const hsc_rt_module *m, bool build_id);
void hsc_rt_elf_close(hsc_rt_elf_file *f);
enum hsc_rt_section_state hsc_rt_elf_section(const hsc_rt_elf_file *f, const char *name, hsc_rt_section *out);
void hsc_rt_elf_section_free(hsc_rt_section *s);

/* Where procedures without a rule begin (entries_ss.c): sorted offsets from the module's start. */
typedef struct hsc_rt_entries {
    size_t bytes;
    uint32_t count;
    uint32_t offset[];
} hsc_rt_entries;

hsc_rt_entries *hsc_rt_entries_build(const hsc_rt_module *m, const hsc_rt_elf_file *f); /* NULL: none, or no memory */
void hsc_rt_entries_free(hsc_rt_entries *e);
uint64_t hsc_rt_entry_before(const hsc_rt_entries *e, uint64_t offset); /* 0: none at or before; handlers */

#endif
