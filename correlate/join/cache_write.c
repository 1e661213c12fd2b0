/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cache's file as it is written: anew, or behind the end of the one that is there. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_internal.h"

#define BLOCK_BYTES ((size_t)1 << 18)

typedef struct writing {
    join *j;
    int fd;
    uint64_t offset;
    uint64_t before; /* bytes of the cache that this one goes on with; 0: it is a new file */
    uint64_t dead;   /* of these, what nothing in this one is */
    bool failed;
} writing;

static void put_bytes(writing *w, const void *bytes, size_t n) {
    w->failed = w->failed || !hsc_place_put(w->fd, bytes, n, w->offset);
    w->offset += n;
}

/* The list's bytes into *a. */
static bool load_list(join *j, const hsc_spill_list *l, parcel *a) {
    hsc_spill_cursor at = {.list = l};
    uint64_t got = 0;
    hsc_err unused;
    a->n = a->at = 0;
    if (!hsc_vec_reserve((void **)&a->p, &a->cap, l->count + 1, 1))
        return false;
    bool ok = hsc_spill_read(j->spill, &at, a->p, l->count, &got, &unused) == HSC_OK && got == l->count;
    a->n = got;
    return ok;
}

/* What the cache that is there has of it. */
static bool load_old(const jold *o, const jkept *from, parcel *a) {
    a->n = a->at = 0;
    bool ok = hsc_vec_reserve((void **)&a->p, &a->cap, from->body_size + 1, 1) && hsc_place_take(o->fd, a->p, from->body_size, from->body_offset);
    a->n = ok ? from->body_size : 0;
    return ok;
}

/* The end goes out piece by piece, as it is sealed. */
typedef struct ending {
    writing *w;
    hsc_sealer sealer;
    parcel a; /* what is not written yet */
} ending;

static void put_end(ending *e, const void *bytes, size_t n) {
    hsc_seal_add(&e->sealer, bytes, n);
    put_bytes(e->w, bytes, n);
}

static void flush_end(ending *e) {
    put_end(e, e->a.p, e->a.n);
    e->a.n = 0;
}

/* What its first reading took: of one that was in the cache before it is still there. */
static bool get_first(const writing *w, const jkept *k, parcel *room, const parcel **first) {
    *first = k->row == HSC_NO_INDEX ? room : &w->j->cache->old.first.p[k->row];
    return k->row != HSC_NO_INDEX || load_list(w->j, &k->first, room);
}

static void put_kept(ending *e, const jkept *k, parcel *room) {
    parcel *end = &e->a;
    const parcel *first;
    if (!get_first(e->w, k, room, &first)) {
        e->w->failed = true;
        return;
    }
    parcel_u64(end, k->size);
    parcel_put(end, &k->file, sizeof k->file);
    parcel_u64(end, k->marks);
    parcel_u64(end, k->weight);
    parcel_u64(end, k->body_size);
    parcel_u64(end, k->body_offset);
    parcel_u64(end, k->head_size);
    parcel_put(end, &k->body_seal, sizeof k->body_seal);
    PARCEL_VEC(end, k->runs);
    PARCEL_VEC(end, k->mains);
    parcel_u64(end, first->n);
    parcel_put(end, first->p, first->n);
    if (end->n >= BLOCK_BYTES)
        flush_end(e);
}

