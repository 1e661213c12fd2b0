/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays, references and messages as text. */
#include "map_data.h"

#include "data_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static hsc_map_values values_of(const hsc_map_module *m) { return (hsc_map_values){m->values, m->n_values}; }

static void print_value(const hsc_map_module *m, uint64_t id) {
    char text[1000] = "";
    hsc_map_text t = {text, sizeof text, 0};
    hsc_map_text_value(&t, values_of(m), id);
    printf("%s", text);
}

static void print_element(const hsc_map_module *m, uint64_t array_id, hsc_u64s subscripts) {
    char text[1000] = "";
    hsc_map_text t = {text, sizeof text, 0};
    hsc_map_text_element(&t, values_of(m), array_id ? &m->arrays[array_id - 1] : NULL, subscripts);
    printf("%s", text);
}

static void print_section(const hsc_map_module *m, const hsc_rec_section *s) {
    char text[1000] = "";
    hsc_map_text t = {text, sizeof text, 0};
    hsc_map_text_section(&t, values_of(m), s->array_id ? &m->arrays[s->array_id - 1] : NULL, s,
                         s->datatype_id ? m->datatypes[s->datatype_id - 1].name.p : NULL);
    printf("%s", text);
}

bool hsc_map_has_types(const hsc_map_module *m) {
    bool any = false;
    for (size_t i = 0; i < m->n_arrays; i++)
        if (m->arrays[i].element.n)
            return true;
        else
            any = true;
    return !any;
}

void hsc_map_print_arrays(const hsc_map_module *m) {
    for (size_t i = 0; i < m->n_arrays; i++) {
        const hsc_rec_array *a = &m->arrays[i];
        const char *storage = hsc_enum_text("storage", a->storage);
        char line[32];
        if (a->flags & HSC_array_flag_TEMPORARY)
            continue;
        snprintf(line, sizeof line, a->line ? "%" PRIu64 : "?", a->line);
        printf("%12s    array %s", line, a->name.p);
        char bounds[1000] = "";
        hsc_map_text t = {bounds, sizeof bounds, 0};
        hsc_map_text_bounds(&t, values_of(m), a);
        printf("%s", bounds);
        printf(": %s", a->element.n ? a->element.p : "?");
        if (a->element_bytes)
            printf(", %" PRIu64 " bytes", a->element_bytes);
        printf(", %s", storage ? storage : "?");
        if (a->procedure_id)
            printf(", in %s", m->procedures[a->procedure_id - 1].name.p);
        else if (a->symbol.n)
            printf(", symbol %s%s", a->symbol.p, a->flags & HSC_array_flag_DECLARED ? ", not used in this unit" : "");
        printf("\n");
    }
}

void hsc_map_print_references(const hsc_map_module *m, uint64_t loop_id) {
    for (size_t i = 0; i < m->n_references; i++) {
        const hsc_rec_reference *r = &m->references[i];
        static const char *const words[] = {"reads", "writes", "updates"};
        if (r->loop_id != loop_id)
            continue;
        printf("%12s    %" PRIu64 ":%" PRIu64 " %s ", "", r->line, r->column, r->access < 3 ? words[r->access] : "?");
        print_element(m, r->array_id, r->subscripts);
        bool gone = r->array_id && m->arrays[r->array_id - 1].flags & HSC_array_flag_NOT_GENERATED;
        const char *stride = hsc_enum_text("stride", r->stride);
        printf(": %s", stride ? stride : "?");
        if (r->stride == HSC_stride_CONSTANT || r->stride == HSC_stride_SYMBOLIC) {
            printf(", ");
            print_value(m, r->stride_id);
            printf(" bytes");
        }
        if ((r->stride == HSC_stride_INDIRECT || r->stride == HSC_stride_POINTERS) && r->index_id)
            printf(" %s", m->arrays[r->index_id - 1].name.p);
        printf("%s\n", gone ? ", not in the generated code" : "");
    }
}

