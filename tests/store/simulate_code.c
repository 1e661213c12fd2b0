/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Machine code of a simulated program: a few instructions for each line, and a branch back at the end of each loop. */
#include "simulate_put.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = 4, EACH = 3, BEGIN = 0x401000 }; /* of an instruction; instructions of a line; address of the first one */

typedef struct instruction {
    uint32_t text, line, scope, instance, target;
    uint8_t flow;
} instruction;

typedef struct code {
    instruction *rows;
    uint32_t n, capacity, *first_of_line; /* HSC_NONE: the line has none */
} code;

static const char *const texts[] = {"vmovupd\t(%rsi,%rax,8), %ymm0", "vfmadd231pd\t(%rdx,%rax,8), %ymm1, %ymm0", "vmovupd\t%ymm0, (%rdi,%rax,8)",
                                    "movsd\t(%rsi,%rax,8), %xmm0",   "mulsd\t(%rdx,%rax,8), %xmm0",               "movsd\t%xmm0, (%rdi,%rax,8)",
                                    "leaq\t(%rdi,%r8,8), %r9",       "movslq\t%ecx, %rax",                        "xorl\t%eax, %eax",
                                    "jb\t",                          "retq"};
enum { TEXTS = sizeof texts / sizeof *texts, VECTOR = 0, SCALAR = 3, PLAIN = 6, BRANCH = 9, RETURN = 10 };

static void emit(code *c, uint32_t text, uint32_t line, uint32_t scope, uint32_t instance, uint8_t flow, uint32_t target) {
    c->rows = sim_grow(c->rows, c->n, &c->capacity, sizeof *c->rows);
    c->rows[c->n++] = (instruction){text, line, scope, instance, target, flow};
}

static void emit_procedure(code *c, const sim_program *p, const uint32_t *first_instance, uint32_t procedure) {
    const sim_scope *s = &p->scopes[procedure];
    for (uint32_t l = s->first_line; l < s->last_line; l++) {
        uint32_t scope = p->lines[l].scope, instance = first_instance[scope];
        uint32_t text = p->scopes[scope].kind != HSC_SCOPE_LOOP ? PLAIN : scope % 5 && instance != HSC_NONE ? VECTOR : SCALAR;
        c->first_of_line[l] = c->n;
        for (uint32_t k = 0; k < EACH; k++)
            emit(c, text + k, l, scope, instance, 0, HSC_NONE);
        for (uint32_t up = scope; p->scopes[up].kind == HSC_SCOPE_LOOP && p->scopes[up].last_line == l + 1; up = p->scopes[up].parent)
            emit(c, BRANCH, p->scopes[up].first_line, up, first_instance[up], 2, c->first_of_line[p->scopes[up].first_line]);
    }
    emit(c, RETURN, s->last_line - 1, procedure, HSC_NONE, 5, HSC_NONE);
}

/* Samples of a line: half at its second instruction, as one behind what took the time. */
static hsc_status put_samples(hsc_store *s, const sim_program *p, const code *c, const sim_counts *lines, hsc_err *err) {
    uint32_t threads = p->options.threads, *rows = sim_must(malloc(((uint64_t)c->n + 1) * sizeof *rows)), *counts = sim_must(malloc(((uint64_t)c->n + 1) * sizeof *counts));
    uint32_t *dense = sim_must(malloc(((uint64_t)c->n * threads + 1) * sizeof *dense));
    memset(dense, 0, (uint64_t)c->n * threads * sizeof *dense);
    for (uint32_t t = 0; t < threads; t++)
        for (uint64_t k = lines->thread_begin[t]; k < lines->thread_begin[t + 1]; k++) {
            uint32_t at = c->first_of_line[lines->row[k]], n = lines->count[k];
            if (at == HSC_NONE)
                continue;
            dense[(uint64_t)(at + 1) * threads + t] += n - n / 3 - n / 6;
            dense[(uint64_t)at * threads + t] += n / 6;
            dense[(uint64_t)(at + 2) * threads + t] += n / 3;
        }
    hsc_status status = hsc_store_begin_values(s, 0, HSC_TABLE_INSTRUCTION, c->n, threads, err);
    for (uint32_t i = 0; i < c->n && !status; i++) {
        uint64_t indptr[2] = {0, 0};
        for (uint32_t t = 0; t < threads; t++)
            if (dense[(uint64_t)i * threads + t]) {
                rows[indptr[1]] = t;
                counts[indptr[1]++] = dense[(uint64_t)i * threads + t];
            }
        status = hsc_store_put_rows(s, 1, indptr, rows, counts, err);
    }
    free(dense);
    free(rows);
    free(counts);
    return status ? status : hsc_store_end_values(s, err);
}

