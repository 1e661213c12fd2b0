/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The custom widget: creation, options, commands, redraw. */
#include "widget.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <X11/Xutil.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shared.h"

const Tk_OptionSpec hsw_common_options[] = {
    {TK_OPTION_STRING, "-db", NULL, NULL, "", -1, offsetof(hsw, db_name), TK_OPTION_NULL_OK, NULL, HSW_DATA},
    {TK_OPTION_PIXELS, "-width", "width", "Width", "200", -1, offsetof(hsw, width), 0, NULL, 0},
    {TK_OPTION_PIXELS, "-height", "height", "Height", "100", -1, offsetof(hsw, height), 0, NULL, 0},
    {TK_OPTION_FONT, "-font", "font", "Font", "TkDefaultFont", -1, offsetof(hsw, tk_font), 0, NULL, HSW_DATA},
    {TK_OPTION_FONT, "-monofont", "monofont", "Font", "TkFixedFont", -1, offsetof(hsw, tk_mono), 0, NULL, HSW_DATA},
    {TK_OPTION_DOUBLE, "-scale", "scale", "Scale", "1.0", -1, offsetof(hsw, scale), 0, NULL, HSW_DATA},
    {TK_OPTION_COLOR, "-background", "background", "Background", NULL, -1, offsetof(hsw, background), TK_OPTION_NULL_OK,
     NULL, HSW_PAINT},
    {TK_OPTION_SYNONYM, "-bg", NULL, NULL, NULL, 0, -1, 0, (ClientData) "-background", 0},
    {TK_OPTION_COLOR, "-foreground", NULL, NULL, NULL, -1, offsetof(hsw, foreground), TK_OPTION_NULL_OK, NULL, HSW_PAINT},
    {TK_OPTION_COLOR, "-accent", NULL, NULL, NULL, -1, offsetof(hsw, accent), TK_OPTION_NULL_OK, NULL, HSW_PAINT},
    {TK_OPTION_CURSOR, "-cursor", "cursor", "Cursor", "", -1, offsetof(hsw, cursor), TK_OPTION_NULL_OK, NULL, 0},
    {TK_OPTION_STRING, "-takefocus", "takeFocus", "TakeFocus", "1", -1, offsetof(hsw, take_focus), TK_OPTION_NULL_OK,
     NULL, 0},
    HSW_O_INT(hsw, "-metric", metric, "0", HSW_DATA),
    HSW_O_TEXT(hsw, "-group", group, "", HSW_DATA),
    HSW_O_ENUM(hsw, "-axis", axis, "process", hsc_axis_names, HSW_DATA),
    {TK_OPTION_END, NULL, NULL, NULL, NULL, 0, -1, 0, NULL, 0}};

double hsw_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int hsw_width(const hsw *w) { return Tk_Width(w->tkwin) > 1 ? Tk_Width(w->tkwin) : w->width > 0 ? w->width : 1; }
int hsw_height(const hsw *w) { return Tk_Height(w->tkwin) > 1 ? Tk_Height(w->tkwin) : w->height > 0 ? w->height : 1; }

int hsw_linespace(const hsw *w, bool mono) {
    Tk_FontMetrics m;
    Tk_GetFontMetrics(mono ? w->tk_mono : w->tk_font, &m);
    return m.linespace > 0 ? m.linespace : 1;
}

hsc_db_view hsw_view(const hsw *w, int table) {
    return (hsc_db_view){(uint32_t)w->metric, (hsc_db_table)table, (hsc_db_axis)w->axis};
}

enum hsc_unit hsw_unit(const hsw *w, double *scale) {
    hsc_db_metric m;
    *scale = 1;
    if (!w->db || w->metric < 0 || hsc_db_get_metric(w->db->db, (uint32_t)w->metric, &m, NULL) != HSC_OK || !m.exact)
        return HSC_UNIT_NONE;
    *scale = m.scale;
    return !strcmp(m.unit, "s") ? HSC_UNIT_SECONDS : !strcmp(m.unit, "B") ? HSC_UNIT_BYTES : HSC_UNIT_NONE;
}

void hsw_set_unit(const hsw *w, hsc_colour_scale *scale) { scale->unit = hsw_unit(w, &scale->unit_scale); }

/* ---- drawing ---- */

static void resolve_style(hsw *w) {
    memcpy(w->style.colour, hsw_palette(w->shared), sizeof w->style.colour);
    const struct {
        XColor *from;
        int to;
    } own[] = {{w->background, HSC_P_background}, {w->foreground, HSC_P_foreground}, {w->accent, HSC_P_accent}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].from)
            w->style.colour[own[i].to] = (hsc_rgb)(own[i].from->red >> 8) << 16 |
                                         (hsc_rgb)(own[i].from->green >> 8) << 8 | (hsc_rgb)(own[i].from->blue >> 8);
    w->style.font = &w->fonts[0];
    w->style.small = &w->fonts[1];
    w->style.mono = &w->fonts[2];
    w->style.mono_small = &w->fonts[3];
}

