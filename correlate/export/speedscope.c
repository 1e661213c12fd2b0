/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* speedscope's own JSON: frames once, one "sampled" profile a thread, weights in seconds (or the metric's unit).
 * Samples stand in the order of time, without the time in which the thread did not use the processor; without times in the
 * order of the calling-context tree. */
#include <stdlib.h>
#include <string.h>

#include "paths.h"

static hsc_status put_frames(export_job *job, uint32_t *frame_of, hsc_err *err) {
    uint32_t frames = 0;
    for (uint32_t i = 0; i < job->info.scopes; i++)
        frame_of[i] = HSC_NONE;
    for (uint32_t c = 0; c < job->contexts; c++) {
        uint32_t scope = job->context[c].scope;
        if (c && export_shown(job, c) != c)
            continue;
        if (frame_of[scope] != HSC_NONE)
            continue;
        export_frame f;
        hsc_status s = export_get_frame(job, scope, &f, err);
        if (s)
            return s;
        frame_of[scope] = frames;
        fputs(frames++ ? ",\n{\"name\":" : "{\"name\":", job->out);
        hsc_quote_json(job->out, f.name);
        if (*f.file) {
            fputs(",\"file\":", job->out);
            hsc_quote_json(job->out, f.file);
        }
        if (f.line)
            fprintf(job->out, ",\"line\":%u", f.line);
        fputc('}', job->out);
    }
    return HSC_OK;
}

static void put_stack(export_job *job, uint32_t context, const uint32_t *frame_of) {
    uint32_t n;
    const uint32_t *path = export_path(job, context, &n);
    fputc('[', job->out);
    while (n--)
        fprintf(job->out, n ? "%u," : "%u]", frame_of[job->context[path[n]].scope]);
}

typedef struct weighed { /* samples in the order in which they are shown */
    uint32_t *context;
    double *count;
    uint64_t n, capacity;
} weighed;

static void weighed_free(weighed *w) {
    free(w->context);
    free(w->count);
    *w = (weighed){0};
}

static hsc_status weigh(export_job *job, weighed *w, uint32_t context, double count, hsc_err *err) {
    if (w->n && w->context[w->n - 1] == context) {
        w->count[w->n - 1] += count;
        return HSC_OK;
    }
    if (w->n == w->capacity) {
        w->capacity = 2 * w->capacity + 1024;
        void *a = realloc(w->context, w->capacity * sizeof *w->context);
        w->context = a ? a : w->context;
        void *b = realloc(w->count, w->capacity * sizeof *w->count);
        w->count = b ? b : w->count;
        if (!a || !b)
            return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for the samples of a thread", job->info.path);
    }
    w->context[w->n] = context;
    w->count[w->n++] = count;
    return HSC_OK;
}

static hsc_status read_by_time(export_job *job, uint32_t thread, weighed *w, hsc_err *err) {
    export_times times;
    const hsc_db_sample *p = NULL;
    hsc_status s = export_times_open(job, thread, &times, err);
    if (s)
        return s;
    while (!s && !(s = export_times_next(job, &times, &p, err)) && p)
        s = weigh(job, w, p->context, p->count, err);
    export_times_close(&times);
    return s;
}

static hsc_status read_by_path(export_job *job, uint32_t thread, weighed *w, hsc_err *err) {
    uint64_t n = 0;
    uint32_t *rows = NULL;
    float *values = NULL;
    hsc_status s = export_read_thread(job, HSC_TABLE_CONTEXT_EXCL, thread, &n, &rows, &values, err);
    if (s)
        return s;
    for (uint64_t i = 0; i < n && !s; i++)
        s = weigh(job, w, rows[i], (double)values[i], err);
    free(rows);
    free(values);
    return s;
}

static hsc_status put_thread(export_job *job, uint32_t thread, bool by_time, const uint32_t *frame_of, bool *first, hsc_err *err) {
    weighed w = {0};
    char name[128];
    double total = 0;
    hsc_status s = by_time ? read_by_time(job, thread, &w, err) : read_by_path(job, thread, &w, err);
    if (s || !w.n) {
        weighed_free(&w);
        return s;
    }
    for (uint64_t i = 0; i < w.n; i++)
        total += w.count[i];
    export_thread_name(job, thread, name, sizeof name);
    fprintf(job->out, "%s{\"type\":\"sampled\",\"name\":", *first ? "" : ",\n");
    hsc_quote_json(job->out, name);
    fprintf(job->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%.9g,\n\"samples\":[",
            strcmp(job->metric.unit, "s") ? "none" : "seconds", total * job->metric.scale);
    for (uint64_t i = 0; i < w.n; i++) {
        fputs(i ? "," : "", job->out);
        put_stack(job, w.context[i], frame_of);
    }
    fputs("],\n\"weights\":[", job->out);
    for (uint64_t i = 0; i < w.n; i++)
        fprintf(job->out, "%s%.9g", i ? "," : "", w.count[i] * job->metric.scale);
    fputs("]}", job->out);
    *first = false;
    weighed_free(&w);
    return HSC_OK;
}

hsc_status export_speedscope(export_job *job, hsc_err *err) {
    uint32_t *frame_of = malloc(((size_t)job->info.scopes + 1) * sizeof *frame_of);
    hsc_status s = HSC_OK;
    bool first = true, by_time = false;
    if (!frame_of)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u frames", job->info.path, job->info.scopes);
    s = export_has_times(job, &by_time, err);
    fputs(
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"heatscope\",\n\"name\":",
        job->out);
    hsc_quote_json(job->out, job->info.title);
    fputs(",\n\"shared\":{\"frames\":[\n", job->out);
    if (!s)
        s = put_frames(job, frame_of, err);
    fputs("\n]},\n\"profiles\":[\n", job->out);
    for (uint32_t t = 0; !s && t < job->info.threads; t++) {
        s = export_step(job, t, job->info.threads, err);
        if (!s)
            s = put_thread(job, t, by_time, frame_of, &first, err);
    }
    fputs(first ? "\n]}\n" : "\n],\n\"activeProfileIndex\":0}\n", job->out); /* without samples there is none */
    free(frame_of);
    return s;
}
