/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::overview: the whole program in strips (P5). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "w_overview.h"

enum { NORMALISE_PROGRAM, NORMALISE_STRIP };
static const char *const normalise_names[] = {"program", "strip", NULL};
enum { CONTENT_HEAT, CONTENT_SCOPES };
static const char *const content_names[] = {"heat", "scopes", NULL};

static const Tk_OptionSpec options[] = {
    HSW_AGAINST_OPTIONS(overview, against),
    HSW_O_ENUM(overview, "-content", content, "heat", content_names, HSW_DATA),
    HSW_O_ENUM(overview, "-table", o.table, "line", hsc_table_names, HSW_DATA),
    HSW_O_ENUM(overview, "-reduce", o.reduce, "max", hsc_reduce_names, HSW_DATA),
    HSW_O_TEXT(overview, "-columns", o.columns, "", HSW_DATA),
    HSW_O_ENUM(overview, "-sort", o.sort, "number", hsw_sort_names, HSW_DATA),
    HSW_O_ENUM(overview, "-colours", o.colours, "inferno", hsc_colours_names, HSW_DATA),
    HSW_O_ENUM(overview, "-scaling", o.scaling, "log", hsc_scaling_names, HSW_DATA),
    HSW_O_ENUM(overview, "-normalise", o.normalise, "program", normalise_names, HSW_DATA),
    HSW_O_INT(overview, "-strips", wanted_strips, "0", HSW_DATA),
    HSW_O_INT(overview, "-skip", skip, "4", HSW_DATA),
    HSW_O_INT(overview, "-procedure", procedure, "-1", HSW_PAINT),
    HSW_O_BOOL(overview, "-labels", labels, "1", HSW_DATA),
    HSW_O_BOOL(overview, "-legend", legend, "1", HSW_DATA),
    HSW_O_OBJ(overview, "-detail", detail, "", HSW_PAINT),
    HSW_O_OBJ(overview, "-hits", hits, "", HSW_PAINT),
    HSW_O_OBJ(overview, "-line", line, "", HSW_PAINT),
    HSW_O_OBJ(overview, "-outlines", outlines, "none", HSW_PAINT),
    HSW_OPTIONS_END};

/* Integers of a list option; HSC_E_ARGUMENT. *out is malloc'ed. */
static hsc_status integers(const char *option, Tcl_Obj *list, int **out, Tcl_Size *n, hsc_err *err) {
    Tcl_Obj **items;
    *n = 0;
    *out = NULL;
    if (!list)
        return HSC_OK;
    if (Tcl_ListObjGetElements(NULL, list, n, &items) != TCL_OK)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: expected a list", option);
    if (!(*out = malloc(((size_t)*n + 1) * sizeof **out)))
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory", option);
    for (Tcl_Size i = 0; i < *n; i++)
        if (Tcl_GetIntFromObj(NULL, items[i], *out + i) != TCL_OK) {
            free(*out);
            *out = NULL;
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: expected integers, got \"%.40s\"", option,
                               Tcl_GetString(items[i]));
        }
    return HSC_OK;
}

/* Rows of a scope's lines. */
static hsc_area scope_area(const overview *v, uint32_t scope) {
    hsc_area a = {0, 0, 0, 0};
    hsc_db_scope s;
    if (hsc_db_get_scope(v->w.db->db, scope, &s, NULL) == HSC_OK && s.file != HSC_NONE && s.line_begin)
        (void)hsc_handle_rows(v->w.db, s.file, s.line_begin, s.line_end, &a.lo, &a.hi, NULL);
    return a;
}

/* Row of a line or of the next one with code in its file; HSC_NONE. */
static uint32_t nearest_row(const overview *v, int file, int line) {
    hsc_db_file f;
    uint32_t lo, hi;
    if (file < 0 || hsc_db_get_file(v->w.db->db, (uint32_t)file, &f, NULL) != HSC_OK || !f.line_rows ||
        hsc_handle_rows(v->w.db, (uint32_t)file, line > 0 ? (uint32_t)line : 0, UINT32_MAX - 1, &lo, &hi, NULL) != HSC_OK)
        return HSC_NONE;
    return lo < f.first_line_row + f.line_rows ? lo : f.first_line_row + f.line_rows - 1;
}

