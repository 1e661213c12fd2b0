/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts what is in an interval, by leaf and thread: whole slices, and single samples at both ends of each part.
 *
 * Where the ends are is found first, for some thousand ends at a time, then all that lies between is added up, thread by thread. Both go
 * through ranges of data sets in rising order, cut into batches of chunks: while one is worked on, the reader has the next one. */
#include "entries.h"
#include "interval.h"
#include "large.h"
#include <heatscope/sorted.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "time_read.h"

enum {
    BATCH_BYTES = 2 << 20,
    BATCH_PIECES = 256,         /* of one data set */
    ROUND_ENDS = 8192,
    RANGES_MAX = 2 * HSC_SLICE_LEVELS_MAX + 2, /* of a part: at most two of each level, and of samples */
    COLUMNS = 1 + HSC_SLICE_LEVELS_MAX,
    LIST_BYTES = 1 << 18,
    ITEM_BYTES = 20,            /* at most, of numbers of 32 and 64 bits in base 128 */
    SHARES = 8                  /* of the leaves: lists of their own, so that entries are placed, and lists freed, share by share */
};

/* What was counted, thread by thread: numbers in base 128. A group is the thread, then for each leaf the way from the one before (0 at
 * first; folded to be positive, and 1 more) and the count, then 0. Leaves that follow one another are near each other: some 3 bytes each. */
typedef struct list {
    struct list *next;
    uint32_t bytes;
    uint8_t data[LIST_BYTES];
} list;

typedef struct end { /* of a part, in a thread */
    uint64_t sample;    /* the first at or after it, from the thread's first on */
    uint64_t first, from; /* where the slice begins that it is in: as sample, and in the data set */
    uint64_t at, tick;  /* time of what was looked at last; what is looked for */
    bool found;
} end;

typedef struct range { /* elements [from, to) of a column for an owner: a thread, or an end */
    uint32_t owner, column;
    uint64_t from, to;
} range;

typedef struct column { /* samples, or a level of slices: pieces of two data sets with the same rows */
    hsc_pieces *a, *b;  /* b NULL: one data set */
    uint64_t numbers[BATCH_PIECES];
    uint32_t n;
    size_t at_a, at_b;  /* in the data of the batch */
} column;

typedef struct span { /* part of a range that is in one piece */
    uint32_t owner, column, n;
    size_t at;          /* element of the column's data */
    uint64_t from;
} span;

typedef struct batch {
    column columns[COLUMNS];
    span *spans;
    uint32_t n_spans, capacity;
    size_t bytes;
} batch;

typedef enum stage { FIND, ADD, COUNT_ENTRIES, PLACE_ENTRIES, DONE } stage;

struct hsc_counting {
    hsc_interval *v;
    bool by_thread;
    stage stage;
    uint32_t threads, round_first, round_last; /* threads of the round */
    uint32_t next_thread, next_part; /* whose ranges come next */
    bool second;        /* FIND: of the part's two ends */
    uint64_t next_end;
    end *ends;          /* of the round: two of each part of each thread */
    uint64_t ends_capacity;
    range ranges[RANGES_MAX]; /* that come next */
    unsigned first_range, n_ranges;
    batch batches[2];
    unsigned asked;     /* which of them the reader has */
    bool is_asked;
    uint64_t turn;      /* db->ahead when it was asked for */
    char *data;         /* of the other one */
    uint64_t *by_leaf, n_leaves;
    uint32_t *touched, n_touched, owner;
    list *all[SHARES], **last[SHARES];
    unsigned share; /* that is being counted or placed */
    uint32_t *before; /* by leaf of the share, from share_first on: the last thread */
    uint64_t share_first;
    uint32_t *indptr;
    uint8_t *entry;
    uint64_t entry_bytes;
};

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

double hsc_interval_now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- ranges in their order ---- */

/* Parts of a thread's process: v->parts[*first] and the n - 1 after it. */
static uint32_t parts_of(const hsc_db *db, const hsc_interval *v, uint32_t thread, uint32_t *first) {
    uint32_t process = HSC_COL(db, thread_process, uint32_t)[thread], bounds[2];
    if (v->parts[0].process == HSC_NONE) {
        *first = 0;
        return v->n_parts;
    }
    for (int k = 0; k < 2; k++) {
        uint32_t low = 0, high = v->n_parts;
        HSC_SEARCH(low, high, v->parts[low].process < process || (k && v->parts[low].process == process));
        bounds[k] = low;
    }
    *first = bounds[0];
    return bounds[1] - bounds[0];
}

