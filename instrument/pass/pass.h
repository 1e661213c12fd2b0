/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of the pass share: the state of one module between the early and the late look. */
#ifndef HEATSCOPE_PASS_PASS_H
#define HEATSCOPE_PASS_PASS_H

#include <heatscope/formats/records.h>
#include <heatscope/formats/stream.h>

#include "cfg.h"
#include "ir.h"

#define HSC_PASS_ID_MAX 0xFFFFFFu /* libdw 0.188 keeps discriminators in 24 bits */

/* Memory ends with the module's pass object; out of memory ends the compiler the way it always does. */
typedef struct hsc_arena {
    struct hsc_arena_block *blocks;
    size_t used, size; /* of the newest block */
} hsc_arena;
void *hsc_arena_take(hsc_arena *a, size_t bytes); /* zeroed, aligned to 16 */
void hsc_arena_fini(hsc_arena *a);

/* 64-bit key (not 0) to 32-bit value (0: none). */
typedef struct hsc_map {
    uint64_t *keys;
    uint32_t *values;
    size_t capacity, used;
} hsc_map;
uint32_t hsc_map_get(const hsc_map *m, uint64_t key);
void hsc_map_set(hsc_map *m, uint64_t key, uint32_t value);
void hsc_map_clear(hsc_map *m);
void hsc_map_fini(hsc_map *m);

#define HSC_VECTOR(type) \
    struct { \
        type *p; \
        size_t n, capacity; \
    }
void *hsc_vector_grow(void *p, size_t *capacity, size_t n, size_t item);
/* A new zeroed item at the end; the pointer holds until the next one. */
#define HSC_VECTOR_ADD(v) \
    ((v).p = hsc_vector_grow((v).p, &(v).capacity, (v).n, sizeof *(v).p), &(v).p[(v).n++])

/* One early id. */
typedef struct hsc_site {
    bool is_loop;
    bool copies_memory;   /* by intrinsics, before any pass ran */
    uint32_t index;       /* into loops or callsites */
    uint32_t unit;        /* at link time: number of the unit, from 1, that the id comes from; 0: made here */
} hsc_site;

/* What the links between messages need and the record does not have. */
typedef struct hsc_message_seen {
    uint32_t procedure_id, request_id; /* array that holds the request; 0: none */
    hsc_str request;                   /* its text, with subscripts */
    bool waits_for_all;
} hsc_message_seen;

/* Lines of a source file, read when first asked for; text NULL: not to be had. */
typedef struct hsc_source {
    bool tried;
    char *text;
    size_t size;
    uint32_t *line_start; /* lines + 1 of them */
    uint32_t lines;
} hsc_source;

/* What why.h gathers. A record's inlined copy is known to the late look only; till then it is noted here. */
typedef enum hsc_why_kind { HSC_WHY_REMARK, HSC_WHY_DEPENDENCE, HSC_WHY_MEMORY_CHECK } hsc_why_kind;
typedef struct hsc_why_origin {
    hsc_why_kind kind;
    uint32_t index;                         /* of the record */
    LLVMMetadataRef inlined_at, subprogram; /* NULL: not inlined */
    bool several;                           /* more than one copy */
    const void *header;                     /* of the loop that it was last said of; NULL: not told */
    uint32_t next;                          /* index + 1 of the next one of the same function */
} hsc_why_origin;
typedef struct hsc_why {
    HSC_VECTOR(hsc_rec_remark) remarks;
    HSC_VECTOR(hsc_rec_dependence) dependences;
    HSC_VECTOR(hsc_rec_memory_check) memory_checks;
    HSC_VECTOR(hsc_why_origin) origins;
    hsc_map origin_of;   /* first origin + 1 by function */
    hsc_map seen;        /* origin + 1 by key */
    hsc_map facts_of;    /* bits of why.h by loop */
    hsc_map loop_of_block; /* by address, in the function that the vectoriser is at */
    hsc_map is_vector_code; /* likewise: loops that are written in vectors */
    LLVMValueRef function;  /* that one */
    bool explains;       /* the vectoriser gave a reason for a loop that nobody asked it for: it is on */
    hsc_map reason_of;   /* loops that the vectoriser gave a reason for */
    hsc_map lanes_of;    /* of a loop in one inlined copy, as hsc_why_lanes tells them */
    hsc_map interleaved_of; /* likewise, hsc_why_interleaved */
    hsc_map unrolled_of; /* likewise, hsc_why_unrolled */
    hsc_map is_unrolled; /* loop of which any copy was */
    hsc_map loop_at;     /* loop by file, line and column of its begin */
    hsc_map loop_round;  /* innermost loop by file and line, as asked for */
} hsc_why;

