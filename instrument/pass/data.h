/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files about data share: numbers as polynomials, places in memory, arrays; of one procedure as written. */
#ifndef HEATSCOPE_PASS_DATA_H
#define HEATSCOPE_PASS_DATA_H

#include "ir_data.h"
#include "pass.h"

#define HSC_DATA_NONE 0xFFFFFFFFu
#define HSC_POLY_FACTORS 8u /* of a term, an element's offset has one for each dimension; products with more are opaque */
#define HSC_POLY_TERMS 32u  /* of a polynomial; longer ones are opaque */
#define HSC_PLACE_DIMENSIONS 16u

/* ---- numbers (poly.c) -----------------------------------------------------------------------------------------------
 */

typedef enum hsc_atom_kind {
    HSC_ATOM_SYMBOL,    /* a variable at some point */
    HSC_ATOM_INDUCTION, /* a variable that goes by the same step each time round a loop: start + step * iteration */
    HSC_ATOM_ELEMENT,   /* read from an array */
    HSC_ATOM_OPAQUE,    /* only its text is known */
} hsc_atom_kind;

typedef struct hsc_term {
    int64_t coefficient;
    uint32_t n;
    uint32_t atom[HSC_POLY_FACTORS]; /* ascending */
} hsc_term;

/* Immutable; in the arena of the procedure. NULL: not known. */
typedef struct hsc_poly {
    int64_t constant;
    uint32_t n;
    hsc_term term[];
} hsc_poly;

typedef struct hsc_atom {
    hsc_atom_kind kind;
    hsc_str text;
    unsigned block;     /* of the definition; HSC_DATA_NONE: before the procedure */
    LLVMValueRef value; /* the instruction or argument that is it; NULL: none */
    unsigned argument;  /* of the procedure, from 1, whose value at entry it is; 0: none */
    bool by_reference;  /* and the argument is its address */
    unsigned loop;      /* induction: of the graph */
    const hsc_poly *start, *step;
    const struct hsc_place *place; /* that it is read from; NULL: none is known */
    LLVMValueRef address;          /* and how the code comes to it */
    uint32_t object;   /* element: array it is read from */
    uint32_t value_id; /* record made of it; 0: not yet */
    unsigned bits;
    bool
        is_stored; /* member or global that the procedure writes: `block` is where, HSC_DATA_NONE where it is unclear */
} hsc_atom;

/* ---- memory (places.c) ----------------------------------------------------------------------------------------------
 */

/* One subscript as written: (index - lower) * stride. */
typedef struct hsc_subscript {
    const hsc_poly *index;  /* from 0; NULL: not known */
    const hsc_poly *lower;  /* of the array, where the code says it (Fortran); NULL: not said */
    int64_t stride_bytes;   /* C: size of what is stepped over; 0: not known */
    const hsc_poly *stride; /* Fortran: elements (bytes for descriptors); NULL: not known */
} hsc_subscript;

typedef struct hsc_place {
    uint32_t object;        /* HSC_DATA_NONE: not known */
    const hsc_poly *offset; /* bytes from the first byte of the object; NULL: not known */
    LLVMMetadataRef type;   /* of what is there; NULL: not known */
    unsigned n;
    hsc_subscript subscript[HSC_PLACE_DIMENSIONS];
    unsigned behind;     /* subscripts of arrays of pointers, whose element was read for what follows; `offset` begins behind it */
    uint32_t pointers;   /* the last such array, where there are such subscripts */
    uint64_t unnamed_bytes; /* offset in the object of a structure without name that `type` is and that members of come next */
    unsigned type_level; /* dimensions of an array type that are done with */
    uint64_t element_bytes; /* Fortran: of the array whose subscripts were made of one index; 0: of none */
    bool is_spread; /* all subscripts are there already: further steps add to them */
    bool is_descriptor;  /* a Fortran descriptor is there, or part of one: */
    int field;           /* -1: all of it; 0: the address; 1: lower bound, 2: extent, 3: stride; 4: other */
    unsigned dimension;  /* of the field */
} hsc_place;

typedef struct hsc_object {
    uint64_t key;
    hsc_str name, symbol;
    LLVMMetadataRef type; /* declared; NULL: not known */
    LLVMMetadataRef file;
    unsigned line;
    uint64_t storage;    /* enum storage */
    uint64_t member_key; /* same member of the same type, in whatever procedure; 0: none */
    uint64_t offset_bytes;
    uint32_t parent;         /* object it is a member of */
    unsigned argument;       /* of the procedure, from 1; 0: none */
    LLVMValueRef base;       /* its address; NULL: behind a pointer */
    LLVMValueRef allocation; /* call that made it; NULL: not known */
    bool is_global, is_temporary, from_descriptor;
    unsigned of_element;                                                        /* the first subscripts are those of the element that it is a member of */
    unsigned rank;                                                              /* most subscripts seen, or declared */
    const hsc_poly *lower[HSC_PLACE_DIMENSIONS], *extent[HSC_PLACE_DIMENSIONS]; /* learned; NULL: not known */
    LLVMTypeRef element;                                                        /* seen in accesses; NULL: none */
    uint32_t array_id;                                                          /* record made of it; 0: not yet */
} hsc_object;

