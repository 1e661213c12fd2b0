/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::assembly: the machine code of a procedure by instruction, with source lines, loop versions and jumps. Rows are
 * numbers until they come into view: a procedure may have a hundred thousand. */
#include "w_assembly.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

#define TELL_AGAIN 40u /* instructions after which a loop is told again */

static const Tk_OptionSpec options[] = {
    HSW_O_INT(assembly, "-procedure", procedure, "-1", HSW_DATA),
    HSW_O_INT(assembly, "-line", line, "-1", HSW_PAINT),
    HSW_O_INT(assembly, "-scope", scope, "-1", HSW_PAINT),
    HSW_O_INT(assembly, "-selected", selected, "-1", HSW_PAINT),
    HSW_O_INT(assembly, "-rowheight", row_height, "0", HSW_PAINT),
    HSW_O_BOOL(assembly, "-bytes", bytes, "0", HSW_PAINT),
    HSW_O_BOOL(assembly, "-places", places, "1", HSW_PAINT),
    HSW_O_BOOL(assembly, "-sources", sources, "1", HSW_DATA),
    HSW_O_TEXT(assembly, "-range", range, "", HSW_DATA),
    HSW_O_TEXT(assembly, "-search", search, "", HSW_PAINT),
    HSW_O_TEXT(assembly, "-empty", empty, "", HSW_PAINT),
    HSW_O_TEXT(assembly, "-yscrollcommand", yscroll, "", 0),
    HSW_O_ENUM(assembly, "-colours", colours, "inferno", hsc_colours_names, HSW_PAINT),
    HSW_O_ENUM(assembly, "-scaling", scaling, "log", hsc_scaling_names, HSW_PAINT),
    HSW_AGAINST_OPTIONS(assembly, against),
    HSW_OPTIONS_END};

static void init(hsw *w) {
    assembly *a = (assembly *)w;
    a->shown = -1;
    a->sent_first = -1;
    for (int i = 0; i < HSW_ASSEMBLY_SOURCES; i++)
        a->texts[i].file = HSC_NONE;
}

static void fini(hsw *w) {
    assembly *a = (assembly *)w;
    free(a->items);
    free(a->counts);
    free(a->theirs);
    free(a->visible);
    for (int i = 0; i < HSW_ASSEMBLY_SOURCES; i++) {
        free(a->texts[i].text);
        free(a->texts[i].lines);
    }
}

static int row_height(const assembly *a) {
    return a->row_height > 0 ? a->row_height : hsw_linespace(&a->w, true) + (int)(4 * a->w.scale);
}
static int header(const assembly *a) { return hsw_linespace(&a->w, false) + (int)(6 * a->w.scale); }
int hsw_assembly_fit_rows(const assembly *a) {
    int n = (hsw_height(&a->w) - header(a)) / row_height(a);
    return n > 0 ? n : 1;
}
static void clamp_top(assembly *a) {
    int last = a->n - hsw_assembly_fit_rows(a);
    a->top = a->top > last ? last : a->top;
    a->top = a->top < 0 ? 0 : a->top;
}

/* ---- rows ---- */

static hsc_status add(assembly *a, enum hsc_code_kind kind, uint32_t row, hsc_err *err) {
    if (a->n == a->capacity) {
        int more = a->capacity ? 2 * a->capacity : 1024;
        assembly_item *list = realloc(a->items, (size_t)more * sizeof *list);
        if (!list)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %d rows", more);
        a->items = list;
        a->capacity = more;
    }
    a->items[a->n++] = (assembly_item){row, (uint8_t)kind};
    return HSC_OK;
}

