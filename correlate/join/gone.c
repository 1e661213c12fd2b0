/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How processes ended: by their own last record; of one that had no time for it, and of the exit status, by what the one that waited for it was told. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "join_internal.h"

/* As the runtime makes it (instrument/runtime/notes.c): 22 bits of the process's number, 18 of a hash of its host's name; above them a signal, or 256 and an exit status. */
enum { PID_BITS = 22, HOST_BITS = 18, WHO_BITS = PID_BITS + HOST_BITS, STATUS = 0x100 };

static uint64_t who(const jprocess *p) {
    uint64_t host = hsc_hash64(0, p->host, strlen(p->host));
    return (host & ((1u << HOST_BITS) - 1)) << PID_BITS | (p->pid & ((1u << PID_BITS) - 1));
}

static int compare(const void *a, const void *b) {
    const jgone *x = a, *y = b;
    uint64_t who = (1ull << WHO_BITS) - 1, p = x->told & who, q = y->told & who;
    return x->input != y->input ? (x->input < y->input ? -1 : 1) : p < q ? -1 : p > q;
}

hsc_status hsc_join_add_gone(join *j, uint32_t input, uint64_t told, hsc_err *err) {
    return HSC_PUSH(j->gone, (jgone){input, told}) ? HSC_OK : hsc_join_no_memory(err);
}

void hsc_join_sort_gone(join *j) {
    if (j->gone.n > 1)
        qsort(j->gone.p, j->gone.n, sizeof *j->gone.p, compare);
}

/* Of one number that two processes had one after the other it is not known which was meant: NULL. */
static const jgone *gone_of(const join *j, const jprocess *p) {
    jgone wanted = {p->input, who(p)};
    const jgone *g = j->gone.n && p->host ? bsearch(&wanted, j->gone.p, j->gone.n, sizeof wanted, compare) : NULL;
    bool alone = g && (g == j->gone.p || compare(g - 1, g)) && (g + 1 == j->gone.p + j->gone.n || compare(g + 1, g));
    return alone ? g : NULL;
}

const char *hsc_join_end_text(join *j, const jprocess *p) {
    const char *end = p->has_end ? hsc_enum_text("end_kind", p->end_kind) : NULL;
    const jgone *g = !p->has_end || p->end_kind == HSC_end_kind_EXIT ? gone_of(j, p) : NULL;
    uint64_t how = g ? g->told >> WHO_BITS : 0, status = how & (STATUS - 1);
    char text[40];
    if (how & STATUS)
        snprintf(text, sizeof text, HSC_DB_EXIT_STATUS "%u", (unsigned)status);
    else if (how && !p->has_end && sigabbrev_np((int)status))
        snprintf(text, sizeof text, HSC_DB_BY_SIGNAL "SIG%s", sigabbrev_np((int)status));
    else if (how && !p->has_end)
        snprintf(text, sizeof text, HSC_DB_BY_SIGNAL "signal %u", (unsigned)status);
    else
        return end ? end : HSC_DB_NO_END;
    return hsc_pool_intern(&j->pool, text, strlen(text));
}
