/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::barlist: ranked rows with bars (P6). Rows are the application's; only those in view are drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "widget.h"

enum cell_type { CELL_NAME, CELL_TEXT, CELL_BAR, CELL_PERCENT, CELL_NUMBER, CELL_COUNT, CELL_STACK, CELL_CHANGE, CELL_NESTED };
static const char *const type_names[] = {"name", "text", "bar", "percent", "number", "count", "stack", "change", "nested", NULL};
static const char *const align_names[] = {"left", "right", NULL};
static const char *const order_names[] = {"decreasing", "increasing", NULL};
#define NAME_PLENTY 40 /* digits */

typedef struct list_column {
    char *key, *title;
    enum cell_type type;
    int units; /* width in digits; 0: the rest */
    int right;
    int x, width; /* by layout */
    bool hidden;  /* no room */
} list_column;

typedef struct barlist {
    hsw w;
    Tcl_Obj *columns, *pinned, *drop, *hits;
    char *sort_column, *selected, *yscroll, *empty, *row_command;
    int row_height, sort_order, heading, name_digits;
    double bar_max;
    list_column *cols;
    int n_cols;
    Tcl_Obj *rows; /* list of rows; a reference of ours */
    Tcl_Obj *marked; /* dict of the ids of -hits, NULL: none; a reference of ours */
    int top;       /* first row in view */
    double sent_first, sent_last;
} barlist;

static const Tk_OptionSpec options[] = {
    HSW_O_OBJ(barlist, "-columns", columns, "", HSW_PAINT),
    HSW_O_OBJ(barlist, "-drop", drop, "", HSW_PAINT),
    HSW_O_INT(barlist, "-namedigits", name_digits, "22", HSW_PAINT), /* that a name has before the columns of -drop */
    HSW_O_OBJ(barlist, "-hits", hits, "", HSW_PAINT),
    HSW_O_OBJ(barlist, "-pinned", pinned, "", HSW_PAINT),
    HSW_O_TEXT(barlist, "-sortcolumn", sort_column, "", HSW_PAINT),
    HSW_O_ENUM(barlist, "-sortorder", sort_order, "decreasing", order_names, HSW_PAINT),
    HSW_O_TEXT(barlist, "-selected", selected, "", HSW_PAINT),
    HSW_O_TEXT(barlist, "-yscrollcommand", yscroll, "", 0),
    HSW_O_TEXT(barlist, "-empty", empty, "", HSW_PAINT),
    HSW_O_TEXT(barlist, "-rowcommand", row_command, "", HSW_PAINT),
    HSW_O_INT(barlist, "-rowheight", row_height, "0", HSW_PAINT),
    HSW_O_BOOL(barlist, "-heading", heading, "1", HSW_PAINT),
    HSW_O_DOUBLE(barlist, "-barmax", bar_max, "1.0", HSW_PAINT),
    HSW_OPTIONS_END};

static void drop_columns(barlist *l) {
    for (int i = 0; i < l->n_cols; i++) {
        free(l->cols[i].key);
        free(l->cols[i].title);
    }
    free(l->cols);
    l->cols = NULL;
    l->n_cols = 0;
}

static void drop_marks(barlist *l) {
    if (l->marked)
        Tcl_DecrRefCount(l->marked);
    l->marked = NULL;
}

/* The ids of -hits as keys, so that drawing and describing ask for each row at once. */
static hsc_status read_marks(barlist *l, hsc_err *err) {
    Tcl_Obj **ids = NULL;
    Tcl_Size n = 0;
    drop_marks(l);
    if (l->hits && Tcl_ListObjGetElements(NULL, l->hits, &n, &ids) != TCL_OK)
        return hsc_err_set(err, HSC_E_ARGUMENT, "-hits: expected a list of row ids");
    if (!n)
        return HSC_OK;
    l->marked = Tcl_NewDictObj();
    Tcl_IncrRefCount(l->marked);
    for (Tcl_Size i = 0; i < n; i++)
        Tcl_DictObjPut(NULL, l->marked, ids[i], ids[i]);
    return HSC_OK;
}

static bool is_marked(const barlist *l, Tcl_Obj *id) {
    Tcl_Obj *value = NULL;
    return id && l->marked && Tcl_DictObjGet(NULL, l->marked, id, &value) == TCL_OK && value;
}

