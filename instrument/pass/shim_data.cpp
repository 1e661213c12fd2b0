/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables and types of the debug information, filled into plain C structs (ir_data.h). */
#include "ir_data.h"

#include <cstring>
#include <string>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static hsc_ir_text text_of(StringRef s) {
    return {s.data(), s.size()};
}

static void fill_variable(const DIVariable *v, const DIExpression *expression, hsc_ir_variable *out) {
    std::memset(out, 0, sizeof *out);
    out->name = text_of(v->getName());
    out->type = wrap(v->getType());
    out->file = wrap(v->getFile());
    out->line = v->getLine();
    if (auto *local = dyn_cast<DILocalVariable>(v)) {
        out->argument = local->getArg();
        out->is_artificial = local->isArtificial();
        out->is_local = true;
        const DISubprogram *of = local->getScope()->getSubprogram();
        out->subprogram = wrap(of);
        /* flang tells the unit's file of each; a procedure that is in an included one has its variables there */
        if (of && of->getUnit() && dwarf::isFortran(static_cast<dwarf::SourceLanguage>(of->getUnit()->getSourceLanguage())) && local->getFile() == of->getUnit()->getFile() &&
            local->getLine() >= of->getLine())
            out->file = wrap(of->getFile());
    } else if (auto *global = dyn_cast<DIGlobalVariable>(v)) {
        out->linkage_name = text_of(global->getLinkageName());
        out->is_local = global->isLocalToUnit();
        out->is_declaration = !global->isDefinition();
        if (auto *scope = dyn_cast_or_null<DILocalScope>(global->getScope()))
            out->subprogram = wrap(scope->getSubprogram());
    }
    if (!expression)
        return;
    int64_t offset = 0;
    if (expression->extractIfOffset(offset))
        out->offset_bytes = offset < 0 ? 0 : static_cast<uint64_t>(offset);
    else
        out->is_behind_pointer = expression->getNumElements() == 1 && expression->getElement(0) == dwarf::DW_OP_deref;
}

void hsc_ir_each_variable(LLVMValueRef function, hsc_ir_take_variable take, void *ctx) {
    hsc_ir_variable v;
    for (BasicBlock &block : *unwrap<Function>(function))
        for (Instruction &i : block) {
            for (DbgVariableRecord &record : filterDbgVars(i.getDbgRecordRange()))
                if (record.isDbgAssign() && record.getAddress()) { /* clang with optimisation */
                    fill_variable(record.getVariable(), record.getAddressExpression(), &v);
                    take(ctx, wrap(record.getAddress()), &v);
                } else if (record.isDbgDeclare() && record.getAddress()) {
                    fill_variable(record.getVariable(), record.getExpression(), &v);
                    take(ctx, wrap(record.getAddress()), &v);
                }
            if (auto *assign = dyn_cast<DbgAssignIntrinsic>(&i)) {
                if (assign->getAddress()) {
                    fill_variable(assign->getVariable(), assign->getAddressExpression(), &v);
                    take(ctx, wrap(assign->getAddress()), &v);
                }
            } else if (auto *declare = dyn_cast<DbgDeclareInst>(&i))
                if (declare->getAddress()) {
                    fill_variable(declare->getVariable(), declare->getExpression(), &v);
                    take(ctx, wrap(declare->getAddress()), &v);
                }
        }
}

LLVMMetadataRef hsc_ir_get_result_type(LLVMValueRef function) {
    DISubprogram *program = cast<Function>(unwrap(function))->getSubprogram();
    if (!program || !program->getType() || !program->getType()->getTypeArray().size())
        return nullptr;
    return wrap(static_cast<Metadata *>(program->getType()->getTypeArray()[0]));
}

bool hsc_ir_is_method(LLVMValueRef function) {
    DISubprogram *program = cast<Function>(unwrap(function))->getSubprogram();
    DITypeRefArray types = program && program->getType() ? program->getType()->getTypeArray() : DITypeRefArray();
    return types.get() && types.size() > 1 && types[1] && types[1]->isObjectPointer();
}