/* The samples to look at for the end at `tick`; none where the slices' times tell. */
static hsc_status end_range(hsc_db *db, hsc_times *t, uint32_t thread, uint64_t tick, uint32_t number, end *e, range *r, hsc_err *err) {
    uint64_t n = hsc_times_samples(t, thread), base = t->slice_indptr[thread], low = 0;
    hsc_status status = hsc_times_slice(db, t, thread, tick, &low, err);
    if (status)
        return status;
    uint64_t last = low * HSC_SLICE_FIRST < n ? low * HSC_SLICE_FIRST : n;
    *e = (end){.sample = last, .tick = tick, .found = !low};
    *r = (range){.owner = number};
    if (low) {
        e->at = hsc_pieces_u4(&t->begin, base + low - 1);
        e->first = (low - 1) * HSC_SLICE_FIRST;
        e->from = r->from = t->indptr[thread] + e->first;
        r->to = t->indptr[thread] + last;
    }
    return HSC_OK;
}

/* Ranges that make up samples [first, last) of a thread: slices below `level`, and single ones. */
static void part_ranges(hsc_counting *c, const hsc_times *t, uint32_t thread, unsigned level, uint64_t first, uint64_t last) {
    while (level > 0 && first < last) {
        uint64_t size = hsc_times_slice_size(t, --level), low = (first + size - 1) / size, high = last / size;
        const hsc_slice_level *l = &t->slices[level];
        if (low >= high || !hsc_times_has_slices(t, thread, size))
            continue;
        part_ranges(c, t, thread, level, first, low * size);
        c->ranges[c->n_ranges++] = (range){thread, level + 1, l->begin[l->rows[thread] + low], l->begin[l->rows[thread] + high]};
        first = high * size;
    }
    if (first < last)
        c->ranges[c->n_ranges++] = (range){thread, 0, t->indptr[thread] + first, t->indptr[thread] + last};
}

/* Makes ranges until there are some; none: the stage has no more. */
static hsc_status next_ranges(hsc_db *db, hsc_counting *c, hsc_times *t, hsc_err *err) {
    while (c->first_range >= c->n_ranges && c->next_thread < c->round_last) {
        uint32_t first, thread = c->next_thread, n = parts_of(db, c->v, thread, &first);
        c->first_range = c->n_ranges = 0;
        if (c->next_part >= n) {
            c->next_thread++;
            c->next_part = 0;
            continue;
        }
        const hsc_db_when *part = &c->v->parts[first + c->next_part];
        if (c->stage == ADD) {
            part_ranges(c, t, thread, t->n_slices, c->ends[c->next_end].sample, c->ends[c->next_end + 1].sample);
            c->next_end += 2;
            c->next_part++;
            continue;
        }
        uint64_t tick = hsc_times_tick(t, c->second ? part->end_s : part->begin_s);
        hsc_status status = end_range(db, t, thread, tick, (uint32_t)c->next_end, &c->ends[c->next_end], &c->ranges[0], err);
        if (status)
            return status;
        c->n_ranges = c->ranges[0].from < c->ranges[0].to;
        c->next_end++;
        c->next_part += c->second;
        c->second = !c->second;
    }
    return HSC_OK;
}

/* The threads of the next round: as many as have ROUND_ENDS ends together, at least one. */
static hsc_status begin_round(hsc_db *db, hsc_counting *c, hsc_err *err) {
    uint64_t ends = 0;
    uint32_t thread = c->round_last, first;
    for (; thread < c->threads; thread++) {
        uint64_t more = 2 * (uint64_t)parts_of(db, c->v, thread, &first);
        if (ends && ends + more > ROUND_ENDS)
            break;
        ends += more;
    }
    c->round_first = c->round_last;
    c->round_last = thread;
    if (ends > c->ends_capacity) {
        end *bigger = realloc(c->ends, ends * sizeof *bigger);
        if (!bigger)
            return out_of_memory(db, err);
        c->ends = bigger;
        c->ends_capacity = ends;
    }
    return HSC_OK;
}

