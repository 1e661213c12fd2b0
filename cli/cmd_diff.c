/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope diff: two databases compared. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cli.h"
#include "diff_text.h"
#include "selection.h"

enum { OPT_BY, OPT_INTERVAL_B, OPT_SCALING, OPT_SELECTION };

static const hsc_cli_option options[] = {
    {"by", 0, "WHAT", "one table: procedure, loop, nest, line or module; wait, message or cause (of waiting)"},
    {"interval-b", 0, "WHEN", "another interval of B, so that A and B may be one run"},
    {"scaling", 0, "KIND", "strong or weak: how efficiency is reckoned between runs of different size (strong)"},
    HSC_CLI_SELECTION("what counts as a processor: process or thread (processes where there are several)"),
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    .name = "diff",
    .summary = "Compares two runs, two builds, or two scales",
    .usage = "[OPTIONS] A B",
    .description =
        "A and B are databases or measurement directories. Procedures are matched by name, loops by the text of their "
        "first line and by their place among their neighbours, innermost ones with innermost ones, lines by their text, so that edits elsewhere do not "
        "matter. Where the loops of a nest are others now, the nest is what is compared.\n"
        "\n"
        "The CPU time of a whole run, waits and calls of message passing are counted by clocks, and so are exact; of causes the waiting is, but not how it is divided among what the late ones did, which goes by samples and has no interval. "
        "Every other change has a 95 % interval from the numbers of samples, and what it cannot tell from nothing is marked ~. "
        "Loops "
        "that the compiler treated differently are shown with what it did and why not.\n"
        "\n"
        "When the numbers of processors differ: speed is the time of the slowest processor in A over that in B, eff% "
        "the work "
        "of all processors in A over that in B (weak scaling: of one processor on average).",
    .examples = "  heatscope diff before.heatscope after.heatscope\n"
                "  heatscope diff --by=loop --where=solver.c ranks4/ ranks64/\n"
                "  heatscope diff --by=line --format=csv a.h5 b.h5\n"
                "  heatscope diff --by=message before.heatscope after.heatscope\n"
                "  heatscope diff --interval=:50% --interval-b=50%: run run",
    .options = options};

typedef struct choices {
    diff_by by;
    bool weak;
    const char *interval_b;
    hsc_cli_selection selection;
} choices;

static int set(void *ctx, int option, const char *value) {
    choices *c = ctx;
    switch (option) {
    case OPT_BY:
        for (int i = 1; i < DIFF_TABLES; i++)
            if (hsc_cli_is_table(value, diff_names[i])) {
                c->by = (diff_by)i;
                return -1;
            }
        return hsc_cli_bad_value(&command, option, "procedure, loop, nest, line, module, wait, message or cause", value);
    case OPT_INTERVAL_B:
        c->interval_b = value;
        return -1;
    case OPT_SCALING:
        c->weak = !strcmp(value, "weak");
        if (!c->weak && strcmp(value, "strong"))
            return hsc_cli_bad_value(&command, option, "strong or weak", value);
        return -1;
    default:
        return hsc_cli_select(&command, option, option - OPT_SELECTION, &c->selection, value);
    }
}

/* Elapsed time of the interval in place of the run's. */
static void tell_interval(report *r) {
    double begin_s, end_s;
    if (hsc_db_get_interval(r->db, &begin_s, &end_s))
        r->info.wall_s = end_s - begin_s;
}

int hsc_cmd_diff(int argc, char **argv) {
    choices c = {0};
    diff d = {.out = stdout};
    hsc_err err = {0};
    char path[2][PATH_MAX];
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
    const hsc_cli_selection *show = &c.selection;
    hsc_status s = hsc_cli_open_report(&d.a, path[0], show, show->interval, &err);
    if (!s)
        s = hsc_cli_open_report(&d.b, path[1], show, c.interval_b ? c.interval_b : show->interval, &err);
    hsc_err of_b = {0};
    if (!s && report_check_where(&d.a, &err)) { /* what is in one of them only is no error */
        s = report_check_where(&d.b, &of_b) ? err.status : HSC_OK;
        err = s ? err : (hsc_err){0};
    }
    if (!s) { /* one axis for both: processes where either has several */
        d.a.axis = d.b.axis = d.a.axis > d.b.axis ? d.a.axis : d.b.axis;
        s = diff_load(&d, &err);
    }
    if (!s) {
        tell_interval(&d.a);
        tell_interval(&d.b);
    }
    if (!s)
        s = show->format == HSC_TABLE_TEXT && !show->columns ? diff_text(&d, c.by, &err)
                                                             : diff_rows(&d, c.by, show->format, show->columns, &err);
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
