/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a run was measured, and what the machine did to it: what two runs should have in common before their times are compared. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void diff_measured_of(const report *r, diff_measured *out) {
    hsc_db_ledger l;
    hsc_db_process p;
    *out = (diff_measured){.mechanism = "", .lost = hsc_db_count_lost(r->db)};
    report_usage_of(r, 0, r->info.threads, &out->usage);
    if (r->info.processes && !hsc_db_get_process(r->db, 0, &p, NULL))
        out->mechanism = p.mechanism;
    for (uint32_t i = 0; i < r->info.ledger_rows && !hsc_db_get_ledger(r->db, i, &l, NULL); i++) {
        bool total = l.group == 0;
        if (total && !strcmp(l.name, "due"))
            out->due = (double)l.samples;
        else if (total && !strcmp(l.name, "measuring"))
            out->measuring_s = l.seconds;
        else if (total && !strcmp(l.name, HSC_LEDGER_ITSELF))
            out->itself_s = l.seconds;
        else if (total && !strcmp(l.name, "measuring off"))
            out->off_s = l.seconds;
    }
    for (uint32_t t = 0; t < r->info.threads; t++) {
        hsc_db_thread thread;
        if (hsc_db_get_thread(r->db, t, &thread, NULL))
            continue;
        out->periods += (double)thread.samples;
        out->samples += (double)thread.records;
    }
}

static const double CROWDED = 0.4; /* of the time that threads could have run, they stood in line */

static double part(double v, double of) { return of > 0 ? v / of : 0; }

static void say(diff_cares *to, const char *text) {
    if (to->n < DIFF_CARES)
        snprintf(to->text[to->n++], DIFF_CARE_SIZE, "%s", text);
}

