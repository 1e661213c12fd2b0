/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dependences of innermost loops, as LLVM's loop access analysis sees them just before the vectoriser runs. */
#include "shim.h"

#include <optional>
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
#include "llvm/IR/InlineAsm.h"
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
    out->header = loop.getHeader();
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

/* Is the value made, in the same iteration, of what the loop reads? Of much arithmetic only a part is looked at. */
static bool is_made_of_reads(const Loop &loop, const Value *value) {
    constexpr unsigned steps_max = 64;
    SmallVector<const Value *, 16> left{value};
    SmallPtrSet<const Value *, 32> seen;
    while (!left.empty() && seen.size() < steps_max) {
        auto *i = dyn_cast<Instruction>(left.pop_back_val());
        if (!i || !loop.contains(i) || !seen.insert(i).second || (isa<PHINode>(i) && i->getParent() == loop.getHeader()))
            continue;
        if (isa<LoadInst>(i)) {
            if (!loop.isLoopInvariant(i->getOperand(0)))
                return true;
        } else if (isa<CastInst, UnaryOperator, BinaryOperator, SelectInst, PHINode, IntrinsicInst>(i)) {
            left.append(i->value_op_begin(), i->value_op_end());
        }
    }
    return false;
}

/* True when the address depends on what the loop has just read: a[ix[i]], a[(int)(x[i] / h)], p->next->value. */
static bool is_indirect(const Loop &loop, const Instruction &access) {
    const auto *address = dyn_cast_or_null<GetElementPtrInst>(getLoadStorePointerOperand(&access));
    for (; address; address = dyn_cast<GetElementPtrInst>(address->getPointerOperand()))
        for (const Value *index : address->indices())
            if (is_made_of_reads(loop, index))
                return true;
    return false;
}

/* What a loop that waits may do between two looks: nothing, or tell the processor or the system that it waits. */
static bool is_pause(const CallBase &call) {
    if (auto *text = dyn_cast<InlineAsm>(call.getCalledOperand())) {
        StringRef s = StringRef(text->getAsmString()).trim();
        return s == "pause" || s == "yield" || s == "rep; nop" || s == "rep;nop" || s == "rep nop" || s == "isb";
    }
    const Function *f = call.getCalledFunction();
    return f && (f->getName() == "llvm.x86.sse2.pause" || f->getName() == "llvm.aarch64.hint" || f->getName() == "sched_yield" ||
                 f->getName() == "thrd_yield");
}

/* Does an iteration use the address, or each of the addresses, that the one before used? Not so if it is made of what the loop carries on. */
static bool is_same_each_time(const Loop &loop, const Value *address) {
    SmallVector<const Value *, 16> left{address};
    SmallPtrSet<const Value *, 32> seen;
    while (!left.empty()) {
        auto *i = dyn_cast<Instruction>(left.pop_back_val());
        if (!i || !loop.contains(i) || !seen.insert(i).second)
            continue;
        if ((isa<PHINode>(i) && i->getParent() == loop.getHeader()) || isa<CallBase>(i))
            return false;
        left.append(i->value_op_begin(), i->value_op_end());
    }
    return true;
}

/* Reads that others may answer anew each time: volatile, atomic, or exchanges of what does not change in the loop (a spin lock). */
static bool is_look(const Loop &loop, const Instruction &i) {
    if (auto *load = dyn_cast<LoadInst>(&i))
        return !load->isSimple() && is_same_each_time(loop, load->getPointerOperand());
    return isa<AtomicRMWInst, AtomicCmpXchgInst>(i) && all_of(i.operands(), [&](const Use &u) { return loop.isLoopInvariant(u); });
}

