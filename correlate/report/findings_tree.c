/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the tree of calls parts: the last procedure that most of the time passes through, and what it calls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "findings.h"

#define PASSES 0.7      /* of the time below the start: a procedure with so much is gone down into */
#define LOOKED_AT 0.0005 /* of all: call paths with less are not looked at */
#define LEAST 0.25       /* of all: where less passes through, nothing is told */
#define TOLD 0.05        /* of all: the least that a call is told by itself with, and that two must have */
enum { MOST_TOLD = 5, SOME = 64 };

typedef struct callee {
    uint32_t procedure; /* scope */
    bool is_users;
    hsc_weighted sum;
} callee;

typedef struct hit { /* a context that a callee of the procedure begins at */
    uint32_t context, procedure;
} hit;

typedef struct parting { /* a procedure, at all contexts that it is reached by */
    uint32_t procedure; /* HSC_NONE: the start of threads */
    uint32_t *contexts, n_contexts, room_contexts;
    callee *callees; /* the most first */
    uint32_t n_callees, room_callees;
    hit *hits;
    uint32_t n_hits, room_hits;
} parting;

static void clear(parting *p) {
    free(p->contexts);
    free(p->callees);
    free(p->hits);
    *p = (parting){0};
}

/* Room for one more in an array of `n`; false: out of memory. */
static bool make_room(void **list, uint32_t n, uint32_t *room, size_t size) {
    if (n < *room)
        return true;
    void *more = realloc(*list, (size_t)(2 * *room + SOME) * size);
    if (!more)
        return false;
    *list = more;
    *room = 2 * *room + SOME;
    return true;
}

static hsc_status out_of_memory(const report *r, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path); }

static hsc_status add_context(const report *r, parting *p, uint32_t context, hsc_err *err) {
    if (!make_room((void **)&p->contexts, p->n_contexts, &p->room_contexts, sizeof *p->contexts))
        return out_of_memory(r, err);
    p->contexts[p->n_contexts++] = context;
    return HSC_OK;
}

static hsc_status add_callee(const report *r, parting *p, uint32_t procedure, bool is_users, hsc_weighted v, hsc_err *err) {
    uint32_t i = 0;
    while (i < p->n_callees && p->callees[i].procedure != procedure)
        i++;
    if (i == p->n_callees) {
        if (!make_room((void **)&p->callees, p->n_callees, &p->room_callees, sizeof *p->callees))
            return out_of_memory(r, err);
        p->callees[p->n_callees++] = (callee){.procedure = procedure, .is_users = is_users};
    }
    p->callees[i].sum.sum += v.sum;
    p->callees[i].sum.excess += v.excess;
    return HSC_OK;
}

static hsc_status weigh(report *r, uint32_t context, hsc_weighted *out, hsc_err *err) {
    const hsc_db_view view = {r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD};
    *out = (hsc_weighted){0};
    hsc_status s = hsc_db_read_sums(r->db, view, context, 1, &out->sum, err);
    if (!s && out->sum >= LOOKED_AT * r->total)
        s = hsc_db_read_excess(r->db, view, context, 1, &out->excess, err);
    return s;
}

typedef struct library { /* the call of one that the walk is in: what is the user's again below it is not its own */
    uint32_t procedure, end;
    hsc_weighted left;
} library;

static hsc_status leave(const report *r, parting *p, library *in, hsc_err *err) {
    hsc_status s = in->end && p->procedure != HSC_NONE ? add_callee(r, p, in->procedure, false, in->left, err) : HSC_OK;
    in->end = 0;
    return s;
}

/* What is called below one context, through its loops, through what was put in line of headers, and through libraries that call the user's code. */
static hsc_status look_below(report *r, parting *p, uint32_t from, hsc_err *err) {
    hsc_db_context c = {0};
    hsc_db_scope scope;
    library in = {0};
    hsc_status s = hsc_db_get_context(r->db, from, &c, err);
    uint32_t end = c.subtree_end;
    for (uint32_t i = from + 1; !s && i < end;) {
        hsc_weighted v;
        if (in.end && i >= in.end)
            s = leave(r, p, &in, err);
        if (!s)
            s = hsc_db_get_context(r->db, i, &c, err);
        if (!s)
            s = hsc_db_get_scope(r->db, c.scope, &scope, err);
        if (!s)
            s = weigh(r, i, &v, err);
        if (s)
            break;
        if (v.sum < LOOKED_AT * r->total) {
            i = c.subtree_end;
            continue;
        }
        uint32_t procedure = scope.procedure == HSC_NONE ? c.scope : scope.procedure;
        bool is_frame = (c.kind == HSC_CONTEXT_PROCEDURE || c.kind == HSC_CONTEXT_INLINED) && procedure != p->procedure;
        if (is_frame && report_is_users(r, &scope)) {
            s = add_callee(r, p, procedure, true, v, err);
            if (!s && !make_room((void **)&p->hits, p->n_hits, &p->room_hits, sizeof *p->hits))
                s = out_of_memory(r, err);
            if (!s)
                p->hits[p->n_hits++] = (hit){i, procedure};
            in.left.sum -= v.sum;
            in.left.excess -= v.excess;
            i = c.subtree_end;
            continue;
        }
        if (is_frame && c.kind == HSC_CONTEXT_PROCEDURE && !in.end)
            in = (library){procedure, c.subtree_end, v};
        i++;
    }
    return s ? s : leave(r, p, &in, err);
}

