/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What rows of exact tables (messages, pairs, waits, visits, causes) have in the interval that is set: sums of their slices in /time, added up
 * when a table is first asked for. A slice counts where it ends, so what disjoint intervals have adds up to the run. */
#include "within.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interval.h"
#include <heatscope/sorted.h>
#include "time_read.h"

enum how { ADD, LEAST, MOST }; /* LEAST: of slices with something in the first column */

typedef struct amount { /* a column of slices, and which one of the table it is a part of */
    enum hsc_column_id from, to;
    enum how how;
} amount;

#define A(slice, table, column) {HSC_COL_##slice##_##column, HSC_COL_##table##_##column, ADD}
#define NS(slice, table, column, how) {HSC_COL_##slice##_##column##_ns, HSC_COL_##table##_##column##_s, how}

static const amount messages[] = {A(message_slice, message, calls),
                                  A(message_slice, message, sent),
                                  A(message_slice, message, sent_bytes),
                                  A(message_slice, message, received),
                                  A(message_slice, message, received_bytes),
                                  {HSC_COL_message_slice_size_min, HSC_COL_message_size_min, LEAST},
                                  {HSC_COL_message_slice_size_max, HSC_COL_message_size_max, MOST},
                                  A(message_slice, message, size_squares),
                                  NS(message_slice, message, duration, ADD),
                                  NS(message_slice, message, duration_min, LEAST),
                                  NS(message_slice, message, duration_max, MOST),
                                  A(message_slice, message, duration_squares),
                                  A(message_slice, message, completions),
                                  NS(message_slice, message, in_flight, ADD),
                                  NS(message_slice, message, completion, ADD)};
static const amount pairs[] = {A(pair_slice, message_pair, sent), A(pair_slice, message_pair, sent_bytes), A(pair_slice, message_pair, received),
                               A(pair_slice, message_pair, received_bytes)};
static const amount waits[] = {A(wait_slice, wait, waits), NS(wait_slice, wait, total, ADD), NS(wait_slice, wait, max, MOST), A(wait_slice, wait, bytes)};
static const amount visits[] = {A(visit_slice, visit, visits),
                                A(visit_slice, visit, left),
                                NS(visit_slice, visit, duration, ADD),
                                NS(visit_slice, visit, duration_min, LEAST),
                                NS(visit_slice, visit, duration_max, MOST),
                                A(visit_slice, visit, duration_squares),
                                NS(visit_slice, visit, exclusive, ADD)};
static const amount delayed[] = {A(delayed_slice, delayed, waits), NS(delayed_slice, delayed, wait, ADD), NS(delayed_slice, delayed, max, MOST)};
static const amount places[] = {NS(delay_place_slice, delay_place, direct, ADD), NS(delay_place_slice, delay_place, caused, ADD)};

#define LIST(a) a, sizeof a / sizeof *a
static const struct series {
    enum hsc_table_id table, slices;
    enum hsc_column_id row, tick;
    const amount *amounts;
    size_t n;
} all[HSC_WITHIN_COUNT] = {
    [HSC_WITHIN_MESSAGES] = {HSC_TAB_message, HSC_TAB_message_slice, HSC_COL_message_slice_message, HSC_COL_message_slice_tick, LIST(messages)},
    [HSC_WITHIN_PAIRS] = {HSC_TAB_message_pair, HSC_TAB_pair_slice, HSC_COL_pair_slice_pair, HSC_COL_pair_slice_tick, LIST(pairs)},
    [HSC_WITHIN_WAITS] = {HSC_TAB_wait, HSC_TAB_wait_slice, HSC_COL_wait_slice_wait, HSC_COL_wait_slice_tick, LIST(waits)},
    [HSC_WITHIN_VISITS] = {HSC_TAB_visit, HSC_TAB_visit_slice, HSC_COL_visit_slice_block, HSC_COL_visit_slice_tick, LIST(visits)},
    [HSC_WITHIN_DELAYED] = {HSC_TAB_delayed, HSC_TAB_delayed_slice, HSC_COL_delayed_slice_delayed, HSC_COL_delayed_slice_tick, LIST(delayed)},
    [HSC_WITHIN_PLACES] = {HSC_TAB_delay_place, HSC_TAB_delay_place_slice, HSC_COL_delay_place_slice_place, HSC_COL_delay_place_slice_tick,
                           LIST(places)}};

