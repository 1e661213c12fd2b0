/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strips: gaps, bins, places. */
#include "strips.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>

/* Rows [first, last) follow a row at `at` after `gap` lines without code, and are empty themselves: the place after them. */
static uint64_t place_run(uint32_t *position, uint32_t first, uint32_t last, uint64_t at, uint64_t lines, uint32_t skip) {
    bool whole = lines <= skip;
    for (uint32_t r = first; r < last; r++)
        position[r] = (uint32_t)(whole ? at + position[r] : at);
    return at + (whole ? lines : 1);
}

/* Places of all rows; how many lines that are. */
static uint64_t place_rows(uint32_t *position, uint32_t rows, uint32_t skip, const uint32_t *file, const uint32_t *line,
                           const unsigned char *empty) {
    uint32_t run_first = 0;
    uint64_t at = 0, run = 0; /* place of the next line; lines of the run of empty ones before it */
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t gap = 0;
        if (i)
            gap = file[i] != file[i - 1] ? 1 : line[i] > line[i - 1] + 1 ? line[i] - line[i - 1] - 1 : 0;
        if (gap > skip)
            gap = skip > 0 ? skip + 1 : 0;
        run += gap;
        if (empty && empty[i] && skip > 0) {
            position[i] = (uint32_t)(run > skip ? 0 : run); /* from the run's first line */
            run++;
        } else {
            at = run ? place_run(position, run_first, i, at, run, skip) : at;
            position[i] = (uint32_t)at++; /* rows < 2^32 and each gap is at most skip: may only overflow for absurd skips */
            run = 0;
            run_first = i + 1;
        }
    }
    return run ? place_run(position, run_first, rows, at, run, skip) : at;
}

hsc_status hsc_places_make(uint32_t rows, uint32_t skip, const uint32_t *file, const uint32_t *line, const unsigned char *empty, hsc_places **out,
                           hsc_err *err) {
    hsc_places *p = calloc(1, sizeof *p);
    uint32_t *position = p ? malloc(((size_t)rows + 1) * sizeof *position) : NULL;
    if (!position) {
        free(p);
        return hsc_err_set(err, HSC_E_MEMORY, "overview: no memory for %u lines", rows);
    }
    *p = (hsc_places){.rows = rows, .position = position, .references = 1};
    p->lines = place_rows(position, rows, skip, file, line, empty);
    if (p->lines > UINT32_MAX) {
        hsc_status s = hsc_err_set(err, HSC_E_LIMIT, "overview: %llu lines to show, at most 4294967295", (unsigned long long)p->lines);
        hsc_places_release(p);
        return s;
    }
    *out = p;
    return HSC_OK;
}

void hsc_places_take(hsc_places *p) { p->references++; }

void hsc_places_release(hsc_places *p) {
    if (!p || --p->references)
        return;
    free(p->position);
    free(p);
}

void hsc_strips_init(hsc_strips *s, hsc_places *places) {
    hsc_places_take(places);
    hsc_strips_fini(s);
    *s = (hsc_strips){.places = places, .rows = places->rows, .lines = places->lines, .block = 1};
}

void hsc_strips_fini(hsc_strips *s) {
    hsc_places_release(s->places);
    memset(s, 0, sizeof *s);
}

void hsc_strips_layout(hsc_strips *s, uint32_t strips, uint32_t height, uint32_t max_pixels, bool even) {
    if (strips < 1)
        strips = 1;
    if (height < 1)
        height = 1;
    if (max_pixels < 1)
        max_pixels = 1;
    uint64_t room = (uint64_t)strips * height;
    s->lines_per_bin = 1;
    s->uneven = false;
    s->block = 1;
    if (s->lines > room) {
        s->lines_per_bin = (uint32_t)((s->lines + room - 1) / room);
        s->uneven = !even;
    }
    s->bins = s->uneven ? (uint32_t)room : (uint32_t)((s->lines + s->lines_per_bin - 1) / s->lines_per_bin);
    /* strips as equal as can be, but none before those there are are full of highest bins */
    uint32_t fit = (s->bins + strips - 1) / strips, highest = height / max_pixels;
    fit = fit > highest ? fit : highest > 0 ? highest : 1;
    s->strips = s->bins ? (s->bins + fit - 1) / fit : 0;
    s->bins_per_strip = s->strips ? (s->bins + s->strips - 1) / s->strips : 0;
    uint64_t most = (uint64_t)s->bins_per_strip * max_pixels;
    s->pixels = most < height ? (uint32_t)most : s->bins ? height : 0;
}

uint32_t hsc_strips_y(const hsc_strips *s, uint32_t in_strip) {
    return s->bins_per_strip ? (uint32_t)((uint64_t)in_strip * s->pixels / s->bins_per_strip) : 0;
}

uint32_t hsc_strips_at(const hsc_strips *s, uint32_t y) {
    return s->pixels ? (uint32_t)((((uint64_t)y + 1) * s->bins_per_strip - 1) / s->pixels) : 0;
}

uint64_t hsc_strips_first(const hsc_strips *s, uint32_t bin) {
    return s->uneven ? (bin * s->lines + s->bins - 1) / s->bins : (uint64_t)bin * s->lines_per_bin;
}

void hsc_strips_align(hsc_strips *s, uint32_t block) { s->block = block > 0 ? block : 1; }

/* A block of rows stands where its first one does. */
static uint32_t position_of(const hsc_strips *s, uint32_t row) { return s->places->position[row - row % s->block]; }

uint32_t hsc_strips_row_from(const hsc_strips *s, uint64_t position) {
    uint32_t row;
    HSC_SEARCH(row, s->rows, position_of(s, row) < position);
    return row;
}

void hsc_strips_fill_bins(const hsc_strips *s, uint32_t *lo, uint32_t *hi) {
    uint32_t row = 0;
    for (uint32_t b = 0; b < s->bins; b++) {
        uint64_t end = hsc_strips_first(s, b + 1);
        lo[b] = row;
        while (row < s->rows && position_of(s, row) < end)
            row += s->block;
        row = row < s->rows ? row : s->rows;
        hi[b] = row;
    }
}

uint32_t hsc_strips_bin_of(const hsc_strips *s, uint32_t row) {
    if (row >= s->rows || !s->bins)
        return 0;
    uint32_t position = position_of(s, row);
    return s->uneven ? (uint32_t)(position * (uint64_t)s->bins / s->lines) : position / s->lines_per_bin;
}
