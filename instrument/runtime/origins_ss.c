/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where OpenMP tasks are created: a sample in the body of one belongs below that place, in whichever thread it runs, and not below what that thread did when it
 * took the task up. A place is a call path of a thread that created a task there; as tasks end before those that they create, and threads' trees go, places of the
 * process are known by a hash over what led there: the return addresses since the creating task's own body, and that task's own place (its parent).
 *
 * Recursion: a procedure that creates tasks in which it is called again creates those of the inner calls where the outermost call would have created them. So there are as many
 * places as there are calls in the source that create tasks, and not as many as there are ways through a tree of tasks. */
#include "omp.h"
#include "ompt.h"

#define ORIGINS 4096u /* fit HSC_RT_OMP_ORIGIN_SHIFT */
#define ORIGINS_MANY (ORIGINS / 2) /* then the same procedure is a recursion, however it was called */
#define PROBED 64u
#define INNER 4u /* frames by which a recursion is told */
#define LEVELS 4 /* tasks that are not run by the runtime, but in place: in one another */

typedef struct origin {
    _Atomic uint64_t key;  /* 0: free */
    _Atomic uint64_t from; /* thread_id << 32 | node; 0: not written yet */
    uint64_t pc, outer;    /* of the creating call; a hash over the frames further out */
    uint64_t inner[INNER]; /* hashes over the procedure and 0, 1, ... frames further out; 0: it has not so many */
    uint32_t parent, above; /* above: node that calls that of `from` */
} origin;

static origin origins[ORIGINS + 1]; /* numbers count from 1 */

