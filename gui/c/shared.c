/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Palette, fonts, bindings and pictures of whole windows. */
#include "shared.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHARED "heatscope::shared"

#define BATCH_MS 12 /* of drawing without looking at events; or one widget */

struct hsw_shared {
    hsc_rgb palette[HSC_P_COUNT];
    hsw *first;
    hsw *first_due, *last_due; /* to be drawn */
    bool scheduled, held;
    int references; /* the interpreter and each widget */
};

static const char *const palette_names[] = {
#define HSC_PALETTE_NAME(name, colour) #name,
    HSC_PALETTE_TABLE(HSC_PALETTE_NAME)
#undef HSC_PALETTE_NAME
    NULL};

static void draw_due(ClientData data);

static void let_go(hsw_shared *s) {
    if (--s->references)
        return;
    Tcl_CancelIdleCall(draw_due, s);
    free(s);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void schedule(hsw_shared *s) {
    if (s->scheduled || s->held)
        return;
    Tcl_DoWhenIdle(draw_due, s);
    s->scheduled = true;
}

static void draw_due(ClientData data) {
    hsw_shared *s = data;
    double end = now_ms() + (hsw_turn_ms < BATCH_MS ? hsw_turn_ms : BATCH_MS);
    s->references++; /* drawing may destroy widgets */
    s->scheduled = false;
    do {
        hsw *w = s->held ? NULL : s->first_due;
        if (!w)
            break;
        s->first_due = w->next_due;
        if (!s->first_due)
            s->last_due = NULL;
        hsw_draw_due(w);
    } while (now_ms() < end);
    if (s->first_due)
        schedule(s);
    let_go(s);
}

void hsw_shared_due(hsw_shared *s, hsw *w) {
    w->next_due = NULL;
    if (s->last_due)
        s->last_due->next_due = w;
    else
        s->first_due = w;
    s->last_due = w;
    schedule(s);
}

static void interp_gone(ClientData data, Tcl_Interp *interp) {
    (void)interp;
    let_go(data);
}

static hsw_shared *shared_of(Tcl_Interp *interp) {
    hsw_shared *s = Tcl_GetAssocData(interp, SHARED, NULL);
    if (!s && (s = calloc(1, sizeof *s)) != NULL) {
        hsc_style light;
        hsc_style_init_light(&light);
        memcpy(s->palette, light.colour, sizeof s->palette);
        s->references = 1;
        Tcl_SetAssocData(interp, SHARED, interp_gone, s);
    }
    if (!s)
        Tcl_Panic("heatscope: out of memory");
    return s;
}

hsw_shared *hsw_shared_add(Tcl_Interp *interp, hsw *w) {
    hsw_shared *s = shared_of(interp);
    s->references++;
    w->next = s->first;
    s->first = w;
    return s;
}

void hsw_shared_remove(hsw_shared *s, hsw *w) {
    for (hsw **p = &s->first; *p; p = &(*p)->next)
        if (*p == w) {
            *p = w->next;
            break;
        }
    hsw *before = NULL;
    for (hsw *d = s->first_due; d; before = d, d = d->next_due) {
        if (d != w)
            continue;
        if (before)
            before->next_due = w->next_due;
        else
            s->first_due = w->next_due;
        if (s->last_due == w)
            s->last_due = before;
        break;
    }
    let_go(s);
}

const hsc_rgb *hsw_palette(const hsw_shared *s) { return s->palette; }

static int palette(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    (void)data;
    hsw_shared *s = shared_of(interp);
    Tk_Window main = Tk_MainWindow(interp);
    if (objc == 1) {
        Tcl_Obj *d = Tcl_NewDictObj();
        for (int i = 0; i < HSC_P_COUNT; i++)
            hsc_tcl_put(d, palette_names[i], Tcl_ObjPrintf("#%06x", s->palette[i]));
        Tcl_SetObjResult(interp, d);
        return TCL_OK;
    }
    if (objc % 2 == 0)
        return hsc_tcl_usage(interp, "heatscope::palette ?KEY COLOUR ...?");
    hsc_rgb next[HSC_P_COUNT];
    memcpy(next, s->palette, sizeof next);
    for (int i = 1; i < objc; i += 2) {
        int k;
        if (Tcl_GetIndexFromObj(interp, objv[i], palette_names, "palette key", TCL_EXACT, &k) != TCL_OK) {
            Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
            return TCL_ERROR;
        }
        const char *name = Tcl_GetString(objv[i + 1]);
        unsigned rgb;
        char end;
        if (name[0] == '#' && strlen(name) == 7 && sscanf(name + 1, "%6x%c", &rgb, &end) == 1) {
            next[k] = rgb; /* the usual way, without asking the server */
            continue;
        }
        XColor *c = main ? Tk_GetColor(interp, main, name) : NULL;
        if (!c)
            return TCL_ERROR;
        next[k] = (hsc_rgb)(c->red >> 8) << 16 | (hsc_rgb)(c->green >> 8) << 8 | (hsc_rgb)(c->blue >> 8);
        Tk_FreeColor(c);
    }
    memcpy(s->palette, next, sizeof next);
    for (hsw *w = s->first; w; w = w->next)
        hsw_schedule(w, HSW_PAINT);
    return TCL_OK;
}

/* redraw DB ?waiting?: all widgets on the database read it again, for instance because the interval has changed; or those that wait for
 * its processors to be counted. */
static int redraw(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    (void)data;
    bool waiting = objc == 3 && !strcmp(Tcl_GetString(objv[2]), "waiting");
    hsc_handle *db = objc == 2 || waiting ? hsc_handle_find(interp, Tcl_GetString(objv[1])) : NULL;
    if (objc != 2 && !waiting)
        return hsc_tcl_usage(interp, "heatscope::redraw DATABASE ?waiting?");
    if (!db)
        return TCL_ERROR;
    for (hsw *w = shared_of(interp)->first; w; w = w->next)
        if (w->db == db && (w->waiting || !waiting)) {
            if (w->cls->forget && !Tk_IsMapped(w->tkwin))
                w->cls->forget(w);
            hsw_schedule(w, HSW_DATA | HSW_PAINT);
        }
    return TCL_OK;
}

/* hold BOOL: while it is on, nothing is drawn at idle: for an `update idletasks` that is about sizes. */
static int hold(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    (void)data;
    hsw_shared *s = shared_of(interp);
    int on;
    if (objc != 2)
        return hsc_tcl_usage(interp, "heatscope::hold BOOLEAN");
    if (Tcl_GetBooleanFromObj(interp, objv[1], &on) != TCL_OK)
        return TCL_ERROR;
    s->held = on;
    if (s->first_due)
        schedule(s);
    return TCL_OK;
}

/* turn ?MS?: how long a widget reads before events are looked at, 0: one piece; with an argument sets it. */
static int turn(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    (void)data;
    int ms = hsw_turn_ms;
    if (objc > 2)
        return hsc_tcl_usage(interp, "heatscope::turn ?MILLISECONDS?");
    if (objc == 2 && hsw_get_int(interp, objv[1], &ms) != TCL_OK)
        return TCL_ERROR;
    hsw_turn_ms = ms > 0 ? ms : 0;
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(hsw_turn_ms));
    return TCL_OK;
}

