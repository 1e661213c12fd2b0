/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries of tables: programs, sources, scopes, processes, contexts, the ledger. */
#include "db.h"
#include <heatscope/sorted.h>
#include "within.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>
#include <heatscope/formats/remarks.h>

#define COUNTED_MINOR 10 /* databases tell from here on what of causes counts */

static uint32_t rows(const hsc_db *db, enum hsc_table_id table) { return (uint32_t)db->tables.rows[table]; }

void hsc_db_get_info(const hsc_db *db, hsc_db_info *out) {
    double cpu_s = 0, begin_s = 0, end_s = 0;
    uint64_t samples = 0;
    for (uint32_t t = 0; t < rows(db, HSC_TAB_thread); t++) {
        cpu_s += HSC_COL(db, thread_cpu_s, double)[t];
        samples += HSC_COL(db, thread_samples, uint64_t)[t];
    }
    for (uint32_t p = 0; p < rows(db, HSC_TAB_process); p++) {
        double b = HSC_COL(db, process_begin_s, double)[p], e = HSC_COL(db, process_end_s, double)[p];
        begin_s = !p || b < begin_s ? b : begin_s;
        end_s = !p || e > end_s ? e : end_s;
    }
    *out = (hsc_db_info){.path = db->path,
                         .title = db->title ? db->title : db->path,
                         .command = db->command ? db->command : "",
                         .created = db->created ? db->created : "",
                         .modules = rows(db, HSC_TAB_module),
                         .files = rows(db, HSC_TAB_file),
                         .lines = rows(db, HSC_TAB_line),
                         .scopes = rows(db, HSC_TAB_scope),
                         .contexts = rows(db, HSC_TAB_context),
                         .instances = rows(db, HSC_TAB_instance),
                         .threads = rows(db, HSC_TAB_thread),
                         .processes = rows(db, HSC_TAB_process),
                         .metrics = db->n_metrics,
                         .categories = rows(db, HSC_TAB_category),
                         .ledger_rows = rows(db, HSC_TAB_ledger),
                         .samples = samples,
                         .cpu_s = db->cpu_s >= 0 ? db->cpu_s : cpu_s,
                         .wall_s = db->wall_s >= 0 ? db->wall_s : end_s - begin_s,
                         .simulated = db->simulated,
                         .messages = rows(db, HSC_TAB_message),
                         .waits = rows(db, HSC_TAB_wait),
                         .pairs = rows(db, HSC_TAB_message_pair),
                         .loops = rows(db, HSC_TAB_loop),
                         .arrays = rows(db, HSC_TAB_array),
                         .references = rows(db, HSC_TAB_reference),
                         .mpi_sites = rows(db, HSC_TAB_mpi_site),
                         .directives = rows(db, HSC_TAB_directive),
                         .delays = rows(db, HSC_TAB_delay),
                         .delayed = rows(db, HSC_TAB_delayed),
                         .delay_places = rows(db, HSC_TAB_delay_place),
                         .code_parts = rows(db, HSC_TAB_code_part),
                         .instructions = rows(db, HSC_TAB_instruction)};
}

/* Loads the table where it is not yet, and checks the row. Loading changes nothing that can be seen. */
hsc_status hsc_db_want(const hsc_db *db, enum hsc_table_id table, uint32_t row, hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, table, err);
    if (!status && row >= db->tables.rows[table])
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: row %" PRIu32 " of table %s asked for, it has %" PRIu64, db->path, row,
                             hsc_schema_tables[table].name, db->tables.rows[table]);
    return status;
}

#define TEXT(column, row) hsc_db_text(db, HSC_COL_##column, row)

hsc_status hsc_db_get_module(const hsc_db *db, uint32_t m, hsc_db_module *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_module, m, err);
    if (!status)
        *out = (hsc_db_module){TEXT(module_path, m), TEXT(module_build_id, m),
                               (hsc_knowledge)HSC_COL(db, module_knowledge, uint8_t)[m], TEXT(module_note, m)};
    return status;
}

