/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map as an annotated listing of the source. */
#ifndef HEATSCOPE_CLI_MAP_LISTING_H
#define HEATSCOPE_CLI_MAP_LISTING_H

#include "map_book.h"

typedef struct hsc_listing_options {
    const char *only; /* procedure, or the end of a file's path; NULL: everything that has loops or inlined calls */
    int width;        /* columns */
    bool colour, all_remarks;
} hsc_listing_options;

/* Prints to stdout. HSC_E_MISSING: nothing is called `only`. */
hsc_status hsc_map_listing(const hsc_map_book *b, const hsc_listing_options *o, hsc_err *err);

#endif
