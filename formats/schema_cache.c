/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsed schemas that wait for the next reader of a chunk with the same bytes. */
#include <heatscope/formats/schema_cache.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "stream_internal.h"

enum { KEPT_MAX = 64 };

struct hsc_schema_cache {
    pthread_mutex_t lock;
    hsc_schema *kept[KEPT_MAX]; /* those that were given last, at the end */
    size_t n;
};

hsc_schema_cache *hsc_schema_cache_new(void) {
    hsc_schema_cache *c = calloc(1, sizeof *c);
    if (c)
        pthread_mutex_init(&c->lock, NULL);
    return c;
}

void hsc_schema_cache_free(hsc_schema_cache *c) {
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++)
        hsc_schema_free(c->kept[i]);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

hsc_schema *hsc_schema_cache_take(hsc_schema_cache *c, const uint8_t *payload, size_t n, uint64_t id) {
    hsc_schema *found = NULL;
    if (!c)
        return NULL;
    pthread_mutex_lock(&c->lock);
    for (size_t i = c->n; i-- > 0 && !found;)
        if (c->kept[i]->id == id && c->kept[i]->payload_bytes == n && !memcmp(c->kept[i]->payload, payload, n)) {
            found = c->kept[i];
            memmove(&c->kept[i], &c->kept[i + 1], (--c->n - i) * sizeof *c->kept);
        }
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; found && i < found->n_layouts; i++)
        found->layouts[i].epoch = 0; /* another reader's chunk */
    return found;
}

void hsc_schema_cache_give(hsc_schema_cache *c, hsc_schema *s) {
    hsc_schema *old = NULL;
    if (!c || !s || !s->payload) {
        hsc_schema_free(s);
        return;
    }
    pthread_mutex_lock(&c->lock);
    if (c->n == KEPT_MAX) { /* of the one that was not asked for longest */
        old = c->kept[0];
        memmove(c->kept, c->kept + 1, --c->n * sizeof *c->kept);
    }
    c->kept[c->n++] = s;
    pthread_mutex_unlock(&c->lock);
    hsc_schema_free(old);
}