/* ---- fonts ---- */

static int eval_words(Tcl_Interp *interp, int n, Tcl_Obj *words[]) {
    for (int i = 0; i < n; i++)
        Tcl_IncrRefCount(words[i]);
    int r = Tcl_EvalObjv(interp, n, words, TCL_EVAL_GLOBAL);
    for (int i = 0; i < n; i++)
        Tcl_DecrRefCount(words[i]);
    return r;
}

void hsw_describe_font(Tcl_Interp *interp, Tk_Window tkwin, Tk_Font font, hsw_font_description *out) {
    *out = (hsw_font_description){.family = "sans-serif", .pixels = 12};
    Tcl_InterpState state = Tcl_SaveInterpState(interp, TCL_OK);
    double size = 0, dpi = 72 * 96 / 72.0;
    Tcl_Obj *scaling[] = {Tcl_NewStringObj("::tk", -1), Tcl_NewStringObj("scaling", -1)};
    if (eval_words(interp, 2, scaling) == TCL_OK &&
        Tcl_GetDoubleFromObj(NULL, Tcl_GetObjResult(interp), &dpi) == TCL_OK)
        dpi *= 72;
    Tcl_Obj *actual[] = {Tcl_NewStringObj("::font", -1), Tcl_NewStringObj("actual", -1),
                         Tcl_NewStringObj(Tk_NameOfFont(font), -1)};
    Tcl_Obj **kv;
    Tcl_Size n;
    if (eval_words(interp, 3, actual) == TCL_OK &&
        Tcl_ListObjGetElements(NULL, Tcl_GetObjResult(interp), &n, &kv) == TCL_OK)
        for (Tcl_Size i = 0; i + 1 < n; i += 2) {
            const char *key = Tcl_GetString(kv[i]), *value = Tcl_GetString(kv[i + 1]);
            if (!strcmp(key, "-family"))
                snprintf(out->family, sizeof out->family, "%s", value);
            else if (!strcmp(key, "-weight"))
                out->bold = !strcmp(value, "bold");
            else if (!strcmp(key, "-slant"))
                out->italic = !strcmp(value, "italic");
            else if (!strcmp(key, "-size"))
                size = atof(value);
        }
    Tcl_RestoreInterpState(interp, state);
    /* Tk 8.6 scales by `tk scaling` or by Xft.dpi, depending on the set-up: take what fits the height it reports. */
    const char *resource = XGetDefault(Tk_Display(tkwin), "Xft", "dpi");
    double xft = resource ? atof(resource) : 0;
    double tried[4] = {size > 0 ? size * dpi / 72 : -size, xft > 0 && size > 0 ? size * xft / 72 : 0,
                       xft > 0 && size < 0 ? -size * xft / dpi : 0, 0};
    Tk_FontMetrics m;
    hsc_font probe;
    Tk_GetFontMetrics(font, &m);
    if (hsc_font_init(&probe, out->family, out->bold, out->italic, 100, NULL) != HSC_OK)
        return;
    double seen = 100.0 * (m.ascent + m.descent) / (probe.ascent + probe.descent);
    hsc_font_fini(&probe);
    out->pixels = seen;
    double best = 0.13; /* whole-pixel metrics are off by up to this share */
    for (int i = 0; i < 4; i++)
        if (tried[i] > 0 && fabs(seen / tried[i] - 1) < best) {
            best = fabs(seen / tried[i] - 1);
            out->pixels = tried[i];
        }
}

