/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays, references, messages and directives of the map into tables of the module. What several units say of one
 * procedure (inline procedures of headers) is taken from the first of them. */
#include "map_data.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/tags.h>
#include <heatscope/formats/stream.h>

#include "data_text.h"

enum { SEEN_ARRAY, SEEN_REFERENCE, SEEN_MESSAGE, SEEN_DIRECTIVE };

struct hsc_map_data {
    hsc_pool pool;
    HSC_VEC(hsc_rec_value) values;
    HSC_VEC(hsc_rec_array) arrays;
    HSC_VEC(hsc_rec_reference) references;
    HSC_VEC(hsc_rec_message) messages;
    HSC_VEC(hsc_rec_section) sections;
    HSC_VEC(hsc_rec_datatype) datatypes;
    HSC_VEC(hsc_rec_message_link) links;
    HSC_VEC(hsc_rec_memory_check) checks;
    HSC_VEC(hsc_rec_directive) directives;
    HSC_VEC(hsc_rec_runtime_call) runtime_calls;
    HSC_VEC(hsc_rec_array_argument) handed;
    HSC_VEC(const char *) callees;
    HSC_VEC(uint64_t) calls; /* call site of each callee */
    hsc_table callee_rows; /* (callsite id, 0) */
};

hsc_map_data *hsc_map_data_new(void) { return calloc(1, sizeof(hsc_map_data)); }

void hsc_map_data_delete(hsc_map_data *d) {
    if (!d)
        return;
    hsc_pool_fini(&d->pool);
    void *lists[] = {d->values.p, d->arrays.p, d->references.p, d->messages.p,      d->sections.p, d->datatypes.p,
                     d->links.p,  d->checks.p, d->directives.p, d->runtime_calls.p, d->handed.p,    d->callees.p, d->calls.p};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    hsc_table_fini(&d->callee_rows);
    free(d);
}

void hsc_map_data_free(hsc_code *c) {
    hsc_code_data *d = &c->data;
    void *lists[] = {d->checks.p,    d->arrays.p, d->references.p, d->messages.p,
                     d->arguments.p, d->links.p,  d->directives.p, d->runtime_calls.p, d->handed.p};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    hsc_table_fini(&c->data_owner);
    hsc_table_fini(&c->data_rows);
    hsc_table_fini(&c->array_by_tag);
}

/* ---- records of the group ---- */

static bool keep_text(hsc_map_data *d, hsc_str *s) {
    s->p = hsc_pool_intern(&d->pool, s->p, s->n);
    s->n = s->p ? strlen(s->p) : 0;
    return s->p != NULL;
}

static bool keep_numbers(hsc_map_data *d, hsc_u64s *v) {
    uint64_t *copy = hsc_pool_take(&d->pool, v->n * sizeof *copy + 1);
    if (copy && v->n)
        memcpy(copy, v->p, v->n * sizeof *copy);
    v->p = copy;
    return copy != NULL;
}

