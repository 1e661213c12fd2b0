/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code of probes: put into functions, and the table that it refers to. */
#include "shim_probe.h"

#include <string>
#include <vector>

#include <heatscope/formats/probes.h>

#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

static cl::opt<std::string> probe_option("heatscope-probe", cl::desc("probes to compile in, as heatscope cc --probe"),
                                         cl::value_desc("list"));
static cl::opt<std::string> probe_file_option("heatscope-probe-file", cl::desc("file with such a list, one a line"),
                                              cl::value_desc("file"));

const char *hsc_ir_probe_option(void) {
    return probe_option.c_str();
}

const char *hsc_ir_probe_file_option(void) {
    return probe_file_option.c_str();
}

bool hsc_ir_is_x86_64(LLVMModuleRef module) {
    return Triple(unwrap(module)->getTargetTriple()).getArch() == Triple::x86_64;
}

bool hsc_ir_refuses_probes(LLVMValueRef function) {
    auto *f = unwrap<Function>(function);
    return f->hasFnAttribute(Attribute::Naked) || f->hasFnAttribute(Attribute::NoProfile) ||
           f->hasFnAttribute(Attribute::DisableSanitizerInstrumentation) || f->getName().starts_with("heatscope.");
}

void hsc_ir_keep_from_inlining(LLVMValueRef function) {
    auto *f = unwrap<Function>(function);
    if (!f->hasFnAttribute(Attribute::AlwaysInline))
        f->addFnAttr(Attribute::NoInline);
}

LLVMValueRef hsc_ir_entry(LLVMValueRef function) {
    BasicBlock &b = unwrap<Function>(function)->getEntryBlock();
    Instruction *at = &*b.getFirstNonPHIOrDbgOrAlloca();
    for (Instruction *i = at; i; i = i->getNextNode())
        if (auto *a = dyn_cast<AllocaInst>(i); a && a->isStaticAlloca())
            at = a->getNextNode(); /* splitting before it would make it dynamic */
    return wrap(at);
}

LLVMValueRef hsc_ir_block_entry(LLVMBasicBlockRef block) {
    BasicBlock *b = unwrap(block);
    auto at = b->getFirstInsertionPt();
    return at == b->end() ? nullptr : wrap(&*at);
}

LLVMValueRef hsc_ir_split_edge(LLVMBasicBlockRef from, unsigned successor) {
    Instruction *end = unwrap(from)->getTerminator();
    BasicBlock *to = end->getSuccessor(successor);
    if (isa<IndirectBrInst>(end) || isa<CallBrInst>(end) || to->isEHPad())
        return nullptr;
    if (end->getNumSuccessors() == 1)
        return wrap(end);
    BasicBlock *made = BasicBlock::Create(end->getContext(), "heatscope.edge", to->getParent(), to);
    BranchInst *jump = BranchInst::Create(to, made);
    jump->setDebugLoc(end->getDebugLoc());
    end->setSuccessor(successor, made);
    for (PHINode &phi : to->phis()) { /* one entry for each edge; ours is one of those from `from` */
        int i = phi.getBasicBlockIndex(unwrap(from));
        phi.setIncomingBlock(static_cast<unsigned>(i), made);
    }
    return wrap(jump);
}

bool hsc_ir_is_inline_asm(LLVMValueRef call) {
    return unwrap<CallBase>(call)->isInlineAsm();
}

bool hsc_ir_is_must_tail(LLVMValueRef call) {
    auto *c = dyn_cast<CallInst>(unwrap<Instruction>(call));
    return c && c->isMustTailCall();
}

bool hsc_ir_is_tail_position(LLVMValueRef call) {
    auto *c = dyn_cast<CallInst>(unwrap<Instruction>(call));
    if (!c || !c->isTailCall())
        return false;
    auto *r = dyn_cast_or_null<ReturnInst>(c->getNextNonDebugInstruction());
    return r && (!r->getReturnValue() || r->getReturnValue() == c || isa<UndefValue>(r->getReturnValue()));
}

bool hsc_ir_is_number(const hsc_ir_number *number) {
    Type *type = unwrap(number->operand)->getType();
    if (number->bits != 8 && number->bits != 16 && number->bits != 32 && number->bits != 64)
        return false;
    return number->by_reference ? type->isPointerTy() : type->isPointerTy() ? number->bits == 64 : type->isIntegerTy();
}

