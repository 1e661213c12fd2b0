/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What belongs to a message: the wait for its request, loops and calls that fill its buffer before or read it after. */
#include "mpi.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE

static void add(hsc_pass *p, uint64_t message_id, uint64_t kind, uint64_t target, uint64_t confidence,
                const char *reason) {
    for (size_t i = p->message_links.n; i > 0 && p->message_links.p[i - 1].message_id == message_id; i--)
        if (p->message_links.p[i - 1].kind == kind && p->message_links.p[i - 1].target_id == target)
            return;
    *HSC_VECTOR_ADD(p->message_links) = (hsc_rec_message_link){.message_id = message_id,
                                                               .kind = kind,
                                                               .target_id = target,
                                                               .confidence = confidence,
                                                               .reason = {reason, strlen(reason)}};
}

static const hsc_rec_callsite *callsite_of(const hsc_pass *p, uint64_t site) {
    return &p->callsites.p[p->sites.p[site - 1].index];
}

static const hsc_rec_loop *loop_record(const hsc_pass *p, uint64_t site) {
    return &p->loops.p[p->sites.p[site - 1].index];
}

/* How many loops there are round a loop, itself included; 0: no loop. */
static unsigned depth_of(const hsc_pass *p, uint64_t loop) {
    unsigned depth = 0;
    for (; loop; loop = loop_record(p, loop)->parent_id)
        depth++;
    return depth;
}

/* The outermost loop round `loop` that is not round the call as well; 0: all are. */
static uint64_t outermost_apart(const hsc_pass *p, uint64_t loop, uint64_t call_loop) {
    uint64_t found = 0;
    for (; loop; loop = loop_record(p, loop)->parent_id) {
        for (uint64_t l = call_loop; l; l = loop_record(p, l)->parent_id)
            if (l == loop)
                return found;
        found = loop;
    }
    return found;
}

static bool touches(const hsc_pass *p, uint64_t message_id, uint64_t array_id) {
    const hsc_rec_message *m = &p->messages.p[message_id - 1];
    for (size_t k = 0; k < m->sections.n; k++)
        if (m->sections.p[k] && p->sections.p[m->sections.p[k] - 1].array_id == array_id)
            return true;
    return false;
}

static bool receives(const hsc_pass *p, uint64_t message_id, uint64_t array_id) {
    const hsc_rec_message *m = &p->messages.p[message_id - 1];
    for (size_t k = 0; k < m->sections.n; k++)
        if (m->roles.p[k] != HSC_mpi_role_SEND_BUFFER && m->sections.p[k] &&
            p->sections.p[m->sections.p[k] - 1].array_id == array_id)
            return true;
    return false;
}

/* What fills a buffer before a message, or reads it after. */
typedef struct candidate {
    uint64_t begin, end, kind, target, confidence;
    const char *reason;
    unsigned shared; /* of a loop: loops that are round it and round the message */
} candidate;

typedef HSC_VECTOR(candidate) candidates;

/* Does another message bring something new into the array between the message and the reference? What is read then is that. */
static bool is_overwritten(const hsc_pass *p, const hsc_mpi_call *calls, size_t n, size_t at, uint64_t array_id,
                           const hsc_rec_reference *r) {
    uint64_t from = callsite_of(p, calls[at].callsite_id)->line, to = r->line;
    if (from > to) {
        from = r->line;
        to = callsite_of(p, calls[at].callsite_id)->line;
    }
    for (size_t i = 0; i < n; i++) {
        const hsc_rec_callsite *o = callsite_of(p, calls[i].callsite_id);
        if (i != at && o->file_id == r->file_id && o->line > from && o->line < to && receives(p, calls[i].message_id, array_id))
            return true;
    }
    return false;
}

/* The line from which on what a message brings is there: that of the next wait for its request in the procedure, else its own. */
static uint64_t line_of_arrival(const hsc_pass *p, const hsc_mpi_call *calls, size_t n, size_t at) {
    uint64_t line = callsite_of(p, calls[at].callsite_id)->line, found = UINT64_MAX;
    uint32_t request = p->messages_seen.p[calls[at].message_id - 1].request_id;
    for (size_t i = 0; i < n && request; i++) {
        uint64_t wait = callsite_of(p, calls[i].callsite_id)->line;
        if (calls[i].kind == HSC_message_kind_WAIT && p->messages_seen.p[calls[i].message_id - 1].request_id == request && wait > line &&
            wait < found)
            found = wait;
    }
    return found < UINT64_MAX ? found : line;
}

