/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the writers share: the calling contexts as frames with names, values in whole units, JSON and CSV text. */
#ifndef HSC_EXPORT_PATHS_H
#define HSC_EXPORT_PATHS_H

#include "export.h"

#include <heatscope/formats/quote.h>

typedef struct export_frame { /* what a context is called: the same for all contexts of one scope */
    const char *name;
    const char *file;   /* "" unknown */
    const char *module; /* "" unknown */
    uint32_t line;      /* first line; 0 unknown */
    bool is_loop;
} export_frame;

typedef struct export_job {
    hsc_db *db;
    const hsc_export_options *options;
    FILE *out;
    hsc_db_info info;
    hsc_db_metric metric;
    double factor;    /* whole units per count */
    const char *unit; /* of whole units: "nanoseconds", or the metric's own */
    uint32_t contexts;
    hsc_db_context *context; /* depth: as counted here, 0 for the root */
    uint32_t depth;          /* largest */
    uint32_t *path;          /* export_path's */
    char loop_name[512];     /* export_get_frame's last loop name */
} export_job;

hsc_status export_open(export_job *job, hsc_db *db, const hsc_export_options *options, FILE *out, hsc_err *err);
void export_close(export_job *job);

/* Cancelled? Also tells progress. */
hsc_status export_step(export_job *job, double done, double total, hsc_err *err);

/* Scopes stand for frames; HSC_SCOPE_PROGRAM and holders of partial paths for "[unknown]". frame->name of a loop is
 * valid until the next call. */
hsc_status export_get_frame(export_job *job, uint32_t scope, export_frame *out, hsc_err *err);

/* The context whose frame stands for this one: itself, or with loops left out the procedure around it; HSC_NONE: the
 * root, which no frame stands for. */
uint32_t export_shown(const export_job *job, uint32_t context);
uint32_t export_shown_parent(const export_job *job, uint32_t context);

/* Shown contexts of the path, innermost first; at least one: the root stands for an unknown path. Valid until the next
 * call. */
const uint32_t *export_path(export_job *job, uint32_t context, uint32_t *n);

/* Whole units; exact for sampled times, whose period is a whole number of nanoseconds. */
unsigned long long export_whole(const export_job *job, double count);

/* One thread's contexts with exclusive values: rows rise. free() both. */
hsc_status export_read_thread(export_job *job, hsc_db_table table, uint32_t thread, uint64_t *n, uint32_t **rows,
                              float **values, hsc_err *err);

/* Whether samples of the metric are known in the order of time. */
hsc_status export_has_times(export_job *job, bool *out, hsc_err *err);

/* Samples of the metric of one thread, in the order of time, in the interval that is set. */
typedef struct export_times {
    hsc_db_samples *cursor;
    hsc_db_sample block[512];
    uint32_t n, next;
} export_times;
hsc_status export_times_open(export_job *job, uint32_t thread, export_times *t, hsc_err *err);
/* NULL: the end. */
hsc_status export_times_next(export_job *job, export_times *t, const hsc_db_sample **out, hsc_err *err);
void export_times_close(export_times *t);

/* "rank 3", "rank 3 thread 1", "thread 1", "PID thread 1": short and unique in the run. */
void export_thread_name(export_job *job, uint32_t thread, char *buffer, size_t size);


#define HSC_EXPORT(name, constant, function, binary, loops, text)                                                      \
    hsc_status export_##function(export_job *job, hsc_err *err);
#include "formats.def"
#undef HSC_EXPORT

#endif
