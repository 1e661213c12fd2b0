/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bins for pictures: exact maxima and sums over any rising row ranges and any grouping of the processors.
 *
 * A row range is cut into whole blocks of the coarsest levels that fit, finer ones towards its ends, and single rows at
 * the ends, each where that is cheaper than the rows; so the answer is exact and the work is bounded by the bins and the
 * processors, not by the rows. Levels have every processor by itself, because any grouping may be asked for; tiles have them in groups,
 * and are taken where no group is cut. */
#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP_NNZ = 4096 }; /* values that are read for nothing rather than read twice */

typedef struct binner {
    hsc_source s;
    hsc_db_reduce reduce;
    bool by_row;              /* a cell is a sum over threads: rows must be added up one by one */
    const uint32_t *bin_of;   /* by column of the rows; column_bins: left out */
    const uint32_t *level_bin_of, *tile_bin_of; /* by column of the levels, by group of them: tile_bin_of NULL where one is cut */
    uint32_t column_bins, *tiles; /* tiles: of tile_bin_of */
    double *bins;             /* of the row bin under way, and one for what is left out */
    double *dense;            /* by process, where by_row */
    uint32_t *touched;
    hsc_cursor rows, *level_cursors;
    hsc_block rows_block, *level_blocks; /* read ahead for bins that follow one another */
    bool pieces;              /* of an interval, rows are made as they are needed */
    hsc_interval_rows made;
    struct {
        uint64_t block;
        const hsc_level *of;
        const uint32_t *bin_of; /* by its column */
    } levels[2 * HSC_LEVELS_MAX]; /* rising blocks */
    unsigned n_levels;
    uint64_t level_cost; /* the database's; by row no value of a level costs more than one of the rows */
    struct {
        uint64_t values, pieces, first, last; /* blocks [first, last) from the first to the last one taken */
    } taken[2 * HSC_LEVELS_MAX]; /* that the bins will take of each */
} binner;

static void add(const binner *b, uint32_t bin, double v) {
    if (b->reduce == HSC_REDUCE_SUM)
        b->bins[bin] += v;
    else if (v > b->bins[bin])
        b->bins[bin] = v;
}

/* Rows [first, last) of a block that was read. bin_of: by its columns. */
static void add_block(binner *b, const hsc_block *block, const uint32_t *bin_of, uint64_t first, uint64_t last) {
    uint64_t base = hsc_ends_at(block->indptr, 0);
    uint64_t k = hsc_ends_at(block->indptr, first - block->first) - base, end = hsc_ends_at(block->indptr, last - block->first) - base;
    const uint32_t *indices = block->indices, *counts = block->counts;
    double *bins = b->bins;
    if (block->reduced && b->reduce == HSC_REDUCE_SUM) {
        for (; k < end; k++)
            bins[bin_of[indices[k]]] += (double)block->reduced[k];
    } else if (block->reduced) {
        const uint64_t *reduced = block->reduced;
        for (; k < end; k++) { /* without a branch: which is larger is as good as random */
            double *bin = &bins[bin_of[indices[k]]], v = (double)reduced[k];
            *bin = v > *bin ? v : *bin;
        }
    } else if (b->by_row) { /* processes: add up the threads of each row, then reduce */
        const uint32_t *process = b->s.column_of;
        for (uint64_t r = first; r < last; r++) {
            uint32_t n = 0;
            end = hsc_ends_at(block->indptr, r + 1 - block->first) - base;
            for (; k < end; k++) {
                uint32_t p = process[indices[k]];
                if (b->dense[p] == 0)
                    b->touched[n++] = p;
                b->dense[p] += counts[k];
            }
            for (uint32_t i = 0; i < n; i++) {
                add(b, bin_of[b->touched[i]], b->dense[b->touched[i]]);
                b->dense[b->touched[i]] = 0;
            }
        }
    } else if (b->reduce == HSC_REDUCE_SUM)
        for (; k < end; k++)
            bins[bin_of[indices[k]]] += counts[k];
    else
        for (; k < end; k++) {
            double *bin = &bins[bin_of[indices[k]]];
            *bin = counts[k] > *bin ? counts[k] : *bin;
        }
}

