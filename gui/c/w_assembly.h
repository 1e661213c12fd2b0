/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::assembly: its state, and its rows as w_assembly_rows.c makes them when they come into view. */
#ifndef HSC_GUI_W_ASSEMBLY_H
#define HSC_GUI_W_ASSEMBLY_H

#include "paint_assembly.h"
#include "widget.h"

typedef struct assembly_item { /* a row of the list */
    uint32_t row;     /* of the instruction table; of HSC_CODE_PART: of the pieces */
    uint8_t kind;
} assembly_item;

typedef struct assembly_source { /* text of a file */
    uint32_t file;
    char *text;
    size_t *lines; /* where each begins; n + 1 */
    uint32_t n;
    unsigned used;
} assembly_source;
#define HSW_ASSEMBLY_SOURCES 6 /* kept at a time */
#define HSW_ASSEMBLY_ARROWS_MAX 400

typedef struct assembly {
    hsw w;
    int procedure, line, scope, selected, row_height, bytes, sources, places, colours, scaling;
    char *range, *search, *yscroll, *empty;
    hsw_against against;
    /* by prepare */
    assembly_item *items;
    int n, capacity;
    uint32_t first, end;    /* rows of instructions that are shown lie in here */
    double *counts, maximum, total, sum;
    bool uncounted;         /* an interval is set, and which instruction ran when is not known */
    /* w_assembly_other.c; other NULL: nothing is compared */
    hsc_handle *other;
    uint32_t other_metric, same; /* same: instructions that both have alike */
    double *theirs, other_scale, most_change, most_loop; /* theirs: as counts, in our counts; NaN: of other code. The largest changes of lines and instructions; of loops */
    hsw_noise noise;
    const char *unit;       /* of what is counted */
    uint64_t highest;
    int top, shown;         /* shown: the procedure that `top` is of */
    double sent_first, sent_last;
    assembly_source texts[HSW_ASSEMBLY_SOURCES];
    unsigned clock;
    hsc_code_row *visible;
    int visible_capacity;
    hsc_code_arrow arrows[HSW_ASSEMBLY_ARROWS_MAX];
    int arrow_count;
} assembly;

/* Rows that the widget has room for, one at least. */
int hsw_assembly_fit_rows(const assembly *a);
/* "vectors of 4, 2 iterations at a time": at most `size` bytes with the NUL. */
void hsw_assembly_version_words(const hsc_db_instance *x, char *out, size_t size);
/* " in f, called at a.c:7" for each inlined call around the instruction in that row of the table. */
void hsw_assembly_inlined_as(assembly *a, uint32_t row, char *out, size_t size);
/* Is a scope the chosen one, or in it? */
bool hsw_assembly_below(const assembly *a, uint32_t scope);
/* Is `part` in the text, without regard to case? */
bool hsw_assembly_contains(const char *text, const char *part);
/* What row i of the list shows. */
void hsw_assembly_fill_row(assembly *a, int i, hsc_code_row *out);
/* List row of an instruction; -1. */
int hsw_assembly_index_of(const assembly *a, uint32_t row);
/* What the other run has at the instructions of these pieces that it has alike. */
hsc_status hsw_assembly_read_other(assembly *a, const uint32_t *parts, uint32_t n, hsc_err *err);
void hsw_assembly_change(const assembly *a, uint32_t row, hsc_code_row *out); /* of an instruction that both have */
/* Of list row i, a source line or loop of other code: what it has here and there, in `out` and in words ("line: 12 -> 30"; "" else). */
void hsw_assembly_other(assembly *a, int i, hsc_code_row *out, char *words, size_t size);
/* Jumps of the selected instruction and to it; those inside the selected loop that are in view. To a->arrows. */
void hsw_assembly_find_arrows(assembly *a);

#endif