hsc_status hsc_db_get_file(const hsc_db *db, uint32_t f, hsc_db_file *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_file, f, err);
    if (!status)
        *out = (hsc_db_file){TEXT(file_path, f), HSC_COL(db, file_module, uint32_t)[f], db->first_line[f], db->line_rows[f],
                             HSC_COL(db, file_has_lines, uint8_t)[f] != 0};
    return status;
}

hsc_status hsc_db_get_line(const hsc_db *db, uint32_t r, hsc_db_line *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_line, r, err);
    if (!status)
        *out = (hsc_db_line){HSC_COL(db, line_file, uint32_t)[r], HSC_COL(db, line_line, uint32_t)[r],
                             HSC_COL(db, line_scope, uint32_t)[r]};
    return status;
}

hsc_status hsc_db_get_line_columns(const hsc_db *db, const uint32_t **file, const uint32_t **line, hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_line, err);
    *file = HSC_COL(db, line_file, uint32_t);
    *line = HSC_COL(db, line_line, uint32_t);
    return status;
}

hsc_status hsc_db_get_scope_columns(const hsc_db *db, hsc_db_scope_columns *out, hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_scope, err);
    *out = (hsc_db_scope_columns){HSC_COL(db, scope_kind, uint8_t), HSC_COL(db, scope_subtree_end, uint32_t),
                                  HSC_COL(db, scope_procedure, uint32_t), HSC_COL(db, scope_module, uint32_t),
                                  HSC_COL(db, scope_file, uint32_t)};
    return status;
}

hsc_status hsc_db_get_scope_of_lines(const hsc_db *db, const uint32_t **scope, hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_line, err);
    *scope = HSC_COL(db, line_scope, uint32_t);
    return status;
}

hsc_status hsc_db_get_scope_of_contexts(const hsc_db *db, const uint32_t **scope, hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_context, err);
    *scope = HSC_COL(db, context_scope, uint32_t);
    return status;
}

hsc_status hsc_db_get_scope_of_instances(const hsc_db *db, const uint32_t **scope, hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_instance, err);
    *scope = HSC_COL(db, instance_scope, uint32_t);
    return status;
}

uint32_t hsc_db_find_line(const hsc_db *db, uint32_t file, uint32_t line) {
    const uint32_t *lines = HSC_COL(db, line_line, uint32_t);
    if (file >= rows(db, HSC_TAB_file) || !db->line_rows[file])
        return HSC_NONE;
    lines += db->first_line[file];
    uint32_t n = db->line_rows[file], found = hsc_first_not_below(lines, n, line);
    return found < n && lines[found] == line ? db->first_line[file] + found : HSC_NONE;
}

hsc_status hsc_db_get_scope(const hsc_db *db, uint32_t s, hsc_db_scope *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_scope, s, err);
    if (!status)
        *out = (hsc_db_scope){.parent = HSC_COL(db, scope_parent, uint32_t)[s],
                              .subtree_end = HSC_COL(db, scope_subtree_end, uint32_t)[s],
                              .kind = (hsc_scope_kind)HSC_COL(db, scope_kind, uint8_t)[s],
                              .knowledge = (hsc_knowledge)HSC_COL(db, scope_knowledge, uint8_t)[s],
                              .name = TEXT(scope_name, s),
                              .procedure = HSC_COL(db, scope_procedure, uint32_t)[s],
                              .module = HSC_COL(db, scope_module, uint32_t)[s],
                              .file = HSC_COL(db, scope_file, uint32_t)[s],
                              .line_begin = HSC_COL(db, scope_line_begin, uint32_t)[s],
                              .line_end = HSC_COL(db, scope_line_end, uint32_t)[s],
                              .depth = HSC_COL(db, scope_depth, uint8_t)[s],
                              .unoptimised = HSC_COL(db, scope_unoptimised, uint8_t)[s] == 1};
    return status;
}

bool hsc_db_continues(const hsc_db *db, const hsc_db_scope *scope, uint32_t above) {
    hsc_db_scope up;
    return !strncmp(scope->name, "OpenMP ", 7) && above != HSC_NONE && !hsc_db_get_scope(db, above, &up, NULL) && up.kind == scope->kind &&
           up.line_begin == scope->line_begin && up.file == scope->file && !strcmp(up.name, scope->name);
}

