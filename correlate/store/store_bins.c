/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store_bins.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>

#include "most.h"
#include "times.h"

enum { COUNT, CATEGORY, CATEGORY_COUNT, SCOPE, SCOPE_COUNT, PROCEDURE, PROCEDURE_COUNT, SETS };
enum { HELD = 256 /* rows of level 0 that go into a stream, then into the next */ };
enum { PATH_BYTES = 64 };
enum { SHORT_NUMBERS = 8192, SHORT_CATEGORIES = 64, SHORT_MOST = 255, /* samples of a bin of level 1 that is made at once */
       SHORT_WORTH = 128 /* one of so many numbers at least */ };
enum { MANY = 16 /* of so many numbers one has counts: then a look at all is cheaper than at each */ };

typedef struct bin_leaf { /* numbers that its counts go to; binned 0: none, else all bits are 1 */
    uint32_t scope, procedure, category, binned;
} bin_leaf;

/* The same as one number: scope, procedure, category without first_category and a bit for not binned, 16 bits each. */
typedef uint64_t short_leaf;

/* Numbers of scopes, behind them of procedures, and behind them of categories are in the order of their rows; of each kind the first is a multiple of
 * HSC_MOST_LANES. What has most is count << 32 | ~number: of several the smaller number. */
typedef struct level {
    hid_t group;
    uint64_t rows, *indptr, *ends; /* ends: of the threads' rows */
    bool has_own;                  /* some thread begins with a chunk */
    uint32_t *first;
    hsc_out_stream *sets[SETS];
    uint32_t *held[SETS], n_held, room; /* all rows of the thread, so that how many each level has tells in which order they go out */
    uint8_t *categories;
    uint64_t kept, kept_from; /* rows of the thread before those: they stand in the database before, from a row on */
    bool any;     /* a bin is under way; of level 0: one has been ended */
    bool is_put;  /* the bin under way is a row already, which nothing is added to */
    uint64_t bin; /* its number */
    uint32_t *by; /* counts in it, by number; never more than 2^32 - 1 in all */
    uint32_t *touched, n_touched; /* scopes with counts in it */
    bool is_full; /* others have some, too, and procedures have theirs; else these follow from the scopes' */
} level;

typedef struct kept_level { /* of the database before */
    uint64_t *indptr, *ends;
    uint32_t *first;
} kept_level;

struct hsc_store_bins {
    hsc_store *s;
    kept_level *kept; /* n_levels; NULL: nothing is kept */
    hid_t group;
    uint32_t bin, run_end;
    uint64_t threads, done;
    bin_leaf *leaves;
    short_leaf *short_leaves; /* NULL: bins of level 1 are not made at once */
    uint8_t *few;             /* counts by number, in a bin of level 1 that is */
    uint32_t *rows, *procedures; /* rows by number; by number of a scope: of its procedure */
    uint32_t n_scopes, first_procedure, first_category, end; /* of the numbers */
    hsc_most most;
    level *levels;
    unsigned n_levels;
    /* of the thread under way */
    uint64_t number; /* of its bin of level 0 under way */
    uint64_t put;    /* counts of its samples */
    uint64_t used;   /* of what went into bins of level 0 that are ended, those of the widest bin under way */
};

static hsc_status no_memory(const hsc_store *s, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for the samples by time", s->path);
}

void hsc_store_bins_free(hsc_store_bins *b) {
    if (!b)
        return;
    for (unsigned k = 0; k < b->n_levels; k++) {
        level *l = &b->levels[k];
        for (unsigned i = 0; i < SETS; i++) {
            hsc_out_stream_abort(l->sets[i]);
            free(l->held[i]);
        }
        free(l->categories);
        if (b->kept) {
            free(b->kept[k].indptr);
            free(b->kept[k].ends);
            free(b->kept[k].first);
        }
        if (l->group > 0)
            H5Gclose(l->group);
        free(l->indptr);
        free(l->ends);
        free(l->first);
        free(l->by);
        free(l->touched);
    }
    if (b->group > 0)
        H5Gclose(b->group);
    free(b->leaves);
    free(b->short_leaves);
    free(b->few);
    free(b->rows);
    free(b->procedures);
    free(b->levels);
    free(b->kept);
    free(b);
}

/* ---- begin ---- */

static bool make_counts(const hsc_store_bins *b, level *l) {
    l->by = calloc(b->end + 1, sizeof *l->by);
    l->touched = malloc((b->n_scopes + 1) * sizeof *l->touched);
    return l->by && l->touched;
}