/* told: by instance, where it was last, 0 not yet: interleaved code of two loops would tell of them in every other row. */
static hsc_status add_part(assembly *a, uint32_t part, uint32_t *told, hsc_err *err) {
    hsc_db *db = a->w.db->db;
    hsc_db_code_part p;
    uint32_t line = HSC_NONE, instance = HSC_NONE, inlined = HSC_NONE;
    hsc_status s = hsc_db_get_code_part(db, part, &p, err);
    if (s == HSC_OK)
        s = add(a, HSC_CODE_PART, part, err);
    for (uint32_t i = 0; s == HSC_OK && i < p.rows; i++) {
        hsc_db_instruction x;
        if ((s = hsc_db_get_instruction(db, p.first + i, &x, err)) != HSC_OK)
            break;
        if (x.instance != HSC_NONE && x.instance != instance && (!told[x.instance] || i - told[x.instance] > TELL_AGAIN))
            s = add(a, HSC_CODE_LOOP, p.first + i, err);
        if (x.instance != HSC_NONE)
            told[x.instance] = i ? i : 1;
        if (s == HSC_OK && a->sources && x.line != HSC_NONE && (x.line != line || x.inlined != inlined))
            s = add(a, HSC_CODE_SOURCE, p.first + i, err);
        if (s == HSC_OK)
            s = add(a, HSC_CODE_INSTRUCTION, p.first + i, err);
        line = x.line;
        instance = x.instance;
        inlined = x.inlined;
        a->highest = x.address > a->highest ? x.address : a->highest;
    }
    if (s == HSC_OK && p.rows) {
        a->first = p.first < a->first ? p.first : a->first;
        a->end = p.first + p.rows > a->end ? p.first + p.rows : a->end;
    }
    return s;
}

/* Of the processors of -range, or of all. In an interval of a database that knows of no instruction when it ran there are none. */
static hsc_status read_counts(assembly *a, hsc_err *err) {
    hsc_db_view view = hsw_view(&a->w, HSC_TABLE_INSTRUCTION);
    uint32_t n = a->end - a->first, columns = hsc_db_get_columns(a->w.db->db, view.axis);
    unsigned from = 0, to = 0;
    bool some = a->range && sscanf(a->range, "%u %u", &from, &to) == 2 && from <= to && from < columns;
    hsc_status s = HSC_OK;
    hsc_err why = {0};
    double begin, end;
    a->counts = calloc((size_t)n + 1, sizeof *a->counts);
    if (!a->counts)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u instructions", n);
    if (!some) {
        s = hsc_db_read_sums(a->w.db->db, view, a->first, n, a->counts, &why);
    } else {
        uint32_t *indices = NULL;
        float *values = NULL;
        uint64_t *indptr = malloc(((size_t)n + 1) * sizeof *indptr);
        s = indptr ? hsc_db_read_sparse(a->w.db->db, view, a->first, n, indptr, &indices, &values, &why)
                   : hsc_err_set(&why, HSC_E_MEMORY, "no memory for %u instructions", n);
        for (uint32_t i = 0; s == HSC_OK && i < n; i++)
            for (uint64_t k = indptr[i]; k < indptr[i + 1]; k++)
                a->counts[i] += indices[k] >= from && indices[k] <= to ? (double)values[k] : 0;
        free(indptr);
        free(indices);
        free(values);
    }
    a->uncounted = s == HSC_E_MISSING && hsc_db_get_interval(a->w.db->db, &begin, &end);
    if (s != HSC_OK && s != HSC_E_MISSING) /* this metric has no values here */
        return hsc_err_set(err, s, "%s", why.text);
    return HSC_OK;
}

enum { OF_ALL, OF_LINE, OF_OWN_LINE, OF_LOOP }; /* all that is shown, the selected line, what of it is the selected loop's procedure's, the selected loop */

/* Is it of the procedure that the selected loop is in? Not of another one, or another instance of a template, that has the line too. */
static bool is_own(const assembly *a, uint32_t scope) {
    hsc_db_scope here, selected;
    return a->scope >= 0 && scope != HSC_NONE && hsc_db_get_scope(a->w.db->db, scope, &here, NULL) == HSC_OK &&
           hsc_db_get_scope(a->w.db->db, (uint32_t)a->scope, &selected, NULL) == HSC_OK && here.procedure == selected.procedure;
}

static bool is_of(const assembly *a, int of, const hsc_db_instruction *x) {
    bool line = a->line >= 0 && x->line == (uint32_t)a->line;
    return of == OF_LOOP ? hsw_assembly_below(a, x->scope) : line && (of == OF_LINE || is_own(a, x->scope));
}


