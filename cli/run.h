/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of `heatscope run`. */
#ifndef HSC_CLI_RUN_H
#define HSC_CLI_RUN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the ELF program at `path` names an MPI library among those that it needs. False for what can't be read. */
bool hsc_run_needs_mpi(const char *path);

/* What to tell of a debugger, tracer or the like of this name, that is given as the program to measure, after its name; NULL: nothing. */
const char *hsc_run_tool_note(const char *name);

/* A list of probes as --arm takes it. */
bool hsc_run_is_probe_list(const char *list);

#endif