static hsc_status open_level(hsc_store_bins *b, unsigned at, hsc_err *err) {
    static const struct {
        const char *name, *description, *references;
        hsc_column_type type;
    } sets[SETS] = {
        {"count", "counts of metric 0", "", HSC_COLTYPE_U4},
        {"category", "the category with most of them; the smaller row of several", "/run/category", HSC_COLTYPE_U1},
        {"category_count", "counts of that category", "", HSC_COLTYPE_U4},
        {"scope", "the innermost scope with most of them; 4294967295: no counts", "/static/scope", HSC_COLTYPE_U4},
        {"scope_count", "counts of that scope itself", "", HSC_COLTYPE_U4},
        {"procedure", "the procedure with most of them, its loops included; 4294967295: no counts", "/static/scope",
         HSC_COLTYPE_U4},
        {"procedure_count", "counts of that procedure", "", HSC_COLTYPE_U4}};
    hsc_store *s = b->s;
    level *l = &b->levels[at];
    char name[24];
    uint64_t width = hsc_bin_width(b->bin, at);
    snprintf(name, sizeof name, "%u", at);
    hsc_status status = hsc_out_told_group(s->out, b->group, name,
                                           "bins of `width` ticks from the start of the run: thread i has rows "
                                           "[indptr[i], indptr[i + 1]), which are its bins from first[i] on",
                                           &l->group, err);
    if (!status)
        status = hsc_out_numbers(s->out, l->group, "width", HSC_NUMBER_U8, &width, 1, err);
    for (int k = 0; k < SETS && !status; k++) {
        hsc_out_notes notes = {
            .description = sets[k].description, .references = sets[k].references, .effort = HSC_EFFORT_SERIES};
        status = hsc_out_stream_open(s->out, l->group, sets[k].name, sets[k].type, &notes, &l->sets[k], err);
    }
    l->indptr = calloc(b->threads + 1, sizeof *l->indptr);
    l->ends = calloc(b->threads + 1, sizeof *l->ends);
    l->first = calloc(b->threads + 1, sizeof *l->first);
    return status || (l->indptr && l->ends && l->first && make_counts(b, l)) ? status : no_memory(s, err);
}

/* Numbers, from `first` on, of the rows that are marked with `use`; how many there are. */
static uint32_t number_rows(hsc_store_bins *b, const uint8_t *used, uint8_t use, uint64_t n_rows, uint32_t first, uint32_t *number) {
    uint32_t n = first;
    for (uint32_t row = 0; row < n_rows; row++)
        if (used[row] & use) {
            b->rows[n] = row;
            number[row] = n++;
        }
    return n - first;
}

static uint32_t in_lanes(uint32_t n) { return (n + HSC_MOST_LANES - 1) / HSC_MOST_LANES * HSC_MOST_LANES; }

/* Scopes of the leaves that are binned, and their procedures; false: no memory. */
static bool number_scopes(hsc_store_bins *b, const hsc_leaf_facts *leaves, uint64_t n_leaves, uint64_t n_rows, uint32_t n_categories) {
    enum { IS_SCOPE = 1, IS_PROCEDURE = 2 };
    uint8_t *used = calloc(n_rows + 1, 1);
    uint32_t *number = malloc((n_rows + 1) * sizeof *number);
    b->leaves = malloc((n_leaves + 1) * sizeof *b->leaves);
    b->rows = calloc(2 * n_leaves + 2 * HSC_MOST_LANES, sizeof *b->rows);
    b->procedures = malloc((n_leaves + 1) * sizeof *b->procedures);
    bool good = used && number && b->leaves && b->rows && b->procedures;
    for (uint64_t i = 0; good && i < n_leaves; i++)
        if (leaves[i].binned) {
            used[leaves[i].scope] |= IS_SCOPE;
            used[leaves[i].procedure] |= IS_PROCEDURE;
        }
    if (good) {
        b->n_scopes = number_rows(b, used, IS_SCOPE, n_rows, 0, number);
        for (uint64_t i = 0; i < n_leaves; i++)
            b->leaves[i].scope = leaves[i].binned ? number[leaves[i].scope] : 0;
        b->first_procedure = in_lanes(b->n_scopes);
        b->first_category = in_lanes(b->first_procedure + number_rows(b, used, IS_PROCEDURE, n_rows, b->first_procedure, number));
        b->end = b->first_category + n_categories;
    }
    for (uint64_t i = 0; good && i < n_leaves; i++) {
        bin_leaf *l = &b->leaves[i];
        l->procedure = leaves[i].binned ? number[leaves[i].procedure] : 0;
        l->category = b->first_category + leaves[i].category;
        l->binned = leaves[i].binned ? UINT32_MAX : 0;
        if (l->binned)
            b->procedures[l->scope] = l->procedure;
    }
    free(used);
    free(number);
    return good;
}

static bool shorten_leaves(hsc_store_bins *b, uint64_t n_leaves) {
    b->short_leaves = malloc((n_leaves + 1) * sizeof *b->short_leaves);
    b->few = calloc(b->first_category + 1, sizeof *b->few);
    for (uint64_t i = 0; b->short_leaves && i < n_leaves; i++) {
        const bin_leaf *l = &b->leaves[i];
        b->short_leaves[i] = l->scope | (short_leaf)l->procedure << 16 | (short_leaf)(l->category - b->first_category) << 32 | (short_leaf)!l->binned << 48;
    }
    return b->short_leaves && b->few;
}

hsc_status hsc_store_bins_new(hsc_store *s, hid_t time, uint32_t end, uint32_t bin, const hsc_leaf_facts *leaves,
                              uint64_t n_leaves, hsc_store_bins **out, hsc_err *err) {
    hsc_store_bins *b = *out = calloc(1, sizeof *b);
    uint64_t n_scopes = s->tables.rows[HSC_TAB_scope];
    if (!b)
        return no_memory(s, err);
    b->s = s;
    b->bin = bin;
    b->run_end = end;
    b->threads = s->tables.rows[HSC_TAB_thread];
    b->most = hsc_most_choose();
    b->levels = calloc(HSC_BIN_LEVELS_MAX, sizeof *b->levels);
    if (!b->levels || !number_scopes(b, leaves, n_leaves, n_scopes, (uint32_t)s->tables.rows[HSC_TAB_category]))
        return no_memory(s, err);
    if (b->first_category <= SHORT_NUMBERS && b->end - b->first_category <= SHORT_CATEGORIES && !shorten_leaves(b, n_leaves))
        return no_memory(s, err);
    hsc_status status = hsc_out_told_group(
        s->out, time, "bins", "bins of equal time, each level's four times as wide as those of the one before",
        &b->group, err);
    for (unsigned levels = hsc_bin_levels(end, bin); b->n_levels < levels && !status;)
        status = open_level(b, b->n_levels++, err);
    return status;
}

