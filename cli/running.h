/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of measured processes tell while these run. */
#ifndef HSC_CLI_RUNNING_H
#define HSC_CLI_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include <heatscope/formats/err.h>

/* Whether the process of a stream file has ended without saying so. Only of this machine's processes something is known (the
 * file's name begins HOST.PID.); of others, and of pid 0, false. */
bool hsc_running_is_gone(const char *path, uint64_t pid);
/* Does this machine, if it is the one called host, have such a process? */
bool hsc_running_is_alive(const char *host, uint64_t pid, const char *executable);

#define HSC_RUNNING_NO_COMMAND UINT64_MAX

/* What a process has recorded of itself so far. */
typedef struct hsc_running {
    uint64_t pid;        /* 0: not known yet */
    bool ended;          /* said so, or is gone */
    bool has_probes[8];  /* by enum probe_kind */
    bool obeyed;         /* it has obeyed the command that was asked for */
    uint64_t named, changed; /* probes of its own that the command names (start, stop: 1), and how many were not yet as asked */
} hsc_running;

/* Reads the process's own records of a stream file (not those of its threads). `command`: offset in the file of
 * commands; HSC_RUNNING_NO_COMMAND: none. Those of hsc_reader_open. */
hsc_status hsc_running_read(const char *path, uint64_t command, hsc_running *out, hsc_err *err);

#endif
