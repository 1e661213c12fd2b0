/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* First reading: modules, addresses and frames of all files, each distinct one once. They are looked up by many threads at a
 * time; after the first few ranks of a program little is new. Of the process itself only what is small is kept. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/stream.h>

#include "cache.h"
#include "generated.h"
#include "grown.h"
#include "join_internal.h"
#include "ranks.h"
#include "told.h"

/* ---- tables ---- */

typedef struct look { /* one process's way through the tables */
    join *j;
    jprocess *p;
    unsigned marks;    /* 0: nothing may be new */
    bool writes;       /* the lock is held for that */
    uint32_t *modules; /* by row of the process's mappings: row of j->met; HSC_NO_INDEX: not asked yet */
    hsc_jit_map *generated; /* of code in no file; NULL: not asked yet */
} look;

/* What is not there can be entered. */
static void want_to_write(look *l) {
    if (l->writes)
        return;
    pthread_rwlock_unlock(&l->j->tables);
    pthread_rwlock_wrlock(&l->j->tables);
    l->writes = true;
}

static void mark(uint8_t *marks, unsigned what) {
    if ((__atomic_load_n(marks, __ATOMIC_RELAXED) & what) != what)
        __atomic_fetch_or(marks, (uint8_t)what, __ATOMIC_RELAXED);
}

/* A build id where there is one, else size and time of the file, tell modules of one path apart. */
static void key_of_module(const char *path, const uint8_t *build_id, size_t n, uint64_t size, uint64_t mtime_ns, uint64_t *a, uint64_t *b) {
    uint64_t file[2] = {size, mtime_ns}, seed = n ? 1 : 2;
    *a = hsc_hash64(3, path, strlen(path));
    *b = n ? hsc_hash64(seed, build_id, n) : hsc_hash64(seed, file, sizeof file);
}

uint32_t hsc_join_enter_module(join *j, const jmodule *m) {
    uint64_t a, b;
    key_of_module(m->path, m->build_id, m->build_id_size, m->file_size, m->file_mtime_ns, &a, &b);
    uint32_t *at = hsc_table_at(&j->met_rows, a, b);
    if (!at || *at != HSC_NO_INDEX)
        return at ? *at : HSC_NO_INDEX;
    jmodule module = {.file_size = m->file_size, .file_mtime_ns = m->file_mtime_ns, .build_id_size = m->build_id_size};
    pthread_mutex_lock(&j->lock);
    uint8_t *id = hsc_pool_take(&j->pool, m->build_id_size + 1);
    module.path = hsc_pool_intern(&j->pool, m->path, strlen(m->path));
    pthread_mutex_unlock(&j->lock);
    if (id && m->build_id_size)
        memcpy(id, m->build_id, m->build_id_size);
    module.build_id = id;
    if (id && module.path && HSC_PUSH(j->met, module))
        *at = (uint32_t)(j->met.n - 1);
    return *at;
}

uint32_t hsc_join_enter_address(join *j, uint32_t module, bool exact, uint64_t address) {
    uint32_t *at = hsc_table_at(&j->address_rows, (uint64_t)module << 1 | exact, address);
    if (at && *at == HSC_NO_INDEX && j->addresses.n < HSC_NO_INDEX &&
        HSC_PUSH(j->addresses, (jaddress){.address = address, .module = module, .exact = exact}))
        *at = (uint32_t)(j->addresses.n - 1);
    return at ? *at : HSC_NO_INDEX;
}

uint32_t hsc_join_enter_frame(join *j, uint32_t parent, bool truncated, uint32_t address) {
    uint32_t *at = hsc_table_at(&j->frame_rows, (uint64_t)parent << 1 | truncated, address);
    jframe f = {.parent = parent, .place = address, .context = HSC_NO_INDEX, .truncated = truncated};
    if (at && *at == HSC_NO_INDEX && j->frames.n < HSC_NO_INDEX && HSC_PUSH(j->frames, f))
        *at = (uint32_t)(j->frames.n - 1);
    return at ? *at : HSC_NO_INDEX;
}

/* Row of j->met, with its mark; HSC_NO_INDEX: it may not be new, or there is no memory. */
static uint32_t met_row(look *l, const jmodule *m) {
    join *j = l->j;
    uint64_t a, b;
    key_of_module(m->path, m->build_id, m->build_id_size, m->file_size, m->file_mtime_ns, &a, &b);
    uint32_t row = hsc_table_get(&j->met_rows, a, b);
    if (row == HSC_NO_INDEX && l->marks) {
        want_to_write(l);
        row = hsc_join_enter_module(j, m);
    }
    if (row != HSC_NO_INDEX && l->marks) {
        mark(&j->met.p[row].marks, l->marks);
        if (!strcmp(l->p->executable, m->path))
            mark(&j->met.p[row].main_marks, l->marks);
    }
    return row;
}

