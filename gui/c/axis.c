/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Column lists, their order and bins. */
#include "axis.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 8, TILES_LEAST = 3 }; /* columns in a group of the database's tiles */

uint32_t hsc_axis_group(uint32_t shown, uint32_t max_bins) {
    if (max_bins < 1)
        max_bins = 1;
    if (shown <= max_bins)
        return 1;
    uint32_t least = shown / max_bins + (shown % max_bins != 0), tiles = (least + TILE - 1) / TILE * TILE;
    if (least > TILE * (TILES_LEAST - 1)) {
        for (uint32_t g = tiles; g <= least + least / 2; g += TILE)
            if (shown % g == 0)
                return g;
        return tiles;
    }
    for (uint32_t g = least; g <= least + least / 2; g++)
        if (shown % g == 0)
            return g;
    return least;
}

typedef struct pair {
    double load;
    uint32_t column;
} pair;

static int by_load(const void *a, const void *b) {
    const pair *x = a, *y = b;
    if (x->load != y->load)
        return x->load < y->load ? 1 : -1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static hsc_status parse_number(const char **p, uint32_t columns, uint32_t *out, const char *text, hsc_err *err) {
    if (!isdigit((unsigned char)**p))
        return hsc_err_set(err, HSC_E_ARGUMENT, "processors \"%.80s\": expected a number or a range at \"%.20s\"", text, *p);
    uint64_t v = 0;
    while (isdigit((unsigned char)**p) && v < 1u << 31)
        v = v * 10 + (uint64_t)(*(*p)++ - '0');
    if (v >= columns)
        return hsc_err_set(err, HSC_E_ARGUMENT, "processors \"%.80s\": there are only %u (0 to %u), got %llu", text, columns,
                           columns ? columns - 1 : 0, (unsigned long long)v);
    *out = (uint32_t)v;
    return HSC_OK;
}

static hsc_status parse(hsc_axis *a, const char *text, hsc_err *err) {
    const char *p = text;
    for (;;) {
        while (isspace((unsigned char)*p) || *p == ',')
            p++;
        if (!*p)
            return HSC_OK;
        uint32_t first, last;
        hsc_status s = parse_number(&p, a->columns, &first, text, err);
        if (s != HSC_OK)
            return s;
        last = first;
        if (*p == '-') {
            p++;
            if ((s = parse_number(&p, a->columns, &last, text, err)) != HSC_OK)
                return s;
        }
        for (uint32_t c = first;; c = first <= last ? c + 1 : c - 1) {
            if (a->bin_of[c] != UINT32_MAX)
                return hsc_err_set(err, HSC_E_ARGUMENT, "processors \"%.80s\": %u stands there twice", text, c);
            a->bin_of[c] = 0;
            a->order[a->shown++] = c;
            if (c == last)
                break;
        }
    }
}

hsc_status hsc_axis_init(hsc_axis *out, uint32_t columns, const char *text, const double *load, uint32_t max_bins,
                         hsc_err *err) {
    hsc_axis a = {.columns = columns};
    hsc_status s = HSC_OK;
    a.order = malloc((columns + 1) * sizeof *a.order);
    a.bin_of = malloc((columns + 1) * sizeof *a.bin_of);
    if (!a.order || !a.bin_of) {
        s = hsc_err_set(err, HSC_E_MEMORY, "processor axis: no memory for %u columns", columns);
        goto done;
    }
    memset(a.bin_of, 0xff, (columns + 1) * sizeof *a.bin_of);
    if (text && text[strspn(text, " \t\n,")]) {
        if ((s = parse(&a, text, err)) != HSC_OK)
            goto done;
    } else {
        for (uint32_t c = 0; c < columns; c++)
            a.order[a.shown++] = c;
    }
    if (load && a.shown > 1) {
        pair *pairs = malloc(a.shown * sizeof *pairs);
        if (!pairs) {
            s = hsc_err_set(err, HSC_E_MEMORY, "processor axis: no memory to sort %u columns", a.shown);
            goto done;
        }
        for (uint32_t i = 0; i < a.shown; i++)
            pairs[i] = (pair){load[a.order[i]], a.order[i]};
        qsort(pairs, a.shown, sizeof *pairs, by_load);
        for (uint32_t i = 0; i < a.shown; i++)
            a.order[i] = pairs[i].column;
        free(pairs);
    }
    uint32_t group = hsc_axis_group(a.shown, max_bins);
    a.bins = a.shown / group + (a.shown % group != 0);
    if (!(a.start = malloc((a.bins + 1) * sizeof *a.start))) {
        s = hsc_err_set(err, HSC_E_MEMORY, "processor axis: no memory for %u bins", a.bins);
        goto done;
    }
    for (uint32_t b = 0; b <= a.bins; b++)
        a.start[b] = b * group < a.shown ? b * group : a.shown;
    for (uint32_t i = 0; i < a.shown; i++)
        a.bin_of[a.order[i]] = i / group;
done:
    if (s != HSC_OK)
        hsc_axis_fini(&a);
    else
        *out = a;
    return s;
}

hsc_status hsc_axis_group_by(hsc_axis *a, const uint32_t *key, uint32_t max_bins, hsc_err *err) {
    uint32_t groups = 0, bins = 0;
    for (uint32_t i = 0; i < a->shown; i++)
        groups += i == 0 || key[a->order[i]] != key[a->order[i - 1]];
    uint32_t together = max_bins > 0 ? groups / max_bins + (groups % max_bins != 0) : groups;
    together = together > 0 ? together : 1;
    uint32_t *start = malloc(((size_t)groups + 1) * sizeof *start);
    if (!start)
        return hsc_err_set(err, HSC_E_MEMORY, "processor axis: no memory for %u groups", groups);
    uint32_t at = 0;
    for (uint32_t i = 0; i < a->shown; i++) {
        if ((i == 0 || key[a->order[i]] != key[a->order[i - 1]]) && at++ % together == 0)
            start[bins++] = i;
        a->bin_of[a->order[i]] = bins - 1;
    }
    start[bins] = a->shown;
    free(a->start);
    a->start = start;
    a->bins = bins;
    return HSC_OK;
}

void hsc_axis_fini(hsc_axis *a) {
    free(a->order);
    free(a->start);
    free(a->bin_of);
    memset(a, 0, sizeof *a);
}