/* ---- bins ---- */

/* The thread's rows into the streams, so many of each set in turn. */
static hsc_status flush(level *l, uint64_t some, hsc_err *err) {
    hsc_status status = HSC_OK;
    uint64_t n = l->kept + l->n_held;
    for (uint64_t at = 0, m; at < n && !status; at += m) {
        m = n - at < some ? n - at : some;
        uint64_t kept = l->kept > at ? l->kept - at : 0, held = at > l->kept ? at - l->kept : 0;
        kept = kept < m ? kept : m;
        for (unsigned i = 0; i < SETS && !status; i++) {
            status = hsc_out_stream_keep_from(l->sets[i], l->kept_from + at, kept, err);
            if (!status)
                status = i == CATEGORY ? hsc_out_stream_put(l->sets[i], l->categories + held, m - kept, err) : hsc_out_stream_put(l->sets[i], l->held[i] + held, m - kept, err);
        }
    }
    l->n_held = 0;
    l->kept = 0;
    return status;
}

/* The thread's rows, where they are many, begin with a chunk: bins with nothing before them, which are nobody's. */
static hsc_status begin_with_chunk(const hsc_store_bins *b, level *l, hsc_err *err) {
    static const uint32_t zeros[HELD];
    uint32_t none[HELD];
    uint64_t gap = (HSC_CHUNK_ROWS - l->indptr[b->done] % HSC_CHUNK_ROWS) % HSC_CHUNK_ROWS;
    hsc_status status = HSC_OK;
    if (l->kept + l->n_held < b->s->own_bins)
        return HSC_OK;
    memset(none, 0xff, sizeof none); /* HSC_NONE */
    l->has_own = true;
    l->indptr[b->done] += gap;
    l->rows += gap;
    for (unsigned i = 0; i < SETS; i++)
        for (uint64_t at = 0, m; at < gap && !status; at += m) {
            m = gap - at < HELD ? gap - at : HELD;
            status = hsc_out_stream_put(l->sets[i], i == SCOPE || i == PROCEDURE ? none : zeros, m, err);
        }
    return status;
}

typedef struct most {
    uint32_t row, count;
} most;

static bool make_room(level *l) {
    uint32_t room = l->room ? 2 * l->room : HELD;
    bool good = true;
    for (unsigned i = 0; i < SETS && good; i++) {
        void *more = realloc(i == CATEGORY ? (void *)l->categories : (void *)l->held[i], room * (i == CATEGORY ? sizeof *l->categories : sizeof **l->held));
        good = more != NULL;
        if (good && i == CATEGORY)
            l->categories = more;
        else if (good)
            l->held[i] = more;
    }
    l->room = good ? room : l->room;
    return good;
}

static hsc_status put_row(const hsc_store_bins *b, level *l, uint64_t all, most category, most scope, most procedure, hsc_err *err) {
    if (l->n_held == l->room && !make_room(l))
        return no_memory(b->s, err);
    uint32_t at = l->n_held++;
    l->held[COUNT][at] = (uint32_t)all;
    l->categories[at] = (uint8_t)category.row;
    l->held[CATEGORY_COUNT][at] = category.count;
    l->held[SCOPE][at] = scope.row;
    l->held[SCOPE_COUNT][at] = scope.count;
    l->held[PROCEDURE][at] = procedure.row;
    l->held[PROCEDURE_COUNT][at] = procedure.count;
    l->rows++;
    return HSC_OK;
}

static most most_of(uint32_t row, uint64_t key) { return (most){row, (uint32_t)(key >> 32)}; }

typedef struct counts { /* of a level, while many are added */
    uint32_t *by, *touched;
    uint64_t n;
} counts;

static inline counts counts_of(const level *l) { return (counts){l->by, l->touched, l->n_touched}; }

/* more: not 0. Without a branch that noise would mislead. */
static inline void add(counts *s, uint32_t scope, uint32_t more) {
    uint32_t before = s->by[scope];
    s->touched[s->n] = scope;
    s->n += !before;
    s->by[scope] = before + more;
}

/* Procedures of a level have their counts from now on, and more of a scope go to its procedure too. */
static void fill(const hsc_store_bins *b, level *l) {
    for (uint32_t i = 0; i < l->n_touched && !l->is_full; i++)
        l->by[b->procedures[l->touched[i]]] += l->by[l->touched[i]];
    l->is_full = true;
}

typedef struct largest {
    uint64_t scope, procedure;
} largest;

enum above { NOTHING, TOUCHED, FULL };