static hsc_status changed(hsw *w, hsc_err *err) {
    barlist *l = (barlist *)w;
    hsc_status marks = read_marks(l, err);
    if (marks)
        return marks;
    Tcl_Obj **specs = NULL, **words;
    Tcl_Size n = 0, k;
    drop_columns(l);
    if (l->columns && Tcl_ListObjGetElements(NULL, l->columns, &n, &specs) != TCL_OK)
        return hsc_err_set(err, HSC_E_ARGUMENT, "-columns: expected a list of columns");
    if (!(l->cols = calloc((size_t)n + 1, sizeof *l->cols)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for columns");
    for (Tcl_Size i = 0; i < n; i++) {
        int type = 0, units = 0, right = -1;
        if (Tcl_ListObjGetElements(NULL, specs[i], &k, &words) != TCL_OK || k < 4 || k > 5 ||
            Tcl_GetIndexFromObj(NULL, words[2], type_names, "type", TCL_EXACT, &type) != TCL_OK ||
            Tcl_GetIntFromObj(NULL, words[3], &units) != TCL_OK || units < 0 ||
            (k == 5 && Tcl_GetIndexFromObj(NULL, words[4], align_names, "alignment", TCL_EXACT, &right) != TCL_OK))
            return hsc_err_set(err, HSC_E_ARGUMENT, "-columns: expected {KEY TITLE TYPE WIDTH ?left|right?}, got \"%.80s\"",
                               Tcl_GetString(specs[i]));
        list_column *c = &l->cols[l->n_cols];
        *c = (list_column){.key = strdup(Tcl_GetString(words[0])), .title = strdup(Tcl_GetString(words[1])),
                           .type = (enum cell_type)type, .units = units,
                           .right = right >= 0 ? right : type >= CELL_PERCENT && type != CELL_STACK && type != CELL_NESTED};
        l->n_cols++;
        if (!c->key || !c->title)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for columns");
    }
    return HSC_OK;
}

static void init(hsw *w) {
    barlist *l = (barlist *)w;
    l->rows = Tcl_NewListObj(0, NULL);
    Tcl_IncrRefCount(l->rows);
    l->sent_first = -1;
}

static void fini(hsw *w) {
    barlist *l = (barlist *)w;
    drop_columns(l);
    drop_marks(l);
    Tcl_DecrRefCount(l->rows);
    l->rows = NULL;
}

/* ---- geometry ---- */

static int row_height(const barlist *l) {
    return l->row_height > 0 ? l->row_height : hsw_linespace(&l->w, false) + (int)lround(6 * l->w.scale);
}

static int heading_height(const barlist *l) { return l->heading ? row_height(l) + (int)lround(3 * l->w.scale) : 0; }

static int count(const barlist *l) {
    Tcl_Size n = 0;
    if (l->rows)
        (void)Tcl_ListObjLength(NULL, l->rows, &n);
    return (int)n;
}

static Tcl_Obj *row_obj(const barlist *l, int i) {
    Tcl_Obj *row = NULL;
    return i >= 0 && l->rows && Tcl_ListObjIndex(NULL, l->rows, (Tcl_Size)i, &row) == TCL_OK ? row : NULL;
}

/* Asks the application for the cells of a row that is only an id; they stay. */
static void complete_row(barlist *l, int i) {
    Tcl_Obj *row = row_obj(l, i), *id = NULL;
    Tcl_Size n = 0;
    Tcl_Interp *interp = l->w.interp;
    if (!row || !l->row_command || !l->row_command[0] || Tcl_ListObjLength(NULL, row, &n) != TCL_OK || n != 1 ||
        Tcl_ListObjIndex(NULL, row, 0, &id) != TCL_OK)
        return;
    Tcl_Obj *command = Tcl_NewStringObj(l->row_command, -1);
    Tcl_IncrRefCount(command);
    Tcl_InterpState state = Tcl_SaveInterpState(interp, TCL_OK);
    if (Tcl_ListObjAppendElement(interp, command, id) != TCL_OK || Tcl_EvalObjEx(interp, command, TCL_EVAL_GLOBAL) != TCL_OK) {
        Tcl_BackgroundException(interp, TCL_ERROR);
    } else if (!(l->w.flags & HSW_GONE) && row_obj(l, i) == row) {
        Tcl_Obj *cells = Tcl_GetObjResult(interp);
        if (Tcl_IsShared(l->rows)) {
            Tcl_Obj *own = Tcl_DuplicateObj(l->rows);
            Tcl_IncrRefCount(own);
            Tcl_DecrRefCount(l->rows);
            l->rows = own;
        }
        (void)Tcl_ListObjReplace(NULL, l->rows, (Tcl_Size)i, 1, 1, &cells);
    }
    Tcl_RestoreInterpState(interp, state);
    Tcl_DecrRefCount(command);
}

static Tcl_Obj *cell_obj(Tcl_Obj *row, int i) {
    Tcl_Obj *cell = NULL;
    return row && Tcl_ListObjIndex(NULL, row, (Tcl_Size)i, &cell) == TCL_OK ? cell : NULL;
}

static int index_of(const barlist *l, const char *id) {
    for (int i = 0, n = count(l); id && id[0] && i < n; i++) {
        Tcl_Obj *o = cell_obj(row_obj(l, i), 0);
        if (o && !strcmp(Tcl_GetString(o), id))
            return i;
    }
    return -1;
}

static int full_rows(const barlist *l, bool pinned) {
    int room = hsw_height(&l->w) - heading_height(l) - (pinned ? row_height(l) + 1 : 0);
    return room > 0 ? room / row_height(l) : 0;
}

static const char *pinned_id(const barlist *l) {
    Tcl_Obj *o = l->pinned ? cell_obj(l->pinned, 0) : NULL;
    return o ? Tcl_GetString(o) : "";
}

/* The pinned row shows when its id is not among the rows in view. */
static bool pinned_shows(const barlist *l) {
    const char *id = pinned_id(l);
    if (!id[0])
        return false;
    int i = index_of(l, id);
    return i < l->top || i >= l->top + full_rows(l, false);
}

static void clamp_top(barlist *l) {
    int most = count(l) - full_rows(l, pinned_shows(l));
    l->top = l->top > most ? most : l->top;
    l->top = l->top < 0 ? 0 : l->top;
}

static void layout(barlist *l) {
    int pad = (int)lround(8 * l->w.scale), rest = hsw_width(&l->w) - pad, flexible = 0;
    double digit = l->w.fonts[0].scaled ? hsc_font_ascii_width(&l->w.fonts[0], "0") : 7;
    int whole = l->w.fonts[0].scaled ? (int)ceil(hsc_font_width(&l->w.fonts[0], "100.0 %")) : 0; /* the longest share */
    for (int i = 0; i < l->n_cols; i++) {
        l->cols[i].width = (int)lround(l->cols[i].units * digit);
        if (l->cols[i].type == CELL_PERCENT && l->cols[i].width < whole)
            l->cols[i].width = whole;
        l->cols[i].hidden = false;
        rest -= l->cols[i].width + pad;
        flexible += l->cols[i].units == 0;
    }
    /* names have the first claim on the room */
    Tcl_Obj **keys = NULL;
    Tcl_Size n = 0;
    if (l->drop && Tcl_ListObjGetElements(NULL, l->drop, &n, &keys) != TCL_OK)
        n = 0;
    for (Tcl_Size k = 0; k < n && flexible && rest < l->name_digits * digit * flexible; k++)
        for (int i = 0; i < l->n_cols; i++)
            if (l->cols[i].units && !l->cols[i].hidden && !strcmp(l->cols[i].key, Tcl_GetString(keys[k]))) {
                rest += l->cols[i].width + pad;
                l->cols[i].width = 0;
                l->cols[i].hidden = true;
            }
    /* where names have plenty, other words have up to twice their width */
    int spare = rest - (int)lround(NAME_PLENTY * digit) * flexible;
    for (int i = 0; i < l->n_cols && flexible && spare > 0; i++)
        if (l->cols[i].units && !l->cols[i].hidden && !l->cols[i].right && (l->cols[i].type == CELL_NAME || l->cols[i].type == CELL_TEXT)) {
            int more = spare < l->cols[i].width ? spare : l->cols[i].width;
            l->cols[i].width += more;
            rest -= more;
            spare -= more;
        }
    int x = pad;
    for (int i = 0; i < l->n_cols; i++) {
        if (l->cols[i].units == 0)
            l->cols[i].width = rest > 0 ? rest / flexible : 0;
        l->cols[i].x = x;
        x += l->cols[i].hidden ? 0 : l->cols[i].width + pad;
    }
}

/* Tells the scroll bar, outside of drawing. */
static void tell_scrollbar(barlist *l) {
    int n = count(l), fit = full_rows(l, pinned_shows(l));
    double first = n > 0 ? (double)l->top / n : 0, last = n > 0 ? (double)(l->top + fit) / n : 1;
    last = last > 1 ? 1 : last;
    if (!l->yscroll || !l->yscroll[0] || (first == l->sent_first && last == l->sent_last))
        return;
    l->sent_first = first;
    l->sent_last = last;
    Tcl_Obj *script = Tcl_NewStringObj(l->yscroll, -1);
    Tcl_IncrRefCount(script);
    Tcl_ListObjAppendElement(NULL, script, Tcl_NewDoubleObj(first));
    Tcl_ListObjAppendElement(NULL, script, Tcl_NewDoubleObj(last));
    Tcl_Interp *interp = l->w.interp;
    Tcl_InterpState state = Tcl_SaveInterpState(interp, TCL_OK);
    if (Tcl_EvalObjEx(interp, script, TCL_EVAL_GLOBAL) != TCL_OK)
        Tcl_BackgroundException(interp, TCL_ERROR);
    Tcl_RestoreInterpState(interp, state);
    Tcl_DecrRefCount(script);
}

static void tell_later(ClientData data) {
    hsw *w = data;
    if (!(w->flags & HSW_GONE))
        tell_scrollbar((barlist *)w);
    Tcl_Release(w);
}

/* ---- drawing ---- */

static double fraction(Tcl_Obj *o) {
    double v = 0;
    return o && Tcl_GetDoubleFromObj(NULL, o, &v) == TCL_OK && v == v ? v : 0;
}

static void paint_stack_cell(hsc_canvas *c, const hsw *w, int x, int y, int width, int h, Tcl_Obj *cell) {
    double values[HSC_CATEGORIES_SHOWN];
    Tcl_Obj **items;
    Tcl_Size n = 0;
    if (Tcl_ListObjGetElements(NULL, cell, &n, &items) != TCL_OK)
        n = 0;
    if (n > HSC_CATEGORIES_SHOWN)
        n = HSC_CATEGORIES_SHOWN;
    for (Tcl_Size i = 0; i < n; i++)
        values[i] = fraction(items[i]);
    hsc_paint_category_bar(c, &w->style, x, y, width, h, (uint32_t)n, values);
}

static void paint_cell(barlist *l, hsc_canvas *c, const list_column *col, Tcl_Obj *cell, int y, int h, bool selected) {
    const hsc_style *st = &l->w.style;
    char text[64] = "";
    hsc_rgb colour = st->colour[HSC_P_foreground];
    double base = hsc_font_baseline(st->font, y, h);
    int bar_h = h * 2 / 5 > 3 ? h * 2 / 5 : 3, bar_y = y + (h - bar_h) / 2;
    if (!Tcl_GetString(cell)[0]) /* no value, which is not 0 */
        return;
    switch (col->type) {
    case CELL_NAME: {
        Tcl_Obj *main = cell_obj(cell, 0), *sub = cell_obj(cell, 1), *muted = cell_obj(cell, 2), *key = cell_obj(cell, 3);
        for (int k = 0; key && k < l->n_cols; k++)
            if (l->cols[k].hidden && !strcmp(l->cols[k].key, Tcl_GetString(key)) && cell_obj(cell, 4))
                sub = cell_obj(cell, 4);
        if (muted && !strcmp(Tcl_GetString(muted), "muted"))
            colour = st->colour[HSC_P_muted];
        hsc_paint_name(c, st, col->x, hsc_font_baseline(st->mono, y, h), col->width, main ? Tcl_GetString(main) : "",
                       sub ? Tcl_GetString(sub) : "", selected ? st->colour[HSC_P_accent] : colour);
        return;
    }
    case CELL_TEXT:
        hsc_canvas_text_fit(c, st->font, col->right ? col->x + col->width : col->x, base, col->width,
                            col->right ? HSC_RIGHT : HSC_LEFT, colour, Tcl_GetString(cell));
        return;
    case CELL_BAR: {
        double t = l->bar_max > 0 ? fraction(cell) / l->bar_max : 0;
        int full = (int)lround((t < 0 ? 0 : t > 1 ? 1 : t) * col->width);
        hsc_canvas_fill(c, col->x, bar_y, col->width, bar_h, st->colour[HSC_P_faint]);
        if (t > 0)
            hsc_canvas_fill(c, col->x, bar_y, full > 0 ? full : 1, bar_h, selected ? st->colour[HSC_P_accent]
                                                                                  : st->colour[HSC_P_bar]);
        return;
    }
    case CELL_NESTED: { /* a dark bar in a light one */
        hsc_canvas_fill(c, col->x, bar_y, col->width, bar_h, st->colour[HSC_P_faint]);
        for (int k = 0; k < 2; k++) {
            double v = cell_obj(cell, k) ? fraction(cell_obj(cell, k)) : 0, t = v > 1 ? 1 : v;
            int length = (int)lround(t * col->width);
            if (t > 0)
                hsc_canvas_fill(c, col->x, bar_y, length > 0 ? length : 1, bar_h, st->colour[k ? HSC_P_bar : HSC_P_barlight]);
        }
        return;
    }
    case CELL_CHANGE: { /* to the right of the middle: more; blue and orange are told apart by everybody */
        Tcl_Obj *value = cell_obj(cell, 0), *grey = cell_obj(cell, 1);
        double t = value ? fraction(value) : 0;
        t = t < -1 ? -1 : t > 1 ? 1 : t;
        int half = col->width / 2, length = (int)lround(fabs(t) * half);
        hsc_canvas_fill(c, col->x, bar_y, col->width, bar_h, st->colour[HSC_P_faint]);
        if (t != 0)
            hsc_canvas_fill(c, t < 0 ? col->x + half - (length > 0 ? length : 1) : col->x + half, bar_y, length > 0 ? length : 1, bar_h,
                            grey && !strcmp(Tcl_GetString(grey), "grey") ? st->colour[HSC_P_muted]
                            : t < 0                                     ? st->colour[HSC_P_cat0]
                                                                        : st->colour[HSC_P_cat1]);
        hsc_canvas_fill(c, col->x + half, y + 2, 1, h - 4, st->colour[HSC_P_muted]);
        return;
    }
    case CELL_STACK: paint_stack_cell(c, &l->w, col->x, bar_y, col->width, bar_h, cell); return;
    case CELL_PERCENT: snprintf(text, sizeof text, "%.1f %%", 100 * fraction(cell)); break;
    case CELL_COUNT: hsc_number_short(fraction(cell), 6, text); break;
    case CELL_NUMBER: {
        Tcl_Obj *warn = cell_obj(cell, 1), *value = cell_obj(cell, 0);
        if (warn && !strcmp(Tcl_GetString(warn), "warn"))
            colour = st->colour[HSC_P_warn];
        double v;
        if (value && Tcl_GetDoubleFromObj(NULL, value, &v) == TCL_OK)
            snprintf(text, sizeof text, "%.2f", v);
        else if (value)
            snprintf(text, sizeof text, "%s", Tcl_GetString(value));
        break;
    }
    }
    hsc_canvas_text_fit(c, st->font, col->right ? col->x + col->width : col->x, base, col->width,
                        col->right ? HSC_RIGHT : HSC_LEFT, colour, text);
}

/* A bar whose column has no room: a line below the row's name. */
static void paint_low_bar(barlist *l, hsc_canvas *c, Tcl_Obj *cell, int y, int h, bool selected) {
    const hsc_style *st = &l->w.style;
    const list_column *col = NULL;
    for (int k = 0; k < l->n_cols && !col; k++)
        col = l->cols[k].type == CELL_NAME ? &l->cols[k] : NULL;
    double t = l->bar_max > 0 ? fraction(cell) / l->bar_max : 0;
    int thick = hsc_canvas_dp(c, 2), length = col ? (int)lround((t < 0 ? 0 : t > 1 ? 1 : t) * col->width) : 0;
    if (length > 0)
        hsc_canvas_fill(c, col->x, y + h - thick, length, thick, st->colour[selected ? HSC_P_accent : HSC_P_barlight]);
}

static void paint_row(barlist *l, hsc_canvas *c, Tcl_Obj *row, int y, int h) {
    const hsc_style *st = &l->w.style;
    Tcl_Obj *id = cell_obj(row, 0);
    bool selected = id && l->selected && l->selected[0] && !strcmp(Tcl_GetString(id), l->selected);
    bool marked = is_marked(l, id);
    if (selected)
        hsc_canvas_fill(c, 0, y, c->width, h, st->colour[HSC_P_accentsoft]);
    else if (marked)
        hsc_canvas_fill(c, 0, y, c->width, h, hsc_colour_mix(st->colour[HSC_P_background], st->colour[HSC_P_hit], 0.12));
    if (selected)
        hsc_canvas_fill(c, 0, y, hsc_canvas_dp(c, 3), h, st->colour[HSC_P_accent]);
    if (marked)
        hsc_canvas_fill(c, hsc_canvas_dp(c, 3), y + 1, hsc_canvas_dp(c, 3), h - 2, st->colour[HSC_P_hit]);
    for (int k = 0; k < l->n_cols; k++) {
        Tcl_Obj *cell = cell_obj(row, k + 1);
        if (cell && !l->cols[k].hidden)
            paint_cell(l, c, &l->cols[k], cell, y, h, selected);
        else if (cell && l->cols[k].type == CELL_BAR)
            paint_low_bar(l, c, cell, y, h, selected);
    }
}

static void paint_heading(barlist *l, hsc_canvas *c) {
    const hsc_style *st = &l->w.style;
    int h = heading_height(l);
    for (int k = 0; k < l->n_cols; k++) {
        const list_column *col = &l->cols[k];
        if (col->hidden)
            continue;
        bool sorted = l->sort_column && l->sort_column[0] && !strcmp(l->sort_column, col->key);
        double base = hsc_font_baseline(st->font, 0, h), mark = sorted ? 9 * c->scale : 0;
        double w = hsc_font_width(st->font, col->title);
        double from = col->right ? col->x + col->width - w - mark : col->x;
        double room = col->width - mark;
        if (col->right && w > room) { /* a title may reach over the cells on its left when these are bars */
            room = w;
        }
        hsc_canvas_text_fit(c, st->font, from, base, room, HSC_LEFT,
                            sorted ? st->colour[HSC_P_foreground] : st->colour[HSC_P_muted], col->title);
        if (sorted) {
            double x = from + (w < room ? w : room) + 3 * c->scale, y = h / 2.0, s = 2.6 * c->scale;
            bool down = l->sort_order == 0;
            hsc_rgb g = st->colour[HSC_P_foreground];
            cairo_set_source_rgb(c->cr, ((g >> 16) & 255) / 255.0, ((g >> 8) & 255) / 255.0, (g & 255) / 255.0);
            cairo_move_to(c->cr, x, down ? y - s / 2 : y + s / 2);
            cairo_line_to(c->cr, x + 2 * s, down ? y - s / 2 : y + s / 2);
            cairo_line_to(c->cr, x + s, down ? y + s : y - s);
            cairo_close_path(c->cr);
            cairo_fill(c->cr);
        }
    }
    hsc_canvas_fill(c, 0, h - 1, c->width, 1, st->colour[HSC_P_faint]);
}

/* The rows in view get their cells. */
static void complete(hsw *w) {
    barlist *l = (barlist *)w;
    if (!l->row_command || !l->row_command[0])
        return;
    clamp_top(l);
    for (int i = l->top, end = l->top + full_rows(l, false) + 1; i < end && !(w->flags & HSW_GONE); i++)
        complete_row(l, i);
}

static void paint(hsw *w, hsc_canvas *c) {
    barlist *l = (barlist *)w;
    int h = row_height(l), y = heading_height(l), n = count(l);
    bool pinned;
    layout(l);
    clamp_top(l);
    pinned = pinned_shows(l);
    int end = c->height - (pinned ? h + 1 : 0);
    hsc_canvas_clip(c, 0, y, c->width, end - y);
    for (int i = l->top; i < n && y < end; i++, y += h)
        paint_row(l, c, row_obj(l, i), y, h);
    hsc_canvas_unclip(c);
    if (!n && l->empty && l->empty[0])
        hsc_canvas_text_wrapped(c, w->style.font, hsc_canvas_dp(c, 8), hsc_font_baseline(w->style.font, heading_height(l), 2 * h),
                                c->width - 2 * hsc_canvas_dp(c, 8), hsw_linespace(w, false), 6, w->style.colour[HSC_P_muted], l->empty);
    if (pinned) {
        hsc_canvas_fill(c, 0, end, c->width, 1, w->style.colour[HSC_P_faint]);
        hsc_canvas_fill(c, 0, end + 1, c->width, h, w->style.colour[HSC_P_panel]);
        paint_row(l, c, l->pinned, end + 1, h);
    }
    if (l->heading)
        paint_heading(l, c);
    Tcl_Preserve(w);
    Tcl_DoWhenIdle(tell_later, w);
}

/* ---- pointer, keys, commands ---- */

static Tcl_Obj *hit(hsw *w, int x, int y) {
    barlist *l = (barlist *)w;
    int h = row_height(l), head = heading_height(l), index = -1;
    const char *part = "row", *column = "", *id = "";
    layout(l);
    for (int k = 0; k < l->n_cols; k++)
        if (!l->cols[k].hidden && x >= l->cols[k].x - (int)(4 * w->scale) && x < l->cols[k].x + l->cols[k].width + (int)(4 * w->scale))
            column = l->cols[k].key;
    if (y < head) {
        part = "heading";
        if (!column[0])
            return NULL;
    } else if (pinned_shows(l) && y >= hsw_height(w) - h) {
        part = "pinned";
        id = pinned_id(l);
    } else {
        index = l->top + (y - head) / h;
        Tcl_Obj *o = index < count(l) ? cell_obj(row_obj(l, index), 0) : NULL;
        if (!o)
            return NULL;
        id = Tcl_GetString(o);
    }
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "part", Tcl_NewStringObj(part, -1));
    hsc_tcl_put(d, "index", Tcl_NewWideIntObj(index));
    hsc_tcl_put(d, "id", Tcl_NewStringObj(id, -1));
    hsc_tcl_put(d, "column", Tcl_NewStringObj(column, -1));
    return d;
}

static void send_row(hsw *w, const char *event, int index, const char *id, const char *column) {
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "id", Tcl_NewStringObj(id, -1));
    hsc_tcl_put(d, "index", Tcl_NewWideIntObj(index));
    hsc_tcl_put(d, "column", Tcl_NewStringObj(column, -1));
    hsw_send(w, event, d);
}

