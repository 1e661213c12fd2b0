/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One procedure in several modules, as of plug-ins that are made of one source: its name and place are the same in all, so its module is told with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct report_apart {
    bool is_made;
    uint8_t *told; /* by scope of a procedure; NULL: none */
};

report_apart *report_apart_new(void) { return calloc(1, sizeof(report_apart)); }

void report_apart_free(report_apart *a) {
    if (a)
        free(a->told);
    free(a);
}

typedef struct procedure {
    const char *name;
    uint32_t row, module, file, line;
} procedure;

static int by_name_and_place(const void *a, const void *b) {
    const procedure *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Once. Only those that were met are in any table; where there is no memory all have their bare names. */
static void make(const report *r, report_apart *all) {
    hsc_db_scope_columns c;
    hsc_db_scope s;
    uint32_t n = 0;
    all->is_made = true;
    procedure *list = !r->incl || r->info.modules < 2 || hsc_db_get_scope_columns(r->db, &c, NULL) ? NULL : malloc(((size_t)r->info.scopes + 1) * sizeof *list);
    for (uint32_t i = 0; list && i < r->info.scopes; i++)
        if (c.kind[i] == HSC_SCOPE_PROCEDURE && r->incl[i] > 0 && c.file[i] != HSC_NONE && c.module[i] != HSC_NONE && !hsc_db_get_scope(r->db, i, &s, NULL) && s.line_begin)
            list[n++] = (procedure){s.name, i, s.module, s.file, s.line_begin};
    if (n > 1)
        qsort(list, n, sizeof *list, by_name_and_place);
    for (uint32_t i = 0, end; i < n; i = end) {
        bool several = false;
        for (end = i + 1; end < n && !by_name_and_place(&list[end], &list[i]); end++)
            several = several || list[end].module != list[i].module;
        if (several && !all->told)
            all->told = calloc((size_t)r->info.scopes + 1, 1);
        for (uint32_t k = i; several && all->told && k < end; k++)
            all->told[list[k].row] = 1;
    }
    free(list);
}

const char *report_procedure_name(const report *r, const hsc_db_scope *s, char *out, size_t size) {
    report_apart *all = r->apart;
    hsc_db_module m;
    if (all && !all->is_made)
        make(r, all);
    if (!all || !all->told || s->kind != HSC_SCOPE_PROCEDURE || s->procedure == HSC_NONE || !all->told[s->procedure] || hsc_db_get_module(r->db, s->module, &m, NULL))
        return s->name;
    const char *base = strrchr(m.path, '/');
    snprintf(out, size, "%s [%s]", s->name, base ? base + 1 : m.path);
    return out;
}
