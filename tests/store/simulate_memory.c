/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What loops of a simulated program touch, as the map would tell it: read off the source text. */
#include "simulate_put.h"

#include <stdio.h>
#include <string.h>

#include <heatscope/formats/records.h>

typedef struct reference {
    uint32_t scope, array, file, line, column;
    uint8_t access;
    char text[40];
} reference;

typedef struct array {
    uint32_t scope, line; /* the procedure, its first line */
    char name[8];
    bool fortran;
} array;

typedef struct memory {
    array *arrays;
    reference *references;
    uint32_t n_arrays, array_capacity, n_references, reference_capacity;
} memory;

static uint32_t array_of(memory *m, const sim_program *p, uint32_t procedure, const char *name, size_t length) {
    for (uint32_t i = m->n_arrays; i-- > 0 && m->arrays[i].scope == procedure;)
        if (strlen(m->arrays[i].name) == length && !strncmp(m->arrays[i].name, name, length))
            return i;
    m->arrays = sim_grow(m->arrays, m->n_arrays, &m->array_capacity, sizeof *m->arrays);
    array *a = &m->arrays[m->n_arrays];
    *a = (array){.scope = procedure, .line = p->scopes[procedure].line_begin, .fortran = p->files[p->scopes[procedure].file].language == 1};
    memcpy(a->name, name, length);
    return m->n_arrays++;
}

/* Elements in the text of a line: a name of ours with subscripts; what stands left of an assignment is written. */
static void read_line(memory *m, const sim_program *p, const sim_line *l, const char *text, size_t length) {
    static const char *const names[] = {"a", "b", "rho", "vel", "phi", "res", "tmp", "coef"};
    const sim_scope *s = &p->scopes[l->scope];
    if (s->kind != HSC_SCOPE_LOOP)
        return;
    for (size_t at = strspn(text, " "); at < length; at++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            size_t n = strlen(names[k]);
            if (at + n >= length || strncmp(text + at, names[k], n) || (text[at + n] != '[' && text[at + n] != '(') ||
                (at && text[at - 1] != ' ' && text[at - 1] != '('))
                continue;
            size_t end = at + n;
            for (int depth = 0; end < length; end++) {
                depth += text[end] == '[' || text[end] == '(';
                depth -= text[end] == ']' || text[end] == ')';
                if (!depth)
                    break;
            }
            m->references = sim_grow(m->references, m->n_references, &m->reference_capacity, sizeof *m->references);
            reference *r = &m->references[m->n_references++];
            bool written = at == strspn(text, " ") && (!strncmp(text + end + 1, " = ", 3) || !strncmp(text + end + 1, " -= ", 4));
            *r = (reference){.scope = l->scope, .array = array_of(m, p, s->procedure, names[k], n), .file = l->file, .line = l->line,
                             .column = (uint32_t)at + 1, .access = written ? HSC_access_WRITE : HSC_access_READ};
            snprintf(r->text, sizeof r->text, "%.*s", (int)(end + 1 - at), text + at);
        }
}

