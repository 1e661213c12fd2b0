/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples in the order of time, as the second reading put them into the spill file, and the spans of traces. */
#include <stdlib.h>
#include <string.h>

#include "../store/store.h"
#include "cache.h"
#include "made.h"
#include "ranks.h"
#include "../store/times.h"
#include "grown.h"
#include "series.h"
#include "ticks.h"

#define BIN_PERIODS 16u          /* in the finest bin of the timeline */
#define BIN_ROWS_MIN 65536u

/* ---- time ---- */

uint64_t hsc_join_since_start(const join *j, const jprocess *p, uint64_t mono_ns) {
    if (!p->has_start || p->start_unix_ns < j->origin_ns || mono_ns < p->start_ns)
        return 0;
    uint64_t a = p->start_unix_ns - j->origin_ns, b = mono_ns - p->start_ns;
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void hsc_join_choose_ticks(join *j) {
    uint64_t last = 0;
    j->origin_ns = 0;
    for (size_t i = 0; i < j->run.n; i++)
        if (j->run.p[i]->has_start && (!j->origin_ns || j->run.p[i]->start_unix_ns < j->origin_ns))
            j->origin_ns = j->run.p[i]->start_unix_ns;
    for (size_t i = 0; i < j->run.n; i++) {
        const jprocess *p = j->run.p[i];
        uint64_t end = hsc_join_since_start(j, p, p->has_end && p->end_ns > p->last_ns ? p->end_ns : p->last_ns);
        last = end > last ? end : last;
    }
    for (j->tick_ns = 1000; last / j->tick_ns >= UINT32_MAX - 1; j->tick_ns *= 10) /* a microsecond, for runs of an hour */
        ;
    j->end_tick = last / j->tick_ns;
}

/* ---- as they are read ---- */

bool hsc_join_take_instants(jprocess *p, jthread *t, const hsc_rec_sample *list, const uint32_t *keys, bool have_keys, size_t n) {
    const join *j = p->join;
    jwork *w = t->work;
    uint32_t ticks[JINSTANTS_BLOCK];
    jticks k = {.j = j, .p = p->known};
    const uint64_t end = j->end_tick;
    bool ok = true;
    for (size_t i = 0, first = 0; ok && i < n; first = i) {
        uint64_t last = w->last_tick;
        size_t most = n - first < JINSTANTS_BLOCK ? n : first + JINSTANTS_BLOCK;
        while (!have_keys && i < most && keys[i] != HSC_NO_INDEX)
            i++;
        i = have_keys ? most : i;
        for (size_t m = first; m < i; m++) {
            uint64_t tick = hsc_join_tick_of(&k, list[m].time);
            last = tick > last ? tick : last; /* it falls in damaged files only */
            last = last < end ? last : end;
            ticks[m - first] = (uint32_t)last;
        }
        w->last_tick = (uint32_t)last;
        ok = hsc_instants_put_some(j->spill, &t->instants, ticks, keys + first, i - first, p->known->weight);
        for (; ok && !have_keys && i < n && keys[i] == HSC_NO_INDEX; i++)
            ok = hsc_join_take_instant(p, t, hsc_join_node_row(t, list[i].node_id), list[i].state < STATES ? list[i].state : HSC_state_UNKNOWN, 1, 0,
                                       list[i].time);
    }
    return ok;
}

/* ---- leaves of all threads ---- */

typedef jsame_leaf leaf;
typedef jseries_leaves times;

#define LEAF_NUMBER UINT64_MAX /* no leaf has that for key_a: its context is there */

static uint64_t key_a(const leaf *k) { return (uint64_t)k->context << 32 | k->line; }
static uint64_t key_b(const leaf *k) { return (uint64_t)k->instance << 32 | k->metric << 8 | k->category; }

static int by_leaf(const void *pa, const void *pb, void *ctx) {
    const times *x = ctx;
    uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
    const leaf *a = &x->leaves.p[ia], *b = &x->leaves.p[ib];
    if (x->firsts[ia] != x->firsts[ib])
        return x->firsts[ia] < x->firsts[ib] ? -1 : 1;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    if (key_a(a) != key_a(b))
        return key_a(a) < key_a(b) ? -1 : 1;
    if (key_b(a) != key_b(b))
        return key_b(a) < key_b(b) ? -1 : 1;
    return a->instruction < b->instruction ? -1 : a->instruction > b->instruction;
}

/* Row of leaves of samples of a kind at a place (HSC_NO_INDEX: of all of them); HSC_NO_INDEX: they are not sampled. False: out of memory. */
static bool enter_leaf(times *x, uint32_t kind, uint32_t place, uint32_t *row) {
    const join *j = x->j;
    const jkind *k = &j->kinds.p[kind];
    leaf what = {k->context, k->line, k->instance, k->metric, place < j->places.n ? j->places.p[place].instruction : HSC_NO_INDEX,
                 (uint8_t)hsc_join_category_of(j, k)};
    *row = HSC_NO_INDEX;
    if (j->metrics.p[k->metric].exact || (kind < j->paired_kinds && !j->kind_used[kind]))
        return true;
    uint32_t *number = hsc_table_at(&x->rows, key_a(&what), key_b(&what));
    if (number && *number == HSC_NO_INDEX)
        *number = x->numbers++;
    uint32_t *at = number ? hsc_table_at(&x->rows, LEAF_NUMBER, (uint64_t)*number << 32 | what.instruction) : NULL;
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)x->leaves.n;
        if (!HSC_PUSH(x->leaves, what))
            return false;
    }
    *row = *at;
    return true;
}