/* ---- messages ------------------------------------------------------------------------------------------------------- */

static const hsc_rec_callsite *callsite_of(const hsc_map_module *m, uint64_t id) {
    for (size_t i = 0; i < m->n_callsites; i++)
        if (m->callsites[i].callsite_id == id)
            return &m->callsites[i];
    return NULL;
}

static const hsc_rec_loop *loop_of(const hsc_map_module *m, uint64_t id) {
    for (size_t i = 0; i < m->n_loops; i++)
        if (m->loops[i].loop_id == id)
            return &m->loops[i];
    return NULL;
}

static void print_argument(const hsc_map_module *m, const hsc_rec_message *v, size_t k) {
    static const char *const words[] = {
        [HSC_mpi_role_SEND_BUFFER] = "from",
        [HSC_mpi_role_RECEIVE_BUFFER] = "into",
        [HSC_mpi_role_BUFFER] = "buffer",
        [HSC_mpi_role_COUNT] = "count",
        [HSC_mpi_role_RECEIVE_COUNT] = "count",
        [HSC_mpi_role_DATATYPE] = "type",
        [HSC_mpi_role_RECEIVE_DATATYPE] = "type",
        [HSC_mpi_role_DESTINATION] = "to rank",
        [HSC_mpi_role_SOURCE] = "from rank",
        [HSC_mpi_role_TAG] = "tag",
        [HSC_mpi_role_RECEIVE_TAG] = "tag",
        [HSC_mpi_role_COMMUNICATOR] = "in",
        [HSC_mpi_role_REQUEST] = "request",
        [HSC_mpi_role_OPERATION] = "operation",
        [HSC_mpi_role_ROOT] = "root",
        [HSC_mpi_role_COUNTS] = "counts",
        [HSC_mpi_role_RECEIVE_COUNTS] = "counts",
        [HSC_mpi_role_DISPLACEMENTS] = "displacements",
        [HSC_mpi_role_RECEIVE_DISPLACEMENTS] = "displacements",
        [HSC_mpi_role_WINDOW] = "window",
        [HSC_mpi_role_TARGET] = "target rank",
        [HSC_mpi_role_TARGET_DISPLACEMENT] = "displacement",
        [HSC_mpi_role_NEW_DATATYPE] = "makes type",
        [HSC_mpi_role_NEW_COMMUNICATOR] = "makes communicator",
        [HSC_mpi_role_REQUEST_COUNT] = "requests",
        [HSC_mpi_role_BLOCK_LENGTH] = "block length",
        [HSC_mpi_role_STRIDE] = "stride",
        [HSC_mpi_role_FILE_HANDLE] = "file",
    };
    uint64_t role = v->roles.p[k];
    if (role >= sizeof words / sizeof *words || !words[role])
        return;
    printf("\n%12s      %s ", "", words[role]);
    if (v->sections.p[k])
        print_section(m, &m->sections[v->sections.p[k] - 1]);
    else
        print_value(m, v->values.p[k]);
}

