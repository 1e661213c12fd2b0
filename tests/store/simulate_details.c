/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a simulated run did besides computing: messages, waits and their causes, probes, phases, what measuring cost. */
#include "simulate_put.h"

#include <string.h>

#include <heatscope/formats/records.h>

enum { CALLS = 400, SPANS = 40, VALUES = 20, PROBES = 4 }; /* of a process at a place; of a thread; of a counter; the first is a named scope */

static bool is_send(const char *name) { return !strcmp(name, "MPI_Isend"); }
static bool is_wait(const char *name) { return !strcmp(name, "MPI_Waitall"); }

typedef struct call { /* a calling context of a procedure of MPI, in one process */
    uint32_t process, thread, context, line;
    const char *name;
    uint64_t bytes;     /* of each call */
    double s;           /* of all calls */
} call;

typedef struct details {
    const sim_program *p;
    double lasts_s;
    uint32_t *first;    /* thread of each process */
    call *calls;
    uint32_t n_calls, capacity;
} details;

static void find_calls(details *d) {
    const sim_program *p = d->p;
    for (uint32_t process = 0; process < p->options.processes; process++)
        for (uint32_t c = 0; c < p->n_contexts; c++) {
            const sim_context *x = &p->contexts[c];
            const sim_scope *to = &p->scopes[x->scope];
            if (to->module != 1 || x->call_line == HSC_NONE)
                continue;
            d->calls = sim_grow(d->calls, d->n_calls, &d->capacity, sizeof *d->calls);
            d->calls[d->n_calls++] = (call){process, d->first[process], x->parent, x->call_line, to->name,
                                            is_send(to->name) ? 8192 << process % 3 : is_wait(to->name) ? 0 : 8,
                                            d->lasts_s * (is_wait(to->name) ? 0.08 : 0.01) * (1 + process % 3)};
        }
}

static uint8_t log2_of(uint64_t v) {
    uint8_t n = 0;
    for (; v; v >>= 1)
        n++;
    return n;
}

/* 0: the size; 1 to 3: short, middling and long calls, by the mean. */
static uint8_t bucket_of(const call *c, uint32_t k) {
    return k ? (uint8_t)(log2_of((uint64_t)(c->s * 1e9 / CALLS)) + k - 2) : log2_of(c->bytes);
}

static hsc_status put_messages(hsc_store *s, const details *d, hsc_err *err) {
    hsc_status status = HSC_OK;
    const call *c = d->calls;
    uint32_t n = d->n_calls, processes = d->p->options.processes;
    PUT(message_thread, n, uint32_t, c[i].thread);
    PUT(message_context, n, uint32_t, c[i].context);
    PUT(message_line, n, uint32_t, c[i].line);
    PUT(message_operation, n, const char *, c[i].name);
    PUT(message_class, n, uint8_t, is_send(c[i].name) ? HSC_operation_class_SEND : is_wait(c[i].name) ? HSC_operation_class_COMPLETION : HSC_operation_class_COLLECTIVE);
    PUT(message_peer, n, uint8_t, is_send(c[i].name) ? HSC_peer_class_REMOTE : is_wait(c[i].name) ? HSC_peer_class_NONE : HSC_peer_class_ALL);
    PUT(message_size_class, n, uint8_t, (uint8_t)((log2_of(c[i].bytes) + 3) / 4));
    PUT(message_calls, n, uint64_t, CALLS + 0 * i);
    PUT(message_sent, n, uint64_t, is_send(c[i].name) ? CALLS : 0);
    PUT(message_sent_bytes, n, uint64_t, CALLS * c[i].bytes);
    PUT(message_received, n, uint64_t, is_wait(c[i].name) ? CALLS : 0);
    PUT(message_received_bytes, n, uint64_t, is_wait(c[i].name) ? CALLS * 8192 : is_send(c[i].name) ? 0 : CALLS * c[i].bytes);
    PUT(message_size_min, n, uint64_t, c[i].bytes);
    PUT(message_size_max, n, uint64_t, c[i].bytes);
    PUT(message_size_squares, n, double, (double)c[i].bytes * (double)c[i].bytes * CALLS);
    PUT(message_duration_s, n, double, c[i].s);
    PUT(message_duration_min_s, n, double, c[i].s / CALLS / 2);
    PUT(message_duration_max_s, n, double, c[i].s / CALLS * 2);
    PUT(message_duration_squares, n, double, c[i].s * c[i].s / CALLS * 1.25);
    PUT(message_completions, n, uint64_t, is_wait(c[i].name) ? CALLS : 0);
    PUT(message_in_flight_s, n, double, is_wait(c[i].name) ? 2 * c[i].s : 0);
    PUT(message_completion_s, n, double, is_wait(c[i].name) ? c[i].s : 0);
    PUT(message_category, n, uint8_t, is_wait(c[i].name) ? SIM_WAITING : SIM_COMMUNICATION);
    PUT(message_bucket_message, 4 * n, uint32_t, i / 4);
    PUT(message_bucket_quantity, 4 * n, uint8_t, (uint8_t)(i % 4 > 0));
    PUT(message_bucket_bucket, 4 * n, uint8_t, bucket_of(&c[i / 4], i % 4));
    PUT(message_bucket_count, 4 * n, uint64_t, i % 4 == 0 ? CALLS : i % 4 == 2 ? CALLS / 2 : CALLS / 4);
    if (processes < 3)
        return status;
    /* a ring: each sends to both neighbours */
#define PEER ((i / 2 + (i % 2 == (i / 2 > 0 && i / 2 < processes - 1 ? 0 : 1) ? processes - 1 : 1)) % processes)
    PUT(message_pair_process, 2 * processes, uint32_t, i / 2);
    PUT(message_pair_peer, 2 * processes, uint32_t, PEER);
    PUT(message_pair_peer_rank, 2 * processes, uint32_t, PEER);
    PUT(message_pair_sent, 2 * processes, uint64_t, CALLS / 2 + 0 * i);
    PUT(message_pair_sent_bytes, 2 * processes, uint64_t, CALLS / 2 * (uint64_t)(8192 << i / 2 % 3));
    PUT(message_pair_received, 2 * processes, uint64_t, CALLS / 2 + 0 * i);
    PUT(message_pair_received_bytes, 2 * processes, uint64_t, CALLS / 2 * (uint64_t)(8192 << PEER % 3));
#undef PEER
    return status;
}

