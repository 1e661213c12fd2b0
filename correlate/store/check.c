/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* References in range, trees in pre-order, rows sorted, sparse rows well formed. */
#include "check.h"

#include <inttypes.h>

static hsc_status bad(const hsc_tables *t, enum hsc_column_id c, uint64_t row, const char *expected, uint64_t got,
                      hsc_err *err) {
    const hsc_column_def *d = &hsc_schema_columns[c];
    const hsc_table_def *table = &hsc_schema_tables[d->table];
    return hsc_err_set(err, HSC_E_FORMAT, "%s: /%s/%s/%s row %" PRIu64 ": expected %s, got %" PRIu64, t->path,
                       table->section, table->name, d->name, row, expected, got);
}

static bool may_be_none(enum hsc_column_id c) {
    switch (c) {
    case HSC_COL_scope_parent:
    case HSC_COL_context_parent:
    case HSC_COL_context_scope:
    case HSC_COL_line_file:
    case HSC_COL_thread_process:
    case HSC_COL_message_thread:
    case HSC_COL_message_context:
    case HSC_COL_message_bucket_message:
    case HSC_COL_message_pair_process:
    case HSC_COL_wait_thread:
    case HSC_COL_wait_context:
    case HSC_COL_wait_bucket_wait:
    case HSC_COL_leaf_context:
    case HSC_COL_leaf_metric:
    case HSC_COL_span_thread:
    case HSC_COL_span_context:
    case HSC_COL_message_slice_message:
    case HSC_COL_message_slice_bucket_slice:
    case HSC_COL_pair_slice_pair:
    case HSC_COL_wait_slice_wait:
    case HSC_COL_wait_slice_bucket_slice:
    case HSC_COL_visit_slice_block:
    case HSC_COL_visit_slice_thread:
    case HSC_COL_visit_slice_category_slice:
    case HSC_COL_visit_slice_bucket_slice:
    case HSC_COL_delayed_slice_delayed:
    case HSC_COL_delay_place_slice_place:
    case HSC_COL_mpi_argument_site:
    case HSC_COL_mpi_link_site:
    case HSC_COL_delay_thread:
    case HSC_COL_delay_context:
    case HSC_COL_delayed_delay:
    case HSC_COL_delayed_thread:
    case HSC_COL_delayed_context:
    case HSC_COL_delay_place_delay:
    case HSC_COL_delay_place_context:
    case HSC_COL_block_probe:
    case HSC_COL_visit_block:
    case HSC_COL_visit_thread:
    case HSC_COL_visit_category_visit:
    case HSC_COL_visit_bucket_visit:
    case HSC_COL_phase_process:
    case HSC_COL_note_process:
    case HSC_COL_counter_thread:
    case HSC_COL_counter_value_counter:
    case HSC_COL_cost_thread:
    case HSC_COL_code_part_module:
    case HSC_COL_code_part_procedure:
    case HSC_COL_instruction_module:
    case HSC_COL_inlining_scope:
        return false;
    default:
        return true;
    }
}

static hsc_status check_references(const hsc_tables *t, enum hsc_table_id table, hsc_err *err) {
    for (int c = 0; c < HSC_COL_COUNT; c++) {
        const hsc_column_def *d = &hsc_schema_columns[c];
        enum hsc_table_id to = d->table == table ? hsc_schema_references(d) : HSC_TAB_COUNT;
        if (to == HSC_TAB_COUNT || c == HSC_COL_scope_subtree_end ||
            c == HSC_COL_context_subtree_end)
            continue;
        const uint32_t *v = t->columns[c];
        if (!v)
            continue;
        bool none = may_be_none((enum hsc_column_id)c);
        for (uint64_t i = 0; i < t->rows[table]; i++)
            if (v[i] >= t->rows[to] && !(none && v[i] == HSC_NONE))
                return bad(t, (enum hsc_column_id)c, i, "a row of the table it refers to", v[i], err);
    }
    return HSC_OK;
}

