/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "paths.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const hsc_export_kind hsc_export_kinds[HSC_EXPORT_FORMATS] = {
#define HSC_EXPORT(name, constant, function, binary, loops, text) {name, text, binary, loops},
#include "formats.def"
#undef HSC_EXPORT
};

static hsc_status load_contexts(export_job *job, hsc_err *err) {
    job->context = malloc((job->contexts ? job->contexts : 1) * sizeof *job->context);
    if (!job->context)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u calling contexts", job->info.path, job->contexts);
    for (uint32_t c = 0; c < job->contexts; c++) {
        hsc_status s = hsc_db_get_context(job->db, c, &job->context[c], err);
        if (s)
            return s;
        if (c && job->context[c].parent >= c)
            return hsc_err_set(err, HSC_E_FORMAT, "%s: context %u: expected its parent before it, got %u",
                               job->info.path, c, job->context[c].parent);
        job->context[c].depth = c ? job->context[job->context[c].parent].depth + 1 : 0;
        job->depth = job->context[c].depth > job->depth ? job->context[c].depth : job->depth;
        if (job->context[c].scope >= job->info.scopes)
            return hsc_err_set(err, HSC_E_FORMAT, "%s: context %u: expected a scope below %u, got %u", job->info.path,
                               c, job->info.scopes, job->context[c].scope);
    }
    job->path = malloc(((size_t)job->depth + 1) * sizeof *job->path);
    return job->path
               ? HSC_OK
               : hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for paths of %u frames", job->info.path, job->depth);
}

hsc_status export_open(export_job *job, hsc_db *db, const hsc_export_options *options, FILE *out, hsc_err *err) {
    *job = (export_job){.db = db, .options = options, .out = out};
    hsc_db_get_info(db, &job->info);
    job->contexts = job->info.contexts;
    hsc_status s = hsc_db_get_metric(db, options->metric, &job->metric, err);
    if (s)
        return s;
    bool seconds = !strcmp(job->metric.unit, "s");
    job->factor = seconds ? job->metric.scale * 1e9 : job->metric.scale;
    job->unit = seconds ? "nanoseconds" : job->metric.unit;
    s = load_contexts(job, err);
    if (s)
        export_close(job);
    return s;
}

void export_close(export_job *job) {
    free(job->context);
    free(job->path);
    job->context = NULL;
    job->path = NULL;
}

hsc_status export_step(export_job *job, double done, double total, hsc_err *err) {
    if (job->options->cancel && *job->options->cancel)
        return hsc_err_set(err, HSC_E_CANCELLED, "cancelled");
    if (job->options->progress)
        job->options->progress(job->options->ctx, done, total);
    return HSC_OK;
}

hsc_status export_get_frame(export_job *job, uint32_t scope, export_frame *out, hsc_err *err) {
    hsc_db_scope s;
    hsc_db_file file;
    hsc_db_module module;
    hsc_status status = hsc_db_get_scope(job->db, scope, &s, err);
    *out = (export_frame){.name = "[unknown]", .file = "", .module = ""};
    if (status || s.kind == HSC_SCOPE_PROGRAM)
        return status;
    out->name = s.name;
    out->line = s.line_begin;
    out->is_loop = s.kind == HSC_SCOPE_LOOP || s.kind == HSC_SCOPE_REGION;
    if (s.file != HSC_NONE && !(status = hsc_db_get_file(job->db, s.file, &file, err)))
        out->file = file.has_lines ? file.path : "";
    if (!status && s.module != HSC_NONE && !(status = hsc_db_get_module(job->db, s.module, &module, err)))
        out->module = module.path;
    if (!status && out->is_loop && s.line_begin) { /* of one without, the name is its address */
        const char *slash = strrchr(out->file, '/');
        snprintf(job->loop_name, sizeof job->loop_name, "%s at %s:%u", s.name, slash ? slash + 1 : out->file,
                 s.line_begin);
        out->name = job->loop_name;
    }
    return status;
}

static bool stands(const export_job *job, uint32_t context) {
    return context && (job->options->loops || job->context[context].kind != HSC_CONTEXT_LOOP);
}

uint32_t export_shown(const export_job *job, uint32_t context) {
    while (context != HSC_NONE && context && !stands(job, context))
        context = job->context[context].parent;
    return context ? context : HSC_NONE;
}

uint32_t export_shown_parent(const export_job *job, uint32_t context) {
    return context && context != HSC_NONE ? export_shown(job, job->context[context].parent) : HSC_NONE;
}

