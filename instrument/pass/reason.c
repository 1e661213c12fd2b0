/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The class of reason behind a remark: from its identifier, and from what is known of its loop. */
#include "pass.h"
#include "why.h"

#include <heatscope/formats/remarks.h>
#include <string.h>

#define R(name) HSC_reason_##name

static bool is_named(const hsc_ir_remark *r, const char *name) {
    return r->name.n == strlen(name) && !memcmp(r->name.p, name, r->name.n);
}

uint64_t hsc_reason_of(const hsc_ir_remark *r, uint32_t facts) {
    uint64_t reason;
    if (r->kind == HSC_remark_kind_PASSED)
        return R(NONE);
    hsc_remark_tell(r->pass.p, r->pass.n, r->name.p, r->name.n, &reason);
    /* what the name leaves open, the loop tells */
    if (reason == R(UNKNOWN_TRIP_COUNT)) /* ways out that are no exit of the source hide the count, too */
        reason = facts & HSC_LOOP_SEVERAL_EXITS ? R(EARLY_EXIT)
                 : facts & HSC_LOOP_THROWS      ? R(CALL)
                 : facts & HSC_LOOP_DEAD_END    ? R(CONTROL_FLOW)
                                                : reason;
    /* "switch" is what LLVM calls any end of a block that is no branch */
    if (is_named(r, "LoopContainsSwitch") && (facts & HSC_LOOP_THROWS) && !(facts & HSC_LOOP_SWITCHES))
        reason = R(CALL);
    if (is_named(r, "CantVectorizeInstruction") && (facts & (HSC_LOOP_CALLS | HSC_LOOP_ATOMIC))) /* each in the way by itself */
        reason = facts & HSC_LOOP_CALLS ? R(CALL) : R(VOLATILE);
    if ((reason == R(ALIASING) || reason == R(DEPENDENCE)) && (facts & HSC_LOOP_INDIRECT) &&
        !(facts & HSC_LOOP_OTHER_UNSAFE))
        reason = R(INDIRECT);
    if (reason == R(RECURRENCE) && (facts & HSC_LOOP_EXTREME))
        reason = R(EXTREME);
    return reason;
}

bool hsc_reason_explains(const hsc_ir_remark *r, uint64_t reason) {
    return r->pass.n == 14 && !memcmp(r->pass.p, "loop-vectorize", 14) && r->kind != HSC_remark_kind_PASSED && !r->is_wish && reason != R(NONE) &&
           reason != R(NOT_TRIED) && reason != R(DISABLED);
}

void hsc_why_settle(hsc_pass *p) {
    static const char told[] = "loop not vectorized: no reason of the compiler is known";
    hsc_why *w = &p->why;
    for (size_t i = 0; i < w->remarks.n && w->explains; i++)
        if (w->remarks.p[i].reason == R(NOT_TRIED)) {
            w->remarks.p[i].reason = R(OTHER);
            w->remarks.p[i].message = (hsc_str){told, sizeof told - 1};
        }
    /* of loops with a loop inside we say that the vectoriser left them alone: not so where it was off, and did nothing to the ones inside either */
    for (size_t i = 0; i < w->remarks.n && !w->explains && !w->lanes_of.used; i++)
        if (w->remarks.p[i].name.n == 10 && !memcmp(w->remarks.p[i].name.p, "LoopInside", 10) && w->remarks.p[i].pass.n == 9) {
            w->remarks.p[i].reason = R(NOT_TRIED);
            w->remarks.p[i].message.n = sizeof "loop not vectorized" - 1; /* it begins so */
        }
}
