/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::linebars (P3) and heatscope::gutter (C3): one number a line, aligned with the source. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "widget.h"

static Tcl_Obj *number(double v) {
    return v == floor(v) && fabs(v) < 9e15 ? Tcl_NewWideIntObj((Tcl_WideInt)v) : Tcl_NewDoubleObj(v);
}

/* Line under y; -1 above the rows. index: table row or -1. */
static Tcl_Obj *row_dict(const hsw_rows *r, int y, int64_t *index) {
    int i = hsc_rows_at(&r->rows, y);
    *index = -1;
    if (i < 0)
        return NULL;
    int32_t k = i < r->rows.count && i < r->capacity ? r->index[i] : -1;
    Tcl_Obj *d = Tcl_NewDictObj();
    if (k >= 0)
        *index = (int64_t)r->lo + k;
    hsc_tcl_put(d, "line", Tcl_NewWideIntObj((Tcl_WideInt)r->rows.top + i));
    hsc_tcl_put(d, "row", Tcl_NewWideIntObj(*index));
    return d;
}

/* ---- bars ---- */

enum { BARS_PROGRAM, BARS_FILE, BARS_VIEW };
static const char *const bars_normalise[] = {"program", "file", "view", NULL};

typedef struct bars {
    hsw w;
    hsw_rows_options rows_options;
    int table, normalise, scaling, min_label;
    char *who, *title;
    hsw_rows rows;
    hsc_db_stats *stats;
    uint32_t *compared; /* columns that mean and minimum are over, by row */
    char (*max_label)[16], (*min_labels)[16];
    uint32_t capacity;
    double maximum;
} bars;

static const Tk_OptionSpec bars_options[] = {
    HSW_ROWS_OPTIONS(bars, rows_options),
    HSW_O_ENUM(bars, "-table", table, "line", hsc_table_names, HSW_DATA),
    HSW_O_ENUM(bars, "-normalise", normalise, "file", bars_normalise, HSW_DATA),
    HSW_O_ENUM(bars, "-scaling", scaling, "linear", hsc_scaling_names, HSW_PAINT),
    HSW_O_BOOL(bars, "-minlabel", min_label, "0", HSW_PAINT),
    HSW_O_TEXT(bars, "-who", who, "", HSW_PAINT),
    HSW_O_TEXT(bars, "-title", title, "min, mean, max", HSW_PAINT),
    HSW_OPTIONS_END};

static void bars_fini(hsw *w) {
    bars *b = (bars *)w;
    hsw_rows_fini(&b->rows);
    free(b->stats);
    free(b->compared);
    free(b->max_label);
    free(b->min_labels);
}

static hsc_status bars_reserve(bars *b, uint32_t n, hsc_err *err) {
    if (n <= b->capacity && b->stats)
        return HSC_OK;
    free(b->stats);
    free(b->compared);
    free(b->max_label);
    free(b->min_labels);
    b->stats = calloc((size_t)n + 1, sizeof *b->stats);
    b->compared = calloc((size_t)n + 1, sizeof *b->compared);
    b->max_label = calloc((size_t)n + 1, sizeof *b->max_label);
    b->min_labels = calloc((size_t)n + 1, sizeof *b->min_labels);
    b->capacity = n;
    if (b->stats && b->compared && b->max_label && b->min_labels)
        return HSC_OK;
    b->capacity = 0;
    return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u lines", n);
}

