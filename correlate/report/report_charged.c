/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_charged.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/enums.h>
#include <heatscope/formats/records.h>
#include <heatscope/sorted.h>

static hsc_status no_memory(const report *r, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path); }

/* ---- instructions ---- */

static bool begins_with_one_of(const char *text, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strncmp(text, list[i], strlen(list[i])))
            return true;
    return false;
}

#define BEGINS_WITH(text, ...) begins_with_one_of(text, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* "lock", "rep" and their like stand before the operation. */
static const char *operation_of(const char *text) {
    while (BEGINS_WITH(text, "lock", "rep", "notrack", "data16") && strpbrk(text, "\t "))
        text = strpbrk(text, "\t ") + 1;
    return text;
}

bool report_loads(const char *text) {
    text = operation_of(text);
    const char *operands = strpbrk(text, "\t "), *end = operands ? strstr(operands, "\t#") : NULL;
    if (!operands || BEGINS_WITH(text, "lea", "nop", "prefetch", "call", "clflush"))
        return false;
    size_t n = end ? (size_t)(end - operands) : strlen(operands), last = 0, memory = n;
    int depth = 0;
    for (size_t i = 0; i < n; i++) {
        depth += (operands[i] == '(') - (operands[i] == ')');
        if (operands[i] == ',' && !depth)
            last = i;
        else if (operands[i] == '(' && memory == n && strncmp(operands + i, "(%rsp", 5) && strncmp(operands + i, "(%rip", 5))
            memory = i;
    }
    bool writes = BEGINS_WITH(text, "mov", "vmov", "set", "fst", "fist", "stmxcsr", "vstmxcsr", "pextr", "vpextr", "extract", "vextract", "vcompress", "vpcompress", "vscatter",
                              "vpscatter", "vcvtps2ph", "xsave");
    return memory < n && (memory < last || !writes);
}

/* Those that processors put together with the branch behind them. */
static bool goes_with_branch(const char *text) { return BEGINS_WITH(text, "cmp", "test"); }

typedef struct code {
    const report *r;
    uint64_t *targets; /* a bit for each instruction: something goes there */
    uint32_t n;
} code;

static hsc_status find_targets(code *c, hsc_err *err) {
    hsc_db_instruction at;
    hsc_status s = HSC_OK;
    if (!(c->targets = calloc((size_t)c->n / 64 + 1, sizeof *c->targets)))
        return no_memory(c->r, err);
    for (uint32_t i = 0; i < c->n && !s; i++)
        if (!(s = hsc_db_get_instruction(c->r->db, i, &at, err)) && at.target < c->n && at.flow != HSC_FLOW_CALL)
            c->targets[at.target / 64] |= (uint64_t)1 << at.target % 64;
    return s;
}

/* The instruction that was done before `row`, whatever way led there; false: of several. */
static bool find_before(const code *c, uint32_t row, const hsc_db_instruction *at, hsc_db_instruction *before) {
    return row && !(c->targets[row / 64] >> row % 64 & 1) && !hsc_db_get_instruction(c->r->db, row - 1, before, NULL) && before->module == at->module && before->size &&
           before->address + before->size == at->address;
}

/* Row of the instruction that was waited for when the sample was taken at `row`; itself where no other reads memory. */
static uint32_t find_waiting(const code *c, uint32_t row, const hsc_db_instruction *at) {
    hsc_db_instruction before, compare;
    if (!find_before(c, row, at, &before))
        return row;
    if (before.flow == HSC_FLOW_NEXT)
        return report_loads(before.text) ? row - 1 : row;
    bool fused = before.flow == HSC_FLOW_BRANCH && find_before(c, row - 1, &before, &compare) && goes_with_branch(compare.text) && report_loads(compare.text);
    return fused ? row - 2 : row;
}

/* ---- places that have references ---- */

typedef struct place {
    uint32_t line, procedure;
} place;

static int by_place(const void *a, const void *b) {
    const place *x = a, *y = b;
    const uint32_t p[] = {x->line, x->procedure}, q[] = {y->line, y->procedure};
    return hsc_compare_keys(p, q, 2);
}

typedef struct places {
    place *list;
    uint32_t n;
} places;

static hsc_status read_places(const report *r, const report_uses *uses, places *out, hsc_err *err) {
    hsc_status s = HSC_OK;
    if (!(out->list = malloc(((size_t)r->info.references + 1) * sizeof *out->list)))
        return no_memory(r, err);
    for (uint32_t i = 0; i < r->info.references && !s; i++) {
        hsc_db_reference x;
        uint32_t line = HSC_NONE;
        if (!(s = hsc_db_get_reference(r->db, i, &x, err)) && uses->runs[i] && x.file != HSC_NONE)
            line = hsc_db_find_line(r->db, x.file, x.line);
        if (line != HSC_NONE && report_wanted_line(r, line))
            out->list[out->n++] = (place){line, report_procedure(r, x.scope)};
    }
    if (!s && out->n > 1)
        qsort(out->list, out->n, sizeof *out->list, by_place);
    return s;
}

