/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who took part in one instance of an OpenMP region: the thread that forked it, and of each number the thread that said last, up to
 * that region, that it is the one of that number for the forking thread. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>
#include "blame.h"

#define TEAMS_THREADS_MAX 4096u /* of a process of more, any two may have been in one team */

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

/* A member's number is taken by the next one of that number, also where the thread says nothing more, since it has ended. */
static uint64_t until_of(const jmember *all, size_t n, size_t i) {
    bool taken = i + 1 < n && all[i + 1].master == all[i].master && all[i + 1].number == all[i].number;
    return taken && all[i + 1].region < all[i].until ? all[i + 1].region : all[i].until;
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

/* Row of the process's thread; HSC_NO_INDEX: not known. */
static uint32_t row_of(const jprocess *p, uint64_t thread) {
    const jthread *t = hsc_join_known_thread(p, thread);
    return t ? (uint32_t)(t - p->threads.p) : HSC_NO_INDEX;
}

static int by_region(const void *pa, const void *pb, void *ctx) {
    const jmember *all = ctx, *a = &all[*(const size_t *)pa], *b = &all[*(const size_t *)pb];
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void meet(const jprocess *p, bool *apart, uint64_t x, uint64_t y) {
    uint32_t a = row_of(p, x), b = row_of(p, y);
    if (a != HSC_NO_INDEX && b != HSC_NO_INDEX)
        apart[a * p->threads.n + b] = apart[b * p->threads.n + a] = false;
}

/* Members of the teams of one master, from row `first` to `end`. order, now: room for as many. */
static void meet_all(const jprocess *p, bool *apart, size_t first, size_t end, size_t *order, size_t *now) {
    const jmember *all = p->blame->team.p;
    size_t n = 0, members = p->blame->team.n;
    for (size_t i = first; i < end; i++)
        order[i - first] = i;
    qsort_r(order, end - first, sizeof *order, by_region, p->blame->team.p);
    for (size_t i = 0; i < end - first; i++) {
        const jmember *m = &all[order[i]];
        size_t kept = 0;
        for (size_t k = 0; k < n; k++)
            if (until_of(all, members, now[k]) > m->region)
                now[kept++] = now[k];
        n = kept;
        for (size_t k = 0; k < n; k++)
            meet(p, apart, all[now[k]].thread, m->thread);
        meet(p, apart, m->master, m->thread);
        now[n++] = order[i];
    }
}

bool *hsc_blame_teams_apart(const jprocess *p, bool *ok) {
    size_t n = p->threads.n, members = p->blame ? p->blame->team.n : 0;
    *ok = true;
    if (!members || n > TEAMS_THREADS_MAX)
        return NULL;
    bool *apart = calloc(n * n, sizeof *apart), *known = calloc(n, sizeof *known);
    size_t *order = malloc(members * sizeof *order), *now = malloc(members * sizeof *now);
    *ok = apart && known && order && now;
    const jmember *all = p->blame->team.p;
    for (size_t i = 0; *ok && i < 2 * members; i++) { /* members, and who forked their regions */
        uint32_t t = row_of(p, i < members ? all[i].thread : all[i - members].master);
        if (t != HSC_NO_INDEX)
            known[t] = true;
    }
    for (size_t a = 0; *ok && a < n; a++)
        for (size_t b = 0; b < n; b++)
            apart[a * n + b] = a != b && known[a] && known[b];
    for (size_t i = 0, end; *ok && i < members; i = end) {
        for (end = i; end < members && all[end].master == all[i].master;)
            end++;
        meet_all(p, apart, i, end, order, now);
    }
    free(known);
    free(order);
    free(now);
    if (*ok)
        return apart;
    free(apart);
    return NULL;
}