enum { BLOCK = HSC_CHUNK_ROWS, AMOUNTS_MAX = sizeof messages / sizeof *messages };

typedef struct reading { /* slices of a table, a block at a time */
    hsc_array row, thread, tick, amounts[AMOUNTS_MAX];
    uint32_t *rows, *threads, *ticks; /* rows: of the table, once read */
    bool *in;                         /* the interval */
    uint64_t *values[AMOUNTS_MAX]; /* or double */
} reading;

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path); }

static void name_of(enum hsc_column_id column, char *out, size_t size) {
    const hsc_column_def *c = &hsc_schema_columns[column];
    snprintf(out, size, "/%s/%s/%s", hsc_schema_tables[c->table].section, hsc_schema_tables[c->table].name, c->name);
}

static hsc_status open_column(hsc_db *db, enum hsc_column_id column, hsc_array *a, uint64_t n, hsc_err *err) {
    char name[96];
    name_of(column, name, sizeof name);
    return hsc_array_open(db, name, hsc_schema_columns[column].type, n, a, err);
}

static void close_reading(hsc_db *db, const struct series *s, reading *r) {
    hsc_array_close(db, &r->row);
    hsc_array_close(db, &r->thread);
    hsc_array_close(db, &r->tick);
    free(r->rows);
    free(r->threads);
    free(r->ticks);
    free(r->in);
    for (size_t k = 0; k < s->n; k++) {
        hsc_array_close(db, &r->amounts[k]);
        free(r->values[k]);
    }
}

static hsc_status open_reading(hsc_db *db, const struct series *s, uint64_t n, reading *r, hsc_err *err) {
    hsc_status status = HSC_OK;
    *r = (reading){.row.set = -1, .thread.set = -1, .tick.set = -1};
    for (size_t k = 0; k < s->n; k++)
        r->amounts[k].set = -1;
    if (!(r->rows = malloc(BLOCK * sizeof *r->rows)) || !(r->threads = malloc(BLOCK * sizeof *r->threads)) ||
        !(r->ticks = malloc(BLOCK * sizeof *r->ticks)) || !(r->in = malloc(BLOCK * sizeof *r->in)))
        status = out_of_memory(db, err);
    for (size_t k = 0; k < s->n && !status; k++)
        if (!(r->values[k] = malloc(BLOCK * sizeof *r->values[k])))
            status = out_of_memory(db, err);
    if (!status)
        status = open_column(db, s->row, &r->row, n, err);
    if (!status && s->slices == HSC_TAB_visit_slice)
        status = open_column(db, HSC_COL_visit_slice_thread, &r->thread, n, err);
    if (!status)
        status = open_column(db, s->tick, &r->tick, n, err);
    for (size_t k = 0; k < s->n && !status; k++)
        status = open_column(db, s->amounts[k].from, &r->amounts[k], n, err);
    return status;
}

/* ---- which slices ---- */

typedef struct ends { /* ticks: first < t <= last */
    uint32_t process;
    uint64_t first, last;
} ends;

static bool is_in(const ends *e, uint32_t n, uint32_t process, uint32_t tick) {
    for (uint32_t i = 0; i < n; i++)
        if ((e[i].process == HSC_NONE || e[i].process == process) && (tick > e[i].first || (!tick && !e[i].first)) && tick <= e[i].last)
            return true;
    return false;
}

static uint32_t process_of_thread(const hsc_db *db, uint32_t thread) { return HSC_COL(db, thread_process, uint32_t)[thread]; }

