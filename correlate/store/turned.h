/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of a table on their way from one order into the other: lists of (column, row, count), columns rising and rows rising in each
 * column, some 3 bytes each. */
#ifndef HEATSCOPE_STORE_TURNED_H
#define HEATSCOPE_STORE_TURNED_H

#include "spill.h"

typedef struct hsc_turned { /* all zero: empty */
    hsc_spill_list bytes;
    uint64_t count;
    uint32_t column, row; /* of the last one */
} hsc_turned;

typedef struct hsc_turned_value {
    uint32_t row, column, count;
} hsc_turned_value;

enum { HSC_TURNED_MAX = 15 }; /* bytes of a value */

static inline uint8_t *hsc_turned_number(uint8_t *p, uint64_t v) {
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

/* A value is 2 * (row - the one before) + 1, or 2 * (column - the one before) and the row; then the count. */
static inline uint8_t *hsc_turned_pack(hsc_turned *t, uint8_t *p, const hsc_turned_value *v) {
    if (t->count && v->column == t->column)
        p = hsc_turned_number(p, (uint64_t)(v->row - t->row) << 1 | 1);
    else
        p = hsc_turned_number(hsc_turned_number(p, (uint64_t)(v->column - t->column) << 1), v->row);
    t->count++;
    t->column = v->column;
    t->row = v->row;
    return hsc_turned_number(p, v->count);
}

/* False: out of memory. */
static inline bool hsc_turned_put(hsc_spill *s, hsc_turned *t, const hsc_turned_value *v) {
    hsc_spill_list *l = &t->bytes;
    if (l->room - l->held >= HSC_TURNED_MAX) {
        uint8_t *begin = l->items + l->held;
        uint32_t n = (uint32_t)(hsc_turned_pack(t, begin, v) - begin);
        l->held += n;
        l->count += n;
        return true;
    }
    uint8_t bytes[HSC_TURNED_MAX];
    return hsc_spill_put_some(s, l, bytes, (size_t)(hsc_turned_pack(t, bytes, v) - bytes), 1);
}

void hsc_turned_fini(hsc_turned *t);

/* Calls take(ctx, value) for all of them in their order, until it is false: then HSC_E_MEMORY. */
hsc_status hsc_turned_each(hsc_spill *s, const hsc_turned *t, bool (*take)(void *ctx, const hsc_turned_value *v), void *ctx, hsc_err *err);

#endif
