/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Causes of waiting by what was waited for. */
#ifndef HEATSCOPE_FORMATS_CAUSES_H
#define HEATSCOPE_FORMATS_CAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include <heatscope/formats/records.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a wait of this kind (enum wait_kind) that another thread ended: enum wait_cause. */
static inline uint32_t hsc_cause_of_wait(uint32_t wait_kind) {
    switch (wait_kind) {
    case HSC_wait_kind_OMP_TASKWAIT:
    case HSC_wait_kind_OMP_TASKGROUP:
        return HSC_wait_cause_TASK;
    case HSC_wait_kind_CONDITION:
    case HSC_wait_kind_SEMAPHORE:
    case HSC_wait_kind_FUTEX:
    case HSC_wait_kind_PIPE:
    case HSC_wait_kind_IPC:
    case HSC_wait_kind_POLL:
    case HSC_wait_kind_WRITE:
    case HSC_wait_kind_SEND:
        return HSC_wait_cause_SIGNAL;
    case HSC_wait_kind_BARRIER:
        return HSC_wait_cause_OMP_BARRIER;
    case HSC_wait_kind_JOIN:
        return HSC_wait_cause_THREAD_END;
    default:
        return HSC_wait_cause_LOCK;
    }
}

/* Of a wait of this kind: so a thread waits that wants to be given something. */
static inline bool hsc_wait_may_be_for_work(uint32_t wait_kind) {
    return hsc_cause_of_wait(wait_kind) == HSC_wait_cause_SIGNAL && wait_kind != HSC_wait_kind_WRITE && wait_kind != HSC_wait_kind_SEND;
}

/* Of a thread for another one, by what one process knows: not in message passing. */
static inline bool hsc_cause_is_of_threads(uint32_t cause) {
    return cause == HSC_wait_cause_LOCK || cause == HSC_wait_cause_OMP_BARRIER || cause == HSC_wait_cause_TASK || cause == HSC_wait_cause_SIGNAL ||
           cause == HSC_wait_cause_THREAD_END;
}

#ifdef __cplusplus
}
#endif

#endif
