/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile map (C5): for each row of the overview the scopes around its lines, and their procedure's categories. */
#include "profile_map.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>

void hsc_profile_map_fini(hsc_profile_map *m) {
    free(m->bins);
    free(m->procedures);
    free(m->categories);
    free(m->incl);
    free(m->changes);
    memset(m, 0, sizeof *m);
}

/* Inclusive shares of the procedure and the loops around a scope, outermost first. Returns the procedure. */
static uint32_t fill_levels(const hsc_profile_map *m, hsc_db *db, uint32_t scope, hsc_map_bin *out) {
    uint32_t chain[64], n = 0, procedure = HSC_NONE;
    for (uint32_t s = scope; s != HSC_NONE && n < 64; n++) {
        hsc_db_scope sc;
        if (hsc_db_get_scope(db, s, &sc, NULL) != HSC_OK || sc.kind < HSC_SCOPE_PROCEDURE)
            break;
        chain[n] = s;
        procedure = sc.kind == HSC_SCOPE_PROCEDURE ? s : procedure;
        if (sc.kind == HSC_SCOPE_PROCEDURE) {
            n++;
            break;
        }
        s = sc.parent;
    }
    for (uint32_t k = 0; k < HSC_MAP_LEVELS; k++)
        out->level[k] = -1;
    /* too deep a nest: the procedure and its innermost loops */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from_top = n - 1 - i, k = from_top < HSC_MAP_LEVELS ? from_top : HSC_MAP_LEVELS - 1;
        if (from_top > k && i > 0)
            continue;
        out->level[k] = m->total > 0 ? (float)(m->incl[chain[i]] / m->total) : 0;
        out->change[k] = m->changes ? m->changes[chain[i]] : 0;
    }
    return procedure;
}

