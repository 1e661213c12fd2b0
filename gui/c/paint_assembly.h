/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Picture of machine code: rows that are in view, brackets of generated loops, arrows of jumps. */
#ifndef HSC_GUI_PAINT_ASSEMBLY_H
#define HSC_GUI_PAINT_ASSEMBLY_H

#include "paint.h"

enum hsc_code_kind { HSC_CODE_PART, HSC_CODE_LOOP, HSC_CODE_SOURCE, HSC_CODE_INSTRUCTION };

typedef struct hsc_code_row {
    enum hsc_code_kind kind;
    bool selected, of_line, of_loop, hit; /* marks: of_line, of_loop: of the selected line, loop */
    double count, share, heat, length;    /* heat, length: 0..1, position in the colours and length of the bar; compared: heat -1..1 in those of changes */
    bool compared, noise, ratio;          /* another run has the same instruction */
    double theirs;                        /* what it has there */
    float change;                         /* as hsw_change has it */
    char address[20], bytes[36];
    char text[400];  /* operation TAB operands TAB comment; of other rows what they say */
    char place[128]; /* file:line; of loops the second part */
    int flow;        /* hsc_flow */
    int version;     /* colour of its loop's bracket: of the categories, or -1 */
    bool bracket, begins, ends; /* stands in a generated loop; the bracket's ends */
} hsc_code_row;

typedef struct hsc_code_arrow {
    int from, to; /* rows from the top of the view; may lie outside */
    bool strong;  /* of the selected instruction */
} hsc_code_arrow;

typedef struct hsc_code_frame {
    const hsc_code_row *rows;
    int count, row_height, header;
    int digits;   /* of the widest address */
    bool bytes, places; /* show these columns */
    enum hsc_colours colours;
    const hsc_code_arrow *arrows;
    int arrow_count;
    const char *unit; /* heading of the counts */
    const char *change; /* "difference", "ratio": heading of the counts where another run is compared, what that has stands in place of shares; NULL */
} hsc_code_frame;

typedef struct hsc_code_layout { /* where the columns begin */
    int bar, bar_width, count_right, share_right, address, bytes, arrows, arrows_right, bracket, text, operands, place_right;
    bool shares; /* has the column of shares */
} hsc_code_layout;
void hsc_code_layout_get(const hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f, hsc_code_layout *out);
void hsc_paint_code(hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f);
/* Adds "in f, called at a.c:7" to out, of which *used letters are there ("; g, called at ..." behind others), without a place that is not known ("");
 * false: no room. */
bool hsc_code_inlined(char *out, size_t size, size_t *used, const char *name, const char *place);
/* Colour number of a loop version (HSC_loop_version_* of records.h). */
int hsc_code_version_colour(uint32_t version);

#endif