/* Looked for once: all versions of a program are asked for. */
static const char *version_text(uint32_t version) {
    static _Thread_local const char *known[16];
    if (version >= sizeof known / sizeof *known)
        return hsc_enum_text("loop_version", version);
    if (!known[version])
        known[version] = hsc_enum_text("loop_version", version);
    return known[version];
}

hsc_status hsc_db_get_instance(const hsc_db *db, uint32_t i, hsc_db_instance *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_instance, i, err);
    if (!status) {
        uint32_t version = HSC_COL(db, instance_version, uint8_t)[i];
        const char *text = version_text(version);
        *out = (hsc_db_instance){HSC_COL(db, instance_scope, uint32_t)[i], HSC_COL(db, instance_function, uint32_t)[i], version,
                                 text ? text : "unknown version", HSC_COL(db, instance_vector_width, uint16_t)[i],
                                 HSC_COL(db, instance_interleave, uint16_t)[i], HSC_COL(db, instance_unroll, uint16_t)[i],
                                 HSC_COL(db, instance_vector_bytes, uint16_t)[i], HSC_COL(db, instance_parent, uint32_t)[i]};
    }
    return status;
}

static hsc_db_remark remark_of(const hsc_db *db, uint32_t i) {
    uint32_t kind = HSC_COL(db, remark_kind, uint8_t)[i], reason = HSC_COL(db, remark_reason, uint8_t)[i];
    const char *pass = TEXT(remark_pass, i), *name = TEXT(remark_name, i), *message = TEXT(remark_message, i);
    if (reason == HSC_reason_NOT_TRIED) /* the compiler says "loop not vectorized" */
        message = hsc_enum_text("reason", reason);
    return (hsc_db_remark){.scope = HSC_COL(db, remark_scope, uint32_t)[i],
                           .file = HSC_COL(db, remark_file, uint32_t)[i],
                           .line = HSC_COL(db, remark_line, uint32_t)[i],
                           .kind = kind,
                           .pass = pass,
                           .name = name,
                           .message = message,
                           .reason = reason,
                           .count = HSC_COL(db, remark_count, uint32_t)[i],
                           .function = HSC_COL(db, remark_function, uint32_t)[i],
                           .refuses_vectors = hsc_remark_refuses_vectors(pass, name, kind, reason)};
}

hsc_status hsc_db_get_remark(const hsc_db *db, uint32_t row, hsc_db_remark *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_remark, row, err);
    if (!status)
        *out = remark_of(db, row);
    return status;
}

hsc_status hsc_db_get_remarks(const hsc_db *db, uint32_t scope, hsc_db_remark *out, uint32_t capacity, uint32_t *n,
                              hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_remark, err);
    if (status)
        return status;
    const uint32_t *scopes = HSC_COL(db, remark_scope, uint32_t);
    uint32_t all = rows(db, HSC_TAB_remark), found = 0;
    for (uint32_t i = hsc_first_not_below(scopes, all, scope); i < all && scopes[i] == scope; i++, found++)
        if (found < capacity)
            out[found] = remark_of(db, i);
    *n = found;
    return HSC_OK;
}

hsc_status hsc_db_get_dependences(const hsc_db *db, uint32_t scope, hsc_db_dependence *out, uint32_t capacity, uint32_t *n,
                                  hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_dependence, err);
    if (status)
        return status;
    const uint32_t *scopes = HSC_COL(db, dependence_scope, uint32_t);
    uint32_t all = rows(db, HSC_TAB_dependence), found = 0;
    for (uint32_t i = hsc_first_not_below(scopes, all, scope); i < all && scopes[i] == scope; i++, found++)
        if (found < capacity)
            out[found] = (hsc_db_dependence){.scope = scope,
                                             .kind = HSC_COL(db, dependence_kind, uint8_t)[i],
                                             .verdict = HSC_COL(db, dependence_verdict, uint8_t)[i],
                                             .has_distance = HSC_COL(db, dependence_has_distance, uint8_t)[i] != 0,
                                             .distance = HSC_COL(db, dependence_distance, uint64_t)[i],
                                             .source_file = HSC_COL(db, dependence_source_file, uint32_t)[i],
                                             .source_line = HSC_COL(db, dependence_source_line, uint32_t)[i],
                                             .source_column = HSC_COL(db, dependence_source_column, uint32_t)[i],
                                             .sink_file = HSC_COL(db, dependence_sink_file, uint32_t)[i],
                                             .sink_line = HSC_COL(db, dependence_sink_line, uint32_t)[i],
                                             .sink_column = HSC_COL(db, dependence_sink_column, uint32_t)[i]};
    *n = found;
    return HSC_OK;
}

