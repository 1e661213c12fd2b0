/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which OpenMP runtime a caller of GCC's interface would have got without us. */
#ifndef HSC_RT_GOMP_H
#define HSC_RT_GOMP_H

#include <stdbool.h>
#include <stdint.h>

/* name, version */
#define HSC_RT_GOMP_FUNCTIONS(X) \
    X(GOMP_parallel, "GOMP_4.0") \
    X(GOMP_parallel_reductions, "GOMP_5.0") \
    X(GOMP_parallel_sections, "GOMP_4.0") \
    X(GOMP_parallel_loop_static, "GOMP_4.0") \
    X(GOMP_parallel_loop_dynamic, "GOMP_4.0") \
    X(GOMP_parallel_loop_guided, "GOMP_4.0") \
    X(GOMP_parallel_loop_nonmonotonic_dynamic, "GOMP_4.5") \
    X(GOMP_parallel_loop_nonmonotonic_guided, "GOMP_4.5") \
    X(GOMP_parallel_loop_runtime, "GOMP_4.0") \
    X(GOMP_parallel_loop_nonmonotonic_runtime, "GOMP_5.0") \
    X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, "GOMP_5.0") \
    X(GOMP_barrier, "GOMP_1.0") \
    X(GOMP_barrier_cancel, "GOMP_4.0") \
    X(GOMP_loop_end, "GOMP_1.0") \
    X(GOMP_loop_end_cancel, "GOMP_4.0") \
    X(GOMP_sections_end, "GOMP_1.0") \
    X(GOMP_sections_end_cancel, "GOMP_4.0") \
    X(GOMP_single_copy_start, "GOMP_1.0") \
    X(GOMP_single_copy_end, "GOMP_1.0") \
    X(GOMP_ordered_start, "GOMP_1.0") \
    X(GOMP_taskwait, "GOMP_2.0") \
    X(GOMP_taskgroup_start, "GOMP_4.0") \
    X(GOMP_taskgroup_end, "GOMP_4.0") \
    X(GOMP_taskgroup_reduction_register, "GOMP_5.0") \
    X(GOMP_task, "GOMP_2.0") \
    X(GOMP_taskloop, "GOMP_4.5") \
    X(GOMP_taskloop_ull, "GOMP_4.5") \
    X(GOMP_critical_start, "GOMP_1.0") \
    X(GOMP_critical_name_start, "GOMP_1.0") \
    X(GOMP_atomic_start, "GOMP_1.0") \
    X(omp_set_lock, "OMP_3.0") \
    X(omp_set_lock_, "OMP_3.0") \
    X(omp_set_nest_lock, "OMP_3.0") \
    X(omp_set_nest_lock_, "OMP_3.0") \
    X(omp_unset_lock, "OMP_3.0") \
    X(omp_unset_lock_, "OMP_3.0") \
    X(omp_unset_nest_lock, "OMP_3.0") \
    X(omp_unset_nest_lock_, "OMP_3.0") \
    X(omp_test_lock, "OMP_3.0") \
    X(omp_test_lock_, "OMP_3.0") \
    X(omp_test_nest_lock, "OMP_3.0") \
    X(omp_test_nest_lock_, "OMP_3.0") \
    X(omp_get_num_threads, "OMP_1.0") \
    X(omp_get_thread_num, "OMP_1.0")

#define HSC_RT_GOMP_INDEX(name, version) HSC_RT_##name,
enum hsc_rt_gomp_function { HSC_RT_GOMP_FUNCTIONS(HSC_RT_GOMP_INDEX) HSC_RT_GOMP_COUNT };

typedef struct hsc_rt_gomp {
    bool ours; /* GCC's runtime: the others tell by OMPT, or nothing */
    void *function;
} hsc_rt_gomp;

void hsc_rt_gomp_init(void); /* when the program begins */
/* What `pc` would have called; `function` is never NULL. Some 2 ns but for the first call of a module. */
hsc_rt_gomp hsc_rt_gomp_find(enum hsc_rt_gomp_function f, const void *pc);
void hsc_rt_gomp_forget(void); /* something is about to be unloaded */

#endif
