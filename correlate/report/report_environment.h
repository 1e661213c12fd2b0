/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables of the environment that change how programs run, as the processes of a run had them. */
#ifndef HEATSCOPE_REPORT_ENVIRONMENT_H
#define HEATSCOPE_REPORT_ENVIRONMENT_H

#include "report.h"

typedef struct report_setting {
    const char *name, *value; /* borrowed from the database, not ended; value NULL: not set there */
    int name_bytes, value_bytes;
    uint32_t processes;
} report_setting;

typedef struct report_environment {
    report_setting *list; /* by name, then by value, not set last */
    uint32_t n;
    uint32_t known; /* processes of which it is recorded; 0: nothing is known */
} report_environment;

hsc_status report_environment_of(hsc_db *db, report_environment *out, hsc_err *err);
void report_environment_free(report_environment *e);
/* The order of the list: by name alone; by value, too. 0: the same, in however many processes. */
int report_compare_names(const report_setting *x, const report_setting *y);
int report_compare_settings(const report_setting *x, const report_setting *y);
/* How many settings one variable has from list[i] on. */
uint32_t report_settings_of_one(const report_environment *e, uint32_t i);
/* "2 or 4 or not set"; with counts "4 (3 processes) or not set (1)". Long values and many of them are cut. */
void report_environment_values(const report_environment *e, uint32_t i, bool counts, char *out, size_t size);

#endif
