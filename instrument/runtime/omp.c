/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP programs, by OMPT: waits at barriers, locks and tasks; and which parallel region a worker's samples belong to, told
 * by the thread that forked it when a sample was taken in it. Programs with a tool of their own keep it. */
#include <link.h>
#include <stdlib.h>

#include "interpose.h"
#include "omp.h"
#include "state.h"
#include "ompt.h"

#define FRAME_MAX (1ull << 30)

static const hsc_rt_holder nobody;
static _Atomic uint64_t last_region;
static struct {
    uint64_t low, high;
} of_runtime; /* the addresses of LLVM's */
static int (*get_task_info)(int level, int *flags, ompt_data **task, ompt_frame **frame, ompt_data **parallel, int *number);

/* The program's frame that called the OpenMP runtime, if the runtime's entry keeps a frame pointer and returns there. */
static bool entered_from(const ompt_frame *frame, const void *return_address, hsc_rt_here *at) {
    uint64_t fp = frame ? frame->enter_frame.value : 0, here = (uint64_t)__builtin_frame_address(0);
    if (!return_address || fp <= here || fp - here > FRAME_MAX || fp & 7)
        return false;
    const uint64_t *word = (const uint64_t *)fp; /* NOLINT: a frame of this thread's stack */
    if (word[1] != (uint64_t)return_address)
        return false;
    *at = (hsc_rt_here){word[1], fp + 16, word[0], 0};
    return true;
}

static bool current_frame(const void *return_address, hsc_rt_here *at) {
    ompt_frame *frame = NULL;
    return get_task_info && get_task_info(0, NULL, NULL, &frame, NULL, NULL) == 2 && entered_from(frame, return_address, at);
}

/* Who called the OpenMP runtime: by its frame where the runtime tells it, else from here on outwards. A macro, since HSC_RT_HERE is. */
#define CALLER(at, return_address) \
    do { \
        if (!current_frame(return_address, at)) { \
            *(at) = HSC_RT_HERE(); \
            (at)->caller = (uint64_t)(return_address); \
        } \
    } while (0)

bool hsc_rt_omp_waits(const hsc_rt_thread *t) {
    return t && t->open.kind >= HSC_wait_kind_OMP_BARRIER && t->open.kind <= HSC_wait_kind_OMP_IDLE;
}

/* ---- regions ------------------------------------------------------------------------------------------------------------- */

static void on_thread_begin(int type, ompt_data *data) {
    (void)type;
    (void)data;
    if (hsc_rt_self)
        hsc_rt_self->omp = true;
}

uint64_t hsc_rt_region_begin(const hsc_rt_here *forked, bool known, const hsc_rt_here *here) {
    uint64_t id = atomic_fetch_add_explicit(&last_region, 1, memory_order_relaxed) + 1;
    hsc_rt_region *r = &hsc_rt_regions[id & (HSC_RT_REGIONS - 1)];
    atomic_store_explicit(&r->id, 0, memory_order_relaxed);
    r->at = *forked;
    r->known = known;
    hsc_rt_thread *t = hsc_rt_measured();
    hsc_rt_some cost = hsc_rt_some_begin(t);
    uint32_t node = 0;
    r->supposed = false;
    if (t && hsc_rt.options.waits)
        node = known ? hsc_rt_fork_begin(t, &r->at, &r->supposed) : hsc_rt_wait_node(t, here);
    atomic_store_explicit(&r->fork, node ? (uint64_t)t->thread_id << 32 | node : 0, memory_order_relaxed);
    r->begin_ns = hsc_rt_now_ns();
    r->threads = 0;
    hsc_rt_thread *self = hsc_rt_self;
    r->master = self ? self->thread_id : 0;
    r->outer = self ? self->team : (hsc_rt_team){0};
    r->outer_tasks = self ? self->tasks : (hsc_rt_tasks){0};
    atomic_store_explicit(&r->end_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&r->met, 0, memory_order_relaxed);
    atomic_store_explicit(&r->id, id, memory_order_release);
    hsc_rt_some_end(t, cost);
    return id;
}

static void on_parallel_begin(ompt_data *task, const ompt_frame *frame, ompt_data *parallel, unsigned threads, int flags,
                              const void *return_address) {
    (void)task;
    (void)flags;
    (void)threads;
    hsc_rt_here at = {(uint64_t)return_address, 0, 0, 0}, here = HSC_RT_HERE();
    bool known = entered_from(frame, return_address, &at);
    here.caller = at.pc;
    parallel->value = hsc_rt_region_begin(&at, known, &here);
}

