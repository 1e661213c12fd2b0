/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the map says of loops, memory, messages and directives, into the store. */
#include "emit.h"

static uint32_t row_in(const uint32_t *rows, uint32_t index) { return index == HSC_NO_INDEX ? HSC_NO_INDEX : rows[index]; }

static uint32_t scope_in(const jmodule *m, uint32_t loop, uint32_t procedure) {
    uint32_t scope = row_in(m->loop_scopes.p, loop);
    return scope == HSC_NO_INDEX ? row_in(m->procedure_scopes.p, procedure) : scope;
}

static uint32_t at_most(uint32_t v, uint32_t most) { return v <= most ? v : 0; }

#define MODULE(i) (j->modules.p[p[i].module])
#define TEXT(s) ((s) ? (s) : "")

static void put_loops(emit *e) {
    const join *j = e->j;
    const jplaced *p = j->data.loops.p;
    size_t n = j->data.loops.n;
#define Q(i) (MODULE(i).tables.loops[p[i].row])
    COLUMN(e, loop_scope, uint32_t, n, p[i].scope);
    COLUMN(e, loop_kind, uint8_t, n, at_most(Q(i).kind, 255));
    COLUMN(e, loop_flags, uint32_t, n, Q(i).flags);
    COLUMN(e, loop_variable, text, n, TEXT(Q(i).variable));
    COLUMN(e, loop_first, text, n, TEXT(Q(i).first));
    COLUMN(e, loop_bound, text, n, TEXT(Q(i).bound));
    COLUMN(e, loop_step, int32_t, n, Q(i).step == (int32_t)Q(i).step ? Q(i).step : 0);
    COLUMN(e, loop_trips, uint64_t, n, Q(i).trips);
    COLUMN(e, loop_trips_max, uint64_t, n, Q(i).trips_max);
    COLUMN(e, loop_trips_multiple, uint64_t, n, Q(i).trips_multiple);
    COLUMN(e, loop_collapsed, uint32_t, n, Q(i).collapsed);
#undef Q
}

static void put_memory(emit *e) {
    const join *j = e->j;
    const jplaced *p = j->data.checks.p;
    size_t n = j->data.checks.n;
#define Q(i) (MODULE(i).data->checks.p[p[i].row])
    COLUMN(e, memory_check_scope, uint32_t, n, p[i].scope);
    COLUMN(e, memory_check_check, uint32_t, n, Q(i).check);
    COLUMN(e, memory_check_comparisons, uint32_t, n, Q(i).comparisons);
    COLUMN(e, memory_check_file, uint32_t, n, p[i].file);
    COLUMN(e, memory_check_line, uint32_t, n, Q(i).line);
    COLUMN(e, memory_check_column, uint32_t, n, Q(i).column);
#undef Q
    p = j->data.arrays.p;
    n = j->data.arrays.n;
#define Q(i) (MODULE(i).data->arrays.p[p[i].row])
    COLUMN(e, array_scope, uint32_t, n, p[i].scope);
    COLUMN(e, array_name, text, n, Q(i).name);
    COLUMN(e, array_type, text, n, Q(i).type);
    COLUMN(e, array_element, text, n, Q(i).element);
    COLUMN(e, array_bounds, text, n, Q(i).bounds);
    COLUMN(e, array_element_bytes, uint32_t, n, Q(i).element_bytes);
    COLUMN(e, array_storage, uint8_t, n, at_most(Q(i).storage, 255));
    COLUMN(e, array_flags, uint32_t, n, Q(i).flags);
    COLUMN(e, array_file, uint32_t, n, p[i].file);
    COLUMN(e, array_line, uint32_t, n, p[i].line);
    COLUMN(e, array_symbol, text, n, Q(i).symbol);
    COLUMN(e, array_tag, uint64_t, n, Q(i).tag);
    COLUMN(e, array_identity, uint64_t, n, Q(i).identity);
    COLUMN(e, array_parent, uint32_t, n, row_in(MODULE(i).array_rows.p, Q(i).parent));
    COLUMN(e, array_argument, uint16_t, n, at_most(Q(i).argument, 65535));
#undef Q
    p = j->data.references.p;
    n = j->data.references.n;
#define Q(i) (MODULE(i).data->references.p[p[i].row])
    COLUMN(e, reference_scope, uint32_t, n, p[i].scope);
    COLUMN(e, reference_array, uint32_t, n, row_in(MODULE(i).array_rows.p, Q(i).array));
    COLUMN(e, reference_access, uint8_t, n, at_most(Q(i).access, 255));
    COLUMN(e, reference_file, uint32_t, n, p[i].file);
    COLUMN(e, reference_line, uint32_t, n, p[i].line);
    COLUMN(e, reference_column, uint32_t, n, p[i].column);
    COLUMN(e, reference_size_bytes, uint32_t, n, Q(i).size_bytes);
    COLUMN(e, reference_text, text, n, Q(i).text);
    COLUMN(e, reference_stride, uint8_t, n, at_most(Q(i).stride, 255));
    COLUMN(e, reference_stride_bytes, text, n, Q(i).stride_bytes);
    COLUMN(e, reference_index, uint32_t, n, row_in(MODULE(i).array_rows.p, Q(i).index));
#undef Q
}