bool hsc_ir_is_for_constants(LLVMValueRef call, LLVMValueRef address) {
    auto *site = dyn_cast<CallBase>(unwrap(call));
    Function *callee = site ? site->getCalledFunction() : nullptr;
    DISubprogram *program = callee ? callee->getSubprogram() : nullptr;
    if (!program || !program->getType())
        return false;
    DITypeRefArray types = program->getType()->getTypeArray(); /* of the result, then of the parameters */
    unsigned hidden = callee->hasStructRetAttr() ? 1 : 0, n = site->arg_size();
    if (n < hidden || types.size() != n - hidden + 1) /* some are passed in parts */
        return false;
    for (unsigned k = 0; k < n; k++) {
        if (site->getArgOperand(k) != unwrap(address))
            continue;
        auto *reference = k < hidden ? nullptr : dyn_cast_or_null<DIDerivedType>(types[k - hidden + 1]);
        auto *to = reference && reference->getTag() == dwarf::DW_TAG_reference_type ? dyn_cast_or_null<DIDerivedType>(reference->getBaseType()) : nullptr;
        if (!to || to->getTag() != dwarf::DW_TAG_const_type)
            return false;
    }
    return true;
}

bool hsc_ir_get_global(LLVMValueRef global, unsigned nth, hsc_ir_variable *out) {
    auto *g = dyn_cast<GlobalVariable>(unwrap(global));
    SmallVector<DIGlobalVariableExpression *, 1> list;
    if (g)
        g->getDebugInfo(list);
    if (nth >= list.size())
        return false;
    fill_variable(list[nth]->getVariable(), list[nth]->getExpression(), out);
    return true;
}

static const DIType *bare(const Metadata *type) {
    auto *t = dyn_cast_or_null<DIType>(type);
    for (unsigned i = 0; t && i < 64; i++) {
        auto *derived = dyn_cast<DIDerivedType>(t);
        if (!derived)
            return t;
        switch (derived->getTag()) {
        case dwarf::DW_TAG_typedef:
        case dwarf::DW_TAG_const_type:
        case dwarf::DW_TAG_volatile_type:
        case dwarf::DW_TAG_restrict_type:
        case dwarf::DW_TAG_atomic_type:
        case dwarf::DW_TAG_member:
            t = derived->getBaseType();
            break;
        default:
            return t;
        }
    }
    return t;
}

static bool is_union(const DIType *t) {
    return t && t->getTag() == dwarf::DW_TAG_union_type;
}

void hsc_ir_get_type(LLVMMetadataRef type, hsc_ir_type *out) {
    std::memset(out, 0, sizeof *out);
    const DIType *t = type ? bare(unwrap(type)) : nullptr;
    if (!t)
        return;
    out->node = wrap(t);
    out->name = text_of(t->getName());
    out->size_bytes = t->getSizeInBits() / 8;
    if (auto *basic = dyn_cast<DIBasicType>(t)) {
        out->kind = HSC_IR_TYPE_SCALAR;
        out->is_real = basic->getEncoding() == dwarf::DW_ATE_float;
        out->is_signed =
            basic->getEncoding() == dwarf::DW_ATE_signed || basic->getEncoding() == dwarf::DW_ATE_signed_char;
    } else if (auto *derived = dyn_cast<DIDerivedType>(t)) {
        out->kind = HSC_IR_TYPE_POINTER;
        out->element = wrap(derived->getBaseType());
    } else if (auto *composite = dyn_cast<DICompositeType>(t)) {
        switch (composite->getTag()) {
        case dwarf::DW_TAG_array_type:
            out->kind = HSC_IR_TYPE_ARRAY;
            out->element = wrap(composite->getBaseType());
            out->rank = composite->getElements() ? composite->getElements().size() : 0;
            out->is_allocatable = composite->getRawAllocated() != nullptr;
            out->is_fortran_pointer = composite->getRawAssociated() != nullptr;
            out->is_descriptor = composite->getRawDataLocation() != nullptr;
            break;
        case dwarf::DW_TAG_enumeration_type:
            out->kind = HSC_IR_TYPE_SCALAR;
            break;
        default:
            out->kind = HSC_IR_TYPE_STRUCTURE;
            out->is_union = is_union(composite);
            out->has_members = !composite->getElements().empty();
            break;
        }
    }
}