bool hsc_map_data_take(hsc_map_data *d, const hsc_record *r, hsc_tags *tags) {
    switch (r->record_id) {
    case HSC_REC_value: {
        hsc_rec_value v = *(const hsc_rec_value *)r->value;
        v.terms = (hsc_u64s){0};
        return keep_text(d, &v.text) && HSC_PUSH(d->values, v);
    }
    case HSC_REC_array: {
        hsc_rec_array v = *(const hsc_rec_array *)r->value;
        hsc_err err;
        return hsc_tags_fill(tags, r->record_id, &v, &err) == HSC_OK && keep_text(d, &v.name) && keep_text(d, &v.type) && keep_text(d, &v.element) && keep_text(d, &v.symbol) &&
               keep_numbers(d, &v.lower) && keep_numbers(d, &v.extent) && HSC_PUSH(d->arrays, v);
    }
    case HSC_REC_reference: {
        hsc_rec_reference v = *(const hsc_rec_reference *)r->value;
        return keep_numbers(d, &v.subscripts) && HSC_PUSH(d->references, v);
    }
    case HSC_REC_message: {
        hsc_rec_message v = *(const hsc_rec_message *)r->value;
        return keep_text(d, &v.operation) && keep_numbers(d, &v.roles) && keep_numbers(d, &v.values) &&
               keep_numbers(d, &v.sections) && HSC_PUSH(d->messages, v);
    }
    case HSC_REC_section: {
        hsc_rec_section v = *(const hsc_rec_section *)r->value;
        v.step = (hsc_u64s){0};
        return keep_numbers(d, &v.lower) && keep_numbers(d, &v.upper) && HSC_PUSH(d->sections, v);
    }
    case HSC_REC_datatype: {
        hsc_rec_datatype v = *(const hsc_rec_datatype *)r->value;
        v.base = (hsc_strs){0};
        v.lengths = v.displacements = (hsc_u64s){0};
        return keep_text(d, &v.name) && HSC_PUSH(d->datatypes, v);
    }
    case HSC_REC_message_link: {
        hsc_rec_message_link v = *(const hsc_rec_message_link *)r->value;
        return keep_text(d, &v.reason) && HSC_PUSH(d->links, v);
    }
    case HSC_REC_memory_check: {
        hsc_rec_memory_check v = *(const hsc_rec_memory_check *)r->value;
        return keep_numbers(d, &v.lines) && keep_numbers(d, &v.columns) && HSC_PUSH(d->checks, v);
    }
    case HSC_REC_directive: {
        hsc_rec_directive v = *(const hsc_rec_directive *)r->value;
        return keep_text(d, &v.text) && HSC_PUSH(d->directives, v);
    }
    case HSC_REC_runtime_call:
        return HSC_PUSH(d->runtime_calls, *(const hsc_rec_runtime_call *)r->value);
    case HSC_REC_array_argument:
        return HSC_PUSH(d->handed, *(const hsc_rec_array_argument *)r->value);
    default:
        return true;
    }
}

bool hsc_map_data_name_call(hsc_map_data *d, uint64_t callsite_id, const char *callee) {
    uint32_t *at = hsc_table_at(&d->callee_rows, callsite_id, 0);
    if (at)
        *at = (uint32_t)d->callees.n;
    return at && HSC_PUSH(d->callees, callee) && HSC_PUSH(d->calls, callsite_id);
}

/* ---- into rows ---- */

typedef struct adder {
    hsc_code *c;
    hsc_map_data *d;
    const hsc_group_rows *rows;
    hsc_map_values values;
} adder;

static uint64_t key(const adder *a, uint64_t id) {
    return (uint64_t)a->rows->group << 32 | (id < 0xFFFFFFFFu ? id : 0xFFFFFFFFu);
}

static uint32_t get(const adder *a, const hsc_table *t, uint64_t id, uint64_t kind) {
    return id && id < 0xFFFFFFFFu ? hsc_table_get(t, key(a, id), kind) : HSC_NO_INDEX;
}

static uint32_t file_of(const adder *a, uint64_t id) { return hsc_id_rows_get(a->rows->files, a->rows->group, id); }
static uint32_t procedure_of(const adder *a, uint64_t id) { return hsc_id_rows_get(a->rows->procedures, a->rows->group, id); }

static const hsc_site *site_of(const adder *a, uint64_t id) {
    uint32_t row = hsc_id_rows_get(&a->c->site_by_id, a->rows->group, id);
    return row == HSC_NO_INDEX ? NULL : &a->c->sites.p[row];
}

static uint32_t loop_of(const adder *a, uint64_t id) {
    const hsc_site *s = site_of(a, id);
    return s ? s->loop : HSC_NO_INDEX;
}

static uint32_t small(uint64_t v) { return v < 0xFFFFFFFFu ? (uint32_t)v : 0; }

static const hsc_rec_array *array_record(const adder *a, uint64_t id) {
    return id && id <= a->d->arrays.n && a->d->arrays.p[id - 1].array_id == id ? &a->d->arrays.p[id - 1] : NULL;
}