static hsc_status outlines(overview *v, hsc_err *err) {
    const char *text = v->outlines ? Tcl_GetString(v->outlines) : "none";
    if (v->of_outlines && v->of_outlines_db == v->w.db && !strcmp(v->of_outlines, text))
        return HSC_OK;
    free(v->of_outlines);
    v->of_outlines = NULL;
    free(v->outline_areas);
    v->outline_areas = NULL;
    v->n_outlines = 0;
    if (!v->w.db || !text[0] || !strcmp(text, "none"))
        return HSC_OK;
    int *list = NULL;
    Tcl_Size n = 0;
    bool all = !strcmp(text, "all");
    hsc_status s = all ? HSC_OK : integers("-outlines", v->outlines, &list, &n, err);
    uint32_t count = all ? v->w.db->info.scopes : (uint32_t)n;
    if (s == HSC_OK && !(v->outline_areas = malloc(((size_t)count + 1) * sizeof *v->outline_areas)))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u outlines", count);
    for (uint32_t i = 0; s == HSC_OK && i < count; i++) {
        hsc_db_scope sc;
        uint32_t scope = all ? i : list[i] >= 0 ? (uint32_t)list[i] : HSC_NONE;
        if (scope == HSC_NONE ||
            (all && (hsc_db_get_scope(v->w.db->db, i, &sc, NULL) != HSC_OK || sc.kind != HSC_SCOPE_PROCEDURE)))
            continue;
        v->outline_areas[v->n_outlines++] = scope_area(v, scope);
    }
    free(list);
    if (s == HSC_OK) {
        v->of_outlines = strdup(text);
        v->of_outlines_db = v->w.db;
    }
    return s;
}

/* What is drawn over the picture. */
static hsc_status marks(overview *v, hsc_err *err) {
    int *list;
    Tcl_Size n;
    hsc_status s = outlines(v, err);
    v->procedure_area = v->detail_area = (hsc_area){0, 0, 0, 0};
    v->line_row = HSC_NONE;
    v->n_hits = 0;
    if (s != HSC_OK)
        return s;
    if (v->w.db && v->procedure >= 0)
        v->procedure_area = scope_area(v, (uint32_t)v->procedure);
    if ((s = integers("-detail", v->detail, &list, &n, err)) != HSC_OK)
        return s;
    if (n != 0 && n != 3 && n != 5)
        s = hsc_err_set(err, HSC_E_ARGUMENT, "-detail: expected {FILE FIRST LAST ?COLUMN COLUMN?}");
    else if (n >= 3 && v->w.db && list[0] >= 0 && list[1] >= 0 && list[2] >= list[1]) {
        if (hsc_handle_rows(v->w.db, (uint32_t)list[0], (uint32_t)list[1], (uint32_t)list[2], &v->detail_area.lo,
                            &v->detail_area.hi, NULL) != HSC_OK)
            v->detail_area.lo = v->detail_area.hi = 0;
        if (n == 5 && v->axis.bin_of && list[3] >= 0 && list[4] >= 0 && (uint32_t)list[3] < v->axis.columns &&
            (uint32_t)list[4] < v->axis.columns) {
            uint32_t a = v->axis.bin_of[list[3]], b = v->axis.bin_of[list[4]];
            if (a != UINT32_MAX && b != UINT32_MAX) {
                v->detail_area.column_lo = a < b ? a : b;
                v->detail_area.column_hi = (a < b ? b : a) + 1;
            }
        }
    }
    free(list);
    if (s != HSC_OK || (s = integers("-hits", v->hits, &list, &n, err)) != HSC_OK)
        return s;
    free(v->hit_rows);
    v->hit_rows = malloc(((size_t)n + 1) * sizeof *v->hit_rows);
    for (Tcl_Size i = 0; v->hit_rows && v->w.db && i + 1 < n; i += 2) {
        uint32_t row = nearest_row(v, list[i], list[i + 1]);
        if (row != HSC_NONE)
            v->hit_rows[v->n_hits++] = row;
    }
    free(list);
    if ((s = integers("-line", v->line, &list, &n, err)) != HSC_OK)
        return s;
    if (n == 2 && v->w.db)
        v->line_row = nearest_row(v, list[0], list[1]);
    free(list);
    return HSC_OK;
}

