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
    *s = (hsc_sealer){.rounds = rounds, .v = {key->k[0] ^ 0x736f6d6570736575u, key->k[1] ^ 0x646f72616e646f6du ^ 0xee,
                            key->k[0] ^ 0x6c7967656e657261u, key->k[1] ^ 0x7465646279746573u}};
}

void hsc_seal_add(hsc_sealer *s, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    size_t held = s->bytes & 7;
    uint64_t v[4];
    s->bytes += n;
    if (held) {
        size_t more = n < 8 - held ? n : 8 - held;
        memcpy(s->rest + held, p, more);
        p += more;
        n -= more;
        if (held + more < 8)
            return;
        take(s->v, word_at(s->rest), s->rounds);
    }
    memcpy(v, s->v, sizeof v);
    if (s->rounds == 1) /* the loops by themselves, so that all stays in registers */
        for (; n >= 8; p += 8, n -= 8)
            take(v, word_at(p), 1);
    for (; n >= 8; p += 8, n -= 8)
        take(v, word_at(p), 2);
    memcpy(s->v, v, sizeof v);
    if (n)
        memcpy(s->rest, p, n);
}

hsc_seal hsc_seal_end(hsc_sealer *s) {
    size_t held = s->bytes & 7;
    hsc_seal seal;
    memset(s->rest + held, 0, 8 - held);
    take(s->v, word_at(s->rest) | s->bytes << 56, s->rounds);
    s->v[2] ^= 0xee;
    mix(s->v, s->rounds + 2);
    seal.s[0] = s->v[0] ^ s->v[1] ^ s->v[2] ^ s->v[3];
    s->v[1] ^= 0xdd;
    mix(s->v, s->rounds + 2);
    seal.s[1] = s->v[0] ^ s->v[1] ^ s->v[2] ^ s->v[3];
    return seal;
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
