/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory in large pages. */
#include "large.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE ((size_t)2 << 20)

void *hsc_large_malloc(size_t bytes) {
    size_t rest = bytes % LARGE_PAGE;
    void *p = NULL;
    if (bytes > SIZE_MAX - LARGE_PAGE)
        return NULL;
    if (rest >= LARGE_PAGE / 4 * 3) /* nearly one more: better whole */
        bytes += LARGE_PAGE - rest;
    if (bytes < LARGE_PAGE)
        return malloc(bytes ? bytes : 1);
    if (posix_memalign(&p, LARGE_PAGE, bytes))
        return NULL;
    (void)madvise(p, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE); /* a wish: without it all works as well */
    return p;
}

void *hsc_large_calloc(size_t bytes) {
    char *p = calloc(1, bytes ? bytes : 1);
    uintptr_t first = ((uintptr_t)p + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE, end = ((uintptr_t)p + bytes) / LARGE_PAGE * LARGE_PAGE;
    if (p && first < end)
        (void)madvise(p + (first - (uintptr_t)p), end - first, MADV_HUGEPAGE);
    return p;
}

void hsc_large_blank(void *p, size_t n) {
    const char *bytes = p;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)p + page - 1) / page * page, end = ((uintptr_t)p + n) / page * page;
    if (n < LARGE_PAGE / 4 || bytes[0] || memcmp(bytes, bytes + 1, n - 1) != 0 || first >= end)
        return;
    (void)madvise((char *)p + (first - (uintptr_t)p), end - first, MADV_DONTNEED); /* of anonymous memory: zeros, when it is read */
}

struct hsc_large_block {
    struct hsc_large_block *before;
    void *memory;
};

static void *new_block(hsc_large_room *r, size_t bytes) {
    struct hsc_large_block *b = malloc(sizeof *b);
    if (!b || !(b->memory = hsc_large_malloc(bytes))) {
        free(b);
        return NULL;
    }
    b->before = r->blocks;
    r->blocks = b;
    return b->memory;
}

void *hsc_large_take(hsc_large_room *r, size_t bytes) {
    enum { SHARED_LEAST = 64 << 10, SHARED_BYTES = 8 << 20, ALIGNMENT = 64 }; /* of several pages: the next takes what is left of one */
    if (bytes < SHARED_LEAST || bytes >= LARGE_PAGE / 4 * 3)
        return new_block(r, bytes);
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > r->rest) {
        char *pages = new_block(r, SHARED_BYTES);
        if (!pages)
            return NULL;
        r->next = pages;
        r->rest = SHARED_BYTES;
    }
    void *p = r->next;
    r->next += bytes;
    r->rest -= bytes;
    return p;
}

void hsc_large_free(hsc_large_room *r) {
    for (struct hsc_large_block *b = r->blocks, *before; b; b = before) {
        before = b->before;
        free(b->memory);
        free(b);
    }
    *r = (hsc_large_room){0};
}

void hsc_large_give_back(void) {
    (void)malloc_trim(0);
}