/* Where the region was forked, now that it ends. */
static uint32_t fork_node(hsc_rt_thread *t, hsc_rt_region *r, uint64_t now) {
    uint64_t fork = atomic_load_explicit(&r->fork, memory_order_relaxed);
    if (fork >> 32 != t->thread_id) /* not measured when it began, or without waits */
        return r->known && atomic_load_explicit(&r->met, memory_order_relaxed) ? hsc_rt_wait_node(t, &r->at) : 0;
    if (!r->known)
        return (uint32_t)fork;
    uint32_t node = hsc_rt_fork_end(t, &r->at, (uint32_t)fork, now - r->begin_ns, r->supposed);
    if (node)
        atomic_store_explicit(&r->fork, (uint64_t)t->thread_id << 32 | node, memory_order_release);
    return node;
}

static void end_region(hsc_rt_thread *t, uint64_t id) {
    hsc_rt_region *r = hsc_rt_region_of(id);
    if (hsc_rt_self) {
        hsc_rt_self->team = r ? r->outer : (hsc_rt_team){0};
        hsc_rt_self->tasks = r ? r->outer_tasks : (hsc_rt_tasks){0};
    }
    if (!r)
        return;
    uint64_t end = hsc_rt_now_ns();
    uint32_t node = t ? fork_node(t, r, end) : 0;
    atomic_store_explicit(&r->end_ns, end, memory_order_release);
    if (!node || !atomic_load_explicit(&r->met, memory_order_relaxed) || !hsc_rt_own(t))
        return;
    uint64_t begin = hsc_rt_own_begin(t), now = hsc_rt_thread_now(t);
    hsc_rec_region record = {id, node, r->threads};
    hsc_rt_thread_put(t, HSC_REC_region, &record, now);
    hsc_rt_charge_wrapper_since(t, begin);
    hsc_rt_disown(t, node);
}

void hsc_rt_region_end(uint64_t id) {
    hsc_rt_thread *t = hsc_rt_measured();
    hsc_rt_some cost = hsc_rt_some_begin(t);
    end_region(t, id);
    hsc_rt_some_end(t, cost);
}

static void on_parallel_end(ompt_data *parallel, ompt_data *task, int flags, const void *return_address) {
    (void)task;
    (void)flags;
    (void)return_address;
    hsc_rt_region_end(parallel->value);
}

/* Which of the team the thread is, if that is new. */
static void tell_member(hsc_rt_thread *t) {
    const hsc_rt_team *a = &t->team, *b = &t->team_told;
    if ((a->master == b->master && a->number == b->number) || !a->master || t != hsc_rt_measured() || !hsc_rt.options.waits || !hsc_rt_own(t))
        return;
    uint64_t begin = hsc_rt_own_begin(t);
    hsc_rec_team_member record = {a->region, a->master, a->number};
    if (hsc_rt_thread_put(t, HSC_REC_team_member, &record, hsc_rt_thread_now(t)))
        t->team_told = *a;
    hsc_rt_charge_wrapper_since(t, begin);
    hsc_rt_disown(t, 0);
}

void hsc_rt_region_enter(uint64_t id, uint32_t threads, uint32_t number) {
    hsc_rt_thread *t = hsc_rt_self;
    hsc_rt_some cost = hsc_rt_some_begin(t);
    hsc_rt_region *r = hsc_rt_region_of(id);
    if (number) {
        if (hsc_rt_omp_waits(t))
            hsc_rt_omp_wait_end(t);
        t->region = id;
    } else if (r) {
        r->threads = threads;
    }
    t->team = (hsc_rt_team){id, r ? r->master : 0, threads, number, r ? r->begin_ns : 0};
    t->tasks = (hsc_rt_tasks){.task = 1ull << 63 | id << 24 | (uint64_t)number << 4}; /* no address, and room for groups */
    if (number)
        tell_member(t);
    hsc_rt_some_end(t, cost);
}

void hsc_rt_region_leave(uint64_t id) {
    hsc_rt_some cost = hsc_rt_some_begin(hsc_rt_self);
    const hsc_rt_region *r = hsc_rt_region_of(id);
    hsc_rt_wait_begin_alone(HSC_wait_kind_OMP_REGION_END, r ? r->at.pc : 0);
    hsc_rt_some_end(hsc_rt_self, cost);
}