hsc_status sim_put_code(hsc_store *s, const sim_program *p, const uint32_t *first_instance, const sim_counts *lines, hsc_err *err) {
    hsc_status status = HSC_OK;
    uint32_t own = p->n_procedures - p->n_library, *begin = sim_must(malloc((own + 1) * sizeof *begin));
    code c = {.first_of_line = sim_must(malloc(p->n_lines * sizeof *c.first_of_line))};
    memset(c.first_of_line, 0xFF, p->n_lines * sizeof *c.first_of_line);
    for (uint32_t i = 0; i < own; i++) {
        begin[i] = c.n;
        emit_procedure(&c, p, first_instance, p->procedures[i]);
    }
    begin[own] = c.n;
    char (*words)[24] = sim_must(calloc(c.n + TEXTS, sizeof *words));
    uint32_t n = TEXTS; /* each branch has a text of its own behind the others */
    for (uint32_t i = 0; i < c.n; i++)
        if (c.rows[i].text == BRANCH) {
            snprintf(words[n - TEXTS], sizeof words[0], "jb\t%x", BEGIN + BYTES * c.rows[i].target);
            c.rows[i].text = n++;
        }
    PUT(code_part_procedure, own, uint32_t, p->procedures[i]);
    PUT(code_part_module, own, uint32_t, 0 * i);
    PUT(code_part_begin, own, uint64_t, BEGIN + (uint64_t)BYTES * begin[i]);
    PUT(code_part_end, own, uint64_t, BEGIN + (uint64_t)BYTES * begin[i + 1]);
    PUT(code_part_first, own, uint32_t, begin[i]);
    PUT(code_part_rows, own, uint32_t, begin[i + 1] - begin[i]);
    PUT(code_part_first_byte, own, uint32_t, BYTES * begin[i]);
    PUT(code_part_symbol, own, const char *, p->scopes[p->procedures[i]].name);
    PUT(code_part_note, own, const char *, i < own ? "" : NULL);
    PUT(instruction_module, c.n, uint32_t, 0 * i);
    PUT(instruction_address, c.n, uint64_t, BEGIN + (uint64_t)BYTES * i);
    PUT(instruction_size, c.n, uint8_t, (uint8_t)(BYTES + 0 * i));
    PUT(instruction_flow, c.n, uint8_t, c.rows[i].flow);
    PUT(instruction_text, c.n, uint32_t, c.rows[i].text);
    PUT(instruction_line, c.n, uint32_t, c.rows[i].line);
    PUT(instruction_scope, c.n, uint32_t, c.rows[i].scope);
    PUT(instruction_instance, c.n, uint32_t, c.rows[i].instance);
    PUT(instruction_inlined, c.n, uint32_t, HSC_NONE + 0 * i);
    PUT(instruction_target, c.n, uint32_t, c.rows[i].target);
    PUT(instruction_text_text, n, const char *, i < TEXTS ? texts[i] : words[i - TEXTS]);
    PUT(code_byte_value, BYTES * c.n, uint8_t, (uint8_t)(i * 37));
    if (!status)
        status = put_samples(s, p, &c, lines, err);
    free(words);
    free(begin);
    free(c.rows);
    free(c.first_of_line);
    return status;
}