/* Process whose phases the row is in. */
static uint32_t process_of(const hsc_db *db, hsc_within_of of, uint32_t row) {
    switch (of) {
    case HSC_WITHIN_MESSAGES:
        return process_of_thread(db, HSC_COL(db, message_thread, uint32_t)[row]);
    case HSC_WITHIN_PAIRS:
        return HSC_COL(db, message_pair_process, uint32_t)[row];
    case HSC_WITHIN_WAITS:
        return process_of_thread(db, HSC_COL(db, wait_thread, uint32_t)[row]);
    case HSC_WITHIN_VISITS:
        return process_of_thread(db, HSC_COL(db, visit_thread, uint32_t)[row]);
    case HSC_WITHIN_DELAYED:
        return process_of_thread(db, HSC_COL(db, delayed_thread, uint32_t)[row]);
    default:
        return process_of_thread(db, HSC_COL(db, delay_thread, uint32_t)[HSC_COL(db, delay_place_delay, uint32_t)[row]]);
    }
}

/* Row of a slice; HSC_NONE: of none. */
static uint32_t row_of(const hsc_db *db, hsc_within_of of, const reading *r, uint64_t i) {
    uint32_t row = r->rows[i], n = (uint32_t)db->tables.rows[all[of].table];
    if (of != HSC_WITHIN_VISITS)
        return row < n ? row : HSC_NONE;
    const uint32_t *block = HSC_COL(db, visit_block, uint32_t), *thread = HSC_COL(db, visit_thread, uint32_t);
    for (row = hsc_first_not_below(block, n, row); row < n && block[row] == r->rows[i]; row++)
        if (thread[row] == r->threads[i])
            return row;
    return HSC_NONE;
}

/* ---- sums ---- */

static uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static void take(hsc_within *w, const struct series *s, const reading *r, uint64_t i, uint32_t row) {
    bool any = r->values[0][i] != 0, first = ((uint64_t *)w->columns[s->amounts[0].to])[row] == 0;
    for (size_t k = 0; k < s->n; k++) {
        const amount *a = &s->amounts[k];
        uint64_t v = r->values[k][i], *to = (uint64_t *)w->columns[a->to] + row;
        if (hsc_schema_columns[a->from].type == HSC_COLTYPE_F8) {
            double d, sum;
            memcpy(&d, &v, sizeof d);
            memcpy(&sum, to, sizeof sum);
            sum += d;
            memcpy(to, &sum, sizeof sum);
        } else if (a->how == ADD) {
            *to = plus(*to, v);
        } else if (a->how == MOST) {
            *to = v > *to ? v : *to;
        } else if (any && (first || v < *to)) {
            *to = v;
        }
    }
}

static hsc_status find_ends(hsc_db *db, ends **out, uint32_t *n, hsc_err *err) {
    hsc_times *t = NULL;
    ends *e = malloc((db->interval->n_parts + 1) * sizeof *e);
    hsc_status status = e ? hsc_times_begin(db, &t, err) : out_of_memory(db, err);
    for (uint32_t i = 0; i < db->interval->n_parts && !status; i++) {
        const hsc_db_when *p = &db->interval->parts[i];
        e[i] = (ends){p->process, hsc_times_tick(t, p->begin_s), hsc_times_tick(t, p->end_s)};
    }
    *out = e;
    *n = db->interval->n_parts;
    return status;
}

