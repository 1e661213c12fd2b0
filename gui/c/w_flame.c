/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::flame: the tree of calling contexts as a flame graph that hangs from its root. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>

#include "apart.h"
#include "flame_there.h"
#include "names.h"
#include "widget.h"

#define BOXES_MAX 60000u
#define DEPTH_MAX 4000u

typedef struct flame {
    hsw w;
    hsw_against against;
    int root, selected, row_height, loops;
    char *search;
    int64_t stands; /* context of the selected one's box */
    /* by prepare */
    double *sums; /* of the contexts from .. end; NULL: not read */
    uint64_t sums_of; /* see hsc_handle */
    int sums_metric;
    uint32_t from, end, deepest, top, standing; /* standing: depth of the root's box */
    int shown_root, shown_selected, shown_width; /* that `top` was chosen for */
    uint32_t shown_rows;
    hsc_flame_box *boxes;
    uint32_t n, capacity;
    char callers[400]; /* of the root, the nearest first: folded into one row */
    double total, wide, matched; /* wide: total, and what only the other run has */
    hsw_flame_there there;
    unsigned char *found; /* by scope: its name has what is searched; NULL: nothing is */
    unsigned char *found_there; /* the same of the other run */
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
    free(f->found_there);
    free(f->module_kind);
    hsw_flame_there_forget(&f->there);
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

/* Whether a context has no box of its own: it goes on with the OpenMP construct of the box above. */
static bool is_folded(hsc_handle *h, const hsc_db_context *c) {
    hsc_db_context up;
    hsc_db_scope s;
    return c->kind == HSC_CONTEXT_LOOP && c->parent != HSC_NONE && !hsc_db_get_scope(h->db, c->scope, &s, NULL) &&
           !hsc_db_get_context(h->db, c->parent, &up, NULL) && hsc_db_continues(h->db, &s, up.scope);
}

/* The context whose box a context is in. */
static int64_t unfolded(hsc_handle *h, int64_t context) {
    hsc_db_context c;
    while (context > 0 && context < h->info.contexts && !hsc_db_get_context(h->db, (uint32_t)context, &c, NULL) && c.parent < context && is_folded(h, &c))
        context = c.parent;
    return context;
}

/* What a context has itself, with those folded into it. */
static double read_own(hsc_handle *h, hsc_db_view view, uint32_t context) {
    double sum = 0;
    hsc_db_context c, below;
    (void)hsc_db_read_sums(h->db, view, context, 1, &sum, NULL);
    if (hsc_db_get_context(h->db, context, &c, NULL))
        return sum;
    for (uint32_t i = context + 1; i < c.subtree_end && !hsc_db_get_context(h->db, i, &below, NULL); i = below.subtree_end > i ? below.subtree_end : i + 1)
        if (is_folded(h, &below))
            sum += read_own(h, view, i);
    return sum;
}

/* "generator.h:" for a loop of another file than its procedure's, else ":". */
static void loop_file(hsc_handle *h, const hsc_db_scope *s, char *out, size_t capacity) {
    hsc_db_scope p;
    hsc_db_file f;
    char clean[200];
    bool other = s->procedure != HSC_NONE && s->file != HSC_NONE && !hsc_db_get_scope(h->db, s->procedure, &p, NULL) && p.file != HSC_NONE && p.file != s->file &&
                 !hsc_db_get_file(h->db, s->file, &f, NULL);
    const char *slash = other ? strrchr(f.path, '/') : NULL;
    snprintf(out, capacity, "%s:", other ? hsc_text_clean(slash ? slash + 1 : f.path, clean, sizeof clean) : "");
}

static void name_of(hsc_handle *h, const hsc_db_context *c, const hsc_db_scope *s, char *out, size_t capacity) {
    char clean[200];
    if (c->kind == HSC_CONTEXT_ROOT)
        snprintf(out, capacity, "all");
    else if (c->kind == HSC_CONTEXT_PARTIAL)
        snprintf(out, capacity, "paths without a start");
    else if (c->kind == HSC_CONTEXT_LOOP && s->line_begin) {
        char file[210];
        loop_file(h, s, file, sizeof file);
        hsc_text_clean(s->name, clean, sizeof clean);
        if (snprintf(out, capacity, "%s %s%u", clean, file, s->line_begin) >= (int)capacity) /* the line comes first */
            snprintf(out, capacity, "%s :%u", clean, s->line_begin);
    } else if (c->kind == HSC_CONTEXT_LOOP)
        hsc_text_clean(s->name, out, capacity);
    else {
        char whole[1000], name[400];
        const char *own = name, *inner;
        hsc_text_clean(s->name, whole, sizeof whole);
        hsc_handle_short_name(h, c->scope, whole, name, sizeof name);
        while (strlen(own) >= capacity && (inner = hsc_name_inner(own))) /* the procedure's own name is at the end */
            own = inner;
        snprintf(out, capacity, "%s", own);
    }
}

/* The name of a box, also where that is longer than the box keeps. */
static void name_of_box(const flame *f, const hsc_flame_box *b, char *out, size_t capacity) {
    hsc_db *db = b->there ? f->there.other->db : f->w.db->db;
    hsc_db_context c;
    hsc_db_scope s = {.name = "?", .module = HSC_NONE};
    if (hsc_db_get_context(db, b->context, &c, NULL) != HSC_OK) {
        snprintf(out, capacity, "%s", b->name);
        return;
    }
    if (c.scope != HSC_NONE)
        (void)hsc_db_get_scope(db, c.scope, &s, NULL);
    size_t sign = b->changed && (b->name[0] == '+' || b->name[0] == '-') && b->name[1] == ' ' ? 2 : 0;
    snprintf(out, capacity, "%.*s", (int)sign, b->name);
    name_of(b->there ? f->there.other : f->w.db, &c, &s, out + sign, capacity - sign);
}

/* A box for a row of this database's contexts or, `there`, of the other's. */
static hsc_status put_box(flame *f, hsc_flame_box box, const hsc_db_context *c, hsc_err *err) {
    if (f->n == f->capacity) {
        uint32_t more = f->capacity ? 2 * f->capacity : 256;
        hsc_flame_box *list = realloc(f->boxes, more * sizeof *list);
        if (!list)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u boxes", more);
        f->boxes = list;
        f->capacity = more;
    }
    hsc_handle *h = box.there ? f->there.other : f->w.db;
    const unsigned char *found = box.there ? f->found_there : f->found;
    hsc_db_scope s = {.name = "?", .module = HSC_NONE};
    if (c->scope != HSC_NONE)
        (void)hsc_db_get_scope(h->db, c->scope, &s, NULL);
    hsc_flame_box *b = &f->boxes[f->n++];
    *b = box;
    b->kind = box.there ? HSC_FLAME_LIBRARY : kind_of(f, c, &s);
    b->selected = !box.there && (int64_t)box.context == f->stands;
    name_of(h, c, &s, b->name, sizeof b->name - 3); /* and a sign */
    b->matched = found && c->scope < h->info.scopes && c->kind != HSC_CONTEXT_ROOT && found[c->scope];
    if (b->depth > f->deepest)
        f->deepest = b->depth;
    return HSC_OK;
}

typedef struct child {
    uint32_t context;
    bool there;
    double value, width; /* in counts; width: with what only the other run has */
} child;

typedef struct children {
    child *list;
    uint32_t n, capacity;
    double least; /* what is narrower is left out */
} children;

static int widest_first(const void *a, const void *b) {
    const child *x = a, *y = b;
    if (x->width != y->width)
        return x->width > y->width ? -1 : 1;
    if (x->there != y->there)
        return x->there ? 1 : -1;
    return x->context < y->context ? -1 : x->context > y->context;
}

static hsc_status put_child(children *k, child one, hsc_err *err) {
    if (one.width < k->least)
        return HSC_OK;
    if (k->n == k->capacity) {
        uint32_t capacity = k->capacity ? 2 * k->capacity : 32;
        child *more = realloc(k->list, capacity * sizeof *more);
        if (!more)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u contexts", capacity);
        k->list = more;
        k->capacity = capacity;
    }
    k->list[k->n++] = one;
    return HSC_OK;
}

/* Rows of the other run from `row` to `end`, and what stands in their place without loops. */
static hsc_status collect_there(flame *f, children *k, uint32_t row, uint32_t end, hsc_err *err) {
    hsc_db_context c;
    hsc_status s = HSC_OK;
    for (uint32_t i = row; s == HSC_OK && i < end;) {
        if ((s = hsc_db_get_context(f->there.other->db, i, &c, err)) != HSC_OK)
            break;
        bool skip = (!f->loops && c.kind == HSC_CONTEXT_LOOP) || is_folded(f->there.other, &c);
        if (!skip)
            s = put_child(k, (child){i, true, f->there.sums[i], f->there.sums[i]}, err);
        i = skip || c.subtree_end <= i ? i + 1 : c.subtree_end;
    }
    return s;
}

/* What only the other run has right below our context. */
static hsc_status collect_new(flame *f, children *k, uint32_t context, hsc_err *err) {
    uint32_t n;
    const hsw_flame_new *list = hsw_flame_there_below(&f->there, context, &n);
    hsc_db_context c;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < n; i++)
        if ((s = hsc_db_get_context(f->there.other->db, list[i].context, &c, err)) == HSC_OK)
            s = collect_there(f, k, list[i].context, c.subtree_end > list[i].context ? c.subtree_end : list[i].context + 1, err);
    return s;
}