static bool constant_of(const Metadata *bound, int64_t *out) {
    if (auto *c = dyn_cast_or_null<ConstantAsMetadata>(bound))
        if (auto *i = dyn_cast<ConstantInt>(c->getValue())) {
            *out = i->getSExtValue();
            return true;
        }
    if (auto *expression = dyn_cast_or_null<DIExpression>(bound))
        if (auto constant = expression->isConstant())
            if (expression->getNumElements() >= 2) {
                *out = static_cast<int64_t>(expression->getElement(1));
                return true;
            }
    return false;
}

void hsc_ir_get_dimension(LLVMMetadataRef array_type, unsigned k, hsc_ir_dimension *out) {
    std::memset(out, 0, sizeof *out);
    auto *array = dyn_cast_or_null<DICompositeType>(bare(unwrap(array_type)));
    if (!array || !array->getElements() || k >= array->getElements().size())
        return;
    const Metadata *lower = nullptr, *count = nullptr, *upper = nullptr;
    if (auto *range = dyn_cast_or_null<DISubrange>(array->getElements()[k])) {
        lower = range->getRawLowerBound();
        count = range->getRawCountNode();
        upper = range->getRawUpperBound();
    } else if (auto *generic = dyn_cast_or_null<DIGenericSubrange>(array->getElements()[k])) {
        lower = generic->getRawLowerBound();
        count = generic->getRawCountNode();
        upper = generic->getRawUpperBound();
    }
    out->has_lower = constant_of(lower, &out->lower);
    out->has_count = constant_of(count, &out->count);
    if (!out->has_count && constant_of(upper, &out->count)) {
        out->count -= (out->has_lower ? out->lower : 1) - 1;
        out->has_count = true;
    }
    if (out->has_count && out->count < 0)
        out->has_count = false; /* of unknown size */
    if (auto *variable = dyn_cast_or_null<DIVariable>(count))
        if (!out->has_count)
            out->count_name = text_of(variable->getName());
}

static bool is_unnamed_composite(const DIDerivedType *member) {
    return member->getName().empty() && isa_and_nonnull<DICompositeType>(bare(member->getBaseType()));
}

/* A member that data of the structure are in; the members of a union all begin at its first byte. */
static const DIDerivedType *member_of(const DINode *node) {
    auto *member = dyn_cast_or_null<DIDerivedType>(node);
    bool is_part = member && !member->isStaticMember() &&
                   (member->getTag() == dwarf::DW_TAG_member || member->getTag() == dwarf::DW_TAG_inheritance);
    return is_part ? member : nullptr;
}

static bool covers(const DIDerivedType *member, uint64_t offset_bytes) {
    const DIType *type = bare(member->getBaseType());
    uint64_t bits = member->getSizeInBits() ? member->getSizeInBits() : type ? type->getSizeInBits() : 0;
    return member->getOffsetInBits() / 8 <= offset_bytes && bits && offset_bytes * 8 < member->getOffsetInBits() + bits;
}

/* What the source may mean at a byte of a union: its members, those of unions without name in it, and structures without name. */
struct candidate {
    const DIDerivedType *member;
    uint64_t offset_bytes; /* of the union's outermost structure */
};
static void collect(const DICompositeType *u, uint64_t base, uint64_t offset_bytes, unsigned depth, SmallVectorImpl<candidate> &out) {
    for (const DINode *node : u->getElements()) {
        const DIDerivedType *member = member_of(node);
        if (!member || depth > 8 || !covers(member, offset_bytes - base))
            continue;
        uint64_t at = base + member->getOffsetInBits() / 8;
        auto *inner = dyn_cast_or_null<DICompositeType>(bare(member->getBaseType()));
        if (is_unnamed_composite(member) && is_union(inner))
            collect(inner, at, offset_bytes, depth + 1, out);
        else
            out.push_back({member, at});
    }
}

