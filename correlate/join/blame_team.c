/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who took part in one instance of an OpenMP region: the thread that forked it, and of each number the thread that said last, up to
 * that region, that it is the one of that number for the forking thread. */
#include <stdlib.h>
#include <string.h>

#include "../store/sorted.h"
#include "blame.h"

static int by_thread(const void *pa, const void *pb) {
    const jmember *a = pa, *b = pb;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->region < b->region ? -1 : a->region > b->region;
}

static int by_number(const void *pa, const void *pb) {
    const jmember *a = pa, *b = pb;
    if (a->master != b->master)
        return a->master < b->master ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->region < b->region ? -1 : a->region > b->region;
}

void hsc_blame_team_sort(jblame *b) {
    if (b->team.n < 2)
        return;
    qsort(b->team.p, b->team.n, sizeof *b->team.p, by_thread);
    for (size_t i = 0; i + 1 < b->team.n; i++)
        b->team.p[i].until = b->team.p[i + 1].thread == b->team.p[i].thread ? b->team.p[i + 1].region : UINT64_MAX;
    qsort(b->team.p, b->team.n, sizeof *b->team.p, by_number);
}

static size_t put(const jprocess *p, uint64_t thread, bool *in_team) {
    const jthread *t = hsc_join_known_thread(p, thread);
    if (!t || t->row == HSC_NO_INDEX || in_team[t - p->threads.p])
        return 0;
    in_team[t - p->threads.p] = true;
    return 1;
}

void hsc_blame_team_of(const jprocess *p, uint64_t region, uint64_t master, uint32_t threads, bool *in_team) {
    memset(in_team, 0, p->threads.n);
    const jmember *all = p->blame->team.p;
    size_t n = put(p, master, in_team);
    for (uint32_t number = 1; number < threads && n < p->threads.n; number++) {
        size_t at = 0, of = p->blame->team.n;
        jmember next = {.region = region + 1, .master = master, .number = number};
        HSC_SEARCH(at, of, by_number(&all[at], &next) < 0);
        const jmember *last = at ? &all[at - 1] : NULL;
        if (last && last->master == master && last->number == number) {
            n += last->until > region ? put(p, last->thread, in_team) : 0;
        } else if (at == of || all[at].master != master || all[at].number >= threads) {
            break; /* nobody knows of higher ones */
        } else {
            number = (uint32_t)all[at].number - (all[at].number > number);
        }
    }
}
