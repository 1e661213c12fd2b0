/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::flame: the tree of calling contexts as a flame graph that hangs from its root. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>

#include "number.h"
#include "widget.h"

#define BOXES_MAX 60000u
#define DEPTH_MAX 4000u

typedef struct flame {
    hsw w;
    hsw_against against;
    int root, selected, row_height, loops;
    char *search;
    /* by prepare */
    double *sums; /* of the contexts from .. end; NULL: not read */
    uint64_t sums_of; /* see hsc_handle */
    int sums_metric;
    uint32_t from, end, deepest, top;
    int shown_root, shown_selected; /* that `top` was chosen for */
    uint32_t shown_rows;
    hsc_flame_box *boxes;
    uint32_t n, capacity;
    char callers[400]; /* of the root, the nearest first: folded into one row */
    double total, matched;
    unsigned char *found; /* by scope: its name has what is searched; NULL: nothing is */
    unsigned char *module_kind; /* 1 + enum hsc_flame_kind, 0 not looked up */
} flame;

static const Tk_OptionSpec options[] = {
    HSW_AGAINST_OPTIONS(flame, against),
    HSW_O_INT(flame, "-root", root, "0", HSW_DATA),
    HSW_O_INT(flame, "-selected", selected, "-1", HSW_DATA),
    HSW_O_INT(flame, "-rowheight", row_height, "0", HSW_PAINT),
    HSW_O_BOOL(flame, "-loops", loops, "1", HSW_DATA),
    HSW_O_TEXT(flame, "-search", search, "", HSW_DATA),
    HSW_OPTIONS_END};

static void fini(hsw *w) {
    flame *f = (flame *)w;
    free(f->sums);
    free(f->boxes);
    free(f->found);
    free(f->module_kind);
}

static int row_height(const flame *f) {
    return f->row_height > 0 ? f->row_height : hsw_linespace(&f->w, false) + (int)(6 * f->w.scale);
}

static bool is_threads_library(const char *path) {
    const char *slash = strrchr(path, '/');
    return !strncmp(slash ? slash + 1 : path, "libpthread", 10);
}

/* What the code of a module is. */
static enum hsc_flame_kind kind_of_module(flame *f, uint32_t module) {
    hsc_db_module m;
    hsc_db_process p;
    if (module >= f->w.db->info.modules || hsc_db_get_module(f->w.db->db, module, &m, NULL) != HSC_OK)
        return HSC_FLAME_LIBRARY;
    hsc_library_role role = hsc_library_role_of(m.path);
    if (role == HSC_LIBRARY_MESSAGES)
        return HSC_FLAME_MESSAGES;
    if (hsc_library_is_openmp(role) || is_threads_library(m.path))
        return HSC_FLAME_THREADS;
    if (m.knowledge == HSC_KNOWN_MAP ||
        (f->w.db->info.processes && hsc_db_get_process(f->w.db->db, 0, &p, NULL) == HSC_OK && !strcmp(p.executable, m.path)))
        return HSC_FLAME_OWN;
    return HSC_FLAME_LIBRARY;
}

static enum hsc_flame_kind kind_of(flame *f, const hsc_db_context *c, const hsc_db_scope *s) {
    if (c->kind == HSC_CONTEXT_ROOT || c->kind == HSC_CONTEXT_PARTIAL)
        return HSC_FLAME_ROOT;
    enum hsc_flame_kind k = HSC_FLAME_LIBRARY;
    if (s->module < f->w.db->info.modules && f->module_kind) {
        if (!f->module_kind[s->module])
            f->module_kind[s->module] = (unsigned char)(1 + kind_of_module(f, s->module));
        k = (enum hsc_flame_kind)(f->module_kind[s->module] - 1);
    }
    if (k != HSC_FLAME_OWN && s->knowledge != HSC_KNOWN_MAP)
        return k;
    return c->kind == HSC_CONTEXT_LOOP ? HSC_FLAME_LOOP : c->kind == HSC_CONTEXT_INLINED ? HSC_FLAME_INLINED : HSC_FLAME_OWN;
}

