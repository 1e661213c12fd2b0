/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a static map and checks that it hangs together. */
#include "map_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/tags.h>
#include <pool.h>

#define MODULES_MAX (1u << 20)

struct block {
    struct block *next;
};

typedef struct reading {
    hsc_map_model model;
    const char *label;
    hsc_err *err;
    const hsc_record *at;
    hsc_map_module *open; /* the module that records belong to; NULL: none */
    hsc_tags *tags;
} reading;

static hsc_status bad(reading *r, const char *what, uint64_t expected, uint64_t got) {
    return hsc_err_set(r->err, HSC_E_FORMAT, "%s: map damaged: %s record at offset 0x%" PRIx64 ": %s: expected %" PRIu64
                       ", got %" PRIu64, r->label, r->at->name, r->at->offset, what, expected, got);
}

static bool keep(reading *r, hsc_str *s) {
    struct block *b = malloc(sizeof *b + s->n + 1);
    if (!b)
        return false;
    b->next = r->model.memory;
    r->model.memory = b;
    char *copy = (char *)(b + 1);
    if (s->n)
        memcpy(copy, s->p, s->n);
    copy[s->n] = 0;
    s->p = copy;
    return true;
}

static bool keep_numbers(reading *r, hsc_u64s *v) {
    struct block *b = malloc(sizeof *b + v->n * sizeof *v->p);
    if (!b)
        return false;
    b->next = r->model.memory;
    r->model.memory = b;
    if (v->n)
        memcpy(b + 1, v->p, v->n * sizeof *v->p);
    v->p = (const uint64_t *)(b + 1);
    return true;
}

/* Strings and lists of the record at hand, in its copy. */
static bool keep_fields(reading *r, void *copy) {
    const hsc_record_info *info = hsc_record_info_get(r->at->record_id);
    for (uint32_t i = 0; i < info->n_fields; i++) {
        char *field = (char *)copy + info->fields[i].offset;
        if (info->fields[i].type == HSC_TYPE_S && !keep(r, (hsc_str *)field))
            return false;
        if (info->fields[i].type == HSC_TYPE_AU && !keep_numbers(r, (hsc_u64s *)field))
            return false;
        if (info->fields[i].type == HSC_TYPE_AS) {
            hsc_strs *list = (hsc_strs *)field;
            struct block *b = malloc(sizeof *b + list->n * sizeof *list->p);
            if (!b)
                return false;
            b->next = r->model.memory;
            r->model.memory = b;
            hsc_str *items = (hsc_str *)(b + 1);
            for (size_t k = 0; k < list->n; k++) {
                items[k] = list->p[k];
                if (!keep(r, &items[k]))
                    return false;
            }
            list->p = items;
        }
    }
    return true;
}

static bool grow(void **items, size_t n, size_t size) {
    if (n & (n - 1)) /* only at powers of two */
        return true;
    void *p = realloc(*items, (n ? 2 * n : 1) * size);
    if (p)
        *items = p;
    return p != NULL;
}

#define ADD(list, count, type) \
    do { \
        void *items = m->list; \
        if (!grow(&items, m->count, sizeof *m->list)) \
            goto memory; \
        m->list = items; \
        m->list[m->count++] = *(const type *)r->at->value; \
        if (hsc_tags_fill(r->tags, r->at->record_id, &m->list[m->count - 1], r->err) != HSC_OK) \
            goto memory; \
    } while (0)

#define KEEP(field) \
    do { \
        if (!keep(r, &(field))) \
            goto memory; \
    } while (0)

static hsc_status begin_module(reading *r) {
    const hsc_rec_module *v = r->at->value;
    if (r->open)
        return hsc_err_set(r->err, HSC_E_FORMAT, "%s: map damaged: module %.*s has no end before offset 0x%" PRIx64,
                           r->label, (int)r->open->head.name.n, r->open->head.name.p, r->at->offset);
    if (r->model.n_modules == MODULES_MAX)
        return hsc_err_set(r->err, HSC_E_LIMIT, "%s: more than %u modules", r->label, MODULES_MAX);
    void *items = r->model.modules;
    if (!grow(&items, r->model.n_modules, sizeof *r->model.modules))
        return hsc_err_set(r->err, HSC_E_MEMORY, "%s: out of memory", r->label);
    r->model.modules = items;
    r->open = &r->model.modules[r->model.n_modules++];
    *r->open = (hsc_map_module){.head = *v};
    if (keep(r, &r->open->head.name) && keep(r, &r->open->head.directory) && keep(r, &r->open->head.producer) &&
        keep(r, &r->open->head.pass_version) && keep(r, &r->open->head.level))
        return hsc_tags_fill(r->tags, HSC_REC_module, &r->open->head, r->err);
    return hsc_err_set(r->err, HSC_E_MEMORY, "%s: out of memory", r->label);
}

