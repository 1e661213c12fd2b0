/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small random database held in memory as plain arrays: what is written, and the truth that queries are held to. */
#ifndef HEATSCOPE_TESTS_MODEL_H
#define HEATSCOPE_TESTS_MODEL_H

#include "schema.h"

typedef struct model {
    uint64_t rows[HSC_TAB_COUNT];
    void *columns[HSC_COL_COUNT];            /* of the C type of the column; S: char ** */
    uint32_t threads, processes, categories; /* process p ran on the p % MODEL_NODES-th host */
    uint64_t value_rows[HSC_VALUES_COUNT];
    uint32_t *values[HSC_VALUES_COUNT];      /* dense, rows x threads; NULL: not written */
    bool by_thread;                          /* written a thread at a time, not in rows */
    bool no_program;                         /* samples by time of each thread only */
    uint32_t slices_worth;                   /* finest slices are left out where a value stands for fewer samples; 0: as usual */
    uint64_t own_samples;                    /* threads with so many have numbers of their own; 0: as usual */
    uint32_t program_threads;                /* where there are more, those of all together too; 0: 1 */
    uint64_t part_max;                       /* values of a part that the writer holds; 0: its own choice */
    bool apart;                              /* values go through stores apart, as other ranks' do */
    struct model_pieces *pieces;             /* what each of them sends is here once it did; NULL: nobody asks */
    uint32_t band_unit;                      /* rows in bands of threads, of so many or more; 0: no bands. With by_thread */
    /* samples by time of all threads one after the other; sample_begin NULL: none */
    uint64_t *sample_begin;                  /* threads + 1 */
    uint32_t *time, *leaf, *count;           /* ticks of a millisecond */
} model;

enum { MODEL_PIECES = 4096 };
typedef struct model_pieces { /* of a table from one store to another */
    void *bytes[MODEL_PIECES];
    size_t size[MODEL_PIECES];
    unsigned n, taken;
    void (*look)(struct model_pieces *all); /* before they are taken; NULL: nobody */
} model_pieces;

enum { MODEL_END = 40000, MODEL_BIN = 16, MODEL_LEAVES = 60 };
void model_add_times(model *m, unsigned seed); /* also rows of leaf and span */
void model_add_rest(model *m, unsigned seed);  /* rows of the tables that have none yet, by references as they come */

enum { MODEL_NODES = 3 };
/* one_thread: each process has one. Values of CONTEXT_INCL are not made: readers derive them. */
model *model_new(unsigned seed, bool one_thread);
void model_free(model *m);

/* Writes it; pyramid_min: values from which on a pyramid is made. */
hsc_status model_write(const model *m, const char *path, unsigned workers, uint64_t pyramid_min, hsc_err *err);

/* A new folder under TMPDIR, and a file in a folder; both malloc'ed. The program ends where a folder can't be made. */
char *model_folder(void);
char *model_path(const char *folder, const char *name);

int model_files(const char *folder, bool clear); /* how many there are in it; clear: removes them */

unsigned model_random(unsigned *state); /* 0 .. 2^31-1 */

#endif
