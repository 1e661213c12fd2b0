/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cache's file: a head with its place and seal, what second readings left of each process, and at the end the tables and what
 * first readings took; cache_write.c writes it. */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_internal.h"
#include "ranks.h"

static hsc_seal seal_of(const join *j, unsigned what, const uint64_t *nonce, const void *bytes, size_t n) {
    hsc_sealer s;
    hsc_made_begin_seal(j, &s, what, nonce);
    hsc_seal_add(&s, bytes, n);
    return hsc_seal_end(&s);
}

void hsc_cache_note(const join *j, const char *what) {
    if (!j->summary->cache_note[0])
        snprintf(j->summary->cache_note, sizeof j->summary->cache_note, "%.400s: %s", j->cache->path, what);
}

/* ---- what an earlier join left ---- */

static void put_module(const jmodule *m, parcel *a) {
    parcel_u64(a, m->build_id_size);
    parcel_put(a, m->build_id, m->build_id_size);
    parcel_text(a, m->path);
    parcel_u64(a, m->file_size);
    parcel_u64(a, m->file_mtime_ns);
}

static bool take_module(join *j, jold *o, parcel *a) {
    jmodule m = {.build_id_size = parcel_take_u64(a)};
    a->failed = a->failed || m.build_id_size > a->n - a->at;
    uint8_t *id = a->failed ? NULL : hsc_pool_take(&j->pool, m.build_id_size + 1);
    if (!id)
        return false;
    parcel_take(a, id, m.build_id_size);
    m.build_id = id;
    m.path = parcel_take_text(a, &j->pool);
    m.file_size = parcel_take_u64(a);
    m.file_mtime_ns = parcel_take_u64(a);
    return !a->failed && HSC_PUSH(o->modules, m);
}

static bool take_kept(jold *o, parcel *a) {
    jkept k = {.row = (uint32_t)o->kept.n};
    parcel first = {0};
    k.size = parcel_take_u64(a);
    parcel_take(a, &k.file, sizeof k.file);
    k.marks = parcel_take_u64(a);
    k.weight = (uint32_t)parcel_take_u64(a);
    k.body_size = parcel_take_u64(a);
    k.body_offset = parcel_take_u64(a);
    k.head_size = parcel_take_u64(a);
    parcel_take(a, &k.body_seal, sizeof k.body_seal);
    PARCEL_TAKE_VEC(a, k.runs);
    PARCEL_TAKE_VEC(a, k.mains);
    uint64_t n = parcel_take_u64(a);
    bool ok = !a->failed && n <= a->n - a->at && HSC_PUSH(o->kept, k);
    if (!ok) {
        free(k.runs.p);
        free(k.mains.p);
        return false;
    }
    parcel_put(&first, a->p + a->at, n);
    a->at += n;
    uint32_t *at = hsc_table_at(&o->rows, k.file.s[0], k.file.s[1]);
    if (at)
        *at = k.row;
    ok = at && !first.failed && HSC_PUSH(o->first, first);
    if (!ok)
        parcel_fini(&first);
    return ok;
}

static bool take_end(join *j, jold *o, parcel *a) {
    o->origin_ns = parcel_take_u64(a);
    o->tick_ns = parcel_take_u64(a);
    o->no_times = parcel_take_u64(a);
    bool ok = true;
    for (uint64_t n = parcel_take_u64(a); ok && n; n--)
        ok = take_module(j, o, a);
    PARCEL_TAKE_VEC(a, o->addresses);
    PARCEL_TAKE_VEC(a, o->frames);
    for (uint64_t n = parcel_take_u64(a); ok && n; n--)
        ok = take_kept(o, a);
    return ok && !a->failed;
}

