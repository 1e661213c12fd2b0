/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::minimap: one file from top to bottom; heatscope::legend: the colours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "widget.h"

typedef struct minimap {
    hsw w;
    hsw_heatlike o;
    hsw_against against;
    int file, lines, line;
    char *view;
    Tcl_Obj *hits;
    uint32_t view_first, view_last, n_hits, *hit_lines;
    hsc_axis axis;
    float *values;
    int rows; /* pixel rows that values were made for */
    hsc_colour_scale scale;
    double maximum;
} minimap;

static const Tk_OptionSpec options[] = {
    HSW_AGAINST_OPTIONS(minimap, against),
    HSW_O_INT(minimap, "-file", file, "-1", HSW_DATA),
    HSW_O_INT(minimap, "-lines", lines, "0", HSW_DATA),
    HSW_O_INT(minimap, "-line", line, "0", HSW_PAINT),
    HSW_O_TEXT(minimap, "-view", view, "", HSW_PAINT),
    HSW_O_OBJ(minimap, "-hits", hits, "", HSW_PAINT),
    HSW_O_ENUM(minimap, "-table", o.table, "line", hsc_table_names, HSW_DATA),
    HSW_O_ENUM(minimap, "-reduce", o.reduce, "max", hsc_reduce_names, HSW_DATA),
    HSW_O_TEXT(minimap, "-columns", o.columns, "", HSW_DATA),
    HSW_O_ENUM(minimap, "-sort", o.sort, "number", hsw_sort_names, HSW_DATA),
    HSW_O_ENUM(minimap, "-colours", o.colours, "inferno", hsc_colours_names, HSW_DATA),
    HSW_O_ENUM(minimap, "-scaling", o.scaling, "log", hsc_scaling_names, HSW_DATA),
    HSW_O_ENUM(minimap, "-normalise", o.normalise, "program", hsw_normalise_names, HSW_DATA),
    HSW_OPTIONS_END};

static hsc_status changed(hsw *w, hsc_err *err) {
    minimap *m = (minimap *)w;
    Tcl_Obj **items;
    Tcl_Size n = 0;
    char end;
    m->view_first = m->view_last = 0;
    if (m->view && m->view[0] && sscanf(m->view, "%u %u %c", &m->view_first, &m->view_last, &end) != 2)
        return hsc_err_set(err, HSC_E_ARGUMENT, "-view \"%.40s\": expected two lines", m->view);
    free(m->hit_lines);
    m->hit_lines = NULL;
    m->n_hits = 0;
    if (m->hits && Tcl_ListObjGetElements(NULL, m->hits, &n, &items) != TCL_OK)
        return hsc_err_set(err, HSC_E_ARGUMENT, "-hits: expected a list of lines");
    if (n && (m->hit_lines = malloc((size_t)n * sizeof *m->hit_lines)) != NULL)
        for (Tcl_Size i = 0; i < n; i++) {
            int line;
            if (Tcl_GetIntFromObj(NULL, items[i], &line) != TCL_OK)
                return hsc_err_set(err, HSC_E_ARGUMENT, "-hits: expected lines, got \"%.40s\"", Tcl_GetString(items[i]));
            if (line > 0)
                m->hit_lines[m->n_hits++] = (uint32_t)line;
        }
    return HSC_OK;
}

static void fini(hsw *w) {
    minimap *m = (minimap *)w;
    hsc_axis_fini(&m->axis);
    free(m->values);
    free(m->hit_lines);
}