/* Loops that write the array before the line, or read it after. */
static void find_loops(hsc_pass *p, const hsc_mpi_call *calls, size_t n, size_t at, uint64_t array_id, bool before,
                       size_t first_reference, candidates *out) {
    const hsc_rec_callsite *c = callsite_of(p, calls[at].callsite_id);
    uint64_t from = before ? c->line : line_of_arrival(p, calls, n, at);
    for (size_t i = first_reference; i < p->references.n; i++) {
        const hsc_rec_reference *r = &p->references.p[i];
        if (r->array_id != array_id || (r->access == HSC_access_READ) == before || r->file_id != c->file_id)
            continue;
        uint64_t loop = outermost_apart(p, r->loop_id, c->loop_id);
        const hsc_rec_loop *l = loop ? loop_record(p, loop) : NULL;
        if (!l || (before ? l->line_end > c->line : l->line_begin < from) || is_overwritten(p, calls, n, at, array_id, r))
            continue;
        *HSC_VECTOR_ADD(*out) = (candidate){l->line_begin, l->line_end,
                                            before ? HSC_link_kind_PACK_LOOP : HSC_link_kind_UNPACK_LOOP, loop,
                                            HSC_confidence_LIKELY, before ? "writes the buffer" : "reads the buffer",
                                            depth_of(p, l->parent_id)};
    }
}

/* Calls that get the array: MPI_Pack and MPI_Unpack, and others, which may only look at it. */
static void find_calls(hsc_pass *p, const hsc_mpi_call *calls, size_t n, const hsc_rec_callsite *c, uint64_t array_id,
                       bool before, candidates *out) {
    uint64_t kind = before ? HSC_link_kind_PACK_CALL : HSC_link_kind_UNPACK_CALL;
    for (size_t i = 0; i < n; i++) {
        const hsc_rec_callsite *o = callsite_of(p, calls[i].callsite_id);
        if (calls[i].kind == HSC_message_kind_PACK && touches(p, calls[i].message_id, array_id) &&
            (before ? o->line <= c->line : o->line >= c->line))
            *HSC_VECTOR_ADD(*out) = (candidate){o->line, o->line, kind, calls[i].callsite_id, HSC_confidence_CERTAIN,
                                                before ? "packs into the buffer" : "unpacks from the buffer", 0};
    }
    for (size_t i = 0; i < p->array_arguments.n; i++) {
        const hsc_rec_array_argument *a = &p->array_arguments.p[i];
        const hsc_rec_callsite *o = callsite_of(p, a->callsite_id);
        if (a->array_id == array_id && o->procedure_id == c->procedure_id && o->file_id == c->file_id &&
            (before ? o->line < c->line : o->line > c->line))
            *HSC_VECTOR_ADD(*out) =
                (candidate){o->line, o->line, kind, a->callsite_id, HSC_confidence_POSSIBLE, "is given the buffer", 0};
    }
}

/* Of the candidates those nearest to the message: no other message about the array stands between them and the nearest
 * one of all. One loop may fill a buffer for several messages that follow each other. What was written once, before a loop round the
 * message, has been overwritten where another loop writes the buffer in each iteration of that. */
static void link_nearest(hsc_data *d, const hsc_mpi_call *calls, size_t n, size_t at, uint64_t array_id, bool before,
                         size_t first_reference) {
    hsc_pass *p = d->p;
    const hsc_rec_callsite *c = callsite_of(p, calls[at].callsite_id);
    candidates list = {0};
    find_loops(p, calls, n, at, array_id, before, first_reference, &list);
    find_calls(p, calls, n, c, array_id, before, &list);
    uint64_t nearest = before ? 0 : UINT64_MAX, limit = before ? 0 : UINT64_MAX;
    unsigned shared = 0;
    for (size_t i = 0; i < list.n && before; i++)
        shared = list.p[i].shared > shared ? list.p[i].shared : shared;
    for (size_t i = 0; i < list.n; i++)
        if (before ? list.p[i].end > nearest : list.p[i].begin < nearest)
            nearest = before ? list.p[i].end : list.p[i].begin;
    for (size_t i = 0; i < n && list.n; i++) {
        const hsc_rec_callsite *o = callsite_of(p, calls[i].callsite_id);
        if (i == at || calls[i].kind == HSC_message_kind_PACK || o->file_id != c->file_id ||
            !touches(p, calls[i].message_id, array_id))
            continue;
        if (before ? o->line < nearest && o->line > limit : o->line > nearest && o->line < limit)
            limit = o->line;
    }
    for (size_t i = 0; i < list.n; i++)
        if (before ? list.p[i].end >= limit && (list.p[i].kind != HSC_link_kind_PACK_LOOP || list.p[i].shared == shared)
                   : list.p[i].begin <= limit)
            add(p, calls[at].message_id, list.p[i].kind, list.p[i].target, list.p[i].confidence, list.p[i].reason);
    free(list.p);
}

