/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the text of the source says about a loop: its keyword, and for Fortran where it ends. Only ever a refinement:
 * without the text, or where it is not what the locations promise (macros), every question is answered with no. */
#include "pass.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_MAX_BYTES (64u << 20)
#define LINES_MAX 1000000u
#define FORTRAN_SCAN_LINES 100000u
#define FORTRAN_LABELS_MAX 64u

typedef struct span {
    const char *p;
    size_t n;
} span;

static span skip_blanks(span t) {
    while (t.n && (*t.p == ' ' || *t.p == '\t')) {
        t.p++;
        t.n--;
    }
    return t;
}

/* The whole file, from hsc_pass_alloc; NULL: it is not to be had. */
static char *read_text(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    struct stat st;
    if (!in)
        return NULL;
    if (fstat(fileno(in), &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > (off_t)SOURCE_MAX_BYTES) {
        fclose(in);
        return NULL;
    }
    *size = (size_t)st.st_size;
    char *text = hsc_pass_alloc(*size + 1);
    *size = fread(text, 1, *size, in);
    fclose(in);
    return text;
}

static void path_of(const hsc_ir_text *directory, const hsc_ir_text *name, char *to, size_t size) {
    span t = {name->p, name->n};
    while (t.n > 2 && t.p[0] == '.' && t.p[1] == '/') /* as `flang -E` has it */
        t = (span){t.p + 2, t.n - 2};
    if (t.n && t.p[0] == '/')
        snprintf(to, size, "%.*s", (int)t.n, t.p);
    else
        snprintf(to, size, "%.*s/%.*s", (int)directory->n, directory->p, (int)t.n, t.p);
}

/* ---- text that was preprocessed before: locations are of the file that it names, and columns those of this text ---- */

/* `# 12 "x.f90"`, `#line 12 "x.f90"` and flang's `#line "x.f90" 12`: of the line that follows. */
static bool is_marker(span t, unsigned *line, hsc_ir_text *name) {
    if (!t.n || *t.p != '#')
        return false;
    t = skip_blanks((span){t.p + 1, t.n - 1});
    if (t.n > 4 && !memcmp(t.p, "line", 4))
        t = skip_blanks((span){t.p + 4, t.n - 4});
    *line = 0;
    *name = (hsc_ir_text){"", 0};
    for (int i = 0; i < 2 && t.n; i++) {
        if (*t.p == '"') {
            const char *end = memchr(t.p + 1, '"', t.n - 1);
            if (!end)
                return false;
            *name = (hsc_ir_text){t.p + 1, (size_t)(end - t.p) - 1};
            t = skip_blanks((span){end + 1, t.n - (size_t)(end + 1 - t.p)});
        } else {
            for (; t.n && isdigit((unsigned char)*t.p); t.p++, t.n--)
                *line = *line < LINES_MAX ? 10 * *line + (unsigned)(*t.p - '0') : LINES_MAX;
            t = skip_blanks(t);
        }
    }
    return *line && name->n;
}

/* The lines that the text has of a file, each where it stands there; NULL: it has none. From hsc_pass_alloc. */
static char *lines_of(const hsc_pass *p, span text, const char *path, size_t *size) {
    char named[8192];
    unsigned line = 0, most = 0, next;
    span *lines = NULL;
    char *out = NULL;
    size_t bytes = 0;
    for (int pass = 0; pass < 2; pass++) { /* counts, then takes */
        bool is_own = false;
        for (span rest = text; rest.n;) {
            const char *end = memchr(rest.p, '\n', rest.n);
            span t = {rest.p, end ? (size_t)(end - rest.p) : rest.n};
            rest = (span){rest.p + t.n + (end != NULL), rest.n - t.n - (end != NULL)};
            hsc_ir_text name;
            if (is_marker(t, &next, &name)) {
                path_of(&p->unit.directory, &name, named, sizeof named);
                is_own = !strcmp(named, path);
                line = next;
                continue;
            }
            if (is_own && line < LINES_MAX) {
                most = line > most ? line : most;
                if (lines && !lines[line].n)
                    lines[line] = t;
            }
            line++;
        }
        if (!most)
            break;
        if (!pass)
            lines = calloc(most + 1, sizeof *lines);
        if (!lines)
            break;
    }
    for (unsigned l = 1; lines && l <= most; l++)
        bytes += lines[l].n + 1;
    if (lines && bytes <= SOURCE_MAX_BYTES) {
        out = hsc_pass_alloc(bytes + 1);
        *size = bytes;
        char *to = out;
        for (unsigned l = 1; l <= most; l++) {
            if (lines[l].n)
                memcpy(to, lines[l].p, lines[l].n);
            to += lines[l].n;
            *to++ = '\n';
        }
    }
    free(lines);
    return out;
}

/* Of a unit of Fortran whose text was preprocessed by an earlier step. */
static char *preprocessed_text(const hsc_pass *p, const char *path, size_t *size) {
    char unit[8192];
    size_t n = 0;
    unsigned line;
    hsc_ir_text name;
    path_of(&p->unit.directory, &p->unit.name, unit, sizeof unit);
    char *text = p->is_fortran && p->unit.name.n && strcmp(unit, path) ? read_text(unit, &n) : NULL;
    const char *end = text ? memchr(text, '\n', n) : NULL;
    char *out = end && is_marker((span){text, (size_t)(end - text)}, &line, &name) ? lines_of(p, (span){text, n}, path, size) : NULL;
    free(text);
    return out;
}

static void load(hsc_pass *p, uint32_t file_id, hsc_source *s) {
    const hsc_rec_file *f = &p->files.p[file_id - 1];
    char path[8192];
    size_t size = 0;
    s->tried = true;
    path_of(&(hsc_ir_text){f->directory.p, f->directory.n}, &(hsc_ir_text){f->path.p, f->path.n}, path, sizeof path);
    char *text = preprocessed_text(p, path, &size);
    text = text ? text : read_text(path, &size);
    if (!text)
        return;
    uint32_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    s->text = text;
    s->size = size;
    s->lines = lines;
    s->line_start = hsc_pass_alloc((lines + 1) * sizeof *s->line_start);
    uint32_t line = 1;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n')
            s->line_start[line++] = (uint32_t)i + 1;
    s->line_start[lines] = (uint32_t)size;
}

static hsc_source *source_of(hsc_pass *p, uint32_t file_id) {
    if (!file_id || file_id > p->sources.n)
        return NULL;
    hsc_source *s = &p->sources.p[file_id - 1];
    if (!s->tried)
        load(p, file_id, s);
    return s->text ? s : NULL;
}

void hsc_source_fini(hsc_source *s) {
    free(s->text);
    free(s->line_start);
}

bool hsc_source_is_readable(hsc_pass *p, uint32_t file_id) {
    return source_of(p, file_id) != NULL;
}

/* The line from a column on (from 1), without what ends it. */
static span line_from(const hsc_source *s, unsigned line, unsigned column) {
    if (!line || line > s->lines)
        return (span){"", 0};
    const char *begin = s->text + s->line_start[line - 1], *end = s->text + s->line_start[line];
    while (end > begin && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    size_t skip = column ? column - 1 : 0;
    if (skip >= (size_t)(end - begin))
        return (span){"", 0};
    return (span){begin + skip, (size_t)(end - begin) - skip};
}

bool hsc_source_line(hsc_pass *p, uint32_t file_id, unsigned line, hsc_ir_text *out) {
    const hsc_source *s = source_of(p, file_id);
    if (!s || !line || line > s->lines)
        return false;
    span t = line_from(s, line, 1);
    *out = (hsc_ir_text){t.p, t.n};
    return true;
}

bool hsc_source_text(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, const char **text, size_t *size) {
    const hsc_source *s = source_of(p, file_id);
    span t = s ? line_from(s, line, column) : (span){"", 0};
    if (!t.n)
        return false;
    *text = t.p;
    *size = (size_t)(s->text + s->size - t.p);
    return true;
}

static bool is_word_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* True when t begins with the word; *rest is what follows it. */
static bool word(span t, const char *w, span *rest) {
    size_t n = strlen(w);
    if (t.n < n || strncasecmp(t.p, w, n) || (t.n > n && is_word_char(t.p[n])))
        return false;
    *rest = (span){t.p + n, t.n - n};
    return true;
}

/* ---- C and C++ ------------------------------------------------------------------------------------------------------ */

/* `for (a; b; c)` or `for (a : b)`: looks for a semicolon inside the outermost parentheses. */
static uint64_t kind_of_for(const hsc_source *s, const char *after) {
    const char *end = s->text + s->size;
    int depth = 0;
    for (const char *c = after; c < end && c - after < 4000; c++) {
        if (*c == '"' || *c == '\'') {
            char quote = *c;
            for (c++; c < end && *c != quote && *c != '\n'; c++)
                c += *c == '\\' && c + 1 < end;
        } else if (*c == '/' && c + 1 < end && c[1] == '/') {
            while (c + 1 < end && c[1] != '\n')
                c++;
        } else if (*c == '/' && c + 1 < end && c[1] == '*') {
            for (c += 2; c + 1 < end && !(*c == '*' && c[1] == '/'); c++)
                ;
            c++;
        } else if (*c == '(' || *c == '[' || *c == '{') {
            depth++;
        } else if (*c == ')' || *c == ']' || *c == '}') {
            if (--depth <= 0)
                return HSC_loop_kind_RANGE_FOR;
        } else if (*c == ';' && depth <= 1) {
            return HSC_loop_kind_FOR;
        }
    }
    return HSC_loop_kind_FOR;
}

bool hsc_source_c_loop(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, uint64_t *kind) {
    const hsc_source *s = source_of(p, file_id);
    if (!s || !column)
        return false;
    span t = line_from(s, line, column), rest;
    if (word(t, "for", &rest))
        *kind = p->is_cxx ? kind_of_for(s, rest.p) : HSC_loop_kind_FOR;
    else if (word(t, "while", &rest))
        *kind = HSC_loop_kind_WHILE;
    else if (word(t, "do", &rest))
        *kind = HSC_loop_kind_DO_WHILE;
    else
        return false;
    return true;
}

unsigned hsc_source_c_close(hsc_pass *p, uint32_t file_id, unsigned begin, unsigned end) {
    const hsc_source *s = source_of(p, file_id);
    if (!s || !begin)
        return end;
    span first = line_from(s, begin, 1);
    size_t indent = first.n - skip_blanks(first).n;
    for (unsigned l = end + 1; l <= s->lines && l < end + 12; l++) {
        span all = line_from(s, l, 1), t = skip_blanks(all);
        size_t at = all.n - t.n;
        if (!t.n)
            continue;
        if (*t.p != '}' || at < indent)
            return end;
        if (at == indent)
            return l;
    }
    return end;
}

bool hsc_source_is_pragma(hsc_pass *p, uint32_t file_id, unsigned line) {
    const hsc_source *s = source_of(p, file_id);
    if (!s)
        return false;
    span t = skip_blanks(line_from(s, line, 1)), rest;
    if (!t.n || *t.p != '#')
        return false;
    t = skip_blanks((span){t.p + 1, t.n - 1});
    return word(t, "pragma", &rest) && word(skip_blanks(rest), "omp", &rest);
}

bool hsc_source_omp_for(hsc_pass *p, uint32_t file_id, unsigned *line, unsigned *column) {
    const hsc_source *s = source_of(p, file_id);
    if (!s)
        return false;
    bool continued = false;
    for (unsigned l = *line; l < *line + 40 && l <= s->lines; l++) {
        span all = line_from(s, l, 1), t = skip_blanks(all), rest;
        bool directive = continued || (t.n && *t.p == '#');
        continued = directive && all.n && all.p[all.n - 1] == '\\';
        if (directive || !word(t, "for", &rest))
            continue;
        *line = l;
        *column = (unsigned)(t.p - all.p) + 1;
        return true;
    }
    return false;
}

/* ---- Fortran -------------------------------------------------------------------------------------------------------- */

typedef struct statement {
    span label; /* digits before it */
    span text;  /* from the keyword on, construct name skipped */
} statement;

/* The first statement of a line; empty for comments and directives. */
static statement statement_at(const hsc_source *s, unsigned line, unsigned column) {
    span t = line_from(s, line, column);
    statement out = {{"", 0}, {"", 0}};
    bool at_start = column <= 1;
    if (!t.n || *t.p == '!' || *t.p == '#' || (at_start && (*t.p == '*' || ((*t.p == 'c' || *t.p == 'C') &&
                                                                            (t.n == 1 || !is_word_char(t.p[1]))))))
        return out;
    t = skip_blanks(t);
    if (!t.n || *t.p == '!' || *t.p == '&')
        return out;
    size_t digits = 0;
    while (digits < t.n && isdigit((unsigned char)t.p[digits]))
        digits++;
    out.label = (span){t.p, digits};
    t = skip_blanks((span){t.p + digits, t.n - digits});
    size_t name = 0;
    while (name < t.n && is_word_char(t.p[name]))
        name++;
    span after = skip_blanks((span){t.p + name, t.n - name});
    if (name && after.n > 1 && after.p[0] == ':' && after.p[1] != ':')
        t = skip_blanks((span){after.p + 1, after.n - 1});
    out.text = t;
    return out;
}

/* A DO statement? *label: of `do 10 i = ...`, else empty. */
static bool is_do(span t, uint64_t *kind, span *label) {
    span rest;
    *label = (span){"", 0};
    if (t.n < 2 || strncasecmp(t.p, "do", 2))
        return false;
    rest = skip_blanks((span){t.p + 2, t.n - 2});
    bool spaced = rest.p > t.p + 2;
    if (rest.n >= 10 && !strncasecmp(rest.p, "concurrent", 10)) {
        *kind = HSC_loop_kind_DO_CONCURRENT;
        return true;
    }
    if (rest.n >= 5 && !strncasecmp(rest.p, "while", 5) && skip_blanks((span){rest.p + 5, rest.n - 5}).n &&
        *skip_blanks((span){rest.p + 5, rest.n - 5}).p == '(') {
        *kind = HSC_loop_kind_WHILE;
        return true;
    }
    *kind = HSC_loop_kind_DO;
    if (!rest.n || *rest.p == '!')
        return true;
    if (isdigit((unsigned char)*rest.p)) {
        size_t n = 0;
        while (n < rest.n && isdigit((unsigned char)rest.p[n]))
            n++;
        *label = (span){rest.p, n};
        return memchr(rest.p, '=', rest.n) != NULL || n == rest.n;
    }
    return spaced && isalpha((unsigned char)*rest.p) && memchr(rest.p, '=', rest.n) != NULL;
}

static bool is_end_do(span t) {
    span rest;
    return word(t, "enddo", &rest) || (word(t, "end", &rest) && word(skip_blanks(rest), "do", &rest));
}

static bool is_end_of_unit(span t) {
    static const char *const units[] = {"subroutine", "function", "program", "module", "procedure"};
    span rest, more;
    if (!word(t, "end", &rest)) {
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            char joined[32];
            snprintf(joined, sizeof joined, "end%s", units[i]);
            if (word(t, joined, &rest))
                return true;
        }
        return false;
    }
    rest = skip_blanks(rest);
    if (!rest.n || *rest.p == '!')
        return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (word(rest, units[i], &more))
            return true;
    return false;
}

bool hsc_source_is_fortran_directive(hsc_pass *p, uint32_t file_id, unsigned line) {
    const hsc_source *s = source_of(p, file_id);
    if (!s)
        return false;
    span t = skip_blanks(line_from(s, line, 1));
    return t.n > 5 && strchr("!cC*", *t.p) && !strncasecmp(t.p + 1, "$omp", 4);
}

bool hsc_source_fortran_loop(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, uint64_t *kind) {
    const hsc_source *s = source_of(p, file_id);
    if (!s)
        return false;
    statement st = statement_at(s, line, column);
    span rest;
    if (is_do(st.text, kind, &rest))
        return true;
    if (word(st.text, "where", &rest) || word(st.text, "forall", &rest)) {
        *kind = HSC_loop_kind_ARRAY;
        return true;
    }
    return false;
}

/* WHERE (mask) without an assignment behind it: the first line of a construct. */
static bool is_where_construct(span t) {
    span rest;
    size_t i = 0;
    int depth = 0;
    if (!word(t, "where", &rest))
        return false;
    rest = skip_blanks(rest);
    for (; i < rest.n && (depth || !i); i++)
        depth += (rest.p[i] == '(') - (rest.p[i] == ')');
    rest = skip_blanks((span){rest.p + i, rest.n - i});
    return !depth && (!rest.n || *rest.p == '!');
}

unsigned hsc_source_fortran_where(hsc_pass *p, uint32_t file_id, unsigned line) {
    const hsc_source *s = source_of(p, file_id);
    unsigned closed = 0;
    for (unsigned l = line; s && l && line - l < FORTRAN_SCAN_LINES; l--) {
        span t = statement_at(s, l, 1).text, rest;
        if (is_end_of_unit(t))
            return 0;
        if (l < line && (word(t, "endwhere", &rest) || (word(t, "end", &rest) && word(skip_blanks(rest), "where", &rest))))
            closed++;
        else if (is_where_construct(t) && !closed--)
            return l;
    }
    return 0;
}

/* The DO statement that follows a directive. */
static bool do_below(const hsc_source *s, unsigned line, unsigned *do_line, unsigned *column) {
    for (unsigned l = line + 1; l < line + 40 && l <= s->lines; l++) {
        statement st = statement_at(s, l, 1);
        uint64_t kind;
        span label;
        if (!st.text.n)
            continue;
        *do_line = l;
        *column = (unsigned)(st.text.p - line_from(s, l, 1).p) + 1;
        return is_do(st.text, &kind, &label);
    }
    return false;
}

bool hsc_source_fortran_do_at(hsc_pass *p, uint32_t file_id, unsigned line, unsigned *do_line, unsigned *column) {
    const hsc_source *s = source_of(p, file_id);
    unsigned closed = 0;
    if (!s)
        return false;
    if (hsc_source_is_fortran_directive(p, file_id, line))
        return do_below(s, line, do_line, column);
    for (unsigned l = line; l > 1 && line - l < 2000; l--) {
        statement st = statement_at(s, l - 1, 1);
        uint64_t kind;
        span label;
        if (is_end_of_unit(st.text))
            return false;
        if (is_end_do(st.text)) {
            closed++;
        } else if (is_do(st.text, &kind, &label)) {
            if (closed) {
                closed -= !label.n; /* a labelled DO is closed by its label, not by END DO */
                continue;
            }
            *do_line = l - 1;
            *column = (unsigned)(st.text.p - line_from(s, l - 1, 1).p) + 1;
            return true;
        }
    }
    return false;
}

unsigned hsc_source_fortran_do_end(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column) {
    const hsc_source *s = source_of(p, file_id);
    span label, open[FORTRAN_LABELS_MAX];
    unsigned depth = 0;
    uint64_t kind;
    if (!s || !is_do(statement_at(s, line, column).text, &kind, &label))
        return 0;
    open[depth++] = label;
    for (unsigned l = line + 1; l <= s->lines && l - line < FORTRAN_SCAN_LINES; l++) {
        statement st = statement_at(s, l, 1);
        if (is_end_of_unit(st.text))
            return 0;
        if (is_do(st.text, &kind, &label)) {
            if (depth == FORTRAN_LABELS_MAX)
                return 0;
            open[depth++] = label;
        } else if (is_end_do(st.text) && !open[depth - 1].n) {
            depth--;
        }
        /* one labelled statement may end several loops */
        while (depth && st.label.n && open[depth - 1].n == st.label.n &&
               !memcmp(open[depth - 1].p, st.label.p, st.label.n))
            depth--;
        if (!depth)
            return l;
    }
    return 0;
}

bool hsc_source_fortran_endless_do(hsc_pass *p, uint32_t file_id, unsigned low, unsigned high, unsigned *line,
                                   unsigned *column) {
    const hsc_source *s = source_of(p, file_id);
    if (!s || !hsc_source_fortran_do_at(p, file_id, low, line, column))
        return false;
    span rest = statement_at(s, *line, *column).text;
    rest = skip_blanks((span){rest.p + 2, rest.n - 2});
    return (!rest.n || *rest.p == '!') && hsc_source_fortran_do_end(p, file_id, *line, *column) >= high;
}

bool hsc_source_fortran_has_label(hsc_pass *p, uint32_t file_id, unsigned low, unsigned high) {
    const hsc_source *s = source_of(p, file_id);
    for (unsigned l = low; s && l <= high && l <= s->lines && l - low < FORTRAN_SCAN_LINES; l++)
        if (statement_at(s, l, 1).label.n)
            return true;
    return false;
}

bool hsc_source_fortran_program(hsc_pass *p, uint32_t file_id, unsigned line, char *name, size_t size) {
    const hsc_source *s = source_of(p, file_id);
    span t, rest;
    if (!s)
        return false;
    /* the location may be that of the first statement after PROGRAM */
    for (unsigned l = line; l && line - l < 200; l--) {
        t = statement_at(s, l, 1).text;
        if (word(t, "program", &rest)) {
            rest = skip_blanks(rest);
            size_t n = 0;
            while (n < rest.n && is_word_char(rest.p[n]) && n + 1 < size) {
                name[n] = (char)tolower((unsigned char)rest.p[n]);
                n++;
            }
            name[n] = 0;
            return n > 0;
        }
        if (l != line && is_end_of_unit(t))
            return false;
    }
    return false;
}
