/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MPI as a library: its operations, the roles of their arguments, its handles. */
#ifndef HEATSCOPE_PASS_MPI_H
#define HEATSCOPE_PASS_MPI_H

#include "data.h"

typedef struct hsc_mpi_operation {
    const char *name, *roles; /* a letter each: mpi_operations.def */
    uint64_t kind;            /* enum message_kind */
    uint64_t binding;         /* enum mpi_binding */
} hsc_mpi_operation;

/* False: no operation of MPI that is known. */
bool hsc_mpi_get_operation(hsc_ir_text symbol, bool is_fortran, hsc_mpi_operation *out);
/* Role (enum mpi_role) of argument k, from 0, of n. */
uint64_t hsc_mpi_role(const hsc_mpi_operation *o, unsigned k, unsigned n);
bool hsc_mpi_is_buffer(uint64_t role);

/* Name of a handle; NULL: none. `symbol`: of the global variable that stands for it in Open MPI; `bytes`: of a
 * datatype. */
const char *hsc_mpi_handle_of_symbol(hsc_ir_text symbol, unsigned *bytes);
const char *hsc_mpi_handle_of_number(uint64_t role, int64_t number, bool is_fortran, unsigned *bytes);
/* Name of a special value of a rank, tag or buffer; NULL: none. */
const char *hsc_mpi_special(uint64_t role, int64_t number, bool is_mpich);
const char *hsc_mpi_special_symbol(hsc_ir_text symbol);
/* The same of MPICH, by the common block that it is in. */
const char *hsc_mpi_special_member(hsc_ir_text symbol, uint64_t offset);
bool hsc_mpi_is_mpich_number(int64_t number);
/* Bytes of a basic type; 0: none. */
unsigned hsc_mpi_bytes_of(hsc_str name);

/* messages.c: number of an argument: in Fortran of what its address holds; NULL: not known. */
const hsc_poly *hsc_mpi_number(hsc_data *d, LLVMValueRef call, unsigned k);
/* Basic or derived type that an argument is: its name, or the text of the variable. */
hsc_str hsc_mpi_type_name(hsc_data *d, LLVMValueRef call, unsigned k, bool *is_basic);

/* datatypes.c */
void hsc_mpi_datatype(hsc_data *d, LLVMValueRef call, const hsc_mpi_operation *o, uint32_t message_id,
                      uint32_t callsite_id);
uint32_t hsc_mpi_find_datatype(hsc_pass *p, hsc_str name);

/* links.c: what belongs to the messages of a procedure that was looked at last; then of the module. */
typedef struct hsc_mpi_call {
    LLVMValueRef call;
    uint32_t message_id, callsite_id;
    unsigned block;
    uint64_t kind;
} hsc_mpi_call;
void hsc_mpi_link_loops(hsc_data *d, const hsc_mpi_call *calls, size_t n, size_t first_reference);

#endif