static int by_place(const void *a, const void *b) {
    const reference *x = a, *y = b;
    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static char variable_of(const sim_program *p, uint32_t loop) { return "kjilmn"[(p->scopes[loop].depth - 1) % 6]; }

/* From one iteration of the innermost loop to the next: i is the subscript that varies fastest. */
static uint8_t stride_of(const sim_program *p, const reference *r) {
    char v = variable_of(p, r->scope);
    if (strlen(r->text) < 8 && !strchr(r->text, v)) /* tmp[i] */
        return HSC_stride_ZERO;
    return v == 'i' ? HSC_stride_UNIT : HSC_stride_SYMBOLIC;
}

static const char *stride_bytes(const sim_program *p, const reference *r) {
    if (stride_of(p, r) != HSC_stride_SYMBOLIC)
        return "";
    return variable_of(p, r->scope) == 'j' ? "8*ni" : "8*ni*nj";
}

static hsc_status put_loops(hsc_store *s, const sim_program *p, hsc_err *err) {
    hsc_status status = HSC_OK;
    uint32_t n = 0, bad = 0, *loops = sim_must(malloc((p->n_scopes + 1) * sizeof *loops)), *hindered = sim_must(malloc((p->n_scopes + 1) * sizeof *hindered));
    for (uint32_t i = 0; i < p->n_scopes; i++)
        if (p->scopes[i].kind == HSC_SCOPE_LOOP) {
            loops[n++] = i;
            if (p->scopes[i].end == i + 1 && i % 5 == 0 && p->scopes[i].line_end > p->scopes[i].line_begin + 2) /* refused, see its remark */
                hindered[bad++] = i;
        }
    char (*words)[4][16] = sim_must(calloc(n + 1, sizeof *words));
    for (uint32_t i = 0; i < n; i++) {
        char v = variable_of(p, loops[i]);
        bool fortran = p->files[p->scopes[loops[i]].file].language == 1;
        snprintf(words[i][0], sizeof words[i][0], "%c", v);
        snprintf(words[i][1], sizeof words[i][1], fortran ? "n%c - 1" : "%c < n%c - 1", v, v);
    }
    PUT(loop_scope, n, uint32_t, loops[i]);
    PUT(loop_kind, n, uint8_t, p->files[p->scopes[loops[i]].file].language == 1 ? HSC_loop_kind_DO : HSC_loop_kind_FOR);
    PUT(loop_flags, n, uint32_t, 0 * i);
    PUT(loop_variable, n, const char *, words[i][0]);
    PUT(loop_first, n, const char *, p->files[p->scopes[loops[i]].file].language == 1 ? "2" : "1");
    PUT(loop_bound, n, const char *, words[i][1]);
    PUT(loop_step, n, int32_t, (int32_t)(i < n));
    PUT(loop_trips, n, uint64_t, 0 * i);
    PUT(loop_trips_max, n, uint64_t, 0 * i);
    PUT(loop_trips_multiple, n, uint64_t, 0 * i);
    PUT(loop_collapsed, n, uint32_t, 0 * i);
    PUT(dependence_scope, bad, uint32_t, hindered[i]);
    PUT(dependence_kind, bad, uint8_t, i % 3);
    PUT(dependence_verdict, bad, uint8_t, HSC_dependence_verdict_UNSAFE + 0 * i);
    PUT(dependence_has_distance, bad, uint8_t, (uint8_t)(i < bad));
    PUT(dependence_distance, bad, uint64_t, 1 + i % 2);
    PUT(dependence_source_file, bad, uint32_t, p->scopes[hindered[i]].file);
    PUT(dependence_source_line, bad, uint32_t, p->scopes[hindered[i]].line_begin + 1);
    PUT(dependence_source_column, bad, uint32_t, 0 * i);
    PUT(dependence_sink_file, bad, uint32_t, p->scopes[hindered[i]].file);
    PUT(dependence_sink_line, bad, uint32_t, p->scopes[hindered[i]].line_end - 1);
    PUT(dependence_sink_column, bad, uint32_t, 0 * i);
    free(words);
    free(loops);
    free(hindered);
    return status;
}

/* Calls of MPI: contexts of procedures of the first library, each at its line. */
static hsc_status put_sites(hsc_store *s, const sim_program *p, const memory *m, hsc_err *err) {
    hsc_status status = HSC_OK;
    uint32_t n = 0, *sites = sim_must(malloc((p->n_contexts + 1) * sizeof *sites));
    for (uint32_t line = 0; line < p->n_lines; line++)
        for (uint32_t c = 0; c < p->n_contexts; c++)
            if (p->contexts[c].call_line == line && p->scopes[p->contexts[c].scope].module == 1)
                sites[n++] = c;
    uint32_t *arrays = sim_must(malloc((n + 1) * sizeof *arrays));
    for (uint32_t i = 0; i < n; i++) {
        arrays[i] = HSC_NONE;
        for (uint32_t k = 0; k < m->n_arrays && arrays[i] == HSC_NONE; k++)
            if (m->arrays[k].scope == p->scopes[p->lines[p->contexts[sites[i]].call_line].scope].procedure)
                arrays[i] = k;
    }
#define LINE p->lines[p->contexts[sites[i]].call_line]
#define NAME p->scopes[p->contexts[sites[i]].scope].name
    PUT(mpi_site_code_line, n, uint32_t, p->contexts[sites[i]].call_line);
    PUT(mpi_site_scope, n, uint32_t, LINE.scope);
    PUT(mpi_site_file, n, uint32_t, LINE.file);
    PUT(mpi_site_line, n, uint32_t, LINE.line);
    PUT(mpi_site_column, n, uint32_t, 0 * i);
    PUT(mpi_site_operation, n, const char *, NAME);
    PUT(mpi_site_kind, n, uint8_t, !strcmp(NAME, "MPI_Isend") ? HSC_message_kind_SEND : !strcmp(NAME, "MPI_Waitall") ? HSC_message_kind_WAIT : HSC_message_kind_COLLECTIVE);
    PUT(mpi_site_binding, n, uint8_t, p->files[LINE.file].language == 1 ? HSC_mpi_binding_FORTRAN : HSC_mpi_binding_C);
    PUT(mpi_argument_site, n, uint32_t, i);
    PUT(mpi_argument_number, n, uint8_t, (uint8_t)(1 + 0 * i));
    PUT(mpi_argument_role, n, uint8_t, !strcmp(NAME, "MPI_Waitall") ? HSC_mpi_role_REQUEST_COUNT : HSC_mpi_role_SEND_BUFFER);
    PUT(mpi_argument_text, n, const char *, !strcmp(NAME, "MPI_Waitall") ? "2" : arrays[i] == HSC_NONE ? "" : m->arrays[arrays[i]].name);
    PUT(mpi_argument_array, n, uint32_t, !strcmp(NAME, "MPI_Waitall") ? HSC_NONE : arrays[i]);
    PUT(mpi_argument_shape, n, uint8_t, HSC_section_shape_UNKNOWN + 0 * i);
    PUT(mpi_argument_datatype_bytes, n, uint64_t, 0 * i);
#undef LINE
#undef NAME
    free(sites);
    free(arrays);
    return status;
}

hsc_status sim_put_memory(hsc_store *s, const sim_program *p, hsc_err *err) {
    memory m = {0};
    uint32_t file = HSC_NONE, line = 1;
    const char *text = NULL;
    for (uint32_t i = 0; i < p->n_lines; i++) {
        const sim_line *l = &p->lines[i];
        if (p->files[l->file].language < 0)
            continue;
        if (l->file != file) {
            file = l->file;
            line = 1;
            text = p->files[file].text;
        }
        for (; line < l->line; line++)
            text = strchr(text, '\n') + 1;
        read_line(&m, p, l, text, (size_t)(strchr(text, '\n') - text));
    }
    if (m.n_references)
        qsort(m.references, m.n_references, sizeof *m.references, by_place);
    hsc_status status = put_loops(s, p, err);
    PUT(array_scope, m.n_arrays, uint32_t, m.arrays[i].scope);
    PUT(array_name, m.n_arrays, const char *, m.arrays[i].name);
    PUT(array_type, m.n_arrays, const char *, m.arrays[i].fortran ? "real(8)" : "double *");
    PUT(array_element, m.n_arrays, const char *, m.arrays[i].fortran ? "real(8)" : "double");
    PUT(array_bounds, m.n_arrays, const char *, m.arrays[i].fortran ? "(ni, nj, *)" : "[?]");
    PUT(array_element_bytes, m.n_arrays, uint32_t, 8 + 0 * i);
    PUT(array_storage, m.n_arrays, uint8_t, m.arrays[i].name[1] ? HSC_storage_POINTER : HSC_storage_ARGUMENT);
    PUT(array_flags, m.n_arrays, uint32_t, m.arrays[i].fortran ? HSC_array_flag_COLUMN_MAJOR : HSC_array_flag_SHAPE_FROM_USE);
    PUT(array_file, m.n_arrays, uint32_t, p->scopes[m.arrays[i].scope].file);
    PUT(array_line, m.n_arrays, uint32_t, m.arrays[i].line);
    PUT(array_symbol, m.n_arrays, const char *, i < m.n_arrays ? "" : NULL);
    PUT(array_tag, m.n_arrays, uint64_t, (i + 1) * 0x9E3779B97F4A7C15u);
    PUT(array_identity, m.n_arrays, uint64_t, 0 * i);
    PUT(array_parent, m.n_arrays, uint32_t, HSC_NONE + 0 * i);
    PUT(array_argument, m.n_arrays, uint16_t, (uint16_t)(m.arrays[i].name[1] ? 0 : m.arrays[i].name[0] == 'a' ? 1 : 2));
    PUT(reference_scope, m.n_references, uint32_t, m.references[i].scope);
    PUT(reference_array, m.n_references, uint32_t, m.references[i].array);
    PUT(reference_access, m.n_references, uint8_t, m.references[i].access);
    PUT(reference_file, m.n_references, uint32_t, m.references[i].file);
    PUT(reference_line, m.n_references, uint32_t, m.references[i].line);
    PUT(reference_column, m.n_references, uint32_t, m.references[i].column);
    PUT(reference_size_bytes, m.n_references, uint32_t, 8 + 0 * i);
    PUT(reference_text, m.n_references, const char *, m.references[i].text);
    PUT(reference_stride, m.n_references, uint8_t, stride_of(p, &m.references[i]));
    PUT(reference_stride_bytes, m.n_references, const char *, stride_bytes(p, &m.references[i]));
    PUT(reference_index, m.n_references, uint32_t, HSC_NONE + 0 * i);
    if (!status)
        status = put_sites(s, p, &m, err);
    free(m.arrays);
    free(m.references);
    return status;
}
