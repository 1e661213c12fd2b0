/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Correlating on behalf of a command: progress, Ctrl-C, warnings. */
#ifndef HEATSCOPE_CLI_CORRELATE_H
#define HEATSCOPE_CLI_CORRELATE_H

#include <join.h>

/* Joins as *wanted says; folders with maps, progress and Ctrl-C are added here. Fills *summary; on failure prints one line
 * and returns an exit code; -1: go on. */
int hsc_cli_correlate(const char *command, const hsc_join_options *wanted, hsc_join_summary *summary);
/* The same together with the other processes that an MPI launcher started with this one, where there are any. What there is to
 * say is said by one of them: the others end with HSC_EXIT_OK. */
int hsc_cli_correlate_together(const char *command, const hsc_join_options *wanted, hsc_join_summary *summary);

/* One line on stderr for each thing that the user should know about the input. */
void hsc_cli_warn(const char *command, const hsc_join_summary *summary);

#endif