/* Without times by kind. Else by what all ranks met, which gives all the same rows, and with them by what this rank met. */
static bool list_leaves(times *x) {
    const join *j = x->j;
    size_t own = j->met_places ? j->own_kinds : 0, n = x->n_row_of = j->met_places ? own + j->met_kinds : j->kinds.n;
    bool ok = (x->row_of = malloc((n + 1) * sizeof *x->row_of)) != NULL;
    for (size_t i = own; ok && i < n; i++)
        ok = j->met_places ? enter_leaf(x, j->kind_order[i], j->met_places[i - own], &x->row_of[i]) : enter_leaf(x, (uint32_t)i, HSC_NO_INDEX, &x->row_of[i]);
    for (size_t i = 0; ok && i < own; i++)
        x->row_of[i] = x->row_of[own + hsc_join_met_row(j, i)];
    return ok;
}

/* The leaves of what the next thread has. */
static hsc_status meet_profile(times *x, uint32_t thread, hsc_err *err) {
    jcount *list = NULL;
    size_t n = 0;
    hsc_status status = hsc_join_load_profile(x->j, x->j->threads.p[thread], &list, &n, err);
    for (size_t i = 0; i < n; i++) {
        uint32_t row = list[i].kind < x->n_row_of ? x->row_of[list[i].kind] : HSC_NO_INDEX;
        if (row != HSC_NO_INDEX && x->firsts[row] == HSC_NO_INDEX)
            x->firsts[row] = thread;
    }
    free(list);
    return status;
}

/* The first thread of each leaf, of those that this rank has. */
static hsc_status find_firsts(times *x, hsc_err *err) {
    join *j = x->j;
    hsc_status status = (x->firsts = malloc((x->leaves.n + 1) * sizeof *x->firsts)) ? HSC_OK : hsc_join_no_memory(err);
    for (size_t i = 0; status == HSC_OK && i < x->leaves.n; i++)
        x->firsts[i] = HSC_NO_INDEX;
    for (size_t i = 0; i < x->n_row_of && j->met_places && status == HSC_OK; i++)
        if (x->row_of[i] != HSC_NO_INDEX && j->met_threads.p[i] < x->firsts[x->row_of[i]])
            x->firsts[x->row_of[i]] = j->met_threads.p[i];
    for (uint32_t t = 0; t < j->threads.n && !j->met_places && status == HSC_OK; t++)
        if (hsc_ranks_has(j, j->threads.p[t]->process))
            status = meet_profile(x, t, err);
    return status;
}

