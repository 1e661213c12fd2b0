/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps the time of queries, and asks whoever shows it whether to go on. */
#include "busy.h"

#include <stdlib.h>
#include <time.h>

#define KEY "heatscope::busy"

typedef struct shower {
    hsc_busy_show show;
    void *ctx;
    struct shower *next;
} shower;

struct hsc_busy {
    double begin_ms, shown_ms; /* shown_ms 0: not shown yet */
    bool stopped, showing;
    shower *showers; /* one a window */
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* true: go on */
static bool show_all(hsc_busy *b, double seconds, uint64_t done, uint64_t whole) {
    bool go_on = true;
    b->showing = true;
    for (shower *s = b->showers; s; s = s->next)
        go_on = s->show(s->ctx, seconds, done, whole) && go_on;
    b->showing = false;
    return go_on;
}

static void ends(hsc_busy *b) {
    if (b->showing)
        return;
    if (b->shown_ms > 0)
        show_all(b, -1, 0, 0);
    b->shown_ms = 0;
    b->stopped = false;
    b->begin_ms = now_ms();
}

/* The event loop looks for events: what went before is done. After its wait it hands out the next. */
static void setup(ClientData data, int flags) {
    (void)flags;
    ends(data);
}
static void check(ClientData data, int flags) {
    (void)flags;
    ends(data);
}

static void gone(ClientData data, Tcl_Interp *interp) {
    (void)interp;
    hsc_busy *b = data;
    Tcl_DeleteEventSource(setup, check, b);
    for (shower *s = b->showers, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    free(b);
}

hsc_busy *hsc_busy_of(Tcl_Interp *interp) {
    hsc_busy *b = Tcl_GetAssocData(interp, KEY, NULL);
    if (!b && (b = calloc(1, sizeof *b)) != NULL) {
        b->begin_ms = now_ms();
        Tcl_SetAssocData(interp, KEY, gone, b);
        Tcl_CreateEventSource(setup, check, b);
    }
    return b;
}

bool hsc_busy_step(void *ctx, uint64_t done, uint64_t whole) {
    hsc_busy *b = ctx;
    if (!b || b->stopped || !b->showers || b->showing)
        return !b || !b->stopped;
    double now = now_ms();
    if (now - b->begin_ms < HSC_BUSY_AFTER_MS || now - b->shown_ms < HSC_BUSY_EVERY_MS)
        return true;
    b->shown_ms = now;
    b->stopped = !show_all(b, (now - b->begin_ms) / 1e3, done, whole);
    return !b->stopped;
}

bool hsc_busy_add(hsc_busy *b, hsc_busy_show show, void *ctx) {
    shower *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    *s = (shower){show, ctx, b->showers};
    b->showers = s;
    return true;
}

void hsc_busy_remove(Tcl_Interp *interp, const void *ctx) {
    hsc_busy *b = Tcl_GetAssocData(interp, KEY, NULL);
    for (shower **p = b ? &b->showers : NULL; p && *p; p = &(*p)->next)
        if ((*p)->ctx == ctx) {
            shower *s = *p;
            *p = s->next;
            free(s);
            break;
        }
}
