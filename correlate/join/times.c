/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples in the order of time. What each sample is was settled when its thread's tree was expanded: by node and state it
 * counts in a leaf of its thread. The files are read once more for the times, a few million samples at once. */
#include <stdlib.h>
#include <string.h>

#include "../store/store.h"
#include "join_internal.h"

#define GROUP_SAMPLES (4u << 20) /* held by a worker; a thread with more is a group by itself */
#define BIN_PERIODS 16u          /* in the finest bin of the timeline */
#define BIN_ROWS_MIN 65536u

/* ---- which leaf ---- */

/* Second part of the key of samples in regions and of other events. */
static uint64_t other_key(uint64_t event, uint64_t region) {
    return event ? 1ull << 63 | event << 40 | (region <= UINT32_MAX ? region : 0) : region;
}

bool hsc_join_note_timed(jthread *t, size_t before, uint64_t row, uint64_t region, uint64_t event) {
    for (size_t k = before; k < t->leaves.n; k++) {
        if (t->leaves.p[k].metric != t->leaves.p[before].metric)
            continue; /* weights of the one before */
        uint64_t key = row >= HSC_NO_INDEX ? JTIMED_NO_PATH + t->leaves.p[k].state : row * STATES + t->leaves.p[k].state;
        bool plain = !region && !event && (row >= HSC_NO_INDEX || key < JTIMED_NO_PATH);
        if (plain ? !HSC_PUSH(t->timed, (jtimed){(uint32_t)key, (uint32_t)k})
                  : !HSC_PUSH(t->timed_other, (jtimed_other){key, region, event, (uint32_t)k}))
            return false;
    }
    return true;
}

void hsc_join_settle_timed(jthread *t, const uint32_t *leaf_of) {
    for (size_t i = 0; i < t->timed.n; i++)
        t->timed.p[i].leaf = leaf_of[t->timed.p[i].leaf];
    for (size_t i = 0; i < t->timed_other.n; i++)
        t->timed_other.p[i].leaf = leaf_of[t->timed_other.p[i].leaf];
}

/* ---- leaves of all threads ---- */

typedef struct kind { /* a row of table leaf */
    uint32_t context, line, instance, metric;
    uint8_t category;
} kind;

typedef struct span {
    uint32_t thread, context, line;
    uint8_t what, kind, category;
    uint64_t begin_ns, length_ns, bytes;
} span;

typedef struct times {
    join *j;
    HSC_VEC(kind) kinds;
    hsc_table rows;    /* of a kind: row of kinds */
    uint32_t *sorted;  /* by row of kinds: row in the table */
    uint64_t tick_ns, end;
} times;

static kind kind_of(const join *j, const jleaf *l) {
    return (kind){l->context, l->line, l->instance, l->metric, l->state ? (uint8_t)(l->state - 1) : j->context_categories.p[l->context]};
}

static uint64_t key_a(const kind *k) { return (uint64_t)k->context << 32 | k->line; }
static uint64_t key_b(const kind *k) { return (uint64_t)k->instance << 32 | k->metric << 8 | k->category; }

static bool is_sampled(const join *j, const jleaf *l) {
    return !j->metrics.p[l->metric].exact;
}

static int by_kind(const void *pa, const void *pb, void *ctx) {
    const kind *kinds = ctx, *a = &kinds[*(const uint32_t *)pa], *b = &kinds[*(const uint32_t *)pb];
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    if (key_a(a) != key_a(b))
        return key_a(a) < key_a(b) ? -1 : 1;
    return key_b(a) < key_b(b) ? -1 : key_b(a) > key_b(b);
}

static bool list_kinds(times *x) {
    const join *j = x->j;
    for (size_t i = 0; i < j->threads.n; i++)
        for (size_t k = 0; k < j->threads.p[i]->leaves.n; k++) {
            const jleaf *l = &j->threads.p[i]->leaves.p[k];
            kind what = kind_of(j, l);
            uint32_t *at = is_sampled(j, l) ? hsc_table_at(&x->rows, key_a(&what), key_b(&what)) : NULL;
            if (!is_sampled(j, l))
                continue;
            if (!at)
                return false;
            if (*at == HSC_NO_INDEX) {
                *at = (uint32_t)x->kinds.n;
                if (!HSC_PUSH(x->kinds, what))
                    return false;
            }
        }
    uint32_t *order = malloc((x->kinds.n + 1) * sizeof *order);
    x->sorted = malloc((x->kinds.n + 1) * sizeof *x->sorted);
    if (!order || !x->sorted) {
        free(order);
        return false;
    }
    for (uint32_t i = 0; i < x->kinds.n; i++)
        order[i] = i;
    if (x->kinds.n > 1)
        qsort_r(order, x->kinds.n, sizeof *order, by_kind, x->kinds.p);
    for (uint32_t i = 0; i < x->kinds.n; i++)
        x->sorted[order[i]] = i;
    free(order);
    return true;
}