static hsc_status resolve_fonts(hsw *w, hsc_err *err) {
    if (w->fonts[3].scaled)
        return HSC_OK;
    for (int i = 0; i < 2; i++) {
        hsw_font_description d;
        hsw_describe_font(w->interp, w->tkwin, i ? w->tk_mono : w->tk_font, &d);
        hsc_status s = hsc_font_init(&w->fonts[2 * i], d.family, d.bold, d.italic, d.pixels, err);
        if (s == HSC_OK)
            s = hsc_font_init(&w->fonts[2 * i + 1], d.family, d.bold, d.italic, d.pixels * 0.86, err);
        if (s != HSC_OK)
            return s;
    }
    return HSC_OK;
}

static void drop_fonts(hsw *w) {
    for (int i = 0; i < 4; i++)
        hsc_font_fini(&w->fonts[i]);
}

/* In place of a picture that needs what is being counted. */
static void paint_waiting(const hsw *w, hsc_canvas *c) {
    const char *words = w->again ? "reading \xe2\x80\xa6" : "counting by processor \xe2\x80\xa6";
    int pad = hsc_canvas_dp(c, 8);
    hsc_canvas_text_fit(c, w->style.font, pad, pad + w->style.font->ascent, c->width - 2 * pad, HSC_LEFT, w->style.colour[HSC_P_muted], words);
}

/* The part of the picture below the marks: drawn, or as it was drawn last. */
static void paint_base(hsw *w, hsc_canvas *c) {
    size_t row = (size_t)c->width * sizeof *w->base.pixels;
    bool same = w->base.pixels && w->base.width == c->width && w->base.height == c->height &&
                !memcmp(w->base.colour, w->style.colour, sizeof w->base.colour);
    if (same) {
        hsc_canvas_block(c, 0, 0, c->width, c->height, w->base.pixels, c->width);
        return;
    }
    w->cls->paint(w, c);
    if (!c->pixels)
        return;
    free(w->base.pixels);
    if (!(w->base.pixels = malloc(row * (size_t)c->height)))
        return; /* it is drawn each time then */
    cairo_surface_flush(c->surface);
    for (int y = 0; y < c->height; y++)
        memcpy(w->base.pixels + (size_t)y * (size_t)c->width, c->pixels + (size_t)y * (size_t)c->stride, row);
    w->base.width = c->width;
    w->base.height = c->height;
    memcpy(w->base.colour, w->style.colour, sizeof w->base.colour);
}

static void drop_base(hsw *w) {
    free(w->base.pixels);
    w->base.pixels = NULL;
}

void hsw_paint_on(hsw *w, hsc_canvas *c) {
    hsc_canvas_fill(c, 0, 0, c->width, c->height, w->style.colour[HSC_P_background]);
    if (w->error[0]) {
        hsc_canvas_text_fit(c, w->style.font, hsc_canvas_dp(c, 8), hsc_canvas_dp(c, 8) + w->style.font->ascent,
                            c->width - 2 * hsc_canvas_dp(c, 8), HSC_LEFT, w->style.colour[HSC_P_warn], w->error);
        return;
    }
    if (w->waiting) {
        paint_waiting(w, c);
        return;
    }
    if (w->cls->marks && c->pixels) {
        paint_base(w, c);
        w->cls->marks(w, c);
    } else {
        if (w->cls->paint)
            w->cls->paint(w, c);
        if (w->cls->marks)
            w->cls->marks(w, c);
    }
    if ((w->flags & HSW_FOCUSED) && w->take_focus && w->take_focus[0] != '0')
        hsc_canvas_frame(c, 0, 0, c->width, c->height, hsc_canvas_dp(c, 1), w->style.colour[HSC_P_accent]);
}

int hsw_turn_ms = 15;

hsc_status hsw_later(hsw *w, double begin_ms, hsc_err *err) {
    if (w->at_once || hsw_now_ms() - begin_ms < hsw_turn_ms)
        return HSC_OK;
    w->again = true;
    return hsc_err_set(err, HSC_E_PENDING, "not all is read yet");
}

