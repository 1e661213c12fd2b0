/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Everything into the store: columns by schema.def, then the value tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <heatscope/sorted.h>
#include "../store/source.h"
#include "emit.h"
#include "made.h"
#include "ranks.h"

static void put_modules(emit *e) {
    join *j = e->j;
    size_t n = j->modules.n;
    const char **ids = calloc(n + 1, sizeof *ids);
    for (size_t i = 0; ids && i < n; i++) {
        char hex[130] = "";
        for (size_t k = 0; k < j->modules.p[i].build_id_size && k < 64; k++)
            snprintf(hex + 2 * k, 3, "%02x", j->modules.p[i].build_id[k]);
        ids[i] = hsc_pool_intern(&j->pool, hex, sizeof hex);
    }
    if (!ids && e->status == HSC_OK)
        e->status = hsc_join_no_memory(e->err);
    COLUMN(e, module_path, text, n, j->modules.p[i].path);
    COLUMN(e, module_build_id, text, n, ids[i]);
    COLUMN(e, module_knowledge, uint8_t, n, i == j->unknown_module ? HSC_KNOWN_NOTHING : j->modules.p[i].tables.knowledge);
    COLUMN(e, module_note, text, n, j->modules.p[i].tables.note ? j->modules.p[i].tables.note : "");
    free(ids);
}

static void put_static(emit *e) {
    join *j = e->j;
    put_modules(e);
    size_t n = j->files.n;
    COLUMN(e, file_path, text, n, j->files.p[i].path);
    COLUMN(e, file_module, uint32_t, n, j->files.p[i].module);
    COLUMN(e, file_has_lines, uint8_t, n, j->files.p[i].has_lines);
    COLUMN(e, file_checksum, text, n, j->files.p[i].checksum);
    n = j->scopes.n;
    const jscope *s = j->scopes.p;
    COLUMN(e, scope_tag, uint64_t, n, s[i].tag);
    COLUMN(e, scope_parent, uint32_t, n, s[i].parent);
    COLUMN(e, scope_subtree_end, uint32_t, n, s[i].subtree_end);
    COLUMN(e, scope_kind, uint8_t, n, s[i].kind);
    COLUMN(e, scope_knowledge, uint8_t, n, s[i].knowledge);
    COLUMN(e, scope_name, text, n, s[i].name);
    COLUMN(e, scope_procedure, uint32_t, n, s[i].procedure);
    COLUMN(e, scope_module, uint32_t, n, s[i].module);
    COLUMN(e, scope_file, uint32_t, n, s[i].file);
    COLUMN(e, scope_line_begin, uint32_t, n, s[i].line_begin);
    COLUMN(e, scope_line_end, uint32_t, n, s[i].line_end);
    COLUMN(e, scope_depth, uint8_t, n, s[i].depth < 255 ? s[i].depth : 255);
    COLUMN(e, scope_unoptimised, uint8_t, n, s[i].is_unoptimised);
    n = j->lines.n;
    COLUMN(e, line_file, uint32_t, n, j->lines.p[i].file);
    COLUMN(e, line_line, uint32_t, n, j->lines.p[i].line);
    COLUMN(e, line_scope, uint32_t, n, j->lines.p[i].scope);
    n = j->instances.n;
    const jinstance *v = j->instances.p;
    COLUMN(e, instance_scope, uint32_t, n, v[i].scope);
    COLUMN(e, instance_function, uint32_t, n, v[i].function);
    COLUMN(e, instance_version, uint8_t, n, v[i].version < 255 ? v[i].version : 0);
    COLUMN(e, instance_vector_bytes, uint16_t, n, v[i].vector_bytes < 65535 ? v[i].vector_bytes : 0);
    COLUMN(e, instance_vector_width, uint16_t, n, v[i].vector_width < 65535 ? v[i].vector_width : 0);
    COLUMN(e, instance_interleave, uint16_t, n, v[i].interleave < 65535 ? v[i].interleave : 0);
    COLUMN(e, instance_unroll, uint16_t, n, v[i].unroll < 65535 ? v[i].unroll : 0);
    COLUMN(e, instance_parent, uint32_t, n, v[i].parent);
    n = j->remarks.n;
    const jremark *r = j->remarks.p;
    COLUMN(e, remark_scope, uint32_t, n, r[i].scope);
    COLUMN(e, remark_file, uint32_t, n, r[i].file);
    COLUMN(e, remark_line, uint32_t, n, r[i].line);
    COLUMN(e, remark_kind, uint8_t, n, r[i].kind < 255 ? r[i].kind : 0);
    COLUMN(e, remark_pass, text, n, r[i].pass);
    COLUMN(e, remark_name, text, n, r[i].name);
    COLUMN(e, remark_message, text, n, r[i].message);
    COLUMN(e, remark_reason, uint8_t, n, r[i].reason < 255 ? r[i].reason : 0);
    COLUMN(e, remark_count, uint32_t, n, r[i].count);
    COLUMN(e, remark_function, uint32_t, n, r[i].function);
    n = j->dependences.n;
    const jdependence *d = j->dependences.p;
    COLUMN(e, dependence_scope, uint32_t, n, d[i].scope);
    COLUMN(e, dependence_kind, uint8_t, n, d[i].kind < 255 ? d[i].kind : 255);
    COLUMN(e, dependence_verdict, uint8_t, n, d[i].verdict < 255 ? d[i].verdict : 255);
    COLUMN(e, dependence_has_distance, uint8_t, n, d[i].has_distance);
    COLUMN(e, dependence_distance, uint64_t, n, d[i].distance);
    COLUMN(e, dependence_source_file, uint32_t, n, d[i].source_file);
    COLUMN(e, dependence_source_line, uint32_t, n, d[i].source_line);
    COLUMN(e, dependence_source_column, uint32_t, n, d[i].source_column);
    COLUMN(e, dependence_sink_file, uint32_t, n, d[i].sink_file);
    COLUMN(e, dependence_sink_line, uint32_t, n, d[i].sink_line);
    COLUMN(e, dependence_sink_column, uint32_t, n, d[i].sink_column);
}