/* ---- batches ---- */

static void columns_of(hsc_counting *c, hsc_times *t, batch *b) {
    for (unsigned k = 0; k < COLUMNS; k++) {
        column *col = &b->columns[k];
        col->n = 0;
        if (k)
            col->a = &t->slices[k - 1].leaf;
        else
            col->a = c->stage == FIND ? &t->delta : &t->leaf;
        col->b = k ? &t->slices[k - 1].sum : c->stage == FIND ? NULL : &t->count;
    }
    b->n_spans = 0;
    b->bytes = 0;
}

/* Where a piece is, or will be, in the column's data; UINT32_MAX: the batch has no room for it. Pieces rise, but that two ends of a part
 * in the same slice come one after the other. */
static uint32_t place_of(batch *b, column *col, uint64_t number) {
    size_t bytes = (sizeof(uint32_t) << col->a->shift) * (col->b ? 2 : 1);
    for (uint32_t i = col->n; i > 0 && col->numbers[i - 1] >= number; i--)
        if (col->numbers[i - 1] == number)
            return i - 1;
    if ((col->n && col->numbers[col->n - 1] > number) || col->n == BATCH_PIECES || (b->bytes && b->bytes + bytes > BATCH_BYTES))
        return UINT32_MAX;
    col->numbers[col->n] = number;
    b->bytes += bytes;
    return col->n++;
}

static hsc_status fill(hsc_db *db, hsc_counting *c, hsc_times *t, batch *b, hsc_err *err) {
    columns_of(c, t, b);
    for (;;) {
        hsc_status status = next_ranges(db, c, t, err);
        if (status || c->first_range >= c->n_ranges)
            return status;
        range *r = &c->ranges[c->first_range];
        column *col = &b->columns[r->column];
        uint64_t number = r->from >> col->a->shift, until = (number + 1) << col->a->shift;
        if (r->from >= r->to) {
            c->first_range++;
            continue;
        }
        if (b->n_spans == b->capacity) {
            uint32_t capacity = b->capacity ? 2 * b->capacity : 256;
            span *bigger = realloc(b->spans, capacity * sizeof *bigger);
            if (!bigger)
                return out_of_memory(db, err);
            b->spans = bigger;
            b->capacity = capacity;
        }
        uint32_t place = place_of(b, col, number);
        if (place == UINT32_MAX)
            return HSC_OK;
        until = until < r->to ? until : r->to;
        b->spans[b->n_spans++] = (span){r->owner, r->column, (uint32_t)(until - r->from),
                                        ((size_t)place << col->a->shift) + (r->from & ((1ull << col->a->shift) - 1)), r->from};
        r->from = until;
    }
}

static hsc_status ask(hsc_db *db, hsc_counting *c, batch *b, hsc_err *err) {
    hsc_status status = HSC_OK;
    size_t at = 0;
    if (c->turn != db->ahead) { /* what somebody else has asked for is in the way */
        hsc_dbfile_drop_pieces(db->file);
        c->turn = ++db->ahead;
    }
    for (unsigned k = 0; k < COLUMNS && !status; k++) {
        column *col = &b->columns[k];
        size_t bytes = ((size_t)col->n * sizeof(uint32_t)) << col->a->shift;
        if (!col->n)
            continue;
        col->at_a = at;
        status = hsc_dbfile_ask_pieces(db->file, col->a->a.set, 1ull << col->a->shift, col->numbers, col->n, err);
        at += bytes;
        if (status || !col->b)
            continue;
        col->at_b = at;
        status = hsc_dbfile_ask_pieces(db->file, col->b->a.set, 1ull << col->a->shift, col->numbers, col->n, err);
        at += bytes;
    }
    return status;
}

static hsc_status take(hsc_db *db, hsc_counting *c, const batch *b, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (unsigned k = 0; k < COLUMNS && !status; k++) {
        const column *col = &b->columns[k];
        if (col->n)
            status = hsc_dbfile_take_pieces(db->file, c->data + col->at_a, err);
        if (col->n && col->b && !status)
            status = hsc_dbfile_take_pieces(db->file, c->data + col->at_b, err);
    }
    return status;
}

/* ---- what is in them ---- */

