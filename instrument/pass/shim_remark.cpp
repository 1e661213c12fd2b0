/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Remarks of the optimiser as they are made, with the piece of code that each is about. */
#include "shim.h"

#include <cstring>
#include <string>

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

/* Blocks of machine-made code have 100,000 instructions; a remark is about one near the block's head, or is attached by
 * its position. */
static constexpr unsigned scan_max = 2000;

/* An instruction of the block at the remark's location: its early id, and where it was inlined. */
static void find_instruction(const BasicBlock *block, const hsc_ir_remark &r, StringRef file, hsc_ir_region *out) {
    const DILocation *first = nullptr;
    unsigned n = 0;
    for (const Instruction &i : *block) {
        const DILocation *loc = i.getDebugLoc().get();
        if (!loc || n++ == scan_max)
            continue;
        if (!first && loc->getLine())
            first = loc;
        if (r.line && (loc->getLine() != r.line || loc->getColumn() != r.column || loc->getFilename() != file))
            continue;
        out->is_exact = r.line != 0;
        first = loc;
        break;
    }
    if (!first)
        return;
    hsc_ir_get_loc_of_node(wrap(first), &out->loc);
}

/* What is called in the block at the remark's location and has no vector form: the vectoriser says where the call is, not what it calls. A macro may have several there. */
static void find_callees(const BasicBlock *block, StringRef file, hsc_ir_remark *r) {
    unsigned n = 0, found = 0;
    for (const Instruction &i : *block) {
        const DILocation *loc = i.getDebugLoc().get();
        if (n++ == scan_max || found == 2)
            break;
        auto *call = dyn_cast<CallBase>(&i);
        if (!call || !loc || loc->getLine() != r->line || loc->getColumn() != r->column || loc->getFilename() != file || isa<DbgInfoIntrinsic>(call))
            continue;
        const Function *callee = call->getCalledFunction();
        Intrinsic::ID id = callee ? callee->getIntrinsicID() : Intrinsic::not_intrinsic;
        if (id && (isTriviallyVectorizable(id) || call->isLifetimeStartOrEnd() || id == Intrinsic::assume))
            continue;
        StringRef name = id ? Intrinsic::getBaseName(id) : callee ? callee->getName() : StringRef("a pointer");
        name.consume_front("llvm.");
        if (!found || name != StringRef(r->callee[0].p, r->callee[0].n))
            r->callee[found++] = text_of(name);
    }
}

/* Elements that a loop was vectorised by; 1: its iterations were interleaved only; 0: it does not say. */
static unsigned lanes_of(const DiagnosticInfoIROptimization &remark) {
    unsigned lanes = remark.getRemarkName() == "Interleaved";
    for (const auto &arg : remark.getArgs()) {
        StringRef value = arg.Val;
        value.consume_front("vscale x ");
        if (arg.Key == "VectorizationFactor")
            (void)value.getAsInteger(10, lanes);
    }
    return lanes;
}

/* The number that a remark of this name gives under a key; 0: it does not say. */
static unsigned number_of(const DiagnosticInfoIROptimization &remark, StringRef name, StringRef key) {
    unsigned copies = 0;
    if (remark.getRemarkName() == name)
        for (const auto &arg : remark.getArgs())
            if (arg.Key == key)
                (void)StringRef(arg.Val).getAsInteger(10, copies);
    return copies;
}

struct RemarkCatcher : DiagnosticHandler {
    /* Stands before the compiler's own handler between the two looks: the compiler's handler gets what it would have got
     * without us. LLVM makes nearly all remarks when any handler wants some; of the few passes of
     * hsc_pass_wants_remarks we ask for more. */
    std::shared_ptr<Session> session;
    std::unique_ptr<DiagnosticHandler> next;
    RemarkCatcher(std::shared_ptr<Session> s, std::unique_ptr<DiagnosticHandler> n)
        : session(std::move(s)), next(std::move(n)) {}

    static bool ours(StringRef pass) { return hsc_pass_wants_remarks(pass.data(), pass.size()); }
    bool isAnalysisRemarkEnabled(StringRef pass) const override {
        return ours(pass) || next->isAnalysisRemarkEnabled(pass);
    }
    bool isMissedOptRemarkEnabled(StringRef pass) const override {
        return ours(pass) || next->isMissedOptRemarkEnabled(pass);
    }
    bool isPassedOptRemarkEnabled(StringRef pass) const override {
        return ours(pass) || next->isPassedOptRemarkEnabled(pass);
    }
    bool isAnyRemarkEnabled() const override { return true; }

