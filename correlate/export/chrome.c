/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The trace event format of Chrome, which Perfetto reads: one track a thread. Each sample lasts as long as it stands for, up to when it
 * was taken; slices of callers last while samples follow one another. Without times: a slice for each calling context, as long
 * as its inclusive time and inside its caller's, in the order of the calling-context tree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paths.h"

#define EIGHTHS 8.0

typedef struct open_slice {
    uint32_t context;
    double next; /* where its next child begins, counts */
} open_slice;

/* Times are whole eighths of a microsecond, which readers add without rounding: slices in each other end together or apart. A slice ends one of them before
 * what follows it: speedscope takes a frame that ends when one with its name begins for one round that. */
static hsc_status put_slice(export_job *job, uint32_t context, double begin, double length, uint32_t process,
                            uint32_t thread, hsc_err *err) {
    export_frame f;
    hsc_status s = export_get_frame(job, job->context[context].scope, &f, err);
    if (s)
        return s;
    double us = job->metric.scale * (strcmp(job->metric.unit, "s") ? 1 : 1e6);
    double from = round(EIGHTHS * begin * us), last = round(EIGHTHS * (begin + length) * us);
    fputs(",\n{\"ph\":\"X\",\"name\":", job->out);
    hsc_quote_json(job->out, f.name);
    fprintf(job->out, ",\"pid\":%u,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f", process, thread, from / EIGHTHS, last > from + 1 ? (last - from - 1) / EIGHTHS : 0);
    if (*f.file) {
        fputs(",\"args\":{\"file\":", job->out);
        hsc_quote_json(job->out, f.file);
        fprintf(job->out, ",\"line\":%u}", f.line);
    }
    fputc('}', job->out);
    return HSC_OK;
}

static hsc_status put_thread_name(export_job *job, uint32_t thread, hsc_err *err) {
    hsc_db_thread t;
    char name[128];
    hsc_status s = hsc_db_get_thread(job->db, thread, &t, err);
    if (s)
        return s;
    export_thread_name(job, thread, name, sizeof name);
    fprintf(job->out, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", t.process,
            t.tid);
    hsc_quote_json(job->out, name);
    fputs("}}", job->out);
    return HSC_OK;
}

/* ---- in the order of time ---- */

typedef struct timed_stack {
    uint32_t *context;
    double *begin; /* counts since the start of the run */
    uint32_t depth;
    double end;    /* of the last sample */
} timed_stack;

/* Callers first: of slices with equal begin and end, readers take the first for the one outside. */
static hsc_status leave_slices(export_job *job, timed_stack *k, uint32_t depth, const hsc_db_thread *t, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = depth; !s && i < k->depth; i++)
        s = put_slice(job, k->context[i], k->begin[i], k->end - k->begin[i], t->process, t->tid, err);
    k->depth = k->depth > depth ? depth : k->depth;
    return s;
}

static hsc_status put_timed_thread(export_job *job, uint32_t thread, timed_stack *k, hsc_err *err) {
    hsc_db_thread t;
    export_times times;
    const hsc_db_sample *p = NULL;
    hsc_status s = hsc_db_get_thread(job->db, thread, &t, err);
    if (s || (s = export_times_open(job, thread, &times, err)))
        return s;
    double scale = strcmp(job->metric.unit, "s") ? 0 : job->metric.scale; /* events have no length of their own: they begin where they end */
    k->depth = 0;
    k->end = 0;
    while (!s && !(s = export_times_next(job, &times, &p, err)) && p) {
        uint32_t n, shared = 0;
        const uint32_t *path = export_path(job, p->context, &n); /* innermost first */
        double length = p->count, begin = scale > 0 ? p->time_s / scale - length : k->end;
        bool follows = begin <= k->end + 0.5; /* no gap that a sample would fit in */
        begin = follows && k->end > 0 ? k->end : begin > 0 ? begin : 0;
        while (follows && shared < k->depth && shared < n && k->context[shared] == path[n - 1 - shared])
            shared++;
        s = leave_slices(job, k, shared, &t, err);
        for (; k->depth < n; k->depth++) {
            k->context[k->depth] = path[n - 1 - k->depth];
            k->begin[k->depth] = begin;
        }
        k->end = begin + length;
    }
    if (!s)
        s = leave_slices(job, k, 0, &t, err);
    export_times_close(&times);
    return s;
}