static void find_ends(hsc_counting *c, const batch *b) {
    for (uint32_t i = 0; i < b->n_spans; i++) {
        const span *s = &b->spans[i];
        const uint32_t *delta = (const uint32_t *)(void *)(c->data + b->columns[0].at_a) + s->at;
        end *e = &c->ends[s->owner];
        for (uint32_t k = 0; k < s->n && !e->found; k++) {
            e->at += s->from + k > e->from ? delta[k] : 0; /* the first of a slice has its time there */
            e->found = e->at >= e->tick;
            if (e->found)
                e->sample = e->first + (s->from + k - e->from);
        }
    }
}

static void put_number(list *l, uint64_t v) {
    for (; v >= 128; v >>= 7)
        l->data[l->bytes++] = (uint8_t)(v | 128);
    l->data[l->bytes++] = (uint8_t)v;
}

static uint64_t get_number(const list *l, uint32_t *at) {
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t b = l->data[(*at)++];
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128)
            return v;
    }
}

/* A list of a share with room for an item and an end; a group of the thread under way is open in it. NULL: no memory. */
static list *room(hsc_counting *c, unsigned share, list *open, uint32_t *leaf) {
    list *l = *c->last[share];
    if (l && open && l->bytes + 2 * ITEM_BYTES <= LIST_BYTES)
        return l;
    if (open)
        put_number(open, 0);
    if (!l || l->bytes + 3 * ITEM_BYTES > LIST_BYTES) {
        c->last[share] = l ? &l->next : c->last[share];
        if (!(l = *c->last[share] = malloc(sizeof *l)))
            return NULL;
        l->next = NULL;
        l->bytes = 0;
    }
    put_number(l, c->owner);
    *leaf = 0;
    return l;
}

/* What was counted of the thread under way goes to the lists. */
static hsc_status flush(hsc_db *db, hsc_counting *c, hsc_err *err) {
    uint32_t before[SHARES] = {0};
    list *open[SHARES] = {NULL};
    for (uint32_t i = 0; i < c->n_touched; i++) {
        uint32_t leaf = c->touched[i];
        unsigned share = (unsigned)(leaf * (uint64_t)SHARES / c->n_leaves);
        list *l = open[share] = room(c, share, open[share], &before[share]);
        if (!l)
            return out_of_memory(db, err);
        int64_t way = (int64_t)leaf - (int64_t)before[share];
        put_number(l, (way < 0 ? 2 * (uint64_t)-way - 1 : 2 * (uint64_t)way) + 1);
        put_number(l, c->by_leaf[leaf] < UINT32_MAX ? c->by_leaf[leaf] : UINT32_MAX);
        c->by_leaf[leaf] = 0;
        before[share] = leaf;
    }
    for (unsigned k = 0; k < SHARES; k++)
        if (open[k])
            put_number(open[k], 0);
    c->n_touched = 0;
    return HSC_OK;
}

/* Calls visit(c, leaf, thread, count) for what is in a list, in its order. */
static void each_item(hsc_counting *c, const list *l, void (*visit)(hsc_counting *c, uint32_t leaf, uint32_t thread, uint64_t count)) {
    for (uint32_t at = 0; at < l->bytes;) {
        uint32_t thread = (uint32_t)get_number(l, &at), leaf = 0;
        for (uint64_t way; (way = get_number(l, &at)) != 0;) {
            way--;
            leaf = (uint32_t)((int64_t)leaf + (way & 1 ? -(int64_t)(way / 2) - 1 : (int64_t)(way / 2)));
            visit(c, leaf, thread, get_number(l, &at));
        }
    }
}

static hsc_status add_up(hsc_db *db, hsc_counting *c, const batch *b, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < b->n_spans && !status; i++) {
        const span *s = &b->spans[i];
        const column *col = &b->columns[s->column];
        const hsc_times *t = db->times;
        const uint32_t *number = (const uint32_t *)(void *)(c->data + col->at_a) + s->at, *count = (const uint32_t *)(void *)(c->data + col->at_b) + s->at;
        if (c->by_thread && s->owner != c->owner)
            status = flush(db, c, err);
        c->owner = s->owner;
        for (uint32_t k = 0; k < s->n && !status; k++) {
            uint32_t leaf = s->column ? number[k] : hsc_times_leaf(t, s->owner, number[k]);
            if (leaf >= c->n_leaves) {
                status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s row %" PRIu64 ": expected a row of /time/leaf, or a number that its thread has", db->path, col->a->a.name, s->from + k);
                break;
            }
            uint64_t *sum = &c->by_leaf[leaf];
            if (c->by_thread && !*sum && count[k])
                c->touched[c->n_touched++] = leaf;
            *sum += count[k];
        }
    }
    return status;
}

