/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Measurement files into processes: one file a process, its threads' trees of call paths with counts. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heatscope/formats/schema_cache.h>

#include "cache.h"
#include "grown.h"
#include "ranks.h"
#include "told.h"

#define DEFAULT_PERIOD_NS 1000000u

/* ---- records of one file ---- */

static const char *keep(jprocess *p, hsc_str s) {
    return hsc_pool_intern(&p->pool, s.p, s.n);
}

static int by_bytes(const void *a, const void *b) {
    const hsc_str *x = a, *y = b;
    int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* Sorted lines; NULL: no memory. */
static const char *environment_of(jprocess *p, const hsc_rec_process *r) {
    size_t n = r->environment.n, size = 1;
    if (!r->environment_read || !n)
        return keep(p, r->environment_read ? (hsc_str){"none", 4} : (hsc_str){"", 0});
    hsc_str *sorted = hsc_pool_take(&p->pool, n * sizeof *sorted);
    for (size_t i = 0; sorted && i < n; i++) {
        sorted[i] = r->environment.p[i].n ? r->environment.p[i] : (hsc_str){"", 0};
        size += sorted[i].n + 1;
    }
    char *text = sorted ? hsc_pool_take(&p->pool, size) : NULL, *at = text;
    if (!text)
        return NULL;
    qsort(sorted, n, sizeof *sorted, by_bytes);
    for (size_t i = 0; i < n; i++) {
        memcpy(at, sorted[i].p, sorted[i].n);
        for (char *end = at + sorted[i].n; at < end; at++)
            *at = *at == '\n' || !*at ? ' ' : *at;
        *at++ = '\n';
    }
    *at = 0;
    return text;
}

static bool take_process(jprocess *p, const hsc_rec_process *r) {
    p->has_start = true;
    p->pid = r->pid;
    p->parent_pid = r->parent_pid;
    p->rank = r->rank < -1 || r->rank > 0x7FFFFFFF ? -1 : r->rank;
    p->ranks = r->ranks;
    p->start_unix_ns = r->start_unix_ns;
    p->start_ns = r->start_ns;
    p->period_ns = r->period_ns;
    p->vector_bytes = r->vector_bytes;
    p->host = keep(p, r->host);
    p->executable = keep(p, r->executable);
    p->mechanism = keep(p, r->mechanism);
    p->mechanism_note = keep(p, r->mechanism_note);
    p->job = keep(p, r->job);
    size_t n = 1;
    for (size_t i = 0; i < r->arguments.n; i++)
        n += r->arguments.p[i].n + 1;
    char *text = hsc_pool_take(&p->pool, n), *at = text;
    for (size_t i = 0; text && i < r->arguments.n; i++) {
        if (i)
            *at++ = ' ';
        if (r->arguments.p[i].n)
            memcpy(at, r->arguments.p[i].p, r->arguments.p[i].n);
        at += r->arguments.p[i].n;
    }
    p->arguments = text;
    p->environment = environment_of(p, r);
    return p->host && p->executable && p->environment && p->mechanism && p->mechanism_note && p->job && text;
}

static bool take_mapping(jprocess *p, const hsc_rec_mapping *r) {
    const char *path = keep(p, r->path);
    size_t n = r->build_id.n <= 64 ? r->build_id.n : 0;
    uint8_t *id = hsc_pool_take(&p->pool, n);
    if (!path || !id)
        return false;
    if (n)
        memcpy(id, r->build_id.p, n);
    return HSC_PUSH(p->mappings, (jmapping){.id = r->mapping_id,
                                               .path = path,
                                               .build_id = id,
                                               .build_id_size = n,
                                               .file_size = r->file_size,
                                               .file_mtime_ns = r->file_mtime_ns,
                                               .address = r->address,
                                               .size = r->size,
                                               .bias = r->bias,
                                               .module = HSC_NO_INDEX});
}

const jthread *hsc_join_known_thread(const jprocess *p, uint64_t id) {
    if (id && id <= p->threads.n && p->threads.p[id - 1].id == id)
        return &p->threads.p[id - 1];
    for (size_t i = p->threads.n; i-- > 0;)
        if (p->threads.p[i].id == id)
            return &p->threads.p[i];
    return NULL;
}

jthread *hsc_join_thread(jprocess *p, uint64_t id) {
    const jthread *known = hsc_join_known_thread(p, id);
    if (known)
        return &p->threads.p[known - p->threads.p];
    if (!HSC_PUSH(p->threads, (jthread){.id = id, .name = "", .row = HSC_NO_INDEX}))
        return NULL;
    jthread *t = &p->threads.p[p->threads.n - 1];
    if (!(t->work = calloc(1, sizeof *t->work)))
        return NULL;
    hsc_grown_begin_thread(p, t);
    return t;
}

uint32_t hsc_join_node_row(const jthread *t, uint64_t id) {
    if (!id)
        return HSC_NO_INDEX;
    if (id <= t->work->nodes.n && (!t->work->node_rows.count || t->work->nodes.p[id - 1].id == id))
        return (uint32_t)(id - 1);
    return t->work->node_rows.count ? hsc_table_get(&t->work->node_rows, id, 0) : HSC_NO_INDEX;
}

static bool take_node(jprocess *p, jthread *t, const hsc_rec_node *r) {
    if (!r->node_id || t->work->nodes.n >= HSC_NO_INDEX - 1 || hsc_join_node_row(t, r->node_id) != HSC_NO_INDEX)
        return true; /* 0 is no id; a second definition is ignored */
    uint32_t mapping = HSC_NO_INDEX, row = (uint32_t)t->work->nodes.n;
    if (r->mapping_id && r->mapping_id <= p->mappings.n && p->mappings.p[r->mapping_id - 1].id == r->mapping_id)
        mapping = (uint32_t)(r->mapping_id - 1);
    for (size_t i = p->mappings.n; mapping == HSC_NO_INDEX && r->mapping_id && i-- > 0;)
        if (p->mappings.p[i].id == r->mapping_id)
            mapping = (uint32_t)i;
    uint32_t parent = hsc_join_node_row(t, r->parent_id), flags = (uint32_t)r->flags;
    if (r->parent_id && parent == HSC_NO_INDEX)
        flags |= HSC_node_flag_TRUNCATED; /* its caller was in a damaged chunk */
    if (r->node_id != (uint64_t)row + 1) {
        uint32_t *at = hsc_table_at(&t->work->node_rows, r->node_id, 0);
        if (!at)
            return false;
        *at = row;
    }
    uint32_t late = mapping == HSC_NO_INDEX && r->mapping_id && r->mapping_id < HSC_NO_INDEX ? (uint32_t)r->mapping_id : HSC_NO_INDEX;
    if (!HSC_PUSH(t->work->nodes, (jnode){r->node_id, r->address, parent, mapping, flags, late}) ||
        !HSC_RESERVE(t->work->counts, (size_t)(row + 1) * STATES))
        return false;
    memset(t->work->counts.p + (size_t)row * STATES, 0, STATES * sizeof *t->work->counts.p);
    t->work->counts.n = (size_t)(row + 1) * STATES;
    return true;
}

static bool take_task_node(jprocess *p, jthread *t, const hsc_rec_task_node *r) {
    size_t n = t->work->nodes.n;
    bool ok = take_node(p, t, &(hsc_rec_node){.node_id = r->node_id, .address = r->created_node_id});
    if (ok && t->work->nodes.n > n) {
        t->work->nodes.p[n].flags = JNODE_TASKS;
        t->work->nodes.p[n].frame = r->created_thread_id < HSC_NO_INDEX ? (uint32_t)r->created_thread_id : 0;
    }
    return ok;
}

bool hsc_join_add_value(jthread *t, uint64_t where, uint64_t what, uint64_t value) {
    uint32_t *at = hsc_table_at(&t->work->other_counts, where, what);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)t->work->other_values.n;
        if (!HSC_PUSH(t->work->other_values, 0))
            return false;
    }
    uint64_t *v = &t->work->other_values.p[*at];
    *v = value > UINT64_MAX - *v ? UINT64_MAX : *v + value;
    return true;
}