#define IN_RANGE(what, value, limit) \
    if (status == HSC_OK && (value) > (limit)) \
    status = hsc_err_set(r->err, HSC_E_FORMAT, "%s: map damaged: module %s, %s: expected at most %zu, got %" PRIu64, \
                         r->label, m->head.name.p, what, (size_t)(limit), (uint64_t)(value))

static hsc_status check_ids(reading *r, const hsc_map_module *m, const char *what, hsc_u64s ids, size_t limit) {
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < ids.n; i++)
        IN_RANGE(what, ids.p[i], limit);
    return status;
}

#define IDS_IN_RANGE(what, ids, limit) \
    if (status == HSC_OK) \
    status = check_ids(r, m, what, ids, limit)

/* Arrays, references and messages. */
static hsc_status check_data(reading *r, const hsc_map_module *m, size_t sites) {
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < m->n_values; i++) {
        IN_RANGE("symbolic of a value", m->values[i].symbolic_id, m->n_symbolics);
        IN_RANGE("loop of a value", m->values[i].loop_id, sites);
    }
    for (size_t i = 0; i < m->n_symbolics; i++) {
        IN_RANGE("value of a symbolic", m->symbolics[i].value_id, m->n_values);
        IN_RANGE("procedure of a symbolic", m->symbolics[i].procedure_id, m->n_procedures);
        IN_RANGE("site of a symbolic", m->symbolics[i].site_id, sites);
        IN_RANGE("file of a symbolic", m->symbolics[i].file_id, m->n_files);
    }
    for (size_t i = 0; i < m->n_arrays; i++) {
        IN_RANGE("procedure of an array", m->arrays[i].procedure_id, m->n_procedures);
        IN_RANGE("file of an array", m->arrays[i].file_id, m->n_files);
        IN_RANGE("parent of an array", m->arrays[i].parent_id, m->n_arrays);
        IN_RANGE("allocation of an array", m->arrays[i].allocation_id, sites);
        IDS_IN_RANGE("lower bound of an array", m->arrays[i].lower, m->n_values);
        IDS_IN_RANGE("extent of an array", m->arrays[i].extent, m->n_values);
    }
    for (size_t i = 0; i < m->n_references; i++) {
        IN_RANGE("array of a reference", m->references[i].array_id, m->n_arrays);
        IN_RANGE("procedure of a reference", m->references[i].procedure_id, m->n_procedures);
        IN_RANGE("loop of a reference", m->references[i].loop_id, sites);
        IN_RANGE("file of a reference", m->references[i].file_id, m->n_files);
        IN_RANGE("stride of a reference", m->references[i].stride_id, m->n_values);
        IN_RANGE("index of a reference", m->references[i].index_id, m->n_arrays);
        IDS_IN_RANGE("subscript of a reference", m->references[i].subscripts, m->n_values);
    }
    for (size_t i = 0; i < m->n_messages; i++) {
        IN_RANGE("call of a message", m->messages[i].callsite_id, sites);
        IDS_IN_RANGE("value of a message", m->messages[i].values, m->n_values);
        IDS_IN_RANGE("section of a message", m->messages[i].sections, m->n_sections);
        if (m->messages[i].values.n != m->messages[i].roles.n || m->messages[i].sections.n != m->messages[i].roles.n)
            return hsc_err_set(r->err, HSC_E_FORMAT, "%s: map damaged: module %s: message %zu has %zu roles, %zu values "
                               "and %zu sections", r->label, m->head.name.p, i + 1, m->messages[i].roles.n,
                               m->messages[i].values.n, m->messages[i].sections.n);
    }
    for (size_t i = 0; i < m->n_sections; i++) {
        IN_RANGE("message of a section", m->sections[i].message_id, m->n_messages);
        IN_RANGE("array of a section", m->sections[i].array_id, m->n_arrays);
        IN_RANGE("elements of a section", m->sections[i].elements_id, m->n_values);
        IN_RANGE("datatype of a section", m->sections[i].datatype_id, m->n_datatypes);
        IDS_IN_RANGE("lower bound of a section", m->sections[i].lower, m->n_values);
        IDS_IN_RANGE("upper bound of a section", m->sections[i].upper, m->n_values);
        IDS_IN_RANGE("step of a section", m->sections[i].step, m->n_values);
        if (m->sections[i].upper.n != m->sections[i].lower.n || m->sections[i].step.n != m->sections[i].lower.n)
            return hsc_err_set(r->err, HSC_E_FORMAT, "%s: map damaged: module %s: section %zu has %zu lower, %zu upper "
                               "bounds and %zu steps", r->label, m->head.name.p, i + 1, m->sections[i].lower.n,
                               m->sections[i].upper.n, m->sections[i].step.n);
    }
    for (size_t i = 0; i < m->n_datatypes; i++) {
        IN_RANGE("message of a datatype", m->datatypes[i].message_id, m->n_messages);
        IN_RANGE("count of a datatype", m->datatypes[i].count_id, m->n_values);
        IDS_IN_RANGE("length of a datatype", m->datatypes[i].lengths, m->n_values);
        IDS_IN_RANGE("displacement of a datatype", m->datatypes[i].displacements, m->n_values);
    }
    for (size_t i = 0; i < m->n_links; i++) {
        bool to_message = m->links[i].kind == HSC_link_kind_WAIT || m->links[i].kind == HSC_link_kind_STARTS ||
                          m->links[i].kind == HSC_link_kind_MERGED;
        IN_RANGE("message of a link", m->links[i].message_id, m->n_messages);
        bool to_reference = m->links[i].kind >= HSC_link_kind_WRITTEN && m->links[i].kind <= HSC_link_kind_UNPACKED_INTO;
        IN_RANGE("target of a link", m->links[i].target_id, to_message ? m->n_messages : to_reference ? m->n_references : sites);
    }
    for (size_t i = 0; i < m->n_array_arguments; i++) {
        IN_RANGE("call of an argument", m->array_arguments[i].callsite_id, sites);
        IN_RANGE("array of an argument", m->array_arguments[i].array_id, m->n_arrays);
    }
    return status;
}

