/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SipHash with a result of 128 bits, and the user's key. */
#include "seal.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

static inline uint64_t turn(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}

static inline void mix(uint64_t *v, unsigned rounds) {
    while (rounds--) {
        v[0] += v[1], v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0], v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = turn(v[1], 17) ^ v[2], v[3] = turn(v[3], 21) ^ v[0];
        v[2] = turn(v[2], 32);
    }
}

static inline uint64_t word_at(const uint8_t *p) {
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return le64toh(w);
}

static inline void take(uint64_t *v, uint64_t word, unsigned rounds) {
    v[3] ^= word;
    mix(v, rounds);
    v[0] ^= word;
}

void hsc_seal_begin(hsc_sealer *s, const hsc_seal_key *key, unsigned rounds) {
    s->rounds = rounds;
    s->bytes = 0;
    s->v[0] = key->k[0] ^ 0x736f6d6570736575u;
    s->v[1] = key->k[1] ^ 0x646f72616e646f6du ^ 0xee;
    s->v[2] = key->k[0] ^ 0x6c7967656e657261u;
    s->v[3] = key->k[1] ^ 0x7465646279746573u;
}

/* ---- lanes ---- */

static void begin_lanes(hsc_sealer *s) {
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < HSC_SEAL_LANES; k++)
            s->lanes[i][k] = s->v[i] ^ (i ? 0 : k + 1);
}

/* n blocks into the lanes. */
static void add_blocks(hsc_sealer *s, const uint8_t *p, size_t n) {
    for (; n; p += HSC_SEAL_BLOCK, n--)
        for (unsigned k = 0; k < HSC_SEAL_LANES; k++) {
            uint64_t v[4] = {s->lanes[0][k], s->lanes[1][k], s->lanes[2][k], s->lanes[3][k]};
            take(v, word_at(p + 8 * k), s->rounds);
            for (unsigned i = 0; i < 4; i++)
                s->lanes[i][k] = v[i];
        }
}

#if defined __x86_64__
#define WITH_AVX2 __attribute__((target("avx2")))
#define LEFT(x, by) _mm256_or_si256(_mm256_slli_epi64(x, by), _mm256_srli_epi64(x, 64 - (by)))

typedef struct lanes { /* four of them */
    __m256i v[4];
} lanes;

static inline WITH_AVX2 __m256i load(const void *from) { return _mm256_loadu_si256(from); }

static inline WITH_AVX2 __attribute__((always_inline)) lanes mix_lanes(lanes l) {
    const __m256i by_16 = _mm256_set_epi8(13, 12, 11, 10, 9, 8, 15, 14, 5, 4, 3, 2, 1, 0, 7, 6, 13, 12, 11, 10, 9, 8, 15, 14, 5, 4, 3, 2, 1, 0, 7, 6);
    __m256i a = _mm256_add_epi64(l.v[0], l.v[1]), c = _mm256_add_epi64(l.v[2], l.v[3]);
    __m256i b = _mm256_xor_si256(LEFT(l.v[1], 13), a), d = _mm256_xor_si256(_mm256_shuffle_epi8(l.v[3], by_16), c);
    a = _mm256_shuffle_epi32(a, 0xb1); /* by 32 */
    c = _mm256_add_epi64(c, b);
    a = _mm256_add_epi64(a, d);
    b = _mm256_xor_si256(LEFT(b, 17), c);
    d = _mm256_xor_si256(LEFT(d, 21), a);
    return (lanes){{a, b, _mm256_shuffle_epi32(c, 0xb1), d}};
}

static inline WITH_AVX2 __attribute__((always_inline)) lanes take_words(lanes l, __m256i words, bool twice) {
    l.v[3] = _mm256_xor_si256(l.v[3], words);
    l = mix_lanes(l);
    l = twice ? mix_lanes(l) : l;
    l.v[0] = _mm256_xor_si256(l.v[0], words);
    return l;
}

static inline WITH_AVX2 __attribute__((always_inline)) void add_blocks_by(hsc_sealer *s, const uint8_t *p, size_t n, bool twice) {
    lanes low, high;
    for (unsigned i = 0; i < 4; i++) {
        low.v[i] = load(&s->lanes[i][0]);
        high.v[i] = load(&s->lanes[i][4]);
    }
    for (; n; p += HSC_SEAL_BLOCK, n--) {
        low = take_words(low, load(p), twice);
        high = take_words(high, load(p + 32), twice);
    }
    for (unsigned i = 0; i < 4; i++) {
        _mm256_storeu_si256((__m256i *)(void *)&s->lanes[i][0], low.v[i]);
        _mm256_storeu_si256((__m256i *)(void *)&s->lanes[i][4], high.v[i]);
    }
}
_Static_assert(HSC_SEAL_LANES == 8, "two vectors of each");