static bool has_name(const DIDerivedType *member, StringRef name, unsigned depth) {
    if (!is_unnamed_composite(member))
        return member->getName() == name;
    if (depth > 8)
        return false;
    for (const DINode *node : cast<DICompositeType>(bare(member->getBaseType()))->getElements()) {
        const DIDerivedType *inner = member_of(node);
        if (inner && has_name(inner, name, depth + 1))
            return true;
    }
    return false;
}

/* The name of a structure in the IR, "struct.outer::name.12", is that of the type, "name<...>"; those without are called anon. */
static bool is_same_name(StringRef ir, StringRef name) {
    size_t dot = ir.find('.');
    if (dot == StringRef::npos)
        return false;
    ir = ir.drop_front(dot + 1);
    size_t last = ir.rfind('.');
    if (last != StringRef::npos && ir.drop_front(last + 1).find_first_not_of("0123456789") == StringRef::npos)
        ir = ir.take_front(last);
    last = ir.rfind("::");
    if (last != StringRef::npos)
        ir = ir.drop_front(last + 2);
    return name.empty() ? ir.starts_with("anon") : ir == name.take_front(name.find('<'));
}

/* May what has this type in the IR be of that type in the source? */
static bool fits(const DIType *type, Type *ir, const DataLayout &layout) {
    const DIType *t = bare(type);
    if (!t || !ir->isSized())
        return false;
    if (ir->isPointerTy())
        return isa<DIDerivedType>(t);
    if (t->getSizeInBits() != layout.getTypeAllocSizeInBits(ir))
        return false;
    auto *composite = dyn_cast<DICompositeType>(t);
    auto *basic = dyn_cast<DIBasicType>(t);
    if (auto *s = dyn_cast<StructType>(ir))
        return composite && composite->getTag() != dwarf::DW_TAG_array_type &&
               (!s->hasName() || is_same_name(s->getName(), t->getName()));
    if (isa<ArrayType>(ir) || isa<VectorType>(ir))
        return composite && composite->getTag() == dwarf::DW_TAG_array_type;
    if (ir->isFloatingPointTy())
        return basic && basic->getEncoding() == dwarf::DW_ATE_float;
    return ir->isIntegerTy() && ((basic && basic->getEncoding() != dwarf::DW_ATE_float) ||
                                 (composite && composite->getTag() == dwarf::DW_TAG_enumeration_type));
}

static const DIType *pointee(const DIType *type) {
    auto *pointer = dyn_cast_or_null<DIDerivedType>(bare(type));
    return pointer ? bare(pointer->getBaseType()) : nullptr;
}

static bool is_same_type(const DIType *a, const DIType *b) {
    return a == b || (a && b && !a->getName().empty() && a->getName() == b->getName() && a->getTag() == b->getTag());
}

/* Keeps of several candidates those for which `keep` says so. */
template <typename F> static void keep_if(SmallVectorImpl<candidate> &list, F keep) {
    if (list.size() > 1)
        llvm::erase_if(list, [&](const candidate &c) { return !keep(c.member); });
}