    bool handleDiagnostics(const DiagnosticInfo &info) override {
        if (info.getSeverity() == DS_Error)
            next->HasErrors = true;
        auto *remark = dyn_cast<DiagnosticInfoIROptimization>(&info);
        if (remark && session->pass)
            take(*remark);
        /* the linker leaves it to LLVM to ask what its handler wants, which then would be us */
        if (!remark || (!ours(remark->getPassName()) && !session->at_link))
            return next->handleDiagnostics(info);
        bool wanted;
        switch (info.getKind()) {
        case DK_OptimizationRemark: wanted = next->isPassedOptRemarkEnabled(remark->getPassName()); break;
        case DK_OptimizationRemarkMissed: wanted = next->isMissedOptRemarkEnabled(remark->getPassName()); break;
        case DK_OptimizationRemarkAnalysis:
        case DK_OptimizationRemarkAnalysisFPCommute:
        case DK_OptimizationRemarkAnalysisAliasing:
            wanted = next->isAnalysisRemarkEnabled(remark->getPassName()) ||
                     static_cast<const OptimizationRemarkAnalysis *>(remark)->shouldAlwaysPrint();
            break;
        default: wanted = true; /* failures are warnings */
        }
        return !wanted || next->handleDiagnostics(info);
    }

    void take(const DiagnosticInfoIROptimization &remark) {
        hsc_ir_remark r = {};
        switch (remark.getKind()) {
        case DK_OptimizationRemark: r.kind = 0; break;
        case DK_OptimizationRemarkMissed: r.kind = 1; break;
        case DK_OptimizationRemarkAnalysis: r.kind = 2; break;
        case DK_OptimizationRemarkAnalysisFPCommute: r.kind = 3; break;
        case DK_OptimizationRemarkAnalysisAliasing: r.kind = 4; break;
        default: r.kind = 5; break;
        }
        r.pass = text_of(remark.getPassName());
        r.name = text_of(remark.getRemarkName());
        /* what is to be printed in any case has no name: the vectoriser's reasons for loops that a pragma or OpenMP wants vectorised */
        if (!r.pass.n && r.kind >= 2 && r.kind <= 4)
            r.pass = text_of("loop-vectorize"), r.is_wish = true;
        if (!hsc_pass_keeps_remark(session->pass, &r))
            return;
        StringRef file;
        if (remark.isLocationAvailable()) {
            file = remark.getLocation().getRelativePath();
            r.line = remark.getLocation().getLine();
            r.column = remark.getLocation().getColumn();
        }
        r.function = wrap(&remark.getFunction());
        if (auto *block = dyn_cast_or_null<BasicBlock>(remark.getCodeRegion())) {
            find_instruction(block, r, file, &r.region);
            fill_loop_key(block, &r.region);
            r.region.header = block;
            if (remark.getRemarkName() == "CantVectorizeLibcall" && r.line)
                find_callees(block, file, &r);
        }
        r.handle = &remark;
        if (!r.kind && remark.getPassName() == StringRef("loop-vectorize"))
            r.lanes = lanes_of(remark);
        if (r.lanes)
            r.interleaved = number_of(remark, "Vectorized", "InterleaveCount");
        if (!r.kind && StringRef(remark.getPassName()).starts_with("loop-unroll"))
            r.unrolled = number_of(remark, "PartialUnrolled", "UnrollCount");
        hsc_pass_take_remark(session->pass, &r);
    }
};

void catch_remarks(const std::shared_ptr<Session> &session, LLVMContext &context) {
    if (session->catcher)
        return;
    auto catcher = std::make_unique<RemarkCatcher>(session, context.getDiagnosticHandler());
    session->catcher = catcher.get();
    context.setDiagnosticHandler(std::move(catcher));
}

void release_remarks(Session &session, LLVMContext &context) {
    if (!session.catcher || context.getDiagHandlerPtr() != session.catcher)
        return;
    auto catcher = context.getDiagnosticHandler();
    context.setDiagnosticHandler(std::move(session.catcher->next), /*RespectFilters=*/session.at_link);
    session.catcher = nullptr;
}

size_t hsc_ir_remark_message(const hsc_ir_remark *r, char *buffer, size_t size) {
    std::string text = static_cast<const DiagnosticInfoIROptimization *>(r->handle)->getMsg();
    size_t n = text.size() < size ? text.size() : size;
    std::memcpy(buffer, text.data(), n);
    return n;
}

size_t hsc_ir_remark_path(const hsc_ir_remark *r, char *buffer, size_t size) {
    std::string text = static_cast<const DiagnosticInfoIROptimization *>(r->handle)->getAbsolutePath();
    size_t n = text.size() < size ? text.size() : size;
    std::memcpy(buffer, text.data(), n);
    return n;
}
