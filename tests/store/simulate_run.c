/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A simulated run of a simulated program: samples of every thread, joined and written as the correlator would. */
#include "simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <heatscope/formats/records.h>

#include "simulate_put.h"

/* Newton's square root: the same bits with any C library. */
static double sim_sqrt(double v) {
    double x = v > 1 ? v : 1;
    for (int i = 0; i < 64; i++) {
        double y = 0.5 * (x + v / x);
        if (y >= x)
            break;
        x = y;
    }
    return x;
}

uint32_t sim_count(sim_random *r, double mean) {
    double g = -6; /* sum of twelve: about normal */
    for (int i = 0; i < 12; i++)
        g += sim_unit(r);
    double v = mean < 2 ? mean + 2 * (sim_unit(r) - 0.5) * mean + sim_unit(r) : mean + g * sim_sqrt(mean) + sim_unit(r);
    return v < 1 ? 0 : v > 4e9 ? 4000000000u : (uint32_t)v;
}

/* ---- sparse values, threads in order ---- */

typedef struct table {
    uint64_t rows, nnz, capacity;
    uint64_t *thread_begin; /* threads + 1 */
    uint32_t *row, *count;
    uint32_t *dense, *touched, n_touched; /* of the thread under way */
} table;

static void table_init(table *t, uint64_t rows, uint32_t threads) {
    *t = (table){.rows = rows};
    t->thread_begin = sim_must(calloc((uint64_t)threads + 1, sizeof *t->thread_begin));
    t->dense = sim_must(calloc(rows + 1, sizeof *t->dense));
    t->touched = sim_must(malloc((rows + 1) * sizeof *t->touched));
}

static void table_add(table *t, uint64_t row, uint32_t count) {
    if (!count)
        return;
    if (!t->dense[row])
        t->touched[t->n_touched++] = (uint32_t)row;
    t->dense[row] += count;
}

static void table_end_thread(table *t, uint32_t thread) {
    if (t->nnz + t->n_touched > t->capacity) {
        t->capacity = 2 * (t->nnz + t->n_touched) + 1024;
        t->row = sim_must(realloc(t->row, t->capacity * sizeof *t->row));
        t->count = sim_must(realloc(t->count, t->capacity * sizeof *t->count));
    }
    for (uint32_t i = 0; i < t->n_touched; i++) {
        t->row[t->nnz] = t->touched[i];
        t->count[t->nnz++] = t->dense[t->touched[i]];
        t->dense[t->touched[i]] = 0;
    }
    t->n_touched = 0;
    t->thread_begin[thread + 1] = t->nnz;
}

/* The rows, as threads. */
static hsc_status put_by_thread(hsc_store *s, const table *t, uint32_t threads, const uint64_t *indptr, const uint32_t *indices, const uint32_t *counts,
                                hsc_err *err) {
    uint32_t *rows = sim_must(malloc((t->nnz + 1) * sizeof *rows)), *of = sim_must(malloc((t->nnz + 1) * sizeof *of));
    uint64_t *at = sim_must(malloc((threads + 1) * sizeof *at));
    memcpy(at, t->thread_begin, (threads + 1) * sizeof *at);
    for (uint64_t r = 0; r < t->rows; r++)
        for (uint64_t k = indptr[r]; k < indptr[r + 1]; k++) {
            rows[at[indices[k]]] = (uint32_t)r;
            of[at[indices[k]]++] = counts[k];
        }
    hsc_status status = hsc_store_put_threads(s, threads, t->thread_begin, rows, of, err);
    free(rows);
    free(of);
    free(at);
    return status;
}