hsc_status hsc_db_get_process(const hsc_db *db, uint32_t p, hsc_db_process *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_process, p, err);
    if (!status)
        *out = (hsc_db_process){.rank = HSC_COL(db, process_rank, int32_t)[p],
                                .pid = HSC_COL(db, process_pid, uint32_t)[p],
                                .host = TEXT(process_host, p),
                                .executable = TEXT(process_executable, p),
                                .arguments = TEXT(process_arguments, p),
                                .mechanism = TEXT(process_mechanism, p),
                                .mechanism_note = TEXT(process_mechanism_note, p),
                                .environment = TEXT(process_environment, p),
                                .vector_bytes = HSC_COL(db, process_vector_bytes, uint16_t)[p],
                                .end = TEXT(process_end, p),
                                .first_thread = db->first_thread[p],
                                .threads = db->threads[p],
                                .node = db->process_node[p],
                                .begin_s = HSC_COL(db, process_begin_s, double)[p],
                                .end_s = HSC_COL(db, process_end_s, double)[p]};
    if (!status)
        out->unfinished = !strcmp(out->end, HSC_DB_NO_END) || !strncmp(out->end, HSC_DB_BY_SIGNAL, sizeof HSC_DB_BY_SIGNAL - 1);
    return status;
}

hsc_status hsc_db_get_thread(const hsc_db *db, uint32_t t, hsc_db_thread *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_thread, t, err);
    if (!status)
        *out = (hsc_db_thread){.process = HSC_COL(db, thread_process, uint32_t)[t],
                               .index = HSC_COL(db, thread_index, uint32_t)[t],
                               .tid = HSC_COL(db, thread_tid, uint32_t)[t],
                               .name = TEXT(thread_name, t),
                               .begin_s = HSC_COL(db, thread_begin_s, double)[t],
                               .end_s = HSC_COL(db, thread_end_s, double)[t],
                               .cpu_s = HSC_COL(db, thread_cpu_s, double)[t],
                               .own_s = HSC_COL(db, thread_own_s, double)[t],
                               .samples = HSC_COL(db, thread_samples, uint64_t)[t],
                               .lost = HSC_COL(db, thread_lost, uint64_t)[t],
                               .truncated = HSC_COL(db, thread_truncated, uint64_t)[t],
                               .records = HSC_COL(db, thread_records, uint64_t)[t],
                               .user_s = HSC_COL(db, thread_user_s, double)[t],
                               .system_s = HSC_COL(db, thread_system_s, double)[t],
                               .minor_faults = HSC_COL(db, thread_minor_faults, uint64_t)[t],
                               .major_faults = HSC_COL(db, thread_major_faults, uint64_t)[t],
                               .voluntary_switches = HSC_COL(db, thread_voluntary_switches, uint64_t)[t],
                               .involuntary_switches = HSC_COL(db, thread_involuntary_switches, uint64_t)[t],
                               .runnable_s = HSC_COL(db, thread_runnable_s, double)[t],
                               .idle = HSC_COL(db, thread_idle, uint8_t)[t] != 0};
    return status;
}

hsc_status hsc_db_get_metric(const hsc_db *db, uint32_t m, hsc_db_metric *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_metric, m, err);
    if (!status)
        *out = (hsc_db_metric){TEXT(metric_name, m), TEXT(metric_unit, m), HSC_COL(db, metric_scale, double)[m],
                               HSC_COL(db, metric_exact, uint8_t)[m] != 0, HSC_NONE, 1};
    for (uint32_t i = db->n_metrics; !status && i < rows(db, HSC_TAB_metric); i++)
        if (HSC_COL(db, metric_weights_of, uint32_t)[i] == m) {
            out->weights = db->interval ? m : i;
            out->weights_scale = db->interval ? db->mean_excess[m] : HSC_COL(db, metric_scale, double)[i];
        }
    return status;
}

