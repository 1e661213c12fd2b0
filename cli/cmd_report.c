/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope report: what a database says, as text, CSV or JSON. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cli.h"
#include "pager.h"
#include "report_categories.h"
#include "report_elapsed.h"
#include "report_text.h"
#include "selection.h"

enum { OPT_BY, OPT_CATEGORY, OPT_BRIEF, OPT_SELECTION };

static const hsc_cli_option options[] = {{"by", 0, "WHAT", "table: procedure, loop, line, context, message, ... (list: all of them)"},
                                         {"category", 0, "NAME", "only the samples of one category, by its name or a word of it: computation, waiting, management, ... (with --by)"},
                                         {"brief", 0, NULL, "the first findings only (--top=N: so many, 5)"},
                                         HSC_CLI_SELECTION("compare process, thread or node (processes where there are several)"),
                                         {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    .name = "report",
    .summary = "Says where the time went: findings first, then tables",
    .usage = "[OPTIONS] DB|DIR",
    .description = "Reads a database, or a measurement directory, which is correlated first when need be.\n"
                   "\n"
                   "Text is as wide as the terminal, and goes through a pager there: the command that the environment's HEATSCOPE_PAGER or PAGER says (cat: none), else less; in a pipe it has 80 columns, or as many as the environment's COLUMNS says (to 240). "
                   "A sample is one record of where a thread was; it stands for one period of CPU time, or for several where the rate was lowered. "
                   "Times are sums of periods, unless a metric is chosen that was timed (--metric='MPI time', 'waiting') or "
                   "counted ('MPI calls', 'bytes sent', ...); findings carry 95 % intervals. CSV and JSON have one row a scope, with "
                   "units in the names of their columns (exclusive_s, exclusive_pct, exclusive_periods).\n"
                   "\n"
                   "Tables: --by=list tells what there is; names that other profilers use are understood too (functions, threads, ranks, callpath, waiting). "
                   "Each row has its spread over the processors: minimum and maximum with "
                   "their processors, mean, standard deviation, quantiles, imbalance; processors are processes, threads, or with --processors=node hosts with all their processes. --columns chooses among the columns that "
                   "--format=csv shows.",
    .examples = "  heatscope report heatscope.out\n"
                "  heatscope report --by=loop --top=20 heatscope.out\n"
                "  heatscope report --by=line --where=solver.c --format=csv heatscope.out/heatscope.h5\n"
                "  heatscope report --by=loop --columns=exclusive_s,p05_s,median_s,p95_s,procedure,line_begin heatscope.out\n"
                "  heatscope report --by=procedure --interval=solve heatscope.out\n"
                "  heatscope report --by=nest --category=waiting --processors=thread heatscope.out\n"
                "  heatscope report --by=loop --processors=node heatscope.out",
    .options = options};

static const report_by exact_tables[] = {REPORT_MESSAGE, REPORT_PAIR, REPORT_ARRAY, REPORT_WAIT, REPORT_CAUSE, REPORT_DELAYED, REPORT_PROBE, REPORT_BLOCK};

typedef struct choices {
    report_by by;
    bool list, brief;
    const char *category;
    hsc_cli_selection selection;
} choices;

static int set(void *ctx, int option, const char *value) {
    choices *c = ctx;
    if (option >= OPT_SELECTION)
        return hsc_cli_select(&command, option, option - OPT_SELECTION, &c->selection, value);
    if (option == OPT_BRIEF) {
        c->brief = true;
        return -1;
    }
    if (option == OPT_CATEGORY) {
        c->category = value;
        return -1;
    }
    for (int i = 1; i < REPORT_TABLES; i++)
        if (hsc_cli_is_table(value, report_tables[i].name)) {
            c->by = (report_by)i;
            if (i == REPORT_PROCESSOR && strcmp(value, report_tables[i].name) && !c->selection.axis_given) { /* threads, ranks */
                c->selection.axis = *value == 't' ? HSC_AXIS_THREAD : *value == 'n' || *value == 'h' ? HSC_AXIS_NODE : HSC_AXIS_PROCESS;
                c->selection.axis_given = strncmp(value, report_tables[i].name, strlen(report_tables[i].name)) != 0;
            }
            return -1;
        }
    c->list = !strcmp(value, "list");
    if (c->list)
        return -1;
    char names[800] = "";
    for (int i = 1; i < REPORT_TABLES; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s, ", report_tables[i].name);
    strcat(names, "or list");
    return hsc_cli_bad_value(&command, option, names, value);
}

static int list(void) {
    for (int i = 1; i < REPORT_TABLES; i++)
        printf("%-10s %s\n", report_tables[i].name, report_tables[i].meaning);
    return HSC_EXIT_OK;
}

/* What was counted may be known by no instruction, and so by no version of a loop: MPI waiting, waiting caused (by version it is), probe time and visits. */
static hsc_status check_table(const report *r, report_by by, hsc_err *err) {
    static const hsc_db_table tables[] = {HSC_TABLE_INSTRUCTION, HSC_TABLE_INSTANCE};
    double begin_s, end_s, most = 0;
    uint64_t row;
    uint32_t n = 0;
    if ((by != REPORT_SYMBOL && by != REPORT_VERSION) || !r->unit.exact || !(r->total > 0) || hsc_db_get_interval(r->db, &begin_s, &end_s))
        return HSC_OK;
    for (int i = 0; i < (by == REPORT_VERSION ? 2 : 1); i++) {
        hsc_status status = hsc_db_read_top(r->db, (hsc_db_view){r->metric, tables[i], HSC_AXIS_THREAD}, NULL, NULL, 1, &row, &most, &n, err);
        if (status == HSC_E_MISSING) /* a database from before the table */
            hsc_err_clear(err);
        else if (status || most > 0)
            return status;
    }
    return hsc_err_set(err, HSC_E_MISSING, "%s: --by=%s: of %s nothing is known by %s; --by=line and --by=context have it", r->info.path, report_tables[by].name, r->unit.name,
                       by == REPORT_SYMBOL ? "instruction" : "the version of a loop");
}

int hsc_cmd_report(int argc, char **argv) {
    choices c = {.selection.nodes = true};
    report r = {0};
    hsc_err err = {0};
    char path[PATH_MAX];
    int first = 0, code = hsc_cli_parse(&command, argc, argv, set, &c, &first);
    if (code >= 0)
        return code;
    if (c.list)
        return list();
    if (argc - first != 1) {
        fprintf(stderr, "heatscope report: expected one database or measurement directory, got %d; 'heatscope report --help' tells more\n",
                argc - first);
        return HSC_EXIT_USAGE;
    }
    const hsc_cli_selection *show = &c.selection;
    if (show->interval && report_tables[c.by].whole) {
        fprintf(stderr, "heatscope report: --interval: what --by=%s shows is known of the whole run only\n", report_tables[c.by].name);
        return HSC_EXIT_USAGE;
    }
    if (show->where && report_tables[c.by].anywhere) {
        fprintf(stderr, "heatscope report: --where: rows of --by=%s have no place in the source to choose by\n", report_tables[c.by].name);
        return HSC_EXIT_USAGE;
    }
    bool exact = false;
    for (size_t i = 0; i < sizeof exact_tables / sizeof *exact_tables; i++)
        exact = exact || c.by == exact_tables[i];
    if (c.category && (c.by == REPORT_ALL || exact || report_tables[c.by].whole || c.by == REPORT_FINDING || c.by == REPORT_REASON || c.by == REPORT_PHASE || c.by == REPORT_COUNTER)) {
        if (c.by == REPORT_ALL)
            fprintf(stderr, "heatscope report: --category: needs a table (--by)\n");
        else
            fprintf(stderr, "heatscope report: --category: what --by=%s shows is not of samples by category\n", report_tables[c.by].name);
        return HSC_EXIT_USAGE;
    }
    /* Packing of arrays is sampled, and so is what the late ones ran. */
    const bool timed = report_tables[c.by].whole || c.by == REPORT_COUNTER || (exact && c.by != REPORT_ARRAY && c.by != REPORT_CAUSE);
    if (timed && (show->metric || show->net)) {
        fprintf(stderr, "heatscope report: %s: what --by=%s shows is counted and timed by itself, not of a metric of samples\n", show->metric ? "--metric" : "--net",
                report_tables[c.by].name);
        return HSC_EXIT_USAGE;
    }
    if (c.brief && (c.by != REPORT_ALL || show->format != HSC_TABLE_TEXT || show->columns)) {
        fputs("heatscope report: --brief: findings are text, without --by, --format and --columns\n", stderr);
        return HSC_EXIT_USAGE;
    }
    code = hsc_cli_database_for("report", argv[first], path, sizeof path);
    if (code >= 0)
        return code;
    hsc_status status = hsc_cli_open_report(&r, path, show, show->interval, &err);
    if (!status && exact && !report_exact_known(&r))
        status = hsc_err_set(&err, HSC_E_MISSING, "%s: --interval: what --by=%s shows is known of the whole run only in this database", path,
                             report_tables[c.by].name);
    uint32_t category = 0;
    if (!status && c.category && !(status = hsc_cli_find_category(r.db, c.category, &category, &err)))
        status = report_set_category(&r, category, &err);
    if (!status)
        status = report_check_where(&r, &err);
    if (!status)
        status = report_load(&r, &err);
    if (!status)
        status = check_table(&r, c.by, &err);
    r.only_findings = c.brief;
    bool prose = show->format == HSC_TABLE_TEXT && !report_tables[c.by].text && !show->columns;
    if (!status && prose)
        hsc_pager_begin();
    if (!status)
        status = prose ? report_text(&r, c.by, &err) : report_rows(&r, c.by, show->format, show->columns, &err);
    report_clear(&r);
    hsc_db_close(r.db);
    return hsc_pager_end("report", status, &err);
}
