/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope diff: two databases compared, or several. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "pager.h"
#include "diff_series.h"
#include "report_categories.h"
#include "selection.h"

enum { OPT_BY, OPT_INTERVAL_B, OPT_SCALING, OPT_CATEGORY, OPT_SIZE, OPT_SELECTION };

static const hsc_cli_option options[] = {
    {"by", 0, "WHAT", "one table: procedure, loop, nest, line, module or category; wait, message or cause (of waiting)"},
    {"interval-b", 0, "WHEN", "another interval of B, so that A and B may be one run"},
    {"scaling", 0, "KIND", "strong or weak: how efficiency is reckoned between runs of different size (strong)"},
    {"category", 0, "NAME", "scopes and lines: only the samples of one category, by its name or a word of it; all (two runs: all; more: computation)"},
    {"size", 0, "N,...", "how many processors worked in each run or group, where that is not what is counted: 1,2,4"},
    HSC_CLI_SELECTION("what counts as a processor: process or thread (processes where there are several)"),
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    .name = "diff",
    .summary = "Compares runs, builds, or scales",
    .usage = "[OPTIONS] A B [C ...]\n       heatscope diff [OPTIONS] A... : B... [: C...]",
    .description =
        "A and B are databases or measurement directories. Procedures are matched by name, loops by the text of their "
        "first line and by their place among their neighbours, innermost ones with innermost ones, lines by their text, so that edits elsewhere do not "
        "matter. Where the loops of a nest are others now, the nest is what is compared. On a terminal text goes through the pager of HEATSCOPE_PAGER or PAGER, else less.\n"
        "\n"
        "The CPU time of a whole run, waits and calls of message passing are counted by clocks, and so are exact; of causes the waiting is, but not how it is divided among what the late ones did, which goes by samples and has no interval. "
        "Every other change has a 95 % interval from the numbers of samples, and what it cannot tell from nothing is marked ~. "
        "Loops "
        "that the compiler treated differently are shown with what it did and why not.\n"
        "\n"
        "When the numbers of processors differ: speed is the time of the slowest processor in A over that in B, eff% "
        "the work "
        "of all processors in A over that in B (weak scaling: of one processor on average).\n"
        "\n"
        "Of more than two runs (1, 2, 4, 8 ranks) each is compared with the first. What loses most of its scaling stands first: loss is the time of the processor that has most, beyond what the ideal would leave of its time in A; "
        "computation alone is counted, waiting and message passing have tables of their own, by the clock. A word : divides groups of repeated runs of one size each: then "
        "intervals are those of the differences between repeats (Welch), and not of sampling alone.",
    .examples = "  heatscope diff before.heatscope after.heatscope\n"
                "  heatscope diff --by=loop --where=solver.c ranks4/ ranks64/\n"
                "  heatscope diff --by=line --format=csv a.h5 b.h5\n"
                "  heatscope diff --by=message before.heatscope after.heatscope\n"
                "  heatscope diff --interval=:50% --interval-b=50%: run run\n"
                "  heatscope diff ranks1 ranks2 ranks4 ranks8\n"
                "  heatscope diff --by=loop before-* : after-*",
    .options = options};

typedef struct choices {
    diff_by by;
    bool weak;
    const char *interval_b, *category;
    uint32_t sizes[DIFF_GROUPS], n_sizes; /* given by the user; 0: none */
    hsc_cli_selection selection;
} choices;

static bool read_sizes(const char *value, choices *c) {
    for (c->n_sizes = 0; c->n_sizes < DIFF_GROUPS; value++) {
        char *end;
        unsigned long n = *value >= '1' && *value <= '9' ? strtoul(value, &end, 10) : 0;
        if (!n || n > 1000000000)
            return false;
        c->sizes[c->n_sizes++] = (uint32_t)n;
        value = end;
        if (*value != ',')
            return !*value;
    }
    return false;
}

static int set(void *ctx, int option, const char *value) {
    choices *c = ctx;
    switch (option) {
    case OPT_BY:
        for (int i = 1; i < DIFF_TABLES; i++)
            if (hsc_cli_is_table(value, diff_names[i])) {
                c->by = (diff_by)i;
                return -1;
            }
        return hsc_cli_bad_value(&command, option, "procedure, loop, nest, line, module, category, wait, message or cause", value);
    case OPT_CATEGORY:
        c->category = value;
        return -1;
    case OPT_SIZE:
        if (!read_sizes(value, c))
            return hsc_cli_bad_value(&command, option, "numbers from 1 on, separated by commas", value);
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
        return hsc_cli_select(&command, option, option - OPT_SELECTION, &c->selection, value);
    }
}

