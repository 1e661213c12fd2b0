/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::drawing: a whole view as SVG or PDF: its drawn widgets as they paint themselves, and the texts, areas and lines that the
 * application tells of all else. */
#include "shared.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <stdlib.h>
#include <string.h>

enum { FONTS_MOST = 24, COORDINATES_MOST = 64 };

typedef struct drawing {
    Tcl_Interp *interp;
    hsc_canvas c;
    cairo_surface_t *surface;
    struct {
        char name[64];
        hsc_font font;
    } fonts[FONTS_MOST];
    int n_fonts;
} drawing;

static const char usage[] = "heatscope::drawing FILE WIDTH HEIGHT ITEMS, items: {widget PATH X Y} {area COLOUR X Y W H} {line COLOUR WIDTH X Y ...} "
                            "{text COLOUR FONT X BASELINE WIDTH TEXT} {clip X Y W H} {unclip}";

/* "#rrggbb" */
static bool colour_of(Tcl_Obj *o, hsc_rgb *out) {
    const char *text = Tcl_GetString(o);
    unsigned rgb;
    char end;
    bool good = text[0] == '#' && strlen(text) == 7 && sscanf(text + 1, "%6x%c", &rgb, &end) == 1;
    *out = good ? rgb : 0;
    return good;
}

/* The font that Tk draws with by that name; NULL: with an error in the interpreter. */
static const hsc_font *font_of(drawing *d, const char *name) {
    for (int i = 0; i < d->n_fonts; i++)
        if (!strcmp(d->fonts[i].name, name))
            return &d->fonts[i].font;
    if (d->n_fonts == FONTS_MOST || strlen(name) >= sizeof d->fonts[0].name) {
        (void)hsc_tcl_usage(d->interp, "a drawing has %d fonts at most", FONTS_MOST);
        return NULL;
    }
    Tk_Window main = Tk_MainWindow(d->interp);
    Tk_Font font = main ? Tk_GetFont(d->interp, main, name) : NULL;
    if (!font)
        return NULL;
    hsw_font_description f;
    hsc_err err = {0};
    hsw_describe_font(d->interp, main, font, &f);
    Tk_FreeFont(font);
    if (hsc_font_init(&d->fonts[d->n_fonts].font, f.family, f.bold, f.italic, f.pixels, &err) != HSC_OK) {
        (void)hsc_tcl_error(d->interp, &err);
        return NULL;
    }
    strcpy(d->fonts[d->n_fonts].name, name);
    return &d->fonts[d->n_fonts++].font;
}

/* A drawn widget in its place, cut at its edges. */
static int put_widget(drawing *d, const char *path, double x, double y) {
    hsw *w = hsw_shared_find(d->interp, path);
    if (!w)
        return hsc_tcl_usage(d->interp, "%s is not a drawn widget", path);
    hsw_draw(w);
    int width = w->surface.width, height = w->surface.height;
    cairo_surface_t *part = cairo_surface_create_for_rectangle(d->surface, x, y, width, height);
    hsc_canvas c;
    hsc_err err = {0};
    hsc_status s = hsc_canvas_init_vector(&c, part, width, height, w->scale, &err);
    if (s == HSC_OK) {
        hsw_paint_on(w, &c);
        hsc_canvas_fini(&c);
    }
    cairo_surface_destroy(part);
    return s == HSC_OK ? TCL_OK : hsc_tcl_error(d->interp, &err);
}

/* As wide as it is on the screen, where letters stand on whole pixels. */
static void put_text(drawing *d, const hsc_font *f, double x, double base, double width, hsc_rgb colour, const char *text) {
    double own = hsc_font_width(f, text);
    if (!(own > 0) || !(width > 0))
        return;
    cairo_save(d->c.cr);
    cairo_translate(d->c.cr, x, base);
    cairo_scale(d->c.cr, width / own, 1);
    hsc_canvas_text_fit(&d->c, f, 0, 0, 1e6, HSC_LEFT, colour, text);
    cairo_restore(d->c.cr);
}

