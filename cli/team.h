/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several processes of one command that an MPI launcher started. */
#ifndef HEATSCOPE_CLI_TEAM_H
#define HEATSCOPE_CLI_TEAM_H

#include <team.h>

typedef struct hsc_cli_team { /* all zero: alone */
    hsc_team team;            /* size 0: alone */
    hsc_team_close_function *close;
    unsigned rank;            /* as the launcher says, also where opening failed */
} hsc_cli_team;

/* Joins the other processes where the launcher's environment tells of any. HSC_E_UNSUPPORTED: this build has no module for
 * the launcher's MPI. */
hsc_status hsc_cli_team_open(hsc_cli_team *t, const volatile sig_atomic_t *cancel, hsc_err *err);
/* failed: NULL, or why the command failed here. */
void hsc_cli_team_close(hsc_cli_team *t, const hsc_err *failed);

#endif
