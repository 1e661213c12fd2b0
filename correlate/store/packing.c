/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A queue of chunks: threads pack any of them, the caller writes the oldest. */
#include "packing.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "h5_write.h"
#include "huffman.h"
#include "out_log.h"
#include "store.h"

enum { ALIKE = 4 };
enum { MATCHES_LEAST = 128 };
/* A part in so many at least, or matches are not looked for; of a series also one in MATCHES_LEAST of what is packed. */
static const unsigned matches_save[HSC_EFFORTS] = {[HSC_EFFORT_SERIES] = 8, [HSC_EFFORT_SPARSE] = 1, [HSC_EFFORT_VALUES] = 8};
static const int level_of[HSC_EFFORTS] = {[HSC_EFFORT_USUAL] = 5, [HSC_EFFORT_QUICK] = 3, [HSC_EFFORT_SERIES] = 1, [HSC_EFFORT_SPARSE] = 1, [HSC_EFFORT_VALUES] = 6}; /* of libdeflate */
#define PENDING_BYTES ((size_t)8 << 20) /* of the queue, before it is packed */

struct hsc_packing_set {
    hid_t set;
    hsc_out_log *log; /* the set's; NULL: it is in a file */
    uint64_t number;  /* in the log, of those that chunks are put to */
    size_t element;
    uint64_t chunk_rows, put, extent; /* elements put, and of the data set where it grows */
    bool grows;
    hsc_effort effort;
    uint64_t id;    /* hash of its path */
    unsigned users; /* chunks, and who opened it */
};

typedef struct chunk {
    struct chunk *next;
    hsc_packing_set *set;
    hsize_t start;
    size_t used;    /* bytes that were put; the rest of the chunk is zero */
    uint8_t *plain; /* until it is packed */
    uint8_t *packed;
    size_t packed_bytes;
    bool is_copied; /* from the database that is there: not in memory, at memo.offset of it */
    bool is_alike; /* all its values are one */
    uint8_t value[8];
    enum { WAITS, UNDER_WAY, PACKED, FAILED } state;
    hsc_packed_chunk memo; /* n 0: it is not told */
} chunk;

typedef struct alike { /* a chunk whose values are all one, as it was packed last */
    uint8_t value[8];
    hsc_effort effort;
    size_t element, chunk_bytes, packed_bytes;
    uint8_t *packed; /* NULL: none */
    hsc_packed_chunk memo; /* of that */
} alike;

typedef struct packer { /* what a thread needs for it */
    struct libdeflate_compressor *of[HSC_EFFORTS];
    uint8_t *planes, *out; /* room_planes, room_out */
    size_t room_planes, room_out;
} packer;

struct hsc_packing {
    const char *path;
    hsc_out_log *log;            /* NULL: into a file */
    const hsc_packed_memo *memo; /* NULL: none */
    hsc_h5_written *written; /* what the file's driver wrote last */
    pthread_t *threads;
    unsigned started;
    pthread_mutex_t lock; /* of the list from `waits` on, and of states */
    pthread_cond_t work, done;
    bool stop;
    chunk *first, *last, *waits; /* the queue; the first of it that waits */
    size_t pending;              /* bytes of all chunks in it */
    alike alike[ALIKE];          /* the caller's */
    unsigned next_alike;
    packer own;
};

static bool packer_init(packer *k) {
    bool good = true;
    *k = (packer){0};
    for (unsigned i = 0; i < HSC_EFFORTS; i++)
        good = (k->of[i] = libdeflate_alloc_compressor(level_of[i])) && good;
    return good;
}

static void packer_fini(packer *k) {
    for (unsigned i = 0; i < HSC_EFFORTS; i++)
        libdeflate_free_compressor(k->of[i]);
    free(k->planes);
    free(k->out);
}

static size_t chunk_bytes(const hsc_packing_set *s) {
    return s->element * s->chunk_rows;
}

/* ---- packing ---- */

enum { TILE = 128 };

