/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Columns of tables that grow with the number of processes: made row by row, kept in lists of the spill file, and put
 * into the store a part at a time. Texts must stay where they are until then, and take their pointers' memory when they
 * are put. */
#ifndef HEATSCOPE_JOIN_COLUMNS_H
#define HEATSCOPE_JOIN_COLUMNS_H

#include "../store/schema.h"
#include "../store/store.h"
#include "join_internal.h"

typedef struct columns { /* some 16 KB a column that has values */
    hsc_spill *spill;
    bool failed; /* out of memory; what was added after it is lost */
    hsc_spill_list lists[HSC_COL_COUNT];
} columns;

typedef const char *column_text;

/* The next value of a column, of the type that schema.def gives (S: column_text). */
#define CELL(c, id, type, value)                                                                                       \
    do {                                                                                                               \
        type v_ = (type)(value);                                                                                       \
        columns_add((c), HSC_COL_##id, &v_, sizeof v_);                                                                \
    } while (0)
void columns_add(columns *c, enum hsc_column_id id, const void *value, uint32_t size);
/* Values that a column has so far: the row of the next one. */
static inline uint64_t columns_rows(const columns *c, enum hsc_column_id id) {
    return c->lists[id].count;
}

/* All columns of a table, in the order of schema.def, and frees them. HSC_E_MEMORY, HSC_E_IO, and what the store says.
 */
hsc_status columns_put(columns *c, hsc_store *store, enum hsc_table_id table, hsc_err *err);
void columns_free(columns *c);

#endif