static hsc_status changed(hsw *w, hsc_err *err) {
    overview *v = (overview *)w;
    if (v->bins && v->reading.picture.db != w->db) { /* they are of the database before */
        hsc_db_end_bins(v->bins);
        v->bins = NULL;
    }
    return marks(v, err);
}

/* Places of all lines, which the next picture has with another widget in common. */
static void forget(hsw *w) { hsc_strips_fini(&((overview *)w)->strips); }

static void init(hsw *w) { ((overview *)w)->line_row = HSC_NONE; }

static void fini(hsw *w) {
    overview *v = (overview *)w;
    hsc_strips_fini(&v->strips);
    hsc_axis_fini(&v->axis);
    hsc_profile_map_fini(&v->map);
    hsc_db_end_bins(v->bins);
    free(v->values);
    free(v->kept);
    free(v->strip_maximum);
    free(v->strip_label);
    free(v->outline_areas);
    free(v->of_outlines);
    free(v->hit_rows);
}

/* While processors are being counted there are no values: then nothing is laid out either, which is most of the time of a picture of them. */
static hsc_status values_are_there(const hsw *w, hsc_err *err) {
    hsc_db_metric m;
    hsc_status s = hsc_db_is_pending(w->db->db) ? hsc_db_get_metric(w->db->db, (uint32_t)w->metric, &m, err) : HSC_OK;
    if (s == HSC_OK && hsc_db_is_pending(w->db->db) && !m.exact)
        s = hsc_err_set(err, HSC_E_PENDING, "processors are being counted");
    return s;
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    overview *v = (overview *)w;
    bool map = v->content == CONTENT_SCOPES, fresh;
    double begin_ms = hsw_now_ms();
    uint32_t block;
    hsc_status s = map ? HSC_OK : values_are_there(w, err);
    if (s == HSC_OK)
        s = hsw_overview_lay_out(v, &fresh, &block, err);
    v->valued = false;
    if (s != HSC_OK || (map && fresh && (s = hsw_later(w, begin_ms, err)) != HSC_OK))
        return s;
    uint32_t n = v->strips.bins, columns = v->axis.bins, strips = v->strips.strips;
    uint32_t *lo = malloc(((size_t)n + 1) * sizeof *lo), *hi = malloc(((size_t)n + 1) * sizeof *hi);
    free(v->strip_maximum);
    free(v->strip_label);
    v->strip_maximum = calloc((size_t)strips + 1, sizeof *v->strip_maximum);
    v->strip_label = calloc((size_t)strips + 1, sizeof *v->strip_label);
    if (!lo || !hi || !v->strip_maximum || !v->strip_label) {
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for an overview of %u x %u", n, columns);
        goto done;
    }
    hsc_strips_fill_bins(&v->strips, lo, hi);
    if ((s = map ? hsw_overview_read_map(v, block, lo, hi, begin_ms, err) : hsw_overview_read_values(v, block, lo, hi, err)) != HSC_OK)
        goto done;
    for (uint32_t k = 0; k < strips; k++)
        v->strip_label[k] = (uint32_t)hsc_strips_first(&v->strips, k * v->strips.bins_per_strip) + 1;
    s = marks(v, err);
done:
    free(lo);
    free(hi);
    return s;
}

