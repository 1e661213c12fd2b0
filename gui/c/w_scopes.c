/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::scopes: nested bars for procedures, loops and regions beside the source (C3). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "widget.h"

typedef struct scopes {
    hsw w;
    hsw_rows_options rows_options;
    hsw_against against;
    int bar_width, selected;
    char *kinds;
    unsigned kind_mask;
    hsw_rows rows;
    /* of the file: made once for a file, metric, axis and interval */
    hsc_handle *of;
    int of_file, of_metric, of_show;
    double of_begin, of_end; /* interval; 0, 0: the whole run */
    uint32_t of_only;        /* category */
    unsigned of_kinds;
    uint32_t n, columns;
    hsc_scope_bar *bars;
    uint32_t *scope_rows;
    double *sums, *categories;
    float *changes; /* when comparing: see hsw_change */
    struct { /* which scopes of a file have bars: found once, so that other values stand in the same columns */
        hsc_handle *of;
        int file;
        unsigned kinds;
        bool whole; /* by values of the whole run, not of an interval or a category alone */
        uint32_t n, *rows;
    } kept;
} scopes;

static const Tk_OptionSpec options[] = {
    HSW_ROWS_OPTIONS(scopes, rows_options),
    HSW_AGAINST_OPTIONS(scopes, against),
    HSW_O_INT(scopes, "-barwidth", bar_width, "14", HSW_PAINT),
    HSW_O_INT(scopes, "-scope", selected, "-1", HSW_PAINT),
    HSW_O_TEXT(scopes, "-kinds", kinds, "procedure loop region", HSW_DATA),
    HSW_OPTIONS_END};

static void forget(scopes *s) {
    free(s->bars);
    free(s->scope_rows);
    free(s->sums);
    free(s->categories);
    free(s->changes);
    s->changes = NULL;
    s->bars = NULL;
    s->scope_rows = NULL;
    s->sums = s->categories = NULL;
    s->n = s->columns = 0;
    s->of = NULL;
}

static hsc_status changed(hsw *w, hsc_err *err) {
    scopes *s = (scopes *)w;
    char word[32];
    unsigned mask = 0;
    int used;
    for (const char *p = s->kinds ? s->kinds : ""; sscanf(p, " %31s%n", word, &used) == 1; p += used) {
        int k = HSC_SCOPE_PROCEDURE;
        while (k <= HSC_SCOPE_REGION && strcmp(word, hsc_kind_names[k]))
            k++;
        if (k > HSC_SCOPE_REGION)
            return hsc_err_set(err, HSC_E_ARGUMENT, "-kinds: expected procedure, loop and region, got %s", word);
        mask |= 1u << k;
    }
    s->kind_mask = mask;
    if (s->bar_width < 2)
        return hsc_err_set(err, HSC_E_ARGUMENT, "-barwidth %d: expected 2 or more", s->bar_width);
    return HSC_OK;
}

static void fini(hsw *w) {
    forget((scopes *)w);
    free(((scopes *)w)->kept.rows);
    hsw_rows_fini(&((scopes *)w)->rows);
}

/* Column of each bar: the first free place beside those that are still open. Bars come sorted by first line, long ones
 * first, so that nested scopes nest. */
static hsc_status place(scopes *s, hsc_err *err) {
    uint32_t *open_until = malloc(((size_t)s->n + 1) * sizeof *open_until), open = 0;
    if (!open_until)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u scopes", s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        while (open > 0 && open_until[open - 1] < s->bars[i].line_begin)
            open--;
        s->bars[i].column = open;
        open_until[open++] = s->bars[i].line_end;
        if (open > s->columns)
            s->columns = open;
    }
    free(open_until);
    return HSC_OK;
}

