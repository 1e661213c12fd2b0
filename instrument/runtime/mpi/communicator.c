/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Communicators, windows and types that the program uses, asked from the library once each. A communicator's key is
 * made without communication: all members make communicators of a parent in the same order. */
#include <stdlib.h>
#include <string.h>

#include "mpi.h"

#define BUCKETS 1024u
#define MEMBERS_OF_A_RECORD 2048u

static hsc_mpi_comm *buckets[BUCKETS];
static _Atomic uint32_t lock;
static _Atomic uint32_t next_id = 1;

static unsigned bucket_of(uint64_t handle) {
    return (unsigned)(handle * 0x9e3779b97f4a7c15u >> 54) & (BUCKETS - 1);
}

static void *room(size_t size) {
    static uint8_t *page;
    static size_t left;
    size = (size + 63) & ~(size_t)63; /* whole lines */
    if (size > 16384)
        return hsc_rt_map(size);
    if (left < size) {
        page = hsc_rt_map(65536);
        left = page ? 65536 : 0;
    }
    if (!page || left < size)
        return NULL;
    void *p = page;
    page += size;
    left -= size;
    return p;
}

/* ---- asking
 * ---------------------------------------------------------------------------------------------------------------------
 */

/* World ranks of a group's members; NULL: they are 0, 1, ..., or can't be had. The lock is held. */
static int32_t *world_ranks(uint64_t group, int32_t n) {
    static void *numbers; /* 0, 1, ..., and room for as many */
    static size_t numbers_bytes;
    hsc_mpi_library *l = &hsc_mpi_lib;
    uint64_t world = hsc_mpi_world_group();
    size_t bytes = (size_t)n * sizeof(int32_t), before = numbers_bytes;
    bool same = true, known = world && hsc_mpi_scratch(NULL, &numbers, &numbers_bytes, 2 * bytes);
    size_t half = numbers_bytes / 2 / sizeof(int32_t);
    int32_t *own = numbers, *to = known ? own + half : NULL;
    if (before != numbers_bytes)
        for (size_t i = 0; i < half; i++)
            own[i] = (int32_t)i;
    known = known && !(int)l->Group_translate_ranks(group, n, own, world, to);
    if (world)
        l->Group_free(&world);
    for (int32_t i = 0; known && i < n; i++)
        same = same && to[i] == i;
    int32_t *kept = same ? NULL : room(bytes);
    if (kept)
        memcpy(kept, to, bytes);
    return kept;
}

static uint64_t hash_members(const hsc_mpi_comm *c, uint64_t seed) {
    uint64_t h = hsc_hash64(seed, &c->size, sizeof c->size);
    for (int i = 0; i < c->size; i++) {
        int32_t r = c->world ? c->world[i] : i;
        h = hsc_hash64(h, &r, sizeof r);
    }
    return h;
}

/* Communicators of the same groups may be made under one name, one after the other, by all members alike. */
static uint64_t next_key(uint64_t key) {
    static struct made {
        uint64_t key, times;
        struct made *next;
    } *all;
    struct made *m = all;
    while (m && m->key != key)
        m = m->next;
    if (!m && (m = room(sizeof *m)) != NULL) {
        *m = (struct made){key, 0, all};
        all = m;
    }
    uint64_t times = m ? m->times++ : 0;
    return times ? hsc_hash64(key, &times, sizeof times) : key;
}

static uint32_t kind_of(const hsc_mpi_comm *c, uint64_t handle) {
    int32_t topology = -1;
    hsc_mpi_library *l = &hsc_mpi_lib;
    if (c->remote_size)
        return HSC_communicator_kind_INTER;
    if (handle == l->comm_world)
        return HSC_communicator_kind_WORLD;
    if (handle == l->comm_self)
        return HSC_communicator_kind_SELF;
    if (!l->Topo_test || (int)l->Topo_test(handle, &topology))
        return HSC_communicator_kind_INTRA;
    int cart = l->kind == HSC_MPI_OPEN_MPI ? 1 : 2, graph = 3 - cart;
    return topology == cart                     ? HSC_communicator_kind_CARTESIAN
           : topology == graph || topology == 3 ? HSC_communicator_kind_GRAPH
                                                : HSC_communicator_kind_INTRA;
}