static void put_firsts(void *ctx, parcel *a) {
    const times *x = ctx;
    parcel_put(a, x->firsts, x->leaves.n * sizeof *x->firsts);
}

static void take_firsts(void *ctx, parcel *a) {
    times *x = ctx;
    for (size_t i = 0; i < x->leaves.n && !a->failed; i++) {
        uint32_t of = HSC_NO_INDEX;
        parcel_take(a, &of, sizeof of);
        x->firsts[i] = of < x->firsts[i] ? of : x->firsts[i];
    }
}

static void clear_firsts(void *ctx) {
    times *x = ctx;
    for (size_t i = 0; i < x->leaves.n; i++)
        x->firsts[i] = HSC_NO_INDEX;
}

/* Rows of the table: leaves of the first thread come first, then those that the second one adds, so that threads that are added move none; of each in the order of what
 * they are. */
static bool sort_leaves(times *x) {
    uint32_t *order = malloc((x->leaves.n + 1) * sizeof *order);
    x->sorted = malloc((x->leaves.n + 1) * sizeof *x->sorted);
    if (!order || !x->sorted) {
        free(order);
        return false;
    }
    for (uint32_t i = 0; i < x->leaves.n; i++)
        order[i] = i;
    if (x->leaves.n > 1)
        qsort_r(order, x->leaves.n, sizeof *order, by_leaf, x);
    for (uint32_t i = 0; i < x->leaves.n; i++)
        x->sorted[order[i]] = i;
    for (x->n = x->leaves.n; x->n && x->firsts[order[x->n - 1]] == HSC_NO_INDEX; x->n--)
        ;
    for (size_t i = 0; i < x->n_row_of; i++) {
        uint32_t row = x->row_of[i] == HSC_NO_INDEX ? HSC_NO_INDEX : x->sorted[x->row_of[i]];
        x->row_of[i] = row < x->n ? row : HSC_NO_INDEX;
    }
    free(order);
    return true;
}

static hsc_status put_leaf_column(times *x, hsc_store *store, enum hsc_column_id column, hsc_err *err) {
    size_t n = x->n;
    uint32_t *v = malloc((n + 1) * sizeof *v);
    uint8_t *bytes = malloc(n + 1);
    hsc_status status = v && bytes ? HSC_OK : hsc_join_no_memory(err);
    for (size_t i = 0; i < x->leaves.n && status == HSC_OK; i++) {
        const leaf *k = &x->leaves.p[i];
        uint32_t at = x->sorted[i];
        if (at >= n)
            continue;
        bytes[at] = k->category;
        v[at] = column == HSC_COL_leaf_context       ? k->context
                : column == HSC_COL_leaf_line        ? k->line
                : column == HSC_COL_leaf_instance    ? k->instance
                : column == HSC_COL_leaf_place_instruction ? k->instruction
                                                     : k->metric;
    }
    if (status == HSC_OK)
        status = hsc_store_put_column(store, column, column == HSC_COL_leaf_category ? (void *)bytes : (void *)v, n, err);
    free(v);
    free(bytes);
    return status;
}

/* ---- spans of a trace ---- */

