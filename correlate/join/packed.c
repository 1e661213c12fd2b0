/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chunks of the database that is there, which need not be packed again: known by a keyed hash of what they hold, and believed where
 * that of their packed bytes is right. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made.h"

/* Chunks of a data set, one after the other as they were written. */
static bool link_sets(jpacked *k) {
    uint64_t set = 0;
    jpacked_cursor *c = NULL;
    k->next = malloc((k->old.n + 1) * sizeof *k->next);
    for (size_t i = 0; k->next && i < k->old.n; i++) {
        if (!c || k->old.p[i].set != set) {
            set = k->old.p[i].set;
            uint32_t *row = hsc_table_at(&k->sets, set, 0);
            if (!row || (*row == HSC_NO_INDEX && !HSC_PUSH(k->cursors, (jpacked_cursor){HSC_NO_INDEX, HSC_NO_INDEX, HSC_NO_INDEX})))
                return false;
            *row = *row == HSC_NO_INDEX ? (uint32_t)k->cursors.n - 1 : *row;
            c = &k->cursors.p[*row];
        }
        k->next[i] = HSC_NO_INDEX;
        if (c->first == HSC_NO_INDEX)
            c->first = c->at = (uint32_t)i;
        else
            k->next[c->last] = (uint32_t)i;
        c->last = (uint32_t)i;
    }
    return k->next != NULL;
}

void hsc_packed_open(jpacked *k, join *j, const hsc_file_facts *then) {
    struct stat st;
    k->j = j;
    k->fd = open(j->options->output, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    hsc_file_facts now = {0};
    if (k->fd >= 0 && !fstat(k->fd, &st))
        now = hsc_file_facts_of(&st);
    bool good = now.is_there; /* a copy has these chunks too: each is taken only as its own seal says */
    k->is_same = good && !memcmp(&now, then, sizeof now);
    good = good && (!k->is_same || link_sets(k));
    for (size_t i = 0; good && i < k->old.n; i++) {
        uint32_t *at = hsc_table_at(&k->rows, k->old.p[i].plain[0], k->old.p[i].plain[1]);
        good = at != NULL;
        if (good)
            *at = (uint32_t)i;
    }
    if (!good)
        k->old.n = 0;
}

void hsc_packed_fini(jpacked *k) {
    if (k->fd >= 0)
        close(k->fd);
    free(k->old.p);
    free(k->made.p);
    hsc_table_fini(&k->rows);
    hsc_table_fini(&k->sets);
    free(k->cursors.p);
    free(k->next);
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

/* A chunk as it was packed then, where these are its bytes still; NULL: they are not. */
static uint8_t *take_packed(jpacked *k, const hsc_packed_chunk *old, size_t whole, hsc_packed_chunk *c) {
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

/* Of the database that is_same: nobody has changed it since. */
static bool look(void *ctx, hsc_packed_chunk *c) {
    jpacked *k = ctx;
    uint32_t set = k->old.n && k->next ? hsc_table_get(&k->sets, c->set, 0) : HSC_NO_INDEX;
    if (set == HSC_NO_INDEX)
        return false;
    jpacked_cursor *cursor = &k->cursors.p[set];
    uint32_t row = k->old.p[cursor->at].index <= c->index ? cursor->at : cursor->first;
    while (row != HSC_NO_INDEX && k->old.p[row].index < c->index) {
        cursor->at = row;
        row = k->next[row];
    }
    if (row == HSC_NO_INDEX || k->old.p[row].index != c->index)
        return false;
    cursor->at = row;
    *c = k->old.p[row];
    __atomic_add_fetch(&k->j->summary->chunks_reused, 1, __ATOMIC_RELAXED);
    return true;
}

static uint8_t *find(void *ctx, const uint8_t *plain, size_t used, size_t whole, size_t element, unsigned effort, hsc_packed_chunk *c) {
    jpacked *k = ctx;
    const uint64_t how[] = {whole, (uint64_t)element << 8 | effort};
    hsc_sealer s;
    hsc_made_begin_seal(k->j, &s, HSC_SEAL_CHUNK, how);
    hsc_seal_add(&s, plain, used);
    hsc_seal seal = hsc_seal_end(&s);
    *c = (hsc_packed_chunk){.plain = {seal.s[0], seal.s[1]}};
    uint32_t row = k->old.n ? hsc_table_get(&k->rows, c->plain[0], c->plain[1]) : HSC_NO_INDEX;
    return row == HSC_NO_INDEX ? NULL : take_packed(k, &k->old.p[row], whole, c);
}

static void keep(void *ctx, const hsc_packed_chunk *c) {
    jpacked *k = ctx;
    (void)HSC_PUSH(k->made, *c); /* what is not kept is packed again */
}

hsc_packed_memo hsc_packed_get_memo(jpacked *k) { return (hsc_packed_memo){k, find, look, seal_packed, keep}; }
