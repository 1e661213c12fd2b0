/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::overview: what it shows, from the database. */
#include <stdlib.h>
#include <string.h>

#include "w_overview.h"

enum { KEPT_VALUES_MAX = 1 << 20 };

/* Largest value of the picture; bins with rows that stand for code without lines do not count unless all do. */
static hsc_status picture_maximum(overview *v, const uint32_t *lo, const uint32_t *hi, hsc_err *err) {
    hsc_db *db = v->w.db->db;
    uint32_t n = v->strips.bins, columns = v->axis.bins;
    bool *holder = calloc((size_t)n + 1, 1);
    float best = 0, best_holder = 0;
    if (!holder)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u rows", n);
    for (uint32_t f = 0; f < v->w.db->info.files; f++) {
        hsc_db_file file;
        hsc_db_line l;
        if (hsc_db_get_file(db, f, &file, NULL) == HSC_OK && file.line_rows &&
            hsc_db_get_line(db, file.first_line_row, &l, NULL) == HSC_OK && (l.line == 0 || !file.has_lines))
            holder[hsc_strips_bin_of(&v->strips, file.first_line_row)] = true;
    }
    for (uint32_t k = 0; k < v->strips.strips; k++)
        v->strip_maximum[k] = 0;
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t c = 0; c < columns && hi[b] > lo[b]; c++) {
            float x = v->values[(size_t)b * columns + c];
            float *to = holder[b] ? &best_holder : &best;
            if (x > *to)
                *to = x;
            if (x > v->strip_maximum[b / v->strips.bins_per_strip])
                v->strip_maximum[b / v->strips.bins_per_strip] = x;
        }
    free(holder);
    v->maximum = (double)(best > 0 ? best : best_holder);
    return HSC_OK;
}

/* Rows that nobody has executed as far as is known: 1. malloc'ed. */
static hsc_status find_empty(overview *v, unsigned char **out, hsc_err *err) {
    hsc_handle *h = v->w.db, *other = hsw_comparing(&v->against) ? hsc_handle_find(v->w.interp, v->against.other) : NULL;
    uint32_t rows = h->info.lines;
    const uint32_t *map = NULL;
    unsigned char *empty = malloc((size_t)rows + 1);
    double *there = NULL;
    hsc_status s = empty ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "overview: no memory for %u lines", rows);
    if (s == HSC_OK)
        s = hsc_db_find_zeros(h->db, hsw_view(&v->w, v->o.table), 0, rows, empty, err);
    if (s == HSC_OK && other) { /* what the other run has is not empty */
        hsc_db_view view = hsw_view(&v->w, v->o.table);
        double scale;
        s = hsw_other(&v->w, &v->against, &other, &view.metric, &scale, err);
        if (s == HSC_OK && (s = hsc_handle_match(h, other, HSC_MATCH_LINES, &map, err)) == HSC_OK &&
            !(there = malloc(((size_t)other->info.lines + 1) * sizeof *there)))
            s = hsc_err_set(err, HSC_E_MEMORY, "overview: no memory for %u lines", other->info.lines);
        if (s == HSC_OK && other->info.lines)
            s = hsc_db_read_sums(other->db, view, 0, other->info.lines, there, err);
        for (uint32_t r = 0; s == HSC_OK && r < rows; r++)
            empty[r] = empty[r] && (map[r] == HSC_NONE || !(there[map[r]] > 0));
    }
    free(there);
    if (s != HSC_OK)
        free(empty);
    else
        *out = empty;
    return s;
}

/* What the places of all lines depend on: blank lines are those of the table, of one metric, category and interval, or of two runs. */
static hsc_places_key places_of(const overview *v) {
    const hsw *w = &v->w;
    hsc_places_key k;
    memset(&k, 0, sizeof k);
    k.db = w->db;
    k.other = hsw_comparing(&v->against) ? hsc_handle_find(w->interp, v->against.other) : NULL;
    (void)hsc_db_get_interval(w->db->db, &k.begin, &k.end);
    k.only = w->db->only;
    k.metric = (uint32_t)w->metric;
    k.table = (int)v->o.table;
    k.skip = v->skip;
    return k;
}