static void draw(hsw *w) {
    if (!(w->flags & (HSW_DATA | HSW_PAINT)) || (w->flags & HSW_GONE))
        return;
    hsc_err err = {0};
    double begin = hsw_now_ms();
    bool data = (w->flags & HSW_DATA) != 0;
    w->flags &= ~(unsigned)(HSW_DATA | HSW_PAINT);
    Tk_MakeWindowExist(w->tkwin);
    hsc_status s = hsc_surface_resize(&w->surface, w->tkwin, hsw_width(w), hsw_height(w), w->scale, &err);
    if (s != HSC_OK)
        return; /* no memory for a picture: leave the window as it is */
    hsc_surface_begin(&w->surface, w->tkwin);
    resolve_style(w);
    if ((s = resolve_fonts(w, &err)) != HSC_OK)
        return;
    if (data) {
        drop_base(w);
        w->error[0] = 0;
        w->waiting = false;
        w->again = false;
        w->stopped = false;
        if (w->stop) {
            s = hsc_err_set(&err, HSC_E_CANCELLED, "stopped");
        } else if (w->db && w->cls->prepare) {
            if (w->metric < 0 || (uint32_t)w->metric >= w->db->info.metrics)
                s = hsc_err_set(&err, HSC_E_ARGUMENT, "no metric %d, there are %u", w->metric, w->db->info.metrics);
            else
                s = w->cls->prepare(w, &err);
        }
        w->stop = false;
        if (s == HSC_E_PENDING)
            w->waiting = true;
        if (w->again && (s == HSC_E_PENDING || s == HSC_OK)) /* a part can be drawn, or nothing yet */
            hsw_schedule(w, HSW_DATA | HSW_PAINT);
        else if (s == HSC_E_CANCELLED) {
            snprintf(w->error, sizeof w->error, "Stopped. A click reads it.");
            w->stopped = true;
        } else if (s != HSC_OK && !w->waiting)
            hsc_text_clean(err.text[0] ? err.text : hsc_status_text(s), w->error, sizeof w->error);
    }
    if (w->cls->complete && !w->waiting) {
        Tcl_Preserve(w);
        w->cls->complete(w);
        bool gone = w->flags & HSW_GONE;
        Tcl_Release(w);
        if (gone)
            return;
    }
    hsw_paint_on(w, &w->surface.canvas);
    cairo_surface_flush(w->surface.canvas.surface);
    double ms = hsw_now_ms() - begin;
    w->frames++;
    w->last_ms = ms;
    w->total_ms += ms;
    if (ms > w->max_ms)
        w->max_ms = ms;
    if (data && w->error[0]) {
        Tcl_Obj *d = Tcl_NewDictObj();
        hsc_tcl_put(d, "message", hsc_tcl_text(w->error, strlen(w->error)));
        hsw_send(w, "<<HeatscopeError>>", d);
    }
}

void hsw_draw(hsw *w) {
    w->at_once = true;
    draw(w);
    w->at_once = false;
}

void hsw_draw_turn(hsw *w) { draw(w); }

void hsw_draw_due(hsw *w) {
    w->flags &= ~(unsigned)HSW_IDLE;
    if ((w->flags & HSW_GONE) || !Tk_IsMapped(w->tkwin))
        return; /* what is due stays due until it is mapped */
    Tcl_Preserve(w);
    hsw_draw_turn(w);
    if (!(w->flags & HSW_GONE))
        hsc_surface_show(&w->surface, w->tkwin);
    Tcl_Release(w);
}

void hsw_schedule(hsw *w, unsigned what) {
    w->flags |= what;
    if (!(w->flags & (HSW_IDLE | HSW_GONE)) && Tk_IsMapped(w->tkwin)) {
        w->flags |= HSW_IDLE;
        hsw_shared_due(w->shared, w);
    }
}

static void world_changed(ClientData data) {
    hsw *w = data;
    drop_fonts(w);
    hsw_schedule(w, HSW_DATA | HSW_PAINT);
}

static const Tk_ClassProcs class_procs = {.size = sizeof(Tk_ClassProcs), .worldChangedProc = world_changed};

/* ---- life ---- */

static void record_free(hsc_tcl_memory memory) {
    hsw *w = (hsw *)memory;
    free(w->hover);
    free(w);
}

