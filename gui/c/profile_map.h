/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scopes and categories of the whole program, a row of the overview each. */
#ifndef HSC_GUI_PROFILE_MAP_H
#define HSC_GUI_PROFILE_MAP_H

#include "handle.h"
#include "paint.h"

typedef struct hsc_profile_map {
    uint32_t n, n_procedures;
    hsc_map_bin *bins;     /* n; procedure: place in procedures */
    uint32_t *procedures;  /* scope rows, rising */
    double *categories;    /* [n_procedures][categories], counts */
    double largest;        /* inclusive share of a procedure */
} hsc_profile_map;

/* For table rows [lo[i], hi[i]) of each row i of the picture the scopes around the line whose innermost scope has the largest
 * inclusive value. changes: of each scope in the other run, NULL without one. Replaces *out, which is zeroed or made here. Cost: the sums of all scopes, each line once, and the categories of
 * each procedure that is shown. */
hsc_status hsc_profile_map_read(hsc_handle *h, uint32_t metric, uint32_t n, const uint32_t *lo, const uint32_t *hi, const float *changes,
                                hsc_profile_map *out, hsc_err *err);
void hsc_profile_map_fini(hsc_profile_map *m);

#endif
