/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops that go through an array of structures and use few bytes of each: the rest comes through the caches with them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "findings.h"
#include "report_paid.h"

enum { LINE_BYTES = 64, CACHE_BYTES = 1 << 18, GROUPS = 16, TEXTS = 64, LINES = 64 };
enum { MEMBERS = 3 }; /* that are named */

/* References of one loop to one array of structures. */
typedef struct group {
    uint32_t array;            /* of structures */
    uint64_t step;             /* bytes from one iteration to the next, of those that go on by a constant; 0: none does */
    uint64_t used;             /* bytes of different elements as written: at least what an iteration uses */
    bool unclear;              /* not all of what it uses is told */
    const char *text[TEXTS];
    unsigned texts, lines;
    uint32_t line[LINES];      /* rows of the line table */
    const char *member[MEMBERS];
    unsigned members;          /* all of them; the first are named */
} group;

typedef struct wasteful {
    uint32_t loop, loops;
    group with;
    hsc_weighted sum; /* samples of the lines of such references */
} wasteful;

/* Of a member of structures in an array its row, of `p[].vel.x` that of `p`: the innermost whose elements the step may go over. HSC_NONE: it is none. */
static uint32_t array_of(const report *r, uint32_t row, uint64_t step) {
    hsc_db_array x, up;
    for (int depth = 0; depth < 8 && row != HSC_NONE && !hsc_db_get_array(r->db, row, &x, NULL); depth++, row = x.parent) {
        if (x.parent == HSC_NONE || hsc_db_get_array(r->db, x.parent, &up, NULL))
            break;
        size_t n = strlen(up.name);
        bool inside = !strncmp(x.name, up.name, n) && (x.name[n] == '[' || x.name[n] == '(');
        bool other = up.element_bytes && step && step % up.element_bytes; /* flang gives a structure 4 bytes: any step is a multiple of that */
        if (inside && !other && !(x.flags & HSC_array_flag_NOT_GENERATED))
            return x.parent;
    }
    return HSC_NONE;
}

/* "[100][4]": its elements, or 0 where a bound is no number. */
static uint64_t elements_of(const char *bounds) {
    uint64_t n = 1;
    if (*bounds != '[')
        return 0;
    for (const char *at = bounds; *at == '['; at++) {
        char *end;
        uint64_t k = strtoull(at + 1, &end, 10);
        if (end == at + 1 || *end != ']')
            return 0;
        n *= k;
        at = end;
    }
    return n;
}

static group *group_of(group *list, unsigned *n, uint32_t array) {
    for (unsigned i = 0; i < *n; i++)
        if (list[i].array == array)
            return &list[i];
    if (*n == GROUPS)
        return NULL;
    list[*n] = (group){.array = array};
    return &list[(*n)++];
}

/* The member alone, "mass" of "p[].mass"; borrowed. */
static const char *member_of(const report *r, uint32_t row, uint32_t array) {
    hsc_db_array x, up;
    if (hsc_db_get_array(r->db, row, &x, NULL) || hsc_db_get_array(r->db, array, &up, NULL))
        return NULL;
    return x.name + strlen(up.name) + strspn(x.name + strlen(up.name), "[]().%");
}

static void add_member(group *g, const char *name) {
    for (unsigned m = 0; m < g->members && m < MEMBERS; m++)
        if (!strcmp(g->member[m], name))
            return;
    if (g->members < MEMBERS)
        g->member[g->members] = name;
    g->members++;
}

static void add_reference(const report *r, group *g, const hsc_db_reference *x, bool of_loop) {
    uint32_t line = x->file == HSC_NONE ? HSC_NONE : hsc_db_find_line(r->db, x->file, x->line);
    const char *member = member_of(r, x->array, g->array);
    bool met = false;
    for (unsigned i = 0; i < g->texts && !met; i++)
        met = !strcmp(g->text[i], x->text);
    /* an inner loop that is no more goes over elements of a member: how many only the run knows */
    g->unclear = g->unclear || !*x->text || *x->text == '?' || (!met && g->texts == TEXTS) || !member || *member == '?' || (!of_loop && x->stride != HSC_stride_ZERO);
    if (of_loop && x->stride == HSC_stride_CONSTANT) {
        uint64_t step = (uint64_t)llabs(strtoll(x->stride_bytes, NULL, 10));
        g->unclear = g->unclear || (g->step && g->step != step);
        g->step = step;
    }
    bool known = line == HSC_NONE;
    for (unsigned i = 0; i < g->lines && !known; i++)
        known = g->line[i] == line;
    if (!known && g->lines < LINES)
        g->line[g->lines++] = line;
    if (met || g->unclear)
        return;
    g->text[g->texts++] = x->text;
    g->used += x->size_bytes;
    add_member(g, member);
}

/* The loop's groups, with the references of loops inside it that were unrolled fully. Returns how many. */
static unsigned groups_of(const report *r, uint32_t loop, group *list) {
    hsc_db_scope s;
    unsigned n = 0;
    if (hsc_db_get_scope(r->db, loop, &s, NULL))
        return 0;
    for (uint32_t k = loop; k < s.subtree_end; k++) {
        uint32_t first, rows;
        hsc_db_reference x;
        if ((k != loop && !(r->paid && r->paid->is_no_more[k])) || hsc_db_find(r->db, HSC_LIST_REFERENCES, k, &first, &rows, NULL))
            continue;
        for (uint32_t i = first; i < first + rows; i++) {
            if (hsc_db_get_reference(r->db, i, &x, NULL) || x.array == HSC_NONE)
                continue;
            uint64_t step = k == loop && x.stride == HSC_stride_CONSTANT ? (uint64_t)llabs(strtoll(x.stride_bytes, NULL, 10)) : 0;
            uint32_t array = array_of(r, x.array, step);
            group *g = array == HSC_NONE ? NULL : group_of(list, &n, array);
            if (g)
                add_reference(r, g, &x, k == loop);
        }
    }
    return n;
}

