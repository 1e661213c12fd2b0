/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Options that `report` and `diff` share: what of a database is shown, and how. */
#ifndef HEATSCOPE_CLI_SELECTION_H
#define HEATSCOPE_CLI_SELECTION_H

#include <report.h>

#include "cli.h"
#include "table.h"

#define HSC_CLI_INTERVAL {"interval", 'i', "WHEN", "only that time: FROM:TO in seconds or percent of the run (1.5:3, 90%:), or a phase"}

/* Entries of an option table, in the order of the enumeration; `axis`: what "processors" means. */
#define HSC_CLI_SELECTION(axis)                                                                                                      \
    {"format", 'f', "FORMAT", "text, csv or json"}, {"columns", 'c', "LIST", "these columns, in this order: NAME or NAME:HEADING, separated by commas"}, \
        {"top", 'n', "N", "rows of each table (text: 10; csv and json: all; 0: all)"},                                               \
        {"metric", 'm', "NAME", "metric by its name, a word of it, or number (the first)"},                                         \
        {"where", 'w', "TEXT", "only what has TEXT in its file or procedure; FILE:LINE"}, {"processors", 'p', "AXIS", axis},                    \
        {"net", 0, NULL, "take the cost of sampling out of CPU time"},                                                              \
    HSC_CLI_INTERVAL

enum {
    HSC_SELECT_FORMAT,
    HSC_SELECT_COLUMNS,
    HSC_SELECT_TOP,
    HSC_SELECT_METRIC,
    HSC_SELECT_WHERE,
    HSC_SELECT_AXIS,
    HSC_SELECT_NET,
    HSC_SELECT_INTERVAL,
    HSC_SELECT_COUNT
};

typedef struct hsc_cli_selection {
    hsc_table_format format;
    bool top_given, axis_given, net;
    uint32_t top;
    hsc_db_axis axis;
    bool nodes;             /* they may be the processors, too */
    const char *metric, *where, *interval, *columns;
} hsc_cli_selection;

/* Does `word` mean the table? Its name, one that other profilers use ("function" is a procedure), or their plural. */
bool hsc_cli_is_table(const char *word, const char *table);

/* For the command's set(): `which` of the enumeration, `option` its number in the command's table. Returns what set() returns. */
int hsc_cli_select(const hsc_cli_command *c, int option, int which, hsc_cli_selection *s, const char *value);

/* Opens a database for a report on `interval` of it: all of *r but what report_load makes, and the axis, which is processes where
 * there are several. The caller closes r->db. */
hsc_status hsc_cli_open_report(report *r, const char *path, const hsc_cli_selection *s, const char *interval, hsc_err *err);

#endif