/* ---- entries by leaf; threads rise ---- */

static void take_share(hsc_counting *c, unsigned share) {
    c->share = share;
    c->share_first = (share * c->n_leaves + SHARES - 1) / SHARES;
    if (c->before)
        memset(c->before, 0, (c->n_leaves / SHARES + 1) * sizeof *c->before);
}

static void begin_shares(hsc_counting *c) {
    take_share(c, 0);
    for (unsigned k = 0; k < SHARES; k++)
        c->last[k] = &c->all[k];
}

static void begin_entries(hsc_counting *c) {
    free(c->by_leaf);
    free(c->touched);
    c->by_leaf = NULL;
    c->touched = NULL;
    begin_shares(c);
}

/* The way to the thread from the leaf's last one. */
static uint32_t way_to(hsc_counting *c, uint32_t leaf, uint32_t thread) {
    uint32_t *before = &c->before[leaf - c->share_first], way = thread - *before;
    *before = thread;
    return way;
}

static void count_item(hsc_counting *c, uint32_t leaf, uint32_t thread, uint64_t count) {
    unsigned bytes = hsc_entry_bytes(way_to(c, leaf, thread), (uint32_t)count);
    c->indptr[leaf + 2] += bytes;
    c->entry_bytes += bytes;
}

/* One list; then room for all. */
static hsc_status count_entries(hsc_db *db, hsc_counting *c, hsc_err *err) {
    if (!c->before && !(c->before = calloc(c->n_leaves / SHARES + 1, sizeof *c->before)))
        return out_of_memory(db, err);
    if (!c->indptr && !(c->indptr = calloc(c->n_leaves + 2, sizeof *c->indptr)))
        return out_of_memory(db, err);
    while (c->share < SHARES && !*c->last[c->share])
        take_share(c, c->share + 1);
    if (c->share < SHARES) {
        list **at = c->last[c->share];
        each_item(c, *at, count_item);
        c->last[c->share] = &(*at)->next;
        return HSC_OK;
    }
    take_share(c, 0);
    if (c->entry_bytes > UINT32_MAX)
        return hsc_err_set(err, HSC_E_LIMIT, "%s: an interval whose values of leaves and threads take %" PRIu64 " bytes, at most %" PRIu32, db->path,
                           c->entry_bytes, UINT32_MAX);
    for (uint64_t k = 0; k < c->n_leaves; k++)
        c->indptr[k + 2] += c->indptr[k + 1];
    if (!(c->entry = malloc(c->entry_bytes + 1)))
        return out_of_memory(db, err);
    c->stage = PLACE_ENTRIES;
    return HSC_OK;
}

static void place_item(hsc_counting *c, uint32_t leaf, uint32_t thread, uint64_t count) {
    uint8_t *at = c->entry + c->indptr[leaf + 1];
    c->indptr[leaf + 1] += (uint32_t)(hsc_entry_put(at, way_to(c, leaf, thread), (uint32_t)count) - at);
}

static void place_entries(hsc_counting *c) {
    while (c->share < SHARES && !c->all[c->share])
        take_share(c, c->share + 1);
    if (c->share < SHARES) {
        list *l = c->all[c->share];
        each_item(c, l, place_item);
        c->all[c->share] = l->next;
        free(l);
        if (!c->all[c->share])
            hsc_large_give_back(); /* as the entries grow */
        return;
    }
    c->v->indptr = c->indptr;
    c->v->entry = c->entry;
    c->indptr = NULL;
    c->entry = NULL;
    c->stage = DONE;
}

/* ---- all of it ---- */

