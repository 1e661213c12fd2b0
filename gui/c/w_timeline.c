/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::timeline: processors x time by category, procedure or innermost scope. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "timeline_rows.h"
#include "widget.h"

enum { KEYS_MAX = 13, SPAN_KEYS_MAX = 4, SPANS_MAX = 300000 };
#define SHARES_MAX 500000.0 /* samples that are read one by one for the shares of a part of the run */
#define SLOT_SAMPLES 4      /* a slot has so many samples, on average */
#define SINGLE_PIXELS 8     /* from so many pixels a sample on, each is drawn by itself */
static const char *const key_names[] = {"category", "procedure", "scope", NULL};

typedef struct timeline {
    hsw w;
    char *columns, *view, *interval;
    int sort, key, min_row, show_spans, mark;
    double view_begin, view_end, interval_begin, interval_end; /* by changed; begin >= end: whole run, none */
    /* by prepare */
    hsc_axis axis;
    double begin, end, run_end, period;
    uint32_t slots_n, slots_read, n_keys;
    uint32_t rows_read;   /* of slots_of: so many rows are there; all: axis.bins */
    hsc_db_slot *slots;
    struct slots_of {     /* what they were read for: that of the run, whatever interval is set */
        hsc_handle *db;
        int key;
        uint32_t bins, wanted, rows; /* rows: a hash of which thread is in which */
        double begin, end;
        bool spans;
    } slots_of;
    hsc_timeline_span *spans;
    bool spans_made, keys_made; /* for the slots; keys also for the first rows of them */
    bool chosen;          /* how many slots there are will stay */
    char (*labels)[32], (*names)[256];
    const char **pointers;
    hsc_timeline_key_entry keys[KEYS_MAX + SPAN_KEYS_MAX];
    double busy_top;
    bool absent, crowded; /* no times; more spans than are drawn */
    bool about;           /* shares are of what leads the slots, not of all samples */
    hsc_timeline_phase *phases;
    uint32_t n_phases, phases_process; /* whose they are, HSC_NONE: nobody's */
    hsc_handle *phases_db;
    char phases_of[32];
    /* colours, by what has most of the whole run */
    hsc_handle *ranked_db;
    int ranked_key;
    uint32_t n_ranked, ranked[KEYS_MAX];
    /* dragging */
    double drag_from, drag_to;
} timeline;

static const Tk_OptionSpec options[] = {
    HSW_O_TEXT(timeline, "-columns", columns, "", HSW_DATA),
    HSW_O_ENUM(timeline, "-sort", sort, "number", hsw_sort_names, HSW_DATA),
    HSW_O_ENUM(timeline, "-key", key, "category", key_names, HSW_DATA),
    HSW_O_TEXT(timeline, "-view", view, "", HSW_DATA),
    HSW_O_TEXT(timeline, "-interval", interval, "", HSW_PAINT),
    HSW_O_INT(timeline, "-minrow", min_row, "5", HSW_DATA),
    HSW_O_BOOL(timeline, "-spans", show_spans, "1", HSW_DATA),
    HSW_O_INT(timeline, "-mark", mark, "-1", HSW_PAINT),
    HSW_OPTIONS_END};

static bool get_pair(const char *text, double *a, double *b) {
    char end;
    *a = *b = 0;
    if (!text || !text[0])
        return true;
    return sscanf(text, "%lf %lf %c", a, b, &end) == 2 && isfinite(*a) && isfinite(*b) && *a < *b;
}

/* The process of a column of the axis, HSC_NONE without one. */
static uint32_t process_of(const timeline *t, int64_t column) {
    hsc_db_thread thread;
    if (column < 0 || column >= t->axis.columns)
        return HSC_NONE;
    if (t->w.axis == HSC_AXIS_PROCESS)
        return (uint32_t)column;
    return hsc_db_get_thread(t->w.db->db, (uint32_t)column, &thread, NULL) == HSC_OK ? thread.process : HSC_NONE;
}

/* Phases of the chosen processor's process; of the first that has some where it has none. */
static hsc_status read_phases(timeline *t, hsc_err *err) {
    uint32_t first = hsc_timeline_phases_of(t->w.db->db), process = first == HSC_NONE ? HSC_NONE : process_of(t, t->mark);
    for (int round = 0; round < 2; round++, process = first) {
        if (t->phases_db == t->w.db && t->phases_process == process && (t->n_phases || first == HSC_NONE))
            return HSC_OK;
        free(t->phases);
        hsc_status s = hsc_timeline_read_phases(t->w.db->db, process, &t->phases, &t->n_phases, err);
        if (s != HSC_OK)
            return s;
        t->phases_db = t->w.db;
        t->phases_process = process;
        if (t->n_phases)
            hsc_handle_label(t->w.db, HSC_AXIS_PROCESS, process, t->phases_of, sizeof t->phases_of);
        if (t->n_phases || first == HSC_NONE)
            break;
    }
    return HSC_OK;
}

static hsc_status changed(hsw *w, hsc_err *err) {
    timeline *t = (timeline *)w;
    if (!get_pair(t->view, &t->view_begin, &t->view_end))
        return hsc_err_set(err, HSC_E_ARGUMENT, "-view \"%.40s\": expected two times in seconds, rising", t->view);
    if (!get_pair(t->interval, &t->interval_begin, &t->interval_end))
        return hsc_err_set(err, HSC_E_ARGUMENT, "-interval \"%.40s\": expected two times in seconds, rising", t->interval);
    if (!w->db) { /* names are the database's; another one may come to stand where it stood */
        t->n_phases = 0;
        t->phases_db = t->ranked_db = NULL;
    }
    return w->db && t->axis.columns ? read_phases(t, err) : HSC_OK;
}

static void init(hsw *w) {
    ((timeline *)w)->ranked_key = -1;
}

