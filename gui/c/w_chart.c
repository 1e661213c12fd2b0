/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::profile, heatscope::stack and heatscope::catbar. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "widget.h"

static Tcl_Obj *number(double v) {
    return v == floor(v) && fabs(v) < 9e15 ? Tcl_NewWideIntObj((Tcl_WideInt)v) : Tcl_NewDoubleObj(v);
}

/* Bins and their names: what profile and stack share. */
typedef struct chart_axis {
    hsc_axis axis;
    char (*labels)[32];
    const char **pointers;
} chart_axis;

static void chart_axis_fini(chart_axis *a) {
    hsc_axis_fini(&a->axis);
    free(a->labels);
    free(a->pointers);
    a->labels = NULL;
    a->pointers = NULL;
}

static hsc_status chart_axis_get(hsw *w, const char *columns, int sort, chart_axis *a, hsc_err *err) {
    hsc_status s = hsw_axis(w, columns, sort, (uint32_t)hsw_width(w), &a->axis, err);
    if (s != HSC_OK)
        return s;
    free(a->labels);
    free(a->pointers);
    uint32_t n = a->axis.bins;
    a->labels = calloc((size_t)n + 1, sizeof *a->labels);
    a->pointers = calloc((size_t)n + 1, sizeof *a->pointers);
    if (!a->labels || !a->pointers)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u labels", n);
    for (uint32_t b = 0; b < n; b++) {
        uint32_t at = b + 1 == n && n > 1 ? a->axis.start[b + 1] - 1 : a->axis.start[b];
        hsw_processor(w, a->axis.order[at], a->labels[b], sizeof a->labels[b]);
        a->pointers[b] = a->labels[b];
    }
    return HSC_OK;
}

static int chart_bin(const chart_axis *a, const hsw *w, int x) {
    int width = hsw_width(w);
    if (!a->axis.bins || x < 0 || x >= width)
        return -1;
    uint32_t b = (uint32_t)((int64_t)x * a->axis.bins / width);
    while (b + 1 < a->axis.bins && (int64_t)width * (b + 1) / a->axis.bins <= x)
        b++;
    return (int)b;
}

static void put_columns(const chart_axis *a, int b, Tcl_Obj *d) {
    hsc_tcl_put(d, "first", Tcl_NewWideIntObj(a->axis.order[a->axis.start[b]]));
    hsc_tcl_put(d, "last", Tcl_NewWideIntObj(a->axis.order[a->axis.start[b + 1] - 1]));
}

/* ---- profile ---- */

typedef struct profile {
    hsw w;
    int table, row, sort, ticks, scaling;
    char *columns, *range;
    int range_first, range_last;
    chart_axis axis;
    float *values, *all; /* by bin (maximum), by column */
    double mean, maximum;
    uint32_t max_column;
} profile;

static const Tk_OptionSpec profile_options[] = {
    HSW_O_ENUM(profile, "-table", table, "line", hsc_table_names, HSW_DATA),
    HSW_O_INT(profile, "-row", row, "-1", HSW_DATA),
    HSW_O_TEXT(profile, "-columns", columns, "", HSW_DATA),
    HSW_O_ENUM(profile, "-sort", sort, "number", hsw_sort_names, HSW_DATA),
    HSW_O_ENUM(profile, "-scaling", scaling, "linear", hsc_scaling_names, HSW_PAINT),
    HSW_O_TEXT(profile, "-range", range, "", HSW_PAINT),
    HSW_O_BOOL(profile, "-ticks", ticks, "1", HSW_PAINT),
    HSW_OPTIONS_END};

static hsc_status profile_changed(hsw *w, hsc_err *err) {
    profile *p = (profile *)w;
    char end;
    p->range_first = p->range_last = -1;
    if (p->range && p->range[0] &&
        (sscanf(p->range, "%d %d %c", &p->range_first, &p->range_last, &end) != 2 || p->range_last < p->range_first)) {
        p->range_first = p->range_last = -1;
        return hsc_err_set(err, HSC_E_ARGUMENT, "-range \"%.40s\": expected two columns, rising", p->range);
    }
    return HSC_OK;
}

static void profile_fini(hsw *w) {
    profile *p = (profile *)w;
    chart_axis_fini(&p->axis);
    free(p->values);
    free(p->all);
}

