/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Procedures that end in a call of MPI, or in one that forks a region of OpenMP, which the compiler made a jump: their frame is on no path, and the
 * call seems to be made where they were called. The code called there tells the way to the jump, and the operation which of several jumps it was. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>
#include "join_internal.h"

bool hsc_join_enter_tails(join *j) {
    size_t met = j->frames.n;
    bool ok = true;
    if (!j->tails.n)
        return true;
    j->tail_frames_from = met;
    for (uint32_t i = 0; ok && i < met; i++) {
        size_t k = 0;
        uint32_t of = j->frames.p[i].place;
        if (of == HSC_NO_INDEX)
            continue;
        HSC_SEARCH(k, j->tails.n, j->tails.p[k].place < of);
        for (; ok && k < j->tails.n && j->tails.p[k].place == of; k++) {
            const jtail *t = &j->tails.p[k];
            uint32_t *at = hsc_table_at(&j->tail_frames, i, t->operation), frame = i;
            for (uint32_t n = 0; ok && n < t->n; n++) {
                const jframe *f = &j->frames.p[frame];
                uint32_t context = hsc_join_enter(j, NULL, f->context, &j->places.p[t->first + n], hsc_join_place_of(j, frame)->line_row);
                jframe tail = {.parent = frame, .place = t->first + n, .context = context, .truncated = f->truncated, .marks = f->marks};
                frame = (uint32_t)j->frames.n;
                ok = context != HSC_NO_INDEX && HSC_PUSH(j->frames, tail);
            }
            ok = ok && at;
            if (ok)
                *at = frame;
        }
    }
    return ok;
}

uint32_t hsc_join_caller_of_tail(const join *j, uint32_t frame) {
    while (j->tail_frames_from && frame >= j->tail_frames_from && frame < j->frames.n)
        frame = j->frames.p[frame].parent;
    return frame;
}

typedef struct called { /* at a site */
    uint64_t operation; /* key */
    bool any, several, odd; /* odd: one to which no jump is known */
} called;

static void take_message(const join *j, const jprocess *p, const jmessage *m, uint32_t frame, called *c) {
    const joperation *o = &p->operations.p[m->operation];
    /* what was started has the name of the call that made it, not of the one that is made here */
    uint64_t key = o->kind == HSC_operation_class_START ? 0 : hsc_code_operation_key(o->name, strlen(o->name));
    c->odd = c->odd || (!key && o->kind != HSC_operation_class_START) || hsc_table_get(&j->tail_frames, frame, key) == HSC_NO_INDEX;
    c->several = c->several || (c->any && key != c->operation);
    c->operation = key;
    c->any = true;
}

static jnode *node_of(jprocess *p, uint32_t site) {
    const jthread *t = hsc_join_known_thread(p, p->sites.p[site].thread);
    uint32_t row = t && t->work ? hsc_join_node_row(t, p->sites.p[site].node) : HSC_NO_INDEX;
    jnode *node = row == HSC_NO_INDEX ? NULL : &t->work->nodes.p[row];
    return node && node->frame != HSC_NO_INDEX ? node : NULL;
}

uint32_t hsc_join_place_fork_tail(const join *j, jnode *node) {
    uint32_t tail = hsc_table_get(&j->tail_frames, node->frame, HSC_CODE_FORK);
    if (tail != HSC_NO_INDEX)
        node->frame = tail;
    return node->frame;
}

bool hsc_join_place_tails(const join *j, jprocess *p) {
    called *at = j->tails.n ? calloc(p->sites.n + 1, sizeof *at) : NULL;
    const jnode *node;
    jnode *of;
    if (!at)
        return !j->tails.n;
    for (size_t i = 0; i < p->waits.n; i++) /* workers' for the next region: they stand where the last one was forked */
        if ((p->waits.p[i].kind == HSC_wait_kind_OMP_REGION_END || p->waits.p[i].kind == HSC_wait_kind_OMP_IDLE) && (of = node_of(p, p->waits.p[i].site)))
            hsc_join_place_fork_tail(j, of);
    for (size_t i = 0; i < p->messages.n; i++)
        if ((node = node_of(p, p->messages.p[i].site)))
            take_message(j, p, &p->messages.p[i], node->frame, &at[p->messages.p[i].site]);
    for (uint32_t i = 0; i < p->sites.n; i++)
        if (at[i].any && !at[i].odd && (of = node_of(p, i)))
            of->frame = hsc_table_get(&j->tail_frames, of->frame, at[i].several ? 0 : at[i].operation);
    free(at);
    return true;
}
