/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arena, interned strings, growable arrays, hash table. */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t x = a * 0x9E3779B97F4A7C15u ^ (b + 0x7F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return x ^ x >> 32;
}

uint32_t hsc_table_get(const hsc_table *t, uint64_t a, uint64_t b) {
    if (!t->capacity)
        return HSC_NO_INDEX;
    for (size_t i = mix(a, b) & (t->capacity - 1); t->slots[i].used; i = (i + 1) & (t->capacity - 1))
        if (t->slots[i].a == a && t->slots[i].b == b)
            return t->slots[i].value;
    return HSC_NO_INDEX;
}

uint32_t *hsc_table_at(hsc_table *t, uint64_t a, uint64_t b) {
    if (t->count * 10 >= t->capacity * 7) {
        size_t capacity = t->capacity ? t->capacity * (t->capacity >= 1024 && t->capacity < 65536 ? 4 : 2) : 16;
        hsc_table_slot *slots = calloc(capacity, sizeof *slots);
        if (!slots)
            return NULL;
        for (size_t k = 0; k < t->capacity; k++) {
            if (!t->slots[k].used)
                continue;
            size_t i = mix(t->slots[k].a, t->slots[k].b) & (capacity - 1);
            while (slots[i].used)
                i = (i + 1) & (capacity - 1);
            slots[i] = t->slots[k];
        }
        free(t->slots);
        t->slots = slots;
        t->capacity = capacity;
    }
    size_t i = mix(a, b) & (t->capacity - 1);
    for (; t->slots[i].used; i = (i + 1) & (t->capacity - 1))
        if (t->slots[i].a == a && t->slots[i].b == b)
            return &t->slots[i].value;
    t->slots[i] = (hsc_table_slot){a, b, HSC_NO_INDEX, 1};
    t->count++;
    return &t->slots[i].value;
}

void hsc_table_fini(hsc_table *t) {
    free(t->slots);
    *t = (hsc_table){0};
}

struct hsc_pool_block {
    hsc_pool_block *next;
    size_t used, size;
};

void *hsc_pool_take(hsc_pool *p, size_t n) {
    n = (n + 7) & ~(size_t)7;
    if (!p->blocks || p->blocks->size - p->blocks->used < n) {
        size_t next = !p->blocks ? 2048 : p->blocks->size < 32768 ? 2 * p->blocks->size : 65536, size = n > next ? n : next;
        hsc_pool_block *b = calloc(1, sizeof *b + size);
        if (!b)
            return NULL;
        b->size = size;
        b->next = p->blocks;
        p->blocks = b;
        p->bytes += sizeof *b + size;
    }
    void *at = (char *)(p->blocks + 1) + p->blocks->used;
    p->blocks->used += n;
    return at;
}

typedef struct hsc_pool_string {
    const char *text; /* NULL: free */
    uint32_t hash, size;
} hsc_pool_string;

static uint32_t string_hash(const char *s, size_t n) {
    uint64_t h = n, v;
    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&v, s, 8);
        h = mix(h, v);
    }
    if (n) {
        v = 0;
        memcpy(&v, s, n);
        h = mix(h, v);
    }
    return (uint32_t)(h ^ h >> 32);
}

static bool grow_strings(hsc_pool *p) {
    size_t capacity = p->string_capacity ? p->string_capacity * (p->string_capacity >= 1024 && p->string_capacity < 65536 ? 4 : 2) : 32;
    hsc_pool_string *strings = calloc(capacity, sizeof *strings);
    if (!strings)
        return false;
    for (size_t k = 0; k < p->string_capacity; k++) {
        if (!p->strings[k].text)
            continue;
        size_t i = p->strings[k].hash & (capacity - 1);
        while (strings[i].text)
            i = (i + 1) & (capacity - 1);
        strings[i] = p->strings[k];
    }
    free(p->strings);
    p->strings = strings;
    p->string_capacity = capacity;
    return true;
}

const char *hsc_pool_intern(hsc_pool *p, const char *s, size_t n) {
    n = s ? strnlen(s, n) : 0;
    if (n >= UINT32_MAX || (p->string_count * 10 >= p->string_capacity * 7 && !grow_strings(p)))
        return NULL;
    uint32_t hash = string_hash(s, n);
    size_t i = hash & (p->string_capacity - 1);
    for (; p->strings[i].text; i = (i + 1) & (p->string_capacity - 1)) {
        const hsc_pool_string *at = &p->strings[i];
        if (at->hash == hash && at->size == n && (!n || !memcmp(at->text, s, n)))
            return at->text;
    }
    char *copy = hsc_pool_take(p, n + 1);
    if (!copy)
        return NULL;
    if (n)
        memcpy(copy, s, n);
    p->strings[i] = (hsc_pool_string){copy, hash, (uint32_t)n};
    p->string_count++;
    return copy;
}

void hsc_pool_fini(hsc_pool *p) {
    for (hsc_pool_block *b = p->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(p->strings);
    *p = (hsc_pool){0};
}

bool hsc_vec_reserve(void **p, size_t *cap, size_t need, size_t size) {
    if (need <= *cap)
        return true;
    size_t first = 1024 / size, n = *cap ? *cap : first > 16 ? 16 : first ? first : 1; /* many arrays are of one thread's or event's size */
    while (n < need) {
        if (n > SIZE_MAX / 2 / size)
            return false;
        n *= 2;
    }
    void *q = realloc(*p, n * size);
    if (!q)
        return false;
    *p = q;
    *cap = n;
    return true;
}
