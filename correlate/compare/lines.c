/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines of two versions of a file: unique common lines in the same order are anchors (patience diff, Bram Cohen), then
 * equal lines next to anchors; of the rest, which was moved, unique common lines in any order, and equal ones next to these; then as many lines between two matched ones, which were changed. */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "texts.h"

typedef struct keyed {
    uint64_t hash;
    uint32_t line;
} keyed;

static int by_hash(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static keyed *sorted(const compare_text *t) {
    keyed *k = malloc(((size_t)t->lines + 1) * sizeof *k);
    for (uint32_t i = 0; k && i < t->lines; i++)
        k[i] = (keyed){t->hash[i], i + 1};
    if (k && t->lines)
        qsort(k, t->lines, sizeof *k, by_hash);
    return k;
}

/* Lines that occur once in both: candidate[line of a] = line of b. */
static void find_unique(const keyed *a, uint32_t n, const keyed *b, uint32_t m, uint32_t *candidate) {
    for (uint32_t i = 0, k = 0; i < n;) {
        uint32_t i_end = i + 1, k_end;
        while (i_end < n && a[i_end].hash == a[i].hash)
            i_end++;
        while (k < m && b[k].hash < a[i].hash)
            k++;
        for (k_end = k; k_end < m && b[k_end].hash == a[i].hash; k_end++)
            ;
        if (a[i].hash && i_end - i == 1 && k_end - k == 1)
            candidate[a[i].line] = b[k].line;
        i = i_end;
        k = k_end;
    }
}

/* Keeps the longest rising run of candidates: piles of patience sorting. */
static bool keep_rising(uint32_t *candidate, uint32_t n) {
    uint32_t *top = malloc(((size_t)n + 1) * sizeof *top), *before = malloc(((size_t)n + 1) * sizeof *before),
             piles = 0;
    if (!top || !before) {
        free(top);
        free(before);
        return false;
    }
    for (uint32_t line = 1; line <= n; line++) {
        if (!candidate[line])
            continue;
        uint32_t low = 0, high = piles;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (candidate[top[middle]] < candidate[line])
                low = middle + 1;
            else
                high = middle;
        }
        before[line] = low ? top[low - 1] : 0;
        top[low] = line;
        piles += low == piles;
    }
    uint32_t keep = piles ? top[piles - 1] : 0;
    for (uint32_t line = n; line; line--) {
        if (line == keep)
            keep = before[line];
        else
            candidate[line] = 0;
    }
    free(top);
    free(before);
    return true;
}

/* Equal lines right after and right before matched ones. The ends of the files count as matched. */
static void spread(const compare_text *a, const compare_text *b, uint32_t *b_of_a, uint32_t *a_of_b) {
    for (uint32_t i = 1; i <= a->lines; i++) {
        uint32_t k = i == 1 ? 1 : b_of_a[i - 1] ? b_of_a[i - 1] + 1 : 0;
        if (!b_of_a[i] && k && k <= b->lines && !a_of_b[k] && a->hash[i - 1] == b->hash[k - 1]) {
            b_of_a[i] = k;
            a_of_b[k] = i;
        }
    }
    for (uint32_t i = a->lines; i; i--) {
        uint32_t k = i == a->lines ? b->lines : b_of_a[i + 1] ? b_of_a[i + 1] - 1 : 0;
        if (!b_of_a[i] && k && !a_of_b[k] && a->hash[i - 1] == b->hash[k - 1]) {
            b_of_a[i] = k;
            a_of_b[k] = i;
        }
    }
}

/* Equal lines that occur once in both and were moved past others: `unique` has them, and those that are matched. */
static void match_moved(const compare_text *a, const compare_text *b, const uint32_t *unique, uint32_t *b_of_a, uint32_t *a_of_b) {
    for (uint32_t i = 1; i <= a->lines; i++)
        if (unique[i] && !b_of_a[i] && !a_of_b[unique[i]]) {
            b_of_a[i] = unique[i];
            a_of_b[unique[i]] = i;
        }
    spread(a, b, b_of_a, a_of_b);
}