static WITH_AVX2 void add_blocks_avx2(hsc_sealer *s, const uint8_t *p, size_t n) {
    if (s->rounds == 1)
        add_blocks_by(s, p, n, false);
    else
        add_blocks_by(s, p, n, true);
}

static void add_whole(hsc_sealer *s, const uint8_t *p, size_t n) { (__builtin_cpu_supports("avx2") ? add_blocks_avx2 : add_blocks)(s, p, n); }
#else
static void add_whole(hsc_sealer *s, const uint8_t *p, size_t n) { add_blocks(s, p, n); }
#endif

void hsc_seal_add_plain(hsc_sealer *s, const void *blocks, size_t n) {
    if (!s->bytes && n)
        begin_lanes(s);
    s->bytes += n * HSC_SEAL_BLOCK;
    add_blocks(s, blocks, n);
}

/* ---- bytes as they come ---- */

void hsc_seal_add(hsc_sealer *s, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    size_t held = s->bytes % HSC_SEAL_BLOCK;
    if (s->bytes < HSC_SEAL_BLOCK && s->bytes + n >= HSC_SEAL_BLOCK)
        begin_lanes(s);
    s->bytes += n;
    if (held) {
        size_t more = n < HSC_SEAL_BLOCK - held ? n : HSC_SEAL_BLOCK - held;
        memcpy(s->rest + held, p, more);
        p += more;
        n -= more;
        if (held + more < HSC_SEAL_BLOCK)
            return;
        add_whole(s, s->rest, 1);
    }
    if (n >= HSC_SEAL_BLOCK)
        add_whole(s, p, n / HSC_SEAL_BLOCK);
    p += n / HSC_SEAL_BLOCK * HSC_SEAL_BLOCK;
    n %= HSC_SEAL_BLOCK;
    if (n)
        memcpy(s->rest, p, n);
}

static hsc_seal end(uint64_t *v, unsigned rounds) {
    hsc_seal seal;
    v[2] ^= 0xee;
    mix(v, rounds + 2);
    seal.s[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
    v[1] ^= 0xdd;
    mix(v, rounds + 2);
    seal.s[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
    return seal;
}

hsc_seal hsc_seal_end(hsc_sealer *s) {
    size_t held = s->bytes % HSC_SEAL_BLOCK, at = 0;
    for (unsigned k = 0; k < HSC_SEAL_LANES && s->bytes >= HSC_SEAL_BLOCK; k++) {
        uint64_t v[4] = {s->lanes[0][k], s->lanes[1][k], s->lanes[2][k], s->lanes[3][k]};
        hsc_seal of = end(v, s->rounds);
        take(s->v, of.s[0], s->rounds);
        take(s->v, of.s[1], s->rounds);
    }
    for (; at + 8 <= held; at += 8)
        take(s->v, word_at(s->rest + at), s->rounds);
    uint8_t last[8] = {0};
    memcpy(last, s->rest + at, held - at);
    take(s->v, word_at(last) | s->bytes << 56, s->rounds);
    return end(s->v, s->rounds);
}

/* ---- the key ---- */

/* Folders of the path that are missing; whether that was possible shows when the file is made. */
static void make_folders(const char *path) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *p = folder + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(folder, 0700);
        *p = '/';
    }
}

/* Beside it and linked, so that of several that make one at the same time all have the same. */
static void make_key(const char *path) {
    char part[PATH_MAX];
    hsc_seal_key key;
    if (snprintf(part, sizeof part, "%s.%ld", path, (long)getpid()) >= (int)sizeof part ||
        getrandom(&key, sizeof key, 0) != sizeof key)
        return;
    make_folders(path);
    unlink(part);
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (write(fd, &key, sizeof key) == sizeof key)
        (void)!link(part, path);
    close(fd);
    unlink(part);
}

bool hsc_seal_read_key(const char *path, hsc_seal_key *key) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        make_key(path);
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    }
    bool ok = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 077) &&
              st.st_size == sizeof *key && read(fd, key, sizeof *key) == sizeof *key;
    if (fd >= 0)
        close(fd);
    return ok;
}
