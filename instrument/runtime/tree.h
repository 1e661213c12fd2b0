/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread's calling contexts. */
#ifndef HSC_RT_TREE_H
#define HSC_RT_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- calling-context tree (tree_ss.c) -------------------------------------------------------------------------------------- */

typedef struct hsc_rt_node {
    uint64_t pc;
    uint32_t parent, mapping_id, next, flags;
} hsc_rt_node;

#define HSC_RT_TREE_PARTS 17u

typedef struct hsc_rt_tree {
    hsc_rt_node *nodes[HSC_RT_TREE_PARTS];  /* part i: 256 << i nodes */
    uint32_t *buckets[HSC_RT_TREE_PARTS];   /* linear hashing */
    uint32_t count;                         /* nodes, 0 is the root */
    uint32_t level, split;                  /* buckets: (256 << level) + split */
} hsc_rt_tree;

bool hsc_rt_tree_init(hsc_rt_tree *t);
void hsc_rt_tree_clear(hsc_rt_tree *t); /* keeps the first parts */
void hsc_rt_tree_forget(hsc_rt_tree *t); /* after it was left half changed: finds none of its nodes any more, new ones get new numbers */
/* Takes the newest node out again (its record found no room). */
void hsc_rt_tree_forget_last(hsc_rt_tree *t);
/* The child of `parent` for this frame; *fresh tells whether it is new. 0: no memory. Handlers. */
uint32_t hsc_rt_tree_child(hsc_rt_tree *t, uint32_t parent, uint64_t pc, uint32_t mapping_id, uint32_t flags, bool *fresh);
const hsc_rt_node *hsc_rt_tree_node(const hsc_rt_tree *t, uint32_t i);

#endif