/* Whether this group tells of the procedure's data; *ok: memory. */
static bool owns(adder *a, uint32_t procedure, bool *ok) {
    uint32_t *at = hsc_table_at(&a->c->data_owner, procedure, 0);
    *ok = at != NULL;
    if (at && *at == HSC_NO_INDEX)
        *at = a->rows->group;
    return at && *at == a->rows->group;
}

/* False: the id was there before, or (*ok false) no memory. */
static bool first_time(adder *a, uint64_t id, uint64_t kind, size_t row, bool *ok) {
    uint32_t *at = hsc_table_at(&a->c->data_rows, key(a, id), kind);
    *ok = at != NULL;
    if (!at || *at != HSC_NO_INDEX)
        return false;
    *at = (uint32_t)row;
    return true;
}

#define TEXT_MAX 1000

static const char *intern(adder *a, const hsc_map_text *t) { return hsc_pool_intern(&a->c->pool, t->p, t->n); }
static const char *intern_str(adder *a, hsc_str s) { return hsc_pool_intern(&a->c->pool, s.p ? s.p : "", s.n); }

static const char *value_text(adder *a, uint64_t id) {
    char text[TEXT_MAX];
    hsc_map_text t = {text, sizeof text, 0};
    if (id)
        hsc_map_text_value(&t, a->values, id);
    return intern(a, &t);
}

static bool add_arrays(adder *a) {
    hsc_code *c = a->c;
    for (size_t i = 0; i < a->d->arrays.n; i++) {
        const hsc_rec_array *r = &a->d->arrays.p[i];
        char text[TEXT_MAX];
        hsc_map_text bounds = {text, sizeof text, 0};
        uint32_t procedure = procedure_of(a, r->procedure_id), row = (uint32_t)c->data.arrays.n;
        uint32_t *at = hsc_table_at(&c->array_by_tag, r->tag, procedure);
        bool ok = at != NULL, is_new = at && (*at == HSC_NO_INDEX || !r->tag);
        if (is_new)
            *at = row;
        else if (ok)
            row = *at;
        if (!ok || (!first_time(a, r->array_id, SEEN_ARRAY, row, &ok) && !ok))
            return false;
        hsc_code_array *known = is_new ? NULL : &c->data.arrays.p[row];
        if (known && !known->line) { /* flang knows the place of a module's array in the module alone */
            known->file = file_of(a, r->file_id);
            known->line = small(r->line);
        }
        if (known && (!(known->flags & HSC_array_flag_DECLARED) || r->flags & HSC_array_flag_DECLARED))
            continue;
        hsc_map_text_bounds(&bounds, a->values, r);
        hsc_code_array v = {.name = intern_str(a, r->name),
                            .type = intern_str(a, r->type),
                            .element = intern_str(a, r->element),
                            .bounds = intern(a, &bounds),
                            .symbol = intern_str(a, r->symbol),
                            .tag = r->tag,
                            .identity = r->identity,
                            .procedure = procedure,
                            .file = file_of(a, r->file_id),
                            .line = small(r->line),
                            .parent = HSC_NO_INDEX,
                            .element_bytes = small(r->element_bytes),
                            .storage = small(r->storage),
                            .flags = small(r->flags),
                            .argument = small(r->argument)};
        if (!v.name || !v.type || !v.element || !v.bounds || !v.symbol || (is_new && !HSC_PUSH(c->data.arrays, v)))
            return false;
        if (known) {
            v.file = known->file;
            v.line = known->line;
            *known = v;
        }
    }
    for (size_t i = 0; i < a->d->arrays.n; i++) {
        uint32_t row = get(a, &c->data_rows, a->d->arrays.p[i].array_id, SEEN_ARRAY);
        uint32_t parent = get(a, &c->data_rows, a->d->arrays.p[i].parent_id, SEEN_ARRAY);
        if (row != HSC_NO_INDEX && parent != row)
            c->data.arrays.p[row].parent = parent;
    }
    return true;
}

