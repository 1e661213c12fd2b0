/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sums of delays, by their keys; what operations of several wait for. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "blame.h"

#define BEGUN_ELSEWHERE (1u << 31) /* no row of a line */

jspot hsc_blame_spot(const join *j, uint32_t frame) {
    jspot s = {0, HSC_NO_INDEX, HSC_NO_INDEX};
    if (frame >= j->frames.n)
        return s;
    const jplace *place = hsc_join_place_of(j, frame);
    uint32_t instance = place->instance, module = place->module;
    for (uint32_t up; place->is_inner && j->frames.p[frame].context >= j->contexts.n && (up = hsc_join_caller(j, frame)) != HSC_NO_INDEX && j->frames.p[up].place != HSC_NO_INDEX;) {
        frame = up; /* what was counted in a language's library is the caller's, and no sample was there */
        place = hsc_join_place_of(j, frame);
    }
    if (j->frames.p[frame].context < j->contexts.n) /* else nothing was counted there: a worker's, whose samples are told with their region */
        s.context = j->frames.p[frame].context;
    s.line = place->line_row;
    hsc_join_users_place(j, j->contexts.p, place, &s.context, &s.line);
    if (instance != HSC_NO_INDEX)
        s.instance = j->modules.p[module].instance_rows.p[instance];
    return s;
}

jdoing hsc_blame_doing(const join *j, const jmoment *m) {
    jdoing did = {.spot = hsc_blame_spot(j, m->frame)};
    if (m->kind && m->kind != JMOMENT_IN_CALL && m->frame < j->frames.n) {
        did.kind = m->kind;
        did.column = hsc_join_call_column(hsc_join_place_of(j, m->frame));
    }
    return did;
}

uint32_t hsc_delay_of(jdelays *d, jdelay_key key) {
    uint32_t *at = hsc_table_at(&d->sum_rows, (uint64_t)key.brief << 63 | (uint64_t)key.idle << 62 | (uint64_t)key.kind << 32 | key.thread, (uint64_t)key.context << 32 | key.line);
    if (!at)
        return HSC_NO_INDEX;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)d->sums.n;
        if (!HSC_PUSH(d->sums, (jdelay_sum){.key = key}))
            return HSC_NO_INDEX;
    }
    return *at;
}

bool hsc_delay_add_victim(jdelays *d, uint32_t delay, uint32_t thread, uint32_t context, uint32_t line, uint32_t begun, uint64_t waits,
                          double ns, double max_ns) {
    uint32_t *of = begun == HSC_NO_INDEX ? &line : hsc_table_at(&d->begun_rows, line, begun);
    if (of && *of == HSC_NO_INDEX && begun != HSC_NO_INDEX)
        *of = BEGUN_ELSEWHERE | d->begun_n++;
    uint32_t *at = of ? hsc_table_at(&d->victim_rows, (uint64_t)delay << 32 | thread, (uint64_t)context << 32 | *of) : NULL;
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)d->victims.n;
        if (!HSC_PUSH(d->victims, (jvictim){.delay = delay, .thread = thread, .context = context, .line = line, .begun = begun}))
            return false;
    }
    jvictim *v = &d->victims.p[*at];
    d->victim = *at;
    v->waits += waits;
    v->wait_ns += ns;
    v->max_ns = max_ns > v->max_ns ? max_ns : v->max_ns;
    d->sums.p[delay].waits += waits;
    d->sums.p[delay].wait_ns += ns;
    return true;
}

bool hsc_delay_add_flow(jdelays *d, uint32_t from, uint32_t to, double ns) {
    uint32_t *at = hsc_table_at(&d->flow_rows, from, to);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)d->flows.n;
        if (!HSC_PUSH(d->flows, (jflow){from, to, 0}))
            return false;
    }
    d->flows.p[*at].ns += ns;
    d->sums.p[from].indirect_ns += ns;
    return true;
}

