/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chunks of the database that is there, which need not be packed again: known by a keyed hash of what they hold, and believed where
 * that of their packed bytes is right. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made.h"

void hsc_packed_open(jpacked *k, join *j, const hsc_file_facts *then) {
    struct stat st;
    k->j = j;
    k->fd = open(j->options->output, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    hsc_file_facts now = {0};
    if (k->fd >= 0 && !fstat(k->fd, &st))
        now = hsc_file_facts_of(&st);
    bool same = now.is_there && !memcmp(&now, then, sizeof now);
    for (size_t i = 0; same && i < k->old.n; i++) {
        uint32_t *at = hsc_table_at(&k->rows, k->old.p[i].plain[0], k->old.p[i].plain[1]);
        same = at != NULL;
        if (same)
            *at = (uint32_t)i;
    }
    if (!same)
        k->old.n = 0;
}

void hsc_packed_fini(jpacked *k) {
    if (k->fd >= 0)
        close(k->fd);
    free(k->old.p);
    free(k->made.p);
    hsc_table_fini(&k->rows);
    *k = (jpacked){.fd = -1};
}

static void seal_packed(void *ctx, const uint8_t *packed, hsc_packed_chunk *c) {
    const jpacked *k = ctx;
    hsc_sealer s;
    hsc_made_begin_seal(k->j, &s, HSC_SEAL_PACKED, c->plain);
    hsc_seal_add(&s, packed, c->n);
    hsc_seal seal = hsc_seal_end(&s);
    memcpy(c->packed, seal.s, sizeof c->packed);
}

static uint8_t *find(void *ctx, const uint8_t *plain, size_t used, size_t whole, size_t element, unsigned effort, hsc_packed_chunk *c) {
    jpacked *k = ctx;
    const uint64_t how[] = {whole, (uint64_t)element << 2 | effort};
    hsc_sealer s;
    hsc_made_begin_seal(k->j, &s, HSC_SEAL_CHUNK, how);
    hsc_seal_add(&s, plain, used);
    hsc_seal seal = hsc_seal_end(&s);
    *c = (hsc_packed_chunk){.plain = {seal.s[0], seal.s[1]}};
    uint32_t row = k->old.n ? hsc_table_get(&k->rows, c->plain[0], c->plain[1]) : HSC_NO_INDEX;
    if (row == HSC_NO_INDEX)
        return NULL;
    const hsc_packed_chunk *old = &k->old.p[row];
    uint8_t *packed = old->n && old->n <= 2 * whole + 1024 ? malloc(old->n) : NULL;
    if (!packed)
        return NULL;
    c->n = old->n;
    bool good = hsc_place_take(k->fd, packed, old->n, old->offset);
    if (good)
        seal_packed(k, packed, c);
    if (good && !memcmp(c->packed, old->packed, sizeof c->packed)) {
        __atomic_add_fetch(&k->j->summary->chunks_reused, 1, __ATOMIC_RELAXED);
        return packed;
    }
    free(packed);
    return NULL;
}

static void keep(void *ctx, const hsc_packed_chunk *c) {
    jpacked *k = ctx;
    (void)HSC_PUSH(k->made, *c); /* what is not kept is packed again */
}

hsc_packed_memo hsc_packed_get_memo(jpacked *k) { return (hsc_packed_memo){k, find, seal_packed, keep}; }
