/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The assembler against another database: by instruction where both have the same code, else by line and loop. */
#include "w_assembly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

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

/* The piece of this name in the other database that has the same instructions; of a program of another name too, where none of this name has it. */
static bool find_same(hsc_handle *h, const hsc_db_code_part *part, hsc_handle *other, hsc_db_code_part *out) {
    const char *module = module_name(h->db, part->module);
    for (int any = 0; part->symbol[0] && any < 2; any++)
        for (uint32_t i = 0; i < other->info.code_parts; i++)
            if (hsc_db_get_code_part(other->db, i, out, NULL) == HSC_OK && !strcmp(out->symbol, part->symbol) &&
                (strcmp(module_name(other->db, out->module), module) != 0) == any && is_same(h->db, part, other->db, out))
                return true;
    return false;
}

hsc_status hsw_assembly_read_other(assembly *a, const uint32_t *parts, uint32_t n, hsc_err *err) {
    hsw *w = &a->w;
    hsc_err why = {0};
    double *there = NULL;
    uint32_t rows = a->end > a->first ? a->end - a->first : 0;
    hsc_db_code_part p, q;
    free(a->theirs);
    a->theirs = NULL;
    a->other = NULL;
    a->same = 0;
    if (!hsw_comparing(&a->against) || !a->counts || a->uncounted || !rows)
        return HSC_OK;
    hsc_status s = hsw_other(w, &a->against, &a->other, &a->other_metric, &a->other_scale, &why);
    if (s == HSC_OK)
        s = hsw_noise_init(&a->noise, w, a->other, a->other_metric, a->other_scale, &why);
    if (s == HSC_OK && (!(a->theirs = malloc(rows * sizeof *a->theirs)) || !(there = malloc(rows * sizeof *there))))
        s = hsc_err_set(&why, HSC_E_MEMORY, "no memory for %u instructions", rows);
    for (uint32_t i = 0; s == HSC_OK && i < rows; i++)
        a->theirs[i] = NAN;
    bool some = a->range && a->range[0]; /* of these processors; which they are there is not asked */
    for (uint32_t i = 0; s == HSC_OK && i < n && !some; i++) {
        if ((s = hsc_db_get_code_part(w->db->db, parts[i], &p, &why)) != HSC_OK || !p.rows || !find_same(w->db, &p, a->other, &q))
            continue;
        s = hsc_db_read_sums(a->other->db, (hsc_db_view){a->other_metric, HSC_TABLE_INSTRUCTION, (hsc_db_axis)w->axis}, q.first, q.rows, there, &why);
        if (s == HSC_E_MISSING) { /* not known there by instruction, as in an interval of an older database */
            s = HSC_OK;
            hsc_err_clear(&why);
            continue;
        }
        for (uint32_t k = 0; s == HSC_OK && k < q.rows; k++)
            a->theirs[p.first - a->first + k] = there[k] * a->other_scale;
        a->same += s == HSC_OK ? q.rows : 0;
    }
    free(there);
    if (s == HSC_E_MISSING || s == HSC_E_ARGUMENT) { /* it has no such metric */
        free(a->theirs);
        a->theirs = NULL;
        a->other = NULL;
        return HSC_OK;
    }
    float *changes = s == HSC_OK ? malloc(((size_t)rows + 1) * sizeof *changes) : NULL;
    for (uint32_t i = 0; changes && i < rows; i++)
        changes[i] = isnan(a->theirs[i]) ? NAN : hsw_within_noise(&a->noise, a->counts[i], a->theirs[i]) ? 0 : hsw_change(a->against.show, a->counts[i], a->theirs[i]);
    a->most_change = changes ? hsw_change_maximum(a->against.show, changes, NULL, rows) : 0;
    free(changes);
    return s == HSC_OK ? s : hsc_err_set(err, s, "%s", why.text);
}

void hsw_assembly_change(const assembly *a, uint32_t row, hsc_code_row *out) {
    double there = a->theirs ? a->theirs[row - a->first] : NAN;
    if (isnan(there))
        return;
    out->compared = true;
    out->theirs = there;
    out->noise = hsw_within_noise(&a->noise, out->count, there);
    out->ratio = a->against.show == HSW_SHOW_RATIO;
    out->change = hsw_change(a->against.show, out->count, there);
    double t = a->most_change > 0 ? (double)out->change / a->most_change : 0;
    t = t < -1 ? -1 : t > 1 ? 1 : t;
    out->heat = out->noise ? 0 : t;
    out->length = fabs(t);
}

/* "12 -> 30 samples in the other run" of a line row or scope; "" where both have none. */
static void words_of(assembly *a, hsc_match_of what, hsc_db_table table, uint32_t row, const char *of, char *out, size_t size) {
    const uint32_t *map;
    double here = 0, there = 0;
    char one[HSC_NUMBER_MAX], two[HSC_NUMBER_MAX];
    hsw *w = &a->w;
    out[0] = 0;
    if (!a->other || row == HSC_NONE || hsc_handle_match(w->db, a->other, what, &map, NULL) != HSC_OK ||
        hsc_db_read_sums(w->db->db, (hsc_db_view){(uint32_t)w->metric, table, (hsc_db_axis)w->axis}, row, 1, &here, NULL) != HSC_OK ||
        (map[row] != HSC_NONE && hsc_db_read_sums(a->other->db, (hsc_db_view){a->other_metric, table, (hsc_db_axis)w->axis}, map[row], 1, &there, NULL) != HSC_OK))
        return;
    there *= a->other_scale;
    if (!(here > 0) && !(there > 0))
        return;
    hsc_number_short(here, 7, one);
    hsc_number_short(there, 7, two);
    snprintf(out, size, "%s: %s \xE2\x86\x92 %s%s", of, one, map[row] == HSC_NONE ? "not there" : two,
             hsw_within_noise(&a->noise, here, there) ? " (noise)" : "");
}

void hsw_assembly_other_words(assembly *a, int i, char *out, size_t size) {
    hsc_db_instruction x;
    hsc_db_instance v;
    out[0] = 0;
    if (!a->theirs || hsc_db_get_instruction(a->w.db->db, a->items[i].row, &x, NULL) != HSC_OK || !isnan(a->theirs[a->items[i].row - a->first]))
        return; /* by instruction */
    if (a->items[i].kind == HSC_CODE_SOURCE)
        words_of(a, HSC_MATCH_LINES, HSC_TABLE_LINE, x.line, "line", out, size);
    else if (a->items[i].kind == HSC_CODE_LOOP && hsc_db_get_instance(a->w.db->db, x.instance, &v, NULL) == HSC_OK)
        words_of(a, HSC_MATCH_SCOPES, HSC_TABLE_SCOPE_EXCL, v.scope, "loop", out, size);
}
