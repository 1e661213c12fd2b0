/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries of machine code: pieces of procedures, their instructions, what is inlined there. */
#include <stdlib.h>

#include "db.h"
#include <heatscope/sorted.h>

static uint32_t rows(const hsc_db *db, enum hsc_table_id table) { return (uint32_t)db->tables.rows[table]; }

hsc_status hsc_db_get_code_part(const hsc_db *db, uint32_t r, hsc_db_code_part *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_code_part, r, err);
    if (!status)
        *out = (hsc_db_code_part){.procedure = HSC_COL(db, code_part_procedure, uint32_t)[r],
                                  .module = HSC_COL(db, code_part_module, uint32_t)[r],
                                  .begin = HSC_COL(db, code_part_begin, uint64_t)[r],
                                  .end = HSC_COL(db, code_part_end, uint64_t)[r],
                                  .first = HSC_COL(db, code_part_first, uint32_t)[r],
                                  .rows = HSC_COL(db, code_part_rows, uint32_t)[r],
                                  .disassembled = HSC_COL(db, code_part_first_byte, uint32_t)[r] != HSC_NONE,
                                  .symbol = hsc_db_text(db, HSC_COL_code_part_symbol, r),
                                  .note = hsc_db_text(db, HSC_COL_code_part_note, r)};
    return status;
}

hsc_status hsc_db_find_code_parts(const hsc_db *db, uint32_t procedure, uint32_t *out, uint32_t capacity, uint32_t *n,
                                  hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_code_part, err);
    if (status)
        return status;
    const uint32_t *of = HSC_COL(db, code_part_procedure, uint32_t);
    uint32_t found = 0;
    for (uint32_t r = 0; r < rows(db, HSC_TAB_code_part); r++)
        if (of[r] == procedure) {
            if (found < capacity)
                out[found] = r;
            found++;
        }
    *n = found;
    return HSC_OK;
}

uint32_t hsc_db_find_part_of(const hsc_db *db, uint32_t instruction) {
    if (hsc_db_load((hsc_db *)db, HSC_TAB_code_part, NULL) || hsc_db_load((hsc_db *)db, HSC_TAB_instruction, NULL) ||
        instruction >= rows(db, HSC_TAB_instruction))
        return HSC_NONE;
    uint32_t module = HSC_COL(db, instruction_module, uint32_t)[instruction], lo = 0, hi = rows(db, HSC_TAB_code_part);
    uint64_t address = HSC_COL(db, instruction_address, uint64_t)[instruction];
    const uint32_t *modules = HSC_COL(db, code_part_module, uint32_t);
    const uint64_t *begin = HSC_COL(db, code_part_begin, uint64_t), *end = HSC_COL(db, code_part_end, uint64_t);
    HSC_SEARCH(lo, hi, modules[lo] < module || (modules[lo] == module && begin[lo] <= address));
    return lo && modules[lo - 1] == module && address < end[lo - 1] ? lo - 1 : HSC_NONE;
}

hsc_status hsc_db_get_instruction(const hsc_db *db, uint32_t r, hsc_db_instruction *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_instruction, r, err);
    if (!status)
        status = hsc_db_load((hsc_db *)db, HSC_TAB_instruction_text, err);
    if (status)
        return status;
    uint32_t text = HSC_COL(db, instruction_text, uint32_t)[r], flow = HSC_COL(db, instruction_flow, uint8_t)[r];
    *out = (hsc_db_instruction){.module = HSC_COL(db, instruction_module, uint32_t)[r],
                                .address = HSC_COL(db, instruction_address, uint64_t)[r],
                                .size = HSC_COL(db, instruction_size, uint8_t)[r],
                                .flow = flow <= HSC_FLOW_STOP ? (hsc_flow)flow : HSC_FLOW_NEXT,
                                .text = text == HSC_NONE ? "" : hsc_db_text(db, HSC_COL_instruction_text_text, text),
                                .line = HSC_COL(db, instruction_line, uint32_t)[r],
                                .scope = HSC_COL(db, instruction_scope, uint32_t)[r],
                                .instance = HSC_COL(db, instruction_instance, uint32_t)[r],
                                .inlined = HSC_COL(db, instruction_inlined, uint32_t)[r],
                                .target = HSC_COL(db, instruction_target, uint32_t)[r]};
    return HSC_OK;
}