static hsc_status check_tree(const hsc_tables *t, enum hsc_column_id parent_id, enum hsc_column_id end_id, hsc_err *err) {
    uint64_t n = t->rows[hsc_schema_columns[parent_id].table];
    const uint32_t *parent = t->columns[parent_id], *end = t->columns[end_id];
    if (!n)
        return HSC_OK;
    if (parent[0] != 0)
        return bad(t, parent_id, 0, "0, the root being its own parent", parent[0], err);
    if (end[0] != n)
        return bad(t, end_id, 0, "the number of rows", end[0], err);
    for (uint64_t i = 1, open = 0; i < n; i++) { /* open: innermost row whose subtree has not ended */
        while (end[open] <= i)
            open = parent[open];
        if (parent[i] != open)
            return bad(t, parent_id, i, "the innermost row whose subtree it is in", parent[i], err);
        if (end[i] <= i || end[i] > end[open])
            return bad(t, end_id, i, "the end of a subtree inside its parent's", end[i], err);
        open = i;
    }
    return HSC_OK;
}

/* Tables that are searched by one column. */
static hsc_status check_sorted(const hsc_tables *t, enum hsc_table_id table, hsc_err *err) {
    static const struct {
        enum hsc_column_id column;
        const char *expected;
    } sorted[] = {{HSC_COL_remark_scope, "rows sorted by scope"},
                  {HSC_COL_dependence_scope, "rows sorted by scope"},
                  {HSC_COL_loop_scope, "rows sorted by scope"},
                  {HSC_COL_memory_check_scope, "rows sorted by scope"},
                  {HSC_COL_array_scope, "rows sorted by scope"},
                  {HSC_COL_reference_scope, "rows sorted by scope"},
                  {HSC_COL_mpi_site_code_line, "rows sorted by line"},
                  {HSC_COL_mpi_argument_site, "rows sorted by site"},
                  {HSC_COL_mpi_link_site, "rows sorted by site"},
                  {HSC_COL_directive_scope, "rows sorted by scope"},
                  {HSC_COL_runtime_call_code_line, "rows sorted by line"},
                  {HSC_COL_handed_code_line, "rows sorted by line"},
                  {HSC_COL_message_bucket_message, "rows sorted by message"},
                  {HSC_COL_message_pair_process, "rows sorted by process"},
                  {HSC_COL_wait_bucket_wait, "rows sorted by wait"},
                  {HSC_COL_delayed_delay, "rows sorted by delay"},
                  {HSC_COL_delay_place_delay, "rows sorted by delay"},
                  {HSC_COL_visit_block, "rows sorted by block"},
                  {HSC_COL_visit_category_visit, "rows sorted by visit"},
                  {HSC_COL_visit_bucket_visit, "rows sorted by visit"},
                  {HSC_COL_message_slice_bucket_slice, "rows sorted by slice"},
                  {HSC_COL_wait_slice_bucket_slice, "rows sorted by slice"},
                  {HSC_COL_visit_slice_category_slice, "rows sorted by slice"},
                  {HSC_COL_visit_slice_bucket_slice, "rows sorted by slice"},
                  {HSC_COL_phase_process, "rows sorted by process"},
                  {HSC_COL_note_process, "rows sorted by process"},
                  {HSC_COL_counter_value_counter, "rows sorted by counter"},
                  {HSC_COL_cost_thread, "rows sorted by thread"}};
    for (size_t k = 0; k < sizeof sorted / sizeof *sorted; k++) {
        if (hsc_schema_columns[sorted[k].column].table != table)
            continue;
        const uint32_t *v = t->columns[sorted[k].column];
        if (!v)
            continue;
        for (uint64_t i = 1; i < t->rows[table]; i++)
            if (v[i] < v[i - 1])
                return bad(t, sorted[k].column, i, sorted[k].expected, v[i], err);
    }
    return HSC_OK;
}

