/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The machine code of procedures as instructions: which pieces of a module are a procedure's, and the text of each
 * instruction. The disassembler is LLVM's, taken from its shared library when it is first needed: a process that does not
 * disassemble pays nothing for it. x86-64. */
#ifndef HEATSCOPE_CORRELATE_INSTRUCTIONS_H
#define HEATSCOPE_CORRELATE_INSTRUCTIONS_H

#include "code.h"

/* A piece of machine code: the whole of a procedure, its cold part, a clone. */
typedef struct hsc_code_part {
    uint64_t begin, end;  /* ELF virtual addresses */
    uint32_t procedure;   /* as hsc_code_find answers */
    const char *symbol;   /* at its begin, for people; "" */
} hsc_code_part;

/* Calls `visit` for each piece of code of the procedures for which wanted[procedure] (procedure < n) is set, by the debug
 * information, in address order. What has none is found by hsc_code_find_part. */
hsc_status hsc_code_each_part(hsc_code *c, const uint8_t *wanted, size_t n,
                              hsc_status (*visit)(void *ctx, const hsc_code_part *part, hsc_err *err), void *ctx,
                              hsc_err *err);
/* The piece around an address by the symbol table or the unwind tables; false: none. procedure is left alone. */
bool hsc_code_find_part(hsc_code *c, uint64_t address, hsc_code_part *out);

/* The bytes [begin, end) as they are in the file; NULL: not there. */
const uint8_t *hsc_code_get_bytes(const hsc_code *c, uint64_t begin, uint64_t end);

typedef struct hsc_instruction {
    uint32_t size;     /* bytes */
    hsc_flow flow;
    uint64_t target;   /* of calls, jumps and branches that say it; 0 */
    char text[320];    /* "movsd\t0x10(%rip), %xmm0\t# 0x2010 = 0.5": operation, operands, comment, with tabs between */
} hsc_instruction;

typedef struct hsc_disassembler hsc_disassembler;

/* The file that the disassembler is in; "": none was asked for so far. False: one was, and there is none. Not while one is opened. */
bool hsc_disassembler_get_file(const char **path);
/* Instructions are known that were disassembled with this one: it counts as asked for. */
void hsc_disassembler_set_file(const char *path);

/* For the code of one module, which must outlive it; for one thread at a time. `intel`: operands as Intel writes them, else
 * as AT&T. HSC_E_UNSUPPORTED: other processors, or no libLLVM. */
hsc_status hsc_disassembler_open(hsc_code *c, bool intel, hsc_disassembler **out, hsc_err *err);
void hsc_disassembler_close(hsc_disassembler *d);
/* The instruction at `address`, which ends before `end`. What is none is "(bad)", one byte. */
void hsc_disassemble(hsc_disassembler *d, uint64_t address, uint64_t end, const hsc_code_part *part, hsc_instruction *out);

#endif