/* Elapsed time of the interval in place of the run's. */
static void tell_interval(report *r) {
    double begin_s, end_s;
    if (!r->as_interval && hsc_db_get_interval(r->db, &begin_s, &end_s))
        r->info.wall_s = end_s - begin_s;
}

/* Before it is loaded: of all samples where category is NULL or "all". */
static hsc_status open_run(report *r, const char *path, const hsc_cli_selection *show, const char *interval, const char *category, hsc_err *err) {
    uint32_t id;
    hsc_status s = hsc_cli_open_report(r, path, show, interval, err);
    if (s || !category || !strcmp(category, "all"))
        return s;
    s = hsc_cli_find_category(r->db, category, &id, err);
    return s ? s : report_set_category(r, id, err);
}

/* What is in one of them only is no error. */
static hsc_status check_where(const diff *d, hsc_err *err) {
    hsc_err of_b = {0};
    hsc_status s = report_check_where(&d->a, err);
    if (s && !report_check_where(&d->b, &of_b)) {
        hsc_err_clear(err);
        s = HSC_OK;
    }
    return s;
}

static hsc_status compare_two(const choices *c, const char *a, const char *b, hsc_err *err) {
    diff d = {.out = stdout, .weak = c->weak};
    const hsc_cli_selection *show = &c->selection;
    hsc_status s = open_run(&d.a, a, show, show->interval, c->category, err);
    if (!s)
        s = open_run(&d.b, b, show, c->interval_b ? c->interval_b : show->interval, c->category, err);
    if (!s)
        s = check_where(&d, err);
    if (!s) { /* one axis for both: processes where either has several */
        d.a.axis = d.b.axis = d.a.axis > d.b.axis ? d.a.axis : d.b.axis;
        d.a.size_given = c->sizes[0];
        d.b.size_given = c->sizes[1];
        s = diff_load(&d, err);
    }
    if (!s && show->format == HSC_TABLE_TEXT && !show->columns)
        hsc_pager_begin();
    if (!s) {
        tell_interval(&d.a);
        tell_interval(&d.b);
    }
    if (!s)
        s = show->format == HSC_TABLE_TEXT && !show->columns ? diff_text(&d, c->by, err)
                                                             : diff_rows(&d, c->by, show->format, show->columns, err);
    diff_clear(&d);
    hsc_db_close(d.a.db);
    hsc_db_close(d.b.db);
    return s;
}

/* ---- several ---- */

static void close_series(diff_series *s) {
    for (uint32_t k = 1; k < s->runs && s->pair; k++) {
        hsc_db *a = s->pair[k].a.db, *b = s->pair[k].b.db;
        diff_clear(&s->pair[k]);
        hsc_db_close(a);
        hsc_db_close(b);
    }
    free(s->pair);
    s->pair = NULL;
}

static hsc_status open_series(diff_series *s, const choices *c, char (*paths)[PATH_MAX], const char *category, hsc_err *err) {
    const hsc_cli_selection *show = &c->selection;
    hsc_db_axis axis = HSC_AXIS_THREAD;
    bool found = false;
    s->pair = calloc(s->runs, sizeof *s->pair);
    hsc_status status = s->pair ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u runs", s->runs);
    for (uint32_t k = 1; k < s->runs && !status; k++) {
        diff *d = &s->pair[k];
        hsc_err nowhere = {0};
        d->out = stdout;
        status = open_run(&d->a, paths[0], show, show->interval, category, err);
        if (!status)
            status = open_run(&d->b, paths[k], show, show->interval, category, err);
        found |= !status && !check_where(d, &nowhere);
        if (d->a.axis > axis || d->b.axis > axis)
            axis = HSC_AXIS_PROCESS;
    }
    if (!status && !found)
        status = check_where(&s->pair[1], err);
    for (uint32_t k = 1; k < s->runs && !status; k++) {
        s->pair[k].a.axis = s->pair[k].b.axis = axis;
        s->pair[k].a.size_given = c->sizes[0];
        s->pair[k].b.size_given = c->sizes[s->group_of[k]];
    }
    if (!status)
        status = diff_series_load(s, err);
    for (uint32_t k = 1; k < s->runs && !status; k++) {
        tell_interval(&s->pair[k].a);
        tell_interval(&s->pair[k].b);
    }
    return status;
}

static bool is_timed(diff_by by) { return by == DIFF_WAIT || by == DIFF_MESSAGE || by == DIFF_CAUSE || by == DIFF_CATEGORY; }

