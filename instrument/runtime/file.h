/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of a process: its slots, and spare files for short processes. */
#ifndef HSC_RT_FILE_H
#define HSC_RT_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/stream.h>

#include "basics.h"

#define HSC_RT_SMALL_SLOT 4096u /* first slot of a thread, so that many short threads need little room */
#define HSC_RT_SPARES 64u
#define HSC_RT_KEPT 384u /* of each thread's slot and of the last one of stream 0: losses and the last progress fit there */
#define HSC_RT_SEGMENTS 4096u

/* ---- the file (file_ss.c) ---------------------------------------------------------------------------------------------- */

typedef struct hsc_rt_segment {
    uint8_t *base;
    uint64_t offset;
    uint32_t size;
    uint32_t used;      /* handed out from the front */
    uint32_t retired;   /* bytes of slots that are sealed */
    uint32_t cut_off;   /* bytes of the mapping beyond the end of the file */
} hsc_rt_segment;

typedef struct hsc_rt_file {
    char path[HSC_RT_PATH];
    uint64_t device, inode;
    uint64_t size;
    uint64_t limit; /* 0: none */
    uint32_t segments;
    hsc_rt_segment segment[HSC_RT_SEGMENTS];
    _Atomic(uint8_t *) spare_small[HSC_RT_SPARES], spare_large[HSC_RT_SPARES];
    _Atomic uint64_t small_at[HSC_RT_SPARES], large_at[HSC_RT_SPARES]; /* where in the file they lie */
    _Atomic(uint8_t *) full[HSC_RT_SPARES]; /* chunks to seal */
    struct {
        uint8_t *base;
        uint32_t size;
    } rest[HSC_RT_SPARES]; /* of slots of threads that have ended; under lock */
    _Atomic uint32_t large_taken;
    _Atomic bool out_of_room; /* said once; for good: there are no slots but those in the rings */
    hsc_rt_lock lock; /* all but the rings */
    hsc_chunk_writer main; /* stream 0; under rt.lock */
    uint32_t main_sequence;
    uint8_t *reserve; /* last slot for stream 0, so that losses can always be told */
    uint32_t reserve_size;
    bool in_reserve; /* stream 0 has come to it: only what is told at an end goes there */
} hsc_rt_file;

/* Creates DIR/HOST.PID[.N].hsr, or makes it of a spare file where there may be any (`spares`), writes the schema chunk, opens stream 0. Returns false with a reason. Normal code. */
bool hsc_rt_file_create(const char *directory, const char *host, int pid, bool spares, const char **why, int *error);
/* A slot from the rings, or NULL. Handlers may call it. Prefers `large`. */
uint8_t *hsc_rt_slot_take(bool large, uint32_t *size);
/* The same for normal code: makes room itself when the rings are empty. */
uint8_t *hsc_rt_slot_make(uint32_t wanted, uint32_t *size);
uint8_t *hsc_rt_slot_make_blocked(uint32_t wanted, uint32_t *size); /* the same with all signals blocked, as the next */
void hsc_rt_slot_end(uint8_t *base, uint32_t size, uint32_t used); /* the stream has ended: what is left is given back; normal code */
void hsc_rt_slot_full(uint8_t *base); /* to be sealed by the helper; handlers may call it */
void hsc_rt_slot_spare(uint8_t *base, uint32_t size); /* nothing is in it, and nobody will use it; handlers may call it */
void hsc_rt_file_tend(uint32_t threads); /* helper: seals, unmaps, fills the rings */
bool hsc_rt_file_put(uint32_t record_id, const void *record, uint64_t now_ns); /* stream 0; rt.lock is held */
/* hsc_chunk_put that leaves the last HSC_RT_KEPT bytes of the slot free. */
hsc_status hsc_rt_put_keeping(hsc_chunk_writer *w, uint32_t record_id, const void *record);
/* The same as hsc_rt_file_put for what ends something: in the reserve when the file is full, of which the last HSC_RT_KEPT bytes are for the
 * end of the process (`process`). */
bool hsc_rt_file_put_end(uint32_t record_id, const void *record, uint64_t now_ns, bool process);
void hsc_rt_file_finish(void);           /* seals everything known, cuts the file */
void hsc_rt_file_forget(void);           /* child of fork: unmaps the parent's file */
void hsc_rt_file_unmap(void);
bool hsc_rt_file_go_on(void); /* after finish, when exec failed */
void hsc_rt_file_remove(const char *host); /* kept for the next process where it may be; NULL: it is not */

/* ---- files of short processes, for the next ones (spare_ss.c); normal code ----------------------------------------------- */

void hsc_rt_spare_allow(const char *host); /* the measurement's first process: there may be spare files as long as it runs */
void hsc_rt_spare_end(const char *host);   /* it ends: removes them */
/* Makes a spare file (all zeros, `size` bytes of blocks) the process's file, file.path. Returns its descriptor; -EEXIST when there is
 * a file of that name, -ENOENT when there is no spare one, or fewer than 1 MiB of `room` for this process. */
long hsc_rt_spare_take(const char *host, uint64_t room, uint64_t *size);
bool hsc_rt_spare_put(const char *host); /* file.path becomes spare; the mapping stays, as memory. False: the file is to be removed */

#endif
