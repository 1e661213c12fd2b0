/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* speedscope's own JSON: frames once, one "sampled" profile a thread, weights in seconds (or the metric's unit).
 * Samples stand in the order of the calling-context tree: what "Time Order" shows is not time. */
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
        export_json_text(job->out, f.name);
        if (*f.file) {
            fputs(",\"file\":", job->out);
            export_json_text(job->out, f.file);
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

static hsc_status put_thread(export_job *job, uint32_t thread, const uint32_t *frame_of, bool *first, hsc_err *err) {
    uint64_t n = 0;
    uint32_t *rows = NULL;
    float *values = NULL;
    char name[128];
    hsc_status s = export_read_thread(job, HSC_TABLE_CONTEXT_EXCL, thread, &n, &rows, &values, err);
    if (s || !n) {
        if (!s) {
            free(rows);
            free(values);
        }
        return s;
    }
    double total = 0;
    for (uint64_t i = 0; i < n; i++)
        total += (double)values[i];
    export_thread_name(job, thread, name, sizeof name);
    fprintf(job->out, "%s{\"type\":\"sampled\",\"name\":", *first ? "" : ",\n");
    export_json_text(job->out, name);
    fprintf(job->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%.9g,\n\"samples\":[",
            strcmp(job->metric.unit, "s") ? "none" : "seconds", total * job->metric.scale);
    for (uint64_t i = 0; i < n; i++) {
        fputs(i ? "," : "", job->out);
        put_stack(job, rows[i], frame_of);
    }
    fputs("],\n\"weights\":[", job->out);
    for (uint64_t i = 0; i < n; i++)
        fprintf(job->out, "%s%.9g", i ? "," : "", (double)values[i] * job->metric.scale);
    fputs("]}", job->out);
    *first = false;
    free(rows);
    free(values);
    return HSC_OK;
}

hsc_status export_speedscope(export_job *job, hsc_err *err) {
    uint32_t *frame_of = malloc(((size_t)job->info.scopes + 1) * sizeof *frame_of);
    hsc_status s = HSC_OK;
    bool first = true;
    if (!frame_of)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u frames", job->info.path, job->info.scopes);
    fputs(
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"heatscope\",\n\"name\":",
        job->out);
    export_json_text(job->out, job->info.title);
    fputs(",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[\n", job->out);
    s = put_frames(job, frame_of, err);
    fputs("\n]},\n\"profiles\":[\n", job->out);
    for (uint32_t t = 0; !s && t < job->info.threads; t++) {
        s = export_step(job, t, job->info.threads, err);
        if (!s)
            s = put_thread(job, t, frame_of, &first, err);
    }
    fputs("\n]}\n", job->out);
    free(frame_of);
    return s;
}
