/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* findings DATABASE.h5 [LATER.h5]: what stands out in a run, as `heatscope report --by=finding` has it; with a later run of the program, which of its
 * procedures changed beyond noise, as `heatscope diff` has it. Shows how programs of your own ask what a database says. */
#include <heatscope/analysis.h>

#include <stdio.h>
#include <stdlib.h>

static hsc_status print_findings(hsc_db *db, hsc_err *err) {
    hsc_db_finding *list;
    uint32_t n;
    hsc_status status = hsc_db_read_findings(db, 0, &list, &n, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < n; i++)
        printf("%s: %s\n", list[i].title, list[i].text);
    hsc_db_free_findings(list, n);
    return HSC_OK;
}

static hsc_status print_changes(hsc_db *a, hsc_db *b, hsc_err *err) {
    hsc_db_metric metric;
    hsc_db_change *list;
    hsc_db_scope scope;
    uint32_t n;
    hsc_status status = hsc_db_get_metric(a, 0, &metric, err);
    if (status || (status = hsc_db_read_changes(a, 0, b, 0, HSC_CHANGE_PROCEDURE, &list, &n, err)))
        return status;
    for (uint32_t i = 0; i < n && !status; i++) {
        if (!list[i].beyond)
            continue;
        status = list[i].a != HSC_NONE ? hsc_db_get_scope(a, list[i].a, &scope, err) : hsc_db_get_scope(b, list[i].b, &scope, err);
        if (!status)
            printf("%+.6f (%+.6f to %+.6f) %s %s\n", list[i].change, list[i].low, list[i].high, metric.unit, scope.name);
    }
    free(list);
    return status;
}

int main(int argc, char **argv) {
    hsc_db *db[2] = {NULL, NULL};
    hsc_err err = {0};
    hsc_status status = HSC_OK;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: findings DATABASE.h5 [LATER.h5]\n");
        return 2;
    }
    for (int i = 1; i < argc && !status; i++)
        status = hsc_db_open(argv[i], &db[i - 1], &err);
    if (!status)
        status = argc == 2 ? print_findings(db[0], &err) : print_changes(db[0], db[1], &err);
    if (status)
        fprintf(stderr, "findings: %s\n", err.text);
    hsc_db_close(db[0]);
    hsc_db_close(db[1]);
    return status ? 1 : 0;
}
