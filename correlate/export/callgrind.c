/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Callgrind's format: procedures with their own time on each line, and the calls between them with the inclusive time
 * below each. How often a procedure was called is not known from samples: every call that was seen counts 1. A call
 * that stands on a path twice (recursion) counts its outermost one only. */
#include <stdlib.h>
#include <string.h>

#include "paths.h"

typedef struct call {
    uint32_t caller, callee, line; /* scopes; line number in the caller */
    double inclusive;
} call;

typedef struct own_line {
    uint32_t procedure, file, line;
    double count;
} own_line;

typedef struct profile {
    double *own;      /* [scope]: exclusive of procedures; other scopes 0 */
    double *on_lines; /* [scope]: of `own`, what the lines that belong to it have */
    bool *told;       /* [scope]: name already written */
    call *calls;
    own_line *lines;
    size_t call_count, call_room, line_count, line_room;
} profile;

static hsc_status no_memory(export_job *job, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u scopes", job->info.path, job->info.scopes);
}

static bool grow(void **p, size_t size, size_t count, size_t *room) {
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 256;
    void *q = realloc(*p, more * size);
    if (!q)
        return false;
    *p = q;
    *room = more;
    return true;
}

static bool same_call(export_job *job, uint32_t a, uint32_t b) {
    return job->context[a].scope == job->context[b].scope && job->context[a].call_line == job->context[b].call_line &&
           job->context[export_shown_parent(job, a)].scope == job->context[export_shown_parent(job, b)].scope;
}

/* The call that leads to `context`, unless it stands further up the path already. */
static hsc_status add_call(export_job *job, profile *p, uint32_t context, double inclusive, hsc_err *err) {
    uint32_t caller = export_shown_parent(job, context);
    hsc_db_line line = {0};
    if (caller == HSC_NONE || !(inclusive > 0))
        return HSC_OK;
    for (uint32_t c = caller; export_shown_parent(job, c) != HSC_NONE; c = export_shown_parent(job, c))
        if (same_call(job, c, context))
            return HSC_OK;
    uint32_t row = job->context[context].call_line;
    if (row != HSC_NONE) {
        hsc_status s = hsc_db_get_line(job->db, row, &line, err);
        if (s)
            return s;
    }
    if (!grow((void **)&p->calls, sizeof *p->calls, p->call_count, &p->call_room))
        return no_memory(job, err);
    p->calls[p->call_count++] = (call){job->context[caller].scope, job->context[context].scope, line.line, inclusive};
    return HSC_OK;
}

static hsc_status read_contexts(export_job *job, profile *p, hsc_err *err) {
    hsc_db_view own = {job->options->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD}, all = own;
    all.table = HSC_TABLE_CONTEXT_INCL;
    double exclusive[1024], inclusive[1024];
    for (uint32_t first = 0; first < job->contexts; first += 1024) {
        uint32_t n = job->contexts - first < 1024 ? job->contexts - first : 1024;
        hsc_status s = export_step(job, first, 2.0 * job->contexts, err);
        if (!s)
            s = hsc_db_read_sums(job->db, own, first, n, exclusive, err);
        if (!s)
            s = hsc_db_read_sums(job->db, all, first, n, inclusive, err);
        for (uint32_t i = 0; !s && i < n; i++) {
            uint32_t shown = export_shown(job, first + i);
            p->own[job->context[shown == HSC_NONE ? 0 : shown].scope] += exclusive[i];
            if (shown == first + i)
                s = add_call(job, p, first + i, inclusive[i], err);
        }
        if (s)
            return s;
    }
    return HSC_OK;
}

static hsc_status read_lines(export_job *job, profile *p, hsc_err *err) {
    hsc_db_view view = {job->options->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD};
    double sums[1024];
    for (uint32_t first = 0; first < job->info.lines; first += 1024) {
        uint32_t n = job->info.lines - first < 1024 ? job->info.lines - first : 1024;
        hsc_status s = hsc_db_read_sums(job->db, view, first, n, sums, err);
        for (uint32_t i = 0; !s && i < n; i++) {
            hsc_db_line line;
            hsc_db_scope scope;
            if (!(sums[i] > 0))
                continue;
            if ((s = hsc_db_get_line(job->db, first + i, &line, err)) ||
                (s = hsc_db_get_scope(job->db, line.scope, &scope, err)))
                break;
            uint32_t procedure = scope.kind == HSC_SCOPE_PROCEDURE ? line.scope : scope.procedure;
            if (procedure == HSC_NONE || procedure >= job->info.scopes)
                continue;
            if (!grow((void **)&p->lines, sizeof *p->lines, p->line_count, &p->line_room))
                return no_memory(job, err);
            p->lines[p->line_count++] = (own_line){procedure, line.file, line.line, sums[i]};
            p->on_lines[procedure] += sums[i];
        }
        if (s)
            return s;
    }
    return HSC_OK;
}

