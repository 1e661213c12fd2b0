/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A widget's picture in memory and its way to the X server: shared memory when the server is local and takes it (probed
 * with an error trap), XPutImage otherwise. */
#ifndef HSC_GUI_SURFACE_H
#define HSC_GUI_SURFACE_H

#include "tclcompat.h"

#include <stdbool.h>
#include <tk.h>
#include <X11/extensions/XShm.h>

#include "canvas.h"

typedef struct hsc_surface {
    int width, height, stride; /* stride in pixels */
    uint32_t *pixels;          /* 0x00RRGGBB */
    hsc_canvas canvas;
    /* the server's side */
    XImage *image;
    XShmSegmentInfo segment;
    bool shared, pending; /* pending: the server may still read the segment */
    bool direct;          /* the visual's pixels are ours; else converted into image on each put */
    uint32_t *sent;       /* without shared memory: what the window shows, so that only what changes is sent */
    bool lost;            /* it does not show that any more */
    GC gc;
} hsc_surface;

/* Makes the surface width x height; contents are undefined after a change of size. The window may be unmapped, but must
 * exist for showing; tkwin without a window gives memory only. HSC_E_MEMORY. */
hsc_status hsc_surface_resize(hsc_surface *s, Tk_Window tkwin, int width, int height, double scale, hsc_err *err);
/* Call before drawing: waits until the server has read the last picture. */
void hsc_surface_begin(hsc_surface *s, Tk_Window tkwin);
/* After drawing: the window shows the picture; what it shows already is not sent again where the server is far. */
void hsc_surface_show(hsc_surface *s, Tk_Window tkwin);
/* What the window shows is not known any more: the next time all is sent. */
void hsc_surface_lose(hsc_surface *s);
/* A part of it, whatever the window shows: it was uncovered. */
void hsc_surface_put(hsc_surface *s, Tk_Window tkwin, int x, int y, int w, int h);
/* Gives the picture's memory back until the next resize; what it was drawn for (size, scale) stays known. */
void hsc_surface_drop(hsc_surface *s, Tk_Window tkwin);
void hsc_surface_fini(hsc_surface *s, Tk_Window tkwin);

#endif
