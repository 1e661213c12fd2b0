/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of OpenMP's tool interface (OMPT, OpenMP 5.1 chapter 4) that we use; its numbers are fixed by the standard. */
#ifndef HSC_RT_OMPT_H
#define HSC_RT_OMPT_H

#include <stdint.h>

typedef union ompt_data {
    uint64_t value;
    void *ptr;
} ompt_data;

typedef struct ompt_frame {
    ompt_data exit_frame, enter_frame;
    int exit_frame_flags, enter_frame_flags;
} ompt_frame;

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);

typedef struct ompt_tool {
    int (*initialize)(ompt_lookup lookup, int device, ompt_data *tool);
    void (*finalize)(ompt_data *tool);
    ompt_data tool;
} ompt_tool;

enum { OMPT_BEGIN = 1, OMPT_END = 2 };

enum ompt_event {
    OMPT_THREAD_BEGIN = 1,
    OMPT_PARALLEL_BEGIN = 3,
    OMPT_PARALLEL_END = 4,
    OMPT_TASK_CREATE = 5,
    OMPT_TASK_SCHEDULE = 6,
    OMPT_IMPLICIT_TASK = 7,
    OMPT_SYNC_WAIT = 16,
    OMPT_SYNC = 23,
    OMPT_MUTEX_ACQUIRE = 26,
    OMPT_MUTEX_ACQUIRED = 27,
    OMPT_NEST_SCOPE = 28
};

enum ompt_sync {
    OMPT_SYNC_BARRIER = 1,
    OMPT_SYNC_IMPLICIT = 2,
    OMPT_SYNC_EXPLICIT = 3,
    OMPT_SYNC_IMPLEMENTATION = 4,
    OMPT_SYNC_TASKWAIT = 5,
    OMPT_SYNC_TASKGROUP = 6,
    OMPT_SYNC_REDUCTION = 7,
    OMPT_SYNC_WORKSHARE = 8,
    OMPT_SYNC_PARALLEL = 9,
    OMPT_SYNC_TEAMS = 10
};

enum ompt_mutex { OMPT_LOCK = 1, OMPT_TEST_LOCK = 2, OMPT_NEST_LOCK = 3, OMPT_TEST_NEST_LOCK = 4, OMPT_CRITICAL = 5, OMPT_ATOMIC = 6, OMPT_ORDERED = 7 };

/* task_schedule: how the task before was left */
enum ompt_task {
    OMPT_TASK_COMPLETE = 1,
    OMPT_TASK_YIELD = 2,
    OMPT_TASK_CANCEL = 3,
    OMPT_TASK_DETACH = 4, /* its event is not fulfilled yet */
    OMPT_TASK_LATE_FULFILL = 6,
    OMPT_TASK_SWITCH = 7
};

enum { OMPT_KNOWN = 2 }; /* what inquiries return of a task that there is */
enum { OMPT_FRAME_APPLICATION = 1 }; /* flags of a frame: it is the program's */

/* flags of a task that is created */
enum ompt_task_flag { OMPT_TASK_EXPLICIT = 0x4, OMPT_TASK_TASKWAIT = 0x10 };

/* states of a thread, by hundreds: below are work, barriers, tasks, mutexes, devices */
enum ompt_state { OMPT_WAITS_FROM = 0x10, OMPT_BARRIERS_TO = 0x1f, OMPT_WAITS_TO = 0xff, OMPT_IDLE = 0x100, OMPT_OVERHEAD = 0x101 };

#endif