static bool frame_of(overview *v, hsc_map_frame *map, hsc_overview_frame *f) {
    hsw *w = &v->w;
    if (!w->db || !v->strips.bins)
        return false;
    *map = (hsc_map_frame){.bins = v->map.bins, .categories = v->map.categories, .n_categories = w->db->info.categories,
                         .largest = v->map.largest, .names = v->category_names, .changes = hsw_comparing(&v->against) ? &v->map_changes : NULL,
                         .totals = v->category_totals};
    *f = (hsc_overview_frame){.map = v->content == CONTENT_SCOPES && v->map.done && v->map.n == v->strips.bins ? map : NULL,
                            .strips = &v->strips, .columns = v->axis.bins, .values = v->values, .scale = &v->scale,
                            .strip_maximum = v->o.normalise == NORMALISE_STRIP && !hsw_comparing(&v->against) ? v->strip_maximum : NULL,
                            .colours = (enum hsc_colours)v->o.colours, .strip_label = v->strip_label,
                            .labels = v->labels, .legend = v->legend, .n_outlines = v->n_outlines,
                            .outlines = v->outline_areas, .procedure = v->procedure_area, .detail = v->detail_area,
                            .drag = v->drag_area, .line_row = v->line_row, .n_hits = v->n_hits, .hits = v->hit_rows};
    return true;
}

static void paint(hsw *w, hsc_canvas *c) {
    overview *v = (overview *)w;
    hsc_map_frame map;
    hsc_overview_frame f;
    if (frame_of(v, &map, &f))
        hsc_paint_overview_base(c, &w->style, &f, &v->layout);
}

static void paint_marks(hsw *w, hsc_canvas *c) {
    overview *v = (overview *)w;
    hsc_map_frame map;
    hsc_overview_frame f;
    if (frame_of(v, &map, &f))
        hsc_paint_overview_marks(c, &w->style, &f, &v->layout);
}

/* Strip, bin and column bin under a point; strict: false outside the strips, else the nearest. */
static bool locate(const overview *v, int x, int y, bool strict, uint32_t *bin, uint32_t *column) {
    const hsc_overview_layout *l = &v->layout;
    if (!v->w.db || !v->strips.bins || !v->axis.bins)
        return false;
    int pitch = l->strip_width + l->gap, k = x < l->x ? 0 : (x - l->x) / pitch, in = x - l->x - k * pitch;
    if (strict && (x < l->x || y < l->y || in >= l->strip_width || k >= (int)v->strips.strips ||
                   y - l->y >= (int)v->strips.pixels))
        return false;
    k = k >= (int)v->strips.strips ? (int)v->strips.strips - 1 : k;
    int down = y < l->y ? 0 : y - l->y >= (int)v->strips.pixels ? (int)v->strips.pixels - 1 : y - l->y;
    in = in < 0 ? 0 : in >= l->strip_width ? l->strip_width - 1 : in;
    *bin = (uint32_t)k * v->strips.bins_per_strip + hsc_strips_at(&v->strips, (uint32_t)down);
    if (*bin >= v->strips.bins) {
        if (strict)
            return false;
        *bin = v->strips.bins - 1;
    }
    *column = (uint32_t)((int64_t)in * v->axis.bins / l->strip_width);
    return true;
}

/* Table rows of a bin; when it has none, the next one (or the last of all). */
static void bin_rows(const overview *v, uint32_t bin, uint32_t *lo, uint32_t *hi) {
    *lo = hsc_strips_row_from(&v->strips, hsc_strips_first(&v->strips, bin));
    *hi = hsc_strips_row_from(&v->strips, hsc_strips_first(&v->strips, bin + 1));
    if (*lo >= v->strips.rows)
        *lo = v->strips.rows - 1;
    if (*hi <= *lo)
        *hi = *lo; /* empty: *lo is the nearest */
}

/* NaN: not known. */
static float value_at(overview *v, uint32_t bin, uint32_t column, uint32_t lo, uint32_t hi) {
    float value = NAN, *row;
    if (v->valued)
        return v->values[(size_t)bin * v->axis.bins + column];
    if (hi > lo && (row = malloc((size_t)v->axis.bins * sizeof *row)) != NULL) {
        if (hsw_read_bins(&v->w, &v->against, hsw_view(&v->w, v->o.table), v->o.reduce, 1, &lo, &hi, &v->axis, row, NULL, NULL) == HSC_OK)
            value = row[column];
        free(row);
    }
    return value;
}