static hsc_status put_leaf_column(times *x, hsc_store *store, enum hsc_column_id column, hsc_err *err) {
    size_t n = x->kinds.n;
    uint32_t *v = malloc((n + 1) * sizeof *v);
    uint8_t *bytes = malloc(n + 1);
    hsc_status status = v && bytes ? HSC_OK : hsc_join_no_memory(err);
    for (size_t i = 0; i < n && status == HSC_OK; i++) {
        const kind *k = &x->kinds.p[i];
        uint32_t at = x->sorted[i];
        bytes[at] = k->category;
        v[at] = column == HSC_COL_leaf_context    ? k->context
                : column == HSC_COL_leaf_line     ? k->line
                : column == HSC_COL_leaf_instance ? k->instance
                                                  : k->metric;
    }
    if (status == HSC_OK)
        status = hsc_store_put_column(store, column, column == HSC_COL_leaf_category ? (void *)bytes : (void *)v, n, err);
    free(v);
    free(bytes);
    return status;
}

/* ---- a group of threads ---- */

typedef struct series { /* of a thread, in the order of its file */
    const jthread *thread;
    HSC_VEC(uint32_t) time;
    HSC_VEC(uint32_t) leaf;
    HSC_VEC(uint32_t) count;
    uint32_t *plain;     /* while it is read: by key; leaf + 1 */
    size_t plain_n;
    uint32_t *row_of;    /* by leaf of the thread: row in the table; HSC_NO_INDEX: not sampled */
    hsc_table others;    /* (key, other_key): leaf */
} series;

typedef struct group {
    times *x;
    const jprocess *process;
    size_t first, n;     /* threads of the process */
    series *series;      /* n */
    HSC_VEC(span) spans;
} group;