static void fini(hsw *w) {
    timeline *t = (timeline *)w;
    hsc_axis_fini(&t->axis);
    free(t->slots);
    free(t->spans);
    free(t->labels);
    free(t->names);
    free(t->pointers);
    free(t->phases);
}

static bool is_procedure(void *ctx, uint64_t row) {
    hsc_db_scope s;
    return hsc_db_get_scope(ctx, (uint32_t)row, &s, NULL) == HSC_OK && s.kind == HSC_SCOPE_PROCEDURE;
}

/* The keys that get colours: those with most of the run when it was first drawn, so that colours stay while one zooms. */
static hsc_status rank_keys(timeline *t, hsc_err *err) {
    hsc_handle *db = t->w.db;
    if (t->ranked_db == db && t->ranked_key == t->key)
        return HSC_OK;
    uint64_t rows[KEYS_MAX];
    double sums[KEYS_MAX];
    uint32_t n = 0;
    hsc_status s = HSC_OK;
    if (t->key == HSC_TIMELINE_CATEGORY) {
        for (n = 0; n < KEYS_MAX && hsc_db_get_category(db->db, n); n++)
            rows[n] = n;
    } else if (t->key == HSC_TIMELINE_SCOPE) {
        s = hsc_db_read_top(db->db, (hsc_db_view){0, HSC_TABLE_SCOPE_EXCL, HSC_AXIS_THREAD}, NULL, NULL, 10, rows, sums, &n, err);
    } else { /* a procedure's own, with its loops */
        const double *own = NULL;
        s = hsc_handle_own(db, 0, &own, err);
        for (uint32_t i = 0; s == HSC_OK && i < db->info.scopes; i++) {
            uint32_t at = n;
            if (!(own[i] > 0) || (n == 10 && own[i] <= sums[9]) || !is_procedure(db->db, i))
                continue;
            while (at && own[i] > sums[at - 1])
                at--;
            n += n < 10;
            for (uint32_t k = n; --k > at;) {
                rows[k] = rows[k - 1];
                sums[k] = sums[k - 1];
            }
            rows[at] = i;
            sums[at] = own[i];
        }
    }
    if (s != HSC_OK)
        return s;
    for (uint32_t i = 0; i < n; i++)
        t->ranked[i] = (uint32_t)rows[i];
    t->n_ranked = n;
    t->ranked_db = db;
    t->ranked_key = t->key;
    return HSC_OK;
}

/* "name", "do loop of solve, line 41" */
static void name_key(const timeline *t, uint32_t key, char *out, size_t size) {
    hsc_db *db = t->w.db->db;
    hsc_db_scope s, p;
    char name[200], clean[200];
    if (t->key == HSC_TIMELINE_CATEGORY) {
        const char *c = hsc_db_get_category(db, key);
        hsc_text_clean(c ? c : "", out, size);
        return;
    }
    out[0] = 0;
    if (hsc_db_get_scope(db, key, &s, NULL) != HSC_OK)
        return;
    hsc_name_short(s.name, name, sizeof name);
    hsc_text_clean(name, clean, sizeof clean);
    if (s.kind != HSC_SCOPE_LOOP && s.kind != HSC_SCOPE_REGION) {
        const char *slash = s.kind == HSC_SCOPE_PROCEDURE ? NULL : strrchr(clean, '/');
        snprintf(out, size, "%s", slash ? slash + 1 : clean);
        return;
    }
    char of[120] = "";
    if (s.procedure != HSC_NONE && hsc_db_get_scope(db, s.procedure, &p, NULL) == HSC_OK) {
        hsc_name_short(p.name, name, sizeof name);
        hsc_text_clean(name, of, sizeof of);
    }
    snprintf(out, size, "%.80s line %u%s%.110s", clean, s.line_begin, of[0] ? " of " : "", of);
}

/* What fills a row: all of the processors where they are used well, else what all but a twentieth of the slots stay below. */
static void choose_top(timeline *t) {
    uint32_t buckets[101] = {0}, n = 0;
    for (size_t i = 0; i < (size_t)t->axis.bins * t->slots_n; i++)
        if (t->slots[i].key != HSC_NONE) {
            buckets[(int)((double)t->slots[i].busy * 100)]++;
            n++;
        }
    int top = 100;
    for (uint32_t above = 0; top > 5 && above + buckets[top] <= n / 20; top--)
        above += buckets[top];
    t->busy_top = top >= 70 || !n ? 1 : (top + 1) / 100.0;
}