static void on_event(ClientData data, XEvent *e) {
    hsw *w = data;
    switch (e->type) {
    case Expose:
        if (w->flags & (HSW_DATA | HSW_PAINT)) {
            hsc_surface_lose(&w->surface);
            hsw_schedule(w, 0);
        } else
            hsc_surface_put(&w->surface, w->tkwin, e->xexpose.x, e->xexpose.y, e->xexpose.width, e->xexpose.height);
        break;
    case ConfigureNotify:
        if (w->surface.width != Tk_Width(w->tkwin) || w->surface.height != Tk_Height(w->tkwin))
            hsw_schedule(w, HSW_DATA | HSW_PAINT);
        break;
    case MapNotify:
        hsc_surface_lose(&w->surface);
        hsw_schedule(w, w->flags & (HSW_DATA | HSW_PAINT) ? 0 : HSW_PAINT);
        break;
    case UnmapNotify: /* it is drawn anew in any case when it is seen again */
        if (!(w->flags & HSW_GONE)) {
            hsc_surface_drop(&w->surface, w->tkwin);
            w->flags |= HSW_PAINT;
        }
        break;
    case FocusIn:
    case FocusOut:
        if (e->xfocus.detail != NotifyInferior) {
            w->flags = e->type == FocusIn ? w->flags | HSW_FOCUSED : w->flags & ~(unsigned)HSW_FOCUSED;
            hsw_schedule(w, HSW_PAINT);
        }
        break;
    case DestroyNotify:
        if (w->flags & HSW_GONE)
            break;
        w->flags |= HSW_GONE;
        if (w->command)
            Tcl_DeleteCommandFromToken(w->interp, w->command);
        if (w->cls->fini)
            w->cls->fini(w);
        hsw_shared_remove(w->shared, w);
        hsc_handle_release(w->db);
        w->db = NULL;
        drop_fonts(w);
        drop_base(w);
        hsc_surface_fini(&w->surface, w->tkwin);
        Tk_FreeConfigOptions((void *)w, w->options, w->tkwin);
        Tcl_EventuallyFree(w, (Tcl_FreeProc *)record_free);
        break;
    default: break;
    }
}

static void command_deleted(ClientData data) {
    hsw *w = data;
    w->command = NULL;
    if (!(w->flags & HSW_GONE))
        Tk_DestroyWindow(w->tkwin);
}

/* Whether one of the options names the same as a later one: their names may be cut short. */
static bool is_named(Tcl_Obj *const options[], int n, Tcl_Obj *option) {
    Tcl_Size length, other;
    const char *name = Tcl_GetStringFromObj(option, &length);
    for (int i = 0; i < n; i += 2) {
        const char *before = Tcl_GetStringFromObj(options[i], &other);
        if (!strncmp(name, before, (size_t)(length < other ? length : other)))
            return true;
    }
    return false;
}

/* Puts those options into `out` that are to change: what stays as it is costs no drawing. */
static int changes(hsw *w, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[], Tcl_Obj **out) {
    int n = 0;
    for (int i = 0; i < objc; i += 2) {
        Tcl_Obj *now = i + 1 < objc ? Tk_GetOptionValue(interp, (void *)w, w->options, objv[i], w->tkwin) : NULL;
        if (now) {
            Tcl_IncrRefCount(now);
            bool same = !strcmp(Tcl_GetString(now), Tcl_GetString(objv[i + 1]));
            Tcl_DecrRefCount(now);
            if (same && !is_named(out, n, objv[i])) /* the last of several counts */
                continue;
        } else {
            Tcl_ResetResult(interp); /* what is wrong with it is said when it is set */
        }
        out[n++] = objv[i];
        if (i + 1 < objc)
            out[n++] = objv[i + 1];
    }
    return n;
}

static int set_options(hsw *w, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    Tk_SavedOptions saved;
    int mask = 0;
    if (Tk_SetOptions(interp, (void *)w, w->options, objc, objv, w->tkwin, &saved, &mask) != TCL_OK) {
        Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
        return TCL_ERROR;
    }
    hsc_handle *db = NULL;
    hsc_err err = {0};
    if (w->db_name && w->db_name[0] && !(db = hsc_handle_find(interp, w->db_name))) {
        /* a widget may keep a database whose command is gone: only a new name must be known */
        if (!w->db || strcmp(w->db->name, w->db_name)) {
            Tk_RestoreSavedOptions(&saved);
            return TCL_ERROR;
        }
        Tcl_ResetResult(interp);
        db = w->db;
    }
    if (!(w->scale > 0.1 && w->scale < 20))
        hsc_err_set(&err, HSC_E_ARGUMENT, "-scale %g: expected 0.1 to 20", w->scale);
    hsc_handle *before = w->db;
    w->db = db;
    if (err.status == HSC_OK && w->cls->changed)
        w->cls->changed(w, &err);
    if (err.status != HSC_OK) {
        w->db = before;
        Tk_RestoreSavedOptions(&saved);
        if (w->cls->changed) /* what it made of the wrong options is made again from the old ones */
            w->cls->changed(w, NULL);
        Tcl_SetObjResult(interp, hsc_tcl_text(err.text, strlen(err.text)));
        Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
        return TCL_ERROR;
    }
    Tk_FreeSavedOptions(&saved);
    if (db != before) {
        if (db)
            hsc_handle_take(db);
        hsc_handle_release(before);
    }
    Tk_GeometryRequest(w->tkwin, w->width > 0 ? w->width : 1, w->height > 0 ? w->height : 1);
    for (int i = 0; i < objc; i += 2)
        if (strstr(Tcl_GetString(objv[i]), "font"))
            drop_fonts(w);
    if (mask & HSW_DATA)
        w->stop = false;
    hsw_schedule(w, (unsigned)mask | HSW_PAINT);
    return TCL_OK;
}