static bool add_references(adder *a) {
    hsc_code *c = a->c;
    for (size_t i = 0; i < a->d->references.n; i++) {
        const hsc_rec_reference *r = &a->d->references.p[i];
        uint32_t procedure = procedure_of(a, r->procedure_id);
        bool ok = true;
        if (procedure == HSC_NO_INDEX)
            continue;
        if (!owns(a, procedure, &ok) || !first_time(a, r->reference_id, SEEN_REFERENCE, c->data.references.n, &ok)) {
            if (!ok)
                return false;
            continue;
        }
        char text[TEXT_MAX];
        hsc_map_text element = {text, sizeof text, 0};
        hsc_map_text_element(&element, a->values, array_record(a, r->array_id), r->subscripts);
        bool has_stride = r->stride == HSC_stride_CONSTANT || r->stride == HSC_stride_SYMBOLIC;
        hsc_code_reference v = {.procedure = procedure,
                                .loop = loop_of(a, r->loop_id),
                                .array = get(a, &c->data_rows, r->array_id, SEEN_ARRAY),
                                .index = get(a, &c->data_rows, r->index_id, SEEN_ARRAY),
                                .file = file_of(a, r->file_id),
                                .line = small(r->line),
                                .column = small(r->column),
                                .access = small(r->access),
                                .size_bytes = small(r->size_bytes),
                                .stride = small(r->stride),
                                .text = intern(a, &element),
                                .stride_bytes = value_text(a, has_stride ? r->stride_id : 0)};
        if (!v.text || !v.stride_bytes || !HSC_PUSH(c->data.references, v))
            return false;
    }
    return true;
}

/* ---- messages ---- */

static const hsc_rec_section *section_record(const adder *a, uint64_t id) {
    return id && id <= a->d->sections.n && a->d->sections.p[id - 1].section_id == id ? &a->d->sections.p[id - 1] : NULL;
}

static const hsc_rec_datatype *datatype_record(const adder *a, uint64_t id) {
    return id && id <= a->d->datatypes.n && a->d->datatypes.p[id - 1].datatype_id == id ? &a->d->datatypes.p[id - 1] : NULL;
}

static bool add_arguments(adder *a, const hsc_rec_message *r, uint32_t message) {
    hsc_code *c = a->c;
    for (size_t k = 0; k < r->roles.n; k++) {
        char text[TEXT_MAX];
        hsc_map_text t = {text, sizeof text, 0};
        const hsc_rec_section *s = k < r->sections.n ? section_record(a, r->sections.p[k]) : NULL;
        const hsc_rec_datatype *type = s ? datatype_record(a, s->datatype_id) : NULL;
        if (s)
            hsc_map_text_section(&t, a->values, array_record(a, s->array_id), s, type ? type->name.p : NULL);
        else if (k < r->values.n && r->values.p[k])
            hsc_map_text_value(&t, a->values, r->values.p[k]);
        hsc_code_argument v = {.message = message,
                               .number = (uint32_t)k + 1,
                               .role = small(r->roles.p[k]),
                               .array = s ? get(a, &c->data_rows, s->array_id, SEEN_ARRAY) : HSC_NO_INDEX,
                               .shape = s ? small(s->shape) : 0,
                               .text = intern(a, &t),
                               .datatype_bytes = type ? type->size_bytes : 0};
        if (!v.text || !HSC_PUSH(c->data.arguments, v))
            return false;
    }
    return true;
}

static const char *callee_of(const adder *a, uint64_t callsite_id) {
    uint32_t row = hsc_table_get(&a->d->callee_rows, callsite_id, 0);
    return row == HSC_NO_INDEX ? "" : a->d->callees.p[row];
}

