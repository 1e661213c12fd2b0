/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples by address, and the instructions there: of all procedures with samples, the heaviest first, until their machine code
 * fills what the database may hold of it. Every sample of a known file has a row, also where nothing is disassembled. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>
#include "cache.h"
#include "emit.h"
#include "generated.h"
#include "instructions.h"

#define CODE_BYTES ((uint64_t)2 << 20) /* of machine code, where the user says nothing */

typedef struct part {
    uint32_t module, procedure; /* procedure: of the module's code */
    uint64_t begin, end, weight;
    const char *symbol, *note;
    bool taken;
    uint32_t first, rows, first_byte;
} part;

typedef struct row {
    uint64_t address, target;
    uint32_t module, line, scope, instance, inlined;
    const char *text; /* NULL: not disassembled */
    uint8_t size, flow;
} row;

typedef struct inlining {
    uint32_t parent, scope, line;
} inlining;

typedef struct sampled { /* a place with samples */
    uint64_t address; /* of the instruction */
    uint32_t place;
} sampled;

typedef struct code { /* of a module */
    HSC_VEC(part) parts;
    HSC_VEC(sampled) places; /* by address */
    HSC_VEC(row) rows;        /* of the parts that are taken, then all */
    HSC_VEC(inlining) inlinings;
    hsc_table inlining_rows;  /* (parent, scope << 32 | line) */
    hsc_pool pool;
    jkept_text *kept; /* while it is disassembled; NULL */
} code;

struct jmachine {
    code *modules;
    size_t module_count;
    HSC_VEC(row) rows;
    HSC_VEC(inlining) inlinings;
};

/* ---- while profiles are made ---- */

void hsc_join_settle_places(join *j, const jplace_count *list, size_t n) {
    const bool alone = j->workers < 2;
    for (size_t i = 0; i < n; i++) {
        jplace *place = &j->places.p[list[i].place];
        uint32_t more = list[i].metric ? 0 : list[i].count;
        if (alone) { /* locked additions would be most of it */
            place->weight += more;
            place->has_values = true;
            continue;
        }
        __atomic_fetch_add(&place->weight, more, __ATOMIC_RELAXED);
        __atomic_store_n(&place->has_values, true, __ATOMIC_RELAXED);
    }
}

/* ---- which code ---- */

/* A return address stands for the call before it. */
static uint64_t address_of(const jplace *p) {
    return p->exact || !p->address ? p->address : p->address - 1;
}

static uint32_t procedure_of(const jmodule *m, const jplace *p) {
    const hsc_code_element *e = p->element_count ? &m->elements.p[p->element_begin] : NULL;
    return e && e->kind == HSC_ELEMENT_PROCEDURE ? e->index : HSC_NO_INDEX;
}

static hsc_status add_part(void *ctx, const hsc_code_part *p, hsc_err *err) {
    code *c = ctx;
    part new = {.procedure = p->procedure, .begin = p->begin, .end = p->end, .symbol = p->symbol, .note = ""};
    return HSC_PUSH(c->parts, new) ? HSC_OK : hsc_join_no_memory(err);
}

static int by_begin(const void *pa, const void *pb) {
    const part *a = pa, *b = pb;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->end != b->end ? (a->end > b->end ? -1 : 1) : a->procedure < b->procedure ? -1 : a->procedure > b->procedure;
}

static part *part_at(code *c, size_t n, uint64_t address) {
    size_t lo = 0, hi = n;
    HSC_SEARCH(lo, hi, c->parts.p[lo].begin <= address);
    return lo && address < c->parts.p[lo - 1].end ? &c->parts.p[lo - 1] : NULL;
}

/* In order, none in another. */
static void sort_parts(code *c) {
    size_t n = 0;
    if (c->parts.n > 1)
        qsort(c->parts.p, c->parts.n, sizeof *c->parts.p, by_begin);
    for (size_t i = 0; i < c->parts.n; i++) {
        part p = c->parts.p[i];
        if (n && p.begin < c->parts.p[n - 1].end) {
            if (p.end <= c->parts.p[n - 1].end)
                continue;
            p.begin = c->parts.p[n - 1].end;
            p.symbol = "";
        }
        c->parts.p[n++] = p;
    }
    c->parts.n = n;
}