static hsc_status bars_prepare(hsw *w, hsc_err *err) {
    bars *b = (bars *)w;
    hsc_db_view view = hsw_view(w, b->table);
    hsc_status s = hsw_rows_prepare(w, &b->rows_options, &b->rows, err);
    uint32_t n = b->rows.hi - b->rows.lo, from = 0, to = (uint32_t)hsc_db_get_rows(w->db->db, view.table);
    if (s != HSC_OK || (s = bars_reserve(b, n, err)) != HSC_OK ||
        (n && (s = hsc_handle_stats(w->db, view, b->rows.lo, n, b->stats, b->compared, err)) != HSC_OK))
        return s;
    b->maximum = 0;
    for (uint32_t i = 0; i < n; i++) {
        hsw_processor(w, b->stats[i].max_column, b->max_label[i], sizeof *b->max_label);
        hsw_processor(w, b->stats[i].min_column, b->min_labels[i], sizeof *b->min_labels);
        if (b->stats[i].max > b->maximum)
            b->maximum = b->stats[i].max;
    }
    if (b->normalise == BARS_VIEW)
        return HSC_OK;
    if (b->normalise == BARS_FILE && b->rows_options.file >= 0) {
        hsc_db_file f;
        if ((s = hsc_db_get_file(w->db->db, (uint32_t)b->rows_options.file, &f, err)) != HSC_OK)
            return s;
        from = f.first_line_row;
        to = from + f.line_rows;
    }
    hsc_axis all = {0};
    if ((s = hsw_axis(w, NULL, 0, UINT32_MAX, &all, err)) == HSC_OK)
        s = hsw_maximum(w, view, HSC_REDUCE_MAX, &all, from, to, &b->maximum, err);
    hsc_axis_fini(&all);
    return s;
}

static void bars_frame(bars *b, hsc_bars_frame *f) {
    hsw_rows_geometry(&b->w, &b->rows_options, &b->rows);
    if (b->rows.rows.count > b->rows.capacity)
        b->rows.rows.count = b->rows.capacity;
    *f = (hsc_bars_frame){.rows = b->rows.rows, .index = b->rows.index, .stats = b->stats,
                          .max_label = (const char(*)[16])b->max_label, .min_label = (const char(*)[16])b->min_labels,
                          .maximum = b->maximum, .title = b->title ? b->title : "",
                          .single = b->w.db && (b->w.axis == HSC_AXIS_THREAD ? b->w.db->info.threads : b->w.db->info.processes) == 1, .scaling = (enum hsc_scaling)b->scaling, .show_min = b->min_label,
                          .who = b->who && b->who[0] ? b->who : b->w.axis == HSC_AXIS_THREAD ? "thread" : "rank"};
    f->unit = hsw_unit(&b->w, &f->unit_scale);
    if (!b->w.db)
        f->rows.count = 0;
}

static void bars_paint(hsw *w, hsc_canvas *c) {
    hsc_bars_frame f;
    bars_frame((bars *)w, &f);
    hsc_paint_bars(c, &w->style, &f);
}

static Tcl_Obj *bars_hit(hsw *w, int x, int y) {
    bars *b = (bars *)w;
    int64_t row;
    Tcl_Obj *d = w->db ? row_dict(&b->rows, y, &row) : NULL;
    if (!d)
        return NULL;
    hsc_bars_frame f;
    hsc_bars_layout l;
    bars_frame(b, &f);
    hsc_bars_layout_get(&w->surface.canvas, &w->style, &f, &l);
    const char *part = x < l.bar_x + l.bar_width ? "bar" : x < l.bar_x + l.bar_width + l.value_width ? "max" : "processor";
    hsc_tcl_put(d, "part", Tcl_NewStringObj(part, -1));
    if (row >= 0)
        hsc_data_put_stats(d, &b->stats[row - b->rows.lo], b->compared[row - b->rows.lo]);
    return d;
}

static int bars_command(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    bars *b = (bars *)w;
    if (!strcmp(name, "value") && objc == 3) {
        int line;
        if (hsw_get_int(interp, objv[2], &line) != TCL_OK)
            return TCL_ERROR;
        uint32_t row = w->db && b->rows_options.file >= 0 && line >= 0
                           ? hsc_db_find_line(w->db->db, (uint32_t)b->rows_options.file, (uint32_t)line)
                           : HSC_NONE;
        hsc_err err = {0};
        hsc_db_stats s;
        if (row == HSC_NONE)
            return TCL_OK;
        uint32_t compared = 0;
        if (hsc_handle_stats(w->db, hsw_view(w, b->table), row, 1, &s, &compared, &err) != HSC_OK)
            return hsc_tcl_error(interp, &err);
        Tcl_Obj *d = Tcl_NewDictObj();
        hsc_tcl_put(d, "row", Tcl_NewWideIntObj(row));
        hsc_data_put_stats(d, &s, compared);
        Tcl_SetObjResult(interp, d);
        return TCL_OK;
    }
    return hsw_rows_command(w, &b->rows_options, &b->rows, interp, name, objc, objv);
}

