/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP programs of GCC, whose runtime has no tool interface: its calls are wrapped. Regions by their fork and a procedure of ours
 * round the body; barriers, ends of loops and sections, locks, and tasks, by which a wait is interrupted. Other runtimes with the
 * same interface are left alone: to them the wrappers end in a jump, so that they see their caller. */
#include <string.h>

#include "gomp.h"
#include "interpose.h"
#include "omp.h"
#include "state.h"

#define CALLER_PC __builtin_return_address(0)
#define FIND(name) hsc_rt_gomp_find(HSC_RT_##name, CALLER_PC)
#define JUMP(name, g) ((__typeof__(&name))(g).function)

/* ---- regions ------------------------------------------------------------------------------------------------------------- */

typedef struct region {
    void *first; /* what the runtime looks for at the begin of the body's data */
    void (*body)(void *);
    void *data;
    uint64_t id;
    hsc_rt_thread *master;
    int (*threads)(void), (*number)(void);
    hsc_rt_here at;
} region;

/* What OpenMP's runtime takes for itself in a call of the program's, whose frame is at `frame`; false: the state is told already. */
static bool overhead_begin(uint64_t frame) {
    hsc_rt_thread *t = hsc_rt_measured();
    if (!t || !hsc_rt.options.waits || atomic_load_explicit(&t->state, memory_order_relaxed) != HSC_state_UNKNOWN || t->open.kind)
        return false;
    hsc_rt_state_of_frame(t, frame - 8);
    hsc_rt_state_set(t, HSC_state_RUNTIME);
    return true;
}

static bool overhead_end(hsc_rt_thread *t) { /* false: none had begun */
    if (!t || t != hsc_rt_self || atomic_load_explicit(&t->state, memory_order_relaxed) != HSC_state_RUNTIME)
        return false;
    hsc_rt_state_set(t, HSC_state_UNKNOWN);
    return true;
}

/* In a team of one thread nobody is waited for at a barrier or at an end like one: what that takes is the runtime's own time. */
static hsc_rt_thread *wait_begin(uint32_t kind, const hsc_rt_here *at) {
    hsc_rt_thread *t = hsc_rt_self;
    if (!hsc_rt_omp_alone(t, kind))
        return hsc_rt_wait_begin(kind, at, at->sp);
    return overhead_begin(at->sp) ? t : NULL;
}

static void wait_end(hsc_rt_thread *t, uint32_t kind) { /* tasks that were worked on have begun it anew, if measuring goes on */
    if (t && t == hsc_rt_self && t->open.kind == kind)
        hsc_rt_task_wait_end(t);
    else
        overhead_end(t);
}

static void in_region(void *p) {
    const region *g = p;
    hsc_rt_thread *t = hsc_rt_self;
    bool forked = t == g->master;
    if (!t) {
        g->body(g->data);
        return;
    }
    hsc_rt_region_enter(g->id, (uint32_t)g->threads(), (uint32_t)g->number());
    g->body(g->data);
    if (hsc_rt_self != t)
        return;
    if (forked) {
        wait_begin(HSC_wait_kind_OMP_REGION_END, &g->at);
    } else {
        t->tasks = (hsc_rt_tasks){0};
        hsc_rt_region_leave(g->id);
    }
}

static void region_begin(region *r) {
    r->master = hsc_rt_self;
    r->id = hsc_rt_region_begin(&r->at, true, &r->at);
}

static void region_end(const region *r) {
    hsc_rt_thread *t = hsc_rt_self;
    if (t == r->master)
        wait_end(t, HSC_wait_kind_OMP_REGION_END);
    hsc_rt_region_end(r->id);
}

/* `first`: the data's first word is the runtime's, too */
#define REGION(type, name, first, parameters, arguments, instead) \
    type name parameters; \
    static __attribute__((noinline)) type measured_##name(hsc_rt_gomp g, hsc_rt_here at, HSC_RT_UNPACK parameters) { \
        region r = {(first) ? *(void **)data : NULL, body, data, 0, NULL, NULL, NULL, at}; \
        r.threads = (int (*)(void))hsc_rt_gomp_find(HSC_RT_omp_get_num_threads, (const void *)at.pc).function; \
        r.number = (int (*)(void))hsc_rt_gomp_find(HSC_RT_omp_get_thread_num, (const void *)at.pc).function; \
        region_begin(&r); \
        KEEP_##type JUMP(name, g) instead; \
        region_end(&r); \
        RETURN_##type; \
    } \
    HSC_RT_EXPORT type name parameters { \
        hsc_rt_gomp g = FIND(name); \
        if (!g.ours || !hsc_rt_measured()) \
            return JUMP(name, g) arguments; \
        return measured_##name(g, HSC_RT_HERE(), HSC_RT_UNPACK arguments); \
    }