/* List row of the instruction that changed most, beyond noise, else of that which has most, here or there; -1. */
static int most(const assembly *a, int of) {
    double best = -1;
    bool best_changed = false;
    int found = -1;
    for (int i = 0; a->counts && i < a->n; i++) {
        hsc_db_instruction x;
        if (a->items[i].kind != HSC_CODE_INSTRUCTION)
            continue;
        double here = a->counts[a->items[i].row - a->first], there = a->theirs ? a->theirs[a->items[i].row - a->first] : NAN;
        bool is_changed = !isnan(there) && !hsw_within_noise(&a->noise, here, there);
        double value = is_changed ? fabs(there - here) : there > here ? there : here;
        if (is_changed < best_changed || (is_changed == best_changed && value <= best))
            continue;
        if (of != OF_ALL && (hsc_db_get_instruction(a->w.db->db, a->items[i].row, &x, NULL) != HSC_OK ||
                             !is_of(a, of, &x)))
            continue;
        found = i;
        best = value;
        best_changed = is_changed;
    }
    return found;
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    assembly *a = (assembly *)w;
    uint32_t n = 0, *parts = NULL, periods_max;
    uint64_t taken;
    a->unit = !hsc_handle_taken(w->db, &taken, &periods_max, NULL) && periods_max > 1 ? "periods" : "samples";
    a->n = 0;
    a->first = HSC_NONE;
    a->end = 0;
    a->maximum = a->total = a->sum = 0;
    a->highest = 0;
    free(a->counts);
    a->counts = NULL;
    free(a->theirs);
    a->theirs = NULL;
    if (a->procedure < 0 || (uint32_t)a->procedure >= w->db->info.scopes || !w->db->info.code_parts)
        return HSC_OK;
    if (!(parts = malloc((size_t)w->db->info.code_parts * sizeof *parts)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u pieces of code", w->db->info.code_parts);
    hsc_status s = hsc_db_find_code_parts(w->db->db, (uint32_t)a->procedure, parts, w->db->info.code_parts, &n, err);
    uint32_t *told = malloc(((size_t)w->db->info.instances + 1) * sizeof *told);
    if (!told && s == HSC_OK)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u loops", w->db->info.instances);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        memset(told, 0, w->db->info.instances * sizeof *told);
        s = add_part(a, parts[i], told, err);
    }
    free(told);
    if (s == HSC_OK && a->end > a->first)
        s = read_counts(a, err);
    if (s == HSC_OK)
        s = hsw_assembly_read_other(a, parts, n, err);
    free(parts);
    for (int i = 0; s == HSC_OK && a->counts && i < a->n; i++)
        if (a->items[i].kind == HSC_CODE_INSTRUCTION) {
            double v = a->counts[a->items[i].row - a->first];
            a->sum += v;
            a->maximum = v > a->maximum ? v : a->maximum;
        }
    if (s == HSC_OK)
        s = hsc_handle_total(w->db, (uint32_t)w->metric, &a->total, err);
    if (a->shown != a->procedure) { /* the hottest in the middle, or what changed most */
        int i = s == HSC_OK ? most(a, OF_ALL) : -1;
        a->shown = a->procedure;
        a->top = i >= 0 && (a->maximum > 0 || a->same) ? i - hsw_assembly_fit_rows(a) / 2 : 0;
    }
    clamp_top(a);
    return s;
}

/* ---- drawing ---- */

static void tell_scrollbar(assembly *a) {
    double first = a->n ? (double)a->top / a->n : 0, last = a->n ? (double)(a->top + hsw_assembly_fit_rows(a)) / a->n : 1;
    last = last < 1 ? last : 1;
    if (!a->yscroll || !a->yscroll[0] || (first == a->sent_first && last == a->sent_last))
        return;
    a->sent_first = first;
    a->sent_last = last;
    Tcl_Obj *command = Tcl_NewStringObj(a->yscroll, -1);
    Tcl_IncrRefCount(command);
    Tcl_ListObjAppendElement(NULL, command, Tcl_NewDoubleObj(first));
    Tcl_ListObjAppendElement(NULL, command, Tcl_NewDoubleObj(last));
    Tcl_InterpState state = Tcl_SaveInterpState(a->w.interp, TCL_OK);
    if (Tcl_EvalObjEx(a->w.interp, command, TCL_EVAL_GLOBAL) != TCL_OK)
        Tcl_BackgroundException(a->w.interp, TCL_ERROR);
    Tcl_RestoreInterpState(a->w.interp, state);
    Tcl_DecrRefCount(command);
}

static void tell_later(ClientData data) {
    hsw *w = data;
    if (!(w->flags & HSW_GONE))
        tell_scrollbar((assembly *)w);
    Tcl_Release(w);
}

static hsc_code_frame frame_of(const assembly *a) {
    char digits[20];
    return (hsc_code_frame){.row_height = row_height(a), .header = header(a), .bytes = a->bytes,
                            .places = a->places && hsw_width(&a->w) > (int)(560 * a->w.scale),
                            .digits = snprintf(digits, sizeof digits, "%" PRIx64, a->highest), .colours = (enum hsc_colours)a->colours,
                            .unit = a->unit ? a->unit : "samples", .change = a->theirs ? a->against.show == HSW_SHOW_RATIO ? "ratio" : "difference" : NULL};
}

static void paint(hsw *w, hsc_canvas *c) {
    assembly *a = (assembly *)w;
    hsc_db_metric metric;
    if (!w->db)
        return;
    clamp_top(a);
    Tcl_Preserve(w);
    Tcl_DoWhenIdle(tell_later, w);
    if (!a->n) {
        hsc_canvas_text_fit(c, w->style.font, hsc_canvas_dp(c, 12), 2 * header(a), c->width - hsc_canvas_dp(c, 24), HSC_LEFT,
                            w->style.colour[HSC_P_muted], a->empty && a->empty[0] ? a->empty : "no machine code of it in the database");
        return;
    }
    int n = hsw_assembly_fit_rows(a) + 1;
    n = n < a->n - a->top ? n : a->n - a->top;
    if (n > a->visible_capacity) {
        hsc_code_row *rows = realloc(a->visible, (size_t)n * sizeof *rows);
        if (!rows)
            return;
        a->visible = rows;
        a->visible_capacity = n;
    }
    for (int i = 0; i < n; i++)
        hsw_assembly_fill_row(a, a->top + i, &a->visible[i]);
    hsw_assembly_find_arrows(a);
    hsc_code_frame frame = frame_of(a);
    frame.rows = a->visible;
    frame.count = n;
    frame.arrows = a->arrows;
    frame.arrow_count = a->arrow_count;
    if (hsc_db_get_metric(w->db->db, (uint32_t)w->metric, &metric, NULL) == HSC_OK && metric.exact)
        frame.unit = "counts";
    hsc_paint_code(c, &w->style, &frame);
}

/* ---- pointer, keys ---- */

static Tcl_Obj *row_dict(assembly *a, int i) {
    static const char *const kinds[] = {"part", "loop", "source", "instruction"};
    hsc_db_instruction x = {.line = HSC_NONE, .scope = HSC_NONE, .instance = HSC_NONE, .target = HSC_NONE, .text = ""};
    hsc_db_line line = {HSC_NONE, 0, HSC_NONE};
    hsc_code_row row;
    bool is_code = a->items[i].kind != HSC_CODE_PART && hsc_db_get_instruction(a->w.db->db, a->items[i].row, &x, NULL) == HSC_OK;
    char chain[400] = "", words[160] = "";
    hsc_db_instance v;
    if (x.line != HSC_NONE)
        (void)hsc_db_get_line(a->w.db->db, x.line, &line, NULL);
    if (is_code)
        hsw_assembly_inlined_as(a, x.inlined, chain, sizeof chain);
    if (x.instance != HSC_NONE && hsc_db_get_instance(a->w.db->db, x.instance, &v, NULL) == HSC_OK)
        hsw_assembly_version_words(&v, words, sizeof words);
    hsw_assembly_fill_row(a, i, &row);
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "part", Tcl_NewStringObj(kinds[a->items[i].kind], -1));
    hsc_tcl_put(d, "index", Tcl_NewWideIntObj(i));
    hsc_tcl_put(d, "instruction", hsc_tcl_index(is_code ? a->items[i].row : HSC_NONE));
    hsc_tcl_put(d, "address", Tcl_NewStringObj(row.address, -1));
    hsc_tcl_put(d, "text", hsc_tcl_text(row.text, strlen(row.text)));
    hsc_tcl_put(d, "place", hsc_tcl_text(row.place, strlen(row.place)));
    hsc_tcl_put(d, "row", hsc_tcl_index(x.line));
    hsc_tcl_put(d, "file", hsc_tcl_index(line.file));
    hsc_tcl_put(d, "line", Tcl_NewWideIntObj(line.line));
    hsc_tcl_put(d, "scope", hsc_tcl_index(x.scope));
    hsc_tcl_put(d, "instance", hsc_tcl_index(x.instance));
    hsc_tcl_put(d, "version", hsc_tcl_text(words, strlen(words)));
    hsc_tcl_put(d, "inlined", hsc_tcl_text(chain, strlen(chain)));
    hsc_tcl_put(d, "target", hsc_tcl_index(x.target));
    hsc_tcl_put(d, "count", Tcl_NewDoubleObj(row.count));
    hsc_tcl_put(d, "share", Tcl_NewDoubleObj(row.share));
    hsc_tcl_put(d, "theirs", row.compared ? Tcl_NewDoubleObj(row.theirs) : Tcl_NewStringObj("", 0));
    hsc_tcl_put(d, "change", row.compared ? Tcl_NewDoubleObj(row.noise ? 0 : (double)row.change) : Tcl_NewStringObj("", 0));
    return d;
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    assembly *a = (assembly *)w;
    (void)x;
    int i = y < header(a) ? -1 : a->top + (y - header(a)) / row_height(a);
    return w->db && i >= 0 && i < a->n ? row_dict(a, i) : NULL;
}

