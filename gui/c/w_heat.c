/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::heat: source lines x processors (P1). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "widget.h"

#define VALUES_MAX 65536u /* in one answer */

typedef struct heat {
    hsw w;
    hsw_rows_options rows_options;
    hsw_heatlike o;
    hsw_against against;
    int min_cell, max_bins, numbers, cursor_column, grid;
    char *range, *title;
    /* made by changed */
    int range_first, range_last; /* columns, -1 none */
    /* made by prepare */
    hsw_rows rows;
    hsc_axis axis;
    float *values, *row_maximum;
    unsigned char *noise; /* when comparing */
    size_t capacity;
    char (*labels)[32];
    const char **label_pointers;
    double maximum;
    hsc_colour_scale scale;
} heat;

static const Tk_OptionSpec options[] = {
    HSW_ROWS_OPTIONS(heat, rows_options),
    HSW_AGAINST_OPTIONS(heat, against),
    HSW_O_ENUM(heat, "-table", o.table, "line", hsc_table_names, HSW_DATA),
    HSW_O_ENUM(heat, "-reduce", o.reduce, "max", hsc_reduce_names, HSW_DATA),
    HSW_O_TEXT(heat, "-columns", o.columns, "", HSW_DATA),
    HSW_O_ENUM(heat, "-sort", o.sort, "number", hsw_sort_names, HSW_DATA),
    HSW_O_ENUM(heat, "-colours", o.colours, "inferno", hsc_colours_names, HSW_DATA),
    HSW_O_ENUM(heat, "-scaling", o.scaling, "log", hsc_scaling_names, HSW_DATA),
    HSW_O_ENUM(heat, "-normalise", o.normalise, "program", hsw_normalise_names, HSW_DATA),
    HSW_O_INT(heat, "-mincell", min_cell, "28", HSW_DATA),
    HSW_O_INT(heat, "-bins", max_bins, "0", HSW_DATA),
    HSW_O_BOOL(heat, "-numbers", numbers, "1", HSW_PAINT),
    HSW_O_BOOL(heat, "-grid", grid, "1", HSW_PAINT),
    HSW_O_INT(heat, "-cursorcolumn", cursor_column, "-1", HSW_PAINT),
    HSW_O_TEXT(heat, "-range", range, "", HSW_PAINT),
    HSW_O_TEXT(heat, "-title", title, "", HSW_PAINT),
    HSW_OPTIONS_END};

static hsc_status changed(hsw *w, hsc_err *err) {
    heat *h = (heat *)w;
    hsc_status s = HSC_OK;
    h->range_first = h->range_last = -1;
    if (h->range && h->range[0]) {
        char end;
        if (sscanf(h->range, "%d %d %c", &h->range_first, &h->range_last, &end) != 2 || h->range_first < 0 ||
            h->range_last < h->range_first) {
            h->range_first = h->range_last = -1;
            s = hsc_err_set(err, HSC_E_ARGUMENT, "-range \"%.40s\": expected two columns, rising", h->range);
        }
    }
    if (h->o.table != HSC_TABLE_LINE && h->o.table != HSC_TABLE_LINE_INCL)
        s = hsc_err_set(err, HSC_E_ARGUMENT, "-table of a heat map: expected line or line_incl, got %s",
                        hsc_table_names[h->o.table]);
    return s;
}

static void fini(hsw *w) {
    heat *h = (heat *)w;
    hsw_rows_fini(&h->rows);
    hsc_axis_fini(&h->axis);
    free(h->values);
    free(h->noise);
    free(h->row_maximum);
    free(h->labels);
    free(h->label_pointers);
}

static hsc_status make_labels(heat *h, hsc_err *err) {
    uint32_t n = h->axis.bins;
    char(*labels)[32] = calloc((size_t)n + 1, sizeof *labels);
    const char **pointers = calloc((size_t)n + 1, sizeof *pointers);
    if (!labels || !pointers) {
        free(labels);
        free(pointers);
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u labels", n);
    }
    for (uint32_t b = 0; b < n; b++) {
        hsw_processor(&h->w, h->axis.order[h->axis.start[b]], labels[b], sizeof labels[b]);
        pointers[b] = labels[b];
    }
    free(h->labels);
    free(h->label_pointers);
    h->labels = labels;
    h->label_pointers = pointers;
    return HSC_OK;
}