/* A variable: scalar memory with one name, as far as stores can be followed. */
typedef struct hsc_variable {
    LLVMValueRef address;
    hsc_ir_variable debug;
    bool is_scalar; /* only read and written as a whole, or passed to calls */
    bool is_looked_at;
    bool is_do; /* variable of a Fortran DO loop: calls leave it alone */
    unsigned n_stores;
    uint32_t first_store; /* index + 1 into stores */
    unsigned *written;    /* numbers of the blocks with stores, ascending; without calls, for the variable of a DO */
    unsigned n_written;
} hsc_variable;

typedef struct hsc_store {
    LLVMValueRef instruction; /* store, or call that may write */
    unsigned block;
    uint32_t next;
} hsc_store;

typedef struct hsc_loop_data {
    unsigned outside; /* block before it; HSC_DATA_NONE: several */
    uint32_t id;      /* early id */
} hsc_loop_data;

/* One procedure as written, with what has been found out about it. */
typedef struct hsc_data {
    hsc_pass *p;
    LLVMValueRef function;
    uint32_t procedure_id;
    const hsc_graph *g;
    hsc_loop_data *loops; /* by loop of the graph */
    unsigned *idom;
    unsigned *number, *last; /* by block: its number in an order that keeps dominated blocks together, and their last one */
    unsigned *first_predecessor, *predecessor; /* as successors in the graph */
    unsigned *seen, *stack, round;             /* work space of walks: a block a number */
    hsc_arena arena;
    HSC_VECTOR(hsc_atom) atoms;
    HSC_VECTOR(const hsc_poly *) polys; /* what poly_of and reaching_of number */
    HSC_VECTOR(hsc_place *) places;     /* what place_of numbers */
    HSC_VECTOR(hsc_object) objects;
    HSC_VECTOR(hsc_variable *) variables;
    HSC_VECTOR(hsc_store) stores;
    HSC_VECTOR(LLVMValueRef) field_stores; /* stores to members and through pointers */
    hsc_map called_writes; /* by called.c: members that procedures which are called write */
    hsc_map block_number, poly_of, place_of, object_of, variable_of, atom_of, reaching_of;
    const hsc_map *site_of; /* call instruction to early id; NULL: not known */
    bool has_field_stores, has_called_writes, outer_tried;
    struct hsc_outer *outer; /* procedure round an OpenMP region; NULL: not looked at */
    unsigned depth;
} hsc_data;

void hsc_data_init(hsc_data *d, hsc_pass *p, LLVMValueRef function, uint32_t procedure_id, const hsc_graph *g,
                   const uint32_t *loop_ids);
void hsc_data_fini(hsc_data *d);
unsigned hsc_data_block(const hsc_data *d, LLVMValueRef instruction);
bool hsc_data_dominates(const hsc_data *d, unsigned a, unsigned b);

const hsc_poly *hsc_poly_constant(hsc_data *d, int64_t c);
const hsc_poly *hsc_poly_atom(hsc_data *d, uint32_t atom);
/* NULL when an argument is, or when it gets too long or too large. */
const hsc_poly *hsc_poly_add(hsc_data *d, const hsc_poly *a, const hsc_poly *b, int64_t factor_of_b);
const hsc_poly *hsc_poly_multiply(hsc_data *d, const hsc_poly *a, const hsc_poly *b);
/* a / b without remainder; NULL otherwise. */
const hsc_poly *hsc_poly_divide(hsc_data *d, const hsc_poly *a, const hsc_poly *b);
bool hsc_poly_is_constant(const hsc_poly *a, int64_t *c);
bool hsc_poly_equal(const hsc_poly *a, const hsc_poly *b);
/* Change of the number from one iteration of the loop to the next; NULL: not the same each time. *element: an atom read
 * from an array on which the change depends; untouched otherwise. */
const hsc_poly *hsc_poly_step(hsc_data *d, const hsc_poly *a, unsigned loop, uint32_t *element);
/* True when it is the same in all iterations of the loop. */
bool hsc_poly_is_invariant(hsc_data *d, const hsc_poly *a, unsigned loop);
hsc_str hsc_poly_text(hsc_data *d, const hsc_poly *a);
/* The text of a polynomial with its terms and factors in the order in which a bracket of that line has them; the text itself where none has the same. */
hsc_str hsc_source_order(hsc_data *d, uint32_t file_id, unsigned line, hsc_str text);

/* definitions.c: variables, and what was stored into them. evaluate.c: numbers of the IR */
const hsc_poly *hsc_evaluate(hsc_data *d, LLVMValueRef value);
/* The integer that an address holds just before an instruction. */
const hsc_poly *hsc_evaluate_content(hsc_data *d, LLVMValueRef pointer, LLVMValueRef before);
/* The integer at a place that the code comes to by `address`, maybe in a procedure that `access` calls. */
const hsc_poly *hsc_evaluate_place(hsc_data *d, const hsc_place *place, LLVMValueRef address, LLVMValueRef access);
uint32_t hsc_data_new_atom(hsc_data *d, hsc_atom_kind kind, hsc_str text, LLVMValueRef value, unsigned block);
/* The variable at this address, also one without name; NULL: the address is that of no variable. */
hsc_variable *hsc_data_variable(hsc_data *d, LLVMValueRef address);