static bool press(hsw *w, int x, int y, int state) {
    (void)state;
    Tcl_Obj *d = hit(w, x, y);
    if (d)
        hsw_send(w, "<<AssemblyPick>>", d);
    return true;
}

static void see(assembly *a, int i) {
    if (i < 0)
        return;
    if (i < a->top + 1 || i >= a->top + hsw_assembly_fit_rows(a) - 1)
        a->top = i - hsw_assembly_fit_rows(a) / 2;
    clamp_top(a);
    hsw_schedule(&a->w, HSW_PAINT);
}

static bool open_row(hsw *w, int x, int y) {
    assembly *a = (assembly *)w;
    int i = x < 0 ? (a->selected >= 0 ? hsw_assembly_index_of(a, (uint32_t)a->selected) : -1) : y < header(a) ? -1 : a->top + (y - header(a)) / row_height(a);
    if (w->db && i >= 0 && i < a->n)
        hsw_send(w, "<<AssemblyOpen>>", row_dict(a, i));
    return true;
}

static bool move(hsw *w, int rows, int columns, bool extend, bool page) {
    assembly *a = (assembly *)w;
    (void)extend;
    (void)columns;
    hsw_draw(w);
    int i = a->selected >= 0 ? hsw_assembly_index_of(a, (uint32_t)a->selected) : -1;
    if (!a->n || !rows)
        return true;
    if (i < 0) {
        i = a->top;
        rows = 0;
    }
    int64_t next = (int64_t)i + (int64_t)rows * (page ? hsw_assembly_fit_rows(a) - 1 : 1);
    int step = rows < 0 ? -1 : 1;
    next = next < 0 ? 0 : next >= a->n ? a->n - 1 : next;
    while (next >= 0 && next < a->n && a->items[next].kind != HSC_CODE_INSTRUCTION)
        next += step;
    for (step = -step; next < 0 || next >= a->n || a->items[next].kind != HSC_CODE_INSTRUCTION; next += step)
        if ((step < 0 && next < 0) || (step > 0 && next >= a->n))
            return true;
    see(a, (int)next);
    hsw_send(w, "<<AssemblyPick>>", row_dict(a, (int)next));
    return true;
}

