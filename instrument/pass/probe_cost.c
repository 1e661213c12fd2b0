/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much work a procedure or loop does, guessed from its code, so that probes go only where they cost little of it. */
#include "probe.h"

/* Two readings of the clock and the rest of an armed pair, in instructions of ordinary code (some 60 ns). */
#define PAIR_INSTRUCTIONS 200.0
#define CALL_INSTRUCTIONS 30.0 /* of a call whose work is not seen */

static double work_of(LLVMBasicBlockRef block) {
    double n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMOpcode o = LLVMGetInstructionOpcode(i);
        LLVMValueRef callee = o == LLVMCall || o == LLVMInvoke ? LLVMGetCalledValue(i) : NULL;
        if (o != LLVMPHI && o != LLVMAlloca)
            n += !callee ? 1 : LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) ? 1 : CALL_INSTRUCTIONS;
    }
    return n;
}

double hsc_probe_work(const hsc_graph *g, unsigned loop) {
    double total = 0;
    for (unsigned b = 0; b < g->blocks; b++) {
        double trips = 1;
        bool inside = loop == HSC_CFG_NONE;
        for (unsigned l = g->loop_of[b]; l != HSC_CFG_NONE && trips < 1e9; l = g->loops[l].parent) {
            trips *= HSC_PROBE_TRIPS;
            if (l == loop) {
                inside = true;
                break;
            }
        }
        total += inside ? trips * work_of(g->block[b]) : 0;
    }
    return total;
}

double hsc_probe_least_work(double percent) {
    return PAIR_INSTRUCTIONS * 100 / percent;
}