static void bars_describe(hsw *w, Tcl_Obj *text) {
    bars *b = (bars *)w;
    Tcl_AppendPrintfToObj(text, "minimum, mean and maximum by line, longest bar %.6g\n", b->maximum);
    for (int i = 0; w->db && i < b->rows.rows.count; i++) {
        if (b->rows.index[i] < 0)
            continue;
        const hsc_db_stats *s = &b->stats[b->rows.index[i]];
        Tcl_AppendPrintfToObj(text, "%u: min %.6g (%s) mean %.6g max %.6g (%s) stddev %.6g\n",
                              b->rows.rows.top + (uint32_t)i, s->min, b->min_labels[b->rows.index[i]], s->mean, s->max,
                              b->max_label[b->rows.index[i]], s->stddev);
    }
}

const hsw_class hsw_bars_class = {
    .command = "linebars", .tk_class = "HeatscopeLinebars", .size = sizeof(bars), .options = bars_options,
    .pick_event = "<<BarPick>>", .fini = bars_fini, .prepare = bars_prepare, .paint = bars_paint, .hit = bars_hit,
    .describe = bars_describe, .command_of = bars_command, .wheel = hsw_rows_wheel, .move = hsw_rows_move,
    .usage = "value rows bbox"};

/* ---- gutter ---- */

typedef struct gutter {
    hsw w;
    hsw_rows_options rows_options;
    int table, normalise;
    hsw_rows rows;
    double *sums, *share;
    int capacity;
    double maximum, total;
} gutter;

static const char *const gutter_normalise[] = {"program", "file", NULL};
static const Tk_OptionSpec gutter_options[] = {
    HSW_ROWS_OPTIONS(gutter, rows_options),
    HSW_O_ENUM(gutter, "-table", table, "line", hsc_table_names, HSW_DATA),
    HSW_O_ENUM(gutter, "-normalise", normalise, "file", gutter_normalise, HSW_DATA),
    HSW_OPTIONS_END};

static void gutter_fini(hsw *w) {
    gutter *g = (gutter *)w;
    hsw_rows_fini(&g->rows);
    free(g->sums);
    free(g->share);
}

/* Hottest line of the file or of the program, by stored row totals; remembered. */
static hsc_status hottest(hsw *w, hsc_db_view view, uint64_t from, uint64_t to, double *out, hsc_err *err) {
    enum { TOTALS = 2 }; /* beside the ways to put processors into bins */
    double best = 0;
    hsc_axis whole = {.columns = 0};
    uint64_t range[2] = {from, to};
    if (hsw_remembered(w, view, TOTALS, &whole, false, range, sizeof range, out))
        return HSC_OK;
    hsc_status s = hsc_db_find_largest(w->db->db, view, from, to - from, &best, err);
    if (s == HSC_OK) {
        hsw_remember(w, view, TOTALS, &whole, false, range, sizeof range, best);
        *out = best;
    }
    return s;
}

