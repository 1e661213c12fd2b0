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

/* Words of C and C++ that begin a declaration or a statement, and so name nothing. */
static bool is_keyword(hsc_ir_text word) {
    static const char *const words[] = {"auto",   "bool",   "case",   "char",     "class",    "const",    "constexpr", "delete", "do",
                                        "double", "else",   "enum",   "extern",   "float",    "goto",     "inline",    "int",    "long",
                                        "new",    "register", "return", "short",  "signed",   "sizeof",   "static",    "struct", "throw",
                                        "typename", "union", "unsigned", "void",  "volatile", "restrict", "__restrict", "__restrict__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == word.n && !memcmp(words[i], word.p, word.n))
            return true;
    return false;
}

static hsc_ir_text behind(hsc_ir_text t, size_t n) { return after_blanks((hsc_ir_text){t.p + n, t.n - n}); }

/* "T x", "const T *x =", but not "a * x". What is read there is the compiler's own: a counter of an OpenMP loop. */
static bool is_declaration(hsc_ir_text t) {
    bool is_sure = false, has_star = false, has_name = false;
    for (size_t n; (n = word_length(t)) || (t.n && (*t.p == '*' || *t.p == '&'));) {
        if (!n) {
            has_star = true;
            t = behind(t, 1);
            continue;
        }
        hsc_ir_text word = {t.p, n};
        is_sure = is_sure || is_keyword(word) || (has_name && !has_star);
        has_name = true;
        t = behind(t, n);
    }
    bool is_set = t.n && *t.p == '=' && (t.n == 1 || t.p[1] != '=');
    return is_sure || (has_star && is_set);
}

/* Of C and C++: macros, procedures, casts and types have names too. */
static hsc_ir_text variable_at(hsc_ir_text t) {
    static const hsc_ir_text none = {NULL, 0};
    hsc_ir_text word = {t.p, word_length(t)}, next = behind(t, word.n);
    if (next.n > 1 && next.p[0] == ':' && next.p[1] == ':') {
        next = behind(next, 2);
        size_t n = word_length(next);
        hsc_ir_text after = behind(next, n);
        return n && !(after.n && *after.p == '<') ? variable_at(next) : none;
    }
    return (next.n && *next.p == '(') || is_declaration(t) ? none : word;
}

static bool give_name(hsc_ir_text word, char *name, size_t size) {
    if (!word.n || word.n >= size || isdigit((unsigned char)*word.p))
        return false;
    memcpy(name, word.p, word.n);
    name[word.n] = 0;
    return true;
}

bool hsc_source_identifier(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size) {
    hsc_ir_text t;
    if (!column || !hsc_source_line(p, file_id, line, &t) || column > t.n)
        return false;
    t = (hsc_ir_text){t.p + column - 1, t.n - column + 1};
    return give_name(p->is_fortran ? (hsc_ir_text){t.p, word_length(t)} : variable_at(t), name, size);
}

bool hsc_source_object(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size) {
    hsc_ir_text t;
    if (!column || !hsc_source_line(p, file_id, line, &t) || column > t.n)
        return false;
    t = (hsc_ir_text){t.p + column - 1, t.n - column + 1};
    hsc_ir_text word = {t.p, word_length(t)}, next = behind(t, word.n);
    return next.n && *next.p == '(' && give_name(word, name, size);
}

static size_t before_blanks(const char *p, size_t at) {
    while (at && (p[at - 1] == ' ' || p[at - 1] == '\t'))
        at--;
    return at;
}

/* Length of "." or "->" that the text ends with. */
static size_t sign_length(const char *p, size_t at) {
    return at && p[at - 1] == '.' ? 1 : at > 1 && p[at - 1] == '>' && p[at - 2] == '-' ? 2 : 0;
}

static bool word_at(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, hsc_ir_text *t) {
    return column && hsc_source_line(p, file_id, line, t) && column <= t->n && is_word(t->p[column - 1]);
}

/* The word before the "." or "->" that stands before this place; *is_part: one stands before that, too, or it is of a class. */
static hsc_ir_text word_before(hsc_ir_text line, unsigned column, bool *is_part) {
    size_t at = before_blanks(line.p, column - 1), sign = sign_length(line.p, at);
    if (!sign)
        return (hsc_ir_text){NULL, 0};
    size_t end = at = before_blanks(line.p, at - sign);
    while (at && is_word(line.p[at - 1]))
        at--;
    hsc_ir_text word = {line.p + at, end - at};
    at = before_blanks(line.p, at);
    *is_part = sign_length(line.p, at) || (at && line.p[at - 1] == ':');
    return word;
}

bool hsc_source_structure(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size) {
    hsc_ir_text t;
    bool is_part = false;
    return word_at(p, file_id, line, column, &t) && give_name(word_before(t, column, &is_part), name, size) && !is_part;
}

bool hsc_source_member_before(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size) {
    hsc_ir_text t;
    bool is_part = false;
    return word_at(p, file_id, line, column, &t) && give_name(word_before(t, column, &is_part), name, size) && is_part;
}

bool hsc_source_is_behind_dot(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column) {
    hsc_ir_text t;
    return word_at(p, file_id, line, column, &t) && sign_length(t.p, before_blanks(t.p, column - 1)) == 1;
}

bool hsc_source_is_alone(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column) {
    hsc_ir_text t;
    if (!word_at(p, file_id, line, column, &t) || isdigit((unsigned char)t.p[column - 1]) ||
        (column > 1 && is_word(t.p[column - 2])))
        return false;
    size_t at = before_blanks(t.p, column - 1);
    hsc_ir_text word = variable_at((hsc_ir_text){t.p + column - 1, t.n - column + 1});
    return word.n && at && !sign_length(t.p, at) && t.p[at - 1] != ':';
}

/* Length of an operator that changes what stands before it: =, +=, <<=, ++; 0: none is there. */
static size_t assignment_length(hsc_ir_text t) {
    if (t.n > 1 && (t.p[0] == '+' || t.p[0] == '-') && t.p[1] == t.p[0])
        return 2;
    size_t n = 0;
    while (n < 2 && n < t.n && strchr("+-*/%&|^<>", t.p[n]))
        n++;
    bool is_shift = n == 2 && t.p[0] == t.p[1] && strchr("<>", *t.p);
    if (n >= t.n || t.p[n] != '=' || (n + 1 < t.n && t.p[n + 1] == '=') || (n == 2 && !is_shift) || (n == 1 && strchr("<>", *t.p)))
        return 0;
    return n + 1;
}

bool hsc_source_assigned(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size) {
    hsc_ir_text t;
    if (!column || !hsc_source_line(p, file_id, line, &t) || column > t.n || !assignment_length((hsc_ir_text){t.p + column - 1, t.n - column + 1}))
        return false;
    size_t end = before_blanks(t.p, column - 1), at = end;
    while (at && is_word(t.p[at - 1]))
        at--;
    hsc_ir_text word = {t.p + at, end - at};
    at = before_blanks(t.p, at);
    bool is_alone = !sign_length(t.p, at) && !(at && strchr(":*])", t.p[at - 1]));
    return is_alone && give_name(word, name, size);
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