static hsc_status table_write(hsc_store *s, hsc_db_table id, table *t, uint32_t threads, bool bands, hsc_err *err) {
    uint64_t *indptr = sim_must(calloc(t->rows + 2, sizeof *indptr));
    uint32_t *indices = sim_must(malloc((t->nnz + 1) * sizeof *indices)), *counts = sim_must(malloc((t->nnz + 1) * sizeof *counts));
    for (uint64_t k = 0; k < t->nnz; k++)
        indptr[t->row[k] + 2]++;
    for (uint64_t r = 0; r < t->rows; r++)
        indptr[r + 2] += indptr[r + 1];
    for (uint32_t c = 0; c < threads; c++)
        for (uint64_t k = t->thread_begin[c]; k < t->thread_begin[c + 1]; k++) {
            uint64_t at = indptr[t->row[k] + 1]++;
            indices[at] = c;
            counts[at] = t->count[k];
        }
    free(t->row);
    free(t->count);
    hsc_status status = hsc_store_begin_values(s, 0, id, t->rows, threads, err);
    enum { BLOCK = 1 << 16 };
    if (!status && bands)
        status = put_by_thread(s, t, threads, indptr, indices, counts, err);
    for (uint64_t r = bands ? t->rows : 0; r < t->rows && !status; r += BLOCK) { /* in blocks, as a correlator would */
        uint64_t n = t->rows - r < BLOCK ? t->rows - r : BLOCK, base = indptr[r];
        uint64_t *relative = sim_must(malloc((n + 1) * sizeof *relative));
        for (uint64_t i = 0; i <= n; i++)
            relative[i] = indptr[r + i] - base;
        status = hsc_store_put_rows(s, n, relative, indices + base, counts + base, err);
        free(relative);
    }
    if (!status)
        status = hsc_store_end_values(s, err);
    free(indptr);
    free(indices);
    free(counts);
    free(t->thread_begin);
    free(t->dense);
    free(t->touched);
    return status;
}

/* ---- samples ---- */

typedef struct sim_leaf { /* what a thread's samples are: for --times */
    uint32_t line, context, category, count, row;
} sim_leaf;

typedef struct run {
    sim_program *p;
    sim_leaf *leaves;
    uint32_t n_leaves, leaf_capacity, *leaf_begin; /* by thread */
    table line, line_incl, scope_excl, scope_incl, context, instance, category;
    uint32_t *hot, n_hot, *first_instance, n_instances; /* by scope; none */
    uint32_t *stamp;                                    /* by scope: file, module seen on this path */
    uint32_t stamp_now;
    uint64_t *samples, *map_samples;                    /* by thread */
} run;

static const sim_line *lines_to_sort;

static int by_weight(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double wx = lines_to_sort[x].weight, wy = lines_to_sort[y].weight;
    return wx > wy ? -1 : wx < wy ? 1 : x < y ? -1 : x > y;
}

/* How the work of a procedure is spread: 0 and others evenly; 1 rising with the rank; 2 rank 0 has three times as much;
 * 3 the outermost ranks have half; 7 only a quarter of the ranks. */
static double share(const run *r, const sim_scope *procedure, uint32_t process) {
    uint32_t n = r->p->options.processes;
    switch (procedure->mode) {
    case 1:
        return 0.6 + 0.8 * (n > 1 ? (double)process / (n - 1) : 0.5);
    case 2:
        return process ? 1 : 3;
    case 3:
        return process == 0 || process == n - 1 ? 0.5 : 1;
    case 7:
        return process * 4 / n == (uint32_t)procedure->procedure % 4 ? 2 : 0;
    default:
        return 1;
    }
}

/* Adds `count` samples of a line in a context to everything they count for. */
static void add_path(run *r, uint32_t line, uint32_t context, uint32_t category, uint32_t count) {
    sim_program *p = r->p;
    if ((p->options.times || p->options.counts) && count) {
        r->leaves = sim_grow(r->leaves, r->n_leaves, &r->leaf_capacity, sizeof *r->leaves);
        r->leaves[r->n_leaves++] = (sim_leaf){line, context, category, count, 0};
    }
    table_add(&r->context, context, count);
    table_add(&r->line_incl, line, count);
    r->stamp_now++;
    for (uint32_t c = context;; c = p->contexts[c].parent) {
        uint32_t s = p->contexts[c].scope;
        table_add(&r->scope_incl, s, count);
        table_add(&r->category, (uint64_t)s * SIM_CATEGORIES + category, count);
        if (p->scopes[s].kind == HSC_SCOPE_PROCEDURE)
            for (uint32_t up = p->scopes[s].parent; up; up = p->scopes[up].parent)
                if (r->stamp[up] != r->stamp_now) {
                    r->stamp[up] = r->stamp_now;
                    table_add(&r->scope_incl, up, count);
                    table_add(&r->category, (uint64_t)up * SIM_CATEGORIES + category, count);
                }
        if (p->contexts[c].call_line != HSC_NONE)
            table_add(&r->line_incl, p->contexts[c].call_line, count);
        if (!c)
            break;
    }
}