struct hsc_pass {
    LLVMModuleRef module;
    LLVMContextRef context;
    const char *level;
    const void *analyses; /* of the late look */
    hsc_ir_unit unit;
    bool skip; /* the module has its map already, or can have none */
    bool is_fortran, is_cxx;
    bool keyed; /* two-stage discriminators */
    bool for_link;        /* bitcode for the linker: early ids stay, places are numbered from place_base + 1 */
    uint32_t place_base;
    struct hsc_link *link; /* at_link.h; NULL: not at link time */
    uint64_t module_tag, module_flags;
    char work_directory[4096]; /* of the compiler */

    hsc_arena arena;
    HSC_VECTOR(hsc_rec_file) files;
    HSC_VECTOR(hsc_source) sources; /* one a file */
    HSC_VECTOR(hsc_rec_procedure) procedures;
    HSC_VECTOR(hsc_rec_loop) loops;
    HSC_VECTOR(hsc_rec_callsite) callsites;
    HSC_VECTOR(hsc_site) sites; /* by early id - 1 */
    HSC_VECTOR(hsc_rec_loop_instance) instances;
    HSC_VECTOR(hsc_rec_place) places;
    HSC_VECTOR(hsc_rec_link_unit) link_units;
    HSC_VECTOR(hsc_rec_inline) inlines;
    hsc_why why;
    HSC_VECTOR(hsc_rec_value) values;
    HSC_VECTOR(hsc_rec_symbolic) symbolics;
    HSC_VECTOR(hsc_rec_array) arrays;
    HSC_VECTOR(hsc_rec_reference) references;
    HSC_VECTOR(hsc_rec_message) messages;
    HSC_VECTOR(hsc_rec_section) sections;
    HSC_VECTOR(hsc_rec_datatype) datatypes;
    HSC_VECTOR(hsc_rec_message_link) message_links;
    HSC_VECTOR(hsc_rec_array_argument) array_arguments;
    HSC_VECTOR(hsc_message_seen) messages_seen; /* one a message */
    HSC_VECTOR(hsc_rec_directive) directives;
    HSC_VECTOR(hsc_rec_runtime_call) runtime_calls;
    struct hsc_probes *probes; /* probe.h; NULL: none is asked for */

    hsc_map value_of_number, array_of_global;
    hsc_map file_by_node, file_by_path, procedure_by_name, procedure_by_subprogram;
    struct hsc_called_all *called; /* called.c; NULL: nothing was looked into */
    hsc_map directive_at;   /* by file and line */
    hsc_map trips_seen;     /* loops that scalar evolution has been asked about */
    hsc_map tail_call_of;   /* call that became a loop, by procedure */
    hsc_map loop_of_call;   /* loops made by the compiler for a call, by call and depth */
    hsc_map kept;     /* what kept.c has seen in the generated code */
    hsc_map accesses; /* how often the source does each access, by hsc_pass_access_key */
};

/* state.c */
void *hsc_pass_alloc(size_t bytes); /* never NULL; free() it */
hsc_str hsc_pass_dup(hsc_pass *p, const char *text, size_t n);
uint32_t hsc_pass_file(hsc_pass *p, LLVMMetadataRef file); /* 0 for NULL */
uint32_t hsc_pass_file_of_path(hsc_pass *p, const hsc_ir_file *file);
uint32_t hsc_pass_add_procedure(hsc_pass *p, const char *symbol, size_t n, LLVMMetadataRef subprogram, uint64_t flags);
uint64_t hsc_pass_flags_of_linkage(LLVMValueRef function); /* flags:procedure_flag */
void hsc_pass_enter_procedure(hsc_pass *p, uint32_t id); /* so that find finds it */
uint32_t hsc_pass_find_procedure(const hsc_pass *p, const char *linkage_name, size_t n);
uint32_t hsc_pass_procedure_of_function(hsc_pass *p, LLVMValueRef function);   /* made when not there */
uint32_t hsc_pass_procedure_of_subprogram(hsc_pass *p, LLVMMetadataRef subprogram); /* made, as DECLARED */
void hsc_pass_link_outlined(hsc_pass *p);
void hsc_pass_name_outlined(hsc_pass *p);
void hsc_pass_make_module_tag(hsc_pass *p);
uint64_t hsc_pass_tag(uint64_t seed, const char *kind, const void *bytes, size_t n);

/* Key of an access of a loop at a place of the source, the same early and late; 0: no instruction that counts. *kind: 0
 * store, 1 load, 2 other, 3 load of an address or a descriptor. `loop_id`: as the unit has it. */
uint64_t hsc_pass_access_key(LLVMValueRef instruction, const hsc_ir_loc *loc, uint32_t loop_id, unsigned *kind);

