/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Puts elements that are read where they are wanted. */
#include "dbfile_target.h"

#include <stdlib.h>
#include <string.h>

hsc_status hsc_target_hand_on(const hsc_target *t, const char *step, uint64_t first, uint64_t n, hsc_err *err) {
    return t->take ? t->take(t->ctx, step, first, n, err) : HSC_OK;
}

void hsc_target_put(hsc_target *t, const char *from, uint64_t bytes) {
    const uint64_t *wide = (const uint64_t *)(const void *)from;
    uint32_t *narrow = (uint32_t *)(void *)t->to;
    uint64_t n = bytes / sizeof *wide, high = 0;
    if (!t->narrow) {
        memcpy(t->to, from, bytes);
        t->to += bytes;
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        narrow[i] = (uint32_t)wide[i];
        high |= wide[i] >> 32;
    }
    t->high |= high;
    t->to += n * sizeof *narrow;
}

char *hsc_target_room(hsc_target *t, const hsc_set_info *info) {
    if (!t->narrow)
        return t->to;
    if (!t->step)
        t->step = malloc(info->step * sizeof *t->step);
    return (char *)t->step;
}

void hsc_target_put_step(hsc_target *t, uint64_t bytes) {
    if (t->narrow)
        hsc_target_put(t, (const char *)t->step, bytes);
    else
        t->to += bytes;
}
