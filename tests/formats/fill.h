/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Test values for every record of records.def, made from its table; comparison of decoded records. */
#ifndef HSC_TEST_FILL_H
#define HSC_TEST_FILL_H

#include <heatscope/formats/stream.h>

/* Room for any record of records.def. */
typedef union any_record {
#define HSC_RECORD_BEGIN(id, name, version, meaning) hsc_rec_##name name##_;
#define HSC_FIELD(field, type, unit, semantic, meaning)
#define HSC_RECORD_END(name)
#include <heatscope/formats/records.def>
#undef HSC_RECORD_BEGIN
#undef HSC_FIELD
#undef HSC_RECORD_END
} any_record;

#define FILL_PATTERNS 6 /* 0: all zero and empty, 1: all ones and largest, others: mixtures */

void fill_record(any_record *out, uint32_t record_id, int pattern);
bool same_record(const hsc_record_info *info, const void *a, const void *b);

/* A stream of all records in all patterns, in open and sealed, packed and slot-sized chunks. *bytes is malloc'ed, 8-byte
 * aligned. Returns the number of records. */
size_t fill_stream(uint8_t **bytes, size_t *size);

#endif