static Value *as_i64(IRBuilder<> &b, const hsc_ir_number *number) {
    Value *v = unwrap(number->operand);
    if (number->by_reference)
        v = b.CreateAlignedLoad(b.getIntNTy(number->bits), v, Align(1));
    else if (v->getType()->isPointerTy())
        return b.CreatePtrToInt(v, b.getInt64Ty());
    else /* what lies above the number in a register is not part of it */
        v = b.CreateIntCast(v, b.getIntNTy(number->bits), number->is_signed);
    return b.CreateIntCast(v, b.getInt64Ty(), number->is_signed);
}

void hsc_ir_put_probe(LLVMValueRef before, LLVMValueRef word, LLVMValueRef entry, const hsc_ir_number *number,
                      LLVMValueRef like) {
    auto *at = unwrap<Instruction>(before);
    LLVMContext &c = at->getContext();
    Function *f = at->getFunction();
    DebugLoc loc = like ? unwrap<Instruction>(like)->getDebugLoc() : at->getDebugLoc();
    f->addFnAttr(Attribute::NoRedZone); /* the call below is not seen as one */
    f->removeFnAttr(Attribute::Memory); /* it reads and writes more than it did */
    IRBuilder<> b(at);
    b.SetCurrentDebugLocation(loc);
    Type *i32 = b.getInt32Ty();
    Value *armed = b.CreateICmpNE(b.CreateLoad(i32, unwrap(word)), ConstantInt::get(i32, 0));
    MDNode *weights = MDBuilder(c).createBranchWeights(1, (1u << 20) - 1);
    Instruction *then = SplitBlockAndInsertIfThen(armed, at, false, weights);
    IRBuilder<> cold(then);
    cold.SetCurrentDebugLocation(loc);
    /* which frame this is: the stack pointer may differ between entry and exit */
    Value *with = number ? as_i64(cold, number)
                         : cold.CreatePtrToInt(cold.CreateIntrinsic(Intrinsic::addressofreturnaddress, {cold.getPtrTy()}, {}),
                                              cold.getInt64Ty());
    Type *types[] = {cold.getPtrTy(), cold.getPtrTy(), cold.getInt64Ty()};
    auto *code = InlineAsm::get(FunctionType::get(cold.getVoidTy(), types, false), "movl $0, %r11d\n\tcallq *$1",
                                "*m,*m,{r10},~{r11},~{memory},~{dirflag},~{fpsr},~{flags}", true);
    CallInst *call = cold.CreateCall(code, {unwrap(word), unwrap(entry), with});
    call->addParamAttr(0, Attribute::get(c, Attribute::ElementType, i32));
    call->addParamAttr(1, Attribute::get(c, Attribute::ElementType, cold.getPtrTy()));
    call->setDoesNotThrow();
}

void hsc_ir_each_exit(LLVMValueRef function, bool exceptions, void (*put)(void *ctx, LLVMValueRef before), void *ctx) {
    auto *f = unwrap<Function>(function);
    if (f->hasPersonalityFn() && isScopedEHPersonality(classifyEHPersonality(f->getPersonalityFn())))
        exceptions = false;
    std::vector<Instruction *> exits;
    EscapeEnumerator each(*f, "heatscope.unwind", exceptions);
    while (IRBuilder<> *b = each.Next())
        exits.push_back(&*b->GetInsertPoint());
    for (Instruction *i : exits)
        put(ctx, wrap(i));
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

LLVMValueRef hsc_ir_make_placeholder(LLVMModuleRef module) {
    Module *m = unwrap(module);
    return wrap(new GlobalVariable(*m, Type::getInt8Ty(m->getContext()), false, GlobalValue::ExternalLinkage, nullptr,
                                   "heatscope.probes.placeholder"));
}

LLVMValueRef hsc_ir_table_field(LLVMValueRef placeholder, unsigned offset) {
    auto *g = unwrap<Constant>(placeholder);
    LLVMContext &c = g->getContext();
    return wrap(ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(c), g,
                                                       ConstantInt::get(Type::getInt64Ty(c), offset)));
}

/* One in each program or library: hands all its tables to the runtime, if there is one, and takes them back. Weak symbols
 * are read from the global offset table in so many words: in programs at fixed addresses the linker would make them null
 * for good. */