/* The early id of a location; 0: none of ours. */
uint32_t hsc_pass_early_id(hsc_pass *p, const hsc_ir_loc *loc);
/* The loop that a key of llvm.loop names; 0: none of ours. */
uint32_t hsc_pass_loop_of_key(hsc_pass *p, uint64_t module_tag, uint32_t key_id);

/* A function's control flow with its loops. */
typedef struct hsc_graph {
    unsigned blocks;
    LLVMBasicBlockRef *block;
    unsigned *first, *successor;
    unsigned *loop_of;
    hsc_cfg_loop *loops;
    unsigned n_loops;
    void *memory;
} hsc_graph;
void hsc_graph_init(hsc_graph *g, LLVMValueRef function);
void hsc_graph_fini(hsc_graph *g);
bool hsc_graph_is_in(const hsc_graph *g, unsigned block, unsigned loop);

/* names.c */
/* Source name of a symbol: demangled where C++ or flang mangled it; else `fallback`. */
hsc_str hsc_pass_source_name(hsc_pass *p, const char *symbol, hsc_ir_text fallback);
/* Symbol of the host of a Fortran internal procedure ("_QMmFsubPinner" -> "_QMmPsub"); false when it has none. */
bool hsc_names_fortran_host(const char *symbol, char *host, size_t size);
bool hsc_names_is_outlined(const char *symbol, size_t n);
uint64_t hsc_names_call_kind(const char *callee, size_t n);

/* source.c: what the text of the source says about a loop; kinds are enum loop_kind */
bool hsc_source_c_loop(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, uint64_t *kind);
/* The closing brace of a procedure that begins at `begin` and whose code ends at `end`; `end` where it is not seen. */
unsigned hsc_source_c_close(hsc_pass *p, uint32_t file_id, unsigned begin, unsigned end);
/* The for statement below an OpenMP pragma. */
bool hsc_source_omp_for(hsc_pass *p, uint32_t file_id, unsigned *line, unsigned *column);
bool hsc_source_is_pragma(hsc_pass *p, uint32_t file_id, unsigned line);
/* `!$omp` and the like. */
bool hsc_source_is_fortran_directive(hsc_pass *p, uint32_t file_id, unsigned line);
bool hsc_source_fortran_loop(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, uint64_t *kind);
/* The DO statement below a directive, or the one that encloses any other line; false when none is found. */
bool hsc_source_fortran_do_at(hsc_pass *p, uint32_t file_id, unsigned line, unsigned *do_line, unsigned *column);
/* The last line of the DO construct that begins at line; 0: not found. */
unsigned hsc_source_fortran_do_end(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column);
/* A DO without control round the lines low to high. */
bool hsc_source_fortran_endless_do(hsc_pass *p, uint32_t file_id, unsigned low, unsigned high, unsigned *line,
                                   unsigned *column);
/* The first line of the WHERE construct that the line is in; 0: it is in none. */
unsigned hsc_source_fortran_where(hsc_pass *p, uint32_t file_id, unsigned line);
/* A statement with a label in lines low to high: without one nothing jumps there. */
bool hsc_source_fortran_has_label(hsc_pass *p, uint32_t file_id, unsigned low, unsigned high);
bool hsc_source_fortran_program(hsc_pass *p, uint32_t file_id, unsigned line, char *name, size_t size);
/* A line of the file, without what ends it; false: there is none. */
bool hsc_source_line(hsc_pass *p, uint32_t file_id, unsigned line, hsc_ir_text *out);

/* source_names.c: names that the debug information does not have */
/* The variable that is read at a place of the text; false: none, a declaration, a macro or a procedure is there. */
bool hsc_source_identifier(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size);
/* Of C++: the object that is called at a place of the text, "x" of "x(i, j)", where one is known to be. */
bool hsc_source_object(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size);
/* The variable before a member that is named at this place: "a" of "a->x" and "a.x"; false: it is no variable by itself. */
bool hsc_source_structure(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size);
/* The member before a member that is named at this place: "b" of "a->b.x"; false: no member is. */
bool hsc_source_member_before(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size);
/* The variable before an assignment at this place: "a" of "a += 1" and "a++"; false: something else is changed there. */
bool hsc_source_assigned(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size);
/* Is it a member of an object that stands there, "x" of "a.x", not of a pointer? */
bool hsc_source_is_behind_dot(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column);
/* Does a name stand there that is no member of something named before it? */
bool hsc_source_is_alone(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column);
/* The variable that argument k (from 0) of a call of `callee` there is, by itself, its address or an element of it; false: it is no such thing. */
bool hsc_source_argument(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, const char *callee, unsigned k, char *name, size_t size);