static uint32_t lines_of(const minimap *m) {
    uint32_t n = m->lines > 0 ? (uint32_t)m->lines : 0;
    hsc_db_file f;
    hsc_db_line l;
    if (m->w.db && m->file >= 0 && hsc_db_get_file(m->w.db->db, (uint32_t)m->file, &f, NULL) == HSC_OK && f.line_rows &&
        hsc_db_get_line(m->w.db->db, f.first_line_row + f.line_rows - 1, &l, NULL) == HSC_OK && l.line > n)
        n = l.line;
    return n;
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    minimap *m = (minimap *)w;
    int h = hsw_height(w);
    uint32_t lines = lines_of(m);
    m->rows = 0;
    hsc_status s = hsw_axis(w, m->o.columns, m->o.sort, (uint32_t)hsw_width(w), &m->axis, err);
    if (s != HSC_OK || m->file < 0 || !lines)
        return s;
    uint32_t columns = m->axis.bins;
    hsc_db_view view = hsw_view(w, m->o.table);
    uint32_t *lo = malloc(((size_t)h + 1) * sizeof *lo), *hi = malloc(((size_t)h + 1) * sizeof *hi);
    uint32_t *distinct_lo = malloc(((size_t)h + 1) * sizeof *lo), *distinct_hi = malloc(((size_t)h + 1) * sizeof *hi);
    float *packed = malloc(((size_t)h * columns + 1) * sizeof *packed);
    free(m->values);
    m->values = malloc(((size_t)h * columns + 1) * sizeof *m->values);
    if (!lo || !hi || !distinct_lo || !distinct_hi || !packed || !m->values) {
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %d rows", h);
        goto done;
    }
    /* a line may be several pixels high: bins must rise, so each range is asked for once */
    uint32_t n = 0;
    for (int y = 0; s == HSC_OK && y < h; y++) {
        uint32_t first = (uint32_t)((int64_t)y * lines / h) + 1, last = (uint32_t)((int64_t)(y + 1) * lines / h);
        s = hsc_handle_rows(w->db, (uint32_t)m->file, first, last < first ? first : last, &lo[y], &hi[y], err);
        if (s == HSC_OK && (n == 0 || lo[y] != distinct_lo[n - 1] || hi[y] != distinct_hi[n - 1])) {
            distinct_lo[n] = lo[y];
            distinct_hi[n++] = hi[y];
        }
    }
    if (s == HSC_OK && columns)
        s = hsw_read_bins(w, &m->against, view, m->o.reduce, n, distinct_lo, distinct_hi, &m->axis, packed, NULL, err);
    if (s != HSC_OK)
        goto done;
    m->maximum = 0;
    for (int y = 0, k = 0; y < h; y++) {
        while (lo[y] != distinct_lo[k] || hi[y] != distinct_hi[k])
            k++;
        for (uint32_t c = 0; c < columns; c++) {
            float v = packed[(size_t)k * columns + c];
            m->values[(size_t)y * columns + c] = v;
            if ((double)v > m->maximum)
                m->maximum = (double)v;
        }
    }
    if (hsw_comparing(&m->against)) {
        m->maximum = hsw_change_maximum(m->against.show, packed, NULL, (size_t)n * columns);
        hsc_colour_scale_init_change(&m->scale, (enum hsc_scaling)m->o.scaling, m->maximum, m->against.show == HSW_SHOW_RATIO);
        m->rows = h;
        goto done;
    }
    if (m->o.normalise == HSW_NORMALISE_PROGRAM && m->o.reduce == HSC_REDUCE_MAX &&
        (s = hsw_maximum(w, view, m->o.reduce, &m->axis, 0, (uint32_t)hsc_db_get_rows(w->db->db, view.table), &m->maximum,
                         err)) != HSC_OK)
        goto done;
    hsc_colour_scale_init(&m->scale, (enum hsc_colours)m->o.colours, (enum hsc_scaling)m->o.scaling, m->maximum);
    m->rows = h;
done:
    free(lo);
    free(hi);
    free(distinct_lo);
    free(distinct_hi);
    free(packed);
    return s;
}

static bool frame_of(minimap *m, int height, hsc_minimap_frame *f) {
    if (!m->w.db || m->rows < height)
        return false;
    *f = (hsc_minimap_frame){.lines = lines_of(m), .columns = m->axis.bins, .values = m->values, .scale = &m->scale,
                           .view_first = m->view_first, .view_last = m->view_last,
                           .selected = m->line > 0 ? (uint32_t)m->line : 0, .n_hits = m->n_hits, .hits = m->hit_lines};
    return true;
}

static void paint(hsw *w, hsc_canvas *c) {
    hsc_minimap_frame f;
    if (frame_of((minimap *)w, c->height, &f))
        hsc_paint_minimap_base(c, &w->style, &f);
}

static void paint_marks(hsw *w, hsc_canvas *c) {
    hsc_minimap_frame f;
    if (frame_of((minimap *)w, c->height, &f))
        hsc_paint_minimap_marks(c, &w->style, &f);
}

static uint32_t line_at(const minimap *m, int y, uint32_t lines) {
    int h = hsw_height(&m->w);
    y = y < 0 ? 0 : y >= h ? h - 1 : y;
    return (uint32_t)((int64_t)y * lines / h) + 1;
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    minimap *m = (minimap *)w;
    uint32_t lines = lines_of(m);
    if (!w->db || !lines || !m->rows)
        return NULL;
    uint32_t first = line_at(m, y, lines), last = line_at(m, y + 1, lines);
    Tcl_Obj *d = Tcl_NewDictObj();
    float best = NAN;
    (void)x;
    for (uint32_t c = 0; c < m->axis.bins; c++) {
        float v = m->values[(size_t)y * m->axis.bins + c];
        if (!(best >= v) && !isnan(v))
            best = v;
    }
    hsc_tcl_put(d, "line", Tcl_NewWideIntObj(first));
    hsc_tcl_put(d, "last_line", Tcl_NewWideIntObj(last > first ? last - 1 : first));
    hsc_tcl_put(d, "value", isnan(best) ? Tcl_NewObj() : Tcl_NewDoubleObj((double)best));
    return d;
}

