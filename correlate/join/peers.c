/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages between two processes: what each counted of those with the other. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>
#include "emit_details.h"
#include "slices.h"

static uint64_t plus(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool hsc_join_take_peer(jprocess *p, const hsc_rec_message_peer *r) {
    if (r->peer >= HSC_NO_INDEX)
        return true;
    uint32_t *at = hsc_table_at(&p->peer_rows, r->peer, 0);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)p->peers.n;
        if (!HSC_PUSH(p->peers, (jpeer){.rank = (uint32_t)r->peer}))
            return false;
    }
    jpeer *q = &p->peers.p[*at];
    q->sent = plus(q->sent, r->sent_messages);
    q->sent_bytes = plus(q->sent_bytes, r->sent_bytes);
    q->received = plus(q->received, r->received_messages);
    q->received_bytes = plus(q->received_bytes, r->received_bytes);
    if (r->time > p->last_ns)
        p->last_ns = r->time;
    return hsc_slices_put(p, &(jslice){.kind = JSLICE_PAIR,
                                       .row = r->peer,
                                       .time = r->time,
                                       .v = {r->sent_messages, r->sent_bytes, r->received_messages, r->received_bytes}});
}

/* Row of the process of this rank in the job of `p`. The table is sorted by rank, those without one last. */
static uint32_t process_of(const join *j, const jprocess *p, uint32_t rank) {
    size_t low = 0, high = j->run.n;
    HSC_SEARCH(low, high, j->run.p[low]->rank >= 0 && j->run.p[low]->rank < rank);
    for (; low < j->run.n && j->run.p[low]->rank == rank; low++)
        if (!strcmp(j->run.p[low]->job, p->job))
            return (uint32_t)low;
    return HSC_NO_INDEX;
}

static int by_rank(const void *a, const void *b) {
    const jpeer *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

void hsc_join_list_peers(columns *c, const join *j, uint32_t row) {
    jprocess *p = j->run.p[row];
    if (p->peers.n > 1)
        qsort(p->peers.p, p->peers.n, sizeof *p->peers.p, by_rank); /* peer_rows is not used any more */
    for (size_t i = 0; i < p->peers.n; i++) {
        jpeer *of = &p->peers.p[i];
        of->row = (uint32_t)columns_rows(c, HSC_COL_message_pair_process);
        CELL(c, message_pair_process, uint32_t, row);
        CELL(c, message_pair_peer, uint32_t, process_of(j, p, of->rank));
        CELL(c, message_pair_peer_rank, uint32_t, of->rank);
        CELL(c, message_pair_sent, uint64_t, of->sent);
        CELL(c, message_pair_sent_bytes, uint64_t, of->sent_bytes);
        CELL(c, message_pair_received, uint64_t, of->received);
        CELL(c, message_pair_received_bytes, uint64_t, of->received_bytes);
    }
}
