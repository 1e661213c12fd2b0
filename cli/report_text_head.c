/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report begins with: the program, its run, and what was measured of it. */
#include <stdlib.h>
#include <string.h>

#include "report_elapsed.h"
#include "report_measures.h"
#include "report_text.h"
#include "running.h"

/* Processes and threads that are in no table, where their time counts; whether there are such threads. */
static bool put_brief(const report *r) {
    bool any = false;
    hsc_db_ledger l;
    for (uint32_t i = 0; i < r->info.ledger_rows; i++) {
        if (hsc_db_get_ledger(r->db, i, &l, NULL) || l.seconds < 0.01 * r->info.cpu_s)
            continue;
        bool processes = !strcmp(l.name, HSC_LEDGER_BRIEF), launchers = !strcmp(l.name, HSC_LEDGER_LAUNCHERS);
        if (!processes && !launchers && strcmp(l.name, HSC_LEDGER_SHORT))
            continue;
        char line[200];
        if (launchers)
            snprintf(line, sizeof line, "and %llu launcher%s, in no table (correlate --launchers): %.3f s CPU time", (unsigned long long)l.samples, l.samples == 1 ? "" : "s", l.seconds);
        else
            snprintf(line, sizeof line, "and %llu %s%s too short for a sample, in no table: %.3f s CPU time%s", (unsigned long long)l.samples,
                 processes ? "process" : "thread", l.samples == 1 ? "" : processes ? "es" : "s", l.seconds,
                 processes ? "" : " of these; others of their kind stand for them");
        report_text_wrap(r->out, r->width, line, 10, fprintf(r->out, "          "));
        any = any || (!processes && !launchers);
    }
    return any;
}

static bool whole_run(const report *r) {
    double begin_s, end_s;
    return r->as_interval || !hsc_db_get_interval(r->db, &begin_s, &end_s);
}

static void put_program(report *r, bool whole) {
    const hsc_db_info *i = &r->info;
    char name[512];
    fprintf(r->out, "%s\n", report_fit_prose(i->title, r->width, name, sizeof name));
    if (i->simulated)
        fprintf(r->out, "SIMULATED  made up, not measured\n");
    if (whole && i->command[0] && strcmp(i->command, i->title))
        fprintf(r->out, "command    %s\n", report_fit_prose(i->command, r->width - 11, name, sizeof name));
    if (whole && i->created[0])
        fprintf(r->out, "started    %s\n", report_fit_prose(i->created, r->width - 11, name, sizeof name));
}

static void put_run(report *r) {
    const hsc_db_info *i = &r->info;
    char line[700];
    double wall = i->wall_s, idle = report_text_idle(r);
    snprintf(line, sizeof line, "%u thread%s of %u process%s; %.*f s CPU time in %.*f s", i->threads, i->threads == 1 ? "" : "s", i->processes,
             i->processes == 1 ? "" : "es", i->cpu_s >= 100 ? 1 : 3, i->cpu_s, wall >= 100 ? 1 : 3, wall);
    if (idle >= 0.01 * wall && idle > 0)
        snprintf(line + strlen(line), sizeof line - strlen(line), ", in %s of which no process ran", REPORT_SECONDS(idle));
    report_text_wrap(r->out, r->width, line, 10, fprintf(r->out, "run       "));
}

/* What of the metric "waiting" is threads' that run no code of the program: they wait for work most of the time, and are not looked for. */
static void put_idle_libraries(report *r) {
    char line[300];
    double libraries = 0;
    bool calls_wait = false;
    hsc_db_metric m;
    report_wait *rows = NULL;
    uint32_t n = 0;
    if (strcmp(r->unit.name, "waiting") != 0 || report_waits(r, false, &rows, &n, NULL))
        return;
    for (uint32_t i = 0; i < n; i++)
        libraries += rows[i].own ? 0 : rows[i].total_s;
    free(rows);
    if (libraries < 0.01 * r->total * r->unit.scale)
        return;
    for (uint32_t i = 0; i < r->info.metrics; i++)
        calls_wait = calls_wait || (!hsc_db_get_metric(r->db, i, &m, NULL) && !strcmp(m.name, "MPI waiting"));
    snprintf(line, sizeof line, "%s of it by threads that libraries keep for themselves (not in --by=wait)%s", REPORT_SECONDS(libraries),
             calls_wait ? "; what calls of MPI waited: --metric='MPI waiting'" : "");
    report_text_wrap(r->out, r->width, line, 10, fprintf(r->out, "          "));
}