static void name_of(const hsc_db_context *c, const hsc_db_scope *s, char *out, size_t capacity) {
    char clean[200];
    if (c->kind == HSC_CONTEXT_ROOT)
        snprintf(out, capacity, "all");
    else if (c->kind == HSC_CONTEXT_PARTIAL)
        snprintf(out, capacity, "paths without a start");
    else if (c->kind == HSC_CONTEXT_LOOP && s->line_begin)
        snprintf(out, capacity, "%s :%u", hsc_text_clean(s->name, clean, sizeof clean), s->line_begin);
    else if (c->kind == HSC_CONTEXT_LOOP)
        hsc_text_clean(s->name, out, capacity);
    else {
        char whole[400];
        hsc_text_clean(s->name, whole, sizeof whole);
        hsc_name_short(whole, out, capacity);
    }
}

static hsc_status put_box(flame *f, uint32_t context, const hsc_db_context *c, uint32_t depth, double x0, double x1, double value,
                          bool above, hsc_err *err) {
    if (f->n == f->capacity) {
        uint32_t more = f->capacity ? 2 * f->capacity : 256;
        hsc_flame_box *list = realloc(f->boxes, more * sizeof *list);
        if (!list)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u boxes", more);
        f->boxes = list;
        f->capacity = more;
    }
    hsc_db_scope s = {.name = "?", .module = HSC_NONE};
    if (c->scope != HSC_NONE)
        (void)hsc_db_get_scope(f->w.db->db, c->scope, &s, NULL);
    hsc_flame_box *b = &f->boxes[f->n++];
    *b = (hsc_flame_box){.context = context, .depth = depth, .x0 = x0, .x1 = x1, .value = value, .kind = kind_of(f, c, &s),
                         .above = above, .selected = (int64_t)context == f->selected};
    name_of(c, &s, b->name, sizeof b->name);
    b->matched = f->found && c->scope < f->w.db->info.scopes && c->kind != HSC_CONTEXT_ROOT && f->found[c->scope];
    if (depth > f->deepest)
        f->deepest = depth;
    return HSC_OK;
}

typedef struct child {
    uint32_t context;
    double value;
} child;

