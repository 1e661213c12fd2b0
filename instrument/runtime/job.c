/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rank, size and identifier of a parallel job, from the environment that launchers give to ranks. */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *first_of(const char *const *names) {
    for (; *names; names++) {
        const char *v = getenv(*names);
        if (v && *v)
            return v;
    }
    return NULL;
}

static int64_t decimal(const char *text) {
    int64_t v = 0;
    if (!text || !*text)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || v > 1000000000)
            return -1;
        v = v * 10 + (*text - '0');
    }
    return v;
}

bool hsc_rt_job_is_launcher(const char *executable) {
    static const char *const launchers[] = {
        "mpirun", "mpiexec", "orterun", "orted", "prterun", "prte", "prted", "prun", "mpiexec.openmpi", "mpirun.openmpi",
        "mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra", "hydra_pmi_proxy", "hydra_bstrap_proxy", "mpiexec.slurm", "srun",
        "sbatch", "salloc", "slurmstepd", "jsrun", "aprun", "flux", "ssh", "rsh", "heatscope", NULL};
    const char *name = executable;
    for (const char *p = executable; *p; p++)
        if (*p == '/')
            name = p + 1;
    for (const char *const *l = launchers; *l; l++)
        if (!strcmp(name, *l))
            return true;
    return false;
}

void hsc_rt_job_read(hsc_rt_job *job, const char *executable) {
    static const char *const ranks_of_launchers[][2] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},                         {"PMIX_RANK", "PMIX_SIZE"},
        {"SLURM_PROCID", "SLURM_NTASKS"},                 {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
        {"ALPS_APP_PE", "ALPS_APP_SIZE"}};
    static const char *const ids[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "FLUX_JOB_ID", "PBS_JOBID",
                                      "LSB_JOBID", NULL};
    job->rank = -1;
    job->ranks = 0;
    job->id[0] = 0;
    job->launcher = hsc_rt_job_is_launcher(executable);
    for (size_t i = 0; i < sizeof ranks_of_launchers / sizeof ranks_of_launchers[0] && job->rank < 0; i++) {
        job->rank = decimal(getenv(ranks_of_launchers[i][0]));
        int64_t size = decimal(getenv(ranks_of_launchers[i][1]));
        if (job->rank >= 0)
            job->ranks = size > 0 ? (uint64_t)size : 0;
    }
    /* a batch script itself has SLURM_PROCID 0 too: without a step it is no rank */
    if (job->rank >= 0 && getenv("SLURM_PROCID") && !getenv("SLURM_STEP_ID") && !getenv("PMIX_RANK") &&
        !getenv("OMPI_COMM_WORLD_RANK") && !getenv("PMI_RANK"))
        job->rank = -1, job->ranks = 0;
    if (job->rank < 0)
        return;
    const char *id = first_of(ids), *slurm = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
    if (slurm && *slurm && step)
        snprintf(job->id, sizeof job->id, "%s.%s", slurm, step);
    else if (id)
        snprintf(job->id, sizeof job->id, "%s", id);
}