static void scroll_to(assembly *a, int64_t top) {
    int before = a->top;
    a->top = top < 0 ? 0 : top > a->n ? a->n : (int)top;
    clamp_top(a);
    if (a->top != before)
        hsw_schedule(&a->w, HSW_PAINT);
}

static bool wheel(hsw *w, int x, int y, int steps, int state) {
    (void)x;
    (void)y;
    (void)state;
    scroll_to((assembly *)w, (int64_t)((assembly *)w)->top + steps);
    return true;
}

/* ---- commands ---- */

static int yview(assembly *a, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]) {
    double f;
    int step;
    if (objc == 2) {
        Tcl_Obj *pair[] = {Tcl_NewDoubleObj(a->n ? (double)a->top / a->n : 0), Tcl_NewDoubleObj(a->n ? fmin(1, (double)(a->top + hsw_assembly_fit_rows(a)) / a->n) : 1)};
        Tcl_SetObjResult(interp, Tcl_NewListObj(2, pair));
        return TCL_OK;
    }
    switch (Tk_GetScrollInfoObj(interp, objc, objv, &f, &step)) {
    case TK_SCROLL_MOVETO: scroll_to(a, llround(f * a->n)); return TCL_OK;
    case TK_SCROLL_PAGES: scroll_to(a, (int64_t)a->top + (int64_t)step * hsw_assembly_fit_rows(a)); return TCL_OK;
    case TK_SCROLL_UNITS: scroll_to(a, (int64_t)a->top + step); return TCL_OK;
    default: return TCL_ERROR;
    }
}