/* The text of each file that is the one of the build. A file that can't be had is counted, not an error. */
static void put_sources(emit *e) {
    join *j = e->j;
    for (uint32_t i = 0; e->status == HSC_OK && i < j->files.n; i++) {
        const jfile *f = &j->files.p[i];
        char *bytes = NULL;
        size_t size = 0;
        bool changed = false;
        struct stat st;
        hsc_err unused;
        if (!f->has_lines)
            continue;
        hsc_status status = hsc_source_read(f->path, f->checksum, &bytes, &size, &changed, &st, &unused);
        if (status == HSC_E_MEMORY) {
            e->status = hsc_join_no_memory(e->err);
            return;
        }
        if (status != HSC_OK) {
            j->summary->sources_missing++;
            continue;
        }
        if (!f->checksum[0] && f->module < j->modules.n)
            changed = hsc_source_is_younger(&st, j->modules.p[f->module].path, 0);
        if (changed)
            j->summary->sources_changed++;
        else
            j->summary->sources_embedded++;
        if (!changed)
            e->status = hsc_store_put_source(e->s, i, bytes, size, e->err);
        free(bytes);
        if (e->status == HSC_OK)
            e->status = hsc_join_check(j, e->err);
    }
}

/* Seconds since the start of the run of a monotonic time of process p. */
double hsc_join_run_time(const join *j, const jprocess *p, uint64_t mono_ns) {
    if (!p->has_start || !mono_ns)
        return 0;
    return ((double)p->start_unix_ns - (double)j->origin_ns) * 1e-9 + ((double)mono_ns - (double)p->start_ns) * 1e-9;
}

double hsc_join_end_of(const join *j, const jprocess *p) {
    uint64_t end = p->has_end ? p->end_ns : p->last_ns;
    double t = hsc_join_run_time(j, p, end);
    return t > 0 ? t : hsc_join_run_time(j, p, p->start_ns);
}

/* By thread, the row of its process; NULL: no memory. */
static uint32_t *process_rows(const join *j) {
    uint32_t *process = malloc((j->threads.n + 1) * sizeof *process);
    for (size_t k = 0, row = 0; process && k < j->threads.n; k++) {
        while (j->run.p[row] != j->threads.p[k]->process)
            row++;
        process[k] = (uint32_t)row;
    }
    return process;
}