/* Rows are of what is there. A seal says that it is ours, not that it is right. */
static bool is_sound(const jold *o, uint64_t size) {
    bool sound = true;
    for (size_t i = 0; sound && i < o->addresses.n; i++)
        sound = o->addresses.p[i].module == HSC_NO_INDEX || o->addresses.p[i].module < o->modules.n;
    for (size_t i = 0; sound && i < o->frames.n; i++)
        sound = o->frames.p[i].place < o->addresses.n && (o->frames.p[i].parent == HSC_NO_INDEX || o->frames.p[i].parent < i);
    for (size_t i = 0; sound && i < o->kept.n; i++) {
        const jkept *k = &o->kept.p[i];
        uint32_t last = 0;
        sound = k->body_size <= size && k->body_offset <= size - k->body_size && k->head_size <= k->body_size;
        for (size_t r = 0; sound && r < k->runs.n; r++) {
            sound = k->runs.p[r].begin >= last && k->runs.p[r].end > k->runs.p[r].begin && k->runs.p[r].end <= o->frames.n;
            last = k->runs.p[r].end;
        }
        for (size_t r = 0; sound && r < k->mains.n; r++)
            sound = k->mains.p[r] < o->modules.n;
    }
    return sound;
}

static void free_vectors(jkept *k) {
    free(k->runs.p);
    free(k->mains.p);
    hsc_spill_list_fini(&k->first);
    hsc_spill_list_fini(&k->body);
}

static void free_old(jold *o) {
    if (o->fd >= 0)
        close(o->fd);
    for (size_t i = 0; i < o->kept.n; i++) {
        o->kept.p[i].body = (hsc_spill_list){0};
        free_vectors(&o->kept.p[i]);
    }
    for (size_t i = 0; i < o->first.n; i++)
        parcel_fini(&o->first.p[i]);
    void *arrays[] = {o->modules.p, o->addresses.p, o->frames.p, o->kept.p, o->first.p, o->frame_rows, o->module_rows};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    hsc_table_fini(&o->rows);
    *o = (jold){.fd = -1};
}

/* What it says of itself is believed where its seal is ours. */
static void read_old(join *j) {
    jcache *c = j->cache;
    jold *o = &c->old;
    jbegin b;
    struct stat st;
    parcel a = {0};
    o->fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (o->fd < 0 && errno == ENOENT)
        return;
    const char *problem = NULL;
    if (o->fd < 0 || fstat(o->fd, &st) || !S_ISREG(st.st_mode))
        problem = "cannot be read: not used";
    else if (!hsc_place_take(o->fd, &b, sizeof b, 0) || memcmp(b.magic, JCACHE_MAGIC, sizeof b.magic))
        problem = "not a cache of heatscope: not used";
    else if (!hsc_seal_equal(b.program, c->program))
        problem = "written by another heatscope or another user: not used";
    else if (b.end_size > (uint64_t)st.st_size || b.end_offset > (uint64_t)st.st_size - b.end_size) /* what is behind was to become another one */
        problem = "damaged: not used";
    else if (!(a.p = malloc(b.end_size + sizeof b)))
        problem = "too large for the memory: not used";
    if (!problem) {
        hsc_seal seal = b.end;
        o->begin = b;
        b.end = (hsc_seal){{0, 0}};
        memcpy(a.p + b.end_size, &b, sizeof b);
        a.n = b.end_size;
        a.cap = a.n + sizeof b;
        memcpy(o->nonce, b.nonce, sizeof o->nonce);
        if (!hsc_place_take(o->fd, a.p, b.end_size, b.end_offset) || !hsc_seal_equal(seal, seal_of(j, HSC_SEAL_END, b.nonce, a.p, a.cap)))
            problem = "damaged: not used";
        else if (!take_end(j, o, &a))
            problem = a.failed ? "damaged: not used" : "too large for the memory: not used";
        else if (!is_sound(o, (uint64_t)st.st_size))
            problem = "damaged: not used";
    }
    parcel_fini(&a);
    if (!problem)
        return;
    hsc_cache_note(j, problem);
    free_old(o);
}