/* Tiles of words as compilers make vector code of. The planes above the largest value are zero. */
static inline __attribute__((always_inline)) void shuffle4_by(const uint8_t *from, uint8_t *to, size_t n) {
    uint32_t any = 0;
    for (size_t first = 0; first < n; first += TILE) {
        uint32_t v[TILE];
        memcpy(v, from + 4 * first, sizeof v);
        for (unsigned i = 0; i < TILE; i++)
            any |= v[i];
    }
    unsigned planes = 0;
    while (planes < 4 && any >> 8 * planes)
        planes++;
    for (size_t first = 0; first < n && planes; first += TILE) {
        uint32_t v[TILE];
        memcpy(v, from + 4 * first, sizeof v);
        for (unsigned b = 0; b < planes; b++)
            for (unsigned i = 0; i < TILE; i++)
                to[b * n + first + i] = (uint8_t)(v[i] >> 8 * b);
    }
    memset(to + planes * n, 0, (4 - planes) * n);
}

static void shuffle4(const uint8_t *from, uint8_t *to, size_t n) { shuffle4_by(from, to, n); }

#if defined __x86_64__
static __attribute__((target("avx2"))) void shuffle4_avx2(const uint8_t *from, uint8_t *to, size_t n) { shuffle4_by(from, to, n); }
static bool has_avx2(void) { return __builtin_cpu_supports("avx2"); }
#else
static bool has_avx2(void) { return false; }
#define shuffle4_avx2 shuffle4
#endif

static void shuffle8(const uint8_t *from, uint8_t *to, size_t n) {
    for (size_t first = 0; first < n; first += TILE) {
        uint64_t v[TILE];
        memcpy(v, from + 8 * first, sizeof v);
        for (unsigned b = 0; b < 8; b++)
            for (unsigned i = 0; i < TILE; i++)
                to[b * n + first + i] = (uint8_t)(v[i] >> 8 * b);
    }
}

/* Byte planes of `n` elements, as HDF5's shuffle filter lays them out; in tiles, to stay in the cache. */
static void shuffle(const uint8_t *from, uint8_t *to, size_t n, size_t element) {
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && (element == 4 || element == 8) && n % TILE == 0) {
        (element == 8 ? shuffle8 : has_avx2() ? shuffle4_avx2 : shuffle4)(from, to, n);
        return;
    }
    for (size_t first = 0; first < n; first += TILE) {
        size_t rows = n - first < TILE ? n - first : TILE;
        for (size_t b = 0; b < element; b++) {
            const uint8_t *p = from + first * element + b;
            uint8_t *q = to + b * n + first;
            for (size_t i = 0; i < rows; i++)
                q[i] = p[i * element];
        }
    }
}

static bool make_room(uint8_t **p, size_t *room, size_t n) {
    if (n <= *room)
        return true;
    free(*p);
    *p = malloc(n);
    *room = *p ? n : 0;
    return *p != NULL;
}

/* A chunk's bytes follow from what it holds and its set's effort alone: one of the database before that has the same is copied. */
static bool pack_anew(packer *k, chunk *c) {
    size_t bytes = chunk_bytes(c->set), element = c->set->element;
    bool is_part = c->used < HSC_CHUNK_ROWS * element, is_small = is_part && c->set->effort == HSC_EFFORT_VALUES;
    hsc_effort effort = c->set->effort == HSC_EFFORT_VALUES && !is_part ? HSC_EFFORT_SERIES : c->set->effort == HSC_EFFORT_QUICK && is_part ? HSC_EFFORT_VALUES : c->set->effort;
    struct libdeflate_compressor *how = k->of[effort];
    size_t most = how ? libdeflate_zlib_compress_bound(how, bytes) : 0;
    if (!how || !make_room(&k->out, &k->room_out, 2 * most) ||
        (element > 1 && !make_room(&k->planes, &k->room_planes, bytes)))
        return false;
    if (c->used < bytes) {
        uint8_t *whole = realloc(c->plain, bytes);
        if (!whole)
            return false;
        memset(whole + c->used, 0, bytes - c->used);
        c->plain = whole;
    }
    if (element > 1)
        shuffle(c->plain, k->planes, bytes / element, element);
    const uint8_t *planes = element > 1 ? k->planes : c->plain;
    unsigned worth = matches_save[c->set->effort];
    size_t least = c->set->effort == HSC_EFFORT_SERIES ? bytes / MATCHES_LEAST : 0;
    c->packed_bytes = worth ? hsc_huffman_pack(planes, bytes / element, element, worth, least, k->out, most) : 0;
    const uint8_t *out = k->out;
    if (!c->packed_bytes || (is_small && c->packed_bytes / 3 > c->used / 8)) { /* more than 1.5 bytes a value of 4 */
        size_t n = libdeflate_zlib_compress(how, planes, bytes, k->out + most, most);
        if (n && (!c->packed_bytes || n < c->packed_bytes)) {
            out = k->out + most;
            c->packed_bytes = n;
        }
    }
    if (!c->packed_bytes || !(c->packed = malloc(c->packed_bytes)))
        return false;
    memcpy(c->packed, out, c->packed_bytes);
    free(c->plain);
    c->plain = NULL;
    return true;
}