/* Each thread but the first of its process waits for the mutex that the first one holds; the first ones write. */
static hsc_status put_waits(hsc_store *s, const details *d, hsc_err *err) {
    hsc_status status = HSC_OK;
    const sim_options *o = &d->p->options;
    uint32_t n = o->threads, line = d->p->scopes[d->p->procedures[0]].first_line, context = d->p->first_context[d->p->procedures[0]];
#define OWN (d->first[sim_process_of(o, i)] == i)
    PUT(wait_thread, n, uint32_t, i);
    PUT(wait_context, n, uint32_t, context + 0 * i);
    PUT(wait_line, n, uint32_t, line + 1 + 0 * i);
    PUT(wait_kind, n, uint8_t, OWN ? HSC_wait_kind_WRITE : HSC_wait_kind_MUTEX);
    PUT(wait_waits, n, uint64_t, 50 + i);
    PUT(wait_total_s, n, double, d->lasts_s * 0.01 * (1 + i % 4));
    PUT(wait_max_s, n, double, d->lasts_s * 0.001 * (1 + i % 4));
    PUT(wait_bytes, n, uint64_t, OWN ? 4096 * (50 + i) : 0);
    PUT(wait_holder_thread, n, uint32_t, OWN ? HSC_NONE : d->first[sim_process_of(o, i)]);
    PUT(wait_holder_context, n, uint32_t, OWN ? HSC_NONE : context);
    PUT(wait_column, n, uint32_t, 0 * i);
    PUT(wait_category, n, uint8_t, OWN ? SIM_IO : SIM_WAITING);
    PUT(wait_bucket_wait, n, uint32_t, i);
    PUT(wait_bucket_bucket, n, uint8_t, (uint8_t)log2_of((uint64_t)(d->lasts_s * 1e9 * 0.01 * (1 + i % 4) / (50 + i))));
    PUT(wait_bucket_count, n, uint64_t, 50 + i);
#undef OWN
    return status;
}

/* The hottest line of the program that is in a loop. */
static uint32_t hottest_line(const sim_program *p) {
    uint32_t at = 0;
    for (uint32_t l = 0; l < p->n_lines; l++)
        if (p->scopes[p->lines[l].scope].kind == HSC_SCOPE_LOOP && p->lines[l].weight > p->lines[at].weight)
            at = l;
    return at;
}

