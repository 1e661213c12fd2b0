/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::progress: what a long query has done, drawn while it runs; Escape, or a click on it, stops the query. Or, with -part, how
 * much of something is done that the application does by and by.
 *
 * It lies over what is in its place while it says something, and below it else.
 *
 * While it is shown, windows are repainted, and all other events wait until the query has ended: none of them can ask
 * another one. */
#include <X11/keysym.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "busy.h"
#include "widget.h"

typedef struct progress {
    hsw w;
    bool added, on, stop;
    double seconds;
    uint64_t done, whole;
    double part;   /* < 0: none */
    char *words;
} progress;

static const Tk_OptionSpec options[] = {HSW_O_DOUBLE(progress, "-part", part, "-1", HSW_PAINT), HSW_O_TEXT(progress, "-words", words, "", HSW_PAINT),
                                        HSW_OPTIONS_END};

static Tk_RestrictAction restrict_event(ClientData data, XEvent *e) {
    progress *p = data;
    switch (e->type) {
    case Expose:
    case GraphicsExpose:
    case NoExpose:
        return TK_PROCESS_EVENT;
    case KeyPress:
        if (XLookupKeysym(&e->xkey, 0) != XK_Escape)
            return TK_DEFER_EVENT;
        p->stop = true;
        return TK_DISCARD_EVENT;
    case ButtonPress:
        if (e->xbutton.window != Tk_WindowId(p->w.tkwin))
            return TK_DEFER_EVENT;
        p->stop = true;
        return TK_DISCARD_EVENT;
    default:
        return TK_DEFER_EVENT;
    }
}

static void draw_now(progress *p) {
    p->w.flags |= HSW_PAINT;
    hsw_draw(&p->w);
    hsc_surface_show(&p->w.surface, p->w.tkwin); /* remembers what was sent: else it would stay on a far display */
    XFlush(p->w.display);
}

/* Over its neighbours, or below them. */
static void restack(progress *p) {
    if (Tk_WindowId(p->w.tkwin) && !(p->w.flags & HSW_GONE))
        (void)Tk_RestackWindow(p->w.tkwin, p->on || p->part >= 0 ? Above : Below, NULL);
}

static bool show(void *ctx, double seconds, uint64_t done, uint64_t whole) {
    progress *p = ctx;
    if (p->w.flags & HSW_GONE)
        return true;
    bool was = p->on;
    p->on = seconds >= 0;
    p->seconds = seconds;
    p->done = done;
    p->whole = whole;
    if (!Tk_IsMapped(p->w.tkwin))
        return true;
    if (p->on != was)
        restack(p);
    if (!p->on) {
        hsw_schedule(&p->w, HSW_PAINT);
        return true;
    }
    p->stop = false;
    Tcl_Preserve(p);
    draw_now(p);
    ClientData before_data;
    Tk_RestrictProc *before = Tk_RestrictEvents(restrict_event, p, &before_data);
    while (Tcl_DoOneEvent(TCL_WINDOW_EVENTS | TCL_DONT_WAIT))
        ;
    Tk_RestrictEvents(before, before_data, &before_data);
    bool stop = p->stop;
    Tcl_Release(p);
    return !stop;
}

static hsc_status changed(hsw *w, hsc_err *err) {
    progress *p = (progress *)w;
    (void)err;
    hsc_busy *b = p->added ? NULL : hsc_busy_of(w->interp);
    p->added = p->added || (b && hsc_busy_add(b, show, p));
    restack(p);
    return HSC_OK;
}

static void fini(hsw *w) {
    hsc_busy_remove(w->interp, w);
}

static void text_of(const progress *p, char *out, size_t capacity) {
    if (!p->on && p->part >= 0)
        snprintf(out, capacity, "%.40s, %.0f %% \xc2\xb7 Esc stops", p->words, 100 * (p->part < 1 ? p->part : 1));
    else if (!p->on)
        out[0] = 0;
    else if (p->whole)
        snprintf(out, capacity, "Reading, %.0f of %.0f MB \xc2\xb7 Esc stops", (double)p->done / 1e6,
                 (double)p->whole / 1e6);
    else
        snprintf(out, capacity, "Reading, %.1f s \xc2\xb7 Esc stops", p->seconds);
}

static void paint(hsw *w, hsc_canvas *c) {
    progress *p = (progress *)w;
    char text[80];
    bool known = p->on ? p->whole > 0 : true;
    if (!p->on && !(p->part >= 0))
        return;
    int pad = hsc_canvas_dp(c, 6), h = hsc_canvas_dp(c, 3), room = c->width - 2 * pad;
    text_of(p, text, sizeof text);
    hsc_canvas_fill(c, 0, 0, c->width, c->height, w->style.colour[HSC_P_accentsoft]);
    /* a part that is known, else a piece that runs to and fro */
    double part = p->on ? (double)p->done / (double)(p->whole ? p->whole : 1) : p->part < 1 ? p->part : 1;
    double width = known ? room * part : room / 4.0, from = pad;
    if (!known) {
        double turn = p->seconds - 2 * (double)(long)(p->seconds / 2);
        from += (room - width) * (turn < 1 ? turn : 2 - turn);
    }
    hsc_canvas_fill(c, pad, c->height - h - 1, room, h, w->style.colour[HSC_P_faint]);
    hsc_canvas_fill(c, (int)from, c->height - h - 1, (int)width, h, w->style.colour[HSC_P_accent]);
    hsc_canvas_text_fit(c, w->style.font, pad, hsc_font_baseline(w->style.font, 0, c->height - h), room, HSC_LEFT,
                        w->style.colour[HSC_P_foreground], text);
}

static void describe(hsw *w, Tcl_Obj *text) {
    char line[80];
    text_of((progress *)w, line, sizeof line);
    Tcl_AppendStringsToObj(text, line, NULL);
}

const hsw_class hsw_progress_class = {.command = "progress",
                                      .tk_class = "HeatscopeProgress",
                                      .size = sizeof(progress),
                                      .options = options,
                                      .changed = changed,
                                      .fini = fini,
                                      .paint = paint,
                                      .describe = describe};
