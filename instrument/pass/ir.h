/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What LLVM-C 19 does not offer, as plain C: the only interface between the pass (C) and LLVM's C++ (shim.cpp). */
#ifndef HEATSCOPE_PASS_IR_H
#define HEATSCOPE_PASS_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text borrowed from the IR: valid as long as its module is. */
typedef struct hsc_ir_text {
    const char *p;
    size_t n;
} hsc_ir_text;

/* A debug location. `scope` is the source scope without discriminators put round it; nodes are NULL where absent. */
typedef struct hsc_ir_loc {
    unsigned line, column;
    unsigned discriminator; /* as the line table will have it; 0: none */
    unsigned early;         /* the first that was given: differs where there is an early id and a place */
    LLVMMetadataRef node;   /* the location itself */
    LLVMMetadataRef scope, subprogram, file;
    LLVMMetadataRef inlined_at; /* location of the inlined call; NULL: not inlined */
} hsc_ir_loc;

/* False when the instruction has no location (*out is then all zero). */
bool hsc_ir_get_loc(LLVMValueRef instruction, hsc_ir_loc *out);
bool hsc_ir_get_loc_of_node(LLVMMetadataRef location, hsc_ir_loc *out);

/* Sets the discriminator of an instruction that has a location; 0 takes it away. */
void hsc_ir_set_discriminator(LLVMValueRef instruction, unsigned discriminator);
/* Its line is one of another file than the procedure's. */
void hsc_ir_set_file(LLVMValueRef instruction, const char *path);

/* Gives the instruction an early id (0: none) and a place, which is what the line table gets. `like`: as below, NULL: its
 * own location, without which nothing happens. */
void hsc_ir_set_place(LLVMValueRef instruction, LLVMMetadataRef like, unsigned early, unsigned place);

/* Gives the instruction the line, column, scope and inlining of `like`, with this discriminator. */
void hsc_ir_set_loc(LLVMValueRef instruction, LLVMMetadataRef like, unsigned discriminator);

/* A location of the line and column of `like` in the scope and inlining of `hidden`, which has no line; `like` itself where the two are in different files. */
LLVMMetadataRef hsc_ir_loc_at(LLVMMetadataRef hidden, LLVMMetadataRef like);

/* Gives an instruction without location one in the procedure itself; line 0: no line, only the discriminator. */
void hsc_ir_make_loc(LLVMValueRef instruction, LLVMMetadataRef subprogram, unsigned line, unsigned column,
                     unsigned discriminator);

/* Where the source of `scope` begins when it is a lexical block; false otherwise. */
bool hsc_ir_get_block_start(LLVMMetadataRef scope, unsigned *line, unsigned *column);

typedef struct hsc_ir_file {
    hsc_ir_text path, directory;
    uint8_t md5[16];
    bool has_md5;
} hsc_ir_file;
void hsc_ir_get_file(LLVMMetadataRef file, hsc_ir_file *out);

typedef struct hsc_ir_subprogram {
    hsc_ir_text name, linkage_name;
    LLVMMetadataRef file, unit; /* NULL where absent */
    LLVMMetadataRef scope_subprogram; /* the subprogram that this one is nested in */
    unsigned line;
    bool is_artificial, is_local, is_main;
} hsc_ir_subprogram;
void hsc_ir_get_subprogram(LLVMMetadataRef subprogram, hsc_ir_subprogram *out);
LLVMMetadataRef hsc_ir_get_function_subprogram(LLVMValueRef function);

/* The first compile unit, and facts of the module that decide about the keying. */
typedef struct hsc_ir_unit {
    unsigned units;
    hsc_ir_text name, directory, producer;
    unsigned language;
    bool has_lines;               /* line tables will be written */
    bool has_scopes;              /* full debug information: lexical blocks and variables */
    bool profile_discriminators;  /* sample-based PGO owns the discriminators */
    unsigned dwarf_version;       /* 0 unknown */
    bool is_elf;
    bool has_map;                 /* the pass has been here before */
    bool for_link;                /* goes on to the linker as bitcode */
} hsc_ir_unit;
void hsc_ir_get_unit(LLVMModuleRef module, hsc_ir_unit *out);

/* Notes in the module that it carries a map, so that a second run over its bitcode leaves it alone; with `records` (NULL:
 * none) for the look at link time. */
void hsc_ir_mark(LLVMModuleRef module, uint64_t module_tag, const void *records, size_t size);
/* The notes of all modules that were linked or imported into this one; false: there are no more. */
typedef struct hsc_ir_mark_text {
    uint64_t tag;
    LLVMMetadataRef unit; /* NULL, and empty records: nothing for the look at link time */
    hsc_ir_text records;
} hsc_ir_mark_text;
bool hsc_ir_get_mark(LLVMModuleRef module, unsigned index, hsc_ir_mark_text *out);

