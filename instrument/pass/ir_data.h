/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables and types of the debug information, as plain C: what LLVM-C 19 does not offer (shim_data.cpp). */
#ifndef HEATSCOPE_PASS_IR_DATA_H
#define HEATSCOPE_PASS_IR_DATA_H

#include "ir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsc_ir_variable {
    hsc_ir_text name, linkage_name;
    LLVMMetadataRef type, file; /* NULL where absent */
    LLVMMetadataRef subprogram; /* that it is declared in; NULL: global */
    unsigned line;
    unsigned argument; /* of the subprogram, from 1; 0: none */
    bool is_artificial, is_local;
    bool is_declaration;    /* a global one that another unit defines */
    uint64_t offset_bytes;  /* of a global variable in its symbol (common block) */
    bool is_behind_pointer; /* the address given holds a pointer to it */
} hsc_ir_variable;

/* Every variable of the function that lives in memory, with its address, in the order of the code. */
typedef void (*hsc_ir_take_variable)(void *ctx, LLVMValueRef address, const hsc_ir_variable *v);
void hsc_ir_each_variable(LLVMValueRef function, hsc_ir_take_variable take, void *ctx);

/* Does the call get this address only for references to constants (const T &), as debug information of what is called says? */
bool hsc_ir_is_for_constants(LLVMValueRef call, LLVMValueRef address);

/* Bytes of the largest variable, of a function or of the module, that a load or store may access, and of an element where all are arrays (else 0). False: something else is
 * accessed, or may be. */
bool hsc_ir_variable_bytes(LLVMModuleRef module, LLVMValueRef access, uint64_t *bytes, uint64_t *element);

/* What a function of the source returns; NULL: nothing, or debug information does not say. */
LLVMMetadataRef hsc_ir_get_result_type(LLVMValueRef function);

/* Is it called on an object, as debug information says? */
bool hsc_ir_is_method(LLVMValueRef function);

/* The nth (from 0) variable of a global symbol. */
bool hsc_ir_get_global(LLVMValueRef global, unsigned nth, hsc_ir_variable *out);

typedef enum hsc_ir_type_kind {
    HSC_IR_TYPE_OTHER,
    HSC_IR_TYPE_SCALAR,
    HSC_IR_TYPE_POINTER, /* and reference */
    HSC_IR_TYPE_ARRAY,
    HSC_IR_TYPE_STRUCTURE,
} hsc_ir_type_kind;

typedef struct hsc_ir_type {
    hsc_ir_type_kind kind;
    hsc_ir_text name;        /* of the innermost named type; empty for pointers and arrays */
    LLVMMetadataRef node;    /* without typedefs and qualifiers */
    LLVMMetadataRef element; /* what an array is made of or a pointer points to; NULL: none */
    uint64_t size_bytes;     /* 0 unknown */
    unsigned rank;           /* of an array */
    bool is_allocatable, is_fortran_pointer, is_descriptor, is_signed, is_real, is_union, has_members;
} hsc_ir_type;
/* Looks through typedefs and qualifiers; all zero for NULL. */
void hsc_ir_get_type(LLVMMetadataRef type, hsc_ir_type *out);

/* Dimension k (from 0) of an array type. */
typedef struct hsc_ir_dimension {
    bool has_lower, has_count; /* constant */
    int64_t lower, count;
    hsc_ir_text count_name; /* variable that holds it (C arrays of variable length); empty: none */
} hsc_ir_dimension;
void hsc_ir_get_dimension(LLVMMetadataRef array_type, unsigned k, hsc_ir_dimension *out);

/* The member of a structure that covers a byte. */
typedef struct hsc_ir_member {
    hsc_ir_text name;
    LLVMMetadataRef type, file;
    uint64_t offset_bytes;
    unsigned line;
    bool is_of_union;     /* others are at the same place */
    hsc_ir_text names[2]; /* of several members, the first ones */
    unsigned n_names;
    bool has_more; /* there are more than these, or some without name */
} hsc_ir_member;
typedef enum hsc_ir_part {
    HSC_IR_PART_NONE,
    HSC_IR_PART_MEMBER,
    HSC_IR_PART_UNNAMED, /* a structure without name: a member of that comes next; `type` and `offset_bytes` are its */
    HSC_IR_PART_SEVERAL, /* of a union, and it can't be told which; `names` */
} hsc_ir_part;
/* What is known of the member of a union that is meant. The name decides, where it is one of the union's. */
typedef struct hsc_ir_sought {
    LLVMModuleRef module;
    hsc_ir_text name;     /* what the source says there; empty: not known */
    LLVMTypeRef type;     /* of what is read, written or gone into there; NULL: not known */
    LLVMMetadataRef kept; /* of the variable that a pointer from there is kept in; NULL: none */
    LLVMTypeRef behind;   /* of what is gone into behind a pointer that is read there; NULL: not known */
} hsc_ir_sought;
/* Base classes and unnamed unions are looked into. `sought` NULL: nothing is known. */
hsc_ir_part hsc_ir_find_part(LLVMMetadataRef structure, uint64_t offset_bytes, const hsc_ir_sought *sought, hsc_ir_member *out);

/* Does a variable of this type point to a structure other than `there`, and than what that is derived from? Both must be known by their members. */
bool hsc_ir_is_other_structure(LLVMMetadataRef pointer, LLVMMetadataRef there);

/* The type as text: "double [64][100]", "struct grid *". Returns the length, cut to size - 1. */
size_t hsc_ir_type_text(LLVMMetadataRef type, char *text, size_t size);

/* Size of a first-class type of the IR in memory; 0: has none. */
uint64_t hsc_ir_size_bytes(LLVMModuleRef module, LLVMTypeRef type);
/* Offset of member k of a structure of the IR. */
uint64_t hsc_ir_offset_bytes(LLVMModuleRef module, LLVMTypeRef structure, unsigned k);

#ifdef __cplusplus
}
#endif

#endif