/* Pieces of all procedures of the module that have samples. */
static hsc_status find_parts(join *j, uint32_t module, hsc_err *err) {
    jmodule *m = &j->modules.p[module];
    code *c = &j->machine->modules[module];
    size_t n = m->tables.procedure_count;
    uint8_t *wanted = calloc(n + 1, 1);
    uint64_t *weight_of = calloc(n + 1, sizeof *weight_of);
    hsc_status status = wanted && weight_of ? HSC_OK : hsc_join_no_memory(err);
    for (size_t i = 0; i < c->places.n && status == HSC_OK; i++) {
        uint32_t p = procedure_of(m, &j->places.p[c->places.p[i].place]);
        if (p < n) {
            wanted[p] = 1;
            weight_of[p] += j->places.p[c->places.p[i].place].weight;
        }
    }
    if (status == HSC_OK)
        status = hsc_code_each_part(m->code, wanted, n, add_part, c, err);
    sort_parts(c);
    size_t known = c->parts.n;
    uint64_t end = 0; /* of the last one that was added: places rise */
    for (size_t i = 0; i < c->places.n && status == HSC_OK; i++) {
        const jplace *place = &j->places.p[c->places.p[i].place];
        uint64_t at = c->places.p[i].address;
        hsc_code_part p = {.procedure = procedure_of(m, place), .symbol = ""};
        if (p.procedure >= n || at < end || part_at(c, known, at) || !hsc_code_find_part(m->code, at, &p))
            continue;
        end = p.end;
        status = add_part(c, &p, err);
    }
    sort_parts(c);
    for (size_t i = 0; i < c->parts.n && status == HSC_OK; i++) {
        c->parts.p[i].module = module;
        c->parts.p[i].weight = weight_of[c->parts.p[i].procedure];
    }
    free(wanted);
    free(weight_of);
    return status;
}

