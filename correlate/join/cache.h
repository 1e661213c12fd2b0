/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a join keeps of the processes that it read, for the next one (ARCHITECTURE.md, "Added processes"). A process is known
 * again by a seal over the bytes of its file, wherever that is. Kept are what the first reading took, the call paths as
 * rows of one table of the cache, and what the second reading counted at nodes; nothing of it depends on other processes,
 * on the code or, but for times and weights, which are compared, on options. So the next join goes on with it as
 * if it had read the file. All of it carries seals by a key that only the user has: what anybody else wrote or
 * changed is not used, so it need not be checked otherwise.
 *
 *   seal.c         seals, the key
 *   cache.c        the file; which processes are in it
 *   cache_body.c   what a second reading leaves of a process
 *   kept_code.c    what was read of modules: not of this output, but of this user
 *   kept_text.c    instructions of them, the same
 */
#ifndef HEATSCOPE_JOIN_CACHE_H
#define HEATSCOPE_JOIN_CACHE_H

#include "join_internal.h"
#include "made.h"
#include "parcel.h"
#include "seal.h"

typedef struct jcache jcache;
typedef struct jkept jkept;

/* All do nothing where there is no cache: j->cache NULL, p->kept NULL. Trouble with a cache is not the join's: it is noted
 * in the summary, files are read, and no cache is written. */

/* After the inputs are listed: whether there is to be a cache, and what earlier joins left. Where nothing is new j->is_made is set, and
 * the join is done. */
hsc_status hsc_cache_open(join *j, hsc_err *err);
/* It is asked for, or there. */
bool hsc_cache_keeps(const join *j);
/* Instead of the first reading; false: the file must be read. */
bool hsc_cache_take_first(join *j, jprocess *p);
/* After it, of *read, whose nodes have frames: before *p takes that over. `problem`: with the file, or "". */
void hsc_cache_put_first(join *j, jprocess *p, const jprocess *read, const char *problem);
/* After all first readings: the frames of those that were taken; all frames for the cache that is written. */
hsc_status hsc_cache_end_first(join *j, hsc_err *err);
/* When weights and times are chosen: who need not be read again, and whether a cache is to be written. */
void hsc_cache_choose(join *j);
/* Instead of reading for the second time and finding frames; false: must be read, *read is as it was. */
bool hsc_cache_take_second(join *j, jprocess *p, jprocess *read);
/* After it, before *read is counted. */
void hsc_cache_put_second(join *j, jprocess *p, jprocess *read);
/* Samples by time of a thread that hsc_cache_take_second took, which are left in the cache until somebody needs them: most need none. */
typedef struct jlate {
    uint64_t offset, size; /* in the cache's file */
    hsc_seal seal;
    uint64_t nodes, specials; /* that they may be of */
} jlate;
/* Takes them, where they are not taken yet. HSC_E_IO and j->bad_cache: damaged. */
hsc_status hsc_cache_need_instants(join *j, jthread *t, hsc_err *err);
hsc_seal hsc_cache_seal_instants(const join *j, const void *bytes, size_t n); /* for the cache that is written */
/* After the database is in its place. */
void hsc_cache_write(join *j);
void hsc_cache_free(join *j);
void hsc_cache_free_kept(jprocess *p);

/* cache_body.c. Frames are rows of the join's in `put`; `frames`[count] are the join's by the cache's rows. a->failed: out of
 * memory, or not what put_body made; *read is to be freed then. */
/* instants: those of its threads, one after the other. */
void hsc_cache_put_body(join *j, const jprocess *read, parcel *a, parcel *instants);
void hsc_cache_take_body(join *j, const jprocess *p, jprocess *read, const uint32_t *frames, size_t count, parcel *a);
/* The thread's, which are late, flushed; false: not what put_body made, or no memory. */
bool hsc_cache_take_instants(join *j, jthread *t, parcel *a);

/* kept_code.c. Before modules are read: j->kept_code, where there is a key and a cache is not forbidden. */
void hsc_kept_code_open(join *j);
const struct hsc_code_keeper *hsc_kept_code_get_keeper(const join *j); /* NULL: none */
/* After it: no more is kept than may be. */
void hsc_kept_code_trim(join *j);
void hsc_kept_code_free(join *j);

struct hsc_instruction;
/* kept_text.c: instructions of pieces of a module's code. */
typedef struct jtext_row {
    uint64_t target;
    uint32_t text; /* of hsc_kept_text_get */
    uint8_t size, flow, spare[2];
} jtext_row;
typedef struct jkept_text jkept_text;
/* What is known, with its texts in `pool`. NULL: nothing may be kept, all that follows then does nothing. */
jkept_text *hsc_kept_text_open(const join *j, const jmodule *m, hsc_pool *pool);
/* Instructions that cover the piece, one after the other; NULL: not known. Good until the next `add`. */
const jtext_row *hsc_kept_text_find(const jkept_text *k, uint64_t begin, uint64_t end);
const char *hsc_kept_text_get(const jkept_text *k, const jtext_row *row);
/* The instructions of a piece that is not known: first the piece, then each; `text` of the pool. */
void hsc_kept_text_begin(jkept_text *k, uint64_t begin, uint64_t end);
void hsc_kept_text_add(jkept_text *k, const struct hsc_instruction *i, const char *text);
/* Keeps them, if there are new ones. */
void hsc_kept_text_close(jkept_text *k);

/* ranks.c: what is kept of a process after the first reading; `take` leaves path, input and owner. */
void hsc_ranks_put_header(const jprocess *p, parcel *a);
void hsc_ranks_take_header(join *j, jprocess *p, parcel *a);

#endif
