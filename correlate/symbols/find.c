/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From an address to what surrounds it. */
#include <stdio.h>
#include <string.h>

#include <heatscope/formats/linkage.h>
#include <heatscope/formats/records.h>

#include "code_internal.h"

uint32_t hsc_code_scope_at(const hsc_code *c, uint64_t address) {
    uint32_t i;
    HSC_FIND_SPAN_BY(c->scope_spans, &c->scope_index, address, i);
    return i == HSC_NO_INDEX ? HSC_NO_INDEX : c->scope_spans.p[i].scope;
}

const hsc_symbol *hsc_code_symbol_at(const hsc_code *c, uint64_t address) {
    uint32_t i;
    HSC_FIND_SPAN_BY(c->symbols, &c->symbol_index, address, i);
    return i != HSC_NO_INDEX && address < c->symbols.p[i].hi ? &c->symbols.p[i] : NULL;
}

/* ---- after loading ---- */

/* The two procedures of an OpenMP region are shown as one, the second, which has the lines. */
static bool join_omp_pairs(hsc_code *c) {
    hsc_table shown_as = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < c->scopes.n; i++) {
        hsc_code_scope *s = &c->scopes.p[i];
        if (s->parent == HSC_NO_INDEX || c->scopes.p[s->parent].parent != HSC_NO_INDEX)
            continue;
        uint32_t outer = c->scopes.p[s->parent].procedure;
        if (!hsc_linkage_is_region_pair(c->procedures.p[outer].linkage, c->procedures.p[s->procedure].linkage))
            continue;
        uint32_t *at = hsc_table_at(&shown_as, outer, 0);
        ok = at != NULL;
        if (ok && *at == HSC_NO_INDEX)
            *at = s->procedure;
        s->transparent = ok && *at == s->procedure;
        if (s->transparent) {
            hsc_code_procedure *inner = &c->procedures.p[s->procedure], *shell = &c->procedures.p[outer];
            inner->has_code = true;
            shell->has_code = false;
            if (inner->parent == HSC_NO_INDEX)
                inner->parent = shell->parent;
            inner->flags |= shell->flags & HSC_procedure_flag_OUTLINED;
        }
    }
    for (size_t i = 0; ok && i < c->scopes.n; i++) {
        uint32_t other = hsc_table_get(&shown_as, c->scopes.p[i].procedure, 0);
        if (other != HSC_NO_INDEX)
            c->scopes.p[i].procedure = other;
    }
    for (size_t i = 0; ok && i < c->procedures.n; i++) { /* regions inside regions */
        uint32_t other = c->procedures.p[i].parent != HSC_NO_INDEX ? hsc_table_get(&shown_as, c->procedures.p[i].parent, 0)
                                                                   : HSC_NO_INDEX;
        if (other != HSC_NO_INDEX && other != i)
            c->procedures.p[i].parent = other;
    }
    hsc_table_fini(&shown_as);
    return ok;
}

#define SEVERAL (HSC_NO_INDEX - 1)

/* The procedure that a piece is one of, by name: of the same unit of the map, else the only one of that name; HSC_NO_INDEX. */
static uint32_t whole_of(const hsc_code *c, const hsc_table *by_name, const hsc_code_scope *s, const char *name) {
    uint32_t group = c->units.p[s->unit].source;
    uint32_t p = group == HSC_NO_INDEX ? HSC_NO_INDEX : hsc_table_get(&c->procedure_by_group, group, (uintptr_t)name);
    return p != HSC_NO_INDEX ? p : hsc_table_get(by_name, (uintptr_t)name, 0);
}

/* LLVM splits what is seldom run off into functions with debug information of their own, f.cold.1: shown as their procedures. */
static bool join_pieces(hsc_code *c) {
    hsc_table by_name = {0};
    bool ok = true, any = false;
    for (size_t i = 0; !any && i < c->scopes.n; i++) {
        const char *name = c->procedures.p[c->scopes.p[i].procedure].linkage;
        any = name[hsc_linkage_whole(name, strlen(name))];
    }
    for (size_t i = 0; ok && any && i < c->procedures.n; i++) {
        uint32_t *at = hsc_table_at(&by_name, (uintptr_t)c->procedures.p[i].linkage, 0);
        ok = at != NULL;
        if (ok)
            *at = *at == HSC_NO_INDEX ? (uint32_t)i : SEVERAL;
    }
    for (size_t i = 0; ok && any && i < c->scopes.n; i++) {
        hsc_code_scope *s = &c->scopes.p[i];
        const char *name = c->procedures.p[s->procedure].linkage;
        size_t n = hsc_linkage_whole(name, strlen(name));
        if (s->parent != HSC_NO_INDEX || !name[n])
            continue;
        name = hsc_pool_intern(&c->pool, name, n);
        uint32_t whole = name ? whole_of(c, &by_name, s, name) : HSC_NO_INDEX;
        ok = name != NULL;
        if (!ok || whole == HSC_NO_INDEX || whole == SEVERAL)
            continue;
        c->procedures.p[s->procedure].has_code = false;
        c->procedures.p[whole].has_code = true;
        s->procedure = whole;
    }
    hsc_table_fini(&by_name);
    return ok;
}

