/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files about places share among themselves. */
#ifndef HEATSCOPE_PASS_PLACES_H
#define HEATSCOPE_PASS_PLACES_H

#include "data.h"

/* places.c */
uint32_t hsc_place_object(hsc_data *d, uint64_t key, bool *is_new);
uint64_t hsc_place_hash(const char *kind, uint64_t a, uint64_t b, uint64_t c);
hsc_place hsc_place_at(hsc_data *d, uint32_t object, LLVMMetadataRef type);
hsc_place hsc_place_unknown(void);
/* Is there a variable of the source at the address? */
bool hsc_place_is_declared(hsc_data *d, LLVMValueRef address);
hsc_place hsc_place_behind(hsc_data *d, uint64_t key, hsc_str name, LLVMMetadataRef pointer_type, uint64_t storage,
                           uint32_t parent);

/* The place itself; behind an element of an array of pointers, of which no step is said, its first element: a[i][0]. */
const hsc_place *hsc_place_first(hsc_data *d, const hsc_place *place);

/* What the declared type of an object says of its dimensions. */
void hsc_place_learn_bounds(hsc_data *d, hsc_object *o);

/* places_members.c: into member k of a structure of the IR. */
void hsc_place_step_member(hsc_data *d, hsc_place *p, LLVMTypeRef structure, unsigned k, LLVMValueRef gep);
/* What is meant of a union that the place is: what `user` reads, writes or goes into there as `type`; the place itself where it is no union. */
hsc_place hsc_place_in_union(hsc_data *d, hsc_place p, LLVMTypeRef type, LLVMValueRef user);
/* An address that is kept in a variable: where that points to another structure than what is there, by the variable's name. */
hsc_place hsc_place_kept(hsc_data *d, hsc_place p, const hsc_variable *v);

/* places_fortran.c */
bool hsc_is_descriptor(LLVMTypeRef type);
/* p(i, j, k) from the one index that flang makes of it. */
void hsc_place_linear(hsc_data *d, hsc_place *p, LLVMValueRef index, uint64_t size);
/* p(i, j, k) from the indices of array types in each other, the last dimension's first, behind the first index, a 0; how many there are, 0:
 * it is none of these. */
unsigned hsc_place_nested(hsc_data *d, hsc_place *p, LLVMValueRef gep);
/* From an element, the first of a section, on to another by an index or an offset of its own: a(:, j) and (i - 1) * 8. */
void hsc_place_section(hsc_data *d, hsc_place *p, LLVMValueRef index, uint64_t size);
/* What the code has put in the field at this address of a descriptor that it made for one section; NULL: not known. */
LLVMValueRef hsc_fortran_described(hsc_data *d, LLVMValueRef address);
/* The constant lower bounds in such a descriptor, of an array that it is of as a whole. */
void hsc_fortran_learn_lower(hsc_data *d, LLVMValueRef address, uint32_t object);
/* Whose descriptor it is that is one of two: an optional argument's, or none; that of an actual argument which must be contiguous and may not be, or
 * else of the copy that the runtime makes of it. NULL: none of these. */
LLVMValueRef hsc_fortran_meant(LLVMValueRef descriptor);
/* Name of component k of the type with this symbol; empty where the unit does not have it. */
void hsc_fortran_component_name(const hsc_pass *p, const char *type_symbol, unsigned k, char *name, size_t size);

/* Makes a variable of a dummy argument that flang tells none of (`contiguous`), by its name in the statement that begins the procedure. */
void hsc_fortran_name_dummy(hsc_data *d, LLVMValueRef argument);

/* places_captured.c: what a pointer that is read from the arguments of an OpenMP region points to; the text of a number
 * that it points to, empty where that is not known. */
hsc_place hsc_place_of_captured(hsc_data *d, LLVMValueRef load);
hsc_str hsc_captured_number(hsc_data *d, LLVMValueRef pointer);
void hsc_captured_fini(hsc_data *d);

/* p + x: the step of a pointer to what has that size. */
void hsc_place_step_pointer(hsc_data *d, hsc_place *p, const hsc_poly *x, uint64_t size_bytes);

/* called.c: small procedures of the unit that calls of C and C++ go to, and that the compiler puts in line. */
/* Its data; NULL: another procedure, or too deep. To be closed when it has been looked into, by whom it may be opened again; it stays until hsc_called_trim. */
hsc_data *hsc_called_open(hsc_data *d, LLVMValueRef call);
void hsc_called_close(hsc_data *called);
bool hsc_called_is_open(const hsc_pass *p); /* is any? */
/* The value that a procedure returns; NULL: none, or it returns from several places. */
LLVMValueRef hsc_called_result(LLVMValueRef function);
/* What it reads and writes, with what it calls in turn, at places of the caller. */
typedef struct hsc_called_access {
    hsc_place place;
    hsc_touch touch;        /* addresses: in the procedure that has the instruction */
    unsigned of;            /* which of the two it is */
    LLVMValueRef field[8];  /* members that hold the addresses on the way there */
    unsigned fields;
} hsc_called_access;
typedef HSC_VECTOR(hsc_called_access) hsc_called_accesses;
void hsc_called_add_accesses(hsc_data *d, LLVMValueRef call, hsc_called_accesses *out);
/* Does it do no more than reading, and computing, and is all that it reads among these? */
bool hsc_called_only_reads(hsc_data *d, LLVMValueRef call);
/* Is a member of this kind written by procedures that this one calls? *block: of the call, HSC_DATA_NONE where that is in a loop, or unclear. */
bool hsc_called_writes(hsc_data *d, LLVMValueRef field, unsigned *block);

/* places_cxx.c: a place of a called procedure as the caller has it; *begin: the address that it was reached from there. */
hsc_place hsc_place_carried(hsc_data *to, hsc_data *from, const hsc_place *place, LLVMValueRef call, LLVMValueRef *begin);
/* The integer that a small procedure returns, in numbers of the caller; NULL: not known. */
const hsc_poly *hsc_place_called_number(hsc_data *d, LLVMValueRef call);
/* places_cxx.c: what a small procedure returns the address of: v[i], m(i, j), domain.x(i). */
hsc_place hsc_place_of_accessor(hsc_data *d, LLVMValueRef call);
/* A call of an object's operator(). */
bool hsc_place_is_object(LLVMValueRef call);
/* What any other procedure that is called on a known object returns the address of: x(i, j), p->cell(i), by these words; where it is stays unknown. */
hsc_place hsc_place_of_method(hsc_data *d, LLVMValueRef call);

#endif