hsc_status hsc_check_table(const hsc_tables *t, enum hsc_table_id table, hsc_err *err) {
    hsc_status status = check_references(t, table, err);
    uint64_t n = t->rows[table];
    if (status)
        return status;
    switch (table) {
    case HSC_TAB_scope:
        return check_tree(t, HSC_COL_scope_parent, HSC_COL_scope_subtree_end, err);
    case HSC_TAB_context:
        return check_tree(t, HSC_COL_context_parent, HSC_COL_context_subtree_end, err);
    case HSC_TAB_line: {
        const uint32_t *file = t->columns[HSC_COL_line_file], *line = t->columns[HSC_COL_line_line];
        for (uint64_t i = 1; i < n; i++)
            if (file[i] < file[i - 1] || (file[i] == file[i - 1] && line[i] <= line[i - 1]))
                return bad(t, HSC_COL_line_line, i, "rows sorted by file and line, each once", line[i], err);
        return HSC_OK;
    }
    case HSC_TAB_thread: {
        const uint32_t *process = t->columns[HSC_COL_thread_process];
        for (uint64_t i = 1; i < n; i++)
            if (process[i] < process[i - 1])
                return bad(t, HSC_COL_thread_process, i, "rows sorted by process", process[i], err);
        return HSC_OK;
    }
    case HSC_TAB_block: {
        const uint32_t *parent = t->columns[HSC_COL_block_parent];
        for (uint64_t i = 0; parent && i < n; i++)
            if (parent[i] != HSC_NONE && parent[i] >= i)
                return bad(t, HSC_COL_block_parent, i, "a row before it", parent[i], err);
        return HSC_OK;
    }
    case HSC_TAB_code_part: {
        const uint32_t *module = t->columns[HSC_COL_code_part_module], *first = t->columns[HSC_COL_code_part_first],
                       *count = t->columns[HSC_COL_code_part_rows], *byte = t->columns[HSC_COL_code_part_first_byte];
        const uint64_t *begin = t->columns[HSC_COL_code_part_begin], *end = t->columns[HSC_COL_code_part_end];
        for (uint64_t i = 0; i < n; i++) {
            if (end[i] < begin[i] || (i && (module[i] < module[i - 1] || (module[i] == module[i - 1] && begin[i] < end[i - 1]))))
                return bad(t, HSC_COL_code_part_begin, i, "pieces sorted by module and address, none in another", begin[i], err);
            if (first[i] == HSC_NONE ? count[i] : count[i] > t->rows[HSC_TAB_instruction] - first[i])
                return bad(t, HSC_COL_code_part_rows, i, "rows that there are", count[i], err);
            if (byte[i] != HSC_NONE && end[i] - begin[i] > t->rows[HSC_TAB_code_byte] - byte[i])
                return bad(t, HSC_COL_code_part_first_byte, i, "bytes that there are", byte[i], err);
        }
        return HSC_OK;
    }
    case HSC_TAB_instruction: {
        const uint32_t *module = t->columns[HSC_COL_instruction_module];
        const uint64_t *address = t->columns[HSC_COL_instruction_address];
        for (uint64_t i = 1; i < n; i++)
            if (module[i] < module[i - 1] || (module[i] == module[i - 1] && address[i] <= address[i - 1]))
                return bad(t, HSC_COL_instruction_address, i, "rows sorted by module and address, each once", address[i], err);
        return HSC_OK;
    }
    case HSC_TAB_inlining: {
        const uint32_t *parent = t->columns[HSC_COL_inlining_parent];
        for (uint64_t i = 0; i < n; i++)
            if (parent[i] != HSC_NONE && parent[i] >= i)
                return bad(t, HSC_COL_inlining_parent, i, "a row before it", parent[i], err);
        return HSC_OK;
    }
    case HSC_TAB_visit_category: {
        const uint8_t *category = t->columns[HSC_COL_visit_category_category];
        for (uint64_t i = 0; category && i < n; i++)
            if (category[i] >= t->rows[HSC_TAB_category])
                return bad(t, HSC_COL_visit_category_category, i, "a row of category", category[i], err);
        return HSC_OK;
    }
    case HSC_TAB_metric: {
        const uint32_t *of = t->columns[HSC_COL_metric_weights_of];
        if (n && of[0] != HSC_NONE)
            return bad(t, HSC_COL_metric_weights_of, 0, "none", of[0], err);
        for (uint64_t i = 1; i < n; i++)
            if (of[i] == HSC_NONE ? of[i - 1] != HSC_NONE : of[of[i]] != HSC_NONE)
                return bad(t, HSC_COL_metric_weights_of, i, "metrics before the weights of metrics", of[i], err);
        return HSC_OK;
    }
    case HSC_TAB_leaf: {
        const uint8_t *category = t->columns[HSC_COL_leaf_category];
        for (uint64_t i = 0; i < n; i++)
            if (category[i] >= t->rows[HSC_TAB_category])
                return bad(t, HSC_COL_leaf_category, i, "a row of category", category[i], err);
        return HSC_OK;
    }
    case HSC_TAB_span: {
        const uint32_t *thread = t->columns[HSC_COL_span_thread];
        const uint8_t *category = t->columns[HSC_COL_span_category];
        const uint64_t *begin = t->columns[HSC_COL_span_begin_ns], *length = t->columns[HSC_COL_span_length_ns];
        for (uint64_t i = 0; thread && i < n; i++) {
            if (category[i] >= t->rows[HSC_TAB_category])
                return bad(t, HSC_COL_span_category, i, "a row of category", category[i], err);
            if (length[i] > UINT64_MAX - begin[i] || (i && thread[i] == thread[i - 1] && begin[i] < begin[i - 1]))
                return bad(t, HSC_COL_span_begin_ns, i, "times that rise", i, err);
            if (i && thread[i] < thread[i - 1])
                return bad(t, HSC_COL_span_thread, i, "rows sorted by thread", thread[i], err);
        }
        return HSC_OK;
    }
    default:
        return check_sorted(t, table, err);
    }
}