/* Parents of procedures must not run in circles (hostile maps). */
static void cut_cycles(hsc_code *c) {
    for (size_t i = 0; i < c->procedures.n; i++) {
        uint32_t p = (uint32_t)i;
        for (int hops = 0; p != HSC_NO_INDEX; hops++, p = c->procedures.p[p].parent)
            if (hops > 64) {
                c->procedures.p[i].parent = HSC_NO_INDEX;
                break;
            }
    }
}

static void stretch(hsc_code_procedure *p, uint32_t line) {
    if (line && (!p->line_begin || line < p->line_begin) && p->knowledge != HSC_KNOWN_MAP)
        p->line_begin = line;
    if (line > p->line_end)
        p->line_end = line;
}

bool hsc_code_index(hsc_code *c) {
    if (!HSC_RESERVE(c->symbol_facts, c->symbols.n + 1) ||
        !hsc_address_index_make(&c->symbol_index, c->symbols.p, c->symbols.n, sizeof *c->symbols.p) ||
        !hsc_address_index_make(&c->line_index, c->lines.p, c->lines.n, sizeof *c->lines.p) ||
        !hsc_address_index_make(&c->scope_index, c->scope_spans.p, c->scope_spans.n, sizeof *c->scope_spans.p))
        return false;
    memset(c->symbol_facts.p, 0xff, (c->symbols.n + 1) * sizeof *c->symbol_facts.p);
    return true;
}

/* What flang wrote itself of an intrinsic procedure: its record has the first line of the file, where nothing of it stands. */
static bool is_written_by_compiler(const hsc_code_procedure *p) {
    char name[64];
    unsigned rank;
    return p->knowledge == HSC_KNOWN_MAP && !strncmp(p->linkage, "_FortranA", 9) && hsc_linkage_fortran_intrinsic(p->linkage, name, sizeof name, &rank);
}

bool hsc_code_finish(hsc_code *c) {
    if (!join_omp_pairs(c) || !join_pieces(c) || !hsc_code_index(c))
        return false;
    cut_cycles(c);
    if (!HSC_RESERVE(c->loop_of_procedure, c->procedures.n + 1) || !HSC_RESERVE(c->next_loop, c->loops.n + 1))
        return false;
    c->loop_of_procedure.n = c->procedures.n;
    c->next_loop.n = c->loops.n;
    for (size_t i = 0; i < c->procedures.n; i++) {
        c->loop_of_procedure.p[i] = HSC_NO_INDEX;
        if (is_written_by_compiler(&c->procedures.p[i]))
            c->procedures.p[i].line_begin = c->procedures.p[i].line_end = 0;
    }
    for (size_t i = c->loops.n; i-- > 0;) {
        c->next_loop.p[i] = c->loop_of_procedure.p[c->loops.p[i].procedure];
        c->loop_of_procedure.p[c->loops.p[i].procedure] = (uint32_t)i;
    }
    for (size_t i = 0, s = 0; i < c->lines.n; i++) { /* last lines from the line table */
        const hsc_line_span *at = &c->lines.p[i];
        while (s + 1 < c->scope_spans.n && c->scope_spans.p[s + 1].lo <= at->lo)
            s++;
        /* only where the row begins: a copy that begins inside a row has its lines in rows of its own */
        if (s >= c->scope_spans.n || c->scope_spans.p[s].lo > at->lo || at->unit == HSC_NO_INDEX || !at->line)
            continue;
        uint32_t scope = c->scope_spans.p[s].scope;
        if (scope == HSC_NO_INDEX)
            continue;
        hsc_code_procedure *p = &c->procedures.p[c->scopes.p[scope].procedure];
        if (p->file == HSC_NO_INDEX && p->knowledge == HSC_KNOWN_DWARF && strstr(p->linkage, HSC_GCC_REGION_MARK)) /* gcc says of no region where it is: where its code begins */
            p->file = at->file;
        if (p->file != at->file)
            continue;
        if (is_written_by_compiler(p)) { /* at the line of its call, or, called from several, at none: begin 0 */
            if (at->line > 1) {
                p->line_begin = !p->line_end || at->line == p->line_begin ? at->line : 0;
                p->line_end = at->line;
            }
        } else if ((!p->line_begin || at->line >= p->line_begin) && !(p->knowledge == HSC_KNOWN_MAP && p->line_end)) { /* the map knows: a row may be of what was inlined where no span begins */
            stretch(p, at->line);
        }
    }
    for (size_t i = 0; i < c->procedures.n; i++)
        if (!c->procedures.p[i].line_begin && is_written_by_compiler(&c->procedures.p[i]))
            c->procedures.p[i].line_end = 0;
    return true;
}