/* As sweep, scope by scope. */
static inline __attribute__((always_inline)) largest each_to(const hsc_store_bins *b, const level *l, enum above to, counts *above) {
    const uint32_t *procedures = b->procedures, *end = l->touched + l->n_touched;
    uint32_t *by = l->by;
    largest found = {0, 0};
    for (const uint32_t *at = l->touched; at < end; at++) {
        uint32_t scope = *at, procedure = procedures[scope], of_scope = by[scope], of_procedure = by[procedure] + of_scope;
        by[scope] = 0;
        by[procedure] = of_procedure;
        found.scope = hsc_most_larger(found.scope, hsc_most_key(of_scope, scope));
        found.procedure = hsc_most_larger(found.procedure, hsc_most_key(of_procedure, procedure)); /* of what it is on the way its last count is the largest */
        if (to == TOUCHED)
            add(above, scope, of_scope);
        else if (to == FULL)
            above->by[scope] += of_scope, above->by[procedure] += of_scope;
    }
    for (const uint32_t *at = l->touched; at < end; at++)
        by[procedures[*at]] = 0;
    return found;
}

/* up NULL: none. */
static largest each(const hsc_store_bins *b, const level *l, level *up) {
    if (!up)
        return each_to(b, l, NOTHING, NULL);
    counts above = counts_of(up);
    if (up->is_full)
        return each_to(b, l, FULL, &above);
    largest found = each_to(b, l, TOUCHED, &above);
    up->n_touched = (uint32_t)above.n;
    return found;
}

/* The bin under way of a level, which has something, is a row now; what it had goes to the one under way of the level above, where there is one. */
static hsc_status put_bin(hsc_store_bins *b, level *l, level *up, hsc_err *err) {
    uint32_t *by = l->by;
    uint64_t category = 0, scope = 0, procedure = 0, all = 0;
    if (l->is_full || l->n_touched > b->first_category / MANY) {
        fill(b, l);
        if (up)
            fill(b, up);
        scope = b->most.of_counts(by, up ? up->by : NULL, b->first_procedure);
        procedure = b->most.of_counts(by + b->first_procedure, up ? up->by + b->first_procedure : NULL, b->first_category - b->first_procedure);
        procedure -= b->first_procedure; /* ~(a + b) is ~a - b */
    } else {
        largest of = each(b, l, up);
        scope = of.scope;
        procedure = of.procedure;
    }
    l->n_touched = 0;
    l->is_full = false;
    for (uint32_t k = b->first_category; k < b->end; k++) {
        all += by[k];
        category = hsc_most_larger(category, hsc_most_key(by[k], k));
        if (up)
            up->by[k] += by[k];
        by[k] = 0;
    }
    b->used += l == b->levels ? all : 0;
    return put_row(b, l, all, most_of(~(uint32_t)category - b->first_category, category), most_of(b->rows[~(uint32_t)scope], scope),
                   most_of(b->rows[~(uint32_t)procedure], procedure), err);
}

/* Bin `number` of a level comes next: those since the last one have nothing. */
static hsc_status go_to(const hsc_store_bins *b, level *l, uint64_t number, hsc_err *err) {
    hsc_status status = HSC_OK;
    if (!l->any)
        l->first[b->done] = (uint32_t)number;
    else
        while (!status && ++l->bin < number)
            status = put_row(b, l, 0, (most){0, 0}, (most){HSC_NONE, 0}, (most){HSC_NONE, 0}, err);
    l->any = true;
    l->is_put = false;
    l->bin = number;
    return status;
}

static hsc_status end_bin(hsc_store_bins *b, unsigned at, hsc_err *err);

/* Bin `number` of a level is under way then; the one before is ended. */
static hsc_status reach(hsc_store_bins *b, unsigned at, uint64_t number, hsc_err *err) {
    level *l = &b->levels[at];
    if (l->any && l->bin == number)
        return HSC_OK;
    hsc_status status = l->any ? end_bin(b, at, err) : HSC_OK;
    return status ? status : go_to(b, l, number, err);
}

/* The bin under way of a level is ended. */
static hsc_status end_bin(hsc_store_bins *b, unsigned at, hsc_err *err) {
    level *l = &b->levels[at], *up = at + 1 < b->n_levels ? l + 1 : NULL;
    if (l->is_put)
        return HSC_OK;
    hsc_status status = up ? reach(b, at + 1, l->bin / HSC_BIN_FACTOR, err) : HSC_OK;
    return status ? status : put_bin(b, l, up, err);
}

/* Bits of a number of level 0 beyond which it is one of the widest level. */
static unsigned widest_shift(const hsc_store_bins *b) { return (b->n_levels - 1) * 2; }
_Static_assert(HSC_BIN_FACTOR == 1 << 2, "widest_shift");

/* Bin `number` of level 0 becomes a row next. */
static hsc_status go_to_first(hsc_store_bins *b, uint64_t number, hsc_err *err) {
    level *l = &b->levels[0];
    if (!l->any || number >> widest_shift(b) != l->bin >> widest_shift(b))
        b->used = 0;
    return go_to(b, l, number, err);
}

/* The bin of level 0 under way is ended, where it has something. */
static hsc_status end_first(hsc_store_bins *b, hsc_err *err) {
    if (!b->levels[0].n_touched)
        return HSC_OK;
    hsc_status status = go_to_first(b, b->number, err);
    return status ? status : end_bin(b, 0, err);
}

/* ---- a bin of level 1 at once ---- */

typedef struct whole { /* bin of level 1, all of whose samples are at hand and have one count each */
    uint64_t number;
    unsigned n, end[HSC_BIN_FACTOR]; /* samples; where they end that are of each bin of level 0 */
    uint32_t count;
    bool has_one_category;
    uint16_t scope[SHORT_MOST + HSC_MOST_FEW], procedure[SHORT_MOST + HSC_MOST_FEW], category[SHORT_MOST];
} whole;

