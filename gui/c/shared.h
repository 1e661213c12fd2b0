/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the widgets of one interpreter share: palette, list of widgets; and what Tk knows of a font. */
#ifndef HSC_GUI_SHARED_H
#define HSC_GUI_SHARED_H

#include "widget.h"

typedef struct hsw_shared hsw_shared;

hsw_shared *hsw_shared_add(Tcl_Interp *interp, hsw *w);
void hsw_shared_remove(hsw_shared *s, hsw *w);
/* Has it drawn at idle, in the order of these calls; events are looked at every few milliseconds between them. Once until hsw_draw_due. */
void hsw_shared_due(hsw_shared *s, hsw *w);
const hsc_rgb *hsw_palette(const hsw_shared *s);

typedef struct hsw_font_description {
    char family[128];
    bool bold, italic;
    double pixels;
} hsw_font_description;
/* Family and size in pixels of the font that Tk really draws with. */
void hsw_describe_font(Tcl_Interp *interp, Tk_Window tkwin, Tk_Font font, hsw_font_description *out);

/* The drawn widget of that path; NULL: there is none. */
hsw *hsw_shared_find(Tcl_Interp *interp, const char *path);
/* Paints it, as it was drawn last, on another canvas of its size. */
void hsw_paint_on(hsw *w, hsc_canvas *c);
/* heatscope::drawing FILE WIDTH HEIGHT ITEMS (drawing.c). */
int hsw_drawing_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* Commands heatscope::palette, redraw, hold, turn, idle, grab, drawing and draw_bindings. */
int hsw_shared_commands(Tcl_Interp *interp);

#endif