const uint32_t *export_path(export_job *job, uint32_t context, uint32_t *n) {
    *n = 0;
    for (uint32_t c = export_shown(job, context); c != HSC_NONE; c = export_shown_parent(job, c))
        job->path[(*n)++] = c;
    if (!*n)
        job->path[(*n)++] = 0;
    return job->path;
}

unsigned long long export_whole(const export_job *job, double count) {
    double v = count * job->factor;
    return v > 0 ? (unsigned long long)llround(v) : 0;
}

hsc_status export_read_thread(export_job *job, hsc_db_table table, uint32_t thread, uint64_t *n, uint32_t **rows,
                              float **values, hsc_err *err) {
    hsc_db_view view = {job->options->metric, table, HSC_AXIS_THREAD};
    hsc_status s = hsc_db_read_column(job->db, view, thread, n, rows, values, err);
    for (uint64_t i = 0; !s && i < *n; i++)
        if ((*rows)[i] >= job->contexts) {
            s = hsc_err_set(err, HSC_E_FORMAT, "%s: thread %u: expected contexts below %u, got %u", job->info.path,
                            thread, job->contexts, (*rows)[i]);
            free(*rows);
            free(*values);
        }
    return s;
}

void export_thread_name(export_job *job, uint32_t thread, char *buffer, size_t size) {
    hsc_db_thread t;
    hsc_db_process p;
    if (hsc_db_get_thread(job->db, thread, &t, NULL) || hsc_db_get_process(job->db, t.process, &p, NULL)) {
        snprintf(buffer, size, "thread %u", thread);
        return;
    }
    char process[64] = "";
    if (p.rank >= 0)
        snprintf(process, sizeof process, "rank %d", p.rank);
    else if (job->info.processes > 1)
        snprintf(process, sizeof process, "process %u", p.pid);
    if (*process && p.threads == 1)
        snprintf(buffer, size, "%s", process);
    else
        snprintf(buffer, size, "%s%sthread %u", process, *process ? " " : "", t.index);
}

hsc_status hsc_export_write(hsc_db *db, const hsc_export_options *options, FILE *out, hsc_err *err) {
    static hsc_status (*const writers[])(export_job *, hsc_err *) = {
#define HSC_EXPORT(name, constant, function, binary, loops, text) export_##function,
#include "formats.def"
#undef HSC_EXPORT
    };
    export_job job;
    if ((unsigned)options->format >= HSC_EXPORT_FORMATS)
        return hsc_err_set(err, HSC_E_ARGUMENT, "export format %d: expected 0 to %d", (int)options->format,
                           HSC_EXPORT_FORMATS - 1);
    hsc_status s = export_open(&job, db, options, out, err);
    if (s)
        return s;
    s = writers[options->format](&job, err);
    export_close(&job);
    if (!s && (fflush(out) || ferror(out)))
        s = hsc_err_set_errno(err, errno, "cannot write");
    return s;
}

hsc_status export_has_times(export_job *job, bool *out, hsc_err *err) {
    hsc_db_times times;
    hsc_status s = hsc_db_get_times(job->db, &times, err);
    *out = !s && times.present && !job->metric.exact;
    return s;
}

hsc_status export_times_open(export_job *job, uint32_t thread, export_times *t, hsc_err *err) {
    hsc_db_times times;
    double begin = 0, end;
    t->cursor = NULL;
    t->n = t->next = 0;
    hsc_status s = hsc_db_get_times(job->db, &times, err);
    end = s ? 0 : times.end_s;
    hsc_db_get_interval(job->db, &begin, &end);
    return s ? s : hsc_db_samples_open(job->db, thread, begin, end, &t->cursor, err);
}

hsc_status export_times_next(export_job *job, export_times *t, const hsc_db_sample **out, hsc_err *err) {
    for (;;) {
        if (t->next == t->n) {
            hsc_status s = hsc_db_samples_next(t->cursor, sizeof t->block / sizeof *t->block, t->block, &t->n, err);
            t->next = 0;
            if (s || !t->n) {
                *out = NULL;
                return s;
            }
        }
        const hsc_db_sample *p = &t->block[t->next++];
        if (p->metric != job->options->metric || !p->count)
            continue;
        if (p->context >= job->contexts)
            return hsc_err_set(err, HSC_E_FORMAT, "%s: expected contexts below %u, got %u", job->info.path, job->contexts, p->context);
        *out = p;
        return HSC_OK;
    }
}

void export_times_close(export_times *t) {
    hsc_db_samples_close(t->cursor);
    t->cursor = NULL;
}