/* ---- lookup ---- */

/* Is loop `inner` below loop `outer` (or is outer none)? */
static bool is_below(const hsc_code *c, uint32_t inner, uint32_t outer) {
    if (outer == HSC_NO_INDEX)
        return true;
    for (uint32_t l = c->loops.p[inner].parent; l != HSC_NO_INDEX; l = c->loops.p[l].parent)
        if (l == outer)
            return true;
    return false;
}

/* Innermost loop of the procedure whose lines hold (file, line): what lines alone can tell. */
static uint32_t loop_by_line(const hsc_code *c, uint32_t procedure, uint32_t file, uint32_t line) {
    uint32_t best = HSC_NO_INDEX;
    if (procedure >= c->loop_of_procedure.n)
        return best;
    for (uint32_t l = c->loop_of_procedure.p[procedure]; l != HSC_NO_INDEX; l = c->next_loop.p[l]) {
        const hsc_code_loop *at = &c->loops.p[l];
        if (at->file == file && line && at->line_begin <= line && line <= at->line_end &&
            (best == HSC_NO_INDEX || at->depth > c->loops.p[best].depth ||
             (at->depth == c->loops.p[best].depth && at->line_begin > c->loops.p[best].line_begin)))
            best = l; /* of equal depth: a loop that is always left from inside is none of those round it to the compiler */
    }
    return best;
}

/* Loop around an inlined copy in its caller. */
static uint32_t loop_around_call(const hsc_code *c, const hsc_code_scope *s, uint32_t caller, uint32_t inlined) {
    if (inlined != HSC_NO_INDEX && c->inlineds.p[inlined].site != HSC_NO_INDEX) {
        const hsc_site *site = &c->sites.p[c->inlineds.p[inlined].site];
        if (site->procedure == caller)
            return site->loop;
    }
    uint32_t group = s->call_discriminator ? c->units.p[s->unit].source : HSC_NO_INDEX;
    uint32_t k = group != HSC_NO_INDEX ? hsc_id_rows_get(&c->site_by_id, group, s->call_discriminator)
                                       : HSC_NO_INDEX;
    if (k != HSC_NO_INDEX && c->sites.p[k].is_call && c->sites.p[k].procedure == caller &&
        c->sites.p[k].call_line == s->call_line)
        return c->sites.p[k].loop;
    k = hsc_table_get(&c->call_by_position, (uint64_t)caller << 32 | s->call_file,
                               (uint64_t)s->call_line << 32 | s->call_column);
    if (k != HSC_NO_INDEX)
        return c->sites.p[k].loop;
    return loop_by_line(c, caller, s->call_file, s->call_line);
}

typedef struct frame {
    const hsc_code_scope *scope; /* NULL: from a symbol */
    uint32_t procedure, loop;
} frame;

#define FRAMES_MAX 128

static void add_loops(hsc_code *c, uint32_t loop, size_t *n) {
    uint32_t nest[64];
    size_t depth = 0;
    for (uint32_t l = loop; l != HSC_NO_INDEX && depth < 64; l = c->loops.p[l].parent)
        nest[depth++] = l;
    while (depth-- > 0 && *n < HSC_ELEMENTS_MAX)
        c->elements[(*n)++] = (hsc_code_element){HSC_ELEMENT_LOOP, nest[depth], HSC_NO_INDEX, 0};
}

/* Loops of the frames, frames[0] being the innermost. `borrowed`: the place is that of other code in the same loop of the
 * machine code. */
