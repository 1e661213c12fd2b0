/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bridge to LLVM's C++: registration of the pass, and what LLVM-C lacks, filled into plain C structs (ir.h). */
#include "shim.h"

#include <cstring>
#include <cstdlib>
#include <memory>
#include <string>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

static const char mark_name[] = "heatscope.module";
static const char key_name[] = "heatscope.loop";

/* The scope below all blocks that only carry a discriminator. */
static DILocalScope *source_scope(DILocalScope *scope) {
    while (auto *file_block = dyn_cast<DILexicalBlockFile>(scope)) {
        if (!file_block->getDiscriminator())
            break;
        scope = file_block->getScope();
    }
    return scope;
}

static bool fill_loc(const DILocation *loc, hsc_ir_loc *out) {
    std::memset(out, 0, sizeof *out);
    if (!loc)
        return false;
    DILocalScope *scope = source_scope(loc->getScope());
    out->line = loc->getLine();
    out->column = loc->getColumn();
    out->discriminator = out->early = loc->getDiscriminator();
    for (DIScope *s = loc->getScope(); auto *file_block = dyn_cast<DILexicalBlockFile>(s); s = file_block->getScope())
        if (file_block->getDiscriminator())
            out->early = file_block->getDiscriminator();
    out->node = wrap(loc);
    out->scope = wrap(scope);
    out->subprogram = wrap(scope->getSubprogram());
    out->file = wrap(scope->getFile());
    out->inlined_at = wrap(loc->getInlinedAt());
    return true;
}

bool hsc_ir_get_loc(LLVMValueRef instruction, hsc_ir_loc *out) {
    return fill_loc(unwrap<Instruction>(instruction)->getDebugLoc().get(), out);
}

bool hsc_ir_get_loc_of_node(LLVMMetadataRef location, hsc_ir_loc *out) {
    return fill_loc(dyn_cast_or_null<DILocation>(unwrap(location)), out);
}

static DILocation *with_discriminator(const DILocation *loc, unsigned discriminator) {
    DILocalScope *scope = source_scope(loc->getScope());
    LLVMContext &context = loc->getContext();
    if (discriminator)
        scope = DILexicalBlockFile::get(context, scope, scope->getFile(), discriminator);
    return DILocation::get(context, loc->getLine(), loc->getColumn(), scope, loc->getInlinedAt(),
                           loc->isImplicitCode());
}

void hsc_ir_set_discriminator(LLVMValueRef instruction, unsigned discriminator) {
    auto *i = unwrap<Instruction>(instruction);
    const DILocation *loc = i->getDebugLoc().get();
    if (loc && loc->getDiscriminator() != discriminator)
        i->setDebugLoc(with_discriminator(loc, discriminator));
}

void hsc_ir_set_file(LLVMValueRef instruction, const char *path) {
    auto *i = unwrap<Instruction>(instruction);
    const DILocation *loc = i->getDebugLoc().get();
    if (!loc)
        return;
    LLVMContext &context = loc->getContext();
    DILocalScope *scope = source_scope(loc->getScope());
    auto *file = DIFile::get(context, path, scope->getFile() ? scope->getFile()->getDirectory() : "");
    scope = DILexicalBlockFile::get(context, scope, file, 0);
    i->setDebugLoc(DILocation::get(context, loc->getLine(), loc->getColumn(), scope, loc->getInlinedAt(), loc->isImplicitCode()));
}

/* Two blocks round the scope: the inner one, which counts for the line table, with the place, the outer one with the early
 * id, so that a look at link time finds it as if the late look had not been. */
static DILocation *with_place(const DILocation *loc, unsigned early, unsigned place) {
    const DILocation *keyed = with_discriminator(loc, early);
    LLVMContext &context = loc->getContext();
    auto *scope = DILexicalBlockFile::get(context, keyed->getScope(), keyed->getScope()->getFile(), place);
    return DILocation::get(context, loc->getLine(), loc->getColumn(), scope, loc->getInlinedAt(), loc->isImplicitCode());
}

void hsc_ir_set_place(LLVMValueRef instruction, LLVMMetadataRef like, unsigned early, unsigned place) {
    auto *i = unwrap<Instruction>(instruction);
    const DILocation *loc = like ? unwrap<DILocation>(like) : i->getDebugLoc().get();
    if (loc)
        i->setDebugLoc(with_place(loc, early, place));
}