const char *hsc_db_get_category(const hsc_db *db, uint32_t c) {
    return c < rows(db, HSC_TAB_category) ? TEXT(category_name, c) : NULL;
}

hsc_status hsc_db_get_ledger(const hsc_db *db, uint32_t r, hsc_db_ledger *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_ledger, r, err);
    if (!status)
        *out = (hsc_db_ledger){TEXT(ledger_name, r), TEXT(ledger_meaning, r), HSC_COL(db, ledger_samples, uint64_t)[r],
                               HSC_COL(db, ledger_seconds, double)[r], HSC_COL(db, ledger_group, uint32_t)[r]};
    return status;
}

hsc_status hsc_db_get_context(const hsc_db *db, uint32_t c, hsc_db_context *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_context, c, err);
    if (!status)
        *out = (hsc_db_context){HSC_COL(db, context_parent, uint32_t)[c], HSC_COL(db, context_subtree_end, uint32_t)[c],
                                (hsc_context_kind)HSC_COL(db, context_kind, uint8_t)[c], HSC_COL(db, context_scope, uint32_t)[c],
                                HSC_COL(db, context_call_line, uint32_t)[c], HSC_COL(db, context_depth, uint16_t)[c]};
    return status;
}

hsc_status hsc_db_get_context_columns(const hsc_db *db, hsc_db_context_columns *out, hsc_err *err) {
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_context, err);
    *out = (hsc_db_context_columns){HSC_COL(db, context_parent, uint32_t), HSC_COL(db, context_scope, uint32_t),
                                    HSC_COL(db, context_call_line, uint32_t)};
    return status;
}

/* An amount of the interval that is set, or of the whole run. */
#define AMOUNT(db, whole, column, ctype) ((whole) ? HSC_COL(db, column, ctype) : HSC_WITHIN(db, column, ctype))

static hsc_status get_message(const hsc_db *db, uint32_t r, bool whole, hsc_db_message *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_message, r, err);
    if (!status && !whole)
        status = hsc_within_want(db, HSC_WITHIN_MESSAGES, err);
    if (status)
        return status;
    const char *peer = hsc_enum_text("peer_class", HSC_COL(db, message_peer, uint8_t)[r]);
    *out = (hsc_db_message){.thread = HSC_COL(db, message_thread, uint32_t)[r],
                            .context = HSC_COL(db, message_context, uint32_t)[r],
                            .line = HSC_COL(db, message_line, uint32_t)[r],
                            .operation = TEXT(message_operation, r),
                            .kind = HSC_COL(db, message_class, uint8_t)[r],
                            .peer = peer ? peer : "unknown",
                            .size_class = HSC_COL(db, message_size_class, uint8_t)[r],
                            .calls = AMOUNT(db, whole, message_calls, uint64_t)[r],
                            .sent = AMOUNT(db, whole, message_sent, uint64_t)[r],
                            .sent_bytes = AMOUNT(db, whole, message_sent_bytes, uint64_t)[r],
                            .received = AMOUNT(db, whole, message_received, uint64_t)[r],
                            .received_bytes = AMOUNT(db, whole, message_received_bytes, uint64_t)[r],
                            .size_min = AMOUNT(db, whole, message_size_min, uint64_t)[r],
                            .size_max = AMOUNT(db, whole, message_size_max, uint64_t)[r],
                            .size_squares = AMOUNT(db, whole, message_size_squares, double)[r],
                            .duration_s = AMOUNT(db, whole, message_duration_s, double)[r],
                            .duration_min_s = AMOUNT(db, whole, message_duration_min_s, double)[r],
                            .duration_max_s = AMOUNT(db, whole, message_duration_max_s, double)[r],
                            .duration_squares = AMOUNT(db, whole, message_duration_squares, double)[r],
                            .completions = AMOUNT(db, whole, message_completions, uint64_t)[r],
                            .in_flight_s = AMOUNT(db, whole, message_in_flight_s, double)[r],
                            .completion_s = AMOUNT(db, whole, message_completion_s, double)[r]};
    return HSC_OK;
}

