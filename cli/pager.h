/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text for people goes through a pager where standard output is a terminal. */
#ifndef HEATSCOPE_CLI_PAGER_H
#define HEATSCOPE_CLI_PAGER_H

#include <heatscope/formats/err.h>

/* To be called before the first word is written: from then on standard output is what the pager reads. It is that of the environment's HEATSCOPE_PAGER, else
 * PAGER, else less (which leaves what fits on the screen as it is); none where that is empty or "cat", less is not there, standard output is no terminal, or the terminal can't place its cursor. */
void hsc_pager_begin(void);

/* Writes what is left and waits until the user has read it, where there is a pager. Returns an exit code: one line on stderr says what failed before (status, err), or that
 * standard output could not be written; what the user did not want to read is no error. */
int hsc_pager_end(const char *command, hsc_status status, const hsc_err *err);

#endif