static bool pick(hsw *w, int x, int y, int state) {
    minimap *m = (minimap *)w;
    uint32_t lines = lines_of(m);
    (void)x;
    (void)state;
    if (!lines)
        return true;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "line", Tcl_NewWideIntObj(line_at(m, y, lines)));
    hsw_send(w, "<<MinimapPick>>", d);
    return true;
}

static void describe(hsw *w, Tcl_Obj *text) {
    minimap *m = (minimap *)w;
    Tcl_AppendPrintfToObj(text, "whole file, %u lines, in view %u to %u\n", lines_of(m), m->view_first, m->view_last);
}

const hsw_class hsw_minimap_class = {
    .command = "minimap", .tk_class = "HeatscopeMinimap", .size = sizeof(minimap), .options = options, .changed = changed,
    .fini = fini, .prepare = prepare, .paint = paint, .marks = paint_marks, .hit = hit, .describe = describe, .press = pick, .drag = pick,
    .wheel = hsw_rows_wheel};

/* ---- legend ---- */

typedef struct legend {
    hsw w;
    int colours, scaling, no_code, unit, change;
    double maximum, least; /* least > 0: see hsc_colour_scale_init_span */
} legend;

static const char *const unit_names[] = {"none", "s", "B", NULL}; /* enum hsc_unit */
enum { CHANGE_NONE, CHANGE_DIFFERENCE, CHANGE_RATIO };
static const char *const change_names[] = {"none", "difference", "ratio", NULL};

static const Tk_OptionSpec legend_options[] = {
    HSW_O_ENUM(legend, "-colours", colours, "inferno", hsc_colours_names, HSW_PAINT),
    HSW_O_ENUM(legend, "-scaling", scaling, "log", hsc_scaling_names, HSW_PAINT),
    HSW_O_DOUBLE(legend, "-maximum", maximum, "0", HSW_PAINT),
    HSW_O_DOUBLE(legend, "-least", least, "0", HSW_PAINT),
    HSW_O_ENUM(legend, "-unit", unit, "none", unit_names, HSW_PAINT),
    HSW_O_BOOL(legend, "-nocode", no_code, "1", HSW_PAINT),
    HSW_O_ENUM(legend, "-change", change, "none", change_names, HSW_PAINT),
    HSW_OPTIONS_END};

static hsc_colour_scale legend_scale(const legend *l) {
    hsc_colour_scale s;
    if (l->change != CHANGE_NONE) {
        hsc_colour_scale_init_change(&s, (enum hsc_scaling)l->scaling, l->maximum, l->change == CHANGE_RATIO);
        s.unit = (enum hsc_unit)l->unit;
    } else if (l->least > 0) {
        hsc_colour_scale_init_span(&s, (enum hsc_colours)l->colours, (enum hsc_scaling)l->scaling, l->least, l->maximum, (enum hsc_unit)l->unit);
    } else {
        hsc_colour_scale_init(&s, (enum hsc_colours)l->colours, (enum hsc_scaling)l->scaling, l->maximum);
    }
    return s;
}

static void legend_paint(hsw *w, hsc_canvas *c) {
    legend *l = (legend *)w;
    hsc_colour_scale s = legend_scale(l);
    hsc_paint_legend(c, &w->style, 0, 0, c->width, &s, l->no_code);
}

static Tcl_Obj *legend_hit(hsw *w, int x, int y) {
    legend *l = (legend *)w;
    (void)y;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_colour_scale s = legend_scale(l);
    double t = (double)x / hsw_width(w);
    double change = (2 * t - 1 < 0 ? -1 : 1) * hsc_colour_value(s.scaling, fabs(2 * t - 1), l->maximum);
    hsc_tcl_put(d, "value", Tcl_NewDoubleObj(s.diverging ? change : s.low > 0 ? (double)s.low * pow(l->maximum / (double)s.low, t)
                                                       : hsc_colour_value((enum hsc_scaling)l->scaling, t, l->maximum)));
    return d;
}

static void legend_describe(hsw *w, Tcl_Obj *text) {
    legend *l = (legend *)w;
    Tcl_AppendPrintfToObj(text, "colours %s, %s, %.6g to %.6g\n", hsc_colours_names[l->colours], hsc_scaling_names[l->scaling],
                          (double)legend_scale(l).low, l->maximum);
}

const hsw_class hsw_legend_class = {.command = "legend", .tk_class = "HeatscopeLegend", .size = sizeof(legend),
                                    .options = legend_options, .paint = legend_paint, .hit = legend_hit,
                                    .describe = legend_describe};