bool hsc_source_is_readable(hsc_pass *p, uint32_t file_id);
/* The text of the file from there to its end; false when the line is empty there, or there is no text. */
bool hsc_source_text(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, const char **text, size_t *size);
void hsc_source_fini(hsc_source *s);

/* control.c: induction, start, bound and step of a loop whose place and kind are known; `place`: how many loops of the same statement are round it */
void hsc_control_read(hsc_pass *p, unsigned place, hsc_rec_loop *loop);

/* openmp.c */
/* A call of the OpenMP run time: which directive it comes from; `site`: its id. Returns its line where the directive stands alone or begins there; 0 else. */
unsigned hsc_openmp_call(hsc_pass *p, uint32_t site, LLVMValueRef call, const char *callee, const hsc_ir_loc *loc,
                         uint32_t procedure_id);
/* The constructs of the directive that begins in this line (omp_construct); 0: there is none, or it ends a construct. */
uint64_t hsc_openmp_constructs(hsc_pass *p, uint32_t file, unsigned line);
/* When all procedures have been looked at early; first: regions of Fortran begin where their directives are, not where flang says. */
/* Of a Fortran DO with DOs straight round it, up to a directive whose COLLAPSE clause makes one loop of as many: moves to the outermost. */
void hsc_openmp_outermost_do(hsc_pass *p, uint32_t file, unsigned *line, unsigned *column);
void hsc_openmp_place_regions(hsc_pass *p);
void hsc_openmp_finish(hsc_pass *p);

/* remark.c */
/* Remarks that say this position is where they are mean that loop. */
void hsc_why_loop_begins(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, uint32_t loop_id);
/* Once the late look knows a function's inlined copies: find gives that of a location, 0 when there is none. */
void hsc_why_place(hsc_pass *p, uint32_t function_id, uint32_t (*find)(void *ctx, const hsc_ir_loc *loc), void *ctx);
void hsc_why_fini(hsc_pass *p);

/* data.c: arrays, references and messages of a procedure. Reads the code only; `loop_ids` by loop of the graph,
 * `site_of` call instruction to early id. */
void hsc_data_function(hsc_pass *p, LLVMValueRef function, uint32_t procedure_id, const hsc_graph *g,
                       const uint32_t *loop_ids, const hsc_map *site_of);
void hsc_data_module(hsc_pass *p);
void hsc_called_fini(hsc_pass *p);
/* Arrays of the unit's Fortran modules that it does not use itself: for their places, which units that use the modules don't know. */
void hsc_data_declared(hsc_pass *p);

/* versions.c */
typedef struct hsc_version_loop { /* a loop of the generated code */
    uint32_t instance_id, loop_id, inline_id;
    unsigned lanes, copies; /* elements of a vector; copies of the body; 0 unknown */
    bool checked;           /* accesses rest on a run-time check */
    uint64_t accesses;      /* a bit for each of 64 classes of the source's accesses that it has */
} hsc_version_loop;
/* Refines the versions of the instances of a function; one of `loops` for each loop of the graph. */
void hsc_versions_tell(hsc_pass *p, const hsc_graph *g, const hsc_version_loop *loops);

/* kept.c: notes an access of the source, once it has its early id; the accesses left in a function of the generated code; `loops` by loop of the graph. When all functions have been
 * looked at, flags the arrays of which none is left, and gives those that procedures are handed as many elements as they were seen to have. */
struct hsc_probe_loop;
void hsc_kept_early(hsc_pass *p, LLVMValueRef instruction);
void hsc_kept_function(hsc_pass *p, uint32_t function_id, const hsc_graph *g, const struct hsc_probe_loop *loops);
void hsc_kept_finish(hsc_pass *p);

/* early.c, late.c, emit.c */
void hsc_early_function(hsc_pass *p, LLVMValueRef function);
/* included.c: before it, statements of Fortran that are of an included file get that. */
void hsc_included_function(hsc_pass *p, LLVMValueRef function, const hsc_rec_procedure *r);
/* A key of a map, for the late look's several for each instruction: numbers of 64 bits at a time and not bytes. Never 0. */
uint64_t hsc_pass_key(const char *kind, uint64_t a, uint64_t b, uint64_t c);

/* The procedure of a function that may not have been there early: a copy of another, which its debug information
 * (`subprogram` or NULL) still names, or a piece of one. */
uint32_t hsc_pass_late_procedure(hsc_pass *p, LLVMValueRef function, LLVMMetadataRef subprogram);

void hsc_late_function(hsc_pass *p, LLVMValueRef function);
/* Writes the module's records into its object file. */
void hsc_emit_map(hsc_pass *p);
/* Notes in the module that it has a map; for the linker with what at_link.c reads. */
void hsc_emit_mark(hsc_pass *p);

#endif