static void print_link(const hsc_map_module *m, const hsc_rec_message_link *l) {
    static const char *const words[] = {"waited for by", "packed by loop", "unpacked by loop", "packed by call",
                                        "unpacked by call", "started by"};
    const char *confidence = hsc_enum_text("confidence", l->confidence);
    const hsc_rec_callsite *c = NULL;
    if (l->kind >= HSC_link_kind_WRITTEN && l->kind <= HSC_link_kind_UNPACKED_INTO) {
        static const char *const causes[] = {"written as ", "read as ", "  from ", "  into "};
        const hsc_rec_reference *r = &m->references[l->target_id - 1];
        printf("\n%12s      %s", "", causes[l->kind - HSC_link_kind_WRITTEN]);
        print_element(m, r->array_id, r->subscripts);
        printf(" at line %" PRIu64, r->line);
        if (l->kind < HSC_link_kind_PACKED_FROM && r->procedure_id && l->confidence == HSC_confidence_POSSIBLE)
            printf(" in %s", m->procedures[r->procedure_id - 1].name.p);
        if (l->kind < HSC_link_kind_PACKED_FROM)
            printf(" (%.*s)", confidence ? (int)strcspn(confidence, ":") : 1, confidence ? confidence : "?");
        return;
    }
    if (l->kind >= sizeof words / sizeof *words)
        return;
    printf("\n%12s      %s ", "", words[l->kind]);
    if (l->kind == HSC_link_kind_WAIT || l->kind == HSC_link_kind_STARTS)
        c = callsite_of(m, m->messages[l->target_id - 1].callsite_id);
    else if (l->kind == HSC_link_kind_PACK_CALL || l->kind == HSC_link_kind_UNPACK_CALL)
        c = callsite_of(m, l->target_id);
    if (c) {
        printf("%s at line %" PRIu64, c->callee.p, c->line);
    } else {
        const hsc_rec_loop *loop = loop_of(m, l->target_id);
        if (loop)
            printf("at lines %" PRIu64 "-%" PRIu64, loop->line_begin, loop->line_end);
    }
    printf(" (%.*s)", confidence ? (int)strcspn(confidence, ":") : 1, confidence ? confidence : "?");
}

/* Likely partners; where there is none, how many are possible. */
static void print_matches(const hsc_map_model *model, size_t module, uint64_t message_id, const hsc_map_partners *partners) {
    size_t possible = 0, likely = 0;
    for (size_t i = 0; i < partners->n; i++) {
        const hsc_map_partner_pair *p = &partners->list[i];
        bool sends = p->send_module == module && p->record.send_id == message_id;
        bool receives = p->receive_module == module && p->record.receive_id == message_id;
        for (unsigned side = 0; side < 2; side++) {
            if (side ? !receives : !sends)
                continue;
            if (p->record.confidence != HSC_confidence_LIKELY) {
                possible++;
                continue;
            }
            likely++;
            const hsc_map_module *o = &model->modules[side ? p->send_module : p->receive_module];
            const hsc_rec_message *v = &o->messages[(side ? p->record.send_id : p->record.receive_id) - 1];
            const hsc_rec_callsite *c = callsite_of(o, v->callsite_id);
            printf("\n%12s      %s %s at %s:%" PRIu64 " (likely)", "", side ? "receives from" : "received by", v->operation.p,
                   c && c->file_id ? o->files[c->file_id - 1].path.p : "?", c ? c->line : 0);
        }
    }
    if (possible && !likely)
        printf("\n%12s      %zu possible partner%s", "", possible, possible == 1 ? "" : "s");
}

void hsc_map_print_messages(const hsc_map_model *model, size_t module, const hsc_map_partners *partners) {
    const hsc_map_module *m = &model->modules[module];
    if (!m->n_messages)
        return;
    printf("%s: %zu call%s of MPI\n", m->head.name.p, m->n_messages, m->n_messages == 1 ? "" : "s");
    for (size_t i = 0; i < m->n_messages; i++) {
        const hsc_rec_message *v = &m->messages[i];
        const hsc_rec_callsite *c = callsite_of(m, v->callsite_id);
        printf("%12" PRIu64 "    %s in %s", c ? c->line : 0, v->operation.p,
               c && c->procedure_id ? m->procedures[c->procedure_id - 1].name.p : "?");
        for (size_t k = 0; k < v->roles.n; k++)
            print_argument(m, v, k);
        for (size_t k = 0; k < m->n_datatypes; k++)
            if (m->datatypes[k].message_id == v->message_id && m->datatypes[k].size_bytes)
                printf("\n%12s      %" PRIu64 " bytes of data in %" PRIu64, "", m->datatypes[k].size_bytes,
                       m->datatypes[k].extent_bytes);
        for (size_t k = 0; k < m->n_links; k++)
            if (m->links[k].message_id == v->message_id)
                print_link(m, &m->links[k]);
        print_matches(model, module, v->message_id, partners);
        printf("\n");
    }
}
