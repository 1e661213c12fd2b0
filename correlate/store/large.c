/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory in large pages. */
#include "large.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

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

void hsc_large_give_back(void) {
    (void)malloc_trim(0);
}