static hsc_status gutter_prepare(hsw *w, hsc_err *err) {
    gutter *g = (gutter *)w;
    hsc_db_view view = hsw_view(w, g->table);
    hsc_status s = hsw_rows_prepare(w, &g->rows_options, &g->rows, err);
    if (s != HSC_OK || (s = hsc_handle_total(w->db, view.metric, &g->total, err)) != HSC_OK)
        return s;
    int count = g->rows.rows.count;
    if (count > g->capacity || !g->share) {
        free(g->share);
        free(g->sums);
        g->share = malloc(((size_t)count + 1) * sizeof *g->share);
        g->sums = malloc(((size_t)count + 1) * sizeof *g->sums);
        g->capacity = g->share && g->sums ? count : 0;
        if (!g->capacity && count)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %d lines", count);
    }
    uint32_t n = g->rows.hi - g->rows.lo;
    hsc_db_file f = {.line_rows = (uint32_t)hsc_db_get_rows(w->db->db, view.table)};
    if (g->normalise == HSW_NORMALISE_FILE && g->rows_options.file >= 0 &&
        (s = hsc_db_get_file(w->db->db, (uint32_t)g->rows_options.file, &f, err)) != HSC_OK)
        return s;
    if ((n && (s = hsc_db_read_sums(w->db->db, view, g->rows.lo, n, g->sums, err)) != HSC_OK) ||
        (s = hottest(w, view, f.first_line_row, (uint64_t)f.first_line_row + f.line_rows, &g->maximum, err)) != HSC_OK)
        return s;
    for (int i = 0; i < count; i++)
        g->share[i] = g->rows.index[i] < 0 ? -1 : g->maximum > 0 ? g->sums[g->rows.index[i]] / g->maximum : 0;
    return HSC_OK;
}

static void gutter_paint(hsw *w, hsc_canvas *c) {
    gutter *g = (gutter *)w;
    hsw_rows_geometry(w, &g->rows_options, &g->rows);
    if (g->rows.rows.count > g->capacity)
        g->rows.rows.count = g->capacity;
    hsc_gutter_frame f = {.rows = g->rows.rows, .share = g->share};
    if (!w->db)
        f.rows.count = 0;
    hsc_paint_gutter(c, &w->style, &f);
}

static Tcl_Obj *gutter_hit(hsw *w, int x, int y) {
    gutter *g = (gutter *)w;
    int64_t row;
    (void)x;
    Tcl_Obj *d = w->db ? row_dict(&g->rows, y, &row) : NULL;
    if (d && row >= 0) {
        double sum = g->sums[row - g->rows.lo];
        hsc_tcl_put(d, "sum", number(sum));
        hsc_tcl_put(d, "share", Tcl_NewDoubleObj(g->total > 0 ? sum / g->total : 0));
    }
    return d;
}

static int gutter_command(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    gutter *g = (gutter *)w;
    if (!strcmp(name, "needwidth") && objc == 2) {
        char digits[16];
        if (!w->fonts[3].scaled) /* else: without waiting for the values */
            hsw_draw(w);
        snprintf(digits, sizeof digits, "%d", g->rows_options.lines > 999 ? g->rows_options.lines : 999);
        double width = w->fonts[3].scaled ? hsc_font_ascii_width(&w->fonts[3], digits) : 24;
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj((Tcl_WideInt)ceil(width + 12 * w->scale)));
        return TCL_OK;
    }
    return hsw_rows_command(w, &g->rows_options, &g->rows, interp, name, objc, objv);
}

static void gutter_describe(hsw *w, Tcl_Obj *text) {
    gutter *g = (gutter *)w;
    Tcl_AppendToObj(text, "lines by share of the program\n", -1);
    for (int i = 0; w->db && i < g->rows.rows.count; i++)
        if (g->rows.index[i] >= 0)
            Tcl_AppendPrintfToObj(text, "%u: %.6g (%.2f %%)\n", g->rows.rows.top + (uint32_t)i,
                                  g->sums[g->rows.index[i]],
                                  g->total > 0 ? 100 * g->sums[g->rows.index[i]] / g->total : 0.0);
}

const hsw_class hsw_gutter_class = {
    .command = "gutter", .tk_class = "HeatscopeGutter", .size = sizeof(gutter), .options = gutter_options,
    .pick_event = "<<GutterPick>>", .fini = gutter_fini, .prepare = gutter_prepare, .paint = gutter_paint,
    .hit = gutter_hit, .describe = gutter_describe, .command_of = gutter_command, .wheel = hsw_rows_wheel,
    .move = hsw_rows_move, .usage = "needwidth rows bbox"};
