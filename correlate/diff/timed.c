/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits, calls of message passing, and what made others wait, of two runs place by place: counted by clocks, not sampled, but that waiting is
 * divided among causes by samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <report_causes.h>
#include <report_measures.h>

#include "diff.h"

/* Where something is, in the numbers of B where B has it: what has the same place and kind is one. */
typedef enum place_of { AT_NOTHING, AT_LINE, AT_SCOPE } place_of;
enum { NOT_RUNNING = 1, NOT_KNOWN = 2 }; /* of an entry's state */
typedef struct entry {
    const char *kind, *what; /* what: of causes the call that the late one was in */
    unsigned state;          /* of causes */
    place_of at;
    uint32_t place;
    bool only_a; /* `place` is a row of A, which B does not have */
    uint32_t from; /* the line that it is called from, as `place`; HSC_NONE */
    bool from_only_a;
    bool of_b;
    diff_timed_side side;
    char *cause;
} entry;

typedef struct entries {
    entry *list;
    uint32_t n, room;
    const uint32_t *line_of; /* of A's lines */
} entries;

static entry *add(entries *all) {
    if (all->n == all->room) {
        uint32_t room = 2 * all->room + 64;
        entry *more = realloc(all->list, room * sizeof *more);
        if (!more)
            return NULL;
        all->list = more;
        all->room = room;
    }
    all->list[all->n] = (entry){.what = "", .from = HSC_NONE};
    return &all->list[all->n++];
}

static uint32_t procedure_of(const report *r, uint32_t context) {
    uint32_t scope = report_scope_of(r, context);
    hsc_db_scope s;
    return scope != HSC_NONE && !hsc_db_get_scope(r->db, scope, &s, NULL) && s.procedure != HSC_NONE ? s.procedure : scope;
}

/* A line by its row, code without one by its procedure or loop. */
static void set_place(const diff *d, const entries *all, int side, uint32_t line, uint32_t scope, entry *e) {
    hsc_db_line l;
    const report *r = side ? &d->b : &d->a;
    bool known = line != HSC_NONE && !hsc_db_get_line(r->db, line, &l, NULL) && l.line;
    uint32_t row = known ? line : scope;
    e->of_b = side;
    e->at = row == HSC_NONE ? AT_NOTHING : known ? AT_LINE : AT_SCOPE;
    e->place = row;
    if (side || row == HSC_NONE)
        return;
    uint32_t other = known ? all->line_of[line] : scope < d->match.scopes_a ? d->match.b_of_a[scope] : HSC_NONE;
    e->only_a = other == HSC_NONE;
    e->place = other == HSC_NONE ? row : other;
}

static hsc_status no_memory(const report *r, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path); }

static hsc_status add_waits(diff *d, int side, entries *all, hsc_err *err) {
    report *r = side ? &d->b : &d->a;
    report_wait *rows;
    uint32_t n;
    hsc_status s = report_waits(r, false, &rows, &n, err);
    if (s)
        return s;
    for (uint32_t i = 0; !s && i < n; i++) {
        const report_wait *w = &rows[i];
        entry *e = w->own ? add(all) : NULL;
        if (e) {
            e->kind = w->kind_text;
            e->side = (diff_timed_side){w->line, w->context, w->total_s, w->waits, 0, w->bytes, HSC_NONE, HSC_NONE, HSC_NONE};
            set_place(d, all, side, w->line, procedure_of(r, w->context), e);
        } else if (w->own) {
            s = no_memory(r, err);
        }
    }
    free(rows);
    return s;
}

static hsc_status add_messages(diff *d, int side, entries *all, hsc_err *err) {
    report *r = side ? &d->b : &d->a;
    report_message *rows;
    uint32_t n;
    hsc_status s = report_messages(r, false, &rows, &n, err);
    if (s)
        return s;
    for (uint32_t i = 0; !s && i < n; i++) {
        const report_message *m = &rows[i];
        entry *e = add(all);
        if (e) {
            e->kind = m->operation;
            e->side = (diff_timed_side){m->line, m->context, m->duration_s, m->calls, m->sent_bytes, m->received_bytes, HSC_NONE, HSC_NONE, HSC_NONE};
            set_place(d, all, side, m->line, procedure_of(r, m->context), e);
        } else {
            s = no_memory(r, err);
        }
    }
    free(rows);
    return s;
}