static hsc_status collect(flame *f, children *k, uint32_t context, hsc_err *err) {
    hsc_db_context c;
    hsc_status s = hsc_db_get_context(f->w.db->db, context, &c, err);
    uint32_t end = s == HSC_OK && c.subtree_end < f->end ? c.subtree_end : f->end;
    if (s == HSC_OK)
        s = collect_new(f, k, context, err);
    for (uint32_t i = context + 1; s == HSC_OK && i < end;) {
        if ((s = hsc_db_get_context(f->w.db->db, i, &c, err)) != HSC_OK)
            break;
        /* without loops their children stand in their place, and in that of what is folded */
        bool skip = (!f->loops && c.kind == HSC_CONTEXT_LOOP) || is_folded(f->w.db, &c);
        double value = f->sums[i - f->from];
        s = skip ? collect_new(f, k, i, err) : put_child(k, (child){i, false, value, value + hsw_flame_there_added(&f->there, i)}, err);
        i = skip || c.subtree_end <= i ? i + 1 : c.subtree_end;
    }
    return s;
}

/* Boxes of what is below box `at`, breadth first: boxes are their own queue. What is narrower than half a pixel is left out. */
static hsc_status put_children(flame *f, uint32_t at, double least, hsc_err *err) {
    hsc_db_context c;
    children k = {.least = least};
    hsc_flame_box box = f->boxes[at];
    hsc_status s;
    if (!box.there)
        s = collect(f, &k, box.context, err);
    else if ((s = hsc_db_get_context(f->there.other->db, box.context, &c, err)) == HSC_OK)
        s = collect_there(f, &k, box.context + 1, c.subtree_end, err);
    if (k.n)
        qsort(k.list, k.n, sizeof *k.list, widest_first);
    double x = box.x0;
    for (uint32_t i = 0; s == HSC_OK && i < k.n && f->n < BOXES_MAX; i++) {
        const child *one = &k.list[i];
        double w = one->width / f->wide;
        if ((s = hsc_db_get_context(one->there ? f->there.other->db : f->w.db->db, one->context, &c, err)) == HSC_OK)
            s = put_box(f, (hsc_flame_box){.context = one->context, .there = one->there, .depth = box.depth + 1, .x0 = x, .x1 = x + w, .value = one->value}, &c, err);
        x += w;
    }
    free(k.list);
    return s;
}