static const char *dict_text(Tcl_Obj *d, const char *key) {
    Tcl_Obj *k = Tcl_NewStringObj(key, -1), *v = NULL;
    Tcl_IncrRefCount(k);
    int r = Tcl_DictObjGet(NULL, d, k, &v);
    Tcl_DecrRefCount(k);
    return r == TCL_OK && v ? Tcl_GetString(v) : "";
}

static bool press(hsw *w, int x, int y, int state) {
    Tcl_Obj *d = hit(w, x, y);
    if (!d)
        return true;
    Tcl_IncrRefCount(d);
    if (!strcmp(dict_text(d, "part"), "heading")) {
        Tcl_Obj *e = Tcl_NewDictObj();
        hsc_tcl_put(e, "column", Tcl_NewStringObj(dict_text(d, "column"), -1));
        hsw_send(w, state & ShiftMask ? "<<ListOutline>>" : "<<ListSort>>", e);
    } else {
        send_row(w, "<<ListPick>>", atoi(dict_text(d, "index")), dict_text(d, "id"), dict_text(d, "column"));
    }
    Tcl_DecrRefCount(d);
    return true;
}

static bool open_row(hsw *w, int x, int y) {
    barlist *l = (barlist *)w;
    if (x < 0) {
        if (l->selected && l->selected[0])
            send_row(w, "<<ListOpen>>", index_of(l, l->selected), l->selected, "");
        return true;
    }
    Tcl_Obj *d = hit(w, x, y);
    if (!d)
        return true;
    Tcl_IncrRefCount(d);
    if (strcmp(dict_text(d, "part"), "heading"))
        send_row(w, "<<ListOpen>>", atoi(dict_text(d, "index")), dict_text(d, "id"), dict_text(d, "column"));
    Tcl_DecrRefCount(d);
    return true;
}

