/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of products as the programmer wrote them: polynomials have an order of their own, which is not that of the source. Where a bracket of
 * the line has the same terms with the same factors, theirs is taken; else nothing is changed. */
#include "data.h"

#include <ctype.h>
#include <string.h>

enum { TERMS = 12, FACTORS = 8 };

typedef struct part {
    const char *p;
    size_t n;
} part;

typedef struct product {
    bool minus;
    uint32_t n;
    part factor[FACTORS];
} product;

typedef struct sum {
    uint32_t n;
    product term[TERMS];
} sum;

static part trim(part t) {
    while (t.n && isspace((unsigned char)t.p[0]))
        t = (part){t.p + 1, t.n - 1};
    while (t.n && isspace((unsigned char)t.p[t.n - 1]))
        t.n--;
    return t;
}

/* Ends a factor at `end`, and with `last` its term. False: it is not of the form that is looked for. */
static bool end_factor(sum *s, const char *begin, const char *end, bool last) {
    product *t = &s->term[s->n];
    part f = trim((part){begin, (size_t)(end - begin)});
    if (!f.n || t->n == FACTORS)
        return false;
    t->factor[t->n++] = f;
    if (!last)
        return true;
    if (s->n + 1 == TERMS)
        return false;
    s->term[++s->n] = (product){0};
    return true;
}

/* Sums of products outside of brackets; any other operator is part of a factor. */
static bool parse(part t, sum *out) {
    int depth = 0;
    t = trim(t);
    *out = (sum){0};
    const char *begin = t.p, *end = t.p + t.n;
    if (t.n && (*begin == '-' || *begin == '+'))
        out->term[0].minus = *begin++ == '-';
    for (const char *p = begin; p < end; p++) {
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        bool arrow = *p == '-' && p + 1 < end && p[1] == '>';
        if (depth || arrow || !strchr("+-*", *p))
            continue;
        if (!end_factor(out, begin, p, *p != '*'))
            return false;
        if (*p != '*')
            out->term[out->n].minus = *p == '-';
        begin = p + 1;
    }
    return !depth && end_factor(out, begin, end, true);
}

/* The same but for blanks, and in Fortran for capitals. `ours` may say more before a member: this->n. */
static bool is_same(part ours, part theirs, bool is_fortran) {
    size_t i = ours.n, k = theirs.n;
    for (;;) {
        while (i && isspace((unsigned char)ours.p[i - 1]))
            i--;
        while (k && isspace((unsigned char)theirs.p[k - 1]))
            k--;
        if (!k)
            return !i || ours.p[i - 1] == '>' || ours.p[i - 1] == '.' || ours.p[i - 1] == '%';
        if (!i)
            return false;
        char a = ours.p[--i], b = theirs.p[--k];
        if (a != b && !(is_fortran && tolower((unsigned char)a) == tolower((unsigned char)b)))
            return false;
    }
}

/* Puts the factors of `ours` in the order of `theirs`. */
static bool order_factors(product *ours, const product *theirs, bool is_fortran) {
    if (ours->n != theirs->n || ours->minus != theirs->minus)
        return false;
    product made = *ours;
    for (uint32_t k = 0; k < theirs->n; k++) {
        uint32_t i = k;
        while (i < made.n && !is_same(made.factor[i], theirs->factor[k], is_fortran))
            i++;
        if (i == made.n)
            return false;
        part found = made.factor[i];
        memmove(&made.factor[k + 1], &made.factor[k], (i - k) * sizeof found);
        made.factor[k] = found;
    }
    *ours = made;
    return true;
}

static bool order_terms(sum *ours, const sum *theirs, bool is_fortran) {
    if (ours->n != theirs->n)
        return false;
    for (uint32_t k = 0; k < theirs->n; k++) {
        uint32_t i = k;
        while (i < ours->n && !order_factors(&ours->term[i], &theirs->term[k], is_fortran))
            i++;
        if (i == ours->n)
            return false;
        product found = ours->term[i];
        memmove(&ours->term[k + 1], &ours->term[k], (i - k) * sizeof found);
        ours->term[k] = found;
    }
    return true;
}

static hsc_str text_of(hsc_data *d, const sum *s, hsc_str as_it_was) {
    char text[1024];
    size_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const char *sign = i ? (s->term[i].minus ? " - " : " + ") : s->term[i].minus ? "-" : "";
        for (uint32_t k = 0; k < s->term[i].n; k++) {
            const char *before = k ? "*" : sign;
            part f = s->term[i].factor[k];
            if (n + strlen(before) + f.n > sizeof text)
                return as_it_was;
            memcpy(text + n, before, strlen(before));
            n += strlen(before);
            memcpy(text + n, f.p, f.n);
            n += f.n;
        }
    }
    char *copy = hsc_arena_take(&d->p->arena, n + 1);
    memcpy(copy, text, n);
    copy[n] = 0;
    return (hsc_str){copy, n};
}

/* Behind what closes the bracket at p, and in it the end of the first piece, at a comma. NULL: nothing closes it. */
static const char *piece_end(const char *p, const char *end) {
    for (int depth = 0; p < end; p++) {
        if (!depth && (*p == ',' || *p == ')' || *p == ']'))
            return p;
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    }
    return NULL;
}

hsc_str hsc_source_order(hsc_data *d, uint32_t file_id, unsigned line, hsc_str text) {
    sum ours, theirs;
    hsc_ir_text source;
    if (!parse((part){text.p, text.n}, &ours) || (ours.n == 1 && ours.term[0].n == 1) || !hsc_source_line(d->p, file_id, line, &source))
        return text;
    const char *end = source.p + source.n;
    for (const char *p = source.p; p < end; p++) {
        if (*p != '[' && *p != '(' && *p != ',')
            continue;
        const char *to = piece_end(p + 1, end);
        sum made = ours;
        if (to && parse((part){p + 1, (size_t)(to - p - 1)}, &theirs) && order_terms(&made, &theirs, d->p->is_fortran))
            return text_of(d, &made, text);
    }
    return text;
}