static void find_loops(const hsc_code *c, frame *frames, size_t n, const hsc_place *place, bool borrowed, uint32_t file,
                       uint32_t line) {
    uint32_t inlined = place ? place->inlined : HSC_NO_INDEX;
    for (size_t i = 1; i < n; i++) { /* callers of inlined copies */
        if (inlined != HSC_NO_INDEX && c->inlineds.p[inlined].callee != frames[i - 1].procedure)
            inlined = HSC_NO_INDEX;
        frames[i].loop = loop_around_call(c, frames[i - 1].scope, frames[i].procedure, inlined);
        if (inlined != HSC_NO_INDEX)
            inlined = c->inlineds.p[inlined].parent;
    }
    if (!place) {
        frames[0].loop = loop_by_line(c, frames[0].procedure, file, line);
        return;
    }
    if (!borrowed && place->site != HSC_NO_INDEX && c->sites.p[place->site].loop != HSC_NO_INDEX) {
        uint32_t loop = c->sites.p[place->site].loop;
        for (size_t i = 0; i < n; i++)
            if (frames[i].procedure == c->loops.p[loop].procedure) {
                if (i == 0 || is_below(c, loop, frames[i].loop))
                    frames[i].loop = loop;
                break;
            }
    }
    uint32_t instance = place->instance;
    for (int hops = 0; instance != HSC_NO_INDEX && hops < 256; hops++, instance = c->instance_parents.p[instance]) {
        uint32_t loop = c->instances.p[instance].loop;
        for (size_t i = 0; loop != HSC_NO_INDEX && i < n; i++)
            if (frames[i].procedure == c->loops.p[loop].procedure) {
                if (is_below(c, loop, frames[i].loop))
                    frames[i].loop = loop;
                break;
            }
    }
    uint32_t by_line = borrowed ? loop_by_line(c, frames[0].procedure, file, line) : HSC_NO_INDEX;
    if (by_line != HSC_NO_INDEX && is_below(c, by_line, frames[0].loop))
        frames[0].loop = by_line; /* unrolled fully */
}

/* Line tables alone name inlined copies of C++ without class and parameters; which of several of that name it is tells the place. */
static void tell_overloads(const hsc_code *c, frame *frames, size_t n, const hsc_place *place) {
    uint32_t inlined = place->inlined;
    for (size_t i = 0; i + 1 < n && inlined != HSC_NO_INDEX; i++, inlined = c->inlineds.p[inlined].parent) {
        uint32_t callee = c->inlineds.p[inlined].callee;
        if (callee == frames[i].procedure || callee == HSC_NO_INDEX)
            continue;
        const hsc_code_procedure *told = &c->procedures.p[frames[i].procedure], *known = &c->procedures.p[callee];
        size_t size = hsc_name_before_arguments(told->name);
        if (told->knowledge == HSC_KNOWN_MAP || known->knowledge != HSC_KNOWN_MAP || !size || !memmem(known->name, strlen(known->name), told->name, size))
            return; /* not the same chain */
        frames[i].procedure = callee;
    }
}

/* Loops of the frames by the machine code, for what has no map. */
static bool find_foreign_loops(hsc_code *c, uint64_t address, frame *frames, size_t n) {
    uint32_t at;
    if (!hsc_code_find_foreign_loop(c, address, frames[n - 1].procedure, &at))
        return false;
    for (; at != HSC_NO_INDEX; at = c->foreign_loops.p[at].parent) {
        const hsc_foreign_loop *l = &c->foreign_loops.p[at];
        const hsc_code_scope *scope = l->scope == HSC_NO_INDEX ? NULL : &c->scopes.p[l->scope];
        for (size_t i = 0; i < n; i++)
            if (frames[i].scope == scope && frames[i].loop == HSC_NO_INDEX &&
                frames[i].procedure == c->loops.p[l->loop].procedure)
                frames[i].loop = l->loop;
    }
    return true;
}

