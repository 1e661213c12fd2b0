/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A simulated program: files, procedures, loop nests, lines with weights, calling contexts, and its source text. */
#include "simulate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define none HSC_NONE

uint64_t sim_next(sim_random *r) {
    uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double sim_unit(sim_random *r) { return (double)(sim_next(r) >> 11) * 0x1p-53; }

uint32_t sim_below(sim_random *r, uint32_t n) { return (uint32_t)(((sim_next(r) >> 32) * n) >> 32); }

void *sim_must(void *p) {
    if (!p) {
        fprintf(stderr, "heatscope-simulate: out of memory\n");
        exit(1);
    }
    return p;
}

void *sim_grow(void *array, uint32_t n, uint32_t *capacity, size_t size) {
    if (n < *capacity)
        return array;
    *capacity = *capacity ? 2 * *capacity : 256;
    return sim_must(realloc(array, *capacity * size));
}

static const char *const stems[] = {"sweep", "solve", "flux", "halo", "advect", "smooth", "restrict", "prolong", "assemble",
                                    "gather", "scatter", "pack", "update", "limiter", "source", "bound", "filter", "project"};
static const char *const tails[] = {"x", "y", "z", "xy", "face", "cell", "edge", "line", "plane", "block", "level", "tile"};
static const char *const folders[] = {"core", "solver", "comm", "mesh", "physics"};
static const char *const arrays[] = {"a", "b", "rho", "vel", "phi", "res", "tmp", "coef"};
enum { STEMS = sizeof stems / sizeof *stems, TAILS = sizeof tails / sizeof *tails, FOLDERS = sizeof folders / sizeof *folders,
       ARRAYS = sizeof arrays / sizeof *arrays };

typedef struct writer { /* of one file's text */
    sim_program *p;
    sim_random r;
    uint32_t file, scope, depth;
    double weight;
} writer;

static char *format(const char *fmt, ...) {
    char buffer[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buffer, sizeof buffer, fmt, ap);
    va_end(ap);
    char *s = strdup(buffer);
    if (!s)
        exit(1);
    return s;
}

/* One line of text; code: it gets a row of the line table. */
static void line(writer *w, bool code, const char *fmt, ...) {
    sim_program *p = w->p;
    sim_file *f = &p->files[w->file];
    f->lines++;
    if (code) {
        p->lines = sim_grow(p->lines, p->n_lines, &p->line_capacity, sizeof *p->lines);
        double weight = w->weight * (0.05 + sim_unit(&w->r));
        p->lines[p->n_lines++] = (sim_line){w->file, f->lines, w->scope, weight};
    }
    if (!p->options.sources && !p->options.details)
        return;
    char buffer[400];
    int indent = f->language == 1 ? 2 + 2 * (int)w->depth : 4 * (int)w->depth;
    int n = snprintf(buffer, sizeof buffer, "%*s", fmt[0] ? indent : 0, "");
    va_list ap;
    va_start(ap, fmt);
    n += vsnprintf(buffer + n, sizeof buffer - (size_t)n - 1, fmt, ap);
    va_end(ap);
    buffer[n++] = '\n';
    if (f->size + (size_t)n > f->capacity) {
        f->capacity = 2 * f->capacity + 4096;
        f->text = realloc(f->text, f->capacity);
        if (!f->text)
            exit(1);
    }
    memcpy(f->text + f->size, buffer, (size_t)n);
    f->size += (size_t)n;
}

static uint32_t open_scope(sim_program *p, hsc_scope_kind kind, uint32_t parent, char *name) {
    p->scopes = sim_grow(p->scopes, p->n_scopes, &p->scope_capacity, sizeof *p->scopes);
    sim_scope *s = &p->scopes[p->n_scopes];
    *s = (sim_scope){.parent = parent, .kind = kind, .name = name, .procedure = none, .module = none, .file = none};
    if (parent < p->n_scopes) {
        const sim_scope *up = &p->scopes[parent];
        s->module = up->module;
        s->file = up->file;
        s->procedure = up->procedure;
        s->knowledge = up->knowledge;
        s->depth = up->depth;
    }
    s->first_line = p->n_lines;
    return p->n_scopes++;
}

static void close_scope(sim_program *p, uint32_t scope) {
    p->scopes[scope].end = p->n_scopes;
    p->scopes[scope].last_line = p->n_lines;
}

static uint32_t open_file(sim_program *p, uint32_t module_scope, uint32_t module, char *path, int language) {
    p->files = sim_grow(p->files, p->n_files, &p->file_capacity, sizeof *p->files);
    uint32_t scope = open_scope(p, HSC_SCOPE_FILE, module_scope, strdup(path));
    p->scopes[scope].file = p->n_files;
    p->files[p->n_files] = (sim_file){.path = path, .language = language, .scope = scope, .module = module};
    return p->n_files++;
}

static void statement(writer *w) {
    static const char *const fortran[] = {"%s(i,j,k) = %s(i-1,j,k) * c%u + tmp", "%s(i,j,k) = tmp - %s(i,j,k+1) / w%u",
                                          "tmp = tmp + %s(i,j,k) * %s(i,j,k) / d%u", "if (%s(i,j,k) > %s(i,j,k)) tmp = 0.%ud0"};
    static const char *const c[] = {"%s[IX(i, j, k)] = %s[IX(i - 1, j, k)] * c%u + t;", "%s[IX(i, j, k)] -= w * %s[IX(i, j, k + %u)];",
                                    "t += %s[i] * %s[i] * inv_h%u;", "if (%s[i] > %s[i]) t = 0.%u;"};
    const char *a = arrays[sim_below(&w->r, ARRAYS)], *b = arrays[sim_below(&w->r, ARRAYS)];
    uint32_t k = sim_below(&w->r, 4);
    line(w, true, w->p->files[w->file].language == 1 ? fortran[k] : c[k], a, b, sim_below(&w->r, 9));
}

static void loop(writer *w, uint32_t budget) {
    static const char *const variable = "kjilmn";
    sim_program *p = w->p;
    bool fortran = p->files[w->file].language == 1;
    uint32_t outer = w->scope, depth = p->scopes[outer].depth;
    double weight = w->weight;
    char v = variable[depth < 6 ? depth : 5];
    uint32_t s = open_scope(p, HSC_SCOPE_LOOP, outer, strdup(fortran ? "do" : "for"));
    p->scopes[s].depth = depth + 1;
    w->scope = s;
    w->weight *= 6;
    if (fortran)
        line(w, true, "do %c = 2, n%c - 1", v, v);
    else
        line(w, true, "for (int %c = 1; %c < n%c - 1; %c++) {", v, v, v, v);
    p->scopes[s].line_begin = p->files[w->file].lines;
    w->depth++;
    uint32_t inner = budget > 3 ? budget - 2 : 1;
    if (depth < 3 && inner > 4 && sim_below(&w->r, 3)) {
        if (sim_below(&w->r, 2))
            statement(w);
        loop(w, inner - 1);
        if (sim_below(&w->r, 3) == 0)
            statement(w);
    } else
        for (uint32_t i = 0; i < inner && i < 14; i++)
            statement(w);
    w->depth--;
    line(w, false, fortran ? "end do" : "}");
    p->scopes[s].line_end = p->files[w->file].lines;
    close_scope(p, s);
    w->scope = outer;
    w->weight = weight;
}

static char *procedure_name(writer *w, uint32_t number) {
    const char *a = stems[sim_below(&w->r, STEMS)], *b = tails[sim_below(&w->r, TAILS)];
    if (number == 0)
        return format("main");
    if (w->p->files[w->file].language != 2)
        return format("%s_%s_%u", a, b, number);
    return format("sim::%s::Kernel<double, sim::Layout<3, sim::RowMajor>, sim::policy::Blocked<%u>>::%s_%s"
                  "(sim::View<double const, 3> const&, sim::View<double, 3>&, unsigned long) const", a, 8u << sim_below(&w->r, 4), b,
                  stems[number % STEMS]);
}

static void procedure(writer *w, uint32_t number) {
    sim_program *p = w->p;
    int language = p->files[w->file].language;
    uint32_t s = open_scope(p, HSC_SCOPE_PROCEDURE, p->files[w->file].scope, procedure_name(w, number));
    p->scopes[s].procedure = s;
    p->procedures = sim_grow(p->procedures, p->n_procedures, &p->procedure_capacity, sizeof *p->procedures);
    p->procedures[p->n_procedures++] = s;
    p->scopes[s].weight = 1;
    w->scope = s;
    w->weight = 1;
    w->depth = 0;
    line(w, false, language == 1 ? "! Simulated source: stands for no real program." : "/* Simulated source: stands for no real program. */");
    line(w, true, language == 1 ? "subroutine %s(a, b, n)" : language == 2 ? "auto %.250s {" : "void %s(double *a, double *b, int n) {",
         p->scopes[s].name);
    p->scopes[s].line_begin = p->files[w->file].lines;
    w->depth = 1;
    line(w, false, language == 1 ? "real(8) :: tmp" : "double t = 0;");
    uint32_t loops = 1 + sim_below(&w->r, 3);
    for (uint32_t i = 0; i < loops; i++) {
        for (uint32_t k = sim_below(&w->r, 3); k; k--)
            statement(w);
        loop(w, 4 + sim_below(&w->r, 12));
        line(w, true, language == 1 ? "call next_%u(a, b, n)" : "next_%u(a, b, n);", i);
        line(w, false, "");
    }
    w->depth = 0;
    line(w, true, language == 1 ? "end subroutine" : "}");
    p->scopes[s].line_end = p->files[w->file].lines;
    line(w, false, "");
    close_scope(p, s);
}

/* Rank-ordered weights and how the work of each procedure is spread; then the weights of lines. */
static void spread_weights(sim_program *p, sim_random *r) {
    uint32_t n = p->n_procedures - p->n_library;
    uint32_t *rank = malloc((n + 1) * sizeof *rank);
    if (!rank)
        exit(1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = sim_below(r, i + 1);
        rank[i] = rank[j];
        rank[j] = i;
    }
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sim_scope *s = &p->scopes[p->procedures[i]];
        s->weight = 1.0 / (rank[i] + 2.0);
        s->mode = rank[i] < 4 ? (int)rank[i] : (int)sim_below(r, 8);
        double own = 0;
        for (uint32_t k = s->first_line; k < s->last_line; k++)
            own += p->lines[k].weight;
        for (uint32_t k = s->first_line; k < s->last_line; k++) {
            p->lines[k].weight *= s->weight / own;
            sum += p->lines[k].weight;
        }
    }
    for (uint32_t k = 0; k < p->n_lines; k++)
        p->lines[k].weight = p->scopes[p->lines[k].scope].kind == HSC_SCOPE_FILE ? 0 : p->lines[k].weight / sum;
    free(rank);
}

