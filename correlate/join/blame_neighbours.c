/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* With whom a process exchanges in collective operations of neighbours. */
#include <stdlib.h>

#include <heatscope/sorted.h>
#include "blame.h"

bool hsc_blame_take_neighbours(jblame *b, const hsc_rec_neighbours *r) {
    if (r->communicator_id > UINT32_MAX)
        return true;
    uint32_t id = (uint32_t)r->communicator_id;
    for (uint32_t side = SOURCE; side <= DESTINATION; side++) {
        const hsc_u64s *ranks = side == SOURCE ? &r->sources : &r->destinations;
        for (size_t i = 0; i < ranks->n; i++)
            if (ranks->p[i] <= INT32_MAX && !HSC_PUSH(b->neighbours, (jneighbour){id, side, (uint32_t)ranks->p[i]}))
                return false;
    }
    return HSC_PUSH(b->neighbours, (jneighbour){id, ALL_TOLD, 0});
}

static int in_order(const void *pa, const void *pb) {
    const jneighbour *a = pa, *b = pb;
    const uint32_t x[] = {a->communicator, a->side, a->rank}, y[] = {b->communicator, b->side, b->rank};
    return hsc_compare_keys(x, y, 3);
}

void hsc_blame_sort_neighbours(jblame *b) {
    size_t kept = 0;
    if (b->neighbours.n)
        qsort(b->neighbours.p, b->neighbours.n, sizeof *b->neighbours.p, in_order);
    for (size_t i = 0; i < b->neighbours.n; i++)
        if (!kept || in_order(&b->neighbours.p[kept - 1], &b->neighbours.p[i]))
            b->neighbours.p[kept++] = b->neighbours.p[i];
    b->neighbours.n = kept;
}

const jneighbour *hsc_blame_neighbours(const jprocess *p, uint32_t communicator, enum neighbour_side side, size_t *n) {
    const jneighbour *all = p->blame->neighbours.p, wanted = {communicator, side, 0};
    size_t at = 0, of = p->blame->neighbours.n;
    HSC_SEARCH(at, of, in_order(&all[at], &wanted) < 0);
    for (of = at; of < p->blame->neighbours.n && all[of].communicator == communicator && all[of].side == side;)
        of++;
    *n = of - at;
    return *n ? &all[at] : NULL;
}