void hsc_ir_set_loc(LLVMValueRef instruction, LLVMMetadataRef like, unsigned discriminator) {
    unwrap<Instruction>(instruction)->setDebugLoc(with_discriminator(unwrap<DILocation>(like), discriminator));
}

LLVMMetadataRef hsc_ir_loc_at(LLVMMetadataRef hidden, LLVMMetadataRef like) {
    auto *from = unwrap<DILocation>(hidden), *to = unwrap<DILocation>(like);
    if (from->getFile() != to->getFile())
        return like;
    return wrap(DILocation::get(from->getContext(), to->getLine(), to->getColumn(), from->getScope(), from->getInlinedAt()));
}

void hsc_ir_make_loc(LLVMValueRef instruction, LLVMMetadataRef subprogram, unsigned line, unsigned column,
                     unsigned discriminator) {
    DILocalScope *scope = unwrap<DISubprogram>(subprogram);
    LLVMContext &context = scope->getContext();
    scope = DILexicalBlockFile::get(context, scope, scope->getFile(), discriminator);
    unwrap<Instruction>(instruction)->setDebugLoc(DILocation::get(context, line, column, scope));
}

bool hsc_ir_get_block_start(LLVMMetadataRef scope, unsigned *line, unsigned *column) {
    auto *block = dyn_cast_or_null<DILexicalBlock>(unwrap(scope));
    if (!block)
        return false;
    *line = block->getLine();
    *column = block->getColumn();
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void hsc_ir_get_file(LLVMMetadataRef file, hsc_ir_file *out) {
    auto *f = unwrap<DIFile>(file);
    std::memset(out, 0, sizeof *out);
    out->path = text_of(f->getFilename());
    out->directory = text_of(f->getDirectory());
    auto sum = f->getChecksum();
    if (!sum || sum->Kind != DIFile::CSK_MD5 || sum->Value.size() != 32)
        return;
    for (int i = 0; i < 16; i++) {
        int high = hex_digit(sum->Value[2 * i]), low = hex_digit(sum->Value[2 * i + 1]);
        if (high < 0 || low < 0)
            return;
        out->md5[i] = static_cast<uint8_t>(high << 4 | low);
    }
    out->has_md5 = true;
}

void hsc_ir_get_subprogram(LLVMMetadataRef subprogram, hsc_ir_subprogram *out) {
    auto *s = unwrap<DISubprogram>(subprogram);
    std::memset(out, 0, sizeof *out);
    out->name = text_of(s->getName());
    out->linkage_name = text_of(s->getLinkageName());
    out->file = wrap(s->getFile());
    out->unit = wrap(s->getUnit());
    if (auto *scope = dyn_cast_or_null<DILocalScope>(s->getScope()))
        out->scope_subprogram = wrap(scope->getSubprogram());
    out->line = s->getLine();
    out->is_artificial = s->isArtificial();
    out->is_local = s->isLocalToUnit();
    out->is_main = s->isMainSubprogram();
}

LLVMMetadataRef hsc_ir_get_function_subprogram(LLVMValueRef function) {
    return wrap(unwrap<Function>(function)->getSubprogram());
}

void hsc_ir_get_unit(LLVMModuleRef module, hsc_ir_unit *out) {
    Module *m = unwrap(module);
    std::memset(out, 0, sizeof *out);
    for (DICompileUnit *unit : m->debug_compile_units()) {
        out->units++;
        if (unit->getDebugInfoForProfiling())
            out->profile_discriminators = true;
        if (out->units > 1)
            continue;
        out->name = text_of(unit->getFilename());
        out->directory = text_of(unit->getDirectory());
        out->producer = text_of(unit->getProducer());
        out->language = unit->getSourceLanguage();
        out->has_lines = unit->getEmissionKind() == DICompileUnit::FullDebug ||
                         unit->getEmissionKind() == DICompileUnit::LineTablesOnly;
        out->has_scopes = unit->getEmissionKind() == DICompileUnit::FullDebug;
    }
    /* clang and flang set one of these when the code goes on to the linker as bitcode */
    for (const char *flag : {"ThinLTO", "EnableSplitLTOUnit", "UnifiedLTO"})
        out->for_link = out->for_link || m->getModuleFlag(flag);
    if (m->getNamedMetadata("llvm.pseudo_probe_desc"))
        out->profile_discriminators = true;
    out->dwarf_version = m->getDwarfVersion();
    out->is_elf = Triple(m->getTargetTriple()).isOSBinFormatELF();
    out->has_map = m->getNamedMetadata(mark_name) != nullptr;
}

static uint64_t int_operand(const MDNode *node, unsigned i) {
    auto *c = i < node->getNumOperands() ? mdconst::dyn_extract_or_null<ConstantInt>(node->getOperand(i)) : nullptr;
    return c ? c->getZExtValue() : 0;
}

/* {tag} or, for the look at link time, {tag, compile unit, records} */
void hsc_ir_mark(LLVMModuleRef module, uint64_t module_tag, const void *records, size_t size) {
    Module *m = unwrap(module);
    LLVMContext &context = m->getContext();
    SmallVector<Metadata *, 3> operands{ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(context), module_tag))};
    if (records) {
        operands.push_back(*m->debug_compile_units_begin());
        operands.push_back(MDString::get(context, StringRef(static_cast<const char *>(records), size)));
    }
    m->getOrInsertNamedMetadata(mark_name)->addOperand(MDNode::get(context, operands));
}