static int configure(hsw *w, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    Tcl_Obj *some[64];
    if ((w->error[0] && !w->stopped) || w->waiting || objc > 64) /* what failed is tried again */
        return set_options(w, interp, objc, objv);
    int n = changes(w, interp, objc, objv, some);
    return n ? set_options(w, interp, n, some) : TCL_OK;
}

void hsw_send(hsw *w, const char *event, Tcl_Obj *dict) {
    Tcl_Interp *interp = w->interp;
    if ((w->flags & HSW_GONE) || Tcl_InterpDeleted(interp)) {
        Tcl_IncrRefCount(dict);
        Tcl_DecrRefCount(dict);
        return;
    }
    Tcl_Obj *words[] = {Tcl_NewStringObj("::event", -1), Tcl_NewStringObj("generate", -1),
                        Tcl_NewStringObj(Tk_PathName(w->tkwin), -1), Tcl_NewStringObj(event, -1),
                        Tcl_NewStringObj("-data", -1), dict};
    const int n = (int)(sizeof words / sizeof *words);
    for (int i = 0; i < n; i++)
        Tcl_IncrRefCount(words[i]);
    Tcl_InterpState state = Tcl_SaveInterpState(interp, TCL_OK);
    if (Tcl_EvalObjv(interp, n, words, TCL_EVAL_GLOBAL) != TCL_OK)
        Tcl_BackgroundException(interp, TCL_ERROR);
    Tcl_RestoreInterpState(interp, state);
    for (int i = 0; i < n; i++)
        Tcl_DecrRefCount(words[i]);
}

/* ---- pointer and keys, called from the class bindings ---- */

static Tcl_Obj *hit_or_empty(hsw *w, int x, int y) {
    if (!w->again)
        hsw_draw(w); /* what is under the pointer is what the options say now; what is still being read is not waited for */
    Tcl_Obj *d = w->cls->hit && x >= 0 && y >= 0 && x < hsw_width(w) && y < hsw_height(w) && !w->error[0] && !w->waiting
                     ? w->cls->hit(w, x, y)
                     : NULL;
    return d ? d : Tcl_NewDictObj();
}

static void hover(hsw *w, Tcl_Obj *dict) {
    Tcl_IncrRefCount(dict);
    const char *text = Tcl_GetString(dict);
    if (strcmp(w->hover ? w->hover : "", text)) {
        free(w->hover);
        w->hover = strdup(text);
        hsw_send(w, "<<HeatscopeHover>>", dict);
    }
    Tcl_DecrRefCount(dict);
}

static bool is_empty(Tcl_Obj *dict) {
    Tcl_Size n = 0;
    return Tcl_DictObjSize(NULL, dict, &n) != TCL_OK || n == 0;
}

static void send_hit(hsw *w, const char *event, int x, int y) {
    Tcl_Obj *d = hit_or_empty(w, x, y);
    Tcl_IncrRefCount(d);
    if (event && !is_empty(d))
        hsw_send(w, event, d);
    Tcl_DecrRefCount(d);
}