/* The line that the procedure of a context is called from, and the context of who calls it; HSC_NONE. */
static void find_caller(const report *r, uint32_t context, uint32_t *line, uint32_t *caller) {
    hsc_db_context c;
    *line = *caller = HSC_NONE;
    while (context != HSC_NONE && !hsc_db_get_context(r->db, context, &c, NULL) && c.kind != HSC_CONTEXT_ROOT && c.parent < context) {
        if (c.kind != HSC_CONTEXT_LOOP) {
            *line = c.call_line;
            *caller = c.parent;
            return;
        }
        context = c.parent;
    }
}

static hsc_status add_by_caller(diff *d, int side, entries *all, hsc_err *err) {
    report *r = side ? &d->b : &d->a;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; !s && i < r->info.messages; i++) {
        hsc_db_message m;
        hsc_db_line l;
        if ((s = hsc_db_get_message(r->db, i, &m, err)) || !(m.calls || m.completions) || m.line == HSC_NONE)
            continue;
        entry *e = add(all);
        if (!e)
            return no_memory(r, err);
        e->kind = m.operation;
        e->side = (diff_timed_side){m.line, m.context, m.duration_s, m.calls, m.sent_bytes, m.received_bytes, HSC_NONE, HSC_NONE, HSC_NONE};
        set_place(d, all, side, m.line, HSC_NONE, e);
        find_caller(r, m.context, &e->side.from, &e->side.from_context);
        uint32_t from = e->side.from;
        if (from == HSC_NONE || hsc_db_get_line(r->db, from, &l, NULL) || !l.line)
            continue;
        e->from = side ? from : all->line_of[from] != HSC_NONE ? all->line_of[from] : from;
        e->from_only_a = !side && all->line_of[from] == HSC_NONE;
    }
    return s;
}

/* A loop is one by its scope, anything else by its line. */
static void set_cause_place(const diff *d, const entries *all, int side, const hsc_db_cause *c, entry *e) {
    hsc_db_scope s;
    const report *r = side ? &d->b : &d->a;
    bool loop = c->scope != HSC_NONE && !hsc_db_get_scope(r->db, c->scope, &s, NULL) && s.kind == HSC_SCOPE_LOOP && !c->waited[0];
    set_place(d, all, side, loop ? HSC_NONE : c->line, c->scope, e);
}

static hsc_status add_causes(diff *d, int side, entries *all, hsc_err *err) {
    report *r = side ? &d->b : &d->a;
    report_cause *rows;
    uint32_t n;
    char text[800];
    hsc_status s = report_causes(r, &rows, &n, err);
    if (s)
        return s;
    for (uint32_t i = 0; !s && i < n; i++) {
        const report_cause *c = &rows[i];
        if (!c->of.own)
            continue;
        report_cause_place(r, c, 300, text, sizeof text);
        entry *e = add(all);
        char *cause = e ? strdup(text) : NULL;
        if (!cause) {
            s = no_memory(r, err);
            break;
        }
        e->kind = report_cause_kind(c->of.delay.kind);
        e->what = c->of.waited;
        e->state = (c->of.place.not_running ? NOT_RUNNING : 0) | (c->of.place.not_known ? NOT_KNOWN : 0);
        e->side = (diff_timed_side){c->of.line, c->of.context, c->caused_s, c->waits, 0, 0, c->most_thread, HSC_NONE, HSC_NONE};
        e->cause = cause;
        set_cause_place(d, all, side, &c->of, e);
    }
    free(rows);
    return s;
}

static int compare_keys(const entry *x, const entry *y) {
    int c = strcmp(x->kind, y->kind);
    if (!c)
        c = strcmp(x->what, y->what);
    const uint32_t p[] = {x->state, (uint32_t)x->at, x->only_a, x->place, x->from_only_a, x->from},
                   q[] = {y->state, (uint32_t)y->at, y->only_a, y->place, y->from_only_a, y->from};
    for (int i = 0; !c && i < 6; i++)
        c = (p[i] > q[i]) - (p[i] < q[i]);
    return c;
}