static uint32_t module_of(look *l, uint32_t mapping) {
    const jmapping *m = &l->p->mappings.p[mapping];
    if (l->modules[mapping] == HSC_NO_INDEX)
        l->modules[mapping] = met_row(l, &(jmodule){.path = m->path, .build_id = m->build_id, .build_id_size = m->build_id_size,
                                                    .file_size = m->file_size, .file_mtime_ns = m->file_mtime_ns});
    return l->modules[mapping];
}

/* Of code in no file: as what its maker has told of it, where that is known. */
static bool tell_stranger(look *l, bool exact, uint64_t *address, uint32_t *module) {
    *module = HSC_NO_INDEX;
    l->p->has_strangers = true;
    if (!l->generated && !(l->generated = hsc_generated_load(l->marks ? l->j : NULL, l->p)))
        return false;
    uint64_t key = hsc_generated_key(l->generated, *address, exact);
    l->p->has_unknown = l->p->has_unknown || !key;
    if (!key)
        return true;
    *address = key;
    *module = met_row(l, &(jmodule){.path = HSC_DB_GENERATED, .build_id = (const uint8_t *)""});
    return *module != HSC_NO_INDEX;
}

static uint32_t address_of(look *l, const jnode *n) {
    join *j = l->j;
    uint32_t module;
    uint64_t address = n->address;
    bool exact = n->flags & HSC_node_flag_EXACT;
    if (n->mapping != HSC_NO_INDEX ? (module = module_of(l, n->mapping)) == HSC_NO_INDEX : !tell_stranger(l, exact, &address, &module))
        return HSC_NO_INDEX;
    uint32_t row = hsc_table_get(&j->address_rows, (uint64_t)module << 1 | exact, address);
    if (row == HSC_NO_INDEX && l->marks) {
        want_to_write(l);
        row = hsc_join_enter_address(j, module, exact, address);
    }
    if (row != HSC_NO_INDEX && l->marks)
        mark(&j->addresses.p[row].marks, l->marks);
    return row;
}

static uint32_t frame_of(look *l, const jthread *t, const jnode *n) {
    join *j = l->j;
    uint32_t parent = n->parent == HSC_NO_INDEX ? HSC_NO_INDEX : t->work->nodes.p[n->parent].frame, address = address_of(l, n);
    bool truncated = parent == HSC_NO_INDEX ? n->flags & HSC_node_flag_TRUNCATED : j->frames.p[parent].truncated;
    if (address == HSC_NO_INDEX)
        return HSC_NO_INDEX;
    uint32_t row = hsc_table_get(&j->frame_rows, (uint64_t)parent << 1 | truncated, address);
    if (row == HSC_NO_INDEX && l->marks) {
        want_to_write(l);
        row = hsc_join_enter_frame(j, parent, truncated, address);
    }
    if (row != HSC_NO_INDEX && l->marks)
        mark(&j->frames.p[row].marks, l->marks);
    return row;
}

/* A place where tasks were created: row of its frame, by where that thread's own frames are found so far; HSC_NO_INDEX: not yet. *lost: it is nowhere. */
static uint32_t task_frame(const jprocess *p, const jnode *n, const size_t *found, bool *lost) {
    const jthread *t = hsc_join_known_thread(p, n->frame);
    uint32_t row = t ? hsc_join_node_row(t, n->address) : HSC_NO_INDEX;
    *lost = row == HSC_NO_INDEX;
    return !*lost && row < found[t - p->threads.p] ? t->work->nodes.p[row].frame : HSC_NO_INDEX;
}

/* Frames of a thread's nodes from the first one that has none, up to one that stands for another thread's that has none yet. damaged: that one is nowhere. False: no
 * memory, or nothing may be new. */
static bool find_threads_frames(look *l, jthread *t, size_t *found, bool damaged, bool *moved) {
    jprocess *p = l->p;
    size_t *at = &found[t - p->threads.p];
    for (; *at < t->work->nodes.n; ++*at, *moved = true) {
        jnode *n = &t->work->nodes.p[*at];
        bool lost = false, for_tasks = n->flags & JNODE_TASKS;
        uint32_t frame = for_tasks ? task_frame(p, n, found, &lost) : HSC_NO_INDEX;
        if (for_tasks && frame == HSC_NO_INDEX && !lost && !damaged)
            return true;
        if (frame == HSC_NO_INDEX) { /* a frame; or what is known of one is that it was there */
            n->flags = for_tasks ? HSC_node_flag_TRUNCATED : n->flags;
            n->address = for_tasks ? 0 : n->address;
            frame = frame_of(l, t, n);
        }
        damaged = damaged && !for_tasks;
        n->frame = frame;
        if (frame == HSC_NO_INDEX)
            return false;
    }
    return true;
}