static hsc_status profile_prepare(hsw *w, hsc_err *err) {
    profile *p = (profile *)w;
    hsc_db_view view = hsw_view(w, p->table);
    hsc_status s = chart_axis_get(w, p->columns, p->sort, &p->axis, err);
    free(p->values);
    free(p->all);
    p->values = p->all = NULL;
    p->mean = p->maximum = 0;
    if (s != HSC_OK || p->row < 0)
        return s;
    if ((uint64_t)p->row >= hsc_db_get_rows(w->db->db, view.table))
        return hsc_err_set(err, HSC_E_ARGUMENT, "no row %d of %s", p->row, hsc_table_names[p->table]);
    const hsc_axis *a = &p->axis.axis;
    p->values = calloc((size_t)a->bins + 1, sizeof *p->values);
    p->all = calloc((size_t)a->columns + 1, sizeof *p->all);
    if (!p->values || !p->all)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u processors", a->columns);
    if ((s = hsc_handle_columns(w->db, view, (uint64_t)p->row, 1, p->all, err)) != HSC_OK)
        return s;
    double sum = 0;
    for (uint32_t i = 0; i < a->shown; i++) {
        uint32_t c = a->order[i], b = a->bin_of[c];
        if (p->all[c] > p->values[b])
            p->values[b] = p->all[c];
        if ((double)p->all[c] > p->maximum) {
            p->maximum = (double)p->all[c];
            p->max_column = c;
        }
        sum += (double)p->all[c];
    }
    uint32_t over = a->shown == a->columns ? hsc_handle_compared(w->db, view.axis, p->all, NULL) : a->shown;
    p->mean = over ? sum / over : 0;
    return HSC_OK;
}

static int profile_bin_of(const profile *p, int column) {
    const hsc_axis *a = &p->axis.axis;
    return column >= 0 && (uint32_t)column < a->columns && a->bin_of[column] != UINT32_MAX ? (int)a->bin_of[column] : -1;
}

static void profile_paint(hsw *w, hsc_canvas *c) {
    profile *p = (profile *)w;
    if (!w->db || !p->values)
        return;
    int first = profile_bin_of(p, p->range_first), last = profile_bin_of(p, p->range_last);
    if (first < 0 || last < first)
        first = last = -1;
    hsc_profile_frame f = {.n = p->axis.axis.bins, .values = p->values, .mean = p->mean, .maximum = p->maximum,
                           .scaling = (enum hsc_scaling)p->scaling, .mark_first = first, .mark_last = last,
                           .labels = p->axis.pointers, .ticks = p->ticks};
    hsc_paint_profile(c, &w->style, &f);
}

static Tcl_Obj *profile_hit(hsw *w, int x, int y) {
    profile *p = (profile *)w;
    int b = w->db && p->values ? chart_bin(&p->axis, w, x) : -1;
    (void)y;
    if (b < 0)
        return NULL;
    const hsc_axis *a = &p->axis.axis;
    uint32_t best = a->order[a->start[b]];
    for (uint32_t i = a->start[b]; i < a->start[b + 1]; i++)
        if (p->all[a->order[i]] > p->all[best])
            best = a->order[i];
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "column", Tcl_NewWideIntObj(best));
    put_columns(&p->axis, b, d);
    hsc_tcl_put(d, "value", number((double)p->all[best]));
    return d;
}

static bool profile_drag(hsw *w, int x, int y, int state) {
    profile *p = (profile *)w;
    (void)y;
    (void)state;
    int width = hsw_width(w), a = chart_bin(&p->axis, w, w->press_x);
    int b = chart_bin(&p->axis, w, x < 0 ? 0 : x >= width ? width - 1 : x);
    if (a < 0 || b < 0 || !p->values)
        return true;
    if (a > b) {
        int t = a;
        a = b;
        b = t;
    }
    const hsc_axis *ax = &p->axis.axis;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "first", Tcl_NewWideIntObj(ax->order[ax->start[a]]));
    hsc_tcl_put(d, "last", Tcl_NewWideIntObj(ax->order[ax->start[b + 1] - 1]));
    hsw_send(w, "<<ProfileRange>>", d);
    return true;
}

static void profile_describe(hsw *w, Tcl_Obj *text) {
    profile *p = (profile *)w;
    if (!p->values) {
        Tcl_AppendToObj(text, "profile: nothing chosen\n", -1);
        return;
    }
    Tcl_AppendPrintfToObj(text, "%s row %d by processor: mean %.6g, maximum %.6g on column %u\n", hsc_table_names[p->table],
                          p->row, p->mean, p->maximum, p->max_column);
    for (uint32_t b = 0; b < p->axis.axis.bins && b < 1000; b++)
        Tcl_AppendPrintfToObj(text, "%s\t%.6g\n", p->axis.labels[b], (double)p->values[b]);
}

const hsw_class hsw_profile_class = {
    .command = "profile", .tk_class = "HeatscopeProfile", .size = sizeof(profile), .options = profile_options,
    .pick_event = "<<ProfilePick>>", .changed = profile_changed, .fini = profile_fini, .prepare = profile_prepare,
    .paint = profile_paint, .hit = profile_hit, .describe = profile_describe, .drag = profile_drag,
    .move = hsw_rows_move};

