/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values, elements, sections and bounds of the map as text in the terms of the source. Ids that are out of range, as in a
 * damaged map, read as unknown: "?". */
#ifndef HEATSCOPE_CORRELATE_DATA_TEXT_H
#define HEATSCOPE_CORRELATE_DATA_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include <heatscope/formats/records.h>

typedef struct hsc_map_values { /* of one module record, in the order of their ids */
    const hsc_rec_value *p;
    size_t n;
} hsc_map_values;

/* Text that is appended to; what does not fit is cut off. Begin with {buffer, size, 0}. */
typedef struct hsc_map_text {
    char *p;
    size_t size, n;
} hsc_map_text;

void hsc_map_text_add(hsc_map_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void hsc_map_text_value(hsc_map_text *t, hsc_map_values v, uint64_t id);
/* "a[i][j + 1]" or, where the first subscript varies fastest, "a(i, j + 1)"; a NULL: "?". */
void hsc_map_text_element(hsc_map_text *t, hsc_map_values v, const hsc_rec_array *a, hsc_u64s subscripts);
/* "a(1 : n, j)"; an upper bound that is not known is left out. `datatype`: name of the derived type; NULL. */
void hsc_map_text_section(hsc_map_text *t, hsc_map_values v, const hsc_rec_array *a, const hsc_rec_section *s,
                          const char *datatype);
/* "[n][3]", "(n, 0:3)"; "" for what has no dimensions. */
void hsc_map_text_bounds(hsc_map_text *t, hsc_map_values v, const hsc_rec_array *a);

#endif