static hsc_ir_part part_of_union(const DICompositeType *u, uint64_t base, uint64_t offset_bytes, const hsc_ir_sought *s, hsc_ir_member *out) {
    SmallVector<candidate, 8> all, list;
    collect(u, base, offset_bytes, 0, all);
    list = all;
    StringRef name(s && s->name.p ? s->name.p : "", s ? s->name.n : 0);
    auto is_named = [&](const candidate &c) { return has_name(c.member, name, 0); };
    if (!name.empty() && llvm::any_of(list, is_named)) {
        keep_if(list, [&](const DIDerivedType *m) { return has_name(m, name, 0); });
    } else if (s) {
        const DataLayout &layout = unwrap(s->module)->getDataLayout();
        const DIType *kept = s->kept ? pointee(unwrap<DIType>(s->kept)) : nullptr;
        if (s->type)
            keep_if(list, [&](const DIDerivedType *m) { return fits(m->getBaseType(), unwrap(s->type), layout); });
        if (kept)
            keep_if(list, [&](const DIDerivedType *m) { return is_same_type(pointee(m->getBaseType()), kept); });
        else if (s->behind)
            keep_if(list, [&](const DIDerivedType *m) { return fits(pointee(m->getBaseType()), unwrap(s->behind), layout); });
    }
    out->is_of_union = all.size() > 1;
    if (list.size() != 1) {
        for (const candidate &c : list.empty() ? all : list)
            if (out->n_names < sizeof out->names / sizeof *out->names && !c.member->getName().empty())
                out->names[out->n_names++] = text_of(c.member->getName());
            else
                out->has_more = true;
        out->offset_bytes = offset_bytes;
        return HSC_IR_PART_SEVERAL;
    }
    const DIDerivedType *member = list[0].member;
    out->name = text_of(member->getName());
    out->type = wrap(member->getBaseType());
    out->file = wrap(member->getFile());
    out->line = member->getLine();
    out->offset_bytes = list[0].offset_bytes;
    return is_unnamed_composite(member) ? HSC_IR_PART_UNNAMED : HSC_IR_PART_MEMBER;
}

hsc_ir_part hsc_ir_find_part(LLVMMetadataRef structure, uint64_t offset_bytes, const hsc_ir_sought *sought, hsc_ir_member *out) {
    auto *s = dyn_cast_or_null<DICompositeType>(bare(unwrap(structure)));
    uint64_t base = 0;
    std::memset(out, 0, sizeof *out);
    for (unsigned depth = 0; s && depth < 32; depth++) {
        if (is_union(s))
            return part_of_union(s, base, offset_bytes, sought, out);
        const DIDerivedType *best = nullptr;
        for (const DINode *node : s->getElements()) {
            const DIDerivedType *member = member_of(node);
            if (member && covers(member, offset_bytes - base))
                best = member;
        }
        if (!best)
            return HSC_IR_PART_NONE;
        base += best->getOffsetInBits() / 8;
        auto *inner = dyn_cast_or_null<DICompositeType>(bare(best->getBaseType()));
        if (best->getTag() == dwarf::DW_TAG_inheritance || (is_unnamed_composite(best) && is_union(inner))) {
            s = inner;
            continue;
        }
        out->name = text_of(best->getName());
        out->type = wrap(best->getBaseType());
        out->file = wrap(best->getFile());
        out->line = best->getLine();
        out->offset_bytes = base;
        return is_unnamed_composite(best) ? HSC_IR_PART_UNNAMED : HSC_IR_PART_MEMBER;
    }
    return HSC_IR_PART_NONE;
}

static bool is_base(const DICompositeType *of, const DIType *base, unsigned depth) {
    for (const DINode *node : of->getElements()) {
        const DIDerivedType *member = member_of(node);
        if (!member || member->getTag() != dwarf::DW_TAG_inheritance || depth > 16)
            continue;
        auto *type = dyn_cast_or_null<DICompositeType>(bare(member->getBaseType()));
        if (type && (is_same_type(type, base) || is_base(type, base, depth + 1)))
            return true;
    }
    return false;
}