/* Counts are whole numbers; "" where it is not known. */
static Tcl_Obj *number_of(float value) {
    if (isnan(value))
        return Tcl_NewObj();
    return floorf(value) == value && !isinf(value) ? Tcl_NewWideIntObj((Tcl_WideInt)value) : Tcl_NewDoubleObj((double)value);
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    overview *v = (overview *)w;
    uint32_t bin, column, lo, hi;
    hsc_db_line l, last;
    if (!locate(v, x, y, true, &bin, &column))
        return NULL;
    bin_rows(v, bin, &lo, &hi);
    if (hsc_db_get_line(w->db->db, lo, &l, NULL) != HSC_OK ||
        hsc_db_get_line(w->db->db, hi > lo ? hi - 1 : lo, &last, NULL) != HSC_OK)
        return NULL;
    float value = value_at(v, bin, column, lo, hi);
    hsc_db_scope s;
    uint32_t procedure = HSC_NONE;
    if (l.scope != HSC_NONE && hsc_db_get_scope(w->db->db, l.scope, &s, NULL) == HSC_OK)
        procedure = s.kind == HSC_SCOPE_PROCEDURE ? l.scope : s.procedure;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "strip", Tcl_NewWideIntObj(bin / v->strips.bins_per_strip));
    hsc_tcl_put(d, "file", hsc_tcl_index(l.file));
    hsc_tcl_put(d, "line", Tcl_NewWideIntObj(l.line));
    hsc_tcl_put(d, "row", hi > lo ? Tcl_NewWideIntObj(lo) : Tcl_NewWideIntObj(-1));
    hsc_tcl_put(d, "last_line", Tcl_NewWideIntObj(last.file == l.file ? last.line : l.line));
    hsc_tcl_put(d, "column", Tcl_NewWideIntObj(v->axis.order[v->axis.start[column]]));
    hsc_tcl_put(d, "first", Tcl_NewWideIntObj(v->axis.order[v->axis.start[column]]));
    hsc_tcl_put(d, "last", Tcl_NewWideIntObj(v->axis.order[v->axis.start[column + 1] - 1]));
    hsc_tcl_put(d, "value", number_of(value));
    hsc_tcl_put(d, "scope", hsc_tcl_index(l.scope));
    hsc_tcl_put(d, "procedure", hsc_tcl_index(procedure));
    return d;
}

/* ---- drag: lines of one file, and columns when the drag goes sideways ---- */

static bool drag_selection(overview *v, int x, int y, hsc_area *out, hsc_db_line *first, hsc_db_line *last) {
    uint32_t b0, b1, c0, c1, lo, hi, unused;
    if (!locate(v, v->w.press_x, v->w.press_y, true, &b0, &c0) || !locate(v, x, y, false, &b1, &c1))
        return false;
    bin_rows(v, b0, &lo, &unused);
    hsc_db_line from;
    hsc_db_file f;
    if (hsc_db_get_line(v->w.db->db, lo, &from, NULL) != HSC_OK ||
        hsc_db_get_file(v->w.db->db, from.file, &f, NULL) != HSC_OK)
        return false;
    if (b1 < b0) {
        uint32_t t = b0;
        b0 = b1;
        b1 = t;
    }
    bin_rows(v, b0, &lo, &unused);
    bin_rows(v, b1, &unused, &hi);
    if (hi <= lo)
        hi = lo + 1;
    if (lo < f.first_line_row)
        lo = f.first_line_row;
    if (hi > f.first_line_row + f.line_rows)
        hi = f.first_line_row + f.line_rows;
    if (hi <= lo || hsc_db_get_line(v->w.db->db, lo, first, NULL) != HSC_OK ||
        hsc_db_get_line(v->w.db->db, hi - 1, last, NULL) != HSC_OK)
        return false;
    *out = (hsc_area){lo, hi, 0, 0};
    bool sideways = abs(x - v->w.press_x) > v->layout.strip_width / 4 &&
                    b0 / v->strips.bins_per_strip == b1 / v->strips.bins_per_strip;
    if (sideways) {
        out->column_lo = c0 < c1 ? c0 : c1;
        out->column_hi = (c0 < c1 ? c1 : c0) + 1;
    }
    return true;
}

