/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The assembler against another database: by instruction where both have the same code, a piece or a part of it, else by line and loop. */
#include "w_assembly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "same_code.h"

/* Its operation: operands tell of addresses, which may be others. */
static size_t operation_of(const char *text) { return strcspn(text, "\t"); }

static const char *module_name(const hsc_db *db, uint32_t module) {
    hsc_db_module m;
    if (module == HSC_NONE || hsc_db_get_module(db, module, &m, NULL))
        return "";
    const char *slash = strrchr(m.path, '/');
    return slash ? slash + 1 : m.path;
}

/* Have both pieces the same instructions: as many, each as long and with the same operation? */
static bool is_same(const hsc_db *here, const hsc_db_code_part *a, const hsc_db *there, const hsc_db_code_part *b) {
    hsc_db_instruction x, y;
    bool same = a->disassembled && b->disassembled && a->rows == b->rows;
    for (uint32_t i = 0; same && i < a->rows; i++) {
        same = hsc_db_get_instruction(here, a->first + i, &x, NULL) == HSC_OK && hsc_db_get_instruction(there, b->first + i, &y, NULL) == HSC_OK;
        size_t n = same ? operation_of(x.text) : 0;
        same = same && x.size == y.size && n == operation_of(y.text) && !strncmp(x.text, y.text, n);
    }
    return same;
}

/* Of a piece of the other database's code, which of its instructions those of a piece here are: to[part->rows], HSC_NONE none. How many are. */
typedef struct twin {
    hsc_db_code_part part;
    uint32_t *to, same;
} twin;

/* What instructions are alike by: operation and size; how far a jump goes says nothing of it. */
static hsc_status operations(const hsc_db *db, const hsc_db_code_part *part, uint64_t *out, hsc_err *err) {
    hsc_db_instruction x;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < part->rows; i++) {
        if ((s = hsc_db_get_instruction(db, part->first + i, &x, err)) != HSC_OK)
            break;
        uint64_t hash = 0xcbf29ce484222325u ^ (x.flow == HSC_FLOW_NEXT ? x.size : 0);
        for (size_t k = 0, n = operation_of(x.text); k < n; k++)
            hash = (hash ^ (unsigned char)x.text[k]) * 0x100000001b3u;
        out[i] = hash;
    }
    return s;
}

/* Instructions alike in a row, and of the same line. */
static hsc_status find_alike(assembly *a, const hsc_db_code_part *part, const hsc_db_code_part *there, uint32_t *to, uint32_t *same, hsc_err *err) {
    const uint32_t *lines;
    hsc_db_instruction x, y;
    uint64_t *mine = malloc(((size_t)part->rows + 1) * sizeof *mine), *theirs = malloc(((size_t)there->rows + 1) * sizeof *theirs);
    hsc_status s = mine && theirs ? hsc_handle_match(a->w.db, a->other, HSC_MATCH_LINES, &lines, err) : HSC_E_MEMORY;
    if (s == HSC_OK)
        s = operations(a->w.db->db, part, mine, err);
    if (s == HSC_OK)
        s = operations(a->other->db, there, theirs, err);
    if (s == HSC_OK && !hsc_same_code(mine, part->rows, theirs, there->rows, to))
        s = HSC_E_MEMORY;
    *same = 0;
    for (uint32_t i = 0; s == HSC_OK && i < part->rows; i++) {
        if (to[i] == UINT32_MAX)
            continue;
        s = hsc_db_get_instruction(a->w.db->db, part->first + i, &x, err);
        if (s == HSC_OK)
            s = hsc_db_get_instruction(a->other->db, there->first + to[i], &y, err);
        if (s == HSC_OK && (x.line == HSC_NONE ? HSC_NONE : lines[x.line]) != y.line)
            to[i] = HSC_NONE;
        else
            (*same)++;
    }
    free(mine);
    free(theirs);
    return s == HSC_E_MEMORY ? hsc_err_set(err, s, "no memory for %u instructions", part->rows) : s;
}

/* The piece of this name in the other database that has the same instructions, else the one that has most of them; of a program of another name too, where none
 * of this name has any. same 0: none. */
