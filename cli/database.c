/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Correlating for a command; what databases are asked for by words. */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"

#ifdef HSC_HAVE_STORE
#include <heatscope/query.h>

/* "wall" is a word of "wall time", "cycles" of "cycles:u". */
static bool has_word(const char *name, const char *word) {
    size_t n = strlen(word);
    for (const char *p = name; n && *p; p++)
        if (!strncasecmp(p, word, n) && (p == name || strchr(" :", p[-1])) && strchr(" :", p[n]))
            return true;
    return false;
}

typedef const char *(*name_of)(const hsc_db *, uint32_t);

static const char *metric_name(const hsc_db *db, uint32_t m) {
    hsc_db_metric metric;
    return hsc_db_get_metric(db, m, &metric, NULL) ? NULL : metric.name;
}

/* The one of n that is called so, else the one with that number (`numbers`), else the only one whose name has that word. */
static hsc_status find_named(hsc_db *db, const char *what, const char *what_all, name_of get, uint32_t n, bool numbers, const char *name, uint32_t *out, hsc_err *err) {
    unsigned long long number;
    hsc_db_info info;
    char all[1000] = "", with[1000] = "";
    size_t at = 0, with_at = 0;
    uint32_t alike = 0, found = 0;
    hsc_db_get_info(db, &info);
    for (uint32_t k = 0; k < n; k++) {
        const char *of = get(db, k);
        if (!of)
            continue;
        if (!strcasecmp(of, name)) {
            *out = k;
            return HSC_OK;
        }
        if (at < sizeof all)
            at += (size_t)snprintf(all + at, sizeof all - at, "%s'%s'", at ? ", " : "", of);
        if (!has_word(of, name))
            continue;
        if (with_at < sizeof with)
            with_at += (size_t)snprintf(with + with_at, sizeof with - with_at, "%s'%s'", alike ? ", " : "", of);
        alike++;
        found = k;
    }
    if (numbers && n && hsc_cli_parse_u64(name, 0, n - 1, &number)) {
        *out = (uint32_t)number;
        return HSC_OK;
    }
    if (alike > 1)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: '%s' is in the names of %u %s: %s", info.path, name, alike, what_all, with);
    if (!alike)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: no %s '%s' among its %u: %s", info.path, what, name, n, all);
    *out = found;
    return HSC_OK;
}

hsc_status hsc_cli_find_metric(hsc_db *db, const char *name, uint32_t *out, hsc_err *err) {
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    return name ? find_named(db, "metric", "metrics", metric_name, info.metrics, true, name, out, err) : HSC_OK;
}

hsc_status hsc_cli_find_category(hsc_db *db, const char *name, uint32_t *out, hsc_err *err) {
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    return find_named(db, "category", "categories", hsc_db_get_category, info.categories, false, name, out, err);
}

/* "1.5", "1.5s" or "20%" of the run's length; "": `otherwise`. */
static bool parse_time(const char *text, size_t n, double end, double otherwise, double *out) {
    char buffer[64], *rest = NULL;
    if (n >= sizeof buffer)
        return false;
    memcpy(buffer, text, n);
    buffer[n] = 0;
    *out = otherwise;
    if (!n)
        return true;
    double v = strtod(buffer, &rest);
    if (rest == buffer || !isfinite(v) || v < 0)
        return false;
    *out = *rest == '%' ? v / 100 * end : v;
    return !strcmp(rest, "") || !strcmp(rest, "%") || !strcmp(rest, "s");
}

/* All times in phases of that name, of each process its own. */
static hsc_status set_phase(hsc_db *db, const char *name, double end_s, bool *found, hsc_err *err) {
    uint32_t all = hsc_db_count_told(db, HSC_TOLD_PHASES), n = 0;
    hsc_db_when *list = malloc(((size_t)all + 1) * sizeof *list);
    hsc_status status = list ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u phases", all);
    for (uint32_t i = 0; i < all && !status; i++) {
        hsc_db_phase p;
        if ((status = hsc_db_get_phase(db, i, &p, err)) || strcmp(p.name, name))
            continue;
        *found = true;
        if (p.begin_s < p.end_s && p.begin_s < end_s)
            list[n++] = (hsc_db_when){p.process, p.begin_s, p.end_s};
    }
    if (!status && *found && !n)
        status = hsc_err_set(err, HSC_E_ARGUMENT, "--interval: phase '%s' takes no time", name);
    if (!status && n)
        status = hsc_db_set_intervals(db, list, n, err);
    free(list);
    return status;
}

hsc_status hsc_cli_set_interval(hsc_db *db, const char *text, hsc_err *err) {
    hsc_db_times times;
    hsc_db_info info;
    double begin, end;
    if (!text)
        return HSC_OK;
    hsc_db_get_info(db, &info);
    hsc_status status = hsc_db_get_times(db, &times, err);
    if (status)
        return status;
    if (!times.present)
        return hsc_err_set(err, HSC_E_MISSING, "%s: has no samples by time; heatscope correlate makes them, unless --time=none is given", info.path);
    const char *colon = strchr(text, ':');
    if (!colon || hsc_db_count_told(db, HSC_TOLD_PHASES)) {
        bool found = false;
        status = set_phase(db, text, times.end_s, &found, err);
        if (status || found)
            return status;
    }
    if (!colon || !parse_time(text, (size_t)(colon - text), times.end_s, 0, &begin) ||
        !parse_time(colon + 1, strlen(colon + 1), times.end_s, times.end_s, &end))
        return hsc_err_set(err, HSC_E_ARGUMENT, "--interval: expected FROM:TO in seconds or percent of the run, or a phase of it, got '%s'", text);
    if (begin >= times.end_s)
        return hsc_err_set(err, HSC_E_ARGUMENT, "--interval: '%s' begins at the run's end or later; the run has %.6g s", text, times.end_s);
    if (begin >= end)
        return hsc_err_set(err, HSC_E_ARGUMENT, "--interval: '%s': its end is not after its begin; the run has %.6g s", text, times.end_s);
    return hsc_db_set_interval(db, begin, end, err);
}
#endif

