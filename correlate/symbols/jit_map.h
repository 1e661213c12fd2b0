/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What makers of machine code (compilers for scripts and byte code) say of it in files: perf's maps, perf-PID.map, with a line
 * `ADDRESS SIZE NAME` for each procedure (tools/perf/Documentation/jit-interface.txt of Linux), and its jitdump, jit-PID.dump, with
 * records of code, where it moves, and lines (jitdump-specification.txt there). Any bytes may stand in them. */
#ifndef HEATSCOPE_JIT_MAP_H
#define HEATSCOPE_JIT_MAP_H

#include "code.h"

typedef struct hsc_jit_map hsc_jit_map;

typedef struct hsc_jit_place { /* texts belong to the map */
    const char *name, *file;   /* of the procedure; file: "" not known */
    uint32_t line_begin;       /* 0 not known */
    const char *at_file;       /* of the code there; "" not known */
    uint32_t at_line;
} hsc_jit_place;

hsc_jit_map *hsc_jit_map_new(void); /* NULL: out of memory */
void hsc_jit_map_free(hsc_jit_map *m);
/* Adds what the file says, of either kind; what cannot be read is counted. A file that is not there, is another user's than `owner` or no
 * regular file, or is reached by a symbolic link, is left. False: out of memory. */
bool hsc_jit_map_read(hsc_jit_map *m, const char *path, uint64_t owner);
/* After all files: of code at one address what was told last counts. False: out of memory. */
bool hsc_jit_map_settle(hsc_jit_map *m);
bool hsc_jit_map_is_empty(const hsc_jit_map *m);
const char *hsc_jit_map_get_problem(const hsc_jit_map *m); /* "": none */
/* False: nothing is told of the address. */
bool hsc_jit_map_find(const hsc_jit_map *m, uint64_t address, hsc_jit_place *out);
/* Stands for all code that the same is said of, in any process: as an address that is even, and not 0. */
uint64_t hsc_jit_place_key(const hsc_jit_place *p);
/* All places of the map, some of them more than once, until `visit` says false; what that said last. */
bool hsc_jit_map_each(const hsc_jit_map *m, bool (*visit)(void *ctx, const hsc_jit_place *p), void *ctx);

/* Code whose addresses are keys: p[i] stands at keys[i]; these rise. `problem`: its note. NULL: out of memory. */
hsc_code *hsc_code_of_places(const char *path, const hsc_jit_place *p, const uint64_t *keys, size_t n, const char *problem);

#endif