/* The processors of each cell: by the room there is, not by what is in the cells. */
static hsc_status lay_out(heat *h, hsc_err *err) {
    int cell = h->min_cell > 0 ? h->min_cell : 1;
    uint32_t fit = (uint32_t)(hsw_width(&h->w) / cell), most = h->max_bins > 0 ? (uint32_t)h->max_bins : fit;
    hsc_status s = hsw_axis(&h->w, h->o.columns, h->o.sort, most > 0 ? most : 1, &h->axis, err);
    return s == HSC_OK ? make_labels(h, err) : s;
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    heat *h = (heat *)w;
    hsc_status s = hsw_rows_prepare(w, &h->rows_options, &h->rows, err);
    if (s != HSC_OK || (s = lay_out(h, err)) != HSC_OK)
        return s;
    uint32_t n = h->rows.hi - h->rows.lo, bins = h->axis.bins;
    hsc_db_view view = hsw_view(w, h->o.table);
    size_t cells = (size_t)n * bins;
    if (cells > h->capacity || !h->values) {
        free(h->values);
        free(h->noise);
        h->noise = malloc(cells + 1);
        if (!(h->values = malloc((cells + 1) * sizeof *h->values)) || !h->noise)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %zu cells", cells);
        h->capacity = cells;
    }
    free(h->row_maximum);
    h->row_maximum = NULL;
    uint32_t *lo = malloc(((size_t)n + 1) * sizeof *lo), *hi = malloc(((size_t)n + 1) * sizeof *hi);
    if (!lo || !hi)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u lines", n);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        lo[i] = h->rows.lo + i;
        hi[i] = lo[i] + 1;
    }
    if (s == HSC_OK && n && bins)
        s = hsw_read_bins(w, &h->against, view, h->o.reduce, n, lo, hi, &h->axis, h->values, h->noise, err);
    free(lo);
    free(hi);
    if (s != HSC_OK)
        return s;
    if (hsw_comparing(&h->against)) {
        if (h->o.normalise == HSW_NORMALISE_PROGRAM)
            s = hsw_program_change(w, &h->against, view, h->o.reduce, &h->axis, &h->maximum, err);
        else
            h->maximum = hsw_change_maximum(h->against.show, h->values, h->noise, cells);
        if (s == HSC_OK)
            hsc_colour_scale_init_change(&h->scale, (enum hsc_scaling)h->o.scaling, h->maximum, h->against.show == HSW_SHOW_RATIO);
        return s;
    }
    hsc_db_file f = {.line_rows = 0};
    uint32_t from = 0, to = (uint32_t)hsc_db_get_rows(w->db->db, view.table);
    if (h->o.normalise == HSW_NORMALISE_FILE && h->rows_options.file >= 0) {
        if ((s = hsc_db_get_file(w->db->db, (uint32_t)h->rows_options.file, &f, err)) != HSC_OK)
            return s;
        from = f.first_line_row;
        to = from + f.line_rows;
    }
    if (h->o.normalise == HSW_NORMALISE_ROW) {
        if (!(h->row_maximum = calloc((size_t)n + 1, sizeof *h->row_maximum)))
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u lines", n);
        h->maximum = 0;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t b = 0; b < bins; b++) {
                float v = h->values[(size_t)i * bins + b];
                if (v > h->row_maximum[i])
                    h->row_maximum[i] = v;
                if ((double)v > h->maximum)
                    h->maximum = (double)v;
            }
    } else if ((s = hsw_maximum(w, view, h->o.reduce, &h->axis, from, to, &h->maximum, err)) != HSC_OK) {
        return s;
    }
    hsc_colour_scale_init(&h->scale, (enum hsc_colours)h->o.colours, (enum hsc_scaling)h->o.scaling, h->maximum);
    return HSC_OK;
}

static int bin_of(const heat *h, int column) {
    if (column < 0 || (uint32_t)column >= h->axis.columns || !h->axis.bin_of || h->axis.bin_of[column] == UINT32_MAX)
        return -1;
    return (int)h->axis.bin_of[column];
}