hsc_status hsc_check_part(const hsc_tables *t, enum hsc_column_id column, uint64_t first, const void *values, uint64_t n, hsc_err *err) {
    const hsc_column_def *d = &hsc_schema_columns[column];
    enum hsc_table_id to = hsc_schema_references(d);
    const uint32_t *v = values;
    bool none = may_be_none(column);
    for (uint64_t i = 0; to != HSC_TAB_COUNT && d->type == HSC_COLTYPE_U4 && i < n; i++)
        if (v[i] >= t->rows[to] && !(none && v[i] == HSC_NONE))
            return bad(t, column, first + i, "a row of the table it refers to", v[i], err);
    return HSC_OK;
}

hsc_status hsc_check_indptr(const char *path, const char *what, hsc_ends indptr, uint64_t n, uint64_t nnz,
                            hsc_err *err) {
    if (hsc_ends_at(indptr, 0) != 0)
        return hsc_err_set(err, HSC_E_FORMAT, "%s: %s/indptr row 0: expected 0, got %" PRIu64, path, what, hsc_ends_at(indptr, 0));
    for (uint64_t i = 0; i < n; i++)
        if (hsc_ends_at(indptr, i + 1) < hsc_ends_at(indptr, i))
            return hsc_err_set(err, HSC_E_FORMAT, "%s: %s/indptr row %" PRIu64 ": expected no less than %" PRIu64
                               ", got %" PRIu64, path, what, i + 1, hsc_ends_at(indptr, i), hsc_ends_at(indptr, i + 1));
    if (hsc_ends_at(indptr, n) != nnz)
        return hsc_err_set(err, HSC_E_FORMAT, "%s: %s/indptr: expected to end at %" PRIu64 ", got %" PRIu64, path, what,
                           nnz, hsc_ends_at(indptr, n));
    return HSC_OK;
}

hsc_status hsc_check_sparse(const char *path, const char *what, uint64_t first, uint64_t n, hsc_ends indptr,
                            const uint32_t *indices, uint64_t columns, hsc_err *err) {
    uint64_t k = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t below = 0; /* one more than the index before */
        for (uint64_t end = hsc_ends_between(indptr, 0, i + 1); k < end; k++) {
            uint32_t index = indices[k];
            if (index < below || index >= columns)
                return hsc_err_set(err, HSC_E_FORMAT, "%s: %s/indices row %" PRIu64 ": expected rising columns below %"
                                   PRIu64 ", got %" PRIu32, path, what, first + i, columns, index);
            below = (uint64_t)index + 1;
        }
    }
    return HSC_OK;
}