/* What of a level is taken lies close together: it is read in one go. */
static bool is_close(const binner *b, unsigned level) {
    return hsc_ends_between(b->levels[level].of->rows.indptr, b->taken[level].first, b->taken[level].last) <= 2 * b->taken[level].values;
}

/* Blocks [first, last) of a level. */
static hsc_status add_level(binner *b, unsigned level, uint64_t first, uint64_t last, hsc_err *err) {
    hsc_cursor *c = &b->level_cursors[level];
    hsc_block *block = &b->level_blocks[level];
    while (first < last) {
        if (first < block->first || first >= block->first + block->n) {
            c->next = first;
            c->last = c->most ? c->m->rows : is_close(b, level) ? b->taken[level].last : last;
            hsc_status status = hsc_cursor_read(c, block, err);
            if (status)
                return status;
        }
        uint64_t end = block->first + block->n, until = last < end ? last : end;
        add_block(b, block, b->levels[level].bin_of, first, until);
        first = until;
    }
    return HSC_OK;
}

static hsc_status next_rows(binner *b, uint64_t first, uint64_t last, hsc_err *err) {
    if (!b->pieces) {
        b->rows.next = first;
        b->rows.last = last;
        return hsc_cursor_read(&b->rows, &b->rows_block, err);
    }
    uint64_t most = b->s.db->piece_rows, n = last - first < most ? last - first : most;
    hsc_interval_rows_free(&b->made);
    b->rows_block.n = 0;
    hsc_status status = hsc_interval_read(b->s.db, b->s.v, first, n, &b->made, err);
    if (!status)
        b->rows_block = (hsc_block){.first = first, .n = n, .indptr = {.wide = b->made.indptr}, .indices = b->made.indices, .counts = b->made.counts};
    return status;
}

/* ahead: end of the rows that will be asked for. */
static hsc_status add_rows(binner *b, uint64_t first, uint64_t last, uint64_t ahead, hsc_err *err) {
    while (first < last) {
        if (first < b->rows_block.first || first >= b->rows_block.first + b->rows_block.n) {
            hsc_status status = next_rows(b, first, ahead > last ? ahead : last, err);
            if (status)
                return status;
        }
        uint64_t end = b->rows_block.first + b->rows_block.n, until = last < end ? last : end;
        add_block(b, &b->rows_block, b->bin_of, first, until);
        first = until;
    }
    return HSC_OK;
}

enum { PIECE_NNZ = 2048 }; /* values that cost as much as one more piece to read */
enum { READ_COST = 4 };    /* a value is added up so many times while one is read */

/* The coarsest of the levels below `level` whose blocks in rows [first, last) cost less than the rows themselves; blocks *low to
 * *high of it. n_levels: none. */
static unsigned choose_level(const binner *b, unsigned level, uint64_t first, uint64_t last, uint64_t *low, uint64_t *high) {
    hsc_ends indptr = b->s.v->by_row.indptr;
    while (level-- > 0) {
        uint64_t block = b->levels[level].block;
        *low = (first + block - 1) / block;
        *high = last / block;
        if (*low < *high && hsc_ends_between(b->levels[level].of->rows.indptr, *low, *high) * b->level_cost <= hsc_ends_between(indptr, *low * block, *high * block))
            return level;
    }
    return b->n_levels;
}

/* What rows [first, last) cost, from levels below `level` where they are cheaper; counts what is taken of each. */
static uint64_t count_range(binner *b, unsigned level, uint64_t first, uint64_t last) {
    hsc_ends indptr = b->s.v->by_row.indptr;
    uint64_t low, high, block;
    unsigned k = choose_level(b, level, first, last, &low, &high);
    if (first >= last)
        return 0;
    if (k >= b->n_levels)
        return hsc_ends_between(indptr, first, last) + PIECE_NNZ;
    block = b->levels[k].block;
    uint64_t n = hsc_ends_between(b->levels[k].of->rows.indptr, low, high);
    b->taken[k].first = b->taken[k].pieces && b->taken[k].first < low ? b->taken[k].first : low;
    b->taken[k].last = b->taken[k].pieces && b->taken[k].last > high ? b->taken[k].last : high;
    b->taken[k].values += n;
    b->taken[k].pieces++;
    return n * b->level_cost + count_range(b, k, first, low * block) + count_range(b, k, high * block, last);
}

