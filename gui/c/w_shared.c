/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What several kinds of widgets need: axes, maxima, row-aligned geometry. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>

#include "widget.h"

const char *const hsw_sort_names[] = {"number", "load", NULL};
const char *const hsw_normalise_names[] = {"program", "file", "row", NULL};

/* Bins as -group says. */
static hsc_status group_axis(hsw *w, hsc_axis *a, uint32_t max_bins, hsc_err *err) {
    char end;
    unsigned many = 0;
    bool host = !strcmp(w->group, "host");
    if (!host && (sscanf(w->group, "%u%c", &many, &end) != 1 || many < 1))
        return hsc_err_set(err, HSC_E_ARGUMENT, "-group \"%.40s\": expected a number of processors or host", w->group);
    uint32_t *key = calloc((size_t)a->columns + 1, sizeof *key), id = 0;
    if (!key)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u processors", a->columns);
    const char *last = NULL;
    for (uint32_t i = 0; i < a->shown; i++) {
        hsc_db_thread t = {.process = a->order[i]};
        hsc_db_process p = {.host = ""};
        if (host && ((w->axis == HSC_AXIS_THREAD && hsc_db_get_thread(w->db->db, a->order[i], &t, NULL) != HSC_OK) ||
                     hsc_db_get_process(w->db->db, t.process, &p, NULL) != HSC_OK))
            p.host = "";
        id += host && last && strcmp(last, p.host);
        last = p.host;
        key[a->order[i]] = host ? id : i / many;
    }
    hsc_status s = hsc_axis_group_by(a, key, max_bins, err);
    free(key);
    return s;
}

hsc_status hsw_axis(hsw *w, const char *columns, int sort, uint32_t max_bins, hsc_axis *out, hsc_err *err) {
    uint32_t n = hsc_db_get_columns(w->db->db, (hsc_db_axis)w->axis);
    double *load = NULL;
    float *values = NULL;
    hsc_status s = HSC_OK;
    if (sort == 1 && w->db->info.scopes) {
        load = malloc(((size_t)n + 1) * sizeof *load);
        values = malloc(((size_t)n + 1) * sizeof *values);
        if (!load || !values)
            s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u processors", n);
        else
            s = hsc_handle_columns(w->db, hsw_view(w, HSC_TABLE_SCOPE_INCL), 0, 1, values, err);
        for (uint32_t c = 0; s == HSC_OK && c < n; c++)
            load[c] = (double)values[c];
    }
    if (s == HSC_OK) {
        hsc_axis fresh;
        if ((s = hsc_axis_init(&fresh, n, columns, load, max_bins, err)) == HSC_OK) {
            if (w->group && w->group[0] && (s = group_axis(w, &fresh, max_bins, err)) != HSC_OK) {
                hsc_axis_fini(&fresh);
            } else {
                hsc_axis_fini(out);
                *out = fresh;
            }
        }
    }
    free(load);
    free(values);
    return s;
}

