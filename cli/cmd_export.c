/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope export: a database in the format of another tool. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <export.h>

#include "cli.h"

enum { OPT_TO, OPT_OUTPUT, OPT_METRIC, OPT_INTERVAL, OPT_LOOPS, OPT_NO_LOOPS };

static const hsc_cli_option options[] = {
    {"to", 't', "FORMAT", "callgrind, pprof, speedscope, chrome (perfetto), collapsed (flamegraph), csv or hdf5"},
    {"output", 'o', "FILE", "file to write (standard output, as with -)"},
    {"metric", 'm', "NAME", "metric by its name, a word of it, or number (the first)"},
    {"interval", 'i', "WHEN", "only that time: FROM:TO in seconds or percent of the run (1.5:3, 90%:), or a phase"},
    {"loops", 0, NULL, "loops are frames of call paths (speedscope, chrome and collapsed do so by themselves)"},
    {"no-loops", 0, NULL, "only procedures are frames"},
    {NULL, 0, NULL, NULL}};

static const hsc_cli_command command = {
    .name = "export",
    .summary = "Writes a database in the format of another tool",
    .usage = "--to=FORMAT [OPTIONS] DB|DIR",
    .description =
        "callgrind: for KCachegrind and callgrind_annotate. pprof: profile.proto, compressed. speedscope: its own "
        "JSON, samples in the order of time. chrome: trace events for Perfetto, one track a thread, when it was. collapsed: one line "
        "a call path, for flame graphs. csv: one row for each source line and thread. hdf5: tables "
        "/threads, /lines and /scopes in plain HDF5. Of metrics that are not sampled, and of "
        "databases without times, slices are ordered by call path and not by time.\n"
        "\n"
        "The total is the database's own in each of them. Where the format wants whole numbers times are in nanoseconds of CPU time "
        "(callgrind, pprof), or in sampled periods (collapsed). Samples do not tell how often a procedure was called: calls in callgrind's format count the "
        "calling contexts that were seen.",
    .examples = "  heatscope export --to=callgrind -o callgrind.out heatscope.out && kcachegrind callgrind.out\n"
                "  heatscope export --to=speedscope -o profile.json heatscope.out && speedscope profile.json\n"
                "  heatscope export --to=collapsed heatscope.out | flamegraph.pl > flame.svg",
    .options = options};

typedef struct choices {
    int format, loops; /* -1: not said */
    const char *output, *metric, *interval;
} choices;

static volatile sig_atomic_t cancelled;

static void on_signal(int sig) {
    (void)sig;
    cancelled = 1;
}

/* What the readers of a format call it. */
static const char *format_name(const char *word) {
    static const char *const same[][2] = {{"flamegraph", "collapsed"}, {"folded", "collapsed"}, {"perfetto", "chrome"}, {"kcachegrind", "callgrind"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!strcmp(word, same[i][0]))
            return same[i][1];
    return word;
}

static int set(void *ctx, int option, const char *value) {
    choices *c = ctx;
    switch (option) {
    case OPT_TO:
        value = format_name(value);
        for (int i = 0; i < HSC_EXPORT_FORMATS; i++)
            if (!strcmp(value, hsc_export_kinds[i].name)) {
                c->format = i;
                return -1;
            }
        return hsc_cli_bad_value(&command, option, "callgrind, pprof, speedscope, chrome, collapsed, csv or hdf5", value);
    case OPT_OUTPUT:
        c->output = strcmp(value, "-") != 0 ? value : NULL;
        return -1;
    case OPT_METRIC:
        c->metric = value;
        return -1;
    case OPT_INTERVAL:
        c->interval = value;
        return -1;
    default:
        c->loops = option == OPT_LOOPS;
        return -1;
    }
}

static void show(void *ctx, double done, double total) {
    (void)ctx;
    hsc_cli_progress("exporting", done, total);
}

static hsc_status write_all(hsc_db *db, const char *path, const hsc_export_options *o, const choices *c, hsc_err *err) {
    if (!c->output)
        return hsc_export_write(db, o, stdout, err);
    struct stat st;
    if (!stat(c->output, &st) && !S_ISREG(st.st_mode)) { /* a device or a pipe is no file that another one may replace */
        FILE *to = fopen(c->output, "wb");
        hsc_status s = to ? hsc_export_write(db, o, to, err) : hsc_err_set_errno(err, errno, "%s: cannot write", c->output);
        if (to && fclose(to) && !s)
            s = hsc_err_set_errno(err, errno, "%s: cannot write", c->output);
        return s;
    }
    size_t n = strlen(c->output);
    char *beside = malloc(n + 32);
    if (!beside)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory", path);
    snprintf(beside, n + 32, "%s.%ld.tmp", c->output, (long)getpid());
    FILE *f = fopen(beside, "wbx");
    hsc_status s = f ? hsc_export_write(db, o, f, err) : hsc_err_set_errno(err, errno, "%s: cannot create", beside);
    if (f && fclose(f) && !s)
        s = hsc_err_set_errno(err, errno, "%s: cannot write", beside);
    if (!s && rename(beside, c->output))
        s = hsc_err_set_errno(err, errno, "%s: cannot be made of %s", c->output, beside);
    if (s && f)
        unlink(beside);
    free(beside);
    return s;
}

int hsc_cmd_export(int argc, char **argv) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    choices c = {.format = -1, .loops = -1};
    hsc_err err = {0};
    char path[PATH_MAX];
    hsc_db *db = NULL;
    int first = 0, code = hsc_cli_parse(&command, argc, argv, set, &c, &first);
    if (code >= 0)
        return code;
    if (c.format < 0) {
        fputs("heatscope export: expected --to=FORMAT (callgrind, pprof, speedscope, chrome, collapsed, csv or hdf5), got "
              "none\n",
              stderr);
        return HSC_EXIT_USAGE;
    }
    if (argc - first != 1) {
        fprintf(stderr,
                "heatscope export: expected one database or measurement directory, got %d; 'heatscope export --help' "
                "tells more\n",
                argc - first);
        return HSC_EXIT_USAGE;
    }
    const hsc_export_kind *kind = &hsc_export_kinds[c.format];
    if (kind->binary && !c.output && isatty(STDOUT_FILENO)) {
        fprintf(stderr, "heatscope export: %s is not text: expected -o FILE or a pipe, got a terminal\n", kind->name);
        return HSC_EXIT_USAGE;
    }
    code = hsc_cli_database_for("export", argv[first], path, sizeof path);
    if (code >= 0)
        return code;
    for (int i = 0; i < 3; i++)
        signal(signals[i], on_signal);
    hsc_export_options o = {.format = (hsc_export_format)c.format,
                            .loops = c.loops < 0 ? kind->loops : c.loops,
                            .progress = show,
                            .cancel = &cancelled};
    hsc_status status = hsc_db_open(path, &db, &err);
    if (!status)
        status = hsc_cli_find_metric(db, c.metric, &o.metric, &err);
    if (!status)
        status = hsc_cli_set_interval(db, c.interval, &err);
    if (!status)
        status = write_all(db, path, &o, &c, &err);
    hsc_cli_progress_end();
    hsc_db_close(db);
    return status ? hsc_cli_fail("export", &err) : HSC_EXIT_OK;
}