static void put_dynamic(emit *e) {
    join *j = e->j;
    size_t n = j->run.n;
    jprocess **p = j->run.p;
    COLUMN(e, process_rank, int32_t, n, p[i]->rank);
    COLUMN(e, process_pid, uint32_t, n, p[i]->pid);
    COLUMN(e, process_host, text, n, p[i]->host);
    COLUMN(e, process_executable, text, n, p[i]->executable);
    COLUMN(e, process_arguments, text, n, p[i]->arguments);
    COLUMN(e, process_mechanism, text, n, p[i]->mechanism);
    COLUMN(e, process_mechanism_note, text, n, p[i]->mechanism_note);
    COLUMN(e, process_vector_bytes, uint16_t, n, p[i]->vector_bytes < 65535 ? p[i]->vector_bytes : 0);
    COLUMN(e, process_environment, text, n, p[i]->environment);
    COLUMN(e, process_end, text, n, hsc_join_end_text(j, p[i]));
    COLUMN(e, process_begin_s, double, n, hsc_join_run_time(j, p[i], p[i]->start_ns));
    COLUMN(e, process_end_s, double, n, hsc_join_end_of(j, p[i]));
    n = j->threads.n;
    jthread **t = j->threads.p;
    uint32_t *process = process_rows(j), *index = malloc((n + 1) * 4);
    if ((!process || !index) && e->status == HSC_OK)
        e->status = hsc_join_no_memory(e->err);
    for (size_t k = 0; e->status == HSC_OK && k < n; k++)
        index[k] = k && process[k - 1] == process[k] ? index[k - 1] + 1 : 0;
    COLUMN(e, thread_process, uint32_t, n, process[i]);
    COLUMN(e, thread_index, uint32_t, n, index[i]);
    COLUMN(e, thread_tid, uint32_t, n, t[i]->tid);
    COLUMN(e, thread_name, text, n, t[i]->name);
    COLUMN(e, thread_begin_s, double, n, hsc_join_run_time(j, t[i]->process, t[i]->begin_ns));
    COLUMN(e, thread_end_s, double, n, t[i]->end_ns ? hsc_join_run_time(j, t[i]->process, t[i]->end_ns) : hsc_join_end_of(j, t[i]->process));
    COLUMN(e, thread_cpu_s, double, n, (double)t[i]->cpu_ns * 1e-9);
    /* what is estimated from visits may exceed all there is */
    COLUMN(e, thread_own_s, double, n, (double)(t[i]->cpu_ns && t[i]->own_ns > t[i]->cpu_ns ? t[i]->cpu_ns : t[i]->own_ns) * 1e-9);
    COLUMN(e, thread_samples, uint64_t, n, t[i]->samples * t[i]->process->weight);
    COLUMN(e, thread_lost, uint64_t, n, t[i]->said_lost * t[i]->process->weight);
    COLUMN(e, thread_truncated, uint64_t, n, t[i]->truncated * t[i]->process->weight);
    COLUMN(e, thread_records, uint64_t, n, t[i]->records);
    COLUMN(e, thread_user_s, double, n, t[i]->usage.time ? (double)t[i]->usage.user_ns * 1e-9 : -1);
    COLUMN(e, thread_system_s, double, n, (double)t[i]->usage.system_ns * 1e-9);
    COLUMN(e, thread_minor_faults, uint64_t, n, t[i]->usage.minor_faults);
    COLUMN(e, thread_major_faults, uint64_t, n, t[i]->usage.major_faults);
    COLUMN(e, thread_voluntary_switches, uint64_t, n, t[i]->usage.voluntary_switches);
    COLUMN(e, thread_involuntary_switches, uint64_t, n, t[i]->usage.involuntary_switches);
    COLUMN(e, thread_runnable_s, double, n, t[i]->usage.run_ns || t[i]->usage.runnable_ns ? (double)t[i]->usage.runnable_ns * 1e-9 : -1);
    COLUMN(e, thread_idle, uint8_t, n, t[i]->idle);
    free(process);
    free(index);
    n = j->metrics.n;
    COLUMN(e, metric_name, text, n, j->metrics.p[i].name);
    COLUMN(e, metric_unit, text, n, j->metrics.p[i].unit);
    COLUMN(e, metric_scale, double, n, j->metrics.p[i].scale);
    COLUMN(e, metric_exact, uint8_t, n, j->metrics.p[i].exact);
    COLUMN(e, metric_weights_of, uint32_t, n, j->metrics.p[i].weights_of);
    COLUMN(e, category_name, text, j->categories.n, j->categories.p[i]);
    n = j->contexts.n;
    COLUMN(e, context_parent, uint32_t, n, j->contexts.p[i].parent);
    COLUMN(e, context_subtree_end, uint32_t, n, j->subtree_ends.p[i]);
    COLUMN(e, context_kind, uint8_t, n, j->contexts.p[i].kind);
    COLUMN(e, context_scope, uint32_t, n, j->contexts.p[i].scope);
    COLUMN(e, context_call_line, uint32_t, n, j->contexts.p[i].call_line);
    COLUMN(e, context_depth, uint16_t, n, j->depths.p[i] < 65535 ? j->depths.p[i] : 65535);
    n = j->ledger.n;
    COLUMN(e, ledger_name, text, n, j->ledger.p[i].name);
    COLUMN(e, ledger_meaning, text, n, j->ledger.p[i].meaning);
    COLUMN(e, ledger_samples, uint64_t, n, j->ledger.p[i].samples);
    COLUMN(e, ledger_seconds, double, n, j->ledger.p[i].seconds);
    COLUMN(e, ledger_group, uint32_t, n, j->ledger.p[i].group);
    n = j->processes.n;
    const jprocess *f = j->processes.p;
    COLUMN(e, stream_path, text, n, f[i].path);
    COLUMN(e, stream_chunks, uint64_t, n, f[i].chunks);
    COLUMN(e, stream_chunks_unsealed, uint64_t, n, f[i].chunks_unsealed);
    COLUMN(e, stream_chunks_bad, uint64_t, n, f[i].chunks_bad);
    COLUMN(e, stream_records, uint64_t, n, f[i].records);
    COLUMN(e, stream_records_bad, uint64_t, n, f[i].records_bad);
}