bool hsc_join_take_span(jprocess *p, const hsc_record *rec) {
    jopen_span s = {.stream = rec->stream};
    if (!p->known || p->join->options->no_times)
        return true;
    if (rec->record_id == HSC_REC_wait_interval) {
        const hsc_rec_wait_interval *r = rec->value;
        uint32_t what = r->kind < 256 ? (uint32_t)r->kind : 0;
        uint64_t end = hsc_join_since_start(p->join, p->known, r->time), length = r->duration_ns < end ? r->duration_ns : end;
        uint32_t region = hsc_join_region_at(p, r->fork_thread_id, r->fork_node_id);
        if (region == HSC_NO_INDEX)
            return false;
        s.node = hsc_join_site_key(r->node_id, region);
        s.span = (jspan){.what = 0, .kind = (uint8_t)what, .category = (uint8_t)(hsc_join_state_of_wait(what) - 1),
                         .begin_ns = end - length, .length_ns = length, .bytes = r->bytes};
        return HSC_PUSH(p->open_spans, s);
    }
    const hsc_rec_message_event *r = rec->record_id == HSC_REC_message_event ? rec->value : NULL;
    if (r && (!r->stands_for || r->flags & HSC_message_event_flag_FOLLOWS)) {
        uint64_t begin = hsc_join_since_start(p->join, p->known, r->time), length = r->duration_ns < 1ull << 60 ? r->duration_ns : 0;
        jopen_span *last = p->open_spans.n ? &p->open_spans.p[p->open_spans.n - 1] : NULL;
        if (last && last->span.what && last->stream == rec->stream && last->span.begin_ns == begin && last->span.length_ns == length) {
            last->span.bytes += r->bytes; /* messages that one call completed */
            return true;
        }
        s.node = r->node_id;
        s.operation = r->operation_id;
        s.span = (jspan){.what = 1, .begin_ns = begin, .length_ns = length, .bytes = r->bytes};
        return HSC_PUSH(p->open_spans, s);
    }
    return true;
}

static int by_begin(const void *pa, const void *pb) {
    const jspan *a = pa, *b = pb;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    if (a->length_ns != b->length_ns)
        return a->length_ns < b->length_ns ? -1 : 1;
    unsigned x = (unsigned)a->what << 8 | a->kind, y = (unsigned)b->what << 8 | b->kind;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

bool hsc_join_end_spans(join *j, jprocess *p) {
    size_t n = 0;
    jspan *list = (jspan *)(void *)p->open_spans.p; /* made in place: smaller */
    for (size_t i = 0; i < p->open_spans.n; i++) {
        jopen_span o = p->open_spans.p[i];
        const jthread *t = hsc_join_known_thread(p, o.stream);
        uint32_t site = hsc_table_get(&p->site_rows, o.stream, o.node);
        if (!t || t->row == HSC_NO_INDEX)
            continue;
        if (o.span.what) {
            const joperation *op = NULL;
            for (size_t k = 0; k < p->operations.n && !op; k++)
                if (p->operations.p[k].id == o.operation)
                    op = &p->operations.p[k];
            o.span.kind = op ? (uint8_t)op->kind : 0;
            o.span.category = (uint8_t)((op && op->state ? op->state : HSC_state_COMMUNICATION) - 1);
        }
        o.span.thread = t->row;
        o.span.context = site == HSC_NO_INDEX ? 0 : p->sites.p[site].context;
        o.span.line = site == HSC_NO_INDEX ? HSC_NO_INDEX : p->sites.p[site].line;
        memcpy(&list[n++], &o.span, sizeof o.span);
    }
    if (n > 1)
        qsort(list, n, sizeof *list, by_begin);
    return !n || hsc_spill_put_all(j->spill, &p->spans, list, n, sizeof *list);
}

static hsc_status put_span_column(join *j, hsc_store *store, enum hsc_column_id column, uint64_t n, hsc_err *err) {
    hsc_status status = hsc_store_begin_column(store, column, n, err);
    for (size_t i = 0; i < j->run.n; i++) {
        hsc_spill_cursor c = {.list = &j->run.p[i]->spans};
        jspan list[256];
        uint64_t got = 1, words[256];
        uint32_t *rows = (uint32_t *)(void *)words;
        uint8_t *bytes = (uint8_t *)words;
        while (status == HSC_OK && c.list->count && got) {
            status = hsc_spill_read(j->spill, &c, list, 256, &got, err);
            for (size_t k = 0; status == HSC_OK && k < got; k++) {
                const jspan *s = &list[k];
                switch (column) {
                case HSC_COL_span_thread: rows[k] = s->thread; break;
                case HSC_COL_span_begin_ns: words[k] = s->begin_ns; break;
                case HSC_COL_span_length_ns: words[k] = s->length_ns; break;
                case HSC_COL_span_what: bytes[k] = s->what; break;
                case HSC_COL_span_kind: bytes[k] = s->kind; break;
                case HSC_COL_span_category: bytes[k] = s->category; break;
                case HSC_COL_span_context: rows[k] = j->context_map.p[s->context]; break;
                case HSC_COL_span_line: rows[k] = s->line; break;
                default: words[k] = s->bytes; break;
                }
            }
            if (status == HSC_OK)
                status = hsc_store_put_part(store, words, got, err);
        }
    }
    return status == HSC_OK ? hsc_store_end_column(store, err) : status;
}

static hsc_status put_spans(join *j, hsc_store *store, hsc_err *err) {
    static const enum hsc_column_id columns[] = {HSC_COL_span_thread, HSC_COL_span_begin_ns,  HSC_COL_span_length_ns,
                                                 HSC_COL_span_what,   HSC_COL_span_kind,     HSC_COL_span_category,
                                                 HSC_COL_span_context, HSC_COL_span_line,    HSC_COL_span_bytes};
    uint64_t n = 0;
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < j->run.n; i++)
        n += j->run.p[i]->spans.count;
    for (size_t c = 0; c < sizeof columns / sizeof *columns && status == HSC_OK; c++)
        status = put_span_column(j, store, columns[c], n, err);
    return status;
}

