/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unfinished.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#define PLACES 16 /* a join makes three or fewer at a time */

static _Atomic(const char *) places[PLACES];
static atomic_bool dropped;

void hsc_unfinished_begin(void) { atomic_store(&dropped, false); }

void hsc_unfinished_drop(void) {
    atomic_store(&dropped, true);
    for (int i = 0; i < PLACES; i++) {
        const char *path = atomic_load(&places[i]);
        if (path)
            unlink(path);
    }
}

void hsc_unfinished_add(const char *path) {
    for (int i = 0; i < PLACES; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&places[i], &none, path))
            return;
    }
}

void hsc_unfinished_made(const char *path) {
    if (atomic_load(&dropped))
        unlink(path);
}

void hsc_unfinished_end(const char *path) {
    for (int i = 0; i < PLACES; i++) {
        const char *one = path;
        if (path && atomic_compare_exchange_strong(&places[i], &one, NULL))
            return;
    }
}