static int by_caller(const void *a, const void *b) {
    const call *x = a, *y = b;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static int by_procedure(const void *a, const void *b) {
    const own_line *x = a, *y = b;
    if (x->procedure != y->procedure)
        return x->procedure < y->procedure ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Names are one line each; callgrind has no way to quote. */
static void put_name(FILE *out, const char *text) {
    for (; *text; text++)
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    fputc('\n', out);
}

/* "ob=", "fl=" and "fn=" of a procedure, with `prefix` "c" for one that is called; names in full the first time. */
static hsc_status put_procedure(export_job *job, profile *p, uint32_t scope, const char *prefix, uint32_t *line,
                                hsc_err *err) {
    export_frame f;
    hsc_status s = export_get_frame(job, scope, &f, err);
    if (s)
        return s;
    *line = f.line;
    fprintf(job->out, "%sob=", prefix);
    put_name(job->out, *f.module ? f.module : "???");
    fprintf(job->out, "%s=", *prefix ? "cfi" : "fl");
    put_name(job->out, *f.file ? f.file : "???");
    fprintf(job->out, p->told[scope] ? "%sfn=(%u)\n" : "%sfn=(%u) ", prefix, scope + 1);
    if (!p->told[scope])
        put_name(job->out, f.name);
    p->told[scope] = true;
    return HSC_OK;
}

static hsc_status put_own(export_job *job, profile *p, uint32_t scope, uint32_t line, size_t *next, hsc_err *err) {
    hsc_db_scope self;
    hsc_db_file file;
    hsc_status s = hsc_db_get_scope(job->db, scope, &self, err);
    bool by_line =
        p->on_lines[scope] <= p->own[scope]; /* else others have time on its lines too: templates, inlined copies */
    unsigned long long left = export_whole(job, p->own[scope]);
    uint32_t file_now = self.file;
    while (*next < p->line_count && p->lines[*next].procedure < scope)
        ++*next;
    for (; !s && *next < p->line_count && p->lines[*next].procedure == scope; ++*next) {
        const own_line *l = &p->lines[*next];
        unsigned long long v = export_whole(job, l->count);
        if (!by_line || v > left)
            continue;
        if (l->file != file_now && !(s = hsc_db_get_file(job->db, l->file, &file, err))) {
            fputs("fi=", job->out);
            put_name(job->out, file.path);
            file_now = l->file;
        }
        fprintf(job->out, "%u %llu\n", l->line, v);
        left -= v;
    }
    if (!s && file_now != self.file && self.file != HSC_NONE &&
        !(s = hsc_db_get_file(job->db, self.file, &file, err))) {
        fputs("fe=", job->out);
        put_name(job->out, file.path);
    }
    if (!s && left)
        fprintf(job->out, "%u %llu\n", line, left);
    return s;
}

static hsc_status put_all(export_job *job, profile *p, hsc_err *err) {
    size_t next_line = 0, k = 0;
    hsc_status s = HSC_OK;
    for (uint32_t scope = 0; !s && scope < job->info.scopes; scope++) {
        bool calls = k < p->call_count && p->calls[k].caller == scope;
        uint32_t line, there;
        if (!calls && !(p->own[scope] > 0))
            continue;
        fputc('\n', job->out);
        s = put_procedure(job, p, scope, "", &line, err);
        if (!s)
            s = put_own(job, p, scope, line, &next_line, err);
        while (!s && k < p->call_count && p->calls[k].caller == scope) {
            call c = p->calls[k];
            unsigned long long seen = 0;
            for (c.inclusive = 0; k < p->call_count && !by_caller(&p->calls[k], &c); k++, seen++)
                c.inclusive += p->calls[k].inclusive;
            s = put_procedure(job, p, c.callee, "c", &there, err);
            if (!s)
                fprintf(job->out, "calls=%llu %u\n%u %llu\n", seen, there, c.line ? c.line : line,
                        export_whole(job, c.inclusive));
        }
        if (!s)
            s = export_step(job, job->info.scopes + scope, 2.0 * job->info.scopes, err);
    }
    return s;
}

/* "CPU_time_nanoseconds": letters, digits and _, as readers want it. malloc'ed. */
static char *event_name(const export_job *job) {
    char *name = NULL;
    if (asprintf(&name, "%s%s%s", job->metric.name, job->unit[0] ? "_" : "", job->unit) < 0)
        return NULL;
    for (char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (c > name && *c >= '0' && *c <= '9')))
            *c = '_';
    return name;
}

hsc_status export_callgrind(export_job *job, hsc_err *err) {
    size_t n = job->info.scopes ? job->info.scopes : 1;
    profile p = {
        .own = calloc(n, sizeof *p.own), .on_lines = calloc(n, sizeof *p.on_lines), .told = calloc(n, sizeof *p.told)};
    hsc_status s = p.own && p.on_lines && p.told ? HSC_OK : no_memory(job, err);
    if (!s)
        s = read_contexts(job, &p, err);
    if (!s)
        s = read_lines(job, &p, err);
    if (!s) {
        unsigned long long total = 0;
        for (size_t i = 0; i < n; i++)
            total += export_whole(job, p.own[i]);
        if (p.call_count)
            qsort(p.calls, p.call_count, sizeof *p.calls, by_caller);
        if (p.line_count)
            qsort(p.lines, p.line_count, sizeof *p.lines, by_procedure);
        char *event = event_name(job);
        if (!event)
            s = no_memory(job, err);
        fputs("# callgrind format\nversion: 1\ncreator: heatscope\ncmd: ", job->out);
        put_name(job->out, job->info.command);
        fprintf(job->out,
                "desc: calls are calls seen in samples, not calls made\npositions: line\nevent: %s : %s (%s)\nevents: %s\nsummary: %llu\n",
                event ? event : "", job->metric.name, job->unit, event ? event : "", total);
        free(event);
        if (!s)
            s = put_all(job, &p, err);
        fprintf(job->out, "\ntotals: %llu\n", total);
    }
    free(p.own);
    free(p.on_lines);
    free(p.told);
    free(p.calls);
    free(p.lines);
    return s;
}