/* Where the samples end whose time is less than `end`, at most n; there are as many from `from` on as the last time, mostly. */
static unsigned find_end(const uint32_t *time, unsigned from, unsigned last, unsigned n, uint64_t end) {
    unsigned at = from + last < n ? from + last : n;
    while (at > from && time[at - 1] >= end)
        at--;
    while (at < n && time[at] < end)
        at++;
    return at;
}

/* The bin of level 1 that the samples begin with; false: it is not made at once. */
static bool find_whole(const hsc_store_bins *b, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count, whole *w) {
    const level *l = &b->levels[1];
    unsigned room = n < SHORT_MOST + 1 ? (unsigned)n : SHORT_MOST + 1, at = 0, last = 0;
    uint64_t first = time[0] / b->bin;
    w->number = first / HSC_BIN_FACTOR;
    w->count = count[0];
    if (!w->count || (l->any && l->bin == w->number))
        return false;
    for (unsigned k = 0; k < HSC_BIN_FACTOR; k++) {
        unsigned from = at;
        w->end[k] = at = find_end(time, from, last, room, (w->number * HSC_BIN_FACTOR + k + 1) * b->bin);
        last = at - from;
        if (last > HSC_MOST_FEW)
            return false;
    }
    if (at == room || at < b->first_category / SHORT_WORTH)
        return false; /* it goes on, perhaps; or a look at all counts is dearer than at each sample */
    w->n = at;
    const short_leaf *leaves = b->short_leaves;
    uint32_t others = 0;
    uint64_t one = leaves[leaf[0]], differ = one & (uint64_t)0xffff << 48;
    for (unsigned k = 0; k < at; k++) {
        short_leaf f = leaves[leaf[k]];
        w->scope[k] = (uint16_t)f;
        w->procedure[k] = (uint16_t)(f >> 16);
        differ |= f ^ one;
    }
    for (unsigned k = 0; k < at; k++)
        others |= count[k] ^ w->count;
    w->has_one_category = !(differ >> 32);
    w->category[0] = (uint16_t)(one >> 32);
    for (unsigned k = 1; k < at && !w->has_one_category; k++)
        w->category[k] = (uint16_t)(leaves[leaf[k]] >> 32);
    return !others && !(differ >> 48);
}

/* count << 32 | ~number of what most of n numbers are. */
static uint64_t most_category(const hsc_store_bins *b, const whole *w, unsigned from, unsigned n) {
    uint8_t of[SHORT_CATEGORIES] = {0};
    uint64_t found = 0;
    if (w->has_one_category)
        return hsc_most_key(n, w->category[0]);
    for (unsigned k = 0; k < n; k++)
        of[w->category[from + k]]++;
    for (uint32_t k = 0; k < b->end - b->first_category; k++)
        found = hsc_most_larger(found, hsc_most_key(of[k], k));
    return found;
}

/* Of so many samples, what most of them are. */
static hsc_status put_whole_row(hsc_store_bins *b, unsigned at, const whole *w, unsigned from, unsigned n, uint64_t scope, uint64_t procedure, hsc_err *err) {
    uint64_t category = most_category(b, w, from, n);
    most of[3] = {most_of(~(uint32_t)category, category), most_of(b->rows[~(uint32_t)scope], scope), most_of(b->rows[~(uint32_t)procedure], procedure)};
    for (unsigned k = 0; k < 3; k++)
        of[k].count *= w->count;
    return put_row(b, &b->levels[at], (uint64_t)n * w->count, of[0], of[1], of[2], err);
}

/* by NULL: none. */
static void count_whole(const whole *w, unsigned n, uint8_t *restrict few, uint32_t *restrict by) {
    const uint32_t count = w->count;
    for (unsigned k = 0; k < n; k++) {
        few[w->scope[k]]++;
        few[w->procedure[k]]++;
    }
    for (unsigned k = 0; k < n && by; k++) {
        by[w->scope[k]] += count;
        by[w->procedure[k]] += count;
    }
}

static hsc_status put_whole(hsc_store_bins *b, const whole *w, hsc_err *err) {
    level *up = b->n_levels > 2 ? &b->levels[2] : NULL;
    hsc_status status = reach(b, 1, w->number, err);
    if (!status && up)
        status = reach(b, 2, w->number / HSC_BIN_FACTOR, err);
    if (status)
        return status;
    if (up)
        fill(b, up);
    count_whole(w, w->n, b->few, up ? up->by : NULL);
    if (up && w->has_one_category)
        up->by[b->first_category + w->category[0]] += w->n * w->count;
    for (unsigned k = 0; up && !w->has_one_category && k < w->n; k++)
        up->by[b->first_category + w->category[k]] += w->count;
    for (unsigned k = 0, from = 0; k < HSC_BIN_FACTOR && !status; from = w->end[k++]) {
        unsigned n = w->end[k] - from;
        if (!n)
            continue;
        status = go_to_first(b, w->number * HSC_BIN_FACTOR + k, err);
        if (!status)
            status = put_whole_row(b, 0, w, from, n, b->most.of_few(w->scope + from, n), b->most.of_few(w->procedure + from, n), err);
        b->number = w->number * HSC_BIN_FACTOR + k;
        b->used += (uint64_t)n * w->count;
    }
    uint64_t scope = b->most.of_bytes(b->few, b->first_procedure), procedure = b->most.of_bytes(b->few + b->first_procedure, b->first_category - b->first_procedure);
    b->levels[1].is_put = true;
    return status ? status : put_whole_row(b, 1, w, 0, w->n, scope, procedure - b->first_procedure, err); /* ~(a + b) is ~a - b */
}

