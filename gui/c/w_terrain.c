/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::terrain: a segment of a file as a surface that turns (P4). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "terrain.h"
#include "widget.h"

#define ROWS_MAX 240
#define COLUMNS_MAX 160
#define SUMMIT_LINES_MAX 1024

typedef struct terrain {
    hsw w;
    hsw_heatlike o;
    hsw_against against;
    int file, first, last, wanted_peaks;
    double height, azimuth, elevation, zoom;
    /* by prepare */
    hsc_axis axis;
    uint32_t rows, columns, lines_per_row, from; /* from: line of grid row 0 */
    float *values;
    double maximum;
    const char *flat; /* why it has no heights; NULL: it has */
    bool profiles;    /* flat-on: many peaks, as those of one line stand behind each other and have one name */
    hsc_colour_scale scale;
    uint32_t n_peaks;
    hsc_terrain_peak peaks[HSC_TERRAIN_PEAKS_MAX];
    struct {
        uint32_t line, column;
    } summit[HSC_TERRAIN_PEAKS_MAX]; /* of each peak */
    char labels[HSC_TERRAIN_PEAKS_MAX][48], edges[4][32];
    /* by paint */
    uint32_t *pick;
    size_t pick_capacity;
    int pick_width, pick_height;
    int drag_x, drag_y;
} terrain;

static const Tk_OptionSpec options[] = {
    HSW_AGAINST_OPTIONS(terrain, against),
    HSW_O_INT(terrain, "-file", file, "-1", HSW_DATA),
    HSW_O_INT(terrain, "-first", first, "1", HSW_DATA),
    HSW_O_INT(terrain, "-last", last, "0", HSW_DATA),
    HSW_O_ENUM(terrain, "-table", o.table, "line", hsc_table_names, HSW_DATA),
    HSW_O_ENUM(terrain, "-reduce", o.reduce, "max", hsc_reduce_names, HSW_DATA),
    HSW_O_TEXT(terrain, "-columns", o.columns, "", HSW_DATA),
    HSW_O_ENUM(terrain, "-sort", o.sort, "number", hsw_sort_names, HSW_DATA),
    HSW_O_ENUM(terrain, "-colours", o.colours, "inferno", hsc_colours_names, HSW_DATA),
    HSW_O_ENUM(terrain, "-scaling", o.scaling, "linear", hsc_scaling_names, HSW_DATA),
    HSW_O_INT(terrain, "-peaks", wanted_peaks, "3", HSW_DATA),
    HSW_O_DOUBLE(terrain, "-height3d", height, "0.35", HSW_PAINT),
    HSW_O_DOUBLE(terrain, "-azimuth", azimuth, "35", HSW_PAINT),
    HSW_O_DOUBLE(terrain, "-elevation", elevation, "35", HSW_PAINT),
    HSW_O_DOUBLE(terrain, "-zoom", zoom, "1", HSW_PAINT),
    HSW_OPTIONS_END};

static hsc_status changed(hsw *w, hsc_err *err) {
    terrain *t = (terrain *)w;
    if (!(t->elevation >= 0 && t->elevation <= 90))
        return hsc_err_set(err, HSC_E_ARGUMENT, "-elevation %g: expected 0 to 90", t->elevation);
    if (!(t->zoom >= 0.1 && t->zoom <= 50) || !(t->height >= 0 && t->height <= 2) || !isfinite(t->azimuth))
        return hsc_err_set(err, HSC_E_ARGUMENT, "-zoom %g -height3d %g: expected 0.1 to 50 and 0 to 2", t->zoom, t->height);
    if (t->profiles != hsc_terrain_is_flat_on(t->elevation)) {
        t->profiles = !t->profiles;
        hsw_schedule(w, HSW_DATA);
    }
    return HSC_OK;
}

static void fini(hsw *w) {
    terrain *t = (terrain *)w;
    hsc_axis_fini(&t->axis);
    free(t->values);
    free(t->pick);
}

static uint32_t grid_line(const terrain *t, uint32_t row) { return t->from + row * t->lines_per_row; }

/* The line and the processor that make the value of a cell (several lines by several processors); outputs keep the first ones where it
 * can't be told. */
