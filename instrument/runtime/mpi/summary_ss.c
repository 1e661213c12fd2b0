/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The summaries of a thread's message calls, and how they get into its stream: also from the sampling handler. */
#include "mpi.h"

#define SUMMARY_ROOM 256u
#define PEER_ROOM 64u
#define NS_OF_A_BYTE 62500u /* of pause after so many bytes: 16 kB a second at most */
#define PAUSE_NS 100000000u
#define OF_A_RECORD 80u /* bytes, about */

/* ---- tables
 * ------------------------------------------------------------------------------------------------------------------ */

static uint64_t hash(uint64_t key, uint32_t thread_id) {
    uint64_t h = (key ^ (uint64_t)thread_id << 17) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 31;
}

/* Twice the room; the tables stay as they are without memory. */
static bool more_summaries(hsc_mpi_block *b) {
    uint64_t begin = hsc_mpi_own_begin(b->thread);
    uint32_t old = b->summary_room, n = old ? old * 2 : SUMMARY_ROOM;
    hsc_mpi_summary *s = hsc_rt_map(n * sizeof *s);
    uint32_t *bucket = hsc_rt_map(n * sizeof *bucket), *dirty = hsc_rt_map(n * sizeof *dirty);
    if (!s || !bucket || !dirty) {
        hsc_rt_unmap(s, n * sizeof *s);
        hsc_rt_unmap(bucket, n * sizeof *bucket);
        hsc_rt_unmap(dirty, n * sizeof *dirty);
        return false;
    }
    if (old) {
        __builtin_memcpy(s, b->summary, old * sizeof *s);
        __builtin_memcpy(dirty, b->dirty, old * sizeof *dirty);
    }
    for (uint32_t i = 0; i < b->summaries; i++) {
        uint32_t *at = &bucket[hash(s[i].key, s[i].thread_id) & (n - 1)];
        s[i].next = *at;
        *at = i + 1;
    }
    hsc_rt_unmap(b->summary, old * sizeof *s);
    hsc_rt_unmap(b->bucket, old * sizeof *bucket);
    hsc_rt_unmap(b->dirty, old * sizeof *dirty);
    b->summary = s;
    b->bucket = bucket;
    b->dirty = dirty;
    b->summary_room = n;
    hsc_mpi_was_slow(b, begin);
    return true;
}

static void empty(hsc_mpi_summary *s) {
    *s = (hsc_mpi_summary){.key = s->key, .thread_id = s->thread_id, .next = s->next, .size_min = UINT64_MAX, .duration_min = UINT64_MAX};
}

hsc_mpi_summary *hsc_mpi_summary_slow(hsc_mpi_block *b, uint32_t thread_id, uint64_t key) {
    uint64_t h = hash(key, thread_id);
    hsc_mpi_summary *s = NULL;
    if (b->summary_room)
        for (uint32_t i = b->bucket[h & (b->summary_room - 1)]; i && !s; i = b->summary[i - 1].next)
            if (b->summary[i - 1].key == key && b->summary[i - 1].thread_id == thread_id)
                s = &b->summary[i - 1];
    if (!s) {
        if (b->summaries == b->summary_room && !more_summaries(b))
            return NULL;
        uint32_t *at = &b->bucket[h & (b->summary_room - 1)];
        s = &b->summary[b->summaries++];
        s->key = key;
        s->thread_id = thread_id;
        s->next = *at;
        empty(s);
        *at = b->summaries;
    }
    if (!s->dirty) {
        s->dirty = true;
        b->dirty[b->dirties++] = (uint32_t)(s - b->summary);
    }
    b->hint[(key >> 32) % HSC_MPI_HINTS] = (uint32_t)(s - b->summary) + 1;
    return s;
}

static hsc_mpi_peer *peer_at(hsc_mpi_peer *table, uint32_t room, uint32_t rank_1) {
    uint32_t i = hsc_mpi_peer_slot(rank_1, room);
    while (table[i].rank_1 && table[i].rank_1 != rank_1)
        i = (i + 1) & (room - 1);
    return &table[i];
}

hsc_mpi_peer *hsc_mpi_peer_slow(hsc_mpi_block *b, int world_rank) {
    uint32_t rank_1 = (uint32_t)world_rank + 1;
    if (world_rank < 0)
        return NULL;
    hsc_mpi_peer *p = b->peer_room ? peer_at(b->peer, b->peer_room, rank_1) : NULL;
    if (!p || !p->rank_1) {
        if (b->peers * 2 >= b->peer_room) {
            uint32_t n = b->peer_room ? b->peer_room * 2 : PEER_ROOM;
            hsc_mpi_peer *table = hsc_rt_map(n * sizeof *table);
            if (!table)
                return NULL;
            for (uint32_t i = 0; i < b->peer_room; i++)
                if (b->peer[i].rank_1)
                    *peer_at(table, n, b->peer[i].rank_1) = b->peer[i];
            hsc_rt_unmap(b->peer, b->peer_room * sizeof *table);
            b->peer = table;
            b->peer_room = n;
        }
        p = peer_at(b->peer, b->peer_room, rank_1);
        p->rank_1 = rank_1;
        b->peers++;
    }
    p->dirty = true;
    return p;
}

/* ---- adding
 * ------------------------------------------------------------------------------------------------------------------ */

