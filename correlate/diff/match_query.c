/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of query.h that says which rows of two databases are the same thing. */
#include <stdlib.h>

#include <heatscope/sorted.h>

#include "diff.h"

static uint32_t *none_of(size_t n) {
    uint32_t *map = malloc((n + 1) * sizeof *map);
    for (size_t i = 0; map && i < n; i++)
        map[i] = HSC_NONE;
    return map;
}

hsc_status diff_match_lines(const hsc_compare *c, uint32_t lines_a, uint32_t **out, hsc_err *err) {
    uint32_t *map = none_of(lines_a);
    hsc_status s = map ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory to match %u lines", lines_a);
    for (uint32_t file = 0; !s && file < c->files_a; file++) {
        uint32_t other = c->file_b_of_a[file], *lines = NULL, n = 0;
        hsc_db_file f;
        unsigned char *how = NULL;
        if (other == HSC_NONE || (s = hsc_db_get_file(c->a, file, &f, err)) ||
            (s = hsc_compare_lines(c, file, &lines, &how, &n, err)))
            continue;
        for (uint32_t i = 0; !s && i < f.line_rows; i++) {
            hsc_db_line l;
            if ((s = hsc_db_get_line(c->a, f.first_line_row + i, &l, err)))
                break;
            uint32_t to = !l.line ? 0 : l.line <= n && lines[l.line] ? lines[l.line] : HSC_NONE;
            if (to != HSC_NONE)
                map[f.first_line_row + i] = hsc_db_find_line(c->b, other, to);
        }
        free(lines);
        free(how);
    }
    if (s)
        free(map);
    else
        *out = map;
    return s;
}

typedef struct child { /* a context by what it is below its parent */
    uint32_t parent, kind, scope, line, row;
} child;

static int by_key(const void *a, const void *b) {
    const child *x = a, *y = b;
    const uint32_t p[] = {x->parent, x->kind, x->scope, x->line, x->row}, q[] = {y->parent, y->kind, y->scope, y->line, y->row};
    return hsc_compare_keys(p, q, 5);
}

/* First entry that is not below the key. */
static uint32_t lower(const child *list, uint32_t n, child key) {
    uint32_t a = 0, b = n;
    while (a < b) {
        uint32_t mid = a + (b - a) / 2;
        if (by_key(&list[mid], &key) < 0)
            a = mid + 1;
        else
            b = mid;
    }
    return a;
}

/* A context is the same one when its caller is, its code is, and it is called from the same line; else the first one that is
 * left with the same caller and code. */
static hsc_status match_contexts(const hsc_compare *c, uint32_t lines_a, uint32_t **out, hsc_err *err) {
    hsc_db_info a, b;
    uint32_t *lines = NULL;
    hsc_db_get_info(c->a, &a);
    hsc_db_get_info(c->b, &b);
    hsc_status s = diff_match_lines(c, lines_a, &lines, err);
    uint32_t *map = none_of(a.contexts);
    child *list = malloc(((size_t)b.contexts + 1) * sizeof *list);
    bool *taken = calloc((size_t)b.contexts + 1, sizeof *taken);
    if (!s && (!map || !list || !taken))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory to match %u contexts", a.contexts);
    for (uint32_t i = 0; !s && i < b.contexts; i++) {
        hsc_db_context x;
        if (!(s = hsc_db_get_context(c->b, i, &x, err)))
            list[i] = (child){i ? x.parent : HSC_NONE, (uint32_t)x.kind, x.scope, x.call_line, i};
    }
    if (!s)
        qsort(list, b.contexts, sizeof *list, by_key);
    for (int exact = 1; !s && exact >= 0; exact--) /* parents come before children, so each pass is top-down */
        for (uint32_t i = 0; !s && i < a.contexts; i++) {
            hsc_db_context x;
            if (map[i] != HSC_NONE || (s = hsc_db_get_context(c->a, i, &x, err)))
                continue;
            uint32_t parent = i ? map[x.parent] : HSC_NONE, scope = x.scope < c->scopes_a ? c->b_of_a[x.scope] : HSC_NONE;
            if ((i && parent == HSC_NONE) || (i && scope == HSC_NONE))
                continue;
            if (!i) {
                if (b.contexts) {
                    map[0] = 0;
                    taken[0] = true;
                }
                continue;
            }
            uint32_t line = x.call_line < lines_a ? lines[x.call_line] : HSC_NONE;
            child key = {parent, (uint32_t)x.kind, scope, exact ? line : 0, 0};
            for (uint32_t k = lower(list, b.contexts, key); k < b.contexts && list[k].parent == parent &&
                                                            list[k].kind == key.kind && list[k].scope == scope &&
                                                            (!exact || list[k].line == line);
                 k++)
                if (!taken[list[k].row]) {
                    taken[list[k].row] = true;
                    map[i] = list[k].row;
                    break;
                }
        }
    free(lines);
    free(list);
    free(taken);
    if (s)
        free(map);
    else
        *out = map;
    return s;
}

hsc_status hsc_db_match(hsc_db *a, hsc_db *b, hsc_match_of what, uint32_t **b_of_a, hsc_err *err) {
    hsc_compare c;
    hsc_db_info info;
    hsc_db_get_info(a, &info);
    hsc_status s = hsc_compare_scopes(a, b, &c, err);
    if (s)
        return s;
    if (what == HSC_MATCH_SCOPES) {
        *b_of_a = c.b_of_a;
        c.b_of_a = NULL;
    } else {
        s = what == HSC_MATCH_LINES ? diff_match_lines(&c, info.lines, b_of_a, err) : match_contexts(&c, info.lines, b_of_a, err);
    }
    hsc_compare_clear(&c);
    return s;
}
