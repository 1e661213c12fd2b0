/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The same piece of code with calls of several functions: control would go round if the call before `2:` came back. In the
 * functions straight_* it does not, in looping_* it does. */
        .macro piece name, callee
        .globl \name
        .type \name, @function
\name:  testl %edi, %edi
        je 2f
1:      movl $1, %edi
        call \callee
2:      call returns@PLT
        jmp 1b
        .size \name, . - \name
        .endm

        .text
        piece straight_by_name, exit@PLT
        piece straight_by_code, never
        piece straight_by_last_call, ends
        piece straight_by_debug_information, told@PLT
        piece looping_return, returns@PLT
        piece looping_other, other@PLT
        piece looping_tail, leaves
        piece looping_fall, falls

        .type never, @function
never:  pause
        jmp never
        nopw 0(%rax)
        .size never, . - never

        .type ends, @function
ends:   cmpl $3, %edi
        jg 1f
        incl %edi
1:      call abort@PLT
        .size ends, . - ends

        .type leaves, @function
leaves: cmpl $3, %edi
        jg looping_return
1:      jmp 1b
        .size leaves, . - leaves

        .type falls, @function
falls:  incl %edi
        .size falls, . - falls

        .globl returns
        .type returns, @function
returns: ret
        .size returns, . - returns
        .section .note.GNU-stack, "", @progbits