/* Each process's neighbour waits in MPI_Waitall for what it sends late. */
static hsc_status put_causes(hsc_store *s, const details *d, hsc_err *err) {
    hsc_status status = HSC_OK;
    const sim_program *p = d->p;
    uint32_t n = p->options.processes, sends = HSC_NONE, waits = HSC_NONE, each = n ? d->n_calls / n : 0, hot = hottest_line(p);
    for (uint32_t i = each; i-- > 0;) {
        sends = is_send(d->calls[i].name) ? i : sends;
        waits = is_wait(d->calls[i].name) ? i : waits;
    }
    if (n < 2 || sends == HSC_NONE || waits == HSC_NONE)
        return status;
#define WAIT_S (d->lasts_s * 0.03 * (1 + i % 3))
    PUT(delay_kind, n, uint8_t, HSC_wait_cause_LATE_SENDER + 0 * i);
    PUT(delay_thread, n, uint32_t, d->first[i]);
    PUT(delay_context, n, uint32_t, d->calls[sends].context + 0 * i);
    PUT(delay_line, n, uint32_t, d->calls[sends].line + 0 * i);
    PUT(delay_waits, n, uint64_t, CALLS / 2 + 0 * i);
    PUT(delay_wait_s, n, double, WAIT_S);
    PUT(delay_indirect_s, n, double, 0 * WAIT_S);
    PUT(delay_caused_s, n, double, WAIT_S);
    PUT(delay_for_work, n, uint8_t, 0 * i);
    PUT(delayed_delay, n, uint32_t, i);
    PUT(delayed_thread, n, uint32_t, d->first[(i + 1) % n]);
    PUT(delayed_context, n, uint32_t, d->calls[waits].context + 0 * i);
    PUT(delayed_line, n, uint32_t, d->calls[waits].line + 0 * i);
    PUT(delayed_begun, n, uint32_t, HSC_NONE + 0 * i);
    PUT(delayed_waits, n, uint64_t, CALLS / 2 + 0 * i);
    PUT(delayed_wait_s, n, double, WAIT_S);
    PUT(delayed_max_s, n, double, WAIT_S / 50);
    PUT(delay_place_delay, n, uint32_t, i);
    PUT(delay_place_context, n, uint32_t, p->first_context[p->lines[hot].scope] + 0 * i);
    PUT(delay_place_line, n, uint32_t, hot + 0 * i);
    PUT(delay_place_direct_s, n, double, WAIT_S);
    PUT(delay_place_caused_s, n, double, WAIT_S);
    PUT(delay_place_counted_s, n, double, WAIT_S);
    PUT(delay_place_of_libraries, n, uint8_t, 0 * i);
    PUT(delay_place_not_running, n, uint8_t, 0 * i);
    PUT(delay_place_wait_kind, n, uint8_t, 0 * i);
    PUT(delay_place_column, n, uint32_t, 0 * i);
    PUT(delay_place_category, n, uint8_t, SIM_COMPUTATION + 0 * i);
#undef WAIT_S
    /* the trace has the waiting calls */
    uint32_t m = n * SPANS;
    uint64_t step = (uint64_t)(d->lasts_s * 1e9 / SPANS);
    PUT(span_thread, m, uint32_t, d->first[i / SPANS]);
    PUT(span_begin_ns, m, uint64_t, i % SPANS * step + step / 2);
    PUT(span_length_ns, m, uint64_t, step / 16 * (1 + i / SPANS % 3));
    PUT(span_what, m, uint8_t, (uint8_t)(i < m));
    PUT(span_kind, m, uint8_t, HSC_operation_class_COMPLETION + 0 * i);
    PUT(span_category, m, uint8_t, SIM_WAITING + 0 * i);
    PUT(span_context, m, uint32_t, d->calls[waits].context + 0 * i);
    PUT(span_line, m, uint32_t, d->calls[waits].line + 0 * i);
    PUT(span_bytes, m, uint64_t, 8192 + 0 * i);
    return status;
}