/* Of one key A's before B's, the longest first: a run's longest gives the place that is shown. */
static int by_key(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int c = compare_keys(x, y);
    if (!c)
        c = (x->of_b > y->of_b) - (x->of_b < y->of_b);
    if (!c)
        c = (x->side.seconds < y->side.seconds) - (x->side.seconds > y->side.seconds);
    if (!c)
        c = (x->side.line > y->side.line) - (x->side.line < y->side.line);
    return c ? c : (x->side.context > y->side.context) - (x->side.context < y->side.context);
}

static void add_to(diff_timed *to, entry *e) {
    bool *in = e->of_b ? &to->in_b : &to->in_a;
    diff_timed_side *side = e->of_b ? &to->b : &to->a;
    if (!*in) {
        *side = e->side;
        to->cause[e->of_b] = e->cause;
        e->cause = NULL;
        *in = true;
        return;
    }
    side->seconds += e->side.seconds;
    side->calls += e->side.calls;
    side->sent += e->side.sent;
    side->received += e->side.received;
    if (side->most_thread != e->side.most_thread)
        side->most_thread = HSC_NONE;
}

static int larger(const void *p, const void *q) {
    const diff_timed *x = p, *y = q;
    double a = fabs(x->b.seconds - x->a.seconds), b = fabs(y->b.seconds - y->a.seconds);
    if (a != b)
        return a > b ? -1 : 1;
    int c = strcmp(x->kind, y->kind);
    if (!c)
        c = (x->a.line > y->a.line) - (x->a.line < y->a.line);
    if (!c)
        c = (x->b.line > y->b.line) - (x->b.line < y->b.line);
    if (!c)
        c = (x->a.context > y->a.context) - (x->a.context < y->a.context);
    return c ? c : (x->b.context > y->b.context) - (x->b.context < y->b.context);
}

static hsc_status merge(entries *all, diff_timed **list, uint32_t *n, hsc_err *err) {
    diff_timed *out = malloc(((size_t)all->n + 1) * sizeof *out);
    if (!out)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u differences", all->n);
    *n = 0;
    if (all->n > 1)
        qsort(all->list, all->n, sizeof *all->list, by_key);
    for (uint32_t i = 0; i < all->n; i++) {
        if (!i || compare_keys(&all->list[i - 1], &all->list[i])) {
            diff_timed_side none = {.line = HSC_NONE, .context = HSC_NONE, .most_thread = HSC_NONE, .from = HSC_NONE, .from_context = HSC_NONE};
            out[(*n)++] = (diff_timed){.kind = all->list[i].kind, .machine = all->list[i].state & NOT_RUNNING, .a = none, .b = none};
        }
        add_to(&out[*n - 1], &all->list[i]);
    }
    if (*n > 1)
        qsort(out, *n, sizeof *out, larger);
    *list = out;
    return HSC_OK;
}

typedef hsc_status (*adder)(diff *d, int side, entries *all, hsc_err *err);

static hsc_status timed_of(diff *d, adder add_side, diff_timed **list, uint32_t *n, hsc_err *err) {
    entries all = {0};
    uint32_t *line_of = NULL;
    hsc_status s = diff_match_lines(&d->match, d->a.info.lines, &line_of, err);
    *list = NULL;
    *n = 0;
    all.line_of = line_of;
    for (int side = 0; !s && side < 2; side++)
        s = add_side(d, side, &all, err);
    if (!s)
        s = merge(&all, list, n, err);
    for (uint32_t i = 0; i < all.n; i++)
        free(all.list[i].cause);
    free(all.list);
    free(line_of);
    return s;
}

hsc_status diff_timed_by(diff *d, diff_by by, diff_timed **list, uint32_t *n, hsc_err *err) {
    return timed_of(d, by == DIFF_WAIT ? add_waits : by == DIFF_MESSAGE ? add_messages : add_causes, list, n, err);
}

hsc_status diff_message_callers(diff *d, diff_timed **list, uint32_t *n, hsc_err *err) {
    enum { MOST = 1u << 22 };
    *list = NULL;
    *n = 0;
    return (uint64_t)d->a.info.messages + d->b.info.messages > MOST ? HSC_OK : timed_of(d, add_by_caller, list, n, err);
}

void diff_free_timed(diff_timed *list, uint32_t n) {
    for (uint32_t i = 0; list && i < n; i++) {
        free(list[i].cause[0]);
        free(list[i].cause[1]);
    }
    free(list);
}