static jcell *cell_of(jdelays *d, uint32_t delay, const jdoing *doing, bool late) {
    hsc_table *rows = late ? &d->cell_rows : &d->other_rows;
    jdoing s = late ? *doing : (jdoing){.spot = {doing->spot.context, HSC_NO_INDEX, HSC_NO_INDEX}, .kind = doing->kind, .idle = doing->idle};
    uint32_t kind = hsc_doing_kind(&s), *call = late ? hsc_table_at(&d->call_rows, (uint64_t)s.spot.instance << 32 | kind, s.column) : &kind;
    if (late && call && *call == HSC_NO_INDEX)
        *call = (uint32_t)d->call_rows.count;
    uint32_t *at = call ? hsc_table_at(rows, (uint64_t)delay << 32 | s.spot.context, (uint64_t)s.spot.line << 32 | *call) : NULL;
    if (!at)
        return NULL;
    size_t n = late ? d->cells.n : d->others.n;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)n;
        if (!(late ? HSC_PUSH(d->cells, (jcell){.delay = delay, .doing = s, .id = (uint32_t)n})
                   : HSC_PUSH(d->others, (jcell){.delay = delay, .doing = s})))
            return NULL;
    }
    return &(late ? d->cells.p : d->others.p)[*at];
}

bool hsc_delay_add_cell(jdelays *d, uint32_t delay, const jdoing *doing, bool late, double ns, uint64_t tick) {
    jcell *c = cell_of(d, delay, doing, late);
    if (!c)
        return false;
    c->ns += ns;
    return !late || hsc_delay_cell_at(d, c, tick, ns);
}

bool hsc_delay_add_waited(jdelays *d, uint32_t delay, const jdoing *doing, double ns, uint64_t tick) {
    jcell *c = cell_of(d, delay, doing, true);
    if (!c)
        return false;
    c->ns += ns;
    c->waited_ns += ns;
    return hsc_delay_cell_at(d, c, tick, ns);
}

void hsc_delays_free(jdelays *d) {
    free(d->sums.p);
    free(d->victims.p);
    free(d->flows.p);
    free(d->cells.p);
    free(d->others.p);
    free(d->parts.p);
    free(d->wait_parts.p);
    hsc_spill_list_fini(&d->slices);
    hsc_table_fini(&d->sum_rows);
    hsc_table_fini(&d->victim_rows);
    hsc_table_fini(&d->begun_rows);
    hsc_table_fini(&d->flow_rows);
    hsc_table_fini(&d->cell_rows);
    hsc_table_fini(&d->other_rows);
    hsc_table_fini(&d->call_rows);
}

/* ---- operations of several ---- */

uint8_t hsc_blame_group_of(const char *name, uint32_t operation) {
    if (operation == HSC_operation_class_BARRIER || operation == HSC_operation_class_ONE_SIDED_SYNCHRONISATION || operation == HSC_operation_class_SETUP || operation == HSC_operation_class_FILE)
        return ALL;
    if (operation != HSC_operation_class_COLLECTIVE)
        return UNKNOWN;
    const char *s = !strncmp(name, "MPI_", 4) ? name + 4 : name;
    s += (s[0] == 'I' || s[0] == 'i') && s[1];
    return !strncasecmp(s, "neighbor_allgather", 18)                               ? NEIGHBOURS_ALIKE
           : !strncasecmp(s, "neighbor", 8)                                        ? NEIGHBOURS
           : !strncasecmp(s, "bcast", 5) || !strncasecmp(s, "scatter", 7)          ? FROM_ROOT
           : !strncasecmp(s, "gather", 6)                                          ? TO_ROOT
           : !strncasecmp(s, "reduce", 6) && strncasecmp(s, "reduce_scatter", 14)  ? TO_ROOT
           : !strncasecmp(s, "scan", 4) || !strncasecmp(s, "exscan", 6)            ? PREFIX
                                                                                   : ALL;
}
