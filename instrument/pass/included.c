/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statements of Fortran that stand in a file which a procedure includes (`#include "x.inc"`, `include 'x.inc'`): flang 19 gives them the number of
 * their line there, but the file that includes. What can't stand at its place (a comment, a blank line, before the procedure) is given the file that it is
 * of: that which is included between the statements round it and has a statement there. Nothing of the code is changed. */
#include "pass.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INCLUDES_MAX 256u
#define TEXT_MAX (1u << 20)

typedef struct include {
    unsigned line;   /* of the statement that includes */
    char path[1024]; /* as it was opened, from the compiler's folder or absolute; empty: not found */
    char *text;
    unsigned *begins; /* of its lines, and of the end behind the last one */
    unsigned lines;
} include;

typedef struct strays {
    hsc_pass *p;
    uint32_t file_id; /* that includes */
    include *list;
    unsigned n;
    bool looked, is_fixed; /* form of the source */
} strays;

typedef struct stray {
    LLVMValueRef instruction;
    unsigned line, column;
} stray;

static hsc_ir_text line_of(const include *x, unsigned line) {
    if (!line || line > x->lines)
        return (hsc_ir_text){"", 0};
    size_t n = x->begins[line] - x->begins[line - 1];
    const char *p = x->text + x->begins[line - 1];
    while (n && (p[n - 1] == '\n' || p[n - 1] == '\r'))
        n--;
    return (hsc_ir_text){p, n};
}

/* Can something that is compiled begin there: a word or a sign in no comment? Column 0: anything in the line. */
static bool is_code(hsc_ir_text t, unsigned column, bool is_fixed) {
    size_t first = 0;
    while (first < t.n && isspace((unsigned char)t.p[first]))
        first++;
    if (first == t.n || t.p[first] == '!' || t.p[first] == '#' || (is_fixed && !first && strchr("cC*", t.p[0])))
        return false;
    if (!column)
        return true;
    char c = column <= t.n ? t.p[column - 1] : ' ', before = column > 1 && column <= t.n ? t.p[column - 2] : ' ';
    bool is_word = isalnum((unsigned char)c) || c == '_', follows = isalnum((unsigned char)before) || before == '_';
    return !isspace((unsigned char)c) && !(is_word && follows);
}

/* Begins a statement there? Lines that go on with one do not. */
static bool begins_statement(const include *x, unsigned line, bool is_fixed) {
    hsc_ir_text t = line_of(x, line), up = line_of(x, line - 1);
    while (up.n && isspace((unsigned char)up.p[up.n - 1]))
        up.n--;
    return is_code(t, 0, is_fixed) && !(up.n && up.p[up.n - 1] == '&');
}

static void read_include(include *x) {
    FILE *f = fopen(x->path, "rb");
    char *text = f ? malloc(TEXT_MAX + 1) : NULL;
    size_t n = text ? fread(text, 1, TEXT_MAX, f) : 0;
    if (f)
        fclose(f);
    unsigned lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    unsigned *begins = n && memchr(text, 0, n) == NULL ? malloc(((size_t)lines + 2) * sizeof *begins) : NULL;
    if (!begins) {
        free(text);
        x->path[0] = 0;
        return;
    }
    begins[0] = 0;
    x->lines = 1;
    for (size_t i = 0; i + 1 < n; i++)
        if (text[i] == '\n')
            begins[x->lines++] = (unsigned)i + 1;
    begins[x->lines] = (unsigned)n;
    x->text = text;
    x->begins = begins;
}

static bool try_path(include *x, const char *folder, size_t n, hsc_ir_text name) {
    const char *slash = n && folder[n - 1] != '/' ? "/" : "";
    if (snprintf(x->path, sizeof x->path, "%.*s%s%.*s", (int)n, folder, slash, (int)name.n, name.p) >= (int)sizeof x->path)
        x->path[0] = 0;
    if (x->path[0])
        read_include(x);
    return x->text != NULL;
}

/* Beside the file, then where the compiler was told to look (-I), as it says itself. */
static void find_include(const hsc_pass *p, uint32_t file_id, include *x, hsc_ir_text name) {
    const hsc_rec_file *f = &p->files.p[file_id - 1];
    size_t folder = f->path.n;
    while (folder && f->path.p[folder - 1] != '/')
        folder--;
    if (*name.p == '/') {
        (void)try_path(x, "", 0, name);
        return;
    }
    if (try_path(x, f->path.p, folder, name))
        return;
    enum { ROOM = 1 << 16 };
    char *line = hsc_pass_alloc(ROOM);
    FILE *command = fopen("/proc/self/cmdline", "rb");
    size_t n = command ? fread(line, 1, ROOM - 1, command) : 0;
    if (command)
        fclose(command);
    line[n] = 0;
    for (char *w = line, *next; w < line + n && !x->text; w = next) {
        next = w + strlen(w) + 1;
        if (strncmp(w, "-I", 2))
            continue;
        const char *at = w[2] ? w + 2 : next < line + n ? next : "";
        (void)try_path(x, at, strlen(at), name);
    }
    free(line);
}

