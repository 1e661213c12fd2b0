/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which of several reasons for which a loop has no vectors is told: what is said most often, a definite one before another; that only the run shows how often the loop
 * goes round before all that was said beside it, but not for what was said of other copies alone. */
#include <stdio.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "report_reasons.h"

enum { A = 293, B = 303, C = 337 }; /* procedures with copies of the loop */

static int failed;

static hsc_db_remark said(uint32_t reason, const char *message, uint32_t function, uint32_t count) {
    return (hsc_db_remark){.kind = HSC_remark_kind_ANALYSIS, .pass = "loop-vectorize", .name = message, .message = message, .reason = reason, .count = count, .function = function,
                           .refuses_vectors = true};
}

static void expect(const char *what, const hsc_db_remark *list, uint32_t n, uint32_t reason) {
    const hsc_db_remark *verdict = report_verdict(list, n);
    uint32_t got = verdict ? verdict->reason : 0;
    if (got != reason) {
        printf("%s: reason %u, expected %u\n", what, got, reason);
        failed = 1;
    }
}

int main(void) {
    /* a walk through a list, inlined into three procedures */
    const hsc_db_remark walk[] = {
        said(HSC_reason_UNKNOWN_TRIP_COUNT, "could not determine number of loop iterations", A, 1),
        said(HSC_reason_UNKNOWN_TRIP_COUNT, "could not determine number of loop iterations", B, 1),
        said(HSC_reason_EARLY_EXIT, "could not determine number of loop iterations, left early", C, 1),
        said(HSC_reason_CONTROL_FLOW, "control flow cannot be substituted for a select", A, 1),
        said(HSC_reason_CONTROL_FLOW, "control flow cannot be substituted for a select", B, 1),
        said(HSC_reason_CONTROL_FLOW, "control flow cannot be substituted for a select", C, 1),
    };
    expect("a walk", walk, 6, HSC_reason_UNKNOWN_TRIP_COUNT);
    const hsc_db_remark search[] = {
        said(HSC_reason_CONTROL_FLOW, "control flow cannot be substituted for a select", A, 2),
        said(HSC_reason_OTHER, "value that could not be identified as reduction is used outside the loop", A, 1),
        said(HSC_reason_EARLY_EXIT, "could not determine number of loop iterations", A, 1),
    };
    expect("a search", search, 3, HSC_reason_EARLY_EXIT);
    /* what keeps most copies scalar can be mended in them, whatever one other copy is */
    const hsc_db_remark copies[] = {
        said(HSC_reason_UNKNOWN_TRIP_COUNT, "could not determine number of loop iterations", C, 1),
        said(HSC_reason_CONTROL_FLOW, "control flow cannot be substituted for a select", A, 1),
        said(HSC_reason_CONTROL_FLOW, "control flow cannot be substituted for a select", B, 1),
    };
    expect("another copy", copies, 3, HSC_reason_CONTROL_FLOW);
    expect("no copy with a count unknown", copies + 1, 2, HSC_reason_CONTROL_FLOW);
    expect("nothing said", copies, 0, 0);
    return failed;
}
