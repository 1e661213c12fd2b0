/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the values of rows are spread over processors, and the intervals of numbers that were sampled. */
#include "report_elapsed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double report_quantile_levels[REPORT_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

static hsc_status out_of_memory(hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "out of memory"); }

double report_dispersion(const report_spread *p, double squares) {
    return p->mean > 0 ? squares / (p->mean + (p->columns ? p->excess / p->columns : 0)) : 0;
}

/* Leaves of the r->touched columns, of which there are *touched, those of a program. */
static void drop_others(report *r, uint32_t program, uint32_t *touched) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *touched; i++) {
        uint32_t c = r->touched[i];
        if (r->program_of[c] == program)
            r->touched[kept++] = c;
        else
            r->dense[c] = r->dense_excess[c] = 0;
    }
    *touched = kept;
}

/* Narrows the spread to the columns of the programs that the touched columns are of, or of `program`; tells the threads that libraries made for
 * themselves, which have nothing of it. */
static void keep_programs(report *r, report_spread *p, uint32_t program, uint32_t touched, uint32_t *gap) {
    const bool *helpers = report_helpers(r);
    bool by_program = r->program_of && (touched || program != HSC_NONE);
    uint32_t columns = 0, next = 0;
    p->programs = 1;
    p->worker_gap = HSC_NONE;
    if (!by_program && !helpers && !r->stands_for)
        return;
    if (by_program) {
        p->programs = program != HSC_NONE;
        if (program != HSC_NONE)
            r->program_met[program] = 1;
    }
    for (uint32_t i = 0; i < touched && by_program; i++) {
        uint8_t *met = &r->program_met[r->program_of[r->touched[i]]];
        p->programs += !*met;
        *met = 1;
    }
    *gap = HSC_NONE;
    for (uint32_t c = 0; c < r->columns; c++) {
        bool has = next < touched && r->touched[next] == c, helps = helpers && helpers[c];
        next += has;
        if ((by_program && !r->program_met[r->program_of[c]]) || (r->stands_for && r->stands_for[c] != c))
            continue;
        columns++;
        if (!has && *gap == HSC_NONE)
            *gap = c;
        if (!has && !helps && p->worker_gap == HSC_NONE)
            p->worker_gap = c;
        p->idle_helpers += !has && helps;
    }
    if (by_program)
        memset(r->program_met, 0, r->programs);
    p->columns = columns;
}

/* Narrows the spread to the nodes that the program had processes on. */
static void keep_nodes(report *r, report_spread *p, uint32_t program, uint32_t touched, uint32_t *gap) {
    hsc_db_process process;
    uint32_t next = 0;
    p->programs = 1;
    p->worker_gap = *gap = HSC_NONE;
    p->columns = 0;
    for (uint32_t i = 0; i < r->info.processes; i++)
        if (r->process_program[i] == program && !hsc_db_get_process(r->db, i, &process, NULL))
            r->program_met[process.node] = 1;
    for (uint32_t c = 0; c < r->columns; c++) {
        const bool has = next < touched && r->touched[next] == c;
        next += has;
        p->columns += r->program_met[c];
        if (r->program_met[c] && !has && *gap == HSC_NONE)
            p->worker_gap = *gap = c;
    }
    memset(r->program_met, 0, r->columns);
}

/* Of one program alone, by node: are values of processes to be added up? Those of nodes are of all programs. */
static bool wants_processes(const report *r, uint32_t program) { return r->axis == HSC_AXIS_NODE && program != HSC_NONE && r->programs > 1; }

/* The column of a value; HSC_NONE: of another program than `program`. */
static uint32_t column_of(const report *r, uint32_t index, uint32_t program) {
    hsc_db_process p;
    if (wants_processes(r, program))
        return r->process_program[index] == program && !hsc_db_get_process(r->db, index, &p, NULL) ? p.node : HSC_NONE;
    return r->stands_for ? r->stands_for[index] : index;
}

