/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope-tokens: what each word of a C or C++ file is, by libclang, for the source pane. A process of its own: libclang may crash on
 * what it is given, takes seconds where a file includes much, and 100 MB.
 *
 * usage: heatscope-tokens c|c++ FILE ARGUMENT...    arguments as for the compiler
 *
 * Prints a line for each source line that has tokens: its number, then FIRST LAST KIND of each, columns in characters from 0. KIND:
 * k keyword, t type, f function, m macro, v variable, d member of a class, e constant of an enumeration, n number, s string, c comment.
 * Exit status 0; 1 with a line on the standard error: no libclang, or it could not read the file. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* libclang's C interface, which is stable between versions (clang-c/Index.h): as little of it as is used. Its headers come in a package
 * of 300 MB, the library with every clang. */
typedef struct {
    const void *data;
    unsigned flags;
} CXString;
typedef struct {
    int kind, xdata;
    const void *data[3];
} CXCursor;
typedef struct {
    const void *ptr_data[2];
    unsigned int_data;
} CXSourceLocation;
typedef struct {
    const void *ptr_data[2];
    unsigned begin_int_data, end_int_data;
} CXSourceRange;
typedef struct {
    unsigned int_data[4];
    void *ptr_data;
} CXToken;
typedef void *CXIndex, *CXTranslationUnit, *CXFile;
enum { TOKEN_PUNCTUATION, TOKEN_KEYWORD, TOKEN_IDENTIFIER, TOKEN_LITERAL, TOKEN_COMMENT };
enum { OPTION_PREPROCESSING = 0x01, OPTION_KEEP_GOING = 0x200 };

#define FUNCTIONS(F)                                                                                                                         \
    F(CXIndex, createIndex, (int, int))                                                                                                      \
    F(int, parseTranslationUnit2, (CXIndex, const char *, const char *const *, int, void *, unsigned, unsigned, CXTranslationUnit *))         \
    F(CXFile, getFile, (CXTranslationUnit, const char *))                                                                                    \
    F(const char *, getFileContents, (CXTranslationUnit, CXFile, size_t *))                                                                  \
    F(CXSourceLocation, getLocationForOffset, (CXTranslationUnit, CXFile, unsigned))                                                         \
    F(CXSourceRange, getRange, (CXSourceLocation, CXSourceLocation))                                                                         \
    F(void, tokenize, (CXTranslationUnit, CXSourceRange, CXToken **, unsigned *))                                                            \
    F(void, annotateTokens, (CXTranslationUnit, CXToken *, unsigned, CXCursor *))                                                            \
    F(int, getTokenKind, (CXToken))                                                                                                          \
    F(CXSourceRange, getTokenExtent, (CXTranslationUnit, CXToken))                                                                           \
    F(CXSourceLocation, getRangeStart, (CXSourceRange))                                                                                      \
    F(CXSourceLocation, getRangeEnd, (CXSourceRange))                                                                                        \
    F(void, getFileLocation, (CXSourceLocation, CXFile *, unsigned *, unsigned *, unsigned *))                                               \
    F(CXCursor, getCursorReferenced, (CXCursor))

typedef struct clang_library {
#define MEMBER(result, name, arguments) result(*name) arguments;
    FUNCTIONS(MEMBER)
} clang_library;

