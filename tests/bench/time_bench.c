/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Latencies of the timeline and of intervals. Usage: time_bench DB [cpu]; DB from heatscope-simulate --times, or of a real run.
 * With a second argument CPU time instead of elapsed time, for busy machines. "cold": a database opened anew each time (its file may be in the page cache); "warm": the same again elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <heatscope/query.h>

enum { SLOTS = 1600, ROWS = 50, RUNS = 15 };

static clockid_t which = CLOCK_MONOTONIC;

static double now_ms(void) {
    struct timespec t;
    clock_gettime(which, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void must(hsc_status status, const hsc_err *err) {
    if (status) {
        fprintf(stderr, "time_bench: %s\n", err->text);
        exit(1);
    }
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct screen {
    const char *name;
    hsc_timeline_key key;
    double share;     /* of the run */
    unsigned threads; /* shown; 0: all */
    int interval;     /* 1: set an interval of that share and read all lines' sums instead */
} screen;

static void run(hsc_db *db, const screen *s, unsigned at, hsc_err *err) {
    static hsc_db_slot out[SLOTS * ROWS];
    hsc_db_info info;
    hsc_db_times times;
    hsc_db_get_info(db, &info);
    must(hsc_db_get_times(db, &times, err), err);
    uint32_t threads = s->threads && s->threads < info.threads ? s->threads : info.threads, rows = threads < ROWS ? threads : ROWS;
    double length = times.end_s * s->share, begin = (times.end_s - length) * (at * 37 % 101) / 101;
    if (s->interval) {
        double *sums = malloc(info.lines * sizeof *sums);
        must(hsc_db_set_interval(db, begin, begin + length, err), err);
        must(hsc_db_read_sums(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, info.lines, sums, err), err);
        free(sums);
        return;
    }
    uint32_t *row_of = malloc(info.threads * sizeof *row_of), first = (info.threads - threads) * (at * 29 % 101) / 101;
    for (uint32_t i = 0; i < info.threads; i++)
        row_of[i] = i >= first && i - first < threads ? (uint32_t)((uint64_t)(i - first) * rows / threads) : HSC_NONE;
    must(hsc_db_read_timeline(db, s->key, rows, row_of, begin, begin + length, SLOTS, out, err), err);
    free(row_of);
}

int main(int argc, char **argv) {
    static const screen screens[] = {{"whole run, 50 threads, category", HSC_TIMELINE_CATEGORY, 1, 50, 0},
                                     {"whole run, 50 threads, loop", HSC_TIMELINE_SCOPE, 1, 50, 0},
                                     {"whole run, all threads in 50 rows", HSC_TIMELINE_CATEGORY, 1, 0, 0},
                                     {"a tenth of it, 50 threads, procedure", HSC_TIMELINE_PROCEDURE, 0.1, 50, 0},
                                     {"a hundredth, 50 threads, procedure", HSC_TIMELINE_PROCEDURE, 0.01, 50, 0},
                                     {"a thousandth, 50 threads, loop", HSC_TIMELINE_SCOPE, 0.001, 50, 0},
                                     {"interval of a tenth, sums of all lines", 0, 0.1, 0, 1},
                                     {"interval of a half, sums of all lines", 0, 0.5, 0, 1}};
    if (argc < 2) {
        fprintf(stderr, "usage: time_bench DB [cpu]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    which = argc > 2 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
        hsc_err err = {0};
        double cold[RUNS], warm[RUNS];
        unsigned runs = screens[i].interval ? 3 : RUNS;
        for (unsigned k = 0; k < runs; k++) {
            hsc_db *db = NULL;
            hsc_db_info info;
            must(hsc_db_open(argv[1], &db, &err), &err);
            hsc_db_get_info(db, &info);
            double begin = now_ms();
            run(db, &screens[i], k, &err);
            cold[k] = now_ms() - begin;
            run(db, &screens[i], k + 1, &err);
            begin = now_ms();
            run(db, &screens[i], k, &err);
            warm[k] = now_ms() - begin;
            hsc_db_close(db);
        }
        qsort(cold, runs, sizeof *cold, rising);
        qsort(warm, runs, sizeof *warm, rising);
        printf("%-40s cold: median %8.2f worst %8.2f   warm: median %8.2f worst %8.2f ms\n", screens[i].name, cold[runs / 2],
               cold[runs - 1], warm[runs / 2], warm[runs - 1]);
    }
    return 0;
}