static void tell(const hsc_mpi_comm *c, uint32_t parent_id, uint32_t kind) {
    uint64_t now = hsc_rt_now_ns();
    uint64_t members[MEMBERS_OF_A_RECORD];
    hsc_rec_communicator r = {.communicator_id = c->id,
                              .key = c->key,
                              .parent_id = parent_id,
                              .kind = kind,
                              .rank = (uint64_t)c->rank,
                              .size = (uint64_t)c->size,
                              .remote_size = (uint64_t)c->remote_size,
                              .time = now};
    int all = c->rank == 0 && kind != HSC_communicator_kind_WORLD && !c->remote_size ? c->size : 0, first = 0;
    do {
        uint32_t n = 0;
        for (; n < MEMBERS_OF_A_RECORD && first + (int)n < all; n++)
            members[n] = (uint64_t)(uint32_t)hsc_mpi_world_rank(c, first + (int)n);
        r.first = (uint64_t)first;
        r.members = (hsc_u64s){members, n};
        hsc_mpi_file_put(HSC_REC_communicator, &r, now);
        first += (int)n;
    } while (first < all);
}

/* `handle`: C's, or with a key; `named`: it was made out of groups. NULL: the library does not know it. */
static hsc_mpi_comm *ask(uint64_t handle, uint32_t parent_id, uint64_t key, bool named) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    uint64_t c_handle = handle & ~(HSC_MPI_FORTRAN_KEY | HSC_MPI_WINDOW_KEY), group = 0;
    hsc_mpi_comm c = {.handle = handle, .in_degree = -1, .out_degree = -1};
    int32_t inter = 0, n = 0;
    bool window = handle & HSC_MPI_WINDOW_KEY;
    if (handle & HSC_MPI_FORTRAN_KEY) /* of a library that can't tell C's */
        return NULL;
    if (window) {
        if (!l->Win_get_group || !l->Group_size || (int)l->Win_get_group(c_handle, &group) ||
            (int)l->Group_size(group, &n))
            return NULL;
        c.size = n;
        c.rank = -1;
        c.world = world_ranks(group, n);
        l->Group_free(&group);
        for (int32_t i = 0; i < n && c.rank < 0; i++)
            c.rank = hsc_mpi_world_rank(&c, i) == l->rank ? i : -1;
    } else {
        int32_t rank = 0;
        if ((int)l->Comm_rank(c_handle, &rank) || (int)l->Comm_size(c_handle, &n) ||
            (int)l->Comm_test_inter(c_handle, &inter))
            return NULL;
        c.size = n;
        c.rank = rank;
        if (inter && l->Comm_remote_size && l->Comm_remote_group) {
            l->Comm_remote_size(c_handle, &n);
            c.remote_size = n;
            if ((int)l->Comm_remote_group(c_handle, &group))
                return NULL;
        } else if ((int)l->Comm_group(c_handle, &group))
            return NULL;
        if (c_handle != l->comm_world)
            c.world = world_ranks(group, n);
        l->Group_free(&group);
    }
    uint32_t kind = window ? HSC_communicator_kind_WINDOW : kind_of(&c, c_handle);
    uint64_t self = (uint64_t)l->rank;
    c.key = kind == HSC_communicator_kind_WORLD  ? 1
            : kind == HSC_communicator_kind_SELF ? hsc_hash64(2, &self, sizeof self)
            : c.remote_size                      ? key
                                                 : hash_members(&c, key);
    if (named)
        c.key = next_key(c.key);
    if (!window && c_handle == l->comm_null)
        return NULL;
    c.id = atomic_fetch_add(&next_id, 1);
    hsc_mpi_comm *kept = room(sizeof *kept);
    if (!kept)
        return NULL;
    memcpy(kept, &c, sizeof c);
    tell(kept, parent_id, kind);
    return kept;
}

/* ---- table
 * --------------------------------------------------------------------------------------------------------------------------
 */

static hsc_mpi_comm *find(uint64_t handle) {
    hsc_mpi_comm *c = buckets[bucket_of(handle)];
    while (c && c->handle != handle)
        c = c->next;
    return c;
}

