/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Latencies of the viewer's queries on a database, and the rate at which a table is written again.
 * Usage: store_bench DB [OUT.h5 [WORKERS]]; DB from heatscope-simulate. Cold: the first of its kind after opening, with none of the file in the page cache.
 * Least and median of rounds: on a busy machine the least is what the query itself takes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store.h"

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void must(hsc_status status, const hsc_err *err) {
    if (status) {
        fprintf(stderr, "store_bench: %s\n", err->text);
        exit(1);
    }
}

typedef struct bench {
    hsc_db *db;
    hsc_db_info info;
    hsc_db_view view;
    uint32_t *low, *high, *bin, columns;
    float *out;
    uint64_t seed;
} bench;

static uint64_t below(bench *b, uint64_t n) {
    b->seed = b->seed * 6364136223846793005u + 1442695040888963407u;
    return (b->seed >> 33) % n;
}

static void stats_of_screen(bench *b, hsc_err *err) {
    hsc_db_stats s[60];
    must(hsc_db_read_stats(b->db, b->view, below(b, b->info.lines - 60), 60, s, err), err);
}

static void block_of_screen(bench *b, hsc_err *err) {
    uint32_t m = b->columns < 1000 ? b->columns : 1000;
    must(hsc_db_read_block(b->db, b->view, below(b, b->info.lines - 60), 60, (uint32_t)below(b, b->columns - m + 1), m, b->out, err), err);
}

static void bins(bench *b, uint64_t first, uint64_t n, uint32_t row_bins, hsc_db_reduce reduce, hsc_err *err) {
    uint32_t step, together = 1, group = b->columns / 1000 + (b->columns % 1000 != 0);
    must(hsc_db_get_row_step(b->db, b->view, n / row_bins, &step, err), err);
    for (uint32_t i = 0; i < row_bins; i++) { /* of whole blocks, as the viewer's */
        b->low[i] = (uint32_t)((first + n * i / row_bins) / step * step);
        b->high[i] = (uint32_t)((first + n * (i + 1) / row_bins) / step * step);
    }
    must(hsc_db_get_column_step(b->db, b->view, &together, err), err);
    group = group < together ? group : (group + together - 1) / together * together;
    uint32_t column_bins = (b->columns + group - 1) / group;
    for (uint32_t c = 0; c < b->columns; c++)
        b->bin[c] = c / group;
    must(hsc_db_read_bins(b->db, b->view, reduce, row_bins, b->low, b->high, column_bins, b->bin, b->out, err), err);
}

static void bins_1000_lines(bench *b, hsc_err *err) { bins(b, below(b, b->info.lines - 1000), 1000, 500, HSC_REDUCE_MAX, err); }
static void bins_tenth(bench *b, hsc_err *err) {
    bins(b, below(b, b->info.lines - b->info.lines / 10), b->info.lines / 10, 1000, HSC_REDUCE_MAX, err);
}
static void bins_all_max(bench *b, hsc_err *err) { bins(b, 0, b->info.lines, 1000, HSC_REDUCE_MAX, err); }
static void bins_all_sum(bench *b, hsc_err *err) { bins(b, 0, b->info.lines, 1000, HSC_REDUCE_SUM, err); }
static void bins_strip(bench *b, hsc_err *err) { bins(b, 0, b->info.lines, 10, HSC_REDUCE_MAX, err); }

static void one_column(bench *b, hsc_err *err) {
    uint64_t n;
    uint32_t *rows;
    float *values;
    must(hsc_db_read_column(b->db, b->view, (uint32_t)below(b, b->columns), &n, &rows, &values, err), err);
    free(rows);
    free(values);
}

static void top_20(bench *b, hsc_err *err) {
    uint64_t rows[20];
    double sums[20];
    uint32_t n;
    must(hsc_db_read_top(b->db, b->view, NULL, NULL, 20, rows, sums, &n, err), err);
}

