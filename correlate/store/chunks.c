/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads whole chunks: HDF5 finds and copies them, threads unpack them straight to their place. */
#include "chunks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libdeflate.h>

#include "schema.h"

enum { WORKERS_MAX = 8, BYTES_PER_WORKER = 256 << 10 };
#define PACKED_MAX ((uint64_t)64 << 20)

typedef struct unpacking {
    uint8_t *packed, *out;
    uint64_t *offsets; /* of each chunk in packed, and the end */
    uint64_t n, chunks, chunk_rows;
    unsigned element;
    atomic_uint_fast64_t next;
    atomic_bool failed;
} unpacking;

/* Numbers of 4 and 8 bytes, as compilers make vector code of. */
static void unshuffle4(const uint8_t *from, uint8_t *to, uint64_t rows, uint64_t chunk_rows) {
    const uint8_t *p[4];
    for (unsigned b = 0; b < 4; b++)
        p[b] = from + b * chunk_rows;
    for (uint64_t i = 0; i < rows; i++) {
        uint32_t v = (uint32_t)p[0][i] | (uint32_t)p[1][i] << 8 | (uint32_t)p[2][i] << 16 | (uint32_t)p[3][i] << 24;
        memcpy(to + 4 * i, &v, sizeof v);
    }
}

static void unshuffle8(const uint8_t *from, uint8_t *to, uint64_t rows, uint64_t chunk_rows) {
    const uint8_t *p[8];
    for (unsigned b = 0; b < 8; b++)
        p[b] = from + b * chunk_rows;
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t v = (uint64_t)p[0][i] | (uint64_t)p[1][i] << 8 | (uint64_t)p[2][i] << 16 | (uint64_t)p[3][i] << 24 |
                     (uint64_t)p[4][i] << 32 | (uint64_t)p[5][i] << 40 | (uint64_t)p[6][i] << 48 | (uint64_t)p[7][i] << 56;
        memcpy(to + 8 * i, &v, sizeof v);
    }
}

/* Text in tiles of rows, so that what is written stays in the cache however long an element is. */
static void unshuffle(const uint8_t *from, uint8_t *to, uint64_t rows, uint64_t chunk_rows, unsigned element) {
    enum { TILE = 128 };
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && (element == 4 || element == 8)) {
        (element == 4 ? unshuffle4 : unshuffle8)(from, to, rows, chunk_rows);
        return;
    }
    for (uint64_t first = 0; first < rows; first += TILE) {
        uint64_t n = rows - first < TILE ? rows - first : TILE;
        for (unsigned b = 0; b < element; b++) {
            const uint8_t *p = from + b * chunk_rows + first;
            uint8_t *q = to + first * element + b;
            for (uint64_t i = 0; i < n; i++)
                q[i * element] = p[i];
        }
    }
}

static void *work(void *arg) {
    unpacking *u = arg;
    uint64_t bytes = u->chunk_rows * u->element;
    uint8_t *plain = malloc(bytes);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (!plain || !d)
        atomic_store(&u->failed, true);
    while (!atomic_load(&u->failed)) {
        uint64_t c = atomic_fetch_add(&u->next, 1);
        if (c >= u->chunks)
            break;
        uint64_t first = c * u->chunk_rows, rows = u->n - first < u->chunk_rows ? u->n - first : u->chunk_rows;
        if (libdeflate_zlib_decompress(d, u->packed + u->offsets[c], u->offsets[c + 1] - u->offsets[c], plain, bytes, NULL))
            atomic_store(&u->failed, true);
        else if (u->element > 1)
            unshuffle(plain, u->out + first * u->element, rows, u->chunk_rows, u->element);
        else
            memcpy(u->out + first, plain, rows);
    }
    libdeflate_free_decompressor(d);
    free(plain);
    return NULL;
}

uint64_t hsc_chunks_rows(hid_t set, unsigned element) {
    unsigned flags, config, values[8];
    size_t n = 8;
    hsize_t rows = 0;
    hid_t plist = H5Dget_create_plist(set);
    if (plist < 0)
        return 0;
    int filters = H5Pget_layout(plist) == H5D_CHUNKED ? H5Pget_nfilters(plist) : 0;
    int deflate = element > 1 ? 1 : 0;
    bool good = filters == deflate + 1 && H5Pget_filter2(plist, (unsigned)deflate, &flags, &n, values, 0, NULL, &config) == H5Z_FILTER_DEFLATE;
    n = 8;
    if (good && element > 1) /* the filter's own element size must be ours */
        good = H5Pget_filter2(plist, 0, &flags, &n, values, 0, NULL, &config) == H5Z_FILTER_SHUFFLE && n >= 1 && values[0] == element;
    if (good && H5Pget_chunk(plist, 1, &rows) != 1)
        rows = 0;
    H5Pclose(plist);
    return good ? rows : 0;
}

/* ---- parts of chunks ---- */

enum { CACHE_BYTES = 8 << 20 };

static void give_back(hsc_chunk_cache *cache, struct hsc_cached_chunk *c) {
    cache->bytes -= c->bytes;
    free(c->plain);
    *c = (struct hsc_cached_chunk){0};
}

void hsc_chunk_cache_drop(hsc_chunk_cache *cache, hid_t set) {
    for (size_t i = 0; i < sizeof cache->chunks / sizeof *cache->chunks; i++)
        if (cache->chunks[i].bytes && cache->chunks[i].set == set)
            give_back(cache, &cache->chunks[i]);
}