/* Samples into bins of level 0, and these into those above. */
static hsc_status put_bins(hsc_store_bins *b, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count, hsc_err *err) {
    const bin_leaf *leaves = b->leaves;
    level *l = &b->levels[0];
    hsc_status status = HSC_OK;
    whole w;
    for (uint64_t i = 0; i < n && !status;) {
        uint64_t number = time[i] / b->bin, end = (number + 1) * b->bin;
        if (number != b->number)
            status = end_first(b, err);
        if (!status && b->short_leaves && b->n_levels > 1 && !l->n_touched && find_whole(b, n - i, time + i, leaf + i, count + i, &w)) {
            status = put_whole(b, &w, err);
            i += w.n;
            continue;
        }
        b->number = number;
        counts s = counts_of(l);
        uint32_t category = b->first_category, of_category = 0; /* one after the other is of the same, mostly */
        for (; i < n && time[i] < end; i++) {
            const bin_leaf *f = &leaves[leaf[i]];
            uint32_t of_it = count[i] & f->binned;
            if (!of_it)
                continue;
            if (f->category != category) {
                s.by[category] += of_category;
                category = f->category;
                of_category = 0;
            }
            of_category += of_it;
            add(&s, f->scope, of_it);
        }
        s.by[category] += of_category;
        l->n_touched = (uint32_t)s.n;
    }
    return status;
}

/* Counts of the thread that the widest bin `number` has so far. */
static uint64_t used_of(const hsc_store_bins *b, uint64_t number) {
    const level *l = &b->levels[0];
    uint64_t used = l->any && l->bin >> widest_shift(b) == number ? b->used : 0;
    for (uint32_t k = b->first_category; k < b->end && b->number >> widest_shift(b) == number; k++)
        used += l->by[k];
    return used;
}

/* What one of the widest bins has beyond 2^32 counts (at 10 kHz, five days of a thread) is in no bin: then the counts without that, else NULL.
 * Owned by the caller. */
static hsc_status cut_counts(hsc_store_bins *b, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count, uint32_t **cut,
                             hsc_err *err) {
    enum { TILE = 128 }; /* as compilers make vector code of */
    uint64_t all = b->put, left = 0, at = 0;
    for (; at + TILE <= n; at += TILE)
        for (unsigned k = 0; k < TILE; k++)
            all += count[at + k];
    for (; at < n; at++)
        all += count[at];
    b->put = all;
    *cut = NULL;
    if (all <= UINT32_MAX)
        return HSC_OK;
    if (!(*cut = malloc((n + 1) * sizeof **cut)))
        return no_memory(b->s, err);
    uint64_t widest = hsc_bin_width(b->bin, b->n_levels - 1), end = 0; /* of the one under way */
    for (uint64_t i = 0; i < n; i++) {
        if (time[i] >= end) {
            end = (time[i] / widest + 1) * widest;
            left = UINT32_MAX - (i ? 0 : used_of(b, time[i] / widest));
        }
        uint64_t room = b->leaves[leaf[i]].binned ? left : 0;
        (*cut)[i] = count[i] < room ? count[i] : (uint32_t)room;
        left -= (*cut)[i];
    }
    return HSC_OK;
}

void hsc_store_bins_begin_thread(hsc_store_bins *b) {
    for (unsigned k = 0; k < b->n_levels; k++)
        b->levels[k].indptr[b->done] = b->levels[k].rows;
    b->number = b->put = b->used = 0;
}

hsc_status hsc_store_bins_put(hsc_store_bins *b, uint64_t n, const uint32_t *time, const uint32_t *leaf,
                              const uint32_t *count, hsc_err *err) {
    uint32_t *cut = NULL;
    hsc_status status = cut_counts(b, n, time, leaf, count, &cut, err);
    if (!status)
        status = put_bins(b, n, time, leaf, cut ? cut : count, err);
    free(cut);
    return status;
}

hsc_status hsc_store_bins_end_thread(hsc_store_bins *b, hsc_err *err) {
    hsc_status status = end_first(b, err);
    for (unsigned k = 0; k < b->n_levels && !status; k++) {
        level *l = &b->levels[k];
        if (k && l->any)
            status = end_bin(b, k, err);
        l->any = false;
    }
    for (unsigned k = 0; k < b->n_levels && !status; k++) {
        level *l = &b->levels[k];
        status = begin_with_chunk(b, l, err);
        l->indptr[b->done + 1] = l->ends[b->done] = l->rows;
        if (!status)
            status = flush(l, k ? UINT64_MAX : HELD, err);
    }
    b->done++;
    return status;
}

/* ---- those of the database before ---- */

static void path_of(unsigned at, const char *name, char *path) { snprintf(path, PATH_BYTES, "/time/bins/%u%s%s", at, name[0] ? "/" : "", name); }