static bool add_links(adder *a, const hsc_rec_message *r, uint32_t message) {
    hsc_code *c = a->c;
    for (size_t i = 0; i < a->d->links.n; i++) {
        const hsc_rec_message_link *l = &a->d->links.p[i];
        if (l->message_id != r->message_id)
            continue;
        hsc_code_link v = {.message = message,
                           .kind = small(l->kind),
                           .confidence = small(l->confidence),
                           .target_message = HSC_NO_INDEX,
                           .target_loop = HSC_NO_INDEX,
                           .array = HSC_NO_INDEX,
                           .file = HSC_NO_INDEX,
                           .text = ""};
        const hsc_site *s = site_of(a, l->target_id);
        switch (l->kind) {
        case HSC_link_kind_WAIT:
        case HSC_link_kind_STARTS:
        case HSC_link_kind_MERGED:
            v.target_message = get(a, &c->data_rows, l->target_id, SEEN_MESSAGE);
            if (v.target_message == HSC_NO_INDEX)
                continue;
            v.file = c->data.messages.p[v.target_message].file;
            v.line = c->data.messages.p[v.target_message].line;
            v.column = c->data.messages.p[v.target_message].column;
            v.text = c->data.messages.p[v.target_message].operation;
            break;
        case HSC_link_kind_PACK_LOOP:
        case HSC_link_kind_UNPACK_LOOP:
            if (!s || s->is_call)
                continue;
            v.target_loop = s->loop;
            v.file = c->loops.p[s->loop].file;
            v.line = c->loops.p[s->loop].line_begin;
            v.column = c->loops.p[s->loop].column_begin;
            break;
        case HSC_link_kind_PACK_CALL:
        case HSC_link_kind_UNPACK_CALL:
            if (!s || !s->is_call)
                continue;
            v.target_loop = s->loop;
            v.file = s->call_file;
            v.line = s->call_line;
            v.column = s->call_column;
            v.text = callee_of(a, l->target_id);
            break;
        case HSC_link_kind_WRITTEN:
        case HSC_link_kind_READ:
        case HSC_link_kind_PACKED_FROM:
        case HSC_link_kind_UNPACKED_INTO: {
            if (!l->target_id || l->target_id > a->d->references.n)
                continue;
            const hsc_rec_reference *reference = &a->d->references.p[l->target_id - 1];
            char text[TEXT_MAX];
            hsc_map_text element = {text, sizeof text, 0};
            hsc_map_text_element(&element, a->values, array_record(a, reference->array_id), reference->subscripts);
            v.target_loop = loop_of(a, reference->loop_id);
            v.array = get(a, &c->data_rows, reference->array_id, SEEN_ARRAY);
            v.file = file_of(a, reference->file_id);
            v.line = small(reference->line);
            v.column = small(reference->column);
            v.text = intern(a, &element);
            if (!v.text)
                return false;
            break;
        }
        default:
            continue;
        }
        if (!HSC_PUSH(c->data.links, v))
            return false;
    }
    return true;
}

static bool add_messages(adder *a) {
    hsc_code *c = a->c;
    size_t first = c->data.messages.n;
    HSC_VEC(uint32_t) records = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < a->d->messages.n; i++) {
        const hsc_rec_message *r = &a->d->messages.p[i];
        const hsc_site *s = site_of(a, r->callsite_id);
        if (!s || !s->is_call || !owns(a, s->procedure, &ok) ||
            !first_time(a, r->message_id, SEEN_MESSAGE, c->data.messages.n, &ok))
            continue;
        hsc_code_message v = {.procedure = s->procedure,
                              .loop = s->loop,
                              .file = s->call_file,
                              .line = s->call_line,
                              .column = s->call_column,
                              .kind = small(r->kind),
                              .binding = small(r->binding),
                              .operation = intern_str(a, r->operation)};
        ok = v.operation && HSC_PUSH(c->data.messages, v) && HSC_PUSH(records, i);
    }
    for (size_t k = 0; ok && k < records.n; k++) /* when all messages have rows, since links lead to them */
        ok = add_arguments(a, &a->d->messages.p[records.p[k]], (uint32_t)(first + k)) &&
             add_links(a, &a->d->messages.p[records.p[k]], (uint32_t)(first + k));
    free(records.p);
    return ok;
}

/* ---- checks, directives ---- */

