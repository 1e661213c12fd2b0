/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the timeline draws, read from the database: phases, slots, spans, keys. */
#include "apart.h"
#include "w_timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "number.h"

#define SHARES_MAX 500000.0 /* samples that are read one by one for the shares of a part of the run */
#define SLOT_SAMPLES 4      /* a slot has so many samples, on average */
#define SINGLE_PIXELS 8     /* from so many pixels a sample on, each is drawn by itself */

/* The process of a column of the axis, HSC_NONE without one. */
uint32_t hsw_timeline_process_of(const timeline *t, int64_t column) {
    hsc_db_thread thread;
    if (column < 0 || column >= t->axis.columns)
        return HSC_NONE;
    if (t->w.axis == HSC_AXIS_PROCESS)
        return (uint32_t)column;
    return hsc_db_get_thread(t->w.db->db, (uint32_t)column, &thread, NULL) == HSC_OK ? thread.process : HSC_NONE;
}

/* Phases of the chosen processor's process; of the first that has some where it has none. */
hsc_status hsw_timeline_read_phases(timeline *t, hsc_err *err) {
    uint32_t first = hsc_timeline_phases_of(t->w.db->db), process = first == HSC_NONE ? HSC_NONE : hsw_timeline_process_of(t, t->mark);
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

static bool is_procedure(void *ctx, uint64_t row) {
    hsc_db_scope s;
    return hsc_db_get_scope(ctx, (uint32_t)row, &s, NULL) == HSC_OK && s.kind == HSC_SCOPE_PROCEDURE;
}

/* The keys that get colours: those with most of the run when it was first drawn, so that colours stay while one zooms. */
hsc_status hsw_timeline_rank_keys(timeline *t, hsc_err *err) {
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
        s = hsc_db_read_top(db->db, (hsc_db_view){0, HSC_TABLE_SCOPE_EXCL, HSC_AXIS_THREAD}, NULL, NULL, RANKED_MAX, rows, sums, &n, err);
    } else { /* a procedure's own, with its loops */
        const double *own = NULL;
        s = hsc_handle_own(db, 0, &own, err);
        for (uint32_t i = 0; s == HSC_OK && i < db->info.scopes; i++) {
            uint32_t at = n;
            if (!(own[i] > 0) || (n == RANKED_MAX && own[i] <= sums[RANKED_MAX - 1]) || !is_procedure(db->db, i))
                continue;
            while (at && own[i] > sums[at - 1])
                at--;
            n += n < RANKED_MAX;
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
void hsw_timeline_name_key(const timeline *t, uint32_t key, char *out, size_t size) {
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
    hsc_handle_short_name(t->w.db, key, s.name, name, sizeof name);
    hsc_text_clean(name, clean, sizeof clean);
    if (s.kind != HSC_SCOPE_LOOP && s.kind != HSC_SCOPE_REGION) {
        const char *slash = s.kind == HSC_SCOPE_PROCEDURE ? NULL : strrchr(clean, '/');
        snprintf(out, size, "%s", slash ? slash + 1 : clean);
        return;
    }
    char of[120] = "";
    if (s.procedure != HSC_NONE && hsc_db_get_scope(db, s.procedure, &p, NULL) == HSC_OK) {
        hsc_handle_short_name(t->w.db, s.procedure, p.name, name, sizeof name);
        hsc_text_clean(name, of, sizeof of);
    }
    snprintf(out, size, "%.80s line %u%s%.110s", clean, s.line_begin, of[0] ? " of " : "", of);
}

/* What fills a row: all of the processors where they are used well, else what all but a twentieth of the slots stay below. */
void hsw_timeline_choose_top(timeline *t) {
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
    bool all_in_view = t->begin <= 0 && t->end >= t->run_end; /* also beside a longer run */
    if (all_in_view && !(t->columns && t->columns[0]) && h->only == HSC_NONE)
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

/* Have pixels more than one wait on average? Then what is seen of them is their sum. */
static bool are_added_up(const timeline *t) { return t->spans_n > t->spans_cells; }

/* Colours and names of the keys, and what share each has. */
static hsc_status make_keys(timeline *t, const uint32_t *row_of, hsc_err *err) {
    uint32_t n = t->n_ranked;
    double all = 0, of[KEYS_MAX] = {0};
    bool shown[KEYS_MAX] = {false}, in_spans[256] = {false};
    for (size_t i = 0; t->spans && i < (size_t)t->axis.bins * t->slots_n; i++)
        in_spans[t->spans[i].category] = in_spans[t->spans[i].category] || t->spans[i].part;
    free(t->names);
    t->names = calloc(KEYS_MAX + SPAN_KEYS_MAX + 1, sizeof *t->names);
    if (!t->names)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for names");
    for (size_t i = 0; i < (size_t)t->axis.bins * t->slots_n; i++)
        for (uint32_t k = 0; k < n; k++)
            shown[k] = shown[k] || t->slots[i].key == t->ranked[k];
    hsc_status s = sum_keys(t, row_of, of, &all, err);
    if (s != HSC_OK)
        return s;
    t->n_keys = 0;
    static const uint8_t order[RANKED_MAX] = {0, 1, 4, 5, 2, 6, 3, 7, 9}; /* of procedures: not the categories' meanings, nor that of all others (8) */
    double rest = all;
    for (uint32_t k = 0; k < n; k++) {
        hsc_timeline_key_entry *e = &t->keys[t->n_keys];
        bool category = t->key == HSC_TIMELINE_CATEGORY;
        rest -= of[k];
        if (category && of[k] < 0.0005 * all && !shown[k] && !in_spans[t->ranked[k] & 0xFF])
            continue;
        e->key = t->ranked[k];
        e->colour = hsc_style_category(&t->w.style, category ? e->key : order[k % RANKED_MAX]);
        hsw_timeline_name_key(t, e->key, t->names[t->n_keys], sizeof *t->names);
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
    char count[HSC_NUMBER_MAX];
    uint32_t first_tint = 0;
    hsc_number_short((double)t->spans_n, 4, count);
    /* the tints behind: by category they are the paler ones of colours that are in the key */
    for (uint32_t k = 0; k < n && t->key == HSC_TIMELINE_CATEGORY; k++)
        if (in_spans[t->ranked[k] & 0xFF]) {
            t->keys[t->n_keys] = (hsc_timeline_key_entry){HSC_TIMELINE_TINT | t->ranked[k], hsc_timeline_tint(&t->w.style, t->ranked[k], 1),
                                                            t->names[t->n_keys], ""};
            snprintf(t->names[t->n_keys++], sizeof *t->names, are_added_up(t) ? "pale: elapsed, in %s recorded calls, added up by pixel" : "pale: elapsed, in calls", count);
            break;
        }
    while (first_tint < 256 && !in_spans[first_tint])
        first_tint++;
    if (t->key != HSC_TIMELINE_CATEGORY && first_tint < 256 && are_added_up(t)) {
        snprintf(t->names[t->n_keys], sizeof *t->names, "%s recorded calls, added up by pixel", count);
        t->keys[t->n_keys] = (hsc_timeline_key_entry){HSC_TIMELINE_NOTE, 0, t->names[t->n_keys], ""};
        t->n_keys++;
    }
    for (uint32_t g = 0, tints = 0; g < 256 && tints < SPAN_KEYS_MAX && t->key != HSC_TIMELINE_CATEGORY; g++) {
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

/* Waits and messages of what is in view: how many, and which threads' stand for their row. */
static hsc_status begin_spans(timeline *t, const uint32_t *row_of, hsc_err *err) {
    uint32_t threads = t->w.db->info.threads;
    uint64_t first, n;
    double begin = hsw_now_ms();
    bool ready = false;
    hsc_db_times times;
    hsw_timeline_free_spans(t);
    hsc_status s = hsc_db_get_times(t->w.db->db, &times, err);
    while (s == HSC_OK && t->show_spans && times.spans && !ready) /* of many it takes a while */
        if ((s = hsc_db_prepare_spans(t->w.db->db, &ready, err)) == HSC_OK && !ready)
            s = hsw_later(&t->w, begin, err);
    for (uint32_t i = 0; s == HSC_OK && t->show_spans && times.spans && i < threads; i++)
        if (row_of[i] != HSC_NONE && (s = hsc_db_find_spans(t->w.db->db, i, t->begin, t->end, &first, &n, err)) == HSC_OK)
            t->spans_n += n;
    if (s != HSC_OK || !t->spans_n)
        return s;
    t->spans = calloc((size_t)t->axis.bins * t->slots_n, sizeof *t->spans);
    t->counted = calloc((size_t)threads + 1, sizeof *t->counted);
    if (!t->spans || !t->counted)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u rows", t->axis.bins);
    return hsc_timeline_count_threads(t->w.db->db, threads, row_of, t->axis.bins, t->begin, t->end, t->counted, err);
}

/* What part of each slot of a row its threads spent in them, and in what most; sums: room for each category. */
static hsc_status add_spans(timeline *t, const uint32_t *row_of, uint32_t row, double *sums, uint32_t categories, hsc_err *err) {
    uint32_t n = 0;
    hsc_status s = HSC_OK;
    memset(sums, 0, (size_t)categories * t->slots_n * sizeof *sums);
    for (uint32_t i = 0; s == HSC_OK && i < t->w.db->info.threads; i++)
        if (t->counted[i] && row_of[i] == row) {
            s = hsc_db_add_spans(t->w.db->db, i, t->begin, t->end, t->slots_n, sums, err);
            n++;
        }
    for (uint32_t x = 0; s == HSC_OK && n && x < t->slots_n; x++) {
        hsc_timeline_span *cell = &t->spans[(size_t)row * t->slots_n + x];
        double all = 0, most = 0;
        for (uint32_t k = 0; k < categories; k++) {
            double v = sums[(size_t)k * t->slots_n + x];
            all += v;
            if (v > most) {
                most = v;
                cell->category = (uint8_t)k;
            }
        }
        cell->part = all >= n ? 255 : (uint8_t)(all / n * 255);
        if (cell->part) {
            t->spans_cells++;
        } else {
            cell->category = 0;
        }
    }
    return s;
}

/* Some rows at a time, however many waits there are. */
static hsc_status make_spans(timeline *t, const uint32_t *row_of, hsc_err *err) {
    double begin = hsw_now_ms(), *sums = NULL;
    uint32_t categories = 0;
    hsc_status s = t->spans ? HSC_OK : begin_spans(t, row_of, err);
    while (hsc_db_get_category(t->w.db->db, categories))
        categories++;
    if (s == HSC_OK && t->spans && !(sums = malloc(((size_t)categories * t->slots_n + 1) * sizeof *sums)))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u categories", categories);
    while (s == HSC_OK && t->spans && t->spans_rows < t->axis.bins) {
        s = add_spans(t, row_of, t->spans_rows, sums, categories, err);
        t->spans_rows += s == HSC_OK;
        if (s == HSC_OK && t->spans_rows < t->axis.bins)
            s = hsw_later(&t->w, begin, err);
    }
    free(sums);
    if (s != HSC_OK && s != HSC_E_PENDING)
        hsw_timeline_free_spans(t);
    return s;
}

void hsw_timeline_free_spans(timeline *t) {
    free(t->spans);
    free(t->counted);
    t->spans = NULL;
    t->counted = NULL;
    t->spans_rows = 0;
    t->spans_n = t->spans_cells = 0;
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

hsc_status hsw_timeline_read_slots(timeline *t, hsc_err *err) {
    hsc_db *db = t->w.db->db;
    uint32_t threads = t->w.db->info.threads, slots;
    uint32_t *row_of = malloc(((size_t)threads + 1) * sizeof *row_of);
    size_t cells = (size_t)t->axis.bins * t->slots_n;
    struct slots_of of = {t->w.db, t->key, t->axis.bins, t->slots_n, 2166136261u, t->begin, t->end, t->show_spans};
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
        hsw_timeline_free_spans(t);
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
    if (s == HSC_OK && !t->spans_made) {
        s = make_spans(t, row_of, err);
        t->spans_made = s == HSC_OK;
        if (s == HSC_E_PENDING) { /* those that are there can be drawn */
            hsc_err_clear(err);
            s = HSC_OK;
        }
    }
    if (s == HSC_OK)
        s = make_keys(t, row_of, err);
    if (s != HSC_OK && s != HSC_E_PENDING)
        t->slots_of = (struct slots_of){0};
    free(row_of);
    return s;
}