static int act(hsw *w, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    static const char *const names[] = {"press", "drag", "release", "open", "hover", "leave", "wheel", "move", NULL};
    const hsw_class *k = w->cls;
    int what, a[4] = {0, 0, 0, 0};
    if (objc < 3 || Tcl_GetIndexFromObj(interp, objv[2], names, "action", TCL_EXACT, &what) != TCL_OK)
        return TCL_ERROR;
    for (int i = 3; i < objc && i < 7; i++)
        if (Tcl_GetIntFromObj(interp, objv[i], &a[i - 3]) != TCL_OK)
            return TCL_ERROR;
    switch (what) {
    case 0:
        if (w->error[0])
            hsw_schedule(w, HSW_DATA);
        w->press_x = a[0];
        w->press_y = a[1];
        w->pressed = true;
        w->dragged = false;
        if (!k->press || !k->press(w, a[0], a[1], a[2]))
            send_hit(w, k->pick_event, a[0], a[1]);
        break;
    case 1:
        if (!w->pressed)
            break;
        if (abs(a[0] - w->press_x) + abs(a[1] - w->press_y) > 3)
            w->dragged = true;
        if (w->dragged && k->drag)
            k->drag(w, a[0], a[1], a[2]);
        break;
    case 2:
        if (w->pressed && k->release)
            k->release(w, a[0], a[1], a[2]);
        if (!(w->flags & HSW_GONE))
            w->pressed = w->dragged = false;
        break;
    case 3:
        w->pressed = false;
        if (!k->open || !k->open(w, a[0], a[1]))
            send_hit(w, "<<HeatscopeOpen>>", a[0], a[1]);
        break;
    case 4: hover(w, hit_or_empty(w, a[0], a[1])); break;
    case 5: hover(w, Tcl_NewDictObj()); break;
    case 6:
        if (k->wheel)
            k->wheel(w, a[0], a[1], a[2], a[3]);
        break;
    default:
        if (k->move)
            k->move(w, a[0], a[1], a[2] != 0, a[3] != 0);
        break;
    }
    return TCL_OK;
}

/* ---- commands ---- */

/* A description is lines for people and terminals: names in it must not move them. */
static Tcl_Obj *plain_lines(Tcl_Obj *text) {
    Tcl_Obj *out = Tcl_NewObj();
    const char *from = Tcl_GetString(text), *p = from;
    Tcl_IncrRefCount(text);
    for (; *p; p++) {
        const unsigned char *c = (const unsigned char *)p;
        int bad = hsc_text_turns(p) ? 3 : (*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f ? 1 : *c == 0xc2 && c[1] < 0xa0 ? 2 : 0;
        if (!bad)
            continue;
        Tcl_AppendToObj(out, from, (Tcl_Size)(p - from));
        Tcl_AppendToObj(out, "?", 1);
        from = p + bad;
        p = from - 1;
    }
    Tcl_AppendToObj(out, from, (Tcl_Size)(p - from));
    Tcl_DecrRefCount(text);
    return out;
}

static hsc_status export_vector(hsw *w, const char *path, bool pdf, hsc_err *err) {
    hsc_canvas c;
    hsw_draw(w);
    cairo_surface_t *s = pdf ? cairo_pdf_surface_create(path, w->surface.width, w->surface.height)
                             : cairo_svg_surface_create(path, w->surface.width, w->surface.height);
    hsc_status r = hsc_canvas_init_vector(&c, s, w->surface.width, w->surface.height, w->scale, err);
    if (r == HSC_OK) {
        hsw_paint_on(w, &c);
        cairo_surface_finish(s);
        if (cairo_status(c.cr) != CAIRO_STATUS_SUCCESS || cairo_surface_status(s) != CAIRO_STATUS_SUCCESS)
            r = hsc_err_set(err, HSC_E_IO, "%s: %s", path,
                            cairo_status_to_string(cairo_status(c.cr) ? cairo_status(c.cr) : cairo_surface_status(s)));
        hsc_canvas_fini(&c);
    }
    cairo_surface_destroy(s);
    return r;
}

static int save(hsw *w, Tcl_Interp *interp, const char *path, bool any) {
    hsc_err err = {0};
    size_t n = strlen(path);
    const char *suffix = n > 4 ? path + n - 4 : "";
    hsc_status s;
    if (any && (!strcmp(suffix, ".svg") || !strcmp(suffix, ".pdf"))) {
        s = export_vector(w, path, suffix[1] == 'p', &err);
    } else if (any && strcmp(suffix, ".png")) {
        return hsc_tcl_usage(interp, "%s: expected a name that ends in .png, .svg or .pdf", path);
    } else {
        hsw_draw(w);
        cairo_status_t r = w->surface.pixels ? cairo_surface_write_to_png(w->surface.canvas.surface, path)
                                             : CAIRO_STATUS_NO_MEMORY;
        s = r == CAIRO_STATUS_SUCCESS ? HSC_OK
                                      : hsc_err_set(&err, HSC_E_IO, "%s: %s", path, cairo_status_to_string(r));
    }
    return s == HSC_OK ? TCL_OK : hsc_tcl_error(interp, &err);
}

static int dump(hsw *w, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    const char *format = "hash", *path = NULL;
    for (int i = 2; i + 1 < objc; i += 2) {
        const char *o = Tcl_GetString(objv[i]);
        if (!strcmp(o, "-format"))
            format = Tcl_GetString(objv[i + 1]);
        else if (!strcmp(o, "-file"))
            path = Tcl_GetString(objv[i + 1]);
        else
            return hsc_tcl_usage(interp, "dump ?-format hash|ppm? ?-file F?: got %s", o);
    }
    bool ppm = !strcmp(format, "ppm");
    if (objc % 2 || (!ppm && strcmp(format, "hash")))
        return hsc_tcl_usage(interp, "dump ?-format hash|ppm? ?-file F?");
    hsw_draw(w);
    if (!w->surface.pixels)
        return hsc_tcl_usage(interp, "there is no picture");
    char text[64];
    if (!ppm) {
        snprintf(text, sizeof text, "%016llx", (unsigned long long)hsc_canvas_hash(&w->surface.canvas));
        Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
        return TCL_OK;
    }
    int width = w->surface.width, height = w->surface.height;
    int head = snprintf(text, sizeof text, "P6\n%d %d\n255\n", width, height);
    Tcl_Obj *bytes = Tcl_NewByteArrayObj(NULL, 0);
    unsigned char *p = Tcl_SetByteArrayLength(bytes, (Tcl_Size)(head + width * height * 3));
    memcpy(p, text, (size_t)head);
    p += head;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t v = w->surface.pixels[(size_t)y * (size_t)w->surface.stride + (size_t)x];
            *p++ = (unsigned char)(v >> 16);
            *p++ = (unsigned char)(v >> 8);
            *p++ = (unsigned char)v;
        }
    if (!path) {
        Tcl_SetObjResult(interp, bytes);
        return TCL_OK;
    }
    Tcl_IncrRefCount(bytes);
    Tcl_Channel ch = Tcl_OpenFileChannel(interp, path, "w", 0644);
    int r = TCL_ERROR;
    if (ch) {
        Tcl_SetChannelOption(NULL, ch, "-translation", "binary");
        r = Tcl_WriteObj(ch, bytes) < 0 ? TCL_ERROR : TCL_OK;
        if (Tcl_Close(interp, ch) != TCL_OK)
            r = TCL_ERROR;
    }
    Tcl_DecrRefCount(bytes);
    return r;
}