uint32_t hsc_db_find_instruction(const hsc_db *db, uint32_t module, uint64_t address) {
    if (hsc_db_load((hsc_db *)db, HSC_TAB_instruction, NULL))
        return HSC_NONE;
    const uint32_t *modules = HSC_COL(db, instruction_module, uint32_t);
    const uint64_t *addresses = HSC_COL(db, instruction_address, uint64_t);
    uint32_t lo = 0, hi = rows(db, HSC_TAB_instruction);
    HSC_SEARCH(lo, hi, modules[lo] < module || (modules[lo] == module && addresses[lo] <= address));
    if (!lo || modules[lo - 1] != module)
        return HSC_NONE;
    uint32_t size = HSC_COL(db, instruction_size, uint8_t)[lo - 1];
    return address - addresses[lo - 1] < (size ? size : 1) ? lo - 1 : HSC_NONE;
}

hsc_status hsc_db_read_code(const hsc_db *db, uint32_t instruction, uint8_t out[16], uint32_t *n, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_instruction, instruction, err);
    if (!status)
        status = hsc_db_load((hsc_db *)db, HSC_TAB_code_byte, err);
    if (status)
        return status;
    uint32_t part = hsc_db_find_part_of(db, instruction), size = HSC_COL(db, instruction_size, uint8_t)[instruction];
    uint32_t first = part == HSC_NONE ? HSC_NONE : HSC_COL(db, code_part_first_byte, uint32_t)[part];
    uint64_t from = first == HSC_NONE ? 0 : first + HSC_COL(db, instruction_address, uint64_t)[instruction] -
                                                HSC_COL(db, code_part_begin, uint64_t)[part];
    if (first == HSC_NONE || size > 16 || from + size > db->tables.rows[HSC_TAB_code_byte])
        size = 0;
    for (uint32_t i = 0; i < size; i++)
        out[i] = HSC_COL(db, code_byte_value, uint8_t)[from + i];
    *n = size;
    return HSC_OK;
}

hsc_status hsc_db_get_inlining(const hsc_db *db, uint32_t r, hsc_db_inlining *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_inlining, r, err);
    if (!status)
        *out = (hsc_db_inlining){.parent = HSC_COL(db, inlining_parent, uint32_t)[r],
                                 .scope = HSC_COL(db, inlining_scope, uint32_t)[r],
                                 .line = HSC_COL(db, inlining_line, uint32_t)[r]};
    return status;
}

hsc_status hsc_db_find_instructions(const hsc_db *db, hsc_instructions_of what, uint32_t key, uint32_t **out, uint32_t *n,
                                    hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_instruction, err);
    if (status)
        return status;
    if ((unsigned)what > HSC_OF_INSTANCE || (what == HSC_OF_SCOPE && key >= rows(db, HSC_TAB_scope)))
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: instructions of %d, row %u asked for: there is none", db->path, (int)what, key);
    const uint32_t *of = what == HSC_OF_LINE    ? HSC_COL(db, instruction_line, uint32_t)
                         : what == HSC_OF_SCOPE ? HSC_COL(db, instruction_scope, uint32_t)
                                                : HSC_COL(db, instruction_instance, uint32_t);
    uint32_t end = what == HSC_OF_SCOPE ? HSC_COL(db, scope_subtree_end, uint32_t)[key] : key + 1, all = rows(db, HSC_TAB_instruction);
    uint32_t found = 0, *list;
    for (uint32_t r = 0; r < all && key != HSC_NONE; r++)
        found += of[r] >= key && of[r] < end;
    list = malloc(((size_t)found + 1) * sizeof *list);
    if (!list)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    *n = found;
    found = 0;
    for (uint32_t r = 0; r < all && found < *n; r++)
        if (of[r] >= key && of[r] < end)
            list[found++] = r;
    *out = list;
    return HSC_OK;
}