static hsc_status cell_summit(terrain *t, uint32_t row, uint32_t bin, uint32_t *line, uint32_t *column, hsc_err *err) {
    hsw *w = &t->w;
    uint32_t lo = 0, hi = 0, best = 0;
    *line = grid_line(t, row);
    *column = t->axis.order[t->axis.start[bin]];
    hsc_status s = hsc_handle_rows(w->db, (uint32_t)t->file, *line, *line + t->lines_per_row - 1, &lo, &hi, err);
    uint32_t n = hi - lo;
    if (s != HSC_OK || hi <= lo || n > SUMMIT_LINES_MAX)
        return s;
    best = lo;
    if (n > 1) {
        uint32_t *from = malloc(2 * n * sizeof *from);
        float *v = malloc((size_t)n * t->axis.bins * sizeof *v);
        if (!from || !v)
            s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u lines", n);
        for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
            from[i] = lo + i;
            from[n + i] = lo + i + 1;
        }
        if (s == HSC_OK)
            s = hsw_read_bins(w, &t->against, hsw_view(w, t->o.table), t->o.reduce, n, from, from + n, &t->axis, v, NULL, err);
        float most = -1;
        for (uint32_t i = 0; s == HSC_OK && i < n; i++)
            if (fabsf(v[(size_t)i * t->axis.bins + bin]) > most) {
                most = fabsf(v[(size_t)i * t->axis.bins + bin]);
                best = lo + i;
            }
        free(from);
        free(v);
    }
    hsc_db_line l;
    double value;
    if (s == HSC_OK && (s = hsc_db_get_line(w->db->db, best, &l, err)) == HSC_OK)
        *line = l.line;
    if (s == HSC_OK && !hsw_comparing(&t->against) && t->axis.start[bin + 1] > t->axis.start[bin] + 1)
        s = hsw_hottest_column(w, hsw_view(w, t->o.table), &t->axis, best, bin, column, &value, err);
    return s;
}

#define FLAT_NOISE "no change beyond noise (95 %)"

/* What to say of a surface without heights; NULL: it has some. */
static const char *flat_words(const terrain *t, const float *values, size_t n) {
    hsc_db_metric m;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]) && values[i] != 0) /* also infinite: new, gone */
            return NULL;
    if (hsw_comparing(&t->against))
        return hsc_font_width(t->w.style.font, FLAT_NOISE) <= hsw_width(&t->w) ? FLAT_NOISE : "within noise";
    return hsc_db_get_metric(t->w.db->db, (uint32_t)t->w.metric, &m, NULL) == HSC_OK && m.exact ? "nothing in these lines" : "no samples in these lines";
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    terrain *t = (terrain *)w;
    hsc_db_file f;
    hsc_db_line l;
    hsc_status s = hsw_axis(w, t->o.columns, t->o.sort, COLUMNS_MAX, &t->axis, err);
    t->rows = t->columns = t->n_peaks = 0;
    t->flat = NULL;
    if (s != HSC_OK || t->file < 0 || !t->axis.bins ||
        (s = hsc_db_get_file(w->db->db, (uint32_t)t->file, &f, err)) != HSC_OK || !f.line_rows)
        return s;
    uint32_t first = t->first > 0 ? (uint32_t)t->first : 1, last = t->last > 0 ? (uint32_t)t->last : 0;
    if (!last) {
        if ((s = hsc_db_get_line(w->db->db, f.first_line_row + f.line_rows - 1, &l, err)) != HSC_OK)
            return s;
        last = l.line;
    }
    if (last < first + 1)
        last = first + 1;
    uint32_t lines = last - first + 1, per = lines / ROWS_MAX + (lines % ROWS_MAX != 0), rows = (lines + per - 1) / per;
    if (rows < 2)
        rows = 2;
    uint32_t bins = t->axis.bins, columns = bins < 2 ? 2 : bins;
    uint32_t *lo = malloc(rows * sizeof *lo), *hi = malloc(rows * sizeof *hi);
    float *packed = malloc((size_t)rows * bins * sizeof *packed);
    free(t->values);
    t->values = malloc((size_t)rows * columns * sizeof *t->values);
    if (!lo || !hi || !packed || !t->values)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for a surface of %u x %u", rows, columns);
    for (uint32_t r = 0; s == HSC_OK && r < rows; r++)
        s = hsc_handle_rows(w->db, (uint32_t)t->file, first + r * per, first + (r + 1) * per - 1, &lo[r], &hi[r], err);
    if (s == HSC_OK)
        s = hsw_read_bins(w, &t->against, hsw_view(w, t->o.table), t->o.reduce, rows, lo, hi, &t->axis, packed, NULL, err);
    free(lo);
    free(hi);
    if (s == HSC_OK) {
        t->maximum = 0;
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < columns; c++) {
                float v = packed[(size_t)r * bins + (c < bins ? c : bins - 1)]; /* one processor: a ridge */
                t->values[(size_t)r * columns + c] = v;
                if ((double)v > t->maximum)
                    t->maximum = (double)v;
            }
        t->rows = rows;
        t->columns = columns;
        t->lines_per_row = per;
        t->from = first;
        t->flat = flat_words(t, packed, (size_t)rows * bins);
        if (hsw_comparing(&t->against)) {
            t->maximum = hsw_change_maximum(t->against.show, packed, NULL, (size_t)rows * bins);
            hsc_colour_scale_init_change(&t->scale, (enum hsc_scaling)t->o.scaling, t->maximum, t->against.show == HSW_SHOW_RATIO);
            for (size_t i = 0; i < (size_t)rows * bins; i++) /* what stands out either way has a name */
                packed[i] = isinf(packed[i]) ? (float)t->maximum : fabsf(packed[i]);
        } else {
            hsc_colour_scale_init(&t->scale, (enum hsc_colours)t->o.colours, (enum hsc_scaling)t->o.scaling, t->maximum);
        }
        hsw_set_unit(w, &t->scale);
        char name[32];
        uint32_t wanted = t->wanted_peaks <= 0 ? 0 : t->profiles ? HSC_TERRAIN_PEAKS_MAX : (uint32_t)t->wanted_peaks;
        t->n_peaks = hsc_terrain_find_peaks(rows, bins, packed, wanted, t->peaks);
        for (uint32_t k = 0; s == HSC_OK && k < t->n_peaks; k++) {
            hsc_terrain_peak *p = &t->peaks[k];
            p->value = t->values[(size_t)p->row * columns + p->column];
            s = cell_summit(t, p->row, p->column < bins ? p->column : bins - 1, &t->summit[k].line, &t->summit[k].column, err);
            hsc_handle_label(w->db, (hsc_db_axis)w->axis, t->summit[k].column, name, sizeof name);
            snprintf(t->labels[k], sizeof t->labels[k], "line %u, %s", t->summit[k].line, name);
            p->label = t->labels[k];
        }
        snprintf(t->edges[0], sizeof t->edges[0], "%s %u", last > first ? "lines" : "line", first);
        snprintf(t->edges[1], sizeof t->edges[1], "%u", last);
        hsc_handle_label(w->db, (hsc_db_axis)w->axis, t->axis.order[0], t->edges[2], sizeof t->edges[2]);
        hsc_handle_label(w->db, (hsc_db_axis)w->axis, t->axis.order[t->axis.shown - 1], t->edges[3], sizeof t->edges[3]);
    }
    free(packed);
    return s;
}