/* Procedure of an address that no DIE covers: by the symbol. */
static bool procedure_by_symbol(hsc_code *c, uint64_t address, const hsc_line_span *line, uint32_t *out) {
    const hsc_symbol *s = hsc_code_symbol_at(c, address);
    const char *name = s ? s->name : NULL;
    hsc_symbol_facts *facts = s && !line ? &c->symbol_facts.p[s - c->symbols.p] : NULL;
    *out = facts ? facts->procedure : HSC_NO_INDEX;
    if (*out != HSC_NO_INDEX)
        return true;
    for (size_t i = 0; !name && i < c->code_ranges.n; i++)
        if (address >= c->code_ranges.p[i].lo && address < c->code_ranges.p[i].hi &&
            !strncmp(c->code_ranges.p[i].name, ".plt", 4))
            name = hsc_pool_intern(&c->pool, "[plt]", 5);
    if (!name)
        return true;
    uint32_t source = line ? c->units.p[line->unit].source : HSC_NO_INDEX;
    size_t n = strlen(name);
    for (size_t shorter = n; source != HSC_NO_INDEX; n = shorter) { /* as compiled: before the linker numbered its names */
        const char *as_compiled = n == strlen(name) ? name : hsc_pool_intern(&c->pool, name, n);
        if (!as_compiled)
            return false;
        *out = hsc_table_get(&c->procedure_by_group, source, (uintptr_t)as_compiled);
        if (*out != HSC_NO_INDEX)
            return true;
        shorter = hsc_linkage_without_number(name, n);
        if (shorter == n)
            break;
    }
    n = hsc_linkage_whole(name, strlen(name)); /* a piece or copy is shown as what it is one of */
    if (name[n]) {
        name = hsc_pool_intern(&c->pool, name, n);
        if (!name)
            return false;
        *out = source == HSC_NO_INDEX ? HSC_NO_INDEX : hsc_table_get(&c->procedure_by_group, source, (uintptr_t)name);
        if (*out != HSC_NO_INDEX)
            return true;
    }
    bool is_new;
    if (!hsc_code_add_procedure(c, name, name, line ? line->file : HSC_NO_INDEX, out, &is_new))
        return false;
    if (is_new) {
        hsc_code_procedure *p = &c->procedures.p[*out];
        p->knowledge = line ? HSC_KNOWN_DWARF : s && s->unnamed ? HSC_KNOWN_MODULE : HSC_KNOWN_SYMBOL;
        p->has_code = true;
        if (line)
            stretch(p, line->line);
    }
    if (facts)
        facts->procedure = *out;
    return true;
}

/* Row of the place that a discriminator names. */
static uint32_t place_row(const hsc_code *c, uint32_t group, uint32_t discriminator) {
    uint32_t base = c->groups.p[group].place_base;
    return discriminator > base ? hsc_id_rows_get(&c->place_by_id, group, discriminator - base)
                                : HSC_NO_INDEX;
}

uint32_t hsc_code_place_row(const hsc_code *c, uint32_t row) {
    const hsc_line_span *line = &c->lines.p[row];
    uint32_t group = line->unit == HSC_NO_INDEX ? HSC_NO_INDEX : c->units.p[line->unit].group;
    return group == HSC_NO_INDEX ? HSC_NO_INDEX : place_row(c, group, line->discriminator);
}

/* The place that the row names, when it is one of the function that the frames are of. `made`: for one that is in no record,
 * since the linker's optimiser left no more than an early id. */
static const hsc_place *place_of(const hsc_code *c, uint32_t group, uint32_t row, const frame *frames, size_t n,
                                 hsc_place *made) {
    uint32_t discriminator = c->lines.p[row].discriminator, p = place_row(c, group, discriminator);
    if (discriminator && discriminator <= c->groups.p[group].place_base) {
        uint32_t site = hsc_id_rows_get(&c->site_by_id, group, discriminator);
        *made = (hsc_place){HSC_NO_INDEX, HSC_NO_INDEX, site, HSC_NO_INDEX};
        return site == HSC_NO_INDEX ? NULL : made;
    }
    const hsc_place *place = p == HSC_NO_INDEX ? NULL : &c->places.p[p];
    if (!place || place->function == HSC_NO_INDEX)
        return place;
    for (size_t i = 0; i < n; i++) /* the outermost frame, or one that was inlined at link time */
        if (place->function == (frames[i].scope ? frames[i].scope->function : frames[i].procedure))
            return place;
    return NULL; /* belongs to another copy of this unit */
}

static bool add_made_scope(hsc_code *c, uint64_t key, uint64_t kind, hsc_code_scope s, uint32_t *out) {
    uint32_t *at = hsc_table_at(&c->made_scopes, key, kind);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)c->scopes.n;
        if (!HSC_PUSH(c->scopes, s))
            return false;
    }
    *out = *at;
    return true;
}

/* The inlined copies around a place as the map has them: where their DWARF is in a file that is not there. */
static bool make_scope(hsc_code *c, const hsc_line_span *line, uint32_t *scope) {
    uint32_t group = c->units.p[line->unit].group, chain[FRAMES_MAX], depth = 0;
    uint32_t p = group != HSC_NO_INDEX ? place_row(c, group, line->discriminator) : HSC_NO_INDEX;
    if (p == HSC_NO_INDEX || c->places.p[p].function == HSC_NO_INDEX)
        return true;
    for (uint32_t i = c->places.p[p].inlined; i != HSC_NO_INDEX && depth < FRAMES_MAX; i = c->inlineds.p[i].parent)
        if (c->inlineds.p[i].callee != HSC_NO_INDEX)
            chain[depth++] = i;
    uint32_t function = c->places.p[p].function;
    hsc_code_scope s = {.parent = HSC_NO_INDEX, .procedure = function, .function = function, .unit = line->unit,
                        .call_file = HSC_NO_INDEX};
    c->procedures.p[function].has_code = true;
    if (!add_made_scope(c, function, 0, s, scope))
        return false;
    while (depth-- > 0) {
        const hsc_inlined *at = &c->inlineds.p[chain[depth]];
        s = (hsc_code_scope){.parent = *scope, .procedure = at->callee, .function = at->callee, .unit = line->unit,
                             .depth = c->scopes.p[*scope].depth + 1, .call_file = at->call_file,
                             .call_line = at->call_line, .call_column = at->call_column};
        if (!add_made_scope(c, chain[depth], 1 + (uint64_t)*scope, s, scope))
            return false;
    }
    return true;
}