/* Makes them, and leaves them with the database for the next picture of it. */
static hsc_status make_places(overview *v, const hsc_places_key *key, hsc_err *err) {
    hsc_handle *h = v->w.db;
    hsc_places *places = NULL;
    unsigned char *empty = NULL;
    const uint32_t *file, *line;
    hsc_places_release(h->places); /* the room is for the new ones */
    h->places = NULL;
    hsc_status s = hsc_db_get_line_columns(h->db, &file, &line, err);
    if (s == HSC_OK && v->skip > 0)
        s = find_empty(v, &empty, err);
    if (s == HSC_OK)
        s = hsc_places_make(h->info.lines, v->skip > 0 ? (uint32_t)v->skip : 0, file, line, empty, &places, err);
    free(empty);
    if (s != HSC_OK)
        return s;
    places->key = *key;
    h->places = places;
    return HSC_OK;
}

/* Places of all lines. fresh: they are new. */
static hsc_status lay_lines(overview *v, bool *fresh, hsc_err *err) {
    hsc_handle *h = v->w.db;
    hsc_places_key key = places_of(v);
    hsc_status s = HSC_OK;
    *fresh = false;
    if (v->strips.places && !memcmp(&key, &v->strips.places->key, sizeof key))
        return HSC_OK;
    hsc_strips_fini(&v->strips); /* what it had is of no use, whatever comes */
    if (!h->places || memcmp(&key, &h->places->key, sizeof key)) {
        s = make_places(v, &key, err);
        *fresh = true;
    }
    if (s == HSC_OK)
        hsc_strips_init(&v->strips, h->places);
    return s;
}

/* Those that have time, for the legend. */
static hsc_status name_categories(overview *v, hsc_err *err) {
    hsc_handle *h = v->w.db;
    uint32_t n = h->info.categories < HSC_CATEGORIES_SHOWN ? h->info.categories : HSC_CATEGORIES_SHOWN;
    double *sums = v->category_totals;
    memset(sums, 0, sizeof v->category_totals);
    hsc_db_view view = {(uint32_t)v->w.metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_PROCESS};
    hsc_status s = n && h->info.scopes ? hsc_db_read_sums(h->db, view, 0, n, sums, err) : HSC_OK;
    for (uint32_t k = 0; k < HSC_CATEGORIES_SHOWN; k++)
        v->category_names[k] = k < n && sums[k] > 0 ? hsc_db_get_category(h->db, k) : NULL;
    return s;
}

/* The key of the picture to be, whatever is shown. */
static picture_key picture_of(const overview *v, uint32_t block) {
    picture_key k;
    memset(&k, 0, sizeof k);
    k.db = v->w.db;
    k.metric = v->w.metric;
    k.table = v->o.table;
    k.axis = v->w.axis;
    k.reduce = v->o.reduce;
    k.skip = v->skip;
    k.bins = v->strips.bins;
    k.columns = v->axis.bins;
    k.block = block;
    k.lines_per_bin = v->strips.lines_per_bin;
    k.uneven = v->strips.uneven;
    k.order = 0xcbf29ce484222325u;
    for (uint32_t c = 0; c < v->axis.columns; c++)
        k.order = (k.order ^ v->axis.bin_of[c]) * 0x100000001b3u;
    return k;
}

/* Whether values can change by themselves (an interval that is being counted), or are of two runs. */
static bool is_of_a_part(const overview *v) {
    double begin = 0, end = 0;
    (void)hsc_db_get_interval(v->w.db->db, &begin, &end);
    return hsw_comparing(&v->against) || begin < end || v->w.db->only != HSC_NONE;
}