/* A volatile variable of the procedure that nobody else can see: it is read and written where it stands, its address goes nowhere. */
static const AllocaInst *own_variable(const Value *address) {
    auto *variable = dyn_cast<AllocaInst>(address);
    if (!variable)
        return nullptr;
    for (const User *u : variable->users()) {
        auto *store = dyn_cast<StoreInst>(u);
        auto *mark = dyn_cast<IntrinsicInst>(u);
        if (!isa<LoadInst>(u) && !(store && store->getPointerOperand() == variable && store->getValueOperand() != variable) &&
            !(mark && mark->isLifetimeStartOrEnd()))
            return nullptr;
    }
    return variable;
}

/* The own variable that counts the looks, `volatile long i; while (!flag && i < n) i++`, if the store does that: adds to what the variable has. */
static const AllocaInst *counted_by(const Loop &loop, const Instruction &i) {
    auto *store = dyn_cast<StoreInst>(&i);
    auto *sum = store && store->isVolatile() ? dyn_cast<BinaryOperator>(store->getValueOperand()) : nullptr;
    if (!sum || (sum->getOpcode() != Instruction::Add && sum->getOpcode() != Instruction::Sub) || !loop.isLoopInvariant(sum->getOperand(1)))
        return nullptr;
    auto *before = dyn_cast<LoadInst>(sum->getOperand(0));
    return before && before->getPointerOperand() == store->getPointerOperand() ? own_variable(store->getPointerOperand()) : nullptr;
}

using Counters = SmallPtrSet<const Value *, 2>;

/* Is what `value` is made of within the loop looks, and does it come from `phi` as well? */
static void trace(const Loop &loop, const Counters &counters, const Value *value, const PHINode *phi, bool *looks, bool *again) {
    SmallVector<const Value *, 16> left{value};
    SmallPtrSet<const Value *, 32> seen;
    while (!left.empty()) {
        auto *i = dyn_cast<Instruction>(left.pop_back_val());
        if (!i || !loop.contains(i) || !seen.insert(i).second)
            continue;
        *again = *again || i == phi;
        *looks = *looks || (is_look(loop, *i) && !counters.count(getLoadStorePointerOperand(i)));
        left.append(i->value_op_begin(), i->value_op_end());
    }
}

/* Does the loop look again and again at what others write, until that changes, and do nothing with it but compare? */
static bool is_wait_itself(const Loop &loop) {
    bool pauses = false, asks = false, ends = false;
    Counters counters;
    for (const BasicBlock *b : loop.blocks())
        for (const Instruction &i : *b)
            if (const AllocaInst *variable = counted_by(loop, i))
                counters.insert(variable);
    for (const BasicBlock *b : loop.blocks())
        for (const Instruction &i : *b) {
            if (counters.count(getLoadStorePointerOperand(&i)) && (isa<LoadInst>(i) || counted_by(loop, i)))
                continue;
            auto *call = dyn_cast<CallBase>(&i);
            bool pause = call && is_pause(*call), nothing = isa<IntrinsicInst>(i) && !i.mayReadOrWriteMemory();
            bool look = is_look(loop, i);
            pauses = pauses || pause;
            asks = asks || look || pause;
            if (look || pause || nothing || isa<FenceInst, DbgInfoIntrinsic>(i))
                continue;
            auto *load = dyn_cast<LoadInst>(&i);
            if (call || i.mayWriteToMemory() || (load && !is_same_each_time(loop, load->getPointerOperand())))
                return false;
        }
    if (!asks)
        return false;
    for (const PHINode &phi : loop.getHeader()->phis()) { /* what adds up what it has read is work */
        bool looks = false, again = false;
        for (unsigned k = 0; k < phi.getNumIncomingValues(); k++)
            if (loop.contains(phi.getIncomingBlock(k)))
                trace(loop, counters, phi.getIncomingValue(k), &phi, &looks, &again);
        if (looks && again)
            return false;
    }
    SmallVector<BasicBlock *, 8> exiting;
    loop.getExitingBlocks(exiting);
    for (const BasicBlock *b : exiting) {
        bool again = false;
        trace(loop, counters, b->getTerminator(), nullptr, &ends, &again);
    }
    return ends || pauses;
}