static Function *make_registration(Module &m, const char *name, const char *runtime, bool begin) {
    LLVMContext &c = m.getContext();
    auto *f = Function::Create(FunctionType::get(Type::getVoidTy(c), false), GlobalValue::LinkOnceODRLinkage, name, m);
    f->setVisibility(GlobalValue::HiddenVisibility);
    f->setComdat(m.getOrInsertComdat(name));
    f->addFnAttr(Attribute::NoInline);
    f->addFnAttr(Attribute::NoUnwind);
    f->setUWTableKind(UWTableKind::Default);
    IRBuilder<> b(BasicBlock::Create(c, "", f));
    auto bound = [&](const char *symbol) -> Value * {
        auto *g = m.getGlobalVariable(symbol);
        if (!g) {
            g = new GlobalVariable(m, b.getInt8Ty(), false, GlobalValue::ExternalLinkage, nullptr, symbol);
            g->setVisibility(GlobalValue::HiddenVisibility);
        }
        return g;
    };
    std::string text = std::string(".weak ") + runtime + "\n\tmovq " + runtime + "@GOTPCREL(%rip), $0";
    auto *find = InlineAsm::get(FunctionType::get(b.getPtrTy(), false), text, "=r", true);
    Value *found = b.CreateCall(find, {});
    Value *is_there = b.CreateICmpNE(found, ConstantPointerNull::get(b.getPtrTy()));
    auto *call_block = BasicBlock::Create(c, "", f), *end = BasicBlock::Create(c, "", f);
    b.CreateCondBr(is_there, call_block, end);
    b.SetInsertPoint(call_block);
    b.CreateCall(FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false), found,
                 {bound("__start_" HSC_PROBE_SECTION), bound("__stop_" HSC_PROBE_SECTION)});
    b.CreateBr(end);
    b.SetInsertPoint(end);
    b.CreateRetVoid();
    if (begin)
        appendToGlobalCtors(m, f, 101, f);
    else
        appendToGlobalDtors(m, f, 101, f);
    return f;
}

void hsc_ir_make_table(LLVMModuleRef module, LLVMValueRef placeholder, uint64_t module_tag, const hsc_ir_choice *choice,
                       const hsc_ir_probe *probes, unsigned n) {
    Module &m = *unwrap(module);
    LLVMContext &c = m.getContext();
    auto *i8 = Type::getInt8Ty(c);
    auto *i32 = Type::getInt32Ty(c);
    auto *i64 = Type::getInt64Ty(c);
    auto word = [&](uint64_t v) -> Constant * { return ConstantInt::get(i32, v); };
    auto quad = [&](uint64_t v) -> Constant * { return ConstantInt::get(i64, v); };
    std::string strings;
    std::vector<Constant *> entries;
    auto *entry_type = StructType::get(c, {i64, i32, i8, i8, Type::getInt16Ty(c)});
    for (unsigned i = 0; i < n; i++) {
        entries.push_back(ConstantStruct::get(entry_type, {quad(probes[i].tag), word(probes[i].line),
                                                           ConstantInt::get(i8, probes[i].kind),
                                                           ConstantInt::get(i8, probes[i].flags),
                                                           ConstantInt::get(Type::getInt16Ty(c), probes[i].share)}));
        strings.append(probes[i].name).push_back('\0');
        strings.append(probes[i].file).push_back('\0');
    }
    strings.append(choice->asked, choice->asked_bytes);
    while (strings.size() % 8)
        strings.push_back('\0');
    unsigned words = (n + 1) & ~1u;
    uint64_t bytes = HSC_PROBE_WORDS_AT + 4ull * words + sizeof(hsc_probe_entry) * n + strings.size();
    Constant *text = ConstantDataArray::getString(c, strings, false);
    Constant *fields[] = {word(HSC_PROBE_TABLE_VERSION), word(bytes), word(n), word(0), quad(module_tag), quad(0), quad(0),
                          quad(0), quad(0), word(choice->ppm), word(choice->looked_at), word(choice->chosen), word(choice->n_asked),
                          quad(choice->least_work), quad(choice->most_work), ConstantAggregateZero::get(ArrayType::get(i32, words)),
                          ConstantArray::get(ArrayType::get(entry_type, n), entries), text};
    auto *table = ConstantStruct::getAnon(fields);
    auto *g = new GlobalVariable(m, table->getType(), false, GlobalValue::InternalLinkage, table, "heatscope.probes");
    g->setSection(HSC_PROBE_SECTION);
    g->setAlignment(Align(8));
    unwrap<Constant>(placeholder)->replaceAllUsesWith(g);
    unwrap<GlobalVariable>(placeholder)->eraseFromParent();
    appendToUsed(m, {g}); /* kept by --gc-sections, too */
    make_registration(m, "heatscope.probes.begin", "heatscope_rt_probes_begin", true);
    make_registration(m, "heatscope.probes.end", "heatscope_rt_probes_end", false);
}
