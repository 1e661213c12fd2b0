/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parallel regions and locks of OpenMP, whichever runtime tells of them: LLVM's by OMPT (omp.c), GCC's by its calls (gomp.c). */
#ifndef HSC_RT_OMP_H
#define HSC_RT_OMP_H

#include "waits.h"

#define HSC_RT_BRIEF_LOCK_NS 2000u /* a shorter wait for a lock is not worth a walk of the stack */

/* A region that the calling thread forks. `forked`: from where; `known`: it is a frame, else only its pc. Returns the region's number. */
uint64_t hsc_rt_region_begin(const hsc_rt_here *forked, bool known, const hsc_rt_here *here);
void hsc_rt_region_end(uint64_t id);
/* A thread begins work in the region, of so many, as the number-th of them (0: who forked it); one that did not fork it is through with it and
 * waits for the others. Both for hsc_rt_self. */
void hsc_rt_region_enter(uint64_t id, uint32_t threads, uint32_t number);
void hsc_rt_region_leave(uint64_t id);

bool hsc_rt_omp_waits(const hsc_rt_thread *t); /* in a wait of OpenMP's */
void hsc_rt_omp_wait_end(hsc_rt_thread *t);    /* of the open one */
void hsc_rt_task_wait_end(hsc_rt_thread *t);   /* the same for tasks: who ended the last one is told */

/* OMPT keeps a word for us of each explicit task: above this bit where it was created (hsc_rt_task_origin), below it a pointer. The next part of an untied task may be worked on
 * by another thread, and the task end, while a thread is not through with its own part: so there nothing is read behind the pointer but by the runtime's word. */
#define HSC_RT_OMP_ORIGIN_SHIFT 48

/* The task group that a task of the calling thread would be created in; 0: none, or not known. */
uint64_t hsc_rt_task_group(const hsc_rt_thread *t);
/* Where the calling thread creates a task, at `at`, in another one or not; 0: not known. */
uint32_t hsc_rt_task_origin(hsc_rt_thread *t, const hsc_rt_here *at, bool in_task);
void hsc_rt_task_ended(hsc_rt_thread *t, uint64_t parent, uint64_t group, uint64_t pc); /* pc: where it was created, or in its body */

/* The calling thread has got a lock at `at`, and had begun to try at begin_ns; `waited`: long enough to tell; `key`: as
 * hsc_rt_lock_had has it. */
void hsc_rt_acquired(uint32_t kind, const void *lock, uint64_t begin_ns, bool waited, const hsc_rt_here *at, const hsc_rt_here *key);

#endif