/* Computation alone, where the metric and the databases tell categories and no other was asked for. */
static hsc_status open_some(diff_series *some, const diff_series *all, const choices *c, char (*paths)[PATH_MAX], bool *opened, hsc_err *err) {
    bool asked = c->category != NULL;
    *opened = false;
    if (is_timed(c->by) || (asked && !strcmp(c->category, "all")) || (!asked && diff_series_run(all, 0)->metric))
        return HSC_OK;
    some->pair = NULL;
    hsc_status s = open_series(some, c, paths, asked ? c->category : "computation", err);
    *opened = !s;
    if (s && !asked && (s == HSC_E_MISSING || s == HSC_E_ARGUMENT)) { /* a database without them */
        close_series(some);
        hsc_err_clear(err);
        return HSC_OK;
    }
    return s;
}

static hsc_status compare_several(const choices *c, char (*paths)[PATH_MAX], const uint32_t *group_of, uint32_t runs, hsc_err *err) {
    diff_series all = {.runs = runs, .groups = group_of[runs - 1] + 1, .group_of = group_of, .weak = c->weak}, some = all;
    const hsc_cli_selection *show = &c->selection;
    bool opened = false;
    hsc_status s = open_series(&all, c, paths, NULL, err);
    if (!s)
        s = open_some(&some, &all, c, paths, &opened, err);
    if (!s && show->format == HSC_TABLE_TEXT && !show->columns)
        hsc_pager_begin();
    if (!s)
        s = show->format == HSC_TABLE_TEXT && !show->columns ? diff_series_text(&all, opened ? &some : NULL, c->by, err)
                                                             : diff_series_put_rows(&all, opened ? &some : NULL, c->by, show->format, show->columns, err);
    close_series(&some);
    close_series(&all);
    return s;
}

/* The groups that words are of, ":" between them; without one each is a group. false: one has no run, or there are too many. */
static bool find_groups(int n, char **words, const char **runs, uint32_t *group_of, uint32_t *count) {
    bool divided = false;
    uint32_t group = 0, in_group = 0;
    *count = 0;
    for (int i = 0; i < n; i++)
        divided |= !strcmp(words[i], ":");
    for (int i = 0; i < n; i++) {
        if (!strcmp(words[i], ":")) {
            if (!in_group)
                return false;
            group++;
            in_group = 0;
            continue;
        }
        if (*count == DIFF_RUNS)
            return false;
        group_of[*count] = divided ? group : *count;
        runs[(*count)++] = words[i];
        in_group++;
    }
    return in_group && *count > 1 && group_of[*count - 1] && group_of[*count - 1] < DIFF_GROUPS;
}

/* Why find_groups takes none of them. */
static void refuse_words(int n, char **words) {
    static const char expected[] = "heatscope diff: expected two databases or measurement directories";
    int runs = 0;
    for (int i = 0; i < n; i++)
        runs += strcmp(words[i], ":") != 0;
    if (runs < 2)
        fprintf(stderr, "%s, got %s\n", expected, runs ? "one" : "none");
    else if (runs > DIFF_RUNS)
        fprintf(stderr, "%s, or up to %d, got %d\n", expected, DIFF_RUNS, runs);
    else
        fprintf(stderr, "%s or more, or 2 to %d groups of them with : between; 'heatscope diff --help' tells more\n", expected, DIFF_GROUPS);
}

int hsc_cmd_diff(int argc, char **argv) {
    choices c = {0};
    hsc_err err = {0};
    const char *runs[DIFF_RUNS];
    uint32_t group_of[DIFF_RUNS], count;
    int first = 0, code = hsc_cli_parse(&command, argc, argv, set, &c, &first);
    if (code >= 0)
        return code;
    if (!find_groups(argc - first, argv + first, runs, group_of, &count)) {
        refuse_words(argc - first, argv + first);
        return HSC_EXIT_USAGE;
    }
    if (c.n_sizes && c.n_sizes != group_of[count - 1] + 1) {
        fprintf(stderr, "heatscope diff: --size: expected %u numbers, one of each run or group, got %u\n", group_of[count - 1] + 1, c.n_sizes);
        return HSC_EXIT_USAGE;
    }
    if (c.interval_b && count > 2) {
        fprintf(stderr, "heatscope diff: --interval-b: expected two runs, got %u\n", count);
        return HSC_EXIT_USAGE;
    }
    char (*paths)[PATH_MAX] = malloc(count * sizeof *paths);
    if (!paths) {
        fprintf(stderr, "heatscope diff: no memory for %u runs\n", count);
        return HSC_EXIT_FAILED;
    }
    for (uint32_t i = 0; i < count; i++)
        if ((code = hsc_cli_database_for("diff", runs[i], paths[i], sizeof paths[i])) >= 0) {
            free(paths);
            return code;
        }
    hsc_status s = count == 2 ? compare_two(&c, paths[0], paths[1], &err) : compare_several(&c, paths, group_of, count, &err);
    free(paths);
    return hsc_pager_end("diff", s, &err);
}
