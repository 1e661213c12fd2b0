/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values, elements, sections and bounds of the map as text. */
#include "data_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

void hsc_map_text_add(hsc_map_text *t, const char *fmt, ...) {
    va_list args;
    if (t->n + 1 >= t->size)
        return;
    va_start(args, fmt);
    int n = vsnprintf(t->p + t->n, t->size - t->n, fmt, args);
    va_end(args);
    if (n > 0)
        t->n = t->n + (size_t)n < t->size ? t->n + (size_t)n : t->size - 1;
}

static const hsc_rec_value *value_of(hsc_map_values v, uint64_t id) {
    return id && id <= v.n && v.p[id - 1].value_id == id ? &v.p[id - 1] : NULL;
}

static bool is_constant(hsc_map_values v, uint64_t id, int64_t *out) {
    const hsc_rec_value *x = value_of(v, id);
    if (!x || x->kind != HSC_value_kind_CONSTANT)
        return false;
    *out = x->number;
    return true;
}

void hsc_map_text_value(hsc_map_text *t, hsc_map_values v, uint64_t id) {
    const hsc_rec_value *x = value_of(v, id);
    if (!x)
        hsc_map_text_add(t, "?");
    else if (x->kind == HSC_value_kind_CONSTANT)
        hsc_map_text_add(t, "%" PRId64, x->number);
    else
        hsc_map_text_add(t, "%.*s", (int)x->text.n, x->text.p);
}

static bool is_column_major(const hsc_rec_array *a) { return a && a->flags & HSC_array_flag_COLUMN_MAJOR; }

/* Of what an accessor of C++ gives: "x(...)". */
static bool is_called(const hsc_rec_array *a) { return a && a->name.n > 5 && !memcmp(a->name.p + a->name.n - 5, "(...)", 5); }

/* How many of n subscripts stand in round brackets: Fortran's, and the arguments of an accessor. */
static size_t in_round_brackets(const hsc_rec_array *a, size_t n) {
    return is_column_major(a) || (is_called(a) && n < a->extent.n) ? n : is_called(a) ? a->extent.n : 0;
}

/* With n subscripts behind it. */
static void add_name(hsc_map_text *t, const hsc_rec_array *a, size_t n) {
    if (a)
        hsc_map_text_add(t, "%.*s", (int)(n && is_called(a) ? a->name.n - 5 : a->name.n), a->name.p);
    else
        hsc_map_text_add(t, "?");
}

static void open_subscript(hsc_map_text *t, size_t k, size_t round) {
    hsc_map_text_add(t, "%s", k < round ? k ? ", " : "(" : "[");
}

static void close_subscript(hsc_map_text *t, size_t k, size_t round) {
    hsc_map_text_add(t, "%s", k >= round ? "]" : k + 1 == round ? ")" : "");
}

void hsc_map_text_element(hsc_map_text *t, hsc_map_values v, const hsc_rec_array *a, hsc_u64s subscripts) {
    size_t round = in_round_brackets(a, subscripts.n);
    add_name(t, a, subscripts.n);
    for (size_t k = 0; k < subscripts.n; k++) {
        open_subscript(t, k, round);
        hsc_map_text_value(t, v, subscripts.p[k]);
        close_subscript(t, k, round);
    }
}

void hsc_map_text_section(hsc_map_text *t, hsc_map_values v, const hsc_rec_array *a, const hsc_rec_section *s,
                          const char *datatype) {
    size_t round = in_round_brackets(a, s->lower.n);
    add_name(t, a, s->lower.n);
    for (size_t k = 0; k < s->lower.n; k++) {
        uint64_t upper = k < s->upper.n ? s->upper.p[k] : 0;
        open_subscript(t, k, round);
        hsc_map_text_value(t, v, s->lower.p[k]);
        if (upper != s->lower.p[k]) {
            hsc_map_text_add(t, " : ");
            if (upper)
                hsc_map_text_value(t, v, upper);
        }
        close_subscript(t, k, round);
    }
    if (s->shape == HSC_section_shape_LINEAR || s->shape == HSC_section_shape_DERIVED) {
        hsc_map_text_add(t, ", ");
        hsc_map_text_value(t, v, s->elements_id);
        if (s->shape == HSC_section_shape_LINEAR)
            hsc_map_text_add(t, " in a row");
        else
            hsc_map_text_add(t, " of type %s", datatype ? datatype : "?");
    }
}

/* Does the value say no more than what the array's own descriptor holds: lbound(a, 1), size(a, 1)? */
static bool is_of_descriptor(hsc_map_values v, uint64_t id, const hsc_rec_array *a, const char *what) {
    const hsc_rec_value *x = value_of(v, id);
    size_t n = strlen(what);
    return x && x->kind != HSC_value_kind_CONSTANT && x->text.n > n + 1 + a->name.n && !memcmp(x->text.p, what, n) &&
           x->text.p[n] == '(' && !memcmp(x->text.p + n + 1, a->name.p, a->name.n) && x->text.p[n + 1 + a->name.n] == ',';
}

void hsc_map_text_bounds(hsc_map_text *t, hsc_map_values v, const hsc_rec_array *a) {
    bool fortran = is_column_major(a);
    size_t round = in_round_brackets(a, a->extent.n), n = is_called(a) ? 0 : a->extent.n;
    for (size_t k = 0; k < n; k++) {
        int64_t first = 0, extent = 0;
        uint64_t lower = k < a->lower.n ? a->lower.p[k] : 0;
        open_subscript(t, k, round);
        if (fortran && (is_of_descriptor(v, lower, a, "lbound") || is_of_descriptor(v, a->extent.p[k], a, "size"))) {
            hsc_map_text_add(t, ":"); /* allocatable or of assumed shape */
        } else if (!fortran || !value_of(v, lower) || (is_constant(v, lower, &first) && first == 1)) {
            hsc_map_text_value(t, v, a->extent.p[k]);
        } else {
            hsc_map_text_value(t, v, lower);
            hsc_map_text_add(t, " : ");
            if (!value_of(v, a->extent.p[k])) {
                hsc_map_text_add(t, "?");
            } else if (is_constant(v, lower, &first) && is_constant(v, a->extent.p[k], &extent)) {
                hsc_map_text_add(t, "%" PRId64, first + extent - 1);
            } else if (is_constant(v, lower, &first)) {
                hsc_map_text_value(t, v, a->extent.p[k]);
                hsc_map_text_add(t, first > 1 ? " + %" PRId64 : " - %" PRId64, first > 1 ? first - 1 : 1 - first);
            } else {
                hsc_map_text_value(t, v, lower);
                hsc_map_text_add(t, " + ");
                hsc_map_text_value(t, v, a->extent.p[k]);
                hsc_map_text_add(t, " - 1");
            }
        }
        close_subscript(t, k, round);
    }
}