bool hsc_join_add_other(jthread *t, uint32_t row, uint32_t region, uint64_t state, uint64_t value, uint64_t event) {
    return hsc_join_add_value(t, (row == HSC_NO_INDEX ? 0 : (uint64_t)region << 32) | row, event << 8 | state, value);
}

bool hsc_join_add_sampled(jthread *t, uint32_t row, uint64_t state, uint64_t value, uint64_t event) {
    uint64_t region = row != HSC_NO_INDEX && t->work->region <= UINT32_MAX ? t->work->region : 0;
    return hsc_join_add_value(t, region << 32 | row, event << 8 | state, value);
}

static bool take_sample(jprocess *p, jthread *t, uint64_t node, uint64_t state, uint64_t weight, uint64_t event,
                        uint64_t time) {
    uint32_t row = hsc_join_node_row(t, node);
    t->work->is_odd = t->work->is_odd || event >= JOIN_EVENTS_MAX || t->work->region >= REGIONS_OF_WAITS;
    if (state >= STATES)
        state = HSC_state_UNKNOWN;
    if (time > p->last_ns)
        p->last_ns = time;
    if (event >= JOIN_EVENTS_MAX)
        return true;
    if (event) {
        t->timed_samples++;
        return hsc_join_take_instant(p, t, row, state, weight, event, time) && hsc_join_add_sampled(t, row, state, weight, event) && hsc_join_take_weight(t, row, state, weight, event);
    }
    if (weight > THREAD_SAMPLES_MAX / 2 || t->samples + weight > THREAD_SAMPLES_MAX / 2) { /* half: scales are rounded */
        t->refused += weight < (1ull << 48) ? weight : 1ull << 48;
        t->work->is_odd = true;
        return true;
    }
    t->samples += weight;
    t->records++;
    t->timed_samples++;
    if (!hsc_join_take_instant(p, t, row, state, weight, 0, time) || !hsc_join_take_weight(t, row, state, weight, 0))
        return false;
    if (row == HSC_NO_INDEX) {
        t->no_path += weight;
        t->work->no_path_counts[state] += (uint32_t)weight;
    } else {
        t->work->counts.p[(size_t)row * STATES + state] += (uint32_t)weight;
        if (t->work->region)
            return hsc_join_take_worked(t, (uint64_t)row * STATES + state, t->work->region, weight);
    }
    return true;
}

