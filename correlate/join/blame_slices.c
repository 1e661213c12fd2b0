/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Delays in slices of time: waits when the late one came, and what it did when it did that. A slice of a row holds up to 100 ms. What a place is
 * the cause of is laid to the times at which the late thread was there before it came late; where these are not known, to the times of the waits. */
#include <math.h>
#include <stdlib.h>

#include "blame.h"
#include "columns.h"

typedef struct jdelay_slice {
    double waits, ns, max_ns;
    uint32_t row, tick; /* row of victims, or id of a cell */
    uint32_t is_cell, unused;
} jdelay_slice;

static bool put(jdelays *d, jpending *h, uint32_t row, bool is_cell) {
    jdelay_slice s = {h->waits, h->ns, h->max_ns, row, (uint32_t)h->end, is_cell, 0};
    bool ok = !h->end || hsc_spill_put(d->spill, &d->slices, &s, sizeof s);
    *h = (jpending){0};
    return ok;
}

/* Times of a row need not rise. */
static bool hold(jdelays *d, jpending *h, uint32_t row, bool is_cell, uint64_t tick, double waits, double ns, double max_ns) {
    tick = tick ? tick : 1; /* 0: nothing is held */
    if (h->end && (tick >= h->begin + d->slice_ticks || tick + d->slice_ticks <= h->end) && !put(d, h, row, is_cell))
        return false;
    h->begin = h->end && h->begin < tick ? h->begin : tick;
    h->end = h->end > tick ? h->end : tick;
    h->waits += waits;
    h->ns += ns;
    h->max_ns = fmax(h->max_ns, max_ns);
    return true;
}

bool hsc_delay_victim_at(jdelays *d, uint32_t victim, uint64_t tick, double waits, double ns, double max_ns) {
    return !d->spill || hold(d, &d->victims.p[victim].held, victim, false, tick, waits, ns, max_ns);
}

bool hsc_delay_cell_at(jdelays *d, jcell *cell, uint64_t tick, double ns) {
    if (!d->spill || tick == HSC_DELAY_NO_TICK || !(ns > 0))
        return true;
    cell->timed_ns += ns;
    return hold(d, &cell->held, cell->id, true, tick, 0, ns, 0);
}

typedef struct rounding { /* so that what is told in whole numbers adds up */
    double sum;
    uint64_t told;
} rounding;

static uint64_t more(rounding *r, double amount) {
    r->sum += amount;
    uint64_t whole = r->sum > 0 ? (uint64_t)(r->sum + 0.5) : 0, step = whole > r->told ? whole - r->told : 0;
    r->told += step;
    return step;
}

typedef struct putting {
    columns *c;
    jdelays *d;
    const uint32_t *victim_row;
    uint32_t *part_of_cell, *first_part; /* by cell's id: row of parts; by delay: its first part without times of its own */
    rounding *counts, *waits, *direct, *caused; /* by victim, victim, place, place */
} putting;

static void put_place(putting *x, const jpart *p, uint32_t tick, double part) {
    uint64_t direct = more(&x->direct[p->place], part * p->direct_ns), caused = more(&x->caused[p->place], part * p->caused_ns);
    if (!direct && !caused)
        return;
    CELL(x->c, delay_place_slice_place, uint32_t, p->place);
    CELL(x->c, delay_place_slice_tick, uint32_t, tick);
    CELL(x->c, delay_place_slice_direct_ns, uint64_t, direct);
    CELL(x->c, delay_place_slice_caused_ns, uint64_t, caused);
}

static void put_slice(putting *x, const jdelay_slice *s) {
    const jdelays *d = x->d;
    if (s->is_cell) {
        uint32_t part = x->part_of_cell[s->row];
        if (part != HSC_NO_INDEX && d->parts.p[part].cell_ns > 0)
            put_place(x, &d->parts.p[part], s->tick, s->ns / d->parts.p[part].cell_ns);
        return;
    }
    const jvictim *v = &d->victims.p[s->row];
    uint64_t ns = more(&x->waits[s->row], s->ns), count = more(&x->counts[s->row], s->waits);
    if (count || ns) {
        CELL(x->c, delayed_slice_delayed, uint32_t, x->victim_row[s->row]);
        CELL(x->c, delayed_slice_tick, uint32_t, s->tick);
        CELL(x->c, delayed_slice_waits, uint64_t, count);
        CELL(x->c, delayed_slice_wait_ns, uint64_t, ns);
        CELL(x->c, delayed_slice_max_ns, uint64_t, (uint64_t)s->max_ns);
    }
    for (uint32_t p = x->first_part[v->delay]; p < d->parts.n && d->parts.p[p].delay == v->delay; p++)
        if (d->parts.p[p].cell == HSC_NO_INDEX && d->sums.p[v->delay].wait_ns > 0)
            put_place(x, &d->parts.p[p], s->tick, s->ns / d->sums.p[v->delay].wait_ns);
}

static hsc_status put_all(join *j, putting *x, hsc_err *err) {
    jdelays *d = x->d;
    hsc_spill_cursor at = {.list = &d->slices};
    jdelay_slice s;
    bool any = true, ok = true;
    for (uint32_t i = 0; ok && i < d->victims.n; i++)
        ok = put(d, &d->victims.p[i].held, i, false);
    for (size_t i = 0; ok && i < d->cells.n; i++)
        ok = put(d, &d->cells.p[i].held, d->cells.p[i].id, true);
    hsc_status status = ok ? HSC_OK : hsc_join_no_memory(err);
    while (status == HSC_OK && any && d->slices.count) {
        status = hsc_spill_next(j->spill, &at, &s, &any, err);
        if (status == HSC_OK && any)
            put_slice(x, &s);
    }
    hsc_spill_cursor_fini(&at);
    return status == HSC_OK && x->c->failed ? hsc_join_no_memory(err) : status;
}

hsc_status hsc_delays_put_slices(join *j, jdelays *d, const uint32_t *victim_row, hsc_err *err) {
    putting x = {.c = calloc(1, sizeof *x.c), .d = d, .victim_row = victim_row,
                 .part_of_cell = malloc((d->cells.n + 1) * sizeof *x.part_of_cell), .first_part = malloc((d->sums.n + 1) * sizeof *x.first_part),
                 .counts = calloc(d->victims.n + 1, sizeof *x.counts), .waits = calloc(d->victims.n + 1, sizeof *x.waits), .direct = calloc(j->delay_places.n + 1, sizeof *x.direct),
                 .caused = calloc(j->delay_places.n + 1, sizeof *x.caused)};
    hsc_status status = x.c && x.part_of_cell && x.first_part && x.counts && x.waits && x.direct && x.caused ? HSC_OK : hsc_join_no_memory(err);
    for (size_t i = 0; status == HSC_OK && i < d->cells.n; i++)
        x.part_of_cell[i] = HSC_NO_INDEX;
    for (size_t i = 0; status == HSC_OK && i < d->sums.n; i++)
        x.first_part[i] = HSC_NO_INDEX;
    for (uint32_t i = 0; status == HSC_OK && i < d->parts.n; i++) {
        const jpart *p = &d->parts.p[i];
        if (p->cell != HSC_NO_INDEX)
            x.part_of_cell[p->cell] = i;
        if (x.first_part[p->delay] == HSC_NO_INDEX)
            x.first_part[p->delay] = i;
    }
    if (x.c)
        x.c->spill = j->spill;
    j->delay_slices = x.c;
    if (status == HSC_OK)
        status = put_all(j, &x, err);
    free(x.part_of_cell);
    free(x.first_part);
    free(x.counts);
    free(x.waits);
    free(x.direct);
    free(x.caused);
    return status;
}
