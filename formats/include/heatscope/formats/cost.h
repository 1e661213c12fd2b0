/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* By how much record `cost` may tell too little or too much, beside what it has of interrupts and switches; the runtime and the correlator tell the same range by it. */
#ifndef HSC_FORMATS_COST_H
#define HSC_FORMATS_COST_H

/* Start and end: what a call, the loading of a library and the return of memory take outside of the readings of a clock. Of an empty program 0.87 of what was added is told, of threads that wait 80,000 times 0.86 (docs/sampling.md, What measuring takes). */
#define HSC_COST_UNSEEN_MOST 0.25
/* Wrappers: the same, what is cold in the caches afterwards, and that of brief calls one in 61 is measured, where what else goes on meanwhile is waited for. By nanoseconds that a call took more, in
 * turns within one process, 0.68 to 1.5 of it was told (docs/costs.md, Small reads and writes). */
#define HSC_COST_WRAPPERS_LEAST 0.35
#define HSC_COST_WRAPPERS_MOST 0.5

#endif