static bool pack(const hsc_packed_memo *memo, packer *k, chunk *c) {
    if (memo)
        c->packed = memo->find(memo->ctx, c->plain, c->used, chunk_bytes(c->set), c->set->element, c->set->effort, &c->memo);
    if (c->packed) {
        c->packed_bytes = (size_t)c->memo.n;
        free(c->plain);
        c->plain = NULL;
        return true;
    }
    if (!pack_anew(k, c))
        return false;
    c->memo.n = memo ? c->packed_bytes : 0;
    if (memo)
        memo->seal(memo->ctx, c->packed, &c->memo);
    return true;
}

/* Packs the first chunk that waits, with the lock held; false: none does. */
static bool pack_next(hsc_packing *p, packer *k) {
    chunk *c = p->waits;
    while (c && c->state != WAITS)
        c = c->next;
    p->waits = c ? c->next : NULL;
    if (!c)
        return false;
    c->state = UNDER_WAY;
    pthread_mutex_unlock(&p->lock);
    bool good = pack(p->memo, k, c);
    pthread_mutex_lock(&p->lock);
    c->state = good ? PACKED : FAILED;
    pthread_cond_signal(&p->done);
    return true;
}

static void *worker(void *arg) {
    hsc_packing *p = arg;
    packer k;
    bool good = packer_init(&k);
    pthread_mutex_lock(&p->lock);
    while (!p->stop && good)
        if (!pack_next(p, &k))
            pthread_cond_wait(&p->work, &p->lock);
    pthread_mutex_unlock(&p->lock);
    packer_fini(&k);
    return NULL;
}

hsc_packing *hsc_packing_new(const char *path, unsigned workers) {
    hsc_packing *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    if (!packer_init(&p->own)) {
        packer_fini(&p->own);
        free(p);
        return NULL;
    }
    p->path = path;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    workers = workers > 256 ? 256 : workers;
    if (workers > 1) { /* the caller works too; fewer threads than asked for only take longer */
        p->threads = calloc(workers, sizeof *p->threads);
        while (p->threads && p->started + 1 < workers && !pthread_create(&p->threads[p->started], NULL, worker, p))
            p->started++;
    }
    return p;
}

void hsc_packing_set_memo(hsc_packing *p, const hsc_packed_memo *memo) { p->memo = memo; }

void hsc_packing_set_written(hsc_packing *p, hsc_h5_written *written) { p->written = written; }

void hsc_packing_set_log(hsc_packing *p, hsc_out_log *log) { p->log = log; }

/* ---- the queue ---- */

static void release(hsc_packing_set *s) {
    if (--s->users)
        return;
    if (!s->log)
        H5Dclose(s->set);
    free(s);
}

static void free_chunk(chunk *c) {
    release(c->set);
    free(c->plain);
    free(c->packed);
    free(c);
}

void hsc_packing_free(hsc_packing *p) {
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->threads[i], NULL);
    for (chunk *c = p->first, *next; c; c = next) {
        next = c->next;
        free_chunk(c);
    }
    for (unsigned i = 0; i < ALIKE; i++)
        free(p->alike[i].packed);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p->threads);
    packer_fini(&p->own);
    free(p);
}

static herr_t innermost(unsigned n, const H5E_error2_t *e, void *data) {
    (void)n;
    snprintf(data, 160, "%s", e->desc ? e->desc : "unknown reason");
    return 1;
}

hsc_status hsc_packing_fail(const char *path, const char *what, const char *name, const hsc_h5_written *written, hsc_err *err) {
    if (written && written->error)
        return hsc_err_set_errno(err, written->error, "%s: cannot %s %s", path, what, name);
    char why[160] = "unknown reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, why);
    return hsc_err_set(err, HSC_E_IO, "%s: cannot %s %s: HDF5: %s", path, what, name, why);
}