static bool read_level(const hsc_store_bins *b, unsigned k, uint64_t n, kept_level *to) {
    char path[PATH_BYTES];
    uint64_t width = 0;
    path_of(k, "", path);
    bool good = hsc_before_attribute(b->s->before, path, "width", 1, &width) == 1 && width == hsc_bin_width(b->bin, k);
    path_of(k, "indptr", path);
    good = good && hsc_before_count(b->s->before, path) == n + 1 && hsc_before_read(b->s->before, path, HSC_COLTYPE_U8, 0, n + 1, to->indptr) && !to->indptr[0];
    for (uint64_t i = 0; good && i < n; i++)
        good = to->indptr[i] <= to->indptr[i + 1];
    path_of(k, "count", path);
    good = good && hsc_before_count(b->s->before, path) == to->indptr[n];
    for (uint64_t i = 0; good && i < n; i++)
        to->ends[i] = to->indptr[i + 1];
    path_of(k, "end", path);
    if (good && H5Lexists(b->s->before, path, H5P_DEFAULT) > 0)
        good = hsc_before_count(b->s->before, path) == n && hsc_before_read(b->s->before, path, HSC_COLTYPE_U8, 0, n, to->ends);
    for (uint64_t i = 0; good && i < n; i++)
        good = to->indptr[i] <= to->ends[i] && to->ends[i] <= to->indptr[i + 1];
    path_of(k, "first", path);
    return good && hsc_before_read(b->s->before, path, HSC_COLTYPE_U4, 0, n, to->first);
}

hsc_status hsc_store_bins_begin_keep(hsc_store_bins *b, uint64_t n, bool *there, hsc_err *err) {
    char path[PATH_BYTES];
    path_of(b->n_levels, "", path);
    *there = H5Lexists(b->s->before, "/time/bins", H5P_DEFAULT) > 0 && H5Lexists(b->s->before, path, H5P_DEFAULT) <= 0;
    b->kept = calloc(b->n_levels + 1, sizeof *b->kept);
    if (!b->kept)
        return no_memory(b->s, err);
    for (unsigned k = 0; k < b->n_levels && *there; k++) {
        kept_level *to = &b->kept[k];
        to->indptr = malloc((n + 1) * sizeof *to->indptr);
        to->ends = malloc((n + 1) * sizeof *to->ends);
        to->first = malloc((n + 1) * sizeof *to->first);
        if (!to->indptr || !to->ends || !to->first)
            return no_memory(b->s, err);
        path_of(k, "", path);
        *there = H5Lexists(b->s->before, path, H5P_DEFAULT) > 0 && read_level(b, k, n, to);
    }
    return HSC_OK;
}

hsc_status hsc_store_bins_keep(hsc_store_bins *b, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (unsigned k = 0; k < b->n_levels && !status; k++) {
        level *l = &b->levels[k];
        const kept_level *from = &b->kept[k];
        uint64_t n = from->ends[b->done] - from->indptr[b->done], some = k ? n : HELD, gap = from->indptr[b->done] - l->rows;
        for (unsigned i = 0; i < SETS && !status; i++)
            status = hsc_out_stream_keep(l->sets[i], gap, err);
        l->rows += gap;
        l->indptr[b->done] = l->rows;
        l->has_own = l->has_own || n >= b->s->own_bins;
        for (uint64_t at = 0, m; at < n && !status; at += m) {
            m = n - at < some ? n - at : some;
            for (unsigned i = 0; i < SETS && !status; i++)
                status = hsc_out_stream_keep(l->sets[i], m, err);
        }
        l->first[b->done] = from->first[b->done];
        l->rows += n;
        l->indptr[b->done + 1] = l->ends[b->done] = l->rows;
    }
    b->done++;
    return status;
}

/* ---- a thread that grew ---- */

static void mark_level(const hsc_store_bins *b, const level *l, hsc_words *to) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < b->n_scopes; k++)
        n += l->by[k] != 0;
    const uint64_t head[] = {l->kept + l->n_held, l->any ? l->first[b->done] : 0, l->any, l->is_put, l->bin, n};
    for (unsigned i = 0; i < sizeof head / sizeof *head; i++)
        hsc_words_put(to, head[i]);
    for (uint32_t k = 0; k < b->n_scopes; k++)
        if (l->by[k])
            hsc_words_put(to, (uint64_t)b->rows[k] << 32 | l->by[k]);
    for (uint32_t k = b->first_category; k < b->end; k++)
        hsc_words_put(to, l->by[k]);
}

void hsc_store_bins_mark(const hsc_store_bins *b, hsc_words *to) {
    const uint64_t head[] = {b->n_levels, b->end - b->first_category, b->number, b->put, b->used};
    for (unsigned i = 0; i < sizeof head / sizeof *head; i++)
        hsc_words_put(to, head[i]);
    for (unsigned k = 0; k < b->n_levels; k++)
        mark_level(b, &b->levels[k], to);
}

/* The row now; HSC_NONE: none of the thread's, or none. */
static uint32_t row_now(const hsc_scope_rows *rows, uint32_t then) {
    uint64_t low = 0, high = rows->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rows->then[middle] < then)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows->n && rows->then[low] == then ? rows->now[low] : HSC_NONE;
}

