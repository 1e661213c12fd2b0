/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries of what the map says of loops, memory, messages and directives. */
#include "db.h"
#include <heatscope/sorted.h>

static const struct {
    enum hsc_table_id table;
    enum hsc_column_id key;
} lists[HSC_LIST_COUNT] = {
    [HSC_LIST_LOOPS] = {HSC_TAB_loop, HSC_COL_loop_scope},
    [HSC_LIST_MEMORY_CHECKS] = {HSC_TAB_memory_check, HSC_COL_memory_check_scope},
    [HSC_LIST_ARRAYS] = {HSC_TAB_array, HSC_COL_array_scope},
    [HSC_LIST_REFERENCES] = {HSC_TAB_reference, HSC_COL_reference_scope},
    [HSC_LIST_MPI_SITES] = {HSC_TAB_mpi_site, HSC_COL_mpi_site_code_line},
    [HSC_LIST_MPI_ARGUMENTS] = {HSC_TAB_mpi_argument, HSC_COL_mpi_argument_site},
    [HSC_LIST_MPI_LINKS] = {HSC_TAB_mpi_link, HSC_COL_mpi_link_site},
    [HSC_LIST_DIRECTIVES] = {HSC_TAB_directive, HSC_COL_directive_scope},
    [HSC_LIST_RUNTIME_CALLS] = {HSC_TAB_runtime_call, HSC_COL_runtime_call_code_line},
    [HSC_LIST_HANDED] = {HSC_TAB_handed, HSC_COL_handed_code_line},
    [HSC_LIST_PAIRS] = {HSC_TAB_message_pair, HSC_COL_message_pair_process},
};

uint32_t hsc_db_count(const hsc_db *db, hsc_db_list list) {
    return (unsigned)list < HSC_LIST_COUNT ? (uint32_t)db->tables.rows[lists[list].table] : 0;
}

hsc_status hsc_db_find(const hsc_db *db, hsc_db_list list, uint32_t key, uint32_t *first, uint32_t *n, hsc_err *err) {
    if ((unsigned)list >= HSC_LIST_COUNT)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: list %d asked for, there are %d", db->path, (int)list, HSC_LIST_COUNT);
    hsc_status status = hsc_db_load((hsc_db *)db, lists[list].table, err);
    if (status)
        return status;
    const uint32_t *keys = db->tables.columns[lists[list].key];
    uint32_t all = (uint32_t)db->tables.rows[lists[list].table], end = hsc_first_not_below(keys, all, key);
    *first = end;
    while (end < all && keys[end] == key)
        end++;
    *n = end - *first;
    return HSC_OK;
}

#define TEXT(column, row) hsc_db_text(db, HSC_COL_##column, row)

hsc_status hsc_db_get_loop(const hsc_db *db, uint32_t r, hsc_db_loop *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_loop, r, err);
    if (status)
        return status;
    *out = (hsc_db_loop){.scope = HSC_COL(db, loop_scope, uint32_t)[r],
                         .kind = HSC_COL(db, loop_kind, uint8_t)[r],
                         .flags = HSC_COL(db, loop_flags, uint32_t)[r],
                         .variable = TEXT(loop_variable, r),
                         .first = TEXT(loop_first, r),
                         .bound = TEXT(loop_bound, r),
                         .step = HSC_COL(db, loop_step, int32_t)[r],
                         .trips = HSC_COL(db, loop_trips, uint64_t)[r],
                         .trips_max = HSC_COL(db, loop_trips_max, uint64_t)[r],
                         .trips_multiple = HSC_COL(db, loop_trips_multiple, uint64_t)[r],
                         .collapsed = HSC_COL(db, loop_collapsed, uint32_t)[r]};
    return HSC_OK;
}

hsc_status hsc_db_get_memory_check(const hsc_db *db, uint32_t r, hsc_db_memory_check *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_memory_check, r, err);
    if (status)
        return status;
    *out = (hsc_db_memory_check){.scope = HSC_COL(db, memory_check_scope, uint32_t)[r],
                                 .check = HSC_COL(db, memory_check_check, uint32_t)[r],
                                 .comparisons = HSC_COL(db, memory_check_comparisons, uint32_t)[r],
                                 .file = HSC_COL(db, memory_check_file, uint32_t)[r],
                                 .line = HSC_COL(db, memory_check_line, uint32_t)[r],
                                 .column = HSC_COL(db, memory_check_column, uint32_t)[r]};
    return HSC_OK;
}

hsc_status hsc_db_get_array(const hsc_db *db, uint32_t r, hsc_db_array *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_array, r, err);
    if (status)
        return status;
    *out = (hsc_db_array){.scope = HSC_COL(db, array_scope, uint32_t)[r],
                          .name = TEXT(array_name, r),
                          .type = TEXT(array_type, r),
                          .element = TEXT(array_element, r),
                          .bounds = TEXT(array_bounds, r),
                          .element_bytes = HSC_COL(db, array_element_bytes, uint32_t)[r],
                          .storage = HSC_COL(db, array_storage, uint8_t)[r],
                          .flags = HSC_COL(db, array_flags, uint32_t)[r],
                          .file = HSC_COL(db, array_file, uint32_t)[r],
                          .line = HSC_COL(db, array_line, uint32_t)[r],
                          .symbol = TEXT(array_symbol, r),
                          .tag = HSC_COL(db, array_tag, uint64_t)[r],
                          .identity = HSC_COL(db, array_identity, uint64_t)[r],
                          .parent = HSC_COL(db, array_parent, uint32_t)[r],
                          .argument = HSC_COL(db, array_argument, uint16_t)[r]};
    return HSC_OK;
}

