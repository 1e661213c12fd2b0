/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling-context tree of a thread: nodes and a linear hash table (Litwin 1980) in parts that only grow, so that no
 * insertion ever pays for rehashing all. */
#include "rt.h"

/* element i lives in part k at offset j, part k holding 256 << k elements */
static inline uint32_t part_of(uint32_t i, uint32_t *offset) {
    uint32_t j = i + 256;
    uint32_t k = 31 - (uint32_t)__builtin_clz(j);
    *offset = j - (1u << k);
    return k - 8;
}

static inline hsc_rt_node *node_at(const hsc_rt_tree *t, uint32_t i) {
    uint32_t j, k = part_of(i, &j);
    return t->nodes[k] + j;
}

static inline uint32_t *bucket_at(const hsc_rt_tree *t, uint32_t i) {
    uint32_t j, k = part_of(i, &j);
    return t->buckets[k] + j;
}

static inline uint64_t hash(uint32_t parent, uint64_t pc, uint32_t mapping_id, uint32_t flags) {
    uint64_t h = pc * 0x9e3779b97f4a7c15u ^ ((uint64_t)parent << 7 | flags) * 0xc2b2ae3d27d4eb4fu ^ mapping_id;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

static inline uint32_t bucket_of(const hsc_rt_tree *t, uint64_t h) {
    uint32_t n = 256u << t->level;
    uint32_t b = (uint32_t)h & (n - 1);
    return b < t->split ? (uint32_t)h & (2 * n - 1) : b;
}

bool hsc_rt_tree_init(hsc_rt_tree *t) {
    if (!t->nodes[0]) {
        uint8_t *p = hsc_rt_map(256 * sizeof(hsc_rt_node) + 256 * sizeof(uint32_t));
        if (!p)
            return false;
        t->nodes[0] = (hsc_rt_node *)p;
        t->buckets[0] = (uint32_t *)(p + 256 * sizeof(hsc_rt_node));
    }
    t->count = 1; /* 0 is the root */
    t->level = t->split = 0;
    return true;
}

void hsc_rt_tree_clear(hsc_rt_tree *t) {
    for (uint32_t k = 1; k < HSC_RT_TREE_PARTS; k++) {
        hsc_rt_unmap(t->nodes[k], ((size_t)256 << k) * sizeof(hsc_rt_node));
        hsc_rt_unmap(t->buckets[k], ((size_t)256 << k) * sizeof(uint32_t));
        t->nodes[k] = NULL;
        t->buckets[k] = NULL;
    }
    for (uint32_t i = 0; t->buckets[0] && i < 256; i++)
        t->buckets[0][i] = 0;
    hsc_rt_tree_init(t);
}

void hsc_rt_tree_forget(hsc_rt_tree *t) {
    for (uint32_t k = 0; k < HSC_RT_TREE_PARTS; k++)
        for (uint32_t i = 0; t->buckets[k] && i < 256u << k; i++)
            t->buckets[k][i] = 0;
    t->split = 0; /* of a level that is there */
}

/* One bucket more: the elements of bucket `split` are shared with it. Without memory the table just stays as it is. */
static void grow(hsc_rt_tree *t) {
    uint32_t n = 256u << t->level, offset, k = part_of(n + t->split, &offset);
    if (k >= HSC_RT_TREE_PARTS)
        return;
    if (!t->buckets[k] && !(t->buckets[k] = hsc_rt_map(((size_t)256 << k) * sizeof(uint32_t))))
        return;
    uint32_t *low = bucket_at(t, t->split), *high = t->buckets[k] + offset, i = *low;
    *low = *high = 0;
    while (i) {
        hsc_rt_node *x = node_at(t, i);
        uint32_t next = x->next;
        uint32_t *to = hash(x->parent, x->pc, x->mapping_id, x->flags) & n ? high : low;
        x->next = *to;
        *to = i;
        i = next;
    }
    if (++t->split == n) {
        t->split = 0;
        t->level++;
    }
}

HSC_RT_HOT uint32_t hsc_rt_tree_child(hsc_rt_tree *t, uint32_t parent, uint64_t pc, uint32_t mapping_id, uint32_t flags, bool *fresh) {
    uint64_t h = hash(parent, pc, mapping_id, flags);
    for (uint32_t i = *bucket_at(t, bucket_of(t, h)); i;) {
        const hsc_rt_node *x = node_at(t, i);
        if (x->pc == pc && x->parent == parent && x->mapping_id == mapping_id && x->flags == flags) {
            *fresh = false;
            return i;
        }
        i = x->next;
    }
    uint32_t i = t->count, offset, k = part_of(i, &offset);
    if (k >= HSC_RT_TREE_PARTS)
        return 0;
    if (!t->nodes[k] && !(t->nodes[k] = hsc_rt_map(((size_t)256 << k) * sizeof(hsc_rt_node))))
        return 0;
    if (t->count > (256u << t->level) + t->split)
        grow(t);
    uint32_t *bucket = bucket_at(t, bucket_of(t, h));
    t->nodes[k][offset] = (hsc_rt_node){pc, parent, mapping_id, *bucket, flags};
    *bucket = i;
    t->count++;
    *fresh = true;
    return i;
}

void hsc_rt_tree_forget_last(hsc_rt_tree *t) {
    const hsc_rt_node *x = node_at(t, --t->count);
    *bucket_at(t, bucket_of(t, hash(x->parent, x->pc, x->mapping_id, x->flags))) = x->next; /* it is the first there */
}

const hsc_rt_node *hsc_rt_tree_node(const hsc_rt_tree *t, uint32_t i) {
    return node_at(t, i);
}