/* Adds the values of the rows to dense[column]; columns not met before go to r->touched. */
static hsc_status add_rows(report *r, uint32_t metric, hsc_db_table table, const report_range *rows, uint32_t program, double scale, double *dense,
                           uint32_t *touched, hsc_err *err) {
    const hsc_db_axis axis = wants_processes(r, program) ? HSC_AXIS_PROCESS : r->axis;
    enum { ROWS = 1024 };
    uint64_t indptr[ROWS + 1];
    hsc_status status = HSC_OK;
    for (uint64_t row = 0; row < rows->n && !status; row += ROWS) {
        uint64_t some = rows->n - row < ROWS ? rows->n - row : ROWS;
        uint32_t *indices = NULL;
        float *values = NULL;
        status = hsc_db_read_sparse(r->db, (hsc_db_view){metric, table, axis}, rows->first + row, some, indptr, &indices, &values, err);
        for (uint64_t i = 0; !status && i < indptr[some]; i++) {
            uint32_t c = column_of(r, indices[i], program);
            if (c == HSC_NONE)
                continue;
            if (touched && values[i] > 0 && !(dense[c] > 0))
                r->touched[(*touched)++] = c;
            dense[c] += (double)values[i] * scale;
        }
        free(indices);
        free(values);
    }
    return status;
}

/* Of the rows that are wanted, of as many in a row at once as there are. */
static hsc_status add_wanted(report *r, hsc_db_table table, uint32_t rows, bool (*wanted)(const report *, uint32_t), uint32_t *touched, hsc_err *err) {
    hsc_status status = HSC_OK;
    report_range some = {0};
    for (uint32_t i = 0; i <= rows && !status; i++) {
        if (i < rows && wanted(r, i)) {
            some.first = some.n++ ? some.first : i;
            continue;
        }
        if (some.n)
            status = add_rows(r, r->metric, table, &some, HSC_NONE, 1, r->dense, touched, err);
        if (some.n && !status && r->unit.weights != HSC_NONE)
            status = add_rows(r, r->unit.weights, table, &some, HSC_NONE, 1, r->dense_excess, NULL, err);
        some.n = 0;
    }
    return status;
}

hsc_status report_read_processors(report *r, float *all, float *excess, hsc_err *err) {
    uint32_t touched = 0;
    hsc_status status = HSC_OK;
    if (!r->columns)
        return HSC_OK;
    if (!r->where) {
        status = hsc_db_read_block(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_INCL, r->axis}, 0, 1, 0, r->columns, all, err);
        if (!status && r->unit.weights != HSC_NONE)
            status = hsc_db_read_block(r->db, (hsc_db_view){r->unit.weights, HSC_TABLE_SCOPE_INCL, r->axis}, 0, 1, 0, r->columns, excess, err);
        return status;
    }
    bool is_line = report_where_is_line(r);
    status = is_line ? add_wanted(r, HSC_TABLE_LINE, r->info.lines, report_wanted_line, &touched, err)
                     : add_wanted(r, HSC_TABLE_SCOPE_EXCL, r->info.scopes, report_wanted, &touched, err);
    for (uint32_t i = 0; i < touched; i++) {
        uint32_t c = r->touched[i];
        all[c] = (float)r->dense[c];
        excess[c] = (float)r->dense_excess[c];
        r->dense[c] = r->dense_excess[c] = 0;
    }
    return status;
}