static const char *name_of(const hsc_packing_set *s, char *name, size_t size) {
    return !s->log && H5Iget_name(s->set, name, size) > 0 ? name : "a data set";
}

/* FNV-1a */
static uint64_t hash_path(hid_t set) {
    char path[512] = "";
    uint64_t hash = 0xcbf29ce484222325u;
    H5Iget_name(set, path, sizeof path);
    for (const char *c = path; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
    return hash;
}

hsc_packing_set *hsc_packing_open(hsc_packing *p, hid_t set, size_t element, uint64_t chunk_rows, bool grows, hsc_effort effort) {
    hsc_packing_set *s = malloc(sizeof *s);
    if (s)
        *s = (hsc_packing_set){
            .set = set, .log = p->log, .element = element, .chunk_rows = chunk_rows, .grows = grows, .effort = effort, .users = 1};
    else if (!p->log)
        H5Dclose(set);
    if (s && p->log)
        s->number = hsc_out_log_open(p->log, set, element, chunk_rows, grows, effort);
    else if (s)
        s->id = hash_path(set);
    return s;
}

void hsc_packing_close(hsc_packing_set *s) {
    if (s && s->log)
        hsc_out_log_end(s->log, s->number);
    if (s)
        release(s);
}

/* A chunk of equal values, which are many and cost as much to pack as others: as it was packed before, if it was. */
static void find_alike(const hsc_packing *p, chunk *c) {
    const hsc_packing_set *s = c->set;
    c->is_alike = c->used == chunk_bytes(s) && s->element <= sizeof c->value &&
                  !memcmp(c->plain, c->plain + s->element, c->used - s->element);
    for (unsigned i = 0; i < ALIKE && c->is_alike && c->state == WAITS; i++) {
        const alike *a = &p->alike[i];
        if (a->packed && a->effort == s->effort && a->element == s->element && a->chunk_bytes == c->used &&
            !memcmp(a->value, c->plain, s->element) && (c->packed = malloc(a->packed_bytes))) {
            memcpy(c->packed, a->packed, a->packed_bytes);
            c->packed_bytes = a->packed_bytes;
            c->memo = a->memo;
            c->state = PACKED;
        }
    }
    if (c->is_alike)
        memcpy(c->value, c->plain, s->element);
}

static void keep_alike(hsc_packing *p, const chunk *c) { /* where there is no memory for it, it is packed again */
    size_t bytes = chunk_bytes(c->set);
    for (unsigned i = 0; i < ALIKE; i++) {
        const alike *a = &p->alike[i];
        if (a->packed && a->effort == c->set->effort && a->element == c->set->element && a->chunk_bytes == bytes &&
            !memcmp(a->value, c->value, a->element))
            return;
    }
    alike *a = &p->alike[p->next_alike++ % ALIKE];
    free(a->packed);
    *a = (alike){.effort = c->set->effort,
                 .element = c->set->element,
                 .chunk_bytes = bytes,
                 .packed_bytes = c->packed_bytes,
                 .packed = malloc(c->packed_bytes),
                 .memo = c->memo};
    memcpy(a->value, c->value, c->set->element);
    if (a->packed)
        memcpy(a->packed, c->packed, c->packed_bytes);
}

/* Takes the oldest chunk out, packed; meanwhile the caller packs as the others do. */
static chunk *take_oldest(hsc_packing *p) {
    pthread_mutex_lock(&p->lock);
    chunk *c = p->first;
    while (c->state < PACKED)
        if (!pack_next(p, &p->own))
            pthread_cond_wait(&p->done, &p->lock);
    p->first = c->next;
    p->last = p->first ? p->last : NULL;
    p->waits = p->waits == c ? c->next : p->waits;
    p->pending -= chunk_bytes(c->set);
    pthread_mutex_unlock(&p->lock);
    return c;
}

static hsc_status write_oldest(hsc_packing *p, hsc_err *err) {
    char name[96];
    chunk *c = take_oldest(p);
    hsc_packing_set *s = c->set;
    hsize_t put = s->put;
    hsc_status status = HSC_OK;
    const void *packed = c->is_copied ? HSC_H5_COPIED(p->written) : c->packed;
    if (c->is_copied)
        p->written->from = c->memo.offset;
    if (c->state == FAILED)
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", p->path, name_of(s, name, sizeof name));
    else if (p->log)
        status = hsc_out_log_packed(p->log, c->packed, c->packed_bytes) ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for values", p->path);
    else if (s->grows && s->extent < put && H5Dset_extent(s->set, &put) < 0)
        status = hsc_packing_fail(p->path, "enlarge", name_of(s, name, sizeof name), p->written, err);
    else if (H5Dwrite_chunk(s->set, H5P_DEFAULT, 0, &c->start, c->packed_bytes, packed) < 0 || (p->written && p->written->error))
        status = hsc_packing_fail(p->path, "write", name_of(s, name, sizeof name), p->written, err);
    else if (c->memo.n && p->written && p->written->bytes == packed && p->written->n == c->packed_bytes) { /* else it is packed again the next time */
        c->memo.offset = p->written->offset;
        c->memo.set = s->id;
        c->memo.index = c->start / s->chunk_rows;
        p->memo->keep(p->memo->ctx, &c->memo);
    }
    s->extent = put;
    if (!status && c->is_alike)
        keep_alike(p, c);
    free_chunk(c);
    return status;
}

/* Writes chunks before it where too much waits. */
static hsc_status queue(hsc_packing *p, chunk *c, hsc_err *err) {
    hsc_status status = HSC_OK;
    hsc_packing_set *s = c->set;
    if (p->log)
        hsc_out_log_chunk(p->log, s->number, c->used / s->element);
    s->put += c->used / s->element;
    s->users++;
    pthread_mutex_lock(&p->lock);
    *(p->last ? &p->last->next : &p->first) = c;
    p->last = c;
    p->waits = p->waits ? p->waits : c;
    p->pending += chunk_bytes(s);
    if (c->state == WAITS)
        pthread_cond_signal(&p->work);
    if (!p->started) /* alone: while it is in the processor's cache */
        pack_next(p, &p->own);
    bool full = p->pending > PENDING_BYTES;
    pthread_mutex_unlock(&p->lock);
    while (full && !status) {
        status = write_oldest(p, err);
        full = p->pending > PENDING_BYTES;
    }
    return status;
}

hsc_status hsc_packing_put(hsc_packing *p, hsc_packing_set *s, uint8_t *plain, uint64_t rows, hsc_err *err) {
    chunk *c = calloc(1, sizeof *c);
    if (!c) {
        free(plain);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for values", p->path);
    }
    *c = (chunk){.set = s, .start = s->put, .used = rows * s->element, .plain = plain};
    find_alike(p, c);
    return queue(p, c, err);
}

hsc_status hsc_packing_put_packed(hsc_packing *p, hsc_packing_set *s, uint8_t *packed, size_t n, uint64_t rows, hsc_err *err) {
    chunk *c = rows && rows <= s->chunk_rows ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        free(packed);
        return rows && rows <= s->chunk_rows ? hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for values", p->path)
                                             : hsc_err_set(err, HSC_E_FORMAT, "%s: expected a chunk of 1 to %llu values, got %llu", p->path,
                                                           (unsigned long long)s->chunk_rows, (unsigned long long)rows);
    }
    *c = (chunk){.set = s, .start = s->put, .used = rows * s->element, .packed = packed, .packed_bytes = n, .state = PACKED};
    return queue(p, c, err);
}

hsc_status hsc_packing_put_kept(hsc_packing *p, hsc_packing_set *s, uint64_t index, bool *done, hsc_err *err) {
    hsc_packed_chunk memo = {.set = s->id, .index = index};
    chunk *c = p->memo && p->written && p->memo->look(p->memo->ctx, &memo) ? malloc(sizeof *c) : NULL;
    *done = c != NULL;
    if (!c)
        return HSC_OK;
    *c = (chunk){.set = s, .start = s->put, .used = chunk_bytes(s), .packed_bytes = (size_t)memo.n, .is_copied = true, .state = PACKED, .memo = memo};
    return queue(p, c, err);
}

hsc_status hsc_packing_drain(hsc_packing *p, hsc_err *err) {
    hsc_status status = HSC_OK;
    while (p->first && !status)
        status = write_oldest(p, err);
    return status;
}