/* ---- stack ---- */

typedef struct stack {
    hsw w;
    int scope, sort, ticks, share;
    char *columns;
    chart_axis axis;
    float *values; /* [categories][bins]: means over the bin's processors */
    uint32_t categories;
    double maximum;
} stack;

static const Tk_OptionSpec stack_options[] = {
    HSW_O_INT(stack, "-scope", scope, "-1", HSW_DATA),
    HSW_O_TEXT(stack, "-columns", columns, "", HSW_DATA),
    HSW_O_ENUM(stack, "-sort", sort, "number", hsw_sort_names, HSW_DATA),
    HSW_O_BOOL(stack, "-ticks", ticks, "1", HSW_PAINT),
    HSW_O_BOOL(stack, "-share", share, "0", HSW_PAINT),
    HSW_OPTIONS_END};

static void stack_fini(hsw *w) {
    stack *k = (stack *)w;
    chart_axis_fini(&k->axis);
    free(k->values);
}

static hsc_status stack_prepare(hsw *w, hsc_err *err) {
    stack *k = (stack *)w;
    hsc_db_view view = hsw_view(w, HSC_TABLE_SCOPE_CATEGORY);
    hsc_status s = chart_axis_get(w, k->columns, k->sort, &k->axis, err);
    free(k->values);
    k->values = NULL;
    k->maximum = 0;
    k->categories = w->db->info.categories;
    if (s != HSC_OK || k->scope < 0)
        return s;
    if ((uint32_t)k->scope >= w->db->info.scopes)
        return hsc_err_set(err, HSC_E_ARGUMENT, "no scope %d, there are %u", k->scope, w->db->info.scopes);
    const hsc_axis *a = &k->axis.axis;
    float *all = calloc((size_t)a->columns + 1, sizeof *all);
    k->values = calloc((size_t)a->bins * k->categories + 1, sizeof *k->values);
    if (!all || !k->values)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u processors", a->columns);
    for (uint32_t g = 0; s == HSC_OK && g < k->categories; g++) {
        if ((s = hsc_handle_columns(w->db, view, (uint64_t)k->scope * k->categories + g, 1, all, err)) != HSC_OK)
            break;
        float *to = k->values + (size_t)g * a->bins;
        for (uint32_t i = 0; i < a->shown; i++)
            to[a->bin_of[a->order[i]]] += all[a->order[i]];
        for (uint32_t b = 0; b < a->bins; b++)
            to[b] /= (float)(a->start[b + 1] - a->start[b]);
    }
    for (uint32_t b = 0; s == HSC_OK && b < a->bins; b++) {
        double sum = 0;
        for (uint32_t g = 0; g < k->categories; g++)
            sum += (double)k->values[(size_t)g * a->bins + b];
        if (sum > k->maximum)
            k->maximum = sum;
    }
    free(all);
    return s;
}

static void stack_paint(hsw *w, hsc_canvas *c) {
    stack *k = (stack *)w;
    if (!w->db || !k->values)
        return;
    hsc_stack_frame f = {.n = k->axis.axis.bins, .categories = k->categories, .values = k->values,
                         .maximum = k->maximum, .share = k->share, .labels = k->axis.pointers, .ticks = k->ticks};
    hsc_paint_stack(c, &w->style, &f);
}

static Tcl_Obj *stack_hit(hsw *w, int x, int y) {
    stack *k = (stack *)w;
    int b = w->db && k->values ? chart_bin(&k->axis, w, x) : -1;
    if (b < 0)
        return NULL;
    int plot = hsc_chart_plot_height(&w->surface.canvas, &w->style, k->ticks);
    uint32_t n = k->axis.axis.bins;
    double sum = 0, at = 0;
    for (uint32_t g = 0; g < k->categories; g++)
        sum += (double)k->values[(size_t)g * n + (size_t)b];
    double whole = k->share ? sum : k->maximum, level = (plot - y) / (double)plot * whole;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "column", Tcl_NewWideIntObj(k->axis.axis.order[k->axis.axis.start[b]]));
    put_columns(&k->axis, b, d);
    hsc_tcl_put(d, "sum", number(sum));
    for (uint32_t g = 0; g < k->categories; g++) {
        double v = (double)k->values[(size_t)g * n + (size_t)b];
        if (level >= at && level < at + v) {
            const char *name = hsc_db_get_category(w->db->db, g);
            hsc_tcl_put(d, "category", Tcl_NewWideIntObj(g));
            hsc_tcl_put(d, "name", hsc_tcl_text(name ? name : "", name ? strlen(name) : 0));
            hsc_tcl_put(d, "value", number(v));
            hsc_tcl_put(d, "share", Tcl_NewDoubleObj(sum > 0 ? v / sum : 0));
            break;
        }
        at += v;
    }
    return d;
}

