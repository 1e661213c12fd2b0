/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matching of loops: below matched ones by all of their text, then by that of their header lines, then by position among those of the same
 * shape; where that says nothing, innermost ones. */
#include "loops.h"

#include <stdlib.h>

#define TABLE_CELLS (4u << 20) /* of the table that aligns two rows of loops; beyond it they are matched by position */
#define NONE COMPARE_NO_LOOP

typedef struct tree {
    const compare_loop *list;
    uint32_t n;
    uint32_t *levels; /* of loops, itself one of them */
    uint32_t *inner;  /* loops inside */
    uint32_t *other;  /* matched with */
} tree;

typedef struct matcher {
    tree a, b;
    unsigned char *how;
    hsc_err *err;
} matcher;

typedef struct row { /* of neighbours */
    uint32_t *at, n;
} row;

static hsc_status no_memory(matcher *m) { return hsc_err_set(m->err, HSC_E_MEMORY, "no memory to compare %u and %u loops", m->a.n, m->b.n); }

static bool open_tree(tree *t) {
    t->levels = calloc((size_t)t->n + 1, sizeof *t->levels);
    t->inner = calloc((size_t)t->n + 1, sizeof *t->inner);
    for (uint32_t i = t->n; t->levels && t->inner && i--;) {
        for (uint32_t c = i + 1; c < t->list[i].end; c = t->list[c].end) {
            t->levels[i] = t->levels[c] > t->levels[i] ? t->levels[c] : t->levels[i];
            t->inner[i] += t->inner[c] + !t->list[c].region;
        }
        t->levels[i] += !t->list[i].region;
    }
    return t->levels && t->inner;
}

static void match(matcher *m, uint32_t a, uint32_t b, hsc_compare_how how) {
    m->a.other[a] = b;
    m->b.other[b] = a;
    m->how[a] = (unsigned char)how;
}

enum { REGION, INNERMOST, NEST };

static int shape(const tree *t, uint32_t i) { return t->list[i].region ? REGION : t->levels[i] == 1 ? INNERMOST : NEST; }

/* Right below `parent`; NONE: outermost ones. */
static uint32_t children(const tree *t, uint32_t parent, uint32_t *out) {
    uint32_t n = 0;
    for (uint32_t c = parent == NONE ? 0 : parent + 1; c < (parent == NONE ? t->n : t->list[parent].end); c = t->list[c].end) {
        if (out)
            out[n] = c;
        n++;
    }
    return n;
}

typedef enum loop_by { BY_TEXT, BY_HEADER, BY_PLACE } loop_by;

static uint64_t key_of(const compare_loop *x, loop_by by) {
    uint64_t h = by == BY_HEADER ? x->header : x->text;
    return h ? h ^ x->kind : 0;
}

/* By position: where it stands; of loops without text what else is alike. */
static uint32_t worth_of_place(const compare_loop *x, const compare_loop *y) {
    if (x->kind != y->kind)
        return 0;
    if (x->header && y->header)
        return x->place == y->place;
    return 2u * (x->lines == y->lines) + 2u * (x->calls && x->calls == y->calls) + (x->place == y->place) + (x->before_end == y->before_end);
}

/* What a pair is worth; 0: none. Of the same header line that with as much inside. */
static uint32_t worth(const matcher *m, uint32_t a, uint32_t b, loop_by by) {
    const compare_loop *x = &m->a.list[a], *y = &m->b.list[b];
    if (m->a.other[a] != NONE || m->b.other[b] != NONE || (by != BY_TEXT && shape(&m->a, a) != shape(&m->b, b)))
        return 0;
    if (by == BY_PLACE)
        return worth_of_place(x, y);
    uint64_t key = key_of(x, by);
    if (!key || key != key_of(y, by))
        return 0;
    return by == BY_HEADER ? 4u + 2u * (m->a.levels[a] == m->b.levels[b]) + (m->a.inner[a] == m->b.inner[b]) : 1;
}

static bool fits(uint32_t n, uint32_t k) { return ((uint64_t)n + 1) * ((uint64_t)k + 1) <= TABLE_CELLS; }

/* Pairs in the order of both that are worth most. */
static hsc_status align(matcher *m, const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t k, loop_by by) {
    uint32_t *table = calloc(((size_t)n + 1) * ((size_t)k + 1), sizeof *table);
    size_t width = (size_t)k + 1;
    if (!table)
        return no_memory(m);
    for (uint32_t i = n; i--;)
        for (uint32_t j = k; j--;) {
            uint32_t down = table[(i + 1) * width + j], right = table[i * width + j + 1], value = worth(m, a[i], b[j], by), best = down > right ? down : right,
                     both = table[(i + 1) * width + j + 1] + value;
            table[i * width + j] = value && both > best ? both : best;
        }
    for (uint32_t i = 0, j = 0; i < n && j < k;) {
        uint32_t value = worth(m, a[i], b[j], by);
        if (value && table[i * width + j] == table[(i + 1) * width + j + 1] + value)
            match(m, a[i++], b[j++], by == BY_PLACE ? HSC_COMPARE_POSITION : HSC_COMPARE_SAME);
        else if (table[(i + 1) * width + j] >= table[i * width + j + 1])
            i++;
        else
            j++;
    }
    free(table);
    return HSC_OK;
}

