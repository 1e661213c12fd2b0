/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile map (C5): for each row of the overview the scopes around its lines, and their procedure's categories. */
#include "profile_map.h"

#include <stdlib.h>
#include <string.h>

void hsc_profile_map_fini(hsc_profile_map *m) {
    free(m->bins);
    free(m->procedures);
    free(m->categories);
    memset(m, 0, sizeof *m);
}

/* Inclusive shares of the procedure and the loops around a scope, outermost first. Returns the procedure. */
static uint32_t fill_levels(hsc_db *db, uint32_t scope, const double *incl, const float *changes, double total, hsc_map_bin *out) {
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
        out->level[k] = total > 0 ? (float)(incl[chain[i]] / total) : 0;
        out->change[k] = changes ? changes[chain[i]] : 0;
    }
    return procedure;
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static hsc_status read_categories(hsc_handle *h, uint32_t metric, hsc_profile_map *m, hsc_err *err) {
    hsc_db_view view = {metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_PROCESS};
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
    uint32_t k = h->info.categories;
    if (!(m->categories = calloc((size_t)n * k + 1, sizeof *m->categories)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for categories of %u procedures", n);
    m->n_procedures = n;
    for (uint32_t i = 0; i < n && k; i++) {
        hsc_status s = hsc_db_read_sums(h->db, view, (uint64_t)m->procedures[i] * k, k, m->categories + (size_t)i * k, err);
        if (s != HSC_OK)
            return s;
    }
    /* rows name their procedure by its place in the list */
    for (uint32_t b = 0; b < m->n; b++) {
        uint32_t lo = 0, hi = n, p = m->bins[b].procedure;
        while (p != HSC_NONE && lo + 1 < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (m->procedures[mid] <= p)
                lo = mid;
            else
                hi = mid;
        }
        m->bins[b].procedure = p == HSC_NONE ? HSC_NONE : lo;
    }
    return HSC_OK;
}

hsc_status hsc_profile_map_read(hsc_handle *h, uint32_t metric, uint32_t n, const uint32_t *lo, const uint32_t *hi, const float *changes,
                                hsc_profile_map *out, hsc_err *err) {
    hsc_profile_map m = {.n = n};
    double total = 0, *incl = malloc(((size_t)h->info.scopes + 1) * sizeof *incl);
    hsc_db_view view = {metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_PROCESS};
    hsc_status s = HSC_OK;
    m.bins = calloc((size_t)n + 1, sizeof *m.bins);
    if (!incl || !m.bins)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for a map of %u rows", n);
    if (s == HSC_OK && (s = hsc_handle_total(h, metric, &total, err)) == HSC_OK && h->info.scopes)
        s = hsc_db_read_sums(h->db, view, 0, h->info.scopes, incl, err);
    for (uint32_t b = 0; s == HSC_OK && b < n; b++) {
        uint32_t best = HSC_NONE;
        for (uint32_t r = lo[b]; r < hi[b]; r++) {
            hsc_db_line l;
            if ((s = hsc_db_get_line(h->db, r, &l, err)) != HSC_OK)
                break;
            if (l.scope < h->info.scopes && (best == HSC_NONE || incl[l.scope] > incl[best]))
                best = l.scope;
        }
        m.bins[b].code = hi[b] > lo[b];
        m.bins[b].procedure = fill_levels(h->db, best, incl, changes, total, &m.bins[b]);
        if (m.bins[b].procedure != HSC_NONE && total > 0 && incl[m.bins[b].procedure] / total > m.largest)
            m.largest = incl[m.bins[b].procedure] / total;
    }
    free(incl);
    if (s == HSC_OK)
        s = read_categories(h, metric, &m, err);
    if (s != HSC_OK) {
        hsc_profile_map_fini(&m);
        return s;
    }
    hsc_profile_map_fini(out);
    *out = m;
    return HSC_OK;
}