static void stack_describe(hsw *w, Tcl_Obj *text) {
    stack *k = (stack *)w;
    if (!w->db || !k->values) {
        Tcl_AppendToObj(text, "categories by processor: nothing chosen\n", -1);
        return;
    }
    Tcl_AppendPrintfToObj(text, "categories of scope %d by processor\n", k->scope);
    for (uint32_t b = 0; b < k->axis.axis.bins && b < 1000; b++) {
        Tcl_AppendPrintfToObj(text, "%s", k->axis.labels[b]);
        for (uint32_t g = 0; g < k->categories; g++)
            Tcl_AppendPrintfToObj(text, "\t%.6g", (double)k->values[(size_t)g * k->axis.axis.bins + b]);
        Tcl_AppendToObj(text, "\n", 1);
    }
}

const hsw_class hsw_stack_class = {
    .command = "stack", .tk_class = "HeatscopeStack", .size = sizeof(stack), .options = stack_options,
    .pick_event = "<<StackPick>>", .fini = stack_fini, .prepare = stack_prepare, .paint = stack_paint, .hit = stack_hit,
    .describe = stack_describe, .move = hsw_rows_move};

/* ---- category bar ---- */

typedef struct catbar {
    hsw w;
    int scope;
    uint32_t n;
    double *values;
} catbar;

static const Tk_OptionSpec catbar_options[] = {HSW_O_INT(catbar, "-scope", scope, "-1", HSW_DATA), HSW_OPTIONS_END};

static void catbar_fini(hsw *w) { free(((catbar *)w)->values); }

static hsc_status catbar_prepare(hsw *w, hsc_err *err) {
    catbar *k = (catbar *)w;
    free(k->values);
    k->values = NULL;
    k->n = 0;
    if (k->scope < 0)
        return HSC_OK;
    if ((uint32_t)k->scope >= w->db->info.scopes)
        return hsc_err_set(err, HSC_E_ARGUMENT, "no scope %d, there are %u", k->scope, w->db->info.scopes);
    uint32_t n = w->db->info.categories;
    if (!(k->values = calloc((size_t)n + 1, sizeof *k->values)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u categories", n);
    k->n = n;
    return n ? hsc_db_read_sums(w->db->db, hsw_view(w, HSC_TABLE_SCOPE_CATEGORY), (uint64_t)k->scope * n, n, k->values, err)
             : HSC_OK;
}

static void catbar_paint(hsw *w, hsc_canvas *c) {
    catbar *k = (catbar *)w;
    hsc_paint_category_bar(c, &w->style, 0, 0, c->width, c->height, w->db ? k->n : 0, k->values);
}

static Tcl_Obj *catbar_hit(hsw *w, int x, int y) {
    catbar *k = (catbar *)w;
    double sum = 0, at = 0;
    (void)y;
    for (uint32_t g = 0; g < k->n; g++)
        sum += k->values[g];
    for (uint32_t g = 0; w->db && g < k->n && sum > 0; g++) {
        at += k->values[g];
        if (x < lround(at / sum * hsw_width(w))) {
            const char *name = hsc_db_get_category(w->db->db, g);
            Tcl_Obj *d = Tcl_NewDictObj();
            hsc_tcl_put(d, "category", Tcl_NewWideIntObj(g));
            hsc_tcl_put(d, "name", hsc_tcl_text(name ? name : "", name ? strlen(name) : 0));
            hsc_tcl_put(d, "value", number(k->values[g]));
            hsc_tcl_put(d, "share", Tcl_NewDoubleObj(k->values[g] / sum));
            return d;
        }
    }
    return NULL;
}

static void catbar_describe(hsw *w, Tcl_Obj *text) {
    catbar *k = (catbar *)w;
    for (uint32_t g = 0; w->db && g < k->n; g++) {
        const char *name = hsc_db_get_category(w->db->db, g);
        Tcl_AppendPrintfToObj(text, "%s: %.6g\n", name ? name : "", k->values[g]);
    }
}

const hsw_class hsw_catbar_class = {
    .command = "catbar", .tk_class = "HeatscopeCatbar", .size = sizeof(catbar), .options = catbar_options,
    .pick_event = "<<CategoryPick>>", .fini = catbar_fini, .prepare = catbar_prepare, .paint = catbar_paint,
    .hit = catbar_hit, .describe = catbar_describe};