static void libraries(sim_program *p, uint32_t program) {
    static const struct {
        const char *path, *procedure[4];
        uint32_t category[4];
    } list[] = {{"/usr/lib/x86_64-linux-gnu/libmpi.so.40", {"MPI_Waitall", "MPI_Allreduce", "MPI_Isend", NULL},
                 {SIM_WAITING, SIM_COMMUNICATION, SIM_COMMUNICATION, 0}},
                {"/usr/lib/x86_64-linux-gnu/libc.so.6", {"write", "memcpy", NULL, NULL}, {SIM_IO, SIM_COMPUTATION, 0, 0}}};
    for (uint32_t m = 0; m < 2; m++) {
        uint32_t module = open_scope(p, HSC_SCOPE_MODULE, program, strdup(list[m].path));
        p->scopes[module].module = 1 + m;
        p->scopes[module].knowledge = HSC_KNOWN_SYMBOL;
        uint32_t f = open_file(p, module, 1 + m, strdup(list[m].path), -1);
        uint32_t scope = p->files[f].scope;
        p->lines = sim_grow(p->lines, p->n_lines, &p->line_capacity, sizeof *p->lines);
        p->lines[p->n_lines++] = (sim_line){f, 0, scope, 0};
        for (int i = 0; list[m].procedure[i]; i++) {
            uint32_t s = open_scope(p, HSC_SCOPE_PROCEDURE, scope, strdup(list[m].procedure[i]));
            p->scopes[s].procedure = s;
            p->scopes[s].category = list[m].category[i];
            p->scopes[s].first_line = p->n_lines - 1;
            p->procedures = sim_grow(p->procedures, p->n_procedures, &p->procedure_capacity, sizeof *p->procedures);
            p->procedures[p->n_procedures++] = s;
            p->n_library++;
            close_scope(p, s);
        }
        close_scope(p, scope);
        close_scope(p, module);
    }
}