bool hsc_ir_get_mark(LLVMModuleRef module, unsigned index, hsc_ir_mark_text *out) {
    const NamedMDNode *marks = unwrap(module)->getNamedMetadata(mark_name);
    std::memset(out, 0, sizeof *out);
    if (!marks || index >= marks->getNumOperands())
        return false;
    const MDNode *mark = marks->getOperand(index);
    out->tag = int_operand(mark, 0);
    if (mark->getNumOperands() > 2) {
        out->unit = wrap(dyn_cast_or_null<DICompileUnit>(mark->getOperand(1)));
        if (auto *records = dyn_cast_or_null<MDString>(mark->getOperand(2)))
            out->records = text_of(records->getString());
    }
    return true;
}

/* Did the vectoriser make this loop? It says so with a number; a pragma's wish for what is to be done after it (`followup`) without, in a node of
 * its own within the loop's. */
static bool says_vectorized(const MDNode *attribute) {
    auto *name = attribute->getNumOperands() ? dyn_cast_or_null<MDString>(attribute->getOperand(0)) : nullptr;
    return name && name->getString() == "llvm.loop.isvectorized" && (attribute->getNumOperands() == 1 || int_operand(attribute, 1) != 0);
}

static bool is_vectorized(const MDNode *attribute) {
    if (says_vectorized(attribute))
        return true;
    if (!attribute->getNumOperands() || attribute->getOperand(0) != attribute)
        return false;
    return any_of(drop_begin(attribute->operands()), [](const MDOperand &within) {
        auto *node = dyn_cast_or_null<MDNode>(within);
        return node && says_vectorized(node);
    });
}

bool hsc_ir_get_loop(LLVMValueRef branch, hsc_ir_loop *out) {
    std::memset(out, 0, sizeof *out);
    MDNode *node = unwrap<Instruction>(branch)->getMetadata(LLVMContext::MD_loop);
    if (!node)
        return false;
    out->node = wrap(node);
    for (unsigned i = 1; i < node->getNumOperands(); i++) {
        Metadata *operand = node->getOperand(i);
        if (auto *loc = dyn_cast_or_null<DILocation>(operand)) {
            (out->begin ? out->end : out->begin) = wrap(loc);
            continue;
        }
        auto *attribute = dyn_cast_or_null<MDNode>(operand);
        if (!attribute)
            continue;
        out->is_vectorized = out->is_vectorized || is_vectorized(attribute);
        auto *name = attribute->getNumOperands() ? dyn_cast_or_null<MDString>(attribute->getOperand(0)) : nullptr;
        if (!name)
            continue;
        StringRef s = name->getString();
        if (s == "llvm.loop.unroll.runtime.disable")
            out->is_vector_body = out->is_vectorized; /* the vectoriser adds it to its body behind its mark, to the scalar rest before it or not at all */
        else if (s == "llvm.loop.peeled.count")
            out->peeled = static_cast<uint32_t>(int_operand(attribute, 1));
        else if (s == key_name) {
            out->has_key = true;
            out->key_id = static_cast<uint32_t>(int_operand(attribute, 1));
            out->key_module = int_operand(attribute, 2);
        }
    }
    return true;
}