/* All references of a module that is complete. */
static hsc_status check_module(reading *r, const hsc_map_module *m) {
    hsc_status status = HSC_OK;
    size_t sites = m->n_loops + m->n_callsites;
    for (size_t i = 0; i < m->n_procedures; i++) {
        IN_RANGE("file of a procedure", m->procedures[i].file_id, m->n_files);
        IN_RANGE("parent of a procedure", m->procedures[i].parent_id, m->n_procedures);
        IN_RANGE("origin of a procedure", m->procedures[i].origin_id, m->n_procedures);
    }
    uint8_t *seen = calloc(sites + 1, 1);
    if (!seen)
        return hsc_err_set(r->err, HSC_E_MEMORY, "%s: out of memory", r->label);
    for (size_t i = 0; i < m->n_loops; i++) {
        const hsc_rec_loop *l = &m->loops[i];
        IN_RANGE("id of a loop", l->loop_id, sites);
        IN_RANGE("procedure of a loop", l->procedure_id, m->n_procedures);
        IN_RANGE("parent of a loop", l->parent_id, sites);
        IN_RANGE("file of a loop", l->file_id, m->n_files);
        if (status == HSC_OK)
            seen[l->loop_id] |= 1;
    }
    for (size_t i = 0; i < m->n_callsites && status == HSC_OK; i++) {
        const hsc_rec_callsite *c = &m->callsites[i];
        IN_RANGE("id of a call", c->callsite_id, sites);
        IN_RANGE("procedure of a call", c->procedure_id, m->n_procedures);
        IN_RANGE("loop of a call", c->loop_id, sites);
        IN_RANGE("file of a call", c->file_id, m->n_files);
        if (status == HSC_OK)
            seen[c->callsite_id] |= 2;
    }
    for (size_t i = 1; i <= sites && status == HSC_OK; i++)
        if (seen[i] != 1 && seen[i] != 2)
            status = hsc_err_set(r->err, HSC_E_FORMAT, "%s: map damaged: module %s: site %zu is %s", r->label,
                                 m->head.name.p, i, seen[i] ? "a loop and a call" : "missing");
    for (size_t i = 0; i < m->n_loops && status == HSC_OK; i++)
        if (m->loops[i].parent_id && seen[m->loops[i].parent_id] != 1)
            status = hsc_err_set(r->err, HSC_E_FORMAT, "%s: map damaged: module %s: the parent of loop %" PRIu64
                                 " is a call", r->label, m->head.name.p, m->loops[i].loop_id);
    free(seen);
    for (size_t i = 0; i < m->n_instances; i++) {
        const hsc_rec_loop_instance *v = &m->instances[i];
        IN_RANGE("function of a loop instance", v->function_id, m->n_procedures);
        IN_RANGE("parent of a loop instance", v->parent_id, m->n_instances);
        IN_RANGE("loop of a loop instance", v->loop_id, sites);
        IN_RANGE("copy of a loop instance", v->inline_id, m->n_inlines);
    }
    for (size_t i = 0; i < m->n_directives; i++) {
        const hsc_rec_directive *v = &m->directives[i];
        IN_RANGE("procedure of a directive", v->procedure_id, m->n_procedures);
        IN_RANGE("file of a directive", v->file_id, m->n_files);
        IN_RANGE("region of a directive", v->region_id, m->n_procedures);
        IN_RANGE("loop of a directive", v->loop_id, sites);
    }
    for (size_t i = 0; i < m->n_runtime_calls; i++) {
        IN_RANGE("call of the run time", m->runtime_calls[i].callsite_id, sites);
        IN_RANGE("directive of a call", m->runtime_calls[i].directive_id, m->n_directives);
    }
    for (size_t i = 0; i < m->n_inlines; i++) {
        const hsc_rec_inline *v = &m->inlines[i];
        IN_RANGE("function of an inlined copy", v->function_id, m->n_procedures);
        IN_RANGE("parent of an inlined copy", v->parent_id, m->n_inlines);
        IN_RANGE("procedure of an inlined copy", v->callee_id, m->n_procedures);
        IN_RANGE("call of an inlined copy", v->site_id, sites);
        IN_RANGE("file of an inlined copy", v->file_id, m->n_files);
    }
    for (size_t i = 0; i < m->n_places; i++) {
        const hsc_rec_place *v = &m->places[i];
        IN_RANGE("function of a place", v->function_id, m->n_procedures);
        IN_RANGE("instance of a place", v->instance_id, m->n_instances);
        IN_RANGE("site of a place", v->site_id, sites);
        IN_RANGE("copy of a place", v->inline_id, m->n_inlines);
    }
    status = status == HSC_OK ? check_data(r, m, sites) : status;
    for (size_t i = 0; i < m->n_remarks; i++) {
        IN_RANGE("procedure of a remark", m->remarks[i].procedure_id, m->n_procedures);
        IN_RANGE("file of a remark", m->remarks[i].file_id, m->n_files);
        IN_RANGE("site of a remark", m->remarks[i].site_id, sites);
        IN_RANGE("copy of a remark", m->remarks[i].inline_id, m->n_inlines);
    }
    for (size_t i = 0; i < m->n_dependences; i++) {
        const hsc_rec_dependence *d = &m->dependences[i];
        IN_RANGE("loop of a dependence", d->loop_id, sites);
        IN_RANGE("procedure of a dependence", d->procedure_id, m->n_procedures);
        IN_RANGE("copy of a dependence", d->inline_id, m->n_inlines);
        IN_RANGE("file of a dependence", d->source_file_id, m->n_files);
        IN_RANGE("file of a dependence", d->sink_file_id, m->n_files);
    }
    for (size_t i = 0; i < m->n_memory_checks; i++) {
        IN_RANGE("loop of a check", m->memory_checks[i].loop_id, sites);
        IN_RANGE("procedure of a check", m->memory_checks[i].procedure_id, m->n_procedures);
        IN_RANGE("copy of a check", m->memory_checks[i].inline_id, m->n_inlines);
        IN_RANGE("file of a check", m->memory_checks[i].file_id, m->n_files);
    }
    return status;
}