/* Threads that have the samples that they have in the database before. */
static hsc_status keep_threads(times *x, hsc_store *store, uint32_t bin, hsc_err *err) {
    join *j = x->j;
    size_t n = x->n;
    leaf *rows = malloc((n + 1) * sizeof *rows);
    bool is_kept = false;
    if (!rows)
        return hsc_join_no_memory(err);
    for (size_t i = 0; i < x->leaves.n; i++)
        if (x->sorted[i] < n)
            rows[x->sorted[i]] = x->leaves.p[i];
    uint32_t kept = hsc_made_kept_times(j, rows, n, bin);
    free(rows);
    hsc_status status = kept ? hsc_store_keep_times(store, kept, &is_kept, err) : HSC_OK;
    x->first = is_kept ? kept : 0;
    j->summary->times_kept = x->first;
    return status;
}

/* Ticks of the finest bins; *most: samples of the thread that has most. */
static uint64_t choose_bin(const join *j, uint64_t *most) {
    uint64_t samples = 0, period = 0;
    *most = 0;
    for (size_t i = 0; i < j->run.n; i++) {
        const jprocess *p = j->run.p[i];
        period = p->period_ns > period ? p->period_ns : period;
        for (size_t k = 0; k < p->threads.n; k++) {
            samples += p->threads.p[k].timed_samples;
            *most = p->threads.p[k].timed_samples > *most ? p->threads.p[k].timed_samples : *most;
        }
    }
    /* no more bins than a quarter of the samples, also where threads sleep most of the time */
    uint64_t rows = samples / 4 > BIN_ROWS_MIN ? samples / 4 : BIN_ROWS_MIN, bin = BIN_PERIODS * (period / j->tick_ns);
    uint64_t least = j->end_tick / rows * j->threads.n + j->end_tick % rows * j->threads.n / rows;
    bin = bin < 1 ? 1 : bin;
    while (bin < least) /* in steps, so that a few more threads do not change it */
        bin *= 2;
    return bin < UINT32_MAX ? bin : UINT32_MAX;
}