/* By scope of a database: its name has what is searched; NULL where nothing is. */
static hsc_status find_scopes(flame *f, hsc_handle *h, unsigned char **out, hsc_err *err) {
    uint32_t *rows = NULL, n = 0;
    free(*out);
    *out = NULL;
    if (!h || !f->search || !f->search[0])
        return HSC_OK;
    hsc_status s = hsc_db_find_text(h->db, HSC_TEXTS_SCOPES, f->search, &rows, &n, err);
    if (s == HSC_OK && !(*out = calloc((size_t)h->info.scopes + 1, sizeof **out)))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for a search in %u scopes", h->info.scopes);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++)
        (*out)[rows[i]] = 1;
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

/* Colours of the boxes by what changed in the other run. */
static hsc_status add_changes(flame *f, hsc_err *err) {
    hsw *w = &f->w;
    const hsw_flame_there *t = &f->there;
    hsw_noise noise;
    hsc_status s = hsw_noise_init(&noise, w, t->other, t->metric, t->scale, err);
    float *changes = malloc(((size_t)f->n + 1) * sizeof *changes);
    if (s == HSC_OK && !changes)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u boxes", f->n);
    for (uint32_t i = 0; s == HSC_OK && i < f->n; i++) {
        const hsc_flame_box *box = &f->boxes[i];
        double a = box->there ? 0 : box->value, b = box->there ? box->value : 0;
        if (box->above)
            s = hsc_db_read_sums(w->db->db, hsw_view(w, HSC_TABLE_CONTEXT_INCL), box->context, 1, &a, err);
        if (!box->there && t->map[box->context] < t->other->info.contexts)
            b = t->sums[t->map[box->context]];
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
            name_of(f->w.db, &c, &sc, name, sizeof name);
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

static hsc_flame_rows rows_of(const flame *f) {
    int height = row_height(f);
    return (hsc_flame_rows){.height = height, .count = hsw_height(&f->w) / height, .top = f->top, .deepest = f->deepest, .standing = f->standing};
}

/* Rows out of sight above, of `rows`: as few as leave the selected box, or the innermost there is of those that it is in, and two rows below it in sight. */
static uint32_t first_row(const flame *f, uint32_t rows) {
    uint32_t best = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const hsc_flame_box *b = &f->boxes[i];
        hsc_db_context c;
        bool holds = b->selected || (f->selected >= 0 && !b->above && !b->there && b->context <= (uint32_t)f->selected &&
                                     hsc_db_get_context(f->w.db->db, b->context, &c, NULL) == HSC_OK && (uint32_t)f->selected < c.subtree_end);
        if (holds && b->depth > best)
            best = b->depth;
    }
    uint32_t below = rows > 4 ? 2 : rows / 2;
    return best + below + 1 > rows ? best + below + 1 - rows : 0;
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
    f->stands = f->selected == f->root ? f->root : unfolded(w->db, f->selected);
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
    if ((s = hsw_flame_there_read(&f->there, w, &f->against, err)) != HSC_OK ||
        (s = find_scopes(f, w->db, &f->found, err)) != HSC_OK || (s = find_scopes(f, f->there.other, &f->found_there, err)) != HSC_OK)
        return s;
    f->wide = f->total + hsw_flame_there_added(&f->there, f->from);
    if ((s = read_callers(f, f->from, &parent, err)) == HSC_OK && parent != HSC_NONE && (s = hsc_db_get_context(w->db->db, parent, &up, err)) == HSC_OK)
        s = put_box(f, (hsc_flame_box){.context = parent, .depth = n_above++, .x1 = 1, .value = f->total, .above = true}, &up, err);
    if (s == HSC_OK)
        s = put_box(f, (hsc_flame_box){.context = f->from, .depth = n_above, .x1 = 1, .value = f->total}, &c, err);
    f->standing = n_above;
    double least = f->wide * 0.5 / hsw_width(w);
    for (uint32_t i = n_above; s == HSC_OK && i < f->n && f->boxes[i].depth < DEPTH_MAX; i++)
        s = put_children(f, i, least, err);
    if (s == HSC_OK && f->there.other)
        s = add_changes(f, err);
    uint32_t rows = (uint32_t)(hsw_height(w) / row_height(f));
    uint32_t last = f->deepest + 1 > rows ? f->deepest + 1 - rows : 0;
    if (f->shown_root != f->root || f->shown_selected != f->selected || f->shown_rows != rows || f->shown_width != hsw_width(w)) /* what is new is in sight */
        f->top = first_row(f, rows);
    f->top = f->top > last ? last : f->top;
    f->shown_root = f->root;
    f->shown_selected = f->selected;
    f->shown_rows = rows;
    f->shown_width = hsw_width(w); /* narrow boxes come and go with it */
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
    hsc_flame_frame frame = {f->boxes, f->n, rows_of(f), f->search && f->search[0], f->callers};
    hsc_paint_flame(c, &w->style, &frame);
}

/* Of the other run's rows `there` tells which, `context` is -1. */
static Tcl_Obj *box_dict(flame *f, const hsc_flame_box *b) {
    hsc_handle *h = f->w.db, *other = NULL;
    hsc_db_view view = hsw_view(&f->w, HSC_TABLE_CONTEXT_EXCL);
    hsc_db_context c;
    double all = 0, value = b->value, scale = 1;
    Tcl_Obj *d = Tcl_NewDictObj();
    (void)hsc_handle_total(h, (uint32_t)f->w.metric, &all, NULL);
    if (b->above)
        (void)hsc_db_read_sums(h->db, hsw_view(&f->w, HSC_TABLE_CONTEXT_INCL), b->context, 1, &value, NULL);
    if (b->there && hsw_other(&f->w, &f->against, &other, &view.metric, &scale, NULL) == HSC_OK)
        h = other;
    hsc_tcl_put(d, "context", Tcl_NewWideIntObj(b->there ? -1 : (Tcl_WideInt)b->context));
    if (b->there)
        hsc_tcl_put(d, "there", Tcl_NewWideIntObj(b->context));
    char name[320];
    name_of_box(f, b, name, sizeof name);
    hsc_tcl_put(d, "name", hsc_tcl_text(name, strlen(name)));
    hsc_tcl_put(d, "kind", Tcl_NewStringObj(hsc_db_get_context(h->db, b->context, &c, NULL) == HSC_OK && c.kind <= HSC_CONTEXT_PARTIAL
                                                ? hsc_context_names[c.kind]
                                                : "?",
                                            -1));
    hsc_tcl_put(d, "depth", Tcl_NewWideIntObj(b->depth));
    hsc_tcl_put(d, "inclusive", Tcl_NewDoubleObj(value));
    hsc_tcl_put(d, "exclusive", Tcl_NewDoubleObj(read_own(h, view, b->context) * scale));
    hsc_tcl_put(d, "share", Tcl_NewDoubleObj(all > 0 ? value / all : 0));
    if (b->changed)
        hsc_tcl_put(d, "change", Tcl_NewDoubleObj((double)b->change));
    return d;
}

/* The sign of rows out of sight there: -1 those above, 1 below, 0 none. */
static int sign_at(const flame *f, int x, int y) {
    hsc_flame_rows rows = rows_of(f);
    for (int below = 0; f->n && below < 2; below++) {
        hsc_flame_sign s = hsc_flame_sign_of(&rows, f->w.style.small, f->w.scale, hsw_width(&f->w), below);
        if (s.text[0] && x >= s.x && y >= s.y && y < s.y + s.h)
            return below ? 1 : -1;
    }
    return 0;
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    flame *f = (flame *)w;
    double at = ((double)x + 0.5) / hsw_width(w);
    if (!w->db || y < 0 || sign_at(f, x, y))
        return NULL;
    hsc_flame_rows rows = rows_of(f);
    uint32_t depth = hsc_flame_depth(&rows, (uint32_t)(y / rows.height));
    for (uint32_t i = 0; i < f->n; i++)
        if (f->boxes[i].depth == depth && f->boxes[i].x0 <= at && at < f->boxes[i].x1)
            return box_dict(f, &f->boxes[i]);
    return NULL;
}

static void scroll_by(flame *f, int64_t steps) {
    hsc_flame_rows rows = rows_of(f);
    int64_t last = (int64_t)f->deepest + 1 - rows.count, top = (int64_t)f->top + steps;
    top = top < last ? top : last;
    f->top = top > 0 ? (uint32_t)top : 0;
    hsw_schedule(&f->w, HSW_PAINT);
}

/* A sign of rows out of sight brings as many of them as are in sight. */
static bool release(hsw *w, int x, int y, int state) {
    (void)state;
    int sign = w->dragged ? 0 : sign_at((flame *)w, x, y);
    Tcl_Obj *d = w->dragged ? NULL : hit(w, x, y);
    if (sign)
        scroll_by((flame *)w, (int64_t)sign * (rows_of((flame *)w).count - 1));
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
    (void)x;
    (void)y;
    (void)state;
    scroll_by((flame *)w, steps);
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
        if (b->there) /* nothing here can be chosen for it */
            continue;
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
    hsc_flame_rows rows = rows_of(f);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < f->n && i < 4096; i++) {
        const hsc_flame_box *b = &f->boxes[i];
        Tcl_Obj *d = Tcl_NewDictObj();
        hsc_tcl_put(d, "context", Tcl_NewWideIntObj(b->there ? -1 : (Tcl_WideInt)b->context));
        if (b->there)
            hsc_tcl_put(d, "there", Tcl_NewWideIntObj(b->context));
        char of_box[320];
        name_of_box(f, b, of_box, sizeof of_box);
        hsc_tcl_put(d, "name", hsc_tcl_text(of_box, strlen(of_box)));
        hsc_tcl_put(d, "inclusive", Tcl_NewDoubleObj(b->value));
        hsc_tcl_put(d, "depth", Tcl_NewWideIntObj(b->depth));
        hsc_tcl_put(d, "x0", Tcl_NewDoubleObj(b->x0));
        hsc_tcl_put(d, "x1", Tcl_NewDoubleObj(b->x1));
        hsc_tcl_put(d, "y", Tcl_NewWideIntObj(hsc_flame_row(&rows, b->depth) * rows.height));
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
    Tcl_AppendPrintfToObj(text, "flame graph: %u boxes, %u deep", f->n, f->deepest + 1);
    hsc_flame_rows rows = rows_of(f);
    for (int below = 0; below < 2; below++) {
        hsc_flame_sign sign = hsc_flame_sign_of(&rows, w->style.small, w->scale, hsw_width(w), below);
        if (sign.text[0])
            Tcl_AppendPrintfToObj(text, ", %s", sign.text);
    }
    Tcl_AppendToObj(text, "\n", 1);
    for (uint32_t i = 0; i < f->n && i < 400; i++) {
        const hsc_flame_box *b = &f->boxes[i];
        char name[320];
        name_of_box(f, b, name, sizeof name);
        if (b->above || b->x1 - b->x0 >= 0.005)
            Tcl_AppendPrintfToObj(text, "%*s%s %.1f %%%s\n", (int)(2 * b->depth), "", name, 100 * b->value / f->total,
                                  b->there ? ", only in the other run" : "");
    }
}

const hsw_class hsw_flame_class = {
    .command = "flame", .tk_class = "HeatscopeFlame", .size = sizeof(flame), .options = options, .fini = fini,
    .prepare = prepare, .paint = paint, .hit = hit, .describe = describe, .command_of = command_of, .press = press,
    .release = release, .open = open_box, .wheel = wheel, .move = move, .usage = "matched, boxes"};