static bool take_progress(jprocess *p, const hsc_rec_progress *r) {
    jthread *t = hsc_join_thread(p, r->thread_id);
    if (!t)
        return false;
    if (r->time >= t->end_ns) {
        t->end_ns = r->time;
        t->cpu_ns = r->cpu_ns;
        t->own_ns = r->own_ns;
        t->said_samples = r->samples;
        t->said_lost = r->lost;
        t->said_truncated = r->truncated;
        t->ended = r->ended != 0;
    }
    if (r->time > p->last_ns)
        p->last_ns = r->time;
    return true;
}

static bool note_passer(jprocess *p, const hsc_record *rec) {
    uint32_t *at = rec->record_id == HSC_REC_message_event ? hsc_table_at(&p->passer_rows, rec->stream, 0) : NULL;
    if (at)
        *at = 0;
    return at || rec->record_id != HSC_REC_message_event;
}

static bool take(jprocess *p, const hsc_record *rec) {
    const void *v = rec->value;
    jthread *t;
    if (rec->first_in_chunk && hsc_join_known_thread(p, rec->stream) && (t = hsc_join_thread(p, rec->stream)))
        t->work->region = 0; /* chunks stand in any order, and each tells its own */
    switch (rec->record_id) {
    case HSC_REC_process:
        return take_process(p, v);
    case HSC_REC_mapping:
        return take_mapping(p, v);
    case HSC_REC_event: {
        const hsc_rec_event *r = v;
        const char *name = keep(p, r->name), *unit = keep(p, r->unit);
        return name && unit &&
               (r->event_id >= JOIN_EVENTS_MAX ||
                HSC_PUSH(p->events, (jevent){.id = r->event_id, .name = name, .unit = unit, .period = r->period}));
    }
    case HSC_REC_thread: {
        const hsc_rec_thread *r = v;
        t = hsc_join_thread(p, r->thread_id);
        const char *name = keep(p, r->name);
        if (!t || !name)
            return false;
        t->seen_start = true;
        t->tid = r->tid;
        t->creator = r->creator_id;
        t->begin_ns = r->time;
        t->name = t->name && *t->name ? t->name : name; /* records stand in any order */
        return true;
    }
    case HSC_REC_node:
        return (t = hsc_join_thread(p, rec->stream)) && take_node(p, t, v);
    case HSC_REC_task_node:
        return (t = hsc_join_thread(p, rec->stream)) && take_task_node(p, t, v);
    case HSC_REC_sample: {
        const hsc_rec_sample *r = v;
        hsc_grown_note_samples(p->reading, 1);
        if (p->reading && p->reading->drops)
            return true;
        return (t = hsc_join_thread(p, rec->stream)) && take_sample(p, t, r->node_id, r->state, 1, 0, r->time);
    }
    case HSC_REC_sample_weighted: {
        const hsc_rec_sample_weighted *r = v;
        hsc_grown_note_samples(p->reading, 1);
        if (p->reading && p->reading->drops)
            return true;
        return (t = hsc_join_thread(p, rec->stream)) &&
               take_sample(p, t, r->node_id, r->state, r->weight, r->event_id, r->time);
    }
    case HSC_REC_event_total: {
        const hsc_rec_event_total *r = v;
        return (t = hsc_join_thread(p, r->thread_id)) &&
               HSC_PUSH(t->work->event_times, (jevent_time){r->event_id, r->enabled_ns, r->running_ns});
    }
    case HSC_REC_region:
        return (t = hsc_join_thread(p, rec->stream)) && hsc_join_take_region(p, t, v);
    case HSC_REC_region_work:
        if (!(t = hsc_join_thread(p, rec->stream)))
            return false;
        t->work->region = ((const hsc_rec_region_work *)v)->region_id;
        return true;
    case HSC_REC_progress:
        return take_progress(p, v);
    case HSC_REC_thread_usage: {
        const hsc_rec_thread_usage *r = v;
        if (!(t = hsc_join_thread(p, r->thread_id)))
            return false;
        if (r->time < t->usage.time)
            return true;
        t->usage = *r;
        t->usage.name = (hsc_str){0}; /* the record goes */
        return !r->name.n || (t->name = keep(p, r->name));
    }
    case HSC_REC_loss: {
        const hsc_rec_loss *r = v;
        if (!(t = hsc_join_thread(p, r->thread_id)))
            return false;
        uint64_t n = r->count < 1ull << 48 ? r->count : 1ull << 48;
        if (r->reason >= LOSS_REASONS)
            t->lost_other = n > t->lost_other ? n : t->lost_other;
        else if (r->time >= t->work->lost_ns[r->reason]) {
            t->lost[r->reason] = n;
            t->work->lost_ns[r->reason] = r->time;
        }
        return true;
    }
    case HSC_REC_process_end: {
        const hsc_rec_process_end *r = v;
        p->has_end = true;
        p->end_ns = r->time;
        p->end_cpu_ns = r->cpu_ns;
        p->end_kind = r->how;
        return true;
    }
    default:
        return note_passer(p, rec) && hsc_join_take_measure(p, rec) && hsc_join_take_told(p, rec) && hsc_join_take_span(p, rec);
    }
}