static void add_samples(run *r, uint32_t thread, uint32_t line, uint32_t scope, uint32_t count) {
    sim_program *p = r->p;
    const sim_scope *s = &p->scopes[scope], *procedure = &p->scopes[s->procedure];
    if (!count)
        return;
    table_add(&r->line, line, count);
    table_add(&r->scope_excl, scope, count);
    r->samples[thread] += count;
    if (procedure->knowledge == HSC_KNOWN_MAP)
        r->map_samples[thread] += count;
    uint32_t second = p->second_context[scope] == HSC_NONE ? 0 : count / 3;
    if (second)
        add_path(r, line, p->second_context[scope], procedure->category, second);
    add_path(r, line, p->first_context[scope], procedure->category, count - second);
    if (r->first_instance[scope] != HSC_NONE) { /* vector body and its remainder */
        uint32_t rest = scope % 5 == 0 ? count : count / 16;
        table_add(&r->instance, r->first_instance[scope], count - rest);
        table_add(&r->instance, r->first_instance[scope] + 1, rest);
    }
}

static void run_thread(run *r, uint32_t thread, uint32_t process, uint32_t hot_per_thread, uint32_t cold_per_thread) {
    sim_program *p = r->p;
    const sim_options *o = &p->options;
    sim_random random = {((uint64_t)o->seed << 32) ^ (0x51ED2701u + (uint64_t)thread * 0x9E3779B9u)};
    double slow = 0.97 + 0.06 * sim_unit(&random);
    uint64_t work = 0;
    for (uint32_t i = 0; i < hot_per_thread; i++) {
        const sim_line *l = &p->lines[r->hot[i]];
        const sim_scope *s = &p->scopes[l->scope];
        if (s->procedure == HSC_NONE)
            continue;
        uint32_t n = sim_count(&random, slow * o->samples * l->weight * share(r, &p->scopes[s->procedure], process));
        add_samples(r, thread, r->hot[i], l->scope, n);
        work += n;
    }
    /* cold lines: each group of threads has its own neighbourhood of the program */
    uint32_t own_lines = p->n_lines - 2, window = own_lines / 8 + 1;
    uint32_t from = (uint32_t)((uint64_t)(thread / 16) * 7919 * 31 % own_lines);
    for (uint32_t i = 0; i < cold_per_thread; i++) {
        uint32_t row = (from + sim_below(&random, window)) % own_lines;
        uint32_t scope = p->lines[row].scope;
        if (p->scopes[scope].procedure == HSC_NONE)
            continue;
        uint32_t n = 1 + sim_below(&random, 3);
        add_samples(r, thread, row, scope, n);
        work += n;
    }
    if (o->processes > 1) { /* who has less work waits longer */
        double all = 1.5 * o->samples;
        uint32_t wait = all > (double)work ? (uint32_t)(all - (double)work) : 0;
        for (uint32_t i = 0; i < p->n_library; i++) {
            uint32_t s = p->procedures[p->n_procedures - p->n_library + i];
            static const double parts[] = {0.6, 0.25, 0.05, 0.02, 0.08};
            add_samples(r, thread, p->scopes[s].first_line, s, sim_count(&random, wait * parts[i % 5]));
        }
    }
    r->leaf_begin[thread + 1] = r->n_leaves;
    table *all[] = {&r->line, &r->line_incl, &r->scope_excl, &r->scope_incl, &r->context, &r->instance, &r->category};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        table_end_thread(all[i], thread);
}

/* ---- tables ---- */