static int widest_first(const void *a, const void *b) {
    const child *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

/* Boxes of what is below box `at`, breadth first: boxes are their own queue. What is narrower than half a pixel is left out. */
static hsc_status put_children(flame *f, uint32_t at, double least, hsc_err *err) {
    hsc_db_context c;
    child *list = NULL;
    uint32_t n = 0, capacity = 0;
    hsc_flame_box box = f->boxes[at];
    hsc_status s = hsc_db_get_context(f->w.db->db, box.context, &c, err);
    uint32_t end = s == HSC_OK && c.subtree_end < f->end ? c.subtree_end : f->end;
    for (uint32_t i = box.context + 1; s == HSC_OK && i < end;) {
        if ((s = hsc_db_get_context(f->w.db->db, i, &c, err)) != HSC_OK)
            break;
        /* without loops their children stand in their place */
        bool skip = !f->loops && c.kind == HSC_CONTEXT_LOOP;
        uint32_t next = skip || c.subtree_end <= i ? i + 1 : c.subtree_end;
        if (!skip && f->sums[i - f->from] >= least) {
            if (n == capacity) {
                capacity = capacity ? 2 * capacity : 32;
                child *more = realloc(list, capacity * sizeof *more);
                if (!more) {
                    s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u contexts", capacity);
                    break;
                }
                list = more;
            }
            list[n++] = (child){i, f->sums[i - f->from]};
        }
        i = next;
    }
    if (n)
        qsort(list, n, sizeof *list, widest_first);
    double x = box.x0;
    for (uint32_t i = 0; s == HSC_OK && i < n && f->n < BOXES_MAX; i++) {
        double w = list[i].value / f->total;
        if ((s = hsc_db_get_context(f->w.db->db, list[i].context, &c, err)) == HSC_OK)
            s = put_box(f, list[i].context, &c, box.depth + 1, x, x + w, list[i].value, false, err);
        x += w;
    }
    free(list);
    return s;
}

/* f->found of what is searched. */
static hsc_status find_scopes(flame *f, hsc_err *err) {
    uint32_t *rows = NULL, n = 0;
    free(f->found);
    f->found = NULL;
    if (!f->search || !f->search[0])
        return HSC_OK;
    hsc_status s = hsc_db_find_text(f->w.db->db, HSC_TEXTS_SCOPES, f->search, &rows, &n, err);
    if (s == HSC_OK && !(f->found = calloc((size_t)f->w.db->info.scopes + 1, sizeof *f->found)))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for a search in %u scopes", f->w.db->info.scopes);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++)
        f->found[rows[i]] = 1;
    free(rows);
    return s;
}

/* The part of the root that is in contexts whose name matches, each sample once. */
static hsc_status add_matches(flame *f, hsc_err *err) {
    const uint32_t *scope;
    hsc_db_context c;
    f->matched = 0;
    hsc_status s = f->found ? hsc_db_get_scope_of_contexts(f->w.db->db, &scope, err) : HSC_OK;
    for (uint32_t i = f->from; f->found && s == HSC_OK && i < f->end;) {
        uint32_t next = i + 1;
        if (scope[i] < f->w.db->info.scopes && f->found[scope[i]] && (s = hsc_db_get_context(f->w.db->db, i, &c, err)) == HSC_OK &&
            c.kind != HSC_CONTEXT_ROOT) {
            f->matched += f->sums[i - f->from];
            next = c.subtree_end > i ? c.subtree_end : next;
        }
        i = next;
    }
    return s;
}

/* Colours of the boxes by what changed in the other run; what is only there has no box. */
static hsc_status add_changes(flame *f, hsc_err *err) {
    hsw *w = &f->w;
    hsc_handle *other;
    uint32_t metric;
    const uint32_t *map;
    double scale, *there = NULL;
    hsw_noise noise;
    hsc_status s = hsw_other(w, &f->against, &other, &metric, &scale, err);
    if (s != HSC_OK || (s = hsw_noise_init(&noise, w, other, metric, scale, err)) != HSC_OK ||
        (s = hsc_handle_match(w->db, other, HSC_MATCH_CONTEXTS, &map, err)) != HSC_OK)
        return s;
    float *changes = malloc(((size_t)f->n + 1) * sizeof *changes);
    hsc_db_view view = {metric, HSC_TABLE_CONTEXT_INCL, (hsc_db_axis)w->axis};
    if (!changes || !(there = malloc(((size_t)other->info.contexts + 1) * sizeof *there)))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u contexts", other->info.contexts);
    if (s == HSC_OK && other->info.contexts)
        s = hsc_db_read_sums(other->db, view, 0, other->info.contexts, there, err);
    for (uint32_t i = 0; s == HSC_OK && i < f->n; i++) {
        double a = f->boxes[i].value, b = 0;
        if (f->boxes[i].above)
            s = hsc_db_read_sums(w->db->db, hsw_view(w, HSC_TABLE_CONTEXT_INCL), f->boxes[i].context, 1, &a, err);
        if (map[f->boxes[i].context] < other->info.contexts)
            b = there[map[f->boxes[i].context]] * scale;
        changes[i] = hsw_within_noise(&noise, a, b) ? 0 : hsw_change(f->against.show, a, b);
    }
    if (s == HSC_OK) {
        hsc_colour_scale colours;
        hsc_colour_scale_init_change(&colours, HSC_SCALING_LINEAR, hsw_change_maximum(f->against.show, changes, NULL, f->n),
                                     f->against.show == HSW_SHOW_RATIO);
        for (uint32_t i = 0; i < f->n; i++) {
            f->boxes[i].changed = true;
            f->boxes[i].change = changes[i];
            f->boxes[i].colour = hsc_colour_scale_get(&colours, changes[i]);
            /* the sign stands before the name, so that it is not told by colour alone */
            char name[sizeof f->boxes[i].name];
            memcpy(name, f->boxes[i].name, sizeof name);
            if (changes[i] < 0 || changes[i] > 0)
                snprintf(f->boxes[i].name, sizeof f->boxes[i].name, "%c %.60s", changes[i] < 0 ? '-' : '+', name);
        }
    }
    free(changes);
    free(there);
    return s;
}

/* Names of what calls a context, the nearest first, as many as have room; *parent: the nearest, HSC_NONE for the root of all. */
static hsc_status read_callers(flame *f, uint32_t context, uint32_t *parent, hsc_err *err) {
    hsc_db_context c;
    size_t used = 0;
    *parent = HSC_NONE;
    f->callers[0] = 0;
    for (uint32_t at = context;; at = c.parent) { /* parents come first in the table */
        hsc_status s = hsc_db_get_context(f->w.db->db, at, &c, err);
        if (s != HSC_OK)
            return s;
        if (at != context) {
            hsc_db_scope sc = {.name = "?", .module = HSC_NONE};
            char name[sizeof f->boxes->name];
            if (c.scope != HSC_NONE)
                (void)hsc_db_get_scope(f->w.db->db, c.scope, &sc, NULL);
            name_of(&c, &sc, name, sizeof name);
            int n = snprintf(f->callers + used, sizeof f->callers - used, "%s%s", used ? " \xe2\x80\xb9 " : "\xe2\x80\xb9 ", name);
            if (n < 0 || used + (size_t)n + 8 >= sizeof f->callers) {
                snprintf(f->callers + used, sizeof f->callers - used, " \xe2\x80\xa6");
                return HSC_OK;
            }
            used += (size_t)n;
        }
        if (!at || c.parent >= at)
            return HSC_OK;
        if (*parent == HSC_NONE)
            *parent = c.parent;
    }
}

/* The row to begin with, of `rows`: the selected box in the middle, or the innermost there is of those that it is in; the root's where it is none. */
static uint32_t first_row(const flame *f, uint32_t rows) {
    uint32_t best = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const hsc_flame_box *b = &f->boxes[i];
        hsc_db_context c;
        bool holds = b->selected || (f->selected >= 0 && !b->above && b->context <= (uint32_t)f->selected &&
                                     hsc_db_get_context(f->w.db->db, b->context, &c, NULL) == HSC_OK && (uint32_t)f->selected < c.subtree_end);
        if (holds && b->depth > best)
            best = b->depth;
    }
    return best > rows / 2 ? best - rows / 2 : 0;
}