/* A free place for so many bytes: what was not used for longest goes. */
static struct hsc_cached_chunk *make_room(hsc_chunk_cache *cache, size_t bytes) {
    struct hsc_cached_chunk *oldest, *unused;
    do {
        oldest = unused = NULL;
        for (size_t i = 0; i < sizeof cache->chunks / sizeof *cache->chunks; i++) {
            struct hsc_cached_chunk *c = &cache->chunks[i];
            if (!c->bytes)
                unused = c;
            else if (!oldest || c->used < oldest->used)
                oldest = c;
        }
        if (oldest && (!unused || cache->bytes + bytes > CACHE_BYTES))
            give_back(cache, oldest);
    } while (oldest && (!unused || cache->bytes + bytes > CACHE_BYTES));
    return unused;
}

/* A chunk as it is stored. */
static bool read_packed(hid_t set, hsize_t start, uint8_t *packed) {
    uint32_t mask = 0;
    return H5Dread_chunk(set, H5P_DEFAULT, &start, &mask, packed) >= 0 && !mask;
}

static const uint8_t *whole_chunk(hsc_chunk_cache *cache, hid_t set, uint64_t chunk, uint64_t chunk_rows, unsigned element) {
    for (size_t i = 0; i < sizeof cache->chunks / sizeof *cache->chunks; i++) {
        struct hsc_cached_chunk *c = &cache->chunks[i];
        if (c->bytes && c->set == set && c->chunk == chunk) {
            c->used = ++cache->clock;
            return c->plain;
        }
    }
    hsize_t start = chunk * chunk_rows, packed = 0;
    if (H5Dget_chunk_storage_size(set, &start, &packed) < 0 || !packed || packed > PACKED_MAX)
        return NULL;
    struct hsc_cached_chunk *c = make_room(cache, chunk_rows * element);
    unpacking u = {.n = chunk_rows, .element = element, .chunk_rows = chunk_rows, .chunks = 1, .offsets = (uint64_t[]){0, packed}};
    u.packed = malloc(packed);
    u.out = malloc(chunk_rows * element);
    bool good = u.packed && u.out && read_packed(set, start, u.packed);
    if (good)
        work(&u);
    free(u.packed);
    if (!good || atomic_load(&u.failed)) {
        free(u.out);
        return NULL;
    }
    *c = (struct hsc_cached_chunk){set, chunk, ++cache->clock, chunk_rows * element, u.out};
    cache->bytes += c->bytes;
    return c->plain;
}

/* Whole chunks, one after the other to `out`: those of `numbers`, or from `first` on where that is NULL. Only the last may be short. */
static bool whole_chunks(hid_t set, uint64_t chunk_rows, uint64_t total, const uint64_t *numbers, uint64_t first, uint64_t chunks, unsigned element,
                         void *out) {
    pthread_t threads[WORKERS_MAX];
    unsigned started = 0, workers;
    bool good = false;
    uint64_t last = numbers ? numbers[chunks - 1] : first + chunks - 1;
    uint64_t end = (last + 1) * chunk_rows < total ? (last + 1) * chunk_rows : total;
    unpacking u = {.n = (chunks - 1) * chunk_rows + end - last * chunk_rows, .element = element, .out = out, .chunk_rows = chunk_rows, .chunks = chunks};
    u.offsets = malloc((u.chunks + 1) * sizeof *u.offsets);
    if (!u.offsets)
        return false;
    u.offsets[0] = 0;
    for (uint64_t c = 0; c < u.chunks; c++) {
        hsize_t start = (numbers ? numbers[c] : first + c) * chunk_rows, bytes = 0;
        if (H5Dget_chunk_storage_size(set, &start, &bytes) < 0 || !bytes || bytes > PACKED_MAX - u.offsets[c])
            goto out;
        u.offsets[c + 1] = u.offsets[c] + bytes;
    }
    u.packed = malloc(u.offsets[u.chunks]);
    if (!u.packed)
        goto out;
    for (uint64_t c = 0; c < u.chunks; c++)
        if (!read_packed(set, (numbers ? numbers[c] : first + c) * chunk_rows, u.packed + u.offsets[c]))
            goto out;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    workers = online < 1 ? 1 : online > WORKERS_MAX ? WORKERS_MAX : (unsigned)online;
    if (workers > u.chunks)
        workers = (unsigned)u.chunks;
    if (workers > u.n * element / BYTES_PER_WORKER)
        workers = (unsigned)(u.n * element / BYTES_PER_WORKER);
    while (started + 1 < workers && !pthread_create(&threads[started], NULL, work, &u))
        started++;
    work(&u);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    good = !atomic_load(&u.failed);
out:
    free(u.packed);
    free(u.offsets);
    return good;
}

bool hsc_chunks_read_some(hid_t set, uint64_t chunk_rows, uint64_t total, const uint64_t *numbers, uint64_t n, unsigned element, void *out) {
    return chunk_rows && whole_chunks(set, chunk_rows, total, numbers, 0, n, element, out);
}

void hsc_chunks_read(hsc_chunk_cache *cache, hid_t set, uint64_t chunk_rows, uint64_t total, uint64_t first, uint64_t n, unsigned element,
                     void *out, bool *done) {
    uint8_t *to = out;
    *done = false;
    if (!chunk_rows)
        return;
    while (n) {
        uint64_t at = first % chunk_rows, m = chunk_rows - at < n ? chunk_rows - at : n;
        uint64_t chunks = first + n == total ? (n + chunk_rows - 1) / chunk_rows : n / chunk_rows;
        if (at || !chunks) { /* a part of one */
            const uint8_t *plain = whole_chunk(cache, set, first / chunk_rows, chunk_rows, element);
            if (!plain)
                return;
            memcpy(to, plain + at * element, m * element);
        } else {
            m = chunks * chunk_rows < n ? chunks * chunk_rows : n;
            if (!whole_chunks(set, chunk_rows, total, NULL, first / chunk_rows, chunks, element, to))
                return;
        }
        to += m * element;
        first += m;
        n -= m;
    }
    *done = true;
}
