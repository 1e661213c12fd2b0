/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of a control-flow graph by one depth-first walk. */
#include "cfg.h"

#include <string.h>

#define NONE HSC_CFG_NONE

enum { SEEN = 1, HEADER = 2, IRREDUCIBLE = 4 };

typedef struct walk {
    unsigned *header; /* of the innermost loop round the block; a header's own loop does not count */
    unsigned *path;   /* position on the current path, from 1; 0: not on it */
    unsigned *flags;
    unsigned *stack, *next; /* explicit recursion: block, its next successor */
    unsigned *order;        /* blocks in the order reached */
} walk;

/* Notes that b lies in the loop of h, keeping the chain of headers ordered from inner to outer. */
static void weave(walk *w, unsigned b, unsigned h) {
    if (h == NONE || b == h)
        return;
    while (w->header[b] != NONE) {
        unsigned outer = w->header[b];
        if (outer == h)
            return;
        if (w->path[outer] < w->path[h]) {
            w->header[b] = h;
            b = h;
            h = outer;
        } else {
            b = outer;
        }
    }
    w->header[b] = h;
}

/* An edge to a block that is finished: its loops that are still open contain us; those that are not we entered past
 * their header. */
static void meet_finished(walk *w, unsigned from, unsigned to) {
    unsigned h = w->header[to];
    while (h != NONE && !w->path[h]) {
        w->flags[h] |= IRREDUCIBLE;
        h = w->header[h];
    }
    weave(w, from, h);
}

unsigned hsc_cfg_find_loops(const hsc_cfg *g, unsigned *loop_of, hsc_cfg_loop *loops, unsigned *work) {
    unsigned n = g->blocks, depth = 0, reached = 0, count = 0;
    walk w = {work, work + n, work + 2 * n, work + 3 * n, work + 4 * n, work + 5 * n};
    for (unsigned b = 0; b < n; b++) {
        w.header[b] = loop_of[b] = NONE;
        w.path[b] = w.flags[b] = 0;
    }
    if (!n)
        return 0;
    w.stack[0] = 0;
    w.next[0] = g->first[0];
    w.flags[0] |= SEEN;
    w.path[0] = 1;
    w.order[reached++] = 0;
    depth = 1;
    while (depth) {
        unsigned b = w.stack[depth - 1];
        if (w.next[depth - 1] == g->first[b + 1]) {
            w.path[b] = 0;
            depth--;
            if (depth)
                weave(&w, w.stack[depth - 1], w.header[b]);
            continue;
        }
        unsigned s = g->successor[w.next[depth - 1]++];
        if (!(w.flags[s] & SEEN)) {
            w.flags[s] |= SEEN;
            w.order[reached++] = s;
            w.stack[depth] = s;
            w.next[depth] = g->first[s];
            w.path[s] = ++depth;
        } else if (w.path[s]) {
            w.flags[s] |= HEADER;
            weave(&w, b, s);
        } else {
            meet_finished(&w, b, s);
        }
    }
    /* An outer header is reached before an inner one, so parents get lower numbers. */
    for (unsigned i = 0; i < reached; i++) {
        unsigned b = w.order[i];
        unsigned outer = w.header[b] == NONE ? NONE : loop_of[w.header[b]];
        if (!(w.flags[b] & HEADER)) {
            continue;
        }
        loops[count] = (hsc_cfg_loop){b, outer, outer == NONE ? 1 : loops[outer].depth + 1,
                                      (w.flags[b] & IRREDUCIBLE) != 0};
        loop_of[b] = count++;
    }
    for (unsigned i = 0; i < reached; i++) {
        unsigned b = w.order[i];
        if (!(w.flags[b] & HEADER) && w.header[b] != NONE)
            loop_of[b] = loop_of[w.header[b]];
    }
    return count;
}

void hsc_cfg_find_dominators(const hsc_cfg *g, unsigned *idom, unsigned *work) {
    unsigned n = g->blocks, depth = 0, done = 0;
    unsigned *finish = work, *by_finish = work + n, *stack = work + 2 * n, *next = work + 3 * n, *seen = work + 4 * n;
    for (unsigned b = 0; b < n; b++) {
        idom[b] = finish[b] = NONE;
        seen[b] = 0;
    }
    if (!n)
        return;
    stack[depth] = 0;
    next[depth++] = g->first[0];
    seen[0] = 1;
    while (depth) {
        unsigned b = stack[depth - 1];
        if (next[depth - 1] == g->first[b + 1]) {
            finish[b] = done;
            by_finish[done++] = b;
            depth--;
            continue;
        }
        unsigned s = g->successor[next[depth - 1]++];
        if (!seen[s]) {
            seen[s] = 1;
            stack[depth] = s;
            next[depth++] = g->first[s];
        }
    }
    idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = done; i--;) { /* from the entry on: each block offers itself to its successors */
            unsigned b = by_finish[i];
            if (idom[b] == NONE)
                continue;
            for (unsigned e = g->first[b]; e < g->first[b + 1]; e++) {
                unsigned s = g->successor[e], x = b, y = idom[s];
                if (!s)
                    continue;
                if (y == NONE) {
                    idom[s] = b;
                    changed = true;
                    continue;
                }
                while (x != y) {
                    while (finish[x] < finish[y])
                        x = idom[x];
                    while (finish[y] < finish[x])
                        y = idom[y];
                }
                if (x != idom[s]) {
                    idom[s] = x;
                    changed = true;
                }
            }
        }
    }
    idom[0] = NONE;
}
