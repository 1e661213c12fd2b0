/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries of probes, blocks, phases, counters and the cost of measuring. */
#include <heatscope/formats/records.h>

#include <math.h>

#include "db.h"
#include <heatscope/sorted.h>
#include "within.h"

#define AT(column, ctype, row) HSC_COL(db, column, ctype)[row]

uint32_t hsc_db_count_told(const hsc_db *db, hsc_db_told what) {
    static const enum hsc_table_id tables[] = {[HSC_TOLD_PROBES] = HSC_TAB_probe, [HSC_TOLD_BLOCKS] = HSC_TAB_block,
                                               [HSC_TOLD_VISITS] = HSC_TAB_visit, [HSC_TOLD_PHASES] = HSC_TAB_phase,
                                               [HSC_TOLD_COUNTERS] = HSC_TAB_counter, [HSC_TOLD_COSTS] = HSC_TAB_cost,
                                               [HSC_TOLD_NOTES] = HSC_TAB_note};
    return (unsigned)what < sizeof tables / sizeof *tables ? (uint32_t)db->tables.rows[tables[what]] : 0;
}

hsc_status hsc_db_get_probe(const hsc_db *db, uint32_t r, hsc_db_probe *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_probe, r, err);
    if (status)
        return status;
    uint32_t kind = AT(probe_kind, uint8_t, r);
    const char *text = kind == HSC_PROBE_USER_SCOPE ? "scope of the program's own" : hsc_enum_text("probe_kind", kind);
    *out = (hsc_db_probe){kind, text ? text : "unknown", AT(probe_scope, uint32_t, r), hsc_db_text(db, HSC_COL_probe_name, r),
                          hsc_db_text(db, HSC_COL_probe_file, r), AT(probe_line, uint32_t, r), AT(probe_flags, uint32_t, r),
                          AT(probe_disarmed, uint32_t, r), AT(probe_disarmed_s, double, r)};
    return HSC_OK;
}

hsc_status hsc_db_get_block(const hsc_db *db, uint32_t r, hsc_db_block *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_block, r, err);
    if (!status)
        *out = (hsc_db_block){AT(block_parent, uint32_t, r), AT(block_probe, uint32_t, r), AT(block_depth, uint32_t, r)};
    return status;
}

double hsc_db_visit_without_cost(double seconds, double clock_s, double net_s, double visits) {
    return clock_s > 0 ? fmax(0, seconds - (clock_s - net_s) * fmin(1 / visits, seconds / clock_s)) : seconds;
}

double hsc_db_stddev(double squares, double sum, double n) {
    double mean = sum / n;
    return n > 1 ? sqrt(fmax(0, squares / n - mean * mean)) : n > 0 ? 0 : NAN;
}

hsc_status hsc_db_get_visit(const hsc_db *db, uint32_t r, hsc_db_visit *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_visit, r, err);
    if (!status)
        status = hsc_within_want(db, HSC_WITHIN_VISITS, err);
    if (status)
        return status;
#define IN(column, ctype) HSC_WITHIN(db, column, ctype)[r]
    uint64_t visits = AT(visit_visits, uint64_t, r);
    /* in an interval in proportion: estimates anyway */
    double part = hsc_within_is_set(db) ? visits ? (double)IN(visit_visits, uint64_t) / (double)visits : 0 : 1;
    *out = (hsc_db_visit){AT(visit_block, uint32_t, r),
                          AT(visit_thread, uint32_t, r),
                          IN(visit_visits, uint64_t),
                          IN(visit_left, uint64_t),
                          IN(visit_duration_s, double),
                          IN(visit_duration_min_s, double),
                          IN(visit_duration_max_s, double),
                          IN(visit_duration_squares, double),
                          IN(visit_exclusive_s, double),
                          part * AT(visit_cost_s, double, r),
                          part * AT(visit_exclusive_cost_s, double, r),
                          part * AT(visit_exclusive_cost_least_s, double, r),
                          part * AT(visit_exclusive_cost_most_s, double, r),
                          AT(visit_context, uint32_t, r),
                          AT(visit_line, uint32_t, r)};
#undef IN
    return status;
}

/* Rows [*first, *last) of a sorted column that have this value. */
static void range_of(const uint32_t *of, uint32_t n, uint32_t value, uint32_t *first, uint32_t *last) {
    *first = *last = hsc_first_not_below(of, n, value);
    while (*last < n && of[*last] == value)
        ++*last;
}

