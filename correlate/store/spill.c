/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists that may be longer than memory. */
#include "spill.h"

#include "unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void hsc_spill_init(hsc_spill *s, const char *beside) {
    *s = (hsc_spill){.beside = beside, .fd = -1};
    pthread_mutex_init(&s->lock, NULL);
}

void hsc_spill_fini(hsc_spill *s) {
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    free(s->stage);
    s->stage = NULL;
    pthread_mutex_destroy(&s->lock);
}

int hsc_spill_file(const char *beside, char **name) {
    static const char ending[] = ".part-XXXXXX";
    size_t n = strlen(beside);
    char *path = malloc(n + sizeof ending);
    *name = NULL;
    if (!path) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(path, beside, n + 1);
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = 0;
    int fd = open(slash ? path : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        memcpy(path, beside, n);
        memcpy(path + n, ending, sizeof ending);
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0) {
            *name = path;
            hsc_unfinished_add(path);
            hsc_unfinished_made(path);
            return fd;
        }
    }
    free(path);
    return fd;
}

/* A file without a name in the folder of `beside`; -1 with errno. */
static int make_file(const char *beside) {
    char *name;
    int fd = hsc_spill_file(beside, &name);
    if (name)
        unlink(name);
    hsc_unfinished_end(name);
    free(name);
    return fd;
}

enum {
    PAGE = 4096,
    STAGE_BYTES = 1 << 18, /* pieces that are smaller than a quarter of it are gathered in it */
};

static void fail(hsc_spill *s, int reason) { s->failed = s->failed ? s->failed : reason; }