static void timing(const hsw *w, Tcl_Interp *interp) {
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "frames", Tcl_NewWideIntObj(w->frames));
    hsc_tcl_put(d, "last_ms", Tcl_NewDoubleObj(w->last_ms));
    hsc_tcl_put(d, "mean_ms", Tcl_NewDoubleObj(w->frames ? w->total_ms / w->frames : 0));
    hsc_tcl_put(d, "max_ms", Tcl_NewDoubleObj(w->max_ms));
    hsc_tcl_put(d, "mode", Tcl_NewStringObj(w->surface.shared ? "shm" : "put", -1));
    Tcl_SetObjResult(interp, d);
}

int hsw_get_int(Tcl_Interp *interp, Tcl_Obj *obj, int *out) {
    if (Tcl_GetIntFromObj(interp, obj, out) == TCL_OK)
        return TCL_OK;
    Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
    return TCL_ERROR;
}

static int commands(hsw *w, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    static const char *const names[] = {"configure", "cget", "hit",    "describe", "dump", "png",
                                        "export",    "redraw", "update", "timing",   "_do",  "stop", "reading", NULL};
    static const int least[] = {0, 1, 2, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0}, most[] = {-1, 1, 2, 0, 4, 1, 1, 0, 0, 0, 5, 0, 0};
    const char *name = objc > 1 ? Tcl_GetString(objv[1]) : "";
    int k = 0, x, y, r;
    while (names[k] && strcmp(name, names[k]))
        k++;
    if (names[k] && (objc - 2 < least[k] || (most[k] >= 0 && objc - 2 > most[k])))
        return hsc_tcl_usage(interp, "%s: wrong number of arguments", name);
    switch (k) {
    case 0:
        if (objc <= 3) {
            Tcl_Obj *o = Tk_GetOptionInfo(interp, (void *)w, w->options, objc == 3 ? objv[2] : NULL, w->tkwin);
            if (!o)
                return TCL_ERROR;
            Tcl_SetObjResult(interp, o);
            return TCL_OK;
        }
        return configure(w, interp, objc - 2, objv + 2);
    case 1: {
        Tcl_Obj *o = Tk_GetOptionValue(interp, (void *)w, w->options, objv[2], w->tkwin);
        if (!o)
            return TCL_ERROR;
        Tcl_SetObjResult(interp, o);
        return TCL_OK;
    }
    case 2:
        if (hsw_get_int(interp, objv[2], &x) != TCL_OK || hsw_get_int(interp, objv[3], &y) != TCL_OK)
            return TCL_ERROR;
        hsw_draw(w);
        Tcl_SetObjResult(interp, hit_or_empty(w, x, y));
        return TCL_OK;
    case 3: {
        hsw_draw(w);
        Tcl_Obj *text = Tcl_NewObj();
        if (w->error[0])
            Tcl_AppendStringsToObj(text, w->error, "\n", NULL);
        else if (w->waiting)
            Tcl_AppendStringsToObj(text, "counting by processor\n", NULL);
        else if (w->cls->describe)
            w->cls->describe(w, text);
        Tcl_SetObjResult(interp, plain_lines(text));
        return TCL_OK;
    }
    case 4: return dump(w, interp, objc, objv);
    case 5:
    case 6: return save(w, interp, Tcl_GetString(objv[2]), k == 6);
    case 7:
        drop_fonts(w);
        hsw_schedule(w, HSW_DATA | HSW_PAINT);
        return TCL_OK;
    case 8:
        if (w->flags & (HSW_DATA | HSW_PAINT)) {
            hsw_draw(w);
            if (Tk_IsMapped(w->tkwin) && !(w->flags & HSW_GONE))
                hsc_surface_show(&w->surface, w->tkwin);
        }
        return TCL_OK;
    case 9: timing(w, interp); return TCL_OK;
    case 10: return act(w, interp, objc, objv);
    case 11:
        w->stop = w->again;
        Tcl_SetObjResult(interp, Tcl_NewBooleanObj(w->stop));
        return TCL_OK;
    case 12: Tcl_SetObjResult(interp, Tcl_NewBooleanObj(w->again)); return TCL_OK;
    default: break;
    }
    if (!w->cls->command_of || (r = w->cls->command_of(w, interp, name, objc, objv)) == TCL_CONTINUE)
        return hsc_tcl_usage(interp, "unknown command \"%.40s\" of heatscope::%s; it has configure cget hit describe dump png "
                             "export redraw update timing stop reading%s%s", name, w->cls->command, w->cls->usage ? " " : "",
                             w->cls->usage ? w->cls->usage : "");
    return r;
}

