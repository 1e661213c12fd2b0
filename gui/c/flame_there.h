/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling contexts that have a value in the other run only, below those of this one. */
#ifndef HEATSCOPE_GUI_FLAME_THERE_H
#define HEATSCOPE_GUI_FLAME_THERE_H

#include "widget.h"

typedef struct hsw_flame_new {
    uint32_t parent, context; /* row of this database; of the other's */
    double value;
} hsw_flame_new;

typedef struct hsw_flame_there {
    hsc_handle *other; /* NULL: nothing is compared */
    uint32_t metric;   /* there */
    double scale;      /* of its counts, in ours */
    const uint32_t *map; /* of our contexts: the same ones there */
    double *sums;      /* of all its contexts, inclusive, in our counts */
    hsw_flame_new *list; /* the outermost of those that are only there, by parent and row */
    uint32_t n, capacity;
    double *added;     /* of our contexts: what list has below them */
    uint64_t of, of_there; /* values that all this is of: see hsc_handle */
    int of_metric;
} hsw_flame_there;

/* Brings it up to date: compares w's database with that of `o`, or with nothing. Whatever part of the tree is shown, it is read once for all. */
hsc_status hsw_flame_there_read(hsw_flame_there *t, hsw *w, const hsw_against *o, hsc_err *err);
/* What is only there below our context, all levels; 0 where nothing is compared. */
double hsw_flame_there_added(const hsw_flame_there *t, uint32_t context);
/* Those right below our context: the first, and how many. */
const hsw_flame_new *hsw_flame_there_below(const hsw_flame_there *t, uint32_t context, uint32_t *n);
void hsw_flame_there_forget(hsw_flame_there *t);

#endif