static uint64_t hash(uint64_t h, const void *data, size_t n) {
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

/* Whether every row's largest bin is its largest processor: then nothing depends on how processors are put into bins. */
static bool by_processor(int reduce, const hsc_axis *axis) { return reduce == HSC_REDUCE_MAX || axis->bins == axis->shown; }

/* Largest value of a processor that is shown, in rising ranges of rows. Long ranges are read from coarse levels. */
static hsc_status largest_of(hsw *w, hsc_db_view view, const hsc_axis *axis, uint32_t n, const uint32_t *from, const uint32_t *to,
                             double *out, hsc_err *err) {
    uint32_t *together = malloc(((size_t)axis->columns + 1) * sizeof *together);
    float *v = malloc(((size_t)n + 1) * sizeof *v);
    hsc_status s = HSC_OK;
    if (!together || !v)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory to look for the hottest spot");
    for (uint32_t c = 0; s == HSC_OK && c < axis->columns; c++)
        together[c] = axis->bin_of[c] == UINT32_MAX ? HSC_NONE : 0;
    if (s == HSC_OK && n && axis->bins)
        s = hsc_db_read_bins(w->db->db, view, HSC_REDUCE_MAX, n, from, to, 1, together, v, err);
    double best = 0;
    for (uint32_t i = 0; s == HSC_OK && axis->bins && i < n; i++)
        if ((double)v[i] > best)
            best = (double)v[i];
    free(together);
    free(v);
    if (s == HSC_OK)
        *out = best;
    return s;
}

/* Rows in rising ranges. */
typedef struct row_ranges {
    uint32_t n;
    const uint32_t *from, *to;
} row_ranges;

static bool in_ranges(void *ctx, uint64_t row) {
    const row_ranges *r = ctx;
    uint32_t at; /* the first that ends behind it */
    HSC_SEARCH(at, r->n, r->to[at] <= row);
    return at < r->n && r->from[at] <= row;
}

static int by_row(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Largest bin of some rows, each by itself. */
static hsc_status largest_bin(hsw *w, hsc_db_view view, const hsc_axis *axis, uint32_t n, uint64_t *rows, double *best, hsc_err *err) {
    uint32_t step = (1u << 20) / axis->bins + 1;
    if (step > n)
        step = n;
    uint32_t *from = malloc(((size_t)step + 1) * sizeof *from), *to = malloc(((size_t)step + 1) * sizeof *to);
    float *v = malloc(((size_t)step * axis->bins + 1) * sizeof *v);
    hsc_status s = from && to && v ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory to look for the hottest spot");
    qsort(rows, n, sizeof *rows, by_row);
    for (uint32_t at = 0; s == HSC_OK && at < n; at += step) {
        uint32_t k = n - at < step ? n - at : step;
        for (uint32_t i = 0; i < k; i++) {
            from[i] = (uint32_t)rows[at + i];
            to[i] = from[i] + 1;
        }
        s = hsc_db_read_bins(w->db->db, view, HSC_REDUCE_SUM, k, from, to, axis->bins, axis->bin_of, v, err);
        for (size_t i = 0; s == HSC_OK && i < (size_t)k * axis->bins; i++)
            if ((double)v[i] > *best)
                *best = (double)v[i];
    }
    free(from);
    free(to);
    free(v);
    return s;
}

/* Largest bin of rows in rising ranges, each row by itself. No bin is larger than its row's sum: rows with the largest sums first, until
 * those that are left have less than the best. */
static hsc_status largest_sum_of(hsw *w, hsc_db_view view, const hsc_axis *axis, row_ranges ranges, double *out, hsc_err *err) {
    hsc_status s = HSC_OK;
    uint64_t all = 0;
    for (uint32_t i = 0; i < ranges.n; i++)
        all += ranges.to[i] - ranges.from[i];
    *out = 0;
    for (uint64_t done = 0, want = 64; s == HSC_OK && axis->bins && done < all; want *= 8) {
        uint32_t n = (uint32_t)(want < all ? want : all), found = 0;
        uint64_t *rows = malloc(((size_t)n + 1) * sizeof *rows);
        double *sums = malloc(((size_t)n + 1) * sizeof *sums), least = 0;
        if (!rows || !sums)
            s = hsc_err_set(err, HSC_E_MEMORY, "no memory to look for the hottest spot");
        else
            s = hsc_db_read_top(w->db->db, view, in_ranges, &ranges, n, rows, sums, &found, err);
        if (s == HSC_OK && found > done) {
            uint32_t more = (uint32_t)done;
            while (more < found && sums[more] > *out) /* the same bound for those of this turn */
                more++;
            least = sums[found - 1];
            s = largest_bin(w, view, axis, more - (uint32_t)done, rows + done, out, err);
        }
        done = found > done ? found : all;
        free(rows);
        free(sums);
        if (least <= *out)
            break;
    }
    return s;
}

static hsc_status ranges_maximum(hsw *w, hsc_db_view view, int reduce, const hsc_axis *axis, uint32_t n, const uint32_t *from, const uint32_t *to,
                                 double *out, hsc_err *err) {
    if (by_processor(reduce, axis))
        return largest_of(w, view, axis, n, from, to, out, err);
    return largest_sum_of(w, view, axis, (row_ranges){n, from, to}, out, err);
}

static uint64_t maximum_key(hsc_db_view view, int reduce, const hsc_axis *axis, bool bins, const void *more, size_t size) {
    uint32_t parts[4] = {view.metric, (uint32_t)view.table, (uint32_t)view.axis, (uint32_t)reduce};
    uint64_t key = hash(0xcbf29ce484222325u, parts, sizeof parts);
    if (bins)
        key = hash(key, axis->bin_of, axis->columns * sizeof *axis->bin_of);
    else
        for (uint32_t c = 0; c < axis->columns; c++)
            key = (key ^ (axis->bin_of[c] != UINT32_MAX)) * 0x100000001b3u;
    return hash(key, more, size);
}

/* The same in an interval, whose rows are made as they are read: some at a time; `more`: what it is of besides. */
static hsc_status largest_in_turns(hsw *w, hsc_db_view view, const hsc_axis *axis, uint32_t n, const uint32_t *from, const uint32_t *to, double *out,
                                   hsc_err *err) {
    enum { ROWS = 1 << 14, SLOTS = sizeof w->db->looking_for / sizeof *w->db->looking_for };
    uint64_t key = maximum_key(view, HSC_REDUCE_MAX, axis, false, from, n * sizeof *from);
    double begin = hsw_now_ms(), one;
    unsigned slot = 0;
    for (unsigned i = 1; i < SLOTS; i++)
        if (w->db->looking_for[i].asked < w->db->looking_for[slot].asked)
            slot = i;
    for (unsigned i = 0; i < SLOTS; i++)
        if (w->db->looking_for[i].key == key)
            slot = i;
    if (w->db->looking_for[slot].key != key) {
        w->db->looking_for[slot].key = key;
        w->db->looking_for[slot].next = 0;
        w->db->looking_for[slot].best = 0;
    }
    w->db->looking_for[slot].asked = ++w->db->maxima_asked;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        uint32_t lo = from[i] > w->db->looking_for[slot].next ? from[i] : w->db->looking_for[slot].next;
        for (; s == HSC_OK && lo < to[i]; lo = w->db->looking_for[slot].next) {
            uint32_t hi = to[i] - lo < ROWS ? to[i] : lo + ROWS;
            if ((s = largest_of(w, view, axis, 1, &lo, &hi, &one, err)) != HSC_OK)
                break;
            w->db->looking_for[slot].best = fmax(w->db->looking_for[slot].best, one);
            w->db->looking_for[slot].next = hi;
            s = hsw_later(w, begin, err);
        }
    }
    *out = w->db->looking_for[slot].best;
    if (s != HSC_E_PENDING)
        w->db->looking_for[slot].key = 0;
    return s;
}

/* Largest bin value of all lines that have a number. */
static hsc_status files_maximum(hsw *w, hsc_db_view view, int reduce, const hsc_axis *axis, double *out, hsc_err *err) {
    hsc_handle *h = w->db;
    uint32_t files = h->info.files, n = 0;
    uint32_t *from = malloc(((size_t)files + 1) * sizeof *from), *to = malloc(((size_t)files + 1) * sizeof *to);
    hsc_status s = HSC_OK;
    if (!from || !to)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory to look for the hottest spot");
    for (uint32_t f = 0; s == HSC_OK && f < files; f++) {
        hsc_db_file file;
        hsc_db_line first = {0};
        if ((s = hsc_db_get_file(h->db, f, &file, err)) != HSC_OK || !file.has_lines || !file.line_rows ||
            (s = hsc_db_get_line(h->db, file.first_line_row, &first, err)) != HSC_OK)
            continue;
        uint32_t begin = file.first_line_row + (first.line == 0), end = file.first_line_row + file.line_rows;
        if (n && begin == to[n - 1]) { /* files that follow one another are one range */
            to[n - 1] = end;
        } else if (end > begin) {
            from[n] = begin;
            to[n++] = end;
        }
    }
    double best = 0, begin_s, end_s;
    if (s == HSC_OK && by_processor(reduce, axis) && hsc_db_get_interval(h->db, &begin_s, &end_s))
        s = largest_in_turns(w, view, axis, n, from, to, &best, err);
    else if (s == HSC_OK)
        s = ranges_maximum(w, view, reduce, axis, n, from, to, &best, err);
    free(from);
    free(to);
    if (s == HSC_OK)
        *out = best;
    return s;
}

bool hsw_remembered(hsw *w, hsc_db_view view, int reduce, const hsc_axis *axis, bool bins, const void *key, size_t size, double *out) {
    uint64_t k = maximum_key(view, reduce, axis, bins, key, size);
    for (unsigned i = 0; i < sizeof w->db->maxima / sizeof *w->db->maxima; i++)
        if (w->db->maxima[i].key == k) {
            w->db->maxima[i].asked = ++w->db->maxima_asked;
            *out = w->db->maxima[i].value;
            return true;
        }
    return false;
}

void hsw_remember(hsw *w, hsc_db_view view, int reduce, const hsc_axis *axis, bool bins, const void *key, size_t size,
                  double value) {
    unsigned slot = 0; /* the one not asked for longest: those of the program stay while files come and go */
    for (unsigned i = 1; i < sizeof w->db->maxima / sizeof *w->db->maxima; i++)
        if (w->db->maxima[i].asked < w->db->maxima[slot].asked)
            slot = i;
    w->db->maxima[slot].asked = ++w->db->maxima_asked;
    w->db->maxima[slot].key = maximum_key(view, reduce, axis, bins, key, size);
    w->db->maxima[slot].value = value;
}

hsc_status hsw_maximum(hsw *w, hsc_db_view view, int reduce, const hsc_axis *axis, uint32_t lo, uint32_t hi, double *out,
                       hsc_err *err) {
    hsc_handle *h = w->db;
    uint32_t range[2] = {lo, hi};
    bool bins = !by_processor(reduce, axis); /* else widgets of all widths have it in common */
    if (hsw_remembered(w, view, reduce, axis, bins, range, sizeof range, out))
        return HSC_OK;
    double best = 0;
    hsc_status s = HSC_OK;
    if (lo == 0 && hi >= h->info.lines && (view.table == HSC_TABLE_LINE || view.table == HSC_TABLE_LINE_INCL)) {
        /* of the program: rows that stand for code without lines are no spots and would outshine all */
        s = files_maximum(w, view, reduce, axis, &best, err);
    }
    if (s == HSC_OK && best <= 0)
        s = ranges_maximum(w, view, reduce, axis, hi > lo, &lo, &hi, &best, err);
    if (s == HSC_OK) {
        hsw_remember(w, view, reduce, axis, bins, range, sizeof range, best);
        *out = best;
    }
    return s;
}

hsc_status hsw_hottest_column(hsw *w, hsc_db_view view, const hsc_axis *axis, uint32_t row, uint32_t bin, uint32_t *column,
                              double *value, hsc_err *err) {
    float *v = malloc(((size_t)axis->columns + 1) * sizeof *v);
    if (!v)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u processors", axis->columns);
    hsc_status s = hsc_handle_columns(w->db, view, row, 1, v, err);
    if (s == HSC_OK) {
        *column = axis->order[axis->start[bin]];
        *value = (double)v[*column];
        for (uint32_t i = axis->start[bin]; i < axis->start[bin + 1]; i++)
            if ((double)v[axis->order[i]] > *value) {
                *column = axis->order[i];
                *value = (double)v[*column];
            }
    }
    free(v);
    return s;
}

void hsw_processor(const hsw *w, uint32_t column, char *out, size_t capacity) {
    char label[32];
    hsc_handle_label(w->db, (hsc_db_axis)w->axis, column, label, sizeof label);
    snprintf(out, capacity, "%s", label[0] ? label + 1 : "");
}

/* ---- rows ---- */

void hsw_rows_geometry(hsw *w, const hsw_rows_options *o, hsw_rows *out) {
    hsc_rows *r = &out->rows;
    r->header = o->header > 0 ? o->header : 0;
    r->offset = o->y_offset;
    r->height = o->row_height > 0 ? o->row_height : hsw_linespace(w, true);
    r->top = o->top > 0 ? (uint32_t)o->top : 1;
    r->lines = o->lines > 0 ? (uint32_t)o->lines : 0;
    r->selected = o->line > 0 ? (uint32_t)o->line : 0;
    r->count = hsc_rows_fit(r, hsw_height(w));
}

hsc_status hsw_rows_prepare(hsw *w, const hsw_rows_options *o, hsw_rows *out, hsc_err *err) {
    hsw_rows_geometry(w, o, out);
    out->lo = out->hi = 0;
    int n = out->rows.count;
    if (n > out->capacity) {
        int32_t *bigger = realloc(out->index, (size_t)n * sizeof *bigger);
        if (!bigger) {
            out->rows.count = out->capacity;
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %d rows", n);
        }
        out->index = bigger;
        out->capacity = n;
    }
    for (int i = 0; i < n; i++)
        out->index[i] = -1;
    if (!w->db || o->file < 0 || n < 1)
        return HSC_OK;
    uint32_t top = out->rows.top, last = top + (uint32_t)n - 1;
    hsc_status s = hsc_handle_rows(w->db, (uint32_t)o->file, top, last, &out->lo, &out->hi, err);
    for (uint32_t row = out->lo; s == HSC_OK && row < out->hi; row++) {
        hsc_db_line l;
        if ((s = hsc_db_get_line(w->db->db, row, &l, err)) == HSC_OK && l.line >= top && l.line - top < (uint32_t)n)
            out->index[l.line - top] = (int32_t)(row - out->lo);
    }
    return s;
}

void hsw_rows_fini(hsw_rows *r) {
    free(r->index);
    memset(r, 0, sizeof *r);
}

int hsw_rows_command(hsw *w, const hsw_rows_options *o, hsw_rows *r, Tcl_Interp *interp, const char *name, int objc,
                     Tcl_Obj *const objv[]) {
    hsw_rows_geometry(w, o, r);
    if (!strcmp(name, "rows") && objc == 2) {
        int room = hsw_height(w) - r->rows.header - r->rows.offset;
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(room > 0 ? room / r->rows.height : 0));
        return TCL_OK;
    }
    if (!strcmp(name, "bbox") && objc == 3) {
        int line;
        if (hsw_get_int(interp, objv[2], &line) != TCL_OK)
            return TCL_ERROR;
        Tcl_SetObjResult(interp, Tcl_ObjPrintf("0 %d %d %d", hsc_rows_y(&r->rows, line - (int)r->rows.top), hsw_width(w),
                                               r->rows.height));
        return TCL_OK;
    }
    return TCL_CONTINUE;
}

bool hsw_rows_wheel(hsw *w, int x, int y, int steps, int state) {
    (void)x;
    (void)y;
    (void)state;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "rows", Tcl_NewWideIntObj(steps));
    hsw_send(w, "<<HeatscopeScroll>>", d);
    return true;
}

bool hsw_rows_move(hsw *w, int rows, int columns, bool extend, bool page) {
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "rows", Tcl_NewWideIntObj(rows));
    hsc_tcl_put(d, "columns", Tcl_NewWideIntObj(columns));
    hsc_tcl_put(d, "extend", Tcl_NewWideIntObj(extend));
    hsc_tcl_put(d, "page", Tcl_NewWideIntObj(page));
    hsw_send(w, "<<HeatscopeMove>>", d);
    return true;
}
