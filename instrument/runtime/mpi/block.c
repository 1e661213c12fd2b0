/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a thread has for its message calls: the memory of paths that it came by, its clock, its tables. */
#include <cpuid.h>
#include <string.h>

#include "mpi.h"

#define WORDS_MAX (4u << 20)

static hsc_mpi_block *free_blocks;
static hsc_rt_lock lock;

/* ---- clock
 * ----------------------------------------------------------------------------------------------------------------------
 */

/* The cycle counter runs at one rate and goes on in sleep states (CPUID 8000_0007, EDX bit 8), or the kernel says so.
 */
static bool steady_cycles(void) {
    static _Atomic int known; /* 1: no, 2: yes */
    int k = atomic_load_explicit(&known, memory_order_relaxed);
    if (!k) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        k = __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1 ? 2 : 1;
        atomic_store_explicit(&known, k, memory_order_relaxed);
    }
    return k == 2;
}

uint64_t hsc_mpi_clock_slow(hsc_mpi_block *b) {
    uint64_t rate = atomic_load_explicit(&heatscope_rt_services.state->ns_per_cycle_q32, memory_order_relaxed);
    /* a thread that is taken off the processor between its two readings would have all times until the next ones too early */
    uint64_t now = rate && steady_cycles() ? hsc_rt_now_both(&b->anchor_cycles) : hsc_rt_now_ns();
    b->anchor_ns = now;
    b->anchor_rate = rate;
    uint64_t room_ns = now - b->start_ns > HSC_MPI_SETTLED_NS ? HSC_MPI_ANCHOR_NS : HSC_MPI_ANCHOR_NS / 10;
    b->anchor_room = rate && steady_cycles() ? (room_ns << 32) / rate : 0;
    b->last_ns = now > b->last_ns ? now : b->last_ns;
    return b->last_ns;
}

/* ---- memory
 * ------------------------------------------------------------------------------------------------------------------------
 */

bool hsc_mpi_scratch(hsc_mpi_block *b, void **buffer, size_t *room, size_t wanted) {
    if (wanted <= *room)
        return true;
    uint64_t begin = b ? hsc_mpi_own_begin(b->thread) : 0;
    size_t size = *room ? *room : HSC_RT_PAGE;
    while (size < wanted)
        size *= 2;
    void *p = hsc_rt_map(size);
    if (!p)
        return false;
    hsc_rt_unmap(*buffer, *room);
    *buffer = p;
    *room = size;
    if (b)
        hsc_mpi_was_slow(b, begin);
    return true;
}

hsc_mpi_block *hsc_mpi_block_new(hsc_rt_thread *t) {
    hsc_mpi_block *b;
    uint64_t mask;
    if (!hsc_rt_lock_take(&lock, &mask, HSC_RT_PATIENCE_MS))
        return NULL;
    if ((b = free_blocks) != NULL)
        free_blocks = b->next;
    hsc_rt_lock_release(&lock, mask);
    if (!b && !(b = hsc_rt_map(sizeof *b)))
        return NULL;
    b->thread = t;
    b->thread_id = t->thread_id;
    b->generation = UINT32_MAX;
    b->until_cost = HSC_MPI_COST_EVERY;
    b->start_ns = b->left_ns = hsc_rt_now_ns();
    b->threshold_ns = heatscope_rt_services.state->options.messages > 1 || heatscope_rt_services.state->options.trace
                          ? 0
                          : HSC_MPI_THRESHOLD_NS;
    b->threshold_least_ns = b->threshold_ns;
    t->messages_due = b->start_ns + 100000000u;
    t->messages = b;
    return b;
}