/* Samples of each ranked key and of all, in the whole run or the interval that is set: the values of all other views. */
static hsc_status sum_tables(timeline *t, double *of, double *all, hsc_err *err) {
    hsc_handle *h = t->w.db;
    const double *own = NULL;
    hsc_status s = hsc_db_read_sums(h->db, (hsc_db_view){0, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, 0, 1, all, err);
    if (s == HSC_OK && t->key == HSC_TIMELINE_PROCEDURE)
        s = hsc_handle_own(h, 0, &own, err);
    for (uint32_t k = 0; s == HSC_OK && k < t->n_ranked; k++) {
        hsc_db_table table = t->key == HSC_TIMELINE_CATEGORY ? HSC_TABLE_SCOPE_CATEGORY : HSC_TABLE_SCOPE_EXCL;
        if (own)
            of[k] = own[t->ranked[k]];
        else
            s = hsc_db_read_sums(h->db, (hsc_db_view){0, table, HSC_AXIS_THREAD}, t->ranked[k], 1, &of[k], err);
    }
    return s;
}

/* What each ranked key has, of[k], of `all`; t->about where only what leads the slots could be counted. */
static hsc_status sum_keys(timeline *t, const uint32_t *row_of, double *of, double *all, hsc_err *err) {
    hsc_handle *h = t->w.db;
    double part = t->run_end > 0 ? (t->end - t->begin) / t->run_end : 1;
    t->about = false;
    if (!(t->view_begin < t->view_end) && !(t->columns && t->columns[0]) && h->only == HSC_NONE)
        return sum_tables(t, of, all, err);
    if ((double)h->info.samples * part <= SHARES_MAX)
        return hsc_timeline_sum_samples(h->db, (hsc_timeline_key)t->key, h->info.threads, row_of, t->begin, t->end, t->ranked, t->n_ranked, of, all, err);
    t->about = true;
    for (size_t i = 0; i < (size_t)t->axis.bins * t->slots_n; i++) {
        const hsc_db_slot *slot = &t->slots[i];
        if (slot->key == HSC_NONE)
            continue;
        *all += (double)slot->busy;
        for (uint32_t k = 0; k < t->n_ranked; k++)
            of[k] += t->ranked[k] == slot->key ? (double)slot->busy : 0;
    }
    return HSC_OK;
}

static void put_share(const timeline *t, char *out, size_t size, double part, double all) {
    snprintf(out, size, "%s%.1f %%", t->about ? "\xE2\x89\x88 " : "", all > 0 ? 100 * part / all : 0.0);
}

/* Colours and names of the keys, and what share each has. */
static hsc_status make_keys(timeline *t, const uint32_t *row_of, hsc_err *err) {
    uint32_t n = t->n_ranked;
    double all = 0, of[KEYS_MAX] = {0};
    bool shown[KEYS_MAX] = {false}, in_spans[256] = {false};
    for (size_t i = 0; t->spans && i < (size_t)t->axis.bins * t->slots_n; i++)
        in_spans[t->spans[i].category] = in_spans[t->spans[i].category] || t->spans[i].part;
    free(t->names);
    t->names = calloc(KEYS_MAX + SPAN_KEYS_MAX, sizeof *t->names);
    if (!t->names)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for names");
    for (size_t i = 0; i < (size_t)t->axis.bins * t->slots_n; i++)
        for (uint32_t k = 0; k < n; k++)
            shown[k] = shown[k] || t->slots[i].key == t->ranked[k];
    hsc_status s = sum_keys(t, row_of, of, &all, err);
    if (s != HSC_OK)
        return s;
    t->n_keys = 0;
    static const uint8_t order[] = {0, 1, 4, 5, 2, 6, 3, 7, 9, 8}; /* of procedures: not the categories' meanings */
    double rest = all;
    for (uint32_t k = 0; k < n; k++) {
        hsc_timeline_key_entry *e = &t->keys[t->n_keys];
        bool category = t->key == HSC_TIMELINE_CATEGORY;
        rest -= of[k];
        if (category && of[k] < 0.0005 * all && !shown[k] && !in_spans[t->ranked[k] & 0xFF])
            continue;
        e->key = t->ranked[k];
        e->colour = hsc_style_category(&t->w.style, category ? e->key : order[k % 10]);
        name_key(t, e->key, t->names[t->n_keys], sizeof *t->names);
        e->name = t->names[t->n_keys];
        put_share(t, e->share, sizeof e->share, of[k], all);
        t->n_keys++;
    }
    if (rest > 0.0005 * all && t->n_keys < KEYS_MAX) {
        hsc_timeline_key_entry *e = &t->keys[t->n_keys];
        snprintf(t->names[t->n_keys], sizeof *t->names, "others");
        *e = (hsc_timeline_key_entry){HSC_NONE, t->w.style.colour[HSC_P_cat8], t->names[t->n_keys], ""};
        put_share(t, e->share, sizeof e->share, rest, all);
        t->n_keys++;
    }
    for (uint32_t g = 0, tints = 0; g < 256 && tints < SPAN_KEYS_MAX; g++) { /* the tints behind */
        const char *name = in_spans[g] ? hsc_db_get_category(t->w.db->db, g) : NULL;
        if (!name)
            continue;
        hsc_timeline_key_entry *e = &t->keys[t->n_keys];
        snprintf(t->names[t->n_keys], sizeof *t->names, "%s, elapsed", name);
        *e = (hsc_timeline_key_entry){HSC_TIMELINE_TINT | g, hsc_timeline_tint(&t->w.style, g, 1), t->names[t->n_keys], ""};
        t->n_keys++;
        tints++;
    }
    return HSC_OK;
}

/* Waits and messages: what part of each slot the threads of the row spent in them, and in what most. */
static hsc_status make_spans(timeline *t, const uint32_t *row_of, hsc_err *err) {
    hsc_db *db = t->w.db->db;
    hsc_db_times times;
    uint64_t all = 0, first, n;
    free(t->spans);
    t->spans = NULL;
    t->crowded = false;
    hsc_status s = hsc_db_get_times(db, &times, err);
    if (s != HSC_OK || !t->show_spans || !times.spans)
        return s;
    uint32_t threads = t->w.db->info.threads;
    for (uint32_t i = 0; s == HSC_OK && i < threads; i++)
        if (row_of[i] != HSC_NONE && (s = hsc_db_find_spans(db, i, t->begin, t->end, &first, &n, err)) == HSC_OK)
            all += n;
    t->crowded = all > SPANS_MAX;
    if (s != HSC_OK || !all || t->crowded)
        return s;
    size_t cells = (size_t)t->axis.bins * t->slots_n;
    float *part = calloc(cells, sizeof *part);
    t->spans = calloc(cells, sizeof *t->spans);
    uint32_t *in_row = calloc((size_t)t->axis.bins + 1, sizeof *in_row);
    bool *counted = calloc((size_t)threads + 1, sizeof *counted);
    if (!part || !t->spans || !in_row || !counted)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %zu cells", cells);
    else
        s = hsc_timeline_count_threads(db, threads, row_of, t->axis.bins, t->begin, t->end, counted, err);
    double width = (t->end - t->begin) / t->slots_n;
    for (uint32_t i = 0; s == HSC_OK && i < threads; i++)
        if (counted[i])
            in_row[row_of[i]]++;
    for (uint32_t i = 0; s == HSC_OK && i < threads; i++) {
        if (!counted[i] || (s = hsc_db_find_spans(db, i, t->begin, t->end, &first, &n, err)) != HSC_OK)
            continue;
        float *row = part + (size_t)row_of[i] * t->slots_n;
        for (uint64_t k = first; s == HSC_OK && k < first + n; k++) {
            hsc_db_span span;
            if ((s = hsc_db_get_span(db, k, &span, err)) != HSC_OK)
                break;
            double a = (span.begin_s - t->begin) / width, b = (span.end_s - t->begin) / width;
            a = a > 0 ? a : 0;
            b = b < t->slots_n ? b : t->slots_n;
            for (uint32_t x = (uint32_t)a; x < b && x < t->slots_n; x++) {
                double low = a > x ? a : x, high = b < x + 1 ? b : x + 1;
                float before = row[x], more = (float)((high - low) / in_row[row_of[i]]);
                hsc_timeline_span *cell = &t->spans[(size_t)row_of[i] * t->slots_n + x];
                row[x] += more;
                if (more > before / 2) /* about the one with most */
                    cell->category = (uint8_t)span.category;
                cell->part = row[x] >= 1 ? 255 : (uint8_t)(row[x] * 255);
            }
        }
    }
    free(part);
    free(counted);
    free(in_row);
    if (s != HSC_OK) {
        free(t->spans);
        t->spans = NULL;
    }
    return s;
}

/* So many slots of a few samples each; not more than there are, nor ever fewer than twenty. */
static uint32_t slots_for(const timeline *t, double samples) {
    double n = fmax(samples / SLOT_SAMPLES, 20);
    return n < t->slots_n ? (uint32_t)n : t->slots_n;
}

/* What a sample stands for, on average. */
static hsc_status sample_length(const timeline *t, double *out, hsc_err *err) {
    uint64_t taken = 0;
    uint32_t periods_max = 0;
    hsc_status s = hsc_handle_taken(t->w.db, &taken, &periods_max, err);
    *out = t->period;
    if (s == HSC_OK && periods_max > 1 && taken && taken < t->w.db->info.samples)
        *out *= (double)t->w.db->info.samples / (double)taken;
    return s;
}

/* The whole run: what each thread has is known before anything is read. */
static hsc_status choose_slots_of_run(timeline *t, const uint32_t *row_of, hsc_err *err) {
    double sample = t->period, top = 0, *samples = calloc((size_t)t->axis.bins + 1, sizeof *samples);
    hsc_status s = samples ? sample_length(t, &sample, err) : hsc_err_set(err, HSC_E_MEMORY, "no memory for rows");
    hsc_db_thread thread;
    for (uint32_t i = 0; s == HSC_OK && i < t->w.db->info.threads; i++)
        if (row_of[i] != HSC_NONE && (s = hsc_db_get_thread(t->w.db->db, i, &thread, err)) == HSC_OK)
            top = fmax(top, samples[row_of[i]] += (double)thread.samples * t->period / sample);
    free(samples);
    if (s == HSC_OK && (t->end - t->begin) / t->slots_n * SINGLE_PIXELS > sample)
        t->slots_n = t->slots_read = slots_for(t, top);
    t->chosen = s == HSC_OK;
    return s;
}

/* Slots of a few samples at least: between one and some pixels a sample, what is drawn would be the beat of two grids, here a sample and
 * there none. Nearer than that samples stand by themselves, as long as they took. *slots: by what is in view of the row that has most. */
static hsc_status choose_slots(const timeline *t, const uint32_t *row_of, uint32_t *slots, hsc_err *err) {
    hsc_handle *h = t->w.db;
    uint64_t most = 0;
    uint32_t *working = calloc((size_t)t->axis.bins + 1, sizeof *working);
    double sample = t->period, pixel = (t->end - t->begin) / t->slots_n, top = 0;
    hsc_status s = working ? sample_length(t, &sample, err) : hsc_err_set(err, HSC_E_MEMORY, "no memory for rows");
    hsc_db_thread thread;
    *slots = t->slots_n;
    for (int round = 0; round < 2; round++) /* threads of a row that work, as the height of a slot has them */
        for (uint32_t i = 0; s == HSC_OK && i < h->info.threads; i++)
            if ((s = hsc_db_get_thread(h->db, i, &thread, err)) == HSC_OK && row_of[i] != HSC_NONE) {
                if (!round)
                    most = thread.samples > most ? thread.samples : most;
                else
                    working[row_of[i]] += thread.samples >= most / 100 + 1;
            }
    for (uint32_t r = 0; s == HSC_OK && r < t->axis.bins; r++) {
        double busy = 0;
        for (uint32_t i = 0; i < t->slots_n; i++)
            busy += (double)t->slots[(size_t)r * t->slots_n + i].busy;
        top = fmax(top, busy * pixel / sample * working[r]);
    }
    free(working);
    if (s == HSC_OK && pixel * SINGLE_PIXELS > sample)
        *slots = slots_for(t, top);
    return s;
}

static bool same_slots(const struct slots_of *a, const struct slots_of *b) {
    return a->db == b->db && a->key == b->key && a->bins == b->bins && a->wanted == b->wanted && a->rows == b->rows && a->begin == b->begin &&
           a->end == b->end && a->spans == b->spans;
}

/* Some rows at a time. */
static hsc_status read_rows(timeline *t, const uint32_t *row_of, hsc_err *err) {
    double begin = hsw_now_ms();
    uint32_t threads = t->w.db->info.threads, step = threads > 0 ? 256 * t->axis.bins / threads : 1; /* 256 threads */
    hsc_status s = HSC_OK;
    step = step ? step : 1;
    while (s == HSC_OK && t->rows_read < t->axis.bins) {
        uint32_t n = t->axis.bins - t->rows_read < step ? t->axis.bins - t->rows_read : step;
        s = hsc_db_read_timeline_rows(t->w.db->db, (hsc_timeline_key)t->key, t->axis.bins, row_of, t->rows_read, n, t->begin, t->end, t->slots_n,
                                      t->slots + (size_t)t->rows_read * t->slots_n, err);
        t->rows_read += s == HSC_OK ? n : 0;
        if (s == HSC_OK && t->rows_read < t->axis.bins)
            s = hsw_later(&t->w, begin, err);
    }
    return s;
}

static hsc_status read_slots(timeline *t, hsc_err *err) {
    hsc_db *db = t->w.db->db;
    uint32_t threads = t->w.db->info.threads, slots;
    uint32_t *row_of = malloc(((size_t)threads + 1) * sizeof *row_of);
    size_t cells = (size_t)t->axis.bins * t->slots_n;
    struct slots_of of = {t->w.db, t->key, t->axis.bins, t->slots_n, 2166136261u, t->begin, t->end, t->show_spans != 0};
    hsc_status s = row_of ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u threads", threads);
    for (uint32_t i = 0; s == HSC_OK && i < threads; i++) {
        hsc_db_thread thread;
        uint32_t column = i;
        if (t->w.axis == HSC_AXIS_PROCESS && (s = hsc_db_get_thread(db, i, &thread, err)) == HSC_OK)
            column = thread.process;
        if (s == HSC_OK)
            row_of[i] = column < t->axis.columns && t->axis.bin_of[column] != UINT32_MAX ? t->axis.bin_of[column] : HSC_NONE;
        of.rows = (of.rows ^ (s == HSC_OK ? row_of[i] : 0)) * 16777619u;
    }
    if (s == HSC_OK && t->slots && same_slots(&of, &t->slots_of)) {
        t->slots_n = t->slots_read;
    } else if (s == HSC_OK) {
        free(t->slots);
        t->slots = malloc((cells + 1) * sizeof *t->slots);
        t->slots_of = of;
        t->slots_read = t->slots_n;
        t->rows_read = 0;
        free(t->spans);
        t->spans = NULL;
        t->spans_made = t->keys_made = t->chosen = false;
        if (!t->slots)
            s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %zu cells", cells);
        else if (!(t->view_begin < t->view_end))
            s = choose_slots_of_run(t, row_of, err);
    }
    if (s == HSC_OK && t->rows_read < t->axis.bins && (s = read_rows(t, row_of, err)) == HSC_OK && !t->chosen &&
        (s = choose_slots(t, row_of, &slots, err)) == HSC_OK) {
        t->chosen = true;
        if (slots < t->slots_n) {
            t->slots_n = t->slots_read = slots;
            t->rows_read = 0;
            s = read_rows(t, row_of, err);
        }
    }
    if (s == HSC_E_PENDING && t->chosen && t->rows_read) { /* the rows there are can be drawn */
        for (size_t i = (size_t)t->rows_read * t->slots_n; i < (size_t)t->axis.bins * t->slots_n; i++)
            t->slots[i] = (hsc_db_slot){.key = HSC_NONE};
        hsc_err_clear(err);
        s = t->keys_made ? HSC_OK : make_keys(t, row_of, err);
        t->keys_made = s == HSC_OK;
        free(row_of);
        return s;
    }
    if (s == HSC_OK && !t->spans_made)
        s = make_spans(t, row_of, err);
    t->spans_made = t->spans_made || s == HSC_OK;
    if (s == HSC_OK)
        s = make_keys(t, row_of, err);
    if (s != HSC_OK && s != HSC_E_PENDING)
        t->slots_of = (struct slots_of){0};
    free(row_of);
    return s;
}

static hsc_status prepare(hsw *w, hsc_err *err) {
    timeline *t = (timeline *)w;
    hsc_db_times times;
    hsc_db_metric metric;
    int rows = hsw_height(w) / (t->min_row > 0 ? t->min_row : 1);
    hsc_status s = hsw_axis(w, t->columns, t->sort, rows > 1 ? (uint32_t)rows : 1, &t->axis, err);
    t->absent = true;
    if (s != HSC_OK || (s = hsc_db_get_times(w->db->db, &times, err)) != HSC_OK ||
        (s = hsc_db_get_metric(w->db->db, 0, &metric, err)) != HSC_OK)
        return s;
    if (!times.present || !t->axis.bins)
        return HSC_OK;
    free(t->labels);
    free(t->pointers);
    t->labels = calloc((size_t)t->axis.bins + 1, sizeof *t->labels);
    t->pointers = calloc((size_t)t->axis.bins + 1, sizeof *t->pointers);
    if (!t->labels || !t->pointers)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u labels", t->axis.bins);
    for (uint32_t b = 0; b < t->axis.bins; b++) {
        hsc_handle_label(w->db, (hsc_db_axis)w->axis, t->axis.order[t->axis.start[b]], t->labels[b], sizeof t->labels[b]);
        t->pointers[b] = t->labels[b];
    }
    t->run_end = times.end_s;
    t->period = metric.scale;
    t->begin = t->view_begin < t->view_end ? t->view_begin : 0;
    t->end = t->view_begin < t->view_end ? t->view_end : times.end_s;
    t->slots_n = hsw_width(w) > 20 ? (uint32_t)hsw_width(w) : 20; /* a little more than the pixels of the plot */
    if ((s = rank_keys(t, err)) != HSC_OK || (s = read_slots(t, err)) != HSC_OK)
        return s;
    choose_top(t);
    t->absent = false;
    return read_phases(t, err);
}

static hsc_timeline_frame frame_of(const timeline *t) {
    int mark = -1;
    if (t->mark >= 0 && (uint32_t)t->mark < t->axis.columns && t->axis.bin_of[t->mark] != UINT32_MAX)
        mark = (int)t->axis.bin_of[t->mark];
    int first = -1, last = -1; /* rows of the process alone that the phases are of */
    for (uint32_t r = 0; t->n_phases && r < t->axis.bins; r++)
        if (process_of(t, t->axis.order[t->axis.start[r]]) == t->phases_process &&
            process_of(t, t->axis.order[t->axis.start[r + 1] - 1]) == t->phases_process) {
            first = first < 0 ? (int)r : first;
            last = (int)r;
        }
    return (hsc_timeline_frame){.rows = t->axis.bins, .slots_n = t->slots_n, .slots = t->slots, .spans = t->spans, .labels = t->pointers,
                                .begin = t->begin, .end = t->end, .interval_begin = t->interval_begin, .interval_end = t->interval_end,
                                .drag_begin = fmin(t->drag_from, t->drag_to), .drag_end = fmax(t->drag_from, t->drag_to),
                                .n_keys = t->n_keys, .keys = t->keys, .busy_top = t->busy_top, .mark = mark,
                                .n_phases = t->n_phases, .phases = t->phases, .phases_of = t->phases_of,
                                .phases_first = first, .phases_last = first >= 0 && (t->sort == 0 || last == first) ? last : first};
}

static void paint(hsw *w, hsc_canvas *c) {
    timeline *t = (timeline *)w;
    if (!w->db)
        return;
    if (t->absent) {
        hsc_canvas_text_fit(c, w->style.font, c->width / 2.0, c->height / 2.0, c->width - 20, HSC_CENTRE, w->style.colour[HSC_P_muted],
                            "This database has no samples by time; heatscope correlate makes one that has.");
        return;
    }
    for (uint32_t i = 0; i < t->n_keys; i++) /* the theme may have changed since they were made */
        if (t->keys[i].key == HSC_NONE)
            continue;
        else if (t->keys[i].key & HSC_TIMELINE_TINT)
            t->keys[i].colour = hsc_timeline_tint(&w->style, t->keys[i].key & ~HSC_TIMELINE_TINT, 1);
        else if (t->key == HSC_TIMELINE_CATEGORY)
            t->keys[i].colour = hsc_style_category(&w->style, t->keys[i].key);
    hsc_timeline_frame f = frame_of(t);
    hsc_paint_timeline(c, &w->style, &f);
    if (t->rows_read < t->axis.bins)
        hsc_paint_timeline_progress(c, &w->style, &f, t->rows_read);
}

/* ---- pointer ---- */

static hsc_timeline_layout layout_of(const timeline *t) {
    hsc_timeline_layout l;
    hsc_timeline_frame f = frame_of(t);
    hsc_timeline_layout_get(&t->w.surface.canvas, &t->w.style, &f, &l);
    return l;
}

static double time_at(const timeline *t, const hsc_timeline_layout *l, int x) {
    double at = t->begin + (t->end - t->begin) * (x - l->x) / l->width;
    return at < t->begin ? t->begin : at > t->end ? t->end : at;
}

static Tcl_Obj *cell_dict(const timeline *t, uint32_t row, uint32_t slot) {
    const hsc_db_slot *s = &t->slots[(size_t)row * t->slots_n + slot];
    double width = (t->end - t->begin) / t->slots_n;
    Tcl_Obj *d = Tcl_NewDictObj();
    char name[256] = "";
    hsc_tcl_put(d, "part", Tcl_NewStringObj("slot", -1));
    hsc_tcl_put(d, "row", Tcl_NewWideIntObj(row));
    hsc_tcl_put(d, "column", Tcl_NewWideIntObj(t->axis.order[t->axis.start[row]]));
    hsc_tcl_put(d, "last", Tcl_NewWideIntObj(t->axis.order[t->axis.start[row + 1] - 1]));
    hsc_tcl_put(d, "from", Tcl_NewDoubleObj(t->begin + slot * width));
    hsc_tcl_put(d, "to", Tcl_NewDoubleObj(t->begin + (slot + 1) * width));
    if (s->key != HSC_NONE)
        name_key(t, s->key, name, sizeof name);
    hsc_tcl_put(d, "key", hsc_tcl_index(s->key));
    hsc_tcl_put(d, "name", hsc_tcl_text(name, strlen(name)));
    hsc_tcl_put(d, "share", Tcl_NewDoubleObj((double)s->share));
    hsc_tcl_put(d, "busy", Tcl_NewDoubleObj((double)s->busy));
    const hsc_timeline_span *span = t->spans ? &t->spans[(size_t)row * t->slots_n + slot] : NULL;
    const char *category = span && span->part ? hsc_db_get_category(t->w.db->db, span->category) : NULL;
    hsc_tcl_put(d, "waiting", Tcl_NewDoubleObj(span ? span->part / 255.0 : 0));
    hsc_tcl_put(d, "waiting_for", hsc_tcl_text(category ? category : "", category ? strlen(category) : 0));
    return d;
}

/* The phase that is drawn at a place: the first that begins in its pixels. */
static const hsc_timeline_phase *phase_at(const timeline *t, const hsc_timeline_layout *l, int x, int y) {
    if (!t->n_phases || x < l->x || x >= l->x + l->width || y < l->phase_y || y >= l->phase_y + l->phase_height)
        return NULL;
    double at = time_at(t, l, x), next = time_at(t, l, x + 1);
    for (uint32_t i = 0; i < t->n_phases; i++)
        if (t->phases[i].begin < next && t->phases[i].end > at)
            return &t->phases[i];
    return NULL;
}

static Tcl_Obj *phase_dict(const timeline *t, const hsc_timeline_phase *p) {
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "part", Tcl_NewStringObj("phase", -1));
    hsc_tcl_put(d, "name", hsc_tcl_text(p->name, strlen(p->name)));
    hsc_tcl_put(d, "of", hsc_tcl_text(t->phases_of, strlen(t->phases_of)));
    hsc_tcl_put(d, "from", Tcl_NewDoubleObj(p->begin));
    hsc_tcl_put(d, "to", Tcl_NewDoubleObj(p->end));
    return d;
}