static void put_measured(report *r) {
    hsc_db_process p;
    char name[512];
    if (!r->info.processes || hsc_db_get_process(r->db, 0, &p, NULL))
        p = (hsc_db_process){.mechanism = "", .mechanism_note = ""};
    if (r->unit.exact) {
        fprintf(r->out, "measured   %.*f%s%s%s%s, each call, not by samples\n", r->decimals, r->total * r->unit.scale, r->unit.unit[0] ? " " : "", r->unit.unit, r->unit.unit[0] ? " of " : " ", r->unit.name);
        put_idle_libraries(r);
        return;
    }
    if (!r->records || r->total == (double)r->records)
        fprintf(r->out, "measured   %.0f %s, each %g %s%sof %s", r->total, r->metric || !r->records ? "periods" : "samples", r->unit.scale, r->unit.unit, r->unit.unit[0] ? " " : "", r->unit.name);
    else
        fprintf(r->out, "measured   %.0f periods of %g %s of %s, by %llu samples", r->total, r->unit.scale, r->unit.unit, r->unit.name,
                (unsigned long long)r->records);
    if (p.mechanism[0])
        fprintf(r->out, " (%s)", report_fit(p.mechanism, 30, name, sizeof name));
    fputc('\n', r->out);
    if (p.mechanism_note[0] && !r->info.simulated)
        fprintf(r->out, "           %s\n", report_fit_prose(p.mechanism_note, r->width - 11, name, sizeof name));
}

/* Variables that change how programs run, with how many processes have another value. */
static void put_environment(report *r) {
    hsc_db_variable *list;
    uint32_t n;
    size_t at = 0;
    char line[4000] = "";
    if (hsc_db_read_environment(r->db, &list, &n, NULL))
        return;
    for (uint32_t i = 0; i < n && at < sizeof line; i++)
        at += (size_t)snprintf(line + at, sizeof line - at, "%s%s=%s", i ? ", " : "", list[i].name, list[i].values);
    if (n)
        report_text_wrap(r->out, r->width, line, 10, fprintf(r->out, "environ   "));
    free(list);
}

static void put_kernel(report *r, bool has_brief) {
    char line[700], queue[40] = "", disk[60] = "", later[100] = "";
    report_usage u;
    report_usage_of(r, 0, r->info.threads, &u);
    if (!u.known || !whole_run(r))
        return;
    if (u.later_s > 0)
        snprintf(later, sizeof later, "; not counted to the end: another %s of CPU time came after", REPORT_SECONDS(u.later_s));
    if (u.line_known)
        snprintf(queue, sizeof queue, ", in line %s", REPORT_SECONDS(u.line_s));
    if (u.major_faults)
        snprintf(disk, sizeof disk, " (%llu from disk)", (unsigned long long)u.major_faults);
    snprintf(line, sizeof line, "user %s, system %s%s; %llu page faults%s; switches: %llu wait%s, %llu forced%s%s", REPORT_SECONDS(u.user_s), REPORT_SECONDS(u.system_s), queue,
             (unsigned long long)(u.minor_faults + u.major_faults), disk, (unsigned long long)u.voluntary, u.voluntary == 1 ? "" : "s",
             (unsigned long long)u.involuntary, has_brief ? "; without threads too short" : "", later);
    report_text_wrap(r->out, r->width, line, 10, fprintf(r->out, "kernel    "));
}

enum { NAMED = 3 };

typedef struct ended { /* processes: of those whose last record is the earliest, in that order */
    uint32_t n, first[NAMED];
    double at_s[NAMED];
} ended;

/* One rank that fails takes the others with it: whose records end first is told first. */
static void add_ended(ended *e, uint32_t process, double at_s) {
    uint32_t k = e->n < NAMED ? e->n : NAMED;
    e->n++;
    for (; k && at_s < e->at_s[k - 1]; k--)
        if (k < NAMED) {
            e->at_s[k] = e->at_s[k - 1];
            e->first[k] = e->first[k - 1];
        }
    if (k < NAMED) {
        e->at_s[k] = at_s;
        e->first[k] = process;
    }
}

static bool is_status(const hsc_db_process *p) { return !strncmp(p->end, HSC_DB_EXIT_STATUS, strlen(HSC_DB_EXIT_STATUS)); }