/* The thread has ended: another one may have its block. */
static void give_back(hsc_mpi_block *b) {
    uint64_t mask;
    hsc_rt_unmap(b->keys, b->keys_room);
    hsc_rt_unmap(b->statuses, b->statuses_room);
    hsc_rt_unmap(b->words, b->words_room);
    hsc_rt_unmap(b->summary, b->summary_room * sizeof *b->summary);
    hsc_rt_unmap(b->bucket, b->summary_room * sizeof *b->bucket);
    hsc_rt_unmap(b->dirty, b->summary_room * sizeof *b->dirty);
    hsc_rt_unmap(b->peer, b->peer_room * sizeof *b->peer);
    memset(b, 0, sizeof *b);
    if (hsc_rt_lock_take(&lock, &mask, HSC_RT_PATIENCE_MS)) {
        b->next = free_blocks;
        free_blocks = b;
        hsc_rt_lock_release(&lock, mask);
    }
}

static void flush(hsc_rt_thread *t, uint64_t now_ns, enum hsc_rt_flush why) {
    hsc_mpi_block *b = t->messages;
    uint64_t patience = hsc_rt_now_ns() + 1000000u;
    while (b && why == HSC_RT_FLUSH_CLOSE && atomic_load(&b->updating) && hsc_rt_now_ns() < patience)
        hsc_relax(); /* the process ends while another thread is at it */
    if (!b || atomic_load_explicit(&b->updating, memory_order_relaxed))
        return;
    hsc_mpi_flush(t, now_ns, why != HSC_RT_FLUSH_DUE);
    if (why == HSC_RT_FLUSH_END) {
        t->messages = NULL;
        give_back(b);
    }
}

static __attribute__((constructor(103))) void announce(void) {
    heatscope_rt_services.state->messages_flush = flush;
}

void hsc_mpi_file_put(uint32_t record_id, const void *record, uint64_t now_ns) {
    const hsc_rt_services *rt = &heatscope_rt_services;
    uint64_t mask;
    if (!hsc_rt_lock_take(&rt->state->lock, &mask, HSC_RT_PATIENCE_MS))
        return;
    rt->file_put(record_id, record, now_ns);
    hsc_rt_lock_release(&rt->state->lock, mask);
}