#ifdef HSC_HAVE_JOIN
#include "correlate.h"
#include "team.h"
#include "map_store.h"

static volatile sig_atomic_t cancelled;

static void on_signal(int sig) {
    (void)sig;
    cancelled = 1;
    hsc_join_drop_output(); /* a launcher that ends us waits a second at most */
}

static void show(void *ctx, const char *what, double done, double total) {
    (void)ctx;
    hsc_cli_progress(what, done, total);
}

/* Where the key of caches is; NULL: nowhere. */
static const char *cache_key(char *buffer, size_t size) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = cache && cache[0] == '/' ? snprintf(buffer, size, "%s/heatscope/key", cache)
            : home && home[0] == '/' ? snprintf(buffer, size, "%s/.cache/heatscope/key", home)
                                     : 0;
    return n > 0 && (size_t)n < size ? buffer : NULL;
}

static void note(void *ctx, const char *text) {
    (void)ctx;
    hsc_cli_progress_end();
    fprintf(stderr, "heatscope correlate: note: %s\n", text);
}

static int correlate(const char *command, const hsc_join_options *wanted, bool together, hsc_join_summary *summary) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal}, old[3];
    hsc_err err = {0};
    cancelled = 0;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 3; i++) {
        sigaction(signals[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    const char *dirs[2];
    char folders[8400];
    hsc_join_options options = *wanted;
    options.map_dirs = dirs;
    options.map_dir_count = hsc_map_store_dirs(folders, sizeof folders, dirs);
    char key[4200];
    options.cache_key = cache_key(key, sizeof key);
    options.progress = show;
    options.note = note;
    options.cancel = &cancelled;
    hsc_cli_team team = {0};
    hsc_status status = together ? hsc_cli_team_open(&team, &cancelled, &err) : HSC_OK;
    options.team = team.team.size ? &team.team : NULL;
    if (status == HSC_OK)
        status = hsc_join_run(&options, summary, &err);
    hsc_cli_progress_end();
    /* where they could not come together, a launcher may end the one that speaks as soon as another one fails */
    bool quiet = team.rank && (status == HSC_OK || team.team.size < 2);
    int code = quiet ? HSC_EXIT_OK : status == HSC_OK ? -1 : team.rank ? HSC_EXIT_FAILED : hsc_cli_fail(command, &err);
    hsc_cli_team_close(&team, status == HSC_OK ? NULL : &err);
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &old[i], NULL);
    return code;
}

int hsc_cli_correlate(const char *command, const hsc_join_options *wanted, hsc_join_summary *summary) {
    return correlate(command, wanted, false, summary);
}

int hsc_cli_correlate_together(const char *command, const hsc_join_options *wanted, hsc_join_summary *summary) {
    return correlate(command, wanted, true, summary);
}

#define HARM 0.05 /* of the CPU time, in no sample: from there on shares may be wrong, and the report's first finding says so too */

void hsc_cli_warn(const char *command, const hsc_join_summary *s) {
    if (s->files_bad)
        fprintf(stderr, "heatscope %s: warning: %llu of %llu files left out: %s\n", command, (unsigned long long)s->files_bad,
                (unsigned long long)s->files, s->first_problem);
    else if (s->first_problem[0])
        fprintf(stderr, "heatscope %s: warning: %llu damaged chunk%s left out: %s\n", command,
                (unsigned long long)s->chunks_bad, s->chunks_bad == 1 ? "" : "s", s->first_problem);
    if (s->modules_note[0])
        fprintf(stderr, "heatscope %s: note: %s\n", command, s->modules_note);
    if (s->cache_note[0])
        fprintf(stderr, "heatscope %s: note: %s\n", command, s->cache_note);
    if ((double)s->lost > HARM * (double)(s->lost + s->samples))
        fprintf(stderr, "heatscope %s: warning: no sample has %llu periods of CPU time (%.2f %%); the ledger tells why\n", command,
                (unsigned long long)s->lost, 100.0 * (double)s->lost / (double)(s->lost + s->samples));
}
#endif

#ifdef HSC_HAVE_JOIN
static bool has_measurement(const char *directory) {
    bool has = false;
    DIR *d = opendir(directory);
    for (struct dirent *e; d && !has && (e = readdir(d));)
        has = strlen(e->d_name) > 4 && !strcmp(e->d_name + strlen(e->d_name) - 4, ".hsr");
    if (d)
        closedir(d);
    return has;
}
#endif

int hsc_cli_make_database(const char *command, const char *path, const char *database) {
#ifdef HSC_HAVE_JOIN
    hsc_join_summary summary;
    if (has_measurement(path)) /* else there is the error alone */
        fprintf(stderr, "heatscope %s: correlating %s\n", command, path);
    const hsc_join_options wanted = {.inputs = &path, .input_count = 1, .output = database};
    int code = hsc_cli_correlate(command, &wanted, &summary);
    if (code < 0)
        hsc_cli_warn(command, &summary);
    return code;
#else
    hsc_err err = {0};
    hsc_err_set(&err, HSC_E_UNSUPPORTED, "%s: this build has no correlator", path);
    return hsc_cli_is_database(database) ? -1 : hsc_cli_fail(command, &err);
#endif
}