/* Where nothing is gone that an earlier join left, its rows become the first of this join. Who has them is told later: they have no marks. */
static bool carry(join *j) {
    jcache *c = j->cache;
    jold *o = &c->old;
    size_t there = 0;
    hsc_table seen = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < j->processes.n; i++) {
        const hsc_seal *s = &j->sealed[i].seal;
        bool known = j->sealed[i].is_good && hsc_table_get(&o->rows, s->s[0], s->s[1]) != HSC_NO_INDEX;
        uint32_t *at = known ? hsc_table_at(&seen, s->s[0], s->s[1]) : NULL;
        ok = at || !known;
        there += at && *at == HSC_NO_INDEX;
        if (at)
            *at = 1;
    }
    hsc_table_fini(&seen);
    if (!ok || there < o->kept.n)
        return ok;
    for (size_t i = 0; ok && i < o->modules.n; i++)
        ok = hsc_join_enter_module(j, &o->modules.p[i]) == i;
    for (size_t i = 0; ok && i < o->addresses.n; i++)
        ok = hsc_join_enter_address(j, o->addresses.p[i].module, o->addresses.p[i].exact, o->addresses.p[i].address) == i;
    for (size_t i = 0; ok && i < o->frames.n; i++)
        ok = hsc_join_enter_frame(j, o->frames.p[i].parent, o->frames.p[i].truncated, o->frames.p[i].place) == i;
    if (!ok) { /* rows that are not distinct, or no memory, which will show again */
        j->met.n = j->addresses.n = j->frames.n = 0;
        hsc_table_fini(&j->met_rows);
        hsc_table_fini(&j->address_rows);
        hsc_table_fini(&j->frame_rows);
        hsc_cache_note(j, "damaged: not used");
        free_old(o);
        return true;
    }
    memcpy(c->nonce, o->nonce, sizeof c->nonce);
    return c->carries = true;
}

/* ---- begin ---- */

/* The file that runs: another one may lay out its memory in another way. */
static bool seal_program(const join *j, hsc_seal *program) {
    struct stat st;
    if (stat("/proc/self/exe", &st))
        return false;
    const uint64_t facts[] = {(uint64_t)st.st_dev,          (uint64_t)st.st_ino,          (uint64_t)st.st_size,
                              (uint64_t)st.st_mtim.tv_sec,  (uint64_t)st.st_mtim.tv_nsec, sizeof(jprocess),
                              sizeof(jthread)};
    *program = seal_of(j, HSC_SEAL_PROGRAM, NULL, facts, sizeof facts);
    return true;
}

/* The cache's place and the key. Where there is none j->cache stays NULL. */
static hsc_status begin(join *j, hsc_err *err) {
    const hsc_join_options *o = j->options;
    if (!o->cache_key)
        return HSC_OK;
    jcache *c = calloc(1, sizeof *c);
    if (!c || !(c->path = hsc_place_of(o->output, "cache"))) {
        free(c);
        return hsc_join_no_memory(err);
    }
    c->old.fd = -1;
    j->cache = c;
    j->key = &c->key;
    j->program = &c->program;
    if (!hsc_seal_read_key(o->cache_key, &c->key) || getrandom(c->nonce, sizeof c->nonce, 0) != sizeof c->nonce ||
        !seal_program(j, &c->program)) {
        if (o->cache == HSC_CACHE_ON || !access(c->path, F_OK))
            hsc_cache_note(j, "no cache without a key that only its user can read (~/.cache/heatscope/key)");
        hsc_cache_free(j);
    }
    return HSC_OK;
}

/* All ranks seal with the first one's key. */
static hsc_status share_key(join *j, hsc_err *err) {
    uint64_t words[3] = {j->cache != NULL, j->cache ? j->cache->key.k[0] : 0, j->cache ? j->cache->key.k[1] : 0};
    hsc_status status = hsc_ranks_add_up(j, words, sizeof words / sizeof *words, err);
    if (status != HSC_OK || !words[0] || j->cache)
        return status;
    j->cache = calloc(1, sizeof *j->cache);
    if (!j->cache)
        return hsc_join_no_memory(err);
    j->cache->old.fd = -1;
    j->cache->key = (hsc_seal_key){{words[1], words[2]}};
    j->key = &j->cache->key;
    return HSC_OK;
}

hsc_status hsc_cache_open(join *j, hsc_err *err) {
    const hsc_join_options *o = j->options;
    if (o->cache == HSC_CACHE_OFF)
        return HSC_OK;
    if (j->team && o->cache == HSC_CACHE_ON)
        snprintf(j->summary->cache_note, sizeof j->summary->cache_note, "no cache is kept by several ranks");
    hsc_status status = hsc_ranks_is_first(j) ? begin(j, err) : HSC_OK;
    if (status == HSC_OK)
        status = share_key(j, err);
    if (status == HSC_OK && j->cache)
        status = hsc_made_open(j, err);
    jcache *c = j->cache;
    if (status != HSC_OK || !c || j->is_made || j->team)
        return status;
    c->keeps = o->cache == HSC_CACHE_ON || !access(c->path, F_OK);
    for (size_t i = 0; c->keeps && i < j->processes.n; i++)
        c->input_bytes += j->sealed[i].size;
    c->writes = c->keeps;
    if (c->keeps)
        read_old(j);
    return c->old.fd < 0 || carry(j) ? HSC_OK : hsc_join_no_memory(err);
}