static Tcl_Obj *hit(hsw *w, int x, int y) {
    timeline *t = (timeline *)w;
    if (!w->db || t->absent)
        return NULL;
    hsc_timeline_layout l = layout_of(t);
    const hsc_timeline_phase *phase = phase_at(t, &l, x, y);
    if (phase)
        return phase_dict(t, phase);
    if (x < l.x || x >= l.x + l.width || y < l.y || y >= l.y + l.height)
        return NULL;
    uint32_t slot = (uint32_t)((int64_t)(x - l.x) * t->slots_n / l.width), row = 0;
    while (row + 1 < t->axis.bins && hsc_timeline_row_y(&l, t->axis.bins, row + 1) <= y)
        row++;
    return cell_dict(t, row, slot < t->slots_n ? slot : t->slots_n - 1);
}

static void send_view(hsw *w, double from, double to, const char *event) {
    timeline *t = (timeline *)w;
    double length = to - from, least = 20 * 1e-6;
    length = length < least ? least : length;
    length = length > t->run_end ? t->run_end : length;
    if (from < 0)
        from = 0;
    if (from + length > t->run_end)
        from = t->run_end - length;
    Tcl_Obj *d = Tcl_NewDictObj();
    hsc_tcl_put(d, "from", Tcl_NewDoubleObj(from));
    hsc_tcl_put(d, "to", Tcl_NewDoubleObj(from + length));
    hsw_send(w, event, d);
}

