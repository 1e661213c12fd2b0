/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a database was made from: where a join would make the one that is there once more, it is left alone. Kept in .NAME.made
 * beside the database NAME: a seal over all that the join was asked (what the measurement files hold, options, rules), facts of every
 * file that was looked at for what is known of the code, also of those that were not there, facts and seals of the measurement files of processes that have
 * ended, which need not be read again to know them, facts of the database, the summary, and where the packed chunks of the database are: those that come again are copied. All of it carries a seal by the user's key, as the cache does (cache.h). */
#ifndef HEATSCOPE_JOIN_MADE_H
#define HEATSCOPE_JOIN_MADE_H

#include "join_internal.h"
#include "../store/store.h"
#include "seal.h"

typedef struct jmade jmade;

typedef struct jsealed { /* a measurement file */
    const char *path;
    hsc_seal seal;           /* over its bytes */
    uint64_t size;
    struct timespec changed; /* before they were read */
    hsc_file_facts facts;    /* the same */
    bool is_young, is_good;  /* is_young: by these facts a later join can't know it again */
    hsc_seal *blocks;        /* of each JGROWN_BLOCK bytes */
    size_t n_blocks;
} jsealed;

/* After the inputs are listed and j->key and j->program are set. Sets j->sealed and, where the database is what this join would
 * make, j->is_made and the summary. */
hsc_status hsc_made_open(join *j, hsc_err *err);
/* Whether the file is as it was when it was sealed. */
bool hsc_made_is_same(const jsealed *sealed);
/* While the modules and the database (j->made_facts) are there. Where that cannot be, nothing is left. */
void hsc_made_write(join *j);
void hsc_made_free(join *j);

/* same.c: what the values of a run's threads come from, so that a later join knows whether they have them again, in the same rows. */
typedef struct jsame_frame {
    uint64_t key, became; /* hashes: of its path of addresses; of contexts, line, instance */
    uint32_t instruction, has_context; /* has_context 0: nothing counted in it */
} jsame_frame;
typedef struct jsame {
    uint64_t threads; /* of the run */
    HSC_VEC(jsame_frame) frames;
    HSC_VEC(hsc_seal) processes; /* of their files, in the order of the run */
    hsc_seal general, contexts, instructions; /* over rows: of all tables, and of those by context and by instruction */
    uint64_t leaves; /* what a sample by time can be */
    hsc_seal times;  /* over these, and the unit of time */
    bool has_contexts, has_instructions;      /* hsc_same_threads: these are the same too */
} jsame;
/* The first threads of the run that had the same values then, of which all were then; 0: none. After instructions are made. */
uint32_t hsc_same_threads(const join *j, jsame *then);
bool hsc_same_table(const join *j, const jsame *then, uint32_t metric, hsc_db_table table); /* and the rows of this table are the same */
typedef struct jsame_leaf { /* a row of /time/leaf */
    uint32_t context, line, instance, metric, instruction;
    uint8_t category;
} jsame_leaf;
/* Over the first n leaves. */
bool hsc_same_seal_times(const join *j, const jsame_leaf *leaves, size_t n, uint32_t bin, hsc_seal *seal); /* false: out of memory */
bool hsc_same_make(const join *j, jsame *now); /* false: out of memory, or nothing may be kept */
void hsc_same_fini(jsame *s);

/* For grown.h. What is known of the file, whose seals are in *sealed; NULL: nothing. */
struct jgrown *hsc_made_find_grown(join *j, const char *path, const jsealed **sealed);
struct jgrown_general;
bool hsc_made_may_go_on(const join *j, const struct jgrown_general *now);
bool hsc_made_notes_grown(const join *j); /* what is read is to be noted for the next join */

/* Before the store is written: its database before, and how many threads' values it keeps in a table; 0: none. */
void hsc_made_set_before(join *j, hsc_store *store);
uint32_t hsc_made_kept_threads(const join *j, uint32_t metric, hsc_db_table table);
/* Of samples by time, which are of these leaves, in the order of their rows: of those before, and others behind them. */
uint32_t hsc_made_kept_times(join *j, const jsame_leaf *leaves, size_t n, uint32_t bin);

/* What hsc_store_set_memo takes; NULL: none. */
const hsc_packed_memo *hsc_made_get_memo(join *j);

/* packed.c */
typedef struct jpacked_cursor { /* of a data set, whose chunks are asked for in their order */
    uint32_t first, at, last; /* rows of old: the first one's, that which was asked for last; the last one's */
} jpacked_cursor;
typedef struct jpacked {
    join *j;
    int fd; /* the database that was there; -1: none */
    bool is_same; /* it is the one that was written then, and not a copy, or what somebody changed */
    HSC_VEC(hsc_packed_chunk) old, made;
    hsc_table rows, sets; /* plain: row of old; set: row of cursors */
    HSC_VEC(jpacked_cursor) cursors;
    uint32_t *next; /* by row of old: that of the next chunk of the same data set; HSC_NO_INDEX: none */
} jpacked;
/* With `old` set; `then`: what is known of the database that they are in. */
void hsc_packed_open(jpacked *k, join *j, const hsc_file_facts *then);
void hsc_packed_fini(jpacked *k);
hsc_packed_memo hsc_packed_get_memo(jpacked *k);

/* For seals over what belongs to this join: the first bytes of what is sealed. */
void hsc_made_begin_seal(const join *j, hsc_sealer *s, unsigned what, const uint64_t *nonce);

/* Which libraries this process has: what is read and written may depend on them. */
struct parcel;
void hsc_made_put_libraries(struct parcel *a);

/* place.c: FOLDER/.NAME.KIND for FOLDER/NAME; NULL: out of memory. */
char *hsc_place_of(const char *output, const char *kind);
/* A file that gets its name when it is whole. begin: -1: it can't be made. end: closes fd; false: it is not there, the one before is. */
int hsc_place_begin(const char *path, char **part);
bool hsc_place_end(const char *path, int fd, char *part, bool keep);
bool hsc_place_put(int fd, const void *bytes, size_t n, uint64_t offset);
bool hsc_place_take(int fd, void *bytes, size_t n, uint64_t offset);

#endif
