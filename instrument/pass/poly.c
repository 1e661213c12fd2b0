/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Polynomials of what is known of a procedure's numbers. */
#include "data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hsc_poly *take(hsc_data *d, uint32_t terms) {
    return hsc_arena_take(&d->arena, sizeof(hsc_poly) + terms * sizeof(hsc_term));
}

const hsc_poly *hsc_poly_constant(hsc_data *d, int64_t c) {
    hsc_poly *p = take(d, 0);
    p->constant = c;
    return p;
}

const hsc_poly *hsc_poly_atom(hsc_data *d, uint32_t atom) {
    hsc_poly *p = take(d, 1);
    p->n = 1;
    p->term[0] = (hsc_term){.coefficient = 1, .n = 1, .atom = {atom}};
    return p;
}

static int compare_products(const hsc_term *a, const hsc_term *b) {
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1; /* longest first */
    for (uint32_t i = 0; i < a->n; i++)
        if (a->atom[i] != b->atom[i])
            return a->atom[i] < b->atom[i] ? -1 : 1;
    return 0;
}

const hsc_poly *hsc_poly_add(hsc_data *d, const hsc_poly *a, const hsc_poly *b, int64_t factor) {
    if (!a || !b)
        return NULL;
    hsc_poly *p = take(d, a->n + b->n);
    int64_t c;
    if (__builtin_mul_overflow(b->constant, factor, &c) || __builtin_add_overflow(a->constant, c, &p->constant))
        return NULL;
    uint32_t i = 0, k = 0;
    while (i < a->n || k < b->n) {
        int order = i == a->n ? 1 : k == b->n ? -1 : compare_products(&a->term[i], &b->term[k]);
        hsc_term t = order <= 0 ? a->term[i++] : b->term[k];
        if (order >= 0) {
            if (__builtin_mul_overflow(b->term[k++].coefficient, factor, &c))
                return NULL;
            if (order > 0)
                t.coefficient = c;
            else if (__builtin_add_overflow(t.coefficient, c, &t.coefficient))
                return NULL;
        }
        if (t.coefficient)
            p->term[p->n++] = t;
    }
    return p->n <= HSC_POLY_TERMS ? p : NULL;
}

static bool multiply_term(const hsc_term *a, const hsc_term *b, hsc_term *out) {
    if (a->n + b->n > HSC_POLY_FACTORS || __builtin_mul_overflow(a->coefficient, b->coefficient, &out->coefficient))
        return false;
    uint32_t i = 0, k = 0;
    for (out->n = 0; i < a->n || k < b->n; out->n++)
        out->atom[out->n] = k == b->n || (i < a->n && a->atom[i] <= b->atom[k]) ? a->atom[i++] : b->atom[k++];
    return true;
}

const hsc_poly *hsc_poly_multiply(hsc_data *d, const hsc_poly *a, const hsc_poly *b) {
    if (!a || !b || (a->n + 1) * (b->n + 1) > 8 * HSC_POLY_TERMS)
        return NULL;
    const hsc_term one = {.coefficient = 1};
    const hsc_poly *sum = hsc_poly_constant(d, 0);
    for (uint32_t i = 0; i <= a->n && sum; i++)
        for (uint32_t k = 0; k <= b->n && sum; k++) {
            hsc_term x = i < a->n ? a->term[i] : one, y = k < b->n ? b->term[k] : one;
            if (i == a->n)
                x.coefficient = a->constant;
            if (k == b->n)
                y.coefficient = b->constant;
            if (!x.coefficient || !y.coefficient)
                continue;
            hsc_poly *product = take(d, 1);
            if (!multiply_term(&x, &y, &product->term[0]))
                return NULL;
            if (product->term[0].n)
                product->n = 1;
            else
                product->constant = product->term[0].coefficient;
            sum = hsc_poly_add(d, sum, product, 1);
        }
    return sum;
}

bool hsc_poly_is_constant(const hsc_poly *a, int64_t *c) {
    if (!a || a->n)
        return false;
    if (c)
        *c = a->constant;
    return true;
}

bool hsc_poly_equal(const hsc_poly *a, const hsc_poly *b) {
    if (!a || !b || a->n != b->n || a->constant != b->constant)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (compare_products(&a->term[i], &b->term[i]) || a->term[i].coefficient != b->term[i].coefficient)
            return false;
    return true;
}

/* a / b for single terms. */
static bool divide_term(const hsc_term *a, const hsc_term *b, hsc_term *out) {
    if (!b->coefficient || a->coefficient % b->coefficient)
        return false;
    out->coefficient = a->coefficient / b->coefficient;
    out->n = 0;
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (k < b->n && a->atom[i] == b->atom[k])
            k++;
        else
            out->atom[out->n++] = a->atom[i];
    return k == b->n;
}

const hsc_poly *hsc_poly_divide(hsc_data *d, const hsc_poly *a, const hsc_poly *b) {
    if (!a || !b || (!b->n && !b->constant))
        return NULL;
    hsc_term lead = b->n ? b->term[0] : (hsc_term){.coefficient = b->constant};
    const hsc_poly *quotient = hsc_poly_constant(d, 0);
    for (unsigned round = 0; a && quotient && (a->n || a->constant) && round < 2 * HSC_POLY_TERMS; round++) {
        hsc_term first = a->n ? a->term[0] : (hsc_term){.coefficient = a->constant}, t;
        if (!divide_term(&first, &lead, &t))
            return NULL;
        hsc_poly *piece = take(d, 1);
        piece->term[0] = t;
        piece->n = t.n ? 1 : 0;
        piece->constant = t.n ? 0 : t.coefficient;
        quotient = hsc_poly_add(d, quotient, piece, 1);
        a = hsc_poly_add(d, a, hsc_poly_multiply(d, piece, b), -1);
    }
    return a && !a->n && !a->constant ? quotient : NULL;
}