uint32_t hsc_mpi_op_id_slow(hsc_mpi_op *op) {
    static const uint8_t kinds[] = {[HSC_MPI_INIT] = HSC_operation_class_SETUP,
                                    [HSC_MPI_FINALIZE] = HSC_operation_class_SETUP,
                                    [HSC_MPI_SEND] = HSC_operation_class_SEND,
                                    [HSC_MPI_RECEIVE] = HSC_operation_class_RECEIVE,
                                    [HSC_MPI_SENDRECEIVE] = HSC_operation_class_SEND_RECEIVE,
                                    [HSC_MPI_PROBE] = HSC_operation_class_PROBE,
                                    [HSC_MPI_START] = HSC_operation_class_START,
                                    [HSC_MPI_STARTALL] = HSC_operation_class_START,
                                    [HSC_MPI_WAIT] = HSC_operation_class_COMPLETION,
                                    [HSC_MPI_WAITALL] = HSC_operation_class_COMPLETION,
                                    [HSC_MPI_WAITANY] = HSC_operation_class_COMPLETION,
                                    [HSC_MPI_WAITSOME] = HSC_operation_class_COMPLETION,
                                    [HSC_MPI_BARRIER] = HSC_operation_class_BARRIER,
                                    [HSC_MPI_COMMUNICATOR] = HSC_operation_class_SETUP,
                                    [HSC_MPI_COMMUNICATOR_FREE] = HSC_operation_class_SETUP,
                                    [HSC_MPI_TYPE_FREE] = HSC_operation_class_SETUP,
                                    [HSC_MPI_SESSION] = HSC_operation_class_SETUP,
                                    [HSC_MPI_SESSION_END] = HSC_operation_class_SETUP,
                                    [HSC_MPI_GROUP_COMMUNICATOR] = HSC_operation_class_SETUP,
                                    [HSC_MPI_PUT] = HSC_operation_class_ONE_SIDED,
                                    [HSC_MPI_GET] = HSC_operation_class_ONE_SIDED,
                                    [HSC_MPI_PUTGET] = HSC_operation_class_ONE_SIDED,
                                    [HSC_MPI_WINDOW] = HSC_operation_class_SETUP,
                                    [HSC_MPI_WINDOW_FREE] = HSC_operation_class_SETUP,
                                    [HSC_MPI_SYNCHRONISE] = HSC_operation_class_ONE_SIDED_SYNCHRONISATION,
                                    [HSC_MPI_FENCE] = HSC_operation_class_ONE_SIDED_SYNCHRONISATION,
                                    [HSC_MPI_EXPOSE] = HSC_operation_class_ONE_SIDED_SYNCHRONISATION,
                                    [HSC_MPI_EXPOSE_END] = HSC_operation_class_ONE_SIDED_SYNCHRONISATION,
                                    [HSC_MPI_ACCESS] = HSC_operation_class_ONE_SIDED_SYNCHRONISATION,
                                    [HSC_MPI_ACCESS_END] = HSC_operation_class_ONE_SIDED_SYNCHRONISATION,
                                    [HSC_MPI_LOCK] = HSC_operation_class_ONE_SIDED_SYNCHRONISATION,
                                    [HSC_MPI_UNLOCK] = HSC_operation_class_ONE_SIDED_SYNCHRONISATION,
                                    [HSC_MPI_FLUSH] = HSC_operation_class_ONE_SIDED_SYNCHRONISATION,
                                    [HSC_MPI_FILE] = HSC_operation_class_FILE,
                                    [HSC_MPI_FILE_READ] = HSC_operation_class_FILE,
                                    [HSC_MPI_FILE_WRITE] = HSC_operation_class_FILE,
                                    [HSC_MPI_SETUP] = HSC_operation_class_SETUP,
                                    [HSC_MPI_OTHER] = HSC_operation_class_OTHER};
    static _Atomic uint32_t next;
    static _Atomic uint32_t busy;
    while (atomic_exchange(&busy, 1))
        hsc_relax();
    uint32_t id = atomic_load(&op->id);
    if (!id) {
        id = atomic_fetch_add(&next, 1) + 1;
        uint64_t kind = op->kind >= HSC_MPI_BROADCAST && op->kind <= HSC_MPI_NEIGHBOUR_ALLTOALL
                            ? HSC_operation_class_COLLECTIVE
                        : op->flags & HSC_MPI_PERSISTENT ? HSC_operation_class_SETUP
                                                         : kinds[op->kind];
        hsc_rec_operation r = {id, {op->name, strlen(op->name)}, kind, op->state};
        hsc_mpi_file_put(HSC_REC_operation, &r, hsc_rt_now_ns());
        atomic_store(&op->id, id);
    }
    atomic_store(&busy, 0);
    return id;
}

/* ---- call paths
 * ------------------------------------------------------------------------------------------------------------------------
 */

static void forget_paths(hsc_mpi_block *b) {
    memset(b->path, 0, sizeof b->path);
    memset(b->place, 0, sizeof b->place);
    b->words_used = 0;
}

/* The words of the stack that the walk has read, as far as it depends on them. */
static void remember(hsc_mpi_block *b, hsc_mpi_path *p, const hsc_rt_here *here, uint32_t node) {
    const hsc_rt_thread *t = b->thread;
    const hsc_rt_frame *s = t->stack;
    size_t most = ((size_t)t->frames * 3 + HSC_MPI_WORDS) * sizeof *p->word;
    p->node = 0;
    if (!t->frames)
        return; /* not to be had by reading words of this stack alone */
    if (!b->words) {
        b->words = hsc_rt_map(WORDS_MAX);
        b->words_room = b->words ? WORDS_MAX : 0;
    }
    if (p->room * sizeof *p->word < most) {
        if (most > b->words_room)
            return;
        if (b->words_used + most > b->words_room)
            forget_paths(b);
        p->word = (void *)(b->words + b->words_used); /* NOLINT */
        p->room = t->frames * 3 + HSC_MPI_WORDS;
        b->words_used += most;
    }
    uint32_t n = 0;
    uint64_t bp_slot = 0; /* where the frame's bp was read; 0: the register itself */
    p->bp_matters = false;
    for (uint32_t i = t->frames; i-- > 0;) {
        const hsc_rt_frame *f = &s[i];
        if (f->uses_bp && bp_slot) {
            p->word[n].at = (const uint64_t *)bp_slot; /* NOLINT */
            p->word[n++].value = f->bp;
        } else if (f->uses_bp)
            p->bp_matters = true;
        if (!i)
            break;
        p->word[n].at = (const uint64_t *)f->ra_slot; /* NOLINT */
        p->word[n++].value = s[i - 1].pc;
        if (f->cfa_slot) {
            p->word[n].at = (const uint64_t *)f->cfa_slot; /* NOLINT */
            p->word[n++].value = s[i - 1].sp;
        }
        if (f->bp_slot)
            bp_slot = f->bp_slot;
    }
    for (; n % HSC_MPI_WORDS; n++)
        p->word[n] = p->word[n - 1];
    p->pc = here->pc;
    p->sp = here->sp;
    p->bp = here->bp;
    p->words = n;
    p->node = node;
}