/* Which argument of the function it is, from 1; 0: none. */
unsigned hsc_data_argument_number(const hsc_data *d, LLVMValueRef value);

/* Where the value of a scalar variable comes from. */
typedef enum hsc_origin {
    HSC_ORIGIN_VALUE, /* `value` was stored */
    HSC_ORIGIN_ENTRY, /* from before the procedure */
    HSC_ORIGIN_CALL,  /* the call `value` may have written it */
    HSC_ORIGIN_MERGE, /* several, that meet at the begin of `block` */
    HSC_ORIGIN_LOOP,  /* the same, and that is the header of `loop`; `value` is the only store in the loop, or NULL */
} hsc_origin;
typedef struct hsc_definition {
    hsc_origin origin;
    LLVMValueRef value;
    unsigned block, loop;
} hsc_definition;
hsc_definition hsc_find_definition(hsc_data *d, hsc_variable *v, LLVMValueRef before);
hsc_definition hsc_find_definition_at_end(hsc_data *d, hsc_variable *v, unsigned block);
/* True when the store is done once in each round of the loop. */
bool hsc_data_is_once_a_round(const hsc_data *d, LLVMValueRef store, unsigned loop);
/* Name of the variable in the source; where only line tables are there, from the text at the place of the access. */
hsc_str hsc_data_variable_name(hsc_data *d, const hsc_variable *v, LLVMValueRef access);
/* What the source calls what this instruction reads, where the debug information has no variables; else "?". */
hsc_str hsc_data_name_at(hsc_data *d, LLVMValueRef access);
/* Text of a number in the terms of the source. */
hsc_str hsc_data_text(hsc_data *d, LLVMValueRef value);
hsc_str hsc_data_format(hsc_data *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
LLVMValueRef hsc_data_without_casts(LLVMValueRef value);

/* places.c */
const hsc_place *hsc_find_place(hsc_data *d, LLVMValueRef pointer);
/* A place that an instruction reads or writes as `type`, NULL where it copies bytes; of a union the member that it means. */
const hsc_place *hsc_place_accessed(hsc_data *d, const hsc_place *place, LLVMTypeRef type, LLVMValueRef access);
/* The object that holds the data of an allocatable or the target of a Fortran pointer. */
uint32_t hsc_data_behind_descriptor(hsc_data *d, uint32_t object);
hsc_str hsc_place_text(hsc_data *d, const hsc_place *place);

/* places_fortran.c: what was put in a structure, as a descriptor, at the n indices of `path`; NULL: cannot be told. */
LLVMValueRef hsc_fortran_inserted(LLVMValueRef structure, const unsigned *path, unsigned n);

/* mpi.c: a call of MPI that only reads what is at the address. */
bool hsc_mpi_only_reads(LLVMValueRef call, LLVMValueRef address);

/* data_records.c: records made of what was found, once each. Ids; 0: not known. `loop` is where it is asked from. */
uint32_t hsc_data_value(hsc_data *d, const hsc_poly *a, unsigned loop, uint32_t callsite_id);
uint32_t hsc_data_constant(hsc_pass *p, int64_t number);
/* A handle or other name, with its number. */
uint32_t hsc_data_named(hsc_pass *p, uint64_t kind, int64_t number, const char *name, size_t n);
uint32_t hsc_data_array(hsc_data *d, uint32_t object, uint32_t callsite_id);
/* An argument of a call that only the run knows. */
uint32_t hsc_data_argument(hsc_data *d, LLVMValueRef call, uint32_t callsite_id, unsigned argument, hsc_str text);
hsc_u64s hsc_data_ids(hsc_pass *p, const uint64_t *ids, size_t n);

/* data.c: arrays that calls hand on; of what has no dimensions only what is an array record already. */
void hsc_data_arguments(hsc_data *d, const hsc_map *site_of);

/* called.c: what is kept of procedures that others call, if it has become much; all of it. */
void hsc_called_trim(hsc_pass *p);

/* kept.c: no instruction has the place of a reference that was put in line, so nobody sees whether it is left. */
void hsc_kept_called(hsc_pass *p, const hsc_rec_reference *r);

/* references.c, messages.c */
/* What an instruction reads or writes: up to two addresses. `type` NULL: it copies `bytes`, where they are known. */
typedef struct hsc_touch {
    LLVMValueRef address[2];
    uint64_t kind[2], bytes;
    LLVMTypeRef type;
} hsc_touch;
hsc_touch hsc_data_touched(LLVMValueRef instruction);
void hsc_data_references(hsc_data *d);
void hsc_data_messages(hsc_data *d, const hsc_map *site_of);

#endif