/* Or is it one look of a loop round it that does: how many of the others are not there yet? */
static bool is_wait(const Loop &loop) {
    const Loop *round = loop.getParentLoop();
    return is_wait_itself(loop) || (round && is_wait_itself(*round));
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

namespace {

/* Scalar evolution and what stands on it, of our own: what it has been asked decides the form of what it answers later, so
 * the compiler's own must not be asked. Made for the first loop that needs it. */
struct Evolution {
    ScalarEvolution se;
    AAResults aliases;
    BasicAAResult basic;
    TypeBasedAAResult by_type;
    ScopedNoAliasAAResult by_scope;
    LoopAccessInfoManager accesses;
    Evolution(Function &f, TargetLibraryInfo &library, TargetTransformInfo &target, AssumptionCache &assumptions,
              DominatorTree &dominators, LoopInfo &loops)
        : se(f, library, assumptions, dominators, loops), aliases(library),
          basic(f.getParent()->getDataLayout(), f, library, assumptions, &dominators),
          accesses(se, aliases, dominators, loops, &target, &library) {
        aliases.addAAResult(basic);
        aliases.addAAResult(by_scope);
        aliases.addAAResult(by_type);
    }
};

} // namespace

/* Blocks that leave the loop in order: an exception is its call's, and a switch without a default has a way to where nothing is. */
static unsigned count_exits(const Loop &loop, bool *has_dead_end) {
    SmallVector<Loop::Edge, 8> edges;
    SmallPtrSet<const BasicBlock *, 8> exiting;
    loop.getExitEdges(edges);
    for (const auto &[from, to] : edges)
        if (isa<UnreachableInst>(to->getFirstNonPHIOrDbg()))
            *has_dead_end = true;
        else if (!to->isEHPad())
            exiting.insert(from);
    return exiting.size();
}

static bool is_vector(const Type *t) {
    auto *v = dyn_cast<FixedVectorType>(t);
    return isa<ScalableVectorType>(t) || (v && v->getNumElements() > 1);
}

/* Is the instruction one of work on data: not of addresses, the way through the loop, its count, or what is told of it? */
static bool is_work(const Loop &loop, const Instruction &i) {
    if (isa<CmpInst>(i) && all_of(i.users(), [](const User *u) { return cast<Instruction>(u)->isTerminator(); }))
        return false;
    if (auto *phi = isa<BinaryOperator>(i) ? dyn_cast<PHINode>(i.getOperand(0)) : nullptr)
        if (phi->getParent() == loop.getHeader() && is_contained(phi->incoming_values(), &i) && loop.isLoopInvariant(i.getOperand(1)) && i.getType()->isIntegerTy())
            return false;
    if (auto *call = dyn_cast<IntrinsicInst>(&i))
        return !call->isAssumeLikeIntrinsic();
    return isa<LoadInst, StoreInst, BinaryOperator, UnaryOperator, CmpInst, SelectInst, CastInst, ShuffleVectorInst, InsertElementInst, ExtractElementInst>(i);
}

/* Is more than half of the loop's work on vectors, as where the source has vector types or intrinsics? */
static bool is_vector_code(const Loop &loop) {
    unsigned work = 0, vectors = 0;
    for (const BasicBlock *b : loop.blocks())
        for (const Instruction &i : *b)
            if (is_work(loop, i)) {
                work++;
                vectors += is_vector(i.getType()) || any_of(i.operands(), [](const Use &u) { return is_vector(u->getType()); });
            }
    return 2 * vectors > work;
}

/* Is a value that the loop carries on the larger or smaller of itself and another one, by a comparison that the vectoriser does not take for one, as it may be of a NaN or
 * of two zeros? Not so where the comparison decides of another value as well, as of the place of the largest: no option makes vectors of that. */
static bool has_extreme(const Loop &loop) {
    const BasicBlock *latch = loop.getLoopLatch();
    const Function *function = loop.getHeader()->getParent();
    if (!latch || (function->getFnAttribute("no-nans-fp-math").getValueAsBool() && function->getFnAttribute("no-signed-zeros-fp-math").getValueAsBool()))
        return false;
    for (const PHINode &phi : loop.getHeader()->phis()) {
        const Value *next = phi.getType()->isFloatingPointTy() ? phi.getIncomingValueForBlock(latch) : nullptr;
        const auto *select = dyn_cast_or_null<SelectInst>(next);
        const auto *compare = select ? dyn_cast<FCmpInst>(select->getCondition()) : nullptr;
        const auto *call = dyn_cast_or_null<IntrinsicInst>(next);
        if (compare && compare->hasOneUse()) {
            const Value *a = compare->getOperand(0), *b = compare->getOperand(1), *t = select->getTrueValue(), *f = select->getFalseValue();
            if ((t == &phi || f == &phi) && ((a == t && b == f) || (a == f && b == t)) && !(select->hasNoNaNs() && select->hasNoSignedZeros()))
                return true;
        }
        if (call && (call->getIntrinsicID() == Intrinsic::maxnum || call->getIntrinsicID() == Intrinsic::minnum) && is_contained(call->args(), &phi))
            return true;
    }
    return false;
}

/* Are all uses of the value behind the loop stores of it? */
static bool is_only_stored(const Loop &loop, const Value *value) {
    bool any = false;
    for (const User *u : value->users()) {
        auto *i = cast<Instruction>(u);
        if (loop.contains(i))
            continue;
        auto *phi = dyn_cast<PHINode>(i);
        auto stores = [](const Value *of, const User *by) { auto *s = dyn_cast<StoreInst>(by); return s && s->getValueOperand() == of; };
        if (!(phi ? all_of(phi->users(), [&](const User *by) { return stores(phi, by); }) : stores(value, u)))
            return false;
        any = true;
    }
    return any;
}

/* Where a value is set that the loop carries on for nothing but to store it at the end: some iterations set it, for their own use, others keep it. NULL: the phi is none such. */
static const Instruction *set_for_itself(const Loop &loop, const PHINode &phi) {
    SmallPtrSet<const Instruction *, 8> web;
    SmallVector<const Instruction *, 8> left{&phi};
    const Instruction *set = nullptr;
    bool stored = false;
    while (!left.empty()) {
        const Instruction *i = left.pop_back_val();
        if (!web.insert(i).second)
            continue;
        if (web.size() > 64)
            return nullptr;
        stored = stored || is_only_stored(loop, i);
        for (const User *u : i->users()) {
            auto *by = cast<Instruction>(u);
            if (!loop.contains(by)) {
                if (!is_only_stored(loop, i))
                    return nullptr;
                continue;
            }
            if (!isa<PHINode>(by) && !(isa<SelectInst>(by) && by->getOperand(0) != i))
                return nullptr;
            left.push_back(by);
        }
    }
    for (const Instruction *i : web)
        for (const Use &v : i->operands()) {
            auto *from = dyn_cast<Instruction>(v.get());
            if (!from || !loop.contains(from) || web.contains(from) || (isa<SelectInst>(i) && v.getOperandNo() == 0))
                continue;
            if (isa<PHINode>(from) || none_of(from->users(), [&](const User *u) { return loop.contains(cast<Instruction>(u)) && !web.contains(cast<Instruction>(u)); }))
                return nullptr;
            set = set ? set : from;
        }
    return stored ? set : nullptr;
}

/* Variables that each iteration sets for its own use, but that are not the procedure's alone: in memory, written before they are read; or carried on to be stored at the end. */
static void find_own_variables(const Loop &loop, const DominatorTree &dominators, hsc_ir_loop_facts *facts) {
    SmallVector<const Instruction *, 8> found;
    SmallPtrSet<const Value *, 8> seen;
    const BasicBlock *latch = loop.getLoopLatch();
    for (const BasicBlock *b : loop.blocks())
        for (const Instruction &i : *b) {
            auto *s = dyn_cast<StoreInst>(&i);
            if (!s || !latch || !s->isSimple() || !loop.isLoopInvariant(s->getPointerOperand()) || !dominators.dominates(b, latch) || !seen.insert(s->getPointerOperand()).second)
                continue;
            bool read = false, first = true;
            for (const User *u : s->getPointerOperand()->users())
                if (auto *l = dyn_cast<LoadInst>(u); l && loop.contains(l)) {
                    read = true;
                    first = first && l->isSimple() && dominators.dominates(s, l);
                }
            if (read && first)
                found.push_back(s);
        }
    for (const PHINode &phi : loop.getHeader()->phis())
        if (auto *set = set_for_itself(loop, phi))
            found.push_back(set);
    for (const Instruction *i : found) {
        hsc_ir_loc loc;
        if (hsc_ir_get_loc(wrap(const_cast<Instruction *>(i)), &loc) && loc.line && !facts->n_own++)
            facts->own = loc;
    }
}

/* Facts of the loop; true when it has accesses that can depend on each other. */
static bool take_facts(hsc_pass *pass, Function &f, Loop &loop, const DominatorTree &dominators, hsc_ir_loop_facts *facts) {
    facts->function = wrap(&f);
    fill_region(loop, &facts->region);
    const SmallVector<const void *, 32> blocks(loop.block_begin(), loop.block_end());
    facts->blocks = blocks.data();
    facts->n_blocks = blocks.size();
    facts->exits = count_exits(loop, &facts->has_dead_end);
    unsigned stores = 0, loads = 0;
    for (BasicBlock *b : loop.blocks())
        for (Instruction &i : *b) {
            bool stores_it = isa<StoreInst>(i);
            stores += stores_it;
            if (stores_it || isa<LoadInst>(i)) {
                loads += !stores_it;
                facts->has_indirect = facts->has_indirect || is_indirect(loop, i);
            } else {
                facts->has_call = facts->has_call || is_call(i);
                facts->has_throw = facts->has_throw || isa<InvokeInst>(i);
                facts->has_switch = facts->has_switch || isa<SwitchInst>(i);
            }
            facts->has_atomic = facts->has_atomic || i.isAtomic();
        }
    facts->has_extreme = has_extreme(loop);
    find_own_variables(loop, dominators, facts);
    facts->is_disabled = is_disabled(loop);
    facts->is_wait = is_wait(loop);
    facts->is_vectorized = getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized");
    facts->is_vector_code = !facts->is_vectorized && is_vector_code(loop);
    if (const DILocation *begin = loop.getStartLoc().get())
        hsc_ir_get_loc_of_node(wrap(begin), &facts->begin);
    hsc_pass_take_loop_facts(pass, facts);
    facts->blocks = nullptr;
    return stores && stores + loads >= 2 && loop.getLoopPreheader() && loop.getLoopLatch();
}

/* Accesses of the loop whose address is one of these. */
template <typename Pointers> static std::vector<hsc_ir_loc> list_accesses(const Loop &loop, const Pointers &pointers) {
    std::vector<hsc_ir_loc> locs;
    for (BasicBlock *b : loop.blocks())
        for (Instruction &i : *b) {
            const Value *pointer = getLoadStorePointerOperand(&i);
            hsc_ir_loc loc;
            if (pointer && pointers.count(pointer) && hsc_ir_get_loc(wrap(&i), &loc) && loc.line)
                locs.push_back(loc);
        }
    return locs;
}

static void take_strides(hsc_pass *pass, Function &f, Loop &loop, const hsc_ir_loop_facts &facts, const LoopAccessInfo &info) {
    SmallPtrSet<const Value *, 16> pointers;
    for (const auto &[pointer, stride] : info.getSymbolicStrides())
        pointers.insert(pointer);
    std::vector<hsc_ir_loc> locs = list_accesses(loop, pointers);
    if (locs.empty())
        return;
    hsc_ir_memory_check out = {};
    out.function = wrap(&f);
    out.region = facts.region;
    out.accesses = locs.data();
    out.n_accesses = locs.size();
    hsc_pass_take_stride_check(pass, &out);
}

static void take_dependences(hsc_pass *pass, Function &f, Loop &loop, const hsc_ir_loop_facts &facts,
                             Evolution &evolution) {
    ScalarEvolution &se = evolution.se;
    const LoopAccessInfo &info = evolution.accesses.getInfo(loop);
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
    take_strides(pass, f, loop, facts, info);
    const RuntimePointerChecking *checks = info.getRuntimePointerChecking();
    if (!checks || !checks->Need || !checks->getNumberOfChecks())
        return;
    SmallPtrSet<const Value *, 16> pointers;
    for (const auto &p : checks->Pointers)
        pointers.insert(p.PointerValue);
    std::vector<hsc_ir_loc> locs = list_accesses(loop, pointers);
    hsc_ir_memory_check out = {};
    out.function = wrap(&f);
    out.region = facts.region;
    out.comparisons = checks->getNumberOfChecks();
    out.accesses = locs.data();
    out.n_accesses = locs.size();
    hsc_pass_take_memory_check(pass, &out);
}

extern "C" unsigned hsc_ir_vector_bytes(const void *analyses, LLVMValueRef function) {
    if (!analyses)
        return 0;
    auto *of = static_cast<FunctionAnalysisManager *>(const_cast<void *>(analyses));
    const auto &target = of->getResult<TargetIRAnalysis>(*cast<Function>(unwrap(function)));
    return static_cast<unsigned>(target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8);
}

/* The block that decides whether the code of a block is come to: before a loop the branch that asks whether there is an iteration. */
static BasicBlock *before(BasicBlock *block, const DominatorTree &dominators) {
    auto *node = dominators.getNode(block), *decides = node ? node->getIDom() : nullptr;
    return decides ? decides->getBlock() : block;
}

/* The first of the loops right inside, where only some iterations come by any of them: what is hot is the loop round it then, which the vectoriser does not look at. */
static const Loop *rare_loop_inside(const Loop &loop, DominatorTree &dominators) {
    const BasicBlock *latch = loop.getLoopLatch();
    if (loop.isInnermost() || !latch || is_disabled(loop) || getBooleanLoopAttribute(&loop, "llvm.loop.isvectorized"))
        return nullptr;
    const Loop *first = nullptr;
    SmallVector<std::pair<hsc_ir_region, BasicBlock *>, 8> ways; /* copies of a loop that stand in for each other are one */
    for (const Loop *inside : loop) {
        hsc_ir_region region = {};
        fill_region(*inside, &region);
        BasicBlock *way = inside->getLoopPreheader() ? inside->getLoopPreheader() : inside->getHeader();
        auto *same = find_if(ways, [&](const auto &w) {
            return region.key_id && w.first.key_id == region.key_id && w.first.key_module == region.key_module && w.first.loc.inlined_at == region.loc.inlined_at;
        });
        if (same == ways.end())
            ways.push_back({region, way});
        else
            same->second = dominators.findNearestCommonDominator(same->second, way);
        first = first && dominators.dominates(first->getHeader(), inside->getHeader()) ? first : inside;
    }
    return any_of(ways, [&](const auto &w) { return dominators.dominates(before(w.second, dominators), latch); }) ? nullptr : first;
}

/* The first call, of those that each iteration of the loop makes outside of the loops in it, that has no vector form; "": none. */
static StringRef call_of_each_iteration(const Loop &loop, const LoopInfo &loops, const DominatorTree &dominators) {
    for (const BasicBlock *block : loop.blocks()) {
        if (loops.getLoopFor(block) != &loop || !dominators.dominates(block, loop.getLoopLatch()))
            continue;
        for (const Instruction &i : *block) {
            auto *call = dyn_cast<CallBase>(&i);
            if (!call || call->isInlineAsm() || isa<DbgInfoIntrinsic>(call) || call->isLifetimeStartOrEnd())
                continue;
            const Function *callee = call->getCalledFunction();
            if (callee && callee->isIntrinsic()) /* of vector forms, of no code, or of memory that is copied: what becomes of these is not told by it */
                continue;
            return callee ? callee->getName() : StringRef("a pointer");
        }
    }
    return "";
}

/* Does an iteration read the address that the next one goes on with from where it is itself? */
static bool follows_list(const Loop &loop) {
    for (const PHINode &phi : loop.getHeader()->phis()) {
        auto *next = phi.getType()->isPointerTy() && loop.getLoopLatch() ? dyn_cast<LoadInst>(phi.getIncomingValueForBlock(loop.getLoopLatch())) : nullptr;
        if (next && next->getPointerOperand()->stripInBoundsOffsets() == &phi)
            return true;
    }
    return false;
}

static void take_loop_inside(hsc_pass *pass, Function &f, const Loop &loop, const Loop &inside, ScalarEvolution &se, const LoopInfo &loops, const DominatorTree &dominators) {
    hsc_ir_loop_inside out = {};
    out.function = wrap(&f);
    fill_region(loop, &out.region);
    fill_region(inside, &out.inside);
    if (const DILocation *begin = loop.getStartLoc().get())
        hsc_ir_get_loc_of_node(wrap(begin), &out.begin);
    if (const DILocation *begin = inside.getStartLoc().get())
        hsc_ir_get_loc_of_node(wrap(begin), &out.inside_begin);
    out.is_counted = !isa<SCEVCouldNotCompute>(se.getBackedgeTakenCount(&loop));
    StringRef callee = call_of_each_iteration(loop, loops, dominators);
    out.callee = {callee.data(), callee.size()};
    out.is_list = follows_list(loop);
    hsc_pass_take_loop_inside(pass, &out);
}

void look_at_waits(Session &session, Function &f) {
    const DominatorTree dominators(f);
    const LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder()) {
        if (!loop->isInnermost() || !is_wait_itself(*loop))
            continue;
        hsc_ir_loop_facts facts = {};
        facts.function = wrap(&f);
        fill_region(*loop, &facts.region);
        facts.exits = 1;
        facts.is_wait = true;
        if (const DILocation *begin = loop->getStartLoc().get())
            hsc_ir_get_loc_of_node(wrap(begin), &facts.begin);
        hsc_pass_take_loop_facts(session.pass, &facts);
    }
}

