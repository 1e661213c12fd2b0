/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the listing says of loops and calls of MPI beside versions and remarks. */
#include "map_facts.h"

#include <heatscope/formats/remarks.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data_text.h"

#define SHOWN 4 /* accesses of a loop; how many more there are is said */

static bool push(hsc_map_facts *f, const hsc_map_text *t) {
    char *copy = strdup(t->p);
    if (copy && HSC_PUSH(f->lines, copy))
        return true;
    free(copy);
    return false;
}

void hsc_map_facts_fini(hsc_map_facts *f) {
    for (size_t i = 0; i < f->lines.n; i++)
        free(f->lines.p[i]);
    free(f->lines.p);
    *f = (hsc_map_facts){0};
}

static hsc_map_values values_of(const hsc_map_module *m) { return (hsc_map_values){m->values, m->n_values}; }

static const hsc_rec_array *array_of(const hsc_map_module *m, uint64_t id) { return id ? &m->arrays[id - 1] : NULL; }

void hsc_map_loop_extent(const hsc_map_module *m, const hsc_rec_loop *l, char *out, size_t size) {
    hsc_map_text t = {out, size, 0};
    out[0] = 0;
    if (l->trips)
        hsc_map_text_add(&t, "; %" PRIu64 " iteration%s", l->trips, l->trips == 1 ? "" : "s");
    else if (l->trips_max)
        hsc_map_text_add(&t, "; at most %" PRIu64 " iterations", l->trips_max);
    if (l->collapsed)
        hsc_map_text_add(&t, "; %" PRIu64 " loops made one", l->collapsed);
    uint64_t comparisons = 0; /* of the copy with most of them */
    for (size_t i = 0; i < m->n_memory_checks; i++)
        if (m->memory_checks[i].loop_id == l->loop_id && m->memory_checks[i].comparisons > comparisons)
            comparisons = m->memory_checks[i].comparisons;
    bool is_vector = false;
    for (size_t i = 0; i < m->n_instances; i++)
        is_vector = is_vector || (m->instances[i].loop_id == l->loop_id && hsc_version_is_vector(m->instances[i].version));
    if (comparisons && is_vector)
        hsc_map_text_add(&t, "; %" PRIu64 " comparison%s of addresses at run time", comparisons, comparisons == 1 ? "" : "s");
}

static bool is_notable(const hsc_rec_reference *r) {
    return r->stride == HSC_stride_CONSTANT || r->stride == HSC_stride_SYMBOLIC || r->stride == HSC_stride_INDIRECT || r->stride == HSC_stride_POINTERS ||
           r->stride == HSC_stride_IRREGULAR;
}

static void add_access(const hsc_map_module *m, const hsc_rec_reference *r, hsc_map_text *t) {
    hsc_map_text_element(t, values_of(m), array_of(m, r->array_id), r->subscripts);
    if (r->stride == HSC_stride_CONSTANT || r->stride == HSC_stride_SYMBOLIC) {
        hsc_map_text_add(t, " moves by ");
        hsc_map_text_value(t, values_of(m), r->stride_id);
        hsc_map_text_add(t, " bytes");
    } else if (r->stride == HSC_stride_INDIRECT || r->stride == HSC_stride_POINTERS) {
        hsc_map_text_add(t, " is found through %s", r->index_id ? array_of(m, r->index_id)->name.p : "an index");
    } else {
        hsc_map_text_add(t, " moves irregularly");
    }
}

static bool add_memory(const hsc_map_module *m, const hsc_rec_loop *l, hsc_map_facts *out) {
    char text[2000] = "", seen[64][200];
    hsc_map_text t = {text, sizeof text, 0};
    size_t shown = 0, more = 0, n_seen = 0;
    for (size_t i = 0; i < m->n_references; i++) {
        const hsc_rec_reference *r = &m->references[i];
        char one[200] = "";
        hsc_map_text access = {one, sizeof one, 0};
        if (r->loop_id != l->loop_id || !r->array_id || !is_notable(r))
            continue;
        add_access(m, r, &access);
        bool known = false; /* a read and a write of one element are one */
        for (size_t k = 0; k < n_seen && !known; k++)
            known = !strcmp(seen[k], one);
        if (known)
            continue;
        if (n_seen < sizeof seen / sizeof *seen)
            memcpy(seen[n_seen++], one, sizeof one);
        if (shown == SHOWN) {
            more++;
            continue;
        }
        hsc_map_text_add(&t, "%s%s", shown++ ? ", " : "memory: ", one);
    }
    if (more)
        hsc_map_text_add(&t, ", and %zu more", more);
    return !shown || push(out, &t);
}

