/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of probes that each translation unit carries in its loaded section "heatscope_probes": what the compiler pass
 * and the runtime agree on. Tables follow each other; each says how many bytes it has (a multiple of 8). Layout, in the
 * machine's byte order:
 *
 *   struct hsc_probe_table, then count words (uint32_t, padded to 8 bytes: 0 dormant, else the probe's number in the process),
 *   count hsc_probe_entry, for each probe two strings that end in NUL: name and file, and `asked` strings: items of the list as the user wrote
 *   them, without those that take out, behind '+' where something of the unit has that name, else '-'.
 *
 * The code of a probe is "if (word) call *enter" with the number in r11. The callee changes no register but r11 and flags.
 * At an exit it is *leave. r10 holds the address of the frame's return address, which tells frames apart. At a value it is
 * *value, and r10 holds that. */
#ifndef HEATSCOPE_FORMATS_PROBES_H
#define HEATSCOPE_FORMATS_PROBES_H

#include <stdint.h>

#define HSC_PROBE_SECTION "heatscope_probes"
#define HSC_PROBE_TABLE_VERSION 2u
#define HSC_PROBE_COUNT_MAX 1000000u

typedef struct hsc_probe_table {
    uint32_t version, bytes, count, reserved;
    uint64_t module_tag;
    uint64_t enter, leave, value; /* addresses, filled in before any word is set */
    uint64_t link;                /* the runtime's */
    uint32_t auto_ppm;            /* the automatic choice: millionths of the CPU time that its probes may take; 0: it was not asked for */
    uint32_t auto_looked_at, auto_chosen; /* procedures and outermost loops, and how many of them it took */
    uint32_t asked;               /* items of the list that name something, see below */
    uint64_t auto_least_work, auto_most_work; /* instructions of a visit by the look of the code: that it asks for, most that there are */
    uint32_t word[];
} hsc_probe_table;

typedef struct hsc_probe_entry {
    uint64_t tag;
    uint32_t line;
    uint8_t kind, flags; /* enum probe_kind, probe_flag */
    uint16_t share; /* of CPU time that AUTOMATIC probes may take together, in hundredths of a percent; 0: it is none of them */
} hsc_probe_entry;

#define HSC_PROBE_WORDS_AT 88u
#define HSC_PROBE_ENTER_AT 24u
#define HSC_PROBE_LEAVE_AT 32u
#define HSC_PROBE_VALUE_AT 40u

/* What notes of probes took in a run, in any unit of time, and its variance. */
typedef struct hsc_probe_cost_in_run {
    double cost, variance;
} hsc_probe_cost_in_run;

/* Of two estimates, each weighed by the inverse of its variance: `alone`, visits times what one costs when nothing else is done, which may be wrong by all of itself
 * (a processor does other things meanwhile, or its memory is busy); and `sampled`, what samples in notes stand for (0: none was met), with the sum of squares of what each
 * stands for, to which one more of mean size `each` is added, since none need not mean nothing. each <= 0: there are no samples of anything. */
static inline hsc_probe_cost_in_run hsc_probe_weigh(double alone, double sampled, double squares, double each) {
    double doubt = alone * alone, chance = squares + each * each;
    if (!(each > 0) || !(alone > 0))
        return (hsc_probe_cost_in_run){alone > 0 ? alone : 0, doubt};
    return (hsc_probe_cost_in_run){(alone * chance + sampled * doubt) / (chance + doubt), chance * doubt / (chance + doubt)};
}

#endif