uint32_t hsc_join_thread_row(const jprocess *p, uint64_t id) {
    size_t low = 0, high = p->threads.n; /* sorted by id */
    HSC_SEARCH(low, high, p->threads.p[low].id < id);
    return low < p->threads.n && p->threads.p[low].id == id ? p->threads.p[low].row : HSC_NO_INDEX;
}

static void put_attributes(emit *e) {
    join *j = e->j;
    char title[512], created[64] = "";
    double begin = HUGE_VAL, end = 0;
    uint32_t ranks = 0;
    j->origin_ns = 0;
    for (size_t i = 0; i < j->run.n; i++)
        if (j->run.p[i]->has_start && (!j->origin_ns || j->run.p[i]->start_unix_ns < j->origin_ns))
            j->origin_ns = j->run.p[i]->start_unix_ns;
    for (size_t i = 0; i < j->run.n; i++) {
        double b = hsc_join_run_time(j, j->run.p[i], j->run.p[i]->start_ns), d = hsc_join_end_of(j, j->run.p[i]);
        begin = b < begin ? b : begin;
        end = d > end ? d : end;
        ranks += j->run.p[i]->rank >= 0 && (!i || j->run.p[i - 1]->rank != j->run.p[i]->rank); /* programs that a rank starts have its number, too */
    }
    snprintf(title, sizeof title, "%.200s", j->scopes.p[0].name);
    size_t n = strlen(title);
    if (ranks)
        snprintf(title + n, sizeof title - n, ", %u MPI rank%s", ranks, ranks == 1 ? "" : "s");
    else if (j->run.n > 1)
        snprintf(title + n, sizeof title - n, ", %zu processes", j->run.n);
    n = strlen(title);
    size_t programs = hsc_join_count_programs(j);
    if (programs > 1)
        snprintf(title + n, sizeof title - n, " of %zu programs", programs);
    n = strlen(title);
    if (j->run.p[0]->job[0])
        snprintf(title + n, sizeof title - n, ", job %.100s", j->run.p[0]->job);
    time_t seconds = (time_t)(j->origin_ns / 1000000000u);
    struct tm tm;
    if (j->origin_ns && gmtime_r(&seconds, &tm))
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &tm);
    j->summary->wall_s = end > begin ? end - begin : 0;
    if (e->status == HSC_OK)
        e->status = hsc_store_put_text(e->s, "title", title, e->err);
    if (e->status == HSC_OK)
        e->status = hsc_store_put_text(e->s, "command", hsc_join_started(j)->arguments, e->err);
    if (e->status == HSC_OK)
        e->status = hsc_store_put_text(e->s, "created", created, e->err);
    if (e->status == HSC_OK)
        e->status = hsc_store_put_number(e->s, "cpu_s", j->summary->cpu_s, e->err);
    if (e->status == HSC_OK)
        e->status = hsc_store_put_number(e->s, "wall_s", j->summary->wall_s, e->err);
}