/* Rows [first, last) from levels below `level` where they are cheaper, single rows at the ends. */
static hsc_status add_range(binner *b, unsigned level, uint64_t first, uint64_t last, hsc_err *err) {
    uint64_t low, high;
    if (first >= last)
        return HSC_OK;
    unsigned k = choose_level(b, level, first, last, &low, &high);
    if (k >= b->n_levels)
        return add_rows(b, first, last, last, err);
    uint64_t block = b->levels[k].block;
    hsc_status status = add_range(b, k, first, low * block, err);
    if (!status)
        status = add_level(b, k, low, high, err);
    return status ? status : add_range(b, k, high * block, last, err);
}

/* Values of a level that have to be read for what is taken of it. */
static uint64_t count_read(const binner *b, unsigned level) {
    uint64_t values = b->taken[level].values, nnz = b->levels[level].of->rows.nnz;
    if (b->level_cursors[level].values->whole)
        return 0;
    return values > nnz / 8 ? nnz : is_close(b, level) ? 2 * values : values + b->taken[level].pieces * PIECE_NNZ;
}

/* What the bins cost, *reading of it to read. */
static uint64_t count_all(binner *b, uint32_t row_bins, const uint32_t *row_lo, const uint32_t *row_hi, uint64_t *reading) {
    uint64_t cost = 0;
    *reading = 0;
    memset(b->taken, 0, sizeof b->taken);
    for (uint32_t i = 0; i < row_bins && b->n_levels; i++)
        if (row_lo[i] < row_hi[i])
            cost += count_range(b, b->n_levels, row_lo[i], row_hi[i]);
    for (unsigned k = 0; k < b->n_levels; k++)
        *reading += b->taken[k].values ? READ_COST * count_read(b, k) : 0;
    return cost + *reading;
}

/* Leaves out the coarsest levels that would be read only to save values of a finer one: to read costs more than to add up. What is there already
 * is used. The cost of what is left, without reading. */
static uint64_t leave_out_levels(binner *b, uint32_t row_bins, const uint32_t *row_lo, const uint32_t *row_hi) {
    uint64_t reading, cost = count_all(b, row_bins, row_lo, row_hi, &reading);
    while (b->n_levels > 1 && !b->level_cursors[b->n_levels - 1].values->whole) {
        b->n_levels--;
        uint64_t reading_without, without = count_all(b, row_bins, row_lo, row_hi, &reading_without);
        if (without > cost) {
            b->n_levels++;
            cost = count_all(b, row_bins, row_lo, row_hi, &reading);
            break;
        }
        cost = without;
        reading = reading_without;
    }
    return cost - reading;
}

/* A level of which much will be taken is kept, as many pictures are made of the same values; but a large one the first time only passed
 * through in pieces, as most are wanted once: at the start, when memory that is not used yet costs more than to read it once more. */
static hsc_status keep_level(const binner *b, hsc_cursor *c, hsc_err *err) {
    hsc_array *values = c->values;
    if (!values->whole && !values->passed && c->m->bands < 2 && c->m->nnz / 4 >= b->s.db->pass_nnz) {
        values->passed = true;
        c->most = b->s.db->pass_nnz;
        return HSC_OK;
    }
    hsc_status status = hsc_array_keep(b->s.db, &c->m->indices, err);
    return status ? status : hsc_array_keep(b->s.db, values, err);
}

/* Whether levels make the bins cheaper. */
static hsc_status use_levels(binner *b, uint32_t row_bins, const uint32_t *row_lo, const uint32_t *row_hi, uint64_t wanted, bool *use,
                             hsc_err *err) {
    hsc_status status = HSC_OK;
    uint64_t cost = leave_out_levels(b, row_bins, row_lo, row_hi);
    for (unsigned k = 0; k < b->n_levels; k++)
        if (b->taken[k].values <= b->levels[k].of->rows.nnz / 8 && !is_close(b, k))
            cost += b->taken[k].pieces * PIECE_NNZ;
    *use = b->n_levels && (cost < wanted || !b->level_cost);
    for (unsigned k = 0; k < b->n_levels && *use && !status; k++) {
        uint64_t nnz = b->levels[k].of->rows.nnz;
        hsc_array *values = b->level_cursors[k].values;
        if (b->taken[k].values <= nnz / 8 && !values->whole)
            values->taken += b->taken[k].values;
        if (b->taken[k].values > nnz / 8 || values->taken > nnz / 2) /* or was in pieces, so that it would have paid to keep it */
            status = keep_level(b, &b->level_cursors[k], err);
    }
    return status;
}