static int widget_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    hsw *w = data;
    Tcl_Preserve(w);
    int r = commands(w, interp, objc, objv);
    Tcl_Release(w);
    return r;
}

static int create(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    const hsw_class *k = data;
    if (objc < 2)
        return hsc_tcl_usage(interp, "heatscope::%s PATH ?OPTION VALUE ...?", k->command);
    Tk_Window tkwin = Tk_CreateWindowFromPath(interp, Tk_MainWindow(interp), Tcl_GetString(objv[1]), NULL);
    if (!tkwin)
        return TCL_ERROR;
    hsw *w = calloc(1, k->size);
    if (!w) {
        Tk_DestroyWindow(tkwin);
        return hsc_tcl_usage(interp, "no memory for a widget");
    }
    w->tkwin = tkwin;
    w->display = Tk_Display(tkwin);
    w->interp = interp;
    w->cls = k;
    w->flags = HSW_DATA | HSW_PAINT;
    Tk_SetClass(tkwin, k->tk_class);
    Tk_SetClassProcs(tkwin, &class_procs, w);
    w->shared = hsw_shared_add(interp, w);
    w->options = Tk_CreateOptionTable(interp, k->options);
    w->command = Tcl_CreateObjCommand(interp, Tk_PathName(tkwin), widget_command, w, command_deleted);
    if (k->init)
        k->init(w);
    Tk_CreateEventHandler(tkwin, ExposureMask | StructureNotifyMask | FocusChangeMask, on_event, w);
    Tcl_Preserve(w);
    int r = Tk_InitOptions(interp, (void *)w, w->options, tkwin);
    if (r == TCL_OK)
        r = set_options(w, interp, objc - 2, objv + 2);
    if (r == TCL_OK) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj(Tk_PathName(tkwin), -1));
    } else {
        Tcl_InterpState state = Tcl_SaveInterpState(interp, r);
        Tk_DestroyWindow(tkwin);
        r = Tcl_RestoreInterpState(interp, state);
    }
    Tcl_Release(w);
    return r;
}

int hsw_register(Tcl_Interp *interp, const hsw_class *const *classes) {
    for (; *classes; classes++) {
        char name[64];
        snprintf(name, sizeof name, "::heatscope::%s", (*classes)->command);
        Tcl_CreateObjCommand(interp, name, create, (ClientData)*classes, NULL);
        Tcl_Obj *script = Tcl_ObjPrintf("::heatscope::draw_bindings %s", (*classes)->tk_class);
        Tcl_IncrRefCount(script);
        int r = Tcl_EvalObjEx(interp, script, TCL_EVAL_GLOBAL | TCL_EVAL_DIRECT);
        Tcl_DecrRefCount(script);
        if (r != TCL_OK)
            return r;
    }
    return TCL_OK;
}