#define HSC_RT_UNPACK(...) __VA_ARGS__
#define KEEP_void
#define RETURN_void return
#define KEEP_unsigned unsigned result =
#define RETURN_unsigned return result

REGION(void, GOMP_parallel, false, (void (*body)(void *), void *data, unsigned threads, unsigned flags), (body, data, threads, flags),
       (in_region, &r, threads, flags))
REGION(unsigned, GOMP_parallel_reductions, true, (void (*body)(void *), void *data, unsigned threads, unsigned flags),
       (body, data, threads, flags), (in_region, &r, threads, flags))
REGION(void, GOMP_parallel_sections, false, (void (*body)(void *), void *data, unsigned threads, unsigned count, unsigned flags),
       (body, data, threads, count, flags), (in_region, &r, threads, count, flags))

#define LOOP(name) \
    REGION(void, name, false, \
           (void (*body)(void *), void *data, unsigned threads, long first_, long end, long step, long chunk, unsigned flags), \
           (body, data, threads, first_, end, step, chunk, flags), (in_region, &r, threads, first_, end, step, chunk, flags))
#define LOOP_RUNTIME(name) \
    REGION(void, name, false, (void (*body)(void *), void *data, unsigned threads, long first_, long end, long step, unsigned flags), \
           (body, data, threads, first_, end, step, flags), (in_region, &r, threads, first_, end, step, flags))

LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_RUNTIME(GOMP_parallel_loop_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* ---- barriers and other waits ---------------------------------------------------------------------------------------------- */

#define WAIT(type, name, kind, real_parameters, more, arguments) \
    type name real_parameters; \
    static __attribute__((noinline)) type measured_##name(hsc_rt_gomp g, hsc_rt_here at HSC_RT_UNPACK more) { \
        hsc_rt_thread *t = wait_begin(HSC_wait_kind_##kind, &at); \
        KEEP_##type JUMP(name, g) arguments; \
        wait_end(t, HSC_wait_kind_##kind); \
        RETURN_##type; \
    } \
    HSC_RT_EXPORT type name real_parameters { \
        hsc_rt_gomp g = FIND(name); \
        if (!g.ours || !hsc_rt_measured()) \
            return JUMP(name, g) arguments; \
        return measured_##name HSC_RT_WITH arguments; \
    }
#define HSC_RT_WITH(...) (g, HSC_RT_HERE() __VA_OPT__(, ) __VA_ARGS__)
#define KEEP_bool bool result =
#define RETURN_bool return result
#define KEEP_pointer pointer result =
#define RETURN_pointer return result
typedef void *pointer;

WAIT(void, GOMP_barrier, OMP_BARRIER, (void), (), ())
WAIT(bool, GOMP_barrier_cancel, OMP_BARRIER, (void), (), ())
WAIT(void, GOMP_loop_end, OMP_REGION_END, (void), (), ())
WAIT(bool, GOMP_loop_end_cancel, OMP_REGION_END, (void), (), ())
WAIT(void, GOMP_sections_end, OMP_REGION_END, (void), (), ())
WAIT(bool, GOMP_sections_end_cancel, OMP_REGION_END, (void), (), ())
WAIT(pointer, GOMP_single_copy_start, OMP_BARRIER, (void), (), ())
WAIT(void, GOMP_single_copy_end, OMP_BARRIER, (void *data), (, void *data), (data))
WAIT(void, GOMP_ordered_start, OMP_ORDERED, (void), (), ())
WAIT(void, GOMP_taskwait, OMP_TASKWAIT, (void), (), ())

void GOMP_taskgroup_start(void);
HSC_RT_EXPORT void GOMP_taskgroup_start(void) {
    hsc_rt_gomp g = FIND(GOMP_taskgroup_start);
    if (g.ours && hsc_rt_self)
        hsc_rt_self->tasks.groups++;
    JUMP(GOMP_taskgroup_start, g)();
}

void GOMP_taskgroup_end(void);
static __attribute__((noinline)) void measured_GOMP_taskgroup_end(hsc_rt_gomp g, hsc_rt_here at) {
    hsc_rt_thread *self = hsc_rt_self, *t = hsc_rt_measured() ? hsc_rt_wait_begin(HSC_wait_kind_OMP_TASKGROUP, &at, at.sp) : NULL;
    JUMP(GOMP_taskgroup_end, g)();
    wait_end(t, HSC_wait_kind_OMP_TASKGROUP);
    if (self == hsc_rt_self && self->tasks.groups)
        self->tasks.groups--;
}
HSC_RT_EXPORT void GOMP_taskgroup_end(void) {
    hsc_rt_gomp g = FIND(GOMP_taskgroup_end);
    if (!g.ours || !hsc_rt_self)
        JUMP(GOMP_taskgroup_end, g)();
    else
        measured_GOMP_taskgroup_end(g, HSC_RT_HERE());
}

/* ---- tasks: worked on while their creator, or the team, waits, which is no wait then ---------------------------------------- */

#define WORDS 3u /* of a task's data that the runtime reads, or writes: bounds of a piece of a loop, reductions */
/* flags of the runtime's calls */
#define NO_GROUP 0x800u   /* a taskloop that isn't waited for */
#define REDUCTION 0x1000u /* of a taskloop */
#define DETACH 0x2000u    /* it writes the event's handle to the data, too */

typedef struct task {
    uintptr_t word[WORDS];
    void (*body)(void *);
    void (*copy)(void *, void *); /* NULL: as bytes */
    void *from;                   /* the data of the one that creates it */
    size_t size, offset;          /* of its own data; from here on */
    uint32_t bounds;     /* words that the runtime has written by the time that the task runs */
    uint64_t parent, group; /* who created it, and in which task group; 0: not known */
    uint32_t origin;        /* and where */
} task;

static void run_task(void *p) {
    const task *k = p;
    hsc_rt_thread *t = hsc_rt_self;
    uint32_t kind = 0, node = 0;
    const uint64_t *frame = __builtin_frame_address(0);
    bool was_overhead = overhead_end(t);
    if (hsc_rt_omp_waits(t)) {
        kind = t->open.kind;
        node = t->open.node;
        hsc_rt_omp_wait_end(t);
    }
    hsc_rt_tasks outer = t ? t->tasks : (hsc_rt_tasks){0};
    if (t)
        t->tasks = (hsc_rt_tasks){.task = (uint64_t)k, .group = k->group, .origin = k->origin, .frame = (uint64_t)frame, .frame_return = frame[1]};
    char *data = (char *)p + k->offset;
    memcpy(data, k->word, k->bounds * sizeof k->word[0]);
    k->body(data);
    if (!t || t != hsc_rt_self)
        return;
    t->tasks = outer;
    hsc_rt_task_ended(t, k->parent, k->group, (uint64_t)k->body + 1); /* GCC's line of the call that creates it is that of the construct round it */
    if (hsc_rt_measured())
        hsc_rt_charge_wrapper(t, HSC_RT_GOMP_TASK_CYCLES);
    if (kind)
        hsc_rt_wait_begin_at(kind, node);
    if (was_overhead)
        overhead_begin(t->state_frame + 8);
}

static void copy_task(void *to, void *from) {
    const task *k = from;
    *(task *)to = *k;
    k->copy((char *)to + k->offset, k->from);
}

/* A task whose data are bytes, with them in `room`. A procedure that copies them would make the runtime have all pieces of a long loop on the stack at
 * once, and not leave out cancelled tasks. */
static void *pack(const task *k, char *room, size_t align) {
    char *p = room + (-(uintptr_t)room & (align - 1));
    memcpy(p, k, sizeof *k);
    if (k->size)
        memcpy(p + k->offset, k->from, k->size);
    return p;
}

static task task_of(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, uint32_t bounds, const hsc_rt_here *at) {
    hsc_rt_thread *t = hsc_rt_self;
    size_t to = align > 1 ? (size_t)align : 1, n = size > 0 ? (size_t)size : 0;
    task k = {{0}, body, copy, data, n, (sizeof(task) + to - 1) / to * to, bounds, t ? t->tasks.task : 0, t ? hsc_rt_task_group(t) : 0, 0};
    k.origin = hsc_rt_task_origin(hsc_rt_measured(), at, t && t->tasks.frame);
    if (data)
        memcpy(k.word, data, n < sizeof k.word ? n : sizeof k.word);
    return k;
}

static size_t task_align(long align) {
    return align > (long)_Alignof(task) ? (size_t)align : _Alignof(task);
}

/* What the runtime's call is given of it: data, how to copy them, size, alignment. */
#define PACKED(k, align) \
    size_t all = (k).offset + (k).size, aligned = task_align(align); \
    void *packed = (k).copy ? (void *)&(k) : pack(&(k), __builtin_alloca(all + aligned), aligned)
#define GIVEN(k) packed, (k).copy ? copy_task : NULL, (long)all, (long)aligned

/* The last of their parameters came with newer compilers: older callers leave what is there, which their runtime's code for them does not look at. */
void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool deferred, unsigned flags, void **depend,
               int priority, void *detach);

static __attribute__((noinline)) void measured_task(hsc_rt_gomp g, task k, long align, bool deferred, unsigned flags, void **depend, int priority,
                                                    void *detach) {
    PACKED(k, align);
    JUMP(GOMP_task, g)(run_task, GIVEN(k), deferred, flags, depend, priority, detach);
}

HSC_RT_EXPORT void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool deferred, unsigned flags,
                             void **depend, int priority, void *detach) {
    hsc_rt_gomp g = FIND(GOMP_task);
    if (!g.ours || !hsc_rt_measured() || !hsc_rt.options.waits || flags & DETACH)
        return JUMP(GOMP_task, g)(body, data, copy, size, align, deferred, flags, depend, priority, detach);
    hsc_rt_here at = HSC_RT_HERE();
    measured_task(g, task_of(body, data, copy, size, align, 0, &at), align, deferred, flags, depend, priority, detach);
}