/* Gives a call of OpenMP's run time whose own line is not true that of its directive. */
static void tell_directive(const hsc_code *c, uint32_t site, hsc_code_answer *a) {
    const hsc_site *s = site == HSC_NO_INDEX ? NULL : &c->sites.p[site];
    if (!s || s->directive == HSC_NO_INDEX || (s->call_line && (a->file != s->call_file || a->line != s->call_line)))
        return;
    a->file = c->data.directives.p[s->directive].file;
    a->line = c->data.directives.p[s->directive].line;
    a->repaired = true;
}

/* What an outlined region does first has flang's line of the statement before its directive. */
static void tell_region(const hsc_code *c, const frame *frames, size_t n, hsc_code_answer *a) {
    const hsc_code_procedure *p = &c->procedures.p[frames[0].procedure];
    if (n != 1 || p->knowledge != HSC_KNOWN_MAP || !(p->flags & HSC_procedure_flag_OUTLINED) || a->file != p->file || !a->line || a->line >= p->line_begin)
        return;
    a->line = p->line_begin;
    a->repaired = true;
}

/* `row`, `scope`: at the address. */
static hsc_status find_anew(hsc_code *c, uint64_t at, uint32_t row, uint32_t scope, hsc_code_answer *out, hsc_err *err) {
    hsc_code_answer a = {.elements = c->elements, .file = HSC_NO_INDEX, .instance = HSC_NO_INDEX,
                         .knowledge = HSC_KNOWN_MODULE};
    frame frames[FRAMES_MAX];
    size_t n = 0;
    uint32_t lost;
    if (!hsc_code_lost_call(c, at, row, scope, &lost))
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", c->path);
    if (lost == HSC_NO_INDEX)
        row = hsc_code_line_row(c, at, row, &scope, &a.repaired);
    else
        a.repaired = true;
    const hsc_line_span *line = row == HSC_NO_INDEX ? NULL : &c->lines.p[row];
    if (scope == HSC_NO_INDEX && line && c->split_missing && !make_scope(c, line, &scope))
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", c->path);
    for (uint32_t s = scope; s != HSC_NO_INDEX && n < FRAMES_MAX; s = c->scopes.p[s].parent)
        frames[n++] = (frame){&c->scopes.p[s], c->scopes.p[s].procedure, HSC_NO_INDEX};
    if (!n) {
        uint32_t procedure;
        if (!procedure_by_symbol(c, at, line, &procedure))
            return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", c->path);
        if (procedure != HSC_NO_INDEX)
            frames[n++] = (frame){NULL, procedure, HSC_NO_INDEX};
    }
    if (!n) {
        *out = a;
        return HSC_OK;
    }
    a.file = lost != HSC_NO_INDEX ? c->sites.p[lost].call_file : line ? line->file : HSC_NO_INDEX;
    a.line = lost != HSC_NO_INDEX ? c->sites.p[lost].call_line : line ? line->line : 0;
    uint32_t unit = scope != HSC_NO_INDEX ? c->scopes.p[scope].unit : line ? line->unit : HSC_NO_INDEX;
    /* what was looked at at link time is known by the unit of its code; else each unit's code keeps the unit's own places */
    bool linked = line && line->unit != HSC_NO_INDEX && c->units.p[line->unit].group != c->units.p[line->unit].source;
    uint32_t group = linked ? c->units.p[line->unit].group : unit != HSC_NO_INDEX ? c->units.p[unit].source : HSC_NO_INDEX;
    uint32_t from = group == HSC_NO_INDEX || !line || line->discriminator ? row : hsc_code_row_in_loop(c, row, at, scope);
    bool borrowed = from != row;
    hsc_place made;
    const hsc_place *place = group == HSC_NO_INDEX || from == HSC_NO_INDEX ? NULL : place_of(c, group, from, frames, n, &made);
    if (place && !borrowed)
        tell_overloads(c, frames, n, place);
    if (group == HSC_NO_INDEX && !find_foreign_loops(c, at, frames, n))
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", c->path);
    if (group != HSC_NO_INDEX && c->loops.n)
        find_loops(c, frames, n, place, borrowed, a.file, a.line);
    for (size_t i = n; i-- > 0 && a.element_count < HSC_ELEMENTS_MAX;) {
        const hsc_code_scope *s = frames[i].scope;
        if (i + 1 == n)
            c->elements[a.element_count++] =
                (hsc_code_element){HSC_ELEMENT_PROCEDURE, frames[i].procedure, HSC_NO_INDEX, 0};
        else if (!s->transparent)
            c->elements[a.element_count++] =
                (hsc_code_element){HSC_ELEMENT_INLINED, frames[i].procedure, s->call_file, s->call_line};
        add_loops(c, frames[i].loop, &a.element_count);
    }
    tell_directive(c, lost != HSC_NO_INDEX ? lost : place && !borrowed ? place->site : HSC_NO_INDEX, &a);
    tell_region(c, frames, n, &a);
    a.instance = place ? place->instance : HSC_NO_INDEX;
    a.knowledge = group != HSC_NO_INDEX ? HSC_KNOWN_MAP
                  : scope != HSC_NO_INDEX || line ? HSC_KNOWN_DWARF : c->procedures.p[frames[n - 1].procedure].knowledge;
    *out = a;
    return HSC_OK;
}

