/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the text of the source says of the control of a loop: variable, first value, what ends it, step. Compilers of C keep
 * neither the names nor the expressions of it, those of Fortran count iterations instead. Like source.c only a refinement:
 * what is not understood stays empty. */
#include "pass.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_MAX_BYTES 4000u
#define PART_MAX_BYTES 200u /* longer expressions are left out */

typedef struct span {
    const char *p;
    size_t n;
} span;

static bool is_word_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static span trim(span t) {
    while (t.n && isspace((unsigned char)*t.p)) {
        t.p++;
        t.n--;
    }
    while (t.n && isspace((unsigned char)t.p[t.n - 1]))
        t.n--;
    return t;
}

static hsc_str keep(hsc_pass *p, span t) {
    t = trim(t);
    return t.n && t.n <= PART_MAX_BYTES ? hsc_pass_dup(p, t.p, t.n) : (hsc_str){"", 0};
}

/* An integer and nothing else. */
static bool number_of(span t, int64_t *out) {
    char text[24], *end;
    t = trim(t);
    if (!t.n || t.n >= sizeof text)
        return false;
    memcpy(text, t.p, t.n);
    text[t.n] = 0;
    *out = strtoll(text, &end, 0);
    while (*end && strchr("uUlL", *end))
        end++;
    return end != text && !*end && (isdigit((unsigned char)text[0]) || text[0] == '-' || text[0] == '+');
}

/* Where the character stands outside of brackets and strings; t.n: nowhere. */
static size_t find_outside(span t, char wanted) {
    int depth = 0;
    char quote = 0;
    for (size_t i = 0; i < t.n; i++) {
        char c = t.p[i];
        if (quote) {
            if (c == '\\' && i + 1 < t.n)
                i++;
            else if (c == quote)
                quote = 0;
        } else if (c == wanted && !depth) {
            return i;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            depth++;
        } else if (c == ')' || c == ']' || c == '}') {
            if (--depth < 0)
                return t.n;
        }
    }
    return t.n;
}

static span head_of(span *rest, char separator) {
    size_t at = find_outside(*rest, separator);
    span head = {rest->p, at};
    size_t skip = at < rest->n ? at + 1 : at;
    *rest = (span){rest->p + skip, rest->n - skip};
    return head;
}

/* A word at the begin of t. */
static span word_of(span t) {
    t = trim(t);
    size_t n = 0;
    while (n < t.n && is_word_char(t.p[n]))
        n++;
    return (span){t.p, n && !isdigit((unsigned char)*t.p) ? n : 0};
}

static bool same(span a, span b) {
    return a.n == b.n && a.n && !memcmp(a.p, b.p, a.n);
}

/* Where the word stands in t; t.n: nowhere. */
static size_t find_word(span t, span word) {
    for (size_t i = 0; i + word.n <= t.n; i++)
        if ((!i || (!is_word_char(t.p[i - 1]) && t.p[i - 1] != '.' && t.p[i - 1] != '>')) && !memcmp(t.p + i, word.p, word.n) &&
            (i + word.n == t.n || !is_word_char(t.p[i + word.n])))
            return i;
    return t.n;
}

/* ---- C and C++ ------------------------------------------------------------------------------------------------------ */

/* Copies what stands in the parentheses that open at or after `t`, without comments, blanks as one. */
static size_t copy_parentheses(span t, char *out, size_t size) {
    size_t i = 0, n = 0;
    int depth = 0;
    while (i < t.n && t.p[i] != '(')
        if (!isspace((unsigned char)t.p[i++]))
            return 0;
    for (; i < t.n && n + 2 < size; i++) {
        char c = t.p[i];
        if (c == '/' && i + 1 < t.n && (t.p[i + 1] == '*' || t.p[i + 1] == '/')) {
            bool line = t.p[i + 1] == '/';
            for (i += 2; i < t.n && !(line ? t.p[i] == '\n' : t.p[i] == '/' && t.p[i - 1] == '*'); i++)
                ;
            c = ' ';
        }
        if (c == '\\' && i + 1 < t.n && (t.p[i + 1] == '\n' || t.p[i + 1] == '\r'))
            c = t.p[++i];
        if (isspace((unsigned char)c)) {
            if (n && out[n - 1] != ' ')
                out[n++] = ' ';
            continue;
        }
        if (c == '(' && ++depth == 1)
            continue;
        if (c == ')' && --depth == 0)
            return n;
        out[n++] = c;
    }
    return 0;
}

