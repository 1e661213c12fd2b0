/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope-disassembler.so: LLVM 19's disassembler for x86-64 and nothing else of it. Its functions keep their names (disassembler.map). */
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

extern const void *const hsc_disassembler_parts[]; /* so that the archives' parts are taken */
const void *const hsc_disassembler_parts[] = {
    (const void *)LLVMCreateDisasm,
    (const void *)LLVMDisasmDispose,
    (const void *)LLVMDisasmInstruction,
    (const void *)LLVMInitializeX86Disassembler,
    (const void *)LLVMInitializeX86TargetInfo,
    (const void *)LLVMInitializeX86TargetMC,
    (const void *)LLVMSetDisasmOptions,
};
