/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all parts of the runtime stand on: the user's options, locks, memory and text without libc. */
#ifndef HSC_RT_BASICS_H
#define HSC_RT_BASICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSC_RT_HOT __attribute__((hot)) /* of each sample: the linker puts them side by side, on few pages */
#define HSC_RT_PAGE 4096u
#define HSC_RT_PATH 4096u

/* ---- options (options.c) --------------------------------------------------------------------------------------------- */

typedef struct hsc_rt_options {
#define HSC_RT_TEXT(field, variable, preset, help) const char *field;
#define HSC_RT_NUMBER(field, variable, preset, low, high, help) uint64_t field;
#include "options.def"
#undef HSC_RT_TEXT
#undef HSC_RT_NUMBER
} hsc_rt_options;

void hsc_rt_options_read(hsc_rt_options *o);

/* ---- a lock for normal code; all signals are blocked while it is held (lock_ss.c) ----------------------------------- */

typedef struct hsc_rt_lock {
    _Atomic uint32_t word; /* 0 free, 1 held, 2 held and waited for */
} hsc_rt_lock;

/* Blocks all signals of the thread (*saved keeps the old mask) and takes the lock. With timeout_ms >= 0 gives up after
 * that time, in which the owner may have run too, and returns false, the mask restored. */
#define HSC_RT_PATIENCE_MS 30000 /* an owner may wait for a disk, or be on a processor that the hypervisor has taken away */
bool hsc_rt_lock_take(hsc_rt_lock *l, uint64_t *saved, int timeout_ms);
void hsc_rt_lock_release(hsc_rt_lock *l, uint64_t saved);
/* The same where all signals are blocked already: several locks in turn cost two calls of the system then, and not two each. */
uint64_t hsc_rt_signals_block(void); /* the mask before */
void hsc_rt_signals_restore(uint64_t mask);
bool hsc_rt_lock_take_blocked(hsc_rt_lock *l, int timeout_ms);
void hsc_rt_lock_release_blocked(hsc_rt_lock *l);
void hsc_rt_wake(_Atomic uint32_t *word);
void hsc_rt_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns);

/* ---- memory and text (mem_ss.c) --------------------------------------------------------------------------------------- */

long hsc_rt_place(size_t size); /* where to map that: a hint for mmap */
void *hsc_rt_map(size_t size); /* zeroed, private; NULL when there is none */
void hsc_rt_unmap(void *p, size_t size);
void *hsc_rt_remap(void *p, size_t old_size, size_t new_size);
size_t hsc_rt_length(const char *s);
bool hsc_rt_equal(const char *a, const char *b);
/* Appends to a buffer of `size` bytes at *at; always terminates; what does not fit is cut. */
void hsc_rt_append(char *buffer, size_t size, size_t *at, const char *text);
void hsc_rt_append_u64(char *buffer, size_t size, size_t *at, uint64_t value);
uint64_t hsc_rt_now_ns(void);              /* CLOCK_MONOTONIC */
uint64_t hsc_rt_now_both(uint64_t *cycles); /* the same with the cycle counter at that time: not torn apart by preemption */
uint64_t hsc_rt_clock_ns(int32_t clock);   /* any clock, by system call; 0 when it can't be read */
uint64_t hsc_rt_thread_cpu_ns(int32_t tid); /* another thread's CPU time; 0 when it is gone */
void hsc_rt_write_quietly(long fd, const char *text, size_t n); /* a reader that is gone or a limit is no signal for the program */
void hsc_rt_say_to(long fd, const char *text); /* one line "heatscope: text" */
void hsc_rt_say(const char *text);         /* the same on the program's stderr (helper_ss.c) */

#endif