uint64_t hsc_mpi_in_c(uint64_t handle) {
    const hsc_mpi_library *l = &hsc_mpi_lib;
    uint64_t window = handle & HSC_MPI_WINDOW_KEY;
    if (!(handle & HSC_MPI_FORTRAN_KEY) || (window ? !l->Win_f2c : !l->Comm_f2c))
        return handle;
    return window | (window ? l->Win_f2c((int32_t)(uint32_t)handle) : l->Comm_f2c((int32_t)(uint32_t)handle));
}

static hsc_mpi_comm *find_or_ask(uint64_t handle, uint32_t parent_id, uint64_t key, bool named) {
    handle = hsc_mpi_in_c(handle);
    hsc_mpi_comm *c = find(handle);
    if (c || !handle || handle == hsc_mpi_lib.comm_null)
        return c;
    if ((c = ask(handle, parent_id, key, named)) != NULL) {
        unsigned b = bucket_of(handle);
        c->next = buckets[b];
        buckets[b] = c;
    }
    return c;
}

hsc_mpi_comm *hsc_mpi_comm_of(hsc_mpi_block *b, uint64_t handle) {
    uint64_t begin = b ? hsc_mpi_own_begin(b->thread) : 0;
    hsc_mpi_lock(&lock);
    hsc_mpi_comm *c = find_or_ask(handle, 0, 3, false);
    hsc_mpi_unlock(&lock);
    if (b)
        hsc_mpi_was_slow(b, begin);
    return c;
}

void hsc_mpi_comm_new(hsc_mpi_block *b, hsc_mpi_comm *parent, uint64_t handle, uint64_t salt, bool by_all) {
    uint64_t begin = hsc_mpi_own_begin(b->thread);
    hsc_mpi_lock(&lock);
    uint64_t seed[3] = {parent->key, by_all ? atomic_fetch_add(&parent->children, 1) : 0, salt};
    find_or_ask(handle, parent->id, hsc_hash64(by_all ? 4 : 5, seed, sizeof seed), false);
    hsc_mpi_unlock(&lock);
    hsc_mpi_was_slow(b, begin);
}

void hsc_mpi_comm_of_groups(hsc_mpi_block *b, uint64_t handle, const char *name) {
    uint64_t begin = hsc_mpi_own_begin(b->thread);
    hsc_mpi_lock(&lock);
    find_or_ask(handle, 0, hsc_hash64(6, name, name ? strlen(name) : 0), true);
    hsc_mpi_unlock(&lock);
    hsc_mpi_was_slow(b, begin);
}

void hsc_mpi_comm_forget(uint64_t handle) {
    hsc_mpi_lock(&lock);
    for (hsc_mpi_comm **p = &buckets[bucket_of(handle)]; *p; p = &(*p)->next)
        if ((*p)->handle == handle) {
            hsc_mpi_window_end(*p); /* no call is under way in it */
            *p = (*p)->next;        /* kept: requests may still point to it */
            break;
        }
    hsc_mpi_unlock(&lock);
    atomic_fetch_add(&hsc_mpi_lib.comms_generation, 1);
}

/* ---- neighbours ---- */

/* Degrees and, if true, lists. The lock is held. */
static bool ask_grid(hsc_mpi_comm *c) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    int32_t n = 0;
    if (!l->Cartdim_get || (int)l->Cartdim_get(c->handle, &n) || n < 0)
        return false;
    c->in_degree = c->out_degree = 2 * n;
    int32_t *all = l->Cart_shift ? room(2 * (size_t)n * sizeof *all) : NULL;
    for (int32_t i = 0; all && i < n; i++)
        if ((int)l->Cart_shift(c->handle, i, 1, &all[2 * i], &all[2 * i + 1]))
            all = NULL;
    c->sources = c->destinations = all;
    return all != NULL;
}

static bool ask_graph(hsc_mpi_comm *c) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    int32_t n = 0;
    if (!l->Graph_neighbors_count || (int)l->Graph_neighbors_count(c->handle, c->rank, &n) || n < 0)
        return false;
    c->in_degree = c->out_degree = n;
    int32_t *all = l->Graph_neighbors ? room((size_t)n * sizeof *all) : NULL;
    if (!all || (int)l->Graph_neighbors(c->handle, c->rank, n, all))
        return false;
    c->sources = c->destinations = all;
    return true;
}

