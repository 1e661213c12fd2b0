/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope diff: two databases compared. */
#include <errno.h>
#include <string.h>

#include "cli.h"
#include "diff_text.h"

enum { OPT_BY, OPT_FORMAT, OPT_TOP, OPT_METRIC, OPT_WHERE, OPT_AXIS, OPT_INTERVAL, OPT_INTERVAL_B, OPT_SCALING };

static const hsc_cli_option options[] = {
    {"by", 0, "WHAT", "one table: procedure, loop, line or module"},
    {"format", 'f', "FORMAT", "text, csv or json"},
    {"top", 'n', "N", "rows of each table (text: 10; csv and json: all; 0: all)"},
    {"metric", 'm', "NAME", "metric by its name or number (the first)"},
    {"where", 'w', "TEXT", "only what has TEXT in its file or procedure"},
    {"processors", 'p', "AXIS", "what counts as a processor: process or thread (processes where there are several)"},
    {"interval", 'i', "FROM:TO", "only samples of that time, in seconds from the run's start or percent: 1.5:3, 90%:"},
    {"interval-b", 0, "FROM:TO", "another interval of B, so that A and B may be one run"},
    {"scaling", 0, "KIND", "strong or weak: how efficiency is reckoned between runs of different size (strong)"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    .name = "diff",
    .summary = "Compares two runs, two builds, or two scales.",
    .usage = "[OPTIONS] A B",
    .description =
        "A and B are databases or measurement directories. Procedures are matched by name, loops by the text of their "
        "first "
        "line and by their place among their neighbours, lines by their text, so that edits elsewhere do not matter.\n"
        "\n"
        "Every change has a 95 % interval from the numbers of samples; what it cannot tell from nothing is marked ~. "
        "Loops "
        "that the compiler treated differently are shown with what it did and why not.\n"
        "\n"
        "When the numbers of processors differ: speed is the time of the slowest processor in A over that in B, eff% "
        "the work "
        "of all processors in A over that in B (weak scaling: of one processor on average).",
    .examples = "  heatscope diff before.heatscope after.heatscope\n"
                "  heatscope diff --by=loop --where=solver.c ranks4/ ranks64/\n"
                "  heatscope diff --by=line --format=csv a.h5 b.h5\n"
                "  heatscope diff --interval=:50% --interval-b=50%: run run",
    .options = options};

typedef struct choices {
    diff_by by;
    report_format format;
    bool top_given, weak;
    uint32_t top;
    int axis; /* -1: chosen by the data */
    const char *metric, *where, *interval, *interval_b;
} choices;

static int set(void *ctx, int option, const char *value) {
    static const char *const by_names[] = {"all", "procedure", "loop", "line", "module"};
    choices *c = ctx;
    unsigned long long n;
    switch (option) {
    case OPT_BY:
        for (int i = 1; i < 5; i++)
            if (!strcmp(value, by_names[i])) {
                c->by = (diff_by)i;
                return -1;
            }
        return hsc_cli_bad_value(&command, option, "procedure, loop, line or module", value);
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
    case OPT_INTERVAL_B:
        c->interval_b = value;
        return -1;
    case OPT_SCALING:
        c->weak = !strcmp(value, "weak");
        if (!c->weak && strcmp(value, "strong"))
            return hsc_cli_bad_value(&command, option, "strong or weak", value);
        return -1;
    default:
        c->axis = !strcmp(value, "process") ? HSC_AXIS_PROCESS : !strcmp(value, "thread") ? HSC_AXIS_THREAD : -1;
        if (c->axis < 0)
            return hsc_cli_bad_value(&command, option, "process or thread", value);
        return -1;
    }
}

static hsc_status open_side(report *r, const char *path, const choices *c, const char *interval, hsc_err *err) {
    hsc_status s = hsc_db_open(path, &r->db, err);
    if (s)
        return s;
    hsc_db_get_info(r->db, &r->info);
    r->out = stdout;
    r->where = c->where;
    r->width = hsc_cli_width();
    r->top = c->top_given ? c->top : c->format == REPORT_TEXT ? 10 : 0;
    s = hsc_cli_find_metric(r->db, c->metric, &r->metric, err);
    return s ? s : hsc_cli_set_interval(r->db, interval, err);
}

/* Elapsed and CPU time of the interval in place of the run's. */
static hsc_status tell_interval(report *r, hsc_err *err) {
    double begin_s, end_s, samples = 0;
    hsc_db_metric time;
    if (!hsc_db_get_interval(r->db, &begin_s, &end_s))
        return HSC_OK;
    hsc_status s = hsc_db_get_metric(r->db, 0, &time, err);
    if (!s)
        s = hsc_db_read_sums(r->db, (hsc_db_view){0, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, 0, 1, &samples, err);
    r->info.wall_s = end_s - begin_s;
    r->info.cpu_s = s ? 0 : samples * time.scale;
    return s;
}

int hsc_cmd_diff(int argc, char **argv) {
    choices c = {.axis = -1};
    diff d = {.out = stdout};
    hsc_err err = {0};
    char path[2][4096];
    int first = 0, code = hsc_cli_parse(&command, argc, argv, set, &c, &first);
    if (code >= 0)
        return code;
    if (argc - first != 2) {
        fprintf(stderr,
                "heatscope diff: expected two databases or measurement directories, got %d; 'heatscope diff --help' "
                "tells more\n",
                argc - first);
        return HSC_EXIT_USAGE;
    }
    for (int i = 0; i < 2; i++)
        if ((code = hsc_cli_database_for("diff", argv[first + i], path[i], sizeof path[i])) >= 0)
            return code;
    d.weak = c.weak;
    hsc_status s = open_side(&d.a, path[0], &c, c.interval, &err);
    if (!s)
        s = open_side(&d.b, path[1], &c, c.interval_b ? c.interval_b : c.interval, &err);
    if (!s) { /* one axis for both */
        bool processes = d.a.info.processes > 1 || d.b.info.processes > 1;
        d.a.axis = d.b.axis = c.axis >= 0 ? (hsc_db_axis)c.axis : processes ? HSC_AXIS_PROCESS : HSC_AXIS_THREAD;
        s = diff_load(&d, &err);
    }
    if (!s)
        s = tell_interval(&d.a, &err);
    if (!s)
        s = tell_interval(&d.b, &err);
    if (!s)
        s = c.format == REPORT_TEXT ? diff_text(&d, c.by, &err) : diff_rows(&d, c.by, c.format == REPORT_JSON, &err);
    diff_clear(&d);
    hsc_db_close(d.a.db);
    hsc_db_close(d.b.db);
    if (s)
        return hsc_cli_fail("diff", &err);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "heatscope diff: cannot write: %s\n", strerror(errno));
        return HSC_EXIT_FAILED;
    }
    return HSC_EXIT_OK;
}