static int by_weight(const void *pa, const void *pb) {
    const part *a = *(part *const *)pa, *b = *(part *const *)pb;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static hsc_status choose_parts(join *j, hsc_err *err) {
    HSC_VEC(part *) all = {0};
    bool ok = true;
    uint64_t left = j->options->no_code ? 0 : j->options->code_bytes ? j->options->code_bytes : CODE_BYTES, limit = left;
    for (size_t i = 0; i < j->machine->module_count; i++)
        for (size_t k = 0; ok && k < j->machine->modules[i].parts.n; k++)
            ok = HSC_PUSH(all, &j->machine->modules[i].parts.p[k]);
    if (ok && all.n > 1)
        qsort(all.p, all.n, sizeof *all.p, by_weight);
    char why[160];
    snprintf(why, sizeof why, "its machine code was left out: what is hotter fills the %" PRIu64 " KiB that correlate --code gives", limit >> 10);
    const char *note = j->options->no_code ? "machine code was left out: correlate --code=none"
                                           : hsc_pool_intern(&j->pool, why, strlen(why));
    for (size_t i = 0; ok && note && i < all.n; i++) {
        part *p = all.p[i];
        p->taken = p->end - p->begin <= left && hsc_code_get_bytes(j->modules.p[p->module].code, p->begin, p->end);
        left -= p->taken ? p->end - p->begin : 0;
        if (!p->taken)
            p->note = p->end - p->begin > left ? note : "the file has no bytes of it";
    }
    free(all.p);
    return ok && note ? HSC_OK : hsc_join_no_memory(err);
}

/* ---- what is at an address ---- */

static uint32_t inlining_row(code *c, uint32_t parent, uint32_t scope, uint32_t line) {
    uint32_t *at = hsc_table_at(&c->inlining_rows, parent, (uint64_t)scope << 32 | line);
    if (at && *at == HSC_NO_INDEX && HSC_PUSH(c->inlinings, (inlining){parent, scope, line}))
        *at = (uint32_t)c->inlinings.n - 1;
    return at ? *at : HSC_NO_INDEX;
}

static uint32_t line_row(const join *j, const jmodule *m, uint32_t file, uint32_t line) {
    return file < m->tables.file_count ? hsc_join_line_row(j, m->file_rows.p[file], line) : HSC_NO_INDEX;
}

static void describe(const join *j, const jmodule *m, code *c, const hsc_code_element *e, size_t n, uint32_t file, uint32_t line,
                     uint32_t instance, row *out) {
    out->scope = out->inlined = HSC_NO_INDEX;
    for (size_t i = 0; i < n; i++) {
        bool is_loop = e[i].kind == HSC_ELEMENT_LOOP;
        size_t known = is_loop ? m->tables.loop_count : m->tables.procedure_count;
        uint32_t scope = e[i].index >= known ? HSC_NO_INDEX : is_loop ? m->loop_scopes.p[e[i].index] : m->procedure_scopes.p[e[i].index];
        if (scope == HSC_NO_INDEX) /* of code without samples in a library that is not shown whole */
            continue;
        out->scope = scope;
        if (e[i].kind == HSC_ELEMENT_INLINED)
            out->inlined = inlining_row(c, out->inlined, scope, line_row(j, m, e[i].call_file, e[i].call_line));
    }
    out->line = file == HSC_NO_INDEX || !line ? HSC_NO_INDEX : line_row(j, m, file, line);
    out->instance = instance < m->tables.instance_count ? m->instance_rows.p[instance] : HSC_NO_INDEX;
}

/* The next instruction of a piece: one that is kept, or from the disassembler; its text. NULL: no memory. */
static const char *next_instruction(code *c, const part *p, uint64_t at, hsc_disassembler *d, const jtext_row *known, hsc_instruction *i) {
    const hsc_code_part whole = {p->begin, p->end, p->procedure, p->symbol};
    if (known) {
        i->size = known->size;
        i->flow = (hsc_flow)known->flow;
        i->target = known->target;
        return hsc_kept_text_get(c->kept, known);
    }
    hsc_disassemble(d, at, p->end, &whole, i);
    const char *words = hsc_pool_intern(&c->pool, i->text, strlen(i->text));
    if (words)
        hsc_kept_text_add(c->kept, i, words);
    return words;
}

static hsc_status disassemble_part(join *j, jmodule *m, code *c, part *p, hsc_disassembler *d, hsc_err *err) {
    const jtext_row *known = hsc_kept_text_find(c->kept, p->begin, p->end);
    if (!known)
        hsc_kept_text_begin(c->kept, p->begin, p->end);
    for (uint64_t at = p->begin; at < p->end; known = known ? known + 1 : NULL) {
        hsc_instruction i;
        hsc_code_answer a;
        const char *words = next_instruction(c, p, at, d, known, &i);
        hsc_status status = hsc_code_find(m->code, at, true, &a, err);
        if (status != HSC_OK)
            return status;
        row r = {.address = at, .target = i.target, .module = p->module, .size = (uint8_t)i.size, .flow = (uint8_t)i.flow, .text = words};
        describe(j, m, c, a.elements, a.element_count, a.file, a.line, a.instance, &r);
        if (!r.text || !HSC_PUSH(c->rows, r))
            return hsc_join_no_memory(err);
        at += i.size;
    }
    return HSC_OK;
}

static row *row_at(row *rows, size_t n, uint64_t address) {
    size_t lo = 0, hi = n;
    HSC_SEARCH(lo, hi, rows[lo].address <= address);
    return lo && address - rows[lo - 1].address < (rows[lo - 1].size ? rows[lo - 1].size : 1u) ? &rows[lo - 1] : NULL;
}

static int by_address(const void *pa, const void *pb) {
    const row *a = pa, *b = pb;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Rows for the addresses with samples that are in no instruction. */
static bool add_loose(const join *j, uint32_t module, code *c) {
    const jmodule *m = &j->modules.p[module];
    size_t known = c->rows.n;
    for (size_t i = 0; i < c->places.n; i++) {
        const jplace *p = &j->places.p[c->places.p[i].place];
        uint64_t at = c->places.p[i].address;
        if (row_at(c->rows.p, known, at) || (c->rows.n > known && c->rows.p[c->rows.n - 1].address == at))
            continue;
        row r = {.address = at, .module = module};
        describe(j, m, c, m->elements.p + p->element_begin, p->element_count, p->file, p->line, p->instance, &r);
        if (!HSC_PUSH(c->rows, r))
            return false;
    }
    if (c->rows.n > known)
        qsort(c->rows.p, c->rows.n, sizeof *c->rows.p, by_address);
    return true;
}

static hsc_status make_module(void *ctx, size_t module, hsc_err *err) {
    join *j = ctx;
    jmodule *m = &j->modules.p[module];
    code *c = &j->machine->modules[module];
    hsc_disassembler *d = NULL;
    hsc_status status = HSC_OK;
    bool taken = false, any = false;
    if (module == j->unknown_module || !c->places.n)
        return HSC_OK;
    for (size_t i = 0; i < c->parts.n; i++)
        taken = taken || c->parts.p[i].taken;
    c->kept = taken ? hsc_kept_text_open(j, m, &c->pool) : NULL;
    for (size_t i = 0; i < c->parts.n; i++)
        any = any || (c->parts.p[i].taken && !hsc_kept_text_find(c->kept, c->parts.p[i].begin, c->parts.p[i].end));
    if (any) {
        hsc_err why = {0};
        status = hsc_disassembler_open(m->code, j->options->intel, &d, &why);
        if (status == HSC_E_UNSUPPORTED) {
            const char *note = hsc_pool_intern(&c->pool, why.text, strlen(why.text));
            for (size_t i = 0; i < c->parts.n; i++)
                if (c->parts.p[i].taken) {
                    c->parts.p[i].taken = false;
                    c->parts.p[i].note = note ? note : "";
                }
            status = HSC_OK;
        } else if (status != HSC_OK) {
            status = hsc_join_no_memory(err);
        }
    }
    for (size_t i = 0; i < c->parts.n && status == HSC_OK; i++) {
        if (c->parts.p[i].taken)
            status = disassemble_part(j, m, c, &c->parts.p[i], d, err);
        if (status == HSC_OK)
            status = hsc_join_check(j, err);
    }
    hsc_disassembler_close(d);
    hsc_kept_text_close(c->kept);
    c->kept = NULL;
    hsc_code_get_tables(m->code, &m->tables); /* look-ups may have moved them */
    return status == HSC_OK && !add_loose(j, (uint32_t)module, c) ? hsc_join_no_memory(err) : status;
}

/* ---- all together ---- */

static int by_sampled(const void *pa, const void *pb) {
    const sampled *a = pa, *b = pb;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static hsc_status find_samples(join *j, hsc_err *err) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < j->places.n; i++) {
        const jplace *p = &j->places.p[i];
        if (p->has_values && p->module != j->unknown_module && !hsc_generated_is(&j->modules.p[p->module])) /* whose addresses are none */
            ok = HSC_PUSH(j->machine->modules[p->module].places, (sampled){address_of(p), i});
    }
    for (size_t m = 0; ok && m < j->modules.n; m++)
        if (j->machine->modules[m].places.n > 1)
            qsort(j->machine->modules[m].places.p, j->machine->modules[m].places.n, sizeof(sampled), by_sampled);
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

/* Rows of all modules; where parts and places have theirs. */
static hsc_status gather(join *j, hsc_err *err) {
    jmachine *all = j->machine;
    bool ok = true;
    uint64_t bytes = 0;
    for (size_t m = 0; ok && m < all->module_count; m++) {
        code *c = &all->modules[m];
        size_t base = all->rows.n, inlined = all->inlinings.n;
        ok = base + c->rows.n < HSC_NO_INDEX && HSC_RESERVE(all->rows, base + c->rows.n) &&
             HSC_RESERVE(all->inlinings, inlined + c->inlinings.n);
        for (size_t i = 0; ok && i < c->inlinings.n; i++) {
            inlining x = c->inlinings.p[i];
            x.parent += x.parent == HSC_NO_INDEX ? 0 : (uint32_t)inlined;
            all->inlinings.p[all->inlinings.n++] = x;
        }
        for (size_t i = 0; ok && i < c->rows.n; i++) {
            row r = c->rows.p[i];
            const row *target = r.target ? row_at(c->rows.p, c->rows.n, r.target) : NULL;
            r.target = target && target->address == r.target ? base + (size_t)(target - c->rows.p) : HSC_NO_INDEX;
            r.inlined += r.inlined == HSC_NO_INDEX ? 0 : (uint32_t)inlined;
            all->rows.p[all->rows.n++] = r;
        }
        for (size_t i = 0; ok && i < c->places.n; i++) {
            const row *at = row_at(c->rows.p, c->rows.n, c->places.p[i].address);
            j->places.p[c->places.p[i].place].instruction = at ? (uint32_t)(base + (size_t)(at - c->rows.p)) : HSC_NO_INDEX;
        }
        for (size_t i = 0, at = 0; ok && i < c->parts.n; i++) {
            part *p = &c->parts.p[i];
            while (at < c->rows.n && c->rows.p[at].address < p->begin)
                at++;
            size_t first = at;
            while (at < c->rows.n && c->rows.p[at].address < p->end)
                at++;
            p->rows = (uint32_t)(at - first);
            p->first = at > first ? (uint32_t)(base + first) : HSC_NO_INDEX;
            p->first_byte = p->taken ? (uint32_t)bytes : HSC_NO_INDEX;
            bytes += p->taken ? p->end - p->begin : 0;
        }
        free(c->rows.p);
        memset(&c->rows, 0, sizeof c->rows);
    }
    return ok && bytes < HSC_NO_INDEX ? HSC_OK : hsc_join_no_memory(err);
}

hsc_status hsc_join_make_instructions(join *j, hsc_err *err) {
    j->machine = calloc(1, sizeof *j->machine);
    hsc_status status = j->machine ? HSC_OK : hsc_join_no_memory(err);
    if (status == HSC_OK && !(j->machine->modules = calloc(j->modules.n + 1, sizeof *j->machine->modules)))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK) {
        j->machine->module_count = j->modules.n;
        status = find_samples(j, err);
    }
    for (uint32_t m = 0; m < j->modules.n && status == HSC_OK; m++)
        if (j->machine->modules[m].places.n)
            status = find_parts(j, m, err);
    if (status == HSC_OK)
        status = choose_parts(j, err);
    if (status == HSC_OK)
        status = hsc_join_each(j, j->modules.n, make_module, j, "machine code", err);
    hsc_kept_code_trim(j);
    return status == HSC_OK ? gather(j, err) : status;
}

uint64_t hsc_join_instruction_rows(const join *j) { return j->machine ? j->machine->rows.n : j->instruction_rows; }

uint32_t hsc_join_find_instruction(const join *j, uint32_t of, uint64_t *address) {
    if (!j->machine || of >= j->machine->rows.n)
        return HSC_NO_INDEX;
    *address = j->machine->rows.p[of].address;
    return j->machine->rows.p[of].module;
}

void hsc_join_free_instructions(join *j) {
    jmachine *all = j->machine;
    if (!all)
        return;
    for (size_t m = 0; m < all->module_count; m++) {
        code *c = &all->modules[m];
        free(c->parts.p);
        free(c->places.p);
        free(c->rows.p);
        free(c->inlinings.p);
        hsc_table_fini(&c->inlining_rows);
        hsc_pool_fini(&c->pool);
    }
    free(all->modules);
    free(all->rows.p);
    free(all->inlinings.p);
    free(all);
}

/* ---- into the database ---- */

static void put_parts(emit *e) {
    join *j = e->j;
    HSC_VEC(const part *) list = {0};
    uint64_t size = 0;
    bool ok = true;
    for (size_t m = 0; m < j->machine->module_count; m++)
        for (size_t i = 0; ok && i < j->machine->modules[m].parts.n; i++) {
            ok = HSC_PUSH(list, &j->machine->modules[m].parts.p[i]);
            size += j->machine->modules[m].parts.p[i].taken ? j->machine->modules[m].parts.p[i].end - j->machine->modules[m].parts.p[i].begin : 0;
        }
    uint8_t *bytes = malloc(size + 1);
    if ((!ok || !bytes) && e->status == HSC_OK)
        e->status = hsc_join_no_memory(e->err);
    const part *const *p = list.p;
    size_t n = list.n;
    uint64_t at = 0;
    for (size_t i = 0; bytes && i < n; i++)
        if (p[i]->taken) {
            memcpy(bytes + at, hsc_code_get_bytes(j->modules.p[p[i]->module].code, p[i]->begin, p[i]->end), p[i]->end - p[i]->begin);
            at += p[i]->end - p[i]->begin;
        }
    COLUMN(e, code_part_procedure, uint32_t, n, j->modules.p[p[i]->module].procedure_scopes.p[p[i]->procedure]);
    COLUMN(e, code_part_module, uint32_t, n, p[i]->module);
    COLUMN(e, code_part_begin, uint64_t, n, p[i]->begin);
    COLUMN(e, code_part_end, uint64_t, n, p[i]->end);
    COLUMN(e, code_part_first, uint32_t, n, p[i]->first);
    COLUMN(e, code_part_rows, uint32_t, n, p[i]->rows);
    COLUMN(e, code_part_first_byte, uint32_t, n, p[i]->first_byte);
    COLUMN(e, code_part_symbol, text, n, p[i]->symbol);
    COLUMN(e, code_part_note, text, n, p[i]->note);
    COLUMN(e, code_byte_value, uint8_t, size, bytes[i]);
    free(list.p);
    free(bytes);
}

hsc_status hsc_join_put_instructions(join *j, hsc_store *store, hsc_err *err) {
    emit e = {.j = j, .s = store, .err = err, .status = HSC_OK};
    const row *r = j->machine->rows.p;
    size_t n = j->machine->rows.n;
    uint32_t *text_of = malloc((n + 1) * sizeof *text_of);
    HSC_VEC(const char *) texts = {0};
    hsc_pool pool = {0};
    hsc_table known = {0};
    bool ok = text_of != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        text_of[i] = HSC_NO_INDEX;
        if (!r[i].text)
            continue;
        const char *one = hsc_pool_intern(&pool, r[i].text, strlen(r[i].text));
        uint32_t *at = one ? hsc_table_at(&known, (uintptr_t)one, 0) : NULL;
        ok = at && (*at != HSC_NO_INDEX || HSC_PUSH(texts, one));
        if (ok && *at == HSC_NO_INDEX)
            *at = (uint32_t)texts.n - 1;
        text_of[i] = ok ? *at : HSC_NO_INDEX;
    }
    if (!ok)
        e.status = hsc_join_no_memory(err);
    put_parts(&e);
    COLUMN(&e, instruction_module, uint32_t, n, r[i].module);
    COLUMN(&e, instruction_address, uint64_t, n, r[i].address);
    COLUMN(&e, instruction_size, uint8_t, n, r[i].size);
    COLUMN(&e, instruction_flow, uint8_t, n, r[i].flow);
    COLUMN(&e, instruction_text, uint32_t, n, text_of[i]);
    COLUMN(&e, instruction_line, uint32_t, n, r[i].line);
    COLUMN(&e, instruction_scope, uint32_t, n, r[i].scope);
    COLUMN(&e, instruction_instance, uint32_t, n, r[i].instance);
    COLUMN(&e, instruction_inlined, uint32_t, n, r[i].inlined);
    COLUMN(&e, instruction_target, uint32_t, n, r[i].target);
    COLUMN(&e, instruction_text_text, text, texts.n, texts.p[i]);
    const inlining *x = j->machine->inlinings.p;
    COLUMN(&e, inlining_parent, uint32_t, j->machine->inlinings.n, x[i].parent);
    COLUMN(&e, inlining_scope, uint32_t, j->machine->inlinings.n, x[i].scope);
    COLUMN(&e, inlining_line, uint32_t, j->machine->inlinings.n, x[i].line);
    free(text_of);
    free(texts.p);
    hsc_table_fini(&known);
    hsc_pool_fini(&pool);
    return e.status;
}
