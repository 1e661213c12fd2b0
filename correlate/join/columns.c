/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Columns that are made row by row. */
#include "columns.h"

#include <stdlib.h>

void columns_add(columns *c, enum hsc_column_id id, const void *value, uint32_t size) {
    if (!c->failed && !hsc_spill_put(c->spill, &c->lists[id], value, size))
        c->failed = true;
}

static hsc_status put_texts(columns *c, hsc_store *store, enum hsc_column_id id, hsc_err *err) {
    hsc_spill_cursor at = {.list = &c->lists[id]};
    uint64_t n = c->lists[id].count, got = 0;
    const char **texts = malloc((n + 1) * sizeof *texts);
    hsc_status status = !texts ? hsc_join_no_memory(err)
                        : n    ? hsc_spill_read(c->spill, &at, (void *)texts, n, &got, err)
                               : HSC_OK;
    if (status == HSC_OK)
        status = hsc_store_put_column(store, id, texts, got, err);
    free((void *)texts);
    return status;
}

static hsc_status put_numbers(columns *c, hsc_store *store, enum hsc_column_id id, hsc_err *err) {
    enum { BLOCK = 8192 };
    hsc_spill_cursor at = {.list = &c->lists[id]};
    uint64_t block[BLOCK], got = c->lists[id].count;
    unsigned size = hsc_schema_type_size(hsc_schema_columns[id].type);
    hsc_status status = hsc_store_begin_column(store, id, got, err);
    if (status == HSC_OK && got && size != c->lists[id].size)
        status = hsc_err_set(err, HSC_E_ARGUMENT, "column %s: values of %u bytes, its type has %u",
                             hsc_schema_columns[id].name, (unsigned)c->lists[id].size, size);
    while (status == HSC_OK && got) {
        status = hsc_spill_read(c->spill, &at, block, BLOCK * sizeof *block / size, &got, err);
        if (status == HSC_OK && got)
            status = hsc_store_put_part(store, block, got, err);
    }
    return status == HSC_OK ? hsc_store_end_column(store, err) : status;
}

hsc_status columns_put(columns *c, hsc_store *store, enum hsc_table_id table, hsc_err *err) {
    hsc_status status = c->failed ? hsc_join_no_memory(err) : HSC_OK;
    for (int id = 0; id < HSC_COL_COUNT && status == HSC_OK; id++) {
        if (hsc_schema_columns[id].table != table)
            continue;
        bool texts = hsc_schema_columns[id].type == HSC_COLTYPE_S;
        status = texts ? put_texts(c, store, (enum hsc_column_id)id, err)
                       : put_numbers(c, store, (enum hsc_column_id)id, err);
        hsc_spill_list_fini(&c->lists[id]);
    }
    return status;
}

void columns_free(columns *c) {
    for (int id = 0; id < HSC_COL_COUNT; id++)
        hsc_spill_list_fini(&c->lists[id]);
}
