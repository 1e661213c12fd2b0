/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probes: entries and exits of procedures, loops and calls that the user asked for, put into the code after the last
 * optimisation. Without a wish nothing here changes anything. */
#ifndef HEATSCOPE_PASS_PROBE_H
#define HEATSCOPE_PASS_PROBE_H

#include "pass.h"

/* ---- what is asked for (probe_spec.c) ------------------------------------------------------------------------------ */

typedef struct hsc_probe_item {
    unsigned kind;      /* enum probe_kind */
    bool exclude;
    const char *glob;   /* of procedures, callees or files */
    unsigned line;      /* of a loop; 0: not given */
    bool all_lines;     /* loops:FILE:*, inner ones too */
    const char *text;   /* as it was written; NULL: it names nothing (all of a kind) or takes out */
    bool *matched;      /* something of the generated code has its name */
} hsc_probe_item;

typedef struct hsc_probe_spec {
    HSC_VECTOR(hsc_probe_item) items;
    bool keep;           /* procedures that are asked for are not inlined */
    double auto_percent; /* 0: no automatic choice */
} hsc_probe_spec;

/* Reads a list as --probe takes it, and files of one item a line. False: *why (of `size`) says what is wrong. */
bool hsc_probe_spec_add(hsc_pass *p, hsc_probe_spec *s, const char *list, char *why, size_t size);
bool hsc_probe_spec_add_files(hsc_pass *p, hsc_probe_spec *s, const char *paths, char *why, size_t size); /* separated by ':' */
typedef enum hsc_probe_wish { HSC_PROBE_UNNAMED, HSC_PROBE_WANTED, HSC_PROBE_EXCLUDED } hsc_probe_wish;
/* What the list says of a procedure or callee of these names (NULL: has none). */
hsc_probe_wish hsc_probe_spec_wish(const hsc_probe_spec *s, unsigned kind, const char *name, const char *symbol);
bool hsc_probe_spec_has(const hsc_probe_spec *s, unsigned kind, const char *name, const char *symbol); /* is it wanted? */
hsc_probe_wish hsc_probe_spec_loop_wish(const hsc_pass *p, const hsc_probe_spec *s, const hsc_rec_loop *loop);
bool hsc_probe_spec_wants(const hsc_probe_spec *s, unsigned kind);

/* ---- where they go (probe.c) --------------------------------------------------------------------------------------- */

typedef struct hsc_probes {
    hsc_probe_spec spec;
    HSC_VECTOR(hsc_rec_probe) records;
    hsc_map by_tag;         /* record + 1 */
    LLVMValueRef table;     /* placeholder of the module's table while probes are placed */
    unsigned looked_at, loops_looked_at, chosen; /* by the automatic choice: procedures and outermost loops, loops alone, taken ones */
    double most_work; /* of one of these, in instructions */
} hsc_probes;

/* Of each natural loop of the generated code: its source loop and inlined copy; 0: none. */
typedef struct hsc_probe_loop {
    uint32_t loop_id, inline_id;
} hsc_probe_loop;

void hsc_probe_begin(hsc_pass *p);                     /* reads the wish */
void hsc_probe_early(hsc_pass *p, LLVMValueRef function);
void hsc_probe_function(hsc_pass *p, LLVMValueRef function, const hsc_graph *g, const hsc_probe_loop *loops);
void hsc_probe_end(hsc_pass *p); /* the module's table */
void hsc_probe_fini(hsc_pass *p);

/* Work of one execution, in instructions, guessed from the code alone (probe_cost.c): loops count HSC_PROBE_TRIPS times. */
#define HSC_PROBE_TRIPS 16.0
double hsc_probe_work(const hsc_graph *g, unsigned loop); /* HSC_CFG_NONE: of the whole function */
double hsc_probe_least_work(double percent);              /* what a visit must do so that its probes cost less */

#endif
