/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that was made at run time, by what its makers said of it in files (jit_map.h). The runtime keeps these beside the measurement when a process ends
 * (instrument/runtime/keep_ss.c: .generated/NAME.map and .dump for NAME.hsr); where it could not, those that are still where their makers put them count. Such
 * an address becomes one of the module HSC_DB_GENERATED, and there the same one in all processes: a key of what is known of it. */
#ifndef HEATSCOPE_JOIN_GENERATED_H
#define HEATSCOPE_JOIN_GENERATED_H

#include "jit_map.h"
#include "join_internal.h"

/* What is told of the process's code; NULL: out of memory. `j` is told which files were looked at; NULL: it was before. */
hsc_jit_map *hsc_generated_load(join *j, const jprocess *p);
/* Key of code at the address (of a frame: behind its call, unless it is exact); 0: not known. */
uint64_t hsc_generated_key(const hsc_jit_map *m, uint64_t address, bool exact);
bool hsc_generated_is(const jmodule *m);
/* The module, with what its addresses stand for. */
hsc_status hsc_generated_open(join *j, jmodule *m, hsc_err *err);

#endif