/* Lines of a between two matched ones, where b has as many in that place: blank ones do not count. */
static void pair_changed(const compare_text *a, const compare_text *b, uint32_t after_a, uint32_t end_a, uint32_t after_b, uint32_t end_b,
                         uint32_t *b_of_a, uint32_t *a_of_b, unsigned char *how) {
    uint32_t in_a = 0, in_b = 0, k = after_b;
    for (uint32_t i = after_a + 1; i < end_a; i++)
        in_a += !b_of_a[i] && a->hash[i - 1];
    for (uint32_t i = after_b + 1; i < end_b; i++)
        in_b += !a_of_b[i] && b->hash[i - 1];
    if (in_a != in_b)
        return;
    for (uint32_t i = after_a + 1; i < end_a; i++) {
        if (b_of_a[i] || !a->hash[i - 1])
            continue;
        do
            k++;
        while (a_of_b[k] || !b->hash[k - 1]);
        b_of_a[i] = k;
        a_of_b[k] = i;
        how[i] = HSC_COMPARE_CHANGED;
    }
}

static void match_changed(const compare_text *a, const compare_text *b, uint32_t *b_of_a, uint32_t *a_of_b, unsigned char *how) {
    uint32_t before_a = 0, before_b = 0;
    for (uint32_t i = 1; i <= a->lines + 1; i++) {
        uint32_t k = i > a->lines ? b->lines + 1 : b_of_a[i];
        if (!k)
            continue;
        if (k > before_b)
            pair_changed(a, b, before_a, i, before_b, k, b_of_a, a_of_b, how);
        before_a = i;
        before_b = k;
    }
}

static uint32_t last_line(hsc_db *db, uint32_t file, hsc_err *err, hsc_status *status) {
    hsc_db_file f;
    hsc_db_line line = {0};
    *status = hsc_db_get_file(db, file, &f, err);
    if (!*status && f.line_rows)
        *status = hsc_db_get_line(db, f.first_line_row + f.line_rows - 1, &line, err);
    return line.line;
}

hsc_status hsc_compare_lines(const hsc_compare *c, uint32_t file_a, uint32_t **b_of_a, unsigned char **how, uint32_t *lines, hsc_err *err) {
    compare_texts ta = {0}, tb = {0};
    const compare_text *a, *b;
    uint32_t *map = NULL, *back = NULL, *unique = NULL, file_b = file_a < c->files_a ? c->file_b_of_a[file_a] : HSC_NONE, n;
    unsigned char *kind = NULL;
    keyed *ka = NULL, *kb = NULL;
    if (file_b == HSC_NONE)
        return hsc_err_set(err, HSC_E_ARGUMENT, "file %u has no counterpart", file_a);
    hsc_status s = compare_texts_open(&ta, c->a, err);
    if (!s)
        s = compare_texts_open(&tb, c->b, err);
    if (s)
        goto done;
    a = compare_text_of(&ta, file_a, err);
    b = compare_text_of(&tb, file_b, err);
    s = a && b ? HSC_OK : HSC_E_MEMORY;
    if (s)
        goto done;
    bool text = a->hash && b->hash;
    n = text ? a->lines : last_line(c->a, file_a, err, &s);
    if (s)
        goto done;
    map = calloc((size_t)n + 2, sizeof *map);
    kind = malloc((size_t)n + 2);
    back = calloc((text ? (size_t)b->lines : 0) + 2, sizeof *back);
    ka = text ? sorted(a) : NULL;
    kb = text ? sorted(b) : NULL;
    unique = text ? malloc(((size_t)n + 2) * sizeof *unique) : NULL;
    if (!map || !kind || !back || (text && (!ka || !kb || !unique))) {
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u lines", n);
        goto done;
    }
    if (text) {
        find_unique(ka, a->lines, kb, b->lines, map);
        memcpy(unique, map, ((size_t)n + 2) * sizeof *unique);
        if (!keep_rising(map, n)) {
            s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u lines", n);
            goto done;
        }
        for (uint32_t i = 1; i <= n; i++)
            if (map[i])
                back[map[i]] = i;
        spread(a, b, map, back);
        match_moved(a, b, unique, map, back);
        memset(kind, HSC_COMPARE_SAME, (size_t)n + 2);
        match_changed(a, b, map, back, kind);
        for (uint32_t i = 1; i <= n; i++)
            kind[i] = map[i] ? kind[i] : HSC_COMPARE_NONE;
    } else {
        memset(kind, HSC_COMPARE_POSITION, (size_t)n + 2);
        for (uint32_t i = 1; i <= n; i++)
            map[i] = i;
    }
    *b_of_a = map;
    *how = kind;
    *lines = n;
    map = NULL;
    kind = NULL;
done:
    compare_texts_close(&ta);
    compare_texts_close(&tb);
    free(map);
    free(kind);
    free(back);
    free(unique);
    free(ka);
    free(kb);
    return s;
}