/* A scope that the program named, and in it the procedures with the most lines' weight; the first threads of processes visit them. */
static hsc_status put_probes(hsc_store *s, const details *d, hsc_err *err) {
    hsc_status status = HSC_OK;
    const sim_program *p = d->p;
    uint32_t own = p->n_procedures - p->n_library, n = p->options.processes, probed[PROBES] = {HSC_NONE};
    for (uint32_t k = 1; k < PROBES; k++) {
        probed[k] = p->procedures[0];
        double most = -1;
        for (uint32_t i = 0; i < own; i++)
            if (p->scopes[p->procedures[i]].weight > most && (k < 2 || p->scopes[p->procedures[i]].weight < p->scopes[probed[k - 1]].weight)) {
                probed[k] = p->procedures[i];
                most = p->scopes[probed[k]].weight;
            }
    }
#define SCOPE p->scopes[probed[i]]
    PUT(probe_kind, PROBES, uint8_t, i ? HSC_probe_kind_PROCEDURE : 254);
    PUT(probe_scope, PROBES, uint32_t, probed[i]);
    PUT(probe_name, PROBES, const char *, i ? SCOPE.name : "time step");
    PUT(probe_file, PROBES, const char *, i ? strrchr(p->files[SCOPE.file].path, '/') + 1 : "");
    PUT(probe_line, PROBES, uint32_t, i ? SCOPE.line_begin : 0);
    PUT(probe_flags, PROBES, uint32_t, 0 * i);
    PUT(probe_disarmed, PROBES, uint32_t, 0 * i);
    PUT(probe_disarmed_s, PROBES, double, 0 * i);
    PUT(block_parent, PROBES, uint32_t, i ? 0 : HSC_NONE);
    PUT(block_probe, PROBES, uint32_t, i);
    PUT(block_depth, PROBES, uint32_t, i > 0);
#undef SCOPE
    /* row: block, then thread */
#define BLOCK (i / n)
#define VISIT_S (d->lasts_s * (BLOCK ? 0.2 / BLOCK : 0.9) * (1 + 0.05 * (i % n)))
    PUT(visit_block, PROBES * n, uint32_t, BLOCK);
    PUT(visit_thread, PROBES * n, uint32_t, d->first[i % n]);
    PUT(visit_visits, PROBES * n, uint64_t, 100 * (BLOCK ? 8u : 1u));
    PUT(visit_left, PROBES * n, uint64_t, 0 * i);
    PUT(visit_duration_s, PROBES * n, double, VISIT_S);
    PUT(visit_duration_min_s, PROBES * n, double, VISIT_S / 1600);
    PUT(visit_duration_max_s, PROBES * n, double, VISIT_S / 40);
    PUT(visit_duration_squares, PROBES * n, double, VISIT_S * VISIT_S / 80);
    PUT(visit_exclusive_s, PROBES * n, double, BLOCK ? VISIT_S : VISIT_S / 2);
    PUT(visit_cost_s, PROBES * n, double, 0.0005 * (i < n));
    PUT(visit_exclusive_cost_s, PROBES * n, double, 0.0001 * (i < n));
    PUT(visit_exclusive_cost_least_s, PROBES * n, double, 0.00005 * (i < n));
    PUT(visit_exclusive_cost_most_s, PROBES * n, double, 0.0002 * (i < n));
    PUT(visit_context, PROBES * n, uint32_t, BLOCK ? p->first_context[probed[BLOCK]] : HSC_NONE);
    PUT(visit_line, PROBES * n, uint32_t, BLOCK ? p->scopes[probed[BLOCK]].first_line : HSC_NONE);
    PUT(visit_category_visit, PROBES * n, uint32_t, i);
    PUT(visit_category_category, PROBES * n, uint8_t, SIM_COMPUTATION + 0 * i);
    PUT(visit_category_exclusive_s, PROBES * n, double, BLOCK ? VISIT_S : VISIT_S / 2);
    PUT(visit_bucket_visit, PROBES * n, uint32_t, i);
    PUT(visit_bucket_bucket, PROBES * n, uint8_t, log2_of((uint64_t)(VISIT_S * 1e9 / (BLOCK ? 800 : 100))));
    PUT(visit_bucket_count, PROBES * n, uint64_t, 100 * (BLOCK ? 8u : 1u));
#undef BLOCK
#undef VISIT_S
    return status;
}