/* Contexts with their subtrees: a row is a sum over rows, so each is made by itself. */
static hsc_status subtree_bins(hsc_db *db, hsc_db_view view, binner *b, uint32_t row_bins, const uint32_t *row_lo,
                               const uint32_t *row_hi, float *out, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < row_bins && !status; i++) {
        memset(b->bins, 0, b->column_bins * sizeof *b->bins);
        for (uint64_t r = row_lo[i]; r < row_hi[i] && !status; r++) {
            uint64_t indptr[2];
            uint32_t *indices = NULL;
            float *values = NULL;
            status = hsc_db_read_sparse(db, view, r, 1, indptr, &indices, &values, err);
            for (uint64_t k = 0; !status && k < indptr[1]; k++)
                add(b, b->bin_of[indices[k]], values[k]);
            free(indices);
            free(values);
        }
        for (uint32_t c = 0; c < b->column_bins; c++)
            out[(uint64_t)i * b->column_bins + c] = row_lo[i] < row_hi[i] ? (float)b->bins[c] : NAN;
    }
    return status;
}

/* Bins of groups of columns, where each group is in one; false: no memory. */
static bool group_bins(binner *b, hsc_db_axis axis, const uint32_t *column_bin) {
    uint32_t columns = hsc_db_get_columns(b->s.db, axis);
    for (uint32_t c = 0; c < columns; c++)
        if (column_bin[c] != column_bin[c - c % HSC_TILE_COLUMNS])
            return true;
    b->tiles = malloc((columns / HSC_TILE_COLUMNS + 1) * sizeof *b->tiles);
    for (uint32_t c = 0; b->tiles && c < columns; c += HSC_TILE_COLUMNS)
        b->tiles[c / HSC_TILE_COLUMNS] = column_bin[c] == HSC_NONE ? b->column_bins : column_bin[c];
    b->tile_bin_of = b->tiles;
    return b->tiles != NULL;
}

/* Levels by rising blocks: of tiles where they can be taken, which have fewer values, and of others. */
static hsc_status find_levels(binner *b, hsc_db_axis axis, hsc_err *err) {
    const hsc_level *levels, *tiles = NULL;
    unsigned n, n_tiles = 0;
    hsc_status status = hsc_source_levels(&b->s, axis, &levels, &n, err);
    if (!status && b->tile_bin_of)
        status = hsc_source_levels(&b->s, HSC_LEVELS_OF_TILES + axis, &tiles, &n_tiles, err);
    for (unsigned i = 0, k = 0; !status && (i < n || k < n_tiles);) {
        bool is_tile = k < n_tiles && (i == n || tiles[k].block <= levels[i].block);
        const hsc_level *l = is_tile ? &tiles[k++] : &levels[i++];
        if (is_tile && i < n && levels[i].block == l->block)
            i++;
        b->levels[b->n_levels].block = l->block;
        b->levels[b->n_levels].of = l;
        b->levels[b->n_levels++].bin_of = is_tile ? b->tile_bin_of : b->level_bin_of;
    }
    return status;
}

/* What is asked for, and where the reading of it stands. */
struct hsc_db_bins {
    binner b;
    hsc_db *db;
    hsc_db_view view;
    uint32_t row_bins, next, run_bin; /* next: the bin to make; run_bin: the first one after a run of rows that are read in one go */
    uint64_t run;                     /* where the run ends */
    uint32_t *row_lo, *row_hi;
    uint32_t *column_bin, *bin_of; /* by column of the view; by column of the rows and of the levels */
    uint64_t change;               /* db->values_change when the tables were found */
    bool found, levels;            /* found: the tables were; levels: they make it cheaper */
};

