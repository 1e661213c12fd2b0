/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* schema.def as tables. */
#include "schema.h"

#include <string.h>

const hsc_table_def hsc_schema_tables[HSC_TAB_COUNT] = {
#define HSC_SCHEMA_TABLE(table, section, meaning) [HSC_TAB_##table] = {#table, section, "/" section "/" #table, meaning},
#include "schema.def"
};

const hsc_column_def hsc_schema_columns[HSC_COL_COUNT] = {
#define HSC_COLUMN(table, column, type, unit, references, meaning)                                                     \
    [HSC_COL_##table##_##column] = {HSC_TAB_##table, #column, HSC_COLTYPE_##type, unit, references, meaning},
#include "schema.def"
#undef HSC_COLUMN
};

const hsc_values_def hsc_schema_values[HSC_VALUES_COUNT] = {
#define HSC_SCHEMA_VALUES(id, name, rows, meaning) [HSC_TABLE_##id] = {#name, HSC_TAB_##rows, meaning},
#include "schema.def"
};

unsigned hsc_schema_type_size(hsc_column_type type) {
    static const uint8_t size[] = {1, 2, 4, 8, 4, 8, 0};
    return size[type];
}

enum hsc_table_id hsc_schema_references(const hsc_column_def *c) {
    for (int i = 0; c->references[0] && i < HSC_TAB_COUNT; i++)
        if (!strcmp(hsc_schema_tables[i].name, c->references))
            return (enum hsc_table_id)i;
    return HSC_TAB_COUNT;
}