hsc_status hsc_db_get_message(const hsc_db *db, uint32_t r, hsc_db_message *out, hsc_err *err) { return get_message(db, r, false, out, err); }

hsc_status hsc_db_get_message_whole(const hsc_db *db, uint32_t r, hsc_db_message *out, hsc_err *err) { return get_message(db, r, true, out, err); }

hsc_status hsc_db_get_wait(const hsc_db *db, uint32_t r, hsc_db_wait *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_wait, r, err);
    if (!status)
        status = hsc_within_want(db, HSC_WITHIN_WAITS, err);
    if (status)
        return status;
    uint32_t kind = HSC_COL(db, wait_kind, uint8_t)[r];
    const char *text = hsc_enum_text("wait_kind", kind);
    *out = (hsc_db_wait){.thread = HSC_COL(db, wait_thread, uint32_t)[r],
                         .context = HSC_COL(db, wait_context, uint32_t)[r],
                         .line = HSC_COL(db, wait_line, uint32_t)[r],
                         .kind = kind,
                         .kind_text = text ? text : "unknown",
                         .waits = HSC_WITHIN(db, wait_waits, uint64_t)[r],
                         .bytes = HSC_WITHIN(db, wait_bytes, uint64_t)[r],
                         .total_s = HSC_WITHIN(db, wait_total_s, double)[r],
                         .max_s = HSC_WITHIN(db, wait_max_s, double)[r],
                         .holder_thread = HSC_COL(db, wait_holder_thread, uint32_t)[r],
                         .holder_context = HSC_COL(db, wait_holder_context, uint32_t)[r],
                         .column = HSC_COL(db, wait_column, uint32_t)[r]};
    return HSC_OK;
}

hsc_status hsc_db_get_delay(const hsc_db *db, uint32_t r, hsc_db_delay *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_delay, r, err);
    if (!status)
        status = hsc_within_want(db, HSC_WITHIN_DELAYS, err);
    if (status)
        return status;
    uint32_t kind = HSC_COL(db, delay_kind, uint8_t)[r];
    const char *text = hsc_enum_text("wait_cause", kind);
    *out = (hsc_db_delay){.kind = kind,
                          .kind_text = text ? text : "unknown",
                          .thread = HSC_COL(db, delay_thread, uint32_t)[r],
                          .context = HSC_COL(db, delay_context, uint32_t)[r],
                          .line = HSC_COL(db, delay_line, uint32_t)[r],
                          .waits = HSC_WITHIN(db, delay_waits, uint64_t)[r],
                          .wait_s = HSC_WITHIN(db, delay_wait_s, double)[r],
                          .indirect_s = HSC_WITHIN(db, delay_indirect_s, double)[r],
                          .caused_s = HSC_WITHIN(db, delay_caused_s, double)[r],
                          .for_work = kind == HSC_wait_cause_THREAD_END || HSC_COL(db, delay_for_work, uint8_t)[r]};
    return HSC_OK;
}

static hsc_status get_delayed(const hsc_db *db, uint32_t r, bool whole, hsc_db_delayed *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_delayed, r, err);
    if (!status && !whole)
        status = hsc_within_want(db, HSC_WITHIN_DELAYED, err);
    if (!status)
        *out = (hsc_db_delayed){.delay = HSC_COL(db, delayed_delay, uint32_t)[r],
                                .thread = HSC_COL(db, delayed_thread, uint32_t)[r],
                                .context = HSC_COL(db, delayed_context, uint32_t)[r],
                                .line = HSC_COL(db, delayed_line, uint32_t)[r],
                                .begun = HSC_COL(db, delayed_begun, uint32_t)[r],
                                .waits = AMOUNT(db, whole, delayed_waits, uint64_t)[r],
                                .wait_s = AMOUNT(db, whole, delayed_wait_s, double)[r],
                                .max_s = AMOUNT(db, whole, delayed_max_s, double)[r]};
    return status;
}