static void paint(hsw *w, hsc_canvas *c) {
    heat *h = (heat *)w;
    int32_t none = -1;
    hsw_rows_geometry(w, &h->rows_options, &h->rows);
    if (!w->db || !h->axis.bins) {
        hsc_canvas_fill(c, 0, h->rows.rows.header, c->width, c->height, w->style.colour[HSC_P_nocode]);
        return;
    }
    if (h->rows_options.file < 0) { /* nothing has lines here: not the colour of lines without code */
        hsc_canvas_fill(c, 0, 0, c->width, c->height, w->style.colour[HSC_P_background]);
        return;
    }
    if (h->rows.rows.count > h->rows.capacity)
        h->rows.rows.count = h->rows.capacity;
    hsc_heat_frame f = {.rows = h->rows.rows, .bins = h->axis.bins, .index = h->rows.index ? h->rows.index : &none,
                        .values = h->values, .noise = hsw_comparing(&h->against) ? h->noise : NULL, .scale = &h->scale, .row_maximum = h->row_maximum,
                        .colours = (enum hsc_colours)h->o.colours, .labels = h->label_pointers, .title = h->title,
                        .numbers = h->numbers, .grid = h->grid, .cursor = bin_of(h, h->cursor_column),
                        .mark_first = bin_of(h, h->range_first), .mark_last = bin_of(h, h->range_last)};
    if (f.mark_first < 0 || f.mark_last < f.mark_first)
        f.mark_first = f.mark_last = -1;
    hsc_paint_heat(c, &w->style, &f);
}

static uint32_t bin_at(const heat *h, int x) {
    uint32_t b = (uint32_t)((int64_t)x * h->axis.bins / hsw_width(&h->w));
    if (b >= h->axis.bins)
        b = h->axis.bins - 1;
    /* rounding: the cell whose pixels hold x */
    while (b > 0 && hsc_heat_x(&h->w.surface.canvas, h->axis.bins, b) > x)
        b--;
    while (b + 1 < h->axis.bins && hsc_heat_x(&h->w.surface.canvas, h->axis.bins, b + 1) <= x)
        b++;
    return b;
}

static Tcl_Obj *number(double v) {
    return v == floor(v) && fabs(v) < 9e15 ? Tcl_NewWideIntObj((Tcl_WideInt)v) : Tcl_NewDoubleObj(v);
}

/* No code, or a ratio of nothing to nothing. */
static bool has_none(const heat *h, float value, unsigned char noise) {
    return isnan(value) || (hsw_comparing(&h->against) && h->against.show == HSW_SHOW_RATIO && noise == HSW_NOTHING);
}

/* Cells of n rows of the table from `first` on, in sight or not: a list for each, "" for what is no number. */
static hsc_status read_values(heat *h, uint32_t first, uint32_t n, Tcl_Obj **out, hsc_err *err) {
    size_t bins = h->axis.bins;
    float *v = malloc(n * bins * sizeof *v + 1);
    unsigned char *noise = malloc(n * bins + 1);
    uint32_t *lo = malloc(2 * ((size_t)n + 1) * sizeof *lo), *hi = lo ? lo + n + 1 : NULL;
    hsc_status s = v && noise && lo ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u lines", n);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++)
        hi[i] = (lo[i] = first + i) + 1;
    if (s == HSC_OK && n && bins)
        s = hsw_read_bins(&h->w, &h->against, hsw_view(&h->w, h->o.table), h->o.reduce, n, lo, hi, &h->axis, v, noise, err);
    if (s == HSC_OK) {
        *out = Tcl_NewListObj(0, NULL);
        for (uint32_t i = 0; i < n; i++) {
            Tcl_Obj *row = Tcl_NewListObj(0, NULL);
            for (size_t b = 0; b < bins; b++)
                Tcl_ListObjAppendElement(NULL, row, has_none(h, v[i * bins + b], noise[i * bins + b]) ? Tcl_NewObj() : number((double)v[i * bins + b]));
            Tcl_ListObjAppendElement(NULL, *out, row);
        }
    }
    free(v);
    free(noise);
    free(lo);
    return s;
}