/* Rows [first, first + n) of slices: which row of the table they are of, and whether they are in the interval. */
static hsc_status read_rows(hsc_db *db, hsc_within_of of, reading *r, const ends *e, uint32_t n_ends, uint64_t first, uint64_t n, hsc_err *err) {
    const struct series *s = &all[of];
    hsc_status status = hsc_dbfile_read(db->file, r->row.set, first, n, r->rows, err);
    if (!status)
        status = hsc_dbfile_read(db->file, r->tick.set, first, n, r->ticks, err);
    if (!status && of == HSC_WITHIN_VISITS)
        status = hsc_dbfile_read(db->file, r->thread.set, first, n, r->threads, err);
    for (uint64_t i = 0; i < n && !status; i++) {
        uint32_t row = row_of(db, of, r, i);
        if (row == HSC_NONE)
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: /time/%s row %" PRIu64 ": expected a row of %s", db->path,
                                 hsc_schema_tables[s->slices].name, first + i, hsc_schema_tables[s->table].name);
        else
            r->in[i] = is_in(e, n_ends, process_of(db, of, row), r->ticks[i]);
        r->rows[i] = row;
    }
    return status;
}

static hsc_status add_block(hsc_db *db, hsc_within_of of, hsc_within *w, reading *r, const ends *e, uint32_t n_ends, uint64_t first, uint64_t n,
                            hsc_err *err) {
    const struct series *s = &all[of];
    bool any = false;
    hsc_status status = read_rows(db, of, r, e, n_ends, first, n, err);
    for (uint64_t i = 0; i < n && !status && !any; i++)
        any = r->in[i];
    for (size_t k = 0; k < s->n && any && !status; k++)
        status = hsc_dbfile_read(db->file, r->amounts[k].set, first, n, r->values[k], err);
    for (uint64_t i = 0; i < n && any && !status; i++)
        if (r->in[i])
            take(w, s, r, i, r->rows[i]);
    return status;
}

static hsc_status load_bases(hsc_db *db, hsc_within_of of, hsc_err *err) {
    hsc_status status = hsc_db_load(db, HSC_TAB_thread, err);
    if (!status)
        status = hsc_db_load(db, all[of].table, err);
    if (!status && of == HSC_WITHIN_PLACES)
        status = hsc_db_load(db, HSC_TAB_delay, err);
    return status;
}

/* Sums of ns to seconds, where the table has those. */
static void to_seconds(hsc_within *w, const struct series *s, uint64_t rows) {
    for (size_t k = 0; k < s->n; k++)
        if (hsc_schema_columns[s->amounts[k].to].type == HSC_COLTYPE_F8 && hsc_schema_columns[s->amounts[k].from].type == HSC_COLTYPE_U8)
            for (uint64_t i = 0; i < rows; i++) {
                double seconds = (double)((uint64_t *)w->columns[s->amounts[k].to])[i] * 1e-9;
                memcpy((uint64_t *)w->columns[s->amounts[k].to] + i, &seconds, sizeof seconds);
            }
}

static bool make_columns(hsc_db *db, hsc_within_of of, hsc_within *w) {
    const struct series *s = &all[of];
    bool ok = true;
    for (size_t k = 0; k < s->n; k++) {
        free(w->columns[s->amounts[k].to]);
        ok = (w->columns[s->amounts[k].to] = calloc(db->tables.rows[s->table] + 1, 8)) && ok;
    }
    return ok;
}

static hsc_status add_up(hsc_db *db, hsc_within_of of, hsc_within *w, hsc_err *err) {
    const struct series *s = &all[of];
    reading r;
    uint64_t n = db->tables.rows[s->slices];
    uint32_t n_ends = 0;
    ends *e = NULL;
    hsc_status status = make_columns(db, of, w) ? find_ends(db, &e, &n_ends, err) : out_of_memory(db, err);
    if (!status && n) {
        status = open_reading(db, s, n, &r, err);
        for (uint64_t at = 0; at < n && !status; at += BLOCK)
            status = add_block(db, of, w, &r, e, n_ends, at, n - at < BLOCK ? n - at : BLOCK, err);
        close_reading(db, s, &r);
    }
    free(e);
    if (!status)
        to_seconds(w, s, db->tables.rows[s->table]);
    return status;
}

