/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names that the debug information does not have, from the text of the source: variables where only line tables are
 * asked for, and components of derived types, which flang 19 leaves out. */
#include "pass.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static hsc_ir_text after_blanks(hsc_ir_text t) {
    while (t.n && (*t.p == ' ' || *t.p == '\t')) {
        t.p++;
        t.n--;
    }
    return t;
}

static size_t word_length(hsc_ir_text t) {
    size_t n = 0;
    while (n < t.n && is_word(t.p[n]))
        n++;
    return n;
}

static bool take_word(hsc_ir_text *t, const char *word) {
    hsc_ir_text s = after_blanks(*t);
    size_t n = strlen(word);
    if (word_length(s) != n || strncasecmp(s.p, word, n))
        return false;
    *t = (hsc_ir_text){s.p + n, s.n - n};
    return true;
}

bool hsc_source_identifier(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size) {
    hsc_ir_text t;
    if (!column || !hsc_source_line(p, file_id, line, &t) || column > t.n)
        return false;
    t = (hsc_ir_text){t.p + column - 1, t.n - column + 1};
    size_t n = word_length(t);
    if (!n || n >= size || isdigit((unsigned char)*t.p))
        return false;
    memcpy(name, t.p, n);
    name[n] = 0;
    return true;
}

/* Past blanks, ends of lines and Fortran's continuation marks. */
static const char *next_token(const char *p, const char *end) {
    while (p < end && (isspace((unsigned char)*p) || (*p == '&' && p + 1 < end && isspace((unsigned char)p[1]))))
        p++;
    return p;
}

bool hsc_source_argument(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, const char *callee, unsigned k, char *name, size_t size) {
    enum { FAR = 2000 }; /* a call is shorter */
    const char *text;
    size_t n, length = strlen(callee);
    if (!column || !hsc_source_text(p, file_id, line, column, &text, &n))
        return false;
    const char *at = text, *end = text + (n < FAR ? n : FAR);
    if (end - at > 5 && !strncasecmp(at, "call", 4) && isspace((unsigned char)at[4]))
        at = next_token(at + 4, end);
    if ((size_t)(end - at) <= length || strncasecmp(at, callee, length) || is_word(at[length]))
        return false; /* a macro, or a call through something */
    at = next_token(at + length, end);
    if (at == end || *at++ != '(')
        return false;
    for (int depth = 0; at < end && (k || depth); at++) {
        if (*at == '"' || *at == '\'' || (!depth && *at == ')'))
            return false;
        depth += (*at == '(' || *at == '[' || *at == '{') - (*at == ')' || *at == ']' || *at == '}');
        k -= !depth && *at == ',';
    }
    at = next_token(at, end);
    if (at < end && *at == '&')
        at = next_token(at + 1, end);
    size_t word = word_length((hsc_ir_text){at, (size_t)(end - at)});
    const char *behind = next_token(at + word, end);
    if (!word || word >= size || isdigit((unsigned char)*at) || behind == end || !strchr(",)[", *behind))
        return false;
    memcpy(name, at, word);
    name[word] = 0;
    return true;
}

/* The next name of a list "a(3), b = 1, c"; what follows a name up to the comma is left out. */
static bool next_entity(hsc_ir_text *t, hsc_ir_text *name) {
    *t = after_blanks(*t);
    size_t n = word_length(*t);
    if (!n)
        return false;
    *name = (hsc_ir_text){t->p, n};
    int depth = 0;
    size_t i = n;
    for (; i < t->n && (depth || t->p[i] != ',') && t->p[i] != '!'; i++)
        depth += (t->p[i] == '(' || t->p[i] == '[') - (t->p[i] == ')' || t->p[i] == ']');
    *t = i < t->n && t->p[i] == ',' ? (hsc_ir_text){t->p + i + 1, t->n - i - 1} : (hsc_ir_text){t->p + i, 0};
    return true;
}

/* "type :: name", "type, extends(base) :: name", "type name"; no "type(name)". */
static bool defines_type(hsc_ir_text t, const char *type, size_t n_type, bool *extends) {
    if (!take_word(&t, "type"))
        return false;
    t = after_blanks(t);
    if (t.n && *t.p == '(')
        return false;
    const char *colons = memmem(t.p, t.n, "::", 2);
    if (colons) {
        *extends = false;
        for (const char *c = t.p; c + 7 < colons; c++)
            if (!strncasecmp(c, "extends", 7))
                *extends = true;
        t = (hsc_ir_text){colons + 2, t.n - (size_t)(colons + 2 - t.p)};
    }
    t = after_blanks(t);
    return word_length(t) == n_type && !strncasecmp(t.p, type, n_type);
}

bool hsc_source_fortran_component(hsc_pass *p, uint32_t file_id, const char *type, size_t n_type, unsigned k,
                                  char *name, size_t size) {
    hsc_ir_text t;
    unsigned line = 1, seen = 0;
    bool extends = false;
    for (;; line++) {
        if (!hsc_source_line(p, file_id, line, &t))
            return false;
        if (defines_type(t, type, n_type, &extends))
            break;
    }
    seen = extends ? 1 : 0; /* the base is the first component */
    while (hsc_source_line(p, file_id, ++line, &t)) {
        hsc_ir_text s = t, entity;
        if (take_word(&s, "end") || take_word(&s, "endtype") || take_word(&s, "contains"))
            return false;
        const char *colons = memmem(t.p, t.n, "::", 2), *comment = memchr(t.p, '!', t.n);
        if (!colons || (comment && comment < colons))
            continue;
        s = (hsc_ir_text){colons + 2, t.n - (size_t)(colons + 2 - t.p)};
        while (next_entity(&s, &entity))
            if (seen++ == k) {
                if (entity.n >= size)
                    return false;
                for (size_t i = 0; i < entity.n; i++)
                    name[i] = (char)tolower((unsigned char)entity.p[i]);
                name[entity.n] = 0;
                return true;
            }
    }
    return false;
}