static hsc_status put_static(hsc_store *s, run *r, hsc_err *err) {
    sim_program *p = r->p;
    hsc_status status = HSC_OK;
    static const char *const modules[] = {"/simulated/bin/model", "/usr/lib/x86_64-linux-gnu/libmpi.so.40",
                                          "/usr/lib/x86_64-linux-gnu/libc.so.6"};
    static const char *const ids[] = {"00112233445566778899aabbccddeeff00112233", "0123456789abcdef0123456789abcdef01234567", ""};
    PUT(module_path, 3, const char *, modules[i]);
    PUT(module_build_id, 3, const char *, ids[i]);
    PUT(module_knowledge, 3, uint8_t, i ? HSC_KNOWN_SYMBOL : HSC_KNOWN_MAP);
    PUT(module_note, 3, const char *, i ? "no map, no debug information" : "");
    PUT(file_path, p->n_files, const char *, p->files[i].path);
    PUT(file_module, p->n_files, uint32_t, p->files[i].module);
    PUT(file_has_lines, p->n_files, uint8_t, p->files[i].language >= 0);
    PUT(file_checksum, p->n_files, const char *, i < p->n_files ? NULL : "");
    PUT(line_file, p->n_lines, uint32_t, p->lines[i].file);
    PUT(line_line, p->n_lines, uint32_t, p->lines[i].line);
    PUT(line_scope, p->n_lines, uint32_t, p->lines[i].scope);
    PUT(scope_tag, p->n_scopes, uint64_t, i ? (uint64_t)i * 0x9E3779B97F4A7C15u : 0);
    PUT(scope_parent, p->n_scopes, uint32_t, p->scopes[i].parent);
    PUT(scope_subtree_end, p->n_scopes, uint32_t, p->scopes[i].end);
    PUT(scope_kind, p->n_scopes, uint8_t, (uint8_t)p->scopes[i].kind);
    PUT(scope_knowledge, p->n_scopes, uint8_t, (uint8_t)p->scopes[i].knowledge);
    PUT(scope_name, p->n_scopes, const char *, p->scopes[i].name);
    PUT(scope_procedure, p->n_scopes, uint32_t, p->scopes[i].procedure);
    PUT(scope_module, p->n_scopes, uint32_t, p->scopes[i].module);
    PUT(scope_file, p->n_scopes, uint32_t, p->scopes[i].file);
    PUT(scope_line_begin, p->n_scopes, uint32_t, p->scopes[i].line_begin);
    PUT(scope_line_end, p->n_scopes, uint32_t, p->scopes[i].line_end);
    PUT(scope_unoptimised, p->n_scopes, uint8_t, i == HSC_NONE);
    PUT(scope_depth, p->n_scopes, uint8_t, p->scopes[i].kind == HSC_SCOPE_LOOP ? (uint8_t)p->scopes[i].depth : 0);

    uint32_t *of = sim_must(malloc((r->n_instances + 1) * sizeof *of)), *loops = sim_must(malloc((r->n_instances + 1) * sizeof *loops)), n = 0;
    for (uint32_t i = 0; i < p->n_scopes; i++)
        if (r->first_instance[i] != HSC_NONE) {
            of[r->first_instance[i]] = of[r->first_instance[i] + 1] = i;
            loops[n++] = i;
        }
    /* one in five was not vectorised: its two instances are as written and the remainder of unrolling */
    PUT(instance_scope, r->n_instances, uint32_t, of[i]);
    PUT(instance_function, r->n_instances, uint32_t, p->scopes[of[i]].procedure);
    PUT(instance_version, r->n_instances, uint8_t,
        of[i] % 5 == 0 ? HSC_loop_version_PLAIN : i % 2 ? HSC_loop_version_REMAINDER : HSC_loop_version_VECTOR);
    PUT(instance_vector_width, r->n_instances, uint16_t, of[i] % 5 && i % 2 == 0 ? 4 : 0);
    PUT(instance_vector_bytes, r->n_instances, uint16_t, 32 + 0 * i);
    PUT(instance_interleave, r->n_instances, uint16_t, of[i] % 5 && i % 2 == 0 ? 2 : 0);
    PUT(instance_unroll, r->n_instances, uint16_t, 0 * i);
    PUT(instance_parent, r->n_instances, uint32_t,
        p->scopes[p->scopes[of[i]].parent].kind == HSC_SCOPE_LOOP ? r->first_instance[p->scopes[of[i]].parent] : HSC_NONE);
    PUT(remark_scope, n, uint32_t, loops[i]);
    PUT(remark_file, n, uint32_t, p->scopes[loops[i]].file);
    PUT(remark_line, n, uint32_t, p->scopes[loops[i]].line_begin);
    PUT(remark_kind, n, uint8_t, loops[i] % 5 ? HSC_remark_kind_PASSED : HSC_remark_kind_MISSED);
    PUT(remark_pass, n, const char *, (i < n) ? "loop-vectorize" : "");
    PUT(remark_name, n, const char *, loops[i] % 5 ? "Vectorized" : "UnsafeDep");
    PUT(remark_reason, n, uint8_t, loops[i] % 5 ? 0 : 1 + loops[i] % 7);
    PUT(remark_count, n, uint32_t, 1 + 0 * i);
    PUT(remark_function, n, uint32_t, p->scopes[loops[i]].procedure);
    PUT(remark_message, n, const char *,
        loops[i] % 5 ? "vectorized loop (vectorization width: 4, interleaved count: 2)"
                     : "loop not vectorized: backward loop carried data dependence");
    free(of);
    free(loops);
    return status;
}

