/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists that may be longer than memory. */
#include "spill.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES 16384u

void hsc_spill_init(hsc_spill *s, const char *beside) {
    *s = (hsc_spill){.beside = beside, .fd = -1};
    pthread_mutex_init(&s->lock, NULL);
}

void hsc_spill_fini(hsc_spill *s) {
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    pthread_mutex_destroy(&s->lock);
}

/* Where `bytes` bytes may be written; -1: there is no file. */
static int64_t reserve(hsc_spill *s, size_t bytes) {
    int64_t offset = -1;
    pthread_mutex_lock(&s->lock);
    if (s->fd < 0 && !s->failed) {
        char path[4400];
        snprintf(path, sizeof path, "%.4300s.part-XXXXXX", s->beside);
        s->fd = mkstemp(path);
        if (s->fd >= 0)
            unlink(path);
        else
            s->failed = errno;
    }
    if (!s->failed) {
        offset = (int64_t)s->end;
        s->end += bytes;
    }
    pthread_mutex_unlock(&s->lock);
    return offset;
}

static void write_all(hsc_spill *s, const uint8_t *p, size_t n, int64_t offset) {
    while (n) {
        ssize_t done = pwrite(s->fd, p, n, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            pthread_mutex_lock(&s->lock);
            s->failed = s->failed ? s->failed : done < 0 ? errno : EIO;
            pthread_mutex_unlock(&s->lock);
            return;
        }
        p += done;
        n -= (size_t)done;
        offset += done;
    }
}

bool hsc_spill_flush(hsc_spill *s, hsc_spill_list *l) {
    bool ok = true;
    if (l->held) {
        int64_t offset = reserve(s, (size_t)l->held * l->size);
        if (offset >= 0) {
            write_all(s, l->items, (size_t)l->held * l->size, offset);
            ok = HSC_PUSH(l->parts, (hsc_spill_part){(uint64_t)offset, l->held});
        }
    }
    l->held = 0;
    free(l->items);
    l->items = NULL;
    l->room = 0;
    return ok;
}

bool hsc_spill_put(hsc_spill *s, hsc_spill_list *l, const void *item, uint32_t size) {
    l->size = size;
    if (l->held == l->room) {
        uint32_t most = BUFFER_BYTES / size, room = l->room ? 2 * l->room : 32;
        if (l->room >= most) {
            if (!hsc_spill_flush(s, l))
                return false;
            room = most;
        }
        room = room < most ? room : most;
        uint8_t *items = realloc(l->items, (size_t)room * size);
        if (!items)
            return false;
        l->items = items;
        l->room = room;
    }
    memcpy(l->items + (size_t)l->held++ * size, item, size);
    l->count++;
    return true;
}

void hsc_spill_list_fini(hsc_spill_list *l) {
    free(l->items);
    free(l->parts.p);
    *l = (hsc_spill_list){0};
}

static hsc_status fill(hsc_spill *s, hsc_spill_cursor *c, hsc_err *err) {
    const hsc_spill_list *l = c->list;
    uint32_t most = BUFFER_BYTES / l->size;
    uint64_t n = c->left < most ? c->left : most;
    if (!c->buffer && !(c->buffer = malloc((size_t)most * l->size)))
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (size_t done = 0, bytes = (size_t)n * l->size; done < bytes;) {
        ssize_t got = pread(s->fd, c->buffer + done, bytes - done, (off_t)(c->offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return hsc_err_set_errno(err, got < 0 ? errno : EIO, "temporary file beside %s", s->beside);
        done += (size_t)got;
    }
    c->left -= n;
    c->offset += n * l->size;
    c->at = 0;
    c->held = (uint32_t)n;
    return HSC_OK;
}

hsc_status hsc_spill_next(hsc_spill *s, hsc_spill_cursor *c, void *item, bool *any, hsc_err *err) {
    const hsc_spill_list *l = c->list;
    if (s->failed)
        return hsc_err_set_errno(err, s->failed, "temporary file beside %s", s->beside);
    if (c->at == c->held && !c->left && c->part < l->parts.n) {
        c->left = l->parts.p[c->part].count;
        c->offset = l->parts.p[c->part++].offset;
    }
    if (c->at == c->held && c->left) {
        hsc_status status = fill(s, c, err);
        if (status != HSC_OK)
            return status;
    }
    *any = true;
    if (c->at < c->held) {
        memcpy(item, c->buffer + (size_t)c->at++ * l->size, l->size);
        return HSC_OK;
    }
    uint64_t last = c->at - c->held; /* of the list's own buffer, from here on */
    if (last < l->held) {
        memcpy(item, l->items + last * l->size, l->size);
        c->at++;
        c->part = SIZE_MAX; /* no part follows */
        return HSC_OK;
    }
    *any = false;
    return HSC_OK;
}

void hsc_spill_cursor_fini(hsc_spill_cursor *c) {
    free(c->buffer);
    *c = (hsc_spill_cursor){0};
}