hsc_status hsc_db_read_visit_categories(const hsc_db *db, uint32_t visit, double *out, hsc_err *err) {
    uint32_t first, last, n = (uint32_t)db->tables.rows[HSC_TAB_visit_category];
    hsc_status status = hsc_db_want(db, HSC_TAB_visit, visit, err);
    if (!status)
        status = hsc_db_load((hsc_db *)db, HSC_TAB_visit_category, err);
    if (status)
        return status;
    for (uint64_t c = 0; c < db->tables.rows[HSC_TAB_category]; c++)
        out[c] = 0;
    if (hsc_within_is_set(db)) {
        uint64_t ns[256] = {0};
        status = hsc_within_histogram(db, HSC_WITHIN_VISITS, visit, 1, ns, (unsigned)db->tables.rows[HSC_TAB_category] < 256 ? (unsigned)db->tables.rows[HSC_TAB_category] : 256, err);
        for (uint64_t c = 0; !status && c < db->tables.rows[HSC_TAB_category] && c < 256; c++)
            out[c] = (double)ns[c] * 1e-9;
        return status;
    }
    range_of(n ? HSC_COL(db, visit_category_visit, uint32_t) : NULL, n, visit, &first, &last);
    for (; first < last; first++)
        out[AT(visit_category_category, uint8_t, first)] += AT(visit_category_exclusive_s, double, first);
    return HSC_OK;
}

hsc_status hsc_db_read_visit_histogram(const hsc_db *db, uint32_t visit, uint64_t *out, hsc_err *err) {
    uint32_t first, last, n = (uint32_t)db->tables.rows[HSC_TAB_visit_bucket];
    hsc_status status = hsc_db_want(db, HSC_TAB_visit, visit, err);
    if (!status)
        status = hsc_db_load((hsc_db *)db, HSC_TAB_visit_bucket, err);
    if (status)
        return status;
    for (int b = 0; b < HSC_BUCKETS; b++)
        out[b] = 0;
    if (hsc_within_is_set(db))
        return hsc_within_histogram(db, HSC_WITHIN_VISITS, visit, 0, out, HSC_BUCKETS, err);
    range_of(n ? HSC_COL(db, visit_bucket_visit, uint32_t) : NULL, n, visit, &first, &last);
    for (; first < last; first++)
        if (AT(visit_bucket_bucket, uint8_t, first) < HSC_BUCKETS)
            out[AT(visit_bucket_bucket, uint8_t, first)] += AT(visit_bucket_count, uint64_t, first);
    return HSC_OK;
}

hsc_status hsc_db_get_phase(const hsc_db *db, uint32_t r, hsc_db_phase *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_phase, r, err);
    if (!status)
        *out = (hsc_db_phase){AT(phase_process, uint32_t, r), hsc_db_text(db, HSC_COL_phase_name, r), AT(phase_begin_s, double, r),
                              AT(phase_end_s, double, r)};
    return status;
}

hsc_status hsc_db_get_note(const hsc_db *db, uint32_t r, hsc_db_note *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_note, r, err);
    if (!status)
        *out = (hsc_db_note){AT(note_process, uint32_t, r), AT(note_thread, uint32_t, r), AT(note_kind, uint8_t, r),
                             AT(note_time_s, double, r), AT(note_value, uint64_t, r), hsc_db_text(db, HSC_COL_note_text, r)};
    return status;
}

bool hsc_db_next_inside(const hsc_db *db, uint32_t process, double begin_s, double end_s, uint32_t *at, hsc_db_when *out) {
    const hsc_db_when all = {HSC_NONE, begin_s, end_s}, *parts;
    uint32_t n = hsc_db_get_intervals(db, &parts);
    if (!n) {
        parts = &all;
        n = 1;
    }
    while (*at < n) {
        const hsc_db_when *p = &parts[(*at)++];
        double from = p->begin_s > begin_s ? p->begin_s : begin_s, to = p->end_s < end_s ? p->end_s : end_s;
        if ((p->process == HSC_NONE || p->process == process) && from < to) {
            *out = (hsc_db_when){process, from, to};
            return true;
        }
    }
    return false;
}

/* One more value. */
static void count_value(hsc_db_counter *c, double v) {
    if (!c->values++)
        c->first = c->min = c->max = v;
    c->min = v < c->min ? v : c->min;
    c->max = v > c->max ? v : c->max;
    c->last = v;
    c->sum += v;
    c->squares += v * v;
}

