/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matches sends with receives over all modules of a program. */
#include "map_partners.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* One end of a message. */
typedef struct end {
    size_t module, message;
    const hsc_rec_value *tag, *communicator, *type, *count; /* NULL: not known */
} end;

static const hsc_rec_value *value_with(const hsc_map_module *m, const hsc_rec_message *v, uint64_t role, uint64_t other) {
    for (unsigned round = 0; round < 2; round++, role = other)
        for (size_t k = 0; k < v->roles.n && role; k++)
            if (v->roles.p[k] == role && v->values.p[k])
                return &m->values[v->values.p[k] - 1];
    return NULL;
}

static bool is_constant(const hsc_rec_value *v) {
    return v && (v->kind == HSC_value_kind_CONSTANT || v->kind == HSC_value_kind_HANDLE);
}

static bool reads(const hsc_rec_value *v, const char *text) {
    return v && v->kind == HSC_value_kind_HANDLE && !strcmp(v->text.p, text);
}

static bool is_equal(const hsc_rec_value *a, const hsc_rec_value *b) {
    return a->kind == b->kind && (a->kind == HSC_value_kind_CONSTANT ? a->number == b->number : !strcmp(a->text.p, b->text.p));
}

/* How sure one property is: 0: they differ; 1: not known; 2: the same. */
static unsigned compare(const hsc_rec_value *a, const hsc_rec_value *b) {
    if (!a || !b)
        return 1;
    if (is_constant(a) && is_constant(b))
        return is_equal(a, b) ? 2 : 0;
    return !is_constant(a) && !is_constant(b) && !strcmp(a->text.p, b->text.p) && a->text.p[0] != '?' ? 2 : 1;
}

/* Types of C and Fortran may stand for each other; different ones of one language not. */
static bool types_differ(const hsc_rec_value *a, const hsc_rec_value *b, bool one_language) {
    if (!one_language || reads(a, "MPI_BYTE") || reads(b, "MPI_BYTE") || reads(a, "MPI_PACKED") || reads(b, "MPI_PACKED"))
        return false;
    return is_constant(a) && is_constant(b) && !is_equal(a, b);
}

static uint64_t match(const end *s, const end *r, bool one_language) {
    unsigned tag = reads(r->tag, "MPI_ANY_TAG") ? 1 : compare(s->tag, r->tag);
    unsigned communicator = compare(s->communicator, r->communicator);
    if (!tag || !communicator || types_differ(s->type, r->type, one_language))
        return HSC_confidence_UNKNOWN;
    if (s->count && r->count && s->count->kind == HSC_value_kind_CONSTANT && r->count->kind == HSC_value_kind_CONSTANT &&
        s->count->number > r->count->number && compare(s->type, r->type) == 2)
        return HSC_confidence_UNKNOWN; /* more than fits */
    return tag == 2 && communicator == 2 ? HSC_confidence_LIKELY : HSC_confidence_POSSIBLE;
}

hsc_status hsc_map_find_partners(const hsc_map_model *model, hsc_map_partners *out, hsc_err *err) {
    size_t n = 0, n_sends = 0, n_receives = 0, capacity = 0;
    hsc_map_partners found = {0};
    hsc_status status = HSC_OK;
    for (size_t m = 0; m < model->n_modules; m++)
        n += model->modules[m].n_messages;
    end *sends = calloc(2 * n + 1, sizeof *sends), *receives = sends + n;
    if (!sends)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (size_t i = 0; i < model->n_modules; i++) {
        const hsc_map_module *m = &model->modules[i];
        for (size_t k = 0; k < m->n_messages; k++) {
            const hsc_rec_message *v = &m->messages[k];
            bool both = v->kind == HSC_message_kind_SENDRECEIVE;
            end e = {.module = i, .message = k, .communicator = value_with(m, v, HSC_mpi_role_COMMUNICATOR, 0)};
            if (both || v->kind == HSC_message_kind_SEND) {
                e.tag = value_with(m, v, HSC_mpi_role_TAG, 0);
                e.type = value_with(m, v, HSC_mpi_role_DATATYPE, 0);
                e.count = value_with(m, v, HSC_mpi_role_COUNT, 0);
                if (!reads(value_with(m, v, HSC_mpi_role_DESTINATION, 0), "MPI_PROC_NULL"))
                    sends[n_sends++] = e;
            }
            if (both || v->kind == HSC_message_kind_RECEIVE) {
                e.tag = value_with(m, v, HSC_mpi_role_RECEIVE_TAG, HSC_mpi_role_TAG);
                e.type = value_with(m, v, HSC_mpi_role_RECEIVE_DATATYPE, HSC_mpi_role_DATATYPE);
                e.count = value_with(m, v, HSC_mpi_role_RECEIVE_COUNT, HSC_mpi_role_COUNT);
                if (!reads(value_with(m, v, HSC_mpi_role_SOURCE, 0), "MPI_PROC_NULL"))
                    receives[n_receives++] = e;
            }
        }
    }
    for (size_t s = 0; s < n_sends && status == HSC_OK; s++)
        for (size_t r = 0; r < n_receives && status == HSC_OK; r++) {
            const hsc_map_module *a = &model->modules[sends[s].module], *b = &model->modules[receives[r].module];
            uint64_t confidence = match(&sends[s], &receives[r], a->head.language == b->head.language);
            if (!confidence)
                continue;
            if (found.n == capacity) {
                capacity = capacity ? 2 * capacity : 64;
                void *p = realloc(found.list, capacity * sizeof *found.list);
                if (!p) {
                    status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
                    break;
                }
                found.list = p;
            }
            found.list[found.n++] = (hsc_map_partner_pair){
                sends[s].module,
                receives[r].module,
                {.send_module = a->head.module_tag,
                 .send_id = sends[s].message + 1,
                 .receive_module = b->head.module_tag,
                 .receive_id = receives[r].message + 1,
                 .confidence = confidence}};
        }
    free(sends);
    if (status == HSC_OK)
        *out = found;
    else
        free(found.list);
    return status;
}

void hsc_map_partners_fini(hsc_map_partners *m) {
    free(m->list);
    *m = (hsc_map_partners){0};
}
