/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* May the programmer make the bounds of a loop constants? Not where they differ from one run of the loop to the next. */
#include <string.h>
#include <strings.h>

#include <heatscope/formats/records.h>

#include "report_reasons.h"

bool report_is_letter(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

typedef struct span { /* some of a line of source */
    const char *p;
    size_t n;
} span;

static bool is_name(span w) { return w.n && !(w.p[0] >= '0' && w.p[0] <= '9'); }

static bool is_same(span a, span b, bool any_case) { return a.n == b.n && !(any_case ? strncasecmp(a.p, b.p, a.n) : memcmp(a.p, b.p, a.n)); }

static span whole(const char *text) { return (span){text, strlen(text)}; }

/* The next word behind `*at`, which is moved to its end; n 0: none. */
static span next_word(span text, size_t *at) {
    while (*at < text.n && !report_is_letter(text.p[*at]))
        ++*at;
    size_t begin = *at;
    while (*at < text.n && report_is_letter(text.p[*at]))
        ++*at;
    return (span){text.p + begin, *at - begin};
}

/* "ptr[i + 1]", "lower(i)" and "ptr[i][0]", not "size()", "dims[2]" and "(int)n": an element, or what is asked for, that names tell of. */
static bool is_looked_up(span text) {
    bool named = false; /* the bracket is behind a name */
    unsigned open = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '[' || (c == '(' && (named || open)))
            open++;
        else if ((c == ']' || c == ')') && open)
            open--;
        else if (open && report_is_letter(c) && !(c >= '0' && c <= '9'))
            return true;
        named = report_is_letter(c) || (named && c == ' ');
    }
    return false;
}

/* What a line sets the name to, "n = ptr[i];", "++n", "n += 2": the text behind; p NULL: it does not. */
static span set_to(span line, span name, bool any_case) {
    for (size_t at = 0; at < line.n;) {
        span w = next_word(line, &at);
        if (!w.n || !is_same(w, name, any_case))
            continue;
        size_t begin = (size_t)(w.p - line.p), k = at;
        bool steps = begin > 1 && (!memcmp(w.p - 2, "++", 2) || !memcmp(w.p - 2, "--", 2));
        while (k < line.n && line.p[k] == ' ')
            k++;
        steps = steps || (k + 1 < line.n && (!memcmp(line.p + k, "++", 2) || !memcmp(line.p + k, "--", 2)));
        k += k < line.n && memchr("+-*/", line.p[k], 4) ? 1 : 0;
        bool set = k < line.n && line.p[k] == '=' && !(k + 1 < line.n && line.p[k + 1] == '=');
        if (steps || set)
            return (span){line.p + k + set, line.n - k - set};
    }
    return (span){NULL, 0};
}

typedef struct around { /* the procedure of a loop, and the outermost loop round it */
    uint32_t file, procedure_begin, loops_begin, end;
    bool any_case;
} around;

/* The name has the same value each time that the loop is come to, as far as the source tells: no line of the loops round it sets it, and none before them to what is looked up. */
static bool stays(report *r, const around *a, span name) {
    for (uint32_t line = a->procedure_begin; line <= a->end; line++) {
        span text = {NULL, 0};
        if (!(text.p = report_source_line(r, a->file, line, &text.n)))
            return false;
        span value = set_to(text, name, a->any_case);
        if (value.p && (line >= a->loops_begin || is_looked_up(value)))
            return false;
    }
    return true;
}

/* Every name in the text stays, but the loop's own variable. */
static bool all_stay(report *r, const around *a, const char *text, const char *variable) {
    size_t at = 0;
    for (span w; (w = next_word(whole(text), &at)).n;)
        if (is_name(w) && !is_same(w, whole(variable), a->any_case) && !stays(r, a, w))
            return false;
    return true;
}

static bool get_loop(const report *r, uint32_t scope, hsc_db_loop *out) {
    uint32_t first, n;
    return !hsc_db_find(r->db, HSC_LIST_LOOPS, scope, &first, &n, NULL) && n && !hsc_db_get_loop(r->db, first, out, NULL);
}

/* The variable of that loop is a word of the text. */
static bool tells_of(const hsc_db_loop *round, const char *text, bool any_case) {
    size_t at = 0;
    for (span w; *round->variable && (w = next_word(whole(text), &at)).n;)
        if (is_same(w, whole(round->variable), any_case))
            return true;
    return false;
}

bool report_may_be_constant(report *r, uint32_t loop) {
    enum { LINES_MAX = 4000 };
    hsc_db_scope s, outer;
    hsc_db_loop l, round;
    if (!get_loop(r, loop, &l) || !*l.bound || is_looked_up(whole(l.bound)) || is_looked_up(whole(l.first)) || hsc_db_get_scope(r->db, loop, &s, NULL))
        return false;
    around a = {s.file, s.line_begin, s.line_begin + 1, s.line_end, l.kind == HSC_loop_kind_DO};
    for (uint32_t up = s.parent; up != HSC_NONE && !hsc_db_get_scope(r->db, up, &outer, NULL) && outer.kind >= HSC_SCOPE_PROCEDURE; up = outer.parent) {
        if (outer.file != s.file || outer.line_begin > s.line_begin)
            break;
        a.procedure_begin = outer.line_begin;
        if (outer.kind == HSC_SCOPE_PROCEDURE)
            break;
        if (outer.kind != HSC_SCOPE_LOOP)
            continue;
        a.loops_begin = outer.line_begin;
        a.end = outer.line_end > a.end ? outer.line_end : a.end;
        if (get_loop(r, up, &round) && strcmp(round.variable, l.variable) != 0 && (tells_of(&round, l.bound, a.any_case) || tells_of(&round, l.first, a.any_case)))
            return false;
    }
    return a.end - a.procedure_begin <= LINES_MAX && all_stay(r, &a, l.bound, l.variable) && all_stay(r, &a, l.first, l.variable);
}