void hsc_mpi_link_loops(hsc_data *d, const hsc_mpi_call *calls, size_t n, size_t first_reference) {
    hsc_pass *p = d->p;
    for (size_t i = 0; i < n; i++) {
        const hsc_rec_message *m = &p->messages.p[calls[i].message_id - 1];
        if (calls[i].kind == HSC_message_kind_PACK || calls[i].kind == HSC_message_kind_DATATYPE)
            continue;
        for (size_t k = 0; k < m->sections.n; k++) {
            if (!m->sections.p[k])
                continue;
            uint64_t array = p->sections.p[m->sections.p[k] - 1].array_id, role = m->roles.p[k];
            if (!array || (p->arrays.p[array - 1].flags & HSC_array_flag_SCALAR))
                continue;
            for (unsigned before = 0; before < 2; before++) {
                if (role == (before ? HSC_mpi_role_RECEIVE_BUFFER : HSC_mpi_role_SEND_BUFFER))
                    continue;
                link_nearest(d, calls, n, i, array, before, first_reference);
                m = &p->messages.p[calls[i].message_id - 1];
            }
        }
    }
}

/* ---- the references that make a message necessary --------------------------------------------------------------- */

static bool is_inside(const hsc_pass *p, uint64_t loop, uint64_t outer) {
    for (; loop && loop != outer; loop = loop_record(p, loop)->parent_id)
        ;
    return loop != 0;
}

static bool is_one_statement(const hsc_rec_reference *a, const hsc_rec_reference *b) {
    return a->procedure_id == b->procedure_id && a->loop_id == b->loop_id && a->file_id == b->file_id && a->line == b->line;
}

/* The reference, and what the same statement copies into the buffer or out of it. */
static void add_cause(hsc_pass *p, uint64_t message_id, size_t at, bool before, uint64_t confidence, const char *reason) {
    const hsc_rec_reference *r = &p->references.p[at];
    add(p, message_id, before ? HSC_link_kind_WRITTEN : HSC_link_kind_READ, r->reference_id, confidence, reason);
    for (size_t i = at; i-- > 0 && p->references.p[i].procedure_id == r->procedure_id;) {
        const hsc_rec_reference *o = &p->references.p[i];
        if (before && o->access == HSC_access_READ && is_one_statement(o, r) && o->array_id && o->array_id != r->array_id)
            add(p, message_id, HSC_link_kind_PACKED_FROM, o->reference_id, confidence, reason);
    }
    for (size_t i = at + 1; i < p->references.n && p->references.p[i].procedure_id == r->procedure_id; i++) {
        const hsc_rec_reference *o = &p->references.p[i];
        if (!before && o->access != HSC_access_READ && is_one_statement(o, r) && o->array_id && o->array_id != r->array_id)
            add(p, message_id, HSC_link_kind_UNPACKED_INTO, o->reference_id, confidence, reason);
    }
}

static bool is_cause(const hsc_rec_reference *r, bool before) {
    return before ? r->access != HSC_access_READ : r->access != HSC_access_WRITE;
}

/* Those in the loops that fill the buffer before, or read it after. Returns whether there are any. */
static bool causes_in_loops(hsc_pass *p, uint64_t message_id, uint64_t array_id, bool before, size_t n_links) {
    uint64_t kind = before ? HSC_link_kind_PACK_LOOP : HSC_link_kind_UNPACK_LOOP;
    bool found = false;
    for (size_t l = 0; l < n_links; l++) {
        if (p->message_links.p[l].message_id != message_id || p->message_links.p[l].kind != kind)
            continue;
        uint64_t loop = p->message_links.p[l].target_id;
        for (size_t i = 0; i < p->references.n; i++)
            if (p->references.p[i].array_id == array_id && is_cause(&p->references.p[i], before) &&
                is_inside(p, p->references.p[i].loop_id, loop)) {
                add_cause(p, message_id, i, before, HSC_confidence_LIKELY, "in the loop next to the message");
                found = true;
            }
    }
    return found;
}

