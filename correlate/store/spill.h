/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Long lists of items of one size that are written in order and read in order: what does not fit a small buffer goes into one
 * file without a name, which all lists share. */
#ifndef HEATSCOPE_STORE_SPILL_H
#define HEATSCOPE_STORE_SPILL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <heatscope/formats/err.h>

#define HSC_SPILL_BUFFER_BYTES 16384u

typedef struct hsc_spill { /* lists may be put to by several threads at once, each list by one */
    const char *beside;    /* the file is made in this path's folder; borrowed */
    pthread_mutex_t lock;
    int fd;     /* -1: not needed yet */
    int failed; /* errno of the first failure; what was put after it is lost */
    uint64_t end;
    uint8_t *stage;   /* small pieces, gathered for one write: bytes [staged, end) of the file */
    uint64_t staged;
} hsc_spill;

typedef struct hsc_spill_part { /* of a list, in the file */
    uint64_t offset, count;
} hsc_spill_part;

typedef struct hsc_spill_list { /* all zero: empty */
    uint32_t size, held, room; /* of an item in bytes; items in `items`, and room there */
    uint32_t part_count, part_room;
    uint64_t count;            /* all items */
    uint8_t *items;            /* the last ones */
    hsc_spill_part *parts;
} hsc_spill_list;

typedef struct hsc_spill_cursor { /* all zero but for list: at its begin */
    const hsc_spill_list *list;
    size_t buffer_bytes; /* 0: HSC_SPILL_BUFFER_BYTES */
    uint8_t *buffer;
    uint64_t left;      /* items of the part that are not in the buffer yet */
    uint64_t offset;    /* of the next of them */
    size_t part;        /* that comes next */
    uint32_t at, held;  /* item of the buffer that comes next, items in it */
} hsc_spill_cursor;

/* A new file in the folder of `beside`, open for reading and writing; -1 with errno. It has no name where the file system can do that, else
 * *name (owned by the caller; NULL: none), which is an unfinished file's
 * until hsc_unfinished_end. */
int hsc_spill_file(const char *beside, char **name);

void hsc_spill_init(hsc_spill *s, const char *beside);
void hsc_spill_fini(hsc_spill *s);
bool hsc_spill_put_first(hsc_spill *s, hsc_spill_list *l, const void *item, uint32_t size); /* where there may be no room */
/* False: out of memory. `size`: bytes of an item, the same for all of one list. */
static inline bool hsc_spill_put(hsc_spill *s, hsc_spill_list *l, const void *item, uint32_t size) {
    if (l->held == l->room)
        return hsc_spill_put_first(s, l, item, size);
    memcpy(l->items + (size_t)l->held++ * size, item, size);
    l->count++;
    return true;
}
/* n items by the buffer, as one after the other. */
bool hsc_spill_put_some(hsc_spill *s, hsc_spill_list *l, const void *items, size_t n, uint32_t size);
/* n items at once, past the buffer. */
bool hsc_spill_put_all(hsc_spill *s, hsc_spill_list *l, const void *items, uint64_t n, uint32_t size);
bool hsc_spill_flush(hsc_spill *s, hsc_spill_list *l); /* gives its buffer back */
void hsc_spill_list_fini(hsc_spill_list *l);
/* The next item in *item, or false in *any when there is none. HSC_E_IO, HSC_E_MEMORY. */
hsc_status hsc_spill_next(hsc_spill *s, hsc_spill_cursor *c, void *item, bool *any, hsc_err *err);
/* Up to `most` items into `items`; *n: how many, 0 at the end. */
hsc_status hsc_spill_read(hsc_spill *s, hsc_spill_cursor *c, void *items, uint64_t most, uint64_t *n, hsc_err *err);
/* Calls change(ctx, item) for all items in order and keeps what it made of them. */
hsc_status hsc_spill_change(hsc_spill *s, hsc_spill_list *l, void (*change)(void *ctx, void *item), void *ctx, hsc_err *err);
void hsc_spill_cursor_fini(hsc_spill_cursor *c);

#endif
