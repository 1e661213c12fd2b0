/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::overview: its state, and what of it w_overview_read.c reads from the database. */
#ifndef HSC_GUI_W_OVERVIEW_H
#define HSC_GUI_W_OVERVIEW_H

#include "profile_map.h"
#include "widget.h"

/* What the values of a picture depend on, in a run that is shown as a whole; all of it is set and nothing between, so that keys compare as bytes. */
typedef struct picture_key {
    const hsc_handle *db;
    int metric, table, axis, reduce, skip;
    uint32_t bins, columns, block, lines_per_bin, uneven;
    uint64_t order;
} picture_key;

/* What a profile map depends on, in whatever is shown; as above. */
typedef struct map_key {
    picture_key picture;
    double begin, end; /* interval */
    uint64_t only;     /* category */
    int show, scaling; /* with a second run */
    const hsc_handle *other;
} map_key;
_Static_assert(sizeof(picture_key) == sizeof(hsc_handle *) + 10 * sizeof(int) + 8, "bytes between");
_Static_assert(sizeof(map_key) == sizeof(picture_key) + 24 + 2 * sizeof(int) + sizeof(hsc_handle *), "bytes between");

typedef struct overview {
    hsw w;
    hsw_heatlike o;
    hsw_against against;
    int content;
    hsc_profile_map map; /* all of it, or what was read of it when the last turn ended */
    map_key map_of;
    hsc_colour_scale map_changes; /* of two runs */
    const char *category_names[HSC_CATEGORIES_SHOWN];
    double category_totals[HSC_CATEGORIES_SHOWN];
    int wanted_strips, skip, procedure, labels, legend;
    Tcl_Obj *detail, *hits, *line, *outlines;
    /* layout of lines: for one database, -skip and the values shown */
    hsc_strips strips;
    /* by prepare */
    hsc_overview_layout layout;
    hsc_axis axis;
    float *values, *strip_maximum;
    bool valued; /* values are of what is shown */
    picture_key values_of, kept_of; /* db NULL: of no key */
    map_key reading;                /* what values are being read of, a turn at a time, */
    uint32_t read;                  /* so many rows of them by now; 0: nothing is */
    hsc_db_bins *bins;              /* the rest of them; NULL: of two runs, or nothing is being read */
    float *kept;                    /* the values before, as of the other way to reduce */
    uint32_t *strip_label;
    double maximum;
    hsc_colour_scale scale;
    /* by marks */
    hsc_area procedure_area, detail_area, drag_area;
    hsc_area *outline_areas;
    uint32_t n_outlines, n_hits, line_row;
    char *of_outlines; /* what outline_areas were made of, with the database */
    const hsc_handle *of_outlines_db;
    uint32_t *hit_rows;
} overview;

/* What the picture has where: lines, strips, processors. fresh: lines were laid anew, which takes long; block: rows that stand together. */
hsc_status hsw_overview_lay_out(overview *v, bool *fresh, uint32_t *block, hsc_err *err);
/* Values by bin of rows [lo[i], hi[i]), their maximum and colours; HSC_E_PENDING: not all yet (hsw_later). */
hsc_status hsw_overview_read_values(overview *v, uint32_t block, const uint32_t *lo, const uint32_t *hi, hsc_err *err);
/* The same where they were not needed to draw: of a profile map. */
hsc_status hsw_overview_need_values(overview *v, hsc_err *err);
/* The profile map: all of it, or, with HSC_E_PENDING, a part to go on with (hsw_later). What was begun of something else is dropped. */
hsc_status hsw_overview_read_map(overview *v, uint32_t block, const uint32_t *lo, const uint32_t *hi, double begin_ms, hsc_err *err);

#endif