static int most_first(const void *a, const void *b) {
    const callee *x = a, *y = b;
    return x->sum.sum != y->sum.sum ? (x->sum.sum > y->sum.sum ? -1 : 1) : (x->procedure > y->procedure) - (x->procedure < y->procedure);
}

static hsc_status look(report *r, parting *p, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; !s && i < p->n_contexts; i++)
        s = look_below(r, p, p->contexts[i], err);
    if (!s && p->n_callees)
        qsort(p->callees, p->n_callees, sizeof *p->callees, most_first);
    return s;
}

/* Puts the procedure that most goes through in place of what calls it. */
static hsc_status go_down(report *r, parting *p, hsc_err *err) {
    parting below = {.procedure = p->callees[0].procedure};
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; !s && i < p->n_hits; i++)
        if (p->hits[i].procedure == below.procedure)
            s = add_context(r, &below, p->hits[i].context, err);
    clear(p);
    *p = below;
    return s ? s : look(r, p, err);
}

typedef struct parted { /* what is told of a procedure */
    uint32_t procedure, n;
    hsc_weighted sum;
    callee callees[MOST_TOLD]; /* with TOLD and more */
} parted;

static parted take(const report *r, const parting *p, hsc_weighted sum) {
    parted out = {.procedure = p->procedure, .sum = sum};
    while (out.n < MOST_TOLD && out.n < p->n_callees && p->callees[out.n].sum.sum >= TOLD * r->total) {
        out.callees[out.n] = p->callees[out.n];
        out.n++;
    }
    return out;
}

static void name_of(const report *r, uint32_t procedure, char *out, size_t size) {
    hsc_db_scope s;
    if (hsc_db_get_scope(r->db, procedure, &s, NULL))
        snprintf(out, size, "unknown procedure");
    else
        findings_procedure(r, &s, out, size);
}

static hsc_status tell(findings *f, const parted *p, const callee *start, hsc_err *err) {
    report *r = f->r;
    char text[3000], share[120], where[600], name[300], of_start[400] = "";
    hsc_db_scope s;
    hsc_status status = hsc_db_get_scope(r->db, p->procedure, &s, err);
    double rest = p->sum.sum;
    if (status)
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_amount(r, p->sum, share, sizeof share);
    if (start->sum.sum < (1 - TOLD) * r->total && p->procedure != start->procedure) {
        name_of(r, start->procedure, name, sizeof name);
        snprintf(of_start, sizeof of_start, ", %.0f %% of all below %s", 100 * p->sum.sum / start->sum.sum, name);
    }
    findings_procedure(r, &s, name, sizeof name);
    int n = snprintf(text, sizeof text, "Call tree: %s passes through %s (%s)%s", share, name, where, of_start);
    for (uint32_t i = 0; i < p->n; i++) {
        name_of(r, p->callees[i].procedure, name, sizeof name);
        n += snprintf(text + n, sizeof text - (size_t)n, "%s %s %.1f %%", i ? "," : ", which calls", name, 100 * p->callees[i].sum.sum / r->total);
        rest -= p->callees[i].sum.sum;
    }
    if (rest >= TOLD * r->total)
        n += snprintf(text + n, sizeof text - (size_t)n, "; its own code and other calls %.1f %%", 100 * rest / r->total);
    snprintf(text + n, sizeof text - (size_t)n, ".");
    findings_say(f, fmin(p->sum.sum, 0.999 * r->total), "Call tree", p->sum, spot_of_scope(p->procedure, &s), text);
    return HSC_OK;
}

/* Does the program begin there: what the C library calls, or before anything else was met? */
static bool is_start(const report *r, uint32_t procedure, const callee *start) {
    hsc_db_scope s;
    return !(start->sum.sum > 0) || (!hsc_db_get_scope(r->db, procedure, &s, NULL) && report_is_start(s.name));
}

hsc_status findings_call_tree(findings *f, hsc_err *err) {
    report *r = f->r;
    parting p = {.procedure = HSC_NONE};
    parted parts = {.n = 0};
    callee start = {.procedure = HSC_NONE};
    hsc_status s = add_context(r, &p, 0, err);
    if (!s)
        s = look(r, &p, err);
    while (!s && p.n_callees && p.callees[0].is_users && p.callees[0].sum.sum >= PASSES * start.sum.sum) {
        callee next = p.callees[0];
        if (is_start(r, next.procedure, &start))
            start = next;
        s = go_down(r, &p, err);
        if (!s && p.n_callees > 1 && p.callees[1].sum.sum >= TOLD * r->total)
            parts = take(r, &p, next.sum);
    }
    if (!s && parts.n && parts.sum.sum >= LEAST * r->total)
        s = tell(f, &parts, &start, err);
    clear(&p);
    return s;
}
