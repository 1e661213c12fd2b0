/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C structs and ids of all records, made from records.def, with the enums that their fields are of. */
#ifndef HEATSCOPE_FORMATS_RECORDS_H
#define HEATSCOPE_FORMATS_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/enums.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsc_str {
    const char *p; /* n bytes of UTF-8, not NUL-terminated; may be NULL when n is 0 */
    size_t n;
} hsc_str;

typedef struct hsc_bytes {
    const uint8_t *p;
    size_t n;
} hsc_bytes;

typedef struct hsc_u64s {
    const uint64_t *p;
    size_t n;
} hsc_u64s;

typedef struct hsc_strs {
    const hsc_str *p;
    size_t n;
} hsc_strs;

#define HSC_CTYPE_U uint64_t
#define HSC_CTYPE_Z int64_t
#define HSC_CTYPE_D uint64_t
#define HSC_CTYPE_T uint64_t
#define HSC_CTYPE_H uint64_t
#define HSC_CTYPE_F double
#define HSC_CTYPE_S hsc_str
#define HSC_CTYPE_B hsc_bytes
#define HSC_CTYPE_AU hsc_u64s
#define HSC_CTYPE_AS hsc_strs

#define HSC_RECORD_BEGIN(id, name, version, meaning) typedef struct hsc_rec_##name {
#define HSC_FIELD(field, type, unit, semantic, meaning) HSC_CTYPE_##type field;
#define HSC_RECORD_END(name) \
    } \
    hsc_rec_##name;
#include "records.def"
#undef HSC_RECORD_BEGIN
#undef HSC_FIELD
#undef HSC_RECORD_END

/* HSC_REC_module, HSC_REC_sample, ... are the record ids. */
enum hsc_record_id {
#define HSC_RECORD_BEGIN(id, name, version, meaning) HSC_REC_##name = id,
#define HSC_FIELD(field, type, unit, semantic, meaning)
#define HSC_RECORD_END(name)
#include "records.def"
#undef HSC_RECORD_BEGIN
#undef HSC_FIELD
#undef HSC_RECORD_END
};

/* ---- the tables themselves, for whoever walks records without knowing them (dump, schema, encoder) ----------------- */

/* Wire types; the numbers stand in schema chunks. */
typedef enum hsc_field_type {
    HSC_TYPE_U = 1,
    HSC_TYPE_Z = 2,
    HSC_TYPE_D = 3,
    HSC_TYPE_T = 4,
    HSC_TYPE_H = 5,
    HSC_TYPE_F = 6,
    HSC_TYPE_S = 7,
    HSC_TYPE_B = 8,
    HSC_TYPE_AU = 9,
    HSC_TYPE_AS = 10
} hsc_field_type;

typedef struct hsc_field_info {
    const char *name;
    const char *unit;
    const char *semantic;
    const char *meaning;
    uint32_t type;       /* hsc_field_type */
    uint32_t offset;     /* in the C struct, or in hsc_record.data */
    uint32_t delta_slot; /* D fields: number of its delta; others 0 */
} hsc_field_info;

typedef struct hsc_record_info {
    uint32_t id;
    uint32_t version;
    const char *name;
    const char *meaning;
    const hsc_field_info *fields;
    uint32_t n_fields;
    uint32_t struct_bytes;
    uint32_t scalar_max_bytes; /* most bytes that the scalar fields take on the wire */
    uint32_t n_variable;       /* fields of types S, B, AU, AS */
} hsc_record_info;

/* The record of this id in records.def; NULL for others. Signal-safe. */
const hsc_record_info *hsc_record_info_get(uint32_t id);
/* The ids of all records, in the order of records.def. */
const uint32_t *hsc_record_ids(size_t *n);

typedef struct hsc_enum_info {
    const char *enum_name;
    const char *name;
    uint64_t value;
    const char *text;
} hsc_enum_info;

/* All values of all enums, in the order of enums.def. */
const hsc_enum_info *hsc_enum_infos(size_t *n);

#ifdef __cplusplus
}
#endif
#endif