/* The runtime's own group would be begun and waited for in its call: a taskloop without one has it round itself instead, and the rest is that of any group. A
 * region of one thread is left alone: it waits for nobody, and only the runtime knows whether there is a team. */
static bool begins_group(unsigned flags, const hsc_rt_here *at) {
    const void *pc = (const void *)at->pc;
    return !(flags & NO_GROUP) && hsc_rt_self && ((int (*)(void))hsc_rt_gomp_find(HSC_RT_omp_get_num_threads, pc).function)() > 1;
}

static void group_begin(unsigned flags, uintptr_t *reductions, const hsc_rt_here *at) {
    const void *pc = (const void *)at->pc;
    hsc_rt_self->tasks.groups++;
    ((__typeof__(&GOMP_taskgroup_start))hsc_rt_gomp_find(HSC_RT_GOMP_taskgroup_start, pc).function)();
    if (flags & REDUCTION)
        ((void (*)(uintptr_t *))hsc_rt_gomp_find(HSC_RT_GOMP_taskgroup_reduction_register, pc).function)(reductions);
}

/* The data: first and last of the numbers, then what the reductions are known by, if there are any */
#define TASKLOOP(name, number) \
    void name(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags, unsigned long tasks, \
              int priority, number from, number to, number step); \
    static __attribute__((noinline)) void measured_##name(hsc_rt_gomp g, hsc_rt_here at, void (*body)(void *), void *data, \
                                                          void (*copy)(void *, void *), long size, long align, unsigned flags, \
                                                          unsigned long tasks, int priority, number from, number to, number step) { \
        bool group = begins_group(flags, &at); \
        if (group) \
            group_begin(flags, ((uintptr_t **)data)[2], &at); \
        task k = task_of(body, data, copy, size, align, 2, &at); \
        PACKED(k, align); \
        JUMP(name, g)(run_task, GIVEN(k), group ? flags | NO_GROUP : flags, tasks, priority, from, to, step); \
        if (group) \
            measured_GOMP_taskgroup_end(hsc_rt_gomp_find(HSC_RT_GOMP_taskgroup_end, (const void *)at.pc), at); \
    } \
    HSC_RT_EXPORT void name(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags, \
                            unsigned long tasks, int priority, number from, number to, number step) { \
        hsc_rt_gomp g = FIND(name); \
        if (!g.ours || !hsc_rt_measured() || !hsc_rt.options.waits || size < (long)(2 * sizeof(number))) \
            return JUMP(name, g)(body, data, copy, size, align, flags, tasks, priority, from, to, step); \
        measured_##name(g, HSC_RT_HERE(), body, data, copy, size, align, flags, tasks, priority, from, to, step); \
    }

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

/* ---- locks --------------------------------------------------------------------------------------------------------------- */

typedef struct attempt {
    hsc_rt_thread *t;
    uint64_t begin_ns;
    uint32_t state;
} attempt;