/* Nothing of the database is touched. */
static void free_found(struct hsc_db_bins *q) {
    binner *b = &q->b;
    hsc_interval_rows_free(&b->made);
    free(b->rows.indices);
    free(b->rows.scratch);
    free(b->rows.pieces);
    for (unsigned i = 0; i < b->n_levels && b->level_cursors; i++) {
        free(b->level_cursors[i].indices);
        free(b->level_cursors[i].scratch);
        free(b->level_cursors[i].pieces);
    }
    free(b->level_cursors);
    free(b->level_blocks);
    free(b->tiles);
    free(b->dense);
    free(b->touched);
    free(b->bins);
    free(q->bin_of);
    q->bin_of = NULL;
    *b = (binner){.reduce = b->reduce, .column_bins = b->column_bins};
    q->found = false;
}

/* The room of the cursors is for the next ones of the database. */
static void hand_back_room(struct hsc_db_bins *q) {
    binner *b = &q->b;
    hsc_cursor_fini(&b->rows);
    for (unsigned i = 0; i < b->n_levels && b->level_cursors; i++)
        hsc_cursor_fini(&b->level_cursors[i]);
}

/* Rows and levels, and what is cheapest for the bins from `next` on. */
static hsc_status find_tables(struct hsc_db_bins *q, hsc_err *err) {
    hsc_db *db = q->db;
    binner *b = &q->b;
    const uint32_t *column_bin = q->column_bin;
    uint32_t n = q->row_bins - q->next, *row_lo = q->row_lo + q->next, *row_hi = q->row_hi + q->next;
    hsc_status status = hsc_source_find(db, q->view, &b->s, err);
    b->pieces = !status && db->interval && hsc_interval_is_direct(q->view.table) && !b->s.v->by_row.present;
    if (!status && !b->pieces)
        status = hsc_source_rows(&b->s, err);
    if (status)
        return status;
    for (uint32_t i = q->next; i < q->row_bins; i++)
        if (q->row_lo[i] < q->row_hi[i] && q->row_hi[i] > b->s.rows)
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: row bin %u is not a rising range of the table's rows", db->path, i);
    b->bins = calloc((uint64_t)b->column_bins + 1, sizeof *b->bins);
    /* sums of sums: threads straight to bins */
    bool by_thread = b->s.column_of && b->reduce == HSC_REDUCE_SUM && !b->s.subtree;
    uint32_t columns = by_thread ? b->s.threads : b->s.columns, *bin_of;
    q->bin_of = bin_of = malloc(((uint64_t)columns + b->s.columns + 1) * sizeof *bin_of); /* of what rows and what levels have columns for */
    if (!b->bins || !bin_of)
        goto memory;
    for (uint32_t c = 0; c < columns + b->s.columns; c++) {
        bin_of[c] = column_bin[c >= columns ? c - columns : by_thread ? b->s.column_of[c] : c];
        if (bin_of[c] == HSC_NONE)
            bin_of[c] = b->column_bins;
    }
    b->bin_of = bin_of;
    b->level_bin_of = bin_of + columns;
    q->found = true;
    q->change = db->values_change;
    q->run_bin = q->next;
    if (b->s.subtree)
        return HSC_OK;
    hsc_db_axis level_axis = b->s.column_of ? HSC_AXIS_PROCESS : HSC_AXIS_THREAD;
    if (!group_bins(b, level_axis, column_bin))
        goto memory;
    status = find_levels(b, level_axis, err);
    if (status)
        return status;
    if (b->s.column_of && !by_thread) {
        b->by_row = true;
        b->dense = calloc((uint64_t)b->s.columns + 1, sizeof *b->dense);
        b->touched = malloc(((uint64_t)b->s.columns + 1) * sizeof *b->touched);
        if (!b->dense || !b->touched)
            goto memory;
    }
    b->level_cursors = calloc(b->n_levels + 1, sizeof *b->level_cursors);
    b->level_blocks = calloc(b->n_levels + 1, sizeof *b->level_blocks);
    if (!b->level_cursors || !b->level_blocks)
        goto memory;
    b->level_cost = b->by_row && db->level_cost ? 1 : db->level_cost;
    hsc_cursor_init(&b->rows, db, &b->s.v->by_row, &b->s.v->by_row.data);
    for (unsigned i = 0; i < b->n_levels; i++) {
        hsc_sparse *m = (hsc_sparse *)&b->levels[i].of->rows;
        hsc_cursor_init(&b->level_cursors[i], db, m, b->reduce == HSC_REDUCE_SUM ? &m->sum : &m->max);
    }
    uint64_t wanted = 0;
    for (uint32_t i = 0; i < n; i++)
        if (row_lo[i] < row_hi[i] && !b->pieces)
            wanted += hsc_ends_between(b->s.v->by_row.indptr, row_lo[i], row_hi[i]);
    q->levels = false;
    return b->pieces ? HSC_OK : use_levels(b, n, row_lo, row_hi, wanted, &q->levels, err);
memory:
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

/* Blocks that were not copied may have been given back since they were read. */
static void look_again(hsc_block *block, const hsc_cursor *c) {
    if (block->n && (block->indices != c->indices || (const void *)(block->reduced ? (const void *)block->reduced : block->counts) != c->scratch))
        block->n = 0;
}

static hsc_status check_axis(const hsc_db *db, hsc_db_view view, hsc_err *err) {
    return view.axis == HSC_AXIS_NODE ? hsc_err_set(err, HSC_E_ARGUMENT, "%s: there are no bins of nodes", db->path) : HSC_OK;
}

hsc_status hsc_db_begin_bins(hsc_db *db, hsc_db_view view, hsc_db_reduce reduce, uint32_t row_bins, const uint32_t *row_lo, const uint32_t *row_hi,
                             uint32_t column_bins, const uint32_t *column_bin, hsc_db_bins **out, hsc_err *err) {
    uint32_t columns = hsc_db_get_columns(db, view.axis);
    hsc_status status = check_axis(db, view, err);
    if (status)
        return status;
    for (uint32_t c = 0; c < columns; c++)
        if (column_bin[c] != HSC_NONE && column_bin[c] >= column_bins)
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: bin %u of column %u asked for, there are %u bins", db->path, column_bin[c],
                               c, column_bins);
    for (uint32_t i = 1; i < row_bins; i++)
        if (row_lo[i] < row_hi[i] && row_lo[i] < row_hi[i - 1])
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: row bin %u is not a rising range of the table's rows", db->path, i);
    struct hsc_db_bins *q = calloc(1, sizeof *q);
    uint32_t *lists = malloc((2 * (uint64_t)row_bins + columns + 1) * sizeof *lists);
    if (!q || !lists) {
        free(q);
        free(lists);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    }
    *q = (struct hsc_db_bins){.b = {.reduce = reduce, .column_bins = column_bins}, .db = db, .view = view, .row_bins = row_bins,
                              .row_lo = lists, .row_hi = lists + row_bins, .column_bin = lists + 2 * (uint64_t)row_bins};
    memcpy(q->row_lo, row_lo, row_bins * sizeof *row_lo);
    memcpy(q->row_hi, row_hi, row_bins * sizeof *row_hi);
    memcpy(q->column_bin, column_bin, columns * sizeof *column_bin);
    *out = q;
    return HSC_OK;
}