/* Loops that were moved past others: those whose text only one on each side has that is left. They leave the rows, which are in order again. */
static void match_crossing(matcher *m, row *a, row *b) {
    uint32_t n = 0, k = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        uint64_t key = m->a.other[a->at[i]] == NONE ? key_of(&m->a.list[a->at[i]], BY_TEXT) : 0;
        uint32_t alike = 0, found = 0, at = 0;
        for (uint32_t x = 0; key && x < a->n; x++)
            alike += m->a.other[a->at[x]] == NONE && key_of(&m->a.list[a->at[x]], BY_TEXT) == key;
        for (uint32_t j = 0; alike == 1 && j < b->n; j++)
            if (b->at[j] != NONE && m->b.other[b->at[j]] == NONE && key_of(&m->b.list[b->at[j]], BY_TEXT) == key) {
                found++;
                at = j;
            }
        if (found == 1) {
            match(m, a->at[i], b->at[at], HSC_COMPARE_SAME);
            b->at[at] = NONE;
            a->at[i] = NONE;
        }
    }
    for (uint32_t i = 0; i < a->n; i++)
        if (a->at[i] != NONE)
            a->at[n++] = a->at[i];
    for (uint32_t j = 0; j < b->n; j++)
        if (b->at[j] != NONE)
            b->at[k++] = b->at[j];
    a->n = n;
    b->n = k;
}

/* The one loop below `loop`, if any, that nothing is matched with, whose header line is that of x and that has as many loops inside each other;
 * NONE: none, or several. */
static uint32_t only_inside(const tree *t, uint32_t loop, const tree *of, uint32_t x) {
    uint64_t key = key_of(&of->list[x], BY_HEADER);
    uint32_t found = NONE;
    for (uint32_t c = loop + 1; key && c < t->list[loop].end; c++) {
        if (t->list[c].region || t->other[c] != NONE || key_of(&t->list[c], BY_HEADER) != key || t->levels[c] != of->levels[x])
            continue;
        if (found != NONE)
            return NONE;
        found = c;
    }
    return found;
}

/* The innermost loop below `loop`; NONE: there are several. */
static uint32_t only_innermost(const tree *t, uint32_t loop) {
    uint32_t found = NONE;
    for (uint32_t c = loop + 1; c < t->list[loop].end; c++)
        if (shape(t, c) == INNERMOST) {
            if (found != NONE)
                return NONE;
            found = c;
        }
    return found;
}

/* Two loops, or a loop and a region, at one position. Where their header lines differ, one may stand in a loop more on the other side, as a compiler
 * makes it of an OpenMP schedule that hands out iterations as the run goes, or somebody who makes blocks of it. An innermost one and a nest: its
 * innermost one, or the nest as a whole. */
static void match_position(matcher *m, uint32_t a, uint32_t b) {
    int shape_a = shape(&m->a, a), shape_b = shape(&m->b, b);
    bool differ = key_of(&m->a.list[a], BY_HEADER) != key_of(&m->b.list[b], BY_HEADER) || shape_a != shape_b;
    uint32_t in_b = differ && shape_a != REGION ? only_inside(&m->b, b, &m->a, a) : NONE, in_a = differ && shape_b != REGION ? only_inside(&m->a, a, &m->b, b) : NONE;
    if (in_b != NONE)
        match(m, a, in_b, HSC_COMPARE_MOVED);
    else if (in_a != NONE)
        match(m, in_a, b, HSC_COMPARE_MOVED);
    else if (shape_a == shape_b)
        match(m, a, b, HSC_COMPARE_POSITION);
    else if (shape_a != REGION && shape_b != REGION) {
        in_a = shape_a == NEST ? only_innermost(&m->a, a) : a;
        in_b = shape_b == NEST ? only_innermost(&m->b, b) : b;
        if (in_a != NONE && in_b != NONE)
            match(m, in_a, in_b, HSC_COMPARE_POSITION);
        else
            match(m, a, b, HSC_COMPARE_NEST);
    }
}

/* In their order those of one shape, where both sides have as many of them. */
static void match_shape(matcher *m, int of, const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t k) {
    uint32_t in_a = 0, in_b = 0, j = 0;
    for (uint32_t i = 0; i < n; i++)
        in_a += m->a.other[a[i]] == NONE && shape(&m->a, a[i]) == of;
    for (uint32_t i = 0; i < k; i++)
        in_b += m->b.other[b[i]] == NONE && shape(&m->b, b[i]) == of;
    for (uint32_t i = 0; in_a == in_b && i < n; i++) {
        if (m->a.other[a[i]] != NONE || shape(&m->a, a[i]) != of)
            continue;
        while (shape(&m->b, b[j]) != of || m->b.other[b[j]] != NONE)
            j++;
        match_position(m, a[i], b[j++]);
    }
}