enum { STEPS = 100, TICKS = 1000 }; /* of a run; of a sample, in us */

/* Ticks from the begin of a step to that of the next one. */
static uint64_t step_of(const run *r) {
    uint64_t longest = 0;
    for (uint32_t t = 0; t < r->p->options.threads; t++)
        longest = r->samples[t] > longest ? r->samples[t] : longest;
    return longest * TICKS / STEPS + 10 * TICKS;
}

/* The tick at which all samples have been taken. */
static uint64_t last_tick(const run *r) {
    uint64_t kinds = 0; /* of a thread: each may come a sample early in a step */
    for (uint32_t t = 0; t < r->p->options.threads; t++)
        kinds = r->leaf_begin[t + 1] - r->leaf_begin[t] > kinds ? r->leaf_begin[t + 1] - r->leaf_begin[t] : kinds;
    return step_of(r) * STEPS + kinds * TICKS;
}

/* Seconds that threads run: more than they compute, and no sample comes later. */
static double run_s(const run *r) {
    double s = 0.0016 * r->p->options.samples, last = r->p->options.times ? 1e-6 * (double)last_tick(r) : 0;
    return s > last ? s : last;
}

uint32_t sim_process_of(const sim_options *o, uint32_t thread) {
    return (uint32_t)((uint64_t)thread * o->processes / o->threads);
}