/* f->sums of what is below the root, unless they are there: most pictures differ in what is selected only. */
static hsc_status read_sums(flame *f, const hsc_db_context *root, hsc_err *err) {
    hsw *w = &f->w;
    uint32_t from = (uint32_t)f->root, end = root->subtree_end > w->db->info.contexts ? w->db->info.contexts : root->subtree_end;
    if (f->sums && f->from == from && f->end == end && f->sums_of == w->db->values && f->sums_metric == w->metric)
        return HSC_OK;
    free(f->sums);
    f->from = from;
    f->end = end;
    f->sums_of = w->db->values;
    f->sums_metric = w->metric;
    f->sums = malloc(((size_t)(end - from) + 1) * sizeof *f->sums);
    hsc_status s = f->sums ? hsc_db_read_sums(w->db->db, hsw_view(w, HSC_TABLE_CONTEXT_INCL), from, end - from, f->sums, err)
                           : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u contexts", end - from);
    if (s != HSC_OK) {
        free(f->sums);
        f->sums = NULL;
    }
    return s;
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    flame *f = (flame *)w;
    hsc_db_context c;
    uint32_t parent = HSC_NONE, n_above = 0;
    f->n = f->deepest = 0;
    f->total = 0;
    if (f->root < 0 || (uint32_t)f->root >= w->db->info.contexts)
        return HSC_OK;
    if (!f->module_kind && !(f->module_kind = calloc((size_t)w->db->info.modules + 1, 1)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u modules", w->db->info.modules);
    hsc_status s = hsc_db_get_context(w->db->db, (uint32_t)f->root, &c, err);
    if (s != HSC_OK)
        return s;
    if ((s = read_sums(f, &c, err)) != HSC_OK)
        return s;
    f->total = f->sums[0];
    if (!(f->total > 0))
        return HSC_OK;
    hsc_db_context up;
    if ((s = find_scopes(f, err)) != HSC_OK)
        return s;
    if ((s = read_callers(f, f->from, &parent, err)) == HSC_OK && parent != HSC_NONE && (s = hsc_db_get_context(w->db->db, parent, &up, err)) == HSC_OK)
        s = put_box(f, parent, &up, n_above++, 0, 1, f->total, true, err);
    if (s == HSC_OK)
        s = put_box(f, f->from, &c, n_above, 0, 1, f->total, false, err);
    double least = f->total * 0.5 / hsw_width(w);
    for (uint32_t i = n_above; s == HSC_OK && i < f->n && f->boxes[i].depth < DEPTH_MAX; i++)
        s = put_children(f, i, least, err);
    if (s == HSC_OK && hsw_comparing(&f->against))
        s = add_changes(f, err);
    uint32_t rows = (uint32_t)(hsw_height(w) / row_height(f));
    uint32_t last = f->deepest + 1 > rows ? f->deepest + 1 - rows : 0;
    if (f->shown_root != f->root || f->shown_selected != f->selected || f->shown_rows != rows) /* what is new stands in the middle */
        f->top = first_row(f, rows);
    f->top = f->top > last ? last : f->top;
    f->shown_root = f->root;
    f->shown_selected = f->selected;
    f->shown_rows = rows;
    return s == HSC_OK ? add_matches(f, err) : s;
}

static void paint(hsw *w, hsc_canvas *c) {
    flame *f = (flame *)w;
    if (!w->db)
        return;
    if (!f->n) {
        hsc_canvas_text(c, w->style.font, c->width / 2.0, c->height / 2.0, HSC_CENTRE, w->style.colour[HSC_P_muted],
                        w->db->info.contexts > 1 ? "no samples here" : "no calling contexts in this database");
        return;
    }
    hsc_flame_frame frame = {f->boxes, f->n, f->top, row_height(f), f->search && f->search[0], f->callers};
    hsc_paint_flame(c, &w->style, &frame);
}

static Tcl_Obj *box_dict(flame *f, const hsc_flame_box *b) {
    hsc_db_context c;
    double all = 0, exclusive = 0, value = b->value;
    Tcl_Obj *d = Tcl_NewDictObj();
    (void)hsc_handle_total(f->w.db, (uint32_t)f->w.metric, &all, NULL);
    if (b->above)
        (void)hsc_db_read_sums(f->w.db->db, hsw_view(&f->w, HSC_TABLE_CONTEXT_INCL), b->context, 1, &value, NULL);
    (void)hsc_db_read_sums(f->w.db->db, hsw_view(&f->w, HSC_TABLE_CONTEXT_EXCL), b->context, 1, &exclusive, NULL);
    hsc_tcl_put(d, "context", Tcl_NewWideIntObj(b->context));
    hsc_tcl_put(d, "name", hsc_tcl_text(b->name, strlen(b->name)));
    hsc_tcl_put(d, "kind", Tcl_NewStringObj(hsc_db_get_context(f->w.db->db, b->context, &c, NULL) == HSC_OK &&
                                                    c.kind <= HSC_CONTEXT_PARTIAL
                                                ? hsc_context_names[c.kind]
                                                : "?",
                                            -1));
    hsc_tcl_put(d, "depth", Tcl_NewWideIntObj(b->depth));
    hsc_tcl_put(d, "inclusive", Tcl_NewDoubleObj(value));
    hsc_tcl_put(d, "exclusive", Tcl_NewDoubleObj(exclusive));
    hsc_tcl_put(d, "share", Tcl_NewDoubleObj(all > 0 ? value / all : 0));
    if (b->changed)
        hsc_tcl_put(d, "change", Tcl_NewDoubleObj((double)b->change));
    return d;
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    flame *f = (flame *)w;
    double at = ((double)x + 0.5) / hsw_width(w);
    if (!w->db || y < 0)
        return NULL;
    uint32_t depth = (uint32_t)(y / row_height(f)) + f->top;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->boxes[i].depth == depth && f->boxes[i].x0 <= at && at < f->boxes[i].x1)
            return box_dict(f, &f->boxes[i]);
    return NULL;
}

static bool release(hsw *w, int x, int y, int state) {
    (void)state;
    Tcl_Obj *d = w->dragged ? NULL : hit(w, x, y);
    if (d)
        hsw_send(w, "<<FlamePick>>", d);
    return true;
}

static bool press(hsw *w, int x, int y, int state) {
    (void)w;
    (void)x;
    (void)y;
    (void)state;
    return true;
}

static bool open_box(hsw *w, int x, int y) {
    flame *f = (flame *)w;
    Tcl_Obj *d = NULL;
    hsw_draw(w);
    if (x >= 0)
        d = hit(w, x, y);
    for (uint32_t i = 0; !d && x < 0 && i < f->n; i++)
        if (f->boxes[i].selected)
            d = box_dict(f, &f->boxes[i]);
    if (d)
        hsw_send(w, "<<FlameOpen>>", d);
    return true;
}

static bool wheel(hsw *w, int x, int y, int steps, int state) {
    flame *f = (flame *)w;
    uint32_t rows = (uint32_t)(hsw_height(w) / row_height(f)), last = f->deepest + 1 > rows ? f->deepest + 1 - rows : 0;
    int64_t top = (int64_t)f->top + steps;
    (void)x;
    (void)y;
    (void)state;
    f->top = top < 0 ? 0 : top > last ? last : (uint32_t)top;
    hsw_schedule(w, HSW_PAINT);
    return true;
}

/* To the neighbour of the selected box: up its caller, down its widest callee, sideways the next on its row. */
static bool move(hsw *w, int rows, int columns, bool extend, bool page) {
    flame *f = (flame *)w;
    const hsc_flame_box *best = NULL, *at = NULL;
    (void)extend;
    (void)page;
    hsw_draw(w);
    for (uint32_t i = 0; i < f->n; i++)
        if (f->boxes[i].selected)
            at = &f->boxes[i];
    if (!at && f->n)
        best = &f->boxes[0];
    for (uint32_t i = 0; at && i < f->n; i++) {
        const hsc_flame_box *b = &f->boxes[i];
        if (rows < 0 && b->depth + 1 == at->depth && b->x0 <= at->x0 && at->x0 < b->x1)
            best = b;
        else if (rows > 0 && b->depth == at->depth + 1 && b->x0 >= at->x0 && b->x0 < at->x1 && (!best || b->x0 < best->x0))
            best = b;
        else if (!rows && columns > 0 && b->depth == at->depth && b->x0 > at->x0 && (!best || b->x0 < best->x0))
            best = b;
        else if (!rows && columns < 0 && b->depth == at->depth && b->x0 < at->x0 && (!best || b->x0 > best->x0))
            best = b;
    }
    if (best)
        hsw_send(w, "<<FlamePick>>", box_dict(f, best));
    return true;
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    flame *f = (flame *)w;
    (void)objv;
    if (objc != 2 || (strcmp(name, "matched") && strcmp(name, "boxes")))
        return TCL_CONTINUE;
    hsw_draw(w);
    if (!strcmp(name, "matched")) {
        Tcl_SetObjResult(interp, Tcl_NewDoubleObj(f->total > 0 ? f->matched / f->total : 0));
        return TCL_OK;
    }
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < f->n && i < 4096; i++) {
        const hsc_flame_box *b = &f->boxes[i];
        Tcl_Obj *d = Tcl_NewDictObj();
        hsc_tcl_put(d, "context", Tcl_NewWideIntObj(b->context));
        hsc_tcl_put(d, "name", hsc_tcl_text(b->name, strlen(b->name)));
        hsc_tcl_put(d, "depth", Tcl_NewWideIntObj(b->depth));
        hsc_tcl_put(d, "x0", Tcl_NewDoubleObj(b->x0));
        hsc_tcl_put(d, "x1", Tcl_NewDoubleObj(b->x1));
        hsc_tcl_put(d, "y", Tcl_NewWideIntObj(((int64_t)b->depth - f->top) * row_height(f)));
        hsc_tcl_put(d, "matched", Tcl_NewWideIntObj(b->matched));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static void describe(hsw *w, Tcl_Obj *text) {
    flame *f = (flame *)w;
    if (!w->db || !f->n) {
        Tcl_AppendToObj(text, "flame graph: no calling contexts\n", -1);
        return;
    }
    Tcl_AppendPrintfToObj(text, "flame graph: %u boxes, %u deep\n", f->n, f->deepest + 1);
    for (uint32_t i = 0; i < f->n && i < 400; i++) {
        const hsc_flame_box *b = &f->boxes[i];
        if (b->above || b->x1 - b->x0 >= 0.005)
            Tcl_AppendPrintfToObj(text, "%*s%s %.1f %%\n", (int)(2 * b->depth), "", b->name, 100 * (b->x1 - b->x0));
    }
}

const hsw_class hsw_flame_class = {
    .command = "flame", .tk_class = "HeatscopeFlame", .size = sizeof(flame), .options = options, .fini = fini,
    .prepare = prepare, .paint = paint, .hit = hit, .describe = describe, .command_of = command_of, .press = press,
    .release = release, .open = open_box, .wheel = wheel, .move = move, .usage = "matched, boxes"};
