/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The late look at link time, in a module that several units were linked or imported into. What the early looks found
 * is read from the bitcode, unit by unit, when it is first asked for; the early ids of all units follow each other in
 * one number space. All state is of one module: back ends of ThinLTO run in threads. */
#ifndef HEATSCOPE_PASS_AT_LINK_H
#define HEATSCOPE_PASS_AT_LINK_H

#include "pass.h"

/* False: no unit of the module was prepared for this. `whole`: as for hsc_pass_new_at_link. */
bool hsc_link_open(hsc_pass *p, bool whole);
void hsc_link_close(hsc_pass *p);
/* Looks at all functions of such units, and writes a map of their code that replaces those of before linking. */
void hsc_link_late(hsc_pass *p);

/* Early id of a location, 0: none; `loc` has one by its unit's numbers. */
uint32_t hsc_link_early_id(hsc_pass *p, const hsc_ir_loc *loc);
/* The same of a unit's id; 0: none. */
uint32_t hsc_link_site(hsc_pass *p, uint64_t unit_tag, uint32_t id);
/* As hsc_pass_access_key; *early: how often the source has the access. */
uint64_t hsc_link_access(hsc_pass *p, LLVMValueRef instruction, const hsc_ir_loc *loc, uint32_t loop_id, unsigned *kind,
                         uint32_t *early);
uint32_t hsc_link_procedure_of_function(hsc_pass *p, LLVMValueRef function);
uint32_t hsc_link_procedure_of_subprogram(hsc_pass *p, LLVMMetadataRef subprogram);

/* at_link_records.c: drops the files, procedures, loops and calls that no record of code needs, and makes ids dense
 * again. */
void hsc_link_prune(hsc_pass *p);

#endif