static bool load(clang_library *c) {
    static const char *const names[] = {"libclang-19.so.1", "/usr/lib/llvm-19/lib/libclang-19.so.1", "libclang.so.1", "libclang.so"};
    const char *wanted = getenv("HEATSCOPE_LIBCLANG");
    void *library = wanted && *wanted ? dlopen(wanted, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; !(wanted && *wanted) && !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
#define LOAD(result, name, arguments)                                                                                                        \
    *(void **)&c->name = dlsym(library, "clang_" #name);                                                                                     \
    if (!c->name)                                                                                                                            \
        return false;
    FUNCTIONS(LOAD)
    return true;
}

static char declared(int kind) {
    switch (kind) {
    case 2: case 3: case 4: case 5: /* struct, union, class, enum */
    case 20: case 22: case 27: case 28: case 29: /* typedef, namespace, parameters of templates */
    case 31: case 32: case 33: case 36: /* class templates, namespace alias, type alias */
    case 43: case 44: case 45: case 46: /* references to types, bases, templates, namespaces */
        return 't';
    case 8: case 21: case 24: case 25: case 26: case 30: case 49: /* functions, methods, constructors, ..., overloaded names */
        return 'f';
    case 6: case 47: /* field */
        return 'd';
    case 7: return 'e';
    case 9: case 10: case 50: /* variable, parameter */
        return 'v';
    case 501: case 502: return 'm';
    default: return 0;
    }
}

/* Words of built-in types, which the grammar has among the keywords. */
static bool is_type(const char *word, size_t n) {
    static const char *const types[] = {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "wchar_t",
                                        "char8_t", "char16_t", "char32_t", "_Bool", "_Complex", "__int128"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == n && !strncmp(types[i], word, n))
            return true;
    return false;
}

static char kind_of(const clang_library *c, CXToken token, CXCursor cursor, const char *text, size_t n) {
    switch (c->getTokenKind(token)) {
    case TOKEN_KEYWORD: return is_type(text, n) ? 't' : 'k';
    case TOKEN_LITERAL: return memchr(text, '"', n) || (text[0] < '0' && memchr(text, '\'', n)) || (n > 1 && text[0] > '9' && memchr(text, '\'', n)) ? 's' : 'n';
    case TOKEN_COMMENT: return 'c';
    case TOKEN_IDENTIFIER: break;
    default: return 0;
    }
    if (cursor.kind >= 100 && cursor.kind <= 103) /* a use in an expression: by what it refers to */
        return declared(c->getCursorReferenced(cursor).kind);
    return declared(cursor.kind);
}

typedef struct place { /* of a byte of the text: lines from 1, columns in characters from 0 */
    size_t offset;
    unsigned line, column;
} place;

static void go_to(place *p, const char *text, size_t offset) {
    for (; p->offset < offset; p->offset++) {
        unsigned char b = (unsigned char)text[p->offset];
        if (b == '\n') {
            p->line++;
            p->column = 0;
        } else if ((b & 0xC0) != 0x80) {
            p->column++;
        }
    }
}

static void put(unsigned *open, unsigned line, unsigned first, unsigned end, char kind) {
    if (end <= first)
        return;
    if (*open != line)
        printf(*open ? "\n%u" : "%u", line);
    *open = line;
    printf(" %u %u %c", first, end - 1, kind);
}

static void limit(int what, rlim_t to) {
    struct rlimit r;
    if (!getrlimit(what, &r) && (r.rlim_max == RLIM_INFINITY || r.rlim_max > to))
        r.rlim_max = to;
    r.rlim_cur = to < r.rlim_max ? to : r.rlim_max;
    setrlimit(what, &r);
}

static int fail(const char *what) {
    fprintf(stderr, "heatscope-tokens: %s\n", what);
    return 1;
}

int main(int argc, char **argv) {
    clang_library c;
    if (argc < 3 || (strcmp(argv[1], "c") && strcmp(argv[1], "c++")))
        return fail("usage: heatscope-tokens c|c++ FILE ARGUMENT...");
    const char **arguments = calloc((size_t)argc + 8, sizeof *arguments);
    if (!arguments)
        return fail("out of memory");
    /* the source is anybody's: it may take a while, and no more */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit(RLIMIT_CPU, 30);
    limit(RLIMIT_AS, (rlim_t)4 << 30);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, (rlim_t)64 << 20);
    alarm(120);
    if (nice(10) == -1) {
        /* then as it is */
    }
    if (!load(&c))
        return fail("no libclang");
    int n = 0;
    arguments[n++] = "-x";
    arguments[n++] = argv[1];
    arguments[n++] = "-w";
    arguments[n++] = "-ferror-limit=0";
    for (int i = 3; i < argc; i++)
        arguments[n++] = argv[i];
    CXTranslationUnit unit = NULL;
    if (c.parseTranslationUnit2(c.createIndex(0, 0), argv[2], arguments, n, NULL, 0, OPTION_PREPROCESSING | OPTION_KEEP_GOING, &unit) || !unit)
        return fail("libclang cannot read the file");
    CXFile file = c.getFile(unit, argv[2]);
    size_t size = 0;
    const char *text = file ? c.getFileContents(unit, file, &size) : NULL;
    if (!text || size > UINT32_MAX)
        return fail("libclang cannot read the file");
    CXToken *tokens = NULL;
    unsigned count = 0, open = 0;
    c.tokenize(unit, c.getRange(c.getLocationForOffset(unit, file, 0), c.getLocationForOffset(unit, file, (unsigned)size)), &tokens, &count);
    CXCursor *cursors = calloc((size_t)count + 1, sizeof *cursors);
    if (!cursors)
        return fail("out of memory");
    c.annotateTokens(unit, tokens, count, cursors);
    place at = {0, 1, 0};
    for (unsigned i = 0; i < count; i++) {
        unsigned from = 0, to = 0;
        CXSourceRange extent = c.getTokenExtent(unit, tokens[i]);
        c.getFileLocation(c.getRangeStart(extent), NULL, NULL, NULL, &from);
        c.getFileLocation(c.getRangeEnd(extent), NULL, NULL, NULL, &to);
        if (from < at.offset || to <= from || to > size)
            continue;
        char kind = kind_of(&c, tokens[i], cursors[i], text + from, to - from);
        go_to(&at, text, from);
        while (kind && at.offset < to) { /* comments and strings over several lines: line by line */
            const char *end = memchr(text + at.offset, '\n', to - at.offset);
            size_t stop = end ? (size_t)(end - text) : to;
            place begin = at;
            go_to(&at, text, stop);
            put(&open, begin.line, begin.column, at.column, kind);
            if (end)
                go_to(&at, text, stop + 1);
        }
    }
    printf("\n");
    return fflush(stdout) ? fail("the output cannot be written") : 0;
}