/* Returns 0, or errno. */
static int write_all(int fd, const uint8_t *p, size_t n, uint64_t offset) {
    while (n) {
        ssize_t done = pwrite(fd, p, n, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : EIO;
        p += done;
        n -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

static void open_file(hsc_spill *s) {
    if (s->fd < 0 && !s->failed && (s->fd = make_file(s->beside)) < 0)
        fail(s, errno);
}

/* With the lock: what was gathered is in the file then. */
static void write_stage(hsc_spill *s) {
    if (s->stage && s->end > s->staged) {
        open_file(s);
        int problem = s->failed ? 0 : write_all(s->fd, s->stage, (size_t)(s->end - s->staged), s->staged);
        if (problem)
            fail(s, problem);
    }
    __atomic_store_n(&s->staged, s->end, __ATOMIC_RELEASE);
}

/* Writes the bytes at the end; where, or -1: they are lost (s->failed). Whole pages begin at one: the kernel clears none that is written in part. */
static int64_t append(hsc_spill *s, const uint8_t *p, size_t n) {
    pthread_mutex_lock(&s->lock);
    size_t gap = n % PAGE ? 0 : (size_t)(-s->end % PAGE);
    bool small = n < STAGE_BYTES / 4;
    if (small && !s->stage && !(s->stage = malloc(STAGE_BYTES)))
        fail(s, ENOMEM);
    if (!small || s->end + gap + n > s->staged + STAGE_BYTES)
        write_stage(s);
    if (!small)
        open_file(s);
    if (s->failed) {
        pthread_mutex_unlock(&s->lock);
        return -1;
    }
    uint64_t offset = s->end + gap;
    if (small) {
        memset(s->stage + (s->end - s->staged), 0, gap);
        memcpy(s->stage + (offset - s->staged), p, n);
        s->end = offset + n;
    } else {
        s->end = offset + n;
        __atomic_store_n(&s->staged, s->end, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&s->lock);
    int problem = small ? 0 : write_all(s->fd, p, n, offset);
    if (problem) {
        pthread_mutex_lock(&s->lock);
        fail(s, problem);
        pthread_mutex_unlock(&s->lock);
    }
    return (int64_t)offset;
}

/* Writes bytes that are there once more. */
static void replace(hsc_spill *s, const uint8_t *p, size_t n, uint64_t offset) {
    pthread_mutex_lock(&s->lock);
    if (offset >= s->staged) {
        memcpy(s->stage + (offset - s->staged), p, n);
    } else {
        if (offset + n > s->staged)
            write_stage(s);
        int problem = s->failed ? 0 : write_all(s->fd, p, n, offset);
        if (problem)
            fail(s, problem);
    }
    pthread_mutex_unlock(&s->lock);
}

enum {
    SPILL_BUFFER_MOST = 65536, /* bytes */
    LIST_OF_BUFFERS = 8        /* of so many a list has been before its buffer is that large */
};

/* The part follows the last one, or is a new one. */
static bool add_part(hsc_spill_list *l, uint64_t offset, uint64_t count) {
    if (l->part_count && l->parts[l->part_count - 1].offset + l->parts[l->part_count - 1].count * l->size == offset) {
        l->parts[l->part_count - 1].count += count;
        return true;
    }
    if (l->part_count == l->part_room) {
        uint32_t room = l->part_room ? 2 * l->part_room : 1;
        hsc_spill_part *parts = realloc(l->parts, room * sizeof *parts);
        if (!parts)
            return false;
        l->parts = parts;
        l->part_room = room;
    }
    l->parts[l->part_count++] = (hsc_spill_part){offset, count};
    return true;
}

bool hsc_spill_flush(hsc_spill *s, hsc_spill_list *l) {
    bool ok = true;
    if (l->held) {
        int64_t offset = append(s, l->items, (size_t)l->held * l->size);
        ok = offset < 0 || add_part(l, (uint64_t)offset, l->held);
    }
    l->held = 0;
    free(l->items);
    l->items = NULL;
    l->room = 0;
    return ok;
}

bool hsc_spill_put_all(hsc_spill *s, hsc_spill_list *l, const void *items, uint64_t n, uint32_t size) {
    l->size = size;
    if (!hsc_spill_flush(s, l))
        return false;
    int64_t offset = n ? append(s, items, (size_t)n * size) : -1;
    l->count += n;
    return offset < 0 || add_part(l, (uint64_t)offset, n);
}

/* Items of a full buffer: a power of two, which makes whole pages of most sizes. A long list's is larger, as larger writes cost half. */
static uint32_t room_most(const hsc_spill_list *l) {
    uint64_t bytes = HSC_SPILL_BUFFER_BYTES, items = 1;
    while (bytes < SPILL_BUFFER_MOST && l->count * l->size >= LIST_OF_BUFFERS * 2 * bytes)
        bytes *= 2;
    while (2 * items * l->size <= bytes)
        items *= 2;
    return (uint32_t)items;
}

/* Room for an item at least. */
static bool make_room(hsc_spill *s, hsc_spill_list *l) {
    uint32_t most = room_most(l), room = l->room ? 2 * l->room : 32;
    if (l->room >= most) {
        if (!hsc_spill_flush(s, l))
            return false;
        room = most;
    }
    room = room < most ? room : most;
    uint8_t *items = realloc(l->items, (size_t)room * l->size);
    if (!items)
        return false;
    l->items = items;
    l->room = room;
    return true;
}

bool hsc_spill_put_first(hsc_spill *s, hsc_spill_list *l, const void *item, uint32_t size) {
    l->size = size;
    if (l->held == l->room && !make_room(s, l))
        return false;
    memcpy(l->items + (size_t)l->held++ * size, item, size);
    l->count++;
    return true;
}

bool hsc_spill_put_some(hsc_spill *s, hsc_spill_list *l, const void *items, size_t n, uint32_t size) {
    l->size = size;
    for (size_t done = 0, m; done < n; done += m) {
        if (l->held == l->room && !make_room(s, l))
            return false;
        m = l->room - l->held < n - done ? l->room - l->held : n - done;
        memcpy(l->items + (size_t)l->held * size, (const uint8_t *)items + done * size, m * size);
        l->held += (uint32_t)m;
        l->count += m;
    }
    return true;
}

void hsc_spill_list_fini(hsc_spill_list *l) {
    free(l->items);
    free(l->parts);
    *l = (hsc_spill_list){0};
}

static hsc_status check(const hsc_spill *s, hsc_err *err) {
    if (s->failed == ENOMEM)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    return s->failed ? hsc_err_set_errno(err, s->failed, "temporary file beside %s", s->beside) : HSC_OK;
}

/* Is it among what was gathered and is not in the file yet? It is copied from there then. */
static bool take_staged(hsc_spill *s, void *to, size_t bytes, uint64_t offset) {
    if (offset + bytes <= __atomic_load_n(&s->staged, __ATOMIC_ACQUIRE)) /* it only grows */
        return false;
    pthread_mutex_lock(&s->lock);
    bool here = offset >= s->staged;
    if (here)
        memcpy(to, s->stage + (offset - s->staged), bytes);
    else if (offset + bytes > s->staged)
        write_stage(s);
    pthread_mutex_unlock(&s->lock);
    return here;
}

static hsc_status read_at(hsc_spill *s, void *to, size_t bytes, uint64_t offset, hsc_err *err) {
    if (take_staged(s, to, bytes, offset))
        return HSC_OK;
    if (s->failed || s->fd < 0)
        return s->failed ? check(s, err) : hsc_err_set_errno(err, EIO, "temporary file beside %s", s->beside);
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(s->fd, (uint8_t *)to + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return hsc_err_set_errno(err, got < 0 ? errno : EIO, "temporary file beside %s", s->beside);
        done += (size_t)got;
    }
    return HSC_OK;
}

static hsc_status fill(hsc_spill *s, hsc_spill_cursor *c, hsc_err *err) {
    const hsc_spill_list *l = c->list;
    size_t bytes = c->buffer_bytes ? c->buffer_bytes : HSC_SPILL_BUFFER_BYTES;
    uint32_t most = bytes / l->size ? (uint32_t)(bytes / l->size) : 1;
    uint64_t n = c->left < most ? c->left : most;
    if (!c->buffer && !(c->buffer = malloc((size_t)most * l->size)))
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    hsc_status status = read_at(s, c->buffer, (size_t)n * l->size, c->offset, err);
    if (status != HSC_OK)
        return status;
    c->left -= n;
    c->offset += n * l->size;
    c->at = 0;
    c->held = (uint32_t)n;
    return HSC_OK;
}

hsc_status hsc_spill_next(hsc_spill *s, hsc_spill_cursor *c, void *item, bool *any, hsc_err *err) {
    const hsc_spill_list *l = c->list;
    hsc_status status = check(s, err);
    if (status != HSC_OK)
        return status;
    if (c->at == c->held && !c->left && c->part < l->part_count) {
        c->left = l->parts[c->part].count;
        c->offset = l->parts[c->part++].offset;
    }
    if (c->at == c->held && c->left) {
        status = fill(s, c, err);
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

/* Straight to the caller's memory: not to be mixed with hsc_spill_next on one cursor. */
hsc_status hsc_spill_read(hsc_spill *s, hsc_spill_cursor *c, void *items, uint64_t most, uint64_t *n, hsc_err *err) {
    const hsc_spill_list *l = c->list;
    hsc_status status = check(s, err);
    uint8_t *to = items;
    *n = 0;
    while (status == HSC_OK && *n < most) {
        if (!c->left && c->part < l->part_count) {
            c->left = l->parts[c->part].count;
            c->offset = l->parts[c->part++].offset;
        }
        uint64_t own = l->held - c->at, take = c->left ? c->left : own;
        take = take < most - *n ? take : most - *n;
        if (!take)
            break;
        if (c->left) {
            status = read_at(s, to, (size_t)take * l->size, c->offset, err);
            c->left -= take;
            c->offset += take * l->size;
        } else {
            memcpy(to, l->items + (size_t)c->at * l->size, (size_t)take * l->size);
            c->at += (uint32_t)take;
        }
        to += take * l->size;
        *n += take;
    }
    return status;
}

hsc_status hsc_spill_change(hsc_spill *s, hsc_spill_list *l, void (*change)(void *ctx, void *item), void *ctx, hsc_err *err) {
    hsc_status status = check(s, err);
    uint8_t *buffer = l->part_count ? malloc(HSC_SPILL_BUFFER_BYTES) : NULL;
    if (l->part_count && !buffer)
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; status == HSC_OK && i < l->part_count; i++)
        for (uint64_t done = 0, n; status == HSC_OK && done < l->parts[i].count; done += n) {
            n = HSC_SPILL_BUFFER_BYTES / l->size;
            n = n < l->parts[i].count - done ? n : l->parts[i].count - done;
            uint64_t offset = l->parts[i].offset + done * l->size;
            status = read_at(s, buffer, (size_t)n * l->size, offset, err);
            for (uint64_t k = 0; status == HSC_OK && k < n; k++)
                change(ctx, buffer + (size_t)k * l->size);
            if (status == HSC_OK)
                replace(s, buffer, (size_t)n * l->size, offset);
        }
    for (uint32_t k = 0; status == HSC_OK && k < l->held; k++)
        change(ctx, l->items + (size_t)k * l->size);
    free(buffer);
    return status;
}

void hsc_spill_cursor_fini(hsc_spill_cursor *c) {
    free(c->buffer);
    *c = (hsc_spill_cursor){0};
}