static bool press(hsw *w, int x, int y, int state) {
    timeline *t = (timeline *)w;
    (void)y;
    (void)state;
    if (!w->db || t->absent)
        return true;
    hsc_timeline_layout l = layout_of(t);
    t->drag_from = t->drag_to = time_at(t, &l, x);
    return true;
}

static bool drag(hsw *w, int x, int y, int state) {
    timeline *t = (timeline *)w;
    (void)y;
    (void)state;
    if (!w->db || t->absent)
        return true;
    hsc_timeline_layout l = layout_of(t);
    t->drag_to = time_at(t, &l, x);
    hsw_schedule(w, HSW_PAINT);
    return true;
}

static bool release(hsw *w, int x, int y, int state) {
    timeline *t = (timeline *)w;
    (void)state;
    double a = fmin(t->drag_from, t->drag_to), b = fmax(t->drag_from, t->drag_to);
    t->drag_from = t->drag_to = 0;
    if (!w->db || t->absent)
        return true;
    hsw_schedule(w, HSW_PAINT);
    if (w->dragged && a < b) {
        send_view(w, a, b, "<<TimelineRange>>");
        return true;
    }
    hsc_timeline_layout l = layout_of(t);
    const hsc_timeline_phase *phase = w->dragged ? NULL : phase_at(t, &l, x, y);
    Tcl_Obj *d = w->dragged ? NULL : hit(w, x, y);
    if (d)
        hsw_send(w, phase ? "<<TimelineRange>>" : "<<TimelinePick>>", d);
    return true;
}

