/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What packing and unpacking of payloads in columns share. docs/format.md section 4.1 has the form. Internal to formats/. */
#ifndef HEATSCOPE_FORMATS_COLUMNS_H
#define HEATSCOPE_FORMATS_COLUMNS_H

#include "stream_internal.h"

#define HSC_COLUMNS_KINDS_MAX 256u
/* How many values all columns of a packed payload may have together, those that are left out included. */
static inline uint64_t hsc_columns_cells_max(size_t packed_bytes) {
    uint64_t n = 65536u + 64u * (uint64_t)packed_bytes;
    return n < HSC_CHUNK_MAX_BYTES ? n : HSC_CHUNK_MAX_BYTES;
}

/* How the values of a field are written; CODING_BY + f: as difference to the value of the last record with an equal field f. */
enum { HSC_CODING_PLAIN, HSC_CODING_DIFFERENCE, HSC_CODING_NEXT, HSC_CODING_BY };

/* Frozen: what inflating begins with. Another one needs another flag in the chunk's header. */
extern const uint8_t hsc_columns_dictionary[];
extern const size_t hsc_columns_dictionary_bytes;

typedef struct hsc_column_bytes {
    uint8_t *p;
    size_t n, capacity;
} hsc_column_bytes;
bool hsc_column_grow(hsc_column_bytes *b, size_t more);
static inline bool hsc_column_reserve(hsc_column_bytes *b, size_t more) { /* false: no memory */
    return b->capacity - b->n >= more || hsc_column_grow(b, more);
}

/* The last value by key; starts anew with each column. */
typedef struct hsc_column_last {
    struct hsc_column_slot {
        uint64_t key, value;
        uint32_t column;
    } *slots;
    size_t mask; /* number of slots - 1 */
    uint32_t column;
} hsc_column_last;
bool hsc_column_last_init(hsc_column_last *l, size_t rows); /* room for so many keys; false: no memory */
/* Where the value of the key stands; it is `otherwise` where there was none. */
static inline uint64_t *hsc_column_last_at(hsc_column_last *l, uint64_t key, uint64_t otherwise) {
    size_t i = (size_t)(key * 0x9E3779B97F4A7C15u >> 20) & l->mask;
    while (l->slots[i].column == l->column && l->slots[i].key != key)
        i = (i + 1) & l->mask;
    if (l->slots[i].column != l->column)
        l->slots[i] = (struct hsc_column_slot){key, otherwise, l->column};
    return &l->slots[i].value;
}
void hsc_column_last_next(hsc_column_last *l); /* forgets all */
void hsc_column_last_fini(hsc_column_last *l);

/* The fields in the order in which they are written: a field whose coding is by another one after that one. `order` gets n
 * numbers. False when there is no such order. */
bool hsc_column_order(const uint8_t *codings, unsigned n, uint8_t *order);

#endif