static uint64_t mix(uint64_t h, uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t procedure_at(uint64_t pc) {
    const hsc_rt_module *m = hsc_rt_module_at(atomic_load_explicit(&hsc_rt.modules, memory_order_acquire), pc);
    return m && m->index ? hsc_rt_index_procedure(m->index, pc) : pc;
}

/* What tells the place of `node`, whose tree is the thread's own; returns its frames up to the body of the task or the begin of the thread. */
static uint32_t describe(const hsc_rt_tree *tree, uint32_t node, origin *o) {
    const hsc_rt_node *n = hsc_rt_tree_node(tree, node);
    uint32_t frames = 1;
    uint64_t h = mix(1, procedure_at(n->pc - 1)); /* a return address */
    o->pc = n->pc;
    o->above = n->parent;
    o->outer = 1;
    o->inner[0] = h;
    for (uint32_t at = n->parent; at; at = n->parent, frames++) {
        n = hsc_rt_tree_node(tree, at);
        if (n->flags & HSC_FRAME_TASKS)
            break;
        o->outer = mix(o->outer, n->pc);
        h = mix(h, n->pc);
        if (frames < INNER)
            o->inner[frames] = h;
    }
    return frames;
}

/* The place, further out, that a recursion has come from; 0: none. The task's own body, the last of the frames, may be one of several. */
static uint32_t recursion_of(const origin *o, uint32_t frames) {
    uint32_t compared = frames < 2 ? 0 : frames - 2 < INNER ? frames - 2 : INNER - 1;
    bool any_way = atomic_load_explicit(&hsc_rt.origins, memory_order_relaxed) > ORIGINS_MANY;
    for (uint32_t p = o->parent; p; p = origins[p].parent)
        if (origins[p].inner[any_way ? 0 : compared] == o->inner[any_way ? 0 : compared])
            return p;
    return 0;
}

static uint64_t key_of(const origin *o) {
    return mix(mix(mix(1, o->outer), o->parent), o->pc) | 1;
}

/* The number of a place; it is entered unless it is known. 0: neither. */
static uint32_t find(const origin *o, uint64_t from) {
    uint64_t key = key_of(o);
    for (uint32_t i = 0; i < PROBED; i++) {
        origin *p = &origins[1 + ((key >> 1) + i) % ORIGINS];
        uint64_t there = atomic_load_explicit(&p->key, memory_order_acquire);
        if (!there && (!from || atomic_compare_exchange_strong(&p->key, &there, key))) {
            if (!from)
                return 0;
            p->pc = o->pc;
            p->outer = o->outer;
            p->parent = o->parent;
            p->above = o->above;
            for (uint32_t k = 0; k < INNER; k++)
                p->inner[k] = o->inner[k];
            atomic_store_explicit(&p->from, from, memory_order_release);
            atomic_fetch_add_explicit(&hsc_rt.origins, 1, memory_order_relaxed);
            return (uint32_t)(p - origins);
        }
        if (there == key)
            return atomic_load_explicit(&p->from, memory_order_acquire) ? (uint32_t)(p - origins) : 0; /* 0: another thread is about to enter it */
    }
    return 0;
}

/* A node of the thread's own tree that stands for another one of some thread. */
static uint32_t node_for(hsc_rt_thread *t, uint64_t from, uint64_t now_ns) {
    bool fresh;
    uint32_t node = hsc_rt_tree_child(&t->tree, 0, from, 0, HSC_FRAME_TASKS, &fresh);
    hsc_rec_task_node r = {node, from >> 32, (uint32_t)from};
    if (node && fresh && !hsc_rt_thread_put(t, HSC_REC_task_node, &r, now_ns)) {
        hsc_rt_tree_forget_last(&t->tree);
        return 0;
    }
    return node;
}

/* The place of a call that creates tasks where its procedure was called as it was at place `like`. */
static uint32_t beside(hsc_rt_thread *t, uint32_t like, uint64_t pc, uint64_t now_ns) {
    origin o = {.pc = pc, .outer = origins[like].outer, .parent = origins[like].parent};
    uint32_t found = find(&o, 0);
    if (found)
        return found;
    uint64_t of = atomic_load_explicit(&origins[like].from, memory_order_acquire) >> 32 << 32;
    uint32_t above = origins[like].above ? node_for(t, of | origins[like].above, now_ns) : 0;
    uint32_t node = above || !origins[like].above ? hsc_rt_walk_alone(t, above, pc, now_ns) : 0;
    for (uint32_t k = 0; k < INNER; k++)
        o.inner[k] = origins[like].inner[k];
    o.above = above;
    return node ? find(&o, (uint64_t)t->thread_id << 32 | node) : 0;
}

uint32_t hsc_rt_origin_at(hsc_rt_thread *t, uint32_t node, uint64_t now_ns) {
    __typeof__(&t->origin_of[0]) kept = &t->origin_of[node % HSC_RT_ORIGINS_KEPT];
    if (!node || (kept->node == node && kept->origin))
        return node ? kept->origin : 0;
    origin o = {.parent = t->in_task.frame ? t->in_task.origin : 0};
    uint32_t like = recursion_of(&o, describe(&t->tree, node, &o));
    uint32_t found = !like                        ? find(&o, (uint64_t)t->thread_id << 32 | node)
                     : origins[like].pc == o.pc ? like
                                                : beside(t, like, o.pc, now_ns);
    *kept = (__typeof__(*kept)){node, found};
    return found;
}

uint32_t hsc_rt_origin_node(hsc_rt_thread *t, uint32_t number, uint64_t now_ns) {
    __typeof__(&t->node_of[0]) kept = &t->node_of[number % HSC_RT_ORIGINS_KEPT];
    if (kept->origin == number)
        return kept->node;
    uint32_t node = node_for(t, atomic_load_explicit(&origins[number].from, memory_order_acquire), now_ns);
    if (node)
        *kept = (__typeof__(*kept)){node, number};
    return node;
}

/* Not one of before a fork. */
static bool is_known(uint32_t number) {
    return number && number <= ORIGINS && atomic_load_explicit(&origins[number].from, memory_order_acquire);
}

static bool is_inside(const hsc_rt_thread *t, uint64_t sp, uint64_t frame) {
    return sp >= t->stack_low && sp < frame && frame < t->stack_high;
}

/* As LLVM's runtime says, which is asked, since of parts of untied tasks it does not tell when they end. What it runs in place, below the call that creates it, is on
 * the path as it is. */
static hsc_rt_in_task by_runtime(const hsc_rt_thread *t, uint64_t sp) {
    for (int level = 0; level < LEVELS; level++) {
        int flags = 0;
        ompt_data *task = NULL;
        ompt_frame *frame = NULL;
        if (hsc_rt.omp_task(level, &flags, &task, &frame, NULL, NULL) != OMPT_KNOWN || !(flags & OMPT_TASK_EXPLICIT) || !task || !frame)
            break;
        uint64_t at = frame->exit_frame.value;
        if (!at || frame->exit_frame_flags & OMPT_FRAME_APPLICATION)
            continue;
        uint32_t number = (uint32_t)(task->value >> HSC_RT_OMP_ORIGIN_SHIFT);
        return is_known(number) && is_inside(t, sp, at) ? (hsc_rt_in_task){at, number} : (hsc_rt_in_task){0};
    }
    return (hsc_rt_in_task){0};
}

hsc_rt_in_task hsc_rt_in_task_now(const hsc_rt_thread *t, uint64_t sp) {
    const hsc_rt_tasks *k = &t->tasks;
    if (!k->origin) /* the runtime tells each begin */
        return (hsc_rt_in_task){0};
    if (!k->frame)
        return t->omp && hsc_rt.omp_task ? by_runtime(t, sp) : (hsc_rt_in_task){0};
    if (!is_known(k->origin) || !is_inside(t, sp, k->frame) || *(const volatile uint64_t *)(k->frame + 8) != k->frame_return) /* NOLINT: it was left by a jump */
        return (hsc_rt_in_task){0};
    return (hsc_rt_in_task){k->frame, k->origin};
}

void hsc_rt_origins_forget(void) {
    for (uint32_t i = 0; atomic_load(&hsc_rt.origins) && i <= ORIGINS; i++)
        origins[i] = (origin){0};
    atomic_store(&hsc_rt.origins, 0);
}

/* ---- what was walked before ------------------------------------------------------------------------------------------------- */

static uint32_t made_slot(uint64_t pc, uint64_t below) {
    return (uint32_t)((pc ^ below << 20) * 0x9e3779b97f4a7c15u >> 59);
}

const hsc_rt_made *hsc_rt_made_again(const hsc_rt_thread *t, const hsc_rt_here *at) {
    hsc_rt_in_task in = hsc_rt_in_task_now(t, at->sp);
    const hsc_rt_made *m = &t->made[made_slot(at->pc, in.frame - at->sp)];
    if (!in.frame || !m->node || m->pc != at->pc || m->sp != in.frame - at->sp || (m->bp && m->bp != in.frame - at->bp) || m->in != in.origin ||
        m->generation != atomic_load_explicit(&hsc_rt.generation, memory_order_acquire))
        return NULL;
    for (uint32_t i = 0; i < m->words; i++) {
        uint64_t word = *(const volatile uint64_t *)(in.frame - m->word[i].at); /* NOLINT: between sp and the frame */
        if ((m->word[i].is_place ? in.frame - word : word) != m->word[i].value)
            return NULL;
    }
    return m;
}

/* t->stack is that of the walk: all that its steps read, but what says which procedure there is. */
void hsc_rt_made_keep(hsc_rt_thread *t, const hsc_rt_here *at, uint32_t node, uint32_t number) {
    hsc_rt_in_task in = t->in_task;
    uint32_t n = t->frames, outermost = n; /* of those that need their frame pointer */
    if (!node || !in.frame || !n || in.frame - at->sp > UINT32_MAX || t->stack[n - 1].sp != at->sp)
        return;
    for (uint32_t i = n; i-- > 1;)
        outermost = t->stack[i].uses_bp ? i : outermost;
    hsc_rt_made m = {at->pc, (uint32_t)(in.frame - at->sp), outermost < n ? (uint32_t)(in.frame - at->bp) : 0, in.origin, t->generation, node, number, 0, {{0, 0, 0}}};
    for (uint32_t i = n; i-- > 1;) {
        const hsc_rt_frame *f = &t->stack[i];
        uint64_t slots[2] = {f->ra_slot, i > outermost ? f->bp_slot : 0}, values[2] = {f[-1].pc, in.frame - f[-1].bp};
        if (f->cfa_slot)
            return;
        for (uint32_t k = 0; k < 2; k++) {
            if (!slots[k])
                continue;
            if (m.words == HSC_RT_MADE_WORDS || slots[k] < at->sp || slots[k] >= in.frame)
                return;
            m.word[m.words].at = (uint32_t)(in.frame - slots[k]);
            m.word[m.words].value = values[k];
            m.word[m.words++].is_place = k;
        }
    }
    t->made[made_slot(at->pc, in.frame - at->sp)] = m;
}