/* Addresses that lay in no known module when they were met: the module may have been seen a moment later. */
static void find_late_mappings(jprocess *p) {
    for (size_t k = 0; k < p->threads.n; k++)
        for (size_t i = 0; i < p->threads.p[k].work->nodes.n; i++) {
            jnode *n = &p->threads.p[k].work->nodes.p[i];
            if (n->flags & JNODE_TASKS)
                continue;
            uint64_t id = n->frame == HSC_NO_INDEX ? 0 : n->frame; /* its record came later than the node's */
            n->frame = HSC_NO_INDEX;
            for (size_t m = 0; id && n->mapping == HSC_NO_INDEX && m < p->mappings.n; m++)
                if (p->mappings.p[m].id == id)
                    n->mapping = (uint32_t)m;
            for (size_t m = 0; !id && n->mapping == HSC_NO_INDEX && m < p->mappings.n; m++)
                if (n->address >= p->mappings.p[m].address && n->address - p->mappings.p[m].address < p->mappings.p[m].size) {
                    n->mapping = (uint32_t)m;
                    n->address -= p->mappings.p[m].bias;
                }
        }
}

/* A program that runs goes on writing: the second reading takes what the first one took. */
static uint32_t seen_before(jprocess *p, const hsc_record *rec) {
    if (p->seen_chunk != rec->chunk_offset) {
        p->seen_chunk = rec->chunk_offset;
        p->seen_last = hsc_table_get(&p->known->seen, rec->chunk_offset, 0);
    }
    return p->seen_last;
}

static bool was_seen(jprocess *p, const hsc_record *rec) {
    if (!p->known || p->known->has_end)
        return true;
    uint32_t last = seen_before(p, rec);
    return last != HSC_NO_INDEX && rec->offset - rec->chunk_offset <= last;
}

/* How far the first reading came in the chunk at hand goes to the others. */
static bool note_chunk(jprocess *p) {
    uint32_t *last = p->known || p->seen_chunk == UINT64_MAX ? &p->seen_last : hsc_table_at(&p->seen, p->seen_chunk, 0);
    if (last)
        *last = p->seen_last;
    return last != NULL;
}

static bool note_seen(jprocess *p, const hsc_record *rec) {
    if (p->known)
        return true;
    bool ok = p->seen_chunk == rec->chunk_offset || note_chunk(p);
    p->seen_chunk = rec->chunk_offset;
    p->seen_last = (uint32_t)(rec->offset - rec->chunk_offset);
    return ok;
}

/* How far the first reading came in the chunk: in the second, of a file that grows. */
static uint64_t last_seen(jprocess *p, const hsc_record *rec) {
    if (!p->known || p->known->has_end)
        return UINT64_MAX;
    uint32_t seen = seen_before(p, rec);
    return seen == HSC_NO_INDEX ? 0 : rec->chunk_offset + seen;
}

/* The nodes that follow one, many at a time. *n: records. */
static bool take_nodes(jprocess *p, hsc_reader *reader, const hsc_record *one, uint64_t *n) {
    enum { BATCH = 256 };
    hsc_rec_node list[BATCH];
    hsc_record rec = *one;
    uint64_t last = last_seen(p, one);
    jthread *t = hsc_join_thread(p, one->stream);
    bool ok = t != NULL;
    for (size_t got; ok && (got = hsc_reader_take_nodes(reader, list, BATCH, last, &rec.offset));) {
        for (size_t i = 0; ok && i < got; i++)
            ok = take_node(p, t, &list[i]);
        ok = ok && note_seen(p, &rec);
        *n += got;
    }
    return ok;
}

/* Counts samples of weight 1 in no region; keys: those of their instants, HSC_NO_INDEX where hsc_join_take_instant makes one. False: of some. */
static bool count_samples(jprocess *p, jthread *t, const hsc_rec_sample *list, size_t n, uint32_t *keys) {
    jwork *w = t->work;
    uint64_t plain = w->nodes.n < JINSTANT_SPECIAL / STATES ? w->nodes.n : JINSTANT_SPECIAL / STATES;
    uint64_t direct = w->node_rows.count ? 0 : plain, last_ns = p->last_ns; /* direct: ids are row + 1 up to there */
    uint32_t *counts = w->counts.p;
    bool have_keys = true;
    for (size_t i = 0; i < n; i++) {
        uint64_t row = list[i].node_id - 1, state = list[i].state;
        last_ns = list[i].time > last_ns ? list[i].time : last_ns;
        if (row < direct && state < STATES) {
            counts[keys[i] = (uint32_t)(row * STATES + state)]++;
            continue;
        }
        row = hsc_join_node_row(t, list[i].node_id);
        state = state < STATES ? state : HSC_state_UNKNOWN;
        t->no_path += row == HSC_NO_INDEX;
        ++*(row == HSC_NO_INDEX ? &w->no_path_counts[state] : &counts[row * STATES + state]);
        keys[i] = row < plain ? (uint32_t)(row * STATES + state) : HSC_NO_INDEX;
        have_keys = have_keys && row < plain;
    }
    p->last_ns = last_ns;
    t->samples += n;
    t->records += n;
    t->timed_samples += n;
    return have_keys;
}

/* The same in the first reading, which asks for no more than how many there are. */
static void count_first(jprocess *p, jthread *t, const hsc_rec_sample *list, size_t n) {
    uint64_t direct = t->work->node_rows.count ? 0 : t->work->nodes.n, last_ns = p->last_ns, no_path = 0, beyond = 0;
    for (size_t i = 0; i < n; i++) {
        last_ns = list[i].time > last_ns ? list[i].time : last_ns;
        beyond |= (uint64_t)(list[i].node_id - 1 >= direct);
    }
    for (size_t i = 0; i < n && beyond; i++)
        no_path += list[i].node_id - 1 >= direct && hsc_join_node_row(t, list[i].node_id) == HSC_NO_INDEX;
    p->last_ns = last_ns;
    t->no_path += no_path;
    t->samples += n;
    t->records += n;
    t->timed_samples += n;
}