static hsc_status find_twin(assembly *a, const hsc_db_code_part *part, twin *out, hsc_err *err) {
    hsc_handle *h = a->w.db, *other = a->other;
    const char *module = module_name(h->db, part->module);
    hsc_db_code_part p;
    hsc_status s = HSC_OK;
    uint32_t same = 0, *to = malloc(((size_t)part->rows + 1) * sizeof *to);
    out->same = 0;
    if (!to)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u instructions", part->rows);
    for (int any = 0; s == HSC_OK && part->symbol[0] && any < 2 && !out->same; any++)
        for (uint32_t i = 0; s == HSC_OK && i < other->info.code_parts && out->same < part->rows; i++) {
            if (hsc_db_get_code_part(other->db, i, &p, NULL) != HSC_OK || strcmp(p.symbol, part->symbol) != 0 || !p.disassembled ||
                (strcmp(module_name(other->db, p.module), module) != 0) != any)
                continue;
            if (is_same(h->db, part, other->db, &p)) {
                for (uint32_t k = 0; k < part->rows; k++)
                    to[k] = k;
                same = part->rows;
            } else if ((s = find_alike(a, part, &p, to, &same, err)) != HSC_OK) {
                break;
            }
            if (same > out->same) {
                out->part = p;
                out->same = same;
                memcpy(out->to, to, part->rows * sizeof *to);
            }
        }
    free(to);
    return s;
}

/* What the other run has at a piece's instructions; one of other code stays without. */
static hsc_status read_part(assembly *a, const hsc_db_code_part *part, hsc_err *err) {
    twin t = {.to = malloc(((size_t)part->rows + 1) * sizeof *t.to)};
    hsc_status s = t.to ? find_twin(a, part, &t, err) : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u instructions", part->rows);
    double *there = s == HSC_OK && t.same ? malloc(((size_t)t.part.rows + 1) * sizeof *there) : NULL;
    if (s == HSC_OK && t.same && !there)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u instructions", t.part.rows);
    if (there)
        s = hsc_db_read_sums(a->other->db, (hsc_db_view){a->other_metric, HSC_TABLE_INSTRUCTION, (hsc_db_axis)a->w.axis}, t.part.first, t.part.rows, there, err);
    for (uint32_t k = 0; there && s == HSC_OK && k < part->rows; k++)
        if (t.to[k] != HSC_NONE)
            a->theirs[part->first - a->first + k] = there[t.to[k]] * a->other_scale;
    a->same += there && s == HSC_OK ? t.same : 0;
    free(there);
    free(t.to);
    if (s == HSC_E_MISSING) { /* not known there by instruction, as in an interval of an older database */
        hsc_err_clear(err);
        return HSC_OK;
    }
    return s;
}

/* Do both have all instructions alike that stand below a source line or loop, list row i, up to the next one? */
static bool is_alike_below(const assembly *a, int i) {
    bool is_loop = a->items[i].kind == HSC_CODE_LOOP;
    for (int k = i + 1; k < a->n && a->items[k].kind != HSC_CODE_PART && a->items[k].kind != HSC_CODE_LOOP && (is_loop || a->items[k].kind != HSC_CODE_SOURCE); k++)
        if (a->items[k].kind == HSC_CODE_INSTRUCTION && isnan(a->theirs[a->items[k].row - a->first]))
            return false;
    return true;
}

/* What both have at a line or loop as a whole, in all its copies: of list row i where they have not all its instructions alike. */
static bool read_as_whole(const assembly *a, int i, double *here, double *there, bool *is_there) {
    const hsw *w = &a->w;
    const assembly_item *it = &a->items[i];
    const uint32_t *map;
    hsc_db_instruction x;
    hsc_db_instance v;
    bool is_loop = it->kind == HSC_CODE_LOOP;
    if (!a->theirs || !a->other || (!is_loop && it->kind != HSC_CODE_SOURCE) || is_alike_below(a, i) ||
        hsc_db_get_instruction(w->db->db, it->row, &x, NULL) != HSC_OK || (is_loop && hsc_db_get_instance(w->db->db, x.instance, &v, NULL) != HSC_OK))
        return false;
    uint32_t row = is_loop ? v.scope : x.line;
    hsc_db_table table = is_loop ? HSC_TABLE_SCOPE_EXCL : HSC_TABLE_LINE;
    if (row == HSC_NONE || hsc_handle_match(w->db, a->other, is_loop ? HSC_MATCH_SCOPES : HSC_MATCH_LINES, &map, NULL) != HSC_OK ||
        hsc_db_read_sums(w->db->db, (hsc_db_view){(uint32_t)w->metric, table, (hsc_db_axis)w->axis}, row, 1, here, NULL) != HSC_OK)
        return false;
    *there = 0;
    *is_there = map[row] != HSC_NONE;
    if (*is_there && hsc_db_read_sums(a->other->db, (hsc_db_view){a->other_metric, table, (hsc_db_axis)w->axis}, map[row], 1, there, NULL) != HSC_OK)
        return false;
    *there *= a->other_scale;
    return *here > 0 || *there > 0;
}