hsc_status hsc_join_find_frames(join *j, jprocess *p, unsigned marks, hsc_err *err) {
    look l = {.j = j, .p = p, .marks = marks};
    size_t *found = calloc(p->threads.n + 1, sizeof *found), rest = 1;
    bool ok = (l.modules = malloc((p->mappings.n + 1) * sizeof *l.modules)) && found, moved = true;
    for (size_t i = 0; ok && i < p->mappings.n; i++)
        l.modules[i] = HSC_NO_INDEX;
    pthread_rwlock_rdlock(&j->tables);
    while (ok && rest) {
        bool damaged = !moved; /* places that are created in one another */
        rest = 0;
        moved = false;
        for (size_t k = 0; ok && k < p->threads.n; k++) {
            ok = find_threads_frames(&l, &p->threads.p[k], found, damaged && !moved, &moved);
            rest += p->threads.p[k].work->nodes.n - found[k];
        }
    }
    pthread_rwlock_unlock(&j->tables);
    hsc_jit_map_free(l.generated);
    free(l.modules);
    free(found);
    return ok      ? HSC_OK
           : marks ? hsc_join_no_memory(err)
                   : hsc_err_set(err, HSC_E_IO, "%s: has changed while it was read", p->path);
}

/* ---- what is kept of the process ---- */

static const char *keep(join *j, const char *s) {
    return hsc_pool_intern(&j->pool, s, strlen(s));
}

/* Takes the small things from the process that was read, whose pool goes. */
static bool keep_process(join *j, jprocess *p, jprocess *from) {
    const char **texts[] = {&from->host, &from->executable, &from->arguments, &from->environment, &from->mechanism, &from->mechanism_note, &from->job};
    bool ok = true;
    pthread_mutex_lock(&j->lock);
    for (size_t i = 0; ok && i < sizeof texts / sizeof *texts; i++)
        ok = (*texts[i] = keep(j, *texts[i])) != NULL;
    for (size_t i = 0; ok && i < from->events.n; i++)
        ok = (from->events.p[i].name = keep(j, from->events.p[i].name)) && (from->events.p[i].unit = keep(j, from->events.p[i].unit));
    for (size_t i = 0; ok && i < from->threads.n; i++)
        ok = (from->threads.p[i].name = keep(j, from->threads.p[i].name)) != NULL;
    pthread_mutex_unlock(&j->lock);
    if (!ok)
        return false;
    jprocess to = *from;
    to.pool = (hsc_pool){0};
    to.join = NULL;
    to.threads.p = malloc((from->threads.n + 1) * sizeof *to.threads.p);
    to.threads.cap = from->threads.n + 1;
    to.events.p = malloc((from->events.n + 1) * sizeof *to.events.p);
    to.events.cap = from->events.n + 1;
    if (!to.threads.p || !to.events.p) {
        free(to.threads.p);
        free(to.events.p);
        return false;
    }
    memcpy(to.threads.p, from->threads.p, from->threads.n * sizeof *to.threads.p);
    memcpy(to.events.p, from->events.p, from->events.n * sizeof *to.events.p);
    for (size_t i = 0; i < to.threads.n; i++)
        to.threads.p[i].work = NULL;
    memset(&to.mappings, 0, sizeof to.mappings);
    memset(&to.regions, 0, sizeof to.regions);
    to.region_rows = (hsc_table){0};
    hsc_join_forget_measures(&to);
    to.told = NULL;
    to.problem = p->problem;
    from->seen = (hsc_table){0};
    *p = to;
    return true;
}

hsc_status hsc_join_read_first(void *ctx, size_t i, hsc_err *err) {
    join *j = ctx;
    jprocess *p = &j->processes.p[i], read = {.path = p->path, .input = p->input, .owner = p->owner};
    char problem[496] = "";
    if (!hsc_ranks_has(j, p) || hsc_cache_take_first(j, p))
        return HSC_OK;
    read.grown = hsc_grown_find(j, p);
    hsc_status status = hsc_join_read_file(j, &read, problem, sizeof problem, err);
    p->problem = "";
    if (status == HSC_OK && problem[0]) {
        pthread_mutex_lock(&j->lock);
        p->problem = keep(j, problem);
        pthread_mutex_unlock(&j->lock);
        if (!p->problem)
            status = hsc_join_no_memory(err);
    }
    if (status == HSC_OK && !read.is_foreign) {
        hsc_join_sum_measures(&read);
        hsc_join_sum_weights(&read);
        read.is_launcher = hsc_join_is_launcher(&read);
        for (size_t k = 0; k < read.threads.n; k++) {
            const jthread *t = &read.threads.p[k];
            read.has_unknown = read.has_unknown || t->no_path;
            for (size_t s = 0; s < t->work->other_counts.capacity; s++)
                read.has_unknown = read.has_unknown || (t->work->other_counts.slots[s].used &&
                                                        (uint32_t)t->work->other_counts.slots[s].a == HSC_NO_INDEX);
        }
        unsigned marks = read.is_launcher ? JMARK_LAUNCHER : JMARK_PROGRAM;
        status = hsc_join_find_frames(j, &read, read.counts ? marks : marks << JMARK_UNSAMPLED_SHIFT, err);
    }
    if (status == HSC_OK)
        hsc_cache_put_first(j, p, &read, problem);
    jkept *kept = p->kept;
    if (status == HSC_OK && !keep_process(j, p, &read))
        status = hsc_join_no_memory(err);
    p->kept = kept;
    hsc_join_free_process(&read);
    return status;
}