static hsc_status end_module(reading *r) {
    const hsc_rec_module_end *v = r->at->value;
    hsc_map_module *m = r->open;
    if (v->module_tag != m->head.module_tag)
        return bad(r, "tag of the module", m->head.module_tag, v->module_tag);
    if (v->records != m->records)
        return bad(r, "records of the module", m->records, v->records);
    r->open = NULL;
    return check_module(r, m);
}

static hsc_status take(reading *r) {
    hsc_map_module *m = r->open;
    uint64_t id = 0, next = 0;
    switch (r->at->record_id) {
    case HSC_REC_module:
        return begin_module(r);
    case HSC_REC_binary:
    case HSC_REC_message_match:
        return HSC_OK;
    default:
        if (!m)
            return hsc_err_set(r->err, HSC_E_FORMAT, "%s: map damaged: %s record at offset 0x%" PRIx64
                               " belongs to no module", r->label, r->at->name, r->at->offset);
    }
    m->records++;
    switch (r->at->record_id) {
    case HSC_REC_module_end:
        m->records--;
        return end_module(r);
    case HSC_REC_file:
        ADD(files, n_files, hsc_rec_file);
        KEEP(m->files[m->n_files - 1].path);
        KEEP(m->files[m->n_files - 1].directory);
        {
            hsc_bytes *sum = &m->files[m->n_files - 1].checksum;
            hsc_str kept = {(const char *)sum->p, sum->n == 16 ? 16 : 0};
            KEEP(kept);
            *sum = (hsc_bytes){(const uint8_t *)kept.p, kept.n};
        }
        id = m->files[m->n_files - 1].file_id;
        next = m->n_files;
        break;
    case HSC_REC_procedure:
        ADD(procedures, n_procedures, hsc_rec_procedure);
        KEEP(m->procedures[m->n_procedures - 1].name);
        KEEP(m->procedures[m->n_procedures - 1].linkage_name);
        id = m->procedures[m->n_procedures - 1].procedure_id;
        next = m->n_procedures;
        break;
    case HSC_REC_loop:
        ADD(loops, n_loops, hsc_rec_loop);
        KEEP(m->loops[m->n_loops - 1].induction);
        KEEP(m->loops[m->n_loops - 1].start);
        KEEP(m->loops[m->n_loops - 1].bound);
        break;
    case HSC_REC_callsite:
        ADD(callsites, n_callsites, hsc_rec_callsite);
        KEEP(m->callsites[m->n_callsites - 1].callee);
        break;
    case HSC_REC_loop_instance:
        ADD(instances, n_instances, hsc_rec_loop_instance);
        id = m->instances[m->n_instances - 1].instance_id;
        next = m->n_instances;
        break;
    case HSC_REC_inline:
        ADD(inlines, n_inlines, hsc_rec_inline);
        id = m->inlines[m->n_inlines - 1].inline_id;
        next = m->n_inlines;
        break;
    case HSC_REC_place:
        ADD(places, n_places, hsc_rec_place);
        id = m->places[m->n_places - 1].place_id;
        next = m->n_places;
        break;
    case HSC_REC_remark:
        ADD(remarks, n_remarks, hsc_rec_remark);
        KEEP(m->remarks[m->n_remarks - 1].pass);
        KEEP(m->remarks[m->n_remarks - 1].name);
        KEEP(m->remarks[m->n_remarks - 1].message);
        break;
    case HSC_REC_dependence:
        ADD(dependences, n_dependences, hsc_rec_dependence);
        break;
    case HSC_REC_link_unit:
        ADD(link_units, n_link_units, hsc_rec_link_unit);
        break;
    case HSC_REC_memory_check:
        ADD(memory_checks, n_memory_checks, hsc_rec_memory_check);
        if (!keep_numbers(r, &m->memory_checks[m->n_memory_checks - 1].lines) ||
            !keep_numbers(r, &m->memory_checks[m->n_memory_checks - 1].columns))
            goto memory;
        break;
#define TAKE(record, list, id_field) \
    case HSC_REC_##record: \
        ADD(list, n_##list, hsc_rec_##record); \
        if (!keep_fields(r, &m->list[m->n_##list - 1])) \
            goto memory; \
        id = m->list[m->n_##list - 1].id_field; \
        next = m->n_##list; \
        break
    TAKE(value, values, value_id);
    TAKE(symbolic, symbolics, symbolic_id);
    TAKE(array, arrays, array_id);
    TAKE(reference, references, reference_id);
    TAKE(message, messages, message_id);
    TAKE(section, sections, section_id);
    TAKE(datatype, datatypes, datatype_id);
#undef TAKE
    case HSC_REC_message_link:
        ADD(links, n_links, hsc_rec_message_link);
        if (!keep_fields(r, &m->links[m->n_links - 1]))
            goto memory;
        break;
    case HSC_REC_array_argument:
        ADD(array_arguments, n_array_arguments, hsc_rec_array_argument);
        break;
    case HSC_REC_directive:
        ADD(directives, n_directives, hsc_rec_directive);
        KEEP(m->directives[m->n_directives - 1].text);
        id = m->directives[m->n_directives - 1].directive_id;
        next = m->n_directives;
        break;
    case HSC_REC_runtime_call:
        ADD(runtime_calls, n_runtime_calls, hsc_rec_runtime_call);
        break;
    default: /* of a newer version: counted, not looked at */
        break;
    }
    return id == next ? HSC_OK : bad(r, "id", next, id);
memory:
    return hsc_err_set(r->err, HSC_E_MEMORY, "%s: out of memory", r->label);
}

/* What is said of the code of units that were looked at again at link time holds no more. */
static hsc_status replace_by_linked(reading *r) {
    hsc_map_model *m = &r->model;
    hsc_table of_tag = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < m->n_modules; i++)
        for (size_t k = 0; ok && k < m->modules[i].n_link_units; k++) {
            uint32_t *at = hsc_table_at(&of_tag, m->modules[i].link_units[k].unit_tag, 0);
            ok = at != NULL;
            if (ok)
                *at = (uint32_t)i;
        }
    for (size_t i = 0; ok && i < m->n_modules; i++) {
        hsc_map_module *v = &m->modules[i];
        uint32_t by = hsc_table_get(&of_tag, v->head.module_tag, 0);
        v->is_replaced = by != HSC_NO_INDEX && by != i;
        if (v->is_replaced)
            v->n_instances = v->n_places = 0;
    }
    hsc_table_fini(&of_tag);
    return ok ? HSC_OK : hsc_err_set(r->err, HSC_E_MEMORY, "%s: out of memory", r->label);
}

hsc_status hsc_map_model_read(const void *bytes, size_t size, const char *label, hsc_map_model *out, hsc_err *err) {
    reading r = {.label = label, .err = err};
    hsc_reader *reader = NULL;
    hsc_record record;
    hsc_reader_counts counts;
    hsc_status status = hsc_reader_open_memory(bytes, size, label, &reader, err);
    if (status != HSC_OK)
        return status;
    r.at = &record;
    r.tags = hsc_tags_new(err);
    if (!r.tags)
        status = HSC_E_MEMORY;
    while (status == HSC_OK && hsc_reader_next(reader, &record))
        if (record.chunk_kind == HSC_CHUNK_STATIC && record.value)
            status = take(&r);
        else if (r.open && !record.value)
            r.open->records++;
    hsc_reader_get_counts(reader, &counts);
    if (counts.chunks_old) /* whatever else is missing then */
        status = hsc_err_set(err, HSC_E_VERSION, "%s: its map is of an older form (%" PRIu64
                             " of its parts): compile again", label, counts.chunks_old);
    if (status == HSC_OK && (counts.chunks_bad || counts.records_bad))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: map damaged: %s", label, hsc_reader_get_first_problem(reader));
    if (status == HSC_OK && r.open)
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: map damaged: module %s has no end", label, r.open->head.name.p);
    if (status == HSC_OK && !r.model.n_modules)
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: map damaged: it holds no module", label);
    hsc_reader_close(reader);
    hsc_tags_free(r.tags);
    if (status == HSC_OK)
        status = replace_by_linked(&r);
    if (status == HSC_OK)
        *out = r.model;
    else
        hsc_map_model_fini(&r.model);
    return status;
}

void hsc_map_model_move_memory(hsc_map_model *into, hsc_map_model *from) {
    struct block *b = from->memory;
    if (!b)
        return;
    while (b->next)
        b = b->next;
    b->next = into->memory;
    into->memory = from->memory;
    from->memory = NULL;
}

void hsc_map_model_fini(hsc_map_model *m) {
    for (size_t i = 0; i < m->n_modules; i++) {
        hsc_map_module *v = &m->modules[i];
        free(v->files);
        free(v->procedures);
        free(v->loops);
        free(v->callsites);
        free(v->instances);
        free(v->inlines);
        free(v->places);
        free(v->remarks);
        free(v->values);
        free(v->symbolics);
        free(v->arrays);
        free(v->references);
        free(v->messages);
        free(v->sections);
        free(v->datatypes);
        free(v->links);
        free(v->array_arguments);
        free(v->directives);
        free(v->runtime_calls);
        free(v->dependences);
        free(v->memory_checks);
        free(v->link_units);
    }
    free(m->modules);
    for (struct block *b = m->memory; b;) {
        struct block *next = b->next;
        free(b);
        b = next;
    }
    *m = (hsc_map_model){0};
}