/* What is left between matched neighbours: in order where both sides have as many of the same shapes, else by position, then in order those of a shape
 * of which both have as many. */
static hsc_status match_between(matcher *m, const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t k) {
    bool same = n == k;
    hsc_status s = HSC_OK;
    for (uint32_t x = 0; same && x < n; x++)
        same = shape(&m->a, a[x]) == shape(&m->b, b[x]);
    for (uint32_t x = 0; same && x < n; x++)
        match_position(m, a[x], b[x]);
    if (same)
        return HSC_OK;
    if (n == 1 && k == 1) {
        match_position(m, a[0], b[0]);
        return HSC_OK;
    }
    if (fits(n, k))
        s = align(m, a, n, b, k, BY_PLACE);
    for (int of = REGION; !s && of <= NEST; of++)
        match_shape(m, of, a, n, b, k);
    return s;
}

/* By header lines, or by position, what is left between those that are matched. */
static hsc_status match_rest(matcher *m, const row *a, const row *b, loop_by by) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0, j = 0; !s && i <= a->n && j <= b->n; i++, j++) {
        uint32_t i_begin = i, j_begin = j;
        while (i < a->n && m->a.other[a->at[i]] == NONE)
            i++;
        while (j < b->n && m->b.other[b->at[j]] == NONE)
            j++;
        if (i > i_begin && j > j_begin)
            s = by == BY_HEADER ? align(m, a->at + i_begin, i - i_begin, b->at + j_begin, j - j_begin, BY_HEADER)
                                : match_between(m, a->at + i_begin, i - i_begin, b->at + j_begin, j - j_begin);
    }
    return s;
}

/* Is nothing of it matched, and is it a loop or has one? */
static bool is_left(const tree *t, uint32_t loop) {
    for (uint32_t c = loop; c < t->list[loop].end; c++)
        if (t->other[c] != NONE)
            return false;
    return t->levels[loop] > 0;
}

static bool any_left(const tree *t, uint32_t parent) {
    bool any = false;
    for (uint32_t c = parent + 1; c < t->list[parent].end && !any; c = t->list[c].end)
        any = is_left(t, c);
    return any;
}

static hsc_status match_below(matcher *m, uint32_t pa, uint32_t pb) {
    row a = {.n = children(&m->a, pa, NULL)}, b = {.n = children(&m->b, pb, NULL)};
    if (!a.n || !b.n)
        return HSC_OK;
    a.at = malloc(a.n * sizeof *a.at);
    b.at = malloc(b.n * sizeof *b.at);
    hsc_status s = a.at && b.at ? HSC_OK : no_memory(m);
    if (!s) {
        children(&m->a, pa, a.at);
        children(&m->b, pb, b.at);
        if (fits(a.n, b.n)) {
            s = align(m, a.at, a.n, b.at, b.n, BY_TEXT);
            if (!s)
                match_crossing(m, &a, &b);
            if (!s)
                s = match_rest(m, &a, &b, BY_HEADER);
        }
        if (!s)
            s = match_rest(m, &a, &b, BY_PLACE);
        if (!s && pa != NONE && !m->a.list[pa].region && any_left(&m->a, pa) && any_left(&m->b, pb))
            m->how[pa] = HSC_COMPARE_NEST;
    }
    free(a.at);
    free(b.at);
    return s;
}

hsc_status compare_loops(const compare_loop *a, uint32_t n, const compare_loop *b, uint32_t k, uint32_t *b_of_a, unsigned char *how, hsc_err *err) {
    matcher m = {.a = {.list = a, .n = n, .other = b_of_a}, .b = {.list = b, .n = k}, .how = how, .err = err};
    m.b.other = malloc(((size_t)k + 1) * sizeof *m.b.other);
    hsc_status s = m.b.other && open_tree(&m.a) && open_tree(&m.b) ? HSC_OK : no_memory(&m);
    for (uint32_t i = 0; i < n; i++) {
        b_of_a[i] = NONE;
        how[i] = HSC_COMPARE_NONE;
    }
    for (uint32_t j = 0; !s && j < k; j++)
        m.b.other[j] = NONE;
    if (!s)
        s = match_below(&m, NONE, NONE);
    /* what is round others stands before them, so one walk reaches all depths */
    for (uint32_t i = 0; !s && i < n; i++)
        if (b_of_a[i] != NONE && how[i] != HSC_COMPARE_NEST)
            s = match_below(&m, i, b_of_a[i]);
    free(m.a.levels);
    free(m.a.inner);
    free(m.b.levels);
    free(m.b.inner);
    free(m.b.other);
    return s;
}