void diff_cares_of(const diff *d, diff_cares *out) {
    diff_measured m[2];
    out->n = 0;
    char text[DIFF_CARE_SIZE], others[DIFF_CARE_SIZE - 60];
    diff_environment environment = diff_environment_of(d, others, sizeof others);
    if (environment == DIFF_ENVIRONMENT_OTHER) {
        snprintf(text, sizeof text, "the environment of B is another one, %s", others);
        say(out, text);
    }
    bool same = !d->scaling && !d->repeated && diff_is_whole(&d->a) && diff_is_whole(&d->b) && diff_is_same_build(d);
    if (same && diff_other_libraries(d, others, sizeof others)) {
        snprintf(text, sizeof text, "the program is the same build, but not all that it loads: %s", others);
        say(out, text);
    } else if (same) {
        static const char *const what[] = {[DIFF_ENVIRONMENT_UNKNOWN] = "the machine, the environment, the input or chance", [DIFF_ENVIRONMENT_SAME] = "the machine, the input or chance",
                                           [DIFF_ENVIRONMENT_OTHER] = "that, the machine, the input or chance"};
        snprintf(text, sizeof text, "nothing was changed in the program (the same build): what differs is %s, and intervals have only the chance of sampling in them. "
                 "CPU time differs too, where others use the caches and processors: repeat the runs, and compare groups of them (heatscope diff A1 A2 A3 : B1 B2 B3)", what[environment]);
        say(out, text);
    }
    const report *r[2] = {&d->a, &d->b};
    const char *arguments[2];
    for (int i = 0; i < 2; i++) {
        diff_measured_of(r[i], &m[i]);
        arguments[i] = r[i]->info.command + strcspn(r[i]->info.command, " ");
        arguments[i] += strspn(arguments[i], " ");
    }
    if (*r[0]->info.command && *r[1]->info.command && strcmp(arguments[0], arguments[1])) {
        enum { SHOWN = 90 };
        char shown[2][SHOWN + 16];
        for (int i = 0; i < 2; i++)
            (void)snprintf(shown[i], sizeof shown[i], "%s%.*s%s", *arguments[i] ? "'" : "none", SHOWN, arguments[i], strlen(arguments[i]) > SHOWN ? "...'" : *arguments[i] ? "'" : "");
        snprintf(text, sizeof text, "the program had other arguments, %s in A and %s in B: it may have had other work to do%s", shown[0], shown[1],
                 d->scaling ? ", and what is told of scaling takes it for the same (strong) or for as much in each (weak)" : "");
        say(out, text);
    }
    bool added = m[0].itself_s > 0 && m[1].itself_s > 0;
    double lost[2], mean[2], cost[2], kernel[2];
    for (int i = 0; i < 2; i++) {
        lost[i] = part(m[i].lost, m[i].due);
        mean[i] = part(m[i].periods, m[i].samples);
        cost[i] = part(m[i].measuring_s, added ? m[i].itself_s : r[i]->info.cpu_s);
        kernel[i] = part(m[i].usage.system_s, m[i].usage.user_s + m[i].usage.system_s);
    }
    if (fabs(lost[0] - lost[1]) > 0.005) {
        snprintf(text, sizeof text, "of the CPU time %.1f %% in A and %.1f %% in B is in no sample (report --by=ledger): times are too small by that", 100 * lost[0],
                 100 * lost[1]);
        say(out, text);
    }
    if (m[0].off_s > 0.001 || m[1].off_s > 0.001) {
        snprintf(text, sizeof text, "nothing was measured for %.2f s in A and %.2f s in B, all processes added up", m[0].off_s, m[1].off_s);
        say(out, text);
    }
    if (strcmp(m[0].mechanism, m[1].mechanism)) {
        snprintf(text, sizeof text, "samples come from %.80s in A and from %.80s in B", m[0].mechanism, m[1].mechanism);
        say(out, text);
    }
    double distance[2] = {mean[0] * d->a.unit.scale, mean[1] * d->b.unit.scale};
    if (!d->a.unit.exact && !strcmp(d->a.unit.unit, "s") && distance[0] > 0 && distance[1] > 0 && fabs(log(distance[0] / distance[1])) > log(1.25)) {
        snprintf(text, sizeof text, "a sample stands for %.3g ms of CPU time in A and %.3g ms in B, on average: where the rate is lower (--budget=off keeps it) "
                 "intervals are wider", 1e3 * distance[0], 1e3 * distance[1]);
        say(out, text);
    }
    if (fabs(cost[0] - cost[1]) > 0.01) {
        snprintf(text, sizeof text, "measuring %s %.1f %%%s in A and %.1f %% in B (--net takes the cost of sampling out)", added ? "added" : "took", 100 * cost[0],
                 added ? "" : " of the CPU time", 100 * cost[1]);
        say(out, text);
    }
    if (m[0].usage.known && m[1].usage.known && fabs(kernel[0] - kernel[1]) > 0.02) {
        snprintf(text, sizeof text, "%.1f %% of the CPU time (%.0f page faults) in A and %.1f %% (%.0f) in B was in the kernel", 100 * kernel[0],
                 (double)(m[0].usage.minor_faults + m[0].usage.major_faults), 100 * kernel[1], (double)(m[1].usage.minor_faults + m[1].usage.major_faults));
        say(out, text);
    }
    double line[2] = {part(m[0].usage.line_s, m[0].usage.line_s + d->a.info.cpu_s), part(m[1].usage.line_s, m[1].usage.line_s + d->b.info.cpu_s)};
    double could_s = fmax(m[0].usage.line_s + d->a.info.cpu_s, m[1].usage.line_s + d->b.info.cpu_s); /* of the one that could have run for longer */
    bool other_line = fabs(line[0] - line[1]) > 0.02 || fabs(m[0].usage.line_s - m[1].usage.line_s) > 0.05 * could_s;
    if (m[0].usage.line_known && m[1].usage.line_known && other_line) {
        snprintf(text, sizeof text, "threads stood in line for a processor for %.3g s in A and %.3g s in B: elapsed times differ for that", m[0].usage.line_s, m[1].usage.line_s);
        say(out, text);
        if (fmax(line[0], line[1]) > CROWDED)
            say(out, "on so crowded a machine CPU times differ as well, by what others did to caches and processors, which no interval of sampling has in it");
    }
    for (int i = 0; i < 2; i++)
        if (m[i].usage.line_known && !m[!i].usage.line_known && line[i] > 0.1) {
            snprintf(text, sizeof text, "threads stood in line for a processor for %.3g s in %c; of %c that is not known", m[i].usage.line_s, "AB"[i], "BA"[i]);
            say(out, text);
        }
    double ideal = d->weak ? 1 : part(d->b.working, d->a.working), speedup = part(d->a.info.wall_s, d->b.info.wall_s);
    if (d->scaling && ideal > 0 && (ideal >= 1 ? speedup > 1.2 * ideal : speedup < ideal / 1.2)) {
        say(out, "the elapsed times differ by more than the number of processors does: one run had less of the machine, waited in another way, or its data "
               "did not fit the caches");
    }
}

hsc_status hsc_db_read_run_cares(hsc_db *a, uint32_t metric_a, hsc_db *b, uint32_t metric_b, char **out, hsc_err *err) {
    diff d = {.a = {.db = a, .metric = metric_a, .width = 120}, .b = {.db = b, .metric = metric_b, .width = 120}};
    diff_cares *cares = malloc(sizeof *cares);
    size_t at = 0;
    hsc_status s = diff_begin(&d, err);
    if (!s && !cares)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for what two runs have not in common");
    if (!s)
        diff_cares_of(&d, cares);
    char *text = s ? NULL : malloc(cares->n * (size_t)DIFF_CARE_SIZE + 1);
    if (!s && !text)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u sentences", cares->n);
    for (uint32_t i = 0; !s && i < cares->n; i++)
        at += (size_t)snprintf(text + at, DIFF_CARE_SIZE, "%s%s", i ? "\n" : "", cares->text[i]);
    if (!s) {
        text[at] = 0;
        *out = text;
    }
    free(cares);
    diff_clear(&d);
    return s;
}