/* Those beside the message in the loops round it, with no other message about the array in between. Returns whether there are any. */
static bool causes_beside(hsc_pass *p, uint64_t message_id, uint64_t array_id, bool before) {
    const hsc_rec_callsite *c = callsite_of(p, p->messages.p[message_id - 1].callsite_id);
    bool found = false;
    for (size_t i = 0; i < p->references.n; i++) {
        const hsc_rec_reference *r = &p->references.p[i];
        if (r->array_id != array_id || r->procedure_id != c->procedure_id || r->file_id != c->file_id || !is_cause(r, before) ||
            (before ? r->line >= c->line : r->line <= c->line) || outermost_apart(p, r->loop_id, c->loop_id))
            continue;
        uint64_t from = before ? r->line : c->line, to = before ? c->line : r->line;
        bool apart = false;
        for (size_t k = 0; k < p->messages.n && !apart; k++) {
            const hsc_rec_callsite *o = callsite_of(p, p->messages.p[k].callsite_id);
            apart = k + 1 != message_id && o->file_id == c->file_id && o->line > from && o->line < to && touches(p, k + 1, array_id);
        }
        if (apart)
            continue;
        add_cause(p, message_id, i, before, HSC_confidence_LIKELY, "beside the message");
        found = true;
    }
    return found;
}

static bool is_handed_to(const hsc_pass *p, uint64_t variable, uint32_t procedure_id, const hsc_rec_array *dummy);

/* Those in other procedures, of the same global variable or member, or of what is handed to the procedure; one a line. */
static void causes_elsewhere(hsc_pass *p, uint64_t message_id, uint64_t array_id, bool before) {
    const hsc_rec_array *a = &p->arrays.p[array_id - 1];
    uint32_t procedure = (uint32_t)callsite_of(p, p->messages.p[message_id - 1].callsite_id)->procedure_id;
    hsc_map handed = {0}; /* array: 1 no, 2 yes */
    const hsc_rec_reference *last = NULL;
    for (size_t i = 0; i < p->references.n; i++) {
        const hsc_rec_reference *r = &p->references.p[i];
        if (!r->array_id || r->array_id == array_id || !is_cause(r, before))
            continue;
        bool same = a->identity && p->arrays.p[r->array_id - 1].identity == a->identity;
        if (!same && a->argument) {
            uint32_t known = hsc_map_get(&handed, r->array_id);
            if (!known) {
                known = is_handed_to(p, r->array_id, procedure, a) ? 2 : 1;
                hsc_map_set(&handed, r->array_id, known);
            }
            same = known == 2;
        }
        if (!same || (last && last->procedure_id == r->procedure_id && last->line == r->line && last->file_id == r->file_id))
            continue;
        add_cause(p, message_id, i, before, HSC_confidence_POSSIBLE, "the same array, in another place");
        last = r;
    }
    hsc_map_fini(&handed);
}

static void find_causes(hsc_pass *p) {
    size_t n_links = p->message_links.n; /* those of loops are all there */
    for (size_t i = 0; i < p->messages.n; i++) {
        const hsc_rec_message *m = &p->messages.p[i];
        for (size_t k = 0; k < m->sections.n; k++) {
            uint64_t array = m->sections.p[k] ? p->sections.p[m->sections.p[k] - 1].array_id : 0, role = m->roles.p[k];
            if (!array || m->kind == HSC_message_kind_DATATYPE)
                continue;
            for (unsigned before = 0; before < 2; before++)
                if (role != (before ? HSC_mpi_role_RECEIVE_BUFFER : HSC_mpi_role_SEND_BUFFER) &&
                    !causes_in_loops(p, i + 1, array, before, n_links) && !causes_beside(p, i + 1, array, before))
                    causes_elsewhere(p, i + 1, array, before);
        }
    }
}

/* ---- requests -------------------------------------------------------------------------------------------------------
 */

static bool equal(hsc_str a, hsc_str b) {
    return a.n == b.n && !memcmp(a.p, b.p, a.n);
}

/* The variable is what some call hands to the procedure as this argument. */
static bool is_handed_to(const hsc_pass *p, uint64_t variable, uint32_t procedure_id, const hsc_rec_array *dummy) {
    const hsc_str *name = &p->procedures.p[procedure_id - 1].linkage_name;
    if (!dummy->argument || dummy->procedure_id != procedure_id)
        return false;
    for (size_t i = 0; i < p->array_arguments.n; i++) {
        const hsc_rec_array_argument *a = &p->array_arguments.p[i];
        if (a->array_id == variable && a->argument == dummy->argument && equal(callsite_of(p, a->callsite_id)->callee, *name))
            return true;
    }
    return false;
}

