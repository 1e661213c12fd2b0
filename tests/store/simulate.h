/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Simulated programs and runs, for tests and scale: the same for the same seed. Never measured. */
#ifndef HEATSCOPE_TESTS_SIMULATE_H
#define HEATSCOPE_TESTS_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heatscope/query.h>

typedef struct sim_options {
    const char *output, *sources; /* sources NULL: no text is written */
    uint32_t lines, threads, processes, seed, workers;
    uint32_t samples;             /* of a thread, about */
    bool times;                   /* samples in the order of time too */
    bool counts;                  /* in place of them, what each thread has of each leaf */
    uint32_t hosts;               /* processes by turns; 0: 64 on each, one after the other */
    uint32_t bands;               /* 1: rows in bands of threads (docs/schema.md, section 5), however few values they have */
    bool details;                 /* all that reports and views can tell: messages, waits, arrays, probes, machine code, source texts */
    double fill;                  /* part of line x thread cells that have samples; 0: chosen */
} sim_options;

typedef struct sim_random {
    uint64_t state;
} sim_random;
uint64_t sim_next(sim_random *r);
double sim_unit(sim_random *r);                       /* [0, 1) */
uint32_t sim_below(sim_random *r, uint32_t n);        /* [0, n) */
uint32_t sim_count(sim_random *r, double mean);       /* about Poisson; uses + - * / sqrt only, so equal everywhere */

typedef struct sim_file {
    char *path;       /* as the database has it */
    char *text;       /* NULL where no text is wanted */
    size_t size, capacity;
    uint32_t scope, lines, module;
    int language;     /* 0 C, 1 Fortran, 2 C++, -1 none: a library without source */
} sim_file;

typedef struct sim_line {
    uint32_t file, line, scope;
    double weight;
} sim_line;

typedef struct sim_scope {
    uint32_t parent, end, procedure, module, file, line_begin, line_end, depth;
    hsc_scope_kind kind;
    hsc_knowledge knowledge;
    char *name;
    uint32_t first_line, last_line; /* rows of the line table; last is one past */
    double weight;                  /* of a procedure */
    int mode;                       /* of a procedure: how its work is spread over the ranks */
    uint32_t category;
} sim_scope;

typedef struct sim_context {
    uint32_t parent, scope, call_line, depth;
    hsc_context_kind kind;
} sim_context;

typedef struct sim_program {
    sim_options options;
    sim_file *files;
    uint32_t n_files, file_capacity;
    sim_line *lines;
    uint32_t n_lines, line_capacity;
    sim_scope *scopes;
    uint32_t n_scopes, scope_capacity;
    uint32_t *procedures; /* scope rows; the last n_library are those of the libraries */
    uint32_t n_procedures, procedure_capacity, n_library;
    sim_context *contexts; /* pre-order */
    uint32_t *context_end;
    uint32_t n_contexts, context_capacity;
    uint32_t *first_context, *second_context; /* by scope; HSC_NONE */
} sim_program;

/* categories used */
enum { SIM_COMPUTATION = 0, SIM_COMMUNICATION = 1, SIM_WAITING = 2, SIM_IO = 3, SIM_CATEGORIES = 4 };

void sim_make_program(sim_program *p);   /* ends the process when out of memory */
int sim_write(sim_program *p);           /* 0, or 1 after one line on stderr */
uint32_t sim_process_of(const sim_options *o, uint32_t thread);
void *sim_must(void *p);                 /* ends the process where it is NULL */
void *sim_grow(void *array, uint32_t n, uint32_t *capacity, size_t size);

#endif