static int rising(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

hsc_status report_spread_of_ranges(report *r, hsc_db_table table, const report_range *ranges, uint32_t n, report_spread *out,
                                   hsc_err *err) {
    return report_spread_of_program(r, table, ranges, n, HSC_NONE, out, err);
}

hsc_status report_spread_of_program(report *r, hsc_db_table table, const report_range *ranges, uint32_t n, uint32_t program, report_spread *out,
                                    hsc_err *err) {
    uint32_t touched = 0, gap = 0;
    double squares = 0;
    hsc_status status = HSC_OK;
    report_spread p = {.columns = r->columns, .min = INFINITY, .min_at = HSC_NONE, .max_at = r->columns ? 0 : HSC_NONE};
    for (uint32_t i = 0; i < n && !status; i++) {
        status = add_rows(r, r->metric, table, &ranges[i], program, 1, r->dense, &touched, err);
        if (!status && r->unit.weights != HSC_NONE)
            status = add_rows(r, r->unit.weights, table, &ranges[i], program, r->unit.weights_scale, r->dense_excess, NULL, err);
    }
    if (program != HSC_NONE && r->program_of)
        drop_others(r, program, &touched);
    if (touched > 1)
        qsort(r->touched, touched, sizeof *r->touched, rising);
    for (uint32_t i = 0; i < touched; i++) {
        uint32_t c = r->touched[i];
        double v = r->dense[c];
        p.mean += v;
        p.excess += r->dense_excess[c];
        gap += c == gap;
        if (v > p.max)
            p.max = v, p.max_at = c, p.max_excess = r->dense_excess[c];
        if (v < p.min)
            p.min = v, p.min_at = c, p.min_excess = r->dense_excess[c];
    }
    p.running = touched;
    if (wants_processes(r, program))
        keep_nodes(r, &p, program, touched, &gap);
    else
        keep_programs(r, &p, r->program_of ? program : HSC_NONE, touched, &gap);
    p.mean = p.columns ? p.mean / p.columns : 0;
    p.least = touched ? p.min : 0, p.least_at = p.min_at, p.least_excess = touched ? p.min_excess : 0;
    if (touched < p.columns)
        p.min = 0, p.min_at = gap, p.min_excess = 0;
    for (uint32_t i = 0; i < touched; i++) {
        double v = r->dense[r->touched[i]] - p.mean;
        squares += v * v;
    }
    squares += (double)(p.columns - touched) * p.mean * p.mean;
    p.stddev = p.columns ? sqrt(squares / p.columns) : 0;
    p.dispersion = report_dispersion(&p, squares);
    for (uint32_t i = 0; i < touched; i++) { /* closed up for the quantiles: column i is at or before touched[i] */
        double v = r->dense[r->touched[i]];
        r->dense[r->touched[i]] = 0;
        r->dense_excess[r->touched[i]] = 0;
        r->dense[i] = v;
    }
    hsc_quantiles(r->dense, touched, p.columns, report_quantile_levels, REPORT_QUANTILES, p.quantiles);
    for (uint32_t i = 0; i < touched; i++)
        r->dense[i] = 0;
    if (r->unit.weights != HSC_NONE)
        memset(r->dense_excess, 0, r->columns * sizeof *r->dense_excess);
    if (!status)
        *out = p;
    return status;
}

/* Runs of rows that are of the procedure itself: *ranges is malloc'ed. */
static hsc_status rows_of_procedure(const report *r, uint32_t procedure, report_range **ranges, uint32_t *n, hsc_err *err) {
    hsc_db_scope s, inner;
    uint32_t room = 0;
    *ranges = NULL;
    *n = 0;
    hsc_status status = hsc_db_get_scope(r->db, procedure, &s, err);
    for (uint32_t row = procedure; !status && row < s.subtree_end; row++) {
        report_range *last = *n ? &(*ranges)[*n - 1] : NULL;
        status = hsc_db_get_scope(r->db, row, &inner, err);
        if (status || inner.procedure != procedure)
            continue;
        if (last && last->first + last->n == row) {
            last->n++;
            continue;
        }
        if (*n == room) {
            report_range *more = realloc(*ranges, (room = 2 * room + 16) * sizeof *more);
            if (!more) {
                status = out_of_memory(err);
                break;
            }
            *ranges = more;
        }
        (*ranges)[(*n)++] = (report_range){row, 1};
    }
    return status;
}

hsc_status report_spread_of(report *r, uint32_t scope, report_spread *out, hsc_err *err) {
    hsc_db_scope s;
    report_range *ranges, row = {scope, 1};
    uint32_t n;
    hsc_status status = hsc_db_get_scope(r->db, scope, &s, err);
    if (status || s.kind != HSC_SCOPE_PROCEDURE)
        return status ? status : report_spread_of_ranges(r, HSC_TABLE_SCOPE_EXCL, &row, 1, out, err);
    status = rows_of_procedure(r, scope, &ranges, &n, err);
    if (!status)
        status = report_spread_of_ranges(r, HSC_TABLE_SCOPE_EXCL, ranges, n, out, err);
    free(ranges);
    return status;
}

bool report_uneven(const report_spread *s) {
    double freedom = s->columns - 1.0;
    return s->columns > 1 && s->dispersion > freedom + 3 * sqrt(2 * freedom);
}

hsc_weighted report_excl(const report *r, uint32_t scope) { return (hsc_weighted){r->excl[scope], r->excl_excess[scope]}; }
hsc_weighted report_own(const report *r, uint32_t scope) { return (hsc_weighted){r->own[scope], r->own_excess[scope]}; }
hsc_weighted report_incl(const report *r, uint32_t scope) { return (hsc_weighted){r->incl[scope], r->incl_excess[scope]}; }

void report_interval(const report *r, hsc_weighted v, double *low, double *high) {
    if (r->unit.exact || isnan(v.sum))
        *low = *high = v.sum;
    else
        hsc_interval_sum(v, r->all, low, high);
}

void report_share_interval(const report *r, hsc_weighted v, double *low, double *high) {
    if (r->unit.exact || isnan(v.sum))
        *low = *high = r->total > 0 ? v.sum / r->total : 0;
    else
        hsc_interval_share(v, r->all, low, high);
}

void report_ratio_interval(const report *r, const report_spread *s, double *low, double *high) {
    double ratio = s->mean > 0 ? s->max / s->mean : 1;
    *low = *high = ratio;
    if (!r->unit.exact)
        hsc_interval_ratio(ratio, (hsc_weighted){s->max, s->max_excess}, (hsc_weighted){s->mean * s->columns, s->excess}, low, high);
}

/* Has the rank another process, as of a program that it started? They are sorted by rank. */
static bool has_twin(const report *r, uint32_t process, int32_t rank) {
    hsc_db_process x;
    return (process && !hsc_db_get_process(r->db, process - 1, &x, NULL) && x.rank == rank) ||
           (process + 1 < r->info.processes && !hsc_db_get_process(r->db, process + 1, &x, NULL) && x.rank == rank);
}

void report_processor(const report *r, hsc_db_axis axis, uint32_t column, char *out, size_t size) {
    hsc_db_process p;
    hsc_db_thread t;
    hsc_db_node node;
    uint32_t process = column;
    out[0] = 0;
    if (axis == HSC_AXIS_NODE) {
        if (!hsc_db_get_node(r->db, column, &node, NULL))
            snprintf(out, size, "%s", *node.host ? node.host : "host not known");
        return;
    }
    if (axis == HSC_AXIS_THREAD) {
        if (hsc_db_get_thread(r->db, column, &t, NULL))
            return;
        process = t.process;
    }
    if (hsc_db_get_process(r->db, process, &p, NULL))
        return;
    int n = 0;
    if (p.rank >= 0) {
        n = snprintf(out, size, "rank %d", p.rank);
        if (r->programs > 1 && n < (int)size && has_twin(r, process, p.rank)) {
            char program[100];
            report_program(r, process, program, sizeof program);
            n += snprintf(out + n, size - (size_t)n, " %s", program);
        }
    } else if (r->programs > 1) {
        char program[100];
        report_program(r, process, program, sizeof program);
        n = snprintf(out, size, "%s %u", program, p.pid);
    } else if (r->info.processes > 1 || axis == HSC_AXIS_PROCESS)
        n = snprintf(out, size, "pid %u", p.pid);
    if (axis == HSC_AXIS_THREAD && n < (int)size)
        snprintf(out + n, size - (size_t)n, "%sthread %u", n ? " " : "", t.index);
}