/* Those that the first reading need only count. *n: records. */
static bool pass_samples(jprocess *p, jthread *t, hsc_reader *reader, hsc_record *rec, uint64_t last, uint64_t *n) {
    uint64_t direct = t->work->node_rows.count ? 0 : t->work->nodes.n, room = THREAD_SAMPLES_MAX / 2 > t->samples ? THREAD_SAMPLES_MAX / 2 - t->samples : 0;
    size_t got = hsc_reader_pass_samples(reader, direct, room, last, &rec->offset, &p->last_ns);
    t->samples += got;
    t->records += got;
    t->timed_samples += got;
    *n += got;
    return !got || note_seen(p, rec);
}

enum { SAMPLE_BATCH = 512 };

/* At most SAMPLE_BATCH. */
static bool count_batch(jprocess *p, jthread *t, const hsc_rec_sample *list, size_t n) {
    uint32_t keys[SAMPLE_BATCH];
    bool ok = true;
    if (t->work->region || t->samples > THREAD_SAMPLES_MAX / 2 - SAMPLE_BATCH) {
        for (size_t i = 0; ok && i < n; i++)
            ok = take_sample(p, t, list[i].node_id, list[i].state, 1, 0, list[i].time);
    } else if (!p->known) {
        count_first(p, t, list, n);
    } else {
        bool have_keys = count_samples(p, t, list, n, keys);
        ok = p->join->options->no_times || hsc_join_take_instants(p, t, list, keys, have_keys, n);
    }
    return ok;
}

/* The samples that follow one, many at a time: what take() and the rest of read_records do with each. *n: records. */
static bool take_samples(join *j, jprocess *p, hsc_reader *reader, const hsc_record *one, uint64_t *n) {
    hsc_rec_sample list[SAMPLE_BATCH];
    hsc_record rec = *one;
    uint64_t last = last_seen(p, one);
    jthread *t = hsc_join_thread(p, one->stream);
    if (!t)
        return false;
    bool drops = p->reading && p->reading->drops;
    bool ok = p->known || drops || t->work->region || pass_samples(p, t, reader, &rec, last, n);
    for (size_t got; ok && (got = hsc_reader_take_samples(reader, list, SAMPLE_BATCH, last, &rec.offset));) {
        hsc_grown_note_samples(p->reading, got);
        ok = drops || count_batch(p, t, list, got);
        for (size_t i = 0; ok && p->known && p->blame && i < got; i++) {
            rec.value = &list[i];
            ok = hsc_join_blame_take(j, p, &rec);
        }
        ok = ok && note_seen(p, &rec);
        *n += got;
    }
    return ok;
}

/* For grown.h. */
static bool look_at_chunk(jprocess *p, const hsc_record *rec) {
    bool ok = p->reading->chunk == rec->chunk_offset || hsc_grown_begin_chunk(p, rec);
    if (rec->record_id != HSC_REC_sample && rec->record_id != HSC_REC_sample_weighted)
        hsc_grown_note_other(p->reading);
    return ok;
}

/* All records of the file; *problem is why it is foreign, status HSC_OK. */
static hsc_status read_records(join *j, jprocess *p, char *first_problem, size_t size, hsc_err *problem, hsc_err *err) {
    hsc_reader *r = NULL;
    hsc_record rec;
    hsc_status status = HSC_OK;
    jorder order = {0};
    jreading reading;
    if (!hsc_grown_begin(j, p, &reading, &order))
        return hsc_join_no_memory(err);
again:
    if (hsc_reader_open_cached(p->path, j->schemas, &r, problem) != HSC_OK) {
        hsc_join_order_free(&order);
        hsc_grown_fini(&reading);
        p->reading = NULL;
        return problem->status == HSC_E_MEMORY ? hsc_err_set(err, HSC_E_MEMORY, "%s", problem->text) : HSC_OK;
    }
    if (p->reading && p->reading->old)
        hsc_reader_set_pass(r, hsc_grown_pass, p->reading);
    uint64_t facts = hsc_reader_get_facts(r);
    if (p->known && p->known->facts == facts)
        hsc_reader_set_checked(r);
    for (uint64_t n = 0, check = 0; status == HSC_OK && hsc_reader_next(r, &rec); n++) {
        if (rec.value && was_seen(p, &rec) && hsc_join_order_take(&order, &rec) &&
            !((!p->reading || look_at_chunk(p, &rec)) && note_seen(p, &rec) && take(p, &rec) && (!p->known || hsc_join_blame_take(j, p, &rec)) &&
              (rec.record_id != HSC_REC_sample || take_samples(j, p, r, &rec, &n)) &&
              (rec.record_id != HSC_REC_node || take_nodes(p, r, &rec, &n))))
            status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", p->path);
        else if (n >= check) {
            status = hsc_join_check(j, err);
            check = n + 0x100000;
        }
    }
    hsc_reader_counts counts;
    hsc_reader_get_counts(r, &counts);
    p->chunks = counts.chunks;
    p->chunks_unsealed = counts.chunks_unsealed;
    p->chunks_bad = counts.chunks_bad;
    p->records = counts.records;
    p->records_bad = counts.records_bad;
    p->records_unknown = counts.records_unknown;
    p->facts = p->has_end && !p->chunks_bad ? facts : 0;
    snprintf(first_problem, size, "%s", hsc_reader_get_first_problem(r));
    hsc_reader_close(r);
    if (status == HSC_OK && hsc_join_order_again(&order))
        goto again;
    if (status == HSC_OK && !note_chunk(p))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK && order.failed)
        status = hsc_join_no_memory(err);
    hsc_join_order_free(&order);
    p->chunks += reading.passed_chunks;
    p->records += reading.passed_samples;
    if (status == HSC_OK && !hsc_grown_end(p)) {
        j->bad_grown = true;
        status = hsc_err_set(err, HSC_E_IO, "%s: not what it was", p->path);
    }
    if (status == HSC_OK && !counts.records_bad && !counts.records_unknown) { /* such a chunk would not be told again */
        p->grows = reading.made;
        reading.made = NULL;
    }
    hsc_grown_fini(&reading);
    p->reading = NULL;
    return status;
}

