/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* hottest [-n LINES] DATABASE.h5: source lines with the most CPU time, with their 95 % intervals, as
 * `heatscope report --by=line --format=csv` has them. Shows how programs of your own ask a database. */
#include <heatscope/query.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 4096 };

static int fail(const hsc_err *err) {
    fprintf(stderr, "hottest: %s\n", err->text);
    return 1;
}

/* Of all lines together: what intervals are worked out from. */
static hsc_status read_all(hsc_db *db, hsc_db_view view, uint64_t lines, hsc_weighted *all, hsc_err *err) {
    static hsc_weighted part[AT_ONCE];
    for (uint64_t first = 0; first < lines; first += AT_ONCE) {
        uint64_t n = lines - first < AT_ONCE ? lines - first : AT_ONCE;
        hsc_status status = hsc_db_read_weighted(db, view, first, n, part, err);
        if (status)
            return status;
        for (uint64_t i = 0; i < n; i++) {
            all->sum += part[i].sum;
            all->excess += part[i].excess;
        }
    }
    return HSC_OK;
}

static hsc_status print_line(hsc_db *db, hsc_db_view view, uint64_t row, hsc_weighted all, hsc_err *err) {
    hsc_db_metric metric;
    hsc_db_line line;
    hsc_db_file file;
    hsc_weighted value;
    hsc_status status;
    if ((status = hsc_db_get_metric(db, view.metric, &metric, err)) || (status = hsc_db_get_line(db, (uint32_t)row, &line, err)) ||
        (status = hsc_db_get_file(db, line.file, &file, err)) || (status = hsc_db_read_weighted(db, view, row, 1, &value, err)))
        return status;
    double low, high;
    hsc_interval_sum(value, all, &low, &high);
    printf("%.6f %.6f %.6f %s %s:%u\n", value.sum * metric.scale, low * metric.scale, high * metric.scale, metric.unit, file.path, line.line);
    return HSC_OK;
}

static int print_hottest(hsc_db *db, uint32_t n, hsc_err *err) {
    const hsc_db_view view = {.metric = 0, .table = HSC_TABLE_LINE, .axis = HSC_AXIS_THREAD};
    hsc_db_info info;
    hsc_weighted all = {0, 0};
    uint32_t found = 0;
    hsc_db_get_info(db, &info);
    uint64_t *rows = calloc(n, sizeof *rows);
    double *sums = calloc(n, sizeof *sums);
    hsc_status status = rows && sums ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u lines", (unsigned)n);
    if (!status && !(status = read_all(db, view, info.lines, &all, err)))
        status = hsc_db_read_top(db, view, NULL, NULL, n, rows, sums, &found, err);
    for (uint32_t i = 0; !status && i < found; i++)
        status = print_line(db, view, rows[i], all, err);
    free(rows);
    free(sums);
    return status ? fail(err) : 0;
}

int main(int argc, char **argv) {
    const int at = argc == 4 && strcmp(argv[1], "-n") == 0 ? 3 : 1;
    const long n = at == 3 ? atol(argv[2]) : 10;
    if (argc != at + 1 || n < 1 || n > 1000000) {
        fprintf(stderr, "usage: hottest [-n LINES] DATABASE.h5   lines from 1 to 1000000\n");
        return 2;
    }
    hsc_db *db;
    hsc_err err = {0};
    if (hsc_db_open(argv[at], &db, &err))
        return fail(&err);
    const int code = print_hottest(db, (uint32_t)n, &err);
    hsc_db_close(db);
    return code;
}
