/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a sample costs on this machine beside the runtime's own code. */
#ifndef HEATSCOPE_CLI_SAMPLE_COST_H
#define HEATSCOPE_CLI_SAMPLE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds that the kernel's interrupt, a signal to an empty handler and the return from it take from a computing thread: medians of some
 * samples of perf's cpu-clock, by a signal that the event sends, and by SIGTRAP. 0: no such source here, or not measured. */
typedef struct hsc_cli_sample_cost {
    unsigned long signal_ns, trap_ns;
} hsc_cli_sample_cost;

#define HSC_CLI_SAMPLE_COST_MAX 1000000u /* what the runtime takes for a cost (trap_ns, interrupt_ns of options.def) */

/* The middle one of n gaps (nanoseconds; they are put in order). 0 where it is more than any sample costs: others had the processor then. */
unsigned long hsc_cli_sample_cost_of(uint64_t *gap_ns, size_t n);

/* By SIGTRAP, and by a signal where there is no SIGTRAP or it is asked for. Takes 1 ms each, in a child. */
hsc_cli_sample_cost hsc_cli_sample_cost_measure(bool by_signal);

#endif