static void paint(hsw *w, hsc_canvas *c) {
    terrain *t = (terrain *)w;
    if (!w->db)
        return;
    if (!t->rows) {
        hsc_canvas_text_fit(c, w->style.font, c->width / 2.0, c->height / 2.0, c->width, HSC_CENTRE, w->style.colour[HSC_P_muted],
                            "no lines to show");
        return;
    }
    size_t cells = (size_t)c->width * (size_t)c->height;
    if (c->pixels && cells > t->pick_capacity) {
        free(t->pick);
        t->pick = malloc(cells * sizeof *t->pick);
        t->pick_capacity = t->pick ? cells : 0;
    }
    hsc_terrain_frame f = {.rows = t->rows, .columns = t->columns, .values = t->values, .scale = &t->scale,
                           .azimuth = t->azimuth, .elevation = t->elevation, .zoom = t->zoom, .height = t->height,
                           .n_peaks = t->n_peaks, .peaks = t->peaks, .row_first = t->edges[0], .row_last = t->edges[1],
                           .column_first = t->edges[2], .column_last = t->edges[3], .line_first = t->from, .lines_per_row = t->lines_per_row, .legend = true,
                           .pick = c->pixels ? t->pick : NULL};
    if (hsc_paint_terrain(c, &w->style, &f, NULL) == HSC_OK && c->pixels) {
        t->pick_width = c->width;
        t->pick_height = c->height;
    }
    if (t->flat)
        hsc_canvas_text_fit(c, w->style.font, c->width / 2.0, hsc_canvas_dp(c, 8) + w->style.font->ascent, c->width, HSC_CENTRE,
                            w->style.colour[HSC_P_muted], t->flat);
}

static Tcl_Obj *cell_dict(const terrain *t, uint32_t row, uint32_t column) {
    const hsc_axis *a = &t->axis;
    uint32_t b = column < a->bins ? column : a->bins - 1;
    float v = t->values[(size_t)row * t->columns + column];
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "line", Tcl_NewWideIntObj(grid_line(t, row)));
    hsc_tcl_put(d, "last_line", Tcl_NewWideIntObj(grid_line(t, row) + t->lines_per_row - 1));
    hsc_tcl_put(d, "column", Tcl_NewWideIntObj(a->order[a->start[b]]));
    hsc_tcl_put(d, "first", Tcl_NewWideIntObj(a->order[a->start[b]]));
    hsc_tcl_put(d, "last", Tcl_NewWideIntObj(a->order[a->start[b + 1] - 1]));
    hsc_tcl_put(d, "value", isnan(v) ? Tcl_NewObj() : Tcl_NewDoubleObj((double)v));
    return d;
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    terrain *t = (terrain *)w;
    if (!w->db || !t->rows || !t->pick || x >= t->pick_width || y >= t->pick_height)
        return NULL;
    uint32_t id = t->pick[(size_t)y * (size_t)t->pick_width + (size_t)x];
    if (!id || (id - 1) / t->columns >= t->rows)
        return NULL;
    return cell_dict(t, (id - 1) / t->columns, (id - 1) % t->columns);
}

