/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the C++ files of the pass share. */
#ifndef HEATSCOPE_PASS_SHIM_H
#define HEATSCOPE_PASS_SHIM_H

#include "ir.h"

#include <memory>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

struct RemarkCatcher;

/* One pipeline: what the early look found waits here for the late one. Each pipeline has its own, so that link-time
 * optimisation in threads shares nothing. */
struct Session {
    hsc_pass *pass = nullptr;
    RemarkCatcher *catcher = nullptr; /* of the context, while it stands there */
    llvm::FunctionAnalysisManager *functions = nullptr;
    bool profile_discriminators = false;
    bool at_link = false;
    ~Session() { hsc_pass_free(pass); }
};

inline hsc_ir_text text_of(llvm::StringRef s) {
    return {s.data(), s.size()};
}

/* shim_remark.cpp: remarks go to session->pass from the one call to the other. */
void catch_remarks(const std::shared_ptr<Session> &session, llvm::LLVMContext &context);
void release_remarks(Session &session, llvm::LLVMContext &context);

/* shim_loop.cpp: what the vectoriser will find out about the dependences of each innermost loop of `f`. Changes nothing. */
/* Of code that no optimiser was let to see: loops that wait. */
void look_at_waits(Session &session, llvm::Function &f);
void look_at_dependences(Session &session, llvm::Function &f, llvm::FunctionAnalysisManager &analyses);

/* Which loop a block is the header of: the key on a branch back to it, if that is there. */
void fill_loop_key(const llvm::BasicBlock *header, hsc_ir_region *out);

#endif