static void on_implicit_task(int endpoint, ompt_data *parallel, ompt_data *task, unsigned threads, unsigned number, int flags) {
    (void)task;
    (void)flags;
    hsc_rt_thread *t = hsc_rt_self;
    if (!t)
        return;
    t->omp = true;
    if (endpoint == OMPT_BEGIN) {
        hsc_rt_region_enter(parallel ? parallel->value : 0, threads, number);
    } else if (number) { /* who forked it has the path on its own stack */
        t->tasks = (hsc_rt_tasks){0};
        const hsc_rt_region *r = hsc_rt_region_of(t->region);
        t->region = 0;
        hsc_rt_wait_begin_alone(HSC_wait_kind_OMP_IDLE, r ? r->at.pc : 0);
    }
}

/* ---- waits --------------------------------------------------------------------------------------------------------------- */

static uint32_t kind_of_sync(int sync) {
    switch (sync) {
    case OMPT_SYNC_BARRIER:
    case OMPT_SYNC_EXPLICIT:
        return HSC_wait_kind_OMP_BARRIER;
    case OMPT_SYNC_TASKWAIT:
        return HSC_wait_kind_OMP_TASKWAIT;
    case OMPT_SYNC_TASKGROUP:
        return HSC_wait_kind_OMP_TASKGROUP;
    case OMPT_SYNC_REDUCTION:
        return HSC_wait_kind_OMP_REDUCTION;
    default:
        return HSC_wait_kind_OMP_REGION_END;
    }
}

/* A worker at the end of a region has no frame of the program below it: it waits where the region was forked. */
static void begin_wait(uint32_t kind, const void *return_address) {
    hsc_rt_thread *t = hsc_rt_self;
    hsc_rt_here at;
    if (!t || hsc_rt_omp_alone(t, kind))
        return;
    const hsc_rt_region *r = hsc_rt_region_of(t->region);
    if (r && (!return_address || (uint64_t)return_address == r->at.pc)) {
        hsc_rt_wait_begin_alone(kind, r->at.pc);
        return;
    }
    CALLER(&at, return_address);
    hsc_rt_wait_begin(kind, &at, HSC_RT_NO_FRAME);
}

void hsc_rt_omp_wait_end(hsc_rt_thread *t) {
    if (t->open.kind == HSC_wait_kind_OMP_REGION_END)
        hsc_rt_wait_end_region(t); /* it was told late that the region had ended */
    hsc_rt_wait_end(t, 0, nobody);
}

static void on_sync_wait(int sync, int endpoint, ompt_data *parallel, ompt_data *task, const void *return_address) {
    (void)parallel;
    (void)task;
    hsc_rt_thread *t = hsc_rt_self;
    if (endpoint == OMPT_BEGIN)
        begin_wait(kind_of_sync(sync), return_address);
    else if (endpoint == OMPT_END && hsc_rt_omp_waits(t))
        hsc_rt_task_wait_end(t);
}

/* ---- tasks --------------------------------------------------------------------------------------------------------------- */

#define GROUPS_MAX 7u /* of one task that are told apart: what they are known by lies behind what the task is known by */

/* The innermost open group of the thread's task. */
static uint64_t open_group(const hsc_rt_thread *t) {
    return t->tasks.task && t->tasks.groups ? t->tasks.task + (t->tasks.groups < GROUPS_MAX ? t->tasks.groups : GROUPS_MAX) : 0;
}

uint64_t hsc_rt_task_group(const hsc_rt_thread *t) {
    return t->tasks.groups ? open_group(t) : t->tasks.group;
}

void hsc_rt_task_ended(hsc_rt_thread *t, uint64_t parent, uint64_t group, uint64_t pc) {
    hsc_rt_ended(t, parent, pc);
    hsc_rt_ended(t, group, pc);
}

void hsc_rt_task_wait_end(hsc_rt_thread *t) {
    uint64_t of = t->open.kind == HSC_wait_kind_OMP_TASKWAIT    ? t->tasks.task
                  : t->open.kind == HSC_wait_kind_OMP_TASKGROUP ? open_group(t)
                                                                : 0;
    if (of)
        hsc_rt_wait_end(t, 0, hsc_rt_ended_by(t, of, t->open.begin_ns));
    else
        hsc_rt_omp_wait_end(t);
}