static hsc_status put_thread(export_job *job, uint32_t thread, open_slice *stack, hsc_err *err) {
    hsc_db_thread t;
    uint64_t n = 0, m = 0, k = 0;
    uint32_t *rows = NULL, *own_rows = NULL, depth = 0;
    float *values = NULL, *own = NULL;
    hsc_status s = hsc_db_get_thread(job->db, thread, &t, err);
    if (s || (s = export_read_thread(job, HSC_TABLE_CONTEXT_INCL, thread, &n, &rows, &values, err)))
        return s;
    if ((s = export_read_thread(job, HSC_TABLE_CONTEXT_EXCL, thread, &m, &own_rows, &own, err)))
        goto done;
    for (uint64_t i = 0; !s && i < n; i++) {
        uint32_t c = rows[i];
        while (depth && stack[depth - 1].context != job->context[c].parent)
            depth--;
        double begin = depth ? stack[depth - 1].next : 0, exclusive = 0;
        if (depth)
            stack[depth - 1].next = begin + (double)values[i];
        while (k < m && own_rows[k] < c)
            k++;
        if (k < m && own_rows[k] == c)
            exclusive = (double)own[k];
        if (c && (job->options->loops || job->context[c].kind != HSC_CONTEXT_LOOP))
            s = put_slice(job, c, begin, (double)values[i], t.process, t.tid, err);
        stack[depth++] = (open_slice){c, begin + exclusive};
    }
done:
    free(rows);
    free(values);
    free(own_rows);
    free(own);
    return s;
}

hsc_status export_chrome(export_job *job, hsc_err *err) {
    hsc_status s = HSC_OK;
    open_slice *stack = malloc(((size_t)job->depth + 1) * sizeof *stack);
    timed_stack timed = {.context = malloc(((size_t)job->depth + 1) * sizeof *timed.context),
                         .begin = malloc(((size_t)job->depth + 1) * sizeof *timed.begin)};
    bool by_time = false;
    if (!stack || !timed.context || !timed.begin) {
        free(stack);
        free(timed.context);
        free(timed.begin);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for paths of %u frames", job->info.path, job->depth);
    }
    s = export_has_times(job, &by_time, err);
    fputs("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"title\":", job->out);
    hsc_quote_json(job->out, job->info.title);
    if (!by_time)
        fputs(",\"note\":\"slices are ordered by calling context, not by time\"", job->out);
    fputs("},\n\"traceEvents\":[\n"
          "{\"ph\":\"M\",\"name\":\"heatscope\",\"pid\":0,\"tid\":0,\"args\":{}}",
          job->out);
    for (uint32_t p = 0; !s && p < job->info.processes; p++) {
        hsc_db_process process;
        s = hsc_db_get_process(job->db, p, &process, err);
        if (s)
            break;
        fprintf(job->out, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":0,\"args\":{\"name\":", p);
        char name[64];
        if (process.rank >= 0)
            snprintf(name, sizeof name, "rank %d", process.rank);
        else
            snprintf(name, sizeof name, "process %u", process.pid);
        hsc_quote_json(job->out, name);
        fputs("}}", job->out);
    }
    for (uint32_t t = 0; !s && t < job->info.threads; t++) {
        s = export_step(job, t, job->info.threads, err);
        if (!s)
            s = put_thread_name(job, t, err);
        if (!s)
            s = by_time ? put_timed_thread(job, t, &timed, err) : put_thread(job, t, stack, err);
    }
    fputs("\n]}\n", job->out);
    free(stack);
    free(timed.context);
    free(timed.begin);
    return s;
}