/* `#include "x"` and `include 'x'`; the name in its quotes. */
static bool is_include(hsc_ir_text t, hsc_ir_text *name) {
    const char *at = t.p, *end = t.p + t.n;
    while (at < end && isspace((unsigned char)*at))
        at++;
    bool sign = at < end && *at == '#';
    for (at += sign; at < end && isspace((unsigned char)*at); at++)
        ;
    if (end - at < 10 || strncasecmp(at, "include", 7))
        return false;
    for (at += 7; at < end && isspace((unsigned char)*at); at++)
        ;
    if (at == end || (*at != '"' && *at != '\''))
        return false;
    const char *close = memchr(at + 1, *at, (size_t)(end - at) - 1);
    *name = (hsc_ir_text){at + 1, close ? (size_t)(close - at) - 1 : 0};
    return name->n != 0;
}

static void find_includes(strays *s, unsigned from) {
    hsc_ir_text t, name;
    s->looked = true;
    for (unsigned line = from + 1; hsc_source_line(s->p, s->file_id, line, &t) && s->n < INCLUDES_MAX; line++) {
        if (!is_include(t, &name))
            continue;
        if (!s->list)
            s->list = hsc_pass_alloc(INCLUDES_MAX * sizeof *s->list);
        include *x = &s->list[s->n++];
        *x = (include){.line = line};
        find_include(s->p, s->file_id, x, name);
    }
}

/* Statements of the file that none of these, in the order of their lines, is of; UINT_MAX: some can't be of it. */
static unsigned left_over(const include *x, const stray *run, size_t n, bool is_fixed) {
    unsigned left = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_code(line_of(x, run[i].line), run[i].column, is_fixed))
            return ~0u;
    for (unsigned line = 1, i = 0; line <= x->lines; line++) {
        while (i < n && run[i].line < line)
            i++;
        left += begins_statement(x, line, is_fixed) && !(i < n && run[i].line == line);
    }
    return left;
}

/* Instructions that follow each other, of one included file, between lines `low` and `high` of the one that includes; `last`: what stands before them was of
 * that (UINT_MAX: of none), which they are only where none of the next ones is as good. Returns which file. */
static unsigned place(strays *s, const stray *run, size_t n, unsigned last, unsigned low, unsigned high) {
    unsigned best = ~0u, least = ~0u, first = last == ~0u ? 0 : last + 1;
    for (unsigned i = first; i < s->n + (first > 0); i++) {
        unsigned k = i < s->n ? i : last;
        if (s->list[k].line <= low || s->list[k].line >= high || !s->list[k].text)
            continue;
        unsigned left = left_over(&s->list[k], run, n, s->is_fixed);
        if (left < least) {
            least = left;
            best = k;
        }
    }
    for (size_t i = 0; i < n && best != ~0u; i++)
        hsc_ir_set_file(run[i].instruction, s->list[best].path);
    return best == ~0u ? last : best;
}

/* Parts of a run whose lines go up are of one file each: the next of several begins at its top again. */
static void place_all(strays *s, const stray *run, size_t n, unsigned low, unsigned high) {
    unsigned k = ~0u;
    for (size_t i = 0, m; i < n; i += m) {
        for (m = 1; i + m < n && run[i + m].line >= run[i + m - 1].line; m++)
            ;
        k = place(s, run + i, m, k, low, high);
    }
}

static bool names_procedure(hsc_ir_text t) {
    static const char *const words[] = {"subroutine", "function", "procedure", "program"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        for (size_t i = 0; i + strlen(words[k]) <= t.n; i++)
            if (!strncasecmp(t.p + i, words[k], strlen(words[k])))
                return true;
    return false;
}

/* By its name, as flang tells it. */
static bool is_fixed_form(const hsc_rec_file *f) {
    static const char *const ends[] = {".f", ".for", ".ftn", ".fpp"};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        size_t n = strlen(ends[k]);
        if (f->path.n > n && !strncasecmp(f->path.p + f->path.n - n, ends[k], n))
            return true;
    }
    return false;
}

void hsc_included_function(hsc_pass *p, LLVMValueRef function, const hsc_rec_procedure *r) {
    HSC_VECTOR(stray) run = {0};
    hsc_ir_text t;
    strays s = {.p = p};
    const hsc_rec_procedure *host = r;
    for (unsigned hops = 0; (host->flags & HSC_procedure_flag_OUTLINED) && host->parent_id && hops < 64; hops++)
        host = &p->procedures.p[host->parent_id - 1];
    unsigned begin = (unsigned)host->line_begin, low = begin;
    s.file_id = (uint32_t)host->file_id;
    if (!p->is_fortran || !s.file_id || !begin || !hsc_source_line(p, s.file_id, begin, &t) ||
        (!names_procedure(t) && !(host->flags & HSC_procedure_flag_MAIN)))
        return;
    s.is_fixed = is_fixed_form(&p->files.p[s.file_id - 1]);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            hsc_ir_loc loc;
            if (!hsc_ir_get_loc(i, &loc) || !loc.line || loc.inlined_at || hsc_pass_file(p, loc.file) != s.file_id)
                continue;
            if (loc.line < begin || !hsc_source_line(p, s.file_id, loc.line, &t) || !is_code(t, loc.column, s.is_fixed)) {
                if (!s.looked)
                    find_includes(&s, begin);
                if (s.n)
                    *HSC_VECTOR_ADD(run) = (stray){i, loc.line, loc.column};
                continue;
            }
            if (run.n) {
                place_all(&s, run.p, run.n, low, loc.line > low ? loc.line : ~0u);
                run.n = 0;
            }
            low = loc.line;
        }
    if (run.n)
        place_all(&s, run.p, run.n, low, ~0u);
    for (unsigned k = 0; k < s.n; k++) {
        free(s.list[k].text);
        free(s.list[k].begins);
    }
    free(s.list);
    free(run.p);
}