static bool drag(hsw *w, int x, int y, int state) {
    overview *v = (overview *)w;
    hsc_db_line a, b;
    (void)state;
    if (drag_selection(v, x, y, &v->drag_area, &a, &b))
        hsw_schedule(w, HSW_PAINT);
    return true;
}

static bool press(hsw *w, int x, int y, int state) {
    (void)w;
    (void)x;
    (void)y;
    (void)state;
    return true; /* a pick is sent on release, when it was no drag */
}

static bool release(hsw *w, int x, int y, int state) {
    overview *v = (overview *)w;
    hsc_area area;
    hsc_db_line a, b;
    (void)state;
    v->drag_area = (hsc_area){0, 0, 0, 0};
    hsw_schedule(w, HSW_PAINT);
    if (!w->dragged) {
        Tcl_Obj *d = hit(w, x, y);
        if (d)
            hsw_send(w, "<<OverviewPick>>", d);
    } else if (drag_selection(v, x, y, &area, &a, &b)) {
        uint32_t c0 = area.column_hi ? area.column_lo : 0, c1 = area.column_hi ? area.column_hi - 1 : v->axis.bins - 1;
        Tcl_Obj *d = Tcl_NewDictObj();
        hsc_tcl_put(d, "file", hsc_tcl_index(a.file));
        hsc_tcl_put(d, "first", Tcl_NewWideIntObj(a.line));
        hsc_tcl_put(d, "last", Tcl_NewWideIntObj(b.line));
        hsc_tcl_put(d, "column_first", Tcl_NewWideIntObj(v->axis.order[v->axis.start[c0]]));
        hsc_tcl_put(d, "column_last", Tcl_NewWideIntObj(v->axis.order[v->axis.start[c1 + 1] - 1]));
        hsw_send(w, "<<OverviewSelect>>", d);
    }
    return true;
}

static bool open(hsw *w, int x, int y) {
    Tcl_Obj *d = x < 0 ? Tcl_NewDictObj() : hit(w, x, y);
    if (d)
        hsw_send(w, "<<OverviewOpen>>", d);
    return true;
}

static bool move(hsw *w, int rows, int columns, bool extend, bool page) {
    (void)extend;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "rows", Tcl_NewWideIntObj(page ? rows * 20 : rows));
    hsc_tcl_put(d, "columns", Tcl_NewWideIntObj(columns));
    hsw_send(w, "<<OverviewMove>>", d);
    return true;
}

/* ---- commands ---- */

static int nearest(overview *v, Tcl_Interp *interp, Tcl_Obj *const objv[]) {
    int a[4];
    for (int i = 0; i < 4; i++)
        if (hsw_get_int(interp, objv[2 + i], &a[i]) != TCL_OK)
            return TCL_ERROR;
    uint32_t row = v->w.db ? nearest_row(v, a[0], a[1]) : HSC_NONE, lo, hi;
    hsc_db_line l;
    if (row == HSC_NONE || !v->strips.bins)
        return TCL_OK;
    int64_t bin = (int64_t)hsc_strips_bin_of(&v->strips, row) + a[2] + (int64_t)a[3] * v->strips.bins_per_strip;
    bin = bin < 0 ? 0 : bin >= v->strips.bins ? v->strips.bins - 1 : bin;
    bin_rows(v, (uint32_t)bin, &lo, &hi);
    /* an empty bin gives the next row: going up that may be where we came from */
    if (a[2] < 0 && hi <= lo && lo >= row && lo > 0)
        lo = row - (row > 0);
    if (hsc_db_get_line(v->w.db->db, lo, &l, NULL) != HSC_OK)
        return TCL_OK;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "file", hsc_tcl_index(l.file));
    hsc_tcl_put(d, "line", Tcl_NewWideIntObj(l.line));
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

