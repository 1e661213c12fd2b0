/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the kernel counted of threads, added up. */
#include "report.h"

#include <math.h>
#include <string.h>

#define TICKS_S 0.02 /* what is counted by ticks may be off by, */
#define LATER 0.05   /* and as a share of CPU time */

static const report_usage nothing = {.known = true, .line_known = true, .line_most_at = HSC_NONE};

static void add_threads(const report *r, uint32_t first, uint32_t n, report_usage *out) {
    for (uint32_t i = first; i < first + n && i < r->info.threads; i++) {
        hsc_db_thread t;
        if (hsc_db_get_thread(r->db, i, &t, NULL))
            continue;
        out->known = out->known && t.user_s >= 0;
        out->line_known = out->line_known && t.runnable_s >= 0;
        out->cpu_s += t.cpu_s;
        hsc_db_process p;
        double later_s = fmax(0, t.cpu_s - t.user_s - t.system_s);
        bool unfinished = !hsc_db_get_process(r->db, t.process, &p, NULL) && p.unfinished;
        if (unfinished || (t.user_s >= 0 && later_s > TICKS_S + LATER * t.cpu_s)) /* else by ticks and shares of them; the end of a thread that nobody could look at any more */
            out->later_s += later_s;
        out->user_s += t.user_s;
        out->system_s += t.system_s;
        out->minor_faults += t.minor_faults;
        out->major_faults += t.major_faults;
        out->voluntary += t.voluntary_switches;
        out->involuntary += t.involuntary_switches;
        out->line_s += t.runnable_s;
        if (out->line_most_at == HSC_NONE || t.runnable_s > out->line_most_s) {
            out->line_most_at = i;
            out->line_most_s = t.runnable_s;
        }
    }
}

static void end(report_usage *out) {
    out->known = out->known && out->user_s + out->system_s > 0;
    out->line_known = out->line_known && out->line_most_at != HSC_NONE;
    if (out->later_s < TICKS_S + LATER * out->cpu_s)
        out->later_s = 0;
}

void report_usage_of(const report *r, uint32_t first, uint32_t n, report_usage *out) {
    *out = nothing;
    add_threads(r, first, n, out);
    end(out);
}

void report_usage_of_processor(const report *r, uint32_t column, report_usage *out) {
    hsc_db_process p;
    *out = nothing;
    if (r->axis == HSC_AXIS_THREAD)
        add_threads(r, column, 1, out);
    for (uint32_t i = 0; r->axis != HSC_AXIS_THREAD && i < r->info.processes; i++)
        if (!hsc_db_get_process(r->db, i, &p, NULL) && (r->axis == HSC_AXIS_NODE ? p.node : i) == column)
            add_threads(r, p.first_thread, p.threads, out);
    end(out);
}

double report_part_ran(const report *r) {
    report_usage u;
    report_usage_of(r, 0, r->info.threads, &u);
    double ran_s = u.later_s > 0 ? u.user_s + u.system_s : u.cpu_s;
    return u.line_known && u.line_s > 0 && ran_s > 0 ? ran_s / (ran_s + u.line_s) : 1;
}