/* Keeps the answer for all the code round the address that has it: as far as nothing that it was found by changes. */
static void keep(hsc_code *c, uint64_t at, uint32_t row, uint32_t span, const hsc_code_answer *answer) {
    uint64_t lo = 0, hi = UINT64_MAX;
    const hsc_symbol *symbol = hsc_code_symbol_at(c, at);
    const hsc_line_span *line = row == HSC_NO_INDEX ? NULL : &c->lines.p[row];
    const hsc_scope_span *scope = span == HSC_NO_INDEX ? NULL : &c->scope_spans.p[span];
    size_t next_row = line ? (size_t)row + 1 : 0, next_span = scope ? (size_t)span + 1 : 0;
    if (line)
        lo = line->lo;
    if (next_row < c->lines.n)
        hi = c->lines.p[next_row].lo;
    if (scope && scope->lo > lo)
        lo = scope->lo;
    if (next_span < c->scope_spans.n && c->scope_spans.p[next_span].lo < hi)
        hi = c->scope_spans.p[next_span].lo;
    bool has_row = line && line->unit != HSC_NO_INDEX, has_line = has_row && line->line;
    uint32_t unit = scope && scope->scope != HSC_NO_INDEX ? c->scopes.p[scope->scope].unit : has_row ? line->unit : HSC_NO_INDEX;
    bool mapped = (unit != HSC_NO_INDEX && c->units.p[unit].source != HSC_NO_INDEX) ||
                  (has_row && c->units.p[line->unit].group != HSC_NO_INDEX);
    if (!symbol) {
        lo = at, hi = at + 1;
    } else if (!(mapped && has_line && line->discriminator)) { /* else the row says all */
        size_t next = (size_t)(symbol - c->symbols.p) + 1;
        uint64_t end = next < c->symbols.n && c->symbols.p[next].lo < symbol->hi ? c->symbols.p[next].lo : symbol->hi;
        bool by_block = has_row && (!has_line || mapped || (!line->discriminator && line->lo <= symbol->lo));
        lo = symbol->lo > lo ? symbol->lo : lo;
        hi = end < hi ? end : hi;
        if (has_row && !has_line)
            hsc_code_narrow_to_call(c, symbol, row, at, &lo, &hi);
        hsc_code_narrow(c, symbol, at, by_block, &lo, &hi);
    }
    hsc_code_keep(c, at, lo, hi, answer);
}

static hsc_status find_and_keep(hsc_code *c, uint64_t at, hsc_code_answer *out, hsc_err *err) {
    uint32_t row, span;
    HSC_FIND_SPAN_BY(c->lines, &c->line_index, at, row);
    HSC_FIND_SPAN_BY(c->scope_spans, &c->scope_index, at, span);
    hsc_status status = find_anew(c, at, row, span == HSC_NO_INDEX ? span : c->scope_spans.p[span].scope, out, err);
    if (status == HSC_OK)
        keep(c, at, row, span, out);
    return status;
}

/* A function that is asked much is answered as a whole: in order that takes a part of what one address now, one then takes. */
#define BYTES_PER_QUESTION 32u
#define QUESTIONS_MIN 4u

