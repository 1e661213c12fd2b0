/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What probes counted and the program told of itself in a process, to rank 0. */
#include <stdlib.h>

#include "ranks.h"
#include "told.h"

void hsc_ranks_put_told(const jprocess *p, parcel *a) {
    const jtold *t = p->told;
    parcel_u64(a, t != NULL);
    if (!t)
        return;
    parcel_put(a, t, sizeof *t); /* what points is told apart */
    for (size_t i = 0; i < t->threads.n; i++) {
        const jtold_thread *h = &t->threads.p[i];
        parcel_put(a, h, sizeof *h);
        PARCEL_VEC(a, h->blocks);
        for (size_t k = 0; k < h->blocks.n; k++)
            hsc_ranks_put_histogram(h->blocks.p[k].durations, a);
    }
    PARCEL_VEC(a, t->places);
    for (size_t i = 0; i < t->places.n; i++) {
        parcel_text(a, t->places.p[i].name);
        parcel_text(a, t->places.p[i].file);
    }
    PARCEL_VEC(a, t->names);
    for (size_t i = 0; i < t->names.n; i++)
        parcel_text(a, t->names.p[i].name);
    PARCEL_VEC(a, t->phases);
    PARCEL_VEC(a, t->values);
    PARCEL_VEC(a, t->notes);
    for (size_t i = 0; i < t->notes.n; i++)
        parcel_text(a, t->notes.p[i].text);
}

static void take_thread(jprocess *p, jtold *t, parcel *a) {
    jtold_thread from, h;
    parcel_take(a, &from, sizeof from);
    h = from;
    h.rows = h.sampled_rows = (hsc_table){0};
    h.sampled.p = NULL;
    h.sampled.n = h.sampled.cap = 0;
    h.blocks.p = NULL;
    h.open.p = NULL;
    h.blocks.n = h.blocks.cap = h.open.n = h.open.cap = 0;
    PARCEL_TAKE_VEC(a, h.blocks);
    for (size_t k = 0; k < h.blocks.n; k++)
        h.blocks.p[k].durations = hsc_ranks_take_histogram(p, a);
    if (!HSC_PUSH(t->threads, h)) {
        free(h.blocks.p);
        a->failed = true;
    }
}

void hsc_ranks_take_told(jprocess *p, parcel *a) {
    jtold from, *t;
    if (!parcel_take_u64(a) || a->failed)
        return;
    parcel_take(a, &from, sizeof from);
    t = p->told = calloc(1, sizeof *t);
    if (!t) {
        a->failed = true;
        return;
    }
    t->pair_ns = from.pair_ns;
    t->inside_ns = from.inside_ns;
    t->interrupt_ns = from.interrupt_ns;
    t->interrupt_measured = from.interrupt_measured;
    t->interrupt_least_ns = from.interrupt_least_ns;
    t->interrupt_most_ns = from.interrupt_most_ns;
    t->switches_least = from.switches_least;
    t->switches_most = from.switches_most;
    t->helper_ns = from.helper_ns;
    t->start_ns = from.start_ns;
    t->end_ns = from.end_ns;
    for (size_t i = 0; i < from.threads.n && !a->failed; i++)
        take_thread(p, t, a);
    PARCEL_TAKE_VEC(a, t->places);
    for (size_t i = 0; i < t->places.n; i++) {
        t->places.p[i].name = parcel_take_text(a, &p->pool);
        t->places.p[i].file = parcel_take_text(a, &p->pool);
    }
    PARCEL_TAKE_VEC(a, t->names);
    for (size_t i = 0; i < t->names.n; i++)
        t->names.p[i].name = parcel_take_text(a, &p->pool);
    PARCEL_TAKE_VEC(a, t->phases);
    PARCEL_TAKE_VEC(a, t->values);
    PARCEL_TAKE_VEC(a, t->notes);
    for (size_t i = 0; i < t->notes.n; i++)
        t->notes.p[i].text = parcel_take_text(a, &p->pool);
}