/* Delays: what their rows of delayed and of places have. */
static hsc_status add_delays(hsc_db *db, hsc_within *w, hsc_err *err) {
    static const enum hsc_column_id columns[] = {HSC_COL_delay_waits, HSC_COL_delay_wait_s, HSC_COL_delay_indirect_s, HSC_COL_delay_caused_s};
    hsc_status status = hsc_within_want(db, HSC_WITHIN_DELAYED, err);
    if (!status)
        status = hsc_within_want(db, HSC_WITHIN_PLACES, err);
    if (!status)
        status = hsc_db_load(db, HSC_TAB_delay, err);
    uint64_t n = db->tables.rows[HSC_TAB_delay];
    for (size_t k = 0; k < sizeof columns / sizeof *columns && !status; k++) {
        free(w->columns[columns[k]]);
        if (!(w->columns[columns[k]] = calloc(n + 1, 8)))
            status = out_of_memory(db, err);
    }
    if (status)
        return status;
    uint64_t *count = w->columns[HSC_COL_delay_waits];
    double *wait_s = w->columns[HSC_COL_delay_wait_s], *indirect_s = w->columns[HSC_COL_delay_indirect_s], *caused_s = w->columns[HSC_COL_delay_caused_s];
    for (uint64_t i = 0; i < db->tables.rows[HSC_TAB_delayed]; i++) {
        uint32_t delay = HSC_COL(db, delayed_delay, uint32_t)[i];
        count[delay] = plus(count[delay], HSC_WITHIN(db, delayed_waits, uint64_t)[i]);
        wait_s[delay] += HSC_WITHIN(db, delayed_wait_s, double)[i];
        indirect_s[delay] += HSC_WITHIN(db, delayed_wait_s, double)[i];
    }
    for (uint64_t i = 0; i < db->tables.rows[HSC_TAB_delay_place]; i++) {
        uint32_t delay = HSC_COL(db, delay_place_delay, uint32_t)[i];
        indirect_s[delay] -= HSC_WITHIN(db, delay_place_direct_s, double)[i];
        caused_s[delay] += HSC_WITHIN(db, delay_place_caused_s, double)[i];
    }
    for (uint64_t i = 0; i < n; i++)
        indirect_s[i] = indirect_s[i] > 0 ? indirect_s[i] : 0;
    return HSC_OK;
}

bool hsc_within_known(const hsc_db *db) {
    bool known = false;
    for (int i = 0; i < HSC_WITHIN_COUNT; i++)
        known = known || db->tables.rows[all[i].slices];
    return known;
}

bool hsc_within_is_set(const hsc_db *db) { return db->interval && hsc_within_known(db); }

hsc_status hsc_within_want(const hsc_db *const_db, hsc_within_of of, hsc_err *err) {
    hsc_db *db = (hsc_db *)const_db; /* nothing that can be seen changes */
    if (!hsc_within_is_set(db) || (db->interval->within && db->interval->within->made[of]))
        return HSC_OK;
    if (!db->interval->within && !(db->interval->within = calloc(1, sizeof *db->interval->within)))
        return out_of_memory(db, err);
    hsc_within *w = db->interval->within;
    hsc_status status = of == HSC_WITHIN_DELAYS ? HSC_OK : load_bases(db, of, err);
    if (!status)
        status = of == HSC_WITHIN_DELAYS ? add_delays(db, w, err) : add_up(db, of, w, err);
    w->made[of] = !status;
    return status;
}

const void *hsc_within_column(const hsc_db *db, enum hsc_column_id column) {
    const void *within = db->interval && db->interval->within ? db->interval->within->columns[column] : NULL;
    return within ? within : db->tables.columns[column];
}

/* ---- histograms ---- */

static int by_bucket(const void *pa, const void *pb) {
    const hsc_within_bucket *a = pa, *b = pb;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->quantity != b->quantity ? a->quantity - b->quantity : a->bucket - b->bucket;
}