/* What the bars' scopes have in the other run, in this one's scale; 0 where it has none of them. */
static hsc_status read_theirs(scopes *s, hsw_noise *noise, double *out, hsc_err *err) {
    hsw *w = &s->w;
    hsc_handle *other;
    uint32_t metric;
    const uint32_t *map;
    double scale;
    hsc_status r = hsw_other(w, &s->against, &other, &metric, &scale, err);
    if (r != HSC_OK || (r = hsw_noise_init(noise, w, other, metric, scale, err)) != HSC_OK ||
        (r = hsc_handle_match(w->db, other, HSC_MATCH_SCOPES, &map, err)) != HSC_OK)
        return r;
    hsc_db_view there = {metric, HSC_TABLE_SCOPE_INCL, (hsc_db_axis)w->axis};
    for (uint32_t i = 0; i < s->n; i++) {
        out[i] = 0;
        if (map[s->scope_rows[i]] != HSC_NONE &&
            (r = hsc_db_read_sums(other->db, there, map[s->scope_rows[i]], 1, &out[i], err)) != HSC_OK)
            return r;
        out[i] *= scale;
    }
    return HSC_OK;
}

/* Colours the bars by what changed in the other run, which has `theirs`. */
static hsc_status show_changes(scopes *s, const hsw_noise *noise, const double *theirs, hsc_err *err) {
    if (!(s->changes = malloc(((size_t)s->n + 1) * sizeof *s->changes)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u scopes", s->n);
    for (uint32_t i = 0; i < s->n; i++)
        s->changes[i] = hsw_within_noise(noise, s->sums[i], theirs[i]) ? 0 : hsw_change(s->against.show, s->sums[i], theirs[i]);
    hsc_colour_scale colours;
    hsc_colour_scale_init_change(&colours, HSC_SCALING_LINEAR, hsw_change_maximum(s->against.show, s->changes, NULL, s->n),
                                 s->against.show == HSW_SHOW_RATIO);
    for (uint32_t i = 0; i < s->n; i++) {
        s->bars[i].changed = true;
        s->bars[i].colour = hsc_colour_scale_get(&colours, s->changes[i]);
    }
    return HSC_OK;
}

typedef struct scope_order {
    uint32_t scope, bar;
} scope_order;

static int by_scope(const void *a, const void *b) {
    uint32_t x = ((const scope_order *)a)->scope, y = ((const scope_order *)b)->scope;
    return (x > y) - (x < y);
}

/* Sums of the bars' scopes, `width` values each. Scopes of a file stand close together: a run of them is one question to the reader. */
static hsc_status read_sums(scopes *s, hsc_db_table table, uint32_t width, double *out, hsc_err *err) {
    enum { GAP = 16 };
    scope_order *order = malloc(((size_t)s->n + 1) * sizeof *order);
    hsc_status r = order ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u scopes", s->n);
    for (uint32_t i = 0; r == HSC_OK && i < s->n; i++)
        order[i] = (scope_order){s->scope_rows[i], i};
    if (r == HSC_OK)
        qsort(order, s->n, sizeof *order, by_scope);
    for (uint32_t i = 0, end; r == HSC_OK && i < s->n; i = end) {
        for (end = i + 1; end < s->n && order[end].scope - order[end - 1].scope <= GAP;)
            end++;
        uint32_t first = order[i].scope, n = order[end - 1].scope - first + 1;
        double *some = malloc((size_t)n * width * sizeof *some);
        r = some ? hsc_db_read_sums(s->w.db->db, hsw_view(&s->w, table), (uint64_t)first * width, (uint64_t)n * width, some, err)
                 : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u scopes", n);
        for (uint32_t k = i; r == HSC_OK && k < end; k++)
            memcpy(out + (size_t)order[k].bar * width, some + (size_t)(order[k].scope - first) * width, width * sizeof *out);
        free(some);
    }
    free(order);
    return r;
}

/* Instances of a template and inlined copies stand at the same lines: those without samples, also in the other run (theirs NULL: there is none), have no
 * bar of their own where others have some. Bars of the same lines stand side by side in the list. */
static hsc_status leave_idle_twins(scopes *s, double *theirs, hsc_err *err) {
    uint32_t kept = 0;
    for (uint32_t i = 0, end; i < s->n; i = end) {
        for (end = i + 1; end < s->n && s->bars[end].line_begin == s->bars[i].line_begin && s->bars[end].line_end == s->bars[i].line_end;)
            end++;
        unsigned busy = 0, met = 0; /* kinds that have samples here; kinds of which one is kept */
        for (int round = 0; round < 2; round++)
            for (uint32_t k = i; k < end; k++) {
                hsc_db_scope sc;
                hsc_status r = hsc_db_get_scope(s->w.db->db, s->scope_rows[k], &sc, err);
                if (r != HSC_OK)
                    return r;
                unsigned kind = 1u << sc.kind;
                bool has = s->sums[k] > 0 || (theirs && theirs[k] > 0);
                if (!round) {
                    busy |= has ? kind : 0;
                } else if (has || !((busy | met) & kind)) {
                    met |= kind;
                    if (theirs)
                        theirs[kept] = theirs[k];
                    s->bars[kept] = s->bars[k];
                    s->scope_rows[kept] = s->scope_rows[k];
                    s->sums[kept++] = s->sums[k];
                }
            }
    }
    s->n = kept;
    return HSC_OK;
}

/* Those that were kept before, which stand in the same order. */
static void leave_others(scopes *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n && n < s->kept.n; i++)
        if (s->scope_rows[i] == s->kept.rows[n]) {
            s->bars[n] = s->bars[i];
            s->sums[n] = s->sums[i];
            s->scope_rows[n++] = s->scope_rows[i];
        }
    s->n = n;
}

static hsc_status leave_idle(scopes *s, hsc_err *err) {
    double begin, end;
    bool whole = s->w.db->only == HSC_NONE && !hsc_db_get_interval(s->w.db->db, &begin, &end);
    if (s->kept.of == s->w.db && s->kept.file == s->rows_options.file && s->kept.kinds == s->kind_mask && (s->kept.whole || !whole)) {
        leave_others(s);
        return HSC_OK;
    }
    hsc_status r = leave_idle_twins(s, NULL, err);
    uint32_t *rows = r == HSC_OK ? malloc(((size_t)s->n + 1) * sizeof *rows) : NULL;
    if (r != HSC_OK || !rows)
        return r != HSC_OK ? r : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u scopes", s->n);
    memcpy(rows, s->scope_rows, s->n * sizeof *rows);
    free(s->kept.rows);
    s->kept.of = s->w.db;
    s->kept.file = s->rows_options.file;
    s->kept.kinds = s->kind_mask;
    s->kept.whole = whole;
    s->kept.n = s->n;
    s->kept.rows = rows;
    return HSC_OK;
}

static hsc_status read_file(scopes *s, hsc_err *err) {
    hsw *w = &s->w;
    const uint32_t *rows;
    uint32_t n = 0, categories = w->db->info.categories;
    double total = 0;
    forget(s);
    hsc_status r = hsc_handle_scopes(w->db, (uint32_t)s->rows_options.file, &rows, &n, err);
    if (r != HSC_OK || (r = hsc_handle_total(w->db, (uint32_t)w->metric, &total, err)) != HSC_OK)
        return r;
    s->bars = calloc((size_t)n + 1, sizeof *s->bars);
    s->scope_rows = calloc((size_t)n + 1, sizeof *s->scope_rows);
    s->sums = calloc((size_t)n + 1, sizeof *s->sums);
    s->categories = calloc((size_t)n * categories + 1, sizeof *s->categories);
    if (!s->bars || !s->scope_rows || !s->sums || !s->categories)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u scopes", n);
    for (uint32_t i = 0; i < n; i++) {
        hsc_db_scope sc;
        if ((r = hsc_db_get_scope(w->db->db, rows[i], &sc, err)) != HSC_OK)
            return r;
        if (!(s->kind_mask & 1u << sc.kind) || !sc.line_begin || sc.line_end < sc.line_begin || hsc_db_continues(w->db->db, &sc, sc.parent))
            continue;
        s->bars[s->n] = (hsc_scope_bar){.line_begin = sc.line_begin, .line_end = sc.line_end, .name = sc.name,
                                        .categories = s->categories + (size_t)s->n * categories};
        s->scope_rows[s->n++] = rows[i];
    }
    if ((r = read_sums(s, HSC_TABLE_SCOPE_INCL, 1, s->sums, err)) != HSC_OK ||
        (categories && (r = read_sums(s, HSC_TABLE_SCOPE_CATEGORY, categories, s->categories, err)) != HSC_OK))
        return r;
    hsw_noise noise;
    double *theirs = NULL;
    if (!hsw_comparing(&s->against))
        r = leave_idle(s, err);
    else if (!(theirs = malloc(((size_t)s->n + 1) * sizeof *theirs)))
        r = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u scopes", s->n);
    else if ((r = read_theirs(s, &noise, theirs, err)) == HSC_OK)
        r = leave_idle_twins(s, theirs, err);
    for (uint32_t k = 0; k < s->n; k++)
        s->bars[k].share = total > 0 ? s->sums[k] / total : 0;
    if (r == HSC_OK)
        r = place(s, err);
    if (r == HSC_OK && theirs)
        r = show_changes(s, &noise, theirs, err);
    free(theirs);
    if (r != HSC_OK)
        return r;
    s->of = w->db;
    s->of_file = s->rows_options.file;
    s->of_metric = w->metric;
    s->of_show = hsw_comparing(&s->against) ? s->against.show : HSW_SHOW_VALUE;
    s->of_kinds = s->kind_mask;
    (void)hsc_db_get_interval(w->db->db, &s->of_begin, &s->of_end);
    s->of_only = w->db->only;
    return HSC_OK;
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    scopes *s = (scopes *)w;
    hsw_rows_geometry(w, &s->rows_options, &s->rows);
    if (s->rows_options.file < 0) {
        forget(s);
        return HSC_OK;
    }
    double begin = 0, end = 0;
    (void)hsc_db_get_interval(w->db->db, &begin, &end);
    if (s->of == w->db && s->of_file == s->rows_options.file && s->of_metric == w->metric && s->of_kinds == s->kind_mask &&
        s->of_begin == begin && s->of_end == end && s->of_only == w->db->only &&
        s->of_show == (hsw_comparing(&s->against) ? s->against.show : HSW_SHOW_VALUE))
        return HSC_OK;
    hsc_status r = read_file(s, err);
    if (r != HSC_OK)
        forget(s);
    return r;
}

static hsc_scopes_frame frame(scopes *s) {
    hsw_rows_geometry(&s->w, &s->rows_options, &s->rows);
    return (hsc_scopes_frame){.rows = s->rows.rows, .bar_width = s->bar_width, .n = s->w.db ? s->n : 0,
                              .categories = s->w.db ? s->w.db->info.categories : 0, .bars = s->bars};
}

static void paint(hsw *w, hsc_canvas *c) {
    scopes *s = (scopes *)w;
    uint32_t selected = s->selected >= 0 ? (uint32_t)s->selected : HSC_NONE;
    hsc_db_scope sc;
    while (selected != HSC_NONE && w->db && !hsc_db_get_scope(w->db->db, selected, &sc, NULL) && sc.parent < selected && hsc_db_continues(w->db->db, &sc, sc.parent))
        selected = sc.parent;
    for (uint32_t i = 0; i < s->n; i++)
        s->bars[i].selected = s->scope_rows[i] == selected;
    hsc_scopes_frame f = frame(s);
    hsc_paint_scopes(c, &w->style, &f);
}

static bool inside(const int r[4], int x, int y) {
    return x >= r[0] && x < r[0] + r[2] && y >= r[1] && y < r[1] + r[3];
}

static Tcl_Obj *scope_dict(scopes *s, uint32_t i, const char *part) {
    hsc_db_scope sc;
    if (hsc_db_get_scope(s->w.db->db, s->scope_rows[i], &sc, NULL) != HSC_OK)
        return NULL;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "scope", Tcl_NewWideIntObj(s->scope_rows[i]));
    hsc_tcl_put(d, "part", Tcl_NewStringObj(part, -1));
    hsc_tcl_put(d, "kind", Tcl_NewStringObj(sc.kind <= HSC_SCOPE_REGION ? hsc_kind_names[sc.kind] : "?", -1));
    hsc_tcl_put(d, "name", hsc_tcl_text(sc.name, strlen(sc.name)));
    hsc_tcl_put(d, "line_begin", Tcl_NewWideIntObj(sc.line_begin));
    hsc_tcl_put(d, "line_end", Tcl_NewWideIntObj(sc.line_end));
    hsc_tcl_put(d, "inclusive",
                s->sums[i] == floor(s->sums[i]) ? Tcl_NewWideIntObj((Tcl_WideInt)s->sums[i]) : Tcl_NewDoubleObj(s->sums[i]));
    hsc_tcl_put(d, "share", Tcl_NewDoubleObj(s->bars[i].share));
    if (s->changes)
        hsc_tcl_put(d, "change", Tcl_NewDoubleObj((double)s->changes[i]));
    return d;
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    scopes *s = (scopes *)w;
    hsc_scopes_frame f = frame(s);
    if (y < f.rows.header)
        return NULL;
    for (uint32_t i = f.n; i-- > 0;) {
        int v[4], t[4];
        if (!hsc_scope_place(&w->surface.canvas, &f, i, v, t))
            continue;
        if (inside(t, x, y))
            return scope_dict(s, i, "categories");
        if (inside(v, x, y))
            return scope_dict(s, i, "bar");
    }
    return NULL;
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    scopes *s = (scopes *)w;
    if (!strcmp(name, "needwidth") && (objc == 2 || objc == 3)) {
        int bar = s->bar_width; /* or as if they had another */
        if (objc == 3 && hsw_get_int(interp, objv[2], &bar) != TCL_OK)
            return TCL_ERROR;
        /* other values stand in the same columns */
        if (s->of != w->db || s->of_file != s->rows_options.file || s->of_kinds != s->kind_mask)
            hsw_draw(w);
        int gap = hsc_scopes_gap(w->scale, bar), n = s->columns > 0 ? (int)s->columns : 1;
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(gap + n * (bar + gap)));
        return TCL_OK;
    }
    return hsw_rows_command(w, &s->rows_options, &s->rows, interp, name, objc, objv);
}

static void describe(hsw *w, Tcl_Obj *text) {
    scopes *s = (scopes *)w;
    hsc_scopes_frame f = frame(s);
    Tcl_AppendToObj(text, "scopes in view, inclusive share of the program\n", -1);
    for (uint32_t i = 0; i < f.n; i++) {
        int v[4], t[4];
        if (hsc_scope_place(&w->surface.canvas, &f, i, v, t))
            Tcl_AppendPrintfToObj(text, "%*s%s %u-%u: %.2f %%\n", (int)s->bars[i].column * 2, "", s->bars[i].name,
                                  s->bars[i].line_begin, s->bars[i].line_end, 100 * s->bars[i].share);
    }
}

const hsw_class hsw_scopes_class = {
    .command = "scopes", .tk_class = "HeatscopeScopes", .size = sizeof(scopes), .options = options,
    .pick_event = "<<ScopePick>>", .changed = changed, .fini = fini, .prepare = prepare, .paint = paint, .hit = hit,
    .describe = describe, .command_of = command_of, .wheel = hsw_rows_wheel, .move = hsw_rows_move,
    .usage = "needwidth rows bbox"};