hsc_status hsc_db_get_delayed(const hsc_db *db, uint32_t r, hsc_db_delayed *out, hsc_err *err) { return get_delayed(db, r, false, out, err); }

hsc_status hsc_db_get_delayed_whole(const hsc_db *db, uint32_t r, hsc_db_delayed *out, hsc_err *err) { return get_delayed(db, r, true, out, err); }

/* In an interval as much of what was caused as in the run. */
static double counted(const hsc_db *db, uint32_t r) {
    double caused = HSC_WITHIN(db, delay_place_caused_s, double)[r], of_run = HSC_COL(db, delay_place_caused_s, double)[r];
    if (db->minor < COUNTED_MINOR)
        return NAN;
    return of_run > 0 ? caused * (HSC_COL(db, delay_place_counted_s, double)[r] / of_run) : 0;
}

hsc_status hsc_db_get_delay_place(const hsc_db *db, uint32_t r, hsc_db_delay_place *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_delay_place, r, err);
    if (!status)
        status = hsc_within_want(db, HSC_WITHIN_PLACES, err);
    if (!status)
        *out = (hsc_db_delay_place){.delay = HSC_COL(db, delay_place_delay, uint32_t)[r],
                                    .context = HSC_COL(db, delay_place_context, uint32_t)[r],
                                    .line = HSC_COL(db, delay_place_line, uint32_t)[r],
                                    .direct_s = HSC_WITHIN(db, delay_place_direct_s, double)[r],
                                    .caused_s = HSC_WITHIN(db, delay_place_caused_s, double)[r],
                                    .counted_s = counted(db, r),
                                    .of_libraries = HSC_COL(db, delay_place_of_libraries, uint8_t)[r] != 0,
                                    .not_running = HSC_COL(db, delay_place_not_running, uint8_t)[r] == 1,
                                    .not_known = HSC_COL(db, delay_place_not_running, uint8_t)[r] == 2,
                                    .wait_kind = HSC_COL(db, delay_place_wait_kind, uint8_t)[r],
                                    .column = HSC_COL(db, delay_place_column, uint32_t)[r]};
    return status;
}

hsc_status hsc_db_read_histogram(const hsc_db *db, hsc_db_histogram which, uint32_t row, uint64_t *out, hsc_err *err) {
    bool wait = which == HSC_HISTOGRAM_WAIT;
    enum hsc_table_id table = wait ? HSC_TAB_wait_bucket : HSC_TAB_message_bucket;
    hsc_status status = hsc_db_load((hsc_db *)db, table, err);
    if (!status && row >= rows(db, wait ? HSC_TAB_wait : HSC_TAB_message))
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: histogram of row %" PRIu32 " asked for, there are %" PRIu32,
                             db->path, row, rows(db, wait ? HSC_TAB_wait : HSC_TAB_message));
    if (status)
        return status;
    const uint32_t *of = wait ? HSC_COL(db, wait_bucket_wait, uint32_t) : HSC_COL(db, message_bucket_message, uint32_t);
    const uint8_t *bucket =
        wait ? HSC_COL(db, wait_bucket_bucket, uint8_t) : HSC_COL(db, message_bucket_bucket, uint8_t);
    const uint64_t *count =
        wait ? HSC_COL(db, wait_bucket_count, uint64_t) : HSC_COL(db, message_bucket_count, uint64_t);
    uint32_t n = rows(db, table);
    for (int b = 0; b < HSC_BUCKETS; b++)
        out[b] = 0;
    if (hsc_within_is_set(db))
        return hsc_within_histogram(db, wait ? HSC_WITHIN_WAITS : HSC_WITHIN_MESSAGES, row, wait ? 0 : (unsigned)which, out, HSC_BUCKETS, err);
    for (uint32_t i = hsc_first_not_below(of, n, row); i < n && of[i] == row; i++)
        if (bucket[i] < HSC_BUCKETS && (wait || HSC_COL(db, message_bucket_quantity, uint8_t)[i] == (uint8_t)which))
            out[bucket[i]] += count[i];
    return HSC_OK;
}