/* The next (previous) in the order of falling counts, from the selected one; -1. Ties by address. */
static int hot(const assembly *a, int step) {
    int at = a->selected >= 0 ? hsw_assembly_index_of(a, (uint32_t)a->selected) : -1, best = -1, last = -1;
    double now = at >= 0 ? a->counts[a->items[at].row - a->first] : HUGE_VAL, found = 0;
    if (!a->counts)
        return -1;
    if (at >= 0 && !(now > 0)) {
        now = HUGE_VAL;
        at = -1;
    }
    for (int i = 0; i < a->n; i++) {
        if (a->items[i].kind != HSC_CODE_INSTRUCTION || !(a->counts[a->items[i].row - a->first] > 0))
            continue;
        double v = a->counts[a->items[i].row - a->first];
        bool after = v < now || (v == now && i > at), before = v > now || (v == now && i < at);
        if (step > 0 ? after && (best < 0 || v > found) : at >= 0 && before && (best < 0 || v <= found)) {
            best = i;
            found = v;
        }
        if (last < 0 || v > a->counts[a->items[last].row - a->first])
            last = i; /* hottest: round again */
    }
    if (best < 0 && step < 0) { /* from the hottest to the coldest */
        for (int i = 0; i < a->n; i++) {
            double v = a->items[i].kind == HSC_CODE_INSTRUCTION ? a->counts[a->items[i].row - a->first] : 0;
            if (v > 0 && (best < 0 || v <= found)) {
                best = i;
                found = v;
            }
        }
        return best;
    }
    return best >= 0 ? best : last;
}

static int find(const assembly *a, const char *text, int step) {
    int from = a->selected >= 0 ? hsw_assembly_index_of(a, (uint32_t)a->selected) : -1;
    for (int k = 1; k <= a->n; k++) {
        int i = ((from + step * k) % a->n + a->n) % a->n;
        hsc_db_instruction x;
        if (a->items[i].kind == HSC_CODE_INSTRUCTION && hsc_db_get_instruction(a->w.db->db, a->items[i].row, &x, NULL) == HSC_OK &&
            hsw_assembly_contains(x.text, text))
            return i;
    }
    return -1;
}