static void show_index(barlist *l, int i) {
    int fit = full_rows(l, pinned_id(l)[0] != 0);
    if (i < 0)
        return;
    if (i < l->top)
        l->top = i;
    else if (i >= l->top + fit)
        l->top = i - fit + 1;
    clamp_top(l);
    hsw_schedule(&l->w, HSW_PAINT);
}

static bool move(hsw *w, int rows, int columns, bool extend, bool page) {
    barlist *l = (barlist *)w;
    (void)extend;
    (void)columns;
    int n = count(l), i = index_of(l, l->selected);
    if (!n || !rows)
        return true;
    int fit = full_rows(l, true);
    int64_t next = i < 0 ? (rows > 0 ? l->top : 0) : (int64_t)i + (page ? rows * (fit > 1 ? fit - 1 : 1) : rows);
    i = next < 0 ? 0 : next >= n ? n - 1 : (int)next;
    show_index(l, i);
    Tcl_Obj *o = cell_obj(row_obj(l, i), 0);
    if (o)
        send_row(w, "<<ListPick>>", i, Tcl_GetString(o), "");
    return true;
}

static void scroll_to(barlist *l, int top) {
    int before = l->top;
    l->top = top;
    clamp_top(l);
    if (l->top != before)
        hsw_schedule(&l->w, HSW_PAINT);
}