static attempt acquire_begin(const hsc_rt_here *at) {
    hsc_rt_thread *t = hsc_rt_measured();
    if (!t)
        return (attempt){0};
    uint32_t old = hsc_rt_wait_state(t, HSC_wait_kind_OMP_LOCK);
    if (old == HSC_state_UNKNOWN)
        hsc_rt_state_of_frame(t, at->sp - 8); /* a handler may leave the wrapper by a jump */
    return (attempt){t, hsc_rt_now_ns(), old};
}

/* Most locks are free: only the time is noted. */
static void acquired(const attempt *a, uint32_t kind, const void *lock, const hsc_rt_here *at) {
    if (!a->t || a->t != hsc_rt_self)
        return;
    hsc_rt_wait_state_back(a->t, a->state);
    hsc_rt_acquired(kind, lock, a->begin_ns, hsc_rt_now_ns() >= a->begin_ns + HSC_RT_BRIEF_LOCK_NS, at, NULL);
}

static char critical_lock, atomic_lock; /* those without a name, by their address */

#define LOCK(name, kind, lock, real_parameters, more, arguments) \
    void name real_parameters; \
    static __attribute__((noinline)) void measured_##name(hsc_rt_gomp g, hsc_rt_here at HSC_RT_UNPACK more) { \
        attempt a = acquire_begin(&at); \
        JUMP(name, g) arguments; \
        acquired(&a, HSC_wait_kind_##kind, lock, &at); \
    } \
    HSC_RT_EXPORT void name real_parameters { \
        hsc_rt_gomp g = FIND(name); \
        if (!g.ours || !hsc_rt_measured() || !hsc_rt.options.waits) \
            return JUMP(name, g) arguments; \
        measured_##name HSC_RT_WITH arguments; \
    }

LOCK(GOMP_critical_start, OMP_CRITICAL, &critical_lock, (void), (), ())
LOCK(GOMP_atomic_start, OMP_ATOMIC, &atomic_lock, (void), (), ())
LOCK(GOMP_critical_name_start, OMP_CRITICAL, of, (void *of), (, void *of), (of))
/* A lock that is free costs a try and no clock; who finds it taken says so, and who gives it back then says who had it. LLVM's runtime would
 * tell of those that are taken, by OMPT, but only of all and of none who had it. */
static __attribute__((noinline)) void await_lock(void (*set)(void *), void *lock, const hsc_rt_here *at) {
    uint32_t asked = hsc_rt_lock_want(lock);
    attempt a = acquire_begin(at);
    if (a.t)
        a.t->lock_tried = true;
    set(lock);
    if (!a.t || a.t != hsc_rt_self)
        return;
    a.t->lock_tried = false;
    hsc_rt_wait_state_back(a.t, a.state);
    if (hsc_rt_now_ns() >= a.begin_ns + HSC_RT_BRIEF_LOCK_NS)
        hsc_rt_wait_add(a.t, HSC_wait_kind_OMP_LOCK, at, a.begin_ns, hsc_rt_lock_got(a.t, lock, asked));
}

#define LOCK_BY_TRY(name, try) \
    void name(void *lock); \
    int try(void *lock); \
    HSC_RT_EXPORT void name(void *lock) { \
        hsc_rt_gomp g = FIND(name); \
        if (!hsc_rt_measured() || !hsc_rt.options.waits) \
            return JUMP(name, g)(lock); \
        if (__builtin_expect(((__typeof__(&try))FIND(try).function)(lock) != 0, 1)) \
            return; \
        hsc_rt_here at = HSC_RT_HERE(); \
        await_lock(JUMP(name, g), lock, &at); \
    }

LOCK_BY_TRY(omp_set_lock, omp_test_lock)
LOCK_BY_TRY(omp_set_lock_, omp_test_lock_)
LOCK_BY_TRY(omp_set_nest_lock, omp_test_nest_lock)
LOCK_BY_TRY(omp_set_nest_lock_, omp_test_nest_lock_)

#define UNSET(name) \
    void name(void *lock); \
    HSC_RT_EXPORT void name(void *lock) { \
        hsc_rt_gomp g = FIND(name); \
        if (hsc_rt_lock_is_wanted(lock)) { \
            hsc_rt_here at = HSC_RT_HERE(); \
            hsc_rt_lock_given(lock, &at); \
        } \
        JUMP(name, g)(lock); \
    }

UNSET(omp_unset_lock)
UNSET(omp_unset_lock_)
UNSET(omp_unset_nest_lock)
UNSET(omp_unset_nest_lock_)