/* `i++`, `i -= 2`, `i = i + k`: the variable and the step, 0 where it is no number. */
static bool step_of(span t, span *variable, int64_t *step) {
    t = trim(t);
    if (t.n > 2 && (!memcmp(t.p, "++", 2) || !memcmp(t.p, "--", 2))) {
        *variable = word_of((span){t.p + 2, t.n - 2});
        *step = t.p[0] == '+' ? 1 : -1;
        return variable->n > 0;
    }
    *variable = word_of(t);
    if (!variable->n)
        return false;
    span rest = trim((span){variable->p + variable->n, (size_t)(t.p + t.n - variable->p) - variable->n});
    if (rest.n < 2)
        return false;
    *step = 0;
    int sign = rest.p[0] == '+' ? 1 : -1;
    if (!memcmp(rest.p, "++", 2) || !memcmp(rest.p, "--", 2)) {
        *step = sign;
        return rest.n == 2;
    }
    if ((rest.p[0] == '+' || rest.p[0] == '-') && rest.p[1] == '=') {
        if (number_of((span){rest.p + 2, rest.n - 2}, step))
            *step *= sign;
        return true;
    }
    if (rest.p[0] != '=' || rest.p[1] == '=')
        return false;
    rest = trim((span){rest.p + 1, rest.n - 1});
    if (!same(word_of(rest), *variable))
        return true; /* p = p->next */
    rest = trim((span){rest.p + variable->n, rest.n - variable->n});
    if (rest.n > 1 && (rest.p[0] == '+' || rest.p[0] == '-') && number_of((span){rest.p + 1, rest.n - 1}, step))
        *step *= rest.p[0] == '+' ? 1 : -1;
    return true;
}

static void control_of_for(hsc_pass *p, span t, hsc_rec_loop *loop) {
    span rest = t, start = head_of(&rest, ';');
    if (start.n == t.n) { /* for (declaration : range) */
        head_of(&rest, ':');
        size_t colon = find_outside(t, ':');
        if (colon < t.n && colon + 1 < t.n && t.p[colon + 1] != ':')
            loop->bound = keep(p, (span){t.p + colon + 1, t.n - colon - 1});
        return;
    }
    span condition = head_of(&rest, ';'), variable = {"", 0}, best = {"", 0};
    int64_t step = 0, best_step = 0;
    loop->bound = keep(p, condition);
    while (rest.n) { /* of several the one that the condition is about */
        span part = head_of(&rest, ',');
        if (step_of(part, &variable, &step) && (!best.n || find_word(condition, variable) < condition.n)) {
            best = variable;
            best_step = step;
            if (find_word(condition, variable) < condition.n)
                break;
        }
    }
    for (size_t i = 0; !best.n && i + 1 < condition.n; i++) { /* for (i = n; i-- > 0;) */
        if (memcmp(condition.p + i, "--", 2) && memcmp(condition.p + i, "++", 2))
            continue;
        size_t begin = i;
        while (begin && is_word_char(condition.p[begin - 1]))
            begin--;
        best = begin < i ? word_of((span){condition.p + begin, i - begin})
                         : word_of((span){condition.p + i + 2, condition.n - i - 2});
        best_step = condition.p[i] == '-' ? -1 : 1;
        break;
    }
    if (!best.n)
        return;
    loop->induction = keep(p, best);
    loop->step = best_step;
    while (start.n) { /* int i = 0, n = m */
        span part = head_of(&start, ',');
        size_t at = find_word(part, best);
        span after = at < part.n ? trim((span){part.p + at + best.n, part.n - at - best.n}) : (span){"", 0};
        if (after.n > 1 && after.p[0] == '=' && after.p[1] != '=') {
            loop->start = keep(p, (span){after.p + 1, after.n - 1});
            break;
        }
    }
}

static void control_of_c(hsc_pass *p, span t, hsc_rec_loop *loop) {
    char text[CONTROL_MAX_BYTES];
    span word = word_of(t);
    size_t n = word.n ? copy_parentheses((span){word.p + word.n, t.n - (size_t)(word.p + word.n - t.p)}, text, sizeof text) : 0;
    if (!n)
        return;
    if (word.n == 3 && !memcmp(word.p, "for", 3))
        control_of_for(p, (span){text, n}, loop);
    else if (word.n == 5 && !memcmp(word.p, "while", 5))
        loop->bound = keep(p, (span){text, n});
}

/* ---- Fortran -------------------------------------------------------------------------------------------------------- */

/* The statement from `t` on, continued lines joined, without comments. */
static size_t copy_statement(span t, char *out, size_t size) {
    size_t n = 0;
    for (size_t i = 0; i < t.n && n + 1 < size; i++) {
        char c = t.p[i];
        if (c == '!') {
            while (i < t.n && t.p[i] != '\n')
                i++;
            c = '\n';
        }
        if (c == '\n') {
            while (n && isspace((unsigned char)out[n - 1]))
                n--;
            if (!n || out[n - 1] != '&')
                return n;
            n--;
            while (i + 1 < t.n && (isspace((unsigned char)t.p[i + 1]) || t.p[i + 1] == '&'))
                i++;
            continue;
        }
        if (c == ';')
            return n;
        out[n++] = c;
    }
    return n;
}

