/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of the timeline: threads that libraries made for themselves, phases. */
#include <stdlib.h>
#include <string.h>

#include "timeline_rows.h"

static bool of_program(hsc_db *db, uint32_t scope, const char *executable) {
    hsc_db_scope s;
    hsc_db_module m;
    if (scope == HSC_NONE || hsc_db_get_scope(db, scope, &s, NULL) != HSC_OK)
        return false;
    return s.knowledge == HSC_KNOWN_MAP || (hsc_db_get_module(db, s.module, &m, NULL) == HSC_OK && (m.knowledge == HSC_KNOWN_MAP || !strcmp(m.path, executable)));
}

/* Some wait of the thread is below a procedure of the program. */
static hsc_status waits_for_program(hsc_db *db, uint32_t thread, uint32_t process, double begin, double end, bool *yes, hsc_err *err) {
    hsc_db_process p;
    hsc_db_span span;
    uint64_t first, n;
    uint32_t before = HSC_NONE;
    *yes = false;
    hsc_status s = hsc_db_get_process(db, process, &p, err);
    if (s != HSC_OK || (s = hsc_db_find_spans(db, thread, begin, end, &first, &n, err)) != HSC_OK)
        return s;
    for (uint64_t k = first; s == HSC_OK && k < first + n && !*yes; k++) {
        if ((s = hsc_db_get_span(db, k, &span, err)) != HSC_OK || span.context == before)
            continue;
        before = span.context;
        for (uint32_t at = span.context; at != HSC_NONE && !*yes;) { /* parents come first in the table */
            hsc_db_context c;
            if (hsc_db_get_context(db, at, &c, NULL) != HSC_OK)
                break;
            *yes = c.kind != HSC_CONTEXT_ROOT && c.kind != HSC_CONTEXT_PARTIAL && of_program(db, c.scope, p.executable);
            at = c.parent < at ? c.parent : HSC_NONE;
        }
    }
    return s;
}

hsc_status hsc_timeline_count_threads(hsc_db *db, uint32_t threads, const uint32_t *row_of, uint32_t rows, double begin, double end,
                                      bool *counted, hsc_err *err) {
    uint64_t *most = calloc((size_t)rows + 1, sizeof *most);
    bool *any = calloc((size_t)rows + 1, sizeof *any);
    hsc_status s = most && any ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u rows", rows);
    hsc_db_thread t;
    for (uint32_t i = 0; s == HSC_OK && i < threads; i++)
        if (row_of[i] < rows && (s = hsc_db_get_thread(db, i, &t, err)) == HSC_OK && t.samples > most[row_of[i]])
            most[row_of[i]] = t.samples;
    for (uint32_t i = 0; s == HSC_OK && i < threads; i++) {
        counted[i] = false;
        if (row_of[i] >= rows || (s = hsc_db_get_thread(db, i, &t, err)) != HSC_OK)
            continue;
        counted[i] = !t.index || t.samples >= most[row_of[i]] / 10 + 1; /* in a short run one sample of a library's thread may be a hundredth */
        if (!counted[i])
            s = waits_for_program(db, i, t.process, begin, end, &counted[i], err);
        any[row_of[i]] = any[row_of[i]] || counted[i];
    }
    for (uint32_t i = 0; s == HSC_OK && i < threads; i++)
        counted[i] = row_of[i] < rows && (counted[i] || !any[row_of[i]]);
    free(most);
    free(any);
    return s;
}

/* First of the phases, sorted by process, that is of `process` or a later one. */
static hsc_status find_phase(hsc_db *db, uint32_t process, uint32_t *at, hsc_err *err) {
    uint32_t low = 0, high = hsc_db_count_told(db, HSC_TOLD_PHASES);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        hsc_db_phase p;
        hsc_status s = hsc_db_get_phase(db, middle, &p, err);
        if (s != HSC_OK)
            return s;
        if (p.process < process)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return HSC_OK;
}

hsc_status hsc_timeline_read_phases(hsc_db *db, uint32_t process, hsc_timeline_phase **out, uint32_t *n, hsc_err *err) {
    uint32_t first = 0, end = 0;
    *out = NULL;
    *n = 0;
    hsc_status s = process == HSC_NONE ? HSC_OK : find_phase(db, process, &first, err);
    if (s != HSC_OK || process == HSC_NONE || (s = find_phase(db, process + 1, &end, err)) != HSC_OK || first >= end)
        return s;
    end = end - first > HSC_TIMELINE_PHASES_MAX ? first + HSC_TIMELINE_PHASES_MAX : end;
    if (!(*out = malloc((end - first) * sizeof **out)))
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u phases", end - first);
    for (uint32_t i = first; i < end; i++) {
        hsc_db_phase p;
        if ((s = hsc_db_get_phase(db, i, &p, err)) != HSC_OK)
            return s;
        if (p.end_s > p.begin_s)
            (*out)[(*n)++] = (hsc_timeline_phase){p.name, p.begin_s, p.end_s};
    }
    return HSC_OK;
}

uint32_t hsc_timeline_phases_of(hsc_db *db) {
    hsc_db_phase p;
    return hsc_db_count_told(db, HSC_TOLD_PHASES) && hsc_db_get_phase(db, 0, &p, NULL) == HSC_OK ? p.process : HSC_NONE;
}

hsc_status hsc_timeline_sum_samples(hsc_db *db, hsc_timeline_key kind, uint32_t threads, const uint32_t *row_of, double begin, double end, const uint32_t *keys,
                                    uint32_t n_keys, double *of, double *all, hsc_err *err) {
    enum { BLOCK = 1024 };
    hsc_db_sample *samples = malloc(BLOCK * sizeof *samples);
    hsc_status s = samples ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for samples");
    for (uint32_t i = 0; s == HSC_OK && i < threads; i++) {
        hsc_db_samples *cursor = NULL;
        uint32_t n = 0;
        if (row_of[i] == HSC_NONE || (s = hsc_db_samples_open(db, i, begin, end, &cursor, err)) != HSC_OK)
            continue;
        while ((s = hsc_db_samples_next(cursor, BLOCK, samples, &n, err)) == HSC_OK && n)
            for (uint32_t j = 0; j < n; j++) {
                uint32_t key = samples[j].category;
                hsc_db_context c = {.scope = HSC_NONE};
                hsc_db_scope scope = {.procedure = HSC_NONE};
                if (samples[j].metric)
                    continue;
                if (kind != HSC_TIMELINE_CATEGORY) {
                    (void)hsc_db_get_context(db, samples[j].context, &c, NULL);
                    (void)hsc_db_get_scope(db, c.scope, &scope, NULL);
                    key = kind == HSC_TIMELINE_SCOPE || scope.procedure == HSC_NONE ? c.scope : scope.procedure;
                }
                *all += samples[j].count;
                for (uint32_t k = 0; k < n_keys; k++)
                    if (keys[k] == key) {
                        of[k] += samples[j].count;
                        break;
                    }
            }
        hsc_db_samples_close(cursor);
    }
    free(samples);
    return s;
}