/* Rows [first, first + n) of the database before into the level; false: they are not such. */
static bool read_rows(const hsc_store_bins *b, level *l, unsigned at, uint64_t first, uint32_t n, const hsc_scope_rows *rows) {
    static const char *const names[SETS] = {"count", "category", "category_count", "scope", "scope_count", "procedure", "procedure_count"};
    char path[PATH_BYTES];
    bool good = true;
    for (unsigned i = 0; i < SETS && good; i++) {
        path_of(at, names[i], path);
        good = i == CATEGORY ? hsc_before_read(b->s->before, path, HSC_COLTYPE_U1, first, n, l->categories) : hsc_before_read(b->s->before, path, HSC_COLTYPE_U4, first, n, l->held[i]);
    }
    uint32_t then = HSC_NONE, now = HSC_NONE;
    for (unsigned i = SCOPE; i <= PROCEDURE; i += PROCEDURE - SCOPE)
        for (uint32_t k = 0; k < n && good; k++) {
            if (l->held[i][k] == HSC_NONE)
                continue;
            now = l->held[i][k] == then ? now : row_now(rows, l->held[i][k]);
            then = l->held[i][k];
            l->held[i][k] = now;
            good = now != HSC_NONE;
        }
    return good;
}

static bool are_same(const hsc_scope_rows *rows) {
    bool same = true;
    for (uint64_t i = 0; i < rows->n; i++)
        same = same && rows->then[i] == rows->now[i];
    return same;
}

/* What the mark has of a level. */
static hsc_status go_on_level(hsc_store_bins *b, unsigned at, hsc_words *mark, uint32_t thread, const hsc_scope_rows *rows, bool *there, hsc_err *err) {
    level *l = &b->levels[at];
    const kept_level *from = &b->kept[at];
    uint64_t held = hsc_words_take(mark), first = hsc_words_take(mark);
    l->any = hsc_words_take(mark);
    l->is_put = hsc_words_take(mark);
    l->bin = hsc_words_take(mark);
    uint64_t n = hsc_words_take(mark);
    bool put = l->is_put || !at; /* of level 0 what was the last is a row */
    *there = !mark->failed && held <= from->ends[thread] - from->indptr[thread] && held < UINT32_MAX && n <= b->n_scopes &&
             (l->any ? first == from->first[thread] && l->bin >= first && l->bin <= b->run_end / hsc_bin_width(b->bin, at) && held == l->bin - first + put : !held && !l->is_put);
    l->kept_from = from->indptr[thread];
    l->kept = *there && held >= b->s->own_bins && l->kept_from % HSC_CHUNK_ROWS == 0 && are_same(rows) ? held / HSC_CHUNK_ROWS * HSC_CHUNK_ROWS : 0;
    while (*there && l->room < held - l->kept)
        if (!make_room(l))
            return no_memory(b->s, err);
    *there = *there && read_rows(b, l, at, l->kept_from + l->kept, (uint32_t)(held - l->kept), rows);
    for (uint64_t i = 0; i < n && *there; i++) {
        uint64_t word = hsc_words_take(mark);
        uint32_t row = row_now(rows, (uint32_t)(word >> 32)), low = 0, high = b->n_scopes;
        HSC_SEARCH(low, high, b->rows[low] < row);
        *there = !mark->failed && row != HSC_NONE && low < b->n_scopes && b->rows[low] == row && !l->by[low] && (uint32_t)word;
        if (!*there)
            break;
        l->by[low] = (uint32_t)word;
        l->touched[l->n_touched++] = low;
    }
    for (uint32_t k = b->first_category; k < b->end; k++)
        l->by[k] = (uint32_t)hsc_words_take(mark);
    *there = *there && !mark->failed;
    if (l->any)
        l->first[b->done] = (uint32_t)first;
    l->n_held = *there ? (uint32_t)(held - l->kept) : 0;
    l->rows += l->kept + l->n_held;
    return HSC_OK;
}

hsc_status hsc_store_bins_go_on(hsc_store_bins *b, hsc_words *mark, uint32_t thread, const hsc_scope_rows *scopes, bool *there, hsc_err *err) {
    hsc_store_bins_begin_thread(b);
    hsc_status status = HSC_OK;
    *there = hsc_words_take(mark) == b->n_levels && hsc_words_take(mark) == b->end - b->first_category;
    b->number = hsc_words_take(mark);
    b->put = hsc_words_take(mark);
    b->used = hsc_words_take(mark);
    *there = *there && !mark->failed && b->number <= b->run_end / b->bin && b->used <= b->put;
    for (unsigned k = 0; k < b->n_levels && *there && !status; k++)
        status = go_on_level(b, k, mark, thread, scopes, there, err);
    return status;
}

/* ---- end ---- */

hsc_status hsc_store_bins_end(hsc_store_bins *b, hsc_err *err) {
    static const hsc_out_notes by_thread = {.description = "where each thread's begin, and the end"}, ends = {.description = "where each thread's end; what lies between that and the next one's begin is empty"},
                               first = {.description = "number of the thread's first bin"};
    hsc_status status = HSC_OK;
    for (unsigned k = 0; k < b->n_levels && !status; k++) {
        level *l = &b->levels[k];
        for (unsigned i = 0; i < SETS && !status; i++) {
            hsc_out_stream *set = l->sets[i];
            l->sets[i] = NULL;
            status = hsc_out_stream_close(set, err);
        }
        if (!status)
            status = hsc_out_set(b->s->out, l->group, "indptr", HSC_COLTYPE_U8, 0, l->indptr, b->threads + 1,
                                 &by_thread, NULL, err);
        if (!status && l->has_own)
            status = hsc_out_set(b->s->out, l->group, "end", HSC_COLTYPE_U8, 0, l->ends, b->threads, &ends, NULL, err);
        if (!status)
            status =
                hsc_out_set(b->s->out, l->group, "first", HSC_COLTYPE_U4, 0, l->first, b->threads, &first, NULL, err);
    }
    return status;
}