/* ---- idle, grab, bindings ---- */

static int idle_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    (void)data;
    (void)objv;
    if (objc != 1)
        return hsc_tcl_usage(interp, "heatscope::idle");
    int idle = 1;
    for (hsw *w = shared_of(interp)->first; w; w = w->next)
        if (Tk_IsMapped(w->tkwin) && (w->flags & (HSW_IDLE | HSW_DATA | HSW_PAINT)))
            idle = 0;
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(idle));
    return TCL_OK;
}

hsw *hsw_shared_find(Tcl_Interp *interp, const char *path) {
    hsw *w = shared_of(interp)->first;
    while (w && (!w->tkwin || strcmp(Tk_PathName(w->tkwin), path)))
        w = w->next;
    return w;
}

static int note_error(ClientData data, XErrorEvent *event) {
    (void)event;
    *(bool *)data = true;
    return 0;
}

static int grab(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    (void)data;
    if (objc != 3)
        return hsc_tcl_usage(interp, "heatscope::grab WINDOW FILE.png");
    Tk_Window w = Tk_NameToWindow(interp, Tcl_GetString(objv[1]), Tk_MainWindow(interp));
    if (!w)
        return TCL_ERROR;
    const char *path = Tcl_GetString(objv[2]);
    if (!Tk_IsMapped(w) || !Tk_WindowId(w))
        return hsc_tcl_usage(interp, "window %s is not on the screen", Tk_PathName(w));
    int width = Tk_Width(w), height = Tk_Height(w);
    bool failed = false;
    Tk_ErrorHandler trap = Tk_CreateErrorHandler(Tk_Display(w), -1, -1, -1, note_error, &failed);
    XImage *image = XGetImage(Tk_Display(w), Tk_WindowId(w), 0, 0, (unsigned)width, (unsigned)height, AllPlanes, ZPixmap);
    XSync(Tk_Display(w), False);
    Tk_DeleteErrorHandler(trap);
    if (!image || failed) {
        if (image)
            XDestroyImage(image);
        return hsc_tcl_usage(interp, "window %s (%d x %d) is partly off the screen: no picture of it", Tk_PathName(w),
                             width, height);
    }
    hsc_err err = {0};
    cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_status_t r = cairo_surface_status(s);
    if (r == CAIRO_STATUS_SUCCESS) {
        unsigned char *to = cairo_image_surface_get_data(s);
        int stride = cairo_image_surface_get_stride(s);
        unsigned long masks[3] = {image->red_mask, image->green_mask, image->blue_mask};
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                unsigned long p = XGetPixel(image, x, y);
                uint32_t rgb = 0;
                for (int k = 0; k < 3; k++) {
                    unsigned long m = masks[k], low = m & (~m + 1);
                    if (m)
                        rgb |= (uint32_t)((p & m) / low * 255 / (m / low)) << (16 - 8 * k);
                }
                memcpy(to + (size_t)y * (size_t)stride + (size_t)x * 4, &rgb, 4);
            }
        cairo_surface_mark_dirty(s);
        r = cairo_surface_write_to_png(s, path);
    }
    cairo_surface_destroy(s);
    XDestroyImage(image);
    if (r != CAIRO_STATUS_SUCCESS) {
        hsc_err_set(&err, HSC_E_IO, "%s: %s", path, cairo_status_to_string(r));
        return hsc_tcl_error(interp, &err);
    }
    return TCL_OK;
}

