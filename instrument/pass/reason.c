/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The class of reason behind a remark, from the identifiers that LLVM 19 gives its remarks. */
#include "why.h"

#include <string.h>

typedef struct known {
    const char *pass, *name; /* of the remark; "" as name: any */
    uint64_t reason;
} known;

#define R(name) HSC_reason_##name
static const known reasons[] = {
    {"loop-vectorize", "UnsafeDep", R(DEPENDENCE)},
    {"loop-vectorize", "CantReorderMemOps", R(DEPENDENCE)},
    {"loop-vectorize", "CantVectorizeStoreToLoopInvariantAddress", R(DEPENDENCE)},
    {"loop-vectorize", "CantIdentifyArrayBounds", R(ALIASING)},
    {"loop-vectorize", "CantCheckMemDepsAtRunTime", R(ALIASING)},
    {"loop-vectorize", "CantInsertRuntimeCheckWithConvergent", R(ALIASING)},
    {"loop-vectorize", "CantVersionLoopWithDivergentTarget", R(ALIASING)},
    {"loop-vectorize", "TooManySCEVRunTimeChecks", R(COST)},
    {"loop-vectorize", "CantVectorizeCall", R(CALL)},
    {"loop-vectorize", "CantVectorizeLibcall", R(CALL)},
    {"loop-vectorize", "CantVectorizeIntrinsic", R(CALL)},
    {"loop-vectorize", "CFGNotUnderstood", R(CONTROL_FLOW)},
    {"loop-vectorize", "LoopContainsSwitch", R(CONTROL_FLOW)},
    {"loop-vectorize", "NoCFGForSelect", R(CONTROL_FLOW)},
    {"loop-vectorize", "IfConversionDisabled", R(CONTROL_FLOW)},
    {"loop-vectorize", "ConditionalStore", R(CONDITIONAL)},
    {"loop-vectorize", "UnknownLoopCountComplexCFG", R(UNKNOWN_TRIP_COUNT)},
    {"loop-vectorize", "CantComputeNumberOfIterations", R(UNKNOWN_TRIP_COUNT)},
    {"loop-vectorize", "CantReorderFPOps", R(FLOATING_POINT_ORDER)},
    {"loop-vectorize", "UnsafeFP", R(FLOATING_POINT_ORDER)},
    {"loop-vectorize", "VectorizationNotBeneficial", R(COST)},
    {"loop-vectorize", "InterleavingNotBeneficial", R(COST)},
    {"loop-vectorize", "InterleavingNotBeneficialAndDisabled", R(COST)},
    {"loop-vectorize", "InterleavingAvoided", R(COST)},
    {"loop-vectorize", "InterleavingBeneficialButDisabled", R(DISABLED)},
    {"loop-vectorize", "VectorMixedPrecision", R(COST)},
    {"loop-vectorize", "InvalidCost", R(COST)},
    {"loop-vectorize", "NonReductionValueUsedOutsideLoop", R(RECURRENCE)},
    {"loop-vectorize", "ValueUsedOutsideLoop", R(RECURRENCE)},
    {"loop-vectorize", "UnsupportedPhi", R(RECURRENCE)},
    {"loop-vectorize", "NoInductionVariable", R(NO_INDUCTION)},
    {"loop-vectorize", "NoIntegerInductionVariable", R(NO_INDUCTION)},
    {"loop-vectorize", "CantVectorizeInstruction", R(UNSUPPORTED)},
    {"loop-vectorize", "CantVectorizeInstructionReturnType", R(UNSUPPORTED)},
    {"loop-vectorize", "CantVectorizeStore", R(UNSUPPORTED)},
    {"loop-vectorize", "CantVectorizeNontemporalStore", R(UNSUPPORTED)},
    {"loop-vectorize", "CantVectorizeNontemporalLoad", R(UNSUPPORTED)},
    {"loop-vectorize", "ScalableVFUnfeasible", R(UNSUPPORTED)},
    {"loop-vectorize", "ScalableVectorizationDisabled", R(UNSUPPORTED)},
    {"loop-vectorize", "NonSimpleLoad", R(VOLATILE)},
    {"loop-vectorize", "NonSimpleStore", R(VOLATILE)},
    {"loop-vectorize", "MissedExplicitlyDisabled", R(DISABLED)},
    {"loop-vectorize", "AllDisabled", R(DISABLED)},
    {"loop-vectorize", "LowTripCount", R(TOO_SMALL)},
    {"loop-vectorize", "SingleIterationLoop", R(TOO_SMALL)},
    {"loop-vectorize", "CantVersionLoopWithOptForSize", R(SIZE)},
    {"loop-vectorize", "NoTailLoopWithOptForSize", R(SIZE)},
    {"loop-vectorize", "VectorizationCodeSize", R(SIZE)},
    {"loop-vectorize", "NotInnermostLoop", R(NOT_INNERMOST)},
    {"loop-vectorize", "NotInnerMostLoop", R(NOT_INNERMOST)},
    {"loop-vectorize", "UnsupportedOuterLoop", R(NOT_INNERMOST)},
    {"loop-vectorize", "NoImplicitFloat", R(FORBIDDEN)},
    {"loop-vectorize", "MissedDetails", R(NONE)}, /* the reason is another remark's */
    {"loop-vectorize", "", R(OTHER)},
    {"licm", "LoadWithLoopInvariantAddressInvalidated", R(CLOBBERED)},
    {"licm", "LoadWithLoopInvariantAddressCondExecuted", R(CONDITIONAL)},
    {"gvn", "LoadClobbered", R(CLOBBERED)},
    {"inline", "NoDefinition", R(NO_DEFINITION)},
    {"inline", "TooCostly", R(COST)},
    {"inline", "IncreaseCostInOtherContexts", R(COST)},
    {"inline", "NeverInline", R(FORBIDDEN)},
    {"inline", "NotInlined", R(FORBIDDEN)},
    {"slp-vectorizer", "NotBeneficial", R(COST)},
    {"slp-vectorizer", "HorSLPNotBeneficial", R(COST)},
    {"slp-vectorizer", "UnsupportedType", R(UNSUPPORTED)},
    {"slp-vectorizer", "SmallVF", R(TOO_SMALL)},
    {"slp-vectorizer", "NotPossible", R(OTHER)},
    {"loop-distribute", "HeuristicDisabled", R(DISABLED)},
    {"loop-distribute", "MemOpsCanBeVectorized", R(NONE)},
    {"loop-distribute", "CantIsolateUnsafeDeps", R(DEPENDENCE)},
    {"loop-distribute", "TooManySCEVRuntimeChecks", R(COST)},
    {"loop-distribute", "RuntimeCheckWithConvergent", R(ALIASING)},
    {"loop-distribute", "", R(OTHER)},
    {"loop-interchange", "Dependence", R(DEPENDENCE)},
    {"loop-interchange", "CallInst", R(CALL)},
    {"loop-interchange", "InterchangeNotProfitable", R(COST)},
    {"loop-interchange", "UnsupportedPHI", R(RECURRENCE)},
    {"loop-interchange", "NotTightlyNested", R(CONTROL_FLOW)},
    {"loop-interchange", "", R(OTHER)},
    {"TTI", "", R(CALL)}, /* it advises against unrolling round a call */
    {"transform-warning", "", R(OTHER)},
};

static bool is(hsc_ir_text t, const char *s) {
    return t.n == strlen(s) && !memcmp(t.p, s, t.n);
}

uint64_t hsc_reason_of(const hsc_ir_remark *r, uint32_t facts) {
    if (r->kind == HSC_remark_kind_PASSED)
        return R(NONE);
    uint64_t reason = R(NONE);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (is(r->pass, reasons[i].pass) && (!reasons[i].name[0] || is(r->name, reasons[i].name))) {
            reason = reasons[i].reason;
            break;
        }
    /* what the name leaves open, the loop tells */
    if (reason == R(UNKNOWN_TRIP_COUNT) && (facts & HSC_LOOP_SEVERAL_EXITS))
        reason = R(EARLY_EXIT);
    if (is(r->name, "CantVectorizeInstruction") && (facts & HSC_LOOP_CALLS))
        reason = R(CALL);
    if ((reason == R(ALIASING) || reason == R(DEPENDENCE)) && (facts & HSC_LOOP_INDIRECT) &&
        !(facts & HSC_LOOP_OTHER_UNSAFE))
        reason = R(INDIRECT);
    return reason;
}