/* The path is that of the call now: it follows the one before. */
static void follow(hsc_mpi_block *b, const hsc_mpi_path *p) {
    uint16_t i = (uint16_t)(p - b->path);
    b->path[b->last_path].follower = i;
    b->last_path = i;
    b->expected = p->follower;
}

static void note_place(hsc_mpi_block *b, const hsc_rt_here *here) {
    const hsc_rt_thread *t = b->thread;
    uint64_t h = hsc_mpi_place_hash(here), slot = t->frames > 1 ? t->stack[t->frames - 1].ra_slot : 0;
    struct hsc_mpi_place *place = &b->place[h >> 32 & (HSC_MPI_PLACES - 1)];
    if (!place->hash && slot >= here->sp && h) /* who comes later stays without: two in turns would never be found */
        *place = (struct hsc_mpi_place){h, slot - here->sp};
}

static __attribute__((noinline)) uint32_t walk(hsc_mpi_block *b, const hsc_rt_here *here) {
    const hsc_rt_services *rt = &heatscope_rt_services;
    hsc_rt_thread *t = b->thread;
    bool truncated;
    uint64_t begin = hsc_mpi_own_begin(t);
    if (!rt->own(t))
        return 0;
    uint32_t node = rt->walk_here(t, here, hsc_rt_thread_now(t), &truncated);
    if (node) {
        note_place(b, here);
        hsc_mpi_path *set = hsc_mpi_paths_of(b, here);
        uint32_t i = 0;
        while (i < HSC_MPI_WAYS && set[i].node)
            i++;
        if (i == HSC_MPI_WAYS) /* all are taken: any goes. Who was longest not called for would be called for next where calls come in turns */
            i = (uint32_t)(b->walks++ * 0x9e3779b9u >> 16) % HSC_MPI_WAYS;
        remember(b, &set[i], here, node);
        if (set[i].node)
            follow(b, &set[i]);
    }
    rt->disown(t, node);
    hsc_mpi_was_slow(b, begin);
    return node;
}

uint32_t hsc_mpi_node_slow(hsc_mpi_block *b, const hsc_rt_here *here) {
    uint32_t generation = atomic_load_explicit(&heatscope_rt_services.state->generation, memory_order_relaxed);
    if (b->generation != generation) { /* modules came or went */
        forget_paths(b);
        b->generation = generation;
    }
    const hsc_mpi_path *again = &b->path[b->last_path]; /* in a loop; what follows the loop stays noted */
    if (hsc_mpi_is_here(again, here)) {
        b->expected = again->follower;
        return again->node;
    }
    hsc_mpi_path *set = hsc_mpi_paths_of(b, here);
    for (uint32_t i = 0; i < HSC_MPI_WAYS && set[i].node; i++) /* they are filled in order */
        if (hsc_mpi_is_here(&set[i], here)) {
            follow(b, &set[i]);
            return set[i].node;
        }
    return walk(b, here);
}