bool hsc_ir_is_other_structure(LLVMMetadataRef pointer, LLVMMetadataRef there) {
    auto *kept = dyn_cast_or_null<DICompositeType>(pointee(pointer ? unwrap<DIType>(pointer) : nullptr));
    auto *is = dyn_cast_or_null<DICompositeType>(bare(unwrap(there)));
    auto has_members = [](const DICompositeType *t) {
        return t && t->getTag() != dwarf::DW_TAG_array_type && t->getTag() != dwarf::DW_TAG_enumeration_type && !t->getElements().empty();
    };
    return has_members(kept) && has_members(is) && !is_same_type(kept, is) && !is_base(is, kept, 0);
}

static std::string type_text(const Metadata *type, unsigned depth) {
    auto *t = dyn_cast_or_null<DIType>(type);
    if (!t || depth > 16)
        return t ? "..." : "void";
    if (auto *array = dyn_cast<DICompositeType>(t); array && array->getTag() == dwarf::DW_TAG_array_type) {
        std::string text = type_text(array->getBaseType(), depth + 1) + " ";
        for (unsigned k = 0; array->getElements() && k < array->getElements().size(); k++) {
            hsc_ir_dimension d;
            hsc_ir_get_dimension(wrap(array), k, &d);
            text += "[";
            if (d.has_count)
                text += std::to_string(d.count);
            else if (d.count_name.n)
                text.append(d.count_name.p, d.count_name.n);
            text += "]";
        }
        return text;
    }
    if (!t->getName().empty())
        return t->getName().str();
    if (auto *derived = dyn_cast<DIDerivedType>(t)) {
        std::string base = type_text(derived->getBaseType(), depth + 1);
        switch (derived->getTag()) {
        case dwarf::DW_TAG_pointer_type:
            return base + " *";
        case dwarf::DW_TAG_reference_type:
            return base + " &";
        case dwarf::DW_TAG_rvalue_reference_type:
            return base + " &&";
        case dwarf::DW_TAG_const_type:
            return "const " + base;
        case dwarf::DW_TAG_volatile_type:
            return "volatile " + base;
        default:
            return base;
        }
    }
    return isa<DISubroutineType>(t) ? "procedure" : "?";
}

size_t hsc_ir_type_text(LLVMMetadataRef type, char *text, size_t size) {
    std::string s = type ? type_text(unwrap(type), 0) : std::string();
    size_t n = s.size() < size ? s.size() : size - 1;
    std::memcpy(text, s.data(), n);
    text[n] = 0;
    return n;
}

uint64_t hsc_ir_size_bytes(LLVMModuleRef module, LLVMTypeRef type) {
    Type *t = unwrap(type);
    if (!t->isSized() || t->isScalableTy())
        return 0;
    return unwrap(module)->getDataLayout().getTypeAllocSize(t).getFixedValue();
}

bool hsc_ir_variable_bytes(LLVMModuleRef module, LLVMValueRef access, uint64_t *bytes, uint64_t *element) {
    const Value *address = getLoadStorePointerOperand(unwrap(access));
    SmallVector<const Value *, 4> objects;
    bool arrays = true;
    if (address)
        getUnderlyingObjects(address, objects);
    for (const Value *object : objects) {
        const auto *local = dyn_cast<AllocaInst>(object);
        const auto *global = dyn_cast<GlobalVariable>(object);
        Type *type = local && !local->isArrayAllocation() ? local->getAllocatedType() : global ? global->getValueType() : nullptr;
        uint64_t size = type ? hsc_ir_size_bytes(module, wrap(type)) : 0;
        if (!size)
            return false;
        *bytes = std::max(*bytes, size);
        arrays = arrays && type->isArrayTy();
        *element = arrays ? std::max(*element, hsc_ir_size_bytes(module, wrap(type->getArrayElementType()))) : 0;
    }
    return !objects.empty();
}

uint64_t hsc_ir_offset_bytes(LLVMModuleRef module, LLVMTypeRef structure, unsigned k) {
    auto *s = dyn_cast<StructType>(unwrap(structure));
    if (!s || k >= s->getNumElements())
        return 0;
    return unwrap(module)->getDataLayout().getStructLayout(s)->getElementOffset(k).getFixedValue();
}
