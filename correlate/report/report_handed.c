/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whose array a dummy argument is: followed along the path of calls, as far as what they hand on is known. */
#include "report_arrays.h"
#include "report_instances.h"

#include <stdlib.h>

#include <heatscope/sorted.h>

typedef struct handed { /* of all calls of `callee` in `scope` */
    uint32_t scope, callee, argument;
    uint32_t array; /* HSC_NONE: not the same in all of them */
} handed;

struct report_handed {
    const report *r;
    handed *list;
    uint32_t n;
};

static int by_call(const void *a, const void *b) {
    const handed *x = a, *y = b;
    const uint32_t p[] = {x->scope, x->callee, x->argument}, q[] = {y->scope, y->callee, y->argument};
    return hsc_compare_keys(p, q, 3);
}

hsc_status report_handed_open(const report *r, report_handed **out, hsc_err *err) {
    uint32_t all = hsc_db_count(r->db, HSC_LIST_HANDED), n = 0;
    report_handed *h = calloc(1, sizeof *h);
    hsc_db_handed x;
    *out = h;
    if (h)
        *h = (report_handed){r, malloc(((size_t)all + 1) * sizeof *h->list), all};
    if (!h || !h->list)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; i < all; i++) {
        hsc_status s = hsc_db_get_handed(r->db, i, &x, err);
        if (s)
            return s;
        h->list[i] = (handed){x.scope, x.callee, x.argument, x.array};
    }
    if (all > 1)
        qsort(h->list, all, sizeof *h->list, by_call);
    for (uint32_t i = 0; i < all; i++) {
        if (n && !by_call(&h->list[n - 1], &h->list[i]))
            h->list[n - 1].array = h->list[n - 1].array == h->list[i].array ? h->list[i].array : HSC_NONE;
        else
            h->list[n++] = h->list[i];
    }
    h->n = n;
    return HSC_OK;
}

void report_handed_close(report_handed *h) {
    if (h)
        free(h->list);
    free(h);
}

/* The context of the call of that procedure that `context` is in; HSC_NONE: it is in none. */
static uint32_t frame_of(const report *r, uint32_t procedure, uint32_t context) {
    hsc_db_context c;
    hsc_db_scope s;
    while (context != HSC_NONE && !hsc_db_get_context(r->db, context, &c, NULL) && c.kind != HSC_CONTEXT_ROOT && c.parent < context) {
        if (c.kind != HSC_CONTEXT_LOOP && c.scope != HSC_NONE && !hsc_db_get_scope(r->db, c.scope, &s, NULL) && s.procedure == procedure)
            return context;
        context = c.parent;
    }
    return HSC_NONE;
}

/* What calls of that procedure on the line hand to that argument; HSC_NONE: not the same. *any: there are such calls. */
static uint32_t handed_at(const report *r, uint32_t line, uint32_t caller, uint32_t callee, uint32_t argument, bool *any) {
    uint32_t first, n, found = HSC_NONE;
    hsc_db_handed h;
    *any = false;
    if (line == HSC_NONE || hsc_db_find(r->db, HSC_LIST_HANDED, line, &first, &n, NULL))
        return HSC_NONE;
    for (uint32_t i = first; i < first + n; i++) {
        if (hsc_db_get_handed(r->db, i, &h, NULL) || h.callee != callee || h.argument != argument || (caller != HSC_NONE && h.scope != caller))
            continue;
        if (*any && h.array != found)
            return HSC_NONE;
        found = h.array;
        *any = true;
    }
    return found;
}

/* What all its calls in the caller hand to it: a jump in place of a call may have another line than the call. */
static uint32_t handed_in(const report_handed *h, uint32_t caller, uint32_t callee, uint32_t argument) {
    hsc_db_context c;
    hsc_db_scope s;
    if (hsc_db_get_context(h->r->db, caller, &c, NULL) || c.scope == HSC_NONE || hsc_db_get_scope(h->r->db, c.scope, &s, NULL))
        return HSC_NONE;
    const handed key = {s.procedure, callee, argument, HSC_NONE}, *x = h->n ? bsearch(&key, h->list, h->n, sizeof key, by_call) : NULL;
    return x ? x->array : HSC_NONE;
}

uint32_t report_handed_array(const report_handed *h, uint32_t array, uint32_t context) {
    enum { CALLS = 64 }; /* are followed */
    const report *r = h->r;
    hsc_db_array a;
    hsc_db_context c;
    for (int steps = 0; steps < CALLS && h->n; steps++) {
        bool any;
        if (array == HSC_NONE || hsc_db_get_array(r->db, array, &a, NULL) || !a.argument || a.scope == HSC_NONE || a.parent != HSC_NONE)
            return array;
        uint32_t frame = frame_of(r, a.scope, context);
        if (frame == HSC_NONE || hsc_db_get_context(r->db, frame, &c, NULL))
            return array;
        uint32_t from = handed_at(r, c.call_line, report_context_procedure(r, c.parent), a.scope, a.argument, &any);
        from = any ? from : handed_in(h, c.parent, a.scope, a.argument);
        if (from == HSC_NONE)
            return array;
        array = from;
        context = c.parent;
    }
    return array;
}
