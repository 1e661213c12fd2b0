/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_reasons.h"

#include <math.h>
#include <stdlib.h>

#include <heatscope/formats/remarks.h>

typedef struct apart {
    const report *r;
    report_refusal **generated, **written; /* by scope: the row that has the samples of its generated loops, of its own lines; NULL: none */
} apart;

/* Samples of instructions [first, first + n): those in the generated loop of one row and on the lines of another are the other's. */
static hsc_status look(const apart *a, uint32_t first, uint32_t n, hsc_weighted *values, hsc_err *err) {
    const report *r = a->r;
    hsc_status s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_INSTRUCTION, HSC_AXIS_THREAD}, first, n, values, err);
    for (uint32_t i = 0; i < n && !s; i++) {
        hsc_db_instruction at;
        hsc_db_instance in;
        if (!(values[i].sum > 0) || (s = hsc_db_get_instruction(r->db, first + i, &at, err)) || at.scope == HSC_NONE || at.instance == HSC_NONE || !a->written[at.scope] ||
            (s = hsc_db_get_instance(r->db, at.instance, &in, err)) || in.scope == HSC_NONE || in.scope == at.scope || !a->generated[in.scope] || hsc_version_is_vector(in.version))
            continue;
        hsc_weighted *rest = &a->generated[in.scope]->apart;
        rest->sum = fmax(0, rest->sum - values[i].sum);
        rest->excess = fmax(0, rest->excess - values[i].excess);
    }
    return s;
}

hsc_status report_take_apart(const report *r, report_refused_list *const lists[], unsigned n, hsc_err *err) {
    enum { ROWS = 4096 };
    apart a = {r, calloc((size_t)r->info.scopes + 1, sizeof *a.generated), calloc((size_t)r->info.scopes + 1, sizeof *a.written)};
    hsc_weighted *values = malloc(ROWS * sizeof *values);
    hsc_status s = a.generated && a.written && values ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    bool any = false;
    for (unsigned k = 0; k < n && !s; k++)
        for (uint32_t i = 0; i < lists[k]->n; i++) {
            report_refusal *x = &lists[k]->rows[i];
            x->apart = x->scalar;
            (x->by_scope ? a.written : a.generated)[x->scope] = x;
            any |= x->by_scope;
        }
    uint64_t rows = any && !s ? hsc_db_get_rows(r->db, HSC_TABLE_INSTRUCTION) : 0;
    for (uint64_t first = 0; first < rows && !s; first += ROWS)
        s = look(&a, (uint32_t)first, (uint32_t)(rows - first < ROWS ? rows - first : ROWS), values, err);
    if (s == HSC_E_MISSING) { /* not known by instruction */
        hsc_err_clear(err);
        s = HSC_OK;
    }
    free(a.generated);
    free(a.written);
    free(values);
    return s;
}
