/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heatscope::timeline: its state, and what of it w_timeline_read.c reads from the database. */
#ifndef HSC_GUI_W_TIMELINE_H
#define HSC_GUI_W_TIMELINE_H

#include "timeline_rows.h"
#include "widget.h"

enum { KEYS_MAX = 13, SPAN_KEYS_MAX = 8, RANKED_MAX = 9 }; /* RANKED_MAX: procedures or loops with a colour of their own */

typedef struct timeline {
    hsw w;
    char *columns, *view, *interval, *beside;
    int sort, key, min_row, show_spans, mark;
    double view_begin, view_end, interval_begin, interval_end; /* by changed; begin >= end: whole run, none */
    /* by prepare */
    hsc_axis axis;
    double begin, end, run_end, period;
    uint32_t slots_n, slots_read, n_keys;
    uint32_t rows_read;   /* of slots_of: so many rows are there; all: axis.bins */
    uint32_t rows_drawn; /* by the last picture */
    hsc_db_slot *slots;
    struct slots_of {     /* what they were read for: that of the run, whatever interval is set */
        hsc_handle *db;
        int key;
        uint32_t bins, wanted, rows; /* rows: a hash of which thread is in which */
        double begin, end;
        int spans; /* are they drawn? */
    } slots_of;
    hsc_timeline_span *spans; /* waits and messages, of the first spans_rows rows */
    uint64_t spans_n, spans_cells; /* in view; slots that have some */
    uint32_t spans_rows;
    bool *counted;        /* by thread: whose spans stand for its row */
    bool spans_made, keys_made; /* for the slots; keys also for the first rows of them */
    bool chosen;          /* how many slots there are will stay */
    char (*labels)[32], (*names)[256];
    const char **pointers;
    hsc_timeline_key_entry keys[KEYS_MAX + SPAN_KEYS_MAX + 1];
    double busy_top; /* of its own slots; 0: none yet */
    bool looks;      /* at the one beside */
    bool absent;      /* no times */
    bool about;           /* shares are of what leads the slots, not of all samples */
    hsc_timeline_phase *phases;
    uint32_t n_phases, phases_process; /* whose they are, HSC_NONE: nobody's */
    hsc_handle *phases_db;
    char phases_of[32];
    /* colours, by what has most of the whole run */
    hsc_handle *ranked_db;
    int ranked_key;
    uint32_t n_ranked, ranked[KEYS_MAX];
    /* dragging */
    double drag_from, drag_to;
} timeline;

/* The process of a column of the axis, HSC_NONE without one. */
uint32_t hsw_timeline_process_of(const timeline *t, int64_t column);
/* Phases of the chosen processor's process, or of the first that has some. */
hsc_status hsw_timeline_read_phases(timeline *t, hsc_err *err);
/* The keys that get colours. */
hsc_status hsw_timeline_rank_keys(timeline *t, hsc_err *err);
/* "name", "do loop of solve, line 41": at most `size` bytes with the NUL. */
void hsw_timeline_name_key(const timeline *t, uint32_t key, char *out, size_t size);
/* Slots, spans and keys of what is in view; some rows at a time (hsw_later). */
hsc_status hsw_timeline_read_slots(timeline *t, hsc_err *err);
void hsw_timeline_free_spans(timeline *t);
/* What fills a row. */
void hsw_timeline_choose_top(timeline *t);

#endif
