/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loop finder and the dominators against their definitions, on fixed and on random graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cfg.h"

#define MAX_BLOCKS 24
#define MAX_EDGES (3 * MAX_BLOCKS)
#define NONE HSC_CFG_NONE

typedef struct graph {
    hsc_cfg cfg;
    unsigned first[MAX_BLOCKS + 1], successor[MAX_EDGES];
    unsigned loop_of[MAX_BLOCKS], idom[MAX_BLOCKS], work[HSC_CFG_WORK(MAX_BLOCKS)];
    hsc_cfg_loop loops[MAX_BLOCKS];
    unsigned n_loops;
} graph;

/* edges: pairs, ordered by source, ended by NONE */
static void analyse(graph *g, unsigned blocks, const unsigned *edges) {
    unsigned n = 0;
    for (unsigned b = 0; b < blocks; b++) {
        g->first[b] = n;
        for (const unsigned *e = edges; *e != NONE; e += 2)
            if (e[0] == b)
                g->successor[n++] = e[1];
    }
    g->first[blocks] = n;
    g->cfg = (hsc_cfg){blocks, g->first, g->successor};
    g->n_loops = hsc_cfg_find_loops(&g->cfg, g->loop_of, g->loops, g->work);
    hsc_cfg_find_dominators(&g->cfg, g->idom, g->work);
}

static unsigned header_of(const graph *g, unsigned block) {
    return g->loop_of[block] == NONE ? NONE : g->loops[g->loop_of[block]].header;
}

static void nest(void **state) {
    (void)state;
    static const unsigned edges[] = {0, 1, 1, 2, 1, 6, 2, 3, 3, 3, 3, 4, 4, 2, 4, 5, 5, 1, NONE};
    graph g;
    analyse(&g, 7, edges);
    assert_int_equal(g.n_loops, 3);
    static const unsigned expected[] = {NONE, 1, 2, 3, 2, 1, NONE};
    for (unsigned b = 0; b < 7; b++)
        assert_int_equal(header_of(&g, b), expected[b]);
    assert_int_equal(g.loops[g.loop_of[3]].depth, 3);
    assert_int_equal(g.loops[g.loop_of[3]].parent, g.loop_of[2]);
    assert_int_equal(g.loops[g.loop_of[2]].parent, g.loop_of[1]);
    assert_int_equal(g.loops[g.loop_of[1]].parent, NONE);
    for (unsigned l = 0; l < 3; l++)
        assert_false(g.loops[l].irreducible);
    static const unsigned idom[] = {NONE, 0, 1, 2, 3, 4, 1};
    assert_memory_equal(g.idom, idom, sizeof idom);
}

static void two_entries(void **state) {
    (void)state;
    static const unsigned edges[] = {0, 1, 0, 2, 1, 2, 2, 1, 2, 3, NONE};
    graph g;
    analyse(&g, 4, edges);
    assert_int_equal(g.n_loops, 1);
    assert_true(g.loops[0].irreducible);
    assert_int_equal(g.loop_of[1], 0);
    assert_int_equal(g.loop_of[2], 0);
    assert_int_equal(g.loop_of[3], NONE);
}

static void small(void **state) {
    (void)state;
    static const unsigned none[] = {NONE}, self[] = {0, 0, NONE}, unreached[] = {1, 1, 1, 0, NONE};
    graph g;
    analyse(&g, 0, none);
    assert_int_equal(g.n_loops, 0);
    analyse(&g, 1, self);
    assert_int_equal(g.n_loops, 1);
    assert_int_equal(g.loop_of[0], 0);
    analyse(&g, 2, unreached);
    assert_int_equal(g.n_loops, 0);
    assert_int_equal(g.loop_of[1], NONE);
    assert_int_equal(g.idom[1], NONE);
}

/* ---- definitions ---- */

static void reach(const graph *g, unsigned from, unsigned without, bool *seen) {
    if (from == without || seen[from])
        return;
    seen[from] = true;
    for (unsigned e = g->first[from]; e < g->first[from + 1]; e++)
        reach(g, g->successor[e], without, seen);
}

/* a dominates b: b cannot be reached without a */
static bool dominates(const graph *g, unsigned a, unsigned b) {
    bool seen[MAX_BLOCKS] = {false};
    reach(g, 0, a, seen);
    return !seen[b];
}

static void random_graphs(void **state) {
    (void)state;
    uint64_t r = 42;
    unsigned reducible = 0, with_loops = 0;
    for (unsigned round = 0; round < 4000; round++) {
        unsigned edges[2 * MAX_EDGES + 1], n = 0;
        r = r * 6364136223846793005u + 1442695040888963407u;
        unsigned blocks = 2 + (unsigned)(r >> 33) % (MAX_BLOCKS - 2);
        for (unsigned b = 0; b < blocks; b++)
            for (unsigned k = 0; k < 2; k++) {
                r = r * 6364136223846793005u + 1442695040888963407u;
                unsigned far = (unsigned)(r >> 40) % blocks, near = b + 1 < blocks ? b + 1 : b;
                edges[n++] = b;
                edges[n++] = k == 0 ? near : (r >> 36) % 3 ? near : far;
            }
        edges[n] = NONE;
        graph g;
        analyse(&g, blocks, edges);
        bool reached[MAX_BLOCKS] = {false}, in[MAX_BLOCKS][MAX_BLOCKS] = {{false}}, is_header[MAX_BLOCKS] = {false};
        reach(&g, 0, NONE, reached);
        for (unsigned b = 0; b < blocks; b++) {
            if (!reached[b] || !b) {
                assert_int_equal(g.idom[b], NONE);
                continue;
            }
            /* dominates it, and every other block that does */
            assert_true(dominates(&g, g.idom[b], b));
            for (unsigned a = 0; a < blocks; a++)
                if (a != b && reached[a] && dominates(&g, a, b))
                    assert_true(dominates(&g, a, g.idom[b]));
        }
        bool irreducible = false;
        for (unsigned l = 0; l < g.n_loops; l++)
            irreducible = irreducible || g.loops[l].irreducible;
        if (irreducible)
            continue;
        /* natural loops: of each header, the blocks that reach a back edge without passing it */
        reducible++;
        for (unsigned b = 0; b < blocks; b++)
            for (unsigned e = g.first[b]; e < g.first[b + 1]; e++) {
                unsigned h = g.successor[e];
                if (!reached[b] || !dominates(&g, h, b))
                    continue;
                is_header[h] = true;
                for (unsigned x = 0; x < blocks; x++) {
                    bool seen[MAX_BLOCKS] = {false};
                    if (x != h)
                        reach(&g, x, h, seen);
                    if (reached[x] && (x == h || seen[b]))
                        in[h][x] = true;
                }
            }
        for (unsigned x = 0; x < blocks; x++) {
            unsigned innermost = NONE, inner_size = MAX_BLOCKS + 1;
            for (unsigned h = 0; h < blocks; h++) {
                unsigned size = 0;
                for (unsigned y = 0; y < blocks; y++)
                    size += in[h][y];
                if (is_header[h] && in[h][x] && size < inner_size) {
                    innermost = h;
                    inner_size = size;
                }
            }
            assert_int_equal(header_of(&g, x), innermost);
            with_loops += innermost != NONE;
        }
    }
    assert_true(reducible > 500 && with_loops > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nest), cmocka_unit_test(two_entries), cmocka_unit_test(small),
                                       cmocka_unit_test(random_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
