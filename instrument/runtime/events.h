/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of events to sample, as perf writes them. Also used by the command. */
#ifndef HSC_RT_EVENTS_H
#define HSC_RT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSC_RT_EVENTS 16u /* CPU time included */

enum hsc_rt_event_kind { HSC_RT_EVENT_PERF, HSC_RT_EVENT_WALL };

typedef struct hsc_rt_event {
    char name[96]; /* as given, without the period */
    enum hsc_rt_event_kind kind;
    uint32_t type; /* as in perf_event_attr */
    uint64_t config, config1, config2;
    uint64_t period; /* events, or nanoseconds for clocks, that one sample stands for */
    bool user, kernel; /* where it is counted */
    bool is_clock;     /* counts nanoseconds */
} hsc_rt_event;

/* Parses one event: NAME[:MODIFIERS][:PERIOD]. NAME: a generic event of perf (cycles, cache-misses, L1-dcache-load-misses,
 * page-faults, ...), rHEX, PMU/TERMS/ of /sys/bus/event_source/devices, SYSTEM:EVENT (a tracepoint), or `wall`. MODIFIERS: of
 * u (user code, the default) and k (kernel). `size` bytes of `text`. False: *why says what is wrong, in one line without end. */
bool hsc_rt_event_parse(const char *text, size_t size, hsc_rt_event *out, char *why, size_t why_size);

/* The length of the first event of a list separated by commas (those between slashes belong to the event). */
size_t hsc_rt_event_length(const char *list);

/* Tries to open it for the calling thread. 0, or the kernel's error number. */
int hsc_rt_event_try(const hsc_rt_event *e);

/* Why an event that can't be opened can't: one line for people. */
const char *hsc_rt_event_why(const hsc_rt_event *e, int error);

#endif