static uint64_t merge(hsc_within_bucket *list, uint64_t n) {
    uint64_t kept = 0;
    if (n > 1)
        qsort(list, n, sizeof *list, by_bucket);
    for (uint64_t i = 0; i < n; i++) {
        if (kept && !by_bucket(&list[kept - 1], &list[i]))
            list[kept - 1].count = plus(list[kept - 1].count, list[i].count);
        else
            list[kept++] = list[i];
    }
    return kept;
}

typedef struct buckets {
    hsc_within_bucket *p;
    uint64_t n, room;
} buckets;

static bool push(buckets *l, hsc_within_bucket b) {
    if (l->n == l->room) {
        l->n = merge(l->p, l->n);
        if (l->n >= l->room / 2) {
            uint64_t room = l->room ? 2 * l->room : 1024;
            hsc_within_bucket *p = realloc(l->p, room * sizeof *p);
            if (!p)
                return false;
            l->p = p;
            l->room = room;
        }
    }
    l->p[l->n++] = b;
    return true;
}

typedef struct bucket_columns { /* of a table of buckets; NONE: it has no such column */
    enum hsc_column_id slice, quantity, bucket, count;
} bucket_columns;
#define NONE HSC_COL_COUNT

/* A table of buckets, for the slices with of_slice[] other than HSC_NONE: their row. */
static hsc_status add_buckets(hsc_db *db, bucket_columns c, uint8_t quantity, const uint32_t *of_slice, uint64_t slices, buckets *out, hsc_err *err) {
    uint64_t n = db->tables.rows[hsc_schema_columns[c.slice].table];
    hsc_array slice = {.set = -1}, which = {.set = -1}, bucket = {.set = -1}, count = {.set = -1};
    uint32_t *s = malloc(BLOCK * sizeof *s);
    uint8_t *q = calloc(BLOCK, 1), *b = malloc(BLOCK);
    uint64_t *v = malloc(BLOCK * sizeof *v);
    hsc_status status = s && q && b && v ? HSC_OK : out_of_memory(db, err);
    if (n && !status)
        status = open_column(db, c.slice, &slice, n, err);
    if (n && !status && c.quantity != NONE)
        status = open_column(db, c.quantity, &which, n, err);
    if (n && !status)
        status = open_column(db, c.bucket, &bucket, n, err);
    if (n && !status)
        status = open_column(db, c.count, &count, n, err);
    for (uint64_t at = 0; at < n && !status; at += BLOCK) {
        uint64_t m = n - at < BLOCK ? n - at : BLOCK;
        bool any = false;
        status = hsc_dbfile_read(db->file, slice.set, at, m, s, err);
        for (uint64_t i = 0; i < m && !status; i++) {
            if (s[i] >= slices)
                status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s row %" PRIu64 ": expected a slice below %" PRIu64 ", got %" PRIu32, db->path, slice.name,
                                     at + i, slices, s[i]);
            else
                any = any || of_slice[s[i]] != HSC_NONE;
        }
        if (any && !status && c.quantity != NONE)
            status = hsc_dbfile_read(db->file, which.set, at, m, q, err);
        if (any && !status)
            status = hsc_dbfile_read(db->file, bucket.set, at, m, b, err);
        if (any && !status)
            status = hsc_dbfile_read(db->file, count.set, at, m, v, err);
        for (uint64_t i = 0; any && i < m && !status; i++)
            if (of_slice[s[i]] != HSC_NONE &&
                !push(out, (hsc_within_bucket){of_slice[s[i]], c.quantity == NONE ? quantity : q[i], b[i], v[i]}))
                status = out_of_memory(db, err);
    }
    hsc_array_close(db, &slice);
    hsc_array_close(db, &which);
    hsc_array_close(db, &bucket);
    hsc_array_close(db, &count);
    free(s);
    free(q);
    free(b);
    free(v);
    return status;
}