static bool ask_directed_graph(hsc_mpi_comm *c) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    int32_t in = 0, out = 0, weighted = 0;
    if (!l->Dist_graph_neighbors_count || (int)l->Dist_graph_neighbors_count(c->handle, &in, &out, &weighted) || in < 0 || out < 0)
        return false;
    c->in_degree = in;
    c->out_degree = out;
    size_t n = (size_t)in + (size_t)out;
    int32_t *all = l->Dist_graph_neighbors ? room(2 * n * sizeof *all) : NULL; /* and their weights */
    if (!all || (int)l->Dist_graph_neighbors(c->handle, in, all, all + n, out, all + in, all + n + in))
        return false;
    c->sources = all;
    c->destinations = all + in;
    return true;
}

/* Of list[0..n) from *at on, as many as a record takes. */
static uint32_t partners(const hsc_mpi_comm *c, const int32_t *list, int n, int *at, uint64_t *out) {
    uint32_t found = 0;
    for (; *at < n && found < MEMBERS_OF_A_RECORD; ++*at)
        if (list[*at] >= 0 && list[*at] != c->rank)
            out[found++] = (uint64_t)(uint32_t)list[*at];
    return found;
}

static void tell_neighbours(const hsc_mpi_comm *c) {
    uint64_t now = hsc_rt_now_ns(), from[MEMBERS_OF_A_RECORD], to[MEMBERS_OF_A_RECORD];
    int in = 0, out = 0;
    do {
        uint32_t sources = partners(c, c->sources, c->in_degree, &in, from), destinations = partners(c, c->destinations, c->out_degree, &out, to);
        hsc_rec_neighbours r = {c->id, {from, sources}, {to, destinations}, now};
        hsc_mpi_file_put(HSC_REC_neighbours, &r, now);
    } while (in < c->in_degree || out < c->out_degree);
}

void hsc_mpi_comm_neighbours(hsc_mpi_block *b, hsc_mpi_comm *c) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    int32_t topology = -1;
    bool known = false;
    if (c->in_degree >= 0)
        return;
    uint64_t begin = hsc_mpi_own_begin(b->thread);
    int cart = l->kind == HSC_MPI_OPEN_MPI ? 1 : 2;
    hsc_mpi_lock(&lock);
    c->in_degree = c->out_degree = 0;
    if (l->Topo_test && !(int)l->Topo_test(c->handle, &topology))
        known = topology == cart       ? ask_grid(c)
                : topology == 3 - cart ? ask_graph(c)
                : topology == 3        ? ask_directed_graph(c)
                                       : false;
    if (known)
        tell_neighbours(c);
    hsc_mpi_unlock(&lock);
    hsc_mpi_was_slow(b, begin);
}

/* ---- partners and types
 * ------------------------------------------------------------------------------------------------------------ */

bool hsc_mpi_on_this_machine(int world_rank) {
    return world_rank >= 0 && (hsc_mpi_lib.one_machine || world_rank == hsc_mpi_lib.rank);
}

uint32_t hsc_mpi_peer_class(const hsc_mpi_comm *c, int64_t rank) {
    if (rank == hsc_mpi_lib.proc_null)
        return HSC_peer_class_NOBODY;
    int w = hsc_mpi_world_rank(c, rank);
    return w == hsc_mpi_lib.rank        ? HSC_peer_class_SELF
           : hsc_mpi_on_this_machine(w) ? HSC_peer_class_MACHINE
                                        : HSC_peer_class_REMOTE;
}

static uint64_t ask_size(uint64_t handle) {
    hsc_mpi_library *l = &hsc_mpi_lib;
    int32_t size = 0;
    uint64_t h = handle;
    if (handle & HSC_MPI_FORTRAN_KEY) {
        if (!l->Type_f2c)
            return 0;
        h = l->Type_f2c((int32_t)(uint32_t)handle);
    }
    return !h || h == l->type_null || (int)l->Type_size(h, &size) || size < 0 ? 0 : (uint64_t)size;
}

uint64_t hsc_mpi_type_size(hsc_mpi_block *b, uint64_t handle) {
    uint64_t begin = hsc_mpi_own_begin(b->thread), size = ask_size(handle);
    hsc_mpi_was_slow(b, begin);
    return size;
}

void hsc_mpi_type_forget(uint64_t handle) {
    (void)handle;
    atomic_fetch_add(&hsc_mpi_lib.types_generation, 1);
}