/* The request of a message is what a wait waits for? */
static uint64_t waits_for(const hsc_pass *p, const hsc_message_seen *m, const hsc_message_seen *w,
                          const char **reason) {
    const hsc_rec_array *a = &p->arrays.p[m->request_id - 1], *b = &p->arrays.p[w->request_id - 1];
    bool one_procedure = m->procedure_id == w->procedure_id;
    if (m->request_id == w->request_id) {
        if (equal(m->request, w->request)) {
            *reason = one_procedure ? "the same request" : "the same request, in another procedure";
            return one_procedure ? HSC_confidence_CERTAIN : HSC_confidence_LIKELY;
        }
        *reason = "the same array of requests";
        return w->waits_for_all && one_procedure ? HSC_confidence_CERTAIN : HSC_confidence_POSSIBLE;
    }
    if (a->identity && a->identity == b->identity) {
        *reason = "the same member or global variable";
        return w->waits_for_all || equal(m->request, w->request) ? HSC_confidence_LIKELY : HSC_confidence_POSSIBLE;
    }
    if (is_handed_to(p, w->request_id, m->procedure_id, a) || is_handed_to(p, m->request_id, w->procedure_id, b)) {
        *reason = "the same request, handed to a procedure";
        return HSC_confidence_LIKELY;
    }
    return HSC_confidence_UNKNOWN;
}

static bool has_same_request(const hsc_pass *p, size_t a, size_t b) {
    const hsc_message_seen *x = &p->messages_seen.p[a], *y = &p->messages_seen.p[b];
    return x->request_id == y->request_id && x->procedure_id == y->procedure_id && equal(x->request, y->request);
}

/* One variable serves several messages of the procedure, one after the other: a wait that stands behind the next of them
 * is not the first one's. `after`: some wait stands between the message and the next one. */
static bool is_taken_over(const hsc_pass *p, size_t message, size_t wait, bool *after) {
    uint64_t from = callsite_of(p, p->messages.p[message].callsite_id)->line;
    uint64_t to = callsite_of(p, p->messages.p[wait].callsite_id)->line, next = UINT64_MAX;
    *after = false;
    for (size_t i = 0; i < p->messages.n; i++) {
        uint64_t kind = p->messages.p[i].kind, line = callsite_of(p, p->messages.p[i].callsite_id)->line;
        bool starts = kind != HSC_message_kind_WAIT && kind != HSC_message_kind_START;
        if (i != message && starts && p->messages_seen.p[i].request_id && line > from && line < next &&
            has_same_request(p, message, i))
            next = line;
    }
    for (size_t i = 0; i < p->messages.n; i++) {
        uint64_t line = callsite_of(p, p->messages.p[i].callsite_id)->line;
        *after = *after || (p->messages.p[i].kind == HSC_message_kind_WAIT && p->messages_seen.p[i].request_id &&
                            line > from && line < next && has_same_request(p, message, i));
    }
    return to > next;
}

void hsc_data_module(hsc_pass *p) {
    if (p->is_fortran)
        hsc_data_declared(p);
    for (size_t i = 0; i < p->messages.n; i++) {
        uint64_t kind = p->messages.p[i].kind;
        if (!p->messages_seen.p[i].request_id || kind == HSC_message_kind_WAIT || kind == HSC_message_kind_START)
            continue;
        for (size_t k = 0; k < p->messages.n; k++) {
            uint64_t other = p->messages.p[k].kind;
            const char *reason = "";
            if (!p->messages_seen.p[k].request_id ||
                (other != HSC_message_kind_WAIT && other != HSC_message_kind_START) ||
                equal(p->messages.p[k].operation, (hsc_str){"MPI_Request_free", 16}))
                continue;
            uint64_t confidence = waits_for(p, &p->messages_seen.p[i], &p->messages_seen.p[k], &reason);
            bool after;
            if (confidence && other == HSC_message_kind_WAIT && has_same_request(p, i, k) &&
                (is_taken_over(p, i, k, &after) ||
                 (after && callsite_of(p, p->messages.p[k].callsite_id)->line < callsite_of(p, p->messages.p[i].callsite_id)->line)))
                continue;
            if (confidence)
                add(p, i + 1, other == HSC_message_kind_WAIT ? HSC_link_kind_WAIT : HSC_link_kind_STARTS, k + 1,
                    confidence, reason);
        }
    }
    find_causes(p);
}
