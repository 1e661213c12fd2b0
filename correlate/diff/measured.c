/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a run was measured, and what the machine did to it: what two runs should have in common before their times are compared. */
#include "diff.h"

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