typedef struct task { /* an explicit one, from its creation to its end */
    uint64_t pc, parent, group;
    hsc_rt_tasks outer;  /* of the thread that works on it */
    uint32_t kind, node; /* the wait of that thread which it interrupts; 0: none */
} task;

static task *task_of(const ompt_data *data) {
    return data ? (task *)(data->value & ((1ull << HSC_RT_OMP_ORIGIN_SHIFT) - 1)) : NULL; /* NOLINT */
}

static uint32_t origin_of(const ompt_data *data) {
    return (uint32_t)(data->value >> HSC_RT_OMP_ORIGIN_SHIFT);
}

/* The program's call of the runtime, of a node inside it. */
static uint32_t out_of_runtime(const hsc_rt_tree *tree, uint32_t node) {
    for (uint32_t at = node; at;) {
        const hsc_rt_node *n = hsc_rt_tree_node(tree, at);
        if (n->flags & HSC_FRAME_TASKS)
            break;
        if (n->pc < of_runtime.low || n->pc >= of_runtime.high)
            return at;
        at = n->parent;
    }
    return node; /* the task that makes the parts of a long taskloop is the runtime's own */
}

uint32_t hsc_rt_task_origin(hsc_rt_thread *t, const hsc_rt_here *at, bool in_task) {
    const hsc_rt_made *again = t && in_task ? hsc_rt_made_again(t, at) : NULL;
    if (again && again->origin) {
        hsc_rt_charge_wrapper(t, HSC_RT_AGAIN_CYCLES);
        return again->origin;
    }
    if (!t || !hsc_rt_own(t))
        return 0;
    bool truncated;
    uint64_t begin = hsc_rt_own_begin(t);
    uint32_t node = hsc_rt_walk_here(t, at, t->last_time, &truncated);
    uint32_t origin = hsc_rt_origin_at(t, out_of_runtime(&t->tree, node), t->last_time);
    hsc_rt_made_keep(t, at, node, origin);
    hsc_rt_charge_wrapper_since(t, begin);
    hsc_rt_disown(t, node);
    return origin;
}

/* Of the tasks of a taskloop the runtime's own place is told: the program's is that of the loop's group, and of the task that makes the parts of a long
 * loop. 0: not known. */
static uint64_t created_at(const hsc_rt_thread *t, const ompt_data *creator, uint64_t pc) {
    if (pc < of_runtime.low || pc >= of_runtime.high)
        return pc;
    const task *k = task_of(creator);
    return t && t->tasks.groups ? t->tasks.group_pc : k ? k->pc : 0;
}

static void on_task_create(ompt_data *creator, const ompt_frame *frame, ompt_data *created, int flags, int dependences, const void *return_address) {
    (void)dependences;
    hsc_rt_thread *t = hsc_rt_self;
    task *k = created && flags & OMPT_TASK_EXPLICIT && !(flags & OMPT_TASK_TASKWAIT) ? calloc(1, sizeof *k) : NULL;
    if (!k)
        return;
    k->pc = created_at(t, creator, (uint64_t)return_address);
    k->parent = t ? t->tasks.task : 0;
    k->group = t ? hsc_rt_task_group(t) : 0;
    hsc_rt_here at = {0};
    if (!entered_from(frame, return_address, &at))
        at = HSC_RT_HERE();
    created->value = (uint64_t)k | (uint64_t)hsc_rt_task_origin(hsc_rt_measured(), &at, task_of(creator) != NULL) << HSC_RT_OMP_ORIGIN_SHIFT;
}

/* The thread goes on with what it did before; the wait that the task had interrupted begins again. */
static void leave_task(hsc_rt_thread *t, task *k) {
    uint32_t kind = k->kind;
    t->tasks = k->outer;
    k->kind = 0;
    if (kind)
        hsc_rt_wait_begin_at(kind, k->node);
}

static void begin_task(hsc_rt_thread *t, task *k, uint32_t origin) {
    k->kind = 0;
    k->outer = t->tasks;
    if (hsc_rt_omp_waits(t)) {
        uint64_t in_step_ns = t->team.in_step_ns; /* nobody has been let go */
        k->kind = t->open.kind;
        k->node = t->open.node;
        hsc_rt_omp_wait_end(t);
        t->team.in_step_ns = in_step_ns;
    }
    t->tasks = (hsc_rt_tasks){.task = (uint64_t)k, .group = k->group, .origin = origin};
}