/* The largest change beyond noise of what is shown: of instructions and lines, and of loops, which have so much more. */
static hsc_status find_most(assembly *a, uint32_t rows, hsc_err *err) {
    size_t n = 0, loops = 0;
    float *changes = malloc(((size_t)rows + (size_t)a->n + 1) * sizeof *changes), *of_loops = malloc(((size_t)a->n + 1) * sizeof *of_loops);
    if (!changes || !of_loops) {
        free(changes);
        free(of_loops);
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u instructions", rows);
    }
    for (uint32_t i = 0; i < rows; i++)
        if (!isnan(a->theirs[i]) && !hsw_within_noise(&a->noise, a->counts[i], a->theirs[i]))
            changes[n++] = hsw_change(a->against.show, a->counts[i], a->theirs[i]);
    for (int i = 0; i < a->n; i++) {
        double here, there;
        bool is_there;
        if (!read_as_whole(a, i, &here, &there, &is_there) || hsw_within_noise(&a->noise, here, there))
            continue;
        if (a->items[i].kind == HSC_CODE_LOOP)
            of_loops[loops++] = hsw_change(a->against.show, here, there);
        else
            changes[n++] = hsw_change(a->against.show, here, there);
    }
    a->most_change = hsw_change_maximum(a->against.show, changes, NULL, n);
    a->most_loop = hsw_change_maximum(a->against.show, of_loops, NULL, loops);
    free(changes);
    free(of_loops);
    return HSC_OK;
}

hsc_status hsw_assembly_read_other(assembly *a, const uint32_t *parts, uint32_t n, hsc_err *err) {
    hsw *w = &a->w;
    hsc_err why = {0};
    uint32_t rows = a->end > a->first ? a->end - a->first : 0;
    hsc_db_code_part p;
    free(a->theirs);
    a->theirs = NULL;
    a->other = NULL;
    a->same = 0;
    if (!hsw_comparing(&a->against) || !a->counts || a->uncounted || !rows)
        return HSC_OK;
    hsc_status s = hsw_other(w, &a->against, &a->other, &a->other_metric, &a->other_scale, &why);
    if (s == HSC_OK)
        s = hsw_noise_init(&a->noise, w, a->other, a->other_metric, a->other_scale, &why);
    if (s == HSC_OK && !(a->theirs = malloc(rows * sizeof *a->theirs)))
        s = hsc_err_set(&why, HSC_E_MEMORY, "no memory for %u instructions", rows);
    for (uint32_t i = 0; s == HSC_OK && i < rows; i++)
        a->theirs[i] = NAN;
    bool some = a->range && a->range[0]; /* of these processors; which they are there is not asked */
    for (uint32_t i = 0; s == HSC_OK && i < n && !some; i++)
        if ((s = hsc_db_get_code_part(w->db->db, parts[i], &p, &why)) == HSC_OK && p.rows && p.disassembled)
            s = read_part(a, &p, &why);
    if (s == HSC_E_MISSING || s == HSC_E_ARGUMENT) { /* it has no such metric */
        free(a->theirs);
        a->theirs = NULL;
        a->other = NULL;
        return HSC_OK;
    }
    if (s == HSC_OK)
        s = find_most(a, rows, &why);
    return s == HSC_OK ? s : hsc_err_set(err, s, "%s", why.text);
}

static void show_change(const assembly *a, double here, double there, double most, hsc_code_row *out) {
    out->compared = true;
    out->count = here;
    out->theirs = there;
    out->noise = hsw_within_noise(&a->noise, here, there);
    out->ratio = a->against.show == HSW_SHOW_RATIO;
    out->change = hsw_change(a->against.show, here, there);
    double t = most > 0 ? (double)out->change / most : 0;
    t = t < -1 ? -1 : t > 1 ? 1 : t;
    out->heat = out->noise ? 0 : t;
    out->length = fabs(t);
}

void hsw_assembly_change(const assembly *a, uint32_t row, hsc_code_row *out) {
    if (a->theirs && !isnan(a->theirs[row - a->first]))
        show_change(a, out->count, a->theirs[row - a->first], a->most_change, out);
}

void hsw_assembly_other(assembly *a, int i, hsc_code_row *out, char *words, size_t size) {
    double here, there;
    bool is_there;
    char one[HSC_NUMBER_MAX], two[HSC_NUMBER_MAX];
    words[0] = 0;
    if (!read_as_whole(a, i, &here, &there, &is_there))
        return;
    show_change(a, here, there, a->items[i].kind == HSC_CODE_LOOP ? a->most_loop : a->most_change, out);
    hsc_number_short(here, 7, one);
    hsc_number_short(there, 7, two);
    snprintf(words, size, "%s: %s \xE2\x86\x92 %s%s", a->items[i].kind == HSC_CODE_LOOP ? "loop" : "line", one, is_there ? two : "not there", out->noise ? " (noise)" : "");
}
