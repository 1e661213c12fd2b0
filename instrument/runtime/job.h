/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rank, size and identifier of a parallel job; the runtime and `heatscope run` have to agree on them. */
#ifndef HSC_RT_JOB_H
#define HSC_RT_JOB_H

#include <stdbool.h>
#include <stdint.h>

#define HSC_RT_RUN_FILE ".run"   /* in the measurement directory: whose it is; by `heatscope run` */
#define HSC_RT_ROOM_FILE ".room" /* the same: nobody has said yet that there is no room in it */

typedef struct hsc_rt_job {
    int64_t rank;   /* -1: none */
    uint64_t ranks; /* 0: not known */
    char id[128];   /* "": none known */
    bool launcher;  /* the program starts the ranks: it is not measured itself */
} hsc_rt_job;

/* From the environment, and `executable` for the name of the program. */
void hsc_rt_job_read(hsc_rt_job *job, const char *executable);

/* Is this a program that only starts the ranks of a job (mpirun and its like)? By the name of the file. */
bool hsc_rt_job_is_launcher(const char *executable);

#endif
