/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The class of reason behind a remark: from its identifier, and from what is known of its loop. */
#include "why.h"

#include <heatscope/formats/remarks.h>
#include <string.h>

#define R(name) HSC_reason_##name

uint64_t hsc_reason_of(const hsc_ir_remark *r, uint32_t facts) {
    static const char instruction[] = "CantVectorizeInstruction";
    uint64_t reason;
    if (r->kind == HSC_remark_kind_PASSED)
        return R(NONE);
    hsc_remark_tell(r->pass.p, r->pass.n, r->name.p, r->name.n, &reason);
    /* what the name leaves open, the loop tells */
    if (reason == R(UNKNOWN_TRIP_COUNT) && (facts & HSC_LOOP_SEVERAL_EXITS))
        reason = R(EARLY_EXIT);
    if (r->name.n == sizeof instruction - 1 && !memcmp(r->name.p, instruction, r->name.n) && (facts & HSC_LOOP_CALLS))
        reason = R(CALL);
    if ((reason == R(ALIASING) || reason == R(DEPENDENCE)) && (facts & HSC_LOOP_INDIRECT) &&
        !(facts & HSC_LOOP_OTHER_UNSAFE))
        reason = R(INDIRECT);
    return reason;
}