static int by_thread(const void *a, const void *b) {
    const jthread *t = a, *u = b;
    return t->id < u->id ? -1 : t->id > u->id;
}

hsc_status hsc_join_read_file(join *j, jprocess *p, char *first_problem, size_t size, hsc_err *err) {
    hsc_err problem = {0};
    p->join = j;
    p->rank = -1;
    p->seen_chunk = UINT64_MAX;
    p->host = p->executable = p->arguments = p->environment = p->mechanism = p->mechanism_note = p->job = p->problem = "";
    if (p->known && !hsc_join_blame_begin(p))
        return hsc_join_no_memory(err);
    hsc_status status = read_records(j, p, first_problem, size, &problem, err);
    if (problem.status != HSC_OK) {
        snprintf(first_problem, size, "%s", problem.text);
        p->is_foreign = true;
        return status;
    }
    if (status != HSC_OK)
        return status;
    if (p->has_end)
        hsc_table_fini(&p->seen);
    find_late_mappings(p);
    if (!hsc_join_end_told(p) || !hsc_join_end_measures(p))
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", p->path);
    bool all_hold = hsc_table_get(&p->holder_rows, 0, 0) != HSC_NO_INDEX;
    p->passes = p->messages.n || p->operations.n;
    p->works = p->messages.n || hsc_join_told_has_moments(p->told);
    for (size_t k = 0; k < p->threads.n; k++) {
        jthread *t = &p->threads.p[k];
        bool visits = hsc_join_told_has_visits(hsc_join_told_thread(p, t->id));
        t->has_values = t->work->other_values.n || visits;
        p->works = p->works || visits || t->samples;
        t->holds = all_hold || hsc_table_get(&p->holder_rows, t->id, 0) != HSC_NO_INDEX;
        t->passes = hsc_table_get(&p->passer_rows, t->id, 0) != HSC_NO_INDEX;
        p->samples += t->samples;
        if (!t->ended && t->samples > t->said_samples) /* its clock was read a while before its last sample */
            t->cpu_ns += (t->samples - t->said_samples) * p->period_ns;
    }
    p->counts = p->works || hsc_join_waited_ns(p) >= (p->period_ns ? p->period_ns : DEFAULT_PERIOD_NS);
    hsc_table_fini(&p->holder_rows);
    hsc_table_fini(&p->passer_rows);
    p->holder_rows = p->passer_rows = (hsc_table){0};
    if (p->threads.n > 1)
        qsort(p->threads.p, p->threads.n, sizeof *p->threads.p, by_thread);
    return HSC_OK;
}

/* ---- which files ---- */

static bool ends_with(const char *s, const char *tail) {
    size_t n = strlen(s), m = strlen(tail);
    return n > m && !strcmp(s + n - m, tail);
}

static hsc_status add_file(join *j, const char *path, uint32_t input, hsc_err *err) {
    const char *kept = hsc_pool_intern(&j->pool, path, strlen(path));
    if (!kept || !HSC_PUSH(j->processes, (jprocess){.path = kept, .input = input}))
        return hsc_join_no_memory(err);
    return HSC_OK;
}

static int by_path(const void *a, const void *b) {
    const jprocess *p = a, *q = b;
    return p->input != q->input ? (p->input < q->input ? -1 : 1) : strcmp(p->path, q->path);
}

/* Is the line "<word><number>\n", of at most 15 digits? */
static bool note_of_list(const char *line, const char *word, uint64_t *value) {
    size_t n = strlen(word), digits = strspn(strncmp(line, word, n) ? "" : line + n, "0123456789");
    if (!digits || digits > 15 || line[n + digits] != '\n')
        return false;
    *value = strtoull(line + n, NULL, 10);
    return true;
}

