/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One row for each source line and thread that has samples there; the rows of one metric add up to its total. */
#include <stdlib.h>

#include "paths.h"

#define ROWS 256u

static hsc_status put_row(export_job *job, uint32_t line, uint32_t thread, double count, hsc_err *err) {
    hsc_db_line l;
    hsc_db_file file;
    hsc_db_scope scope;
    hsc_db_thread t;
    hsc_db_process p;
    hsc_status s = hsc_db_get_line(job->db, line, &l, err);
    if (!s)
        s = hsc_db_get_file(job->db, l.file, &file, err);
    if (!s)
        s = hsc_db_get_thread(job->db, thread, &t, err);
    if (!s)
        s = hsc_db_get_process(job->db, t.process, &p, err);
    if (!s)
        s = hsc_db_get_scope(job->db, l.scope, &scope, err);
    const char *procedure = "";
    if (!s && scope.procedure != HSC_NONE && !(s = hsc_db_get_scope(job->db, scope.procedure, &scope, err)))
        procedure = scope.name;
    if (s)
        return s;
    hsc_quote_csv(job->out, file.path);
    fprintf(job->out, ",%u,", l.line);
    hsc_quote_csv(job->out, procedure);
    if (p.rank >= 0)
        fprintf(job->out, ",%d,", p.rank);
    else
        fputs(",,", job->out);
    hsc_quote_csv(job->out, p.host);
    fprintf(job->out, ",%u,%u,%.0f,%.9g\n", p.pid, t.index, count, count * job->metric.scale);
    return HSC_OK;
}

hsc_status export_csv(export_job *job, hsc_err *err) {
    hsc_db_view view = {job->options->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD};
    uint64_t rows = hsc_db_get_rows(job->db, HSC_TABLE_LINE), indptr[ROWS + 1];
    fprintf(job->out, "file,line,procedure,rank,host,pid,thread,periods,exclusive_%s\n", job->metric.unit);
    for (uint64_t first = 0; first < rows; first += ROWS) {
        uint64_t n = rows - first < ROWS ? rows - first : ROWS;
        uint32_t *columns = NULL;
        float *values = NULL;
        hsc_status s = export_step(job, (double)first, (double)rows, err);
        if (!s)
            s = hsc_db_read_sparse(job->db, view, first, n, indptr, &columns, &values, err);
        for (uint64_t r = 0; !s && r < n; r++)
            for (uint64_t i = indptr[r]; !s && i < indptr[r + 1]; i++)
                s = put_row(job, (uint32_t)(first + r), columns[i], (double)values[i], err);
        free(columns);
        free(values);
        if (s)
            return s;
    }
    return HSC_OK;
}
