/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers that the map speaks of, whether the compiler knew them or the run recorded them: one way to ask for both. */
#ifndef HEATSCOPE_FORMATS_VALUES_H
#define HEATSCOPE_FORMATS_VALUES_H

#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All numbers of one program, and what one process recorded of them. */
typedef struct hsc_values hsc_values;

typedef enum hsc_value_source {
    HSC_VALUE_STATIC,  /* the compiler knew it */
    HSC_VALUE_DYNAMIC, /* at least one part of it was recorded by the run */
} hsc_value_source;

/* Where and when a number is asked for. */
typedef struct hsc_value_when {
    uint64_t time_ns; /* CLOCK_MONOTONIC: the newest record not later than that; UINT64_MAX: the last one */
    uint32_t stream;  /* stream of the thread; HSC_VALUE_ANY_STREAM: of all threads */
    /* Number of the iteration (from 0) of the loop with this id in the module; false: not known. NULL: none is. */
    bool (*iteration)(void *ctx, uint64_t module_tag, uint64_t loop_id, int64_t *out);
    void *ctx;
} hsc_value_when;
#define HSC_VALUE_ANY_STREAM 0xFFFFFFFFu

/* HSC_E_MEMORY. */
hsc_status hsc_values_new(hsc_values **out, hsc_err *err);
void hsc_values_free(hsc_values *v);

/* Takes the record if it is one of module, value, symbolic, module_end (of the map, in its order) or symbolic_place,
 * symbolic_value (of one process, in any order of threads); leaves others alone. A module that comes twice counts once.
 * HSC_E_MEMORY; HSC_E_FORMAT: an id is not dense. */
hsc_status hsc_values_take(hsc_values *v, const hsc_record *record, hsc_err *err);

/* The number behind value_id of the module. HSC_OK fills *out and, unless it is NULL, *source. HSC_E_MISSING: it was not
 * recorded then, or nothing but its text is known; HSC_E_ARGUMENT: there is no such value; HSC_E_LIMIT: it does not fit
 * 64 bits, or values contain each other. Cost: one search by bisection for each part that the run recorded. */
hsc_status hsc_values_get(hsc_values *v, uint64_t module_tag, uint64_t value_id, const hsc_value_when *when,
                          int64_t *out, hsc_value_source *source, hsc_err *err);

/* All values that the number had in the run, of all threads, rising, each once: *out malloc'ed (free() it), NULL and *n 0 where
 * they cannot be told, as several parts of it changed and which values met is not recorded. Errors as above. Cost: one look
 * at each record of its parts. */
hsc_status hsc_values_get_all(hsc_values *v, uint64_t module_tag, uint64_t value_id, int64_t **out, size_t *n, hsc_err *err);

/* Its text in the terms of the source, borrowed; "?" for id 0, NULL when there is no such value. */
const char *hsc_values_get_text(const hsc_values *v, uint64_t module_tag, uint64_t value_id);

#ifdef __cplusplus
}
#endif

#endif