static hsc_status put_run(hsc_store *s, run *r, hsc_err *err) {
    sim_program *p = r->p;
    const sim_options *o = &p->options;
    hsc_status status = HSC_OK;
    double lasts = run_s(r);
    uint32_t *first = sim_must(calloc((uint64_t)o->processes + 1, sizeof *first));
    for (uint32_t t = o->threads; t-- > 0;)
        first[sim_process_of(o, t)] = t;
    char (*hosts)[16] = sim_must(calloc(o->processes, sizeof *hosts));
    for (uint32_t i = 0; i < o->processes; i++)
        snprintf(hosts[i], sizeof hosts[i], "node%03u", o->hosts ? i % o->hosts : i / 64);
    PUT(process_rank, o->processes, int32_t, o->processes > 1 ? (int32_t)i : -1);
    PUT(process_pid, o->processes, uint32_t, 1000 + i);
    PUT(process_host, o->processes, const char *, hosts[i]);
    PUT(process_executable, o->processes, const char *, (i < o->processes) ? "/simulated/bin/model" : "");
    PUT(process_arguments, o->processes, const char *, (i < o->processes) ? "model --steps 100" : "");
    PUT(process_mechanism, o->processes, const char *, (i < o->processes) ? "simulated" : "");
    PUT(process_vector_bytes, o->processes, uint16_t, 32 + 0 * i);
    PUT(process_mechanism_note, o->processes, const char *, (i < o->processes) ? "made by heatscope-simulate, not measured" : "");
    PUT(process_environment, o->processes, const char *, (i < o->processes) ? "OMP_NUM_THREADS=4\n" : "");
    PUT(process_end, o->processes, const char *, (i < o->processes) ? "exit" : "");
    PUT(process_begin_s, o->processes, double, 0.001 * (i % 7));
    PUT(process_end_s, o->processes, double, lasts + 0.001 * (i % 5));
    PUT(thread_process, o->threads, uint32_t, sim_process_of(o, i));
    PUT(thread_index, o->threads, uint32_t, i - first[sim_process_of(o, i)]);
    PUT(thread_tid, o->threads, uint32_t, 1000 + sim_process_of(o, i) + 100000 * (i - first[sim_process_of(o, i)]));
    PUT(thread_name, o->threads, const char *, first[sim_process_of(o, i)] == i ? "model" : "worker");
    PUT(thread_begin_s, o->threads, double, 0.001 * (sim_process_of(o, i) % 7));
    PUT(thread_end_s, o->threads, double, lasts);
    PUT(thread_cpu_s, o->threads, double, 0.001 * ((double)r->samples[i] + i % 3));
    PUT(thread_own_s, o->threads, double, 0.000004 * (double)r->samples[i]);
    PUT(thread_samples, o->threads, uint64_t, r->samples[i]);
    PUT(thread_lost, o->threads, uint64_t, i % 97 == 5);
    PUT(thread_truncated, o->threads, uint64_t, 0 * i);
    PUT(thread_records, o->threads, uint64_t, r->samples[i]);
    PUT(thread_user_s, o->threads, double, i % 97 == 6 ? -1 : 0.00075 * (double)r->samples[i]);
    PUT(thread_system_s, o->threads, double, i % 97 == 6 ? 0 : 0.00025 * (double)r->samples[i]);
    PUT(thread_minor_faults, o->threads, uint64_t, i % 97 == 6 ? 0 : r->samples[i] * 2);
    PUT(thread_major_faults, o->threads, uint64_t, i % 97 == 7);
    PUT(thread_voluntary_switches, o->threads, uint64_t, i % 97 == 6 ? 0 : i % 11);
    PUT(thread_involuntary_switches, o->threads, uint64_t, i % 97 == 6 ? 0 : i % 7);
    PUT(thread_runnable_s, o->threads, double, i % 97 == 6 ? -1 : 0.0001 * (double)r->samples[i]);
    PUT(thread_idle, o->threads, uint8_t, 0 * i);
    free(first);
    free(hosts);

    static const char *const categories[] = {"computation", "communication", "waiting", "input and output"};
    PUT(metric_name, 1, const char *, i ? "" : "CPU time");
    PUT(metric_unit, 1, const char *, i ? "" : "s");
    PUT(metric_scale, 1, double, 0.001 + 0 * i);
    PUT(metric_exact, 1, uint8_t, 0 * i);
    PUT(metric_weights_of, 1, uint32_t, HSC_NONE | (uint32_t)i);
    PUT(category_name, SIM_CATEGORIES, const char *, categories[i]);
    PUT(context_parent, p->n_contexts, uint32_t, p->contexts[i].parent);
    PUT(context_subtree_end, p->n_contexts, uint32_t, p->context_end[i]);
    PUT(context_kind, p->n_contexts, uint8_t, (uint8_t)p->contexts[i].kind);
    PUT(context_scope, p->n_contexts, uint32_t, p->contexts[i].scope);
    PUT(context_call_line, p->n_contexts, uint32_t, p->contexts[i].call_line);
    PUT(context_depth, p->n_contexts, uint16_t, (uint16_t)p->contexts[i].depth);

    uint64_t samples = 0, map = 0, lost = 0;
    for (uint32_t t = 0; t < o->threads; t++) {
        samples += r->samples[t];
        map += r->map_samples[t];
        lost += t % 97 == 5;
    }
    static const char *const names[] = {"due", "recorded", "lost: kernel", "attributed: map, loop", "attributed: symbol"};
    static const char *const meanings[] = {"periods of CPU time that a sample was due for: recorded and lost ones", "[due] periods that samples in the tables stand for",
                                           "[due] the kernel reported them as lost",
                                           "[recorded] compiled with the pass, to a line and a loop around it",
                                           "[recorded] to a procedure without a line"};
    uint64_t counts[] = {samples + lost, samples, lost, map, samples - map};
    static const uint32_t groups[] = {0, 1, 1, 2, 2};
    PUT(ledger_name, 5, const char *, names[i]);
    PUT(ledger_meaning, 5, const char *, meanings[i]);
    PUT(ledger_samples, 5, uint64_t, counts[i]);
    PUT(ledger_seconds, 5, double, 0.001 * (double)counts[i]);
    PUT(ledger_group, 5, uint32_t, groups[i]);
    return status;
}

/* ---- samples in the order of time: a hundred steps, in each of which a thread does all that it does ---- */

static const sim_leaf *leaves_to_sort;