/* ---- contexts ---- */

static uint32_t add_context(sim_program *p, hsc_context_kind kind, uint32_t parent, uint32_t scope, uint32_t call_line) {
    p->contexts = sim_grow(p->contexts, p->n_contexts, &p->context_capacity, sizeof *p->contexts);
    uint32_t depth = p->n_contexts ? p->contexts[parent].depth + 1 : 0;
    p->contexts[p->n_contexts] = (sim_context){p->n_contexts ? parent : 0, scope, call_line, depth, kind};
    return p->n_contexts++;
}

/* The procedure's context below `parent`, and those of its loops; `where` by scope gets them. */
static void add_procedure(sim_program *p, hsc_context_kind kind, uint32_t parent, uint32_t procedure, uint32_t call_line,
                          uint32_t *where) {
    where[procedure] = add_context(p, kind, parent, procedure, call_line);
    for (uint32_t s = procedure + 1; s < p->scopes[procedure].end; s++)
        where[s] = add_context(p, HSC_CONTEXT_LOOP, where[p->scopes[s].parent], s, none);
}

static void preorder(sim_program *p) {
    uint32_t n = p->n_contexts;
    uint32_t *first = malloc(n * sizeof *first), *next = malloc(n * sizeof *next), *number = malloc(n * sizeof *number);
    sim_context *sorted = malloc(n * sizeof *sorted);
    p->context_end = malloc(n * sizeof *p->context_end);
    if (!first || !next || !number || !sorted || !p->context_end)
        exit(1);
    memset(first, 0xFF, n * sizeof *first);
    for (uint32_t c = n; c-- > 1;) {
        next[c] = first[p->contexts[c].parent];
        first[p->contexts[c].parent] = c;
    }
    next[0] = none;
    for (uint32_t c = 0, k = 0;;) {
        number[c] = k;
        sorted[k] = p->contexts[c];
        sorted[k++].parent = number[p->contexts[c].parent];
        if (first[c] != none)
            c = first[c];
        else {
            for (;;) {
                p->context_end[number[c]] = k;
                if (c == 0 || next[c] != none)
                    break;
                c = p->contexts[c].parent;
            }
            if (c == 0)
                break;
            c = next[c];
        }
    }
    for (uint32_t s = 0; s < p->n_scopes; s++) {
        p->first_context[s] = p->first_context[s] == none ? none : number[p->first_context[s]];
        p->second_context[s] = p->second_context[s] == none ? none : number[p->second_context[s]];
    }
    free(p->contexts);
    p->contexts = sorted;
    free(first);
    free(next);
    free(number);
}

