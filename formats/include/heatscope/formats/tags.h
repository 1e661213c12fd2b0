/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tags of static records: 64-bit identities that survive unrelated edits. Maps leave out (write 0 for) those that follow
 * from other records of the module; what is here gives them back. docs/format.md section 4.2 has the rules. */
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

/* The tags of one module, as its records pass by in their order. */
typedef struct hsc_tags hsc_tags;
hsc_tags *hsc_tags_new(hsc_err *err); /* HSC_E_MEMORY */
void hsc_tags_free(hsc_tags *t);

/* Reading: gives a record whose tag is left out (0) its tag. To be called with every record of the module in its order, from
 * `module` on, which forgets what was before; records without tags are left as they are. HSC_E_MEMORY. */
hsc_status hsc_tags_fill(hsc_tags *t, uint32_t record_id, void *record, hsc_err *err);

/* Writing: the same calls; sets the tag to 0 where a reader will find it. */
hsc_status hsc_tags_omit(hsc_tags *t, uint32_t record_id, void *record, hsc_err *err);

#ifdef __cplusplus
}
#endif
#endif