static hsc_status put_told(hsc_store *s, const details *d, hsc_err *err) {
    hsc_status status = HSC_OK;
    const sim_options *o = &d->p->options;
    uint32_t n = o->processes;
    static const char *const phases[] = {"set up", "time steps", "output"};
    static const double ends[] = {0, 0.1, 0.92, 1};
    PUT(phase_process, 3 * n, uint32_t, i / 3);
    PUT(phase_name, 3 * n, const char *, phases[i % 3]);
    PUT(phase_begin_s, 3 * n, double, d->lasts_s * ends[i % 3]);
    PUT(phase_end_s, 3 * n, double, d->lasts_s * ends[i % 3 + 1]);
    PUT(counter_thread, n, uint32_t, d->first[i]);
    PUT(counter_name, n, const char *, i < n ? "residual" : NULL);
    PUT(counter_values, n, uint64_t, VALUES + 0 * i);
    PUT(counter_first, n, double, VALUES + (double)i);
    PUT(counter_last, n, double, 1 + (double)i);
    PUT(counter_min, n, double, 1 + (double)i);
    PUT(counter_max, n, double, VALUES + (double)i);
    PUT(counter_sum, n, double, VALUES * (VALUES + 1) / 2 + VALUES * (double)i);
    PUT(counter_squares, n, double, VALUES * (double)VALUES * (VALUES + (double)i));
    PUT(counter_value_counter, n * VALUES, uint32_t, i / VALUES);
    PUT(counter_value_time_s, n * VALUES, double, d->lasts_s * (i % VALUES) / VALUES);
    PUT(counter_value_value, n * VALUES, double, VALUES - (double)(i % VALUES) + (double)(i / VALUES));
    PUT(cost_thread, o->threads, uint32_t, i);
    PUT(cost_handler_s, o->threads, double, d->lasts_s * 0.004 + 0 * i);
    PUT(cost_handler_runs, o->threads, uint64_t, o->samples + 0 * i);
    PUT(cost_handler_median_s, o->threads, double, 4e-6 + 0 * i);
    PUT(cost_handler_p90_s, o->threads, double, 6e-6 + 0 * i);
    PUT(cost_handler_p99_s, o->threads, double, 9e-6 + 0 * i);
    PUT(cost_signals_s, o->threads, double, d->lasts_s * 0.003 + 0 * i);
    PUT(cost_probes_s, o->threads, double, d->lasts_s * 0.001 + 0 * i);
    PUT(cost_wrappers_s, o->threads, double, d->lasts_s * 0.0005 + 0 * i);
    PUT(cost_helper_s, o->threads, double, d->first[sim_process_of(o, i)] == i ? d->lasts_s * 0.0002 : 0);
    PUT(cost_start_s, o->threads, double, d->first[sim_process_of(o, i)] == i ? 0.002 : 0);
    PUT(cost_end_s, o->threads, double, d->first[sim_process_of(o, i)] == i ? 0.001 : 0);
    PUT(cost_switches_s, o->threads, double, 0 * i);
    PUT(cost_own_least_s, o->threads, double, d->lasts_s * 0.006 + 0 * i);
    PUT(cost_own_most_s, o->threads, double, d->lasts_s * 0.011 + 0 * i);
    PUT(cost_rate_changes, o->threads, uint32_t, 0 * i);
    PUT(cost_periods_max, o->threads, uint32_t, 0 * i);
    PUT(cost_probes_missed, o->threads, uint64_t, 0 * i);
    PUT(note_process, n, uint32_t, i);
    PUT(note_thread, n, uint32_t, d->first[i]);
    PUT(note_time_s, n, double, d->lasts_s / 3);
    PUT(note_kind, n, uint8_t, (uint8_t)(4 + 0 * i));
    PUT(note_value, n, uint64_t, 100000 + 0 * i);
    PUT(note_text, n, const char *, i < n ? "calls of MPI that take so long get an event" : NULL);
    return status;
}

static hsc_status put_texts(hsc_store *s, const sim_program *p, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t f = 0; f < p->n_files && !status; f++)
        if (p->files[f].language >= 0)
            status = hsc_store_put_source(s, f, p->files[f].text, p->files[f].size, err);
    return status;
}

hsc_status sim_put_details(hsc_store *s, const sim_program *p, const uint32_t *first_instance, const sim_counts *lines, double lasts_s, hsc_err *err) {
    const sim_options *o = &p->options;
    details d = {.p = p, .lasts_s = lasts_s, .first = sim_must(calloc((uint64_t)o->processes + 1, sizeof *d.first))};
    for (uint32_t t = o->threads; t-- > 0;)
        d.first[sim_process_of(o, t)] = t;
    find_calls(&d);
    hsc_status (*const parts[])(hsc_store *, const details *, hsc_err *) = {put_messages, put_waits, put_causes, put_probes, put_told};
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++)
        status = parts[i](s, &d, err);
    if (!status)
        status = sim_put_memory(s, p, err);
    if (!status)
        status = sim_put_code(s, p, first_instance, lines, err);
    if (!status)
        status = put_texts(s, p, err);
    free(d.calls);
    free(d.first);
    return status;
}