static bool has_place(const places *p, uint32_t line, uint32_t procedure) {
    place x = {line, procedure};
    return line != HSC_NONE && p->n && bsearch(&x, p->list, p->n, sizeof x, by_place);
}

static int by_line_alone(const void *a, const void *b) {
    const place *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

static bool has_line(const places *p, uint32_t line) {
    place x = {line, HSC_NONE};
    return line != HSC_NONE && p->n && bsearch(&x, p->list, p->n, sizeof x, by_line_alone);
}

static uint32_t outermost_procedure(const report *r, uint32_t row) {
    hsc_db_code_part part;
    uint32_t of = hsc_db_find_part_of(r->db, row);
    return of == HSC_NONE || hsc_db_get_code_part(r->db, of, &part, NULL) ? HSC_NONE : report_procedure(r, part.procedure);
}

/* Where an instruction counts: at its own line, else at that of a call by which it was put in line. False: nowhere. */
static bool find_place(const report *r, const places *p, uint32_t row, const hsc_db_instruction *at, place *out) {
    *out = (place){at->line, report_procedure(r, at->scope)};
    if (has_place(p, out->line, out->procedure))
        return true;
    place any = {has_line(p, at->line) ? at->line : HSC_NONE, HSC_NONE};
    hsc_db_inlining call, around;
    for (uint32_t i = at->inlined; i != HSC_NONE && !hsc_db_get_inlining(r->db, i, &call, NULL); i = call.parent) {
        bool inner = call.parent != HSC_NONE && !hsc_db_get_inlining(r->db, call.parent, &around, NULL);
        *out = (place){call.line, inner ? report_procedure(r, around.scope) : outermost_procedure(r, row)};
        if (has_place(p, out->line, out->procedure))
            return true;
        if (any.line == HSC_NONE && has_line(p, call.line))
            any.line = call.line;
    }
    *out = any;
    return any.line != HSC_NONE;
}

/* ---- charges ---- */

static int by_charge(const void *a, const void *b) {
    const report_charge *x = a, *y = b;
    const uint32_t p[] = {x->line, x->procedure, x->row}, q[] = {y->line, y->procedure, y->row};
    return hsc_compare_keys(p, q, 3);
}

static hsc_status add(const report *r, report_charged *c, uint32_t *room, report_charge x, hsc_err *err) {
    if (c->n == *room) {
        uint32_t more = *room ? 2 * *room : 256;
        report_charge *list = realloc(c->list, more * sizeof *list);
        if (!list)
            return no_memory(r, err);
        c->list = list;
        *room = more;
    }
    c->list[c->n++] = x;
    return HSC_OK;
}

enum { ROWS = 4096 };

static hsc_status charge_instructions(const report *r, const places *p, report_charged *c, hsc_err *err) {
    code all = {.r = r, .n = (uint32_t)hsc_db_get_rows(r->db, HSC_TABLE_INSTRUCTION)};
    hsc_weighted *values = malloc(ROWS * sizeof *values);
    hsc_status s = values ? find_targets(&all, err) : no_memory(r, err);
    uint32_t room = 0;
    for (uint32_t first = 0; first < all.n && !s; first += ROWS) {
        uint32_t n = all.n - first < ROWS ? all.n - first : ROWS;
        s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_INSTRUCTION, HSC_AXIS_THREAD}, first, n, values, err);
        for (uint32_t i = 0; i < n && !s; i++) {
            hsc_db_instruction at, waiting;
            uint32_t row = first + i, other;
            place where;
            if (!(values[i].sum > 0) || (s = hsc_db_get_instruction(r->db, row, &at, err)))
                continue;
            other = find_waiting(&all, row, &at);
            bool found = other != row && !hsc_db_get_instruction(r->db, other, &waiting, NULL) && find_place(r, p, other, &waiting, &where);
            if (found || find_place(r, p, row, &at, &where))
                s = add(r, c, &room, (report_charge){where.line, where.procedure, row, found ? other : HSC_NONE, values[i]}, err);
        }
    }
    free(values);
    free(all.targets);
    return s;
}

static hsc_status charge_lines(const report *r, const places *p, report_charged *c, hsc_err *err) {
    hsc_status s = HSC_OK;
    uint32_t room = 0;
    for (uint32_t i = 0; i < p->n && !s; i++) {
        hsc_weighted v;
        if (i && p->list[i].line == p->list[i - 1].line)
            continue;
        s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, p->list[i].line, 1, &v, err);
        if (!s && v.sum > 0)
            s = add(r, c, &room, (report_charge){p->list[i].line, HSC_NONE, p->list[i].line, HSC_NONE, v}, err);
    }
    return s;
}

/* Older databases have no values by instruction, and what is counted at calls none at all. */
static hsc_status is_known(const report *r, bool *known, hsc_err *err) {
    uint64_t row;
    double most = 0;
    uint32_t n = 0;
    hsc_status s = hsc_db_read_top(r->db, (hsc_db_view){r->metric, HSC_TABLE_INSTRUCTION, HSC_AXIS_THREAD}, NULL, NULL, 1, &row, &most, &n, err);
    *known = !s && n && most > 0;
    if (s == HSC_E_MISSING) {
        hsc_err_clear(err);
        s = HSC_OK;
    }
    return s;
}