static void put_sites(emit *e) {
    const join *j = e->j;
    const jplaced *p = j->data.sites.p;
    size_t n = j->data.sites.n;
#define Q(i) (MODULE(i).data->messages.p[p[i].row])
    COLUMN(e, mpi_site_code_line, uint32_t, n, p[i].scope);
    COLUMN(e, mpi_site_scope, uint32_t, n, scope_in(&MODULE(i), Q(i).loop, Q(i).procedure));
    COLUMN(e, mpi_site_file, uint32_t, n, p[i].file);
    COLUMN(e, mpi_site_line, uint32_t, n, p[i].line);
    COLUMN(e, mpi_site_column, uint32_t, n, p[i].column);
    COLUMN(e, mpi_site_operation, text, n, Q(i).operation);
    COLUMN(e, mpi_site_kind, uint8_t, n, at_most(Q(i).kind, 255));
    COLUMN(e, mpi_site_binding, uint8_t, n, at_most(Q(i).binding, 255));
#undef Q
    p = j->data.arguments.p;
    n = j->data.arguments.n;
#define Q(i) (MODULE(i).data->arguments.p[p[i].row])
    COLUMN(e, mpi_argument_site, uint32_t, n, p[i].scope);
    COLUMN(e, mpi_argument_number, uint8_t, n, at_most(Q(i).number, 255));
    COLUMN(e, mpi_argument_role, uint8_t, n, at_most(Q(i).role, 255));
    COLUMN(e, mpi_argument_text, text, n, Q(i).text);
    COLUMN(e, mpi_argument_array, uint32_t, n, row_in(MODULE(i).array_rows.p, Q(i).array));
    COLUMN(e, mpi_argument_shape, uint8_t, n, at_most(Q(i).shape, 255));
    COLUMN(e, mpi_argument_datatype_bytes, uint64_t, n, Q(i).datatype_bytes);
#undef Q
    p = j->data.links.p;
    n = j->data.links.n;
#define Q(i) (MODULE(i).data->links.p[p[i].row])
#define OF(i) (MODULE(i).data->messages.p[Q(i).message])
    COLUMN(e, mpi_link_site, uint32_t, n, p[i].scope);
    COLUMN(e, mpi_link_kind, uint8_t, n, at_most(Q(i).kind, 255));
    COLUMN(e, mpi_link_confidence, uint8_t, n, at_most(Q(i).confidence, 255));
    COLUMN(e, mpi_link_other, uint32_t, n, row_in(MODULE(i).site_rows.p, Q(i).target_message));
    COLUMN(e, mpi_link_scope, uint32_t, n, scope_in(&MODULE(i), Q(i).target_loop, OF(i).procedure));
    COLUMN(e, mpi_link_file, uint32_t, n, row_in(MODULE(i).file_rows.p, Q(i).file));
    COLUMN(e, mpi_link_line, uint32_t, n, Q(i).line);
    COLUMN(e, mpi_link_column, uint32_t, n, Q(i).column);
    COLUMN(e, mpi_link_array, uint32_t, n, row_in(MODULE(i).array_rows.p, Q(i).array));
    COLUMN(e, mpi_link_text, text, n, Q(i).text);
#undef OF
#undef Q
}

static void put_directives(emit *e) {
    const join *j = e->j;
    const jplaced *p = j->data.directives.p;
    size_t n = j->data.directives.n;
#define Q(i) (MODULE(i).data->directives.p[p[i].row])
    COLUMN(e, directive_scope, uint32_t, n, p[i].scope);
    COLUMN(e, directive_file, uint32_t, n, p[i].file);
    COLUMN(e, directive_line, uint32_t, n, p[i].line);
    COLUMN(e, directive_constructs, uint32_t, n, Q(i).constructs);
    COLUMN(e, directive_text, text, n, Q(i).text);
    COLUMN(e, directive_region, uint32_t, n, hsc_join_region_scope(&MODULE(i), Q(i).region));
    COLUMN(e, directive_loop, uint32_t, n, row_in(MODULE(i).loop_scopes.p, Q(i).loop));
#undef Q
    p = j->data.runtime_calls.p;
    n = j->data.runtime_calls.n;
#define Q(i) (MODULE(i).data->runtime_calls.p[p[i].row])
    COLUMN(e, runtime_call_code_line, uint32_t, n, p[i].scope);
    COLUMN(e, runtime_call_directive, uint32_t, n, row_in(MODULE(i).directive_rows.p, Q(i).directive));
    COLUMN(e, runtime_call_role, uint8_t, n, at_most(Q(i).role, 255));
    COLUMN(e, runtime_call_scope, uint32_t, n, scope_in(&MODULE(i), Q(i).loop, Q(i).procedure));
    COLUMN(e, runtime_call_callee, text, n, Q(i).callee);
#undef Q
    p = j->data.handed.p;
    n = j->data.handed.n;
#define Q(i) (MODULE(i).data->handed.p[p[i].row])
    COLUMN(e, handed_code_line, uint32_t, n, p[i].scope);
    COLUMN(e, handed_scope, uint32_t, n, scope_in(&MODULE(i), HSC_NO_INDEX, Q(i).procedure));
    COLUMN(e, handed_callee, uint32_t, n, p[i].file); /* see take_handed() */
    COLUMN(e, handed_argument, uint16_t, n, at_most(Q(i).argument, 65535));
    COLUMN(e, handed_array, uint32_t, n, row_in(MODULE(i).array_rows.p, Q(i).array));
#undef Q
}

hsc_status hsc_join_put_data(join *j, struct hsc_store *store, hsc_err *err) {
    emit e = {.j = j, .s = store, .err = err};
    put_loops(&e);
    put_memory(&e);
    put_sites(&e);
    put_directives(&e);
    return e.status;
}