static uint64_t since_start(const times *x, const jprocess *p, uint64_t mono_ns) {
    if (!p->has_start || p->start_unix_ns < x->j->origin_ns || mono_ns < p->start_ns)
        return 0;
    uint64_t a = p->start_unix_ns - x->j->origin_ns, b = mono_ns - p->start_ns;
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static series *series_of(group *g, uint64_t id) {
    size_t low = 0, high = g->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->series[middle].thread->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->n && g->series[low].thread->id == id ? &g->series[low] : NULL;
}

static bool wanted(void *ctx, hsc_chunk_kind chunk, uint32_t stream) {
    (void)chunk;
    const series *s = series_of(ctx, stream);
    return s && s->thread->row != HSC_NO_INDEX;
}

static bool prepare(const times *x, series *s) {
    const join *j = x->j;
    const jthread *t = s->thread;
    for (size_t i = 0; i < t->timed.n; i++)
        if (t->timed.p[i].key < JTIMED_NO_PATH && t->timed.p[i].key >= s->plain_n)
            s->plain_n = (size_t)t->timed.p[i].key + 1;
    s->plain_n += STATES; /* the last are those without a path */
    s->plain = calloc(s->plain_n, sizeof *s->plain);
    s->row_of = malloc((t->leaves.n + 1) * sizeof *s->row_of);
    if (!s->plain || !s->row_of)
        return false;
    for (size_t i = 0; i < t->timed.n; i++) {
        uint32_t key = t->timed.p[i].key;
        s->plain[key < JTIMED_NO_PATH ? key : s->plain_n - STATES + (key - JTIMED_NO_PATH)] = t->timed.p[i].leaf + 1;
    }
    for (size_t i = 0; i < t->timed_other.n; i++) {
        const jtimed_other *o = &t->timed_other.p[i];
        uint32_t *at = hsc_table_at(&s->others, o->key, other_key(o->event, o->region));
        if (!at)
            return false;
        *at = o->leaf;
    }
    for (size_t i = 0; i < t->leaves.n; i++) {
        kind what = kind_of(j, &t->leaves.p[i]);
        uint32_t row = is_sampled(j, &t->leaves.p[i]) ? hsc_table_get(&x->rows, key_a(&what), key_b(&what)) : HSC_NO_INDEX;
        s->row_of[i] = row == HSC_NO_INDEX ? row : x->sorted[row];
    }
    return true;
}

static bool take_sample(void *ctx, jthread *t, uint32_t row, uint64_t state, uint64_t weight, uint64_t event, uint64_t time) {
    group *g = ctx;
    series *s = series_of(g, t->id);
    uint32_t leaf = HSC_NO_INDEX;
    if (!s || !s->row_of)
        return true;
    uint64_t key = row == HSC_NO_INDEX ? JTIMED_NO_PATH + state : (uint64_t)row * STATES + state;
    if (event || t->region)
        leaf = hsc_table_get(&s->others, key, other_key(event, row == HSC_NO_INDEX ? 0 : t->region));
    if (leaf == HSC_NO_INDEX && !event) {
        uint64_t at = row == HSC_NO_INDEX ? s->plain_n - STATES + state : key;
        leaf = (row == HSC_NO_INDEX || at < s->plain_n - STATES) && s->plain[at] ? s->plain[at] - 1 : HSC_NO_INDEX;
    }
    if (leaf == HSC_NO_INDEX || s->row_of[leaf] == HSC_NO_INDEX)
        return true; /* an event that nobody announced */
    uint64_t tick = since_start(g->x, g->process, time) / g->x->tick_ns, count = event ? weight : weight * g->process->weight;
    tick = tick < g->x->end ? tick : g->x->end;
    if (s->time.n && tick < s->time.p[s->time.n - 1]) /* of a damaged file */
        tick = s->time.p[s->time.n - 1];
    return HSC_PUSH(s->time, (uint32_t)tick) && HSC_PUSH(s->leaf, s->row_of[leaf]) &&
           HSC_PUSH(s->count, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX);
}

/* ---- spans of a trace ---- */

static bool add_span(group *g, const series *s, uint64_t node, span what) {
    const jprocess *p = g->process;
    uint32_t site = hsc_table_get(&p->site_rows, s->thread->id, node);
    what.thread = s->thread->row;
    what.context = site == HSC_NO_INDEX ? 0 : p->sites.p[site].context;
    what.line = site == HSC_NO_INDEX ? HSC_NO_INDEX : p->sites.p[site].line;
    span *last = g->spans.n ? &g->spans.p[g->spans.n - 1] : NULL;
    if (last && what.what && last->what && last->thread == what.thread && last->begin_ns == what.begin_ns && last->length_ns == what.length_ns) {
        last->bytes += what.bytes; /* messages that one call completed */
        return true;
    }
    return HSC_PUSH(g->spans, what);
}

static bool take_record(void *ctx, const hsc_record *rec) {
    group *g = ctx;
    const jprocess *p = g->process;
    const series *s = series_of(g, rec->stream);
    if (!s)
        return true;
    if (rec->record_id == HSC_REC_wait_interval) {
        const hsc_rec_wait_interval *r = rec->value;
        uint32_t what = r->kind < 256 ? (uint32_t)r->kind : 0;
        uint64_t end = since_start(g->x, p, r->time), length = r->duration_ns < end ? r->duration_ns : end;
        return add_span(g, s, r->node_id, (span){.what = 0, .kind = (uint8_t)what, .category = (uint8_t)(hsc_join_state_of_wait(what) - 1),
                                                 .begin_ns = end - length, .length_ns = length, .bytes = r->bytes});
    }
    if (rec->record_id == HSC_REC_message_event) {
        const hsc_rec_message_event *r = rec->value;
        const joperation *o = NULL;
        for (size_t i = 0; i < p->operations.n && !o; i++)
            if (p->operations.p[i].id == r->operation_id)
                o = &p->operations.p[i];
        uint32_t state = o && o->state ? o->state : HSC_state_COMMUNICATION;
        uint64_t begin = since_start(g->x, p, r->time), length = r->duration_ns < 1ull << 60 ? r->duration_ns : 0;
        return add_span(g, s, r->node_id, (span){.what = 1, .kind = o ? (uint8_t)o->kind : 0, .category = (uint8_t)(state - 1),
                                                 .begin_ns = begin, .length_ns = length, .bytes = r->bytes});
    }
    return true;
}

static int by_begin(const void *pa, const void *pb) {
    const span *a = pa, *b = pb;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    if (a->length_ns != b->length_ns)
        return a->length_ns < b->length_ns ? -1 : 1;
    unsigned x = (unsigned)a->what << 8 | a->kind, y = (unsigned)b->what << 8 | b->kind;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* ---- all groups ---- */

static void free_series(series *s) {
    free(s->time.p);
    free(s->leaf.p);
    free(s->count.p);
    free(s->plain);
    free(s->row_of);
    hsc_table_fini(&s->others);
}

static void free_group(group *g) {
    for (size_t i = 0; g->series && i < g->n; i++)
        free_series(&g->series[i]);
    free(g->series);
    free(g->spans.p);
}

static hsc_status read_group(void *ctx, size_t i, hsc_err *err) {
    group *g = &((group *)ctx)[i];
    bool ok = (g->series = calloc(g->n + 1, sizeof *g->series)) != NULL;
    for (size_t k = 0; ok && k < g->n; k++) {
        series *s = &g->series[k];
        s->thread = &g->process->threads.p[g->first + k];
        uint64_t most = s->thread->timed_samples;
        if (s->thread->row != HSC_NO_INDEX)
            ok = prepare(g->x, s) && HSC_RESERVE(s->time, most) && HSC_RESERVE(s->leaf, most) && HSC_RESERVE(s->count, most);
    }
    const jtap tap = {take_sample, take_record, wanted, g};
    hsc_status status = ok ? hsc_join_read_again(g->x->j, g->process, &tap, err) : hsc_join_no_memory(err);
    for (size_t k = 0; g->series && k < g->n; k++) {
        series *s = &g->series[k];
        free(s->plain);
        free(s->row_of);
        hsc_table_fini(&s->others);
        s->plain = s->row_of = NULL;
        s->others = (hsc_table){0};
    }
    if (g->spans.n > 1)
        qsort(g->spans.p, g->spans.n, sizeof *g->spans.p, by_begin);
    return status;
}

typedef HSC_VEC(group) groups;
typedef HSC_VEC(span) spans;

static bool list_groups(times *x, groups *out) {
    join *j = x->j;
    for (size_t i = 0; i < j->run.n; i++) {
        const jprocess *p = j->run.p[i];
        uint64_t samples = 0;
        for (size_t first = 0, k = 0; k < p->threads.n; k++) {
            samples += p->threads.p[k].timed_samples;
            bool last = k + 1 == p->threads.n;
            if (!last && samples + p->threads.p[k + 1].timed_samples <= GROUP_SAMPLES)
                continue;
            if (!HSC_PUSH(*out, (group){.x = x, .process = p, .first = first, .n = k + 1 - first}))
                return false;
            first = k + 1;
            samples = 0;
        }
    }
    return true;
}

static hsc_status put_spans(hsc_store *store, const spans *v, hsc_err *err) {
    static const enum hsc_column_id columns[] = {HSC_COL_span_thread, HSC_COL_span_begin_ns,  HSC_COL_span_length_ns,
                                                 HSC_COL_span_what,   HSC_COL_span_kind,     HSC_COL_span_category,
                                                 HSC_COL_span_context, HSC_COL_span_line,    HSC_COL_span_bytes};
    uint64_t *words = malloc((v->n + 1) * sizeof *words);
    hsc_status status = words ? HSC_OK : hsc_join_no_memory(err);
    for (size_t c = 0; c < sizeof columns / sizeof *columns && status == HSC_OK; c++) {
        uint32_t *rows = (uint32_t *)(void *)words;
        uint8_t *bytes = (uint8_t *)words;
        for (size_t i = 0; i < v->n; i++) {
            const span *s = &v->p[i];
            switch (columns[c]) {
            case HSC_COL_span_thread: rows[i] = s->thread; break;
            case HSC_COL_span_begin_ns: words[i] = s->begin_ns; break;
            case HSC_COL_span_length_ns: words[i] = s->length_ns; break;
            case HSC_COL_span_what: bytes[i] = s->what; break;
            case HSC_COL_span_kind: bytes[i] = s->kind; break;
            case HSC_COL_span_category: bytes[i] = s->category; break;
            case HSC_COL_span_context: rows[i] = s->context; break;
            case HSC_COL_span_line: rows[i] = s->line; break;
            default: words[i] = s->bytes; break;
            }
        }
        status = hsc_store_put_column(store, columns[c], words, v->n, err);
    }
    free(words);
    return status;
}

/* The next threads in the order of the thread table are those of the next groups in theirs. */
static hsc_status put_group(hsc_store *store, group *g, spans *all, hsc_err *err) {
    for (size_t k = 0; k < g->n; k++) {
        const series *s = &g->series[k];
        if (s->thread->row == HSC_NO_INDEX)
            continue;
        hsc_status status = hsc_store_put_times(store, s->time.n, s->time.p, s->leaf.p, s->count.p, err);
        if (status != HSC_OK)
            return status;
    }
    for (size_t i = 0; i < g->spans.n; i++)
        if (!HSC_PUSH(*all, g->spans.p[i]))
            return hsc_join_no_memory(err);
    return HSC_OK;
}

static hsc_status begin(times *x, hsc_store *store, hsc_err *err) {
    join *j = x->j;
    uint64_t last = 0, samples = 0, period = 0;
    for (size_t i = 0; i < j->run.n; i++) {
        const jprocess *p = j->run.p[i];
        uint64_t end = since_start(x, p, p->has_end && p->end_ns > p->last_ns ? p->end_ns : p->last_ns);
        last = end > last ? end : last;
        period = p->period_ns > period ? p->period_ns : period;
        for (size_t k = 0; k < p->threads.n; k++)
            samples += p->threads.p[k].timed_samples;
    }
    for (x->tick_ns = 1000; last / x->tick_ns >= UINT32_MAX - 1; x->tick_ns *= 10) /* a microsecond, for runs of an hour */
        ;
    x->end = last / x->tick_ns;
    /* no more bins than a quarter of the samples, also where threads sleep most of the time */
    uint64_t rows = samples / 4 > BIN_ROWS_MIN ? samples / 4 : BIN_ROWS_MIN, bin = BIN_PERIODS * (period / x->tick_ns);
    uint64_t least = x->end / rows * j->threads.n + x->end % rows * j->threads.n / rows;
    bin = bin > least ? bin : least;
    bin = bin < 1 ? 1 : bin < UINT32_MAX ? bin : UINT32_MAX;
    return hsc_store_begin_times(store, (double)x->tick_ns / 1e9, (uint32_t)x->end, (uint32_t)bin, err);
}

hsc_status hsc_join_put_times(join *j, hsc_store *store, hsc_err *err) {
    static const enum hsc_column_id columns[] = {HSC_COL_leaf_context, HSC_COL_leaf_line, HSC_COL_leaf_instance, HSC_COL_leaf_category,
                                                 HSC_COL_leaf_metric};
    times x = {.j = j};
    groups list = {0};
    spans all = {0};
    hsc_status status = list_kinds(&x) && list_groups(&x, &list) ? HSC_OK : hsc_join_no_memory(err);
    for (size_t c = 0; c < sizeof columns / sizeof *columns && status == HSC_OK; c++)
        status = put_leaf_column(&x, store, columns[c], err);
    if (status == HSC_OK)
        status = begin(&x, store, err);
    for (size_t i = 0; i < list.n && status == HSC_OK; i += j->workers) {
        size_t n = list.n - i < j->workers ? list.n - i : j->workers;
        status = hsc_join_each(j, n, read_group, list.p + i, "times", err);
        for (size_t k = 0; k < n; k++) {
            if (status == HSC_OK)
                status = put_group(store, &list.p[i + k], &all, err);
            free_group(&list.p[i + k]);
            list.p[i + k].series = NULL;
            list.p[i + k].spans.p = NULL;
        }
    }
    if (status == HSC_OK)
        status = hsc_store_end_times(store, err);
    if (status == HSC_OK)
        status = put_spans(store, &all, err);
    free(all.p);
    free(list.p);
    free(x.kinds.p);
    free(x.sorted);
    hsc_table_fini(&x.rows);
    return status;
}
