/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a sample costs on this machine beside the runtime's own code. */
#ifndef HEATSCOPE_CLI_SAMPLE_COST_H
#define HEATSCOPE_CLI_SAMPLE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds that the kernel's interrupt, a signal to an empty handler and the return from it take from a computing thread: of samples that
 * follow each other (warm) and of such that come after a while (cold), medians; the least and the most of all. All 0: no such source here, or
 * not measured. */
typedef struct hsc_cli_gaps {
    unsigned long warm_ns, cold_ns, least_ns, most_ns;
} hsc_cli_gaps;

/* Of perf's cpu-clock: by a signal that the event sends, and by SIGTRAP. */
typedef struct hsc_cli_sample_cost {
    hsc_cli_gaps signal, trap;
} hsc_cli_sample_cost;

#define HSC_CLI_SAMPLE_COST_MAX 1000000u /* what the runtime takes for a cost (trap_ns, interrupt_ns of options.def) */

/* Of the gaps that samples left (nanoseconds; they are put in order): least <= warm <= cold <= most. Of those in which others had the
 * processor (several times the shortest ones) the middle ones are not taken. All 0 where that leaves less than a quarter, or the middle one is more than any sample costs. */
hsc_cli_gaps hsc_cli_gaps_of(uint64_t *warm_ns, size_t n_warm, uint64_t *cold_ns, size_t n_cold);

/* By SIGTRAP, and by a signal where there is no SIGTRAP or it is asked for. Takes some 2.5 ms of CPU time and 8 ms each, 30 ms at most, in a child. */
hsc_cli_sample_cost hsc_cli_sample_cost_measure(bool by_signal);

#endif