static void context_incl_top(bench *b, hsc_err *err) {
    uint64_t rows[20];
    double sums[20];
    uint32_t n;
    must(hsc_db_read_top(b->db, (hsc_db_view){0, HSC_TABLE_CONTEXT_INCL, b->view.axis}, NULL, NULL, 20, rows, sums, &n, err), err);
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

enum { ROUNDS = 3, LATER = 20 };

/* The kernel forgets what it has read of the file. */
static void forget(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
        fprintf(stderr, "store_bench: %s stays in the page cache\n", path);
    if (fd >= 0)
        close(fd);
}

/* Into open_ms, first_ms and LATER of later_ms. */
static void measure_round(const char *path, hsc_db_view view, void (*f)(bench *, hsc_err *), double *open_ms, double *first_ms, double *later_ms) {
    hsc_err err = {0};
    bench b = {.view = view, .seed = 1};
    forget(path);
    *open_ms = now_ms();
    must(hsc_db_open(path, &b.db, &err), &err);
    *open_ms = now_ms() - *open_ms;
    hsc_db_get_info(b.db, &b.info);
    b.columns = hsc_db_get_columns(b.db, view.axis);
    b.low = calloc(1000, sizeof *b.low);
    b.high = calloc(1000, sizeof *b.high);
    b.bin = calloc(b.columns, sizeof *b.bin);
    b.out = calloc(1000000, sizeof *b.out);
    for (int i = 0; i <= LATER; i++) {
        double begin = now_ms();
        f(&b, &err);
        *(i ? &later_ms[i - 1] : first_ms) = now_ms() - begin;
    }
    free(b.low);
    free(b.high);
    free(b.bin);
    free(b.out);
    hsc_db_close(b.db);
}

static void measure(const char *path, hsc_db_view view, const char *name, void (*f)(bench *, hsc_err *)) {
    double opening[ROUNDS], first[ROUNDS], later[ROUNDS * LATER];
    for (int i = 0; i < ROUNDS; i++)
        measure_round(path, view, f, &opening[i], &first[i], &later[i * LATER]);
    qsort(opening, ROUNDS, sizeof *opening, rising);
    qsort(first, ROUNDS, sizeof *first, rising);
    qsort(later, ROUNDS * LATER, sizeof *later, rising);
    printf("%-34s open %6.1f %6.1f  cold %8.2f %8.2f  later %8.3f %8.3f  worst %8.3f ms\n", name, opening[0], opening[ROUNDS / 2], first[0],
           first[ROUNDS / 2], later[0], later[ROUNDS * LATER / 2], later[ROUNDS * LATER - 1]);
    fflush(stdout);
}

/* The line table once more, into a file of its own. */
static void write_again(const char *from, const char *to, unsigned workers) {
    hsc_err err = {0};
    hsc_db *db = NULL;
    hsc_store *s = NULL;
    hsc_db_info info;
    float *values;
    uint32_t *indices;
    must(hsc_db_open(from, &db, &err), &err);
    hsc_db_get_info(db, &info);
    uint64_t *indptr = malloc(((uint64_t)info.lines + 1) * sizeof *indptr);
    must(hsc_db_read_sparse(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, info.lines, indptr, &indices, &values, &err), &err);
    uint64_t nnz = indptr[info.lines];
    uint32_t *counts = malloc((nnz + 1) * sizeof *counts), *process = malloc(((uint64_t)info.threads + 1) * sizeof *process);
    int32_t *ranks = calloc((uint64_t)info.processes + 1, sizeof *ranks);
    for (uint64_t i = 0; i < nnz; i++)
        counts[i] = (uint32_t)values[i];
    for (uint32_t t = 0; t < info.threads; t++) {
        hsc_db_thread thread;
        must(hsc_db_get_thread(db, t, &thread, &err), &err);
        process[t] = thread.process;
    }
    must(hsc_store_create(to, workers, &s, &err), &err);
    must(hsc_store_put_column(s, HSC_COL_process_rank, ranks, info.processes, &err), &err);
    must(hsc_store_put_column(s, HSC_COL_thread_process, process, info.threads, &err), &err);
    double ms = now_ms();
    clock_t cpu = clock();
    must(hsc_store_begin_values(s, 0, HSC_TABLE_LINE, info.lines, info.threads, &err), &err);
    must(hsc_store_put_rows(s, info.lines, indptr, indices, counts, &err), &err);
    must(hsc_store_end_values(s, &err), &err);
    ms = now_ms() - ms;
    double cpu_s = (double)(clock() - cpu) / CLOCKS_PER_SEC;
    printf("write %llu values with %u workers: %.0f ms, %.2f s CPU, %.2f M values/s, %.0f MB/s of 16 bytes a value (both orders)\n",
           (unsigned long long)nnz, workers, ms, cpu_s, (double)nnz / ms / 1e3, 16e-3 * (double)nnz / ms);
    hsc_store_abort(s);
    free(indptr);
    free(indices);
    free(values);
    free(counts);
    free(process);
    free(ranks);
    hsc_db_close(db);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: store_bench DB [OUT.h5 [WORKERS]]\n");
        return 2;
    }
    const struct {
        const char *name;
        void (*f)(bench *, hsc_err *);
    } queries[] = {{"stats of 60 lines", stats_of_screen}, {"block 60 lines x 1000", block_of_screen},
                   {"bins 1000 lines, 500 x 1000", bins_1000_lines}, {"bins a tenth of the lines", bins_tenth},
                   {"bins all lines, max, 1000 x 1000", bins_all_max}, {"bins all lines, sum, 1000 x 1000", bins_all_sum},
                   {"bins all lines, max, 10 x 1000", bins_strip}, {"one processor, all lines", one_column},
                   {"top 20 lines", top_20}, {"top 20 contexts, inclusive", context_incl_top}};
    if (argc > 2) {
        write_again(argv[1], argv[2], argc > 3 ? (unsigned)atoi(argv[3]) : 2);
        return 0;
    }
    printf("of opening, the first query and later ones: least, median\n");
    for (int axis = 0; axis < 2; axis++) {
        printf("%s axis\n", axis ? "process" : "thread");
        for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
            measure(argv[1], (hsc_db_view){0, HSC_TABLE_LINE, (hsc_db_axis)axis}, queries[i].name, queries[i].f);
    }
    return 0;
}
