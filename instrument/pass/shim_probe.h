/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What probe.c needs of LLVM's C++: code put into functions. */
#ifndef HEATSCOPE_PASS_SHIM_PROBE_H
#define HEATSCOPE_PASS_SHIM_PROBE_H

#include "ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The text of -heatscope-probe= and -heatscope-probe-file=, where the plug-in was loaded early enough to have options. */
const char *hsc_ir_probe_option(void);
const char *hsc_ir_probe_file_option(void);

bool hsc_ir_is_x86_64(LLVMModuleRef module);
/* Naked, or made so that nothing may be put in. */
bool hsc_ir_refuses_probes(LLVMValueRef function);
void hsc_ir_keep_from_inlining(LLVMValueRef function);
/* Where the code of a function may begin: after its allocas. */
LLVMValueRef hsc_ir_entry(LLVMValueRef function);
/* The first instruction of a block that is neither phi nor pad. NULL: nothing may stand there. */
LLVMValueRef hsc_ir_block_entry(LLVMBasicBlockRef block);
/* A block of its own on the edge number `successor` of the block's terminator: its first instruction. NULL: it cannot be. */
LLVMValueRef hsc_ir_split_edge(LLVMBasicBlockRef from, unsigned successor);
bool hsc_ir_is_inline_asm(LLVMValueRef call);
/* A call that must be, or may be, a jump: nothing stands between it and the return. */
bool hsc_ir_is_must_tail(LLVMValueRef call);
bool hsc_ir_is_tail_position(LLVMValueRef call);

/* A number to record: an operand, or what it points to. */
typedef struct hsc_ir_number {
    LLVMValueRef operand;
    unsigned bits;
    bool is_signed, by_reference;
} hsc_ir_number;
/* Can it be had? (It has to be an integer or an address of the width given, or the address of a number.) */
bool hsc_ir_is_number(const hsc_ir_number *number);

/* "if the word is not 0, call *entry": word and entry are addresses in the module's table. With it goes `number`, or,
 * where that is NULL, the address of the frame's return address. Line of `like`. */
void hsc_ir_put_probe(LLVMValueRef before, LLVMValueRef word, LLVMValueRef entry, const hsc_ir_number *number,
                      LLVMValueRef like);
/* Calls back for each way out of the function; with `exceptions` also for those that unwind through it. */
void hsc_ir_each_exit(LLVMValueRef function, bool exceptions, void (*put)(void *ctx, LLVMValueRef before), void *ctx);

/* The module's table, at the place of `placeholder` (NULL after); section and constructor. */
typedef struct hsc_ir_probe {
    uint64_t tag;
    unsigned line;
    uint8_t kind, flags;
    unsigned share; /* hundredths of a percent */
    const char *name, *file;
} hsc_ir_probe;
/* What was asked for and what the automatic choice did: auto_ppm and on of hsc_probe_table. */
typedef struct hsc_ir_choice {
    uint32_t ppm, looked_at, chosen;
    uint64_t least_work, most_work;
    const char *asked; /* strings of the items that name something, n_asked of them in asked_bytes */
    uint32_t n_asked;
    size_t asked_bytes;
} hsc_ir_choice;
LLVMValueRef hsc_ir_make_placeholder(LLVMModuleRef module);
LLVMValueRef hsc_ir_table_field(LLVMValueRef placeholder, unsigned offset);
void hsc_ir_make_table(LLVMModuleRef module, LLVMValueRef placeholder, uint64_t module_tag, const hsc_ir_choice *choice,
                       const hsc_ir_probe *probes, unsigned n);

#ifdef __cplusplus
}
#endif
#endif