/* Double click or Return: the application looks at the interval, or at the whole run again. */
static bool open_timeline(hsw *w, int x, int y) {
    timeline *t = (timeline *)w;
    Tcl_Obj *d = w->db && !t->absent ? hit(w, x, y) : NULL;
    if (!d) {
        d = Tcl_NewDictObj();
        hsc_tcl_put(d, "part", Tcl_NewStringObj("", -1));
    }
    t->drag_from = t->drag_to = 0;
    hsw_send(w, "<<HeatscopeOpen>>", d);
    return true;
}

/* Wheel: nearer or farther at the pointer; with Shift: to the side. */
static bool wheel(hsw *w, int x, int y, int steps, int state) {
    timeline *t = (timeline *)w;
    (void)y;
    if (!w->db || t->absent)
        return true;
    hsc_timeline_layout l = layout_of(t);
    double length = t->end - t->begin, at = time_at(t, &l, x), factor = pow(1.15, steps);
    if (state & ShiftMask)
        send_view(w, t->begin + length * 0.04 * steps, t->end + length * 0.04 * steps, "<<TimelineView>>");
    else
        send_view(w, at - (at - t->begin) * factor, at + (t->end - at) * factor, "<<TimelineView>>");
    return true;
}

/* Left and Right move, Up and Down zoom, Home and End go to the run's ends, PageUp and PageDown by a screen. */
static bool move(hsw *w, int rows, int columns, bool extend, bool page) {
    timeline *t = (timeline *)w;
    double length = t->end - t->begin, middle = (t->begin + t->end) / 2, by = extend ? 0.5 : 0.1;
    if (!w->db || t->absent)
        return true;
    if (columns)
        send_view(w, t->begin + by * length * columns, t->end + by * length * columns, "<<TimelineView>>");
    else if (abs(rows) >= 1000)
        send_view(w, rows < 0 ? 0 : t->run_end - length, rows < 0 ? length : t->run_end, "<<TimelineView>>");
    else if (page)
        send_view(w, t->begin + 0.9 * length * rows, t->end + 0.9 * length * rows, "<<TimelineView>>");
    else if (rows)
        send_view(w, middle - length / 2 * (rows < 0 ? 1 / 1.4 : 1.4), middle + length / 2 * (rows < 0 ? 1 / 1.4 : 1.4), "<<TimelineView>>");
    return true;
}