/* how: "rank 2 was ended by SIGSEGV (last record at 0.514 s), rank 0 was ended by SIGTERM (1.520 s) and 2 more", else "rank 2: last record at 0.514 s, rank 0: 1.520 s"; without
 * times where nothing else ended so. */
static void name_ended(const report *r, const ended *e, bool how, bool times, char *out, size_t size) {
    out[0] = 0;
    for (uint32_t i = 0; i < e->n && i < NAMED; i++) {
        hsc_db_process p = {.end = ""};
        char who[64], when[64] = "";
        (void)hsc_db_get_process(r->db, e->first[i], &p, NULL);
        report_processor(r, HSC_AXIS_PROCESS, e->first[i], who, sizeof who);
        if (times)
            snprintf(when, sizeof when, "%s%s%.3f s%s", how ? " (" : ": ", i ? "" : "last record at ", e->at_s[i], how ? ")" : "");
        size_t at = strlen(out);
        snprintf(out + at, size - at, "%s%.60s%s%.30s%s", i ? ", " : "", who, !how ? "" : is_status(&p) ? " ended with " : " was ", how ? p.end : "", when);
    }
    if (e->n > NAMED)
        snprintf(out + strlen(out), size - strlen(out), " and %u more", e->n - NAMED);
}

/* Several machines; processes without an end; how those ended that their parents saw end by a signal, or with another exit status than 0. */
static void put_processes(report *r) {
    ended known = {0}, unfinished = {0};
    uint32_t running = 0;
    const char *host = NULL;
    bool machines = false;
    char line[1000], names[NAMED * 130 + 40];
    for (uint32_t k = 0; k < r->info.processes; k++) {
        hsc_db_process p;
        if (hsc_db_get_process(r->db, k, &p, NULL))
            continue;
        machines = machines || (host && strcmp(host, p.host));
        host = p.host;
        bool is_told = strcmp(p.end, HSC_DB_NO_END) != 0, runs = p.unfinished && !is_told && hsc_running_is_alive(p.host, p.pid, p.executable);
        running += runs;
        if (is_status(&p) || (p.unfinished && is_told))
            add_ended(&known, k, p.end_s);
        else if (p.unfinished && !runs)
            add_ended(&unfinished, k, p.end_s);
    }
    if (machines && !r->info.simulated)
        fprintf(r->out, "           several machines: times are compared by their own real-time clocks\n");
    if (running)
        fprintf(r->out, "           %u process%s still running: what it had written is shown\n", running, running == 1 ? " is" : "es are");
    const bool times = known.n + unfinished.n > 1;
    name_ended(r, &known, true, times, names, sizeof names);
    if (known.n)
        report_text_wrap(r->out, r->width, names, 10, fprintf(r->out, "          "));
    name_ended(r, &unfinished, false, times, names, sizeof names);
    if (unfinished.n) {
        bool named = r->info.processes > 1;
        snprintf(line, sizeof line, "%u process%s recorded no end: ended by a signal (a fault, abort, kill, Ctrl-C), or still running when this was read; what was there is shown%s%s%s", unfinished.n,
                 unfinished.n == 1 ? "" : "es", named ? " (" : "", named ? names : "", named ? ")" : "");
        report_text_wrap(r->out, r->width, line, 10, fprintf(r->out, "          "));
    }
}

/* What is not in the figures that follow. */
static void put_limits(report *r) {
    double begin_s, end_s;
    char name[512];
    report_text_off(r);
    if (r->net)
        fprintf(r->out, "net        the cost of sampling, %.2f %% of CPU time, is taken out of each sample\n", 100 * r->net_share);
    if (r->category)
        fprintf(r->out, "category   %s: samples of others are left out\n", r->category);
    if (!r->as_interval && hsc_db_get_interval(r->db, &begin_s, &end_s))
        fprintf(r->out, "interval   %.6g s to %.6g s: samples exactly; messages, waits and probes %s\n", begin_s, end_s,
                report_exact_known(r) ? "by\n           slices of some 100 ms, each counted where it ends" : "are\n           known of the whole run only");
    if (r->where)
        fprintf(r->out, "only       files and procedures with '%s'\n", report_fit_prose(r->where, r->width - 40, name, sizeof name));
}

void report_text_head(report *r, bool whole) {
    put_program(r, whole);
    put_run(r);
    bool has_brief = put_brief(r);
    if (whole)
        put_environment(r);
    put_measured(r);
    if (whole)
        put_kernel(r, has_brief);
    put_processes(r);
    if (whole)
        report_text_sources(r);
    put_limits(r);
}