/* "begin: fork of the threads, barrier": the calls that a directive causes, each role once. */
static bool add_runtime_calls(const hsc_map_module *m, const hsc_rec_directive *d, const char *begin, hsc_map_facts *out) {
    char text[2000] = "";
    hsc_map_text t = {text, sizeof text, 0};
    /* the ends of schedules and the thread's number tell nothing */
    uint64_t told = (uint64_t)1 << HSC_omp_role_STATIC_FINI | (uint64_t)1 << HSC_omp_role_DISPATCH_FINI |
                    (uint64_t)1 << HSC_omp_role_IDENTITY;
    bool any = false;
    hsc_map_text_add(&t, "%s", begin);
    for (size_t k = 0; k < m->n_runtime_calls; k++) {
        const hsc_rec_runtime_call *c = &m->runtime_calls[k];
        const char *role = hsc_enum_text("omp_role", c->role);
        if (c->directive_id != d->directive_id || c->role >= 64 || told >> c->role & 1 || !role)
            continue;
        told |= (uint64_t)1 << c->role;
        hsc_map_text_add(&t, "%s%s", any ? ", " : ": ", role);
        any = true;
    }
    return !any || push(out, &t);
}

static bool add_directive(const hsc_map_module *m, const hsc_rec_loop *l, hsc_map_facts *out) {
    for (size_t i = 0; i < m->n_directives; i++) {
        const hsc_rec_directive *d = &m->directives[i];
        char begin[80];
        snprintf(begin, sizeof begin, "calls of the OpenMP run time for line %" PRIu64, d->line);
        if (d->loop_id == l->loop_id && !add_runtime_calls(m, d, begin, out))
            return false;
    }
    return true;
}

bool hsc_map_directive_facts(const hsc_map_module *m, const hsc_rec_directive *d, hsc_map_facts *out) {
    return add_runtime_calls(m, d, "calls of the OpenMP run time", out);
}

bool hsc_map_loop_facts(const hsc_map_module *m, const hsc_rec_loop *l, hsc_map_facts *out) {
    return add_directive(m, l, out) && add_memory(m, l, out);
}

/* ---- messages ---- */

static const hsc_rec_message *message_of(const hsc_map_module *m, const hsc_rec_callsite *c) {
    for (size_t i = 0; i < m->n_messages; i++)
        if (m->messages[i].callsite_id == c->callsite_id)
            return &m->messages[i];
    return NULL;
}

static bool moves_data(const hsc_rec_message *v) {
    for (size_t k = 0; k < v->sections.n; k++)
        if (v->sections.p[k])
            return true;
    return false;
}

bool hsc_map_is_message(const hsc_map_module *m, const hsc_rec_callsite *c) {
    const hsc_rec_message *v = c->kind == HSC_call_kind_MPI ? message_of(m, c) : NULL;
    return v && moves_data(v);
}

static const char *word_of(uint64_t role) {
    switch (role) {
    case HSC_mpi_role_SEND_BUFFER: return "sends ";
    case HSC_mpi_role_RECEIVE_BUFFER: return "receives ";
    case HSC_mpi_role_BUFFER: return "moves ";
    case HSC_mpi_role_DESTINATION: return "to rank ";
    case HSC_mpi_role_SOURCE: return "from rank ";
    case HSC_mpi_role_ROOT: return "root ";
    case HSC_mpi_role_OPERATION: return "by ";
    case HSC_mpi_role_TAG: return "tag ";
    default: return NULL;
    }
}

