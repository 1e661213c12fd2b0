/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dependences of innermost loops, as LLVM's loop access analysis sees them before the vectoriser runs. */
#include "shim.h"

#include <vector>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

void fill_loop_key(const BasicBlock *header, hsc_ir_region *out) {
    for (const BasicBlock *before : predecessors(header)) {
        hsc_ir_loop node;
        if (hsc_ir_get_loop(wrap(before->getTerminator()), &node) && node.has_key) {
            out->key_id = node.key_id;
            out->key_module = node.key_module;
            return;
        }
    }
}

static void fill_region(const Loop &loop, hsc_ir_region *out) {
    fill_loop_key(loop.getHeader(), out);
    const BasicBlock *latch = loop.getLoopLatch();
    const DILocation *loc = latch ? latch->getTerminator()->getDebugLoc().get() : nullptr;
    if (!loc || !loc->getLine())
        for (const Instruction &i : *loop.getHeader())
            if (!isa<PHINode>(i) && i.getDebugLoc() && i.getDebugLoc().getLine()) {
                loc = i.getDebugLoc().get();
                break;
            }
    if (loc)
        hsc_ir_get_loc_of_node(wrap(loc), &out->loc);
}

static bool is_call(const Instruction &i) {
    return isa<CallBase>(i) && !isa<IntrinsicInst>(i);
}

/* True when the address depends on what the loop has just read: a[ix[i]], p->next->value. */
static bool is_indirect(const Loop &loop, const Instruction &access) {
    const auto *address = dyn_cast_or_null<GetElementPtrInst>(getLoadStorePointerOperand(&access));
    for (; address; address = dyn_cast<GetElementPtrInst>(address->getPointerOperand()))
        for (const Value *index : address->indices()) {
            while (auto *cast = dyn_cast<CastInst>(index))
                index = cast->getOperand(0);
            auto *load = dyn_cast<LoadInst>(index);
            if (load && loop.contains(load) && !loop.isLoopInvariant(load))
                return true;
        }
    return false;
}

/* The programmer's `vectorize(disable)` or a width of 1. */
static bool is_disabled(const Loop &loop) {
    auto enable = getOptionalBoolLoopAttribute(&loop, "llvm.loop.vectorize.enable");
    auto width = getOptionalIntLoopAttribute(&loop, "llvm.loop.vectorize.width");
    return (enable && !*enable) || (width && *width == 1);
}

/* Bytes that the address moves in one iteration, and the address as an expression; false when it cannot be told. */
static bool stride_of(ScalarEvolution &se, const Loop &loop, Instruction *access, const SCEVAddRecExpr **address,
                      int64_t *step) {
    *address = dyn_cast<SCEVAddRecExpr>(se.getSCEV(getLoadStorePointerOperand(access)));
    if (!*address || (*address)->getLoop() != &loop || !(*address)->isAffine())
        return false;
    auto *constant = dyn_cast<SCEVConstant>((*address)->getStepRecurrence(se));
    if (!constant || constant->getAPInt().getSignificantBits() > 63)
        return false;
    *step = constant->getAPInt().getSExtValue();
    return *step != 0;
}

/* Iterations by which `a` touches what `b` touches later than b does; negative: sooner. */
static bool distance_of(ScalarEvolution &se, const Loop &loop, Instruction *a, Instruction *b, int64_t *distance) {
    const SCEVAddRecExpr *pa, *pb;
    int64_t step, other;
    if (!stride_of(se, loop, a, &pa, &step) || !stride_of(se, loop, b, &pb, &other) || step != other ||
        pa->getType() != pb->getType())
        return false;
    auto *bytes = dyn_cast<SCEVConstant>(se.getMinusSCEV(pb, pa));
    if (!bytes || bytes->getAPInt().getSignificantBits() > 63)
        return false;
    int64_t between = bytes->getAPInt().getSExtValue();
    if (between % step)
        return false;
    *distance = between / step;
    return true;
}

static unsigned verdict_of(MemoryDepChecker::Dependence::DepType type) {
    using D = MemoryDepChecker::Dependence;
    switch (type) {
    case D::NoDep:
    case D::Forward: return 0;
    case D::BackwardVectorizable: return 1;
    case D::Backward: return 2;
    case D::ForwardButPreventsForwarding:
    case D::BackwardVectorizableButPreventsForwarding: return 3;
    case D::IndirectUnsafe: return 5;
    case D::Unknown: break;
    }
    return 4;
}