hsc_status hsc_counting_begin(hsc_db *db, hsc_interval *v, bool by_thread, hsc_counting **out, hsc_err *err) {
    uint64_t threads = db->tables.rows[HSC_TAB_thread];
    hsc_counting *c = calloc(1, sizeof *c);
    if (!c)
        return out_of_memory(db, err);
    c->v = v;
    c->by_thread = by_thread;
    c->threads = (uint32_t)threads;
    c->n_leaves = db->tables.rows[HSC_TAB_leaf];
    begin_shares(c);
    c->data = malloc(BATCH_BYTES);
    c->by_leaf = by_thread ? calloc(c->n_leaves + 1, sizeof *c->by_leaf) : v->total;
    c->touched = by_thread ? malloc((c->n_leaves + 1) * sizeof *c->touched) : NULL;
    hsc_status status = c->data && c->by_leaf && (c->touched || !by_thread) ? begin_round(db, c, err) : out_of_memory(db, err);
    if (status)
        hsc_counting_free(db, c);
    else
        *out = c;
    return status;
}

void hsc_counting_free(hsc_db *db, hsc_counting *c) {
    if (!c)
        return;
    if (c->turn == db->ahead)
        hsc_dbfile_drop_pieces(db->file);
    for (unsigned k = 0; k < SHARES; k++)
        for (list *l = c->all[k], *next; l; l = next) {
            next = l->next;
            free(l);
        }
    if (c->by_thread)
        free(c->by_leaf);
    for (int i = 0; i < 2; i++)
        free(c->batches[i].spans);
    free(c->touched);
    free(c->ends);
    free(c->data);
    free(c->before);
    free(c->indptr);
    free(c->entry);
    free(c);
    hsc_large_give_back();
}

static double part_done(const hsc_counting *c) {
    double round = c->threads ? (double)(c->stage == ADD ? c->next_thread : c->round_first) / c->threads : 1;
    return c->stage == DONE ? 1 : c->stage == COUNT_ENTRIES ? 0.96 : c->stage == PLACE_ENTRIES ? 0.98 : 0.95 * round;
}

/* The next stage, when there are no more ranges of this one. */
static hsc_status next_stage(hsc_db *db, hsc_counting *c, hsc_err *err) {
    hsc_status status = HSC_OK;
    if (c->stage == ADD) {
        status = c->by_thread ? flush(db, c, err) : HSC_OK;
        if (!status && c->round_last == c->threads) {
            c->stage = c->by_thread ? COUNT_ENTRIES : DONE;
            if (c->by_thread) {
                begin_entries(c);
                hsc_times_give_back(db->times); /* now comes what takes most */
            }
            return HSC_OK;
        }
        if (!status)
            status = begin_round(db, c, err);
    }
    c->stage = c->stage == FIND ? ADD : FIND;
    c->next_thread = c->round_first;
    c->next_part = c->first_range = c->n_ranges = 0;
    c->next_end = 0;
    return status;
}

/* One batch: takes it, has the reader begin with the next one, counts it. */
static hsc_status work(hsc_db *db, hsc_counting *c, hsc_times *t, hsc_err *err) {
    batch *b = &c->batches[c->asked], *next = &c->batches[!c->asked];
    hsc_status status = HSC_OK;
    if (!c->is_asked) {
        status = fill(db, c, t, b, err);
        if (!status && !b->n_spans)
            return next_stage(db, c, err);
        if (!status)
            status = ask(db, c, b, err);
    } else if (c->turn != db->ahead) {
        status = ask(db, c, b, err);
    }
    if (!status)
        status = take(db, c, b, err);
    if (!status)
        status = fill(db, c, t, next, err);
    if (!status && (c->is_asked = next->n_spans > 0))
        status = ask(db, c, next, err);
    c->asked = !c->asked;
    if (status)
        return status;
    if (c->stage == ADD)
        return add_up(db, c, b, err);
    find_ends(c, b);
    return HSC_OK;
}

hsc_status hsc_counting_go_on(hsc_db *db, hsc_counting *c, double seconds, double *part, hsc_err *err) {
    double until = seconds < 0 ? 0 : hsc_interval_now_s() + seconds;
    hsc_times *t = NULL;
    hsc_status status = hsc_times_begin(db, &t, err);
    while (!status && c->stage != DONE) {
        if (c->stage == COUNT_ENTRIES)
            status = count_entries(db, c, err);
        else if (c->stage == PLACE_ENTRIES)
            place_entries(c);
        else
            status = work(db, c, t, err);
        if (seconds >= 0 && hsc_interval_now_s() >= until)
            break;
    }
    *part = part_done(c);
    return status;
}
