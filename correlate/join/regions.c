/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which OpenMP region a worker's samples were taken in, and where that was forked: kept apart while a file is read, because
 * the forking thread tells it later than the samples come. */
#include <stdlib.h>

#include "join_internal.h"

bool hsc_join_take_region(jprocess *p, jthread *t, const hsc_rec_region *r) {
    uint32_t *fork = hsc_table_at(&t->work->fork_rows, r->node_id, 0);
    if (!fork)
        return false;
    if (*fork == HSC_NO_INDEX) {
        *fork = (uint32_t)t->work->forks.n;
        if (!HSC_PUSH(t->work->forks, (jfork){r->node_id, HSC_NO_INDEX, HSC_NO_INDEX, HSC_NO_INDEX, 0}))
            return false;
    }
    uint32_t index = *fork, *row = hsc_table_at(&p->region_rows, r->region_id, 0);
    if (!row)
        return false;
    *row = (uint32_t)p->regions.n;
    return HSC_PUSH(p->regions, (jregion){t->id, index});
}

uint32_t hsc_join_region_at(jprocess *p, uint64_t thread, uint64_t node) {
    jthread *t = thread && node ? hsc_join_thread(p, thread) : NULL;
    if (!thread || !node)
        return 0;
    uint32_t fork = t ? hsc_table_get(&t->work->fork_rows, node, 0) : HSC_NO_INDEX;
    if (fork != HSC_NO_INDEX && t->work->forks.p[fork].region)
        return t->work->forks.p[fork].region;
    if (p->regions.n >= REGIONS_OF_WAITS)
        return 0;
    uint32_t region = REGIONS_OF_WAITS + (uint32_t)p->regions.n;
    if (!t || !hsc_join_take_region(p, t, &(hsc_rec_region){.region_id = region, .node_id = node}))
        return HSC_NO_INDEX;
    t->work->forks.p[p->regions.p[p->regions.n - 1].fork].region = region;
    return region;
}

bool hsc_join_fork_id(const jprocess *p, uint64_t region, uint64_t *thread, uint64_t *node) {
    uint32_t row = hsc_table_get(&p->region_rows, region, 0);
    const jregion *r = row == HSC_NO_INDEX ? NULL : &p->regions.p[row];
    const jthread *t = r ? hsc_join_known_thread(p, r->thread_id) : NULL;
    if (!t)
        return false;
    *thread = t->id;
    *node = t->work->forks.p[r->fork].node;
    return true;
}

bool hsc_join_take_worked(jthread *t, uint64_t key, uint64_t region, uint64_t weight) {
    uint32_t *at = hsc_table_at(&t->work->worked, key, region);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)t->work->worked_counts.n;
        if (!HSC_PUSH(t->work->worked_counts, 0))
            return false;
    }
    t->work->worked_counts.p[*at] += (uint32_t)weight;
    return true;
}

const jfork *hsc_join_fork_of(const jprocess *p, uint64_t region, uint32_t *row) {
    *row = hsc_table_get(&p->region_rows, region, 0);
    if (*row == HSC_NO_INDEX)
        return NULL;
    const jregion *r = &p->regions.p[*row];
    const jthread *t = hsc_join_known_thread(p, r->thread_id);
    const jfork *f = t ? &t->work->forks.p[r->fork] : NULL;
    return f && f->context != HSC_NO_INDEX ? f : NULL;
}

uint64_t hsc_join_same_fork(const jprocess *p, uint32_t region) {
    return p->regions.p[region].thread_id << 32 | p->regions.p[region].fork;
}

void hsc_join_free_regions(jthread *t) {
    free(t->work->forks.p);
    free(t->work->worked_counts.p);
    hsc_table_fini(&t->work->fork_rows);
    hsc_table_fini(&t->work->worked);
}