/* Bindings are Tcl, so that applications can add to them and replace them. */
static const char bindings[] =
    "proc ::heatscope::draw_bindings {class} {\n"
    "    bind $class <ButtonPress-1> {focus %W; %W _do press %x %y %s}\n"
    "    bind $class <Double-ButtonPress-1> {%W _do open %x %y}\n"
    "    bind $class <Triple-ButtonPress-1> {#}\n"
    "    bind $class <B1-Motion> {%W _do drag %x %y %s}\n"
    "    bind $class <ButtonRelease-1> {%W _do release %x %y %s}\n"
    "    bind $class <Motion> {%W _do hover %x %y}\n"
    "    bind $class <Leave> {%W _do leave}\n"
    "    bind $class <ButtonPress-4> {%W _do wheel %x %y -3 %s}\n"
    "    bind $class <ButtonPress-5> {%W _do wheel %x %y 3 %s}\n"
    "    bind $class <Shift-ButtonPress-4> {%W _do wheel %x %y -3 %s}\n"
    "    bind $class <Shift-ButtonPress-5> {%W _do wheel %x %y 3 %s}\n"
    "    if {[package vsatisfies [package provide Tk] 8.7-]} {\n"
    "        bind $class <MouseWheel> {%W _do wheel %x %y [expr {%D > 0 ? -3 : 3}] %s}\n"
    "    }\n"
    "    foreach {key rows columns} {Up -1 0 Down 1 0 Left 0 -1 Right 0 1} {\n"
    "        bind $class <Key-$key> [list %W _do move $rows $columns 0 0]\n"
    "        bind $class <Shift-Key-$key> [list %W _do move $rows $columns 1 0]\n"
    "    }\n"
    "    foreach {key rows page} {Prior -1 1 Next 1 1 Home -1000000000 0 End 1000000000 0} {\n"
    "        bind $class <Key-$key> [list %W _do move $rows 0 0 $page]\n"
    "        bind $class <Shift-Key-$key> [list %W _do move $rows 0 1 $page]\n"
    "    }\n"
    "    foreach key {Up Down Left Right Prior Next Home End} {\n" /* the application's */
    "        bind $class <Alt-Key-$key> {#}\n"
    "    }\n"
    "    bind $class <Key-Return> {%W _do open -1 -1}\n"
    "}\n";

int hsw_shared_commands(Tcl_Interp *interp) {
    Tcl_CreateObjCommand(interp, "::heatscope::palette", palette, NULL, NULL);
    Tcl_CreateObjCommand(interp, "::heatscope::redraw", redraw, NULL, NULL);
    Tcl_CreateObjCommand(interp, "::heatscope::hold", hold, NULL, NULL);
    Tcl_CreateObjCommand(interp, "::heatscope::turn", turn, NULL, NULL);
    Tcl_CreateObjCommand(interp, "::heatscope::idle", idle_command, NULL, NULL);
    Tcl_CreateObjCommand(interp, "::heatscope::grab", grab, NULL, NULL);
    Tcl_CreateObjCommand(interp, "::heatscope::drawing", hsw_drawing_command, NULL, NULL);
    return Tcl_EvalEx(interp, bindings, -1, TCL_EVAL_GLOBAL);
}
