/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why the code is as it is: remarks, dependences and run-time checks, gathered between the two looks. */
#ifndef HEATSCOPE_PASS_WHY_H
#define HEATSCOPE_PASS_WHY_H

#include "pass.h"

/* remark.c. Early id of the loop that a region lies in or heads; 0: none. */
uint32_t hsc_why_loop_of(hsc_pass *p, const hsc_ir_region *region);
/* The record of this kind that has this key, made if there is none; *is_new tells. Notes the inlined copy that it is
 * about: one that is found again for another copy is about several. */
uint32_t hsc_why_find(hsc_pass *p, hsc_why_kind kind, uint64_t key, uint32_t procedure_id, const hsc_ir_loc *loc,
                      size_t next_index, bool *is_new);

/* Elements that the vectoriser took at once in the copy of a loop that was inlined at `inlined_at` (NULL: the function's own); 1: it
 * interleaved iterations only; 0: neither. */
uint32_t hsc_why_lanes(const hsc_pass *p, uint32_t loop_id, LLVMMetadataRef inlined_at);
/* Vectors that its body takes at once, likewise; 0: the vectoriser says no such thing. */
uint32_t hsc_why_interleaved(const hsc_pass *p, uint32_t loop_id, LLVMMetadataRef inlined_at);
/* Copies of its body that loop passes say they gave to a copy of a loop, told apart as above; 0: they say no such thing. */
uint32_t hsc_why_unrolled(const hsc_pass *p, uint32_t loop_id, LLVMMetadataRef inlined_at);
/* Did the compiler say so of the loop, of any copy of it, as far as it says anything here? */
bool hsc_why_may_be_unrolled(const hsc_pass *p, uint32_t loop_id);

/* A remark of ours: of loops that the programmer told the vectoriser to leave alone, of which it says nothing, of loops that only wait, and of those that are written in vectors. */
void hsc_why_tell(hsc_pass *p, const hsc_ir_loop_facts *f, uint32_t loop_id);
void hsc_why_tell_own(hsc_pass *p, const hsc_ir_loop_facts *f, uint32_t loop_id);
/* Does it tell that the vectoriser is on: a reason, of a loop that nobody asked it to vectorise? */
bool hsc_reason_explains(const hsc_ir_remark *r, uint64_t reason);
/* When all is told: loops of which nothing more is said were not tried only where the vectoriser explains no loop of the unit. */
void hsc_why_settle(hsc_pass *p);
/* Before that: of loops that were not tried those with several ways out have that reason, as the vectoriser would have refused them. */
void hsc_why_settle_exits(hsc_pass *p);

/* dependence.c. What was noted of a loop, 0: nothing; bits below. */
enum { HSC_LOOP_SEVERAL_EXITS = 1, HSC_LOOP_CALLS = 2, HSC_LOOP_INDIRECT = 4, HSC_LOOP_OTHER_UNSAFE = 8, HSC_LOOP_SEEN = 16,
       HSC_LOOP_THROWS = 128, HSC_LOOP_SWITCHES = 256, HSC_LOOP_DEAD_END = 512, HSC_LOOP_WAITS = 64, HSC_LOOP_ATOMIC = 1024, HSC_LOOP_EXTREME = 2048, HSC_LOOP_VECTORIZED = 32 /* before the vectoriser came to it: link-time optimisation runs it twice */ };
uint32_t hsc_why_loop_facts(const hsc_pass *p, uint32_t loop_id);

/* reason.c. Enum reason of a remark, from its pass and name and the facts of its loop. */
uint64_t hsc_reason_of(const hsc_ir_remark *r, uint32_t facts);

#endif
