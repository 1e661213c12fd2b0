/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cache's file: what its reader and its writer know of it. */
#ifndef HEATSCOPE_JOIN_CACHE_INTERNAL_H
#define HEATSCOPE_JOIN_CACHE_INTERNAL_H

#include <time.h>

#include "cache.h"

typedef struct jbegin { /* of the file */
    char magic[16];
    uint64_t nonce[2];
    hsc_seal program; /* that wrote it: what follows is the memory of that program */
    uint64_t end_offset, end_size;
    hsc_seal end; /* over the end, and all before */
} jbegin;
#define JCACHE_MAGIC "heatscope cache" /* with its 0 as long as jbegin.magic */

typedef struct jrun { /* frames [begin, end) */
    uint32_t begin, end;
} jrun;

struct jkept {
    uint64_t size;
    hsc_seal file;
    struct timespec changed; /* while it is read it must not */
    bool is_good;            /* all of it is there; of `old`: used */
    bool fits;               /* `old` has all of it as it would be read now */
    bool is_carried;         /* and its body is copied from there */
    uint32_t weight;
    HSC_VEC(jrun) runs;      /* rows of frames, rising */
    HSC_VEC(uint32_t) mains; /* rows of modules met that are its program */
    uint64_t marks;          /* JMARK_* of its frames */
    hsc_spill_list first, body; /* bytes */
    hsc_seal body_seal;
    uint64_t body_offset, body_size; /* where it is, or will be, in the cache */
    uint64_t head_size;      /* of it, all but the instants: body_seal is over that, which has theirs */
    uint32_t row;            /* in `old`; HSC_NO_INDEX: not in it */
};

typedef struct jold { /* what an earlier join left */
    int fd; /* -1: nothing */
    jbegin begin;
    uint64_t nonce[2], origin_ns, tick_ns, no_times;
    HSC_VEC(jmodule) modules;
    HSC_VEC(jaddress) addresses;
    HSC_VEC(jframe) frames;
    HSC_VEC(jkept) kept;
    HSC_VEC(parcel) first; /* by row of kept */
    hsc_table rows; /* file: row of kept */
    uint32_t *frame_rows, *module_rows; /* of the join; HSC_NO_INDEX: nobody has it */
    bool is_damaged;
} jold;

struct jcache {
    hsc_seal_key key;
    hsc_seal program;
    uint64_t nonce[2];
    char *path;
    jold old;
    bool keeps;  /* it is asked for, or there */
    bool writes; /* it is to be written */
    bool failed; /* it can't be */
    bool carries; /* the tables begin with those of `old`, so its bodies mean the same: they are copied */
    parcel tables;
    uint64_t input_bytes;
};

/* The first note on the cache: `what` of its file. */
void hsc_cache_note(const join *j, const char *what);

#endif