/* One item; false where it is none of those, or with an error of its own. */
static bool put_item(drawing *d, Tcl_Obj *item) {
    Tcl_Obj **words;
    Tcl_Size n = 0;
    double v[COORDINATES_MOST];
    hsc_rgb colour = 0;
    if (Tcl_ListObjGetElements(NULL, item, &n, &words) != TCL_OK || n < 1)
        return false;
    const char *kind = Tcl_GetString(words[0]);
    bool line = !strcmp(kind, "line"), area = !strcmp(kind, "area"), text = !strcmp(kind, "text"), widget = !strcmp(kind, "widget"),
         clip = !strcmp(kind, "clip");
    Tcl_Size from = text ? 3 : area || line || widget ? 2 : 1, to = text ? n - 1 : n, want = area || clip ? 4 : text ? 3 : 2;
    if (!strcmp(kind, "unclip")) {
        hsc_canvas_unclip(&d->c);
        return n == 1;
    }
    if (!(line || area || text || widget || clip) || to - from > COORDINATES_MOST || (line ? to - from < 5 || !((to - from) % 2) : to - from != want))
        return false;
    for (Tcl_Size i = from; i < to; i++)
        if (Tcl_GetDoubleFromObj(NULL, words[i], &v[i - from]) != TCL_OK)
            return false;
    if ((line || area || text) && !colour_of(words[1], &colour))
        return false;
    if (widget)
        return put_widget(d, Tcl_GetString(words[1]), v[0], v[1]) == TCL_OK;
    if (clip) {
        hsc_canvas_clip(&d->c, (int)v[0], (int)v[1], (int)v[2], (int)v[3]);
    } else if (area) {
        hsc_canvas_fill(&d->c, (int)v[0], (int)v[1], (int)v[2], (int)v[3], colour);
    } else if (line) {
        for (Tcl_Size i = 1; i + 3 < to - from; i += 2)
            hsc_canvas_line(&d->c, v[i], v[i + 1], v[i + 2], v[i + 3], v[0], colour);
    } else {
        const hsc_font *f = font_of(d, Tcl_GetString(words[2]));
        if (!f)
            return false;
        put_text(d, f, v[0], v[1], v[2], colour, Tcl_GetString(words[6]));
    }
    return true;
}

static int put_items(drawing *d, Tcl_Obj *items) {
    Tcl_Obj **list;
    Tcl_Size n;
    if (Tcl_ListObjGetElements(d->interp, items, &n, &list) != TCL_OK)
        return TCL_ERROR;
    Tcl_ResetResult(d->interp);
    for (Tcl_Size i = 0; i < n; i++)
        if (!put_item(d, list[i])) {
            if (!Tcl_GetString(Tcl_GetObjResult(d->interp))[0])
                return hsc_tcl_usage(d->interp, "item %d, \"%.60s\": %s", (int)i, Tcl_GetString(list[i]), usage);
            return TCL_ERROR;
        }
    return TCL_OK;
}

int hsw_drawing_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    (void)data;
    double width, height;
    if (objc != 5)
        return hsc_tcl_usage(interp, "%s", usage);
    const char *path = Tcl_GetString(objv[1]);
    size_t n = strlen(path);
    const char *suffix = n > 4 ? path + n - 4 : "";
    if (strcmp(suffix, ".svg") && strcmp(suffix, ".pdf"))
        return hsc_tcl_usage(interp, "%s: expected a name that ends in .svg or .pdf", path);
    if (Tcl_GetDoubleFromObj(interp, objv[2], &width) != TCL_OK || Tcl_GetDoubleFromObj(interp, objv[3], &height) != TCL_OK)
        return TCL_ERROR;
    if (!(width >= 1 && height >= 1 && width <= 30000 && height <= 30000))
        return hsc_tcl_usage(interp, "expected a size from 1 to 30000 pixels, got %g x %g", width, height);
    drawing *d = calloc(1, sizeof *d);
    if (!d)
        return hsc_tcl_usage(interp, "no memory for a drawing");
    hsc_err err = {0};
    d->interp = interp;
    d->surface = suffix[1] == 'p' ? cairo_pdf_surface_create(path, width, height) : cairo_svg_surface_create(path, width, height);
    if (suffix[1] == 's') /* as large as on the screen: points would be a third larger, and between pixels */
        cairo_svg_surface_set_document_unit(d->surface, CAIRO_SVG_UNIT_PX);
    int r = TCL_OK;
    if (hsc_canvas_init_vector(&d->c, d->surface, (int)width, (int)height, 1, &err) != HSC_OK) {
        r = hsc_tcl_error(interp, &err);
    } else {
        r = put_items(d, objv[4]);
        cairo_status_t drawn = cairo_status(d->c.cr);
        hsc_canvas_fini(&d->c);
        cairo_surface_finish(d->surface);
        drawn = drawn ? drawn : cairo_surface_status(d->surface);
        if (r == TCL_OK && drawn != CAIRO_STATUS_SUCCESS) {
            hsc_err_set(&err, HSC_E_IO, "%s: %s", path, cairo_status_to_string(drawn));
            r = hsc_tcl_error(interp, &err);
        }
    }
    cairo_surface_destroy(d->surface);
    for (int i = 0; i < d->n_fonts; i++)
        hsc_font_fini(&d->fonts[i].font);
    free(d);
    return r;
}
