/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tags of static records: 64-bit identities that survive unrelated edits. Maps leave out (write 0 for) those that follow
 * from other records of the module; the functions here give them. docs/format.md section 4.2 has the rules. */
#ifndef HEATSCOPE_FORMATS_TAGS_H
#define HEATSCOPE_FORMATS_TAGS_H

#include <stdbool.h>

#include "records.h"
#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Hash of n bytes under the name of what they are, continuing from `seed`; never 0. */
uint64_t hsc_tag(uint64_t seed, const char *kind, const void *bytes, size_t n);

/* Of a procedure whose record has tag 0. `file`: path of its file record, without one the module's name; of no account
 * where the procedure is not local. */
uint64_t hsc_tag_of_procedure(hsc_str linkage_name, bool is_local, hsc_str file);

/* Of a call whose record has tag 0: the nth (from 1, in the order of the records) call of this callee in its procedure. */
uint64_t hsc_tag_of_calls(uint64_t procedure_tag, hsc_str callee);
uint64_t hsc_tag_of_call(uint64_t calls_tag, uint32_t nth);

#ifdef __cplusplus
}
#endif
#endif