hsc_status hsc_db_get_reference(const hsc_db *db, uint32_t r, hsc_db_reference *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_reference, r, err);
    if (status)
        return status;
    *out = (hsc_db_reference){.scope = HSC_COL(db, reference_scope, uint32_t)[r],
                              .array = HSC_COL(db, reference_array, uint32_t)[r],
                              .access = HSC_COL(db, reference_access, uint8_t)[r],
                              .file = HSC_COL(db, reference_file, uint32_t)[r],
                              .line = HSC_COL(db, reference_line, uint32_t)[r],
                              .column = HSC_COL(db, reference_column, uint32_t)[r],
                              .size_bytes = HSC_COL(db, reference_size_bytes, uint32_t)[r],
                              .text = TEXT(reference_text, r),
                              .stride = HSC_COL(db, reference_stride, uint8_t)[r],
                              .stride_bytes = TEXT(reference_stride_bytes, r),
                              .index = HSC_COL(db, reference_index, uint32_t)[r]};
    return HSC_OK;
}

hsc_status hsc_db_get_mpi_site(const hsc_db *db, uint32_t r, hsc_db_mpi_site *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_mpi_site, r, err);
    if (status)
        return status;
    *out = (hsc_db_mpi_site){.code_line = HSC_COL(db, mpi_site_code_line, uint32_t)[r],
                             .scope = HSC_COL(db, mpi_site_scope, uint32_t)[r],
                             .file = HSC_COL(db, mpi_site_file, uint32_t)[r],
                             .line = HSC_COL(db, mpi_site_line, uint32_t)[r],
                             .column = HSC_COL(db, mpi_site_column, uint32_t)[r],
                             .operation = TEXT(mpi_site_operation, r),
                             .kind = HSC_COL(db, mpi_site_kind, uint8_t)[r],
                             .binding = HSC_COL(db, mpi_site_binding, uint8_t)[r]};
    return HSC_OK;
}

hsc_status hsc_db_get_mpi_argument(const hsc_db *db, uint32_t r, hsc_db_mpi_argument *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_mpi_argument, r, err);
    if (status)
        return status;
    *out = (hsc_db_mpi_argument){.site = HSC_COL(db, mpi_argument_site, uint32_t)[r],
                                 .number = HSC_COL(db, mpi_argument_number, uint8_t)[r],
                                 .role = HSC_COL(db, mpi_argument_role, uint8_t)[r],
                                 .text = TEXT(mpi_argument_text, r),
                                 .array = HSC_COL(db, mpi_argument_array, uint32_t)[r],
                                 .shape = HSC_COL(db, mpi_argument_shape, uint8_t)[r],
                                 .datatype_bytes = HSC_COL(db, mpi_argument_datatype_bytes, uint64_t)[r]};
    return HSC_OK;
}

hsc_status hsc_db_get_mpi_link(const hsc_db *db, uint32_t r, hsc_db_mpi_link *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_mpi_link, r, err);
    if (status)
        return status;
    *out = (hsc_db_mpi_link){.site = HSC_COL(db, mpi_link_site, uint32_t)[r],
                             .kind = HSC_COL(db, mpi_link_kind, uint8_t)[r],
                             .confidence = HSC_COL(db, mpi_link_confidence, uint8_t)[r],
                             .other = HSC_COL(db, mpi_link_other, uint32_t)[r],
                             .scope = HSC_COL(db, mpi_link_scope, uint32_t)[r],
                             .file = HSC_COL(db, mpi_link_file, uint32_t)[r],
                             .line = HSC_COL(db, mpi_link_line, uint32_t)[r],
                             .column = HSC_COL(db, mpi_link_column, uint32_t)[r],
                             .array = HSC_COL(db, mpi_link_array, uint32_t)[r],
                             .text = TEXT(mpi_link_text, r)};
    return HSC_OK;
}

hsc_status hsc_db_get_directive(const hsc_db *db, uint32_t r, hsc_db_directive *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_directive, r, err);
    if (status)
        return status;
    *out = (hsc_db_directive){.scope = HSC_COL(db, directive_scope, uint32_t)[r],
                              .file = HSC_COL(db, directive_file, uint32_t)[r],
                              .line = HSC_COL(db, directive_line, uint32_t)[r],
                              .constructs = HSC_COL(db, directive_constructs, uint32_t)[r],
                              .text = TEXT(directive_text, r),
                              .region = HSC_COL(db, directive_region, uint32_t)[r],
                              .loop = HSC_COL(db, directive_loop, uint32_t)[r]};
    return HSC_OK;
}

hsc_status hsc_db_get_runtime_call(const hsc_db *db, uint32_t r, hsc_db_runtime_call *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_runtime_call, r, err);
    if (status)
        return status;
    *out = (hsc_db_runtime_call){.code_line = HSC_COL(db, runtime_call_code_line, uint32_t)[r],
                                 .directive = HSC_COL(db, runtime_call_directive, uint32_t)[r],
                                 .role = HSC_COL(db, runtime_call_role, uint8_t)[r],
                                 .scope = HSC_COL(db, runtime_call_scope, uint32_t)[r],
                                 .callee = TEXT(runtime_call_callee, r)};
    return HSC_OK;
}

hsc_status hsc_db_get_handed(const hsc_db *db, uint32_t r, hsc_db_handed *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_handed, r, err);
    if (status)
        return status;
    *out = (hsc_db_handed){.code_line = HSC_COL(db, handed_code_line, uint32_t)[r],
                           .scope = HSC_COL(db, handed_scope, uint32_t)[r],
                           .callee = HSC_COL(db, handed_callee, uint32_t)[r],
                           .argument = HSC_COL(db, handed_argument, uint16_t)[r],
                           .array = HSC_COL(db, handed_array, uint32_t)[r]};
    return HSC_OK;
}