/* `i = 1, n, 2` or `i = 1 : n : 2` */
static void control_of_triplet(hsc_pass *p, span t, char separator, hsc_rec_loop *loop) {
    span variable = word_of(t);
    size_t equals = find_outside(t, '=');
    if (!variable.n || equals == t.n)
        return;
    span rest = {t.p + equals + 1, t.n - equals - 1};
    loop->induction = keep(p, variable);
    loop->start = keep(p, head_of(&rest, separator));
    loop->bound = keep(p, head_of(&rest, separator));
    rest = trim(rest);
    int64_t step = 1;
    if (rest.n && !number_of(rest, &step))
        step = 0;
    loop->step = step;
    int64_t first, last;
    if (step && number_of((span){loop->start.p, loop->start.n}, &first) && number_of((span){loop->bound.p, loop->bound.n}, &last) &&
        first > -(1LL << 40) && first < 1LL << 40 && last > -(1LL << 40) && last < 1LL << 40)
        loop->trips_max = (last - first + step) / step > 0 ? (uint64_t)((last - first + step) / step) : 0;
}

/* `place`: of the loops of one statement (do concurrent), from outside in. */
static void control_of_fortran(hsc_pass *p, span t, unsigned place, hsc_rec_loop *loop) {
    char text[CONTROL_MAX_BYTES];
    span s = {text, copy_statement(t, text, sizeof text)};
    s = trim(s);
    size_t name = word_of(s).n;
    span after = trim((span){s.p + name, s.n - name});
    if (name && after.n > 1 && after.p[0] == ':' && after.p[1] != ':')
        s = trim((span){after.p + 1, after.n - 1});
    if (s.n < 3 || strncasecmp(s.p, "do", 2))
        return;
    s = trim((span){s.p + 2, s.n - 2});
    while (s.n && (isdigit((unsigned char)*s.p) || *s.p == ',')) /* label */
        s = trim((span){s.p + 1, s.n - 1});
    if (s.n > 10 && !strncasecmp(s.p, "concurrent", 10)) {
        size_t open = find_outside(s, '(');
        if (open == s.n)
            return;
        span rest = {s.p + open + 1, s.n - open - 1}, header = head_of(&rest, ')');
        size_t colons = find_outside(header, ':');
        span type = {header.p, colons};
        if (colons + 1 < header.n && header.p[colons + 1] == ':' && find_outside(type, '=') == type.n)
            header = (span){header.p + colons + 2, header.n - colons - 2}; /* integer :: i = 1 : n */
        span triplet = head_of(&header, ',');
        for (; place; place--)
            triplet = head_of(&header, ',');
        control_of_triplet(p, triplet, ':', loop);
    } else if (s.n > 5 && !strncasecmp(s.p, "while", 5) && find_outside(s, '=') == s.n) {
        size_t open = find_outside(s, '(');
        span rest = {s.p + open + 1, open < s.n ? s.n - open - 1 : 0};
        loop->bound = keep(p, head_of(&rest, ')'));
    } else {
        control_of_triplet(p, s, ',', loop);
    }
}

void hsc_control_read(hsc_pass *p, unsigned place, hsc_rec_loop *loop) {
    span t;
    loop->induction = loop->start = loop->bound = (hsc_str){"", 0};
    if (!loop->line_begin || loop->kind == HSC_loop_kind_ARRAY || loop->kind == HSC_loop_kind_GOTO ||
        loop->flags & HSC_loop_flag_COMPILER ||
        !hsc_source_text(p, (uint32_t)loop->file_id, (unsigned)loop->line_begin, (unsigned)loop->column_begin, &t.p, &t.n))
        return;
    if (p->is_fortran)
        control_of_fortran(p, t, place, loop);
    else
        control_of_c(p, t, loop);
}

/* ---- scalar evolution ---- */

void hsc_pass_take_trips(hsc_pass *p, const hsc_ir_trips *trips) {
    hsc_ir_loop node;
    hsc_ir_loc loc;
    bool has_loc = hsc_ir_get_loc(trips->latch, &loc);
    uint32_t id = 0;
    if (p->skip || (has_loc && loc.inlined_at))
        return; /* a copy with the arguments of one call */
    if (hsc_ir_get_loop(trips->latch, &node) && node.has_key)
        id = hsc_pass_loop_of_key(p, node.key_module, node.key_id);
    if (!id && has_loc)
        id = hsc_pass_early_id(p, &loc);
    if (!id || !p->sites.p[id - 1].is_loop || hsc_map_get(&p->trips_seen, id))
        return;
    hsc_map_set(&p->trips_seen, id, 1);
    hsc_rec_loop *l = &p->loops.p[p->sites.p[id - 1].index];
    if (l->flags & HSC_loop_flag_COMPILER)
        return;
    l->trips = trips->exact;
    if (trips->max < INT32_MAX) /* else it is the range of the type */
        l->trips_max = trips->exact ? trips->exact : trips->max ? trips->max : l->trips_max;
    l->trips_multiple = trips->multiple > 1 ? trips->multiple : 0;
}