hsc_status hsc_profile_map_begin(hsc_profile_map *out, uint32_t n, float *changes, hsc_err *err) {
    hsc_profile_map_fini(out);
    out->changes = changes;
    out->n = n;
    if (!(out->bins = calloc((size_t)n + 1, sizeof *out->bins)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for a map of %u rows", n);
    return HSC_OK;
}

static hsc_status read_shares(hsc_profile_map *m, hsc_handle *h, uint32_t metric, hsc_err *err) {
    hsc_db_view view = {metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_PROCESS};
    uint32_t n = h->info.scopes;
    double *incl = malloc(((size_t)n + 1) * sizeof *incl);
    if (!incl)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for sums of %u scopes", n);
    hsc_status s = hsc_handle_total(h, metric, &m->total, err);
    if (s == HSC_OK && n)
        s = hsc_db_read_sums(h->db, view, 0, n, incl, err);
    if (s == HSC_OK)
        m->incl = incl;
    else
        free(incl);
    return s;
}

/* Lines [lo, hi) of a row of the picture. */
static hsc_status read_bin(hsc_profile_map *m, hsc_handle *h, uint32_t lo, uint32_t hi, hsc_map_bin *out, hsc_err *err) {
    uint32_t best = HSC_NONE, last = HSC_NONE;
    const uint32_t *scope;
    hsc_status s = hsc_db_get_scope_of_lines(h->db, &scope, err);
    if (s != HSC_OK)
        return s;
    for (uint32_t r = lo; r < hi && r < h->info.lines; r++) {
        if (scope[r] == last) /* as most lines have the scope of the one before */
            continue;
        last = scope[r];
        if (last < h->info.scopes && (best == HSC_NONE || m->incl[last] > m->incl[best]))
            best = last;
    }
    out->code = hi > lo;
    out->procedure = fill_levels(m, h->db, best, out);
    if (out->procedure != HSC_NONE && m->total > 0 && m->incl[out->procedure] / m->total > m->largest)
        m->largest = m->incl[out->procedure] / m->total;
    return HSC_OK;
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Those that are shown, and room for their categories. */
static hsc_status list_procedures(hsc_profile_map *m, uint32_t categories, hsc_err *err) {
    uint32_t n = 0, count = 0;
    if (!(m->procedures = malloc(((size_t)m->n + 1) * sizeof *m->procedures)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for a map of %u rows", m->n);
    for (uint32_t b = 0; b < m->n; b++)
        if (m->bins[b].procedure != HSC_NONE)
            m->procedures[count++] = m->bins[b].procedure;
    qsort(m->procedures, count, sizeof *m->procedures, by_value);
    for (uint32_t i = 0; i < count; i++)
        if (!n || m->procedures[i] != m->procedures[n - 1])
            m->procedures[n++] = m->procedures[i];
    m->n_procedures = n;
    if (!(m->categories = calloc((size_t)n * categories + 1, sizeof *m->categories)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for categories of %u procedures", n);
    return HSC_OK;
}

/* Rows name their procedure by its place in the list. */
static void place_procedures(hsc_profile_map *m) {
    for (uint32_t b = 0; b < m->n; b++) {
        uint32_t p = m->bins[b].procedure;
        if (p != HSC_NONE)
            m->bins[b].procedure = hsc_first_not_below(m->procedures, m->n_procedures, p);
    }
}

enum { WINDOW = 1 << 14 }; /* values, as a chunk of the file has */

/* Of the next procedures, as many as are near to each other: k values each. */
static hsc_status read_categories(hsc_profile_map *m, hsc_db *db, hsc_db_view view, uint32_t k, double *window, hsc_err *err) {
    uint32_t first = m->next_procedure, end = first;
    uint64_t begin = (uint64_t)m->procedures[first] * k;
    while (end < m->n_procedures && ((uint64_t)m->procedures[end] + 1) * k - begin <= WINDOW)
        end++;
    if (end == first) /* more categories than that */
        end++;
    double *to = end == first + 1 ? m->categories + (size_t)first * k : window;
    hsc_status s = hsc_db_read_sums(db, view, begin, ((uint64_t)m->procedures[end - 1] + 1) * k - begin, to, err);
    for (uint32_t i = first; s == HSC_OK && to == window && i < end; i++)
        memcpy(m->categories + (size_t)i * k, window + ((uint64_t)m->procedures[i] * k - begin), k * sizeof *window);
    m->next_procedure = end;
    return s;
}

/* What is next: some work, but not much. */
static hsc_status read_piece(hsc_profile_map *m, hsc_handle *h, uint32_t metric, const uint32_t *lo, const uint32_t *hi, hsc_err *err) {
    enum { LINES = 1 << 16, WINDOWS = 16 };
    uint32_t k = h->info.categories;
    hsc_status s = HSC_OK;
    if (!m->incl)
        return read_shares(m, h, metric, err);
    if (m->next_bin < m->n) {
        for (uint64_t lines = 0; s == HSC_OK && m->next_bin < m->n && lines < LINES; m->next_bin++) {
            s = read_bin(m, h, lo[m->next_bin], hi[m->next_bin], &m->bins[m->next_bin], err);
            lines += hi[m->next_bin] - lo[m->next_bin] + 1;
        }
        return s;
    }
    if (!m->procedures)
        return list_procedures(m, k, err);
    hsc_db_view view = {metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_PROCESS};
    double *window = malloc(WINDOW * sizeof *window);
    if (!window)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for categories of procedures");
    for (uint32_t i = 0; s == HSC_OK && k && i < WINDOWS && m->next_procedure < m->n_procedures; i++)
        s = read_categories(m, h->db, view, k, window, err);
    free(window);
    if (s == HSC_OK && (!k || m->next_procedure == m->n_procedures)) {
        place_procedures(m);
        free(m->incl);
        free(m->changes);
        m->incl = NULL;
        m->changes = NULL;
        m->done = true;
    }
    return s;
}

hsc_status hsc_profile_map_read(hsc_profile_map *m, hsc_handle *h, uint32_t metric, const uint32_t *lo, const uint32_t *hi,
                                hsc_status (*later)(void *ctx, hsc_err *err), void *ctx, hsc_err *err) {
    hsc_status s = HSC_OK;
    while (s == HSC_OK && !m->done && (s = read_piece(m, h, metric, lo, hi, err)) == HSC_OK)
        s = later(ctx, err);
    return s;
}