/* Tasks are worked on while their creator waits: that is no wait. It ends, and begins again when the task is done. */
static void on_task_schedule(ompt_data *before, int status, ompt_data *next) {
    hsc_rt_thread *t = hsc_rt_self;
    task *k = task_of(before), *then = task_of(next);
    bool ended = status == OMPT_TASK_COMPLETE || status == OMPT_TASK_CANCEL, fulfilled = status == OMPT_TASK_LATE_FULFILL;
    if (t && k && (ended || fulfilled))
        hsc_rt_task_ended(t, k->parent, k->group, k->pc);
    if (k && ended && hsc_rt_measured())
        hsc_rt_charge_wrapper(hsc_rt_measured(), HSC_RT_OMPT_TASK_CYCLES);
    if (t && k && (ended || status == OMPT_TASK_DETACH))
        leave_task(t, k);
    if (k && (ended || fulfilled)) {
        before->value = 0;
        free(k);
    }
    if (t && then && (status == OMPT_TASK_SWITCH || status == OMPT_TASK_YIELD))
        begin_task(t, then, origin_of(next));
}

static void on_sync(int sync, int endpoint, ompt_data *parallel, ompt_data *of, const void *return_address) {
    (void)parallel;
    (void)of;
    hsc_rt_thread *t = hsc_rt_self;
    if (!t || sync != OMPT_SYNC_TASKGROUP)
        return;
    if (endpoint == OMPT_BEGIN) {
        t->tasks.groups++;
        t->tasks.group_pc = (uint64_t)return_address;
    } else if (t->tasks.groups) {
        t->tasks.groups--;
    }
}

/* ---- locks --------------------------------------------------------------------------------------------------------------- */

static uint32_t kind_of_mutex(int mutex) {
    return mutex == OMPT_CRITICAL  ? HSC_wait_kind_OMP_CRITICAL
           : mutex == OMPT_ATOMIC  ? HSC_wait_kind_OMP_ATOMIC
           : mutex == OMPT_ORDERED ? HSC_wait_kind_OMP_ORDERED
                                   : HSC_wait_kind_OMP_LOCK;
}

/* Locks of OpenMP's own calls are timed by their wrappers (gomp.c), but where the runtime is a part of the program; those that were tried wait for nobody. */
static bool is_wrapped(const hsc_rt_thread *t, int mutex) {
    return mutex == OMPT_TEST_LOCK || mutex == OMPT_TEST_NEST_LOCK || ((mutex == OMPT_LOCK || mutex == OMPT_NEST_LOCK) && t && t->lock_tried);
}

/* Most locks are free: only the time is noted. */
static void on_mutex_acquire(int mutex, unsigned hint, unsigned implementation, uint64_t lock, const void *return_address) {
    (void)hint;
    (void)implementation;
    (void)lock;
    (void)return_address;
    hsc_rt_thread *t = hsc_rt_measured();
    if (!t || !hsc_rt.options.waits || t->lock_begin_ns || is_wrapped(t, mutex))
        return;
    t->lock_state = hsc_rt_wait_state(t, HSC_wait_kind_OMP_LOCK);
    t->lock_begin_ns = hsc_rt_time_near(t, hsc_cycles());
}

/* The try is over: when it began, 0: not known. */
static uint64_t end_acquire(hsc_rt_thread *t) {
    uint64_t begin = t->lock_begin_ns;
    if (begin)
        hsc_rt_wait_state_back(t, t->lock_state);
    t->lock_begin_ns = 0;
    return begin;
}

/* Of a lock that the thread has already nobody says that it was acquired. */
static void on_nest_lock(int endpoint, uint64_t lock, const void *return_address) {
    (void)lock;
    (void)return_address;
    if (endpoint == OMPT_BEGIN && hsc_rt_self)
        end_acquire(hsc_rt_self);
}

/* Whoever has taken the lock before had it until now: who gave it back may say so later than this thread has it. */
void hsc_rt_acquired(uint32_t kind, const void *lock, uint64_t begin_ns, bool waited, const hsc_rt_here *at, const hsc_rt_here *key) {
    hsc_rt_thread *t = hsc_rt_measured();
    if (t && waited)
        hsc_rt_lock_awaited(t, kind, lock, begin_ns, at);
    else if (t && lock)
        hsc_rt_lock_had(t, lock, at, key);
    else if (lock)
        hsc_rt_lock_had_by_nobody(lock);
}