/* The runtime's own list beside the measurement files; one that is not there, or not as expected, tells of none. */
static hsc_status read_notes(join *j, uint32_t input, hsc_err *err) {
    static const char *const took[JTOOK] = {"handler ", "interrupts ", "wrappers ", "context ", "assistant "};
    const char *directory = j->options->inputs[input];
    hsc_status status = HSC_OK;
    char path[PATH_MAX], line[128];
    if (snprintf(path, sizeof path, "%s/.processes", directory) >= (int)sizeof path)
        return HSC_OK;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    FILE *f = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
    if (!f && fd >= 0)
        close(fd);
    while (status == HSC_OK && f && fgets(line, sizeof line, f)) {
        uint64_t us, told;
        if (note_of_list(line, "brief ", &us)) {
            j->brief++;
            j->brief_us += us;
        } else if (note_of_list(line, "opening ", &us))
            j->opening_us += us;
        else if (note_of_list(line, "finish ", &us))
            j->finish_us += us;
        else if (note_of_list(line, "gone ", &told))
            status = hsc_join_add_gone(j, input, told, err);
        else
            for (size_t k = 0; k < sizeof took / sizeof *took; k++)
                j->took_us[k] += note_of_list(line, took[k], &us) ? us : 0;
    }
    if (f)
        fclose(f);
    return status;
}

static hsc_status list_inputs(join *j, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < j->options->input_count && status == HSC_OK; i++) {
        const char *input = j->options->inputs[i];
        struct stat st;
        if (stat(input, &st))
            return hsc_err_set_errno(err, errno, "%s", input);
        if (!S_ISDIR(st.st_mode)) {
            status = add_file(j, input, (uint32_t)i, err);
            continue;
        }
        DIR *d = opendir(input);
        if (!d)
            return hsc_err_set_errno(err, errno, "%s", input);
        for (struct dirent *e; status == HSC_OK && (e = readdir(d));) {
            if (!ends_with(e->d_name, ".hsr")) {
                j->foreign += e->d_name[0] != '.' && strcmp(e->d_name, "maps") && strcmp(e->d_name, "heatscope.h5");
                continue;
            }
            size_t size = strlen(input) + strlen(e->d_name) + 2;
            char *path = malloc(size);
            if (path)
                snprintf(path, size, "%s/%s", input, e->d_name);
            status = path ? add_file(j, path, (uint32_t)i, err) : hsc_join_no_memory(err);
            free(path);
        }
        closedir(d);
        if (status == HSC_OK)
            status = read_notes(j, (uint32_t)i, err);
    }
    hsc_join_sort_gone(j);
    if (status == HSC_OK && j->processes.n > 1)
        qsort(j->processes.p, j->processes.n, sizeof *j->processes.p, by_path);
    return status;
}

/* ---- which processes count ---- */

static int by_rank(const void *a, const void *b) {
    const jprocess *p = a, *q = b;
    uint64_t r = p->rank < 0 ? UINT64_MAX : (uint64_t)p->rank, s = q->rank < 0 ? UINT64_MAX : (uint64_t)q->rank;
    if (r != s)
        return r < s ? -1 : 1;
    int c = strcmp(p->host, q->host);
    if (c)
        return c;
    if (p->pid != q->pid)
        return p->pid < q->pid ? -1 : 1;
    if (p->start_unix_ns != q->start_unix_ns)
        return p->start_unix_ns < q->start_unix_ns ? -1 : 1;
    return by_path(a, b);
}

bool hsc_join_is_brief(const jprocess *p, const jthread *t) { return t != p->threads.p && !t->samples && !t->has_values; }

/* One that has a file all the same, as it was killed, is a rank or was started by the user, is told with those of the runtime's list. */
static void add_brief(join *j, const jprocess *p) {
    if (p->counts || p->is_launcher)
        return;
    j->brief++;
    for (size_t k = 0; k < p->threads.n; k++)
        j->brief_us += p->threads.p[k].cpu_ns / 1000;
}

/* Processes with nothing of their own are left out, unless none has a sample: a run that only waited. One that starts others is a program where none
 * else works. */
static hsc_status choose(join *j, bool sampled, hsc_err *err) {
    bool program = false;
    for (size_t i = 0; i < j->processes.n; i++) {
        const jprocess *p = &j->processes.p[i];
        program = program || (sampled ? p->works && !p->is_launcher : p->threads.n && !p->is_foreign && !p->is_launcher);
    }
    program = program && !(sampled && hsc_join_shells_work(j));
    j->marks = program && !j->options->keep_launchers ? JMARK_PROGRAM : JMARK_PROGRAM | JMARK_LAUNCHER;
    if (!sampled)
        j->marks |= j->marks << JMARK_UNSAMPLED_SHIFT;
    for (size_t i = 0; i < j->processes.n; i++) {
        jprocess *p = &j->processes.p[i];
        p->left_out = !(sampled ? p->counts : p->threads.n) || (program && !j->options->keep_launchers && p->is_launcher);
        if (p->is_foreign)
            continue;
        if (p->left_out) {
            j->summary->processes_left_out++;
            add_brief(j, p);
            continue;
        }
        if (!HSC_PUSH(j->run, p))
            return hsc_join_no_memory(err);
        for (size_t k = 0; k < p->threads.n; k++) {
            jthread *t = &p->threads.p[k];
            if (hsc_join_is_brief(p, t)) {
                j->summary->threads_left_out++;
                continue;
            }
            t->row = (uint32_t)j->threads.n;
            t->process = p;
            if (!HSC_PUSH(j->threads, t))
                return hsc_join_no_memory(err);
        }
    }
    return HSC_OK;
}

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* How many units of `common` a sample of the process counts. */
static uint32_t weight_of(const jprocess *p, uint64_t common) {
    uint64_t weight = p->period_ns / common + (p->period_ns % common >= common - common / 2);
    return weight < 1 ? 1 : weight > 1000000 ? 1000000 : (uint32_t)weight;
}