/* All of it: the bodies as long as it stays smaller than the files that it stands for. */
static void put_file(writing *w) {
    join *j = w->j;
    jcache *c = j->cache;
    jbegin b = {.nonce = {c->nonce[0], c->nonce[1]}, .program = c->program};
    ending e = {.w = w};
    parcel body = {0}, room = {0};
    uint64_t used = c->tables.n + w->dead, most = c->input_bytes > used ? c->input_bytes - used : 0, n = 0;
    memcpy(b.magic, JCACHE_MAGIC, sizeof JCACHE_MAGIC);
    w->offset = w->before ? w->before : sizeof b;
    for (size_t i = 0; i < j->run.n && !w->failed; i++) {
        jkept *k = j->run.p[i]->kept;
        const jkept *from = k && k->is_carried ? &c->old.kept.p[k->row] : NULL;
        uint64_t first = !k ? 0 : k->row == HSC_NO_INDEX ? k->first.count : c->old.first.p[k->row].n;
        uint64_t bytes = k ? (from ? from->body_size : k->body.count) + first + k->runs.n * sizeof *k->runs.p + 256 : 0;
        if (!k || !k->is_good || bytes > most) {
            hsc_cache_free_kept(j->run.p[i]);
            continue;
        }
        most -= bytes;
        n++;
        k->body_size = from ? from->body_size : k->body.count;
        if (from && w->before) {
            k->body_offset = from->body_offset;
            continue;
        }
        k->body_offset = w->offset;
        w->failed = !(from ? load_old(&c->old, from, &body) : load_list(j, &k->body, &body)) || (j->options->cancel && *j->options->cancel);
        put_bytes(w, body.p, body.n);
    }
    b.end_offset = w->offset;
    hsc_made_begin_seal(j, &e.sealer, HSC_SEAL_END, b.nonce);
    parcel_u64(&e.a, j->origin_ns);
    parcel_u64(&e.a, j->tick_ns);
    parcel_u64(&e.a, j->options->no_times);
    flush_end(&e);
    put_end(&e, c->tables.p, c->tables.n);
    parcel_u64(&e.a, n);
    for (size_t i = 0; i < j->run.n && !w->failed; i++)
        if (j->run.p[i]->kept)
            put_kept(&e, j->run.p[i]->kept, &room);
    flush_end(&e);
    b.end_size = w->offset - b.end_offset;
    hsc_seal_add(&e.sealer, &b, sizeof b);
    b.end = hsc_seal_end(&e.sealer);
    w->offset = 0;
    put_bytes(w, &b, sizeof b);
    w->failed = w->failed || e.a.failed || body.failed || room.failed;
    parcel_fini(&e.a);
    parcel_fini(&body);
    parcel_fini(&room);
}

/* Where all that the cache that is there has is carried into the new one, this goes on at its end, and its head is put over the old one last: the
 * old one is whole until then. Not where other names have the file, somebody else writes it, or most of it would be of no use. */
static bool begin_after(writing *w) {
    const jcache *c = w->j->cache;
    char path[64];
    struct stat st;
    jbegin now;
    uint64_t carried = 0;
    for (size_t i = 0; i < w->j->run.n; i++) {
        const jkept *k = w->j->run.p[i]->kept;
        carried += k && k->is_carried ? c->old.kept.p[k->row].body_size : 0;
    }
    if (c->old.fd < 0 || !carried)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", c->old.fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool good = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st) && st.st_nlink == 1 && hsc_place_take(fd, &now, sizeof now, 0) &&
                !memcmp(&now, &c->old.begin, sizeof now);
    if (good) {
        w->before = (uint64_t)st.st_size;
        w->dead = w->before > carried ? w->before - carried : 0;
        good = w->dead <= carried / 2;
    }
    if (good) {
        w->fd = fd;
    } else {
        w->before = w->dead = 0;
        if (fd >= 0)
            close(fd);
    }
    return good;
}

/* false: the old one stays. */
static bool end_after(writing *w) {
    bool cut = w->failed && !ftruncate(w->fd, (off_t)w->before);
    return !close(w->fd) && !w->failed && !cut;
}

void hsc_cache_write(join *j) {
    jcache *c = j->cache;
    if (!c || !c->writes)
        return;
    char *part = NULL;
    writing w = {.j = j, .fd = -1, .failed = c->failed || c->tables.failed};
    if (!w.failed && !begin_after(&w))
        w.failed = (w.fd = hsc_place_begin(c->path, &part)) < 0;
    if (!w.failed)
        put_file(&w);
    if (w.before)
        w.failed = !end_after(&w);
    else
        w.failed = !hsc_place_end(c->path, w.fd, part, !w.failed);
    if (w.failed && !(j->options->cancel && *j->options->cancel))
        hsc_cache_note(j, "cannot be written; the next join reads all files again");
}