/* Row of each slice that is in the interval, HSC_NONE of the others. */
static hsc_status find_slices(hsc_db *db, hsc_within_of of, uint32_t *of_slice, hsc_err *err) {
    const struct series *s = &all[of];
    uint64_t n = db->tables.rows[s->slices];
    uint32_t n_ends;
    ends *e = NULL;
    reading r;
    hsc_status status = find_ends(db, &e, &n_ends, err);
    if (!status) {
        status = open_reading(db, s, n, &r, err);
        for (uint64_t at = 0; at < n && !status; at += BLOCK) {
            uint64_t m = n - at < BLOCK ? n - at : BLOCK;
            status = read_rows(db, of, &r, e, n_ends, at, m, err);
            for (uint64_t i = 0; i < m && !status; i++)
                of_slice[at + i] = r.in[i] ? r.rows[i] : HSC_NONE;
        }
        close_reading(db, s, &r);
    }
    free(e);
    return status;
}

static hsc_status make_buckets(hsc_db *db, hsc_within_of of, hsc_err *err) {
    static const bucket_columns messages_of = {HSC_COL_message_slice_bucket_slice, HSC_COL_message_slice_bucket_quantity,
                                               HSC_COL_message_slice_bucket_bucket, HSC_COL_message_slice_bucket_count},
                                waits_of = {HSC_COL_wait_slice_bucket_slice, NONE, HSC_COL_wait_slice_bucket_bucket, HSC_COL_wait_slice_bucket_count},
                                visits_of = {HSC_COL_visit_slice_bucket_slice, NONE, HSC_COL_visit_slice_bucket_bucket, HSC_COL_visit_slice_bucket_count},
                                categories_of = {HSC_COL_visit_slice_category_slice, NONE, HSC_COL_visit_slice_category_category,
                                                 HSC_COL_visit_slice_category_exclusive_ns};
    hsc_within *w = db->interval->within;
    uint64_t n = db->tables.rows[all[of].slices];
    buckets list = {0};
    uint32_t *of_slice = malloc((n + 1) * sizeof *of_slice);
    hsc_status status = of_slice ? HSC_OK : out_of_memory(db, err);
    if (!status && n)
        status = find_slices(db, of, of_slice, err);
    if (!status)
        status = add_buckets(db, of == HSC_WITHIN_MESSAGES ? messages_of : of == HSC_WITHIN_WAITS ? waits_of : visits_of, 0, of_slice, n, &list, err);
    if (!status && of == HSC_WITHIN_VISITS)
        status = add_buckets(db, categories_of, 1, of_slice, n, &list, err);
    free(of_slice);
    if (status) {
        free(list.p);
        return status;
    }
    w->buckets[of] = list.p;
    w->n_buckets[of] = merge(list.p, list.n);
    w->has_buckets[of] = true;
    return HSC_OK;
}

hsc_status hsc_within_histogram(const hsc_db *const_db, hsc_within_of of, uint32_t row, unsigned quantity, uint64_t *out, unsigned n, hsc_err *err) {
    hsc_db *db = (hsc_db *)const_db;
    hsc_status status = hsc_within_want(db, of, err);
    if (!status && !db->interval->within->has_buckets[of])
        status = make_buckets(db, of, err);
    if (status)
        return status;
    const hsc_within_bucket *list = db->interval->within->buckets[of], from = {.row = row, .quantity = (uint8_t)quantity};
    uint64_t low = 0, high = db->interval->within->n_buckets[of], end = high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (by_bucket(&list[middle], &from) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < end && list[low].row == row && list[low].quantity == quantity; low++)
        if (list[low].bucket < n)
            out[list[low].bucket] = plus(out[list[low].bucket], list[low].count);
    return HSC_OK;
}

void hsc_within_free(hsc_within *w) {
    for (int i = 0; w && i < HSC_COL_COUNT; i++)
        free(w->columns[i]);
    for (int i = 0; w && i < HSC_WITHIN_COUNT; i++)
        free(w->buckets[i]);
    free(w);
}