LLVMMetadataRef hsc_ir_make_loop_node(LLVMContextRef context, LLVMMetadataRef node, uint32_t id, uint64_t module_tag) {
    LLVMContext &c = *unwrap(context);
    SmallVector<Metadata *, 8> operands;
    operands.push_back(nullptr); /* to become the node itself */
    if (node) {
        auto *old = unwrap<MDNode>(node);
        for (unsigned i = 1; i < old->getNumOperands(); i++)
            operands.push_back(old->getOperand(i));
    }
    Metadata *key[] = {MDString::get(c, key_name),
                       ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), id)),
                       ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(c), module_tag))};
    operands.push_back(MDNode::get(c, key));
    MDNode *made = MDNode::getDistinct(c, operands);
    made->replaceOperandWith(0, made);
    return wrap(made);
}

void hsc_ir_set_loop_node(LLVMValueRef branch, LLVMMetadataRef node) {
    unwrap<Instruction>(branch)->setMetadata(LLVMContext::MD_loop, unwrap<MDNode>(node));
}

unsigned hsc_ir_vector_lanes(LLVMValueRef instruction, bool *scalable) {
    auto *i = unwrap<Instruction>(instruction);
    Type *type = i->getType();
    if (auto *store = dyn_cast<StoreInst>(i))
        type = store->getValueOperand()->getType();
    auto *vector = dyn_cast<VectorType>(type);
    *scalable = vector && vector->getElementCount().isScalable();
    return vector ? vector->getElementCount().getKnownMinValue() : 0;
}

static bool has_version_domain(const MDNode *scopes) {
    for (const MDOperand &operand : scopes->operands()) {
        auto *scope = dyn_cast_or_null<MDNode>(operand.get());
        auto *domain = scope && scope->getNumOperands() > 1 ? dyn_cast_or_null<MDNode>(scope->getOperand(1)) : nullptr;
        auto *name = domain && domain->getNumOperands() > 1 ? dyn_cast_or_null<MDString>(domain->getOperand(1)) : nullptr;
        if (name && name->getString() == "LVerDomain")
            return true;
    }
    return false;
}