static void add_arguments(const hsc_map_module *m, const hsc_rec_message *v, hsc_map_text *t) {
    for (size_t k = 0; k < v->roles.n; k++) {
        const char *word = word_of(v->roles.p[k]);
        bool is_buffer = v->sections.p[k] != 0;
        if (!word || (!is_buffer && !v->values.p[k]))
            continue;
        hsc_map_text_add(t, "%s%s", t->n ? ", " : "", word);
        if (!is_buffer) {
            hsc_map_text_value(t, values_of(m), v->values.p[k]);
            continue;
        }
        const hsc_rec_section *s = &m->sections[v->sections.p[k] - 1];
        hsc_map_text_section(t, values_of(m), array_of(m, s->array_id), s,
                             s->datatype_id ? m->datatypes[s->datatype_id - 1].name.p : NULL);
    }
}

/* "written in lines 56-71 from g, h": all links of one kind and confidence, with what is copied beside them. */
static void add_causes_of(const hsc_map_module *m, const hsc_rec_message *v, uint64_t kind, bool possible, hsc_map_text *t) {
    uint64_t copy = kind == HSC_link_kind_WRITTEN ? HSC_link_kind_PACKED_FROM : HSC_link_kind_UNPACKED_INTO;
    uint64_t first = UINT64_MAX, last = 0;
    char arrays[400] = "";
    hsc_map_text names = {arrays, sizeof arrays, 0};
    for (size_t i = 0; i < m->n_links; i++) {
        const hsc_rec_message_link *l = &m->links[i];
        if (l->message_id != v->message_id || (l->confidence == HSC_confidence_POSSIBLE) != possible)
            continue;
        if (l->kind == kind) {
            uint64_t line = m->references[l->target_id - 1].line;
            first = line < first ? line : first;
            last = line > last ? line : last;
        }
        const hsc_rec_array *array = l->kind == copy ? array_of(m, m->references[l->target_id - 1].array_id) : NULL;
        bool told = !array || array->name.p[0] == '?' || !array->name.n;
        for (size_t k = 0; k < i && !told; k++) { /* one name may stand for several arrays */
            const hsc_rec_message_link *o = &m->links[k];
            const hsc_rec_array *other =
                o->message_id == v->message_id && o->kind == copy && (o->confidence == HSC_confidence_POSSIBLE) == possible
                    ? array_of(m, m->references[o->target_id - 1].array_id)
                    : NULL;
            told = other && !strcmp(other->name.p, array->name.p);
        }
        if (!told)
            hsc_map_text_add(&names, "%s%s", names.n ? ", " : "", array->name.p);
    }
    if (!last)
        return;
    hsc_map_text_add(t, "%s%s%s in line%s %" PRIu64, t->n ? "; " : "", possible ? "perhaps " : "",
                     kind == HSC_link_kind_WRITTEN ? "written" : "read", first < last ? "s" : "", first);
    if (first < last)
        hsc_map_text_add(t, "-%" PRIu64, last);
    if (names.n)
        hsc_map_text_add(t, " %s %s", kind == HSC_link_kind_WRITTEN ? "from" : "into", arrays);
}

static void add_waits(const hsc_map_module *m, const hsc_rec_message *v, hsc_map_text *t) {
    bool any = false;
    for (size_t i = 0; i < m->n_links; i++) {
        const hsc_rec_message_link *l = &m->links[i];
        if (l->message_id != v->message_id || l->kind != HSC_link_kind_WAIT)
            continue;
        uint64_t site = m->messages[l->target_id - 1].callsite_id, line = 0;
        for (size_t k = 0; k < m->n_callsites && !line; k++)
            if (m->callsites[k].callsite_id == site)
                line = m->callsites[k].line;
        if (any)
            hsc_map_text_add(t, ", %" PRIu64, line);
        else
            hsc_map_text_add(t, "%swaited for in line %" PRIu64, t->n ? "; " : "", line);
        any = true;
    }
}

bool hsc_map_message_facts(const hsc_map_module *m, const hsc_rec_callsite *c, hsc_map_facts *out) {
    const hsc_rec_message *v = message_of(m, c);
    char text[2000] = "";
    hsc_map_text t = {text, sizeof text, 0};
    if (!v || !moves_data(v))
        return true;
    add_arguments(m, v, &t);
    add_waits(m, v, &t);
    for (int possible = 0; possible < 2; possible++) {
        add_causes_of(m, v, HSC_link_kind_WRITTEN, possible, &t);
        add_causes_of(m, v, HSC_link_kind_READ, possible, &t);
    }
    return !t.n || push(out, &t);
}