static bool add_checks(adder *a) {
    hsc_code *c = a->c;
    for (size_t i = 0; i < a->d->checks.n; i++) {
        const hsc_rec_memory_check *r = &a->d->checks.p[i];
        uint32_t loop = loop_of(a, r->loop_id), procedure = procedure_of(a, r->procedure_id);
        uint32_t check = c->data.checks.n ? c->data.checks.p[c->data.checks.n - 1].check + 1 : 0;
        uint32_t owner = loop == HSC_NO_INDEX ? procedure : c->loops.p[loop].procedure;
        bool ok = true;
        if (owner == HSC_NO_INDEX || !owns(a, owner, &ok)) {
            if (!ok)
                return false;
            continue;
        }
        for (size_t k = 0; k < r->lines.n; k++) {
            hsc_code_check v = {.loop = loop,
                                .procedure = procedure,
                                .check = check,
                                .comparisons = small(r->comparisons),
                                .file = file_of(a, r->file_id),
                                .line = small(r->lines.p[k]),
                                .column = k < r->columns.n ? small(r->columns.p[k]) : 0};
            if (!HSC_PUSH(c->data.checks, v))
                return false;
        }
    }
    return true;
}

/* flang gives calls of OpenMP's run time lines of other statements, or none. Threads are forked and tasks made where the directive is, and
 * nothing that a directive asks for stands before it. */
static bool has_other_line(const hsc_site *s, const hsc_code_directive *d, uint64_t role) {
    if (d->file == HSC_NO_INDEX || !d->line)
        return false;
    return s->call_file != d->file || s->call_line < d->line ||
           ((role == HSC_omp_role_FORK || role == HSC_omp_role_TASK_MAKE || (role == HSC_omp_role_TASK_WAIT && d->constructs & HSC_omp_construct_TASKWAIT)) && s->call_line != d->line);
}

static bool add_directives(adder *a) {
    hsc_code *c = a->c;
    for (size_t i = 0; i < a->d->directives.n; i++) {
        const hsc_rec_directive *r = &a->d->directives.p[i];
        uint32_t procedure = procedure_of(a, r->procedure_id);
        bool ok = true;
        if (procedure == HSC_NO_INDEX)
            continue;
        if (!owns(a, procedure, &ok) || !first_time(a, r->directive_id, SEEN_DIRECTIVE, c->data.directives.n, &ok)) {
            if (!ok)
                return false;
            continue;
        }
        hsc_code_directive v = {.procedure = procedure,
                                .region = procedure_of(a, r->region_id),
                                .loop = loop_of(a, r->loop_id),
                                .file = file_of(a, r->file_id),
                                .line = small(r->line),
                                .constructs = small(r->constructs),
                                .text = intern_str(a, r->text)};
        if (!v.text || !HSC_PUSH(c->data.directives, v))
            return false;
    }
    for (size_t i = 0; i < a->d->runtime_calls.n; i++) {
        const hsc_rec_runtime_call *r = &a->d->runtime_calls.p[i];
        uint32_t site = hsc_id_rows_get(&c->site_by_id, a->rows->group, r->callsite_id);
        hsc_site *s = site == HSC_NO_INDEX ? NULL : &c->sites.p[site];
        uint32_t directive = get(a, &c->data_rows, r->directive_id, SEEN_DIRECTIVE);
        if (!s || !s->is_call || (r->directive_id && directive == HSC_NO_INDEX))
            continue;
        bool told = directive != HSC_NO_INDEX && has_other_line(s, &c->data.directives.p[directive], r->role);
        if (told)
            s->directive = directive;
        hsc_code_runtime_call v = {.directive = directive,
                                   .procedure = s->procedure,
                                   .loop = s->loop,
                                   .file = told ? c->data.directives.p[directive].file : s->call_file,
                                   .line = told ? c->data.directives.p[directive].line : s->call_line,
                                   .column = told ? 0 : s->call_column,
                                   .role = small(r->role),
                                   .callee = callee_of(a, r->callsite_id)};
        if (!HSC_PUSH(c->data.runtime_calls, v))
            return false;
    }
    return true;
}

static hsc_code_handed handed_of(const hsc_site *s, uint32_t array, uint64_t argument, const char *callee) {
    return (hsc_code_handed){.procedure = s->procedure, .loop = s->loop, .file = s->call_file, .line = s->call_line, .column = s->call_column,
                             .array = array, .argument = small(argument), .callee = callee};
}