static hsc_status count_inside(const hsc_db *db, uint32_t counter, hsc_db_counter *c, hsc_err *err) {
    uint32_t first, last, at = 0, all;
    hsc_db_when part;
    hsc_db_thread t;
    hsc_status status = hsc_db_load((hsc_db *)db, HSC_TAB_counter_value, err);
    if (!status)
        status = hsc_db_get_thread(db, c->thread, &t, err);
    if (status)
        return status;
    all = (uint32_t)db->tables.rows[HSC_TAB_counter_value];
    range_of(all ? HSC_COL(db, counter_value_counter, uint32_t) : NULL, all, counter, &first, &last);
    *c = (hsc_db_counter){.thread = c->thread, .name = c->name};
    while (hsc_db_next_inside(db, t.process, -HUGE_VAL, HUGE_VAL, &at, &part)) {
        uint32_t i = first;
        while (i < last && AT(counter_value_time_s, double, i) < part.begin_s)
            i++;
        if (i > first && !(i < last && AT(counter_value_time_s, double, i) == part.begin_s))
            count_value(c, AT(counter_value_value, double, i - 1));
        for (; i < last && AT(counter_value_time_s, double, i) < part.end_s; i++)
            count_value(c, AT(counter_value_value, double, i));
    }
    return HSC_OK;
}

hsc_status hsc_db_get_counter(const hsc_db *db, uint32_t r, hsc_db_counter *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_counter, r, err);
    hsc_db_counter inside;
    double begin, end;
    if (!status && hsc_db_get_interval(db, &begin, &end)) {
        inside = (hsc_db_counter){.thread = AT(counter_thread, uint32_t, r), .name = hsc_db_text(db, HSC_COL_counter_name, r)};
        if (!(status = count_inside(db, r, &inside, err)))
            *out = inside;
    } else if (!status)
        *out = (hsc_db_counter){AT(counter_thread, uint32_t, r), hsc_db_text(db, HSC_COL_counter_name, r),
                                AT(counter_values, uint64_t, r), AT(counter_first, double, r), AT(counter_last, double, r),
                                AT(counter_min, double, r),      AT(counter_max, double, r),   AT(counter_sum, double, r),
                                AT(counter_squares, double, r)};
    return status;
}

hsc_status hsc_db_read_counter(const hsc_db *db, uint32_t counter, uint64_t from, uint64_t capacity, double *time_s, double *value,
                               uint64_t *n, hsc_err *err) {
    uint32_t first, last, all = (uint32_t)db->tables.rows[HSC_TAB_counter_value];
    hsc_status status = hsc_db_want(db, HSC_TAB_counter, counter, err);
    if (!status)
        status = hsc_db_load((hsc_db *)db, HSC_TAB_counter_value, err);
    if (status)
        return status;
    range_of(all ? HSC_COL(db, counter_value_counter, uint32_t) : NULL, all, counter, &first, &last);
    *n = from < last - first ? last - first - from : 0;
    *n = *n < capacity ? *n : capacity;
    for (uint64_t i = 0; i < *n; i++) {
        time_s[i] = AT(counter_value_time_s, double, first + from + i);
        value[i] = AT(counter_value_value, double, first + from + i);
    }
    return HSC_OK;
}

hsc_status hsc_db_get_cost(const hsc_db *db, uint32_t r, hsc_db_cost *out, hsc_err *err) {
    hsc_status status = hsc_db_want(db, HSC_TAB_cost, r, err);
    if (!status)
        *out = (hsc_db_cost){AT(cost_thread, uint32_t, r),
                             AT(cost_handler_s, double, r),
                             AT(cost_handler_median_s, double, r),
                             AT(cost_handler_p90_s, double, r),
                             AT(cost_handler_p99_s, double, r),
                             AT(cost_signals_s, double, r),
                             AT(cost_probes_s, double, r),
                             AT(cost_wrappers_s, double, r),
                             AT(cost_helper_s, double, r),
                             AT(cost_start_s, double, r),
                             AT(cost_end_s, double, r),
                             AT(cost_switches_s, double, r),
                             AT(cost_own_least_s, double, r),
                             AT(cost_own_most_s, double, r),
                             AT(cost_handler_runs, uint64_t, r),
                             AT(cost_probes_missed, uint64_t, r),
                             AT(cost_rate_changes, uint32_t, r),
                             AT(cost_periods_max, uint32_t, r)};
    return status;
}