static int where(overview *v, Tcl_Interp *interp, Tcl_Obj *const objv[]) {
    int file, line;
    if (hsw_get_int(interp, objv[2], &file) != TCL_OK || hsw_get_int(interp, objv[3], &line) != TCL_OK)
        return TCL_ERROR;
    uint32_t row = v->w.db ? nearest_row(v, file, line) : HSC_NONE;
    if (row == HSC_NONE || !v->strips.bins)
        return TCL_OK;
    uint32_t b = hsc_strips_bin_of(&v->strips, row), k = b / v->strips.bins_per_strip, in = b % v->strips.bins_per_strip;
    uint32_t top = hsc_strips_y(&v->strips, in);
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "strip", Tcl_NewWideIntObj(k));
    hsc_tcl_put(d, "x", Tcl_NewWideIntObj(v->layout.x + (int)k * (v->layout.strip_width + v->layout.gap)));
    hsc_tcl_put(d, "y", Tcl_NewWideIntObj(v->layout.y + (Tcl_WideInt)top));
    hsc_tcl_put(d, "width", Tcl_NewWideIntObj(v->layout.strip_width));
    hsc_tcl_put(d, "height", Tcl_NewWideIntObj(hsc_strips_y(&v->strips, in + 1) - top));
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

static int tell_layout(const overview *v, Tcl_Interp *interp) {
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "strips", Tcl_NewWideIntObj(v->strips.strips));
    hsc_tcl_put(d, "rows", Tcl_NewWideIntObj(v->strips.bins));
    hsc_tcl_put(d, "lines", Tcl_NewWideIntObj((Tcl_WideInt)v->strips.lines));
    hsc_tcl_put(d, "lines_per_row", Tcl_NewWideIntObj(v->strips.lines_per_bin));
    hsc_tcl_put(d, "pixels_per_row", Tcl_NewDoubleObj(v->strips.bins_per_strip ? (double)v->strips.pixels / v->strips.bins_per_strip : 0));
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

/* {file line last_file last_line procedure VALUE ...} of a row of the picture, -1: none; NULL: no lines are there. */
static Tcl_Obj *tell_row(const overview *v, uint32_t bin) {
    hsc_db *db = v->w.db->db;
    uint32_t lo, hi;
    hsc_db_line first, last;
    hsc_db_scope s;
    bin_rows(v, bin, &lo, &hi);
    if (hi <= lo || hsc_db_get_line(db, lo, &first, NULL) != HSC_OK || hsc_db_get_line(db, hi - 1, &last, NULL) != HSC_OK)
        return NULL;
    uint32_t procedure = HSC_NONE;
    if (first.scope != HSC_NONE && hsc_db_get_scope(db, first.scope, &s, NULL) == HSC_OK)
        procedure = s.kind == HSC_SCOPE_PROCEDURE ? first.scope : s.procedure;
    Tcl_Obj *row = Tcl_NewListObj(0, NULL);
    Tcl_Obj *facts[] = {hsc_tcl_index(first.file), Tcl_NewWideIntObj(first.line), hsc_tcl_index(last.file), Tcl_NewWideIntObj(last.line),
                        hsc_tcl_index(procedure)};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        Tcl_ListObjAppendElement(NULL, row, facts[i]);
    for (uint32_t c = 0; c < v->axis.bins; c++)
        Tcl_ListObjAppendElement(NULL, row, number_of(v->values[(size_t)bin * v->axis.bins + c]));
    return row;
}

