/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The module for the MPI whose launcher started us. */
#include "team.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

static const struct {
    const char *size, *rank, *module, *name; /* variables of the environment */
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "heatscope-team-openmpi.so", "Open MPI"},
    {"PMI_SIZE", "PMI_RANK", "heatscope-team-mpich.so", "MPICH"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "heatscope-team-openmpi.so", "srun"}, /* with PMIx */
};

static unsigned number(const char *variable) {
    const char *text = getenv(variable);
    unsigned long long n = 0;
    return text && hsc_cli_parse_u64(text, 0, 1u << 30, &n) ? (unsigned)n : 0;
}

hsc_status hsc_cli_team_open(hsc_cli_team *t, const volatile sig_atomic_t *cancel, hsc_err *err) {
    char path[PATH_MAX];
    *t = (hsc_cli_team){0};
    size_t i = 0;
    while (i < sizeof launchers / sizeof *launchers && number(launchers[i].size) < 2)
        i++;
    if (i == sizeof launchers / sizeof *launchers)
        return HSC_OK;
    t->rank = number(launchers[i].rank);
    if (!hsc_cli_lib_file(launchers[i].module, path, sizeof path))
        return hsc_err_set(err, HSC_E_UNSUPPORTED, "started %u times by %s, for which this heatscope was not built (%s is missing): start it once",
                           number(launchers[i].size), launchers[i].name, launchers[i].module);
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* global: MPI's own modules need what it has */
    hsc_team_open_function *open = module ? (hsc_team_open_function *)dlsym(module, HSC_TEAM_OPEN) : NULL;
    t->close = module ? (hsc_team_close_function *)dlsym(module, HSC_TEAM_CLOSE) : NULL;
    if (!open || !t->close)
        return hsc_err_set(err, HSC_E_UNSUPPORTED, "started %u times by %s, but its module cannot be loaded: %s", number(launchers[i].size),
                           launchers[i].name, dlerror());
    hsc_status status = open(&t->team, cancel, err);
    if (status == HSC_OK && t->team.size < 2)
        status = hsc_err_set(err, HSC_E_UNSUPPORTED, "started %u times by %s, but its MPI knows of one process only: start it once, or by mpirun",
                             number(launchers[i].size), launchers[i].name);
    else if (status == HSC_OK)
        t->rank = t->team.rank;
    return status;
}

void hsc_cli_team_close(hsc_cli_team *t, const hsc_err *failed) {
    if (t->team.size)
        t->close(&t->team, failed);
    *t = (hsc_cli_team){.rank = t->rank};
}
