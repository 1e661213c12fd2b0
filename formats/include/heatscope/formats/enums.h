/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Enumerations and flag sets of records and databases, made from enums.def, which says what each value means. */
#ifndef HEATSCOPE_FORMATS_ENUMS_H
#define HEATSCOPE_FORMATS_ENUMS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* HSC_loop_version_VECTOR, HSC_node_flag_EXACT, ... */
enum hsc_enum_value {
#define HSC_ENUM(e, name, value, text) HSC_##e##_##name = value,
#include "enums.def"
#undef HSC_ENUM
};

/* Text of a value of the enum named `e` ("loop_version"); NULL when there is none. */
const char *hsc_enum_text(const char *e, uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