/* True when each thread's samples, weighted, fit 32 bits. */
static bool weights_fit(const join *j, uint64_t common) {
    for (size_t i = 0; i < j->run.n; i++)
        for (size_t k = 0; k < j->run.p[i]->threads.n; k++)
            if (j->run.p[i]->threads.p[k].samples * weight_of(j->run.p[i], common) > THREAD_SAMPLES_MAX)
                return false;
    return true;
}

/* One scale for all processes: their period when it is the same, else the greatest common divisor, each sample then
 * counting period / divisor. */
static hsc_status choose_metrics(join *j, hsc_err *err) {
    uint64_t common = 0, least = UINT64_MAX;
    for (size_t i = 0; i < j->run.n; i++) {
        jprocess *p = j->run.p[i];
        if (!p->period_ns)
            for (size_t k = 0; k < p->events.n; k++)
                if (!p->events.p[k].id && p->events.p[k].period >= 1 && p->events.p[k].period < 1e18)
                    p->period_ns = (uint64_t)llround(p->events.p[k].period);
        if (!p->period_ns)
            p->period_ns = DEFAULT_PERIOD_NS; /* its process record is lost */
        common = gcd(common, p->period_ns);
        least = p->period_ns < least ? p->period_ns : least;
    }
    if (least / common > 1000) /* periods that have no common measure worth the name: round to the smallest */
        common = least;
    while (common <= UINT64_MAX / 4 && !weights_fit(j, common)) /* a damaged file may hold what never fits: cells are cut then */
        common *= 2;
    j->period_ns = common;
    if (!HSC_PUSH(j->metrics, (jmetric){"CPU time", "s", (double)common * 1e-9, false, HSC_NO_INDEX, HSC_NO_INDEX, false}))
        return hsc_join_no_memory(err);
    hsc_join_choose_divisors(j);
    for (size_t i = 0; i < j->run.n; i++) {
        jprocess *p = j->run.p[i];
        p->weight = weight_of(p, common);
        for (size_t k = 0; k < p->events.n; k++) {
            jevent *e = &p->events.p[k];
            for (e->metric = 0; e->metric < j->metrics.n && e->id; e->metric++)
                if (!strcmp(j->metrics.p[e->metric].name, e->name) && j->metrics.p[e->metric].scale == e->period)
                    break;
            if (e->id && e->metric == j->metrics.n && e->metric < METRICS_MAX && isfinite(e->period) &&
                !HSC_PUSH(j->metrics, (jmetric){e->name, e->unit, e->period, e->id >= JOIN_MEASURE_WAITING, HSC_NO_INDEX, HSC_NO_INDEX, false}))
                return hsc_join_no_memory(err);
        }
    }
    return hsc_join_make_weights(j) ? HSC_OK : hsc_join_no_memory(err);
}

hsc_status hsc_join_read(join *j, hsc_err *err) {
    hsc_status status = hsc_ranks_is_first(j) ? list_inputs(j, err) : HSC_OK;
    const char *first = j->options->inputs[0];
    if (status == HSC_OK)
        status = hsc_ranks_share_files(j, err);
    if (status == HSC_OK && !j->processes.n)
        status = hsc_err_set(err, HSC_E_MISSING, "%s: no measurement file (*.hsr) in it; 'heatscope run' writes one for each process that it can measure", first);
    if (status == HSC_OK) {
        hsc_join_note_memory(j);
        status = hsc_cache_open(j, err);
    }
    if (status == HSC_OK && j->is_made)
        return HSC_OK;
    if (status == HSC_OK)
        status = hsc_join_each(j, j->processes.n, hsc_join_read_first, j, "reading", err);
    if (status == HSC_OK)
        status = hsc_cache_end_first(j, err);
    if (status == HSC_OK)
        status = hsc_ranks_share_processes(j, err);
    if (status == HSC_OK)
        status = hsc_ranks_merge_tables(j, err);
    if (status != HSC_OK)
        return status;
    if (j->processes.n > 1)
        qsort(j->processes.p, j->processes.n, sizeof *j->processes.p, by_rank);
    hsc_join_summary *s = j->summary;
    s->files = j->processes.n;
    s->files_foreign = j->foreign;
    uint64_t samples = 0;
    for (size_t i = 0; i < j->processes.n; i++) {
        const jprocess *p = &j->processes.p[i];
        samples += p->samples;
        s->files_bad += p->is_foreign;
        s->chunks_bad += p->chunks_bad;
        if (p->problem && p->problem[0] && !s->first_problem[0])
            snprintf(s->first_problem, sizeof s->first_problem, "%s", p->problem);
    }
    if (s->files_bad == s->files)
        return hsc_err_set(err, HSC_E_FORMAT, "%s", s->first_problem);
    status = choose(j, samples != 0, err);
    if (status == HSC_OK && !samples && !j->threads.n)
        status = hsc_err_set(err, HSC_E_MISSING, "%s: no sample and no thread in %llu measurement file(s): nothing was measured", first,
                             (unsigned long long)s->files);
    if (status == HSC_OK)
        status = choose_metrics(j, err);
    if (status == HSC_OK)
        hsc_join_choose_ticks(j);
    if (status == HSC_OK)
        hsc_cache_choose(j);
    if (status == HSC_OK)
        hsc_grown_choose(j);
    return status;
}
