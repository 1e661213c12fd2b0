/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers messages of one communicator, partner, direction and tag: both sides count alike, since MPI matches them in
 * order. */
#include "mpi.h"

#define BUCKETS 65536u
#define CHANNELS_MAX (1u << 20)
#define PIECE 1024u

static hsc_mpi_channel **buckets, *piece;
static uint32_t left, channels;
static _Atomic uint32_t lock;

hsc_mpi_channel *hsc_mpi_channel_slow(hsc_mpi_comm *c, uint64_t a, uint64_t b) {
    uint64_t h = (a * 0x9e3779b97f4a7c15u ^ b) * 0xc2b2ae3d27d4eb4fu;
    hsc_mpi_lock(&lock);
    if (!buckets)
        buckets = hsc_rt_map(BUCKETS * sizeof(hsc_mpi_channel *));
    hsc_mpi_channel *x = NULL, **at = buckets ? &buckets[h >> 48] : NULL;
    for (x = at ? *at : NULL; x && (x->a != a || x->b != b);)
        x = x->next;
    if (!x && at && channels < CHANNELS_MAX) {
        if (!left && (piece = hsc_rt_map(PIECE * sizeof *piece)) != NULL)
            left = PIECE;
        if (left) {
            x = piece++;
            left--;
            channels++;
            x->a = a;
            x->b = b;
            x->world = hsc_mpi_world_rank(c, (int32_t)(uint32_t)a);
            x->peer_class = (uint8_t)hsc_mpi_peer_class(c, (int32_t)(uint32_t)a);
            x->next = *at;
            *at = x;
        }
    }
    hsc_mpi_unlock(&lock);
    if (x)
        atomic_store_explicit(&c->last[hsc_mpi_last_at(a, b)], x, memory_order_release);
    return x;
}
