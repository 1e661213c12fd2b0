/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a sample costs on this machine beside the runtime's own code. */
#ifndef HEATSCOPE_CLI_SAMPLE_COST_H
#define HEATSCOPE_CLI_SAMPLE_COST_H

/* Nanoseconds that the kernel's interrupt, a signal to an empty handler and the return from it take from a computing thread:
 * the median of some samples of perf's cpu-clock. Takes 1 ms. 0: no such source here. Uses SIGSTKFLT for a moment. */
unsigned long hsc_cli_sample_cost_ns(void);

#endif