bool hsc_cache_keeps(const join *j) { return j->cache && j->cache->keeps; }

/* ---- first reading ---- */

bool hsc_cache_take_first(join *j, jprocess *p) {
    jcache *c = j->cache;
    const jsealed *sealed = c && c->keeps ? &j->sealed[p - j->processes.p] : NULL; /* they are as they were listed */
    jkept *k = sealed && sealed->is_good ? calloc(1, sizeof *k) : NULL;
    if (!k)
        return false;
    k->size = sealed->size;
    k->file = sealed->seal;
    k->changed = sealed->changed;
    k->row = hsc_table_get(&c->old.rows, k->file.s[0], k->file.s[1]);
    if (k->row == HSC_NO_INDEX) {
        p->kept = k;
        return false;
    }
    parcel a = c->old.first.p[k->row]; /* its bytes stay there */
    pthread_mutex_lock(&j->lock);
    hsc_ranks_take_header(j, p, &a);
    pthread_mutex_unlock(&j->lock);
    if (a.failed) {
        const jprocess empty = {.path = p->path, .input = p->input, .owner = p->owner};
        hsc_join_free_process(p);
        *p = empty;
        free(k);
        return false;
    }
    p->kept = k;
    return true;
}

static int by_row(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool put_runs(jkept *k, uint32_t *rows, size_t n) {
    bool ok = true, rises = true;
    for (size_t i = 1; i < n; i++)
        rises = rises && rows[i - 1] <= rows[i];
    if (!rises)
        qsort(rows, n, sizeof *rows, by_row);
    for (size_t i = 0; ok && i < n; i++) {
        jrun *last = k->runs.n ? &k->runs.p[k->runs.n - 1] : NULL;
        if (last && rows[i] < last->end)
            continue;
        if (last && rows[i] == last->end)
            last->end++;
        else
            ok = HSC_PUSH(k->runs, (jrun){rows[i], rows[i] + 1});
    }
    return ok;
}

/* Frames and programs of a process that has nodes. */
static bool note_frames(join *j, jkept *k, const jprocess *read) {
    size_t n = 0, at = 0;
    for (size_t t = 0; t < read->threads.n; t++)
        n += read->threads.p[t].work->nodes.n;
    uint32_t *rows = malloc((n + 1) * sizeof *rows), *main = calloc(read->mappings.n + 1, sizeof *main);
    bool ok = rows && main;
    for (size_t i = 0; ok && i < read->mappings.n; i++)
        main[i] = !strcmp(read->executable, read->mappings.p[i].path);
    pthread_rwlock_rdlock(&j->tables);
    for (size_t t = 0; ok && t < read->threads.n; t++)
        for (size_t i = 0; ok && i < read->threads.p[t].work->nodes.n; i++) {
            const jnode *node = &read->threads.p[t].work->nodes.p[i];
            rows[at++] = node->frame;
            if (node->mapping == HSC_NO_INDEX || !main[node->mapping])
                continue;
            main[node->mapping] = 0; /* once is enough */
            ok = HSC_PUSH(k->mains, j->addresses.p[j->frames.p[node->frame].place].module);
        }
    pthread_rwlock_unlock(&j->tables);
    ok = ok && put_runs(k, rows, at);
    free(rows);
    free(main);
    return ok;
}

static bool has_changed(const jprocess *p) {
    struct stat st;
    const jkept *k = p->kept;
    return stat(p->path, &st) || (uint64_t)st.st_size != k->size || st.st_mtim.tv_sec != k->changed.tv_sec ||
           st.st_mtim.tv_nsec != k->changed.tv_nsec;
}

/* Only of processes that have ended and whose files are whole. */
void hsc_cache_put_first(join *j, jprocess *p, const jprocess *read, const char *problem) {
    jkept *k = p->kept;
    parcel a = {0};
    if (!k)
        return;
    bool counts = !read->is_launcher || j->options->keep_launchers;
    bool wanted = counts && read->has_end && read->counts && !read->is_foreign && !problem[0];
    if (wanted) {
        jprocess of = *read;
        of.problem = "";
        k->marks = read->is_launcher ? JMARK_LAUNCHER : JMARK_PROGRAM;
        hsc_ranks_put_header(&of, &a);
        wanted = !a.failed && note_frames(j, k, read) && hsc_spill_put_all(j->spill, &k->first, a.p, a.n, 1);
    }
    parcel_fini(&a);
    if (!wanted)
        hsc_cache_free_kept(p);
}

/* Rows of the join for what the processes that were taken have. */
static bool enter_frames(join *j) {
    jold *o = &j->cache->old;
    size_t n = o->frames.n;
    uint32_t *marks[2] = {calloc(n + 1, sizeof **marks), calloc(n + 1, sizeof **marks)}, open[2] = {0, 0};
    uint32_t *addresses = malloc((o->addresses.n + 1) * sizeof *addresses);
    o->frame_rows = malloc((n + 1) * sizeof *o->frame_rows);
    o->module_rows = malloc((o->modules.n + 1) * sizeof *o->module_rows);
    bool ok = marks[0] && marks[1] && addresses && o->frame_rows && o->module_rows;
    for (size_t i = 0; ok && i < o->addresses.n; i++)
        addresses[i] = HSC_NO_INDEX;
    for (size_t i = 0; ok && i < o->modules.n; i++)
        o->module_rows[i] = HSC_NO_INDEX;
    for (size_t i = 0; ok && i < j->processes.n; i++) {
        const jkept *k = j->processes.p[i].kept;
        const jkept *from = k && k->row != HSC_NO_INDEX ? &o->kept.p[k->row] : NULL;
        for (size_t r = 0; from && r < from->runs.n; r++) { /* how many more have it from there on */
            marks[from->marks == JMARK_LAUNCHER][from->runs.p[r].begin]++;
            marks[from->marks == JMARK_LAUNCHER][from->runs.p[r].end]--;
        }
    }
    for (size_t i = 0; ok && i < n; i++) {
        const jframe *f = &o->frames.p[i];
        const jaddress *of = &o->addresses.p[f->place];
        open[0] += marks[0][i];
        open[1] += marks[1][i];
        uint8_t m = (uint8_t)((open[0] ? JMARK_PROGRAM : 0) | (open[1] ? JMARK_LAUNCHER : 0));
        o->frame_rows[i] = HSC_NO_INDEX;
        if (!m)
            continue;
        uint32_t module = HSC_NO_INDEX, *address = &addresses[f->place];
        if (of->module != HSC_NO_INDEX) {
            uint32_t *row = &o->module_rows[of->module];
            if (*row == HSC_NO_INDEX)
                *row = hsc_join_enter_module(j, &o->modules.p[of->module]);
            module = *row;
            ok = module != HSC_NO_INDEX;
            if (ok)
                j->met.p[module].marks |= m;
        }
        if (ok && *address == HSC_NO_INDEX)
            *address = hsc_join_enter_address(j, module, of->exact, of->address);
        ok = ok && *address != HSC_NO_INDEX;
        if (ok) {
            j->addresses.p[*address].marks |= m;
            uint32_t parent = f->parent == HSC_NO_INDEX ? HSC_NO_INDEX : o->frame_rows[f->parent];
            o->frame_rows[i] = hsc_join_enter_frame(j, parent, f->truncated, *address);
            ok = o->frame_rows[i] != HSC_NO_INDEX;
        }
        if (ok)
            j->frames.p[o->frame_rows[i]].marks |= m;
    }
    for (size_t i = 0; ok && i < j->processes.n; i++) {
        const jkept *k = j->processes.p[i].kept;
        const jkept *from = k && k->row != HSC_NO_INDEX ? &o->kept.p[k->row] : NULL;
        for (size_t r = 0; from && r < from->mains.n; r++)
            j->met.p[o->module_rows[from->mains.p[r]]].main_marks |= (uint8_t)from->marks;
    }
    free(marks[0]);
    free(marks[1]);
    free(addresses);
    return ok;
}

/* The same rows as they are in the new cache. */
static bool map_runs(jkept *k, const jold *o, bool same_rows) {
    const jkept *from = &o->kept.p[k->row];
    size_t n = 0, at = 0;
    k->marks = from->marks;
    for (size_t r = 0; same_rows && r < from->runs.n; r++)
        if (!HSC_PUSH(k->runs, from->runs.p[r]))
            return false;
    for (size_t r = 0; !same_rows && r < from->runs.n; r++)
        n += from->runs.p[r].end - from->runs.p[r].begin;
    uint32_t *rows = malloc((n + 1) * sizeof *rows);
    bool ok = rows != NULL;
    for (size_t r = 0; ok && !same_rows && r < from->runs.n; r++)
        for (uint32_t i = from->runs.p[r].begin; i < from->runs.p[r].end; i++)
            rows[at++] = o->frame_rows[i];
    ok = ok && put_runs(k, rows, at);
    for (size_t r = 0; ok && r < from->mains.n; r++)
        ok = HSC_PUSH(k->mains, o->module_rows[from->mains.p[r]]);
    free(rows);
    return ok;
}

hsc_status hsc_cache_end_first(join *j, hsc_err *err) {
    jcache *c = j->cache;
    if (!c || !c->keeps)
        return HSC_OK;
    if (c->old.fd >= 0 && !enter_frames(j))
        return hsc_join_no_memory(err);
    parcel_u64(&c->tables, j->met.n);
    for (size_t i = 0; i < j->met.n; i++)
        put_module(&j->met.p[i], &c->tables);
    PARCEL_VEC(&c->tables, j->addresses);
    PARCEL_VEC(&c->tables, j->frames);
    return HSC_OK;
}

/* What the second reading left is what it would leave now. */
static bool fits(const join *j, const jprocess *p) {
    const jold *o = &j->cache->old;
    bool same_times = j->options->no_times || (!o->no_times && o->origin_ns == j->origin_ns && o->tick_ns == j->tick_ns);
    return p->kept->row != HSC_NO_INDEX && same_times && o->kept.p[p->kept->row].weight == p->weight;
}

void hsc_cache_choose(join *j) {
    jcache *c = j->cache;
    if (!c || !c->keeps)
        return;
    c->writes = false; /* where nothing is new and nothing gone it stays */
    for (size_t i = 0; i < j->run.n; i++) {
        jkept *k = j->run.p[i]->kept;
        if (!k)
            continue;
        k->fits = fits(j, j->run.p[i]);
        c->writes = c->writes || !k->fits;
        if (k->row != HSC_NO_INDEX)
            c->old.kept.p[k->row].is_good = true;
    }
    for (size_t i = 0; i < c->old.kept.n; i++)
        c->writes = c->writes || !c->old.kept.p[i].is_good;
    for (size_t i = 0; c->writes && i < j->run.n; i++) {
        jkept *k = j->run.p[i]->kept;
        if (!k || k->row == HSC_NO_INDEX)
            continue;
        c->failed = c->failed || !map_runs(k, &c->old, c->carries);
    }
}

/* ---- second reading ---- */

hsc_seal hsc_cache_seal_instants(const join *j, const void *bytes, size_t n) { return seal_of(j, HSC_SEAL_TIMES, j->cache->nonce, bytes, n); }

hsc_status hsc_cache_need_instants(join *j, jthread *t, hsc_err *err) {
    const jlate *l = t->late;
    if (!l)
        return HSC_OK;
    const jold *o = &j->cache->old;
    parcel a = {.p = malloc(l->size + 1), .n = l->size};
    if (!a.p)
        return hsc_join_no_memory(err);
    bool good = hsc_place_take(o->fd, a.p, a.n, l->offset) && hsc_seal_equal(l->seal, seal_of(j, HSC_SEAL_TIMES, o->nonce, a.p, a.n)) &&
                hsc_cache_take_instants(j, t, &a);
    parcel_fini(&a);
    if (!good) {
        __atomic_store_n(&j->bad_cache, true, __ATOMIC_RELAXED);
        return hsc_err_set(err, HSC_E_IO, "%s: damaged", j->cache->path);
    }
    free(t->late);
    t->late = NULL;
    return HSC_OK;
}

/* Instants are behind the head. Where the join before failed for them all are taken now: what is damaged is read again. */
static void place_instants(join *j, const jkept *from, jprocess *read, parcel *a) {
    uint64_t room = from->body_size - from->head_size;
    hsc_err unused = {0};
    for (size_t k = 0; k < read->threads.n && !a->failed; k++) {
        jthread *t = &read->threads.p[k];
        if (!t->late)
            continue;
        a->failed = t->late->offset > room || t->late->size > room - t->late->offset;
        t->late->offset += from->body_offset + from->head_size;
        if (!a->failed && j->keeps_nothing)
            a->failed = hsc_cache_need_instants(j, t, &unused) != HSC_OK;
    }
}

bool hsc_cache_take_second(join *j, jprocess *p, jprocess *read) {
    jcache *c = j->cache;
    jkept *k = p->kept;
    if (!k || !k->fits)
        return false;
    const jold *o = &c->old;
    const jkept *from = &o->kept.p[k->row];
    parcel a = {.p = malloc(from->head_size + 1), .n = from->head_size};
    if (!a.p)
        return false;
    const jprocess empty = *read;
    bool whole = hsc_place_take(o->fd, a.p, a.n, from->body_offset) &&
                 hsc_seal_equal(from->body_seal, seal_of(j, HSC_SEAL_BODY, o->nonce, a.p, a.n));
    if (whole) {
        read->join = j;
        hsc_cache_take_body(j, p, read, o->frame_rows, o->frames.n, &a);
        place_instants(j, from, read, &a);
    }
    if (!whole || a.failed) {
        hsc_join_free_process(read);
        *read = empty;
        pthread_mutex_lock(&j->lock);
        hsc_cache_note(j, "damaged in part: some files were read again");
        pthread_mutex_unlock(&j->lock);
        if (!c->writes)
            unlink(c->path); /* the next join makes another one */
    } else {
        k->is_carried = c->carries;
        __atomic_add_fetch(&j->summary->processes_reused, 1, __ATOMIC_RELAXED);
    }
    parcel_fini(&a);
    return whole && !a.failed;
}

void hsc_cache_put_second(join *j, jprocess *p, jprocess *read) {
    jcache *c = j->cache;
    jkept *k = p->kept;
    parcel a = {0}, instants = {0};
    hsc_err unused = {0};
    if (!k || !c->writes || c->failed)
        return;
    if (k->is_carried) {
        k->weight = p->weight;
        k->is_good = true;
        k->body_seal = c->old.kept.p[k->row].body_seal;
        k->head_size = c->old.kept.p[k->row].head_size;
        return;
    }
    for (size_t i = 0; i < read->threads.n; i++) /* what is damaged stays late, and is not put */
        if (hsc_cache_need_instants(j, &read->threads.p[i], &unused) == HSC_OK && !hsc_instants_flush(j->spill, &read->threads.p[i].instants))
            a.failed = true;
    hsc_cache_put_body(j, read, &a, &instants);
    k->weight = p->weight;
    k->is_good = !a.failed && (k->row != HSC_NO_INDEX || !has_changed(p)) && !instants.failed && hsc_spill_put_all(j->spill, &k->body, a.p, a.n, 1) &&
                 hsc_spill_put_all(j->spill, &k->body, instants.p, instants.n, 1);
    k->head_size = a.n;
    if (k->is_good)
        k->body_seal = seal_of(j, HSC_SEAL_BODY, c->nonce, a.p, a.n);
    parcel_fini(&a);
    parcel_fini(&instants);
}

/* ---- end ---- */

void hsc_cache_free_kept(jprocess *p) {
    if (p->kept)
        free_vectors(p->kept);
    free(p->kept);
    p->kept = NULL;
}

void hsc_cache_free(join *j) {
    if (!j->cache)
        return;
    hsc_kept_code_free(j);
    free_old(&j->cache->old);
    parcel_fini(&j->cache->tables);
    hsc_made_free(j);
    for (size_t i = 0; j->sealed && i < j->processes.n; i++)
        free(j->sealed[i].blocks);
    free(j->sealed);
    j->sealed = NULL;
    j->key = NULL;
    j->program = NULL;
    free(j->cache->path);
    free(j->cache);
    j->cache = NULL;
}