static void on_mutex_acquired(int mutex, uint64_t lock, const void *return_address) {
    hsc_rt_thread *t = hsc_rt_measured();
    if (is_wrapped(t, mutex))
        return;
    hsc_rt_here at = {0}, key = {(uint64_t)return_address, (uint64_t)__builtin_frame_address(0), 0, 0};
    if (!hsc_rt.options.waits)
        return;
    uint64_t begin = t ? end_acquire(t) : 0;
    bool waited = begin && hsc_rt_time_near(t, hsc_cycles()) >= begin + HSC_RT_BRIEF_LOCK_NS;
    if (t && lock && !waited && hsc_rt_lock_had_again(t, (const void *)lock, &key))
        return;
    if (t)
        CALLER(&at, return_address);
    hsc_rt_acquired(kind_of_mutex(mutex), (const void *)lock, begin, waited, &at, &key);
}

/* ---- connection ------------------------------------------------------------------------------------------------------------ */

static int look_at(struct dl_phdr_info *module, size_t size, void *address) {
    (void)size;
    for (const ElfW(Phdr) *p = module->dlpi_phdr; p < module->dlpi_phdr + module->dlpi_phnum; p++) {
        uint64_t low = module->dlpi_addr + p->p_vaddr, high = low + p->p_memsz;
        if (p->p_type != PT_LOAD || (uint64_t)address < low || (uint64_t)address >= high)
            continue;
        of_runtime.low = low;
        of_runtime.high = high;
        return 1;
    }
    return 0;
}

static int initialize(ompt_lookup lookup, int device, ompt_data *tool) {
    (void)device;
    (void)tool;
    int (*set)(int event, ompt_function f) = (int (*)(int, ompt_function))lookup("ompt_set_callback");
    int (*state)(uint64_t *) = (int (*)(uint64_t *))lookup("ompt_get_state");
    if (!set || !state)
        return 0;
    get_task_info = (__typeof__(get_task_info))lookup("ompt_get_task_info");
    dl_iterate_phdr(look_at, (void *)lookup);
    set(OMPT_THREAD_BEGIN, (ompt_function)on_thread_begin);
    set(OMPT_PARALLEL_BEGIN, (ompt_function)on_parallel_begin);
    set(OMPT_PARALLEL_END, (ompt_function)on_parallel_end);
    set(OMPT_IMPLICIT_TASK, (ompt_function)on_implicit_task);
    if (hsc_rt.options.waits) {
        set(OMPT_TASK_CREATE, (ompt_function)on_task_create);
        set(OMPT_SYNC, (ompt_function)on_sync);
        set(OMPT_TASK_SCHEDULE, (ompt_function)on_task_schedule);
        set(OMPT_SYNC_WAIT, (ompt_function)on_sync_wait);
        set(OMPT_MUTEX_ACQUIRE, (ompt_function)on_mutex_acquire);
        set(OMPT_MUTEX_ACQUIRED, (ompt_function)on_mutex_acquired);
        set(OMPT_NEST_SCOPE, (ompt_function)on_nest_lock);
    }
    hsc_rt.omp_task = (__typeof__(hsc_rt.omp_task))get_task_info;
    hsc_rt.omp_state = state;
    return 1; /* stay */
}

static void finalize(ompt_data *tool) {
    (void)tool;
    hsc_rt.omp_state = NULL;
    hsc_rt.omp_task = NULL;
}

ompt_tool *ompt_start_tool(unsigned version, const char *runtime);

/* The OpenMP runtime asks whether there is a tool. Others come first: one of the program, one that the user named, and what
 * the thread sanitizer needs to understand OpenMP. */
HSC_RT_EXPORT ompt_tool *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_tool ours = {initialize, finalize, {0}};
    ompt_tool *(*real)(unsigned, const char *) = HSC_RT_REAL("ompt_start_tool");
    ompt_tool *theirs = real ? real(version, runtime) : NULL;
    const char *libraries = getenv("OMP_TOOL_LIBRARIES");
    if (theirs || !hsc_rt_active() || (libraries && *libraries) || dlsym(RTLD_DEFAULT, "__tsan_init"))
        return theirs;
    return &ours;
}