/* The bin `next`. */
static hsc_status read_bin(struct hsc_db_bins *q, float *to, hsc_err *err) {
    binner *b = &q->b;
    uint32_t i = q->next, lo = q->row_lo[i], hi = q->row_hi[i];
    if (b->s.subtree)
        return subtree_bins(q->db, q->view, b, 1, &q->row_lo[i], &q->row_hi[i], to, err);
    if (lo >= hi) {
        for (uint32_t c = 0; c < b->column_bins; c++)
            to[c] = NAN;
        return HSC_OK;
    }
    memset(b->bins, 0, b->column_bins * sizeof *b->bins);
    if (!q->levels && i >= q->run_bin) /* bins that follow one another closely are read in one go */
        for (q->run = hi, q->run_bin = i + 1; q->run_bin < q->row_bins; q->run_bin++) {
            uint32_t from = q->row_lo[q->run_bin];
            if (from >= q->row_hi[q->run_bin])
                continue;
            if (b->pieces ? from - q->run > q->db->piece_rows / 4 : hsc_ends_between(b->s.v->by_row.indptr, q->run, from) > GAP_NNZ)
                break;
            q->run = q->row_hi[q->run_bin];
        }
    hsc_status status = q->levels ? add_range(b, b->n_levels, lo, hi, err) : add_rows(b, lo, hi, q->run, err);
    for (uint32_t c = 0; c < b->column_bins; c++)
        to[c] = (float)b->bins[c];
    return status;
}