uint64_t hsc_join_choose_bin(const join *j) {
    uint64_t most;
    return choose_bin(j, &most);
}

/* What rows of leaf are, for threads that are gone on with or may be the next time. */
static hsc_status name_leaves(times *x, hsc_err *err) {
    const join *j = x->j;
    jnames *names = hsc_grown_names(j);
    x->names = malloc((x->n + 1) * sizeof *x->names);
    x->scopes = malloc((x->n + 1) * sizeof *x->scopes);
    x->procedures = malloc((x->n + 1) * sizeof *x->procedures);
    bool ok = names && x->names && x->scopes && x->procedures;
    for (size_t i = 0; ok && i < x->leaves.n; i++) {
        const leaf *l = &x->leaves.p[i];
        uint32_t row = x->sorted[i], scope = j->contexts.p[l->context].scope, procedure = scope < j->scopes.n ? j->scopes.p[scope].procedure : scope;
        if (row >= x->n)
            continue;
        x->names[row] = hsc_grown_name(j, names, l);
        x->scopes[row] = scope;
        x->procedures[row] = procedure < j->scopes.n ? procedure : scope;
        uint32_t *at = hsc_table_at(&x->named, x->names[row], 0);
        ok = at != NULL;
        if (ok)
            *at = *at == HSC_NO_INDEX ? row : HSC_NO_INDEX - 1;
    }
    hsc_grown_names_free(names);
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

static hsc_status begin(times *x, hsc_store *store, hsc_err *err) {
    const join *j = x->j;
    uint64_t most, bin = choose_bin(j, &most);
    hsc_status status = HSC_OK;
    if (most >= HSC_OWN_SAMPLES && (j->goes_on || hsc_made_notes_grown(j)))
        status = name_leaves(x, err);
    if (status == HSC_OK)
        status = hsc_store_begin_times(store, (double)j->tick_ns / 1e9, (uint32_t)j->end_tick, (uint32_t)bin, most, err);
    return status == HSC_OK ? keep_threads(x, store, (uint32_t)bin, err) : status;
}

static hsc_status put_in_order(times *x, hsc_store *store, hsc_err *err) {
    hsc_status status = store ? begin(x, store, err) : HSC_OK;
    if (status == HSC_OK)
        status = hsc_join_put_series(x, store, err);
    if (status == HSC_OK && store)
        status = hsc_store_end_times(store, err);
    return status == HSC_OK && store ? put_spans(x->j, store, err) : status;
}

hsc_status hsc_join_put_times(join *j, hsc_store *store, hsc_err *err) {
    static const enum hsc_column_id columns[] = {HSC_COL_leaf_context, HSC_COL_leaf_line, HSC_COL_leaf_instance, HSC_COL_leaf_category,
                                                 HSC_COL_leaf_metric, HSC_COL_leaf_place_instruction};
    times x = {.j = j};
    static const hsc_ranks_merge how = {put_firsts, take_firsts, clear_firsts};
    hsc_status status = list_leaves(&x) ? find_firsts(&x, err) : hsc_join_no_memory(err);
    if (status == HSC_OK && j->team)
        status = hsc_ranks_merge_all(j, &how, &x, err);
    if (status == HSC_OK && !sort_leaves(&x))
        status = hsc_join_no_memory(err);
    for (size_t c = 0; store && c < sizeof columns / sizeof *columns && status == HSC_OK; c++)
        status = put_leaf_column(&x, store, columns[c], err);
    if (status == HSC_OK)
        status = j->options->no_times ? hsc_join_put_counts(j, store, x.row_of, x.n, err) : put_in_order(&x, store, err);
    free(x.leaves.p);
    free(x.firsts);
    free(x.sorted);
    free(x.row_of);
    free(x.names);
    free(x.scopes);
    free(x.procedures);
    hsc_table_fini(&x.named);
    hsc_table_fini(&x.rows);
    return status;
}