static bool press(hsw *w, int x, int y, int state) {
    terrain *t = (terrain *)w;
    (void)state;
    t->drag_x = x;
    t->drag_y = y;
    return true; /* picked on release, when it was no turn */
}

static void send_turn(hsw *w, double azimuth, double elevation) {
    Tcl_Obj *d = Tcl_NewDictObj();
    azimuth = fmod(azimuth, 360);
    hsc_tcl_put(d, "azimuth", Tcl_NewDoubleObj(azimuth < 0 ? azimuth + 360 : azimuth));
    hsc_tcl_put(d, "elevation", Tcl_NewDoubleObj(elevation < 0 ? 0 : elevation > 90 ? 90 : elevation));
    hsw_send(w, "<<TerrainTurn>>", d);
}

static bool drag(hsw *w, int x, int y, int state) {
    terrain *t = (terrain *)w;
    (void)state;
    int dx = x - t->drag_x, dy = y - t->drag_y;
    t->drag_x = x;
    t->drag_y = y;
    if (dx || dy)
        send_turn(w, t->azimuth + dx * 0.5, t->elevation + dy * 0.5);
    return true;
}

static bool release(hsw *w, int x, int y, int state) {
    terrain *t = (terrain *)w;
    (void)state;
    Tcl_Obj *d = w->dragged ? NULL : hit(w, x, y);
    if (d) { /* a cell of several lines or processors: to those that make its value */
        uint32_t id = t->pick[(size_t)y * (size_t)t->pick_width + (size_t)x] - 1, column = id % t->columns, line, best;
        hsc_err err = {0};
        if (cell_summit(t, id / t->columns, column < t->axis.bins ? column : t->axis.bins - 1, &line, &best, &err) == HSC_OK) {
            hsc_tcl_put(d, "line", Tcl_NewWideIntObj(line));
            hsc_tcl_put(d, "column", Tcl_NewWideIntObj(best));
        }
    }
    if (d)
        hsw_send(w, "<<TerrainPick>>", d);
    return true;
}

static bool move(hsw *w, int rows, int columns, bool extend, bool page) {
    terrain *t = (terrain *)w;
    (void)extend;
    (void)page;
    if (abs(rows) < 1000)
        send_turn(w, t->azimuth + 5 * columns, t->elevation - 5 * rows);
    return true;
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    terrain *t = (terrain *)w;
    (void)objv;
    if (strcmp(name, "peaks") || objc != 2)
        return TCL_CONTINUE;
    hsw_draw(w);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t k = 0; t->rows && k < t->n_peaks; k++) {
        Tcl_Obj *d = cell_dict(t, t->peaks[k].row, t->peaks[k].column);
        hsc_tcl_put(d, "line", Tcl_NewWideIntObj(t->summit[k].line));
        hsc_tcl_put(d, "column", Tcl_NewWideIntObj(t->summit[k].column));
        hsc_tcl_put(d, "x", Tcl_NewWideIntObj((Tcl_WideInt)t->peaks[k].x));
        hsc_tcl_put(d, "y", Tcl_NewWideIntObj((Tcl_WideInt)t->peaks[k].y));
        hsc_tcl_put(d, "hidden", Tcl_NewBooleanObj(t->peaks[k].hidden));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static void describe(hsw *w, Tcl_Obj *text) {
    terrain *t = (terrain *)w;
    if (!w->db || !t->rows) {
        Tcl_AppendToObj(text, "terrain: nothing chosen\n", -1);
        return;
    }
    Tcl_AppendPrintfToObj(text, "terrain of lines %u to %u, %u processors, %s, highest %.6g, azimuth %.0f, elevation %.0f\n",
                          t->from, grid_line(t, t->rows) - 1, t->axis.shown, hsw_show_names[hsw_comparing(&t->against) ? t->against.show : 0],
                          t->maximum, t->azimuth, t->elevation);
    if (t->flat)
        Tcl_AppendPrintfToObj(text, "%s\n", t->flat);
    for (uint32_t k = 0; k < t->n_peaks; k++)
        Tcl_AppendPrintfToObj(text, "peak %s: %.6g\n", t->labels[k], (double)t->peaks[k].value);
}

const hsw_class hsw_terrain_class = {
    .command = "terrain", .tk_class = "HeatscopeTerrain", .size = sizeof(terrain), .options = options, .changed = changed,
    .fini = fini, .prepare = prepare, .paint = paint, .hit = hit, .describe = describe, .command_of = command_of,
    .press = press, .drag = drag, .release = release, .move = move, .usage = "peaks"};