/* What is drawn as rows {PROCESSOR FROM TO NAME BUSY WAITING}: neighbours of the same name are one, BUSY and WAITING their mean. */
static Tcl_Obj *slot_rows(const timeline *t) {
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    double width = (t->end - t->begin) / (t->slots_n ? t->slots_n : 1);
    for (uint32_t r = 0; t->w.db && !t->absent && r < t->axis.bins; r++) {
        const hsc_db_slot *s = &t->slots[(size_t)r * t->slots_n];
        const hsc_timeline_span *spans = t->spans ? &t->spans[(size_t)r * t->slots_n] : NULL;
        for (uint32_t i = 0, k; i < t->slots_n; i = k) {
            double busy = 0, waiting = 0;
            for (k = i; k < t->slots_n && s[k].key == s[i].key; k++) {
                busy += (double)s[k].busy;
                waiting += spans ? spans[k].part / 255.0 : 0;
            }
            char key[256] = "";
            if (s[i].key != HSC_NONE)
                name_key(t, s[i].key, key, sizeof key);
            Tcl_Obj *row[] = {Tcl_NewStringObj(t->labels[r], -1), Tcl_NewDoubleObj(t->begin + i * width), Tcl_NewDoubleObj(t->begin + k * width),
                              hsc_tcl_text(key, strlen(key)), Tcl_NewDoubleObj(busy / (k - i)), Tcl_NewDoubleObj(waiting / (k - i))};
            Tcl_ListObjAppendElement(NULL, list, Tcl_NewListObj(6, row));
        }
    }
    return list;
}