static void look_at(hsc_pass *pass, Function &f, Loop &loop, ScalarEvolution &se, LoopAccessInfoManager &accesses) {
    hsc_ir_loop_facts facts = {};
    facts.function = wrap(&f);
    fill_region(loop, &facts.region);
    SmallVector<BasicBlock *, 8> exiting;
    loop.getExitingBlocks(exiting);
    facts.exits = static_cast<unsigned>(exiting.size());
    unsigned stores = 0, loads = 0;
    for (BasicBlock *b : loop.blocks())
        for (Instruction &i : *b) {
            facts.has_call = facts.has_call || is_call(i);
            facts.has_indirect = facts.has_indirect || is_indirect(loop, i);
            stores += isa<StoreInst>(i);
            loads += isa<LoadInst>(i);
        }
    facts.is_disabled = is_disabled(loop);
    if (const DILocation *begin = loop.getStartLoc().get())
        hsc_ir_get_loc_of_node(wrap(begin), &facts.begin);
    hsc_pass_take_loop_facts(pass, &facts);
    if (!stores || stores + loads < 2 || !loop.getLoopPreheader() || !loop.getLoopLatch())
        return;
    const LoopAccessInfo &info = accesses.getInfo(loop);
    const MemoryDepChecker &checker = info.getDepChecker();
    const auto *dependences = checker.getDependences();
    if (dependences)
        for (const auto &d : *dependences) {
            Instruction *a = d.getSource(checker), *b = d.getDestination(checker);
            if (!isa<LoadInst, StoreInst>(a) || !isa<LoadInst, StoreInst>(b))
                continue;
            hsc_ir_dependence out = {};
            out.function = wrap(&f);
            out.region = facts.region;
            int64_t distance = 0;
            out.has_distance = distance_of(se, loop, a, b, &distance);
            /* LLVM names them in the order of the program; a dependence goes from what is done first */
            if (out.has_distance && distance > 0)
                std::swap(a, b);
            out.distance = static_cast<uint64_t>(distance < 0 ? -distance : distance);
            out.source_writes = isa<StoreInst>(a);
            out.sink_writes = isa<StoreInst>(b);
            hsc_ir_get_loc(wrap(a), &out.source);
            hsc_ir_get_loc(wrap(b), &out.sink);
            TypeSize size = a->getModule()->getDataLayout().getTypeStoreSize(getLoadStoreType(a));
            out.size_bytes = size.isScalable() ? 0 : size.getFixedValue();
            out.verdict = verdict_of(d.Type);
            hsc_pass_take_dependence(pass, &out);
        }
    const RuntimePointerChecking *checks = info.getRuntimePointerChecking();
    if (!checks || !checks->Need || !checks->getNumberOfChecks())
        return;
    std::vector<hsc_ir_loc> locs;
    SmallPtrSet<const Value *, 16> pointers;
    for (const auto &p : checks->Pointers)
        pointers.insert(p.PointerValue);
    for (BasicBlock *b : loop.blocks())
        for (Instruction &i : *b) {
            const Value *pointer = getLoadStorePointerOperand(&i);
            if (!pointer || !pointers.count(pointer))
                continue;
            hsc_ir_loc loc;
            if (hsc_ir_get_loc(wrap(&i), &loc) && loc.line)
                locs.push_back(loc);
        }
    hsc_ir_memory_check out = {};
    out.function = wrap(&f);
    out.region = facts.region;
    out.comparisons = checks->getNumberOfChecks();
    out.accesses = locs.data();
    out.n_accesses = locs.size();
    hsc_pass_take_memory_check(pass, &out);
}

PreservedAnalyses DependenceLook::run(Function &f, FunctionAnalysisManager &analyses) {
    if (!session->pass || hsc_pass_get_module(session->pass) != wrap(f.getParent()))
        return PreservedAnalyses::all();
    const auto *known = analyses.getCachedResult<LoopAnalysis>(f);
    if (known && known->empty())
        return PreservedAnalyses::all();
    /* Analyses of our own: what scalar evolution has been asked decides the form of what it answers later, so that the
     * compiler's own one must not be asked. */
    DominatorTree dominators(f);
    LoopInfo loops(dominators);
    if (loops.empty())
        return PreservedAnalyses::all();
    auto &library = analyses.getResult<TargetLibraryAnalysis>(f);
    auto &target = analyses.getResult<TargetIRAnalysis>(f);
    AssumptionCache assumptions(f, &target);
    ScalarEvolution se(f, library, assumptions, dominators, loops);
    AAResults aliases(library);
    BasicAAResult basic(f.getParent()->getDataLayout(), f, library, assumptions, &dominators);
    TypeBasedAAResult by_type;
    ScopedNoAliasAAResult by_scope;
    aliases.addAAResult(basic);
    aliases.addAAResult(by_scope);
    aliases.addAAResult(by_type);
    LoopAccessInfoManager accesses(se, aliases, dominators, loops, &target, &library);
    for (Loop *loop : loops.getLoopsInPreorder())
        if (loop->isInnermost())
            look_at(session->pass, f, *loop, se, accesses);
    return PreservedAnalyses::all();
}