/* What a line or a loop has here: instructions, their sum. */
static Tcl_Obj *summary(assembly *a) {
    double of_line = 0, of_own = 0, of_loop = 0, hits = 0;
    int lines = 0, own = 0, loops = 0, found = 0, all = 0;
    for (int i = 0; i < a->n; i++) {
        hsc_db_instruction x;
        if (a->items[i].kind != HSC_CODE_INSTRUCTION || hsc_db_get_instruction(a->w.db->db, a->items[i].row, &x, NULL) != HSC_OK)
            continue;
        double v = a->counts ? a->counts[a->items[i].row - a->first] : 0;
        bool line = a->line >= 0 && x.line == (uint32_t)a->line, loop = hsw_assembly_below(a, x.scope), match = hsw_assembly_contains(x.text, a->search);
        all++;
        lines += line;
        of_line += line ? v : 0;
        bool mine = is_of(a, OF_OWN_LINE, &x);
        own += mine;
        of_own += mine ? v : 0;
        loops += loop;
        of_loop += loop ? v : 0;
        found += match;
        hits += match ? v : 0;
    }
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "instructions", Tcl_NewWideIntObj(all));
    hsc_tcl_put(d, "sum", Tcl_NewDoubleObj(a->sum));
    hsc_tcl_put(d, "total", Tcl_NewDoubleObj(a->total));
    hsc_tcl_put(d, "line_instructions", Tcl_NewWideIntObj(lines));
    hsc_tcl_put(d, "line_sum", Tcl_NewDoubleObj(of_line));
    hsc_tcl_put(d, "own_instructions", Tcl_NewWideIntObj(own));
    hsc_tcl_put(d, "own_sum", Tcl_NewDoubleObj(of_own));
    hsc_tcl_put(d, "loop_instructions", Tcl_NewWideIntObj(loops));
    hsc_tcl_put(d, "loop_sum", Tcl_NewDoubleObj(of_loop));
    hsc_tcl_put(d, "hits", Tcl_NewWideIntObj(found));
    hsc_tcl_put(d, "hits_sum", Tcl_NewDoubleObj(hits));
    hsc_tcl_put(d, "uncounted", Tcl_NewBooleanObj(a->uncounted));
    hsc_tcl_put(d, "compared", Tcl_NewBooleanObj(a->theirs != NULL));
    hsc_tcl_put(d, "same", Tcl_NewWideIntObj(a->theirs ? a->same : 0));
    return d;
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    assembly *a = (assembly *)w;
    int number, i = -1;
    if (!strcmp(name, "yview"))
        return yview(a, interp, objc, objv);
    bool mine = !strcmp(name, "count") || !strcmp(name, "summary") || !strcmp(name, "see") || !strcmp(name, "row") ||
                !strcmp(name, "index") || !strcmp(name, "hot") || !strcmp(name, "find") || !strcmp(name, "hottest");
    if (!mine)
        return TCL_CONTINUE;
    hsw_draw(w);
    if (!strcmp(name, "count") && objc == 2) {
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(a->n));
        return TCL_OK;
    }
    if (!strcmp(name, "summary") && objc == 2) {
        Tcl_SetObjResult(interp, summary(a));
        return TCL_OK;
    }
    if (!strcmp(name, "hottest") && objc == 3) { /* of the selected line, of the selected loop's procedure first, or loop */
        bool line = !strcmp(Tcl_GetString(objv[2]), "line");
        i = most(a, line ? OF_OWN_LINE : OF_LOOP);
        if (line && i < 0)
            i = most(a, OF_LINE);
    } else if (!strcmp(name, "find") && objc == 4) {
        if (hsw_get_int(interp, objv[3], &number) != TCL_OK)
            return TCL_ERROR;
        i = a->n ? find(a, Tcl_GetString(objv[2]), number < 0 ? -1 : 1) : -1;
    } else if (objc == 3) {
        if (hsw_get_int(interp, objv[2], &number) != TCL_OK)
            return TCL_ERROR;
        if (!strcmp(name, "row"))
            i = number < a->n ? number : -1;
        else if (!strcmp(name, "hot"))
            i = hot(a, number);
        else
            i = number >= 0 ? hsw_assembly_index_of(a, (uint32_t)number) : -1;
        if (!strcmp(name, "see")) {
            see(a, i);
            return TCL_OK;
        }
        if (!strcmp(name, "index")) {
            Tcl_SetObjResult(interp, Tcl_NewWideIntObj(i));
            return TCL_OK;
        }
    } else {
        return TCL_CONTINUE;
    }
    if (i >= 0)
        Tcl_SetObjResult(interp, row_dict(a, i));
    return TCL_OK;
}

static void describe(hsw *w, Tcl_Obj *text) {
    assembly *a = (assembly *)w;
    if (!w->db || !a->n) {
        Tcl_AppendStringsToObj(text, a->empty && a->empty[0] ? a->empty : "no machine code", "\n", NULL);
        return;
    }
    int last = a->top + hsw_assembly_fit_rows(a);
    for (int i = a->top; i < a->n && i < last; i++) {
        hsc_code_row r;
        hsw_assembly_fill_row(a, i, &r);
        if (r.kind == HSC_CODE_INSTRUCTION)
            Tcl_AppendPrintfToObj(text, r.compared ? "%s%8.0f %6.2f %% %s  %s  (other run: %.0f%s)" : "%s%8.0f %6.2f %% %s  %s", r.selected ? "> " : r.of_line ? "* " : "  ", r.count, 100 * r.share, r.address, r.text,
                                  r.theirs, r.noise ? ", within noise" : "");
        else
            Tcl_AppendPrintfToObj(text, "%s %s%s%s", r.kind == HSC_CODE_PART ? "==" : r.kind == HSC_CODE_LOOP ? "  --" : "    ", r.text,
                                  r.place[0] ? "  " : "", r.place);
        Tcl_AppendToObj(text, "\n", 1);
    }
}

const hsw_class hsw_assembly_class = {
    .command = "assembly", .tk_class = "HeatscopeAssembly", .size = sizeof(assembly), .options = options, .init = init, .fini = fini,
    .prepare = prepare, .paint = paint, .hit = hit, .describe = describe, .command_of = command_of, .press = press, .open = open_row,
    .wheel = wheel, .move = move, .usage = "count, summary, see, row, index, hot, find, hottest, yview"};