/* At most half of the bytes that come with what is used, whatever lies beside what: of a structure longer than a cache line at least one line comes. */
static bool is_wasteful(const report *r, const group *g) {
    hsc_db_array a;
    uint64_t comes = g->step < LINE_BYTES ? g->step : LINE_BYTES;
    if (g->unclear || !g->step || !g->used || 2 * g->used > comes || hsc_db_get_array(r->db, g->array, &a, NULL))
        return false;
    uint64_t elements = elements_of(a.bounds);
    return !elements || elements * (a.element_bytes ? a.element_bytes : g->step) > CACHE_BYTES;
}

/* Samples of the lines that refer to it, no more than the loop has. */
static hsc_status sum_lines(const report *r, const group *g, double most, hsc_weighted *out, hsc_err *err) {
    hsc_status status = HSC_OK;
    *out = (hsc_weighted){0};
    for (unsigned i = 0; i < g->lines && !status; i++) {
        hsc_weighted x = {0};
        status = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, g->line[i], 1, &x, err);
        out->sum += x.sum;
        out->excess += x.excess;
    }
    if (out->sum > most && out->sum > 0) {
        out->excess *= most / out->sum;
        out->sum = most;
    }
    return status;
}

/* None of the loop's samples is in a procedure of the user's that it calls, or that was inlined into it: what such use of the structures is told of them, not of the
 * loop. */
static hsc_status is_by_itself(report *r, uint32_t loop, bool *is, hsc_err *err) {
    enum { MOST = 16 };
    report_callee rows[MOST];
    uint32_t n = 0;
    *is = r->paid && !r->paid->missing;
    hsc_status status = *is ? report_callees(r, loop, rows, MOST, &n, err) : HSC_OK;
    for (uint32_t i = 0; i < n && !status; i++) {
        hsc_db_scope s;
        status = hsc_db_get_scope(r->db, rows[i].scope, &s, err);
        *is = *is && !status && n < MOST && !report_is_users(r, &s);
    }
    return status;
}

static hsc_status look_at(findings *f, uint32_t loop, wasteful *worst, hsc_weighted *all, hsc_err *err) {
    report *r = f->r;
    group list[GROUPS];
    const group *most = NULL;
    hsc_weighted most_sum = {0};
    unsigned n = groups_of(r, loop, list);
    bool alone;
    hsc_status status = n ? is_by_itself(r, loop, &alone, err) : HSC_OK;
    n = status || !n || !alone ? 0 : n;
    for (unsigned i = 0; i < n && !status; i++) {
        hsc_weighted sum;
        if (!is_wasteful(r, &list[i]))
            continue;
        status = sum_lines(r, &list[i], r->excl[loop] + report_unrolled(r, loop), &sum, err);
        if (!status && sum.sum > most_sum.sum) {
            most = &list[i];
            most_sum = sum;
        }
    }
    if (status || !most || most_sum.sum < 0.01 * r->total)
        return status;
    all->sum += most_sum.sum;
    all->excess += most_sum.excess;
    worst->loops++;
    if (most_sum.sum > worst->sum.sum) {
        worst->loop = loop;
        worst->with = *most;
        worst->sum = most_sum;
    }
    return HSC_OK;
}

/* "mass, charge and 2 more" */
static void name_members(const group *g, char *out, size_t size) {
    unsigned named = g->members < MEMBERS ? g->members : MEMBERS;
    size_t at = 0;
    out[0] = 0;
    for (unsigned m = 0; m < named && at < size; m++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", m ? m + 1 == g->members ? " and " : ", " : "", g->member[m]);
    if (g->members > named && at < size)
        snprintf(out + at, size - at, " and %u more", g->members - named);
}

hsc_status findings_layout(findings *f, hsc_err *err) {
    report *r = f->r;
    wasteful worst = {0};
    hsc_weighted all = {0};
    hsc_db_scope s;
    hsc_db_array a;
    char text[2400], share[140], where[600], of[300], members[300], loops[100] = "a loop that uses few of the bytes that it goes through, at";
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < f->n_loops && !status; i++)
        if (r->excl[f->loops[i]] + report_unrolled(r, f->loops[i]) >= 0.01 * r->total && !findings_is_short(r, f->loops[i]))
            status = look_at(f, f->loops[i], &worst, &all, err);
    if (status || !worst.loops || all.sum < 0.02 * r->total || !findings_vectors_help(r) || (status = hsc_db_get_scope(r->db, worst.loop, &s, err)) ||
        (status = hsc_db_get_array(r->db, worst.with.array, &a, err)))
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_procedure(r, &s, of, sizeof of);
    findings_amount(r, all, share, sizeof share);
    name_members(&worst.with, members, sizeof members);
    if (worst.loops > 1)
        snprintf(loops, sizeof loops, "%u loops that use few of the bytes that they go through; most, %.1f %%, at", worst.loops, 100 * worst.sum.sum / r->total);
    snprintf(text, sizeof text,
             "Layout: %s in lines of %s %s in %s: of each %llu bytes of %s%s it uses %llu (%s). Where that array is larger than the caches, what else is in it comes with that: members that loops use "
             "together in arrays of their own, or in a smaller structure, would bring less.",
             share, loops, where, of, (unsigned long long)worst.with.step, a.name, *a.bounds == '(' ? "()" : "[]", (unsigned long long)worst.with.used, members);
    /* nobody knows how much of that time is spent waiting for memory: behind what is surely the code's */
    findings_say(f, all.sum / 4, "Layout", all, spot_of_scope(worst.loop, &s), text);
    return HSC_OK;
}