hsc_status hsc_db_go_on_bins(hsc_db_bins *q, uint32_t n, float *out, hsc_err *err) {
    binner *b = &q->b;
    hsc_status status = HSC_OK;
    if (n > q->row_bins - q->next)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: %u row bins asked for, there are %u more", q->db->path, n, q->row_bins - q->next);
    if (q->found && (q->db->interval || q->change != q->db->values_change)) /* the tables may have gone */
        free_found(q);
    if (!q->found && (status = find_tables(q, err)) != HSC_OK)
        free_found(q);
    if (!status && !b->pieces && !b->s.subtree) {
        look_again(&b->rows_block, &b->rows);
        for (unsigned k = 0; k < b->n_levels; k++)
            look_again(&b->level_blocks[k], &b->level_cursors[k]);
    }
    for (uint32_t k = 0; k < n && !status; k++) {
        status = read_bin(q, out + (uint64_t)k * b->column_bins, err);
        q->next += !status;
    }
    if (!status && q->next == q->row_bins)
        hand_back_room(q);
    return status;
}

void hsc_db_end_bins(hsc_db_bins *q) {
    if (!q)
        return;
    free_found(q);
    free(q->row_lo);
    free(q);
}

hsc_status hsc_db_read_bins(hsc_db *db, hsc_db_view view, hsc_db_reduce reduce, uint32_t row_bins, const uint32_t *row_lo,
                            const uint32_t *row_hi, uint32_t column_bins, const uint32_t *column_bin, float *out,
                            hsc_err *err) {
    hsc_db_bins *q = NULL;
    hsc_status status = hsc_db_begin_bins(db, view, reduce, row_bins, row_lo, row_hi, column_bins, column_bin, &q, err);
    if (!status && row_bins)
        status = hsc_db_go_on_bins(q, row_bins, out, err);
    if (status && q && q->found)
        hand_back_room(q);
    hsc_db_end_bins(q);
    return status;
}

/* The largest block of the levels of a kind, at most `most`; *step where it has none larger. */
static hsc_status add_step(hsc_source *s, unsigned kind, uint64_t most, uint32_t *step, hsc_err *err) {
    const hsc_level *levels;
    unsigned n;
    hsc_status status = hsc_source_levels(s, kind, &levels, &n, err);
    for (unsigned i = 0; !status && i < n && levels[i].block <= most; i++)
        *step = levels[i].block > *step ? (uint32_t)levels[i].block : *step;
    return status;
}

hsc_status hsc_db_get_row_step(hsc_db *db, hsc_db_view view, uint64_t most, uint32_t *step, hsc_err *err) {
    hsc_source s;
    uint32_t found = 1;
    hsc_status status = check_axis(db, view, err);
    if (!status)
        status = hsc_source_find(db, view, &s, err);
    unsigned axis = status || !s.column_of ? HSC_AXIS_THREAD : HSC_AXIS_PROCESS;
    if (!status && !s.subtree)
        status = add_step(&s, axis, most, &found, err);
    if (!status && !s.subtree)
        status = add_step(&s, HSC_LEVELS_OF_TILES + axis, most, &found, err);
    if (!status)
        *step = found;
    return status;
}

hsc_status hsc_db_get_column_step(hsc_db *db, hsc_db_view view, uint32_t *step, hsc_err *err) {
    hsc_source s;
    const hsc_level *levels;
    unsigned n = 0;
    hsc_status status = check_axis(db, view, err);
    if (!status)
        status = hsc_source_find(db, view, &s, err);
    if (!status && !s.subtree)
        status = hsc_source_levels(&s, HSC_LEVELS_OF_TILES + (s.column_of ? HSC_AXIS_PROCESS : HSC_AXIS_THREAD), &levels, &n, err);
    if (!status)
        *step = n ? HSC_TILE_COLUMNS : 1;
    return status;
}