static bool wheel(hsw *w, int x, int y, int steps, int state) {
    (void)x;
    (void)y;
    (void)state;
    scroll_to((barlist *)w, ((barlist *)w)->top + steps);
    return true;
}

static int yview(barlist *l, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    if (objc == 2) {
        int n = count(l), fit = full_rows(l, pinned_shows(l));
        double last = n > 0 ? (double)(l->top + fit) / n : 1;
        Tcl_Obj *pair[] = {Tcl_NewDoubleObj(n > 0 ? (double)l->top / n : 0), Tcl_NewDoubleObj(last < 1 ? last : 1)};
        Tcl_SetObjResult(interp, Tcl_NewListObj(2, pair));
        return TCL_OK;
    }
    double f;
    int step;
    if (objc == 3) { /* yview INDEX */
        if (hsw_get_int(interp, objv[2], &step) != TCL_OK)
            return TCL_ERROR;
        scroll_to(l, step);
        return TCL_OK;
    }
    switch (Tk_GetScrollInfoObj(interp, objc, objv, &f, &step)) {
    case TK_SCROLL_MOVETO: scroll_to(l, (int)lround(f * count(l))); return TCL_OK;
    case TK_SCROLL_PAGES: scroll_to(l, l->top + step * full_rows(l, pinned_shows(l))); return TCL_OK;
    case TK_SCROLL_UNITS: scroll_to(l, l->top + step); return TCL_OK;
    default: return TCL_ERROR;
    }
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    barlist *l = (barlist *)w;
    Tcl_Size n;
    int i, first = 0, number = INT32_MAX;
    if (!strcmp(name, "setrows") && objc == 3) {
        if (Tcl_ListObjLength(interp, objv[2], &n) != TCL_OK)
            return TCL_ERROR;
        Tcl_IncrRefCount(objv[2]);
        Tcl_DecrRefCount(l->rows);
        l->rows = objv[2];
        hsw_schedule(w, HSW_PAINT);
        return TCL_OK;
    }
    if (!strcmp(name, "count") && objc == 2) {
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(count(l)));
        return TCL_OK;
    }
    if (!strcmp(name, "ids") && (objc == 2 || objc == 4)) {
        if (objc == 4 && (hsw_get_int(interp, objv[2], &first) != TCL_OK || hsw_get_int(interp, objv[3], &number) != TCL_OK))
            return TCL_ERROR;
        Tcl_Obj *list = Tcl_NewListObj(0, NULL);
        for (i = first < 0 ? 0 : first; i < count(l) && i - first < number; i++) {
            Tcl_Obj *o = cell_obj(row_obj(l, i), 0);
            if (o)
                Tcl_ListObjAppendElement(NULL, list, o);
        }
        Tcl_SetObjResult(interp, list);
        return TCL_OK;
    }
    if (!strcmp(name, "index") && objc == 3) {
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(index_of(l, Tcl_GetString(objv[2]))));
        return TCL_OK;
    }
    if (!strcmp(name, "row") && objc == 3) {
        if (hsw_get_int(interp, objv[2], &i) != TCL_OK)
            return TCL_ERROR;
        complete_row(l, i);
        if (w->flags & HSW_GONE)
            return TCL_OK;
        Tcl_Obj *o = row_obj(l, i);
        if (o)
            Tcl_SetObjResult(interp, o);
        return TCL_OK;
    }
    if (!strcmp(name, "see") && objc == 3) {
        show_index(l, index_of(l, Tcl_GetString(objv[2])));
        return TCL_OK;
    }
    if (!strcmp(name, "yview"))
        return yview(l, interp, objc, objv);
    return TCL_CONTINUE;
}