static int by_leaf(const void *a, const void *b) {
    const sim_leaf *x = &leaves_to_sort[*(const uint32_t *)a], *y = &leaves_to_sort[*(const uint32_t *)b];
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static hsc_status put_counts(hsc_store *s, const run *r, uint32_t thread, uint32_t leaves, hsc_err *err) {
    uint32_t *leaf = sim_must(malloc(((uint64_t)leaves + 1) * sizeof *leaf)), *count = sim_must(malloc(((uint64_t)leaves + 1) * sizeof *count)), *all = sim_must(calloc((uint64_t)leaves + 1, sizeof *all));
    uint64_t indptr[2] = {0, 0};
    for (uint32_t i = r->leaf_begin[thread]; i < r->leaf_begin[thread + 1]; i++)
        all[r->leaves[i].row] += (uint32_t)r->leaves[i].count;
    for (uint32_t k = 0; k < leaves; k++)
        if (all[k]) {
            leaf[indptr[1]] = k;
            count[indptr[1]++] = all[k];
        }
    hsc_status status = thread ? HSC_OK : hsc_store_begin_counts(s, err);
    if (!status)
        status = hsc_store_put_counts(s, 1, indptr, leaf, count, err);
    free(leaf);
    free(count);
    free(all);
    return status;
}

static hsc_status put_times(hsc_store *s, run *r, hsc_err *err) {
    const sim_options *o = &r->p->options;
    hsc_status status = HSC_OK;
    uint32_t n = 0, *order = sim_must(malloc(((uint64_t)r->n_leaves + 1) * sizeof *order)), *first = sim_must(malloc(((uint64_t)r->n_leaves + 1) * sizeof *first));
    uint64_t longest = 0;
    for (uint32_t i = 0; i < r->n_leaves; i++)
        order[i] = i;
    leaves_to_sort = r->leaves;
    qsort(order, r->n_leaves, sizeof *order, by_leaf);
    for (uint32_t i = 0; i < r->n_leaves; i++) {
        if (!i || by_leaf(&order[i - 1], &order[i]))
            first[n++] = order[i];
        r->leaves[order[i]].row = n - 1;
    }
    PUT(leaf_context, n, uint32_t, r->leaves[first[i]].context);
    PUT(leaf_line, n, uint32_t, r->leaves[first[i]].line);
    PUT(leaf_instance, n, uint32_t, HSC_NONE + 0 * i);
    PUT(leaf_category, n, uint8_t, (uint8_t)r->leaves[first[i]].category);
    PUT(leaf_metric, n, uint32_t, 0 * i);
    for (uint32_t t = 0; t < o->threads; t++)
        longest = r->samples[t] > longest ? r->samples[t] : longest;
    if (o->counts) {
        for (uint32_t t = 0; t < o->threads && !status; t++)
            status = put_counts(s, r, t, n, err);
        free(order);
        free(first);
        return status ? status : hsc_store_end_counts(s, err);
    }
    uint64_t step = step_of(r);
    if (!status)
        status = hsc_store_begin_times(s, 1e-6, (uint32_t)last_tick(r), 16 * TICKS, longest, err);
    uint32_t *time = sim_must(malloc((longest + 1) * sizeof *time)), *leaf = sim_must(malloc((longest + 1) * sizeof *leaf)),
             *count = sim_must(malloc((longest + 1) * sizeof *count));
    for (uint32_t t = 0; t < o->threads && !status; t++) {
        uint32_t m = 0;
        uint64_t at = t % 7;
        for (uint64_t k = 0; k < STEPS; k++) {
            at = at > k * step ? at : k * step;
            for (uint32_t i = r->leaf_begin[t]; i < r->leaf_begin[t + 1]; i++) {
                const sim_leaf *l = &r->leaves[i];
                for (uint64_t c = l->count * k / STEPS; c < l->count * (k + 1) / STEPS; c++, m++) {
                    at += TICKS;
                    time[m] = (uint32_t)at;
                    leaf[m] = l->row;
                    count[m] = 1;
                }
            }
        }
        status = hsc_store_put_times(s, m, time, leaf, count, err);
    }
    if (!status)
        status = hsc_store_end_times(s, err);
    free(time);
    free(leaf);
    free(count);
    free(order);
    free(first);
    return status;
}

static hsc_status write_sources(const sim_program *p, hsc_err *err) {
    for (uint32_t f = 0; f < p->n_files; f++) {
        const sim_file *file = &p->files[f];
        if (file->language < 0)
            continue;
        char command[1200];
        snprintf(command, sizeof command, "%s", file->path);
        for (char *slash = strchr(command + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = 0;
            mkdir(command, 0777);
            *slash = '/';
        }
        FILE *out = fopen(file->path, "wb");
        if (!out || fwrite(file->text, 1, file->size, out) != file->size || fclose(out))
            return hsc_err_set(err, HSC_E_IO, "%s: cannot write", file->path);
    }
    return HSC_OK;
}

int sim_write(sim_program *p) {
    const sim_options *o = &p->options;
    hsc_err error = {0}, *err = &error;
    hsc_store *s = NULL;
    run r = {.p = p};
    uint32_t own_lines = p->n_lines - 2;
    double per_thread = o->fill > 0 ? o->fill * p->n_lines : own_lines < 5000 ? own_lines * 0.25 : 1250;
    uint32_t hot = (uint32_t)(0.6 * per_thread), cold = (uint32_t)(0.42 * per_thread);
    if (hot > own_lines)
        hot = own_lines;
    hot += !hot;

    table_init(&r.line, p->n_lines, o->threads);
    table_init(&r.line_incl, p->n_lines, o->threads);
    table_init(&r.scope_excl, p->n_scopes, o->threads);
    table_init(&r.scope_incl, p->n_scopes, o->threads);
    table_init(&r.context, p->n_contexts, o->threads);
    table_init(&r.category, (uint64_t)p->n_scopes * SIM_CATEGORIES, o->threads);
    r.leaf_begin = sim_must(calloc((uint64_t)o->threads + 1, sizeof *r.leaf_begin));
    r.samples = sim_must(calloc(o->threads, sizeof *r.samples));
    r.map_samples = sim_must(calloc(o->threads, sizeof *r.map_samples));
    r.stamp = sim_must(calloc(p->n_scopes, sizeof *r.stamp));
    r.first_instance = sim_must(malloc(p->n_scopes * sizeof *r.first_instance));
    for (uint32_t i = 0; i < p->n_scopes; i++) { /* innermost loops have two */
        bool innermost = p->scopes[i].kind == HSC_SCOPE_LOOP && p->scopes[i].end == i + 1;
        r.first_instance[i] = innermost ? r.n_instances : HSC_NONE;
        r.n_instances += innermost ? 2 : 0;
    }
    table_init(&r.instance, r.n_instances, o->threads);
    r.hot = sim_must(malloc(p->n_lines * sizeof *r.hot));
    for (uint32_t i = 0; i < p->n_lines; i++)
        r.hot[i] = i;
    lines_to_sort = p->lines;
    qsort(r.hot, p->n_lines, sizeof *r.hot, by_weight);
    for (uint32_t t = 0; t < o->threads; t++)
        run_thread(&r, t, sim_process_of(o, t), hot, cold);

    hsc_status status = o->sources ? write_sources(p, err) : HSC_OK;
    if (!status)
        status = hsc_store_create(o->output, o->workers, &s, err);
    if (status)
        goto done;
    if (o->bands)
        hsc_store_expect_values(s, UINT64_MAX);
    char title[128], command[128];
    snprintf(title, sizeof title, "simulated program, %u lines, %u threads of %u processes, seed %u", o->lines, o->threads, o->processes,
             o->seed);
    snprintf(command, sizeof command, "model --steps 100");
    status = hsc_store_put_text(s, "title", title, err);
    if (!status)
        status = hsc_store_put_text(s, "command", command, err);
    if (!status)
        status = hsc_store_put_text(s, "created", "2000-01-01T00:00:00Z", err);
    if (!status)
        status = hsc_store_put_number(s, "simulated", 1, err);
    if (!status)
        status = put_static(s, &r, err);
    if (!status)
        status = put_run(s, &r, err);
    if (!status && (o->times || o->counts))
        status = put_times(s, &r, err);
    if (!status && o->details)
        status = sim_put_details(s, p, r.first_instance, &(sim_counts){r.line.thread_begin, r.line.row, r.line.count}, run_s(&r), err);
    const struct {
        hsc_db_table id;
        table *t;
    } tables[] = {{HSC_TABLE_LINE, &r.line}, {HSC_TABLE_SCOPE_EXCL, &r.scope_excl}, {HSC_TABLE_SCOPE_INCL, &r.scope_incl},
                  {HSC_TABLE_CONTEXT_EXCL, &r.context}, {HSC_TABLE_INSTANCE, &r.instance},
                  {HSC_TABLE_SCOPE_CATEGORY, &r.category}, {HSC_TABLE_LINE_INCL, &r.line_incl}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !status; i++) {
        uint64_t nnz = tables[i].t->nnz;
        status = table_write(s, tables[i].id, tables[i].t, o->threads, o->bands, err);
        if (!status && i == 0)
            fprintf(stderr, "lines x threads: %u x %u, %" PRIu64 " cells with samples (%.3f %%)\n", p->n_lines, o->threads, nnz,
                    100.0 * (double)nnz / ((double)p->n_lines * o->threads));
    }
    if (status)
        hsc_store_abort(s);
    else
        status = hsc_store_commit(s, err);
done:
    free(r.leaves);
    free(r.leaf_begin);
    free(r.samples);
    free(r.map_samples);
    free(r.stamp);
    free(r.first_instance);
    free(r.hot);
    if (status)
        fprintf(stderr, "heatscope-simulate: %s\n", error.text);
    return status ? 1 : 0;
}