/* {COLUMNS ROWS}: the processors of each column, {FIRST LAST ...}, and what is drawn in its rows. */
static int tell_cells(const overview *v, Tcl_Interp *interp) {
    Tcl_Obj *columns = Tcl_NewListObj(0, NULL), *rows = Tcl_NewListObj(0, NULL), *both[] = {columns, rows};
    for (uint32_t c = 0; v->w.db && c < v->axis.bins; c++) {
        Tcl_ListObjAppendElement(NULL, columns, Tcl_NewWideIntObj(v->axis.order[v->axis.start[c]]));
        Tcl_ListObjAppendElement(NULL, columns, Tcl_NewWideIntObj(v->axis.order[v->axis.start[c + 1] - 1]));
    }
    for (uint32_t b = 0; v->w.db && b < v->strips.bins; b++) {
        Tcl_Obj *row = tell_row(v, b);
        if (row)
            Tcl_ListObjAppendElement(NULL, rows, row);
    }
    Tcl_SetObjResult(interp, Tcl_NewListObj(2, both));
    return TCL_OK;
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    overview *v = (overview *)w;
    hsc_err err = {0};
    if (!strcmp(name, "layout") && objc == 2) {
        hsw_draw_turn(w);
        return tell_layout(v, interp);
    }
    hsw_draw(w);
    if (!strcmp(name, "where") && objc == 4)
        return where(v, interp, objv);
    if (!strcmp(name, "nearest") && objc == 6)
        return nearest(v, interp, objv);
    if (hsw_overview_need_values(v, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    if (!strcmp(name, "maximum") && objc == 2) {
        Tcl_SetObjResult(interp, Tcl_NewDoubleObj(v->maximum));
        return TCL_OK;
    }
    if (!strcmp(name, "cells") && objc == 2)
        return tell_cells(v, interp);
    if (!strcmp(name, "colour") && objc == 3) {
        double x;
        if (Tcl_GetDoubleFromObj(interp, objv[2], &x) != TCL_OK)
            return TCL_ERROR;
        Tcl_SetObjResult(interp, Tcl_ObjPrintf("#%06x", hsc_colour_scale_get(&v->scale, (float)x)));
        return TCL_OK;
    }
    return TCL_CONTINUE;
}

static void describe(hsw *w, Tcl_Obj *text) {
    overview *v = (overview *)w;
    if (!w->db) {
        Tcl_AppendToObj(text, "overview: nothing loaded\n", -1);
        return;
    }
    hsc_err err = {0};
    if (hsw_overview_need_values(v, &err) != HSC_OK) {
        Tcl_AppendStringsToObj(text, err.text, "\n", NULL);
        return;
    }
    Tcl_AppendPrintfToObj(text, "overview: %u lines in %u strips, %u lines a row by %s, %u processors in %u columns, "
                          "%s %.6g\n", (unsigned)v->strips.lines, v->strips.strips, v->strips.lines_per_bin,
                          hsc_reduce_names[v->o.reduce], v->axis.shown, v->axis.bins,
                          hsw_comparing(&v->against) ? v->against.show == HSW_SHOW_RATIO ? "largest ratio 2^" : "largest difference"
                                                     : "hottest",
                          v->maximum);
    if (v->content == CONTENT_SCOPES && hsw_comparing(&v->against))
        Tcl_AppendPrintfToObj(text, "procedures and loops: %s %.6g\n", v->against.show == HSW_SHOW_RATIO ? "largest ratio 2^" : "largest difference",
                              (double)v->map_changes.maximum);
    for (uint32_t i = 0; v->content == CONTENT_SCOPES && i < v->map.n_procedures && i < 1000; i++) {
        hsc_db_scope sc;
        if (hsc_db_get_scope(w->db->db, v->map.procedures[i], &sc, NULL) != HSC_OK)
            continue;
        Tcl_AppendPrintfToObj(text, "%s:", sc.name);
        for (uint32_t k = 0; k < w->db->info.categories; k++)
            Tcl_AppendPrintfToObj(text, "\t%.6g", v->map.categories[(size_t)i * w->db->info.categories + k]);
        Tcl_AppendToObj(text, "\n", 1);
    }
    if (v->procedure_area.hi > v->procedure_area.lo)
        Tcl_AppendPrintfToObj(text, "procedure: rows %u to %u\n", v->procedure_area.lo, v->procedure_area.hi - 1);
    if (v->detail_area.hi > v->detail_area.lo)
        Tcl_AppendPrintfToObj(text, "detail: rows %u to %u\n", v->detail_area.lo, v->detail_area.hi - 1);
    if (v->n_hits)
        Tcl_AppendPrintfToObj(text, "search hits: %u\n", v->n_hits);
}

const hsw_class hsw_overview_class = {
    .command = "overview", .tk_class = "HeatscopeOverview", .size = sizeof(overview), .options = options, .init = init,
    .changed = changed, .fini = fini, .forget = forget, .prepare = prepare, .paint = paint, .marks = paint_marks, .hit = hit, .describe = describe,
    .command_of = command_of, .press = press, .drag = drag, .release = release, .open = open, .move = move,
    .usage = "where nearest layout maximum colour cells"};
