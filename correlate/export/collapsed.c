/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collapsed stacks: "outermost;...;innermost SAMPLES", one line a call path; counts are samples. */
#include "paths.h"

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

hsc_status export_collapsed(export_job *job, hsc_err *err) {
    hsc_db_view view = {job->options->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD};
    double sums[1024];
    for (uint32_t first = 0; first < job->contexts; first += 1024) {
        uint32_t n = job->contexts - first < 1024 ? job->contexts - first : 1024;
        hsc_status s = export_step(job, first, job->contexts, err);
        if (!s)
            s = hsc_db_read_sums(job->db, view, first, n, sums, err);
        for (uint32_t i = 0; !s && i < n; i++)
            if (sums[i] > 0 && !(s = put_path(job, first + i, err)))
                fprintf(job->out, " %.0f\n", sums[i]);
        if (s)
            return s;
    }
    return HSC_OK;
}