/* Where one call in a procedure hands a known array to an argument of another procedure, its other calls that hand something else there are listed, too:
 * nothing is known of that. `from`: first row of these calls. */
static bool add_not_known(adder *a, size_t from) {
    enum { ARGUMENTS = 64 }; /* that are looked at */
    hsc_code *c = a->c;
    hsc_table places = {0}, told = {0}; /* (procedure, callee): place in `masks`; (call site, argument): known */
    HSC_VEC(uint64_t) masks = {0};
    bool ok = true;
    for (size_t i = from; ok && i < c->data.handed.n; i++) {
        const hsc_code_handed *v = &c->data.handed.p[i];
        uint32_t *at = v->argument <= ARGUMENTS ? hsc_table_at(&places, v->procedure, (uintptr_t)v->callee) : NULL;
        ok = at || v->argument > ARGUMENTS;
        if (at && *at == HSC_NO_INDEX) {
            *at = (uint32_t)masks.n;
            ok = HSC_PUSH(masks, (uint64_t)0);
        }
        if (at && ok)
            masks.p[*at] |= (uint64_t)1 << (v->argument - 1);
    }
    for (size_t i = 0; ok && i < a->d->handed.n; i++) {
        uint32_t *at = hsc_table_at(&told, a->d->handed.p[i].callsite_id, a->d->handed.p[i].argument);
        ok = at != NULL;
        if (at)
            *at = 1;
    }
    for (size_t i = 0; ok && masks.n && i < a->d->calls.n; i++) {
        const hsc_site *s = site_of(a, a->d->calls.p[i]);
        uint32_t place = s && s->is_call ? hsc_table_get(&places, s->procedure, (uintptr_t)a->d->callees.p[i]) : HSC_NO_INDEX;
        for (unsigned k = 1; ok && place != HSC_NO_INDEX && k <= ARGUMENTS; k++)
            if (masks.p[place] >> (k - 1) & 1 && hsc_table_get(&told, a->d->calls.p[i], k) == HSC_NO_INDEX)
                ok = HSC_PUSH(c->data.handed, handed_of(s, HSC_NO_INDEX, k, a->d->callees.p[i]));
    }
    free(masks.p);
    hsc_table_fini(&places);
    hsc_table_fini(&told);
    return ok;
}

static bool add_handed(adder *a) {
    hsc_code *c = a->c;
    size_t from = c->data.handed.n;
    for (size_t i = 0; i < a->d->handed.n; i++) {
        const hsc_rec_array_argument *r = &a->d->handed.p[i];
        const hsc_site *s = site_of(a, r->callsite_id);
        uint32_t array = get(a, &c->data_rows, r->array_id, SEEN_ARRAY);
        bool ok = true;
        if (!s || !s->is_call || array == HSC_NO_INDEX || !r->argument || r->argument > UINT16_MAX)
            continue;
        if (s->procedure != HSC_NO_INDEX && !owns(a, s->procedure, &ok)) {
            if (!ok)
                return false;
            continue;
        }
        if (!HSC_PUSH(c->data.handed, handed_of(s, array, r->argument, callee_of(a, r->callsite_id))))
            return false;
    }
    return add_not_known(a, from);
}

bool hsc_map_data_add(hsc_code *c, hsc_map_data *d, const hsc_group_rows *rows) {
    adder a = {c, d, rows, {d->values.p, d->values.n}};
    bool ok = add_arrays(&a) && add_references(&a) && add_messages(&a) && add_checks(&a) && add_directives(&a) && add_handed(&a);
    d->values.n = d->arrays.n = d->references.n = d->messages.n = d->sections.n = d->datatypes.n = d->links.n = 0;
    d->checks.n = d->directives.n = d->runtime_calls.n = d->handed.n = d->callees.n = d->calls.n = 0;
    hsc_pool_fini(&d->pool);
    d->pool = (hsc_pool){0};
    hsc_table_fini(&d->callee_rows);
    d->callee_rows = (hsc_table){0};
    return ok;
}
