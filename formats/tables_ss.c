/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* records.def and enums.def as tables. Signal-safe. */
#include <heatscope/formats/stream.h>

/* For each record the size bound of its scalar fields and the number of the others. */
#define HSC_SCALAR_U 10
#define HSC_SCALAR_Z 10
#define HSC_SCALAR_D 10
#define HSC_SCALAR_T 10
#define HSC_SCALAR_H 8
#define HSC_SCALAR_F 8
#define HSC_SCALAR_S 0
#define HSC_SCALAR_B 0
#define HSC_SCALAR_AU 0
#define HSC_SCALAR_AS 0

#define HSC_RECORD_BEGIN(id, name, version, meaning) enum { scalar_bytes_##name = 0
#define HSC_FIELD(field, type, unit, semantic, meaning) +HSC_SCALAR_##type
#define HSC_RECORD_END(name) \
    } \
    ;
#include <heatscope/formats/records.def>
#undef HSC_RECORD_BEGIN
#undef HSC_FIELD
#undef HSC_RECORD_END

#define HSC_RECORD_BEGIN(id, name, version, meaning) enum { n_variable_##name = 0
#define HSC_FIELD(field, type, unit, semantic, meaning) +(HSC_SCALAR_##type == 0)
#define HSC_RECORD_END(name) \
    } \
    ;
#include <heatscope/formats/records.def>
#undef HSC_RECORD_BEGIN
#undef HSC_FIELD
#undef HSC_RECORD_END

/* Numbers the D fields: each stands on a line of its own in records.def. */
#define HSC_PASTE2(a, b) a##b
#define HSC_PASTE(a, b) HSC_PASTE2(a, b)
#define HSC_DELTA_U
#define HSC_DELTA_Z
#define HSC_DELTA_D HSC_PASTE(delta_slot_, __LINE__),
#define HSC_DELTA_T
#define HSC_DELTA_H
#define HSC_DELTA_F
#define HSC_DELTA_S
#define HSC_DELTA_B
#define HSC_DELTA_AU
#define HSC_DELTA_AS

#define HSC_RECORD_BEGIN(id, name, version, meaning)
#define HSC_FIELD(field, type, unit, semantic, meaning) HSC_DELTA_##type
#define HSC_RECORD_END(name)
enum {
#include <heatscope/formats/records.def>
    n_delta_slots
};
#undef HSC_RECORD_BEGIN
#undef HSC_FIELD
#undef HSC_RECORD_END

_Static_assert(n_delta_slots <= HSC_WRITER_DELTAS, "records.def has more D fields than HSC_WRITER_DELTAS");

#define HSC_SLOT_U 0
#define HSC_SLOT_Z 0
#define HSC_SLOT_D HSC_PASTE(delta_slot_, __LINE__)
#define HSC_SLOT_T 0
#define HSC_SLOT_H 0
#define HSC_SLOT_F 0
#define HSC_SLOT_S 0
#define HSC_SLOT_B 0
#define HSC_SLOT_AU 0
#define HSC_SLOT_AS 0

#define HSC_RECORD_BEGIN(rec_id, rec_name, rec_version, rec_meaning) \
    case rec_id: { \
        typedef hsc_rec_##rec_name self; \
        enum { self_id = rec_id, self_version = rec_version }; \
        static const char self_meaning[] = rec_meaning; \
        static const hsc_field_info fields[] = {
#define HSC_FIELD(field, type, unit, semantic, meaning) \
    {#field, unit, semantic, meaning, HSC_TYPE_##type, offsetof(self, field), HSC_SLOT_##type},
#define HSC_RECORD_END(rec_name) \
    } \
    ; \
    _Static_assert(sizeof fields / sizeof fields[0] <= HSC_FIELDS_MAX, #rec_name " has too many fields"); \
    static const hsc_record_info info = {self_id, self_version, #rec_name, self_meaning, fields, \
                                         sizeof fields / sizeof fields[0], sizeof(self), \
                                         scalar_bytes_##rec_name, n_variable_##rec_name}; \
    return &info; \
    }

const hsc_record_info *hsc_record_info_get(uint32_t id) {
    switch (id) {
#include <heatscope/formats/records.def>
    }
    return NULL;
}

#undef HSC_RECORD_BEGIN
#undef HSC_FIELD
#undef HSC_RECORD_END

#define HSC_RECORD_BEGIN(id, name, version, meaning) id,
#define HSC_FIELD(field, type, unit, semantic, meaning)
#define HSC_RECORD_END(name)

const uint32_t *hsc_record_ids(size_t *n) {
    static const uint32_t ids[] = {
#include <heatscope/formats/records.def>
    };
    *n = sizeof ids / sizeof ids[0];
    return ids;
}

const hsc_enum_info *hsc_enum_infos(size_t *n) {
    static const hsc_enum_info infos[] = {
#define HSC_ENUM(e, name, value, text) {#e, #name, value, text},
#include <heatscope/formats/enums.def>
    };
    *n = sizeof infos / sizeof infos[0];
    return infos;
}
