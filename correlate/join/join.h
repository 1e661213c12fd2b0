/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Joins measurement files and what is known of the code into a database. */
#ifndef HEATSCOPE_JOIN_H
#define HEATSCOPE_JOIN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/err.h>

struct hsc_team;

typedef enum hsc_join_cache {
    HSC_CACHE_AUTO, /* nothing is done where nothing is new; a cache is used and brought up to date where there is one */
    HSC_CACHE_ON,   /* the same; made where there is none */
    HSC_CACHE_OFF
} hsc_join_cache;

typedef struct hsc_join_options {
    const char *const *inputs; /* measurement directories, or single .hsr files */
    size_t input_count;
    const char *output;        /* database to write; replaced when it exists */
    unsigned workers;          /* 0: one for each online processor. The bytes of the database do not depend on it */
    uint64_t memory_bytes;     /* that it may use; 0: half of what the machine or the control group has. The bytes do not depend on it */
    const struct hsc_team *team; /* team.h; NULL: alone. All ranks call with the same options, rank 0 writes and fills the summary; the
                                    bytes do not depend on their number. A rank that fails must tell the others: hsc_team_close_function */
    const char *const *map_dirs; /* further folders with maps and debug information by build id; see hsc_code_spec */
    size_t map_dir_count;
    const char *categories;    /* file of the user's categories and rules; NULL: none */
    bool embed_sources;        /* the text of source files that are those of the build goes into the database */
    bool no_sources;           /* else the user's are kept beside it (sources.h): not even that */
    bool no_code;              /* leave out the machine code of procedures with samples */
    uint64_t code_bytes;       /* of machine code to disassemble, the hottest procedures first; 0: 2 MiB */
    bool intel;                /* operands as Intel writes them, not as AT&T does */
    bool no_times;             /* leave out the samples in the order of time */
    hsc_join_cache cache;      /* what of the inputs is kept for the next join, beside the output */
    const char *cache_key;     /* file with the key that its seals are made with, made where there is none; NULL: no cache */
    bool keep_launchers;       /* count mpirun, shells and the like as processes of the program */
    void (*progress)(void *ctx, const char *what, double done, double total); /* may be NULL; called by one thread */
    void *progress_ctx;
    void (*note)(void *ctx, const char *text); /* may be NULL; what the user should know before the work is done; gets progress_ctx */
    const volatile sig_atomic_t *cancel; /* may be NULL; non-zero: stop soon, leave nothing behind, HSC_E_CANCELLED */
} hsc_join_options;

typedef struct hsc_join_summary {
    uint64_t samples, lost; /* periods of CPU time: that samples stand for, that lost ones would have */
    uint64_t records;       /* samples: each stands for a period or more */
    uint64_t files, files_bad, files_foreign, chunks_bad, processes, processes_left_out, threads;
    uint64_t threads_left_out; /* helper threads without a sample */
    uint64_t addresses, contexts, lines, scopes, modules;
    uint64_t attributed[6];    /* periods by level: see hsc_join_level */
    uint64_t sources_embedded, sources_missing, sources_changed; /* files, where asked for */
    uint64_t processes_reused; /* of the processes that count: not read again */
    uint64_t chunks_reused;    /* of the database: packed as they were in the one before */
    uint64_t threads_kept;     /* whose values were in the database before, in so many tables, and not put together again */
    uint64_t tables_kept;
    uint64_t times_kept;       /* threads whose samples by time were, and were not made anew */
    uint64_t times_grown;      /* threads whose first samples were, and were neither read again nor made anew */
    bool is_unchanged;         /* the database is what would be made once more: it was left alone, all else here is as it was told then */
    char cache_note[496];      /* why a cache that is there is not used, or none could be written; "" */
    double cpu_s, wall_s;      /* of the run */
    char first_problem[496];   /* with an input file; "" */
    char modules_note[496];    /* the first module of the program itself that could not be used fully, and why; "" */
} hsc_join_summary;

/* Reads all inputs, writes the database. HSC_E_MISSING: no measurement file, or none with a thread, in the inputs;
 * HSC_E_IO, HSC_E_MEMORY, HSC_E_FORMAT, HSC_E_CANCELLED. Damaged parts of files are skipped and counted. */
hsc_status hsc_join_run(const hsc_join_options *options, hsc_join_summary *summary, hsc_err *err);

/* For the signal handler that sets *cancel: removes what is written of the database at once. */
void hsc_join_drop_output(void);

/* What a sample could be attributed to. */
typedef enum hsc_join_level {
    HSC_LEVEL_LOOP = 0,      /* compiled with the pass: line, and a loop of its procedure */
    HSC_LEVEL_MAP = 1,       /* compiled with the pass: line, outside loops */
    HSC_LEVEL_LINE = 2,      /* debug information: line */
    HSC_LEVEL_PROCEDURE = 3, /* symbol table, or debug information without a line */
    HSC_LEVEL_MODULE = 4,    /* the file only */
    HSC_LEVEL_NOTHING = 5    /* in no known file, or no call path at all */
} hsc_join_level;

#endif