void hsc_mpi_fold(hsc_mpi_summary *s) {
    uint64_t n = s->repeats, size = hsc_mpi_size(s->same.sent, s->same.received, s->same.flags);
    if (!n)
        return;
    unsigned bits = hsc_mpi_bits(size), size_class = (bits + 3) / 4;
    s->size_min = size < s->size_min ? size : s->size_min;
    s->size_max = size > s->size_max ? size : s->size_max;
    s->size_squares += (double)n * (double)(int64_t)size * (double)(int64_t)size;
    s->sizes[size_class ? bits - (4 * size_class - 3) : 0] += (uint32_t)n;
    s->sent_messages += s->same.flags & HSC_MPI_NOTE_SENT ? n : 0;
    s->sent_bytes += n * s->same.sent;
    s->received_messages += s->same.flags & HSC_MPI_NOTE_RECEIVED ? n : 0;
    s->received_bytes += n * s->same.received;
    s->completions += n * s->same.completions;
    s->repeats = 0;
}

/* ---- writing
 * -----------------------------------------------------------------------------------------------------------------------
 */

/* "First bucket, counts" of a histogram whose bucket 0 is number `first`. */
static hsc_u64s histogram(uint64_t *out, const uint32_t *counts, uint32_t n, uint32_t first) {
    uint32_t low = 0, high = n;
    while (high && !counts[high - 1])
        high--;
    while (low < high && !counts[low])
        low++;
    out[0] = first + low;
    for (uint32_t i = low; i < high; i++)
        out[1 + i - low] = counts[i];
    return (hsc_u64s){out, low < high ? 1 + high - low : 0};
}

static bool put_summary(hsc_rt_thread *t, hsc_mpi_summary *s, uint64_t now) {
    uint64_t sizes[8], durations[HSC_MPI_DURATIONS + 1];
    uint32_t size_class = s->key & 255;
    uint64_t calls = 0;
    hsc_mpi_fold(s);
    for (uint32_t i = 0; i < HSC_MPI_DURATIONS; i++)
        calls += s->durations[i];
    hsc_rec_message_summary r = {.time = now,
                                 .thread_id = s->thread_id,
                                 .node_id = s->key >> 32,
                                 .operation_id = s->key >> 16 & 0xffff,
                                 .peer_class = s->key >> 8 & 255,
                                 .size_class = size_class,
                                 .calls = calls,
                                 .sent_messages = s->sent_messages,
                                 .sent_bytes = s->sent_bytes,
                                 .received_messages = s->received_messages,
                                 .received_bytes = s->received_bytes,
                                 .size_min = calls ? s->size_min : 0,
                                 .size_max = s->size_max,
                                 .size_squares = s->size_squares,
                                 .duration_ns = s->duration,
                                 .duration_min = calls ? s->duration_min : 0,
                                 .duration_max = s->duration_max,
                                 .duration_squares = s->duration_squares,
                                 .completions = s->completions,
                                 .in_flight_ns = s->in_flight,
                                 .completion_ns = s->completion};
    r.size_histogram = histogram(sizes, s->sizes, 5, size_class ? 4 * size_class - 3 : 0);
    r.duration_histogram = histogram(durations, s->durations, HSC_MPI_DURATIONS, 0);
    return heatscope_rt_services.thread_put(t, HSC_REC_message_summary, &r, now);
}

/* Charges the thread with what is new of our own time; a call that can't be told apart from an interruption counts as the others. */
static void tell_cost(hsc_rt_thread *t, hsc_mpi_block *b) {
    uint64_t calls = b->cost_calls * HSC_MPI_COST_EVERY + (HSC_MPI_COST_EVERY - b->until_cost);
    uint64_t own = b->cost_slow;
    if (b->cost_plain_calls)
        own += (uint64_t)((double)b->cost_plain / (double)b->cost_plain_calls * (double)calls);
    t->wrapper_rare_cycles += b->cost_rare - b->rare_told;
    b->rare_told = b->cost_rare;
    if (own > b->cost_told) {
        hsc_rt_charge_wrapper(t, own - b->cost_told);
        b->cost_told = own;
    }
}

uint64_t hsc_mpi_flush(hsc_rt_thread *t, uint64_t now_ns, bool last) {
    hsc_mpi_block *b = t->messages;
    uint64_t written = 0;
    uint32_t kept = 0;
    tell_cost(t, b);
    hsc_mpi_events_write(b);
    if (!last)
        hsc_mpi_events_govern(b, now_ns);
    for (uint32_t i = 0; i < b->dirties; i++) {
        hsc_mpi_summary *s = &b->summary[b->dirty[i]];
        if (!put_summary(t, s, now_ns)) {
            b->dirty[kept++] = b->dirty[i];
            continue;
        }
        empty(s);
        written += OF_A_RECORD;
    }
    b->dirties = kept;
    for (uint32_t i = 0; i < b->peer_room; i++) {
        hsc_mpi_peer *p = &b->peer[i];
        hsc_rec_message_peer r = {now_ns,        p->rank_1 - 1u,       p->sent_messages,
                                  p->sent_bytes, p->received_messages, p->received_bytes};
        if (!p->dirty || !heatscope_rt_services.thread_put(t, HSC_REC_message_peer, &r, now_ns))
            continue;
        *p = (hsc_mpi_peer){.rank_1 = p->rank_1};
        written += OF_A_RECORD / 4;
    }
    if (last && b->not_recorded) {
        hsc_rec_message_threshold r = {now_ns, b->threshold_ns, b->not_recorded};
        heatscope_rt_services.thread_put(t, HSC_REC_message_threshold, &r, now_ns);
    }
    uint64_t pause = written * NS_OF_A_BYTE;
    t->messages_due = now_ns + (pause > PAUSE_NS ? pause : PAUSE_NS);
    return written;
}