static void describe(hsw *w, Tcl_Obj *text) {
    barlist *l = (barlist *)w;
    int n = count(l), fit = full_rows(l, pinned_shows(l));
    for (int k = 0; k < l->n_cols; k++)
        Tcl_AppendStringsToObj(text, k ? "\t" : "", l->cols[k].title, NULL);
    Tcl_AppendToObj(text, "\n", 1);
    for (int i = l->top; i < n && i < l->top + fit; i++) {
        Tcl_Obj *row = row_obj(l, i), *id = cell_obj(row, 0);
        bool selected = id && l->selected && !strcmp(Tcl_GetString(id), l->selected);
        Tcl_AppendToObj(text, selected ? "> " : is_marked(l, id) ? "* " : "  ", 2);
        for (int k = 0; k < l->n_cols; k++) {
            Tcl_Obj *cell = cell_obj(row, k + 1);
            Tcl_AppendStringsToObj(text, k ? "\t" : "", cell ? Tcl_GetString(cell) : "", NULL);
        }
        Tcl_AppendToObj(text, "\n", 1);
    }
}

const hsw_class hsw_barlist_class = {
    .command = "barlist", .tk_class = "HeatscopeBarlist", .size = sizeof(barlist), .options = options, .init = init,
    .changed = changed, .fini = fini, .complete = complete, .paint = paint, .hit = hit, .describe = describe, .command_of = command_of,
    .press = press, .open = open_row, .wheel = wheel, .move = move,
    .usage = "setrows count ids index row see yview"};