static int command_of(hsw *w, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    timeline *t = (timeline *)w;
    (void)objv;
    if (!strcmp(name, "slots") && objc == 2) {
        hsw_draw(w);
        Tcl_SetObjResult(interp, slot_rows(t));
        return TCL_OK;
    }
    if (strcmp(name, "range") || objc != 2)
        return TCL_CONTINUE;
    hsw_draw(w);
    Tcl_Obj *d = Tcl_NewDictObj();
    if (w->db && !t->absent) {
        hsc_timeline_layout l = layout_of(t);
        hsc_tcl_put(d, "from", Tcl_NewDoubleObj(t->begin));
        hsc_tcl_put(d, "to", Tcl_NewDoubleObj(t->end));
        hsc_tcl_put(d, "end", Tcl_NewDoubleObj(t->run_end));
        hsc_tcl_put(d, "rows", Tcl_NewWideIntObj(t->axis.bins));
        hsc_tcl_put(d, "crowded", Tcl_NewBooleanObj(t->crowded));
        hsc_tcl_put(d, "x", Tcl_NewWideIntObj(l.x));
        hsc_tcl_put(d, "y", Tcl_NewWideIntObj(l.y));
        hsc_tcl_put(d, "width", Tcl_NewWideIntObj(l.width));
        hsc_tcl_put(d, "height", Tcl_NewWideIntObj(l.height));
    }
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

static void describe(hsw *w, Tcl_Obj *text) {
    timeline *t = (timeline *)w;
    if (!w->db || t->absent) {
        Tcl_AppendToObj(text, "timeline: no samples by time\n", -1);
        return;
    }
    char line[400];
    snprintf(line, sizeof line, "timeline by %s, %.6g s to %.6g s of %.6g s, %u rows\n", key_names[t->key], t->begin, t->end, t->run_end, t->axis.bins);
    Tcl_AppendToObj(text, line, -1);
    if (t->interval_begin < t->interval_end) {
        snprintf(line, sizeof line, "interval %.6g s to %.6g s\n", t->interval_begin, t->interval_end);
        Tcl_AppendToObj(text, line, -1);
    }
    for (uint32_t i = 0; i < t->n_phases && i < 64; i++) {
        char name[200];
        snprintf(line, sizeof line, "phase %.200s of %s: %.6g s to %.6g s\n", hsc_text_clean(t->phases[i].name, name, sizeof name), t->phases_of,
                 t->phases[i].begin, t->phases[i].end);
        Tcl_AppendToObj(text, line, -1);
    }
    for (uint32_t k = 0; k < t->n_keys; k++) {
        snprintf(line, sizeof line, "%s %s\n", t->keys[k].name, t->keys[k].share);
        Tcl_AppendToObj(text, line, -1);
    }
    for (uint32_t r = 0; r < t->axis.bins && r < 64; r++) { /* what leads, and how busy */
        double busy = 0;
        uint32_t switches = 0, last = HSC_NONE;
        for (uint32_t i = 0; i < t->slots_n; i++) {
            const hsc_db_slot *s = &t->slots[(size_t)r * t->slots_n + i];
            busy += (double)s->busy;
            switches += s->key != last && i;
            last = s->key;
        }
        snprintf(line, sizeof line, "%s: busy %.1f %%, changes %u time%s\n", t->labels[r], 100 * busy / t->slots_n, switches, switches == 1 ? "" : "s");
        Tcl_AppendToObj(text, line, -1);
    }
}

const hsw_class hsw_timeline_class = {
    .command = "timeline", .tk_class = "HeatscopeTimeline", .size = sizeof(timeline), .options = options, .init = init, .changed = changed,
    .fini = fini, .prepare = prepare, .paint = paint, .hit = hit, .describe = describe, .command_of = command_of,
    .press = press, .drag = drag, .release = release, .open = open_timeline, .wheel = wheel, .move = move, .usage = "range slots"};