static void put_bin(const heat *h, Tcl_Obj *d, uint32_t b) {
    hsc_tcl_put(d, "bin", Tcl_NewWideIntObj(b));
    hsc_tcl_put(d, "first", Tcl_NewWideIntObj(h->axis.order[h->axis.start[b]]));
    hsc_tcl_put(d, "last", Tcl_NewWideIntObj(h->axis.order[h->axis.start[b + 1] - 1]));
    hsc_tcl_put(d, "columns", Tcl_NewWideIntObj(h->axis.start[b + 1] - h->axis.start[b]));
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    heat *h = (heat *)w;
    if (!w->db || !h->axis.bins)
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    uint32_t b = bin_at(h, x);
    int r = hsc_rows_at(&h->rows.rows, y);
    put_bin(h, d, b);
    if (r < 0) {
        hsc_tcl_put(d, "part", Tcl_NewStringObj("header", -1));
        return d;
    }
    uint32_t line = h->rows.rows.top + (uint32_t)r;
    int32_t i = r < h->rows.rows.count ? h->rows.index[r] : -1;
    hsc_tcl_put(d, "part", Tcl_NewStringObj("cell", -1));
    hsc_tcl_put(d, "line", Tcl_NewWideIntObj(line));
    hsc_tcl_put(d, "row", i < 0 ? Tcl_NewWideIntObj(-1) : Tcl_NewWideIntObj((Tcl_WideInt)h->rows.lo + i));
    uint32_t column = h->axis.order[h->axis.start[b]];
    double value;
    if (i >= 0 && !hsw_comparing(&h->against) && hsw_hottest_column(w, hsw_view(w, h->o.table), &h->axis, h->rows.lo + (uint32_t)i, b, &column, &value,
                                     NULL) != HSC_OK)
        i = -1;
    hsc_tcl_put(d, "column", Tcl_NewWideIntObj(column));
    hsc_tcl_put(d, "value",
                i < 0 ? Tcl_NewObj() : number((double)h->values[(size_t)i * h->axis.bins + b]));
    if (hsw_comparing(&h->against))
        hsc_tcl_put(d, "noise", Tcl_NewWideIntObj(i >= 0 ? h->noise[(size_t)i * h->axis.bins + b] : 0));
    return d;
}

static bool drag(hsw *w, int x, int y, int state) {
    heat *h = (heat *)w;
    (void)state;
    if (!w->db || !h->axis.bins || x < 0 || x >= hsw_width(w))
        return false;
    uint32_t a = bin_at(h, w->press_x), b = bin_at(h, x);
    int r0 = hsc_rows_at(&h->rows.rows, w->press_y), r1 = hsc_rows_at(&h->rows.rows, y);
    if (a > b) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    if (r0 > r1) {
        int t = r0;
        r0 = r1;
        r1 = t;
    }
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "first", Tcl_NewWideIntObj(h->axis.order[h->axis.start[a]]));
    hsc_tcl_put(d, "last", Tcl_NewWideIntObj(h->axis.order[h->axis.start[b + 1] - 1]));
    hsc_tcl_put(d, "line_first", Tcl_NewWideIntObj((Tcl_WideInt)h->rows.rows.top + (r0 > 0 ? r0 : 0)));
    hsc_tcl_put(d, "line_last", Tcl_NewWideIntObj((Tcl_WideInt)h->rows.rows.top + (r1 > 0 ? r1 : 0)));
    hsw_send(w, "<<HeatRange>>", d);
    return true;
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    heat *h = (heat *)w;
    int line, b;
    bool of_bins = !strcmp(name, "bins") || !strcmp(name, "perbin") || !strcmp(name, "binof");
    hsc_err err = {0};
    if (!of_bins)
        hsw_draw(w);
    else if ((w->flags & HSW_DATA) && w->db && w->metric >= 0 && (uint32_t)w->metric < w->db->info.metrics && lay_out(h, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err); /* else: without waiting for what is to be read */
    if (!strcmp(name, "value") && objc == 4) {
        if (hsw_get_int(interp, objv[2], &line) != TCL_OK || hsw_get_int(interp, objv[3], &b) != TCL_OK)
            return TCL_ERROR;
        int64_t r = (int64_t)line - h->rows.rows.top;
        if (w->db && r >= 0 && r < h->rows.rows.count && h->rows.index[r] >= 0 && b >= 0 && (uint32_t)b < h->axis.bins)
            Tcl_SetObjResult(interp, number((double)h->values[(size_t)h->rows.index[r] * h->axis.bins + (size_t)b]));
        return TCL_OK;
    }
    if (!strcmp(name, "values") && objc == 4) {
        if (hsw_get_int(interp, objv[2], &line) != TCL_OK || hsw_get_int(interp, objv[3], &b) != TCL_OK)
            return TCL_ERROR;
        if (!w->db || line < 0 || b < 0 || (uint64_t)line + (uint64_t)b > hsc_db_get_rows(w->db->db, h->o.table) || (uint64_t)b * h->axis.bins > VALUES_MAX)
            return hsc_tcl_usage(interp, "values ROW N: rows of the table of lines, at most %u cells", VALUES_MAX);
        Tcl_Obj *rows;
        if (read_values(h, (uint32_t)line, (uint32_t)b, &rows, &err) != HSC_OK)
            return hsc_tcl_error(interp, &err);
        Tcl_SetObjResult(interp, rows);
        return TCL_OK;
    }
    if (!strcmp(name, "bins") && objc == 2) {
        Tcl_Obj *list = Tcl_NewListObj(0, NULL);
        for (uint32_t i = 0; i < h->axis.bins; i++) {
            Tcl_Obj *d = Tcl_NewDictObj();
            put_bin(h, d, i);
            hsc_tcl_put(d, "label", Tcl_NewStringObj(h->labels[i], -1));
            Tcl_ListObjAppendElement(NULL, list, d);
        }
        Tcl_SetObjResult(interp, list);
        return TCL_OK;
    }
    if (!strcmp(name, "perbin") && objc == 2) {
        uint32_t most = 0;
        for (uint32_t i = 0; i < h->axis.bins; i++) {
            uint32_t columns = h->axis.start[i + 1] - h->axis.start[i];
            most = columns > most ? columns : most;
        }
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(most));
        return TCL_OK;
    }
    if (!strcmp(name, "binof") && objc == 3) {
        if (hsw_get_int(interp, objv[2], &b) != TCL_OK)
            return TCL_ERROR;
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(bin_of(h, b)));
        return TCL_OK;
    }
    if (!strcmp(name, "maximum") && objc == 2) {
        Tcl_SetObjResult(interp, number(h->maximum));
        return TCL_OK;
    }
    if (!strcmp(name, "colour") && objc == 3) {
        double v;
        if (Tcl_GetDoubleFromObj(interp, objv[2], &v) != TCL_OK)
            return TCL_ERROR;
        Tcl_SetObjResult(interp, Tcl_ObjPrintf("#%06x", hsc_colour_scale_get(&h->scale, (float)v)));
        return TCL_OK;
    }
    return hsw_rows_command(w, &h->rows_options, &h->rows, interp, name, objc, objv);
}