/* The same for values; its db is NULL where they are not kept. */
static picture_key key_of(const overview *v, uint32_t block) {
    picture_key none;
    memset(&none, 0, sizeof none);
    return is_of_a_part(v) || (size_t)v->strips.bins * v->axis.bins > KEPT_VALUES_MAX ? none : picture_of(v, block);
}

static map_key map_key_of(const overview *v, uint32_t block) {
    map_key k;
    memset(&k, 0, sizeof k);
    k.picture = picture_of(v, block);
    (void)hsc_db_get_interval(v->w.db->db, &k.begin, &k.end);
    k.only = v->w.db->only;
    if (hsw_comparing(&v->against)) {
        k.show = v->against.show;
        k.scaling = v->o.scaling;
        k.other = hsc_handle_find(v->w.interp, v->against.other);
    }
    return k;
}

/* Takes values of that key, if there are some; else makes room for them, of no key yet. Those there were are kept, if they are of the database. */
static hsc_status take_values(overview *v, const picture_key *key, bool *have, hsc_err *err) {
    *have = key->db && !memcmp(key, &v->values_of, sizeof *key);
    if (*have)
        return HSC_OK;
    float *before = v->values, *kept = v->kept;
    picture_key before_of = v->values_of;
    *have = key->db && !memcmp(key, &v->kept_of, sizeof *key);
    v->values = *have ? kept : NULL;
    v->values_of = *have ? *key : (picture_key){0};
    if (*have || !key->db || v->kept_of.db != key->db) { /* it is shown now, or of no use */
        if (!*have)
            free(kept);
        v->kept = NULL;
        v->kept_of = (picture_key){0};
    }
    if (key->db && before_of.db == key->db) {
        free(v->kept);
        v->kept = before;
        v->kept_of = before_of;
    } else {
        free(before);
    }
    if (!*have && !(v->values = malloc(((size_t)v->strips.bins * v->axis.bins + 1) * sizeof *v->values)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for an overview of %u x %u", v->strips.bins, v->axis.bins);
    return HSC_OK;
}

/* How procedures and loops, with all they call, differ in the other run; 0: within noise. malloc'ed. */
static hsc_status scope_changes(overview *v, float **out, hsc_err *err) {
    hsw *w = &v->w;
    uint32_t n = w->db->info.scopes, metric;
    hsc_handle *other;
    const uint32_t *map;
    double scale;
    hsw_noise noise;
    hsc_status s = hsw_other(w, &v->against, &other, &metric, &scale, err);
    if (s != HSC_OK || (s = hsw_noise_init(&noise, w, other, metric, scale, err)) != HSC_OK ||
        (s = hsc_handle_match(w->db, other, HSC_MATCH_SCOPES, &map, err)) != HSC_OK)
        return s;
    double *here = malloc(((size_t)n + 1) * sizeof *here), *there = malloc(((size_t)other->info.scopes + 1) * sizeof *there);
    float *changes = calloc((size_t)n + 1, sizeof *changes);
    if (!here || !there || !changes)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory to compare %u scopes", n);
    hsc_db_view of = {metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_PROCESS};
    if (s == HSC_OK && n)
        s = hsc_db_read_sums(w->db->db, hsw_view(w, HSC_TABLE_SCOPE_INCL), 0, n, here, err);
    if (s == HSC_OK && other->info.scopes)
        s = hsc_db_read_sums(other->db, of, 0, other->info.scopes, there, err);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_scope sc;
        if ((s = hsc_db_get_scope(w->db->db, i, &sc, err)) != HSC_OK || sc.kind < HSC_SCOPE_PROCEDURE)
            continue; /* programs and files have no column */
        double b = map[i] != HSC_NONE ? there[map[i]] * scale : 0;
        changes[i] = hsw_within_noise(&noise, here[i], b) ? 0 : hsw_change(v->against.show, here[i], b);
    }
    free(here);
    free(there);
    if (s == HSC_OK)
        *out = changes;
    else
        free(changes);
    return s;
}

/* For hsc_profile_map_read: the widget, and since when it works. */
typedef struct map_turn {
    hsw *w;
    double begin_ms;
} map_turn;

static hsc_status map_later(void *ctx, hsc_err *err) {
    map_turn *t = ctx;
    return hsw_later(t->w, t->begin_ms, err);
}

static void forget_map(overview *v) {
    hsc_profile_map_fini(&v->map);
    memset(&v->map_of, 0, sizeof v->map_of);
}

static hsc_status begin_map(overview *v, const map_key *key, hsc_err *err) {
    float *changes = NULL;
    forget_map(v);
    hsc_status s = hsw_comparing(&v->against) ? scope_changes(v, &changes, err) : HSC_OK;
    if (s == HSC_OK && changes)
        hsc_colour_scale_init_change(&v->map_changes, (enum hsc_scaling)v->o.scaling,
                                     hsw_change_maximum(v->against.show, changes, NULL, v->w.db->info.scopes), v->against.show == HSW_SHOW_RATIO);
    if (s == HSC_OK && (s = hsc_profile_map_begin(&v->map, v->strips.bins, changes, err)) == HSC_OK)
        v->map_of = *key;
    return s;
}

hsc_status hsw_overview_read_map(overview *v, uint32_t block, const uint32_t *lo, const uint32_t *hi, double begin_ms, hsc_err *err) {
    map_turn turn = {&v->w, begin_ms};
    map_key key = map_key_of(v, block);
    hsc_status s = HSC_OK;
    if (memcmp(&key, &v->map_of, sizeof key))
        s = begin_map(v, &key, err);
    if (s == HSC_OK)
        s = hsc_profile_map_read(&v->map, v->w.db, (uint32_t)v->w.metric, lo, hi, map_later, &turn, err);
    if (s == HSC_OK)
        s = name_categories(v, err);
    if (s != HSC_OK && !v->w.again)
        forget_map(v);
    if (s == HSC_OK && is_of_a_part(v)) /* what is shown next is read anew */
        memset(&v->map_of, 0, sizeof v->map_of);
    return s;
}

hsc_status hsw_overview_lay_out(overview *v, bool *fresh, uint32_t *block, hsc_err *err) {
    hsw *w = &v->w;
    hsc_status s = lay_lines(v, fresh, err);
    if (s != HSC_OK)
        return s;
    hsc_overview_layout_get(&w->surface.canvas, &w->style, &v->strips,
                            v->wanted_strips > 0 ? (uint32_t)v->wanted_strips : 0, v->labels, v->legend,
                            v->o.reduce == HSC_REDUCE_SUM, &v->layout);
    if ((s = hsw_axis(w, v->o.columns, v->o.sort, (uint32_t)v->layout.strip_width, &v->axis, err)) != HSC_OK)
        return s;
    /* coarse rows begin where the database's levels have a border; sums can be compared only where all have as many lines */
    uint32_t n = v->strips.bins;
    *block = 1;
    if (n && !hsw_comparing(&v->against))
        s = hsc_db_get_row_step(w->db->db, hsw_view(w, v->o.table), v->strips.rows / n / (v->o.reduce == HSC_REDUCE_SUM ? 16 : 2), block, err);
    if (s == HSC_OK)
        hsc_strips_align(&v->strips, *block);
    return s;
}

static void end_bins(overview *v) {
    hsc_db_end_bins(v->bins);
    v->bins = NULL;
}

/* The next rows' values: of one database in the order that is cheapest for all of them. */
static hsc_status read_rows(overview *v, uint32_t some, const uint32_t *lo, const uint32_t *hi, hsc_err *err) {
    hsw *w = &v->w;
    uint32_t at = v->read, n = v->strips.bins, columns = v->axis.bins;
    float *to = v->values + (size_t)at * columns;
    hsc_status s = HSC_OK;
    if (hsw_comparing(&v->against))
        return hsw_read_bins(w, &v->against, hsw_view(w, v->o.table), v->o.reduce, some, lo + at, hi + at, &v->axis, to, NULL, err);
    if (!v->bins)
        s = hsc_db_begin_bins(w->db->db, hsw_view(w, v->o.table), (hsc_db_reduce)v->o.reduce, n - at, lo + at, hi + at, columns, v->axis.bin_of, &v->bins, err);
    return s == HSC_OK ? hsc_db_go_on_bins(v->bins, some, to, err) : s;
}

/* The values, a turn at a time; what was read of them when the last turn ended is gone on with. */
static hsc_status read_in_turns(overview *v, uint32_t block, const picture_key *key, const uint32_t *lo, const uint32_t *hi, hsc_err *err) {
    enum { ROWS = 32 };
    double begin_ms = hsw_now_ms(); /* what is laid out before takes its time each turn */
    hsw *w = &v->w;
    uint32_t n = v->strips.bins, columns = v->axis.bins;
    map_key wanted = map_key_of(v, block);
    bool have = false;
    hsc_status s = HSC_OK;
    if (!v->read || !v->values || memcmp(&wanted, &v->reading, sizeof wanted)) {
        end_bins(v);
        s = take_values(v, key, &have, err);
        v->reading = wanted;
        v->read = have || !columns ? n : 0;
    }
    while (s == HSC_OK && v->read < n) {
        uint32_t some = n - v->read < ROWS ? n - v->read : ROWS;
        s = read_rows(v, some, lo, hi, err);
        v->read += s == HSC_OK ? some : 0;
        if (s == HSC_OK && v->read < n)
            s = hsw_later(w, begin_ms, err);
    }
    if (s != HSC_OK && !w->again)
        v->read = 0;
    if (s == HSC_OK || !w->again)
        end_bins(v);
    return s;
}

hsc_status hsw_overview_read_values(overview *v, uint32_t block, const uint32_t *lo, const uint32_t *hi, hsc_err *err) {
    hsw *w = &v->w;
    picture_key key = key_of(v, block);
    bool comparing = hsw_comparing(&v->against);
    hsc_status s = read_in_turns(v, block, &key, lo, hi, err);
    if (s != HSC_OK)
        return s;
    v->values_of = key;
    if (comparing)
        v->maximum = hsw_change_maximum(v->against.show, v->values, NULL, (size_t)v->strips.bins * v->axis.bins);
    else if ((s = picture_maximum(v, lo, hi, err)) != HSC_OK) {
        v->read = w->again ? v->read : 0;
        return s;
    }
    v->read = 0;
    if (comparing)
        hsc_colour_scale_init_change(&v->scale, (enum hsc_scaling)v->o.scaling, v->maximum, v->against.show == HSW_SHOW_RATIO);
    else
        hsc_colour_scale_init(&v->scale, (enum hsc_colours)v->o.colours, (enum hsc_scaling)v->o.scaling, v->maximum);
    hsw_set_unit(w, &v->scale);
    v->valued = true;
    return HSC_OK;
}

hsc_status hsw_overview_need_values(overview *v, hsc_err *err) {
    hsc_status s = HSC_OK;
    if (v->valued || !v->w.db || v->w.error[0] || v->w.waiting)
        return HSC_OK;
    uint32_t n = v->strips.bins, *lo = malloc(((size_t)n + 1) * sizeof *lo), *hi = malloc(((size_t)n + 1) * sizeof *hi);
    if (!lo || !hi) {
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for an overview of %u rows", n);
    } else {
        hsc_strips_fill_bins(&v->strips, lo, hi);
        bool at_once = v->w.at_once;
        v->w.at_once = true;
        s = hsw_overview_read_values(v, v->strips.block, lo, hi, err);
        v->w.at_once = at_once;
    }
    free(lo);
    free(hi);
    return s;
}
