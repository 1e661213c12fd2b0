/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Words for what the map knows of loops and OpenMP directives. */
#include "map_words.h"

#include <heatscope/formats/remarks.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *hsc_map_file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *hsc_map_version_word(uint64_t version) {
    switch (version) {
    case HSC_loop_version_PLAIN: return "as written";
    case HSC_loop_version_VECTOR: return "vector";
    case HSC_loop_version_REMAINDER: return "remainder";
    case HSC_loop_version_UNROLLED: return "unrolled";
    case HSC_loop_version_EPILOGUE: return "epilogue";
    case HSC_loop_version_UNROLLED_FULLY: return "unrolled fully";
    case HSC_loop_version_COMPILER: return "made by the compiler";
    case HSC_loop_version_LIBRARY_CALL: return "memcpy or memset";
    case HSC_loop_version_FALLBACK: return "fall-back";
    case HSC_loop_version_REMAINDER_OR_FALLBACK: return "remainder or fall-back";
    case HSC_loop_version_VECTOR_EPILOGUE: return "vector remainder";
    case HSC_loop_version_PEELED: return "peeled";
    case HSC_loop_version_ALTERNATIVE: return "alternative";
    case HSC_loop_version_DISTRIBUTED: return "distributed";
    case HSC_loop_version_VECTOR_UNROLLED_FULLY: return "vector unrolled fully";
    default: return "?";
    }
}

char *hsc_map_lanes_words(uint64_t version, uint64_t width, char *out, size_t size) {
    out[0] = 0;
    if (width && hsc_version_is_vector(version))
        snprintf(out, size, " %" PRIu64 " lanes", width);
    else if (width > 1)
        snprintf(out, size, " (parts packed by %" PRIu64 ")", width);
    return out;
}

void hsc_map_print_control(const hsc_rec_loop *l) {
    const char *before = " [";
    if (l->induction.n) {
        printf("%s%s", before, l->induction.p);
        before = "; ";
        if (l->start.n)
            printf(" = %s", l->start.p);
    }
    if (l->bound.n) {
        printf("%s%s", l->kind == HSC_loop_kind_DO || l->kind == HSC_loop_kind_DO_CONCURRENT ? ", " : before, l->bound.p);
        before = "; ";
    }
    if (l->induction.n && l->step && l->step != 1)
        printf("; step %" PRId64, l->step);
    if (l->trips)
        printf("%s%" PRIu64 " iteration%s", before, l->trips, l->trips == 1 ? "" : "s");
    else if (l->trips_max)
        printf("%sat most %" PRIu64 " iterations", before, l->trips_max);
    if (!l->trips && l->trips_multiple) {
        printf("%sa multiple of %" PRIu64, l->trips_max ? ", " : before, l->trips_multiple);
        before = "; ";
    }
    if (l->collapsed)
        printf("%s%" PRIu64 " loops made one", before, l->collapsed);
    if (l->induction.n || l->bound.n || l->trips || l->trips_max || l->trips_multiple || l->collapsed)
        printf("]");
}

void hsc_map_print_directives(const hsc_map_module *m, uint64_t procedure_id) {
    for (size_t i = 0; i < m->n_directives; i++) {
        const hsc_rec_directive *d = &m->directives[i];
        if (d->procedure_id != procedure_id)
            continue;
        printf("%12" PRIu64 "    omp %s", d->line, d->text.n ? d->text.p : "directive");
        const char *comma = ": ";
        for (uint64_t role = 0; role < 64; role++) { /* each once */
            size_t count = 0;
            for (size_t k = 0; k < m->n_runtime_calls; k++)
                count += m->runtime_calls[k].directive_id == d->directive_id && m->runtime_calls[k].role == role;
            const char *text = hsc_enum_text("omp_role", role);
            if (count && role != HSC_omp_role_IDENTITY) {
                printf("%s%s", comma, text ? text : "other");
                comma = ", ";
            }
        }
        printf("\n");
    }
}
