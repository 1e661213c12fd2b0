/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* "double sum<double>(double*, int)" and "float sum<float>(float*, int)" are "sum<>" both. */
#include "instances.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

typedef struct cursor {
    const char *at, *end;
} cursor;

static bool is_word(char c) { return c == '_' || isalnum((unsigned char)c); }

/* At an operator's name, whose signs are no brackets: how long it is; else 0. */
static size_t operator_at(const char *name, const char *p) {
    if (strncmp(p, "operator", 8) || (p > name && is_word(p[-1])) || is_word(p[8]))
        return 0;
    return 8 + (strncmp(p + 8, "()", 2) ? strspn(p + 8, "<>=-") : 2);
}

/* Behind the '>' of the '<' that is there. */
static const char *behind_arguments(const char *p) {
    for (size_t open = 0; *p; p++) {
        open += *p == '<';
        if (*p == '>' && p[-1] != '-' && !--open)
            return p + 1;
    }
    return p;
}

/* Its name, without the type it returns and its parameters. */
static cursor name_in(const char *name) {
    cursor c = {name, name};
    bool begun = false; /* what follows a blank is no other name any more: "operator long", "f [omp parallel]" */
    while (*c.end && (*c.end != '(' || !strncmp(c.end, "(anonymous", 10))) {
        size_t n = operator_at(name, c.end);
        begun = begun || n || !strncmp(c.end, " [", 2);
        if (*c.end == '(')
            n = strcspn(c.end, ")");
        if (*c.end == ' ' && !begun)
            c.at = c.end + 1;
        c.end = *c.end == '<' && !n ? behind_arguments(c.end) : c.end + (n ? n : 1);
    }
    return c;
}

/* Past what is there: one character, an operator or all arguments, which are a '<'. */
static char next(cursor *c, const char *name, size_t *left) {
    if (!*left)
        *left = operator_at(name, c->at);
    if (*left) {
        --*left;
        return *c->at++;
    }
    if (*c->at != '<')
        return *c->at++;
    c->at = behind_arguments(c->at);
    return '<';
}

bool compare_are_instances(const char *a, const char *b) {
    cursor p = name_in(a), q = name_in(b);
    size_t p_left = 0, q_left = 0;
    bool any = false;
    while (p.at < p.end && q.at < q.end) {
        bool arguments = *p.at == '<' && !p_left;
        if (next(&p, a, &p_left) != next(&q, b, &q_left))
            return false;
        any = any || arguments;
    }
    return any && p.at == p.end && q.at == q.end;
}
