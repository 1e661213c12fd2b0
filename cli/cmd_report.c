/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope report: what a database says, as text, CSV or JSON. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "report_text.h"

enum { OPT_BY, OPT_FORMAT, OPT_TOP, OPT_METRIC, OPT_WHERE, OPT_INTERVAL, OPT_AXIS };

static const hsc_cli_option options[] = {
    {"by", 0, "WHAT", "table: procedure, loop, line, context, message, reason, ... (see above)"},
    {"format", 'f', "FORMAT", "text, csv or json"},
    {"top", 'n', "N", "rows of each table (text: 10; csv and json: all; 0: all)"},
    {"metric", 'm', "NAME", "metric by its name or number (the first)"},
    {"where", 'w', "TEXT", "only what has TEXT in its file or procedure"},
    {"interval", 'i', "FROM:TO", "only samples of that time, in seconds from the run's start or percent: 1.5:3, 90%:"},
    {"processors", 'p', "AXIS", "compare process or thread (processes where there are several)"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    .name = "report",
    .summary = "Says where the time went: findings first, then tables",
    .usage = "[OPTIONS] DB|DIR",
    .description = "Reads a database, or a measurement directory, which is correlated first when need be.\n"
                   "\n"
                   "Times are counts of samples, unless a metric is chosen that was timed (--metric='MPI time', 'waiting') or "
                   "counted ('MPI calls', 'bytes sent', ...); findings carry 95 % intervals. CSV and JSON have one row a scope, with "
                   "units in the names of their columns (exclusive_s, exclusive_pct, line_begin).\n"
                   "\n"
                   "Tables (--by): procedure, loop, line, context; processor, module; reason (why loops were not vectorised); message, wait "
                   "(what wrappers timed); cause (places that make others wait), delayed (who waits for whom); pair (messages and waiting between processes); array (message passing by array); probe, block (probes and scopes that the program "
                   "named; block: with the stack of scopes round them), phase, counter (what the program told); cost (of measuring); ledger.",
    .examples = "  heatscope report heatscope.out\n"
                "  heatscope report --by=loop --top=20 heatscope.out\n"
                "  heatscope report --by=line --where=solver.c --format=csv heatscope.out/heatscope.h5",
    .options = options};

typedef struct choices {
    report_by by;
    report_format format;
    bool top_given;
    uint32_t top;
    int axis; /* -1: chosen by the data */
    const char *metric, *where, *interval;
} choices;

static const char *const by_names[] = {"all", "procedure", "loop", "line", "context", "processor", "module", "ledger", "message", "wait", "reason", "cause", "delayed", "probe", "block", "phase", "counter", "cost", "array", "pair"};

static int set(void *ctx, int option, const char *value) {
    choices *c = ctx;
    unsigned long long n;
    switch (option) {
    case OPT_BY:
        for (int i = 1; i < (int)(sizeof by_names / sizeof *by_names); i++)
            if (!strcmp(value, by_names[i])) {
                c->by = (report_by)i;
                return -1;
            }
        return hsc_cli_bad_value(&command, option, "procedure, loop, line, context, processor, module, message, wait, cause, delayed, pair, array, reason, probe, block, phase, counter, cost or ledger", value);
    case OPT_FORMAT:
        c->format = !strcmp(value, "csv") ? REPORT_CSV : !strcmp(value, "json") ? REPORT_JSON : REPORT_TEXT;
        if (c->format == REPORT_TEXT && strcmp(value, "text"))
            return hsc_cli_bad_value(&command, option, "text, csv or json", value);
        return -1;
    case OPT_TOP:
        if (!hsc_cli_parse_u64(value, 0, 1000000000, &n))
            return hsc_cli_bad_value(&command, option, "a number of rows", value);
        c->top = (uint32_t)n;
        c->top_given = true;
        return -1;
    case OPT_METRIC:
        c->metric = value;
        return -1;
    case OPT_WHERE:
        c->where = value;
        return -1;
    case OPT_INTERVAL:
        c->interval = value;
        return -1;
    default:
        c->axis = !strcmp(value, "process") ? HSC_AXIS_PROCESS : !strcmp(value, "thread") ? HSC_AXIS_THREAD : -1;
        if (c->axis < 0)
            return hsc_cli_bad_value(&command, option, "process or thread", value);
        return -1;
    }
}

int hsc_cmd_report(int argc, char **argv) {
    choices c = {.axis = -1};
    report r = {.out = stdout};
    hsc_err err = {0};
    char path[4096];
    int first = 0, code = hsc_cli_parse(&command, argc, argv, set, &c, &first);
    if (code >= 0)
        return code;
    if (argc - first != 1) {
        fprintf(stderr, "heatscope report: expected one database or measurement directory, got %d; 'heatscope report --help' tells more\n",
                argc - first);
        return HSC_EXIT_USAGE;
    }
    if (c.interval && (c.by == REPORT_MESSAGE || c.by == REPORT_WAIT || c.by == REPORT_LEDGER)) {
        fprintf(stderr, "heatscope report: --interval: messages, waits and the ledger are known of the whole run only\n");
        return HSC_EXIT_USAGE;
    }
    code = hsc_cli_database_for("report", argv[first], path, sizeof path);
    if (code >= 0)
        return code;
    hsc_status status = hsc_db_open(path, &r.db, &err);
    if (status)
        return hsc_cli_fail("report", &err);
    hsc_db_get_info(r.db, &r.info);
    r.axis = c.axis >= 0 ? (hsc_db_axis)c.axis : r.info.processes > 1 ? HSC_AXIS_PROCESS : HSC_AXIS_THREAD;
    r.where = c.where;
    r.width = hsc_cli_width();
    r.top = c.top_given ? c.top : c.format == REPORT_TEXT ? 10 : 0;
    status = hsc_cli_find_metric(r.db, c.metric, &r.metric, &err);
    if (!status)
        status = hsc_cli_set_interval(r.db, c.interval, &err);
    if (!status)
        status = report_load(&r, &err);
    if (!status)
        status = c.format == REPORT_TEXT ? report_text(&r, c.by, &err) : report_rows(&r, c.by, c.format, &err);
    report_clear(&r);
    hsc_db_close(r.db);
    if (status)
        return hsc_cli_fail("report", &err);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "heatscope report: cannot write: %s\n", strerror(errno));
        return HSC_EXIT_FAILED;
    }
    return HSC_EXIT_OK;
}
