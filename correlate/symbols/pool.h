/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of the correlator: an arena with interned strings, growable arrays, a hash table with 128-bit keys. */
#ifndef HEATSCOPE_CORRELATE_POOL_H
#define HEATSCOPE_CORRELATE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSC_NO_INDEX 0xFFFFFFFFu

/* ---- hash table: (a, b) -> u32. Keys are unique; no removal. ---- */
typedef struct hsc_table_slot {
    uint64_t a, b;
    uint32_t value;
    uint32_t used;
} hsc_table_slot;
typedef struct hsc_table {
    hsc_table_slot *slots;
    size_t capacity, count;
} hsc_table;
/* Value of the key, HSC_NO_INDEX when it is not there. */
uint32_t hsc_table_get(const hsc_table *t, uint64_t a, uint64_t b);
/* Pointer to the key's value, inserted with HSC_NO_INDEX when new; valid until the next insertion. NULL: out of memory. */
uint32_t *hsc_table_at(hsc_table *t, uint64_t a, uint64_t b);
void hsc_table_fini(hsc_table *t);

/* ---- arena: everything in it dies together ---- */
typedef struct hsc_pool_block hsc_pool_block;
typedef struct hsc_pool {
    hsc_pool_block *blocks;
    struct hsc_pool_string *strings; /* interned; open addressing by hash */
    size_t string_capacity, string_count, bytes;
} hsc_pool;
/* n zeroed bytes, 8-byte aligned; NULL: out of memory. */
void *hsc_pool_take(hsc_pool *p, size_t n);
/* The one copy of these n bytes (up to a NUL among them), NUL-terminated: equal strings give equal pointers. NULL: out of memory. */
const char *hsc_pool_intern(hsc_pool *p, const char *s, size_t n);
void hsc_pool_fini(hsc_pool *p);

/* ---- growable arrays: HSC_VEC(T) v = {0}; HSC_PUSH(v, value) is false when out of memory ---- */
#define HSC_VEC(T)      \
    struct {            \
        T *p;           \
        size_t n, cap;  \
    }
/* Room for at least `need` elements of `size` bytes; old contents kept. */
bool hsc_vec_reserve(void **p, size_t *cap, size_t need, size_t size);
#define HSC_RESERVE(v, need) ((need) <= (v).cap || hsc_vec_reserve((void **)&(v).p, &(v).cap, (need), sizeof *(v).p))
#define HSC_PUSH(v, ...) (HSC_RESERVE(v, (v).n + 1) ? ((v).p[(v).n++] = (__VA_ARGS__), true) : false)

#endif