/* The llvm.loop node of a branch. */
typedef struct hsc_ir_loop {
    LLVMMetadataRef node, begin, end; /* begin and end are locations, NULL where absent */
    bool is_vectorized;               /* llvm.loop.isvectorized */
    bool is_vector_body;              /* by the order of the vectoriser's notes (those of LLVM 19); false: it doesn't tell */
    uint32_t peeled;                  /* llvm.loop.peeled.count */
    bool has_key;
    uint32_t key_id;                  /* early id */
    uint64_t key_module;              /* tag of the module that gave it */
} hsc_ir_loop;
bool hsc_ir_get_loop(LLVMValueRef branch, hsc_ir_loop *out);

/* A copy of the node (NULL: a new one) with our key in it. Same operands otherwise. */
LLVMMetadataRef hsc_ir_make_loop_node(LLVMContextRef context, LLVMMetadataRef node, uint32_t id, uint64_t module_tag);
void hsc_ir_set_loop_node(LLVMValueRef branch, LLVMMetadataRef node);

/* Number of elements of the vector type that the instruction makes or stores, 0 when it is none; *scalable: that many for
 * each unit of the machine's vector length. */
unsigned hsc_ir_vector_lanes(LLVMValueRef instruction, bool *scalable);

/* Bytes of the longest vectors that the vectorisers may make in the function: by its processor and options. `analyses`: hsc_pass_late. 0: not known. */
unsigned hsc_ir_vector_bytes(const void *analyses, LLVMValueRef function);

/* An access that is known not to alias others because a run-time check said so (LoopVersioning, the vectoriser). */
bool hsc_ir_is_checked_access(LLVMValueRef instruction);

/* Reads, writes or hands on memory; not what only tells the optimiser of it. */
bool hsc_ir_accesses_memory(LLVMValueRef instruction);

/* memcpy, memmove or memset as an intrinsic. */
bool hsc_ir_copies_memory(LLVMValueRef instruction);

/* Demangled without parameters ("ns::Class<int>::method"); false when it is no mangled C++ name. */
bool hsc_ir_demangle(const char *symbol, char *buffer, size_t size);

/* True for functions that the front end marked for sample profiles. */
bool hsc_ir_uses_sample_profile(LLVMValueRef function);

/* Says something to the user through the compiler, as a warning; past a compiler that shows no messages of passes (flang 19). */
void hsc_ir_warn(LLVMModuleRef module, const char *text);
/* The same as a remark, which is never an error. clang shows it with -Rremark-backend-plugin, flang always. */
void hsc_ir_say(LLVMModuleRef module, const char *text);
/* The same as an error: the compilation fails. Returns where the compiler goes on until it has looked at its errors. */
void hsc_ir_fail(LLVMModuleRef module, const char *text);

/* Bytes of `value`'s name. */
hsc_ir_text hsc_ir_get_name(LLVMValueRef value);

/* The core, called by the shim. One object a module; no state is shared between modules. `level` is O0 ... Oz, of
 * static storage; `profile_discriminators`: the pipeline holds passes for sample profiles, which own discriminators. */
typedef struct hsc_pass hsc_pass;
hsc_pass *hsc_pass_new(LLVMModuleRef module, const char *level, bool profile_discriminators);
/* At link time, for a module of bitcode that the pass has seen before: the late look is all that is left to do. `whole`: all
 * units of the module were linked into it; else all but the first were only imported from. NULL: there is nothing to do. */
hsc_pass *hsc_pass_new_at_link(LLVMModuleRef module, const char *level, bool whole);
void hsc_pass_early(hsc_pass *p);
void hsc_pass_late(hsc_pass *p, const void *analyses); /* for hsc_ir_vector_bytes; NULL: none */
bool hsc_pass_has_probes(const hsc_pass *p); /* the late look may change code */
LLVMModuleRef hsc_pass_get_module(const hsc_pass *p);
bool hsc_pass_is_unoptimised(const hsc_pass *p); /* compiled with -O0 */
void hsc_pass_take_unoptimised(hsc_pass *p, LLVMValueRef function); /* it was, or an attribute forbids it for the function */
void hsc_pass_free(hsc_pass *p);

/* A piece of code that something is said of: a location in it, and the loop that it is the header of. */
typedef struct hsc_ir_region {
    hsc_ir_loc loc;
    bool is_exact;       /* loc is where the thing itself is, not only near it */
    uint32_t key_id;     /* early id of the loop; 0: none */
    uint64_t key_module;
    const void *header; /* the block itself (of a remark: the one that it is said of), to know it again while the function is not changed; NULL: not told */
} hsc_ir_region;