/* True when the atom is the same in all iterations of the loop. */
static bool is_fixed(hsc_data *d, const hsc_atom *a, unsigned loop) {
    if (a->kind == HSC_ATOM_INDUCTION) {
        for (unsigned l = a->loop; l != HSC_DATA_NONE; l = d->g->loops[l].parent)
            if (l == loop)
                return false;
        return hsc_poly_is_invariant(d, a->start, loop) && hsc_poly_is_invariant(d, a->step, loop);
    }
    if (a->is_stored && a->block == HSC_DATA_NONE)
        return false;
    return a->block == HSC_DATA_NONE || !hsc_graph_is_in(d->g, a->block, loop);
}

bool hsc_poly_is_invariant(hsc_data *d, const hsc_poly *a, unsigned loop) {
    for (uint32_t i = 0; a && i < a->n; i++)
        for (uint32_t k = 0; k < a->term[i].n; k++)
            if (!is_fixed(d, &d->atoms.p[a->term[i].atom[k]], loop))
                return false;
    return a != NULL;
}

const hsc_poly *hsc_poly_step(hsc_data *d, const hsc_poly *a, unsigned loop, uint32_t *element) {
    if (!a)
        return NULL;
    const hsc_poly *sum = hsc_poly_constant(d, 0);
    for (uint32_t i = 0; i < a->n && sum; i++) {
        const hsc_term *t = &a->term[i];
        uint32_t moving = HSC_DATA_NONE;
        for (uint32_t k = 0; k < t->n; k++) {
            const hsc_atom *atom = &d->atoms.p[t->atom[k]];
            if (is_fixed(d, atom, loop))
                continue;
            if (atom->kind == HSC_ATOM_ELEMENT)
                *element = t->atom[k];
            if (moving != HSC_DATA_NONE || atom->kind != HSC_ATOM_INDUCTION)
                return NULL;
            moving = k;
        }
        if (moving == HSC_DATA_NONE)
            continue;
        const hsc_atom *atom = &d->atoms.p[t->atom[moving]];
        const hsc_poly *step = atom->loop == loop ? atom->step : hsc_poly_step(d, atom->start, loop, element);
        if (atom->loop != loop && !hsc_poly_is_invariant(d, atom->step, loop))
            return NULL;
        if (!hsc_poly_is_invariant(d, step, loop))
            return NULL;
        hsc_poly *rest = take(d, 1);
        rest->term[0].coefficient = t->coefficient;
        for (uint32_t k = 0; k < t->n; k++)
            if (k != moving)
                rest->term[0].atom[rest->term[0].n++] = t->atom[k];
        rest->n = rest->term[0].n ? 1 : 0;
        rest->constant = rest->n ? 0 : t->coefficient;
        sum = hsc_poly_add(d, sum, hsc_poly_multiply(d, rest, step), 1);
    }
    return sum;
}

/* A factor in a product wants brackets round sums. */
static bool is_simple(const hsc_str *s) {
    int depth = 0;
    for (size_t i = 0; i < s->n; i++) {
        depth += (s->p[i] == '(' || s->p[i] == '[') - (s->p[i] == ')' || s->p[i] == ']');
        if (!depth && s->p[i] == ' ')
            return false;
    }
    return true;
}

hsc_str hsc_poly_text(hsc_data *d, const hsc_poly *a) {
    char text[1024];
    size_t n = 0;
    if (!a)
        return (hsc_str){"?", 1};
#define SAY(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    /* what is added comes first: jend - jst */
    for (uint32_t round = 0, i = 0, said = 0; said < a->n && n < sizeof text - 256; i = (i + 1) % a->n, round += !i) {
        const hsc_term *t = &a->term[i];
        bool minus = t->coefficient < 0;
        if (minus != (round > 0))
            continue;
        uint64_t size = minus ? 0 - (uint64_t)t->coefficient : (uint64_t)t->coefficient;
        SAY("%s", !said++ ? (minus ? "-" : "") : minus ? " - " : " + ");
        if (size != 1)
            SAY("%" PRIu64 "*", size);
        for (uint32_t k = 0; k < t->n && n < sizeof text - 256; k++) {
            const hsc_str *s = &d->atoms.p[t->atom[k]].text;
            int length = s->n < 200 ? (int)s->n : 200;
            bool brackets = !is_simple(s) && (t->n > 1 || size != 1 || minus);
            SAY("%s%s%.*s%s", k ? "*" : "", brackets ? "(" : "", length, s->p, brackets ? ")" : "");
        }
    }
    if (n >= sizeof text - 256)
        return (hsc_str){"...", 3};
    if (!a->n)
        SAY("%" PRId64, a->constant);
    else if (a->constant)
        SAY(" %c %" PRIu64, a->constant < 0 ? '-' : '+',
            a->constant < 0 ? 0 - (uint64_t)a->constant : (uint64_t)a->constant);
#undef SAY
    char *copy = hsc_arena_take(&d->arena, n + 1);
    memcpy(copy, text, n);
    return (hsc_str){copy, n};
}
