/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What this process is, what the processes of a measurement tell each other of it in a file beside theirs (notes.c), and what is said to the user (said.c). */
#ifndef HSC_RT_NOTES_H
#define HSC_RT_NOTES_H

#include "rt.h"

typedef struct hsc_rt_itself {
    hsc_str arguments[512]; /* copied: programs change theirs, and a child of fork tells them again */
    size_t n_arguments;
    char library[HSC_RT_PATH]; /* this one */
    char texts[8192]; /* the record has to fit in its slot */
    char executable[HSC_RT_PATH], directory[HSC_RT_PATH], output[HSC_RT_PATH], host[65], note[512], event_note[1024];
    bool root, forked, removed, ended;
    uint64_t begin_us; /* CPU time that beginning to measure took */
    uint64_t start_ns; /* the same with `heatscope run` */
    uint64_t end_from_ns; /* the ending thread's clock when it began to end measuring; 0: it has not */
    uint64_t job;      /* tells the job of a rank from others of the directory: 32 bits */
} hsc_rt_itself;

extern hsc_rt_itself hsc_rt_me __attribute__((visibility("hidden"))); /* process.c */

/* ---- notes.c */

enum {
    HSC_RT_TOOK_HANDLER,
    HSC_RT_TOOK_SIGNALS,
    HSC_RT_TOOK_WRAPPERS,
    HSC_RT_TOOK_PROBES,
    HSC_RT_TOOK_SWITCHES,
    HSC_RT_TOOK_IN_THREADS, /* those before are in the threads' CPU time */
    HSC_RT_TOOK_HELPER = HSC_RT_TOOK_IN_THREADS,
    HSC_RT_TOOK_START,
    HSC_RT_TOOK_END,
    HSC_RT_TOOK
};

/* Why a process is measured no longer, or not: each is said once in a measurement. */
enum { HSC_RT_QUIT_SECCOMP = 1, HSC_RT_QUIT_TSC = 2, HSC_RT_QUIT_DISPATCH = 4, HSC_RT_QUIT_EXEC = 8, HSC_RT_QUIT_FILE = 16 };

enum { HSC_RT_PID_BITS = 22, HSC_RT_HOST_BITS = 18, HSC_RT_WHO_BITS = HSC_RT_PID_BITS + HSC_RT_HOST_BITS, HSC_RT_GONE_STATUS = 0x100 /* with an exit status; else a signal */, HSC_RT_GONE_NAMED = 3 };

typedef struct hsc_rt_notes {
    uint64_t samples, time_us, processes; /* processes with samples */
    uint64_t files;              /* processes that ended and have a file */
    uint64_t quits;              /* HSC_RT_QUIT_... that were said */
    bool said, unmeasured;       /* lines for this root process: of the start, of a process that is not measured */
    uint64_t lowered, lowest_hz; /* processes; 0: none */
    uint64_t moved;              /* threads that were sampled at the kernel's tick for their switches */
    uint64_t brief, brief_us;    /* processes without a file, their CPU time */
    uint64_t took_us[HSC_RT_TOOK]; /* of measuring */
    uint64_t down_us, more_us;   /* what all that may be too much, and too little; both 0: not known */
    uint64_t looks_us;           /* beside all that: wrappers of calls that looked in vain */
    bool has_probes;             /* a process */
    uint64_t named;              /* hsc_rt_probes_take_named, of all */
    uint64_t gone, gone_first[HSC_RT_GONE_NAMED], gone_rank[HSC_RT_GONE_NAMED]; /* processes that a signal ended; as in the line; 1 + rank, 0: none known */
    uint64_t ended, place;       /* ranks of this job; the how many-th this one was, 0: it has not said so */
} hsc_rt_notes;

/* Samples a second that would keep to the budget (thousandths), if nothing else cost anything, and are fewer than there were at any time: 1, 2 or 5 times a power of ten; 0: none, or as many as were asked for. */
static inline uint64_t hsc_rt_frugal_hz(const hsc_rt_notes *all, uint64_t budget, uint64_t frequency) {
    static const uint64_t steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
    uint64_t cost_us = all->took_us[HSC_RT_TOOK_HANDLER] + all->took_us[HSC_RT_TOOK_SIGNALS], best = 1;
    uint64_t hz = cost_us ? budget * all->samples * 1000 / cost_us : 0, below = all->lowered ? all->lowest_hz : UINT64_MAX;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        best = steps[i] <= hz && steps[i] < below ? steps[i] : best;
    return !cost_us || best >= below || best >= frequency ? 0 : best;
}

typedef struct hsc_rt_lines {
    char text[512];
    size_t n;
} hsc_rt_lines;

/* What a process has to tell of itself at its end. */
typedef struct hsc_rt_told {
    uint64_t samples, time_us; /* records; CPU time of its threads */
    const hsc_rt_cost *cost;
    uint64_t start_ns, end_ns; /* that beginning and ending to measure took */
} hsc_rt_told;

void hsc_rt_append_output(char *path, size_t size, const char *name); /* of a file in the output directory */
void hsc_rt_lines_add(hsc_rt_lines *l, const char *word, uint64_t value);
void hsc_rt_lines_put(const hsc_rt_lines *l); /* all at once: other processes add theirs */
void hsc_rt_note(const char *word, uint64_t value); /* a line alone */
void hsc_rt_note_end(const hsc_rt_told *told, bool exits); /* exits: no other program comes after it */
hsc_rt_notes hsc_rt_notes_read(void);
void hsc_rt_note_rank(void);
void hsc_rt_note_gone(long pid, int status); /* what a call of the program's was told of the end of a process */
bool hsc_rt_is_rank(void); /* what `heatscope run` became, of the ranks that it was started for */
uint64_t hsc_rt_switches_most(const hsc_rt_cost *c); /* thousandths of what is told of switches that they may have taken: with yields that are not told */

/* ---- said.c */

void hsc_rt_say_start(void);
void hsc_rt_say_not_measured(const char *why); /* once in a measurement, however many such processes there are */
void hsc_rt_say_quit(uint64_t quit, const char *why); /* the same for each HSC_RT_QUIT_... */
void hsc_rt_say_end(uint64_t samples, uint64_t time_us); /* of this process */

/* ---- last_words.c */

void hsc_rt_last_words_begin(void); /* the options are read */
void hsc_rt_last_words_keep(int fd, uint64_t sp); /* the program is about to close this stream's; sp: its caller's */

#endif