static void describe(hsw *w, Tcl_Obj *text) {
    heat *h = (heat *)w;
    if (!w->db || h->rows_options.file < 0) {
        Tcl_AppendToObj(text, "heat map: nothing chosen\n", -1);
        return;
    }
    hsc_db_file f;
    if (hsc_db_get_file(w->db->db, (uint32_t)h->rows_options.file, &f, NULL) != HSC_OK)
        return;
    Tcl_AppendPrintfToObj(text, "heat map of %s, lines %u to %u, %u processors in %u cells by %s, %s, top colour %.6g\n", f.path,
                          h->rows.rows.top, h->rows.rows.top + (uint32_t)h->rows.rows.count - 1, h->axis.shown,
                          h->axis.bins, hsc_reduce_names[h->o.reduce], hsw_show_names[hsw_comparing(&h->against) ? h->against.show : 0],
                          h->maximum);
    for (int i = 0; i < h->rows.rows.count; i++) {
        if (h->rows.index[i] < 0)
            continue;
        Tcl_AppendPrintfToObj(text, "%u:", h->rows.rows.top + (uint32_t)i);
        for (uint32_t b = 0; b < h->axis.bins; b++)
            Tcl_AppendPrintfToObj(text, "\t%.6g", (double)h->values[(size_t)h->rows.index[i] * h->axis.bins + b]);
        Tcl_AppendToObj(text, "\n", 1);
    }
}

const hsw_class hsw_heat_class = {
    .command = "heat", .tk_class = "HeatscopeHeat", .size = sizeof(heat), .options = options, .pick_event = "<<HeatPick>>",
    .changed = changed, .fini = fini, .prepare = prepare, .paint = paint, .hit = hit, .describe = describe,
    .command_of = command_of, .drag = drag, .wheel = hsw_rows_wheel, .move = hsw_rows_move,
    .usage = "value values bins perbin binof maximum colour rows bbox"};
