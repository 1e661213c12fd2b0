/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::figure: a chart of values that the application gives: histograms, shares of processors, a counter's way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "widget.h"

enum { FIGURE_LINEAR, FIGURE_ROOT, FIGURE_LOG };
static const char *const scaling_names[] = {"linear", "root", "log", NULL};

typedef struct figure {
    hsw w;
    Tcl_Obj *values, *labels;
    int scaling, mark, mean;
    char *empty;
    double *all; /* as given */
    uint32_t n;
    char **names; /* per value */
} figure;

static const Tk_OptionSpec options[] = {
    HSW_O_OBJ(figure, "-values", values, "", HSW_PAINT),
    HSW_O_OBJ(figure, "-labels", labels, "", HSW_PAINT),
    HSW_O_ENUM(figure, "-scaling", scaling, "linear", scaling_names, HSW_PAINT),
    HSW_O_INT(figure, "-mark", mark, "-1", HSW_PAINT),
    HSW_O_BOOL(figure, "-mean", mean, "0", HSW_PAINT),
    HSW_O_TEXT(figure, "-empty", empty, "", HSW_PAINT),
    HSW_OPTIONS_END};

static void drop(figure *f) {
    for (uint32_t i = 0; f->names && i < f->n; i++)
        free(f->names[i]);
    free(f->names);
    free(f->all);
    f->names = NULL;
    f->all = NULL;
    f->n = 0;
}
static void fini(hsw *w) { drop((figure *)w); }

static hsc_status changed(hsw *w, hsc_err *err) {
    figure *f = (figure *)w;
    Tcl_Obj **values = NULL, **labels = NULL;
    Tcl_Size n = 0, k = 0;
    drop(f);
    if ((f->values && Tcl_ListObjGetElements(NULL, f->values, &n, &values) != TCL_OK) ||
        (f->labels && Tcl_ListObjGetElements(NULL, f->labels, &k, &labels) != TCL_OK))
        return hsc_err_set(err, HSC_E_ARGUMENT, "-values, -labels: expected lists");
    f->all = calloc((size_t)n + 1, sizeof *f->all);
    f->names = calloc((size_t)n + 1, sizeof *f->names);
    if (!f->all || !f->names)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %d values", (int)n);
    for (Tcl_Size i = 0; i < n; i++) {
        if (Tcl_GetDoubleFromObj(NULL, values[i], &f->all[i]) != TCL_OK || f->all[i] != f->all[i])
            return hsc_err_set(err, HSC_E_ARGUMENT, "-values: expected numbers, got \"%.40s\"", Tcl_GetString(values[i]));
        f->names[i] = strdup(i < k ? Tcl_GetString(labels[i]) : "");
        f->n = (uint32_t)i + 1;
        if (!f->names[i])
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %d labels", (int)n);
    }
    return HSC_OK;
}

/* As many bins as have a pixel each; a bin is as high as its largest value. */
static uint32_t bins_of(const figure *f, int width) {
    return f->n < (uint32_t)(width > 0 ? width : 1) ? f->n : (uint32_t)(width > 0 ? width : 1);
}
static uint32_t start_of(const figure *f, uint32_t bins, uint32_t b) { return (uint32_t)((uint64_t)f->n * b / bins); }

static double height_of(const figure *f, double v) {
    v = v > 0 ? v : 0;
    return f->scaling == FIGURE_ROOT ? sqrt(v) : v;
}

static void paint(hsw *w, hsc_canvas *c) {
    figure *f = (figure *)w;
    uint32_t bins = bins_of(f, c->width);
    float *values = calloc((size_t)bins + 1, sizeof *values);
    const char **labels = calloc((size_t)bins + 1, sizeof *labels);
    double most = 0, sum = 0;
    for (uint32_t b = 0; values && labels && b < bins; b++) {
        labels[b] = f->names[start_of(f, bins, b)];
        for (uint32_t i = start_of(f, bins, b); i < start_of(f, bins, b + 1); i++) {
            double v = height_of(f, f->all[i]);
            values[b] = v > (double)values[b] ? (float)v : values[b];
            most = v > most ? v : most;
            sum += f->all[i] > 0 ? f->all[i] : 0;
        }
    }
    if (values && labels && bins && most > 0) {
        int mark = -1;
        for (uint32_t b = 0; b < bins && f->mark >= 0; b++)
            if ((uint32_t)f->mark >= start_of(f, bins, b) && (uint32_t)f->mark < start_of(f, bins, b + 1))
                mark = (int)b;
        hsc_profile_frame frame = {.n = bins, .values = values, .mean = f->mean ? height_of(f, sum / f->n) : 0, .maximum = most,
                                   .scaling = f->scaling == FIGURE_LOG ? HSC_SCALING_LOG : HSC_SCALING_LINEAR,
                                   .mark_first = mark, .mark_last = mark, .labels = labels, .ticks = true};
        hsc_paint_profile(c, &w->style, &frame);
    } else if (f->empty && f->empty[0]) {
        hsc_canvas_text_fit(c, w->style.small, 0, w->style.small->ascent + hsc_canvas_dp(c, 2), c->width, HSC_LEFT,
                            w->style.colour[HSC_P_muted], f->empty);
    }
    free(values);
    free(labels);
}

/* The value under the pointer: of a bin of several the largest. */
static Tcl_Obj *hit(hsw *w, int x, int y) {
    figure *f = (figure *)w;
    int width = hsw_width(w);
    uint32_t bins = bins_of(f, width);
    (void)y;
    if (!bins || x < 0 || x >= width)
        return NULL;
    uint32_t b = (uint32_t)((uint64_t)x * bins / (uint32_t)width), best = start_of(f, bins, b);
    for (uint32_t i = best; i < start_of(f, bins, b + 1); i++)
        best = f->all[i] > f->all[best] ? i : best;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "index", Tcl_NewWideIntObj(best));
    hsc_tcl_put(d, "label", Tcl_NewStringObj(f->names[best], -1));
    hsc_tcl_put(d, "value", Tcl_NewDoubleObj(f->all[best]));
    return d;
}

static bool move(hsw *w, int rows, int columns, bool extend, bool page) {
    figure *f = (figure *)w;
    (void)rows;
    (void)extend;
    (void)page;
    int64_t next = f->mark < 0 ? 0 : (int64_t)f->mark + columns;
    if (!f->n || !columns)
        return false;
    next = next < 0 ? 0 : next >= f->n ? f->n - 1 : next;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "index", Tcl_NewWideIntObj(next));
    hsc_tcl_put(d, "label", Tcl_NewStringObj(f->names[next], -1));
    hsc_tcl_put(d, "value", Tcl_NewDoubleObj(f->all[next]));
    hsw_send(w, "<<FigurePick>>", d);
    return true;
}

static void describe(hsw *w, Tcl_Obj *text) {
    figure *f = (figure *)w;
    for (uint32_t i = 0; i < f->n && i < 4000; i++)
        if (f->all[i] != 0)
            Tcl_AppendPrintfToObj(text, "%s\t%.6g\n", f->names[i], f->all[i]);
}

const hsw_class hsw_figure_class = {
    .command = "figure", .tk_class = "HeatscopeFigure", .size = sizeof(figure), .options = options, .pick_event = "<<FigurePick>>",
    .changed = changed, .fini = fini, .paint = paint, .hit = hit, .describe = describe, .move = move};