/* Where `caller` calls: one of its lines that is in its own text. */
static uint32_t call_line(const sim_program *p, sim_random *r, uint32_t caller) {
    const sim_scope *s = &p->scopes[caller];
    return s->first_line + sim_below(r, s->last_line - s->first_line);
}

static void make_contexts(sim_program *p, sim_random *r) {
    uint32_t own = p->n_procedures - p->n_library;
    p->first_context = malloc(p->n_scopes * sizeof(uint32_t));
    p->second_context = malloc(p->n_scopes * sizeof(uint32_t));
    if (!p->first_context || !p->second_context)
        exit(1);
    memset(p->first_context, 0xFF, p->n_scopes * sizeof(uint32_t));
    memset(p->second_context, 0xFF, p->n_scopes * sizeof(uint32_t));
    add_context(p, HSC_CONTEXT_ROOT, 0, 0, none);
    add_procedure(p, HSC_CONTEXT_PROCEDURE, 0, p->procedures[0], none, p->first_context);
    for (uint32_t i = 1; i < p->n_procedures; i++) {
        uint32_t limit = i < own ? i : own < 40 ? own : 40;
        for (int time = 0; time < (sim_below(r, 4) == 0 ? 2 : 1); time++) {
            uint32_t caller = p->procedures[sim_below(r, limit < 12 ? limit : sim_below(r, 2) ? limit : 12)];
            uint32_t at = call_line(p, r, caller);
            add_procedure(p, sim_below(r, 6) == 0 && i < own ? HSC_CONTEXT_INLINED : HSC_CONTEXT_PROCEDURE,
                          p->first_context[p->lines[at].scope], p->procedures[i], at, time ? p->second_context : p->first_context);
        }
    }
    preorder(p);
}

void sim_make_program(sim_program *p) {
    sim_random r = {p->options.seed};
    uint32_t per_file = p->options.lines < 20000 ? 300 : 800;
    const char *root = p->options.sources ? p->options.sources : "/simulated/src";
    uint32_t program = open_scope(p, HSC_SCOPE_PROGRAM, 0, strdup("simulated"));
    uint32_t module = open_scope(p, HSC_SCOPE_MODULE, program, strdup("/simulated/bin/model"));
    p->scopes[module].module = 0;
    uint32_t own_lines = p->options.lines > 2 ? p->options.lines - 2 : 1;
    while (p->n_lines < own_lines) {
        static const char *const suffixes[] = {"c", "f90", "cpp"};
        int language = p->n_files == 0 ? 0 : (int)sim_below(&r, 3);
        const char *stem = p->n_files == 0 ? "main" : stems[sim_below(&r, STEMS)];
        uint32_t f = open_file(p, module, 0, format("%s/%s/%s_%04u.%s", root, folders[sim_below(&r, FOLDERS)], stem, p->n_files, suffixes[language]),
                               language);
        writer w = {.p = p, .r = {sim_next(&r)}, .file = f};
        uint32_t until = p->n_lines + per_file;
        while (p->n_lines < until && p->n_lines < own_lines)
            procedure(&w, p->n_procedures);
        close_scope(p, p->files[f].scope);
    }
    /* exactly as many as asked for: the last lines lose their code */
    if (p->n_lines > own_lines) {
        p->n_lines = own_lines;
        for (uint32_t s = 0; s < p->n_scopes; s++) {
            if (p->scopes[s].last_line > own_lines)
                p->scopes[s].last_line = own_lines;
            if (p->scopes[s].first_line >= own_lines)
                p->scopes[s].first_line = own_lines - 1;
        }
    }
    close_scope(p, module);
    spread_weights(p, &r);
    libraries(p, program);
    close_scope(p, program);
    make_contexts(p, &r);
}