hsc_status report_charged_load(const report *r, const report_uses *uses, report_charged *out, hsc_err *err) {
    places p = {0};
    bool known = false;
    *out = (report_charged){.table = HSC_TABLE_LINE};
    hsc_status s = read_places(r, uses, &p, err);
    if (!s && p.n)
        s = is_known(r, &known, err);
    if (!s) {
        out->table = known ? HSC_TABLE_INSTRUCTION : HSC_TABLE_LINE;
        s = known ? charge_instructions(r, &p, out, err) : charge_lines(r, &p, out, err);
    }
    if (!s && out->n > 1)
        qsort(out->list, out->n, sizeof *out->list, by_charge);
    free(p.list);
    return s;
}

void report_charged_clear(report_charged *c) {
    free(c->list);
    *c = (report_charged){0};
}

uint32_t report_charged_find(const report_charged *c, uint32_t line, uint32_t procedure, uint32_t *n) {
    const place key = {line, procedure};
    uint32_t low;
    HSC_SEARCH(low, c->n, by_place(&(place){c->list[low].line, c->list[low].procedure}, &key) < 0);
    for (*n = 0; low + *n < c->n && c->list[low + *n].line == line && c->list[low + *n].procedure == procedure;)
        ++*n;
    return low;
}

static bool is_scattered(const hsc_db_reference *x) {
    return x->access != HSC_access_WRITE && (x->stride == HSC_stride_INDIRECT || x->stride == HSC_stride_IRREGULAR || x->stride == HSC_stride_POINTERS);
}

/* Does it only load, or convert what it loads? */
static bool only_loads(const report *r, uint32_t instruction) {
    hsc_db_instruction at;
    return !hsc_db_get_instruction(r->db, instruction, &at, NULL) && BEGINS_WITH(operation_of(at.text), "mov", "vmov", "pmov", "vpmov", "cvt", "vcvt", "vgather", "vpgather", "vbroadcast", "cmp", "test");
}

bool report_waited_read(const report *r, uint32_t loop, hsc_db_reference *out, double *share, double *computes) {
    report_uses uses = {0};
    report_charged charged = {0};
    hsc_db_reference x;
    uint32_t first, n, before = HSC_NONE;
    double most = 0;
    *computes = 0;
    if (!(r->excl[loop] > 0) || hsc_db_find(r->db, HSC_LIST_REFERENCES, loop, &first, &n, NULL) || !n || report_uses_load(r, &uses, NULL) ||
        report_charged_load(r, &uses, &charged, NULL))
        n = 0;
    for (uint32_t i = first; n && i < first + n; i++) {
        double sum = 0, computing = 0;
        uint32_t line, of, at;
        if (hsc_db_get_reference(r->db, i, &x, NULL) || !is_scattered(&x) || x.file == HSC_NONE || (line = hsc_db_find_line(r->db, x.file, x.line)) == HSC_NONE || line == before)
            continue;
        before = line;
        at = report_charged_find(&charged, line, report_procedure(r, loop), &of);
        for (uint32_t k = at; k < at + of; k++) {
            bool waited = charged.list[k].waiting != HSC_NONE;
            sum += waited ? charged.list[k].value.sum : 0;
            computing += waited && !only_loads(r, charged.list[k].waiting) ? charged.list[k].value.sum : 0;
        }
        if (sum > most) {
            most = sum;
            *computes = computing / sum;
            *out = x;
        }
    }
    *share = most > r->excl[loop] ? 1 : most / r->excl[loop];
    report_charged_clear(&charged);
    report_uses_clear(&uses);
    return most > 0;
}

hsc_status report_behind_reads(const report *r, double **part, uint32_t **to, hsc_err *err) {
    report_uses uses = {0};
    report_charged c = {0};
    uint32_t lines = r->info.lines;
    double *most = calloc((size_t)lines + 1, sizeof *most);
    *part = calloc((size_t)lines + 1, sizeof **part);
    *to = malloc(((size_t)lines + 1) * sizeof **to);
    hsc_status s = most && *part && *to ? report_uses_load(r, &uses, err) : no_memory(r, err);
    if (!s)
        s = report_charged_load(r, &uses, &c, err);
    for (int pass = 0; pass < 2 && !s; pass++) /* whose samples they are; how many */
        for (uint32_t i = 0; i < c.n; i++) {
            const report_charge *x = &c.list[i];
            hsc_db_instruction at;
            if (x->waiting == HSC_NONE || hsc_db_get_instruction(r->db, x->row, &at, NULL) || at.line == HSC_NONE || at.line == x->line)
                continue;
            if (!pass && x->value.sum > most[at.line]) {
                most[at.line] = x->value.sum;
                (*to)[at.line] = x->line;
            } else if (pass && (*to)[at.line] == x->line)
                (*part)[at.line] += x->value.sum;
        }
    free(most);
    report_charged_clear(&c);
    report_uses_clear(&uses);
    return s;
}
