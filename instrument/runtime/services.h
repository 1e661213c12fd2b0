/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What libheatscope-rt.so gives to libheatscope-mpi.so, which is of the same build. */
#ifndef HSC_RT_SERVICES_H
#define HSC_RT_SERVICES_H

#include "rt.h"

typedef struct hsc_rt_services {
    ptrdiff_t (*self_at)(void); /* of hsc_rt_self, in bytes from the thread pointer: the same in each thread */
    bool (*active)(void);       /* hsc_rt_active */
    bool (*own)(hsc_rt_thread *t);
    void (*disown)(hsc_rt_thread *t, uint32_t node);
    uint32_t (*walk_here)(hsc_rt_thread *t, const hsc_rt_here *at, uint64_t now_ns, bool *truncated);
    bool (*thread_put)(hsc_rt_thread *t, uint32_t record_id, const void *record, uint64_t now_ns);
    bool (*file_put)(uint32_t record_id, const void *record, uint64_t now_ns); /* stream 0; rt.lock is held */
    hsc_rt_state *state;
} hsc_rt_services;

extern const hsc_rt_services heatscope_rt_services __attribute__((visibility("default")));

#endif
