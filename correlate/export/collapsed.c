/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collapsed stacks: "outermost;...;innermost SAMPLES", one line a call path; counts are samples. Contexts that read alike (loops left out, a call from
 * several lines) are one path. */
#include "paths.h"

#include <stdlib.h>

typedef struct merged {
    uint32_t *as;   /* by context: the first one that reads alike */
    uint32_t *slot; /* hash table of these by what they are below, and their scope; contexts */
    size_t slots;
    double *sum;
} merged;

static void put_name(FILE *out, const char *name) {
    for (; *name; name++)
        fputc(*name == ';' ? ':' : *name == '\n' ? ' ' : *name, out);
}

static hsc_status put_path(export_job *job, uint32_t context, hsc_err *err) {
    uint32_t n;
    const uint32_t *path = export_path(job, context, &n);
    while (n--) {
        export_frame f;
        hsc_status s = export_get_frame(job, job->context[path[n]].scope, &f, err);
        if (s)
            return s;
        put_name(job->out, f.name);
        if (n)
            fputc(';', job->out);
    }
    return HSC_OK;
}

/* Parents come before children. */
static uint32_t first_alike(const export_job *job, merged *m, uint32_t c) {
    uint32_t up = c ? m->as[job->context[c].parent] : HSC_NONE, scope = job->context[c].scope;
    if (c && !job->options->loops && job->context[c].kind == HSC_CONTEXT_LOOP)
        return up;
    size_t at = (size_t)((((uint64_t)up << 32 | scope) * 0x9E3779B97F4A7C15u) >> 20) & (m->slots - 1);
    for (; m->slot[at] != HSC_NONE; at = (at + 1) & (m->slots - 1)) {
        uint32_t other = m->slot[at];
        if (job->context[other].scope == scope && (other ? m->as[job->context[other].parent] : HSC_NONE) == up)
            return other;
    }
    return m->slot[at] = c;
}

static hsc_status merge(export_job *job, merged *m, hsc_err *err) {
    hsc_db_view view = {job->options->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD};
    double sums[1024];
    hsc_status s = HSC_OK;
    for (size_t i = 0; i < m->slots; i++)
        m->slot[i] = HSC_NONE;
    for (uint32_t first = 0; !s && first < job->contexts; first += 1024) {
        uint32_t n = job->contexts - first < 1024 ? job->contexts - first : 1024;
        s = export_step(job, first, job->contexts, err);
        if (!s)
            s = hsc_db_read_sums(job->db, view, first, n, sums, err);
        for (uint32_t i = 0; !s && i < n; i++) {
            m->as[first + i] = first_alike(job, m, first + i);
            m->sum[m->as[first + i]] += sums[i];
        }
    }
    return s;
}

hsc_status export_collapsed(export_job *job, hsc_err *err) {
    size_t n = (size_t)job->contexts + 1;
    merged m = {.slots = 64};
    while (m.slots < 2 * n)
        m.slots *= 2;
    m.as = malloc(n * sizeof *m.as);
    m.slot = malloc(m.slots * sizeof *m.slot);
    m.sum = calloc(n, sizeof *m.sum);
    hsc_status s = m.as && m.slot && m.sum ? merge(job, &m, err) : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u call paths", job->contexts);
    for (uint32_t c = 0; !s && c < job->contexts; c++)
        if (m.sum[c] > 0 && !(s = put_path(job, c, err)))
            fprintf(job->out, " %.0f\n", m.sum[c]);
    free(m.as);
    free(m.slot);
    free(m.sum);
    return s;
}