/* A remark as it is made. */
typedef struct hsc_ir_remark {
    unsigned kind; /* enum remark_kind */
    hsc_ir_text pass, name;
    unsigned line, column; /* 0: no location */
    LLVMValueRef function;
    hsc_ir_region region;
    unsigned lanes; /* of a loop that was vectorised; 1: it was interleaved only; 0: it says no such thing */
    unsigned interleaved; /* by the vectoriser: iterations, or vectors of them, that it takes at once; 0: it says no such thing */
    unsigned unrolled; /* copies of the body that the loop was given; 0: it says no such thing */
    hsc_ir_text callee[2]; /* where it is about a call: what is called there, by its linkage name; n 0: no more. "a pointer": what that points to */
    bool is_wish; /* said of a loop that the programmer wants vectorised, also where the vectoriser is off */
    const void *handle;
} hsc_ir_remark;
void hsc_pass_take_remark(hsc_pass *p, const hsc_ir_remark *remark);
/* Asked first, with kind, pass and name only. */
bool hsc_pass_keeps_remark(const hsc_pass *p, const hsc_ir_remark *remark);
/* Text and absolute path of a remark (empty: none): bytes written, without an end mark, cut at size. */
size_t hsc_ir_remark_message(const hsc_ir_remark *remark, char *buffer, size_t size);
size_t hsc_ir_remark_path(const hsc_ir_remark *remark, char *buffer, size_t size);

/* Before the vectoriser: of each innermost loop what may keep it from vector code. */
typedef struct hsc_ir_loop_facts {
    LLVMValueRef function;
    hsc_ir_region region;
    const void *const *blocks; /* of the loop, for the call: known as region.header is */
    size_t n_blocks;
    hsc_ir_loc begin;
    unsigned exits; /* blocks that may leave it in order: not by an exception, nor to where the program never comes */
    bool has_call;
    bool has_throw;    /* calls that may throw */
    bool has_switch;
    bool has_atomic;   /* accesses that are atomic, as OpenMP's directive makes them */
    bool has_dead_end; /* ways out to where the program never comes */
    bool has_indirect; /* addresses that it has just read */
    bool has_extreme;  /* the largest or smallest of floating-point numbers, of which NaN and the sign of zero count */
    unsigned n_own; /* variables that iterations set for their own use, but that are not the procedure's alone */
    hsc_ir_loc own; /* where the first of them is set */
    bool is_disabled;  /* by the programmer */
    bool is_wait;      /* it reads again and again what others write, until that changes, and does no work */
    bool is_vectorized; /* already, by an earlier run of the vectoriser */
    bool is_vector_code; /* not by the vectoriser: most of its operations are of vectors */
} hsc_ir_loop_facts;
void hsc_pass_take_loop_facts(hsc_pass *p, const hsc_ir_loop_facts *facts);
/* Of a loop that the vectoriser does not look at, for a loop inside that only some iterations come by: `inside` is that loop. */
typedef struct hsc_ir_loop_inside {
    LLVMValueRef function;
    hsc_ir_region region, inside;
    hsc_ir_loc begin, inside_begin;
    bool is_counted; /* how often the outer one goes round is known on entry */
    /* what stands in the way as well, of what each iteration of the outer one does: a call without a vector form, by its linkage name, "a pointer": what that points
     * to, n 0: none; an address that it reads for the next iteration, as of a list */
    hsc_ir_text callee;
    bool is_list;
} hsc_ir_loop_inside;
void hsc_pass_take_loop_inside(hsc_pass *p, const hsc_ir_loop_inside *loop);

typedef struct hsc_ir_dependence {
    LLVMValueRef function;
    hsc_ir_region region;
    hsc_ir_loc source, sink;
    bool source_writes, sink_writes, has_distance;
    uint64_t distance, size_bytes;
    unsigned verdict; /* enum dependence_verdict */
} hsc_ir_dependence;
void hsc_pass_take_dependence(hsc_pass *p, const hsc_ir_dependence *dependence);

typedef struct hsc_ir_memory_check {
    LLVMValueRef function;
    hsc_ir_region region;
    unsigned comparisons;
    const hsc_ir_loc *accesses;
    size_t n_accesses;
} hsc_ir_memory_check;
void hsc_pass_take_memory_check(hsc_pass *p, const hsc_ir_memory_check *check);
/* Of accesses whose step only the run knows: vector code would be for a step of one element (n_accesses at least 1, comparisons 0). */
void hsc_pass_take_stride_check(hsc_pass *p, const hsc_ir_memory_check *check);

/* What scalar evolution knows of the iterations of a loop, before it is unrolled; 0: nothing. `latch`: the branch that
 * closes it. */
typedef struct hsc_ir_trips {
    LLVMValueRef latch;
    uint64_t exact, max, multiple;
} hsc_ir_trips;
void hsc_pass_take_trips(hsc_pass *p, const hsc_ir_trips *trips);

/* Passes that analyse more when asked for remarks; only such as give the same code then ("inline" does not). */
bool hsc_pass_wants_remarks(const char *pass, size_t n);

#ifdef __cplusplus
}
#endif
#endif
