/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scopes and categories of the whole program, a row of the overview each. */
#ifndef HSC_GUI_PROFILE_MAP_H
#define HSC_GUI_PROFILE_MAP_H

#include "handle.h"
#include "paint.h"

typedef struct hsc_profile_map {
    uint32_t n, n_procedures;
    hsc_map_bin *bins;     /* n; procedure: place in procedures, when all is read */
    uint32_t *procedures;  /* scope rows, rising */
    double *categories;    /* [n_procedures][categories], counts */
    double largest;        /* inclusive share of a procedure */
    bool done;             /* all is read */
    /* while it is read */
    uint32_t next_bin, next_procedure;
    double *incl;          /* of all scopes; NULL: not read yet */
    float *changes;        /* of all scopes; NULL: none */
    double total;
} hsc_profile_map;

/* Begins the map of rows [lo[i], hi[i]) of the lines' table for each row i of the picture. changes: of each scope in the other run, malloc'ed
 * and the map's from now on, NULL without one. Replaces *out, which is zeroed or begun before. */
hsc_status hsc_profile_map_begin(hsc_profile_map *out, uint32_t n, float *changes, hsc_err *err);
/* Goes on reading until it is done: in each row of the picture the scopes around the line whose innermost scope has the largest inclusive
 * value. Calls later(ctx) after each piece of work; when that does not give HSC_OK, it is returned, and the next call goes on there. With
 * another status nothing that was read is of use. Cost: the sums of all scopes, each line once, the categories of each procedure that is shown. */
hsc_status hsc_profile_map_read(hsc_profile_map *m, hsc_handle *h, uint32_t metric, const uint32_t *lo, const uint32_t *hi,
                                hsc_status (*later)(void *ctx, hsc_err *err), void *ctx, hsc_err *err);
void hsc_profile_map_fini(hsc_profile_map *m);

#endif