static bool is_asked_much(hsc_code *c, const hsc_symbol *s) {
    uint32_t *left = &c->symbol_facts.p[s - c->symbols.p].left;
    uint64_t bytes = s->hi - s->lo;
    if (*left == HSC_NO_INDEX)
        *left = QUESTIONS_MIN + (uint32_t)((bytes < UINT32_MAX ? bytes : UINT32_MAX) / BYTES_PER_QUESTION);
    return *left && !--*left;
}

uint32_t hsc_code_get_column(const hsc_code *c, uint64_t address, bool exact) {
    uint32_t row;
    HSC_FIND_SPAN_BY(c->lines, &c->line_index, exact || !address ? address : address - 1, row);
    return row != HSC_NO_INDEX && c->lines.p[row].line ? c->lines.p[row].column : 0;
}

hsc_status hsc_code_find(hsc_code *c, uint64_t address, bool exact, hsc_code_answer *out, hsc_err *err) {
    uint64_t at = exact || !address ? address : address - 1;
    if (hsc_code_recall(c, at, out))
        return HSC_OK;
    const hsc_symbol *s = hsc_code_symbol_at(c, at);
    hsc_status status = HSC_OK;
    if (s && is_asked_much(c, s)) {
        for (uint64_t k = s->lo; (k = hsc_code_first_unknown(c, k, s->hi)) < s->hi && status == HSC_OK; k++)
            status = find_and_keep(c, k, out, err);
        if (status != HSC_OK || hsc_code_recall(c, at, out))
            return status;
    }
    return find_and_keep(c, at, out, err);
}

/* Where calls are that were inlined: such a line may have no code of its own. */
static hsc_status each_call(const hsc_code_answer *a,
                            hsc_status (*visit)(void *ctx, uint32_t file, uint32_t line, uint32_t procedure, uint32_t loop, hsc_err *err), void *ctx,
                            hsc_err *err) {
    uint32_t procedure = HSC_NO_INDEX, loop = HSC_NO_INDEX;
    hsc_status status = HSC_OK;
    for (size_t k = 0; status == HSC_OK && k < a->element_count; k++) {
        const hsc_code_element *e = &a->elements[k];
        if (e->kind == HSC_ELEMENT_LOOP) {
            loop = e->index;
            continue;
        }
        if (e->kind == HSC_ELEMENT_INLINED && e->call_file != HSC_NO_INDEX && e->call_line && procedure != HSC_NO_INDEX)
            status = visit(ctx, e->call_file, e->call_line, procedure, loop, err);
        procedure = e->index;
        loop = HSC_NO_INDEX;
    }
    return status;
}

hsc_status hsc_code_each_line(hsc_code *c,
                              hsc_status (*visit)(void *ctx, uint32_t file, uint32_t line, uint32_t procedure,
                                                  uint32_t loop, hsc_err *err),
                              void *ctx, hsc_err *err) {
    size_t i = 0, s = 0;
    while (i < c->lines.n) { /* every piece between two borders of line rows or of scopes */
        uint64_t lo = c->lines.p[i].lo;
        while (s < c->scope_spans.n && c->scope_spans.p[s].lo <= lo)
            s++;
        for (;;) {
            hsc_code_answer a;
            if (c->lines.p[i].unit != HSC_NO_INDEX && c->lines.p[i].line) {
                hsc_status status = hsc_code_find(c, lo, true, &a, err);
                uint32_t procedure = HSC_NO_INDEX, loop = HSC_NO_INDEX;
                for (size_t k = a.element_count; status == HSC_OK && k-- > 0 && procedure == HSC_NO_INDEX;) {
                    if (a.elements[k].kind == HSC_ELEMENT_LOOP)
                        loop = loop == HSC_NO_INDEX ? a.elements[k].index : loop;
                    else
                        procedure = a.elements[k].index;
                }
                if (status == HSC_OK)
                    status = visit(ctx, c->lines.p[i].file, c->lines.p[i].line, procedure, loop, err);
                if (status == HSC_OK && a.repaired && a.line && (a.file != c->lines.p[i].file || a.line != c->lines.p[i].line))
                    status = visit(ctx, a.file, a.line, procedure, loop, err);
                if (status == HSC_OK)
                    status = each_call(&a, visit, ctx, err);
                if (status != HSC_OK)
                    return status;
            }
            if (s >= c->scope_spans.n || (i + 1 < c->lines.n && c->scope_spans.p[s].lo >= c->lines.p[i + 1].lo))
                break;
            lo = c->scope_spans.p[s++].lo;
        }
        i++;
    }
    return HSC_OK;
}