bool hsc_ir_is_checked_access(LLVMValueRef instruction) {
    auto *i = unwrap<Instruction>(instruction);
    for (unsigned kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
        if (MDNode *scopes = i->getMetadata(kind))
            if (has_version_domain(scopes))
                return true;
    return false;
}

bool hsc_ir_accesses_memory(LLVMValueRef instruction) {
    const auto *i = unwrap<Instruction>(instruction);
    const auto *intrinsic = dyn_cast<IntrinsicInst>(i);
    return i->mayReadOrWriteMemory() && !(intrinsic && intrinsic->isAssumeLikeIntrinsic());
}

bool hsc_ir_copies_memory(LLVMValueRef instruction) {
    return isa<MemIntrinsic>(unwrap<Instruction>(instruction));
}

bool hsc_ir_demangle(const char *symbol, char *buffer, size_t size) {
    if (std::strncmp(symbol, "_Z", 2) && std::strncmp(symbol, "___Z", 4))
        return false;
    char *text = itaniumDemangle(symbol, /*ParseParams=*/false);
    if (!text)
        return false;
    std::strncpy(buffer, text, size - 1);
    buffer[size - 1] = 0;
    std::free(text);
    return true;
}

bool hsc_ir_uses_sample_profile(LLVMValueRef function) {
    return unwrap<Function>(function)->hasFnAttribute("use-sample-profile");
}

namespace {

struct Message : DiagnosticInfo {
    const char *text;
    mutable bool is_printed = false;
    Message(const char *t, DiagnosticSeverity severity)
        : DiagnosticInfo(static_cast<DiagnosticKind>(getNextAvailablePluginDiagnosticKind()), severity), text(t) {}
    void print(DiagnosticPrinter &printer) const override {
        is_printed = true;
        printer << "heatscope: " << text;
    }
};

} // namespace

/* clang and the linkers have the text printed, and decide what becomes of it; flang 19 drops whatever is no optimisation remark of LLVM's own, errors
 * too, without looking at it. Then it goes to stderr from here. */
static bool is_told(LLVMModuleRef module, const char *text, DiagnosticSeverity severity, const char *word) {
    Message message(text, severity);
    unwrap(module)->getContext().diagnose(message);
    if (!message.is_printed)
        errs() << word << ": heatscope: " << text << '\n';
    return message.is_printed;
}

void hsc_ir_warn(LLVMModuleRef module, const char *text) {
    is_told(module, text, DS_Warning, "warning");
}

void hsc_ir_say(LLVMModuleRef module, const char *text) {
    is_told(module, text, DS_Remark, "remark");
}

void hsc_ir_fail(LLVMModuleRef module, const char *text) {
    if (!is_told(module, text, DS_Error, "error")) {
        sys::RunInterruptHandlers(); /* removes files that are half written */
        sys::Process::Exit(EXIT_FAILURE, /*NoCleanup=*/true);
    }
}

hsc_ir_text hsc_ir_get_name(LLVMValueRef value) {
    return text_of(unwrap(value)->getName());
}

namespace {

struct EarlyLook : PassInfoMixin<EarlyLook> {
    std::shared_ptr<Session> session;
    const char *level;
    EarlyLook(std::shared_ptr<Session> s, const char *l) : session(std::move(s)), level(l) {}
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &) {
        hsc_pass_free(session->pass);
        session->pass = hsc_pass_new(wrap(&m), level, session->profile_discriminators);
        hsc_pass_early(session->pass);
        catch_remarks(session, m.getContext());
        return PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

/* At link time, instead of the early look: what the compilers left in the bitcode is read where it is needed. */
struct LinkLook : PassInfoMixin<LinkLook> {
    std::shared_ptr<Session> session;
    const char *level;
    bool whole; /* all units of the program in one module */
    LinkLook(std::shared_ptr<Session> s, const char *l, bool w) : session(std::move(s)), level(l), whole(w) {}
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &) {
        if (session->pass && hsc_pass_get_module(session->pass) == wrap(&m))
            return PreservedAnalyses::all(); /* it is being compiled */
        hsc_pass_free(session->pass);
        session->pass = hsc_pass_new_at_link(wrap(&m), level, whole);
        session->at_link = session->pass != nullptr;
        if (session->at_link)
            catch_remarks(session, m.getContext());
        return PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

struct LateLook : PassInfoMixin<LateLook> {
    std::shared_ptr<Session> session;
    explicit LateLook(std::shared_ptr<Session> s) : session(std::move(s)) {}
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &) {
        if (session->pass && hsc_pass_get_module(session->pass) == wrap(&m)) {
            release_remarks(*session, m.getContext());
            bool changes = hsc_pass_has_probes(session->pass);
            for (Function &f : m)
                if (!f.isDeclaration() && (f.hasOptNone() || hsc_pass_is_unoptimised(session->pass))) {
                    hsc_pass_take_unoptimised(session->pass, wrap(&f));
                    look_at_waits(*session, f);
                }
            hsc_pass_late(session->pass, session->functions);
            hsc_pass_free(session->pass);
            session->pass = nullptr;
            if (changes)
                return PreservedAnalyses::none();
        }
        return PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

} // namespace

namespace {

/* A loop that nothing is left of, as when it has become a call of memset: simplification has made it end at once. */
static bool is_empty(const Loop &loop) {
    for (const BasicBlock *b : loop.blocks())
        for (const Instruction &i : *b) {
            if (i.mayHaveSideEffects())
                return false;
            for (const User *user : i.users())
                if (!loop.contains(cast<Instruction>(user)))
                    return false;
        }
    return true;
}

/* Between the simplification of induction variables and full unrolling, where scalar evolution has just looked at the loop
 * and will again: asks, and changes nothing. */
struct TripLook : PassInfoMixin<TripLook> {
    std::shared_ptr<Session> session;
    explicit TripLook(std::shared_ptr<Session> s) : session(std::move(s)) {}
    PreservedAnalyses run(Loop &loop, LoopAnalysisManager &, LoopStandardAnalysisResults &results, LPMUpdater &) {
        BasicBlock *latch = loop.getLoopLatch();
        if (session->pass && latch && hsc_pass_get_module(session->pass) == wrap(latch->getModule()) && !is_empty(loop)) {
            hsc_ir_trips trips = {};
            trips.latch = wrap(latch->getTerminator());
            trips.exact = results.SE.getSmallConstantTripCount(&loop);
            trips.max = results.SE.getSmallConstantMaxTripCount(&loop);
            trips.multiple = results.SE.getSmallConstantTripMultiple(&loop);
            hsc_pass_take_trips(session->pass, &trips);
        }
        return PreservedAnalyses::all();
    }
};

} // namespace

static const char *level_text(OptimizationLevel level) {
    if (level.getSizeLevel() == 1)
        return "Os";
    if (level.getSizeLevel() == 2)
        return "Oz";
    switch (level.getSpeedupLevel()) {
    case 0: return "O0";
    case 1: return "O1";
    case 2: return "O2";
    default: return "O3";
    }
}

namespace {

/* PassBuilder's profile options have no getter in LLVM 19; naming the member in an explicit instantiation is allowed
 * whatever its access. */
template <class Tag, typename Tag::member pointer> struct Grant {
    friend typename Tag::member member_of(Tag) { return pointer; }
};
struct ProfileOptions {
    using member = std::optional<PGOOptions> PassBuilder::*;
    friend member member_of(ProfileOptions);
};
template struct Grant<ProfileOptions, &PassBuilder::PGOOpt>;

} // namespace

static void register_callbacks(PassBuilder &builder) {
    auto session = std::make_shared<Session>();
    if (const auto &options = builder.*member_of(ProfileOptions()))
        session->profile_discriminators = options->PseudoProbeForProfiling || options->DebugInfoForProfiling ||
                                          options->Action == PGOOptions::SampleUse;
    builder.registerPipelineStartEPCallback([session](ModulePassManager &passes, OptimizationLevel level) {
        passes.addPass(EarlyLook(session, level_text(level)));
    });
    /* the first points of ThinLTO's back ends and of full link-time optimisation; the former is one of compilations too */
    builder.registerPipelineEarlySimplificationEPCallback([session](ModulePassManager &passes, OptimizationLevel level) {
        passes.addPass(LinkLook(session, level_text(level), false));
    });
    builder.registerFullLinkTimeOptimizationEarlyEPCallback([session](ModulePassManager &passes, OptimizationLevel level) {
        passes.addPass(LinkLook(session, level_text(level), true));
    });
    builder.registerAnalysisRegistrationCallback(
        [session](FunctionAnalysisManager &functions) { session->functions = &functions; });
    /* Not the extension point before the vectoriser: there loops have not got the form yet in which it looks at them. */
    if (PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks())
        callbacks->registerBeforeNonSkippedPassCallback([session](StringRef pass, Any unit) {
            if (pass != "LoopVectorizePass" || !session->functions)
                return;
            if (auto *function = any_cast<const Function *>(&unit))
                look_at_dependences(*session, const_cast<Function &>(**function), *session->functions);
        });
    builder.registerLateLoopOptimizationsEPCallback([session](LoopPassManager &passes, OptimizationLevel level) {
        if (level != OptimizationLevel::O0) /* there a loop pass brings along others, which change the code */
            passes.addPass(TripLook(session));
    });
    builder.registerOptimizerLastEPCallback(
        [session](ModulePassManager &passes, OptimizationLevel) { passes.addPass(LateLook(session)); });
    builder.registerFullLinkTimeOptimizationLastEPCallback(
        [session](ModulePassManager &passes, OptimizationLevel) { passes.addPass(LateLook(session)); });
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
    /* flang makes no assembly parser and would refuse module-level assembly; the compiler calls this once, before it
     * starts any thread. */
    InitializeNativeTargetAsmParser();
    return {LLVM_PLUGIN_API_VERSION, "heatscope", HEATSCOPE_VERSION, register_callbacks};
}