static void put_all_values(emit *e) {
    static const hsc_db_table tables[] = {HSC_TABLE_LINE,         HSC_TABLE_LINE_INCL, HSC_TABLE_SCOPE_EXCL,
                                          HSC_TABLE_SCOPE_INCL,   HSC_TABLE_SCOPE_CATEGORY,
                                          HSC_TABLE_CONTEXT_EXCL, HSC_TABLE_INSTANCE,  HSC_TABLE_INSTRUCTION};
    enum { TABLES = sizeof tables / sizeof *tables };
    join *j = e->j;
    hsc_join_table some[TABLES];
    size_t all = j->metrics.n * TABLES, most = hsc_ranks_count(j) < TABLES ? hsc_ranks_count(j) : TABLES;
    for (size_t first = 0, n; first < all && e->status == HSC_OK; first += n) {
        for (n = 0; n < most && first + n < all; n++)
            some[n] = (hsc_join_table){(uint32_t)((first + n) / TABLES), tables[(first + n) % TABLES]};
        e->status = hsc_join_put_tables(j, e->s, some, n, e->err);
        if (e->status == HSC_OK)
            e->status = hsc_join_check(j, e->err);
    }
}

static void tell_metrics(emit *e) {
    const join *j = e->j;
    size_t n = j->metrics.n;
    const char **units = malloc((n + 1) * sizeof *units);
    double *scales = malloc((n + 1) * sizeof *scales);
    for (size_t i = 0; units && scales && i < n; i++) {
        units[i] = j->metrics.p[i].unit;
        scales[i] = j->metrics.p[i].scale;
    }
    e->status = units && scales ? hsc_store_tell_metrics(e->s, units, scales, n, e->err) : hsc_join_no_memory(e->err);
    free(units);
    free(scales);
}

/* What the other ranks do meanwhile: the same blocks of threads and tables in the same order, and some of the tables. */
static hsc_status help_emit(join *j, hsc_err *err) {
    emit e = {.j = j, .err = err};
    uint32_t *process = process_rows(j);
    e.status = process ? hsc_join_put_times(j, NULL, err) : hsc_join_no_memory(err);
    if (e.status == HSC_OK)
        e.status = hsc_store_create_apart(j->options->output, j->workers, process, (uint32_t)j->threads.n, j->run.n, &e.s, err);
    free(process);
    if (e.status != HSC_OK)
        return e.status;
    hsc_store_set_memory(e.s, hsc_join_part_of_memory(j, 8, (uint64_t)1 << 20, UINT64_MAX));
    tell_metrics(&e);
    put_all_values(&e);
    hsc_store_abort(e.s);
    return e.status;
}

hsc_status hsc_join_emit(join *j, hsc_err *err) {
    if (!hsc_ranks_is_first(j))
        return help_emit(j, err);
    emit e = {.j = j, .err = err};
    unsigned workers = j->workers;
    if (j->team && !j->options->workers) { /* the other ranks have little to do meanwhile */
        j->team->widen(j->team->ctx);
        workers = j->team->cpus;
    }
    e.status = hsc_store_create(j->options->output, workers, &e.s, err);
    if (e.status != HSC_OK)
        return e.status;
    hsc_store_set_memo(e.s, hsc_made_get_memo(j));
    hsc_made_set_before(j, e.s);
    hsc_store_set_bad_before(e.s, &j->bad_before);
    hsc_store_set_memory(e.s, hsc_join_part_of_memory(j, 8, (uint64_t)1 << 20, UINT64_MAX));
    put_attributes(&e);
    put_static(&e);
    if (j->options->embed_sources)
        put_sources(&e);
    put_dynamic(&e);
    if (e.status == HSC_OK)
        e.status = hsc_join_put_details_of_all(j, e.s, err);
    if (e.status == HSC_OK)
        e.status = hsc_join_put_times(j, e.s, err);
    if (e.status == HSC_OK)
        e.status = hsc_join_put_data(j, e.s, err);
    if (e.status == HSC_OK)
        e.status = hsc_join_emit_blame(j, e.s, err);
    if (e.status == HSC_OK)
        e.status = hsc_join_put_instructions(j, e.s, err);
    put_all_values(&e);
    if (e.status != HSC_OK) {
        hsc_store_abort(e.s);
        return e.status;
    }
    struct stat made = {0};
    hsc_store_set_made(e.s, &made);
    e.status = hsc_store_commit(e.s, err);
    j->made_facts = e.status == HSC_OK && made.st_ino ? hsc_file_facts_of(&made) : (hsc_file_facts){0};
    return e.status;
}