void look_at_dependences(Session &session, Function &f, FunctionAnalysisManager &analyses) {
    if (!session.pass || hsc_pass_get_module(session.pass) != wrap(f.getParent()))
        return;
    /* What follows from the control flow alone may be the compiler's own, if it is up to date. */
    auto *loops = analyses.getCachedResult<LoopAnalysis>(f);
    if (loops && loops->empty())
        return;
    auto *dominators = analyses.getCachedResult<DominatorTreeAnalysis>(f);
    std::optional<DominatorTree> own_dominators;
    std::optional<LoopInfo> own_loops;
    if (!dominators)
        dominators = &own_dominators.emplace(f);
    if (!loops)
        loops = &own_loops.emplace(*dominators);
    std::optional<AssumptionCache> assumptions;
    std::optional<Evolution> evolution;
    for (Loop *loop : loops->getLoopsInPreorder()) {
        hsc_ir_loop_facts facts = {};
        const Loop *inside = rare_loop_inside(*loop, *dominators);
        if (loop->isInnermost() ? !take_facts(session.pass, f, *loop, *dominators, &facts) : !inside)
            continue;
        if (!evolution) {
            auto &library = analyses.getResult<TargetLibraryAnalysis>(f);
            auto &target = analyses.getResult<TargetIRAnalysis>(f);
            assumptions.emplace(f, &target);
            evolution.emplace(f, library, target, *assumptions, *dominators, *loops);
        }
        if (inside)
            take_loop_inside(session.pass, f, *loop, *inside, evolution->se, *loops, *dominators);
        else
            take_dependences(session.pass, f, *loop, facts, *evolution);
    }
}
